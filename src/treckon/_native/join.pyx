"""Joins the lines of a query with its judgements.

Only documents of the qrels can move a number, so only their ranks are worked out, and no ranking is ever sorted as a
whole. Where scores fall from line to line, the line's number is the rank. Where they tie or rise, the rank of a
judged document is one more than the number of documents above it: the judged ones are sorted and every document of
the tie group (of the query, where lines are out of order) is counted by a binary search among them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from treckon._native.judged_tables cimport MOST_UNHASHED, Query, Table, Unit, find_judged, is_anywhere, may_be_judged
from treckon._native.lines cimport Record, Segment
from treckon._native.memory cimport reserve
from treckon._native.policies cimport REPEATS_BY_SCORE, REPEATS_REFUSED, REPEATS_UNPOOLED, Policy, View
from treckon._native.ranking cimport UNPOOLED, Hit, Ranking
from treckon._native.record_order cimport Order, docno_order, goes_by_grades, id_order, ranking_order, record_order
from treckon._native.scan cimport TK_UNLIKELY, tk_same
from treckon._native.sort cimport merge_sort


cdef void joiner_free(Joiner *joiner) noexcept nogil:
    free(joiner.seen)
    free(joiner.found)
    free(joiner.reordered)
    free(joiner.hits)
    free(joiner.order)
    free(joiner.kept)
    free(joiner.grades)
    free(joiner.holes)
    memset(joiner, 0, sizeof(Joiner))


cdef bint rank_all(Joiner *joiner, const Order *order) noexcept nogil:
    # All records as ranked, in joiner.order; behind them is room for as many. False: out of memory.
    cdef int64_t n = order.segment.n_records, i
    if not reserve(<void **> &joiner.order, &joiner.order_capacity, 2 * n, sizeof(int64_t)):
        return False
    for i in range(n):
        joiner.order[i] = i
    merge_sort(joiner.order, n, joiner.order + n, ranking_order, order)
    return True


# ---- documents that are listed twice, and other things that are taken out


cdef JoinStatus filter_records(
    Joiner *joiner,
    const Table *table,
    const Query *query,
    const Segment *segment,
    const Policy *policy,
    Segment *filtered,
) noexcept nogil:
    # Takes out what the policy takes out before anything else; `filtered` is what is left.
    cdef JoinStatus status
    filtered[0] = segment[0]
    if policy.ignores_self and not take_out_self(joiner, filtered):
        return JOIN_OUT_OF_MEMORY
    status = find_repeat(joiner, filtered)
    if status != DUPLICATE or policy.repeats == REPEATS_UNPOOLED:
        return JOIN_OUT_OF_MEMORY if status == JOIN_OUT_OF_MEMORY else JOINED
    if policy.repeats == REPEATS_REFUSED:
        if policy.depth < <int64_t> filtered.n_records:
            return find_repeat_within(joiner, table, query, filtered, policy)
        return DUPLICATE
    return JOINED if take_out_repeats(joiner, filtered, policy) else JOIN_OUT_OF_MEMORY


cdef bint take_out_self(Joiner *joiner, Segment *segment) noexcept nogil:
    # Takes out documents whose id is the query's. False: out of memory.
    cdef size_t i, n = 0
    cdef const Record *record
    if not reserve(<void **> &joiner.kept, &joiner.kept_capacity, segment.n_records + 1, sizeof(Record)):
        return False
    for i in range(segment.n_records):
        record = &segment.records[i]
        if not tk_same(segment.text + record.offset, record.length, segment.qid, segment.qid_length):
            joiner.kept[n] = record[0]
            n += 1
    joiner.n_own += segment.n_records - n
    segment.records = joiner.kept
    segment.n_records = n
    return True


cdef JoinStatus find_repeat(Joiner *joiner, const Segment *segment) noexcept nogil:
    # Whether a document is listed twice: first_copy, second_copy. Equal hashes are settled by the ids themselves.
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
                joiner.first_copy = seen[slot] - 1
                joiner.second_copy = i
                return DUPLICATE
            slot = (slot + 1) & mask
        seen[slot] = <uint32_t> (i + 1)
    return JOINED


cdef JoinStatus find_repeat_within(
    Joiner *joiner, const Table *table, const Query *query, const Segment *segment, const Policy *policy
) noexcept nogil:
    # The same within the depth, which may cut a copy off: of each ranking, where the units' grades make several.
    cdef const Unit *unit
    cdef JoinStatus status = JOINED
    cdef uint64_t i, n_rankings = query.n_units if goes_by_grades(policy) else 1
    for i in range(n_rankings):
        unit = &table.units[query.first_unit + i]
        if find_judged_records(joiner, table, unit, segment) != JOINED:
            return JOIN_OUT_OF_MEMORY
        if note_grades(joiner, segment, policy) != JOINED:
            return JOIN_OUT_OF_MEMORY
        status = find_repeat_ranked(joiner, segment, policy)
        if status != JOINED:
            break
    return status


cdef JoinStatus find_repeat_ranked(Joiner *joiner, const Segment *segment, const Policy *policy) noexcept nogil:
    # The same within the depth of one ranking, after note_grades(): sorts, since this is rare.
    cdef int64_t n = segment.n_records, i, depth = policy.depth
    cdef Order order
    order.segment = segment
    order.policy = policy
    order.grades = joiner.grades
    if not rank_all(joiner, &order):
        return JOIN_OUT_OF_MEMORY
    merge_sort(joiner.order, depth, joiner.order + n, id_order, &order)
    for i in range(1, depth):
        if docno_order(segment, joiner.order[i - 1], joiner.order[i]) == 0:
            joiner.first_copy = joiner.order[i - 1]
            joiner.second_copy = joiner.order[i]
            return DUPLICATE
    return JOINED


cdef bint take_out_repeats(Joiner *joiner, Segment *segment, const Policy *policy) noexcept nogil:
    # Leaves each document once: the first listed, or the one with the highest score. False: out of memory.
    cdef int64_t n = segment.n_records, i, n_kept = 0
    cdef const Record *record
    cdef Order order
    cdef int64_t *by_id
    cdef bint is_first
    order.segment = segment
    order.policy = policy
    order.grades = NULL
    if not reserve(<void **> &joiner.order, &joiner.order_capacity, 3 * n, sizeof(int64_t)) or not reserve(
        <void **> &joiner.kept, &joiner.kept_capacity, n + 1, sizeof(Record)
    ):
        return False
    by_id = joiner.order
    for i in range(n):
        by_id[i] = i
        joiner.order[2 * n + i] = i
    merge_sort(by_id, n, by_id + n, id_order, &order)
    # order[2n + i]: the record that stands for the document of record i.
    for i in range(1, n):
        is_first = docno_order(segment, by_id[i - 1], by_id[i]) != 0
        if not is_first:
            record = &segment.records[joiner.order[2 * n + by_id[i - 1]]]
            joiner.order[2 * n + by_id[i]] = joiner.order[2 * n + by_id[i - 1]]
            if policy.repeats == REPEATS_BY_SCORE and segment.records[by_id[i]].value > record.value:
                joiner.order[2 * n + by_id[i]] = by_id[i]
    for i in range(n - 1, 0, -1):
        if docno_order(segment, by_id[i - 1], by_id[i]) == 0:
            joiner.order[2 * n + by_id[i - 1]] = joiner.order[2 * n + by_id[i]]
    for i in range(n):
        if joiner.order[2 * n + i] == i:
            joiner.kept[n_kept] = segment.records[i]
            n_kept += 1
    segment.records = joiner.kept
    segment.n_records = n_kept
    return True


# ---- judged documents and their ranks


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
    cdef uint64_t[MOST_UNHASHED] hashes
    cdef size_t i, n_hashes = unit.n_judged if unit.slot_mask == 0 else 0
    cdef double previous = INFINITY
    cdef uint64_t hash
    joiner.n_found = 0
    joiner.falls = True
    joiner.ties = False
    for i in range(MOST_UNHASHED):  # of few judged documents, all hashes are compared at once
        hashes[i] = table.judged[unit.first_judged + i % n_hashes].hash if n_hashes else 0
    for i in range(segment.n_records):
        record = &segment.records[i]
        if TK_UNLIKELY(not record.value < previous) and i:
            joiner.ties |= record.value == previous
            joiner.falls &= record.value == previous
        previous = record.value
        hash = record.hash
        if n_hashes:
            if not ((hash == hashes[0]) | (hash == hashes[1]) | (hash == hashes[2]) | (hash == hashes[3])):
                continue
        elif unit.slot_mask and not may_be_judged(table, unit, hash):
            continue
        if not note_judged(joiner, table, unit, segment, i):
            return JOIN_OUT_OF_MEMORY
    return JOINED


cdef inline bint note_judged(
    Joiner *joiner, const Table *table, const Unit *unit, const Segment *segment, size_t i
) noexcept nogil:
    # Adds the document of record i to those found, if it is judged. False: out of memory.
    cdef const Record *record = &segment.records[i]
    cdef int64_t entry = find_judged(table, unit, record.hash, segment.text + record.offset, record.length)
    cdef Found *found
    if entry < 0:
        return True
    if joiner.n_found == joiner.found_capacity and not more_found(joiner):
        return False
    found = &joiner.found[joiner.n_found]
    joiner.n_found += 1
    found.rank = found.tie_rank = i + 1
    found.tie_size = 1
    found.record = i
    found.entry = entry
    found.grade = table.judged[unit.first_judged + entry].grade
    return True


cdef JoinStatus note_grades(Joiner *joiner, const Segment *segment, const Policy *policy) noexcept nogil:
    # Grades by record, for the orders of ties that go by them.
    cdef size_t i
    if not goes_by_grades(policy):
        return JOINED
    if not reserve(<void **> &joiner.grades, &joiner.grade_capacity, segment.n_records + 1, sizeof(int32_t)):
        return JOIN_OUT_OF_MEMORY
    for i in range(segment.n_records):
        joiner.grades[i] = UNPOOLED
    for i in range(joiner.n_found):
        joiner.grades[joiner.found[i].record] = max(joiner.found[i].grade, UNPOOLED)
    return JOINED


cdef JoinStatus rank_found(Joiner *joiner, const Segment *segment, const Policy *policy) noexcept nogil:
    # Ranks of the judged documents. They come in ranked order afterwards.
    cdef const Record *records = segment.records
    cdef int64_t n = segment.n_records, begin, end
    cdef size_t first, last
    cdef double score
    if joiner.n_found == 0:
        return JOINED
    if not joiner.falls:
        if rank_by_counting(joiner, segment, policy, 0, n, 0, joiner.n_found) != JOINED:
            return JOIN_OUT_OF_MEMORY
        return mark_ties(joiner, segment) if policy.marks_ties else JOINED
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
        while first < last:
            joiner.found[first].tie_rank = begin + 1
            joiner.found[first].tie_size = end - begin
            first += 1
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
    order.policy = policy
    order.grades = joiner.grades
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


cdef JoinStatus mark_ties(Joiner *joiner, const Segment *segment) noexcept nogil:
    # The tie groups of the judged documents, which come ranked, where lines are out of order: for the first of each
    # group, counts the records with the same score and those with a higher one.
    cdef int64_t n = joiner.n_found, i, first, above = 0
    cdef int64_t *n_equal
    cdef int64_t *n_above
    cdef double score
    if not reserve(<void **> &joiner.order, &joiner.order_capacity, 2 * n + 2, sizeof(int64_t)):
        return JOIN_OUT_OF_MEMORY
    n_equal = joiner.order
    n_above = joiner.order + n + 1
    memset(n_equal, 0, (2 * n + 2) * sizeof(int64_t))
    for i in range(<int64_t> segment.n_records):
        score = segment.records[i].value
        n_above[n_scored_at_least(joiner, segment, score)] += 1
        first = n_scored_above(joiner, segment, score)
        if first < n and segment.records[joiner.found[first].record].value == score:
            n_equal[first] += 1
    first = 0
    for i in range(n):
        above += n_above[i]
        if segment.records[joiner.found[i].record].value != segment.records[joiner.found[first].record].value:
            first = i
        joiner.found[i].tie_rank = above + 1
        joiner.found[i].tie_size = n_equal[first]
    return JOINED


cdef int64_t n_scored_above(const Joiner *joiner, const Segment *segment, double score) noexcept nogil:
    # Judged documents with a higher score.
    cdef int64_t low = 0, high = joiner.n_found, middle
    while low < high:
        middle = (low + high) >> 1
        if segment.records[joiner.found[middle].record].value > score:
            low = middle + 1
        else:
            high = middle
    return low


cdef int64_t n_scored_at_least(const Joiner *joiner, const Segment *segment, double score) noexcept nogil:
    # Judged documents with this score or a higher one.
    cdef int64_t low = 0, high = joiner.n_found, middle
    while low < high:
        middle = (low + high) >> 1
        if segment.records[joiner.found[middle].record].value >= score:
            low = middle + 1
        else:
            high = middle
    return low


cdef JoinStatus forget_repeats(Joiner *joiner, const Unit *unit) noexcept nogil:
    # Of the copies of a judged document only the one with the best rank is a hit; the others count as unpooled.
    cdef size_t i, n = 0
    cdef int64_t *counted
    if not reserve(<void **> &joiner.order, &joiner.order_capacity, unit.n_judged + 1, sizeof(int64_t)):
        return JOIN_OUT_OF_MEMORY
    counted = joiner.order
    memset(counted, 0, unit.n_judged * sizeof(int64_t))
    for i in range(joiner.n_found):
        if not counted[joiner.found[i].entry]:
            counted[joiner.found[i].entry] = True
            joiner.found[n] = joiner.found[i]
            n += 1
    joiner.n_found = n
    return JOINED


cdef JoinStatus join(
    Joiner *joiner, const Table *table, const Unit *unit, const Segment *segment, const Policy *policy
) noexcept nogil:
    # The judged documents of a query's lines, ranked (joiner.found). Without lines (segment NULL) there are none.
    joiner.n_found = 0
    joiner.n_holes = 0
    if segment == NULL:
        return JOINED
    if find_judged_records(joiner, table, unit, segment) != JOINED:
        return JOIN_OUT_OF_MEMORY
    if note_grades(joiner, segment, policy) != JOINED or rank_found(joiner, segment, policy) != JOINED:
        return JOIN_OUT_OF_MEMORY
    return forget_repeats(joiner, unit) if policy.repeats == REPEATS_UNPOOLED else JOINED


cdef void form_ranking(
    Joiner *joiner,
    const Table *table,
    const Unit *unit,
    int64_t n_records,
    const Policy *policy,
    const View *view,
) noexcept nogil:
    # joiner.ranking, as a measure sees what join() found.
    cdef Ranking *ranking = &joiner.ranking
    cdef const Found *found
    cdef Hit *hit
    cdef size_t i
    cdef uint32_t j
    memset(ranking, 0, sizeof(Ranking))
    ranking.hits = joiner.hits
    ranking.grades = table.grades + unit.first_grade
    ranking.n_grades = unit.n_grades
    ranking.n_unjudged = unit.n_unjudged
    ranking.level = view.level
    for j in range(unit.n_grades):
        if ranking.grades[j].grade >= view.level:
            ranking.n_rel += ranking.grades[j].count
        else:
            ranking.n_nonrel += ranking.grades[j].count
    for i in range(joiner.n_found):
        found = &joiner.found[i]
        if found.rank > policy.depth:
            break
        if view.condensed and found.grade < 0:
            continue
        hit = &joiner.hits[ranking.n_hits]
        ranking.n_hits += 1
        ranking.n_judged_ret += found.grade >= 0
        ranking.n_rel_ret += found.grade >= view.level
        hit.rank = ranking.n_hits if view.condensed else found.rank
        hit.grade = found.grade
        hit.n_rel = ranking.n_rel_ret
        hit.tie_rank = found.tie_rank
        hit.tie_size = found.tie_size
    ranking.n_ret = n_records if n_records < policy.depth else policy.depth
    ranking.holes = joiner.holes
    ranking.n_holes = 0 if view.condensed else joiner.n_holes
    if view.condensed:
        ranking.n_ret = ranking.n_hits
        close_up_ties(joiner)


cdef void close_up_ties(Joiner *joiner) noexcept nogil:
    # Tie groups of a ranking that unjudged documents were taken out of: neighbours with the same first rank.
    cdef int64_t n = joiner.ranking.n_hits, first = 0, last, original
    while first < n:
        original = joiner.hits[first].tie_rank
        last = first + 1
        while last < n and joiner.hits[last].tie_rank == original:
            last += 1
        original = last - first
        while first < last:
            joiner.hits[first].tie_rank = last - original + 1
            joiner.hits[first].tie_size = original
            first += 1


cdef bint find_holes(
    Joiner *joiner, const Table *table, const Segment *segment, const Policy *policy
) noexcept nogil:
    # Fills joiner.holes, after join(). The documents of `table` are indexed. False: out of memory.
    cdef int64_t n = segment.n_records, i
    cdef const Record *record
    cdef Order order
    order.segment = segment
    order.policy = policy
    order.grades = joiner.grades
    if not rank_all(joiner, &order):
        return False
    if not reserve(<void **> &joiner.holes, &joiner.hole_capacity, n, sizeof(int64_t)):
        return False
    for i in range(min(n, policy.depth)):
        record = &segment.records[joiner.order[i]]
        if not is_anywhere(table, record.hash, segment.text + record.offset, record.length):
            joiner.holes[joiner.n_holes] = i + 1
            joiner.n_holes += 1
    return True


cdef int64_t first_unjudged(
    Joiner *joiner, const Table *table, const Unit *unit, const Segment *segment, const Policy *policy, int64_t *rank
) noexcept nogil:
    # The best-ranked document without a judgement, and its rank; -1 where all are judged. After join().
    cdef int64_t n = segment.n_records, i, entry, first = -1
    cdef const Record *record
    cdef Order order
    order.segment = segment
    order.policy = policy
    order.grades = joiner.grades
    for i in range(n):
        record = &segment.records[i]
        entry = find_judged(table, unit, record.hash, segment.text + record.offset, record.length)
        if entry >= 0 and table.judged[unit.first_judged + entry].grade >= 0:
            continue
        if first < 0 or record_order(&order, i, first) < 0:
            first = i
    rank[0] = 1
    for i in range(n):
        if first >= 0 and i != first and record_order(&order, i, first) < 0:
            rank[0] += 1
    return first
