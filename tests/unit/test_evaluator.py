"""The Python API: conventions, inputs of every form to the same values, own measures, reuse."""

import copy
import enum
import gc
import itertools
import math
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import treckon
from treckon._native.mapping_scans import MappingScan
from treckon._native.results import Results
from treckon.errors import EvaluationError, InputError, NoQueriesError, ParameterError

QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "d": 3, "e": 0, "f": 1, "u": -1, "v": -1}, "q2": {"c": 0, "e": 0}}
RUN = {"q1": {"a": 7.0, "x": 6.0, "c": 5.0, "b": 4.0, "u": 3.0, "e": 2.0, "d": 1.0}, "q2": {"c": 2.0, "y": 1.0}}


def ranked(pattern, n_relevant=None):
    """Qrels and run of one query whose ranking is relevant where the pattern has a 1."""
    run = {f"d{i}": float(-i) for i in range(len(pattern))}
    qrels = {f"d{i}": 1 for i, mark in enumerate(pattern) if mark == "1"}
    qrels.update({f"missed{i}": 1 for i in range((n_relevant or len(qrels)) - len(qrels))})
    return {"q": qrels}, {"q": run}


def value(pattern, measure, n_relevant=None, **conventions):
    return treckon.evaluate(*ranked(pattern, n_relevant), measure, **conventions)[measure]


# The worked values that conventions must give, rounded as they are shown there.


def test_relevant_at_2_5_and_9_of_ten_with_four_relevant():
    expected = {"R@10": 0.75, "RR@10": 0.5, "DCG@10": 1.319, "IDCG@10": 2.562, "nDCG@10": 0.515}
    for measure, shown in expected.items():
        assert round(value("0100100010", measure, 4), 3) == shown


def test_reciprocal_ranks_and_their_mean():
    patterns = ("00100", "10000", "00000", "01100")
    qrels, run = {}, {}
    for i, pattern in enumerate(patterns):
        one_qrels, one_run = ranked(pattern)
        qrels[f"q{i}"], run[f"q{i}"] = one_qrels["q"], one_run["q"]
    evaluation = treckon.evaluate(qrels, run, "RR")
    assert [round(evaluation.per_query[f"q{i}"]["RR"], 3) for i in range(4)] == [0.333, 1, 0, 0.5]
    assert round(evaluation["RR"], 4) == 0.4583


def test_two_relevant_at_2_and_4_of_five():
    expected = {"P@5": 0.4, "R@5": 1, "RR@5": 0.5, "AP@5": 0.5, "DCG@5": 1.0616, "IDCG@5": 1.6309, "nDCG@5": 0.6509}
    for measure, shown in expected.items():
        assert round(value("01010", measure), 4) == shown


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        ("10100", {"R@5": 0.667, "P@5": 0.4, "RR@5": 1, "DCG@5": 1.5, "nDCG@5": 0.704}),
        ("11000", {"DCG@5": 1.631, "nDCG@5": 0.765}),
        ("00100", {"R@5": 0.333, "P@5": 0.2, "RR@5": 0.333, "DCG@5": 0.5, "nDCG@5": 0.235}),
    ],
)
def test_three_relevant_to_depth_5(pattern, shown):
    for measure, expected in shown.items():
        assert round(value(pattern, measure, 3), 3) == expected
    assert round(value(pattern, "IDCG@5", 3), 3) == 2.131


def test_mean_of_reciprocal_ranks_to_depth_5():
    values = [value(pattern, "RR@5", 3) for pattern in ("10100", "11000", "00100")]
    assert round(sum(values) / 3, 3) == 0.778


def test_a_first_hit_decides_reciprocal_rank():
    assert value("100000", "RR") == 1.0
    assert value("011111", "RR") == 0.5


def test_precision_divides_by_the_cutoff_even_where_fewer_were_returned():
    assert value("1", "P@5") == 0.2


# Ties.

TIED = ({"q": {"a": 0, "b": 1}}, {"q": {"a": 1.0, "b": 1.0}})


@pytest.mark.parametrize(
    ("ties", "shown"), [("trec", 1.0), ("docno", 0.5), ("optimistic", 1.0), ("pessimistic", 0.5), ("expected", 0.75)]
)
def test_reciprocal_rank_of_two_tied_documents(ties, shown):
    assert treckon.evaluate(*TIED, "RR", ties=ties)["RR"] == shown


def test_ties_as_listed_go_by_the_order_of_the_run():
    assert treckon.evaluate(*TIED, "RR", ties="input")["RR"] == 0.5
    assert treckon.evaluate(TIED[0], {"q": {"b": 1.0, "a": 1.0}}, "RR", ties="input")["RR"] == 1.0


def test_expected_ndcg_of_two_tied_documents():
    assert treckon.evaluate(*TIED, "nDCG", ties="expected")["nDCG"] == pytest.approx((1 + 1 / math.log2(3)) / 2)


def test_ties_are_counted_and_those_across_a_cutoff_too():
    evaluation = treckon.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, ["P@1", "P@3"])
    assert evaluation.ties == {"queries": 1, "across_cutoff": 0}
    assert treckon.evaluate({"q": {"a": 1}}, {"q": {"c": 1.0, "b": 1.0, "a": 2.0}}, "P@2").ties == {
        "queries": 1,
        "across_cutoff": 1,
    }


def test_random_ties_depend_on_the_seed_and_the_query_alone():
    qrels = {f"q{i}": {"b": 1} for i in range(50)}
    run = {f"q{i}": dict.fromkeys("abcd", 1.0) for i in range(50)}
    first = treckon.evaluate(qrels, run, "RR", ties="random", seed=1)
    assert first == treckon.evaluate(qrels, dict(reversed(run.items())), "RR", ties="random", seed=1)
    assert first != treckon.evaluate(qrels, run, "RR", ties="random", seed=2)
    alone = treckon.evaluate({"q7": qrels["q7"]}, {"q7": run["q7"]}, "RR", ties="random", seed=1)
    assert alone["RR"] == first.per_query["q7"]["RR"]
    assert {1.0, 0.5, 0.25} < {first.per_query[query]["RR"] for query in qrels}


def test_a_measure_without_a_closed_form_is_sampled_and_says_how_well():
    evaluation = treckon.evaluate(*TIED, "bpref", ties="expected", samples=200)
    error = evaluation.ties["standard_errors"]["bpref"]
    assert 0 < error < 0.1
    assert abs(evaluation["bpref"] - 0.5) < 5 * error


@pytest.mark.parametrize("measure", ["nDCG@2", "RR", "AP", "P@2", "RBP"])
def test_expected_values_are_means_over_all_orders(measure):
    qrels = {"q": {"a": 2, "b": 0, "c": 1, "e": 1}}
    orders = [
        {"q": dict(zip((*order, "d"), (4.0, 3.9, 3.8, 3.7, 1.0), strict=True))}
        for order in itertools.permutations("abcx")
    ]
    mean = sum(treckon.evaluate(qrels, run, measure)[measure] for run in orders) / len(orders)
    tied = {"q": {"a": 4.0, "b": 4.0, "c": 4.0, "x": 4.0, "d": 1.0}}
    assert treckon.evaluate(qrels, tied, measure, ties="expected")[measure] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("options", [{"ties": "random", "seed": 3}, {"ignore_self": True}])
def test_what_depends_on_the_querys_id_does_not_on_where_its_rows_lie(options):
    qrels = {query: {"4": 1} for query in "123"}
    rows = [(query, document, 1.0) for query in "123" for document in "1234567"]
    expected = treckon.evaluate(qrels, rows, "RR", **options)
    apart = sorted(rows, key=lambda row: row[1])
    numbers = tuple(np.array(column, dtype=float).astype(int) for column in zip(*apart, strict=True))
    text = "".join(f"{query} Q0 {document} 1 {score} t\n" for query, document, score in apart)
    for run in (apart, numbers, text.encode()):
        assert treckon.evaluate(qrels, run, "RR", **options) == expected
    assert expected != treckon.evaluate(qrels, rows, "RR")


def test_random_ties_do_not_depend_on_threads():
    n, k = 2000, 50
    columns = np.repeat(np.arange(n), k), np.tile(np.arange(k), n), np.zeros(n * k)
    qrels = {query: {7: 1} for query in range(n)}
    values = [treckon.evaluate(qrels, columns, "RR", ties="random", threads=threads).values for threads in (1, 4)]
    assert np.array_equal(*values)
    assert 1.0 in values[0] and len(np.unique(values[0])) == k


# Unjudged documents, grades, gains.


def test_condensed_takes_unjudged_documents_out():
    assert treckon.evaluate(QRELS, RUN, "P@3", unjudged="condensed").per_query["q1"]["P@3"] == pytest.approx(2 / 3)
    assert treckon.evaluate(QRELS, RUN, "P@3").per_query["q1"]["P@3"] == pytest.approx(1 / 3)


def test_condensing_comes_after_the_depth_cut():
    evaluation = treckon.evaluate(QRELS, RUN, ["R@3", "NumRet"], unjudged="condensed", depth=2)
    assert list(evaluation.per_query["q1"].values()) == [1 / 4, 1]  # a; x is unjudged, and c is not looked at


def test_unjudged_documents_can_be_refused():
    with pytest.raises(EvaluationError) as error:
        treckon.evaluate(QRELS, RUN, "P@3", unjudged="error")
    assert str(error.value) == (
        "run: query 'q1', document 'x' at rank 2: expected a judged document, found none of its grade in the qrels"
    )


def test_negative_grades_can_count_as_nonrelevant():
    qrels, run = {"q": {"spam": -2, "a": 1}}, {"q": {"spam": 2.0, "a": 1.0}}
    assert treckon.evaluate(qrels, run, "P@1", unjudged="condensed")["P@1"] == 1.0
    assert treckon.evaluate(qrels, run, "P@1", unjudged="condensed", negative="nonrelevant")["P@1"] == 0.0


def test_a_document_with_the_querys_own_id_can_be_taken_out():
    qrels, run = {"7": {"a": 1}, "8": {"a": 1}}, {"7": {"7": 2.0, "a": 1.0}, "8": {"7": 2.0, "a": 1.0}}
    evaluation = treckon.evaluate(qrels, run, "RR")
    assert evaluation["RR"] == 0.5
    assert "own_documents" not in evaluation.counts
    rows = [(query, document, score) for query, documents in run.items() for document, score in documents.items()]
    numbers = tuple(map(np.array, zip(*((int(q), 7 if d == "7" else 1, s) for q, d, s in rows), strict=True)))
    text = "".join(f"{query} Q0 {document} 1 {score} t\n" for query, document, score in rows[::2] + rows[1::2])
    for qrels_of, form in ((qrels, run), (qrels, rows), ({7: {1: 1}, 8: {1: 1}}, numbers), (qrels, text.encode())):
        evaluation = treckon.evaluate(qrels_of, form, "RR", ignore_self=True)
        assert evaluation["RR"] == 0.75
        assert evaluation.counts["own_documents"] == 1


def test_linear_and_exponential_gain():
    qrels, run = {"q": {"a": 1, "b": 3}}, {"q": {"a": 2.0, "b": 1.0}}
    assert round(treckon.evaluate(qrels, run, "nDCG")["nDCG"], 4) == 0.7967
    assert round(treckon.evaluate(qrels, run, "nDCG", gain="exp2")["nDCG"], 4) == 0.7098
    assert round(treckon.evaluate(qrels, run, "nDCG(gain='exp2')")["nDCG(gain='exp2')"], 4) == 0.7098
    assert treckon.evaluate(qrels, run, "nDCG", gain={1: 1, 3: 7})["nDCG"] == pytest.approx(0.7098, abs=5e-5)


def test_gains_by_level_and_by_mapping_and_discounts():
    qrels, run = {"q": {"a": 1, "b": 2, "c": 2, "n": -1}}, {"q": ["a", "n", "b", "c"]}

    def dcg(**options):
        return treckon.evaluate(qrels, run, "DCG", **options)["DCG"]

    log = math.log2
    assert dcg() == pytest.approx(1 + 2 / log(4) + 2 / log(5))
    assert dcg(gain={1: 3, 2: 9}) == pytest.approx(3 + 9 / log(4) + 9 / log(5))
    assert dcg(gain={2: 9}) == pytest.approx(1 + 9 / log(4) + 9 / log(5))  # 1 is worth itself
    assert dcg(gain=("binary", 2)) == dcg(gain=["binary", 2]) == pytest.approx(1 / log(4) + 1 / log(5))
    assert dcg(discount="none") == 5.0
    assert dcg(discount=("jk", 2)) == pytest.approx(1 + 2 / log(3) + 2 / log(4))
    assert dcg(discount=("jk", 3)) == pytest.approx(1 + 2 + 2 / math.log(4, 3))


def test_the_ideal_ranking_has_all_judged_documents_and_ends_at_the_measures_own_cutoff():
    three = {"q": {"a": 1, "b": 1, "c": 1}}
    assert round(treckon.evaluate(three, {"q": ["a", "x", "b"]}, "nDCG", depth=1)["nDCG"], 4) == 0.4693
    assert treckon.evaluate(three, {"q": ["a", "x", "b"]}, "nDCG@1")["nDCG@1"] == 1.0
    assert round(treckon.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a"]}, "nDCG")["nDCG"], 3) == 0.613
    five = {"q": dict.fromkeys("abcde", 3)}
    assert round(treckon.evaluate(five, {"q": ["a"]}, "nDCG@10")["nDCG@10"], 2) == 0.34
    assert round(treckon.evaluate(five, {"q": [*"vwxyz", *"abcde"]}, "nDCG@10")["nDCG@10"], 2) == 0.54


def test_an_option_that_no_measure_has_a_use_for_is_refused():
    with pytest.raises(ParameterError, match="gain: none of AP has a gain that the evaluation chooses"):
        treckon.evaluate(QRELS, RUN, "AP", gain="exp2")


def test_the_conventions_of_a_result_can_be_asked_for_again():
    first = treckon.evaluate(QRELS, RUN, "AP", ties="docno", missing="zero")
    assert treckon.evaluate(QRELS, RUN, "AP", **first.conventions) == first


# Queries.


def test_missing_extra_and_empty_queries():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
    run = {"q1": {"a": 1.0}, "q3": {"a": 1.0}, "q9": {"a": 1.0}}
    evaluation = treckon.evaluate(qrels, run, "AP")
    assert evaluation["AP"] == 0.5
    assert evaluation.counts == {
        "in_qrels": 3, "in_run": 3, "in_both": 2, "missing": 1, "extra": 1, "without_relevant": 1,
    }  # fmt: skip
    assert treckon.evaluate(qrels, run, "AP", missing="zero")["AP"] == pytest.approx(1 / 3)
    assert treckon.evaluate(qrels, run, "AP", no_relevant="skip")["AP"] == 1.0
    assert treckon.evaluate(qrels, run, "AP", no_relevant="one")["AP"] == 1.0
    for option, message in (
        ({"missing": "error"}, "run: expected results for every judged query, found none for 1 of 3, for example 'q2'"),
        ({"extra": "error"}, "run: expected judged queries alone, found query 'q9'"),
        (
            {"no_relevant": "error"},
            "qrels: expected a document of grade 1 or more for every query, found none for 1, for example 'q3'",
        ),
    ):
        with pytest.raises(EvaluationError) as error:
            treckon.evaluate(qrels, run, "AP", **option)
        assert str(error.value) == message


@pytest.mark.parametrize(("duplicates", "shown"), [("first", 0.25), ("drop", 1 / 3), ("max", 1 / 3)])
def test_a_document_listed_twice(duplicates, shown):
    rows = [("q", "x", 5.0), ("q", "x", 4.0), ("q", "y", 3.0), ("q", "a", 2.0)]
    assert treckon.evaluate({"q": {"a": 1}}, rows, "RR", duplicates=duplicates)["RR"] == pytest.approx(shown)
    with pytest.raises(EvaluationError, match="query 'q', document 'x': expected each document once"):
        treckon.evaluate({"q": {"a": 1}}, rows, "RR")


@pytest.mark.parametrize(
    ("ties", "shown"), [("trec", 0.5), ("docno", 1.0), ("input", 1.0), ("optimistic", 1.0), ("pessimistic", 0.5)]
)
def test_a_document_may_be_listed_again_beyond_the_depth(ties, shown):
    rows = [("q", "a", 9.0), ("q", "b", 9.0), ("q", "c", 8.0), ("q", "c", 7.0)]
    for depth in (1, 2, 3):
        found = treckon.evaluate({"q": {"a": 1}}, rows, "AP", ties=ties, depth=depth)["AP"]
        assert found == (shown if depth > 1 else float(shown == 1.0))
    for depth in (4, 5, None):
        with pytest.raises(EvaluationError, match="query 'q', document 'c': expected each document once"):
            treckon.evaluate({"q": {"a": 1}}, rows, "AP", ties=ties, depth=depth)


def test_the_order_of_ties_says_which_copies_are_within_the_depth():
    rows = [("q", "b", 2.0), ("q", "c", 1.0), ("q", "a", 1.0), ("q", "a", 1.0)]
    assert treckon.evaluate({"q": {"a": 1}}, rows, "RR", depth=3)["RR"] == 1 / 3
    assert treckon.evaluate({"q": {"a": 1}}, rows, "RR", depth=3, ties="pessimistic")["RR"] == 1 / 3
    with pytest.raises(EvaluationError, match="query 'q', document 'a': expected each document once"):
        treckon.evaluate({"q": {"a": 1}}, rows, "RR", depth=3, ties="optimistic")


@pytest.mark.parametrize(("last", "shown"), [("c", 0.5), ("b", 0.75), ("a", None)])
def test_copies_are_within_the_depth_if_they_are_by_the_grades_of_any_group(last, shown):
    rows = [("q", "b", 2.0), ("q", "c", 1.0), ("q", "a", 1.0), ("q", "a", 1.0)]
    groups = {"q": {"s": {"c": 1}, "t": {last: 1}}}
    evaluator = treckon.Evaluator(groups, "map_avgjg", format="qrels_jg", depth=3, ties="optimistic")
    if shown is None:
        with pytest.raises(EvaluationError, match="query 'q', document 'a': expected each document once"):
            evaluator.evaluate(rows)
    else:
        assert evaluator.evaluate(rows)["map_avgjg"] == shown


def test_the_highest_score_of_a_document_can_stay():
    rows = [("q", "a", 1.0), ("q", "x", 2.0), ("q", "a", 3.0)]
    assert treckon.evaluate({"q": {"a": 1}}, rows, "RR", duplicates="max")["RR"] == 1.0
    assert treckon.evaluate({"q": {"a": 1}}, rows, "RR", duplicates="drop")["RR"] == 0.5


def test_no_query_with_both_results_and_judgements():
    qrels, run = {"1.1": {"a": 1}}, {"1": {"a": 2.0}}
    nothing = "expected a query with both results and judgements, found none: "
    rows = [("1", "a", 2.0)]
    for form, found in (
        (run, "the run has '1', the judgements have '1.1'"),
        (rows, "the run has '1', the judgements have '1.1'"),
        (b"1 Q0 a 1 2.0 t\n", "the run has '1', the judgements have '1.1'"),
        ({}, "the run has no query"),
        ([], "the run has no query"),
    ):
        with pytest.raises(NoQueriesError) as error:
            treckon.evaluate(qrels, form, "AP")
        assert str(error.value) == nothing + found
        assert treckon.evaluate(qrels, form, "AP", missing="zero")["AP"] == 0.0
    for missing in ("skip", "zero"):
        with pytest.raises(NoQueriesError) as error:
            treckon.evaluate({}, run, "AP", missing=missing)
        assert str(error.value) == nothing + "there are no judgements"


def test_equal_judgements_of_a_file_can_be_merged():
    lines = b"q 0 a 1\nq 0 b 0\nq 0 a 1\n"
    assert treckon.evaluate(lines, {"q": {"a": 1.0}}, "AP", equal_judgements="merge")["AP"] == 1.0
    with pytest.raises(EvaluationError, match=r"^qrels:3: "):
        treckon.evaluate(lines, {"q": {"a": 1.0}}, "AP")
    with pytest.raises(EvaluationError, match="expected one judgement, found grades 1 and 2"):
        treckon.evaluate(lines + b"q 0 a 2\n", {"q": {"a": 1.0}}, "AP", equal_judgements="merge")


def test_equal_judgements_can_be_merged_different_ones_never():
    rows = [("q", "a", 1), ("q", "a", 1), ("q", "b", 0)]
    assert treckon.evaluate(rows, {"q": {"a": 1.0}}, "AP", equal_judgements="merge")["AP"] == 1.0
    with pytest.raises(EvaluationError, match="expected one judgement, found the same grade again"):
        treckon.evaluate(rows, {"q": {"a": 1.0}}, "AP")
    with pytest.raises(EvaluationError, match="expected one judgement, found grades 1 and 2"):
        treckon.evaluate([*rows, ("q", "a", 2)], {"q": {"a": 1.0}}, "AP", equal_judgements="merge")


def test_depth_level_and_release():
    assert treckon.evaluate(QRELS, RUN, "AP", depth=3).per_query["q1"]["AP"] == 0.25
    assert (
        treckon.evaluate(QRELS, RUN, "AP", level=2).per_query["q1"]["AP"]
        == treckon.evaluate(QRELS, RUN, "AP(rel=2)").per_query["q1"]["AP(rel=2)"]
    )
    close = {"q": {"da": 0.700000010, "db": 0.700000005}}
    assert treckon.evaluate({"q": {"da": 1}}, close, "RR")["RR"] == 1.0
    assert treckon.evaluate({"q": {"da": 1}}, close, "RR", compat="9.0.8")["RR"] == 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unjudged": "luck"}, "unjudged: expected 'nonrelevant', 'condensed' or 'error', found 'luck'"),
        ({"levels": 1}, "expected an option out of"),
        ({"level": -1}, "level: expected a whole number from 0, found -1"),
        ({"depth": 1.5}, "depth: expected a whole number from 1, found 1.5"),
        ({"depth": 0}, "depth: expected a whole number from 1, found 0"),
        ({"ignore_self": "no"}, "ignore_self: expected True or False, found 'no'"),
        ({"missing": np.array(["zero"])}, "missing: expected 'skip', 'zero' or 'error', found array("),
        ({"compat": np.array(["9.0.8"])}, "compat: expected '9.0.8' or '10.0' or None, found array("),
        ({"compat": "8"}, "compat: expected '9.0.8' or '10.0' or None, found '8'"),
        ({"ties": "expected", "depth": 3}, "depth: expected none with ties='expected'"),
        ({"order": "rank"}, "order: expected 'score' or 'input', since this run has no ranks, found 'rank'"),
        ({"level": np.bool_(True)}, "level: expected a whole number from 0, found "),
        ({"threads": np.bool_(True)}, "threads: expected a whole number from 0, found "),
        ({"threads": -1}, "threads: expected a whole number from 0, found -1"),
        ({"threads": 1.5}, "threads: expected a whole number from 0, found 1.5"),
        ({"threads": True}, "threads: expected a whole number from 0, found True"),
    ],
)  # fmt: skip
def test_conventions_that_cannot_be_are_refused(options, message):
    with pytest.raises(ParameterError) as error:
        treckon.evaluate(QRELS, RUN, "AP", **options)
    assert str(error.value).startswith(message)


def test_the_rank_field_of_a_file_can_be_the_order(tmp_path):
    (tmp_path / "run").write_text("q Q0 a 2 9.0 t\nq Q0 b 1 8.0 t\n")
    assert treckon.evaluate({"q": {"b": 1}}, tmp_path / "run", "RR")["RR"] == 0.5
    assert treckon.evaluate({"q": {"b": 1}}, tmp_path / "run", "RR", order="rank")["RR"] == 1.0
    assert treckon.evaluate({"q": {"b": 1}}, tmp_path / "run", "RR", order="input")["RR"] == 0.5


# Forms of the same data.


def test_every_form_of_a_run_has_the_same_values(tmp_path):
    measures = ["official", "nDCG@5", "Judged@5"]
    expected = treckon.evaluate(QRELS, RUN, measures)
    rows = [(query, document, score) for query, documents in RUN.items() for document, score in documents.items()]
    treckon.write_run(RUN, tmp_path / "run")
    treckon.write_qrels(QRELS, tmp_path / "qrels")
    queries, documents, scores = map(list, zip(*rows, strict=True))
    shuffled = sorted(rows, key=lambda row: row[1])  # the rows of a query lie apart
    for run in (rows, iter(rows), (queries, documents, np.array(scores)), shuffled, tmp_path / "run"):
        evaluation = treckon.evaluate(QRELS, run, measures)
        assert np.array_equal(evaluation.values, expected.values)
        assert evaluation.counts == expected.counts
    assert np.array_equal(treckon.evaluate(tmp_path / "qrels", RUN, measures).values, expected.values)
    assert treckon.read_run(tmp_path / "run") == RUN
    assert treckon.read_qrels(tmp_path / "qrels") == QRELS


def test_whole_numbers_as_ids_match_their_text():
    text = treckon.evaluate({"1": {"10": 1, "11": 2}}, {"1": {"10": 1.0, "11": 2.0}}, "nDCG")
    assert treckon.evaluate({-5: {"a": 1}}, {np.int64(-5): {"a": 1.0}}, "AP")["AP"] == 1.0
    assert treckon.evaluate({b"x": {"a": 1}}, {b"x": {b"a": 1.0}}, "AP")["AP"] == 1.0
    for qrels in ({1: {10: 1, 11: 2}}, ([1, 1], [10, 11], [1, 2])):
        for run in ({1: {10: 1.0, 11: 2.0}}, (np.array([1, 1]), np.array([10, 11]), np.array([1.0, 2.0]))):
            assert treckon.evaluate(qrels, run, "nDCG")["nDCG"] == text["nDCG"] == 1.0
    with pytest.raises(InputError, match="query '1': expected each query once, found its id as keys of two types"):
        treckon.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}, 1: {"a": 2.0}}, "RR")


class Word(str, enum.Enum):
    Q = "q"


@pytest.mark.parametrize(
    "one", ["", " ", "a b", "\0", "a\0", "\ud800", "\udcff", "\U0001f600", "\n", -5, 2**70, b"\xff", np.str_("x"),
            np.bytes_(b"x"), np.uint8(7), Word.Q],
    ids=repr,
)  # fmt: skip
def test_ids_of_every_kind(one):
    """Ids of a query and of a document, in dicts and in rows; unjudged ones beside them."""
    text = treckon.read_run({one: {"x": 1.0}}).popitem()[0]
    for qrels, run in (
        ({one: {one: 1}}, {one: {"zz": 2.0, one: 1.0}, "other": {one: 1.0}}),
        ([(one, one, 1)], [(one, "zz", 2.0), (one, one, 1.0), ("other", one, 1.0)]),
        ({one: {one: 1}}, {one: ["zz", one], "other": [one]}),
        ({text: {text: 1}}, {one: {"zz": 2.0, one: 1.0}, "other": {one: 1.0}}),
    ):
        evaluation = treckon.evaluate(qrels, run, "RR")
        assert evaluation.query_ids == (text,)
        assert evaluation["RR"] == 0.5
        assert evaluation.counts["extra"] == 1


@pytest.mark.parametrize("one", [None, True, np.bool_(True), 1.5, (1, 2), 10**5000], ids=lambda one: type(one).__name__)
def test_what_is_no_id(one):
    for qrels, run in (
        ({one: {"a": 1}}, {}),
        ({"q": {one: 1}}, {}),
        ({"q": {"a": 1}}, {one: {"a": 1.0}}),
        ({"q": {"a": 1}}, {"q": {one: 1.0}}),
        ([(one, "a", 1)], {}),
        ({"q": {"a": 1}}, [("q", one, 1.0)]),
        ({"q": {"a": 1}}, {"q": [one]}),
    ):
        with pytest.raises(InputError, match="^(qrels|run)(: query 'q'|: row 0)?(, item 0)?: expected .*id"):
            treckon.evaluate(qrels, run, "AP")


def test_one_text_as_two_ids():
    with pytest.raises(InputError, match="query '1': expected each query once, found its id as keys of two types"):
        treckon.evaluate({"1": {"a": 1}}, {np.str_("1"): {"a": 1.0}, 1: {"a": 2.0}}, "RR")


def test_many_rows_of_numbers_are_shared_by_threads():
    n, k = 400, 200
    rng = np.random.default_rng(0)
    queries = np.repeat(np.arange(n), k)
    documents = np.concatenate([rng.permutation(1000)[:k] for _ in range(n)])
    scores = rng.normal(size=n * k).round(2)
    qrels = {q: {int(d): int(d) % 3 for d in rng.permutation(1000)[:30]} for q in range(n)}
    mapping = {}
    for query, document, score in zip(queries.tolist(), documents.tolist(), scores.tolist(), strict=True):
        mapping.setdefault(query, {})[document] = score
    measures = ["AP", "nDCG@10", "RR", "P@100"]
    expected = treckon.evaluate(qrels, mapping, measures)
    for threads in (1, 2, 5):
        evaluation = treckon.evaluate(qrels, (queries, documents, scores), measures, threads=threads)
        assert np.array_equal(evaluation.values, expected.values)
        assert evaluation.ties == expected.ties


@pytest.mark.parametrize(
    "score", [None, "1", float("nan"), 1j, np.complex64(1), np.array([1.0]), np.timedelta64(1, "s"), 10**400]
)
def test_what_is_no_score_is_refused_with_query_and_document(score):
    with pytest.raises(
        InputError, match="run: query 'q1', document 'a': expected a (number as score|score that fits a double), found"
    ):
        treckon.evaluate(QRELS, {"q1": {"a": score, "b": 1.0}}, "AP")


def test_nothing_passed_in_is_changed():
    qrels, run = {q: dict(d) for q, d in QRELS.items()}, {q: dict(d) for q, d in RUN.items()}
    treckon.evaluate(qrels, run, "official", ignore_self=True, duplicates="drop", missing="zero")
    assert (qrels, run) == (QRELS, RUN)


# Evaluators.


def test_an_evaluator_keeps_nothing_of_a_run_and_can_be_pickled():
    evaluator = treckon.Evaluator(QRELS, ["AP", "nDCG@5"], level=2)
    first = evaluator.evaluate(RUN)
    evaluator.evaluate({"q1": {"zzz": 1.0}})
    assert evaluator.evaluate(RUN) == first
    assert pickle.loads(pickle.dumps(evaluator)).evaluate(RUN) == first
    assert pickle.loads(pickle.dumps(first)) == first


def test_judgements_keep_the_order_in_which_queries_were_met(tmp_path):
    """Numbers go by id; the order of the file is kept beside, also where a query comes again and in a pickle."""
    path = tmp_path / "qrels"
    path.write_text("b 0 d 1\n10 0 d 1\na 0 d 1\nb 0 e 1\n9 0 d 1\n")
    for qrels in (path, {"b": {"d": 1}, "10": {}, "a": {"d": 1}, "9": {"d": 1}}):
        evaluator = treckon.Evaluator(qrels, "map")
        assert evaluator.query_ids == ["10", "9", "a", "b"]
        for one in (evaluator, pickle.loads(pickle.dumps(evaluator))):
            assert [one.query_ids[number] for number in one.qrels.listed()] == ["b", "10", "a", "9"]


def test_an_evaluator_with_judgements_in_groups_can_be_pickled(tmp_path):
    subtopics = {"q": {"s": {"a": 1, "c": 0}, "t": {"b": 2}, "u": {}}, "r": {"s": {"a": 1}}}
    evaluator = treckon.Evaluator(subtopics, ["StRecall@2", "alpha_nDCG@2"], format="qrels_jg", missing="zero")
    run = {"q": {"a": 2.0, "x": 1.0, "b": 0.5}}
    copy = pickle.loads(pickle.dumps(evaluator))
    assert copy.evaluate(run) == evaluator.evaluate(run)
    assert copy.evaluate(run)["StRecall@2"] == 0.25
    (tmp_path / "prefs").write_text("q g s a 3\nq g s b 2\n")
    with pytest.raises(TypeError, match="preferences can't be pickled"):
        pickle.dumps(treckon.Evaluator(tmp_path / "prefs", "prefs_simp", format="prefs"))


def test_what_is_shown_of_an_evaluator():
    evaluator = treckon.Evaluator(QRELS, ["AP", "nDCG@5"], level=2, gain="exp2")
    assert repr(evaluator) == "<treckon Evaluator: 2 judged queries, AP, nDCG@5, gain='exp2', level=2>"


def test_an_evaluator_serves_threads_at_once():
    evaluator = treckon.Evaluator(QRELS, ["official", "nDCG@5"])
    expected, found = evaluator.evaluate(RUN), []
    threads = [threading.Thread(target=lambda: found.append(evaluator.evaluate(RUN))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def test_judgements_in_groups_and_preferences(tmp_path):
    (tmp_path / "groups").write_text("".join(f"q {line}\n" for line in ("u a 2", "u b 0", "u c 1", "w a 0", "w d 1")))
    evaluator = treckon.Evaluator(tmp_path / "groups", "map_avgjg", format="qrels_jg")
    assert evaluator.evaluate({"q": {"a": 3.0, "d": 2.0}})["map_avgjg"] == 0.5
    (tmp_path / "prefs").write_text("".join(f"q g s {line}\n" for line in ("a 3", "b 2", "c 0")))
    evaluator = treckon.Evaluator(tmp_path / "prefs", "prefs_simp", format="prefs")
    assert evaluator.evaluate({"q": {"b": 3.0, "a": 2.0}})["prefs_simp"] == pytest.approx(2 / 3)
    with pytest.raises(ParameterError, match="ties: expected 'trec'"):
        treckon.Evaluator(tmp_path / "prefs", "prefs_simp", format="prefs", ties="expected")
    with pytest.raises(EvaluationError, match="^map: expected judgements of documents, found preferences$"):
        treckon.Evaluator(tmp_path / "prefs", "map", format="prefs")
    with pytest.raises(EvaluationError, match="^prefs_simp: expected preferences, found judgements in groups$"):
        treckon.Evaluator(tmp_path / "groups", "prefs_simp", format="qrels_jg")
    with pytest.raises(EvaluationError, match="^P_IA@5: expected judgements by subtopic, found judgements of d"):
        treckon.Evaluator(QRELS, "P_IA@5")
    with pytest.raises(EvaluationError, match="^expected judgements of documents, found preferences$"):
        treckon.Evaluator(tmp_path / "prefs", "prefs_simp", format="prefs").judgements("q")


# Own measures.


def test_an_own_measure_sees_the_ranking_and_is_averaged():
    def first_ten(ranking):
        """Relevant documents among the first ten."""
        assert ranking.ranks.dtype == np.int64 and ranking.grades.dtype == np.int32
        return float((ranking.ranks[ranking.relevant] <= 10).sum())

    measure = treckon.define("FirstTen", first_ten)
    evaluation = treckon.evaluate(QRELS, RUN, [measure, "FirstTen@1", "FirstTen(rel=2)"])
    assert evaluation.per_query["q1"][measure] == 3.0
    assert evaluation["FirstTen"] == 1.5
    assert evaluation.per_query["q1"]["FirstTen@1"] == 1.0
    assert evaluation.per_query["q1"]["FirstTen(rel=2)"] == 2.0
    assert treckon.parse(str(measure)) == measure
    assert measure.title == "Relevant documents among the first ten."


def test_an_own_measure_is_sampled_over_ties():
    measure = treckon.define("OwnRR", lambda ranking: float((1 / ranking.ranks).sum()))
    evaluation = treckon.evaluate(*TIED, [measure, "relstring"], ties="expected", samples=400)
    assert abs(evaluation[measure] - 1.5) < 0.01  # both documents are judged: 1/1 + 1/2 in any order
    one = treckon.evaluate({"q": {"b": 1}}, TIED[1], measure, ties="expected", samples=400)
    assert abs(one[measure] - 0.75) < 5 * one.ties["standard_errors"]["OwnRR"]


@pytest.mark.parametrize(("aggregate", "huge"), [("sum", 1.7e308), ("mean", 1.7e308), ("geometric mean", 800.0)])
def test_an_aggregate_beyond_all_doubles_is_0_as_values_are(aggregate, huge):
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    measure = treckon.define("Huge", lambda ranking: huge, aggregate=aggregate)
    assert treckon.evaluate(qrels, run, measure)[measure] == 0.0


def test_queries_that_do_not_count_are_a_warning():
    evaluation = treckon.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}, "AP")
    assert evaluation.warnings == (
        "1 of 2 judged queries are missing from the run, for example 'q2', and don't count (missing='zero' counts them "
        "as having retrieved nothing)",
    )


def test_own_measures_that_cannot_be():
    for name in ("P_5", "official", "all_trec", "ndcg@10"):
        with pytest.raises(ParameterError):
            treckon.define(name, lambda ranking: 0.0)
    with pytest.raises(ParameterError, match="expected letters, digits and underscores as a measure's name"):
        treckon.define(None, lambda ranking: 0.0)
    with pytest.raises(ParameterError, match="expected a name that no measure has, found 'AP'"):
        treckon.define("AP", lambda ranking: 0.0)
    with pytest.raises(ParameterError, match="expected letters, digits and underscores as a measure's name"):
        treckon.define("a b", lambda ranking: 0.0)
    bad = treckon.define("NotFinite", lambda ranking: math.nan)
    with pytest.raises(EvaluationError, match="NotFinite: expected a finite number from its function, found nan"):
        treckon.evaluate(QRELS, RUN, bad)
    bad = treckon.define("NotFinite", lambda ranking: 10**400)
    with pytest.raises(EvaluationError, match="NotFinite: expected a number from its function, found a whole"):
        treckon.evaluate(QRELS, RUN, bad)


def test_importing_treckon_imports_neither_numpy_nor_its_own_core():
    script = (
        "import sys, treckon; assert not {'numpy', 'pandas', 'rich', 'treckon.measures.registry'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_public_names_are_what_they_say_in_any_order_of_use():
    script = (
        "import treckon; treckon.RankingView; treckon.Evaluator; assert callable(treckon.define); "
        "assert callable(treckon.evaluate); import treckon.evaluation.evaluator; assert callable(treckon.evaluate); "
        "assert set(treckon.__all__) <= set(dir(treckon))"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_results_that_the_collector_takes_apart_free_what_they_hold():
    for _ in range(20):
        evaluator = treckon.Evaluator(QRELS, ["relstring", "AP"])
        plan = evaluator._policy.plan(evaluator.measures, evaluator.qrels)
        results = Results(evaluator.qrels, plan)
        scan = MappingScan(results)
        scan.scan(RUN)
        cycle = [results, scan, plan, evaluator]
        cycle.append(cycle)
        del results, scan, plan, evaluator, cycle
    assert gc.collect() > 0


# Conventions as objects


def test_conventions_stay_as_they_were_checked():
    conventions = treckon.Conventions(ties="expected", gain={2: 5, 1: 2})
    for name in conventions.as_dict():
        with pytest.raises(AttributeError, match=f"'{name}'"):
            setattr(conventions, name, "nonsense")
        with pytest.raises(AttributeError, match=f"'{name}'"):
            delattr(conventions, name)
    with pytest.raises(AttributeError):
        conventions.other = 1
    for change in (
        lambda gain: gain.update({1: 9}),
        lambda gain: gain.__setitem__(1, 9),
        lambda gain: gain.pop(1),
        lambda gain: gain.clear(),
        lambda gain: gain.__ior__({1: 9}),
    ):
        with pytest.raises(TypeError, match="^gains of conventions can't be changed$"):
            change(conventions.gain)
    own = conventions.as_dict()
    own["gain"][1] = 9
    own["ties"] = "trec"
    assert conventions.as_dict()["gain"] == {1: 2.0, 2: 5.0}


def test_conventions_are_values():
    conventions = treckon.Conventions(ties="random", seed=3, gain={2: 5, 1: 2})
    for other in (
        treckon.Conventions(gain={1: 2, 2: 5}, seed=3, ties="random"),
        pickle.loads(pickle.dumps(conventions)),
        copy.deepcopy(conventions),
        treckon.Conventions(**conventions.as_dict()),
        eval(repr(conventions), {"Conventions": treckon.Conventions}),
    ):
        assert other == conventions
        assert hash(other) == hash(conventions)
    assert conventions != treckon.Conventions(ties="random", seed=3)
    assert conventions != "Conventions()"
    assert repr(treckon.Conventions()) == "Conventions()"
    assert repr(treckon.Conventions(depth=10, gain="binary")) == "Conventions(depth=10, gain=('binary', 1))"
    with pytest.raises(TypeError):
        pickle.loads(pickle.dumps(conventions)).gain[1] = 2


@pytest.mark.parametrize(
    "options",
    [
        {"unjudged": "condensed"},
        {"unjudged": "error"},
        {"negative": "nonrelevant"},
        {"no_relevant": "skip"},
        {"no_relevant": "error"},
        {"no_relevant": "one"},
        {"equal_judgements": "merge"},
        {"level": 2},
        {"seed": 1},
        {"samples": 7},
    ],
)
def test_options_that_preferences_have_no_use_for_are_refused(options):
    ((name, value),) = options.items()
    usual = getattr(treckon.Conventions(), name)
    message = f"^{name}: expected {usual!r} with preferences, which have no grades, found {value!r}$"
    with pytest.raises(ParameterError, match=message):
        treckon.Evaluator(b"q g s a 1\n", "prefs_simp", format="prefs", **options)


def test_options_that_matter_with_preferences_are_taken():
    for options in ({"depth": 3}, {"ignore_self": True}, {"missing": "zero"}, {"duplicates": "first"}, {"level": 1}):
        assert treckon.Evaluator(b"q g s a 1\n", "prefs_simp", format="prefs", **options)


# Messages that name a line


def test_problems_of_ranks_are_not_worded_as_scores():
    run = b"q Q0 a -1 5 t\nq Q0 b x2 4 t\n"
    assert (
        "expected a number as rank, found 'x2'"
        in treckon.evaluate({"q": {"a": 1}}, run, "AP", order="rank").warnings[0]
    )
    with pytest.raises(InputError, match=":1: expected a number as rank, found 'nan'$"):
        treckon.evaluate({"q": {"a": 1}}, b"q Q0 a nan 5 t\n", "AP", order="rank")


def test_comments_that_look_like_records_are_not_named():
    """A blank before the '#' makes a line of qrels a record, of query '#q'."""
    qrels = b"#q 0 a 1\n #q 0 a 1\n#q 0 a 1\n #q 0 a 1\n"
    found = "expected each document once for a query, found document 'a' of query '#q' on line 2 too"
    with pytest.raises(EvaluationError, match=f":4: {found}$"):
        treckon.evaluate(qrels, {}, "AP")
    with pytest.raises(EvaluationError, match=f":4: {found}$"):
        treckon.read_qrels(qrels)
    with pytest.raises(EvaluationError, match=f":2: {found.replace('line 2', 'line 1')}$"):
        treckon.evaluate(qrels, {}, "AP", compat="9.0.8")


@pytest.mark.parametrize("level", [2**31, 2**63, 10**400])
def test_a_level_above_all_grades_has_no_relevant_document(level):
    found = treckon.evaluate({"q1": {"a": 2**31 - 1}}, {"q1": {"a": 1.0}}, ["AP", "nDCG@5"], level=level)
    assert (found["AP"], found.counts["without_relevant"]) == (0.0, 1)
    assert found["nDCG@5"] == 1.0
