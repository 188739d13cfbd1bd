"""Runs against a baseline: by how much they differ over the same queries, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from treckon.analysis.compared_runs import Comparison, Difference
from treckon.checks import checked_choice
from treckon.errors import EvaluationError, ParameterError, Place, in_short
from treckon.evaluation.conventions import Conventions
from treckon.evaluation.evaluator import Evaluator
from treckon.evaluation.results import Evaluation
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
from treckon.statistics.arguments import deviation, has_scipy
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
    over the same queries); a run that lacks them all is refused. A measure whose values are added up is compared by
    its mean over the queries; a measure that is a text, or neither averaged nor added up, is refused.

    Raises as `treckon.evaluate` does, EvaluationError and ParameterError for what can't be compared, and ImportError
    where a test needs SciPy, which is missing.

    >>> import treckon
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> runs = {"old": {"q1": {"d1": 2, "d2": 1}}, "new": {"q1": {"d1": 1}, "q2": {"d2": 1}}}
    >>> comparison = treckon.compare(qrels, runs, "RR")
    >>> comparison.difference("RR", "new").interval.estimate, comparison.missing
    (0.5, {'old': 1, 'new': 0})
    """
    if conventions.setdefault("missing", "zero") != "zero":
        expected = "'zero', as runs are compared over the same queries"
        raise ParameterError(place="missing", expected=expected, found=in_short(conventions["missing"]))
    names = _names(runs, baseline)
    statistics = _statistics(tests, resamples, seed, confidence, method, correction, clusters, alpha, power, threads)
    release = Conventions(**conventions).release
    measures = parse_all(measures, release=release, fits=lambda measure: _problem(measure) is None)
    evaluator = Evaluator(
        qrels, measures, columns=qrels_columns, format=qrels_format, threads=threads, seed=ties_seed, **conventions
    )
    for measure in evaluator.measures:
        _check_measure(measure)
    evaluations = {
        name: evaluate_judged(evaluator, runs[name], name, columns=run_columns, format=run_format) for name in names
    }
    return _compared(evaluations, statistics)


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
    statistics = _statistics(tests, resamples, seed, confidence, method, correction, clusters, alpha, power, threads)
    first = evaluations[names[0]]
    for name in names:
        other = evaluations[name]
        if not isinstance(other, Evaluation):
            place = f"evaluations: {name}"
            raise ParameterError(place=place, expected="an Evaluation", found=type(other).__name__)
        _check_alike(names[0], first, name, other)
    for measure in first.measures:
        _check_measure(measure)
    return _compared({name: evaluations[name] for name in names}, statistics)


# What may be compared


def _names(runs: object, baseline: str | None) -> list[str]:
    """The names of the runs, the baseline first."""
    if not isinstance(runs, Mapping):
        raise ParameterError(place="runs", expected="a mapping from names to runs", found=type(runs).__name__)
    names = list(runs)
    if not all(isinstance(name, str) for name in names):
        raise ParameterError("expected names that are texts", place="runs")
    if len(names) < 2:
        raise ParameterError(place="runs", expected="at least two", found=str(len(names)))
    if baseline is None:
        return names
    if baseline not in names:
        expected = f"one of {', '.join(map(repr, names))}"
        raise ParameterError(place="baseline", expected=expected, found=in_short(baseline))
    names.remove(baseline)
    return [baseline, *names]


def _problem(measure: Measure) -> str | None:
    """What keeps a measure from being compared; None: nothing."""
    record = measure.record
    if record.value_type == TEXT:
        return "a text"
    if record.view == VIEW_RUN:
        return "one for the run as a whole"
    return None if record.aggregate in (MEAN, SUM) else f"a {record.aggregate.name}"


def _check_measure(measure: Measure) -> None:
    problem = _problem(measure)
    if problem is not None:
        expected = "a number for each query that is averaged or added up"
        raise EvaluationError(place=str(measure), expected=expected, found=problem)


def _check_alike(name: str, first: Evaluation, other: str, second: Evaluation) -> None:
    """Refuses evaluations that differ in more than the run."""
    here, there = f"'{name}'", f"'{other}'"
    if set(first.measures) != set(second.measures):
        odd = next(iter(set(first.measures) ^ set(second.measures)))
        place = here if odd in first.measures else there
        raise EvaluationError(place=there, expected=f"the same measures as in {here}", found=f"{odd} in {place} alone")
    for option in sorted({*first.conventions, *second.conventions}):
        if first.conventions.get(option) != second.conventions.get(option):
            expected = f"{option}={first.conventions.get(option)!r} as in {here}"
            raise EvaluationError(place=there, expected=expected, found=f"{option}={second.conventions.get(option)!r}")
    odd_queries = sorted(set(first.query_ids) ^ set(second.query_ids))
    if odd_queries:
        place = here if odd_queries[0] in set(first.query_ids) else there
        raise EvaluationError(
            place=there,
            expected=f"the same queries as in {here}",
            found=f"{len(odd_queries)} in one alone, for example '{odd_queries[0]}' in {place} "
            "(missing='zero' counts all judged queries)",
        )


@dataclass(frozen=True, slots=True)
class _Statistics:
    """How runs are compared, checked."""

    tests: tuple[str, ...]
    resamples: int
    seed: int
    confidence: float
    method: str
    correction: str
    clusters: Mapping[str, Hashable] | None
    alpha: float
    power: float
    threads: int
    has_scipy: bool
    warnings: tuple[str, ...]

    def clusters_of(self, query_ids: Sequence[str]) -> list[Hashable] | None:
        """The cluster of each query. Raises EvaluationError where one has none."""
        if self.clusters is None:
            return None
        without = [query_id for query_id in query_ids if query_id not in self.clusters]
        if without:
            found = f"none for {len(without)}, for example '{without[0]}'"
            raise EvaluationError(place="clusters", expected="one for each query", found=found)
        return [self.clusters[query_id] for query_id in query_ids]

    def as_dict(self, clusters: list[Hashable] | None) -> dict[str, Any]:
        """What a comparison says about them."""
        names = ("tests", "resamples", "seed", "confidence", "method", "correction", "alpha", "power")
        n_clusters = None if clusters is None else len(set(clusters))
        return {**{name: getattr(self, name) for name in names}, "clusters": n_clusters}


def _statistics(
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
) -> _Statistics:
    """Checks how runs are to be compared."""
    scipy = has_scipy()
    if tests is None:
        chosen = TESTS if scipy else (RANDOMIZATION,)
    else:
        requested = (tests,) if isinstance(tests, str) else tests
        chosen = tuple(dict.fromkeys(checked_choice("tests", test, TESTS) for test in requested))
    more = "the minimum detectable difference" if tests is not None else "more tests and detectable differences"
    no_scipy = f"SciPy is missing, which {more} would need: pip install 'treckon[stats]'"
    method = checked_choice("method", method, METHODS)
    correction = checked_choice("correction", correction, CORRECTIONS)
    is_mapping = clusters is None or isinstance(clusters, Mapping)
    by_query: Mapping[str, Hashable] | None = clusters if is_mapping else read_clusters(clusters)
    # Numbers are checked by the functions that use them, called here before anything is scored.
    bootstrap_intervals([[0.0]], confidence=confidence, resamples=resamples, seed=seed, threads=threads)
    tukey_hsd([[0.0], [0.0]], alpha=alpha, resamples=1, seed=seed, threads=threads)
    minimum_detectable_difference(0.0, 2, power=power, alpha=alpha)
    return _Statistics(
        tests=chosen,
        resamples=resamples,
        seed=seed,
        confidence=confidence,
        method=method,
        correction=correction,
        clusters=by_query,
        alpha=alpha,
        power=power,
        threads=threads,
        has_scipy=scipy,
        warnings=() if scipy else (no_scipy,),
    )


# Comparing


def _compared(evaluations: Mapping[str, Evaluation], statistics: _Statistics) -> Comparison:
    runs = tuple(evaluations)
    first = evaluations[runs[0]]
    if not first.query_ids:
        raise EvaluationError(place="qrels", expected="a query to compare runs by", found="none")
    if first.conventions.get("no_relevant") == "skip":
        expected = "queries that all count in a comparison"
        raise EvaluationError(place="no_relevant", expected=expected, found="'skip'")
    measures, query_ids = first.measures, first.query_ids
    values = {(measure, run): _column(evaluations[run], measure, query_ids) for measure in measures for run in runs}
    clusters = statistics.clusters_of(query_ids)
    resampling = _Resampling(statistics.resamples, statistics.seed, clusters, statistics.threads)
    means: dict[Measure, dict[str, Interval]] = {measure: {} for measure in measures}
    for (measure, run), interval in zip(values, resampling.intervals([*values.values()], statistics), strict=True):
        means[measure][run] = _as_averaged(interval, evaluations[run], measure)
    missing = {run: evaluations[run].counts.get("missing", 0) for run in runs}
    return Comparison(
        measures=measures,
        runs=runs,
        baseline=runs[0],
        query_ids=query_ids,
        missing=missing,
        means=means,
        differences=_differences(values, means, resampling, statistics),
        tukey=_tukey(values, measures, runs, resampling, statistics.alpha),
        options=statistics.as_dict(clusters),
        conventions=dict(first.conventions),
        warnings=tuple(_warnings(missing, evaluations, statistics)),
        _values=values,
    )


@dataclass(frozen=True, slots=True)
class _Resampling:
    """How queries are resampled."""

    resamples: int
    seed: int
    clusters: list[Hashable] | None
    threads: int

    def options(self) -> dict[str, Any]:
        """Arguments of the functions that resample."""
        return {name: getattr(self, name) for name in ("resamples", "seed", "clusters", "threads")}

    def intervals(self, rows: Sequence[Array], statistics: _Statistics) -> list[Interval]:
        """The interval of each row's mean."""
        confidence, method = statistics.confidence, statistics.method
        return bootstrap_intervals(rows, confidence=confidence, method=method, **self.options())

    def tests(self, name: str, differences: Sequence[Array]) -> list[PairedTest]:
        """The test of this name of each row of differences."""
        if name == RANDOMIZATION:
            return randomization_tests(differences, **self.options())
        return [_CLASSICAL[name](row) for row in differences]


def _tukey(
    values: Mapping[tuple[Measure, str], Array],
    measures: Sequence[Measure],
    runs: Sequence[str],
    resampling: _Resampling,
    alpha: float,
) -> dict[Measure, Tukey]:
    """Tukey's HSD by measure; of two runs it is the randomization test."""
    if len(runs) == 2:
        return {}
    rows = {measure: [values[measure, run] for run in runs] for measure in measures}
    return {measure: tukey_hsd(rows[measure], alpha=alpha, **resampling.options()) for measure in measures}


def _column(evaluation: Evaluation, measure: Measure, query_ids: Sequence[str]) -> Array:
    """The values of a measure, in the order of the queries."""
    import numpy

    column: Array = evaluation.values[:, evaluation.measures.index(measure)]
    if evaluation.query_ids != query_ids:
        at = {query_id: i for i, query_id in enumerate(evaluation.query_ids)}
        column = column[[at[query_id] for query_id in query_ids]]
    if not numpy.isfinite(column).all():
        query_id = query_ids[int(numpy.argmin(numpy.isfinite(column)))]
        raise EvaluationError("expected a finite number", place=Place(str(measure), query=query_id))
    return column


def _as_averaged(interval: Interval, evaluation: Evaluation, measure: Measure) -> Interval:
    """The interval around the mean as the evaluation has it, to the last digit."""
    mean = evaluation.means.get(measure)
    if measure.record.aggregate is not MEAN or not isinstance(mean, float):
        return interval
    return interval._replace(low=mean, estimate=mean, high=mean) if interval.note else interval._replace(estimate=mean)


def _differences(
    values: Mapping[tuple[Measure, str], Array],
    means: Mapping[Measure, Mapping[str, Interval]],
    resampling: _Resampling,
    statistics: _Statistics,
) -> tuple[Difference, ...]:
    """Each run but the first against it, by each measure."""
    baseline = next(iter(values))[1]
    pairs = [(measure, run) for measure, run in values if run != baseline]
    rows = [paired_differences(values[measure, baseline], values[measure, run]) for measure, run in pairs]
    tests = {name: resampling.tests(name, rows) for name in statistics.tests}
    corrected = {
        name: adjust([test.p_value for test in results], statistics.correction) for name, results in tests.items()
    }
    intervals = resampling.intervals(rows, statistics)
    return tuple(
        _difference(
            measure=measure,
            run=run,
            baseline_mean=means[measure][baseline].estimate,
            run_mean=means[measure][run].estimate,
            interval=intervals[i],
            detectable=_detectable(rows[i], statistics),
            differences=rows[i],
            tests={name: results[i] for name, results in tests.items()},
            corrected={name: p_values[i] for name, p_values in corrected.items()},
        )
        for i, (measure, run) in enumerate(pairs)
    )


def _difference(*, interval: Interval, baseline_mean: float, differences: Array, **fields: Any) -> Difference:
    wins, ties, losses = wins_ties_losses(differences)
    relative = interval.estimate / abs(baseline_mean) if baseline_mean else None
    return Difference(
        interval=interval,
        baseline_mean=baseline_mean,
        relative=relative if relative is not None and isfinite(relative) else None,
        wins=wins,
        ties=ties,
        losses=losses,
        effect_size=cohens_d(differences),
        **fields,
    )


def _detectable(differences: Array, statistics: _Statistics) -> float | None:
    n = len(differences)
    if n == 1 or not statistics.has_scipy:
        return None
    return minimum_detectable_difference(deviation(differences), n, power=statistics.power, alpha=statistics.alpha)


def _warnings(
    missing: Mapping[str, int], evaluations: Mapping[str, Evaluation], statistics: _Statistics
) -> Iterator[str]:
    first = next(iter(evaluations.values()))
    counts_missing = first.conventions.get("missing") == "zero"
    for run, n in missing.items():
        if n == 1:
            rule = "counts as an empty ranking" if counts_missing else "left out"
            yield f"{run}: 1 judged query is missing from it and {rule}"
        elif n:
            rule = "count as empty rankings" if counts_missing else "left out"
            yield f"{run}: {n} judged queries are missing from it and {rule}"
    added = [str(measure) for measure in first.measures if measure.record.aggregate is SUM]
    if added:
        yield f"means over the queries, not sums: {', '.join(added)}"
    independent = [name for name in statistics.tests if name != RANDOMIZATION]
    if statistics.clusters is not None and independent:
        yield f"these tests treat queries as independent, whatever their clusters: {', '.join(independent)}"
    yield from statistics.warnings
    for run, evaluation in evaluations.items():
        yield from (f"{run}: {warning}" for warning in evaluation.warnings)
