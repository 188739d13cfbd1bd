"""The queries of a run as they come, in one thread: evaluated or gathered, and what is to be told of them."""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcpy, memset

from treckon._native.coverage cimport cover, coverage_free
from treckon._native.join cimport DUPLICATE, JOINED, JoinStatus, filter_records, first_unjudged, joiner_free
from treckon._native.judged_tables cimport Query, Table, Unit, find_query
from treckon._native.lines cimport Record, Segment
from treckon._native.memory cimport reserve
from treckon._native.pairing cimport pairing_free
from treckon._native.query_evaluation cimport evaluate_query, evaluate_subtopics, evaluate_unit
from treckon._native.scan cimport TK_SLACK, tk_exchange, tk_hash, tk_prefetch


cdef bint evaluate_found(Share *share, int64_t query, int64_t n_records) noexcept nogil:
    # All values of a query without groups whose judged documents stand in share.joiner.found, ranked.
    cdef const Query *q = &share.target.table.queries[query]
    cdef const Unit *unit = &share.target.table.units[q.first_unit]
    if not evaluate_unit(&share.target, &share.joiner, &share.pairing, query, unit, n_records, False):
        return False
    return not share.target.needs_subtopics or (
        cover(&share.coverage, &share.joiner, share.target.table, q, 0, &share.target.policy)
        and evaluate_subtopics(&share.target, &share.coverage, query, n_records, False)
    )


cdef bint is_wanted(const Share *share, int64_t query) noexcept nogil:
    return query >= 0 and (share.target.only < 0 or share.target.only == query)


cdef void look_up_query(void *context, const char *qid, size_t length) noexcept nogil:
    # Told of a query whose lines are about to be read: finds it and fetches what its evaluation will touch.
    cdef Share *share = <Share *> context
    cdef const Table *table = share.target.table
    cdef const Unit *unit
    cdef uint64_t i
    share.next_query = find_query(table, qid, length)
    if share.next_query < 0:
        return
    unit = &table.units[table.queries[share.next_query].first_unit]
    tk_prefetch(&share.target.seen[share.next_query])
    tk_prefetch(&table.grades[unit.first_grade])
    for i in range(0, min(unit.n_judged, 64), 2):
        tk_prefetch(&table.judged[unit.first_judged + i])
    for i in range(0, min(unit.slot_mask, 256), 16):
        tk_prefetch(&table.slots[unit.first_slot + i])
    for i in range(0, min(unit.filter_mask >> 6, 64), 8):
        tk_prefetch(&table.filter[unit.first_filter_word + i])
    for i in range(0, min(share.target.n_values, 128), 8):
        tk_prefetch(&share.target.matrix[share.next_query * share.target.n_values + i])
    # Ids of judged documents stand behind their query's, where its judgements were read together.
    tk_prefetch(table.text + table.queries[share.next_query].qid_offset + 64)


cdef bint evaluate_segment(void *context, const Segment *segment) noexcept nogil:
    # A sink: one query of a run.
    cdef Share *share = <Share *> context
    cdef int64_t query = share.next_query
    if query == UNKNOWN:
        query = find_query(share.target.table, segment.qid, segment.qid_length)
    share.next_query = UNKNOWN
    if share.n_segments == 0 and reserve(<void **> &share.first_qid, &share.qid_capacity, segment.qid_length, 1):
        memcpy(share.first_qid, segment.qid, segment.qid_length)
        share.first_qid_length = segment.qid_length
    share.n_segments += 1
    if query < 0 and share.target.reports_ties and not note_extra(share, segment):
        return False
    if not is_wanted(share, query):
        return True
    if tk_exchange(&share.target.seen[query], 1):
        share.scattered = True
        return False
    return evaluate_records(share, query, segment)


cdef bint note_extra(Share *share, const Segment *segment) noexcept nogil:
    # Keeps the hash of an unjudged query's id, and the first such id.
    if not reserve(<void **> &share.extra, &share.extra_capacity, share.n_extra + 1, sizeof(uint64_t)) or (
        share.n_extra == 0
        and not reserve(<void **> &share.extra_qid, &share.extra_qid_capacity, segment.qid_length, 1)
    ):
        share.out_of_memory = True
        return False
    if share.n_extra == 0:
        memcpy(share.extra_qid, segment.qid, segment.qid_length)
        share.extra_qid_length = segment.qid_length
    share.extra[share.n_extra] = tk_hash(segment.qid, segment.qid_length, share.target.table.key)
    share.n_extra += 1
    return True


cdef bint evaluate_records(Share *share, int64_t query, const Segment *listed) noexcept nogil:
    # A query's records, unless a document is listed twice: then the first such query is kept and nothing else matters.
    cdef JoinStatus status
    cdef Segment segment
    if not share.target.needs_ranking:
        return True
    status = filter_records(
        &share.joiner, share.target.table, &share.target.table.queries[query], listed, &share.target.policy, &segment
    )
    if status == DUPLICATE:
        return note_duplicate(share, query, &segment)
    if status != JOINED or not evaluate_query(
        &share.target, &share.joiner, &share.pairing, &share.coverage, query, &segment
    ):
        share.out_of_memory = True
        return False
    if share.target.reports_ties and not note_ties(share, query, &segment):
        return False
    return not share.target.refuses_unjudged or note_unjudged(share, query, &segment)


cdef bint note_duplicate(Share *share, int64_t query, const Segment *segment) noexcept nogil:
    # Keeps the document that is listed twice, if this query comes before the one kept so far.
    cdef const Record *record = &segment.records[share.joiner.second_copy]
    if share.duplicate_query >= 0 and share.duplicate_query < query:
        return True
    if not reserve(<void **> &share.duplicate, &share.duplicate_capacity, record.length, 1):
        share.out_of_memory = True
        return False
    memcpy(share.duplicate, segment.text + record.offset, record.length)
    share.duplicate_length = record.length
    share.duplicate_query = query
    return True


cdef int falling_order(const void *a, const void *b) noexcept nogil:
    cdef double x = (<const double *> a)[0]
    cdef double y = (<const double *> b)[0]
    return (y > x) - (y < x)


cdef bint note_ties(Share *share, int64_t query, const Segment *segment) noexcept nogil:
    # Whether documents tie, and whether they do across a cutoff.
    cdef size_t i
    if not reserve(<void **> &share.scores, &share.score_capacity, segment.n_records + 1, sizeof(double)):
        share.out_of_memory = True
        return False
    for i in range(segment.n_records):
        share.scores[i] = segment.records[i].value
    note_tied_scores(share, query, segment.n_records)
    return True


cdef void note_tied_scores(Share *share, int64_t query, int64_t n) noexcept nogil:
    # The same of the scores in share.scores, which are sorted on the way.
    cdef int64_t depth = share.target.policy.depth, i
    cdef int j
    cdef double *scores = share.scores
    cdef bint falls = True
    for i in range(1, n):
        falls &= scores[i] <= scores[i - 1]
    if not falls:
        qsort(scores, n, sizeof(double), falling_order)
    for i in range(1, min(n, depth)):
        if scores[i] == scores[i - 1]:
            share.target.ties[query] |= 1
            break
    for j in range(share.target.n_cutoffs):
        i = share.target.cutoffs[j]
        if i < n and i <= depth and scores[i] == scores[i - 1]:
            share.target.ties[query] |= 3
    if 0 < depth < n and scores[depth] == scores[depth - 1]:
        share.target.ties[query] |= 3


cdef bint note_unjudged(Share *share, int64_t query, const Segment *segment) noexcept nogil:
    # Keeps the first unjudged document within the depth, if this query comes before the one kept so far.
    cdef const Unit *unit = &share.target.table.units[share.target.table.queries[query].first_unit]
    cdef int64_t rank = 0
    cdef int64_t first = first_unjudged(&share.joiner, share.target.table, unit, segment, &share.target.policy, &rank)
    cdef const Record *record
    if first < 0 or rank > share.target.policy.depth:
        return True
    if share.unjudged_query >= 0 and share.unjudged_query < query:
        return True
    record = &segment.records[first]
    if not reserve(<void **> &share.unjudged, &share.unjudged_capacity, record.length, 1):
        share.out_of_memory = True
        return False
    memcpy(share.unjudged, segment.text + record.offset, record.length)
    share.unjudged_length = record.length
    share.unjudged_query = query
    share.unjudged_rank = rank
    return True


cdef bint gather_segment(void *context, const Segment *segment) noexcept nogil:
    # A sink: keeps a query's records, with their ids, until all of the run is read.
    cdef Share *share = <Share *> context
    cdef int64_t query = find_query(share.target.table, segment.qid, segment.qid_length)
    cdef Piece *piece
    cdef Record *record
    cdef size_t i
    if query < 0 and share.target.reports_ties and not note_extra(share, segment):
        return False
    if not is_wanted(share, query):
        return True
    if not reserve(<void **> &share.pieces, &share.piece_capacity, share.n_pieces + 1, sizeof(Piece)) or not reserve(
        <void **> &share.kept, &share.kept_capacity, share.n_kept + segment.n_records, sizeof(Record)
    ):
        share.out_of_memory = True
        return False
    piece = &share.pieces[share.n_pieces]
    share.n_pieces += 1
    piece.query = query
    piece.first = share.n_kept
    piece.n = segment.n_records
    for i in range(segment.n_records):
        record = &share.kept[share.n_kept]
        record[0] = segment.records[i]
        if not reserve(<void **> &share.ids, &share.id_capacity, share.n_ids + record.length + TK_SLACK, 1):
            share.out_of_memory = True
            return False
        memcpy(share.ids + share.n_ids, segment.text + record.offset, record.length)
        record.offset = share.n_ids
        share.n_ids += record.length
        share.n_kept += 1
    return True


cdef bint evaluate_gathered(Share *share) noexcept nogil:
    # Evaluates what gather_segment() kept, each query's pieces in the order of the file. False: out of memory.
    cdef int64_t n_queries = share.target.table.n_queries, query
    cdef size_t i
    cdef size_t *counts = <size_t *> calloc(n_queries + 1, sizeof(size_t))
    cdef size_t *starts = <size_t *> calloc(n_queries + 1, sizeof(size_t))
    cdef Record *records = <Record *> malloc((share.n_kept + 1) * sizeof(Record))
    cdef const Piece *piece
    cdef Segment segment
    cdef bint good = counts != NULL and starts != NULL and records != NULL
    if good:
        memset(&segment, 0, sizeof(Segment))
        segment.text = share.ids
        for i in range(share.n_pieces):
            counts[share.pieces[i].query] += share.pieces[i].n
        for query in range(n_queries):
            starts[query + 1] = starts[query] + counts[query]
        for i in range(share.n_pieces):
            piece = &share.pieces[i]
            memcpy(records + starts[piece.query], share.kept + piece.first, piece.n * sizeof(Record))
            starts[piece.query] += piece.n
        for query in range(n_queries):
            if counts[query] == 0 or not good:
                continue
            segment.qid = share.target.table.text + share.target.table.queries[query].qid_offset
            segment.qid_length = share.target.table.queries[query].qid_length
            segment.records = records + starts[query] - counts[query]
            segment.n_records = counts[query]
            share.target.seen[query] = 1
            good = evaluate_records(share, query, &segment)
    free(counts)
    free(starts)
    free(records)
    return good


cdef void share_free(Share *share) noexcept nogil:
    joiner_free(&share.joiner)
    pairing_free(&share.pairing)
    coverage_free(&share.coverage)
    free(share.first_qid)
    free(share.duplicate)
    free(share.unjudged)
    free(share.scores)
    free(share.extra)
    free(share.extra_qid)
    free(share.pieces)
    free(share.kept)
    free(share.ids)


cdef object share_duplicate(const Share *share):
    # (number of the query, document id) of a document that is listed twice, or None.
    if share.duplicate_query < 0:
        return None
    return share.duplicate_query, share.duplicate[:share.duplicate_length]


cdef object share_unjudged(const Share *share):
    # (number of the query, document id, rank) of an unjudged document, or None.
    if share.unjudged_query < 0:
        return None
    return share.unjudged_query, share.unjudged[:share.unjudged_length], share.unjudged_rank


cdef object share_extra(const Share *share):
    # (hashes of the ids of unjudged queries, the first such id or None).
    hashes = {share.extra[i] for i in range(share.n_extra)}
    return hashes, share.extra_qid[:share.extra_qid_length] if share.n_extra else None


cdef int finish_gathered(Share *share) except -1:
    # Evaluates what gather_segment() kept.
    cdef bint good
    with nogil:
        good = evaluate_gathered(share)
    if not good:
        raise MemoryError
    return 0
