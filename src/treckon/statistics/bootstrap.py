"""Confidence intervals of means from resampled queries."""

from __future__ import annotations

from typing import NamedTuple

from treckon.checks import checked_choice, checked_share
from treckon.statistics.arguments import magnitude, mean, numbers, resampling, rows, units
from treckon.statistics.shares import bootstrap_distributions, n_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any

    from numpy.typing import ArrayLike

    from treckon.statistics.arguments import Array

METHODS = ("bca", "percentile")

#: Of the greatest value: means of resamples that are nearer than this to the mean itself are equal to it.
_ROUNDING = 1e-12


class Interval(NamedTuple):
    """A confidence interval of a mean.

    low, high:  its ends
    estimate:   the mean itself
    confidence: share of such intervals that hold the true mean, such as 0.95
    method:     "bca" or "percentile"
    note:       why it has no width, where it has none: "one query", "one cluster" or "all values equal"; else empty
    """

    low: float
    high: float
    estimate: float
    confidence: float
    method: str
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary."""
        return self._asdict()


def bootstrap_interval(
    values: ArrayLike,
    *,
    confidence: float = 0.95,
    method: str = "bca",
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    threads: int = 0,
) -> Interval:
    """The bootstrap confidence interval of the mean of a run's values, or of the differences of two runs.

    values:     a number for each query; differences by `paired_differences`, so that pairs are kept together
    confidence: above 0, below 1
    method:     "percentile" (Efron 1979) or "bca", corrected for bias and skewness with the acceleration from the
                jackknife (Efron, Better bootstrap confidence intervals, JASA 82, 1987)
    resamples:  number of resamples, each of as many queries as there are, drawn with replacement
    seed:       makes the resamples, together with the number of queries: the same seed draws the same queries whatever
                the values
    clusters:   the cluster of each query, where queries depend on each other (variants of one question, turns of one
                conversation): then whole clusters are drawn (Cameron, Gelbach & Miller, Review of Economics and
                Statistics 90, 2008), and a resample's mean is over all queries in it
    threads:    how many may be used, 0: as many as can run; the result does not depend on it

    Of one query or cluster, and of values that are all equal, the interval is the mean alone, and `note` says so: a
    sample without spread tells nothing of the spread.

    Raises EvaluationError for values that aren't finite numbers, ParameterError for options.

    >>> from treckon.statistics import bootstrap_interval
    >>> interval = bootstrap_interval([0.25, 0.5, 0.75, 1.0, 0.0, 0.5], method="percentile", seed=1)
    >>> interval.low, interval.estimate, interval.high
    (0.25, 0.5, 0.75)
    """
    matrix = numbers(values, "values")[None, :]
    options: dict[str, Any] = {"confidence": confidence, "method": method, "resamples": resamples, "seed": seed}
    return bootstrap_intervals(matrix, clusters=clusters, threads=threads, **options)[0]


def bootstrap_intervals(
    values: ArrayLike | Iterable[ArrayLike],
    *,
    confidence: float = 0.95,
    method: str = "bca",
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    threads: int = 0,
) -> list[Interval]:
    """`bootstrap_interval` of each row of values (runs x queries), all over the same resamples of queries."""
    import numpy

    matrix = rows(values, "values")
    confidence, method = checked_share("confidence", confidence), checked_choice("method", method, METHODS)
    resamples, seed = resampling(resamples, seed)
    threads = n_threads(threads)
    exponents = [magnitude(row) for row in matrix]
    means = [mean(row) for row in matrix]
    sums, sizes = units(numpy.ldexp(matrix, -numpy.array(exponents)[:, None]), clusters)
    intervals: dict[int, Interval] = {}
    for i, row in enumerate(matrix):
        note = _without_spread(row, len(sizes), clusters is not None)
        if note:
            intervals[i] = Interval(means[i], means[i], means[i], confidence, method, note)
    spread = [i for i in range(len(matrix)) if i not in intervals]

    def take(column: int, resampled: Array) -> None:
        i = spread[column]
        low, high = 0.5 - confidence / 2, 0.5 + confidence / 2
        if method == "bca":
            estimate = float(numpy.ldexp(means[i], -exponents[i]))
            low, high = _corrected(resampled, estimate, sums[:, i], sizes, low, high)
        ends = numpy.ldexp(numpy.quantile(resampled, [low, high]), exponents[i])
        intervals[i] = Interval(float(ends[0]), float(ends[1]), means[i], confidence, method)

    if spread:
        bootstrap_distributions(numpy.ascontiguousarray(sums[:, spread]), sizes, resamples, seed, threads, take)
    return [intervals[i] for i in range(len(matrix))]


def _without_spread(row: Array, n_units: int, is_clustered: bool) -> str:
    """Why there is nothing to resample; empty where there is."""
    if n_units == 1:
        return "one cluster" if is_clustered and len(row) > 1 else "one query"
    return "all values equal" if row.min() == row.max() else ""


def _corrected(
    resampled: Array, estimate: float, sums: Array, sizes: Array, low: float, high: float
) -> tuple[float, float]:
    """The shares of the distribution at which the BCa interval ends.

    With z0 = Phi^-1(share of resampled means below the mean, those equal to it by half), and the acceleration
    a = sum(u^3) / (6 sum(u^2)^(3/2)), u = mean of the jackknife's means - the mean without unit i, the end at z is
    Phi(z0 + (z0 + z) / (1 - a (z0 + z))).
    """
    from statistics import NormalDist

    normal, n = NormalDist(), len(resampled)
    difference = resampled - estimate
    equal = abs(difference) <= _ROUNDING  # values are at most 1
    below = float(((difference < 0) & ~equal).sum() + 0.5 * equal.sum()) / n
    # All resampled means on one side: the share is known to lie beyond half a resample.
    bias = normal.inv_cdf(min(max(below, 0.5 / n), 1 - 0.5 / n))
    left_out = (sums.sum() - sums) / (sizes.sum() - sizes)
    influence = left_out.mean() - left_out
    squares = float((influence**2).sum())
    acceleration = float((influence**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0

    def end(level: float) -> float:
        z = bias + normal.inv_cdf(level)
        if acceleration * z >= 1:  # beyond where the correction has a meaning
            return 1.0 if z > 0 else 0.0
        return normal.cdf(bias + z / (1 - acceleration * z))

    return end(low), end(high)
