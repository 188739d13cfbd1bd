"""Tables with a TAB between their cells, under a line with names or in the order query, document and value."""

from __future__ import annotations

from functools import partial

from treckon.errors import InputError, in_short
from treckon.inputs.fields import MAYBE_ANOTHER, GrowingColumns, encoded, is_number, number_of
from treckon.inputs.formats.registry import EMPTY_QUERIES, FALLBACK, NAMED, NO, POSSIBLE, Beginning, Format, register
from treckon.inputs.lines import fields_error, text_of
from treckon.inputs.tables import chosen_columns, named_columns, usual_names
from treckon.inputs.values import QRELS, RUN, DataKind, query_place
from treckon.scalars import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from treckon.inputs.columns import Columns
    from treckon.inputs.formats.registry import Names
    from treckon.inputs.sources import Source


def _header(cells: list[bytes]) -> list[str]:
    return [text_of(cell.strip()) for cell in cells]


def _claim(kind: DataKind, beginning: Beginning) -> int:
    if named_columns(_header(beginning.cells).__contains__, kind):
        return NAMED
    if beginning.columns is not None:
        return FALLBACK
    fields = beginning.fields
    return POSSIBLE if len(beginning.cells) == len(fields) == 3 and is_number(fields[2]) else NO


def _read(kind: DataKind, source: Source, names: Names | None) -> Columns:
    rows = GrowingColumns(kind)
    positions: list[int] = []
    n_cells = 0
    for number, line in source.lines():
        if not line.strip():
            continue
        cells = line.split(b"\t")
        if not positions:
            n_cells = len(cells)
            header = _header(cells)
            if names or named_columns(header.__contains__, kind):
                place = f"{source.name}:{number}"
                positions = [header.index(name) for name in chosen_columns(header, names, kind, place)]
                continue
            positions = [0, 1, 2]
            n_cells = 3
        if len(cells) != n_cells:
            expected = f"{n_cells} fields with a TAB between"
            raise fields_error(f"{source.name}:{number}", line, expected, len(cells), MAYBE_ANOTHER)
        query, document, value = (cells[position] for position in positions)
        try:
            rows.add(query, document, number_of(value.strip(), kind))
        except Refused as problem:
            raise problem.at(f"{source.name}:{number}") from None
    return rows.columns(source.name)


def _write(kind: DataKind, data: dict[str, dict[str, Any]], _: object = None) -> Iterator[bytes]:
    yield "\t".join(usual_names(kind)).encode() + b"\n"
    for query, documents in data.items():
        qid, place = cell(query, kind.name), query_place(kind.name, query)
        yield b"".join(
            b"%b\t%b\t%b\n" % (qid, cell(document, place), repr(value).encode("ascii"))
            for document, value in documents.items()
        )


def cell(text: str, place: str) -> bytes:
    """The bytes of a cell between TABs. Raises InputError for text that would not be read as this one cell."""
    if "\t" in text or "\n" in text or "\0" in text:
        problem = "NUL" if "\0" in text else "a TAB or line end"
        raise InputError(place, f"expected an id that can stand in TSV, found {problem} in {in_short(text)}")
    return encoded(text, place, "TSV")


for _kind in (RUN, QRELS):
    register(
        Format(
            "tsv",
            _kind.name,
            f"query, document and {_kind.value}",
            "a table with a TAB between its cells, under a line with names",
            claim=partial(_claim, _kind),
            read=partial(_read, _kind),
            write=partial(_write, _kind),
            loses=(EMPTY_QUERIES,),
            has_names=True,
        )
    )
