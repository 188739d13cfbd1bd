"""Runs and qrels to files in each format that can be read, such that what is read back is the same."""

from __future__ import annotations

from treckon.checks import checked_whole_number
from treckon.errors import InputError, ParameterError
from treckon.inputs.columns import Columns
from treckon.inputs.fields import WHITE_SPACE, field, in_rank_order
from treckon.inputs.formats import registry
from treckon.inputs.sinks import write_whole
from treckon.inputs.sources import compressed
from treckon.inputs.values import QRELS, RUN, DataKind, mapping_of, plain_mapping, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    from treckon.inputs.formats.registry import Format

    Path = str | bytes | os.PathLike[Any]
    Data = Mapping[Any, Mapping[Any, object]] | Columns
    Plain: TypeAlias = dict[str, dict[str, float]]


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
    if not isinstance(tag, str) or not tag or any(character in tag for character in WHITE_SPACE + "\0"):
        raise ParameterError(f"tag: expected text without white space, found {shown(tag)}")
    field(tag, "tag")  # refuses what has no bytes
    depth = None if depth is None else checked_whole_number("depth", depth, 1)
    form = _writable(registry.RUN, format)
    plain = _plain(run, RUN)
    return _pieces(form, plain if depth is None else _cut(plain, depth), tag)


def qrels_text(qrels: Data, format: str = "trec") -> Iterator[bytes]:
    """What `write_qrels` writes, in pieces."""
    form = _writable(registry.QRELS, format)
    return _pieces(form, _plain(qrels, QRELS))


def pair_text(qrels: Data, run: Data, format: str = "paste") -> Iterator[bytes]:
    """Qrels and a run as one text, in pieces.

    format: paste  lines ``query TAB ranked ids TAB relevant ids``, ids separated by blanks; ids in the order in which
                   trec_eval ranks them. Scores are not kept, and of the qrels the documents of grade 1 and more
            json   {query id: {"ranked": {document id: score}, "relevant": {document id: grade}}}

    Every query of either is there; where one has nothing on it, its documents are none. Raises as `run_text` does.
    """
    form = _writable(registry.PAIR, format)
    return _pieces(form, _plain(qrels, QRELS), _plain(run, RUN))


def writable_formats(holds: str) -> dict[str, Format]:
    """The formats that can be written, by name."""
    return {form.name: form for form in registry.formats_of(holds) if form.write is not None}


def _writable(holds: str, name: str) -> Format:
    formats = writable_formats(holds)
    if name not in formats:
        raise ParameterError(f"format: expected one of {', '.join(formats)}, found {shown(name)}")
    return formats[name]


def _pieces(form: Format, *data: Plain | str) -> Iterator[bytes]:
    assert form.write is not None
    return form.write(*data)


def _plain(data: object, kind: DataKind) -> Plain:
    if isinstance(data, Columns):
        data = data.to_mapping()
    mapping = mapping_of(data, kind.name)
    if mapping is None:
        raise InputError(kind.name, f"expected a mapping or Columns, found {shown(data)}")
    return plain_mapping(mapping, kind, kind.name)


def _cut(run: Plain, depth: int) -> Plain:
    """The first documents of each query, in the order they came in."""
    shorter = {}
    for query, documents in run.items():
        kept = set(in_rank_order(documents)[:depth])
        shorter[query] = {document: score for document, score in documents.items() if document in kept}
    return shorter
