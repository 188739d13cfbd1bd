"""One small input that every convention matters for (`peers_input` says why), and what other tools printed for it.

Each tool is a set of conventions; its numbers, as recorded, come out of these. Where a tool prints a number that no
convention explains, it isn't here.
"""

import pytest

import treckon
from peers_input import JUDGED, RETRIEVED

TOOLS = {
    "trec_eval 10.0 -c": {"missing": "zero"},
    "trec_eval 9.0.8 -c, ir_measures": {"missing": "zero", "compat": "9.0.8"},
    "trec_eval 9.0.8, pytrec_eval": {"compat": "9.0.8"},
    "ranx": {"missing": "zero", "ties": "input"},
}
OF_QUERIES = {
    "trec_eval 10.0 -c": {
        "AP": (0.4, 0.3667, 0.0, 0.0, 0.1389, 1.0),
        "nDCG@3": (0.3801, 0.3801, 0.0, 0.0, 0.7039, 1.0),
        "RR": (1.0, 0.3333, 0.0, 0.0, 1.0, 1.0),
        "Rprec": (0.4, 0.0, 0.0, 0.0, 0.1667, 1.0),
        "bpref": (0.4, 0.25, 0.0, 0.0, 0.1667, 1.0),
    },
    "trec_eval 9.0.8 -c, ir_measures": {
        "AP": (0.4, 0.3667, 0.0, 0.0, 0.1389, 0.5),
        "nDCG@3": (0.3801, 0.3801, 0.0, 0.0, 0.7039, 0.6309),
        "RR": (1.0, 0.3333, 0.0, 0.0, 1.0, 0.5),
        "Rprec": (0.4, 0.0, 0.0, 0.0, 0.1667, 0.0),
        "bpref": (0.4, 0.25, 0.0, 0.0, 0.1667, 0.0),
    },
    "ranx": {
        "AP": (0.4, 0.8333, 0.0, 0.0, 0.1389, 1.0),
        "nDCG@3": (0.3801, 0.7602, 0.0, 0.0, 0.7039, 1.0),
        "RR": (1.0, 1.0, 0.0, 0.0, 1.0, 1.0),
    },
}
ONE_QUERY = [
    ("trec_eval 10.0 -c", "P@3", "2", 0.3333),
    ("trec_eval 10.0 -c", "R@3", "2", 0.5),
    ("trec_eval 10.0 -c", "11pt_avg", "5", 0.2424),
    ("trec_eval 9.0.8 -c, ir_measures", "11pt_avg", "5", 0.1515),
    ("ranx", "P@3", "2", 0.6667),
    ("ranx", "R@3", "2", 1.0),
    ("ranx", "Rprec", "2", 0.5),
    ("ranx", "F@3", "2", 0.8),
    ("ranx", "bpref", "2", 0.75),
    # trectools' and ir_measures' RBP take documents as listed, as ranx does.
    ("ranx", "RBP(p=0.8)", "1", 0.3679),
    ("ranx", "RBP(p=0.8)", "2", 0.3280),
    ("ranx", "RBP(p=0.8)", "5", 0.3280),
]
MEANS = {
    "trec_eval 10.0 -c": {
        "AP": 0.3176, "nDCG@3": 0.4107, "nDCG@10": 0.4096, "nDCG(gain='exp2')@3": 0.4009, "RR": 0.5556, "P@3": 0.2778,
        "bpref": 0.3028, "gm_map": 0.0113, "num_q": 6, "num_rel": 22, "set_F": 0.3341,
    },
    "trec_eval 9.0.8 -c, ir_measures": {
        "AP": 0.2343, "nDCG@3": 0.3492, "nDCG@10": 0.3481, "RR": 0.4722, "P@3": 0.2778, "bpref": 0.1361,
        "gm_map": 0.0100, "num_q": 6, "num_rel": 22, "set_F": 0.3341,
    },
    "trec_eval 9.0.8, pytrec_eval": {
        "AP": 0.2811, "nDCG@3": 0.4190, "nDCG@10": 0.4177, "RR": 0.5667, "P@3": 0.3333, "bpref": 0.1633,
        "gm_map": 0.0400, "num_q": 5, "num_rel": 20, "set_F": 0.4010,
    },
    "ranx": {
        "AP": 0.3954, "nDCG@3": 0.4740, "nDCG@10": 0.4484, "nDCG(gain='exp2')@3": 0.4469, "RR": 0.6667, "P@3": 0.3333,
    },
}  # fmt: skip


def evaluated(tool, measure, **more):
    return treckon.evaluate(JUDGED, RETRIEVED, measure, **TOOLS[tool], **more)


@pytest.mark.parametrize(
    ("tool", "measure", "values"), [(tool, *row) for tool, rows in OF_QUERIES.items() for row in rows.items()]
)
def test_values_of_each_query(tool, measure, values):
    evaluation = evaluated(tool, measure)
    assert evaluation.query_ids == tuple(JUDGED)
    assert [round(row[measure], 4) for row in evaluation.per_query.values()] == list(values)


@pytest.mark.parametrize(("tool", "measure", "query", "value"), ONE_QUERY)
def test_value_of_one_query(tool, measure, query, value):
    assert round(evaluated(tool, measure).per_query[query][measure], 4) == value


@pytest.mark.parametrize(
    ("tool", "measure", "mean"), [(tool, *row) for tool, rows in MEANS.items() for row in rows.items()]
)
def test_mean(tool, measure, mean):
    assert round(evaluated(tool, measure)[measure], 4) == mean


def test_a_negative_grade_as_a_judgement_is_what_ranx_makes_of_it():
    assert evaluated("ranx", "bpref", negative="nonrelevant").per_query["1"]["bpref"] == pytest.approx(0.3)


def test_scores_for_documents_that_were_not_retrieved_are_what_scikit_learn_wants():
    padded = {query: {**dict.fromkeys(JUDGED[query], 0.0), **RETRIEVED[query]} for query in ("1", "5")}
    evaluation = treckon.evaluate(JUDGED, padded, "nDCG@10", ties="expected")
    assert [round(evaluation.per_query[query]["nDCG@10"], 4) for query in ("1", "5")] == [0.7522, 0.8611]
    tied = evaluated("trec_eval 10.0 -c", "nDCG@3", ties="expected")
    assert round(tied.per_query["2"]["nDCG@3"], 4) == 0.4860
