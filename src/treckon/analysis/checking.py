"""What is wrong with a run or with qrels: all problems of a file in one pass, with line, query and severity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from treckon._native.checking import Checker, IdReader
from treckon._native.objects import add_mapping, id_bytes
from treckon._native.qrels import QrelsBuilder
from treckon.checks import checked_whole_number
from treckon.errors import InputError, ParameterError, did_you_mean
from treckon.inputs.forms import as_qrels
from treckon.inputs.mappings import read_qrels as read_mapping
from treckon.inputs.reading import FORMATS, n_shares, query_starts, raise_problem, read_qrels, scan
from treckon.inputs.sources import Source
from treckon.inputs.text import open_text
from treckon.inputs.topics import read_query_ids
from treckon.inputs.values import shown
from treckon.threads import available_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from treckon._native.qrels import Qrels

ERROR, WARNING, NOTE = SEVERITIES = ("error", "warning", "note")


class Kind:
    """A kind of problem.

    name:     by which users call it
    severity: "error" (it can't be evaluated, or not as it is meant), "warning" (tools differ in what they make of it,
              or it is probably a mistake) or "note" (worth knowing)
    wording:  what to say of one place, with {detail}, {other}, {number}, {expected}, {fields} and {tag} of it
    meaning:  what it is, and what comes of it
    """

    __slots__ = ("meaning", "name", "severity", "wording")

    def __init__(self, name: str, severity: str, wording: str, meaning: str) -> None:
        self.name = name
        self.severity = severity
        self.wording = wording
        self.meaning = meaning


ALL_KINDS = {
    one.name: one
    for one in (
        Kind(
            "nul-byte", ERROR, "expected text, found a NUL byte",
            "A line with a NUL byte: no text, or text of another encoding, such as UTF-16. It is passed over here; "
            "trec_eval crashes.",
        ),
        Kind(
            "cr-line-ends", ERROR, "expected lines that end with LF or CR LF, found CR alone",
            "Lines that end with CR alone: trec_eval takes all of them for one.",
        ),
        Kind(
            "line-too-long", ERROR, "expected a line of at most 1 MiB, found a longer one",
            "A line of more than 1 MiB. It is passed over here.",
        ),
        Kind(
            "field-count", ERROR, "expected {expected} fields ({fields}), found {number}",
            "A line with too few fields, or too many. trec_eval stops at it, except that it passes over what follows "
            "the sixth field of a run.",
        ),
        Kind(
            "not-utf8", WARNING, "expected UTF-8, found other bytes",
            "A line that is no UTF-8. trec_eval compares bytes; other tools stop, or change the ids.",
        ),
        Kind(
            "byte-order-mark", WARNING, "expected no byte-order mark, found one",
            "A byte-order mark begins the file. trec_eval takes it for a part of the first query's id.",
        ),
        Kind(
            "blank-line", WARNING, "expected a record, found a blank line",
            "A blank line. trec_eval passes over it in a run and stops at it in qrels.",
        ),
        Kind(
            "comment-line", WARNING, "expected a record, found a comment",
            "A line that begins with '#'. trec_eval passes over it from 10.0 on and takes it for a record before.",
        ),
        Kind(
            "white-space", NOTE, "expected fields separated by spaces or TABs, found other white space",
            "VT, FF or CR within a line. To trec_eval they separate fields; to other tools perhaps not.",
        ),
        Kind("crlf-line-ends", NOTE, "expected LF, found CR LF", "Lines that end with CR LF."),
        Kind(
            "no-final-newline", NOTE, "expected LF at the end of the file, found none",
            "The last line doesn't end: the file may have been cut off.",
        ),
        Kind("no-records", ERROR, "expected records, found none", "A file of blank lines, comments and broken lines."),
        Kind(
            "score-not-number", ERROR, "expected a number as score, found '{detail}'",
            "A score that is no number to its end. trec_eval reads it up to the first character that is no part of "
            "one, without a word: 'abc' is 0, and so is '0,9'.",
        ),
        Kind(
            "score-not-finite", ERROR, "expected a finite number as score, found '{detail}'",
            "A score that is NaN or infinite, or too large. NaN has no place in an order.",
        ),
        Kind(
            "rank-not-integer", ERROR, "expected a whole number as rank, found '{detail}'",
            "A rank that is no whole number; where the fields are shifted, the first to notice.",
        ),
        Kind(
            "second-field", NOTE, "expected Q0 as second field, found another",
            "The second field, which nobody reads, is neither Q0 nor 0.",
        ),
        Kind(
            "several-tags", WARNING, "expected '{tag}' as tag, as on the first line, found '{detail}'",
            "Lines with another tag than the first: several runs in one file, or a tag with spaces.",
        ),
        Kind(
            "wrong-tag", ERROR, "expected '{tag}' as tag, found '{detail}'",
            "A line without the tag that was asked for.",
        ),
        Kind(
            "duplicate-document", ERROR,
            "expected each document once for a query, found '{detail}' on line {other} too",
            "A document that a query lists again. trec_eval stops.",
        ),
        Kind(
            "rank-contradicts-score", WARNING,
            "expected a score no higher than at rank {expected} (line {other}), found a higher one at rank {number}",
            "A score that is higher than at the rank before. trec_eval orders by score; tools that order by rank see "
            "another ranking.",
        ),
        Kind(
            "rank-sequence", WARNING, "expected rank {expected} next, found {number}",
            "A query's ranks are not 1, 2, 3, ... nor 0, 1, 2, ...; once a query.",
        ),
        Kind(
            "scores-out-of-order", NOTE, "expected a score no higher than on line {other}, found a higher one",
            "A query's lines are not in the order of the scores. Tools that keep the lines' order see another ranking; "
            "once a query.",
        ),
        Kind(
            "tied-scores", NOTE, "expected scores that differ, found the score of line {other} again",
            "A query has documents with the same score. trec_eval orders them by falling document id, other tools in "
            "other ways; once a query.",
        ),
        Kind(
            "tie-across-cutoff", WARNING,
            "expected a lower score behind rank {number}, found the score of line {other} again",
            "Documents with the same score lie on both sides of a cutoff: which of them are cut off depends on the "
            "tool; once a query and cutoff.",
        ),
        Kind(
            "single-precision-ties", NOTE, "expected a score that differs in 32 bits, found that of line {other} again",
            "A query has different scores that are the same as numbers of 32 bits: they tie in trec_eval 9.0.8, and "
            "only there; once a query.",
        ),
        Kind(
            "too-many-documents", ERROR, "expected at most {expected} documents, found {number}",
            "A query with more documents than asked for.",
        ),
        Kind(
            "too-few-documents", WARNING, "expected {expected} documents, found {number}",
            "A query with fewer documents than asked for.",
        ),
        Kind(
            "grade-not-integer", ERROR, "expected a whole number as grade, found '{detail}'",
            "A grade that is no whole number to its end. trec_eval reads it up to the first other character, without "
            "a word: '0.9' is 0.",
        ),
        Kind(
            "grade-too-large", ERROR, "expected a grade of at most 32 bits, found '{detail}'",
            "A grade of more than 32 bits.",
        ),
        Kind(
            "negative-grade", NOTE, "expected a grade from 0, found {number}",
            "A negative grade: to trec_eval the document is in the pool but not judged.",
        ),
        Kind(
            "equal-judgements", ERROR,
            "expected one judgement, found '{detail}' with the same grade on line {other} too",
            "A judgement that stands again with the same grade. trec_eval stops.",
        ),
        Kind(
            "conflicting-judgements", ERROR,
            "expected one judgement, found '{detail}' with grade {number}, and with {expected} on line {other}",
            "A document with different grades for one query. trec_eval stops.",
        ),
        Kind(
            "no-relevant-document", WARNING, "expected a grade above 0, found none",
            "A query without a relevant document. Its values are 0, and count in the means.",
        ),
        Kind(
            "unknown-document", ERROR, "expected a document of the collection, found '{detail}'",
            "A document that the collection lacks.",
        ),
        Kind(
            "scattered-query", WARNING, "expected the lines of a query together, found some from line {other} on",
            "The lines of a query lie apart. trec_eval gathers them; other tools keep the last part only.",
        ),
        Kind(
            "missing-query", WARNING, "expected the query, found no line of it",
            "A query of the topics, or of the qrels where no topics are given, that the file lacks.",
        ),
        Kind("extra-query", WARNING, "expected a query of the topics, found another", "A query that the topics lack."),
        Kind(
            "unjudged-query", NOTE, "expected a judged query, found one that the qrels lack",
            "A query that the qrels lack: it isn't evaluated.",
        ),
    )
}  # fmt: skip


class Place:
    """Where a problem was found.

    line:   its number, from 1; None of a query that is missing
    query:  the query's id; None where the line has none
    text:   what was expected and found
    other:  the number of another line that has to do with it, or None
    """

    __slots__ = ("line", "other", "query", "text")

    def __init__(self, line: int | None, query: str | None, text: str, other: int | None = None) -> None:
        self.line = line
        self.query = query
        self.text = text
        self.other = other

    def __repr__(self) -> str:
        return f"Place(line={self.line}, query={self.query!r}, text={self.text!r})"

    def to_dict(self) -> dict[str, object]:
        """As a dictionary: line, query, text, other_line."""
        return {"line": self.line, "query": self.query, "text": self.text, "other_line": self.other}


class Problem:
    """All that a file has of one kind of problem.

    kind:     its name, such as "duplicate-document"
    severity: "error", "warning" or "note"
    count:    how many there are
    places:   the first of them, by line
    meaning:  what it is, and what comes of it
    """

    __slots__ = ("count", "kind", "meaning", "places", "severity")

    def __init__(self, kind: Kind, count: int, places: Sequence[Place]) -> None:
        self.kind = kind.name
        self.severity = kind.severity
        self.count = count
        self.places = tuple(places)
        self.meaning = kind.meaning

    def __repr__(self) -> str:
        return f"<{self.severity} {self.kind}: {self.count}>"

    def to_dict(self) -> dict[str, object]:
        """As a dictionary: kind, severity, count, meaning, places."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "count": self.count,
            "meaning": self.meaning,
            "places": [place.to_dict() for place in self.places],
        }


class CheckReport:
    """What was found in a file.

    name:      of the file
    kind:      "run" or "qrels"
    problems:  a `Problem` for each kind that was found: errors, warnings, notes
    n_lines, n_records, n_queries: of the file; broken lines are no records
    tag:       of a run: the first record's
    ties:      of a run: numbers of groups of documents with the same score, of documents in them, of queries with such,
               and of queries where a group lies across each cutoff, by cutoff
    judged:    of a run with qrels: numbers of its judged queries, of their documents, of judged ones among these; and
               by cutoff the mean share of judged documents among the first (of those that there are)
    """

    __slots__ = ("judged", "kind", "n_lines", "n_queries", "n_records", "name", "problems", "tag", "ties")

    def __init__(
        self,
        name: str,
        kind: str,
        problems: Iterable[Problem],
        counts: tuple[int, int, int],
        tag: str | None = None,
        ties: Mapping[str, Any] | None = None,
        judged: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.problems = tuple(sorted(problems, key=lambda one: SEVERITIES.index(one.severity)))
        self.n_lines, self.n_records, self.n_queries = counts
        self.tag = tag
        self.ties = dict(ties or {})
        self.judged = dict(judged or {})

    @property
    def clean(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return not any(one.severity in (ERROR, WARNING) for one in self.problems)

    def count(self, severity: str) -> int:
        """How many problems there are of a severity."""
        return sum(one.count for one in self.problems if one.severity == severity)

    def __getitem__(self, kind: str) -> Problem:
        """The problems of a kind, by its name; KeyError where there is none."""
        for one in self.problems:
            if one.kind == kind:
                return one
        raise KeyError(kind)

    def __contains__(self, kind: object) -> bool:
        return any(one.kind == kind for one in self.problems)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)

    def __len__(self) -> int:
        return len(self.problems)

    def to_dict(self) -> dict[str, object]:
        """As dictionaries, lists, texts and numbers."""
        return {
            "file": self.name,
            "kind": self.kind,
            "clean": self.clean,
            "lines": self.n_lines,
            "records": self.n_records,
            "queries": self.n_queries,
            "tag": self.tag,
            "counts": {severity: self.count(severity) for severity in SEVERITIES},
            "problems": [one.to_dict() for one in self.problems],
            "ties": _with_text_keys(self.ties),
            "judged": _with_text_keys(self.judged),
        }

    def summary(self) -> str:
        """The verdict and the sizes in one line."""
        counts = [_counted(self.count(severity), severity) for severity in SEVERITIES if self.count(severity)]
        sizes = f"{_counted(self.n_lines, 'line')} of {_counted(self.n_queries, 'query')}"
        verdict = "clean" if self.clean else "not clean"
        return f"{self.name}: {verdict}: {', '.join(counts) or 'no problems'} in {sizes}"

    def remarks(self) -> list[str]:
        """A line each on ties and judged documents, where there is something to say."""
        found = []
        if self.ties.get("groups"):
            across = "".join(
                f"; across cutoff {cutoff}: {_counted(count, 'query')}"
                for cutoff, count in self.ties["across_cutoff"].items()
            )
            found.append(
                f"ties: {_counted(self.ties['documents'], 'document')} in {_counted(self.ties['groups'], 'group')} of "
                f"{_counted(self.ties['queries'], 'query')}{across}"
            )
        if self.judged:
            shares = "".join(f", judged@{cutoff} {share:.4f}" for cutoff, share in self.judged["shares"].items())
            found.append(
                f"judged: {self.judged['judged']} of {_counted(self.judged['documents'], 'document')} of "
                f"{_counted(self.judged['queries'], 'judged query')}{shares}"
            )
        return found

    def __repr__(self) -> str:
        lines = [self.summary()]
        for problem in self.problems:
            lines.append(f"  {problem.severity} {problem.kind}: {problem.count}")
            lines += [
                f"    {self.name}{f':{place.line}' if place.line else ''}: "
                f"{f'query {place.query}: ' if place.query else ''}{place.text}"
                for place in problem.places[:3]
            ]
        return "\n".join(lines + self.remarks())


def _with_text_keys(counts: Mapping[str, Any]) -> dict[str, Any]:
    """The same with cutoffs as texts, as JSON has them."""
    return {
        name: {str(cutoff): count for cutoff, count in value.items()} if isinstance(value, dict) else value
        for name, value in counts.items()
    }


def _counted(n: int, what: str) -> str:
    if n != 1:
        what = f"{what.removesuffix('y')}ies" if what.endswith("query") else f"{what}s"
    return f"{n} {what}"


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
    places:  of a kind of problem that are kept; all are counted
    ignore:  kinds of problem that don't count, by name (`treckon.analysis.checking.ALL_KINDS` has them)
    threads: how many may read a file, 0: as many as can run; the report does not depend on it

    Memory is for each thread that of its largest query; the queries' ids, the places kept, and what the other files say
    besides; of a run in which lines of queries lie apart also these queries' lines. Raises InputError for a file that
    can't be read, ParameterError.

    >>> import treckon
    >>> treckon.check_run("q1 Q0 d1 1 0.5 mine\\nq1 Q0 d1 2 0,4 mine\\n")["duplicate-document"].places[0].line
    2
    """
    cutoffs = sorted({checked_whole_number("cutoffs", one, 1, 10**9) for one in cutoffs})
    depth = None if depth is None else checked_whole_number("depth", depth, 0, 10**9)
    if run_tag is not None and (not isinstance(run_tag, str) or run_tag.split() != [run_tag]):
        raise ParameterError(f"run_tag: expected a text without white space, found {shown(run_tag)}")
    ignored, limit = _ignored(ignore), checked_whole_number("places", places, 0, 10**9)
    judged = None if qrels is None else _judgements(qrels)
    expected = None if topics is None else read_query_ids(topics)
    documents = None if docids is None else _collection(docids)
    tag = None if run_tag is None else id_bytes(run_tag, "run_tag")
    with _opened(run, "run") as source:
        checker = _checked(
            source, "run", limit, threads, depth=depth, cutoffs=cutoffs, tag=tag, judged=judged, documents=documents
        )
        first_tag = None if checker.tag is None else _shown(checker.tag)
        counted, words = checker.findings(), {"several-tags": first_tag, "wrong-tag": run_tag}
        queries = None if judged is None else judged.query_ids()
        counted.update(_unexpected(checker, expected, queries, limit))
        groups, n_tied, across = checker.ties
        n_queries, n_documents, n_judged, shares = checker.judged
        return CheckReport(
            source.name,
            "run",
            _problems(counted, "run", ignored, limit, words),
            checker.counts,
            first_tag,
            {
                "queries": counted.get("tied-scores", (0, []))[0],
                "groups": groups,
                "documents": n_tied,
                "across_cutoff": dict(zip(cutoffs, across, strict=True)),
            },
            None
            if judged is None
            else {
                "queries": n_queries,
                "documents": n_documents,
                "judged": n_judged,
                "shares": {
                    cutoff: round(share / n_queries, 10) if n_queries else 0.0  # sums of shares in units of 2^-40
                    for cutoff, share in zip(cutoffs, shares, strict=True)
                },
            },
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
        checker = _checked(source, "qrels", limit, threads, documents=documents)
        counted = checker.findings()
        counted.update(_unexpected(checker, expected, None, limit))
        return CheckReport(source.name, "qrels", _problems(counted, "qrels", ignored, limit, {}), checker.counts)


def _ignored(names: Iterable[str]) -> set[str]:
    found = {names} if isinstance(names, str) else set(names)
    for name in sorted(found - set(ALL_KINDS), key=str):
        hint = did_you_mean(str(name), ALL_KINDS)
        raise ParameterError(f"ignore: expected a kind of problem, found {shown(name)}{hint}")
    return found


# What the file is compared with


def _judgements(qrels: Any) -> Qrels:
    """Judgements of any kind; those that stand twice don't matter here."""
    given = as_qrels(qrels)
    if isinstance(given, Source):
        with given:
            return read_qrels(given).table
    builder = QrelsBuilder()
    add_mapping(builder, read_mapping(given))
    return builder.finish("10.0")


def _collection(docids: Any) -> Qrels:
    """The collection's documents, as judgements of one query."""
    source = open_text(docids, "docids")
    reader = IdReader()
    if source is not None:
        with source:
            _feed_ids(source, reader)
    elif isinstance(docids, Iterable):
        for one in docids:
            reader.add(id_bytes(one, "docids"))
    else:
        raise InputError("docids", f"expected a file of document ids or the ids, found {shown(docids)}")
    return reader.finish()


def _feed_ids(source: Source, reader: IdReader) -> None:
    """Hands over a file of ids. Raises InputError for one without any, and for what is no text."""
    begun, pending = False, b""
    for block in source.text_blocks():
        pending += block
        if begun or pending.strip():  # else blank lines
            reader.feed(pending)
            begun, pending = True, b""
    if not begun:
        raise InputError(source.name, "expected document ids, found none")


def _opened(given: Any, name: str) -> Source:
    source = open_text(given, name)
    if source is None:
        raise InputError(name, f"expected a path, an open file or text in TREC's format, found {shown(given)}")
    return source


# The pass


def _checked(source: Source, kind: str, limit: int, threads: int, **options: Any) -> _Together:
    """What checkers of parts of the file found, or, where these depend on each other, one of all of it."""
    threads = checked_whole_number("threads", threads) or available_threads()
    starts = query_starts(source, n_shares(source, threads))
    checkers = [Checker(kind, limit, **options) for _ in starts]
    _scan(source, kind, checkers, starts)
    tags = {one.tag for one in checkers if one.tag is not None}
    met = any(one.meets(other) for i, one in enumerate(checkers) for other in checkers[:i])
    if len(checkers) > 1 and (met or len(tags) > 1 or any(one.scattered for one in checkers)):
        checkers = [Checker(kind, limit, **options)]
        _scan(source, kind, checkers)
    if len(checkers) == 1 and checkers[0].scattered:
        checkers = [Checker(kind, limit, previous=checkers[0], **options)]
        _scan(source, kind, checkers)
    return _Together(checkers, limit)


def _scan(source: Source, kind: str, checkers: Sequence[Checker], starts: Sequence[int] | None = None) -> None:
    scan(source, checkers, starts)
    raise_problem(source, kind, checkers)


class _Together:
    """What the checkers of a file's parts found, as if one had read all of it."""

    def __init__(self, checkers: Sequence[Checker], limit: int) -> None:
        self._checkers = checkers
        self._limit = limit
        self._before = [0]  # lines before each part
        for one in checkers:
            self._before.append(self._before[-1] + one.counts[0])
        n_lines, n_records, n_queries = map(sum, zip(*(one.counts for one in checkers), strict=True))
        self.counts = (n_lines, n_records, n_queries)
        self.tag = next((one.tag for one in checkers if one.tag is not None), None)
        groups, documents, across = zip(*(one.ties for one in checkers), strict=True)
        self.ties = sum(groups), sum(documents), list(map(sum, zip(*across, strict=True)))
        queries, retrieved, judged, shares = zip(*(one.judged for one in checkers), strict=True)
        self.judged = sum(queries), sum(retrieved), sum(judged), list(map(sum, zip(*shares, strict=True)))

    def queries(self) -> list[tuple[bytes, int, int]]:
        return [
            (qid, line + before, n)
            for one, before in zip(self._checkers, self._before, strict=False)
            for qid, line, n in one.queries()
        ]

    def findings(self) -> dict[str, tuple[int, list[Any]]]:
        found: dict[str, tuple[int, list[Any]]] = {}
        for one, before in zip(self._checkers, self._before, strict=False):
            for kind, (count, places) in one.findings().items():
                total, first = found.get(kind, (0, []))
                moved = [
                    (line + before, qid, detail, other + before if other else 0, *numbers)
                    for line, qid, detail, other, *numbers in places[: self._limit - len(first)]
                ]
                found[kind] = total + count, [*first, *moved]
        return found


def _unexpected(
    checker: _Together, topics: list[bytes] | None, judged: list[bytes] | None, limit: int
) -> dict[str, tuple[int, list[Any]]]:
    """Queries that are missing or too many, and a file without records, as `Checker.findings` has the others."""
    found: dict[str, tuple[int, list[Any]]] = {}
    if checker.counts[1] == 0:
        found["no-records"] = 1, [(None, b"", b"", 0, 0, 0)]
    expected = judged if topics is None else topics
    if expected is None:
        return found
    queries = checker.queries()
    met = {qid for qid, _, _ in queries}

    def put(name: str, places: list[tuple[int | None, bytes]]) -> None:
        if places:
            found[name] = len(places), [(line, qid, b"", 0, 0, 0) for line, qid in places[:limit]]

    put("missing-query", [(None, qid) for qid in expected if qid not in met])
    for name, known in (("extra-query", topics), ("unjudged-query", judged)):
        if known is not None:
            inside = set(known)
            put(name, [(line, qid) for qid, line, _ in queries if qid not in inside])
    return found


# Words


def _problems(
    found: Mapping[str, tuple[int, Sequence[Any]]],
    file_kind: str,
    ignored: set[str],
    limit: int,
    tags: Mapping[str, str | None],
) -> list[Problem]:
    fields = " ".join(FORMATS[file_kind].fields)
    problems = []
    for name, kind in ALL_KINDS.items():
        if name in ignored or name not in found:
            continue
        count, places = found[name]
        words = [
            Place(
                line,
                _shown(qid) if qid else None,
                kind.wording.format(
                    detail=_shown(detail), other=other, number=number, expected=expected, fields=fields,
                    tag=tags.get(name),
                ),
                other or None,
            )
            for line, qid, detail, other, number, expected in places[:limit]
        ]  # fmt: skip
        problems.append(Problem(kind, count, words))
    return problems


#: Bytes of an id or field that the core keeps.
_KEPT = 200


def _shown(text: bytes) -> str:
    """Bytes of a file as a message may have them: without control characters, and not long."""
    shortened = text[:_KEPT].decode("utf-8", "ignore").encode() if len(text) >= _KEPT else text
    plain = shortened.decode("utf-8", "backslashreplace")
    plain = "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in plain)
    return plain + ("..." if len(text) >= _KEPT else "")
