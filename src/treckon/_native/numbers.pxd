"""The tables that number parsing needs, made once at import."""

from treckon._native.scan cimport tk_numbers_t

cdef const tk_numbers_t *number_tables() noexcept nogil
