"""One thread's share of a run."""

from libc.stdint cimport int64_t, uint64_t

from treckon._native.coverage cimport Coverage
from treckon._native.join cimport Joiner
from treckon._native.lines cimport Record, Segment
from treckon._native.pairing cimport Pairing
from treckon._native.query_evaluation cimport Target


cdef enum:
    UNKNOWN = -2               # a query that was not looked up yet


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
    int64_t duplicate_query      # the first query in which a document is listed twice, or -1
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
cdef void look_up_query(void *context, const char *qid, size_t length) noexcept nogil
