"""Why another tool prints other numbers: its values beside ours, and the conventions that reproduce them."""

from __future__ import annotations

import os
from math import isfinite

from treckon.analysis.crosschecking.changes import Change
from treckon.analysis.crosschecking.pairing import add_pairings
from treckon.analysis.crosschecking.printed import SCORES_FORMATS, read_scores
from treckon.analysis.crosschecking.result import ComparedValue, CrossCheck, Distinction, Explanation, OwnChanges
from treckon.analysis.crosschecking.search import Search
from treckon.analysis.crosschecking.task import NO_VALUE, PrintedMeasure, Task
from treckon.analysis.crosschecking.tool_names import readings
from treckon.analysis.crosschecking.trial import Trial
from treckon.analysis.crosschecking.variants import Variant
from treckon.checks import checked_whole_number
from treckon.errors import EvaluationError, InputError, ParameterError, in_short
from treckon.evaluation.conventions import Conventions
from treckon.evaluation.evaluator import Evaluator
from treckon.evaluation.run_files import named
from treckon.inputs.forms import as_run
from treckon.inputs.sources import Source
from treckon.inputs.text import is_path
from treckon.lazy import LazyModule
from treckon.measures.registry import TEXT, VIEW_PREFERENCES, VIEW_SUBTOPICS
from treckon.naming.syntax import Measure, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    import numpy as np

    from treckon.analysis.crosschecking.changes import Changes
    from treckon.analysis.crosschecking.explaining import Solution
    from treckon.analysis.crosschecking.printed import Printed, PrintedValues
    from treckon.analysis.crosschecking.trial import Doubles, Mask, Outcome
else:
    np = LazyModule("numpy")

__all__ = [
    "SCORES_FORMATS", "Change", "ComparedValue", "CrossCheck", "Distinction", "Explanation", "OwnChanges", "crosscheck",
]  # fmt: skip

#: Queries that tell explanations apart and are named.
_DISTINCTIONS = 5


def crosscheck(
    qrels: Any,
    run: Any,
    scores: Any,
    *,
    scores_format: str | None = None,
    names: Mapping[str, str | Measure] | None = None,
    most: int = 3,
    qrels_columns: Sequence[str] | None = None,
    run_columns: Sequence[str] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    threads: int = 0,
    **conventions: Any,
) -> CrossCheck:
    """Compares what another tool printed with treckon's values, and finds out why they differ.

    qrels, run:    as `treckon.evaluate` takes them, and their columns and formats
    scores:        what the tool printed or returned: a path, an open file or text (trec_eval's lines, those of
                   ir_measures, CSV of gdeval, ndeval or anybody, TSV, JSON, JSON lines, lines "name: value"), or
                   Python data: ``{measure: value}``, ``{query: {measure: value}}``, ``{measure: {query: value}}``, rows
                   (query, measure, value), a data frame
    scores_format: one of `SCORES_FORMATS`, where it is not to be guessed
    names:         measures of ours by the names printed, where these are not known or mean something else
    most:          how many changes of the evaluation as a whole are tried together, 0 to 4; 0: nothing is searched
    conventions:   what ours is computed with; the search begins there

    A value agrees where ours lies within half a unit of its last printed place. Text keeps the digits that were
    printed; where the zeros at the end were dropped (JSON, Python), the most digits of any value count, at least four
    decimals; doubles in full must agree to a billionth, 32-bit numbers to a millionth.

    Where values disagree, changes of conventions, of arguments of single measures, of which queries count, of how
    values are printed, and known habits of single tools are tried: one at a time, then several together, until all
    values are reproduced. A change counts once, however many measures it concerns.

    Raises InputError, EvaluationError, NoQueriesError, UnknownMeasureError, ParameterError.
    """
    most = checked_whole_number("most", most, 0, 4)
    _check_conventions(conventions)
    options = {"columns": qrels_columns, "format": qrels_format, "threads": threads}
    evaluator = _evaluator(qrels, options, conventions)
    printed = read_scores(scores, frozenset(evaluator.query_ids), scores_format, measures=frozenset(names or {}))
    meant = _meant(printed, names or {}, os.fsdecode(scores) if is_path(scores) else "scores")
    if any(reading.record.view == VIEW_SUBTOPICS for readings in meant.values() for reading in readings):
        if not evaluator.qrels.has_groups:
            evaluator = _evaluator(qrels, {**options, "format": "subtopics"}, conventions)
    source = as_run(run, columns=run_columns, format=run_format)
    try:
        with named(source.name if isinstance(source, Source) else "run"):
            return _crosscheck(evaluator, source, printed, meant, conventions, most)
    finally:
        if isinstance(source, Source) and source is not run:
            source.close()


def _check_conventions(conventions: dict[str, Any]) -> None:
    """Raises ParameterError, also for conventions that leave nothing to compare."""
    Conventions(**conventions)
    for name in ("missing", "no_relevant", "extra", "unjudged"):
        if conventions.get(name) == "error":
            raise ParameterError(f"{name}: expected another choice than 'error' in a cross-check")


def _evaluator(qrels: Any, options: dict[str, Any], conventions: dict[str, Any]) -> Evaluator:
    reading = {name: conventions[name] for name in ("compat", "equal_judgements") if name in conventions}
    return Evaluator(qrels, (), **options, **reading)


def _meant(printed: PrintedValues, names: Mapping[str, str | Measure], place: str) -> dict[str, tuple[Measure, ...]]:
    """By the names printed, the measures that each may stand for. Raises InputError where there are none at all."""
    by_name = dict.fromkeys(value.name for value in printed.values)
    meant = {
        name: (parse(names[name]),) if name in names else tuple(filter(_is_compared, readings(name, printed.format)))
        for name in by_name
    }
    for name in names:
        if name not in by_name:
            raise ParameterError(f"names: expected one of {', '.join(by_name)}, found '{name}'")
    if not any(meant.values()):
        raise InputError(place, f"expected names of measures, found {', '.join(map(in_short, list(meant)[:5]))}")
    return meant


def _is_compared(measure: Measure) -> bool:
    return measure.record.value_type != TEXT and measure.record.view != VIEW_PREFERENCES


def _crosscheck(
    evaluator: Evaluator,
    run: Any,
    printed: PrintedValues,
    meant: Mapping[str, tuple[Measure, ...]],
    conventions: dict[str, Any],
    most: int,
) -> CrossCheck:
    settled = ("equal_judgements", "missing", "extra", "no_relevant")
    own = {name: value for name, value in conventions.items() if name not in settled}
    first = next(readings[0] for readings in meant.values() if readings)
    trial, warnings = _trial(evaluator, run, own, "duplicates" in conventions, first)
    place_of = {query: i for i, query in enumerate(trial.query_ids)}
    by_name: dict[str, list[Printed]] = {}
    for value in printed.values:
        by_name.setdefault(value.name, []).append(value)
    measures = [PrintedMeasure(name, meant[name], by_name[name], place_of) for name in by_name if meant[name]]
    task = Task(trial, measures, printed, {**conventions, **trial.assumed})
    first_readings = [measure.readings[0] for measure in measures]
    # A gain that no measure takes is refused, as everywhere; the search leaves it out for some measures alone.
    evaluator.changed(first_readings, **{name: own[name] for name in ("gain", "discount") if name in own})
    outcome = trial.evaluate(first_readings, ())
    if outcome is None:
        raise EvaluationError("expected conventions that the measures printed can be evaluated with")
    values = [task.predicted(measure, Variant(measure.readings[0]), 0, outcome) for measure in measures]
    agree = [measure.agree((), slice(None), some) for measure, some in zip(measures, values, strict=True)]
    solutions: list[Solution] = []
    if most and not all(some.all() for some in agree):
        add_pairings(task)
        task.add_sorts()
        solutions = Search(task, most, agree).solve()
        if solutions[0].n_unexplained >= sum((~some).sum() for some in agree):
            solutions = []
    outcomes = _outcomes(trial, solutions)
    explanations = [_explanation(task, solution) for solution in solutions]
    return CrossCheck(
        values=tuple(_compared(task, values, agree, solutions[0] if solutions else None, outcomes)),
        explanation=explanations[0] if explanations else None,
        alternatives=tuple(explanations[1:]),
        differences=tuple(_distinctions(task, solutions, outcomes) if len(solutions) > 1 else ()),
        unknown=tuple(name for name, readings in meant.items() if not readings),
        format=printed.format,
        conventions={**Conventions(**conventions).as_dict(), **trial.assumed},
        warnings=tuple(warnings),
    )


def _trial(
    evaluator: Evaluator, run: Any, own: dict[str, Any], is_chosen: bool, measure: Measure
) -> tuple[Trial, list[str]]:
    """What evaluates the run. One that repeats documents is taken without the repeats, and that is said.

    is_chosen: whether it was chosen what repeats count as
    """
    try:
        return Trial(evaluator, run, own, measure), []
    except EvaluationError as error:
        if is_chosen:
            raise
        try:
            trial = Trial(evaluator, run, own, measure, {"duplicates": "drop"})
        except EvaluationError:
            raise error from None
        return trial, [f"{error}; taken with duplicates='drop'"]


def _outcomes(trial: Trial, solutions: Iterable[Solution]) -> dict[Changes, Outcome | None]:
    """By changes of the evaluation, the values of all variants that are part of a solution."""
    wanted: dict[Changes, dict[Measure, None]] = {}
    for solution in solutions:
        for part in solution.parts:
            wanted.setdefault(part.evaluation, {}).update(dict.fromkeys(part.variant.measures))
    return {changes: trial.evaluate(list(measures), changes) for changes, measures in wanted.items()}


def _compared(
    task: Task,
    values: Sequence[Doubles],
    agree: Sequence[Mask],
    solution: Solution | None,
    outcomes: Mapping[Changes, Outcome | None],
) -> list[ComparedValue]:
    """Each printed value beside ours, and beside what a solution makes of it."""
    compared = []
    for i, measure in enumerate(task.measures):
        reproduced = np.where(agree[i], values[i], NO_VALUE)
        explained = agree[i]
        if solution is not None:
            part = solution.parts[i]
            reproduced = task.predicted(measure, part.variant, part.counting, outcomes[part.evaluation])
            explained = measure.agree(task.printings[solution.setup.printing], slice(None), reproduced)
        reading = str(measure.readings[0])
        columns = (values[i], agree[i], reproduced, explained)
        for printed, value, agrees, its, is_explained in zip(measure.values, *map(_plain, columns), strict=True):
            compared.append(
                ComparedValue(
                    printed.name, reading, printed.query, printed.text, _shown(value), agrees, _shown(its), is_explained
                )
            )
    return compared


def _plain(column: Any) -> list[Any]:
    listed: list[Any] = column.tolist()
    return listed


def _shown(value: float) -> float | None:
    """A value; None for one that isn't printed."""
    return None if value == NO_VALUE else value


def _explanation(task: Task, solution: Solution) -> Explanation:
    own = {
        measure.name: OwnChanges(str(part.variant.measure), part.added, part.undone)
        for measure, part in zip(task.measures, solution.parts, strict=True)
    }
    return Explanation(solution.changes, own, solution.n_unexplained)


def _distinctions(
    task: Task, solutions: Sequence[Solution], outcomes: Mapping[Changes, Outcome | None]
) -> list[Distinction]:
    """Values of queries, or else of all together, that differ between solutions."""
    distinctions = []
    for i, measure in enumerate(task.measures):
        unit = max(value.unit for value in measure.values)
        parts = [solution.parts[i] for solution in solutions]
        rows = [task.by_query(part.variant, part.counting, outcomes[part.evaluation]).tolist() for part in parts]
        for query, values in zip(task.trial.query_ids, zip(*rows, strict=True), strict=True):
            if _differ(values, unit):
                distinctions.append(Distinction(measure.name, query, tuple(map(_shown, values))))
                break
    if distinctions:
        return distinctions[:_DISTINCTIONS]
    for i, measure in enumerate(task.measures):
        if measure.mean is not None:
            parts = [solution.parts[i] for solution in solutions]
            values = tuple(
                float(task.predicted(measure, part.variant, part.counting, outcomes[part.evaluation])[-1])
                for part in parts
            )
            if _differ(values, measure.mean.unit):
                distinctions.append(Distinction(measure.name, None, tuple(map(_shown, values))))
    return distinctions[:_DISTINCTIONS]


def _differ(values: Sequence[float], unit: float) -> bool:
    """Whether values would be told apart in print."""
    known = [value for value in values if isfinite(value)]
    if len(known) < len(values) and (known or len({value == NO_VALUE for value in values}) > 1):
        return True
    return bool(known) and max(known) - min(known) > max(unit, 1e-9)
