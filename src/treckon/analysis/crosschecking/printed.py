"""What another tool printed: names, queries and values, each with its precision, out of any of the usual forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Printed:
    """One value that a tool printed.

    name:  the measure's name there
    query: the query, None: all of them
    text:  the number as it was printed
    value: the number
    unit:  what its last place is worth, as far as the values printed tell
    own_unit: what the last place that it shows is worth
    slack: what is added to half a unit on each side
    """

    name: str
    query: str | None
    text: str
    value: float
    unit: float = 0.0
    own_unit: float = 0.0
    slack: float = 0.0


@dataclass(frozen=True, slots=True)
class PrintedValues:
    """What a tool printed.

    values:   each value once
    format:   one of SCORES_FORMATS, or "Python"
    full:     whether values are doubles in full
    stripped: whether zeros at the end were dropped, so that a value's own digits don't tell its precision
    """

    values: list[Printed]
    format: str
    full: bool
    stripped: bool


class _Number(float):
    """A number of JSON with its text."""

    text: str

    def __new__(cls, text: str) -> _Number:
        made = super().__new__(cls, text)
        made.text = text
        return made


class _Texts:
    """The texts of values by measure and query, as they are met."""

    def __init__(self, format: str) -> None:
        self.format = format
        self._texts: dict[tuple[str, str | None], str] = {}

    def __bool__(self) -> bool:
        return bool(self._texts)

    def add(self, name: object, query: object, text: str, place: str) -> None:
        """Adds a value. Raises InputError for one that is there already."""
        key = str(name).strip(), None if query is None else str(query)
        if key in self._texts:
            what = f"'{key[0]}' of all queries" if query is None else f"'{key[0]}' of query '{key[1]}'"
            raise InputError(place, f"expected each value once, found {what} again")
        self._texts[key] = text

    def finish(self) -> PrintedValues:
        """Settles the precision of each value."""
        numbers = [(name, query, text, _number_of(text)) for (name, query), text in self._texts.items()]
        finite = [(text, value) for _, _, text, value in numbers if isfinite(value)]
        with_point = [text for text, _ in finite if "." in text or "e" in text.lower()]
        decimals = {_decimals(text) for text in with_point}
        from_python = self.format in ("json", "jsonl", "Python")
        stripped = from_python or len(decimals) > 1
        most, digits = max(decimals, default=0), max(map(_digits, with_point), default=17)
        if from_python and most < FEWEST_DECIMALS:
            most, digits = FEWEST_DECIMALS, 17
        full = most >= _FULL_DECIMALS
        full_slack = _SINGLE_SLACK if all(_is_single(value) for _, value in finite) else _FULL_SLACK
        values = []
        for name, query, text, value in numbers:
            size, own_unit = max(1.0, abs(value)), 10.0 ** -_decimals(text)
            if not isfinite(value):
                values.append(Printed(name, query, text, value))
            elif full:
                values.append(Printed(name, query, text, value, slack=full_slack * size))
            else:
                unit = 10.0**-most if stripped else own_unit
                if stripped and value:
                    unit = max(unit, 10.0 ** (floor(log10(abs(value))) - digits + 1))
                values.append(Printed(name, query, text, value, unit, own_unit, 1e-12 * size))
        return PrintedValues(values, self.format, full, stripped)


def _number_of(text: str) -> float:
    return float(text.rstrip("%")) / (100.0 if text.endswith("%") else 1.0)


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


class _Labels:
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
) -> PrintedValues:
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
    labels = _Labels(queries, measures)
    source = open_text(scores, name)
    if source is None:
        if format is not None:
            raise ParameterError(f"scores_format: expected text with it (a path, an open file), found {shown(scores)}")
        return _of_data(scores, labels, name, "Python")
    try:
        return _of_text(source, labels, format)
    finally:
        if source is not scores:
            source.close()


def _of_text(source: Source, labels: _Labels, format: str | None) -> PrintedValues:
    first = next((line.lstrip() for _, line in source.lines() if line.strip()), b"")
    if format in ("json", "jsonl") or format is None and first.startswith((b"{", b"[")):
        return _of_json(source, labels, format)
    lines = [(number, text_of(line)) for number, line in source.lines()]
    lines = [(number, line) for number, line in lines if line.strip() and not set(line.strip()) <= set("#-=")]
    if not lines:
        raise InputError(source.name, "expected names and values, found blank lines alone")
    format = format or _detected([line for _, line in lines], source.name, labels)
    read: Callable[..., None] = {
        "trec_eval": _read_trec_eval, "ir_measures": _read_ir_measures, "lines": _read_lines,
    }.get(format, _read_table)  # fmt: skip
    texts = _Texts(format)
    read(texts, lines, source.name, labels)
    if not texts:
        raise InputError(source.name, f"expected values of the format {format}, found none")
    return texts.finish()


def _of_json(source: Source, labels: _Labels, format: str | None) -> PrintedValues:
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
        return _of_data(rows, labels, source.name, "jsonl")
    return _of_data(read_json(source, **hooks), labels, source.name, "json")


def _is_object(line: bytes) -> bool:
    return line.strip().startswith(b"{") and line.strip().endswith(b"}")


# Lines of text


_FIELD = re.compile(r"(?:\([^)]*\)|[^\s(])+")


def _fields(line: str) -> list[str]:
    """The fields between TABs; between white space where there is none, but for white space in parentheses."""
    return [cell.strip() for cell in line.split("\t")] if "\t" in line else _FIELD.findall(line)


def _detected(lines: list[str], name: str, labels: _Labels) -> str:
    """The format of text that isn't JSON."""
    first = lines[0]
    for separator in (",", ";", "\t"):
        cells = [cell.strip() for cell in first.split(separator)]
        if len(cells) > 1 and not any(_NUMBER.fullmatch(cell) for cell in cells) and _is_header(cells, labels):
            lower = [cell.lower() for cell in cells]
            if any(cell.startswith(("err-ia", "alpha-", "nerr-ia")) for cell in lower):
                return "ndeval"
            if separator == "," and tuple(lower[:2]) == TABLE_OF_PERL:
                return "gdeval"
            return "tsv" if separator == "\t" else "csv"
    if any(_line_of(line, labels) for line in lines[:200]):
        return "lines"
    sample = [_fields(line) for line in lines[:200]]
    three = [fields for fields in sample if len(fields) == 3]
    if len(three) * 2 >= len(sample):
        front = sum(labels.is_measure(fields[0]) for fields in three)
        middle = sum(labels.is_measure(fields[1]) for fields in three)
        if front or middle:
            return "trec_eval" if front >= middle else "ir_measures"
    if sum(len(fields) == 2 and bool(_NUMBER.fullmatch(fields[1])) for fields in sample) * 2 > len(sample):
        return "ir_measures"
    shown_line = first if len(first) <= 60 else first[:57] + "..."
    raise InputError(
        name, f"expected what a tool prints ({', '.join(SCORES_FORMATS)}), found '{shown_line}'; name its format"
    )


def _is_header(cells: list[str], labels: _Labels) -> bool:
    named = {cell.lower() for cell in cells} & (_QUERY_NAMES | _MEASURE_NAMES)
    return bool(named) or all(labels.is_measure(cell) or cell.lower() == _N_QUERIES for cell in cells[1:])


def _value(text: str, place: str) -> str:
    if not _NUMBER.fullmatch(text):
        raise InputError(place, f"expected a number, found '{text}'")
    return text


def _read_trec_eval(texts: _Texts, lines: list[tuple[int, str]], name: str, labels: _Labels) -> None:
    """Lines ``measure query value``."""
    for number, line in lines:
        place, fields = f"{name}:{number}", _fields(line)
        if len(fields) != 3:
            raise InputError(place, f"expected 3 fields (measure query value), found {len(fields)}")
        measure, query, text = fields
        if _NUMBER.fullmatch(text) or not _is_text(measure):
            texts.add(measure, labels.query(query), _value(text, place), place)


def _is_text(name: str) -> bool:
    """Whether a measure's values are texts, not numbers: these are not compared."""
    return any(reading.record.value_type == "text" for reading in readings(name))


def _read_ir_measures(texts: _Texts, lines: list[tuple[int, str]], name: str, labels: _Labels) -> None:
    """Lines ``measure value`` of all queries, and ``query measure value``."""
    for number, line in lines:
        place, fields = f"{name}:{number}", _fields(line)
        if len(fields) not in (2, 3):
            raise InputError(
                place, f"expected 2 fields (measure value) or 3 (query measure value), found {len(fields)}"
            )
        query = None if len(fields) == 2 else labels.query(fields[0])
        texts.add(fields[-2], query, _value(fields[-1], place), place)


_LINE = re.compile(r"\s*(?P<name>[^:=]*?[\w)])\s*[:=]\s*(?P<value>\S+)\s*")


def _line_of(line: str, labels: _Labels) -> tuple[str, str] | None:
    """Name and value of a line ``MRR @10: 0.25`` whose name is a measure's."""
    match = _LINE.fullmatch(line)
    if match is None or not _NUMBER.fullmatch(match["value"]) or not labels.is_measure(match["name"]):
        return None
    return match["name"], match["value"]


def _read_lines(texts: _Texts, lines: list[tuple[int, str]], name: str, labels: _Labels) -> None:
    """Lines ``name: value`` among others."""
    for number, line in lines:
        if match := _line_of(line, labels):
            measure, text = match
            texts.add("".join(measure.split()), None, text, f"{name}:{number}")


def _read_table(texts: _Texts, lines: list[tuple[int, str]], name: str, labels: _Labels) -> None:
    """A table under a line of names: a column a measure, or a column of measures' names."""
    import csv

    first = lines[0][1]
    separator = "\t" if "\t" in first else ";" if first.count(";") > first.count(",") else ","
    try:
        head, *rows = csv.reader([line for _, line in lines], delimiter=separator)
    except csv.Error as error:
        raise InputError(name, f"expected a table with '{separator}' between its cells: {error}") from None
    header = [cell.strip() for cell in head]
    at = _Header(header, f"{name}:{lines[0][0]}", labels)
    for (number, _), row in zip(lines[1:], rows, strict=False):
        place = f"{name}:{number}"
        cells = [cell.strip() for cell in row]
        if len(cells) != len(header):
            raise InputError(place, f"expected {len(header)} cells as in line {lines[0][0]}, found {len(cells)}")
        query = None if at.query is None else labels.query(cells[at.query])
        if at.measure is not None and at.value is not None:
            texts.add(cells[at.measure], query, _value(cells[at.value], place), place)
            continue
        for column in at.values:
            if cells[column]:
                texts.add(header[column], query, _value(cells[column], place), place)


class _Header:
    """Which column of a table is what: a long one has `measure` and `value`, a wide one `values`."""

    def __init__(self, header: list[str], place: str, labels: _Labels) -> None:
        lower = [label.lower() for label in header]
        self.query = next((i for i, label in enumerate(lower) if label in _QUERY_NAMES), None)
        self.measure = next((i for i, label in enumerate(lower) if label in _MEASURE_NAMES), None)
        self.value = next((i for i, label in enumerate(lower) if label in _VALUE_NAMES), None)
        long = self.measure is not None and self.value is not None
        if not long:
            self.measure = self.value = None
        if self.query is None and not labels.is_measure(header[0]) and lower[0] not in RUN_LABELS and not long:
            self.query = 0  # a data frame's index has no name, or any
        others = RUN_LABELS | _MEASURE_NAMES | {_N_QUERIES}
        self.values = [i for i, label in enumerate(lower) if i != self.query and label not in others]
        if not long and not any(labels.is_measure(header[i]) for i in self.values):
            raise InputError(place, f"expected a measure's name among the columns, found {', '.join(header)}")


# Data


def _of_data(data: object, labels: _Labels, name: str, format: str) -> PrintedValues:
    texts = _Texts(format)
    try:
        _Walk(texts, labels, name).walk(data, None, None)
    except RecursionError:
        raise InputError(name, "expected values by query and measure, found too many levels") from None
    if not texts:
        expected = "values by measure, by query and measure, or rows (query, measure, value)"
        raise InputError(name, f"expected {expected}, found none in {shown(data)}")
    return texts.finish()


class _Walk:
    """Goes through dicts, lists and objects and adds the values that it meets."""

    def __init__(self, texts: _Texts, labels: _Labels, name: str) -> None:
        self.texts = texts
        self.labels = labels
        self.name = name
        self.ordered = sorted(labels.queries, key=lambda query_id: query_id.encode("utf-8", "surrogateescape"))

    def walk(self, node: Any, query: str | None, measure: str | None) -> None:
        text = _number_text(node)
        if text is not None:
            if measure is not None:
                self.texts.add(measure, query, text, self._place(query, measure))
        elif isinstance(node, Mapping):
            self._mapping(node, query, measure)
        elif hasattr(node, "to_dict") and hasattr(node, "columns") and hasattr(node, "index"):
            self._frame(node)  # before objects: a frame has its columns as attributes
        elif hasattr(node, "per_query"):  # ours, and ir_measures' CalcResults
            self.walk(getattr(node, "aggregated", None) or getattr(node, "means", {}), None, None)
            self.walk(node.per_query, None, None)
        elif hasattr(node, "measure") and hasattr(node, "value"):
            text = self._number(node.value, f"{self.name}: {node.measure}")
            self.texts.add(node.measure, getattr(node, "query_id", None), text, self._place(None, str(node.measure)))
        elif hasattr(node, "tolist"):
            self.walk(node.tolist(), query, measure)
        elif isinstance(node, Iterable) and not isinstance(node, (str, bytes)):
            self._items(list(node), query, measure)
        elif node is not None and measure is not None and self.labels.is_measure(measure):
            place = self._place(query, measure)
            self.texts.add(measure, query, self._number(node, place), place)

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
                text in self.labels.queries or self.labels.is_measure(text) for text in keys.values()
            ):
                for key in containers:
                    self.walk(node[key], None, None)
                return
        level = self._level(node, keys, query, measure)
        for key, text in keys.items():
            if level == "query":
                self.walk(node[key], self.labels.query(text), measure)
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
        n_queries = sum(map(self.labels.is_query, keys.values()))
        n_measures = sum(map(self.labels.is_measure, keys.values()))
        if n_queries == n_measures == 0:
            inner = [value for value in node.values() if isinstance(value, Mapping)]
            of_measures = all(any(self.labels.is_measure(str(key)) for key in value) for value in inner)
            return "query" if len(inner) > 1 and of_measures else ""
        return "query" if n_queries >= n_measures else "measure"

    def _row(self, node: Mapping[Any, Any]) -> bool:
        """Takes a mapping that is one row (query, measure, value); whether it is."""
        lower = {str(key).lower(): key for key in node}
        measure = next((lower[label] for label in lower if label in _MEASURE_NAMES), None)
        value = next((lower[label] for label in lower if label in _VALUE_NAMES), None)
        if measure is None or value is None or isinstance(node[value], (Mapping, list)):
            return False
        query = next((node[lower[label]] for label in lower if label in _QUERY_NAMES), None)
        label = None if query is None else self.labels.query(str(query))
        place = self._place(label, str(node[measure]))
        self.texts.add(node[measure], label, self._number(node[value], place), place)
        return True

    def _items(self, items: list[Any], query: str | None, measure: str | None) -> None:
        numbers = [_number_text(item) for item in items]
        if measure is not None and any(item is not None for item in numbers):
            for number, item in zip(numbers, items, strict=True):
                if number is None and item is not None:
                    raise InputError(f"{self.name}: {measure}", f"expected a number, found {shown(item)}")
            if len(items) != len(self.ordered):
                expected = f"the value of each of {len(self.ordered)} judged queries"
                raise InputError(f"{self.name}: {measure}", f"expected {expected}, found {len(items)}")
            for query_id, text in zip(self.ordered, numbers, strict=True):
                if text is not None:
                    self.texts.add(measure, query_id, text, self._place(query_id, measure))
            return
        for i, item in enumerate(items):
            place = f"{self.name}: row {i}"
            row: list[Any] = list(item) if isinstance(item, Sequence) and not isinstance(item, (str, bytes)) else []
            if hasattr(item, "_fields"):
                self.walk(item, query, measure)
            elif len(row) in (2, 3) and (_number_text(row[-1]) is not None or self.labels.is_measure(str(row[-2]))):
                label = None if len(row) == 2 or row[0] is None else self.labels.query(str(row[0]))
                self.texts.add(row[-2], label, self._number(row[-1], place), place)
            elif isinstance(item, Mapping) and not self._row(item):
                self._wide(item, query, measure)
            elif not isinstance(item, Mapping):
                self.walk(item, query, measure)

    def _wide(self, row: Mapping[Any, Any], query: str | None, measure: str | None) -> None:
        """A row with a query and a column for each measure."""
        key = next((column for column in row if str(column).lower() in _QUERY_NAMES), None)
        if key is None:
            self._mapping(row, query, measure)
            return
        label = self.labels.query(str(_plain(row[key])))
        for name, value in row.items():
            if name == key or value is None or str(name).lower() in RUN_LABELS:
                continue
            if _number_text(value) is not None or self.labels.is_measure(str(name)):
                place = self._place(label, str(name))
                self.texts.add(name, label, self._number(value, place), place)

    def _frame(self, frame: Any) -> None:
        """A pandas data frame, long or wide; its index may be the queries."""
        names = [str(column) for column in frame.columns]
        has_query = any(column.lower() in _QUERY_NAMES for column in names)
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
