"""Tables with named columns, and rows: data frames, Arrow, structured arrays, dicts of columns, tuples, objects."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from operator import attrgetter, itemgetter

from treckon.errors import InputError
from treckon.inputs.arrow import is_producer, read_table
from treckon.inputs.columns import Columns, checked_columns, is_numpy
from treckon.inputs.values import DataKind, has_keys, listed, shown
from treckon.scalars import Refused, id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from treckon.inputs.formats.registry import Names

#: What columns of ids may be called. The first names go before the others, of which only one may be there.
_QUERY_NAMES = (("query_id",), ("qid", "query-id", "q_id", "topic_id"))
#: Where both docno and docid are there, docid is a number of the search engine's own.
_DOC_NAMES = (("doc_id",), ("docno",), ("docid", "corpus-id", "corpus_id", "document_id"))

_Named = namedtuple("_Named", "item")
#: The type of what reads an item of a named tuple by its name.
_NamedItem = type(_Named.item)


def named_columns(has: Callable[[str], bool], kind: DataKind) -> Names | None:
    """The names of the columns of query ids, document ids and values among those that are there; None: no telling."""
    value_names = (kind.value_names[:1], kind.value_names[1:])
    chosen = tuple(_one_name(has, names) for names in (_QUERY_NAMES, _DOC_NAMES, value_names))
    return None if None in chosen else chosen


def _one_name(has: Callable[[str], bool], tiers: tuple[tuple[str, ...], ...]) -> str | None:
    for names in tiers:
        there = [name for name in names if has(name)]
        if there:
            return there[0] if len(there) == 1 else None
    return None


def chosen_columns(names: Sequence[Any], columns: Names | None, kind: DataKind, name: str) -> Names:
    """The columns that the user named, else those with the usual names. Raises InputError that names all there are."""
    chosen = columns or named_columns(lambda column: column in names, kind)
    if chosen is None or any(column not in names for column in chosen):
        expected = columns or usual_names(kind)
        raise InputError(
            name,
            f"expected columns {', '.join(map(str, expected))}, found {listed(names)}"
            + ("" if columns else "; name them with columns=(query, document, " + kind.value + ")"),
        )
    return chosen


def from_table(table: Any, columns: Names | None, kind: DataKind, name: str) -> Columns | None:
    """A data frame, an Arrow table or a structured array as columns; None where it is nothing of the kind."""
    if is_numpy(table):
        if not table.dtype.names:
            return None
        return _from_names(list(table.dtype.names), table.__getitem__, columns, kind, name)
    if (hasattr(table, "iloc") or hasattr(table, "get_column")) and hasattr(table, "columns"):  # pandas, polars
        return _from_names(list(table.columns), table.__getitem__, columns, kind, name)
    if is_producer(table):
        return _from_arrow(table, columns, kind, name)
    return None


def from_dict_of_columns(table: Mapping[Any, Any], columns: Names | None, kind: DataKind, name: str) -> Columns | None:
    """A dict of columns as columns; None where the columns are not named and its keys are not the usual names."""
    if columns is None and (
        (chosen := named_columns(table.__contains__, kind)) is None
        or any(isinstance(table[column], Mapping) for column in chosen)
    ):
        return None
    return _from_names(list(table), table.__getitem__, columns, kind, name)


def _from_names(
    names: list[Any], column: Callable[[Any], object], columns: Names | None, kind: DataKind, name: str
) -> Columns:
    query, document, value = chosen_columns(names, columns, kind, name)
    return checked_columns(column(query), column(document), column(value), kind, name)


def _from_arrow(producer: object, columns: Names | None, kind: DataKind, name: str) -> Columns:
    table = read_table(producer, name)
    if table is None:
        raise InputError(name, f"expected a table with columns, found one column ({shown(producer)})")
    names, arrow_columns = table
    return _from_names(names, lambda chosen: arrow_columns[names.index(chosen)], columns, kind, name)


class Rows:
    """Rows that have not been read yet: tuples (query id, document id, number), or objects or dicts with these by name.

    An iterator's rows can be read once, those of a list or tuple (`again`) as often as one likes.
    """

    __slots__ = ("_expected", "_kind", "_rows", "again", "at", "name", "order", "row_type", "take")

    def __init__(self, rows: Iterable[Any], columns: Names | None, kind: DataKind, name: str) -> None:
        self.again = isinstance(rows, (list, tuple))
        self.name = name
        self.order = "score"
        self._kind = kind
        first: list[Any] = list(islice(rows, 1)) if self.again else []
        if not self.again:
            iterator = iter(rows)
            first = list(islice(iterator, 1))
            rows = chain(first, iterator)
        self._rows = rows
        self.take: Callable[[Any], tuple[object, object, object]] = _three_items
        self._expected = ""
        #: Where rows are tuples of one type, that type, and where in them the three items are.
        self.row_type: type | None = None
        self.at = (0, 1, 2)
        if first:
            self.take, self._expected, names = _row_reader(first[0], columns, kind)
            self._find_positions(type(first[0]), names)

    def _find_positions(self, row_type: type, names: Names | None) -> None:
        if row_type is tuple and names is None:
            self.row_type = tuple
        elif issubclass(row_type, tuple) and names and all(type(getattr(row_type, n, 0)) is _NamedItem for n in names):
            self.row_type = row_type
            fields = list(row_type._fields)  # type: ignore[attr-defined]
            self.at = fields.index(names[0]), fields.index(names[1]), fields.index(names[2])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)

    def checked(self, number: int, row: Any) -> tuple[str, str, float]:
        """The three items of a row as text, text and number. Raises InputError with the row's number."""
        place = f"{self.name}: row {number}"
        query, document, value = self._taken(number, row)
        try:
            return id_of(query), id_of(document), self._kind.value_of(value)
        except Refused as problem:
            raise problem.at(place) from None

    def _taken(self, number: int, row: Any) -> tuple[object, object, object]:
        try:
            query, document, value = self.take(row)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            problem = f"expected {self._expected}, found {_shown_row(row)}"
            raise InputError(f"{self.name}: row {number}", problem) from None
        return query, document, value

    def columns(self) -> Columns:
        """The same as columns, of which every item was looked at. Raises InputError."""
        queries: list[object] = []
        documents: list[object] = []
        values: list[object] = []
        for number, row in enumerate(self):
            query, document, value = self._taken(number, row)
            queries.append(query)
            documents.append(document)
            values.append(value)
        return checked_columns(queries, documents, values, self._kind, self.name)


def _row_reader(
    first: Any, columns: Names | None, kind: DataKind
) -> tuple[Callable[[Any], tuple[object, object, object]], str, Names | None]:
    """What takes a row like the first one apart, how messages call such rows, and the attributes that it reads."""
    if has_keys(first):
        keys = columns or named_columns(list(first.keys()).__contains__, kind) or usual_names(kind)
        return itemgetter(*keys), f"a mapping with the keys {', '.join(map(str, keys))}", None
    names = columns or named_columns(lambda name: hasattr(first, name), kind)
    if names is None:
        return _three_items, f"(query, document, {kind.value}) or an object with {', '.join(usual_names(kind))}", None
    names = [str(name) for name in names]
    return attrgetter(*names), f"an object with {', '.join(names)}", names


def usual_names(kind: DataKind) -> Names:
    """The first names of the columns of query ids, document ids and values."""
    return (_QUERY_NAMES[0][0], _DOC_NAMES[0][0], kind.value_names[0])


def _three_items(row: object) -> tuple[object, object, object]:
    if not isinstance(row, (tuple, list)):
        raise TypeError
    query, document, value = row
    return query, document, value


def _shown_row(row: Any) -> str:
    if has_keys(row):
        return f"one with {listed(row.keys())}"
    if isinstance(row, (tuple, list)):
        return f"{type(row).__name__} of {len(row)} items"
    return shown(row)
