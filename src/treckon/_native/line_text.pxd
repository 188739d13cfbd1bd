"""The bytes of one line: fields, white space, encoding. All of it byte by byte, for lines that no quick way takes."""

from libc.string cimport memchr

from treckon._native.scan cimport tk_is_blank

cdef enum:
    MAX_FIELDS = 6


cdef inline int split_fields(const char *p, const char *end, const char **field, size_t *length) noexcept nogil:
    # The first fields of a line; how many it has.
    cdef int n = 0
    while True:
        while p < end and tk_is_blank(p[0]):
            p += 1
        if p == end:
            return n
        if n < MAX_FIELDS:
            field[n] = p
        while p < end and not tk_is_blank(p[0]):
            p += 1
        if n < MAX_FIELDS:
            length[n] = p - field[n]
        n += 1


cdef inline bint has_inner_cr(const char *p, const char *end) noexcept nogil:
    # Whether text follows a CR: lines that end with CR alone run together into one.
    while p < end and tk_is_blank((end - 1)[0]):
        end -= 1
    return end > p and memchr(p, c"\r", end - p) != NULL


cdef inline bint has_odd_blank(const char *p, const char *end) noexcept nogil:
    # Whether there is white space that is neither a space nor a TAB.
    while p < end:
        if tk_is_blank(p[0]) and p[0] != c" " and p[0] != c"\t":
            return True
        p += 1
    return False


cdef inline bint has_high_bytes(const char *p, size_t n) noexcept nogil:
    cdef unsigned char bits = 0
    cdef size_t i
    for i in range(n):
        bits |= <unsigned char> p[i]
    return bits >> 7


cdef inline bint is_utf8(const char *text, size_t n) noexcept nogil:
    # As RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
    cdef const unsigned char *p = <const unsigned char *> text
    cdef const unsigned char *end = p + n
    cdef unsigned char first, low, high
    cdef size_t more
    while p < end:
        first = p[0]
        p += 1
        if first < 0x80:
            continue
        low = 0x80
        high = 0xBF
        if 0xC2 <= first <= 0xDF:
            more = 1
        elif 0xE0 <= first <= 0xEF:
            more = 2
            low = 0xA0 if first == 0xE0 else 0x80
            high = 0x9F if first == 0xED else 0xBF
        elif 0xF0 <= first <= 0xF4:
            more = 3
            low = 0x90 if first == 0xF0 else 0x80
            high = 0x8F if first == 0xF4 else 0xBF
        else:
            return False
        while more > 0:
            if p == end or not low <= p[0] <= high:
                return False
            low = 0x80
            high = 0xBF
            p += 1
            more -= 1
    return True
