"""What Cython sees of scan.h, which documents each function."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef extern from "scan.h" nogil:
    enum:
        TK_SLACK
        TK_LOWEST_POWER
        TK_HIGHEST_POWER

    ctypedef struct tk_tail_t:
        uint32_t[4] end
        uint32_t line_end

    ctypedef struct tk_key_t:
        uint64_t[4] word

    bint tk_is_blank(unsigned char c)

    ctypedef struct tk_power_t:
        uint64_t high
        uint64_t low

    ctypedef struct tk_numbers_t:
        tk_power_t[131] power

    void tk_set_locale(tk_numbers_t *numbers)

    bint TK_UNLIKELY(bint)
    void tk_prefetch(const void *place)
    unsigned char tk_exchange(unsigned char *place, unsigned char value)
    int64_t tk_read_at(int fd, char *buffer, size_t n, int64_t offset)
    bint tk_tail(const char *p, int n, char blank, tk_tail_t *tail)
    bint tk_same_start(const char *a, const char *b, size_t n)
    uint64_t tk_hash(const char *p, size_t n, const tk_key_t *key)
    bint tk_same(const char *a, size_t n_a, const char *b, size_t n_b)
    bint tk_same_padded(const char *a, size_t n_a, const char *b, size_t n_b)
    int tk_compare(const char *a, size_t n_a, const char *b, size_t n_b)
    bint tk_last_digits(const char *end, size_t n, uint64_t *value)
    bint tk_plain_real(const tk_numbers_t *numbers, const char *text, size_t n, double *value)
    size_t tk_real(const tk_numbers_t *numbers, const char *text, size_t n, double *value)
    size_t tk_integer(const char *text, size_t n, int64_t *value)
    size_t tk_decimal(int64_t number, char *text)
