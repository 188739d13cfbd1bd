"""Do intervals hold the true mean as often as they say, and do tests find a difference where there is none as seldom?

Samples of queries are drawn from distributions whose means are known, from a fixed seed. Coverage is the share of 95%
intervals that hold the true mean, level the share of p-values up to 0.05 between runs that are alike: both should be
near what they promise. Bounds are what is known of these methods: intervals from few and skewed values are too short,
exact tests of few values too strict.
"""

import math
from collections.abc import Callable

import numpy
from support import harness

from treckon.statistics import (
    adjust,
    bootstrap_intervals,
    paired_differences,
    randomization_tests,
    sign_test,
    t_test,
    tukey_hsd,
    wilcoxon_test,
)

SAMPLES, RESAMPLES, SEED = 2_000, 2_000, 7
FAMILIES, FAMILY_RUNS, FAMILY_RESAMPLES = 1_000, 10, 1_000
SIZES = (10, 25, 50, 100, 250)
LEVEL = 0.05


def average_precision(generator: numpy.random.Generator, *shape: int) -> numpy.ndarray:
    """Values as AP has them: skewed, mean 1/3."""
    return generator.beta(0.6, 1.2, shape)


def reciprocal_rank(generator: numpy.random.Generator, *shape: int) -> numpy.ndarray:
    """Values as RR@10 has them, few and far apart: each document is relevant with a chance of 0.35."""
    ranks = generator.geometric(0.35, shape)
    return numpy.where(ranks <= 10, 1.0 / ranks, 0.0)


RECIPROCAL_RANK_MEAN = sum(0.35 * 0.65 ** (rank - 1) / rank for rank in range(1, 11))


def precision(generator: numpy.random.Generator, *shape: int) -> numpy.ndarray:
    """Values as P@10 has them: tenths, mean 1/3."""
    return generator.binomial(10, generator.beta(0.8, 1.6, shape)) / 10


KINDS: dict[str, tuple[Callable[..., numpy.ndarray], float]] = {
    "AP": (average_precision, 1 / 3),
    "RR@10": (reciprocal_rank, RECIPROCAL_RANK_MEAN),
    "P@10": (precision, 1 / 3),
}


def coverage(values: numpy.ndarray, mean: float, method: str, clusters: list[int] | None = None) -> float:
    """The share of the rows' intervals that hold the mean."""
    found = bootstrap_intervals(values, method=method, resamples=RESAMPLES, clusters=clusters)
    return sum(one.low <= mean <= one.high for one in found) / len(found)


def coverages(report: harness.Report) -> None:
    """Of means and of paired differences."""
    for kind, (draw, mean) in KINDS.items():
        for n in SIZES:
            generator = numpy.random.default_rng([SEED, n])
            values = draw(generator, SAMPLES, n)
            # A better run: a quarter of the distance to 1 is made up where it is lucky, which is every other query.
            lucky = generator.random((SAMPLES, n)) < 0.5
            differences = numpy.where(lucky, (1 - draw(generator, SAMPLES, n)) / 4, 0) + 0.1 * (
                draw(generator, SAMPLES, n) - draw(generator, SAMPLES, n)
            )
            for method in ("percentile", "bca"):
                least = 0.86 if n < 25 else 0.90 if n < 50 else 0.92 if n < 100 else 0.93
                found = coverage(values, mean, method)
                report.rate(f"coverage of a mean, {kind}, {method}", n, SAMPLES, found, least, 0.97)
                found = coverage(differences, (1 - mean) / 8, method)
                report.rate(f"coverage of a difference, {kind}, {method}", n, SAMPLES, found, least, 0.97)


def cluster_coverages(report: harness.Report) -> None:
    """Of means of queries in clusters of five that are alike."""
    for n_clusters in (10, 20, 50):
        generator = numpy.random.default_rng([SEED, n_clusters])
        topics = numpy.repeat(generator.beta(2, 4, (SAMPLES, n_clusters)), 5, axis=1)
        values = generator.beta(6 * topics, 6 * (1 - topics))
        clusters = [i // 5 for i in range(5 * n_clusters)]
        least = 0.86 if n_clusters < 20 else 0.90 if n_clusters < 50 else 0.92
        for method in ("percentile", "bca"):
            found = coverage(values, 1 / 3, method, clusters)
            report.rate(f"coverage with clusters of 5, {method}", 5 * n_clusters, SAMPLES, found, least, 0.97)
        found = coverage(values, 1 / 3, "bca")
        report.rate("coverage without regard to clusters of 5, bca", 5 * n_clusters, SAMPLES, found, None, 0.90)


def levels(report: harness.Report) -> None:
    """Of tests between two runs that are alike: a query's values come from the same distribution."""
    margin = 4 * math.sqrt(LEVEL * (1 - LEVEL) / SAMPLES)
    for kind, (draw, _) in KINDS.items():
        for n in SIZES:
            generator = numpy.random.default_rng([SEED, n, 1])
            # Runs agree in half of the queries, as similar systems do.
            differ = generator.random((SAMPLES, n)) < 0.5
            first = draw(generator, SAMPLES, n)
            second = numpy.where(differ, draw(generator, SAMPLES, n), first)
            differences = numpy.array([paired_differences(a, b) for a, b in zip(first, second, strict=True)])
            # Exact tests of few values keep below the level; the others may be a little on either side.
            least = None if n < 50 else LEVEL - 0.02
            p_values = {
                "randomization": [one.p_value for one in randomization_tests(differences, resamples=RESAMPLES)],
                "t": [t_test(row).p_value for row in differences],
                "Wilcoxon": [wilcoxon_test(row).p_value for row in differences],
                "sign": [sign_test(row).p_value for row in differences],
            }
            for test, found in p_values.items():
                rate = sum(p <= LEVEL for p in found) / SAMPLES
                floor = None if test == "sign" else least
                report.rate(f"level of the {test} test, {kind}", n, SAMPLES, rate, floor, LEVEL + margin)


def family_levels(report: harness.Report) -> None:
    """Of many runs that are alike: how often any pair, or any run against the first one, is found to differ."""
    margin = 4 * math.sqrt(LEVEL * (1 - LEVEL) / FAMILIES)
    for n in (25, 50, 250):
        generator = numpy.random.default_rng([SEED, n, 2])
        found = {"Tukey HSD, all pairs": 0, "holm, against the first": 0, "no correction, against the first": 0}
        for _ in range(FAMILIES):
            topics = generator.beta(0.8, 1.6, n)
            values = 0.5 * topics + 0.5 * generator.beta(0.8, 1.6, (FAMILY_RUNS, n))
            table = tukey_hsd(values, resamples=FAMILY_RESAMPLES).p_values
            found["Tukey HSD, all pairs"] += min(min(row) for row in table) <= LEVEL
            tests = randomization_tests(values[1:] - values[0], resamples=FAMILY_RESAMPLES)
            raw = [one.p_value for one in tests]
            found["holm, against the first"] += min(adjust(raw, "holm")) <= LEVEL
            found["no correction, against the first"] += min(raw) <= LEVEL
        for what, count in found.items():
            bounds = (0.1, None) if what.startswith("no") else (None, LEVEL + margin)
            report.rate(f"level over {FAMILY_RUNS} runs, {what}", n, FAMILIES, count / FAMILIES, *bounds)


def main() -> None:
    """Simulate, and keep what was found."""
    options = harness.parser(__doc__).parse_args()
    report = harness.Report(__doc__, options)
    coverages(report)
    cluster_coverages(report)
    levels(report)
    family_levels(report)
    report.save()


if __name__ == "__main__":
    main()
