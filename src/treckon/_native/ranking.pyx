"""The ranking, kernels as Python objects, and the logarithm that discounts share."""

from libc.math cimport log2

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
    cdef Kernel of_text(text_kernel_t function):
        cdef Kernel kernel = Kernel.__new__(Kernel)
        kernel.text_function = function
        return kernel

    @property
    def is_text(self):
        """Whether the kernel makes a text of each query instead of a number."""
        return self.text_function != NULL
