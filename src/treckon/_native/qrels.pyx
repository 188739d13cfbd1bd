"""Judgements for Python, and what collects them."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from treckon._native.judged_tables cimport (
    Builder, Judged, Part, Query, Table, Unit, add_judged, add_segment, begin_part, build, count_grades, find_judged,
    find_query, same_judged,
)
from treckon._native.lines cimport hash_key, sink_t
from treckon._native.scan cimport tk_hash, tk_same


cdef str id_text_of(bytes id):
    # The text of an id: bytes that are no UTF-8 become lone surrogates, as Python's file names do.
    try:
        return id.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return id.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return id.decode("utf-8", "surrogateescape")


cdef class Qrels:
    """Judgements of many queries, hashed, read-only once built.

    Made by `QrelsBuilder`. `release` is the release of trec_eval whose reading rules made it.
    """

    def __cinit__(self):
        memset(&self.table, 0, sizeof(Table))

    def __dealloc__(self):
        free(self.table.text)
        free(self.table.judged)
        free(self.table.slots)
        free(self.table.filter)
        free(self.table.grades)
        free(self.table.units)
        free(self.table.queries)
        free(self.table.query_slots)
        free(self.table.document_slots)

    def __len__(self):
        return self.table.n_queries

    def __reduce__(self):
        return _rebuilt, (self.release, self.has_groups, self.parts())

    cdef list parts(self):
        # (query id, group, judgements) of each query and group, queries in the order in which they were met.
        cdef const Query *q
        cdef const Unit *unit
        cdef int64_t i
        cdef uint64_t u
        found = []
        for i in self.listed():
            q = &self.table.queries[i]
            for u in range(q.first_unit, q.first_unit + q.n_units):
                unit = &self.table.units[u]
                group = self.table.text[unit.group_offset:unit.group_offset + unit.group_length]
                found.append((self.qid(i), group, self.unit_judgements(u)))
        return found

    cdef list unit_judgements(self, uint64_t u):
        # The entries of a unit in file order.
        cdef const Unit *unit = &self.table.units[u]
        cdef const Judged *judged
        cdef uint32_t i
        entries = []
        for i in range(unit.n_judged):
            judged = &self.table.judged[unit.first_judged + i]
            entries.append((self.table.text[judged.offset:judged.offset + judged.length], judged.grade))
        return entries

    cdef bytes qid(self, int64_t query):
        cdef const Query *q = &self.table.queries[query]
        return self.table.text[q.qid_offset:q.qid_offset + q.qid_length]

    cdef bint is_faulty(self, int64_t query) noexcept nogil:
        # Whether the judgements of a query can't be evaluated: a document is listed twice there (in a group).
        cdef const Query *q = &self.table.queries[query]
        cdef uint32_t i
        for i in range(q.n_units):
            if self.table.units[q.first_unit + i].has_duplicate:
                return True
        return False

    cdef int index_documents(self) except -1:
        # Hashes the documents of all queries together, unless that was done before.
        cdef uint64_t n_judged = 0, size = 16, slot, i
        cdef uint64_t *slots
        cdef const Judged *judged = self.table.judged
        cdef int64_t u
        if self.table.document_slots != NULL:
            return 0
        for u in range(self.table.n_units):
            n_judged += self.table.units[u].n_judged
        while size < 2 * n_judged:
            size *= 2
        slots = <uint64_t *> calloc(size, sizeof(uint64_t))
        if slots == NULL:
            raise MemoryError
        for i in range(n_judged):
            slot = judged[i].hash & (size - 1)
            while slots[slot] and not same_judged(&self.table, judged, slots[slot] - 1, i):
                slot = (slot + 1) & (size - 1)
            slots[slot] = i + 1
        self.table.document_mask = size - 1
        self.table.document_slots = slots
        return 0

    cdef list names(self):
        # The ids of all queries as text.
        if self.query_names is None:
            self.query_names = [id_text_of(self.qid(i)) for i in range(self.table.n_queries)]
        return self.query_names

    cdef list unit_names(self, int64_t query):
        # The ids of the judged documents of a query without groups as text, by number.
        cdef const Unit *unit = &self.table.units[self.table.queries[query].first_unit]
        cdef const Judged *judged = self.table.judged + unit.first_judged
        cdef uint32_t i
        if self.judged_names is None:
            self.judged_names = [None] * self.table.n_queries
        names = self.judged_names[query]
        if names is None:
            names = self.judged_names[query] = []
            for i in range(unit.n_judged):
                names.append(id_text_of(self.table.text[judged[i].offset:judged[i].offset + judged[i].length]))
        return names

    def judge_negatives(self):
        """Makes every negative grade 0, a judgement like others. Only while nothing is evaluated yet."""
        cdef int64_t u
        cdef uint32_t i
        cdef Unit *unit
        cdef Judged *judged
        for u in range(self.table.n_units):
            unit = &self.table.units[u]
            unit.n_unjudged = 0
            for i in range(unit.n_judged):
                judged = &self.table.judged[unit.first_judged + i]
                judged.grade = max(judged.grade, 0)
        free(self.table.grades)
        self.table.grades = NULL
        if not count_grades(&self.table):
            raise MemoryError

    def query_ids(self):
        """The ids of all queries, in byte order."""
        return [self.qid(i) for i in range(self.table.n_queries)]

    def listed(self):
        """The numbers of all queries, in the order in which they (with groups: their first groups) were first met."""
        # Ids were put one behind the other as they came.
        offsets = [self.table.queries[i].qid_offset for i in range(self.table.n_queries)]
        return sorted(range(self.table.n_queries), key=offsets.__getitem__)

    def query_id(self, int64_t query):
        """The id of a query by its number; ids rise with the numbers."""
        if not 0 <= query < self.table.n_queries:
            raise IndexError(f"query {query} of {self.table.n_queries}")
        return self.qid(query)

    def find(self, bytes qid):
        """The number of a query, or -1."""
        return find_query(&self.table, qid, len(qid))

    @property
    def highest_grade(self):
        """The highest grade of all queries, 0 where none is above it."""
        cdef int64_t i
        cdef int32_t highest = 0
        for i in range(self.table.n_units):
            if self.table.units[i].n_grades:
                highest = max(highest, self.table.grades[self.table.units[i].first_grade].grade)
        return highest

    def count_at_level(self, int64_t level):
        """How many documents of all queries and groups have a grade of at least `level` (which is at least 0)."""
        cdef int64_t i, total = 0
        cdef uint32_t j
        cdef const Unit *unit
        for i in range(self.table.n_units):
            unit = &self.table.units[i]
            for j in range(unit.n_grades):
                if self.table.grades[unit.first_grade + j].grade >= level:
                    total += self.table.grades[unit.first_grade + j].count
        return total

    def n_relevant(self, int64_t query, object level):
        """How many documents of a query (of all its groups) have a grade of at least `level`, which is at least 0."""
        cdef int64_t lowest = min(level, 1 << 31)  # no grade has more than 32 bits, a level may
        if not 0 <= query < self.table.n_queries:
            raise IndexError(f"query {query} of {self.table.n_queries}")
        cdef const Query *q = &self.table.queries[query]
        cdef const Unit *unit
        cdef uint64_t u
        cdef uint32_t i
        cdef int64_t n = 0
        for u in range(q.first_unit, q.first_unit + q.n_units):
            unit = &self.table.units[u]
            for i in range(unit.n_grades):
                if self.table.grades[unit.first_grade + i].grade >= lowest:
                    n += self.table.grades[unit.first_grade + i].count
        return n

    def first_duplicate(self):
        """The number of the first query in which a document is listed twice (in a group), or -1."""
        cdef int64_t i
        cdef uint64_t u
        for i in range(self.table.n_queries):
            for u in range(self.table.queries[i].n_units):
                if self.table.units[self.table.queries[i].first_unit + u].has_duplicate:
                    return i
        return -1

    def duplicate(self, int64_t query):
        """(group or None, id) of a document that is listed twice for a query (and group), or None."""
        if not 0 <= query < self.table.n_queries:
            raise IndexError(f"query {query} of {self.table.n_queries}")
        cdef const Query *q = &self.table.queries[query]
        cdef const Unit *unit
        cdef const Judged *judged
        cdef uint64_t u
        cdef uint32_t i
        for u in range(q.first_unit, q.first_unit + q.n_units):
            unit = &self.table.units[u]
            for i in range(unit.n_judged if unit.has_duplicate else 0):
                judged = &self.table.judged[unit.first_judged + i]
                docno = self.table.text[judged.offset:judged.offset + judged.length]
                if find_judged(&self.table, unit, judged.hash, self.table.text + judged.offset, judged.length) != i:
                    group = self.table.text[unit.group_offset:unit.group_offset + unit.group_length]
                    return group if self.has_groups else None, docno
        return None

    def judgements(self, int64_t query):
        """The entries of a query in file order, as (document id, grade); pool-unjudged ones have a negative grade."""
        if not 0 <= query < self.table.n_queries:
            raise IndexError(f"query {query} of {self.table.n_queries}")
        cdef const Query *q = &self.table.queries[query]
        cdef uint64_t u
        entries = []
        for u in range(q.first_unit, q.first_unit + q.n_units):
            entries += self.unit_judgements(u)
        return entries


def _rebuilt(str release, bint has_groups, list parts):
    # What a pickle makes.
    builder = QrelsBuilder()
    for qid, group, judgements in parts:
        builder.begin(qid, group)
        for docno, grade in judgements:
            builder.add(qid, docno, grade)
    return builder.finish(release, has_groups)


cdef class QrelsBuilder:
    """Collects judgements, query by query or line by line, and makes a `Qrels` of them."""

    def __cinit__(self):
        memset(&self.builder, 0, sizeof(Builder))

    def __dealloc__(self):
        free(self.builder.text)
        free(self.builder.judged)
        free(self.builder.parts)

    cdef sink_t sink(self) noexcept:
        return add_segment

    cdef void *context(self) noexcept:
        return &self.builder

    def add(self, bytes qid, bytes docno, int32_t grade):
        """One judgement; those of a query need not come together."""
        cdef Builder *b = &self.builder
        cdef Part *part = &b.parts[b.n_parts - 1] if b.n_parts else NULL
        if part == NULL or not tk_same(b.text + part.qid_offset, part.qid_length, qid, len(qid)):
            begin_part(b, qid, len(qid), NULL, 0)
        add_judged(b, tk_hash(docno, len(docno), hash_key()), docno, len(docno), grade)
        if b.out_of_memory:
            raise MemoryError

    def begin(self, bytes qid, bytes group not None=b""):
        """Begins the judgements of a query (and group), of which there may be none."""
        begin_part(&self.builder, qid, len(qid), group, len(group))
        if self.builder.out_of_memory:
            raise MemoryError

    def finish(self, str release, bint has_groups=False):
        """The `Qrels` of all that was added. The builder is empty afterwards."""
        cdef Qrels qrels = Qrels.__new__(Qrels)
        cdef bint good
        qrels.release = release
        qrels.has_groups = has_groups
        with nogil:
            good = not self.builder.out_of_memory and build(&self.builder, &qrels.table)
        if not good:
            raise MemoryError
        return qrels
