"""Preference judgements: which documents of a query a group of assessors prefers to which."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from treckon._native.judged_tables cimport Builder
from treckon._native.qrels cimport Qrels, QrelsBuilder

# Why a group can't be evaluated.
cdef enum Fault:
    NO_FAULT
    TWO_LEVELS         # class form: a document has two
    ZERO_AND_OTHER     # array form: a document has level 0 and another
    CONTRADICTION      # array form: a document is preferred to itself

cdef enum Relevance:
    RELEVANT
    NONRELEVANT
    NEITHER


ctypedef struct Item:
    # What a group says about a document. In the class form a line of the file; in the array form each document once.
    double level
    uint32_t document           # its first entry in the query's unit
    uint32_t group              # within the query
    Relevance relevance


ctypedef struct PreferenceGroup:
    # Two forms. One sub-group: classes, where an item is preferred to all of a lower level. Several sub-groups: an
    # array, the transitive closure of the preferences in each, of which `closure` is a row of bits for each item.
    uint64_t first_item
    uint64_t closure            # first word of the first row
    uint64_t n_words            # of a row; 0 in the class form
    uint64_t name_offset        # in the table's text
    uint32_t name_length
    uint32_t n_items
    int64_t n_rel
    int64_t n_nonrel
    double lowest_level
    Fault fault
    uint32_t faulty_document


ctypedef struct PreferenceQuery:
    uint64_t first_group
    uint64_t first_document     # in by_docno
    uint32_t n_groups
    uint32_t n_documents


ctypedef struct PreferenceTable:
    Item *items
    PreferenceGroup *groups     # of each query by rising name, byte order
    uint64_t *closures
    uint32_t *by_docno          # the documents of each query, as in Item, by rising id, byte order
    PreferenceQuery *queries    # numbered as in the table of qrels
    size_t n_items
    size_t item_capacity
    size_t n_groups
    size_t group_capacity
    size_t n_words
    size_t word_capacity
    size_t n_documents
    size_t document_capacity


cdef class Prefs(Qrels):
    # The inherited table has one unit a query: an entry of grade 0 for each line.
    cdef PreferenceTable preferences

    cdef const PreferenceGroup *faulty_group(self, int64_t query) noexcept nogil


ctypedef struct Piece:
    # Consecutive lines of one query, group and sub-group.
    uint64_t qid_offset
    uint64_t group_offset
    uint64_t subgroup_offset
    uint32_t qid_length
    uint32_t group_length
    uint32_t subgroup_length
    uint32_t n_lines
    uint64_t first_line
    uint64_t first_entry        # of its lines among the query's
    int64_t query


ctypedef struct Lines:
    Builder *documents          # a judgement of grade 0 for each line
    double *levels              # one a line
    size_t level_capacity
    Piece *pieces
    size_t n_pieces
    size_t piece_capacity


cdef class PrefsBuilder(QrelsBuilder):
    cdef Lines lines
