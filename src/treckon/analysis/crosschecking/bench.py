"""Judgements and a run that are evaluated again and again, under other conventions or with changed data."""

from __future__ import annotations

from collections.abc import Mapping

from treckon._native.objects import id_text
from treckon.analysis.crosschecking.changes import (
    ANY_JUDGED,
    APPENDED,
    BACKWARDS,
    CANDIDATES,
    QUICKSORT,
    QUICKSORT_BACKWARDS,
    QUICKSORT_TWICE,
)
from treckon.analysis.crosschecking.tied import backwards, by_quicksort, by_quicksort_backwards, by_quicksort_twice
from treckon.analysis.crosschecking.tool_names import N_RETRIEVED
from treckon.errors import ParameterError
from treckon.evaluation.evaluator import Evaluator
from treckon.inputs.columns import Columns
from treckon.inputs.mappings import read_mapping
from treckon.inputs.sources import Source
from treckon.inputs.values import RUN, plain_mapping
from treckon.releases import RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    import numpy
    from numpy.typing import NDArray

    from treckon.analysis.crosschecking.changes import Change
    from treckon.naming.syntax import Measure

    Doubles: TypeAlias = NDArray[numpy.float64]
    Mappings: TypeAlias = tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]
    #: The change of the data and that of how ties are listed, by name.
    DataKey: TypeAlias = tuple[str | None, str | None]


#: Conventions that counting what was retrieved has no use for.
_NOT_OF_COUNTS = ("gain", "discount", "negative", "level")

#: What lists a ranking so that ties as listed are those of a tool's sort.
_SORTED = {
    BACKWARDS: backwards,
    QUICKSORT: by_quicksort,
    QUICKSORT_TWICE: by_quicksort_twice,
    QUICKSORT_BACKWARDS: by_quicksort_backwards,
}


class Bench:
    """Judgements and a run that are evaluated again and again under other conventions."""

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
        assumed: more of them, that nobody gave
        """
        self.assumed = assumed or {}
        self._evaluator = evaluator
        self._run = run
        self._base = {**base, **self.assumed}
        self._mappings: Mappings | None = None
        #: By name of the change: the query of the run whose ranking each judged query has, as the qrels list these.
        self.pairings: dict[str, tuple[str | None, ...]] = {}
        self._changed: dict[DataKey, Mappings] = {}
        self._evaluators: dict[tuple[str, str, str | None, bool], Evaluator] = {
            (evaluator.conventions.release, "unjudged", None, False): evaluator
        }
        plain = {name: value for name, value in self._base.items() if name not in _NOT_OF_COUNTS}
        grouped = evaluator.qrels.has_groups
        counts = evaluator.changed(measure if grouped else N_RETRIEVED, **plain).evaluate(run)
        self.repeats = bool(self.assumed)
        self.in_run = frozenset(counts.query_ids)
        self.n_extra = counts.counts["extra"]
        self.deepest = 0 if grouped else int(counts.values.max(initial=0.0))

    def evaluate(
        self, measures: Sequence[Measure], changes: tuple[Change, ...]
    ) -> tuple[tuple[str, ...], Doubles, frozenset[str]]:
        """Query ids, values (queries x measures) of every judged query, and which of them the run has.

        Raises TreckonError for changes that don't go together or that the run doesn't allow.
        """
        evaluator, data = self._prepared(measures, changes)
        if data == (None, None):
            found = evaluator.evaluate(self._run)
            return found.query_ids, found.values, self.in_run
        qrels, run = self._changed_data(*data)
        found = evaluator.evaluate(run)
        return found.query_ids, found.values, frozenset(run) & frozenset(qrels)

    def of_extra(self, measures: Sequence[Measure], changes: tuple[Change, ...]) -> tuple[tuple[str, ...], Doubles]:
        """Ids and values (queries x measures) of the run's queries that are not judged, as queries without judgements.

        Raises TreckonError as `evaluate` does.
        """
        evaluator, data = self._prepared(measures, changes, extended=True)
        found = evaluator.evaluate(self._run if data == (None, None) else self._changed_data(*data)[1])
        judged = frozenset(self._evaluator.query_ids)
        rows = [i for i, query in enumerate(found.query_ids) if query not in judged]
        return tuple(found.query_ids[i] for i in rows), found.values[rows]

    def _prepared(
        self, measures: Sequence[Measure], changes: tuple[Change, ...], *, extended: bool = False
    ) -> tuple[Evaluator, DataKey]:
        """What evaluates measures under changes, and which change of the data and of ties are among these."""
        data = next((str(one.value) for one in changes if one.key == "data"), None)
        conventions = {one.key: one.value for one in changes if one.key != "data"}
        listed = str(conventions["ties"]) if conventions.get("ties") in _SORTED else None
        if listed is not None:
            conventions["ties"] = "input"
        if data == APPENDED:
            conventions.setdefault("ties", "expected")
        conventions = {**self._base, **conventions}
        if (data or listed) is not None and conventions.get("order", "score") == "rank":
            raise ParameterError("order: expected 'score' or 'input' with changed data")
        release, negative = str(conventions.get("compat") or RELEASES[-1]), str(conventions.get("negative", "unjudged"))
        evaluator = self._reading(release, negative, data, extended)
        conventions["compat"] = evaluator.conventions.compat
        return evaluator.changed(measures, **conventions, missing="zero"), (data, listed)

    def _reading(self, release: str, negative: str, data: str | None, extended: bool) -> Evaluator:
        """An evaluator with the same or changed judgements, read as a release and for a meaning of negative grades.

        extended: with the run's other queries, too, for which nothing is judged

        Raises ParameterError where there is none.
        """
        key = (release, negative, data, extended)
        if key not in self._evaluators:
            if self._evaluator.qrels.has_groups:
                raise ParameterError("expected judgements by document, found judgements in groups")
            qrels = self._judgements() if data is None else self._changed_data(data, None)[0]
            if extended:
                qrels = {**dict.fromkeys(self.as_mappings()[1], {}), **qrels}
            self._evaluators[key] = Evaluator(qrels, (), compat=release, negative=negative)
        return self._evaluators[key]

    def _judgements(self) -> dict[str, dict[str, int]]:
        qrels = self._evaluator.qrels
        return {
            id_text(qrels.query_id(number)): {id_text(doc): grade for doc, grade in qrels.judgements(number)}
            for number in qrels.listed()
        }

    def changed_data(self, changes: tuple[Change, ...]) -> Mappings | None:
        """Judgements and run as changes of the data leave them; None where others are among the changes.

        Raises TreckonError where the run can't be read as a mapping.
        """
        if any(one.key != "data" for one in changes):
            return None
        return self._changed_data(str(changes[0].value), None) if changes else self.as_mappings()

    def _changed_data(self, data: str | None, listed: str | None) -> Mappings:
        if (data, listed) not in self._changed:
            if listed is not None:
                qrels, run = self.as_mappings() if data is None else self._changed_data(data, None)
                changed = qrels, {query: _SORTED[listed](scores) for query, scores in run.items()}
            else:
                assert data is not None
                changed = self._with_change(data)
            self._changed[data, listed] = changed
        return self._changed[data, listed]

    def _with_change(self, data: str) -> Mappings:
        qrels, run = self.as_mappings()
        if data not in self.pairings:
            return _rewritten(data, qrels, run)
        meets = zip(qrels, self.pairings[data], strict=True)
        return qrels, {query: run[other] for query, other in meets if other is not None}

    def of_pairs(self, measures: Sequence[Measure]) -> Doubles:
        """Values of every judged query with every ranking of the run: queries x queries x measures.

        Raises TreckonError as `evaluate` does.
        """
        qrels, run = self.as_mappings()
        pairs = {f"{i} {j}": (grades, run[j]) for i, grades in enumerate(qrels.values()) for j in run}
        evaluator = Evaluator({pair: grades for pair, (grades, _) in pairs.items()}, measures, **self._base)
        found = evaluator.evaluate({pair: scores for pair, (_, scores) in pairs.items()})
        row_of = {pair: row for row, pair in enumerate(found.query_ids)}
        rows: Doubles = found.values[[row_of[pair] for pair in pairs]]
        column_of = {measure: column for column, measure in enumerate(found.measures)}
        return rows[:, [column_of[one] for one in measures]].reshape(len(qrels), len(run), len(measures))

    def longest_with_ties(self) -> int:
        """Documents of the longest ranking that has equal scores. Raises TreckonError as `as_mappings`."""
        rankings = self.as_mappings()[1].values()
        return max((len(scores) for scores in rankings if len({*scores.values()}) < len(scores)), default=0)

    def as_mappings(self) -> Mappings:
        """Judgements and run as dicts. Raises TreckonError where that can't be."""
        if self._mappings is None:
            qrels = self._judgements()
            if isinstance(self._run, Source):
                run = read_mapping(self._run, "run")
            elif isinstance(self._run, Columns):
                run = self._run.to_mapping()
            else:
                run = plain_mapping(self._run, RUN, "run")
            self._mappings = qrels, run
        return self._mappings


def _rewritten(data: str, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> Mappings:
    """Judgements and run with a change of the data that is no pairing."""
    if data == ANY_JUDGED:
        return {query: dict.fromkeys(grades, 1) for query, grades in qrels.items()}, run
    if data == CANDIDATES:
        none: dict[str, float] = {}
        return {
            query: {doc: grade for doc, grade in grades.items() if doc in run.get(query, none)}
            for query, grades in qrels.items()
        }, run
    assert data == APPENDED
    return qrels, {query: _appended(scores, qrels.get(query, {})) for query, scores in run.items()}


def _appended(scores: dict[str, float], grades: dict[str, int]) -> dict[str, float]:
    """Scores with the judged documents that lack one below all others, tied."""
    last = min(scores.values(), default=0.0)
    lower = last - 1.0 - abs(last)
    return {**scores, **{doc: lower for doc in grades if doc not in scores}}
