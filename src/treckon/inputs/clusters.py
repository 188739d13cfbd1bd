"""Which queries belong together: a file of query ids and clusters."""

from __future__ import annotations

from treckon.errors import InputError, in_short
from treckon.inputs.lines import fields_error, text_of
from treckon.inputs.text import open_text
from treckon.inputs.values import shown


def read_clusters(data: object, *, name: str = "clusters") -> dict[str, str]:
    """The cluster of each query: {query id: cluster}.

    data: a path, an open file, bytes or text (as `treckon.inputs.as_run` takes them) with lines of two fields, a query
           id and the name of its cluster; blank lines, and lines that begin with ``#``, are passed over

    Raises InputError.
    """
    source = open_text(data, name)
    if source is None:
        raise InputError(name, f"expected a path, an open file or bytes, found {shown(data)}")
    clusters: dict[str, str] = {}
    try:
        for number, line in source.lines():
            fields = [text_of(field) for field in line.split()]
            if not fields or fields[0].startswith("#"):
                continue
            place = f"{source.name}:{number}"
            if len(fields) != 2:
                raise fields_error(place, line, "two fields, a query id and a cluster", len(fields))
            query_id, cluster = fields
            if (other := clusters.setdefault(query_id, cluster)) != cluster:
                clusters_found = f"{in_short(other)} and {in_short(cluster)}"
                raise InputError(place, f"query {in_short(query_id)}: expected one cluster, found {clusters_found}")
    finally:
        if source is not data:
            source.close()
    return clusters
