"""Runs and qrels to files in each format that can be read, such that what is read back is the same."""

from __future__ import annotations

import math

from treckon.checks import checked_whole_number
from treckon.errors import InputError, ParameterError, in_short
from treckon.inputs.columns import Columns
from treckon.inputs.sinks import write_whole
from treckon.inputs.sources import compressed
from treckon.inputs.values import QRELS, RUN, Kind, document_place, mapping_of, plain_mapping, query_place, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias, TypeVar

    Path = str | bytes | os.PathLike[Any]
    Data = Mapping[Any, Mapping[Any, object]] | Columns
    Plain: TypeAlias = dict[str, dict[str, float]]
    Text = TypeVar("Text")

_WHITE_SPACE = " \t\n\v\f\r"


def write_run(run: Data, path: Path, *, format: str = "trec", tag: str = "treckon", depth: int | None = None) -> None:
    """Writes a run.

    run:    {query id: {document id: score}} or `Columns`
    path:   of the file, which is written whole or not at all; compressed where its name ends in .gz, .bz2, .xz or .zst
    format: one of
            trec     lines ``qid Q0 docno rank score tag``
            tsv      a line with the names query_id, doc_id and score, then the cells, a TAB between
            json     {query id: {document id: score}}
            msmarco  lines ``qid docid rank`` with a TAB between: the order is kept, the scores are not
    tag:    the run's name in the format trec, without white space
    depth:  how many documents of a query are written, None: all. Where the last ones have equal scores, those stay that
            trec_eval ranks first: the ones with the greatest ids.

    In the format trec a query's documents stand in the order of falling scores, those of equal scores in the order they
    came in; in msmarco in the order in which trec_eval ranks them; else as they came. Scores have all the digits it
    takes to read the same number. A query without documents stands in JSON only.

    Raises InputError for ids and numbers that can't stand in such a file and for data that are no run, ParameterError
    for a format, tag or depth that can't be, OSError where the file can't be written.
    """
    write_whole(compressed(run_text(run, format, tag=tag, depth=depth), path), path)


def write_qrels(qrels: Data, path: Path, *, format: str = "trec") -> None:
    """Writes qrels.

    qrels:  {query id: {document id: grade}} or `Columns`
    path:   of the file, which is written whole or not at all; compressed where its name ends in .gz, .bz2, .xz or .zst
    format: one of
            trec     lines ``qid 0 docno grade``
            tsv      a line with the names query_id, doc_id and relevance, then the cells, a TAB between
            json     {query id: {document id: grade}}
            msmarco  as trec, with a TAB between

    A query without documents stands in JSON only. Raises InputError for ids that can't stand in such a file and for
    data that are no qrels, ParameterError for another format, OSError where the file can't be written.
    """
    write_whole(compressed(qrels_text(qrels, format), path), path)


def run_text(run: Data, format: str = "trec", *, tag: str = "treckon", depth: int | None = None) -> Iterator[bytes]:
    """What `write_run` writes, in pieces."""
    if not isinstance(tag, str) or not tag or any(c in tag for c in _WHITE_SPACE + "\0"):
        raise ParameterError(f"tag: expected text without white space, found {shown(tag)}")
    depth = None if depth is None else checked_whole_number("depth", depth, 1)
    name = _field(tag, "tag")
    texts: dict[str, Callable[[Plain], Iterator[bytes]]] = {
        "trec": lambda plain: _trec_run(plain, name),
        "tsv": lambda plain: _tsv(plain, RUN, "run"),
        "json": lambda plain: _json(plain, "run"),
        "msmarco": _msmarco_run,
    }
    text = _of_format(texts, format)
    plain = _plain(run, RUN, "run")
    return text(plain if depth is None else _cut(plain, depth))


def qrels_text(qrels: Data, format: str = "trec") -> Iterator[bytes]:
    """What `write_qrels` writes, in pieces."""
    texts: dict[str, Callable[[Plain], Iterator[bytes]]] = {
        "trec": lambda plain: _trec_qrels(plain, b" "),
        "tsv": lambda plain: _tsv(plain, QRELS, "qrels"),
        "json": lambda plain: _json(plain, "qrels"),
        "msmarco": lambda plain: _trec_qrels(plain, b"\t"),
    }
    text = _of_format(texts, format)
    return text(_plain(qrels, QRELS, "qrels"))


def pastes_text(qrels: Data, run: Data, format: str = "paste") -> Iterator[bytes]:
    """Qrels and a run as one text, in pieces.

    format: paste  lines ``query TAB ranked ids TAB relevant ids``, ids separated by blanks; ids in the order in which
                   trec_eval ranks them. Scores are not kept, and of the qrels the documents of grade 1 and more
            json   {query id: {"ranked": {document id: score}, "relevant": {document id: grade}}}

    Every query of either is there; where one has nothing on it, its documents are none. Raises as `run_text` does.
    """
    texts: dict[str, Callable[[tuple[Plain, Plain]], Iterator[bytes]]] = {
        "paste": lambda both: _tsv_pastes(*both),
        "json": lambda both: _json_pastes(*both),
    }
    text = _of_format(texts, format)
    return text((_plain(qrels, QRELS, "qrels"), _plain(run, RUN, "run")))


def _of_format(texts: dict[str, Text], format: str) -> Text:
    if format not in texts:
        raise ParameterError(f"format: expected one of {', '.join(texts)}, found {shown(format)}")
    return texts[format]


def _plain(data: object, kind: Kind, name: str) -> Plain:
    if isinstance(data, Columns):
        data = data.to_mapping()
    mapping = mapping_of(data, name)
    if mapping is None:
        raise InputError(name, f"expected a mapping or Columns, found {shown(data)}")
    return plain_mapping(mapping, kind, name)


# Rankings


def _ranked(documents: dict[str, float]) -> list[str]:
    """Documents as trec_eval ranks them."""

    def key(document: str) -> tuple[float, bytes]:
        try:
            return documents[document], document.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # not out of a file; formats of bytes refuse it
            return documents[document], document.encode("utf-8", "surrogatepass")

    return sorted(documents, key=key, reverse=True)


def _cut(run: Plain, depth: int) -> Plain:
    """The first documents of each query, in the order they came in."""
    found = {}
    for query, documents in run.items():
        kept = set(_ranked(documents)[:depth])
        found[query] = {document: score for document, score in documents.items() if document in kept}
    return found


# Each format


def _trec_run(run: Plain, tag: bytes) -> Iterator[bytes]:
    for query, documents in run.items():
        qid = _query_field(query, "run")
        place = query_place("run", query)
        yield b"".join(
            b"%b Q0 %b %d %b %b\n" % (qid, _field(one, place), rank, repr(documents[one]).encode("ascii"), tag)
            for rank, one in enumerate(sorted(documents, key=documents.__getitem__, reverse=True), 1)
        )


def _trec_qrels(qrels: Plain, between: bytes) -> Iterator[bytes]:
    for query, documents in qrels.items():
        qid = _query_field(query, "qrels")
        place = query_place("qrels", query)
        yield b"".join(
            between.join((qid, b"0", _field(document, place), b"%d\n" % grade)) for document, grade in documents.items()
        )


def _msmarco_run(run: Plain) -> Iterator[bytes]:
    for query, documents in run.items():
        qid = _query_field(query, "run")
        place = query_place("run", query)
        yield b"".join(b"%b\t%b\t%d\n" % (qid, _field(one, place), i) for i, one in enumerate(_ranked(documents), 1))


def _tsv(data: Plain, kind: Kind, name: str) -> Iterator[bytes]:
    yield "\t".join(("query_id", "doc_id", kind.value_names[0])).encode() + b"\n"
    for query, documents in data.items():
        qid = _cell(query, name)
        place = query_place(name, query)
        yield b"".join(
            b"%b\t%b\t%b\n" % (qid, _cell(document, place), repr(value).encode("ascii"))
            for document, value in documents.items()
        )


def _json(data: Plain, name: str) -> Iterator[bytes]:
    """A line a query."""
    from json import dumps

    yield b"{"
    between = b"\n"
    for query, documents in data.items():
        _check_finite(documents, query, name)
        yield b"%b%b: %b" % (between, dumps(query).encode("ascii"), dumps(documents).encode("ascii"))
        between = b",\n"
    yield b"\n}\n"


def _json_pastes(qrels: Plain, run: Plain) -> Iterator[bytes]:
    from json import dumps

    yield b"{"
    between = b"\n"
    for query in {**run, **qrels}:
        ranked = run.get(query, {})
        _check_finite(ranked, query, "run")
        parts = {"ranked": ranked, "relevant": qrels.get(query, {})}
        yield b"%b%b: %b" % (between, dumps(query).encode("ascii"), dumps(parts).encode("ascii"))
        between = b",\n"
    yield b"\n}\n"


def _tsv_pastes(qrels: Plain, run: Plain) -> Iterator[bytes]:
    for query in {**run, **qrels}:
        place = query_place("paste", query)
        if query != query.strip().lstrip("#\ufeff") or not query:
            raise InputError(
                place, "expected an id that can begin a line: no blank, '#' or byte order mark at its start"
            )
        ranked = (_item(document, place) for document in _ranked(run.get(query, {})))
        relevant = (_item(document, place) for document, grade in qrels.get(query, {}).items() if grade >= 1)
        yield b"\t".join((_cell(query, place), b" ".join(ranked), b" ".join(relevant))) + b"\n"


# Ids


def _check_finite(documents: dict[str, float], query: str, name: str) -> None:
    for document, value in documents.items():
        if not math.isfinite(value):
            place = document_place(name, query, document)
            raise InputError(place, f"expected a finite number, as JSON has them, found {value}")


def _query_field(query: str, name: str) -> bytes:
    if query.startswith("#"):
        raise InputError(query_place(name, query), "expected an id that can begin a line, found '#', as of comments")
    if query.startswith("\ufeff"):
        raise InputError(query_place(name, query), "expected an id that can begin a file, found a byte order mark")
    return _field(query, name)


def _field(text: str, place: str) -> bytes:
    """The bytes of a field between white space. Raises InputError for text that would not be read as this one field."""
    if not text:
        problem = "empty text"
    elif any(c in text for c in _WHITE_SPACE):
        problem = "white space"
    elif "\0" in text:
        problem = "NUL"
    else:
        return _bytes(text, place, "TREC's format")
    raise InputError(place, f"expected an id that can stand in TREC's format, found {problem} in {in_short(text)}")


def _cell(text: str, place: str) -> bytes:
    """The bytes of a cell between TABs."""
    if "\t" in text or "\n" in text:
        raise InputError(place, f"expected an id that can stand in TSV, found a TAB or line end in {in_short(text)}")
    return _bytes(text, place, "TSV")


def _item(text: str, place: str) -> bytes:
    """The bytes of an id in a list of a paste."""
    if text.replace(",", " ").split() != [text]:
        raise InputError(
            place, f"expected an id that can stand in a list, found white space or a comma in {in_short(text)}"
        )
    return _field(text, place)


def _bytes(text: str, place: str, format: str) -> bytes:
    """The bytes that are read as this text."""
    try:
        found = text.encode("utf-8", "surrogateescape")
        if found.decode("utf-8", "surrogateescape") == text:
            return found
    except UnicodeEncodeError:
        pass
    raise InputError(place, f"expected an id that can stand in {format}, found a lone surrogate in {in_short(text)}")
