"""The search of a cross-check against its own space: numbers that some changes make are explained by no larger ones."""

import random

import pytest

import treckon
from treckon.analysis.crosschecking.bench import Bench
from treckon.analysis.crosschecking.changes import evaluations
from treckon.analysis.crosschecking.matching import Space, Target, level_of
from treckon.analysis.crosschecking.pairing import add_pairings
from treckon.analysis.crosschecking.printed import read_scores

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


def space_of(qrels, run, scores):
    """What a cross-check of these scores searches, with single changes of single measures."""
    evaluator = treckon.Evaluator(qrels, ())
    judged = frozenset(evaluator.query_ids)
    printed = read_scores(scores, judged)
    by_name = {}
    for one in printed.values:
        by_name.setdefault(one.name, []).append(one)
    targets = [Target(name, (treckon.parse(name),), values, judged) for name, values in by_name.items()]
    space = Space(Bench(evaluator, run, {}, treckon.parse("AP")), targets, printed, {}, evaluator)
    add_pairings(space)
    space.extend(1, range(len(targets)))
    return space


def as_printed(space, rng, per_query):
    """Lines that up to three changes make, and what these weigh together; None where they don't go together."""
    n_changes = rng.choice((1, 1, 2, 2, 3))
    n_evaluation = rng.randint(0, min(2, n_changes))
    changes = rng.choice([one for one in evaluations(space.changes, n_evaluation) if len(one) == n_evaluation])
    rule = rng.randrange(len(space.rules)) if n_changes > n_evaluation and rng.random() < 0.6 else 0
    has_own = n_changes > n_evaluation + (rule > 0)
    own = rng.randrange(len(space.targets)) if has_own else None  # the measure with a change of its own
    evaluated = space.evaluate(changes)
    used = {*changes, *space.rules[rule].changes}
    lines = []
    for number, target in enumerate(space.targets):
        variant = rng.choice(space.variants[number]) if number == own else space.variants[number][0]
        values = None if evaluated is None else evaluated.values_of(variant)
        if values is None:
            return None
        used.update(variant.changes)
        frame = evaluated.frame(level_of(variant.measure, 1))
        if not frame.n[rule]:
            return None
        if per_query:
            rows = zip(evaluated.query_ids, evaluated.by_query(variant, rule), strict=True)
            lines += [f"{target.name}\t{query}\t{value:.4f}\n" for query, value in rows if value is not None]
        lines.append(f"{target.name}\tall\t{evaluated.means([variant], values[:, None], frame)[rule, 0]:.4f}\n")
    return "".join(lines), sum(one.weight for one in used)


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
        made = as_printed(space_of(qrels, run, evaluation if per_query else means), rng, per_query)
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
