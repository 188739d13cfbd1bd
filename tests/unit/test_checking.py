"""Checks of runs and qrels: each kind of problem worked out, and all of them against a naive checker."""

import gzip
import io
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle_checking
import treckon
from treckon._native.checking import Checker
from treckon._native.findings import LONGEST_TEXT
from treckon._native.line_formats import LineFormat
from treckon._native.problems import PROBLEM_NAMES
from treckon._native.qrels import QrelsBuilder
from treckon.errors import InputError, ParameterError, TreckonError
from treckon.inputs import reading
from treckon.inputs.problems import ALL_KINDS, SEVERITIES
from treckon.inputs.sources import Source

NO_END = (1 << 63) - 1
LONGEST_LINE = 1 << 20  # here
FORMATS = {
    "run": LineFormat(
        ("qid", "Q0", "docno", "rank", "score", "tag"), 2, 4, "score", rank=3, allows_more=True,
        indented_comments=True, longest_line=LONGEST_LINE,
    ),
    "qrels": LineFormat(("qid", "iteration", "docno", "grade"), 2, 3, "grade", longest_line=LONGEST_LINE),
}  # fmt: skip
JUDGED = {b"q1": {b"d1": 1, b"d2": 0, b"d3": -1, b"\xc3\x9f": 2}, b"q2": {b"d%d" % i: 1 for i in range(20)}, b"q9": {}}
COLLECTION = {b"d%d" % i for i in range(12)} | {b"\xc3\x9f"}


def table(judged: dict[bytes, dict[bytes, int]]):
    builder = QrelsBuilder()
    for qid, documents in judged.items():
        builder.begin(qid)
        for docno, grade in documents.items():
            builder.add(qid, docno, grade)
    return builder.finish("10.0")


def checked(data: bytes, kind: str, cuts: list[int], limit: int, **options) -> Checker:
    """The file read in these pieces; once more, where lines of a query lie apart."""
    previous = None
    while True:
        checker = Checker(FORMATS[kind], limit, previous=previous, **options)
        for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            assert checker.feed(data[begin:end])
        checker.end()
        if previous is not None or not checker.scattered:
            return checker
        previous = checker


def assert_same(checker: Checker, expected: oracle_checking.Report, limit: int) -> None:
    found = checker.findings()
    assert {kind: count for kind, (count, _) in found.items()} == {
        kind: len(places) for kind, places in expected.places.items()
    }
    for kind, (_, places) in found.items():
        wanted = [
            (line, qid[:LONGEST_TEXT], detail[:LONGEST_TEXT], *rest)
            for line, qid, detail, *rest in expected.places[kind]
        ]
        assert sorted(places) == sorted(wanted) if len(wanted) <= limit else len(places) == limit
        assert [place[0] for place in places] == [place[0] for place in wanted[:limit]], kind
    records = sum(map(len, expected.queries.values()))
    assert checker.counts == (expected.n_lines, records, len(expected.queries))
    assert checker.tag == expected.tag
    assert checker.queries() == [(qid, one[0].line, len(one)) for qid, one in expected.queries.items()]
    assert checker.ties == (expected.groups, expected.tied, expected.across)
    assert checker.judged[:3] == expected.judged[:3]
    assert checker.judged[3] == pytest.approx(expected.judged[3])


# Against the naive checker

IDS = st.sampled_from([b"q1", b"q2", b"q10", b"\xc3\xa9", b"q" * 17, b"#q"])
DOCUMENTS = st.sampled_from(
    [b"d%d" % i for i in range(14)] + [b"\xc3\x9f", b"\xff\xfe", b"\xed\xa0\x80", b"a\x1cb", b"z" * 40, b"y" * 90]
)
RANKS = st.one_of(
    st.integers(0, 5).map(lambda n: b"%d" % n), st.sampled_from([b"1.0", b"x", b"-3", b"+2", b"99999999999999999999"])
)
SCORES = st.one_of(
    st.sampled_from([b"0.5", b"0.25", b"-0", b"0", b"1", b"0.50", b"0.1", b"0.10000000001", b"3e38", b"1e39", b"2e39"]),
    st.sampled_from([b"nan", b"inf", b"-inf", b"1e400", b"0,9", b"abc", b"0x1p3", b"1e", b"nanx", b"-1.5"]),
    st.integers(0, 40).map(lambda n: b"%.4f" % (n / 8)),
)
TAGS = st.sampled_from([b"mine"] * 8 + [b"yours", b"a" * 70])
SECOND = st.sampled_from([b"Q0"] * 8 + [b"0", b"q0"])
GRADES = st.sampled_from([b"0", b"1", b"2", b"-1", b"1.5", b"x", b"+1", b"2147483648", b"-2147483648", b"9" * 25])
BLANKS = st.sampled_from([b" "] * 20 + [b"\t"] * 3 + [b"  ", b"\v", b"\r", b"\f "])
ENDS = st.sampled_from([b"\n"] * 12 + [b"\r\n", b" \n", b"\r\r\n"])
ODD_LINES = st.sampled_from(
    [b"", b"  \t", b"# comment", b" # indented", b"#\rx", b"a\0b", b"q1 Q0 d1", b"q1 Q0 d1 1 0.5 mine more", b"\r",
     b"q1\rQ0 d1 1\rx", b"\xff", b"q1 0 d1 1 2", b"q1 0 d1"]
)  # fmt: skip


@st.composite
def _record(draw: st.DrawFn, kind: str) -> bytes:
    if kind == "run":
        fields = [draw(IDS), draw(SECOND), draw(DOCUMENTS), draw(RANKS), draw(SCORES), draw(TAGS)]
    else:
        fields = [draw(IDS), b"0", draw(DOCUMENTS), draw(GRADES)]
    blank = draw(BLANKS)
    return blank.join(fields)


@st.composite
def _orderly(draw: st.DrawFn, kind: str) -> bytes:
    """Lines of one query as they should be, but for a few: mostly read the quick way."""
    qid, n = draw(IDS), draw(st.integers(1, 12))
    score, lines = 9.0, []
    for rank in range(1, n + 1):
        score -= draw(st.sampled_from([0.25, 0.125, 0.0, 1e-9, -0.5]))
        document = draw(DOCUMENTS)
        if kind == "run":
            lines.append(b"%s Q0 %s %d %s mine" % (qid, document, rank, repr(score).encode()))
        else:
            lines.append(b"%s 0 %s %d" % (qid, document, rank % 3))
    return draw(ENDS).join(lines)


def _files(kind: str) -> st.SearchStrategy[bytes]:
    line = st.one_of(_record(kind), _record(kind), _orderly(kind), ODD_LINES)
    pieces = st.lists(st.tuples(line, ENDS).map(b"".join), max_size=12)
    return st.tuples(
        st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\xef\xbb"]), pieces.map(b"".join), st.sampled_from([b"", b"q1 0"])
    ).map(b"".join)


@st.composite
def _cut(draw: st.DrawFn, kind: str) -> tuple[bytes, list[int]]:
    data = draw(_files(kind))
    return data, sorted(draw(st.lists(st.integers(0, len(data)), max_size=6)))


@settings(max_examples=150)
@given(_cut("run"), st.sampled_from([1, 3, 1000]), st.sampled_from([None, 0, 2, 5]), st.booleans())
def test_runs_are_checked_as_the_oracle_does(cut, limit, depth, compares):
    data, cuts = cut
    options = {"depth": depth, "cutoffs": (1, 2, 5)}
    theirs = {"judged": JUDGED, "documents": COLLECTION, "tag": b"mine"} if compares else {}
    ours = {"judged": table(JUDGED), "documents": table({b"": dict.fromkeys(COLLECTION, 0)}), "tag": b"mine"}
    assert_same(
        checked(data, "run", cuts, limit, **options, **(ours if compares else {})),
        oracle_checking.check(data, "run", **options, **theirs),
        limit,
    )


@settings(max_examples=80)
@given(_cut("qrels"), st.sampled_from([1, 1000]), st.booleans())
def test_qrels_are_checked_as_the_oracle_does(cut, limit, compares):
    data, cuts = cut
    ours = {"documents": table({b"": dict.fromkeys(COLLECTION, 0)})} if compares else {}
    theirs = {"documents": COLLECTION} if compares else {}
    assert_same(checked(data, "qrels", cuts, limit, **ours), oracle_checking.check(data, "qrels", **theirs), limit)


@settings(max_examples=80)
@given(_files("run"))
def test_a_run_that_cannot_be_read_has_errors(data):
    """What the strict reader accepts may still have errors (a seventh field), but not the other way round."""
    if data:
        try:
            run = treckon.read_run(data, format="trec")
        except TreckonError:
            assert treckon.check_run(data).count("error")
        else:
            report = treckon.check_run(data, ignore=["field-count", "score-not-finite", "rank-not-integer"])
            assert report.count("error") == ("no-records" in report)
            assert report.n_queries == len(run)
            assert report.n_records == sum(map(len, run.values()))


@settings(max_examples=60)
@given(_files("qrels"))
def test_qrels_that_cannot_be_read_have_errors(data):
    if data:
        try:
            qrels = treckon.read_qrels(data, format="trec")
        except TreckonError:
            assert treckon.check_qrels(data).count("error")
        else:
            report = treckon.check_qrels(data)
            assert report.count("error") == ("no-records" in report)
            assert report.n_records == sum(map(len, qrels.values()))


def orderly_run(n_queries: int, depth: int) -> list[bytes]:
    return [
        b"q%d Q0 doc-%d %d %.3f mine" % (query, (rank * 7919 + query) % 100_003, rank + 1, 9 - rank / 200)
        for query in range(n_queries)
        for rank in range(depth)
    ]


def test_blocks_of_a_file_are_cut_anywhere(tmp_path):
    """A file of several blocks, with a problem of each kind here and there, read as a file."""
    lines = orderly_run(24, 1000)
    for i, line in enumerate(lines):
        if i % 997 == 0:
            lines[i] = line.replace(b"mine", b"yours")
        if i % 1009 == 0:
            lines[i] = line.rpartition(b" ")[0]
        if i % 1201 == 0:
            lines[i] = line + b"\r"
        if i % 1301 == 0:
            lines[i] = lines[i - 1]
        if i % 1499 == 0:
            lines[i] = line.replace(b"doc", b"d\xff")
    data = b"\n".join(lines) + b"\n"
    path = tmp_path / "run"
    path.write_bytes(data)
    assert len(data) > 2 * (256 << 10)
    checker = Checker(FORMATS["run"], 10, cutoffs=(10,))
    with path.open("rb") as file:
        checker.scan_file(file.fileno(), 0, NO_END)
    assert checker.problem is None
    assert not checker.scattered
    assert_same(checker, oracle_checking.check(data, "run", cutoffs=(10,)), 10)


@pytest.fixture
def small_shares(monkeypatch):
    """Files are cut into shares from a few hundred bytes on."""
    monkeypatch.setattr(reading, "_SHARE_SIZE", 200)


def assert_shares_change_nothing(path: Path, kind: str, threads: int) -> None:
    check = {"run": treckon.check_run, "qrels": treckon.check_qrels}[kind]
    options = {"topics": ["q1", "q2", "q7"], "docids": ["d1", "d2", "doc-1"], "places": 3}
    if kind == "run":
        options |= {"cutoffs": [1, 3], "depth": 4, "qrels": "q1 0 d1 1\nq2 0 d2 0\nq3 0 doc-7919 1\nq7 0 doc-1 0\n"}
    one, several = (check(path, threads=n, **options).to_dict() for n in (1, threads))
    assert several == one


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["run", "qrels"]), st.integers(2, 5), st.data())
def test_a_report_does_not_depend_on_threads(small_shares, tmp_path, kind, threads, data):
    parts = data.draw(st.lists(_files(kind), min_size=1, max_size=5))
    path = tmp_path / "file"
    path.write_bytes(b"\n".join(parts) or b"\n")
    assert_shares_change_nothing(path, kind, threads)


@pytest.mark.parametrize("fault", [None, b"other-tag", b"scattered", b"\xef\xbb\xbf", b"#", b"long"])
def test_shares_of_an_orderly_run(monkeypatch, tmp_path, fault):
    """Each query is whole in a share, so that several threads read it; or their reports wouldn't do, and one does."""
    monkeypatch.setattr(reading, "_SHARE_SIZE", 600)
    lines = orderly_run(60, 8)
    lines[100] = {
        None: lines[100], b"other-tag": lines[100].replace(b"mine", b"other"), b"scattered": lines[400],
        b"\xef\xbb\xbf": b"\xef\xbb\xbf" + lines[100], b"#": b"# q99", b"long": b"x" * 1500,
    }[fault]  # fmt: skip
    if fault == b"other-tag":
        lines[240:] = [line.replace(b"mine", b"other") for line in lines[240:]]
    path = tmp_path / "run"
    path.write_bytes(b"\n".join(lines))
    with Source(path) as source:
        starts = reading.query_starts(source, 4)
    assert len(starts) > 2
    data = path.read_bytes()
    for start in starts[1:]:
        before, after = data[:start].rpartition(b"\n")[0].rpartition(b"\n")[2], data[start:].partition(b"\n")[0]
        assert data[start - 1 : start] == b"\n"
        assert before.split()[0] != after.split()[0]
    for threads in (2, 3, 4, 9):
        assert_shares_change_nothing(path, "run", threads)


def test_a_query_larger_than_a_block():
    data = b"\n".join(orderly_run(1, 20_000)) + b"\n"
    assert_same(checked(data, "run", [100_000, 500_000], 5), oracle_checking.check(data, "run"), 5)


@pytest.mark.parametrize("length", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nq1 Q0 d2 2 0.4 t\n"])
@pytest.mark.parametrize("byte", [b"x", b"\r", b"\0"])
def test_long_lines_are_passed_over(length, end, byte):
    line = b"q1 Q0 d1 1 0.5 t\n" + byte * length + end
    expected = oracle_checking.check(line, "run")
    for cuts in ([], [20], [len(line) // 2], list(range(0, len(line), 400_000))):
        assert_same(checked(line, "run", cuts, 10), expected, 10)


def test_memory_does_not_grow_with_a_line():
    """A file that never ends a line: nothing is kept of it."""
    checker = Checker(FORMATS["run"], 10)
    block = b"x" * (1 << 20)
    for _ in range(40):
        checker.feed(block)
    checker.end()
    assert checker.counts == (1, 0, 0)
    assert {kind: count for kind, (count, _) in checker.findings().items()} == {
        "line-too-long": 1,
        "no-final-newline": 1,
    }


# Each kind

GOOD = "q1 Q0 d1 1 0.9 mine\nq1 Q0 d2 2 0.8 mine\nq2 Q0 d1 1 0.7 mine\n"
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"

# kind, text, line, query, words
OF_RUNS = [
    ("nul-byte", "q1 Q0 d1 1 0.5 m\nq1 Q0 d\0 2 0.4 m\n", 2, None, "expected text, found a NUL byte"),
    ("cr-line-ends", "q1 Q0 d1 1 0.5 m\rq1 Q0 d2 2 0.4 m\r\n", 1, None,
     "expected lines that end with LF or CR LF, found CR alone"),
    ("line-too-long", "q1 Q0 d1 1 0.5 m\n" + "x" * (1 << 26) + "x\n", 2, None,
     "expected a line of at most 64 MiB, found a longer one"),
    ("field-count", "q1 Q0 d1 1 0.5\n", 1, "q1", "expected 6 fields (qid Q0 docno rank score tag), found 5"),
    ("field-count", "q1 Q0 d1 1 0.5 my run\n", 1, "q1", "expected 6 fields (qid Q0 docno rank score tag), found 7"),
    ("not-utf8", b"q1 Q0 d\xe9 1 0.5 m\n", 1, "q1", "expected UTF-8, found other bytes"),
    ("byte-order-mark", "\ufeffq1 Q0 d1 1 0.5 m\n", 1, None, "expected no byte-order mark, found one"),
    ("blank-line", "q1 Q0 d1 1 0.5 m\n \t\n", 2, None, "expected a record, found a blank line"),
    ("comment-line", "# mine\nq1 Q0 d1 1 0.5 m\n", 1, None, "expected a record, found a comment"),
    ("white-space", "q1 Q0 d1\f1 0.5 m\n", 1, "q1",
     "expected fields separated by spaces or TABs, found other white space"),
    ("crlf-line-ends", "q1 Q0 d1 1 0.5 m\r\n", 1, None, "expected LF, found CR LF"),
    ("no-final-newline", "q1 Q0 d1 1 0.5 m", 1, None, "expected LF at the end of the file, found none"),
    ("no-records", "\n\n", None, None, "expected records, found none"),
    ("score-not-number", "q1 Q0 d1 1 0,9 m\n", 1, "q1", "expected a number as score, found '0,9'"),
    ("score-not-finite", "q1 Q0 d1 1 nan m\n", 1, "q1", "expected a finite number as score, found 'nan'"),
    ("score-not-finite", "q1 Q0 d1 1 1e999 m\n", 1, "q1", "expected a finite number as score, found '1e999'"),
    ("rank-not-integer", "q1 Q0 my doc 1 0.5 m\n", 1, "q1", "expected a whole number as rank, found 'doc'"),
    ("second-field", "q1 - d1 1 0.5 m\n", 1, "q1", "expected Q0 as second field, found another"),
    ("several-tags", "q1 Q0 d1 1 0.5 m\nq1 Q0 d2 2 0.4 n\n", 2, "q1",
     "expected 'm' as tag, as on the first line, found 'n'"),
    ("duplicate-document", "q1 Q0 d1 1 0.5 m\nq1 Q0 d1 2 0.4 m\n", 2, "q1",
     "expected each document once for a query, found 'd1' on line 1 too"),
    ("rank-contradicts-score", "q1 Q0 d1 1 0.5 m\nq1 Q0 d2 2 0.6 m\n", 2, "q1",
     "expected a score no higher than at rank 1 (line 1), found a higher one at rank 2"),
    ("rank-sequence", "q1 Q0 d1 1 0.5 m\nq1 Q0 d2 3 0.4 m\n", 2, "q1", "expected rank 2 next, found 3"),
    ("scores-out-of-order", "q1 Q0 d1 2 0.5 m\nq1 Q0 d2 1 0.6 m\n", 2, "q1",
     "expected a score no higher than on line 1, found a higher one"),
    ("tied-scores", "q1 Q0 d1 1 0.5 m\nq1 Q0 d2 2 0.5 m\n", 2, "q1",
     "expected scores that differ, found the score of line 1 again"),
    ("single-precision-ties", "q1 Q0 d1 1 0.50000000001 m\nq1 Q0 d2 2 0.5 m\n", 2, "q1",
     "expected a score that differs in 32 bits, found that of line 1 again"),
    ("scattered-query", "q1 Q0 d1 1 0.5 m\nq2 Q0 d1 1 0.5 m\nq1 Q0 d2 2 0.4 m\n", 3, "q1",
     "expected the lines of a query together, found some from line 1 on"),
]  # fmt: skip
OF_QRELS = [
    ("field-count", "q1 0 d1\n", 1, "q1", "expected 4 fields (qid iteration docno grade), found 3"),
    ("grade-not-integer", "q1 0 d1 0.9\n", 1, "q1", "expected a whole number as grade, found '0.9'"),
    ("grade-too-large", "q1 0 d1 4294967296\n", 1, "q1", "expected a grade of at most 32 bits, found '4294967296'"),
    ("negative-grade", "q1 0 d1 -2\nq1 0 d2 1\n", 1, "q1", "expected a grade from 0, found -2"),
    ("equal-judgements", "q1 0 d1 1\nq1 0 d1 1\n", 2, "q1",
     "expected one judgement, found 'd1' with the same grade on line 1 too"),
    ("conflicting-judgements", "q1 0 d1 1\nq1 0 d1 2\n", 2, "q1",
     "expected one judgement, found 'd1' with grade 2, and with 1 on line 1"),
    ("no-relevant-document", "q1 0 d1 0\n", 1, "q1", "expected a grade above 0, found none"),
    ("blank-line", "q1 0 d1 1\n\n", 2, None, "expected a record, found a blank line"),
    ("scattered-query", "q1 0 a 1\nq2 0 a 1\nq1 0 b 1\n", 3, "q1",
     "expected the lines of a query together, found some from line 1 on"),
]  # fmt: skip
# kind, options, line, query, words
OF_OPTIONS = [
    ("wrong-tag", {"run_tag": "ours"}, 1, "q1", "expected 'ours' as tag, found 'mine'"),
    ("too-many-documents", {"depth": 1}, 2, "q1", "expected at most 1 documents, found 2"),
    ("too-few-documents", {"depth": 2}, 3, "q2", "expected 2 documents, found 1"),
    ("unknown-document", {"docids": ["d1"]}, 2, "q1", "expected a document of the collection, found 'd2'"),
    ("missing-query", {"topics": ["q1", "q2", "q3"]}, None, "q3", "expected the query, found no line of it"),
    (
        "missing-query",
        {"qrels": {"q0": {"d": 1}, "q1": {"d": 1}}},
        None,
        "q0",
        "expected the query, found no line of it",
    ),
    ("extra-query", {"topics": ["q1"]}, 3, "q2", "expected a query of the topics, found another"),
    ("unjudged-query", {"qrels": {"q1": {"d": 1}}}, 3, "q2", "expected a judged query, found one that the qrels lack"),
]


def as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


@pytest.mark.parametrize(("kind", "text", "line", "query", "words"), OF_RUNS)
def test_kind_in_a_run(kind, text, line, query, words):
    place = treckon.check_run(as_bytes(text))[kind].places[0]
    assert (place.line, place.query, place.text) == (line, query, words)


@pytest.mark.parametrize(("kind", "text", "line", "query", "words"), OF_QRELS)
def test_kind_in_qrels(kind, text, line, query, words):
    place = treckon.check_qrels(as_bytes(text))[kind].places[0]
    assert (place.line, place.query, place.text) == (line, query, words)


@pytest.mark.parametrize(("kind", "options", "line", "query", "words"), OF_OPTIONS)
def test_kind_by_an_option(kind, options, line, query, words):
    place = treckon.check_run(GOOD, **options)[kind].places[0]
    assert (place.line, place.query, place.text) == (line, query, words)


def test_tie_across_a_cutoff():
    run = "q1 Q0 d1 1 0.9 m\nq1 Q0 d2 2 0.8 m\nq1 Q0 d3 3 0.8 m\nq1 Q0 d4 4 0.7 m\n"
    report = treckon.check_run(run, cutoffs=[3, 2, 10])
    assert report["tie-across-cutoff"].places[0].text == (
        "expected a lower score behind rank 2, found the score of line 2 again"
    )
    assert report.ties == {"queries": 1, "groups": 1, "documents": 2, "across_cutoff": {2: 1, 3: 0, 10: 0}}
    assert report.remarks() == [
        "ties: 2 documents in 1 group of 1 query; across cutoff 2: 1 query; across cutoff 3: 0 queries; "
        "across cutoff 10: 0 queries"
    ]


def test_each_kind_has_an_example_and_a_severity():
    known = set(ALL_KINDS)
    assert known == {row[0] for row in OF_RUNS + OF_QRELS + OF_OPTIONS} | {"tie-across-cutoff"}
    assert set(PROBLEM_NAMES) < known
    assert {kind.severity for kind in ALL_KINDS.values()} == set(SEVERITIES)


# The report


def test_clean_run():
    report = treckon.check_run(GOOD, qrels=QRELS, topics=["q1", "q2"], depth=None, run_tag="mine", docids=["d1", "d2"])
    assert report.clean
    assert report.problems == ()
    assert (report.n_lines, report.n_records, report.n_queries, report.tag) == (3, 3, 2, "mine")
    assert report.judged == {"queries": 2, "documents": 3, "judged": 3, "shares": {}}
    assert (
        repr(report) == "run: clean: no problems in 3 lines of 2 queries\njudged: 3 of 3 documents of 2 judged queries"
    )


def test_notes_are_clean_and_warnings_are_not():
    assert treckon.check_run(GOOD.replace("\n", "\r\n")).clean
    assert not treckon.check_run(GOOD + "\n").clean
    assert not treckon.check_run(GOOD + "q1\n").clean


def test_report_in_all_forms():
    report = treckon.check_run("q1 Q0 d1 1 0,9 mine\r\nq1 Q0 d1 2 0.8 mine\r\n\r\n", places=1)
    assert [(one.severity, one.kind, one.count) for one in report] == [
        ("error", "score-not-number", 1), ("error", "duplicate-document", 1), ("warning", "blank-line", 1),
        ("note", "crlf-line-ends", 3),
    ]  # fmt: skip
    assert len(report) == 4
    assert "blank-line" in report
    assert "nul-byte" not in report
    with pytest.raises(KeyError):
        report["nul-byte"]
    found = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert found["counts"] == {"error": 2, "warning": 1, "note": 3}
    assert found["clean"] is False
    assert found["problems"][1]["places"] == [
        {"line": 2, "query": "q1", "text": "expected each document once for a query, found 'd1' on line 1 too",
         "other_line": 1}
    ]  # fmt: skip
    assert repr(report["crlf-line-ends"]) == "<note crlf-line-ends: 3>"
    assert repr(report["blank-line"].places[0]) == (
        "ProblemPlace(line=3, query=None, text='expected a record, found a blank line', other=None)"
    )
    assert repr(report).splitlines()[:3] == [
        "run: not clean: 2 errors, 1 warning, 3 notes in 3 lines of 1 query",
        "  error score-not-number: 1",
        "    run:1: query q1: expected a number as score, found '0,9'",
    ]


def test_ids_in_messages_have_no_control_characters_and_an_end():
    report = treckon.check_run(b"q1 Q0 d1 1 \x1b[31m\xff" + b"9" * 300 + b" m\n")
    assert report["score-not-number"].places[0].text == (f"expected a number as score, found '\\x1b[31m{'9' * 194}...'")


def test_ignored_kinds_do_not_count():
    text = GOOD + "\nq1\n"
    assert treckon.check_run(text, ignore=["blank-line", "field-count", "scattered-query"]).clean
    assert treckon.check_run(text, ignore="blank-line").count("warning") == 0
    with pytest.raises(ParameterError) as caught:
        treckon.check_run(text, ignore=["blank-lines"])
    assert (
        str(caught.value) == "ignore: expected a kind of problem, found 'blank-lines' (str); did you mean blank-line?"
    )


def test_judged_documents_up_to_a_cutoff():
    """Ties by falling id, as trec_eval has them; a negative grade is no judgement."""
    run = "q1 Q0 a 1 1 m\nq1 Q0 b 2 1 m\nq1 Q0 c 3 0.5 m\nq2 Q0 a 1 1 m\n"
    report = treckon.check_run(run, qrels="q1 0 b 0\nq1 0 c -1\nq2 0 x 1\n", cutoffs=[1, 5])
    assert report.judged == {"queries": 2, "documents": 4, "judged": 1, "shares": {1: 0.5, 5: pytest.approx(1 / 6)}}
    assert report.remarks()[1] == "judged: 1 of 4 documents of 2 judged queries, judged@1 0.5000, judged@5 0.1667"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qrels", "q1 0 a 1\n"),
        ("qrels.json", '{"q1": {"a": 1}}'),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\n"),
    ],
)
def test_judgements_in_every_format(name, text, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    run = "q1 Q0 a 1 2 m\nq1 Q0 b 2 1 m\n"
    for qrels in (path, text, {"q1": {"a": 1}}, [("q1", "a", 1)]):
        assert treckon.check_run(run, qrels=qrels).judged["judged"] == 1


@pytest.mark.parametrize("threads", [-1, "2", 1.0])
def test_threads_are_a_whole_number(threads):
    message = f"^threads: expected a whole number from 0, found {threads!r}$"
    for check in (treckon.check_run, treckon.check_qrels):
        with pytest.raises(ParameterError, match=message):
            check("q1 0 a 1\n", threads=threads)


@pytest.mark.parametrize("cutoffs", [[1], [2], [10], []])
def test_judged_is_the_measure_of_that_name(cutoffs):
    run = "".join(f"q{q} Q0 d{(7 * q + 3 * i) % 11} {i} {(q * i) % 4} m\n" for q in range(1, 6) for i in range(1, 9))
    qrels = "".join(f"q{q} 0 d{i} {i % 3 - 1}\n" for q in range(1, 5) for i in range(q, 9))
    shares = treckon.check_run(run, qrels=qrels, cutoffs=cutoffs).judged["shares"]
    expected = {cutoff: treckon.evaluate(qrels, run, f"Judged@{cutoff}")[f"Judged@{cutoff}"] for cutoff in cutoffs}
    assert shares == pytest.approx(expected)


# What it takes


def test_inputs_of_every_kind(tmp_path, monkeypatch):
    text = GOOD + "\n"
    plain, packed = tmp_path / "run", tmp_path / "run.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    with plain.open() as opened:
        reports = [treckon.check_run(one) for one in (plain, str(packed), text, text.encode(), opened)]
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        reports.append(treckon.check_run("-"))
    for report in reports:
        assert report["blank-line"].places[0].line == 4
        assert report.n_lines == 4
    assert reports[-1].name == "standard input"


def test_a_pipe_with_scattered_queries_is_read_twice(tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"q1 Q0 d1 1 2 m\nq2 Q0 d1 1 1 m\nq1 Q0 d1 2 1 m\n"))
    report = treckon.check_run(path)
    assert report["duplicate-document"].places[0].other == 1
    assert report["scattered-query"].count == 1


@pytest.mark.parametrize(
    ("topics", "ids"),
    [
        ("q1\tfirst query\nq2\tsecond\n\n", ["q1", "q2"]),
        ("\ufeffq1 0 d1 1\nq1 0 d2 1\nq2 0 d1 1\n", ["q1", "q2"]),
        ("<top>\n<num> Number: q1 </num>\n<title> x\n</top>\n<top>\n<num>q2\n", ["q1", "q2"]),
        ('<topics task="x"><topic number="q1" type=\'y\'>\n<query id="z1">a</query></topic></topics>\n', ["q1", "z1"]),
        ('{"_id": "q1", "text": "x"}\n{"_id": "q2"}\n', ["q1", "q2"]),
        ('{"qid": 301}\n', ["301"]),
        (["q1", b"q2", 3], ["q1", "q2", "3"]),
        ({"q1": "text"}, ["q1"]),
    ],
)
def test_topics_of_every_kind(topics, ids):
    report = treckon.check_run("other Q0 d 1 1 m\n", topics=topics)
    assert [place.query for place in report["missing-query"].places] == ids
    assert report["extra-query"].count == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"topics": "<xml>\n</xml>\n"}, "topics: expected topics, found none"),
        ({"topics": '{"text": "q1"}\n'},
         "topics:1: expected a JSON object with a query id (query_id, qid, _id, id, number), found "
         "'{\"text\": \"q1\"}'"),
        ({"topics": 3}, "topics: expected a file of topics or query ids, found 3"),
        ({"topics": [None]}, "topics: expected text or a whole number as id, found None"),
        ({"topics": "q1\nq2\n".encode("utf-16")}, "topics:1: expected text, found a NUL byte"),
        ({"topics": b"q1\n\nq\0\n"}, "topics:3: expected text, found a NUL byte"),
        ({"docids": "d1\nd2\n".encode("utf-16")}, "docids:1: expected text, found a NUL byte"),
        ({"docids": b"d1\nd2\n" * 200_000 + b"\0"}, "docids:400001: expected text, found a NUL byte"),
        ({"docids": b"\xef\xbb\xbf\n \n"}, "docids: expected document ids, found none"),
        ({"docids": 3}, "docids: expected a file of document ids or the ids, found 3"),
        ({"docids": "/no/such/file"}, "/no/such/file: cannot read it: No such file or directory"),
    ],
)  # fmt: skip
def test_what_it_is_compared_with_is_refused(options, words):
    with pytest.raises(InputError) as caught:
        treckon.check_run(GOOD, **options)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": -1}, "depth: expected a whole number from 0 to 1000000000, found -1"),
        ({"cutoffs": [0]}, "cutoffs: expected a whole number from 1 to 1000000000, found 0"),
        ({"places": 1.5}, "places: expected a whole number from 0 to 1000000000, found 1.5"),
        ({"run_tag": "my run"}, "run_tag: expected a text without white space, found 'my run' (str)"),
    ],
)
def test_options_are_refused(options, words):
    with pytest.raises(ParameterError) as caught:
        treckon.check_run(GOOD, **options)
    assert str(caught.value) == words


def test_other_forms_are_refused():
    with pytest.raises(InputError, match=r"^run: expected a path, an open file or text in TREC's format, found "):
        treckon.check_run({"q1": {"d1": 1.0}})
    with pytest.raises(InputError, match=r"^qrels: cannot read it: it is empty$"):
        treckon.check_qrels(b"")
    with pytest.raises(InputError, match=r"^run: expected read\(\) to return bytes or text"):
        treckon.check_run(type("Stream", (io.RawIOBase,), {"read": lambda self, n: 3})())


def test_a_byte_order_mark_is_no_part_of_an_id():
    found = treckon.check_run("q1 Q0 d1 1 2 m\n", topics=b"\xef\xbb\xbfq1\n", docids=b"\xef\xbb\xbf\nd1\n")
    assert found.clean
    assert treckon.check_run("q1 Q0 d1 1 2 m\n", docids=b"\xef\xbb\xbfd1").clean


def test_documents_of_a_collection(tmp_path):
    """The ids come in blocks, with whatever line ends."""
    path = tmp_path / "docids.gz"
    path.write_bytes(gzip.compress(b"\n".join(b"d%d title" % i for i in range(200_000)) + b"\r\nlast"))
    run = "q1 Q0 d0 1 5 m\nq1 Q0 d131072 2 4 m\nq1 Q0 d199999 3 3 m\nq1 Q0 last 4 2 m\nq1 Q0 d200000 5 1 m\n"
    report = treckon.check_run(run, docids=path)
    assert [(place.line, place.text) for place in report["unknown-document"].places] == [
        (5, "expected a document of the collection, found 'd200000'")
    ]


def test_no_place_is_kept_where_none_is_asked_for():
    report = treckon.check_run(GOOD + "\n\n", places=0)
    assert report["blank-line"].count == 2
    assert report["blank-line"].places == ()
