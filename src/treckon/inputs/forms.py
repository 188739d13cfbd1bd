"""Whatever a user passes for a run or for qrels, turned into one of three forms.

`Source`:  TREC's text, for the scanner
mapping:   {query id: {document id: number}}, the caller's own object, whose ids and numbers were not looked at yet
`Columns`: ids and numbers as sequences or arrays of one length, of which every item was looked at

Nothing that is passed in is changed; what can be read once (a generator, a stream) is read once. NumPy is imported only
where arrays are passed, and no other library is.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Mapping, ValuesView

from treckon.errors import InputError, ParameterError
from treckon.inputs.columns import Columns, checked_columns, from_documents, from_matrix, is_array, is_numpy
from treckon.inputs.formats import registry
from treckon.inputs.formats.registry import PAIR, Format
from treckon.inputs.pastes import find_pastes, part_of_pastes
from treckon.inputs.sources import Source
from treckon.inputs.tables import Rows, from_dict_of_columns, from_table
from treckon.inputs.text import open_text
from treckon.inputs.values import QRELS, RUN, DataKind, mapping_of, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from treckon.inputs.formats.registry import Names


def as_run(
    data: object, *, columns: Names | None = None, format: str | None = None, name: str = "run"
) -> Source | Mapping[Any, Any] | Columns:
    """A run in one of the three forms.

    data: one of
        a path (str or PathLike; ``-`` is standard input), an open file (binary or text; anything with ``read``), bytes,
        or a str with a TAB or a line end or in the brackets of JSON: text of one of the formats below
        {query id: {document id: score}}
        {query id: documents, best first}
        rows (query id, document id, score), or objects or mappings with these by name, from any iterable
        a tuple (query ids, document ids, scores) of three columns: lists, arrays, anything that is a NumPy array to
        NumPy or an Arrow array to Arrow
        a tuple (query ids, document ids, scores) or (query ids, document ids) where all but the first have two
        dimensions, one row a query. No document: the id -1, None, NaN or "", the score -inf, and NaN at a row's end
        a table with names: a dict of columns, a structured array, pandas, polars, anything with __arrow_c_stream__
        a `Columns`
        {query id: {"ranked": documents, "relevant": documents}}, or a list of such with the "query" inside
    columns: names of the columns (or attributes, or keys) of query ids, document ids and scores; without it, those
        called query_id (qid, ...), doc_id (docno, docid, ...) and score
    format: the format of text, instead of the one that the first line tells:
        trec     ``qid Q0 docno rank score tag``; goes to the scanner as it is
        msmarco  ``qid docid rank``
        tsv      cells with a TAB between, under a line with names or in the order query, document, score
        paste    ``query TAB ranked ids TAB relevant ids``, ids separated by spaces or commas
        json     any of the forms with {} and [] above
        Three columns with TABs between are msmarco where the third is a whole number, since an id alone could be one
        too, and paste where it is a list of ids or an id with other characters; a fraction there could be a score, so
        the format must be named.
    name: how messages call it, where it has no name of its own

    What has `keys` and `__getitem__` is a mapping, registered as one or not: a pandas Series is, by its index. Refused,
    with what to give instead, is what may mean two things: a Series whose index may be row numbers, a set as a ranking,
    `dict.values()`, numbers where documents are listed.

    An id is text, bytes (UTF-8) or a whole number, which is the same as its decimal text. A score is any real number
    but NaN. Rows in messages are counted from 0, lines from 1.

    Raises InputError, and ParameterError where `columns` or `format` don't fit the data.
    """
    form = as_run_or_rows(data, columns=columns, format=format, name=name)
    return form.columns() if isinstance(form, Rows) else form


def as_run_or_rows(
    data: object, *, columns: Names | None = None, format: str | None = None, name: str = "run"
) -> Source | Mapping[Any, Any] | Columns | Rows:
    """The same, but rows are left as they are, so that no more than one of them need be there at a time."""
    return _in_form(data, columns, format, RUN, name)


def as_qrels(
    data: object, *, columns: Names | None = None, format: str | None = None, name: str = "qrels"
) -> Source | Mapping[Any, Any] | Columns:
    """Qrels in one of the three forms.

    All is as with a run, with grades for scores: whole numbers of 32 bits, of whatever type. Besides:

    - ``{query id: documents}`` is a list or set of relevant documents, which have grade 1
    - the column of grades is called relevance (grade, label, rel, score)
    - the format trec has lines ``qid 0 docno grade``; msmarco has ``qid docid``, all relevant, or TREC's four fields
    """
    form = _in_form(data, columns, format, QRELS, name)
    return form.columns() if isinstance(form, Rows) else form


def as_pair(
    data: object, *, format: str | None = None, name: str = "input"
) -> tuple[Mapping[Any, Any] | Columns, Mapping[Any, Any] | Columns]:
    """Qrels and a run, in this order, out of one paste.

    data: text (as with `as_run`) of the format paste or json, or what such JSON stands for:
        {query id: {"ranked": documents, "relevant": documents}}, or a list of such with the "query" inside

    "ranked" are documents, best first, or {document id: score}; "relevant" are documents, or {document id: grade}.

    format: of text, "paste" or "json", instead of the one that the first line tells. It must be named where that line
            may as well be MS MARCO's run: query, one document, a whole number.

    Raises InputError, ParameterError for another format.
    """
    form = _named_format(PAIR, format)
    source = open_text(data, name)
    if source is not None:
        name = source.name
        try:
            content = _content(source, form or registry.detected(source, PAIR), None)
        finally:
            if source is not data:
                source.close()
        data = content
    pastes = find_pastes(data, name)
    if pastes is None:
        if not isinstance(data, (Mapping, list)) or data:
            raise InputError(name, f"expected 'ranked' and 'relevant' documents of each query, found {shown(data)}")
        pastes = {}
    return part_of_pastes(pastes, QRELS, name), part_of_pastes(pastes, RUN, name)


def _in_form(
    data: object, columns: Names | None, text_format: str | None, kind: DataKind, name: str
) -> Source | Mapping[Any, Any] | Columns | Rows:
    columns = _checked_names(columns, kind)
    form = _named_format(kind.name, text_format)
    source = open_text(data, name)
    if source is not None:
        return _text_in_form(source, data, columns, form, kind)
    if form is not None:
        raise ParameterError(f"format: expected text with it (a path, an open file, bytes), found {shown(data)}")
    return _data_in_form(data, columns, kind, name)


def _named_format(holds: str, name: str | None) -> Format | None:
    """The format of that name. Raises ParameterError where there is none."""
    if name is None:
        return None
    form = registry.find(holds, name) if isinstance(name, str) else None
    if form is None:
        names = ", ".join(registry.names_of(holds))
        raise ParameterError(f"format: expected one of {names}, found {shown(name)}")
    return form


def _checked_names(columns: object, kind: DataKind) -> Names | None:
    if columns is None:
        return None
    if isinstance(columns, str) or not isinstance(columns, Iterable) or len(names := tuple(columns)) != 3:
        raise ParameterError(f"columns: expected three names (query, document, {kind.value}), found {shown(columns)}")
    return names


def _text_in_form(
    source: Source, data: object, columns: Names | None, form: Format | None, kind: DataKind
) -> Source | Mapping[Any, Any] | Columns | Rows:
    """Text read in its format; TREC's is left to the scanner."""
    content: Any = None
    try:
        content = _content(source, form or registry.detected(source, kind.name, columns), columns)
    finally:
        if content is not source and source is not data:
            source.close()
    return content if isinstance(content, (Source, Columns)) else _data_in_form(content, columns, kind, source.name)


def _content(source: Source, form: Format, columns: Names | None) -> Any:
    """What `Format.read` makes of a text."""
    if columns is not None and not form.has_names:
        raise ParameterError(f"columns: expected a table with names, found text of the format {form.name}")
    assert form.read is not None
    return form.read(source, columns)


def _data_in_form(data: object, columns: Names | None, kind: DataKind, name: str) -> Mapping[Any, Any] | Columns | Rows:
    mapping = mapping_of(data, name)
    if mapping is not None:
        return _mapping_in_form(mapping, columns, kind, name)
    table = from_table(data, columns, kind, name)
    if table is not None:
        return table
    nameless = _nameless_in_form(data, kind, name)
    if nameless is not None:
        if columns is not None:
            raise ParameterError(f"columns: expected a table with names, found {shown(data)}")
        return nameless
    if (advice := _advice_on_rows(data)) is not None:
        raise InputError(name, f"expected a mapping, a table or rows, found {shown(data)}; {advice}")
    if isinstance(data, Iterable):
        return Rows(data, columns, kind, name)
    raise InputError(
        name,
        f"expected a path, an open file, bytes, a mapping, a table, columns or rows (query, document, {kind.value}), "
        f"found {shown(data)}",
    )


def _mapping_in_form(
    data: Mapping[Any, Any], columns: Names | None, kind: DataKind, name: str
) -> Mapping[Any, Any] | Columns:
    table = from_dict_of_columns(data, columns, kind, name)
    if table is not None:
        return table
    pastes = find_pastes(data, name)
    if pastes is not None:
        return part_of_pastes(pastes, kind, name)
    return from_documents(data, kind, name)


def _advice_on_rows(data: object) -> str | None:
    """What to give instead of what could be read as rows, but isn't meant so; None for all else."""
    if isinstance(data, (ItemsView, ValuesView)):
        return "give the mapping itself, or a list of rows"
    if hasattr(data, "ngroups"):  # pandas' groupby
        return "give the table that was grouped"
    if hasattr(data, "collect_schema"):  # polars' LazyFrame
        return "collect() makes a table of it"
    return None


def _nameless_in_form(data: object, kind: DataKind, name: str) -> Mapping[Any, Any] | Columns | None:
    """Columns, arrays and pastes; None for what may be rows."""
    if isinstance(data, Columns):
        parts = data.query_ids, data.doc_ids, data.values
        name = name if data.name == "columns" else data.name
        return checked_columns(*parts, kind, name, order=data.order, empty_queries=data.empty_queries)
    if is_numpy(data) and data.ndim == 2 and data.shape[1] == 3:
        return checked_columns(data[:, 0], data[:, 1], data[:, 2], kind, name)
    if type(data) is tuple and len(data) in (2, 3):
        # A tuple of tuples is rows, also where it has three of three.
        if any(getattr(part, "ndim", 1) == 2 for part in data):
            return from_matrix(*data, kind=kind, name=name)
        if len(data) == 3 and (any(map(is_array, data)) or all(isinstance(part, list) for part in data)):
            return checked_columns(*data, kind, name)
    pastes = find_pastes(data, name)
    return None if pastes is None else part_of_pastes(pastes, kind, name)
