"""Gates: each rule worked out, all of them against naive ones, and every word about a gate's file that is wrong."""

import gzip
import json
import os
import sys
from hashlib import sha256
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treckon
from treckon.analysis.gating.thresholds import ByInterval, Thresholds, read_thresholds
from treckon.analysis.gating.toml import key_lines
from treckon.errors import EvaluationError, InputError, NoQueriesError, ParameterError, UnknownMeasureError
from treckon.reports.junit import junit_xml
from treckon.statistics import bootstrap_interval

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}, "q3": {"x": 1, "y": 2}}
RUN = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"n": 3.0, "m": 2.0, "a": 1.0}, "q9": {"z": 1.0}}
BASELINE = {"q1": {"b": 3.0, "a": 2.0}, "q2": {"a": 1.0}, "q3": {"y": 1.0, "n": 0.5}}


def judged(table: dict, measure: str = "P@2", **options) -> treckon.analysis.gating.RuleResult:
    """The result of the one rule of a gate."""
    conventions = options.pop("conventions", {})
    rules = {"measures": {measure: table}, "conventions": conventions}
    (rule,) = treckon.gate(rules, QRELS, RUN, **options).rules
    return rule


# Rules: P@2 of the run is 0.5, 0, 0; of the baseline 1, 0.5, 0.5


@pytest.mark.parametrize(
    ("table", "met", "found", "text", "failing"),
    [
        ({"minimum": 0.16}, True, 1 / 6, "expected at least 0.16, found 0.166667", []),
        ({"minimum": 0.2}, False, 1 / 6, "expected at least 0.2, found 0.166667", ["q2", "q3"]),
        ({"maximum": 0.2}, True, 1 / 6, "expected at most 0.2, found 0.166667", []),
        ({"maximum": 0.1}, False, 1 / 6, "expected at most 0.1, found 0.166667", ["q1"]),
        ({"floor": {"value": 0.1, "queries": 2}}, True, 2.0, "expected at most 2 queries below 0.1, found 2", []),
        ({"floor": {"value": 0.1, "queries": 1}}, False, 2.0, "expected at most 1 query below 0.1, found 2",
         ["q2", "q3"]),
        ({"floor": {"value": 0.0, "queries": 0}}, True, 0.0, "expected at most 0 queries below 0, found 0", []),
        ({"hits": {"value": 0.5, "share": 0.3}}, True, 1 / 3,
         "expected at least 30 % of the queries at 0.5 or above, found 33.33 % (1 of 3)", []),
        ({"hits": {"value": 0.5, "share": 0.5}}, False, 1 / 3,
         "expected at least 50 % of the queries at 0.5 or above, found 33.33 % (1 of 3)", ["q2", "q3"]),
        ({"baseline": {"tolerance": 0.5}}, True, -0.5,
         "expected at most 0.5 below the baseline's 0.666667, found 0.166667 (-0.5)", []),
        ({"baseline": {"tolerance": 0.4, "by": "mean"}}, False, -0.5,
         "expected at most 0.4 below the baseline's 0.666667, found 0.166667 (-0.5)", ["q1", "q2", "q3"]),
        ({"baseline": {}}, False, -0.5, "expected at most 0 below the baseline's 0.666667, found 0.166667 (-0.5)",
         ["q1", "q2", "q3"]),
        ({"baseline": {"by": "interval", "tolerance": 0.5}}, True, -0.5,
         "expected the 95 % interval of the difference from the baseline to begin at -0.5 or above, found -0.5 to -0.5 "
         "(mean -0.5; all values equal: an interval without width)", []),
    ],
)  # fmt: skip
def test_rule(table, met, found, text, failing):
    rule = judged(table, baseline=BASELINE)
    assert (rule.met, rule.text) == (met, text)
    assert rule.found == pytest.approx(found)
    assert [query.query for query in rule.failing] == failing


def test_gate_is_met_where_all_rules_are():
    result = treckon.gate({"measures": {"P@2": {"minimum": 0.1, "maximum": 0.9}, "RR": {"minimum": 0.4}}}, QRELS, RUN)
    assert result
    assert result.met
    assert [rule.met for rule in result.rules] == [True] * 3
    assert result.counts["missing"] == 1
    assert repr(result) == (
        "run: met: 3 of 3 rules of gate met\n"
        "  met     P@2: expected at least 0.1, found 0.166667\n"
        "  met     P@2: expected at most 0.9, found 0.166667\n"
        "  met     RR: expected at least 0.4, found 0.444444"
    )


def test_missed_documents_of_failing_queries():
    rule = judged({"floor": {"value": 1, "queries": 0}})
    assert [(query.query, query.value, [str(one) for one in query.missed]) for query in rule.failing] == [
        ("q2", 0.0, ["a (grade 1, rank 3)"]),
        ("q3", 0.0, ["y (grade 2, not retrieved)", "x (grade 1, not retrieved)"]),
        ("q1", 0.5, ["b (grade 1, rank 3)"]),
    ]
    assert repr(rule.failing[0]) == "FailingQuery('q2', value=0.0, missed=1)"
    assert repr(rule.failing[0].missed[0]) == "MissedDocument('a', grade=1, rank=3)"


@pytest.mark.parametrize(
    ("measure", "missed_at", "missed"),
    [
        ("P@3", 1, {"q1": [], "q2": [], "q3": ["y", "x"]}),  # the measure's own cutoff
        ("AP", 10, {"q2": [], "q3": ["y", "x"]}),
        ("AP", 2, {"q1": ["b"], "q2": ["a"], "q3": ["y", "x"]}),
        ("P(rel=2)@2", 10, {"q1": [], "q2": [], "q3": ["y"]}),  # its own level
    ],
)
def test_what_counts_as_missed(measure, missed_at, missed):
    rules = {"missed_at": missed_at, "measures": {measure: {"floor": {"value": 2, "queries": 0}}}}
    (rule,) = treckon.gate(rules, QRELS, RUN).rules
    found = {query.query: [one.document for one in query.missed] for query in rule.failing}
    assert {query: found[query] for query in missed} == missed


def test_sums_have_no_failing_queries():
    """Of a bound on a sum, no query is above or below."""
    rule = judged({"minimum": 9}, "num_rel_ret")
    assert (rule.met, rule.found, rule.failing) == (False, 3.0, ())


def test_means_have_room_for_rounding():
    """The mean of ten times 0.1 is less than 0.1, and that of 0.1, 0.2 and 0.3 more than 0.2, to a computer alone."""
    for hits, table in (
        ([1] * 10, {"minimum": 0.1, "hits": {"value": 0.1, "share": 1}}),
        ([1, 2, 3], {"maximum": 0.2}),
    ):
        qrels = {f"q{i}": dict.fromkeys("abcdefghij"[:n], 1) for i, n in enumerate(hits)}
        run = {query: dict.fromkeys("abcdefghij", 1.0) for query in qrels}
        mean = treckon.evaluate(qrels, run, "P@10")["P@10"]
        assert mean not in (0.1, 0.2)
        assert treckon.gate({"measures": {"P@10": table}}, qrels, run).met


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ({"minimum": 0.33333334}, "expected at least 0.33333334, found 0.333333"),
        ({"minimum": 0.33333331}, "expected at least 0.33333331, found 0.33333333"),
        ({"minimum": 1 / 3}, "expected at least 0.333333333333, found 0.333333333333"),
        ({"maximum": 0.33333333}, "expected at most 0.33333333, found 0.333333333"),
        ({"minimum": 0.3}, "expected at least 0.3, found 0.333333"),
        ({"floor": {"value": 0.000000123456, "queries": 0}}, "expected at most 0 queries below 1.23456e-07, found 2"),
        ({"hits": {"value": 1, "share": 0.33333}}, "expected at least 33.333 % of the queries at 1 or above, found "
         "33.3333 % (1 of 3)"),
        ({"baseline": {}}, "expected at most 0 below the baseline's 0.333333, found 0.333333 (+0)"),
        ({"baseline": {"by": "interval"}}, "expected the 95 % interval of the difference from the baseline to begin at "
         "0 or above, found 0 to 0 (mean +0; all values equal: an interval without width)"),
    ],
)  # fmt: skip
def test_text_shows_on_which_side_of_the_limit_a_value_lies(table, text):
    """0.333333 would be less than 0.33333331, which 1 / 3 is not."""
    run = {"q1": {"a": 1.0}}
    assert treckon.gate({"measures": {"P@1": table}}, QRELS, run, baseline=run).rules[0].text == text


def test_interval_is_that_of_the_paired_differences():
    qrels = {f"q{i}": {"a": 1} for i in range(30)}
    run = {f"q{i}": {"a": 1.0} if i % 3 else {"b": 1.0} for i in range(30)}
    baseline = {f"q{i}": {"a": 1.0} if i % 4 else {"b": 2.0, "a": 1.0} for i in range(30)}
    table = {"by": "interval", "tolerance": 0.3, "confidence": 0.9, "resamples": 500, "seed": 3, "method": "percentile"}
    (rule,) = treckon.gate({"measures": {"RR": {"baseline": table}}}, qrels, run, baseline=baseline).rules
    differences = [(1.0 if i % 3 else 0.0) - (1.0 if i % 4 else 0.5) for i in map(int, sorted(map(str, range(30))))]
    interval = bootstrap_interval(differences, confidence=0.9, resamples=500, seed=3, method="percentile")
    assert rule.found == interval.low
    assert rule.met is (interval.low >= -0.3)
    assert rule.text == (
        "expected the 90 % interval of the difference from the baseline to begin at -0.3 or above, found "
        f"{interval.low:.6g} to {interval.high:.6g} (mean {interval.estimate:+.6g})"
    )


def test_missing_queries_count_unless_told():
    table = {"minimum": 0.2}
    assert not judged(table).met
    assert judged(table, conventions={"missing": "skip"}).found == 0.25
    # Of runs that lack different queries, those that both have are compared.
    rule = judged({"baseline": {"by": "interval"}}, conventions={"missing": "skip"}, baseline=BASELINE)
    assert [query.query for query in rule.failing] == ["q1", "q2"]
    rule = judged({"baseline": {}}, conventions={"missing": "skip"}, baseline=BASELINE)
    assert rule.text == "expected at most 0 below the baseline's 0.75, found 0.25 (-0.5)"
    with pytest.raises(EvaluationError) as caught:
        judged({"baseline": {"by": "interval"}}, conventions={"missing": "skip"}, baseline={"q3": {"x": 1.0}})
    assert str(caught.value) == "gate: expected queries that both runs have, found none"


def test_missing_queries_are_said():
    """Those of a baseline make its rule easier to meet."""
    rules = {"measures": {"P@2": {"baseline": {"tolerance": 1}}}}
    result = treckon.gate(rules, QRELS, RUN, baseline=BASELINE)
    assert result.warnings == ("1 of 3 judged queries is missing from the run and counts as an empty ranking",)
    result = treckon.gate(rules, QRELS, BASELINE, baseline={"q1": {"a": 1.0}})
    assert result.warnings == ("baseline: 2 of 3 judged queries are missing from the run and count as empty rankings",)
    result = treckon.gate({**rules, "conventions": {"missing": "skip"}}, QRELS, RUN, baseline=RUN)
    missing = "1 of 3 judged queries are missing from the run, for example 'q3', and don't count "
    missing += "(missing='zero' counts them as having retrieved nothing)"
    assert result.warnings == (missing, f"baseline: {missing}")


@pytest.mark.parametrize(
    ("run", "baseline", "message"),
    [
        ({"q9": {"z": 1.0}}, RUN, "run: {}: the run has 'q9', the judgements have 'q1'"),
        (RUN, {}, "baseline: {}: the run has no query"),
        (RUN, iter([("q9", "z", 1.0)]), "baseline: {}"),  # rows that are gone
    ],
)
def test_runs_without_judged_queries_are_refused(run, baseline, message):
    """A baseline of another collection would have any run meet its rule."""
    rules = {"measures": {"P@2": {"baseline": {}}}}
    with pytest.raises(NoQueriesError) as caught:
        treckon.gate(rules, QRELS, run, baseline=baseline)
    assert str(caught.value) == message.format("expected a query with both results and judgements, found none")


def test_a_baseline_file_without_judged_queries_is_refused(tmp_path):
    baseline = tmp_path / "other"
    baseline.write_text("q9 Q0 z 1 1 t\n")
    with pytest.raises(NoQueriesError) as caught:
        treckon.gate({"measures": {"P@2": {"baseline": {}}}}, QRELS, RUN, baseline=baseline)
    problem = "expected a query with both results and judgements, found none"
    assert str(caught.value) == f"{baseline}: {problem}: the run has 'q9', the judgements have 'q1'"


def test_queries_that_do_not_count_fail_no_rule():
    qrels = {**QRELS, "q4": {"a": 0}}
    rules = {"conventions": {"no_relevant": "skip"}, "measures": {"P@2": {"floor": {"value": 0.1, "queries": 0}}}}
    (rule,) = treckon.gate(rules, qrels, RUN).rules
    assert [query.query for query in rule.failing] == ["q2", "q3"]
    rules["conventions"] = {}
    (rule,) = treckon.gate(rules, qrels, RUN).rules
    assert [query.query for query in rule.failing] == ["q2", "q3", "q4"]


def test_judgements_in_groups_have_no_missed_documents():
    qrels = "q1 A a 1\nq1 B a 0\nq1 B b 1\n"
    rules = {"measures": {"map_avgjg": {"minimum": 0.9}}}
    result = treckon.gate(rules, qrels, {"q1": {"x": 2.0, "b": 1.0}}, qrels_format="qrels_jg")
    assert [(query.query, query.missed) for query in result.rules[0].failing] == [("q1", ())]


# Against naive rules

DOCUMENTS = st.sampled_from("abcdef")
QUERIES = st.sampled_from(["q1", "q2", "q3", "q4"])
NUMBERS = st.dictionaries(
    QUERIES, st.dictionaries(DOCUMENTS, st.integers(0, 3).map(float), min_size=1), min_size=1, max_size=4
)
GRADES = st.dictionaries(QUERIES, st.dictionaries(DOCUMENTS, st.integers(-1, 2), min_size=1), min_size=1, max_size=4)


def naive_ranking(qrels: dict, run: dict, query: str, conventions: dict) -> list[str]:
    grades, scores = qrels[query], run.get(query, {})
    best = {document: max(grades.get(document, -1), -1) for document in scores}
    ties = conventions.get("ties", "trec")
    ranked = sorted(scores, reverse=ties != "docno")
    if ties in ("optimistic", "pessimistic"):
        ranked.sort(key=lambda document: best[document], reverse=ties == "optimistic")
    ranked.sort(key=lambda document: -scores[document])
    ranked = ranked[: conventions.get("depth")]
    if conventions.get("unjudged") == "condensed":
        ranked = [document for document in ranked if best[document] >= 0]
    return ranked


@settings(max_examples=60)
@given(
    GRADES,
    NUMBERS,
    NUMBERS,
    st.fixed_dictionaries(
        {},
        optional={
            "ties": st.sampled_from(["trec", "docno", "optimistic", "pessimistic"]),
            "depth": st.integers(1, 4),
            "unjudged": st.just("condensed"),
            "level": st.integers(1, 2),
        },
    ),
)
def test_rules_are_what_naive_ones_say(qrels, run, baseline, conventions):
    level = conventions.get("level", 1)
    rankings = {query: naive_ranking(qrels, run, query, conventions) for query in qrels}
    others = {query: naive_ranking(qrels, baseline, query, conventions) for query in qrels}

    def value(ranking: list[str], query: str) -> float:
        return sum(qrels[query].get(document, -1) >= level for document in ranking[:2]) / 2

    own = {query: value(ranking, query) for query, ranking in rankings.items()}
    base = {query: value(ranking, query) for query, ranking in others.items()}
    mean, base_mean = sum(own.values()) / len(own), sum(base.values()) / len(base)
    table = {
        "minimum": 0.4,
        "maximum": 0.4,
        "baseline": {"tolerance": 0.1},
        "floor": {"value": 0.5, "queries": 1},
        "hits": {"value": 1, "share": 0.5},
    }
    rules = {"conventions": conventions, "measures": {"P@2": table}}
    if not (qrels.keys() & run.keys() and qrels.keys() & baseline.keys()):
        with pytest.raises(NoQueriesError):
            treckon.gate(rules, qrels, run, baseline=baseline)
        return
    result = treckon.gate(rules, qrels, run, baseline=baseline)
    failing = {
        "minimum": {query for query in own if own[query] < 0.4},
        "maximum": {query for query in own if own[query] > 0.4},
        "baseline": {query for query in own if own[query] < base[query]},
        "floor": {query for query in own if own[query] < 0.5},
        "hits": {query for query in own if own[query] < 1},
    }
    met = {
        "minimum": mean >= 0.4 - 1e-9,
        "maximum": mean <= 0.4 + 1e-9,
        "baseline": mean - base_mean >= -0.1 - 1e-9,
        "floor": len(failing["floor"]) <= 1,
        "hits": len(own) - len(failing["hits"]) >= 0.5 * len(own),
    }
    assert {rule.rule: rule.met for rule in result.rules} == met
    for rule in result.rules:
        assert {query.query for query in rule.failing} == (set() if rule.met else failing[rule.rule])
        for query in rule.failing:
            ranking = rankings[query.query]
            expected = {
                (document, grade, ranking.index(document) + 1 if document in ranking else None)
                for document, grade in qrels[query.query].items()
                if grade >= level and document not in ranking[:2]
            }
            assert {(one.document, one.grade, one.rank) for one in query.missed} == expected


# The file


def written(text: str) -> Thresholds:
    return read_thresholds(text.encode())


def test_all_of_a_file():
    text = """\
title = "release 3"
missed_at = 20
[conventions]
level = 2
missing = "skip"
gain = {1 = 1, 2 = 5}
discount = ["jk", 2]

[measures."nDCG@10"]
minimum = 0.3
baseline = { tolerance = 0.01, by = "interval", confidence = 0.9 }

[measures.P_10.floor]
value = 0.1
queries = 3
"""
    thresholds = written(text)
    assert (thresholds.title, thresholds.missed_at) == ("release 3", 20)
    assert thresholds.conventions == {"level": 2, "missing": "skip", "gain": {1: 1, 2: 5}, "discount": ("jk", 2)}
    assert [(str(one.measure), one.kind, one.place, one.limit) for one in thresholds.rules] == [
        ("nDCG@10", "minimum", "gate:10", 0.3),
        ("nDCG@10", "baseline", "gate:11", 0.01),
        ("P_10", "floor", "gate:13", 3.0),
    ]
    assert thresholds.rules[1].interval == ByInterval(0.9, "bca", 10_000, 0)
    assert thresholds.digest == sha256(text.encode()).hexdigest()
    assert written("[measures.AP]\nminimum = 0\n").conventions == {"missing": "zero"}


def test_lines_of_keys():
    text = b'\xef\xbb\xbfa = 1\n# b = 2\n[c."d.e"] # x\n"f=g" = "h = i"\nj.k = 2\n\n[[l]]\nm = {n = 1}\n[ o . p ]\n'
    assert key_lines(text) == {
        ("a",): 1, ("c",): 3, ("c", "d.e"): 3, ("c", "d.e", "f=g"): 4, ("c", "d.e", "j"): 5, ("c", "d.e", "j", "k"): 5,
        ("l",): 7, ("l", "m"): 8, ("o",): 9, ("o", "p"): 9,
    }  # fmt: skip


PREFIX = '[measures."P@5"]\n'


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("titel = 'x'\n", InputError,
         "gate:1: titel: expected title, missed_at, conventions, measures, found another key; did you mean title?"),
        ("title = 3\n", InputError, "gate:1: title: expected text, found 3"),
        ("missed_at = true\n", InputError,
         "gate:1: missed_at: expected a whole number from 0 to 1000000000, found True"),
        ("", InputError, "gate: cannot read it: it is empty"),
        ("title = 'x'\n", InputError, "gate: expected at least one rule, found none"),
        ("measures = 3\n", InputError, "gate:1: measures: expected a table for each measure, found 3"),
        ("[measures]\nAP = 3\n", InputError,
         "gate:2: measures.AP: expected a table with minimum, maximum, baseline, floor, hits, found 3"),
        (PREFIX + "minimun = 0.3\n", InputError,
         'gate:2: measures."P@5".minimun: expected minimum, maximum, baseline, floor, hits, found another key; did you '
         "mean minimum?"),
        (PREFIX + "xyz = 0.3\n", InputError,
         'gate:2: measures."P@5".xyz: expected minimum, maximum, baseline, floor, hits, found another key'),
        (PREFIX + "minimum = nan\n", InputError, 'gate:2: measures."P@5".minimum: expected a finite number, found NaN'),
        (PREFIX + f"minimum = {10**400}\n", InputError,
         'gate:2: measures."P@5".minimum: expected a finite number, found a whole number of 1329 bits'),
        (PREFIX + "minimum = '0.3'\n", InputError,
         'gate:2: measures."P@5".minimum: expected a finite number, found \'0.3\' (str)'),
        (PREFIX + "floor = { value = 0.1 }\n", InputError,
         'gate:2: measures."P@5".floor: expected queries, found none'),
        (PREFIX + "[measures.'P@5'.floor]\nvalue = 0.1\nqueries = -1\n", InputError,
         'gate:4: measures."P@5".floor.queries: expected a whole number from 0 to 1000000000, found -1'),
        (PREFIX + "hits = { share = 0.1 }\n", InputError, 'gate:2: measures."P@5".hits: expected value, found none'),
        (PREFIX + "hits = { value = 1, share = 90 }\n", InputError,
         'gate:2: measures."P@5".hits.share: expected a share from 0 to 1, found 90'),
        (PREFIX + "baseline = { tolerance = -0.1 }\n", InputError,
         'gate:2: measures."P@5".baseline.tolerance: expected a number from 0, found -0.1'),
        (PREFIX + "baseline = { by = 'median' }\n", InputError,
         "gate:2: measures.\"P@5\".baseline.by: expected 'mean' or 'interval', found 'median' (str)"),
        (PREFIX + "baseline = { confidence = 0.9 }\n", InputError,
         "gate:2: measures.\"P@5\".baseline.confidence: expected it with by = 'interval' only"),
        (PREFIX + "baseline = { by = 'interval', confidence = 1 }\n", InputError,
         'gate:2: measures."P@5".baseline.confidence: expected a number above 0 and below 1, found 1'),
        (PREFIX + "baseline = { by = 'interval', resamples = 0 }\n", InputError,
         'gate:2: measures."P@5".baseline.resamples: expected a whole number from 1 to 10000000, found 0'),
        ("[measures.nDGC]\nminimum = 1\n", UnknownMeasureError,
         "gate:1: unknown measure 'nDGC'; did you mean nDCG, Rndcg or α_nDCG?"),
        ("[measures.official]\nminimum = 1\n", ParameterError,
         "gate:1: 'official': expected one measure, found 30 (runid, num_q, num_ret, ...)"),
        ('[measures."P.5,10"]\nminimum = 1\n', ParameterError,
         "gate:1: 'P.5,10': expected one measure, found 2 (P_5, P_10)"),
        ("[measures.relstring]\nminimum = 1\n", InputError,
         "gate:1: measures.relstring: expected a measure with a number over all queries"),
        ("[measures.gm_map]\nfloor = { value = 1, queries = 0 }\n", InputError,
         "gate:2: measures.gm_map.floor: expected a measure that has a value for each query and their mean over all"),
        ("[conventions]\nmising = 'zero'\n" + PREFIX, InputError,
         "gate:2: conventions.mising: expected compat, depth, discount, duplicates, equal_judgements, extra, gain, "
         "ignore_self, level, missing, negative, no_relevant, order, samples, seed, ties, unjudged, found another key; "
         "did you mean missing?"),
        ("[conventions]\nmissing = 'nought'\n", ParameterError,
         "gate:2: missing: expected 'skip', 'zero' or 'error', found 'nought'"),
        ("[conventions]\nties = 'expected'\ndepth = 3\n", ParameterError,
         "gate:1: depth: expected none with ties='expected', since a cut through ties has no expected ranking; "
         "a measure's own cutoff does"),
        (b"# \xff\n\n", InputError, "gate:1: expected UTF-8, found other bytes"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file(text, error, words):
    with pytest.raises(error) as caught:
        read_thresholds(text if isinstance(text, bytes) else text.encode())
    assert str(caught.value) == words


def test_what_is_no_toml():
    with pytest.raises(InputError, match=r"^gate:2: expected TOML: ."):
        written("title = 'x'\n= 3\n")
    with pytest.raises(InputError, match=r"^gate: expected a TOML file or a mapping, found 3$"):
        read_thresholds(3)
    with pytest.raises(InputError, match=r"^/no/gate.toml: cannot read it: No such file or directory$"):
        read_thresholds("/no/gate.toml")


def test_a_rule_about_a_baseline_needs_one():
    with pytest.raises(EvaluationError) as caught:
        judged({"baseline": {}})
    assert str(caught.value) == "gate: expected a baseline for this rule, found none"


# The result in other forms


def test_result_as_json():
    result = treckon.gate({"measures": {"P@2": {"minimum": 0.2, "maximum": 1}}}, QRELS, RUN, baseline=BASELINE)
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert found["met"] is False
    assert found["gate"] == {"file": "gate", "title": "", "sha256": ""}
    assert (found["run"], found["baseline"]) == ("run", "baseline")
    assert found["rules"][0]["failing"][0] == {
        "query": "q2", "value": 0.0, "baseline": None, "missed": [{"document": "a", "grade": 1, "rank": 3}],
    }  # fmt: skip
    assert found["rules"][1]["failing"] == []
    assert found["conventions"]["missing"] == "zero"
    assert repr(result.rules[0]) == "<P@2 minimum: NOT MET: expected at least 0.2, found 0.166667>"


def test_long_results_are_cut_in_messages():
    qrels = {f"q{i}": {f"d{j}": 1 for j in range(9)} for i in range(30)}
    result = treckon.gate({"measures": {"P@2": {"minimum": 0.2}}}, qrels, {"q1": {"x": 1.0}})
    assert repr(result).splitlines()[2:] == [
        *[
            f"          query {query}: 0.0000; missed d0 (grade 1, not retrieved), d1 (grade 1, not retrieved), "
            "d2 (grade 1, not retrieved), 6 more"
            for query in ("q0", "q1", "q10")
        ],
        "          and 27 more queries",
    ]
    failure = ElementTree.fromstring(junit_xml(result)).find(".//failure")
    lines = failure.text.splitlines()
    assert lines[:3] == [
        "gate: expected at least 0.2, found 0", "query q0: 0", "  missed d0 (grade 1, not retrieved)"
    ]  # fmt: skip
    assert lines[7] == "  and 4 more documents"
    assert lines[-1] == "and 10 more queries"
    assert len(lines) == 1 + 20 * 7 + 1


def test_junit_is_xml_whatever_the_ids_are():
    odd = 'q<&">\x00\x1b\ud800\uffff\n'
    rules = {"title": odd, "measures": {"P@2": {"minimum": 0.9}, "RR": {"minimum": 0, "baseline": {}}}}
    result = treckon.gate(rules, {odd: {odd: 1}}, {odd: {"x": 1.0}}, baseline={odd: {"x": 1.0}})
    root = ElementTree.fromstring(junit_xml(result))
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == ("testsuites", "3", "1", "0")
    suite = root.find("testsuite")
    plain = 'q<&">\ufffd\ufffd\ufffd\ufffd'
    assert suite.get("name").startswith(plain)
    properties = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert properties["baseline"] == "baseline"
    assert properties["convention.missing"] == "zero"
    cases = {(one.get("classname"), one.get("name")): one for one in suite.iter("testcase")}
    assert set(cases) == {("P@2", "minimum"), ("RR", "minimum"), ("RR", "baseline")}
    failure = cases["P@2", "minimum"].find("failure")
    assert (failure.get("type"), failure.get("message")) == ("minimum", "expected at least 0.9, found 0")
    assert f"query {plain}" in failure.text
    assert cases["RR", "minimum"].find("system-out").text == "expected at least 0, found 0"


# The inputs


def test_files_of_every_kind(tmp_path, monkeypatch):
    """A run that can be read once only is looked at twice: for its values, and for the documents it missed."""
    gate, qrels, run = tmp_path / "gate.toml", tmp_path / "qrels.gz", tmp_path / "run.gz"
    gate.write_text("missed_at = 1\n[measures.RR]\nminimum = 0.9\nbaseline = {}\n")
    qrels.write_bytes(gzip.compress(b"q1 0 a 1\n"))
    text = b"q1 Q0 b 1 2 m\nq1 Q0 a 2 1 m\n"
    run.write_bytes(gzip.compress(text))
    reader, writer = os.pipe()
    os.write(writer, text)
    os.close(writer)
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        results = [treckon.gate(gate, qrels, "-", baseline=str(run))]
    results.append(treckon.gate(str(gate), qrels, run, baseline=run))
    results.append(treckon.gate(gate.read_bytes(), "q1 0 a 1\n", text, baseline=text))
    rows = (("q1", "b", 2.0), ("q1", "a", 1.0))
    results.append(treckon.gate(gate, qrels, (row for row in rows), baseline=iter(rows)))
    for result in results:
        assert [rule.met for rule in result.rules] == [False, True]
        assert [str(one) for one in result.rules[0].failing[0].missed] == ["a (grade 1, rank 2)"]
    assert results[0].name == str(gate)
    assert [result.run for result in results] == ["standard input", str(run), "run", "run"]
    assert [result.baseline for result in results] == [str(run), str(run), "baseline", "baseline"]


def test_errors_of_the_data_pass():
    with pytest.raises(EvaluationError, match=r"^run:2: expected each document once for a query, "):
        treckon.gate({"measures": {"RR": {"minimum": 0}}}, QRELS, "q1 Q0 a 1 1 m\nq1 Q0 a 2 1 m\n")


def test_warnings_of_both_runs():
    rules, qrels = {"measures": {"RR": {"minimum": 0}}}, {"q1": {"a": 1}}
    result = treckon.gate(rules, qrels, "q1 Q0 a 1 1x m\n", baseline="q1 Q0 a 1 2y m\n")
    assert [warning.partition(";")[0] for warning in result.warnings] == [
        "run:1: expected a number as score, found '1x'",
        "baseline: run:1: expected a number as score, found '2y'",
    ]
