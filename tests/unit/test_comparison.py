"""`treckon.compare`: values are the evaluations', statistics those of `treckon.statistics`, and what is refused."""

import json
import math
import random
import sys

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treckon
from treckon import statistics
from treckon.errors import EvaluationError, InputError, NoQueriesError, ParameterError
from treckon.inputs.clusters import read_clusters

MEASURES = ["AP", "nDCG@10", "num_rel_ret"]
TESTS = ("randomization", "t", "wilcoxon", "sign")


@pytest.fixture(autouse=True)
def scipy():
    pytest.importorskip("scipy.stats")


def data(n_queries=30, n_runs=3, seed=1):
    """Judgements, and runs of which each is a little better than the one before."""
    rng = random.Random(seed)
    documents = [f"d{i}" for i in range(30)]
    qrels = {f"q{i:02}": {d: rng.choice((0, 0, 1, 2)) for d in rng.sample(documents, 12)} for i in range(n_queries)}
    runs = {
        f"run{number}": {
            query: {d: rng.random() + 0.2 * number * qrels[query].get(d, 0) for d in rng.sample(documents, 20)}
            for query in qrels
        }
        for number in range(n_runs)
    }
    return qrels, runs


QRELS = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}, "q4": {"a": 1}}
OLD = {query: {"a": 1.0} for query in ("q1", "q2", "q3")}
NEW = {"q1": {"a": 1.0}, "q2": {"a": 1, "b": 2}, "q4": {"a": 1, "b": 2, "c": 3, "d": 4}}


def test_worked_example():
    found = treckon.compare(QRELS, {"old": OLD, "new": NEW}, "RR", resamples=200, seed=3)
    one = found.difference("RR", "new")
    assert (one.baseline_mean, one.run_mean, one.interval.estimate) == (0.75, 0.4375, -0.3125)
    assert one.relative == pytest.approx(-0.3125 / 0.75)
    assert (one.wins, one.ties, one.losses) == (1, 1, 2)
    assert found.missing == {"old": 1, "new": 1}
    assert found.per_query() == [
        ("q3", 1.0, 0.0, -1.0), ("q2", 1.0, 0.5, -0.5), ("q1", 1.0, 1.0, 0.0), ("q4", 0.0, 0.25, 0.25),
    ]  # fmt: skip
    assert one.tests["randomization"][1:] == (-0.3125, 0.5, 3, "exact")
    assert found.means[found.measures[0]]["old"].low == 0.25
    assert found.tukey == {} and found.baseline == "old" and found.runs == ("old", "new")
    assert repr(found) == (
        "Comparison of 2 runs over 4 queries\n\nRR\n"
        "  run    mean               95%  difference                 95%  change  + = -      d  detectable"
        "  p randomization     p t  p wilcoxon  p sign\n"
        "  old  0.7500  [0.2500, 1.0000]\n"
        "  new  0.4375  [0.1250, 0.8125]     -0.3125  [-0.7500, +0.1250]  -41.7%  1 1 2  -0.56      1.1796"
        "           0.5000  0.3416      0.5000  1.0000\n\n"
        "200 resamples, seed 3; 95% intervals, bca\n"
        "p-values are two-sided, corrected over 1 difference by holm\n"
        "detectable: by a t-test at 0.05 with power 0.8\n"
        "warning: old: 1 judged query is missing from it and counts as an empty ranking\n"
        "warning: new: 1 judged query is missing from it and counts as an empty ranking"
    )


def test_values_are_the_evaluations_and_statistics_those_of_the_package():
    qrels, runs = data()
    options = {"resamples": 300, "seed": 5}
    found = treckon.compare(qrels, runs, MEASURES, method="percentile", confidence=0.9, alpha=0.1, **options)
    evaluations = {name: treckon.evaluate(qrels, run, MEASURES, missing="zero") for name, run in runs.items()}
    raw = {name: [] for name in TESTS}
    for number, measure in enumerate(found.measures):
        columns = {name: one.values[:, number] for name, one in evaluations.items()}
        for name, column in columns.items():
            interval = statistics.bootstrap_interval(column, method="percentile", confidence=0.9, **options)
            mean = found.means[measure][name]
            assert mean[:2] == interval[:2] and mean.confidence == 0.9
            if number < 2:  # the last one is a sum
                assert mean.estimate == evaluations[name][measure]
            assert mean.estimate == pytest.approx(column.mean(), rel=1e-14)
        assert found.tukey[measure] == statistics.tukey_hsd(list(columns.values()), alpha=0.1, **options)
        for name in ("run1", "run2"):
            one = found.difference(measure, name)
            differences = statistics.paired_differences(columns["run0"], columns[name])
            assert one.interval == statistics.bootstrap_interval(
                differences, method="percentile", confidence=0.9, **options
            )
            assert one.effect_size == statistics.cohens_d(differences)
            spread = differences.std(ddof=1)
            detectable = statistics.minimum_detectable_difference(spread, 30, alpha=0.1)
            assert one.detectable == pytest.approx(detectable, rel=1e-14)
            assert (one.wins, one.ties, one.losses) == statistics.wins_ties_losses(differences)
            expected = {
                "randomization": statistics.randomization_test(differences, **options),
                "t": statistics.t_test(differences),
                "wilcoxon": statistics.wilcoxon_test(differences),
                "sign": statistics.sign_test(differences),
            }
            assert one.tests == expected
            for test in TESTS:
                raw[test].append(expected[test].p_value)
    for test in TESTS:
        assert [one.corrected[test] for one in found.differences] == statistics.adjust(raw[test], "holm")
    assert found.warnings == ("means over the queries, not sums: num_rel_ret",)


def test_evaluations_made_before_give_the_same():
    qrels, runs = data()
    evaluator = treckon.Evaluator(qrels, MEASURES, missing="zero")
    evaluations = {name: evaluator.evaluate(run) for name, run in runs.items()}
    options = {"resamples": 50, "baseline": "run1", "tests": ["t", "sign"], "correction": "none"}
    made = treckon.compare_evaluations(evaluations, **options)
    assert made.to_dict(per_query=True) == treckon.compare(qrels, runs, MEASURES, **options).to_dict(per_query=True)
    assert made.runs == ("run1", "run0", "run2")
    assert made.differences[0].corrected["t"] == made.differences[0].tests["t"].p_value


def test_queries_in_another_order_are_the_same_queries():
    qrels, runs = data(n_runs=2)
    first, second = (treckon.evaluate(qrels, run, "AP") for run in runs.values())
    turned = treckon.Evaluation(
        measures=second.measures, query_ids=second.query_ids[::-1], values=second.values[::-1].copy(),
        means=[second["AP"]], conventions=second.conventions, counts=second.counts, ties=second.ties,
    )  # fmt: skip
    expected = treckon.compare_evaluations({"a": first, "b": second}, resamples=50)
    assert treckon.compare_evaluations({"a": first, "b": turned}, resamples=50).differences == expected.differences


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_seed_gives_the_same_with_any_number_of_threads(threads, monkeypatch):
    monkeypatch.setattr("treckon.statistics.shares._STEP", 2000)
    qrels, runs = data()
    found = treckon.compare(qrels, runs, "AP", resamples=201, seed=9, threads=threads)
    assert found.to_dict() == treckon.compare(qrels, runs, "AP", resamples=201, seed=9).to_dict()
    assert found.to_dict() != treckon.compare(qrels, runs, "AP", resamples=201, seed=10).to_dict()
    assert found.options["seed"] == 9 and "201 resamples, seed 9" in repr(found)


def test_clusters_are_drawn_together(tmp_path):
    qrels, runs = data(n_runs=3)
    clusters = {query: int(query[1:]) // 4 for query in qrels}
    found = treckon.compare(qrels, runs, "AP", resamples=100, clusters=clusters)
    labels = list(clusters.values())
    columns = [treckon.evaluate(qrels, run, "AP").values[:, 0] for run in runs.values()]
    differences = statistics.paired_differences(columns[0], columns[1])
    one = found.difference("AP", "run1")
    assert one.interval == statistics.bootstrap_interval(differences, clusters=labels, resamples=100)
    assert one.tests["randomization"] == statistics.randomization_test(differences, clusters=labels)
    assert found.tukey[found.measures[0]] == statistics.tukey_hsd(columns, clusters=labels, resamples=100)
    assert found.options["clusters"] == 8
    assert "100 resamples of 8 clusters, seed 0" in repr(found)
    expected = "these tests treat queries as independent, whatever their clusters: t, wilcoxon, sign"
    assert found.warnings == (expected,)
    path = tmp_path / "clusters"
    path.write_text("".join(f"{query}\t{cluster}\n" for query, cluster in clusters.items()))
    assert treckon.compare(qrels, runs, "AP", resamples=100, clusters=path).to_dict() == found.to_dict()


def test_to_dict_is_json_and_holds_everything():
    qrels, runs = data(n_queries=1)
    found = treckon.compare(qrels, runs, MEASURES, resamples=20)
    text = json.dumps(found.to_dict(per_query=True), allow_nan=False)
    made = json.loads(text)
    assert made["differences"][0]["tests"]["t"] == {
        "p_value": 1.0, "corrected": 1.0, "statistic": None, "n": 1, "note": "one query",
    }  # fmt: skip
    assert made["means"]["AP"]["run0"]["note"] == "one query"
    assert made["options"] == {
        "tests": list(TESTS), "resamples": 20, "seed": 0, "confidence": 0.95, "method": "bca", "correction": "holm",
        "alpha": 0.05, "power": 0.8, "clusters": None,
    }  # fmt: skip
    assert set(made["per_query"]["AP"]) == {"run1", "run2"}
    assert "per_query" not in found.to_dict()
    assert made["tukey"]["AP"]["letters"] == ["a", "a", "a"]
    assert repr(found).splitlines()[0] == "Comparison of 3 runs over 1 query"


GRADES = st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), min_size=1)
SCORES = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), min_size=1)
QUERIES = st.sampled_from(["q1", "q2", "q3", "q4"])


@settings(max_examples=30)
@given(
    st.dictionaries(QUERIES, GRADES, min_size=1),
    st.lists(st.dictionaries(QUERIES, SCORES), min_size=2, max_size=3),
    st.sampled_from(["bca", "percentile"]),
)
def test_no_number_is_none_of_the_finite(qrels, runs, method):
    named = {f"run{i}": run for i, run in enumerate(runs)}
    if not all(any(query in run for query in qrels) for run in runs):
        with pytest.raises(NoQueriesError, match="run[0-9]: expected a query with both results and judgements, found"):
            treckon.compare(qrels, named, ["AP", "num_ret"], resamples=30, method=method)
        return
    found = treckon.compare(qrels, named, ["AP", "num_ret"], resamples=30, method=method)
    json.dumps(found.to_dict(per_query=True), allow_nan=False)
    for one in found.differences:
        assert one.wins + one.ties + one.losses == len(qrels)
        assert one.interval.low <= one.interval.high
        assert all(0 <= one.tests[test].p_value <= one.corrected[test] <= 1 for test in TESTS)
    assert sum(found.missing.values()) == sum(query not in run for run in runs for query in qrels)
    repr(found)


def test_equal_runs_differ_nowhere():
    found = treckon.compare(QRELS, {"old": OLD, "new": OLD}, ["RR", "AP"], resamples=20)
    for one in found.differences:
        assert (one.interval[:3], one.effect_size, one.detectable, one.relative) == ((0, 0, 0), 0, 0, 0)
        assert {test.p_value for test in one.tests.values()} == {1.0}
        assert one.ties == 4


def test_no_relative_change_from_nothing():
    found = treckon.compare(QRELS, {"old": {"q1": {"b": 1}}, "new": NEW}, "RR", resamples=20)
    assert found.difference("RR", "new").relative is None


def test_of_a_group_of_measures_those_that_can_be_compared():
    qrels, runs = data(5, 2)
    comparison = treckon.compare(qrels, runs, ["official", "AP"], resamples=10)
    names = [str(measure) for measure in comparison.measures]
    assert names[:4] == ["num_ret", "num_rel", "num_rel_ret", "map"] and names[-2:] == ["P_1000", "AP"]
    assert not {"runid", "num_q", "gm_map"} & {*names}
    assert [str(one) for one in treckon.compare(qrels, runs, "P.5,10", resamples=10).measures] == ["P_5", "P_10"]


# What is refused


RUNS = {"old": OLD, "new": NEW}
TEXT = "expected a number for each query that is averaged or added up, found"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"runs": {"old": OLD}}, ParameterError, "runs: expected at least two, found 1"),
        ({"runs": [OLD, NEW]}, ParameterError, "runs: expected a mapping from names to runs, found list"),
        ({"runs": {1: OLD, 2: NEW}}, ParameterError, "runs: expected names that are texts"),
        ({"baseline": "x"}, ParameterError, "baseline: expected one of 'old', 'new', found 'x'"),
        ({"missing": "skip"}, ParameterError,
         "missing: expected 'zero', as runs are compared over the same queries, found 'skip'"),
        ({"no_relevant": "skip"}, EvaluationError,
         "no_relevant: expected queries that all count in a comparison, found 'skip'"),
        ({"measures": "relstring"}, EvaluationError, f"relstring: {TEXT} a text"),
        ({"measures": "num_q"}, EvaluationError, f"num_q: {TEXT} one for the run as a whole"),
        ({"measures": "gm_map"}, EvaluationError, f"gm_map: {TEXT} a geometric mean"),
        ({"tests": "u"}, ParameterError, "tests: expected 'randomization', 't', 'wilcoxon' or 'sign', found 'u'"),
        ({"tests": ["t", 1]}, ParameterError, "tests: expected 'randomization', 't', 'wilcoxon' or 'sign', found 1"),
        ({"method": "x"}, ParameterError, "method: expected 'bca' or 'percentile', found 'x'"),
        ({"correction": "x"}, ParameterError,
         "correction: expected 'holm', 'bonferroni', 'benjamini-hochberg' or 'none', found 'x'"),
        ({"confidence": 0}, ParameterError, "confidence: expected a number above 0 and below 1, found 0"),
        ({"alpha": 2}, ParameterError, "alpha: expected a number above 0 and below 1, found 2"),
        ({"power": 0.01}, ParameterError, "power: expected more than alpha, which is 0.05, found 0.01"),
        ({"resamples": 0}, ParameterError, "resamples: expected a whole number from 1 to 10000000, found 0"),
        ({"clusters": {"q1": 1}}, EvaluationError,
         "clusters: expected one for each query, found none for 3, for example 'q2'"),
        ({"clusters": 5}, InputError, "clusters: expected a path, an open file or bytes, found 5"),
        ({"qrels": {}}, NoQueriesError, None),
        ({"extra": "error", "runs": {"old": OLD, "new": {"q9": {"a": 1}}}}, EvaluationError,
         "new: expected judged queries alone, found query 'q9'"),
        ({"no_relevant": "error", "qrels": {"q1": {"a": 0}}}, EvaluationError,
         "qrels: expected a document of grade 1 or more for every query, found none for 1, for example 'q1'"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared(arguments, error, message):
    given = {"qrels": QRELS, "runs": RUNS, "measures": "RR", **arguments}
    with pytest.raises(error) as caught:
        treckon.compare(given.pop("qrels"), given.pop("runs"), given.pop("measures"), **given)
    assert message is None or str(caught.value) == message


def test_evaluations_without_a_query():
    evaluation = treckon.evaluate(QRELS, OLD, "RR")
    same = {name: getattr(evaluation, name) for name in ("measures", "conventions", "counts", "ties")}
    empty = treckon.Evaluation(query_ids=[], values=[], means=[0.0], **same)
    with pytest.raises(EvaluationError, match=r"^qrels: expected a query to compare runs by, found none$"):
        treckon.compare_evaluations({"a": empty, "b": empty})


def test_a_run_that_cannot_be_read_is_named():
    with pytest.raises(InputError) as caught:
        treckon.compare(QRELS, {"old": OLD, "new": {"q1": {"a": "x"}}}, "RR")
    assert str(caught.value).startswith("new: query 'q1', document 'a': expected a number as score, found 'x'")
    assert caught.value.place == "new: query 'q1', document 'a'"
    with pytest.raises(InputError) as caught:
        treckon.compare(QRELS, {"old": OLD, "new": "q1 Q0 a 1 2 m\nq1 Q0 b\n"}, "RR")
    assert str(caught.value) == "new:2: expected 6 fields (qid Q0 docno rank score tag), found 3"
    with pytest.raises(EvaluationError, match=r"^new:2: expected each document once for a query, "):
        treckon.compare(QRELS, {"old": OLD, "new": "q1 Q0 a 1 2 m\nq1 Q0 a 2 1 m\n"}, "RR")
    with pytest.raises(InputError) as caught:
        treckon.compare(QRELS, {"old": OLD, "new": "nowhere.run"}, "RR")
    assert str(caught.value).startswith("nowhere.run: ")


def evaluations(**changed):
    base = {"qrels": QRELS, "measures": ["RR", "AP"], "missing": "zero"}
    first = treckon.evaluate(run=OLD, **base)
    return {"old": first, "new": treckon.evaluate(run=NEW, **(base | changed))}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"measures": "RR"}, "'new': expected the same measures as in 'old', found AP in 'old' alone"),
        ({"measures": ["RR", "AP", "P@5"]}, "'new': expected the same measures as in 'old', found P@5 in 'new' alone"),
        ({"level": 2}, "'new': expected level=1 as in 'old', found level=2"),
        ({"qrels": {"q1": {"a": 1}, "q7": {"a": 1}}},
         "'new': expected the same queries as in 'old', found 4 in one alone, for example 'q2' in 'old' "
         "(missing='zero' counts all judged queries)"),
    ],
)  # fmt: skip
def test_evaluations_that_differ_in_more_than_the_run(changed, message):
    with pytest.raises(EvaluationError) as caught:
        treckon.compare_evaluations(evaluations(**changed))
    assert str(caught.value) == message


def test_what_is_no_evaluation():
    with pytest.raises(ParameterError, match=r"^evaluations: new: expected an Evaluation, found dict$"):
        treckon.compare_evaluations({**evaluations(), "new": {}})


def test_evaluations_that_both_leave_queries_out_say_so():
    found = treckon.compare_evaluations(
        {"a": treckon.evaluate(QRELS, OLD, "RR"), "b": treckon.evaluate(QRELS, OLD, "RR")}, resamples=10
    )
    assert found.warnings[0] == "a: 1 judged query is missing from it and left out"


def test_a_value_of_an_own_measure_that_is_no_number():
    measure = treckon.define("odd", lambda view: math.inf if view.n_retrieved > 3 else 1.0)
    try:
        found = treckon.evaluate(QRELS, NEW, measure, missing="zero")
    except treckon.errors.TreckonError:
        return  # refused before
    with pytest.raises(EvaluationError, match=r"^odd: query 'q4': expected a finite number$"):
        treckon.compare_evaluations({"a": found, "b": found})


def test_names_that_are_not_there():
    found = treckon.compare(QRELS, RUNS, "RR", resamples=10)
    with pytest.raises(KeyError, match="expected one of new, found x"):
        found.difference("RR", "x")
    with pytest.raises(KeyError, match="expected one of new, found old"):
        found.per_query("RR", "old")
    with pytest.raises(KeyError, match="expected one of RR, found AP"):
        found.difference("AP", "new")


# Without SciPy


def test_without_scipy_the_randomization_test_is_left(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    found = treckon.compare(QRELS, RUNS, "RR", resamples=10)
    assert found.options["tests"] == ("randomization",)
    assert found.difference("RR", "new").detectable is None
    expected = "more tests and detectable differences would need: pip install 'treckon[stats]'"
    assert f"SciPy is missing, which {expected}" in found.warnings
    with pytest.raises(ImportError, match=r"^the t-test needs SciPy: pip install 'treckon\[stats\]' \("):
        treckon.compare(QRELS, RUNS, "RR", tests=["t"], resamples=10)


# Clusters in files


def test_a_file_of_clusters():
    text = b"# topic and variant\n\nq1 a\nq2\ta \n  q3  b\r\nq1 a\n"
    assert read_clusters(text) == {"q1": "a", "q2": "a", "q3": "b"}
    assert read_clusters(b"\xef\xbb\xbfq1 a\n") == {"q1": "a"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"q1 a\nq2 b c\n", "clusters:2: expected two fields, a query id and a cluster, found 3"),
        (b"q1 a\nq1 b\n", "clusters:2: query 'q1': expected one cluster, found 'a' and 'b'"),
        ("q1 a\n".encode("utf-16"), "clusters:1: expected text, found a NUL byte"),
        (b"", "clusters: cannot read it: it is empty"),
    ],
)
def test_a_file_that_is_none_of_clusters(text, message):
    with pytest.raises(InputError) as caught:
        read_clusters(text)
    assert str(caught.value) == message


def test_values_are_not_changed():
    qrels, runs = data()
    made = {name: treckon.evaluate(qrels, run, "AP") for name, run in runs.items()}
    before = [one.values.copy() for one in made.values()]
    treckon.compare_evaluations(made, resamples=10)
    assert all(numpy.array_equal(one.values, old) for one, old in zip(made.values(), before, strict=True))
