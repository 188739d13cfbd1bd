"""Looks a run or qrels through: every problem of every line and query in one pass, counted, the first few kept.

A thorough scanner tells of the lines' problems and hands over the records of query after query, which are looked at
together (query_checks.pyx). What this module adds is which queries were met.

A query that is met again has its lines apart. Then the file is read a second time by a checker that knows which queries
these are: their records are kept, and looked at together at the end.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from treckon._native.file_scans cimport FileScan
from treckon._native.findings cimport Findings, findings_by_name, findings_free, findings_init, keep_first_places, note
from treckon._native.line_formats cimport GRADE, SCORE, LineFormat
from treckon._native.lines cimport Detail, Problem, Record, Segment, hash_key, make_thorough, scanner_init
from treckon._native.memory cimport reserve
from treckon._native.problems cimport FIELD_COUNT, NEGATIVE_GRADE, SCATTERED_QUERY
from treckon._native.qrels cimport Qrels
from treckon._native.query_checks cimport SHARE_UNIT, QueryChecks, check_query
from treckon._native.scan cimport TK_SLACK, tk_hash, tk_key_t, tk_same
from treckon._native.sort cimport merge_sort


ctypedef struct MetQuery:
    uint64_t hash
    uint64_t offset            # of its id in State.ids
    uint32_t length
    bint scattered
    uint64_t first_line
    uint64_t n_documents


ctypedef struct KeptRecord:
    # A record of a query whose lines lie apart.
    size_t query               # in State.queries
    Record record              # with the offset in State.kept_text
    Detail detail


ctypedef struct State:
    const tk_key_t *key
    const State *previous      # the pass before, which knows the queries whose lines lie apart, or NULL
    int n_fields
    Findings findings
    QueryChecks checks
    bint out_of_memory
    # Queries as they are met.
    MetQuery *queries
    size_t n_queries
    size_t query_capacity
    uint32_t *slots            # 0, or 1 + the number of a query
    size_t n_slots
    char *ids
    size_t ids_length
    size_t ids_capacity
    size_t n_scattered
    # Records of queries whose lines lie apart.
    KeptRecord *kept
    size_t n_kept
    size_t kept_capacity
    char *kept_text
    size_t kept_length
    size_t kept_text_capacity


# ---- which queries were met


cdef size_t find_slot(const State *s, const char *qid, size_t length, uint64_t hash) noexcept nogil:
    # The slot of a query, or the free one where it belongs.
    cdef size_t slot = hash & (s.n_slots - 1)
    cdef const MetQuery *query
    while s.slots[slot]:
        query = &s.queries[s.slots[slot] - 1]
        if query.hash == hash and tk_same(s.ids + query.offset, query.length, qid, length):
            break
        slot = (slot + 1) & (s.n_slots - 1)
    return slot


cdef bint more_slots(State *s) noexcept nogil:
    # Keeps the table at most half full. False: out of memory.
    cdef size_t n_slots = s.n_slots * 2 if s.n_slots else 1024, i, slot
    cdef uint32_t *slots
    if 2 * (s.n_queries + 1) <= s.n_slots:
        return True
    slots = <uint32_t *> calloc(n_slots, sizeof(uint32_t))
    if slots == NULL:
        return False
    for i in range(s.n_queries):
        slot = s.queries[i].hash & (n_slots - 1)
        while slots[slot]:
            slot = (slot + 1) & (n_slots - 1)
        slots[slot] = <uint32_t> (i + 1)
    free(s.slots)
    s.slots = slots
    s.n_slots = n_slots
    return True


cdef MetQuery *meet_query(State *s, const Segment *segment) noexcept nogil:
    # Looks the query of a segment up, and adds it if it is new. NULL: out of memory.
    cdef uint64_t hash = tk_hash(segment.qid, segment.qid_length, s.key), line = segment.details[0].line
    cdef size_t slot
    cdef MetQuery *query
    if not more_slots(s):
        return NULL
    slot = find_slot(s, segment.qid, segment.qid_length, hash)
    if s.slots[slot]:
        query = &s.queries[s.slots[slot] - 1]
        s.n_scattered += not query.scattered
        query.scattered = True
        note(
            &s.findings, SCATTERED_QUERY, line, segment.qid, segment.qid_length, NULL, 0, query.first_line
        )
        return query
    if not reserve(<void **> &s.queries, &s.query_capacity, s.n_queries + 1, sizeof(MetQuery)):
        return NULL
    if not reserve(<void **> &s.ids, &s.ids_capacity, s.ids_length + segment.qid_length + TK_SLACK, 1):
        return NULL
    query = &s.queries[s.n_queries]
    s.n_queries += 1
    s.slots[slot] = <uint32_t> s.n_queries
    memset(query, 0, sizeof(MetQuery))
    query.hash = hash
    query.offset = s.ids_length
    query.length = <uint32_t> segment.qid_length
    query.first_line = line
    memcpy(s.ids + s.ids_length, segment.qid, segment.qid_length)
    s.ids_length += segment.qid_length
    return query


cdef bint is_scattered(const State *previous, const MetQuery *query, const Segment *segment) noexcept nogil:
    # Whether the pass before saw lines of the query lie apart.
    cdef size_t slot
    if previous == NULL or previous.n_scattered == 0:
        return False
    slot = find_slot(previous, segment.qid, segment.qid_length, query.hash)
    return previous.slots[slot] and previous.queries[previous.slots[slot] - 1].scattered


# ---- what the scanner hands over


cdef bint take_problem(void *context, const Problem *problem) noexcept nogil:
    # A sink of the scanner: keeps a line's problem. False: out of memory.
    cdef State *s = <State *> context
    cdef int64_t number = problem.found if problem.kind == FIELD_COUNT or problem.kind == NEGATIVE_GRADE else 0
    cdef int64_t expected = s.n_fields if problem.kind == FIELD_COUNT else 0
    note(
        &s.findings, problem.kind, problem.line, problem.qid, problem.qid_length, problem.field, problem.field_length,
        0, number, expected,
    )
    return not s.findings.out_of_memory


cdef bint take_query(void *context, const Segment *segment) noexcept nogil:
    # A sink of the scanner: looks a query's records through, or keeps them. False: out of memory.
    cdef State *s = <State *> context
    cdef MetQuery *query = meet_query(s, segment)
    if query == NULL:
        s.out_of_memory = True
        return False
    query.n_documents += segment.n_records
    if is_scattered(s.previous, query, segment):
        s.out_of_memory = not keep_records(s, segment, query - s.queries)
    else:
        s.out_of_memory = not check_query(&s.checks, segment)
    return not s.out_of_memory and not s.findings.out_of_memory


cdef bint keep_records(State *s, const Segment *segment, size_t query) noexcept nogil:
    # False: out of memory.
    cdef size_t i
    cdef KeptRecord *kept
    if not reserve(<void **> &s.kept, &s.kept_capacity, s.n_kept + segment.n_records, sizeof(KeptRecord)):
        return False
    for i in range(segment.n_records):
        kept = &s.kept[s.n_kept]
        s.n_kept += 1
        kept.query = query
        kept.record = segment.records[i]
        kept.detail = segment.details[i]
        if not reserve(
            <void **> &s.kept_text, &s.kept_text_capacity, s.kept_length + kept.record.length + TK_SLACK, 1
        ):
            return False
        memcpy(s.kept_text + s.kept_length, segment.text + kept.record.offset, kept.record.length)
        kept.record.offset = s.kept_length
        s.kept_length += kept.record.length
    return True


cdef int kept_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    cdef const KeptRecord *kept = <const KeptRecord *> context
    return (kept[i].query > kept[j].query) - (kept[i].query < kept[j].query)


cdef bint check_kept(State *s) noexcept nogil:
    # Looks the kept records through, query by query. False: out of memory.
    cdef size_t n = s.n_kept
    cdef int64_t *order = <int64_t *> malloc((2 * n + 1) * sizeof(int64_t))
    cdef Record *records = <Record *> malloc((n + 1) * sizeof(Record))
    cdef Detail *details = <Detail *> malloc((n + 1) * sizeof(Detail))
    cdef bint good = order != NULL and records != NULL and details != NULL
    good = good and check_kept_by(s, order, records, details)
    free(order)
    free(records)
    free(details)
    return good


cdef bint check_kept_by(State *s, int64_t *order, Record *records, Detail *details) noexcept nogil:
    # The same in memory that the caller owns.
    cdef size_t n = s.n_kept, i, first = 0
    cdef const MetQuery *query
    cdef Segment segment
    for i in range(n):
        order[i] = i
    merge_sort(order, n, order + n, kept_order, s.kept)
    for i in range(n):
        records[i] = s.kept[order[i]].record
        details[i] = s.kept[order[i]].detail
    memset(&segment, 0, sizeof(Segment))
    segment.text = s.kept_text
    while first < n:
        query = &s.queries[s.kept[order[first]].query]
        i = first + 1
        while i < n and s.kept[order[i]].query == s.kept[order[first]].query:
            i += 1
        segment.qid = s.ids + query.offset
        segment.qid_length = query.length
        segment.records = records + first
        segment.details = details + first
        segment.n_records = i - first
        if not check_query(&s.checks, &segment):
            return False
        first = i
    return True


# ---- for Python


cdef class Checker(FileScan):
    """A pass over a run, or qrels with grades, in a format of text.

    format:    of the file
    limit:     how many places of a kind of problem are kept
    depth:     documents that each query of a run should have, or None
    cutoffs:   ranks, at least 1, across which ties count and to which judged documents do
    tag:       the tag that a run should have, or None
    judged:    `Qrels` that say which documents are judged, or None
    documents: `Qrels` with one query, whose documents are the collection's, or None
    previous:  the checker of the pass before, where that found `scattered` queries

    `scan_file` reads a part of a file that begins with a line, and ends before one or with the file.
    """

    cdef State state
    cdef object keeps          # what the state points to

    def __cinit__(
        self, LineFormat format not None, size_t limit, *, depth=None, cutoffs=(), bytes tag=None, Qrels judged=None,
        Qrels documents=None, Checker previous=None,
    ):
        cdef State *s = &self.state
        cdef QueryChecks *checks = &s.checks
        cdef size_t i
        memset(s, 0, sizeof(State))
        if format.format.value_kind not in (SCORE, GRADE) or format.format.group_field >= 0 or (
            format.format.value_kind == SCORE and format.format.rank_field < 0
        ):
            raise ValueError("expected a format of runs with ranks, or of judgements with grades and no groups")
        self.keeps = tag, judged, documents, previous
        s.key = hash_key()
        s.n_fields = format.format.n_fields
        if previous is not None:
            s.previous = &previous.state
        scanner_init(&self.scanner, format.read_by(False, False), take_query, s)
        make_thorough(&self.scanner, take_problem, s)
        if tag is not None:
            self.scanner.expected_tag = tag
            self.scanner.expected_tag_length = len(tag)
        checks.findings = &s.findings
        checks.is_run = format.format.value_kind == SCORE
        checks.depth = -1 if depth is None else depth
        checks.judged = NULL if judged is None else &judged.table
        checks.documents = NULL if documents is None else &documents.table
        checks.n_cutoffs = len(cutoffs)
        checks.cutoffs = <int64_t *> calloc(checks.n_cutoffs + 1, sizeof(int64_t))
        checks.ties_across = <uint64_t *> calloc(checks.n_cutoffs + 1, sizeof(uint64_t))
        checks.shares = <uint64_t *> calloc(checks.n_cutoffs + 1, sizeof(uint64_t))
        if not findings_init(&s.findings, limit) or (
            checks.cutoffs == NULL or checks.ties_across == NULL or checks.shares == NULL
        ):
            raise MemoryError
        for i in range(checks.n_cutoffs):
            checks.cutoffs[i] = cutoffs[i]

    def __dealloc__(self):
        cdef State *s = &self.state
        findings_free(&s.findings)
        free(s.checks.cutoffs)
        free(s.checks.ties_across)
        free(s.checks.shares)
        free(s.checks.documents_seen)
        free(s.checks.order)
        free(s.queries)
        free(s.slots)
        free(s.ids)
        free(s.kept)
        free(s.kept_text)

    cdef int check(self) except -1:
        if self.state.out_of_memory or self.state.findings.out_of_memory:
            raise MemoryError
        return 0

    cdef void complete(self) noexcept nogil:
        if not check_kept(&self.state):
            self.state.out_of_memory = True
        keep_first_places(&self.state.findings)

    @property
    def scattered(self):
        """Whether lines of a query lie apart, so that the file must be read once more by a checker that knows this."""
        return self.state.n_scattered > 0

    def meets(self, Checker other not None):
        """Whether another checker, of another part of the file, has seen a query of this one."""
        cdef const State *s = &self.state
        cdef const State *o = &other.state
        cdef const MetQuery *query
        cdef size_t i
        for i in range(s.n_queries if o.n_queries else 0):
            query = &s.queries[i]
            if o.slots[find_slot(o, s.ids + query.offset, query.length, query.hash)]:
                return True
        return False

    @property
    def counts(self):
        """(lines, records, queries)."""
        return self.scanner.line, self.scanner.n_all_records, self.state.n_queries

    @property
    def tag(self):
        """The first record's tag, or None."""
        return None if self.scanner.tag == NULL else self.scanner.tag[:self.scanner.tag_length]

    @property
    def ties(self):
        """(groups of tied documents, documents in them, queries with a group across each cutoff)."""
        cdef const QueryChecks *checks = &self.state.checks
        return (
            checks.n_tie_groups,
            checks.n_tied_documents,
            [checks.ties_across[i] for i in range(checks.n_cutoffs)],
        )

    @property
    def judged(self):
        """Of the judged queries: (how many, documents, judged ones, sum of the judged shares at each cutoff)."""
        cdef const QueryChecks *checks = &self.state.checks
        return (
            checks.n_judged_queries,
            checks.n_retrieved,
            checks.n_judged,
            [<double> checks.shares[i] / SHARE_UNIT for i in range(checks.n_cutoffs)],
        )

    def queries(self):
        """(id, first line, number of documents) of each query, as met."""
        cdef State *s = &self.state
        cdef const MetQuery *query
        cdef size_t i
        rows = []
        for i in range(s.n_queries):
            query = &s.queries[i]
            rows.append((s.ids[query.offset:query.offset + query.length], query.first_line, query.n_documents))
        return rows

    def findings(self):
        """{kind: (count, places)} of what was found; a place is (line, query, detail, other line, number, expected)."""
        return findings_by_name(&self.state.findings)
