"""What to compute for each query."""

from libc.stdint cimport int64_t

from treckon._native.diversity cimport diversity_kernel_t
from treckon._native.policies cimport Policy, View
from treckon._native.preferences cimport preference_kernel_t
from treckon._native.ranking cimport Gains, Params, kernel_t, text_kernel_t


ctypedef struct Value:
    # One printed name. At most one kernel is not NULL; none makes the values of the run as a whole.
    kernel_t kernel
    text_kernel_t text_kernel
    preference_kernel_t preference_kernel
    diversity_kernel_t diversity_kernel
    Params params
    bint per_group               # the mean over the query's judgment groups
    int view                     # of Plan.views
    double missing               # of a query that the run lacks; NaN: the kernel's own
    int64_t text_column          # of a text value, else -1


cdef class Plan:
    cdef Value *values
    cdef readonly Py_ssize_t n_values
    cdef readonly Py_ssize_t n_texts
    cdef readonly bint needs_ranking
    cdef readonly bint needs_subtopics
    cdef readonly bint needs_holes
    cdef readonly bint reports_ties
    cdef readonly bint refuses_unjudged
    cdef readonly bint keeps_rankings
    cdef readonly bint release_9          # the rules of trec_eval 9.0.8, where the releases differ
    cdef Policy policy
    cdef View *views
    cdef int n_views
    cdef int64_t *cutoffs        # different ones, rising
    cdef int n_cutoffs
    cdef list owned              # memory that values point to

    cdef void *own(self, size_t size) except NULL
    cdef int set_params(self, Params *params, setting) except -1
    cdef int set_discount(self, Params *params, discount) except -1
    cdef const Gains *make_gains(self, pairs, gain) except NULL
