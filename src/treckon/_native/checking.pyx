"""Looks a run or qrels through: every problem of every line and query in one pass, counted, the first few kept.

The scanner of lines.pyx stops at the first problem and keeps no rank, tag or line number; this one goes on, and keeps
them. It reads in the same way: a line that begins as the line before did is known by one comparison and one look for
white space, any other goes byte by byte. Lines of one query are collected, and looked at together when it ends.

A query that is met again has its lines apart. Then the file is read a second time by a checker that knows which queries
these are: their records are kept, and looked at together at the end.
"""

from libc.errno cimport errno
from libc.math cimport INFINITY, isinf, isnan
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

from treckon._native.lines cimport hash_key
from treckon._native.memory cimport reserve
from treckon._native.numbers cimport number_tables
from treckon._native.qrels cimport (
    Qrels, QrelsBuilder, Table, Unit, add_judged, find_judged, find_query, may_be_judged,
)
from treckon._native.scan cimport (
    TK_SLACK, TK_UNLIKELY, tk_compare, tk_hash, tk_integer, tk_is_blank, tk_key_t, tk_last_digits, tk_numbers_t,
    tk_plain_real, tk_read_at, tk_real, tk_same, tk_same_padded, tk_same_start, tk_tail, tk_tail_t,
)
from treckon._native.sort cimport merge_sort, order_t

cdef enum:
    READ_SIZE = 256 << 10      # a block
    MAX_FIELDS = 6
    LONGEST_LINE = 1 << 20     # longer ones are passed over, so that memory keeps its bound
    LONGEST_TEXT = 200         # of an id or field that is kept for a message

    BAD_VALUE = 1              # flags of a record: its score or grade, its rank is none
    BAD_RANK = 2

cdef const char *BYTE_ORDER_MARK = b"\xef\xbb\xbf"
cdef double SHARE_UNIT = 1 << 40  # sums of whole numbers are the same in any order

# Kinds of problem, by their numbers in KINDS.
cdef enum Kind:
    NUL_BYTE
    CR_LINE_ENDS
    LINE_TOO_LONG
    FIELD_COUNT
    NOT_UTF8
    HAS_BYTE_ORDER_MARK
    BLANK_LINE
    COMMENT_LINE
    WHITE_SPACE
    CRLF_LINE_ENDS
    NO_FINAL_NEWLINE
    SCORE_NOT_NUMBER
    SCORE_NOT_FINITE
    RANK_NOT_INTEGER
    SECOND_FIELD
    SEVERAL_TAGS
    WRONG_TAG
    DUPLICATE_DOCUMENT
    RANK_CONTRADICTS_SCORE
    RANK_SEQUENCE
    SCORES_OUT_OF_ORDER
    TIED_SCORES
    TIE_ACROSS_CUTOFF
    SINGLE_PRECISION_TIES
    TOO_MANY_DOCUMENTS
    TOO_FEW_DOCUMENTS
    GRADE_NOT_INTEGER
    GRADE_TOO_LARGE
    NEGATIVE_GRADE
    EQUAL_JUDGEMENTS
    CONFLICTING_JUDGEMENTS
    NO_RELEVANT_DOCUMENT
    UNKNOWN_DOCUMENT
    SCATTERED_QUERY
    N_KINDS

#: What a checker finds, by the names that users read.
KINDS = (
    "nul-byte", "cr-line-ends", "line-too-long", "field-count", "not-utf8", "byte-order-mark", "blank-line",
    "comment-line", "white-space", "crlf-line-ends", "no-final-newline", "score-not-number", "score-not-finite",
    "rank-not-integer", "second-field", "several-tags", "wrong-tag", "duplicate-document", "rank-contradicts-score",
    "rank-sequence", "scores-out-of-order", "tied-scores", "tie-across-cutoff", "single-precision-ties",
    "too-many-documents", "too-few-documents", "grade-not-integer", "grade-too-large", "negative-grade",
    "equal-judgements", "conflicting-judgements", "no-relevant-document", "unknown-document", "scattered-query",
)


ctypedef struct Place:
    uint64_t line
    uint64_t other             # another line that has to do with it, or 0
    int64_t number             # found
    int64_t expected
    char *text                 # the query's id, then the field or document id
    uint32_t qid_length
    uint32_t detail_length


ctypedef struct Findings:
    # All of one kind: counted, and the first few places.
    uint64_t count
    uint64_t bound             # lines from here on are no longer among the first
    Place *places
    size_t n_places
    size_t capacity


ctypedef struct Listed:
    # A record.
    uint64_t hash              # of the document id
    double value               # the score as trec_eval reads it
    uint64_t offset            # of the document id in the query's text
    uint64_t line
    int64_t number             # rank, or grade
    uint32_t length
    uint32_t flags


ctypedef struct Seen:
    # A query that was met.
    uint64_t hash
    uint64_t offset            # of its id in State.ids
    uint32_t length
    bint scattered
    uint64_t first_line
    uint64_t n_documents


ctypedef struct Kept:
    # A record of a query whose lines lie apart.
    uint64_t query
    Listed listed              # with the offset in State.kept_text


ctypedef struct State:
    const tk_key_t *key
    const tk_numbers_t *numbers
    const Table *judged        # qrels that say which documents are judged, or NULL
    const Table *documents     # the collection, as judgements of one query, or NULL
    const State *previous      # the pass before, which knows the queries whose lines lie apart, or NULL
    bint is_run
    int64_t depth              # -1: none
    size_t limit               # places kept of a kind
    const char *expected_tag   # or NULL
    size_t expected_tag_length
    int64_t *cutoffs
    size_t n_cutoffs
    # The buffer: [segment_start | parsed | filled), as in lines.pyx.
    char *buffer
    size_t capacity
    size_t segment_start
    size_t parsed
    size_t filled
    bint started
    bint skipping              # the rest of a line that is too long
    bint stopped
    bint out_of_memory
    int read_error
    uint64_t n_lines           # whole lines before `parsed`
    uint64_t n_records
    # The open segment.
    bint open
    size_t query               # in seen
    size_t qid_offset          # from segment_start
    size_t qid_length
    char *start                # what its regular lines begin with
    size_t start_length        # 0 where none was seen
    size_t start_capacity
    char blank
    bint odd_second            # whether the second field of such lines is neither Q0 nor 0
    Listed *records
    size_t n_listed
    size_t record_capacity
    # Queries.
    Seen *seen
    size_t n_seen
    size_t seen_capacity
    uint32_t *slots            # 0, or 1 + the number of a query
    size_t n_slots
    char *ids
    size_t ids_length
    size_t ids_capacity
    size_t n_scattered
    # Records of queries whose lines lie apart.
    Kept *kept
    size_t n_kept
    size_t kept_capacity
    char *kept_text
    size_t kept_length
    size_t kept_text_capacity
    # Scratch.
    uint32_t *documents_seen
    size_t documents_seen_size
    int64_t *order
    size_t order_capacity
    # The first tag.
    char *tag
    size_t tag_length
    size_t tag_capacity
    bint has_tag
    # Results.
    Findings *findings         # of each kind
    uint64_t n_tie_groups
    uint64_t n_tied_documents
    uint64_t *ties_across      # queries, of each cutoff
    uint64_t *shares           # judged among the first documents, in 2^-40, summed over judged queries; of each cutoff
    uint64_t n_judged_queries
    uint64_t n_retrieved       # documents of these queries
    uint64_t n_judged


# ---- what is found


cdef int place_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    cdef const Place *places = <const Place *> context
    return (places[i].line > places[j].line) - (places[i].line < places[j].line)


cdef bint keep_first(Findings *findings, size_t limit) noexcept nogil:
    # Sorts the places by line, and drops those behind the limit. False: out of memory.
    cdef size_t n = findings.n_places, i
    cdef int64_t *order
    cdef Place *sorted
    if n == 0:
        return True
    order = <int64_t *> malloc(2 * n * sizeof(int64_t))
    sorted = <Place *> malloc(n * sizeof(Place))
    if order == NULL or sorted == NULL:
        free(order)
        free(sorted)
        return False
    for i in range(n):
        order[i] = i
    merge_sort(order, n, order + n, place_order, findings.places)
    for i in range(n):
        sorted[i] = findings.places[order[i]]
    memcpy(findings.places, sorted, n * sizeof(Place))
    free(order)
    free(sorted)
    while findings.n_places > limit:
        findings.n_places -= 1
        free(findings.places[findings.n_places].text)
    if findings.n_places == limit:
        findings.bound = findings.places[limit - 1].line if limit else 0
    return True


cdef void note(
    State *s,
    Kind kind,
    uint64_t line,
    const char *qid,
    size_t qid_length,
    const char *detail=NULL,
    size_t detail_length=0,
    uint64_t other=0,
    int64_t number=0,
    int64_t expected=0,
) noexcept nogil:
    # Counts a problem, and keeps its place if it is among the first.
    cdef Findings *findings = &s.findings[<int> kind]
    cdef Place *place
    findings.count += 1
    if line >= findings.bound or s.limit == 0:
        return
    if findings.n_places == 2 * s.limit:
        if not keep_first(findings, s.limit):
            s.out_of_memory = True
        if line >= findings.bound or s.out_of_memory:
            return
    if not reserve(<void **> &findings.places, &findings.capacity, findings.n_places + 1, sizeof(Place)):
        s.out_of_memory = True
        return
    qid_length = min(qid_length, <size_t> LONGEST_TEXT)
    detail_length = min(detail_length, <size_t> LONGEST_TEXT)
    place = &findings.places[findings.n_places]
    place.line = line
    place.other = other
    place.number = number
    place.expected = expected
    place.qid_length = <uint32_t> qid_length
    place.detail_length = <uint32_t> detail_length
    place.text = <char *> malloc(qid_length + detail_length + 1)
    if place.text == NULL:
        s.out_of_memory = True
        return
    if qid_length:
        memcpy(place.text, qid, qid_length)
    if detail_length:
        memcpy(place.text + qid_length, detail, detail_length)
    findings.n_places += 1


# ---- queries


cdef size_t find_seen(const State *s, const char *qid, size_t length, uint64_t hash) noexcept nogil:
    # The slot of a query, or the free one where it belongs.
    cdef size_t slot = hash & (s.n_slots - 1)
    cdef const Seen *seen
    while s.slots[slot]:
        seen = &s.seen[s.slots[slot] - 1]
        if seen.hash == hash and tk_same(s.ids + seen.offset, seen.length, qid, length):
            break
        slot = (slot + 1) & (s.n_slots - 1)
    return slot


cdef bint more_slots(State *s) noexcept nogil:
    # Keeps the table at most half full. False: out of memory.
    cdef size_t n_slots = s.n_slots * 2 if s.n_slots else 1024, i, slot
    cdef uint32_t *slots
    if 2 * (s.n_seen + 1) <= s.n_slots:
        return True
    slots = <uint32_t *> calloc(n_slots, sizeof(uint32_t))
    if slots == NULL:
        return False
    for i in range(s.n_seen):
        slot = s.seen[i].hash & (n_slots - 1)
        while slots[slot]:
            slot = (slot + 1) & (n_slots - 1)
        slots[slot] = <uint32_t> (i + 1)
    free(s.slots)
    s.slots = slots
    s.n_slots = n_slots
    return True


cdef bint meet_query(State *s, const char *qid, size_t length, uint64_t line) noexcept nogil:
    # Looks the query of a segment up, and adds it if it is new. False: out of memory.
    cdef uint64_t hash = tk_hash(qid, length, s.key)
    cdef size_t slot
    cdef Seen *seen
    if not more_slots(s):
        return False
    slot = find_seen(s, qid, length, hash)
    if s.slots[slot]:
        s.query = s.slots[slot] - 1
        seen = &s.seen[s.query]
        s.n_scattered += not seen.scattered
        seen.scattered = True
        note(s, SCATTERED_QUERY, line, qid, length, NULL, 0, seen.first_line)
        return True
    if not reserve(<void **> &s.seen, &s.seen_capacity, s.n_seen + 1, sizeof(Seen)):
        return False
    if not reserve(<void **> &s.ids, &s.ids_capacity, s.ids_length + length + TK_SLACK, 1):
        return False
    s.query = s.n_seen
    seen = &s.seen[s.n_seen]
    s.n_seen += 1
    s.slots[slot] = <uint32_t> s.n_seen
    memset(seen, 0, sizeof(Seen))
    seen.hash = hash
    seen.offset = s.ids_length
    seen.length = <uint32_t> length
    seen.first_line = line
    memcpy(s.ids + s.ids_length, qid, length)
    s.ids_length += length
    return True


cdef bint is_scattered(const State *previous, const char *qid, size_t length, const tk_key_t *key) noexcept nogil:
    cdef size_t slot
    if previous == NULL or previous.n_scattered == 0:
        return False
    slot = find_seen(previous, qid, length, tk_hash(qid, length, key))
    return previous.slots[slot] and previous.seen[previous.slots[slot] - 1].scattered


cdef bint begin_segment(State *s, size_t line_start, const char *qid, size_t length) noexcept nogil:
    if not end_segment(s) or not meet_query(s, qid, length, s.n_lines):
        return False
    s.open = True
    s.segment_start = line_start
    s.qid_offset = qid - (s.buffer + line_start)
    s.qid_length = length
    s.start_length = 0
    s.n_listed = 0
    return True


cdef bint end_segment(State *s) noexcept nogil:
    # Looks the open segment's records through, or keeps them. False: out of memory.
    cdef const char *text = s.buffer + s.segment_start
    cdef const char *qid = text + s.qid_offset
    if not s.open:
        return True
    s.open = False
    s.seen[s.query].n_documents += s.n_listed
    if is_scattered(s.previous, qid, s.qid_length, s.key):
        return keep_records(s, text)
    return check_query(s, text, s.records, s.n_listed, qid, s.qid_length)


cdef bint keep_records(State *s, const char *text) noexcept nogil:
    cdef size_t i
    cdef Kept *kept
    if not reserve(<void **> &s.kept, &s.kept_capacity, s.n_kept + s.n_listed, sizeof(Kept)):
        return False
    for i in range(s.n_listed):
        kept = &s.kept[s.n_kept]
        s.n_kept += 1
        kept.query = s.query
        kept.listed = s.records[i]
        if not reserve(
            <void **> &s.kept_text, &s.kept_text_capacity, s.kept_length + kept.listed.length + TK_SLACK, 1
        ):
            return False
        memcpy(s.kept_text + s.kept_length, text + kept.listed.offset, kept.listed.length)
        kept.listed.offset = s.kept_length
        s.kept_length += kept.listed.length
    return True


cdef int kept_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    cdef const Kept *kept = <const Kept *> context
    return (kept[i].query > kept[j].query) - (kept[i].query < kept[j].query)


cdef bint check_kept(State *s) noexcept nogil:
    # Looks the kept records through, query by query.
    cdef size_t n = s.n_kept, i, first = 0
    cdef const Seen *seen
    cdef int64_t *order
    cdef bint good = True
    if n == 0:
        return True
    order = <int64_t *> malloc(2 * n * sizeof(int64_t))
    if order == NULL or not reserve(<void **> &s.records, &s.record_capacity, n, sizeof(Listed)):
        free(order)
        return False
    for i in range(n):
        order[i] = i
    merge_sort(order, n, order + n, kept_order, s.kept)
    for i in range(n):
        s.records[i] = s.kept[order[i]].listed
    for i in range(1, n + 1):
        if i == n or s.kept[order[i]].query != s.kept[order[first]].query:
            seen = &s.seen[s.kept[order[first]].query]
            good = good and check_query(
                s, s.kept_text, s.records + first, i - first, s.ids + seen.offset, seen.length
            )
            first = i
    free(order)
    return good


# ---- a query's records together


cdef bint check_query(
    State *s, const char *text, const Listed *records, size_t n, const char *qid, size_t qid_length
) noexcept nogil:
    # False: out of memory.
    cdef bint good = check_repeats(s, text, records, n, qid, qid_length)
    if s.documents != NULL:
        check_documents(s, text, records, n, qid, qid_length)
    if not s.is_run:
        check_relevant(s, records, n, qid, qid_length)
        return good
    if s.depth >= 0 and <int64_t> n > s.depth:
        note(s, TOO_MANY_DOCUMENTS, records[s.depth].line, qid, qid_length, NULL, 0, 0, n, s.depth)
    elif s.depth >= 0 and <int64_t> n < s.depth:
        note(s, TOO_FEW_DOCUMENTS, records[0].line, qid, qid_length, NULL, 0, 0, n, s.depth)
    return good and check_order(s, text, records, n, qid, qid_length)


cdef bint check_repeats(
    State *s, const char *text, const Listed *records, size_t n, const char *qid, size_t qid_length
) noexcept nogil:
    # Documents that stand again. Equal hashes are settled by the ids themselves.
    cdef size_t size = 64, mask, i, slot
    cdef uint32_t *seen
    cdef const Listed *first
    cdef const Listed *record
    cdef Kind kind
    while size < 2 * n:
        size *= 2
    if not reserve(<void **> &s.documents_seen, &s.documents_seen_size, size, sizeof(uint32_t)):
        return False
    seen = s.documents_seen
    memset(seen, 0, size * sizeof(uint32_t))
    mask = size - 1
    for i in range(n):
        record = &records[i]
        slot = record.hash & mask
        while seen[slot]:
            first = &records[seen[slot] - 1]
            if first.hash == record.hash and tk_same(
                text + first.offset, first.length, text + record.offset, record.length
            ):
                break
            slot = (slot + 1) & mask
        if TK_UNLIKELY(seen[slot] != 0):
            first = &records[seen[slot] - 1]
            kind = DUPLICATE_DOCUMENT
            if not s.is_run:
                kind = EQUAL_JUDGEMENTS if first.number == record.number else CONFLICTING_JUDGEMENTS
            note(
                s, kind, record.line, qid, qid_length, text + record.offset, record.length, first.line,
                record.number, first.number,
            )
        else:
            seen[slot] = <uint32_t> (i + 1)
    return True


cdef void check_documents(
    State *s, const char *text, const Listed *records, size_t n, const char *qid, size_t qid_length
) noexcept nogil:
    # Documents that the collection lacks.
    cdef const Unit *unit = &s.documents.units[0]
    cdef const Listed *record
    cdef size_t i
    for i in range(n):
        record = &records[i]
        if find_judged(s.documents, unit, record.hash, text + record.offset, record.length) < 0:
            note(s, UNKNOWN_DOCUMENT, record.line, qid, qid_length, text + record.offset, record.length)


cdef void check_relevant(
    State *s, const Listed *records, size_t n, const char *qid, size_t qid_length
) noexcept nogil:
    # Whether the judgements of a query have a relevant document.
    cdef size_t i
    for i in range(n):
        if records[i].number > 0:
            return
    note(s, NO_RELEVANT_DOCUMENT, records[0].line, qid, qid_length)


ctypedef struct Order:
    # Context of comparisons between a query's records.
    const char *text
    const Listed *records


cdef int rank_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    cdef const Listed *records = (<const Order *> context).records
    return (records[i].number > records[j].number) - (records[i].number < records[j].number)


cdef int score_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    cdef const Listed *records = (<const Order *> context).records
    return (records[i].value < records[j].value) - (records[i].value > records[j].value)


cdef int trec_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    # trec_eval's: documents with the same score by falling id.
    cdef const Order *order = <const Order *> context
    cdef const Listed *x = &order.records[i]
    cdef const Listed *y = &order.records[j]
    cdef int by_score = score_order(context, i, j)
    return by_score if by_score else tk_compare(order.text + y.offset, y.length, order.text + x.offset, x.length)


cdef void put_in_order(int64_t *items, size_t n, int64_t *scratch, order_t order, const Order *context) noexcept nogil:
    # Sorts, unless that was done by whoever wrote the file, as is usual.
    cdef size_t i
    for i in range(1, n):
        if order(context, items[i - 1], items[i]) > 0:
            merge_sort(items, n, scratch, order, context)
            return


cdef bint check_order(
    State *s, const char *text, const Listed *records, size_t n, const char *qid, size_t qid_length
) noexcept nogil:
    # Ranks, scores and what they say of each other.
    cdef bint falls = True     # scores, also those of 32 bits, from line to line
    cdef bint counts = True    # ranks, from line to line
    cdef Order order
    cdef size_t i
    cdef int64_t first = records[0].number
    for i in range(n):
        falls &= not (records[i].flags & BAD_VALUE)
        counts &= not (records[i].flags & BAD_RANK) and records[i].number == first + <int64_t> i
        if i:
            falls &= <float> records[i].value < <float> records[i - 1].value
    counts &= first == 0 or first == 1
    order.text = text
    order.records = records
    if not reserve(<void **> &s.order, &s.order_capacity, 2 * n, sizeof(int64_t)):
        return False
    if not (falls and counts):
        check_ranks(s, &order, n, qid, qid_length)
    if not falls:
        check_scores(s, &order, n, qid, qid_length)
    if s.judged != NULL:
        count_judged(s, &order, n, qid, qid_length, falls)
    return True


cdef void check_ranks(State *s, const Order *order, size_t n, const char *qid, size_t qid_length) noexcept nogil:
    cdef const Listed *records = order.records
    cdef const Listed *record
    cdef const Listed *above = NULL
    cdef size_t i, n_ranked = 0
    cdef int64_t base
    for i in range(n):
        if not records[i].flags & BAD_RANK:
            s.order[n_ranked] = i
            n_ranked += 1
    put_in_order(s.order, n_ranked, s.order + n, rank_order, order)
    for i in range(n_ranked):
        record = &records[s.order[i]]
        if record.flags & BAD_VALUE:
            continue
        if above != NULL and record.number > above.number and record.value > above.value:
            note(
                s, RANK_CONTRADICTS_SCORE, record.line, qid, qid_length, NULL, 0, above.line, record.number,
                above.number,
            )
        above = record
    if n_ranked < n:
        return
    base = 0 if records[s.order[0]].number == 0 else 1
    for i in range(n):
        record = &records[s.order[i]]
        if record.number != base + <int64_t> i:
            note(s, RANK_SEQUENCE, record.line, qid, qid_length, NULL, 0, 0, record.number, base + <int64_t> i)
            return


cdef void check_scores(State *s, const Order *order, size_t n, const char *qid, size_t qid_length) noexcept nogil:
    # Scores that rise from line to line, and those that tie.
    cdef const Listed *records = order.records
    cdef const Listed *record
    cdef const Listed *above = NULL
    cdef size_t i, n_scored = 0, n_groups = 0
    cdef bint rises = False, in_group = False, ties_in_single = False
    for i in range(n):
        if records[i].flags & BAD_VALUE:
            continue
        if n_scored and not rises and records[i].value > records[s.order[n_scored - 1]].value:
            rises = True
            note(
                s, SCORES_OUT_OF_ORDER, records[i].line, qid, qid_length, NULL, 0,
                records[s.order[n_scored - 1]].line,
            )
        s.order[n_scored] = i
        n_scored += 1
    put_in_order(s.order, n_scored, s.order + n, score_order, order)
    for i in range(n_scored):
        record = &records[s.order[i]]
        if i and record.value == above.value:
            n_groups += not in_group
            s.n_tied_documents += 1 if in_group else 2
            if n_groups == 1 and not in_group:
                note(s, TIED_SCORES, record.line, qid, qid_length, NULL, 0, above.line)
            in_group = True
        else:
            in_group = False
            if i and not ties_in_single and <float> record.value == <float> above.value:
                ties_in_single = True
                note(s, SINGLE_PRECISION_TIES, record.line, qid, qid_length, NULL, 0, above.line)
        above = record
    s.n_tie_groups += n_groups
    for i in range(s.n_cutoffs if n_groups else 0):
        if s.cutoffs[i] < <int64_t> n_scored:
            above = &records[s.order[s.cutoffs[i] - 1]]
            record = &records[s.order[s.cutoffs[i]]]
            if record.value == above.value:
                s.ties_across[i] += 1
                note(s, TIE_ACROSS_CUTOFF, record.line, qid, qid_length, NULL, 0, above.line, s.cutoffs[i])


cdef void count_judged(
    State *s, const Order *order, size_t n, const char *qid, size_t qid_length, bint falls
) noexcept nogil:
    # How many of the first documents of a judged query are judged.
    cdef int64_t query = find_query(s.judged, qid, qid_length), entry
    cdef const Unit *unit
    cdef const Listed *record
    cdef size_t i, j, n_judged = 0
    if query < 0:
        return
    unit = &s.judged.units[s.judged.queries[query].first_unit]
    for i in range(n):
        s.order[i] = i
    if not falls:
        put_in_order(s.order, n, s.order + n, trec_order, order)
    for i in range(n):
        record = &order.records[s.order[i]]
        if unit.slot_mask == 0 or may_be_judged(s.judged, unit, record.hash):
            entry = find_judged(s.judged, unit, record.hash, order.text + record.offset, record.length)
            n_judged += entry >= 0 and s.judged.judged[unit.first_judged + entry].grade >= 0
        for j in range(s.n_cutoffs):
            if s.cutoffs[j] == <int64_t> i + 1 or (i + 1 == n and s.cutoffs[j] > <int64_t> n):
                s.shares[j] += <uint64_t> (<double> n_judged / <double> (i + 1) * SHARE_UNIT + 0.5)
    s.n_judged_queries += 1
    s.n_retrieved += n
    s.n_judged += n_judged


# ---- lines


cdef bint parse_score(
    State *s, Listed *record, const char *qid, size_t qid_length, const char *field, size_t length
) noexcept nogil:
    # A score in any form. What trec_eval can't order counts as the lowest.
    cdef size_t used = tk_real(s.numbers, field, length, &record.value)
    if used < length:
        note(s, SCORE_NOT_NUMBER, record.line, qid, qid_length, field, length)
        record.flags |= BAD_VALUE
    elif isnan(record.value) or isinf(record.value):
        note(s, SCORE_NOT_FINITE, record.line, qid, qid_length, field, length)
        if isnan(record.value):
            record.flags |= BAD_VALUE
    if isnan(record.value):
        record.value = -INFINITY
    return True


cdef bint parse_grade(
    State *s, Listed *record, const char *qid, size_t qid_length, const char *field, size_t length
) noexcept nogil:
    cdef size_t used = tk_integer(field, length, &record.number)
    if used < length:
        note(s, GRADE_NOT_INTEGER, record.line, qid, qid_length, field, length)
        record.flags |= BAD_VALUE
    elif record.number > 0x7FFFFFFF or record.number < -0x80000000LL:
        note(s, GRADE_TOO_LARGE, record.line, qid, qid_length, field, length)
        record.flags |= BAD_VALUE
    elif record.number < 0:
        note(s, NEGATIVE_GRADE, record.line, qid, qid_length, field, length, 0, record.number)
    return True


cdef inline Listed *new_record(State *s, const char *docno, size_t length) noexcept nogil:
    # NULL: out of memory.
    cdef Listed *record
    if TK_UNLIKELY(s.n_listed == s.record_capacity):
        if not reserve(<void **> &s.records, &s.record_capacity, s.n_listed + 1, sizeof(Listed)):
            return NULL
    record = &s.records[s.n_listed]
    s.n_listed += 1
    s.n_records += 1
    record.hash = tk_hash(docno, length, s.key)
    record.offset = <uint64_t> (docno - (s.buffer + s.segment_start))
    record.length = <uint32_t> length
    record.line = s.n_lines
    record.flags = 0
    return record


cdef inline bint add_run_record(
    State *s,
    const bint quick,
    const char *docno,
    size_t docno_length,
    const char *rank,
    size_t rank_length,
    const char *score,
    size_t score_length,
    const char *tag,
    size_t tag_length,
) noexcept nogil:
    # One record of the open segment; `quick` where 16 bytes before the rank's end are readable. False: out of memory.
    cdef Listed *record = new_record(s, docno, docno_length)
    cdef const char *qid = s.buffer + s.segment_start + s.qid_offset
    cdef uint64_t digits = 0
    if record == NULL:
        return False
    if not (quick and tk_plain_real(s.numbers, score, score_length, &record.value)):
        parse_score(s, record, qid, s.qid_length, score, score_length)
    if quick and rank_length <= 16 and tk_last_digits(rank + rank_length, rank_length, &digits):
        record.number = <int64_t> digits
    elif TK_UNLIKELY(tk_integer(rank, rank_length, &record.number) < rank_length):
        note(s, RANK_NOT_INTEGER, record.line, qid, s.qid_length, rank, rank_length)
        record.flags |= BAD_RANK
        record.number = 0
    if TK_UNLIKELY(s.odd_second):
        note(s, SECOND_FIELD, record.line, qid, s.qid_length)
    if TK_UNLIKELY(not tk_same_padded(tag, tag_length, s.tag, s.tag_length)):
        if s.has_tag:
            note(s, SEVERAL_TAGS, record.line, qid, s.qid_length, tag, tag_length)
        else:
            return keep_tag(s, record.line, tag, tag_length)
    if s.expected_tag != NULL and not tk_same(tag, tag_length, s.expected_tag, s.expected_tag_length):
        note(s, WRONG_TAG, record.line, qid, s.qid_length, tag, tag_length)
    return True


cdef bint keep_tag(State *s, uint64_t line, const char *tag, size_t length) noexcept nogil:
    # The first line's tag.
    if not reserve(<void **> &s.tag, &s.tag_capacity, length + TK_SLACK, 1):
        return False
    memcpy(s.tag, tag, length)
    s.tag_length = length
    s.has_tag = True
    if s.expected_tag != NULL and not tk_same(tag, length, s.expected_tag, s.expected_tag_length):
        note(
            s, WRONG_TAG, line, s.buffer + s.segment_start + s.qid_offset, s.qid_length, tag, length,
        )
    return True


cdef inline bint add_judgement(
    State *s, const char *docno, size_t docno_length, const char *grade, size_t grade_length
) noexcept nogil:
    cdef Listed *record = new_record(s, docno, docno_length)
    if record == NULL:
        return False
    record.value = 0.0
    return parse_grade(s, record, s.buffer + s.segment_start + s.qid_offset, s.qid_length, grade, grade_length)


cdef bint is_odd_blank(const char *p, const char *end) noexcept nogil:
    # Whether there is white space that is neither a space nor a TAB.
    while p < end:
        if tk_is_blank(p[0]) and p[0] != c" " and p[0] != c"\t":
            return True
        p += 1
    return False


cdef bint has_inner_cr(const char *p, const char *end) noexcept nogil:
    # Whether text follows a CR: lines that end with CR alone run together into one.
    while p < end and tk_is_blank((end - 1)[0]):
        end -= 1
    return end > p and memchr(p, c"\r", end - p) != NULL


cdef int split(const char *p, const char *end, const char **field, size_t *length) noexcept nogil:
    # The first fields of a line; how many it has.
    cdef int n = 0
    while True:
        while p < end and tk_is_blank(p[0]):
            p += 1
        if p == end:
            return n
        if n < MAX_FIELDS:
            field[n] = p
        while p < end and not tk_is_blank(p[0]):
            p += 1
        if n < MAX_FIELDS:
            length[n] = p - field[n]
        n += 1


cdef bint note_long_line(State *s, const char *line) noexcept nogil:
    # Of a line that is too long, only so much is looked at as is there of every such line.
    if memchr(line, c"\r", LONGEST_LINE) != NULL:
        note(s, CR_LINE_ENDS, s.n_lines, NULL, 0)
    else:
        note(s, LINE_TOO_LONG, s.n_lines, NULL, 0)
    return True


cdef bint slow_line(State *s, size_t line_start, size_t line_end) noexcept nogil:
    # Any line, byte by byte: line_end is the place of its LF. False: out of memory.
    cdef const char *line = s.buffer + line_start
    cdef const char *end = s.buffer + line_end
    cdef const char *field[MAX_FIELDS]
    cdef size_t length[MAX_FIELDS]
    cdef int n, n_fields = 6 if s.is_run else 4
    cdef bint is_crlf = line < end and (end - 1)[0] == c"\r", is_odd
    if line_end - line_start > LONGEST_LINE:
        return note_long_line(s, line)
    n = split(line, end, field, length)
    if memchr(line, 0, end - line) != NULL:
        note(s, NUL_BYTE, s.n_lines, NULL, 0)
        return True
    if is_crlf:
        note(s, CRLF_LINE_ENDS, s.n_lines, NULL, 0)
    if n == 0:
        note(s, BLANK_LINE, s.n_lines, NULL, 0)
        return True
    if field[0][0] == c"#" and (s.is_run or field[0] == line):
        note(s, CR_LINE_ENDS if has_inner_cr(line, end) else COMMENT_LINE, s.n_lines, NULL, 0)
        return True
    if n != n_fields:
        if has_inner_cr(line, end):
            note(s, CR_LINE_ENDS, s.n_lines, NULL, 0)
            return True
        note(s, FIELD_COUNT, s.n_lines, field[0], length[0], NULL, 0, 0, n, n_fields)
        if n < n_fields or not s.is_run:
            return True
    is_odd = is_odd_blank(line, end - is_crlf)
    if is_odd:
        note(s, WHITE_SPACE, s.n_lines, field[0], length[0])
    if not s.open or not tk_same_padded(
        field[0], length[0], s.buffer + s.segment_start + s.qid_offset, s.qid_length
    ):
        if not begin_segment(s, line_start, field[0], length[0]):
            return False
    if not s.is_run:
        if not add_judgement(s, field[2], length[2], field[3], length[3]):
            return False
    else:
        s.odd_second = not (tk_same(field[1], length[1], b"Q0", 2) or tk_same(field[1], length[1], b"0", 1))
        if not add_run_record(
            s, False, field[2], length[2], field[3], length[3], field[4], length[4], field[5], length[5]
        ):
            return False
    s.start_length = 0
    return is_odd or n != n_fields or keep_start(s, line_start, field[2] - line)


cdef bint keep_start(State *s, size_t line_start, size_t length) noexcept nogil:
    # Notes what the line begins with, for walk(). The copy is readable for 16 bytes.
    if length > TK_SLACK:  # it is compared without a look at where the buffer ends
        return True
    if not reserve(<void **> &s.start, &s.start_capacity, length + TK_SLACK, 1):
        return False
    memcpy(s.start, s.buffer + line_start, length)
    s.start_length = length
    s.blank = s.start[length - 1]
    return True


cdef inline bint walk(State *s, size_t limit, const bint is_run, const int n_tail) noexcept nogil:
    # All lines from s.parsed to `limit`, the byte before which is a LF. The constants are the format's: how many fields
    # there are from the document id on.
    cdef tk_tail_t tail
    cdef const char *docno
    cdef const char *newline
    cdef size_t at = s.parsed
    while at < limit:
        s.n_lines += 1
        docno = s.buffer + at + s.start_length
        if s.start_length and tk_same_start(s.buffer + at, s.start, s.start_length) and tk_tail(
            docno, n_tail, s.blank, &tail
        ):
            if is_run:
                if not add_run_record(
                    s,
                    True,
                    docno,
                    tail.end[0],
                    docno + tail.end[0] + 1,
                    tail.end[1] - tail.end[0] - 1,
                    docno + tail.end[1] + 1,
                    tail.end[2] - tail.end[1] - 1,
                    docno + tail.end[2] + 1,
                    tail.end[3] - tail.end[2] - 1,
                ):
                    return False
            elif not add_judgement(s, docno, tail.end[0], docno + tail.end[0] + 1, tail.end[1] - tail.end[0] - 1):
                return False
            if TK_UNLIKELY(tail.line_end != tail.end[n_tail - 1]):
                note(s, CRLF_LINE_ENDS, s.n_lines, NULL, 0)
            at += s.start_length + tail.line_end + 1
        else:
            newline = <const char *> memchr(s.buffer + at, c"\n", limit - at)
            if not slow_line(s, at, newline - s.buffer):
                return False
            at = newline - s.buffer + 1
    s.parsed = at
    return True


# ---- encoding


cdef bint has_high_bytes(const char *p, size_t n) noexcept nogil:
    cdef unsigned char bits = 0
    cdef size_t i
    for i in range(n):
        bits |= <unsigned char> p[i]
    return bits >> 7


cdef bint is_utf8(const char *text, size_t n) noexcept nogil:
    # As RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
    cdef const unsigned char *p = <const unsigned char *> text
    cdef const unsigned char *end = p + n
    cdef unsigned char first, low, high
    cdef size_t more
    while p < end:
        first = p[0]
        p += 1
        if first < 0x80:
            continue
        low = 0x80
        high = 0xBF
        if 0xC2 <= first <= 0xDF:
            more = 1
        elif 0xE0 <= first <= 0xEF:
            more = 2
            low = 0xA0 if first == 0xE0 else 0x80
            high = 0x9F if first == 0xED else 0xBF
        elif 0xF0 <= first <= 0xF4:
            more = 3
            low = 0x90 if first == 0xF0 else 0x80
            high = 0x8F if first == 0xF4 else 0xBF
        else:
            return False
        while more > 0:
            if p == end or not low <= p[0] <= high:
                return False
            low = 0x80
            high = 0xBF
            p += 1
            more -= 1
    return True


cdef void check_encoding(State *s, size_t limit) noexcept nogil:
    # The lines from s.parsed to `limit` that are no UTF-8.
    cdef const char *field[MAX_FIELDS]
    cdef size_t length[MAX_FIELDS]
    cdef const char *line = s.buffer + s.parsed
    cdef const char *end = s.buffer + limit
    cdef const char *newline
    cdef uint64_t number = s.n_lines
    if not has_high_bytes(line, end - line):
        return
    while line < end:
        number += 1
        newline = <const char *> memchr(line, c"\n", end - line)
        if newline - line <= LONGEST_LINE and not is_utf8(line, newline - line):
            length[0] = 0
            if split(line, newline, field, length) == 0:
                field[0] = NULL
            note(s, NOT_UTF8, number, field[0], length[0])
        line = newline + 1


# ---- blocks


cdef void process(State *s, size_t n_new, bint at_end) noexcept nogil:
    # Takes all whole lines of the buffer, whose last n_new bytes are new; at the end of the file also one without LF.
    cdef size_t limit, earliest
    cdef const char *newline
    if not s.started:
        if s.filled - s.parsed < 3 and not at_end:
            return
        s.started = True
        n_new = s.filled - s.parsed
        if n_new >= 3 and memcmp(s.buffer + s.parsed, BYTE_ORDER_MARK, 3) == 0:
            note(s, HAS_BYTE_ORDER_MARK, 1, NULL, 0)
            s.parsed += 3
    if at_end and (s.skipping or (s.filled > s.parsed and s.buffer[s.filled - 1] != c"\n")):
        note(s, NO_FINAL_NEWLINE, s.n_lines + 1, NULL, 0)
        s.buffer[s.filled] = c"\n"
        s.filled += 1
        n_new += 1
    if s.skipping:
        newline = <const char *> memchr(s.buffer + s.parsed, c"\n", s.filled - s.parsed)
        if newline == NULL:
            s.filled = s.parsed
            return
        s.n_lines += 1
        s.skipping = False
        memmove(s.buffer + s.parsed, newline + 1, s.buffer + s.filled - (newline + 1))
        s.filled -= newline + 1 - (s.buffer + s.parsed)
        n_new = s.filled - s.parsed
    earliest = max(s.parsed, s.filled - n_new)
    limit = s.filled
    while limit > earliest and s.buffer[limit - 1] != c"\n":
        limit -= 1
    if limit > earliest:
        check_encoding(s, limit)
        if not (walk(s, limit, True, 4) if s.is_run else walk(s, limit, False, 2)):
            s.out_of_memory = True
    if s.filled - s.parsed > LONGEST_LINE:
        s.n_lines += 1
        note_long_line(s, s.buffer + s.parsed)
        s.n_lines -= 1
        s.skipping = True
        s.filled = s.parsed
    s.stopped = s.stopped or s.out_of_memory


cdef bint make_room(State *s, size_t n) noexcept nogil:
    # Room for n more bytes (and slack): drops the text that nobody needs, and grows the buffer if that isn't enough.
    cdef size_t keep = s.segment_start if s.open else s.parsed
    if s.filled + n + TK_SLACK <= s.capacity:
        return True
    if keep:
        memmove(s.buffer, s.buffer + keep, s.filled - keep)
        s.segment_start -= keep if s.open else 0
        s.parsed -= keep
        s.filled -= keep
    if not reserve(<void **> &s.buffer, &s.capacity, s.filled + n + TK_SLACK, 1):
        s.out_of_memory = s.stopped = True
        return False
    return True


cdef void finish(State *s) noexcept nogil:
    # The end of the file.
    cdef int kind
    if s.stopped or not make_room(s, 1):
        return
    process(s, 0, True)
    if s.stopped:
        return
    if not end_segment(s) or not check_kept(s):
        s.out_of_memory = True
    for kind in range(N_KINDS):
        if not keep_first(&s.findings[kind], s.limit):
            s.out_of_memory = True
    s.stopped = True


# ---- for Python


cdef class Checker:
    """A pass over a run or qrels in TREC's format.

    kind:      "run" or "qrels"
    limit:     how many places of a kind of problem are kept
    depth:     documents that each query of a run should have, or None
    cutoffs:   ranks, at least 1, across which ties count and to which judged documents do
    tag:       the tag that a run should have, or None
    judged:    `Qrels` that say which documents are judged, or None
    documents: `Qrels` with one query, whose documents are the collection's, or None
    previous:  the checker of the pass before, where that found `scattered` queries
    """

    cdef State state
    cdef object keeps          # what the state points to
    cdef int cancelled

    def __cinit__(
        self, str kind, size_t limit, *, depth=None, cutoffs=(), bytes tag=None, Qrels judged=None,
        Qrels documents=None, Checker previous=None,
    ):
        cdef State *s = &self.state
        cdef int number
        cdef size_t i
        memset(s, 0, sizeof(State))
        self.keeps = tag, judged, documents, previous
        s.key = hash_key()
        s.numbers = number_tables()
        s.is_run = kind == "run"
        s.limit = limit
        s.depth = -1 if depth is None else depth
        if tag is not None:
            s.expected_tag = tag
            s.expected_tag_length = len(tag)
        if judged is not None:
            s.judged = &judged.table
        if documents is not None:
            s.documents = &documents.table
        if previous is not None:
            s.previous = &previous.state
        s.findings = <Findings *> calloc(N_KINDS, sizeof(Findings))
        s.n_cutoffs = len(cutoffs)
        s.cutoffs = <int64_t *> calloc(s.n_cutoffs + 1, sizeof(int64_t))
        s.ties_across = <uint64_t *> calloc(s.n_cutoffs + 1, sizeof(uint64_t))
        s.shares = <uint64_t *> calloc(s.n_cutoffs + 1, sizeof(uint64_t))
        s.tag = <char *> calloc(TK_SLACK, 1)
        s.tag_capacity = TK_SLACK
        if s.findings == NULL or s.cutoffs == NULL or s.ties_across == NULL or s.shares == NULL or s.tag == NULL:
            raise MemoryError
        for number in range(N_KINDS):
            s.findings[number].bound = 0xFFFFFFFFFFFFFFFF
        for i in range(s.n_cutoffs):
            s.cutoffs[i] = cutoffs[i]

    def __dealloc__(self):
        cdef State *s = &self.state
        cdef size_t i
        cdef int kind
        for kind in range(N_KINDS if s.findings != NULL else 0):
            for i in range(s.findings[kind].n_places):
                free(s.findings[kind].places[i].text)
            free(s.findings[kind].places)
        free(s.findings)
        free(s.cutoffs)
        free(s.ties_across)
        free(s.shares)
        free(s.buffer)
        free(s.start)
        free(s.records)
        free(s.seen)
        free(s.slots)
        free(s.ids)
        free(s.kept)
        free(s.kept_text)
        free(s.documents_seen)
        free(s.order)
        free(s.tag)

    def scan_file(self, int fd, int64_t begin, int64_t end):
        """Reads the part [begin, end) of a file; it begins with a line, and ends before one or with the file."""
        cdef State *s = &self.state
        cdef int64_t position = begin, got
        s.started = begin > 0  # a byte-order mark begins the file alone
        with nogil:
            while not s.stopped and not self.cancelled and make_room(s, READ_SIZE):
                got = tk_read_at(fd, s.buffer + s.filled, min(<int64_t> READ_SIZE, end - position), position)
                if got < 0:
                    s.read_error = errno
                    break
                if got == 0:
                    finish(s)
                    break
                position += got
                s.filled += got
                process(s, got, False)

    def feed(self, const unsigned char[::1] text not None):
        """Takes the next bytes of a stream. False: it has seen enough."""
        cdef State *s = &self.state
        cdef size_t n = text.shape[0]
        if n:
            with nogil:
                if not s.stopped and make_room(s, n):
                    memcpy(s.buffer + s.filled, &text[0], n)
                    s.filled += n
                    process(s, n, False)
        return not s.stopped

    def end(self):
        """The stream is at its end."""
        with nogil:
            finish(&self.state)

    def cancel(self):
        """Asks a running `scan_file` to stop; may be called from another thread."""
        self.cancelled = 1

    @property
    def problem(self):
        """What stopped the reading: ("read", 0, errno), or None."""
        if self.state.out_of_memory:
            raise MemoryError
        return ("read", 0, self.state.read_error) if self.state.read_error else None

    @property
    def doubts(self):
        """None: what is doubtful is a finding."""
        return 0, 0

    @property
    def scattered(self):
        """Whether lines of a query lie apart, so that the file must be read once more by a checker that knows this."""
        return self.state.n_scattered > 0

    def meets(self, Checker other not None):
        """Whether another checker, of another part of the file, has seen a query of this one."""
        cdef const State *s = &self.state
        cdef const State *o = &other.state
        cdef const Seen *seen
        cdef size_t i
        for i in range(s.n_seen if o.n_seen else 0):
            seen = &s.seen[i]
            if o.slots[find_seen(o, s.ids + seen.offset, seen.length, seen.hash)]:
                return True
        return False

    @property
    def counts(self):
        """(lines, records, queries)."""
        return self.state.n_lines, self.state.n_records, self.state.n_seen

    @property
    def tag(self):
        """The first record's tag, or None."""
        return self.state.tag[:self.state.tag_length] if self.state.has_tag else None

    @property
    def ties(self):
        """(groups of tied documents, documents in them, queries with a group across each cutoff)."""
        return (
            self.state.n_tie_groups,
            self.state.n_tied_documents,
            [self.state.ties_across[i] for i in range(self.state.n_cutoffs)],
        )

    @property
    def judged(self):
        """Of the judged queries: (how many, documents, judged ones, sum of the judged shares at each cutoff)."""
        return (
            self.state.n_judged_queries,
            self.state.n_retrieved,
            self.state.n_judged,
            [<double> self.state.shares[i] / SHARE_UNIT for i in range(self.state.n_cutoffs)],
        )

    def queries(self):
        """(id, first line, number of documents) of each query, as met."""
        cdef State *s = &self.state
        cdef const Seen *seen
        cdef size_t i
        found = []
        for i in range(s.n_seen):
            seen = &s.seen[i]
            found.append((s.ids[seen.offset:seen.offset + seen.length], seen.first_line, seen.n_documents))
        return found

    def findings(self):
        """{kind: (count, places)} of what was found; a place is (line, query, detail, other line, number, expected)."""
        cdef const Findings *findings
        cdef const Place *place
        cdef size_t i
        cdef int kind
        found = {}
        for kind in range(N_KINDS):
            findings = &self.state.findings[kind]
            if not findings.count:
                continue
            places = []
            for i in range(findings.n_places):
                place = &findings.places[i]
                places.append((
                    place.line,
                    place.text[:place.qid_length],
                    place.text[place.qid_length:place.qid_length + place.detail_length],
                    place.other,
                    place.number,
                    place.expected,
                ))
            found[KINDS[kind]] = findings.count, places
        return found


cdef class IdReader:
    """Collects the ids of a collection's documents: the first field of each line; blank lines have none."""

    cdef QrelsBuilder builder
    cdef bytes rest

    def __cinit__(self):
        self.builder = QrelsBuilder()
        self.builder.begin(b"")
        self.rest = b""

    def add(self, bytes docno not None):
        """Takes one id."""
        add_judged(&self.builder.builder, tk_hash(docno, len(docno), hash_key()), docno, len(docno), 0)

    def feed(self, bytes block not None):
        """Takes the next bytes of a file."""
        cdef bytes text = self.rest + block
        cdef const char *p = text
        cdef const char *end = p + len(text)
        cdef const char *newline
        cdef const char *field[MAX_FIELDS]
        cdef size_t length[MAX_FIELDS]
        cdef const char *begin = p
        with nogil:
            while True:
                newline = <const char *> memchr(p, c"\n", end - p) if p < end else NULL
                if newline == NULL:
                    break
                if split(p, newline, field, length):
                    add_judged(
                        &self.builder.builder, tk_hash(field[0], length[0], hash_key()), field[0], length[0], 0
                    )
                p = newline + 1
        self.rest = text[p - begin:]

    def finish(self):
        """`Qrels` with one query, whose documents they are."""
        if self.rest:
            self.feed(b"\n")
        self.rest = b""
        return self.builder.finish("10.0")
