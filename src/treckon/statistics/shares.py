"""Resampling by several threads: each makes some of the resamples, and the result does not depend on which."""

from __future__ import annotations

from treckon.checks import checked_whole_number
from treckon.threads import available_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treckon.statistics.arguments import Array

#: Numbers that are added before a thread checks whether it should stop: a few milliseconds.
_STEP = 1 << 22
#: Numbers of a distribution that are kept at once.
_KEPT = 1 << 23


def n_threads(threads: object) -> int:
    """How many threads to use, from the number that the user requested (0: as many as can run)."""
    return checked_whole_number("threads", threads, 0, 1024) or available_threads()


def share_out(n: int, cost: int, threads: int, work: Callable[[int, int, int], None]) -> None:
    """Calls work(thread, begin, end) for all of range(n) in parts; `cost` is how many numbers one of them adds.

    An interrupt, or what one thread raises, stops all at their next part.
    """
    size = max(1, _STEP // max(cost, 1))
    threads = max(1, min(threads, -(-n // size)))
    stopped = False

    def take(thread: int) -> None:
        for begin in range(thread * size, n, threads * size):
            if stopped:
                return
            work(thread, begin, min(begin + size, n))

    if threads == 1:
        take(0)
        return
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    with ThreadPoolExecutor(threads) as pool:
        try:
            futures = [pool.submit(take, thread) for thread in range(threads)]
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            stopped = True
    for future in futures:
        future.result()


def bootstrap_distributions(
    sums: Array, sizes: Array, resamples: int, seed: int, threads: int, take: Callable[[int, Array], None]
) -> None:
    """Calls take(column, means of its resamples) for each column of `sums`: all are resampled alike."""
    import numpy

    from treckon._native.resampling import bootstrap_means

    n_units, n_columns = sums.shape
    block = max(1, _KEPT // resamples)
    for start in range(0, n_columns, block):
        part = numpy.ascontiguousarray(sums[:, start : start + block])
        means = numpy.empty((resamples, part.shape[1]))

        def work(thread: int, begin: int, end: int, part: Array = part, means: Array = means) -> None:
            bootstrap_means(part, sizes, seed, begin, means[begin:end])

        share_out(resamples, part.size, threads, work)
        for i, column in enumerate(numpy.ascontiguousarray(means.T)):
            take(start + i, column)


def flips_reaching(sums: Array, bounds: Array, resamples: int, seed: int, threads: int) -> Sequence[int]:
    """For each column, how many of the resamples with random signs have a |sum| of at least its bound."""
    import numpy

    from treckon._native.resampling import count_flips

    counts = numpy.zeros((threads, sums.shape[1]), dtype=numpy.longlong)

    def work(thread: int, begin: int, end: int) -> None:
        count_flips(sums, bounds, seed, begin, end - begin, counts[thread])

    share_out(resamples, sums.size, threads, work)
    return [int(count) for count in counts.sum(axis=0)]


def ranges(sums: Array, resamples: int, seed: int, threads: int) -> Array:
    """The ranges of the columns' totals in each resample, rising, where values are permuted within each unit."""
    import numpy

    from treckon._native.resampling import permuted_ranges

    sampled = numpy.empty(resamples)

    def work(thread: int, begin: int, end: int) -> None:
        permuted_ranges(sums, seed, begin, sampled[begin:end])

    share_out(resamples, 4 * sums.size, threads, work)
    sampled.sort()
    return sampled
