"""What other evaluators get wrong or die of, each by its name: here it comes out right, or is refused in clear words.

The order of ties in which "b" goes before "a" is trec_eval's: ids falling.
"""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

import treckon
from peers_input import JUDGED, RETRIEVED
from treckon.errors import EvaluationError, InputError, NoQueriesError, ParameterError, UnknownMeasureError


def value(measure: str, qrels: Any, run: Any, **options: Any) -> float:
    return treckon.evaluate(qrels, run, measure, **options)[str(treckon.parse(measure))]


def of_query(measure: str, qrels: Any, run: Any, query: str = "q", **options: Any) -> float:
    return treckon.evaluate(qrels, run, measure, **options).per_query[query][str(treckon.parse(measure))]


# The small input on which peers differ

PER_QUERY = [  # values that trec_eval 10.0 prints, and pytrec_eval where it reads doubles; others break ties otherwise
    ("AP", {"1": 0.4, "2": 0.3667, "3": 0, "4": 0, "5": 0.1389, "7": 1}),
    ("nDCG@3", {"1": 0.3801, "2": 0.3801, "5": 0.7039, "7": 1}),
    ("RR", {"2": 0.3333, "7": 1}),
    ("RR@10", {"2": 0.3333, "7": 1}),
    ("P@3", {"2": 0.3333}),
    ("R@3", {"2": 0.5}),
    ("Rprec", {"2": 0, "7": 1}),
    ("Bpref", {"1": 0.4, "2": 0.25, "5": 0.1667, "7": 1}),
    ("11pt_avg", {"5": 0.2424}),
    ("RBP", {"1": 0.3679, "2": 0.2099, "5": 0.328}),
    ("nDCG@10", {"1": 0.6001}),
    ("nDCG(rel=2)@10", {"1": 0.6256}),
]


@pytest.mark.parametrize(("measure", "values"), PER_QUERY)
def test_trec_eval_s_values_on_the_input_where_peers_differ(measure: str, values: dict[str, float]):
    found = treckon.evaluate(JUDGED, RETRIEVED, measure, missing="zero").per_query
    assert {query: found[query][measure] for query in values} == pytest.approx(values, abs=5.1e-5)


@pytest.mark.parametrize(
    ("measure", "query", "shown"),
    [("AP", "7", 0.5), ("nDCG@3", "7", 0.6309), ("RR", "7", 0.5), ("11pt_avg", "5", 0.1515)],
)
def test_pytrec_eval_s_scores_of_32_bits_are_an_option(measure: str, query: str, shown: float):
    assert of_query(measure, JUDGED, RETRIEVED, query, compat="9.0.8") == pytest.approx(shown, abs=5.1e-5)


@pytest.mark.parametrize(
    ("measure", "mean"),
    [("AP", 0.3176), ("nDCG@3", 0.4107), ("RR", 0.5556), ("P@3", 0.2778), ("Bpref", 0.3028), ("gm_map", 0.0113)],
)
def test_means_over_all_judged_queries_are_trec_eval_s(measure: str, mean: float):
    assert value(measure, JUDGED, RETRIEVED, missing="zero") == pytest.approx(mean, abs=5.1e-5)


@pytest.mark.parametrize(("measure", "mean"), [("AP", 0.3811), ("nDCG@3", 0.4928), ("P@3", 0.3333)])
def test_means_over_both_are_beir_s_and_pytrec_eval_s_denominator(measure: str, mean: float):
    assert value(measure, JUDGED, RETRIEVED) == pytest.approx(mean, abs=5.1e-5)


# pytrec_eval


@pytest.mark.parametrize(
    "name",
    ["P.0", "P_0", "ndcg_cut.0", "P@0", "map.5", "P_5_10", "P.1.5", "ndcg_cut.1=3,2=9", "nosuch", "P.5,5", "success.x"],
)
def test_pytrec_eval_aborts_or_reads_a_part_of_such_a_name(name: str):
    with pytest.raises((ParameterError, UnknownMeasureError)):
        treckon.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, name)


def test_pytrec_eval_aborts_for_gains_of_grades():
    """Such as ndcg.1=3,2=9."""
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2, "b": 1}}
    expected = (3 + 9 / math.log2(3)) / (9 + 3 / math.log2(3))
    assert value("ndcg.1=3,2=9", qrels, run) == pytest.approx(expected)
    assert value("nDCG(gain={1: 3, 2: 9})", qrels, run) == pytest.approx(expected)


def test_pytrec_eval_dies_where_the_first_query_has_negative_grades_only():
    evaluation = treckon.evaluate(
        {"p": {"a": -1}, "q": {"d": 1}}, {"p": {"a": 1}, "q": {"d": 1}}, ["AP", "nDCG", "Bpref"]
    )
    assert list(evaluation.per_query["p"].values()) == [0, 0, 0]
    assert list(evaluation.per_query["q"].values()) == [1, 1, 1]


def test_pytrec_eval_dies_of_a_lone_surrogate_in_an_id():
    odd = "\ud800"
    assert of_query("RR", {odd: {odd: 1}}, {odd: {odd: 1, "x": 2}}, odd) == 0.5


def test_pytrec_eval_takes_ids_that_differ_behind_a_nul_for_one():
    qrels, run = {"q": {"a\0b": 1, "a\0c": 0}}, {"q": {"a\0c": 2, "a\0b": 1}}
    assert of_query("RR", qrels, run) == 0.5


def test_pytrec_eval_takes_time_and_memory_with_the_highest_grade():
    qrels = {"q": {"a": 2**31 - 1, "b": 1}}
    assert of_query("nDCG", qrels, {"q": {"a": 1}}) == pytest.approx(1, abs=1e-9)
    with pytest.raises(InputError, match="grade of at most 32 bits"):
        treckon.evaluate({"q": {"a": 2**31}}, {"q": {"a": 1}}, "nDCG")


def test_pytrec_eval_refuses_scalars_of_numpy_and_whole_numbers_as_floats():
    qrels = {"q": {"a": np.int64(1), "b": 0.0}, np.str_("p"): {"a": np.uint8(2)}}
    run = {"q": {"a": np.float32(1), "b": np.int64(2)}, "p": {"a": True}}
    assert value("RR", qrels, run) == 0.75


def test_pytrec_eval_takes_1e300_for_infinity_so_that_it_ties():
    run = {"q": {"a": 1e300, "b": 1e299}}
    assert of_query("RR", {"q": {"a": 1}}, run) == 1
    assert of_query("RR", {"q": {"a": 1}}, run, compat="9.0.8") == 0.5


def test_pytrec_eval_and_trec_eval_accept_nan_in_some_order():
    for score in (math.nan, np.float32("nan")):
        with pytest.raises(InputError, match="^run: query 'q', document 'a': expected a number as score, found"):
            treckon.evaluate({"q": {"a": 1}}, {"q": {"a": score, "b": 0.5}}, "AP")
    with pytest.raises(InputError, match=":1: expected a number as score, found 'nan'$"):
        treckon.evaluate({"q": {"a": 1}}, b"q Q0 a 1 nan t\n", "AP")
    assert of_query("RR", {"q": {"a": 1}}, {"q": {"a": -math.inf, "b": 0.5}}) == 0.5


def test_pytrec_eval_refuses_level_0_and_accepts_a_negative_one():
    assert of_query("P@1", {"q": {"a": 0}}, {"q": {"a": 1}}, level=0) == 1
    with pytest.raises(ParameterError, match="^level: expected a whole number from 0, found -1$"):
        treckon.evaluate({"q": {"a": 0}}, {"q": {"a": 1}}, "P@1", level=-1)


def test_pytrec_eval_takes_a_text_for_a_list_of_letters():
    assert of_query("map", {"q": {"a": 1}}, {"q": {"a": 1}}) == 1


def test_pytrec_eval_drops_queries_without_a_judgement():
    evaluation = treckon.evaluate({"p": {}, "q": {"a": 1}}, {"p": {"a": 1}, "q": {"a": 1}}, "AP")
    assert (evaluation.counts["in_qrels"], evaluation["AP"]) == (2, 0.5)


def test_pytrec_eval_prints_f_measures_of_different_parameters_under_one_name():
    measures = treckon.parse_all(["set_F.0.5", "set_F.2", "utility.1,-1,0,0", "utility.2,0,0,0"])
    assert len(set(map(str, measures))) == 4
    assert [treckon.parse(str(one)) for one in measures] == list(measures)


def test_pytrec_eval_s_parser_names_neither_line_nor_document():
    with pytest.raises(InputError, match=r":2: expected 6 fields .*, found 5$"):
        treckon.read_run(b"q Q0 a 1 2 t\nq Q0 b 2 1\n")
    with pytest.raises(
        EvaluationError, match=":2: expected each document once for a query, found document 'a' of query 'q'"
    ):
        treckon.read_run(b"q Q0 a 1 2 t\nq Q0 a 2 1 t\n")


def test_pytrec_eval_has_a_mean_of_nothing_that_is_no_number():
    with pytest.raises(NoQueriesError, match="found none: there are no judgements$"):
        treckon.evaluate({}, {}, ["AP", "gm_map", "num_q"])


def test_pytrec_eval_s_evaluator_can_not_be_pickled_and_once_forgot_its_cutoffs():
    evaluator = treckon.Evaluator({"q": {"a": 1}}, "P.1,2")
    for one in (evaluator, pickle.loads(pickle.dumps(evaluator))):
        for run in ({"q": {"a": 1}}, {"q": {"b": 1}}, {"q": {"a": 1}}):
            assert list(one.evaluate(run).per_query["q"].values()) == ([1, 0.5] if "a" in run["q"] else [0, 0])


# ir_measures


def test_ir_measures_orders_ties_of_rr_and_rr_10_differently():
    qrels, run = {"1": {"b": 1}}, {"1": {"b": 1, "c": 1}}
    row = treckon.evaluate(qrels, run, ["RR", "RR@10", "RR@1", "P@1", "Judged@1", "Compat(p=0)"]).per_query["1"]
    assert list(row.values()) == [0.5, 0.5, 0, 0, 0, 0]


def test_ir_measures_scores_one_of_two_diversity_measures_with_0():
    qrels = {"q": {"s": {"a": 1, "b": 1}}}
    row = treckon.evaluate(
        qrels, {"q": ["a", "b"]}, ["alpha_DCG(alpha=0)@2", "alpha_DCG(alpha=1)@2", "ERR_IA@40"], qrels_format="qrels_jg"
    ).per_query["q"]
    assert list(row.values()) == pytest.approx([1, 1, 1.25 / (2 * math.log(2))])


def test_ir_measures_has_no_diversity_of_judged_documents_and_none_beyond_rank_20():
    qrels, run = {"q": {"s": {"a": 1}}}, {"q": ["x", "a"]}
    assert of_query("alpha_nDCG(judged_only=True)@100", qrels, run, qrels_format="qrels_jg") == 1
    with pytest.raises(ParameterError, match="^ERR_IA: cutoff: expected a number behind '@', found none$"):
        treckon.parse("ERR_IA")


def test_ir_measures_divides_by_zero_in_accuracy_and_judged():
    assert of_query("Accuracy", {"q": {"a": 1}}, {"q": {"a": 1}}) == 0
    assert of_query("Judged@10", {"q": {"a": 1}}, {"q": {}}) == 0


def test_ir_measures_counts_no_judged_query_that_the_run_lacks():
    evaluation = treckon.evaluate(JUDGED, RETRIEVED, ["NumQ", "NumRel"], missing="zero")
    assert (evaluation["NumQ"], evaluation["NumRel"]) == (6, 22)
    assert [treckon.evaluate(JUDGED, RETRIEVED, ["NumQ", "NumRel"])[one] for one in ("NumQ", "NumRel")] == [5, 20]


def test_ir_measures_evaluates_a_query_whose_lines_lie_apart_twice():
    run = b"q Q0 a 1 9 t\np Q0 a 1 9 t\nq Q0 b 2 10 t\n"
    evaluation = treckon.evaluate({"q": {"a": 1}, "p": {"a": 1}}, run, "P@1")
    assert {query: row["P@1"] for query, row in evaluation.per_query.items()} == {"p": 1, "q": 0}


def test_ir_measures_keeps_the_last_of_a_document_that_stands_twice():
    rows = [("q", "a", 1.0), ("q", "b", 2.0), ("q", "a", 3.0)]
    with pytest.raises(EvaluationError, match="^run: query 'q', document 'a': expected each document once"):
        treckon.evaluate({"q": {"a": 1}}, rows, "RR")
    for choice, reciprocal_rank in (("first", 1), ("max", 1), ("drop", 0.5)):
        assert of_query("RR", {"q": {"a": 1}}, rows, duplicates=choice) == reciprocal_rank


def test_ir_measures_compat_moves_with_the_scores():
    ranking = ["d2", "u", "d1", "d3", "d4"]
    qrels = {"q": {"d1": 3, "d2": 2, "d3": 0, "d4": 1, "d5": 2}}
    for shift in (0, -10, -1e9):
        run = {"q": {docno: shift - place for place, docno in enumerate(ranking)}}
        assert of_query("Compat", qrels, run) == pytest.approx(0.597293, abs=5.1e-7)


def test_ir_measures_set_f_does_not_square_its_beta():
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 2, "x": 1, "y": 0}}
    precision, recall = 1 / 3, 1 / 2
    assert of_query("SetF(beta=2)", qrels, run) == pytest.approx(5 * precision * recall / (4 * precision + recall))


def test_ir_measures_reads_a_reader_of_qrels_once():
    rows = [("q", "a", 1)]
    evaluator = treckon.Evaluator(iter(rows), "AP")
    assert [evaluator.evaluate(iter([("q", "a", 1.0)]))["AP"] for _ in range(2)] == [1, 1]


def test_ir_measures_fails_without_a_measure_or_with_one_alone():
    assert treckon.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, []).to_dict()["means"] == {}
    assert value("AP", {"q": {"a": 1}}, {"q": {"a": 1}}) == 1


def test_ir_measures_exponential_gain_fails_where_a_judged_query_is_missing():
    assert value("nDCG(gain='exp2')", {"p": {"a": 1}, "q": {"a": 2}}, {"q": {"a": 1}}, missing="zero") == 0.5


# ranx


def test_ranx_pairs_queries_by_their_position():
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"2": {"b": 1}, "1": {"a": 1}}
    assert value("AP", qrels, run) == 1
    assert value("P@1", qrels, run) == 1


def test_ranx_fails_where_there_is_nothing_or_queries_differ():
    with pytest.raises(NoQueriesError, match="found none: the run has no query$"):
        treckon.evaluate({"1": {"a": 1}}, {}, "AP")
    assert value("AP", {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1}, "3": {"a": 1}}) == 1
    assert value("AP", {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1}, "3": {"a": 1}}, missing="zero") == 0.5


def test_ranx_bpref_is_0_or_no_number_and_carries_that_to_other_queries():
    qrels = {"1": {"x": 0}, "2": {"x": 5, "y": 3}, "3": {"a": 1, "n": 0}}
    run = {"1": {"x": 1}, "2": {"x": 0.9, "z": 0.8, "y": 0.7}, "3": {"a": 2, "n": 1}}
    assert [row["Bpref"] for row in treckon.evaluate(qrels, run, "Bpref").per_query.values()] == [0, 1, 1]


def test_ranx_hashes_ids_into_53_bits():
    """Whole numbers that a double can't tell apart, as ids."""
    one, other = 2**53, 2**53 + 1
    for make in (int, str):
        assert of_query("RR", {"q": {make(one): 1}}, {"q": {make(other): 2, make(one): 1}}) == 0.5
    columns = (np.array([1, 1]), np.array([other, one]), np.array([2.0, 1.0]))
    assert of_query("RR", {"1": {str(one): 1}}, columns, "1") == 0.5


def test_ranx_rbp_passes_1():
    assert of_query("RBP(p=0.5, max_rel=4)", {"q": {"a": 4}}, {"q": {"a": 1}}) == 0.5
    assert of_query("RBP(p=0.5, max_rel=2)", {"q": {"a": 4}}, {"q": {"a": 1}}) == 0.5


# trectools


def test_trectools_counts_queries_without_judgements_and_fails_of_them():
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1}, "3": {"a": 1}}
    evaluation = treckon.evaluate(qrels, run, ["AP", "Rprec"])
    assert (evaluation["AP"], evaluation["Rprec"], evaluation.counts["extra"]) == (1, 1, 1)


def test_trectools_values_without_a_relevant_document_are_no_numbers():
    measures = [
        "AP",
        "nDCG",
        "Rprec",
        "gm_map",
        "RR",
        "RBP",
        "ERR",
        "Compat",
        "RBO",
        "NCRR",
        "Accuracy",
        "CWL_AP",
        "INST",
    ]
    for run in ({"q": {"a": 1}}, {"q": {}}):
        evaluation = treckon.evaluate({"q": {"a": 0}}, run, measures)
        assert all(math.isfinite(one) for one in evaluation.per_query["q"].values())
        assert evaluation["gm_map"] == pytest.approx(1e-5)


def test_trectools_orders_ties_of_ndcg_otherwise_than_those_of_rr():
    row = treckon.evaluate({"1": {"b": 1}}, {"1": {"b": 1, "c": 1}}, ["RR", "P@1", "AP", "nDCG"]).per_query["1"]
    assert list(row.values()) == pytest.approx([0.5, 0, 0.5, 1 / math.log2(3)])


def test_trectools_averages_rbp_over_ties_of_other_queries():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    found = treckon.evaluate(qrels, {"1": {"a": 1}, "2": {"x": 1, "a": 1}}, "RBP", ties="expected").per_query
    assert [row["RBP"] for row in found.values()] == pytest.approx([0.2, 0.2 * (1 + 0.8) / 2])


def test_trectools_residual_lacks_the_tail_and_can_be_negative():
    ranking = {"q": ["d2", "u", "d1", "d3", "d4"]}
    qrels = {"q": {"d1": 3, "d2": 2, "d3": 0, "d4": 1, "d5": 2}}
    assert of_query("RBPResidual", qrels, ranking) == pytest.approx(0.4877, abs=5e-5)
    for p in (0, 0.5, 0.8, 1):
        assert 0 <= of_query(f"RBPResidual(p={p})", qrels, ranking) <= 1


# cwl_eval, pyndeval, BEIR, MTEB, scikit-learn and others


def test_cwl_eval_refuses_a_gain_above_the_highest():
    assert of_query("CWL_P(max_rel=2)@1", {"q": {"a": 3}}, {"q": {"a": 1}}) == 1


def test_ndeval_does_not_divide_at_cutoff_1():
    qrels = {"q": {"a": {"A": 1}, "b": {"B": 1}, "c": {"C": 1}}}
    for name in ("ERR_IA", "alpha_DCG"):
        assert of_query(f"{name}@1", qrels, {"q": ["A"]}, qrels_format="qrels_jg") == pytest.approx(1 / 3)
        assert of_query(f"{name}(as_ndeval=True)@1", qrels, {"q": ["A"]}, qrels_format="qrels_jg") == 1


def test_beir_takes_documents_with_the_query_s_id_out_of_the_caller_s_results():
    qrels, run = {"q": {"a": 1}}, {"q": {"q": 2.0, "a": 1.0}}
    before = copy.deepcopy((qrels, run))
    assert of_query("RR", qrels, run, ignore_self=True) == 1
    assert of_query("RR", qrels, run) == 0.5
    assert (qrels, run) == before


def test_beir_rounds_and_divides_its_measures_by_different_numbers_of_queries():
    qrels, run = {str(i): {"a": 1} for i in range(3)}, {"0": {"x": 2, "a": 1}}
    evaluation = treckon.evaluate(qrels, run, ["RR@10", "nDCG@10", "AP", "R@10"], missing="zero")
    assert [evaluation[one] for one in ("RR@10", "AP", "R@10")] == [0.5 / 3, 0.5 / 3, 1 / 3]
    assert evaluation["nDCG@10"] == 1 / math.log2(3) / 3


def test_beir_map_and_mrr_differ_with_one_relevant_document():
    run = {"1": {"b": 1, "c": 1, "a": 1}}
    assert of_query("AP", {"1": {"b": 1}}, run, "1") == of_query("RR", {"1": {"b": 1}}, run, "1") == 0.5


def test_mteb_a_constant_scorer_is_right_by_one_measure_and_wrong_by_another():
    run = {"q": dict.fromkeys("abcdefghijklmnopqrst", 1.0)}
    row = treckon.evaluate({"q": {"a": 1}}, run, ["RR@10", "nDCG@10"]).per_query["q"]
    assert list(row.values()) == [0, 0]
    assert treckon.evaluate({"q": {"a": 1}}, run, "RR@10").ties == {"queries": 1, "across_cutoff": 1}


def test_mteb_accuracy_is_the_mean_of_successes_only():
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    assert value("Success@1", qrels, {"1": {"a": 1}, "2": {"b": 1}}) == 0.5


def test_scikit_learn_scores_a_query_without_a_relevant_document_with_0():
    qrels, run = {"1": {"a": 1, "b": 0}, "2": {"a": 0}}, {"1": ["a", "b"], "2": ["a"]}
    for choice, mean in (("zero", 0.5), ("one", 1), ("skip", 1)):
        assert value("nDCG", qrels, run, no_relevant=choice) == mean
    with pytest.raises(EvaluationError, match="^qrels: expected a document of grade 1 or more for every query"):
        treckon.evaluate(qrels, run, "nDCG", no_relevant="error")


def test_torchmetrics_and_lightgbm_decide_ties_by_the_order_of_rows():
    qrels = {"q": {"a": 10, "b": 0, "c": 0, "d": 1, "e": 5}}
    forms = [dict.fromkeys(order, 1.0) for order in ("abcde", "edcba", "cabed")]
    assert len({of_query("nDCG", qrels, {"q": form}) for form in forms}) == 1
    found = {round(of_query("nDCG", qrels, {"q": form}, ties="expected"), 12) for form in forms}
    assert len(found) == 1
    assert found.pop() == pytest.approx(0.69, abs=0.005)


def test_llama_index_and_others_take_the_ideal_from_what_was_retrieved():
    assert of_query("nDCG", {"q": {"a": 1, "b": 1}}, {"q": ["a"]}) == pytest.approx(0.6131, abs=5e-5)
    assert of_query("R@10", {"q": {"a": 1, "b": 1}}, {"q": ["a"]}) == 0.5


def test_elasticsearch_normalises_by_the_number_of_hits_and_skips_unlabelled_ones():
    qrels = {"q": dict.fromkeys("abcde", 3)}
    assert of_query("nDCG@10", qrels, {"q": ["a"]}) == pytest.approx(0.3392, abs=5e-5)
    assert of_query("nDCG@10", qrels, {"q": [*"vwxyz", *"abcde"]}) == pytest.approx(0.5410, abs=5e-5)
    assert of_query("P@10", {"q": {"a": 1}}, {"q": ["a", *"bcdefghij"]}) == 0.1


def test_quepid_divides_average_precision_by_the_cutoff():
    assert of_query("AP@10", {"q": {"a": 1, **dict.fromkeys("bcdefghij", 0)}}, {"q": list("abcdefghij")}) == 1


def test_xgboost_s_exponential_gain_overflows_above_31():
    qrels = {"q": {"a": 1000, "b": 40, "c": 31}}
    for gain in ("linear", "exp2"):
        assert 0 < of_query("nDCG@10", qrels, {"q": ["b", "a", "c"]}, gain=gain) < 1
        assert of_query("nDCG@10", qrels, {"q": ["a", "b", "c"]}, gain=gain) == 1


def test_gdeval_s_err_has_a_highest_grade_of_4_whatever_the_grades_are():
    assert of_query("ERR@1", {"q": {"a": 1}}, {"q": {"a": 1}}) == 0.5
    assert of_query("ERR(max_rel=4)@1", {"q": {"a": 1}}, {"q": {"a": 1}}) == 0.0625


def test_two_gains_have_two_names():
    """pytrec_eval's and gdeval's nDCG, which papers mixed up."""
    qrels, run = {"1": {"a": 1, "b": 3}}, {"1": ["a", "b"]}
    assert of_query("nDCG", qrels, run, "1") == pytest.approx(0.7967, abs=5e-5)
    assert of_query("nDCG(gain='exp2')", qrels, run, "1") == pytest.approx(0.7098, abs=5e-5)


def test_benhamner_s_average_precision_divides_by_hits():
    assert of_query("AP", {"q": dict.fromkeys("12345", 1)}, {"q": ["1", "3", "5"]}) == pytest.approx(0.6)


def test_recall_and_capped_recall_have_two_names():
    """ranx and BEIR by one name."""
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a"]}
    assert (of_query("R@1", qrels, run), of_query("R_cap@1", qrels, run)) == (0.5, 1)


# trec_eval's own, and readers of its files


def test_trec_eval_cuts_float_grades_without_a_word():
    with pytest.raises(InputError, match="expected a whole number as grade, found 0.9"):
        treckon.evaluate({"1": {"a": 0.9, "b": 1.9}}, {"1": ["a"]}, "AP")
    (warning,) = treckon.evaluate(b"1 0 a 0.9\n1 0 b yes\n", {"1": ["a"]}, "AP").warnings
    assert "qrels:1: expected a whole number as grade, found '0.9'" in warning
    assert "2" in warning.rpartition(":")[2]
    with pytest.raises(InputError, match=":1: expected a whole number as grade, found '0.9'$"):
        treckon.read_qrels(b"1 0 a 0.9\n")


def test_trec_eval_reads_a_decimal_comma_as_0():
    (warning,) = treckon.evaluate({"1": {"a": 1}}, b"1 Q0 b 1 0,9 t\n1 Q0 a 2 0,8 t\n", "AP").warnings
    assert "run:1: expected a number as score, found '0,9'" in warning
    with pytest.raises(InputError, match=":1: expected a number as score, found '0,9'$"):
        treckon.read_run(b"1 Q0 b 1 0,9 t\n")


def test_trec_eval_glues_a_byte_order_mark_to_the_first_query():
    bom = b"\xef\xbb\xbf"
    assert value("AP", bom + b"1 0 a 1\n1 0 b 1\n", bom + b"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n") == 1


def test_trec_eval_dies_where_no_query_is_in_both():
    with pytest.raises(NoQueriesError, match="found none: the run has '1', the judgements have '1.1'$"):
        treckon.evaluate({"1.1": {"a": 1}}, {"1": {"a": 2}}, "AP")


def test_trec_eval_10_takes_queries_that_begin_with_a_hash_for_comments():
    qrels, run = b"#1 0 a#1 1\n", b"#1 Q0 a#1 1 2 t\n"
    assert value("AP", qrels, run, compat="9.0.8") == 1
    assert value("AP", {"#1": {"a#1": 1}}, {"#1": {"a#1": 2}}) == 1
    with pytest.raises(NoQueriesError, match="found none: there are no judgements$"):
        treckon.evaluate(qrels, run, "AP")


def test_trec_eval_s_j_takes_junk_for_unjudged():
    qrels, run = {"1": {"a": -1, "b": 1}}, {"1": {"a": 2, "b": 1}}
    assert of_query("P@1", qrels, run, "1", unjudged="condensed") == 1
    assert of_query("P@1", qrels, run, "1", unjudged="condensed", negative="nonrelevant") == 0


def test_trec_eval_averages_over_queries_in_both_and_10_0_stops_or_counts_one_twice():
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"z": 1}}, {"q1": {"a": 2}, "q3": {"b": 2}}
    assert value("AP", qrels, run) == 0.5
    assert value("AP", qrels, run, missing="zero") == pytest.approx(1 / 3)


def test_published_qrels_with_the_same_line_twice_kill_the_job():
    """pyserini's MIRACL-ko."""
    with pytest.raises(EvaluationError, match="found document 'a' of query '1' on line 1 too$"):
        treckon.evaluate(b"1 0 a 1\n1 0 a 1\n", {"1": ["a"]}, "AP")
    assert value("AP", b"1 0 a 1\n1 0 a 1\n", {"1": ["a"]}, equal_judgements="merge") == 1
    with pytest.raises(EvaluationError, match="expected one judgement, found grades 1 and 2$"):
        treckon.evaluate(b"1 0 a 1\n1 0 a 2\n", {"1": ["a"]}, "AP", equal_judgements="merge")


def test_a_ranked_list_can_not_hide_a_document_that_stands_twice():
    with pytest.raises(EvaluationError, match="^run: query '1', document 'a': expected each document once"):
        treckon.evaluate({"1": {"a": 1}}, {"1": ["a", "b", "a"]}, "AP")


def test_trectools_and_te_rust_swallow_lines_that_are_too_short():
    with pytest.raises(InputError, match=r":1: expected 6 fields .*, found 5$"):
        treckon.evaluate({"1": {"a": 1}}, b"1 Q0 a 1 2\n", "AP")


def test_anserini_s_scripts_split_at_one_blank_or_tab():
    assert value("AP", b"1\t0\ta\t1\n", b"1  Q0\t a 1 \t2 t\r\n") == 1


def test_ms_marco_s_script_ignores_the_grade():
    run = "1\t5\t1\n1\t6\t2\n"
    assert of_query("RR@10", {"1": {"5": 0, "6": 1}}, run, "1", order="rank") == 0.5


def test_ms_marco_s_order_by_rank_and_trec_eval_s_by_score_are_both_there():
    run = b"1 Q0 a 1 5 t\n1 Q0 b 2 5 t\n"
    assert of_query("RR@10", {"1": {"a": 1}}, run, "1") == 0.5
    assert of_query("RR@10", {"1": {"a": 1}}, run, "1", order="rank") == 1


def test_scores_in_16_bits_tie_and_that_is_counted():
    """sentence-transformers and MTEB."""
    scores = np.array([0.90012, 0.90013], dtype=np.float16)
    evaluation = treckon.evaluate({"q": {"a": 1}}, {"q": dict(zip("ab", scores, strict=True))}, "P@1")
    assert evaluation.ties == {"queries": 1, "across_cutoff": 1}
