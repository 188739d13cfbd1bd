"""Runs and qrels to files in TREC's format, such that what is read back is the same."""

from __future__ import annotations

from collections.abc import Mapping

from treckon.errors import InputError, ParameterError
from treckon.files import write_whole
from treckon.inputs.columns import Columns
from treckon.inputs.values import QRELS, RUN, Kind, plain_mapping, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from typing import Any

    Path = str | bytes | os.PathLike[Any]

_WHITE_SPACE = " \t\n\v\f\r"


def write_run(
    run: Mapping[Any, Mapping[Any, object]] | Columns, path: Path, *, tag: str = "treckon", depth: int | None = None
) -> None:
    """Writes a run as lines ``qid Q0 docno rank score tag``.

    run:   {query id: {document id: score}} or `Columns`
    path:  of the file, which is written whole or not at all
    tag:   the run's name, without white space
    depth: how many documents of a query are written, None: all. Where the last ones have equal scores, those stay that
           trec_eval ranks first: the ones with the greatest ids.

    A query's documents stand in the order of falling scores; those of equal scores stay in the order they came in.
    Scores have all the digits it takes to read the same number. A query without documents has no lines.

    Raises InputError for ids that can't stand in such a file and for data that are no run, ParameterError for a tag or
    depth that can't be, OSError where the file can't be written.
    """
    if not isinstance(tag, str) or not tag or any(c in tag for c in _WHITE_SPACE + "\0"):
        raise ParameterError(f"tag: expected text without white space, found {shown(tag)}")
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
        raise ParameterError(f"depth: expected a whole number from 1 or None, found {shown(depth)}")
    write_whole(_run_lines(_plain(run, RUN, "run"), _field(tag, "tag"), depth), path)


def write_qrels(qrels: Mapping[Any, Mapping[Any, object]] | Columns, path: Path) -> None:
    """Writes qrels as lines ``qid 0 docno grade``.

    qrels: {query id: {document id: grade}} or `Columns`
    path:  of the file, which is written whole or not at all

    A query without documents has no lines. Raises InputError for ids that can't stand in such a file and for data that
    are no qrels, OSError where the file can't be written.
    """
    write_whole(_qrels_lines(_plain(qrels, QRELS, "qrels")), path)


def _plain(data: object, kind: Kind, name: str) -> dict[str, dict[str, float]]:
    if isinstance(data, Columns):
        data = data.to_mapping()
    if not isinstance(data, Mapping):
        raise InputError(name, f"expected a mapping or Columns, found {shown(data)}")
    return plain_mapping(data, kind, name)


def _run_lines(run: dict[str, dict[str, float]], tag: bytes, depth: int | None) -> Iterator[bytes]:
    for query, documents in run.items():
        qid = _query_field(query, "run")
        docnos = {document: _field(document, f"run: query {query!r}") for document in documents}
        ranked = sorted(documents, key=documents.__getitem__, reverse=True)
        if depth is not None and depth < len(ranked):
            first = sorted(ranked, key=lambda document: (documents[document], docnos[document]), reverse=True)
            kept = set(first[:depth])
            ranked = [document for document in ranked if document in kept]
        yield b"".join(
            b"%b Q0 %b %d %b %b\n" % (qid, docnos[document], rank, repr(documents[document]).encode("ascii"), tag)
            for rank, document in enumerate(ranked, 1)
        )


def _qrels_lines(qrels: dict[str, dict[str, float]]) -> Iterator[bytes]:
    for query, documents in qrels.items():
        qid = _query_field(query, "qrels")
        place = f"qrels: query {query!r}"
        yield b"".join(b"%b 0 %b %d\n" % (qid, _field(document, place), grade) for document, grade in documents.items())


def _query_field(query: str, name: str) -> bytes:
    if query.startswith("#"):
        raise InputError(f"{name}: query {query!r}", "expected an id that can begin a line, found '#', as of comments")
    if query.startswith("\ufeff"):
        raise InputError(f"{name}: query {query!r}", "expected an id that can begin a file, found a byte order mark")
    return _field(query, name)


def _field(text: str, place: str) -> bytes:
    """The bytes of a field. Raises InputError for text that would not be read as this one field."""
    problem = ""
    if not text:
        problem = "empty text"
    elif any(c in text for c in _WHITE_SPACE):
        problem = "white space"
    elif "\0" in text:
        problem = "NUL"
    else:
        try:
            field = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            field = b""
        if field.decode("utf-8", "surrogateescape") != text:
            problem = "a lone surrogate"
    if problem:
        raise InputError(place, f"expected an id that can stand in TREC's format, found {problem} in {text!r}")
    return field
