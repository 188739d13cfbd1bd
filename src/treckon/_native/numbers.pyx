"""Text to numbers, one way for files, options and parameters: as C reads it, with the question whether it is all."""

from libc.stdint cimport int64_t, uint64_t

from treckon._native.scan cimport (
    TK_HIGHEST_POWER, TK_LOWEST_POWER, TK_SLACK, tk_integer, tk_numbers_t, tk_real, tk_set_locale,
)

cdef tk_numbers_t TABLES


cdef const tk_numbers_t *number_tables() noexcept nogil:
    return &TABLES


def _fill_tables():
    # The 128 leading bits of 5^exponent. Those of a reciprocal are rounded up down to 5^-27, so that a product that
    # should be exact lies just above and not just below it; further down they are cut off as for positive exponents.
    for exponent in range(TK_LOWEST_POWER, TK_HIGHEST_POWER + 1):
        power = 5 ** abs(exponent)
        n_bits = power.bit_length()
        if exponent >= 0:
            significand = power << 128 >> n_bits
        elif exponent >= -27:
            significand = (1 << n_bits + 127) // power + 1
        else:
            significand = (1 << 2 * n_bits + 128) // power + 1
            significand >>= significand.bit_length() - 128
        TABLES.power[exponent - TK_LOWEST_POWER].high = <uint64_t> (significand >> 64)
        TABLES.power[exponent - TK_LOWEST_POWER].low = <uint64_t> (significand & 0xFFFFFFFFFFFFFFFF)
    tk_set_locale(&TABLES)


_fill_tables()

_BLANKS = " \t\n\v\f\r"


def integer_prefix(text: str):
    """The whole number that `text` starts with, as C's atol reads it, and whether it is all of the text.

    Leading white space is passed over, a text without a number is 0, and numbers stop at the ends of 64 bits.
    """
    cdef bytes field = text.lstrip(_BLANKS).encode("utf-8", "surrogateescape")
    cdef size_t length = len(field)
    cdef int64_t value = 0
    cdef size_t used = tk_integer(field, length, &value)
    return value, 0 < used == length


def real_prefix(text: str):
    """The number that `text` starts with, as C's atof reads it, and whether it is all of the text.

    Leading white space is passed over and a text without a number is 0. Decimal numbers are correctly rounded.
    """
    cdef bytes field = text.lstrip(_BLANKS).encode("utf-8", "surrogateescape")
    cdef size_t length = len(field), used
    cdef double value = 0.0
    field += bytes(TK_SLACK)
    used = tk_real(&TABLES, field, length, &value)
    return value, 0 < used == length
