"""Judgements and a run that are evaluated again and again, under other conventions or with changed data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treckon._native.conversion import id_text
from treckon.analysis.crosschecking import changes as names
from treckon.analysis.crosschecking.tied import SORTED
from treckon.analysis.crosschecking.tool_names import N_RETRIEVED
from treckon.errors import ParameterError, TreckonError
from treckon.evaluation.evaluator import Evaluator
from treckon.inputs.columns import Columns
from treckon.inputs.mappings import read_mapping
from treckon.inputs.sources import Source
from treckon.inputs.values import RUN, plain_mapping
from treckon.lazy import LazyModule
from treckon.releases import RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from treckon.analysis.crosschecking.changes import Changes
    from treckon.analysis.crosschecking.variants import Variant
    from treckon.naming.syntax import Measure

    Doubles: TypeAlias = NDArray[np.float64]
    Mask: TypeAlias = NDArray[np.bool_]
    Data: TypeAlias = tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]
else:
    np = LazyModule("numpy")

#: Conventions that counting what was retrieved has no use for.
_NOT_OF_COUNTS = ("gain", "discount", "negative", "level")


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The values of queries under a set of changes.

    columns: by measure, the value of each query; 0 of those that the run lacks
    missing: which queries the run lacks
    extra:   by measure, values of queries that are not judged, where these may be other than 0
    """

    changes: Changes
    columns: dict[Measure, Doubles]
    missing: Mask
    extra: dict[Measure, dict[str, float]]

    def is_like(self, other: Outcome) -> bool:
        """Whether the values are the same, as far as both have them."""
        return (
            np.array_equal(self.missing, other.missing)
            and self.extra == other.extra
            and all(
                np.array_equal(values, other.columns[measure], equal_nan=True)
                for measure, values in self.columns.items()
                if measure in other.columns
            )
        )

    def extra_of(self, variant: Variant) -> Mapping[str, float]:
        """The values of queries that are not judged; those that aren't in it are 0."""
        return {} if variant.habit is not None else self.extra.get(variant.measure, {})


class Trial:
    """Judgements and a run that are evaluated again and again.

    query_ids: the judged queries, in the order of all arrays of values
    in_run:    the judged queries that the run has
    n_extra:   queries of the run that are not judged
    deepest:   documents of the longest ranking
    assumed:   conventions that nobody chose, without which the run can't be evaluated
    pairings:  by the name of a change of the data, the query of the run whose ranking each judged query has, as the
               qrels list these
    """

    def __init__(
        self,
        evaluator: Evaluator,
        run: Source | Mapping[Any, Any] | Columns,
        base: dict[str, Any],
        measure: Measure,
        assumed: dict[str, Any] | None = None,
    ) -> None:
        """base: conventions, without `equal_judgements`, which is settled where judgements are read, and without
                 `missing`, `extra` and `no_relevant`, which are applied to the values

        measure: any that these judgements are for
        """
        self.assumed = assumed or {}
        self.qrels = evaluator.qrels
        self.query_ids = tuple(evaluator.query_ids)
        self.pairings: dict[str, tuple[str | None, ...]] = {}
        self._evaluator = evaluator
        self._run = run
        self._base = {**base, **self.assumed}
        self._number = {query: i for i, query in enumerate(self.query_ids)}
        #: Data by the changes of data and of how ties are listed; (None, None): as they are.
        self._data: dict[tuple[str | None, str | None], Data] = {}
        self._evaluators: dict[tuple[str, str, str | None, bool], Evaluator] = {
            (evaluator.conventions.release, "unjudged", None, False): evaluator
        }
        self._without: dict[int, Mask] = {}
        self._is_counted_alone: dict[Measure, bool] = {}
        plain = {name: value for name, value in self._base.items() if name not in _NOT_OF_COUNTS}
        counted = measure if self.qrels.has_groups else N_RETRIEVED
        counts = evaluator.changed(counted, **plain).evaluate(run)
        self.in_run = frozenset(counts.query_ids)
        self.n_extra = counts.counts["extra"]
        self.deepest = 0 if self.qrels.has_groups else int(counts.values.max(initial=0.0))

    # Values

    def evaluate(
        self, measures: Iterable[Measure], changes: Changes, queries: Sequence[str] | None = None
    ) -> Outcome | None:
        """The values of all judged queries, or of some, under changes; None where these don't go together."""
        expected = any(change.value in ("expected", names.APPENDED) for change in changes)
        wanted = [
            measure for measure in dict.fromkeys(measures) if not expected or measure.record.has_exact_mean_over_ties
        ]
        if not wanted:
            return None
        try:
            evaluator, data = self._prepared(wanted, changes, missing="zero" if queries is None else "skip")
            changed = None if data == (None, None) and queries is None else self.data(*data)[1]
            if changed is not None and queries is not None:
                changed = {query: changed[query] for query in queries if query in changed}
            evaluation = evaluator.evaluate(self._run if changed is None else changed)
            extra = {} if queries is not None else self._of_extra(wanted, changes)
        except TreckonError:
            return None
        ids = self.query_ids if queries is None else queries
        in_run = self.in_run if changed is None else changed.keys()
        values = np.zeros((len(wanted), len(ids)))
        row_of = {query: row for row, query in enumerate(evaluation.query_ids)}
        present = [i for i, query in enumerate(ids) if query in row_of]
        values[:, present] = evaluation.values[[row_of[ids[i]] for i in present]].T
        missing = np.array([query not in in_run for query in ids], dtype=bool)
        return Outcome(changes, dict(zip(wanted, values, strict=True)), missing, extra)

    def _of_extra(self, measures: Iterable[Measure], changes: Changes) -> dict[Measure, dict[str, float]]:
        """By measure, the values of the run's queries that are not judged, as queries without judgements."""
        wanted = self.counted_alone(measures)
        if not wanted:
            return {}
        evaluator, data = self._prepared(wanted, changes, extended=True, missing="zero")
        evaluation = evaluator.evaluate(self._run if data == (None, None) else self.data(*data)[1])
        rows = [i for i, query in enumerate(evaluation.query_ids) if query not in self._number]
        return {
            measure: {evaluation.query_ids[i]: value for i, value in zip(rows, column, strict=True)}
            for measure, column in zip(wanted, evaluation.values[rows].T.tolist(), strict=True)
        }

    def _prepared(
        self, measures: Sequence[Measure], changes: Changes, *, missing: str, extended: bool = False
    ) -> tuple[Evaluator, tuple[str | None, str | None]]:
        """What evaluates measures under changes, and which change of the data and of ties are among these."""
        data = next((str(change.value) for change in changes if change.key == "data"), None)
        conventions = {change.key: change.value for change in changes if change.key != "data"}
        listed = str(conventions["ties"]) if conventions.get("ties") in SORTED else None
        if listed is not None:
            conventions["ties"] = "input"
        if data == names.APPENDED:
            conventions.setdefault("ties", "expected")
        conventions = {**self._base, **conventions}
        if (data or listed) is not None and conventions.get("order", "score") == "rank":
            raise ParameterError("order: expected 'score' or 'input' with changed data")
        release, negative = str(conventions.get("compat") or RELEASES[-1]), str(conventions.get("negative", "unjudged"))
        evaluator = self._reading(release, negative, data, extended)
        conventions["compat"] = evaluator.conventions.compat
        for option in ("gain", "discount"):  # an evaluator refuses what none of its measures has any use for
            if not any(
                option in measure.record.arguments and getattr(measure.parameters, option) is None
                for measure in measures
            ):
                conventions.pop(option, None)
        return evaluator.changed(measures, **conventions, missing=missing), (data, listed)

    def _reading(self, release: str, negative: str, data: str | None, extended: bool) -> Evaluator:
        """An evaluator with the same or changed judgements, read as a release and for a meaning of negative grades.

        extended: with the run's other queries, too, for which nothing is judged

        Raises ParameterError where there is none.
        """
        key = (release, negative, data, extended)
        if key not in self._evaluators:
            if self.qrels.has_groups:
                raise ParameterError("expected judgements by document, found judgements in groups")
            qrels = self._judgements() if data is None else self.data(data)[0]
            if extended:
                qrels = {**dict.fromkeys(self.data()[1], {}), **qrels}
            self._evaluators[key] = Evaluator(qrels, (), compat=release, negative=negative)
        return self._evaluators[key]

    def of_pairs(self, measures: Sequence[Measure]) -> Doubles:
        """Values of every judged query with every ranking of the run: queries x queries x measures.

        Raises TreckonError as `data` does.
        """
        qrels, run = self.data()
        pairs = {f"{i} {j}": (grades, run[j]) for i, grades in enumerate(qrels.values()) for j in run}
        evaluator = Evaluator({pair: grades for pair, (grades, _) in pairs.items()}, measures, **self._base)
        evaluation = evaluator.evaluate({pair: scores for pair, (_, scores) in pairs.items()})
        row_of = {pair: row for row, pair in enumerate(evaluation.query_ids)}
        rows: Doubles = evaluation.values[[row_of[pair] for pair in pairs]]
        column_of = {measure: column for column, measure in enumerate(evaluation.measures)}
        return rows[:, [column_of[measure] for measure in measures]].reshape(len(qrels), len(run), len(measures))

    def values_of(self, variant: Variant, outcome: Outcome) -> Doubles | None:
        """A variant's values of all judged queries; None where it can't be evaluated so."""
        if variant.habit is not None and variant.habit.whole:
            return self._of_whole(variant, outcome.changes)
        if any(measure not in outcome.columns for measure in variant.measures):
            return None
        columns = [outcome.columns[measure] for measure in variant.measures]
        if variant.habit is None:
            return columns[0]
        assert variant.habit.combine is not None
        order = range(len(self.query_ids)) if variant.habit.by_id else self.qrels.listed()
        values, *beside, n_negative = [column[list(order)] for column in (*columns, self._n_negative())]
        combined: Doubles = np.empty(len(order))
        combined[list(order)] = variant.habit.combine(values, beside, n_negative)
        return combined

    def _of_whole(self, variant: Variant, changes: Changes) -> Doubles | None:
        """The values of a habit of all queries together; None with other changes than one of the data."""
        if any(change.key != "data" for change in changes):
            return None
        try:
            qrels, run = self.data(*[str(change.value) for change in changes])
        except TreckonError:  # the run can't be read as a mapping
            return None
        assert variant.habit is not None and variant.habit.whole is not None
        values = variant.habit.whole(variant.measure, qrels, run)
        return np.array([values.get(query, 0.0) for query in self.query_ids])

    # Queries

    def without_relevant(self, level: int) -> Mask:
        """Which judged queries have no document of a grade; kept."""
        if level not in self._without:
            n_relevant = self.qrels.n_relevant
            self._without[level] = np.array([n_relevant(i, level) == 0 for i in range(len(self.query_ids))], bool)
        return self._without[level]

    def _n_negative(self) -> Doubles:
        """How many judgements of each query are negative."""
        judgements = self.qrels.judgements
        numbers = range(len(self.query_ids))
        return np.array([sum(grade < 0 for _, grade in judgements(i)) for i in numbers], dtype=float)

    def counted_alone(self, measures: Iterable[Measure]) -> list[Measure]:
        """Of measures those that may be other than 0 for a query without judgements, if the run has such."""
        if not self.n_extra or self.qrels.has_groups:
            return []
        measures = list(measures)
        for measure in measures:
            if measure not in self._is_counted_alone:
                counted = _is_counted(measure, {"q": {}, "judged": {"a": 1}}, {"q": {"b": 1.0}})
                self._is_counted_alone[measure] = counted
        return [measure for measure in measures if self._is_counted_alone[measure]]

    def is_of_qrels(self, measure: Measure) -> bool:
        """Whether a measure may be other than 0 for a query that the run lacks."""
        qrels = {"q": {"a": 1}, "other": {"a": 1}}
        return not self.qrels.has_groups and _is_counted(measure, qrels, {"other": {"a": 1.0}})

    # Data

    def data(self, change: str | None = None, listed: str | None = None) -> Data:
        """Judgements and run as dicts, after a change of the data and of the order in which ties are listed.

        Raises TreckonError where the run can't be read as a mapping.
        """
        if (change, listed) not in self._data:
            if listed is not None:
                qrels, run = self.data(change)
                run = {query: SORTED[listed](scores) for query, scores in run.items()}
            elif change is not None:
                qrels, run = self._changed(change)
            else:
                qrels, run = self._judgements(), self._as_mapping()
            self._data[change, listed] = qrels, run
        return self._data[change, listed]

    def _judgements(self) -> dict[str, dict[str, int]]:
        return {
            id_text(self.qrels.query_id(i)): {id_text(docno): grade for docno, grade in self.qrels.judgements(i)}
            for i in self.qrels.listed()
        }

    def _as_mapping(self) -> dict[str, dict[str, float]]:
        if isinstance(self._run, Source):
            return read_mapping(self._run, "run")
        return self._run.to_mapping() if isinstance(self._run, Columns) else plain_mapping(self._run, RUN, "run")

    def _changed(self, change: str) -> Data:
        qrels, run = self.data()
        if change in self.pairings:
            meets = zip(qrels, self.pairings[change], strict=True)
            return qrels, {query: run[other] for query, other in meets if other is not None}
        if change == names.ANY_JUDGED:
            return {query: dict.fromkeys(grades, 1) for query, grades in qrels.items()}, run
        if change == names.CANDIDATES:
            retrieved: Mapping[str, Mapping[str, float]] = run
            return {
                query: {docno: grade for docno, grade in grades.items() if docno in retrieved.get(query, {})}
                for query, grades in qrels.items()
            }, run
        assert change == names.APPENDED
        return qrels, {query: _appended(scores, qrels.get(query, {})) for query, scores in run.items()}

    def longest_with_ties(self) -> int:
        """Documents of the longest ranking that has equal scores. Raises TreckonError as `data`."""
        rankings = self.data()[1].values()
        return max((len(scores) for scores in rankings if len({*scores.values()}) < len(scores)), default=0)


def _appended(scores: dict[str, float], grades: dict[str, int]) -> dict[str, float]:
    """Scores with the judged documents that lack one below all others, tied."""
    last = min(scores.values(), default=0.0)
    lower = last - 1.0 - abs(last)
    return {**scores, **{docno: lower for docno in grades if docno not in scores}}


def _is_counted(measure: Measure, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> bool:
    """Whether a measure is other than 0 for the query q."""
    try:
        evaluation = Evaluator(qrels, measure, missing="zero").evaluate(run)
    except TreckonError:
        return False
    return bool(evaluation.values[evaluation.query_ids.index("q"), 0])
