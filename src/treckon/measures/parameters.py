"""Kinds of parameters that a measure's name may carry: how their text is read, what suffix the printed name gets."""

from __future__ import annotations

from math import isfinite

from treckon._native.numbers import integer_prefix, real_prefix
from treckon.checks import whole_number
from treckon.errors import EvaluationError, ParameterError, in_short, shortened
from treckon.records import Record
from treckon.releases import RELEASE_9

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, TypeAlias

    Gain: TypeAlias = Literal["linear", "exp2"] | tuple[Literal["binary"], int] | dict[int, float]
    Discount: TypeAlias = Literal["log2", "none"] | tuple[Literal["jk"], float]


class Parameters(Record):
    """One printed name's worth of parameters.

    suffix:  what is printed behind the measure's name, "" or from "_" on
    cutoff:  ranks looked at, or None
    reals:   numbers in the order given
    pairs:   (grade, gain) in the order given
    named:   numbers by name (rbp's p)

    Measures by the field's names have these besides; None leaves the choice to the evaluation:

    level:     lowest relevant grade
    condensed: whether unjudged documents are taken out of the ranking
    gain:      "linear", "exp2", ("binary", grade) or {grade: gain}; `pairs` go before it
    discount:  "log2", "none" or ("jk", b)
    """

    suffix: str = ""
    cutoff: int | None = None
    reals: tuple[float, ...] = ()
    pairs: tuple[tuple[int, float], ...] = ()
    named: tuple[tuple[str, float], ...] = ()
    level: int | None = None
    condensed: bool = False
    gain: Gain | None = None
    discount: Discount | None = None


class Parsed(Record):
    """The parameters that a parameter text stands for, and what of the text was read only in part."""

    parameters: tuple[Parameters, ...]
    warnings: tuple[str, ...] = ()  # one sentence each: trec_eval reads it all the same, `--strict` refuses


class ParameterKind:
    """Base of the kinds. A measure has the default parameters when its name comes without parameters."""

    __slots__ = ()

    #: How the documentation shows the parameters; "" where there are none.
    usage = ""

    def defaults(self) -> tuple[Parameters, ...]:
        """Settings of the bare name."""
        raise NotImplementedError

    def parse(self, text: str, release: str) -> Parsed:
        """Settings of `text`, read as that release of trec_eval reads it.

        Raises ParameterError, and EvaluationError for what trec_eval refuses no sooner than it evaluates.
        """
        raise NotImplementedError

    def follows_underscore(self, text: str) -> bool:
        """Whether `text` can be parameters in the printed form of a name, behind its underscore."""
        return text[:1] in tuple("0123456789.+-")


def _integers(text: str) -> tuple[list[int], list[str]]:
    values, warnings = [], []
    for piece in text.split(","):
        value, whole = integer_prefix(piece)
        values.append(value)
        if not whole:
            warnings.append(f"'{shortened(piece)}' is not a whole number, read as {value}")
    return values, warnings


def _reals(text: str) -> tuple[list[float], list[str]]:
    values, warnings = [], []
    for piece in text.split(","):
        value, whole = real_prefix(piece)
        values.append(value)
        if not whole:
            warnings.append(f"'{shortened(piece)}' is not a number, read as {value:g}")
    return values, warnings


class NoParameters(ParameterKind):
    """The measure takes none; a text behind its name has no effect."""

    __slots__ = ()

    def follows_underscore(self, text: str) -> bool:
        return False

    def defaults(self) -> tuple[Parameters, ...]:
        return (Parameters(),)

    def parse(self, text: str, release: str) -> Parsed:
        return Parsed(self.defaults(), (f"it takes no parameters, '{shortened(text)}' has no effect",))


class Cutoffs(ParameterKind):
    """Ranks, whole numbers from 1: one value for each, by rising cutoff, printed as ``P_5``."""

    __slots__ = ("cutoffs",)
    usage = "cutoffs: whole numbers from 1, separated by commas"

    def __init__(self, *cutoffs: int) -> None:
        self.cutoffs = cutoffs

    def defaults(self) -> tuple[Parameters, ...]:
        return tuple(Parameters(f"_{cutoff}", cutoff=cutoff) for cutoff in self.cutoffs)

    def parse(self, text: str, release: str) -> Parsed:
        cutoffs, warnings = _integers(text)
        cutoffs.sort()
        if cutoffs[0] <= 0:
            raise ParameterError(f"negative cutoff: expected whole numbers from 1, found '{shortened(text)}'")
        if len(set(cutoffs)) < len(cutoffs):
            raise ParameterError(f"duplicate cutoffs: expected different numbers, found '{shortened(text)}'")
        return Parsed(tuple(Parameters(f"_{cutoff}", cutoff=cutoff) for cutoff in cutoffs), tuple(warnings))


class RealCutoffs(ParameterKind):
    """Numbers, one value for each, by rising number, printed with two decimals as ``iprec_at_recall_0.10``."""

    __slots__ = ("numbers",)
    usage = "numbers separated by commas"

    def __init__(self, *numbers: float) -> None:
        self.numbers = numbers

    @staticmethod
    def _of(number: float) -> Parameters:
        # trec_eval cuts the text at nine characters, the underscore included.
        return Parameters(f"_{number:.2f}"[:9], reals=(number,))

    def defaults(self) -> tuple[Parameters, ...]:
        return tuple(map(self._of, self.numbers))

    def parse(self, text: str, release: str) -> Parsed:
        numbers, warnings = _reals(text)
        if any(number != number for number in numbers):
            raise ParameterError(f"expected numbers, found '{shortened(text)}'")
        numbers.sort()
        if len(set(numbers)) < len(numbers):
            raise ParameterError(f"duplicate cutoffs: expected different numbers, found '{shortened(text)}'")
        return Parsed(tuple(map(self._of, numbers)), tuple(warnings))


class Reals(ParameterKind):
    """A list of numbers that together make one value; the printed name carries the text as it was typed.

    A `fixed` list has as many numbers as the default, any other at least one.
    """

    __slots__ = ("fixed", "numbers")
    usage = "numbers separated by commas"

    def __init__(self, *numbers: float, fixed: bool = False) -> None:
        self.numbers = numbers
        self.fixed = fixed

    def defaults(self) -> tuple[Parameters, ...]:
        return (Parameters(reals=self.numbers),)

    def parse(self, text: str, release: str) -> Parsed:
        numbers, warnings = _reals(text)
        if any(number - number != 0.0 for number in numbers):
            raise ParameterError(f"expected finite numbers, found '{shortened(text)}'")
        if self.fixed and len(numbers) != len(self.numbers):
            # No ParameterError: trec_eval takes any number of them and fails when it evaluates, with that exit status.
            raise EvaluationError(f"expected {len(self.numbers)} numbers, found '{shortened(text)}'")
        return Parsed((Parameters(f"_{text}", reals=tuple(numbers)),), tuple(warnings))


class Pairs(ParameterKind):
    """``grade=gain`` pairs that together make one value; the printed name carries the text as it was typed.

    `named` are keys that are no grades, with their defaults (rbp's ``p``). 9.0.8 takes any other key for grade 0,
    10.0 leaves it out.
    """

    __slots__ = ("named",)
    usage = "grade=gain pairs separated by commas"

    def __init__(self, **named: float) -> None:
        self.named = named

    def defaults(self) -> tuple[Parameters, ...]:
        return (Parameters(named=tuple(self.named.items())),)

    def follows_underscore(self, text: str) -> bool:
        return super().follows_underscore(text) or text.partition("=")[0] in self.named

    def parse(self, text: str, release: str) -> Parsed:
        pairs: list[tuple[int, float]] = []
        named = dict(self.named)
        warnings: list[str] = []
        for item in text.split(","):
            key, equals, number = item.partition("=")
            if not equals or "=" in number:
                raise ParameterError(f"malformed pair parameters: expected grade=gain,..., found '{shortened(text)}'")
            gain, whole = real_prefix(number)
            if gain - gain != 0.0:  # infinite, or no number
                raise ParameterError(f"malformed pair parameters: expected a finite gain, found '{shortened(item)}'")
            if not whole:
                warnings.append(f"'{shortened(number)}' is not a number, read as {gain:g}")
            if key in named:
                named[key] = gain
                continue
            grade, whole = integer_prefix(key)
            if whole and not key[:1].isspace():
                pairs.append((grade, gain))
            elif release == RELEASE_9:
                pairs.append((grade, gain))
                warnings.append(f"'{shortened(key)}' is not a grade, read as {grade}")
            else:
                warnings.append(f"'{shortened(key)}' is not a grade, left out")
        return Parsed((Parameters(f"_{text}", pairs=tuple(pairs), named=tuple(named.items())),), tuple(warnings))


NO_PARAMETERS = NoParameters()

#: The cutoffs of most measures of trec_eval that have one.
TREC_CUTOFFS = Cutoffs(5, 10, 15, 20, 30, 100, 200, 500, 1000)


# Types of the arguments of measures by the field's names.
INT, REAL, TEXT, BOOL, GAIN, DISCOUNT = "a whole number", "a number", "a text", "True or False", "a gain", "a discount"


class Argument(Record):
    """A named argument: ``p`` of ``RBP(p=0.8)``.

    type:     INT, REAL, TEXT, BOOL, GAIN or DISCOUNT
    default:  the value where it isn't given; None where it has to be
    lowest, highest: the ends of what a number may be, ends included
    choices:  what a text may be
    breaks:   traits of the measure (`treckon.measures.registry`) that may not hold with another value than the default
    meaning:  one line for the documentation
    """

    name: str
    type: str
    default: object
    meaning: str
    lowest: float | None = None
    highest: float | None = None
    choices: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()


# Arguments that make the ranking or the gains; the kernel doesn't read them.
REL_ARGUMENT = Argument("rel", INT, 1, "lowest grade that is relevant", lowest=0)
JUDGED_ONLY_ARGUMENT = Argument("judged_only", BOOL, False, "unjudged documents are taken out of the ranking")
GAIN_ARGUMENT = Argument("gain", GAIN, "linear", "what a grade is worth: 'linear', 'exp2', 'binary' or {grade: gain}")
DISCOUNT_ARGUMENT = Argument(
    "discount", DISCOUNT, "log2", "what a gain at a rank is divided by: 'log2', 'none' or ('jk', b)"
)
GAIN_FROM_ARGUMENT = Argument("rel", INT, 0, "grades below it have no gain", lowest=0, highest=1000)


def check_gain(value: Any) -> Gain:
    """A gain as parameters hold it, of 'linear', 'exp2', 'binary', ('binary', grade) or a mapping of grades to gains.

    Raises ParameterError.
    """
    if value == "linear":
        return "linear"
    if value == "exp2":
        return "exp2"
    if value == "binary":
        return ("binary", 1)
    if isinstance(value, (tuple, list)) and len(value) == 2 and value[0] == "binary" and _is_grade(value[1]):
        return ("binary", int(value[1]))
    if isinstance(value, dict) and all(_is_grade(grade) for grade in value):
        gains = {int(grade): number for grade, gain in value.items() if (number := _real(gain)) is not None}
        if len(gains) == len(value):
            return gains
    raise ParameterError(f"gain: expected 'linear', 'exp2', 'binary' or {{grade: gain}}, found {in_short(value)}")


def check_discount(value: object) -> Discount:
    """A discount as parameters hold it, of 'log2', 'none' or ('jk', b) with b above 1. Raises ParameterError."""
    if value == "log2":
        return "log2"
    if value == "none":
        return "none"
    if isinstance(value, (tuple, list)) and len(value) == 2 and value[0] == "jk":
        base = _real(value[1])
        if base is not None and base > 1.0:
            return ("jk", base)
    raise ParameterError(f"discount: expected 'log2', 'none' or ('jk', b) with b above 1, found {in_short(value)}")


def _real(value: Any) -> float | None:
    """`value` as a float, None where it is no finite number."""
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _is_grade(value: object) -> bool:
    grade = whole_number(value)
    return grade is not None and 0 <= grade < 2**31


def _check(argument: Argument, value: Any) -> Any:
    """The value of an argument as parameters hold it. Raises ParameterError."""
    if argument.type == GAIN:
        return check_gain(value)
    if argument.type == DISCOUNT:
        return check_discount(value)
    if argument.type == TEXT and value in argument.choices or argument.type == BOOL and isinstance(value, bool):
        return value
    number = whole_number(value) if argument.type == INT else _real(value) if argument.type == REAL else None
    lowest, highest = argument.lowest, argument.highest
    if number is not None and (lowest is None or number >= lowest) and (highest is None or number <= highest):
        return number
    expected = "one of " + ", ".join(map(repr, argument.choices)) if argument.choices else argument.type
    if lowest is not None:
        expected += f" from {lowest}" + ("" if highest is None else f" to {highest}")
    raise ParameterError(f"{argument.name}: expected {expected}, found {in_short(value)}")


_CUTOFF = Argument("cutoff", INT, None, "", lowest=1)

# None in parameters where they aren't given: the evaluation has its own.
_LEFT_TO_THE_EVALUATION = (REL_ARGUMENT, GAIN_ARGUMENT, DISCOUNT_ARGUMENT)


class Arguments(ParameterKind):
    """Arguments by name, and a number behind ``@``: what measures by the field's names take.

    arguments:   in the order in which names are written
    at:          what the number is, "cutoff" (ranks) or the name of a share (0 to 1); None: there is none
    at_required: whether it has to be given
    """

    __slots__ = ("arguments", "at", "at_required", "usage")

    def __init__(self, *arguments: Argument, at: str | None = None, at_required: bool = False) -> None:
        self.arguments = arguments
        self.at = at
        self.at_required = at_required
        listed = ", ".join(one.name + ("" if one.default is None else f"={one.default!r}") for one in arguments)
        behind = "" if at is None else f"@{at}" if at_required else f"[@{at}]"
        self.usage = f"({listed}){behind}" if listed else behind

    def defaults(self) -> tuple[Parameters, ...]:
        """The parameters of the bare name; none where the number behind ``@`` has to be given."""
        return () if self.at_required else (self.read(None, {}),)

    def read(self, at: object, values: Mapping[str, object]) -> Parameters:
        """The parameters of a number behind ``@`` (None: not given) and arguments by name. Raises ParameterError.

        Its `reals` are the share behind ``@``, if there is one, and the kernel's own arguments in order, a choice by
        its number. It has no suffix: how such a measure is written is settled by `treckon.naming.syntax`.
        """
        names = [argument.name for argument in self.arguments]
        for name in values:
            if name not in names:
                known = f"expected one of {', '.join(names)}" if names else "it takes none"
                raise ParameterError(f"no argument {in_short(name)}: {known}")
        fields: dict[str, Any] = {}
        reals: tuple[float, ...] = ()
        if at is not None and self.at is None:
            raise ParameterError(f"expected nothing behind '@', found {in_short(at)}")
        if at is None and self.at_required:
            raise ParameterError(f"{self.at}: expected a number behind '@', found none")
        if at is not None and self.at == "cutoff":
            fields["cutoff"] = _check(_CUTOFF, at)
        elif at is not None and self.at is not None:
            reals = (_check(Argument(self.at, REAL, None, "", lowest=0, highest=1), at),)
        for argument in self.arguments:
            if argument.name not in values and argument in _LEFT_TO_THE_EVALUATION:
                continue
            value = _check(argument, values.get(argument.name, argument.default))
            if (field := _field_of(argument)) is not None:
                fields[field] = tuple((grade, 0.0) for grade in range(value)) if field == "pairs" else value
            else:
                reals += (float(argument.choices.index(value) if argument.type == TEXT else value),)
        return Parameters(reals=reals, **fields)


def _field_of(argument: Argument) -> str | None:
    """The field of `Parameters` that holds the argument's value; None for an argument that the kernel reads."""
    if argument is REL_ARGUMENT:
        return "level"
    if argument is JUDGED_ONLY_ARGUMENT:
        return "condensed"
    if argument is GAIN_FROM_ARGUMENT:
        return "pairs"
    return {GAIN: "gain", DISCOUNT: "discount"}.get(argument.type)
