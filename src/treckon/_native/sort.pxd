"""A stable merge sort of indices by a comparison with context; C's qsort has neither."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy

# Below, at or above 0 as item a comes before, with or after item b.
ctypedef int (*order_t)(const void *, int64_t, int64_t) noexcept nogil


cdef inline void merge_sort(
    int64_t *items, int64_t n, int64_t *scratch, order_t order, const void *context
) noexcept nogil:
    # Sorts the n indices; `scratch` has room for as many. Runs of 8 are inserted, then merged bottom-up.
    cdef int64_t begin, middle, end, width, i, j, k, item
    cdef int64_t *source = items
    cdef int64_t *target = scratch
    cdef int64_t *swap
    for begin in range(0, n, 8):
        end = begin + 8 if begin + 8 < n else n
        for i in range(begin + 1, end):
            item = items[i]
            j = i
            while j > begin and order(context, items[j - 1], item) > 0:
                items[j] = items[j - 1]
                j -= 1
            items[j] = item
    width = 8
    while width < n:
        begin = 0
        while begin < n:
            middle = begin + width if begin + width < n else n
            end = middle + width if middle + width < n else n
            i = begin
            j = middle
            k = begin
            while i < middle and j < end:
                if order(context, source[i], source[j]) <= 0:
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
                k += 1
            memcpy(target + k, source + i, (middle - i) * sizeof(int64_t))
            memcpy(target + k + middle - i, source + j, (end - j) * sizeof(int64_t))
            begin = end
        swap = source
        source = target
        target = swap
        width *= 2
    if source != items:
        memcpy(items, source, n * sizeof(int64_t))
