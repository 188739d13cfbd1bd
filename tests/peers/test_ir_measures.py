"""treckon as a provider of ir_measures, against ir_measures' own providers, where these are installed."""

import logging
import random
import shutil
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import treckon
from treckon.errors import EvaluationError, InputError, ParameterError, UnknownMeasureError

ir_measures: Any = pytest.importorskip("ir_measures")
from ir_measures import CwlMetric, Metric, Qrel, ScoredDoc  # noqa: E402

import treckon.compat.ir_measures as compat  # noqa: E402

logging.getLogger("ir_measures").setLevel(logging.ERROR)  # cwl_eval's remarks about grades

Judged = dict[str, dict[str, int]]
Scored = dict[str, dict[str, float]]


@pytest.fixture(autouse=True)
def not_registered() -> Iterator[None]:
    compat.unregister()
    yield
    compat.unregister()


def parsed(text: str) -> Any:
    """Its reader of texts uses what Python 3.12 deprecates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return ir_measures.parse_measure(text)


def random_data(seed: int, *, lowest: int = 0, ties: bool = False) -> tuple[Judged, Scored]:
    """Graded judgements and a run: queries that either lacks, documents without a judgement. Ids of queries are numbers
    because gdeval takes no others."""
    random_ = random.Random(seed)
    qrels: Judged = {}
    run: Scored = {}
    for number in range(1, 31):
        docnos = [f"d{i}" for i in random_.sample(range(40), random_.randint(1, 30))]
        scores = random_.choices(range(1, 7), k=len(docnos)) if ties else random_.sample(range(1000), len(docnos))
        if number % 10 != 3:
            run[str(number)] = dict(zip(docnos, map(float, scores), strict=True))
        if number % 10 != 7:
            judged = random_.sample(range(40), random_.randint(1, 25))
            qrels[str(number)] = {f"d{i}": random_.choice([lowest, 0, 0, 1, 1, 2, 3]) for i in judged}
    return qrels, run


def random_subtopics() -> tuple[list[Any], Scored]:
    random_ = random.Random(4)
    qrels = [
        Qrel(str(number), f"d{i}", random_.choice([0, 1, 1, 2]), str(subtopic))
        for number in range(1, 31)
        for subtopic in range(1, random_.randint(3, 5))
        for i in random_.sample(range(15), random_.randint(1, 8))
    ]
    run = {
        str(number): {f"d{i}": float(random_.random()) for i in random_.sample(range(20), random_.randint(1, 15))}
        for number in range(1, 31)
        if number % 7 != 3
    }
    return qrels, run


def stream(calculate: Any, measure: Any, qrels: Any, run: Any) -> dict[str, Any]:
    """By query, the one metric of a measure."""
    metrics = list(calculate([measure], qrels, run))
    found = {metric.query_id: metric for metric in metrics}
    assert len(found) == len(metrics)
    assert {metric.measure for metric in metrics} <= {measure}
    return found


def assert_same_stream(text: str, qrels: Any, run: Any, tolerance: float) -> None:
    """Each metric has the type and numbers of ir_measures' own first provider."""
    measure = parsed(text)
    try:
        expected = stream(ir_measures.iter_calc, measure, qrels, run)
    except ValueError as error:
        assert "Unsupported measures" in str(error)
        pytest.skip(f"no provider of {text} is installed")
    found = stream(compat.Provider().iter_calc, measure, qrels, run)
    assert found.keys() == expected.keys()
    for query_id, metric in expected.items():
        assert type(found[query_id]) is type(metric)
        assert found[query_id][2:] == pytest.approx(metric[2:], rel=tolerance, abs=tolerance), query_id


# The values

TREC_EVALS = """
    AP; AP(rel=2); AP@5; AP(judged_only=True); AP(rel=2, judged_only=True)@7; Bpref; Bpref(rel=2); infAP; infAP(rel=2);
    IPrec@0.0; IPrec@0.5; IPrec(rel=2)@0.3; IPrec(judged_only=True)@0.1; nDCG; nDCG@5; nDCG(judged_only=True)@5;
    nDCG(gains={1:3,2:1})@10; nDCG(gains={0:1}); NumQ; NumRel; NumRet; NumRet(rel=2); NumRelRet; P@5; P(rel=2)@3;
    P(judged_only=True)@5; R@5; R(rel=2)@10; R(judged_only=True)@5; Rprec; Rprec(rel=2); Rprec(judged_only=True);
    RR; RR(rel=2); RR(judged_only=True); SetP; SetRelP; SetP(rel=2, relative=True, judged_only=True);
    SetP(judged_only=True); SetR; SetR(rel=2); SetF; SetF(beta=2.0); SetF(rel=2, beta=0.5, judged_only=True); SetAP;
    SetAP(rel=2); SetAP(judged_only=True); Success@1; Success@5; Success(rel=2)@5; Success(judged_only=True)@5
"""
CWL_EVALS = """
    BPM(max_rel=3)@5; BPM(T=2.0, min_rel=1, max_rel=3)@10; INST(max_rel=3); INST(T=2.0, max_rel=4); INSQ(max_rel=3);
    NERR8(max_rel=3)@5; NERR9(max_rel=3)@5; NERR10(max_rel=3); NERR10(p=.5, max_rel=4); NERR11(max_rel=3);
    NERR11(T=2.0, max_rel=3); RBP(rel=1); RBP(p=.5, rel=2); SDCG(max_rel=3)@5; SDCG(max_rel=4)@20
"""
NDEVALS = """
    ERR_IA@5; ERR_IA@20; nERR_IA@1; nERR_IA@10; alpha_DCG@5; alpha_nDCG@1; alpha_nDCG@5; alpha_nDCG@20;
    alpha_nDCG(alpha=.9)@10; alpha_nDCG(rel=2)@10; NRBP; NRBP(alpha=.3, beta=.4); nNRBP; AP_IA; AP_IA(rel=2); P_IA@5;
    P_IA@20; StRecall@5; StRecall(rel=2)@5
"""


def listed(texts: str) -> list[str]:
    return [text.strip() for text in texts.split(";")]


@pytest.mark.parametrize("text", listed(TREC_EVALS))
def test_values_are_pytrec_eval_s_also_of_ties_and_negative_grades(text: str):
    for seed, ties in ((1, False), (2, True)):
        assert_same_stream(text, *random_data(seed, lowest=-1, ties=ties), tolerance=1e-15)


@pytest.mark.parametrize("text", listed(CWL_EVALS))
def test_values_are_cwl_eval_s(text: str):
    """cwl_eval ranks by rank of input where scores tie."""
    assert_same_stream(text, *random_data(3, lowest=-1), tolerance=1e-9)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval needs perl")
@pytest.mark.parametrize("text", ["ERR@1", "ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20"])
def test_i04_i15_values_are_gdeval_s_with_more_digits(text: str):
    """gdeval prints five digits, and always takes 4 for the highest grade."""
    for ties in (False, True):
        assert_same_stream(text, *random_data(4, ties=ties), tolerance=5.1e-6)


@pytest.mark.parametrize(
    "text", ["Accuracy", "Accuracy@5", "Accuracy(rel=2)", "Judged", "Judged@3", "RR@10", "RR(rel=2)@2"]
)
def test_values_are_those_of_ir_measures_own_code(text: str):
    """Where scores don't tie; there it ranks by rising document id."""
    qrels, run = random_data(5)
    if text.startswith("Accuracy"):  # it divides by zero where all documents retrieved are relevant
        run = {query: {**documents, "nobody's": -1.0} for query, documents in run.items()}
    assert_same_stream(text, qrels, run, tolerance=1e-15)


@pytest.mark.parametrize("text", listed(NDEVALS))
def test_values_are_ndeval_s(text: str):
    qrels, run = random_subtopics()
    assert_same_stream(text, qrels, run, tolerance=1e-12)


def test_i05_compatibility_is_the_definition_s_with_depth_0_ir_measures_own():
    """ir_measures compares down to the end of the longer list, the definition to rank 1000."""
    qrels, run = random_data(6)
    theirs = stream(ir_measures.iter_calc, parsed("Compat(p=0.9)"), qrels, run)
    ours = treckon.evaluate(qrels, run, ["Compat(p=0.9)", "Compat(p=0.9, depth=0)"], missing="zero").per_query
    provided = stream(compat.Provider().iter_calc, parsed("Compat(p=0.9)"), qrels, run)
    for query_id, metric in theirs.items():
        assert ours[query_id]["Compat(p=0.9, depth=0)"] == pytest.approx(metric.value, abs=1e-12)
        assert provided[query_id].value == ours[query_id]["Compat(p=0.9)"]


@pytest.mark.parametrize("name", ["ERR_IA", "alpha_DCG"])
def test_i06_at_cutoff_1_ndeval_does_not_divide(name: str):
    pytest.importorskip("pyndeval")
    qrels, run = random_subtopics()
    theirs = stream(ir_measures.iter_calc, parsed(f"{name}@1"), qrels, run)
    provided = stream(compat.Provider().iter_calc, parsed(f"{name}@1"), qrels, run)
    subtopics: dict[str, Any] = {}
    for query, docno, grade, subtopic in qrels:
        subtopics.setdefault(query, {}).setdefault(subtopic, {})[docno] = grade
    names = [f"{name}@1", f"{name}(as_ndeval=True)@1"]
    ours = treckon.evaluate(subtopics, run, names, qrels_format="subtopics", missing="zero").per_query
    for query_id, metric in theirs.items():
        assert ours[query_id][names[1]] == pytest.approx(metric.value, abs=1e-12)
        assert provided[query_id].value == ours[query_id][names[0]]


# Ties


@pytest.mark.parametrize(
    ("text", "theirs", "ours"),
    [("RR@10", 1.0, 1 / 3), ("Judged@1", 1.0, 0.0), ("Accuracy", 1.0, 0.0), ("RR", 1 / 3, 1 / 3)],
)
def test_i01_ties_are_trec_eval_s_for_all_measures_unless_asked_otherwise(text: str, theirs: float, ours: float):
    measure = parsed(text)
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == theirs
    assert compat.Provider().calc_aggregate([measure], qrels, run)[measure] == ours  # c before b before a
    assert compat.Provider(ties="docno").calc_aggregate([measure], qrels, run)[measure] == 1.0


def test_i01_cwl_eval_ranks_tied_documents_as_listed():
    pytest.importorskip("cwl")
    measure = parsed("NERR8(max_rel=1)@5")
    qrels = {"1": {"a": 1}}
    for run, value in (({"a": 1.0, "b": 1.0}, 1.0), ({"b": 1.0, "a": 1.0}, 0.5)):
        assert ir_measures.calc_aggregate([measure], qrels, {"1": run})[measure] == pytest.approx(value)
        assert compat.Provider().calc_aggregate([measure], qrels, {"1": run})[measure] == pytest.approx(0.5)


def test_i02_scores_are_compared_in_32_bits_unless_asked_otherwise():
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 0.700000010, "b": 0.700000005}}
    for measure, theirs in ((ir_measures.RR, 0.5), (ir_measures.RR @ 10, 1.0)):
        assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == theirs
        assert compat.Provider().calc_aggregate([measure], qrels, run)[measure] == 0.5
        assert compat.Provider(compat="10.0").calc_aggregate([measure], qrels, run)[measure] == 1.0


def test_i03_beta_of_set_f_is_its_own_square():
    qrels, run = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 1.0, "x": 2.0}}
    measure = ir_measures.SetF(beta=2.0)
    ours = compat.from_ir_measures(measure)
    value = treckon.evaluate(qrels, run, [ours, "set_F.2", "SetF(beta=2)"]).means
    assert value[ours] == pytest.approx(value["set_F.2"], abs=1e-15) != value["SetF(beta=2)"]
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(value[ours], abs=1e-15)


def test_i12_a_negative_grade_is_no_judgement_unless_asked_otherwise():
    qrels, run = {"1": {"a": 1, "b": -1}}, {"1": {"a": 2.0, "b": 1.0}}
    measure = ir_measures.Judged @ 2
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == 1.0
    assert compat.Provider().calc_aggregate([measure], qrels, run)[measure] == 0.5
    assert compat.Provider(negative="nonrelevant").calc_aggregate([measure], qrels, run)[measure] == 1.0


# What may be passed in

MIXED = [parsed(text) for text in ("AP", "nDCG@5", "RBP(rel=1)", "NumQ", "Accuracy", "alpha_nDCG@5")]
RANKED = MIXED[:-1]


def rows_of(qrels: Judged, run: Scored) -> tuple[list[Any], list[Any]]:
    return (
        [Qrel(query, docno, grade) for query, documents in qrels.items() for docno, grade in documents.items()],
        [ScoredDoc(query, docno, score) for query, documents in run.items() for docno, score in documents.items()],
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    qrels, run = rows_of(*random_data(7))
    folder = tmp_path_factory.mktemp("files")
    paths = folder / "qrels", folder / "run"
    paths[0].write_text("".join(f"{one.query_id} 0 {one.doc_id} {one.relevance}\n" for one in qrels))
    paths[1].write_text("".join(f"{one.query_id} Q0 {one.doc_id} 1 {one.score} t\n" for one in run))
    return str(paths[0]), str(paths[1])


def forms(files: tuple[str, str]) -> dict[str, Any]:
    """Qrels and run in each form that ir_measures takes, made anew by each call; and ours: paths."""
    qrels, run = random_data(7)
    qrels_rows, run_rows = rows_of(qrels, run)
    read_qrels, read_run = ir_measures.read_trec_qrels, ir_measures.read_trec_run

    def frames() -> tuple[Any, Any]:
        pandas = pytest.importorskip("pandas")
        return pandas.DataFrame(qrels_rows), pandas.DataFrame(run_rows)

    return {
        "dicts": lambda: (qrels, run),
        "rows": lambda: (qrels_rows, run_rows),
        "iterators": lambda: (iter(qrels_rows), (row for row in run_rows)),
        "data frames": frames,
        "files": lambda: (read_qrels(files[0]), read_run(files[1])),
        "open files": lambda: (read_qrels(open(files[0])), read_run(open(files[1]))),
        "texts": lambda: (read_qrels(Path(files[0]).read_text()), read_run(Path(files[1]).read_text())),
        "paths": lambda: (files[0], Path(files[1])),
        "dict and file": lambda: (qrels, read_run(files[1])),
    }


FORMS = ["dicts", "rows", "iterators", "data frames", "files", "open files", "texts", "paths", "dict and file"]


def same_results(found: Any, expected: Any) -> None:
    assert found.aggregated == pytest.approx(expected.aggregated, abs=1e-15, nan_ok=True)
    assert sorted(found.per_query, key=repr) == sorted(expected.per_query, key=repr)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the open files are ir_measures' to close
@pytest.mark.parametrize("measures", [RANKED, MIXED], ids=["rankings", "subtopics too"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_qrels_and_run_gives_the_same(form: str, measures: list[Any], files: tuple[str, str]):
    provider = compat.Provider()
    expected = provider.calc(measures, *random_data(7))
    same_results(provider.calc(measures, *forms(files)[form]()), expected)
    if form == "paths":
        return  # ir_measures itself takes none
    compat.register(first=True)
    same_results(ir_measures.calc(measures, *forms(files)[form]()), expected)


@pytest.mark.parametrize("form", ["rows", "data frames"])
def test_subtopics_are_the_iterations_of_rows_and_data_frames(form: str):
    rows, run = random_subtopics()
    subtopics: dict[str, Any] = {}
    for query, docno, grade, subtopic in rows:
        subtopics.setdefault(query, {}).setdefault(subtopic, {})[docno] = grade
    qrels = pytest.importorskip("pandas").DataFrame(rows) if form == "data frames" else iter(rows)
    expected = treckon.evaluate(subtopics, run, "alpha_nDCG@5", qrels_format="subtopics", missing="zero")
    measure = ir_measures.alpha_nDCG @ 5
    found = compat.Provider().calc_aggregate([measure], qrels, run)
    assert found == {measure: pytest.approx(expected["alpha_nDCG@5"], abs=1e-15)}


def test_i07_several_diversity_measures_in_one_call_are_each_what_they_are_alone():
    qrels, run = random_subtopics()
    measures = [parsed(f"alpha_nDCG({one})@10") for one in ("alpha=.5", "alpha=.9", "rel=2")]
    provider = compat.Provider()
    alone = [provider.calc_aggregate([one], qrels, run)[one] for one in measures]
    assert len(set(alone)) == 3 and min(alone) > 0
    assert provider.calc_aggregate(measures, qrels, run) == dict(zip(measures, alone, strict=True))
    pytest.importorskip("pyndeval")
    assert sorted(ir_measures.calc_aggregate(measures, qrels, run).values())[:2] == [0.0, 0.0]


@pytest.mark.parametrize(("text", "error"), [("P_IA(judged_only=True)@1", TypeError), ("StRecall@30", AssertionError)])
def test_i08_diversity_measures_of_judged_documents_and_at_any_cutoff(text: str, error: Any):
    qrels, run = [Qrel("1", "a", 1, "1"), Qrel("1", "b", 0, "2")], {"1": {"x": 2.0, "a": 1.0}}
    measure = parsed(text)
    assert compat.Provider().calc_aggregate([measure], qrels, run) == {measure: 1.0}
    pytest.importorskip("pyndeval")
    with pytest.raises(error):
        ir_measures.calc_aggregate([measure], qrels, run)


def test_an_evaluator_takes_many_runs():
    qrels, run = random_data(8)
    other = {query: {docno: -score for docno, score in documents.items()} for query, documents in run.items()}
    compat.register(first=True)
    evaluator = ir_measures.evaluator(MIXED, qrels)
    for one in (run, other, {}, run):
        same_results(evaluator.calc(one), ir_measures.calc(MIXED, qrels, one))
        assert evaluator.calc_aggregate(one) == pytest.approx(
            ir_measures.calc_aggregate(MIXED, qrels, one), nan_ok=True
        )


def test_threads_may_share_an_evaluator():
    qrels, run = random_data(11)
    evaluator = compat.Provider().evaluator(MIXED, qrels)
    expected = evaluator.calc_aggregate(run)
    with ThreadPoolExecutor(8) as pool:
        found = [future.result() for future in [pool.submit(evaluator.calc_aggregate, run) for _ in range(32)]]
    assert found == [expected] * 32


def test_i16_queries_that_the_run_lacks_come_last_with_0():
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}, {"3": {"a": 1.0, "b": 0.5}, "9": {"a": 1.0}}
    measures = [ir_measures.AP, ir_measures.NumQ, ir_measures.NumRel]
    metrics = list(compat.Provider().iter_calc(measures, qrels, run))
    assert metrics[:3] == [Metric("3", one, 1.0) for one in measures]
    assert sorted(metrics[3:], key=repr) == sorted((Metric(one, m, 0.0) for one in "12" for m in measures), key=repr)
    expected = {ir_measures.AP: 1 / 3, ir_measures.NumQ: 1.0, ir_measures.NumRel: 1.0}
    assert compat.Provider().calc_aggregate(measures, qrels, run) == expected
    assert compat.Provider(missing="zero").calc_aggregate(measures, qrels, run)[ir_measures.NumRel] == 3.0


def test_i11_a_query_without_pairs_has_no_accuracy():
    measure = ir_measures.Accuracy
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 0}, "3": {"a": 1, "b": 0}, "4": {"a": 1}}
    run = {"1": {"a": 1.0}, "2": {"a": 1.0, "b": 2.0}, "3": {"b": 2.0}}
    assert list(compat.Provider().iter_calc([measure], qrels, run)) == [Metric("2", measure, 0.0)]
    with pytest.raises(ZeroDivisionError):
        ir_measures.calc_aggregate([measure], qrels, run)
    del run["1"]
    assert list(ir_measures.iter_calc([measure], qrels, run)) == [Metric("2", measure, 0.0)]


def test_user_models_tell_expected_utilities_and_costs():
    qrels, run = {"1": {"a": 1}}, {"1": {"x": 2.0, "a": 1.0}}
    measure = parsed("BPM(max_rel=1)@10")
    assert list(compat.Provider().iter_calc([measure], qrels, run)) == [
        CwlMetric("1", measure, 0.5, 1.0, 1.0, 2.0, 2.0)
    ]


# Files, which the core reads itself


def test_a_generator_that_has_begun_is_read_as_it_is(files: tuple[str, str]):
    qrels, _ = random_data(7)
    rows = ir_measures.read_trec_run(files[1])
    first = next(rows)
    found = compat.Provider().calc([ir_measures.NumRet], qrels, rows)
    assert found.aggregated[ir_measures.NumRet] == sum(
        one.query_id in qrels for one in ir_measures.read_trec_run(files[1])
    ) - (first.query_id in qrels)


def test_a_generator_is_at_its_end_after_its_file_was_read(files: tuple[str, str]):
    rows = ir_measures.read_trec_run(files[1])
    compat.Provider().calc_aggregate([ir_measures.AP], random_data(7)[0], rows)
    assert list(rows) == []


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        ("1 Q0 b 2", InputError, "run:2: expected 6 fields"),
        ("1 Q0 b 2 1,5 t", EvaluationError, "run:2"),
        ("1 Q0 a 2 1.5 t", EvaluationError, "run:2"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(line: str, error: Any, message: str, tmp_path: Path):
    path = tmp_path / "run"
    path.write_text(f"1 Q0 a 1 2.5 t\n{line}\n")
    with pytest.raises(error, match=message):
        compat.Provider().calc_aggregate([ir_measures.AP], {"1": {"a": 1}}, ir_measures.read_trec_run(str(path)))


# Errors


def test_i13_a_document_that_stands_twice_is_refused_unless_asked_otherwise():
    qrels, measure = {"1": {"a": 1}}, ir_measures.RR
    rows = [ScoredDoc("1", "a", 3.0), ScoredDoc("1", "b", 2.0), ScoredDoc("1", "a", 1.0)]
    assert ir_measures.calc_aggregate([measure], qrels, rows) == {measure: 0.5}
    with pytest.raises(EvaluationError, match="run: query '1', document 'a': expected each document once"):
        compat.Provider().calc_aggregate([measure], qrels, rows)
    assert compat.Provider(duplicates="max").calc_aggregate([measure], qrels, rows) == {measure: 1.0}


def test_i14_two_grades_of_a_document_are_refused():
    rows, run = [Qrel("1", "a", 1, "1"), Qrel("1", "a", 1, "1"), Qrel("1", "a", 0, "2")], {"1": {"a": 1.0}}
    provider = compat.Provider()
    assert ir_measures.calc_aggregate([ir_measures.AP], rows, run) == {ir_measures.AP: 0.0}
    problem = "qrels: query '1', document 'a': expected one judgement, found grades 1 and 0"
    with pytest.raises(EvaluationError, match=problem):
        provider.calc_aggregate([ir_measures.AP], rows, run)
    assert provider.calc_aggregate([ir_measures.AP_IA], rows, run) == {ir_measures.AP_IA: 1.0}
    problem = "qrels: query '1', subtopic '2', document 'a': expected one judgement, found grades 0 and 2"
    with pytest.raises(EvaluationError, match=problem):
        provider.calc_aggregate([ir_measures.AP_IA], [*rows, Qrel("1", "a", 2, "2")], run)


# Registering


def test_registering_first_puts_it_before_all_others():
    others = list(ir_measures.DefaultPipeline.providers)
    provider = compat.register(first=True)
    assert ir_measures.DefaultPipeline.providers == [provider, *others]
    assert ir_measures.providers.registry["treckon"] is provider
    second = compat.register()
    assert ir_measures.DefaultPipeline.providers == [*others, second]
    assert ir_measures.providers.registry["treckon"] is second
    compat.unregister()
    compat.unregister()
    assert ir_measures.DefaultPipeline.providers == others
    assert "treckon" not in ir_measures.providers.registry


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("RBP(rel=1)@10", "RBP(rel=1)@10"),
        ("NumRel(rel=2)", "NumRel(rel=2)"),
        ("RR(judged_only=True)@10", "RR(judged_only=True)@10"),
        ("ERR", "ERR(max_rel=4)"),
        ("nDCG(dcg='exp-log2')", "nDCG(gain='exp2')"),
    ],
)
def test_i09_measures_that_no_other_provider_has_are_evaluated(text: str, ours: str):
    qrels, run = random_data(9)
    measure = parsed(text)
    with_value = [one for one in ir_measures.DefaultPipeline.providers if one.supports(measure)]
    assert {type(one).__name__ for one in with_value} <= {"RanxProvider"}
    expected = treckon.evaluate(qrels, run, ours, missing="zero" if ours != "NumRel(rel=2)" else "skip")[ours]
    assert compat.Provider().calc_aggregate([measure], qrels, run)[measure] == pytest.approx(expected, abs=1e-12)


def test_registered_last_it_does_what_no_other_provider_can():
    qrels, run = random_data(9)
    measure = parsed("RBP(rel=1)@10")
    with pytest.raises(ValueError, match="Unsupported measures"):
        ir_measures.calc_aggregate([measure], qrels, run)
    compat.register()
    expected = compat.Provider().calc_aggregate([measure], qrels, run)
    assert ir_measures.calc_aggregate([measure], qrels, run) == expected


def test_i10_graded_gains_that_nothing_divides_are_not_supported():
    compat.register(first=True)
    with pytest.raises(ValueError, match="Unsupported measures"):
        ir_measures.calc_aggregate([ir_measures.RBP], *random_data(9))


def test_i15_query_ids_may_be_any_text():
    qrels, run = {"é": {"a": 1}}, {"é": {"a": 1.0}}
    assert compat.Provider().calc_aggregate([ir_measures.ERR @ 5], qrels, run) == {ir_measures.ERR @ 5: 1 / 16}


def test_measures_of_the_user_s_own_stay_with_their_provider():
    pytest.importorskip("pandas")
    measure = ir_measures.define_byquery(lambda qrels, run: float(len(run)), name="Length")
    compat.register(first=True)
    qrels, run = random_data(10)
    results = ir_measures.calc(
        [measure, ir_measures.NumRet], iter(rows_of(qrels, run)[0]), iter(rows_of(qrels, run)[1])
    )
    found = {(metric.query_id, metric.measure): metric.value for metric in results.per_query}
    assert all(found[query, measure] == found[query, ir_measures.NumRet] for query in qrels)
    with pytest.raises(UnknownMeasureError, match="treckon has no such measure"):
        compat.from_ir_measures(measure)


def test_a_convention_that_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="ties: expected"):
        compat.register(ties="coin")
    assert "treckon" not in ir_measures.providers.registry


def test_supported_measures_are_those_that_can_be_made():
    provider = compat.Provider()
    assert {one.NAME for one in provider.SUPPORTED_MEASURES} == {
        one.NAME for one in vars(ir_measures.measures).values() if isinstance(one, ir_measures.measures.BaseMeasure)
    }
    unsupported = ("P", "RBP", "SetP@5", "INST", "nDCG(dcg='exp-log2',gains={1:2})", "AP@0", "ERR_IA", "AP(rel=0.5)")
    assert [text for text in unsupported if provider.supports(parsed(text))] == []


# Measures to and fro

ROUND = [
    *listed(TREC_EVALS),
    *listed(CWL_EVALS),
    *listed(NDEVALS),
    *listed("ERR@20; nDCG(dcg='exp-log2'); Accuracy(rel=2)@3; Judged@10; Compat(p=.8, normalize=False); RR(rel=3)@10"),
    *listed(
        "SetF(beta=0.1); SetF(rel=2, beta=3.0); SetF(beta=7.25); MAP@10; NDCG; MRR; Recall@5; α_nDCG@5; MAP_IA; BPref"
    ),
]


@pytest.mark.parametrize("text", ROUND)
def test_measures_come_back_as_they_were(text: str):
    measure = parsed(text)
    assert compat.to_ir_measures(compat.from_ir_measures(measure)) == measure


@pytest.mark.parametrize("text", [text for text in ROUND if "SetF" not in text and "ERR@" not in text])
def test_our_reader_understands_the_text_the_same_way(text: str):
    ours = treckon.parse(text)
    assert compat.to_ir_measures(ours) == parsed(text)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("ndcg_cut_10", "nDCG@10"),
        ("map_cut_5", "AP@5"),
        ("set_F", "SetF"),
        ("SetF(beta=2)", "SetF(beta=4.0)"),
        ("NumRelRet(rel=2)", "NumRet(rel=2)"),
        ("RBP(p=0.5)", "RBP(p=0.5,rel=1)"),
        ("nDCG(gain='exp2', discount='log2')@5", "nDCG(dcg='exp-log2')@5"),
        ("ERR(max_rel=4)@5", "ERR@5"),
        ("Compat(depth=0)", "Compat"),
        ("ERR_IA(as_ndeval=True)@1", "ERR_IA@1"),
    ],
)
def test_our_measures_as_ir_measures_has_them(ours: str, theirs: str):
    assert repr(compat.to_ir_measures(ours)) == theirs


@pytest.mark.parametrize(
    ("ours", "error", "message"),
    [
        ("ERR@5", ParameterError, "ERR@5: ir_measures takes 4 for the highest grade always: ERR(max_rel=4)"),
        (
            "AP(denominator='min_k')@5",
            ParameterError,
            "AP(denominator='min_k')@5: ir_measures' AP has no denominator",
        ),
        ("nDCG(gain='exp2', discount='none')", ParameterError, "ir_measures' nDCG has no such gain or discount"),
        ("nDCG(rel=2)", ParameterError, "nDCG(rel=2): ir_measures' nDCG has no rel"),
        ("DCG@10", UnknownMeasureError, "DCG@10: ir_measures has no such measure"),
        ("G", UnknownMeasureError, "G: ir_measures has no such measure"),
    ],
)
def test_what_ir_measures_lacks(ours: str, error: Any, message: str):
    with pytest.raises(error) as raised:
        compat.to_ir_measures(ours)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("theirs", "error", "message"),
    [
        ("RBP", ParameterError, "RBP: expected rel; without it its gains are grades that nothing divides"),
        ("P", ParameterError, "P: expected cutoff, found none"),
        ("SetP@5", ParameterError, "ir_measures' SetP takes rel, relative, judged_only"),
        ("SetF(beta='2')", ParameterError, "SetF: beta: expected a number from 0 to 1000000.0, found '2'"),
        ("AP@0", ParameterError, "AP: cutoff: expected a whole number from 1, found 0"),
    ],
)
def test_what_treckon_cannot_make_of_a_measure(theirs: str, error: Any, message: str):
    with pytest.raises(error) as raised:
        compat.from_ir_measures(parsed(theirs))
    assert message in str(raised.value)


def test_what_is_no_measure_of_ir_measures_is_named():
    with pytest.raises(UnknownMeasureError, match="expected a measure of ir_measures, found 'AP'"):
        compat.from_ir_measures("AP")
