"""What an evaluation's result offers: values by measure and query, tables, JSON, and what is read on a screen."""

import copy
import json
import os
import pickle
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import treckon.measures  # noqa: F401  (fills the registry)
from treckon.errors import Advice, Notice
from treckon.evaluation.conventions import Conventions
from treckon.evaluation.results import Counts, Evaluation, Ties
from treckon.naming.syntax import parse, parse_all

MEASURES = parse_all(["nDCG@10", "AP(rel=2)", "P_5"])
VALUES = np.array([[0.5, 0.25, 0.2], [1.0, 0.75, 0.4]])
COUNTS = Counts(in_qrels=3, in_run=4, in_both=2, missing=1, extra=2, without_relevant=0)


def an_evaluation(**changes):
    """Two queries, three measures, in trec_eval's conventions."""
    arguments = {
        "measures": MEASURES,
        "query_ids": ["q1", "q2"],
        "values": VALUES,
        "means": [0.75, 0.5, 0.3],
        "conventions": Conventions(),
        "counts": COUNTS,
        "ties": Ties(0, 0),
    }
    return Evaluation(**(arguments | changes))


def one_of_each_kind(**changes):
    """A mean, a sum, a geometric mean, a text of the run and a text of each query."""
    measures = parse_all(["AP", "num_ret", "gm_map", "runid", "relstring"])
    values = [[0.5, 100, -0.69, 0, 0], [0.25, 50, -1.38, 0, 0]]
    arguments = {
        "measures": measures,
        "query_ids": ["q1", "q2"],
        "values": values,
        "means": [0.375, 150.0, 0.35, b"tag", None],
        "texts": {measures[4]: ["101", b"0\xff"]},
        "conventions": Conventions(),
        "counts": COUNTS,
        "ties": Ties(0, 0),
    }
    return Evaluation(**(arguments | changes))


# Values


def test_values_over_all_queries_by_measure_and_by_any_text_of_it():
    evaluation = an_evaluation()
    assert list(evaluation.means) == list(MEASURES) == list(evaluation)
    assert (
        evaluation[MEASURES[0]]
        == evaluation["nDCG@10"]
        == evaluation["ndcg@10"]
        == evaluation.means["NDCG @ 10"]
        == 0.75
    )
    assert evaluation["AP(rel=2)"] == evaluation["map(rel=2)"] == evaluation["MAP(rel=2, judged_only=False)"] == 0.5
    assert evaluation["P_5"] == evaluation["P.5"] == 0.3
    assert dict(evaluation.means.items()) == {MEASURES[0]: 0.75, MEASURES[1]: 0.5, MEASURES[2]: 0.3}
    assert "nDCG@10" in evaluation and parse("nDCG@10") in evaluation and "nDCG@5" not in evaluation
    assert repr(evaluation.means) == "{nDCG@10: 0.75, AP(rel=2): 0.5, P_5: 0.3}"


@pytest.mark.parametrize("key", ["nDCG@5", "AP", "nothing", "P.5,10", "P.0", "", 0, None, parse("AP")])
def test_a_measure_that_was_not_asked_for(key):
    evaluation = an_evaluation()
    assert key not in evaluation and evaluation.means.get(key) is None
    with pytest.raises(KeyError) as caught:
        evaluation[key]
    assert caught.value.args == (f"expected one of nDCG@10, AP(rel=2), P_5, found {key}",)


def test_values_of_each_query():
    evaluation = an_evaluation()
    assert list(evaluation.per_query) == list(evaluation.query_ids) == ["q1", "q2"]
    assert evaluation.per_query["q2"]["ndcg@10"] == 1.0
    assert dict(evaluation.per_query["q1"]) == {MEASURES[0]: 0.5, MEASURES[1]: 0.25, MEASURES[2]: 0.2}
    assert type(evaluation.per_query["q1"]["P_5"]) is float
    assert "q3" not in evaluation.per_query and len(evaluation.per_query) == 2
    with pytest.raises(KeyError) as caught:
        evaluation.per_query["q3"]
    assert caught.value.args == ("expected a query that was evaluated (there are 2), found 'q3'",)
    assert repr(evaluation.per_query).endswith("'q2': {nDCG@10: 1.0, AP(rel=2): 0.75, P_5: 0.4}} (2 queries)")


def test_values_of_a_query_whose_id_is_a_number():
    found = treckon.evaluate({7: {1: 1}}, {7: {1: 1.0}}, "AP").per_query
    assert found[7] == found["7"] == found[np.int64(7)] == {treckon.parse("AP"): 1.0}
    assert 7 in found and 8 not in found and None not in found
    with pytest.raises(KeyError, match="expected a query that was evaluated .there are 1., found 8"):
        found[8]


def test_the_array_of_values_is_the_same_and_cannot_be_written():
    evaluation = an_evaluation()
    assert evaluation.values.dtype == np.float64 and evaluation.values.tolist() == VALUES.tolist()
    with pytest.raises(ValueError, match="read-only"):
        evaluation.values[0, 0] = 1.0


def test_what_was_passed_in_can_change_afterwards():
    values = VALUES.copy()
    evaluation = an_evaluation(values=values)
    values[:] = 0
    assert evaluation.values.tolist() == VALUES.tolist()


@pytest.mark.parametrize(
    "values",
    [VALUES.tolist(), VALUES.astype(np.float32), np.asfortranarray(VALUES), np.repeat(VALUES, 2, axis=1)[:, ::2]],
    ids=["lists", "float32", "by columns", "with gaps"],
)
def test_values_come_in_any_form_of_a_matrix(values):
    assert an_evaluation(values=values).values == pytest.approx(VALUES)


def test_means_come_by_column_or_by_measure():
    means = {MEASURES[0]: 0.75, MEASURES[1]: 0.5, MEASURES[2]: 0.3}
    assert an_evaluation(means=means) == an_evaluation()


def test_values_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="values: expected 2 queries x 3 measures, found 3 numbers"):
        an_evaluation(values=VALUES[:1])
    with pytest.raises(ValueError, match="zip"):
        an_evaluation(means=[0.5])


def test_measures_that_are_no_means_and_measures_that_are_texts():
    evaluation = one_of_each_kind()
    assert dict(zip(map(str, evaluation), evaluation.means.values(), strict=True)) == {
        "AP": 0.375,
        "num_ret": 150.0,
        "gm_map": 0.35,
        "runid": "tag",
    }
    by_text = {str(measure): value for measure, value in evaluation.per_query["q1"].items()}
    assert by_text == {"AP": 0.5, "num_ret": 100.0, "relstring": "101"}
    assert evaluation.per_query["q2"]["relstring"] == "0\udcff"
    assert "relstring" not in evaluation and "gm_map" not in evaluation.per_query["q1"]
    assert evaluation.values.shape == (2, 5)


def test_no_queries_and_no_measures():
    nothing = an_evaluation(query_ids=[], values=np.zeros((0, 3)))
    assert nothing.values.shape == (0, 3) and dict(nothing.per_query) == {} and len(nothing.means) == 3
    assert repr(nothing.per_query) == "{} (0 queries)"
    without = an_evaluation(measures=[], values=np.zeros((2, 0)), means=[])
    assert without.values.shape == (2, 0) and dict(without.per_query["q1"]) == {}
    assert "AP" not in without and "Evaluation of 2 queries" in repr(without)


def test_equality_and_copies():
    for evaluation in (an_evaluation(warnings=["one"]), one_of_each_kind()):
        evaluation.per_query["q1"]
        for other in (pickle.loads(pickle.dumps(evaluation)), copy.copy(evaluation), copy.deepcopy(evaluation)):
            assert other == evaluation and repr(other) == repr(evaluation)
            assert other.per_query["q2"] == evaluation.per_query["q2"]
    assert an_evaluation() != an_evaluation(values=VALUES + 1)
    assert an_evaluation() != an_evaluation(ties=Ties(1, 0))
    assert an_evaluation() != 1


def test_warnings_are_notices():
    notice = Notice("look", advice=Advice("missing", "zero", "counts them"))
    evaluation = an_evaluation(warnings=["a text", notice])
    assert evaluation.warnings == ("a text", notice) and evaluation.warnings[1] is notice
    assert [warning.in_options() for warning in evaluation.warnings] == ["a text", "look (--missing zero counts them)"]


# Other forms


def test_an_evaluation_made_of_what_another_one_has_as_dicts():
    evaluation = treckon.evaluate({"a": {"d": 1}}, {"a": {"d": 1.0}}, "map")
    parts = {name: dict(getattr(evaluation, name)) for name in ("conventions", "counts", "ties")}
    again = Evaluation(measures=[parse("map")], query_ids=["a"], values=[[1.0]], means=[1.0], **parts)
    assert repr(again) == repr(evaluation)
    assert again.to_dict(per_query=True) == evaluation.to_dict(per_query=True)


def test_as_a_dictionary():
    evaluation = an_evaluation(warnings=("look",))
    expected = {
        "measures": ["nDCG@10", "AP(rel=2)", "P_5"],
        "means": {"nDCG@10": 0.75, "AP(rel=2)": 0.5, "P_5": 0.3},
        "conventions": Conventions().as_dict(),
        "counts": COUNTS,
        "ties": {"queries": 0, "across_cutoff": 0},
        "warnings": ["look"],
    }
    assert evaluation.to_dict() == expected
    per_query = {
        "q1": {"nDCG@10": 0.5, "AP(rel=2)": 0.25, "P_5": 0.2},
        "q2": {"nDCG@10": 1.0, "AP(rel=2)": 0.75, "P_5": 0.4},
    }
    assert evaluation.to_dict(per_query=True) == expected | {"per_query": per_query}
    evaluation.to_dict()["counts"]["missing"] = 99
    assert evaluation.counts == COUNTS


def test_conventions_counts_and_ties_are_read_by_name_and_by_key():
    evaluation = an_evaluation(ties=Ties(1, 0))
    assert evaluation.counts.missing == evaluation.counts["missing"] == 1
    assert evaluation.counts == {
        "in_qrels": 3, "in_run": 4, "in_both": 2, "missing": 1, "extra": 2, "without_relevant": 0,
    }  # fmt: skip
    assert dict(evaluation.ties) == {"queries": 1, "across_cutoff": 0}
    assert evaluation.conventions.ties == evaluation.conventions["ties"] == "trec"
    assert evaluation.conventions == Conventions().as_dict() and len(evaluation.conventions) == 17
    for record, absent in ((evaluation.counts, "own_documents"), (evaluation.ties, "standard_errors")):
        assert absent not in record and getattr(record, absent) is None
    for record in (evaluation.counts, evaluation.ties, evaluation.conventions):
        with pytest.raises(KeyError, match="^'items'$"):
            record["items"]
        with pytest.raises(AttributeError):
            record.ties = 1


def test_as_json():
    evaluation = an_evaluation()
    assert json.loads(evaluation.to_json()) == evaluation.to_dict()
    assert json.loads(evaluation.to_json(per_query=True)) == evaluation.to_dict(per_query=True)
    assert json.loads(one_of_each_kind().to_json(per_query=True))["per_query"]["q2"]["relstring"] == "0\udcff"


def test_json_has_no_number_that_is_none():
    values = [[float("nan"), float("inf"), 0.5], [1, 1, 1]]
    text = an_evaluation(values=values, means=[float("nan"), float("-inf"), 0.5]).to_json(per_query=True)
    found = json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} in JSON"))
    assert list(found["means"].values()) == [None, None, 0.5]
    assert list(found["per_query"]["q1"].values()) == [None, None, 0.5]


def test_json_of_whatever_conventions_hold():
    conventions = Conventions(gain={1: 3.0}, discount=("jk", np.float64(2.0)), depth=np.int64(5))
    found = json.loads(an_evaluation(conventions=conventions).to_json())["conventions"]
    assert found == {**Conventions(), "gain": {"1": 3.0}, "discount": ["jk", 2.0], "depth": 5}


@pytest.mark.parametrize("make_path", [str, lambda path: path], ids=["str", "Path"])
def test_json_to_a_file(tmp_path, make_path):
    path = tmp_path / "values.json"
    text = an_evaluation().to_json(make_path(path))
    assert path.read_text("ascii") == text and text.endswith("}\n")
    other = one_of_each_kind().to_json(make_path(path))
    assert path.read_text("ascii") == other != text
    assert [one.name for one in tmp_path.iterdir()] == ["values.json"]


def test_a_file_stays_as_it_was_when_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "values.json"
    path.write_text("before")

    def fail(*_):
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        an_evaluation().to_json(path)
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["values.json"]


def test_json_through_links_and_into_devices(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    text = an_evaluation().to_json(link)
    assert link.is_symlink() and target.read_text() == text
    an_evaluation().to_json(os.devnull)
    assert not os.path.isfile(os.devnull)
    with pytest.raises(FileNotFoundError):
        an_evaluation().to_json(tmp_path / "nowhere" / "values.json")


WIDE = {"query_id": ["q1", "q2"], "nDCG@10": [0.5, 1.0], "AP(rel=2)": [0.25, 0.75], "P_5": [0.2, 0.4]}
TIDY = {
    "query_id": ["q1"] * 3 + ["q2"] * 3,
    "measure": ["nDCG@10", "AP(rel=2)", "P_5"] * 2,
    "value": [0.5, 0.25, 0.2, 1.0, 0.75, 0.4],
}
TIDY_WITH_TEXT = {
    "query_id": ["q1"] * 3 + ["q2"] * 3,
    "measure": ["AP", "num_ret", "relstring"] * 2,
    "value": [0.5, 100.0, None, 0.25, 50.0, None],
    "text": [None, None, "101", None, None, "011"],
}


def with_texts():
    return one_of_each_kind(texts={parse("relstring"): ["101", "011"]})


def test_pandas():
    pytest.importorskip("pandas")
    wide = an_evaluation().to_pandas()
    assert wide.index.name == "query_id" and wide.reset_index().to_dict("list") == WIDE
    assert wide["nDCG@10"].mean() == 0.75 and wide.loc["q1", "P_5"] == 0.2
    assert an_evaluation().to_pandas(tidy=True).to_dict("list") == TIDY
    tidy = with_texts().to_pandas(tidy=True)
    assert tidy["value"].dtype == np.float64 and tidy["value"].isna().tolist() == [False, False, True] * 2
    assert tidy["text"].dropna().tolist() == ["101", "011"]


def test_polars():
    pytest.importorskip("polars")
    assert an_evaluation().to_polars().to_dict(as_series=False) == WIDE
    assert an_evaluation().to_polars(tidy=True).to_dict(as_series=False) == TIDY
    assert with_texts().to_polars(tidy=True).to_dict(as_series=False) == TIDY_WITH_TEXT


def test_arrow():
    pytest.importorskip("pyarrow")
    assert an_evaluation().to_arrow().to_pydict() == WIDE
    assert an_evaluation().to_arrow(tidy=True).to_pydict() == TIDY
    assert with_texts().to_arrow(tidy=True).to_pydict() == TIDY_WITH_TEXT


@pytest.mark.parametrize(
    ("method", "library", "extra"),
    [("to_pandas", "pandas", "pandas"), ("to_polars", "polars", "polars"), ("to_arrow", "pyarrow", "arrow")],
)
def test_a_library_that_is_missing(monkeypatch, method, library, extra):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError) as caught:
        getattr(an_evaluation(), method)()
    assert str(caught.value).startswith(f"{method} needs {library}: pip install 'treckon[{extra}]' (")
    assert caught.value.name == library


# To be read


def test_what_is_shown_of_an_evaluation_as_trec_eval_makes_it():
    assert repr(an_evaluation()) == "\n".join(
        [
            "Evaluation of 2 queries",
            "  nDCG@10    0.7500",
            "  AP(rel=2)  0.5000",
            "  P_5        0.3000",
            "queries: in qrels 3, in run 4, in both 2, missing 1, extra 2, without relevant 0",
            "conventions: trec_eval's",
        ]
    )


def test_what_is_shown_of_other_conventions_ties_and_warnings():
    shown = repr(
        an_evaluation(
            conventions=Conventions(ties="docno", gain={1: 3}, compat="9.0.8"),
            ties=Ties(2, 1),
            warnings=[f"number {i}" for i in range(1, 8)],
        )
    )
    assert shown.split("\n")[5:] == [
        "conventions: compat='9.0.8', gain={1: 3.0}, ties='docno'; else trec_eval's",
        "ties: queries 2, across cutoff 1",
        *[f"warning: number {i}" for i in range(1, 6)],
        "and 2 more warnings",
    ]


def test_what_is_shown_of_measures_that_are_no_means():
    assert repr(one_of_each_kind(query_ids=["q1"], values=[[0.5, 100, -0.69, 0, 0]], texts={})).split("\n") == [
        "Evaluation of 1 query",
        "  AP       0.3750",
        "  num_ret     150  sum",
        "  gm_map   0.3500  geometric mean",
        "  runid       tag",
        "queries: in qrels 3, in run 4, in both 2, missing 1, extra 2, without relevant 0",
        "conventions: trec_eval's",
    ]


def test_what_is_shown_of_own_documents():
    lines = repr(treckon.evaluate({"d": {"a": 1}}, {"d": {"d": 2.0, "a": 1.0}}, "RR", ignore_self=True)).split("\n")
    assert lines[2:4] == [
        "queries: in qrels 1, in run 1, in both 1, missing 0, extra 0, without relevant 0",
        "documents taken out because their id is the query's: 1",
    ]
    assert "taken out" not in repr(treckon.evaluate({"d": {"a": 1}}, {"d": {"a": 1.0}}, "RR", ignore_self=True))


def test_what_is_shown_of_estimates():
    errors = {"AP(rel=2)": 0.00123}
    shown = repr(an_evaluation(ties=Ties(1, 0, errors))).split("\n")
    assert shown[2:4] == ["  AP(rel=2)  0.5000  standard error 0.0012", "  P_5        0.3000"]
    assert shown[-1] == "ties: queries 1, across cutoff 0"


def test_a_notebook_shows_the_same_and_nothing_gets_through():
    evil = "<script>alert('1')</script>&"
    evaluation = one_of_each_kind(means=[0.375, 150.0, 0.35, evil, None], warnings=[evil])
    html = evaluation._repr_html_()
    assert "<script" not in html and html.count("&lt;script&gt;alert(") == 2

    class Cells(HTMLParser):
        tags: list[str] = []
        texts: list[str] = []

        def handle_starttag(self, tag, attrs):
            self.tags.append(tag)

        def handle_data(self, data):
            self.texts.append(data)

    cells = Cells()
    cells.feed(html)
    assert set(cells.tags) == {"table", "caption", "tbody", "tr", "th", "td", "div"}
    assert cells.texts[:5] == ["Evaluation of 2 queries", "AP", "0.3750", "num_ret", "150"]
    assert evil in cells.texts and f"warning: {evil}" in cells.texts
