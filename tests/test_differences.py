"""docs/differences.md, entry by entry: where treckon departs from NIST's program on purpose, and what it does there.

The name of a test carries the entry's number; the page names the tests. Both are held to each other below.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treckon.measures  # noqa: F401  (fills the registry)
from treckon._native.plans import Plan
from treckon._native.qrels import QrelsBuilder
from treckon._native.results import Results
from treckon._native.scans import RunScan
from treckon.cli import trec_eval as program
from treckon.inputs.formats.trec import LINES
from treckon.measures import registry

if TYPE_CHECKING:
    from conftest import Finished

    Command = Callable[..., Finished]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "differences.md"
RELEASES = ("9.0.8", "10.0")

both_releases = pytest.mark.parametrize("release", RELEASES)

#: The worked example of docs/measures.md: f is not retrieved, x not in the qrels, u and v were not judged.
GRADED = ("1 0 a 2\n1 0 b 1\n1 0 c 0\n1 0 d 3\n1 0 e 0\n1 0 f 1\n1 0 u -1\n1 0 v -1\n", "axcbued")

ONE_QRELS, ONE_RUN = "q1 0 a 1\n", "q1 Q0 a 1 9 t\n"
TWO_QRELS = "q1 0 a 1\nq2 0 a 1\nq2 0 b 2\n"


@pytest.fixture
def command(trec_eval: Command, tmp_path: Path) -> Command:
    """`command(qrels, run, *arguments)`: trec_eval on files `qrels` and `run` of these contents."""

    def call(qrels: str | bytes, run: str | bytes, *arguments: str) -> Finished:
        for name, content in (("qrels", qrels), ("run", run)):
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return trec_eval(*arguments, "qrels", "run", folder=tmp_path)

    return call


def process(folder: Path, *arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, where its standard streams are the matter."""
    environment = {name: value for name, value in os.environ.items() if name != "TRECKON_COMPAT"}
    call = [sys.executable, "-m", "treckon", "trec_eval", *arguments]
    return subprocess.run(call, cwd=folder, env=environment, **more)


def ranked(documents: str, query: str = "1") -> str:
    """Lines of a run with one-letter documents by falling score."""
    return "".join(f"{query} Q0 {docno} 0 {-rank} t\n" for rank, docno in enumerate(documents))


def values(finished: Finished) -> dict[tuple[str, str], str]:
    """(printed name, query) -> the text of the value, of a command that ended well."""
    assert finished.status == 0, finished.stderr
    lines = [line.split("\t") for line in finished.stdout.decode().splitlines()]
    return {(name.rstrip(" "), query): value.lstrip(" ") for name, query, value in lines}


def summary(finished: Finished) -> dict[str, str]:
    return {name: value for (name, query), value in values(finished).items() if query == "all"}


def assert_refused(finished: Finished, status: int, *parts: str) -> None:
    """It ended with this status and one line on stderr that has these parts; standard output is empty."""
    assert (finished.status, finished.stdout) == (status, b"")
    (line,) = finished.stderr.decode().splitlines()
    assert line.startswith("trec_eval: ")
    for part in parts:
        assert part in line


def assert_wrong_usage(finished: Finished, start: str) -> None:
    """As `assert_refused`, with status 1 and the usage text behind the line."""
    assert (finished.status, finished.stdout) == (1, b"")
    assert finished.stderr.decode() == start + "\n" + program.USAGE


# The page


def test_the_page_and_this_file_name_the_same_tests():
    sections = re.split(r"^## ([DE]\d+)\. ", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    named = dict(zip(sections[1::2], (re.findall(r"`(test_\w+)`", text) for text in sections[2::2]), strict=True))
    ours: dict[str, list[str]] = {}
    for name in globals():
        if match := re.match(r"test_([de])0?(\d+)_", name):
            ours.setdefault(match[1].upper() + match[2], []).append(name)
    assert {number: sorted(names) for number, names in named.items()} == {
        number: sorted(names) for number, names in ours.items()
    }


def test_the_page_has_every_departure_in_order():
    numbers = re.findall(r"^## (D\d+)\. ", PAGE.read_text("utf-8"), re.MULTILINE)
    assert numbers == [f"D{number}" for number in range(1, 27)]


# D1: judged queries that the run lacks


@both_releases
def test_d01_averages_are_over_the_queries_in_both_files(release: str, command: Command):
    finished = command(TWO_QRELS, ONE_RUN, "--compat", release, "-q", "-m", "map", "-m", "num_q")
    assert values(finished) == {("map", "q1"): "1.0000", ("map", "all"): "1.0000", ("num_q", "all"): "1"}
    assert finished.stderr.decode() == (
        "trec_eval: note: 1 of 2 judged queries are missing from the run, for example 'q2'; "
        "averages are over the 1 in both (-c averages over all)\n"
    )


@pytest.mark.parametrize("options", [["-c"], ["--quiet"], ["-D", "0.q1"]])
def test_d01_no_note_where_it_would_tell_nothing(options: list[str], command: Command):
    assert command(TWO_QRELS, ONE_RUN, *options, "-m", "map").stderr == b""


# D2: nothing to evaluate


@both_releases
@pytest.mark.parametrize(
    ("run", "found"),
    [
        ("q3 Q0 a 1 9 t\n", "the run has query 'q3', the qrels have query 'q1'"),
        ("\n \n", "the run has no records"),
    ],
)
def test_d02_no_query_in_common_ends_with_7(release: str, run: str, found: str, command: Command):
    finished = command(ONE_QRELS, run, "--compat", release, "-m", "map")
    assert_refused(finished, 7, "no queries with both results and relevance info", found)


@pytest.mark.parametrize("run", ["q3 Q0 a 1 9 t\n", "\n \n"])
def test_d02_with_c_release_10_prints_zeros(run: str, command: Command):
    assert summary(command(ONE_QRELS, run, "-c", "-m", "map", "-m", "num_q")) == {"map": "0.0000", "num_q": "1"}
    assert_refused(command(ONE_QRELS, run, "--compat", "9.0.8", "-c", "-m", "map"), 7)


def test_d02_the_tag_of_a_run_without_records_is_empty(command: Command):
    assert summary(command(ONE_QRELS, "\n", "-c", "-m", "runid")) == {"runid": ""}


# D3: the values of a missing query


def of_missing_query(finished: Finished) -> dict[str, str]:
    return {name: value for (name, query), value in values(finished).items() if query == "q2"}


def test_d03_a_missing_query_has_the_value_of_an_empty_ranking(command: Command):
    asked = ["-m", "all_trec", "-m", "yaap", "-m", "dcg", "-m", "ideal_dcg"]
    missing = of_missing_query(command(TWO_QRELS, ONE_RUN, "-c", "-q", *asked))
    assert missing.pop("num_rel") == "2"
    assert missing.pop("relstring") == "''"
    assert missing.pop("yaap") == f"{-math.log(3):.4f}"
    assert missing.pop("ideal_dcg") == f"{2 + 1 / math.log2(3):.4f}"
    assert len(missing) > 80
    assert set(missing.values()) == {"0", "0.0000"}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("utility.2,-1,0,0", "0.0000"),
        ("utility.1,0,-1,1", "0.0000"),
        ("relstring.20", "''"),
        ("rbp_resid.p=0.5", "0.0000"),
        ("unj.3", "0.0000"),
        ("ndcg.-1=2", "0.0000"),
        ("dcg.-1=2", "0.0000"),
    ],
)
def test_d03_parameters_change_nothing_about_a_missing_query(measure: str, value: str, command: Command):
    (found,) = of_missing_query(command(TWO_QRELS, ONE_RUN, "-c", "-q", "-m", measure)).values()
    assert found == value


def test_d03_no_invented_document_is_scored(command: Command):
    qrels = "q1 0 a 1\nq2 0 ceci_nest_pas_un_docno 1\n"
    missing = of_missing_query(command(qrels, ONE_RUN, "-c", "-q", "-m", "num_ret", "-m", "num_rel_ret", "-m", "map"))
    assert missing == {"num_ret": "0", "num_rel_ret": "0", "map": "0.0000"}


def test_d03_in_release_9_a_missing_query_adds_0_and_is_not_printed(command: Command):
    finished = command(TWO_QRELS, ONE_RUN, "--compat", "9.0.8", "-c", "-q", "-m", "yaap", "-m", "num_rel")
    assert of_missing_query(finished) == {}
    assert summary(finished) == {"yaap": f"{math.log(2) / 2:.4f}", "num_rel": "3"}


@pytest.mark.parametrize(("release", "missing", "together"), [("10.0", "1", "2"), ("9.0.8", None, "1")])
def test_d03_preferences_of_a_missing_query(release: str, missing: str | None, together: str, command: Command):
    prefs = "q1 u s a 2\nq1 u s b 1\nq2 u s a 2\nq2 u s b 1\n"
    finished = command(prefs, ONE_RUN, "--compat", release, "-R", "prefs", "-c", "-q", "-m", "prefs_num_prefs_poss")
    assert of_missing_query(finished).get("prefs_num_prefs_poss") == missing
    assert summary(finished) == {"prefs_num_prefs_poss": together}


# D4: nothing left of a ranking


@both_releases
@pytest.mark.parametrize("options", [["-M", "0"], ["-J"]])
def test_d04_an_empty_ranking_has_numbers(release: str, options: list[str], command: Command):
    qrels = "q1 0 a 1\nq1 0 b 1\nq1 0 c 1\nq2 0 d 0\n"
    run = "q1 Q0 x 1 9 t\nq2 Q0 x 1 9 t\n"
    asked = ["-m", "all_trec", "-m", "yaap", *(["-m", "dcg"] if release == "10.0" else [])]
    finished = command(qrels, run, "--compat", release, "-q", *options, *asked)
    assert summary(finished)["11pt_avg"] == summary(finished)["iprec_at_recall_0.00"] == "0.0000"
    assert not re.search(rb"\t *-?(nan|inf)", finished.stdout)


def test_d04_a_missing_query_with_J_has_numbers(command: Command):
    finished = command(TWO_QRELS, ONE_RUN, "-c", "-J", "-m", "11pt_avg", "-m", "iprec_at_recall.0")
    assert summary(finished) == {"iprec_at_recall_0.00": "0.5000", "11pt_avg": "0.5000"}


def test_d04_no_gain_in_the_ideal_ranking_is_0(command: Command):
    qrels, documents = GRADED
    finished = command(qrels, ranked(documents), "-m", "Rndcg.1=0,2=0,3=0", "-m", "ndcg.1=-1,2=-1,3=-1")
    assert set(summary(finished).values()) == {"0.0000"}


# D5: gains closer than 1


@pytest.mark.parametrize(
    ("gains", "scaled", "value"),
    [
        ("1=0.9,2=0.5", "1=9,2=5,3=30", "0.4459"),
        ("1=0.4,2=0.8,3=1.2", "1=1,2=2,3=3", "0.6607"),
        ("3=1.2,2=0.8,1=0.4", "1=1,2=2,3=3", "0.6607"),
    ],
)
@both_releases
def test_d05_gains_are_in_exact_order(release: str, gains: str, scaled: str, value: str, command: Command):
    qrels, documents = GRADED
    for measure in ("ndcg", "ndcg_rel", "Rndcg"):
        (ours,) = summary(command(qrels, ranked(documents), "--compat", release, "-m", f"{measure}.{gains}")).values()
        (whole,) = summary(command(qrels, ranked(documents), "--compat", release, "-m", f"{measure}.{scaled}")).values()
        assert ours == whole
        assert measure != "ndcg" or ours == value


@given(gains=st.lists(st.floats(0.001, 1.0), min_size=3, max_size=3), documents=st.permutations("abcdef"))
def test_d05_ndcg_never_exceeds_1(gains: list[float], documents: list[str]):
    builder = QrelsBuilder()
    for docno, grade in zip("abcdef", (1, 2, 3, 3, 2, 0), strict=True):
        builder.add(b"1", docno.encode(), grade)
    measure = registry.find("ndcg")
    assert measure is not None
    text = ",".join(f"{grade}={gain!r}" for grade, gain in enumerate(gains, 1))
    (setting,) = measure.parameter_kind.parse(text, "10.0").parameters
    results = Results(builder.finish("10.0"), Plan([(measure.kernel, setting, False, None)]))
    scan = RunScan(results, LINES["run"])
    scan.feed(ranked("".join(documents)).encode())
    scan.end()
    assert 0.0 < results.row(0)[0] <= 1.0 + 1e-12


# D6: parameters of dcg, ideal_dcg and ndcg


def test_d06_each_of_dcg_ideal_dcg_and_ndcg_has_its_own_parameters(command: Command):
    qrels, documents = GRADED
    asked = ["dcg.1=5", "ideal_dcg", "ndcg.3=1"]
    together = summary(command(qrels, ranked(documents), *(word for one in asked for word in ("-m", one))))
    assert list(together) == ["dcg_1=5", "ideal_dcg", "ndcg_3=1"]
    for one in asked:
        assert summary(command(qrels, ranked(documents), "-m", one)).items() <= together.items()


# D7: all judgements negative


@both_releases
def test_d07_a_query_with_negative_judgements_only_counts_as_0(release: str, command: Command):
    qrels = "q1 0 a -1\nq2 0 a 2\nq2 0 b 1\nq3 0 a -2\nq4 0 a -1\n"
    run = "".join(f"q{number} Q0 a 1 9 t\n" for number in range(1, 5))
    asked = ["-m", "map", "-m", "num_q", "-m", "num_rel", "-m", "ndcg"]
    asked += ["-m", "ideal_dcg"] if release == "10.0" else []
    found = values(command(qrels, run, "--compat", release, "-q", *asked))
    for query in ("q1", "q3", "q4"):
        assert {value for (_, of), value in found.items() if of == query} == {"0", "0.0000"}
    assert found["num_q", "all"] == "4"
    assert found["map", "all"] == "0.1250"


def test_d07_with_c_such_a_query_may_be_missing(command: Command):
    assert summary(command("q1 0 a 1\nq2 0 a -2\n", ONE_RUN, "-c", "-m", "map")) == {"map": "0.5000"}


# D8: numbers of options


@pytest.mark.parametrize("option", ["-l", "-M", "-N"])
@pytest.mark.parametrize("text", ["abc", "", "1.9", "2x", "0x2", "1e3"])
def test_d08_a_number_of_an_option_is_one_to_its_end(option: str, text: str, command: Command):
    expected = "a whole number" if option == "-N" else "a whole number from 0"
    start = f"trec_eval: option {option}: expected {expected}, found '{text}'"
    assert_wrong_usage(command(ONE_QRELS, ONE_RUN, option, text, "-m", "map"), start)


@pytest.mark.parametrize("option", ["-l", "-M"])
def test_d08_levels_and_depths_are_not_negative(option: str, command: Command):
    start = f"trec_eval: option {option}: expected a whole number from 0, found '-1'"
    assert_wrong_usage(command(ONE_QRELS, ONE_RUN, option, "-1", "-m", "map"), start)


def test_d08_depth_0_keeps_nothing(command: Command):
    assert summary(command(ONE_QRELS, ONE_RUN, "-M", "0", "-m", "map", "-m", "num_ret")) == {
        "num_ret": "0",
        "map": "0.0000",
    }


def test_d08_sign_and_blanks_of_a_number_are_fine(command: Command):
    assert summary(command(TWO_QRELS, ONE_RUN, "-c", "-q", "-l", " +2", "-M", "0010", "-m", "map"))
    assert summary(command(ONE_QRELS, ONE_RUN, "-N", "-5", "-m", "utility.1,1,1,1")) == {"utility_1,1,1,1": "-5.0000"}


# D9: values of files that are no numbers


@both_releases
def test_d09_a_value_that_is_cut_gives_one_warning_a_kind(release: str, command: Command):
    qrels = "q1 0 a 1\nq1 0 b 1.5\nq1 0 c yes\n"
    run = "q1 Q0 a 1 0,9 t\nq1 Q0 b 2 abc t\nq1 Q0 c 3 -1 t\n"
    finished = command(qrels, run, "--compat", release, "-m", "map", "-m", "num_rel")
    assert summary(finished) == {"num_rel": "2", "map": "1.0000"}
    first, second = finished.stderr.decode().splitlines()
    assert first.startswith("trec_eval: warning: qrels:2: expected a whole number as grade, found '1.5';")
    assert first.endswith("(such grades: 2)")
    assert second.startswith("trec_eval: warning: run:1: expected a number as score, found '0,9';")
    assert second.endswith("(such scores: 2)")


def test_d09_strict_refuses_such_a_value(command: Command):
    finished = command("q1 0 b 1.5\n", ONE_RUN, "--strict", "-m", "map")
    assert_refused(finished, 2, "qrels:1: expected a whole number as grade, found '1.5'")
    finished = command(ONE_QRELS, "q1 Q0 b 1 1 t\nq1 Q0 a 1 0,9 t\n", "--strict", "-m", "map")
    assert_refused(finished, 2, "run:2: expected a number as score, found '0,9'")


@both_releases
@pytest.mark.parametrize("score", ["nan", "NaN", "-nan", "nan(0x1)"])
def test_d09_a_score_that_is_nan_is_an_error(release: str, score: str, command: Command):
    finished = command(ONE_QRELS, f"q1 Q0 x 1 1 t\nq1 Q0 a 1 {score} t\n", "--compat", release, "-m", "map")
    assert_refused(finished, 2, f"run:2: expected a number as score, found '{score}'")


@both_releases
def test_d09_infinite_scores_are_ordered(release: str, command: Command):
    run = "q1 Q0 low 1 -inf t\nq1 Q0 a 1 1e300 t\nq1 Q0 high 1 Infinity t\n"
    if release == "9.0.8":  # 32 bits: 1e300 is infinite there
        run = run.replace("1e300", "1e30")
    finished = command("q1 0 a 1\nq1 0 low 1\n", run, "--compat", release, "-m", "recip_rank", "-m", "map")
    assert summary(finished) == {"map": f"{(1 / 2 + 2 / 3) / 2:.4f}", "recip_rank": "0.5000"}
    assert finished.stderr == b""


# D10: byte-order mark


@both_releases
def test_d10_a_byte_order_mark_is_taken_off(release: str, command: Command):
    mark = "\ufeff"
    expected = command(ONE_QRELS, ONE_RUN, "--compat", release, "-q")
    assert expected.status == 0
    assert command(mark + ONE_QRELS, mark + ONE_RUN, "--compat", release, "-q") == expected


# D11: blank lines and comments


@both_releases
def test_d11_blank_lines_are_passed_over_in_every_file(release: str, command: Command):
    expected = command(TWO_QRELS, ONE_RUN, "--compat", release, "-c")
    qrels, run = ("\n \t\n" + text.replace("\n", "\n\n\r\n") + "  " for text in (TWO_QRELS, ONE_RUN))
    assert command(qrels, run, "--compat", release, "-c") == expected
    groups = command(qrels, run, "--compat", release, "-c", "-R", "qrels_jg", "-m", "map_avgjg")
    assert summary(groups) == {"map_avgjg": "0.5000"}


@pytest.mark.parametrize("rel_format", ["qrels", "qrels_jg"])
def test_d11_release_10_takes_any_number_of_comments(rel_format: str, command: Command):
    measure = "map" if rel_format == "qrels" else "map_avgjg"
    qrels = "# one\n# two 0 a 1\n" + ONE_QRELS + "#q2 0 a 1\n# the last line"
    run = "# one\n  \t# q1 Q0 x 1 99 t\n" + ONE_RUN + "#"
    assert summary(command(qrels, run, "-R", rel_format, "-m", measure)) == {measure: "1.0000"}


@pytest.mark.parametrize(("rel_format", "line"), [("prefs", "q1 u s {} {}\n"), ("qrels_prefs", "q1 u {} {}\n")])
def test_d11_so_do_preferences(rel_format: str, line: str, command: Command):
    prefs = "# one\n\n# two\n" + line.format("a", 2) + line.format("b", 1) + "# the last line"
    assert summary(command(prefs, ONE_RUN, "-R", rel_format, "-m", "prefs_simp")) == {"prefs_simp": "1.0000"}


def test_d11_a_comment_begins_in_column_1_of_judgements(command: Command):
    finished = command("  # no comment\n" + ONE_QRELS, ONE_RUN, "-m", "map")
    assert_refused(finished, 2, "qrels:1: expected 4 fields")


def test_d11_a_file_of_comments_has_no_records(command: Command):
    assert_refused(command("# a\n# b\n", ONE_RUN, "-m", "map"), 7, "the qrels have no records")
    assert_refused(command(ONE_QRELS, "# a\n", "-m", "map"), 7, "the run has no records")


def test_d11_in_release_9_a_hash_is_data(command: Command):
    qrels, run = "#q 0 #a 1\n", "#q Q0 #a 1 9 t\n"
    assert summary(command(qrels, run, "--compat", "9.0.8", "-m", "map")) == {"map": "1.0000"}
    finished = command("# a comment\n" + qrels, run, "--compat", "9.0.8", "-m", "map")
    assert_refused(finished, 2, "qrels:1: expected 4 fields")


# D12: places


@both_releases
def test_d12_a_malformed_line_is_named_by_its_number_in_the_file(release: str, command: Command):
    finished = command("\n\nq1 0 a 1\nq1 0 b\n", ONE_RUN, "--compat", release)
    assert_refused(finished, 2, "trec_eval: qrels:4: expected 4 fields (qid iteration docno grade), found 3")
    finished = command("q1 0 a 1 5\n", ONE_RUN, "--compat", release)
    assert_refused(finished, 2, "trec_eval: qrels:1: expected 4 fields (qid iteration docno grade), found 5")
    finished = command(ONE_QRELS, "\n" + ONE_RUN + "q1 Q0 b", "--compat", release)
    assert_refused(finished, 2, "trec_eval: run:3: expected 6 fields (qid Q0 docno rank score tag), found 3")


# D13: output of a command that fails


@both_releases
def test_d13_output_stays_empty_where_a_later_query_fails(release: str, command: Command):
    run = "q1 Q0 a 1 9 t\nq2 Q0 a 1 9 t\nq2 Q0 b 2 8 t\nq2 Q0 a 3 7 t\n"
    finished = command(TWO_QRELS, run, "--compat", release, "-q", "-m", "map")
    assert_refused(
        finished, 4, "run:4: expected each document once for a query, found document 'a' of query 'q2' on line 2 too"
    )


@both_releases
def test_d13_a_document_judged_twice_is_named_with_both_lines(release: str, command: Command):
    qrels = "q1 0 a 1\nq2 0 b 1\nq2 0 a 1\nq2 0 b 0\n"
    run = "q1 Q0 a 1 9 t\nq2 Q0 a 1 9 t\n"
    finished = command(qrels, run, "--compat", release, "-q", "-m", "map")
    assert_refused(finished, 4, "qrels:4: ", "document 'b' of query 'q2' on line 2 too")
    finished = command(qrels, run, "--compat", release, "-R", "qrels_jg", "-m", "map_avgjg")
    assert_refused(finished, 2, "qrels:4: ", "document 'b' of query 'q2' and group '0' on line 2 too")


def test_d13_output_stays_empty_where_the_file_ends_badly(command: Command):
    run = "".join(f"q1 Q0 d{number} 1 {-number} t\n" for number in range(1000)) + "q2 Q0 a"
    assert_refused(command(TWO_QRELS, run, "-q", "-m", "map"), 2, "run:1001: expected 6 fields")


# D14: NUL bytes


@both_releases
@pytest.mark.parametrize("line", [b"q1 0 b\0 1\n", b"\0q1 0 b 1\n", b"q1 0 b 1\0\n", b"\0\n", b"q1 0 b 1 \0"])
def test_d14_a_nul_byte_in_judgements_is_an_error(release: str, line: bytes, command: Command):
    finished = command(ONE_QRELS.encode() + line, ONE_RUN, "--compat", release, "-m", "map")
    assert_refused(finished, 2, "qrels:2: expected text, found a NUL byte")


@both_releases
@pytest.mark.parametrize("line", [b"q1 Q0 b\0 1 8 t\n", b"\0q1 Q0 b 1 8 t\n", b"q1 Q0 b 1 8 t\0", b"\0"])
def test_d14_a_nul_byte_in_a_run_is_an_error(release: str, line: bytes, command: Command, tmp_path: Path):
    finished = command(ONE_QRELS, ONE_RUN.encode() + line, "--compat", release, "-m", "map")
    assert_refused(finished, 2, "run:2: expected text, found a NUL byte")


def test_d14_so_is_one_on_standard_input(tmp_path: Path):
    (tmp_path / "qrels").write_text(ONE_QRELS)
    text = ONE_RUN.encode() + b"q1 Q0 b\0 1 8 t\nq1 Q0 c 1 7 t\n"
    finished = process(tmp_path, "-m", "map", "qrels", "-", input=text, capture_output=True)
    assert (finished.returncode, finished.stdout) == (2, b"")
    assert finished.stderr == b"trec_eval: standard input:2: expected text, found a NUL byte\n"


# D15: z-scores

NO_ZSCORE = "-1000000.0000"


@both_releases
def test_d15_without_an_entry_a_zscore_is_minus_a_million(release: str, command: Command, tmp_path: Path):
    qrels, run = "q1 0 a 1\nq2 0 a 1\n", "q1 Q0 a 1 9 t\nq2 Q0 a 1 9 t\n"
    # recip_rank and q2 stand behind all that the file has.
    (tmp_path / "zscores").write_text("q1 map 0.5 0.25\n")
    asked = ["-Z", "zscores", "-q", "-m", "map", "-m", "recip_rank"]
    found = values(command(qrels, run, "--compat", release, *asked))
    assert found["Zmap", "q1"] == "2.0000"
    assert found["Zmap", "q2"] == found["Zrecip_rank", "q1"] == found["Zrecip_rank", "q2"] == NO_ZSCORE
    # The next query's first entry isn't taken for a missing one.
    (tmp_path / "zscores").write_text("q1 aaa 1 1\nq2 map 0.5 0.25\n")
    found = values(command(qrels, run, "--compat", release, *asked))
    assert (found["Zmap", "q1"], found["Zmap", "q2"]) == (NO_ZSCORE, "2.0000")


# D16: huge numbers


@both_releases
def test_d16_a_huge_grade_costs_nothing(release: str, command: Command):
    """An array with a place for each grade, as the reference has it, would take 16 GiB."""
    qrels = "q1 0 a 2147483647\nq1 0 b 1\nq1 0 c -2147483648\n"
    found = summary(command(qrels, ranked("bac", "q1"), "--compat", release, "-m", "all_trec"))
    ideal = 2147483647 + 1 / math.log2(3)
    assert found["ndcg"] == f"{(1 + 2147483647 / math.log2(3)) / ideal:.4f}"
    assert found["num_rel"] == "2"


@both_releases
@pytest.mark.parametrize("grade", ["2147483648", "-2147483649", "99999999999999999999"])
def test_d16_a_grade_outside_32_bits_is_an_error(release: str, grade: str, command: Command):
    finished = command(ONE_QRELS + f"q1 0 b {grade}\n", ONE_RUN, "--compat", release)
    assert_refused(finished, 2, f"qrels:2: expected a grade of at most 32 bits, found '{grade}'")


@both_releases
def test_d16_a_huge_level_is_above_every_grade(release: str, command: Command):
    finished = command(ONE_QRELS, ONE_RUN, "--compat", release, "-l", "20000000000", "-m", "official")
    assert summary(finished)["num_rel"] == "0"
    assert summary(finished)["bpref"] == summary(finished)["map"] == "0.0000"


@both_releases
def test_d16_huge_cutoffs_are_in_order(release: str, command: Command):
    finished = command(ONE_QRELS, ONE_RUN, "--compat", release, "-m", "P.3000000000,2", "-m", "success.99999999999")
    assert finished.stdout.decode().splitlines() == [
        "P_2                   \tall\t0.5000",
        "P_3000000000          \tall\t0.0000",
        "success_99999999999   \tall\t1.0000",
    ]
    assert_refused(command(ONE_QRELS, ONE_RUN, "-m", "P.-1,3000000000"), 2, "P: negative cutoff")


# D17: large files, pipes


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Callable[[str, str], None]]:
    """`pipe(name, text)`: makes a named pipe in tmp_path from which this text can be read once."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes here")
    writers = []

    def make(name: str, text: str) -> None:
        os.mkfifo(tmp_path / name)
        writers.append(subprocess.Popen([sys.executable, "-c", f"open({name!r}, 'w').write({text!r})"], cwd=tmp_path))

    yield make
    for writer in writers:
        writer.kill()
        writer.wait()


def test_d17_pipes_are_read(pipe: Callable[[str, str], None], tmp_path: Path):
    pipe("qrels", ONE_QRELS)
    pipe("run", ONE_RUN)
    finished = process(tmp_path, "-m", "map", "qrels", "run", capture_output=True)
    assert (finished.returncode, finished.stdout) == (0, b"map                   \tall\t1.0000\n"), finished.stderr


def test_d17_a_pipe_whose_queries_lie_apart_is_read(pipe: Callable[[str, str], None], tmp_path: Path):
    """The lines of a query that lie apart take a second pass, which a pipe has no bytes left for."""
    (tmp_path / "qrels").write_text(TWO_QRELS)
    pipe("run", "q2 Q0 x 1 9 t\nq1 Q0 a 1 9 t\nq2 Q0 a 2 8 t\n")
    finished = process(tmp_path, "-q", "-n", "-m", "recip_rank", "qrels", "run", capture_output=True)
    assert finished.stdout == b"recip_rank            \tq1\t1.0000\nrecip_rank            \tq2\t0.5000\n"


def test_d17_places_of_a_file_have_64_bits(tmp_path: Path):
    """A file of more than 4 GiB, all but its end a hole: a thread reads the share that begins in its last bytes."""
    hole = (1 << 32) + 12345
    path = tmp_path / "run"
    with path.open("wb") as file:
        file.seek(hole)
        file.write(b"\nother Q0 x 1 9 t\nq1 Q0 x 1 9 t\nq1 Q0 a 2 8 t\nq1 Q0 broken\n")
    if path.stat().st_blocks * 512 > 1 << 30:
        pytest.skip("this file system keeps no holes")
    builder = QrelsBuilder()
    builder.add(b"q1", b"a", 1)
    measure = registry.find("recip_rank")
    assert measure is not None
    (setting,) = measure.parameter_kind.defaults()
    results = Results(builder.finish("10.0"), Plan([(measure.kernel, setting, False, None)]))
    scan = RunScan(results, LINES["run"])
    with path.open("rb") as file:
        scan.scan_file(file.fileno(), hole + 1, (1 << 63) - 1)
    assert scan.problem == ("field-count", hole + 1 + len("other Q0 x 1 9 t\nq1 Q0 x 1 9 t\nq1 Q0 a 2 8 t\n"), 3)


# D18: standard input, compression


@both_releases
@pytest.mark.parametrize(("files", "text"), [(["-", "run"], ONE_QRELS), (["qrels", "-"], ONE_RUN)])
def test_d18_either_file_may_be_standard_input(release: str, files: list[str], text: str, tmp_path: Path):
    (tmp_path / "qrels").write_text(ONE_QRELS)
    (tmp_path / "run").write_text(ONE_RUN)
    arguments = ["--compat", release, "-m", "map", *files]
    finished = process(tmp_path, *arguments, input=text.encode(), capture_output=True)
    assert (finished.returncode, finished.stdout) == (0, b"map                   \tall\t1.0000\n"), finished.stderr


def test_d18_one_of_them_only(trec_eval: Command):
    start = "trec_eval: expected one file from standard input, found '-' for both"
    assert_wrong_usage(trec_eval("-m", "map", "-", "-"), start)


def zstd(content: bytes) -> bytes:
    return pytest.importorskip("backports.zstd").compress(content)  # type: ignore[no-any-return]


@both_releases
@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_d18_compressed_files_are_known_by_their_first_bytes(
    release: str, compress: Callable[[bytes], bytes], command: Command
):
    expected = command(TWO_QRELS, ONE_RUN, "--compat", release, "-q")
    qrels, run = (compress(text.encode()) for text in (TWO_QRELS, ONE_RUN))
    assert command(qrels, run, "--compat", release, "-q") == expected
    assert expected.status == 0


# D19: preferences that can't be evaluated


@both_releases
def test_d19_contradicting_preferences_are_named(release: str, command: Command):
    prefs = "q1 u s d1 3\nq1 u s d2 2\nq1 u t d2 3\nq1 u t d1 2\n"
    finished = command(prefs, "q1 Q0 d1 1 9 t\n", "--compat", release, "-R", "prefs", "-m", "prefs_simp")
    assert_refused(finished, 4, "query 'q1' and group 'u'", "'d1' over 'd2'", "'d2' over 'd1'")


@both_releases
def test_d19_other_groups_may_contradict(release: str, command: Command):
    prefs = "q1 u s d1 3\nq1 u s d2 2\nq1 v s d2 3\nq1 v s d1 2\n"
    finished = command(prefs, "q1 Q0 d1 1 9 t\n", "--compat", release, "-R", "prefs", "-m", "prefs_simp")
    assert summary(finished) == {"prefs_simp": "0.5000"}


@both_releases
@pytest.mark.parametrize(("rel_format", "prefs"), [("prefs", "q1 u s a nan\n"), ("qrels_prefs", "q1 u a NaN\n")])
def test_d19_a_level_that_is_nan_is_an_error(release: str, rel_format: str, prefs: str, command: Command):
    finished = command(prefs, ONE_RUN, "--compat", release, "-R", rel_format, "-m", "prefs_simp")
    assert_refused(finished, 2, "qrels:1: expected a number as level")


# D20: CR alone as line end


@both_releases
def test_d20_lines_that_end_with_cr_alone_are_an_error(release: str, command: Command):
    expected = ":1: expected lines that end with LF or CR LF, found CR alone"
    finished = command(TWO_QRELS.replace("\n", "\r"), ONE_RUN, "--compat", release)
    assert_refused(finished, 2, "qrels" + expected)
    finished = command(ONE_QRELS, "q1 Q0 a 1 9 t\rq1 Q0 b 1 8 t\r", "--compat", release)
    assert_refused(finished, 2, "run" + expected)


def test_d20_cr_and_lf_are_fine(command: Command):
    expected = command(TWO_QRELS, ONE_RUN, "-q")
    assert expected.status == 0
    assert command(TWO_QRELS.replace("\n", "\r\n"), ONE_RUN.replace("\n", "\r\n"), "-q") == expected


# D21: output that can't be written


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_d21_a_full_disk_is_an_error(tmp_path: Path):
    (tmp_path / "qrels").write_text(ONE_QRELS)
    (tmp_path / "run").write_text(ONE_RUN)
    with open("/dev/full", "wb") as full:
        finished = process(tmp_path, "-m", "map", "qrels", "run", stdout=full, stderr=subprocess.PIPE)
    assert finished.returncode == 1
    assert finished.stderr == b"trec_eval: cannot write standard output: No space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="there is no sh here")
def test_d21_so_is_a_closed_output(tmp_path: Path):
    (tmp_path / "qrels").write_text(ONE_QRELS)
    (tmp_path / "run").write_text(ONE_RUN)
    call = 'exec "$0" -m treckon trec_eval -m map qrels run >&-'
    finished = subprocess.run(["sh", "-c", call, sys.executable], cwd=tmp_path, stderr=subprocess.PIPE)
    assert finished.returncode == 1
    assert finished.stderr.startswith(b"trec_eval: cannot write standard output: ")
    assert finished.stderr.count(b"\n") == 1


def test_d21_a_reader_that_leaves_is_no_error(tmp_path: Path):
    (tmp_path / "qrels").write_text("".join(f"q{number} 0 a 1\n" for number in range(3000)))
    (tmp_path / "run").write_text("".join(f"q{number} Q0 a 1 9 t\n" for number in range(3000)))
    reads, writes = os.pipe()
    os.close(reads)
    finished = process(tmp_path, "-q", "qrels", "run", stdout=writes, stderr=subprocess.PIPE)
    os.close(writes)
    assert (finished.returncode, finished.stderr) == (0, b"")


# D22: rbp's lowest and highest gain


@pytest.mark.parametrize("others", [[], ["-m", "ndcg"], ["-m", "all_trec", "-m", "yaap"], ["-q", "-m", "official"]])
def test_d22_rbp_is_the_same_whatever_else_is_asked_for(others: list[str], command: Command):
    qrels, documents = GRADED
    found = summary(command(qrels, ranked(documents), *others, "-m", "rbp"))
    assert found["rbp"] == f"{0.1 * (2 / 3 + 0.9**3 / 3 + 0.9**6):.4f}"


def test_d22_lowest_and_highest_gain_start_at_0(command: Command):
    found = summary(command("1 0 a 1\n1 0 b 0\n", ranked("ab"), "-m", "rbp.0=2,1=4"))
    assert found == {"rbp_0=2,1=4": f"{0.1 * (4 / 4 + 0.9 * 2 / 4):.4f}"}


# D23: the order of recall points


@both_releases
@pytest.mark.parametrize("points", [".2,.5", ".5,.2"])
def test_d23_recall_points_may_come_in_any_order(release: str, points: str, command: Command):
    qrels, documents = GRADED
    found = summary(command(qrels, ranked(documents), "--compat", release, "-m", f"11pt_avg.{points}"))
    assert found == {f"11pt_avg_{points}": "0.7500"}


# D24: version and help


@both_releases
def test_d24_the_version_names_both_programs(release: str, trec_eval: Command):
    text = f"trec_eval version {release} (treckon {treckon.__version__})\n"
    assert trec_eval("--compat", release, "-v") == (0, b"", text.encode())


def test_d24_help_is_our_own_text_on_standard_output(trec_eval: Command):
    status, stdout, stderr = trec_eval("-h", "-m", "map")
    assert (status, stderr) == (0, b"")
    assert b"--compat RELEASE" in stdout
    assert b"\nmap: Average precision\n" in stdout


# D25: parameters that are not used, or in part


@pytest.mark.parametrize(
    ("asked", "same_as", "warning"),
    [
        ("map.5", "map", "map: it takes no parameters, '5' has no effect"),
        ("official.5", "official", "official: a nickname takes no parameters, '5' has no effect"),
        ("ndcg_cut.1=1", "ndcg_cut.1", "ndcg_cut: '1=1' is not a whole number, read as 1"),
        ("P.5x", "P.5", "P: '5x' is not a whole number, read as 5"),
        ("P.7.9", "P.7", "P: '7.9' is not a whole number, read as 7"),
        ("iprec_at_recall..1x", "iprec_at_recall..1", "iprec_at_recall: '.1x' is not a number, read as 0.1"),
    ],
)
def test_d25_a_parameter_that_is_not_used_gives_a_warning(asked: str, same_as: str, warning: str, command: Command):
    finished = command(ONE_QRELS, ONE_RUN, "-m", asked)
    assert finished.stdout == command(ONE_QRELS, ONE_RUN, "-m", same_as).stdout
    assert finished.stderr.decode() == f"trec_eval: warning: {warning}\n"
    assert command(ONE_QRELS, ONE_RUN, "--quiet", "-m", asked).stderr == b""
    assert_refused(command(ONE_QRELS, ONE_RUN, "--strict", "-m", asked), 2, warning)


@pytest.mark.parametrize(
    ("release", "value", "warning"),
    [("10.0", "0.6607", "'x' is not a grade, left out"), ("9.0.8", "0.7502", "'x' is not a grade, read as 0")],
)
def test_d25_a_key_that_is_no_grade_gives_one_too(release: str, value: str, warning: str, command: Command):
    qrels, documents = GRADED
    finished = command(qrels, ranked(documents), "--compat", release, "-m", "ndcg.x=3")
    assert summary(finished) == {"ndcg_x=3": value}
    assert finished.stderr.decode() == f"trec_eval: warning: ndcg: {warning}\n"


# D26: num_rel with -c and -l


@both_releases
def test_d26_the_summary_of_num_rel_with_c_counts_grades_above_0(release: str, command: Command):
    qrels, documents = GRADED
    for level, of_query in (("0", "6"), ("1", "4"), ("2", "2"), ("9", "0")):
        arguments = ["--compat", release, "-q", "-l", level, "-m", "num_rel"]
        with_c = values(command(qrels, ranked(documents), "-c", *arguments))
        assert with_c == {("num_rel", "1"): of_query, ("num_rel", "all"): "4"}
        assert summary(command(qrels, ranked(documents), *arguments)) == {"num_rel": of_query}


# E1: messages


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["-m", "nope"], 1, "illegal measure 'nope'"),
        (["-m", "P."], 1, "illegal measure 'P': expected parameters behind the dot, found none"),
        (["-m", "P.5,5"], 2, "P: duplicate cutoffs: expected different numbers, found '5,5'"),
        (["-m", "ndcg.1"], 2, "ndcg: malformed pair parameters: expected grade=gain,..., found '1'"),
        (["-R", "nope"], 2, "illegal rel_format 'nope'"),
        (["-T", "nope"], 2, "illegal retrieval results format 'nope'"),
        (["-R", "qrels_jg", "-m", "map"], 4, "can't calculate measure 'map'"),
    ],
)
def test_e01_a_message_is_one_line_of_our_own(arguments: list[str], status: int, message: str, command: Command):
    assert_refused(command(ONE_QRELS, ONE_RUN, *arguments), status, f"trec_eval: {message}")


# E2: the order of checks


@pytest.mark.parametrize(("measure", "status"), [("nope", 1), ("P.0", 2), ("utility.1", 4)])
def test_e02_measures_are_looked_at_before_files(measure: str, status: int, trec_eval: Command):
    finished = trec_eval("-m", measure, "no such file", "no such file")
    assert_refused(finished, status, measure.partition(".")[0])


# E3: -D


@both_releases
def test_e03_debugging_prints_nothing_more(release: str, command: Command):
    arguments = ["--compat", release, "-q", "-m", "ndcg"]
    expected = command(TWO_QRELS, ONE_RUN, *arguments)
    assert expected.status == 0
    assert command(TWO_QRELS, ONE_RUN, "-D", "9", *arguments) == expected


@both_releases
def test_e03_it_chooses_a_query(release: str, command: Command):
    run = "q1 Q0 a 1 9 t\nq2 Q0 a 1 9 t\n"
    found = values(command(TWO_QRELS, run, "--compat", release, "-D", "2.q2", "-q", "-m", "num_rel_ret"))
    assert found == {("num_rel_ret", "q2"): "1", ("num_rel_ret", "all"): "1"}
    assert_refused(command(TWO_QRELS, run, "-D", "0.q3"), 7, "'q3' is not judged")


# E4: results that no number stands for


def test_e04_a_term_of_G_without_a_logarithm_counts_as_0(command: Command):
    # b: 3 / log2(2 + 3 - 3); z gains more than all ranks cost, so neither it nor a below it has a logarithm.
    found = summary(command("1 0 a 1\n1 0 b 3\n", ranked("bza"), "-m", "G.-1=20,1=3"))
    assert found == {"G_-1=20,1=3": "0.5000"}


def test_e04_what_overflows_counts_as_0(command: Command):
    qrels, documents = GRADED
    measures = ["dcg.1=1e308,2=1e308,-1=1e308", "set_F.1e308", "rbp.p=1e300", "utility.1e308,-1e308,1e308,1e308"]
    asked = [word for one in measures for word in ("-m", one)]
    finished = command(qrels, ranked(documents), "-N", "9", *asked)
    assert len(summary(finished)) == 4
    assert not re.search(rb"\t *-?(nan|inf)", finished.stdout)


# E5: parameters that are not finite


@pytest.mark.parametrize(
    ("measure", "releases"),
    [
        ("utility.inf,0,0,0", RELEASES),
        ("set_F.nan", RELEASES),
        ("ndcg.1=inf", RELEASES),
        ("iprec_at_recall.nan", RELEASES),
        ("rbp.p=nan", RELEASES[1:]),
    ],
)
def test_e05_parameters_are_finite(measure: str, releases: tuple[str, ...], command: Command):
    for release in releases:
        assert_refused(command(ONE_QRELS, ONE_RUN, "--compat", release, "-m", measure), 2, "expected")


# E6, E7: preferences


@both_releases
def test_e06_a_first_level_of_minus_3_is_a_level(release: str, command: Command):
    prefs = "q1 u s a -3\nq1 u s b -4\n"
    asked = ["-m", "prefs_num_prefs_poss", "-m", "prefs_num_prefs_ful"]
    found = summary(command(prefs, ranked("ab", "q1"), "--compat", release, "-R", "prefs", *asked))
    assert found == {"prefs_num_prefs_poss": "1", "prefs_num_prefs_ful": "1"}


@both_releases
def test_e07_a_lowest_level_of_fewer_documents_than_R_counts_as_it_is(release: str, command: Command):
    # R = 2 (c, d), N = 3; the lowest level has only b. Above it 5 preferences, and 5 pairs with b, one of b and b.
    prefs = "q1 g c 1\nq1 g d 2\nq1 g a -1\nq1 g e -1\nq1 g b -2\n"
    arguments = ["--compat", release, "-R", "qrels_prefs", "-m", "prefs_avgjg_Rnonrel"]
    found = summary(command(prefs, ranked("dcaeb", "q1"), *arguments))
    assert found == {"prefs_avgjg_Rnonrel": "0.9000"}


# E8: printed names are accepted


@pytest.mark.parametrize(
    ("printed", "asked"),
    [
        ("ndcg_cut_10", "ndcg_cut.10"),
        ("P_5,10", "P.5,10"),
        ("P_5", "P.5"),
        ("iprec_at_recall_0.10", "iprec_at_recall.0.1"),
        ("ndcg_1=3,2=9", "ndcg.1=3,2=9"),
        ("rbp_p=0.8", "rbp.p=0.8"),
        ("set_F_2", "set_F.2"),
        ("11pt_avg_.25,.5", "11pt_avg..25,.5"),
    ],
)
def test_e08_a_printed_name_asks_for_what_it_names(printed: str, asked: str, command: Command):
    expected = command(ONE_QRELS, ONE_RUN, "-m", asked)
    assert expected.status == 0
    assert command(ONE_QRELS, ONE_RUN, "-m", printed) == expected


# E9: options of our own


def test_e09_the_release_comes_from_the_option_or_the_environment(command: Command, monkeypatch: pytest.MonkeyPatch):
    run = "q1 Q0 a 1 1.00000002 t\nq1 Q0 b 1 1.00000001 t\n"  # equal in 32 bits, where b comes first
    newest, oldest = {"recip_rank": "1.0000"}, {"recip_rank": "0.5000"}
    assert summary(command(ONE_QRELS, run, "-m", "recip_rank")) == newest
    assert summary(command(ONE_QRELS, run, "--compat=9.0.8", "-m", "recip_rank")) == oldest
    monkeypatch.setenv("TRECKON_COMPAT", "9.0.8")
    assert summary(command(ONE_QRELS, run, "-m", "recip_rank")) == oldest
    assert summary(command(ONE_QRELS, run, "--compat", "10.0", "-m", "recip_rank")) == newest
    monkeypatch.setenv("TRECKON_COMPAT", "8")
    finished = command(ONE_QRELS, run)
    assert_refused(finished, 1, "--compat, TRECKON_COMPAT: expected 9.0.8 or 10.0, found '8'")


def test_e09_own_options_take_no_abbreviation_away(command: Command):
    # --c, --s, --q and --t would be ambiguous if ours counted; --q and --c are NIST's, --s and --t are ours alone.
    expected = command(TWO_QRELS, ONE_RUN, "-c", "-q", "-m", "map")
    assert expected.status == 0
    assert command(TWO_QRELS, ONE_RUN, "--c", "--q", "--s", "--t", "2", "-m", "map") == expected


@both_releases
def test_e09_the_number_of_threads_changes_nothing(release: str, command: Command):
    qrels = "".join(f"q{number} 0 d{number} 1\n" for number in range(50))
    run = "".join(
        f"q{number} Q0 d{other} 1 {-((other * 7) % 1009)}.25 tag\n" for number in range(60) for other in range(1500)
    )
    assert len(run) > 2 << 20  # enough that it is read in several shares
    one, *others = (command(qrels, run, "--compat", release, "--threads", n, "-q", "-m", "all_trec") for n in "1238")
    assert one.status == 0
    assert others == [one] * 3


def test_e09_threads_are_a_number_from_1(command: Command):
    start = "trec_eval: option --threads: expected a whole number from 1, found '0'"
    assert_wrong_usage(command(ONE_QRELS, ONE_RUN, "--threads", "0"), start)


# E10: lines of more than 64 MiB


def test_e10_a_line_that_never_ends_is_malformed(command: Command):
    endless = gzip.compress(b"x" * ((64 << 20) + (1 << 21)), 1)
    finished = command(ONE_QRELS, endless)
    assert_refused(finished, 2, "run:1: expected a line of at most 64 MiB, found a longer one")
