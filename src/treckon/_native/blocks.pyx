"""Blocks of a file or stream to whole lines, which lines.pyx makes segments of."""

from libc.errno cimport errno
from libc.stdint cimport int64_t
from libc.string cimport memchr, memcmp, memcpy, memmove

from treckon._native.lines cimport Scanner, end_segment, fail, report_line, report_long_line, walk_lines
from treckon._native.memory cimport reserve
from treckon._native.problems cimport (
    BYTE_ORDER_MARK, LINE_TOO_LONG, NO_FINAL_NEWLINE, NUL_BYTE, OUT_OF_MEMORY, READ_FAILED, ProblemKind,
)
from treckon._native.scan cimport TK_SLACK, tk_read_at

cdef enum:
    READ_SIZE = 256 << 10      # a block

cdef const char *MARK = b"\xef\xbb\xbf"


cdef bint report_next_line(Scanner *s, ProblemKind kind) noexcept nogil:
    # Tells of a problem of the line that begins at s.parsed. False: stop.
    cdef bint goes_on
    s.line += 1
    goes_on = report_long_line(s, s.parsed) if kind == LINE_TOO_LONG else report_line(s, kind, s.parsed)
    s.line -= 1
    return goes_on


cdef bint skip_to_line(Scanner *s) noexcept nogil:
    # Passes over what is left of the line that the share began in, or that is too long. False: there is no more yet.
    cdef const char *newline = <const char *> memchr(s.buffer + s.parsed, c"\n", s.filled - s.parsed)
    if s.skip_line:
        s.parsed = s.filled if newline == NULL else <size_t> (newline - s.buffer) + 1
        s.skip_line = newline == NULL
    elif newline == NULL:
        s.filled = s.parsed
    else:  # the open segment's text stays, and nobody wants the positions of a thorough scanner
        s.line += 1
        s.skipping = False
        memmove(s.buffer + s.parsed, newline + 1, s.buffer + s.filled - (newline + 1))
        s.filled -= newline + 1 - (s.buffer + s.parsed)
    return newline != NULL


cdef void begin_file(Scanner *s) noexcept nogil:
    # Passes over a byte-order mark.
    s.started = True
    if s.filled - s.parsed >= 3 and memcmp(s.buffer + s.parsed, MARK, 3) == 0:
        if not s.thorough or report_next_line(s, BYTE_ORDER_MARK):
            s.parsed += 3


cdef void process(Scanner *s, size_t n_new, bint at_end) noexcept nogil:
    # Takes all whole lines of the buffer, whose last n_new bytes are new; at the end of the file also one without LF.
    # What was there before and is left begins a line that doesn't end in it: a long line is searched through once.
    cdef size_t limit, earliest
    if not s.started:
        if s.filled - s.parsed < 3 and not at_end:
            return
        begin_file(s)
        n_new = s.filled - s.parsed
    if s.skip_line and not skip_to_line(s):
        return
    if at_end and (s.skipping or (s.filled > s.parsed and s.buffer[s.filled - 1] != c"\n")):
        if s.thorough:
            report_next_line(s, NO_FINAL_NEWLINE)
        s.buffer[s.filled] = c"\n"
        s.filled += 1
        n_new += 1
    if s.skipping and not skip_to_line(s):
        return
    earliest = max(s.parsed, s.filled - min(n_new, s.filled))
    limit = s.filled
    while limit > earliest and s.buffer[limit - 1] != c"\n":
        limit -= 1
    if limit > earliest and not s.stopped and not walk_lines(s, limit):
        s.stopped = True
    if limit == earliest and not s.thorough and memchr(s.buffer + earliest, 0, s.filled - earliest) != NULL:
        report_line(s, NUL_BYTE, s.parsed)  # now, before what may be no text at all is read to its end
    elif not s.stopped and s.filled - s.parsed > s.format.longest_line:
        if report_next_line(s, LINE_TOO_LONG) and s.thorough:
            s.skipping = True
            s.filled = s.parsed


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
        return fail(s, OUT_OF_MEMORY, 0)
    return True


cdef void scan_file(Scanner *s, int fd, int64_t begin, int64_t end, const int *cancelled) noexcept nogil:
    # The share [begin, end) of a file. Shares may begin anywhere: the segment of the first record behind `begin` is
    # left to the share before, which goes on behind its own end until that same segment is over. A thorough scanner's
    # share begins with a line and ends with one, so that its lines can be counted.
    cdef int64_t position = begin, got, n = READ_SIZE
    if begin > 0:
        s.started = True
        if not s.thorough:
            position = begin - 1
            s.skip_line = s.discard = True
    s.base = position
    s.range_end = end
    while not s.stopped and not cancelled[0]:
        if not make_room(s, READ_SIZE):
            return
        if s.thorough:
            n = min(<int64_t> READ_SIZE, end - position)
        got = tk_read_at(fd, s.buffer + s.filled, n, position)
        if got < 0:
            fail(s, READ_FAILED, errno)
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
        s.ended = end_segment(s)
