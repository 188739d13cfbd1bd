"""`treckon.compat.beir` and `treckon.compat.mteb` against BEIR and MTEB themselves on random input, where both are
installed: every digit is the same, but for p-MRR's last ones.

What theirs can't evaluate is left out of the input for them, what ours do with it is in tests/unit. So are queries with
negative grades alone and rankings that are empty at the beginning, which may end the interpreter.
"""

import copy
import logging
import math
import random
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from treckon.compat import beir, mteb

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    beir_evaluation = pytest.importorskip("beir.retrieval.evaluation")
    beir_metrics = pytest.importorskip("beir.retrieval.custom_metrics")
    theirs = pytest.importorskip("mteb._evaluators.retrieval_metrics")

pytestmark = pytest.mark.filterwarnings("ignore")

Their = beir_evaluation.EvaluateRetrieval
DOCUMENTS = [*(f"d{i}" for i in range(25)), "é", "日本", "🙂", "D1", "q0", "q1", "q2", "q3"]
CUTOFFS = [[1, 3, 10], [1], [100, 5, 2, 1], (1, 1000)]
SEEDS = range(40)


def random_input(random_: random.Random, query_ids: Any = None) -> tuple[Any, Any]:
    """Graded and negative judgements, ties, also of 32 bits alone, queries on one side, documents whose id is the
    query's, queries without a relevant document, without judgements and without results."""
    query_ids = query_ids or [f"q{i}" for i in range(random_.randint(1, 40))]
    grades = random_.choice([[0, 1], [-1, 0, 1, 2, 3], [-2, -1, 0, 0, 0, 1], [0, 0, 0, 0, 1]])
    scores = random_.choice(
        [[1.0, 2.0, 3.0], [0.70000001, 0.700000005, -0.0, 0.0, 1e300, 16777217.0, 16777216.0], None]
    )
    qrels, results = {}, {}
    for query_id in random_.sample(query_ids, len(query_ids)):
        if random_.random() < 0.9:
            judged = random_.sample(DOCUMENTS, random_.randint(0, 12))
            qrels[query_id] = {one: 0 if i == 0 else random_.choice(grades) for i, one in enumerate(judged)}
    for query_id in random_.sample(query_ids, len(query_ids)):
        if random_.random() < 0.9:
            found = random_.sample(DOCUMENTS, random_.randint(0, len(DOCUMENTS)))
            results[query_id] = {one: random_.choice(scores) if scores else random_.uniform(-1, 1) for one in found}
    counted = [query_id for query_id in results if qrels.get(query_id)]
    if not counted:
        return random_input(random_, query_ids)
    results[counted[0]]["d0"] = 1.0
    return qrels, results


def same(found: Any, expected: Any) -> None:
    """Equal values, to the last digit, in the same order of keys."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            same(found[key], value)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        assert found == expected or (math.isnan(found) and math.isnan(expected))


def same_but_constant(found: Any, expected: Any) -> None:
    """The same, but for abstention where all queries have one value: theirs have what rounding makes of 0 / 0."""
    assert list(found) == list(expected)
    for key, value in expected.items():
        assert found[key] == value or (math.isnan(found[key]) and "nauc" in key.lower()), key


# BEIR


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", [{}, {"ignore_identical_ids": True}, {"ignore_identical_ids": False}])
def test_beir_s_main_measures(seed: int, options: Any):
    random_ = random.Random(f"main {seed}")
    qrels, results = random_input(random_)
    cutoffs = random_.choice(CUTOFFS)
    before = copy.deepcopy((qrels, results))
    found = beir.EvaluateRetrieval.evaluate(qrels, results, cutoffs, **options)
    assert (qrels, results) == before
    same(found, Their.evaluate(qrels, results, cutoffs, **options))


@pytest.mark.parametrize("seed", SEEDS)
def test_beir_s_other_measures(seed: int):
    random_ = random.Random(f"other {seed}")
    qrels, results = random_input(random_)
    cutoffs = random_.choice(CUTOFFS)
    judged = {query_id: documents for query_id, documents in results.items() if query_id in qrels}
    relevant = {
        query_id: documents for query_id, documents in judged.items() if any(g > 0 for g in qrels[query_id].values())
    }
    for name in ("mrr", "MRR@k", "mrr_cut", "acc", "top_k_acc", "accuracy", "accuracy@k", "top_k_accuracy"):
        expected = Their.evaluate_custom(qrels, judged, cutoffs, name)
        same(beir.evaluate_custom(qrels, judged, cutoffs, name), expected)
        same(beir.evaluate_custom(qrels, results, cutoffs, name), expected)
    for name in ("recall_cap", "r_cap", "r_cap@k"):
        expected = Their.evaluate_custom(qrels, relevant, cutoffs, name)
        same(beir.evaluate_custom(qrels, relevant, cutoffs, name), expected)
        same(beir.evaluate_custom(qrels, results, cutoffs, name), expected)
    for name in ("hole", "hole@k"):
        same(
            beir.evaluate_custom(qrels, results, cutoffs, name),
            Their.evaluate_custom(qrels, results, cutoffs, name),
        )
    for name in ("mrr", "recall_cap", "hole", "top_k_accuracy"):
        same(getattr(beir, name)(qrels, relevant, cutoffs), getattr(beir_metrics, name)(qrels, relevant, cutoffs))


@pytest.mark.parametrize("seed", SEEDS)
def test_beir_s_other_measures_after_the_main_ones(seed: int):
    """Theirs have then lost the documents whose id is the query's."""
    qrels, results = random_input(random.Random(f"after {seed}"))
    lost = copy.deepcopy(results)
    Their.evaluate(qrels, lost, [1])
    found = beir.evaluate_custom(qrels, results, [1, 5], "hole", ignore_identical_ids=True)
    same(found, Their.evaluate_custom(qrels, lost, [1, 5], "hole"))
    judged = {query_id: documents for query_id, documents in lost.items() if query_id in qrels}
    found = beir.evaluate_custom(qrels, results, [1, 5], "mrr", ignore_identical_ids=True)
    same(found, Their.evaluate_custom(qrels, judged, [1, 5], "mrr"))


def test_beir_s_lines_of_the_log(caplog: pytest.LogCaptureFixture):
    """The same values, but for theirs' empty lines and a hint."""
    qrels, results = random_input(random.Random(1))

    def lines(evaluate: Any, evaluate_custom: Any) -> list[str]:
        caplog.clear()
        with caplog.at_level(logging.INFO):
            evaluate(qrels, results, [1, 5])
            evaluate_custom(qrels, results, [1, 5], "hole")
        return [record.getMessage() for record in caplog.records if "@" in record.getMessage()]

    found = lines(beir.evaluate, lambda *rest: beir.evaluate_custom(*rest, ignore_identical_ids=True))
    assert found == lines(Their.evaluate, Their.evaluate_custom) and len(found) == 10


def test_beir_s_class():
    for arguments in ((), (None, [3, 1]), (None, [5], "dot")):
        assert vars(beir.EvaluateRetrieval(*arguments)) == vars(Their(*arguments))


# MTEB


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("skip_first_result", [False, True])
def test_mteb_s_scores(seed: int, skip_first_result: bool):
    random_ = random.Random(f"mteb {seed}")
    qrels, results = random_input(random_)
    cutoffs = random_.choice(CUTOFFS)
    qrels = {query_id: documents for query_id, documents in qrels.items() if documents}
    judged = {query_id: documents for query_id, documents in results.items() if query_id in qrels}
    expected = theirs.calculate_retrieval_scores(copy.deepcopy(judged), qrels, cutoffs, skip_first_result)
    before = copy.deepcopy(results)
    found = mteb.calculate_retrieval_scores(results, qrels, cutoffs, skip_first_result)
    assert results == before and found._fields == expected._fields
    same(found[:5], expected[:5])
    same([found.mrr, found.hit_rate], [expected.mrr, expected.hit_rate])
    same_but_constant(found.naucs, expected.naucs)
    same_but_constant(found.naucs_mrr, expected.naucs_mrr)
    parsed = mteb.parse_metrics_from_scores(found.all_scores, cutoffs)
    same(parsed, theirs.parse_metrics_from_scores(expected.all_scores, cutoffs))


@pytest.mark.parametrize("seed", SEEDS)
def test_mteb_s_lists_of_values(seed: int):
    random_ = random.Random(f"lists {seed}")
    qrels, results = random_input(random_)
    cutoffs = random_.choice(CUTOFFS)
    judged = {query_id: documents for query_id, documents in results.items() if query_id in qrels}
    for name in ("mrr", "recall_cap"):
        expected = getattr(theirs, name)(qrels, judged, cutoffs)
        for given in (judged, results):
            found = getattr(mteb, name)(qrels, given, cutoffs)
            assert found == expected and list(found) == list(expected)
    same(mteb.hole(qrels, results, cutoffs), theirs.hole(qrels, results, cutoffs))
    hits = mteb.top_k_accuracy(qrels, results, cutoffs)
    found = {key: [value for value in values if value] for key, values in hits.items() if any(values)}
    assert found == theirs.top_k_accuracy(qrels, judged, cutoffs)


@pytest.mark.parametrize("seed", SEEDS)
def test_mteb_s_abstention(seed: int):
    random_ = np.random.default_rng(seed)
    n = int(random_.integers(2, 80))
    for confidences in (random_.random(n), random_.choice([0.1, 0.5, 0.9], n)):
        for values in (random_.random(n), random_.choice([0, 0.5, 1, 1 / 3], n)):
            for rates in ((), (np.array([0, 0.25, 0.5, 0.75]),), (np.array([0.1, 0.9]),)):
                same(mteb.nauc(confidences, values, *rates), theirs.nauc(confidences, values, *rates))
    for scores in (random_.random(n).tolist(), [1, 3, 2], [2], [], [np.float32(0.1), np.float32(0.7)]):
        same(mteb.confidence_scores(scores), theirs.confidence_scores(scores))
    results = {str(i): {str(j): float(random_.random()) for j in range(random_.integers(0, 5))} for i in range(n)}
    values = {"x": random_.random(n).tolist(), "y": random_.choice([0.0, 1.0], n).tolist()}
    same(mteb.evaluate_abstention(results, values), theirs.evaluate_abstention(results, values))


@pytest.mark.parametrize("seed", SEEDS)
def test_mteb_s_subqueries(seed: int):
    random_ = random.Random(f"subqueries {seed}")
    ids = [f"{one}_{other}" for one in ("a", "b", "c_d", "c", "") for other in range(4)] + ["a", "b"]
    qrels, results = random_input(random_, ids)
    there = {query_id: documents for query_id, documents in qrels.items() if query_id in results}
    last = {query_id.rpartition("_")[0]: documents for query_id, documents in there.items()}
    there = {query_id: documents for query_id, documents in there.items() if last[query_id.rpartition("_")[0]]}
    expected = theirs.max_over_subqueries(there, results, [1, 10])
    for given in (there, {**there, "e_1": {"d0": 1}}):
        found = mteb.max_over_subqueries(given, results, [1, 10])
        same_but_constant(found, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_mteb_s_instructions(seed: int):
    random_ = random.Random(f"instructions {seed}")
    ids = [f"q{i}" for i in range(random_.randint(1, 12))]
    qrels, before = random_input(random_, ids)
    after = random_input(random_, ids)[1]
    suffixed = {
        **{f"{one}-og": documents for one, documents in before.items()},
        **{f"{one}-changed": documents for one, documents in after.items()},
    }
    changed = {one: random_.sample(DOCUMENTS, random_.randint(0, 6)) for one in ids}
    changed[next(iter(before))] = ["d0", "d1"]
    if not any(f"{one}-og" in suffixed and f"{one}-changed" in suffixed and changed[one] for one in ids):
        return
    expected = theirs.calculate_pmrr(suffixed, suffixed, changed)
    assert mteb.calculate_pmrr(suffixed, suffixed, changed) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    judged = {f"{one}{end}": {"d0": 1, "d1": 0} for one in ids for end in ("-og", "-changed")}
    theirs_changed = theirs.evaluate_p_mrr_change(judged, suffixed, changed, [1, 5])
    found = mteb.evaluate_p_mrr_change(judged, suffixed, changed, [1, 5])
    assert list(found) == list(theirs_changed)
    for name in ("og", "changed"):
        same_but_constant(found[name], theirs_changed[name])


def test_mteb_s_ranks():
    for scores in ({"a": 1.0, "b": 2.0, "c": 2.0}, {"c": 2.0, "b": 2.0}, {}):
        for document in "abcz":
            expected = theirs.get_rank_from_dict(scores, document)
            assert repr(mteb.get_rank_from_dict(scores, document)) == repr(expected)
    for before in range(1, 40):
        for after in range(1, 40):
            ranks = {"og_rank": before, "new_rank": after}
            assert mteb.rank_score(ranks) == theirs.rank_score(ranks)


@pytest.mark.parametrize("seed", SEEDS)
def test_mteb_s_groups_of_queries(seed: int):
    random_ = random.Random(f"groups {seed}")
    ids = random_.sample([f"{one}_{two}" for one in ("a", "b", "c", "d-e") for two in range(5)], 12) + ["x", "x_y_z"]
    scores = {one: {"ndcg_cut_10": random_.random()} for one in ids}
    some = dict.fromkeys(random_.sample(ids, 9), {"d": 1})
    assert mteb.robustness_at_10(some, {}, scores) == theirs.robustness_at_10(some, {}, scores)
    pairs = {
        f"{one}_q{two}": {"recall_1": random_.choice([0.5, 1.0])} for one in ("a", "b", "c-d", "e") for two in (1, 2)
    }
    some = dict.fromkeys(random_.sample(list(pairs), 4), {"d": 1})
    assert mteb.paired_accuracy(some, {}, pairs) == theirs.paired_accuracy(some, {}, pairs)


def test_mteb_s_score_dicts():
    given = {
        "ndcg": {"NDCG@1": 0.123456789, "NDCG@10": 0.5}, "_map": {"MAP@1": 0.25}, "recall": {"Recall@1": 0.2},
        "precision": {"P@1": 0.3}, "mrr": {"MRR@1": [0.0, 1.0]}, "hit_rate": {"HitRate@5": 0.7},
        "naucs": {"nAUC_NDCG@1_max": 0.1, "nAUC_P@1_std": 0.2}, "naucs_mrr": {"nAUC_MRR@1_diff1": 0.6},
    }  # fmt: skip
    for more in ({}, {"p-MRR": 0.8}, {"ndcg_at_1": 9}):
        same(mteb.make_score_dict(**given, task_scores=more), theirs.make_score_dict(**given, task_scores=more))
    found, expected = (
        one.make_score_dict(**given, task_scores={}, previous_results_model_meta={"a": 1}) for one in (mteb, theirs)
    )
    assert found == expected and list(found) == list(expected)


# With treckon in the place of pytrec_eval

PROGRAM = """
import warnings
warnings.simplefilter("ignore")
import sys
sys.path.insert(0, sys.argv[1])
from peers_input import JUDGED, RETRIEVED
from beir.retrieval.evaluation import EvaluateRetrieval
import mteb._evaluators.retrieval_metrics as mteb
import pytrec_eval
results = {query: documents for query, documents in RETRIEVED.items() if query in JUDGED}
print(EvaluateRetrieval.evaluate(JUDGED, results, [1, 3, 10]))
print(mteb.calculate_retrieval_scores(results, JUDGED, [1, 10]))
print(pytrec_eval.__name__, file=sys.stderr)
"""


def test_beir_and_mteb_with_treckon_installed(tmp_path: Any, request: pytest.FixtureRequest):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    tests = str(request.config.rootpath / "tests")
    plain, installed = (
        subprocess.run([sys.executable, *how, str(script), tests], capture_output=True, text=True, check=True)
        for how in ((), ("-m", "treckon.compat", "run"))
    )
    assert installed.stdout == plain.stdout
    assert [one.stderr.splitlines()[-1] for one in (plain, installed)] == ["pytrec_eval", "treckon.compat.pytrec_eval"]
