"""Leaderboards: ranks, ties, intervals and groups, what is broken; the command, and its scores for platforms."""

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treckon as api
from treckon.analysis.leaderboards import _ranks
from treckon.cli import leaderboard as command
from treckon.errors import EvaluationError, InputError, ParameterError, UnknownMeasureError
from treckon.evaluation.run_files import run_paths
from treckon.measures.usual import USUAL
from treckon.statistics import bootstrap_interval, kendall_tau, tukey_hsd

TASK = Path(__file__).resolve().parents[2] / "trec_fixtures" / "task"
QUICK = {"resamples": 200}

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1, "a": 0}}
RUNS = {
    "good": {"q1": {"a": 3, "b": 2}, "q2": {"a": 1}, "q3": {"c": 1}},
    "same": {"q1": {"a": 3, "b": 2}, "q2": {"a": 1}, "q3": {"c": 1}},
    "half": {"q1": {"x": 3, "a": 2}, "q2": {"a": 1}, "q9": {"c": 1}},
    "none": {"q1": {"x": 1}, "q2": {"x": 1}, "q3": {"x": 1}},
}


@pytest.fixture
def folder(tmp_path):
    api.write_qrels(QRELS, tmp_path / "qrels")
    (tmp_path / "runs").mkdir()
    for name, run in RUNS.items():
        api.write_run(run, tmp_path / "runs" / name)
    return tmp_path


# ---- Ranks and values


def test_runs_are_ranked_over_all_judged_queries():
    board = api.leaderboard(QRELS, RUNS, ["AP", "RR"], **QUICK)
    assert [(entry.ranks[board.by], entry.run) for entry in board.entries] == [
        (1, "good"), (1, "same"), (3, "half"), (4, "none"),
    ]  # fmt: skip
    for entry in board.entries:
        expected = api.evaluate(QRELS, RUNS[entry.run], ["AP", "RR"], missing="zero")
        assert {str(measure): mean for measure, mean in entry.means.items()} == expected.to_dict()["means"]
    assert [(entry.missing, entry.extra) for entry in board.entries] == [(0, 0), (0, 0), (1, 1), (0, 0)]
    assert board.query_ids == ("q1", "q2", "q3")
    assert board.conventions["missing"] == "zero"
    assert board.broken == ()


@given(st.dictionaries(st.text(max_size=3), st.sampled_from([0.1, 0.2, 0.30000000000000004, 0.3, 0.5]), max_size=9))
@settings(max_examples=50)
def test_ranks_count_the_better_ones(means):
    """Competition ranking, where values that differ by rounding only are equal."""
    for name, rank in _ranks(means).items():
        assert rank == 1 + sum(other > means[name] + 1e-9 for other in means.values())


def test_each_measure_ranks_for_itself():
    board = api.leaderboard(QRELS, RUNS, ["R@1", "num_ret"], by="num_ret", **QUICK)
    assert str(board.by) == "num_ret"
    assert [entry.run for entry in board.entries] == ["good", "same", "half", "none"]
    assert [list(entry.ranks.values()) for entry in board.entries] == [[1, 1], [1, 1], [3, 3], [4, 3]]
    assert all(entry.interval is None and entry.groups == "" for entry in board.entries)  # a sum is no mean
    assert not any("interval" in note for note in board.notes)


def test_the_main_measure_is_among_the_measures():
    board = api.leaderboard(QRELS, RUNS, "AP", by="nDCG@5", **QUICK)
    assert list(map(str, board.measures)) == ["nDCG@5", "AP"]
    assert list(map(str, api.leaderboard(QRELS, RUNS, **QUICK).measures)) == list(USUAL)
    assert str(api.leaderboard(QRELS, RUNS, ["AP", "RR"], by="mrr", **QUICK).by) == "RR"


def test_statistics_are_those_of_the_package():
    board = api.leaderboard(TASK / "qrels.txt", TASK / "runs", ["AP", "RR"], seed=3, confidence=0.9, alpha=0.1, **QUICK)
    assert [one.run for one in board.broken] == ["broken.txt"]
    names = sorted(entry.run for entry in board.entries)
    rows = {
        name: api.evaluate(TASK / "qrels.txt", TASK / "runs" / name, "AP", missing="zero").values[:, 0]
        for name in names
    }
    tukey = dict(zip(names, tukey_hsd(list(rows.values()), alpha=0.1, seed=3, **QUICK).letters, strict=True))
    for entry in board.entries:
        assert entry.interval == bootstrap_interval(rows[entry.run], confidence=0.9, seed=3, **QUICK)
        assert entry.interval.estimate == pytest.approx(entry.means[board.by], abs=1e-12)
        assert entry.groups == tukey[entry.run]
    means = [[entry.means[measure] for entry in board.entries] for measure in board.measures]
    ap, rr = board.measures
    assert board.kendall[ap][rr] == board.kendall["RR"]["AP"] == pytest.approx(kendall_tau(*means))
    assert board.kendall[ap][ap] == 1.0
    again = api.leaderboard(
        TASK / "qrels.txt", TASK / "runs", ["AP", "RR"], seed=3, confidence=0.9, alpha=0.1, threads=1, **QUICK
    )
    assert again.to_dict() == board.to_dict()


def test_one_run_and_none():
    board = api.leaderboard(QRELS, {"good": RUNS["good"]}, ["AP", "RR"], **QUICK)
    assert (board.entries[0].groups, board.kendall["AP"]["RR"]) == ("", None)
    assert board.entries[0].interval.note == "all values equal"
    board = api.leaderboard(QRELS, {}, **QUICK)
    assert (board.entries, board.broken) == ((), ())
    with pytest.raises(EvaluationError, match=r"runs: expected one to score, found none"):
        board.scores()


# ---- Broken submissions


BROKEN = {
    "nan.txt": ("q1 Q0 a 1 nan t\n", "nan.txt:1: expected a number as score, found 'nan'"),
    "comma.txt": ("q1 Q0 a 1 0,9 t\n", "comma.txt:1: expected a number as score, found '0,9'; read up to "),
    "short.txt": ("q1 Q0 a 1 0.9\n", "short.txt:1: expected 6 fields (qid Q0 docno rank score tag), found 5"),
    "twice.txt": ("q1 Q0 a 1 9 t\nq1 Q0 a 2 8 t\n", "twice.txt:2: "),
    "empty.txt": ("", "empty.txt: cannot read it: it is empty"),
    "other.txt": (
        "x1 Q0 a 1 9 t\n",
        "other.txt: expected a query with both results and judgements, found none: the run has 'x1'",
    ),
    "blank.txt": (
        "\n",
        "blank.txt: expected a query with both results and judgements, found none: the run has no query",
    ),
}


def test_what_is_broken_is_listed_and_not_ranked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, (text, _) in BROKEN.items():
        Path(name).write_text(text)
    api.write_run(RUNS["half"], "half.txt")
    api.write_run(RUNS["good"], "good.txt")
    board = api.leaderboard(QRELS, [*BROKEN, "half.txt", "good.txt"], **QUICK)
    assert [entry.run for entry in board.entries] == ["good.txt", "half.txt"]
    assert [one.run for one in board.broken] == list(BROKEN)
    for one in board.broken:
        assert one.problem.startswith(BROKEN[one.run][1])
    without = api.leaderboard(QRELS, ["half.txt", "good.txt"], **QUICK)
    assert without.entries == board.entries
    assert without.kendall == board.kendall
    with pytest.raises(EvaluationError, match=r"nan\.txt: it can't be scored: nan\.txt:1: expected a number"):
        board.scores()


def test_what_conventions_refuse_is_broken():
    def broken(**conventions):
        return {one.run: one.problem for one in api.leaderboard(QRELS, RUNS, "AP", **conventions, **QUICK).broken}

    assert broken(missing="error") == {
        "half": "run: expected results for every judged query, found none for 1 of 3, for example 'q3'"
    }
    assert list(broken(extra="error")) == ["half"]
    assert list(broken(unjudged="error")) == ["half", "none"]


def test_values_that_are_no_numbers_are_broken():
    odd = api.define("odd", lambda ranking: float("nan") if ranking.n_retrieved == 1 else 1.0)
    runs = {"x": {"q1": {"a": 1}}, "y": {"q1": {"a": 2, "b": 1}}}
    board = api.leaderboard({"q1": {"a": 1}}, runs, odd, **QUICK)
    assert [(one.run, one.problem) for one in board.broken] == [
        ("x", "odd: expected a finite number from its function, found nan")
    ]
    assert [entry.run for entry in board.entries] == ["y"]


def test_each_run_is_told_of_when_it_is_done():
    done = []
    api.leaderboard(QRELS, {**RUNS, "odd": None}, "AP", advance=lambda: done.append(1), **QUICK)
    assert len(done) == len(RUNS) + 1


def test_other_kinds_of_runs():
    text = "q1 Q0 a 1 1 t\n"
    assert len(api.leaderboard(QRELS, {"text": text, "bytes": text.encode()}, "AP", **QUICK).entries) == 2
    runs = {"list": {"q1": ["a", "b"]}, "rows": [("q1", "a", 1.0)], "none": None, "far": {"x": {"a": 1}}}
    board = api.leaderboard(QRELS, runs, "AP", **QUICK)
    assert [entry.run for entry in board.entries] == ["list", "rows"]
    assert [one.run for one in board.broken] == ["none", "far"]
    problem = "expected a query with both results and judgements, found none"
    assert board.broken[1].problem == f"{problem}: the run has 'x', the judgements have 'q1'"


def test_of_a_group_of_measures_those_that_rank_runs():
    board = api.leaderboard(QRELS, RUNS, "official", by="map")
    names = [str(measure) for measure in board.measures]
    assert names[:3] == ["num_ret", "num_rel", "num_rel_ret"] and "gm_map" in names and str(board.by) == "map"
    assert not {"runid", "num_q"} & {*names}


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: api.leaderboard(QRELS, RUNS, missing="skip"), ParameterError, "missing: expected 'zero' or 'error'"),
        (lambda: api.leaderboard(QRELS, RUNS, no_relevant="skip"), ParameterError, "no_relevant: expected"),
        (lambda: api.leaderboard(QRELS, RUNS, "runid"), EvaluationError, "runid: expected a number for each run"),
        (lambda: api.leaderboard(QRELS, RUNS, "num_q"), EvaluationError, "num_q: expected a number for each run"),
        (lambda: api.leaderboard(QRELS, RUNS, "AP", by="P.5,10"), ParameterError,
         "'P.5,10': expected one measure, found 2 (P_5, P_10)"),
        (lambda: api.leaderboard(QRELS, RUNS, "AP", by="official"), ParameterError,
         "'official': expected one measure, found 30 (runid, num_q, num_ret, ...)"),
        (lambda: api.leaderboard(QRELS, RUNS, "AP", by=[]), ParameterError, "'[]': expected one measure, found none"),
        (lambda: api.leaderboard(QRELS, RUNS, by="nDGC"), UnknownMeasureError, "unknown measure 'nDGC'"),
        (lambda: api.leaderboard(QRELS, ["nowhere"]), InputError, "nowhere: cannot read it: No such file or directory"),
        (lambda: api.leaderboard(QRELS, RUNS, confidence=2), ParameterError, "confidence: "),
        (lambda: api.leaderboard({"q1": {"a": 0}}, RUNS, no_relevant="error"), EvaluationError, "qrels: "),
        (lambda: api.leaderboard(None, RUNS), InputError, "qrels: expected"),
        (lambda: api.leaderboard(QRELS, {1: RUNS["good"]}), ParameterError, "runs: expected names that are texts"),
    ],
)  # fmt: skip
def test_what_a_leaderboard_cannot_be_made_of(call, kind, message):
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(message)


def test_files_of_folders(folder):
    (folder / "runs" / ".hidden").write_text("x")
    (folder / "runs" / "deeper").mkdir()
    runs = folder / "runs"
    assert run_paths([runs]) == [str(runs / name) for name in sorted(RUNS)]
    assert run_paths([str(runs / "good"), "-"]) == [str(runs / "good"), "-"]
    with pytest.raises(InputError, match="deeper: expected a folder with runs, found no files in it"):
        run_paths([runs / "deeper"])


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_link_to_nothing_is_a_broken_submission(folder):
    (folder / "runs" / "lost").symlink_to("nowhere")
    (folder / "runs" / "deeper").mkdir()
    (folder / "runs" / "linked").symlink_to("good")
    (folder / "runs" / "folder").symlink_to("deeper")
    os.mkfifo(folder / "runs" / "pipe")  # it would be waited for
    board = api.leaderboard(QRELS, folder / "runs", "AP", **QUICK)
    assert sorted(entry.run for entry in board.entries) == sorted([*RUNS, "linked"])
    problem = f"{folder}/runs/lost: cannot read it: No such file or directory"
    assert [(one.run, one.problem) for one in board.broken] == [("lost", problem)]


# ---- To be read


def test_repr():
    text = repr(api.leaderboard(QRELS, {**RUNS, "odd": {"q1": {"a": None}}}, "AP", **QUICK))
    lines = text.split("\n")
    assert lines[0] == "Leaderboard of 4 runs by AP over 3 queries"
    assert lines[1].startswith("   1  good  1.0000  [1.0000, 1.0000]  a")
    assert lines[5].startswith("broken: odd: ")
    assert lines[6:] == [
        "95% intervals of AP: bca bootstrap, 200 resamples, seed 0",
        "runs with a group in common don't differ by AP at 0.05 (randomised Tukey HSD)",
        "runs of the same rank have the same AP",
    ]


@pytest.mark.parametrize(
    ("runs", "qrels", "title"),
    [
        (["good"], {"q1": {"a": 1}}, "1 run by AP over 1 query"),
        (["good", "half"], QRELS, "2 runs by AP over 3 queries"),
    ],
)
def test_title(runs, qrels, title):
    assert api.leaderboard(qrels, {name: RUNS[name] for name in runs}, "AP", **QUICK).title == title


def test_to_dict_is_json():
    board = api.leaderboard(QRELS, RUNS, ["AP", "RR"], **QUICK)
    found = json.loads(json.dumps(board.to_dict(), allow_nan=False))
    assert found["entries"][2]["means"] == {"AP": pytest.approx(5 / 12), "RR": 0.5}
    assert found["entries"][2]["ranks"] == {"AP": 3, "RR": 3}
    assert found["kendall"]["AP"]["RR"] == 1.0
    assert found["options"] == {"confidence": 0.95, "method": "bca", "alpha": 0.05, "resamples": 200, "seed": 0}
    assert board.scores()["half"] == found["entries"][2]["means"]


# ---- The command


@pytest.fixture
def ranked(treckon, folder):
    """`ranked(*arguments)`: the rows of the command's first table and its messages."""

    def call(*arguments, status=0):
        found = treckon("leaderboard", "qrels", "--resamples", "200", *arguments, folder=folder)
        assert found.status == status
        tables = found.stdout.decode().split("\n\n")
        return [line.split("\t") for line in tables[0].splitlines()], found.stderr.decode()

    return call


def test_a_table_of_ranks(ranked):
    rows, messages = ranked("runs", "-m", "AP", "-m", "RR")
    assert rows[0] == ["rank", "run", "AP", "95% low", "95% high", "groups", "RR", "rank by RR", "missing"]
    assert [row[:3] + row[5:] for row in rows[1:]] == [
        ["1", "good", "1.0000", "a", "1.0000", "1", "0"],
        ["1", "same", "1.0000", "a", "1.0000", "1", "0"],
        ["3", "half", "0.4167", "a", "0.5000", "3", "1"],
        ["4", "none", "0.0000", "a", "0.0000", "4", "0"],
    ]
    assert messages == ""


def test_numbers_of_documents_are_whole(ranked, treckon, folder):
    rows, _ = ranked("runs/good", "-m", "num_ret", "-m", "num_rel_ret")
    assert [row[2:] for row in rows] == [
        ["num_ret", "num_rel_ret", "rank by num_rel_ret", "missing"],
        ["4", "4", "1", "0"],
    ]
    arguments = ("runs/good", "-m", "num_ret", "-m", "num_rel_ret", "--format", "markdown")
    shown = treckon("leaderboard", "qrels", *arguments, folder=folder).stdout.decode()
    assert "| 1 | good | 4 | 4 (1) | 0 |" in shown.splitlines()


def test_all_tables(treckon, folder):
    (folder / "runs" / "odd").write_text("q1 Q0 a 1 nan t\n")
    status, shown, messages = treckon("leaderboard", "qrels", "runs", "-m", "AP", "-m", "RR", folder=folder)
    tables = shown.decode().split("\n\n")
    assert status == 0
    assert tables[1] == "Kendall's tau\tAP\tRR\nAP\t1.0000\t1.0000\nRR\t1.0000\t1.0000"
    problem = "runs/odd:1: expected a number as score, found 'nan'"
    assert tables[2] == f"broken\tproblem\nodd\t{problem}\n"
    assert messages.decode() == f"treckon leaderboard: warning: odd is not ranked: {problem}\n"


def test_for_people_ranks_stand_behind_means(treckon, folder):
    shown = treckon("leaderboard", "qrels", "runs", "-m", "AP", "-m", "RR", "--format", "table", folder=folder).stdout
    lines = shown.decode().splitlines()
    assert lines[0] == "4 runs by AP over 3 queries"
    assert lines[5].split()[-3:] == ["0.5000", "(3)", "1"]
    assert "in parentheses: the rank by that measure" in lines
    shown = treckon("leaderboard", "qrels", "runs/good", "-m", "AP", "--format", "markdown", folder=folder).stdout
    assert "stands the rank" not in shown.decode()
    assert "| 1 | good | 1.0000 | 1.0000 | 1.0000 |  | 0 |" in shown.decode().splitlines()


def test_json(treckon, folder):
    options = ["--by", "RR", "--confidence", "0.9", "--interval", "percentile", "--alpha", "0.1", "--seed", "7"]
    options += ["--resamples", "50", "--ties", "random", "--ties-seed", "5", "--level", "2"]
    shown = treckon("leaderboard", "qrels", "runs", "-m", "AP", *options, "--format", "json", folder=folder).stdout
    expected = api.leaderboard(
        folder / "qrels", folder / "runs", "AP", by="RR", confidence=0.9, method="percentile", alpha=0.1, seed=7,
        resamples=50, ties="random", ties_seed=5, level=2,
    )  # fmt: skip
    assert json.loads(shown) == json.loads(json.dumps(expected.to_dict()))
    assert json.loads(shown)["conventions"]["seed"] == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("runs --confidence 1", "argument --confidence: expected a number above 0 and below 1, found '1'"),
        ("runs --alpha x", "argument --alpha: expected a number above 0 and below 1, found 'x'"),
        ("runs --missing skip", "missing: expected 'zero' or 'error'"),
        ("nowhere", "nowhere: cannot read it: No such file or directory"),
        ("runs --by runid", "runid: expected a number for each run"),
    ],
)
def test_usage(arguments, message, treckon, folder):
    status, shown, messages = treckon("leaderboard", "qrels", *arguments.split(), folder=folder)
    assert (status, shown) == (2, b"")
    assert messages.decode().startswith(f"treckon leaderboard: {message}")


# ---- Scores for platforms


def test_scores_of_one_submission_are_flat(ranked, folder):
    ranked("runs/half", "-m", "AP", "-m", "num_ret", "--scores-json", "scores.json")
    assert json.loads((folder / "scores.json").read_text()) == {"AP": (1 / 4 + 1) / 3, "num_ret": 3.0}


def test_scores_of_several_are_by_run(ranked, folder):
    ranked("runs", "-m", "AP", "--scores-json", "scores.json")
    scores = json.loads((folder / "scores.json").read_text())
    assert scores == {"good": {"AP": 1.0}, "same": {"AP": 1.0}, "half": {"AP": (1 / 4 + 1) / 3}, "none": {"AP": 0.0}}


@pytest.mark.parametrize("name", list(BROKEN))
def test_a_broken_submission_has_no_scores(name, ranked, folder):
    (folder / name).write_text(BROKEN[name][0])
    (folder / "scores.json").write_text('{"AP": 1.0}\n')  # of another submission
    rows, messages = ranked(name, "-m", "AP", "--scores-json", "scores.json", status=1)
    assert len(rows) == 1
    assert f"{name} is not ranked: " in messages
    assert not (folder / "scores.json").exists()
    ranked(name, "runs/good", "--scores-json", "scores.json", status=1)
    assert not (folder / "scores.json").exists()


def test_an_error_leaves_no_scores(treckon, folder, monkeypatch):
    def failed(*arguments):
        (folder / "scores.json").write_text('{"AP": 1.0}\n')
        call = treckon("leaderboard", *arguments, "--scores-json", "scores.json", folder=folder)
        assert (call.status, call.stdout) == (2, b"")
        assert not (folder / "scores.json").exists()

    failed("nowhere", "runs/good")
    failed("qrels", "nowhere")
    failed("qrels", "runs/good", "-m", "nDGC")
    failed("qrels", "runs/good", "-o", "nowhere/table")
    monkeypatch.setattr(sys, "stdout", None)
    failed("qrels", "runs/good")


def test_scores_take_no_other_files_place(treckon, folder):
    (folder / "notes").write_text("mine")
    for path in ("runs/good", "qrels", "notes", "runs", "-", "table"):
        call = treckon("leaderboard", "qrels", "runs/good", "-o", "table", "--scores-json", path, folder=folder)
        assert (call.status, call.stdout) == (2, b"")
        assert call.stderr.startswith(b"treckon leaderboard: --scores-json: expected ")
    assert (folder / "notes").read_text() == "mine"
    assert sorted(os.listdir(folder)) == ["notes", "qrels", "runs"]
    assert sorted(os.listdir(folder / "runs")) == sorted(RUNS)


def test_scores_take_no_submissions_place(treckon, folder):
    """Also where the folder of the submissions is named: one in JSON looks like scores."""
    (folder / "runs" / "mine.json").write_text('{"q1": {"a": 1.0}}')
    for path in ("runs/mine.json", "./runs/mine.json", "runs/new.json"):
        call = treckon("leaderboard", "qrels", "runs", "--scores-json", path, folder=folder)
        message = f"treckon leaderboard: --scores-json: expected a file of its own, found '{path}'\n"
        assert (call.status, call.stdout, call.stderr.decode()) == (2, b"", message)
    assert sorted(os.listdir(folder / "runs")) == sorted([*RUNS, "mine.json"])
    assert (folder / "runs" / "mine.json").read_text() == '{"q1": {"a": 1.0}}'


def test_scores_are_there_as_a_whole(treckon, folder, monkeypatch):
    monkeypatch.setattr(
        command, "write", lambda text, path: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    call = treckon("leaderboard", "qrels", "runs/good", "--scores-json", "scores.json", folder=folder)
    assert (call.status, call.stdout) == (2, b"")
    assert not (folder / "scores.json").exists()
