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
    assert listed and all("extra='zero'" in names(one.causes_of("MRR")) for one in listed)
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


def test_queries_paired_by_position():
    """ranx pairs plain dicts by position: with the run's queries in another order every value is another query's."""
    by_query = {}
    for line in RUN.splitlines():
        by_query.setdefault(line.split()[0], []).append(line + "\n")
    run = "".join("".join(by_query[query]) for query in ("7", "5", "4", "2", "1"))
    run_as_paired = dict(zip("12345", ("7", "5", "4", "2", "1"), strict=True))
    qrels = treckon.read_qrels(QRELS)
    documents = treckon.read_run(RUN)
    # The documents of query 2 are judged for query 4 now, and so on; a few are relevant there.
    for query, other in run_as_paired.items():
        qrels[query].update({doc: 1 for doc in list(documents[other])[1::2]})
    paired = {query: documents[other] for query, other in run_as_paired.items()}
    values = treckon.evaluate(qrels, paired, ["AP", "RR", "P@3"]).means
    scores = {str(measure): value for measure, value in values.items()}
    found = treckon.crosscheck(qrels, run, scores)
    assert names(found.explanation.changes) == {"queries are paired by their positions"}
    assert found.unexplained == ()
