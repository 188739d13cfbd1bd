"""The values of `treckon.compat.pytrec_eval` against pytrec_eval's own on random input, where that is installed.

Every value is equal to the last bit. The declared exceptions: of `runid` pytrec_eval returns memory that nobody has
written, ours is 0.0; where a ranking is empty some of its values are NaN, ours are 0.0; `utility` with other than four
coefficients is 0.0 there, ours raises ValueError. Input that ends the interpreter is never tried on it.
"""

import math
import random
import threading
import warnings
from typing import Any

import numpy as np
import pytest

from treckon.compat import pytrec_eval as ours

theirs = pytest.importorskip("pytrec_eval")

pytestmark = pytest.mark.skipif(
    getattr(theirs, "__version__", "") != ours.__version__ or theirs is ours,
    reason="another pytrec_eval than the one that this is the interface of",
)

WITH_PARAMETERS = [
    "P.3,7", "P_2", "recall_1,4", "ndcg_cut.3,6,1000", "map_cut_2,9", "success.2,4", "relative_P_3,8",
    "iprec_at_recall.0.25,0.33,1", "Rprec_mult_0.3,0.7,1.6", "11pt_avg.0.1,0.5,0.9", "set_F.0.5", "set_F_2",
    "utility_0,1,2,3.5", "map.5", "bpref_3", "gm_map.1", "P_5_10", "P.5a", "ndcg_cut_1,30",
]  # fmt: skip
DOCUMENTS = [*(f"d{i}" for i in range(30)), "é", "日本", "🙂", "D1", "a b", "z" * 70]


def random_input(random_: random.Random) -> tuple[Any, Any]:
    """Graded and negative judgements, ties, queries on one side alone, unjudged and unretrieved documents."""
    queries = [f"q{i}" for i in range(random_.randint(1, 8))]
    grades = random_.choice([[0, 1], [-1, 0, 1, 2, 3], [-2, -1, 0, 0, 0, 1], [0, 1, 2, 12, 30]])
    scores = random_.choice(
        [[1.0, 2.0, 3.0], [0.70000001, 0.700000005, 1e-46, -0.0, 0.0, 1e300, 1e39, -1e39, 16777217.0, 16777216.0], None]
    )
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query in queries:
        if random_.random() < 0.9:
            documents = random_.sample(DOCUMENTS, random_.randint(0, len(DOCUMENTS)))
            qrels[query] = {document: random_.choice(grades) for document in documents}
        if random_.random() < 0.9:
            retrieved = random_.sample(DOCUMENTS, random_.randint(0, len(DOCUMENTS)))
            run[query] = {
                document: random_.choice(scores) if scores else random_.uniform(-1, 1) for document in retrieved
            }
    first = next((query for query in run if qrels.get(query)), None)
    if first is not None:  # an empty ranking of the first query that counts ends the interpreter
        run[first]["d0"] = 1.0
    for judged in qrels.values():  # and so do queries with negative grades alone
        if judged:
            judged[next(iter(judged))] = random_.choice([0, 1])
    return qrels, run


def declared(values: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Their values with what ours declare to be in the place of memory that nobody has written, and of NaN."""
    return {
        query: {key: 0.0 if key == "runid" or math.isnan(value) else value for key, value in row.items()}
        for query, row in values.items()
    }


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("judged_docs_only", [False, True])
def test_values_are_equal_to_the_last_bit(seed: int, level: int, judged_docs_only: bool):
    random_ = random.Random(f"{seed} {level} {judged_docs_only}")
    for _ in range(12):
        qrels, run = random_input(random_)
        chosen = random_.sample(WITH_PARAMETERS, 6)
        for measures in (["all_trec"], chosen, random_.sample(sorted(ours.supported_measures), 5)):
            expected = theirs.RelevanceEvaluator(qrels, measures, level, judged_docs_only).evaluate(run)
            found = ours.RelevanceEvaluator(qrels, measures, level, judged_docs_only).evaluate(run)
            assert list(found) == list(expected)
            assert [list(row) for row in found.values()] == [list(row) for row in expected.values()]
            assert found == declared(expected), (qrels, run, measures)
            assert {type(value) for row in found.values() for value in row.values()} <= {float}


def test_the_declared_exceptions():
    values = ours.RelevanceEvaluator({"q": {"d": 1}}, ["runid"]).evaluate({"q": {"d": 1.0}})
    assert values == {"q": {"runid": 0.0}}
    with pytest.raises(ValueError, match="utility"):
        ours.RelevanceEvaluator({"q": {"d": 1}}, ["utility.1,2"])


def test_the_surface_is_the_same():
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames
    assert ours.__all__ == theirs.__all__
    assert ours.__version__ == theirs.__version__


@pytest.mark.parametrize(
    "measures",
    [
        ["P.5", "P_10,15", "map", "ndcg_cut", "ndcg_cut.3", "P_5"], ["P", "P.5,10,5", "P.1.5", "P_5_10"],
        ["map", "map.5"],
        ["utility.1,2,3,4", "utility"], ["P.5 ", "recall.5-10", "set_F_0.5", "11pt_avg_0.1"], ["official"], [],
        ["iprec_at_recall_0.5", "Rprec_mult.0.2", "P.100,20,3", "P.5,,6"], WITH_PARAMETERS,
    ],
)  # fmt: skip
def test_measures_are_combined_alike(measures: list[str]):
    one = theirs.RelevanceEvaluator({}, [])
    assert ours._combine_measures(measures) == one._combine_measures(measures)
    assert ours._expand_nicknames(measures) == one._expand_nicknames(measures)


@pytest.mark.parametrize(
    "measure",
    ["foo", "foo_5", "P_x", "P.x", "P.", "P_", "p", "P5", "Map", " P.5", "P. 5", "P.-5", "P.+5", "prefs", "qrels_jg",
     "all_prefs", "rbp", "dcg", "yaap", "iprec_at_recall.x", "set_F.x", ""],
)  # fmt: skip
def test_the_same_measures_are_refused(measure: str):
    with pytest.raises(ValueError) as expected:
        theirs.RelevanceEvaluator({}, [measure])
    with pytest.raises(ValueError) as found:
        ours.RelevanceEvaluator({}, [measure])
    if not measure.startswith(("prefs", "all_prefs", "qrels_jg")):  # there it depends on the order of a set
        assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map", "num_q"])
def test_aggregates_are_equal_to_the_last_bit(measure: str):
    random_ = random.Random(measure)
    for n in (1, 2, 7, 8, 9, 100, 129, 1000):
        values = [random_.uniform(-1, 1) for _ in range(n)]
        found = ours.compute_aggregated_measure(measure, values)
        assert found == theirs.compute_aggregated_measure(measure, values)
        assert type(found) is float


@pytest.mark.parametrize("text", [["q1 Q0 d1 1 0.5 t\n", "q1\tQ0 d2 7 -1e3 t", "q2 Q0 d2 1 1_0 t\r\n"], []])
def test_runs_are_read_alike(text: list[str]):
    found, expected = ours.parse_run(text), theirs.parse_run(text)
    assert found == expected
    assert type(found) is type(expected) and found.default_factory is expected.default_factory


@pytest.mark.parametrize("text", [["q1 0 d1 1\n", "q1\tx d2 -1", "q2 0 d2 1_0\r\n"], []])
def test_qrels_are_read_alike(text: list[str]):
    found, expected = ours.parse_qrel(text), theirs.parse_qrel(text)
    assert found == expected
    assert type(found) is type(expected) and found.default_factory is expected.default_factory


@pytest.mark.parametrize("read", ["parse_run", "parse_qrel"])
@pytest.mark.parametrize(
    "line", ["", "\n", "# comment", "q Q0 d 1 x t", "q 0 d 1.0", "q 0 d", "q Q0 d 1 1 t more", "q Q0 d 1 1.5 t"]
)
def test_lines_are_refused_alike(read: str, line: str):
    outcomes = []
    for module in (theirs, ours):
        try:
            outcomes.append(getattr(module, read)([line]))
        except Exception as error:
            outcomes.append(type(error))
    assert outcomes[0] == outcomes[1]


def test_threads_get_the_same_values():
    qrels, run = random_input(random.Random(11))
    expected = declared(theirs.RelevanceEvaluator(qrels, ["all_trec"]).evaluate(run))
    evaluator = ours.RelevanceEvaluator(qrels, ["all_trec"])
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: [found.append(evaluator.evaluate(run)) for _ in range(20)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 160
    assert all(one == expected for one in found)


# What docs/switching.md says of pytrec_eval; the numbers are those of its rows. Not tested: what ends the interpreter.


def evaluated(qrels: Any, run: Any, *rest: Any) -> Any:
    return theirs.RelevanceEvaluator(qrels, *rest).evaluate(run)


@pytest.mark.parametrize("score", [np.float32(1), np.int64(1)])
def test_p04_numpy_s_scores_are_refused(score: Any):
    assert evaluated({"q": {"d": 1}}, {"q": {"d": np.float64(1)}}, ["map"]) == {"q": {"map": 1.0}}
    with pytest.raises(TypeError, match=r"^Unable to extract query/object scores\.$"):
        evaluated({"q": {"d": 1}}, {"q": {"d": score}}, ["map"])


def test_p04_numpy_s_grades_are_refused():
    with pytest.raises(TypeError, match=r"^Expected relevance to be integer\.$"):
        evaluated({"q": {"d": np.int64(1)}}, {"q": {"d": 1.0}}, ["map"])


def test_p05_nan_is_taken():
    assert evaluated({"q": {"d": 1}}, {"q": {"d": math.nan, "e": 1.0}}, ["num_ret"]) == {"q": {"num_ret": 2.0}}


@pytest.mark.parametrize(
    ("qrels", "scores"),
    [
        ({1: {"d": 1}}, {}), ({"q": ["d"]}, {}), ({"q": {1: 1}}, {}), ({"q": {"d": 1.0}}, {}), ({"q": {"d": None}}, {}),
        ({}, [1]), ({"q": {"d": 1}}, {1: {"d": 1}}), ({"q": {"d": 1}}, {"q": ["d"]}), ({"q": {"d": 1}}, {"x": {1: 1}}),
        ({"q": {"d": 1}}, {"q": {"d": "1"}}), (None, {}), ([], {}),
    ],
)  # fmt: skip
def test_p06_errors_begin_alike(qrels: Any, scores: Any):
    with pytest.raises((TypeError, AttributeError)) as expected:
        theirs.RelevanceEvaluator(qrels, ["map"]).evaluate(scores)
    with pytest.raises((TypeError, AttributeError)) as found:
        ours.RelevanceEvaluator(qrels, ["map"]).evaluate(scores)
    assert type(found.value) is type(expected.value)
    assert str(found.value).startswith(str(expected.value).rstrip("."))


@pytest.mark.parametrize("level", [0, 1.0, "1", None, 2**31])
def test_p06_errors_of_levels_begin_alike(level: Any):
    with pytest.raises(TypeError) as expected:
        theirs.RelevanceEvaluator({}, [], level)
    with pytest.raises(TypeError) as found:
        ours.RelevanceEvaluator({}, [], level)
    assert str(found.value).startswith(str(expected.value))


def test_p08_coefficients_of_utility_are_taken_apart(capfd: pytest.CaptureFixture[str]):
    assert evaluated({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["utility.1,-1,0,0"]) == {"q": {"utility": 0.0}}
    assert "improper number of coefficients" in capfd.readouterr().err


def test_p09_ids_that_differ_behind_a_nul_are_one():
    qrels = {"q": {"d\0a": 1, "d\0b": 0}}
    assert evaluated(qrels, {"q": {"d\0a": 2.0, "d\0b": 1.0}}, ["map"]) == {"q": {"map": 0.0}}


def test_p11_a_negative_level_is_taken():
    assert evaluated({"q": {"d": 9}}, {"q": {"d": 1.0}}, ["map"], -1) == {"q": {"map": 0.0}}


def test_p12_grades_beyond_32_bits_are_taken():
    assert evaluated({"q": {"d": 2**40, "e": 0}}, {"q": {"d": 1.0}}, ["num_rel"]) == {"q": {"num_rel": 0.0}}


def test_p13_values_of_an_empty_ranking():
    run = {"q": {"d": 1.0}, "r": {"x": 1.0}}
    found = evaluated({"q": {"d": 1}, "r": {"d": 1}}, run, ["iprec_at_recall.0.1", "11pt_avg", "map"], 1, True)["r"]
    assert math.isnan(found["11pt_avg"]) and found["map"] == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert math.isnan(theirs.compute_aggregated_measure("map", []))


def test_p18_missing_queries_do_not_count():
    assert list(evaluated({"q": {"d": 1}, "r": {"d": 1}}, {"q": {"d": 1.0}, "x": {"d": 1.0}}, ["map"])) == ["q"]
