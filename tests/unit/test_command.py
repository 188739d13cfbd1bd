"""The command: its options in every form, where its files may come from, and how it ends."""

import bz2
import contextlib
import gzip
import importlib.util
import lzma
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import treckon
from treckon import __version__
from treckon.cli import trec_eval as command
from treckon.errors import InputError
from treckon.inputs import reading, sources

RELEASES = ("9.0.8", "10.0")
both_releases = pytest.mark.parametrize("release", RELEASES)
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")

# Four queries, of which the run lacks q4; grades from 0 to 3; u is pooled but not judged, x not in the qrels.
QRELS = """\
q1 0 a 2
q1 0 b 1
q1 0 c 0
q1 0 u -1
q10 0 a 1
q2 0 b 0
q4 0 a 3
"""
RUN = """\
q1 Q0 x 1 5 tag
q1 Q0 b 2 4 tag
q1 Q0 u 3 3 tag
q1 Q0 a 4 2 tag
q1 Q0 c 5 1 tag
q2 Q0 b 1 1 tag
q2 Q0 a 2 1 tag
q10 Q0 a 1 0.5 tag
q3 Q0 a 1 0.5 last
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path


@pytest.fixture
def printed(trec_eval: Callable, folder: Path) -> Callable[..., str]:
    """`printed(*arguments)`: what a command that ends well prints; its files are added unless `files` says others."""

    def call(*arguments: str, files: tuple[str, ...] = ("qrels", "run")) -> str:
        finished = trec_eval("--quiet", *arguments, *files, folder=folder)
        assert (finished.status, finished.stderr) == (0, b"")
        return finished.stdout.decode()

    return call


def environment(**more: str) -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k not in ("TRECKON_COMPAT", "POSIXLY_CORRECT")} | more


def process(folder: Path, *arguments: str | bytes, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    call = [sys.executable, "-m", "treckon", "trec_eval", *arguments]
    if "stdout" not in more:
        more |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(call, cwd=folder, env=more.pop("env", environment()), timeout=60, **more)


@contextlib.contextmanager
def running(folder: Path, *arguments: str, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    call = [sys.executable, "-m", "treckon", "trec_eval", *arguments]
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    one = subprocess.Popen(call, cwd=folder, env=environment(), **more)
    try:
        yield one
    finally:
        one.kill()
        with contextlib.suppress(BrokenPipeError):
            one.communicate()


def names_of(output: str) -> list[str]:
    return [line.split("\t")[0].rstrip(" ") for line in output.splitlines()]


# ---- Options


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        # every long name, in full
        ("--query_eval_wanted", "-q"),
        ("--measure map", "-m map"),
        ("--measure=map", "-m map"),
        ("--complete_rel_info_wanted", "-c"),
        ("--level_for_rel 2", "-l 2"),
        ("--level_for_rel=2", "-l 2"),
        ("--nosummary -q", "-n -q"),
        ("--Debug_level 1.q2 -q", "-D 1.q2 -q"),
        ("--Judged_docs_only", "-J"),
        ("--Number_docs_in_coll=9 -m utility.1,1,1,1", "-N 9 -m utility.1,1,1,1"),
        ("--Max_retrieved_per_topic 1", "-M 1"),
        ("--Rel_info_format qrels_jg -m qrels_jg", "-R qrels_jg -m qrels_jg"),
        ("--Results_format trec_results", ""),
        ("-T trec_results", ""),
        ("-o", ""),
        ("--Output_old_results_format swallowed", ""),
        # unique beginnings
        ("--q", "-q"),
        ("--query", "-q"),
        ("--m map", "-m map"),
        ("--meas=map", "-m map"),
        ("--c", "-c"),
        ("--comp", "-c"),
        ("--l 2", "-l 2"),
        ("--n -q", "-n -q"),
        ("--D 1.q2", "-D 1.q2"),
        ("--J", "-J"),
        ("--N 9 -m utility.1,1,1,1", "-N 9 -m utility.1,1,1,1"),
        ("--M=1", "-M 1"),
        ("--Rel qrels", ""),
        ("--Res=trec_results", ""),
        ("--O swallowed", ""),
        ("--t 1", ""),
        ("--s", ""),
        ("--quiet", ""),
        ("--compa 10.0", ""),
        # clusters and glued arguments
        ("-qc", "-q -c"),
        ("-qcm map", "-q -c -m map"),
        ("-qmmap", "-q -m map"),
        ("-mmap", "-m map"),
        ("-l2", "-l 2"),
        ("-cl2", "-c -l 2"),
        ("-JM1", "-J -M 1"),
        ("-oq", "-q"),
        ("-D1.q2", "-D 1.q2"),
        # repeated options: flags once, of others the last one counts
        ("-q -q -qq", "-q"),
        ("-l 1 -l 2", "-l 2"),
        ("-M 3 -M 1", "-M 1"),
        ("-N 1 -N 9 -m utility.1,1,1,1", "-N 9 -m utility.1,1,1,1"),
        ("-R qrels_jg -R qrels", ""),
        ("-T x -T trec_results", ""),
        ("-D 0.q1 -D 1.q2", "-D 0.q2"),
        ("-D 0.q2 -D 9", "-D 0.q2"),
        ("--compat 9.0.8 --compat 10.0", ""),
        ("-m map -m map", "-m map"),
        # numbers
        ("-l +2", "-l 2"),
        ("-l 02", "-l 2"),
        ("-N-7 -m utility.0,0,0,1", "-N -7 -m utility.0,0,0,1"),
        ("-M 5", "-M 1000000000000000000000"),
        # of -D, a query's id alone has an effect, and may have dots
        ("-D 5", ""),
        ("-D x.q1", "-D .q1"),
    ],
)
def test_forms_of_options(written: str, meant: str, printed: Callable):
    assert printed(*written.split()) == printed(*meant.split())


def test_options_and_files_in_any_order(printed: Callable):
    expected = printed("-q", "-m", "map", "-l", "2")
    assert expected.count("\n") == 4
    for arguments in (
        "qrels run -q -m map -l 2",
        "-q qrels -m map run -l 2",
        "qrels -l2 -qmmap run",
        "-q -m map -l 2 -- qrels run",
        "-q -m map -l 2 qrels -- run",
        "-q qrels run -m map -l 2 --",
    ):
        assert printed(*arguments.split(), files=()) == expected


def test_two_hyphens_end_the_options(trec_eval: Callable, folder: Path):
    (folder / "-q").write_text(QRELS)
    assert trec_eval("--quiet", "-m", "num_q", "--", "-q", "run", folder=folder).stdout.endswith(b"\t3\n")


def test_posixly_correct_ends_options_at_the_first_file(monkeypatch: pytest.MonkeyPatch):
    for value in ("1", ""):
        monkeypatch.setenv("POSIXLY_CORRECT", value)
        options = command.read_options(["-m", "map", "qrels", "run", "-q", "--", "-x"])
        assert (options.files, options.per_query) == (["qrels", "run", "-q", "--", "-x"], False)
        assert command.read_options(["-q", "--", "qrels", "-c"]).files == ["qrels", "-c"]


def test_numbers_of_options_are_those_given():
    options = command.read_options(["-l", "7", "-M", "5", "-N", "-3", "--threads", "2", "a", "b"])
    assert (options.level, options.depth, options.n_docs, options.threads) == (7, 5, -3, 2)
    assert command.read_options(["a", "b"]).depth is None


def test_a_summary_alone_both_or_nothing(printed: Callable):
    both = printed("-q", "-m", "map")
    assert [line.split("\t")[1] for line in both.splitlines()] == ["q1", "q10", "q2", "all"]
    assert printed("-m", "map") == both.splitlines(True)[-1]
    assert printed("-n", "-q", "-m", "map") == "".join(both.splitlines(True)[:-1])
    assert printed("-n", "-m", "map") == ""


def test_values_of_the_small_example(printed: Callable):
    """By hand: q1 has relevant documents at ranks 2 and 4 of R = 2; q2 has none; q10 one at rank 1."""
    assert printed("-q", "-m", "map", "-m", "P.1,2", "-m", "num_ret") == (
        "num_ret               \tq1\t5\nmap                   \tq1\t0.5000\n"
        "P_1                   \tq1\t0.0000\nP_2                   \tq1\t0.5000\n"
        "num_ret               \tq10\t1\nmap                   \tq10\t1.0000\n"
        "P_1                   \tq10\t1.0000\nP_2                   \tq10\t0.5000\n"
        "num_ret               \tq2\t2\nmap                   \tq2\t0.0000\n"
        "P_1                   \tq2\t0.0000\nP_2                   \tq2\t0.0000\n"
        "num_ret               \tall\t8\nmap                   \tall\t0.5000\n"
        "P_1                   \tall\t0.3333\nP_2                   \tall\t0.3333\n"
    )


def test_level_depth_and_judged_documents_alone(printed: Callable):
    asked = "-m num_ret -m num_rel -m recip_rank -n -q -D .q1".split()

    def show(*options: str) -> list[str]:
        return [line.split("\t")[2] for line in printed(*options, *asked).splitlines()]

    assert show() == ["5", "2", "0.5000"]
    assert show("-l", "2") == ["5", "1", "0.2500"]
    assert show("-l", "0") == ["5", "3", "0.5000"]
    assert show("-M", "3") == ["3", "2", "0.5000"]
    assert show("-J") == ["3", "2", "1.0000"]
    assert show("-J", "-M", "3", "-l", "2") == ["1", "1", "0.0000"]


@both_releases
def test_complete_averages(release: str, printed: Callable):
    output = printed("--compat", release, "-c", "-q", "-m", "map", "-m", "num_q")
    queries = ["q1", "q10", "q2"] + (["q4"] if release == "10.0" else [])
    assert [line.split("\t")[1] for line in output.splitlines()] == [*queries, "all", "all"]
    assert output.endswith("num_q                 \tall\t4\nmap                   \tall\t0.3750\n")


# ---- Measures


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("map", "map"),
        ("P.5", "P_5"),
        ("P.5,10", "P_5 P_10"),
        ("P.10,5", "P_5 P_10"),
        ("P_5", "P_5"),
        ("P_5,10", "P_5 P_10"),
        ("ndcg_cut.10", "ndcg_cut_10"),
        ("ndcg_cut_10", "ndcg_cut_10"),
        ("ndcg_cut_10,5", "ndcg_cut_5 ndcg_cut_10"),
        ("iprec_at_recall..10,.2", "iprec_at_recall_0.10 iprec_at_recall_0.20"),
        ("iprec_at_recall_0.10", "iprec_at_recall_0.10"),
        ("ndcg.1=3,2=9", "ndcg_1=3,2=9"),
        ("ndcg_1=3,2=9", "ndcg_1=3,2=9"),
        ("set_F.2", "set_F_2"),
        ("set_F_2", "set_F_2"),
        ("set_F.1%", "set_F_1%"),
        ("utility.1.5,-1,0,0", "utility_1.5,-1,0,0"),
        ("utility_1,-1,0,0", "utility_1,-1,0,0"),
        ("rbp_p=0.8", "rbp_p=0.8"),
        ("rbp_resid_p=0.8", "rbp_resid_p=0.8"),
        ("11pt_avg..25,.5", "11pt_avg_.25,.5"),
        ("Rprec_mult.1", "Rprec_mult_1.00"),
        ("iprec_at_recall.123456.789", "iprec_at_recall_123456.7"),
        ("success", "success_1 success_5 success_10"),
        ("unj", "unj_5 unj_10 unj_20"),
        ("P.05,1.9", "P_1 P_5"),
        # the first text with parameters decides
        ("P.5,10 P.20", "P_5 P_10"),
        ("P P.20", "P_20"),
        ("P.20 P", "P_20"),
        ("P.20 P.0", "P_20"),
        ("success official success.7", "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank "
         + " ".join(f"iprec_at_recall_{i / 10:.2f}" for i in range(11))
         + " P_5 P_10 P_15 P_20 P_30 P_100 P_200 P_500 P_1000 success_7"),
        # trec_eval's order, not that of asking; each once
        ("P.1 map num_q P map", "num_q map P_1"),
        ("unj.1 set runid", "runid num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map "
         "set_F unj_1"),
        # parameters without an effect
        ("map.5", "map"),
        ("num_q.7 runid.x", "runid num_q"),
        ("set.5 map", "runid num_q num_ret num_rel num_rel_ret map utility set_P set_relative_P set_recall set_map "
         "set_F"),
    ],
)  # fmt: skip
def test_forms_of_measures(asked: str, names: str, printed: Callable):
    assert names_of(printed(*(part for text in asked.split(" ") for part in ("-m", text)))) == names.split()


def test_names_are_padded_to_22_characters_and_never_cut(printed: Callable):
    assert printed("-m", "P.5").startswith("P_5                   \t")
    assert printed("-m", "set_F.1%").startswith("set_F_1%              \t")
    assert printed("-m", "set_F.1%d").startswith("set_F_1%d             \t")
    assert printed("-m", "iprec_at_recall.1000").startswith("iprec_at_recall_1000.00\t")


LATEST = ["rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"]
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


def cutoffs(name: str, values: tuple[int, ...] = CUTOFFS) -> list[str]:
    return [f"{name}_{value}" for value in values]


OFFICIAL = [
    *"runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank".split(),
    *(f"iprec_at_recall_{i / 10:.2f}" for i in range(11)),
    *cutoffs("P"),
]
ALL_TREC = [
    *OFFICIAL,
    *cutoffs("recall"),
    *"infAP gm_bpref".split(),
    *(f"Rprec_mult_{i / 5:.2f}" for i in range(1, 11)),
    *"utility 11pt_avg binG G ndcg ndcg_rel Rndcg".split(),
    *cutoffs("ndcg_cut"),
    *cutoffs("map_cut"),
    *cutoffs("relative_P"),
    *cutoffs("success", (1, 5, 10)),
    *"set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret".split(),
]


@both_releases
def test_nicknames(release: str, printed: Callable):
    latest = LATEST if release == "10.0" else []

    def summary(*options: str) -> list[str]:
        return names_of(printed("--compat", release, *options))

    assert summary() == summary("-m", "official") == OFFICIAL
    assert len(OFFICIAL) == 30
    assert summary("-m", "all_trec") == ALL_TREC + latest
    assert len(ALL_TREC) == 94
    sets = "runid num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map set_F"
    assert summary("-m", "set") == sets.split()
    groups = ["map_avgjg", *cutoffs("P_avgjg"), *(f"Rprec_mult_avgjg_{i / 5:.2f}" for i in range(1, 11))]
    assert summary("-R", "qrels_jg", "-m", "qrels_jg") == ["runid", "num_q", *groups]
    per_query = names_of(printed("--compat", release, "-n", "-q", "-D", ".q1", "-m", "all_trec"))
    for name in ("runid", "num_q", "gm_map", "gm_bpref"):
        assert name not in per_query
    assert sorted(per_query) == sorted({*ALL_TREC, *latest, "relstring"} - {"runid", "num_q", "gm_map", "gm_bpref"})


@pytest.mark.parametrize("measure", ["dcg", "ideal_dcg", "rbp", "rbp_resid", "unj", "unj.5", "rbp_p=0.8"])
def test_measures_that_came_with_10_0(measure: str, trec_eval: Callable, folder: Path):
    assert trec_eval("--quiet", "-m", measure, "qrels", "run", folder=folder).status == 0
    assert trec_eval("--compat", "9.0.8", "-m", measure, "qrels", "run", folder=folder).status == 1


# ---- Help and version


@pytest.mark.parametrize(
    "arguments",
    ["-v", "--version", "--v", "-qv", "-v --unknown", "-v -l abc", "-h -v", "-v -m nothing", "-v only one file"],
)
def test_the_version_ends_the_command_at_once_on_stderr(arguments: str, trec_eval: Callable):
    expected = f"trec_eval version 10.0 (treckon {__version__})\n".encode()
    assert trec_eval(*arguments.split()) == (0, b"", expected)


def test_the_version_is_that_of_the_release_asked_for_before(trec_eval: Callable, monkeypatch: pytest.MonkeyPatch):
    expected = f"trec_eval version 9.0.8 (treckon {__version__})\n".encode()
    assert trec_eval("--compat", "9.0.8", "-v").stderr == expected
    monkeypatch.setenv("TRECKON_COMPAT", "9.0.8")
    assert command.main(["-v"]) == 0


@pytest.mark.parametrize("arguments", ["-h", "--help", "--h", "-h qrels", "-qh no such files at all"])
def test_help_goes_to_stdout_and_reads_no_file(arguments: str, trec_eval: Callable):
    finished = trec_eval(*arguments.split())
    assert (finished.status, finished.stderr) == (0, b"")
    text = finished.stdout.decode()
    general, run, qrels, measures = text.split("-----------------------\n")
    for option in command._LONG:
        assert f"--{option}" in general or option in ("Output_old_results_format",), option
    for option in command._OWN_LONG:
        assert f"--{option}" in general
    assert '"trec_results"' in run and "64-bit" in run and "comment" in run
    assert '"qrels"' in qrels
    assert measures.startswith("Requested measures:\nnone; ")


def test_help_describes_the_measures_asked_for_in_order(trec_eval: Callable):
    text = trec_eval("-h", "-m", "P.7", "-m", "map").stdout.decode()
    about = text.partition("Requested measures:\n")[2]
    assert about.index("\nmap: Average precision\n") < about.index("\nP: Precision")
    assert "none;" not in about
    everything = trec_eval("-h", "-m", "all_trec").stdout.decode()
    for name in ("num_ret", "11pt_avg", "rbp_resid", "unj"):
        assert f"\n{name}: " in everything


def test_help_describes_the_formats_asked_for(trec_eval: Callable):
    for name in ("qrels", "qrels_jg", "prefs", "qrels_prefs"):
        assert f'Judgement format "{name}"' in trec_eval("-h", "-R", name).stdout.decode()
    unknown = trec_eval("-h", "-R", "x", "-T", "y")
    assert unknown.status == 0
    assert b"Judgement format" not in unknown.stdout and b"Run format" not in unknown.stdout


def test_help_speaks_of_the_release(trec_eval: Callable):
    text = trec_eval("-h", "--compat", "9.0.8").stdout.decode()
    assert "32-bit" in text and "begins with #" not in text
    assert trec_eval("-h", "--compat", "9.0.8", "-m", "unj").status == 1
    assert trec_eval("-h", "-m", "nothing") == (1, b"", b"trec_eval: illegal measure 'nothing'\n")
    assert trec_eval("-m", "nothing", "-v") == (1, b"", b"trec_eval: illegal measure 'nothing'\n")


# ---- Where files come from

ALL = "-q -c -m all_trec"


def zstd_of(data: bytes) -> bytes:
    zstd = pytest.importorskip("backports.zstd")
    return zstd.compress(data)


COMPRESSIONS = {
    "gzip": gzip.compress,
    "gzip, two members": lambda data: gzip.compress(data[: len(data) // 2]) + gzip.compress(data[len(data) // 2 :]),
    "gzip, member by member": lambda data: b"".join(gzip.compress(line) for line in data.splitlines(True)),
    "gzip, padded": lambda data: gzip.compress(data) + b"\0" * 600,
    "gzip, with a name": lambda data: gzip_with_a_name(data),
    "bzip2": bz2.compress,
    "bzip2, two streams": lambda data: bz2.compress(data[:70]) + bz2.compress(data[70:]),
    "xz": lzma.compress,
    "xz, two streams": lambda data: lzma.compress(data[:70]) + lzma.compress(data[70:]),
    "xz, padded": lambda data: lzma.compress(data) + b"\0" * 8,
    "zstd": zstd_of,
    "zstd, two frames": lambda data: zstd_of(data[:70]) + zstd_of(data[70:]),
}
every_compression = pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS)


def gzip_with_a_name(data: bytes) -> bytes:
    """As the program gzip writes it, with the file's name in the header."""
    packer = zlib.compressobj(wbits=-15)
    body = packer.compress(data) + packer.flush()
    return (
        b"\x1f\x8b\x08\x08\0\0\0\0\0\x03run.txt\0" + body
        + zlib.crc32(data).to_bytes(4, "little") + len(data).to_bytes(4, "little")
    )  # fmt: skip


@every_compression
def test_what_was_compressed_comes_in_blocks_of_bounded_size(compress: Callable, tmp_path: Path):
    """However much a few bytes stand for. A little text first, so that streams have an end inside a block, too."""
    data = RUN.encode() + b"\n" * (20 * sources.BLOCK_SIZE + 3)
    if compress is COMPRESSIONS["gzip, member by member"]:
        data = data[:3000]
    (tmp_path / "packed").write_bytes(compress(data))
    with sources.Source(tmp_path / "packed") as source:
        found = list(source.blocks())
    assert b"".join(found) == data
    assert 0 < min(map(len, found)) <= max(map(len, found)) <= sources.BLOCK_SIZE


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize("with_isal", [True, False])
@every_compression
def test_blocks_of_any_size(
    compress: Callable, with_isal: bool, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Where a block ends in the middle of what a decompressor still has, and of what it was given."""
    if not with_isal:
        monkeypatch.setitem(sys.modules, "isal", None)
        monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)
    data = RUN.encode() + b"aaaaaaaaaaaaaaaaaaa\n" * 30
    (tmp_path / "packed").write_bytes(compress(data))
    monkeypatch.setattr(sources, "BLOCK_SIZE", size)
    monkeypatch.setattr(sources, "_PIECE_SIZE", max(1, size // 2))
    with sources.Source(tmp_path / "packed") as source:
        found = list(source.blocks())
    assert b"".join(found) == data
    assert max(map(len, found)) <= size


#: Prints what went wrong, and by how many MiB the evaluation raised the memory that the process has used at most.
PEAK = """
import resource, sys
import numpy, treckon
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
treckon.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
before = peak()
try:
    print(treckon.evaluate(sys.argv[1], sys.argv[2], "AP")["AP"])
except treckon.errors.TreckonError as error:
    print(str(error).rpartition("/")[2])
print((peak() - before) >> 10)
"""


BLANK_LINE = b" " * 4095 + b"\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss differs")
@pytest.mark.parametrize("packed", ["qrels", "run"])
@pytest.mark.parametrize("filling", [BLANK_LINE, b" ", b"a", b"\0"], ids=["blank lines", "blanks", "letters", "NULs"])
def test_little_that_becomes_gigabytes_takes_no_memory(packed: str, filling: bytes, tmp_path: Path):
    """An eighth of one here, which zlib makes of half a MiB."""
    contents = {"qrels": b"q 0 d 1\n", "run": b"q Q0 d 1 1 t\n"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    packer = zlib.compressobj(1, wbits=31)
    pieces = [packer.compress(filling * ((1 << 22) // len(filling))) for _ in range(32)]
    (tmp_path / packed).write_bytes(b"".join([*pieces, packer.compress(contents[packed]), packer.flush()]))
    finished = subprocess.run(
        [sys.executable, "-c", PEAK, tmp_path / "qrels", tmp_path / "run"], capture_output=True, text=True, check=True
    )
    outcome, raised = finished.stdout.splitlines()
    expected = {
        BLANK_LINE: "1.0",
        b" ": f"{packed}:1: expected a line of at most 64 MiB, found a longer one",
        b"a": f"{packed}:1: expected a line of at most 64 MiB, found a longer one",
        b"\0": f"{packed}:1: expected text, found a NUL byte",
    }
    assert outcome == expected[filling]
    assert int(raised) < 160  # a line of 64 MiB, and its buffer when that grows


@every_compression
@pytest.mark.parametrize("name", ["file", "file.gz", "file.txt", "file.xz"])
def test_compressed_files_are_known_by_their_bytes(compress: Callable, name: str, printed: Callable, folder: Path):
    expected = printed(*ALL.split())
    (folder / name).write_bytes(compress(RUN.encode()))
    assert printed(*ALL.split(), files=("qrels", name)) == expected
    (folder / name).write_bytes(compress(QRELS.encode()))
    assert printed(*ALL.split(), files=(name, "run")) == expected


@pytest.mark.parametrize("program", ["gzip", "bzip2", "xz", "zstd"])
def test_what_the_programs_write_is_read(program: str, printed: Callable, folder: Path):
    if shutil.which(program) is None:
        pytest.skip(f"no {program} here")
    if program == "zstd":
        pytest.importorskip("backports.zstd")
    with open(folder / "run") as run, open(folder / "packed", "wb") as packed:
        subprocess.run([program, "-c"], stdin=run, stdout=packed, check=True)
    assert printed(files=("qrels", "packed")) == printed()


def test_a_file_that_only_has_such_a_name_is_read_as_it_is(printed: Callable, folder: Path):
    (folder / "run.gz").write_text(RUN)
    assert printed(files=("qrels", "run.gz")) == printed()


@pytest.mark.skipif(importlib.util.find_spec("isal") is None, reason="isal is not installed")
def test_gzip_is_read_without_isal_as_well(printed: Callable, folder: Path, monkeypatch: pytest.MonkeyPatch):
    (folder / "run.gz").write_bytes(gzip.compress(RUN.encode()[:80]) + gzip.compress(RUN.encode()[80:]))
    expected = printed(files=("qrels", "run.gz"))
    monkeypatch.setitem(sys.modules, "isal", None)
    monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)
    assert printed(files=("qrels", "run.gz")) == expected == printed()


def test_zstd_is_read_by_zstandard_as_well(printed: Callable, folder: Path, monkeypatch: pytest.MonkeyPatch):
    """What it gives in bounded pieces is the same, for several frames, padding, and much out of little."""
    zstandard = pytest.importorskip("zstandard")
    for name in ("backports.zstd", "compression.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    pack = zstandard.ZstdCompressor().compress
    (folder / "packed").write_bytes(pack(RUN.encode()[:80]) + pack(RUN.encode()[80:]) + bytes(9))
    assert printed(files=("qrels", "packed")) == printed()
    data = RUN.encode() * 4000 + b"\n" * (40 * sources.BLOCK_SIZE)
    (folder / "large").write_bytes(pack(data) * 2)
    with sources.Source(folder / "large") as source:
        blocks = list(source.blocks())
    assert b"".join(blocks) == data * 2
    assert max(map(len, blocks)) <= 10 * sources.BLOCK_SIZE
    (folder / "packed").write_bytes(b"".join(sources.compressed([RUN.encode()], "run.zst")))
    assert printed(files=("qrels", "packed")) == printed()


@both_releases
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gzip", "xz"])
def test_either_file_may_be_standard_input(release: str, pack: Callable, printed: Callable, folder: Path):
    options = ("--quiet", "--compat", release, "-q", "-m", "map")
    expected = printed(*options)
    for names, content in ((("qrels", "-"), RUN), (("-", "run"), QRELS)):
        piped = process(folder, *options, *names, input=pack(content.encode()))
        assert (piped.returncode, piped.stdout.decode(), piped.stderr) == (0, expected, b"")
        (folder / "redirected").write_bytes(pack(content.encode()))
        with open(folder / "redirected") as file:
            redirected = process(folder, *options, *names, stdin=file)
        assert (redirected.returncode, redirected.stdout.decode()) == (0, expected)


def test_standard_input_that_was_read_in_part_is_read_from_there(printed: Callable, folder: Path):
    """`(read line; trec_eval qrels -) < run`: what another program has taken is gone."""
    (folder / "both").write_text("a header\n" + RUN)
    with open(folder / "both") as file:
        os.lseek(file.fileno(), len("a header\n"), os.SEEK_SET)
        finished = process(folder, "--quiet", "qrels", "-", stdin=file)
    assert (finished.returncode, finished.stdout.decode()) == (0, printed())


@posix
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_named_pipes_are_read(pack: Callable, printed: Callable, folder: Path):
    os.mkfifo(folder / "pipe1")
    os.mkfifo(folder / "pipe2")
    with running(folder, "--quiet", "pipe1", "pipe2") as one:
        (folder / "pipe1").write_bytes(pack(QRELS.encode()))
        (folder / "pipe2").write_bytes(pack(RUN.encode()))
        stdout, stderr = one.communicate(timeout=60)
    assert (one.returncode, stdout.decode(), stderr) == (0, printed(), b"")


@posix
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_process_substitution(printed: Callable, folder: Path):
    call = f'"{sys.executable}" -m treckon trec_eval --quiet <(cat qrels) <(gzip -c run)'
    finished = subprocess.run(["bash", "-c", call], cwd=folder, env=environment(), capture_output=True, timeout=60)
    assert (finished.returncode, finished.stdout.decode(), finished.stderr) == (0, printed(), b"")


def interleaved_run(n: int) -> bytes:
    """Lines of two queries by turns."""
    return b"".join(b"q%d Q0 doc%06d 1 %d tag\n" % (1 + i % 2, i, n - i) for i in range(n))


@posix
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_all_of_a_long_pipe_is_read_where_lines_of_a_query_lie_apart(pack: Callable, folder: Path, trec_eval: Callable):
    """The first pass stops early; the second begins with what that has read and goes on with the rest of the pipe."""
    run = interleaved_run(30000)
    (folder / "run").write_bytes(run)
    (folder / "qrels").write_bytes(b"".join(b"q%d 0 doc%06d 1\n" % (1 + i % 2, i) for i in range(0, 30000, 999)))
    expected = trec_eval("-q", "qrels", "run", folder=folder).stdout
    assert b"num_ret               \tall\t30000\n" in expected
    assert process(folder, "-q", "qrels", "-", input=pack(run)).stdout == expected


@posix
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_problem_on_a_pipe_is_reported_without_waiting_for_its_end(pack: Callable, folder: Path):
    with running(folder, "qrels", "-", stdin=subprocess.PIPE) as one:
        one.stdin.write(pack(b"q1 Q0 a 1 1 t\n" * 1000 + b"bad line\n" + b"q1 Q0 a 1 1 t\n" * 1000))
        one.stdin.flush()  # and stays open
        assert one.wait(timeout=60) == 2
        assert one.stderr.read() == (
            b"trec_eval: standard input:1001: expected 6 fields (qid Q0 docno rank score tag), found 2\n"
        )


def test_pipes_without_data_are_empty_files(folder: Path):
    finished = process(folder, "qrels", "-", stdin=subprocess.DEVNULL)
    assert (finished.returncode, finished.stderr) == (2, b"trec_eval: standard input: cannot read it: it is empty\n")
    finished = process(folder, "-", "run", input=b"")
    assert (finished.returncode, finished.stdout) == (2, b"")


@every_compression
def test_compressed_nothing_is_a_file_without_records(compress: Callable, trec_eval: Callable, folder: Path):
    (folder / "nothing").write_bytes(compress(b"") or compress(b"\n"))
    assert trec_eval("qrels", "nothing", folder=folder)[:2] == (7, b"")
    assert trec_eval("nothing", "run", folder=folder)[:2] == (7, b"")
    assert trec_eval("-c", "-m", "num_ret", "qrels", "nothing", folder=folder)[:2] == (
        0, b"num_ret               \tall\t0\n",
    )  # fmt: skip


@pytest.mark.parametrize("text", ["\n\n\n", " \t\n", "# nothing\n# else\n", "\n# nothing", "\ufeff"])
def test_a_file_of_blank_lines_and_comments_has_no_records(text: str, trec_eval: Callable, folder: Path):
    (folder / "nothing").write_text(text, encoding="utf-8")
    assert trec_eval("qrels", "nothing", folder=folder)[:2] == (7, b"")
    assert trec_eval("nothing", "run", folder=folder)[:2] == (7, b"")
    with_c = trec_eval("-c", "-m", "map", "-m", "runid", "-m", "num_rel", "qrels", "nothing", folder=folder)
    assert with_c.stdout == (
        b"runid                 \tall\t\nnum_rel               \tall\t4\nmap                   \tall\t0.0000\n"
    )
    without_judgements = trec_eval("-c", "-m", "map", "-m", "num_q", "nothing", "run", folder=folder)
    assert without_judgements.stdout == b"num_q                 \tall\t0\nmap                   \tall\t0.0000\n"
    assert trec_eval("-c", "--compat", "9.0.8", "qrels", "nothing", folder=folder).status in (2, 7)


# ---- Unusual content


def test_ids_need_not_be_utf8_and_arguments_neither(folder: Path):
    (folder / "qrels").write_bytes(b"\xe9 0 \xff\xfe 1\n")
    (folder / "run").write_bytes(b"\xe9 Q0 \xff\xfe 1 1 \xfc\n")
    os.rename(folder / "run", os.fsencode(folder) + b"/r\xfcn")
    finished = process(folder, "-q", "-m", "map", "-m", "runid", "-D", b"0.\xe9", "qrels", b"r\xfcn")
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert finished.stdout == (
        b"map                   \t\xe9\t1.0000\n"
        b"runid                 \tall\t\xfc\nmap                   \tall\t1.0000\n"
    )
    illegal = process(folder, "-m", b"\xe9", "qrels", b"r\xfcn")
    assert (illegal.returncode, illegal.stdout, illegal.stderr) == (1, b"", b"trec_eval: illegal measure '\\udce9'\n")
    padded = process(folder, "--quiet", "-m", b"set_F.1\xe9", "qrels", b"r\xfcn")
    assert padded.stdout == b"set_F_1\xe9              \tall\t1.0000\n"


def test_a_query_called_all_prints_lines_like_the_summary(trec_eval: Callable, folder: Path):
    (folder / "qrels").write_text("all 0 a 1\nq 0 a 1\n")
    (folder / "run").write_text("all Q0 a 1 1 t\nq Q0 b 1 1 t\n")
    line = "map                   \t{}\t{}\n".format
    expected = line("all", "1.0000") + line("q", "0.0000") + line("all", "0.5000")
    assert trec_eval("-q", "-m", "map", "qrels", "run", folder=folder).stdout.decode() == expected


@both_releases
def test_queries_come_in_the_order_of_their_bytes(release: str, trec_eval: Callable, folder: Path):
    queries = ["q2", "q10", "10", "9", "Q1", "é", "q~", "q1", "2"]
    (folder / "qrels").write_text("".join(f"{q} 0 a 1\n" for q in queries), encoding="utf-8")
    (folder / "run").write_text("".join(f"{q} Q0 a 1 1 t\n" for q in reversed(queries)), encoding="utf-8")
    output = trec_eval("--compat", release, "-qn", "-m", "map", "qrels", "run", folder=folder).stdout.decode()
    assert [line.split("\t")[1] for line in output.splitlines()] == ["10", "2", "9", "Q1", "q1", "q10", "q2", "q~", "é"]


def test_the_tag_is_that_of_the_last_line_whatever_its_query(printed: Callable, folder: Path):
    assert printed("-m", "runid") == "runid                 \tall\tlast\n"
    (folder / "run").write_text(RUN + "# comment Q0 a 1 1 comment\n\n")
    assert printed("-m", "runid") == "runid                 \tall\tlast\n"


def test_fields_behind_the_sixth_are_passed_over(printed: Callable, folder: Path):
    expected = printed("-q")
    (folder / "run").write_text(RUN.replace("\n", " and more\n"))
    assert printed("-q") == expected


@both_releases
def test_line_ends_blank_lines_and_a_byte_order_mark_change_nothing(release: str, printed: Callable, folder: Path):
    expected = printed("--compat", release, "-q")
    for name, text in (("qrels", QRELS), ("run", RUN)):
        for changed in (
            text.replace("\n", "\r\n"),
            text[:-1],
            "\n \n" + text.replace("\n", "\n\n") + "\t\n",
            "\ufeff" + text,
            "\ufeff \t" + text,
            text.replace(" ", " \t\v\f "),
            "".join("  " + line for line in text.splitlines(True)),
        ):
            (folder / name).write_text(changed, encoding="utf-8", newline="")
            assert printed("--compat", release, "-q") == expected
        (folder / name).write_text(text)


@both_releases
@pytest.mark.parametrize(
    "options",
    [
        "-l 99999999999999999999 -m official -m bpref",
        "-M 99999999999999999999 -m official",
        "-N 99999999999999999999 -m utility.0,0,0,1",
        "-N -99999999999999999999 -m utility.0,0,0,1",
        "-m P.9223372036854775807,2 -m recall.9223372036854775806 -m success.99999999999999999999",
        "-m ndcg_cut.9223372036854775807 -m map_cut.9223372036854775807 -m relative_P.9223372036854775807",
        "-m iprec_at_recall.1e308,-1e308 -m Rprec_mult.1e308,-1e308 -m 11pt_avg.1e308,-1e308",
        "-m relstring.1e308",
        "-m set_F.1e308 -m utility.1e308,1e308,1e308,1e308",
        "-m ndcg.9223372036854775807=1e308,-9223372036854775808=1,1=1e308,2=1e308 -m Rndcg.1=1e308",
        "-m G.1=1e308,-1=1e308 -m ndcg_rel.1=-1e308,0=1e308",
    ],
)
def test_huge_numbers_end_in_numbers(release: str, options: str, trec_eval: Callable, folder: Path):
    (folder / "qrels").write_text("q1 0 a 2147483647\nq1 0 b 1\nq1 0 c -2147483648\n")
    finished = trec_eval("--quiet", "--compat", release, "-q", *options.split(), "qrels", "run", folder=folder)
    assert (finished.status, finished.stderr) == (0, b"")
    for line in finished.stdout.decode().splitlines():
        value = line.split("\t")[2].strip()
        assert "nan" not in value and "inf" not in value, line


def test_the_number_of_threads_changes_nothing(folder: Path, trec_eval: Callable):
    """A file of some MB, which several threads share; lines of its queries together, and by turns."""
    (folder / "qrels").write_bytes(b"".join(b"q%d 0 doc%06d %d\n" % (1 + i % 2, i, i % 3) for i in range(0, 110000, 7)))
    apart = interleaved_run(110000).splitlines(True)
    for lines in (apart[0::2] + apart[1::2], apart):
        (folder / "run").write_bytes(b"".join(lines))
        assert (folder / "run").stat().st_size > 2 << 20
        one, *more = (trec_eval("-q", "-m", "all_trec", "--threads", n, "qrels", "run", folder=folder) for n in "12")
        assert one.status == 0 and all(other == one for other in more)


# ---- Streams, and how the command ends


def test_warnings_leave_the_output_as_it_is(trec_eval: Callable, folder: Path):
    (folder / "qrels").write_text(QRELS.replace(" 2\n", " 2.5\n"))
    (folder / "run").write_text(RUN.replace(" 0.5 ", " 0.5x "))
    said = trec_eval("-m", "map.5", "qrels", "run", folder=folder)
    quiet = trec_eval("--quiet", "-m", "map.5", "qrels", "run", folder=folder)
    assert said.stdout == quiet.stdout and quiet.stderr == b""
    assert len(said.stderr.splitlines()) == 4  # the parameter, the grade, the scores, the missing query


@pytest.mark.parametrize(
    ("change", "argument"),
    [(("qrels", " 2\n", " 2.5\n"), "map"), (("run", " 0.5 ", " 0.5x "), "map"), (("run", "x", "x"), "map.5")],
)
def test_strict_refuses_what_is_a_warning_else(
    change: tuple[str, str, str], argument: str, trec_eval: Callable, folder: Path
):
    name, old, new = change
    (folder / name).write_text((folder / name).read_text().replace(old, new))
    assert trec_eval("--quiet", "-m", argument, "qrels", "run", folder=folder).status == 0
    strict = trec_eval("--strict", "-m", argument, "qrels", "run", folder=folder)
    assert (strict.status, strict.stdout, len(strict.stderr.splitlines())) == (2, b"", 1)


def test_the_environment_chooses_the_release_and_the_option_wins(folder: Path):
    """1.00000002 and 1.00000001 tie in 9.0.8, where the greater id comes first then."""
    (folder / "run").write_text("q1 Q0 a 1 1.00000002 t\nq1 Q0 b 2 1.00000001 t\n")
    (folder / "qrels").write_text("q1 0 a 1\n")

    def value(*options: str, **variables: str) -> bytes:
        finished = process(folder, "-m", "recip_rank", *options, "qrels", "run", env=environment(**variables))
        return finished.stdout[-7:-1]

    assert value() == value(TRECKON_COMPAT="10.0") == value(TRECKON_COMPAT="") == b"1.0000"
    assert value(TRECKON_COMPAT="9.0.8") == value("--compat", "9.0.8") == b"0.5000"
    assert value("--compat", "10.0", TRECKON_COMPAT="9.0.8") == b"1.0000"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", ["qrels run", "-q -m all_trec qrels run", "-h"])
def test_output_that_cannot_be_written_is_an_error(arguments: str, folder: Path):
    with open("/dev/full", "wb") as full:
        finished = process(folder, "--quiet", *arguments.split(), stdout=full, stderr=subprocess.PIPE)
    message = b"trec_eval: cannot write standard output: No space left on device\n"
    assert (finished.returncode, finished.stderr) == (1, message)


@posix
def test_closed_streams(folder: Path):
    """`>&-`, `2>&-` and `<&-`: an error, nothing, an error."""

    def shell(redirection: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        call = f'exec "{sys.executable}" -m treckon trec_eval {" ".join(arguments)} {redirection}'
        return subprocess.run(["sh", "-c", call], cwd=folder, env=environment(), capture_output=True, timeout=60)

    closed = shell(">&-", "--quiet", "qrels", "run")
    assert (closed.returncode, closed.stderr) == (1, b"trec_eval: cannot write standard output: it is closed\n")
    silent = shell("2>&-", "-m", "map.5", "qrels", "run")
    assert (silent.returncode, silent.stdout) == (0, b"map                   \tall\t0.5000\n")
    assert shell("2>&-", "-m", "nothing", "qrels", "run").returncode == 1
    for names in ("- run", "qrels -"):
        no_input = shell("<&-", *names.split())
        expected = b"trec_eval: standard input: cannot read it: it is closed\n"
        assert (no_input.returncode, no_input.stdout, no_input.stderr) == (2, b"", expected)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_warnings_that_cannot_be_written_are_lost(folder: Path):
    with open("/dev/full", "wb") as full:
        finished = process(folder, "-m", "map.5", "qrels", "run", stdout=subprocess.PIPE, stderr=full)
    assert (finished.returncode, finished.stdout) == (0, b"map                   \tall\t0.5000\n")


@posix
@pytest.mark.parametrize("arguments", ["-q -m all_trec qrels run", "-h -m all_trec"])
def test_a_pipe_that_is_closed_ends_the_command_quietly(arguments: str, folder: Path):
    reading_end, writing_end = os.pipe()
    os.close(reading_end)
    try:
        finished = process(folder, "--quiet", *arguments.split(), stdout=writing_end, stderr=subprocess.PIPE)
    finally:
        os.close(writing_end)
    assert (finished.returncode, finished.stderr) == (0, b"")


@pytest.fixture(autouse=True, scope="module")
def interruptible() -> Iterator[None]:
    """A shell's background job ignores interrupts, and so would every process that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def assert_interrupted(one: subprocess.Popen[bytes]) -> None:
    one.send_signal(signal.SIGINT)
    assert one.wait(timeout=30) == 130
    assert (one.stdout.read(), one.stderr.read()) == (b"", b"")


@posix
def test_an_interrupt_ends_the_reading_of_a_pipe(folder: Path):
    """The writer keeps the pipe open: the command waits for more when the signal comes."""
    os.mkfifo(folder / "pipe")
    with running(folder, "qrels", "pipe") as one, open(folder / "pipe", "wb", buffering=0) as pipe:
        pipe.write(RUN.encode() * 10000)  # more than a pipe holds: most of it is read by then
        assert_interrupted(one)


@posix
@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no /proc here")
def test_an_interrupt_ends_the_threads_that_read_a_large_file(folder: Path):
    with open(folder / "large", "wb") as large:
        for _ in range(96):
            large.write(b"\n" * (1 << 20))
    with running(folder, "--threads", "1", "qrels", "large") as one:
        wait_until(one, lambda: len(os.listdir(f"/proc/{one.pid}/task")) > 1)
        assert_interrupted(one)
    os.remove(folder / "large")


@posix
@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no /proc here")
def test_an_interrupt_ends_the_decompression_of_a_large_file(folder: Path):
    (folder / "large").write_bytes(gzip.compress(b"\n" * (1 << 20)) * 1000)
    with running(folder, "qrels", "large") as one:
        wait_until(one, lambda: len(os.listdir(f"/proc/{one.pid}/task")) > 1)
        assert_interrupted(one)


def wait_until(one: subprocess.Popen[bytes], happened: Callable[[], bool]) -> None:
    """Waits for something of a process, but not for long."""
    end = time.monotonic() + 20
    while not happened():
        assert one.poll() is None, "the process ended too soon"
        assert time.monotonic() < end, "it never came so far"
        time.sleep(0.005)


class EndlessScan:
    """Stands for a thread that reads until it is told to stop."""

    def __init__(self) -> None:
        self.cancelled = self.begun = self.ended = False

    def scan_file(self, fd: int, begin: int, end: int) -> None:
        self.begun = True
        while not self.cancelled:
            time.sleep(0.001)
        self.ended = True

    def cancel(self) -> None:
        self.cancelled = True


def test_threads_are_gone_before_an_interrupt_goes_on():
    scans = [EndlessScan(), EndlessScan(), EndlessScan()]
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            reading._scan_shares((-1, 100), scans)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # One that was just being started finds itself cancelled before it reads anything.
    end = time.monotonic() + 5
    while [scan.ended for scan in scans] != [scan.begun for scan in scans]:
        assert time.monotonic() < end
        time.sleep(0.001)
    assert all(scan.cancelled for scan in scans)


# ---- Sources


@posix
def test_a_pipe_can_be_read_again_and_again(folder: Path):
    """What was read comes out of a temporary file, the rest out of the pipe, wherever the reading before ended."""
    data = interleaved_run(20000)
    lines = data.splitlines()
    (folder / "data").write_bytes(data)
    with subprocess.Popen(["cat", folder / "data"], stdout=subprocess.PIPE) as cat:
        with sources.Source(f"/dev/fd/{cat.stdout.fileno()}") as source:
            first = next(source.blocks())
            assert 6 <= len(first) < len(data) and data.startswith(first)
            assert next(source.blocks()) == first
            assert source.line_at(len(data) // 2)[0] == 1 + data.count(b"\n", 0, len(data) // 2)
            assert source.line_at(len(b"\n".join(lines[:15000])) + 1) == (15001, lines[15000])
            assert b"".join(source.blocks()) == data
            assert b"".join(source.blocks()) == data
            assert list(source.lines()) == list(enumerate(lines, 1))


def test_a_source_closes_what_it_opened(folder: Path):
    def opened() -> set[str]:
        return set(os.listdir("/proc/self/fd"))

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc here")
    (folder / "empty").write_bytes(b"")
    before = opened()
    for name in ("empty", "nowhere", "."):
        with pytest.raises(InputError):
            sources.Source(folder / name)
    source = sources.Source(folder / "run")
    source.close()
    source.close()
    assert opened() == before


def test_blocks_made_ahead_are_the_same_and_so_are_their_errors():
    assert list(sources.prefetched(iter([b"a", b"", b"b"] * 9))) == [b"a", b"", b"b"] * 9

    def failing() -> Iterator[bytes]:
        yield b"a"
        raise InputError("file", "cannot read it")

    blocks = sources.prefetched(failing())
    assert next(blocks) == b"a"
    with pytest.raises(InputError, match="cannot read it"):
        next(blocks)


def test_nobody_makes_blocks_ahead_that_are_not_wanted_any_more():
    made = []

    def endless() -> Iterator[bytes]:
        while True:
            made.append(1)
            yield b"block"

    before = threading.active_count()
    blocks = sources.prefetched(endless())
    assert next(blocks) == b"block"
    assert threading.active_count() == before + 1
    blocks.close()
    assert threading.active_count() == before
    assert len(made) < 9


# ---- Starting


SLOW = (
    "argparse ast asyncio dataclasses datetime importlib.metadata inspect json logging numpy pandas random re rich "
    "subprocess tempfile threading typing"
).split()


@pytest.mark.parametrize(
    "arguments", ["-q -c -m all_trec qrels run", "qrels missing", "-h -m all_trec", "-q qrels.gz run"]
)
def test_nothing_slow_is_imported_on_the_way(arguments: str, folder: Path):
    """After a whole run of the command, none of the modules that take long to import is there."""
    (folder / "qrels.gz").write_bytes(gzip.compress(QRELS.encode()))
    code = f"import sys; sys.path.insert(0, {str(Path(treckon.__file__).resolve().parents[1])!r})\n"
    code += "from treckon.cli.trec_eval import main; main(sys.argv[1:])\n"
    code += f"sys.stderr.write(repr([name for name in {SLOW} if name in sys.modules]))"
    # Without site: what that imports for an editable installation is not ours.
    call = [sys.executable, "-S", "-E", "-c", code, *arguments.split()]
    finished = subprocess.run(call, cwd=folder, env=environment(), capture_output=True, timeout=60)
    imported = finished.stderr.decode().rpartition("\n")[2]
    allowed = {"-h -m all_trec": ["re"], "-q qrels.gz run": ["threading"]}  # for textwrap, and to decompress ahead
    assert imported == repr(allowed.get(arguments, [])), finished.stderr


def test_the_package_is_a_command_too():
    call = [sys.executable, "-m", "treckon"]
    bare = subprocess.run(call, capture_output=True, env=environment(), timeout=60)
    assert (bare.returncode, bare.stdout) == (2, b"")
    assert bare.stderr.startswith(b"treckon: expected a command: ")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero here")
def test_a_stream_of_nul_without_end_is_refused_at_once(trec_eval: Callable, folder: Path):
    status, output, messages = trec_eval("qrels", "/dev/zero", folder=folder)
    assert (status, output) == (2, b"")
    assert messages == b"trec_eval: /dev/zero:1: expected text, found a NUL byte\n"


@pytest.mark.parametrize("name", ["run", "qrels"])
def test_lines_that_end_with_cr_alone_are_no_comment(name: str, trec_eval: Callable, folder: Path):
    text = (folder / name).read_bytes()
    (folder / name).write_bytes(b"# mine\r" + text.replace(b"\n", b"\r"))
    status, output, messages = trec_eval("-c", "qrels", "run", folder=folder)
    assert (status, output) == (2, b"")
    assert messages == f"trec_eval: {name}:1: expected lines that end with LF or CR LF, found CR alone\n".encode()
