"""BEIR's calls: `evaluate`, `evaluate_custom`, and `EvaluateRetrieval` with both.

The same arguments, keys and roundings. All measures see one ranking: that of trec_eval 9.0.8, which BEIR's main
measures see (scores as 32-bit numbers, tied documents by falling id). What is passed in stays as it is.
"""

from __future__ import annotations

import logging
from typing import NamedTuple

from treckon.errors import EvaluationError, NoQueriesError, ParameterError, UnknownMeasureError
from treckon.evaluator import Evaluator
from treckon.whole_numbers import whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Qrels = Mapping[str, Mapping[str, int]]
    Results = Mapping[str, Mapping[str, float]]

__all__ = ["EvaluateRetrieval", "Scores", "evaluate", "evaluate_custom"]

logger = logging.getLogger(__name__)

K_VALUES = (1, 3, 5, 10, 100, 1000)

# BEIR's keys, and the measures that they are.
_MAIN = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P"}
_CUSTOM = {"MRR": "RR", "R_cap": "R_cap", "Hole": "Hole", "Accuracy": "Success"}
_CUSTOM_NAMES = {
    "mrr": "MRR", "mrr@k": "MRR", "mrr_cut": "MRR",
    "recall_cap": "R_cap", "r_cap": "R_cap", "r_cap@k": "R_cap",
    "hole": "Hole", "hole@k": "Hole",
    "acc": "Accuracy", "top_k_acc": "Accuracy", "accuracy": "Accuracy", "accuracy@k": "Accuracy",
    "top_k_accuracy": "Accuracy",
}  # fmt: skip


class _FourScores(NamedTuple):
    ndcg: dict[str, float]
    map: dict[str, float]
    recall: dict[str, float]
    precision: dict[str, float]


class Scores(_FourScores):
    """What `evaluate` returns: ``ndcg, _map, recall, precision = evaluate(...)``, each ``{"NDCG@10": value}``.

    n_removed: how many documents were left out because their id is the query's
    """

    n_removed: int = 0


def evaluate(
    qrels: Qrels,
    results: Results,
    k_values: Iterable[int],
    ignore_identical_ids: bool = False,
    *,
    compat: str = "9.0.8",
) -> Scores:
    """nDCG, MAP, recall and precision at each cutoff, rounded to five decimals.

    qrels:    ``{query id: {document id: grade}}``
    results:  ``{query id: {document id: score}}``
    k_values: cutoffs
    ignore_identical_ids: leave out documents whose id is the query's (BEIR's own default). How many these were is in
              the result's `n_removed`, and logged; a warning is logged where some are left in
    compat:   "9.0.8" as BEIR, "10.0" compares scores as 64-bit numbers

    The mean is over the queries that are judged and have results. Raises NoQueriesError where there is none, InputError
    for ids and scores that can't be read, ParameterError for cutoffs.
    """
    cutoffs = checked_cutoffs(k_values)
    names = [f"{name}@{k}" for name in _MAIN.values() for k in cutoffs]
    judged = {query_id: documents for query_id, documents in qrels.items() if documents}
    evaluation = Evaluator(judged, names, compat=compat, ignore_self=ignore_identical_ids).evaluate(results)
    scores = Scores(
        *({f"{key}@{k}": round(float(evaluation[f"{name}@{k}"]), 5) for k in cutoffs} for key, name in _MAIN.items())
    )
    if ignore_identical_ids:
        scores.n_removed = evaluation.counts["own_documents"]
        if scores.n_removed:
            logger.info("%d documents were left out, whose ids are those of their queries", scores.n_removed)
    elif n_identical := sum(one in results.get(one, ()) for one in evaluation.query_ids):
        logger.warning(
            "%d documents have the ids of their queries and count; ignore_identical_ids=True leaves them out",
            n_identical,
        )
    return scores


def evaluate_custom(
    qrels: Qrels, results: Results, k_values: Iterable[int], metric: str, *, compat: str = "9.0.8"
) -> dict[str, float]:
    """One further measure at each cutoff, rounded to five decimals: ``{"MRR@10": value}``.

    metric: "mrr" (reciprocal rank), "recall_cap" (relevant documents found over the smaller of the cutoff and all),
            "hole" (the share of documents that are in no query's qrels), "accuracy" (whether a relevant document is
            found), or another of BEIR's names for these
    The other arguments are those of `evaluate`.

    The mean is over all judged queries; one without results, or without a relevant document, has 0. Raises
    UnknownMeasureError for another metric, and as `evaluate` does.
    """
    key = _CUSTOM_NAMES.get(metric.lower())
    if key is None:
        raise UnknownMeasureError(f"metric: expected one of {', '.join(_CUSTOM_NAMES)}, found {metric!r}")
    if not qrels:
        raise NoQueriesError("qrels: expected a query, found none")
    cutoffs = checked_cutoffs(k_values)
    names = [f"{_CUSTOM[key]}@{k}" for k in cutoffs]
    evaluation = Evaluator(qrels, names, compat=compat, missing="zero").evaluate(results)
    return {f"{key}@{k}": round(float(evaluation[name]), 5) for k, name in zip(cutoffs, names, strict=True)}


def checked_cutoffs(k_values: Iterable[int]) -> tuple[int, ...]:
    """The cutoffs, whole numbers from 1, each once. Raises ParameterError."""
    cutoffs = tuple(k_values)
    if not cutoffs:
        raise ParameterError("k_values: expected cutoffs, found none")
    for k in cutoffs:
        if (whole_number(k) or 0) < 1:
            raise ParameterError(f"k_values: expected whole numbers from 1, found {k!r}")
    return tuple(dict.fromkeys(map(int, cutoffs)))


class EvaluateRetrieval:
    """BEIR's class: a retriever with cutoffs, and the evaluation as static methods.

    retriever:      an object with ``search(corpus, queries, top_k, score_function)``, or None
    k_values:       cutoffs; the greatest is how many documents are retrieved
    score_function: what the retriever compares by
    """

    def __init__(
        self, retriever: Any = None, k_values: Sequence[int] = K_VALUES, score_function: str | None = "cos_sim"
    ) -> None:
        self.k_values = list(checked_cutoffs(k_values))
        self.top_k = max(self.k_values)
        self.retriever = retriever
        self.score_function = score_function

    def retrieve(self, corpus: Any, queries: Any, **options: Any) -> Any:
        """What the retriever finds. Raises EvaluationError where there is none."""
        if self.retriever is None:
            raise EvaluationError("retriever: expected one to retrieve with, found None")
        return self.retriever.search(corpus, queries, self.top_k, self.score_function, **options)

    evaluate = staticmethod(evaluate)
    evaluate_custom = staticmethod(evaluate_custom)
