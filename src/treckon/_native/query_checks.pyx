"""What is wrong with a query's records together: duplicates, ranks, scores, depth, unknown documents."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from treckon._native.findings cimport note
from treckon._native.judged_tables cimport Unit, find_judged, find_query, may_be_judged
from treckon._native.lines cimport BAD_RANK, BAD_VALUE, Detail, Record, Segment
from treckon._native.memory cimport reserve
from treckon._native.problems cimport (
    CONFLICTING_JUDGEMENTS, DUPLICATE_DOCUMENT, EQUAL_JUDGEMENTS, NO_RELEVANT_DOCUMENT, RANK_CONTRADICTS_SCORE,
    RANK_SEQUENCE, SCORES_OUT_OF_ORDER, SINGLE_PRECISION_TIES, TIED_SCORES, TIE_ACROSS_CUTOFF, TOO_FEW_DOCUMENTS,
    TOO_MANY_DOCUMENTS, UNKNOWN_DOCUMENT, ProblemKind,
)
from treckon._native.scan cimport TK_UNLIKELY, tk_compare, tk_same
from treckon._native.sort cimport merge_sort, order_t

SHARE_UNIT = 1 << 40  # sums of whole numbers are the same in any order


cdef void note_record(
    QueryChecks *c, ProblemKind kind, const Segment *query, size_t i, uint64_t other=0, int64_t number=0,
    int64_t expected=0, bint names_document=False,
) noexcept nogil:
    # A problem of record i.
    cdef const Record *record = &query.records[i]
    note(
        c.findings, kind, query.details[i].line, query.qid, query.qid_length,
        query.text + record.offset if names_document else NULL, record.length if names_document else 0, other, number,
        expected,
    )


cdef bint check_query(QueryChecks *c, const Segment *query) noexcept nogil:
    # False: out of memory.
    cdef int64_t n = query.n_records
    cdef bint good = check_repeats(c, query)
    if c.documents != NULL:
        check_documents(c, query)
    if not c.is_run:
        check_relevant(c, query)
        return good
    if c.depth >= 0 and n > c.depth:
        note_record(c, TOO_MANY_DOCUMENTS, query, c.depth, 0, n, c.depth)
    elif c.depth >= 0 and n < c.depth:
        note_record(c, TOO_FEW_DOCUMENTS, query, 0, 0, n, c.depth)
    return good and check_order(c, query)


cdef bint check_repeats(QueryChecks *c, const Segment *query) noexcept nogil:
    # Documents that are listed again. Equal hashes are settled by the ids themselves.
    cdef size_t n = query.n_records, size = 64, mask, i, slot
    cdef uint32_t *seen
    cdef const Record *first
    cdef const Record *record
    while size < 2 * n:
        size *= 2
    if not reserve(<void **> &c.documents_seen, &c.documents_seen_size, size, sizeof(uint32_t)):
        return False
    seen = c.documents_seen
    memset(seen, 0, size * sizeof(uint32_t))
    mask = size - 1
    for i in range(n):
        record = &query.records[i]
        slot = record.hash & mask
        while seen[slot]:
            first = &query.records[seen[slot] - 1]
            if first.hash == record.hash and tk_same(
                query.text + first.offset, first.length, query.text + record.offset, record.length
            ):
                break
            slot = (slot + 1) & mask
        if TK_UNLIKELY(seen[slot] != 0):
            note_repeat(c, query, seen[slot] - 1, i)
        else:
            seen[slot] = <uint32_t> (i + 1)
    return True


cdef void note_repeat(QueryChecks *c, const Segment *query, size_t first, size_t second) noexcept nogil:
    cdef const Detail *before = &query.details[first]
    cdef const Detail *again = &query.details[second]
    cdef ProblemKind kind = DUPLICATE_DOCUMENT
    if not c.is_run:
        kind = EQUAL_JUDGEMENTS if before.number == again.number else CONFLICTING_JUDGEMENTS
    note_record(c, kind, query, second, before.line, again.number, before.number, True)


cdef void check_documents(QueryChecks *c, const Segment *query) noexcept nogil:
    # Documents that the collection lacks.
    cdef const Unit *unit = &c.documents.units[0]
    cdef const Record *record
    cdef size_t i
    for i in range(query.n_records):
        record = &query.records[i]
        if find_judged(c.documents, unit, record.hash, query.text + record.offset, record.length) < 0:
            note_record(c, UNKNOWN_DOCUMENT, query, i, 0, 0, 0, True)


cdef void check_relevant(QueryChecks *c, const Segment *query) noexcept nogil:
    # Whether the judgements of a query have a relevant document.
    cdef size_t i
    for i in range(query.n_records):
        if query.details[i].number > 0:
            return
    note_record(c, NO_RELEVANT_DOCUMENT, query, 0)


cdef int rank_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    cdef const Detail *details = (<const Segment *> context).details
    return (details[i].number > details[j].number) - (details[i].number < details[j].number)


cdef int score_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    cdef const Record *records = (<const Segment *> context).records
    return (records[i].value < records[j].value) - (records[i].value > records[j].value)


cdef int trec_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    # trec_eval's: documents with the same score by falling id.
    cdef const Segment *query = <const Segment *> context
    cdef const Record *x = &query.records[i]
    cdef const Record *y = &query.records[j]
    cdef int by_score = score_order(context, i, j)
    return by_score if by_score else tk_compare(query.text + y.offset, y.length, query.text + x.offset, x.length)


cdef void put_in_order(int64_t *items, size_t n, int64_t *scratch, order_t order, const Segment *query) noexcept nogil:
    # Sorts, unless that was done by whoever wrote the file, as is usual.
    cdef size_t i
    for i in range(1, n):
        if order(query, items[i - 1], items[i]) > 0:
            merge_sort(items, n, scratch, order, query)
            return


cdef bint check_order(QueryChecks *c, const Segment *query) noexcept nogil:
    # Ranks, scores and what they say of each other. False: out of memory.
    cdef const Record *records = query.records
    cdef const Detail *details = query.details
    cdef size_t n = query.n_records, i
    cdef bint falls = True     # scores, also those of 32 bits, from line to line
    cdef bint counts = True    # ranks, from line to line
    cdef int64_t first = details[0].number
    for i in range(n):
        falls &= not (details[i].flags & BAD_VALUE)
        counts &= not (details[i].flags & BAD_RANK) and details[i].number == first + <int64_t> i
        if i:
            falls &= <float> records[i].value < <float> records[i - 1].value
    counts &= first == 0 or first == 1
    if not reserve(<void **> &c.order, &c.order_capacity, 2 * n, sizeof(int64_t)):
        return False
    if not (falls and counts):
        check_ranks(c, query)
    if not falls:
        check_scores(c, query)
    if c.judged != NULL:
        count_judged(c, query, falls)
    return True


cdef void check_ranks(QueryChecks *c, const Segment *query) noexcept nogil:
    cdef const Record *records = query.records
    cdef const Detail *details = query.details
    cdef size_t n = query.n_records, i, n_ranked = 0
    cdef int64_t base, above = -1, record
    for i in range(n):
        if not details[i].flags & BAD_RANK:
            c.order[n_ranked] = i
            n_ranked += 1
    put_in_order(c.order, n_ranked, c.order + n, rank_order, query)
    for i in range(n_ranked):
        record = c.order[i]
        if details[record].flags & BAD_VALUE:
            continue
        if above >= 0 and details[record].number > details[above].number and (
            records[record].value > records[above].value
        ):
            note_record(
                c, RANK_CONTRADICTS_SCORE, query, record, details[above].line, details[record].number,
                details[above].number,
            )
        above = record
    if n_ranked < n:
        return
    base = 0 if details[c.order[0]].number == 0 else 1
    for i in range(n):
        record = c.order[i]
        if details[record].number != base + <int64_t> i:
            note_record(c, RANK_SEQUENCE, query, record, 0, details[record].number, base + <int64_t> i)
            return


cdef void check_scores(QueryChecks *c, const Segment *query) noexcept nogil:
    # Scores that rise from line to line, and those that tie.
    cdef const Record *records = query.records
    cdef const Detail *details = query.details
    cdef size_t i, n_scored = 0
    cdef bint rises = False
    for i in range(query.n_records):
        if details[i].flags & BAD_VALUE:
            continue
        if n_scored and not rises and records[i].value > records[c.order[n_scored - 1]].value:
            rises = True
            note_record(c, SCORES_OUT_OF_ORDER, query, i, details[c.order[n_scored - 1]].line)
        c.order[n_scored] = i
        n_scored += 1
    put_in_order(c.order, n_scored, c.order + query.n_records, score_order, query)
    if count_ties(c, query, n_scored):
        check_cutoffs(c, query, n_scored)


cdef size_t count_ties(QueryChecks *c, const Segment *query, size_t n_scored) noexcept nogil:
    # How many groups of records, which c.order has by falling score, tie.
    cdef const Record *records = query.records
    cdef size_t i, n_groups = 0
    cdef int64_t above = 0, record
    cdef bint in_group = False, ties_in_single = False
    for i in range(n_scored):
        record = c.order[i]
        if i and records[record].value == records[above].value:
            n_groups += not in_group
            c.n_tied_documents += 1 if in_group else 2
            if n_groups == 1 and not in_group:
                note_record(c, TIED_SCORES, query, record, query.details[above].line)
            in_group = True
        else:
            in_group = False
            if i and not ties_in_single and <float> records[record].value == <float> records[above].value:
                ties_in_single = True
                note_record(c, SINGLE_PRECISION_TIES, query, record, query.details[above].line)
        above = record
    c.n_tie_groups += n_groups
    return n_groups


cdef void check_cutoffs(QueryChecks *c, const Segment *query, size_t n_scored) noexcept nogil:
    # Ties across cutoffs, of records that c.order has by falling score.
    cdef int64_t above, below
    cdef size_t i
    for i in range(c.n_cutoffs):
        if c.cutoffs[i] < <int64_t> n_scored:
            above = c.order[c.cutoffs[i] - 1]
            below = c.order[c.cutoffs[i]]
            if query.records[below].value == query.records[above].value:
                c.ties_across[i] += 1
                note_record(c, TIE_ACROSS_CUTOFF, query, below, query.details[above].line, c.cutoffs[i])


cdef void count_judged(QueryChecks *c, const Segment *query, bint falls) noexcept nogil:
    # How many of the first documents of a judged query are judged.
    cdef int64_t number = find_query(c.judged, query.qid, query.qid_length), entry
    cdef const Unit *unit
    cdef const Record *record
    cdef size_t n = query.n_records, i, j, n_judged = 0
    if number < 0:
        return
    unit = &c.judged.units[c.judged.queries[number].first_unit]
    for i in range(n):
        c.order[i] = i
    if not falls:
        put_in_order(c.order, n, c.order + n, trec_order, query)
    for i in range(n):
        record = &query.records[c.order[i]]
        if unit.slot_mask == 0 or may_be_judged(c.judged, unit, record.hash):
            entry = find_judged(c.judged, unit, record.hash, query.text + record.offset, record.length)
            n_judged += entry >= 0 and c.judged.judged[unit.first_judged + entry].grade >= 0
        for j in range(c.n_cutoffs):
            if c.cutoffs[j] == <int64_t> i + 1 or (i + 1 == n and c.cutoffs[j] > <int64_t> n):
                c.shares[j] += <uint64_t> (<double> n_judged / <double> (i + 1) * SHARE_UNIT + 0.5)
    c.n_judged_queries += 1
    c.n_retrieved += n
    c.n_judged += n_judged
