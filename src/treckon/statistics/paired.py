"""Tests of the differences between two runs, query by query. All are two-sided."""

from __future__ import annotations

from typing import NamedTuple

from treckon.errors import EvaluationError
from treckon.statistics.arguments import deviation, magnitude, mean, numbers, resampling, rows, scipy_stats, units
from treckon.statistics.shares import flips_reaching, n_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any

    from numpy.typing import ArrayLike

    from treckon.statistics.arguments import Array

#: Of the larger of two values: values that are nearer than this are equal, and differ by rounding only.
EQUAL_WITHIN = 1e-12

#: Of the sum of the absolute differences: a resample that misses the observed sum by less than this has reached it.
_REACHED_WITHIN = 1e-11

#: With up to so many differences that aren't 0 the randomization test goes through every choice of signs.
EXACT_UP_TO = 20

#: With up to so many differences that aren't 0, all of different sizes, the signed-rank test is exact.
_EXACT_RANKS_UP_TO = 50

#: Decimals that differences are rounded to before they are ranked, where the largest is between 0.5 and 1.
_RANK_DIGITS = 12

NO_DIFFERENCE = "all differences 0"


class PairedTest(NamedTuple):
    """The result of a test of paired differences.

    name:      "t", "wilcoxon", "sign" or "randomization"
    statistic: t; the smaller sum of ranks; the number of positive differences; the mean difference. None where it isn't
               a number: t of one difference, or of differences that don't vary
    p_value:   chance of differences as far from 0 in either direction if the runs don't differ
    n:         the differences that counted: all for t, else those that aren't 0 (of clusters, where given)
    note:      how the p-value was found: "exact", "normal approximation", "10000 resamples, seed 0", or why there is
               nothing to test
    """

    name: str
    statistic: float | None
    p_value: float
    n: int
    note: str

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary."""
        return self._asdict()


def paired_differences(baseline: ArrayLike, run: ArrayLike) -> Array:
    """The run's values less the baseline's, query by query, as an array.

    Values that differ by less than 1e-12 of the larger one are equal (they may have been added up in another order),
    and their difference is 0: a tie.

    Raises EvaluationError for values that aren't finite numbers, or not equally many.
    """
    import numpy

    first, second = numbers(baseline, "baseline"), numbers(run, "run")
    if len(first) != len(second):
        raise EvaluationError(f"run: expected {len(first)} values as in the baseline, found {len(second)}")
    with numpy.errstate(over="ignore"):
        differences: Array = second - first
    differences[abs(differences) <= EQUAL_WITHIN * numpy.maximum(abs(first), abs(second))] = 0.0
    return numbers(differences, "differences")


def wins_ties_losses(differences: ArrayLike) -> tuple[int, int, int]:
    """How many differences are above 0, 0, and below 0."""
    values = numbers(differences, "differences")
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    return wins, len(values) - wins - losses, losses


def cohens_d(differences: ArrayLike) -> float | None:
    """The effect size of paired differences: their mean over their standard deviation (over n - 1).

    Cohen, Statistical power analysis for the behavioral sciences, 1988 (there d_z). 0 where all differences are 0; None
    for a single other difference and for differences that are all equal, which have no scale.
    """
    values = numbers(differences, "differences")
    if not values.any():
        return 0.0
    if len(values) == 1 or values.min() == values.max():
        return None
    scaled = _scaled(values)
    return mean(scaled) / deviation(scaled)


def t_test(differences: ArrayLike) -> PairedTest:
    """Student's paired t-test: whether the mean difference is 0, with SciPy's t distribution.

    p = 1 where all differences are 0 and where there is only one; p = 0 where all are equal but not 0.

    Raises EvaluationError for differences that aren't finite numbers, ImportError where SciPy is missing.
    """
    values = numbers(differences, "differences")
    n = len(values)
    if not values.any():
        return PairedTest("t", 0.0, 1.0, n, NO_DIFFERENCE)
    if n == 1:
        return PairedTest("t", None, 1.0, n, "one query")
    if values.min() == values.max():
        return PairedTest("t", None, 0.0, n, "all differences equal")
    scaled = _scaled(values)
    statistic = mean(scaled) / deviation(scaled) * n**0.5
    p_value = 2 * float(scipy_stats("the t-test").t.sf(abs(statistic), n - 1))
    return PairedTest("t", statistic, min(p_value, 1.0), n, f"{n - 1} degrees of freedom")


def wilcoxon_test(differences: ArrayLike) -> PairedTest:
    """Wilcoxon's signed-rank test: whether the differences lie symmetrically around 0, through SciPy.

    Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1, 1945. Differences of 0 are left out, as
    he did; those that differ by less than 1e-12 of the largest are equally large. The p-value is exact up to 50
    differences of which no two are equally large, and up to 20 in any case; else it comes from the normal approximation
    with the correction for ties. p = 1 where all differences are 0.

    Raises EvaluationError for differences that aren't finite numbers, ImportError where SciPy is missing.
    """
    import numpy

    from treckon._native.resampling import count_all_flips

    values = numbers(differences, "differences")
    values = values[values != 0]
    n = len(values)
    if n == 0:
        return PairedTest("wilcoxon", 0.0, 1.0, 0, NO_DIFFERENCE)
    stats = scipy_stats("the Wilcoxon test")
    ranks = stats.rankdata(numpy.round(abs(_scaled(values)), _RANK_DIGITS))
    _, sizes = numpy.unique(ranks, return_counts=True)
    positive = float(ranks[values > 0].sum())
    total = n * (n + 1) / 2
    statistic = min(positive, total - positive)
    if n <= EXACT_UP_TO:
        # ranks are halves of whole numbers, and added up without rounding
        p_value = count_all_flips(ranks, total - 2 * statistic) / 2**n
    elif n <= _EXACT_RANKS_UP_TO and len(sizes) == n:
        p_value = float(stats.wilcoxon(numpy.copysign(ranks, values), method="exact").pvalue)
    else:
        variance = total * (2 * n + 1) / 12 - float((sizes**3 - sizes).sum()) / 48
        z = (total / 2 - statistic) / variance**0.5
        return PairedTest("wilcoxon", statistic, min(2 * float(stats.norm.sf(z)), 1.0), n, "normal approximation")
    return PairedTest("wilcoxon", statistic, min(p_value, 1.0), n, "exact")


def sign_test(differences: ArrayLike) -> PairedTest:
    """The sign test: whether the run wins as often as it loses, with SciPy's exact binomial test.

    Differences of 0 are left out. p = 1 where all are 0.

    Raises EvaluationError for differences that aren't finite numbers, ImportError where SciPy is missing.
    """
    wins, _, losses = wins_ties_losses(differences)
    n = wins + losses
    if n == 0:
        return PairedTest("sign", 0.0, 1.0, 0, NO_DIFFERENCE)
    result = scipy_stats("the sign test").binomtest(wins, n)
    return PairedTest("sign", float(wins), min(float(result.pvalue), 1.0), n, "exact")


def randomization_test(
    differences: ArrayLike,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    threads: int = 0,
) -> PairedTest:
    """Fisher's randomization test of paired differences: if the runs are alike, each difference could have either sign.

    Smucker, Allan & Carterette, A comparison of statistical significance tests for information retrieval evaluation,
    CIKM 2007. p is the share of choices of signs whose mean difference is as far from 0 as the observed one. Up to 20
    differences that aren't 0 all choices are taken, and p is exact. Beyond, `resamples` choices are drawn, k of them
    reach the observed mean, and p = (k + 1) / (resamples + 1), which is never 0 (Phipson & Smyth, Statistical
    Applications in Genetics and Molecular Biology 9, 2010). Sums that differ by less than 1e-11 of the sum of the
    absolute differences are equal. p = 1 where all differences are 0.

    clusters: the cluster of each query: then all differences of a cluster change their signs together
    threads:  how many may be used, 0: as many as can run; the result does not depend on it

    Raises EvaluationError for differences that aren't finite numbers, ParameterError for options.

    >>> from treckon.statistics import randomization_test
    >>> randomization_test([0.2, 0.1, 0.3, 0.2, -0.1]).p_value
    0.1875
    """
    matrix = numbers(differences, "differences")[None, :]
    return randomization_tests(matrix, resamples=resamples, seed=seed, clusters=clusters, threads=threads)[0]


def randomization_tests(
    differences: ArrayLike | Iterable[ArrayLike],
    *,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    threads: int = 0,
) -> list[PairedTest]:
    """`randomization_test` of each row of differences (runs x queries), all with the same choices of signs."""
    import numpy

    from treckon._native.resampling import count_all_flips

    matrix = rows(differences, "differences")
    resamples, seed = resampling(resamples, seed)
    threads = n_threads(threads)
    means = [mean(row) for row in matrix]
    sums, _ = units(numpy.array([_scaled(row) for row in matrix]), clusters)
    if clusters is not None:  # differences that cancel out within a cluster, but for rounding
        sums[abs(sums) <= _REACHED_WITHIN] = 0.0
    observed = abs(sums.sum(axis=0))
    bounds = observed - _REACHED_WITHIN * abs(sums).sum(axis=0)
    tests: dict[int, PairedTest] = {}
    sampled: list[int] = []
    for i in range(len(matrix)):
        nonzero = numpy.ascontiguousarray(sums[sums[:, i] != 0, i])
        n = len(nonzero)
        if n == 0:
            tests[i] = PairedTest("randomization", means[i], 1.0, 0, NO_DIFFERENCE)
        elif n <= EXACT_UP_TO:
            p_value = count_all_flips(nonzero, float(bounds[i])) / 2**n
            tests[i] = PairedTest("randomization", means[i], p_value, n, "exact")
        else:
            sampled.append(i)
    if sampled:
        columns = numpy.ascontiguousarray(sums[:, sampled])
        counts = flips_reaching(columns, numpy.ascontiguousarray(bounds[sampled]), resamples, seed, threads)
        for i, count in zip(sampled, counts, strict=True):
            n, p_value = int(numpy.count_nonzero(sums[:, i])), (count + 1) / (resamples + 1)
            tests[i] = PairedTest("randomization", means[i], p_value, n, f"{resamples} resamples, seed {seed}")
    return [tests[i] for i in range(len(matrix))]


def _scaled(values: Array) -> Array:
    """The values over a power of two: the greatest is at most 1, so squares and sums don't overflow."""
    import numpy

    return numpy.ldexp(values, -magnitude(values))
