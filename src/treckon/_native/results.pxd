"""Values of all queries."""

from libc.stdint cimport int64_t

from treckon._native.plans cimport Plan
from treckon._native.qrels cimport Qrels
from treckon._native.query_evaluation cimport Target


cdef class Results:
    cdef readonly Qrels qrels
    cdef readonly Plan plan
    cdef readonly int64_t only   # the one query to evaluate, or -1
    cdef double *matrix          # query x value
    cdef unsigned char *ties
    cdef unsigned char *seen     # 1: in the run; 2: not, but evaluated as an empty ranking
    cdef char **kept_rankings    # query x view
    cdef size_t n_kept_rankings
    cdef size_t n_texts          # query x text value
    cdef char **texts            # query x text value
    cdef int64_t *text_lengths

    cdef Target as_target(self)
