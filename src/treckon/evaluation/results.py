"""What an evaluation comes to: values with the conventions, counts and ties that they were made with."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TypeVar

from treckon.errors import Notice, TreckonError, in_short
from treckon.evaluation.conventions import DEFAULTS, Conventions
from treckon.inputs.sinks import write_whole
from treckon.measures.aggregation import MEAN
from treckon.measures.registry import INTEGER, VIEW_RUN
from treckon.naming.syntax import Measure, parse
from treckon.scalars import Refused, id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType
    from typing import Any

    import numpy
    import pandas
    import polars
    import pyarrow

    Value = float | str

SHOWN_WARNINGS = 5


class Columns:
    """Which measures there are, and where: found by the measure, and by any text that stands for it."""

    __slots__ = ("_at", "measures")

    def __init__(self, measures: Iterable[Measure]) -> None:
        self.measures = tuple(measures)
        self._at = {str(measure): i for i, measure in enumerate(self.measures)}

    def find(self, key: object) -> int:
        """The column of a measure. Raises KeyError that says which there are."""
        at = self._at.get(str(key)) if isinstance(key, (str, Measure)) else None
        if at is None and isinstance(key, str):
            try:
                at = self._at.get(str(parse(key)))
            except TreckonError:
                pass
        if at is None:
            raise KeyError(f"expected one of {', '.join(self._at) or 'no measures'}, found {key}")
        return at


class ByMeasure(Mapping[Measure, "Value"]):
    """Values by measure; a measure's text finds its value too: ``values["nDCG@10"]``."""

    __slots__ = ("_columns", "_values")

    def __init__(self, columns: Columns, values: Sequence[Value]) -> None:
        self._columns = columns
        self._values = values

    def __getitem__(self, key: Measure | str) -> Value:
        return self._values[self._columns.find(key)]

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._columns.measures)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{measure}: {value!r}" for measure, value in self.items()) + "}"


class PerQuery(Mapping[str, ByMeasure]):
    """The values of each query: query id to measure to value. A query's are put together when it is asked for.

    Ids are texts; a whole number finds the query of its decimal text.
    """

    __slots__ = ("_at", "_columns", "_query_ids", "_shown", "_texts", "_values", "_width")

    def __init__(
        self,
        query_ids: tuple[str, ...],
        measures: tuple[Measure, ...],
        values: array[float],
        texts: dict[int, tuple[Value, ...]],
    ) -> None:
        self._query_ids = query_ids
        self._shown = [i for i, measure in enumerate(measures) if measure.record.per_query]
        self._columns = Columns(measures[i] for i in self._shown)
        self._width = len(measures)
        self._values = values  # row by row
        self._texts = texts  # by column
        self._at: dict[str, int] | None = None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Those that have a value for each query."""
        return self._columns.measures

    def rows(self) -> Iterator[list[Value]]:
        """The values of one query after the other, by `measures`."""
        return map(self._row, range(len(self)))

    def _row(self, query: int) -> list[Value]:
        start = query * self._width
        return [self._texts[i][query] if i in self._texts else self._values[start + i] for i in self._shown]

    def __getitem__(self, query_id: str | int) -> ByMeasure:
        if self._at is None:
            self._at = {one: i for i, one in enumerate(self._query_ids)}
        try:
            at = self._at.get(id_of(query_id))
        except Refused:
            at = None
        if at is None:
            raise KeyError(f"expected a query that was evaluated (there are {len(self)}), found {in_short(query_id)}")
        return ByMeasure(self._columns, self._row(at))

    def __iter__(self) -> Iterator[str]:
        return iter(self._query_ids)

    def __len__(self) -> int:
        return len(self._query_ids)

    def __repr__(self) -> str:
        first = ", ".join(f"{query_id!r}: {self[query_id]!r}" for query_id in self._query_ids[:3])
        return f"{{{first}{', ...' if len(self) > 3 else ''}}} ({len(self)} queries)"


Field = TypeVar("Field")


class FieldMapping(Mapping[str, Field]):
    """Base of a dataclass whose fields are keys, too; a field that is None is absent."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Field:
        if name not in self._names():
            raise KeyError(name)
        value: Field = getattr(self, name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __repr__(self) -> str:
        return repr(dict(self))

    def _names(self) -> list[str]:
        return [field.name for field in fields(self) if getattr(self, field.name) is not None]  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, repr=False)
class Counts(FieldMapping[int]):
    """How many queries there are, and where. The names are keys, too: ``counts["missing"]``.

    in_qrels:         judged
    in_run:           in the run
    in_both:          judged and in the run
    missing:          judged, and not in the run
    extra:            in the run, and not judged
    without_relevant: judged, without a relevant document
    own_documents:    documents that were taken out because their id is the query's; there with ignore_self
    """

    in_qrels: int
    in_run: int
    in_both: int
    missing: int
    extra: int
    without_relevant: int
    own_documents: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Ties(FieldMapping["int | Mapping[str, float]"]):
    """In how many queries documents have the same score. The names are keys, too: ``ties["queries"]``.

    queries:         that have ties
    across_cutoff:   of them, where a group of tied documents spans a cutoff asked for
    standard_errors: by measure, of the means that were estimated from random orders of tied documents, if any were
    """

    queries: int
    across_cutoff: int
    standard_errors: Mapping[str, float] | None = None


class Evaluation:
    """The values of a run, of every query and of all together.

    measures:    what was asked for, in that order
    query_ids:   the queries that count, in the order of the rows of `values`
    conventions: the choices that the values were made with; a mapping, too: ``conventions["ties"]``
    counts:      numbers of queries: in_qrels, in_run, in_both, missing (from the run), extra (not judged),
                 without_relevant (documents); with ignore_self also own_documents: documents that were taken out
                 because their id is the query's
    ties:        numbers of queries: queries (that have ties), across_cutoff (of them, where a group of tied documents
                 spans a cutoff asked for); standard_errors (by measure, of the means that were estimated from random
                 orders of tied documents), where there are any
    warnings:    sentences, each with its parts: `kind`, `place`, `expected`, `found`, and `advice`, an option
                 that does otherwise

    `means` has the values over all queries, `per_query` those of each, `values` the same as an array. Both mappings
    take a measure or its text: ``evaluation.means["nDCG@10"]``, or shorter ``evaluation["nDCG@10"]``.

    Every value is a float; trec_eval's few measures that are texts (relstring, runid) have str. Not every measure is
    averaged: the number of retrieved documents is summed, gm_map is a geometric mean, and `means` has whatever the
    measure's aggregate is. A measure that trec_eval shows for all queries together only, or for each query only, is
    missing from the other mapping.
    """

    __slots__ = (
        "_means", "_per_query", "_texts", "_values",
        "conventions", "counts", "measures", "query_ids", "ties", "warnings",
    )  # fmt: skip

    def __init__(
        self,
        *,
        measures: Iterable[Measure],
        query_ids: Iterable[str],
        values: object,
        means: Iterable[float | str | bytes | None] | Mapping[Measure, float | str | bytes | None],
        conventions: Conventions | Mapping[str, Any],
        counts: Counts | Mapping[str, Any],
        ties: Ties | Mapping[str, Any],
        warnings: Iterable[str] = (),
        texts: Mapping[Measure, Sequence[str | bytes]] | None = None,
    ) -> None:
        """Takes what was computed. (Users get evaluations from `treckon.evaluate`.)

        values: float64 buffer, queries x measures, or rows of numbers
        means:  by column, or by measure; None where there is none
        texts:  for each text-valued measure the text of each query (its column of `values` says nothing)
        """
        self.measures = tuple(measures)
        self.query_ids = tuple(query_ids)
        self.conventions = conventions if isinstance(conventions, Conventions) else Conventions(**conventions)
        self.counts = counts if isinstance(counts, Counts) else Counts(**counts)
        self.ties = ties if isinstance(ties, Ties) else Ties(**ties)
        self.warnings = tuple(w if isinstance(w, Notice) else Notice(w) for w in warnings)
        self._values = _doubles(values)
        if len(self._values) != len(self.query_ids) * len(self.measures):
            expected = f"{len(self.query_ids)} queries x {len(self.measures)} measures"
            raise ValueError(f"values: expected {expected}, found {len(self._values)} numbers")
        columns = Columns(self.measures)
        self._texts = {columns.find(one): tuple(map(_text_or_number, column)) for one, column in (texts or {}).items()}
        self._per_query = PerQuery(self.query_ids, self.measures, self._values, self._texts)
        by_column = [means.get(one) for one in self.measures] if isinstance(means, Mapping) else list(means)
        known = [(one, value) for one, value in zip(self.measures, by_column, strict=True) if value is not None]
        shown = [(one, _text_or_number(value)) for one, value in known if one.record.summary]
        self._means = ByMeasure(Columns(one for one, _ in shown), [value for _, value in shown])

    @property
    def means(self) -> Mapping[Measure, Value]:
        """The value of each measure over all queries: its mean, or what it has in place of one."""
        return self._means

    @property
    def per_query(self) -> Mapping[str, Mapping[Measure, Value]]:
        """The values of each query: ``evaluation.per_query["q1"]["nDCG@10"]``."""
        return self._per_query

    @property
    def values(self) -> numpy.ndarray[tuple[int, int], numpy.dtype[numpy.float64]]:
        """All values, queries x measures, in the order of `query_ids` and `measures`: an array that can't be written.

        It holds what the aggregates are made of: for a geometric mean logarithms, for a text-valued measure nothing
        of meaning.
        """
        import numpy

        matrix = numpy.asarray(self._values).reshape(len(self.query_ids), len(self.measures))
        matrix.flags.writeable = False
        return matrix

    def __getitem__(self, measure: Measure | str) -> Value:
        return self._means[measure]

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._means)

    def __contains__(self, measure: object) -> bool:
        return measure in self._means

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Evaluation):
            return NotImplemented
        return all(getattr(self, slot) == getattr(other, slot) for slot in self._compared)

    _compared = ("measures", "query_ids", "_values", "_texts", "_means", "conventions", "counts", "ties", "warnings")

    # To other forms

    def to_dict(self, per_query: bool = False) -> dict[str, object]:
        """All of it as dictionaries, lists, texts and numbers, by the measures' texts.

        Keys: measures, means, conventions, counts, ties, warnings; with `per_query` also per_query.
        """
        found: dict[str, object] = {
            "measures": [str(measure) for measure in self.measures],
            "means": {str(measure): value for measure, value in self._means.items()},
            "conventions": self.conventions.as_dict(),
            "counts": dict(self.counts),
            "ties": dict(self.ties),
            "warnings": list(self.warnings),
        }
        if per_query:
            labels = [str(measure) for measure in self._per_query.measures]
            rows = zip(self.query_ids, self._per_query.rows(), strict=True)
            found["per_query"] = {query_id: dict(zip(labels, row, strict=True)) for query_id, row in rows}
        return found

    def to_json(self, path: str | os.PathLike[str] | None = None, per_query: bool = False) -> str:
        """`to_dict` as JSON text, written to a file where `path` is given.

        The file is there as a whole or, after an error, as it was before. A value that is no finite number (of a
        measure of the user's own) is null.
        """
        text = json_text(self.to_dict(per_query))
        if path is not None:
            write_whole([text.encode("ascii")], path)
        return text

    def to_pandas(self, tidy: bool = False) -> pandas.DataFrame:
        """The values of each query as a pandas data frame: query_id as index, a column for each measure.

        `tidy`: a row for each query and measure instead, with the columns query_id, measure and value (and text, where
        a measure is text-valued). Raises ImportError where pandas is missing.
        """
        frame: pandas.DataFrame = _library("pandas", "pandas", "to_pandas").DataFrame(self._table(tidy))
        return frame if tidy else frame.set_index("query_id")

    def to_polars(self, tidy: bool = False) -> polars.DataFrame:
        """The values of each query as a polars data frame: the column query_id and one for each measure.

        `tidy` as in `to_pandas`. Raises ImportError where polars is missing.
        """
        frame: polars.DataFrame = _library("polars", "polars", "to_polars").DataFrame(self._table(tidy))
        return frame

    def to_arrow(self, tidy: bool = False) -> pyarrow.Table:
        """The values of each query as an Arrow table: the column query_id and one for each measure.

        `tidy` as in `to_pandas`. Raises ImportError where pyarrow is missing.
        """
        table: pyarrow.Table = _library("pyarrow", "arrow", "to_arrow").table(self._table(tidy))
        return table

    def _table(self, tidy: bool) -> dict[str, list[Any]]:
        """Columns by name."""
        labels = [str(measure) for measure in self._per_query.measures]
        rows = list(self._per_query.rows())
        if not tidy:
            columns = {label: [row[i] for row in rows] for i, label in enumerate(labels)}
            return {"query_id": list(self.query_ids), **columns}
        values = [value for row in rows for value in row]
        table: dict[str, list[Any]] = {
            "query_id": [query_id for query_id in self.query_ids for _ in labels],
            "measure": labels * len(rows),
            "value": [None if isinstance(value, str) else value for value in values],
        }
        if self._texts:
            table["text"] = [value if isinstance(value, str) else None for value in values]
        return table

    # To be read

    def __repr__(self) -> str:
        rows = [(str(measure), _shown(measure, value), self._note(measure)) for measure, value in self._means.items()]
        widths = [max((len(row[i]) for row in rows), default=0) for i in range(2)]
        lines = [self._headline()]
        lines += [f"  {name:<{widths[0]}}  {value:>{widths[1]}}  {note}".rstrip() for name, value, note in rows]
        return "\n".join([*lines, *self._notes()])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from html import escape

        rows = "".join(
            f"<tr><th>{escape(str(measure))}</th><td>{escape(_shown(measure, value))}</td>"
            f"<td>{escape(self._note(measure))}</td></tr>"
            for measure, value in self._means.items()
        )
        notes = "".join(f"<div>{escape(note)}</div>" for note in self._notes())
        return f"<table><caption>{escape(self._headline())}</caption><tbody>{rows}</tbody></table>{notes}"

    def _headline(self) -> str:
        n = len(self.query_ids)
        return f"Evaluation of {n} {'query' if n == 1 else 'queries'}"

    def _note(self, measure: Measure) -> str:
        """What to say beside a value: which aggregate it is, unless the mean or none, and how sure an estimate is."""
        record, error = measure.record, (self.ties.standard_errors or {}).get(str(measure))
        notes = [] if record.view == VIEW_RUN or record.aggregate is MEAN else [record.aggregate.name]
        if error is not None:
            notes.append(f"standard error {error:.4f}")
        return ", ".join(notes)

    def _notes(self) -> Iterator[str]:
        """A line for each thing to know besides the values."""
        counts = {name: count for name, count in self.counts.items() if name != "own_documents"}
        yield f"queries: {_counted(counts)}"
        if self.counts.own_documents:
            yield f"documents taken out because their id is the query's: {self.counts.own_documents}"
        others = [f"{name}={value!r}" for name, value in self.conventions.items() if value != DEFAULTS[name]]
        yield f"conventions: {', '.join(others)}; else trec_eval's" if others else "conventions: trec_eval's"
        if self.ties.queries:
            yield f"ties: {_counted({'queries': self.ties.queries, 'across_cutoff': self.ties.across_cutoff})}"
        yield from (f"warning: {warning}" for warning in self.warnings[:SHOWN_WARNINGS])
        if len(self.warnings) > SHOWN_WARNINGS:
            yield f"and {len(self.warnings) - SHOWN_WARNINGS} more warnings"


def _doubles(values: object) -> array[float]:
    """Numbers of a buffer or of rows, one row after the other."""
    try:
        view = memoryview(values)  # type: ignore[arg-type]
    except TypeError:
        rows: Iterable[Iterable[float]] = values  # type: ignore[assignment]
    else:
        if view.format == "d":
            return array("d", view.tobytes())
        rows = view.tolist()  # type: ignore[assignment]  # of two dimensions
    return array("d", (value for row in rows for value in row))


def _text_or_number(value: float | str | bytes) -> Value:
    if isinstance(value, bytes):
        return os.fsdecode(value)
    return value if isinstance(value, str) else float(value)


def _shown(measure: Measure, value: Value) -> str:
    """A value as trec_eval prints it, the number before the point as wide as it takes."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if measure.record.value_type == INTEGER and value.is_integer() else f"{value:.4f}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())


def json_text(data: object) -> str:
    """Dictionaries, lists, texts and numbers as JSON. A number that is infinite or none is null."""
    import json

    return json.dumps(_json_value(data), indent=2, allow_nan=False) + "\n"


def _json_value(value: object) -> object:
    """The value in what JSON has. No number of it is infinite or none."""
    if isinstance(value, Mapping):
        return {str(key): _json_value(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(one) for one in value]
    if isinstance(value, float):
        return float(value) if value - value == 0.0 else None
    if value is None or isinstance(value, (str, int)):
        return value
    return _json_value(value.item()) if hasattr(value, "item") else str(value)


def _library(name: str, extra: str, method: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{method} needs {name}: pip install 'treckon[{extra}]' ({error})", name=name) from error
