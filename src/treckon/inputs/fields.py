"""Fields of lines: from text to columns, and from ids to text that is read as the same ids."""

from __future__ import annotations

import re
from array import array

from treckon.errors import InputError, in_short, shortened
from treckon.inputs.columns import Columns
from treckon.inputs.lines import text_of
from treckon.inputs.values import RUN, DataKind, query_place
from treckon.scalars import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WHOLE_NUMBER = re.compile(rb"[+-]?[0-9]+")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity|nan)", re.IGNORECASE)

#: What separates fields of TREC's lines.
WHITE_SPACE = " \t\n\v\f\r"
#: Ends an error about a line of a format that was perhaps guessed.
MAYBE_ANOTHER = "; format= tells if this is of another format"


# Reading


def is_number(field: bytes) -> bool:
    """Whether a field is a number to its end."""
    return _NUMBER.fullmatch(field) is not None


def number_of(field: bytes, kind: DataKind) -> float:
    """The score or grade in a field. Raises Refused."""
    if not is_number(field):
        what = "a number as score" if kind is RUN else "a whole number as grade"
        raise Refused(f"expected {what}, found '{shortened(field)}'")
    whole = _WHOLE_NUMBER.fullmatch(field) and len(field) < 1000
    return kind.value_of(int(field) if whole else float(field))


class GrowingColumns:
    """The columns of a file, as they grow."""

    def __init__(self, kind: DataKind) -> None:
        self.queries: list[str] = []
        self.documents: list[str] = []
        self.values: Any = array(kind.typecode)
        self._last = b""
        self._last_text = ""

    def add(self, query: bytes, document: bytes, value: float) -> None:
        """Adds a row."""
        if query != self._last:  # lines of one query share its text
            self._last, self._last_text = query, text_of(query)
        self.queries.append(self._last_text)
        self.documents.append(document.decode("utf-8", "surrogateescape"))
        self.values.append(value)

    def columns(self, name: str, order: str = "score") -> Columns:
        """All rows."""
        return Columns(self.queries, self.documents, self.values, order=order, name=name)


# Writing


def line_start(query: str, name: str) -> bytes:
    """The bytes of a query's id as the first field of a line. Raises InputError."""
    if query.startswith("#"):
        raise InputError(query_place(name, query), "expected an id that can begin a line, found '#', as of comments")
    if query.startswith("\ufeff"):
        raise InputError(query_place(name, query), "expected an id that can begin a file, found a byte-order mark")
    return field(query, name)


def field(text: str, place: str) -> bytes:
    """The bytes of a field between white space. Raises InputError for text that would not be read as this one field."""
    if not text:
        problem = "empty text"
    elif any(character in text for character in WHITE_SPACE):
        problem = "white space"
    elif "\0" in text:
        problem = "NUL"
    else:
        return encoded(text, place, "TREC's format")
    raise InputError(place, f"expected an id that can stand in TREC's format, found {problem} in {in_short(text)}")


def encoded(text: str, place: str, format_name: str) -> bytes:
    """The bytes that are read as this text. Raises InputError."""
    try:
        data = text.encode("utf-8", "surrogateescape")
        if data.decode("utf-8", "surrogateescape") == text:
            return data
    except UnicodeEncodeError:
        pass
    raise InputError(
        place, f"expected an id that can stand in {format_name}, found a lone surrogate in {in_short(text)}"
    )


def in_rank_order(documents: dict[str, float]) -> list[str]:
    """Documents as trec_eval ranks them."""

    def key(document: str) -> tuple[float, bytes]:
        try:
            return documents[document], document.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # not out of a file; formats of bytes refuse it
            return documents[document], document.encode("utf-8", "surrogatepass")

    return sorted(documents, key=key, reverse=True)
