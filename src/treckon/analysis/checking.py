"""What is wrong with a run or with qrels: all problems of a file in one pass, with line, query and severity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from treckon._native.checking import Checker
from treckon._native.conversion import add_mapping, id_bytes
from treckon._native.document_ids import IdReader
from treckon._native.findings import LONGEST_TEXT
from treckon._native.qrels import QrelsBuilder
from treckon.analysis.check_report import CheckReport, Problem, ProblemPlace
from treckon.checks import checked_whole_number
from treckon.errors import InputError, ParameterError, did_you_mean
from treckon.errors import in_short_with_type as shown
from treckon.inputs.formats.trec import LINES
from treckon.inputs.forms import as_qrels
from treckon.inputs.mappings import read_qrels as read_mapping
from treckon.inputs.problems import ALL_KINDS, SEVERITIES, wording
from treckon.inputs.reading import n_shares, query_starts, raise_problem, read_qrels, scan
from treckon.inputs.sources import Source
from treckon.inputs.text import open_text
from treckon.inputs.topics import read_query_ids
from treckon.threads import available_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from treckon._native.line_formats import LineFormat
    from treckon._native.qrels import Qrels


def check_run(
    run: Any,
    *,
    qrels: Any = None,
    topics: Any = None,
    docids: Any = None,
    depth: int | None = None,
    cutoffs: Iterable[int] = (),
    run_tag: str | None = None,
    places: int = 10,
    ignore: Iterable[str] = (),
    threads: int = 0,
) -> CheckReport:
    """All problems of a run in TREC's format, found in one pass over it (two, where lines of a query lie apart).

    run:     a path (``-`` is standard input; compressed or not), an open file or text
    qrels:   judgements, of any kind that `treckon.evaluate` takes: says which queries are missing (without topics) or
             not judged, and how many documents are judged
    topics:  a file of topics or the ids of the queries (see `treckon.inputs.topics.read_query_ids`): says which are
             missing and which are too many
    docids:  the documents of the collection: a file with one id a line, or ids
    depth:   how many documents each query should have
    cutoffs: ranks: are there ties across them, and how many documents up to them are judged
    run_tag: the tag that all lines should have
    places:  how many of each kind of problem are kept; all are counted
    ignore:  kinds of problem to leave out, by name (`treckon.inputs.problems.ALL_KINDS` has them)
    threads: how many may read a file, 0: as many as can run; the report does not depend on it

    Each thread needs memory for its largest query. Besides, the queries' ids, the places and the other files are kept,
    and of a run in which the lines of queries lie apart also these lines. Raises InputError for a file that
    can't be read, ParameterError.

    >>> import treckon
    >>> treckon.check_run("q1 Q0 d1 1 0.5 mine\\nq1 Q0 d1 2 0,4 mine\\n")["duplicate-document"].places[0].line
    2
    """
    cutoffs = sorted({checked_whole_number("cutoffs", cutoff, 1, 10**9) for cutoff in cutoffs})
    depth = None if depth is None else checked_whole_number("depth", depth, 0, 10**9)
    if run_tag is not None and (not isinstance(run_tag, str) or run_tag.split() != [run_tag]):
        raise ParameterError(place="run_tag", expected="a text without white space", found=shown(run_tag))
    ignored, limit = _ignored(ignore), checked_whole_number("places", places, 0, 10**9)
    judged = None if qrels is None else _judgements(qrels)
    expected = None if topics is None else read_query_ids(topics)
    documents = None if docids is None else _collection(docids)
    tag = None if run_tag is None else id_bytes(run_tag, "run_tag")
    with _opened(run, "run") as source:
        parts = _checked(
            source, "run", limit, threads, depth=depth, cutoffs=cutoffs, tag=tag, judged=judged, documents=documents
        )
        name = source.name
    first_tag = None if parts.tag is None else _shown(parts.tag)
    findings = parts.findings()
    findings.update(_unexpected(parts, expected, None if judged is None else judged.query_ids(), limit))
    tied = findings.get("tied-scores")
    return CheckReport(
        name=name,
        kind="run",
        problems=_problems(findings, "run", ignored, limit, {"several-tags": first_tag, "wrong-tag": run_tag}),
        n_lines=parts.n_lines,
        n_records=parts.n_records,
        n_queries=parts.n_queries,
        tag=first_tag,
        ties=parts.ties(cutoffs, 0 if tied is None else tied.count),
        judged={} if judged is None else parts.judged(cutoffs),
    )


def check_qrels(
    qrels: Any,
    *,
    topics: Any = None,
    docids: Any = None,
    places: int = 10,
    ignore: Iterable[str] = (),
    threads: int = 0,
) -> CheckReport:
    """All problems of judgements in TREC's format (``qid 0 docno grade``), found as by `check_run`.

    qrels: a path (``-`` is standard input; compressed or not), an open file or text
    topics, docids, places, ignore, threads: as with `check_run`

    Raises InputError for a file that can't be read, ParameterError.
    """
    ignored, limit = _ignored(ignore), checked_whole_number("places", places, 0, 10**9)
    expected = None if topics is None else read_query_ids(topics)
    documents = None if docids is None else _collection(docids)
    with _opened(qrels, "qrels") as source:
        parts = _checked(source, "qrels", limit, threads, documents=documents)
        name = source.name
    findings = parts.findings()
    findings.update(_unexpected(parts, expected, None, limit))
    return CheckReport(
        name=name,
        kind="qrels",
        problems=_problems(findings, "qrels", ignored, limit, {}),
        n_lines=parts.n_lines,
        n_records=parts.n_records,
        n_queries=parts.n_queries,
    )


def _ignored(names: Iterable[str]) -> set[str]:
    ignored = {names} if isinstance(names, str) else set(names)
    for name in sorted(ignored - set(ALL_KINDS), key=str):
        hint = did_you_mean(str(name), ALL_KINDS)
        raise ParameterError(place="ignore", expected="a kind of problem", found=f"{shown(name)}{hint}")
    return ignored


# What the file is compared with


def _judgements(qrels: Any) -> Qrels:
    """Judgements of any kind; those listed twice don't matter here."""
    opened = as_qrels(qrels)
    if isinstance(opened, Source):
        with opened:
            return read_qrels(opened).table
    builder = QrelsBuilder()
    add_mapping(builder, read_mapping(opened))
    return builder.finish("10.0")


def _collection(docids: Any) -> Qrels:
    """The collection's documents, as judgements of one query."""
    source = open_text(docids, "docids")
    reader = IdReader()
    if source is not None:
        with source:
            _feed_ids(source, reader)
    elif isinstance(docids, Iterable):
        for document in docids:
            reader.add(id_bytes(document, "docids"))
    else:
        raise InputError("docids", expected="a file of document ids or the ids", found=shown(docids))
    return reader.finish()


def _feed_ids(source: Source, reader: IdReader) -> None:
    """Hands over a file of ids. Raises InputError for a file without ids, and for what isn't text."""
    begun, pending = False, b""
    for block in source.text_blocks():
        pending += block
        if begun or pending.strip():  # else blank lines
            reader.feed(pending)
            begun, pending = True, b""
    if not begun:
        raise InputError(source.name, "expected document ids, found none")


def _opened(file: Any, name: str) -> Source:
    source = open_text(file, name)
    if source is None:
        raise InputError(name, expected="a path, an open file or text in TREC's format", found=shown(file))
    return source


# The pass


def _checked(source: Source, kind: str, limit: int, threads: int, **options: Any) -> _Parts:
    """What checkers of parts of the file found, or, where these depend on each other, one of all of it."""
    threads = checked_whole_number("threads", threads) or available_threads()
    starts = query_starts(source, n_shares(source, threads))
    checkers = [Checker(LINES[kind], limit, **options) for _ in starts]
    _scan(source, kind, checkers, starts)
    tags = {checker.tag for checker in checkers if checker.tag is not None}
    met = any(checker.meets(other) for i, checker in enumerate(checkers) for other in checkers[:i])
    if len(checkers) > 1 and (met or len(tags) > 1 or any(checker.scattered for checker in checkers)):
        checkers = [Checker(LINES[kind], limit, **options)]
        _scan(source, kind, checkers)
    if len(checkers) == 1 and checkers[0].scattered:
        checkers = [Checker(LINES[kind], limit, previous=checkers[0], **options)]
        _scan(source, kind, checkers)
    return _Parts(checkers, limit)


def _scan(source: Source, kind: str, checkers: Sequence[Checker], starts: Sequence[int] | None = None) -> None:
    scan(source, checkers, starts)
    raise_problem(source, LINES[kind], checkers)


@dataclass(frozen=True, slots=True)
class _Finding:
    """A place of a problem as the core has it: what `wording` takes. 0 and b"" where there is none."""

    line: int | None
    query: bytes
    detail: bytes = b""
    other: int = 0
    number: int = 0
    expected: int = 0

    def behind(self, n_lines: int) -> _Finding:
        """The same in a file that has so many lines before."""
        assert self.line is not None
        return replace(self, line=self.line + n_lines, other=self.other + n_lines if self.other else 0)


@dataclass(frozen=True, slots=True)
class _Findings:
    """All that there are of a kind of problem, and the first of them."""

    count: int
    first: tuple[_Finding, ...]


class _Parts:
    """What the checkers of a file's parts found, as if one had read all of it."""

    def __init__(self, checkers: Sequence[Checker], limit: int) -> None:
        self._checkers = checkers
        self._limit = limit
        self._before = [0]  # lines before each part
        for checker in checkers:
            self._before.append(self._before[-1] + checker.counts[0])
        self.n_lines, self.n_records, self.n_queries = map(
            sum, zip(*(checker.counts for checker in checkers), strict=True)
        )
        self.tag = next((checker.tag for checker in checkers if checker.tag is not None), None)

    def ties(self, cutoffs: Sequence[int], n_queries: int) -> dict[str, Any]:
        """As `CheckReport.ties`."""
        groups, documents, across = zip(*(checker.ties for checker in self._checkers), strict=True)
        return {
            "queries": n_queries,
            "groups": sum(groups),
            "documents": sum(documents),
            "across_cutoff": dict(zip(cutoffs, map(sum, zip(*across, strict=True)), strict=True)),
        }

    def judged(self, cutoffs: Sequence[int]) -> dict[str, Any]:
        """As `CheckReport.judged`."""
        queries, documents, judged, shares = zip(*(checker.judged for checker in self._checkers), strict=True)
        n_queries = sum(queries)
        totals = map(sum, zip(*shares, strict=True))  # sums of shares in units of 2^-40
        means = [round(total / n_queries, 10) if n_queries else 0.0 for total in totals]
        return {
            "queries": n_queries,
            "documents": sum(documents),
            "judged": sum(judged),
            "shares": dict(zip(cutoffs, means, strict=True)),
        }

    def queries(self) -> list[tuple[bytes, int]]:
        """Each query with the number of its first line."""
        return [
            (qid, line + before)
            for checker, before in zip(self._checkers, self._before, strict=False)
            for qid, line, _ in checker.queries()
        ]

    def findings(self) -> dict[str, _Findings]:
        """By kind of problem, what was found."""
        together: dict[str, _Findings] = {}
        for checker, before in zip(self._checkers, self._before, strict=False):
            for kind, (count, places) in checker.findings().items():
                earlier = together.get(kind, _Findings(0, ()))
                more = [_Finding(*place).behind(before) for place in places[: self._limit - len(earlier.first)]]
                together[kind] = _Findings(earlier.count + count, (*earlier.first, *more))
        return together


def _unexpected(
    parts: _Parts, topics: list[bytes] | None, judged: list[bytes] | None, limit: int
) -> dict[str, _Findings]:
    """Queries that are missing or too many, and a file without records."""
    findings: dict[str, _Findings] = {}
    if parts.n_records == 0:
        findings["no-records"] = _Findings(1, (_Finding(None, b""),))
    expected = judged if topics is None else topics
    if expected is None:
        return findings
    queries = parts.queries()
    met = {qid for qid, _ in queries}

    def put(name: str, places: list[_Finding]) -> None:
        if places:
            findings[name] = _Findings(len(places), tuple(places[:limit]))

    put("missing-query", [_Finding(None, qid) for qid in expected if qid not in met])
    for name, listed in (("extra-query", topics), ("unjudged-query", judged)):
        if listed is not None:
            inside = set(listed)
            put(name, [_Finding(line, qid) for qid, line in queries if qid not in inside])
    return findings


# Words


def _problems(
    findings: Mapping[str, _Findings],
    file_kind: str,
    ignored: set[str],
    limit: int,
    tags: Mapping[str, str | None],
) -> tuple[Problem, ...]:
    """The problems with their words, by severity."""
    form = LINES[file_kind]
    problems = []
    for name, kind in ALL_KINDS.items():
        if name not in ignored and name in findings:
            of_kind = findings[name]
            places = [_in_words(name, place, form, tags.get(name)) for place in of_kind.first[:limit]]
            problems.append(Problem(name, kind.severity, of_kind.count, tuple(places), kind.meaning))
    return tuple(sorted(problems, key=lambda problem: SEVERITIES.index(problem.severity)))


def _in_words(kind: str, place: _Finding, form: LineFormat, tag: str | None) -> ProblemPlace:
    text = wording(
        kind,
        form,
        detail=_shown(place.detail),
        other=place.other,
        number=place.number,
        expected=place.expected,
        tag=tag,
    )
    return ProblemPlace(place.line, _shown(place.query) if place.query else None, text, place.other or None)


def _shown(text: bytes) -> str:
    """Bytes of a file as messages show them: without control characters, and not long."""
    shortened = text[:LONGEST_TEXT].decode("utf-8", "ignore").encode() if len(text) >= LONGEST_TEXT else text
    plain = shortened.decode("utf-8", "backslashreplace")
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in plain)
    return plain + ("..." if len(text) >= LONGEST_TEXT else "")
