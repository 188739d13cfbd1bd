"""What the records of one query say of each other, and of judgements and a collection."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from treckon._native.findings cimport Findings
from treckon._native.judged_tables cimport Table
from treckon._native.lines cimport Segment


ctypedef struct QueryChecks:
    # What is expected of a query.
    bint is_run
    int64_t depth              # documents that a query should have; -1: any number
    const Table *judged        # qrels that say which documents are judged, or NULL
    const Table *documents     # the collection, as judgements of one query, or NULL
    int64_t *cutoffs
    size_t n_cutoffs
    # Scratch.
    uint32_t *documents_seen
    size_t documents_seen_size
    int64_t *order
    size_t order_capacity
    # Results.
    Findings *findings
    uint64_t n_tie_groups
    uint64_t n_tied_documents
    uint64_t *ties_across      # queries, of each cutoff
    uint64_t *shares           # judged among the first documents, in 2^-40, summed over judged queries; of each cutoff
    uint64_t n_judged_queries
    uint64_t n_retrieved       # documents of these queries
    uint64_t n_judged


cdef double SHARE_UNIT

# Looks the records of a query through, which have details. False: out of memory.
cdef bint check_query(QueryChecks *checks, const Segment *query) noexcept nogil
