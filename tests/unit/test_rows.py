"""Runs as rows, evaluated as they come: every kind of row and of iterable gives what a dict of dicts gives."""

from collections import namedtuple
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treckon
from treckon.errors import EvaluationError, InputError, NoQueriesError

MEASURES = ["AP", "nDCG@3", "RR", "NumRet", "Judged@2", "bpref"]
QRELS = {"q1": {"a": 2, "b": 1, "é": 1, "7": 0}, "q2": {"a": 1, "c": -1}, "7": {"12": 1}, "missing": {"a": 1}}
RUN = {"q1": {"a": 0.5, "x": 2.0, "é": 1.0, "b": 1.0}, "extra": {"a": 1.0}, "7": {"11": 3.0, "12": 2.0}, "q2": {"c": 2}}


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


Reordered = namedtuple("Reordered", "score rank docno qid")  # noqa: PYI024  (the plain kind is to be read, too)


class Renamed(ScoredDoc):
    """A named tuple whose attribute is not its item."""

    @property
    def score(self) -> float:  # type: ignore[override]
        return -float(self[2])


@dataclass
class Document:
    query_id: Any
    doc_id: Any
    score: Any


def triples(run: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(query, document, score) for query, documents in run.items() for document, score in documents.items()]


def reordered(query: str, document: str, score: float) -> Reordered:
    return Reordered(score, 1, document, query)


def named(query: str, document: str, score: float) -> dict[str, object]:
    return {"query_id": query, "doc_id": document, "score": score, "rank": 1}


KINDS = {
    "tuples": lambda *row: row,
    "lists": lambda *row: list(row),
    "named tuples": ScoredDoc,
    "named tuples in another order": reordered,
    "named tuples with a property": lambda query, document, score: Renamed(query, document, -score),
    "objects": Document,
    "dicts": named,
}
ITERABLES = {"list": list, "tuple": tuple, "generator": iter}


def same(found: treckon.Evaluation, expected: treckon.Evaluation) -> bool:
    parts = ("means", "per_query", "counts", "ties", "warnings")
    return all(getattr(found, part) == getattr(expected, part) for part in parts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("iterable", ITERABLES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": "input"},
        {"compat": "9.0.8"},
        {"ties": "random"},
        {"ignore_self": True},
        {"ties": "expected", "samples": 5},
    ],
)
def test_rows_are_what_a_dict_is(kind: str, iterable: str, options: dict[str, Any]):
    rows = [KINDS[kind](*row) for row in triples(RUN)]
    expected = treckon.evaluate(QRELS, RUN, MEASURES, **options)
    assert same(treckon.evaluate(QRELS, ITERABLES[iterable](rows), MEASURES, **options), expected)


@pytest.mark.parametrize("iterable", ITERABLES)
def test_rows_of_a_query_may_lie_apart(iterable: str):
    rows = triples(RUN)
    scattered = [ScoredDoc(*row) for row in (*rows[::2], *rows[1::2])]
    expected = treckon.evaluate(QRELS, RUN, MEASURES)
    assert same(treckon.evaluate(QRELS, ITERABLES[iterable](scattered), MEASURES), expected)


def test_ids_and_scores_of_every_type_may_be_mixed():
    rows = [
        ("q1", b"a", np.float32(0.5)),
        ("q1", np.str_("x"), 2),
        (np.str_("q1"), "é", Fraction(1)),
        ("q1", "b", True),
        ("extra", "a", 1.0),
        (7, np.int64(11), 3.0),
        ("7", 12, 2.0),
        ("q2", "c", np.float64(2)),
    ]
    expected = treckon.evaluate(QRELS, RUN, MEASURES)
    assert same(treckon.evaluate(QRELS, rows, MEASURES), expected)
    assert same(treckon.evaluate(QRELS, iter(rows), MEASURES), expected)


def test_single_precision_holds_for_rows():
    rows = [("q", "a", 0.700000005), ("q", "b", 0.700000010)]
    assert treckon.evaluate({"q": {"b": 1}}, rows, "RR")["RR"] == 1.0
    assert treckon.evaluate({"q": {"a": 1}}, rows, "RR", compat="9.0.8")["RR"] == 0.5
    assert treckon.evaluate({"q": {"b": 1}}, rows[::-1], "RR", compat="9.0.8")["RR"] == 1.0


def test_a_lone_surrogate_is_an_id_like_others():
    found = treckon.evaluate({"q": {"\ud800": 1}}, [("q", "\ud800", 1.0), ("q", "b", 2.0)], "RR")
    assert found["RR"] == 0.5


@pytest.mark.parametrize("iterable", ITERABLES)
def test_no_rows_are_no_results(iterable: str):
    with pytest.raises(NoQueriesError, match="the run has no query"):
        treckon.evaluate(QRELS, ITERABLES[iterable]([]), "AP")
    assert treckon.evaluate(QRELS, ITERABLES[iterable]([]), "AP", missing="zero")["AP"] == 0.0


BAD = {
    "expected a number as score, found NaN": ("q1", "a", float("nan")),
    "expected a number as score, found '1'": ("q1", "a", "1"),
    "expected text or a whole number as id, found 1.5": ("q1", 1.5, 1.0),
    "expected text or a whole number as id, found True": (True, "a", 1.0),
    "expected a score that fits a double, found": ("q1", "a", 10**400),
    "expected (query, document, score) or an object with query_id, doc_id, score, found tuple of 2 items": ("q1", "a"),
}


@pytest.mark.parametrize("problem", BAD)
@pytest.mark.parametrize("iterable", ITERABLES)
def test_a_row_that_cannot_be_read_is_named(problem: str, iterable: str):
    rows = [("q1", "b", 2.0), BAD[problem], ("q1", "c", 1.0)]
    with pytest.raises(InputError) as raised:
        treckon.evaluate(QRELS, ITERABLES[iterable](rows), "AP")
    assert str(raised.value).startswith(f"run: row 1: {problem}")


def test_an_object_without_a_score_is_named():
    rows = [Document("q1", "a", 1.0), ScoredDoc("q1", "b", 1.0), ("q1", "c", 1.0)]
    with pytest.raises(
        InputError, match="run: row 2: expected an object with query_id, doc_id, score, found tuple of 3"
    ):
        treckon.evaluate(QRELS, rows, "AP")


@pytest.mark.parametrize("iterable", ITERABLES)
def test_a_document_that_stands_twice_is_refused_or_settled(iterable: str):
    make = ITERABLES[iterable]
    rows = [ScoredDoc("q1", "a", 1.0), ScoredDoc("q1", "x", 3.0), ScoredDoc("q1", "a", 2.0)]
    problem = "run: query 'q1', document 'a': expected each document once for a query, found it twice"
    with pytest.raises(EvaluationError, match=problem):
        treckon.evaluate(QRELS, make(rows), "RR")
    assert treckon.evaluate(QRELS, make(rows), "RR", duplicates="max")["RR"] == 0.5


def test_what_an_iterator_raises_is_passed_on():
    def broken() -> Iterator[tuple[str, str, float]]:
        yield "q1", "a", 1.0
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        treckon.evaluate(QRELS, broken(), "AP")


IDS = st.sampled_from(["a", "b", "c", "é", "7", "\ud800", ""])


@given(st.lists(st.tuples(st.sampled_from(["q1", "q2", "7", "extra"]), IDS, st.integers(0, 3)), max_size=25))
def test_rows_in_any_order_are_what_their_dict_is(rows: list[tuple[str, str, int]]):
    run: dict[str, dict[str, int]] = {}
    for query, document, score in rows:
        run.setdefault(query, {})[document] = score
    once: Iterable[tuple[str, str, int]] = {
        (query, document): (query, document, run[query][document]) for query, document, _ in rows
    }.values()
    expected = treckon.evaluate(QRELS, run, MEASURES, missing="zero")
    assert same(treckon.evaluate(QRELS, [ScoredDoc(*row) for row in once], MEASURES, missing="zero"), expected)
    assert same(treckon.evaluate(QRELS, iter(list(once)), MEASURES, missing="zero"), expected)
