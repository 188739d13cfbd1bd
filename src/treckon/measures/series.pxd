"""Sums over ranks that no document need hold, such as a cutoff's: their time depends on no parameter."""

from libc.math cimport exp, fmin, log, pow
from libc.stdint cimport int64_t

cdef enum:
    ADDED_ONE_BY_ONE = 1024


# The weight of a rank, smooth and falling, also between whole numbers.
ctypedef double (*weight_t)(double rank) noexcept nogil


cdef inline double by_rank(double rank) noexcept nogil:
    return 1.0 / rank


cdef inline double integral(double p, weight_t weight, double low, double high) noexcept nogil:
    # of p^(x-1) weight(x), by Gauss-Legendre quadrature over pieces, each twice as long as the one before
    cdef double[8] nodes = [
        0.09501250983763744, 0.2816035507792589, 0.45801677765722737, 0.6178762444026438,
        0.755404408355003, 0.8656312023878318, 0.9445750230732326, 0.9894009349916499,
    ]
    cdef double[8] weights = [
        0.18945061045506864, 0.18260341504492364, 0.16915651939500265, 0.1495959888165767,
        0.12462897125553407, 0.0951585116824926, 0.062253523938647456, 0.027152459411754176,
    ]
    cdef double rate = log(p), total = 0.0, middle, half, piece, below, above
    cdef int i
    while low < high:
        half = (fmin(2.0 * low, high) - low) / 2.0
        middle = low + half
        piece = 0.0
        for i in range(8):
            below = middle - half * nodes[i]
            above = middle + half * nodes[i]
            piece += weights[i] * exp(rate * (below - 1.0)) * weight(below)
            piece += weights[i] * exp(rate * (above - 1.0)) * weight(above)
        total += half * piece
        if piece == 0.0:  # and so is the rest
            break
        low *= 2.0
    return total


cdef inline double sum_of_weights(double p, weight_t weight, int64_t first, int64_t last) noexcept nogil:
    # sum over first <= i <= last of p^(i-1) weight(i), p from 0 to 1
    # Behind the first thousand ranks by the formula of Euler and Maclaurin at middles: with f' the differences of
    # neighbours, what it leaves out is less than a double holds.
    cdef double total = 0.0, power = pow(p, <double> (first - 1)), low, high
    cdef int64_t rank = first
    while rank <= min(last, first + ADDED_ONE_BY_ONE) and power > 0.0:
        total += power * weight(<double> rank)
        power *= p
        rank += 1
    if rank > last or power == 0.0:
        return total
    low = <double> rank
    high = <double> last
    return total + integral(p, weight, low - 0.5, high + 0.5) - (
        pow(p, high) * weight(high + 1.0) - pow(p, high - 1.0) * weight(high)
        - pow(p, low - 1.0) * weight(low) + pow(p, low - 2.0) * weight(low - 1.0)
    ) / 24.0


cdef inline double sum_of_powers(double p, int64_t n) noexcept nogil:
    # 1 + p + ... + p^(n-1), p below 1
    return (1.0 - pow(p, <double> n)) / (1.0 - p)
