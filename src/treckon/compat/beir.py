"""BEIR's calls: `evaluate`, `evaluate_custom`, the measures of the latter by name, and the class `EvaluateRetrieval`.

The same arguments, keys, digits and lines of the log. As there, the two see different rankings: `evaluate` compares
scores as 32-bit numbers and orders tied documents by falling id (trec_eval 9.0.8), the others compare 64 bits and
leave tied documents as listed. What is passed in stays as it is.
"""

from __future__ import annotations

import logging
from typing import NamedTuple

from treckon._native.conversion import id_bytes, id_text
from treckon.checks import whole_number
from treckon.errors import EvaluationError, NoQueriesError, ParameterError, UnknownMeasureError
from treckon.evaluation.evaluator import Evaluator
from treckon.inputs.values import keyed
from treckon.releases import RELEASE_9

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    import numpy as np

    from treckon.evaluation.results import Evaluation

    Qrels = Mapping[str, Mapping[str, int]]
    Results = Mapping[str, Mapping[str, float]]

__all__ = [
    "EvaluateRetrieval",
    "Scores",
    "evaluate",
    "evaluate_custom",
    "hole",
    "mrr",
    "recall_cap",
    "top_k_accuracy",
]

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
    ignore_identical_ids: bool = True,
    *,
    compat: str = RELEASE_9,
) -> Scores:
    """nDCG, MAP, recall and precision at each cutoff, rounded to five decimals.

    qrels:    ``{query id: {document id: grade}}``
    results:  ``{query id: {document id: score}}``
    k_values: cutoffs
    ignore_identical_ids: leave out documents whose id is the query's; how many these were is in the result's
              `n_removed`, and logged
    compat:   "9.0.8" as BEIR, "10.0" compares scores as 64-bit numbers

    The mean is over the queries that are judged and have results. Raises NoQueriesError where there is none, InputError
    for ids and scores that can't be read, ParameterError for cutoffs.
    """
    qrels, results = keyed(qrels, "qrels"), keyed(results, "results")
    cutoffs = checked_cutoffs(k_values)
    names = [f"{name}@{k}" for name in _MAIN.values() for k in cutoffs]
    judged = {query_id: documents for query_id, documents in qrels.items() if documents}
    evaluation = Evaluator(judged, names, compat=compat, ignore_self=ignore_identical_ids).evaluate(results)
    n_removed = evaluation.counts.own_documents or 0
    if n_removed:
        logger.info("%d documents were left out, whose ids are those of their queries", n_removed)
    values = values_of(evaluation, results)
    means = iter(_rounded_means(values, len(values)))
    scores = Scores(*({f"{key}@{k}": next(means) for k in cutoffs} for key in _MAIN))
    scores.n_removed = n_removed
    for measure in scores:
        _log(measure)
    return scores


def evaluate_custom(
    qrels: Qrels, results: Results, k_values: Iterable[int], metric: str, ignore_identical_ids: bool = False
) -> dict[str, float]:
    """One further measure at each cutoff, rounded to five decimals: ``{"MRR@10": value}``.

    metric: "mrr" (reciprocal rank), "recall_cap" (relevant documents found over the smaller of the cutoff and all),
            "hole" (the share of documents that are in no query's qrels), "accuracy" (whether a relevant document is
            found), or another of BEIR's names for these
    ignore_identical_ids: leave out documents whose id is the query's, as in BEIR an `evaluate` of the same results does
            to all calls after it
    The other arguments are those of `evaluate`.

    The sum over all queries with results is divided by the number of judged queries; a query without results, or
    without a relevant document, has 0. Queries that are not judged count in holes alone. Raises UnknownMeasureError for
    another metric, and as `evaluate` does.
    """
    key = _CUSTOM_NAMES.get(metric.lower())
    if key is None:
        raise UnknownMeasureError(f"metric: expected one of {', '.join(_CUSTOM_NAMES)}, found {metric!r}")
    qrels, results = keyed(qrels, "qrels"), keyed(results, "results")
    if not qrels:
        raise NoQueriesError("qrels: expected a query, found none")
    cutoffs = checked_cutoffs(k_values)
    means = dict.fromkeys((f"{key}@{k}" for k in cutoffs), 0.0)
    if results:
        names = [f"{_CUSTOM[key]}@{k}" for k in cutoffs]
        everyone = {**dict.fromkeys(results, {}), **qrels}
        evaluation = Evaluator(everyone, names, ties="input", ignore_self=ignore_identical_ids).evaluate(results)
        means = dict(zip(means, _rounded_means(values_of(evaluation, results), len(qrels)), strict=True))
    _log(means)
    return means


def mrr(qrels: Qrels, results: Results, k_values: Iterable[int]) -> dict[str, float]:
    """`evaluate_custom` with "mrr"."""
    return evaluate_custom(qrels, results, k_values, "mrr")


def recall_cap(qrels: Qrels, results: Results, k_values: Iterable[int]) -> dict[str, float]:
    """`evaluate_custom` with "recall_cap"."""
    return evaluate_custom(qrels, results, k_values, "recall_cap")


def hole(qrels: Qrels, results: Results, k_values: Iterable[int]) -> dict[str, float]:
    """`evaluate_custom` with "hole"."""
    return evaluate_custom(qrels, results, k_values, "hole")


def top_k_accuracy(qrels: Qrels, results: Results, k_values: Iterable[int]) -> dict[str, float]:
    """`evaluate_custom` with "top_k_accuracy"."""
    return evaluate_custom(qrels, results, k_values, "top_k_accuracy")


def values_of(evaluation: Evaluation, query_ids: Iterable[str]) -> np.ndarray:
    """The values of an evaluation, a row for each of these queries that it has, in their order."""
    row_of = {query_id: row for row, query_id in enumerate(evaluation.query_ids)}
    rows = [row_of.get(id_text(id_bytes(query_id, "results"))) for query_id in query_ids]  # ids may be numbers
    return evaluation.values[[row for row in rows if row is not None]]


def _rounded_means(values: np.ndarray, n_queries: int) -> list[float]:
    """Of each column. Its values are added one by one, as BEIR does: another sum could round to another digit."""
    return [round(total / n_queries, 5) for total in values.cumsum(axis=0)[-1].tolist()]


def _log(measure: Mapping[str, float]) -> None:
    for key, value in measure.items():
        logger.info("%s: %.4f", key, value)


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
