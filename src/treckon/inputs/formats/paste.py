"""Lines as people paste them: query, ranked ids and relevant ids, so qrels and a run in one."""

from __future__ import annotations

from treckon.errors import InputError, in_short
from treckon.inputs.fields import field, in_rank_order
from treckon.inputs.formats.registry import (
    FITTING,
    GRADES,
    NO,
    PAIR,
    POSSIBLE,
    QRELS,
    RUN,
    SCORES,
    Beginning,
    Format,
    register,
)
from treckon.inputs.formats.tsv import cell
from treckon.inputs.lines import fields_error, text_of
from treckon.inputs.values import query_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from treckon.inputs.pastes import Pastes
    from treckon.inputs.sources import Source


def _claim(beginning: Beginning) -> int:
    return POSSIBLE if len(beginning.cells) == 3 else NO


def _claim_pair(beginning: Beginning) -> int:
    return FITTING if len(beginning.cells) == 3 else POSSIBLE


def _read(source: Source, _: object) -> Pastes:
    pastes: Pastes = {}
    line_numbers: dict[str, int] = {}
    for number, line in source.lines():
        if not line.strip():
            continue
        place = f"{source.name}:{number}"
        fields = text_of(line).split("\t")
        if len(fields) != 3:
            expected = "3 fields with a TAB between (query, ranked ids, relevant ids)"
            raise fields_error(place, line, expected, len(fields))
        query = fields[0].strip()
        if query in pastes:
            problem = f"expected each query once, found {in_short(query)} on line {line_numbers[query]} too"
            raise InputError(place, problem)
        line_numbers[query] = number
        ranked, relevant = (ids.replace(",", " ").split() for ids in fields[1:])
        pastes[query] = {"ranked": ranked, "relevant": relevant}
    return pastes


def _write(qrels: dict[str, dict[str, Any]], run: dict[str, dict[str, float]]) -> Iterator[bytes]:
    for query in {**run, **qrels}:
        place = query_place("paste", query)
        if query != query.strip().lstrip("#\ufeff") or not query:
            raise InputError(
                place, "expected an id that can begin a line: no blank, '#' or byte-order mark at its start"
            )
        ranked = (_item(document, place) for document in in_rank_order(run.get(query, {})))
        relevant = (_item(document, place) for document, grade in qrels.get(query, {}).items() if grade >= 1)
        yield b"\t".join((cell(query, place), b" ".join(ranked), b" ".join(relevant))) + b"\n"


def _item(text: str, place: str) -> bytes:
    """The bytes of an id in a list."""
    if text.replace(",", " ").split() != [text]:
        raise InputError(
            place, f"expected an id that can stand in a list, found white space or a comma in {in_short(text)}"
        )
    return field(text, place)


_LINE, _ABOUT = "query, ranked and relevant ids", 'lines "query TAB ranked ids TAB relevant ids"'
register(Format("paste", RUN, _LINE, _ABOUT, claim=_claim, read=_read))
register(Format("paste", QRELS, _LINE, _ABOUT, claim=_claim, read=_read))
register(Format("paste", PAIR, _LINE, _ABOUT, claim=_claim_pair, read=_read, write=_write, loses=(SCORES, GRADES)))
