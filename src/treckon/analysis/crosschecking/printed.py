"""What another tool printed: names, queries and values, each with its precision, out of any of the usual forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import floor, isfinite, log10

from treckon.analysis.crosschecking.tool_names import RUN_LABELS, SUMMARY_LABELS, TABLE_OF_PERL, readings
from treckon.errors import InputError, ParameterError
from treckon.inputs.formats.json_text import read_json
from treckon.inputs.lines import text_of
from treckon.inputs.sources import Source
from treckon.inputs.text import open_text
from treckon.inputs.values import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: What a text of values may be: trec_eval's lines; those of ir_measures; CSV of gdeval, of ndeval, of anybody; cells
#: with a TAB between under a line of names; JSON; JSON lines; lines "name: value".
SCORES_FORMATS = ("trec_eval", "ir_measures", "gdeval", "ndeval", "csv", "tsv", "json", "jsonl", "lines")

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?|[+-]?nan|[+-]?inf(?:inity)?", re.IGNORECASE)
_QUERY_NAMES = frozenset({"query", "query_id", "queryid", "qid", "topic", "topic_id", "topicid", "q", "query-id"})
_MEASURE_NAMES = frozenset({"measure", "metric", "name", "metric_name", "measure_name"})
_VALUE_NAMES = frozenset({"value", "score", "result", "metric_value", "val"})
#: The column of `treckon eval` that says how many queries count: no measure.
_N_QUERIES = "queries"
#: Keys that hold values without being a measure or query: those whose values are of all queries, and of each.
_MEANS_NAMES = frozenset({"means", "mean", "aggregated", "aggregate", "all", "summary", "overall"})
_PER_QUERY_NAMES = frozenset({"per_query", "per-query", "perquery", "by_query", "queries"})

#: JSON and Python drop the zeros at the end: with fewer decimals than these a value counts as printed with so many.
FEWEST_DECIMALS = 4
#: From so many decimals on a value is a double in full, and may differ in how it was summed up.
_FULL_DECIMALS = 12
_FULL_SLACK = 1e-9
_SINGLE_SLACK = 1e-6


class Printed:
    """One value that a tool printed.

    name:  the measure's name there
    query: the query, None: all of them
    text:  the number as it was printed
    value: the number
    place: where it stands
    unit:  what its last place is worth, as far as the values printed tell; `slack` is added to half of it on each side
    own_unit: what the last place that it shows is worth
    """

    __slots__ = ("name", "own_unit", "place", "query", "slack", "text", "unit", "value")

    def __init__(self, name: str, query: str | None, text: str, place: str) -> None:
        self.name = name
        self.query = query
        self.text = text
        self.place = place
        percent = text.endswith("%")
        self.value = float(text.rstrip("%")) / (100.0 if percent else 1.0)
        self.unit = self.own_unit = 0.0
        self.slack = 0.0

    def __repr__(self) -> str:
        return f"<{self.name} {self.query or 'all'} {self.text}>"


class _Number(float):
    """A number of JSON with its text."""

    text: str

    def __new__(cls, text: str) -> _Number:
        made = super().__new__(cls, text)
        made.text = text
        return made


class Scores:
    """What a tool printed.

    values:   each value once
    format:   one of SCORES_FORMATS, or "Python"
    full:     whether values are doubles in full
    stripped: whether zeros at the end were dropped, so that a value's own digits don't tell its precision
    """

    def __init__(self, format: str) -> None:
        self.format = format
        self.values: list[Printed] = []
        self.full = False
        self.stripped = False
        self._found: set[tuple[str, str | None]] = set()

    def add(self, name: object, query: object, text: str, place: str) -> None:
        """Adds a value. Raises InputError for one that is there already."""
        name = str(name).strip()
        label = None if query is None else str(query)
        if (name, label) in self._found:
            what = f"'{name}' of query '{label}'" if label is not None else f"'{name}' of all queries"
            raise InputError(place, f"expected each value once, found {what} again")
        self._found.add((name, label))
        self.values.append(Printed(name, label, text, place))

    def finish(self) -> Scores:
        """Settles the precision of each value."""
        numbers = [one for one in self.values if isfinite(one.value)]
        with_point = [one.text for one in numbers if "." in one.text or "e" in one.text.lower()]
        decimals = {_decimals(text) for text in with_point}
        from_python = self.format in ("json", "jsonl", "Python")
        self.stripped = from_python or len(decimals) > 1
        most, digits = max(decimals, default=0), max(map(_digits, with_point), default=17)
        if from_python and most < FEWEST_DECIMALS:
            most, digits = FEWEST_DECIMALS, 17
        self.full = most >= _FULL_DECIMALS
        single = self.full and all(_is_single(one.value) for one in numbers)
        for one in numbers:
            size = max(1.0, abs(one.value))
            if self.full:
                one.slack = (_SINGLE_SLACK if single else _FULL_SLACK) * size
                continue
            one.slack = 1e-12 * size
            one.own_unit = 10.0 ** -_decimals(one.text)
            one.unit = 10.0**-most if self.stripped else one.own_unit
            if self.stripped and one.value:
                one.unit = max(one.unit, 10.0 ** (floor(log10(abs(one.value))) - digits + 1))
        return self


def _decimals(text: str) -> int:
    """Places behind the point; of a number with an exponent those that it would have without."""
    mantissa, _, exponent = text.lower().rstrip("%").partition("e")
    shift = 2 if text.endswith("%") else 0
    return max(0, len(mantissa.partition(".")[2]) - int(exponent or 0) + shift)


def _digits(text: str) -> int:
    """Digits from the first that is not 0."""
    mantissa = text.lower().rstrip("%").partition("e")[0]
    return max(1, len(re.sub(r"[^0-9]", "", mantissa).lstrip("0")))


def _is_single(value: float) -> bool:
    """Whether a double is a 32-bit number."""
    import struct

    try:
        single: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return False
    return single == value


class _Known:
    """What tells the queries and measures of a text from each other: those that are known already."""

    def __init__(self, queries: frozenset[str], measures: frozenset[str]) -> None:
        self.queries = queries
        self._measures = measures

    def is_measure(self, name: str) -> bool:
        return name.strip() in self._measures or bool(readings(name))

    def is_query(self, label: str) -> bool:
        return label in self.queries or label.lower() in SUMMARY_LABELS

    def query(self, label: str) -> str | None:
        """The query of a label; None where it stands for all."""
        return None if label.lower() in SUMMARY_LABELS and label not in self.queries else label


def read_scores(
    scores: object,
    queries: frozenset[str],
    format: str | None = None,
    name: str = "scores",
    measures: frozenset[str] = frozenset(),
) -> Scores:
    """The values that a tool printed.

    scores:  a path, an open file, bytes or text of one of SCORES_FORMATS; or what a Python library returns:
             ``{measure: value}``, ``{query: {measure: value}}``, ``{measure: {query: value}}``, ``{measure: [value of
             each query]}`` (by rising id; None: no value), rows (query, measure, value) or objects with these
             attributes, a data frame
    queries: those that are known, which tells queries from measures
    format:  one of SCORES_FORMATS, where it is not to be guessed
    measures: names of measures besides those that tools usually print

    Raises InputError with the place, ParameterError for an unknown format.
    """
    if format is not None and format not in SCORES_FORMATS:
        raise ParameterError(f"scores_format: expected one of {', '.join(SCORES_FORMATS)}, found {shown(format)}")
    known = _Known(queries, measures)
    source = open_text(scores, name)
    if source is None:
        if format is not None:
            raise ParameterError(f"scores_format: expected text with it (a path, an open file), found {shown(scores)}")
        return _of_data(scores, known, name, "Python")
    try:
        return _of_text(source, known, format)
    finally:
        if source is not scores:
            source.close()


def _of_text(source: Source, known: _Known, format: str | None) -> Scores:
    first = next((line.lstrip() for _, line in source.lines() if line.strip()), b"")
    if format in ("json", "jsonl") or format is None and first.startswith((b"{", b"[")):
        return _of_json(source, known, format)
    lines = [(number, text_of(line)) for number, line in source.lines()]
    lines = [(number, line) for number, line in lines if line.strip() and not set(line.strip()) <= set("#-=")]
    if not lines:
        raise InputError(source.name, "expected names and values, found blank lines alone")
    format = format or _detected([line for _, line in lines], source.name, known)
    read: Callable[..., None] = {
        "trec_eval": _read_trec_eval, "ir_measures": _read_ir_measures, "lines": _read_lines,
    }.get(format, _read_table)  # fmt: skip
    found = Scores(format)
    read(found, lines, source.name, known)
    if not found.values:
        raise InputError(source.name, f"expected values of the format {format}, found none")
    return found.finish()


def _of_json(source: Source, known: _Known, format: str | None) -> Scores:
    hooks = {"parse_float": _Number, "parse_int": _Number, "parse_constant": _Number}
    lines = [line for _, line in source.lines() if line.strip()]
    if format == "jsonl" or format is None and len(lines) > 1 and all(_is_object(line) for line in lines[:2]):
        import json

        rows = []
        for number, line in source.lines():
            if line.strip():
                try:
                    rows.append(json.loads(line, **hooks))  # type: ignore[arg-type]
                except ValueError as error:
                    problem = getattr(error, "msg", None) or "a text that is not UTF-8"
                    raise InputError(f"{source.name}:{number}", f"expected JSON, found: {problem}") from None
        return _of_data(rows, known, source.name, "jsonl")
    return _of_data(read_json(source, **hooks), known, source.name, "json")


def _is_object(line: bytes) -> bool:
    return line.strip().startswith(b"{") and line.strip().endswith(b"}")


# Lines of text


_FIELD = re.compile(r"(?:\([^)]*\)|[^\s(])+")


def _fields(line: str) -> list[str]:
    """The fields between TABs; between white space where there is none, but for white space in parentheses."""
    return [one.strip() for one in line.split("\t")] if "\t" in line else _FIELD.findall(line)


def _detected(lines: list[str], name: str, known: _Known) -> str:
    """The format of text that isn't JSON."""
    first = lines[0]
    for separator in (",", ";", "\t"):
        cells = [one.strip() for one in first.split(separator)]
        if len(cells) > 1 and not any(_NUMBER.fullmatch(one) for one in cells) and _is_header(cells, known):
            lower = [one.lower() for one in cells]
            if any(one.startswith(("err-ia", "alpha-", "nerr-ia")) for one in lower):
                return "ndeval"
            if separator == "," and tuple(lower[:2]) == TABLE_OF_PERL:
                return "gdeval"
            return "tsv" if separator == "\t" else "csv"
    if any(_line_of(line, known) for line in lines[:200]):
        return "lines"
    sample = [_fields(line) for line in lines[:200]]
    three = [one for one in sample if len(one) == 3]
    if len(three) * 2 >= len(sample):
        front = sum(known.is_measure(one[0]) for one in three)
        middle = sum(known.is_measure(one[1]) for one in three)
        if front or middle:
            return "trec_eval" if front >= middle else "ir_measures"
    if sum(len(one) == 2 and bool(_NUMBER.fullmatch(one[1])) for one in sample) * 2 > len(sample):
        return "ir_measures"
    found = first if len(first) <= 60 else first[:57] + "..."
    raise InputError(
        name, f"expected what a tool prints ({', '.join(SCORES_FORMATS)}), found '{found}'; name its format"
    )


def _is_header(cells: list[str], known: _Known) -> bool:
    named = {one.lower() for one in cells} & (_QUERY_NAMES | _MEASURE_NAMES)
    return bool(named) or all(known.is_measure(one) or one.lower() == _N_QUERIES for one in cells[1:])


def _value(text: str, place: str) -> str:
    if not _NUMBER.fullmatch(text):
        raise InputError(place, f"expected a number, found '{text}'")
    return text


def _read_trec_eval(found: Scores, lines: list[tuple[int, str]], name: str, known: _Known) -> None:
    """Lines ``measure query value``."""
    for number, line in lines:
        place, fields = f"{name}:{number}", _fields(line)
        if len(fields) != 3:
            raise InputError(place, f"expected 3 fields (measure query value), found {len(fields)}")
        measure, query, text = fields
        if _NUMBER.fullmatch(text) or not _is_text(measure):
            found.add(measure, known.query(query), _value(text, place), place)


def _is_text(name: str) -> bool:
    """Whether a measure's values are texts, not numbers: these are not compared."""
    return any(one.record.value_type == "text" for one in readings(name))


def _read_ir_measures(found: Scores, lines: list[tuple[int, str]], name: str, known: _Known) -> None:
    """Lines ``measure value`` of all queries, and ``query measure value``."""
    for number, line in lines:
        place, fields = f"{name}:{number}", _fields(line)
        if len(fields) not in (2, 3):
            raise InputError(
                place, f"expected 2 fields (measure value) or 3 (query measure value), found {len(fields)}"
            )
        query = None if len(fields) == 2 else known.query(fields[0])
        found.add(fields[-2], query, _value(fields[-1], place), place)


_LINE = re.compile(r"\s*(?P<name>[^:=]*?[\w)])\s*[:=]\s*(?P<value>\S+)\s*")


def _line_of(line: str, known: _Known) -> tuple[str, str] | None:
    """Name and value of a line ``MRR @10: 0.25`` whose name is a measure's."""
    match = _LINE.fullmatch(line)
    if match is None or not _NUMBER.fullmatch(match["value"]) or not known.is_measure(match["name"]):
        return None
    return match["name"], match["value"]


def _read_lines(found: Scores, lines: list[tuple[int, str]], name: str, known: _Known) -> None:
    """Lines ``name: value`` among others."""
    for number, line in lines:
        if one := _line_of(line, known):
            found.add("".join(one[0].split()), None, one[1], f"{name}:{number}")


def _read_table(found: Scores, lines: list[tuple[int, str]], name: str, known: _Known) -> None:
    """A table under a line of names: a column a measure, or a column of measures' names."""
    import csv

    first = lines[0][1]
    separator = "\t" if "\t" in first else ";" if first.count(";") > first.count(",") else ","
    try:
        head, *rows = csv.reader([line for _, line in lines], delimiter=separator)
    except csv.Error as error:
        raise InputError(name, f"expected a table with '{separator}' between its cells: {error}") from None
    header = [one.strip() for one in head]
    at = _Header(header, f"{name}:{lines[0][0]}", known)
    for (number, _), row in zip(lines[1:], rows, strict=False):
        place = f"{name}:{number}"
        cells = [one.strip() for one in row]
        if len(cells) != len(header):
            raise InputError(place, f"expected {len(header)} cells as in line {lines[0][0]}, found {len(cells)}")
        query = None if at.query is None else known.query(cells[at.query])
        if at.measure is not None and at.value is not None:
            found.add(cells[at.measure], query, _value(cells[at.value], place), place)
            continue
        for column in at.values:
            if cells[column]:
                found.add(header[column], query, _value(cells[column], place), place)


class _Header:
    """Which column of a table is what: a long one has `measure` and `value`, a wide one `values`."""

    def __init__(self, header: list[str], place: str, known: _Known) -> None:
        lower = [one.lower() for one in header]
        self.query = next((i for i, one in enumerate(lower) if one in _QUERY_NAMES), None)
        self.measure = next((i for i, one in enumerate(lower) if one in _MEASURE_NAMES), None)
        self.value = next((i for i, one in enumerate(lower) if one in _VALUE_NAMES), None)
        long = self.measure is not None and self.value is not None
        if not long:
            self.measure = self.value = None
        if self.query is None and not known.is_measure(header[0]) and lower[0] not in RUN_LABELS and not long:
            self.query = 0  # a data frame's index has no name, or any
        others = RUN_LABELS | _MEASURE_NAMES | {_N_QUERIES}
        self.values = [i for i, one in enumerate(lower) if i != self.query and one not in others]
        if not long and not any(known.is_measure(header[i]) for i in self.values):
            raise InputError(place, f"expected a measure's name among the columns, found {', '.join(header)}")


# Data


def _of_data(data: object, known: _Known, name: str, format: str) -> Scores:
    found = Scores(format)
    try:
        _Walk(found, known, name).walk(data, None, None)
    except RecursionError:
        raise InputError(name, "expected values by query and measure, found too many levels") from None
    if not found.values:
        expected = "values by measure, by query and measure, or rows (query, measure, value)"
        raise InputError(name, f"expected {expected}, found none in {shown(data)}")
    return found.finish()


class _Walk:
    """Goes through dicts, lists and objects and adds the values that it meets."""

    def __init__(self, found: Scores, known: _Known, name: str) -> None:
        self.found = found
        self.known = known
        self.name = name
        self.ordered = sorted(known.queries, key=lambda one: one.encode("utf-8", "surrogateescape"))

    def walk(self, node: Any, query: str | None, measure: str | None) -> None:
        text = _number_text(node)
        if text is not None:
            if measure is not None:
                self.found.add(measure, query, text, self._place(query, measure))
        elif isinstance(node, Mapping):
            self._mapping(node, query, measure)
        elif hasattr(node, "to_dict") and hasattr(node, "columns") and hasattr(node, "index"):
            self._frame(node)  # before objects: a frame has its columns as attributes
        elif hasattr(node, "per_query"):  # ours, and ir_measures' CalcResults
            self.walk(getattr(node, "aggregated", None) or getattr(node, "means", {}), None, None)
            self.walk(node.per_query, None, None)
        elif hasattr(node, "measure") and hasattr(node, "value"):
            text = self._number(node.value, f"{self.name}: {node.measure}")
            self.found.add(node.measure, getattr(node, "query_id", None), text, self._place(None, str(node.measure)))
        elif hasattr(node, "tolist"):
            self.walk(node.tolist(), query, measure)
        elif isinstance(node, Iterable) and not isinstance(node, (str, bytes)):
            self._items(list(node), query, measure)
        elif node is not None and measure is not None and self.known.is_measure(measure):
            place = self._place(query, measure)
            self.found.add(measure, query, self._number(node, place), place)

    def _place(self, query: str | None, measure: str) -> str:
        return f"{self.name}: query {query!r}, {measure}" if query is not None else f"{self.name}: {measure}"

    def _number(self, value: object, place: str) -> str:
        text = value.strip() if isinstance(value, str) and not isinstance(value, _Number) else _number_text(value)
        if text is None or not _NUMBER.fullmatch(text):
            raise InputError(place, f"expected a number, found {shown(value)}")
        return text

    def _mapping(self, node: Mapping[Any, Any], query: str | None, measure: str | None) -> None:
        if self._row(node):
            return
        keys = {key: str(key) for key in node}
        if measure is None:
            containers = [key for key, text in keys.items() if text.lower() in _MEANS_NAMES | _PER_QUERY_NAMES]
            containers = [key for key in containers if isinstance(node[key], (Mapping, list)) and query is None]
            if containers and not any(
                text in self.known.queries or self.known.is_measure(text) for text in keys.values()
            ):
                for key in containers:
                    self.walk(node[key], None, None)
                return
        level = self._level(node, keys, query, measure)
        for key, text in keys.items():
            if level == "query":
                self.walk(node[key], self.known.query(text), measure)
            elif level == "measure":
                self.walk(node[key], query, text)
            else:
                self.walk(node[key], query, measure)

    def _level(self, node: Mapping[Any, Any], keys: dict[Any, str], query: str | None, measure: str | None) -> str:
        """What the keys of a mapping are: queries, measures, or neither."""
        if measure is not None:
            return "query"
        leaves = not any(isinstance(value, (Mapping, list, tuple)) for value in node.values())
        if query is not None or leaves:
            return "measure"
        n_queries = sum(map(self.known.is_query, keys.values()))
        n_measures = sum(map(self.known.is_measure, keys.values()))
        if n_queries == n_measures == 0:
            inner = [value for value in node.values() if isinstance(value, Mapping)]
            of_measures = all(any(self.known.is_measure(str(one)) for one in value) for value in inner)
            return "query" if len(inner) > 1 and of_measures else ""
        return "query" if n_queries >= n_measures else "measure"

    def _row(self, node: Mapping[Any, Any]) -> bool:
        """Takes a mapping that is one row (query, measure, value); whether it is."""
        lower = {str(key).lower(): key for key in node}
        measure = next((lower[one] for one in lower if one in _MEASURE_NAMES), None)
        value = next((lower[one] for one in lower if one in _VALUE_NAMES), None)
        if measure is None or value is None or isinstance(node[value], (Mapping, list)):
            return False
        query = next((node[lower[one]] for one in lower if one in _QUERY_NAMES), None)
        label = None if query is None else self.known.query(str(query))
        place = self._place(label, str(node[measure]))
        self.found.add(node[measure], label, self._number(node[value], place), place)
        return True

    def _items(self, items: list[Any], query: str | None, measure: str | None) -> None:
        numbers = [_number_text(one) for one in items]
        if measure is not None and any(one is not None for one in numbers):
            for number, item in zip(numbers, items, strict=True):
                if number is None and item is not None:
                    raise InputError(f"{self.name}: {measure}", f"expected a number, found {shown(item)}")
            if len(items) != len(self.ordered):
                expected = f"the value of each of {len(self.ordered)} judged queries"
                raise InputError(f"{self.name}: {measure}", f"expected {expected}, found {len(items)}")
            for one, text in zip(self.ordered, numbers, strict=True):
                if text is not None:
                    self.found.add(measure, one, text, self._place(one, measure))
            return
        for i, one in enumerate(items):
            place = f"{self.name}: row {i}"
            row: list[Any] = list(one) if isinstance(one, Sequence) and not isinstance(one, (str, bytes)) else []
            if hasattr(one, "_fields"):
                self.walk(one, query, measure)
            elif len(row) in (2, 3) and (_number_text(row[-1]) is not None or self.known.is_measure(str(row[-2]))):
                label = None if len(row) == 2 or row[0] is None else self.known.query(str(row[0]))
                self.found.add(row[-2], label, self._number(row[-1], place), place)
            elif isinstance(one, Mapping) and not self._row(one):
                self._wide(one, query, measure)
            elif not isinstance(one, Mapping):
                self.walk(one, query, measure)

    def _wide(self, row: Mapping[Any, Any], query: str | None, measure: str | None) -> None:
        """A row with a query and a column for each measure."""
        key = next((one for one in row if str(one).lower() in _QUERY_NAMES), None)
        if key is None:
            self._mapping(row, query, measure)
            return
        label = self.known.query(str(_plain(row[key])))
        for name, value in row.items():
            if name == key or value is None or str(name).lower() in RUN_LABELS:
                continue
            if _number_text(value) is not None or self.known.is_measure(str(name)):
                place = self._place(label, str(name))
                self.found.add(name, label, self._number(value, place), place)

    def _frame(self, frame: Any) -> None:
        """A pandas data frame, long or wide; its index may be the queries."""
        names = [str(one) for one in frame.columns]
        has_query = any(one.lower() in _QUERY_NAMES for one in names)
        rows: list[dict[str, Any]] = frame.reset_index(drop=has_query).to_dict("records")
        for row in rows:
            if not has_query:
                key = next(iter(row))
                row = {"query_id": row.pop(key), **row}
            self._items([row], None, None)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") and not isinstance(value, (str, bytes)) else value


def _number_text(value: Any) -> str | None:
    """The text of a number of any library; None for anything else."""
    if isinstance(value, _Number):
        return value.text if _NUMBER.fullmatch(value.text) else repr(float(value))
    if isinstance(value, (str, bytes, bool)) or value is None or getattr(value, "ndim", 0) != 0:
        return None
    value = _plain(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    try:
        return repr(float(value)) if hasattr(value, "__float__") else None
    except (TypeError, ValueError, OverflowError):
        return None
