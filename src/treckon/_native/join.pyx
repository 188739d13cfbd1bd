"""Joins the lines of a query with its judgements.

Only documents of the qrels can move a number, so only their ranks are worked out, and no ranking is ever sorted as a
whole. Where scores fall from line to line, the line's number is the rank. Where they tie or rise, the rank of a
judged document is one more than the number of documents above it: the judged ones are sorted and every document of
the tie group (of the query, where lines are out of order) is counted by a binary search among them.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from treckon._native.lines cimport Record, Segment
from treckon._native.memory cimport reserve
from treckon._native.qrels cimport Table, Unit, find_judged
from treckon._native.ranking cimport Hit, Ranking
from treckon._native.scan cimport tk_compare, tk_same
from treckon._native.sort cimport merge_sort


ctypedef struct Order:
    # Context of comparisons between the records of a segment.
    const Segment *segment
    Ties ties


cdef void joiner_free(Joiner *joiner) noexcept nogil:
    free(joiner.seen)
    free(joiner.found)
    free(joiner.reordered)
    free(joiner.hits)
    free(joiner.order)
    memset(joiner, 0, sizeof(Joiner))


cdef inline int docno_order(const Segment *segment, int64_t i, int64_t j) noexcept nogil:
    cdef const Record *x = &segment.records[i]
    cdef const Record *y = &segment.records[j]
    return tk_compare(segment.text + x.offset, x.length, segment.text + y.offset, y.length)


cdef inline int record_order(const Order *order, int64_t i, int64_t j) noexcept nogil:
    # The order of a ranking: falling score, then the tie rule, then the lines' order.
    cdef double x = order.segment.records[i].value
    cdef double y = order.segment.records[j].value
    cdef int by_docno
    if x != y:
        return -1 if x > y else 1
    if order.ties != AS_LISTED:
        by_docno = docno_order(order.segment, i, j)
        if by_docno:
            return -by_docno if order.ties == DOCNO_FALLING else by_docno
    return (i > j) - (i < j)


cdef int ranking_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    return record_order(<const Order *> context, i, j)


cdef int id_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    # By document id, then in the lines' order.
    cdef int order = docno_order((<const Order *> context).segment, i, j)
    return order if order else (i > j) - (i < j)


cdef JoinStatus check_duplicates(Joiner *joiner, const Segment *segment, const Policy *policy) noexcept nogil:
    # Whether a document stands twice within the depth. Equal hashes are settled by the ids themselves.
    cdef const Record *records = segment.records
    cdef size_t n = segment.n_records, i, slot, mask, size = 64
    cdef uint32_t *seen
    cdef const Record *other
    while size < 2 * n:
        size *= 2
    if not reserve(<void **> &joiner.seen, &joiner.seen_size, size, sizeof(uint32_t)):
        return JOIN_OUT_OF_MEMORY
    seen = joiner.seen
    memset(seen, 0, size * sizeof(uint32_t))
    mask = size - 1
    for i in range(n):
        slot = records[i].hash & mask
        while seen[slot]:
            other = &records[seen[slot] - 1]
            if other.hash == records[i].hash and tk_same(
                segment.text + other.offset, other.length, segment.text + records[i].offset, records[i].length
            ):
                if policy.depth < <int64_t> n:
                    return check_duplicates_within(joiner, segment, policy)
                joiner.first_copy = seen[slot] - 1
                joiner.second_copy = i
                return DUPLICATE
            slot = (slot + 1) & mask
        seen[slot] = <uint32_t> (i + 1)
    return JOINED


cdef JoinStatus check_duplicates_within(Joiner *joiner, const Segment *segment, const Policy *policy) noexcept nogil:
    # The same where a depth cut may take a copy out: sorts, since this is rare.
    cdef int64_t n = segment.n_records, i, depth = policy.depth
    cdef Order order
    order.segment = segment
    order.ties = policy.ties
    if not reserve(<void **> &joiner.order, &joiner.order_capacity, 2 * n, sizeof(int64_t)):
        return JOIN_OUT_OF_MEMORY
    for i in range(n):
        joiner.order[i] = i
    merge_sort(joiner.order, n, joiner.order + n, ranking_order, &order)
    merge_sort(joiner.order, depth, joiner.order + n, id_order, &order)
    for i in range(1, depth):
        if docno_order(segment, joiner.order[i - 1], joiner.order[i]) == 0:
            joiner.first_copy = joiner.order[i - 1]
            joiner.second_copy = joiner.order[i]
            return DUPLICATE
    return JOINED


cdef bint more_found(Joiner *joiner) noexcept nogil:
    # Room for another judged document, in each of the arrays that hold them.
    cdef size_t needed = joiner.found_capacity + 1, capacity = joiner.found_capacity
    if not reserve(<void **> &joiner.found, &capacity, needed, sizeof(Found)):
        return False
    capacity = joiner.found_capacity
    if not reserve(<void **> &joiner.reordered, &capacity, needed, sizeof(Found)):
        return False
    capacity = joiner.found_capacity
    if not reserve(<void **> &joiner.hits, &capacity, needed, sizeof(Hit)):
        return False
    joiner.found_capacity = capacity
    return True


cdef JoinStatus find_judged_records(
    Joiner *joiner, const Table *table, const Unit *unit, const Segment *segment
) noexcept nogil:
    # The judged documents among the records, as listed; and whether scores fall from record to record, or tie.
    cdef const Record *record
    cdef Found *found
    cdef size_t i
    cdef int64_t entry
    cdef double previous = segment.records[0].value
    cdef bint falls = True, ties = False
    joiner.n_found = 0
    for i in range(segment.n_records):
        record = &segment.records[i]
        falls &= record.value <= previous
        ties |= record.value == previous and i > 0
        previous = record.value
        entry = find_judged(table, unit, record.hash, segment.text + record.offset, record.length)
        if entry >= 0:
            if joiner.n_found == joiner.found_capacity and not more_found(joiner):
                return JOIN_OUT_OF_MEMORY
            found = &joiner.found[joiner.n_found]
            found.rank = i + 1
            found.record = i
            found.grade = table.judged[unit.first_judged + entry].grade
            joiner.n_found += 1
    joiner.falls = falls
    joiner.ties = ties
    return JOINED


cdef JoinStatus rank_found(Joiner *joiner, const Segment *segment, const Policy *policy) noexcept nogil:
    # Ranks of the judged documents. They come in ranked order afterwards.
    cdef const Record *records = segment.records
    cdef int64_t n = segment.n_records, begin, end
    cdef size_t first, last
    cdef double score
    if not joiner.falls:
        return rank_by_counting(joiner, segment, policy, 0, n, 0, joiner.n_found)
    if not joiner.ties:
        return JOINED
    first = 0
    while first < joiner.n_found:
        begin = joiner.found[first].record
        score = records[begin].value
        end = begin + 1
        while begin > 0 and records[begin - 1].value == score:
            begin -= 1
        while end < n and records[end].value == score:
            end += 1
        last = first + 1
        while last < joiner.n_found and joiner.found[last].record < end:
            last += 1
        if end - begin > 1 and rank_by_counting(joiner, segment, policy, begin, end, first, last) != JOINED:
            return JOIN_OUT_OF_MEMORY
        first = last
    return JOINED


cdef JoinStatus rank_by_counting(
    Joiner *joiner,
    const Segment *segment,
    const Policy *policy,
    int64_t begin,
    int64_t end,
    size_t first,
    size_t last,
) noexcept nogil:
    # Ranks of found[first:last], which are the judged ones of records[begin:end]; no other record ranks between these.
    cdef int64_t n = last - first, i, low, high, middle, rank = begin + 1
    cdef int64_t *by_rank
    cdef int64_t *n_above
    cdef Order order
    order.segment = segment
    order.ties = policy.ties
    if not reserve(<void **> &joiner.order, &joiner.order_capacity, 2 * n, sizeof(int64_t)):
        return JOIN_OUT_OF_MEMORY
    by_rank = joiner.order
    n_above = joiner.order + n
    for i in range(n):
        by_rank[i] = joiner.found[first + i].record
    merge_sort(by_rank, n, n_above, ranking_order, &order)
    memset(n_above, 0, n * sizeof(int64_t))
    for i in range(begin, end):
        low = 0
        high = n
        while low < high:  # the first judged one that record i is above
            middle = (low + high) >> 1
            if record_order(&order, i, by_rank[middle]) < 0:
                high = middle
            else:
                low = middle + 1
        if low < n:
            n_above[low] += 1
    memcpy(joiner.reordered, joiner.found + first, n * sizeof(Found))
    for i in range(n):
        rank += n_above[i]
        joiner.found[first + i] = joiner.reordered[place_of(joiner.reordered, n, by_rank[i])]
        joiner.found[first + i].rank = rank
    return JOINED


cdef inline int64_t place_of(const Found *found, int64_t n, int64_t record) noexcept nogil:
    # Where this record stands among those found, which are as listed.
    cdef int64_t low = 0, high = n, middle
    while low < high:
        middle = (low + high) >> 1
        if found[middle].record < record:
            low = middle + 1
        else:
            high = middle
    return low


cdef void form_ranking(
    Joiner *joiner, const Table *table, const Unit *unit, int64_t n_records, const Policy *policy
) noexcept nogil:
    # The ranking that the policies leave.
    cdef Ranking *ranking = &joiner.ranking
    cdef const Found *found
    cdef Hit *hit
    cdef size_t i
    cdef uint32_t j
    memset(ranking, 0, sizeof(Ranking))
    ranking.hits = joiner.hits
    ranking.grades = table.grades + unit.first_grade
    ranking.n_grades = unit.n_grades
    ranking.level = policy.level
    for j in range(unit.n_grades):
        if ranking.grades[j].grade >= policy.level:
            ranking.n_rel += ranking.grades[j].count
        else:
            ranking.n_nonrel += ranking.grades[j].count
    for i in range(joiner.n_found):
        found = &joiner.found[i]
        if found.rank > policy.depth:
            break
        if policy.condensed and found.grade < 0:
            continue
        hit = &joiner.hits[ranking.n_hits]
        ranking.n_hits += 1
        ranking.n_judged_ret += found.grade >= 0
        ranking.n_rel_ret += found.grade >= policy.level
        hit.rank = ranking.n_hits if policy.condensed else found.rank
        hit.grade = found.grade
        hit.n_rel = ranking.n_rel_ret
    ranking.n_ret = n_records if n_records < policy.depth else policy.depth
    if policy.condensed:
        ranking.n_ret = ranking.n_hits


cdef JoinStatus join(
    Joiner *joiner, const Table *table, const Unit *unit, const Segment *segment, const Policy *policy
) noexcept nogil:
    # joiner.ranking of a query's lines over a unit's judgements; without lines (segment NULL), the empty ranking.
    cdef JoinStatus status
    joiner.n_found = 0
    if segment == NULL:
        form_ranking(joiner, table, unit, 0, policy)
        return JOINED
    status = find_judged_records(joiner, table, unit, segment)
    if status == JOINED:
        status = rank_found(joiner, segment, policy)
    if status == JOINED:
        form_ranking(joiner, table, unit, segment.n_records, policy)
    return status
