"""The cross-check names why evaluators disagree, from what they printed for one small input alone."""

from functools import cache

import pytest

import treckon
from peers_input import PRINTED, QRELS, RUN, as_text


@cache
def checked(tool):
    return treckon.crosscheck(QRELS, RUN, as_text(tool))


def names(changes):
    return {one.name for one in changes}


#: The documents of query 6 are judged for no query.
RUN_6 = RUN.replace("6 Q0 m", "6 Q0 z")


# What is the same for all measures of a tool, and what single measures have besides (a "-": what they lack of it).
CAUSES = {
    "trec_eval 10.0 -c -q": ({"missing='zero'"}, {}),
    "trec_eval 9.0.8 -c -q": ({"compat='9.0.8'", "missing='zero'"}, {}),
    "trec_eval 9.0.8": ({"compat='9.0.8'"}, {}),
    "pytrec_eval": ({"compat='9.0.8'"}, {}),
    "ir_measures": (
        {"compat='9.0.8'", "missing='zero'"},
        {
            "RR@10": {"ties='input'"},  # which is the order of rising ids too: see below
            "RBP(rel=1)": {"ties='input'"},
            "NumQ": {"-missing='zero'"},
            "NumRel": {"-missing='zero'"},
            "nDCG(dcg='exp-log2')@3": {"-compat='9.0.8'"},
        },
    ),
    "ranx": (
        {"ties='input'", "negative='nonrelevant'", "missing='zero'"},
        {
            "bpref": {"0 from the first query without relevant documents on"},
            "rbp.80": {"graded, not normalised"},
        },
    ),
    "ranx, plain dicts": (
        {"negative='nonrelevant'", "missing='zero'"},
        {"bpref": {"0 from the first query without relevant documents on"}},
    ),
    "ranx, plain dicts, the run's in another order": (
        {"queries are paired by their positions, the run's in another order", "no_relevant='nan'"},
        {},
    ),
    "MTEB, query 6 in the results": ({"missing='zero'"}, {}),  # as good as the true cause: see below
    "trectools": (
        {"missing='zero'", "no_relevant='nan'"},
        {
            "NDCG@3": {"ties='input'"},
            "nDCG(gain='exp2')@3": {"ties='input'"},
            "bpref": {"0 without judged nonrelevant documents"},
            "RBP(p=0.8)": {"ties averaged over the whole run"},
        },
    ),
    "toolkit": ({"missing='zero'", "rounded to the places shown"}, {}),
    "cwl_eval through ir_measures": ({"ties='input'"}, {"AP": {"denominator='retrieved'"}}),
    "msmarco through ir_measures": ({"ties='input'"}, {}),
    "trectools through ir_measures": (
        {"ties='input'", "missing='nan'", "no_relevant='nan'"},
        {"Bpref": {"negative grades counted as relevant"}, "RBP": {"graded, not normalised"}},
    ),
    "scikit-learn": ({"judged documents that were not retrieved tie at the end"}, {}),
    "ranklab": (set(), {"mrr": {"mean of all reciprocal ranks"}}),
}


@pytest.mark.parametrize("tool", CAUSES)
def test_the_cause_of_a_tools_numbers(tool):
    found = checked(tool)
    assert not found.agrees
    assert found.unexplained == (), found
    common, own = CAUSES[tool]
    assert names(found.explanation.changes) == common
    its = {
        name: names(one.added) | {f"-{change.name}" for change in one.undone}
        for name, one in found.explanation.own.items()
        if one.added or one.undone
    }
    assert its == own


@pytest.mark.parametrize("tool", ["MTEB", "gdeval through ir_measures", "scikit-learn, ignore_ties"])
def test_tools_that_do_as_trec_eval_does(tool):
    found = checked(tool)
    assert found.agrees and found.explanation is None and found.unexplained == ()


def test_every_tool_of_the_tables_is_here():
    assert set(PRINTED) == {*CAUSES, "MTEB", "gdeval through ir_measures", "scikit-learn, ignore_ties", "BEIR"}


def test_what_beir_does_can_not_be_told_from_its_means_alone():
    """Its MRR over six queries in the order listed is that over five in trec_eval's: 4/6 and (1 + 1/3 + 1 + 1)/5."""
    found = checked("BEIR")
    assert found.unexplained == ()
    assert {"compat='9.0.8'", "ties='input'", "missing='zero'"} <= names(found.explanation.all_changes)
    listed = [one for one in found.alternatives if "ties='input'" in names(one.causes_of("MRR"))]
    assert listed and all("extra='counted'" in names(one.causes_of("MRR")) for one in listed)
    query_2 = next(one for one in found.differences if one.name == "MRR")
    assert query_2.query == "2"
    assert {round(value, 4) for value in query_2.values} == {0.3333, 1.0}


# Each cell of the tables that differs from trec_eval 10.0's, on its own: one change explains it.

CELLS = [
    ("pytrec_eval", "map", "7", "compat='9.0.8'"),
    ("pytrec_eval", "ndcg_cut_3", "7", "compat='9.0.8'"),
    ("pytrec_eval", "recip_rank", "7", "compat='9.0.8'"),
    ("pytrec_eval", "Rprec", "7", "compat='9.0.8'"),
    ("pytrec_eval", "bpref", "7", "compat='9.0.8'"),
    ("pytrec_eval", "11pt_avg", "5", "compat='9.0.8'"),
    ("ir_measures", "RR@10", "2", "ties='docno'"),
    ("ir_measures", "RBP(rel=1)", "2", "ties='input'"),
    ("ranx", "map", "2", "ties='input'"),
    ("ranx", "ndcg@3", "2", "ties='input'"),
    ("ranx", "mrr", "2", "ties='input'"),
    ("ranx", "precision@3", "2", "ties='input'"),
    ("ranx", "recall@3", "2", "ties='input'"),
    ("ranx", "r-precision", "2", "ties='input'"),
    ("ranx", "f1@3", "2", "ties='input'"),
    ("ranx", "bpref", "1", "negative='nonrelevant'"),
    ("ranx", "bpref", "2", "ties='input'"),
    ("ranx", "rbp.80", "1", "graded, not normalised"),
    ("trectools", "NDCG@3", "2", "ties='input'"),
    ("trectools", "map", "4", "no_relevant='nan'"),
    ("trectools", "RBP(p=0.8)", "2", "ties='expected'"),
    ("trectools", "RBP(p=0.8)", "5", "ties averaged over the whole run"),
    ("cwl_eval through ir_measures", "AP", "1", "denominator='retrieved'"),
    ("cwl_eval through ir_measures", "AP", "5", "denominator='retrieved'"),
    ("cwl_eval through ir_measures", "P@3", "2", "ties='input'"),
    ("trectools through ir_measures", "AP", "3", "missing='nan'"),
    ("trectools through ir_measures", "nDCG(dcg='exp-log2')@3", "2", "ties='input'"),
    ("trectools through ir_measures", "Bpref", "1", "negative grades counted as relevant"),
    ("scikit-learn", "ndcg@10", "1", "judged documents that were not retrieved tie at the end"),
    ("scikit-learn", "ndcg@10", "5", "judged documents that were not retrieved tie at the end"),
    ("scikit-learn", "ndcg@3", "2", "ties='expected'"),
    ("ranklab", "mrr", "2", "mean of all reciprocal ranks"),
    ("ranklab", "mrr", "5", "mean of all reciprocal ranks"),
]


@pytest.mark.parametrize(("tool", "measure", "query", "cause"), CELLS)
def test_one_change_explains_a_cell(tool, measure, query, cause):
    """A single number may have several causes: the known one is among the smallest."""
    found = treckon.crosscheck(QRELS, RUN, f"{measure}\t{query}\t{PRINTED[tool][query][measure]}\n", most=1)
    assert not found.agrees and not found.unexplained
    every = [found.explanation, *found.alternatives]
    assert all(len(one.all_changes) == 1 for one in every)
    assert cause in {one.all_changes[0].name for one in every}


def test_ours_are_the_columns_of_trec_eval():
    for tool, conventions in (
        ("trec_eval 10.0 -c -q", {"missing": "zero"}),
        ("trec_eval 9.0.8 -c -q", {"missing": "zero", "compat": "9.0.8"}),
        ("trec_eval 9.0.8", {"compat": "9.0.8"}),
        ("pytrec_eval", {"compat": "9.0.8"}),
    ):
        assert treckon.crosscheck(QRELS, RUN, as_text(tool), **conventions).agrees, tool


def test_the_mean_of_mtebs_list_counts_queries_that_are_not_judged():
    """Here 1/6 is also what counting the query that the run lacks makes of it; with another query 6 nothing else is."""
    found = checked("MTEB, query 6 in the results")
    assert [names(one.changes) for one in found.alternatives] == [{"extra='counted'"}]
    # hole() of MTEB 2.26.24 where the two documents of query 6 are judged for no query:
    holes = {"1": 0.3333, "2": 0.3333, "4": 0.0, "5": 0.3333, "6": 0.6667, "7": 0.0}
    found = treckon.crosscheck(QRELS, RUN_6, {query: {"Hole@3": hole} for query, hole in holes.items()})
    assert names(found.explanation.all_changes) == {"extra='counted'"} and not found.unexplained
    assert {one.query: round(one.reproduced, 4) for one in found.values} == holes
    found = treckon.crosscheck(QRELS, RUN_6, {"Hole@3": 0.27778})
    assert names(found.explanation.all_changes) == {"extra='counted'"} and not found.alternatives


def test_beirs_hole_adds_queries_that_are_not_judged_and_divides_by_those_that_are():
    """EvaluateRetrieval.evaluate_custom(..., "hole") of BEIR 2.2.0: ties as listed, so query 2 has no hole."""
    run = "".join(line for line in RUN_6.splitlines(keepends=True) if not line.startswith("4 "))
    found = treckon.crosscheck(QRELS, run, {"Hole@1": 0.16667, "Hole@3": 0.22222, "Hole@10": 0.1})
    assert names(found.explanation.all_changes) == {"ties='input'", "missing='zero'", "extra='added'"}
    assert found.unexplained == ()


def paired(order_of_run, order_of_qrels="12345"):
    """Values of ranx 0.3.21's kind for plain dicts: queries 1 to 5 of the qrels, in this order, meet the run's."""
    judged, retrieved = treckon.read_qrels(QRELS), treckon.read_run(RUN)
    qrels = {query: judged[query] for query in order_of_qrels}
    met = dict(zip(order_of_qrels, order_of_run, strict=True))
    # Some documents of the query met are relevant, so that numbers tell the orders apart.
    for query, other in met.items():
        qrels[query] = {**qrels[query], **dict.fromkeys(list(retrieved[other])[1::2], 1)}
    values = treckon.evaluate(qrels, {query: retrieved[other] for query, other in met.items()}, ["AP", "RR", "P@3"])
    return qrels, {query: retrieved[query] for query in order_of_run}, values


@pytest.mark.parametrize(
    ("of_run", "of_qrels", "order"),
    [
        ("75421", "12345", ""),
        ("12457", "54321", ""),
        ("42175", "12354", ", the run's in reverse"),
        ("42175", "12345", ", the run's sorted as text"),
    ],
)
def test_queries_paired_by_position(of_run, of_qrels, order):
    """ranx pairs plain dicts by position: with the run's queries in another order every value is another query's."""
    met = {"": of_run, ", the run's in reverse": of_run[::-1], ", the run's sorted as text": "12457"}[order]
    qrels, _, values = paired(met, of_qrels)
    run = {query: treckon.read_run(RUN)[query] for query in of_run}
    for scores in (values, {str(measure): round(value, 4) for measure, value in values.means.items()}):
        found = treckon.crosscheck(qrels, run, scores)
        assert names(found.explanation.all_changes) == {f"queries are paired by their positions{order}"}
        assert found.unexplained == ()
