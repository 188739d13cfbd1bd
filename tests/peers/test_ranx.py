"""The values of `treckon.compat.ranx` against ranx's own on random input, where that is installed: within 1e-12.

The declared exceptions: ties (there are none in this input), bpref where no document is judged nonrelevant or none
relevant, and where grades are negative, which ranx takes for judged.
"""

import random
import warnings
from typing import Any

import pytest

from treckon.compat import ranx as ours

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    theirs = pytest.importorskip("ranx")

pytestmark = pytest.mark.filterwarnings("ignore")

METRICS = [
    "hits", "hits@3", "hits-l2", "hit_rate", "hit_rate@2", "hit_rate@4-l2", "precision", "precision@5", "precision-l3",
    "recall", "recall@4", "recall@6-l2", "f1", "f1@5", "f1@3-l2", "r-precision", "r-precision-l2", "mrr", "mrr@3",
    "mrr-l3", "map", "map@4", "map@10-l2", "dcg", "dcg@5", "dcg-l2", "dcg_burges", "dcg_burges@7", "ndcg", "ndcg@10",
    "ndcg@3-l2", "ndcg_burges", "ndcg_burges@5", "rbp.80", "rbp.95", "rbp.5", "rbp.80-l2",
]  # fmt: skip


def random_input(random_: random.Random) -> tuple[Any, Any]:
    """Graded judgements, unjudged and unretrieved documents, no ties; every query on both sides, in another order."""
    documents = [f"d{i}" for i in range(25)]
    queries = [f"q{i}" for i in range(random_.randint(1, 6))]
    qrels = {
        query: {one: random_.choice([0, 0, 1, 2, 3]) for one in random_.sample(documents, random_.randint(1, 15))}
        for query in queries
    }
    run = {}
    for query in random_.sample(queries, len(queries)):
        retrieved = random_.sample(documents, random_.randint(1, 25))
        run[query] = dict(zip(retrieved, map(float, random_.sample(range(100), len(retrieved))), strict=True))
    return qrels, run


def test_values_are_ranx_s():
    random_ = random.Random(5)
    for _ in range(20):
        qrels, run = random_input(random_)
        expected = theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), METRICS, return_std=True)
        found = ours.evaluate(qrels, run, METRICS, return_std=True)
        assert list(found) == list(expected)
        for metric in METRICS:
            assert found[metric] == pytest.approx(expected[metric], rel=1e-12, abs=1e-12), (metric, qrels, run)


def test_values_of_queries_are_ranx_s():
    random_ = random.Random(6)
    qrels, run = random_input(random_)
    judgements, ranking = theirs.Qrels(qrels), theirs.Run(run)
    expected = theirs.evaluate(judgements, ranking, ["map", "ndcg@5"], return_mean=False)
    found = ours.evaluate(qrels, run, ["map", "ndcg@5"], return_mean=False)
    for metric, values in found.items():
        by_id = dict(zip(qrels, values, strict=True))
        assert by_id == pytest.approx(dict(ranking.scores[metric]), rel=1e-12, abs=1e-12)
        assert sorted(values) == pytest.approx(sorted(expected[metric]), rel=1e-12, abs=1e-12)


def test_ranx_s_own_objects_are_taken():
    qrels, run = random_input(random.Random(7))
    judgements, ranking = theirs.Qrels(qrels), theirs.Run(run)
    found = ours.evaluate(judgements, ranking, ["map", "rbp.80"])
    assert found == pytest.approx(theirs.evaluate(judgements, theirs.Run(run), ["map", "rbp.80"]))
    assert ranking.mean_scores == found
    assert set(ranking.scores["map"]) == set(qrels)


def test_missing_queries_count_as_zero_alike():
    qrels, run = random_input(random.Random(8))
    del run[next(iter(run))]
    run["extra"] = {"d1": 1.0}
    expected = theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), ["map", "mrr"], make_comparable=True)
    assert ours.evaluate(qrels, run, ["map", "mrr"], make_comparable=True) == pytest.approx(expected)


def test_bpref_is_ranx_s_where_relevant_and_nonrelevant_documents_are_judged():
    random_ = random.Random(9)
    for _ in range(5):
        qrels, run = random_input(random_)
        for grades in qrels.values():
            grades.update(d1=1, d2=0, d3=0)
        expected = theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), "bpref")
        assert ours.evaluate(qrels, run, "bpref") == pytest.approx(expected, rel=1e-12)


# What docs/switching.md says of ranx; the numbers are those of its rows


def test_r02_plain_dicts_are_paired_by_position():
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q2": {"b": 1.0}, "q1": {"a": 1.0}}
    assert theirs.evaluate(qrels, run, "map") == 0.0
    assert ours.evaluate(qrels, run, "map") == 1.0


def test_r03_queries_that_differ_are_an_error():
    with pytest.raises(AssertionError, match="make_comparable"):
        theirs.evaluate(theirs.Qrels({"q1": {"a": 1}, "q2": {"b": 1}}), theirs.Run({"q1": {"a": 1.0}}), "map")


def test_r04_ties_stay_as_listed_in_a_run():
    qrels = {"q": {"d1": 1, "d2": 0, "d3": 2, "d4": 0}}
    run = {"q": {f"d{i}": 1.0 for i in range(1, 6)}}
    of_run = theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), "map")
    assert of_run == pytest.approx((1 + 2 / 3) / 2) == ours.evaluate(qrels, run, "map", ties="input")
    assert theirs.evaluate(qrels, run, "map") != of_run
    assert ours.evaluate(qrels, run, "map") == pytest.approx((1 / 3 + 2 / 5) / 2)


def test_r05_bpref_is_nan_where_nothing_is_judged_nonrelevant():
    qrels, run = {"q1": {"a": 1}}, {"q1": {"a": 1.0}}
    assert str(theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), "bpref")) == "nan"
    assert ours.evaluate(qrels, run, "bpref") == 1.0


def test_r06_rank_biased_precision_can_be_above_1():
    qrels, run = {"q1": {"a": 4}}, {"q1": {"a": 1.0}}
    assert theirs.evaluate(theirs.Qrels(qrels), theirs.Run(run), "rbp.5") == 2.0 == ours.evaluate(qrels, run, "rbp.5")


def test_r07_one_metric_of_plain_dicts():
    with pytest.raises(KeyError):
        theirs.evaluate({"q1": {"a": 4}}, {"q1": {"a": 1.0}}, "ndcg@3", return_mean=False)
