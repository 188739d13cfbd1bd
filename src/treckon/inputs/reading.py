"""From sources to the compiled core: which threads read what, and how what they meet is put into words."""

from __future__ import annotations

import os

from treckon._native.engine import QrelsScan
from treckon._native.prefs import Prefs, PrefsBuilder
from treckon._native.qrels import QrelsBuilder
from treckon.errors import EvaluationError, InputError, Notice, Place, shortened
from treckon.inputs.formats.trec import JUDGEMENT_FORMATS, LINES_BY_RANK, RUN_LINES
from treckon.inputs.preference_faults import PreferenceLine, describe
from treckon.releases import RELEASE_9

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from treckon._native.lines import LineFormat
    from treckon._native.qrels import Qrels
    from treckon.inputs.sources import Source

    class Scan(Protocol):
        """What reads a share of a file."""

        @property
        def problem(self) -> tuple[str, int, int] | None: ...
        @property
        def doubts(self) -> tuple[int, int]: ...
        def scan_file(self, fd: int, begin: int, end: int) -> None: ...
        def feed(self, text: bytes) -> bool: ...
        def end(self) -> None: ...
        def cancel(self) -> None: ...


#: Bytes of a run that are worth a thread.
_SHARE_SIZE = 1 << 20
_NO_END = (1 << 63) - 1

#: The lines of TREC's formats by trec_eval's names of judgements, "run" and "run by rank".
FORMATS: dict[str, LineFormat] = {
    "run": RUN_LINES,
    "run by rank": LINES_BY_RANK,
    **{name: form.lines for name, form in JUDGEMENT_FORMATS.items() if form.lines is not None},
}


def n_shares(source: Source, threads: int) -> int:
    """In how many shares threads read a source: a stream can't be shared, and a small file isn't worth it."""
    if source.plain is None:
        return 1
    return max(1, min(threads, source.plain[1] // _SHARE_SIZE))


def query_starts(source: Source, n: int) -> list[int]:
    """Where up to n shares of a source begin such that each begins with a query's first line; the first is 0.

    There are fewer where that isn't found nearby. Lines of a query that lie apart may still be in several shares.
    """
    starts = [0]
    for i in range(1, n if source.plain and hasattr(os, "pread") else 1):
        fd, size = source.plain or (-1, 0)
        at = size * i // n
        lines = os.pread(fd, _SHARE_SIZE, at).split(b"\n")
        query: bytes | None = None
        at += len(lines[0]) + 1
        for line in lines[1:-1]:
            fields = line.split(None, 1)
            if fields and query not in (None, fields[0]) and at > starts[-1]:
                starts.append(at)
                break
            query = query if not fields else fields[0]
            at += len(line) + 1
    return starts


def scan(source: Source, scans: Sequence[Scan], starts: Sequence[int] | None = None) -> None:
    """Reads all of a source, one share each, as many as `n_shares` says. Raises the first InputError of the file.

    starts: where each share begins; None: anywhere
    """
    if source.plain is None:
        _scan_stream(source, scans[0])
    elif source.plain[1] < _SHARE_SIZE:
        scans[0].scan_file(source.plain[0], 0, _NO_END)
    else:
        _scan_shares(source.plain, scans, starts)


def _scan_shares(plain: tuple[int, int], scans: Sequence[Scan], starts: Sequence[int] | None = None) -> None:
    import threading

    fd, size = plain
    bounds = [*(starts or [size * i // len(scans) for i in range(len(scans))]), _NO_END]
    threads = [
        threading.Thread(target=one.scan_file, args=(fd, begin, end), daemon=True)
        for one, begin, end in zip(scans, bounds, bounds[1:], strict=False)
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:  # an interrupt: the threads must be gone before the memory that they use
        for one in scans:
            one.cancel()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        raise


def _scan_stream(source: Source, one: Scan) -> None:
    from treckon.inputs.sources import prefetched

    # A thread that waits for a pipe's writer could be neither interrupted nor joined.
    blocks = prefetched(source.blocks()) if source.regular else source.blocks()
    try:
        for block in blocks:
            if not one.feed(block):
                return
        one.end()
    finally:
        blocks.close()


def raise_problem(source: Source, file_format: str, scans: Sequence[Scan]) -> None:
    """Raises the InputError of the first line that stopped one of the scans, if any did."""
    problem = next((one.problem for one in scans if one.problem is not None), None)
    if problem is None:
        return
    kind, position, found = problem
    if kind == "read":
        raise source.unreadable(os.strerror(found))
    number, line = source.line_at(position)
    form = FORMATS[file_format]
    value = shortened(_value(line, form))
    not_a_number = f"expected {_expected_value(form)}, found '{value}'"
    problems = {
        "fields": f"expected {len(form.fields)} fields ({' '.join(form.fields)}), found {found}",
        "nul": "expected text, found a NUL byte",
        "cr": "expected lines that end with LF or CR LF, found CR alone",
        "nan": not_a_number,
        "not a number": not_a_number,
        "grade too large": f"expected a grade of at most 32 bits, found '{value}'",
        "line too long": f"expected a line of at most {form.longest_line >> 20} MiB, found a longer one",
    }
    raise InputError(f"{source.name}:{number}", problems[kind])


def _value(line: bytes, form: LineFormat) -> str:
    """The field of a line that holds its value; "" where the line, or what is known of it, has fewer."""
    fields = line.split(None, form.value + 1)
    return os.fsdecode(fields[form.value]) if len(fields) > form.value else ""


def _expected_value(form: LineFormat) -> str:
    return f"{'a whole number' if form.value_kind == 'grade' else 'a number'} as {form.fields[form.value]}"


class Doubts:
    """Values that are no numbers to their end: how many a file has, and where the first one stands."""

    __slots__ = ("file_format", "n", "position", "source")

    def __init__(self, source: Source, file_format: str, scans: Sequence[Scan]) -> None:
        self.source = source
        self.file_format = file_format
        self.n = sum(one.doubts[0] for one in scans)
        self.position = min((one.doubts[1] for one in scans if one.doubts[0]), default=0)

    def warning(self) -> Notice | None:
        """One sentence, or None where there is no such value."""
        if not self.n:
            return None
        form = FORMATS[self.file_format]
        number, line = self.source.line_at(self.position)
        found = (
            f"'{shortened(_value(line, form))}'; read up to the first character that is no part of one, "
            f"as trec_eval does (such {form.fields[form.value]}s: {self.n})"
        )
        place = Place(self.source.name, line=number)
        return Notice(place=place, expected=_expected_value(form), found=found, kind="not a number")


class Judgements:
    """The judgements of a file, and the source for messages that name its lines."""

    __slots__ = ("doubts", "file_format", "release", "source", "table")

    def __init__(self, table: Qrels, source: Source, file_format: str, release: str, doubts: Doubts) -> None:
        self.table = table
        self.release = release
        self.source = source
        self.file_format = file_format
        self.doubts = doubts

    def fault(self, query: int) -> EvaluationError:
        """The error for a query whose judgements can't be evaluated."""
        if isinstance(self.table, Prefs):
            return self._preference_error(self.table, query)
        return self.duplicate_error(query)

    def duplicate_error(self, query: int) -> EvaluationError:
        """The error for a query in which a document stands twice."""
        group, docno = self.table.duplicate(query)
        qid = self.table.query_id(query)
        place, problem = duplicate_lines(self.source, self.file_format, qid, docno, self.release, group)
        return EvaluationError(f"{place}: {problem}")

    def _preference_error(self, table: Prefs, query: int) -> EvaluationError:
        kind, group, docno = table.fault(query)
        qid = table.query_id(query)
        form = FORMATS[self.file_format]
        lines = [
            PreferenceLine(
                number,
                b"" if form.subgroup is None else fields[form.subgroup],
                fields[form.docno],
                fields[form.value],
                table.release,
            )
            for number, fields in records_of(self.source, self.file_format, qid, self.release)
            if form.group is not None and fields[form.group] == group
        ]
        where = f"query '{shortened(qid)}' and group '{shortened(group)}'"
        number, problem = describe(kind, docno, where, lines)
        return EvaluationError(f"{self.source.name}:{number}: {problem}")


def read_qrels(
    source: Source, file_format: str = "qrels", *, release: str = "10.0", strict: bool = False
) -> Judgements:
    """Reads judgements of the format qrels, qrels_jg, prefs or qrels_prefs. Raises InputError with file and line.

    A document that stands twice is an error here only in the format qrels_jg; in qrels it is one when its query is
    evaluated, as in trec_eval. So are preferences that contradict each other.
    """
    form = FORMATS[file_format]
    builder = PrefsBuilder() if form.value_kind == "level" else QrelsBuilder()
    one = QrelsScan(builder, form, release == RELEASE_9, strict)
    scan(source, [one])
    raise_problem(source, file_format, [one])
    table = builder.finish(release, form.group is not None)
    judgements = Judgements(table, source, file_format, release, Doubts(source, file_format, [one]))
    if file_format == "qrels_jg" and (query := table.first_duplicate()) >= 0:
        group, docno = table.duplicate(query)
        raise InputError(*duplicate_lines(source, file_format, table.query_id(query), docno, release, group))
    return judgements


def records_of(source: Source, file_format: str, qid: bytes, release: str) -> Iterator[tuple[int, list[bytes]]]:
    """Numbers and fields of a query's lines in a file that was read without an error; reads it again."""
    for number, line in source.lines():
        fields = line.split()
        if line.startswith(b"#") and release != RELEASE_9:  # a comment, which may look like a line of query '#...'
            continue
        if len(fields) >= len(FORMATS[file_format].fields) and fields[0] == qid:
            yield number, fields


def duplicate_lines(
    source: Source, file_format: str, qid: bytes, docno: bytes, release: str, group: bytes | None = None
) -> tuple[str, str]:
    """Place and problem of a document that stands twice for a query (and group): names both lines."""
    form = FORMATS[file_format]
    numbers = [
        number
        for number, fields in records_of(source, file_format, qid, release)
        if fields[form.docno] == docno and (group is None or form.group is None or fields[form.group] == group)
    ]
    in_group = f" and group '{shortened(group)}'" if group is not None else ""
    return (
        f"{source.name}:{numbers[1]}",
        f"expected each document once for a query{' and group' if group is not None else ''}, found document "
        f"'{shortened(docno)}' of query '{shortened(qid)}'{in_group} on line {numbers[0]} too",
    )
