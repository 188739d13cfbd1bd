"""Bytes of run and qrels files to segments, in one pass, in blocks, without a Python object per line.

How a block is read, and why:

1. A line of the open segment's query begins as the line before did, up to the document id ("q1 Q0 "): 16 bytes are
   compared at once. Then the white space of the next 64 bytes is found 16 at a time; where it ends exactly the fields
   that must follow, and then the line, each field is known. Nothing is searched twice.
2. All other lines (the first of a query, other white space, more fields, comments, long lines) take `slow_line`, which
   splits byte by byte.
3. A line of the open segment's query appends a record. Any other query ends the segment: its records go to the sink,
   while their text still lies in the buffer. So the ids are never copied, and memory is that of the largest query.

Errors name a position in the file; the line's number is counted only when somebody wants to read it.
"""

from libc.errno cimport errno
from libc.math cimport isnan
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp, memcpy, memmove, memset

from os import urandom

from treckon._native.memory cimport reserve
from treckon._native.numbers cimport number_tables
from treckon._native.scan cimport (
    TK_SLACK, TK_UNLIKELY, tk_hash, tk_integer, tk_is_blank, tk_key_t, tk_plain_real, tk_read_at, tk_real,
    tk_same_padded, tk_same_start, tk_tail, tk_tail_t,
)

cdef enum:
    READ_SIZE = 256 << 10      # a block
    MAX_FIELDS = 6
    LONGEST_LINE = 1 << 26  # what is no text shall not fill the memory; positions in a line have 32 bits

cdef uint64_t NO_END = 0xFFFFFFFFFFFFFFFF
cdef const char *BYTE_ORDER_MARK = b"\xef\xbb\xbf"

cdef tk_key_t KEY


cdef const tk_key_t *hash_key() noexcept nogil:
    return &KEY


def _draw_key():
    cdef bytes random = urandom(sizeof(KEY))
    memcpy(&KEY, <const char *> random, sizeof(KEY))


_draw_key()


_VALUES = {"score": SCORE, "grade": GRADE, "level": LEVEL}
_ORDERS = {"score": BY_SCORE, "rank": BY_RANK, "input": BY_LINE}


cdef class LineFormat:
    """The fields of a text format's lines, numbered from 0; the first is the query's id.

    fields: the names of all fields
    docno, value: the numbers of the document's id and of the value
    value_kind: what the value is: "score" (of a run), "grade" (a whole number) or "level" (of preferences)
    group, subgroup: the numbers of the fields that divide a query's judgements, or None
    rank: the number of a run's rank, or None
    allows_more: whether fields behind the last are passed over; else they are malformed
    indented_comments: whether white space may come before the '#' of a comment, where the release has comments
    longest_line: bytes; a longer line is malformed
    """

    def __cinit__(
        self, tuple fields not None, int docno, int value, str value_kind not None, *, group=None, subgroup=None,
        rank=None, bint allows_more=False, bint indented_comments=False, size_t longest_line=LONGEST_LINE,
    ):
        n = len(fields)
        numbers = [number for number in (docno, value, group, subgroup, rank) if number is not None]
        if not 2 < n <= MAX_FIELDS or min(numbers) < 1 or max(numbers) >= n:
            raise ValueError(f"expected numbers of the {n} fields (3 to {MAX_FIELDS}), found {numbers}")
        if value_kind not in _VALUES or longest_line > LONGEST_LINE:
            raise ValueError(f"there is no format of {value_kind}s in lines of {longest_line} bytes")
        self.fields = fields
        self.value_kind = value_kind
        memset(&self.format, 0, sizeof(Format))
        self.format.n_fields = n
        self.format.exact = not allows_more
        self.format.longest_line = longest_line
        self.format.docno_field = docno
        self.format.rank_field = -1 if rank is None else rank
        self.format.value_field = value
        self.format.value_kind = _VALUES[value_kind]
        self.format.group_field = -1 if group is None else group
        self.format.subgroup_field = -1 if subgroup is None else subgroup
        self.format.comments_after_blanks = indented_comments

    @property
    def docno(self):
        """The number of the field with the document's id."""
        return self.format.docno_field

    @property
    def value(self):
        """The number of the field with the value."""
        return self.format.value_field

    @property
    def group(self):
        """The number of the field with the group, or None."""
        return self.format.group_field if self.format.group_field >= 0 else None

    @property
    def subgroup(self):
        """The number of the field with the sub-group, or None."""
        return self.format.subgroup_field if self.format.subgroup_field >= 0 else None

    @property
    def longest_line(self):
        """How many bytes a line may have."""
        return self.format.longest_line

    cdef Format read_by(self, bint release_9, bint strict, str order="score") except *:
        # The format as a release reads it; a run is ordered by score, rank or input.
        cdef Format format = self.format
        format.order = _ORDERS[order]
        if format.order == BY_RANK:
            if format.rank_field < 0:
                raise ValueError("expected a format with ranks")
            format.value_field = format.rank_field
        format.comments = not release_9
        format.comments_after_blanks &= format.comments
        format.single_precision = release_9
        format.adjusted = format.single_precision or format.order != BY_SCORE
        format.strict = strict
        return format


cdef void scanner_init(Scanner *s, Format format, sink_t sink, void *context) noexcept nogil:
    memset(s, 0, sizeof(Scanner))
    s.format = format
    s.key = &KEY
    s.numbers = number_tables()
    s.sink = sink
    s.context = context
    s.range_end = NO_END


cdef void scanner_free(Scanner *s) noexcept nogil:
    free(s.buffer)
    free(s.start)
    free(s.records)
    free(s.groups)
    free(s.tag)
    memset(s, 0, sizeof(Scanner))


cdef bint fail(Scanner *s, ProblemKind kind, size_t line_start, int64_t found) noexcept nogil:
    # Stops with a problem in the line at this place of the buffer. The share before answers for what is discarded.
    if s.discard and kind != OUT_OF_MEMORY and kind != READ_FAILED:
        return True
    s.problem.kind = kind
    s.problem.position = s.base + line_start
    s.problem.found = found
    s.stopped = True
    return False


cdef bint end_segment(Scanner *s) noexcept nogil:
    # Hands the open segment over. False: stop.
    cdef Segment segment
    if not s.open:
        return True
    s.open = False
    if s.discard:
        s.discard = False
        s.n_lines = s.n_doubts = 0
        return True
    segment.text = s.buffer + s.segment_start
    segment.qid = segment.text + s.qid_offset
    segment.qid_length = s.qid_length
    segment.n_records = s.n_records
    segment.records = s.records
    segment.groups = s.groups
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


cdef bint more_records(Scanner *s, size_t line_start) noexcept nogil:
    # Room for another record.
    cdef size_t capacity = s.record_capacity
    if not reserve(<void **> &s.records, &capacity, s.n_records + 1, sizeof(Record)):
        return fail(s, OUT_OF_MEMORY, line_start, 0)
    if s.format.group_field >= 0:
        capacity = s.record_capacity
        if not reserve(<void **> &s.groups, &capacity, s.n_records + 1, sizeof(Group)):
            return fail(s, OUT_OF_MEMORY, line_start, 0)
    s.record_capacity = capacity
    return True


cdef bint doubtful(Scanner *s, size_t line_start) noexcept nogil:
    # A value that is no number to its end. False: stop.
    if s.format.strict:
        return fail(s, VALUE_NOT_NUMBER, line_start, 0)
    if s.n_doubts == 0:
        s.first_doubt = s.base + line_start
    s.n_doubts += 1
    return True


cdef bint parse_grade(Scanner *s, Record *record, size_t line_start, const char *field, size_t length) noexcept nogil:
    # The grade of a record. False: stop.
    cdef int64_t grade = 0
    cdef size_t used = tk_integer(field, length, &grade)
    if grade > 0x7FFFFFFF or grade < -0x80000000LL:
        return fail(s, GRADE_TOO_LARGE, line_start, 0)
    record.grade = <int32_t> grade
    return used == length or doubtful(s, line_start)


cdef bint parse_real(Scanner *s, Record *record, size_t line_start, const char *field, size_t length) noexcept nogil:
    # The score or level of a record, in any form. False: stop.
    cdef size_t used = tk_real(s.numbers, field, length, &record.value)
    if isnan(record.value):
        return fail(s, VALUE_IS_NAN, line_start, 0)
    return used == length or doubtful(s, line_start)


cdef bint adjust_value(Scanner *s, Record *record) noexcept nogil:
    # What formats with an adjustment compare in place of the number that was read.
    if s.format.single_precision:
        record.value = <double> (<float> record.value)
    if s.format.order == BY_RANK:
        record.value = -record.value
    elif s.format.order == BY_LINE:
        record.value = -<double> s.n_lines
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
    if TK_UNLIKELY(s.n_records == s.record_capacity) and not more_records(s, line_start):
        return False
    record = &s.records[s.n_records]
    if kind == GRADE:
        if not parse_grade(s, record, line_start, value, value_length):
            return False
    else:
        if not (quick and tk_plain_real(s.numbers, value, value_length, &record.value)):
            if not parse_real(s, record, line_start, value, value_length):
                return False
        if TK_UNLIKELY(s.format.adjusted):
            adjust_value(s, record)
    record.hash = tk_hash(docno, docno_length, s.key)
    record.offset = <uint64_t> (docno - (s.buffer + s.segment_start))
    record.length = <uint32_t> docno_length
    s.n_records += 1
    s.n_lines += 1
    return True


cdef inline bint is_open_query(Scanner *s, const char *qid, size_t length) noexcept nogil:
    return s.open and tk_same_padded(qid, length, s.buffer + s.segment_start + s.qid_offset, s.qid_length)


cdef bint slow_line(Scanner *s, size_t line_start, size_t line_end) noexcept nogil:
    # Any line, byte by byte: line_end is the place of its LF. False: stop.
    cdef const char *p = s.buffer + line_start
    cdef const char *end = s.buffer + line_end
    cdef const char *field[MAX_FIELDS]
    cdef size_t length[MAX_FIELDS]
    cdef int n = 0
    cdef Group *group
    if line_end - line_start > s.format.longest_line:
        return fail(s, LINE_TOO_LONG, line_start, 0)
    if memchr(p, 0, line_end - line_start) != NULL:
        return fail(s, HAS_NUL, line_start, 0)
    while True:
        while p < end and tk_is_blank(p[0]):
            p += 1
        if p == end:
            break
        if n == 0 and p[0] == c"#" and s.format.comments and (
            p == s.buffer + line_start or s.format.comments_after_blanks
        ):  # lines that end with CR alone would all be part of the comment
            return not has_inner_cr(s, line_start, line_end) or fail(s, CR_LINE_ENDS, line_start, 0)
        if n < MAX_FIELDS:
            field[n] = p
        while p < end and not tk_is_blank(p[0]):
            p += 1
        if n < MAX_FIELDS:
            length[n] = p - field[n]
        n += 1
    if n == 0:
        return True
    if n != s.format.n_fields and (n < s.format.n_fields or s.format.exact or has_inner_cr(s, line_start, line_end)):
        return fail(
            s, CR_LINE_ENDS if has_inner_cr(s, line_start, line_end) else WRONG_FIELD_COUNT, line_start, n
        )
    if not is_open_query(s, field[0], length[0]):
        if not begin_segment(s, line_start, field[0] - s.buffer, length[0]):
            return False
    if not add_record(
        s,
        s.format.value_kind,
        False,
        line_start,
        field[s.format.docno_field],
        length[s.format.docno_field],
        field[s.format.value_field],
        length[s.format.value_field],
    ):
        return False
    s.last_position = s.base + line_start
    if s.format.group_field >= 0:
        group = &s.groups[s.n_records - 1]
        memset(group, 0, sizeof(Group))
        group.offset = field[s.format.group_field] - (s.buffer + s.segment_start)
        group.length = <uint32_t> length[s.format.group_field]
        if s.format.subgroup_field >= 0:
            group.subgroup_offset = field[s.format.subgroup_field] - (s.buffer + s.segment_start)
            group.subgroup_length = <uint32_t> length[s.format.subgroup_field]
        return True
    if n == s.format.n_fields and not keep_start(
        s, line_start, field[s.format.docno_field] - (s.buffer + line_start)
    ):
        return False
    n = s.format.n_fields - 1
    return s.format.value_kind != SCORE or keep_tag(s, field[n], length[n])


cdef bint keep_start(Scanner *s, size_t line_start, size_t length) noexcept nogil:
    # Notes what the line begins with, for quick_line(). The copy is readable for 16 bytes.
    if length > TK_SLACK:  # it is compared without a look at where the buffer ends
        s.start_length = 0
        return True
    if not reserve(<void **> &s.start, &s.start_capacity, length + TK_SLACK, 1):
        return fail(s, OUT_OF_MEMORY, line_start, 0)
    memcpy(s.start, s.buffer + line_start, length)
    s.start_length = length
    s.blank = s.start[length - 1]
    return True


cdef bint has_inner_cr(Scanner *s, size_t line_start, size_t line_end) noexcept nogil:
    # Whether text follows a CR: lines that end with CR alone run together into one.
    cdef const char *end = s.buffer + line_end
    cdef const char *p = s.buffer + line_start
    while p < end and tk_is_blank((end - 1)[0]):
        end -= 1
    return end > p and memchr(p, c"\r", end - p) != NULL


cdef bint keep_tag(Scanner *s, const char *tag, size_t length) noexcept nogil:
    if not reserve(<void **> &s.tag, &s.tag_capacity, length, 1):
        return fail(s, OUT_OF_MEMORY, s.parsed, 0)
    memcpy(s.tag, tag, length)
    s.tag_length = length
    return True


cdef inline bint walk(
    Scanner *s, size_t limit, const int n_tail, const int value, const ValueKind kind
) noexcept nogil:
    # All lines from s.parsed to `limit`, the byte before which is a LF. The constants are those of a format with a
    # quick way: how many fields there are from the document id on, and which of them is the value.
    cdef tk_tail_t tail
    cdef const char *docno
    cdef size_t at = s.parsed, quick = 0  # the line that was read the quick way last
    cdef uint32_t tag = 0, tag_end = 0
    while at < limit:
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
            quick = at
            tag = tail.end[n_tail - 2] + 1
            tag_end = tail.end[n_tail - 1]
            at += s.start_length + tail.line_end + 1
        else:
            if quick and not end_quick(s, kind, quick, tag, tag_end):
                return False
            quick = 0
            s.parsed = at
            if not next_slow_line(s, limit):
                return False
            at = s.parsed
    s.parsed = at
    return not quick or end_quick(s, kind, quick, tag, tag_end)


cdef bint end_quick(Scanner *s, const ValueKind kind, size_t line, size_t tag, size_t tag_end) noexcept nogil:
    # What is known of the last of several lines that were read the quick way. Its start is never the buffer's.
    s.last_position = s.base + line
    return kind != SCORE or keep_tag(s, s.buffer + line + s.start_length + tag, tag_end - tag)


cdef bint next_slow_line(Scanner *s, size_t limit) noexcept nogil:
    cdef size_t start = s.parsed
    cdef const char *end = <const char *> memchr(s.buffer + start, c"\n", limit - start)
    s.parsed = end - s.buffer + 1
    return slow_line(s, start, end - s.buffer)


cdef bint walk_slowly(Scanner *s, size_t limit) noexcept nogil:
    while s.parsed < limit:
        if not next_slow_line(s, limit):
            return False
    return True


cdef bint walk_lines(Scanner *s, size_t limit) noexcept nogil:
    cdef int n_tail = s.format.n_fields - s.format.docno_field
    cdef int value = s.format.value_field - s.format.docno_field
    if s.format.group_field >= 0:
        return walk_slowly(s, limit)
    if s.format.value_kind == SCORE and n_tail == 4 and value == 2:
        return walk(s, limit, 4, 2, SCORE)
    if s.format.value_kind == SCORE and n_tail == 4 and value == 1:
        return walk(s, limit, 4, 1, SCORE)
    if s.format.value_kind == GRADE and n_tail == 2 and value == 1:
        return walk(s, limit, 2, 1, GRADE)
    return walk_slowly(s, limit)


cdef void process(Scanner *s, size_t n_new, bint at_end) noexcept nogil:
    # Takes all whole lines of the buffer, whose last n_new bytes are new; at the end of the file also one without LF.
    # What was there before and is left begins a line that doesn't end in it: a long line is searched through once.
    cdef size_t limit, earliest
    cdef const char *newline
    if not s.started:
        if s.filled - s.parsed < 3 and not at_end:
            return
        s.started = True
        n_new = s.filled - s.parsed
        if s.filled - s.parsed >= 3 and memcmp(s.buffer + s.parsed, BYTE_ORDER_MARK, 3) == 0:
            s.parsed += 3
    if s.skip_line:
        newline = <const char *> memchr(s.buffer + s.parsed, c"\n", s.filled - s.parsed)
        if newline == NULL:
            s.parsed = s.filled
            return
        s.parsed = newline - s.buffer + 1
        s.skip_line = False
    if at_end and s.filled > s.parsed and s.buffer[s.filled - 1] != c"\n":
        s.buffer[s.filled] = c"\n"
        s.filled += 1
        n_new += 1
    earliest = max(s.parsed, s.filled - n_new)
    limit = s.filled
    while limit > earliest and s.buffer[limit - 1] != c"\n":
        limit -= 1
    if limit == earliest:  # an error now, before what may be no text at all is read to its end
        if memchr(s.buffer + earliest, 0, s.filled - earliest) != NULL:
            fail(s, HAS_NUL, s.parsed, 0)
        elif s.filled - s.parsed > s.format.longest_line:
            fail(s, LINE_TOO_LONG, s.parsed, 0)
    elif not s.stopped and not walk_lines(s, limit):
        s.stopped = True


cdef bint make_room(Scanner *s, size_t n) noexcept nogil:
    # Room for n more bytes (and slack): drops the text that nobody needs, and grows the buffer if that isn't enough.
    cdef size_t keep = s.segment_start if s.open else s.parsed
    if s.filled + n + TK_SLACK <= s.capacity:
        return True
    if keep:
        memmove(s.buffer, s.buffer + keep, s.filled - keep)
        s.base += keep
        s.segment_start -= keep if s.open else 0
        s.parsed -= keep
        s.filled -= keep
    if not reserve(<void **> &s.buffer, &s.capacity, s.filled + n + TK_SLACK, 1):
        return fail(s, OUT_OF_MEMORY, s.parsed, 0)
    return True


cdef void scan_file(Scanner *s, int fd, int64_t begin, int64_t end, const int *cancelled) noexcept nogil:
    # The share [begin, end) of a file. Shares may begin anywhere: the segment of the first record behind `begin` is
    # left to the share before, which goes on behind its own end until that same segment is over.
    cdef int64_t position = begin, got
    if begin > 0:
        position = begin - 1
        s.started = s.skip_line = s.discard = True
    s.base = position
    s.range_end = end
    while not s.stopped and not cancelled[0]:
        if not make_room(s, READ_SIZE):
            return
        got = tk_read_at(fd, s.buffer + s.filled, READ_SIZE, position)
        if got < 0:
            fail(s, READ_FAILED, s.parsed, errno)
            return
        if got == 0:
            scan_end(s)
            return
        position += got
        s.filled += got
        process(s, got, False)


cdef void scan_bytes(Scanner *s, const char *text, size_t n) noexcept nogil:
    # The next bytes of a stream.
    if s.stopped or not make_room(s, n):
        return
    memcpy(s.buffer + s.filled, text, n)
    s.filled += n
    process(s, n, False)


cdef void scan_end(Scanner *s) noexcept nogil:
    # The end of the file: what is left, and the open segment.
    if s.stopped or not make_room(s, 1):
        return
    process(s, 0, True)
    if not s.stopped:
        end_segment(s)
