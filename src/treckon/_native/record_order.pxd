"""The order of a query's documents."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from treckon._native.lines cimport Record, Segment
from treckon._native.policies cimport AS_LISTED, BEST_FIRST, DOCNO_RISING, SEEDED_RANDOM, WORST_FIRST, Policy, Ties
from treckon._native.scan cimport tk_compare, tk_hash, tk_key_t


ctypedef struct Order:
    # Context of comparisons between the records of a segment.
    const Segment *segment
    const Policy *policy
    const int32_t *grades


cdef inline int docno_order(const Segment *segment, int64_t i, int64_t j) noexcept nogil:
    cdef const Record *x = &segment.records[i]
    cdef const Record *y = &segment.records[j]
    return tk_compare(segment.text + x.offset, x.length, segment.text + y.offset, y.length)


cdef inline bint goes_by_grades(const Policy *policy) noexcept nogil:
    # Whether the order of ties differs from one unit's judgements to the next.
    return policy.ties == BEST_FIRST or policy.ties == WORST_FIRST


cdef inline int tie_order(const Order *order, int64_t i, int64_t j) noexcept nogil:
    # The order of two documents with the same score.
    cdef Ties ties = order.policy.ties
    cdef const Segment *segment = order.segment
    cdef tk_key_t key
    cdef uint64_t x, y
    cdef inline int by_docno
    if ties == AS_LISTED:
        return 0
    if goes_by_grades(order.policy) and order.grades[i] != order.grades[j]:
        return -1 if (order.grades[i] > order.grades[j]) == (ties == BEST_FIRST) else 1
    if ties == SEEDED_RANDOM:
        key = order.policy.seed
        key.word[0] ^= tk_hash(segment.qid, segment.qid_length, &order.policy.seed)
        x = tk_hash(segment.text + segment.records[i].offset, segment.records[i].length, &key)
        y = tk_hash(segment.text + segment.records[j].offset, segment.records[j].length, &key)
        if x != y:
            return -1 if x < y else 1
    by_docno = docno_order(segment, i, j)
    return by_docno if ties == DOCNO_RISING else -by_docno


cdef inline int record_order(const Order *order, int64_t i, int64_t j) noexcept nogil:
    # The order of a ranking: falling score, then the tie rule, then the lines' order.
    cdef double x = order.segment.records[i].value
    cdef double y = order.segment.records[j].value
    cdef inline int by_ties
    if x != y:
        return -1 if x > y else 1
    by_ties = tie_order(order, i, j)
    return by_ties if by_ties else (i > j) - (i < j)


cdef inline int ranking_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    return record_order(<const Order *> context, i, j)


cdef inline int id_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    # By document id, then in the lines' order.
    cdef inline int order = docno_order((<const Order *> context).segment, i, j)
    return order if order else (i > j) - (i < j)
