"""Bytes of run and qrels files to segments, in one pass, in blocks, without a Python object per line.

How a block is read, and why:

1. A line of the open segment's query begins as the line before did, up to the document id ("q1 Q0 "): 16 bytes are
   compared at once. Then the white space of the next 64 bytes is found 16 at a time; where it ends exactly the fields
   that must follow, and then the line, each field is known. Nothing is searched twice.
2. All other lines (the first of a query, other white space, more fields, comments, long lines) take `slow_line`, which
   splits byte by byte.
3. A line of the open segment's query appends a record. Any other query ends the segment: its records go to the sink,
   while their text still lies in the buffer. So the ids are never copied, and memory is that of the largest query.

What is wrong with a line goes to a sink that says whether to go on. Who evaluates stops at the first line that is no
record (`stop_at_useless`); who looks for all problems of a file makes the scanner thorough. That is a second instance
of walk(), so that others pay nothing for it: it numbers lines, keeps details of records, and tells of what doesn't make
a line useless. Elsewhere a problem names a position in the file; the line's number is counted when it is wanted.
"""

from libc.math cimport INFINITY, isinf, isnan
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcpy, memset

from os import urandom

from treckon._native.line_formats cimport BY_LINE, BY_RANK, GRADE, SCORE, Format, ValueKind
from treckon._native.line_text cimport (
    MAX_FIELDS, has_high_bytes, has_inner_cr, has_odd_blank, is_utf8, split_fields,
)
from treckon._native.memory cimport reserve
from treckon._native.numbers cimport number_tables
from treckon._native.problems cimport (
    BLANK_LINE, COMMENT_LINE, CR_LINE_ENDS, CRLF_LINE_ENDS, FIELD_COUNT, GRADE_NOT_INTEGER,
    GRADE_TOO_LARGE, LINE_TOO_LONG, NEGATIVE_GRADE, NOT_UTF8, NUL_BYTE, OUT_OF_MEMORY,
    RANK_NOT_INTEGER, SCORE_NOT_FINITE, SCORE_NOT_NUMBER, SECOND_FIELD, SEVERAL_TAGS, WHITE_SPACE,
    WRONG_TAG, ProblemKind,
)
from treckon._native.scan cimport (
    TK_SLACK, TK_UNLIKELY, tk_hash, tk_integer, tk_key_t, tk_last_digits, tk_plain_real, tk_real, tk_same,
    tk_same_padded, tk_same_start, tk_tail, tk_tail_t,
)

cdef uint64_t NO_END = 0xFFFFFFFFFFFFFFFF

cdef tk_key_t KEY


cdef const tk_key_t *hash_key() noexcept nogil:
    return &KEY


def _draw_key():
    cdef bytes random = urandom(sizeof(KEY))
    memcpy(&KEY, <const char *> random, sizeof(KEY))


_draw_key()


cdef void scanner_init(Scanner *s, Format format, sink_t sink, void *context) noexcept nogil:
    memset(s, 0, sizeof(Scanner))
    s.format = format
    s.key = &KEY
    s.numbers = number_tables()
    s.sink = sink
    s.context = context
    s.problem_sink = stop_at_useless
    s.problem_context = s
    s.range_end = NO_END


cdef void make_thorough(Scanner *s, problem_sink_t problem_sink, void *context) noexcept nogil:
    # Before anything is read.
    s.thorough = True
    s.problem_sink = problem_sink
    s.problem_context = context


cdef void scanner_free(Scanner *s) noexcept nogil:
    free(s.buffer)
    free(s.start)
    free(s.records)
    free(s.groups)
    free(s.details)
    free(s.tag)
    memset(s, 0, sizeof(Scanner))


# ---- problems


cdef bint fail(Scanner *s, ProblemKind kind, int64_t found) noexcept nogil:
    # Stops: memory or file are to blame. Returns False.
    memset(&s.problem, 0, sizeof(Problem))
    s.problem.kind = kind
    s.problem.found = found
    s.stopped = True
    return False


cdef bint stop_at_useless(void *context, const Problem *problem) noexcept nogil:
    # The sink of those who evaluate: what makes a line no record stops, a value that is a number only up to some
    # character is counted, as trec_eval reads it, and stops a strict reader.
    cdef Scanner *s = <Scanner *> context
    cdef ProblemKind kind = problem.kind
    if kind == SCORE_NOT_FINITE:
        if not problem.found:  # infinite scores have their place in an order
            return True
        kind = SCORE_NOT_NUMBER
    elif kind == GRADE_NOT_INTEGER and problem.found:
        kind = GRADE_TOO_LARGE
    elif (kind == GRADE_NOT_INTEGER or kind == SCORE_NOT_NUMBER) and not problem.found and not s.format.strict:
        if s.n_partial == 0:
            s.first_partial = problem.position
        s.n_partial += 1
        return True
    s.problem = problem[0]
    s.problem.kind = kind
    if kind == SCORE_NOT_NUMBER or kind == GRADE_NOT_INTEGER or kind == GRADE_TOO_LARGE:
        s.problem.found = 0
    return False


cdef bint report_line(
    Scanner *s, ProblemKind kind, size_t line_start, int64_t found=0, const char *qid=NULL, size_t qid_length=0,
    const char *field=NULL, size_t field_length=0,
) noexcept nogil:
    # Tells of a problem of the line at this place of the buffer. False: stop. The share before tells of what is
    # discarded.
    cdef Problem problem
    if s.discard:
        return True
    problem.kind = kind
    problem.position = s.base + line_start
    problem.line = s.line
    problem.found = found
    problem.qid = qid
    problem.qid_length = qid_length
    problem.field = field
    problem.field_length = field_length
    if not s.problem_sink(s.problem_context, &problem):
        s.stopped = True
    return not s.stopped


cdef bint report_record(
    Scanner *s, ProblemKind kind, size_t line_start, const char *field, size_t length, int64_t found=0
) noexcept nogil:
    # The same of a record of the open segment.
    return report_line(
        s, kind, line_start, found, s.buffer + s.segment_start + s.qid_offset, s.qid_length, field, length
    )


# ---- segments


cdef bint end_segment(Scanner *s) noexcept nogil:
    # Hands the open segment over. False: stop.
    cdef Segment segment
    if not s.open:
        return True
    s.open = False
    if s.discard:
        s.discard = False
        s.n_all_records = 0
        return True
    segment.text = s.buffer + s.segment_start
    segment.qid = segment.text + s.qid_offset
    segment.qid_length = s.qid_length
    segment.n_records = s.n_records
    segment.records = s.records
    segment.groups = s.groups
    segment.details = s.details
    segment.position = s.base + s.segment_start
    if not s.sink(s.context, &segment):
        s.stopped = True
    return not s.stopped


cdef bint begin_segment(Scanner *s, size_t line_start, size_t qid_start, size_t qid_length) noexcept nogil:
    # A record of another query: ends the open segment and opens the next. False: stop.
    cdef bint was_open = s.open
    if not end_segment(s):
        return False
    if was_open and s.base + line_start >= s.range_end and s.last_position >= s.range_end:
        s.stopped = True
        return False
    s.open = True
    s.segment_start = line_start
    s.qid_offset = qid_start - line_start
    s.qid_length = qid_length
    s.start_length = 0
    s.n_records = 0
    if s.opened != NULL and not s.discard:
        s.opened(s.context, s.buffer + qid_start, qid_length)
    return True


cdef bint more_records(Scanner *s) noexcept nogil:
    # Room for another record.
    cdef size_t capacity = s.record_capacity
    if not reserve(<void **> &s.records, &capacity, s.n_records + 1, sizeof(Record)):
        return fail(s, OUT_OF_MEMORY, 0)
    if s.format.group_field >= 0:
        capacity = s.record_capacity
        if not reserve(<void **> &s.groups, &capacity, s.n_records + 1, sizeof(Group)):
            return fail(s, OUT_OF_MEMORY, 0)
    if s.thorough:
        capacity = s.record_capacity
        if not reserve(<void **> &s.details, &capacity, s.n_records + 1, sizeof(Detail)):
            return fail(s, OUT_OF_MEMORY, 0)
    s.record_capacity = capacity
    return True


# ---- records


cdef bint parse_grade(Scanner *s, size_t line_start, const char *field, size_t length) noexcept nogil:
    # The grade of the next record. False: stop.
    cdef Record *record = &s.records[s.n_records]
    cdef int64_t grade = 0
    cdef size_t used = tk_integer(field, length, &grade)
    cdef bint is_large = grade > 0x7FFFFFFF or grade < -0x80000000LL
    record.grade = <int32_t> grade
    if s.thorough:
        s.details[s.n_records].number = grade
        if used < length or is_large:
            s.flags = BAD_VALUE
        elif grade < 0:
            return report_record(s, NEGATIVE_GRADE, line_start, field, length, grade)
    if TK_UNLIKELY(used < length):
        return report_record(s, GRADE_NOT_INTEGER, line_start, field, length, is_large)
    return not is_large or report_record(s, GRADE_TOO_LARGE, line_start, field, length)


cdef bint parse_real(Scanner *s, size_t line_start, const char *field, size_t length) noexcept nogil:
    # The score or level of the next record, in any form; the lowest of all for what has no place in an order.
    # False: stop.
    cdef Record *record = &s.records[s.n_records]
    cdef size_t used = tk_real(s.numbers, field, length, &record.value)
    cdef bint is_nan = isnan(record.value)
    if used == length and not is_nan and not isinf(record.value):
        return True
    if is_nan:
        record.value = -INFINITY
    if used < length or is_nan:
        s.flags = BAD_VALUE
    return report_record(
        s, SCORE_NOT_NUMBER if used < length else SCORE_NOT_FINITE, line_start, field, length, is_nan
    )


cdef bint adjust_value(Scanner *s, Record *record) noexcept nogil:
    # What formats with an adjustment compare in place of the number that was read.
    if s.format.single_precision:
        record.value = <double> (<float> record.value)
    if s.format.order == BY_RANK:
        record.value = -record.value
    elif s.format.order == BY_LINE:
        record.value = -<double> s.n_all_records
    return True


cdef inline bint add_record(
    Scanner *s,
    const ValueKind kind,
    const bint quick,
    size_t line_start,
    const char *docno,
    size_t docno_length,
    const char *value,
    size_t value_length,
) noexcept nogil:
    # One record of the open segment; `quick` where 16 bytes before the value's end are readable. False: stop.
    cdef Record *record
    if TK_UNLIKELY(s.n_records == s.record_capacity) and not more_records(s):
        return False
    record = &s.records[s.n_records]
    if kind == GRADE:
        if not parse_grade(s, line_start, value, value_length):
            return False
    else:
        if TK_UNLIKELY(not (quick and tk_plain_real(s.numbers, value, value_length, &record.value))):
            if not parse_real(s, line_start, value, value_length):
                return False
        if TK_UNLIKELY(s.format.adjusted):
            adjust_value(s, record)
    record.hash = tk_hash(docno, docno_length, s.key)
    record.offset = <uint64_t> (docno - (s.buffer + s.segment_start))
    record.length = <uint32_t> docno_length
    s.n_records += 1
    s.n_all_records += 1
    return True


cdef inline void begin_detail(Scanner *s) noexcept nogil:
    # What is kept of the last record besides.
    s.details[s.n_records - 1].line = s.line
    s.details[s.n_records - 1].flags = s.flags
    s.flags = 0


cdef inline bint add_detail(
    Scanner *s, const bint quick, size_t line_start, const char *rank, size_t rank_length, const char *tag,
    size_t tag_length,
) noexcept nogil:
    # The rank of the last record, and what is odd about a run's line. `quick` as in add_record(). False: stop.
    cdef int64_t *number = &s.details[s.n_records - 1].number
    cdef uint64_t digits = 0
    if quick and rank_length <= 16 and tk_last_digits(rank + rank_length, rank_length, &digits):
        number[0] = <int64_t> digits
    elif TK_UNLIKELY(tk_integer(rank, rank_length, number) < rank_length):
        s.details[s.n_records - 1].flags |= BAD_RANK
        number[0] = 0
        if not report_record(s, RANK_NOT_INTEGER, line_start, rank, rank_length):
            return False
    if TK_UNLIKELY(s.odd_second) and not report_record(s, SECOND_FIELD, line_start, NULL, 0):
        return False
    if TK_UNLIKELY(s.tag == NULL):
        if not keep_tag(s, tag, tag_length):
            return False
    elif TK_UNLIKELY(not tk_same_padded(tag, tag_length, s.tag, s.tag_length)):
        if not report_record(s, SEVERAL_TAGS, line_start, tag, tag_length):
            return False
    if s.expected_tag != NULL and not tk_same(tag, tag_length, s.expected_tag, s.expected_tag_length):
        return report_record(s, WRONG_TAG, line_start, tag, tag_length)
    return True


cdef bint keep_tag(Scanner *s, const char *tag, size_t length) noexcept nogil:
    # The copy is readable for 8 bytes.
    if not reserve(<void **> &s.tag, &s.tag_capacity, length + TK_SLACK, 1):
        return fail(s, OUT_OF_MEMORY, 0)
    memcpy(s.tag, tag, length)
    s.tag_length = length
    return True


# ---- lines


cdef inline bint is_open_query(Scanner *s, const char *qid, size_t length) noexcept nogil:
    return s.open and tk_same_padded(qid, length, s.buffer + s.segment_start + s.qid_offset, s.qid_length)


cdef bint slow_line(Scanner *s, size_t line_start, size_t line_end) noexcept nogil:
    # Any line, byte by byte: line_end is the place of its LF. False: stop.
    cdef const char *line = s.buffer + line_start
    cdef const char *end = s.buffer + line_end
    cdef const char *field[MAX_FIELDS]
    cdef size_t length[MAX_FIELDS]
    cdef int n
    cdef bint is_useless
    if line_end - line_start > s.format.longest_line:
        return report_long_line(s, line_start)
    if memchr(line, 0, line_end - line_start) != NULL:
        return report_line(s, NUL_BYTE, line_start)
    n = split_fields(line, end, field, length)
    if s.thorough and line < end and (end - 1)[0] == c"\r" and not report_line(s, CRLF_LINE_ENDS, line_start):
        return False
    if n == 0:
        return not s.thorough or report_line(s, BLANK_LINE, line_start)
    if field[0][0] == c"#" and s.format.comments and (field[0] == line or s.format.comments_after_blanks):
        if has_inner_cr(line, end):  # lines that end with CR alone would all be part of the comment
            return report_line(s, CR_LINE_ENDS, line_start)
        return not s.thorough or report_line(s, COMMENT_LINE, line_start)
    if n != s.format.n_fields:
        is_useless = n < s.format.n_fields or s.format.exact or has_inner_cr(line, end)
        if (is_useless or s.thorough) and not report_fields(s, line_start, end, field, length, n):
            return False
        if is_useless:
            return True
    if s.thorough and has_odd_blank(line, end - ((end - 1)[0] == c"\r")):
        return report_line(s, WHITE_SPACE, line_start, 0, field[0], length[0]) and take_line(
            s, line_start, n, field, length, False
        )
    return take_line(s, line_start, n, field, length, n == s.format.n_fields)


cdef bint report_long_line(Scanner *s, size_t line_start) noexcept nogil:
    # Of a line that is too long, only so much is looked at as is there of every such line.
    if memchr(s.buffer + line_start, c"\r", s.format.longest_line) != NULL:
        return report_line(s, CR_LINE_ENDS, line_start)
    return report_line(s, LINE_TOO_LONG, line_start)


cdef bint report_fields(
    Scanner *s, size_t line_start, const char *end, const char **field, const size_t *length, int n
) noexcept nogil:
    # A line with too few fields or too many. False: stop.
    if has_inner_cr(s.buffer + line_start, end):
        return report_line(s, CR_LINE_ENDS, line_start, n)
    return report_line(s, FIELD_COUNT, line_start, n, field[0], length[0])


cdef bint take_line(
    Scanner *s, size_t line_start, int n, const char **field, const size_t *length, bint is_regular
) noexcept nogil:
    # A line that is a record; whether others may be read the quick way if they begin like it. False: stop.
    cdef int docno = s.format.docno_field, value = s.format.value_field, rank = s.format.rank_field
    cdef int tag = s.format.n_fields - 1
    if not is_open_query(s, field[0], length[0]):
        if not begin_segment(s, line_start, field[0] - s.buffer, length[0]):
            return False
    if not add_record(
        s, s.format.value_kind, False, line_start, field[docno], length[docno], field[value], length[value]
    ):
        return False
    s.last_position = s.base + line_start
    if s.format.group_field >= 0:
        keep_group(s, field, length)
        return True
    if s.thorough:
        begin_detail(s)
        s.start_length = 0
        if s.format.value_kind == SCORE:
            s.odd_second = not (tk_same(field[1], length[1], b"Q0", 2) or tk_same(field[1], length[1], b"0", 1))
            if not add_detail(s, False, line_start, field[rank], length[rank], field[tag], length[tag]):
                return False
    if is_regular and not keep_start(s, line_start, field[docno] - (s.buffer + line_start)):
        return False
    return s.thorough or s.format.value_kind != SCORE or keep_tag(s, field[tag], length[tag])


cdef void keep_group(Scanner *s, const char **field, const size_t *length) noexcept nogil:
    # The last record's group and sub-group.
    cdef const char *text = s.buffer + s.segment_start
    cdef Group *group = &s.groups[s.n_records - 1]
    memset(group, 0, sizeof(Group))
    group.offset = field[s.format.group_field] - text
    group.length = <uint32_t> length[s.format.group_field]
    if s.format.subgroup_field >= 0:
        group.subgroup_offset = field[s.format.subgroup_field] - text
        group.subgroup_length = <uint32_t> length[s.format.subgroup_field]


cdef bint keep_start(Scanner *s, size_t line_start, size_t length) noexcept nogil:
    # Notes what the line begins with, for walk(). The copy is readable for 16 bytes.
    if length > TK_SLACK:  # it is compared without a look at where the buffer ends
        s.start_length = 0
        return True
    if not reserve(<void **> &s.start, &s.start_capacity, length + TK_SLACK, 1):
        return fail(s, OUT_OF_MEMORY, 0)
    memcpy(s.start, s.buffer + line_start, length)
    s.start_length = length
    s.blank = s.start[length - 1]
    return True


cdef inline bint walk(
    Scanner *s, size_t limit, const int n_tail, const int value, const ValueKind kind, const bint thorough
) noexcept nogil:
    # All lines from s.parsed to `limit`, the byte before which is a LF. The constants are those of a format with a
    # quick way: how many fields there are from the document id on, and which of them is the value.
    cdef tk_tail_t tail
    cdef const char *docno
    cdef size_t at = s.parsed, quick = 0  # the line that was read the quick way last
    cdef uint32_t tag = 0, tag_end = 0
    while at < limit:
        if thorough:
            s.line += 1
        docno = s.buffer + at + s.start_length
        if s.start_length and tk_same_start(s.buffer + at, s.start, s.start_length) and tk_tail(
            docno, n_tail, s.blank, &tail
        ):
            if not add_record(
                s,
                kind,
                True,
                at,
                docno,
                tail.end[0],
                docno + tail.end[value - 1] + 1,
                tail.end[value] - tail.end[value - 1] - 1,
            ):
                return False
            if thorough and not end_thorough(s, kind, n_tail, at, docno, &tail):
                return False
            quick = at
            tag = tail.end[n_tail - 2] + 1
            tag_end = tail.end[n_tail - 1]
            at += s.start_length + tail.line_end + 1
        else:
            if not thorough and quick and not end_quick(s, kind, quick, tag, tag_end):
                return False
            quick = 0
            s.parsed = at
            if not next_slow_line(s, limit):
                return False
            at = s.parsed
    s.parsed = at
    return thorough or not quick or end_quick(s, kind, quick, tag, tag_end)


cdef bint end_quick(Scanner *s, const ValueKind kind, size_t line, size_t tag, size_t tag_end) noexcept nogil:
    # What is known of the last of several lines that were read the quick way. Its start is never the buffer's.
    s.last_position = s.base + line
    return kind != SCORE or keep_tag(s, s.buffer + line + s.start_length + tag, tag_end - tag)


cdef inline bint end_thorough(
    Scanner *s, const ValueKind kind, const int n_tail, size_t line_start, const char *docno, const tk_tail_t *tail
) noexcept nogil:
    # What is kept and told of each line that was read the quick way. False: stop.
    begin_detail(s)
    if kind == SCORE:
        if not add_detail(
            s,
            True,
            line_start,
            docno + tail.end[0] + 1,
            tail.end[1] - tail.end[0] - 1,
            docno + tail.end[2] + 1,
            tail.end[3] - tail.end[2] - 1,
        ):
            return False
    if TK_UNLIKELY(tail.line_end != tail.end[n_tail - 1]):
        return report_line(s, CRLF_LINE_ENDS, line_start)
    return True


cdef bint next_slow_line(Scanner *s, size_t limit) noexcept nogil:
    cdef size_t start = s.parsed
    cdef const char *end = <const char *> memchr(s.buffer + start, c"\n", limit - start)
    s.parsed = end - s.buffer + 1
    return slow_line(s, start, end - s.buffer)


cdef bint walk_slowly(Scanner *s, size_t limit) noexcept nogil:
    while s.parsed < limit:
        s.line += 1
        if not next_slow_line(s, limit):
            return False
    return True


cdef bint walk_lines(Scanner *s, size_t limit) noexcept nogil:
    cdef int n_tail = s.format.n_fields - s.format.docno_field
    cdef int value = s.format.value_field - s.format.docno_field
    cdef ValueKind kind = s.format.value_kind
    if s.thorough and not examine_encoding(s, limit):
        return False
    if s.format.group_field < 0 and kind == SCORE and n_tail == 4 and value == 2:
        if not s.thorough:
            return walk(s, limit, 4, 2, SCORE, False)
        if s.format.rank_field == s.format.docno_field + 1:
            return walk(s, limit, 4, 2, SCORE, True)
    elif s.format.group_field < 0 and kind == SCORE and n_tail == 4 and value == 1 and not s.thorough:
        return walk(s, limit, 4, 1, SCORE, False)
    elif s.format.group_field < 0 and kind == GRADE and n_tail == 2 and value == 1:
        return walk(s, limit, 2, 1, GRADE, True) if s.thorough else walk(s, limit, 2, 1, GRADE, False)
    return walk_slowly(s, limit)


cdef bint examine_encoding(Scanner *s, size_t limit) noexcept nogil:
    # The lines from s.parsed to `limit` that are no UTF-8. False: stop.
    cdef const char *field[MAX_FIELDS]
    cdef size_t length[MAX_FIELDS]
    cdef const char *line = s.buffer + s.parsed
    cdef const char *end = s.buffer + limit
    cdef const char *newline
    cdef uint64_t before = s.line
    if not has_high_bytes(line, end - line):
        return True
    while line < end and not s.stopped:
        s.line += 1
        newline = <const char *> memchr(line, c"\n", end - line)
        if <size_t> (newline - line) <= s.format.longest_line and not is_utf8(line, newline - line):
            length[0] = 0
            if split_fields(line, newline, field, length) == 0:
                field[0] = NULL
            report_line(s, NOT_UTF8, line - s.buffer, 0, field[0], length[0])
        line = newline + 1
    s.line = before
    return not s.stopped
