"""Query ids out of a file of topics: TREC's topics, XML, JSON lines, or a table whose first field is the id."""

from __future__ import annotations

import re
from collections.abc import Iterable

from treckon._native.conversion import id_bytes
from treckon.errors import InputError, shortened
from treckon.inputs.text import open_text
from treckon.inputs.values import shown

#: ``<num> Number: 301`` of TREC's topics, ``<topic number="301">`` of its later ones and ``<query id="301">``.
_TAGGED = re.compile(
    rb"<num>\s*(?:Number\s*:)?\s*([^\s<]+)|<(?:topic|top|query)\s[^>]*?\b(?:number|num|id|qid)\s*=\s*[\"']([^\"']+)[\"']",
    re.IGNORECASE,
)
_KEYS = ("query_id", "qid", "_id", "id", "number")


def read_query_ids(data: object, name: str = "topics") -> list[bytes]:
    """The ids of all queries, each once, in their order.

    data: a path (``-`` is standard input), an open file or text:
               lines whose first field (up to white space) is a query's id, as in TSV, qrels, and plain lists
               TREC's topics (``<num> Number: 301``), or XML (``<topic number="301">``, ``<query id="301">``)
               JSON lines with one of the keys query_id, qid, _id, id and number
           or the ids themselves, text, bytes or whole numbers: a list, a set, the keys of a dict, ...

    Raises InputError.
    """
    source = open_text(data, name)
    if source is None:
        if not isinstance(data, Iterable):
            raise InputError(name, f"expected a file of topics or query ids, found {shown(data)}")
        return list(dict.fromkeys(id_bytes(query_id, name) for query_id in data))
    try:
        query_ids = list(dict.fromkeys(_ids_in(source.text(), source.name)))
        if not query_ids:
            raise InputError(source.name, "expected topics, found none")
        return query_ids
    finally:
        if source is not data:
            source.close()


def _ids_in(text: bytes, name: str) -> Iterable[bytes]:
    start = text.lstrip()[:1]
    if start == b"<":
        return [first or second for first, second in _TAGGED.findall(text)]
    if start == b"{":
        return [_json_id(line, f"{name}:{number}") for number, line in enumerate(text.split(b"\n"), 1) if line.strip()]
    return [fields[0] for line in text.split(b"\n") if (fields := line.split(None, 1))]


def _json_id(line: bytes, place: str) -> bytes:
    import json

    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    for key in _KEYS:
        if isinstance(record, dict) and key in record:
            return id_bytes(record[key], place)
    raise InputError(
        place, f"expected a JSON object with a query id ({', '.join(_KEYS)}), found '{shortened(line.strip())}'"
    )
