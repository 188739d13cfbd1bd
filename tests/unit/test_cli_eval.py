"""`treckon eval`: the API's values as tables, and what it says besides."""

import csv
import gzip
import io
import json
import re
import sys
import threading

import pytest

import treckon as api
from treckon.cli import eval as command
from treckon.cli import progress
from treckon.cli.main import main
from treckon.errors import EvaluationError, NoQueriesError, ParameterError, UnknownMeasureError
from treckon.evaluation.alternatives import alternatives
from treckon.evaluation.run_files import evaluate_file, run_names
from treckon.inputs import sources
from treckon.measures.usual import COVERAGE, USUAL

# Four queries, of which run a lacks q4 and has q3 besides; q2 has no relevant document; b ties throughout.
QRELS = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq10 0 a 1\nq2 0 b 0\nq4 0 a 3\n"
RUN_A = "q1 Q0 x 1 5 A\nq1 Q0 b 2 4 A\nq1 Q0 a 3 2 A\nq2 Q0 b 1 1 A\nq10 Q0 a 1 0.5 A\nq3 Q0 a 1 0.5 A\n"
RUN_B = "q1 Q0 c 1 1 B\nq1 Q0 a 2 1 B\nq2 Q0 b 1 1 B\nq10 Q0 a 1 1 B\nq4 Q0 a 1 1 B\n"


@pytest.fixture
def folder(tmp_path):
    for name, text in (("qrels", QRELS), ("a.run", RUN_A), ("b.run", RUN_B)):
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def said(treckon, folder):
    """`said(*arguments)`: the lines on standard error of an evaluation that ends well."""

    def call(*arguments):
        status, _, messages = treckon("eval", *arguments, folder=folder)
        assert status == 0, messages
        return messages.decode().splitlines()

    return call


@pytest.fixture
def printed(treckon, folder):
    """`printed(*arguments)`: the rows on standard output of an evaluation that ends well and says nothing."""

    def call(*arguments):
        status, shown, messages = treckon("eval", "--quiet", *arguments, folder=folder)
        assert (status, messages) == (0, b"")
        return [line.split("\t") for line in shown.decode().splitlines()]

    return call


# ---- Tables


def test_a_row_a_run_with_the_values_of_the_api(printed, folder):
    head, *rows = printed("qrels", "a.run", "b.run")
    assert head == ["run", "queries", *USUAL]
    evaluator = api.Evaluator(str(folder / "qrels"), USUAL)
    for row, name in zip(rows, ("a.run", "b.run"), strict=True):
        evaluation = evaluator.evaluate(str(folder / name))
        assert row == [name, str(len(evaluation.query_ids)), *(f"{value:.4f}" for value in evaluation.means.values())]


def test_a_row_a_query_and_one_of_all(printed):
    assert printed("qrels", "a.run", "-q", "-m", "num_rel", "-m", "RR", "-m", "num_q") == [
        ["run", "query", "num_rel", "RR", "num_q"],
        ["a.run", "q1", "2", "0.5000", ""],
        ["a.run", "q10", "1", "1.0000", ""],
        ["a.run", "q2", "0", "0.0000", ""],
        ["a.run", "all", "3", "0.5000", "3"],
    ]


def test_no_summary(printed):
    assert printed("qrels", "a.run", "-q", "-n", "-m", "RR")[1:] == [
        ["a.run", "q1", "0.5000"], ["a.run", "q10", "1.0000"], ["a.run", "q2", "0.0000"],
    ]  # fmt: skip
    assert printed("qrels", "a.run", "--no-summary", "-m", "RR") == [["run", "queries", "RR"]]


@pytest.mark.parametrize("options", [(), ("-q",)])
def test_no_summary_in_json(options, treckon, folder):
    one, other = (
        json.loads(treckon("eval", "qrels", "a.run", "-m", "RR", "--format", "json", *more, folder=folder).stdout)
        for more in (options, (*options, "-n"))
    )
    assert one["runs"][0].pop("means") == {"RR": 0.5}
    assert one == other


@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_for_people_one_runs_means_stand_below_each_other(format, treckon, folder):
    shown = treckon("eval", "qrels", "a.run", "-m", "official", "--format", format, folder=folder).stdout.decode()
    lines = [re.sub(r"[|&]|\\\\$", " ", line).replace("\\_", "_").split() for line in shown.splitlines()]
    assert ["num_q", "3"] in lines
    assert ["map", "0.5278"] in lines
    assert ["runid", "A"] in lines
    several = treckon("eval", "qrels", "a.run", "b.run", "-m", "RR", "--format", format, folder=folder).stdout.decode()
    assert [line for line in several.splitlines() if "a.run" in line and "0.5000" in line]


def test_json_has_everything(treckon, folder):
    shown = treckon("eval", "qrels", "a.run", "b.run", "-m", "AP", "--format", "json", "-q", folder=folder).stdout
    found = json.loads(shown)
    expected = api.evaluate(str(folder / "qrels"), str(folder / "a.run"), "AP").to_dict(per_query=True)
    assert found["qrels"] == "qrels"
    assert [one["run"] for one in found["runs"]] == ["a.run", "b.run"]
    assert {name: found["runs"][0][name] for name in expected} == json.loads(json.dumps(expected))
    assert found["runs"][0]["per_query"]["q1"]["AP"] == (1 / 2 + 2 / 3) / 2
    without = treckon("eval", "qrels", "a.run", "--format", "json", folder=folder).stdout
    assert "per_query" not in json.loads(without)["runs"][0]


def test_csv_and_digits(treckon, folder):
    measure = "nDCG(gain={1: 1, 2: 3})"
    found = treckon("eval", "qrels", "a.run", "-m", measure, "--format", "csv", "--digits", "8", folder=folder)
    head, row = csv.reader(io.StringIO(found.stdout.decode()))
    assert head[2] == measure
    assert row == ["a.run", "3", f"{api.evaluate(QRELS, RUN_A, measure)[measure]:.8f}"]


def test_output_file(treckon, folder):
    status, shown, messages = treckon("eval", "qrels", "a.run", "-o", "values.tsv", "--quiet", folder=folder)
    assert (status, shown, messages) == (0, b"", b"")
    assert (folder / "values.tsv").read_text().startswith("run\tqueries\tAP\t")


# ---- Inputs


def test_conventions_are_passed_on(printed, folder):
    for arguments, given in (
        ("-c", {"missing": "zero"}),
        ("-J", {"unjudged": "condensed"}),
        ("-l 2", {"level": 2}),
        ("--depth 1", {"depth": 1}),
        ("--ties optimistic", {"ties": "optimistic"}),
        ("--gain exp2 -m nDCG", {"gain": "exp2"}),
        ("--no-relevant one", {"no_relevant": "one"}),
    ):
        measures = ["nDCG"] if "gain" in given else USUAL
        expected = api.evaluate(str(folder / "qrels"), str(folder / "b.run"), measures, **given)
        (row,) = printed("qrels", "b.run", *arguments.split())[1:]
        assert row[1:] == [str(len(expected.query_ids)), *(f"{value:.4f}" for value in expected.means.values())]


def test_any_input_of_the_api(printed, folder):
    rows = printed("qrels", "a.run")[1:]
    (folder / "a.gz").write_bytes(gzip.compress(RUN_A.encode()))
    (folder / "a.json").write_text(
        json.dumps({"q1": {"x": 5, "b": 4, "a": 2}, "q2": {"b": 1}, "q10": {"a": 0.5}, "q3": {"a": 0.5}})
    )
    fields = [line.split() for line in RUN_A.splitlines()]
    (folder / "a.tsv").write_text("".join(f"{one[0]}\t{one[2]}\t{one[4]}\n" for one in fields))
    for name, more in (("a.gz", []), ("a.json", []), ("a.tsv", ["--run-format", "tsv"])):
        assert [row[1:] for row in printed("qrels", name, *more)[1:]] == [row[1:] for row in rows]
    (folder / "prefs").write_text("q1 u1 s1 a 1\nq1 u1 s1 b 0\n")
    assert printed("prefs", "a.run", "--qrels-format", "prefs", "-m", "prefs_simp")[1] == ["a.run", "1", "0.0000"]


def test_standard_input(treckon, folder, monkeypatch):
    with open(folder / "a.run") as run:
        monkeypatch.setattr(sys, "stdin", run)
        status, shown, messages = treckon("eval", "qrels", "-", "-m", "RR", folder=folder)
    assert (status, shown) == (0, b"run\tqueries\tRR\n-\t3\t0.5000\n")
    assert b"note: 3 queries count" in messages
    assert treckon("eval", "-", "-", folder=folder) == (
        2, b"", b"treckon eval: standard input: expected one file from it, found '-' more than once\n",
    )  # fmt: skip


def test_the_judgements_are_read_once(treckon, folder, monkeypatch):
    opened = []
    look = sources.Source._examine
    monkeypatch.setattr(sources.Source, "_examine", lambda source: opened.append(source.name) or look(source))
    assert treckon("eval", "qrels", "a.run", "b.run", folder=folder).status == 0
    assert opened == ["qrels", "a.run", "b.run"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.run"], ["a.run"]),
        (["x/a.run", "x/b.run"], ["a.run", "b.run"]),
        (["x/a.run", "y/a.run", "y/b.run"], ["x/a.run", "y/a.run", "b.run"]),
        (["z/x/a", "z/y/a", "a"], ["x/a", "y/a", "a"]),
        (["a", "a", "a"], ["a", "a (2)", "a (3)"]),
        (["a", "a (2)", "a"], ["a", "a (2)", "a (3)"]),
        (["a", "/a", "./a"], ["a", "a (2)", "./a"]),
        (["-", "a"], ["-", "a"]),
        (["/"], ["/"]),
    ],
)
def test_runs_are_told_apart(paths, names):
    assert run_names(paths) == names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("qrels none.run", "none.run: cannot read it: No such file or directory"),
        ("none a.run", "none: cannot read it: No such file or directory"),
        (
            "qrels a.run other.run",
            "other.run: expected a query with both results and judgements, found none: the run has 'x9', the "
            "judgements have 'q1'\n",
        ),
        ("qrels qrels", "qrels:1: expected 6 fields (qid Q0 docno rank score tag), found 4"),
        ("qrels a.run -m nDGC", "unknown measure 'nDGC'; did you mean nDCG"),
        ("qrels a.run --extra error", "a.run: expected judged queries alone, found query 'q3'"),
        ("qrels a.run --gain exp2 -m AP", "gain: none of AP has a gain that the evaluation chooses"),
        ("qrels a.run --order rank --run-format msmarco", "a.run:1: expected 3 fields (qid docid rank), found 6"),
    ],
)
def test_what_cannot_be_scored(arguments, message, treckon, folder):
    (folder / "other.run").write_text("x9 Q0 a 1 1 t\n")
    status, shown, messages = treckon("eval", *arguments.split(), folder=folder)
    assert (status, shown) == (2, b"")
    assert messages.decode().startswith(f"treckon eval: {message}")


def test_missing_zero_takes_a_run_without_judged_queries(printed, folder):
    (folder / "other.run").write_text("x9 Q0 a 1 1 t\n")
    assert printed("qrels", "other.run", "-c", "-m", "AP")[1] == ["other.run", "4", "0.0000"]
    with sources.Source(folder / "other.run") as run, pytest.raises(NoQueriesError):
        evaluate_file(api.Evaluator(QRELS, "AP"), run)
    (folder / "none.json").write_text("{ }")
    with (
        sources.Source(folder / "none.json") as run,
        pytest.raises(NoQueriesError, match="none.json: expected .* the run has no query"),
    ):
        evaluate_file(api.Evaluator(QRELS, "AP"), run)


# ---- What is said besides


def test_queries_missing_ones_and_unjudged_documents(said):
    assert said("qrels", "a.run", "-m", "RR", "-m", "AP") == [
        "treckon eval: note: 3 queries count; 4 judged, 4 in the run, 3 in both, 1 of the run not judged, "
        "1 judged without relevant documents",
        "treckon eval: warning: 1 of 4 judged queries are missing from the run, for example 'q4', and don't count "
        "(--missing zero counts them as having retrieved nothing)",
        "treckon eval: note: 88.9% of the documents at ranks 1 to 10 are judged; without the unjudged ones "
        "(--unjudged condensed): RR 0.6667, AP 0.6667",
    ]


def test_own_documents(said, folder):
    (folder / "own.run").write_text("q1 Q0 q1 1 9 t\nq1 Q0 a 1 8 t\nq10 Q0 q10 1 9 t\nq2 Q0 q1 1 9 t\nq4 Q0 b 1 9 t\n")
    assert said("qrels", "own.run", "-m", "RR", "--ignore-self")[0] == (
        "treckon eval: note: 4 queries count; 4 judged, 4 in the run, 4 in both, 1 judged without relevant documents, "
        "2 with their own id as a document, which was taken out"
    )


def test_ties(said):
    assert said("qrels", "b.run", "-m", "RR@1", "-m", "R@5") == [
        "treckon eval: note: 4 queries count; 4 judged, 4 in the run, 4 in both, 1 judged without relevant documents",
        "treckon eval: note: documents with equal scores in 1 query (1 across a cutoff); "
        "from --ties pessimistic to optimistic: RR@1 0.5000 to 0.7500",
    ]
    assert said("qrels", "b.run", "-m", "R@5")[1:] == [
        "treckon eval: note: documents with equal scores in 1 query; from --ties pessimistic to optimistic: the same "
        "means to 4 digits"
    ]
    assert said("qrels", "b.run", "-m", "RR@1", "--ties", "optimistic")[1:] == [
        "treckon eval: note: documents with equal scores in 1 query (1 across a cutoff)"
    ]


def test_estimates_have_their_standard_error(said):
    line = said("qrels", "b.run", "-m", "bpref", "-m", "infAP", "--ties", "expected")[2]
    assert line.startswith("treckon eval: note: ")
    assert "is estimated from random orders of ties, standard error 0." in line


def test_of_many_measures_the_first_are_named(said):
    assert said("qrels", "a.run", "-m", "official")[-1].endswith(" more")


def test_of_several_runs_the_greatest_doubt_is_said(said):
    assert said("qrels", "a.run", "b.run", "-m", "RR@1") == [
        "treckon eval: note: a.run: 3 queries count; 4 judged, 4 in the run, 3 in both, 1 of the run not judged, "
        "1 judged without relevant documents",
        "treckon eval: warning: a.run: 1 of 4 judged queries are missing from the run, for example 'q4', and don't "
        "count (--missing zero counts them as having retrieved nothing)",
        "treckon eval: note: b.run: 4 queries count; 4 judged, 4 in the run, 4 in both, "
        "1 judged without relevant documents",
        "treckon eval: note: documents with equal scores in 1 of 2 runs; from --ties pessimistic to optimistic at most "
        "RR@1 of b.run: 0.5000 to 0.7500",
        "treckon eval: note: of the documents at ranks 1 to 10 88.9% (a.run) to 100.0% (b.run) are judged "
        "(--unjudged condensed leaves out the others)",
    ]
    assert len(said("qrels", "b.run", "b.run", "-m", "R@5")) == 2


def test_doubts_of_the_reader_are_said_once(said, folder):
    (folder / "qrels").write_text(QRELS + "q4 0 b 1x\n")
    warnings = [line for line in said("qrels", "a.run", "b.run", "-m", "AP") if "1x" in line]
    assert len(warnings) == 1
    assert warnings[0].startswith("treckon eval: warning: qrels")


# ---- The functions behind


def means(evaluation):
    return {str(measure): value for measure, value in evaluation.means.items()}


def found(evaluator, path):
    with sources.Source(path) as run:
        return alternatives(evaluator, run, evaluator.evaluate(run))


def test_alternatives_are_what_the_other_conventions_give(folder):
    evaluator = api.Evaluator(QRELS, ["RR", "AP", "runid", "num_q"])
    one = found(evaluator, folder / "b.run")
    low, high = (api.evaluate(QRELS, RUN_B, ["RR", "AP"], ties=order) for order in ("pessimistic", "optimistic"))
    assert {str(m): both for m, both in one.ties.items()} == {m: (means(low)[m], means(high)[m]) for m in ("RR", "AP")}
    assert (one.judged, one.condensed) == (1.0, {})
    assert repr(one).startswith("Alternatives(ties={RR: (")
    one = found(evaluator, folder / "a.run")
    assert one.ties is None
    assert one.judged == api.evaluate(QRELS, RUN_A, COVERAGE)[COVERAGE]
    condensed = api.evaluate(QRELS, RUN_A, ["RR", "AP"], unjudged="condensed")
    assert {str(measure): mean for measure, mean in one.condensed.items()} == means(condensed)


@pytest.mark.parametrize(
    ("given", "ties", "judged"),
    [
        ({"ties": "expected"}, False, True),
        ({"unjudged": "condensed"}, True, False),
        ({"ties": "docno"}, True, True),
        ({"no_relevant": "one"}, True, True),
    ],
)
def test_alternatives_to_other_conventions(given, ties, judged, folder):
    one = found(api.Evaluator(QRELS, ["RR"], **given), folder / "b.run")
    assert (bool(one.ties), one.judged is not None) == (ties, judged)


def test_no_alternatives_to_preferences(folder):
    (folder / "prefs").write_text("q1 u1 s1 a 1\nq1 u1 s1 c 0\n")
    one = found(api.Evaluator(str(folder / "prefs"), "prefs_simp", format="prefs"), folder / "b.run")
    assert (one.ties, one.judged, one.condensed) == (None, None, {})


def test_notes_on_a_run_without_judged_queries(treckon, folder):
    """What is said besides is no reason to fail: with and without it, the values are the same."""
    (folder / "other.run").write_text("x9 Q0 a 1 1 t\n")
    loud = treckon("eval", "qrels", "other.run", "-c", folder=folder)
    quiet = treckon("eval", "qrels", "other.run", "-c", "--quiet", folder=folder)
    assert (loud.status, loud.stdout) == (quiet.status, quiet.stdout)
    assert quiet.status == 0
    assert loud.stderr.startswith(b"treckon eval: note: 4 queries count; 4 judged, 1 in the run, 0 in both")
    one = found(api.Evaluator(QRELS, "AP", missing="zero"), folder / "other.run")
    assert (one.ties, one.judged, one.condensed) == (None, None, {})


def test_a_changed_evaluator_has_the_same_judgements():
    evaluator = api.Evaluator(QRELS, "AP", missing="zero")
    other = evaluator.changed(ties="optimistic")
    assert means(other.evaluate(RUN_B)) == means(api.evaluate(QRELS, RUN_B, "AP", missing="zero", ties="optimistic"))
    other = evaluator.changed(["RR", "nDCG"], gain="exp2", missing="skip")
    assert means(other.evaluate(RUN_A)) == means(api.evaluate(QRELS, RUN_A, ["RR", "nDCG"], gain="exp2"))
    assert means(evaluator.evaluate(RUN_A)) == means(api.evaluate(QRELS, RUN_A, "AP", missing="zero"))
    assert evaluator.changed().measures == evaluator.measures


def test_a_compressed_run_is_decompressed_once(treckon, folder, monkeypatch):
    (folder / "a.gz").write_bytes(gzip.compress(RUN_A.encode()))
    made = []
    decompress = sources.Source._decompressed
    monkeypatch.setattr(
        sources.Source, "_decompressed", lambda source, raw: made.append(source) or decompress(source, raw)
    )
    status, shown, messages = treckon("eval", "qrels", "a.gz", folder=folder)
    assert (status, messages.count(b"note: ")) == (0, 2)
    assert len(made) == 1
    (folder / "bad.gz").write_bytes(gzip.compress(b"q1 Q0 a 1 x\n"))
    assert b"bad.gz:1: expected 6 fields" in treckon("eval", "qrels", "bad.gz", folder=folder).stderr


def test_what_an_evaluator_cannot_be_changed_to():
    evaluator = api.Evaluator(QRELS, "AP")
    with pytest.raises(ParameterError, match=r"compat: the judgements were read with None"):
        evaluator.changed(compat="9.0.8")
    with pytest.raises(ParameterError, match=r"equal_judgements: the judgements were read with 'error'"):
        evaluator.changed(equal_judgements="merge")
    with pytest.raises(ParameterError, match=r"negative: the judgements were read with 'unjudged'"):
        evaluator.changed(negative="nonrelevant")
    with pytest.raises(UnknownMeasureError):
        evaluator.changed("nDGC")
    with pytest.raises(ParameterError, match="gain: none of AP has a gain"):
        evaluator.changed(gain="exp2")
    with pytest.raises(EvaluationError, match="preferences"):
        evaluator.changed("prefs_simp")


def test_a_source_of_the_caller_stays_open(folder):
    evaluator = api.Evaluator(QRELS, "AP")
    with sources.Source(folder / "a.run") as run:
        assert means(evaluator.evaluate(run)) == means(evaluator.evaluate(run))


# ---- Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("runs", [["a.run"], ["a.run", "b.run"]])
def test_a_bar_is_shown_when_it_lasts(runs, folder, monkeypatch):
    shown = threading.Event()
    show = progress.Progress._show
    monkeypatch.setattr(progress.Progress, "_show", lambda bar: (show(bar), shown.set()))
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(command, "_notes", lambda scored: iter(()))
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.chdir(folder)
    read = api.Evaluator.evaluate

    def slowly(*arguments, **more):
        assert shown.wait(30)
        return read(*arguments, **more)

    monkeypatch.setattr(api.Evaluator, "evaluate", slowly)
    assert main(["eval", "qrels", *runs, "-o", "values"]) == 0
    assert "scoring" in sys.stderr.getvalue()


def test_no_bar_where_it_is_over_at_once(folder, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.chdir(folder)
    assert main(["eval", "qrels", "a.run", "-o", "values"]) == 0
    assert "scoring" not in sys.stderr.getvalue()
    assert "queries count" in sys.stderr.getvalue()
