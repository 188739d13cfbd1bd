"""Data as people paste them: for each query its ranked documents and its relevant ones, so a run and qrels in one."""

from __future__ import annotations

from collections.abc import Mapping

from treckon.errors import InputError, in_short
from treckon.inputs.columns import Columns, from_documents
from treckon.inputs.values import RUN, DataKind, query_place, shown
from treckon.scalars import Refused, id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    #: {query id: {"ranked": documents, "relevant": documents}}
    Pastes = dict[str, Mapping[str, object]]

_PARTS = ("ranked", "relevant")
_QUERY_NAMES = ("query_id", "query", "qid", "id")


def find_pastes(data: Any, name: str) -> Pastes | None:
    """What is keyed by query, ``{"q1": {"ranked": [...], "relevant": [...]}}``, or a list of such with the query.

    None where the data are of another form. Raises InputError where only some of them are of this one.
    """
    keyed = isinstance(data, Mapping)
    if not keyed and not isinstance(data, (list, tuple)):
        return None
    if not _is_paste(next(iter(data.values() if keyed else data), None)):
        return None
    pastes: Pastes = {}
    for key, paste in data.items() if keyed else enumerate(data):
        place = f"{name}: query {in_short(key)}" if keyed else f"{name}: row {key}"
        if not _is_paste(paste):
            raise InputError(place, f"expected 'ranked' and 'relevant' as in the first entry, found {shown(paste)}")
        if not keyed:
            key = next((paste[query_name] for query_name in _QUERY_NAMES if query_name in paste), None)
        try:
            query = id_of(key)
        except Refused as problem:
            raise problem.at(place) from None
        if query in pastes:
            raise InputError(query_place(name, query), "expected each query once, found it twice")
        pastes[query] = paste
    return pastes


def _is_paste(paste: object) -> bool:
    """Documents may have these words as ids, but no document has a collection as its number."""
    return isinstance(paste, Mapping) and (_is_collection(paste, "ranked") or _is_collection(paste, "relevant"))


def _is_collection(paste: Mapping[str, object], part: str) -> bool:
    return part in paste and isinstance(paste[part], (list, tuple, set, frozenset, Mapping))


def part_of_pastes(pastes: Pastes, kind: DataKind, name: str) -> Mapping[Any, Any] | Columns:
    """The run, or the qrels. Documents may be listed, or have numbers."""
    part = "ranked" if kind is RUN else "relevant"
    for query, paste in pastes.items():
        if part not in paste:
            there = ", ".join(repr(other) for other in _PARTS if other in paste)
            raise InputError(query_place(name, query), f"expected {part!r}, found {there}")
    documents = {query: paste[part] for query, paste in pastes.items()}
    return from_documents(documents, kind, name)
