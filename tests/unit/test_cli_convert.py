"""`treckon convert`, and writing in each format: what is read back is what was written."""

import bz2
import gzip
import io
import json
import lzma
import os
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treckon as api
from treckon.errors import InputError, ParameterError
from treckon.inputs import sources
from treckon.inputs.formats import registry
from treckon.inputs.forms import as_pair
from treckon.inputs.writing import pair_text, qrels_text, run_text, writable_formats

RUN = {"q1": {"b": 2.5, "a": 2.5, "c": 0.1 + 0.2}, "q2": {"a": -1e-300}}
QRELS = {"q1": {"a": 2, "b": 0, "z": -1}, "q3": {"a": 1}}
WRITTEN = tuple(writable_formats(registry.QRELS))
LOSSLESS = tuple(form.name for form in writable_formats(registry.RUN).values() if registry.SCORES not in form.loses)


@pytest.fixture
def convert(treckon, tmp_path):
    """`convert(*arguments)`: the lines on standard error of a conversion that ends well."""

    def call(*arguments):
        status, shown, messages = treckon("convert", *arguments, folder=tmp_path)
        assert (status, shown) == (0, b"")
        return messages.decode().splitlines()

    return call


@pytest.fixture
def folder(tmp_path):
    api.write_run(RUN, tmp_path / "run.txt")
    api.write_qrels(QRELS, tmp_path / "qrels.txt")
    return tmp_path


# ---- There and back


def ids(strange):
    """Ids that a format takes: any text without what ends a field of it."""
    characters = st.characters(blacklist_characters=strange, blacklist_categories=["Cs"])
    return st.text(characters, min_size=1, max_size=4).filter(lambda one: one[0] not in "#\ufeff")


def data(strange, numbers, least=1):
    return st.dictionaries(ids(strange), st.dictionaries(ids(strange), numbers, min_size=least, max_size=4), max_size=4)


SCORES = st.floats(allow_nan=False)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
GRADES = st.integers(-(2**31), 2**31 - 1)
#: Characters that no id in a format has.
STRANGE = {"trec": " \t\n\v\f\r\0", "msmarco": " \t\n\v\f\r\0", "tsv": "\t\n\r\0", "json": ""}


@settings(max_examples=40)
@given(st.data(), st.sampled_from(LOSSLESS))
def test_a_run_comes_back_to_the_last_bit(data_, format):
    run = data_.draw(data(STRANGE[format], FINITE if format == "json" else SCORES, 0 if format == "json" else 1))
    found = b"".join(run_text(run, format))
    if found:
        back = api.read_run(io.BytesIO(found), format=format)
        assert back == run
        assert list(back) == list(run)
        assert repr([sorted(documents.items()) for documents in back.values()]) == repr(
            [sorted(documents.items()) for documents in run.values()]
        )  # -0.0 too


@settings(max_examples=40)
@given(st.data(), st.sampled_from(WRITTEN))
def test_qrels_come_back(data_, format):
    qrels = data_.draw(data(STRANGE[format], GRADES, 0 if format == "json" else 1))
    found = b"".join(qrels_text(qrels, format))
    if found:
        assert api.read_qrels(io.BytesIO(found), format=format) == qrels


@settings(max_examples=40)
@given(data(STRANGE["trec"], FINITE), data(STRANGE["trec"], GRADES))
def test_pastes_in_json_come_back(run, qrels):
    text = b"".join(pair_text(qrels, run, "json"))
    if text != b"{\n}\n":
        back_qrels, back_run = as_pair(text)
        assert {query: documents for query, documents in back_qrels.items() if documents} == qrels
        assert {query: documents for query, documents in back_run.items() if documents} == run
        assert back_qrels.keys() == back_run.keys() == run.keys() | qrels.keys()


@settings(max_examples=40)
@given(data(STRANGE["trec"], FINITE), data(STRANGE["trec"], st.integers(0, 1)))
def test_ranks_keep_what_trec_eval_makes_of_the_scores(run, qrels):
    """Ties among them: formats without scores list documents in trec_eval's order."""
    if not run.keys() & qrels.keys():
        return
    expected = api.evaluate(qrels, run, ["AP", "RR@2"])
    msmarco = b"".join(run_text(run, "msmarco"))
    assert api.evaluate(qrels, io.BytesIO(msmarco), ["AP", "RR@2"], run_format="msmarco").means == expected.means


def test_a_paste_has_ranked_and_relevant_documents():
    assert b"".join(pair_text(QRELS, RUN)) == b"q1\tb a c\ta\nq2\ta\t\nq3\t\ta\n"
    qrels, run = as_pair(b"".join(pair_text(QRELS, RUN)))
    assert qrels.to_mapping() == {"q1": {"a": 1}, "q2": {}, "q3": {"a": 1}}
    assert list(run.to_mapping()["q1"]) == ["b", "a", "c"]


# ---- What can't be written


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (lambda: run_text({"q": {"a b": 1}}), InputError,
         "run: query 'q': expected an id that can stand in TREC's format, found white space in 'a b'"),
        (lambda: run_text({"q": {"a\tb": 1}}, "tsv"), InputError,
         "run: query 'q': expected an id that can stand in TSV, found a TAB or line end in 'a\\tb'"),
        (lambda: run_text({"q\n": {"a": 1}}, "tsv"), InputError,
         "run: expected an id that can stand in TSV, found a TAB or line end in 'q\\n'"),
        (lambda: run_text({"q": {"\ud800": 1}}, "tsv"), InputError,
         "run: query 'q': expected an id that can stand in TSV, found a lone surrogate in '\\ud800'"),
        (lambda: run_text({"q": {"a": float("inf")}}, "json"), InputError,
         "run: query 'q', document 'a': expected a finite number, as JSON has them, found inf"),
        (lambda: pair_text({}, {"q": {"a": float("-inf")}}, "json"), InputError,
         "run: query 'q', document 'a': expected a finite number, as JSON has them, found -inf"),
        (lambda: pair_text({}, {"q": {"a,b": 1}}), InputError,
         "paste: query 'q': expected an id that can stand in a list, found white space or a comma in 'a,b'"),
        (lambda: pair_text({}, {" q": {"a": 1}}), InputError,
         "paste: query ' q': expected an id that can begin a line: no blank, '#' or byte-order mark at its start"),
        (lambda: run_text({}, "csv"), ParameterError,
         "format: expected one of json, msmarco, trec, tsv, found 'csv' (str)"),
        (lambda: qrels_text({}, "paste"), ParameterError,
         "format: expected one of json, msmarco, trec, tsv, found 'paste' (str)"),
        (lambda: pair_text({}, {}, "tsv"), ParameterError, "format: expected one of json, paste, found 'tsv' (str)"),
        (lambda: pair_text([], {}), InputError, "qrels: expected a mapping or Columns, found list"),
    ],
)  # fmt: skip
def test_what_cannot_be_written(text, kind, message):
    with pytest.raises(kind) as raised:
        b"".join(text())
    assert str(raised.value) == message


# ---- The command


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("name", ["o.txt", "o.json", "o.tsv"])
def test_formats_and_compression_by_the_name(name, suffix, folder, convert):
    assert convert("run", "run.txt", name + suffix) == []
    assert convert("qrels", "qrels.txt", "q" + name + suffix) == []
    assert api.read_run(folder / (name + suffix)) == RUN
    assert api.read_qrels(folder / ("q" + name + suffix)) == QRELS
    plain = {"": bytes, ".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}[suffix](
        (folder / (name + suffix)).read_bytes()
    )
    start = {
        "txt": b"q1 Q0 b 1 2.5 treckon\n",
        "json": b'{\n"q1": {"b": 2.5, ',
        "tsv": b"query_id\tdoc_id\tscore\nq1\tb\t2.5\n",
    }
    assert plain.startswith(start[name.rpartition(".")[2]])
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [name + suffix, "q" + name + suffix, "run.txt", "qrels.txt"]
    )


def test_zstd(folder, treckon, monkeypatch):
    pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd", exc_type=ImportError)
    assert treckon("convert", "run", "run.txt", "o.zst", folder=folder).status == 0
    assert api.read_run(folder / "o.zst") == RUN

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(sources, "import_module", missing)
    assert treckon("convert", "run", "run.txt", "p.zst", folder=folder) == (
        2, b"", b"treckon convert: p.zst: zstd needs the package backports.zstd: pip install 'treckon[fast]'\n",
    )  # fmt: skip
    assert not (folder / "p.zst").exists()


def test_compressed_files_are_the_same_each_time(folder, convert):
    convert("run", "run.txt", "1.gz")
    convert("run", "run.txt", "2.gz")
    assert (folder / "1.gz").read_bytes() == (folder / "2.gz").read_bytes()


def test_the_api_compresses_too(tmp_path):
    api.write_run(RUN, tmp_path / "run.json.gz", format="json")
    api.write_qrels(QRELS, tmp_path / "qrels.tsv.xz", format="tsv")
    assert json.loads(gzip.decompress((tmp_path / "run.json.gz").read_bytes())) == RUN
    assert api.read_qrels(tmp_path / "qrels.tsv.xz") == QRELS


def test_tag_and_depth(folder, convert):
    convert("run", "run.txt", "o.txt", "--tag", "mine", "--depth", "1")
    assert (folder / "o.txt").read_text() == "q1 Q0 b 1 2.5 mine\nq2 Q0 a 1 -1e-300 mine\n"
    convert("run", "run.txt", "o.json", "--depth", "2")
    assert api.read_run(folder / "o.json")["q1"] == {"b": 2.5, "a": 2.5}


def test_standard_input_and_output(folder, treckon, monkeypatch):
    with open(folder / "run.txt") as run:
        monkeypatch.setattr(sys, "stdin", run)
        found = treckon("convert", "run", "-", "-", "--to", "tsv", folder=folder)
    assert found == (
        0,
        b"query_id\tdoc_id\tscore\nq1\tb\t2.5\nq1\ta\t2.5\nq1\tc\t0.30000000000000004\nq2\ta\t-1e-300\n",
        b"",
    )


def test_named_columns(folder, convert):
    (folder / "t.tsv").write_text("q\td\tgrade\n1\ta\t2\n")
    convert("qrels", "t.tsv", "o.txt", "--columns", "q,d,grade")
    assert (folder / "o.txt").read_text() == "1 0 a 2\n"


def test_a_file_may_become_itself(folder, convert):
    convert("run", "run.txt", "run.txt", "--to", "json")
    assert json.loads((folder / "run.txt").read_text()) == RUN


def test_what_is_not_kept_is_said(folder, convert):
    scores = "treckon convert: note: scores are not kept, only the order of the documents; it is trec_eval's where "
    scores += "scores are equal"
    assert convert("run", "run.txt", "o", "--to", "msmarco") == [scores]
    assert (folder / "o").read_text() == "q1\tb\t1\nq1\ta\t2\nq1\tc\t3\nq2\ta\t1\n"
    assert convert("run", "o", "p", "--to", "msmarco") == []
    assert convert("qrels", "qrels.txt", "o", "--to", "msmarco") == []
    assert convert("pastes", "qrels.txt", "run.txt", "o") == [
        scores,
        "treckon convert: note: grades are not kept: documents of grade 1 and more are the relevant ones",
        "treckon convert: note: 1 judged query is missing from the run; it stands there without ranked documents",
        "treckon convert: note: 1 query of the run is not judged; it stands there without relevant documents",
    ]
    assert len(convert("pastes", "qrels.txt", "run.txt", "o.json")) == 2
    (folder / "two.txt").write_text("y1 Q0 a 1 1 t\ny2 Q0 a 1 1 t\n")
    assert convert("pastes", "qrels.txt", "two.txt", "o.json") == [
        "treckon convert: note: 2 judged queries are missing from the run; they stand there without ranked documents",
        "treckon convert: note: 2 queries of the run are not judged; they stand there without relevant documents",
    ]
    assert convert("pastes", "qrels.txt", "run.txt", "o.json", "--quiet") == []
    (folder / "e.json").write_text('{"q1": {}, "q2": {"a": 1}}')
    assert convert("run", "e.json", "o") == [
        "treckon convert: note: trec has no place for queries without documents: 1 is not kept"
    ]
    assert convert("run", "e.json", "o.json") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run run.txt a b", "run: expected INPUT OUTPUT, found 3 files"),
        ("pastes run.txt a", "pastes: expected QRELS RUN OUTPUT, found 2 files"),
        ("run run.txt o --to paste", "--to: expected one of json, msmarco, trec, tsv for run, found paste"),
        ("pastes qrels.txt run.txt o --to tsv", "--to: expected one of json, paste for pastes, found tsv"),
        ("run none o", "none: cannot read it: No such file or directory"),
        ("run qrels.txt o", "qrels.txt:1: expected 6 fields (qid Q0 docno rank score tag), found 4"),
        ("run bad.json o.txt", "bad.json: expected an id that can stand in TREC's format, found white space in 'q 1'"),
        (
            "qrels bad.json o.txt",
            "bad.json: expected an id that can stand in TREC's format, found white space in 'q 1'",
        ),
        ("run text.json o.txt", "text.json: query 'q', document 'a': expected a number as score, found '1' (str)"),
        (
            "pastes qrels.txt text.json o",
            "text.json: query 'q', document 'a': expected a number as score, found '1' (str)",
        ),
        ("run run.txt o --tag a\tb", "tag: expected text without white space, found 'a\\tb' (str)"),
        ("run run.txt none/o", "none/o: cannot write it: No such file or directory"),
    ],
)
def test_errors_leave_no_file(arguments, message, folder, treckon):
    (folder / "bad.json").write_text('{"q": {"a": 1}, "q 1": {"a": 1}}')
    (folder / "text.json").write_text('{"q": {"a": "1"}}')
    before = sorted(os.listdir(folder))
    status, shown, messages = treckon("convert", *arguments.split(" "), folder=folder)
    assert (status, shown, messages.decode()) == (2, b"", f"treckon convert: {message}\n")
    assert sorted(os.listdir(folder)) == before
