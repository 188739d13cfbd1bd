"""The search of a cross-check against its own space: numbers that some changes make are explained by no larger ones."""

import random

import pytest

import treckon
from treckon.analysis.crosschecking import search
from treckon.analysis.crosschecking.changes import sets_of
from treckon.analysis.crosschecking.pairing import add_pairings
from treckon.analysis.crosschecking.printed import read_scores
from treckon.analysis.crosschecking.task import NO_VALUE, PrintedMeasure, Task
from treckon.analysis.crosschecking.trial import Trial

MEASURES = ("AP", "P@3", "nDCG@3", "RR", "Bpref", "RBP(p=0.8)", "R@5", "nDCG")
GRADES = (0, 0, 1, 1, 2, 3, -1)
SCORES = (1.0, 1.0000000001, 2.0, 3.0, 4.0)


def random_data(rng):
    """A few queries, some on one side only, with ties, also of 32-bit scores alone."""
    qrels, run = {}, {}
    for number in range(rng.randint(3, 8)):
        documents = [f"d{i}" for i in range(rng.randint(3, 12))]
        qrels[f"q{number}"] = {one: rng.choice(GRADES) for one in documents if rng.random() < 0.8} or {"d0": 1}
        if number == 0 or rng.random() < 0.9:
            retrieved = rng.sample([*documents, "x", "y"], rng.randint(1, len(documents)))
            run[f"q{number}"] = {one: rng.choice(SCORES) for one in retrieved}
    if rng.random() < 0.3:
        run["extra"] = {"d0": 1.0}
    return qrels, run


def task_of(qrels, run, scores):
    """What a cross-check of these scores searches."""
    evaluator = treckon.Evaluator(qrels, ())
    trial = Trial(evaluator, run, {}, treckon.parse("AP"))
    printed = read_scores(scores, frozenset(trial.query_ids))
    place_of = {query: i for i, query in enumerate(trial.query_ids)}
    by_name = {}
    for value in printed.values:
        by_name.setdefault(value.name, []).append(value)
    measures = [PrintedMeasure(name, (treckon.parse(name),), values, place_of) for name, values in by_name.items()]
    task = Task(trial, measures, printed, {})
    add_pairings(task)
    return task


def as_printed(task, rng, per_query):
    """Lines that up to three changes make, and what these weigh together; None where they don't go together."""
    n_changes = rng.choice((1, 1, 2, 2, 3))
    n_evaluation = rng.randint(0, min(2, n_changes))
    changes = rng.choice([chosen for chosen in sets_of(task.changes, n_evaluation) if len(chosen) == n_evaluation])
    counting = rng.randrange(len(task.countings)) if n_changes > n_evaluation and rng.random() < 0.6 else 0
    has_own = n_changes > n_evaluation + (counting > 0)
    own = rng.randrange(len(task.measures)) if has_own else None  # the measure with a change of its own
    variants = [task.variants_of(measure, 1) for measure in task.measures]
    chosen = [rng.choice(some) if number == own else some[0] for number, some in enumerate(variants)]
    outcome = task.trial.evaluate([measure for variant in chosen for measure in variant.measures], changes)
    used = {*changes, *task.countings[counting].changes}
    lines = []
    for measure, variant in zip(task.measures, chosen, strict=True):
        values = None if outcome is None else task.trial.values_of(variant, outcome)
        if values is None:
            return None
        divisors = task.divisors_at(task.level_of(variant), outcome)
        if not divisors.counted[counting]:
            return None
        used.update(variant.changes)
        if per_query:
            rows = zip(task.trial.query_ids, task.by_query(variant, counting, outcome), strict=True)
            lines += [f"{measure.name}\t{query}\t{value:.4f}\n" for query, value in rows if value != NO_VALUE]
        mean = task.means([variant], values[None], outcome, divisors)[counting, 0]
        lines.append(f"{measure.name}\tall\t{mean:.4f}\n")
    return "".join(lines), sum(change.weight for change in used)


@pytest.mark.parametrize("seed", range(60))
def test_no_larger_changes_than_those_that_made_the_numbers(seed):
    rng = random.Random(seed)
    made = None
    while made is None:
        qrels, run = random_data(rng)
        measures = rng.sample(MEASURES, rng.randint(2, 5))
        per_query = rng.random() < 0.5
        evaluation = treckon.evaluate(qrels, run, measures)
        means = {str(measure): value for measure, value in evaluation.means.items()}
        made = as_printed(task_of(qrels, run, evaluation if per_query else means), rng, per_query)
    text, weight = made
    found = treckon.crosscheck(qrels, run, text)
    assert found.unexplained == ()
    assert found.agrees or sum(one.weight for one in found.explanation.all_changes) <= weight


def test_changes_that_have_an_effect_only_together():
    """Scores that are equal only as 32-bit numbers: nothing moves until ties are broken another way, or seen at all."""
    run = {"q": {"b": 0.1000000001, "a": 0.1}}
    found = treckon.crosscheck({"q": {"b": 1}}, run, {"map": 0.5, "recip_rank": 0.5, "P_1": 0.0})
    sets = [{one.name for one in every.all_changes} for every in (found.explanation, *found.alternatives)]
    assert {"compat='9.0.8'", "ties='docno'"} in sets
    run = {"q": {"A": 0.1000000001, "a": 0.1, "c": 0.05}}
    scores = {"map": 0.8333, "recip_rank": 1.0, "P_1": 1.0, "P_2": 0.5}
    found = treckon.crosscheck({"q": {"a": -1, "c": 1}}, run, scores)
    sets = [{one.name for one in every.all_changes} for every in (found.explanation, *found.alternatives)]
    assert {"compat='9.0.8'", "every judged document is relevant"} in sets


def many_queries(n=60):
    """Ties in every third query, unjudged documents, and a query that the run lacks."""
    rng = random.Random(1)
    qrels, run = {}, {}
    for number in range(n):
        qrels[f"q{number}"] = {f"d{i}": rng.choice((0, 0, 1, 2)) for i in range(10)} | {"d0": 1}
        scores = rng.choices(range(5), k=14) if number % 3 == 0 else rng.sample(range(50), 14)
        run[f"q{number}"] = dict(zip(rng.sample([f"d{i}" for i in range(20)], 14), map(float, scores), strict=True))
    del run["q7"]
    return qrels, run


def made_by(qrels, run, **conventions):
    measures = ["AP", "P@5", "RR", "nDCG(gain='exp2')@5"]
    evaluation = treckon.evaluate(qrels, run, measures, **conventions)
    names = [str(measure).replace("(gain='exp2')", "") for measure in evaluation.measures]
    rows = [
        (query, name, f"{value:.4f}")
        for query, values in evaluation.per_query.items()
        for name, value in zip(names, values.values(), strict=True)
    ]
    return rows + [(None, name, f"{value:.4f}") for name, value in zip(names, evaluation.means.values(), strict=True)]


@pytest.mark.parametrize("sample", [24, 1000])
@pytest.mark.parametrize(
    "conventions",
    [
        {"ties": "input"},
        {"ties": "docno", "missing": "zero"},
        {"ties": "optimistic", "depth": 5},
        {"ties": "input", "depth": 5, "missing": "zero"},
    ],
)
def test_a_sample_of_many_queries_leaves_the_explanation_as_it_is(monkeypatch, sample, conventions):
    """Also where one value is explained by nothing. With a sample of 1000 there is none."""
    monkeypatch.setattr(search, "SAMPLE", sample)
    qrels, run = many_queries()
    rows = made_by(qrels, run, **conventions)
    found = treckon.crosscheck(qrels, run, rows, most=2)
    assert found.unexplained == ()
    expected = {f"{key}={value!r}" for key, value in conventions.items()} | {"gain='exp2'"}
    assert {one.name for one in found.explanation.all_changes} == expected
    assert {one.name for one in found.explanation.own["nDCG@5"].added} == {"gain='exp2'"}
    rows[0] = (rows[0][0], "AP", "0.9999")
    found = treckon.crosscheck(qrels, run, rows, most=2)
    assert [(one.query, one.name) for one in found.unexplained] == [(rows[0][0], "AP")]
    assert {one.name for one in found.explanation.all_changes} == expected


def test_a_sample_is_of_queries_that_disagree_and_of_others(monkeypatch):
    seen = []
    sampled = search.Search._sampled
    monkeypatch.setattr(search.Search, "_sampled", lambda *arguments: seen.append(sampled(*arguments)) or seen[-1])
    qrels, run = many_queries()
    rows = made_by(qrels, run, ties="input")
    treckon.crosscheck(qrels, run, rows, most=1)
    wrong = {one.query for one in treckon.crosscheck(qrels, run, rows, most=0).disagreements if one.query}
    assert len(seen[0]) == search.SAMPLE and "q7" not in seen[0]
    assert len(wrong.intersection(seen[0])) >= search.SAMPLE // 2
    treckon.crosscheck(qrels, dict(list(run.items())[: 2 * search.SAMPLE - 1]), rows[:40], most=1)
    assert seen[1] == []
