"""Judgements, hashed once: from a query's id to its judged documents, from a document's id to its grade."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from treckon._native.lines cimport Segment
from treckon._native.ranking cimport GradeCount
from treckon._native.scan cimport tk_key_t, tk_same, tk_same_padded


cdef enum:
    MOST_UNHASHED = 4          # judged documents of a unit without a hash table; they are looked through


ctypedef struct Judged:
    uint64_t hash               # of the document id
    uint64_t offset             # of the document id in Table.text
    uint32_t length
    int32_t grade               # >= 0, or UNJUDGED


ctypedef struct Unit:
    # What one group of assessors said about one query; all of a query's judgements where the format has no groups.
    uint64_t first_judged
    uint64_t first_slot
    uint64_t first_filter_word
    uint64_t first_grade
    uint64_t group_offset       # of the group's name in Table.text
    uint32_t group_length
    uint32_t n_judged           # entries, pool-unjudged ones included
    uint32_t slot_mask          # 0: too few for a hash table, look through them
    uint32_t filter_mask        # of the bits of its filter
    uint32_t n_grades
    uint32_t n_unjudged         # entries with a negative grade
    bint has_duplicate          # a document stands there twice


ctypedef struct Query:
    uint64_t qid_offset         # in Table.text
    uint32_t qid_length
    uint32_t n_units
    uint64_t first_unit


ctypedef struct Table:
    const tk_key_t *key
    char *text                  # ids, one behind the other
    Judged *judged
    uint32_t *slots             # 0, or 1 + the number of an entry within its unit
    uint64_t *filter            # bits that documents' hashes point to, so that most unjudged ones are known by one look
    GradeCount *grades          # of each unit by falling grade
    Unit *units
    Query *queries              # by rising id, byte order
    uint32_t *query_slots       # 0, or 1 + the number of a query
    uint64_t query_mask
    uint64_t *document_slots    # 0, or 1 + the number of an entry; NULL until documents of any query are looked up
    uint64_t document_mask
    int64_t n_queries
    int64_t n_units


cdef inline bint may_be_judged(const Table *table, const Unit *unit, uint64_t hash) noexcept nogil:
    # False for nearly all documents that a unit with a hash table doesn't have.
    cdef uint64_t bit = (hash >> 32) & unit.filter_mask
    return (table.filter[unit.first_filter_word + (bit >> 6)] >> (bit & 63)) & 1


cdef inline bint is_id(const Table *table, const Judged *judged, const char *docno, size_t length) noexcept nogil:
    return tk_same_padded(table.text + judged.offset, judged.length, docno, length)


cdef inline int64_t find_judged(
    const Table *table, const Unit *unit, uint64_t hash, const char *docno, size_t length
) noexcept nogil:
    # The number of a document within its unit, or -1. The 8 bytes behind its id are readable.
    cdef const Judged *judged = table.judged + unit.first_judged
    cdef const uint32_t *slots
    cdef uint32_t i
    cdef uint64_t slot
    if unit.slot_mask == 0:
        for i in range(unit.n_judged):
            if judged[i].hash == hash and is_id(table, &judged[i], docno, length):
                return i
        return -1
    slots = table.slots + unit.first_slot
    slot = hash & unit.slot_mask
    while slots[slot]:
        i = slots[slot] - 1
        if judged[i].hash == hash and is_id(table, &judged[i], docno, length):
            return i
        slot = (slot + 1) & unit.slot_mask
    return -1


cdef inline bint is_anywhere(const Table *table, uint64_t hash, const char *docno, size_t length) noexcept nogil:
    # Whether the qrels of any query have the document. After index_documents().
    cdef uint64_t slot = hash & table.document_mask
    cdef const Judged *judged
    while table.document_slots[slot]:
        judged = &table.judged[table.document_slots[slot] - 1]
        if judged.hash == hash and is_id(table, judged, docno, length):
            return True
        slot = (slot + 1) & table.document_mask
    return False


cdef inline bint same_judged(const Table *table, const Judged *judged, uint64_t i, uint64_t j) noexcept nogil:
    return judged[i].hash == judged[j].hash and tk_same(
        table.text + judged[i].offset, judged[i].length, table.text + judged[j].offset, judged[j].length
    )


cdef int64_t find_query(const Table *table, const char *qid, size_t length) noexcept nogil


ctypedef struct Part:
    # Consecutive judgements of one query and group.
    uint64_t qid_offset
    uint64_t group_offset
    uint64_t first_judged
    uint32_t qid_length
    uint32_t group_length
    uint32_t n_judged


ctypedef struct Builder:
    char *text
    size_t text_length
    size_t text_capacity
    Judged *judged
    size_t n_judged
    size_t judged_capacity
    Part *parts
    size_t n_parts
    size_t part_capacity
    bint out_of_memory


cdef uint64_t put_text(Builder *b, const char *text, size_t length) noexcept nogil
cdef void begin_part(
    Builder *b, const char *qid, size_t qid_length, const char *group, size_t group_length
) noexcept nogil
cdef void add_judged(Builder *b, uint64_t hash, const char *docno, size_t length, int32_t grade) noexcept nogil
cdef bint build(Builder *b, Table *table) noexcept nogil
cdef bint add_segment(void *context, const Segment *segment) noexcept nogil
cdef bint count_grades(Table *table) noexcept nogil
