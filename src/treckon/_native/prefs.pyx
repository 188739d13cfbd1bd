"""Builds the table of preferences from the segments of a judgement file.

What doesn't depend on a run is done here, once: documents that stand in several lines or groups are recognised, levels
are put in order, and the preferences of several sub-groups are closed transitively. A group that can't be evaluated is
marked, not refused: that is an error only when its query is evaluated.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memset

from treckon._native.judged_tables cimport (
    Builder, Judged, Table, Unit, add_judged, begin_part, build, find_judged, find_query, put_text,
)
from treckon._native.lines cimport Group, Record, Segment, sink_t
from treckon._native.memory cimport reserve
from treckon._native.qrels cimport Qrels, QrelsBuilder
from treckon._native.scan cimport tk_compare, tk_same
from treckon._native.sort cimport merge_sort

_FAULTS = {TWO_LEVELS: "two levels", ZERO_AND_OTHER: "zero and other", CONTRADICTION: "contradiction"}


cdef class Prefs(Qrels):
    """Preference judgements of many queries, read-only once built. Made by `PrefsBuilder`."""

    def __cinit__(self):
        memset(&self.preferences, 0, sizeof(PreferenceTable))

    def __dealloc__(self):
        free(self.preferences.items)
        free(self.preferences.groups)
        free(self.preferences.closures)
        free(self.preferences.by_docno)
        free(self.preferences.queries)

    def __reduce__(self):
        raise TypeError("preferences can't be pickled")

    cdef bint is_faulty(self, int64_t query) noexcept nogil:
        return self.faulty_group(query) != NULL

    cdef const PreferenceGroup *faulty_group(self, int64_t query) noexcept nogil:
        # The first one of a query that can't be evaluated, or NULL.
        cdef const PreferenceQuery *q = &self.preferences.queries[query]
        cdef uint32_t i
        for i in range(q.n_groups):
            if self.preferences.groups[q.first_group + i].fault != NO_FAULT:
                return &self.preferences.groups[q.first_group + i]
        return NULL

    def fault(self, int64_t query):
        """Why a query can't be evaluated: (kind, group, id of a document), or None.

        The kind is "two levels" or "zero and other" (a document has these) or "contradiction" (it is preferred to
        itself).
        """
        if not 0 <= query < self.table.n_queries:
            raise IndexError(f"query {query} of {self.table.n_queries}")
        cdef const PreferenceGroup *group = self.faulty_group(query)
        cdef const Judged *judged
        if group == NULL:
            return None
        judged = &self.table.judged[self.table.units[self.table.queries[query].first_unit].first_judged]
        judged += group.faulty_document
        return (
            _FAULTS[group.fault],
            self.table.text[group.name_offset:group.name_offset + group.name_length],
            self.table.text[judged.offset:judged.offset + judged.length],
        )


cdef bint same_subgroup(const Segment *segment, const Group *x, const Group *y) noexcept nogil:
    return tk_same(segment.text + x.offset, x.length, segment.text + y.offset, y.length) and tk_same(
        segment.text + x.subgroup_offset, x.subgroup_length, segment.text + y.subgroup_offset, y.subgroup_length
    )


cdef void begin_piece(Lines *lines, const Segment *segment, const Group *group) noexcept nogil:
    cdef Builder *b = lines.documents
    cdef Piece *piece
    if b.out_of_memory or not reserve(
        <void **> &lines.pieces, &lines.piece_capacity, lines.n_pieces + 1, sizeof(Piece)
    ):
        b.out_of_memory = True
        return
    piece = &lines.pieces[lines.n_pieces]
    lines.n_pieces += 1
    memset(piece, 0, sizeof(Piece))
    piece.qid_offset = b.parts[b.n_parts - 1].qid_offset
    piece.qid_length = b.parts[b.n_parts - 1].qid_length
    piece.group_offset = put_text(b, segment.text + group.offset, group.length)
    piece.group_length = group.length
    piece.subgroup_offset = put_text(b, segment.text + group.subgroup_offset, group.subgroup_length)
    piece.subgroup_length = group.subgroup_length
    piece.first_line = b.n_judged


cdef bint add_preferences(void *context, const Segment *segment) noexcept nogil:
    # A sink: the levels of consecutive lines of one query.
    cdef Lines *lines = <Lines *> context
    cdef Builder *b = lines.documents
    cdef const Record *record
    cdef size_t i
    begin_part(b, segment.qid, segment.qid_length, NULL, 0)
    for i in range(segment.n_records):
        record = &segment.records[i]
        if i == 0 or not same_subgroup(segment, &segment.groups[i - 1], &segment.groups[i]):
            begin_piece(lines, segment, &segment.groups[i])
        if b.out_of_memory or not reserve(
            <void **> &lines.levels, &lines.level_capacity, b.n_judged + 1, sizeof(double)
        ):
            b.out_of_memory = True
            return False
        lines.levels[b.n_judged] = record.value
        lines.pieces[lines.n_pieces - 1].n_lines += 1
        add_judged(b, record.hash, segment.text + record.offset, record.length, 0)
    return not b.out_of_memory


cdef class PrefsBuilder(QrelsBuilder):
    """Collects preference judgements and makes a `Prefs` of them."""

    def __cinit__(self):
        memset(&self.lines, 0, sizeof(Lines))
        self.lines.documents = &self.builder

    def __dealloc__(self):
        free(self.lines.levels)
        free(self.lines.pieces)

    cdef sink_t sink(self) noexcept:
        return add_preferences

    cdef void *context(self) noexcept:
        return &self.lines

    def finish(self, str release, bint has_groups=True):
        """The `Prefs` of all that was added. The builder is empty afterwards."""
        cdef Prefs prefs = Prefs.__new__(Prefs)
        cdef bint good
        prefs.release = release
        prefs.has_groups = has_groups
        with nogil:
            good = (
                not self.builder.out_of_memory
                and build(&self.builder, &prefs.table)
                and form_queries(&self.lines, &prefs.table, &prefs.preferences)
            )
        self.lines.n_pieces = 0
        if not good:
            raise MemoryError
        return prefs


ctypedef struct Graded:
    # A line of the group that is being formed.
    double level
    uint32_t document
    uint32_t subgroup


ctypedef struct Former:
    # What forming one group after the other needs.
    const Lines *lines
    const Table *table
    PreferenceTable *preferences
    int64_t *order              # the pieces by query, group and sub-group
    const Judged *judged        # entries of the query
    uint32_t *documents         # of each entry the first one with the same document
    size_t document_capacity
    uint32_t *places            # of each document: 0, or 1 + the number of its item in the group
    size_t place_capacity
    int64_t *scratch
    size_t scratch_capacity
    Graded *graded              # the group's lines
    size_t n_graded
    size_t graded_capacity
    uint64_t *lower             # bits of the items on lower levels of the sub-group
    size_t lower_capacity


cdef int group_order(const Former *f, int64_t i, int64_t j) noexcept nogil:
    # Of pieces: by query, then by group, byte order.
    cdef const Piece *x = &f.lines.pieces[i]
    cdef const Piece *y = &f.lines.pieces[j]
    cdef const char *text = f.table.text
    if x.query != y.query:
        return -1 if x.query < y.query else 1
    return tk_compare(text + x.group_offset, x.group_length, text + y.group_offset, y.group_length)


cdef int piece_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    # Of pieces: by query, group and sub-group.
    cdef const Former *f = <const Former *> context
    cdef const Piece *x = &f.lines.pieces[i]
    cdef const Piece *y = &f.lines.pieces[j]
    cdef const char *text = f.table.text
    cdef int order = group_order(f, i, j)
    if order:
        return order
    return tk_compare(text + x.subgroup_offset, x.subgroup_length, text + y.subgroup_offset, y.subgroup_length)


cdef int docno_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    # Of a query's entries: by document id.
    cdef const Former *f = <const Former *> context
    cdef const Judged *x = &f.judged[i]
    cdef const Judged *y = &f.judged[j]
    return tk_compare(f.table.text + x.offset, x.length, f.table.text + y.offset, y.length)


cdef int graded_order(const void *a, const void *b) noexcept nogil:
    # Of a group's lines: by sub-group, then by falling level.
    cdef const Graded *x = <const Graded *> a
    cdef const Graded *y = <const Graded *> b
    if x.subgroup != y.subgroup:
        return -1 if x.subgroup < y.subgroup else 1
    if x.level != y.level:
        return -1 if x.level > y.level else 1
    return (x.document > y.document) - (x.document < y.document)


cdef bint form_queries(Lines *lines, const Table *table, PreferenceTable *preferences) noexcept nogil:
    # The preferences of every query. False: out of memory, with whatever is built left to be freed.
    cdef Former f
    cdef size_t next_piece = 0
    cdef int64_t query
    cdef bint good
    memset(&f, 0, sizeof(Former))
    f.lines = lines
    f.table = table
    f.preferences = preferences
    preferences.queries = <PreferenceQuery *> calloc(table.n_queries + 1, sizeof(PreferenceQuery))
    f.order = <int64_t *> malloc((2 * lines.n_pieces + 1) * sizeof(int64_t))
    good = preferences.queries != NULL and f.order != NULL and order_pieces(&f, lines)
    for query in range(table.n_queries):
        good = good and form_query(&f, query, &next_piece)
    free(f.order)
    free(f.documents)
    free(f.places)
    free(f.scratch)
    free(f.graded)
    free(f.lower)
    return good


cdef bint order_pieces(Former *f, Lines *lines) noexcept nogil:
    # Finds each piece's query and its lines among the query's entries, which are in the order of the file.
    cdef uint64_t *n_entries = <uint64_t *> calloc(f.table.n_queries + 1, sizeof(uint64_t))
    cdef Piece *piece
    cdef size_t i
    if n_entries == NULL:
        return False
    for i in range(lines.n_pieces):
        piece = &lines.pieces[i]
        piece.query = find_query(f.table, f.table.text + piece.qid_offset, piece.qid_length)
        piece.first_entry = n_entries[piece.query]
        n_entries[piece.query] += piece.n_lines
        f.order[i] = i
    free(n_entries)
    merge_sort(f.order, lines.n_pieces, f.order + lines.n_pieces, piece_order, f)
    return True


cdef bint form_query(Former *f, int64_t query, size_t *next_piece) noexcept nogil:
    # The groups of a query, whose pieces are the next ones.
    cdef PreferenceQuery *q = &f.preferences.queries[query]
    cdef size_t begin = next_piece[0], end
    q.first_group = f.preferences.n_groups
    if not find_documents(f, q, &f.table.units[f.table.queries[query].first_unit]):
        return False
    while begin < f.lines.n_pieces and f.lines.pieces[f.order[begin]].query == query:
        end = begin + 1
        while end < f.lines.n_pieces and group_order(f, f.order[begin], f.order[end]) == 0:
            end += 1
        if not form_group(f, q, begin, end):
            return False
        begin = end
    next_piece[0] = begin
    return True


cdef bint find_documents(Former *f, PreferenceQuery *q, const Unit *unit) noexcept nogil:
    # The document of each entry of a query, and the documents by id.
    cdef PreferenceTable *p = f.preferences
    cdef uint32_t n = unit.n_judged, i
    cdef const Judged *judged = f.table.judged + unit.first_judged
    f.judged = judged
    if not (
        reserve(<void **> &f.documents, &f.document_capacity, n, sizeof(uint32_t))
        and reserve(<void **> &f.places, &f.place_capacity, n, sizeof(uint32_t))
        and reserve(<void **> &f.scratch, &f.scratch_capacity, 2 * <size_t> n, sizeof(int64_t))
        and reserve(<void **> &p.by_docno, &p.document_capacity, p.n_documents + n, sizeof(uint32_t))
    ):
        return False
    memset(f.places, 0, n * sizeof(uint32_t))
    for i in range(n):
        f.documents[i] = <uint32_t> find_judged(
            f.table, unit, judged[i].hash, f.table.text + judged[i].offset, judged[i].length
        )
        if f.documents[i] == i:
            f.scratch[q.n_documents] = i
            q.n_documents += 1
    merge_sort(f.scratch, q.n_documents, f.scratch + n, docno_order, f)
    q.first_document = p.n_documents
    for i in range(q.n_documents):
        p.by_docno[p.n_documents + i] = <uint32_t> f.scratch[i]
    p.n_documents += q.n_documents
    return True


cdef bint form_group(Former *f, PreferenceQuery *q, size_t begin, size_t end) noexcept nogil:
    # A group from its pieces, order[begin:end].
    cdef PreferenceTable *p = f.preferences
    cdef const Piece *first = &f.lines.pieces[f.order[begin]]
    cdef PreferenceGroup *group
    cdef size_t i
    cdef uint32_t n_subgroups = 0
    cdef bint good
    f.n_graded = 0
    for i in range(begin, end):
        n_subgroups += i == begin or piece_order(f, f.order[i - 1], f.order[i]) != 0
        if not gather_piece(f, &f.lines.pieces[f.order[i]], n_subgroups):
            return False
    qsort(f.graded, f.n_graded, sizeof(Graded), graded_order)
    if not (
        reserve(<void **> &p.groups, &p.group_capacity, p.n_groups + 1, sizeof(PreferenceGroup))
        and reserve(<void **> &p.items, &p.item_capacity, p.n_items + f.n_graded, sizeof(Item))
    ):
        return False
    group = &p.groups[p.n_groups]
    memset(group, 0, sizeof(PreferenceGroup))
    group.first_item = p.n_items
    group.name_offset = first.group_offset
    group.name_length = first.group_length
    if n_subgroups == 1:
        form_classes(f, group)
    good = n_subgroups == 1 or form_array(f, group)
    for i in range(group.n_items):
        p.items[group.first_item + i].group = q.n_groups
    for i in range(f.n_graded):
        f.places[f.graded[i].document] = 0
    p.n_groups += 1
    p.n_items += group.n_items
    q.n_groups += 1
    return good


cdef bint gather_piece(Former *f, const Piece *piece, uint32_t subgroup) noexcept nogil:
    # Its lines, to those of the group.
    cdef Graded *graded
    cdef uint32_t i
    if not reserve(<void **> &f.graded, &f.graded_capacity, f.n_graded + piece.n_lines, sizeof(Graded)):
        return False
    for i in range(piece.n_lines):
        graded = &f.graded[f.n_graded + i]
        graded.level = f.lines.levels[piece.first_line + i]
        graded.document = f.documents[piece.first_entry + i]
        graded.subgroup = subgroup
    f.n_graded += piece.n_lines
    return True


cdef inline void blame(PreferenceGroup *group, Fault fault, uint32_t document) noexcept nogil:
    # The first fault of a group is the one that is told.
    if group.fault == NO_FAULT:
        group.fault = fault
        group.faulty_document = document


cdef inline void set_relevance(PreferenceGroup *group, Item *item, Relevance relevance) noexcept nogil:
    item.relevance = relevance
    group.n_rel += relevance == RELEVANT
    group.n_nonrel += relevance == NONRELEVANT


cdef void form_classes(Former *f, PreferenceGroup *group) noexcept nogil:
    # The class form: an item a line. Whatever is not above level 0 is nonrelevant.
    cdef Item *items = f.preferences.items + group.first_item
    cdef const Graded *graded
    cdef size_t i
    cdef uint32_t place
    for i in range(f.n_graded):
        graded = &f.graded[i]
        items[i].level = graded.level
        items[i].document = graded.document
        set_relevance(group, &items[i], RELEVANT if graded.level > 0.0 else NONRELEVANT)
        place = f.places[graded.document]
        if place and items[place - 1].level != graded.level:
            blame(group, TWO_LEVELS, graded.document)
        f.places[graded.document] = <uint32_t> (i + 1)
    group.n_items = <uint32_t> f.n_graded
    group.lowest_level = f.graded[f.n_graded - 1].level


cdef bint form_array(Former *f, PreferenceGroup *group) noexcept nogil:
    # The array form: an item a document, with its level in the last sub-group. A negative level is neither relevant nor
    # nonrelevant. False: out of memory.
    cdef Item *items = f.preferences.items + group.first_item
    cdef const Graded *graded
    cdef size_t i
    cdef uint32_t place
    for i in range(f.n_graded):
        graded = &f.graded[i]
        place = f.places[graded.document]
        if place == 0:
            group.n_items += 1
            place = f.places[graded.document] = group.n_items
            items[place - 1].document = graded.document
        elif (items[place - 1].level == 0.0) != (graded.level == 0.0):
            blame(group, ZERO_AND_OTHER, graded.document)
        items[place - 1].level = graded.level
    for i in range(group.n_items):
        set_relevance(
            group,
            &items[i],
            RELEVANT if items[i].level > 0.0 else NONRELEVANT if items[i].level == 0.0 else NEITHER,
        )
    return close_preferences(f, group, items)


cdef inline void set_bit(uint64_t *row, uint64_t i) noexcept nogil:
    row[i >> 6] |= <uint64_t> 1 << (i & 63)


cdef bint close_preferences(Former *f, PreferenceGroup *group, const Item *items) noexcept nogil:
    # The preferences inside the sub-groups, and those that follow: x > y and y > z give x > z.
    cdef PreferenceTable *p = f.preferences
    cdef uint64_t n = group.n_items, n_words = (n + 63) // 64, i, j, w
    cdef uint64_t *rows
    cdef uint64_t *row
    if not reserve(<void **> &p.closures, &p.word_capacity, p.n_words + n * n_words, sizeof(uint64_t)):
        return False
    if not reserve(<void **> &f.lower, &f.lower_capacity, n_words, sizeof(uint64_t)):
        return False
    group.closure = p.n_words
    group.n_words = n_words
    p.n_words += n * n_words
    rows = p.closures + group.closure
    memset(rows, 0, n * n_words * sizeof(uint64_t))
    relate_levels(f, rows, n_words)
    for i in range(n):  # where a sub-group gives a document two levels, it isn't preferred to itself
        rows[i * n_words + (i >> 6)] &= ~(<uint64_t> 1 << (i & 63))
    for j in range(n):  # Warshall, a row at a time
        for i in range(n):
            row = rows + i * n_words
            if row[j >> 6] >> (j & 63) & 1:
                for w in range(n_words):
                    row[w] |= rows[j * n_words + w]
    for i in range(n):
        if rows[i * n_words + (i >> 6)] >> (i & 63) & 1:
            blame(group, CONTRADICTION, items[i].document)
    return True


cdef void relate_levels(Former *f, uint64_t *rows, uint64_t n_words) noexcept nogil:
    # The preferences inside each sub-group, level by level from its lowest one up.
    cdef const Graded *last
    cdef size_t begin, end = f.n_graded, i
    cdef uint64_t w
    cdef uint64_t *row
    while end > 0:
        last = &f.graded[end - 1]
        if end == f.n_graded or f.graded[end].subgroup != last.subgroup:
            memset(f.lower, 0, n_words * sizeof(uint64_t))
        begin = end - 1
        while begin > 0 and f.graded[begin - 1].subgroup == last.subgroup and f.graded[begin - 1].level == last.level:
            begin -= 1
        for i in range(begin, end):
            row = rows + (f.places[f.graded[i].document] - 1) * n_words
            for w in range(n_words):
                row[w] |= f.lower[w]
        for i in range(begin, end):
            set_bit(f.lower, f.places[f.graded[i].document] - 1)
        end = begin
