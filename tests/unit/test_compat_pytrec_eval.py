"""`treckon.compat.pytrec_eval`: the interface of pytrec_eval with its corners, and what it refuses in words of its own.

The values are held to pytrec_eval's in tests/peers, where that is installed.
"""

import collections
import gc
import math
import pickle
import re
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

import treckon
from treckon.compat import pytrec_eval

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1}}
RUN = {"q2": {"d1": 1.0}, "q1": {"d1": 0.5, "d2": 0.7, "d9": 0.3, "d3": 0.1}}


def evaluated(qrels: Any = QRELS, run: Any = RUN, measures: Any = ("map",), *rest: Any, **more: Any) -> Any:
    return pytrec_eval.RelevanceEvaluator(qrels, measures, *rest, **more).evaluate(run)


def keys(*measures: str) -> list[str]:
    return list(evaluated(measures=measures)["q1"])


# The surface


def test_the_public_names():
    assert pytrec_eval.__all__ == [
        "parse_run", "parse_qrel", "supported_measures", "supported_nicknames", "RelevanceEvaluator",
    ]  # fmt: skip
    assert pytrec_eval.__version__ == "0.5.11"
    assert len(pytrec_eval.supported_measures) == 34
    assert {"map", "11pt_avg", "set_F", "utility", "runid"} <= pytrec_eval.supported_measures
    assert not {"rbp", "unj", "dcg", "yaap", "prefs_simp"} & pytrec_eval.supported_measures
    assert {name: len(members) for name, members in pytrec_eval.supported_nicknames.items()} == {
        "official": 12, "set": 11, "all_trec": 34, "prefs": 8, "all_prefs": 16, "qrels_jg": 5,
    }  # fmt: skip


def test_values_keys_and_types():
    found = evaluated(measures={"map", "ndcg_cut.2,10", "P_1", "num_ret", "num_q", "relstring", "runid"})
    assert found == {
        "q2": {
            "runid": 0.0, "num_q": 1.0, "num_ret": 1.0, "map": 1.0, "P_1": 1.0, "relstring": 0.0, "ndcg_cut_2": 1.0,
            "ndcg_cut_10": 1.0,
        },
        "q1": {
            "runid": 0.0, "num_q": 1.0, "num_ret": 4.0, "map": 0.5, "P_1": 0.0, "relstring": 0.0,
            "ndcg_cut_2": 0.23981246656813146, "ndcg_cut_10": 0.5672074169568709,
        },
    }  # fmt: skip
    assert {type(value) for row in found.values() for value in row.values()} == {float}


def test_queries_come_in_the_order_of_the_run():
    qrels = {query: {"d": 1} for query in ("a", "b", "c")}
    assert list(evaluated(qrels, {query: {"d": 1.0} for query in ("c", "x", "a")})) == ["c", "a"]


def test_arguments_by_name_and_by_position():
    by_name = pytrec_eval.RelevanceEvaluator(
        query_relevance=QRELS, measures=["num_rel", "num_ret"], relevance_level=2, judged_docs_only_flag=True
    ).evaluate(scores=RUN)
    assert by_name == evaluated(QRELS, RUN, ["num_rel", "num_ret"], 2, True)
    assert by_name["q1"] == {"num_rel": 1.0, "num_ret": 3.0}


def test_scores_are_compared_in_32_bits_unless_release_10_is_asked_for():
    qrels, run = {"q": {"da": 1, "db": 0}}, {"q": {"da": 0.700000010, "db": 0.700000005}}
    assert evaluated(qrels, run)["q"]["map"] == 0.5
    assert evaluated(qrels, run, compat="10.0")["q"]["map"] == 1.0
    assert evaluated(qrels, {"q": {"da": 1e301, "db": 1e300}})["q"]["map"] == 0.5


def test_release_10_has_measures_of_its_own_but_no_others_in_all_trec():
    found = evaluated(measures=["unj_5", "rbp", "dcg"], compat="10.0")["q1"]
    assert list(found) == ["dcg", "rbp", "unj_5"] and found["unj_5"] == 0.2
    assert list(evaluated(measures=["all_trec"], compat="10.0")["q1"]) == keys("all_trec")
    with pytest.raises(ValueError, match=r"^compat: expected '9.0.8' or '10.0', found '9'$"):
        evaluated(compat="9")


# Measures


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["P.5", "P_7", "P"], ["P_5", "P_7"]),
        (["P.10,5,10"], ["P_5", "P_10"]),
        (["map.5", "map"], ["map"]),
        (["P_5_10"], ["P_5"]),
        (["P.1.5"], ["P_1"]),
        (["P.5a", "recall.5-10"], ["P_5", "recall_5"]),
        (["ndcg_cut"], [f"ndcg_cut_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
        (["success"], ["success_1", "success_5", "success_10"]),
        (["iprec_at_recall_0.5", "Rprec_mult.0.2"], ["iprec_at_recall_0.50", "Rprec_mult_0.20"]),
        (["iprec_at_recall.0.123456"], ["iprec_at_recall_0.12"]),
        (["set_F.2", "utility_0,1,2,3", "11pt_avg.0.1,0.5"], ["utility", "11pt_avg", "set_F"]),
        ([], []),
    ],
)
def test_keys_of_the_results(asked: list[str], found: list[str]):
    assert keys(*asked) == found


def test_nicknames_are_expanded():
    assert [key for key in keys("official") if "_at_" not in key and "P_" not in key] == [
        "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    ]  # fmt: skip
    assert pytrec_eval._expand_nicknames(["set", "P.5"]) == pytrec_eval.supported_nicknames["set"] | {"P.5"}


def test_measures_are_combined():
    combined = {"map", "ndcg_cut.3", "P.10,15,5"}
    asked = ["P.5", "P_10,15", "map", "ndcg_cut", "ndcg_cut.3", "P_5"]
    assert pytrec_eval._combine_measures(asked) == combined
    assert pytrec_eval.RelevanceEvaluator({}, [])._combine_measures(asked) == combined
    assert pytrec_eval._combine_measures(["official"]) == {"official"}


@pytest.mark.parametrize("measure", ["foo", "foo_5", "P_x", "P.", "P5", "Map", " P.5", "P.-5", "official.5", "rbp", ""])
def test_an_unknown_measure_is_refused(measure: str):
    with pytest.raises(ValueError, match=f"^unsupported measure {re.escape(measure)}$"):
        evaluated(measures=[measure])


def test_measures_of_other_judgements_are_refused():
    with pytest.raises(ValueError, match="^unsupported measure prefs_"):
        evaluated(measures=["all_prefs"])


def test_a_string_is_read_letter_by_letter():
    with pytest.raises(ValueError, match="^unsupported measure [map]$"):
        evaluated(measures="map")


def test_a_measure_must_be_text():
    with pytest.raises(TypeError, match=r"^expected a measure's name as string, found 5 \(int\)$"):
        evaluated(measures=[5])


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("P.0", "P: negative cutoff: expected whole numbers from 1, found '0'"),
        ("P.5,05", "P: duplicate cutoffs: expected different numbers, found '05,5'"),
        (
            "iprec_at_recall.0.5,0.50",
            "iprec_at_recall: duplicate cutoffs: expected different numbers, found '0.5,0.50'",
        ),
        ("ndcg.1=3,2=9", "ndcg.1: expected no parameters, found '1' (gains can't be given here)"),
        ("G_1", "G.1: expected no parameters, found '1' (gains can't be given here)"),
        ("utility.1,-1,0,0", "utility.1: expected 4 different unsigned numbers, found 1"),
        ("utility.1,1,0,0", "utility.0,1: expected 4 different unsigned numbers, found 2"),
    ],
)
def test_parameters_that_kill_pytrec_eval_are_refused(measure: str, message: str):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        evaluated(measures=[measure])


# Judgements


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ({1: {"d": 1}}, "Expected string as key. qrels: query 1: expected text as id, found int"),
        ({"q": ["d"]}, "Expected dictionary as value. qrels: query 'q': found list"),
        (
            {"q": {1: 1}},
            "Expected mapping of document id to query relevance or matching score. qrels: query 'q', document 1: "
            "expected text as id, found int",
        ),
        ({"q": {"d": 1.0}}, "Expected relevance to be integer. qrels: query 'q', document 'd': found 1.0 (float)"),
        ({"q": {"d": "1"}}, "Expected relevance to be integer. qrels: query 'q', document 'd': found '1' (str)"),
        ({"q": {"d": None}}, "Expected relevance to be integer. qrels: query 'q', document 'd': found None (NoneType)"),
    ],
)
def test_judgements_of_a_wrong_type_are_refused(qrels: Any, message: str):
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        evaluated(qrels)


@pytest.mark.parametrize("qrels", [None, [("q", "d", 1)]])
def test_judgements_must_be_a_mapping(qrels: Any):
    with pytest.raises(AttributeError):
        evaluated(qrels)


@pytest.mark.parametrize("grade", [True, np.int64(1), np.int8(1), np.uint32(1)])
def test_whole_numbers_of_any_type_are_grades(grade: Any):
    assert evaluated({"q": {"d": grade}}, {"q": {"d": 1.0}}) == {"q": {"map": 1.0}}


def test_queries_without_judgements_do_not_count():
    assert evaluated({"q1": {}, "q2": {"d1": 1}}) == {"q2": {"map": 1.0}}
    assert evaluated({}) == {}


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ({"q": {"d": 2**40}}, "expected a grade of at most 32 bits, found 1099511627776"),
        ({"q": {"d\0": 1}}, "expected an id without NUL, found one"),
        ({"q": {"d": 0, "d\ud800": 1}}, "expected an id that can be written as UTF-8, found a lone surrogate"),
    ],
)
def test_judgements_that_would_be_misread_are_refused(qrels: Any, message: str):
    document = list(qrels["q"])[-1]
    place = f"qrels: query 'q', document {document!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(f'{place}: {message}')}$"):
        evaluated(qrels)


@pytest.mark.parametrize(("query", "problem"), [("q\0", "without NUL"), ("q\udfff", "that can be written as UTF-8")])
def test_query_ids_that_would_be_misread_are_refused(query: str, problem: str):
    for qrels, run in (({query: {"d": 1}}, RUN), (QRELS, {query: {"d": 1.0}})):
        with pytest.raises(ValueError, match=f"(qrels|run): query {re.escape(repr(query))}: expected an id {problem}"):
            evaluated(qrels, run)


@pytest.mark.parametrize(
    ("level", "message"),
    [
        (0, "Argument relevance_level should be positive."),
        (1.0, "Expected object_relevance_per_qid dictionary and measures set."),
        ("1", "Expected object_relevance_per_qid dictionary and measures set."),
        (None, "Expected object_relevance_per_qid dictionary and measures set."),
        (2**31, "Expected object_relevance_per_qid dictionary and measures set."),
    ],
)
def test_relevance_levels_of_a_wrong_kind_are_refused(level: Any, message: str):
    with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
        evaluated(QRELS, RUN, ["map"], level)


def test_a_negative_relevance_level_is_refused():
    with pytest.raises(ValueError, match="^relevance_level: expected a whole number from 1, found -1$"):
        evaluated(QRELS, RUN, ["map"], -1)


@pytest.mark.parametrize("level", [True, np.int64(1)])
def test_whole_numbers_of_any_type_are_relevance_levels(level: Any):
    assert evaluated(QRELS, RUN, ["map"], level) == evaluated()


def test_a_first_query_with_negative_grades_alone_is_refused():
    qrels = {"q1": {"d1": -1, "d2": -2}, "q2": {"d1": 1}}
    message = (
        "qrels: query 'q1', document 'd1': expected a grade of 0 or more for a document of the run's first query, "
        "found negative ones alone"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        evaluated(qrels, {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}})
    found = evaluated(qrels, {"q2": {"d1": 1.0}, "q1": {"d1": 1.0}}, ["map", "num_ret", "num_rel"])
    assert found["q1"] == {"map": 0.0, "num_ret": 1.0, "num_rel": 0.0}


# Runs


@pytest.mark.parametrize("scores", [{}, [], None, 0, "", ()])
def test_nothing_gives_nothing(scores: Any):
    assert evaluated(QRELS, scores) == {}


def test_scores_must_be_a_dict():
    for scores in ([1], collections.UserDict(RUN)):
        with pytest.raises(TypeError, match="^Argument object scores should be of type dictionary"):
            evaluated(QRELS, scores)


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        ({1: {"d1": 1}}, "run: query 1: expected text as id, found int"),
        ({b"q1": {"d1": 1}}, "run: query b'q1': expected text as id, found bytes"),
        ({"q1": ["d1"]}, "run: query 'q1': expected a dict of documents, found list"),
        ({"q1": None}, "run: query 'q1': expected a dict of documents, found NoneType"),
        ({"q1": collections.UserDict({"d1": 1})}, "run: query 'q1': expected a dict of documents, found UserDict"),
        ({"q1": {"d2": 1, 1: 1}}, "run: query 'q1', document 1: expected text as id, found int"),
        ({"q1": {"d1": "1"}}, "run: query 'q1', document 'd1': expected a number as score, found '1' (str)"),
        ({"q1": {"d1": None}}, "run: query 'q1', document 'd1': expected a number as score, found None (NoneType)"),
        ({"q1": {"d1": 1j}}, "run: query 'q1', document 'd1': expected a number as score, found 1j (complex)"),
        ({"x": {"d1": "1"}}, "run: query 'x', document 'd1': expected a number as score, found '1' (str)"),
    ],
)
def test_runs_of_a_wrong_type_are_refused(run: Any, problem: str):
    message = f"Unable to extract query/object scores. {problem}"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        evaluated(QRELS, run)


@pytest.mark.parametrize(
    "score", [1, True, np.float64(1), np.float32(1), np.float16(1), np.int64(1), math.inf, -math.inf]
)
def test_numbers_of_any_type_are_scores(score: Any):
    assert evaluated(QRELS, {"q1": {"d1": score}}) == {"q1": {"map": 0.5}}


@pytest.mark.parametrize(
    ("document", "score", "problem"),
    [
        ("d1", math.nan, "expected a number as score, found NaN"),
        pytest.param(
            "d1", 10**400, "expected a score that fits a double, found a whole number of 1329 bits", id="beyond doubles"
        ),
        ("x\0", 1.0, "expected an id without NUL, found one"),
        ("é\0", 1.0, "expected an id without NUL, found one"),
        ("x\ud800", 1.0, "expected an id that can be written as UTF-8, found a lone surrogate"),
    ],
)
@pytest.mark.parametrize("n_judged", [1, 40])
def test_runs_that_would_be_misread_are_refused(document: str, score: Any, problem: str, n_judged: int):
    qrels = {"q": {f"d{i}": 1 for i in range(1, n_judged + 1)}}
    message = f"run: query 'q', document {document!r}: {problem}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        evaluated(qrels, {"q": {"d7": 2.0, document: score}})


def test_dicts_and_texts_of_a_subclass_are_taken():
    run = collections.OrderedDict({np.str_("q1"): collections.OrderedDict({np.str_("d1"): 1})})
    found = evaluated({np.str_("q1"): collections.defaultdict(int, {np.str_("d1"): 1, "d3": 1})}, run)
    assert found == {"q1": {"map": 0.5}}
    assert type(next(iter(found))) is str


def test_ids_are_any_unicode():
    assert evaluated({"é": {"日本": 1, "🙂": 0}}, {"é": {"日本": 1.0, "🙂": 1.0}}) == {"é": {"map": 0.5}}


def test_an_empty_ranking_has_zeros():
    found = evaluated(QRELS, {"q1": {}}, ["all_trec"])["q1"]
    left = {key: value for key, value in found.items() if value != 0.0}
    assert left == {"num_q": 1.0, "num_rel": 2.0, "gm_map": math.log(0.00001), "gm_bpref": math.log(0.00001)}


def test_no_measures_give_empty_rows():
    assert evaluated(measures=[]) == {"q1": {}, "q2": {}}


# Aggregates


def test_aggregates_by_the_name_of_the_measure():
    found = [
        pytrec_eval.compute_aggregated_measure(name, values)
        for name, values in (("map", [0.1, 0.3]), ("num_ret", [1, 2]), ("gm_map", [-1.0, -2.0]), ("num_q", []))
    ]
    assert found == [0.2, 3.0, math.exp(-1.5), 0.0]
    assert {type(value) for value in found} == {float}
    assert math.isnan(pytrec_eval.compute_aggregated_measure("map", []))
    assert math.isnan(pytrec_eval.compute_aggregated_measure("gm_map", []))


# Files


def test_runs_are_parsed():
    run = pytrec_eval.parse_run(line for line in ["q1 Q0 d1 1 0.5 t\n", "q1\tQ0 d2 1 -1e3 t", "q2 Q0 d2 1 nan t\r\n"])
    assert run["q1"] == {"d1": 0.5, "d2": -1000.0} and math.isnan(run["q2"]["d2"])
    assert isinstance(run, collections.defaultdict) and run["new"] == {}


def test_qrels_are_parsed():
    qrels = pytrec_eval.parse_qrel(["q1 0 d1 1\n", "q1\tx d2 -1", "q2 0 d2 2\r\n"])
    assert qrels == {"q1": {"d1": 1, "d2": -1}, "q2": {"d2": 2}}
    assert isinstance(qrels, collections.defaultdict) and qrels["new"] == {}


@pytest.mark.parametrize(
    ("lines", "error", "message"),
    [
        (["q Q0 d 1 1 t", ""], ValueError, "run: line 2: expected 6 fields, found 0"),
        (["# comment"], ValueError, "run: line 1: expected 6 fields, found 2"),
        (["q Q0 d 1 1 t more"], ValueError, "run: line 1: expected 6 fields, found 7"),
        (["q Q0 d 1 x t"], ValueError, "run: line 1: expected a number as score, found 'x'"),
        (["q Q0 d 1 1 t"] * 2, AssertionError, "run: line 2: expected each document once for a query, found 'd' twice"),
    ],
)
def test_runs_that_can_not_be_parsed(lines: list[str], error: type[Exception], message: str):
    with pytest.raises(error, match=f"^{message}$"):
        pytrec_eval.parse_run(lines)


@pytest.mark.parametrize(
    ("lines", "error", "message"),
    [
        (["q 0 d"], ValueError, "qrels: line 1: expected 4 fields, found 3"),
        (["q 0 d 1.0"], ValueError, "qrels: line 1: expected a whole number as grade, found '1.0'"),
        (["q 0 d 1"] * 2, AssertionError, "qrels: line 2: expected each document once for a query, found 'd' twice"),
    ],
)
def test_qrels_that_can_not_be_parsed(lines: list[str], error: type[Exception], message: str):
    with pytest.raises(error, match=f"^{message}$"):
        pytrec_eval.parse_qrel(lines)


# Use over and over


def test_evaluators_can_be_pickled_and_subclassed():
    class Own(pytrec_eval.RelevanceEvaluator):
        def __init__(self, *arguments: Any):
            super().__init__(*arguments)

    expected = evaluated(QRELS, RUN, ["P_2", "map", "utility.0,1,2,3"], 2, True)
    assert Own(QRELS, ["P_2", "map", "utility.0,1,2,3"], 2, True).evaluate(RUN) == expected
    one = pytrec_eval.RelevanceEvaluator(QRELS, ["P_2", "map", "utility.0,1,2,3"], 2, True)
    assert pickle.loads(pickle.dumps(one)).evaluate(RUN) == expected


def test_what_is_passed_in_stays_as_it_is():
    qrels, run = pickle.dumps(QRELS), pickle.dumps(RUN)
    evaluated(measures=["all_trec"])
    assert (pickle.dumps(QRELS), pickle.dumps(RUN)) == (qrels, run)


def test_memory_stays_as_it_is():
    """Over many evaluations: Python's own memory (the core's is of the results, and these are freed with them)."""
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, ["all_trec"])
    tracemalloc.start()
    try:
        for _ in range(20):
            evaluator.evaluate(RUN)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(1000):
            evaluator.evaluate(RUN)
        for _ in range(100):
            pytrec_eval.RelevanceEvaluator(QRELS, ["ndcg_cut.5"]).evaluate(RUN)
        gc.collect()  # empties Python's free lists too
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 2_000


def test_threads_share_an_evaluator():
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, ["all_trec"])
    expected = evaluator.evaluate(RUN)
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.extend(evaluator.evaluate(RUN) for _ in range(25))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 200


def test_numpy_texts_are_query_ids_everywhere():
    assert treckon.evaluate({"q": {"d": 1}}, {np.str_("q"): {"d": 1.0}}, "AP")["AP"] == 1.0
