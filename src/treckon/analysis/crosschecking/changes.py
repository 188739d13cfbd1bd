"""The changes that a cross-check tries: conventions, arguments, habits of single tools, ways to average and to print.

What is met most often stands first (the order of causes in practice): of equally small explanations the one of earlier
changes is shown first.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from treckon.analysis.crosschecking.tied import MOST_INSERTED
from treckon.analysis.crosschecking.tool_habits import HABITS, USUAL_ARGUMENTS, USUAL_CUTOFFS
from treckon.analysis.crosschecking.tool_names import field_form
from treckon.errors import TreckonError
from treckon.measures.parameters import BOOL, INT, REAL, REL_ARGUMENT, TEXT, Arguments
from treckon.measures.registry import VIEW_RANKING
from treckon.naming.syntax import Measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from treckon.analysis.crosschecking.tool_habits import Habit

#: Kinds of change: a convention of the evaluation; of single measures; which queries count, and as what; how values
#: are printed; what is done to the data; what a single tool does.
CONVENTION, MEASURE, QUERIES, PRINTING, DATA, HABIT = (
    "convention", "measure", "queries", "printing", "data", "habit",
)  # fmt: skip

#: What is no convention of ours weighs a little more: of two explanations one by conventions is the smaller.
_WEIGHTS = {DATA: 1.5, HABIT: 1.5}


class Change:
    """One thing done differently.

    key:   what: "ties", "compat", "gain", "missing", ...
    value: how: "input", "9.0.8", ...
    text:  a clause that says it
    tools: who does it, as far as known; "" where nobody is
    kind:  CONVENTION, MEASURE, QUERIES, PRINTING, DATA or HABIT
    weight: how much it counts where explanations are compared by size
    """

    __slots__ = ("_hash", "_identity", "key", "kind", "text", "tools", "value", "weight")

    def __init__(self, key: str, value: object, text: str, tools: str = "", kind: str = CONVENTION) -> None:
        self.key = key
        self.value = value
        self.text = text
        self.tools = tools
        self.kind = kind
        self.weight = _WEIGHTS.get(kind, 1.0)
        self._identity = (key, repr(value))
        self._hash = hash(self._identity)

    @property
    def name(self) -> str:
        """``ties='input'``, or the habit's or data's name."""
        return str(self.value) if self.kind in (DATA, HABIT, PRINTING) else f"{self.key}={self.value!r}"

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, Change) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def to_dict(self) -> dict[str, object]:
        """All of it as texts and plain values."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {"key": self.key, "value": value, "text": self.text, "tools": self.tools, "kind": self.kind}


# Of the whole evaluation

_TIES = {
    "input": ("documents with equal scores stand as listed", "ranx, trectools, BEIR's MRR, cwl_eval"),
    "docno": ("documents with equal scores stand by rising id", "ir_measures' RR@k and Judged@k"),
    "trec": ("documents with equal scores stand by falling id", "trec_eval, pytrec_eval"),
    "expected": ("values are means over all orders of documents with equal scores", "scikit-learn, torchmetrics"),
    "pessimistic": ("of documents with equal scores those of higher grade stand last", ""),
    "optimistic": ("of documents with equal scores those of higher grade stand first", ""),
}
_ORDERS = {
    "rank": ("documents stand by the run's ranks, not by scores", "MS MARCO's scorer"),
    "input": ("documents stand as listed, whatever their scores", "tools that read ranked lists"),
    "score": ("documents stand by falling scores", "trec_eval"),
}
_RELEASES = {
    "9.0.8": ("scores are compared as 32-bit numbers, points of recall rounded as in trec_eval 9.0.8",
              "trec_eval 9.0.8, pytrec_eval, ir_measures"),
    "10.0": ("scores are compared as 64-bit numbers, points of recall rounded as in trec_eval 10.0", "trec_eval 10.0"),
}  # fmt: skip
_DUPLICATES = {
    "first": "of a repeated document the first counts, the repeats keep their ranks",
    "drop": "of a repeated document the first counts, ranks close up",
    "max": "of a repeated document the highest score counts",
}
_USUAL_DEPTHS = (5, 10, 20, 50, 100, 200, 500, 1000)

#: What may be done to the data: names of what `bench` knows how to do.
ANY_JUDGED, CANDIDATES, APPENDED = (
    "every judged document is relevant", "only retrieved documents are judged",
    "judged documents that were not retrieved tie at the end",
)  # fmt: skip
_DATA = {
    CANDIDATES: ("judged documents that were not retrieved are unknown, so R and the ideal ranking lack them",
                 "torchmetrics, RecBole and others that are given candidates only"),
    APPENDED: ("judged documents that were not retrieved stand at the end of the ranking with equal scores",
               "scikit-learn, which needs a score for every document"),
    ANY_JUDGED: ("every line of the qrels makes its document relevant, whatever its grade", "MS MARCO's scorer"),
}  # fmt: skip


#: Orders of ties by how a tool sorts: names of what `bench` knows how to do.
BACKWARDS, QUICKSORT, QUICKSORT_TWICE, QUICKSORT_BACKWARDS = (
    "ties in reverse of the order listed", "ties as a quicksort leaves them", "ties as two quicksorts leave them",
    "ties as a quicksort leaves them, reversed",
)  # fmt: skip
_SORTS = {
    BACKWARDS: ("documents with equal scores stand from the last listed to the first", "a stable argsort()[::-1]"),
    QUICKSORT: ("documents with equal scores stand where numba's quicksort of falling scores leaves them: as listed in "
                "rankings of up to 15 documents", "ranx with Qrels and Run"),
    QUICKSORT_TWICE: ("documents with equal scores stand where numba's quicksort of falling scores leaves them, done "
                      "twice: as listed in rankings of up to 15 documents", "ranx with make_comparable=True"),
    QUICKSORT_BACKWARDS: ("documents with equal scores stand where numba's quicksort of rising scores leaves them, "
                          "read backwards: from the last listed to the first in rankings of up to 15 documents",
                          "ranx with plain dicts"),
}  # fmt: skip


def sort_changes(longest: int) -> list[Change]:
    """What may be changed of how ties are sorted, where the longest ranking that has ties has so many documents."""
    names = [
        *[BACKWARDS] * (longest > 1),
        *[QUICKSORT, QUICKSORT_TWICE, QUICKSORT_BACKWARDS] * (longest > MOST_INSERTED),
    ]
    return [Change("ties", name, *_SORTS[name], kind=DATA) for name in names]


def evaluation_changes(base: Mapping[str, Any], deepest: int, cutoffs: Iterable[int], repeats: bool) -> list[Change]:
    """What may be changed of an evaluation as a whole.

    base:    the conventions as they are
    deepest: documents of the longest ranking
    cutoffs: those of the measures printed
    repeats: whether the run has a document twice for a query
    """
    found = []
    for ties in ("input", "docno"):
        found.append(Change("ties", ties, *_TIES[ties]))
    found += [Change("compat", one, *texts) for one, texts in _RELEASES.items()]
    for ties in ("trec", "expected", "pessimistic", "optimistic"):
        found.append(Change("ties", ties, *_TIES[ties]))
    found += [Change("order", one, *texts) for one, texts in _ORDERS.items()]
    found.append(Change("negative", "nonrelevant", "a negative grade counts as judged nonrelevant", "ranx"))
    found.append(Change("negative", "unjudged", "a document with a negative grade counts as unjudged", "trec_eval"))
    found.append(Change("unjudged", "nonrelevant", "unjudged documents count as nonrelevant", "trec_eval"))
    self_text = "documents whose id is the query's are taken out"
    found.append(Change("ignore_self", True, self_text, "BEIR"))
    if repeats:
        found += [Change("duplicates", one, text) for one, text in _DUPLICATES.items()]
    depths = sorted({*_USUAL_DEPTHS, *cutoffs})
    found += [
        Change("depth", one, f"only the first {one} documents of a query count") for one in depths if one < deepest
    ]
    given = {"order": "score", "ties": "trec", "negative": "unjudged", "unjudged": "nonrelevant", **base}
    given["compat"] = base.get("compat") or "10.0"
    found = [one for one in found if given.get(one.key) != one.value]
    return found + [Change("data", name, *texts, kind=DATA) for name, texts in _DATA.items()]


def evaluations(changes: Sequence[Change], most: int) -> Iterator[tuple[Change, ...]]:
    """Each set of so many changes or fewer, no two of the same thing; the empty one first."""
    for n in range(most + 1):
        for some in combinations(changes, n):
            keys = {"ties" if one.key == "order" and one.value == "input" else one.key for one in some}
            if len(keys) == n:
                yield some


# Which queries count

_MISSING = {
    "zero": ("queries that the run lacks count 0", "trec_eval -c, ir_measures, MS MARCO's scorer"),
    "skip": ("queries that the run lacks don't count", "trec_eval 9.0.8, pytrec_eval"),
    "nan": ("queries that the run lacks are NaN and count", "trectools through ir_measures"),
    "blank": ("queries that the run lacks count 0, also in what is counted of the qrels", "ir_measures' iter_calc"),
}
_EXTRA = {
    "counted": ("queries of the run that are not judged count, as queries without judged documents: 0, but for what is "
                "counted without judgements", "trectools, MTEB's Hole"),
    "added": ("queries of the run that are not judged are added, but not counted in the divisor", "BEIR's Hole"),
}  # fmt: skip
_NO_RELEVANT = {
    "skip": ("queries without relevant documents are left out", "gdeval, ndeval"),
    "nan": ("queries without relevant documents are NaN, and count in the divisor", "trectools"),
    "one": ("queries without relevant documents count 1", "LightGBM"),
    "zero": ("queries without relevant documents count", "trec_eval"),
}


class Rule:
    """Which queries a mean is over, and as what: values of `missing`, `extra` and `no_relevant`."""

    __slots__ = ("changes", "extra", "missing", "no_relevant")

    def __init__(self, missing: str, extra: str, no_relevant: str, base: tuple[str, str, str]) -> None:
        self.missing = missing
        self.extra = extra
        self.no_relevant = no_relevant
        found = []
        if missing != base[0]:
            found.append(Change("missing", missing, *_MISSING[missing], kind=QUERIES))
        if extra != base[1]:
            found.append(Change("extra", extra, *_EXTRA[extra], kind=QUERIES))
        if no_relevant != base[2]:
            found.append(Change("no_relevant", no_relevant, *_NO_RELEVANT[no_relevant], kind=QUERIES))
        self.changes = tuple(found)


def rules(
    missing: str,
    no_relevant: str,
    *,
    has_missing: bool,
    has_extra: bool,
    adds_extra: bool,
    has_empty: bool,
    missing_blank: bool,
    missing_nan: bool,
    empty_nan: bool,
) -> list[Rule]:
    """Every way to count queries that makes a difference where there are such queries; the base first.

    adds_extra: whether a value of a query that isn't judged may be another than 0
    missing_blank: whether 0 was printed for such queries where ours is another value
    missing_nan, empty_nan: whether NaN was printed that can be of such queries; without it, a query that is NaN and
    counts can't be told from one that counts 0
    """
    base = (missing, "skip", no_relevant)
    of_missing = [missing, *["nan"] * missing_nan, "zero", *["blank"] * missing_blank, "skip"]
    of_empty = [no_relevant, *["nan"] * empty_nan, "zero", "skip", "one"]
    all_missing = list(dict.fromkeys(of_missing)) if has_missing else [missing]
    all_empty = list(dict.fromkeys(of_empty)) if has_empty else [no_relevant]
    all_extra = ["skip", *["counted"] * has_extra, *["added"] * adds_extra]
    found = [Rule(one, two, three, base) for two in all_extra for three in all_empty for one in all_missing]
    return sorted(found, key=lambda one: len(one.changes))


# How values are printed

PERCENT, CUT, PLACES, TWICE = "in percent", "cut, not rounded", "rounded to the places shown", "rounded twice"


def printings(in_percent: bool, stripped: bool) -> list[tuple[Change, ...]]:
    """Ways to print that are tried; the base, which is rounding at the last place printed, first.

    in_percent: whether values are so large that this may be
    stripped:   whether zeros at the end seem to have been dropped
    """
    single = [Change("cut", CUT, "the last place printed is cut, not rounded", kind=PRINTING)]
    if in_percent:
        single.insert(0, Change("percent", PERCENT, "values are in percent", kind=PRINTING))
    text = "values were rounded to one more place before they were rounded to the last one printed"
    single.append(Change("twice", TWICE, text, "what shows four of gdeval's five decimals", kind=PRINTING))
    if stripped:
        text = "each value was rounded to the places that it shows"
        single.append(Change("places", PLACES, text, kind=PRINTING))
    return [(), *((one,) for one in single), *((single[0], one) for one in single[1:] if in_percent)]


# Of single measures

#: Ways from the values of queries to one that are no measure's own here.
AGGREGATES = {
    "sum": "values of queries are added up",
    "mean": "values of queries are averaged",
    "median": "the median of the queries instead of their mean",
    "mean of hits": "queries with the value 0 are left out of the mean",
}


class Variant:
    """A measure with changes: what to evaluate, and what to make of it.

    measure:   evaluated
    beside:    evaluated too, for `combine`
    combine, by_id, whole: as in `Habit`
    aggregate: one of AGGREGATES, None: the measure's own
    changes:   what was changed
    """

    __slots__ = ("aggregate", "beside", "by_id", "changes", "combine", "measure", "weight", "whole")

    def __init__(
        self,
        measure: Measure,
        changes: tuple[Change, ...] = (),
        *,
        beside: Sequence[Measure] = (),
        combine: Callable[..., Any] | None = None,
        by_id: bool = False,
        whole: Callable[..., dict[str, float]] | None = None,
        aggregate: str | None = None,
    ) -> None:
        self.measure = measure
        self.beside = tuple(beside)
        self.combine = combine
        self.by_id = by_id
        self.whole = whole
        self.aggregate = aggregate
        self.changes = changes
        self.weight = sum(one.weight for one in changes)


def variants(
    readings: Sequence[Measure], base: Mapping[str, Any], highest_grade: int, most: int, *, has_mean: bool
) -> list[Variant]:
    """The measure that a name stands for, unchanged, and with so many changes or fewer."""
    found = [Variant(readings[0])]
    found += [
        Variant(one, (Change("reading", str(one), f"the name stands for {one.title.lower()}", kind=MEASURE),))
        for one in readings[1:]
    ]
    options = list(_options(readings[0], base, highest_grade))
    for n in range(1, most + 1):
        for some in combinations(options, n):
            if len({change.key for change, _ in some}) == n and (made := _changed(readings[0], some)) is not None:
                found.append(made)
    if has_mean:
        found += list(_aggregated(found if most > 1 else found[:1]))
    seen: dict[tuple[object, ...], Variant] = {}
    for one in found:
        seen.setdefault((str(one.measure), one.combine, one.by_id, one.whole, one.aggregate), one)
    return list(seen.values())


def _changed(
    base: Measure, some: Iterable[tuple[Change, Callable[[Measure], Measure | None] | Habit]]
) -> Variant | None:
    """The measure with these changes made one after the other, a habit last; None where they don't go together."""
    measure: Measure | None = field_form(base) or base
    habit: Habit | None = None
    for _, make in some:
        if not callable(make):
            habit = make
        elif measure is not None:
            try:
                measure = make(measure)
            except TreckonError:
                return None
    if measure is None:
        return None
    changes = tuple(change for change, _ in some)
    if habit is None:
        return Variant(measure, changes)
    substitute = habit.substitute(measure)
    if substitute is None and (habit.measure or habit.function):
        return None
    return Variant(
        substitute or measure,
        changes,
        beside=habit.beside(measure),
        combine=habit.combine,
        by_id=habit.by_id,
        whole=habit.whole,
    )


def _aggregated(variants: Iterable[Variant]) -> Iterator[Variant]:
    for one in variants:
        own = one.measure.record.aggregate.name
        for name, text in AGGREGATES.items():
            if own in ("mean", "sum") and name != own and len(one.changes) < 2:
                change = Change("aggregate", name, text, kind=MEASURE)
                yield Variant(
                    one.measure,
                    (*one.changes, change),
                    beside=one.beside,
                    combine=one.combine,
                    by_id=one.by_id,
                    whole=one.whole,
                    aggregate=name,
                )


def _options(
    asked: Measure, base: Mapping[str, Any], highest_grade: int
) -> Iterator[tuple[Change, Callable[[Measure], Measure | None] | Habit]]:
    """What may be changed of one measure, each with what makes the change."""
    measure = field_form(asked) or asked
    record = measure.record
    arguments = record.arguments
    if record.view != VIEW_RANKING and not arguments:
        return
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
            yield Change("rel", level, text, "ranx's ndcg-l2", kind=MEASURE), _with(arguments, "rel", "", level)
    if not measure.parameters.condensed:
        text = "unjudged documents are taken out of the ranking"
        change = Change("unjudged", "condensed", text, "trec_eval -J", kind=MEASURE)
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
            yield Change("habit", habit.name, habit.text, habit.tools, kind=HABIT), habit


def _argument_values(argument: Any, highest_grade: int) -> Sequence[Any]:
    if argument.type == TEXT:
        return tuple(argument.choices)
    if argument.type == BOOL:
        return (True, False)
    if argument.name == "max_rel":
        return tuple(range(1, max(highest_grade, 4) + 1))
    return USUAL_ARGUMENTS.get(argument.name, ()) if argument.type in (INT, REAL) else ()


_GAINS = {
    "exp2": ("the gain of a grade is 2^grade - 1", "gdeval, ranx's ndcg_burges, LightGBM"),
    "binary": ("the gain of every relevant grade is 1", "recommenders, RecBole"),
    "linear": ("the gain of a grade is the grade", "trec_eval"),
}
_DISCOUNTS = {
    "none": "documents at all ranks count the same",
    ("jk", 2): "gains are discounted from rank 2 on, by log2(rank)",
    "log2": "gains are discounted by log2(rank + 1)",
}


def _gains(
    measure: Measure, arguments: Mapping[str, Any], base: Mapping[str, Any]
) -> Iterator[tuple[Change, Callable[[Measure], Measure]]]:
    if "gain" in arguments:
        now = measure.parameters.gain or base.get("gain", "linear")
        for gain, texts in _GAINS.items():
            if gain != now:
                yield Change("gain", gain, *texts, kind=MEASURE), _with(arguments, "gain", "", gain)
    if "discount" in arguments:
        present = measure.parameters.discount or base.get("discount", "log2")
        for discount, text in _DISCOUNTS.items():
            if discount != present:
                tools = "Järvelin and Kekäläinen 2002" if isinstance(discount, tuple) else ""
                change = Change("discount", discount, text, tools, kind=MEASURE)
                yield change, _with(arguments, "discount", "", discount)


def _cutoffs(measure: Measure) -> Iterator[tuple[Change, Callable[[Measure], Measure | None]]]:
    if measure.at is not None:
        yield Change("cutoff", None, "all ranks count", kind=MEASURE), _without_cutoff
        return
    for cutoff in USUAL_CUTOFFS:
        yield Change("cutoff", cutoff, f"only the first {cutoff} ranks count", kind=MEASURE), _at(cutoff)


def _at(cutoff: int) -> Callable[[Measure], Measure]:
    return lambda measure: measure @ cutoff


def _without_cutoff(measure: Measure) -> Measure | None:
    from treckon.naming.syntax import field_measure

    return field_measure(measure.record, None, measure.arguments)


def _with(arguments: Mapping[str, Any], name: str, option: str, value: object) -> Callable[[Measure], Measure]:
    """What gives a measure an argument, or where it has none the option of the evaluation for it alone."""

    def make(measure: Measure) -> Measure:
        if name in arguments:
            return measure(**{name: value})
        if not option:
            raise AssertionError(name)
        parameters = measure.parameters.replaced(**{option: value})
        return Measure(measure.record, parameters, f"{measure} ({option}={value!r})", measure.at, measure.arguments)

    return make
