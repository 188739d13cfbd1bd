"""Arrays that grow."""

from libc.stdlib cimport realloc


cdef inline bint reserve(void **memory, size_t *capacity, size_t needed, size_t item_size) noexcept nogil:
    # Room for at least `needed` items, by doubling, and never NULL, which memcpy may not have even for 0 bytes.
    # False: out of memory, and everything is as it was.
    cdef size_t target = capacity[0] if capacity[0] else 256
    cdef void *larger
    if needed <= capacity[0] and capacity[0]:
        return True
    while target < needed:
        target *= 2
    larger = realloc(memory[0], target * item_size)
    if larger == NULL:
        return False
    memory[0] = larger
    capacity[0] = target
    return True
