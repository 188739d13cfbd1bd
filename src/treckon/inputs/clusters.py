"""Which queries belong together: a file of query ids and clusters."""

from __future__ import annotations

from treckon.errors import InputError, in_short
from treckon.inputs.text import BYTE_ORDER_MARK, open_text
from treckon.inputs.values import shown


def read_clusters(given: object, *, name: str = "clusters") -> dict[str, str]:
    """The cluster of each query: {query id: cluster}.

    given: a path, an open file, bytes or text (as `treckon.inputs.as_run` takes them) with lines of two fields, a query
           id and the name of its cluster; blank lines, and lines that begin with ``#``, are passed over

    Raises InputError.
    """
    source = open_text(given, name)
    if source is None:
        raise InputError(name, f"expected a path, an open file or bytes, found {shown(given)}")
    clusters: dict[str, str] = {}
    try:
        for number, line in source.lines():
            if b"\0" in line:
                raise InputError(f"{source.name}:{number}", "expected text, found a NUL byte")
            text = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
            fields = [field.decode("utf-8", "surrogateescape") for field in text.split()]
            if not fields or fields[0].startswith("#"):
                continue
            if len(fields) != 2:
                expected = "expected two fields, a query id and a cluster"
                raise InputError(f"{source.name}:{number}", f"{expected}, found {len(fields)}")
            query_id, cluster = fields
            if clusters.setdefault(query_id, cluster) != cluster:
                found = f"found {in_short(clusters[query_id])} and {in_short(cluster)}"
                raise InputError(
                    f"{source.name}:{number}", f"query {in_short(query_id)}: expected one cluster, {found}"
                )
    finally:
        if source is not given:
            source.close()
    return clusters
