"""What a run and qrels are in Python: mappings of plain types, and the words for what is none."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from itertools import islice

from treckon.errors import InputError, Place, in_short, in_short_with_type
from treckon.records import Record
from treckon.scalars import Refused, grade_of, id_of, is_real, score_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable
    from typing import Any


#: How a message shows a value, with its type where the value alone doesn't tell.
shown = in_short_with_type


def has_keys(value: object) -> bool:
    """Whether this is a mapping: registered as one, or with `keys` and `__getitem__` (a pandas Series) and no table."""
    if isinstance(value, Mapping):
        return True
    if isinstance(value, (list, tuple, type)) or not callable(getattr(value, "keys", None)):
        return False
    return hasattr(value, "__getitem__") and not hasattr(value, "columns")


def as_mapping(value: object) -> Mapping[Any, Any] | None:
    """What has keys, as a mapping: itself if it is registered as one, else as a dict. None for what has none.

    The keys of a pandas Series are its index. Raises Refused for a key that is listed twice, and for a Series whose
    index may as well be row numbers.
    """
    if isinstance(value, Mapping):
        return value
    if not has_keys(value):
        return None
    _refuse_doubtful_index(value)
    items = getattr(value, "items", None)
    pairs = items() if callable(items) else ((key, value[key]) for key in value.keys())  # type: ignore[attr-defined, index]
    mapping: dict[Any, Any] = {}
    for key, item in pairs:
        if key in mapping:
            raise Refused(f"expected each id once in a {type(value).__name__}, found {in_short(key)} listed twice")
        mapping[key] = item
    return mapping


def _refuse_doubtful_index(value: object) -> None:
    """Raises Refused for a Series of pandas' whose index is not sure to be ids."""
    index = getattr(value, "index", None)
    if index is None or not hasattr(value, "iloc") or not len(index):
        return
    if getattr(index, "nlevels", 1) > 1:
        raise Refused(
            "expected a Series with one id for each item, found a MultiIndex; reset_index() makes a table of it"
        )
    if index.name is None and getattr(index.dtype, "kind", "O") in ("i", "u"):
        raise Refused(
            "expected a Series with ids as its index, found whole numbers without a name, which may be row numbers; "
            "give to_dict() of it if they are ids, tolist() if its items are"
        )


class DataKind(Record):
    """What differs between a run and qrels.

    name:        what messages call it
    value:       what messages call a document's number
    value_of:    reads one
    typecode:    of an array of them
    value_names: what a table's column of them may be called; the first name goes before the others
    """

    name: str
    value: str
    value_of: Callable[[object], float]
    typecode: str
    value_names: tuple[str, ...]


RUN = DataKind("run", "score", score_of, "d", ("score",))
QRELS = DataKind("qrels", "grade", grade_of, "i", ("relevance", "grade", "label", "rel", "score"))


def all_real(values: Collection[object], kind: DataKind) -> bool:
    """Whether the values are, by their types alone, real numbers (for grades: whole ones). May be False wrongly."""
    types = set(map(type, values))
    if types <= ({float, int, bool} if kind is RUN else {int, bool}):
        return True
    base = numbers.Real if kind is RUN else numbers.Integral
    return all(issubclass(type_, base) for type_ in types) and all(
        map(is_real, {type(value): value for value in values}.values())
    )


def listed(names: Iterable[object]) -> str:
    """How a message lists names: the first ones of many."""
    first = list(map(str, islice(names, 21)))
    return ", ".join(first if len(first) <= 20 else [*first[:20], "..."]) or "none"


def query_place(name: str, query: object) -> Place:
    """How messages say which query."""
    return Place(name, query=query)


def document_place(name: str, query: str, document: str) -> Place:
    """How messages say which document of which query."""
    return Place(name, query=query, document=document)


def first_repeated(items: Iterable[Hashable]) -> Hashable:
    """The first item that was there before; None if there is none."""
    seen = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def texts(ids: Iterable[object], place: Callable[[int], str]) -> list[str]:
    """The ids as text. `place(i)` says where the i-th stands. Raises InputError."""
    items = list(ids)
    if set(map(type, items)) <= {str}:
        return items  # type: ignore[return-value]
    as_text = []
    for i, item in enumerate(items):
        try:
            as_text.append(id_of(item))
        except Refused as problem:
            raise problem.at(place(i)) from None
    return as_text


def mapping_of(value: object, place: str) -> Mapping[Any, Any] | None:
    """What has keys as a mapping, see `as_mapping`; None for what has none. Raises InputError with the place."""
    try:
        return as_mapping(value)
    except Refused as problem:
        raise problem.at(place) from None


def documents_of(documents: object, query: object, name: str) -> object:
    """A query's documents: a mapping if they have keys, else as they are. Raises InputError as `mapping_of` does."""
    if type(documents) in (dict, list):  # most are
        return documents
    mapping = mapping_of(documents, query_place(name, query))
    return documents if mapping is None else mapping


def all_mappings(by_query: Mapping[Any, object]) -> bool:
    """Whether every query's documents are registered as a mapping."""
    return all(issubclass(type_, Mapping) for type_ in set(map(type, by_query.values())))


def keyed(by_query: object, name: str) -> Mapping[Any, Any]:
    """{query id: documents}, all that has keys as mappings, itself where nothing is to do. Raises InputError."""
    mapping = mapping_of(by_query, name)
    if mapping is None:
        raise InputError(name, f"expected a mapping from queries to documents, found {shown(by_query)}")
    if all_mappings(mapping):
        return mapping
    return {query: documents_of(documents, query, name) for query, documents in mapping.items()}


def plain_documents(documents: Mapping[Any, object], query: str, kind: DataKind, name: str) -> dict[str, float]:
    """One query's {document id: number} with every id as text, every score as float, every grade as int.

    Raises InputError for ids and numbers that are none, and where two ids are the same text.
    """
    plain: dict[str, float] = {}
    for key, value in documents.items():
        try:
            document = id_of(key)
        except Refused as problem:
            raise problem.at(query_place(name, query)) from None
        if document in plain:
            place = document_place(name, query, document)
            raise InputError(place, "expected each document once, found its id as keys of two types")
        try:
            plain[document] = kind.value_of(value)
        except Refused as problem:
            raise problem.at(document_place(name, query, document)) from None
    return plain


def plain_mapping(mapping: Mapping[Any, object], kind: DataKind, name: str) -> dict[str, dict[str, float]]:
    """{query id: {document id: number}} of plain types; see `plain_documents`."""
    plain: dict[str, dict[str, float]] = {}
    for key, documents in mapping.items():
        try:
            query = id_of(key)
        except Refused as problem:
            raise problem.at(name) from None
        if query in plain:
            raise InputError(query_place(name, query), "expected each query once, found its id as keys of two types")
        documents = documents_of(documents, query, name)
        if not isinstance(documents, Mapping):
            place = query_place(name, query)
            raise InputError(place, f"expected documents with {kind.value}s, found {shown(documents)}")
        plain[query] = plain_documents(documents, query, kind, name)
    return plain
