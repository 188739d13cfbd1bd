"""Variants of a single measure: other readings of its name, other arguments, habits of tools, other ways to average."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from treckon.analysis.crosschecking.changes import HABIT, MEASURE, Change, weight_of
from treckon.analysis.crosschecking.tool_habits import HABITS, USUAL_ARGUMENTS, USUAL_CUTOFFS
from treckon.analysis.crosschecking.tool_names import field_form
from treckon.errors import TreckonError
from treckon.measures.parameters import BOOL, INT, REAL, REL_ARGUMENT, TEXT, Arguments
from treckon.measures.registry import VIEW_RANKING
from treckon.naming.syntax import Measure, field_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from treckon.analysis.crosschecking.changes import Changes
    from treckon.analysis.crosschecking.tool_habits import Habit

    #: Makes the changed measure; None where it can't be.
    Make: TypeAlias = Callable[[Measure], Measure | None]

#: Ways from the values of queries to one that are no measure's own here.
AGGREGATES = {
    "sum": "values of queries are added up",
    "mean": "values of queries are averaged",
    "median": "the median of the queries instead of their mean",
    "mean of hits": "queries with the value 0 are left out of the mean",
}


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """A measure with changes: what to evaluate, and what to make of it.

    measure:   evaluated
    changes:   what was changed
    beside:    evaluated too, for the habit
    habit:     one that makes its value out of several, of all queries; else None
    aggregate: one of AGGREGATES, None: the measure's own
    """

    measure: Measure
    changes: Changes = ()
    beside: tuple[Measure, ...] = ()
    habit: Habit | None = None
    aggregate: str | None = None

    @property
    def weight(self) -> float:
        """What its changes weigh."""
        return weight_of(self.changes)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All that is evaluated for it."""
        return (self.measure, *self.beside)


def variants(
    readings: Sequence[Measure], base: Mapping[str, Any], highest_grade: int, most: int, *, has_mean: bool
) -> list[Variant]:
    """The measure that a name stands for, unchanged, and with so many changes or fewer."""
    made = [Variant(readings[0])]
    for reading in readings[1:]:
        change = Change("reading", str(reading), f"the name stands for {reading.title.lower()}", kind=MEASURE)
        made.append(Variant(reading, (change,)))
    options = list(_options(readings[0], base, highest_grade))
    for n in range(1, most + 1):
        for chosen in combinations(options, n):
            if len({change.key for change, _ in chosen}) == n and (variant := _changed(readings[0], chosen)):
                made.append(variant)
    if has_mean and most:
        made += list(_aggregated(made if most > 1 else made[:1]))
    distinct: dict[tuple[object, ...], Variant] = {}
    for variant in made:
        distinct.setdefault((str(variant.measure), variant.habit, variant.aggregate), variant)
    return list(distinct.values())


def _changed(measure: Measure, options: Iterable[tuple[Change, Make | Habit]]) -> Variant | None:
    """The measure with these changes made one after the other, a habit last; None where they don't go together."""
    changed: Measure | None = field_form(measure) or measure
    habit: Habit | None = None
    for _, make in options:
        if not callable(make):
            habit = make
        elif changed is not None:
            try:
                changed = make(changed)
            except TreckonError:
                return None
    if changed is None:
        return None
    changes = tuple(change for change, _ in options)
    if habit is None:
        return Variant(changed, changes)
    substitute = habit.substitute(changed)
    if substitute is None and (habit.measure or habit.function):
        return None
    of_all = habit if habit.combine or habit.whole else None
    return Variant(substitute or changed, changes, habit.beside(changed), of_all)


def _aggregated(variants: Iterable[Variant]) -> Iterator[Variant]:
    for variant in variants:
        own = variant.measure.record.aggregate.name
        for name, text in AGGREGATES.items():
            if own in ("mean", "sum") and name != own and len(variant.changes) < 2:
                changes = (*variant.changes, Change("aggregate", name, text, kind=MEASURE))
                yield Variant(variant.measure, changes, variant.beside, variant.habit, name)


def _options(printed: Measure, base: Mapping[str, Any], highest_grade: int) -> Iterator[tuple[Change, Make | Habit]]:
    """What may be changed of one measure, each with what makes the change."""
    measure = field_form(printed) or printed
    record = measure.record
    arguments = record.arguments
    if record.view != VIEW_RANKING and not arguments:
        return
    yield from _levels(measure, base, highest_grade)
    if not measure.parameters.condensed:
        text = "unjudged documents are taken out of the ranking"
        change = Change("unjudged", "condensed", text, "trec_eval -J", MEASURE)
        yield change, _with(arguments, "judged_only", "condensed", True)
    yield from _gains(measure, arguments, base)
    for argument in arguments.values():
        if argument.name in ("rel", "judged_only", "gain", "discount", "of"):
            continue
        now = measure.arguments.get(argument.name, argument.default)
        for value in _argument_values(argument, highest_grade):
            if value != now:
                shown = f"{value:.4g}" if isinstance(value, float) else repr(value)
                text = f"{argument.meaning}: {shown}, not {now!r}"
                yield Change(argument.name, value, text, kind=MEASURE), _with(arguments, argument.name, "", value)
    if isinstance(kind := record.parameter_kind, Arguments) and kind.at == "cutoff" and not kind.at_required:
        yield from _cutoffs(measure)
    for habit in HABITS:
        if record.name in habit.measures and record.since is None:
            yield Change("habit", habit.name, habit.text, habit.tools, HABIT), habit


def _levels(measure: Measure, base: Mapping[str, Any], highest_grade: int) -> Iterator[tuple[Change, Make]]:
    arguments = measure.record.arguments
    rel = arguments.get("rel")
    # Also where a measure ignores the level, that decides which queries have no relevant document.
    of_level = arguments if rel is REL_ARGUMENT else {}
    present = base.get("level", 1) if measure.parameters.level is None else measure.parameters.level
    for level in (1, 0, *range(2, min(highest_grade, 5) + 1)):
        if level != present:
            text = f"documents are relevant from grade {level} on"
            yield Change("level", level, text, kind=MEASURE), _with(of_level, "rel", "level", level)
        if rel is not None and rel is not REL_ARGUMENT and level > 1 and level != measure.arguments.get("rel"):
            text = f"grades below {level} count for nothing"
            yield Change("rel", level, text, "ranx's ndcg-l2", MEASURE), _with(arguments, "rel", "", level)


def _argument_values(argument: Any, highest_grade: int) -> Sequence[Any]:
    if argument.type == TEXT:
        return tuple(argument.choices)
    if argument.type == BOOL:
        return (True, False)
    if argument.name == "max_rel":
        return tuple(range(1, max(highest_grade, 4) + 1))
    return USUAL_ARGUMENTS.get(argument.name, ()) if argument.type in (INT, REAL) else ()


_GAINS = (
    Change("gain", "exp2", "the gain of a grade is 2^grade - 1", "gdeval, ranx's ndcg_burges, LightGBM", MEASURE),
    Change("gain", "binary", "the gain of every relevant grade is 1", "recommenders, RecBole", MEASURE),
    Change("gain", "linear", "the gain of a grade is the grade", "trec_eval", MEASURE),
)
_DISCOUNTS = (
    Change("discount", "none", "documents at all ranks count the same", kind=MEASURE),
    Change("discount", ("jk", 2), "gains are discounted from rank 2 on, by log2(rank)",
           "Järvelin and Kekäläinen 2002", MEASURE),
    Change("discount", "log2", "gains are discounted by log2(rank + 1)", kind=MEASURE),
)  # fmt: skip


def _gains(measure: Measure, arguments: Mapping[str, Any], base: Mapping[str, Any]) -> Iterator[tuple[Change, Make]]:
    present = {
        "gain": measure.parameters.gain or base.get("gain", "linear"),
        "discount": measure.parameters.discount or base.get("discount", "log2"),
    }
    for change in (*_GAINS, *_DISCOUNTS):
        if change.key in arguments and change.value != present[change.key]:
            yield change, _with(arguments, change.key, "", change.value)


def _cutoffs(measure: Measure) -> Iterator[tuple[Change, Make]]:
    if measure.at is not None:
        without = Change("cutoff", None, "all ranks count", kind=MEASURE)
        yield without, lambda measure: field_measure(measure.record, None, measure.arguments)
        return
    for cutoff in USUAL_CUTOFFS:
        yield Change("cutoff", cutoff, f"only the first {cutoff} ranks count", kind=MEASURE), _at(cutoff)


def _at(cutoff: int) -> Make:
    return lambda measure: measure @ cutoff


def _with(arguments: Mapping[str, Any], name: str, option: str, value: object) -> Make:
    """What gives a measure an argument, or where it has none the option of the evaluation for it alone."""

    def make(measure: Measure) -> Measure:
        if name in arguments:
            return measure(**{name: value})
        parameters = measure.parameters.replaced(**{option: value})
        return Measure(measure.record, parameters, f"{measure} ({option}={value!r})", measure.at, measure.arguments)

    return make
