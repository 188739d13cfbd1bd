"""A gate's thresholds, as they were written beforehand: TOML to rules, each with the line that it stands on."""

from __future__ import annotations

import math
from collections.abc import Mapping

from treckon.analysis.gating.toml import key_lines, parse_toml
from treckon.errors import InputError, ParameterError, UnknownMeasureError, did_you_mean
from treckon.evaluation.conventions import OPTIONS, Conventions
from treckon.inputs.text import open_text
from treckon.inputs.values import shown
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

#: What a run may not lack in a gate without being told: a query that it lost counts as having retrieved nothing.
DEFAULTS = {"missing": "zero"}


class Rule:
    """One threshold.

    measure: what it is of
    kind:    one of RULES
    place:   file and line
    limit:   minimum and maximum: of the mean; baseline: how far the mean may be below the baseline's; floor: how many
             queries may be below `value`; hits: the share of queries that must reach `value`
    value:   of floor and hits
    options: of a baseline by interval: confidence, method, resamples and seed; None: by the mean
    """

    __slots__ = ("kind", "limit", "measure", "options", "place", "value")

    def __init__(
        self,
        measure: Measure,
        kind: str,
        place: str,
        limit: float,
        value: float = 0.0,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.measure = measure
        self.kind = kind
        self.place = place
        self.limit = limit
        self.value = value
        self.options = options


class Thresholds:
    """All of a gate's file.

    name:        of the file
    digest:      SHA-256 of its bytes, so that nobody can say that it was another; "" of a mapping
    title:       its own
    missed_at:   ranks up to which a relevant document is not missed, for measures without a cutoff
    conventions: by option
    rules:       in the file's order
    """

    __slots__ = ("conventions", "digest", "missed_at", "name", "rules", "title")

    def __init__(self, given: object) -> None:
        """Reads a path (``-`` is standard input), an open file, text, or a mapping as TOML has it.

        Raises InputError, with the line, for what is no TOML, and for keys and values that aren't there or can't be;
        UnknownMeasureError and ParameterError for measures.
        """
        reader = _Reader(given)
        self.name, self.digest = reader.name, reader.digest
        top = reader.table(
            (), {"title": reader.text, "missed_at": reader.whole, "conventions": reader.same, "measures": reader.same}
        )
        self.title: str = top.get("title", "")
        self.missed_at: int = top.get("missed_at", 10)
        self.conventions = reader.conventions()
        release = Conventions(**self.conventions).release
        self.rules = [rule for text in reader.measures() for rule in _rules(reader, text, release)]
        if not self.rules:
            raise InputError(self.name, "expected a rule at least, found none")

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What must be evaluated."""
        return tuple(dict.fromkeys(rule.measure for rule in self.rules))


class _Reader:
    """Data with the places of its keys, and what may be asked of them."""

    def __init__(self, given: object) -> None:
        self.name, self.digest = "gate", ""
        self._lines: dict[Path, int] = {}
        if isinstance(given, Mapping):
            self._data: Any = given
            return
        source = open_text(given, self.name)
        if source is None:
            raise InputError(self.name, f"expected a file with TOML, or a mapping, found {shown(given)}")
        with source:
            self.name = source.name
            text = b"".join(source.blocks())
        from hashlib import sha256

        self.digest = sha256(text).hexdigest()
        self._data = parse_toml(text, self.name)
        self._lines = key_lines(text)

    def place(self, path: Path) -> str:
        """File and line of a key; of one that has no line of its own, of what it stands in."""
        for n in range(len(path), 0, -1):
            if path[:n] in self._lines:
                return f"{self.name}:{self._lines[path[:n]]}"
        return self.name

    def fail(self, path: Path, problem: str) -> NoReturn:
        raise InputError(self.place(path), f"{_dotted(path)}: {problem}" if path else problem)

    def at(self, path: Path) -> Any:
        found = self._data
        for key in path:
            found = found[key]
        return found

    def table(
        self, path: Path, keys: Mapping[str, Callable[[Path], Any]], needed: Iterable[str] = ()
    ) -> dict[str, Any]:
        """The values of a table whose keys are known, each read as `keys` says."""
        found = self.at(path)
        if not isinstance(found, Mapping):
            self.fail(path, f"expected a table with {', '.join(keys)}, found {shown(found)}")
        for key in found:
            if key not in keys:
                self.fail(
                    (*path, str(key)), f"expected {', '.join(keys)}, found another key{did_you_mean(str(key), keys)}"
                )
        for key in needed:
            if key not in found:
                self.fail(path, f"expected {key}, found none")
        return {key: keys[key]((*path, key)) for key in found}

    def conventions(self) -> dict[str, Any]:
        """The conventions: the table's, over DEFAULTS."""
        given = {}
        if "conventions" in self._data:
            given = self.table(("conventions",), dict.fromkeys(sorted(OPTIONS), self.same))
        for name, value in given.items():
            if isinstance(value, list):  # TOML has no tuples
                given[name] = tuple(value)
            elif isinstance(value, Mapping):  # its keys are texts: the grades of a gain
                given[name] = {_grade(key): gain for key, gain in value.items()}
            try:
                Conventions(**{**DEFAULTS, name: given[name]})
            except ParameterError as error:
                raise ParameterError(f"{self.place(('conventions', name))}: {error}") from None
        try:
            Conventions(**{**DEFAULTS, **given})
        except ParameterError as error:
            raise ParameterError(f"{self.place(('conventions',))}: {error}") from None
        return {**DEFAULTS, **given}

    def measures(self) -> list[str]:
        """The texts of the measures that have a table."""
        if "measures" not in self._data:
            return []
        found = self.at(("measures",))
        if not isinstance(found, Mapping):
            self.fail(("measures",), f"expected a table for each measure, found {shown(found)}")
        return list(found)

    # Kinds of value

    def same(self, path: Path) -> Any:
        return self.at(path)

    def text(self, path: Path) -> str:
        found = self.at(path)
        if not isinstance(found, str):
            self.fail(path, f"expected text, found {shown(found)}")
        return found

    def real(self, path: Path) -> float:
        found = self.at(path)
        try:
            number = math.nan if isinstance(found, bool) or not isinstance(found, (int, float)) else float(found)
        except OverflowError:  # a whole number of more than 308 digits
            number = math.inf
        if not math.isfinite(number):
            self.fail(path, f"expected a finite number, found {shown(found)}")
        return number

    def from_zero(self, path: Path) -> float:
        found = self.real(path)
        if found < 0:
            self.fail(path, f"expected a number from 0, found {shown(self.at(path))}")
        return found

    def share(self, path: Path) -> float:
        found = self.real(path)
        if not 0.0 <= found <= 1.0:
            self.fail(path, f"expected a share from 0 to 1, found {shown(self.at(path))}")
        return found

    def confidence(self, path: Path) -> float:
        found = self.real(path)
        if not 0.0 < found < 1.0:
            self.fail(path, f"expected a number above 0 and below 1, found {shown(self.at(path))}")
        return found

    def whole(self, path: Path, lowest: int = 0, highest: int = 10**9) -> int:
        found = self.at(path)
        if isinstance(found, bool) or not isinstance(found, int) or not lowest <= found <= highest:
            self.fail(path, f"expected a whole number from {lowest} to {highest}, found {shown(found)}")
        return found

    def resamples(self, path: Path) -> int:
        return self.whole(path, 1, MOST_RESAMPLES)

    def one_of(self, *choices: str) -> Callable[[Path], str]:
        def read(path: Path) -> str:
            found = self.at(path)
            if found not in choices:
                self.fail(path, f"expected {' or '.join(map(repr, choices))}, found {shown(found)}")
            return str(found)

        return read


def _rules(reader: _Reader, text: str, release: str) -> Iterable[Rule]:
    """The rules of one measure's table."""
    path = ("measures", text)
    measure = _measure(reader, path, release)
    readers = {
        MINIMUM: reader.real,
        MAXIMUM: reader.real,
        BASELINE: lambda path: _baseline(reader, path, measure),
        FLOOR: lambda path: _of_queries(reader, path, measure, "queries"),
        HITS: lambda path: _of_queries(reader, path, measure, "share"),
    }
    for kind, found in reader.table(path, readers).items():
        place = reader.place((*path, kind))
        if isinstance(found, float):
            yield Rule(measure, kind, place, found)
        else:
            yield Rule(measure, kind, place, *found)


def _measure(reader: _Reader, path: Path, release: str) -> Measure:
    try:
        found = parse(path[-1], release=release)
    except (UnknownMeasureError, ParameterError) as error:
        raise type(error)(f"{reader.place(path)}: {error}") from None
    if found.measure.value_type == TEXT or not found.measure.summary:
        reader.fail(path, "expected a measure with a number over all queries")
    return found


def _has_queries(reader: _Reader, path: Path, measure: Measure) -> None:
    if not measure.measure.per_query or measure.measure.aggregate is not MEAN:
        reader.fail(path, "expected a measure that has a value for each query and their mean over all")


def _baseline(reader: _Reader, path: Path, measure: Measure) -> tuple[float, float, dict[str, Any] | None]:
    of_interval = {
        "confidence": reader.confidence,
        "method": reader.one_of(*METHODS),
        "resamples": reader.resamples,
        "seed": reader.whole,
    }
    found = reader.table(path, {"tolerance": reader.from_zero, "by": reader.one_of("mean", "interval"), **of_interval})
    options = {name: value for name, value in found.items() if name in of_interval}
    if found.get("by", "mean") == "mean":
        for name in options:
            reader.fail((*path, name), "expected it with by = 'interval' only")
        return found.get("tolerance", 0.0), 0.0, None
    _has_queries(reader, path, measure)
    return (
        found.get("tolerance", 0.0),
        0.0,
        {"confidence": 0.95, "method": "bca", "seed": 0, "resamples": 10_000} | options,
    )


def _of_queries(reader: _Reader, path: Path, measure: Measure, limit: str) -> tuple[float, float]:
    _has_queries(reader, path, measure)
    kinds = {"queries": reader.whole, "share": reader.share}
    found = reader.table(path, {"value": reader.real, limit: kinds[limit]}, ("value", limit))
    return float(found[limit]), found["value"]


def _grade(key: object) -> object:
    text = str(key)
    return int(text) if text.lstrip("-").isdigit() and len(text) < 20 else key


def _dotted(path: Path) -> str:
    """A path of keys as TOML writes it."""
    plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
    return ".".join(key if key and not key.strip(plain) else f'"{key}"' for key in path)
