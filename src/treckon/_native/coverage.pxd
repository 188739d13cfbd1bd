"""A query's ranked documents and its judgements by subtopic to `Diversity`."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from treckon._native.diversity cimport Covering, Diversity
from treckon._native.join cimport Joiner
from treckon._native.judged_tables cimport Query, Table
from treckon._native.policies cimport Policy, View


ctypedef struct Mark:
    # A judged document of one subtopic.
    const char *docno
    uint64_t length
    int64_t unit               # of the query: the subtopic
    int64_t rank               # before any is taken out; 0 where it was not retrieved
    int32_t grade


ctypedef struct Coverage:
    # Memory that one thread uses for query after query.
    Mark *marks                # of the query's judgements
    size_t n_marks
    size_t mark_capacity
    int64_t *order             # of marks, and scratch
    size_t order_capacity
    int64_t *numbers           # of each unit, as a subtopic; -1 where nothing is relevant to it
    size_t number_capacity
    int64_t *n_rel
    size_t n_rel_capacity
    int64_t *subtopics
    size_t subtopic_capacity
    Covering *found
    size_t found_capacity
    Covering *covering
    size_t covering_capacity
    double *weights
    size_t weight_capacity
    bint *taken
    size_t taken_capacity
    Diversity diversity


cdef void coverage_free(Coverage *coverage) noexcept nogil

# Keeps what join() found for a unit of the query. False: out of memory.
cdef bint cover(
    Coverage *coverage,
    const Joiner *joiner,
    const Table *table,
    const Query *query,
    uint64_t unit,
    const Policy *policy,
) noexcept nogil

# coverage.diversity of all units, as a measure sees it. False: out of memory.
cdef bint form_diversity(
    Coverage *coverage, const Query *query, int64_t n_records, const Policy *policy, const View *view
) noexcept nogil
