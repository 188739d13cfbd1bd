"""Resampling of values per query: bootstrap, sign flips, permutations.

Each resample has a generator of its own, started from the seed and the number of the resample. So a resample is the
same whichever thread makes it, and however the resamples are shared out. Matrices have a row for each unit, which is a
query or a cluster of queries, and a column for each run (or difference of runs): what is drawn for a unit holds for
the whole row, so pairs are kept together and a run's result does not depend on which others stand beside it.
"""

from libc.math cimport fabs
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

# SplitMix64: Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline uint64_t started(uint64_t seed, uint64_t resample) noexcept nogil:
    return mixed(mixed(seed + <uint64_t> 0x9E3779B97F4A7C15) + resample)


cdef inline uint64_t draw(uint64_t *state) noexcept nogil:
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    return mixed(state[0])


cdef inline size_t below(uint64_t *state, uint64_t n) noexcept nogil:
    # One of 0 ... n - 1, each equally often, for n < 2^32: the leading half of a draw times n, drawn again where the
    # product's trailing half says that this number would come once too often (Lemire, TOMACS 2019).
    cdef uint64_t product = (draw(state) >> 32) * n
    cdef uint64_t least
    if <uint32_t> product < n:
        least = ((<uint64_t> 1 << 32) - n) % n
        while <uint32_t> product < least:
            product = (draw(state) >> 32) * n
    return <size_t> (product >> 32)


cdef inline void add(double *total, const double *row, size_t n) noexcept nogil:
    cdef size_t i
    for i in range(n):
        total[i] += row[i]


cdef inline void subtract(double *total, const double *row, size_t n) noexcept nogil:
    cdef size_t i
    for i in range(n):
        total[i] -= row[i]


def bootstrap_means(
    const double[:, ::1] sums, const double[::1] sizes, uint64_t seed, uint64_t first, double[:, ::1] means
):
    """Means of resamples: as many units as there are, drawn with replacement, their sums over their sizes.

    sums:  units x columns, each unit's sum of values
    sizes: number of queries of each unit
    first: number of the resample that the first row of `means` is to hold
    means: resamples x columns, is written to
    """
    cdef size_t n_units = sums.shape[0], n_columns = sums.shape[1], n_resamples = means.shape[0]
    cdef size_t resample, i, unit
    cdef uint64_t state
    cdef double size
    cdef double *total
    if n_units == 0 or n_columns == 0 or n_resamples == 0:
        return
    with nogil:
        for resample in range(n_resamples):
            state = started(seed, first + resample)
            total = &means[resample, 0]
            memset(total, 0, n_columns * sizeof(double))
            size = 0.0
            for i in range(n_units):  # no-cython-lint: only so often
                unit = below(&state, n_units)
                size += sizes[unit]
                add(total, &sums[unit, 0], n_columns)
            for i in range(n_columns):
                total[i] /= size


def count_flips(
    const double[:, ::1] differences, const double[::1] bounds, uint64_t seed, uint64_t first, size_t n_resamples,
    long long[::1] counts
):
    """Adds to `counts`, for each column, the resamples whose |sum of differences with random signs| is >= its bound.

    differences: units x columns
    """
    cdef size_t n_units = differences.shape[0], n_columns = differences.shape[1]
    cdef size_t resample, i, unit
    cdef uint64_t state, signs = 0
    cdef double *total
    if n_units == 0 or n_columns == 0:
        return
    total = <double *> malloc(n_columns * sizeof(double))
    if total == NULL:
        raise MemoryError
    with nogil:
        for resample in range(n_resamples):
            state = started(seed, first + resample)
            memset(total, 0, n_columns * sizeof(double))
            for unit in range(n_units):
                if unit % 64 == 0:
                    signs = draw(&state)
                if signs & 1:
                    add(total, &differences[unit, 0], n_columns)
                else:
                    subtract(total, &differences[unit, 0], n_columns)
                signs >>= 1
            for i in range(n_columns):
                counts[i] += fabs(total[i]) >= bounds[i]
    free(total)


cdef size_t signed_sums(const double *values, size_t n, double *sums) noexcept nogil:
    # The sums of the n values with each of the 2^n choices of signs.
    cdef size_t n_sums = 1, i, j
    sums[0] = 0.0
    for i in range(n):
        for j in range(n_sums):
            sums[n_sums + j] = sums[j] + values[i]
            sums[j] -= values[i]
        n_sums *= 2
    return n_sums


def count_all_flips(const double[::1] differences, double bound):
    """How many of the 2^n choices of signs give a |sum of differences| >= bound. Takes 2^n steps."""
    cdef size_t n = differences.shape[0], n_first, n_second, i, j
    cdef long long count = 0
    cdef double *first
    cdef double *second
    if n == 0:
        return int(0.0 >= bound)
    first = <double *> malloc((sizeof(double) << (n // 2)) + (sizeof(double) << (n - n // 2)))
    if first == NULL:
        raise MemoryError
    second = first + (<size_t> 1 << (n // 2))
    with nogil:
        # The sums of all are the sums of the halves in each combination.
        n_first = signed_sums(&differences[0], n // 2, first)
        n_second = signed_sums(&differences[0] + n // 2, n - n // 2, second)
        for i in range(n_first):
            for j in range(n_second):
                count += fabs(first[i] + second[j]) >= bound
    free(first)
    return count


def permuted_ranges(const double[:, ::1] sums, uint64_t seed, uint64_t first, double[::1] ranges):
    """Ranges (greatest less least) of the columns' totals, after each unit's values were permuted among the columns.

    sums:   units x columns
    first:  number of the resample that the first of `ranges` is to hold
    ranges: is written to
    """
    cdef size_t n_units = sums.shape[0], n_columns = sums.shape[1], n_resamples = ranges.shape[0]
    cdef size_t resample, unit, left, at
    cdef uint64_t state
    cdef double least, greatest
    cdef double *total
    cdef double *row
    if n_columns == 0:
        return
    total = <double *> malloc(2 * n_columns * sizeof(double))
    if total == NULL:
        raise MemoryError
    row = total + n_columns
    with nogil:
        for resample in range(n_resamples):
            state = started(seed, first + resample)
            memset(total, 0, n_columns * sizeof(double))
            for unit in range(n_units):
                memcpy(row, &sums[unit, 0], n_columns * sizeof(double))
                for left in range(n_columns, 1, -1):
                    at = below(&state, left)
                    total[left - 1] += row[at]
                    row[at] = row[left - 1]
                total[0] += row[0]
            least = greatest = total[0]
            for at in range(1, n_columns):
                least = min(least, total[at])
                greatest = max(greatest, total[at])
            ranges[resample] = greatest - least
    free(total)
