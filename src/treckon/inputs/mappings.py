"""Runs and qrels as dicts of dicts."""

from __future__ import annotations

from treckon._native.mapping_reader import MappingReader
from treckon.inputs.columns import Columns
from treckon.inputs.formats.trec import LINES
from treckon.inputs.forms import as_qrels, as_run
from treckon.inputs.reading import duplicate_error, raise_problem, scan
from treckon.inputs.sources import Source
from treckon.inputs.values import QRELS, RUN, plain_mapping
from treckon.releases import RELEASE_10

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def read_run(
    run: Any, *, columns: Sequence[str] | None = None, format: str | None = None
) -> dict[str, dict[str, float]]:
    """A run as ``{query id: {document id: score}}``, in the order of the file.

    run: a path, an open file, or anything else that `treckon.evaluate` takes for a run; columns and format as there

    The rank and tag fields are not kept. Scores must be numbers to their end. Raises InputError with file and line,
    EvaluationError for a document listed twice for a query.
    """
    form = as_run(run, columns=columns, format=format)
    if isinstance(form, Source):
        return _read(form, "run")
    return form.to_mapping() if isinstance(form, Columns) else plain_mapping(form, RUN, "run")


def read_qrels(
    qrels: Any, *, columns: Sequence[str] | None = None, format: str | None = None
) -> dict[str, dict[str, int]]:
    """Judgements as ``{query id: {document id: grade}}``, in the order of the file.

    qrels: a path, an open file, or anything else that `treckon.evaluate` takes for qrels; columns and format as there

    The iteration field is not kept. Grades must be whole numbers to their end. Raises InputError with file and line,
    EvaluationError for a document listed twice for a query.
    """
    form = as_qrels(qrels, columns=columns, format=format)
    if isinstance(form, Source):
        return _read(form, "qrels")
    return form.to_mapping() if isinstance(form, Columns) else plain_mapping(form, QRELS, "qrels")  # type: ignore[return-value]


def _read(source: Source, name: str) -> dict[str, Any]:
    with source:
        return read_mapping(source, name)


def read_mapping(source: Source, name: str) -> dict[str, Any]:
    """A source of TREC's lines of a "run" or "qrels" as a dict of dicts; it stays open. Raises as `read_run` does."""
    lines = LINES[name]
    reader = MappingReader(lines, strict=True)
    scan(source, [reader])
    raise_problem(source, lines, [reader])
    if reader.duplicate is not None:
        raise duplicate_error(source, lines, *reader.duplicate, RELEASE_10)
    return reader.mapping
