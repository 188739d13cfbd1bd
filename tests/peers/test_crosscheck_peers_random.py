"""The cross-check against what other evaluators return for random input: nothing they print stays unexplained.

Each evaluator is tested where it is installed.
"""

import copy
import logging
import random
import warnings
from typing import Any

import pytest

import treckon

pytestmark = pytest.mark.filterwarnings("ignore")

SEEDS = range(15)
GRADES = ((0, 0, 1), (0, 0, 1, 1, 2, 3), (0, 0, 0, 1, 2), (0, 0, 1, 2, -1))
SCORES = (
    lambda rng: float(rng.randint(1, 5)),
    lambda rng: rng.choice((0.7, 0.7000000001, 0.70000001, 0.700000005, 0.5, 0.9)),
    lambda rng: rng.uniform(-1.0, 1.0),
)


def random_input(seed: int, *, negative: bool = True, same: bool = False) -> tuple[Any, Any]:
    """Ties, also of 32 bits alone, unjudged documents, queries without relevant ones, and on one side only.

    negative: whether grades may be; same: whether both sides have the same queries, in an order that may differ
    """
    rng = random.Random(seed)
    grades = rng.choice(GRADES if negative else GRADES[:3])
    score = rng.choice(SCORES)
    pool = [f"d{i}" for i in range(60)]
    qrels, run = {}, {}
    for number in range(1, rng.choice((3, 5, 8, 12)) + 1):
        query = str(number)
        judged = rng.sample(pool, rng.randint(2, 25))
        qrels[query] = {one: rng.choice(grades) for one in judged}
        if rng.random() < 0.1:
            qrels[query] = dict.fromkeys(judged, 0)
        elif max(qrels[query].values()) <= 0:
            qrels[query][judged[0]] = 1
        if same or number == 1 or rng.random() < 0.9:
            run[query] = {one: score(rng) for one in rng.sample(pool, rng.choice((4, 12, 30, 50)))}
    if not same and rng.random() < 0.4:
        run["900"] = {one: score(rng) for one in rng.sample(pool, 12)}
    if rng.random() < 0.3:
        keys = rng.sample(list(run), len(run))
        run = {query: run[query] for query in keys}
        qrels = {query: qrels[query] for query in rng.sample(list(qrels), len(qrels))}
    return qrels, run


def printed(values: Any) -> str:
    """Lines of {query or "all": {measure: value}}, with four decimals."""
    return "".join(
        f"{measure}\t{query}\t{value:.4f}\n" for query, some in values.items() for measure, value in some.items()
    )


def check(qrels: Any, run: Any, scores: Any) -> None:
    found = treckon.crosscheck(qrels, run, scores, threads=1)
    assert found.unknown == ()
    assert found.unexplained == (), (found.explanation, qrels, run)


@pytest.mark.parametrize("seed", SEEDS)
def test_pytrec_eval(seed: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_input(seed)
    measures = {"map", "ndcg_cut.10", "recip_rank", "P.5", "recall.100", "Rprec", "bpref"}
    values = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    names = next(iter(values.values()))
    means = {one: pytrec_eval.compute_aggregated_measure(one, [some[one] for some in values.values()]) for one in names}
    check(qrels, run, printed({"all": means}))
    check(qrels, run, printed({**values, "all": means}))


IR_MEASURES = (
    "AP", "nDCG@10", "RR", "RR@10", "P@5", "R@100", "RBP(rel=1)", "ERR@10", "Success@5", "Judged@10", "Bpref", "SetF",
    "infAP", "nDCG(dcg='exp-log2')@10", "Rprec", "NumRel", "NumRet",
)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_ir_measures(seed: int) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = random_input(seed)
    measures = [ir_measures.parse_measure(one) for one in random.Random(seed).sample(IR_MEASURES, 5)]
    values: dict[str, dict[str, float]] = {}
    for one in ir_measures.iter_calc(measures, qrels, run):
        values.setdefault(one.query_id, {})[str(one.measure)] = one.value
    means = {str(measure): value for measure, value in ir_measures.calc_aggregate(measures, qrels, run).items()}
    check(qrels, run, printed({"all": means} if seed % 2 else {**values, "all": means}))


RANX = [
    "map", "map@10", "ndcg@10", "ndcg_burges@10", "mrr", "precision@5", "recall@10", "f1@10", "hit_rate@5",
    "r-precision", "bpref", "rbp.80",
]  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_ranx(seed: int) -> None:
    ranx = pytest.importorskip("ranx")
    qrels, run = random_input(seed)
    judged, retrieved = ranx.Qrels(copy.deepcopy(qrels)), ranx.Run(copy.deepcopy(run))
    metrics = random.Random(seed).sample(RANX, 5)
    means = ranx.evaluate(judged, retrieved, metrics, make_comparable=True)
    values: dict[str, dict[str, float]] = {}
    for metric in metrics:
        for query, value in retrieved.scores[metric].items():
            values.setdefault(query, {})[metric] = value
    check(qrels, run, printed({"all": means} if seed % 2 else {**values, "all": means}))


@pytest.mark.parametrize("seed", SEEDS)
def test_ranx_with_plain_dicts(seed: int) -> None:
    """Values of queries by position; the means of those that are in another order are paired by position, too."""
    ranx = pytest.importorskip("ranx")
    qrels, run = random_input(seed, same=True)
    metrics = random.Random(seed).sample(RANX, 5)
    values = ranx.evaluate(copy.deepcopy(qrels), copy.deepcopy(run), metrics, return_mean=False)
    rows = {query: {metric: values[metric][i] for metric in metrics} for i, query in enumerate(qrels)}
    means = {metric: values[metric].mean() for metric in metrics}
    check(qrels, run, printed({"all": means} if seed % 2 else {**rows, "all": means}))


@pytest.mark.parametrize("seed", SEEDS)
def test_scikit_learn(seed: int) -> None:
    """For the documents retrieved, or for all that are judged, too, those that were not retrieved tied at the end."""
    metrics = pytest.importorskip("sklearn.metrics")
    qrels, run = random_input(seed, negative=False)
    values = {}
    for query in qrels:
        if query in run:
            docs = list(run[query]) if seed % 2 else list({**run[query], **qrels[query]})
            grades = [qrels[query].get(one, 0) for one in docs]
            scores = [run[query].get(one, -9.0) for one in docs]
            values[query] = {
                "ndcg_score@10": metrics.ndcg_score([grades], [scores], k=10),
                "ndcg_score": metrics.ndcg_score([grades], [scores]),
                "average_precision_score": metrics.average_precision_score([one > 0 for one in grades], scores),
            }
    check(qrels, run, printed(values))


@pytest.mark.parametrize("seed", SEEDS)
def test_beir(seed: int) -> None:
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    logging.disable(logging.CRITICAL)
    qrels, run = random_input(seed)
    cutoffs = [1, 10]
    judged = {query: scores for query, scores in run.items() if query in qrels}
    found = evaluation.EvaluateRetrieval.evaluate(copy.deepcopy(qrels), copy.deepcopy(run), cutoffs)
    check(qrels, run, {name: value for some in found for name, value in some.items()})
    for metric in ("mrr", "acc", "hole", "r_cap"):
        given = run if metric == "hole" else judged
        if metric == "r_cap" and not all(max(qrels[query].values()) > 0 for query in given):
            continue  # it divides by zero
        theirs = evaluation.EvaluateRetrieval.evaluate_custom(
            copy.deepcopy(qrels), copy.deepcopy(given), cutoffs, metric
        )
        check(qrels, given, theirs)


@pytest.mark.parametrize("seed", SEEDS)
def test_mteb(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    qrels, run = random_input(seed, negative=False)
    cutoffs = [1, 10]
    judged = {query: scores for query, scores in run.items() if query in qrels}
    found = theirs.calculate_retrieval_scores(copy.deepcopy(judged), copy.deepcopy(qrels), cutoffs)
    check(qrels, judged, {**found.ndcg, **found.map, **found.recall, **found.precision})
    for given, metric in ((run, theirs.hole), (judged, theirs.mrr)):
        values = metric(copy.deepcopy(qrels), copy.deepcopy(given), cutoffs)
        values = values[0] if isinstance(values, tuple) else values
        check(qrels, given, {name: dict(zip(given, some, strict=True)) for name, some in values.items()})
        check(qrels, given, {name: round(sum(some) / len(some), 5) for name, some in values.items()})
