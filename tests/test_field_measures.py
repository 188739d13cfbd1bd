"""The measures by the field's names: the numbers that other tools print, the oracle, the closed forms for ties."""

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

import oracle_field
import treckon
import treckon.measures  # noqa: F401  (fills the registry)
from treckon.measures import registry
from treckon.measures.parameters import BOOL, DISCOUNT, GAIN, INT, Argument, Cutoffs, Pairs
from treckon.measures.registry import (
    BOUNDED,
    GROWS_WITH_CUTOFF,
    IGNORES_LEVEL,
    IGNORES_ORDER,
    MONOTONE,
    PERFECT_IS_1,
    VIEW_RANKING,
    VIEW_SUBTOPICS,
    MeasureRecord,
)

FIELD = [measure for measure in registry.field_measures() if measure.view == VIEW_RANKING]
DIVERSITY = [measure for measure in registry.field_measures() if measure.view == VIEW_SUBTOPICS]
WITH_CLOSED_FORM = [measure for measure in FIELD if measure.expected is not None]
WITHOUT_ORDER = [measure for measure in FIELD if IGNORES_ORDER in measure.traits]


def by_name(measures: Sequence[MeasureRecord]) -> Any:
    return pytest.mark.parametrize("measure", measures, ids=lambda measure: measure.name)


def value_of(
    name: str,
    grades: Mapping[str, int],
    groups: Sequence[Sequence[str]],
    highest_grade: int | None = None,
    ties: str = "input",
    level: int = 1,
) -> float:
    """The value of a ranking given as groups of tied documents; `highest_grade` is that of another query."""
    scores = {docno: -place for place, group in enumerate(groups) for docno in group}
    qrels = {"q": dict(grades)}
    if highest_grade is not None:
        qrels["other"] = {"another": highest_grade}
    return treckon.evaluate(qrels, {"q": scores}, name, ties=ties, level=level).per_query["q"][name]


def in_order(ranking: Sequence[str]) -> list[list[str]]:
    return [[docno] for docno in ranking]


# What other tools print. d5 is not retrieved, u is not judged.

T1 = {"d1": 3, "d2": 2, "d3": 0, "d4": 1, "d5": 2}
RANKING = ["d2", "u", "d1", "d3", "d4"]

PEERS = [  # the tool, our name, its value
    ("gdeval", "ERR(max_rel=4)@1", 0.1875),
    ("gdeval", "ERR(max_rel=4)@3", 0.30599),
    ("gdeval", "ERR(max_rel=4)@5", 0.31170),
    ("gdeval", "nDCG(gain='exp2')@1", 0.42857),
    ("gdeval", "nDCG(gain='exp2')@3", 0.62543),
    ("gdeval", "nDCG(gain='exp2')", 0.63629),
    ("ir_measures", "nDCG(gain={1: 1, 2: 3, 3: 7})", 0.636289),
    ("ranx", "DCG", 3.886853),
    ("ranx", "DCG@3", 3.5),
    ("ranx", "DCG(gain='exp2')", 6.886853),
    ("ranx", "DCG(gain='exp2')@3", 6.5),
    ("ranx", "nDCG(rel=2)@3", 0.665164),
    ("cwl_eval", "SDCG(max_rel=3)@3", 0.547492),
    ("cwl_eval", "SDCG(max_rel=3)@5", 0.439422),
    # C/W/L
    ("cwl_eval", "CWL_P@3", 0.55556),
    ("cwl_eval", "CWL_P(of='ETU')@3", 1.66667),
    ("cwl_eval", "CWL_P(of='ED')@3", 3),
    ("cwl_eval", "CWL_P(of='residual')@3", 0.33333),
    ("cwl_eval", "CWL_RBP", 0.28864),
    ("cwl_eval", "CWL_RBP(of='ETU')", 1.4432),
    ("cwl_eval", "CWL_RBP(of='ED')", 5),
    ("cwl_eval", "CWL_RBP(of='residual')", 0.48768),
    ("cwl_eval", "CWL_RBP(p=0.9)", 0.16954),
    ("cwl_eval", "CWL_RBP(p=0.9, of='residual')", 0.68049),
    ("cwl_eval", "NPV(rate=0.25)", 0.28864),
    ("cwl_eval", "SDCG(of='ETU')@3", 1.16667),
    ("cwl_eval", "SDCG(of='ED')@3", 2.13093),
    ("cwl_eval", "SDCG(of='residual')@3", 0.29608),
    ("cwl_eval", "CWL_RR", 0.66667),
    ("cwl_eval", "CWL_AP", 0.56667),
    ("cwl_eval", "CWL_AP(of='ETU')", 1.0625),
    ("cwl_eval", "CWL_AP(of='ED')", 1.875),
    ("cwl_eval", "CWL_AP(max_rel=1)", 0.755556),
    ("cwl_eval", "INST", 0.474478),
    ("cwl_eval", "INST(of='ETU')", 0.84213),
    ("cwl_eval", "INST(of='ED')", 1.77486),
    ("cwl_eval", "INST(T=2)", 0.326273),
    ("cwl_eval", "INST(of='residual')", 0.27368),
    ("cwl_eval", "INSQ", 0.370264),
    ("cwl_eval", "INSQ(of='ETU')", 0.9537),
    ("cwl_eval", "INSQ(T=2)", 0.263953),
    ("cwl_eval", "INSQ(of='residual')", 0.40945),
    ("cwl_eval", "BPM@3", 0.555556),
    ("cwl_eval", "BPM(T=2)@5", 0.4),
    ("cwl_eval", "BPMD@3", 0.55556),
    ("cwl_eval", "TBG(h=3)", 0.29478),
    ("cwl_eval", "TBG(h=3, of='ETU')", 1.42891),
    ("cwl_eval", "TBG(h=3, of='ED')", 4.84732),
    ("cwl_eval", "U(L=5)", 0.44444),
    ("cwl_eval", "U(L=5, of='ETU')", 1.33333),
    ("cwl_eval", "U(L=5, of='ED')", 3),
    ("cwl_eval", "IFT(model='goal')", 0.43398),
    ("cwl_eval", "IFT(model='goal', of='ETU')", 1.32672),
    ("cwl_eval", "IFT(model='goal', of='ED')", 3.05711),
    ("cwl_eval", "IFT(model='rate')", 0.42574),
    ("cwl_eval", "IFT(model='rate', of='ETU')", 1.06663),
    ("cwl_eval", "IFT(model='rate', of='ED')", 2.50534),
    ("cwl_eval", "IFT", 0.48986),
    ("cwl_eval", "IFT(of='ETU')", 0.88845),
    ("cwl_eval", "IFT(of='ED')", 1.81368),
    ("cwl_eval", "SET@5", 0.42445),
    ("cwl_eval", "SET(of='ETU')@5", 1.4853),
    ("cwl_eval", "SET(of='ED')@5", 3.49938),
    ("cwl_eval", "NERR8@5", 0.6),
    ("cwl_eval", "NERR8(of='ETU')@5", 1.0),
    ("cwl_eval", "NERR8(of='ED')@5", 1.66667),
    ("cwl_eval", "NERR9@5", 0.608696),
    ("cwl_eval", "NERR9(of='ETU')@5", 0.77778),
    ("cwl_eval", "NERR9(of='ED')@5", 1.27778),
    ("cwl_eval", "NERR10", 0.596603),
    ("cwl_eval", "NERR10(of='ETU')", 0.93667),
    ("cwl_eval", "NERR10(of='ED')", 1.57),
    ("cwl_eval", "NERR10(p=0.8)", 0.594595),
    ("cwl_eval", "NERR11", 0.609023),
    ("cwl_eval", "NERR11(of='ETU')", 0.75),
    ("cwl_eval", "NERR11(of='ED')", 1.23148),
    ("cwl_eval", "NERR11(T=2)", 0.598477),
    ("cwl_eval", "TrAP", 0.28333),
    ("cwl_eval", "TrAP(of='ETU')", 1.70),
    # Rank-biased precision
    ("ir_measures", "RBP", 0.40992),
    ("ir_measures", "RBP(rel=2)", 0.328),
    ("ir_measures", "RBP(p=0.5)", 0.65625),
    ("trec_eval 10.0 as it is meant", "RBP(max_rel=3)", 0.2886),
    ("trec_eval 10.0 as it is meant", "RBP(p=0.9, max_rel=3)", 0.1695),
    ("trec_eval 10.0 as it is meant", "RBPResidual", 0.4877),
    ("trec_eval 10.0 as it is meant", "RBPResidual(p=0.9)", 0.6805),
    # Agreement
    ("ir_measures", "Compat(depth=0)", 0.457198),
    ("ir_measures", "Compat(p=0.8, depth=0)", 0.405048),
    ("ir_measures", "Compat(depth=0, normalize=False)", 0.440736),
    ("ir_measures", "Compat(p=0.8, depth=0, normalize=False)", 0.395177),
    ("Compatibility", "Compat", 0.597293),
    ("Compatibility", "Compat(p=0.8)", 0.469540),
    ("ir_measures", "Accuracy", 0.5),
    ("ir_measures", "Accuracy@3", 0.5),
    ("ir_measures", "Accuracy(rel=2)", 0.8333),
    # Coverage, counts, sets
    ("ir_measures", "Judged@2", 0.5),
    ("ir_measures", "Judged@3", 0.6667),
    ("ir_measures", "Judged@10", 0.8),
    ("ir_measures", "Judged", 0.8),
    ("trec_eval 10.0", "Unjudged@5", 0.2),
    ("trec_eval 10.0", "Unjudged@10", 0.1),
    ("BEIR", "Hole@1", 0),
    ("BEIR", "Hole@2", 0.5),
    ("BEIR", "Hole@3", 0.3333),
    ("BEIR", "Hole@10", 0.1),
    ("ir_measures", "NumRet(rel=1)", 3),
    ("ir_measures", "NumRet(rel=2)", 2),
    ("ranx", "Hits", 3),
    ("ranx", "Hits@3", 2),
    ("rexmex", "P(adaptive=True)@2", 0.5),
    ("rexmex", "P(adaptive=True)@3", 0.6667),
    ("rexmex", "P(adaptive=True)@10", 0.6),
    ("ranx", "Success@1", 1),
    ("cornac", "NCRR", 0.7360),
    ("BEIR", "R_cap@1", 1),
    ("BEIR", "R_cap@2", 0.5),
    ("BEIR", "R_cap@3", 0.6667),
    ("BEIR", "R_cap@10", 0.75),
    ("ranx", "F", 0.6667),
    ("ranx", "F@3", 0.5714),
    ("ranx", "F(rel=3)", 0.3333),
    ("trec_eval", "SetF", 0.6667),
    ("the textbook, F2", "SetF(beta=2)", 0.7143),
    ("trec_eval with x = 2, the square", "SetF(beta=1.4142135623730951)", 0.6923),
    ("ir_measures", "SetP(relative=True)", 0.75),
    ("ir_measures", "SetAP", 0.45),
    ("ir_measures", "P(judged_only=True)@3", 0.6667),
    ("ir_measures", "nDCG(judged_only=True)@3", 0.739812),
    ("ir_measures", "AP(judged_only=True)", 0.6875),
    # Average precision by its denominators
    *(("trec_eval", f"AP@{k}", value) for k, value in ((2, 0.25), (3, 0.4167), (5, 0.5667), (10, 0.5667))),
    *(("rexmex", f"AP(denominator='min_k')@{k}", value) for k, value in ((2, 0.5), (3, 0.5556), (5, 0.5667))),
    *(("torchmetrics", f"AP(denominator='retrieved')@{k}", value) for k, value in ((2, 1.0), (3, 0.8333), (5, 0.7556))),
]


@pytest.mark.parametrize(("tool", "name", "value"), PEERS)
def test_what_other_tools_print(tool: str, name: str, value: float):
    found = value_of(name, T1, in_order(RANKING))
    digits = len(repr(value).partition(".")[2])
    assert found == pytest.approx(value, abs=0.51 * 10.0**-digits if isinstance(value, float) else 1e-9), tool


def test_graded_gains_that_are_not_scaled():
    """ranx and trectools leave grades as they are: the highest grade times ours."""
    for p, value in ((0.8, 0.86592), (0.9, 0.50861)):
        assert 3 * value_of(f"RBP(p={p}, max_rel=3)", T1, in_order(RANKING)) == pytest.approx(value, abs=5e-6)


def test_residual_without_the_tail():
    """trectools' residual: of the run's own documents alone."""
    name = "RBPResidual"
    assert value_of(name, T1, in_order(RANKING)) - 0.8**5 == pytest.approx(0.16)


def test_reciprocal_rank_of_a_collection():
    """MS MARCO's MRR@10: hits at 2, 11 and none, over all three reference queries."""
    qrels = {query: {"x": 1} for query in ("1", "2", "3")}
    run = {"1": ["a", "x"], "2": [*"abcdefghij", "x"], "3": ["a"]}
    assert treckon.evaluate(qrels, run, "RR@10")["RR@10"] == pytest.approx(0.16667, abs=5e-6)


def test_compatibility_ignores_where_scores_lie():
    run = {"q": {docno: -place for place, docno in enumerate(RANKING)}}
    lower = {"q": {docno: score - 10 for docno, score in run["q"].items()}}
    values = [treckon.evaluate({"q": T1}, one, "Compat")["Compat"] for one in (run, lower)]
    assert values[0] == values[1]


def test_expected_values_of_four_tied_documents():
    """tie-aware-retrieval-metrics: two of three relevant documents among four that tie."""
    grades, tied = {"a": 1, "b": 1, "c": 1}, [["a", "b", "x", "y"]]
    assert value_of("nDCG@2", grades, tied, ties="expected") == pytest.approx(0.5)
    assert value_of("nDCG@2", grades, tied, ties="optimistic") == pytest.approx(1)
    assert value_of("nDCG@2", grades, tied, ties="pessimistic") == 0
    assert value_of("RR@2", grades, tied, ties="expected") == pytest.approx(0.6667, abs=5e-5)


def test_holes_are_documents_that_no_query_has():
    qrels = {"1": {"a": 1, "b": -1}, "2": {"c": 0}, "3": {}}
    ranking = ["x", "a", "c", "y", "b", "z"]
    run = {query: {docno: -place for place, docno in enumerate(ranking)} for query in ("1", "2", "3")}
    lines = "".join(f"{q} Q0 {docno} 0 {score} tag\n" for q, scores in run.items() for docno, score in scores.items())
    for form in (run, lines.encode(), {query: ranking for query in run}):
        found = treckon.evaluate(qrels, form, ["Hole@3", "Hole@6", "Hole@10", "Judged@3"]).per_query
        for query, judged in (("1", 1 / 3), ("2", 1 / 3), ("3", 0)):
            assert list(found[query].values()) == pytest.approx([1 / 3, 0.5, 0.3, judged])


def test_holes_follow_the_order_and_the_depth():
    run = {"q": {"a": 1, "x": 1, "y": 0}}
    for ties, value in (("trec", 1), ("docno", 0), ("optimistic", 0), ("pessimistic", 1)):
        assert treckon.evaluate({"q": {"a": 1}}, run, "Hole@1", ties=ties)["Hole@1"] == value
    assert treckon.evaluate({"q": {"a": 1}}, run, "Hole@3", depth=2)["Hole@3"] == pytest.approx(1 / 3)
    assert treckon.evaluate({"q": {"a": 1}}, run, "Hole@3", unjudged="condensed")["Hole@3"] == 0
    assert treckon.evaluate({"q": {"a": 1}}, run, "Hole@1", ties="expected")["Hole@1"] == pytest.approx(0.5, abs=0.2)


@pytest.mark.parametrize(
    "name",
    [
        "IFT(T=1000000, b1=0)",  # 0 times e^1000000
        "IFT(R1=1000000, A=1000000, R2=1000000)",
        "ERR(max_rel=1000)",
        "INST(T=0.5)",
        "U(L=1)",
        "SET(beta=0.001)@2000",
        "RBP(p=1)",
        "RBPResidual(p=1)",
        "Compat(p=0)",
        "RBO(p=0.9999, extrapolated=True)",
        "nDCG(discount=('jk', 1.0000001), gain={0: 1e308, 1: 1e308})",
    ],
)
def test_values_at_the_ends_of_arguments_are_numbers(name: str):
    for grades, ranking in (({"a": 2**31 - 1, "b": 1, "c": 0}, ["c", "x", "a"]), ({"a": 0}, []), ({"a": -1}, ["a"])):
        for ties in ("input", "expected"):
            assert math.isfinite(value_of(str(treckon.parse(name)), grades, in_order(ranking), ties=ties))


def test_highest_grade_is_that_of_all_queries():
    assert value_of("ERR@1", {"a": 1}, [["a"]]) == 0.5
    assert value_of("ERR@1", {"a": 1}, [["a"]], highest_grade=4) == 1 / 16
    assert value_of("ERR(max_rel=4)@1", {"a": 1}, [["a"]]) == 1 / 16


# Worked examples

EXAMPLES = [pytest.param(example, id=example.name) for measure in FIELD for example in measure.examples]


@pytest.mark.parametrize("example", EXAMPLES)
def test_worked_example(example: registry.Example):
    grades = {docno: int(grade) for docno, _, grade in (one.partition("=") for one in example.qrels.split())}
    found = value_of(example.name, grades, in_order(example.run.split()))
    assert found == pytest.approx(example.value, abs=5.1e-7), example.why


# Random names and queries against the oracle


def random_value(argument: Argument, random_: random.Random) -> Any:
    if argument.choices:
        return random_.choice(argument.choices)
    if argument.type == BOOL:
        return random_.choice([False, True])
    if argument.type == GAIN:
        return random_.choice(["linear", "exp2", "binary", ("binary", 2), {1: 3, 2: 9}, {0: 0.5, 3: 1}])
    if argument.type == DISCOUNT:
        return random_.choice(["log2", "none", ("jk", 2), ("jk", 3.5)])
    if argument.name == "depth":
        return random_.choice([0, 1, 3, 7, 50])
    numbers = [0, 1, 2, 3, 4] if argument.type == INT else [argument.default, 0.0, 0.3, 0.5, 0.8, 1.0, 2.0, 3.5]
    fitting = [
        number
        for number in numbers
        if (argument.lowest is None or argument.lowest <= number)
        and (argument.highest is None or number <= argument.highest)
    ]
    return random_.choice(fitting)


def random_name(measure: MeasureRecord, random_: random.Random) -> str:
    kind = measure.parameter_kind
    given = [f"{one.name}={random_value(one, random_)!r}" for one in kind.arguments if random_.random() < 0.4]
    name = measure.name + (f"({', '.join(given)})" if given else "")
    if kind.at == "cutoff" and (kind.at_required or random_.random() < 0.6):
        return f"{name}@{random_.choice([1, 2, 3, 4, 5, 7, 10, 20])}"
    return f"{name}@{random_.choice([0, 0.1, 0.3, 0.5, 0.7, 1])}" if kind.at == "recall" else name


def random_query(size: int, random_: random.Random) -> tuple[dict[str, int], list[str]]:
    """Grades and a ranking that share a part of their documents."""
    docnos = [chr(ord("a") + i) for i in range(size)]
    judged = random_.sample(docnos, random_.randint(1, size))
    grades = {docno: random_.choice([0, 0, 1, 1, 2, 3, -1]) for docno in judged}
    return grades, random_.sample(docnos, random_.randint(0, size))


def in_groups(ranking: Sequence[str], largest: int, random_: random.Random) -> Iterator[Sequence[str]]:
    while ranking:
        n = random_.randint(1, largest)
        yield ranking[:n]
        ranking = ranking[n:]


@by_name(FIELD)
def test_values_are_the_oracle_s(measure: MeasureRecord):
    random_ = random.Random(measure.name)
    for _ in range(40):
        name, (grades, ranking) = random_name(measure, random_), random_query(9, random_)
        highest = max(3, *grades.values())
        expected = oracle_field.value(name, oracle_field.Query(grades, ranking, highest))
        found = value_of(parsed(name), grades, in_order(ranking), highest)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), (name, grades, ranking)


def parsed(name: str) -> str:
    """The name as the package writes it."""
    return str(treckon.parse(name))


# Traits with any arguments


def worth(grades: Mapping[str, int], docno: str) -> int:
    return max(grades.get(docno, -1), -1)


def with_exchange(grades: Mapping[str, int], ranking: Sequence[str], random_: random.Random) -> list[str]:
    """The ranking, or the same with a document exchanged with a worse one directly above it."""
    better = [i for i in range(1, len(ranking)) if worth(grades, ranking[i]) > worth(grades, ranking[i - 1])]
    if not better:
        return list(ranking)
    i = random_.choice(better)
    return [*ranking[: i - 1], ranking[i], ranking[i - 1], *ranking[i + 1 :]]


def perfect(grades: Mapping[str, int]) -> list[str]:
    return sorted((docno for docno in grades if grades[docno] >= 0), key=lambda docno: -grades[docno])


def lowest_that_counts(measure: treckon.Measure, level: int) -> int:
    """The lowest grade that is relevant and gains."""
    gain = measure.arguments.get("gain")
    of_gain = gain[1] if isinstance(gain, tuple) else 1
    return max(1, of_gain, measure.arguments.get("rel", level))


@by_name(FIELD)
def test_traits_hold_with_any_arguments_and_level(measure: MeasureRecord):
    random_ = random.Random(measure.name)
    for _ in range(30):
        asked = treckon.parse(random_name(measure, random_))
        if isinstance(asked.arguments.get("gain"), dict):
            asked = asked(gain="exp2")  # gains from a mapping may fall as grades rise
        (grades, ranking), level = random_query(9, random_), random_.choice([1, 2, 3])

        def value(order: Sequence[str], at: int | None = None, level: int = level) -> float:
            name = str(asked if at is None else asked @ at)  # noqa: B023
            return value_of(name, grades, in_order(order), 3, level=level)  # noqa: B023

        about, found = (str(asked), level, grades, ranking), value(ranking)
        for trait in asked.traits:
            if trait == BOUNDED:
                assert -1e-12 <= found <= 1 + 1e-12, about
            elif trait == PERFECT_IS_1 and max(grades.values()) >= lowest_that_counts(asked, level):
                assert value(perfect(grades)) == pytest.approx(1, rel=1e-12), about
            elif trait == MONOTONE:
                assert value(with_exchange(grades, ranking, random_)) >= found - 1e-12, about
            elif trait == GROWS_WITH_CUTOFF:
                values = [value(ranking, at) for at in (1, 2, 3, 5, 8, 20)]
                assert all(low <= high + 1e-12 for low, high in pairwise(values)), about
            elif trait == IGNORES_LEVEL:
                assert value(ranking, level=1) == value(ranking, level=3), about
            elif trait == IGNORES_ORDER:
                assert value(random_.sample(ranking, len(ranking))) == pytest.approx(found, rel=1e-12), about


@pytest.mark.parametrize(
    ("name", "trait"),
    [
        ("CWL_RBP(of='ED')", BOUNDED),
        ("AP(denominator='retrieved')", MONOTONE),
        ("Compat(normalize=False)", PERFECT_IS_1),
        ("ERR_IA(as_ndeval=True)@1", BOUNDED),
    ],
)
def test_arguments_that_break_a_trait(name: str, trait: str):
    measure = treckon.parse(name)
    assert trait in measure.record.traits
    assert trait not in measure.traits
    assert set(measure.traits) < set(measure.record.traits)


def test_graded_average_precision_can_pass_1_above_level_1():
    """At level 2, R is 1, and two documents of grade 1 gain besides."""
    grades = {"a": 2, "b": 1, "c": 1}
    assert value_of("TrAP(rel=2)", grades, in_order("abc")) == pytest.approx(1 + 0.5 * 1.5 / 2 + 0.5 * 2 / 3)
    with pytest.raises(treckon.errors.ParameterError, match="^no_relevant: expected measures from 0 to 1 with 'one'"):
        treckon.evaluate({"q": grades}, {"q": ["a"]}, "TrAP", no_relevant="one")
    with pytest.raises(treckon.errors.ParameterError, match=r", found CWL_RBP\(of='ED'\)$"):
        treckon.evaluate({"q": grades}, {"q": ["a"]}, "CWL_RBP(of='ED')", no_relevant="one")


@by_name(WITH_CLOSED_FORM)
def test_closed_forms_are_means_over_all_orders(measure: MeasureRecord):
    random_ = random.Random(measure.name)
    walks_a_thousand_ranks = any(one.name == "of" for one in measure.parameter_kind.arguments)
    for _ in range(8 if walks_a_thousand_ranks else 25):
        name, (grades, ranking) = random_name(measure, random_), random_query(7, random_)
        groups = list(in_groups(ranking, 3 if walks_a_thousand_ranks else 4, random_))
        highest = max(3, *grades.values())
        expected = oracle_field.mean_value(name, grades, groups, highest)
        found = value_of(parsed(name), grades, groups, highest, ties="expected")
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), (name, grades, groups)


@by_name(WITHOUT_ORDER)
def test_measures_without_an_order_are_their_own_means(measure: MeasureRecord):
    random_ = random.Random(measure.name)
    for _ in range(25):
        name, (grades, ranking) = random_name(measure, random_), random_query(7, random_)
        groups = list(in_groups(ranking, 4, random_))
        highest = max(3, *grades.values())
        expected = oracle_field.mean_value(name, grades, groups, highest)
        found = value_of(parsed(name), grades, groups, highest, ties="expected")
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), (name, grades, groups)


@by_name(WITH_CLOSED_FORM)
def test_closed_forms_without_ties_are_the_values(measure: MeasureRecord):
    random_ = random.Random(measure.name)
    for _ in range(20):
        name, (grades, ranking) = parsed(random_name(measure, random_)), random_query(12, random_)
        value = value_of(name, grades, in_order(ranking))
        assert value_of(name, grades, in_order(ranking), ties="expected") == pytest.approx(value, rel=1e-12, abs=1e-14)


def orders_of(groups: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    for chosen in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [docno for group in chosen for docno in group]


OF_TREC_EVAL = [
    measure for measure in registry.all_measures() if measure.since is not None and measure.expected is not None
]


def names_of(measure: MeasureRecord) -> list[str]:
    if isinstance(measure.parameter_kind, Cutoffs):
        return [f"{measure.name}_{cutoff}" for cutoff in (1, 2, 3, 5, 20)]
    return [measure.name, *([f"{measure.name}.1=3,2=0.5,-1=0.25"] if isinstance(measure.parameter_kind, Pairs) else [])]


@by_name(OF_TREC_EVAL)
def test_closed_forms_of_trec_eval_s_measures_are_means_over_all_orders(measure: MeasureRecord):
    """Of their own values: that these are right is what tests of the command show."""
    random_ = random.Random(measure.name)
    for _ in range(6):
        grades, ranking = random_query(6, random_)
        groups = list(in_groups(ranking, 4, random_))
        orders = list(orders_of(groups))
        for name in map(str, treckon.parse_all(names_of(measure))):
            mean = math.fsum(value_of(name, grades, in_order(order), 3) for order in orders) / len(orders)
            found = value_of(name, grades, groups, 3, ties="expected")
            assert found == pytest.approx(mean, rel=1e-9, abs=1e-12), (name, grades, groups)


CLAIMED = "Hits P R R_cap F Success RR AP DCG nDCG RBP RBPResidual Judged Unjudged".split()


COUNTS = "NumRet NumRel NumRelRet".split()  # the same in every order


def test_closed_forms_that_the_guide_claims():
    assert set(CLAIMED) <= {measure.name for measure in WITH_CLOSED_FORM}
    assert set(COUNTS) <= {measure.name for measure in WITHOUT_ORDER}


def test_expected_ties_of_large_groups_stay_finite_and_right():
    """One group of 4000 documents, half of them relevant: no number on the way underflows or overflows."""
    relevant = [f"r{i}" for i in range(2000)]
    tied = [[*relevant, *(f"n{i}" for i in range(2000))]]
    grades = dict.fromkeys(relevant, 1)
    assert value_of("P@1000", grades, tied, ties="expected") == pytest.approx(0.5)
    assert value_of("Success@1000", grades, tied, ties="expected") == pytest.approx(1)
    first = [math.comb(4000 - i, 1999) / math.comb(4000, 2000) for i in range(1, 2002)]  # chance of rank i
    mean = math.fsum(chance / i for i, chance in enumerate(first, 1))
    assert value_of("RR", grades, tied, ties="expected") == pytest.approx(mean, rel=1e-12)
    for name in ("AP(denominator='retrieved')@1000", "AP@1000", "Accuracy@1000"):
        assert 0.1 < value_of(name, grades, tied, ties="expected") < 0.6
    assert value_of("Accuracy@1000", grades, tied, ties="expected") == pytest.approx(0.5)


# Diversity


def diversity_of(
    name: str, grades: Mapping[str, Mapping[str, int]], ranking: Sequence[str], form: str = "dict"
) -> float:
    """The value of a ranking; the grades are those of each subtopic."""
    qrels: Any = {"q": grades}
    scores = {docno: -place for place, docno in enumerate(ranking)}
    run: Any = {"q": scores}
    if form == "text":
        run = "".join(f"q Q0 {docno} 0 {score} tag\n" for docno, score in scores.items()).encode() or b"x Q0 y 0 1 tag"
        lines = [f"q {one} {docno} {grade}\n" for one, of_one in grades.items() for docno, grade in of_one.items()]
        qrels = "".join(lines).encode()
    return treckon.evaluate(qrels, run, name, qrels_format="qrels_jg", missing="zero").per_query["q"][name]


T2 = {"a": {"A": 1}, "b": {"B": 1, "D": 1}, "c": {"C": 1}}
DIVERSE_RANKING = ["A", "D", "E", "B"]

NDEVAL = [
    ("ERR_IA(as_ndeval=True)@1", 1.0),
    ("ERR_IA@1", 1 / 3),  # ndeval leaves out the division
    ("ERR_IA@5", 0.393343),
    ("ERR_IA@10", 0.390776),
    ("ERR_IA@20", 0.390730),
    ("nERR_IA@5", 0.829787),
    ("alpha_DCG(as_ndeval=True)@1", 1.0),
    ("alpha_DCG@5", 0.405289),
    ("alpha_DCG@10", 0.399879),
    ("alpha_DCG@20", 0.399741),
    ("alpha_nDCG@1", 1.0),
    ("alpha_nDCG@5", 0.786896),
    ("alpha_nDCG(alpha=0.9)@5", 0.770009),
    ("NRBP", 0.390625),
    ("nNRBP", 0.862069),
    ("AP_IA", 0.5),
    ("P_IA@1", 0.333333),
    ("P_IA@5", 0.2),
    ("StRecall@1", 0.333333),
    ("StRecall@5", 0.666667),
]


@pytest.mark.parametrize(("name", "value"), NDEVAL)
def test_what_ndeval_prints(name: str, value: float):
    assert diversity_of(name, T2, DIVERSE_RANKING) == pytest.approx(value, abs=5.1e-7)


@pytest.mark.parametrize(
    "example", [pytest.param(one, id=one.name) for measure in DIVERSITY for one in measure.examples]
)
def test_worked_example_of_diversity(example: registry.Example):
    grades = {
        str(number): {docno: int(grade) for docno, _, grade in (one.partition("=") for one in group.split())}
        for number, group in enumerate(example.qrels.split("|"))
    }
    assert diversity_of(example.name, grades, example.run.split()) == pytest.approx(example.value, abs=5.1e-7), (
        example.why
    )


def random_subtopics(random_: random.Random) -> dict[str, dict[str, int]]:
    docnos = [chr(ord("a") + i) for i in range(9)]
    names = random_.sample(["s1", "s10", "s2", "t"], random_.randint(1, 4))
    return {
        name: {docno: random_.choice([0, 0, 1, 1, 2, -1]) for docno in random_.sample(docnos, random_.randint(1, 6))}
        for name in names
    }


@by_name(DIVERSITY)
def test_diversity_is_the_oracle_s(measure: MeasureRecord):
    random_ = random.Random(measure.name)
    for _ in range(80):
        name, grades = random_name(measure, random_), random_subtopics(random_)
        _, ranking = random_query(9, random_)
        expected = oracle_field.value(name, oracle_field.SubtopicQuery(grades, ranking))
        for form in ("dict", "text"):
            found = diversity_of(parsed(name), grades, ranking, form)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), (name, grades, ranking)


@by_name(DIVERSITY)
def test_traits_of_diversity(measure: MeasureRecord):
    random_ = random.Random(measure.name)
    cutoffs = (1, 2, 3, 5, 20) if measure.parameter_kind.at else (None,)
    for _ in range(40):
        grades, (_, ranking) = random_subtopics(random_), random_query(9, random_)
        asked = treckon.parse(random_name(measure, random_))
        values = [diversity_of(str(asked if at is None else asked @ at), grades, ranking) for at in cutoffs]
        if BOUNDED in asked.traits:
            assert all(0 <= value <= 1 + 1e-12 for value in values), asked
        if GROWS_WITH_CUTOFF in asked.traits:
            assert values == sorted(values), asked


def test_queries_without_a_relevant_subtopic_can_be_left_out():
    """As ndeval does."""
    qrels = {"q": T2, "none": {"a": {"A": 0}}}
    run = {"q": DIVERSE_RANKING, "none": ["A"]}
    for no_relevant, mean in (("zero", 1 / 3), ("skip", 2 / 3)):
        found = treckon.evaluate(qrels, run, "StRecall", qrels_format="qrels_jg", no_relevant=no_relevant)
        assert found["StRecall"] == pytest.approx(mean)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ({"q": {"s": 1}}, "qrels: query 'q': expected documents with grades, found 1"),
        ({"q": 5}, "qrels: query 'q': expected a mapping from groups to documents with grades, found int"),
        (
            {"q": {"s": {"d": "x"}}},
            "qrels: query 'q', document 'd': expected a whole number as grade, found 'x' (str)",
        ),
        (
            {"q": {1: {"d": 1}, "1": {"d": 1}}},
            "qrels: query 'q', group '1', document 'd': expected one judgement, found several",
        ),
    ],
)
def test_judgements_by_subtopic_that_are_refused(qrels: Any, message: str):
    with pytest.raises(treckon.errors.TreckonError) as caught:
        treckon.evaluate(qrels, {"q": ["d"]}, "StRecall", qrels_format="qrels_jg")
    assert str(caught.value) == message


def test_orders_of_ties_by_grade_have_no_meaning_over_subtopics():
    with pytest.raises(
        treckon.errors.ParameterError, match="^ties: expected an order that all subtopics share, found 'op"
    ):
        treckon.evaluate(b"q s d 1\n", {"q": ["d"]}, "AP_IA", qrels_format="qrels_jg", ties="optimistic")


# Huge parameters: none makes a measure take longer than its documents do. A loop up to one of these would not end.

HUGE = 10**18


def value_at(measure: MeasureRecord, at: int, ties: str = "input") -> float:
    if measure.view == VIEW_SUBTOPICS:
        return diversity_of(f"{measure.name}@{at}", T2, DIVERSE_RANKING)
    name = f"{measure.name}@{at}" if measure.since is None else f"{measure.name}_{at}"
    return value_of(name, T1, [RANKING[:2], RANKING[2:]], ties=ties)


WITH_CUTOFF = [
    measure
    for measure in registry.all_measures()
    if (getattr(measure.parameter_kind, "at", None) == "cutoff" or isinstance(measure.parameter_kind, Cutoffs))
    and measure.view in (VIEW_RANKING, VIEW_SUBTOPICS)
]


@by_name(WITH_CUTOFF)
@pytest.mark.parametrize("ties", ["input", "expected"])
def test_huge_cutoffs(measure: MeasureRecord, ties: str):
    """Behind all documents, a value stays as it is or falls with what it is divided by."""
    first, second, huge = (value_at(measure, at, ties) for at in (1000, 2000, HUGE))
    assert math.isfinite(huge)
    assert huge == first == second or 0 <= huge < second < first


def reciprocal(rank: int) -> float:
    return 1 / rank


def reciprocal_of_log(rank: int) -> float:
    return 1 / math.log2(rank + 1)


@pytest.mark.parametrize(("name", "weight"), [("ERR_IA", reciprocal), ("alpha_DCG", reciprocal_of_log)])
@pytest.mark.parametrize("alpha", [0.0, 1e-9, 1e-4, 0.01, 0.03, 1.0])
@pytest.mark.parametrize("cutoff", [1025, 1026, 2000, 100_000])
def test_sums_up_to_a_large_cutoff(name: str, weight: Callable[[int], float], alpha: float, cutoff: int):
    """One of two subtopics, at rank 1: half of 1 over the sum, here added up rank by rank."""
    total = math.fsum((1 - alpha) ** (rank - 1) * weight(rank) for rank in range(1, cutoff + 1))
    found = diversity_of(parsed(f"{name}(alpha={alpha!r})@{cutoff}"), {"s": {"a": 1}, "t": {"b": 1}}, ["a"])
    assert found == pytest.approx(0.5 / total, rel=1e-13)


def test_sums_without_end():
    """The harmonic numbers go on as the logarithm does."""
    found = diversity_of(f"ERR_IA(alpha=0)@{HUGE}", {"s": {"a": 1}, "t": {"b": 1}}, ["a"])
    assert found == pytest.approx(0.5 / (math.log(HUGE) + 0.57721566490153286), rel=1e-13)
    assert diversity_of(f"ERR_IA@{HUGE}", {"s": {"a": 1}}, ["a"]) == pytest.approx(0.5 / math.log(2), rel=1e-13)


@pytest.mark.parametrize("p", [0.0, 0.5, 0.99, 0.9999])
@pytest.mark.parametrize("normalize", [True, False])
def test_compatibility_at_a_large_depth(p: float, normalize: bool):
    name = f"Compat(p={p!r}, depth=20000, normalize={normalize})"
    expected = oracle_field.value(name, oracle_field.Query(T1, RANKING, 3))
    assert value_of(parsed(name), T1, in_order(RANKING)) == pytest.approx(expected, rel=1e-12)


# Arguments


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("AP(rel=-1)", "AP: rel: expected a whole number from 0, found -1"),
        ("AP(denominator='k')@5", "AP: denominator: expected one of 'all', 'min_k', 'retrieved', found 'k'"),
        ("AP@0", "AP: cutoff: expected a whole number from 1, found 0"),
        ("R_cap", "R_cap: cutoff: expected a number behind '@', found none"),
        ("Bpref@5", "Bpref: expected nothing behind '@', found 5"),
        ("IPrec@1.5", "IPrec: recall: expected a number from 0 to 1, found 1.5"),
        ("RBP(p=1.5)", "RBP: p: expected a number from 0 to 1, found 1.5"),
        ("nDCG(gain='cubic')", "nDCG: gain: expected 'linear', 'exp2', 'binary' or {grade: gain}, found 'cubic'"),
        ("nDCG(gain={-1: 2})", "nDCG: gain: expected 'linear', 'exp2', 'binary' or {grade: gain}, found {-1: 2}"),
        (
            "nDCG(discount=('jk', 1))",
            "nDCG: discount: expected 'log2', 'none' or ('jk', b) with b above 1, found ('jk', 1)",
        ),
        ("AP(judged_only=1)", "AP: judged_only: expected True or False, found 1"),
    ],
)
def test_arguments_that_are_refused(name: str, message: str):
    with pytest.raises(treckon.errors.ParameterError) as caught:
        treckon.parse(name)
    assert str(caught.value) == message
