"""docs/switching.md, row by row: what to write instead of a call of another evaluator gives the same digits.

The name of a test carries the row's number. Tests that need the other program are in tests/peers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import treckon

if TYPE_CHECKING:
    from conftest import Finished

    Command = Callable[..., Finished]

TESTS = Path(__file__).resolve().parent
PAGE = TESTS.parent / "docs" / "switching.md"
FIXTURES = TESTS.parent / "trec_fixtures"


# From trec_eval: the command on the left, the call on the right, in four digits


def printed(command: Command, case: str, *arguments: str) -> dict[tuple[str, str], str]:
    """(measure, query) -> the number that the command prints for a case of trec_fixtures."""
    finished = command(*arguments, "q.txt", "r.txt", folder=FIXTURES / case)
    assert finished.status == 0
    rows = (line.split() for line in finished.stdout.decode().splitlines())
    return {(row[0], row[1]): row[-1] for row in rows if row[0] != "runid"}


def assert_same_digits(expected: dict[tuple[str, str], str], evaluation: treckon.Evaluation) -> None:
    """All that was printed stands in the evaluation, in its digits."""
    assert expected
    for (measure, query), text in expected.items():
        found = (evaluation.means if query == "all" else evaluation.per_query[query])[measure]
        assert (f"{found:.4f}" if "." in text else f"{found:.0f}") == text, (measure, query)


def of_case(case: str, measures: Any, **options: Any) -> treckon.Evaluation:
    return treckon.evaluate(FIXTURES / case / "q.txt", FIXTURES / case / "r.txt", measures, **options)


CASES = ["graded", "ties", "missing", "negative"]


@pytest.mark.parametrize("case", CASES)
def test_t01_measures_keep_their_names(case: str, trec_eval: Command):
    expected = printed(trec_eval, case, "-m", "map", "-m", "P.5,10", "-m", "official")
    assert_same_digits(expected, of_case(case, ["map", "P.5,10", "official"]))


@pytest.mark.parametrize(
    ("option", "convention"),
    [("-c", {"missing": "zero"}), ("-l2", {"level": 2}), ("-J", {"unjudged": "condensed"}), ("-M10", {"depth": 10})],
    ids=["t02", "t03", "t04", "t05"],
)
@pytest.mark.parametrize("case", CASES)
def test_t02_t03_t04_t05_an_option_becomes_a_keyword(
    option: str, convention: dict[str, Any], case: str, trec_eval: Command
):
    measures = ["num_ret", "num_rel_ret", "map", "P_5", "ndcg", "bpref", "recip_rank", "set_F", "iprec_at_recall"]
    expected = printed(trec_eval, case, option, *[word for measure in measures for word in ("-m", measure)])
    assert_same_digits(expected, of_case(case, measures, **convention))


@pytest.mark.parametrize("case", CASES)
def test_t06_values_of_each_query(case: str, trec_eval: Command):
    expected = printed(trec_eval, case, "-q", "-n", "-m", "map", "-m", "ndcg_cut.10")
    evaluation = of_case(case, ["map", "ndcg_cut.10"])
    assert_same_digits(expected, evaluation)
    assert len(expected) == 2 * len(evaluation.query_ids)


@pytest.mark.parametrize(
    ("format", "qrels", "measures"),
    [("qrels_jg", "q.txt", "qrels_jg"), ("prefs", "p.txt", "prefs"), ("qrels_prefs", "q1.txt", "all_prefs")],
)
def test_t07_judgment_groups_and_preferences_are_named_formats(
    format: str, qrels: str, measures: str, trec_eval: Command
):
    folder = FIXTURES / "prefs0"
    finished = trec_eval("-q", "-R", format, "-m", measures, qrels, "r.txt", folder=folder)
    rows = (line.split() for line in finished.stdout.decode().splitlines())
    expected = {(row[0], row[1]): row[-1] for row in rows if row[0] != "runid"}
    assert_same_digits(expected, treckon.evaluate(folder / qrels, folder / "r.txt", measures, qrels_format=format))


@pytest.mark.parametrize("case", ["fmt_score_float32_tie", "graded"])
def test_t08_the_older_release(case: str, trec_eval: Command):
    expected = printed(trec_eval, case, "--compat", "9.0.8", "-m", "official")
    assert_same_digits(expected, of_case(case, "official", compat="9.0.8"))


PAIRS = {
    "t09": {"map": "AP", "map_cut_10": "AP@10", "recip_rank": "RR", "ndcg": "nDCG", "ndcg_cut_10": "nDCG@10"},
    "t10": {
        "P_5": "P@5", "recall_5": "R@5", "success_5": "Success@5", "Rprec": "Rprec", "bpref": "Bpref",
        "infAP": "infAP",
    },
    "t11": {
        "iprec_at_recall_0.50": "IPrec@0.5", "set_P": "SetP", "set_recall": "SetR", "set_map": "SetAP",
        "set_relative_P": "SetRelP",
    },
}  # fmt: skip


@pytest.mark.parametrize("row", PAIRS)
@pytest.mark.parametrize("case", CASES)
def test_t09_t10_t11_names_of_the_field_are_the_same_measures(row: str, case: str):
    pairs = PAIRS[row]
    evaluation = of_case(case, [*pairs, *pairs.values()], missing="zero")
    for query in evaluation.per_query.values():
        assert [query[one] for one in pairs.values()] == [query[one] for one in pairs]


@pytest.mark.parametrize(
    ("pairs", "conventions"),
    [
        ({"map": "AP(rel=2)", "P.5": "P(rel=2)@5"}, {"level": 2}),
        ({"map": "AP(judged_only=True)"}, {"unjudged": "condensed"}),
        ({"set_F.4": "SetF(beta=2)"}, {}),
        ({"ndcg.1=3,2=9": "nDCG(gain={1: 3, 2: 9})"}, {}),
    ],
    ids=["t12", "t13", "t14", "t15"],
)
@pytest.mark.parametrize("case", CASES)
def test_t12_t13_t14_t15_options_and_parameters_are_arguments(
    pairs: dict[str, str], conventions: dict[str, Any], case: str
):
    expected = of_case(case, list(pairs), **conventions)
    found = of_case(case, list(pairs.values()))
    assert found.values == pytest.approx(expected.values, abs=1e-15)


# From ir_measures: what its texts mean to our reader; the rest is in tests/peers


def test_i03_beta_of_a_text_is_the_textbook_s():
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1, "d": 1}}, {"q": ["a", "x"]}
    values = treckon.evaluate(qrels, run, ["SetF(beta=2)", "set_F.4", "set_F.2"]).means
    assert values["SetF(beta=2)"] == values["set_F.4"] != values["set_F.2"]


def test_i04_err_takes_the_highest_grade_of_the_qrels():
    values = treckon.evaluate(
        {"q": {"a": 2, "b": 3}}, {"q": ["a"]}, ["ERR@20", "ERR(max_rel=3)@20", "ERR(max_rel=4)@20"]
    )
    assert values["ERR@20"] == values["ERR(max_rel=3)@20"] == 3 / 8
    assert values["ERR(max_rel=4)@20"] == 3 / 16


# From gdeval.pl. The values are those that it prints for this query.

GDEVAL_QRELS = {"1": {"d1": 3, "d2": 2, "d3": 0, "d4": 1, "d5": 2}}
GDEVAL_RUN = {"1": {"d2": 5, "u": 4, "d1": 3, "d3": 2, "d4": 1}}


@pytest.mark.parametrize(
    ("measure", "shown"),
    [
        ("nDCG(gain='exp2')@1", "0.42857"), ("nDCG(gain='exp2')@3", "0.62543"), ("nDCG(gain='exp2')@20", "0.63629"),
        ("ERR(max_rel=4)@1", "0.18750"), ("ERR(max_rel=4)@3", "0.30599"), ("ERR(max_rel=4)@5", "0.31170"),
    ],
)  # fmt: skip
def test_g01_g02_g08_gains_and_the_highest_grade_are_gdeval_s(measure: str, shown: str):
    assert f"{treckon.evaluate(GDEVAL_QRELS, GDEVAL_RUN, measure)[measure]:.5f}" == shown


def test_g02_without_max_rel_the_highest_grade_is_that_of_the_qrels():
    values = treckon.evaluate(GDEVAL_QRELS, GDEVAL_RUN, ["ERR@5", "ERR(max_rel=3)@5"])
    assert values["ERR@5"] == values["ERR(max_rel=3)@5"]


def test_g03_a_grade_above_the_highest_counts_as_it():
    names = ["ERR(max_rel=4)@1", "ERR(max_rel=5)@1"]
    values = treckon.evaluate({"1": {"a": 6}}, {"1": ["a"]}, names)
    assert [values[name] for name in names] == [15 / 16, 31 / 32]


@pytest.mark.parametrize("measure", ["nDCG(gain='exp2')@5", "ERR(max_rel=4)@5"])
def test_g04_a_negative_grade_gains_nothing(measure: str):
    below = {"1": {**GDEVAL_QRELS["1"], "d3": -2}}
    assert (
        treckon.evaluate(below, GDEVAL_RUN, measure).means == treckon.evaluate(GDEVAL_QRELS, GDEVAL_RUN, measure).means
    )


def test_g05_g06_topics_without_a_grade_above_0_and_topics_not_retrieved_are_left_out():
    qrels = {**GDEVAL_QRELS, "2": {"d1": 0, "d2": -1}, "3": {"d1": 1}}
    run = {**GDEVAL_RUN, "2": {"d1": 1.0}}
    measure = "ERR(max_rel=4)@5"
    alone = treckon.evaluate(GDEVAL_QRELS, GDEVAL_RUN, measure)[measure]
    assert treckon.evaluate(qrels, run, measure, no_relevant="skip")[measure] == alone
    assert treckon.evaluate(qrels, run, measure)[measure] == alone / 2
    assert "1 of 3 judged queries are missing" in treckon.evaluate(qrels, run, measure).warnings[0]


def test_g07_tied_documents_are_in_falling_order_of_their_ids():
    measure = "nDCG(gain='exp2')@1"
    assert treckon.evaluate({"1": {"b": 1}}, {"1": {"a": 1.0, "b": 1.0}}, measure)[measure] == 1.0
    assert treckon.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}, measure)[measure] == 0.0


# From ms_marco_eval

REFERENCE = b"1\td3\n2\td12\n3\td1\n"
CANDIDATE = b"".join(b"%d\td%d\t%d\n" % (query, rank + 1, rank) for query in (1, 2, 3) for rank in range(1, 15))
MS_MARCO = {"qrels_format": "msmarco", "run_format": "msmarco"}


def test_m01_m04_m05_hits_at_2_at_11_and_none_of_three_queries():
    found = treckon.evaluate(REFERENCE, CANDIDATE, "RR@10", missing="zero", **MS_MARCO)
    assert round(found["RR@10"], 5) == 0.16667
    assert found.counts["in_run"] == 3


def test_m04_the_divisor_is_the_number_of_reference_queries():
    some = b"".join(line + b"\n" for line in CANDIDATE.splitlines() if not line.startswith(b"3"))
    found = treckon.evaluate(REFERENCE, some, "RR@10", missing="zero", **MS_MARCO)
    assert round(found["RR@10"], 5) == 0.16667
    assert found.counts["in_run"] == 2
    assert treckon.evaluate(REFERENCE, some, "RR@10", **MS_MARCO)["RR@10"] == 0.25


def test_m02_the_rank_field_decides_whatever_the_order_and_the_scores():
    shuffled = CANDIDATE.splitlines(keepends=True)
    random.Random(1).shuffle(shuffled)
    expected = treckon.evaluate(REFERENCE, CANDIDATE, "RR@10", missing="zero", **MS_MARCO).means
    assert treckon.evaluate(REFERENCE, b"".join(shuffled), "RR@10", missing="zero", **MS_MARCO).means == expected
    fields = [line.split() for line in CANDIDATE.splitlines()]
    trec = b"".join(b"%b Q0 %b %b %b t\n" % (query, docno, rank, rank) for query, docno, rank in fields)
    options = {"qrels_format": "msmarco", "missing": "zero"}
    assert treckon.evaluate(REFERENCE, trec, "RR@10", order="rank", **options).means == expected
    assert treckon.evaluate(REFERENCE, trec, "RR@10", **options).means != expected


def test_m03_every_line_of_the_reference_is_relevant():
    qrels = b"1 0 d3 0\n2 0 d12 1\n3 0 d1 1\n"
    found = treckon.evaluate(qrels, CANDIDATE, ["RR(rel=0)@10", "RR@10"], run_format="msmarco", missing="zero")
    assert round(found["RR(rel=0)@10"], 5) == 0.16667
    assert found["RR@10"] == 0.0


# From ndeval. The values are those that it prints for this topic.

NDEVAL_QRELS = b"1 1 A 1\n1 2 B 1\n1 2 D 1\n1 3 C 1\n"
NDEVAL_RUN = {"1": {"A": 4.0, "D": 3.0, "E": 2.0, "B": 1.0}}
NDEVAL = {
    "ERR-IA@5": 0.393343, "ERR-IA@10": 0.390776, "ERR-IA@20": 0.390730, "nERR-IA@5": 0.829787, "alpha-DCG@5": 0.405289,
    "alpha-DCG@10": 0.399879, "alpha-DCG@20": 0.399741, "alpha-nDCG@1": 1.0, "alpha-nDCG@5": 0.786896,
    "NRBP": 0.390625, "nNRBP": 0.862069, "MAP-IA": 0.5, "P-IA@1": 0.333333, "P-IA@5": 0.2, "strec@1": 0.333333,
    "strec@5": 0.666667,
}  # fmt: skip


@pytest.mark.parametrize("name", NDEVAL)
def test_n01_n02_values_have_ndeval_s_names(name: str):
    found = treckon.evaluate(NDEVAL_QRELS, NDEVAL_RUN, name, qrels_format="subtopics")
    assert round(found[name], 6) == NDEVAL[name]
    assert str(treckon.parse(name)) == {"MAP-IA": "AP_IA"}.get(name, name).replace("-", "_").replace(
        "strec", "StRecall"
    )


def test_n01_subtopics_come_as_text_or_as_a_mapping():
    mapping = {"1": {"1": {"A": 1}, "2": {"B": 1, "D": 1}, "3": {"C": 1}}}
    expected = treckon.evaluate(NDEVAL_QRELS, NDEVAL_RUN, list(NDEVAL), qrels_format="subtopics").means
    for form in ("subtopics", "qrels_jg"):
        assert treckon.evaluate(mapping, NDEVAL_RUN, list(NDEVAL), qrels_format=form).means == expected


def test_n03_the_rank_field_or_the_scores_decide():
    run = b"1 Q0 B 1 1 t\n1 Q0 A 2 2 t\n1 Q0 D 3 3 t\n"
    by_rank = treckon.evaluate(NDEVAL_QRELS, run, "strec@2", qrels_format="subtopics", order="rank")
    by_score = treckon.evaluate(b"1 1 A 1\n1 2 B 1\n1 1 D 1\n", run, "strec@2", qrels_format="subtopics")
    assert (by_rank["strec@2"], by_score["strec@2"]) == (2 / 3, 1 / 2)


def test_n04_at_cutoff_1_the_sum_is_divided_unless_asked():
    qrels = {"1": {str(subtopic): {"A": 1} for subtopic in range(3)}}
    names = [f"{name}{option}@1" for name in ("ERR_IA", "alpha_DCG") for option in ("", "(as_ndeval=True)")]
    values = treckon.evaluate(qrels, NDEVAL_RUN, names, qrels_format="subtopics").means
    assert [values[name] for name in names] == [1.0, 3.0, 1.0, 3.0]


def test_n05_topics_without_a_grade_above_0_are_left_out():
    qrels = NDEVAL_QRELS + b"2 1 A 0\n2 2 A -1\n"
    run = {**NDEVAL_RUN, "2": {"A": 1.0}}
    values = [treckon.evaluate(qrels, run, "NRBP", qrels_format="subtopics", no_relevant=n) for n in ("skip", "zero")]
    assert [one["NRBP"] for one in values] == [0.390625, 0.390625 / 2]


def test_n06_alpha_belongs_to_a_measure():
    names = ["alpha_nDCG(alpha=0.9)@5", "alpha_nDCG@5"]
    values = treckon.evaluate(NDEVAL_QRELS, NDEVAL_RUN, names, qrels_format="subtopics").means
    assert [round(values[name], 6) for name in names] == [0.770009, 0.786896]


def test_n07_any_cutoff_or_none():
    qrels = b"".join(b"1 1 d%d 1\n" % number for number in range(100))
    run = {"1": {f"d{number}": -float(number) for number in range(100)}}
    names = ["P_IA@50", "alpha_nDCG", "alpha_nDCG@100"]
    values = treckon.evaluate(qrels, run, names, qrels_format="subtopics").means
    assert values["P_IA@50"] == 1.0
    assert values["alpha_nDCG"] == values["alpha_nDCG@100"]


# The page


def test_every_row_of_these_sections_has_a_test():
    rows = re.findall(r"^\| ([TIGMN]\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == len(set(rows))
    sources = (TESTS / "test_switching.py", TESTS / "peers" / "test_ir_measures.py")
    tests = re.findall(r"^def test((?:_[tigmn]\d\d)+)_", "\n".join(path.read_text() for path in sources), re.MULTILINE)
    tested = {f"{row[0].upper()}{int(row[1:])}" for names in tests for row in names.strip("_").split("_")}
    assert tested == set(rows)
