"""`treckon gate`: what it prints and writes, and how it ends."""

import json
from xml.etree import ElementTree

import pytest

import treckon as package


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 2\nq1 0 b 1\nq2 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 3 m\nq1 Q0 x 2 2 m\nq2 Q0 y 1 1 m\n")
    (tmp_path / "met.toml").write_text('title = "low"\n[measures."P@1"]\nminimum = 0.5\n')
    (tmp_path / "not.toml").write_text('[measures."P@1"]\nminimum = 0.6\nfloor = { value = 0.5, queries = 1 }\n')
    (tmp_path / "baseline.toml").write_text('[measures."P@1".baseline]\n')
    (tmp_path / "typo.toml").write_text('[measures."P@1"]\nminimun = 0.6\n')
    (tmp_path / "other").write_text("q9 Q0 a 1 3 m\n")
    (tmp_path / "nan.json").write_text('{"q1": {"a": NaN}}')
    return tmp_path


def test_a_gate_that_is_met(treckon, folder):
    status, shown, messages = treckon("gate", "met.toml", "qrels", "run", folder=folder)
    assert status == 0
    assert shown == b"measure\trule\tverdict\texpectation\nP@1\tminimum\tmet\texpected at least 0.5, found 0.5\n"
    assert messages == b"treckon gate: run: met: 1 of 1 rules of met.toml met\n"


def test_a_gate_that_is_not_met(treckon, folder):
    status, shown, messages = treckon("gate", "not.toml", "qrels", "run", "--junit", "gate.xml", folder=folder)
    assert status == 1
    assert shown.decode() == (
        "measure\trule\tverdict\texpectation\n"
        "P@1\tminimum\tNOT MET\texpected at least 0.6, found 0.5\n"
        "P@1\tfloor\tmet\texpected at most 1 query below 0.5, found 1\n"
        "\n"
        "measure\trule\tquery\tvalue\tbaseline\tmissed documents\n"
        "P@1\tminimum\tq2\t0.0000\t\ta (grade 1, not retrieved)\n"
    )
    assert messages == b"treckon gate: run: NOT MET: 1 of 2 rules of not.toml met\n"
    root = ElementTree.parse(folder / "gate.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")


def test_what_is_not_shown_is_counted(treckon, folder):
    (folder / "strict.toml").write_text("missed_at = 1\n[measures.AP]\nminimum = 1\n")
    arguments = ("gate", "strict.toml", "qrels", "run", "--queries", "1", "--documents", "0")
    _, shown, messages = treckon(*arguments, folder=folder)
    assert shown.decode().splitlines()[-1] == "AP\tminimum\tq2\t0.0000\t\t1 more"
    assert messages.decode().splitlines()[0] == "treckon gate: AP minimum: 1 more of 2 failing queries"


def test_json_is_the_result(treckon, folder):
    arguments = ("gate", "baseline.toml", "qrels", "run", "--baseline", "run", "--format", "json")
    status, shown, _ = treckon(*arguments, folder=folder)
    assert status == 0
    assert json.loads(shown) == package.gate("baseline.toml", "qrels", "run", baseline="run").to_dict()


def test_files_are_written_whole_or_not_at_all(treckon, folder):
    for wrong in (["typo.toml", "qrels", "run"], ["met.toml", "qrels", "none"]):
        arguments = (*wrong, "--junit", "gate.xml", "-o", "gate.tsv")
        assert treckon("gate", *arguments, folder=folder).status == 2
        assert not (folder / "gate.xml").exists()
        assert not (folder / "gate.tsv").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["typo.toml", "qrels", "run"],
         'typo.toml:2: measures."P@1".minimun: expected minimum, maximum, baseline, floor, hits, found another key; '
         "did you mean minimum?"),
        (["baseline.toml", "qrels", "run"], "baseline.toml:1: expected a baseline for this rule, found none"),
        (["met.toml", "qrels", "none"], "none: cannot read it: No such file or directory"),
        (["met.toml", "qrels", "other"], "other: expected a query with both results and judgements, found none: "
         "the run has 'q9', the judgements have 'q1'"),
        (["met.toml", "run", "qrels"], "run:1: expected 4 fields (qid iteration docno grade), found 6"),
        (["met.toml", "qrels", "nan.json"],
         "nan.json: query 'q1', document 'a': expected a number as score, found NaN"),
        (["met.toml", "qrels", "run", "--baseline", "nan.json"],
         "nan.json: query 'q1', document 'a': expected a number as score, found NaN"),
        (["met.toml", "qrels", "run", "--junit", "-"], "--junit: expected a file of its own, found '-'"),
        (["met.toml", "qrels", "run", "--junit", "out", "-o", "./out"],
         "--junit: expected a file of its own, found 'out'"),
        (["met.toml", "qrels", "run", "--junit", "met.toml"], "--junit: expected a file of its own, found 'met.toml'"),
        (["-", "qrels", "-"], "standard input: expected one file from it, found '-' more than once"),
        (["met.toml", "qrels", "-", "--baseline", "-"],
         "standard input: expected one file from it, found '-' more than once"),
        (["met.toml", "qrels", "run", "--junit", "no/gate.xml"],
         "no/gate.xml: cannot write it: No such file or directory"),
    ],
)  # fmt: skip
def test_errors(arguments, words, treckon, folder):
    status, shown, messages = treckon("gate", *arguments, folder=folder)
    assert (status, shown) == (2, b"")
    assert messages.decode() == f"treckon gate: {words}\n"


def test_named_columns(treckon, folder):
    (folder / "q.tsv").write_text("x\ty\tz\nq1\ta\t2\nq2\ta\t1\n")
    (folder / "r.tsv").write_text("i\tj\tk\nq1\ta\t9.5\nq2\tb\t9\n")
    names = ("--qrels-columns", "x,y,z", "--run-columns", "i,j,k", "--baseline", "r.tsv")
    status, shown, _ = treckon("gate", "met.toml", "q.tsv", "r.tsv", *names, folder=folder)
    assert (status, shown.decode().splitlines()[1]) == (0, "P@1\tminimum\tmet\texpected at least 0.5, found 0.5")


def test_warnings_are_said(treckon, folder):
    (folder / "half").write_text("q1 Q0 a 1 3 m\n")
    _, _, messages = treckon("gate", "met.toml", "qrels", "half", folder=folder)
    assert messages.decode().splitlines()[0] == (
        "treckon gate: warning: 1 of 2 judged queries is missing from the run and counts as an empty ranking"
    )
    (folder / "odd").write_text("q1 Q0 a 1 3x m\nq2 Q0 a 1 1 m\n")
    _, _, messages = treckon("gate", "met.toml", "qrels", "odd", folder=folder)
    assert messages.startswith(b"treckon gate: warning: odd:1: expected a number as score, found '3x'")
    assert treckon("gate", "met.toml", "qrels", "odd", "--quiet", folder=folder).stderr == b""
