"""Builds the table of judgements from the segments of a qrels file, or from what Python adds."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcpy, memset

from treckon._native.lines cimport Group, Record, Segment, hash_key
from treckon._native.memory cimport reserve
from treckon._native.ranking cimport UNJUDGED, GradeCount
from treckon._native.scan cimport TK_SLACK, tk_compare, tk_hash, tk_same
from treckon._native.sort cimport merge_sort


cdef enum:
    SMALL_GRADES = 64           # grades below it are counted in an array


cdef uint64_t put_text(Builder *b, const char *text, size_t length) noexcept nogil:
    # Copies an id; its offset.
    cdef uint64_t offset = b.text_length
    if not reserve(<void **> &b.text, &b.text_capacity, b.text_length + length + TK_SLACK, 1):
        b.out_of_memory = True
        return 0
    if length:
        memcpy(b.text + offset, text, length)
    b.text_length += length
    return offset


cdef void begin_part(
    Builder *b, const char *qid, size_t qid_length, const char *group, size_t group_length
) noexcept nogil:
    cdef Part *part
    if not reserve(<void **> &b.parts, &b.part_capacity, b.n_parts + 1, sizeof(Part)):
        b.out_of_memory = True
        return
    part = &b.parts[b.n_parts]
    b.n_parts += 1
    part.qid_offset = put_text(b, qid, qid_length)
    part.qid_length = <uint32_t> qid_length
    part.group_offset = put_text(b, group, group_length)
    part.group_length = <uint32_t> group_length
    part.first_judged = b.n_judged
    part.n_judged = 0


cdef void add_judged(Builder *b, uint64_t hash, const char *docno, size_t length, int32_t grade) noexcept nogil:
    # One more judgement of the part begun last.
    cdef Judged *judged
    if b.out_of_memory:
        return
    if not reserve(<void **> &b.judged, &b.judged_capacity, b.n_judged + 1, sizeof(Judged)):
        b.out_of_memory = True
        return
    judged = &b.judged[b.n_judged]
    b.n_judged += 1
    judged.hash = hash
    judged.offset = put_text(b, docno, length)
    judged.length = <uint32_t> length
    judged.grade = grade if grade >= 0 else UNJUDGED
    b.parts[b.n_parts - 1].n_judged += 1


cdef bint add_segment(void *context, const Segment *segment) noexcept nogil:
    # A sink: the judgements of consecutive lines of one query.
    cdef Builder *b = <Builder *> context
    cdef const Record *record
    cdef const Group *group = NULL
    cdef const Group *previous = NULL
    cdef size_t i
    if segment.groups == NULL:
        begin_part(b, segment.qid, segment.qid_length, NULL, 0)
    for i in range(segment.n_records):
        record = &segment.records[i]
        if segment.groups != NULL:
            group = &segment.groups[i]
            if previous == NULL or not tk_same(
                segment.text + group.offset, group.length, segment.text + previous.offset, previous.length
            ):
                begin_part(b, segment.qid, segment.qid_length, segment.text + group.offset, group.length)
            previous = group
        add_judged(b, record.hash, segment.text + record.offset, record.length, record.grade)
    return not b.out_of_memory


cdef int part_query_order(const Builder *b, int64_t i, int64_t j) noexcept nogil:
    cdef const Part *x = &b.parts[i]
    cdef const Part *y = &b.parts[j]
    return tk_compare(b.text + x.qid_offset, x.qid_length, b.text + y.qid_offset, y.qid_length)


cdef int part_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    # By query, then by group, byte order.
    cdef const Builder *b = <const Builder *> context
    cdef const Part *x = &b.parts[i]
    cdef const Part *y = &b.parts[j]
    cdef int order = part_query_order(b, i, j)
    if order == 0 and (x.group_length or y.group_length):
        order = tk_compare(b.text + x.group_offset, x.group_length, b.text + y.group_offset, y.group_length)
    return order


cdef int grade_order(const void *a, const void *b) noexcept nogil:
    cdef int32_t x = (<const int32_t *> a)[0]
    cdef int32_t y = (<const int32_t *> b)[0]
    return (y > x) - (y < x)


cdef uint32_t slots_for(uint64_t n) noexcept nogil:
    # Slots of a hash table that is at most half full.
    cdef uint32_t size = 1
    while size < 2 * n:
        size *= 2
    return size


cdef int64_t find_query(const Table *table, const char *qid, size_t length) noexcept nogil:
    # The number of a query, or -1.
    cdef uint64_t slot
    cdef const Query *query
    if table.n_queries == 0:
        return -1
    slot = tk_hash(qid, length, table.key) & table.query_mask
    while table.query_slots[slot]:
        query = &table.queries[table.query_slots[slot] - 1]
        if tk_same(table.text + query.qid_offset, query.qid_length, qid, length):
            return table.query_slots[slot] - 1
        slot = (slot + 1) & table.query_mask
    return -1


cdef bint build(Builder *b, Table *table) noexcept nogil:
    # Takes over the builder's text and judgements. False: out of memory, with whatever is built left to be freed.
    cdef int64_t n_parts = b.n_parts
    cdef int64_t *order = <int64_t *> malloc((2 * n_parts + 1) * sizeof(int64_t))
    cdef bint good
    if order == NULL:
        return False
    table.key = hash_key()
    good = order_parts(b, order) and group_parts(b, order, table)
    free(order)
    free(b.parts)
    b.parts = NULL
    b.n_parts = b.part_capacity = 0
    if not good:
        return False
    table.text = b.text
    b.text = NULL
    b.text_length = b.text_capacity = 0
    return hash_queries(table) and hash_units(table) and count_grades(table)


cdef bint order_parts(Builder *b, int64_t *order) noexcept nogil:
    # The parts by query and group; parts of the same in file order.
    cdef int64_t i, n_parts = b.n_parts
    cdef bint sorted = True
    for i in range(n_parts):
        order[i] = i
        sorted = sorted and (i == 0 or part_order(b, i - 1, i) <= 0)
    if not sorted:
        merge_sort(order, n_parts, order + n_parts, part_order, b)
    return True


cdef bint group_parts(Builder *b, const int64_t *order, Table *table) noexcept nogil:
    # Units and queries from the ordered parts. The judgements of a unit are moved together where they lie apart.
    cdef int64_t i, n_parts = b.n_parts
    cdef bint apart = False
    cdef const Part *part
    cdef Unit *unit = NULL
    cdef Query *query = NULL
    cdef Judged *moved
    cdef uint64_t n_moved = 0
    for i in range(n_parts):
        if i == 0 or part_query_order(b, order[i - 1], order[i]) != 0:
            table.n_queries += 1
            table.n_units += 1
        elif part_order(b, order[i - 1], order[i]) != 0:
            table.n_units += 1
        else:
            apart = True
    table.units = <Unit *> calloc(table.n_units + 1, sizeof(Unit))
    table.queries = <Query *> calloc(table.n_queries + 1, sizeof(Query))
    if table.units == NULL or table.queries == NULL:
        return False
    if apart:
        moved = <Judged *> malloc(b.n_judged * sizeof(Judged))
        if moved == NULL:
            return False
        for i in range(n_parts):
            part = &b.parts[order[i]]
            memcpy(moved + n_moved, b.judged + part.first_judged, part.n_judged * sizeof(Judged))
            b.parts[order[i]].first_judged = n_moved
            n_moved += part.n_judged
        free(b.judged)
        b.judged = moved
    for i in range(n_parts):
        part = &b.parts[order[i]]
        if i == 0 or part_order(b, order[i - 1], order[i]) != 0:
            unit = table.units if unit == NULL else unit + 1
            unit.first_judged = part.first_judged
            unit.group_offset = part.group_offset
            unit.group_length = part.group_length
            if i == 0 or part_query_order(b, order[i - 1], order[i]) != 0:
                query = table.queries if query == NULL else query + 1
                query.qid_offset = part.qid_offset
                query.qid_length = part.qid_length
                query.first_unit = unit - table.units
            query.n_units += 1
        unit.n_judged += part.n_judged
    table.judged = b.judged
    b.judged = NULL
    b.n_judged = b.judged_capacity = 0
    return True


cdef bint hash_queries(Table *table) noexcept nogil:
    cdef uint32_t size = slots_for(table.n_queries)
    cdef int64_t i
    cdef uint64_t slot
    cdef const Query *query
    table.query_mask = size - 1
    table.query_slots = <uint32_t *> calloc(size, sizeof(uint32_t))
    if table.query_slots == NULL:
        return False
    for i in range(table.n_queries):
        query = &table.queries[i]
        slot = tk_hash(table.text + query.qid_offset, query.qid_length, table.key) & table.query_mask
        while table.query_slots[slot]:
            slot = (slot + 1) & table.query_mask
        table.query_slots[slot] = <uint32_t> (i + 1)
    return True


cdef bint hash_units(Table *table) noexcept nogil:
    # Slots of every unit that is worth them; finds the documents that are listed twice.
    cdef int64_t u
    cdef uint32_t i, size
    cdef uint64_t n_slots = 0, n_words = 0, slot, bit
    cdef Unit *unit
    cdef const Judged *judged
    cdef uint32_t *slots
    for u in range(table.n_units):
        unit = &table.units[u]
        if unit.n_judged > MOST_UNHASHED:
            size = slots_for(unit.n_judged)
            unit.first_slot = n_slots
            unit.slot_mask = size - 1
            n_slots += size
            unit.first_filter_word = n_words
            unit.filter_mask = 8 * size - 1
            n_words += size >> 3
    table.slots = <uint32_t *> calloc(n_slots + 1, sizeof(uint32_t))
    table.filter = <uint64_t *> calloc(n_words + 1, sizeof(uint64_t))
    if table.slots == NULL or table.filter == NULL:
        return False
    for u in range(table.n_units):
        unit = &table.units[u]
        judged = table.judged + unit.first_judged
        slots = table.slots + unit.first_slot
        for i in range(unit.n_judged):
            if unit.slot_mask == 0:
                if find_judged(table, unit, judged[i].hash, table.text + judged[i].offset, judged[i].length) != i:
                    unit.has_duplicate = True
                continue
            bit = (judged[i].hash >> 32) & unit.filter_mask
            table.filter[unit.first_filter_word + (bit >> 6)] |= <uint64_t> 1 << (bit & 63)
            slot = judged[i].hash & unit.slot_mask
            while slots[slot] and not same_judged(table, judged, slots[slot] - 1, i):
                slot = (slot + 1) & unit.slot_mask
            if slots[slot]:
                unit.has_duplicate = True
            else:
                slots[slot] = i + 1
    return True


cdef bint count_grades(Table *table) noexcept nogil:
    # How many documents of each grade a unit has, by falling grade.
    cdef int64_t u
    cdef size_t capacity = 0, n_grades = 0
    cdef Unit *unit
    cdef const Judged *judged
    cdef int64_t[SMALL_GRADES] small
    cdef int32_t *large = NULL
    cdef size_t large_capacity = 0, n_large
    cdef uint32_t i
    cdef int32_t grade, highest
    cdef bint good = True
    memset(small, 0, sizeof(small))
    for u in range(table.n_units):
        unit = &table.units[u]
        judged = table.judged + unit.first_judged
        unit.first_grade = n_grades
        n_large = 0
        highest = -1
        for i in range(unit.n_judged):
            grade = judged[i].grade
            if grade >= SMALL_GRADES:
                good = good and reserve(<void **> &large, &large_capacity, n_large + 1, sizeof(int32_t))
                if good:
                    large[n_large] = grade
                    n_large += 1
            elif grade >= 0:
                small[grade] += 1
                highest = max(highest, grade)
            else:
                unit.n_unjudged += 1
        good = good and reserve(
            <void **> &table.grades, &capacity, n_grades + n_large + SMALL_GRADES, sizeof(GradeCount)
        )
        if not good:
            break
        if n_large:
            qsort(large, n_large, sizeof(int32_t), grade_order)
        for i in range(n_large):
            if i == 0 or large[i] != large[i - 1]:
                table.grades[n_grades].grade = large[i]
                table.grades[n_grades].count = 0
                n_grades += 1
            table.grades[n_grades - 1].count += 1
        for grade in range(highest, -1, -1):
            if small[grade]:
                table.grades[n_grades].grade = grade
                table.grades[n_grades].count = small[grade]
                n_grades += 1
                small[grade] = 0
        unit.n_grades = <uint32_t> (n_grades - unit.first_grade)
    free(large)
    return good
