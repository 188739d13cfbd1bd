"""MTEB's calls for retrieval: `calculate_retrieval_scores` and the functions beside it.

The same arguments and keys; values and means are rounded to five decimals where MTEB rounds. All measures see one
ranking: that of trec_eval 9.0.8 (scores as 32-bit numbers, tied documents by falling id), and all are over the queries
that are judged and have results. What is passed in stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from math import isclose
from typing import NamedTuple

from treckon.compat.beir import checked_cutoffs
from treckon.compat.pytrec_eval import RelevanceEvaluator
from treckon.errors import EvaluationError, InputError, NoQueriesError
from treckon.evaluator import Evaluator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Qrels = Mapping[str, Mapping[str, int]]
    Results = Mapping[str, Mapping[str, float]]
    ByQuery = dict[str, list[float]]

__all__ = [
    "RetrievalScores",
    "calculate_pmrr",
    "calculate_retrieval_scores",
    "confidence_scores",
    "evaluate_abstention",
    "evaluate_p_mrr_change",
    "hole",
    "make_score_dict",
    "mrr",
    "nauc",
    "paired_accuracy",
    "recall_cap",
    "robustness_at_10",
    "top_k_accuracy",
]

# The keys of means, and what the same is called in the values of each query.
_MAIN = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
_DECIMALS = 5

#: Shares of queries that are left out where a model abstains.
ABSTENTION_RATES = tuple(i / 10 for i in range(10))


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
    cutoffs = checked_cutoffs(k_values)
    counted = _counted(results, qrels, skip_first_result)
    listed = ",".join(map(str, cutoffs))
    evaluator = RelevanceEvaluator(qrels, [f"{name}.{listed}" for name in _MAIN.values()])
    all_scores = evaluator.evaluate(counted)
    lists = {
        f"{key}@{k}": [row[f"{name}_{k}"] for row in all_scores.values()]
        for key, name in _MAIN.items()
        for k in cutoffs
    }
    reciprocal, hits = _lists(qrels, counted, cutoffs, MRR="RR", HitRate="Success")
    ndcg, map_, recall, precision = ({f"{key}@{k}": _mean(lists[f"{key}@{k}"]) for k in cutoffs} for key in _MAIN)
    return RetrievalScores(
        all_scores,
        ndcg,
        map_,
        recall,
        precision,
        naucs=evaluate_abstention(counted, lists),
        mrr={key: _mean(values) for key, values in reciprocal.items()},
        naucs_mrr=evaluate_abstention(counted, reciprocal),
        hit_rate={key: _mean(values) for key, values in hits.items()},
    )


def mrr(qrels: Qrels, results: Results, k_values: Iterable[int]) -> ByQuery:
    """Reciprocal ranks of the queries that count, in the order of the results: ``{"MRR@10": [value, ...]}``."""
    return _lists(qrels, _counted(results, qrels), checked_cutoffs(k_values), MRR="RR")[0]


def recall_cap(qrels: Qrels, results: Results, k_values: Iterable[int]) -> ByQuery:
    """Relevant documents found over the smaller of the cutoff and all relevant ones: ``{"R_cap@10": [value, ...]}``."""
    return _lists(qrels, _counted(results, qrels), checked_cutoffs(k_values), R_cap="R_cap")[0]


def hole(qrels: Qrels, results: Results, k_values: Iterable[int]) -> ByQuery:
    """Shares of documents that are in no query's qrels: ``{"Hole@10": [value, ...]}``."""
    return _lists(qrels, _counted(results, qrels), checked_cutoffs(k_values), Hole="Hole")[0]


def top_k_accuracy(qrels: Qrels, results: Results, k_values: Iterable[int]) -> ByQuery:
    """1 for each query with a relevant document among the first k, else 0: ``{"Accuracy@10": [value, ...]}``."""
    return _lists(qrels, _counted(results, qrels), checked_cutoffs(k_values), Accuracy="Success")[0]


def _lists(qrels: Qrels, counted: Results, cutoffs: Sequence[int], **names: str) -> list[ByQuery]:
    """The values of each query by each of some measures, whose names in the result these are, at each cutoff."""
    asked = {key: [f"{name}@{k}" for k in cutoffs] for key, name in names.items()}
    evaluation = Evaluator(qrels, [one for some in asked.values() for one in some], compat="9.0.8").evaluate(counted)
    row_of = {query_id: row for row, query_id in enumerate(evaluation.query_ids)}
    values = evaluation.values[[row_of[query_id] for query_id in counted]].T.tolist()
    columns = iter(values)
    return [{f"{key}@{k}": next(columns) for k in cutoffs} for key in asked]


def _counted(results: Results, qrels: Qrels, skip_first_result: bool = False) -> dict[str, Mapping[str, float]]:
    """The results of the judged queries."""
    counted = {query_id: documents for query_id, documents in results.items() if qrels.get(query_id)}
    if not counted:
        raise NoQueriesError("results: expected a query of the qrels, found none")
    if skip_first_result:
        return {query_id: _without_first(documents) for query_id, documents in counted.items()}
    return counted


def _without_first(documents: Mapping[str, float]) -> dict[str, float]:
    first = _ranked(documents)[:1]
    return {document: score for document, score in documents.items() if document not in first}


def _ranked(documents: Mapping[str, float]) -> list[str]:
    """The documents' ids by falling score of 32 bits; ties by falling id, byte order."""
    from array import array  # noqa: PLC0415

    scores = array("f", documents.values())
    keyed = zip(scores, (document.encode("utf-8", "surrogatepass") for document in documents), documents, strict=True)
    return [document for _, _, document in sorted(keyed, reverse=True)]


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), _DECIMALS)


def make_score_dict(
    ndcg: Mapping[str, float],
    _map: Mapping[str, float],
    recall: Mapping[str, float],
    precision: Mapping[str, float],
    mrr: Mapping[str, Any],
    naucs: Mapping[str, float],
    naucs_mrr: Mapping[str, float],
    hit_rate: Mapping[str, Any],
    task_scores: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """All means under MTEB's names: ``{"ndcg_at_10": value, "nauc_ndcg_at_10_max": value}``.

    Where a value is a list of those of each query, its mean.
    """
    found: dict[str, float] = {}
    named = {"ndcg": ndcg, "map": _map, "recall": recall, "precision": precision, "mrr": mrr, "hit_rate": hit_rate}
    for name, values in named.items():
        for key, value in values.items():
            found[f"{name}_at_{key.partition('@')[2]}"] = _mean(value) if isinstance(value, list) else value
    for values in (naucs, naucs_mrr):
        for key, value in values.items():
            found[key.replace("@", "_at_").replace("_P_", "_precision_").lower()] = value
    return {**found, **(task_scores or {})}


# Abstention


def confidence_scores(sim_scores: Iterable[float]) -> dict[str, float]:
    """How sure a ranking is of itself, by its scores: their maximum, standard deviation, and first difference.

    ``{"max": ..., "std": ..., "diff1": ...}``; diff1 is 0 for a single score. Raises EvaluationError for none.
    """
    falling = sorted(map(float, sim_scores), reverse=True)
    if not falling:
        raise EvaluationError("sim_scores: expected a score, found none")
    mean = sum(falling) / len(falling)
    deviation = (sum((score - mean) ** 2 for score in falling) / len(falling)) ** 0.5
    return {"max": falling[0], "std": deviation, "diff1": falling[0] - falling[1] if len(falling) > 1 else 0.0}


def nauc(
    conf_scores: Sequence[float], metrics: Sequence[float], abstention_rates: Sequence[float] = ABSTENTION_RATES
) -> float:
    """How well confidences tell good rankings from bad ones: normalised area under the abstention curve.

    conf_scores: a confidence for each query
    metrics:     a measure's value for each query
    abstention_rates: rising shares of queries to leave out, the least confident first, at least one of which is kept

    The area under the mean of the values that are kept, over the rates, less the area without abstention; divided by
    the same for the best confidences there are, the values themselves. NaN where abstention can't change anything.
    After Gisserot-Boukhlef et al., Towards Trustworthy Reranking: A Simple yet Effective Abstention Mechanism, 2024.
    Raises EvaluationError where the lists are empty or of different lengths.
    """
    values, confidences, rates = list(map(float, metrics)), list(map(float, conf_scores)), list(abstention_rates)
    if not values or len(values) != len(confidences):
        raise EvaluationError(f"expected a confidence for each value, found {len(confidences)} and {len(values)}")

    def area(keys: Sequence[float]) -> float:
        rising = [values[i] for i in sorted(range(len(values)), key=keys.__getitem__)]
        means = []
        for rate in rates:
            kept = rising[min(round(rate * len(rising)), len(rising) - 1) :]
            means.append(sum(kept) / len(kept))
        steps = zip(rates, rates[1:], means, means[1:], strict=False)
        return sum((end - start) * (first + last) / 2 for start, end, first, last in steps)

    flat = sum(values) / len(values) * (rates[-1] - rates[0])
    best = area(values)
    if isclose(best, flat, rel_tol=1e-12, abs_tol=1e-15):
        return float("nan")
    return (area(confidences) - flat) / (best - flat)


def evaluate_abstention(results: Results, metric_scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """`nauc` of each measure with each of `confidence_scores`: ``{"nAUC_NDCG@10_max": value}``.

    results:       ``{query id: {document id: score}}``; a query without documents has confidences of 0
    metric_scores: a measure's value for each query of the results, in their order
    """
    confidences: defaultdict[str, list[float]] = defaultdict(list)
    for documents in results.values():
        for name, value in confidence_scores(documents.values() or [0.0]).items():
            confidences[name].append(value)
    return {
        f"nAUC_{metric}_{name}": nauc(confidence, values)
        for metric, values in metric_scores.items()
        for name, confidence in confidences.items()
    }


# Instructions


def calculate_pmrr(original_run: Results, new_run: Results, changed_qrels: Mapping[str, Iterable[str]]) -> float:
    """p-MRR: how far documents move that a changed instruction makes irrelevant, from -1 to 1.

    original_run, new_run: ``{query id: {document id: score}}``, for the original and for the changed instruction; the
                   ids may end in -og and -changed
    changed_qrels: ``{query id: documents that are no longer relevant}``

    A document that sinks from rank r to r' has 1 - r / r', one that rises or stays r' / r - 1; one that isn't retrieved
    ranks behind the last. The mean over documents, then over queries. After Weller et al., FollowIR, 2024. Raises
    InputError for a query that a run lacks, NoQueriesError where no document changed.
    """
    by_query = []
    for query_id, changed in changed_qrels.items():
        before, after = _ranks(original_run, query_id, "-og"), _ranks(new_run, query_id, "-changed")
        moves = []
        for document in changed:
            old, new = before.get(document, len(before) + 1), after.get(document, len(after) + 1)
            moves.append(1 - old / new if old < new else new / old - 1)
        if moves:
            by_query.append(sum(moves) / len(moves))
    if not by_query:
        raise NoQueriesError("changed_qrels: expected a query with documents, found none")
    return sum(by_query) / len(by_query)


def _ranks(run: Results, query_id: str, suffix: str) -> dict[str, int]:
    documents = run.get(query_id, run.get(query_id + suffix))
    if documents is None:
        raise InputError(f"run: query {query_id!r}", f"expected results under this id or {query_id + suffix!r}")
    return {document: rank for rank, document in enumerate(_ranked(documents), 1)}


def evaluate_p_mrr_change(
    qrels: Qrels, results: Results, changed_qrels: Mapping[str, Iterable[str]], k_values: Iterable[int]
) -> dict[str, Any]:
    """p-MRR, and the retrieval measures for the original and the changed instructions.

    qrels, results: of queries whose ids end in -og and -changed

    ``{"p-MRR": value, "og": {"ndcg_at_10": ...}, "changed": {...}}``. Raises as `calculate_pmrr` and
    `calculate_retrieval_scores` do.
    """
    cutoffs = checked_cutoffs(k_values)
    found: dict[str, Any] = {}
    runs = {name: {one: results[one] for one in results if one.endswith(f"-{name}")} for name in ("og", "changed")}
    found["p-MRR"] = calculate_pmrr(runs["og"], runs["changed"], changed_qrels)
    for name, run in runs.items():
        of_group = {query_id: documents for query_id, documents in qrels.items() if query_id.endswith(f"-{name}")}
        scores = calculate_retrieval_scores(run, of_group, cutoffs)
        found[name] = make_score_dict(*scores[1:5], scores.mrr, scores.naucs, scores.naucs_mrr, scores.hit_rate)
    return found


def robustness_at_10(qrels: Qrels, results: Results, scores: Mapping[str, Mapping[str, float]]) -> float:
    """The mean over groups of queries of the lowest nDCG@10 in the group.

    scores: ``{query id: {"ndcg_cut_10": value}}``, as `calculate_retrieval_scores` has in `all_scores`

    Queries of one group ask the same in other words: their ids are alike up to the first underscore. (`qrels` and
    `results` are MTEB's arguments and not needed.) Raises NoQueriesError for no scores.
    """
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for query_id, row in scores.items():
        groups[query_id.partition("_")[0]].append(_value(row, "ndcg_cut_10", query_id))
    if not groups:
        raise NoQueriesError("scores: expected a query, found none")
    return sum(map(min, groups.values())) / len(groups)


def paired_accuracy(qrels: Qrels, results: Results, scores: Mapping[str, Mapping[str, float]]) -> float:
    """The share of pairs of queries, ids X_q1 and X_q2, that both have a recall of 1 at the first rank.

    scores: ``{query id: {"recall_1": value}}``, as `calculate_retrieval_scores` has in `all_scores`

    (`qrels` and `results` are MTEB's arguments and not needed.) Raises InputError for a query without its partner,
    NoQueriesError for no scores.
    """
    pairs = sorted({query_id.rpartition("_")[0] for query_id in scores})
    if not pairs:
        raise NoQueriesError("scores: expected a pair of queries, found none")
    n_right = 0
    for pair in pairs:
        for query_id in (f"{pair}_q1", f"{pair}_q2"):
            if query_id not in scores:
                raise InputError(
                    f"scores: query {query_id!r}", "expected both queries of a pair, found the other alone"
                )
        n_right += all(_value(scores[f"{pair}_{one}"], "recall_1", f"{pair}_{one}") == 1.0 for one in ("q1", "q2"))
    return n_right / len(pairs)


def _value(row: Mapping[str, float], key: str, query_id: str) -> float:
    if key not in row:
        raise InputError(f"scores: query {query_id!r}", f"expected a value of {key}, found {', '.join(row) or 'none'}")
    return row[key]
