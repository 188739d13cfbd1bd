"""The ranking, kernels as Python objects, and the logarithm that discounts share."""

from libc.math cimport ldexp, log2
from libc.stdint cimport int32_t, int64_t

cdef enum:
    TABLE_SIZE = 1025

cdef double[TABLE_SIZE] LOG2_TABLE


cdef void fill_table() noexcept:
    cdef int i
    for i in range(TABLE_SIZE):
        LOG2_TABLE[i] = log2(i + 1.0)


fill_table()


cdef double log2_of_rank_plus_1(int64_t rank) noexcept nogil:
    # libm's log2(rank + 1); the first ranks, where nearly all hits lie, from a table.
    if rank < TABLE_SIZE:
        return LOG2_TABLE[rank]
    return log2(rank + 1.0)


cdef double linear_gain(int32_t grade, int32_t unused) noexcept nogil:
    return <double> grade


cdef double exp2_gain(int32_t grade, int32_t unused) noexcept nogil:
    # 2^grade - 1; grades whose gain no double holds count as the highest that one does
    return ldexp(1.0, grade if grade < 1000 else 1000) - 1.0


cdef double binary_gain(int32_t grade, int32_t binary_from) noexcept nogil:
    return 1.0 if grade >= binary_from else 0.0


cdef class Kernel:
    """A compiled kernel: the engine calls it for every query, without the interpreter."""

    def __init__(self):
        raise TypeError("a Kernel is made by the module that defines it")

    @staticmethod
    cdef Kernel of(kernel_t function):
        cdef Kernel kernel = Kernel.__new__(Kernel)
        kernel.function = function
        return kernel

    @staticmethod
    cdef Kernel of_holes(kernel_t function):
        # One that reads Ranking.holes.
        cdef Kernel kernel = Kernel.of(function)
        kernel.reads_holes = True
        return kernel

    @staticmethod
    cdef Kernel of_text(text_kernel_t function):
        cdef Kernel kernel = Kernel.__new__(Kernel)
        kernel.text_function = function
        return kernel

    @staticmethod
    cdef Kernel of_preferences(preference_kernel_t function):
        cdef Kernel kernel = Kernel.__new__(Kernel)
        kernel.preference_function = function
        return kernel

    @staticmethod
    cdef Kernel of_diversity(diversity_kernel_t function):
        cdef Kernel kernel = Kernel.__new__(Kernel)
        kernel.diversity_function = function
        return kernel

    @property
    def is_text(self):
        """Whether the kernel makes a text of each query instead of a number."""
        return self.text_function != NULL
