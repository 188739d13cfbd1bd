"""The scanner against a naive reader: the same records, problems and counts wherever blocks and shares are cut.

The naive reader splits by lines and white space in plain Python. What the scanner read is seen through the values that
it leaves: the grade at each rank of each query (`relstring`), the documents retrieved, and what a scan counts.
"""

import locale
import os
import random
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import oracle_files
from treckon._native.numbers import integer_prefix, real_prefix
from treckon._native.plans import Plan
from treckon._native.qrels import QrelsBuilder
from treckon._native.results import Results
from treckon._native.scans import QrelsScan, RunScan
from treckon.inputs.formats.trec import LINES
from treckon.naming import trec_eval as names

RELEASES = ("9.0.8", "10.0")
BLANKS = b" \t\v\f\r"  # LF ends a record, so it is no blank within one
BOM = b"\xef\xbb\xbf"
NO_END = (1 << 63) - 1
BLOCK = 256 << 10  # what a scan reads from a file at a time

QUERIES = [b"q1", b"q2", b"q10", "é".encode(), b"q" * 17, b"#q"]
#: The judged documents of each query; the one in place i has grade i. 64 bytes are as far as the quick way looks.
JUDGED = [b"d1", b"D", b"doc-10", b"x#1", "ß".encode(), b"\xff\xfe", b"a\x1cb", b"a\x01", b"z" * 40, b"y" * 90]
UNJUDGED = [b"u1", b"u2", b"d10", b"w" * 64, b"\xa0", b"\x85", b"#"]


# The naive reader


class Seen(NamedTuple):
    """What became of a run; of one with a problem, the problem alone."""

    problem: tuple[str, int, int] | None = None  # kind, position of the line, number found
    n_lines: int = 0
    doubts: tuple[int, int | None] = (0, None)  # how many, position of the first one's line
    tag: bytes | None = None
    first_query: bytes | None = None
    duplicate: tuple[bytes, bytes] | None = None  # query, document
    grades: dict[bytes, tuple[int, str]] | None = None  # query -> documents retrieved, grade at each rank


def records(data: bytes, n_fields: int, exact: bool, comments: str) -> Iterator[tuple[int, list[bytes] | tuple]]:
    """Position and fields of each record; in place of the fields of a malformed one, (kind, number found)."""
    start = len(BOM) if data.startswith(BOM) else 0
    for line in data[start:].split(b"\n"):
        position, start = start, start + len(line) + 1
        fields = line.split()
        if b"\0" in line:
            yield position, ("nul-byte", 0)
        elif not fields:
            continue
        elif comments and (line if comments == "first column" else line.lstrip()).startswith(b"#"):
            if b"\r" in line.rstrip():  # lines that end with CR alone would all be part of the comment
                yield position, ("cr-line-ends", 0)
        elif len(fields) < n_fields or (len(fields) > n_fields and (exact or b"\r" in line.rstrip())):
            yield position, ("cr-line-ends" if b"\r" in line.rstrip() else "field-count", len(fields))
        else:
            yield position, fields


def expected_of_run(data: bytes, release: str, strict: bool = False) -> Seen:
    """The naive reader's view of a run."""
    listed: dict[bytes, list[tuple[bytes, float]]] = {}
    tag, doubts, n = None, [], 0
    for position, fields in records(data, 6, False, "" if release == "9.0.8" else "anywhere"):
        if isinstance(fields, tuple):
            return Seen((fields[0], position, fields[1]))
        query, _, docno, _, text, tag = fields[:6]
        number = oracle_files.REAL.match(text)
        if number is not None and b"nan" in number.group().lower():
            return Seen(("score-not-number", position, 0))
        if number is None or number.end() < len(text):
            if strict:
                return Seen(("score-not-number", position, 0))
            doubts.append(position)
        listed.setdefault(query, []).append((docno, oracle_files.stored(oracle_files.real(text), release)))
        n += 1
    twice = {query: docno for query, ranked in listed.items() if (docno := first_repeat(ranked)) is not None}
    judged_twice = sorted(set(twice) & set(QUERIES))
    return Seen(
        None,
        n,
        (len(doubts), doubts[0] if doubts else None),
        tag,
        next(iter(listed), None),
        (judged_twice[0], twice[judged_twice[0]]) if judged_twice else None,
        {query: grades_of(ranked) for query, ranked in listed.items() if query in QUERIES and query not in twice},
    )


def first_repeat(listed: list[tuple[bytes, float]]) -> bytes | None:
    seen: set[bytes] = set()
    for docno, _ in listed:
        if docno in seen:
            return docno
        seen.add(docno)
    return None


def grades_of(listed: list[tuple[bytes, float]]) -> tuple[int, str]:
    ranked = oracle.ranking(listed, len(listed))
    return len(ranked), "".join(str(JUDGED.index(docno)) if docno in JUDGED else "-" for docno in ranked)


# The scanner


def judgements() -> QrelsBuilder:
    builder = QrelsBuilder()
    for query in QUERIES:
        for grade, docno in enumerate(JUDGED):
            builder.add(query, docno, grade)
    return builder


ASKED = names.request(["num_ret", "relstring.1000000000"], "10.0").measures
QRELS = {release: judgements().finish(release) for release in RELEASES}
RESULTS = {
    release: Results(
        QRELS[release],
        Plan([(one.record.kernel, one.parameters, False, None) for one in ASKED], release_9=release == "9.0.8"),
    )
    for release in RELEASES
}

#: Reads all of the data into the scans.
Reading = Callable[[list[RunScan]], None]


def seen_by_scans(read: Reading, n_shares: int, release: str, strict: bool = False) -> Seen:
    """What scans see of a run; as the command does, with a second scan where lines of a query lie apart."""
    results = RESULTS[release]
    results.forget()
    scans = [RunScan(results, LINES["run"], strict) for _ in range(n_shares)]
    read(scans)
    first_query = next((scan.first_query for scan in scans if scan.first_query is not None), None)
    if any(scan.scattered for scan in scans):
        scans = [RunScan(results, LINES["run"], strict, gather=True)]
        read(scans)
        if scans[0].problem is None:
            scans[0].finish_gathering()
    problem = next((scan.problem for scan in scans if scan.problem is not None), None)
    if problem is not None:
        return Seen(problem)
    doubts = [scan.partial_values for scan in scans if scan.partial_values[0]]
    duplicate = min((scan.duplicate for scan in scans if scan.duplicate is not None), default=None)
    return Seen(
        None,
        sum(scan.n_records for scan in scans),
        (sum(n for n, _ in doubts), min((position for _, position in doubts), default=None)),
        next((scan.tag for scan in reversed(scans) if scan.tag is not None), None),
        first_query,
        None if duplicate is None else (QRELS[release].query_id(duplicate[0]), duplicate[1]),
        {
            QRELS[release].query_id(number): (int(row[0]), row[1].decode())
            for number in results.evaluated()
            for row in [results.row(number)]
            if row[0]  # 0 where a document stands twice: not evaluated
        },
    )


def fed(pieces: Iterable[bytes], release: str, strict: bool = False) -> Seen:
    """What a scan sees of a stream that comes in these pieces."""
    pieces = list(pieces)

    def read(scans: list[RunScan]) -> None:
        for piece in pieces:
            if not scans[0].feed(piece):
                break
        scans[0].end()

    return seen_by_scans(read, 1, release, strict)


def shared(fd: int, cuts: list[int], release: str, strict: bool = False) -> Seen:
    """What scans see of the shares of a file between these cuts, and of all of it where lines of a query lie apart."""

    def read(scans: list[RunScan]) -> None:
        bounds = [0, *cuts, NO_END] if len(scans) > 1 else [0, NO_END]
        for scan, begin, end in zip(scans, bounds, bounds[1:], strict=False):
            scan.scan_file(fd, begin, end)

    return seen_by_scans(read, len(cuts) + 1, release, strict)


class File:
    """A file with changing contents."""

    def __init__(self, path: Path) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT)

    def write(self, data: bytes) -> int:
        os.ftruncate(self.fd, 0)
        os.pwrite(self.fd, data, 0)
        return self.fd


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    file = File(tmp_path / "run")
    yield file
    os.close(file.fd)


# Where blocks and shares are cut


def line(query: bytes, docno: bytes, score: bytes | int, tag: bytes = b"t") -> bytes:
    return b"%b Q0 %b 1 %b %b\n" % (query, docno, score if isinstance(score, bytes) else b"%d" % score, tag)


A, B, C = (line(b"q1", docno, 9 - i) for i, docno in enumerate([b"d1", b"doc-10", b"D"]))
OTHER = line(b"q2", b"x#1", 3, b"other") + line(b"q2", b"D", 2, b"last")
EXTRA = line(b"not-judged", b"D", 1)

SAMPLES = {
    "one query": A + B + C,
    "two queries": A + B + C + OTHER,
    "three queries, the last one not judged": A + OTHER + EXTRA,
    "each line another query": A + EXTRA + OTHER + line(b"q10", b"D", 1),
    "no LF at the end": (A + B + OTHER)[:-1],
    "one line without LF": A[:-1],
    "CR LF": (A + B + C + OTHER).replace(b"\n", b"\r\n"),
    "CR LF, no LF at the end": (A + B + OTHER).replace(b"\n", b"\r\n")[:-1],
    "CR LF on every other line": A + B.replace(b"\n", b"\r\n") + C + OTHER.replace(b"\n", b"\r\n"),
    "byte-order mark": BOM + A + B + OTHER,
    "byte-order mark and blanks": BOM + b"  " + A + B + OTHER,
    "part of a byte-order mark": BOM[:2] + A + B,
    "nothing but a byte-order mark": BOM,
    "blank lines": b"\n" + A + b"\n\r\n" + B + b" \t\n\n" + OTHER + b"\n\n",
    "nothing but blanks": b" \n\r\n\t \v\f\n ",
    "comments": b"# one\n" + A + b"#\n # two Q0 d1 1 1 t\n" + B + b"#q1 Q0 d1 1 1 t\n" + OTHER + b"# end",
    "blanks of every kind": A.replace(b" ", b"\t") + B.replace(b" ", b" \v\f\r\t ") + b" \f" + C + OTHER,
    "more fields": A[:-1] + b" more\n" + B[:-1] + b" and more \n" + OTHER,
    "ties": line(b"q1", b"d1", 1) + line(b"q1", b"D", 1) + line(b"q1", b"doc-10", 1) + line(b"q1", b"u1", 1) + OTHER,
    "rising scores": C + B + A + OTHER,
    "lines of a query apart": A + OTHER + B + EXTRA + C,
    "lines of a query that isn't judged apart": EXTRA + A + EXTRA + OTHER,
    "a document twice": A + B + A + OTHER,
    "a document twice, lines of its query apart": A + OTHER + B + A,
    "scores that are no numbers": A + line(b"q1", b"D", b"abc") + line(b"q1", b"doc-10", b"0,9") + OTHER,
    "a score that is no number first in its query": A + line(b"q2", b"D", b"2.5x") + OTHER.replace(b" D ", b" u1 "),
    "too few fields": A + B + b"q1 Q0 D 1\n" + OTHER,
    "too few fields between two queries": A + B + b"q2\n" + OTHER,
    "too few fields on the last line": A + OTHER + b"q2 Q0 d1 1 2",
    "NUL": A + B + b"q1 Q0 D\0 1 1 t\n" + OTHER,
    "NUL between two queries": A + b"\0\n" + OTHER,
    "NUL at the end": A + OTHER + b"\0",
    "NaN": A + B + line(b"q1", b"D", b"nan") + OTHER,
    "CR alone": (A + B + C).replace(b"\n", b"\r"),
    "CR alone, after good lines": A + (B + C).replace(b"\n", b"\r") + b"\n" + OTHER,
    "two problems": A + b"short\n" + OTHER + b"\0\n",
}

every_sample = pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)
both_releases = pytest.mark.parametrize("release", RELEASES)


@both_releases
@every_sample
def test_samples_are_read_as_the_naive_reader_does(data: bytes, release: str, file: File):
    fd = file.write(data)
    for strict in (False, True):
        expected = expected_of_run(data, release, strict)
        assert fed([data], release, strict) == expected
        assert shared(fd, [], release, strict) == expected


@both_releases
@every_sample
def test_a_stream_may_be_cut_at_every_offset(data: bytes, release: str):
    expected = expected_of_run(data, release)
    for cut in range(len(data) + 1):
        assert fed([data[:cut], data[cut:]], release) == expected, cut


@both_releases
@every_sample
def test_a_stream_may_come_in_pieces_of_every_size(data: bytes, release: str):
    expected = expected_of_run(data, release)
    for size in range(1, len(data) + 1):
        pieces = [data[i : i + size] for i in range(0, len(data), size)]
        assert fed(pieces, release) == expected, size


@both_releases
@every_sample
def test_a_file_may_be_shared_at_every_offset(data: bytes, release: str, file: File):
    fd = file.write(data)
    expected = expected_of_run(data, release)
    for cut in range(1, len(data) + 2):
        assert shared(fd, [cut], release) == expected, cut


@pytest.mark.parametrize(
    "name",
    [
        "two queries",
        "each line another query",
        "comments",
        "lines of a query apart",
        "too few fields between two queries",
    ],
)
def test_a_file_may_be_shared_at_any_two_offsets(name: str, file: File):
    data = SAMPLES[name]
    fd = file.write(data)
    expected = expected_of_run(data, "10.0")
    for first in range(1, len(data), 2):
        for second in range(first, len(data) + 1, 3):
            assert shared(fd, [first, second], "10.0") == expected, (first, second)


@every_sample
def test_a_file_may_be_shared_byte_by_byte(data: bytes, file: File):
    """More shares than lines: most have nothing of their own."""
    fd = file.write(data)
    assert shared(fd, list(range(1, len(data))), "10.0") == expected_of_run(data, "10.0")


@pytest.mark.parametrize("name", [name for name in SAMPLES if "byte-order mark" not in name])
def test_a_block_of_a_file_may_end_anywhere(name: str, file: File):
    """A blank line moves the sample over the end of the first block that is read."""
    data = SAMPLES[name]
    for offset in range(1, len(data) + 2, 2 if len(data) > 150 else 1):
        moved = b" " * (BLOCK - offset - 1) + b"\n" + data
        assert shared(file.write(moved), [], "10.0") == expected_of_run(moved, "10.0"), offset


def test_a_query_may_be_larger_than_many_blocks(file: File):
    """20,000 regular lines of one query, which stay in memory until it ends; and of two queries by turns."""
    rng = random.Random(1)
    documents = [*JUDGED[:9], *(b"u%d" % i for i in range(20000))]
    rng.shuffle(documents)
    one = b"".join(line(b"q1", docno, 30000 - i) for i, docno in enumerate(documents))
    turns = b"".join(line(query, docno, rng.randrange(100)) for docno in documents for query in (b"q1", b"q2"))
    for data in (one + OTHER, OTHER + one, turns):
        expected = expected_of_run(data, "10.0")
        fd = file.write(data)
        assert shared(fd, [], "10.0") == expected
        assert shared(fd, [len(data) // 3, len(data) // 2], "10.0") == expected
        assert fed([data[i : i + 65536] for i in range(0, len(data), 65536)], "10.0") == expected


# Lines


def test_lines_around_the_reach_of_the_quick_way():
    """Fields of every length about 64 bytes, behind a line that begins alike."""
    for length in range(1, 75):
        for tag in (b"t", b"tag" * 20):
            data = A + line(b"q1", b"d" * length, b"0." + b"5" * (length % 30), tag) + B
            assert fed([data], "10.0") == expected_of_run(data, "10.0"), length


def test_lines_that_begin_nearly_alike():
    """A change of each byte of a line's start, which the quick way compares with the line before."""
    for length in (1, 2, 7, 8, 9, 12, 13, 14, 20, 40):
        query = b"q" * length
        first, second = line(query, b"D", 2), line(query, b"d1", 1)
        for i in range(length + 4):
            for byte in b"r #\t\n\0\xff":
                data = first + second[:i] + bytes([byte]) + second[i + 1 :] + first
                assert fed([data], "10.0") == expected_of_run(data, "10.0"), data


@pytest.mark.parametrize("blank", [b" ", b"\t"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \n"])
def test_lines_with_a_field_too_few_and_a_blank_too_many(blank: bytes, end: bytes):
    """Two blanks in a row are one, whatever the number of blanks looks like."""
    for more in ([], [b"more"]):
        fields = [b"q1", b"Q0", b"D", b"2", b"5", b"t", *more]
        regular = blank.join(fields[:6]) + end
        for i in range(len(fields)):
            for j in range(i, len(fields)):
                odd = blank.join(b"" if k in (i, j) else field for k, field in enumerate(fields)) + end
                data = regular.replace(b"D", b"d1") + odd + regular.replace(b"D", b"x#1")
                assert fed([data], "10.0") == expected_of_run(data, "10.0"), data


@both_releases
def test_any_byte_anywhere_in_a_line(release: str):
    """Only six bytes are white space; 0x1C, 0x85, 0xA0 and other controls are ordinary, NUL is refused."""
    for i in range(len(B)):
        for byte in [*range(34), 35, 48, 127, 128, 133, 160, 255]:
            data = A + B[:i] + bytes([byte]) + B[i + 1 :] + C
            assert fed([data], release) == expected_of_run(data, release), data


def test_a_comment_in_column_1_among_lines_of_a_query_that_looks_like_it():
    """In judgements a # behind blanks is data, so a query may be called #q; in column 1 it begins a comment still."""
    data = b" #q 0 D 1\n#q 0 d1 1\n #q 0 d2 1\n"
    assert scanned_qrels([data], "qrels", "10.0") == {b"#q": [(b"D", 1), (b"d2", 1)]}
    assert scanned_qrels([data], "qrels", "9.0.8") == {b"#q": [(b"D", 1), (b"d1", 1), (b"d2", 1)]}


@pytest.mark.parametrize("field", range(7))
def test_fields_of_25000_bytes(field: int, file: File):
    fields = [b"q1", b"Q0", b"d1", b"1", b"5", b"tag", b"more"]
    fields[field] = fields[field] + (b"0" if field == 4 else b"x") * 25000
    data = A + b" ".join(fields[: max(6, field + 1)]) + b"\n" + B.replace(b"q1", fields[0]) + OTHER
    expected = expected_of_run(data, "10.0")
    assert fed([data], "10.0") == expected
    assert fed([data[i : i + 777] for i in range(0, len(data), 777)], "10.0") == expected
    fd = file.write(data)
    for cut in (1, len(A), len(A) + 100, 12000, len(data) - len(OTHER), len(data) - 3):
        assert shared(fd, [cut], "10.0") == expected


@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_lines_longer_than_blocks(size: int, file: File):
    for long in (b"#" + b"x" * size, b" " * size, A[:-1] + b" " + b"y" * size, A[:-1] + b" z" * (size // 2)):
        data = B + long + b"\n" + C + OTHER
        expected = expected_of_run(data, "10.0")
        fd = file.write(data)
        assert shared(fd, [], "10.0") == expected
        assert shared(fd, [len(data) // 2], "10.0") == expected


def test_a_long_line_in_small_pieces(file: File):
    """Each piece is searched for the line's end, not all of the line again: that would take minutes."""
    data = A + b"q1 Q0 doc-10 1 5 " + b"t" * (8 << 20) + b"\n" + OTHER
    assert fed((data[i : i + 1024] for i in range(0, len(data), 1024)), "10.0") == expected_of_run(data, "10.0")


# Random files


def random_run(rng: random.Random) -> bytes:
    """Mostly regular lines of a few queries; how much else there is varies from file to file."""
    odd = rng.choice([0.0, 0.02, 0.1, 0.3])
    malformed = rng.choice([0.0, 0.0, 0.01, 0.05])
    end = rng.choice([b"\n", b"\n", b"\r\n"])
    lines = []
    for _ in range(rng.randrange(6)):
        query = rng.choice([*QUERIES, b"not-judged", b"q"])
        documents = rng.sample(JUDGED + UNJUDGED, rng.randrange(1, 9))
        if rng.random() < 0.1:
            documents.append(rng.choice(documents))
        scores = sorted((random_score(rng, odd, malformed) for _ in documents), key=oracle_score, reverse=True)
        if rng.random() < 0.3:
            rng.shuffle(scores)
        iteration, tag = rng.choice([b"Q0", b"0"]), rng.choice([b"t", b"tag", b"\xe9t", b"#"])
        for docno, score in zip(documents, scores, strict=True):
            fields = [query, iteration, docno, b"1", score, tag]
            if rng.random() < odd:
                fields.append(rng.choice([b"more", b"#", b"7 8"]))
            if rng.random() < malformed:
                fields = rng.choice([fields[:5], fields[:1], [*fields, b"\0"], [b"a\rb\rc\rd", *fields]])
            lines.append(joined(rng, fields, odd) + (rng.choice([b"\n", b"\r\n"]) if rng.random() < odd else end))
            if rng.random() < odd:
                lines.append(rng.choice([b"\n", b" \r\n", b"# comment\n", b" \t# comment\n", b"#q Q0 D 1 1 t\n"]))
    if rng.random() < 0.2:
        rng.shuffle(lines)
    data = b"".join(lines)
    if rng.random() < 0.3:
        data = data[:-1]
    return BOM + data if rng.random() < 0.1 else data


def random_score(rng: random.Random, odd: float, malformed: float) -> bytes:
    if rng.random() < malformed:
        return rng.choice([b"nan", b"-NaN", b"nanx"])
    if rng.random() < odd:
        return rng.choice([b"abc", b"1,5", b"2.5abc", b"1e", b"0x1p3", b"-inf", b"Infinity", b"1e400", b"--3", b"."])
    return rng.choice(
        [
            b"%d" % rng.randrange(5),
            b"%.4f" % rng.random(),
            b"%.17g" % rng.uniform(-9, 9),
            rng.choice([b"16777216", b"16777217", b"1.00000001", b"1.00000002", b"1e39", b"1e40", b"-0", b"1e-46"]),
        ]
    )


def oracle_score(text: bytes) -> float:
    return 0.0 if b"nan" in text.lower() else oracle_files.real(text)


def joined(rng: random.Random, fields: list[bytes], odd: float) -> bytes:
    """A line of these fields with single blanks, or with any white space between them and around."""
    if rng.random() >= odd:
        return b" ".join(fields)

    def blank(least: int) -> bytes:
        return bytes(rng.choice(BLANKS) for _ in range(rng.randrange(least, 4)))

    return blank(0) + b"".join(field + blank(1) for field in fields[:-1]) + fields[-1] + blank(0)


@pytest.mark.parametrize("seed", range(8))
def test_random_runs_in_random_pieces_and_shares(seed: int, file: File):
    rng = random.Random(seed)
    n_problems = n_scattered = 0
    for _ in range(250):
        data, release, strict = random_run(rng), rng.choice(RELEASES), rng.random() < 0.2
        expected = expected_of_run(data, release, strict)
        n_problems += expected.problem is not None
        n_scattered += expected.duplicate is not None
        cuts = sorted(rng.randrange(1, len(data) + 2) for _ in range(rng.randrange(4)))
        pieces = [data[i:j] for i, j in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        assert fed([data], release, strict) == expected, data
        assert fed(pieces, release, strict) == expected, (data, cuts)
        assert shared(file.write(data), cuts, release, strict) == expected, (data, cuts)
    assert 10 < n_problems < 240 and n_scattered, "the files are all alike"


# Judgements


def scanned_qrels(pieces: Iterable[bytes], format: str, release: str, strict: bool = False):
    """query -> (document, grade) as listed, -1 for a negative grade; or the problem."""
    builder = QrelsBuilder()
    scan = QrelsScan(builder, LINES[format], release == "9.0.8", strict)
    for piece in pieces:
        if not scan.feed(piece):
            break
    scan.end()
    if scan.problem is not None:
        return scan.problem
    table = builder.finish(release, format == "qrels_jg")
    found = {
        query: [(docno, max(grade, -1)) for docno, grade in table.judgements(number)]
        for number, query in enumerate(table.query_ids())
    }
    assert list(found) == sorted(found)
    assert scan.n_records == sum(map(len, found.values()))
    return found


def expected_of_qrels(data: bytes, format: str, release: str, strict: bool):
    listed: dict[bytes, dict[bytes, list[tuple[bytes, int]]]] = {}
    for position, fields in records(data, 4, True, "" if release == "9.0.8" else "first column"):
        if isinstance(fields, tuple):
            return fields[0], position, fields[1]
        query, group, docno, text = fields
        number = re.match(rb"[+-]?[0-9]+", text)
        grade = int(number.group()) if number else 0
        if not -(2**31) <= grade < 2**31:
            return "grade-too-large", position, 0
        if strict and (number is None or number.end() < len(text)):
            return "grade-not-integer", position, 0
        groups = listed.setdefault(query, {})
        groups.setdefault(group if format == "qrels_jg" else b"", []).append((docno, max(grade, -1)))
    return {
        query: [one for _, judged in sorted(groups.items()) for one in judged]
        for query, groups in sorted(listed.items())
    }


def random_qrels(rng: random.Random) -> bytes:
    odd = rng.choice([0.0, 0.05, 0.3])
    malformed = rng.choice([0.0, 0.0, 0.02])
    lines = []
    for _ in range(rng.randrange(6)):
        query = rng.choice(QUERIES)
        for docno in rng.sample(JUDGED + UNJUDGED, rng.randrange(1, 12)):
            grade = rng.choice([b"0", b"1", b"2", b"-1", b"+1", b"2147483647", b"-2147483648"])
            if rng.random() < odd:
                grade = rng.choice([b"1.5", b"abc", b"0x10", b"1e3", b"-", b"1abc", b"007"])
            fields = [query, rng.choice([b"0", b"g1", b"g2"]), docno, grade]
            if rng.random() < malformed:
                fields = rng.choice([fields[:3], [*fields, b"x"], [*fields[:3], b"2147483648"], [*fields, b"\0"]])
            lines.append(joined(rng, fields, odd) + (b"\r\n" if rng.random() < odd else b"\n"))
            if rng.random() < odd:
                lines.append(rng.choice([b"\n", b" \t\n", b"# comment\n", b" # 0 D 1\n", b"#q 0 D 1\n"]))
    if rng.random() < 0.3:
        rng.shuffle(lines)
    data = b"".join(lines)
    return data[:-1] if rng.random() < 0.3 else data


@pytest.mark.parametrize("format", ["qrels", "qrels_jg"])
def test_random_judgements_in_random_pieces(format: str):
    rng = random.Random(format)
    for _ in range(600):
        data, release, strict = random_qrels(rng), rng.choice(RELEASES), rng.random() < 0.2
        expected = expected_of_qrels(data, format, release, strict)
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(4)))
        pieces = [data[i:j] for i, j in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        assert scanned_qrels([data], format, release, strict) == expected, data
        assert scanned_qrels(pieces, format, release, strict) == expected, (data, cuts)


def test_judgements_byte_by_byte():
    data = b"".join(b"q%d 0 doc-%d %d\n" % (i % 7, i, i % 4) for i in range(200)) + b"# end"
    expected = expected_of_qrels(data, "qrels", "10.0", False)
    assert scanned_qrels([data[i : i + 1] for i in range(len(data))], "qrels", "10.0") == expected


def test_doubtful_grades_are_counted():
    scan = QrelsScan(QrelsBuilder(), LINES["qrels"])
    scan.feed(b"q 0 a 1\nq 0 b 1.5\nq 0 c x\n")
    scan.end()
    assert (scan.partial_values, scan.n_records, scan.problem) == ((2, 8), 3, None)


# Reading stops


def test_a_stream_ends_the_scan_as_soon_as_a_line_is_refused():
    scan = RunScan(RESULTS["10.0"], LINES["run"])
    assert scan.feed(A) is True
    assert scan.feed(b"short\n") is False
    assert scan.feed(B) is False
    scan.end()
    assert scan.problem == ("field-count", len(A), 1)


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path):
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        scan = RunScan(RESULTS["10.0"], LINES["run"])
        scan.scan_file(folder, 0, NO_END)
        kind, _, number = scan.problem
        assert (kind, os.strerror(number)) == ("read-failed", "Is a directory")
    finally:
        os.close(folder)


def test_a_cancelled_scan_reads_nothing(file: File):
    fd = file.write(A + OTHER)
    scan = RunScan(RESULTS["10.0"], LINES["run"])
    scan.cancel()
    scan.scan_file(fd, 0, NO_END)
    assert (scan.n_records, scan.problem) == (0, None)


# Numbers


def bits(number: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def assert_read_to_the_bit(text: str) -> None:
    value, whole = real_prefix(text)
    assert whole and bits(value) == bits(float(text)), (text, value, float(text))


HARD = [
    "0", "-0", "+0", "0.0", "-0.0e5", "000", "00.10", "5.", ".5", "-.5e-1", "+1.5E+3", "0e999999", "0.000e-9999999999",
    "1e22", "1e23", "1e-22", "1e-23", "8.5e22", "9007199254740993", "9007199254740992.5", "9007199254740993.0000000001",
    "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e308", "1e309", "1e400", "-1e400",
    "1e99999999999999999999", "1e-99999999999999999999", "2.2250738585072014e-308", "2.2250738585072011e-308",
    "2.225073858507201e-308", "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
    "5e-324", "2e-324", "3e-324", "123456789012345678901234567890", "1234567890123456789", "9999999999999999999",
    "18446744073709551615", "18446744073709551616", "0.1234567890123456789", "0.12345678901234567890123456789",
    "0.30000000000000004", "9223372036854775807", "9223372036854775808", "0.12345678901234567",
    "7450580596923828125e-27", "6.103515625e-05", "1.00000005960464477539062500001", "4503599627370496.5",
    "4503599627370497.5", "0.500000000000000166533453693773481063544750213623046875", "3.518437208883201171875e13",
    "62.5364939768271845828", "8.10109172351e-10", "1.50000000000000011102230246251565",
    "12345678.9", "1234567.8", "1234567.12345678", "1234567.123456789012", "1234567.1234567890123",
    "1" * 400, "0." + "0" * 400 + "1", "1" + "0" * 300, "0" * 500 + "1.5", "0." + "1" * 1200, "1." + "0" * 1200 + "1",
]  # fmt: skip


@pytest.mark.parametrize("text", HARD)
def test_hard_decimals_are_correctly_rounded(text: str):
    assert_read_to_the_bit(text)
    assert_read_to_the_bit(text.lstrip("+-") if text[0] in "+-" else "-" + text)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 25))
@settings(max_examples=300)
def test_any_double_is_read_back(number: float, digits: int):
    for text in (repr(number), f"{number:.{digits}e}", f"{number:.{digits}g}"):
        assert_read_to_the_bit(text)
    if abs(number) < 1e30:
        assert_read_to_the_bit(f"{number:.{digits}f}")


@given(
    st.text("0123456789", min_size=1, max_size=25),
    st.text("0123456789", max_size=25),
    st.integers(-360, 330) | st.integers(-30, 30),
)
@settings(max_examples=500)
def test_any_decimal_is_correctly_rounded(whole: str, fraction: str, exponent: int):
    assert_read_to_the_bit(f"{whole}.{fraction}e{exponent}")
    assert_read_to_the_bit(f"{whole}.{fraction}")


def exact_decimal(number: Fraction) -> str:
    """All digits of a number whose denominator is a power of two."""
    places = number.denominator.bit_length() - 1
    digits = str(number.numerator * 10**places // number.denominator).rjust(places + 1, "0")
    return digits[: len(digits) - places] + "." + digits[len(digits) - places :]


@given(st.floats(min_value=5e-324, max_value=1.7e308))
@settings(max_examples=200)
def test_half_way_between_two_doubles(number: float):
    """Exactly half-way goes to the even one, however many digits that takes; a digit more or less decides."""
    above = struct.unpack("<d", struct.pack("<Q", bits(number) + 1))[0]
    middle = exact_decimal((Fraction(number) + Fraction(above)) / 2)
    assert bits(real_prefix(middle)[0]) == bits(float(middle)) == bits(number) + bits(number) % 2
    assert real_prefix(middle + "00001")[0] == above
    assert_read_to_the_bit(middle[:30])


@given(st.integers(0, 26), st.integers(0, 2**53), st.integers(0, 12))
@settings(max_examples=500)
def test_half_way_in_few_digits(power: int, drawn: int, shift: int):
    """digits * 10^k with at most 19 digits that lie half-way: k from -4 to 23, where the fast way must see it."""
    exponent = power - 4
    if exponent >= 0:  # digits * 5^exponent is odd and has 54 bits
        odd = (2**53 // 5**exponent + drawn % max(2**53 // 5**exponent, 1)) | 1
        digits = odd << shift
    else:  # digits / 5^-exponent is
        digits = ((2**53 + drawn % 2**53) | 1) * 5**-exponent
    for near in (digits - 1, digits, digits + 1):
        if len(str(near)) <= 19:
            assert_read_to_the_bit(f"{near}e{exponent}")
            assert_read_to_the_bit(f"{near}e{exponent - shift}")


@pytest.mark.parametrize(
    ("text", "value", "whole"),
    [
        ("inf", "inf", True), ("-INF", "-inf", True), ("Infinity", "inf", True), ("infinit", "inf", False),
        ("1abc", "1", False), ("2.5abc", "2.5", False), ("1,5", "1", False), ("1e", "1", False), ("1e+", "1", False),
        ("1e5.5", "1e5", False), ("abc", "0", False), ("--3", "0", False), ("+-3", "0", False), ("", "0", False),
        ("-", "-0", False), (".", "0", False), ("e5", "0", False), (".e5", "0", False), ("1 2", "1", False),
        ("  1", "1", True), ("\t\n\v\f\r1", "1", True), ("1 ", "1", False), ("1_0", "1", False), ("１", "0", False),
        ("0x1p3", "8", True), ("0X1P-3", "0.125", True), ("-0x1.8p1", "-3", True), ("0x.8", "0.5", True),
        ("0x1.8", "1.5", True), ("0xff", "255", True), ("0x", "0", False), ("0xg", "0", False), ("0x1p", "1", False),
        ("0x1.00000000000008p0", "1", True), ("0x1.000000000000081p0", "1.0000000000000002", True),
        ("0x1p-1074", "5e-324", True), ("0x1p1024", "inf", True), ("1x5", "1", False), ("00x5", "0", False),
    ],
)  # fmt: skip
def test_numbers_end_where_they_end_in_c(text: str, value: str, whole: bool):
    found, all_of_it = real_prefix(text)
    assert (found, all_of_it) == (float(value), whole)


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "nanx", "nan(1)"])
def test_nan_is_read_as_such(text: str):
    value, _ = real_prefix(text)
    assert value != value


@given(st.text("0123456789.eE+-xXpPaAfFiInNtTyY ,", max_size=12))
@settings(max_examples=500)
def test_any_text_is_read_as_far_as_c_does(text: str):
    start = text.encode().lstrip()
    number = oracle_files.REAL.match(start)
    value, whole = real_prefix(text)
    if number is not None and b"nan" in number.group().lower():
        assert value != value
    else:
        try:
            expected = oracle_files.real(start)
        except OverflowError:  # of float.fromhex, where C has infinity
            expected = float("-inf" if start.startswith(b"-") else "inf")
        assert bits(abs(value)) == bits(abs(expected))
        assert value == expected
        assert whole == (number is not None and number.end() == len(start))


def test_single_precision_in_9_0_8_rounds_the_double():
    """Scores that are equal in 32 bits tie in 9.0.8 alone: the greater id comes first."""
    for high, low in [("1.00000002", "1.00000001"), ("16777217", "16777216"), ("1e40", "1e39"), ("1e-46", "0")]:
        data = line(b"q1", b"D", high.encode()) + line(b"q1", b"d1", low.encode())
        assert fed([data], "9.0.8").grades == {b"q1": (2, "01")}
        assert fed([data], "10.0").grades == {b"q1": (2, "10")}


@given(st.text("0123456789+- x.", max_size=24))
@settings(max_examples=300)
def test_whole_numbers_are_read_as_c_does(text: str):
    number = re.match(r" *([+-]?[0-9]+)", text)
    value = min(max(int(number.group(1)), -(2**63)), 2**63 - 1) if number else 0
    assert integer_prefix(text) == (value, number is not None and number.end() == len(text))


@pytest.mark.parametrize(
    ("text", "value", "whole"),
    [
        ("9223372036854775807", 2**63 - 1, True), ("9223372036854775808", 2**63 - 1, True),
        ("-9223372036854775808", -(2**63), True), ("-9223372036854775809", -(2**63), True),
        ("18446744073709551616", 2**63 - 1, True), ("9" * 40, 2**63 - 1, True), ("-" + "9" * 40, -(2**63), True),
        ("0x10", 0, False), ("1.9", 1, False), ("", 0, False), ("-", 0, False), ("+", 0, False), ("1e3", 1, False),
        ("007", 7, True), ("\v 5", 5, True), ("5 ", 5, False), ("٣", 0, False),
    ],
)  # fmt: skip
def test_whole_numbers_stop_at_the_ends_of_64_bits(text: str, value: int, whole: bool):
    assert integer_prefix(text) == (value, whole)


def test_numbers_do_not_depend_on_the_locale():
    before = locale.setlocale(locale.LC_NUMERIC)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
            break
        except locale.Error:
            continue
    else:
        pytest.skip("no locale with a decimal comma is installed")
    try:
        assert real_prefix("0x1.8p0") == (1.5, True)
        assert real_prefix("1.5" + "0" * 30) == (1.5, True)
        assert real_prefix("1,5") == (1.0, False)
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)
