"""Every error that treckon raises on purpose. Each says where, what was expected and what was found."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Characters of an id, name or value that a message shows.
_LONGEST = 100


def shortened(text: str | bytes) -> str:
    """A text, such as an id, as messages show it: of a long one the beginning."""
    text = os.fsdecode(text) if isinstance(text, bytes) else str(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def in_short(value: object) -> str:
    """A value as messages show it: as Python writes it, of a long one the beginning."""
    if isinstance(value, str):
        return repr(shortened(value))
    if isinstance(value, int) and value.bit_length() > 1000:  # text of its digits may be refused
        return f"a whole number of {value.bit_length()} bits"
    return shortened(repr(value))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about a word that is none of those known (in lower case): the nearest, if one is near."""
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


class TreckonError(ValueError):
    """Base of all errors of this package."""


class UnknownMeasureError(TreckonError):
    """A measure name that the registry (or the release asked for) does not have."""


class ParameterError(TreckonError):
    """A measure's parameter, or an option, that can't have this value."""


class InputError(TreckonError):
    """A file or value that can't be read: place, expectation, finding.

    ``place`` is ``file:line``, a file's name, or a query and document; it is the start of the message too.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place


class EvaluationError(TreckonError):
    """Data that were read but can't be evaluated: duplicate documents, contradictions, a measure of another format."""


class NoQueriesError(TreckonError):
    """No query has both results and judgements."""
