"""MTEB's calls for retrieval: `calculate_retrieval_scores` and the functions beside it.

The same arguments, keys and digits. As there, nDCG, MAP, recall, precision and hit rate compare scores as 32-bit
numbers, as trec_eval 9.0.8 does, all others compare 64 bits; tied documents are ordered by falling id. What is passed
in stays as it is.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from math import fsum
from typing import NamedTuple

from treckon.compat.beir import checked_cutoffs, values_of
from treckon.errors import EvaluationError, InputError, NoQueriesError, ParameterError
from treckon.evaluation.evaluator import Evaluator
from treckon.inputs.values import keyed
from treckon.releases import RELEASE_9

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    import numpy as np

    Qrels = Mapping[str, Mapping[str, int]]
    Results = Mapping[str, Mapping[str, float]]
    ByQuery = dict[str, list[float]]
    Means = dict[str, float]

__all__ = [
    "RetrievalScores",
    "calculate_pmrr",
    "calculate_retrieval_scores",
    "confidence_scores",
    "evaluate_abstention",
    "evaluate_p_mrr_change",
    "get_rank_from_dict",
    "hole",
    "make_score_dict",
    "max_over_subqueries",
    "mrr",
    "nauc",
    "paired_accuracy",
    "parse_metrics_from_scores",
    "rank_score",
    "recall_cap",
    "robustness_at_10",
    "top_k_accuracy",
]

logger = logging.getLogger(__name__)

# The keys of means, and what the same is called in the values of each query.
_MAIN = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
_OF_QUERIES = ("P", "recall", "ndcg_cut", "map_cut", "success")
_DECIMALS = 5

#: Shares of queries that are left out where a model abstains: these numbers to the last bit.
ABSTENTION_RATES = tuple(i * 0.1 for i in range(10))


class RetrievalScores(NamedTuple):
    """What `calculate_retrieval_scores` returns.

    all_scores: ``{query id: {"ndcg_cut_10": value}}``
    ndcg, map, recall, precision, mrr, hit_rate: means, ``{"NDCG@10": value}``
    naucs, naucs_mrr: of abstention, ``{"nAUC_NDCG@10_max": value}``
    """

    all_scores: dict[str, dict[str, float]]
    ndcg: dict[str, float]
    map: dict[str, float]
    recall: dict[str, float]
    precision: dict[str, float]
    naucs: dict[str, float]
    mrr: dict[str, float]
    naucs_mrr: dict[str, float]
    hit_rate: dict[str, float]


def calculate_retrieval_scores(
    results: Results, qrels: Qrels, k_values: Iterable[int], skip_first_result: bool = False
) -> RetrievalScores:
    """All of MTEB's retrieval measures.

    results:  ``{query id: {document id: score}}``
    qrels:    ``{query id: {document id: grade}}``
    k_values: cutoffs
    skip_first_result: leave out the first document of each ranking

    Raises NoQueriesError where no judged query has results, InputError and TypeError for ids, grades and scores that
    can't be read, ParameterError for cutoffs.
    """
    qrels, results = keyed(qrels, "qrels"), keyed(results, "results")
    cutoffs = checked_cutoffs(k_values)
    counted = {query_id: documents for query_id, documents in results.items() if qrels.get(query_id)}
    if not counted:
        raise NoQueriesError("results: expected a query of the qrels, found none")
    if skip_first_result:
        counted = {query_id: _without_first(documents) for query_id, documents in counted.items()}
    names = [f"{name}_{k}" for name in _OF_QUERIES for k in sorted(cutoffs)]
    values = values_of(Evaluator(qrels, names, compat=RELEASE_9).evaluate(counted), counted).tolist()
    all_scores = {query_id: dict(zip(names, row, strict=True)) for query_id, row in zip(counted, values, strict=True)}
    ndcg, map_, recall, precision, *lists, hit_rate = parse_metrics_from_scores(all_scores, cutoffs)
    reciprocal = mrr(qrels, counted, cutoffs)
    return RetrievalScores(
        all_scores,
        ndcg,
        map_,
        recall,
        precision,
        naucs=evaluate_abstention(counted, {key: values for some in lists for key, values in some.items()}),
        mrr={key: sum(values) / len(values) for key, values in reciprocal.items()},
        naucs_mrr=evaluate_abstention(counted, reciprocal),
        hit_rate=hit_rate,
    )


def _without_first(documents: Mapping[str, float]) -> dict[str, float]:
    """Without the document of the highest score; of several, the one that is listed first."""
    first = max(documents, key=documents.__getitem__, default=None)
    return {document: score for document, score in documents.items() if document != first}


def parse_metrics_from_scores(
    scores: Mapping[str, Mapping[str, float]], k_values: Iterable[int]
) -> tuple[Means, Means, Means, Means, ByQuery, ByQuery, ByQuery, ByQuery, Means]:
    """The means of nDCG, MAP, recall and precision, their lists of values, and the means of hit rate.

    scores:   ``{query id: {"ndcg_cut_10": value}}``, as `calculate_retrieval_scores` has in `all_scores`
    k_values: cutoffs

    Means are rounded to five decimals: ``{"NDCG@10": value}``. Raises NoQueriesError for no scores, InputError for a
    query without one of the values.
    """
    if not scores:
        raise NoQueriesError("scores: expected a query, found none")
    cutoffs = checked_cutoffs(k_values)

    def lists(key: str, name: str) -> ByQuery:
        return {
            f"{key}@{k}": [_value(row, f"{name}_{k}", query_id) for query_id, row in scores.items()] for k in cutoffs
        }

    def means(of_queries: ByQuery) -> Means:
        return {key: round(sum(values) / len(values), _DECIMALS) for key, values in of_queries.items()}

    ndcg, map_, recall, precision = (lists(key, name) for key, name in _MAIN.items())
    return (
        means(ndcg),
        means(map_),
        means(recall),
        means(precision),
        ndcg,
        map_,
        recall,
        precision,
        means(lists("HitRate", "success")),
    )


def mrr(qrels: Qrels, results: Results, k_values: Iterable[int]) -> ByQuery:
    """Reciprocal ranks of the judged queries, in the order of the results: ``{"MRR@10": [value, ...]}``."""
    qrels, results = keyed(qrels, "qrels"), keyed(results, "results")
    return _lists(qrels, _judged(results, qrels), k_values, "MRR@", "RR")


def recall_cap(qrels: Qrels, results: Results, k_values: Iterable[int]) -> dict[str, list[float | None]]:
    """Relevant documents found over the smaller of the cutoff and all relevant ones: ``{"R_cap_at_10": [value, ...]}``.

    None for a query without a relevant document.
    """
    qrels, results = keyed(qrels, "qrels"), keyed(results, "results")
    judged = _judged(results, qrels)
    lists = _lists(qrels, judged, k_values, "R_cap_at_", "R_cap")
    has_relevant = [any(grade > 0 for grade in qrels[query_id].values()) for query_id in judged]
    return {
        key: [value if has else None for value, has in zip(values, has_relevant, strict=True)]
        for key, values in lists.items()
    }


def hole(qrels: Qrels, results: Results, k_values: Iterable[int]) -> ByQuery:
    """Shares of documents that are in no query's qrels: ``{"Hole_at_10": [value, ...]}``.

    Of all queries of the results, judged or not.
    """
    qrels, results = keyed(qrels, "qrels"), keyed(results, "results")
    return _lists({**dict.fromkeys(results, {}), **qrels}, results, k_values, "Hole_at_", "Hole")


def top_k_accuracy(qrels: Qrels, results: Results, k_values: Iterable[int]) -> ByQuery:
    """1 for each judged query with a relevant document among the first k, else 0: ``{"Accuracy@10": [value, ...]}``."""
    qrels, results = keyed(qrels, "qrels"), keyed(results, "results")
    return _lists(qrels, _judged(results, qrels), k_values, "Accuracy@", "Success")


def _judged(results: Results, qrels: Qrels) -> dict[str, Mapping[str, float]]:
    """The results of the queries that are judged, be it without a document. Results must have one, or be empty."""
    judged = {query_id: documents for query_id, documents in results.items() if query_id in qrels}
    if results and not judged:
        raise NoQueriesError("results: expected a query of the qrels, found none")
    return judged


def _lists(qrels: Qrels, results: Results, k_values: Iterable[int], key: str, measure: str) -> ByQuery:
    """The values of a measure at each cutoff, of each query of these results."""
    cutoffs = checked_cutoffs(k_values)
    if not results:
        return {f"{key}{k}": [] for k in cutoffs}
    evaluation = Evaluator(qrels, [f"{measure}@{k}" for k in cutoffs]).evaluate(results)
    columns = values_of(evaluation, results).T.tolist()
    return {f"{key}{k}": column for k, column in zip(cutoffs, columns, strict=True)}


def make_score_dict(
    ndcg: Mapping[str, Any],
    _map: Mapping[str, Any],
    recall: Mapping[str, Any],
    precision: Mapping[str, Any],
    mrr: Mapping[str, Any],
    naucs: Mapping[str, Any],
    naucs_mrr: Mapping[str, Any],
    hit_rate: Mapping[str, Any],
    task_scores: Mapping[str, Any] | None = None,
    previous_results_model_meta: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """All means under MTEB's names: ``{"ndcg_at_10": value, "nauc_ndcg_at_10_max": value}``; values as they are.

    "accuracy" is the recall at 1, where that is there. `task_scores` and, if given, `previous_results_model_meta` come
    after them.
    """
    found: dict[str, Any] = {}
    named = {"ndcg": ndcg, "map": _map, "recall": recall, "precision": precision, "mrr": mrr}
    for name, values in named.items():
        found.update((f"{name}_at_{key.split('@')[1]}", value) for key, value in values.items())
        if name == "recall" and "Recall@1" in recall:
            found["accuracy"] = recall["Recall@1"]
    for values in (naucs, naucs_mrr):
        for key, value in values.items():
            found[key.replace("@", "_at_").replace("_P_", "_precision_").lower()] = value
    found.update((f"hit_rate_at_{key.split('@')[1]}", value) for key, value in hit_rate.items())
    found.update(task_scores or {})
    if previous_results_model_meta is not None:
        found["previous_results_model_meta"] = previous_results_model_meta
    return found


# Abstention


def confidence_scores(sim_scores: Iterable[float]) -> dict[str, float]:
    """How sure a ranking is of itself, by its scores: their maximum, standard deviation, and first difference.

    ``{"max": ..., "std": ..., "diff1": ...}``; diff1 is 0 for a single score, all are 0 for none.
    """
    import numpy

    scores = list(sim_scores)
    if not scores:
        return {"max": 0.0, "std": 0.0, "diff1": 0.0}
    rising = sorted(scores)
    difference = rising[-1] - rising[-2] if len(rising) > 1 else 0.0
    return {"max": rising[-1], "std": float(numpy.std(scores)), "diff1": difference}


def nauc(
    conf_scores: Sequence[float], metrics: Sequence[float], abstention_rates: Sequence[float] = ABSTENTION_RATES
) -> float:
    """How well confidences tell good rankings from bad ones: normalised area under the abstention curve.

    conf_scores: a confidence for each query
    metrics:     a measure's value for each query
    abstention_rates: rising shares of queries to leave out, the least confident first, at least one of which is kept

    The area under the mean of the values that are kept, over the rates, less the area without abstention; divided by
    the same for the best confidences there are, the values themselves. Of queries that are equally confident each
    counts with their mean. NaN where abstention can't change anything.
    After Gisserot-Boukhlef et al., Towards Trustworthy Reranking: A Simple yet Effective Abstention Mechanism, 2024.
    Raises EvaluationError where the lists are empty or of different lengths, ParameterError for fewer than two rates.
    """
    import numpy

    values, confidences, rates = (numpy.asarray(one, float) for one in (metrics, conf_scores, abstention_rates))
    if not len(values) or len(values) != len(confidences):
        raise EvaluationError(f"expected a confidence for each value, found {len(confidences)} and {len(values)}")
    if len(rates) < 2:
        raise ParameterError(f"abstention_rates: expected at least two, found {len(rates)}")
    if values.min() == values.max():
        return float("nan")
    kept, best = _abstention_curve(confidences, values, rates), _abstention_curve(values, values, rates)
    flat = float(best[0] * (rates[-1] - rates[0]))
    if (greatest := _area(best, rates)) == flat:
        return float("nan")
    return (_area(kept, rates) - flat) / (greatest - flat)


def _abstention_curve(confidences: np.ndarray, values: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """The mean of the values that are kept at each rate. Digits depend on how it is added up: as MTEB does it."""
    import numpy

    order = confidences.argsort(kind="stable")
    _, starts, sizes = numpy.unique(confidences[order], return_index=True, return_counts=True)
    rising = numpy.repeat(numpy.add.reduceat(values[order], starts) / sizes, sizes)
    n = len(rising)
    return numpy.array([rising[min(round(rate * n), n - 1) :].mean() for rate in rates.tolist()])


def _area(curve: np.ndarray, rates: np.ndarray) -> float:
    """By trapezoids."""
    return float(((rates[1:] - rates[:-1]) * (curve[1:] + curve[:-1]) / 2).sum())


def evaluate_abstention(results: Results, metric_scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """`nauc` of each measure with each of `confidence_scores`: ``{"nAUC_NDCG@10_max": value}``.

    results:       ``{query id: {document id: score}}``; a query without documents has confidences of 0
    metric_scores: a measure's value for each query of the results, in their order
    """
    confidences: defaultdict[str, list[float]] = defaultdict(list)
    for documents in keyed(results, "results").values():
        for name, value in confidence_scores(documents.values()).items():
            confidences[name].append(value)
    return {
        f"nAUC_{metric}_{name}": nauc(confidence, values)
        for metric, values in metric_scores.items()
        for name, confidence in confidences.items()
    }


# Instructions


def calculate_pmrr(original_run: Results, new_run: Results, changed_qrels: Mapping[str, Iterable[str]]) -> float:
    """p-MRR: how far documents move that a changed instruction makes irrelevant, from -1 to 1.

    original_run, new_run: ``{query id: {document id: score}}``, for the original and for the changed instruction, the
                   ids ending in -og and in -changed
    changed_qrels: ``{query id: documents that are no longer relevant}``, the ids without these ends

    The mean of `rank_score` over documents, then over queries; one that a run lacks is left out, with a warning in the
    log. After Weller et al., FollowIR, 2024. Raises NoQueriesError where no query is left that has documents.
    """
    original_run, new_run = keyed(original_run, "original_run"), keyed(new_run, "new_run")
    by_query = []
    for query_id, changed in changed_qrels.items():
        if f"{query_id}-og" not in original_run or f"{query_id}-changed" not in new_run:
            logger.warning("query %s is left out of p-MRR: a run lacks it", query_id)
            continue
        ranks = {
            "og_rank": _ranks(original_run[f"{query_id}-og"]),
            "new_rank": _ranks(new_run[f"{query_id}-changed"]),
        }
        moves = [
            rank_score({name: of.get(document, len(of) + 1) for name, of in ranks.items()}) for document in changed
        ]
        if moves:
            by_query.append(fsum(moves) / len(moves))
    if not by_query:
        raise NoQueriesError("changed_qrels: expected a query of both runs with documents, found none")
    return fsum(by_query) / len(by_query)


def rank_score(x: Mapping[str, int]) -> float:
    """How far a document moved: ``{"og_rank": 1, "new_rank": 3}`` has 2/3.

    1 - r / r' where it sank from rank r to r', r' / r - 1 where it rose or stayed.
    """
    before, after = 1 / x["og_rank"], 1 / x["new_rank"]  # as MTEB does it: 1 - 3 / 5 has another last digit
    return 1 - after / before if before > after else before / after - 1


def get_rank_from_dict(dict_of_results: Mapping[str, float], doc_id: str) -> tuple[int, float]:
    """The rank and the score of a document in ``{document id: score}``; behind the last, and 0, if it isn't there."""
    return _ranks(dict_of_results).get(doc_id, len(dict_of_results) + 1), dict_of_results.get(doc_id, 0)


def _ranks(documents: Mapping[str, float]) -> dict[str, int]:
    """By falling score, then falling id."""
    falling = sorted(documents, key=lambda document: (documents[document], document), reverse=True)
    return {document: rank for rank, document in enumerate(falling, 1)}


def evaluate_p_mrr_change(
    qrels: Qrels, results: Results, changed_qrels: Mapping[str, Iterable[str]], k_values: Iterable[int]
) -> dict[str, Any]:
    """p-MRR, and the retrieval measures for the original and the changed instructions.

    qrels, results: of queries whose ids end in -og and -changed

    ``{"p-MRR": value, "og": {"ndcg_at_10": ...}, "changed": {...}}``. Raises as `calculate_pmrr` and
    `calculate_retrieval_scores` do.
    """
    qrels, results = keyed(qrels, "qrels"), keyed(results, "results")
    cutoffs = checked_cutoffs(k_values)
    found: dict[str, Any] = {}
    runs = {name: {one: results[one] for one in results if one.endswith(f"-{name}")} for name in ("og", "changed")}
    found["p-MRR"] = calculate_pmrr(runs["og"], runs["changed"], changed_qrels)
    for name, run in runs.items():
        of_group = {query_id: documents for query_id, documents in qrels.items() if query_id.endswith(f"-{name}")}
        found[name] = _score_dict(calculate_retrieval_scores(run, of_group, cutoffs))
    return found


def robustness_at_10(qrels: Qrels, results: Results, scores: Mapping[str, Mapping[str, float]]) -> float:
    """The mean over groups of judged queries of the lowest nDCG@10 in the group.

    scores: ``{query id: {"ndcg_cut_10": value}}``, as `calculate_retrieval_scores` has in `all_scores`

    Queries of one group ask the same in other words: their ids are alike up to the first underscore. (`results` is
    MTEB's argument and not needed.) Raises NoQueriesError for no qrels, InputError for a query without its score.
    """
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for query_id in qrels:
        groups[query_id.partition("_")[0]].append(_value(scores.get(query_id, {}), "ndcg_cut_10", query_id))
    if not groups:
        raise NoQueriesError("qrels: expected a query, found none")
    return sum(map(min, groups.values())) / len(groups)


def paired_accuracy(qrels: Qrels, results: Results, scores: Mapping[str, Mapping[str, float]]) -> float:
    """The share of pairs of judged queries, ids X_q1 and X_q2, that both have a recall of 1 at the first rank.

    scores: ``{query id: {"recall_1": value}}``, as `calculate_retrieval_scores` has in `all_scores`

    X is what comes before the first underscore. (`results` is MTEB's argument and not needed.) Raises NoQueriesError
    for no qrels, InputError for a query without its score.
    """
    pairs = dict.fromkeys(query_id.partition("_")[0] for query_id in qrels)
    if not pairs:
        raise NoQueriesError("qrels: expected a pair of queries, found none")
    n_right = 0
    for pair in pairs:
        recalls = [_value(scores.get(one, {}), "recall_1", one) for one in (f"{pair}_q1", f"{pair}_q2")]
        n_right += recalls == [1.0, 1.0]
    return n_right / len(pairs)


def max_over_subqueries(qrels: Qrels, results: Results, k_values: Iterable[int]) -> dict[str, Any]:
    """The retrieval measures of queries whose subqueries are merged: ``{"max_over_subqueries_ndcg_at_10": value}``.

    qrels, results: of subqueries; those whose ids are alike up to the last underscore are of one query

    A document's score is the highest that it has for one of the subqueries. The judgements of a query are those of its
    last subquery. Subqueries without results are left out. Raises as `calculate_retrieval_scores` does.
    """
    qrels, results = keyed(qrels, "qrels"), keyed(results, "results")
    judgements: dict[str, Mapping[str, int]] = {}
    merged: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for query_id, judged in qrels.items():
        if query_id in results:
            query = query_id.rpartition("_")[0]
            judgements[query] = judged
            for document, score in results[query_id].items():
                merged[query][document] = max(merged[query].get(document, score), score)
    scores = calculate_retrieval_scores(merged, judgements, k_values)
    return {f"max_over_subqueries_{key}": value for key, value in _score_dict(scores).items()}


def _score_dict(scores: RetrievalScores) -> dict[str, Any]:
    return make_score_dict(*scores[1:5], scores.mrr, scores.naucs, scores.naucs_mrr, scores.hit_rate)


def _value(row: Mapping[str, float], key: str, query_id: str) -> float:
    if key not in row:
        raise InputError(f"scores: query {query_id!r}", f"expected a value of {key}, found {', '.join(row) or 'none'}")
    return row[key]
