"""Runs and qrels as dicts of dicts."""

from __future__ import annotations

from treckon._native.objects import MappingReader
from treckon.errors import EvaluationError
from treckon.inputs.columns import Columns
from treckon.inputs.forms import as_qrels, as_run
from treckon.inputs.reading import FORMATS, duplicate_lines, raise_problem, scan
from treckon.inputs.sources import Source
from treckon.inputs.values import QRELS, RUN, plain_mapping

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
    EvaluationError for a document that stands twice for a query.
    """
    given = as_run(run, columns=columns, format=format)
    if isinstance(given, Source):
        return _read(given, "run")
    return given.to_mapping() if isinstance(given, Columns) else plain_mapping(given, RUN, "run")


def read_qrels(
    qrels: Any, *, columns: Sequence[str] | None = None, format: str | None = None
) -> dict[str, dict[str, int]]:
    """Judgements as ``{query id: {document id: grade}}``, in the order of the file.

    qrels: a path, an open file, or anything else that `treckon.evaluate` takes for qrels; columns and format as there

    The iteration field is not kept. Grades must be whole numbers to their end. Raises InputError with file and line,
    EvaluationError for a document that stands twice for a query.
    """
    given = as_qrels(qrels, columns=columns, format=format)
    if isinstance(given, Source):
        return _read(given, "qrels")
    return given.to_mapping() if isinstance(given, Columns) else plain_mapping(given, QRELS, "qrels")  # type: ignore[return-value]


def _read(source: Source, file_format: str) -> dict[str, Any]:
    with source:
        return read_mapping(source, file_format)


def read_mapping(source: Source, file_format: str) -> dict[str, Any]:
    """A source of TREC's format "run" or "qrels" as a dict of dicts; it stays open. Raises as `read_run` does."""
    reader = MappingReader(FORMATS[file_format], strict=True)
    scan(source, [reader])
    raise_problem(source, file_format, [reader])
    if reader.duplicate is not None:
        place, problem = duplicate_lines(source, file_format, *reader.duplicate, "10.0")
        raise EvaluationError(f"{place}: {problem}")
    return reader.mapping
