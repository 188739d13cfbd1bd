"""How long do 10,000 resamples of 100 runs over 250 queries take, against SciPy and numpy on the same values?

Intervals of all runs, randomization tests of 99 differences, and the randomised Tukey HSD test of all pairs. Each side
draws its own random numbers: the answers must agree as nearly as 10,000 resamples allow.
"""

import numpy
import scipy.stats
from support import harness

from treckon.statistics import bootstrap_intervals, randomization_tests, tukey_hsd

RESAMPLES, RUNS, QUERIES, SEED = 10_000, 100, 250, 1


def drawn() -> numpy.ndarray:
    """Values of runs that differ a little, runs x queries."""
    generator = numpy.random.default_rng(SEED)
    topics = generator.beta(0.8, 1.6, QUERIES)
    values = 0.7 * topics + 0.3 * generator.beta(0.8, 1.6, (RUNS, QUERIES))
    return numpy.clip(values + 0.0005 * numpy.arange(RUNS)[:, None], 0, 1)


def scipys_intervals(values: numpy.ndarray, method: str) -> list[tuple[float, float]]:
    """Intervals of each run, by SciPy."""
    generator, found = numpy.random.default_rng(SEED), []
    for row in values:
        made = scipy.stats.bootstrap(
            (row,), numpy.mean, n_resamples=RESAMPLES, method=method, rng=generator
        ).confidence_interval
        found.append((float(made.low), float(made.high)))
    return found


def scipys_p_values(differences: numpy.ndarray) -> list[float]:
    """p-values of each row of differences, by SciPy."""
    generator = numpy.random.default_rng(SEED)
    zeros = numpy.zeros(QUERIES)
    return [
        float(
            scipy.stats.permutation_test(
                (row, zeros), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", vectorized=True,
                n_resamples=RESAMPLES, rng=generator, batch=2_000,
            ).pvalue
        )
        for row in differences
    ]  # fmt: skip


def numpys_ranges(values: numpy.ndarray) -> list[float]:
    """Sorted ranges of the means after permutations within queries, by numpy."""
    generator, found = numpy.random.default_rng(SEED), []
    for _ in range(RESAMPLES):
        means = generator.permuted(values, axis=0).mean(axis=1)
        found.append(float(means.max() - means.min()))
    return sorted(found)


def main() -> None:
    """Time both sides in turns."""
    options = harness.parser(__doc__, repeat=3).parse_args()
    report = harness.Report(__doc__, options)
    values = drawn()
    differences = values[1:] - values[0]

    def intervals(method: str, threads: int) -> list[tuple[float, float]]:
        found = bootstrap_intervals(values, method=method, resamples=RESAMPLES, threads=threads)
        return [(one.low, one.high) for one in found]

    tasks = {}
    for threads in (1, 2):
        at = f"{threads} {'thread' if threads == 1 else 'threads'}"
        for method in ("percentile", "bca"):
            tasks[f"treckon, {method}, {at}"] = lambda m=method, t=threads: harness.call(intervals, m, t)
        tasks[f"treckon, randomization, {at}"] = lambda t=threads: harness.call(
            lambda: [one.p_value for one in randomization_tests(differences, resamples=RESAMPLES, threads=t)]
        )
        tasks[f"treckon, Tukey HSD, {at}"] = lambda t=threads: harness.call(
            lambda: tukey_hsd(values, resamples=RESAMPLES, threads=t).critical
        )
    tasks["SciPy, percentile"] = lambda: harness.call(scipys_intervals, values, "percentile")
    tasks["SciPy, BCa"] = lambda: harness.call(scipys_intervals, values, "BCa")
    tasks["SciPy, permutation_test"] = lambda: harness.call(scipys_p_values, differences)
    tasks["numpy, permuted"] = lambda: harness.call(numpys_ranges, values)
    samples = report.measure(options.repeat, tasks)
    answers = {label: taken[0].answer for label, taken in samples.items()}

    for kind in ("percentile", "bca", "randomization", "Tukey HSD"):
        if answers[f"treckon, {kind}, 1 thread"] != answers[f"treckon, {kind}, 2 threads"]:
            raise SystemExit(f"{kind}: the answer depends on the threads")
    for ours, theirs in (("percentile", "percentile"), ("bca", "BCa")):
        widths = numpy.diff(answers[f"SciPy, {theirs}"])[:, 0]
        apart = abs(numpy.array(answers[f"treckon, {ours}, 1 thread"]) - answers[f"SciPy, {theirs}"]).max(axis=1)
        if (apart / widths).max() > 0.06:  # about six standard errors of such a quantile
            raise SystemExit(f"{ours}: an interval is {(apart / widths).max():.3f} of its width from SciPy's")
    theirs = numpy.array(answers["SciPy, permutation_test"])
    apart = abs(numpy.array(answers["treckon, randomization, 1 thread"]) - theirs)
    if (apart > 8 * numpy.sqrt(theirs / RESAMPLES) + 1e-3).any():  # SciPy's are twice a share of up to a half
        raise SystemExit("randomization: a p-value is far from SciPy's")
    ranges = numpy.array(answers["numpy, permuted"])
    critical = answers["treckon, Tukey HSD, 1 thread"]
    if not 0.035 < (ranges >= critical).mean() < 0.065:
        raise SystemExit(f"Tukey HSD: {critical} is no 5% point of numpy's ranges")

    for ours, theirs in (
        ("percentile", "SciPy, percentile"),
        ("bca", "SciPy, BCa"),
        ("randomization", "SciPy, permutation_test"),
        ("Tukey HSD", "numpy, permuted"),
    ):
        what = f"{RESAMPLES} resamples of {RUNS} runs x {QUERIES} queries, {ours}"
        for at in ("1 thread", "2 threads"):
            report.faster(what, f"treckon, {ours}, {at}", theirs, at_least=1)
    report.save()


if __name__ == "__main__":
    main()
