"""Submissions ranked by a measure: who is ahead, whom chance could have put there, and who can't be ranked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

from treckon.errors import EvaluationError, InputError, NoQueriesError, ParameterError
from treckon.evaluation.conventions import Conventions
from treckon.evaluation.evaluator import Evaluator
from treckon.evaluation.results import ByMeasure, Columns
from treckon.evaluation.run_files import evaluate_judged, run_names, run_paths
from treckon.measures.aggregation import MEAN
from treckon.measures.registry import TEXT, VIEW_RUN
from treckon.measures.usual import USUAL
from treckon.naming.syntax import Measure, parse, parse_all
from treckon.statistics import Interval, bootstrap_intervals, kendall_tau, tukey_hsd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from treckon.evaluation.results import Evaluation

#: Means that agree to this many decimals differ by rounding only.
_DIGITS = 12


class Entry(NamedTuple):
    """A submission that is ranked.

    run:      its name
    means:    by measure, or by its text: ``entry.means["AP"]``
    ranks:    by measure; runs of equal means share a rank, and the ranks that they take up together are left out (1, 2,
              2, 4)
    interval: of the mean by the main measure; None where that is no mean
    groups:   letters: runs that have one in common don't differ significantly by the main measure; empty where there
              is one run only, or the measure is no mean
    missing:  how many judged queries it lacks; they count as having retrieved nothing
    extra:    how many of its queries are not judged; they don't count
    """

    run: str
    means: Mapping[Measure, Any]
    ranks: Mapping[Measure, Any]
    interval: Interval | None
    groups: str
    missing: int
    extra: int

    def to_dict(self) -> dict[str, Any]:
        """The same as dictionaries, texts and numbers."""
        return {
            "run": self.run,
            "means": {str(measure): mean for measure, mean in self.means.items()},
            "ranks": {str(measure): rank for measure, rank in self.ranks.items()},
            "interval": None if self.interval is None else self.interval.to_dict(),
            "groups": self.groups,
            "missing": self.missing,
            "extra": self.extra,
        }


class Broken(NamedTuple):
    """A submission that can't be ranked, and why not."""

    run: str
    problem: str

    def to_dict(self) -> dict[str, str]:
        """The same as a dictionary."""
        return self._asdict()


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class Leaderboard:
    """Submissions in the order of their ranks.

    measures:    what they were scored by
    by:          the measure that they are ranked by: the higher its mean, the better
    entries:     an `Entry` each, by falling mean; those of equal means by name
    broken:      a `Broken` for each submission that can't be ranked
    query_ids:   the queries that the means are over: all that are judged
    kendall:     by measure and measure, Kendall's tau-b of the means of all ranked runs: whether both rank alike; None
                 where one ranks nothing
    options:     of the statistics: confidence, method, alpha, resamples, seed
    conventions: what the values were made with
    warnings:    sentences on the judgements

    Made by `treckon.leaderboard`.
    """

    measures: tuple[Measure, ...]
    by: Measure
    entries: tuple[Entry, ...]
    broken: tuple[Broken, ...]
    query_ids: tuple[str, ...]
    kendall: Mapping[Measure, Any]
    options: dict[str, Any]
    conventions: dict[str, object]
    warnings: tuple[str, ...]

    def scores(self) -> dict[str, dict[str, float]]:
        """By run and measure, every mean: finite numbers, for platforms that read scores from a file.

        Raises EvaluationError where a submission is broken, or there is none.
        """
        if self.broken:
            run, problem = self.broken[0]
            raise EvaluationError(f"it can't be scored: {problem}", place=run)
        if not self.entries:
            raise EvaluationError(place="runs", expected="one to score", found="none")
        return {entry.run: {str(measure): mean for measure, mean in entry.means.items()} for entry in self.entries}

    def to_dict(self) -> dict[str, Any]:
        """All of it as dictionaries, lists, texts and numbers, by the measures' texts."""
        return {
            "by": str(self.by),
            "measures": [str(measure) for measure in self.measures],
            "queries": len(self.query_ids),
            "entries": [entry.to_dict() for entry in self.entries],
            "broken": [broken.to_dict() for broken in self.broken],
            "kendall": {
                str(measure): {str(other): tau for other, tau in taus.items()} for measure, taus in self.kendall.items()
            },
            "options": dict(self.options),
            "conventions": dict(self.conventions),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        lines = [f"Leaderboard of {self.title}"]
        width = max((len(entry.run) for entry in self.entries), default=0)
        for entry in self.entries:
            line = f"{entry.ranks[self.by]:>4}  {entry.run:<{width}}  {entry.means[self.by]:.4f}"
            if entry.interval is not None:
                line += f"  [{entry.interval.low:.4f}, {entry.interval.high:.4f}]  {entry.groups}"
            lines.append(line.rstrip())
        lines += [f"broken: {broken.run}: {broken.problem}" for broken in self.broken]
        return "\n".join([*lines, *self.notes, *(f"warning: {warning}" for warning in self.warnings)])

    @property
    def title(self) -> str:
        """How many runs are ranked, by what and over how many queries: "7 runs by AP over 50 queries"."""
        n_runs, n = len(self.entries), len(self.query_ids)
        return f"{n_runs} {'run' if n_runs == 1 else 'runs'} by {self.by} over {n} {'query' if n == 1 else 'queries'}"

    @property
    def notes(self) -> list[str]:
        """How ranks, intervals and groups were made, a sentence each."""
        options = self.options
        notes = []
        if any(entry.interval is not None for entry in self.entries):
            notes.append(
                f"{100 * options['confidence']:g}% intervals of {self.by}: {options['method']} bootstrap, "
                f"{options['resamples']} resamples, seed {options['seed']}"
            )
        if any(entry.groups for entry in self.entries):
            notes.append(
                f"runs with a group in common don't differ by {self.by} at {options['alpha']:g} (randomised Tukey HSD)"
            )
        ranks = [entry.ranks[self.by] for entry in self.entries]
        if len(set(ranks)) < len(ranks):
            notes.append(f"runs of the same rank have the same {self.by}")
        return notes


def leaderboard(
    qrels: Any,
    runs: Mapping[str, Any] | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    measures: str | Measure | Iterable[str | Measure] = USUAL,
    *,
    by: str | Measure | None = None,
    confidence: float = 0.95,
    method: str = "bca",
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    ties_seed: int = 0,
    threads: int = 0,
    qrels_columns: Sequence[str] | None = None,
    run_columns: Sequence[str] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    advance: Callable[[], object] | None = None,
    **conventions: Any,
) -> Leaderboard:
    """Ranks submissions to a shared task.

    qrels, measures: as `treckon.evaluate` takes them; of a group such as ``official`` those that can rank runs
    runs:       {name: run}, each as `treckon.evaluate` takes it; or a folder, or paths of files and folders. Files are
                called by their names, with as much of their folders as tells them apart
    by:         the measure to rank by; None: the first one
    confidence, method: of the intervals: see `treckon.statistics.bootstrap_interval`
    alpha:      level of the test whether runs differ: see `treckon.statistics.tukey_hsd`
    resamples, seed: of both; the same seed gives the same numbers with any number of threads
    ties_seed:  of random orders of tied documents: the convention that `treckon.evaluate` calls seed
    threads:    how many may be used, 0: as many as can run
    qrels_columns, run_columns, qrels_format, run_format: as `treckon.evaluate` takes them
    advance:    called whenever a run is done

    The other options are the conventions: see `treckon.Conventions`. All judged queries count, for every run: where one
    lacks a query, it has retrieved nothing for it (``missing="zero"``; with "error" such a run is broken).

    A run that can't be read, that a convention refuses, that has a score which isn't a number to its end, or none of
    whose queries is judged, is broken: it is listed with its problem, and neither ranked nor part of any statistic.

    Raises InputError for judgements that can't be read and files that aren't there, UnknownMeasureError,
    ParameterError, and EvaluationError for what the judgements can't be used for.

    >>> import treckon
    >>> runs = {"new": {"q1": {"d1": 2, "d2": 1}}, "old": {"q1": {"d2": 2, "d1": 1}}, "odd": {"q1": {"d1": None}}}
    >>> board = treckon.leaderboard({"q1": {"d1": 1}}, runs, "RR")
    >>> [(entry.ranks[board.by], entry.run, entry.means[board.by]) for entry in board.entries]
    [(1, 'new', 1.0), (2, 'old', 0.5)]
    >>> board.broken[0].run
    'odd'
    """
    named = _named(runs)
    if conventions.setdefault("missing", "zero") == "skip":
        expected = "'zero' or 'error', as all runs are ranked over the same queries"
        raise ParameterError(place="missing", expected=expected, found="'skip'")
    if conventions.get("no_relevant") == "skip":
        raise ParameterError(place="no_relevant", expected="queries that all count", found="'skip'")
    release = Conventions(**conventions).release
    measures = parse_all(measures, release=release, fits=_ranks_runs)
    evaluator = Evaluator(
        qrels, measures, columns=qrels_columns, format=qrels_format, threads=threads, seed=ties_seed, **conventions
    )
    main = evaluator.measures[0] if by is None else parse(by, release=release)
    if main not in evaluator.measures:
        evaluator = evaluator.changed([main, *evaluator.measures])
    for measure in evaluator.measures:
        if not _ranks_runs(measure):
            raise EvaluationError("expected a number for each run, which can be ranked by it", place=str(measure))
    evaluations: dict[str, Evaluation] = {}
    broken: list[Broken] = []
    for name, run in named.items():
        try:
            evaluations[name] = _evaluation(evaluator, run, run_columns, run_format)
        except (InputError, EvaluationError, NoQueriesError) as error:
            if error.place.concerns("qrels"):  # no run's fault
                raise
            broken.append(Broken(name, str(error)))
        if advance is not None:
            advance()
    options = _Options(confidence, method, alpha, resamples, seed)
    return _leaderboard(evaluator, main, evaluations, broken, options, threads)


@dataclass(frozen=True, slots=True)
class _Options:
    """How statistics are made."""

    confidence: float
    method: str
    alpha: float
    resamples: int
    seed: int


def _leaderboard(
    evaluator: Evaluator,
    main: Measure,
    evaluations: Mapping[str, Evaluation],
    broken: Iterable[Broken],
    options: _Options,
    threads: int,
) -> Leaderboard:
    intervals, groups = _statistics(evaluations, main, threads, options)
    measures = evaluator.measures
    columns = Columns(measures)
    means = [{name: float(evaluation[measure]) for name, evaluation in evaluations.items()} for measure in measures]
    ranks = list(map(_ranks, means))
    entries = [
        Entry(
            name,
            ByMeasure(columns, [by_name[name] for by_name in means]),
            ByMeasure(columns, [by_name[name] for by_name in ranks]),
            intervals.get(name),
            groups.get(name, ""),
            evaluation.counts["missing"],
            evaluation.counts["extra"],
        )
        for name, evaluation in evaluations.items()
    ]
    series = [[*by_name.values()] for by_name in means]
    taus: list[Any] = [ByMeasure(columns, [_tau(own, other) for other in series]) for own in series]
    return Leaderboard(
        measures=measures,
        by=main,
        entries=tuple(sorted(entries, key=lambda entry: (entry.ranks[main], entry.run))),
        broken=tuple(broken),
        query_ids=tuple(evaluator.query_ids),
        kendall=ByMeasure(columns, taus),
        options=asdict(options),
        conventions=dict(evaluator.conventions.as_dict()),
        warnings=tuple(evaluator.warnings),
    )


def _named(runs: object) -> dict[str, Any]:
    """The runs by name. Raises InputError for files that aren't there, ParameterError for other names than texts."""
    if isinstance(runs, Mapping):
        if not all(isinstance(name, str) for name in runs):
            raise ParameterError("expected names that are texts", place="runs")
        return dict(runs)
    paths = [runs] if isinstance(runs, (str, os.PathLike)) else list(runs)  # type: ignore[call-overload]
    files = run_paths(paths)
    return dict(zip(run_names(files), files, strict=True))


def _evaluation(evaluator: Evaluator, run: Any, columns: Sequence[str] | None, format: str | None) -> Evaluation:
    """The evaluation of a run. Raises InputError, EvaluationError and NoQueriesError for a broken run."""
    evaluation = evaluate_judged(evaluator, run, columns=columns, format=format)
    warnings = evaluation.warnings[len(evaluator.warnings) :]
    if warnings:
        raise EvaluationError(warnings[0])
    return evaluation


def _statistics(
    evaluations: Mapping[str, Evaluation], main: Measure, threads: int, options: _Options
) -> tuple[dict[str, Interval], dict[str, str]]:
    """By run, the interval of its mean and the letters of its groups."""
    if not evaluations or main.record.aggregate is not MEAN:
        return {}, {}
    names = list(evaluations)
    column = evaluations[names[0]].measures.index(main)
    rows = [evaluations[name].values[:, column] for name in names]
    if len(rows[0]) == 0:
        return {}, {}
    drawn: dict[str, Any] = {"resamples": options.resamples, "seed": options.seed, "threads": threads}
    intervals = bootstrap_intervals(rows, confidence=options.confidence, method=options.method, **drawn)
    letters = tukey_hsd(rows, alpha=options.alpha, **drawn).letters if len(rows) > 1 else ("",)
    return dict(zip(names, intervals, strict=True)), dict(zip(names, letters, strict=True))


def _ranks_runs(measure: Measure) -> bool:
    record = measure.record
    return record.value_type != TEXT and record.view != VIEW_RUN and record.summary


def _ranks(means: Mapping[str, float]) -> dict[str, int]:
    """Ranks by falling mean: one more than there are runs with a greater one."""
    rounded = {name: round(mean, _DIGITS) for name, mean in means.items()}
    falling = sorted(rounded.values(), reverse=True)
    first: dict[float, int] = {}
    for rank, mean in enumerate(falling, 1):
        first.setdefault(mean, rank)
    return {name: first[mean] for name, mean in rounded.items()}


def _tau(means: list[float], other: list[float]) -> Any:
    """Kendall's tau-b, None where it has no meaning."""
    if len(means) < 2:
        return None
    return kendall_tau([round(mean, _DIGITS) for mean in means], [round(mean, _DIGITS) for mean in other])
