r"""Every error and warning of the command, word for word: place, expectation, finding; exit status; an empty stdout.

To see whether one is missing, compare `grep -nE "raise |_say\(|tell\(|doubts.append" src/treckon/<module>` with this
list (tests/test_preferences.py and tests/test_zscores.py have those of their formats, tests/unit/test_syntax.py has
those of the measures by the field's names, tests/unit/test_inputs.py those of Python's objects):

cli/getopt_long.py   option doesn't allow, requires an argument (long, short), is ambiguous, unrecognized, invalid
cli/trec_eval.py     -l, -M, -N, --threads: no whole number, too low; --compat, TRECKON_COMPAT; no two files; `-` twice;
                     illegal rel_format; illegal results format; doubts of measures: warning, with --strict an error;
                     missing queries: a note; stdout full, closed; out of memory; an interrupt
cli/main.py          unknown command (tests/unit/test_cli.py has the others of `treckon`)
names.py             illegal measure; nothing behind the dot; a nickname with parameters
params.py            negative cutoff; duplicate cutoffs (ranks, numbers); no numbers (NaN); infinite numbers; how many
                     numbers; malformed pairs; infinite gains; doubts: no whole number, no number, no grade (read as,
                     left out), no parameters taken
sources.py             unreadable: absent, a directory, empty, closed, failing; damaged, cut off; zstd's package missing
reading.py           fields, NUL, CR, NaN, no number (score, grade), grade too large, reading fails, a document twice in
                     qrels_jg; doubts of scores and grades.
policy.py            a measure of another format; no queries: four findings
scoring.py           a document twice in the run, in the qrels
_native/*.pyx        numbers of queries and values that aren't there; kernels aren't made by hand
registry.py          a name, an alias twice
"""

import bz2
import gc
import gzip
import importlib
import lzma
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treckon.measures  # noqa: F401  (fills the registry)
from treckon._native.line_formats import LineFormat
from treckon._native.plans import Plan
from treckon._native.qrels import QrelsBuilder
from treckon._native.ranking import Kernel
from treckon._native.results import Results
from treckon._native.scans import QrelsScan, RunScan
from treckon.checks import checked_choice, checked_share
from treckon.cli import trec_eval as command
from treckon.errors import (
    Advice,
    EvaluationError,
    InputError,
    NoQueriesError,
    Notice,
    ParameterError,
    Place,
    TreckonError,
    UnknownMeasureError,
    in_short_with_type,
    listed,
    one_of,
)
from treckon.inputs import reading, sources
from treckon.inputs.formats.trec import LINES
from treckon.measures import registry
from treckon.naming.trec_eval import request

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 a 1 1 t\n"

USAGE, INPUT, MEMORY, CALCULATION, NO_QUERIES = 1, 2, 3, 4, 7


@pytest.fixture
def call(trec_eval: Callable, tmp_path: Path) -> Callable[..., Any]:
    """`call(arguments, qrels=..., run=...)`: the command on files of these contents, with "qrels" and "run" added."""

    def call(arguments: str = "", qrels: str | bytes = QRELS, run: str | bytes = RUN) -> Any:
        for name, content in (("qrels", qrels), ("run", run)):
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return trec_eval(*arguments.split(), "qrels", "run", folder=tmp_path)

    return call


def assert_fails(finished: Any, status: int, message: str) -> None:
    assert finished == (status, b"", f"trec_eval: {message}\n".encode())


def assert_warns(finished: Any, *messages: str) -> None:
    """It ends well, with output, and says these."""
    assert finished.status == 0 and finished.stdout
    assert finished.stderr.decode() == "".join(f"trec_eval: {message}\n" for message in messages)


# ---- Usage: status 1, with the usage text behind the message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-x", "invalid option -- 'x'"),
        ("-qx", "invalid option -- 'x'"),
        ("-:", "invalid option -- ':'"),
        ("-é", "invalid option -- 'é'"),
        ("--unknown", "unrecognized option '--unknown'"),
        ("--max 5", "unrecognized option '--max'"),
        ("--unknown=5", "unrecognized option '--unknown'"),
        ("--R qrels", "option '--R' is ambiguous; possibilities: '--Rel_info_format' '--Results_format'"),
        ("--Re=qrels", "option '--Re' is ambiguous; possibilities: '--Rel_info_format' '--Results_format'"),
        ("--help=x", "option '--help' doesn't allow an argument"),
        ("--q=", "option '--query_eval_wanted' doesn't allow an argument"),
        ("--strict=1", "option '--strict' doesn't allow an argument"),
        ("-l abc", "option -l: expected a whole number from 0, found 'abc'"),
        ("-l 1.9", "option -l: expected a whole number from 0, found '1.9'"),
        ("-l -1", "option -l: expected a whole number from 0, found '-1'"),
        ("--level_for_rel=", "option -l: expected a whole number from 0, found ''"),
        ("-l=2", "option -l: expected a whole number from 0, found '=2'"),
        ("-M -1", "option -M: expected a whole number from 0, found '-1'"),
        ("-Max", "option -M: expected a whole number from 0, found 'ax'"),
        ("-M 5x", "option -M: expected a whole number from 0, found '5x'"),
        ("-N many", "option -N: expected a whole number, found 'many'"),
        ("--threads 0", "option --threads: expected a whole number from 1, found '0'"),
        ("--threads two", "option --threads: expected a whole number from 1, found 'two'"),
    ],
)
def test_wrong_options(arguments: str, message: str, call: Callable):
    assert_fails(call(arguments), USAGE, f"{message}\n{command.USAGE}".rstrip("\n"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("qrels run -m", "option requires an argument -- 'm'"),
        ("qrels run -ql", "option requires an argument -- 'l'"),
        ("qrels run --measure", "option '--measure' requires an argument"),
        ("qrels run --lev", "option '--level_for_rel' requires an argument"),
        ("qrels run --Output_old_results_format", "option '--Output_old_results_format' requires an argument"),
        ("qrels run --threads", "option '--threads' requires an argument"),
    ],
)
def test_options_without_their_argument(arguments: str, message: str, trec_eval: Callable):
    assert_fails(trec_eval(*arguments.split()), USAGE, f"{message}\n{command.USAGE}".rstrip("\n"))


@pytest.mark.parametrize(
    "arguments", ["", "qrels", "qrels run more", "-q", "--Output_old_results_format qrels run", "-D qrels run"]
)
def test_not_two_files(arguments: str, trec_eval: Callable):
    """Also where an option takes what was meant as a file."""
    assert trec_eval(*arguments.split()) == (USAGE, b"", command.USAGE.encode())


def test_the_usage_text():
    assert command.USAGE == (
        "Usage: trec_eval [-h] [-q] {-m measure}* trec_rel_file trec_top_file\n"
        "   -h: Give full help information, including other options\n"
        "   -q: In addition to summary evaluation, give evaluation for each query\n"
        "   -m: calculate and print measure (or nickname, such as 'official', 'all_trec'),\n"
        "       repeatable: one -m for each; default is 'official'\n"
    )


def test_standard_input_for_both_files(trec_eval: Callable):
    message = f"expected one file from standard input, found '-' for both\n{command.USAGE}".rstrip("\n")
    assert_fails(trec_eval("-", "-"), USAGE, message)


@pytest.mark.parametrize("release", ["9", "9.0", "10", "latest", "10.0 "])
def test_a_release_that_there_is_not(release: str, trec_eval: Callable, monkeypatch: pytest.MonkeyPatch):
    message = f"--compat, TRECKON_COMPAT: expected 9.0.8 or 10.0, found '{release}'"
    assert_fails(trec_eval("--compat", release, "qrels", "run"), USAGE, message)
    assert_fails(trec_eval("--compat", release, "-v"), USAGE, message)
    monkeypatch.setenv("TRECKON_COMPAT", release)
    assert command.main(["qrels", "run"]) == USAGE


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("nothing", "illegal measure 'nothing'"),
        ("MAP", "illegal measure 'MAP'"),
        ("P,map", "illegal measure 'P,map'"),
        ("", "illegal measure ''"),
        (".5", "illegal measure ''"),
        (" P", "illegal measure ' P'"),
        ("P_", "illegal measure 'P_'"),
        ("P_x", "illegal measure 'P_x'"),
        ("map_5", "illegal measure 'map_5'"),
        ("ndcg_p", "illegal measure 'ndcg_p'"),
        ("nothing.5", "illegal measure 'nothing'"),
        ("all_qrels", "illegal measure 'all_qrels'"),
        ("P.", "illegal measure 'P': expected parameters behind the dot, found none"),
        ("map.", "illegal measure 'map': expected parameters behind the dot, found none"),
        ("official.", "illegal measure 'official': expected parameters behind the dot, found none"),
    ],
)
def test_measures_that_there_are_not(measure: str, message: str, trec_eval: Callable):
    assert_fails(trec_eval("-m", measure, "no", "files"), USAGE, message)


@pytest.mark.parametrize("measure", ["unj", "unj.5", "rbp", "rbp_resid", "dcg", "ideal_dcg"])
def test_measures_that_9_0_8_lacks(measure: str, trec_eval: Callable):
    message = f"illegal measure '{measure.partition('.')[0]}'"
    assert_fails(trec_eval("--compat", "9.0.8", "-m", measure, "no", "files"), USAGE, message)


# ---- Parameters


@pytest.mark.parametrize(
    ("measure", "status", "message"),
    [
        ("P.0", INPUT, "P: negative cutoff: expected whole numbers from 1, found '0'"),
        ("P.5,-1", INPUT, "P: negative cutoff: expected whole numbers from 1, found '5,-1'"),
        ("P.5,", INPUT, "P: negative cutoff: expected whole numbers from 1, found '5,'"),
        ("P.x", INPUT, "P: negative cutoff: expected whole numbers from 1, found 'x'"),
        ("P_0", INPUT, "P: negative cutoff: expected whole numbers from 1, found '0'"),
        ("ndcg_cut.5,10,5", INPUT, "ndcg_cut: duplicate cutoffs: expected different numbers, found '5,10,5'"),
        ("P.5,5.2", INPUT, "P: duplicate cutoffs: expected different numbers, found '5,5.2'"),
        (
            "iprec_at_recall..1,0.10",
            INPUT,
            "iprec_at_recall: duplicate cutoffs: expected different numbers, found '.1,0.10'",
        ),
        ("iprec_at_recall.0,-0", INPUT, "iprec_at_recall: duplicate cutoffs: expected different numbers, found '0,-0'"),
        ("Rprec_mult.nan", INPUT, "Rprec_mult: expected numbers, found 'nan'"),
        ("11pt_avg..5,inf", INPUT, "11pt_avg: expected finite numbers, found '.5,inf'"),
        ("set_F.nan", INPUT, "set_F: expected finite numbers, found 'nan'"),
        ("utility.1", CALCULATION, "utility: expected 4 numbers, found '1'"),
        ("utility.1,2,3,4,5", CALCULATION, "utility: expected 4 numbers, found '1,2,3,4,5'"),
        ("ndcg.1", INPUT, "ndcg: malformed pair parameters: expected grade=gain,..., found '1'"),
        ("ndcg.1=3,", INPUT, "ndcg: malformed pair parameters: expected grade=gain,..., found '1=3,'"),
        ("ndcg.1==3", INPUT, "ndcg: malformed pair parameters: expected grade=gain,..., found '1==3'"),
        ("ndcg.1=3=4", INPUT, "ndcg: malformed pair parameters: expected grade=gain,..., found '1=3=4'"),
        ("ndcg.,1=3", INPUT, "ndcg: malformed pair parameters: expected grade=gain,..., found ',1=3'"),
        ("G.1=inf", INPUT, "G: malformed pair parameters: expected a finite gain, found '1=inf'"),
        ("rbp.p=nan", INPUT, "rbp: malformed pair parameters: expected a finite gain, found 'p=nan'"),
    ],
)
def test_parameters_that_cannot_be_read(measure: str, status: int, message: str, call: Callable):
    assert_fails(call(f"-m {measure}"), status, message)


NUMBER = "is not a number, read as"
WHOLE = "is not a whole number, read as"


@pytest.mark.parametrize(
    ("measure", "release", "message"),
    [
        ("map.5", "10.0", "map: it takes no parameters, '5' has no effect"),
        ("num_q.x", "9.0.8", "num_q: it takes no parameters, 'x' has no effect"),
        ("official.5", "10.0", "official: a nickname takes no parameters, '5' has no effect"),
        ("P.1.9", "10.0", f"P: '1.9' {WHOLE} 1"),
        ("P.5x,9223372036854775807", "9.0.8", f"P: '5x' {WHOLE} 5"),
        ("ndcg_cut.1=1", "10.0", f"ndcg_cut: '1=1' {WHOLE} 1"),
        ("iprec_at_recall.x", "10.0", f"iprec_at_recall: 'x' {NUMBER} 0"),
        ("11pt_avg..5,.25x", "9.0.8", f"11pt_avg: '.25x' {NUMBER} 0.25"),
        ("set_F.", "10.0", None),
        ("ndcg.1=3a", "10.0", f"ndcg: '3a' {NUMBER} 3"),
        ("ndcg.1=", "9.0.8", f"ndcg: '' {NUMBER} 0"),
        ("ndcg.x=3", "9.0.8", "ndcg: 'x' is not a grade, read as 0"),
        ("ndcg.1x=3", "9.0.8", "ndcg: '1x' is not a grade, read as 1"),
        ("ndcg.x=3", "10.0", "ndcg: 'x' is not a grade, left out"),
        ("ndcg.=3", "10.0", "ndcg: '' is not a grade, left out"),
        ("ndcg.p=3", "10.0", "ndcg: 'p' is not a grade, left out"),
        ("rbp.q=3", "10.0", "rbp: 'q' is not a grade, left out"),
    ],
)
def test_parameters_that_are_read_in_part_or_not_at_all(
    measure: str, release: str, message: str | None, call: Callable
):
    arguments = f"--compat {release} -m {measure}"
    if message is None:
        assert call(arguments).status == USAGE
        return
    assert_warns(call(arguments), f"warning: {message}")
    assert call(f"--quiet {arguments}").stderr == b""
    assert_fails(call(f"--strict {arguments}"), INPUT, message)
    assert_fails(call(f"--strict --quiet {arguments}"), INPUT, message)


def test_each_doubt_has_a_warning_of_its_own(call: Callable):
    assert_warns(
        call("-m ndcg.1=x,y=2 -m map.5 -m set.1"),
        "warning: set: a nickname takes no parameters, '1' has no effect",
        "warning: map: it takes no parameters, '5' has no effect",
        "warning: ndcg: 'x' is not a number, read as 0",
        "warning: ndcg: 'y' is not a grade, left out",
    )


# ---- Files that can't be read: status 2


@pytest.fixture
def odd_files(tmp_path: Path) -> Path:
    good = b"".join(b"# line %d of a file\n" % i for i in range(3000))  # of either kind
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    for name, compress, keep in (("gzip", gzip.compress, -4), ("bzip2", bz2.compress, -4), ("xz", lzma.compress, -12)):
        packed = compress(good)
        (tmp_path / f"{name}-cut").write_bytes(packed[:keep])
        (tmp_path / f"{name}-start").write_bytes(packed[:6])
        damaged = bytearray(packed)
        damaged[len(packed) // 2] ^= 0xFF
        damaged[len(packed) // 2 + 1] ^= 0x55
        (tmp_path / f"{name}-damaged").write_bytes(damaged)
        (tmp_path / f"{name}-more").write_bytes(packed + b"not compressed")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("absent", "No such file or directory"),
        ("folder", "it is a directory"),
        ("folder/absent", "No such file or directory"),
        ("run/absent", "Not a directory"),
        ("empty", "it is empty"),
        ("gzip-cut", "the gzip data end too early"),
        ("gzip-start", "the gzip data end too early"),
        ("bzip2-cut", "the bzip2 data end too early"),
        ("bzip2-start", "the bzip2 data end too early"),
        ("xz-cut", "the xz data end too early"),
        ("xz-start", "the xz data end too early"),
    ],
)
def test_files_that_cannot_be_read(name: str, reason: str, odd_files: Path, trec_eval: Callable):
    message = f"{name}: cannot read it: {reason}"
    assert_fails(trec_eval(name, "run", folder=odd_files), INPUT, message)
    assert_fails(trec_eval("qrels", name, folder=odd_files), INPUT, message)


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz"])
@pytest.mark.parametrize("how", ["damaged", "more"])
def test_damaged_files(kind: str, how: str, odd_files: Path, trec_eval: Callable):
    """What is wrong is said in the library's words."""
    for files_ in ((f"{kind}-{how}", "run"), ("qrels", f"{kind}-{how}")):
        finished = trec_eval(*files_, folder=odd_files)
        assert finished[:2] == (INPUT, b"")
        message = finished.stderr.decode()
        assert message.startswith(f"trec_eval: {kind}-{how}: cannot read it: damaged {kind} data: ")
        assert message.count("\n") == 1 and len(message) > 60


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no /dev/null here")
def test_nothing_can_be_read_from_dev_null(odd_files: Path, trec_eval: Callable):
    assert_fails(trec_eval("/dev/null", "run", folder=odd_files), INPUT, "/dev/null: cannot read it: it is empty")


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no /proc here")
def test_a_file_that_fails_when_it_is_read(odd_files: Path, trec_eval: Callable):
    message = "/proc/self/mem: cannot read it: Input/output error"
    assert_fails(trec_eval("qrels", "/proc/self/mem", folder=odd_files), INPUT, message)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(odd_files: Path, trec_eval: Callable):
    (odd_files / "run").chmod(0)
    assert_fails(trec_eval("qrels", "run", folder=odd_files), INPUT, "run: cannot read it: Permission denied")


def test_a_path_that_cannot_be_one():
    with pytest.raises(InputError, match=r"^a\0b: cannot read it: a path has no NUL$"):
        sources.Source("a\0b")


def test_zstd_without_its_package(odd_files: Path, trec_eval: Callable, monkeypatch: pytest.MonkeyPatch):
    for name in ("backports.zstd", "compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    (odd_files / "packed").write_bytes(b"\x28\xb5\x2f\xfd" + b"anything")
    message = "packed: cannot read it: zstd needs the package backports.zstd: pip install 'treckon[fast]'"
    assert_fails(trec_eval("qrels", "packed", folder=odd_files), INPUT, message)


def test_damaged_zstd(odd_files: Path, trec_eval: Callable):
    zstd = pytest.importorskip("backports.zstd")
    packed = zstd.compress(RUN.encode() * 2000)
    (odd_files / "cut").write_bytes(packed[:-5])
    assert_fails(trec_eval("qrels", "cut", folder=odd_files), INPUT, "cut: cannot read it: the zstd data end too early")
    (odd_files / "damaged").write_bytes(packed[:4] + b"\xff" * 20 + packed[24:])
    finished = trec_eval("qrels", "damaged", folder=odd_files)
    assert finished.status == INPUT
    assert finished.stderr.startswith(b"trec_eval: damaged: cannot read it: damaged zstd data: ")


def test_reading_that_fails_later_on(tmp_path: Path):
    """A scan that can't read on says why; here its file descriptor is that of a folder."""
    (tmp_path / "run").write_text(RUN)
    folder = os.open(tmp_path, os.O_RDONLY)
    scan = RunScan(Results(QrelsBuilder().finish("10.0"), Plan([])), LINES["run"])
    scan.scan_file(folder, 0, 100)
    os.close(folder)
    with (
        sources.Source(tmp_path / "run") as source,
        pytest.raises(InputError, match="run: cannot read it: Is a directory$"),
    ):
        reading.raise_problem(source, LINES["run"], [scan])


# ---- Lines that can't be read: status 2, with the file and the line

RUN_FIELDS = "expected 6 fields (qid Q0 docno rank score tag), found"
QRELS_FIELDS = "expected 4 fields (qid iteration docno grade), found"
NUL = "expected text, found a NUL byte"
CR = "expected lines that end with LF or CR LF, found CR alone"


@pytest.mark.parametrize("release", ["9.0.8", "10.0"])
@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("q1 Q0 a 1 2\n", f"run:1: {RUN_FIELDS} 5"),
        ("q1\n", f"run:1: {RUN_FIELDS} 1"),
        (RUN + "\n \n" + "q2 Q0 c 1", f"run:6: {RUN_FIELDS} 4"),
        (b"\xef\xbb\xbfq1\n", f"run:1: {RUN_FIELDS} 1"),
        (RUN + "q2 Q0 c\0 1 1 t\n", f"run:4: {NUL}"),
        ("\0", f"run:1: {NUL}"),
        (RUN + " \0\n", f"run:4: {NUL}"),
        (RUN.replace("\n", "\r"), f"run:1: {CR}"),
        (RUN + "q2 Q0\rc 1\n", f"run:4: {CR}"),
        (RUN + "q2 Q0 c 1 nan t\n", "run:4: expected a number as score, found 'nan'"),
        (RUN + "q2 Q0 c 1 -NaN(1) t\n", "run:4: expected a number as score, found '-NaN(1)'"),
        (RUN + "not-judged Q0 c 1 nanx t\n", "run:4: expected a number as score, found 'nanx'"),
        (RUN + "q3\n" + "q4 Q0 c 1 nan t\n", f"run:4: {RUN_FIELDS} 1"),
    ],
)
def test_lines_of_a_run(release: str, run: str | bytes, message: str, call: Callable):
    assert_fails(call(f"--compat {release} -q", run=run), INPUT, message)


@pytest.mark.parametrize("release", ["9.0.8", "10.0"])
@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("q1 0 a\n", f"qrels:1: {QRELS_FIELDS} 3"),
        (QRELS + "\nq1 0 c 1 more", f"qrels:5: {QRELS_FIELDS} 5"),
        (QRELS + "q1 0 \0 1", f"qrels:4: {NUL}"),
        (QRELS.replace("\n", "\r"), f"qrels:1: {CR}"),
        (QRELS + "q1 0 c 2147483648\n", "qrels:4: expected a grade of at most 32 bits, found '2147483648'"),
        (QRELS + "q1 0 c -2147483649\n", "qrels:4: expected a grade of at most 32 bits, found '-2147483649'"),
        (QRELS + f"q1 0 c {'9' * 30}x\n", f"qrels:4: expected a grade of at most 32 bits, found '{'9' * 30}x'"),
    ],
)
def test_lines_of_qrels(release: str, qrels: str, message: str, call: Callable):
    assert_fails(call(f"--compat {release}", qrels=qrels), INPUT, message)
    if "fields" not in message:
        assert_fails(call(f"--compat {release} -R qrels_jg -m qrels_jg", qrels=qrels), INPUT, message)


def test_lines_of_qrels_jg(call: Callable):
    message = "qrels:1: expected 4 fields (qid group docno grade), found 2"
    assert_fails(call("-R qrels_jg -m qrels_jg", qrels="q1 0\n"), INPUT, message)


def test_a_comment_of_9_0_8_is_data(call: Callable):
    assert_fails(call("--compat 9.0.8", run="# a run\n" + RUN), INPUT, f"run:1: {RUN_FIELDS} 3")
    assert_fails(call("--compat 9.0.8", qrels="# qrels\n" + QRELS), INPUT, f"qrels:1: {QRELS_FIELDS} 2")
    assert_fails(call(qrels=" # qrels\n" + QRELS), INPUT, f"qrels:1: {QRELS_FIELDS} 2")


PART = "read up to the first character that is no part of one, as trec_eval does"


@pytest.mark.parametrize("release", ["9.0.8", "10.0"])
def test_values_that_are_numbers_in_part(release: str, call: Callable):
    """One warning a kind, for the first one; with --strict an error. The order in which the files are read counts."""
    run = RUN.replace(" 1 t", " 1,5 t") + "q2 Q0 c 1 abc t\n"
    qrels = QRELS.replace(" 1\n", " 1.5\n")
    grades = "qrels:1: expected a whole number as grade, found '1.5'"
    scores = "run:2: expected a number as score, found '1,5'"
    assert_warns(
        call(f"--compat {release} -m map", qrels=qrels, run=run),
        f"warning: {grades}; {PART} (such grades: 2)",
        f"warning: {scores}; {PART} (such scores: 3)",
    )
    assert call(f"--compat {release} --quiet -m map", qrels=qrels, run=run).stderr == b""
    assert_fails(call(f"--compat {release} --strict", qrels=qrels, run=run), INPUT, grades)
    assert_fails(call(f"--compat {release} --strict", run=run), INPUT, scores)
    groups = call(f"--compat {release} -R qrels_jg -m map_avgjg", qrels=qrels)
    assert_warns(groups, f"warning: {grades}; {PART} (such grades: 2)")


@pytest.mark.parametrize("size", [25_000, 200_000])
def test_values_behind_long_fields(size: int, call: Callable, tmp_path: Path):
    """They are found on a pipe too, which comes in small pieces."""
    long = "x" * size
    run = RUN + f"{long} {long} {long} {long} 1,5 {long}\n"
    warning = f"run:4: expected a number as score, found '1,5'; {PART} (such scores: 1)"
    assert_warns(call("-m map", run=run), f"warning: {warning}")
    command = [sys.executable, "-m", "treckon", "trec_eval", "-m", "map", "qrels", "-"]
    piped = subprocess.run(command, cwd=tmp_path, input=run.encode(), capture_output=True, timeout=60)
    assert piped.returncode == 0
    assert piped.stderr.decode() == f"trec_eval: warning: {warning}\n".replace("run:4", "standard input:4")


def test_values_behind_fields_that_are_longer_than_any(call: Callable):
    """A message leaves them out."""
    finished = call("-m map", run=RUN + f"q2 Q0 {'x' * (3 << 20)} 1 1,5 t\n")
    assert finished.status == 0
    assert finished.stderr.startswith(b"trec_eval: warning: run:4: expected a number as score, found '")


def test_a_name_of_a_file_that_is_no_text(trec_eval: Callable, tmp_path: Path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / os.fsdecode(b"r\xfcn")).write_text("short\n")
    finished = trec_eval("qrels", os.fsdecode(b"r\xfcn"), folder=tmp_path)
    assert finished[:2] == (INPUT, b"")
    assert RUN_FIELDS.encode() in finished.stderr


# ---- Formats


def test_a_format_of_judgements_that_there_is_not(trec_eval: Callable):
    """Said before any file is opened; of results, after the judgements were read."""
    assert_fails(trec_eval("-R", "xml", "no", "files"), INPUT, "illegal rel_format 'xml'")
    assert_fails(trec_eval("-R", "", "no", "files"), INPUT, "illegal rel_format ''")


def test_a_format_of_results_that_there_is_not(call: Callable, trec_eval: Callable):
    assert_fails(call("-T xml"), INPUT, "illegal retrieval results format 'xml'")
    assert_fails(trec_eval("-T", "xml", "no", "files"), INPUT, "no: cannot read it: No such file or directory")


@pytest.mark.parametrize(
    ("arguments", "measure", "of", "format", "are"),
    [
        ("-R qrels_jg -m map", "map", "ranking", "qrels_jg", "judgment groups"),
        ("-R qrels_jg", "num_ret", "ranking", "qrels_jg", "judgment groups"),
        ("-m map_avgjg", "map_avgjg", "judgment groups", "qrels", "ranking"),
        ("-m qrels_jg -m map", "map", "ranking", None, None),
    ],
)
def test_measures_for_other_judgements(
    arguments: str, measure: str, of: str, format: str | None, are: str | None, call: Callable
):
    if format is None:  # the first in trec_eval's order: map fits
        measure, of, format, are = "map_avgjg", "judgment groups", "qrels", "ranking"
    message = f"can't calculate measure '{measure}': it is for {of}, the judgements in {format} format are for {are}"
    assert_fails(call(arguments), CALCULATION, message)


# ---- Data that can't be evaluated: status 4, and 2 for the format qrels_jg


@pytest.mark.parametrize("release", ["9.0.8", "10.0"])
@pytest.mark.parametrize(
    ("run", "place", "docno", "query", "other"),
    [
        (RUN + "q2 Q0 a 1 0 t\n", "run:4", "a", "q2", 3),
        ("q1 Q0 x 1 0 t\nq2 Q0 y 1 0 t\n\nq1 Q0 x 1 0 t\nq1 Q0 x 1 0 t\n", "run:4", "x", "q1", 1),
        (RUN + "q2 Q0 b 1 0 t\n" + RUN, "run:5", "a", "q1", 1),
    ],
)
def test_a_document_twice_in_a_run(
    release: str, run: str, place: str, docno: str, query: str, other: int, call: Callable
):
    found = f"found document '{docno}' of query '{query}' on line {other} too"
    message = f"{place}: expected each document once for a query, {found}"
    for options in ("", "-q", "-J", "-c", "-D 0." + query):
        assert_fails(call(f"--compat {release} {options}", run=run), CALCULATION, message)


def test_a_document_twice_where_it_does_not_matter(call: Callable):
    """Another query alone counts, no ranking is looked at, a copy lies below the depth, or the query isn't judged."""
    twice = RUN + "q2 Q0 a 1 0 t\n"
    assert call("-D 0.q1 -m map", run=twice).status == 0
    assert call("-m num_q -m runid", run=twice).status == 0
    assert call("-M 1 -m map", run=twice).status == 0
    assert call("-m map", run=RUN + "q3 Q0 a 1 1 t\n" * 2).status == 0


@pytest.mark.parametrize("release", ["9.0.8", "10.0"])
def test_a_document_twice_in_qrels(release: str, call: Callable):
    found = "found document 'a' of query 'q2' on line 3 too"
    message = f"qrels:5: expected each document once for a query, {found}"
    for grade in (0, 1):
        qrels = f"{QRELS}q3 0 a 1\nq2 7 a {grade}\n"
        for options in ("-q", "-M 0", "-J", "-m num_rel"):
            assert_fails(call(f"--compat {release} {options}", qrels=qrels), CALCULATION, message)
    assert call("-D 0.q1 -m map", qrels=qrels).status == 0
    assert call("-m num_q", qrels=qrels).stdout == b"num_q                 \tall\t2\n"


def test_the_first_fault_is_reported_in_the_order_of_the_queries_the_run_before_the_qrels(call: Callable):
    qrels, run = QRELS + "q1 0 a 1\n", RUN + "q2 Q0 a 1 1 t\n"
    expected = "expected each document once for a query, found document 'a' of query"
    assert_fails(call(qrels=qrels, run=run), CALCULATION, f"qrels:4: {expected} 'q1' on line 1 too")
    run = RUN + "q1 Q0 a 1 1 t\n"
    assert_fails(call(qrels=qrels, run=run), CALCULATION, f"run:4: {expected} 'q1' on line 1 too")


def test_lines_of_a_document_are_found_as_they_were_read(call: Callable):
    """A byte-order mark is no part of an id, with blanks behind it or not; tabs and CR LF are no part either."""
    expected = "expected each document once for a query, found document 'a' of query 'q1' on line 1 too"
    for first in ("\ufeffq1 0 a 1\r\n", "\ufeff \tq1 0 a 1\n"):
        assert_fails(call(qrels=first + "\n\tq1\t0\ta\t0\r\n"), CALCULATION, f"qrels:3: {expected}")


@pytest.mark.parametrize("release", ["9.0.8", "10.0"])
def test_a_document_twice_in_qrels_jg(release: str, call: Callable):
    """Already when the file is read, whatever is evaluated; in different groups it may stand."""
    groups = QRELS + "q1 1 a 1\nq3 1 a 1\nq3 1 a 0\n"
    message = (
        "qrels:6: expected each document once for a query and group, found document 'a' of query 'q3' and group '1' "
        "on line 5 too"
    )
    assert_fails(call(f"--compat {release} -R qrels_jg -m qrels_jg -D 0.q1", qrels=groups), INPUT, message)
    good = groups.replace("q3 1 a 0", "q3 2 a 0")
    assert call(f"--compat {release} -R qrels_jg -m qrels_jg --quiet", qrels=good).status == 0


# ---- No query: status 7


@pytest.mark.parametrize("release", ["9.0.8", "10.0"])
@pytest.mark.parametrize(
    ("arguments", "qrels", "run", "found"),
    [
        ("", QRELS, "q3 Q0 a 1 1 t\n", "the run has query 'q3', the qrels have query 'q1'"),
        ("-m num_q", QRELS, "q3 Q0 a 1 1 t\n", "the run has query 'q3', the qrels have query 'q1'"),
        ("", QRELS, "\n", "the run has no records"),
        ("", " \n\n", RUN, "the qrels have no records"),
        ("", "\n", "\n", "the run has no records"),
        ("-D 0.q9", QRELS, RUN, "'q9' is not judged"),
        ("-D 0.", QRELS, RUN, "'' is not judged"),
        ("-D 0.q2", QRELS, "q3 Q0 a 1 1 t\nq1 Q0 a 1 1 t\n", "the run has query 'q3', the qrels have query 'q2'"),
    ],
)
def test_no_queries(release: str, arguments: str, qrels: str, run: str, found: str, call: Callable):
    message = f"no queries with both results and relevance info: {found}"
    assert_fails(call(f"--compat {release} {arguments}", qrels=qrels, run=run), NO_QUERIES, message)


def test_no_queries_with_c_in_9_0_8(call: Callable):
    message = "no queries with both results and relevance info: the run has query 'q3', the qrels have query 'q1'"
    assert_fails(call("-c --compat 9.0.8", run="q3 Q0 a 1 1 t\n"), NO_QUERIES, message)


@pytest.mark.parametrize("release", ["9.0.8", "10.0"])
def test_missing_queries_are_noted(release: str, call: Callable):
    note = (
        "note: 2 of 4 judged queries are missing from the run, for example 'q10'; averages are over the 2 in both "
        "(-c averages over all)"
    )
    qrels = QRELS + "q3 0 a 1\nq10 0 a 1\n"
    assert_warns(call(f"--compat {release} -m map", qrels=qrels), note)
    for option in ("--quiet", "-c", "-D .q1"):
        assert call(f"--compat {release} {option} -m map", qrels=qrels).stderr == b""


# ---- What is no fault of the input


def test_out_of_memory(call: Callable, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(command, "to_standard_output", fail)
    assert_fails(call(), MEMORY, "out of memory")


def test_an_interrupt(call: Callable, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "to_standard_output", fail)
    assert call() == (130, b"", b"")


def test_output_that_cannot_be_written(call: Callable, monkeypatch: pytest.MonkeyPatch):
    """test_command.py has a full disk and closed pipes."""
    monkeypatch.setattr(sys, "stdout", None)
    assert_fails(call(), USAGE, "cannot write standard output: it is closed")


def test_no_command():
    finished = subprocess.run([sys.executable, "-m", "treckon", "nothing"], capture_output=True, timeout=60)
    assert (finished.returncode, finished.stdout) == (2, b"")
    assert finished.stderr == b"treckon: unknown command 'nothing' (treckon --help lists them)\n"


# ---- The exceptions themselves


def test_every_error_has_one_base_and_an_exit_status():
    kinds = (UnknownMeasureError, ParameterError, InputError, EvaluationError, NoQueriesError)
    assert all(issubclass(kind, TreckonError) and issubclass(kind, ValueError) for kind in kinds)
    statuses = {kind: next(status for base, status in command._STATUS if issubclass(kind, base)) for kind in kinds}
    assert list(statuses.values()) == [USAGE, INPUT, INPUT, CALCULATION, NO_QUERIES]


def test_an_input_error_carries_its_place():
    error = InputError("run.txt:17", "expected 6 fields, found 4")
    assert (str(error), error.place) == ("run.txt:17: expected 6 fields, found 4", "run.txt:17")


def test_an_error_is_data():
    """Its message is made from its place, what was expected and what was found; `problem` is other words for these."""
    error = EvaluationError(place=Place("run", line=5), expected="6 fields", found="4", kind="fields")
    assert str(error) == "run:5: expected 6 fields, found 4"
    assert (error.place.name, error.place.line, error.kind) == ("run", 5, "fields")
    assert (error.problem, error.expected, error.found) == ("expected 6 fields, found 4", "6 fields", "4")
    plain = ParameterError("missing: expected nothing")
    assert (str(plain), plain.place, plain.problem) == ("missing: expected nothing", "", "missing: expected nothing")
    assert str(InputError("qrels", expected="text", found="a NUL byte")) == "qrels: expected text, found a NUL byte"


@pytest.mark.parametrize("kind", [InputError, EvaluationError])
def test_an_error_may_be_said_of_another_place(kind: Any):
    place = Place("run", query="q", document="d")
    error = kind(place=place, expected="a", found="b", kind="some").at(place.renamed("old.txt"))
    assert type(error) is kind and str(error) == "old.txt: query 'q', document 'd': expected a, found b"
    assert (error.place.is_file, error.place.query, error.place.document) == (True, "q", "d")
    assert (error.expected, error.found, error.kind) == ("a", "b", "some")


def test_a_place_is_its_text_and_its_parts():
    assert Place("run.txt", line=17, is_file=True) == "run.txt:17"
    assert Place("run", row=3, query=b"q", document="d") == "run: row 3, query 'q', document 'd'"
    assert Place("qrels", query="q").concerns("qrels")
    assert not Place("qrels", line=3, is_file=True).concerns("qrels")  # a file of this name, whatever it is
    assert not Place("run").concerns("qrels")


@pytest.mark.parametrize(
    "error",
    [
        InputError(Place("run", line=2, query="q"), expected="a", found="b", kind="k"),
        EvaluationError("plain"),
        ParameterError(place="seed", expected="a", found="b"),
    ],
)
def test_errors_outlive_pickling(error: TreckonError):
    """As they do where a process of a pool raises them."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and again.__dict__ == error.__dict__
    assert (again.place.name, again.place.line, again.place.query) == (
        error.place.name,
        error.place.line,
        error.place.query,
    )


def test_a_warning_is_a_sentence_with_its_parts():
    notice = Notice("2 queries are missing", place="run", advice=Advice("no_relevant", "zero", "counts them"))
    assert notice == "run: 2 queries are missing (no_relevant='zero' counts them)"
    assert notice.in_options() == "run: 2 queries are missing (--no-relevant zero counts them)"
    assert (notice.place, notice.problem) == ("run", "2 queries are missing")
    plain = Notice(place=Place("run", line=3), expected="a number", found="'1,5'", kind="not a number")
    assert plain == plain.in_options() == "run:3: expected a number, found '1,5'"
    assert (plain.expected, plain.found, plain.kind, plain.advice) == ("a number", "'1,5'", "not a number", None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (1.5, "1.5"),
        (math.nan, "NaN"),
        (np.float64(1.5), "1.5"),
        (np.float32(1.5), "1.5 (float32)"),
        ("a", "'a' (str)"),
        (b"a", "b'a' (bytes)"),
        ("x" * 200, f"'{'x' * 97}...' (str)"),
        (Decimal("NaN"), "NaN (Decimal)"),
        ([1], "list"),
    ],
)
def test_a_value_is_shown_with_its_type_where_it_does_not_tell(value: object, text: str):
    assert in_short_with_type(value) == text


def test_words_are_listed():
    assert listed(["a"]) == "a"
    assert listed(["a", "b"], "and") == "a and b"
    assert one_of(("a", "b", "c")) == "'a', 'b' or 'c'"


def test_checks_say_what_is_expected():
    for value in ("0.5", True, None, math.nan, 0, 1, 10**5000):
        with pytest.raises(ParameterError, match=r"^alpha: expected a number above 0 and below 1, found "):
            checked_share("alpha", value)
    assert checked_share("alpha", Decimal("0.5")) == 0.5
    for value in ("c", None):
        with pytest.raises(ParameterError, match=rf"^method: expected 'a' or 'b', found {value!r}$"):
            checked_choice("method", value, ("a", "b"))
    assert checked_choice("method", "b", ("a", "b")) == "b"


def test_the_core_refuses_numbers_that_it_does_not_have():
    builder = QrelsBuilder()
    builder.add(b"q", b"a", 1)
    table = builder.finish("10.0")
    asked = request(["map"], "10.0").measures
    results = Results(table, Plan([(one.record.kernel, one.parameters, False, None) for one in asked]))
    for query in (-1, 1, 2**62):
        for look in (
            table.query_id,
            table.duplicate,
            table.judgements,
            results.row,
            lambda query: table.n_relevant(query, 1),
            lambda query: results.values([0, query]),
            lambda query: results.set(query, 0, 1.0),
        ):
            with pytest.raises(IndexError, match=str(query)):
                look(query)
        assert not results.is_evaluated(query)
    for value in (-1, 1, 2**62):
        with pytest.raises(IndexError, match=f"value {value} of"):
            results.set(0, value, 1.0)
    with pytest.raises(OverflowError):
        results.row(2**63)


def test_the_core_refuses_what_it_was_not_made_for():
    with pytest.raises(TypeError, match="^a Kernel is made by the module that defines it$"):
        Kernel()
    for wrong in (None, b"bytes", object()):
        with pytest.raises(TypeError):
            Results(wrong, Plan([]))
        with pytest.raises(TypeError):
            RunScan(wrong, LINES["run"])
        with pytest.raises(TypeError):
            QrelsScan(wrong, LINES["qrels"])
    empty = Results(QrelsBuilder().finish("10.0"), Plan([]))
    scan = RunScan(empty, LINES["run"])
    with pytest.raises(ValueError, match="^expected a format of runs$"):
        RunScan(empty, LINES["qrels"])
    for wrong in (None, "text", 5):
        with pytest.raises(TypeError):
            scan.feed(wrong)


def test_the_core_refuses_formats_that_it_cannot_read():
    for fields, docno, value in (("a b c d e f g", 2, 3), ("a b", 1, 1), ("a b c", 0, 2), ("a b c", 1, 3)):
        n = len(fields.split())
        with pytest.raises(
            ValueError, match=rf"^expected numbers of the {n} fields \(3 to 6\), found \[{docno}, {value}\]$"
        ):
            LineFormat(tuple(fields.split()), docno, value, "grade")
    with pytest.raises(ValueError, match="^there is no format of texts in lines of 67108864 bytes$"):
        LineFormat(("qid", "docno", "text"), 1, 2, "text")
    with pytest.raises(ValueError, match="^there is no format of grades in lines of 67108865 bytes$"):
        LineFormat(("qid", "docno", "grade"), 1, 2, "grade", longest_line=(1 << 26) + 1)
    unranked = LineFormat(("qid", "docno", "score"), 1, 2, "score")
    with pytest.raises(ValueError, match="^expected a format with ranks$"):
        RunScan(Results(QrelsBuilder().finish("10.0"), Plan([])), unranked, order="rank")


def test_a_format_of_three_fields_is_read():
    """The core has no list of formats: what it reads is what it is given."""
    builder = QrelsBuilder()
    scan = QrelsScan(builder, LineFormat(("qid", "docno", "grade"), 1, 2, "grade"))
    scan.feed(b"q a 1\nq b 0\n# c\nr a 2\n")
    scan.end()
    table = builder.finish("10.0")
    assert scan.problem is None
    assert [table.judgements(number) for number in range(2)] == [[(b"a", 1), (b"b", 0)], [(b"a", 2)]]
    (asked,) = request(["num_ret"], "10.0").measures
    results = Results(table, Plan([(asked.record.kernel, asked.parameters, False, None)]))
    run = RunScan(results, LineFormat(("qid", "docno", "score"), 1, 2, "score"))
    run.feed(b"q b 1\nq a 0.5\n")
    run.end()
    assert (run.problem, run.tag, results.row(0)) == (None, b"0.5", [2.0])


def test_the_core_may_be_collected_in_a_circle():
    """The collector of cycles takes an object's references away before its memory."""
    asked = request(["map", "relstring"], "10.0").measures
    for _ in range(20):
        builder = QrelsBuilder()
        builder.add(b"q", b"a", 1)
        plan = Plan([(one.record.kernel, one.parameters, False, None) for one in asked])
        results = Results(builder.finish("10.0"), plan)
        scan = RunScan(results, LINES["run"])
        scan.feed(b"q Q0 a 1 1 t\n")
        scan.end()
        circle: list[Any] = [builder, plan, results, scan, QrelsScan(QrelsBuilder(), LINES["qrels"])]
        circle.append(circle)
        del builder, plan, results, scan, circle
        gc.collect()


def test_a_measure_is_registered_once():
    known = registry.find("map")
    with pytest.raises(ValueError, match=r"^measure 'map' is registered already$"):
        registry.register(known)
    alias = registry.MeasureRecord(
        name="another", title="", definition="", source="", examples=(), since=None, aliases=("MAP",)
    )
    before = dict(registry._field)
    try:
        with pytest.raises(ValueError, match=r"^alias 'MAP' of measure 'another' is taken$"):
            registry.register(alias)
    finally:
        registry._field.clear()
        registry._field.update(before)


def test_ir_measures_missing_is_said_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    monkeypatch.delitem(sys.modules, "treckon.compat.ir_measures", raising=False)
    with pytest.raises(ImportError) as raised:
        importlib.import_module("treckon.compat.ir_measures")
    expected = "treckon.compat.ir_measures needs the package ir_measures: pip install 'treckon[ir-measures]'"
    assert str(raised.value) == expected


def test_an_error_without_words_has_none():
    for error in (TreckonError(), NoQueriesError(), ParameterError()):
        assert str(error) == ""
