"""`-Z FILE`: each value less its mean, by its standard deviation, and the file that both come from."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import strategies
from treckon.cli import trec_eval as command
from treckon.errors import InputError
from treckon.inputs.sources import Source
from treckon.inputs.zscores import ZScores, read_zscores

RELEASES = ("9.0.8", "10.0")
both_releases = pytest.mark.parametrize("release", RELEASES)

QRELS = b"q1 0 a 1\nq1 0 b 1\nq1 0 c 0\nq2 0 a 2\nq3 0 a 1\nq3 0 b 3\n"
RUN = b"q1 Q0 a 1 9 tag\nq1 Q0 c 2 8 tag\nq2 Q0 z 1 9 tag\nq2 Q0 a 2 8 tag\n"


@pytest.fixture
def lines(trec_eval: Callable, tmp_path: Path) -> Callable:
    """`lines(zscores, *arguments)`: the output of the command on QRELS and RUN, as fields."""

    def run(zscores: bytes, *arguments: str) -> list[list[str]]:
        for name, text in (("q", QRELS), ("r", RUN), ("z", zscores)):
            (tmp_path / name).write_bytes(text)
        finished = trec_eval("--quiet", "-Z", "z", *arguments, "q", "r", folder=tmp_path)
        assert (finished.status, finished.stderr) == (0, b"")
        return [line.split("\t") for line in finished.stdout.decode().splitlines()]

    return run


@both_releases
def test_what_is_printed(release, lines):
    """Z before every name but those of texts, and every number is real."""
    zscores = (
        b"q1 map 0.25 0.125\nq2 map 1 0.5\nq1 num_ret 1 2\nq1 P_5 0.2 1\nq2 P_5 0.1 0\nq1 num_rel 2 0\nq2 num_rel 2 0\n"
    )
    asked = strategies.asked(["runid", "num_q", "num_ret", "num_rel", "map", "P.5", "relstring.3"])
    assert lines(zscores, "--compat", release, "-q", *asked) == [
        ["Znum_ret               ", "q1", "0.5000"],  # (2 - 1) / 2
        ["Znum_rel               ", "q1", "0.0000"],  # the mean itself
        ["Zmap                   ", "q1", "2.0000"],  # (0.5 - 0.25) / 0.125
        ["ZP_5                   ", "q1", "0.0000"],
        ["relstring_3           ", "q1", "'10'"],
        ["Znum_ret               ", "q2", "-1000000.0000"],  # no line
        ["Znum_rel               ", "q2", "-1000000.0000"],  # 1, not 2, and no deviation
        ["Zmap                   ", "q2", "-1.0000"],
        ["ZP_5                   ", "q2", "-1000000.0000"],
        ["relstring_3           ", "q2", "'-2'"],
        ["runid                 ", "all", "tag"],
        ["Znum_q                 ", "all", "2.0000"],
        ["Znum_ret               ", "all", "-999999.5000"],  # sums
        ["Znum_rel               ", "all", "-1000000.0000"],
        ["Zmap                   ", "all", "0.5000"],  # a mean
        ["ZP_5                   ", "all", "-500000.0000"],
    ]


@both_releases
def test_names_count_with_their_parameters(release, lines):
    zscores = b"q1 P_5 0 1\nq1 P_10 0 0.5\nq1 ndcg_1=3,2=9 0 1\nq1 ndcg 0 0.001\n"
    argv = ["--compat", release, "-n", "-q", "-m", "P.5,10", "-m", "ndcg.1=3,2=9"]
    values = {name.rstrip(): value for name, query, value in lines(zscores, *argv) if query == "q1"}
    assert values == {"ZP_5": "0.2000", "ZP_10": "0.2000", "Zndcg_1=3,2=9": "0.6131"}


@both_releases
def test_geometric_means_are_of_the_zscores_of_logarithms(release, lines):
    zscores = b"q1 gm_map -1.693147180559945309 1\nq2 gm_map -0.693147180559945309 3\n"
    assert lines(zscores, "--compat", release, "-m", "gm_map") == [
        ["Zgm_map                ", "all", "1.6487"]  # (1 + 0) / 2, and e to that
    ]


def test_missing_queries(lines):
    """In 9.0.8 they add nothing, not even to geometric means; in 10.0 they are values like others."""
    zscores = b"".join(b"q%d %b 0 1\n" % (i, name) for i in (1, 2, 3) for name in (b"map", b"gm_map", b"num_ret"))
    zscores += b"q3 num_rel 0 1\nq3 map 0 1\n"
    argv = ["-c", "-q", "-m", "num_q", "-m", "num_ret", "-m", "num_rel", "-m", "map", "-m", "gm_map"]
    old, new = (lines(zscores, "--compat", release, *argv) for release in RELEASES)
    assert all(query != "q3" for _, query, _ in old)
    assert [line[2] for line in new if line[1] == "q3"] == ["0.0000", "2.0000", "0.0000"]
    for found in (old, new):
        values = {name.rstrip(): value for name, query, value in found if query == "all"}
        assert values["Znum_q"] == "3.0000"
        assert values["Znum_ret"] == "4.0000"
        assert values["Znum_rel"] == "5.0000"  # counted in the qrels, and no z-score
        assert values["Zmap"] == "0.3333"
    assert [line[2] for line in old if line[0].startswith("Zgm_map")] == ["0.6300"]  # (ln 0.5 + ln 0.5) / 3
    assert [line[2] for line in new if line[0].startswith("Zgm_map")] == ["0.0136"]  # the same and ln 0.00001


@both_releases
def test_only_the_own_line_of_a_query_counts(release, lines):
    """D15: where NIST's program reads past its table, or takes the next query's line."""
    argv = ["--compat", release, "-n", "-q", "-m", "map", "-m", "recip_rank"]
    for zscores in (b"q1 aaa 1 1\nq2 map .5 .25\n~ ~ 0 1\n", b"q2 map .5 .25\nq1 aaa 1 1\n"):
        assert [line[1:] for line in lines(zscores, *argv)] == [
            ["q1", "-1000000.0000"],
            ["q1", "-1000000.0000"],
            ["q2", "0.0000"],
            ["q2", "-1000000.0000"],
        ]


@both_releases
def test_preferences_and_groups_have_zscores_too(release, trec_eval, tmp_path):
    (tmp_path / "p").write_bytes(b"q g s a 2\nq g s b 1\nq g s c 0\n")
    (tmp_path / "r").write_bytes(b"q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    (tmp_path / "z").write_bytes(b"q prefs_num_prefs_poss 1 4\nq prefs_num_prefs_ful_ret 2 1\nq map_avgjg 0 2\n")
    argv = ["--compat", release, "-n", "-q", "-Z", "z"]
    asked = ["-m", "prefs_num_prefs_poss", "-m", "prefs_num_prefs_ful_ret"]
    finished = trec_eval(*argv, "-R", "prefs", *asked, "p", "r", folder=tmp_path)
    assert finished.stdout == b"Zprefs_num_prefs_poss  \tq\t0.5000\nZprefs_num_prefs_ful_ret\tq\t-1.0000\n"
    (tmp_path / "p").write_bytes(b"q g a 2\n")
    finished = trec_eval(*argv, "-R", "qrels_jg", "-m", "map_avgjg", "p", "r", folder=tmp_path)
    assert finished.stdout == b"Zmap_avgjg             \tq\t0.5000\n"


# Against the oracle


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("zscores")


NUMBERS = st.sampled_from(["0", "1", "0.5", "-0.25", "3", "1e-3", "2.5"])
DEVIATIONS = st.sampled_from(["0", "1", "0.125", "2", "-1"])


@st.composite
def zscore_lines(draw, case: strategies.Case, names: list[str]) -> bytes:
    """A line for some of the queries and printed names, and for some that don't occur."""
    rows = [
        (query, name, draw(NUMBERS), draw(DEVIATIONS))
        for query in [*case.judgements, "none"]
        for name in [*names, "unknown"]
        if draw(st.booleans())
    ]
    return strategies.lines([*rows, ("~", "~", "0", "1")], draw(st.randoms(use_true_random=False)))


@both_releases
@given(data=st.data())
@settings(max_examples=80)
def test_zscores_are_those_of_the_oracle(release, data, folder):
    case = data.draw(strategies.qrels_cases())
    argv = ["-q", *data.draw(strategies.options())]
    argv += strategies.asked(data.draw(strategies.requests(release)))
    qrels, run = strategies.qrels_bytes(case.judgements), strategies.run_bytes(case.run)
    names = [line.name for line in oracle.requested(oracle.Options(argv), release) if " " not in line.name]
    zscores = data.draw(zscore_lines(case, names))
    paths = [str(folder / name) for name in "zqr"]
    for path, text in zip(paths, (zscores, qrels, run), strict=True):
        Path(path).write_bytes(text)
    options = command.read_options(["--compat", release, "--quiet", *argv, "-Z", *paths])
    expected = oracle.trec_eval([*argv, "-Z", *paths], qrels, run, release, zscores)
    assert b"".join(command.evaluate(options)).decode("utf-8", "backslashreplace") == expected


# The quotient


def test_the_quotient():
    zscores = ZScores({(b"q", b"map"): (0.5, 0.25), (b"q", b"P_5"): (0.5, 0.0), (b"q", b"bpref"): (0.25, -0.125)})
    assert zscores.zscore(b"q", "map", 0.75) == 1.0
    assert zscores.zscore(b"q", "map", 0.5) == 0.0
    assert zscores.zscore(b"q", "P_5", 0.5) == 0.0
    assert zscores.zscore(b"q", "P_5", 0.4) == -1000000.0
    assert zscores.zscore(b"q", "bpref", 0.5) == -2.0
    assert zscores.zscore(b"q", "P_10", 0.5) == -1000000.0
    assert zscores.zscore(b"p", "map", 0.5) == -1000000.0


def test_no_infinity_comes_out_of_finite_numbers():
    zscores = ZScores({(b"q", b"map"): (0.5, 1e-310), (b"q", b"P_5"): (-1.7e308, 0.5)})
    assert zscores.zscore(b"q", "map", 1.0) == -1000000.0
    assert zscores.zscore(b"q", "P_5", 1.0) == -1000000.0
    assert zscores.zscore(b"q", "map", 0.5) == 0.0


# The file


def test_forms_of_the_file(lines):
    plain = b"q1 map 0.25 0.125\nq2 map 1 0.5\n"
    expected = lines(plain, "-q", "-m", "map")
    for text in (
        b"\xef\xbb\xbf" + plain,
        plain.replace(b"\n", b"\r\n"),
        plain.replace(b" ", b"\t \v"),
        b"\n \n" + plain.replace(b"\n", b"\n\n"),
        plain.rstrip(),
        b"\n".join(reversed(plain.splitlines())),
        plain + b"# map 0 1\n",  # a query, for there are no comments here
        plain + plain,  # the same once more
        plain.replace(b"0.125", b"0x1p-3"),
        gzip.compress(plain),
    ):
        assert lines(text, "-q", "-m", "map") == expected


def fails(trec_eval: Callable, tmp_path: Path, message: str, *arguments: str) -> None:
    for release in RELEASES:
        finished = trec_eval("--compat", release, "-Z", *arguments, "q", "r", folder=tmp_path)
        assert finished == (255, b"", f"trec_eval: {message}\n".encode())


@pytest.fixture
def inputs(tmp_path) -> Path:
    (tmp_path / "q").write_bytes(QRELS)
    (tmp_path / "r").write_bytes(RUN)
    return tmp_path


GOOD = b"q1 map 0 1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "z: cannot read it: it is empty"),
        (GOOD + b"\nq2 map 0\n", "z:3: expected 4 fields (qid measure mean deviation), found 3"),
        (GOOD + b"q2 map 0 1 2\n", "z:2: expected 4 fields (qid measure mean deviation), found 5"),
        (GOOD.replace(b"\n", b"\r") * 2, "z:1: expected lines that end with LF or CR LF, found CR alone"),
        (GOOD + b"q2 m\0p 0 1\n", "z:2: expected text, found a NUL byte"),
        (GOOD + b"\0\n", "z:2: expected text, found a NUL byte"),
        (GOOD + b"q2 map nan 1\n", "z:2: expected a finite number as mean, found 'nan'"),
        (GOOD + b"q2 map 0 inf\n", "z:2: expected a finite number as deviation, found 'inf'"),
        (GOOD + b"q2 map -1e999 1\n", "z:2: expected a finite number as mean, found '-1e999'"),
        (
            b"\xef\xbb\xbf" + GOOD + b"q2 map 0 1\nq1 map 0 2\n",
            "z:3: expected one mean and deviation for a query and measure, found another for measure 'map' of query "
            "'q1' on line 1",
        ),
        (gzip.compress(GOOD, mtime=0)[:-3], "z: cannot read it: the gzip data end too early"),
    ],
)
def test_files_that_cannot_be_read(text, message, trec_eval, inputs):
    (inputs / "z").write_bytes(text)
    fails(trec_eval, inputs, message, "z")


def test_files_that_are_not_there(trec_eval, inputs):
    fails(trec_eval, inputs, "nofile: cannot read it: No such file or directory", "nofile")
    fails(trec_eval, inputs, ".: cannot read it: it is a directory", ".")


def test_the_other_files_come_first(trec_eval, inputs):
    assert trec_eval("-Z", "nofile", "noqrels", "r", folder=inputs).status == 2
    assert trec_eval("-Z", "nofile", "q", "norun", folder=inputs).status == 2
    assert trec_eval("-Z", "nofile", "-m", "nomeasure", "q", "r", folder=inputs).status == 1


def test_numbers_that_are_none_to_their_end(trec_eval, inputs):
    (inputs / "z").write_bytes(GOOD + b"q1 num_ret 1x 1\nq2 num_ret 1,5 low\n")
    fails(trec_eval, inputs, "z:2: expected a number as mean, found '1x'", "z", "--strict")
    finished = trec_eval("-n", "-q", "-Z", "z", "-m", "num_ret", "q", "r", folder=inputs)
    assert finished.stdout == b"Znum_ret               \tq1\t1.0000\nZnum_ret               \tq2\t-1000000.0000\n"
    warning, note = finished.stderr.decode().splitlines()
    assert warning == (
        "trec_eval: warning: z:2: expected a number as mean, found '1x'; read up to the first character that is no "
        "part of one, as trec_eval does (such numbers: 3)"
    )
    assert note.startswith("trec_eval: note: 1 of 3 judged queries are missing from the run")
    assert trec_eval("--quiet", "-Z", "z", "-m", "num_ret", "q", "r", folder=inputs).stderr == b""


def test_reading_in_python(inputs):
    (inputs / "z").write_bytes(b"q1 map 0.25 0.125\n")
    with Source(inputs / "z") as source:
        zscores = read_zscores(source)
    assert (zscores.zscore(b"q1", "map", 0.5), zscores.warnings) == (2.0, ())
    (inputs / "z").write_bytes(b"q1 map 0.25\n")
    with Source(inputs / "z") as source, pytest.raises(InputError, match="z:1: expected 4 fields") as error:
        read_zscores(source)
    assert error.value.place == f"{inputs / 'z'}:1"


def test_a_geometric_mean_of_z_scores_beyond_all_doubles_is_0(trec_eval, tmp_path):
    (tmp_path / "q").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    (tmp_path / "r").write_text("q1 Q0 d1 1 9 t\nq2 Q0 d1 1 9 t\n")
    for deviation, shown in ((0.01, b"0.0000"), (11, b"2.7183")):
        (tmp_path / "z").write_text(f"q1 gm_map -11 {deviation}\nq2 gm_map -11 {deviation}\n")
        status, output, messages = trec_eval("-Z", "z", "-m", "gm_map", "q", "r", folder=tmp_path)
        assert (status, output, messages) == (0, b"Zgm_map                \tall\t" + shown + b"\n", b"")
