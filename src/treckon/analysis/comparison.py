"""Runs against a baseline: by how much they differ over the same queries, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import NamedTuple

from treckon.errors import EvaluationError, ParameterError
from treckon.evaluation.conventions import Conventions
from treckon.evaluation.evaluator import Evaluator
from treckon.evaluation.results import Columns, Evaluation
from treckon.evaluation.run_files import evaluate_judged
from treckon.inputs.clusters import read_clusters
from treckon.measures.aggregation import MEAN, SUM
from treckon.measures.registry import TEXT, VIEW_RUN
from treckon.naming.syntax import parse_all
from treckon.statistics import (
    CORRECTIONS,
    Interval,
    PairedTest,
    Tukey,
    adjust,
    bootstrap_intervals,
    cohens_d,
    minimum_detectable_difference,
    paired_differences,
    randomization_tests,
    sign_test,
    t_test,
    tukey_hsd,
    wilcoxon_test,
    wins_ties_losses,
)
from treckon.statistics.arguments import deviation, has_scipy, one_of
from treckon.statistics.bootstrap import METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from typing import Any

    from treckon.naming.syntax import Measure
    from treckon.statistics.arguments import Array

RANDOMIZATION = "randomization"
_CLASSICAL = {"t": t_test, "wilcoxon": wilcoxon_test, "sign": sign_test}

#: Names of the tests, all two-sided. All but the first need SciPy.
TESTS = (RANDOMIZATION, *_CLASSICAL)

SHOWN_WARNINGS = 5


class QueryDifference(NamedTuple):
    """A query's values, and the run's less the baseline's (0 where they differ by rounding only)."""

    query_id: str
    baseline: float
    run: float
    difference: float


class Difference(NamedTuple):
    """A run against the baseline, by one measure.

    measure, run:  which
    baseline_mean, run_mean: over all queries
    interval:      of the mean difference (its `estimate`): run less baseline, pairs kept together
    relative:      the difference over the baseline's mean, such as 0.05 for five per cent; None where that mean is 0
    wins, ties, losses: queries in which the run's value is higher, equal, lower
    effect_size:   Cohen's d of the differences; None where they don't vary
    detectable:    the true difference that a t-test over so many queries would find with the power asked for; None for
                   a single query, and where SciPy is missing
    tests:         each test by name
    corrected:     its p-value, corrected over all measures and runs
    """

    measure: Measure
    run: str
    baseline_mean: float
    run_mean: float
    interval: Interval
    relative: float | None
    wins: int
    ties: int
    losses: int
    effect_size: float | None
    detectable: float | None
    tests: Mapping[str, PairedTest]
    corrected: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The same as dictionaries, texts and numbers."""
        return {
            "measure": str(self.measure),
            "run": self.run,
            "baseline_mean": self.baseline_mean,
            "run_mean": self.run_mean,
            "difference": self.interval.estimate,
            "low": self.interval.low,
            "high": self.interval.high,
            "note": self.interval.note,
            "relative": self.relative,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "effect_size": self.effect_size,
            "minimum_detectable_difference": self.detectable,
            "tests": {name: _test_dict(test, self.corrected[name]) for name, test in self.tests.items()},
        }


def _test_dict(test: PairedTest, corrected: float) -> dict[str, Any]:
    found = {"p_value": test.p_value, "corrected": corrected, "statistic": test.statistic}
    return {**found, "n": test.n, "note": test.note}


class Comparison:
    """Runs by the same measures over the same queries, against one of them.

    measures:    what was asked for, in that order
    runs:        names, the baseline first
    baseline:    the name of the run that the others are compared with
    query_ids:   the queries, in the order of the values
    missing:     by run, how many judged queries it lacks; they count with the values of an empty ranking
    means:       by measure and run, the mean over the queries with its confidence interval
    differences: a `Difference` for each measure and each run but the baseline
    tukey:       by measure, the randomised Tukey HSD test of all pairs, in the order of `runs`; empty where there are
                 two runs: there it is the randomization test
    options:     what the statistics were made with: tests, resamples, seed, confidence, method, correction, alpha,
                 power, clusters (how many, or None)
    conventions: what the values were made with
    warnings:    sentences

    Made by `treckon.compare` and `treckon.compare_evaluations`.
    """

    __slots__ = (
        "_values", "baseline", "conventions", "differences", "means", "measures", "missing", "options", "query_ids",
        "runs", "tukey", "warnings",
    )  # fmt: skip

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    baseline: str
    query_ids: tuple[str, ...]
    missing: dict[str, int]
    means: dict[Measure, dict[str, Interval]]
    differences: tuple[Difference, ...]
    tukey: dict[Measure, Tukey]
    options: dict[str, Any]
    conventions: dict[str, object]
    warnings: tuple[str, ...]
    _values: dict[tuple[Measure, str], Array]

    def difference(self, measure: Measure | str, run: str) -> Difference:
        """The run against the baseline by the measure. Raises KeyError that says which there are."""
        chosen = self._measure(measure)
        for one in self.differences:
            if one.measure == chosen and one.run == run:
                return one
        raise KeyError(f"expected one of {', '.join(self.runs[1:])}, found {run}")

    def per_query(self, measure: Measure | str | None = None, run: str | None = None) -> list[QueryDifference]:
        """A run's values and the baseline's, query by query: the greatest loss first, the greatest gain last.

        measure: None: the first one
        run:     None: the first one that isn't the baseline

        Queries with equal differences stand in the order of `query_ids`. Raises KeyError that says which there are.
        """
        chosen = self.measures[0] if measure is None else self._measure(measure)
        name = self.runs[1] if run is None else run
        if name not in self.runs[1:]:
            raise KeyError(f"expected one of {', '.join(self.runs[1:])}, found {run}")
        baseline, values = self._values[chosen, self.baseline], self._values[chosen, name]
        columns = baseline.tolist(), values.tolist(), paired_differences(baseline, values).tolist()
        rows = map(QueryDifference, self.query_ids, *columns)
        return sorted(rows, key=lambda row: row.difference)

    def _measure(self, measure: Measure | str) -> Measure:
        return self.measures[Columns(self.measures).find(measure)]

    def to_dict(self, per_query: bool = False) -> dict[str, Any]:
        """All of it as dictionaries, lists, texts and numbers, by the measures' texts and the runs' names.

        With `per_query` also the values of each query, by measure and run, sorted by their difference.
        """
        found: dict[str, Any] = {
            "baseline": self.baseline,
            "runs": list(self.runs),
            "measures": [str(measure) for measure in self.measures],
            "queries": len(self.query_ids),
            "missing": dict(self.missing),
            "options": {**self.options, "tests": list(self.options["tests"])},
            "conventions": dict(self.conventions),
            "means": {
                str(measure): {
                    run: {"mean": one.estimate, "low": one.low, "high": one.high, "note": one.note}
                    for run, one in by_run.items()
                }
                for measure, by_run in self.means.items()
            },
            "differences": [one.to_dict() for one in self.differences],
            "tukey": {str(measure): one.to_dict() for measure, one in self.tukey.items()},
            "warnings": list(self.warnings),
        }
        if per_query:
            found["per_query"] = {
                str(measure): {run: [row._asdict() for row in self.per_query(measure, run)] for run in self.runs[1:]}
                for measure in self.measures
            }
        return found

    # To be read

    def __repr__(self) -> str:
        n = len(self.query_ids)
        lines = [f"Comparison of {len(self.runs)} runs over {n} {'query' if n == 1 else 'queries'}"]
        for measure in self.measures:
            lines += ["", str(measure), *_aligned([self._heading(), *self._rows(measure)])]
        return "\n".join([*lines, "", *self._notes()])

    def _heading(self) -> list[str]:
        interval = f"{100 * self.options['confidence']:g}%"
        heading = ["run", "mean", interval, "difference", interval, "change", "+ = -", "d", "detectable"]
        groups = ["groups"] if self.tukey else []
        return [*heading, *(f"p {name}" for name in self.options["tests"]), *groups]

    def _rows(self, measure: Measure) -> Iterator[list[str]]:
        letters = self.tukey[measure].letters if self.tukey else ("",) * len(self.runs)
        for run, groups in zip(self.runs, letters, strict=True):
            mean = self.means[measure][run]
            cells = [run, f"{mean.estimate:.4f}", _interval_text(mean)]
            if run == self.baseline:
                cells += [""] * (6 + len(self.options["tests"]))
            else:
                one = self.difference(measure, run)
                cells += [_text(one.interval.estimate, "+.4f"), _interval_text(one.interval, "+")]
                cells += ["" if one.relative is None else _text(100 * one.relative, "+.1f") + "%"]
                cells += [f"{one.wins} {one.ties} {one.losses}", _text(one.effect_size, "+.2f")]
                cells += [_text(one.detectable, ".4f")]
                p_values = [one.corrected[name] for name in self.options["tests"]]
                cells += [f"{p:.4f}" if p == 0 or p >= 0.00005 else f"{p:.1e}" for p in p_values]
            yield [*cells, groups]

    @property
    def notes(self) -> list[str]:
        """How the statistics were made, a sentence each: seed and resamples, what corrections and groups are over."""
        options, n = self.options, len(self.differences)
        clusters = "" if options["clusters"] is None else f" of {options['clusters']} clusters"
        found = [
            f"{options['resamples']} resamples{clusters}, seed {options['seed']}; {100 * options['confidence']:g}% "
            f"intervals, {options['method']}"
        ]
        if options["tests"] and options["correction"] == "none":
            found.append("p-values are two-sided and not corrected")
        elif options["tests"]:
            over = f"{n} {'difference' if n == 1 else 'differences'}"
            found.append(f"p-values are two-sided, corrected over {over} by {options['correction']}")
        if any(one.detectable is not None for one in self.differences):
            found.append(f"detectable: by a t-test at {options['alpha']:g} with power {options['power']:g}")
        if self.tukey:
            found.append(f"runs with a group in common don't differ at {options['alpha']:g} (randomised Tukey HSD)")
        return found

    def _notes(self) -> Iterator[str]:
        yield from self.notes
        yield from (f"warning: {warning}" for warning in self.warnings[:SHOWN_WARNINGS])
        if len(self.warnings) > SHOWN_WARNINGS:
            yield f"and {len(self.warnings) - SHOWN_WARNINGS} more warnings"


def compare(
    qrels: Any,
    runs: Mapping[str, Any],
    measures: str | Measure | Iterable[str | Measure],
    *,
    baseline: str | None = None,
    tests: str | Iterable[str] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    method: str = "bca",
    correction: str = "holm",
    clusters: Mapping[str, Hashable] | Any = None,
    alpha: float = 0.05,
    power: float = 0.8,
    ties_seed: int = 0,
    threads: int = 0,
    qrels_columns: Sequence[str] | None = None,
    run_columns: Sequence[str] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    **conventions: Any,
) -> Comparison:
    """Scores runs against the same judgements, and compares each with a baseline over the same queries.

    qrels, measures: as `treckon.evaluate` takes them; of a group such as ``official`` those that can be compared
    runs:       {name: run}, at least two, each as `treckon.evaluate` takes it
    baseline:   the name of the run that the others are compared with; None: the first one
    tests:      names out of "randomization", "t", "wilcoxon" and "sign"; None: all of them, without SciPy the first
    resamples, seed: of the bootstrap, the randomization test and Tukey's HSD: the same seed gives the same numbers with
                any number of threads
    confidence, method: of the intervals, "bca" or "percentile": see `treckon.statistics.bootstrap_interval`
    correction: of the p-values of each test over all measures and runs, "holm", "bonferroni", "benjamini-hochberg" or
                "none": see `treckon.statistics.adjust`. Intervals are not corrected, and Tukey's p-values are over the
                pairs of runs, not over the measures
    clusters:   {query id: cluster}, where queries depend on each other: then intervals, the randomization test and
                Tukey's HSD resample whole clusters; or a file of lines with a query id and a cluster
    alpha, power: of the minimum detectable difference; alpha also of the groups of Tukey's HSD
    ties_seed:  of random orders of tied documents: the convention that `treckon.evaluate` calls seed
    threads:    how many may be used, 0: as many as can run
    qrels_columns, run_columns, qrels_format, run_format: as `treckon.evaluate` takes them

    The other options are the conventions: see `treckon.Conventions`. All judged queries count: where a run lacks one,
    it scores as if it had retrieved nothing, which is 0 (``missing="zero"``, and no other choice: runs are compared
    over the same queries); one that lacks them all is refused. A measure whose values are added up is compared by its
    mean over the queries; one that is a text, or neither averaged nor added up, is refused.

    Raises as `treckon.evaluate` does, EvaluationError and ParameterError for what can't be compared, and ImportError
    where a test needs SciPy, which is missing.

    >>> import treckon
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> runs = {"old": {"q1": {"d1": 2, "d2": 1}}, "new": {"q1": {"d1": 1}, "q2": {"d2": 1}}}
    >>> found = treckon.compare(qrels, runs, "RR")
    >>> found.difference("RR", "new").interval.estimate, found.missing
    (0.5, {'old': 1, 'new': 0})
    """
    if conventions.setdefault("missing", "zero") != "zero":
        found = conventions["missing"]
        raise ParameterError(f"missing: expected 'zero', as runs are compared over the same queries, found {found!r}")
    names = _names(runs, baseline)
    options = _Options(tests, resamples, seed, confidence, method, correction, clusters, alpha, power, threads)
    release = Conventions(**conventions).release
    measures = parse_all(measures, release=release, fits=lambda one: _problem(one) is None)
    evaluator = Evaluator(
        qrels, measures, columns=qrels_columns, format=qrels_format, threads=threads, seed=ties_seed, **conventions
    )
    for measure in evaluator.measures:
        _check_measure(measure)
    evaluations = {
        name: evaluate_judged(evaluator, runs[name], name, columns=run_columns, format=run_format) for name in names
    }
    return _compared(evaluations, options)


def compare_evaluations(
    evaluations: Mapping[str, Evaluation],
    *,
    baseline: str | None = None,
    tests: str | Iterable[str] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    method: str = "bca",
    correction: str = "holm",
    clusters: Mapping[str, Hashable] | Any = None,
    alpha: float = 0.05,
    power: float = 0.8,
    threads: int = 0,
) -> Comparison:
    """Compares evaluations that were made before: `compare` without the scoring.

    evaluations: {name: evaluation}, at least two, of the same queries by the same measures and conventions. Where runs
                 lack queries, evaluate them with ``missing="zero"``

    The options are those of `compare`. Raises EvaluationError where evaluations can't be compared.
    """
    names = _names(evaluations, baseline)
    options = _Options(tests, resamples, seed, confidence, method, correction, clusters, alpha, power, threads)
    first = evaluations[names[0]]
    for name in names:
        one = evaluations[name]
        if not isinstance(one, Evaluation):
            raise ParameterError(f"evaluations: {name}: expected an Evaluation, found {type(one).__name__}")
        _check_alike(names[0], first, name, one)
    for measure in first.measures:
        _check_measure(measure)
    return _compared({name: evaluations[name] for name in names}, options)


# What may be compared


def _names(runs: object, baseline: str | None) -> list[str]:
    """The names of the runs, the baseline first."""
    if not isinstance(runs, Mapping):
        raise ParameterError(f"runs: expected a mapping from names to runs, found {type(runs).__name__}")
    names = list(runs)
    if not all(isinstance(name, str) for name in names):
        raise ParameterError("runs: expected names that are texts")
    if len(names) < 2:
        raise ParameterError(f"runs: expected at least two, found {len(names)}")
    if baseline is None:
        return names
    if baseline not in names:
        raise ParameterError(f"baseline: expected one of {', '.join(map(repr, names))}, found {baseline!r}")
    names.remove(baseline)
    return [baseline, *names]


def _problem(measure: Measure) -> str | None:
    """What keeps a measure from being compared; None: nothing."""
    record = measure.measure
    if record.value_type == TEXT:
        return "a text"
    if record.view == VIEW_RUN:
        return "one of the run as a whole"
    return None if record.aggregate in (MEAN, SUM) else f"a {record.aggregate.name}"


def _check_measure(measure: Measure) -> None:
    found = _problem(measure)
    if found is not None:
        expected = "a number for each query that is averaged or added up"
        raise EvaluationError(f"{measure}: expected {expected}, found {found}")


def _check_alike(name: str, first: Evaluation, other: str, second: Evaluation) -> None:
    """Refuses evaluations that differ in more than the run."""
    here, there = f"'{name}'", f"'{other}'"
    if set(first.measures) != set(second.measures):
        odd = next(iter(set(first.measures) ^ set(second.measures)))
        place = here if odd in first.measures else there
        raise EvaluationError(f"{there}: expected the same measures as in {here}, found {odd} in {place} alone")
    for option in sorted({*first.conventions, *second.conventions}):
        if first.conventions.get(option) != second.conventions.get(option):
            values = f"{option}={first.conventions.get(option)!r}", f"{option}={second.conventions.get(option)!r}"
            raise EvaluationError(f"{there}: expected {values[0]} as in {here}, found {values[1]}")
    odd_queries = sorted(set(first.query_ids) ^ set(second.query_ids))
    if odd_queries:
        place = here if odd_queries[0] in set(first.query_ids) else there
        raise EvaluationError(
            f"{there}: expected the same queries as in {here}, found {len(odd_queries)} in one alone, for example "
            f"'{odd_queries[0]}' in {place} (missing='zero' counts all judged queries)"
        )


class _Options:
    """How runs are compared, checked."""

    def __init__(
        self,
        tests: str | Iterable[str] | None,
        resamples: int,
        seed: int,
        confidence: float,
        method: str,
        correction: str,
        clusters: Any,
        alpha: float,
        power: float,
        threads: int,
    ) -> None:
        self.warnings: list[str] = []
        self.has_scipy = has_scipy()
        if tests is None:
            self.tests = TESTS if self.has_scipy else (RANDOMIZATION,)
        else:
            given = (tests,) if isinstance(tests, str) else tests
            self.tests = tuple(dict.fromkeys(one_of("tests", test, TESTS) for test in given))
        if not self.has_scipy:
            more = "the minimum detectable difference" if tests is not None else "more tests and detectable differences"
            self.warnings.append(f"SciPy is missing, which {more} would need: pip install 'treckon[stats]'")
        self.confidence, self.method = confidence, one_of("method", method, METHODS)
        self.correction = one_of("correction", correction, CORRECTIONS)
        is_read = clusters is None or isinstance(clusters, Mapping)
        self.clusters: Mapping[str, Hashable] | None = clusters if is_read else read_clusters(clusters)
        self.alpha, self.power = alpha, power
        self.resampling: dict[str, Any] = {"resamples": resamples, "seed": seed, "threads": threads}
        # All of the numbers are checked by those who use them: here before anything is scored.
        bootstrap_intervals([[0.0]], confidence=confidence, **self.resampling)
        tukey_hsd([[0.0], [0.0]], alpha=alpha, **{**self.resampling, "resamples": 1})
        minimum_detectable_difference(0.0, 2, power=power, alpha=alpha)

    def of_queries(self, query_ids: Sequence[str]) -> list[Hashable] | None:
        """The cluster of each query. Raises EvaluationError where one has none."""
        if self.clusters is None:
            return None
        without = [query_id for query_id in query_ids if query_id not in self.clusters]
        if without:
            raise EvaluationError(
                f"clusters: expected one for each query, found none for {len(without)}, for example '{without[0]}'"
            )
        return [self.clusters[query_id] for query_id in query_ids]


# Comparing


def _compared(evaluations: Mapping[str, Evaluation], options: _Options) -> Comparison:
    import numpy

    runs = tuple(evaluations)
    first = evaluations[runs[0]]
    if not first.query_ids:
        raise EvaluationError("qrels: expected a query to compare runs by, found none")
    if first.conventions.get("no_relevant") == "skip":
        raise EvaluationError("no_relevant: expected queries that all count in a comparison, found 'skip'")
    measures, query_ids = first.measures, first.query_ids
    values = {(measure, run): _column(evaluations[run], measure, query_ids) for measure in measures for run in runs}
    clusters = options.of_queries(query_ids)
    resampling = {**options.resampling, "clusters": clusters}
    intervals: dict[str, Any] = {**resampling, "confidence": options.confidence, "method": options.method}
    means: dict[Measure, dict[str, Interval]] = {measure: {} for measure in measures}
    rows = numpy.array(list(values.values()))
    for (measure, run), interval in zip(values, bootstrap_intervals(rows, **intervals), strict=True):
        means[measure][run] = _as_averaged(interval, evaluations[run], measure)
    pairs = [(measure, run) for measure in measures for run in runs[1:]]
    differences = numpy.array(
        [paired_differences(values[measure, runs[0]], values[measure, run]) for measure, run in pairs]
    )
    tests = {name: _tested(name, differences, resampling) for name in options.tests}
    corrected = {name: adjust([one.p_value for one in found], options.correction) for name, found in tests.items()}
    found = Comparison()
    found.differences = tuple(
        _difference(
            *pair, means[pair[0]], runs[0], interval, differences[i], options,
            {name: tests[name][i] for name in tests}, {name: corrected[name][i] for name in tests},
        )
        for i, (pair, interval) in enumerate(zip(pairs, bootstrap_intervals(differences, **intervals), strict=True))
    )  # fmt: skip
    found.tukey = {}
    if len(runs) > 2:
        for measure in measures:
            matrix = numpy.array([values[measure, run] for run in runs])
            found.tukey[measure] = tukey_hsd(matrix, alpha=options.alpha, **resampling)
    found.measures, found.query_ids, found.runs, found.baseline = measures, query_ids, runs, runs[0]
    found.means, found._values = means, values
    found.missing = {run: evaluations[run].counts.get("missing", 0) for run in runs}
    found.conventions = dict(first.conventions)
    found.options = {
        "tests": options.tests,
        "resamples": options.resampling["resamples"],
        "seed": options.resampling["seed"],
        "confidence": options.confidence,
        "method": options.method,
        "correction": options.correction,
        "alpha": options.alpha,
        "power": options.power,
        "clusters": None if clusters is None else len(set(clusters)),
    }
    found.warnings = tuple(_warnings(found, evaluations, options))
    return found


def _column(evaluation: Evaluation, measure: Measure, query_ids: Sequence[str]) -> Array:
    """The values of a measure, in the order of the queries."""
    import numpy

    column: Array = evaluation.values[:, evaluation.measures.index(measure)]
    if evaluation.query_ids != query_ids:
        at = {query_id: i for i, query_id in enumerate(evaluation.query_ids)}
        column = column[[at[query_id] for query_id in query_ids]]
    if not numpy.isfinite(column).all():
        query_id = query_ids[int(numpy.argmin(numpy.isfinite(column)))]
        raise EvaluationError(f"{measure}: query '{query_id}': expected a finite number")
    return column


def _as_averaged(interval: Interval, evaluation: Evaluation, measure: Measure) -> Interval:
    """The interval around the mean as the evaluation has it, to the last digit."""
    mean = evaluation.means.get(measure)
    if measure.measure.aggregate is not MEAN or not isinstance(mean, float):
        return interval
    return interval._replace(low=mean, estimate=mean, high=mean) if interval.note else interval._replace(estimate=mean)


def _tested(name: str, differences: Array, resampling: dict[str, Any]) -> list[PairedTest]:
    if name == RANDOMIZATION:
        return randomization_tests(differences, **resampling)
    return [_CLASSICAL[name](row) for row in differences]


def _difference(
    measure: Measure,
    run: str,
    means: Mapping[str, Interval],
    baseline: str,
    interval: Interval,
    differences: Array,
    options: _Options,
    tests: Mapping[str, PairedTest],
    corrected: Mapping[str, float],
) -> Difference:
    wins, ties, losses = wins_ties_losses(differences)
    baseline_mean = means[baseline].estimate
    relative = interval.estimate / abs(baseline_mean) if baseline_mean else None
    detectable, n = None, len(differences)
    if options.has_scipy and n > 1:
        spread = deviation(differences)
        detectable = minimum_detectable_difference(spread, n, power=options.power, alpha=options.alpha)
    return Difference(
        measure=measure,
        run=run,
        baseline_mean=baseline_mean,
        run_mean=means[run].estimate,
        interval=interval,
        relative=relative if relative is not None and isfinite(relative) else None,
        wins=wins,
        ties=ties,
        losses=losses,
        effect_size=cohens_d(differences),
        detectable=detectable,
        tests=tests,
        corrected=corrected,
    )


def _warnings(found: Comparison, evaluations: Mapping[str, Evaluation], options: _Options) -> Iterator[str]:
    counts_missing = found.conventions.get("missing") == "zero"
    for run, n in found.missing.items():
        if n == 1:
            rule = "counts as an empty ranking" if counts_missing else "left out"
            yield f"{run}: 1 judged query is missing from it and {rule}"
        elif n:
            rule = "count as empty rankings" if counts_missing else "left out"
            yield f"{run}: {n} judged queries are missing from it and {rule}"
    added = [str(measure) for measure in found.measures if measure.measure.aggregate is SUM]
    if added:
        yield f"means over the queries, not sums: {', '.join(added)}"
    independent = [name for name in options.tests if name != RANDOMIZATION]
    if options.clusters is not None and independent:
        yield f"these tests take queries for independent, whatever their clusters: {', '.join(independent)}"
    yield from options.warnings
    for run, evaluation in evaluations.items():
        yield from (f"{run}: {warning}" for warning in evaluation.warnings)


# Text


def _interval_text(interval: Interval, sign: str = "") -> str:
    return f"[{_text(interval.low, f'{sign}.4f')}, {_text(interval.high, f'{sign}.4f')}]"


def _text(value: float | None, form: str) -> str:
    """A number, without a sign where it rounds to 0; nothing where there is none."""
    text = "" if value is None else format(value, form)
    return text if text.strip("+-0.") else text.lstrip("+-")


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    """Columns side by side, the first to the left and the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join(["  " + row[0].ljust(widths[0]), *cells[1:]]).rstrip()
