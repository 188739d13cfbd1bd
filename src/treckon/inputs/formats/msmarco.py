"""MS MARCO's format: a run as query, document and rank; qrels as relevant documents, or as TREC's four fields."""

from __future__ import annotations

from treckon.errors import InputError, shortened
from treckon.inputs.fields import MAYBE_ANOTHER, GrowingColumns, field, in_rank_order, line_start, number_of
from treckon.inputs.formats import registry, trec
from treckon.inputs.formats.registry import FITTING, NO, POSSIBLE, Beginning, Format, register
from treckon.inputs.lines import fields_error
from treckon.inputs.values import QRELS, RUN, query_place
from treckon.scalars import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from treckon.inputs.columns import Columns
    from treckon.inputs.sources import Source


def _claim_run(beginning: Beginning) -> int:
    return FITTING if len(beginning.fields) == 3 and beginning.fields[2].isdigit() else NO


def _claim_qrels(beginning: Beginning) -> int:
    if len(beginning.fields) != 2:
        return NO
    if len(beginning.cells) == 2:
        return FITTING
    return POSSIBLE if len(beginning.cells) == 3 and not beginning.cells[2].strip() else NO


def _read_run(source: Source, _: object) -> Columns:
    """The lower the rank, the better: values are negative ranks."""
    rows = GrowingColumns(RUN)
    add = rows.add
    for number, line in source.lines():
        fields = line.split()
        if len(fields) != 3:
            if not fields:
                continue
            expected = "3 fields (qid docid rank)"
            raise fields_error(f"{source.name}:{number}", line, expected, len(fields), MAYBE_ANOTHER)
        query, document, text = fields
        rank = int(text) if text.isdigit() and len(text) < 16 else 0
        if rank == 0:
            problem = f"expected a rank (a whole number from 1), found '{shortened(text)}'"
            raise InputError(f"{source.name}:{number}", problem)
        add(query, document, -rank)
    return rows.columns(source.name, "rank")


def _read_qrels(source: Source, _: object) -> Columns:
    """Where there are no grades, all documents are relevant with grade 1."""
    rows = GrowingColumns(QRELS)
    n_fields = 0
    for number, line in source.lines():
        fields = line.split()
        if not fields:
            continue
        if len(fields) != (n_fields or len(fields)) or len(fields) not in (2, 4):
            expected = f"{n_fields} fields as before" if n_fields else "2 fields (qid docid) or 4 (qid 0 docid grade)"
            raise fields_error(f"{source.name}:{number}", line, expected, len(fields), MAYBE_ANOTHER)
        n_fields = len(fields)
        if n_fields == 2:
            rows.add(fields[0], fields[1], 1)
            continue
        try:
            rows.add(fields[0], fields[2], number_of(fields[3], QRELS))
        except Refused as problem:
            raise problem.at(f"{source.name}:{number}") from None
    return rows.columns(source.name)


def _write_run(run: dict[str, dict[str, float]], _: str) -> Iterator[bytes]:
    for query, documents in run.items():
        qid, place = line_start(query, RUN.name), query_place(RUN.name, query)
        ranked = enumerate(in_rank_order(documents), 1)
        yield b"".join(b"%b\t%b\t%d\n" % (qid, field(document, place), rank) for rank, document in ranked)


def _write_qrels(qrels: dict[str, dict[str, int]]) -> Iterator[bytes]:
    return trec.write_qrels(qrels, b"\t")


register(
    Format(
        "msmarco",
        registry.RUN,
        "query, document and rank",
        'lines "qid docid rank"',
        claim=_claim_run,
        read=_read_run,
        write=_write_run,
        loses=(registry.EMPTY_QUERIES, registry.SCORES),
    )
)
register(
    Format(
        "msmarco",
        registry.QRELS,
        "query and relevant document",
        'lines "qid docid", all relevant, or as trec',
        claim=_claim_qrels,
        read=_read_qrels,
        write=_write_qrels,
        loses=(registry.EMPTY_QUERIES,),
    )
)
