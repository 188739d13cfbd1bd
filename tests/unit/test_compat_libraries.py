"""`treckon.compat.beir`, `mteb` and `ranx`: keys, roundings, denominators, and what each refuses."""

import copy
import itertools
import logging
import math
import random
import re
import statistics
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import treckon
from treckon.compat import beir, mteb, ranx
from treckon.errors import EvaluationError, InputError, NoQueriesError, ParameterError, UnknownMeasureError

QRELS = {
    "q1": {"a": 3, "b": 2, "c": 1, "f": 2, "g": 1, "d": 0, "e": -1},
    "q2": {"d1": 1, "d2": 0, "d3": 2, "d4": 0},
    "q3": {"z": 1},
    "q4": {"z": 0},
    "q5": {f"r{i}": 1 for i in range(12)},
    "q7": {"da": 1, "db": 0},
}
RUN = {
    "q7": {"da": 0.700000010, "db": 0.700000005},
    "q1": {"b": 7.0, "x": 6.0, "e": 5.0, "a": 4.0, "d": 3.0, "c": 2.0, "y": 1.0},
    "q2": {"d1": 1.0, "d2": 1.0, "d3": 1.0, "d4": 1.0, "d5": 1.0},
    "q4": {"z": 1.0},
    "q5": {"r1": 3.0, "n": 2.0, "r0": 1.0},
    "q6": {"z": 1.0},
}


# BEIR


def test_beir_s_means_are_over_queries_with_judgements_and_results():
    ndcg, map_, recall, precision = beir.evaluate(QRELS, RUN, [3, 10])
    assert ndcg == {"NDCG@3": 0.41901, "NDCG@10": 0.41766}
    assert map_["MAP@10"] == round((0.4 + 1.1 / 3 + 0 + 5 / 36 + 0.5) / 5, 5)
    assert recall == {
        "Recall@3": round((1 / 5 + 1 / 2 + 2 / 12 + 1) / 5, 5),
        "Recall@10": round((3 / 5 + 1 + 2 / 12 + 1) / 5, 5),
    }
    assert precision["P@3"] == 0.33333


def test_beir_compares_scores_in_32_bits():
    assert beir.evaluate(QRELS, {"q7": RUN["q7"]}, [1]).precision == {"P@1": 0.0}
    assert beir.evaluate(QRELS, {"q7": RUN["q7"]}, [1], compat="10.0").precision == {"P@1": 1.0}


def test_beir_s_other_measures_are_over_all_judged_queries():
    """What BEIR has for these without q6, and for R_cap without q4: there it raises KeyError and ZeroDivisionError."""
    assert beir.evaluate_custom(QRELS, RUN, [1, 10], "mrr") == {"MRR@1": 0.66667, "MRR@10": 0.66667}
    assert beir.evaluate_custom(QRELS, RUN, [3], "r_cap") == {"R_cap@3": 0.5}
    assert beir.evaluate_custom(QRELS, RUN, [1, 3], "hole") == {"Hole@1": 0.0, "Hole@3": 0.11111}
    assert beir.evaluate_custom(QRELS, RUN, [1, 3], "top_k_acc") == {"Accuracy@1": 0.66667, "Accuracy@3": 0.66667}
    assert beir.evaluate_custom(QRELS, {}, [1, 3], "hole") == {"Hole@1": 0.0, "Hole@3": 0.0}
    assert beir.mrr(QRELS, RUN, [1]) == {"MRR@1": 0.66667}
    assert beir.recall_cap(QRELS, RUN, [3]) == {"R_cap@3": 0.5}
    assert beir.hole(QRELS, RUN, [3]) == {"Hole@3": 0.11111}
    assert beir.top_k_accuracy(QRELS, RUN, [1]) == {"Accuracy@1": 0.66667}


def test_beir_s_holes_are_those_of_all_results():
    """Also of queries that are not judged; divided by the number of the judged ones."""
    assert beir.hole({"q": {"a": -1}, "p": {}}, {"q": {"a": 2.0, "x": 1.0}, "r": {"y": 1.0}}, [1, 2]) == {
        "Hole@1": 0.5, "Hole@2": 0.5,
    }  # fmt: skip
    assert beir.hole({"q": {"a": 1}}, {"r": {"y": 1.0}, "s": {"z": 1.0}}, [1]) == {"Hole@1": 2.0}


@pytest.mark.parametrize(
    ("names", "key"),
    [
        (("mrr", "MRR", "mrr@k", "mrr_cut"), "MRR@5"),
        (("recall_cap", "r_cap", "r_cap@k"), "R_cap@5"),
        (("hole", "hole@k"), "Hole@5"),
        (("acc", "top_k_acc", "accuracy", "accuracy@k", "top_k_accuracy"), "Accuracy@5"),
    ],
)
def test_beir_s_names_of_other_measures(names: tuple[str, ...], key: str):
    found = [beir.evaluate_custom(QRELS, RUN, [5], name) for name in names]
    assert list(found[0]) == [key] and all(one == found[0] for one in found)


IDENTICAL_QRELS = {"q1": {"q1": 0, "a": 1}, "q2": {"b": 1}}
IDENTICAL_RUN = {"q1": {"q1": 2.0, "a": 1.0}, "q2": {"b": 1.0}, "x": {"x": 1.0}}


def test_identical_ids_are_left_out_unless_they_are_asked_for(caplog: pytest.LogCaptureFixture):
    before = copy.deepcopy(IDENTICAL_RUN)
    with caplog.at_level(logging.INFO, "treckon.compat.beir"):
        left_out = beir.EvaluateRetrieval.evaluate(IDENTICAL_QRELS, IDENTICAL_RUN, [1])
        kept = beir.evaluate(IDENTICAL_QRELS, IDENTICAL_RUN, [1], ignore_identical_ids=False)
        assert beir.evaluate_custom(IDENTICAL_QRELS, IDENTICAL_RUN, [1], "mrr") == {"MRR@1": 0.5}
        later = beir.evaluate_custom(IDENTICAL_QRELS, IDENTICAL_RUN, [1], "mrr", ignore_identical_ids=True)
    assert (left_out.ndcg, left_out.n_removed) == ({"NDCG@1": 1.0}, 1)
    assert (kept.ndcg, kept.n_removed) == ({"NDCG@1": 0.5}, 0)
    assert later == {"MRR@1": 1.0}
    assert before == IDENTICAL_RUN
    assert [record.getMessage() for record in caplog.records] == [
        "1 documents were left out, whose ids are those of their queries",
        *("NDCG@1: 1.0000", "MAP@1: 1.0000", "Recall@1: 1.0000", "P@1: 1.0000"),
        *("NDCG@1: 0.5000", "MAP@1: 0.5000", "Recall@1: 0.5000", "P@1: 0.5000"),
        *("MRR@1: 0.5000", "MRR@1: 1.0000"),
    ]


def test_beir_s_class():
    class Retriever:
        def search(self, *arguments: Any, **options: Any) -> Any:
            return arguments, options

    one = beir.EvaluateRetrieval(Retriever(), k_values=[1, 3])
    assert one.retrieve("corpus", "queries", x=1) == (("corpus", "queries", 3, "cos_sim"), {"x": 1})
    assert one.evaluate(QRELS, RUN, one.k_values) == beir.evaluate(QRELS, RUN, [1, 3])
    assert one.evaluate_custom(QRELS, RUN, one.k_values, metric="mrr") == beir.evaluate_custom(
        QRELS, RUN, [1, 3], "mrr"
    )
    assert beir.EvaluateRetrieval().k_values == [1, 3, 5, 10, 100, 1000]
    with pytest.raises(EvaluationError, match="^retriever: expected one to retrieve with, found None$"):
        beir.EvaluateRetrieval().retrieve({}, {})


def test_beir_and_mteb_with_ids_that_are_numbers():
    qrels, results = {1: {10: 1}, 2: {11: 1}}, {2: {12: 2.0, 11: 1.0}, 1: {10: 1.0}, 3: {10: 1.0}}
    assert beir.evaluate(qrels, results, [1])[0] == {"NDCG@1": 0.5}
    assert beir.evaluate({str(query): grades for query, grades in qrels.items()}, results, [1])[0] == {"NDCG@1": 0.5}
    assert beir.evaluate_custom(qrels, results, [2], "mrr") == {"MRR@2": 0.75}
    assert mteb.mrr(qrels, results, [2]) == {"MRR@2": [0.5, 1.0]}
    scores = mteb.calculate_retrieval_scores(results, qrels, [1])
    assert {query: of_query["P_1"] for query, of_query in scores.all_scores.items()} == {2: 0.0, 1: 1.0}


def test_what_beir_s_calls_refuse():
    with pytest.raises(NoQueriesError, match="^expected a query with both results and judgements, found none"):
        beir.evaluate(QRELS, {"q6": {"z": 1.0}}, [1])
    with pytest.raises(NoQueriesError, match="^qrels: expected a query, found none$"):
        beir.evaluate_custom({}, RUN, [1], "mrr")
    with pytest.raises(ParameterError, match="^k_values: expected cutoffs, found none$"):
        beir.evaluate(QRELS, RUN, [])
    for k in (0, 1.5, True, "3"):
        with pytest.raises(ParameterError, match=f"^k_values: expected whole numbers from 1, found {k!r}$"):
            beir.evaluate(QRELS, RUN, [5, k])
    with pytest.raises(UnknownMeasureError, match=r"^metric: expected one of mrr, .*, found 'ndcg'$"):
        beir.evaluate_custom(QRELS, RUN, [1], "ndcg")
    with pytest.raises(InputError, match="^run: query 'q1', document 'a': expected a number as score, found 'x'"):
        beir.evaluate(QRELS, {"q1": {"a": "x"}}, [1])


# MTEB


def test_mteb_s_scores():
    scores = mteb.calculate_retrieval_scores(RUN, QRELS, [1, 3, 10])
    assert list(scores.all_scores) == ["q7", "q1", "q2", "q4", "q5"]
    assert scores.all_scores["q2"]["map_cut_10"] == pytest.approx(1.1 / 3)
    assert scores[1:5] == tuple(beir.evaluate(QRELS, RUN, [1, 3, 10]))
    assert scores.mrr == {"MRR@1": 0.6, "MRR@3": pytest.approx(2 / 3), "MRR@10": pytest.approx(2 / 3)}
    assert scores.hit_rate == {"HitRate@1": 0.4, "HitRate@3": 0.8, "HitRate@10": 0.8}
    assert list(scores.naucs)[:3] == ["nAUC_NDCG@1_max", "nAUC_NDCG@1_std", "nAUC_NDCG@1_diff1"]
    assert list(scores.naucs_mrr)[-1] == "nAUC_MRR@10_diff1"
    confidence = [max(RUN[query].values()) for query in scores.all_scores]
    expected = mteb.nauc(confidence, [row["ndcg_cut_3"] for row in scores.all_scores.values()])
    assert scores.naucs["nAUC_NDCG@3_max"] == expected
    # What MTEB has without q6, which is a KeyError there.
    assert expected == pytest.approx(-0.006713797660730315, rel=1e-12)
    assert scores.naucs["nAUC_NDCG@3_std"] == pytest.approx(0.3550531020115732, rel=1e-12)
    assert scores.naucs_mrr["nAUC_MRR@10_diff1"] == pytest.approx(0.9821428571428572, rel=1e-12)
    assert list(scores.all_scores["q2"]) == [
        f"{name}_{k}" for name in ("P", "recall", "ndcg_cut", "map_cut", "success") for k in (1, 3, 10)
    ]


def test_mteb_s_means_from_values_of_queries():
    scores = mteb.calculate_retrieval_scores(RUN, QRELS, [3, 1])
    found = mteb.parse_metrics_from_scores(scores.all_scores, [3, 1])
    assert found[:4] == scores[1:5] and found[8] == scores.hit_rate
    assert found[5]["MAP@3"] == [row["map_cut_3"] for row in scores.all_scores.values()]
    assert [list(one) for one in found[4:8]] == [[f"{key}@3", f"{key}@1"] for key in ("NDCG", "MAP", "Recall", "P")]
    with pytest.raises(NoQueriesError, match="^scores: expected a query, found none$"):
        mteb.parse_metrics_from_scores({}, [1])
    with pytest.raises(InputError, match="^scores: query 'q7': expected a value of ndcg_cut_2, found P_1, "):
        mteb.parse_metrics_from_scores(scores.all_scores, [2])


def test_mteb_s_scores_where_grades_are_negative_alone():
    scores = mteb.calculate_retrieval_scores({"q": {"a": 1.0}}, {"q": {"a": -1}}, [1])
    assert scores.ndcg == {"NDCG@1": 0.0} and scores.hit_rate == {"HitRate@1": 0.0}


def test_mteb_s_lists_of_values():
    """What MTEB has without q6, which is a KeyError there but for holes; and with 0 for each query without a hit."""
    assert mteb.mrr(QRELS, RUN, [1, 10]) == {
        "MRR@1": [1.0, 1.0, 0.0, 0.0, 1.0],
        "MRR@10": [1.0, 1.0, 0.3333333333333333, 0.0, 1.0],
    }
    assert mteb.recall_cap(QRELS, RUN, [2]) == {"R_cap_at_2": [1.0, 0.5, 0.0, None, 0.5]}
    assert mteb.hole(QRELS, RUN, [2]) == {"Hole_at_2": [0.0, 0.5, 0.5, 0.0, 0.5, 0.0]}
    assert mteb.top_k_accuracy(QRELS, RUN, [1]) == {"Accuracy@1": [1.0, 1.0, 0.0, 0.0, 1.0]}
    assert mteb.mrr({"q": {}}, {"q": {"a": 1.0}}, [1]) == {"MRR@1": [0.0]}
    assert mteb.hole({}, {"q": {"a": 1.0}}, [1, 2]) == {"Hole_at_1": [1.0], "Hole_at_2": [0.5]}
    for function, key in ((mteb.mrr, "MRR@1"), (mteb.recall_cap, "R_cap_at_1"), (mteb.hole, "Hole_at_1")):
        assert function(QRELS, {}, [1]) == {key: []}


def test_a_cutoff_may_stand_twice():
    assert mteb.mrr(QRELS, RUN, [10, 1, 10]) == mteb.mrr(QRELS, RUN, [10, 1])
    assert mteb.calculate_retrieval_scores(RUN, QRELS, [1, 1]).mrr == {"MRR@1": 0.6}
    assert beir.evaluate_custom(QRELS, RUN, [1, 1], "mrr") == beir.evaluate_custom(QRELS, RUN, [1], "mrr")


def test_the_first_result_can_be_skipped():
    """The first by 64 bits, of tied documents the one that is listed first."""
    before = copy.deepcopy(RUN)
    scores = mteb.calculate_retrieval_scores(RUN, QRELS, [1, 2, 3], skip_first_result=True)
    # Left at the first rank: db (da was first), x, d5 (d1 was listed first), nothing, n.
    assert [row["P_1"] for row in scores.all_scores.values()] == [0.0, 0.0, 0.0, 0.0, 0.0]
    assert scores.all_scores["q2"]["map_cut_3"] == 1 / 3 / 2
    assert before == RUN


def test_score_dicts():
    scores = mteb.calculate_retrieval_scores(RUN, QRELS, [1, 10])
    found = mteb.make_score_dict(
        *scores[1:5], scores.mrr, scores.naucs, scores.naucs_mrr, scores.hit_rate, {"p-MRR": 0.5}
    )
    assert found["ndcg_at_10"] == scores.ndcg["NDCG@10"] and found["precision_at_1"] == scores.precision["P@1"]
    assert found["nauc_ndcg_at_10_max"] == scores.naucs["nAUC_NDCG@10_max"]
    assert found["nauc_precision_at_1_std"] == scores.naucs["nAUC_P@1_std"]
    assert found["nauc_mrr_at_1_diff1"] == scores.naucs_mrr["nAUC_MRR@1_diff1"]
    assert found["hit_rate_at_10"] == 0.8 and found["p-MRR"] == 0.5
    assert found["accuracy"] == found["recall_at_1"] == scores.recall["Recall@1"]
    assert list(found)[:8] == [
        *("ndcg_at_1", "ndcg_at_10", "map_at_1", "map_at_10", "recall_at_1", "recall_at_10", "accuracy"),
        "precision_at_1",
    ]
    assert mteb.make_score_dict(
        {}, {}, {"Recall@5": 0.5}, {}, {"MRR@5": [0.0, 1.0]}, {}, {}, {}, previous_results_model_meta={"name": "m"}
    ) == {"recall_at_5": 0.5, "mrr_at_5": [0.0, 1.0], "previous_results_model_meta": {"name": "m"}}


def test_confidences():
    assert mteb.confidence_scores([0.5, 0.9, 0.1]) == {
        "max": 0.9, "std": pytest.approx(0.3266, abs=0.00005), "diff1": pytest.approx(0.4),
    }  # fmt: skip
    assert repr(mteb.confidence_scores([2])) == "{'max': 2, 'std': 0.0, 'diff1': 0.0}"
    assert mteb.confidence_scores([]) == {"max": 0.0, "std": 0.0, "diff1": 0.0}


def test_abstention():
    confidences = [i / 10 for i in range(1, 11)]
    assert mteb.nauc(confidences, [0, 0, 1, 0, 1, 0, 1, 1, 1, 1]) == pytest.approx(0.80944, abs=0.000005)
    assert mteb.nauc(confidences, confidences) == pytest.approx(1.0)
    assert mteb.nauc(confidences[::-1], confidences) < 0
    assert math.isnan(mteb.nauc(confidences, [0.5] * 10))
    assert mteb.evaluate_abstention({"q": {}, "r": {"d": 1.0}}, {"P@1": [0.0, 1.0]})["nAUC_P@1_max"] == 1.0
    # Of equally confident queries, each counts with their mean.
    assert mteb.nauc([1, 1, 1, 1], [1, 2, 4, 8]) == 0.0
    assert mteb.nauc([0.1, 0.1, 0.2, 0.2], [1, 2, 4, 8]) == pytest.approx(0.7223427331887202, rel=1e-12)
    assert math.isnan(mteb.nauc([1, 2, 3], [0.1, 0.1, 0.1]))
    assert mteb.ABSTENTION_RATES[3] == 0.30000000000000004
    with pytest.raises(ParameterError, match="^abstention_rates: expected at least two, found 1$"):
        mteb.nauc([1, 2], [1, 2], [0.5])
    for arguments in (([], []), ([1], [1, 2])):
        with pytest.raises(EvaluationError, match="^expected a confidence for each value, found [01] and [02]$"):
            mteb.nauc(*arguments)


def test_abstention_against_a_naive_reading():
    """Trapezoids of the mean of what is kept, over all orders of equally confident queries."""
    random_ = random.Random(3)
    for n in (1, 2, 7, 30):
        values = [random_.random() for _ in range(n)]
        confidences = [random_.choice([0.1, 0.5, 0.9]) for _ in range(n)]

        def area(keys: Any, values: Any = values, n: int = n) -> float:
            values = [statistics.fmean(b for a, b in zip(keys, values, strict=True) if a == key) for key in keys]
            rising = np.array(values)[np.argsort(keys, kind="stable")]
            means = [rising[min(round(rate * n), n - 1) :].mean() for rate in mteb.ABSTENTION_RATES]
            return sum((a + b) / 2 * 0.1 for a, b in itertools.pairwise(means))

        flat = np.mean(values) * 0.9
        if n == 1:
            assert math.isnan(mteb.nauc(confidences, values))
        else:
            expected = (area(confidences) - flat) / (area(values) - flat)
            assert mteb.nauc(confidences, values) == pytest.approx(expected)


ABC = {"a": 3.0, "b": 2.0, "c": 1.0}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ({"b": 3, "c": 2, "a": 1}, 2 / 3),  # 1 to 3
        ({"b": 3, "c": 2}, 2 / 3),  # 1 to behind the second
        (ABC, 0.0),
        ({}, 0.0),  # behind none
    ],
)
def test_p_mrr(after: Any, expected: float):
    assert mteb.calculate_pmrr({"q-og": ABC}, {"q-changed": after}, {"q": ["a"]}) == pytest.approx(expected)
    if after:
        assert mteb.calculate_pmrr({"q-og": after}, {"q-changed": ABC}, {"q": ["a"]}) == pytest.approx(-expected)


def test_p_mrr_is_a_mean_over_documents_and_queries(caplog: pytest.LogCaptureFixture):
    before = {"q-og": ABC, "r-og": ABC, "s-og": ABC, "x-og": ABC}
    after = {"q-changed": {"b": 3, "c": 2, "a": 1}, "r-changed": ABC, "s-changed": ABC}
    found = mteb.calculate_pmrr(before, after, {"q": ["a", "c"], "r": ["b"], "s": [], "x": ["a"]})
    assert found == pytest.approx(((1 - 1 / 3) + (2 / 3 - 1)) / 2 / 2)
    assert [record.getMessage() for record in caplog.records] == ["query x is left out of p-MRR: a run lacks it"]
    tied = {"q-og": {"a": 1.0, "b": 1.0, "c": 1.0}}  # c, b, a
    assert mteb.calculate_pmrr(tied, {"q-changed": ABC}, {"q": ["a"]}) == pytest.approx(1 / 3 - 1)
    close = [{"a": 0.700000010, "b": 0.700000005}, {"a": 0.700000005, "b": 0.700000010}]
    assert mteb.calculate_pmrr({"q-og": close[0]}, {"q-changed": close[1]}, {"q": ["a"]}) == 0.5
    for changed in ({"q": []}, {"x": ["a"]}, {}):
        with pytest.raises(NoQueriesError, match="^changed_qrels: expected a query of both runs with documents, found"):
            mteb.calculate_pmrr(before, after, changed)


def test_ranks_of_documents():
    assert mteb.get_rank_from_dict({"a": 1.0, "b": 2.0, "c": 2.0}, "b") == (2, 2.0)
    assert mteb.get_rank_from_dict({"c": 2.0, "b": 2.0}, "z") == (3, 0)
    assert mteb.rank_score({"og_rank": 3, "new_rank": 5}) == 0.3999999999999999
    assert mteb.rank_score({"og_rank": 5, "new_rank": 3}) == -0.3999999999999999
    assert mteb.rank_score({"og_rank": 2, "new_rank": 2}) == 0.0


def test_p_mrr_with_scores_of_both_instructions():
    results = {"q-og": ABC, "q-changed": {"b": 3.0, "c": 2.0, "a": 1.0}}
    qrels = {"q-og": {"a": 1, "b": 1}, "q-changed": {"a": 0, "b": 1}}
    found = mteb.evaluate_p_mrr_change(qrels, results, {"q": ["a"]}, [1, 3])
    assert list(found) == ["p-MRR", "og", "changed"] and found["p-MRR"] == pytest.approx(2 / 3)
    assert (found["og"]["recall_at_1"], found["changed"]["recall_at_1"]) == (0.5, 1.0)


def test_robustness_and_paired_accuracy():
    """Over the judged queries."""
    scores = {"a_1": {"ndcg_cut_10": 0.5}, "a_2_x": {"ndcg_cut_10": 0.25}, "b_1": {"ndcg_cut_10": 1.0}}
    assert mteb.robustness_at_10(dict.fromkeys(scores, {}), {}, scores) == 0.625
    assert mteb.robustness_at_10({"a_1": {}, "b_1": {}}, {}, scores) == 0.75
    pairs = {f"{pair}_{one}": {"recall_1": 1.0} for pair in ("x", "y-z") for one in ("q1", "q2")}
    assert mteb.paired_accuracy(dict.fromkeys(pairs, {}), {}, pairs) == 1.0
    assert mteb.paired_accuracy(dict.fromkeys(pairs, {}), {}, {**pairs, "x_q1": {"recall_1": 0.5}}) == 0.5
    assert mteb.paired_accuracy({"x_q1": {}}, {}, pairs) == 1.0
    with pytest.raises(InputError, match="^scores: query 'x_q2': expected a value of recall_1, found none$"):
        mteb.paired_accuracy({"x_q1": {}}, {}, {"x_q1": {"recall_1": 1.0}})
    with pytest.raises(InputError, match="^scores: query 'a_1': expected a value of ndcg_cut_10, found recall_1$"):
        mteb.robustness_at_10({"a_1": {}}, {}, {"a_1": {"recall_1": 1.0}})
    for function in (mteb.robustness_at_10, mteb.paired_accuracy):
        with pytest.raises(NoQueriesError, match="^qrels: expected a (pair of queries|query), found none$"):
            function({}, {}, scores)


def test_subqueries_are_merged():
    results = {"a_1": {"d": 3.0, "e": 1.0}, "a_2": {"x": 4.0, "d": 1.0, "e": 2.0}, "b_1": {"f": 1.0, "g": 2.0}}
    qrels = {"a_1": {"x": 1}, "a_2": {"d": 1, "e": 1}, "b_1": {"f": 1}}
    expected = {
        "ndcg_at_1": 0.0, "ndcg_at_2": 0.50889, "map_at_1": 0.0, "map_at_2": 0.375, "recall_at_1": 0.0,
        "recall_at_2": 0.75, "accuracy": 0.0, "precision_at_1": 0.0, "precision_at_2": 0.5, "mrr_at_1": 0.0,
        "mrr_at_2": 0.5, "hit_rate_at_1": 0.0, "hit_rate_at_2": 1.0,
    }  # fmt: skip
    for more in ({}, {"a_3": {"x": 1}, "c_1": {"x": 1}}):  # subqueries without results
        found = mteb.max_over_subqueries({**qrels, **more}, results, [1, 2])
        assert {key: value for key, value in found.items() if "nauc" not in key} == {
            f"max_over_subqueries_{key}": value for key, value in expected.items()
        }
        assert len(found) == len(expected) + 30


def test_what_mteb_s_calls_refuse():
    with pytest.raises(NoQueriesError, match="^results: expected a query of the qrels, found none$"):
        mteb.calculate_retrieval_scores({"q6": {"z": 1.0}}, QRELS, [1])
    with pytest.raises(ParameterError, match="^k_values: expected whole numbers from 1, found 0$"):
        mteb.mrr(QRELS, RUN, [0])


# ranx

R_QRELS = {"q1": {"a": 3, "b": 0, "c": 1, "x": 2}, "q2": {"a": 1}, "q3": {"z": 2}}
R_RUN = {"q3": {"z": 0.5, "y": 0.4}, "q1": {"u": 0.95, "a": 0.9, "b": 0.8, "c": 0.7}, "q2": {"b": 0.9, "a": 0.8}}


@pytest.mark.parametrize(
    ("metric", "expected"),
    [  # what ranx has for these, but for bpref (it has NaN where nothing is judged nonrelevant)
        ("hits", [2, 1, 1]),
        ("hits@2-l2", [1, 0, 1]),
        ("hit_rate", [1, 1, 1]),
        ("hit_rate@1", [0, 0, 1]),
        ("precision", [0.5, 0.5, 0.5]),
        ("precision@3", [1 / 3, 1 / 3, 1 / 3]),
        ("precision@3-l0", [2 / 3, 1 / 3, 1 / 3]),
        ("recall", [2 / 3, 1, 1]),
        ("recall@2", [1 / 3, 1, 1]),
        ("f1", [4 / 7, 2 / 3, 2 / 3]),
        ("f1@3", [1 / 3, 1 / 2, 1 / 2]),
        ("f1-l2", [1 / 3, 0, 2 / 3]),
        ("r-precision", [1 / 3, 0, 1]),
        ("r_precision", [1 / 3, 0, 1]),
        ("mrr@1", [0, 0, 1]),
        ("mrr@5-l2", [0.5, 0, 1]),
        ("map@2", [1 / 6, 0.5, 1]),
        ("map-l2", [0.25, 0, 1]),
        ("dcg", [2.32346582, 0.63092975, 2]),
        ("dcg-l2", [1.89278926, 0, 2]),
        ("dcg_burges@3", [4.41650828, 0.63092975, 3]),
        ("ndcg@0", [0.48793246, 0.63092975, 1]),
        ("ndcg@10-l2", [0.44412287, 0, 1]),
        ("ndcg_burges", [0.51605383, 0.63092975, 1]),
        ("bpref", [1 / 3, 1, 1]),
        ("rbp.80", [0.5824, 0.16, 0.4]),
        ("rbp.5", [0.8125, 0.25, 1]),
        ("rbp.80-l2", [0.48, 0, 0.4]),
    ],
)
def test_ranx_s_metrics(metric: str, expected: list[float]):
    found = ranx.evaluate(R_QRELS, R_RUN, metric, return_mean=False)
    assert found == pytest.approx(expected, abs=1e-8)
    assert ranx.evaluate(R_QRELS, R_RUN, [metric]) == pytest.approx(sum(expected) / 3, abs=1e-8)


def test_ranx_s_results():
    assert type(ranx.evaluate(R_QRELS, R_RUN, "map")) is float
    several = ranx.evaluate(R_QRELS, R_RUN, ["map", "rbp.80-l2", "ndcg@3"], return_std=True)
    assert list(several) == ["map", "rbp.80-l2", "ndcg@3"]
    assert several["map"] == {
        "mean": pytest.approx(11 / 18),
        "std": pytest.approx(statistics.pstdev([1 / 3, 1 / 2, 1])),
    }


def test_queries_are_paired_by_their_ids():
    expected = ranx.evaluate(R_QRELS, R_RUN, "map", return_mean=False).tolist()
    for order in itertools.permutations(R_RUN):
        run = {query: R_RUN[query] for query in order}
        assert ranx.evaluate(R_QRELS, run, "map", return_mean=False).tolist() == expected
        qrels = {query: R_QRELS[query] for query in order}
        by_id = dict(zip(order, ranx.evaluate(qrels, R_RUN, "map", return_mean=False), strict=True))
        assert [by_id[query] for query in R_QRELS] == expected


def test_queries_that_differ():
    with pytest.raises(EvaluationError, match="^run: expected results for every judged query, found none for 1 of 3"):
        ranx.evaluate(R_QRELS, {query: R_RUN[query] for query in ("q1", "q2")}, "map")
    with pytest.raises(EvaluationError, match="^run: expected judged queries alone, found query 'q9'$"):
        ranx.evaluate(R_QRELS, {**R_RUN, "q9": {"a": 1.0}}, "map")
    run = {"q9": {"a": 1.0}, "q3": R_RUN["q3"]}
    assert ranx.evaluate(R_QRELS, run, "map", make_comparable=True, return_mean=False).tolist() == [0, 0, 1]
    with pytest.raises(NoQueriesError, match="^expected a query with both results and judgements, found none"):
        ranx.evaluate({}, {}, "map")


def test_ties_are_trec_eval_s_unless_another_order_is_asked_for():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    assert ranx.evaluate(qrels, run, "mrr") == 0.5
    assert ranx.evaluate(qrels, run, "mrr", ties="input") == 1.0


def test_any_input_of_treckon_s_is_taken():
    rows = [(query, document, grade) for query, documents in R_QRELS.items() for document, grade in documents.items()]
    expected = ranx.evaluate(R_QRELS, R_RUN, ["map", "rbp.80-l2"])
    assert ranx.evaluate(iter(rows), R_RUN, ["map", "rbp.80-l2"]) == expected


@pytest.mark.parametrize(
    "metric", ["foo", "ndcg@x", "ndcg@10-lx", "ndcg_burges-l3@5", "rbp", "r-precision@", "NDCG", ""]
)
def test_unknown_metrics_are_refused(metric: str):
    with pytest.raises(
        UnknownMeasureError, match=f"^metrics: expected one of hits, .*, found {re.escape(repr(metric))}$"
    ):
        ranx.evaluate(R_QRELS, R_RUN, metric)


def test_no_metrics_are_refused():
    with pytest.raises(ParameterError, match="^metrics: expected a name, found none$"):
        ranx.evaluate(R_QRELS, R_RUN, [])


def test_nothing_that_is_passed_in_is_changed():
    qrels, run = copy.deepcopy(R_QRELS), copy.deepcopy(R_RUN)
    ranx.evaluate(qrels, run, ["map", "rbp.80-l2"])
    beir.evaluate(qrels, run, [1, 3], ignore_identical_ids=True)
    mteb.calculate_retrieval_scores(run, qrels, [1], skip_first_result=True)
    assert (qrels, run) == (R_QRELS, R_RUN)
    assert list(run) == list(R_RUN)


def test_importing_them_imports_no_numpy():
    code = (
        "import sys, treckon.compat; from treckon.compat import beir, mteb, pytrec_eval, ranx; "
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    assert treckon.__version__
