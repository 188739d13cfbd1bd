"""What has keys is a mapping, whoever made it; what may mean two things is refused, with what to give instead."""

import sqlite3
from collections import UserDict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import treckon
from treckon.compat import beir, mteb, pytrec_eval, ranx
from treckon.errors import InputError
from treckon.inputs import write_run

# AP and P@1 tell these from the same documents in the order of the ids, and from the numbers as ids.
QRELS = {"q1": {"d1": 0, "d2": 1, "d3": 1}, "q2": {"d1": 2}}
RUN = {"q1": {"d1": 2.0, "d2": 3.0, "d3": 1.0}, "q2": {"d4": 0.5, "d1": 0.25}}
AP = {"q1": (1 + 2 / 3) / 2, "q2": 0.5}
MEAN = 2 / 3


class Keyed:
    """`keys` and `__getitem__`, not registered as a mapping."""

    def __init__(self, items: dict[Any, Any]) -> None:
        self._items = items

    def keys(self) -> list[Any]:
        return list(self._items)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]


def series(items: dict[Any, Any], **options: Any) -> Any:
    return pytest.importorskip("pandas").Series(items, **options)


KINDS: dict[str, Callable[[dict[Any, Any]], Any]] = {
    "dict": dict,
    "registered": UserDict,
    "keys": Keyed,
    "series": series,
}


def kinds_of(data: dict[str, dict[str, Any]], outer: str, inner: str) -> Any:
    return KINDS[outer]({query: KINDS[inner](documents) for query, documents in data.items()})


def ap_of(evaluation: treckon.Evaluation) -> dict[str, float]:
    return {query: values["AP"] for query, values in evaluation.per_query.items()}


@pytest.fixture(params=[(outer, inner) for outer in KINDS for inner in KINDS], ids="-".join)
def both(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    return kinds_of(QRELS, *request.param), kinds_of(RUN, *request.param)


def test_evaluated(both: tuple[Any, Any]):
    assert ap_of(treckon.evaluate(*both, "AP")) == pytest.approx(AP)


def test_one_side_alone(both: tuple[Any, Any]):
    qrels, run = both
    evaluator = treckon.Evaluator(qrels, ["AP"])
    assert ap_of(evaluator.evaluate(RUN)) == pytest.approx(AP)
    assert ap_of(treckon.Evaluator(QRELS, ["AP"]).evaluate(run)) == pytest.approx(AP)


def test_read_and_written(both: tuple[Any, Any], tmp_path: Any):
    qrels, run = both
    assert treckon.read_qrels(qrels) == QRELS
    assert treckon.read_run(run) == RUN
    write_run(run, tmp_path / "run")
    assert treckon.read_run(tmp_path / "run") == RUN


def test_checked(both: tuple[Any, Any], tmp_path: Any):
    write_run(RUN, tmp_path / "run")
    report = treckon.check_run(tmp_path / "run", qrels=both[0])
    assert str(report) == str(treckon.check_run(tmp_path / "run", qrels=QRELS))


def test_other_interfaces(both: tuple[Any, Any]):
    qrels, run = both
    assert beir.evaluate(qrels, run, [10]).map == {"MAP@10": round(MEAN, 5)}
    assert beir.mrr(qrels, run, [10]) == {"MRR@10": 0.75}
    assert mteb.calculate_retrieval_scores(run, qrels, [10]).map == {"MAP@10": round(MEAN, 5)}
    assert mteb.recall_cap(qrels, run, [1]) == {"R_cap_at_1": [1.0, 0.0]}
    assert mteb.hole(qrels, run, [2]) == {"Hole_at_2": [0.0, 0.5]}
    assert ranx.evaluate(qrels, run, "map") == pytest.approx(MEAN)


@pytest.mark.parametrize("kind", KINDS)
def test_subtopics(kind: str):
    make = KINDS[kind]
    qrels = {"q1": {"1": {"d1": 1}, "2": {"d2": 1, "d3": 0}}}
    kept = make({query: make({group: make(of) for group, of in groups.items()}) for query, groups in qrels.items()})
    measures = ["alpha_nDCG@10", "P_IA@1"]
    run = {"q1": {"d3": 2.0, "d2": 1.0, "d1": 0.5}}
    expected = treckon.Evaluator(qrels, measures, format="subtopics").evaluate(run)
    assert treckon.Evaluator(kept, measures, format="subtopics").evaluate(run).means == expected.means
    assert expected.means["P_IA@1"] == 0.0


@pytest.mark.parametrize("kind", ["keys", "series"])
def test_pytrec_eval_takes_dicts_alone(kind: str):
    kept = KINDS[kind](QRELS["q1"])
    found = type(kept).__name__
    with pytest.raises(TypeError, match=f"qrels: query 'q1': found {found}$"):
        pytrec_eval.RelevanceEvaluator({"q1": kept}, {"map"})
    with pytest.raises(TypeError, match=f"run: query 'q1': expected a dict of documents, found {found}$"):
        pytrec_eval.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q1": kept})


def test_truth_values_of_numpy_are_grades():
    qrels = {"q1": {"d1": np.False_, "d2": np.True_, "d3": np.True_}}
    assert pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(RUN)["q1"]["map"] == pytest.approx(AP["q1"])
    assert treckon.evaluate(qrels, RUN, "AP").means["AP"] == pytest.approx(AP["q1"])


def test_named_index_of_numbers():
    pd = pytest.importorskip("pandas")
    scores = pd.Series([2.0, 1.0], index=pd.Index([7, 8], name="docno"))
    assert treckon.read_run({"q1": scores}) == {"q1": {"7": 2.0, "8": 1.0}}
    assert treckon.read_run({"q1": pd.Series([], dtype=float)}) == {"q1": {}}


def test_lists_of_libraries():
    pl = pytest.importorskip("polars")
    expected = {"q1": {"d2": 2, "d1": 1}}
    assert treckon.read_run({"q1": pl.Series(["d2", "d1"])}) == expected
    assert treckon.read_run({"q1": np.array(["d2", "d1"])}) == expected
    assert treckon.read_qrels({"q1": {"d2": 3}.keys()}) == {"q1": {"d2": 1}}


def test_rows_of_sqlite():
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    rows = connection.execute("select 1.5 as score, 'd2' as docno, 'q1' as qid")
    assert treckon.read_run(rows) == {"q1": {"d2": 1.5}}
    rows = connection.execute("select 1.5 as score, 'd2' as docno, 'q1' as x")
    with pytest.raises(InputError, match="row 0: expected a mapping with the keys .*, found one with score, docno, x$"):
        treckon.read_run(rows)
    connection.close()


EXPECTED = "run: query 'q1': expected a list of documents, best first, or documents with scores, found "
IDS = "run: query 'q1': expected ids of documents, or documents with numbers, found "
ROW_NUMBERS = (
    "expected a Series with ids as its index, found whole numbers without a name, which may be row numbers; "
    "give to_dict() of it if they are ids, tolist() if its items are"
)
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "values": (lambda: {"d1": 1.0}.values(), f"{EXPECTED}dict_values; give the mapping itself"),
    "items": (lambda: {"d1": 1.0}.items(), f"{EXPECTED}dict_items; give the mapping itself"),
    "keys": (lambda: {"d1": 1.0}.keys(), f"{EXPECTED}dict_keys; give a list, best first"),
    "set": (lambda: {"d1"}, f"{EXPECTED}set; give a list, best first"),
    "pairs": (lambda: [("d1", 1.0)], f"{IDS}a list of pairs; give dict() of it"),
    "fractions": (lambda: [0.5, 0.25], f"{IDS}list of numbers such as 0.5"),
    "array": (lambda: np.array([2.0, 1.0]), f"{IDS}ndarray of numbers such as 2.0"),
    "text": (lambda: "d1", f"{EXPECTED}'d1' (str)"),
    "type": (lambda: dict, f"{EXPECTED}type"),
    "array of one": (
        lambda: {"d1": np.array([1.0])},
        "run: query 'q1', document 'd1': expected a number as score, found ndarray",
    ),
    "array of text": (
        lambda: {"d1": np.array("x")},
        "run: query 'q1', document 'd1': expected a number as score, found ndarray",
    ),
    "signalling": (
        lambda: {"d1": Decimal("sNaN")},
        "run: query 'q1', document 'd1': expected a number as score, found sNaN (Decimal)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    make, message = REFUSED[name]
    with pytest.raises(InputError) as caught:
        treckon.evaluate(QRELS, {"q1": make()}, "AP")
    assert str(caught.value) == message


def test_series_that_may_mean_two_things():
    pd = pytest.importorskip("pandas")
    index = pd.MultiIndex.from_tuples([("q1", "d1"), ("q1", "d2")])
    cases = [
        ({"q1": pd.Series([2.0, 1.0])}, f"run: query 'q1': {ROW_NUMBERS}"),
        ({"q1": pd.Series(["d1", "d2"])}, f"run: query 'q1': {ROW_NUMBERS}"),
        ({"q1": pd.Series([2.0, 1.0], index=[7, 3])}, f"run: query 'q1': {ROW_NUMBERS}"),
        (pd.Series([{"d1": 1.0}]), f"run: {ROW_NUMBERS}"),
        (
            {"q1": pd.Series([2.0, 1.0], index=["d1", "d1"])},
            "run: query 'q1': expected each id once in a Series, found 'd1' listed twice",
        ),
        (
            pd.Series([2.0, 1.0], index=index),
            "run: expected a Series with one id for each item, found a MultiIndex; reset_index() makes a table of it",
        ),
        (
            {"q1": pd.DataFrame({"docno": ["d1"], "score": [1.0]})},
            f"{EXPECTED}DataFrame; give one table with the documents of all queries",
        ),
        (
            pd.DataFrame({"qid": ["q1"], "docno": ["d1"], "score": [1.0]}).groupby("qid"),
            "run: expected a mapping, a table or rows, found DataFrameGroupBy; give the table that was grouped",
        ),
    ]
    for run, message in cases:
        with pytest.raises(InputError) as caught:
            treckon.evaluate(QRELS, run, "AP")
        assert str(caught.value) == message


def test_polars_that_may_mean_two_things():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"qid": ["q1"], "docno": ["d1"], "score": [1.0]})
    cases = [
        ({"q1": pl.Series([2.0, 1.0])}, f"{IDS}Series of numbers such as 2.0"),
        ({"q1": frame}, f"{EXPECTED}DataFrame; give one table with the documents of all queries"),
        (frame.lazy(), "run: expected a mapping, a table or rows, found LazyFrame; collect() makes a table of it"),
    ]
    for run, message in cases:
        with pytest.raises(InputError) as caught:
            treckon.evaluate(QRELS, run, "AP")
        assert str(caught.value) == message


@pytest.mark.parametrize("view", ["values", "items"])
def test_views_of_a_run(view: str):
    advice = "give the mapping itself, or a list of rows"
    with pytest.raises(InputError) as caught:
        treckon.evaluate(QRELS, getattr(RUN, view)(), "AP")
    assert str(caught.value) == f"run: expected a mapping, a table or rows, found dict_{view}; {advice}"


GRADE = "qrels: query 'q1', document 'd1': expected a whole number as grade, found "


@pytest.mark.parametrize(
    ("grade", "found"),
    [
        (np.array([1]), "ndarray"),
        (np.array(None), "ndarray"),
        (Decimal("sNaN"), "sNaN (Decimal)"),
    ],
    ids=["array of one", "no number", "signalling"],
)
def test_grades_refused(grade: object, found: str):
    with pytest.raises(InputError) as caught:
        treckon.evaluate({"q1": {"d1": grade}}, RUN, "AP")
    assert str(caught.value) == GRADE + found


@pytest.mark.parametrize("call", [beir.evaluate, mteb.mrr])
def test_other_interfaces_refuse_what_has_no_keys(call: Callable[..., Any]):
    with pytest.raises(InputError, match="^qrels: expected a mapping from queries to documents, found list$"):
        call([1], RUN, [10])
