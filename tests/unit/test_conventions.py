"""Every convention that makes a ranking, against the same in naive Python, over every form of a run."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treckon
from treckon.errors import EvaluationError

DOCUMENTS = st.sampled_from(["1", "2", "3", "9", "10", "11", "100"])
ROWS = st.lists(st.tuples(DOCUMENTS, st.integers(0, 3)), min_size=1, max_size=9)
GRADES = st.dictionaries(DOCUMENTS, st.integers(-2, 3), min_size=1)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "ties": st.sampled_from(["trec", "docno", "input", "random", "optimistic", "pessimistic"]),
        "order": st.sampled_from(["score", "input"]),
        "unjudged": st.sampled_from(["nonrelevant", "condensed", "error"]),
        "negative": st.sampled_from(["unjudged", "nonrelevant"]),
        "duplicates": st.sampled_from(["error", "first", "drop", "max"]),
        "ignore_self": st.booleans(),
        "depth": st.integers(1, 6),
        "level": st.integers(1, 3),
    },
)


def in_random_order(query, documents):
    """The documents as they rank at random, which their judgements make visible and don't change."""
    rankings: list[treckon.RankingView] = []
    measure = treckon.define("SeeRanking", lambda ranking: rankings.append(ranking) or 0.0)
    numbered = dict(enumerate(sorted(documents)))
    qrels = {query: {document: number for number, document in numbered.items()}}
    treckon.evaluate(qrels, {query: dict.fromkeys(documents, 1.0)}, measure, ties="random")
    return [numbered[grade] for grade in rankings[0].grades.tolist()]


def naive(query, rows, grades, ties="trec", order="score", unjudged="nonrelevant", negative="unjudged",
          duplicates="error", ignore_self=False, depth=None, level=1):  # fmt: skip
    """(rank, grade) of the retrieved documents of the qrels, and how many are retrieved; None: refused."""
    if negative == "nonrelevant":
        grades = {document: max(grade, 0) for document, grade in grades.items()}
    rows = [(document, -i if order == "input" else score) for i, (document, score) in enumerate(rows)]
    if ignore_self:
        rows = [row for row in rows if row[0] != query]
    if duplicates == "max":
        best = [max((row for row in rows if row[0] == document), key=lambda row: row[1]) for document, _ in rows]
        rows = [row for i, row in enumerate(rows) if row == best[i] and row not in rows[:i]]
    elif duplicates == "drop":
        rows = [row for i, row in enumerate(rows) if row[0] not in [document for document, _ in rows[:i]]]
    falling = sorted(rows, key=lambda row: row[0], reverse=True)  # also the order of equal grades, which repeats show
    by_id = {
        "trec": falling,
        "docno": sorted(rows, key=lambda row: row[0]),
        "optimistic": sorted(falling, key=lambda row: max(grades.get(row[0], -1), -1), reverse=True),
        "pessimistic": sorted(falling, key=lambda row: max(grades.get(row[0], -1), -1)),
    }.get(ties, rows)
    if ties == "random" and rows:
        random_order = in_random_order(query, {document for document, _ in rows})
        by_id = sorted(rows, key=lambda row: random_order.index(row[0]))
    ranking = [document for document, _ in sorted(by_id, key=lambda row: -row[1])][:depth]
    if unjudged == "error" and any(grades.get(document, -1) < 0 for document in ranking):
        return None
    if duplicates == "error" and len(set(ranking)) < len(ranking):
        return None
    ranking = [document if document not in ranking[:i] else "a repeat" for i, document in enumerate(ranking)]
    if unjudged == "condensed":
        ranking = [document for document in ranking if grades.get(document, -1) >= 0]
    hits = [(rank, max(grades[document], -1)) for rank, document in enumerate(ranking, 1) if document in grades]
    return hits, len(ranking)


def forms(query, rows):
    """The rows as a run in every form, other queries around them or between."""
    if len({document for document, _ in rows}) == len(rows):
        yield {query: dict(rows), "other": {"1": 1.0}}
        yield {int(query): {int(document): np.float32(score) for document, score in rows}}
    near = [("0", "1", 5.0), *((query, document, float(score)) for document, score in rows), ("7", "1", 5.0)]
    apart = [one for i, row in enumerate(near) for one in (row, ("8", str(i), 0.0))]
    for table in (near, apart):
        yield table
        yield tuple(map(np.array, zip(*((int(q), int(d), s) for q, d, s in table), strict=True)))
        yield "".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in table).encode()


@settings(max_examples=200, deadline=None)
@given(query=st.sampled_from(["1", "2", "5"]), rows=ROWS, grades=GRADES, options=OPTIONS)
def test_rankings_are_what_the_conventions_say(query, rows, grades, options):
    if options.get("order") == "input":
        options.pop("ties", None)
    expected = naive(query, rows, grades, **options)
    rankings: list[treckon.RankingView] = []
    measure = treckon.define("SeeRanking", lambda ranking: rankings.append(ranking) or 0.0)
    evaluator = treckon.Evaluator({query: grades}, measure, **options)
    for run in forms(query, rows):
        rankings.clear()
        if expected is None:
            with pytest.raises(EvaluationError):
                evaluator.evaluate(run)
            continue
        evaluator.evaluate(run)
        (seen,) = rankings
        hits, n_retrieved = expected
        found = list(zip(seen.ranks.tolist(), seen.grades.tolist(), strict=True))
        assert (found, seen.n_retrieved) == (hits, n_retrieved)
        counted = [max(grade, 0) for grade in grades.values() if grade >= 0 or options.get("negative") == "nonrelevant"]
        assert seen.grade_counts == {grade: counted.count(grade) for grade in counted}
        assert seen.n_relevant == sum(grade >= seen.level for grade in counted)
        assert seen.n_nonrelevant == len(counted) - seen.n_relevant
        assert seen.level == options.get("level", 1)
