"""Measures as their users write them: text to measure objects and back.

A text is the field's name with what it may carry, ``Name(argument=value, ...)@cutoff``, an alias of it (``map@100``) or
its lower case (``ap@10``), or a name of trec_eval (``ndcg_cut_10``, ``P.5,10``, ``official``). Nothing of it is ever
executed.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index

from treckon.errors import EvaluationError, ParameterError, UnknownMeasureError, in_short, shortened
from treckon.measures import registry
from treckon.measures.parameters import DISCOUNT, GAIN, Arguments, Parameters, RealCutoffs
from treckon.naming import trec_eval as names
from treckon.naming.ir_measures import CONSTANT, DCG, WITH_ARGUMENTS
from treckon.naming.releases import NICKNAMES
from treckon.naming.trec_eval import RequestedMeasure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn

    from treckon.measures.registry import MeasureRecord

LOWEST_INTEGER, HIGHEST_INTEGER = -(2**63), 2**63 - 1


class Measure(RequestedMeasure):
    """A measure with its cutoff and arguments: what a user asks for, and the key of its values.

    Made by `parse`. Its text is the shortest that says the same (``parse(str(m)) == m``): names stand for their
    aliases, arguments in their declared order, and an argument that changes nothing is left out. Two measures are equal
    where their texts are. It cannot be changed; ``m(rel=2)`` and ``m @ 10`` give another one.

    A measure by one of trec_eval's names carries its parameters in the name, so these two refuse it.
    """

    __slots__ = ("_arguments", "at")

    record: MeasureRecord
    name: str
    parameters: Parameters
    at: int | float | None
    _arguments: dict[str, object]

    def __init__(
        self,
        record: MeasureRecord,
        parameters: Parameters,
        text: str,
        at: int | float | None = None,
        arguments: Mapping[str, object] | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "record", record)
        put(self, "parameters", parameters)
        put(self, "name", text)
        put(self, "at", at)
        put(self, "_arguments", dict(arguments or {}))

    @property
    def title(self) -> str:
        """The field's name of it, one line."""
        return self.record.title

    @property
    def arguments(self) -> dict[str, object]:
        """The arguments given that change something, by name (a new dictionary each time)."""
        return {name: dict(one) if isinstance(one, dict) else one for name, one in self._arguments.items()}

    @property
    def traits(self) -> tuple[str, ...]:
        """What holds for its values with these arguments, such as `treckon.measures.registry.BOUNDED`."""
        kind = self.record.parameter_kind
        given = [one for one in kind.arguments if one.name in self._arguments] if isinstance(kind, Arguments) else []
        return tuple(trait for trait in self.record.traits if not any(trait in one.breaks for one in given))

    def __call__(self, **arguments: object) -> Measure:
        """The measure with these arguments besides its own, or in their place.

        Raises ParameterError for an argument that it doesn't have or that can't have this value.
        """
        self._refuse_trec_eval("arguments")
        return field_measure(self.record, self.at, {**self._arguments, **_translated(self.record, arguments)})

    def __matmul__(self, at: object) -> Measure:
        """The measure at this cutoff (IPrec: at this recall) in place of its own.

        Raises ParameterError where it takes none, or not this one.
        """
        self._refuse_trec_eval("cutoff")
        return field_measure(self.record, at, self._arguments)

    def _refuse_trec_eval(self, what: str) -> None:
        if self.record.since is not None:
            carried = "a name of trec_eval carries its parameters itself"
            raise ParameterError(f"{self}: {carried}, it takes no {what} besides")

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return self.name == other.name if isinstance(other, Measure) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[object, ...]:
        return parse, (self.name,)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{self}: a measure can't be changed, measure(argument=value) makes another")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{self}: a measure can't be changed")


def parse(text: str | Measure, *, release: str = "10.0") -> Measure:
    """The one measure that a text stands for.

    text:    such as ``nDCG(gain='exp2')@20``, ``map@100`` or ``ndcg_cut_10``; a measure passes through
    release: the release of trec_eval whose names count

    Raises UnknownMeasureError for a name that isn't there (saying which are near), ParameterError for what the measure
    can't carry and for a text that stands for several measures.
    """
    found = parse_all(text, release=release)
    if len(found) != 1:
        first = ", ".join(map(str, found[:3])) + (", ..." if len(found) > 3 else "")
        number = f"{len(found)} ({first})" if found else "none"
        raise ParameterError(f"'{shortened(str(text))}': expected one measure, found {number}")
    return found[0]


def parse_all(
    measures: str | Measure | Iterable[str | Measure],
    *,
    release: str = "10.0",
    fits: Callable[[Measure], bool] | None = None,
) -> tuple[Measure, ...]:
    """Each measure of one text or several, once, in the order asked for.

    One text of trec_eval may stand for several measures: ``P.5,10``, ``official``. Raises as `parse` does.

    fits: of a group, such as ``official``, only the measures that fit are taken, if any do
    """
    if isinstance(measures, (str, bytes, Measure)):  # bytes: refused by the loop
        measures = (measures,)
    found: dict[Measure, None] = {}
    try:
        items = iter(measures)
    except TypeError:
        items = iter((measures,))  # type: ignore[arg-type]  # refused by the loop
    for item in items:
        if isinstance(item, Measure):
            found[item] = None
        elif isinstance(item, str):
            some = _parsed(item, release)
            if fits is not None and len({one.record for one in some}) > 1:
                some = tuple(filter(fits, some)) or some
            found.update(dict.fromkeys(some))
        else:
            raise UnknownMeasureError(f"expected a measure or its text, found {in_short(item)} ({type(item).__name__})")
    return tuple(found)


def field_measure(record: MeasureRecord, at: object = None, arguments: Mapping[str, object] | None = None) -> Measure:
    """A measure by the field's name: the record with a cutoff (or recall, as the record has it) and arguments.

    Raises ParameterError, which says what the record takes.
    """
    if record.since is not None:
        raise TypeError(f"expected a measure by the field's name, found {in_short(record)} of trec_eval")
    kind = _kind_of(record)
    arguments = _translated(record, arguments or {})
    try:
        at = None if at is None else _plain("@", at)
        plain = {name: _plain(name, value) for name, value in arguments.items()}
        plain = {one.name: plain[one.name] for one in kind.arguments if one.name in plain}
        parameters = kind.read(at, plain)
        for name in tuple(plain):
            rest = {other: value for other, value in plain.items() if other != name}
            if _changes_nothing(kind, at, rest, parameters):
                plain = rest
    except ParameterError as error:
        raise ParameterError(f"{record.name}: {error}") from None
    text = record.name
    if plain:
        text += "(" + ", ".join(f"{name}={_value_text(value)}" for name, value in plain.items()) + ")"
    if at is not None:
        text += "@" + _value_text(at)
    return Measure(record, parameters, text, at, plain)  # type: ignore[arg-type]  # the kind has taken it for a number


def _changes_nothing(kind: Arguments, at: object, rest: dict[str, object], parameters: Parameters) -> bool:
    """Whether the rest of the arguments come to the same. (``rel=1`` doesn't: an evaluation may say rel 2.)"""
    try:
        shorter = kind.read(at, rest)
    except ParameterError:  # the argument has to be given
        return False
    return shorter == parameters


def _kind_of(record: MeasureRecord) -> Arguments:
    """The arguments that a record of the field takes."""
    return record.parameter_kind if isinstance(record.parameter_kind, Arguments) else Arguments()


def _translated(record: MeasureRecord, arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments with ir_measures' put into ours. Raises ParameterError for what the record doesn't have."""
    known = {one.name: one.type for one in _kind_of(record).arguments}
    gain = next((name for name, type in known.items() if type == GAIN), None)
    discount = next((name for name, type in known.items() if type == DISCOUNT), None)
    found: dict[str, object] = {}

    def put(name: str, value: object, written: str) -> None:
        if name in found:
            raise ParameterError(f"{record.name}: {written}: expected {name} once, found it in another argument too")
        found[name] = value

    for name, value in arguments.items():
        if name in known:
            put(name, value, name)
        elif name == "gains" and gain:
            put(gain, value, name)
        elif name == "dcg" and gain:
            if not isinstance(value, str) or value not in DCG:
                expected = "'log2' or 'exp-log2' (here gain='exp2')"
                raise ParameterError(f"{record.name}: {name}: expected {expected}, found {in_short(value)}")
            if value != "log2" or "gains" not in arguments:
                put(gain, DCG[value][0], name)
            if discount:
                put(discount, DCG[value][1], name)
        elif name in CONSTANT.get(record.name, ()):
            if value != (only := CONSTANT[record.name][name]):
                raise ParameterError(f"{record.name}: {name}: expected {only!r}, found {in_short(value)}")
        else:
            near = _nearest(name, known)
            raise ParameterError(
                f"{record.name}: expected {_alternatives(known)}, found argument '{shortened(name)}'{near}"
            )
    return found


def _alternatives(words: Iterable[str]) -> str:
    *most, last = list(words) or ["no arguments"]
    return f"{', '.join(most)} or {last}" if most else last


def _nearest(word: str, known: Iterable[str], instead: str = "") -> str:
    """What to add to the message that a word is unknown: the words near it."""
    from difflib import get_close_matches  # a mistake may cost time, importing this module may not

    by_lower: dict[str, str] = {}
    for one in known:
        by_lower.setdefault(one.lower(), one)
    near = [by_lower[lower] for lower in get_close_matches(word.lower(), by_lower, n=3)]
    return f"; did you mean {_alternatives(near)}?" if near else instead


def _find(name: str) -> tuple[MeasureRecord | None, dict[str, object]]:
    """The record that a name of the field stands for, and the arguments that the name has in it.

    Names are also read with hyphens, as ndeval prints them: ``alpha-nDCG``.
    """
    name, arguments = WITH_ARGUMENTS.get(name, (name, {}))
    return registry.find_field(name) or registry.find_field(name.replace("-", "_")), arguments


def _unknown(name: str) -> UnknownMeasureError:
    known = [known for record in registry.field_measures() for known in (record.name, *record.aliases)]
    known += WITH_ARGUMENTS
    known += [record.name for record in registry.all_measures() if record.since is not None]
    near = _nearest(name, [*known, *NICKNAMES], "; no name is near it")
    return UnknownMeasureError(f"unknown measure '{shortened(name)}'{near}")


# From text


def _parsed(text: str, release: str) -> tuple[Measure, ...]:
    """The measures of one text."""
    stripped = text.strip()
    if not stripped:
        raise UnknownMeasureError(f"expected a measure's name, found '{shortened(text)}'")
    if "(" in stripped or "@" in stripped:
        return (_by_field_name(stripped, release),)
    record, arguments = _find(stripped)
    has_trec_eval = _in_trec_eval(stripped, release)
    if record is not None and (record.name == stripped or not has_trec_eval):
        try:
            return (field_measure(record, None, arguments),)
        except ParameterError:
            if not has_trec_eval:  # it needs a cutoff, and trec_eval has no defaults for it
                raise
    return _by_trec_eval_name(stripped, release)


def _by_field_name(text: str, release: str) -> Measure:
    reader = _Reader(text)
    record, preset = _find(reader.name)
    if record is None:
        if _in_trec_eval(reader.name, release):
            raise ParameterError(
                f"'{shortened(text)}': '{reader.name}' is a name of trec_eval, which carries its parameters itself: "
                "behind a dot (name.5,10) or an underscore (name_10)"
            )
        raise _unknown(reader.name)
    arguments, at = reader.rest()
    return field_measure(record, at, {**preset, **arguments})


def _in_trec_eval(name: str, release: str) -> bool:
    try:
        names.request((name,), release)
    except UnknownMeasureError:
        return False
    except (ParameterError, EvaluationError):
        return True
    return True


def _by_trec_eval_name(text: str, release: str) -> tuple[Measure, ...]:
    text = "".join(text.split())
    try:
        request = names.request((text,), release)
    except UnknownMeasureError:
        if release != "10.0" and _in_trec_eval(text, "10.0"):
            raise UnknownMeasureError(
                f"unknown measure '{shortened(text)}': trec_eval {release} lacks it, 10.0 has it"
            ) from None
        raise _unknown(text) from None
    except EvaluationError as error:
        raise ParameterError(str(error)) from None
    if read_in_part := "; ".join(request.warnings):
        raise ParameterError(f"'{shortened(text)}': trec_eval reads only a part of this: {read_in_part}")
    return tuple(
        Measure(requested.record, requested.parameters, _trec_eval_text(requested)) for requested in request.measures
    )


def _trec_eval_text(requested: RequestedMeasure) -> str:
    """The printed name. Where that rounds the number, the name with all of it behind a dot."""
    kind, printed = requested.record.parameter_kind, requested.parameters.suffix[1:]
    if not isinstance(kind, RealCutoffs):
        return requested.name
    (number,) = requested.parameters.reals
    if kind.follows_underscore(printed) and float(printed) == number:
        return requested.name
    return f"{requested.record.name}.{number!r}"


class _Reader:
    """Reads ``Name(argument=value, ...)@cutoff`` from left to right. Its errors name the character it got to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = min(at for at in (text.find("("), text.find("@")) if at >= 0)
        self.name = text[: self.at].strip()

    def rest(self) -> tuple[dict[str, object], int | float | None]:
        """What stands behind the name: arguments and cutoff."""
        arguments: dict[str, object] = {}
        if self._take("("):
            while not self._take(")"):
                start = self.at
                name = self._word()
                if not name.isidentifier():
                    self._fail("the name of an argument", start)
                if name in arguments:
                    raise ParameterError(
                        f"'{shortened(self.text)}': expected each argument once, found {shortened(name)} twice"
                    )
                self._expect("=")
                arguments[name] = self._value()
                if not self._take(","):
                    self._expect(")", "',' or ')'")
                    break
        at = self._number("a number") if self._take("@") else None
        if self._peek():
            self._fail("the end" if at is not None else "'@' or the end")
        return arguments, at

    def _value(self) -> object:
        """A number, 'text', True, False, {grade: gain, ...} or (value, ...)."""
        if self._peek() in ("'", '"'):
            return self._quoted()
        if self._take("{"):
            return self._pairs()
        if self._take("("):
            values = [self._value()]
            while self._take(","):
                if self._peek() != ")":
                    values.append(self._value())
            self._expect(")", "',' or ')'")
            return tuple(values)
        start = self.at
        word = self._word()
        if word in ("True", "False"):
            return word == "True"
        self.at = start
        return self._number("a value (a text needs quotes)")

    def _quoted(self) -> str:
        quote, piece, end = self.text[self.at], [], self.at + 1
        while end < len(self.text) and self.text[end] != quote:
            if self.text[end] == "\\" and end + 1 < len(self.text):
                end += 1
            piece.append(self.text[end])
            end += 1
        if end >= len(self.text):
            self.at = len(self.text)
            self._fail(f"the closing {quote}")
        self.at = end + 1
        return "".join(piece)

    def _pairs(self) -> dict[int, float]:
        pairs: dict[int, float] = {}
        while not self._take("}"):
            start = self.at
            grade = self._number("a grade")
            if not isinstance(grade, int):
                self._fail("a whole number", start)
            if grade in pairs:
                raise ParameterError(f"'{shortened(self.text)}': expected each grade once, found {grade} twice")
            self._expect(":")
            pairs[grade] = self._number("a gain")
            if not self._take(","):
                self._expect("}", "',' or '}'")
                break
        return pairs

    def _number(self, expected: str) -> int | float:
        self._peek()
        start = self.at
        word = self._word()
        try:
            if not word.isascii() or "_" in word:
                raise ValueError
            whole = word.lstrip("+-").isdigit() and len(word) <= 20
            number = int(word) if whole else float(word)
        except ValueError:
            self._fail(expected, start)
        if number - number != 0:
            self._fail("a finite number", start)
        return number

    def _word(self) -> str:
        """The letters, digits and signs of numbers from here on."""
        self._peek()
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in "+-._"):
            self.at += 1
        return self.text[start : self.at]

    def _peek(self) -> str:
        """The next character that is no blank, "" at the end."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        return self.text[self.at : self.at + 1]

    def _take(self, character: str) -> bool:
        found = self._peek() == character
        self.at += found
        return found

    def _expect(self, character: str, expected: str = "") -> None:
        if not self._take(character):
            self._fail(expected or f"'{character}'")

    def _fail(self, expected: str, at: int | None = None) -> NoReturn:
        self.at = self.at if at is None else at
        found = f"'{shortened(self.text[self.at :])}'" if self._peek() else "the end"
        raise ParameterError(f"'{shortened(self.text)}': expected {expected} at character {self.at + 1}, found {found}")


# Values: of any library to ours, and to text


def _plain(name: str, value: object) -> object:
    """The value in the types of the syntax. Raises ParameterError for a value of another type."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, Mapping):
        return {_plain(name, key): _plain(name, one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_plain(name, one) for one in value)
    number = _python_number(value)
    if number is None:
        raise ParameterError(f"{name}: expected a number, text, mapping or tuple, found {in_short(value)}")
    if number - number != 0:
        raise ParameterError(f"{name}: expected a finite number, found {in_short(number)}")
    if isinstance(number, int) and not LOWEST_INTEGER <= number <= HIGHEST_INTEGER:
        raise ParameterError(f"{name}: expected a whole number of at most 64 bits, found a greater one")
    return number


def _python_number(value: object) -> bool | int | float | None:
    """The number that a scalar of any library is (NumPy's bool is no number elsewhere), or None."""
    try:
        value = value.item() if hasattr(value, "item") else value
        if isinstance(value, bool):
            return value
        return index(value) if hasattr(value, "__index__") else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def _value_text(value: object) -> str:
    """The value as `_Reader` reads it."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_value_text(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_value_text, value)) + ")"
    if isinstance(value, float):
        return repr(value + 0.0).removesuffix(".0")  # -0 is read as a whole number, which is 0
    return repr(value)
