"""From sources to the compiled core: which threads read what, and how what they meet is put into words."""

from __future__ import annotations

import os

from treckon._native.prefs import Prefs, PrefsBuilder
from treckon._native.qrels import QrelsBuilder
from treckon._native.scans import QrelsScan
from treckon.errors import EvaluationError, InputError, Notice, Place, shortened
from treckon.inputs.formats.trec import TREC_QRELS
from treckon.inputs.lines import partly_read
from treckon.inputs.preference_faults import PreferenceLine, describe
from treckon.measures.registry import VIEW_JUDGMENT_GROUPS
from treckon.records import Record
from treckon.releases import RELEASE_9, RELEASE_10

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from treckon._native.line_formats import LineFormat
    from treckon._native.qrels import Qrels
    from treckon.inputs.formats.registry import Format
    from treckon.inputs.sources import Source

    class Scan(Protocol):
        """What reads a share of a file."""

        @property
        def problem(self) -> tuple[str, int, int] | None: ...
        @property
        def partial_values(self) -> tuple[int, int]: ...
        def scan_file(self, fd: int, begin: int, end: int) -> None: ...
        def feed(self, text: bytes) -> bool: ...
        def end(self) -> None: ...
        def cancel(self) -> None: ...


#: Bytes of a run that are worth a thread.
_SHARE_SIZE = 1 << 20
_NO_END = (1 << 63) - 1


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
        threading.Thread(target=share.scan_file, args=(fd, begin, end), daemon=True)
        for share, begin, end in zip(scans, bounds, bounds[1:], strict=False)
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:  # an interrupt: the threads must be gone before the memory that they use
        for share in scans:
            share.cancel()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        raise


def _scan_stream(source: Source, whole: Scan) -> None:
    from treckon.inputs.sources import prefetched

    # A thread that waits for a pipe's writer could be neither interrupted nor joined.
    blocks = prefetched(source.blocks()) if source.regular else source.blocks()
    try:
        for block in blocks:
            if not whole.feed(block):
                return
        whole.end()
    finally:
        blocks.close()


def raise_problem(source: Source, lines: LineFormat, scans: Sequence[Scan]) -> None:
    """Raises the InputError of the first line that stopped one of the scans, if any did."""
    problem = next((share.problem for share in scans if share.problem is not None), None)
    if problem is None:
        return
    kind, position, number = problem
    if kind == "read-failed":
        raise source.unreadable(os.strerror(number))
    from treckon.inputs.problems import wording  # slow, and wanted only here

    line_number, line = source.line_at(position)
    text = wording(kind, lines, detail=shortened(_value(line, lines)), number=number, expected=len(lines.fields))
    raise InputError(_place(source, line_number), text)


def _place(source: Source, line: int) -> Place:
    return Place(source.name, line=line, is_file=True)


def _value(line: bytes, lines: LineFormat) -> str:
    """The field of a line that holds its value; "" where the line, or what is known of it, has fewer."""
    fields = line.split(None, lines.value + 1)
    return os.fsdecode(fields[lines.value]) if len(fields) > lines.value else ""


def _expected_value(lines: LineFormat) -> str:
    return f"{'a whole number' if lines.value_kind == 'grade' else 'a number'} as {lines.fields[lines.value]}"


def value_warnings(source: Source, lines: LineFormat, scans: Sequence[Scan]) -> tuple[Notice, ...]:
    """The warning about values that are no numbers to their end: how many there are, and where the first one is."""
    counts = [share.partial_values for share in scans if share.partial_values[0]]
    if not counts:
        return ()
    number, line = source.line_at(min(position for _, position in counts))
    return (
        partly_read(
            _place(source, number),
            _expected_value(lines),
            _value(line, lines),
            lines.fields[lines.value],
            sum(n for n, _ in counts),
        ),
    )


class Judgements(Record):
    """The judgements of a file, and the source for messages that name its lines.

    warnings: about values that were read only in part
    """

    table: Qrels
    source: Source
    form: Format
    release: str
    warnings: tuple[Notice, ...]

    def fault(self, query: int) -> EvaluationError:
        """The error for a query whose judgements can't be evaluated."""
        if isinstance(self.table, Prefs):
            return self._preference_error(self.table, query)
        return self.duplicate_error(query)

    def duplicate_error(self, query: int) -> EvaluationError:
        """The error for a query in which a document is listed twice."""
        group, docno = self.table.duplicate(query)
        return duplicate_error(self.source, self._lines, self.table.query_id(query), docno, self.release, group)

    @property
    def _lines(self) -> LineFormat:
        assert self.form.lines is not None
        return self.form.lines

    def _preference_error(self, table: Prefs, query: int) -> EvaluationError:
        kind, group, docno = table.fault(query)
        qid, lines = table.query_id(query), self._lines
        of_group = [
            PreferenceLine(
                number,
                b"" if lines.subgroup is None else fields[lines.subgroup],
                fields[lines.docno],
                fields[lines.value],
                table.release,
            )
            for number, fields in _lines_of_query(self.source, lines, qid, self.release)
            if lines.group is not None and fields[lines.group] == group
        ]
        where = f"query '{shortened(qid)}' and group '{shortened(group)}'"
        number, problem = describe(kind, docno, where, of_group)
        return EvaluationError(problem, place=_place(self.source, number))


def read_qrels(
    source: Source, form: Format = TREC_QRELS, *, release: str = RELEASE_10, strict: bool = False
) -> Judgements:
    """Reads judgements of a format of lines. Raises InputError with file and line.

    A document listed twice is an error here only where the judgements are grades by groups; in qrels it is one when its
    query is evaluated, as in trec_eval. So are preferences that contradict each other.
    """
    lines = form.lines
    if lines is None:
        raise ValueError(f"expected a format that the scanner reads, found {form.name!r}")
    builder = PrefsBuilder() if lines.value_kind == "level" else QrelsBuilder()
    qrels_scan = QrelsScan(builder, lines, release == RELEASE_9, strict)
    scan(source, [qrels_scan])
    raise_problem(source, lines, [qrels_scan])
    table = builder.finish(release, lines.group is not None)
    judgements = Judgements(table, source, form, release, value_warnings(source, lines, [qrels_scan]))
    if form.view == VIEW_JUDGMENT_GROUPS and (query := table.first_duplicate()) >= 0:
        error = judgements.duplicate_error(query)
        raise InputError(error.place, error.problem)
    return judgements


def _lines_of_query(source: Source, lines: LineFormat, qid: bytes, release: str) -> Iterator[tuple[int, list[bytes]]]:
    """Numbers and fields of a query's lines in a file that was read without an error; reads it again."""
    for number, line in source.lines():
        fields = line.split()
        if line.startswith(b"#") and release != RELEASE_9:  # a comment, which may look like a line of query '#...'
            continue
        if len(fields) >= len(lines.fields) and fields[0] == qid:
            yield number, fields


def duplicate_error(
    source: Source, lines: LineFormat, qid: bytes, docno: bytes, release: str, group: bytes | None = None
) -> EvaluationError:
    """The error for a document listed twice for a query (and group): names both lines."""
    numbers = [
        number
        for number, fields in _lines_of_query(source, lines, qid, release)
        if fields[lines.docno] == docno and (group is None or lines.group is None or fields[lines.group] == group)
    ]
    in_group = f" and group '{shortened(group)}'" if group is not None else ""
    return EvaluationError(
        f"expected each document once for a query{' and group' if group is not None else ''}, found document "
        f"'{shortened(docno)}' of query '{shortened(qid)}'{in_group} on line {numbers[0]} too",
        place=_place(source, numbers[1]),
    )
