"""Columns: a run or qrels as three sequences of one length, and what is turned into them without names."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import ItemsView, Iterable, Mapping, Set, ValuesView

from treckon.errors import InputError, in_short
from treckon.inputs.arrow import is_producer, read_column
from treckon.inputs.values import (
    QRELS,
    RUN,
    DataKind,
    all_mappings,
    all_real,
    document_place,
    first_repeated,
    keyed,
    plain_documents,
    query_place,
    shown,
    texts,
)
from treckon.scalars import Refused, id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeGuard

    import numpy as np

    Ids = list[str] | array[int] | np.ndarray[Any, np.dtype[np.int64]]
    Values = array[float] | array[int] | np.ndarray[Any, Any]
    PlaceOfRow = Callable[[int], str]


class Columns:
    """A run or qrels as columns: the i-th document of the table is `doc_ids[i]` for the query `query_ids[i]`.

    query_ids:     ids of queries, one a row: text, whole numbers (which stand for their decimal text) or bytes (UTF-8)
    doc_ids:       ids of documents, likewise
    values:        scores of a run: real numbers, no NaN; grades of qrels: whole numbers of 32 bits
    order:         what the values of a run tell: "score"; "rank" where they are negative ranks; "input" where the run
                   has no scores and they only fall from a query's first document to its last
    empty_queries: ids of queries that are there without a document
    name:          how messages call the table

    A column may be any sequence or one-dimensional array. Those that `as_run` and `as_qrels` return have ids in a list
    of str, a NumPy array of int64 or an `array('q')`; scores in a NumPy array of float64 or an `array('d')`; grades in
    a NumPy array of int32 or an `array('i')`. Rows are counted from 0. A document may be listed twice for a query: what
    that means is for the evaluation to say.

    Raises InputError where the columns' lengths differ.
    """

    __slots__ = ("doc_ids", "empty_queries", "name", "order", "query_ids", "values")

    def __init__(
        self,
        query_ids: Any,
        doc_ids: Any,
        values: Any,
        *,
        order: str = "score",
        empty_queries: Sequence[str] = (),
        name: str = "columns",
    ) -> None:
        try:
            lengths = len(query_ids), len(doc_ids), len(values)
        except TypeError as error:
            raise InputError(name, f"expected three sequences or arrays as columns: {error}") from None
        if len(set(lengths)) > 1:
            n_queries, n_docs, n_values = lengths
            raise InputError(
                name,
                "expected three columns of one length, "
                f"found {n_queries} query ids, {n_docs} document ids and {n_values} values",
            )
        self.query_ids = query_ids
        self.doc_ids = doc_ids
        self.values = values
        self.order = order
        self.empty_queries = empty_queries
        self.name = name

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<treckon Columns {self.name!r}: {len(self)} rows, order {self.order!r}>"

    def to_mapping(self) -> dict[str, dict[str, float]]:
        """The same as {query id: {document id: number}}, queries and documents in the order of their first rows.

        Raises InputError where a document is listed twice for a query: a mapping has no place for it.
        """
        mapping: dict[str, dict[str, float]] = {}
        queries = texts(self.query_ids, self._row)
        documents = texts(self.doc_ids, self._row)
        values = self.values.tolist() if hasattr(self.values, "tolist") else self.values
        for row, (query, document, value) in enumerate(zip(queries, documents, values, strict=True)):
            of_query = mapping.setdefault(query, {})
            if document in of_query:
                first = next(i for i in range(row) if (queries[i], documents[i]) == (query, document))
                raise InputError(
                    document_place(self.name, query, document),
                    f"expected each document once for a query, found it in rows {first} and {row}",
                )
            of_query[document] = value
        for query in self.empty_queries:
            mapping.setdefault(id_of(query), {})
        return mapping

    def _row(self, row: int) -> str:
        return f"{self.name}: row {row}"


def is_numpy(value: object) -> TypeGuard[np.ndarray[Any, Any]]:
    """Whether this is a NumPy array; NumPy is not imported for the question."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def is_array(value: object) -> bool:
    """Whether this is an array or a column of some library, which a row of a table is not."""
    if isinstance(value, (array, str, bytes, bytearray)) or not hasattr(value, "__len__"):
        return isinstance(value, array)
    return hasattr(value, "__array__") or is_producer(value)


def plain_column(column: object, name: str) -> list[object] | tuple[object, ...] | array[Any] | np.ndarray[Any, Any]:
    """What a library calls a column: as a NumPy array, or a list where its items are no numbers. Raises InputError."""
    if isinstance(column, (list, tuple, array)):
        return column
    if is_numpy(column):
        # The hidden items of a masked array are None in a list; as an array they would come back.
        return column.tolist() if isinstance(column, sys.modules["numpy"].ma.MaskedArray) else column
    if hasattr(column, "iloc") and hasattr(column, "isna"):  # pandas
        if getattr(column, "ndim", 1) != 1:
            raise InputError(name, f"expected one column of each name, found {shown(column)} in place of one")
        # With missing items, whole numbers would be floats in an array.
        return column.tolist() if column.isna().any() else column.to_numpy()  # type: ignore
    if hasattr(column, "null_count") and hasattr(column, "to_list"):  # polars
        numeric = column.dtype.is_integer() or column.dtype.is_float()  # type: ignore[attr-defined]
        return column.to_numpy() if numeric and not column.null_count() else column.to_list()  # type: ignore
    if is_producer(column):
        return read_column(column, name)
    if hasattr(column, "__array__"):
        import numpy as np

        try:
            return np.asarray(column)
        except Exception as error:  # each library has its own
            raise InputError(name, f"cannot turn {shown(column)} into a NumPy array: {error}") from None
    if not isinstance(column, Iterable) or isinstance(column, (str, bytes, bytearray, Mapping, Set)):
        raise InputError(name, f"expected a column (a sequence or an array), found {shown(column)}")
    return list(column)


def checked_columns(
    query_ids: object,
    doc_ids: object,
    values: object,
    kind: DataKind,
    name: str,
    *,
    order: str = "score",
    empty_queries: Sequence[str] = (),
    place: PlaceOfRow | None = None,
) -> Columns:
    """Columns of which every item was looked at, in the types that `Columns` promises.

    `place(row)` says where a row stands and which query's it is; without it that is ``name: row 17``, and the query is
    said, too. Raises InputError.
    """

    def row_place(row: int) -> str:
        return f"{name}: row {row}" if place is None else place(row)

    def value_place(row: int) -> str:
        query = f", query {in_short(str(queries[row]))}" if place is None else ""
        return f"{row_place(row)}{query}, document {in_short(str(documents[row]))}"

    plain = [plain_column(column, name) for column in (query_ids, doc_ids, values)]
    for column in plain:
        if is_numpy(column) and column.ndim != 1:
            raise InputError(name, f"expected columns of one dimension, found an array of shape {column.shape}")
    Columns(*plain, name=name)  # for its check of the lengths
    queries, documents = _id_column(plain[0], row_place), _id_column(plain[1], row_place)
    return Columns(
        queries,
        documents,
        _value_column(plain[2], kind, value_place),
        order=order,
        empty_queries=empty_queries,
        name=name,
    )


def _id_column(column: Sequence[object] | array[Any] | np.ndarray[Any, Any], place: PlaceOfRow) -> Ids:
    if is_numpy(column):
        if column.dtype.kind in "iu":
            import numpy as np

            if np.can_cast(column.dtype, np.int64) or not column.size or int(column.max()) < 1 << 63:
                return np.ascontiguousarray(column, dtype=np.int64)
        column = _listed(column, "text or whole numbers as ids", place)
    elif isinstance(column, array) and column.typecode == "q":
        return column
    elif set(map(type, column)) == {int}:
        try:
            return array("q", column)
        except OverflowError:  # more than 63 bits
            pass
    return texts(column, place)


def _value_column(
    column: Sequence[object] | array[Any] | np.ndarray[Any, Any], kind: DataKind, place: PlaceOfRow
) -> Values:
    if is_numpy(column):
        if column.dtype.kind in "fiub":
            return _numpy_values(column, kind, place)
        column = _listed(column, f"numbers as {kind.value}s", place)
    if all_real(column, kind):
        try:
            numbers = array(kind.typecode, column)
        except OverflowError:
            pass
        else:
            # A sum is NaN where one of its terms is; it may be NaN for infinities, too.
            if kind is QRELS or not math.isnan(sum(numbers)):
                return numbers
    return array(kind.typecode, [_value_of(value, kind, place, row) for row, value in enumerate(column)])


def _listed(column: np.ndarray[Any, Any], expected: str, place: PlaceOfRow) -> list[object]:
    if column.dtype.kind in "mM" and len(column):  # times, which would be whole numbers in the list
        raise InputError(place(0), f"expected {expected}, found an array of {column.dtype}")
    return column.tolist()  # type: ignore[no-any-return]


def _value_of(value: object, kind: DataKind, place: PlaceOfRow, row: int) -> float:
    try:
        return kind.value_of(value)
    except Refused as problem:
        raise problem.at(place(row)) from None


def _numpy_values(column: np.ndarray[Any, Any], kind: DataKind, place: PlaceOfRow) -> np.ndarray[Any, Any]:
    import numpy as np

    if kind is RUN:
        values = np.ascontiguousarray(column, dtype=np.float64)
        wrong = np.isnan(values)
    else:
        wrong = ~((column >= -(1 << 31)) & (column < 1 << 31))  # NaN is neither
        if column.dtype.kind == "f":
            wrong |= column != np.trunc(column)
        values = column
    if wrong.any():
        row = int(wrong.argmax())
        _value_of(column[row].item(), kind, place, row)
    return values if kind is RUN else np.ascontiguousarray(column, dtype=np.int32)


def from_documents(by_query: Mapping[Any, object], kind: DataKind, name: str) -> Mapping[Any, Any] | Columns:
    """{query id: documents} in the form that the documents have: a mapping where all have numbers. Raises InputError.

    Documents with keys have numbers, any other collection lists them.
    """
    by_query = keyed(by_query, name)
    if all_mappings(by_query):
        return by_query
    return _from_lists(by_query, kind, name)


def _from_lists(lists: Mapping[Any, object], kind: DataKind, name: str) -> Columns:
    """{query id: documents, best first} of a run; {query id: relevant documents} of qrels. Raises InputError.

    Of qrels, a query may have {document id: grade}, too.
    """
    queries: list[str] = []
    documents: list[str] = []
    values: list[float] = []
    empty: list[str] = []
    seen = set()
    for key, listed in lists.items():
        try:
            query = id_of(key)
        except Refused as problem:
            raise problem.at(name) from None
        if query in seen:
            raise InputError(query_place(name, query), "expected each query once, found its id as keys of two types")
        seen.add(query)
        if kind is QRELS and isinstance(listed, Mapping):
            grades = plain_documents(listed, query, kind, name)
            ids = list(grades)
            values += grades.values()
        else:
            ids = _listed_ids(listed, query, kind, name)
            values += range(len(ids), 0, -1) if kind is RUN else [1] * len(ids)
        queries += [query] * len(ids)
        documents += ids
        if not ids:
            empty.append(query)
    order = "input" if kind is RUN else "score"
    return checked_columns(queries, documents, values, kind, name, order=order, empty_queries=empty)


def _listed_ids(listed: object, query: str, kind: DataKind, name: str) -> list[str]:
    place = query_place(name, query)
    if isinstance(listed, Mapping):
        raise InputError(place, "expected a list of documents as for other queries, found documents with scores")
    if type(listed) is not list:
        if (advice := _advice_on_list(listed, kind)) is not None:
            raise InputError(place, f"{_expected(kind)}, found {shown(listed)}{advice}")
        if isinstance(listed, Set):
            return sorted(texts(listed, lambda _: place))
    column = plain_column(listed, place)
    if is_numpy(column):
        if column.ndim != 1:
            raise InputError(place, f"expected a list of documents, found an array of shape {column.shape}")
        column = _listed(column, "text or whole numbers as ids", lambda _: place)
    first = column[0] if len(column) else None
    expected_ids = "expected ids of documents, or documents with numbers"
    if isinstance(first, float):
        raise InputError(place, f"{expected_ids}, found {shown(listed)} of numbers such as {shown(first)}")
    if isinstance(first, (tuple, list)) and len(first) == 2:
        raise InputError(place, f"{expected_ids}, found a {shown(listed)} of pairs; give dict() of it")
    return texts(column, lambda i: f"{place}, item {i}")


def _expected(kind: DataKind) -> str:
    what = "a list of documents, best first" if kind is RUN else "a list of relevant documents"
    return f"expected {what}, or documents with {kind.value}s"


def _advice_on_list(listed: object, kind: DataKind) -> str | None:
    """Why this is no list of documents, and what to give instead; None where it may be one."""
    if isinstance(listed, (ValuesView, ItemsView)):
        return "; give the mapping itself"
    if isinstance(listed, Set):
        return None if kind is QRELS else "; give a list, best first"
    if hasattr(listed, "columns"):
        return "; give one table with the documents of all queries"
    return "" if isinstance(listed, (str, bytes, bytearray)) or not isinstance(listed, Iterable) else None


def from_matrix(
    query_ids: object, doc_ids: object, values: object | None = None, *, kind: DataKind, name: str
) -> Columns:
    """Arrays of one row a query: ids of documents, and their scores or grades. Raises InputError.

    Without values, the documents of a run stand in the order of their ranks, and those of qrels have grade 1.

    No document: the id -1 of whole numbers, None, NaN or "" of other ids, the value -inf; and a value of NaN behind the
    last document of a row that has one. Any other NaN is an error: a model that failed is no short ranking.
    """
    import numpy as np

    queries = texts(plain_column(query_ids, name), lambda row: f"{name}: row {row}")
    if (twice := first_repeated(queries)) is not None:
        raise InputError(f"{name}: query {in_short(twice)}", "expected one row for each query, found two")
    ids = _matrix(doc_ids, "document ids", len(queries), name)
    kept = ids != -1 if ids.dtype.kind in "iu" else _not_missing(ids)
    if values is not None:
        numbers = _matrix(values, f"{kind.value}s", len(queries), name)
        if numbers.shape != ids.shape:
            raise InputError(
                name,
                f"expected document ids and {kind.value}s of one shape, found {ids.shape} and {numbers.shape}",
            )
        if numbers.dtype.kind not in "fiub":
            raise InputError(name, f"expected numbers as {kind.value}s, found an array of {numbers.dtype}")
        if numbers.dtype.kind == "f":
            kept &= numbers != -math.inf
            kept &= ~_padding_nans(numbers, kept)
    elif kind is RUN:
        numbers = kept[:, ::-1].cumsum(axis=1)[:, ::-1]  # this document and those behind it
    else:
        numbers = np.ones(ids.shape, np.int32)
    counts = kept.sum(axis=1).tolist()
    rows = [query for query, n in zip(queries, counts, strict=True) for _ in range(n)]
    return checked_columns(
        rows,
        ids[kept],
        numbers[kept],
        kind,
        name,
        order="input" if values is None and kind is RUN else "score",
        empty_queries=[query for query, n in zip(queries, counts, strict=True) if n == 0],
        place=lambda i: query_place(name, rows[i]),
    )


def _matrix(array_like: object, what: str, n_queries: int, name: str) -> np.ndarray[Any, Any]:
    import numpy as np

    matrix = plain_column(array_like, name)
    if not is_numpy(matrix):
        raise InputError(name, f"expected an array of two dimensions as {what}, found {shown(array_like)}")
    if matrix.ndim != 2 or len(matrix) != n_queries:
        raise InputError(
            name, f"expected {what} of shape ({n_queries}, k), one row for each query, found {matrix.shape}"
        )
    return np.asarray(matrix)


def _not_missing(ids: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    import numpy as np

    flat = [id_ is not None and id_ == id_ and id_ not in ("", b"") for id_ in ids.ravel().tolist()]
    return np.array(flat, bool).reshape(ids.shape)


def _padding_nans(
    numbers: np.ndarray[Any, Any], kept: np.ndarray[Any, np.dtype[np.bool_]]
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Where a NaN stands behind the last number of a row that has a number."""
    import numpy as np

    nan = np.isnan(numbers) & kept
    real = kept & ~nan
    up_to_last = np.logical_or.accumulate(real[:, ::-1], axis=1)[:, ::-1]
    return nan & ~up_to_last & real.any(axis=1, keepdims=True)  # type: ignore[no-any-return]
