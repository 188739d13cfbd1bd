"""Division for kernels: a number whatever is divided."""

from libc.math cimport isfinite


cdef inline double finite(double value) noexcept nogil:
    # 0 for what overflowed: only parameters far outside any use come here.
    return value if isfinite(value) else 0.0


cdef inline double ratio(double part, double whole) noexcept nogil:
    # part / whole, 0 where there is nothing to divide by.
    return finite(part / whole) if whole != 0.0 else 0.0
