"""A gate's thresholds, agreed beforehand: TOML to rules, each with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treckon.analysis.gating.toml import key_lines, parse_toml
from treckon.checks import finite_number
from treckon.errors import InputError, ParameterError, Place, UnknownMeasureError, did_you_mean, one_of
from treckon.errors import in_short_with_type as shown
from treckon.evaluation.conventions import OPTIONS, Conventions
from treckon.inputs.text import open_text
from treckon.measures.aggregation import MEAN
from treckon.measures.registry import TEXT
from treckon.naming.syntax import parse
from treckon.statistics.arguments import MOST_RESAMPLES
from treckon.statistics.bootstrap import METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn, TypeAlias

    from treckon.naming.syntax import Measure

    Path: TypeAlias = tuple[str, ...]

#: Kinds of rule: keys of a measure's table.
MINIMUM, MAXIMUM, BASELINE, FLOOR, HITS = RULES = ("minimum", "maximum", "baseline", "floor", "hits")

#: A gate must not pass because a run lost queries: they count as having retrieved nothing.
DEFAULTS = {"missing": "zero"}


@dataclass(frozen=True, slots=True)
class ByInterval:
    """How the interval of the difference from a baseline is made: see `treckon.statistics.bootstrap_interval`."""

    confidence: float = 0.95
    method: str = METHODS[0]
    resamples: int = 10_000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Threshold:
    """One rule.

    measure:  what it is of
    kind:     one of RULES
    place:    file and line
    limit:    minimum and maximum: of the mean; baseline: how far the mean may be below the baseline's; floor: how many
              queries may be below `value`; hits: the share of queries that must reach `value`
    value:    of floor and hits
    interval: of a baseline by interval; None: by the mean
    """

    measure: Measure
    kind: str
    place: Place
    limit: float
    value: float = 0.0
    interval: ByInterval | None = None


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The content of a gate's file.

    name:        of the file
    digest:      SHA-256 of its bytes, which proves what it said; "" for a mapping
    title:       its own
    missed_at:   ranks up to which a relevant document is not missed, for measures without a cutoff
    conventions: by option
    rules:       in the file's order
    """

    name: str
    digest: str
    title: str
    missed_at: int
    conventions: dict[str, Any]
    rules: tuple[Threshold, ...]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What must be evaluated."""
        return tuple(dict.fromkeys(rule.measure for rule in self.rules))


def read_thresholds(thresholds: object) -> Thresholds:
    """Reads a path (``-`` is standard input), an open file, text, or a mapping as TOML has it.

    Raises InputError, with the line, for what isn't TOML, and for unknown keys and values that can't be;
    UnknownMeasureError and ParameterError for measures.
    """
    file = _GateFile(thresholds)
    top = file.table((), {"title": file.text, "missed_at": file.whole, "conventions": file.same, "measures": file.same})
    conventions = file.conventions()
    release = Conventions(**conventions).release
    rules = tuple(rule for text in file.measures() for rule in _rules(file, text, release))
    if not rules:
        raise InputError(file.name, expected="at least one rule", found="none")
    return Thresholds(file.name, file.digest, top.get("title", ""), top.get("missed_at", 10), conventions, rules)


class _GateFile:
    """Data with the places of its keys, and how each kind of value is read."""

    def __init__(self, thresholds: object) -> None:
        self.name, self.digest = "gate", ""
        self._lines: dict[Path, int] = {}
        if isinstance(thresholds, Mapping):
            self._data: Any = thresholds
            return
        source = open_text(thresholds, self.name)
        if source is None:
            raise InputError(self.name, f"expected a TOML file or a mapping, found {shown(thresholds)}")
        with source:
            self.name = source.name
            text = b"".join(source.blocks())
        from hashlib import sha256

        self.digest = sha256(text).hexdigest()
        self._data = parse_toml(text, self.name)
        self._lines = key_lines(text)

    def place(self, path: Path) -> Place:
        """File and line of a key, or of the table around it where the key has no line of its own."""
        for n in range(len(path), 0, -1):
            if path[:n] in self._lines:
                return Place(self.name, line=self._lines[path[:n]], is_file=True)
        return Place(self.name)

    def fail(self, path: Path, problem: str) -> NoReturn:
        raise InputError(self.place(path), f"{_dotted(path)}: {problem}" if path else problem)

    def at(self, path: Path) -> Any:
        value = self._data
        for key in path:
            value = value[key]
        return value

    def table(
        self, path: Path, keys: Mapping[str, Callable[[Path], Any]], needed: Iterable[str] = ()
    ) -> dict[str, Any]:
        """The values of a table whose keys are known, each read as `keys` says."""
        table = self.at(path)
        if not isinstance(table, Mapping):
            self.fail(path, f"expected a table with {', '.join(keys)}, found {shown(table)}")
        for key in table:
            if key not in keys:
                self.fail(
                    (*path, str(key)), f"expected {', '.join(keys)}, found another key{did_you_mean(str(key), keys)}"
                )
        for key in needed:
            if key not in table:
                self.fail(path, f"expected {key}, found none")
        return {key: keys[key]((*path, key)) for key in table}

    def conventions(self) -> dict[str, Any]:
        """The conventions: the table's, over DEFAULTS."""
        conventions = {}
        if "conventions" in self._data:
            conventions = self.table(("conventions",), dict.fromkeys(sorted(OPTIONS), self.same))
        for name, value in conventions.items():
            if isinstance(value, list):  # TOML has no tuples
                conventions[name] = tuple(value)
            elif isinstance(value, Mapping):  # its keys are texts: the grades of a gain
                conventions[name] = {_grade(key): gain for key, gain in value.items()}
            try:
                Conventions(**{**DEFAULTS, name: conventions[name]})
            except ParameterError as error:
                raise ParameterError(str(error), place=self.place(("conventions", name))) from None
        try:
            Conventions(**{**DEFAULTS, **conventions})
        except ParameterError as error:
            raise ParameterError(str(error), place=self.place(("conventions",))) from None
        return {**DEFAULTS, **conventions}

    def measures(self) -> list[str]:
        """The texts of the measures that have a table."""
        if "measures" not in self._data:
            return []
        table = self.at(("measures",))
        if not isinstance(table, Mapping):
            self.fail(("measures",), f"expected a table for each measure, found {shown(table)}")
        return list(table)

    # Kinds of value

    def same(self, path: Path) -> Any:
        return self.at(path)

    def text(self, path: Path) -> str:
        value = self.at(path)
        if not isinstance(value, str):
            self.fail(path, f"expected text, found {shown(value)}")
        return value

    def real(self, path: Path) -> float:
        number = finite_number(self.at(path))
        if number is None:
            self.fail(path, f"expected a finite number, found {shown(self.at(path))}")
        return number

    def from_zero(self, path: Path) -> float:
        number = self.real(path)
        if number < 0:
            self.fail(path, f"expected a number from 0, found {shown(self.at(path))}")
        return number

    def share(self, path: Path) -> float:
        number = self.real(path)
        if not 0.0 <= number <= 1.0:
            self.fail(path, f"expected a share from 0 to 1, found {shown(self.at(path))}")
        return number

    def confidence(self, path: Path) -> float:
        number = self.real(path)
        if not 0.0 < number < 1.0:
            self.fail(path, f"expected a number above 0 and below 1, found {shown(self.at(path))}")
        return number

    def whole(self, path: Path, lowest: int = 0, highest: int = 10**9) -> int:
        value = self.at(path)
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            self.fail(path, f"expected a whole number from {lowest} to {highest}, found {shown(value)}")
        return value

    def resamples(self, path: Path) -> int:
        return self.whole(path, 1, MOST_RESAMPLES)

    def one_of(self, *choices: str) -> Callable[[Path], str]:
        def read(path: Path) -> str:
            value = self.at(path)
            if value not in choices:
                self.fail(path, f"expected {one_of(choices)}, found {shown(value)}")
            return str(value)

        return read


def _rules(file: _GateFile, text: str, release: str) -> Iterable[Threshold]:
    """The rules of one measure's table."""
    path = ("measures", text)
    measure = _measure(file, path, release)
    of_kind: dict[str, Callable[[Path], Threshold]] = {
        MINIMUM: lambda path: Threshold(measure, MINIMUM, file.place(path), file.real(path)),
        MAXIMUM: lambda path: Threshold(measure, MAXIMUM, file.place(path), file.real(path)),
        BASELINE: lambda path: _baseline(file, path, measure),
        FLOOR: lambda path: _of_queries(file, path, measure, "queries", file.whole),
        HITS: lambda path: _of_queries(file, path, measure, "share", file.share),
    }
    return file.table(path, of_kind).values()


def _measure(file: _GateFile, path: Path, release: str) -> Measure:
    try:
        measure = parse(path[-1], release=release)
    except (UnknownMeasureError, ParameterError) as error:
        raise error.at(file.place(path)) from None
    if measure.record.value_type == TEXT or not measure.record.summary:
        file.fail(path, "expected a measure with a number over all queries")
    return measure


def _has_queries(file: _GateFile, path: Path, measure: Measure) -> None:
    if not measure.record.per_query or measure.record.aggregate is not MEAN:
        file.fail(path, "expected a measure that has a value for each query and their mean over all")


def _baseline(file: _GateFile, path: Path, measure: Measure) -> Threshold:
    of_interval = {
        "confidence": file.confidence,
        "method": file.one_of(*METHODS),
        "resamples": file.resamples,
        "seed": file.whole,
    }
    values = file.table(path, {"tolerance": file.from_zero, "by": file.one_of("mean", "interval"), **of_interval})
    options = {name: value for name, value in values.items() if name in of_interval}
    interval = None
    if values.get("by", "mean") == "interval":
        _has_queries(file, path, measure)
        interval = ByInterval(**options)
    else:
        for name in options:
            file.fail((*path, name), "expected it with by = 'interval' only")
    return Threshold(measure, BASELINE, file.place(path), values.get("tolerance", 0.0), interval=interval)


def _of_queries(
    file: _GateFile, path: Path, measure: Measure, limit: str, read_limit: Callable[[Path], float]
) -> Threshold:
    _has_queries(file, path, measure)
    values = file.table(path, {"value": file.real, limit: read_limit}, needed=("value", limit))
    return Threshold(measure, path[-1], file.place(path), float(values[limit]), values["value"])


def _grade(key: object) -> object:
    text = str(key)
    return int(text) if text.lstrip("-").isdigit() and len(text) < 20 else key


def _dotted(path: Path) -> str:
    """A path of keys as TOML writes it."""
    plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
    return ".".join(key if key and not key.strip(plain) else f'"{key}"' for key in path)
