"""Statistics on values per query: against SciPy, statsmodels and naive Python, and where there is no answer."""

import doctest
import math
import sys
from importlib import import_module
from statistics import NormalDist
from time import sleep

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle_resampling as oracle
from treckon.errors import EvaluationError, ParameterError
from treckon.statistics import (
    CORRECTIONS,
    adjust,
    bootstrap_interval,
    bootstrap_intervals,
    cohens_d,
    kendall_tau,
    letters_of,
    minimum_detectable_difference,
    not_different,
    paired_differences,
    randomization_test,
    randomization_tests,
    sign_test,
    t_test,
    tukey_hsd,
    wilcoxon_test,
    wins_ties_losses,
)
from treckon.statistics.shares import share_out

SEEDS = range(5)


def scipy_stats():
    return pytest.importorskip("scipy.stats")


def drawn(seed, *shape):
    return numpy.random.default_rng(seed).beta(0.6, 1.2, shape)


def rounded(seed, *shape):
    """Values with many ties."""
    return numpy.round(drawn(seed, *shape), 1)


FINITE = st.floats(allow_nan=False, allow_infinity=False)
SMALL = st.integers(-8, 8).map(lambda n: n / 8)
DIFFERENCES = st.lists(st.one_of(SMALL, FINITE.map(lambda x: x / 4)), min_size=1, max_size=30)


# Differences


def test_differences_are_of_the_run_less_the_baseline():
    assert paired_differences([0.5, 0.25], [0.75, 0.0]).tolist() == [0.25, -0.25]


def test_what_differs_by_rounding_is_a_tie():
    assert paired_differences([0.1 + 0.2, 1e300], [0.3, 1e300 * (1 + 1e-15)]).tolist() == [0, 0]
    assert paired_differences([0.3], [0.3 + 1e-11]).tolist() != [0]
    assert wins_ties_losses(paired_differences([0.3, 0.1, 0.2, 0], [0.1 + 0.2, 0.2, 0.1, 0])) == (1, 2, 1)


@pytest.mark.parametrize(
    ("baseline", "run", "message"),
    [
        ([1.0], [1.0, 2.0], "run: expected 1 values as in the baseline, found 2"),
        ([], [], "baseline: expected a number for each query, found none"),
        ([1, float("nan")], [1, 2], "baseline: query 1 (from 0): expected a finite number, found nan"),
        ([1, 2], [float("inf"), 2], "run: query 0 (from 0): expected a finite number, found inf"),
        (["x"], [1], "baseline: expected a number for each query, found something else"),
        ([[1]], [1], "baseline: expected a number for each query, found 2 dimensions"),
        ([-1.7e308], [1.7e308], "differences: query 0 (from 0): expected a finite number, found inf"),
    ],
)
def test_differences_of_what_is_no_pair_are_refused(baseline, run, message):
    with pytest.raises(EvaluationError) as caught:
        paired_differences(baseline, run)
    assert str(caught.value) == message


# The classical tests: equal to SciPy's within 1e-12, relative


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [2, 3, 20, 250])
def test_t_test_is_scipys(seed, n):
    a, b = drawn(seed, 2, n)
    theirs, ours = scipy_stats().ttest_rel(b, a), t_test(paired_differences(a, b))
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert (ours.name, ours.n) == ("t", n)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("n", "method"), [(5, "exact"), (20, "exact"), (50, "exact"), (51, "auto"), (250, "auto")])
def test_wilcoxon_test_is_scipys_without_ties(seed, n, method):
    a, b = drawn(seed, 2, n)
    theirs, ours = scipy_stats().wilcoxon(b - a, method=method), wilcoxon_test(paired_differences(a, b))
    assert ours.statistic == theirs.statistic
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert ours.note == ("exact" if n <= 50 else "normal approximation")


@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_test_is_scipys_with_ties_and_zeros(seed):
    # SciPy takes 0.3 - 0.2 and 0.2 - 0.1 for different sizes: it gets whole numbers here.
    a, b = rounded(seed, 2, 250)
    theirs = scipy_stats().wilcoxon(numpy.round(10 * b) - numpy.round(10 * a))
    ours = wilcoxon_test(paired_differences(a, b))
    assert ours.statistic == theirs.statistic
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert ours.n == (a != b).sum()


@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon_test_of_few_with_ties_is_exact(seed):
    differences = paired_differences(*rounded(seed, 2, 12))
    nonzero = differences[differences != 0]
    ranks = scipy_stats().rankdata(abs(numpy.round(10 * nonzero)))
    assert wilcoxon_test(differences).p_value == oracle.exact_p(numpy.copysign(ranks, nonzero).tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_sign_test_is_scipys(seed):
    differences = paired_differences(*rounded(seed, 2, 60))
    theirs = scipy_stats().binomtest(int((differences > 0).sum()), int((differences != 0).sum()))
    ours = sign_test(differences)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("test", [t_test, wilcoxon_test, sign_test, randomization_test])
def test_without_differences_p_is_1(test):
    scipy_stats()
    for n in (1, 2, 30):
        found = test([0.0] * n)
        assert (found.p_value, found.statistic, found.note) == (1.0, 0.0, "all differences 0")


def test_the_t_test_without_spread():
    assert t_test([0.25])[1:] == (None, 1.0, 1, "one query")
    assert t_test([0.25, 0.25])[1:] == (None, 0.0, 2, "all differences equal")


@settings(max_examples=30, deadline=None)
@given(DIFFERENCES)
def test_tests_give_finite_numbers(differences):
    scipy_stats()
    for test in (t_test, wilcoxon_test, sign_test, lambda given: randomization_test(given, resamples=20)):
        found, mirrored = test(differences), test([-one for one in differences])
        assert 0.0 <= found.p_value <= 1.0
        assert found.statistic is None or math.isfinite(found.statistic)
        assert mirrored.p_value == pytest.approx(found.p_value, rel=1e-9, abs=1e-300) or found.note.endswith("seed 0")
    d = cohens_d(differences)
    assert d is None or math.isfinite(d)


# The randomization test


@settings(max_examples=60, deadline=None)
@given(st.lists(SMALL, min_size=1, max_size=9))
def test_randomization_of_few_goes_through_all_signs(differences):
    found = randomization_test(differences)
    assert found.p_value == oracle.exact_p(differences)
    assert found.n == sum(one != 0 for one in differences)


@pytest.mark.parametrize("seed", SEEDS)
def test_randomization_of_few_is_scipys_permutation_test(seed):
    stats = scipy_stats()
    a, b = drawn(seed, 2, 11)
    theirs = stats.permutation_test(
        (b, a), lambda x, y: (x - y).mean(), permutation_type="samples", n_resamples=math.inf, vectorized=False
    )
    found = randomization_test(paired_differences(a, b))
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert found.note == "exact"


def test_sums_that_differ_by_rounding_are_equal():
    # 0.1 + 0.2 - 0.3 isn't 0, but the sums of one choice of signs and of its mirror image are.
    assert randomization_test([0.1, 0.2, -0.3]).p_value == 1.0
    assert randomization_test([0.1, 0.1, 0.1, -0.3 + 1e-17]).p_value == oracle.exact_p([1, 1, 1, -3])


def test_twenty_differences_are_exact_and_one_more_is_sampled():
    differences = drawn(1, 21) - 0.3
    assert randomization_test([*differences[:20], 0.0]).note == "exact"
    found = randomization_test(differences, resamples=99, seed=7)
    assert found.note == "99 resamples, seed 7"
    assert found.p_value * 100 == pytest.approx(round(found.p_value * 100), abs=1e-9)


def test_exact_and_sampled_agree():
    differences = drawn(3, 20) - 0.3
    exact = randomization_test(differences)
    halves = numpy.repeat(differences, 2) / 2  # as a cluster of two each they are the same
    assert randomization_test(halves, clusters=[i // 2 for i in range(40)]).p_value == exact.p_value
    padded = numpy.append(differences, 1e-9)
    sampled = randomization_test(padded, resamples=40_000)
    assert sampled.p_value == pytest.approx(exact.p_value, abs=5 * math.sqrt(exact.p_value / 40_000))


@pytest.mark.parametrize("n", [21, 64, 65, 130])
def test_random_signs_are_the_oracles(n):
    differences = drawn(n, n) - drawn(n + 1, n)
    found = randomization_test(differences, resamples=300, seed=2**64 - 1)
    assert found.p_value == oracle.randomization_p(differences.tolist(), 300, 2**64 - 1)


def test_a_p_value_from_samples_is_never_0():
    assert randomization_test([1.0] * 60, resamples=500).p_value == 1 / 501


def test_a_run_does_not_depend_on_those_beside_it():
    matrix = drawn(5, 4, 40) - 0.3
    together = randomization_tests(matrix, resamples=200, seed=3)
    assert together == [randomization_test(row, resamples=200, seed=3) for row in matrix]
    assert bootstrap_intervals(matrix, resamples=200) == [bootstrap_interval(row, resamples=200) for row in matrix]


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_nothing(threads, monkeypatch):
    monkeypatch.setattr("treckon.statistics.shares._STEP", 1000)
    matrix = drawn(8, 6, 37)
    clusters = [i % 9 for i in range(37)]
    for chosen in (None, clusters):
        options = {"resamples": 501, "seed": 11, "clusters": chosen}
        for function in (randomization_tests, bootstrap_intervals, tukey_hsd):
            values = matrix - 0.3 if function is randomization_tests else matrix
            assert function(values, threads=threads, **options) == function(values, threads=1, **options)


def test_what_a_thread_raises_is_raised_and_stops_the_others(monkeypatch):
    monkeypatch.setattr("treckon.statistics.shares._STEP", 1)
    done = []

    def work(thread, begin, end):
        if begin == 1:
            raise MemoryError
        sleep(0.001)
        done.append(begin)

    with pytest.raises(MemoryError):
        share_out(10_000, 1, 2, work)
    assert len(done) < 5_000


def test_blocks_of_runs_change_nothing(monkeypatch):
    matrix = drawn(8, 6, 37)
    expected = bootstrap_intervals(matrix, resamples=100)
    monkeypatch.setattr("treckon.statistics.shares._KEPT", 200)
    assert bootstrap_intervals(matrix, resamples=100) == expected


@pytest.mark.parametrize("function", [randomization_test, bootstrap_interval, lambda v, **o: tukey_hsd([v, v], **o)])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resamples": 0}, "resamples: expected a whole number from 1 to 10000000, found 0"),
        ({"resamples": 1.5}, "resamples: expected a whole number from 1 to 10000000, found 1.5"),
        ({"seed": -1}, f"seed: expected a whole number from 0 to {2**64 - 1}, found -1"),
        ({"seed": True}, f"seed: expected a whole number from 0 to {2**64 - 1}, found True"),
        ({"threads": -1}, "threads: expected a whole number from 0 to 1024, found -1"),
    ],
)
def test_options_of_resampling_are_checked(function, options, message):
    with pytest.raises(ParameterError) as caught:
        function([0.1, 0.2], **options)
    assert str(caught.value) == message


@pytest.mark.parametrize("function", [randomization_test, bootstrap_interval])
def test_clusters_are_one_a_query(function):
    with pytest.raises(EvaluationError, match=r"^clusters: expected one for each of 2 queries, found 1$"):
        function([0.1, 0.2], clusters=["a"])


def test_rows_are_equally_long():
    with pytest.raises(
        EvaluationError, match=r"^values: expected a row of as many numbers for each run, found something"
    ):
        bootstrap_intervals([[1, 2], [1]])
    with pytest.raises(
        EvaluationError, match=r"^values: run 1, query 0 \(from 0\): expected a finite number, found nan$"
    ):
        bootstrap_intervals([[1, 2], [float("nan"), 1]])


# Bootstrap intervals


@pytest.mark.parametrize("clusters", [None, [i % 7 for i in range(25)]], ids=["queries", "clusters"])
def test_percentile_interval_is_the_oracles(clusters):
    values = drawn(2, 25)
    found = bootstrap_interval(values, method="percentile", resamples=200, seed=5, confidence=0.9, clusters=clusters)
    means = oracle.bootstrap_means(values.tolist(), clusters or range(25), 200, 5)
    assert (found.low, found.high) == pytest.approx(numpy.quantile(means, [0.05, 0.95]), rel=1e-12)
    assert found.estimate == pytest.approx(values.mean(), rel=1e-15)
    assert (found.confidence, found.method, found.note) == (0.9, "percentile", "")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("method", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
def test_intervals_are_scipys_over_the_same_resamples(seed, method, theirs):
    stats = scipy_stats()
    values = drawn(seed, 40) ** 3
    found = bootstrap_interval(values, method=method, resamples=999, seed=seed)
    means = numpy.array(oracle.bootstrap_means(values.tolist(), range(40), 999, seed))
    given = stats.bootstrap((values,), numpy.mean, n_resamples=10, method="percentile")
    given.bootstrap_distribution = means
    expected = stats.bootstrap(
        (values,), numpy.mean, n_resamples=0, bootstrap_result=given, method=theirs
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_intervals_are_near_scipys_own(method):
    stats = scipy_stats()
    values = drawn(9, 60)
    found = bootstrap_interval(values, method=method, resamples=20_000)
    options = {"n_resamples": 20_000, "method": {"bca": "BCa", "percentile": "percentile"}[method]}
    expected = stats.bootstrap((values,), numpy.mean, **options).confidence_interval
    width = expected.high - expected.low
    assert found.low == pytest.approx(expected.low, abs=0.05 * width)
    assert found.high == pytest.approx(expected.high, abs=0.05 * width)


def test_bca_with_clusters_is_its_formula():
    values, clusters = drawn(4, 30) ** 2, [i // 4 for i in range(30)]
    means = numpy.array(oracle.bootstrap_means(values.tolist(), clusters, 500, 2))
    normal = NormalDist()
    bias = normal.inv_cdf(float((means < values.mean()).mean()))
    left_out = numpy.array([values[[c != one for c in clusters]].mean() for one in range(8)])
    u = left_out.mean() - left_out
    a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    levels = [normal.cdf(bias + (bias + z) / (1 - a * (bias + z))) for z in map(normal.inv_cdf, (0.025, 0.975))]
    found = bootstrap_interval(values, resamples=500, seed=2, clusters=clusters)
    assert (found.low, found.high) == pytest.approx(numpy.quantile(means, levels), rel=1e-12)


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize(
    ("values", "clusters", "note"),
    [([0.3], None, "one query"), ([0.1] * 7, None, "all values equal"), ([0.1, 0.2], ["a", "a"], "one cluster")],
)
def test_intervals_without_spread_have_no_width(method, values, clusters, note):
    found = bootstrap_interval(values, method=method, clusters=clusters)
    assert found.low == found.high == found.estimate == pytest.approx(sum(values) / len(values))
    assert found.note == note


def test_each_query_its_own_cluster_changes_nothing():
    values = drawn(6, 20)
    assert bootstrap_interval(values, clusters=range(20)) == bootstrap_interval(values)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(SMALL, FINITE), min_size=1, max_size=12), st.sampled_from(["bca", "percentile"]))
def test_intervals_are_finite_and_within_the_values(values, method):
    found = bootstrap_interval(values, method=method, resamples=50)
    slack = 1e-12 * max(map(abs, values))
    assert min(values) - slack <= found.low <= found.high <= max(values) + slack
    assert min(values) - slack <= found.estimate <= max(values) + slack


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1}, "confidence: expected a number above 0 and below 1, found 1"),
        ({"confidence": 10**400},
         "confidence: expected a number above 0 and below 1, found a whole number of 1329 bits"),
        ({"resamples": 10**400},
         "resamples: expected a whole number from 1 to 10000000, found a whole number of 1329 bits"),
        ({"confidence": "95"}, "confidence: expected a number above 0 and below 1, found '95'"),
        ({"method": "t"}, "method: expected 'bca' or 'percentile', found 't'"),
    ],
)  # fmt: skip
def test_options_of_intervals_are_checked(options, message):
    with pytest.raises(ParameterError) as caught:
        bootstrap_interval([0.1, 0.2], **options)
    assert str(caught.value) == message


# Effect size and power


def test_cohens_d():
    differences = [0.2, 0.1, 0.4, -0.1]
    assert cohens_d(differences) == pytest.approx(0.15 / numpy.std(differences, ddof=1), rel=1e-14)
    assert cohens_d([0.0, 0.0]) == cohens_d([0.0]) == 0.0
    assert cohens_d([0.1]) is None and cohens_d([0.1, 0.1]) is None


@pytest.mark.parametrize("n", [2, 3, 10, 50, 250, 10_000])
@pytest.mark.parametrize(("power", "alpha"), [(0.8, 0.05), (0.95, 0.001), (0.3, 0.2)])
def test_the_minimum_detectable_difference_has_its_power(n, power, alpha):
    stats = scipy_stats()
    found = minimum_detectable_difference(0.2, n, power=power, alpha=alpha)
    critical = stats.t.isf(alpha / 2, n - 1)
    shift = found / 0.2 * math.sqrt(n)
    with numpy.errstate(all="ignore"):
        below = stats.nct.cdf(-critical, n - 1, shift)  # NaN where it is less than 1e-12
        reached = stats.nct.sf(critical, n - 1, shift) + (0 if math.isnan(below) else below)
    assert reached == pytest.approx(power, abs=1e-9)


def test_the_minimum_detectable_difference_where_there_is_none():
    assert minimum_detectable_difference(0.1, 1) is None
    assert minimum_detectable_difference(0.0, 10) == 0.0
    with pytest.raises(ParameterError, match=r"^power: expected more than alpha, which is 0.5, found 0.4$"):
        minimum_detectable_difference(0.1, 10, power=0.4, alpha=0.5)
    with pytest.raises(ParameterError, match=r"^standard_deviation: expected a finite number from 0, found -1$"):
        minimum_detectable_difference(-1, 10)


# Corrections


def test_corrections_worked():
    raw = [0.01, 0.04, 0.03, 0.005]
    assert adjust(raw, "bonferroni") == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert adjust(raw, "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust(raw, "benjamini-hochberg") == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert adjust(raw, "none") == raw
    assert adjust([], "holm") == []


P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@given(P_VALUES)
def test_corrections_are_ordered(raw):
    by = {method: adjust(raw, method) for method in CORRECTIONS}
    for i, p in enumerate(raw):
        assert p <= by["holm"][i] <= by["bonferroni"][i] <= 1
        assert p * (1 - 1e-15) <= by["benjamini-hochberg"][i] <= by["holm"][i] * (1 + 1e-15)
    for adjusted in by.values():
        pairs = sorted(zip(raw, adjusted, strict=True))
        assert [p for _, p in pairs] == sorted(adjusted)


@settings(max_examples=20, deadline=None)
@given(P_VALUES)
def test_benjamini_and_hochberg_s_correction_is_scipys(raw):
    assert adjust(raw, "benjamini-hochberg") == pytest.approx(scipy_stats().false_discovery_control(raw), rel=1e-12)


def test_corrections_refuse():
    with pytest.raises(EvaluationError, match=r"^p-values: expected numbers from 0 to 1, found 1.5$"):
        adjust([0.1, 1.5])
    with pytest.raises(ParameterError) as caught:
        adjust([0.1], "sidak")
    expected = "expected 'holm', 'bonferroni', 'benjamini-hochberg' or 'none'"
    assert str(caught.value) == f"correction: {expected}, found 'sidak'"


# Tukey's HSD, randomised


def test_tukey_is_the_oracles():
    runs = drawn(3, 4, 12) + numpy.array([[0.0], [0.0], [0.2], [0.6]])
    found = tukey_hsd(runs, resamples=200, seed=9, alpha=0.1)
    ranges = oracle.permuted_ranges(runs.tolist(), 200, 9)
    for i in range(4):
        for j in range(4):
            if i != j:
                difference = abs(runs[i].mean() - runs[j].mean())
                expected = (sum(one >= difference - 1e-12 for one in ranges) + 1) / 201
                assert found.p_values[i][j] == expected
                assert (expected <= 0.1) == (difference > found.critical)
    assert found.means == pytest.approx(runs.mean(axis=1))
    assert all(found.p_values[i][i] == 1 for i in range(4))


def test_tukey_of_two_runs_is_the_randomization_test():
    a, b = drawn(12, 2, 30)
    found = tukey_hsd([a, b], resamples=40_000).p_values[0][1]
    expected = randomization_test(paired_differences(a, b), resamples=40_000, seed=1).p_value
    assert found == pytest.approx(expected, abs=0.015)


def test_tukey_of_equal_runs():
    found = tukey_hsd([[0.1, 0.2]] * 3, resamples=50)
    assert set(sum(found.p_values, ())) == {1.0}
    assert found.groups == ((0, 1, 2),) and found.letters == ("a", "a", "a")
    assert tukey_hsd([[0.5], [0.5]], resamples=10).critical is None  # of 11 none may be left out at 0.05


def test_tukey_with_clusters_keeps_them_together():
    runs = drawn(1, 3, 10)
    doubled = numpy.repeat(runs, 2, axis=1)
    clusters = [i // 2 for i in range(20)]
    assert tukey_hsd(doubled, clusters=clusters, resamples=99).p_values == tukey_hsd(runs, resamples=99).p_values


def test_tukey_refuses():
    with pytest.raises(EvaluationError, match=r"^values: expected at least two runs, found one$"):
        tukey_hsd([[1, 2]])
    with pytest.raises(ParameterError, match=r"^alpha: expected a number above 0 and below 1, found 0$"):
        tukey_hsd([[1, 2], [1, 3]], alpha=0)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.one_of(SMALL, FINITE), min_size=3, max_size=3), min_size=2, max_size=6))
def test_tukey_gives_finite_numbers_and_groups_as_p_values_are(runs):
    found = tukey_hsd(runs, resamples=30, alpha=0.2)
    n = len(runs)
    assert all(0 < p <= 1 for row in found.p_values for p in row)
    assert found.critical is None or math.isfinite(found.critical)
    shared = {(i, j) for group in found.groups for i in group for j in group}
    assert shared >= {(i, i) for i in range(n)}
    for i in range(n):
        for j in range(n):
            assert ((i, j) in shared) == (found.p_values[i][j] > 0.2)
            assert bool(set(found.letters[i]) & set(found.letters[j])) == ((i, j) in shared)


def test_groups_worked():
    near = 0.15  # what isn't different
    means = [0.5, 0.9, 0.6, 0.8, 0.1]
    p_values = [[1.0 if abs(a - b) < near else 0.01 for b in means] for a in means]
    groups = not_different(means, p_values)
    assert groups == ((1, 3), (2, 0), (4,))
    assert letters_of(groups, 5) == ("b", "a", "b", "a", "c")
    overlapping = not_different([3, 2, 1], [[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    assert overlapping == ((0, 1), (1, 2)) and letters_of(overlapping, 3) == ("a", "ab", "b")


def test_letters_go_on_after_z():
    letters = letters_of([(i,) for i in range(30)], 30)
    assert letters[:2] == ("a", "b") and letters[25:28] == ("z", "aa", "ab")
    assert letters_of([*[(i,) for i in range(27)], (26, 27)], 28)[26] == "aa,ab"


# Kendall's tau


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=20))
def test_kendall_tau_is_scipys(pairs):
    x, y = zip(*pairs, strict=True)
    found = kendall_tau(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(scipy_stats().kendalltau(x, y).statistic, rel=1e-12, abs=1e-15)


def test_kendall_tau_worked():
    assert kendall_tau([1, 2, 3], [2, 4, 9]) == 1 and kendall_tau([1, 2, 3], [3, 2, 1]) == -1
    assert kendall_tau([1], [2]) is None
    with pytest.raises(EvaluationError, match=r"^second: expected 2 values as in the first, found 1$"):
        kendall_tau([1, 2], [1])


# Without SciPy


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: t_test([0.1, 0.2]), "the t-test"),
        (lambda: wilcoxon_test([0.1, 0.2]), "the Wilcoxon test"),
        (lambda: sign_test([0.1, 0.2]), "the sign test"),
        (lambda: minimum_detectable_difference(0.1, 5), "the minimum detectable difference"),
    ],
)
def test_what_needs_scipy_says_how_to_get_it(call, what, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(ImportError) as caught:
        call()
    assert str(caught.value).startswith(f"{what} needs SciPy: pip install 'treckon[stats]' (")


@pytest.mark.parametrize("name", ["bootstrap", "corrections", "paired", "rank_correlation"])
def test_examples_print_what_they_show(name):
    found = doctest.testmod(import_module(f"treckon.statistics.{name}"))
    assert found.attempted and not found.failed
