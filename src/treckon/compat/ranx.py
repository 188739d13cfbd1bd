"""ranx's `evaluate`: its names of measures and its arguments, by treckon's engine.

Three things are done otherwise, on purpose. Queries are paired by their ids, whatever the order of the dicts. Documents
with the same score are ordered by falling id, as trec_eval does; ``ties="input"`` leaves them as listed, as a Run of
ranx does in rankings of up to 15 documents. And bpref is trec_eval's.
"""

from __future__ import annotations

import re

from treckon.errors import ParameterError, UnknownMeasureError
from treckon.evaluation.evaluator import Evaluator
from treckon.inputs.mappings import read_qrels, read_run
from treckon.measures import registry
from treckon.naming.syntax import field_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from treckon.naming.syntax import Measure

__all__ = ["evaluate"]

# ranx's names: the measure at a cutoff, the one without, and arguments of both. Levels are `rel`.
_METRICS: dict[str, tuple[str, str, dict[str, object]]] = {
    "hits": ("Hits", "Hits", {}),
    "hit_rate": ("Success", "Success", {}),
    "precision": ("P", "SetP", {}),
    "recall": ("R", "SetR", {}),
    "f1": ("F", "SetF", {}),
    "r-precision": ("Rprec", "Rprec", {}),
    "r_precision": ("Rprec", "Rprec", {}),
    "bpref": ("Bpref", "Bpref", {}),
    "mrr": ("RR", "RR", {}),
    "map": ("AP", "AP", {}),
    "dcg": ("DCG", "DCG", {}),
    "dcg_burges": ("DCG", "DCG", {"gain": "exp2"}),
    "ndcg": ("nDCG", "nDCG", {}),
    "ndcg_burges": ("nDCG", "nDCG", {"gain": "exp2"}),
}
_TEXT = re.compile(r"(?P<name>rbp\.(?P<p>\d+)|[a-z1_]+(?:-precision)?)(?:@(?P<k>\d+))?(?:-l(?P<level>\d+))?")

_ALL_RANKS = 2**31 - 1


class _Metric:
    """A measure by one of ranx's names.

    text:    as it was requested
    measure: ours
    factor:  what its values are multiplied by
    level:   grades below it count as 0 in the qrels, where the measure has no such argument
    """

    def __init__(self, text: str, highest_grade: int) -> None:
        match = _TEXT.fullmatch(text)
        if match is None or (match["p"] is None and match["name"] not in _METRICS):
            known = ", ".join((*_METRICS, "rbp.80"))
            raise UnknownMeasureError(
                f"metrics: expected one of {known}, with @k for a cutoff and -lN for a relevance level, found {text!r}"
            )
        self.text = text
        self.factor, self.level = 1.0, 0
        k = int(match["k"] or 0) or None
        level = None if match["level"] is None else int(match["level"])
        if match["p"] is not None:
            # The sum of grades, which can be above 1; our gains are shares of the highest grade.
            self.factor, self.level = float(highest_grade), level or 0
            self.measure = _measure("RBP", k, {"p": float(f"0.{match['p']}"), "max_rel": highest_grade})
            return
        at_cutoff, without, arguments = _METRICS[match["name"]]
        if level is not None:
            arguments = {**arguments, "rel": level}
        if match["name"] == "hit_rate" and k is None:
            k = _ALL_RANKS
        self.measure = _measure(without if k is None else at_cutoff, k, arguments)


def _measure(name: str, k: int | None, arguments: Mapping[str, object]) -> Measure:
    record = registry.find_field(name)
    assert record is not None
    return field_measure(record, k, arguments)


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | Sequence[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
    **conventions: Any,
) -> Any:
    """The values of a run.

    qrels, run:  ``{query id: {document id: grade or score}}``, ranx's Qrels and Run, or anything that
                 `treckon.evaluate` takes
    metrics:     a name or several: "ndcg@10", "map-l2" (relevance level 2), "precision@5-l2", "rbp.80"
    return_mean: the mean over queries, else an array with a value for each, in the order of the qrels
    return_std:  besides the mean the standard deviation: ``{"mean": ..., "std": ...}``
    threads:     how many may be used, 0: as many as can run
    save_results_in_run: keep means and values of each query in a run that is ranx's
    make_comparable: leave out queries that aren't judged, and let judged ones that the run lacks count as 0; without
                 it both are errors
    conventions: of treckon, such as ``ties="input"``

    A float (an array) for one metric, else a dict of them by name. Raises EvaluationError where queries differ,
    NoQueriesError, UnknownMeasureError, ParameterError, InputError.
    """
    texts = [metrics] if isinstance(metrics, str) else list(metrics)
    if not texts:
        raise ParameterError("metrics: expected a name, found none")
    judgements, ranked = _as_dicts(qrels), _as_dicts(run)
    highest = 1
    if any(text.startswith("rbp") for text in texts):  # the judgements are looked at, and the run perhaps read twice
        judgements, ranked = read_qrels(judgements), read_run(ranked)
        highest = max((grade for documents in judgements.values() for grade in documents.values()), default=1)
    requested = [_Metric(text, max(highest, 1)) for text in texts]
    options = {
        "threads": threads,
        "missing": "zero" if make_comparable else "error",
        "extra": "skip" if make_comparable else "error",
        **conventions,
    }
    values: dict[str, Any] = {}
    query_ids: Sequence[str] = ()
    for level in sorted({metric.level for metric in requested}):
        of_level = [metric for metric in requested if metric.level == level]
        evaluator = Evaluator(_from_level(judgements, level), [metric.measure for metric in of_level], **options)
        evaluation = evaluator.evaluate(ranked)
        order = _order(judgements, evaluation.query_ids)
        query_ids = [evaluation.query_ids[i] for i in order]
        columns = {measure: i for i, measure in enumerate(evaluation.measures)}
        for metric in of_level:
            values[metric.text] = evaluation.values[order, columns[metric.measure]] * metric.factor
    if save_results_in_run and _is_ranx(run):
        _save(run, query_ids, values)
    returned = {text: _returned(values[text], return_mean, return_std) for text in texts}
    return returned if len(texts) > 1 else returned[texts[0]]


def _is_ranx(data: Any) -> bool:
    """Whether it is a Qrels or Run of ranx's own."""
    return type(data).__module__.partition(".")[0] == "ranx"


def _as_dicts(data: Any) -> Any:
    """ranx's own objects as dicts."""
    return data.to_dict() if _is_ranx(data) else data


def _from_level(judgements: Any, level: int) -> Any:
    """The judgements, dicts, with 0 for grades below a level."""
    if level == 0:
        return judgements
    return {
        query_id: {document: grade if grade >= level else min(grade, 0) for document, grade in documents.items()}
        for query_id, documents in judgements.items()
    }


def _order(judgements: Any, query_ids: Sequence[str]) -> list[int]:
    """The rows of queries in the order of a mapping of judgements."""
    if not hasattr(judgements, "items"):
        return list(range(len(query_ids)))
    places = {str(query_id): place for place, query_id in enumerate(judgements)}
    return sorted(range(len(query_ids)), key=lambda i: places.get(query_ids[i], 0))


def _returned(values: Any, return_mean: bool, return_std: bool) -> Any:
    if not return_mean:
        return values
    mean = float(values.mean())
    return {"mean": mean, "std": float(values.std())} if return_std else mean


def _save(run: Any, query_ids: Sequence[str], values: Mapping[str, Any]) -> None:
    for text, column in values.items():
        run.mean_scores[text] = float(column.mean())
        run.std_scores[text] = float(column.std())
        run.scores[text] = dict(zip(query_ids, column.tolist(), strict=True))
