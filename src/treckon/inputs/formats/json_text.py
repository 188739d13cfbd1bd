"""JSON: whatever may be passed as Python's dicts and lists may stand in it."""

from __future__ import annotations

import math
import re
from functools import partial

from treckon.errors import InputError, in_short
from treckon.inputs.formats.registry import MARKED, NO, PAIR, QRELS, RUN, Beginning, Format, register
from treckon.inputs.lines import text_of
from treckon.inputs.values import document_place, first_repeated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from treckon.inputs.sources import Source

_START = re.compile(rb'\{\s*(?:["}]|$)|\[\s*(?:[]{["]|$)')


def _claim(beginning: Beginning) -> int:
    """Whether it begins like JSON that holds data."""
    return MARKED if _START.match(beginning.line.lstrip()) else NO


def read_json(source: Source, **hooks: Any) -> Any:
    """What a JSON text says; the hooks are `json.loads`'s, for numbers.

    Raises InputError, also where an object has a key twice: one of them would be lost.
    """
    import json

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keyed = dict(pairs)
        if len(keyed) < len(pairs):
            twice = first_repeated(key for key, _ in pairs)
            raise InputError(source.name, f"expected each key of a JSON object once, found {in_short(twice)} twice")
        return keyed

    try:
        return json.loads(text_of(source.text()), object_pairs_hook=once, **hooks)
    except json.JSONDecodeError as error:
        place = f"{source.name}:{error.lineno}"
        raise InputError(place, f"expected JSON, found at column {error.colno}: {error.msg}") from None
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # numbers of too many digits, too many brackets
        raise InputError(source.name, f"cannot read this JSON: {error}") from None


def _read(source: Source, _: object) -> Any:
    return read_json(source)


def _write(name: str, data: dict[str, dict[str, Any]], _: object = None) -> Iterator[bytes]:
    def items() -> Iterator[tuple[str, Any]]:
        for query, documents in data.items():
            _refuse_infinities(documents, query, name)
            yield query, documents

    return _written(items())


def _write_pair(qrels: dict[str, dict[str, Any]], run: dict[str, dict[str, float]]) -> Iterator[bytes]:
    def items() -> Iterator[tuple[str, Any]]:
        for query in {**run, **qrels}:
            ranked = run.get(query, {})
            _refuse_infinities(ranked, query, RUN)
            yield query, {"ranked": ranked, "relevant": qrels.get(query, {})}

    return _written(items())


def _written(items: Iterator[tuple[str, Any]]) -> Iterator[bytes]:
    """An object with a line for each item."""
    from json import dumps

    yield b"{"
    between = b"\n"
    for key, value in items:
        yield b"%b%b: %b" % (between, dumps(key).encode("ascii"), dumps(value).encode("ascii"))
        between = b",\n"
    yield b"\n}\n"


def _refuse_infinities(documents: Mapping[str, float], query: str, name: str) -> None:
    for document, value in documents.items():
        if not math.isfinite(value):
            place = document_place(name, query, document)
            raise InputError(place, f"expected a finite number, as JSON has them, found {value}")


_ABOUT = "{query: {document: number}}, and all else that the API takes from JSON"
for _holds in (RUN, QRELS):
    register(Format("json", _holds, "JSON", _ABOUT, _claim, _read, partial(_write, _holds), has_names=True))
register(
    Format(
        "json",
        PAIR,
        "JSON",
        '{query: {"ranked": documents, "relevant": documents}}',
        claim=_claim,
        read=_read,
        write=_write_pair,
    )
)
