"""The same data through every form are the same; what is no data is refused with its place; nothing is changed."""

import array
import copy
import gc
import gzip
import io
import json
import math
import os
import stat
import subprocess
import sys
import threading
from collections import namedtuple
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treckon
from treckon.errors import InputError, ParameterError
from treckon.inputs import Columns, as_qrels, as_run, write_qrels, write_run
from treckon.inputs.formats import registry
from treckon.inputs.forms import as_pair
from treckon.inputs.sources import Source
from treckon.inputs.text import open_text
from treckon.inputs.values import QRELS, RUN, plain_documents, plain_mapping

ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration", defaults=("0",))


@dataclass
class Judgement:
    """As some collections have them: attributes, and no items."""

    qid: str
    docno: str
    label: int


@dataclass
class Hit:
    qid: str
    docno: str
    score: float


class Tensor:
    """An array of a library that is not NumPy, but knows how to become one of NumPy's."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.ndim = self.values.ndim

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


class Scalar:
    """A tensor's item: one number, in a class that Python's numbers don't know."""

    ndim = 0

    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)

    def __int__(self):
        return int(self.value)

    def __eq__(self, other):
        return self.value == other

    __hash__ = None


def mapping_of(form, kind=RUN):
    """Any of the three forms as {query id: {document id: number}}."""
    if isinstance(form, Columns):
        return form.to_mapping()
    if not isinstance(form, Source):
        return plain_mapping(form, kind, "mapping")
    mapping = {}
    with form:
        for line in b"".join(form.blocks()).decode("utf-8", "surrogateescape").removeprefix("\ufeff").split("\n"):
            if fields := line.split():
                value = float(fields[4]) if kind is RUN else int(fields[3])
                mapping.setdefault(fields[0], {})[fields[2]] = value
    return mapping


def rows_of(mapping):
    return [(query, document, value) for query, documents in mapping.items() for document, value in documents.items()]


def columns_of(mapping):
    return tuple(map(list, zip(*rows_of(mapping), strict=True)))


def trec_run(mapping):
    return "".join(f"{query} Q0 {document} 0 {value!r} tag\n" for query, document, value in rows_of(mapping))


def trec_qrels(mapping):
    return "".join(f"{query} 0 {document} {value}\n" for query, document, value in rows_of(mapping))


#: Ids that TREC's format and tables of text can hold.
field_ids = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1).filter(
    lambda text: not text.startswith(("#", "{", "["))
)
any_ids = st.text(st.characters(exclude_categories=())) | st.sampled_from(["", "\0", "a b", "\ud800", "\udcff", "é"])
scores = st.floats(allow_nan=False)
grades = st.integers(-(1 << 31), (1 << 31) - 1)


def data(ids, numbers):
    return st.dictionaries(ids, st.dictionaries(ids, numbers, min_size=1, max_size=5), min_size=1, max_size=4)


def frame(library, mapping, names):
    """A table of one of the libraries; skips where it isn't installed."""
    made = dict(zip(names, columns_of(mapping), strict=True))
    if library == "pandas":
        return pytest.importorskip("pandas").DataFrame(made)
    if library == "polars":
        return pytest.importorskip("polars").DataFrame(made)
    table = pytest.importorskip("pyarrow").table(made)
    if library == "arrow views":
        pa = pytest.importorskip("pyarrow", "16")
        return table.cast(pa.schema([(names[0], pa.string_view()), (names[1], pa.string_view()), table.schema[2]]))
    if library == "arrow large":
        pa = pytest.importorskip("pyarrow")
        return table.cast(pa.schema([(names[0], pa.large_string()), (names[1], pa.large_string()), table.schema[2]]))
    if library == "arrow stream":
        return table.to_reader(max_chunksize=2)
    if library == "arrow batch":
        return table.combine_chunks().to_batches()[0]
    if library == "duckdb":
        relation = pytest.importorskip("duckdb").connect().from_arrow(table)
        if not hasattr(relation, "__arrow_c_stream__"):
            pytest.skip("this duckdb has no Arrow stream")
        return relation
    return table


LIBRARIES = ["pandas", "polars", "arrow", "arrow views", "arrow large", "arrow stream", "arrow batch", "duckdb"]


# The same data in every form


def objects(value):
    """An array of Python objects, with which NumPy has no idea of its own."""
    made = np.empty(len(value), object)
    made[:] = value
    return made


FORMS = {
    "mapping": lambda m, read: m,
    "tuples": lambda m, read: rows_of(m),
    "tuple of tuples": lambda m, read: tuple(rows_of(m)),
    "lists": lambda m, read: [list(row) for row in rows_of(m)],
    "generator": lambda m, read: (row for row in rows_of(m)),
    "named tuples": lambda m, read: [(ScoredDoc if read is as_run else Qrel)(*row) for row in rows_of(m)],
    "objects": lambda m, read: iter([(Hit if read is as_run else Judgement)(*row) for row in rows_of(m)]),
    "dicts": lambda m, read: [
        dict(zip(("query_id", "doc_id", "score" if read is as_run else "grade"), row, strict=True))
        for row in rows_of(m)
    ],
    "columns of lists": lambda m, read: columns_of(m),
    "columns of objects": lambda m, read: tuple(map(objects, columns_of(m))),
    "Columns": lambda m, read: Columns(*columns_of(m)),
    "dict of columns": lambda m, read: dict(
        zip(("qid", "docno", "score" if read is as_run else "relevance"), columns_of(m), strict=True)
    ),
    "rows of an array": lambda m, read: np.array(rows_of(m), object),
    "structured array": lambda m, read: np.array(
        rows_of(m),
        [
            ("query_id", "O"),
            ("doc_id", "O"),
            ("score" if read is as_run else "relevance", "f8" if read is as_run else "i4"),
        ],
    ),
    "tensor": lambda m, read: (*columns_of(m)[:2], Tensor(columns_of(m)[2])),
    "array.array": lambda m, read: (*columns_of(m)[:2], array.array("d" if read is as_run else "q", columns_of(m)[2])),
    "JSON": lambda m, read: json.dumps(m).encode(),
    "JSON text": lambda m, read: json.dumps(m),
    "JSON rows": lambda m, read: json.dumps([list(row) for row in rows_of(m)]),
    "JSON stream": lambda m, read: io.StringIO("\ufeff \n" + json.dumps(m, indent=1)),
}


@pytest.mark.parametrize("form", FORMS)
@given(mapping=data(any_ids, scores))
def test_forms_of_a_run(form, mapping):
    assert mapping_of(as_run(FORMS[form](mapping, as_run))) == mapping


@pytest.mark.parametrize("form", FORMS)
@given(mapping=data(any_ids, grades))
def test_forms_of_qrels(form, mapping):
    made = mapping_of(as_qrels(FORMS[form](mapping, as_qrels)), QRELS)
    assert made == mapping
    assert all(type(grade) is int for documents in made.values() for grade in documents.values())


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=25)
@given(run=data(field_ids, scores), qrels=data(field_ids, grades))
def test_forms_of_libraries(library, run, qrels):
    assert mapping_of(as_run(frame(library, run, ("query_id", "doc_id", "score")))) == run
    assert mapping_of(as_qrels(frame(library, qrels, ("query_id", "doc_id", "relevance")))) == qrels
    assert mapping_of(as_run(frame(library, run, "abc"), columns=("a", "b", "c"))) == run


@given(run=data(field_ids, scores), qrels=data(field_ids, grades))
def test_forms_of_text(tmp_path_factory, run, qrels):
    folder = tmp_path_factory.mktemp("forms")
    for name, made, read, mapping in (("run", trec_run, as_run, run), ("qrels", trec_qrels, as_qrels, qrels)):
        kind = RUN if read is as_run else QRELS
        text = made(mapping)
        path = folder / name
        path.write_bytes(text.encode())
        packed = folder / f"{name}.gz"
        packed.write_bytes(gzip.compress(text.encode()))
        with open(path, "rb") as binary, open(path, encoding="utf-8") as opened:
            forms = [str(path), path, packed, binary, opened, text, text.encode(), bytearray(text, "utf-8")]
            forms += [gzip.compress(text.encode()), io.BytesIO(text.encode()), io.StringIO(text)]
            for form in forms:
                source = read(form, format="trec")
                assert isinstance(source, Source)
                assert mapping_of(source, kind) == mapping


@given(mapping=data(field_ids, scores))
def test_tsv_with_names(mapping):
    lines = "".join(f"{value!r}\t{query}\tx\t{document}\r\n" for query, document, value in rows_of(mapping))
    assert mapping_of(as_run(f"score\tquery-id\tnote\tcorpus-id\r\n\n{lines}")) == mapping
    assert mapping_of(as_run(f"a\tb\tc\td\n{lines}", columns=("b", "d", "a"))) == mapping
    bare = "".join(f"{query}\t{document}\t{value!r}\n" for query, document, value in rows_of(mapping))
    assert mapping_of(as_run(bare, format="tsv")) == mapping


ranked_lists = st.dictionaries(any_ids, st.lists(any_ids, max_size=5, unique=True), min_size=1, max_size=4)


@given(lists=ranked_lists)
def test_ranked_lists(lists):
    expected = {query: {one: len(ids) - i for i, one in enumerate(ids)} for query, ids in lists.items()}
    pastes = {query: {"ranked": ids, "relevant": []} for query, ids in lists.items()}
    listed = [{"query": query, **paste} for query, paste in pastes.items()]
    forms = [lists, {query: tuple(ids) for query, ids in lists.items()}, pastes, listed, json.dumps(listed)]
    forms += [{query: iter(ids) for query, ids in lists.items()}, {query: objects(ids) for query, ids in lists.items()}]
    for form in forms:
        run = as_run(form)
        assert run.to_mapping() == expected
        assert run.order == "input"
        assert list(run.empty_queries) == [query for query, ids in lists.items() if not ids]


@given(lists=ranked_lists)
def test_relevant_documents(lists):
    expected = {query: dict.fromkeys(ids, 1) for query, ids in lists.items()}
    pastes = {query: {"ranked": [], "relevant": ids} for query, ids in lists.items()}
    graded = {query: {"ranked": [], "relevant": dict.fromkeys(ids, 1)} for query, ids in lists.items()}
    for form in (lists, pastes, graded, json.dumps(pastes), {query: set(ids) for query, ids in lists.items()}):
        qrels = as_qrels(form)
        assert mapping_of(qrels, QRELS) == expected
        assert not isinstance(qrels, Columns) or qrels.order == "score"


def test_lists_and_grades_in_one():
    qrels = as_qrels({"q1": ["d1", "d2"], "q2": {"d1": 3, "d2": np.int64(-1)}, "q3": {}, "q4": []})
    assert qrels.to_mapping() == {"q1": {"d1": 1, "d2": 1}, "q2": {"d1": 3, "d2": -1}, "q3": {}, "q4": {}}


@pytest.mark.parametrize("dtype", ["i1", "u2", "<i4", ">i8", "u8"])
def test_integer_ids(dtype):
    """Whole numbers are their decimal text, in whatever type they come."""
    expected = {"7": {"1": 0.5, "12": 0.25}}
    ids = np.array([1, 12], dtype)
    for query in (7, np.int64(7), "7", b"7"):
        assert mapping_of(as_run({query: dict(zip(ids, (0.5, 0.25), strict=True))})) == expected
        assert mapping_of(as_run([(query, ids[0], 0.5), (query, ids[1], 0.25)])) == expected
        assert mapping_of(as_run((np.array([query] * 2), ids, [0.5, 0.25]))) == expected
        assert mapping_of(as_run({query: ids})) == {"7": {"1": 2, "12": 1}}
    columns = as_run((ids, ids, [1, 2]))
    assert columns.query_ids.dtype == columns.doc_ids.dtype == np.int64
    assert as_run([(7, 8, 0.5)]).query_ids == array.array("q", [7])


def test_largest_integers():
    huge = 1 << 63
    assert mapping_of(as_run((np.array([huge], "u8"), [-huge], [1]))) == {str(huge): {str(-huge): 1.0}}
    assert mapping_of(as_run(([huge], array.array("Q", [huge]), [1]))) == {str(huge): {str(huge): 1.0}}
    assert mapping_of(as_run((np.array([], "u8"), [], []))) == {}


def test_ids_of_bytes():
    expected = {"é": {"\udcff": 1.0}}
    assert mapping_of(as_run({"é".encode(): {b"\xff": 1}})) == expected
    assert mapping_of(as_run([("é".encode(), b"\xff", 1)])) == expected
    assert mapping_of(as_run((np.array(["é".encode()]), np.array([b"\xff"]), [1]))) == expected


def test_text_arrays():
    assert mapping_of(as_run((np.array(["q", "q"]), np.array(["d1", "é"]), np.float32([0.5, 2])))) == {
        "q": {"d1": 0.5, "é": 2.0}
    }
    assert type(as_run([(np.str_("q"), "d", 1)]).query_ids[0]) is str


REALS = [1, True, 1.0, np.float32(1), np.float16(1), np.int8(1), np.uint64(1), np.bool_(True), np.longdouble(1)]
REALS += [Decimal(1), Fraction(1), Scalar(1), np.array(1.0), np.array(1)]


@pytest.mark.parametrize("value", REALS, ids=lambda value: type(value).__name__)
def test_real_scalars(value):
    for form in ({"q": {"d": value}}, [("q", "d", value)], (["q"], ["d"], [value])):
        run, qrels = mapping_of(as_run(form)), mapping_of(as_qrels(form), QRELS)
        assert run == qrels == {"q": {"d": 1}}
        assert type(run["q"]["d"]) is float and type(qrels["q"]["d"]) is int


def test_promised_types():
    for form in (rows_of({"q": {"d": 1}}), (["q"], ["d"], np.int8([1])), (["q"], ["d"], np.float64([1]))):
        assert memoryview(as_run(form).values).format == "d"
        assert memoryview(as_qrels(form).values).format == "i"


def test_columns_of_libraries():
    run = {"q1": {"d1": 0.5, "d2": 1.5}, "q2": {"d3": 2.0}}
    for library in ("pandas", "polars", "arrow"):
        table = frame(library, run, ("query_id", "doc_id", "score"))
        columns = tuple(table[name] for name in ("query_id", "doc_id", "score"))
        assert mapping_of(as_run(columns)) == run
        if library == "arrow":
            assert mapping_of(as_run(tuple(one.combine_chunks() for one in columns))) == run


# Arrow


def test_arrow_types():
    pa = pytest.importorskip("pyarrow", "16")
    long = "a text that is longer than a view holds"
    ids = pa.array(["x", "q1", "é", long, "q1", "y"])
    id_types = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
    id_types.append(pa.dictionary(pa.int8(), pa.string()))
    types = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
    types += [pa.float16(), pa.float32(), pa.float64(), pa.decimal128(30, 3), pa.decimal256(40, 0)]
    numbers = pa.array([7, 1, 0, 2, 3, 7])
    for id_type in id_types:
        for number_type in types:
            if number_type == pa.float16():
                values = pa.array(numbers.to_numpy().astype(np.float16))
            else:
                values = numbers.cast(number_type)
            table = pa.table({"query_id": ids.cast(id_type), "doc_id": numbers, "score": values}).slice(1, 4)
            for form in (table, table.to_batches()[0], table.to_reader(max_chunksize=3), pa.concat_tables([table])):
                made = as_run(form)
                assert made.query_ids == ["q1", "é", long, "q1"]
                assert made.doc_ids.tolist() == [1, 0, 2, 3]
                assert made.values.tolist() == [1.0, 0.0, 2.0, 3.0]


def test_arrow_decimals():
    pa = pytest.importorskip("pyarrow")
    for scores in ([Decimal("-1.25"), Decimal("0.1")], [Decimal("-12e2"), Decimal("1e2")]):
        for column in (pa.array(scores), pa.array(scores, pa.decimal256(50, 2))):
            table = pa.table({"query_id": ["q", "q"], "doc_id": [1, 2], "score": column})
            assert as_run(table).values.tolist() == list(map(float, scores))


def test_arrow_bits():
    pa = pytest.importorskip("pyarrow")
    flags = [bool(i % 3) for i in range(40)]
    for begin in (0, 3, 8, 17):
        table = pa.table({"query_id": ["q"] * 40, "doc_id": range(40), "score": flags}).slice(begin, 20)
        assert as_run(table).values.tolist() == [float(flag) for flag in flags[begin : begin + 20]]


def test_arrow_structs():
    pa = pytest.importorskip("pyarrow")
    rows = [{"query_id": "q", "doc_id": f"d{i}", "score": float(i)} for i in range(20)]
    structs = pa.array(rows).slice(11, 2)
    assert as_run(structs).to_mapping() == {"q": {"d11": 11.0, "d12": 12.0}}
    missing = pa.StructArray.from_arrays(
        [pa.array(["q"] * 20), pa.array(range(20)), pa.array(range(20))],
        ["query_id", "doc_id", "score"],
        mask=pa.array([i == 12 for i in range(20)]),
    )
    for begin in (0, 9):
        with pytest.raises(InputError) as raised:
            as_run(missing.slice(begin))
        assert str(raised.value) == f"run: row {12 - begin}: {NO_ID} None"


def test_arrow_missing_items():
    pa = pytest.importorskip("pyarrow")
    whole = pa.table({"query_id": ["q"], "doc_id": [1], "score": [1.0]})
    for name, column, text in (
        ("query_id", pa.array([None], pa.string()), "expected text or a whole number as id, found None"),
        ("doc_id", pa.array([None], pa.int64()), "expected text or a whole number as id, found None"),
        ("score", pa.array([None], pa.float64()), "expected a number as score, found None"),
        ("score", pa.nulls(1), "expected a number as score, found None"),
        (
            "query_id",
            pa.array([None], pa.string()).dictionary_encode(),
            "expected text or a whole number as id, found None",
        ),
    ):
        i = whole.schema.get_field_index(name)
        holed = whole.set_column(i, name, column)
        if holed.schema == whole.schema:
            holed = pa.concat_tables([whole, holed])
        with pytest.raises(InputError) as raised:
            as_run(holed)
        place = ", query 'q', document '1'" if name == "score" else ""
        assert str(raised.value) == f"run: row {len(holed) - 1}{place}: {text}"


def test_arrow_refusals():
    pa = pytest.importorskip("pyarrow")
    day = pa.table({"query_id": ["q"], "doc_id": pa.array([1], pa.date32()), "score": [1.0]})
    with pytest.raises(InputError) as raised:
        as_run(day)
    assert str(raised.value) == "run: expected columns of text or numbers, found one of Arrow's type date32[day]"
    with pytest.raises(InputError) as raised:
        as_run(pa.chunked_array([["q"]]))
    assert str(raised.value) == "run: expected a table with columns, found one column (ChunkedArray)"

    def batches():
        yield pa.record_batch({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
        raise RuntimeError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(next(batches()).schema, batches())
    with pytest.raises(InputError, match=r"^run: cannot read the Arrow stream: .*the disk is gone"):
        as_run(reader)


def test_arrow_needs_pyarrow(monkeypatch):
    class Relation:
        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError) as raised:
        as_run(Relation())
    message = "run: a Relation is read by pyarrow, which is missing: pip install 'treckon[arrow]'"
    assert str(raised.value) == message


def test_arrow_gives_back_its_memory():
    pa = pytest.importorskip("pyarrow")
    gc.collect()
    before = pa.total_allocated_bytes()
    for _ in range(3):
        table = pa.table({"query_id": ["q"] * 1000, "doc_id": [f"d{i}" for i in range(1000)], "score": [1.0] * 1000})
        as_run(table)
        as_run(table.to_reader())
        as_run((table["query_id"], table["doc_id"], table["score"].combine_chunks()))
        with pytest.raises(InputError):
            as_qrels(table, columns=("query_id", "doc_id", "nothing"))
        del table
    gc.collect()
    assert pa.total_allocated_bytes() == before


# Arrays of one row a query


def test_matrix():
    ids, values = np.array([[5, 3, 9], [7, -1, 2], [-1, -1, -1]]), np.float32([[0.5, 2, 0.25], [1, 9, 0], [1, 2, 3]])
    run = as_run(((1, "b", "c"), ids, values))
    assert run.to_mapping() == {"1": {"5": 0.5, "3": 2.0, "9": 0.25}, "b": {"7": 1.0, "2": 0.0}, "c": {}}
    assert (run.order, run.empty_queries, run.doc_ids.dtype) == ("score", ["c"], np.int64)
    ranked = as_run((["a", "b", "c"], ids))
    assert ranked.to_mapping() == {"a": {"5": 3, "3": 2, "9": 1}, "b": {"7": 2, "2": 1}, "c": {}}
    assert ranked.order == "input"
    assert as_qrels((["a", "b", "c"], ids)).to_mapping()["a"] == {"5": 1, "3": 1, "9": 1}
    graded = as_qrels((["a", "b", "c"], ids, np.full((3, 3), 2)))
    assert graded.to_mapping()["b"] == {"7": 2, "2": 2}
    assert as_run((["a", "b", "c"], Tensor(ids), Tensor(values))).to_mapping()["b"] == {"7": 1.0, "2": 0.0}


def test_matrix_of_text():
    ids = np.array([["a", "b", ""], ["c", "", ""]])
    expected = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}
    assert as_run((["1", "2"], ids)).to_mapping() == expected
    assert as_run((["1", "2"], np.where(ids == "", None, ids.astype(object)))).to_mapping() == expected
    assert as_run((["1", "2"], np.where(ids == "", math.nan, ids.astype(object)))).to_mapping() == expected


def test_padding_of_scores():
    nan, inf = math.nan, math.inf
    ids = np.array([["a", "b", "c"]])
    assert as_run((["q"], ids, np.array([[2, -inf, 1]]))).to_mapping() == {"q": {"a": 2.0, "c": 1.0}}
    assert as_run((["q"], ids, np.array([[inf, nan, nan]]))).to_mapping() == {"q": {"a": inf}}
    assert as_run((["q"], ids, np.array([[2, nan, -inf]]))).to_mapping() == {"q": {"a": 2.0}}
    assert as_run((["q"], np.array([[-1, 4, -1]]), np.array([[nan, 1, nan]]))).to_mapping() == {"q": {"4": 1.0}}
    for bad, document in (([1, nan, 2], "b"), ([nan, nan, nan], "a"), ([nan, 1, 2], "a")):
        with pytest.raises(InputError) as raised:
            as_run((["q"], ids, np.array([bad])))
        assert str(raised.value) == f"run: query 'q', document '{document}': expected a number as score, found NaN"


@given(
    st.integers(0, 4).flatmap(
        lambda k: st.lists(
            st.tuples(any_ids, st.lists(st.integers(-1, 9), min_size=k, max_size=k, unique=True)), max_size=4
        )
    )
)
def test_matrix_is_ranked_lists(rows):
    rows = list(dict(rows).items())
    ids = np.array([ids for _, ids in rows], np.int64).reshape(len(rows), -1) if rows else np.empty((0, 3), np.int64)
    made = as_run(([query for query, _ in rows], ids))
    assert (
        made.to_mapping()
        == as_run({query: [one for one in ids if one != -1] for query, ids in rows} or []).to_mapping()
    )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            (["a"], np.ones((2, 3), int)),
            "run: expected document ids of shape (1, k), one row for each query, found (2, 3)",
        ),
        (
            (["a"], np.ones((1, 3), int), np.ones((1, 2))),
            "run: expected document ids and scores of one shape, found (1, 3) and (1, 2)",
        ),
        (
            (["a"], np.ones((1, 3), int), np.ones(3)),
            "run: expected scores of shape (1, k), one row for each query, found (3,)",
        ),
        ((["a"], np.ones((1, 3), int), [[1, 2, 3]]), "run: expected an array of two dimensions as scores, found list"),
        (
            (["a"], np.ones((1, 3), int), np.array([["1", "2", "3"]])),
            "run: expected numbers as scores, found an array of <U1",
        ),
        ((["a", "a"], np.ones((2, 3), int)), "run: query 'a': expected one row for each query, found two"),
        (([1, "1"], np.ones((2, 3), int)), "run: query '1': expected one row for each query, found two"),
        (([1.5], np.ones((1, 3), int)), "run: row 0: expected text or a whole number as id, found 1.5"),
        ((["a"], np.ones((1, 3))), "run: query 'a': expected text or a whole number as id, found 1.0"),
    ],
)
def test_matrix_refusals(given, text):
    with pytest.raises(InputError) as raised:
        as_run(given)
    assert str(raised.value) == text


# Names of columns


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ("query_id doc_id score", "query_id doc_id score"),
        ("score qid docno", "qid docno score"),
        ("qid docid docno rank score query", "qid docno score"),
        ("query-id corpus-id score", "query-id corpus-id score"),
        ("q_id docid score", "q_id docid score"),
        ("query_id qid doc_id docid score", "query_id doc_id score"),
        ("qid q_id doc_id score", None),
        ("qid docid document_id score", None),
        ("qid docid relevance", None),
        ("a b c", None),
    ],
)
def test_usual_names(names, chosen):
    values = {"qid": "q", "query_id": "q", "query-id": "q", "q_id": "q", "score": 1}
    table = np.array([tuple(values.get(name, name) for name in names.split())], [(name, "O") for name in names.split()])
    for form in (table, [dict(zip(names.split(), table[0], strict=True))]):
        if chosen is not None:
            _, document, _ = chosen.split()
            assert as_run(form).to_mapping() == {"q": {document: 1.0}}
            continue
        with pytest.raises(InputError) as raised:
            as_run(form)
        if form is table:
            found = ", ".join(names.split())
            assert str(raised.value) == (
                f"run: expected columns query_id, doc_id, score, found {found}; "
                "name them with columns=(query, document, score)"
            )
        else:
            assert str(raised.value) == (
                "run: row 0: expected a mapping with the keys query_id, doc_id, score, "
                f"found one with {', '.join(names.split()) or 'none'}"
            )


@pytest.mark.parametrize("value", ["relevance", "grade", "label", "rel", "score"])
def test_usual_names_of_grades(value):
    table = np.array([("q", "d", 2)], [("qid", "O"), ("docno", "O"), (value, int)])
    assert as_qrels(table).to_mapping() == {"q": {"d": 2}}
    both = np.array([("q", "d", 2, 1)], [("qid", "O"), ("docno", "O"), ("label", int), ("score", int)])
    with pytest.raises(
        InputError, match="^qrels: expected columns query_id, doc_id, relevance, found qid, docno, label, "
    ):
        as_qrels(both)


def test_many_names():
    with pytest.raises(InputError) as raised:
        as_run({f"q{i}": {"d": 1} for i in range(1000)}, columns=("a", "b", "c"))
    assert str(raised.value) == f"run: expected columns a, b, c, found {', '.join(f'q{i}' for i in range(20))}, ..."


def test_chosen_names():
    rows = [{"t": "q", "x": "d", 3: 1.5}]
    assert as_run(rows, columns=("t", "x", 3)).to_mapping() == {"q": {"d": 1.5}}
    assert as_run({"t": ["q"], "x": ["d"], 3: [1.5]}, columns=["t", "x", 3]).to_mapping() == {"q": {"d": 1.5}}
    assert as_run([Hit("q", "d", 1.5)], columns=("docno", "qid", "score")).to_mapping() == {"d": {"q": 1.5}}
    with pytest.raises(InputError) as raised:
        as_run({"t": ["q"], "x": ["d"], 3: [1.5]}, columns=("t", "x", "y"))
    assert str(raised.value) == "run: expected columns t, x, y, found t, x, 3"
    with pytest.raises(InputError) as raised:
        as_run([Hit("q", "d", 1.5)], columns=("a", "b", "c"))
    assert str(raised.value) == "run: row 0: expected an object with a, b, c, found Hit"


# What is refused


NO_FORM = "expected a path, an open file, bytes, a mapping, a table, columns or rows (query, document, score), found"
NO_ROW = "expected (query, document, score) or an object with query_id, doc_id, score, found"
NO_ID = "expected text or a whole number as id, found"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (5, f"run: {NO_FORM} 5"),
        (None, f"run: {NO_FORM} None"),
        ([1], f"run: row 0: {NO_ROW} 1"),
        (["q1 Q0 d1 1 0.5 tag"], f"run: row 0: {NO_ROW} 'q1 Q0 d1 1 0.5 tag' (str)"),
        ([("q", "d", 1), ("q", "d")], f"run: row 1: {NO_ROW} tuple of 2 items"),
        ([("q", 0, "d", 1)], f"run: row 0: {NO_ROW} tuple of 4 items"),
        ([Qrel("q", "d", 1)], f"run: row 0: {NO_ROW} Qrel of 4 items"),
        (
            [ScoredDoc("q", "d", 1), ("q", "e", 1)],
            "run: row 1: expected an object with query_id, doc_id, score, found tuple of 3 items",
        ),
        (
            [{"qid": "q", "docno": "d", "score": 1}, {}],
            "run: row 1: expected a mapping with the keys qid, docno, score, found one with none",
        ),
        ([("q", "d", None)], "run: row 0, query 'q', document 'd': expected a number as score, found None"),
        ([("q", "d", math.nan)], "run: row 0, query 'q', document 'd': expected a number as score, found NaN"),
        (
            [("q", "d", 1), ("q", "e", np.float32("nan"))],
            "run: row 1, query 'q', document 'e': expected a number as score, found nan (float32)",
        ),
        (
            [("q", "d", Decimal("nan"))],
            "run: row 0, query 'q', document 'd': expected a number as score, found NaN (Decimal)",
        ),
        (
            [("q", "d", Decimal("snan"))],
            "run: row 0, query 'q', document 'd': expected a number as score, found sNaN (Decimal)",
        ),
        ([("q", "d", "0.5")], "run: row 0, query 'q', document 'd': expected a number as score, found '0.5' (str)"),
        ([("q", "d", 1j)], "run: row 0, query 'q', document 'd': expected a number as score, found 1j (complex)"),
        (
            [("q", "d", np.complex64(1))],
            "run: row 0, query 'q', document 'd': expected a number as score, found (1+0j) (complex64)",
        ),
        (
            [("q", "d", np.timedelta64(1, "D"))],
            "run: row 0, query 'q', document 'd': expected a number as score, found 1 days (timedelta64)",
        ),
        ([("q", "d", np.ones(1))], "run: row 0, query 'q', document 'd': expected a number as score, found ndarray"),
        ([("q", "d", [1])], "run: row 0, query 'q', document 'd': expected a number as score, found list"),
        (
            [("q", "d", 10**400)],
            "run: row 0, query 'q', document 'd': expected a score that fits a double, found a whole number of "
            "1329 bits",
        ),
        (
            [("q", "d", -math.inf), ("q", "e", math.inf), ("q", "f", math.nan)],
            "run: row 2, query 'q', document 'f': expected a number as score, found NaN",
        ),
        ([(None, "d", 1)], f"run: row 0: {NO_ID} None"),
        ([(1.0, "d", 1)], f"run: row 0: {NO_ID} 1.0"),
        ([("q", True, 1)], f"run: row 0: {NO_ID} True"),
        ([("q", np.bool_(True), 1)], f"run: row 0: {NO_ID} {np.bool_.__name__}"),  # bool_ in older releases
        ([("q", ("d",), 1)], f"run: row 0: {NO_ID} tuple"),
        ([("q", 10**5000, 1)], f"run: row 0: {NO_ID} a whole number of 16610 bits"),
        (
            (["q"], ["d", "e"], [1]),
            "run: expected three columns of one length, found 1 query ids, 2 document ids and 1 values",
        ),
        ((np.array(["q"]), {"d"}, [1]), "run: expected a column (a sequence or an array), found set"),
        ((np.array(["q"]), "d", [1]), "run: expected a column (a sequence or an array), found 'd' (str)"),
        (
            (np.array(["q"]), ["d"], np.array([math.nan])),
            "run: row 0, query 'q', document 'd': expected a number as score, found NaN",
        ),
        (
            (np.array(["q"]), ["d"], np.array(["1"])),
            "run: row 0, query 'q', document 'd': expected a number as score, found '1' (str)",
        ),
        (
            (np.array(["q"]), ["d"], np.array(["2020"], "M8[D]")),
            "run: row 0, query 'q', document 'd': expected numbers as scores, found an array of datetime64[D]",
        ),
        (
            (np.array(["2020"], "M8[ns]"), ["d"], [1]),
            "run: row 0: expected text or whole numbers as ids, found an array of datetime64[ns]",
        ),
        ((np.array([1.0]), ["d"], [1]), f"run: row 0: {NO_ID} 1.0"),
        ((np.array([True]), ["d"], [1]), f"run: row 0: {NO_ID} True"),
        ((np.ma.array([1, 2], mask=[0, 1]), ["d", "e"], [1, 2]), f"run: row 1: {NO_ID} None"),
        (
            (["q"], ["d"], np.ma.array([1.0], mask=[1])),
            "run: row 0, query 'q', document 'd': expected a number as score, found None",
        ),
        (
            (np.array("q"), np.array(["d"]), np.array([1])),
            "run: expected columns of one dimension, found an array of shape ()",
        ),
        ({"q": 5}, "run: query 'q': expected a list of documents, best first, or documents with scores, found 5"),
        (
            {"q": "d1"},
            "run: query 'q': expected a list of documents, best first, or documents with scores, found 'd1' (str)",
        ),
        (
            {"q": {"d1"}},
            "run: query 'q': expected a list of documents, best first, or documents with scores, found set; give a "
            "list, best first",
        ),
        (
            {"q": {"d": 1}, "r": ["d"]},
            "run: query 'q': expected a list of documents as for other queries, found documents with scores",
        ),
        ({"q": ["d", 1.5]}, f"run: query 'q', item 1: {NO_ID} 1.5"),
        ({"q": np.ones((2, 2), int)}, "run: query 'q': expected a list of documents, found an array of shape (2, 2)"),
        (
            {"q": np.array(["2020"], "M8[ns]")},
            "run: query 'q': expected text or whole numbers as ids, found an array of datetime64[ns]",
        ),
        ({None: ["d"]}, f"run: {NO_ID} None"),
        ({1: ["d"], "1": ["d"]}, "run: query '1': expected each query once, found its id as keys of two types"),
        (
            {"q": {"ranked": ["d"]}, "r": ["d"]},
            "run: query 'r': expected 'ranked' and 'relevant' as in the first entry, found list",
        ),
        ({"q": {"relevant": ["d"]}}, "run: query 'q': expected 'ranked', found 'relevant'"),
        (
            [{"query": "q", "ranked": ["d"]}, {"qid": "q", "ranked": []}],
            "run: query 'q': expected each query once, found it twice",
        ),
        ([{"ranked": ["d"]}], f"run: row 0: {NO_ID} None"),
        (
            [{"id": 1, "ranked": ["d"]}, 5],
            "run: row 1: expected 'ranked' and 'relevant' as in the first entry, found 5",
        ),
        ("", "run: expected a path, found empty text"),
        (b"", "run: cannot read it: it is empty"),
        (io.StringIO(""), "run: cannot read it: it is empty"),
        ("nowhere/run.txt", "nowhere/run.txt: cannot read it: No such file or directory"),
        (Path("/"), "/: cannot read it: it is a directory"),
    ],
    ids=lambda given: "",
)
def test_refusals(given, text):
    with pytest.raises(InputError) as raised:
        as_run(given)
    assert str(raised.value) == text
    assert text.startswith(raised.value.place)


NO_GRADE = "expected a whole number as grade, found"
ADVICE = "; for other gains keep whole grades and give a gain mapping, such as gain={1: 0.5}"


@pytest.mark.parametrize(
    ("grade", "text"),
    [
        (0.5, f"{NO_GRADE} 0.5{ADVICE}"),
        (Fraction(1, 2), f"{NO_GRADE} 1/2 (Fraction){ADVICE}"),
        (Decimal("1.5"), f"{NO_GRADE} 1.5 (Decimal){ADVICE}"),
        (math.nan, f"{NO_GRADE} NaN"),
        (math.inf, f"{NO_GRADE} inf"),
        (None, f"{NO_GRADE} None"),
        ("1", f"{NO_GRADE} '1' (str)"),
        (1 << 31, "expected a grade of at most 32 bits, found 2147483648"),
        (-(1 << 31) - 1, "expected a grade of at most 32 bits, found -2147483649"),
        (1e10, "expected a grade of at most 32 bits, found 10000000000.0"),
        (np.float64(0.5), f"{NO_GRADE} 0.5{ADVICE}"),
    ],
)
def test_refused_grades(grade, text):
    rows = [("q", "d", 1), ("q", "e", grade)]
    columns = tuple(map(list, zip(*rows, strict=True)))
    named = dict(zip(("query_id", "doc_id", "grade"), columns, strict=True))
    for form in (rows, columns, Columns(*columns), named):
        with pytest.raises(InputError) as raised:
            as_qrels(form)
        assert str(raised.value) == f"qrels: row 1, query 'q', document 'e': {text}"
    if isinstance(grade, (int, float)) and abs(grade) != 1 << 31:
        with pytest.raises(InputError) as raised:
            as_qrels((*columns[:2], np.array([1, grade])))
        assert str(raised.value).startswith(
            f"qrels: row 1, query 'q', document 'e': {text.rpartition(' found ')[0]} found "
        )
    with pytest.raises(InputError) as raised:
        mapping_of(as_qrels({"q": {"d": 1, "e": grade}}), QRELS)
    assert str(raised.value) == f"mapping: query 'q', document 'e': {text}"


def test_refusals_in_mappings():
    """What the core asks where a mapping holds more than plain text and numbers."""
    for documents, text in (
        ({1.5: 1}, f"run: query 'q': {NO_ID} 1.5"),
        (
            {1: 1, "1": 2},
            "run: query 'q', document '1': expected each document once, found its id as keys of two types",
        ),
        ({"d\n": math.nan}, r"run: query 'q', document 'd\n': expected a number as score, found NaN"),
    ):
        with pytest.raises(InputError) as raised:
            plain_documents(documents, "q", RUN, "run")
        assert str(raised.value) == text
    for mapping, text in (
        ({1: {}, "1": {}}, "run: query '1': expected each query once, found its id as keys of two types"),
        ({None: {}}, f"run: {NO_ID} None"),
        ({"q": ["d"]}, "run: query 'q': expected documents with scores, found list"),
    ):
        with pytest.raises(InputError) as raised:
            plain_mapping(mapping, RUN, "run")
        assert str(raised.value) == text


def test_missing_items_of_libraries():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"query_id": ["q", "q"], "doc_id": [1, None], "score": [1.0, None]})
    for one, text in (
        (table, f"run: row 0: {NO_ID} 1.0"),  # with the missing one, the others are floats in pandas, too
        (table.astype({"doc_id": "Int64"}), f"run: row 1: {NO_ID} NAType"),
        (table.assign(doc_id=["a", "b"]), "run: row 1, query 'q', document 'b': expected a number as score, found NaN"),
        (
            table.assign(doc_id="a", score=pd.array([1, None], "Int64")),
            "run: row 1, query 'q', document 'a': expected a number as score, found NAType",
        ),
    ):
        with pytest.raises(InputError) as raised:
            as_run(one)
        assert str(raised.value) == text
    pl = pytest.importorskip("polars")
    with pytest.raises(InputError) as raised:
        as_run(pl.DataFrame({"query_id": ["q", "q"], "doc_id": [1, None], "score": [1.0, 2.0]}))
    assert str(raised.value) == f"run: row 1: {NO_ID} None"


def test_two_columns_of_one_name():
    pd = pytest.importorskip("pandas")
    with pytest.raises(InputError) as raised:
        as_run(pd.DataFrame([["q", "d", 1.0, 2.0]], columns=["query_id", "doc_id", "score", "score"]))
    assert str(raised.value) == "run: expected one column of each name, found DataFrame in place of one"


def test_a_table_that_is_not_computed_yet():
    pl = pytest.importorskip("polars")
    with pytest.raises(InputError, match="found LazyFrame; collect"):
        as_run(pl.LazyFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]}))


def test_name_in_messages():
    with pytest.raises(InputError, match=r"^bm25: row 0: "):
        as_run([1], name="bm25")
    with pytest.raises(InputError, match=r"^mine: row 0: "):
        as_run(Columns([None], [1], [1], name="mine"))


def test_columns_of_unequal_length():
    with pytest.raises(InputError) as raised:
        Columns(["q"], ["d"], [])
    assert (
        str(raised.value)
        == "columns: expected three columns of one length, found 1 query ids, 1 document ids and 0 values"
    )
    with pytest.raises(
        InputError, match=r"^columns: expected three sequences or arrays as columns: object of type 'int' "
    ):
        Columns(1, 2, 3)


def test_columns_as_such():
    columns = Columns([1, b"b"], ["x", np.int64(2)], (0.5, 3), empty_queries=["c"], name="mine")
    assert len(columns) == 2
    assert repr(columns) == "<treckon Columns 'mine': 2 rows, order 'score'>"
    assert columns.to_mapping() == {"1": {"x": 0.5}, "b": {"2": 3}, "c": {}}
    with pytest.raises(InputError) as raised:
        Columns(["q", None], ["d", "d"], [1, 2]).to_mapping()
    assert str(raised.value) == f"columns: row 1: {NO_ID} None"


def test_an_array_that_will_not_be_one():
    class OnDevice(Tensor):
        def __array__(self, dtype=None, copy=None):
            raise TypeError("copy the tensor to the host first")

    with pytest.raises(InputError) as raised:
        as_run((["q"], ["d"], OnDevice([1.0])))
    assert str(raised.value) == "run: cannot turn OnDevice into a NumPy array: copy the tensor to the host first"


def test_a_document_twice():
    """Columns leave it to the evaluation; a mapping has no place for it."""
    for form in ([("q", "a", 1), ("q", "b", 2), ("q", "a", 3)], {"q": ["a", "b", "a"]}):
        run = as_run(form)
        assert list(run.doc_ids) == ["a", "b", "a"]
        with pytest.raises(InputError) as raised:
            run.to_mapping()
        assert str(raised.value) == (
            "run: query 'q', document 'a': expected each document once for a query, found it in rows 0 and 2"
        )


def test_options_that_do_not_fit():
    for call, text in (
        (lambda: as_run({}, format="json"), "format: expected text with it (a path, an open file, bytes), found dict"),
        (
            lambda: as_run(b"", format="xml"),
            "format: expected one of json, msmarco, paste, trec, tsv, found 'xml' (str)",
        ),
        (
            lambda: as_run([], columns="abc"),
            "columns: expected three names (query, document, score), found 'abc' (str)",
        ),
        (
            lambda: as_qrels([], columns=("a", "b")),
            "columns: expected three names (query, document, grade), found tuple",
        ),
        (lambda: as_run([], columns=5), "columns: expected three names (query, document, score), found 5"),
        (
            lambda: as_run((["q"], ["d"], [1]), columns=("a", "b", "c")),
            "columns: expected a table with names, found tuple",
        ),
        (
            lambda: as_run(b"q Q0 d 1 1 t", format="trec", columns=("a", "b", "c")),
            "columns: expected a table with names, found text of the format trec",
        ),
    ):
        with pytest.raises(ParameterError) as raised:
            call()
        assert str(raised.value) == text


# Formats of text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "1048585\t7187158\t1\n1048585\t7187157\t2\n2\t3\t1000\n",
            {"1048585": {"7187158": -1, "7187157": -2}, "2": {"3": -1000}},
        ),
        ("\n  1 2 3\n", {"1": {"2": -3}}),
        ("q1\td1 d2 d3\td2\n", {"q1": {"d1": 3, "d2": 2, "d3": 1}}),
        ("a b\td1, d2,d3\td2\r\nq2\t\td1\r\n", {"a b": {"d1": 3, "d2": 2, "d3": 1}, "q2": {}}),
        ("\ufeffq1\td1 d2\t\n\n", {"q1": {"d1": 2, "d2": 1}}),
        ('{"q": {"d": 1}}', {"q": {"d": 1}}),
        ('{\n"q": ["d", "e"]}', {"q": {"d": 2, "e": 1}}),
        ('[\n ["q", "d", 1.5]]', {"q": {"d": 1.5}}),
        ('[{"query_id": 1, "doc_id": 2, "score": 3}]', {"1": {"2": 3}}),
        ('{"q": {"ranked": {"d": 0.5}, "relevant": []}}', {"q": {"d": 0.5}}),
        ('{"q": {"ranked": 1, "relevant": 2}}', {"q": {"ranked": 1, "relevant": 2}}),
        ("{}\n", {}),
        ('{"query_id": ["q"], "doc_id": ["d"], "score": [1]}', {"q": {"d": 1}}),
        ("q Q0 d 1 0.5 t\n", {"q": {"d": 0.5}}),
        ("q\tQ0\td\t1\t0.5\tt\n", {"q": {"d": 0.5}}),
        ("q Q0\td 1\t0.5 t\n", {"q": {"d": 0.5}}),
        ("# a comment\twith\ttabs\n", None),
        ("[1 Q0 d 1 0.5 t\n", {"[1": {"d": 0.5}}),
        ("{1} Q0 d 1 0.5 t}\n", {"{1}": {"d": 0.5}}),
    ],
)
def test_formats_of_runs(text, expected):
    form = as_run(text.encode())
    if expected is None:
        assert isinstance(form, Source)
        form.close()
    else:
        assert mapping_of(form) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q\td\nq\te\n", {"q": {"d": 1, "e": 1}}),
        ("q 0 d 2\n", {"q": {"d": 2}}),
        ("q\t0\td\t2\n", {"q": {"d": 2}}),
        ("q1\td1 d2 d3\td2, d4\n", {"q1": {"d2": 1, "d4": 1}}),
        ("query-id\tcorpus-id\tscore\nq\td\t2\n", {"q": {"d": 2}}),
        ('{"q": ["d"]}', {"q": {"d": 1}}),
        ('{"q": {"relevant": {"d": 3}, "ranked": []}}', {"q": {"d": 3}}),
    ],
)
def test_formats_of_qrels(text, expected):
    assert mapping_of(as_qrels(text.encode()), QRELS) == expected


def test_orders():
    assert as_run("1\t2\t3\n").order == "rank"
    assert as_run("q\td e\tf\n").order == "input"
    assert as_run([("q", "d", 1)]).order == "score"
    assert as_run(Columns(["q"], ["d"], [1], order="rank", empty_queries=["r"])).order == "rank"
    assert as_run(Columns(["q"], ["d"], [1], order="rank", empty_queries=["r"])).empty_queries == ["r"]


def test_formats_asked_for():
    assert as_qrels("1\t2\t3\n", format="tsv").to_mapping() == {"1": {"2": 3}}
    assert as_qrels("1\t2\t3\n", format="paste").to_mapping() == {"1": {"3": 1}}
    assert as_run("1\t2\t3\n", format="paste").to_mapping() == {"1": {"2": 1}}
    assert as_qrels("1 0 2 3\n", format="msmarco").to_mapping() == {"1": {"2": 3}}
    assert as_run("1\t2\t0.5\n", format="tsv").to_mapping() == {"1": {"2": 0.5}}
    with pytest.raises(InputError):
        as_run('"q"\n', format="json")


DOUBT = "cannot tell whether this is query, ranked and relevant ids (format='paste') or"
OTHER = "; format= tells if this is of another format"


@pytest.mark.parametrize(
    ("read", "text", "options", "message"),
    [
        (
            as_qrels,
            "\n1\t2\t3\n",
            {},
            f"qrels:2: {DOUBT} query, document and grade (format='tsv'); say which",
        ),
        (
            as_qrels,
            "1\t2\t\n",
            {},
            "qrels:1: cannot tell whether this is query and relevant document (format='msmarco') or query, ranked and "
            "relevant ids (format='paste'); say which",
        ),
        (
            as_run,
            "1\t10 11 12\t10 13\n",
            {},
            f"run:1: {DOUBT} query, Q0, document, rank, score and tag (format='trec'); say which",
        ),
        (as_run, "q\td\t0.5\n", {}, f"run:1: {DOUBT} query, document and score (format='tsv'); say which"),
        (
            as_run,
            "1 2 3\n1 2 3 4\n",
            {},
            f"run:2: expected 3 fields (qid docid rank), found 4{OTHER}",
        ),
        (as_run, "1 2 0\n", {}, "run:1: expected a rank (a whole number from 1), found '0'"),
        (as_run, "1 2 x\n", {"format": "msmarco"}, "run:1: expected a rank (a whole number from 1), found 'x'"),
        (
            as_qrels,
            "1\t2\n1\t0\t2\t1\n",
            {},
            f"qrels:2: expected 2 fields as before, found 4{OTHER}",
        ),
        (
            as_qrels,
            "1 2 3\n",
            {"format": "msmarco"},
            f"qrels:1: expected 2 fields (qid docid) or 4 (qid 0 docid grade), found 3{OTHER}",
        ),
        (
            as_run,
            "qid\tdocno\tscore\nq\td\n",
            {},
            f"run:2: expected 3 fields with a TAB between, found 2{OTHER}",
        ),
        (as_run, "qid\tdocno\tscore\nq\td\t0,5\n", {}, "run:2: expected a number as score, found '0,5'"),
        (as_run, "qid\tdocno\tscore\nq\td\tnan\n", {}, "run:2: expected a number as score, found NaN"),
        (as_run, "qid\tdocno\tscore\nq\td\t1_0\n", {}, "run:2: expected a number as score, found '1_0'"),
        (as_qrels, "qid\tdocno\tscore\nq\td\t0.5\n", {}, f"qrels:2: {NO_GRADE} 0.5{ADVICE}"),
        (as_qrels, "qid\tdocno\tscore\nq\td\tyes\n", {}, "qrels:2: expected a whole number as grade, found 'yes'"),
        (as_run, "a\tb\tc\n", {"columns": ("a", "b", "x")}, "run:1: expected columns a, b, x, found a, b, c"),
        (
            as_run,
            "q\td e\tf\nq2\td\n",
            {},
            "run:2: expected 3 fields with a TAB between (query, ranked ids, relevant ids), found 2",
        ),
        (as_run, "q\td e\tf\n\nq\td\tf\n", {}, "run:3: expected each query once, found 'q' on line 1 too"),
        (
            as_run,
            '{"q": {"d": 1}',
            {"format": "json"},
            "run:1: expected JSON, found at column 15: Expecting ',' delimiter",
        ),
        (as_run, '{"q": {"d": 1, "d": 2}}', {}, "run: expected each key of a JSON object once, found 'd' twice"),
        (as_run, '{"q": ' + "[" * 100000 + "]" * 100000 + "}", {}, None),
        (as_run, '{"q": {"d": ' + "1" * 5000 + "}}", {}, None),
        (as_run, '[["q", "d", NaN]]', {}, "run: row 0, query 'q', document 'd': expected a number as score, found NaN"),
    ],
    ids=lambda given: "",
)
def test_refused_texts(read, text, options, message):
    with pytest.raises(InputError) as raised:
        read(io.StringIO(text), **options)
    if message is None:
        assert str(raised.value).startswith("run: cannot read this JSON: ")
    else:
        assert str(raised.value) == message


def test_long_first_lines():
    """Of a line that is longer than a block, the beginning tells."""
    listed = json.dumps({"q": [f"document {i}" for i in range(200_000)]})
    assert len(as_run(listed)) == 200_000
    assert as_run("\n" * 3_000_000 + "q\td e\tf\n").to_mapping() == {"q": {"d": 2, "e": 1}}


def test_streams():
    class Stream:
        """Gives its blocks as they come."""

        def __init__(self, *blocks):
            self.blocks = list(blocks)

        def read(self, size):
            return self.blocks.pop(0) if self.blocks else b""

    assert mapping_of(as_run(Stream(b"q Q", b"0 d 1 0.5", b" t\n"))) == {"q": {"d": 0.5}}
    assert mapping_of(as_run(Stream("é Q0 d 1 0.5 t\udcff"))) == {"é": {"d": 0.5}}
    for stream, text in (
        (
            Stream("q\ud800"),
            "run: cannot read it: 'utf-8' codec can't encode character '\\ud800' in position 1: surrogates not allowed",
        ),
        (Stream([1]), "run: expected read() to return bytes or text, found list"),
    ):
        with pytest.raises(InputError) as raised:
            as_run(stream)
        assert str(raised.value) == text
    closed = io.StringIO("q Q0 d 1 0.5 t")
    closed.close()
    with pytest.raises(InputError, match=r"^run: cannot read it: I/O operation on closed file"):
        as_run(closed)


def test_names_of_streams(tmp_path):
    path = tmp_path / "my.run"
    path.write_text("q\td e\tf\ng\n")
    with open(path) as file:
        with pytest.raises(InputError) as raised:
            as_run(file)
        assert not file.closed  # the caller's to close
    assert str(raised.value).startswith(f"{path}:2: ")


@pytest.mark.parametrize("options", [{}, {"format": "trec"}])
def test_pipes(tmp_path, options):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    text = "".join(f"q{i} Q0 d 1 {i} t\n" for i in range(20_000))
    writer = threading.Thread(target=path.write_text, args=(text,))
    writer.start()
    source = as_run(path, **options)
    assert source.name == str(path)
    assert len(mapping_of(source)) == 20_000
    writer.join()


def test_standard_input(tmp_path):
    code = "from treckon.inputs import as_run; source = as_run('-'); print(source.name, *source.blocks())"
    for piped in (True, False):
        path = tmp_path / "run"
        path.write_bytes(b"q Q0 d 1 0.5 t\n")
        with open(path, "rb") as file:
            given = {"input": path.read_bytes()} if piped else {"stdin": file}
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, **given)
        assert done.stdout == b"standard input b'q Q0 d 1 0.5 t\\n'\n"


def test_sources_pass_through():
    with as_run(b"q Q0 d 1 0.5 t\n") as source:
        assert as_run(source) is source
        with pytest.raises(InputError, match=r"^run:1: expected 3 fields \(qid docid rank\), found 6"):
            as_run(source, format="msmarco")
        assert mapping_of(source) == {"q": {"d": 0.5}}  # it is still open


# Pastes


@pytest.mark.parametrize("form", ["tsv", "json", "list", "objects", "path"])
def test_pairs(form, tmp_path):
    pastes = {"q1": {"ranked": ["d3", "d1"], "relevant": ["d1", "d2"]}, "q2": {"ranked": [], "relevant": ["d1"]}}
    lines = "".join(f"{q}\t{' '.join(one['ranked'])}\t{','.join(one['relevant'])}\n" for q, one in pastes.items())
    path = tmp_path / "paste.tsv"
    path.write_text(lines)
    given = {
        "tsv": lines,
        "json": json.dumps(pastes),
        "list": json.dumps([{"query_id": query, **one} for query, one in pastes.items()]),
        "objects": pastes,
        "path": path,
    }[form]
    qrels, run = as_pair(given)
    assert mapping_of(qrels, QRELS) == {"q1": {"d1": 1, "d2": 1}, "q2": {"d1": 1}}
    assert mapping_of(run) == {"q1": {"d3": 2.0, "d1": 1.0}, "q2": {}}


def test_pair_of_a_source():
    with as_run(b"q\td\td\n", format="trec") as source:
        assert list(map(mapping_of, as_pair(source))) == [{"q": {"d": 1}}, {"q": {"d": 1}}]
        assert list(source.blocks()) == [b"q\td\td\n"]  # it is still open


def test_pairs_with_numbers():
    qrels, run = as_pair('{"q1": {"ranked": {"d1": 0.5}, "relevant": {"d1": 3}}}')
    assert (qrels, run) == ({"q1": {"d1": 3}}, {"q1": {"d1": 0.5}})
    for empty in ("{}", "[]", {}, []):
        assert list(map(mapping_of, as_pair(empty))) == [{}, {}]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"q": {"d": 1}}, "input: expected 'ranked' and 'relevant' documents of each query, found dict"),
        (5, "input: expected 'ranked' and 'relevant' documents of each query, found 5"),
        ({"q": {"ranked": []}}, "input: query 'q': expected 'relevant', found 'ranked'"),
        ("q1\td1\n", "input:1: expected 3 fields with a TAB between (query, ranked ids, relevant ids), found 2"),
        (
            '{"q": {"ranked": ["d", null], "relevant": []}}',
            "input: query 'q', item 1: expected text or a whole number as id, found None",
        ),
    ],
)
def test_refused_pairs(given, text):
    with pytest.raises(InputError) as raised:
        as_pair(given)
    assert str(raised.value) == text


# Nothing is changed, nothing is imported


#: Those that can be copied and compared.
LASTING = sorted(FORMS.keys() - {"generator", "objects", "JSON stream", "Columns", "tensor"})


@pytest.mark.parametrize("form", LASTING)
@settings(max_examples=20)
@given(mapping=data(any_ids, grades))
def test_nothing_is_changed(form, mapping):
    for read, kind in ((as_run, RUN), (as_qrels, QRELS)):
        passed = FORMS[form](mapping, read)
        before = copy.deepcopy(passed)
        made = read(passed)
        mapping_of(made, kind)
        assert repr(passed) == repr(before)
        assert form != "mapping" or made is passed


def test_frames_are_not_changed():
    for library in ("pandas", "polars"):
        table = frame(library, {"q": {"d": 1, "e": 0}}, ("qid", "docno", "score"))
        before = repr(table)
        as_run(table), as_qrels(table)
        assert repr(table) == before


def test_no_needless_imports():
    code = (
        "import sys; from treckon.inputs import *; as_run({'q': {'d': 1}}); as_run([('q', 'd', 1)]).to_mapping()\n"
        "as_qrels({'q': ['d']}); as_run('q\\td e\\tf'); as_run(b'q Q0 d 1 1 t').close(); as_run((['q'], ['d'], [1]))\n"
        "print(sorted({'numpy', 'pandas', 'polars', 'pyarrow', 'ctypes'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "[]\n"


# Writing


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    """Not the one beside it that nobody has chosen a name for."""
    with pytest.raises(FileNotFoundError) as caught:
        write_run({"q": {"d": 1.0}}, tmp_path / "missing" / "run")
    assert caught.value.filename == os.path.realpath(tmp_path / "missing" / "run")


@given(run=data(field_ids, scores), qrels=data(field_ids, grades))
def test_round_trip(tmp_path_factory, run, qrels):
    path = tmp_path_factory.mktemp("written") / "file"
    for form in (run, as_run(rows_of(run))):
        write_run(form, path)
        assert mapping_of(as_run(path, format="trec")) == run
    for form in (qrels, as_qrels(rows_of(qrels))):
        write_qrels(form, path)
        assert mapping_of(as_qrels(path, format="trec"), QRELS) == qrels
    assert os.listdir(path.parent) == ["file"]


def test_written_text(tmp_path):
    path = tmp_path / "run"
    run = {"q": {"a": 0.1, "c": np.float32(0.1), "b": 0.1, "d": 7}, 2: {}, "r": {b"\xff": -math.inf}}
    write_run(run, path, tag="mine")
    assert path.read_bytes() == (
        b"q Q0 d 1 7.0 mine\nq Q0 c 2 0.10000000149011612 mine\nq Q0 a 3 0.1 mine\nq Q0 b 4 0.1 mine\n"
        b"r Q0 \xff 1 -inf mine\n"
    )
    write_run(run, path, depth=np.int64(3))
    assert path.read_bytes() == (
        b"q Q0 d 1 7.0 treckon\nq Q0 c 2 0.10000000149011612 treckon\nq Q0 b 3 0.1 treckon\nr Q0 \xff 1 -inf treckon\n"
    )
    write_qrels({"q": {"a": True, "b": 2.0}}, os.fsencode(path))
    assert path.read_bytes() == b"q 0 a 1\nq 0 b 2\n"
    write_run(as_run({"q": ["b", "a"]}), str(path))
    assert path.read_bytes() == b"q Q0 b 1 2.0 treckon\nq Q0 a 2 1.0 treckon\n"


NO_FIELD = "expected an id that can stand in TREC's format, found"


@pytest.mark.parametrize(
    ("query", "document", "text"),
    [
        ("q", "", f"run: query 'q': {NO_FIELD} empty text in ''"),
        ("q", "a b", f"run: query 'q': {NO_FIELD} white space in 'a b'"),
        ("q", "a\v", f"run: query 'q': {NO_FIELD} white space in 'a\\x0b'"),
        ("q", "a\0", f"run: query 'q': {NO_FIELD} NUL in 'a\\x00'"),
        ("q", "\ud800", f"run: query 'q': {NO_FIELD} a lone surrogate in '\\ud800'"),
        ("q", "\udcc3\udca9", f"run: query 'q': {NO_FIELD} a lone surrogate in '\\udcc3\\udca9'"),
        ("", "d", f"run: {NO_FIELD} empty text in ''"),
        ("\n", "d", f"run: {NO_FIELD} white space in '\\n'"),
        ("#1", "d", "run: query '#1': expected an id that can begin a line, found '#', as of comments"),
        ("\ufeff1", "d", "run: query '\\ufeff1': expected an id that can begin a file, found a byte-order mark"),
    ],
)
def test_ids_that_can_not_be_written(tmp_path, query, document, text):
    path = tmp_path / "file"
    path.write_text("as it was")
    good = {"a": {"d": 1}, query: {"d": 1, document: 2}}
    with pytest.raises(InputError) as raised:
        write_run(good, path)
    assert str(raised.value) == text
    with pytest.raises(InputError) as raised:
        write_qrels(good, path)
    assert str(raised.value) == text.replace("run:", "qrels:")
    assert path.read_text() == "as it was"
    assert os.listdir(tmp_path) == ["file"]


def test_data_that_can_not_be_written(tmp_path):
    path = tmp_path / "file"
    for call, kind, text in (
        (
            lambda: write_run({"q": {"d": math.nan}}, path),
            InputError,
            "run: query 'q', document 'd': expected a number as score, found NaN",
        ),
        (
            lambda: write_qrels({"q": {"d": 0.5}}, path),
            InputError,
            f"qrels: query 'q', document 'd': {NO_GRADE} 0.5{ADVICE}",
        ),
        (
            lambda: write_run({"q": ["d"]}, path),
            InputError,
            "run: query 'q': expected documents with scores, found list",
        ),
        (lambda: write_run([], path), InputError, "run: expected a mapping or Columns, found list"),
        (
            lambda: write_run({}, path, tag="my run"),
            ParameterError,
            "tag: expected text without white space, found 'my run' (str)",
        ),
        (lambda: write_run({}, path, tag=""), ParameterError, "tag: expected text without white space, found '' (str)"),
        (
            lambda: write_run({}, path, depth=0),
            ParameterError,
            "depth: expected a whole number from 1, found 0",
        ),
        (
            lambda: write_run({}, path, depth=True),
            ParameterError,
            "depth: expected a whole number from 1, found True",
        ),
    ):
        with pytest.raises(kind) as raised:
            call()
        assert str(raised.value) == text
    with pytest.raises(FileNotFoundError):
        write_run({}, tmp_path / "nowhere" / "run")
    assert os.listdir(tmp_path) == []


def test_written_file_keeps_its_place(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_run({"q": {"d": 1}}, link)
    assert link.is_symlink() and target.read_text() == "q Q0 d 1 1.0 treckon\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        write_run({"q": {"d": 1}}, tmp_path / "new")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_writing_to_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write_run({"q": {"d": 1}}, path)
    reader.join()
    assert read == [b"q Q0 d 1 1.0 treckon\n"]
    assert stat.S_ISFIFO(path.stat().st_mode)


# Three columns with TABs between: MS MARCO's run, or a paste


@pytest.mark.parametrize("text", ["q1\td1\t1\nq1\td2\t2\n", "1\t7\t1\n1\t8\t2\n", " \n1\t7\t10\r\n"])
def test_whole_numbers_in_the_third_of_three_columns_are_ranks(text):
    given = as_run(text)
    assert given.order == "rank"
    assert list(given.values) == [-int(line.split()[2]) for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("text", ["q1\td1 d2\td2", "q1\td1\td2", "1\t7 8 9\t8", "1\t7\t7,8", "1\t7,8\t8,9", "1\t7\t8,"])
def test_ids_in_the_third_of_three_columns_are_relevant(text):
    query, ranked, relevant = text.split("\t")
    ranked, relevant = (part.replace(",", " ").split() for part in (ranked, relevant))
    text += "\n"
    assert list(mapping_of(as_run(text))[query]) == ranked
    assert mapping_of(as_qrels(text)) == {query: dict.fromkeys(relevant, 1)}
    qrels, run = map(mapping_of, as_pair(text))
    assert (qrels, list(run[query])) == ({query: dict.fromkeys(relevant, 1)}, ranked)


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("read", "format", "text"),
    [
        (as_run, "msmarco", b"q d 1"),
        (as_qrels, "msmarco", b"q d"),
        (as_run, "tsv", b"q\td\t-1"),
        (as_qrels, "tsv", b"q\td\t1"),
        (as_run, "paste", b"q\td\tx"),
        (as_qrels, "json", b'{"q": ["d"]}'),
    ],
)
def test_lines_of_every_format_are_read_alike(read, format, text):
    """A byte-order mark and CR before LF are no part of them, NUL and CR alone are refused."""
    expected = {"q": {"d": 1 if format == "paste" or read is as_qrels else -1}}
    for data in (MARK + text, text + b"\r\n", MARK + b"\r\n" * (format != "json") + text + b"\r\n\r\n"):
        assert mapping_of(read(io.BytesIO(data), format=format)) == expected
    with pytest.raises(InputError, match="^(run|qrels):2: expected text, found a NUL byte$"):
        read(text + b"\n\0", format=format)
    if format != "json" and text != b"q d":  # of which two are four fields
        with pytest.raises(InputError, match="^(run|qrels):1: expected lines that end with LF or CR LF, found CR"):
            read(text + b"\r" + text, format=format)


def test_a_byte_order_mark_may_come_in_parts(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(MARK + b"a\nb")
    with Source(tmp_path / "file") as source:
        for size in (1, 2, 3, 4):
            data = MARK + b"a\nb"
            blocks = [data[at : at + size] for at in range(0, len(data), size)]
            monkeypatch.setattr(source, "blocks", lambda blocks=blocks: iter(blocks))
            assert list(source.lines()) == [(1, b"a"), (2, b"b")]
        for data in (b"", b"\xef", b"\xef\xbb", MARK):
            monkeypatch.setattr(source, "blocks", lambda data=data: iter([data[:1], data[1:]]))
            assert source.text() == data.removeprefix(MARK)


NUMBERS = {"q1": {"d1": 2, "d2": -1}}
WRITTEN = [
    *((form, form.write(NUMBERS, "tag")) for form in registry.formats_of("run") if form.write),
    *((form, form.write(NUMBERS)) for form in registry.formats_of("qrels") if form.write),
    *((form, form.write(NUMBERS, NUMBERS)) for form in registry.formats_of("qrels and run")),
]


@pytest.mark.parametrize(("form", "pieces"), WRITTEN, ids=lambda value: getattr(value, "name", ""))
def test_what_a_format_writes_is_told_to_be_of_it(form, pieces):
    with open_text(b"".join(pieces), "text") as source:
        expected = "trec" if (form.name, form.holds) == ("msmarco", "qrels") else form.name  # it writes TREC's fields
        assert registry.detected(source, form.holds).name == expected


def test_a_format_is_registered_once():
    form = registry.find("run", "trec")
    with pytest.raises(ValueError, match="^format 'trec' of run is registered already$"):
        registry.register(form)


def test_a_run_alone_is_no_pair():
    message = (
        r"^input:1: expected qrels and run \(format=json or paste\), found query, document and rank "
        r"\(format='msmarco'\)$"
    )
    with pytest.raises(InputError, match=message):
        as_pair("1 7 1\n")


def test_names_above_as_many_columns_as_trec_has_are_no_topic():
    qrels = "query_id\titeration\tdoc_id\trelevance\n1\t0\ta\t2\n"
    assert as_qrels(qrels).to_mapping() == {"1": {"a": 2}}
    run = "qid\tQ0\tdocno\trank\tscore\ttag\n1\tQ0\ta\t1\t0.5\tmine\n"
    assert as_run(run).to_mapping() == {"1": {"a": 0.5}}


def test_a_json_text_with_named_columns_needs_no_format():
    text = '[{"topic": 1, "doc": "a", "sim": 0.5}]'
    assert as_run(text, columns=("topic", "doc", "sim")).to_mapping() == {"1": {"a": 0.5}}


def test_a_pair_that_may_be_a_run_of_ms_marco_must_be_named():
    text = "1\t7\t1\n"
    message = (
        r"^input:1: cannot tell whether this is query, ranked and relevant ids \(format='paste'\) or query, document "
        r"and rank \(format='msmarco'\); say which$"
    )
    with pytest.raises(InputError, match=message):
        as_pair(text)
    assert [mapping_of(one) for one in as_pair(text, format="paste")] == [{"1": {"1": 1}}, {"1": {"7": 1}}]
    with pytest.raises(ParameterError, match="^format: expected one of json, paste, found 'trec' "):
        as_pair(text, format="trec")


# Long ids, names and values

LONG = "x" * 10**6


@pytest.mark.parametrize(
    "evaluate",
    [
        lambda: treckon.evaluate({LONG: {"d": "1"}}, {}, "AP"),
        lambda: treckon.evaluate({"q": {LONG: 1.5}}, {}, "AP"),
        lambda: treckon.evaluate({"q": {"d": LONG}}, {}, "AP"),
        lambda: treckon.evaluate({"q": {"d": 1}}, {"q": {LONG: "1"}}, "AP"),
        lambda: treckon.evaluate({"q": {"d": 1}}, {"q": {"d": LONG}}, "AP"),
        lambda: treckon.evaluate({LONG: {"d": 1}}, {}, "AP", missing="error"),
        lambda: treckon.evaluate({"q": {"d": 1}}, {LONG: {"d": 1}}, "AP", extra="error"),
        lambda: treckon.evaluate({LONG: {"d": 0}}, {LONG: ["d"]}, "AP", no_relevant="error"),
        lambda: treckon.evaluate({LONG: {"d": 0}}, {LONG: [LONG]}, "AP", unjudged="error"),
        lambda: treckon.evaluate({LONG: {LONG: 0}}, {LONG: [LONG, LONG]}, "AP"),
        lambda: treckon.evaluate(f"q 0 d 9{'9' * 10**6}\n".encode(), {}, "AP"),
        lambda: treckon.evaluate(f"{LONG} 0 {LONG} 1\n{LONG} 0 {LONG} 1\n".encode(), {}, "AP"),
        lambda: treckon.evaluate(b"q 0 d 1\n", f"q Q0 {LONG} 1 1 t\n".encode() * 2, "AP", duplicates="error"),
        lambda: treckon.evaluate(b"q 0 d 1\n", f"q Q0 d 1 nan{LONG} t\n".encode(), "AP"),
        lambda: treckon.read_run(f"{LONG} Q0 {LONG} 1 1 t\n".encode() * 2),
        lambda: treckon.read_run(f"{LONG}\t{LONG}\t{LONG}\n{LONG}\t{LONG}\t{LONG}\n"),
        lambda: treckon.read_run(f"query\tdocument\tscore\n{LONG}\t{LONG}\t{LONG}\n", format="tsv"),
        lambda: treckon.read_run(f"q\td\t{LONG}\n", format="msmarco"),
        lambda: treckon.read_run(f'{{"{LONG}": {{}}, "{LONG}": {{}}}}'),
        lambda: treckon.evaluate(f"q g s a 2\nq g s b 1\nq g s a 1{LONG}\n".encode(), {}, "prefs_simp",
                                 qrels_format="prefs"),
        lambda: treckon.evaluate({"q": {LONG: {"d": "x"}}}, {}, "StRecall", qrels_format="qrels_jg"),
        lambda: treckon.parse(LONG),
        lambda: treckon.parse(f"AP({LONG}=1)"),
        lambda: treckon.parse(f"AP(denominator='{LONG}')"),
        lambda: treckon.parse(f"AP@{LONG}"),
        lambda: treckon.parse(f"P.{LONG}"),
        lambda: treckon.parse("AP")(rel=LONG),
        lambda: treckon.Conventions(ties=LONG),
        lambda: treckon.Conventions(**{LONG: 1}),
        lambda: treckon.Conventions(gain=LONG),
        lambda: treckon.Conventions(depth=-(10**5000)),
    ],
)  # fmt: skip
def test_messages_show_the_beginning_of_what_is_long(evaluate):
    """An id, a name or a value of a million characters, wherever it comes from."""
    with pytest.raises(treckon.errors.TreckonError) as caught:
        evaluate()
    assert len(str(caught.value)) < 1000


def test_what_is_long_ends_with_dots():
    (warning,) = treckon.evaluate(f"q 0 d {LONG}\n".encode(), {}, "AP", missing="zero").warnings
    assert f"found '{'x' * 97}...'; read up to" in warning
    with pytest.raises(InputError, match=f"^qrels: query '{'x' * 97}\\.\\.\\.', document 'd': expected a whole number"):
        treckon.evaluate({LONG: {"d": "1"}}, {}, "AP")
    assert treckon.errors.shortened("x" * 100) == "x" * 100
    assert treckon.errors.in_short(10**5000) == "a whole number of 16610 bits"
