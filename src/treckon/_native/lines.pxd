"""Bytes of run and qrels files to segments: the consecutive lines of one query, split and parsed."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from treckon._native.scan cimport tk_key_t, tk_numbers_t

# What the value field holds.
cdef enum ValueKind:
    SCORE              # of a run
    GRADE              # of qrels: a whole number of 32 bits
    LEVEL              # of preferences: a real number

# What a run is ordered by; records' values fall along it.
cdef enum RunOrder:
    BY_SCORE
    BY_RANK            # the rank field, rising
    BY_LINE            # the lines as they come

cdef enum ProblemKind:
    NO_PROBLEM
    WRONG_FIELD_COUNT  # `found` fields
    HAS_NUL
    CR_LINE_ENDS
    VALUE_IS_NAN
    VALUE_NOT_NUMBER   # strict only
    GRADE_TOO_LARGE
    LINE_TOO_LONG
    READ_FAILED        # `found` is errno
    OUT_OF_MEMORY


ctypedef struct Format:
    int n_fields
    bint exact                  # more fields are malformed, else they are passed over
    size_t longest_line         # bytes; a longer one is malformed
    int docno_field
    int rank_field              # -1 where there is none
    int value_field
    ValueKind value_kind
    int group_field             # -1 where there is none
    int subgroup_field          # -1 where there is none
    bint comments               # a line with '#' in column 1 is no record
    bint comments_after_blanks  # white space before the '#' too
    bint adjusted               # what is compared isn't the number as it was read: one of the next two
    bint single_precision       # scores and levels are rounded to 32 bits
    RunOrder order              # of runs
    bint strict                 # a number must fill its field


ctypedef struct Record:
    uint64_t hash               # of the document id
    double value                # score or level
    uint64_t offset             # of the document id in the segment's text
    uint32_t length
    int32_t grade


ctypedef struct Group:
    # Further fields of a record, in formats that have them; offsets as in Record.
    uint64_t offset
    uint64_t subgroup_offset
    uint32_t length
    uint32_t subgroup_length


ctypedef struct Segment:
    const char *text
    const char *qid
    size_t qid_length
    size_t n_records
    const Record *records
    const Group *groups         # one a record, where the format has groups
    uint64_t position           # of text in the file


ctypedef struct Problem:
    ProblemKind kind
    uint64_t position           # of the line in the file
    int64_t found


# Told of the query of a segment that begins, so that it can be looked up while its lines are read.
ctypedef void (*opened_t)(void *, const char *, size_t) noexcept nogil

# Takes a finished segment; what it points to is gone afterwards. False stops the scanner.
ctypedef bint (*sink_t)(void *, const Segment *) noexcept nogil


ctypedef struct Scanner:
    Format format
    const tk_key_t *key
    const tk_numbers_t *numbers
    sink_t sink
    opened_t opened             # or NULL
    void *context
    # The buffer: [segment_start | parsed | filled), where an open segment's text stays until the segment ends.
    char *buffer
    size_t capacity
    size_t segment_start
    size_t parsed
    size_t filled
    uint64_t base               # position of buffer[0] in the file
    bint started                # the first bytes were looked at
    # The open segment.
    bint open
    size_t qid_offset           # from segment_start
    size_t qid_length
    char *start                 # what its regular lines begin with, up to the document id
    size_t start_length         # 0 where none was seen
    size_t start_capacity
    char blank                  # the white space between its fields
    Record *records
    Group *groups
    size_t n_records
    size_t record_capacity
    uint64_t last_position      # of the last record's line
    # The share of the file: lines of the segments that begin here, by the rule in scan_file().
    bint skip_line              # the first line began before the share
    bint discard                # the first segment belongs to the share before
    uint64_t range_end
    bint stopped
    # Results.
    Problem problem
    uint64_t n_lines            # records seen
    uint64_t n_doubts           # values that are no number to their end
    uint64_t first_doubt        # position of the first one's line
    char *tag                   # last field of the last record of a run
    size_t tag_length
    size_t tag_capacity


cdef class LineFormat:
    cdef Format format
    cdef readonly tuple fields
    cdef readonly str value_kind

    cdef Format read_by(self, bint release_9, bint strict, str order=*) except *


cdef const tk_key_t *hash_key() noexcept nogil
cdef void scanner_init(Scanner *scanner, Format format, sink_t sink, void *context) noexcept nogil
cdef void scanner_free(Scanner *scanner) noexcept nogil
cdef void scan_file(Scanner *scanner, int fd, int64_t begin, int64_t end, const int *cancelled) noexcept nogil
cdef void scan_bytes(Scanner *scanner, const char *text, size_t n) noexcept nogil
cdef void scan_end(Scanner *scanner) noexcept nogil
