"""`treckon check`: what it prints, and how it ends."""

import json

import pytest

import treckon as package
from treckon.inputs.problems import ALL_KINDS

GOOD = "q1 Q0 d1 1 0.9 mine\nq1 Q0 d2 2 0.8 mine\n"
BAD = "q1 Q0 d1 1 0.9 mine\r\nq1 Q0 d1 2 0,8 mine\r\n\nq2 Q0 d1 1 0.5 mine\nq2 Q0 d2 2 0.5 mine\n"
HEAD = "place\tseverity\tkind\tquery\tproblem\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good").write_text(GOOD)
    (tmp_path / "bad").write_bytes(BAD.encode())
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq3 0 d1 1.5\n")
    return tmp_path


def test_a_clean_run(treckon, folder):
    status, shown, messages = treckon("check", "good", folder=folder)
    assert (status, shown.decode()) == (0, HEAD)
    assert messages == b"treckon check: good: clean: no problems in 2 lines of 1 query\n"


def test_a_run_with_problems(treckon, folder):
    status, shown, messages = treckon("check", "bad", "--cutoff", "1,5", "--qrels", "qrels", folder=folder)
    assert status == 1
    assert shown.decode() == HEAD + (
        "bad:2\terror\tscore-not-number\tq1\texpected a number as score, found '0,8'\n"
        "bad:2\terror\tduplicate-document\tq1\texpected each document once for a query, found 'd1' on line 1 too\n"
        "bad:3\twarning\tblank-line\t\texpected a record, found a blank line\n"
        "bad:5\twarning\ttie-across-cutoff\tq2\texpected a lower score behind rank 1, found the score of line 4 again\n"
        "bad\twarning\tmissing-query\tq3\texpected the query, found no line of it\n"
        "bad:1\tnote\tcrlf-line-ends\t\texpected LF, found CR LF\n"
        "bad:2\tnote\tcrlf-line-ends\t\texpected LF, found CR LF\n"
        "bad:5\tnote\ttied-scores\tq2\texpected scores that differ, found the score of line 4 again\n"
        "bad:4\tnote\tunjudged-query\tq2\texpected a judged query, found one that the qrels lack\n"
    )
    assert messages.decode().splitlines() == [
        "treckon check: ties: 2 documents in 1 group of 1 query; across cutoff 1: 1 query; across cutoff 5: 0 queries",
        "treckon check: judged: 2 of 2 documents of 1 judged query, judged@1 1.0000, judged@5 1.0000",
        "treckon check: bad: not clean: 2 errors, 3 warnings, 4 notes in 5 lines of 2 queries",
    ]
    assert treckon("check", "bad", "--quiet", folder=folder).stderr == b""


def test_places_that_are_not_shown_are_counted(treckon, folder):
    (folder / "long").write_text("q1\n" * 12)
    lines = treckon("check", "long", "--places", "2", folder=folder).stdout.decode().splitlines()
    assert lines[1:] == [
        "long:1\terror\tfield-count\tq1\texpected 6 fields (qid Q0 docno rank score tag), found 1",
        "long:2\terror\tfield-count\tq1\texpected 6 fields (qid Q0 docno rank score tag), found 1",
        "long\terror\tfield-count\t\t10 more",
        "long\terror\tno-records\t\texpected records, found none",
    ]


def test_json_is_the_report(treckon, folder):
    status, shown, _ = treckon("check", "bad", "--topics", "good", "--format", "json", folder=folder)
    assert status == 1
    assert json.loads(shown) == package.check_run("bad", topics=["q1"]).to_dict()


def test_qrels(treckon, folder):
    status, shown, messages = treckon("check", "--kind", "qrels", "qrels", folder=folder)
    assert (status, shown.decode()) == (
        1, HEAD + "qrels:2\terror\tgrade-not-integer\tq3\texpected a whole number as grade, found '1.5'\n"
    )  # fmt: skip
    assert messages == b"treckon check: qrels: not clean: 1 error in 2 lines of 2 queries\n"


def test_kinds_can_be_ignored_and_are_explained(treckon, folder):
    ignored = ["score-not-number", "duplicate-document", "blank-line"]
    options = [part for kind in ignored for part in ("--ignore", kind)]
    assert treckon("check", "bad", *options, folder=folder).status == 0
    shown = treckon("check", "--explain").stdout.decode().splitlines()
    assert [line.split("\t")[:2] for line in shown[1:]] == [[one.name, one.severity] for one in ALL_KINDS.values()]


def test_options(treckon, folder):
    (folder / "ids").write_text("d1\n")
    arguments = ("--run-tag", "ours", "--depth", "1", "--docids", "ids", "--format", "json")
    found = json.loads(treckon("check", "good", *arguments, folder=folder).stdout)
    assert {one["kind"]: one["count"] for one in found["problems"]} == {
        "wrong-tag": 2, "too-many-documents": 1, "unknown-document": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none"], "none: cannot read it: No such file or directory"),
        ([], "expected a file to check (see treckon check --help)"),
        (["qrels", "--kind", "qrels", "--depth", "5"], "--depth: for runs only"),
        (["qrels", "--kind", "qrels", "--depth", "0"], "--depth: for runs only"),
        (["qrels", "--kind", "qrels", "--cutoff", "5"], "--cutoff: for runs only"),
        (["good", "--ignore", "tied-score"],
         "ignore: expected a kind of problem, found 'tied-score' (str); did you mean tied-scores?"),
        (["good", "--cutoff", "x"],
         "argument --cutoff: expected a whole number from 0, found 'x' (see treckon check --help)"),
        (["good", "--cutoff", "0"], "cutoffs: expected a whole number from 1 to 1000000000, found 0"),
        (["good", "--qrels", "bad"], "bad:1: expected 4 fields (qid iteration docno grade), found 6"),
    ],
)  # fmt: skip
def test_errors(arguments, words, treckon, folder):
    status, shown, messages = treckon("check", *arguments, folder=folder)
    assert (status, shown) == (2, b"")
    assert messages.decode() == f"treckon check: {words}\n"
