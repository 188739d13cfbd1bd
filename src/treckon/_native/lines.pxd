"""Bytes of run and qrels files to segments: the consecutive lines of one query, split and parsed."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from treckon._native.line_formats cimport Format
from treckon._native.problems cimport ProblemKind
from treckon._native.scan cimport tk_key_t, tk_numbers_t

# Flags of Detail.
cdef enum:
    BAD_VALUE = 1              # the value is no number
    BAD_RANK = 2


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


ctypedef struct Detail:
    # What a thorough scanner keeps of a record besides.
    uint64_t line               # its number in the share, from 1
    int64_t number              # the rank of a run's record, else the grade, of 64 bits
    uint32_t flags


ctypedef struct Segment:
    const char *text
    const char *qid
    size_t qid_length
    size_t n_records
    const Record *records
    const Group *groups         # one a record, where the format has groups
    const Detail *details       # one a record, where the scanner is thorough
    uint64_t position           # of text in the file


ctypedef struct Problem:
    ProblemKind kind
    uint64_t position           # of the line in the file
    uint64_t line               # its number in the share, where the scanner is thorough
    int64_t found               # see ProblemKind
    const char *qid             # NULL where the line has none that can be told
    size_t qid_length
    const char *field           # the field that it is about, or NULL
    size_t field_length


# Told of the query of a segment that begins, so that it can be looked up while its lines are read.
ctypedef void (*opened_t)(void *, const char *, size_t) noexcept nogil

# Takes a finished segment; what it points to is gone afterwards. False stops the scanner.
ctypedef bint (*sink_t)(void *, const Segment *) noexcept nogil

# Takes a problem of a line; the texts that it points to are gone afterwards. False stops the scanner.
ctypedef bint (*problem_sink_t)(void *, const Problem *) noexcept nogil


ctypedef struct Scanner:
    Format format
    const tk_key_t *key
    const tk_numbers_t *numbers
    sink_t sink
    opened_t opened             # or NULL
    void *context               # of these two
    problem_sink_t problem_sink
    void *problem_context
    bint thorough               # all problems are told, lines are numbered, and records have details
    # The buffer: [segment_start | parsed | filled), where an open segment's text stays until the segment ends.
    char *buffer
    size_t capacity
    size_t segment_start
    size_t parsed
    size_t filled
    uint64_t base               # position of buffer[0] in the file
    bint started                # the first bytes were looked at
    bint skipping               # the rest of a line that is too long, where the scanner is thorough
    uint64_t line               # number of the line that is read, where the scanner is thorough
    # The open segment.
    bint open
    size_t qid_offset           # from segment_start
    size_t qid_length
    char *start                 # what its regular lines begin with, up to the document id
    size_t start_length         # 0 where none was seen
    size_t start_capacity
    char blank                  # the white space between its fields
    uint32_t flags              # of the record that is read
    bint odd_second             # whether the second field of such lines is neither Q0 nor 0
    Record *records
    Group *groups
    Detail *details
    size_t n_records
    size_t record_capacity
    uint64_t last_position      # of the last record's line
    # The share of the file: lines of the segments that begin here, by the rule in scan_file().
    bint skip_line              # the first line began before the share
    bint discard                # the first segment belongs to the share before
    uint64_t range_end
    bint stopped
    bint ended                  # all was read
    # Results.
    Problem problem             # what stopped the scanner
    uint64_t n_all_records
    uint64_t n_partial          # values that are numbers only up to some character
    uint64_t first_partial      # position of the first one's line
    char *tag                   # last field of a run's last record; where the scanner is thorough, of its first
    size_t tag_length
    size_t tag_capacity
    const char *expected_tag    # where the scanner is thorough; or NULL
    size_t expected_tag_length


cdef const tk_key_t *hash_key() noexcept nogil
cdef void scanner_init(Scanner *scanner, Format format, sink_t sink, void *context) noexcept nogil
cdef void make_thorough(Scanner *scanner, problem_sink_t problem_sink, void *context) noexcept nogil
cdef void scanner_free(Scanner *scanner) noexcept nogil

# What reads blocks needs of what reads lines.
cdef bint fail(Scanner *scanner, ProblemKind kind, int64_t found) noexcept nogil
cdef bint report_line(
    Scanner *scanner, ProblemKind kind, size_t line_start, int64_t found=*, const char *qid=*, size_t qid_length=*,
    const char *field=*, size_t field_length=*,
) noexcept nogil
cdef bint report_long_line(Scanner *scanner, size_t line_start) noexcept nogil
cdef bint end_segment(Scanner *scanner) noexcept nogil
cdef bint walk_lines(Scanner *scanner, size_t limit) noexcept nogil
