"""Rankings x kernels: a matrix of values, filled query by query without the interpreter, by any number of threads."""

from libc.stdint cimport int64_t, uint64_t

from treckon._native.coverage cimport Coverage
from treckon._native.diversity cimport diversity_kernel_t
from treckon._native.join cimport Joiner, Policy, View
from treckon._native.lines cimport Record, Scanner, Segment
from treckon._native.pairing cimport Pairing
from treckon._native.preferences cimport preference_kernel_t
from treckon._native.prefs cimport PreferenceTable
from treckon._native.qrels cimport Qrels, Table
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


ctypedef struct Target:
    # What the threads of one evaluation share: all read, but for the rows and flags of the queries each evaluates.
    const Table *table
    const PreferenceTable *preferences   # NULL where the judgements are grades
    Value *values
    Py_ssize_t n_values
    Py_ssize_t n_texts
    bint needs_ranking
    bint needs_subtopics
    bint needs_holes
    Policy policy
    const View *views
    int n_views
    bint reports_ties
    const int64_t *cutoffs
    int n_cutoffs
    bint refuses_unjudged
    char **kept_rankings         # query x view, each a Ranking with its hits behind it; NULL where none are kept
    int64_t only
    double *matrix
    unsigned char *seen
    unsigned char *ties          # 1: documents of the query tie; 3: also across a cutoff
    char **texts
    int64_t *text_lengths


ctypedef struct Piece:
    int64_t query
    size_t first                 # record
    size_t n


ctypedef struct Share:
    # One thread's state.
    Target target
    Joiner joiner
    Pairing pairing
    Coverage coverage
    int64_t next_query           # of the segment that is being read, or UNKNOWN
    size_t n_segments
    char *first_qid              # of the first segment
    size_t first_qid_length
    size_t qid_capacity
    uint64_t *extra              # hashes of the ids of unjudged queries, where they are reported
    size_t n_extra
    size_t extra_capacity
    char *extra_qid              # the first of them
    size_t extra_qid_length
    size_t extra_qid_capacity
    bint scattered               # a query's lines lie apart
    int64_t duplicate_query      # the first query in which a document stands twice, or -1
    char *duplicate              # that document
    size_t duplicate_length
    size_t duplicate_capacity
    int64_t unjudged_query       # the first query in which an unjudged document was retrieved, or -1
    int64_t unjudged_rank
    char *unjudged               # that document
    size_t unjudged_length
    size_t unjudged_capacity
    double *scores               # scratch
    size_t score_capacity
    bint out_of_memory
    # What a gathering scan keeps.
    Piece *pieces
    size_t n_pieces
    size_t piece_capacity
    Record *kept
    size_t n_kept
    size_t kept_capacity
    char *ids
    size_t n_ids
    size_t id_capacity


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


# What other readers of runs share with the one for files.
cdef bint is_wanted(const Share *share, int64_t query) noexcept nogil
cdef bint evaluate_records(Share *share, int64_t query, const Segment *listed) noexcept nogil
cdef bint evaluate_segment(void *context, const Segment *segment) noexcept nogil
cdef bint gather_segment(void *context, const Segment *segment) noexcept nogil
cdef int finish_gathered(Share *share) except -1
cdef bint evaluate_found(Share *share, int64_t query, int64_t n_records) noexcept nogil
cdef void note_tied_scores(Share *share, int64_t query, int64_t n) noexcept nogil
cdef void share_free(Share *share) noexcept nogil
cdef object share_duplicate(const Share *share)
cdef object share_unjudged(const Share *share)
cdef object share_extra(const Share *share)


cdef class FileScan:
    cdef Scanner scanner
    cdef int cancelled

    # Raises what went wrong besides the lines.
    cdef int check(self) except -1
    # What is left to do when all is read.
    cdef void complete(self) noexcept nogil
