"""Every error that treckon raises on purpose, and how their messages are worded.

An error is data: where (`Place`), what was expected, what was found, and of what kind it is. Its message is made from
these. A warning (`Notice`) has the same fields.
"""

from __future__ import annotations

import os

from treckon.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# Words

#: Characters of an id, name or value that a message shows.
_LONGEST = 100


def shortened(text: str | bytes) -> str:
    """A text, such as an id, as messages show it: cut where it is long."""
    text = os.fsdecode(text) if isinstance(text, bytes) else str(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def in_short(value: object) -> str:
    """A value as messages show it: as Python writes it, cut where it is long."""
    if isinstance(value, str):
        return repr(shortened(value))
    if isinstance(value, int) and value.bit_length() > 1000:  # text of its digits may be refused
        return f"a whole number of {value.bit_length()} bits"
    return shortened(repr(value))


def in_short_with_type(value: object) -> str:
    """A value of any type as messages show it: with its type where the value alone doesn't tell, or the type alone."""
    from numbers import Number

    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, float):  # of a subclass, such as NumPy's, the number alone
        return "NaN" if value != value else float.__repr__(value)
    if isinstance(value, int):
        return in_short(int(value))
    if isinstance(value, (str, bytes)):
        return f"{in_short(str(value) if isinstance(value, str) else value)} ({type(value).__name__})"
    if isinstance(value, Number):
        return f"{shortened(str(value))} ({type(value).__name__})"
    return type(value).__name__


def listed(words: Iterable[object], conjunction: str = "or") -> str:
    """Words as a sentence lists them: "a, b or c"."""
    *first, last = map(str, words)
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def one_of(choices: Iterable[object]) -> str:
    """Values to choose from as messages show them: "'a', 'b' or 'c'"."""
    return listed(map(repr, choices))


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """The end of a message about a word that is none of `choices` (in lower case): the nearest, if one is near."""
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), choices, n=1)
    return f"; did you mean {near[0]}?" if near else ""


# Places, errors, warnings


def _id_in_short(value: object) -> str:
    return in_short(os.fsdecode(value) if isinstance(value, bytes) else value)


class Place(str):
    """Where something is, as messages say it, such as "run.txt:17" or "qrels: query 'q1', document 'd1'"; its parts.

    name:     what the input is called: a file's name, or the argument, such as "run" or "qrels"
    is_file:  whether that is the name of a file
    line:     number of the line in a text, from 1, or None
    row:      number of the row in a table, or None
    query, document: ids, or None
    """

    __slots__ = ("document", "is_file", "line", "name", "query", "row")

    name: str
    is_file: bool
    line: int | None
    row: int | None
    query: object
    document: object

    def __new__(
        cls,
        name: str,
        *,
        line: int | None = None,
        row: int | None = None,
        query: object = None,
        document: object = None,
        is_file: bool = False,
    ) -> Place:
        """`name` alone is the whole input, or a text of which nothing more is known."""
        parts = [] if row is None else [f"row {row}"]
        if query is not None:
            parts.append(f"query {_id_in_short(query)}")
        if document is not None:
            parts.append(f"document {_id_in_short(document)}")
        text = name if line is None else f"{name}:{line}"
        place = super().__new__(cls, f"{text}: {', '.join(parts)}" if parts else text)
        place.name, place.line, place.row, place.is_file = name, line, row, is_file
        place.query, place.document = query, document
        return place

    def concerns(self, argument: str) -> bool:
        """Whether it is in the input passed as this argument, such as "qrels", without a name of its own."""
        return self.name == argument and not self.is_file

    def renamed(self, name: str, *, is_file: bool = True) -> Place:
        """The same place of an input that is called `name`."""
        line, row, query, document = self.line, self.row, self.query, self.document
        return Place(name, line=line, row=row, query=query, document=document, is_file=is_file)


def _sentence(problem: str, expected: str, found: str) -> str:
    return problem or (f"expected {expected}, found {found}" if expected or found else "")


class TreckonError(ValueError):
    """Base of all errors of this package.

    place:    where the problem is, as text (a `Place` where its parts are known); "" where that isn't a place
    problem:  what is wrong, in words: "expected 6 fields, found 4"
    expected: what was expected, where that was said on its own; else ""
    found:    what was found instead; else ""
    kind:     a word for the kind of problem, where kinds of one class are told apart; else ""

    The message is "place: problem".
    """

    def __init__(
        self, problem: str = "", *, place: str = "", expected: str = "", found: str = "", kind: str = ""
    ) -> None:
        self.place = place if isinstance(place, Place) else Place(place)
        self.problem = _sentence(problem, expected, found)
        self.expected = expected
        self.found = found
        self.kind = kind
        super().__init__(f"{place}: {self.problem}" if place else self.problem)

    def at(self, place: str) -> TreckonError:
        """The same error at another place."""
        error = type(self).__new__(type(self))
        fields = {"expected": self.expected, "found": self.found, "kind": self.kind}
        TreckonError.__init__(error, self.problem, place=place, **fields)
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        return _error, (type(self), self.args, self.__dict__)


def _error(class_: type[TreckonError], args: tuple[Any, ...], fields: dict[str, Any]) -> TreckonError:
    """What a pickle makes."""
    error = class_.__new__(class_, *args)
    error.__dict__.update(fields)
    return error


class UnknownMeasureError(TreckonError):
    """A measure name that the registry (or the release requested) does not have."""


class ParameterError(TreckonError):
    """A measure's parameter, or an option, that can't have this value."""


class InputError(TreckonError):
    """A file or value that can't be read: place, expectation, finding.

    ``place`` is ``file:line``, a file's name, or a query and document; it is the start of the message too.
    """

    def __init__(self, place: str, problem: str = "", *, expected: str = "", found: str = "", kind: str = "") -> None:
        super().__init__(problem, place=place, expected=expected, found=found, kind=kind)


class EvaluationError(TreckonError):
    """Data that were read but can't be evaluated: duplicate documents, contradictions, a measure of another format."""


class NoQueriesError(TreckonError):
    """No query has both results and judgements."""


class Advice(Record):
    """An option that makes the other choice.

    option, value: the argument and what to give for it
    effect:        what that does: "counts them as having retrieved nothing"
    """

    option: str
    value: str
    effect: str


class Notice(str):
    """A warning: a sentence, and its parts as a `TreckonError` has them; `advice` is an option for the other choice."""

    __slots__ = ("advice", "expected", "found", "kind", "place", "problem")

    place: Place
    problem: str
    expected: str
    found: str
    kind: str
    advice: Advice | None

    def __new__(
        cls,
        problem: str = "",
        *,
        place: str = "",
        expected: str = "",
        found: str = "",
        kind: str = "",
        advice: Advice | None = None,
    ) -> Notice:
        problem = _sentence(problem, expected, found)
        text = f"{place}: {problem}" if place else problem
        if advice is not None:
            text += f" ({advice.option}={advice.value!r} {advice.effect})"
        notice = super().__new__(cls, text)
        notice.place = place if isinstance(place, Place) else Place(place)
        notice.problem, notice.expected, notice.found, notice.kind = problem, expected, found, kind
        notice.advice = advice
        return notice

    def in_options(self) -> str:
        """The sentence with the advice as an option of the command."""
        if self.advice is None:
            return str(self)
        text = Notice(self.problem, place=self.place)
        return f"{text} (--{self.advice.option.replace('_', '-')} {self.advice.value} {self.advice.effect})"
