"""docs/switching.md, row by row, for the libraries whose calls treckon.compat has.

The name of a test carries the row's number. What the other library does is tested in tests/peers, where it can be.
"""

import copy
import math
import random
import re
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treckon
from treckon import compat
from treckon.compat import beir, mteb, pytrec_eval, ranx
from treckon.errors import EvaluationError, InputError, NoQueriesError, ParameterError, UnknownMeasureError

TESTS = Path(__file__).resolve().parent
PAGE = TESTS.parent / "docs" / "switching.md"

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}, "q3": {"d1": 3, "d4": -1, "d5": 1}}
RUN = {"q3": {"d4": 3.0, "x": 2.0, "d1": 1.0}, "q1": {"d1": 0.5, "d2": 0.7, "d9": 0.3}}


def random_input(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Graded judgements and scores that tie; every query on both sides."""
    random_ = random.Random(seed)
    documents = [f"d{i}" for i in range(20)]
    qrels, run = {}, {}
    for query in ("q1", "q2", "q3", "q4"):
        qrels[query] = {document: random_.choice([0, 0, 1, 2, 3]) for document in random_.sample(documents, 12)}
        run[query] = {document: float(random_.randint(1, 9)) for document in random_.sample(documents, 15)}
    return qrels, run


def evaluated(qrels: Any, run: Any, measures: Any, *rest: Any, **more: Any) -> Any:
    return pytrec_eval.RelevanceEvaluator(qrels, measures, *rest, **more).evaluate(run)


# From pytrec_eval


def test_p01_the_calls_are_the_same():
    qrels = pytrec_eval.parse_qrel(["q1 0 d1 1", "q1 0 d2 0"])
    run = pytrec_eval.parse_run(["q1 Q0 d2 1 2.5 t", "q1 Q0 d1 2 1.5 t"])
    found = evaluated(qrels, run, pytrec_eval.supported_measures & pytrec_eval.supported_nicknames["set"] | {"map"})
    assert found["q1"]["map"] == 0.5 and found["q1"]["num_ret"] == 2.0
    assert pytrec_eval.compute_aggregated_measure("map", [found["q1"]["map"]]) == 0.5


def test_p02_scores_are_compared_in_32_bits():
    qrels, run = {"q": {"da": 1}}, {"q": {"da": 0.700000010, "db": 0.700000005}}
    assert evaluated(qrels, run, ["map"]) == {"q": {"map": 0.5}}
    assert evaluated(qrels, run, ["map"], compat="10.0") == {"q": {"map": 1.0}}


def test_p03_measures_of_the_releases():
    with pytest.raises(ValueError, match="^unsupported measure rbp$"):
        evaluated(QRELS, RUN, ["rbp"])
    assert list(evaluated(QRELS, RUN, ["rbp", "unj_5", "dcg"], compat="10.0")["q1"]) == ["dcg", "rbp", "unj_5"]
    old, new = (list(evaluated(QRELS, RUN, ["all_trec"], compat=one)["q1"]) for one in ("9.0.8", "10.0"))
    assert old == new


@pytest.mark.parametrize("score", [np.float32(1), np.int64(1), np.float64(1)])
@pytest.mark.parametrize("grade", [np.int64(1), np.int8(1)])
def test_p04_numpy_s_numbers_are_taken(score: Any, grade: Any):
    assert evaluated({"q": {"d": grade}}, {"q": {"d": score}}, ["map"]) == {"q": {"map": 1.0}}


def test_p05_nan_is_refused():
    with pytest.raises(ValueError, match="^run: query 'q1', document 'd1': expected a number as score, found NaN$"):
        evaluated(QRELS, {"q1": {"d1": math.nan}}, ["map"])


def test_p06_errors_say_where():
    with pytest.raises(TypeError, match=r"^Unable to extract query/object scores\. run: query 'q1', document 'd1': "):
        evaluated(QRELS, {"q1": {"d1": "1"}}, ["map"])
    with pytest.raises(TypeError, match=r"^Expected relevance to be integer\. qrels: query 'q1', document 'd1': "):
        evaluated({"q1": {"d1": 1.5}}, RUN, ["map"])


@pytest.mark.parametrize("measure", ["P.0", "P.5,05", "ndcg.1=3"])
def test_p07_parameters_that_end_the_interpreter(measure: str):
    with pytest.raises(ValueError, match=f"^{measure.partition('.')[0]}"):
        evaluated(QRELS, RUN, [measure])


def test_p08_coefficients_of_utility():
    with pytest.raises(ValueError, match=r"^utility\.1: expected 4 different unsigned numbers, found 1$"):
        evaluated(QRELS, RUN, ["utility.1,-1,0,0"])
    assert evaluated(QRELS, RUN, ["utility.0,1,2,3"])["q1"] == {"utility": 1 * 2 + 2 * 1 + 3 * (0 + 1 - 3 - 2)}
    evaluation = treckon.evaluate(QRELS, RUN, "utility.1,-1,0,0")
    assert evaluation.per_query["q1"]["utility_1,-1,0,0"] == 1 - 2


@pytest.mark.parametrize("document", ["d\0", "d\ud800"])
def test_p09_ids_that_can_not_be_told_apart(document: str):
    place = re.escape(f"query 'q1', document {document!r}: expected an id ")
    with pytest.raises(ValueError, match=f"^qrels: {place}"):
        evaluated({"q1": {document: 1}}, RUN, ["map"])
    with pytest.raises(ValueError, match=f"^run: {place}"):
        evaluated(QRELS, {"q1": {document: 1.0}}, ["map"])


def test_p10_negative_grades_alone():
    qrels = {**QRELS, "q2": {"d1": -1}}
    with pytest.raises(ValueError, match="^qrels: query 'q2', document 'd1': expected a grade of 0 or more"):
        evaluated(qrels, {"q2": {"d1": 1.0}, **RUN}, ["map"])
    assert evaluated(qrels, {**RUN, "q2": {"d1": 1.0}}, ["map", "num_rel"])["q2"] == {"map": 0.0, "num_rel": 0.0}


def test_p11_negative_levels():
    with pytest.raises(ValueError, match="^relevance_level: expected a whole number from 1, found -1$"):
        evaluated(QRELS, RUN, ["map"], -1)


def test_p12_grades_beyond_32_bits():
    with pytest.raises(ValueError, match="^qrels: query 'q', document 'd': expected a grade of at most 32 bits"):
        evaluated({"q": {"d": 2**40}}, RUN, ["map"])


def test_p13_nothing_left_in_a_ranking():
    measures = ["iprec_at_recall", "11pt_avg", "Rprec_mult"]
    for run, judged_only in (({"q1": {}}, False), ({"q1": {"x": 1.0}}, True)):
        assert set(evaluated(QRELS, run, measures, 1, judged_only)["q1"].values()) == {0.0}


def test_p14_the_tag_of_a_run():
    assert evaluated(QRELS, RUN, ["runid"]) == {"q3": {"runid": 0.0}, "q1": {"runid": 0.0}}


def test_p15_names_of_measures():
    for theirs, ours in (("ndcg_cut_10", "nDCG@10"), ("recall.100", "R@100"), ("map_cut_5", "AP@5"), ("map", "AP")):
        expected = {query: list(row.values())[0] for query, row in evaluated(QRELS, RUN, [theirs]).items()}
        for text in (theirs, ours):
            evaluation = treckon.evaluate(QRELS, RUN, text, compat="9.0.8")
            assert {query: evaluation.per_query[query][str(treckon.parse(text))] for query in RUN} == expected
    official = treckon.evaluate(QRELS, RUN, "official", compat="9.0.8").per_query["q1"]
    expected = evaluated(QRELS, RUN, ["official"])["q1"]
    assert {str(measure): value for measure, value in official.items()}.items() <= expected.items()


def test_p16_levels():
    expected = evaluated(QRELS, RUN, ["map"], 2)["q3"]["map"]
    assert treckon.evaluate(QRELS, RUN, "map", level=2).per_query["q3"]["map"] == expected
    assert treckon.evaluate(QRELS, RUN, "AP(rel=2)").per_query["q3"]["AP(rel=2)"] == expected


def test_p17_judged_documents_alone():
    expected = evaluated(QRELS, RUN, ["map"], 1, True)["q3"]["map"]
    assert expected != evaluated(QRELS, RUN, ["map"])["q3"]["map"]
    assert treckon.evaluate(QRELS, RUN, "map", unjudged="condensed").per_query["q3"]["map"] == expected
    assert treckon.evaluate(QRELS, RUN, "AP(judged_only=True)").per_query["q3"]["AP(judged_only=True)"] == expected


def test_p18_missing_queries():
    values = [row["map"] for row in evaluated(QRELS, RUN, ["map"]).values()]
    evaluation = treckon.evaluate(QRELS, RUN, "map")
    assert evaluation["map"] == pytest.approx(pytrec_eval.compute_aggregated_measure("map", values))
    assert evaluation.warnings[0].startswith("1 of 3 judged queries are missing from the run, for example 'q2'")
    assert treckon.evaluate(QRELS, RUN, "map", missing="zero")["map"] == pytest.approx(sum(values) / 3)


# From BEIR and MTEB

SELF_QRELS = {"q1": {"q1": 0, "a": 1}, "q2": {"b": 1}}
SELF_RESULTS = {"q1": {"q1": 2.0, "a": 1.0}, "q2": {"b": 1.0}}


def test_b01_the_main_measures_are_trec_eval_s():
    qrels, results = random_input(1)
    ndcg, map_, recall, precision = beir.evaluate(qrels, results, [3, 10])
    assert (ndcg, map_, recall, precision) == beir.EvaluateRetrieval.evaluate(qrels, results, [3, 10])
    rows = evaluated(qrels, results, ["ndcg_cut.10", "map_cut.10", "recall.10", "P.10"]).values()
    for found, key, name in (
        (ndcg, "NDCG@10", "ndcg_cut_10"), (map_, "MAP@10", "map_cut_10"), (recall, "Recall@10", "recall_10"),
        (precision, "P@10", "P_10"),
    ):  # fmt: skip
        assert found[key] == round(sum(row[name] for row in rows) / len(rows), 5)


def test_b02_identical_ids():
    before = copy.deepcopy(SELF_RESULTS)
    found = beir.evaluate(SELF_QRELS, SELF_RESULTS, [1])
    assert (found.ndcg, found.n_removed) == ({"NDCG@1": 1.0}, 1)
    assert beir.evaluate(SELF_QRELS, SELF_RESULTS, [1], ignore_identical_ids=False).ndcg == {"NDCG@1": 0.5}
    assert beir.evaluate_custom(SELF_QRELS, SELF_RESULTS, [1], "mrr") == {"MRR@1": 0.5}
    assert beir.evaluate_custom(SELF_QRELS, SELF_RESULTS, [1], "mrr", ignore_identical_ids=True) == {"MRR@1": 1.0}
    assert before == SELF_RESULTS


def test_b03_orders_of_ties():
    qrels, results = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    assert beir.evaluate(qrels, results, [1]).precision == {"P@1": 0.0}
    assert beir.evaluate_custom(qrels, results, [1], "mrr") == {"MRR@1": 1.0}
    assert beir.evaluate_custom(qrels, {"q": {"b": 1.0, "a": 1.0}}, [1, 2], "mrr") == {"MRR@1": 0.0, "MRR@2": 0.5}
    assert mteb.mrr(qrels, results, [2]) == {"MRR@2": [0.5]}
    assert treckon.evaluate(qrels, results, ["RR", "P@1"])["RR"] == 0.5


def test_b04_widths_of_scores():
    qrels, results = {"q": {"da": 1, "db": 0}}, {"q": {"da": 0.700000010, "db": 0.700000005}}
    assert beir.evaluate(qrels, results, [1]).precision == {"P@1": 0.0}
    assert beir.evaluate(qrels, results, [1], compat="10.0").precision == {"P@1": 1.0}
    assert beir.evaluate_custom(qrels, results, [1], "mrr") == {"MRR@1": 1.0}
    scores = mteb.calculate_retrieval_scores(results, qrels, [1])
    assert (scores.precision, scores.hit_rate, scores.mrr) == ({"P@1": 0.0}, {"HitRate@1": 0.0}, {"MRR@1": 1.0})
    assert mteb.top_k_accuracy(qrels, results, [1]) == {"Accuracy@1": [1.0]}


def test_b05_queries_of_the_means():
    qrels = {**SELF_QRELS, "q3": {"c": 1}}
    assert beir.evaluate(qrels, SELF_RESULTS, [2]).recall == {"Recall@2": 1.0}
    assert beir.evaluate_custom(qrels, SELF_RESULTS, [2], "acc") == {"Accuracy@2": round(2 / 3, 5)}
    assert mteb.calculate_retrieval_scores(SELF_RESULTS, qrels, [2]).hit_rate == {"HitRate@2": 1.0}


def test_b06_capped_recall_where_nothing_is_relevant():
    qrels, results = {"q": {"a": 0}}, {"q": {"a": 1.0}}
    assert beir.evaluate_custom(qrels, results, [1], "r_cap") == {"R_cap@1": 0.0}
    assert mteb.recall_cap(qrels, results, [1]) == {"R_cap_at_1": [None]}


def test_b07_no_query_in_common():
    for call in (beir.evaluate, lambda qrels, results, k: mteb.calculate_retrieval_scores(results, qrels, k)):
        with pytest.raises(NoQueriesError, match="^(results: )?expected a query (of the qrels|with both results)"):
            call(SELF_QRELS, {"x": {"a": 1.0}}, [1])


def test_b08_mteb_s_scores():
    qrels, results = random_input(2)
    before = copy.deepcopy(results)
    scores = mteb.calculate_retrieval_scores(results, qrels, [1, 10])
    assert scores[1:5] == tuple(beir.evaluate(qrels, results, [1, 10]))
    measures = [f"{name}.1,10" for name in ("ndcg_cut", "map_cut", "recall", "P", "success")]
    assert scores.all_scores == evaluated(qrels, results, measures)
    skipped = mteb.calculate_retrieval_scores(results, qrels, [1], skip_first_result=True)
    for documents in (rest := copy.deepcopy(results)).values():
        del documents[max(documents, key=documents.__getitem__)]
    assert skipped == mteb.calculate_retrieval_scores(rest, qrels, [1])
    assert results == before


def test_b09_accuracy_lists_every_query():
    assert mteb.top_k_accuracy(SELF_QRELS, SELF_RESULTS, [1]) == {"Accuracy@1": [0.0, 1.0]}


def test_b10_functions_of_values():
    for name in (
        "max_over_subqueries", "parse_metrics_from_scores", "make_score_dict", "calculate_pmrr",
        "evaluate_p_mrr_change", "rank_score", "get_rank_from_dict", "confidence_scores", "nauc",
        "evaluate_abstention", "robustness_at_10", "paired_accuracy",
    ):  # fmt: skip
        assert name in mteb.__all__ and callable(getattr(mteb, name))
    confidences = [i / 10 for i in range(1, 11)]
    assert mteb.nauc(confidences, [0, 0, 1, 0, 1, 0, 1, 1, 1, 1]) == pytest.approx(0.80944, abs=0.000005)


def test_b11_a_library_that_imports_pytrec_eval():
    library = types.ModuleType("library")
    compat.install("pytrec_eval")
    try:
        exec("import pytrec_eval", library.__dict__)
    finally:
        compat.uninstall("pytrec_eval")
    assert library.pytrec_eval is pytrec_eval


def test_b12_results_of_queries_that_are_not_judged():
    qrels, results = {"q": {"a": 1}}, {"x": {"z": 1.0}, "q": {"a": 1.0}}
    assert beir.evaluate_custom(qrels, results, [1], "mrr") == {"MRR@1": 1.0}
    assert beir.evaluate_custom(qrels, results, [1], "hole") == {"Hole@1": 1.0}
    assert mteb.mrr(qrels, results, [1]) == {"MRR@1": [1.0]}
    assert mteb.hole(qrels, results, [1]) == {"Hole_at_1": [1.0, 0.0]}
    assert mteb.calculate_retrieval_scores(results, qrels, [1]).ndcg == {"NDCG@1": 1.0}


def test_b13_what_is_missing_is_left_out():
    found = mteb.max_over_subqueries({"q_1": {"a": 1}, "q_2": {"b": 1}}, {"q_1": {"a": 1.0}}, [1])
    assert found["max_over_subqueries_ndcg_at_1"] == 1.0
    found = mteb.calculate_retrieval_scores({"q": {"a": 1.0}, "p": {"b": 1.0}}, {"q": {"a": 1}, "p": {}}, [1])
    assert found.ndcg == {"NDCG@1": 1.0}


def test_b14_odd_cutoffs():
    assert beir.evaluate(SELF_QRELS, SELF_RESULTS, [1, 1]).recall == {"Recall@1": 1.0}
    for cutoff in (0, -1):
        for call in (beir.evaluate, beir.hole, mteb.mrr):
            with pytest.raises(ParameterError, match=f"^k_values: expected whole numbers from 1, found {cutoff}$"):
                call(SELF_QRELS, SELF_RESULTS, [cutoff])


def test_b15_other_metrics():
    with pytest.raises(UnknownMeasureError, match="^metric: expected one of mrr, .*, found 'ndcg'$"):
        beir.evaluate_custom(SELF_QRELS, SELF_RESULTS, [1], "ndcg")


def test_b16_no_cutoff_of_1():
    assert "accuracy" not in mteb.make_score_dict({}, {}, {"Recall@5": 0.5}, {}, {}, {}, {}, {})
    assert mteb.make_score_dict({}, {}, {"Recall@1": 0.5}, {}, {}, {}, {}, {})["accuracy"] == 0.5


def test_b17_abstention_that_changes_nothing():
    assert math.isnan(mteb.nauc([1, 2, 3], [0.1, 0.1, 0.1]))


def test_b18_types():
    found = mteb.calculate_retrieval_scores(SELF_RESULTS, SELF_QRELS, [1])
    assert isinstance(found, mteb.RetrievalScores)
    assert {type(value) for value in (*found.naucs.values(), *found.mrr.values())} == {float}
    assert repr(mteb.top_k_accuracy({"q": {"a": 1}}, {"q": {}}, [1])) == "{'Accuracy@1': [0.0]}"


def test_b19_nan_is_refused():
    results = {"q1": {"a": math.nan}}
    for call in (
        lambda: beir.evaluate(SELF_QRELS, results, [1]),
        lambda: beir.evaluate_custom(SELF_QRELS, results, [1], "mrr"),
        lambda: mteb.calculate_retrieval_scores(results, SELF_QRELS, [1]),
        lambda: mteb.hole(SELF_QRELS, results, [1]),
    ):
        with pytest.raises(InputError, match="^run: query 'q1', document 'a': expected a number as score, found NaN$"):
            call()


def test_b20_nothing_is_embedded():
    assert not hasattr(beir.EvaluateRetrieval, "encode_and_retrieve")


# From ranx


def of_query(qrels: Any, run: Any, measure: str, **options: Any) -> list[Any]:
    evaluation = treckon.evaluate(qrels, run, measure, **options)
    return [evaluation.per_query[query][evaluation.measures[0]] for query in qrels]


def assert_alike(metric: str, measure: str) -> None:
    for seed in range(5):
        qrels, run = random_input(seed)
        assert ranx.evaluate(qrels, run, metric, return_mean=False).tolist() == of_query(qrels, run, measure), metric


def test_r01_the_call_is_the_same():
    qrels, run = random_input(3)
    found = ranx.evaluate(qrels, run, ["ndcg@10", "map"])
    assert found == {"ndcg@10": treckon.evaluate(qrels, run, "nDCG@10")["nDCG@10"], "map": pytest.approx(
        treckon.evaluate(qrels, run, "AP")["AP"]
    )}  # fmt: skip
    assert ranx.evaluate(qrels, run, "map") == found["map"]


def test_r02_queries_are_paired_by_their_ids():
    qrels, run = random_input(4)
    turned = dict(reversed(run.items()))
    assert ranx.evaluate(qrels, turned, "map") == ranx.evaluate(qrels, run, "map")


def test_r03_queries_that_differ():
    qrels, run = random_input(5)
    del run["q2"]
    with pytest.raises(EvaluationError, match="found none for 1 of 4, for example 'q2'$"):
        ranx.evaluate(qrels, run, "map")
    assert ranx.evaluate(qrels, {**run, "x": {"d": 1.0}}, "map", make_comparable=True, return_mean=False)[1] == 0.0


def test_r04_ties():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    assert (ranx.evaluate(qrels, run, "mrr"), ranx.evaluate(qrels, run, "mrr", ties="input")) == (0.5, 1.0)


def test_r05_bpref():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1, "b": 0}}
    run = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
    assert ranx.evaluate(qrels, run, "bpref", return_mean=False).tolist() == [1.0, 0.0]
    assert_alike("bpref", "bpref")


def test_r06_rank_biased_precision():
    qrels, run = {"q": {"a": 3, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    assert ranx.evaluate(qrels, run, "rbp.80") == pytest.approx(0.2 * (3 + 0.8 * 2))
    divided = treckon.evaluate(qrels, run, "RBP(p=0.8, max_rel=3)")["RBP(p=0.8, max_rel=3)"]
    assert divided == pytest.approx(0.2 * (3 + 0.8 * 2) / 3)


def test_r07_one_metric_of_plain_dicts():
    qrels, run = random_input(6)
    assert ranx.evaluate(qrels, run, "ndcg@3", return_mean=False).shape == (4,)


def test_r08_r09_r10_r11_names_of_measures():
    for metric, measure in (
        ("hits", "Hits"), ("hits@5", "Hits@5"), ("hit_rate@2", "Success@2"), ("mrr", "RR"), ("map@4", "AP@4"),
        ("r-precision", "Rprec(rel=1)"), ("precision", "SetP"), ("precision@5", "P(rel=1)@5"), ("recall", "SetR"),
        ("recall@5", "R@5"), ("f1", "SetF"), ("f1@5", "F@5"), ("dcg@5", "DCG@5"), ("ndcg@5", "nDCG@5"),
        ("dcg_burges@5", "DCG(gain='exp2')@5"), ("ndcg_burges@5", "nDCG(gain='exp2')@5"), ("map-l2", "AP(rel=2)"),
        ("ndcg@10-l2", "nDCG(rel=2)@10"),
    ):  # fmt: skip
        assert_alike(metric, measure)


# The page


@pytest.mark.skipif(not PAGE.exists(), reason="an installed package is tested, its pages are not here")
def test_every_row_of_the_page_has_a_test():
    rows = re.findall(r"^\| ([PBR]\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == len(set(rows))
    names = re.findall(r"^def test((?:_[pbr]\d\d)+)_", Path(__file__).read_text("utf-8"), re.MULTILINE)
    tested = [f"{row[0].upper()}{int(row[1:])}" for name in names for row in name.strip("_").split("_")]
    assert sorted(tested) == sorted(rows)
