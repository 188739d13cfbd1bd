"""Why another tool prints other numbers: its values beside ours, and the conventions that reproduce them."""

from __future__ import annotations

import os
from math import isnan

from treckon.analysis.crosschecking.bench import Bench
from treckon.analysis.crosschecking.changes import Change
from treckon.analysis.crosschecking.matching import Interval, Space, Target
from treckon.analysis.crosschecking.pairing import add_pairings
from treckon.analysis.crosschecking.printed import SCORES_FORMATS, Printed, Scores, read_scores
from treckon.analysis.crosschecking.result import Comparison, CrossCheck, Difference, Explanation, Own
from treckon.analysis.crosschecking.search import Choice, Search, Solution
from treckon.analysis.crosschecking.tool_names import readings
from treckon.checks import checked_whole_number
from treckon.errors import EvaluationError, InputError, ParameterError, in_short
from treckon.evaluation.conventions import Conventions
from treckon.evaluation.evaluator import Evaluator
from treckon.evaluation.run_files import named
from treckon.inputs.forms import as_run
from treckon.inputs.sources import Source
from treckon.inputs.text import is_path
from treckon.measures.registry import TEXT, VIEW_PREFERENCES, VIEW_SUBTOPICS
from treckon.naming.syntax import Measure, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

__all__ = ["SCORES_FORMATS", "Change", "Comparison", "CrossCheck", "Difference", "Explanation", "Own", "crosscheck"]

#: Queries that tell explanations apart and are named.
_DIFFERENCES = 5


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
    base = _checked_conventions(conventions)
    found, targets, unknown, evaluator = _read(
        qrels, scores, scores_format, names or {}, qrels_columns, qrels_format, threads, base
    )
    given = as_run(run, columns=run_columns, format=run_format)
    try:
        with named(given.name if isinstance(given, Source) else "run"):
            return _crosscheck(evaluator, given, found, targets, unknown, base, most)
    finally:
        if isinstance(given, Source) and given is not run:
            given.close()


def _checked_conventions(conventions: dict[str, Any]) -> dict[str, Any]:
    """The conventions given. Raises ParameterError, also for those that leave nothing to compare."""
    Conventions(**conventions)
    for name in ("missing", "no_relevant", "extra", "unjudged"):
        if conventions.get(name) == "error":
            raise ParameterError(f"{name}: expected another choice than 'error' in a cross-check")
    return conventions


def _read(
    qrels: Any,
    scores: Any,
    scores_format: str | None,
    names: Mapping[str, str | Measure],
    columns: Sequence[str] | None,
    qrels_format: str | None,
    threads: int,
    base: dict[str, Any],
) -> tuple[Scores, list[Target], list[str], Evaluator]:
    """Qrels, the printed values, and what was printed under each name that is known."""
    options = {"columns": columns, "format": qrels_format, "threads": threads}
    evaluator = _evaluator(qrels, options, base)
    judged = frozenset(evaluator.query_ids)
    found = read_scores(scores, judged, scores_format, measures=frozenset(names))
    by_name: dict[str, list[Printed]] = {}
    for one in found.values:
        by_name.setdefault(one.name, []).append(one)
    meant = {
        name: (parse(names[name]),) if name in names else _comparable(readings(name, found.format)) for name in by_name
    }
    for name in names:
        if name not in by_name:
            raise ParameterError(f"names: expected one of {', '.join(by_name)}, found '{name}'")
    unknown = [name for name, measures in meant.items() if not measures]
    if len(unknown) == len(by_name):
        place = os.fsdecode(scores) if is_path(scores) else "scores"
        raise InputError(place, f"expected names of measures, found {', '.join(map(in_short, unknown[:5]))}")
    if any(one.record.view == VIEW_SUBTOPICS for measures in meant.values() for one in measures):
        if not evaluator.qrels.has_groups:
            options["format"] = "subtopics"
            evaluator = _evaluator(qrels, options, base)
    targets = [Target(name, meant[name], values, judged) for name, values in by_name.items() if meant[name]]
    return found, targets, unknown, evaluator


def _evaluator(qrels: Any, options: dict[str, Any], base: dict[str, Any]) -> Evaluator:
    reading = {name: base[name] for name in ("compat", "equal_judgements") if name in base}
    return Evaluator(qrels, (), **options, **reading)


def _comparable(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    return tuple(one for one in measures if one.record.value_type != TEXT and one.record.view != VIEW_PREFERENCES)


def _crosscheck(
    evaluator: Evaluator,
    run: Any,
    scores: Scores,
    targets: list[Target],
    unknown: list[str],
    base: dict[str, Any],
    most: int,
) -> CrossCheck:
    settled = ("equal_judgements", "missing", "extra", "no_relevant")
    own = {name: value for name, value in base.items() if name not in settled}
    bench, warnings = _bench(evaluator, run, own, base, targets[0].readings[0])
    space = Space(bench, targets, scores, {**base, **bench.assumed}, evaluator)
    comparisons = _compared(space)
    flat = [one for some in comparisons for one in some]
    result: dict[str, Any] = {}
    if most and not all(one.agrees for one in flat):
        result = _explained(space, most, comparisons)
    conventions = {**Conventions(**base).as_dict(), **bench.assumed}
    return CrossCheck(flat, unknown=unknown, format=scores.format, conventions=conventions, warnings=warnings, **result)


def _bench(
    evaluator: Evaluator, run: Any, own: dict[str, Any], base: dict[str, Any], measure: Measure
) -> tuple[Bench, list[str]]:
    """What evaluates the run. One that repeats documents is taken without the repeats, and that is said."""
    try:
        return Bench(evaluator, run, own, measure), []
    except EvaluationError as error:
        if "duplicates" in base:
            raise
        try:
            bench = Bench(evaluator, run, own, measure, {"duplicates": "drop"})
        except EvaluationError:
            raise error from None
        return bench, [f"{error}; taken with duplicates='drop'"]


def _compared(space: Space) -> list[list[Comparison]]:
    """Each printed value beside ours, by target."""
    evaluated = space.evaluate(())
    if evaluated is None:
        raise EvaluationError("expected conventions that the measures printed can be evaluated with")
    rounding = Interval(())
    found = []
    for target, some in zip(space.targets, space.variants, strict=True):
        values = evaluated.predicted(target, some[0], 0)
        found.append(
            [
                Comparison(one, str(some[0].measure), value, value is not None and rounding.holds(one, value))
                for one, value in zip(target.values, values, strict=True)
            ]
        )
    return found


def _explained(space: Space, most: int, comparisons: list[list[Comparison]]) -> dict[str, Any]:
    """Explanation, alternatives and what tells them apart: arguments of `CrossCheck`."""
    add_pairings(space)
    space.add_sorts()
    solutions = Search(space, most).solve()
    best = solutions[0]
    n_wrong = sum(not one.agrees for some in comparisons for one in some)
    if best.n_unexplained >= n_wrong:
        return {}
    interval = Interval(space.printings[best.how])
    for j, choice in enumerate(best.choices):
        values = space.evaluated(choice.changes).predicted(space.targets[j], choice.variant, choice.rule)
        for comparison, printed, value in zip(comparisons[j], space.targets[j].values, values, strict=True):
            comparison.reproduced = value
            comparison.explained = value is not None and interval.holds(printed, value)
    explanations = [_explanation(space, one) for one in solutions]
    return {
        "explanation": explanations[0],
        "alternatives": explanations[1:],
        "differences": _differences(space, solutions) if len(solutions) > 1 else [],
    }


def _explanation(space: Space, solution: Solution) -> Explanation:
    own = {
        target.name: Own(str(choice.variant.measure), added, undone)
        for target, choice, added, undone in zip(
            space.targets, solution.choices, solution.added, solution.undone, strict=True
        )
    }
    changes = (*solution.changes, *space.rules[solution.rule].changes, *space.printings[solution.how])
    return Explanation(changes, own, solution.n_unexplained)


def _differences(space: Space, solutions: list[Solution]) -> list[Difference]:
    """Values of queries, then of all together, that differ between solutions."""
    found = []
    for j, target in enumerate(space.targets):
        unit = max((one.unit for one in target.values), default=0.0)
        choices = [one.choices[j] for one in solutions]
        rows = [_by_query(space, one) for one in choices]
        for values, query in zip(zip(*rows, strict=True), space.evaluated(()).query_ids, strict=True):
            if _differ(values, unit):
                found.append(Difference(target.name, query, values))
                break
        if len(found) == _DIFFERENCES:
            return found
    if not found:
        for j, target in enumerate(space.targets):
            if target.mean is None:
                continue
            unit = target.mean.unit
            values = tuple(
                space.evaluated(one.choices[j].changes).predicted(target, one.choices[j].variant, one.choices[j].rule)[
                    -1
                ]
                for one in solutions
            )
            if _differ(values, unit):
                found.append(Difference(target.name, None, values))
    return found[:_DIFFERENCES]


def _by_query(space: Space, choice: Choice) -> list[float | None]:
    return space.evaluated(choice.changes).by_query(choice.variant, choice.rule)


def _differ(values: Sequence[float | None], unit: float) -> bool:
    """Whether values would be told apart in print."""
    known = [one for one in values if one is not None and not isnan(one)]
    if len(known) < len(values) and (known or len({one is None for one in values}) > 1):
        return True
    return bool(known) and max(known) - min(known) > max(unit, 1e-9)
