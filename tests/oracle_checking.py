"""Part of the oracle: every problem of a run or qrels, found line by line and query by query in plain Python.

A place is (line, query, detail, other line, number, expected), as `Checker.findings` has it.
"""

import struct

import oracle_files

LONGEST_LINE = 1 << 20
Place = tuple[int, bytes, bytes, int, int, int]


class Record:
    """A record's fields with their line."""

    def __init__(self, line, docno, number, score=0.0, bad_rank=False, bad_score=False):
        self.line = line
        self.docno = docno
        self.number = number  # rank or grade
        self.score = score
        self.bad_rank = bad_rank
        self.bad_score = bad_score


class Report:
    """All places by kind, and what else a checker counts."""

    def __init__(self):
        self.places: dict[str, list[Place]] = {}
        self.tag = None
        self.n_lines = 0
        self.queries: dict[bytes, list[Record]] = {}
        self.groups = self.tied = 0
        self.across: list[int] = []
        self.judged = (0, 0, 0, [])

    def note(self, kind, line, qid=b"", detail=b"", other=0, number=0, expected=0):
        self.places.setdefault(kind, []).append((line, qid, detail, other, number, expected))


def single(number: float) -> float:
    """A double as a number of 32 bits."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def check(
    data: bytes,
    kind: str,
    *,
    depth: int | None = None,
    cutoffs: tuple[int, ...] = (),
    tag: bytes | None = None,
    judged: dict[bytes, dict[bytes, int]] | None = None,
    documents: set[bytes] | None = None,
) -> Report:
    """Everything that is to be found in a file."""
    report = Report()
    if data.startswith(b"\xef\xbb\xbf"):
        report.note("byte-order-mark", 1)
        data = data[3:]
    lines = data.split(b"\n")
    if lines[-1]:
        report.note("no-final-newline", len(lines))
    else:
        lines.pop()
    report.n_lines = len(lines)
    previous = None
    for number, line in enumerate(lines, 1):
        fields = fields_of(report, number, line, kind)
        if fields is None:
            continue
        qid = fields[0]
        if qid != previous and qid in report.queries:
            report.note("scattered-query", number, qid, other=report.queries[qid][0].line)
        previous = qid
        record = run_record(report, number, fields, tag) if kind == "run" else judgement(report, number, fields)
        report.queries.setdefault(qid, []).append(record)
    report.across = [0] * len(cutoffs)
    shares, n_judged_queries, n_retrieved, n_judged = [0.0] * len(cutoffs), 0, 0, 0
    for qid, records in report.queries.items():
        check_documents(report, qid, records, kind, documents)
        if kind == "qrels":
            if all(record.number <= 0 for record in records):
                report.note("no-relevant-document", records[0].line, qid)
            continue
        check_depth(report, qid, records, depth)
        check_ranks(report, qid, records)
        check_scores(report, qid, records, cutoffs)
        if judged is not None and qid in judged:
            ranked = sorted(sorted(records, key=lambda one: one.docno, reverse=True), key=lambda one: -one.score)
            hits = [judged[qid].get(one.docno, -1) >= 0 for one in ranked]
            n_judged_queries, n_retrieved, n_judged = (
                n_judged_queries + 1,
                n_retrieved + len(hits),
                n_judged + sum(hits),
            )
            for i, cutoff in enumerate(cutoffs):
                shares[i] += sum(hits[:cutoff]) / len(hits[:cutoff])
    report.judged = n_judged_queries, n_retrieved, n_judged, shares
    for places in report.places.values():
        places.sort(key=lambda place: place[0])
    return report


def is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def fields_of(report: Report, number: int, line: bytes, kind: str) -> list[bytes] | None:
    """The fields of a line that is a record."""
    if len(line) > LONGEST_LINE:
        report.note("cr-line-ends" if b"\r" in line[:LONGEST_LINE] else "line-too-long", number)
        return None
    fields = line.split()
    if not is_utf8(line):
        report.note("not-utf8", number, fields[0] if fields else b"")
    if b"\0" in line:
        report.note("nul-byte", number)
        return None
    if line.endswith(b"\r"):
        report.note("crlf-line-ends", number)
    has_inner_cr = b"\r" in line.rstrip()
    if not fields:
        report.note("blank-line", number)
        return None
    if fields[0].startswith(b"#") and (kind == "run" or line.startswith(b"#")):
        report.note("cr-line-ends" if has_inner_cr else "comment-line", number)
        return None
    n_fields = 6 if kind == "run" else 4
    if len(fields) != n_fields:
        if has_inner_cr:
            report.note("cr-line-ends", number)
            return None
        report.note("field-count", number, fields[0], number=len(fields), expected=n_fields)
        if len(fields) < n_fields or kind == "qrels":
            return None
    body = line.removesuffix(b"\r")
    if b"\r" in body or b"\v" in body or b"\f" in body:
        report.note("white-space", number, fields[0])
    return fields


def run_record(report: Report, line: int, fields: list[bytes], wanted: bytes | None) -> Record:
    qid, second, docno, rank, score, tag = fields[:6]
    found = oracle_files.REAL.match(score)
    record = Record(line, docno, 0)
    if found is None or found.end() < len(score):
        report.note("score-not-number", line, qid, score)
        record.bad_score = True
    try:
        record.score = oracle_files.real(score)
    except ValueError:  # NaN
        record.score = float("-inf")
        if not record.bad_score:
            report.note("score-not-finite", line, qid, score)
        record.bad_score = True
    else:
        if record.score in (float("inf"), float("-inf")) and not record.bad_score:
            report.note("score-not-finite", line, qid, score)
    whole = oracle_files.INTEGER.fullmatch(rank)
    if whole is None:
        report.note("rank-not-integer", line, qid, rank)
        record.bad_rank = True
    else:
        record.number = min(max(int(rank), -(2**63)), 2**63 - 1)
    if second not in (b"Q0", b"0"):
        report.note("second-field", line, qid)
    if report.tag is None:
        report.tag = tag
    elif tag != report.tag:
        report.note("several-tags", line, qid, tag)
    if wanted is not None and tag != wanted:
        report.note("wrong-tag", line, qid, tag)
    return record


def judgement(report: Report, line: int, fields: list[bytes]) -> Record:
    qid, _, docno, grade = fields
    number = oracle_files.integer(grade)
    if oracle_files.INTEGER.fullmatch(grade) is None:
        report.note("grade-not-integer", line, qid, grade)
    elif not -(2**31) <= number < 2**31:
        report.note("grade-too-large", line, qid, grade)
    elif number < 0:
        report.note("negative-grade", line, qid, grade, number=number)
    return Record(line, docno, min(max(number, -(2**63)), 2**63 - 1))


def check_documents(report, qid, records, kind, documents):
    first: dict[bytes, Record] = {}
    for one in records:
        if documents is not None and one.docno not in documents:
            report.note("unknown-document", one.line, qid, one.docno)
        before = first.setdefault(one.docno, one)
        if before is one:
            continue
        problem = "duplicate-document"
        if kind == "qrels":
            problem = "equal-judgements" if one.number == before.number else "conflicting-judgements"
        report.note(problem, one.line, qid, one.docno, before.line, one.number, before.number)


def check_depth(report, qid, records, depth):
    n = len(records)
    if depth is not None and n > depth:
        report.note("too-many-documents", records[depth].line, qid, number=n, expected=depth)
    elif depth is not None and n < depth:
        report.note("too-few-documents", records[0].line, qid, number=n, expected=depth)


def check_ranks(report, qid, records):
    ranked = sorted((one for one in records if not one.bad_rank), key=lambda one: one.number)
    scored = [one for one in ranked if not one.bad_score]
    for above, one in zip(scored, scored[1:], strict=False):
        if one.number > above.number and one.score > above.score:
            report.note("rank-contradicts-score", one.line, qid, b"", above.line, one.number, above.number)
    if len(ranked) < len(records):
        return
    base = 0 if ranked[0].number == 0 else 1
    for expected, one in enumerate(ranked, base):
        if one.number != expected:
            report.note("rank-sequence", one.line, qid, number=one.number, expected=expected)
            return


def check_scores(report, qid, records, cutoffs):
    scored = [one for one in records if not one.bad_score]
    for before, one in zip(scored, scored[1:], strict=False):
        if one.score > before.score:
            report.note("scores-out-of-order", one.line, qid, other=before.line)
            break
    scored.sort(key=lambda one: -one.score)
    groups: dict[float, list[Record]] = {}
    for one in scored:
        groups.setdefault(one.score, []).append(one)
    tied = [group for group in groups.values() if len(group) > 1]
    report.groups += len(tied)
    report.tied += sum(map(len, tied))
    if tied:
        report.note("tied-scores", tied[0][1].line, qid, other=tied[0][0].line)
    for above, one in zip(scored, scored[1:], strict=False):
        if above.score != one.score and single(above.score) == single(one.score):
            report.note("single-precision-ties", one.line, qid, other=above.line)
            break
    for i, cutoff in enumerate(cutoffs):
        if cutoff < len(scored) and scored[cutoff - 1].score == scored[cutoff].score:
            report.across[i] += 1
            report.note("tie-across-cutoff", scored[cutoff].line, qid, b"", scored[cutoff - 1].line, cutoff)
