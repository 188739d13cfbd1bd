"""The changes that a cross-check tries: of conventions and data, of which queries count, of how values are printed.

What is met most often stands first (the order of causes in practice): of equally small explanations the one of earlier
changes is shown first. Changes of single measures are made in `variants`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

from treckon.analysis.crosschecking.tied import (
    BACKWARDS,
    MOST_INSERTED,
    QUICKSORT,
    QUICKSORT_BACKWARDS,
    QUICKSORT_TWICE,
)
from treckon.lazy import LazyModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    import numpy as np
else:
    np = LazyModule("numpy")

#: Kinds of change: a convention of the evaluation; of single measures; which queries count, and as what; how values
#: are printed; what is done to the data; what a single tool does.
CONVENTION, MEASURE, QUERIES, PRINTING, DATA, HABIT = (
    "convention", "measure", "queries", "printing", "data", "habit",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """One thing done differently.

    key:   what: "ties", "compat", "gain", "missing", ...
    value: how: "input", "9.0.8", ...
    text:  a clause that says it
    tools: who does it, as far as known; "" where nobody is
    kind:  CONVENTION, MEASURE, QUERIES, PRINTING, DATA or HABIT
    """

    key: str
    value: object
    text: str = field(compare=False)
    tools: str = field(default="", compare=False)
    kind: str = field(default=CONVENTION, compare=False)

    @property
    def weight(self) -> float:
        """How much it counts: of two explanations the one by conventions is the smaller."""
        return 1.5 if self.kind in (DATA, HABIT) else 1.0

    @property
    def name(self) -> str:
        """``ties='input'``, or the habit's or data's name."""
        return str(self.value) if self.kind in (DATA, HABIT, PRINTING) else f"{self.key}={self.value!r}"

    def __repr__(self) -> str:
        return self.name

    def to_dict(self) -> dict[str, object]:
        """All of it as texts and plain values."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {"key": self.key, "value": value, "text": self.text, "tools": self.tools, "kind": self.kind}


Changes: TypeAlias = "tuple[Change, ...]"


def weight_of(changes: Iterable[Change]) -> float:
    """What changes weigh together."""
    return sum(change.weight for change in changes)


# Of the whole evaluation

#: What may be done to the data: names of what `Trial` knows how to do.
ANY_JUDGED, CANDIDATES, APPENDED = (
    "every judged document is relevant", "only retrieved documents are judged",
    "judged documents that were not retrieved tie at the end",
)  # fmt: skip

_EVALUATION = (
    Change("ties", "input", "documents with equal scores stand as listed", "ranx, trectools, BEIR's MRR, cwl_eval"),
    Change("ties", "docno", "documents with equal scores stand by rising id", "ir_measures' RR@k and Judged@k"),
    Change("compat", "9.0.8", "scores are compared as 32-bit numbers, points of recall rounded as in trec_eval 9.0.8",
           "trec_eval 9.0.8, pytrec_eval, ir_measures"),
    Change("compat", "10.0", "scores are compared as 64-bit numbers, points of recall rounded as in trec_eval 10.0",
           "trec_eval 10.0"),
    Change("ties", "trec", "documents with equal scores stand by falling id", "trec_eval, pytrec_eval"),
    Change("ties", "expected", "values are means over all orders of documents with equal scores",
           "scikit-learn, torchmetrics"),
    Change("ties", "pessimistic", "of documents with equal scores those of higher grade stand last"),
    Change("ties", "optimistic", "of documents with equal scores those of higher grade stand first"),
    Change("order", "rank", "documents stand by the run's ranks, not by scores", "MS MARCO's scorer"),
    Change("order", "input", "documents stand as listed, whatever their scores", "tools that read ranked lists"),
    Change("order", "score", "documents stand by falling scores", "trec_eval"),
    Change("negative", "nonrelevant", "a negative grade counts as judged nonrelevant", "ranx"),
    Change("negative", "unjudged", "a document with a negative grade counts as unjudged", "trec_eval"),
    Change("unjudged", "nonrelevant", "unjudged documents count as nonrelevant", "trec_eval"),
    Change("ignore_self", True, "documents whose id is the query's are taken out", "BEIR"),
    Change("duplicates", "first", "of a repeated document the first counts, the repeats keep their ranks"),
    Change("duplicates", "drop", "of a repeated document the first counts, ranks close up"),
    Change("duplicates", "max", "of a repeated document the highest score counts"),
)  # fmt: skip
_USUAL_DEPTHS = (5, 10, 20, 50, 100, 200, 500, 1000)
_DATA = (
    Change("data", CANDIDATES, "judged documents that were not retrieved are unknown, so R and the ideal ranking lack "
           "them", "torchmetrics, RecBole and others that are given candidates only", DATA),
    Change("data", APPENDED, "judged documents that were not retrieved stand at the end of the ranking with equal "
           "scores", "scikit-learn, which needs a score for every document", DATA),
    Change("data", ANY_JUDGED, "every line of the qrels makes its document relevant, whatever its grade",
           "MS MARCO's scorer", DATA),
)  # fmt: skip


def evaluation_changes(base: Mapping[str, Any], deepest: int, cutoffs: Iterable[int], repeats: bool) -> list[Change]:
    """What may be changed of an evaluation as a whole.

    base:    the conventions as they are
    deepest: documents of the longest ranking
    cutoffs: those of the measures printed
    repeats: whether the run lists a document twice for a query
    """
    depths = [
        Change("depth", depth, f"only the first {depth} documents of a query count")
        for depth in sorted({*_USUAL_DEPTHS, *cutoffs})
        if depth < deepest
    ]
    now = {"order": "score", "ties": "trec", "negative": "unjudged", "unjudged": "nonrelevant", **base}
    now["compat"] = base.get("compat") or "10.0"
    conventions = [change for change in (*_EVALUATION, *depths) if now.get(change.key) != change.value]
    return [change for change in conventions if repeats or change.key != "duplicates"] + list(_DATA)


_REVERSE = Change("ties", BACKWARDS, "documents with equal scores stand from the last listed to the first",
                  "a stable argsort()[::-1]", DATA)  # fmt: skip
_QUICKSORTS = (
    Change("ties", QUICKSORT, "documents with equal scores stand where numba's quicksort of falling scores leaves "
           "them: as listed in rankings of up to 15 documents", "ranx with Qrels and Run", DATA),
    Change("ties", QUICKSORT_TWICE, "documents with equal scores stand where numba's quicksort of falling scores "
           "leaves them, done twice: as listed in rankings of up to 15 documents", "ranx with make_comparable=True",
           DATA),
    Change("ties", QUICKSORT_BACKWARDS, "documents with equal scores stand where numba's quicksort of rising scores "
           "leaves them, read backwards: from the last listed to the first in rankings of up to 15 documents",
           "ranx with plain dicts", DATA),
)  # fmt: skip


def sort_changes(longest: int) -> list[Change]:
    """What may be changed of how ties are sorted, where the longest ranking that has ties has so many documents."""
    return [_REVERSE] * (longest > 1) + list(_QUICKSORTS) * (longest > MOST_INSERTED)


def sets_of(changes: Sequence[Change], most: int) -> Iterator[Changes]:
    """Each set of so many changes or fewer, no two of the same thing; the empty one first."""
    for n in range(most + 1):
        for chosen in combinations(changes, n):
            keys = {"ties" if change.key == "order" and change.value == "input" else change.key for change in chosen}
            if len(keys) == n:
                yield chosen


# Which queries count

_QUERIES = {
    (change.key, change.value): change
    for change in (
        Change("missing", "zero", "queries that the run lacks count 0", "trec_eval -c, ir_measures, MS MARCO's scorer",
               QUERIES),
        Change("missing", "skip", "queries that the run lacks don't count", "trec_eval 9.0.8, pytrec_eval", QUERIES),
        Change("missing", "nan", "queries that the run lacks are NaN and count", "trectools through ir_measures",
               QUERIES),
        Change("missing", "blank", "queries that the run lacks count 0, also in what is counted of the qrels",
               "ir_measures' iter_calc", QUERIES),
        Change("extra", "counted", "queries of the run that are not judged count, as queries without judged documents: "
               "0, but for what is counted without judgements", "trectools, MTEB's Hole", QUERIES),
        Change("extra", "added", "queries of the run that are not judged are added, but not counted in the divisor",
               "BEIR's Hole", QUERIES),
        Change("no_relevant", "skip", "queries without relevant documents are left out", "gdeval, ndeval", QUERIES),
        Change("no_relevant", "nan", "queries without relevant documents are NaN, and count in the divisor",
               "trectools", QUERIES),
        Change("no_relevant", "one", "queries without relevant documents count 1", "LightGBM", QUERIES),
        Change("no_relevant", "zero", "queries without relevant documents count", "trec_eval", QUERIES),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Counting:
    """Which queries count, and as what: values of `missing`, `extra` and `no_relevant`, and what that changes."""

    missing: str
    extra: str
    no_relevant: str
    changes: Changes


def countings(missing: Iterable[str], extra: Iterable[str], no_relevant: Iterable[str]) -> list[Counting]:
    """Every way to count queries, out of the values that make a difference, of each the present one first."""
    in_order = [dict.fromkeys(values) for values in (missing, extra, no_relevant)]
    base = [next(iter(values)) for values in in_order]
    made = []
    for of_extra in in_order[1]:
        for of_empty in in_order[2]:
            for of_missing in in_order[0]:
                chosen = (of_missing, of_extra, of_empty)
                pairs = zip(("missing", "extra", "no_relevant"), chosen, base, strict=True)
                changes = tuple(_QUERIES[key, value] for key, value, now in pairs if value != now)
                made.append(Counting(*chosen, changes))
    return sorted(made, key=lambda counting: len(counting.changes))


# How values are printed

_CUT = Change("cut", "cut, not rounded", "the last place printed is cut, not rounded", kind=PRINTING)
_PERCENT = Change("percent", "in percent", "values are in percent", kind=PRINTING)
_TWICE = Change("twice", "rounded twice", "values were rounded to one more place before they were rounded to the last "
                "one printed", "what shows four of gdeval's five decimals", PRINTING)  # fmt: skip
_PLACES = Change("places", "rounded to the places shown", "each value was rounded to the places that it shows",
                 kind=PRINTING)  # fmt: skip


def printings(in_percent: bool, stripped: bool) -> list[Changes]:
    """Ways to print that are tried; the base, which is rounding at the last place printed, first.

    in_percent: whether values are so large that this may be
    stripped:   whether zeros at the end seem to have been dropped
    """
    others = [_CUT, _TWICE, *[_PLACES] * stripped]
    alone: list[Changes] = [(change,) for change in [*[_PERCENT] * in_percent, *others]]
    return [(), *alone, *((_PERCENT, change) for change in others if in_percent)]


def limits(printing: Changes, value: Any, unit: Any, own_unit: Any, slack: Any) -> tuple[Any, Any]:
    """What printed values may have been before they were printed: arrays of the lowest and of the highest numbers.

    value, unit, own_unit, slack: arrays of what `Printed` has
    """
    scale = 0.01 if _PERCENT in printing else 1.0
    unit = np.maximum(unit, own_unit) if _PLACES in printing else unit
    below = above = unit * (0.55 if _TWICE in printing else 0.5)
    if _CUT in printing:
        below, above = np.where(value >= 0.0, 0.0, unit), np.where(value >= 0.0, unit, 0.0)
    return (value - below - slack) * scale, (value + above + slack) * scale
