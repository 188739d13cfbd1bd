"""`treckon crosscheck`: its tables, verdicts on standard error, exit status."""

import json

import pytest

QRELS = "q1 0 a 1\nq1 0 b 0\nq1 0 c 2\nq2 0 d 1\nq2 0 e 0\nq3 0 f 1\n"
RUN = "q1 Q0 x 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 c 3 1 t\nq2 Q0 d 1 1 t\n"


@pytest.fixture
def crosscheck(treckon, tmp_path, monkeypatch):
    """`crosscheck(scores, *options)`: the command with the qrels and run above."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)

    def check(scores, *options):
        (tmp_path / "scores").write_text(scores)
        status, shown, messages = treckon("crosscheck", "qrels", "run", "scores", *options)
        return status, shown.decode(), messages.decode()

    return check


def test_all_agree(crosscheck):
    assert crosscheck("map\tq1\t0.5833\nmap\tall\t0.7917\n") == (
        0,
        "name\tstands for\tvalues\tagree\texplained\treproduced by\nmap\tmap\t2\t2\t2\tmap\n",
        "treckon crosscheck: all 2 values agree at their printed precision\n",
    )


def test_a_difference(crosscheck):
    status, shown, messages = crosscheck("map\tq1\t0.5833\nmap\tall\t0.5278\nP_1\tall\t0.9000\nfoo\tall\t1\n")
    assert status == 1
    assert messages == (
        "treckon crosscheck: 2 of 3 values disagree; 1 stays unexplained\n"
        "treckon crosscheck: not compared, since no measure here has the name: foo\n"
    )
    assert shown == (
        "name\tstands for\tvalues\tagree\texplained\treproduced by\n"
        "map\tmap\t2\t1\t2\tmap\n"
        "P_1\tP_1\t1\t0\t0\tP_1\n"
        "\n"
        "change\tof\twhat\tas\n"
        "missing='zero'\tall\tqueries that the run lacks count 0\ttrec_eval -c, ir_measures, MS MARCO's scorer\n"
        "\n"
        "name\tquery\tprinted\there\treproduced\tverdict\n"
        "P_1\tall\t0.9000\t0.5000\t0.3333\tunexplained\n"
    )


def test_the_conventions_that_ours_has(crosscheck):
    assert crosscheck("map\tall\t0.5278\n", "-c")[0] == 0
    status, shown, _ = crosscheck("map\tall\t0.7917\n", "-c", "--quiet")
    assert status == 1 and "missing='skip'\tall\t" in shown


def test_all_values(crosscheck):
    shown = crosscheck("map\tq1\t0.5833\nmap\tall\t0.5278\n", "--all-values")[1]
    assert shown.endswith(
        "name\tquery\tprinted\there\treproduced\tverdict\n"
        "map\tq1\t0.5833\t0.5833\t0.5833\tagrees\n"
        "map\tall\t0.5278\t0.7917\t0.5278\texplained\n"
    )


def test_what_one_measure_has_of_its_own(crosscheck):
    shown = crosscheck("RR\tall\t0.5000\nnDCG@3\tq1\t0.5869\nnum_q\tall\t2\n")[1]
    assert "\ngain='exp2'\tnDCG@3\tthe gain of a grade is 2^grade - 1\tgdeval, ranx's ndcg_burges, LightGBM\n" in shown
    assert "\nnot missing='zero'\tnum_q\t\t\n" in shown


def test_names_and_formats(crosscheck):
    assert crosscheck("quality,other\n0.7917,3\n", "--scores-format", "csv", "--name", "quality=AP")[0] == 0
    assert crosscheck("quality,other\n0.7917,3\n", "--name", "quality")[0::2] == (
        2,
        "treckon crosscheck: --name: expected NAME=MEASURE, found 'quality'\n",
    )


def test_json(crosscheck):
    status, shown, _ = crosscheck('{"map": 0.5278}', "--format", "json")
    found = json.loads(shown)
    assert status == 1
    assert found["explanation"]["conventions"] == {"missing": "zero"}
    assert [one["printed"] for one in found["values"]] == ["0.5278"]


def test_only_comparing(crosscheck):
    status, shown, messages = crosscheck('{"map": 0.5278}', "--most", "0")
    assert status == 1 and "change" not in shown
    assert messages == "treckon crosscheck: 1 of 1 values disagree, and nothing that was tried explains them\n"


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ("map all\n", (),
         "scores: expected what a tool prints (trec_eval, ir_measures, gdeval, ndeval, csv, tsv, json, "
         "jsonl, lines), found 'map all'; name its format"),
        ("foo all 0.5\n", ("--scores-format", "trec_eval"), "scores: expected names of measures, found 'foo'"),
        ("map all 0.5\n", ("--most", "7"), "most: expected a whole number from 0 to 4, found 7"),
        ("map all 0.5\n", ("--missing", "error"), "missing: expected another choice than 'error' in a cross-check"),
    ],
)  # fmt: skip
def test_errors(crosscheck, scores, options, message):
    assert crosscheck(scores, *options) == (2, "", f"treckon crosscheck: {message}\n")


@pytest.mark.parametrize("format", ["tsv", "csv", "json"])
@pytest.mark.parametrize("per_query", [(), ("--per-query",)])
def test_what_treckon_eval_prints_agrees(treckon, crosscheck, tmp_path, format, per_query):
    crosscheck("map all 0.5\n")
    arguments = ("-m", "AP", "-m", "nDCG@3", "--format", format, "-o", "own", *per_query)
    assert treckon("eval", "qrels", "run", *arguments).status == 0
    status, shown, messages = treckon("crosscheck", "qrels", "run", "own")
    n = {(): 2, ("--per-query",): 6}[per_query]
    assert (status, messages.decode()) == (
        0, f"treckon crosscheck: all {n} values agree at their printed precision\n"
    )  # fmt: skip
    assert shown.startswith(b"name\tstands for\tvalues\tagree\texplained\treproduced by\nAP\tAP\t")


def test_errors_name_the_files(treckon, crosscheck, tmp_path):
    crosscheck("map all 0.5\n")
    (tmp_path / "other.run").write_text("q9 Q0 a 1 1 t\n")
    (tmp_path / "foo.json").write_text('{"": 0.5}')
    assert treckon("crosscheck", "qrels", "run", "foo.json").stderr == (
        b"treckon crosscheck: foo.json: expected names of measures, found ''\n"
    )
    status, shown, messages = treckon("crosscheck", "qrels", "other.run", "scores")
    assert (status, shown) == (2, b"")
    assert messages.startswith(b"treckon crosscheck: other.run: expected a query with both results and judgements, ")


def test_scores_that_are_not_there(treckon, crosscheck):
    crosscheck("map all 0.5\n")
    status, shown, messages = treckon("crosscheck", "qrels", "run", "nothing")
    assert (status, shown) == (2, b"")
    assert messages == b"treckon crosscheck: nothing: cannot read it: No such file or directory\n"


@pytest.mark.parametrize(("option", "value"), [("gain", "exp2"), ("discount", "jk:2")])
def test_a_convention_that_no_printed_measure_takes_is_refused(crosscheck, option, value):
    status, shown, messages = crosscheck("P@5 0.2\n", f"--{option}", value)
    expected = f"treckon crosscheck: {option}: none of P@5 has a {option} that the evaluation chooses\n"
    assert (status, shown, messages) == (2, "", expected)
