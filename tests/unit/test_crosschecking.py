"""What other tools print, read and compared at its precision; changes and their search; the objects that come of it."""

import json
from io import StringIO
from math import log2

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treckon
from treckon.analysis.crosschecking import SCORES_FORMATS, CrossCheck, crosscheck
from treckon.analysis.crosschecking.pairing import all_pairings, likely_pairings
from treckon.analysis.crosschecking.printed import read_scores
from treckon.analysis.crosschecking.tool_habits import HABITS
from treckon.analysis.crosschecking.tool_names import field_form, readings
from treckon.errors import InputError, ParameterError, TreckonError, UnknownMeasureError

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1, "e": 0}, "q3": {"f": 1}}
RUN = {"q1": {"x": 3.0, "a": 2.0, "c": 1.0, "b": 0.5}, "q2": {"d": 1.0, "e": 0.5}, "q9": {"z": 1.0}}
QUERIES = frozenset(QRELS)


def read(scores, **options):
    found = read_scores(scores, QUERIES, **options)
    return found.format, {(one.name, one.query): one.text for one in found.values}


# Reading

PER_QUERY = {("map", "q1"): "0.5833", ("map", "q2"): "1.0000", ("map", None): "0.7917"}


@pytest.mark.parametrize(
    ("text", "format", "values"),
    [
        ("map                   \tq1\t0.5833\nmap\tq2\t1.0000\nmap\tall\t0.7917\n", "trec_eval", PER_QUERY),
        ("map q1 0.5833\nmap q2 1.0000\nmap all 0.7917\n", "trec_eval", PER_QUERY),
        ("runid\tall\tmine\nmap\tall\t0.7917\r\n", "trec_eval", {("map", None): "0.7917"}),
        ("q1\tmap\t0.5833\nq2\tmap\t1.0000\nall\tmap\t0.7917\n", "ir_measures", PER_QUERY),
        ("nDCG@3\t0.5\nAP\t0.25\n", "ir_measures", {("nDCG@3", None): "0.5", ("AP", None): "0.25"}),
        ("q1 RBP(rel=1, p=0.5) 0.5\n", "ir_measures", {("RBP(rel=1, p=0.5)", "q1"): "0.5"}),
        ("RBP(rel=1, p=0.5) 0.5\nAP 0.25\n", "ir_measures", {("RBP(rel=1, p=0.5)", None): "0.5", ("AP", None): "0.25"}),
        (
            "runid,topic,ndcg@3,err@3\nmine,q1,0.41307,0.10000\nmine,amean,0.41307,0.10000\n",
            "gdeval",
            {
                ("ndcg@3", "q1"): "0.41307", ("err@3", "q1"): "0.10000",
                ("ndcg@3", None): "0.41307", ("err@3", None): "0.10000",
            },
        ),
        (
            "runid,topic,ERR-IA@5,strec@5\nmine,q1,0.393343,0.666667\n",
            "ndeval",
            {("ERR-IA@5", "q1"): "0.393343", ("strec@5", "q1"): "0.666667"},
        ),
        ("query_id,map,P_1\nq1,0.5833,0.0\nq2,,1.0\n", "csv", {("map", "q1"): "0.5833", ("P_1", "q1"): "0.0", ("P_1",
         "q2"): "1.0"}),
        (",map\nq1,0.5833\n", "csv", {("map", "q1"): "0.5833"}),
        ("map;P_1\n0.5833;0.0\n", "csv", {("map", None): "0.5833", ("P_1", None): "0.0"}),
        ("qid\tmetric\tvalue\nq1\tmap\t0.5833\nall\tmap\t0.7917\n", "tsv", {("map", "q1"): "0.5833", ("map",
         None): "0.7917"}),
        ("run\tmap\nmine\t0.79\n", "tsv", {("map", None): "0.79"}),
        ("run\tqueries\tmap\tP@1\nmine\t2\t0.79\t0.5\n", "tsv", {("map", None): "0.79", ("P@1", None): "0.5"}),
        ("run,queries,map\nmine,2,0.79\n", "csv", {("map", None): "0.79"}),
        ("#####\nMRR @10: 0.25\nQueriesRanked: 3\n#####\n", "lines", {("MRR@10", None): "0.25", ("QueriesRanked",
         None): "3"}),
        ("map = 31.5%\nsome text: none\n", "lines", {("map", None): "31.5%"}),
        ('{"map": 0.5833, "P_1": 0.0}', "json", {("map", None): "0.5833", ("P_1", None): "0.0"}),
        ('{"q1": {"map": 0.5}, "q9": {"map": NaN}}', "json", {("map", "q1"): "0.5", ("map", "q9"): "NaN"}),
        ('{"map": {"q1": 0.50, "all": 0.5}}', "json", {("map", "q1"): "0.50", ("map", None): "0.5"}),
        ('{"means": {"map": 0.5}, "per_query": {"q1": {"map": 0.5}}}', "json", {("map", None): "0.5", ("map",
         "q1"): "0.5"}),
        ('{"scores": {"test": [{"ndcg_at_10": 0.5, "languages": ["en"]}]}}', "json", {("ndcg_at_10", None): "0.5"}),
        (
            '{"query_id": "q1", "measure": "AP", "value": 0.5}\n{"query_id": null, "measure": "AP", "value": 0.25}\n',
            "jsonl",
            {("AP", "q1"): "0.5", ("AP", None): "0.25"},
        ),
    ],
)  # fmt: skip
def test_texts_of_tools(text, format, values):
    assert read(text) == (format, values)
    assert read(text.encode(), format=format) == (format, values)
    assert read(StringIO(text)) == (format, values)
    assert format in SCORES_FORMATS


class Metric:
    def __init__(self, query_id, measure, value):
        self.query_id, self.measure, self.value = query_id, measure, value


class Results:
    aggregated = {treckon.parse("AP"): 0.5}
    per_query = [Metric("q1", treckon.parse("AP"), 0.25)]


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ({"map": 0.5, "num_q": 2}, {("map", None): "0.5", ("num_q", None): "2"}),
        ({"q1": {"map": 0.25}}, {("map", "q1"): "0.25"}),
        ({"q7": {"map": 0.25}, "q8": {"map": 0.5}}, {("map", "q7"): "0.25", ("map", "q8"): "0.5"}),
        ({"map": {"q1": 0.25, "q7": 1}}, {("map", "q1"): "0.25", ("map", "q7"): "1"}),
        ({"map": [0.25, 0.5, 0.0]}, {("map", "q1"): "0.25", ("map", "q2"): "0.5", ("map", "q3"): "0.0"}),
        ([("q1", "map", 0.25), (None, "map", 0.5)], {("map", "q1"): "0.25", ("map", None): "0.5"}),
        ([("map", 0.5)], {("map", None): "0.5"}),
        ({"map": " 0.50", "model": "x", "P_1": None}, {("map", None): "0.50"}),
        ({"map": [0.25, None, 0.0]}, {("map", "q1"): "0.25", ("map", "q3"): "0.0"}),
        ([("q1", "map", "0.50")], {("map", "q1"): "0.50"}),
        ([{"qid": "q1", "map": 0.25}, {"qid": "q2", "map": 0.5}], {("map", "q1"): "0.25", ("map", "q2"): "0.5"}),
        ([Metric("q1", "AP", 0.25), Metric(None, "AP", 0.5)], {("AP", "q1"): "0.25", ("AP", None): "0.5"}),
        (Results(), {("AP", None): "0.5", ("AP", "q1"): "0.25"}),
        ({treckon.parse("nDCG@3"): 0.5}, {("nDCG@3", None): "0.5"}),
    ],
)
def test_what_python_libraries_return(data, values):
    assert read(data) == ("Python", values)


def test_what_treckon_returns():
    evaluation = treckon.evaluate(QRELS, RUN, ["AP", "P@1"])
    format, values = read(evaluation)
    assert len(values) == 2 * 3 and values["P@1", None] == "0.5" and values["P@1", "q2"] == "1.0"
    assert crosscheck(QRELS, RUN, evaluation).agrees


PIECES = st.sampled_from(
    [
        "map",
        "q1",
        "all",
        "0.5",
        "nan",
        "1e999",
        "\t",
        "\n",
        " ",
        ",",
        ":",
        "=",
        "{",
        "}",
        "[",
        "]",
        '"',
        "#",
        "(",
        ")",
        "é",
    ]
)


@given(st.lists(PIECES, max_size=24).map("".join), st.sampled_from([None, *SCORES_FORMATS]))
def test_any_text_is_read_or_refused(text, format):
    try:
        read(text + "\n", format=format)
    except InputError as error:
        assert error.place


def test_too_many_levels():
    nested = {"map": 0.5}
    for _ in range(5000):
        nested = {"a": nested}
    with pytest.raises(InputError, match="scores: expected values by query and measure, found too many levels"):
        read(nested)


def test_arrays_and_frames():
    numpy = pytest.importorskip("numpy")
    assert read({"map": numpy.array([0.25, 0.5, 0.0])})[1][("map", "q2")] == "0.5"
    assert read({"map": numpy.float64(0.25)})[1] == {("map", None): "0.25"}
    pandas = pytest.importorskip("pandas")
    wide = pandas.DataFrame({"map": [0.25, 0.5]}, index=pandas.Index(["q1", "q2"], name="query_id"))
    assert read(wide)[1] == {("map", "q1"): "0.25", ("map", "q2"): "0.5"}
    assert read(wide.reset_index())[1] == read(wide)[1]
    long = pandas.DataFrame({"qid": ["q1"], "measure": ["map"], "value": [0.25]})
    assert read(long)[1] == {("map", "q1"): "0.25"}


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        ("map\tq1\t0.5\nmap\tq1\n", {}, InputError, "scores:2: expected 3 fields (measure query value), found 2"),
        ("map\tq1\tabc\n", {}, InputError, "scores:1: expected a number, found 'abc'"),
        ("map\tq1\t0.5\nmap\tq1\t0.6\n", {}, InputError,
         "scores:2: expected each value once, found 'map' of query 'q1' again"),
        ("map\tall\t0.5\nmap\tamean\t0.6\n", {}, InputError,
         "scores:2: expected each value once, found 'map' of all queries again"),
        ("a b\n", {"format": "ir_measures"}, InputError, "scores:1: expected a number, found 'b'"),
        ("AP\n", {"format": "ir_measures"}, InputError,
         "scores:1: expected 2 fields (measure value) or 3 (query measure value), found 1"),
        ("query,map\nq1,0.5,0.6\n", {}, InputError, "scores:2: expected 2 cells as in line 1, found 3"),
        ("query,foo\nq1,0.5\n", {}, InputError,
         "scores:1: expected a measure's name among the columns, found query, foo"),
        ("nothing here\n", {}, InputError,
         "scores: expected what a tool prints (trec_eval, ir_measures, gdeval, ndeval, csv, tsv, json, jsonl, lines), "
         "found 'nothing here'; name its format"),
        ("\n\n", {}, InputError, "scores: expected names and values, found blank lines alone"),
        ("foo: bar\n", {"format": "lines"}, InputError, "scores: expected values of the format lines, found none"),
        ("{}", {}, InputError,
         "scores: expected values by measure, by query and measure, or rows (query, measure, value), "
         "found none in dict"),
        ({"map": [0.5]}, {}, InputError, "scores: map: expected the value of each of 3 judged queries, found 1"),
        ([{"measure": "AP", "value": "x"}], {}, InputError, "scores: AP: expected a number, found 'x' (str)"),
        ({"map": "x"}, {}, InputError, "scores: map: expected a number, found 'x' (str)"),
        ('{"q1": {"map": "x"}}', {}, InputError, "scores: query 'q1', map: expected a number, found 'x' (str)"),
        ({"map": {"q2": "x"}}, {}, InputError, "scores: query 'q2', map: expected a number, found 'x' (str)"),
        ({"map": [0.5, "x", 0.5]}, {}, InputError, "scores: map: expected a number, found 'x' (str)"),
        ({"map": True}, {}, InputError, "scores: map: expected a number, found True"),
        ([("q1", "map", "x")], {}, InputError, "scores: row 0: expected a number, found 'x' (str)"),
        ([{"qid": "q1", "map": "x"}], {}, InputError, "scores: query 'q1', map: expected a number, found 'x' (str)"),
        ({"map": 0.5}, {"format": "json"}, ParameterError,
         "scores_format: expected text with it (a path, an open file), found dict"),
        ("map\tall\t1\n", {"format": "xml"}, ParameterError,
         "scores_format: expected one of trec_eval, ir_measures, gdeval, ndeval, csv, tsv, json, jsonl, lines, "
         "found 'xml' (str)"),
    ],
)  # fmt: skip
def test_scores_that_cant_be_read(scores, options, error, message):
    with pytest.raises(error) as raised:
        read_scores(scores, QUERIES, **options)
    assert str(raised.value) == message


def test_json_lines_with_a_broken_line():
    with pytest.raises(InputError, match="scores:2: expected JSON, found: "):
        read_scores('{"measure": "AP", "value": 1}\n{"measure": }\n', QUERIES)


# Precision


def agrees(text, value_of=0.58333333):
    """Whether a text agrees with the AP of q1, 7/12."""
    return treckon.crosscheck(QRELS, RUN, text, most=0).agrees


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ("map\tq1\t0.5833\n", True),
        ("map\tq1\t0.5834\n", False),
        ("map\tq1\t0.583333\n", True),
        ("map\tq1\t0.58\n", True),
        ("map\tq1\t0.6\n", True),
        ("map\tq1\t0.583\nmap\tq2\t1.0\n", True),  # zeros at the end are dropped: three decimals
        ("map\tq1\t0.6\nmap\tq2\t1.000\n", False),  # so 0.6 is 0.600
        ("map\tq1\t5.833e-01\n", True),
        ("map\tq1\t5.834e-01\n", False),
        ("map = 79.167%\n", True),
        ({"q1": {"map": 0.5833}}, True),
        ({"q1": {"map": 0.58}}, False),  # Python drops zeros, not digits: 0.5800
        ({"q1": {"map": 7 / 12}}, True),
        ({"q1": {"map": 7 / 12 + 1e-8}}, False),
        ({"q1": {"map": 7 / 12 + 1e-13}}, True),
        ({"q1": {"map": 0.5833333134651184}}, True),  # the nearest 32-bit number
        ({"q1": {"map": 0.5833}, "q2": {"map": 1}}, True),
        ("num_ret\tall\t6\n", True),
        ("num_ret\tall\t7\n", False),
    ],
)
def test_a_value_agrees_within_half_a_unit_of_its_last_place(scores, expected):
    assert agrees(scores) is expected


def test_rounding_at_a_half_goes_either_way():
    qrels = {"q": {"a": 1}}
    run = {"q": {f"x{i}": 100.0 - i for i in range(7)} | {"a": 1.0}}
    assert all(treckon.crosscheck(qrels, run, f"recip_rank\tq\t{text}\n", most=0).agrees for text in ("0.12", "0.13"))


# Names


@pytest.mark.parametrize(
    ("name", "tool", "measure"),
    [
        ("ndcg_cut_10", "", "ndcg_cut_10"),
        ("NDCG@10", "", "nDCG@10"),
        ("ndcg_at_10", "", "nDCG@10"),
        ("Recall@100", "", "R@100"),
        ("R_cap@10", "", "R_cap@10"),
        ("Hole@10", "", "Hole@10"),
        ("hit_rate@5", "", "Success@5"),
        ("map-l2@100", "", "AP(rel=2)@100"),
        ("f1-l3", "", "F(rel=3)"),
        ("ndcg_burges@10", "", "nDCG(gain='exp2')@10"),
        ("rbp.95", "", "RBP(p=0.95)"),
        ("r-precision", "", "Rprec"),
        ("MRR @10", "", "RR@10"),
        ("ndcg@20", "", "nDCG@20"),
        ("ndcg@20", "gdeval", "nDCG(gain='exp2')@20"),
        ("err@20", "gdeval", "ERR(max_rel=4)@20"),
        ("ERR-IA@5", "ndeval", "ERR_IA(as_ndeval=True)@5"),
        ("MAP-IA", "ndeval", "AP_IA"),
        ("RetrievalMRR", "", "RR"),
        ("Precision_10", "", "P@10"),
    ],
)
def test_names_of_other_tools(name, tool, measure):
    assert str(readings(name, tool)[0]) == measure


def test_a_name_of_two_tools_has_two_readings():
    assert [str(one) for one in readings("Accuracy@3")] == ["Success@3", "Accuracy@3"]
    found = crosscheck(QRELS, RUN, {"q1": {"Accuracy@4": 0.5}})  # of the pairs of q1's first four, BEIR's has 1
    assert [one.name for one in found.explanation.own["Accuracy@4"].added] == ["reading='Accuracy@4'"]


def test_names_that_mean_nothing():
    assert readings("foo") == () == readings("P")


@pytest.mark.parametrize(
    ("name", "form"),
    [("map", "AP"), ("P_5", "P@5"), ("set_F.4", "SetF(beta=2)"), ("gm_map", None), ("AP(rel=2)", "AP(rel=2)")],
)
def test_the_form_whose_arguments_can_be_varied(name, form):
    found = field_form(treckon.parse(name))
    assert (None if found is None else str(found)) == form


# Comparing


def test_everything_agrees():
    found = crosscheck(QRELS, RUN, "map\tq1\t0.5833\nmap\tall\t0.7917\nfoo\tall\t1\n")
    assert found.agrees and found.explanation is None and found.alternatives == ()
    assert found.unknown == ("foo",)
    assert repr(found).splitlines() == [
        "all 2 values agree at their printed precision",
        "not compared, since no measure here has the name: foo",
    ]
    assert repr(found.values[0]) == "<map q1: 0.5833 = 0.583333>"
    assert [one.verdict for one in found.values] == ["agrees", "agrees"]


def test_a_difference_that_is_explained():
    found = crosscheck(QRELS, RUN, "map\tq1\t0.5833\nmap\tall\t0.5278\nP_2\tall\t0.3333\n")
    assert not found.agrees
    assert len(found.agreements) == 1 and len(found.disagreements) == 2 and found.unexplained == ()
    assert [one.name for one in found.explanation.changes] == ["missing='zero'"]
    assert found.explanation.conventions == {"missing": "zero"}
    again = treckon.evaluate(QRELS, RUN, ["map", "P_2"], **found.explanation.conventions)
    assert round(again["map"], 4) == 0.5278
    assert [one.verdict for one in found.values] == ["agrees", "explained", "explained"]
    assert repr(found).splitlines()[:3] == [
        "2 of 3 values disagree; all are explained",
        "the smallest change that explains all values:",
        "  missing='zero': queries that the run lacks count 0 (as trec_eval -c, ir_measures, MS MARCO's scorer)",
    ]


def test_alternatives_and_what_tells_them_apart():
    """Three queries count either way: the one that the run lacks, or the one that nobody judged."""
    found = crosscheck(QRELS, RUN, {"map": 0.5278})
    assert [one.name for one in found.explanation.changes] == ["missing='zero'"]
    assert [[x.name for x in one.changes] for one in found.alternatives] == [["extra='counted'"]]
    assert [(one.name, one.query, one.values) for one in found.differences] == [("map", "q3", (0.0, None))]
    assert repr(found.differences[0]) == "<map q3: 0.0000, none>"
    assert "what tells them apart: map of query q3 (0.0000 or none)" in repr(found)


def test_alternatives_that_nothing_tells_apart():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    found = crosscheck(qrels, run, {"mrr": 1.0})
    assert {"ties='input'", "ties='docno'"} <= {
        change.name for one in (found.explanation, *found.alternatives) for change in one.changes
    }
    assert found.differences == ()
    assert "they give the same values for every query" in repr(found)


def test_what_nothing_explains():
    found = crosscheck(QRELS, RUN, "map\tq1\t0.1234\nmap\tq2\t1.0000\n")
    assert found.explanation is None
    assert [(one.name, one.query) for one in found.unexplained] == [("map", "q1")]
    assert repr(found).splitlines() == [
        "1 of 2 values disagree, and nothing that was tried explains them",
        "not explained:",
        "  map, query q1: printed 0.1234, here 0.583333",
    ]
    assert found.values[0].verdict == "unexplained"


def test_a_part_is_explained():
    """P@1 of q1 is made up, the rest is graded by exp2."""
    values = treckon.evaluate(QRELS, RUN, "nDCG(gain='exp2')@3").per_query
    printed = {query: {"nDCG@3": values[query]["nDCG(gain='exp2')@3"], "P@1": 0.3} for query in ("q1", "q2")}
    found = crosscheck(QRELS, RUN, printed)
    assert [one.name for one in found.explanation.own["nDCG@3"].added] == ["gain='exp2'"]
    assert found.explanation.own["nDCG@3"].measure == "nDCG(gain='exp2')@3"
    assert {(one.name, one.query) for one in found.unexplained} == {("P@1", "q1"), ("P@1", "q2")}
    assert found.explanation.n_unexplained == 2
    assert "nDCG@3: gain='exp2': the gain of a grade is 2^grade - 1" in repr(found)


def test_the_search_can_be_left_out():
    found = crosscheck(QRELS, RUN, {"map": 0.5278}, most=0)
    assert not found.agrees and found.explanation is None


def test_it_begins_with_the_conventions_given():
    found = crosscheck(QRELS, RUN, {"map": 0.7917}, missing="zero")
    assert [one.name for one in found.explanation.changes] == ["missing='skip'"]
    assert found.conventions["missing"] == "zero"


@pytest.mark.parametrize(
    ("conventions", "change"),
    [
        ({"level": 2}, "level=1"),
        ({"unjudged": "condensed"}, "unjudged='nonrelevant'"),
        ({"order": "input"}, "order='score'"),
        ({"gain": "exp2"}, "gain='linear'"),
        ({"ties": "optimistic"}, "ties='trec'"),
        ({"negative": "nonrelevant"}, "negative='unjudged'"),
    ],
)
def test_it_finds_the_way_back_to_the_defaults(conventions, change):
    qrels = {"q1": {"a": 1, "b": 0, "c": 2, "n": -1}, "q2": {"d": 1, "e": 0, "f": 3, "g": -1}}
    run = {
        "q1": {"x": 1.0, "n": 1.5, "b": 2.0, "a": 2.0, "c": 3.0},
        "q2": {"e": 2.0, "d": 2.0, "g": 2.5, "y": 3, "f": 1},
    }
    values = treckon.evaluate(qrels, run, ["AP", "nDCG@3", "Bpref"]).per_query
    printed = {query: {str(measure): value for measure, value in some.items()} for query, some in values.items()}
    found = crosscheck(qrels, run, printed, **conventions)
    assert not found.agrees and not found.unexplained
    every = [found.explanation, *found.alternatives]
    assert [change] in [[one.name for one in explanation.all_changes] for explanation in every]


@pytest.mark.parametrize("conventions", [{}, {"negative": "nonrelevant"}])
def test_merged_judgements_can_be_read_as_another_release(conventions):
    run = {"q": {"a": 0.1000000001, "b": 0.1}}
    qrels = b"q 0 a 1\nq 0 a 1\nq 0 b 0\n"
    found = crosscheck(qrels, run, {"recip_rank": 0.5}, equal_judgements="merge", **conventions)
    assert [one.name for one in found.explanation.changes] == ["compat='9.0.8'"]
    assert found.conventions["equal_judgements"] == "merge"


def test_likely_pairings_by_position():
    """Each once; the first by both orders as listed."""
    assert likely_pairings(("b", "9", "10"), ("9", "10", "b")) == {
        ("9", "10", "b"): "",
        ("b", "10", "9"): "the run's in reverse",
        ("10", "9", "b"): "the run's sorted as text",
        ("b", "9", "10"): "the qrels' sorted as text, the run's sorted as text",
        ("9", "b", "10"): "the qrels' sorted as numbers, the run's in reverse",
    }
    assert likely_pairings(("1", "2", "3"), ("2", "3")) == {
        ("2", "3", None): "",
        ("3", "2", None): "the run's in reverse",
    }


def test_an_id_may_have_more_digits_than_a_number_of_python():
    long = "9" * 5000
    found = likely_pairings(("a", "b", "c", "d"), ("x", long, "9", "010"))
    assert found["9", "010", long, "x"] == "the run's sorted as numbers"


def test_all_pairings_by_position():
    assert set(all_pairings(("1", "2"), ("1", "2", "3"))) == {
        ("1", "2"), ("1", "3"), ("2", "1"), ("2", "3"), ("3", "1"), ("3", "2"),
    }  # fmt: skip
    assert set(all_pairings(("1", "2", "3"), ("1",))) == {("1", None, None), (None, "1", None), (None, None, "1")}
    seven = tuple("1234567")
    assert len(all_pairings(seven, seven)) == 5040
    assert all_pairings((*seven, "8"), seven) == []


def test_an_order_is_looked_for_where_it_explains_several_numbers():
    """Two queries meet their own rankings; one number alone would be explained by too many orders."""
    qrels = {query: {f"d{query}": 1} for query in "12345"}
    run = {query: {f"d{query}": 2.0, "x": 1.0} for query in "12345"}
    found = crosscheck(qrels, run, {"map": 0.4, "P_2": 0.2, "recip_rank": 0.4})
    (change,) = found.explanation.all_changes
    assert change.name == "queries are paired by their positions, the run's in another order"
    assert change.text == (
        "the first query of the run meets the first of the qrels, and so on, whatever their ids; of the run 4 meets 3, "
        "5 meets 4, 3 meets 5 (20 of 120 orders fit as many values)"
    )
    assert [one.reproduced for one in found.values] == [0.4, 0.2, 0.4]
    assert found.explanation.conventions == {}
    alone = crosscheck(qrels, run, {"map": 0.4})
    assert "another order" not in repr(alone)


def test_no_order_is_looked_for_where_a_likely_one_explains_as_much():
    """Else the same pairing would be an alternative to itself."""
    qrels = {"a": {"x": 1}, "b": {"y": 1}, "c": {"z": 1}}
    run = {"1": {"x": 1.0}, "b": {"x": 2.0, "y": 1.0}, "3": {"z": 1.0}}
    found = crosscheck(qrels, run, {"map": 0.8333, "recip_rank": 0.8333})
    assert [one.name for one in found.explanation.all_changes] == ["queries are paired by their positions"]
    assert found.alternatives == ()


def test_two_names_may_stand_for_one_measure():
    found = crosscheck(QRELS, RUN, {"map": 0.5278, "MAP": 0.5278, "AP": 0.5278})
    assert [one.agrees for one in found.values] == [False] * 3
    assert [one.name for one in found.explanation.all_changes] == ["missing='zero'"]


def test_what_is_counted_of_queries_that_are_not_judged():
    """Most measures are 0 for them; num_ret and Hole are not."""
    run = {"q1": {"a": 1.0}, "q9": {"z": 2.0, "y": 1.0}, "q2": {"d": 1.0}}
    for scores in ({"num_ret": 4}, {"Hole@2": 0.33333}, {"num_ret": 4, "map": 0.5}):
        found = crosscheck(QRELS, run, scores)
        assert [one.name for one in found.explanation.all_changes] == ["extra='counted'"], scores
    assert not crosscheck(QRELS, run, {"num_ret": 3}, most=0).agrees
    found = crosscheck(QRELS, run, "Hole@2\tq1\t0.0\nHole@2\tq9\t1.0\nHole@2\tall\t0.0\n")
    assert [one.name for one in found.explanation.all_changes] == ["extra='counted'", "aggregate='median'"]
    assert [one.reproduced for one in found.values] == [0.0, 1.0, 0.0]


def test_names_can_be_told():
    found = crosscheck(QRELS, RUN, {"quality": 0.7917, "map": 0.7917}, names={"quality": "AP"})
    assert found.agrees and found.unknown == ()


def test_queries_that_are_not_judged():
    found = crosscheck(QRELS, RUN, "map\tq9\t0.0000\nmap\tall\t0.5278\n")
    assert [one.name for one in found.explanation.changes] == ["extra='counted'"]
    assert found.explanation.conventions == {}


@pytest.mark.parametrize(
    ("measure", "change", "arguments"),
    [
        ("nDCG@3", "gain='exp2'", {"gain": "exp2"}),
        ("nDCG@3", "discount='none'", {"discount": "none"}),
        ("AP@2", "denominator='min_k'", {"denominator": "min_k"}),
        ("P@5", "adaptive=True", {"adaptive": True}),
        ("RBP", "p=0.95", {"p": 0.95}),
        ("ERR", "max_rel=4", {"max_rel": 4}),
        ("AP", "level=2", {"rel": 2}),
        ("RR", "unjudged='condensed'", {"judged_only": True}),
        ("RR", "cutoff=10", None),
    ],
)
def test_arguments_of_measures(measure, change, arguments):
    qrels = {
        "q1": {"a": 1, "b": 0, "c": 2, "d": 1},
        "q2": {"d": 1, "e": 0, "f": 3},
        "q3": {"g": 1, **{f"n{i}": 0 for i in range(12)}},
    }
    run = {
        "q1": {"x": 4.0, "a": 3.0, "b": 2.0, "c": 1.0},
        "q2": {"e": 3.0, "d": 2.0, "y": 1.5, "f": 1.0},
        "q3": {**{f"n{i}": 100.0 - i for i in range(12)}, "g": 1.0},
    }
    asked = treckon.parse(measure)
    asked = asked @ 10 if arguments is None else asked(**arguments)
    values = treckon.evaluate(qrels, run, [asked]).per_query
    found = crosscheck(qrels, run, {query: {measure: values[query][asked]} for query in qrels})
    assert found.unexplained == ()
    every = [found.explanation, *found.alternatives]
    assert change in {one.name for explanation in every for one in explanation.own[measure].added}


@pytest.mark.parametrize(
    ("scores", "change"),
    [
        ("map\tq1\t58.3333\nmap\tq2\t100.0000\nP_1\tq2\t100.0000\n", "in percent"),
        ("P_3\tq1\t0.6666\nP_3\tq2\t0.3333\n", "cut, not rounded"),
        ({"q1": {"map": 0.58}, "q2": {"map": 1.0}}, "rounded to the places shown"),
    ],
)
def test_ways_to_print(scores, change):
    found = crosscheck(QRELS, RUN, scores)
    assert [one.name for one in found.explanation.changes] == [change]


def test_measures_that_are_added_up():
    found = crosscheck(QRELS, RUN, {"map": 1.5833})
    assert [one.name for one in found.explanation.all_changes] == ["aggregate='sum'"]


def test_documents_that_only_candidates_know():
    """A tool that is given the retrieved documents alone doesn't know the others."""
    qrels = {"q1": {"a": 1, "b": 2, "c": 1, "u": 2}, "q2": {"d": 1, "e": 1, "f": 0}}
    run = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}, "q2": {"f": 2.0, "d": 1.0}}
    known = {query: {doc: grade for doc, grade in qrels[query].items() if doc in run[query]} for query in qrels}
    measures = ["AP", "nDCG@5", "R@2"]
    values = treckon.evaluate(known, run, measures).per_query
    found = crosscheck(qrels, run, {query: {str(m): v for m, v in values[query].items()} for query in qrels})
    assert [one.name for one in found.explanation.changes] == ["only retrieved documents are judged"]


def test_a_run_that_repeats_a_document(tmp_path):
    run = tmp_path / "run"
    run.write_text("q1 Q0 x 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 x 3 1 t\nq1 Q0 c 4 0 t\n")
    found = crosscheck(QRELS, run, "map\tq1\t0.5000\n")
    assert [one.name for one in found.explanation.changes] == ["duplicates='first'"]
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(f"{run}:3: ") and found.warnings[0].endswith("taken with duplicates='drop'")
    with pytest.raises(TreckonError):
        crosscheck(QRELS, run, "map\tq1\t0.5\n", duplicates="error")


def test_diversity_measures_take_judgements_by_subtopic(tmp_path):
    qrels = tmp_path / "qrels"
    qrels.write_text("1 a A 1\n1 b B 1\n1 b D 1\n1 c C 1\n")
    run = tmp_path / "run"
    run.write_text("1 Q0 A 1 4 t\n1 Q0 D 2 3 t\n1 Q0 E 3 2 t\n1 Q0 B 4 1 t\n")
    text = "runid,topic,ERR-IA@5,alpha-nDCG@5,NRBP,nNRBP,MAP-IA,P-IA@5,strec@5\n" + "t,{},{}\n"
    values = "0.393343,0.786896,0.390625,0.862069,0.500000,0.200000,0.666667"
    found = crosscheck(qrels, run, text.format("1", values) + f"t,amean,{values}\n")
    assert found.agrees and found.format == "ndeval"


# Objects


def test_to_dict_is_json():
    found = crosscheck(QRELS, RUN, "map\tall\t0.5278\nP_1\tq1\tnan\n")
    as_dict = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert as_dict["agrees"] is False
    assert as_dict["explanation"]["changes"][0]["key"] == "missing"
    assert as_dict["values"][0] == {
        "name": "map", "measure": "map", "query": None, "printed": "0.5278", "value": pytest.approx(0.79166667),
        "agrees": False, "reproduced": pytest.approx(0.52777778), "explained": True,
    }  # fmt: skip
    assert as_dict["format"] == "trec_eval"
    assert isinstance(found, CrossCheck) and isinstance(found, treckon.CrossCheck)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"most": 5}, ParameterError, "most: expected a whole number from 0 to 4, found 5"),
        ({"most": True}, ParameterError, "most: expected a whole number from 0 to 4, found True"),
        ({"missing": "error"}, ParameterError, "missing: expected another choice than 'error' in a cross-check"),
        ({"names": {"x": "AP"}}, ParameterError, "names: expected one of map, found 'x'"),
        ({"names": {"map": "foo"}}, UnknownMeasureError, "unknown measure 'foo'; no name is near it"),
    ],
)
def test_arguments_that_are_refused(options, error, message):
    with pytest.raises(error) as raised:
        crosscheck(QRELS, RUN, {"map": 0.5}, **options)
    assert str(raised.value).startswith(message)


def test_scores_of_unknown_measures_alone():
    with pytest.raises(InputError, match="scores: expected names of measures, found 'foo', 'bar'"):
        crosscheck(QRELS, RUN, {"foo": 0.5, "bar": 1.0})


# Whatever was done, something that reproduces it is found

GRADES = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])
DOCS = [f"d{i}" for i in range(8)]


@st.composite
def tasks(draw):
    queries = [f"q{i}" for i in range(draw(st.integers(3, 5)))]
    qrels = {query: draw(st.dictionaries(st.sampled_from(DOCS), GRADES, min_size=2, max_size=7)) for query in queries}
    in_run = queries[: draw(st.integers(2, len(queries)))]
    run = {
        query: draw(st.dictionaries(st.sampled_from([*DOCS, "u1", "u2"]), st.integers(1, 4), min_size=1, max_size=8))
        for query in in_run
    }
    return qrels, {query: {doc: score / 2 for doc, score in docs.items()} for query, docs in run.items()}


CONVENTIONS = st.sampled_from(
    [
        {"ties": "docno"},
        {"ties": "input"},
        {"ties": "expected"},
        {"ties": "pessimistic", "missing": "zero"},
        {"negative": "nonrelevant", "ties": "optimistic"},
        {"order": "input", "missing": "zero"},
        {"unjudged": "condensed"},
        {"level": 2, "missing": "zero"},
        {"no_relevant": "skip"},
        {"depth": 5},
    ]
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(tasks(), CONVENTIONS)
def test_conventions_are_found(task, conventions):
    qrels, run = task
    measures = ["AP", "P@3", "nDCG@3", "RR"]
    evaluation = treckon.evaluate(qrels, run, measures, **conventions)
    left_out = conventions.get("no_relevant") == "skip"
    lines = [
        f"{measure}\t{query}\t{value:.4f}\n"
        for query, values in evaluation.per_query.items()
        for measure, value in values.items()
        if not left_out
    ]
    lines += [f"{measure}\tall\t{value:.4f}\n" for measure, value in evaluation.means.items()]
    found = crosscheck(qrels, run, "".join(lines))
    assert found.unexplained == ()


# What single tools do, each by hand

HABIT_QRELS = {"p": {"a": 2, "b": 1, "c": 3, "n": 0, "u": -1}, "q": {"a": 1}}
HABIT_RUN = {"p": {"x": 5.0, "a": 4.0, "b": 3.0, "u": 2.0, "n": 1.0}, "q": {"a": 1.0}}


@pytest.mark.parametrize(
    ("habit", "measure", "value"),
    [
        ("ideal of what was retrieved", "nDCG@2", (2 / log2(3)) / (2 + 1 / log2(3))),
        ("ideal of the top", "nDCG@2", (2 / log2(3)) / 2),
        ("ideal of the top", "nDCG(gain='exp2')@3", (3 / log2(3) + 1 / 2) / (3 + 1 / log2(3))),
        ("ideal of what was retrieved", "nDCG(gain={2: 5})@2", (5 / log2(3)) / (5 + 1 / log2(3))),
        ("ideal of what was retrieved", "nDCG(gain='binary')@2", (1 / log2(3)) / (1 + 1 / log2(3))),
        ("mean of all reciprocal ranks", "RR", (1 / 2 + 1 / 3) / 2),
        ("mean of all reciprocal ranks", "RR(rel=2)", 1 / 2),
        ("mean of all reciprocal ranks", "RR@1", 0.0),
        ("graded, not normalised", "RBP", 0.2 * (2 * 0.8 + 1 * 0.64)),
        ("graded, not normalised", "RBP(p=0.5)@2", 0.5 * 2 * 0.5),
        ("capped", "R@2", 1 / 2),
        ("recall", "R_cap@2", 1 / 3),
        ("hit rate", "R@2", 1.0),
        ("share", "Hits@2", 1 / 2),
        ("graded RR", "RR", 2 / 3 / 2),
        ("graded P", "P@2", 2 / 3 / 2),
        ("AP graded, by R", "AP", (2 / 3 * 2 / 3 / 2 + 1 / 3 * (2 / 3 + 1 / 3) / 3) / 3),
        ("AP graded, of the retrieved", "AP", (2 / 3 * 2 / 3 / 2 + 1 / 3 * (2 / 3 + 1 / 3) / 3) / (2 / 3 + 1 / 3)),
    ],
)
def test_habits_that_stand_for_a_measure(habit, measure, value):
    one = next(one for one in HABITS if one.name == habit)
    assert treckon.parse(measure).record.name in one.measures
    substitute = one.substitute(treckon.parse(measure))
    found = treckon.evaluate(HABIT_QRELS, HABIT_RUN, [substitute]).per_query["p"][substitute]
    assert found == pytest.approx(value)


def test_habits_of_all_queries_together():
    """Four documents of two queries have the score 1: ranks 1 and 2 of each, so each has (0.2 + 0.16) / 2."""
    one = next(one for one in HABITS if one.name == "ties averaged over the whole run")
    qrels, run = {"p": {"a": 1}, "q": {"b": 1, "c": 1}}, {"p": {"a": 1.0, "x": 1.0}, "q": {"b": 1.0, "y": 1.0}}
    assert one.whole(treckon.parse("RBP"), qrels, run) == pytest.approx({"p": 0.18, "q": 0.18})
    assert one.whole(treckon.parse("RBP(rel=2)@1"), qrels, run) == {"p": 0.0, "q": 0.0}


def test_divisions_by_zero_go_by_the_order_of_the_qrels():
    """As ranx 0.3.21 does: 0/0 of a query without judged nonrelevant documents, 0 after one without relevant ones."""
    normal, all_relevant, none = {"a": 1, "b": 1, "n": 0}, {"m": 1, "k": 1}, {"z": 0}
    run = {"2": {"a": 3.0, "n": 2.0, "b": 1.0}, "3": {"m": 2.0, "x": 1.0}, "1": {"z": 1.0}}
    run["4"] = run["2"]
    nan = float("nan")
    for qrels, printed in (
        ({"4": normal, "3": all_relevant, "2": normal}, {"2": 0.5, "3": nan, "4": 0.5, "all": nan}),
        ({"4": normal, "3": all_relevant, "1": none, "2": normal}, {"1": 0, "2": 0, "3": nan, "4": 0.5, "all": nan}),
        ({"4": normal, "1": none, "3": all_relevant, "2": normal}, {"1": 0, "2": 0, "3": 0, "4": 0.5, "all": 0.125}),
    ):
        rows = [(query, "bpref", value) for query, value in printed.items()]
        rows += [(query, "P_1", float(query in "423")) for query in qrels]  # these agree
        found = crosscheck(qrels, run, rows)
        assert [one.name for one in found.explanation.all_changes] == [
            "0 from the first query without relevant documents on"
        ]
        assert found.unexplained == ()
        bpref = {one.query or "all": one.reproduced for one in found.values if one.name == "bpref"}
        assert repr({query: bpref[query] for query in printed}) == repr({q: float(x) for q, x in printed.items()})


def all_changes(found):
    assert found.unexplained == ()
    return {one.name for one in found.explanation.all_changes}


def test_divisions_by_zero_go_by_threads_and_by_ids():
    """ranx 0.3.21 on two processors: two shares of six queries, by rising id with Qrels and Run, else as listed."""
    ids = ["10", "9", "8", "7", "6", "5", "4", "3", "2", "1", "11", "12"]
    qrels = {one: {"b": 0} if one in ("11", "7") else {"a": 1, "b": 0, "c": 1} for one in ids}
    run = {one: {"a": 3.0, "b": 2.0, "c": 1.0} for one in ids}
    of_dicts = [0.5, 0.5, 0.5, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0, 0]
    of_objects = dict.fromkeys(ids, 0.5) | dict.fromkeys(["11", "12", "2", "3", "7", "8", "9"], 0)
    for printed in (dict(zip(ids, of_dicts, strict=True)), of_objects):
        printed["all"] = round(sum(printed.values()) / 12, 4)
        found = crosscheck(qrels, run, [(query, "bpref", value) for query, value in printed.items()])
        assert all_changes(found) == {"0 from the first query without relevant documents on"}
        assert not found.alternatives


#: A ranking with ties of more documents than are sorted by insertion, and one that is tied altogether.
LONG_RUN = {
    "q1": {f"d{i}": float(score) for i, score in enumerate("312231321123312123")},
    "q2": {f"d{i}": 1.0 for i in range(20)},
}
LONG_QRELS = {"q1": dict.fromkeys(["d2", "d4", "d9", "d17"], 1), "q2": dict.fromkeys(["d3", "d7", "d12"], 1)}


@pytest.mark.parametrize(
    ("cause", "values"),
    [
        (
            "ties as a quicksort leaves them",
            {"map": (0.3363, 0.1657), "mrr": (0.25, 0.1429), "precision@5": (0.4, 0.0), "ndcg@10": (0.4493, 0.1564)},
        ),
        (
            "ties as two quicksorts leave them",
            {"map": (0.2917, 0.2436), "mrr": (0.25, 0.25), "precision@5": (0.4, 0.2), "ndcg@10": (0.3191, 0.3501)},
        ),
        (
            "ties as a quicksort leaves them, reversed",
            {"map": (0.3839, 0.2122), "mrr": (0.5, 0.2), "precision@5": (0.4, 0.2), "ndcg@10": (0.4144, 0.3228)},
        ),
    ],
)
def test_ties_in_long_rankings_as_ranx_leaves_them(cause, values):
    """ranx 0.3.21: with Qrels and Run, these with make_comparable=True, and with plain dicts."""
    rows = [(query, name, some[i]) for name, some in values.items() for i, query in enumerate(LONG_RUN)]
    assert all_changes(crosscheck(LONG_QRELS, LONG_RUN, rows)) == {cause}


def test_ties_in_reverse_of_the_order_listed():
    """ranx 0.3.21 with plain dicts, in rankings that are sorted by insertion."""
    run = {"q1": dict(zip("hbdfacge", map(float, "31223132"), strict=True))}
    printed = {"map": 0.4167, "mrr": 0.5, "precision@5": 0.2, "ndcg@10": 0.6053}
    found = crosscheck({"q1": {"d": 1, "a": 1}}, run, {"q1": printed})
    assert all_changes(found) == {"ties in reverse of the order listed"}


def test_ties_that_stand_at_the_rank_of_their_last_document():
    """average_precision_score of scikit-learn 1.9 for the documents retrieved."""
    qrels = {"q1": {"b": 1, "c": 1, "e": 1, "g": 1, "z": 1}, "q2": {"a": 1, "d": 1}}
    run = {"q1": dict(zip("abcdefg", map(float, "3322211"), strict=True))}
    run["q2"] = dict(zip("abcde", map(float, "55444"), strict=True))
    printed = {"q1": 0.5678571428571428, "q2": 0.45}
    found = crosscheck(qrels, run, {"average_precision_score": printed})
    assert all_changes(found) == {"only retrieved documents are judged", "ties at the last rank"}
    del qrels["q1"]["z"]
    found = crosscheck(qrels, run, {"average_precision_score": printed})
    assert all_changes(found) == {"ties at the last rank"}


def test_queries_that_are_0_in_what_is_counted_of_the_qrels_and_values_rounded_twice():
    """ir_measures 0.4.3: NumRel of a query that the run lacks; ERR@10 is 0.10644..., of which gdeval prints 0.10645."""
    qrels = {"35": {"a": 1, "b": 2, "c": 1, "e": 2, "f": 0}, "36": {"a": 1, "b": 1}}
    run = {"35": {"x": 5.0, "b": 4.0, "y": 3.0, "a": 2.0, "f": 1.0}}
    text = "35\tNumRel\t4.0000\n36\tNumRel\t0.0000\n35\tAP\t0.2500\n36\tAP\t0.0000\nAP\t0.1250\n"
    found = crosscheck(qrels, run, text)
    assert all_changes(found) == {"missing='blank'"} and found.explanation.conventions == {}
    assert {one.query: one.reproduced for one in found.values if one.name == "NumRel"} == {"35": 4.0, "36": 0.0}
    text = "35\tERR@10\t0.1065\n36\tERR@10\t0.0000\nERR@10\t0.0532\n"
    assert all_changes(crosscheck(qrels, run, text)) == {"missing='zero'", "max_rel=4", "rounded twice"}


def test_a_measure_that_no_set_of_changes_can_evaluate_has_no_value_in_a_difference():
    """Bpref has no exact mean over the orders of ties, and no change gives the number here."""
    qrels = {"q0": {"a": 1, "d": 1, "f": 0}, "q1": {"b": 2, "f": 1, "a": 1}}
    run = {"q0": {"f": 2.0, "c": 2.0, "a": 2.0}, "q1": {"f": 1.0, "d": 1.0, "a": 2.0}}
    found = crosscheck(qrels, run, {"map": 0.4583, "bpref": 0.4321, "P_2": 0.13}, most=1)
    assert {one.name for one in found.unexplained} == {"bpref", "P_2"}
    assert any(None in one.values for one in found.differences if one.name == "bpref")


def test_every_habit_is_tested():
    tested = {
        mark.args[1][i][0] for mark in test_habits_that_stand_for_a_measure.pytestmark for i in range(len(mark.args[1]))
    }
    others = {"ties averaged over the whole run", "0 without judged nonrelevant documents"}
    others |= {"negative grades counted as relevant", "0 from the first query without relevant documents on"}
    others |= {"ties at the last rank"}
    assert {one.name for one in HABITS} == tested | others  # the others: above, and in test_crosscheck_peers.py


def test_one_value_and_a_level_that_no_grade_reaches():
    """Grades have 32 bits, a level may have any number."""
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    assert treckon.crosscheck(qrels, run, {"map": 1.0}).verdict() == ["the value agrees at its printed precision"]
    found = treckon.crosscheck(qrels, run, {"map": 0.7}, level=10**30)
    assert [one.value for one in found.disagreements] == [0.0]
