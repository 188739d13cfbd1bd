"""What single tools do with single measures: variants and defects that explain their numbers, each by name.

None of them is a convention of ours. They are here so that a cross-check can say where a number comes from.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import log2

from treckon.errors import TreckonError
from treckon.lazy import LazyModule
from treckon.measures import registry
from treckon.measures.aggregation import MEAN
from treckon.measures.parameters import Arguments
from treckon.naming.syntax import Measure, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    import numpy as np

    #: What `Results.ranking` gives: documents retrieved, relevant and nonrelevant ones in the qrels, the level, ranks
    #: and grades of the retrieved documents that are in the qrels, documents of the qrels by grade.
    Kept = tuple[int, int, int, int, list[int], list[int], dict[int, int]]
    Qrels = dict[str, dict[str, int]]
    Run = dict[str, dict[str, float]]
else:
    np = LazyModule("numpy")

#: Values of arguments that tools differ in, tried for measures that have the argument.
USUAL_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "p": (0.5, 0.8, 0.85, 0.9, 0.95, 0.99),
    "depth": (0,),
    "T": (1.0, 2.0, 3.0),
    "beta": (0.5, 0.25, 2**0.5, 2.0, 4.0),
    "alpha": (0.5, 0.9),
}

#: Cutoffs that a tool may have without saying so.
USUAL_CUTOFFS = (10, 100, 1000)


class Habit:
    """A variant of some measures that a tool computes under their name.

    name:     what it is called in a result
    text:     what is done, in a sentence without a full stop
    tools:    who does it
    measures: names of our records that it is a variant of
    function: value of one query's ranking, in place of the measure's
    helpers:  further functions of the rankings
    combine:  values of all queries as the qrels list them, out of the measure's, those of each helper and the number of
              negative grades in each query's qrels
    measure:  a measure of ours that the tool means instead; "{at}" is the cutoff
    by_id:    whether `combine` gets the queries by rising id instead
    whole:    value of each query, of the measure, the qrels and the run, all queries together

    Habits of the same name are one habit, of which the details may vary.
    """

    __slots__ = ("by_id", "combine", "function", "helpers", "measure", "measures", "name", "text", "tools", "whole")

    def __init__(
        self,
        name: str,
        text: str,
        tools: str,
        measures: tuple[str, ...],
        *,
        function: Callable[[Kept, Measure], float] | None = None,
        helpers: tuple[Callable[[Kept, Measure], float], ...] = (),
        combine: Callable[[Any, list[Any], Any], Any] | None = None,
        by_id: bool = False,
        measure: str = "",
        whole: Callable[[Measure, Qrels, Run], dict[str, float]] | None = None,
    ) -> None:
        self.name = name
        self.text = text
        self.tools = tools
        self.measures = measures
        self.function = function
        self.helpers = helpers
        self.combine = combine
        self.by_id = by_id
        self.measure = measure
        self.whole = whole

    def substitute(self, measure: Measure) -> Measure | None:
        """What to evaluate in place of a measure (by the field's name); None: the measure itself."""
        if self.measure:
            at = "" if measure.at is None else f"@{measure.at}"
            try:
                return parse(self.measure.replace("{at}", at))
            except TreckonError:
                return None
        return None if self.function is None else _function_measure(measure, self.function, self.name)

    def beside(self, measure: Measure) -> tuple[Measure, ...]:
        """What to evaluate beside it, for `combine`."""
        return tuple(_function_measure(measure, helper, helper.__name__) for helper in self.helpers)


def _function_measure(measure: Measure, function: Callable[[Kept, Measure], float], name: str) -> Measure:
    record = registry.MeasureRecord(
        name=f"{measure.record.name} ({name})",
        title=name,
        definition=name,
        source="",
        function=function,
        parameter_kind=Arguments(at="cutoff"),
        aggregate=MEAN,
        since=None,
    )
    return Measure(record, measure.parameters, f"{measure} ({name})", measure.at, measure.arguments)


def _hits(kept: Kept, measure: Measure) -> Iterable[tuple[int, int]]:
    """Ranks and grades of the documents of the qrels down to the cutoff."""
    ranks, grades, cutoff = kept[4], kept[5], measure.parameters.cutoff
    n = len(ranks) if cutoff is None else bisect_right(ranks, cutoff)
    return zip(ranks[:n], grades[:n], strict=True)


def _graded_rbp(kept: Kept, measure: Measure) -> float:
    """(1 - p) * sum of p^(rank - 1) * grade: may exceed 1."""
    p = float(measure.arguments.get("p", 0.8))  # type: ignore[arg-type]
    return (1.0 - p) * sum(p ** (rank - 1) * grade for rank, grade in _hits(kept, measure) if grade > 0)


def _mean_reciprocal(kept: Kept, measure: Measure) -> float:
    """The mean of 1 / rank over all relevant documents retrieved."""
    found = [1.0 / rank for rank, grade in _hits(kept, measure) if grade >= kept[3]]
    return sum(found) / len(found) if found else 0.0


def _nonrelevant_above(kept: Kept, _: Measure) -> float:
    """The sum over relevant documents, negative grades among them, of the judged nonrelevant ones above, at most R."""
    above = total = 0
    for grade in kept[5]:
        if 0 <= grade < kept[3]:
            above += 1
        else:
            total += min(above, kept[1])
    return float(total)


def _n_relevant_or_negative(kept: Kept, _: Measure) -> float:
    return float(sum(not 0 <= grade < kept[3] for grade in kept[5]))


def _gain(measure: Measure, grade: int) -> float:
    """The gain of a grade above 0."""
    kind = measure.parameters.gain
    if kind == "exp2":
        return float(2 ** min(grade, 1000) - 1)
    if isinstance(kind, tuple):
        return float(grade >= kind[1])
    return float(kind.get(grade, grade)) if isinstance(kind, dict) else float(grade)


def _ideal_of(kept: Kept, measure: Measure, grades: list[int]) -> float:
    """nDCG whose ideal ranking is made of documents with these grades alone."""
    gain_of = {grade: _gain(measure, grade) for grade in {*grades} if grade > 0}
    gains = sorted([gain_of[grade] for grade in grades if grade > 0], reverse=True)[: measure.parameters.cutoff]
    ideal = sum([gain / log2(i + 2) for i, gain in enumerate(gains)])
    found = sum([gain_of[grade] / log2(rank + 1) for rank, grade in _hits(kept, measure) if grade > 0])
    return found / ideal if ideal else 0.0


def _ideal_of_retrieved(kept: Kept, measure: Measure) -> float:
    return _ideal_of(kept, measure, kept[5])


def _ideal_of_top(kept: Kept, measure: Measure) -> float:
    return _ideal_of(kept, measure, [grade for _, grade in _hits(kept, measure)])


def _n_nonrelevant(kept: Kept, _: Measure) -> float:
    return float(kept[2])


def _n_relevant(kept: Kept, _: Measure) -> float:
    return float(kept[1])


def _zero_without(values: Any, helpers: list[Any], _: Any) -> Any:
    return values * (helpers[0] > 0.0)


def _divided_by_zero(n_parts: int) -> Callable[[Any, list[Any], Any], Any]:
    """Values of each part of the queries up to the first query without relevant documents; 0 from there on.

    NaN where relevant documents were found, and there are no judged nonrelevant ones.
    """

    def combine(values: Any, helpers: list[Any], _: Any) -> Any:
        n_relevant, n_nonrelevant = helpers
        values = np.where((n_nonrelevant == 0.0) & (values > 0.0), np.nan, values)
        before = [np.cumsum(part == 0.0) == 0 for part in np.array_split(n_relevant, n_parts)]
        return np.where(np.concatenate(before), values, 0.0)

    return combine


#: How many parts of the queries may be computed at the same time, each by a thread: as many as there are processors.
_USUAL_PARTS = (1, 2, 4, 6, 8, 12, 16)


def _bpref_of_trectools(above: Any, helpers: list[Any], n_negative: Any) -> Any:
    """bpref where a retrieved document of negative grade counts as relevant, in the qrels as nonrelevant."""
    found, n_relevant, n_nonrelevant = helpers
    worst = np.minimum(n_relevant, n_nonrelevant + n_negative)
    return np.where(worst > 0.0, found - above / np.maximum(worst, 1.0), 0.0) / np.maximum(n_relevant, 1.0)


def _rbp_of_shared_scores(measure: Measure, qrels: Qrels, run: Run) -> dict[str, float]:
    """RBP where all documents of the run with the same score, of whatever query, have the mean of their weights."""
    p = float(measure.arguments.get("p", 0.8))  # type: ignore[arg-type]
    level = 1 if measure.parameters.level is None else measure.parameters.level
    weights: dict[float, list[float]] = {}
    rankings = {}
    for query, scores in run.items():
        ranking = sorted(scores, key=lambda doc: (scores[doc], doc.encode("utf-8", "surrogateescape")), reverse=True)
        rankings[query] = ranking[: measure.parameters.cutoff]
        for i, doc in enumerate(rankings[query]):
            weights.setdefault(scores[doc], []).append((1.0 - p) * p**i)
    means = {score: sum(some) / len(some) for score, some in weights.items()}
    return {
        query: sum(means[run[query][doc]] for doc in rankings.get(query, ()) if grades.get(doc, -1) >= level)
        for query, grades in qrels.items()
    }


def _ap_of_thresholds(measure: Measure, qrels: Qrels, run: Run) -> dict[str, float]:
    """AP where documents with the same score stand at the rank of the last of them."""
    level = 1 if measure.parameters.level is None else measure.parameters.level
    values = {}
    for query, grades in qrels.items():
        scores = run.get(query, {})
        if measure.parameters.cutoff is not None:
            scores = dict(sorted(scores.items(), key=lambda item: -item[1])[: measure.parameters.cutoff])
        relevant = [docno for docno, grade in grades.items() if grade >= level]
        ordered, hits = sorted(scores.values()), sorted(scores[docno] for docno in relevant if docno in scores)
        precisions = [
            (len(hits) - bisect_left(hits, score)) / (len(ordered) - bisect_left(ordered, score)) for score in hits
        ]
        values[query] = sum(precisions) / len(relevant) if relevant else 0.0
    return values


HABITS = (
    Habit("AP graded, by R", "the precision at each rank is graded, the sum is divided by R", "cwl_eval's TrAP",
          ("AP",), measure="TrAP"),
    Habit("AP graded, of the retrieved", "the precision at each rank is graded, the sum is divided by the gain "
          "retrieved", "cwl_eval", ("AP",), measure="CWL_AP"),
    Habit("graded RR", "the gain of the first relevant document is divided by its rank", "cwl_eval", ("RR",),
          measure="CWL_RR"),
    Habit("graded P", "each document counts with its grade divided by the highest grade", "cwl_eval", ("P",),
          measure="CWL_P{at}"),
    Habit("capped", "divided by min(k, R)", "BEIR's R_cap, trec_eval's relative_P", ("R", "P"), measure="R_cap{at}"),
    Habit("recall", "divided by R", "trec_eval", ("R_cap", "P"), measure="R{at}"),
    Habit("hit rate", "1 if any relevant document was found", "ranx, BEIR", ("R", "P", "R_cap", "Hits"),
          measure="Success{at}"),
    Habit("share", "the number of relevant documents is divided by k", "trec_eval's P", ("Hits",), measure="P{at}"),
    Habit("graded, not normalised", "the gain is the grade itself, so the value may exceed 1",
          "ranx, trectools", ("RBP",), function=_graded_rbp),
    Habit("ties averaged over the whole run", "documents with the same score share the mean of their weights, those of "
          "other queries too", "trectools", ("RBP",), whole=_rbp_of_shared_scores),
    Habit("ties at the last rank", "a relevant document has the precision at the last document with its score",
          "scikit-learn", ("AP",), whole=_ap_of_thresholds),
    Habit("0 without judged nonrelevant documents", "a query without judged nonrelevant documents has the value 0",
          "ranx, trectools", ("Bpref",), helpers=(_n_nonrelevant,), combine=_zero_without),
    Habit("negative grades counted as relevant", "a retrieved document with a negative grade counts as relevant, and "
          "a query without judged nonrelevant documents has the value 0", "trectools through ir_measures",
          ("Bpref",), function=_nonrelevant_above, combine=_bpref_of_trectools,
          helpers=(_n_relevant_or_negative, _n_relevant, _n_nonrelevant)),
    *(Habit("0 from the first query without relevant documents on", "a division by zero of the first query without "
            "relevant documents makes it and all that follow in the qrels, or in its thread's share of them, 0, and "
            "before it a query without judged nonrelevant documents NaN", "ranx", ("Bpref",),
            helpers=(_n_relevant, _n_nonrelevant), combine=combine, by_id=by_id)
      for combine in map(_divided_by_zero, _USUAL_PARTS) for by_id in (False, True)),
    Habit("mean of all reciprocal ranks", "the mean of 1/rank over all relevant documents retrieved, not over the "
          "first alone", "ranklab", ("RR",), function=_mean_reciprocal),
    Habit("ideal of what was retrieved", "the ideal ranking is made of the retrieved documents alone",
          "tools that are given candidates only", ("nDCG",), function=_ideal_of_retrieved),
    Habit("ideal of the top", "the ideal ranking is made of the documents down to the cutoff alone",
          "tools that are given candidates only", ("nDCG",), function=_ideal_of_top),
)  # fmt: skip
