"""Judgements that are preferences, and groups of assessors: values against the oracle, worked examples, errors."""

import gzip
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import strategies
from treckon._native.prefs import PrefsBuilder
from treckon._native.qrels import QrelsBuilder
from treckon._native.scans import QrelsScan
from treckon.cli import trec_eval as command
from treckon.errors import EvaluationError
from treckon.evaluation.policy import TrecEvalPolicy
from treckon.evaluation.scoring import RunFile, score_run
from treckon.inputs import reading
from treckon.inputs.formats.trec import JUDGEMENT_FORMATS, LINES
from treckon.inputs.reading import read_qrels
from treckon.inputs.sources import Source
from treckon.naming.trec_eval import request

RELEASES = ("9.0.8", "10.0")
both_releases = pytest.mark.parametrize("release", RELEASES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Holds the files of one example after the other."""
    return tmp_path_factory.mktemp("preferences")


def printed(folder: Path, argv: list[str], release: str, judgements: bytes, run: bytes) -> str:
    """The output of the command."""
    qrels_path, run_path = folder / "judgements", folder / "run"
    qrels_path.write_bytes(judgements)
    run_path.write_bytes(run)
    options = command.read_options(["--compat", release, "--quiet", *argv, str(qrels_path), str(run_path)])
    return b"".join(command.evaluate(options)).decode("utf-8", "backslashreplace")


def levels(text: str, subgroups: bool = True) -> bytes:
    """Lines of query q for `g1 s1: a=3 b=2; g1 s2: b=5`."""
    rows = []
    for part in text.split(";"):
        names, _, documents = part.partition(":")
        for document in documents.split():
            rows.append(("q", *names.split()[: 2 if subgroups else 1], *document.split("=")))
    return strategies.lines(rows, None)


def ranked(text: str, query: str = "q") -> bytes:
    return strategies.run_bytes({query: {docno: 100.0 - i for i, docno in enumerate(text.split())}})


# Worked examples of our specification, each with what NIST's program prints in both releases

P1 = "g s: a=3 b=2 c=0 d=6 e=0 f=2"
P2 = "g1 s1: a=3 b=2 c=1; g1 s2: b=5 d=4; g2 s1: b=1 a=0 e=0"
EXAMPLES = [
    (
        "P1",
        P1,
        "a d c x b",
        "num_prefs_poss 13, num_prefs_ful 9, num_prefs_ful_ret 4, simp 0.6923, pair 0.6923, avgjg 0.6923, "
        "simp_imp 0.7500, pair_imp 0.7500, avgjg_imp 0.7500, simp_ret 0.6667, pair_ret 0.6667, avgjg_ret 0.6667, "
        "avgjg_Rnonrel 0.7143, avgjg_Rnonrel_ret 0.7143",
    ),
    (
        "P2",
        P2,
        "d a x b",
        "num_prefs_poss 7, num_prefs_ful 4, num_prefs_ful_ret 1, simp 0.5714, simp_ret 0.2500, pair 0.5833, "
        "pair_ret 0.1667, avgjg 0.5500, avgjg_ret 0.1667, avgjg_Rnonrel 0.3571, avgjg_Rnonrel_ret 0.3333",
    ),
    (
        "P3",
        "g s: a=1 n1=0 n2=0",
        "a n1 n2",
        "simp 1.0000, pair 1.0000, avgjg 1.0000, simp_imp 1.0000, pair_imp 1.0000, avgjg_imp 1.0000, simp_ret 1.0000, "
        "pair_ret 1.0000, avgjg_ret 1.0000, avgjg_Rnonrel 0.3333, avgjg_Rnonrel_ret 0.3333",
    ),
    (
        "P3 in two sub-groups",
        "g s: a=1 n1=0; g t: a=1 n2=0",
        "a n1 n2",
        "avgjg_Rnonrel 1.0000, avgjg_Rnonrel_ret 1.0000",
    ),
    (
        "P3 with n3 not retrieved",
        "g s: a=1 n1=0 n2=0 n3=0",
        "a n1 n2",
        "avgjg_Rnonrel 0.2500, avgjg_Rnonrel_ret 0.3333",
    ),
    ("P4", "g1 s: a=2 b=1; g2 s: c=0", "a b c", "avgjg 0.5000, avgjg_Rnonrel 0.0000"),
    (
        "P4 with nothing of g2 retrieved",
        "g1 s: a=2 b=1; g2 s: q=2 r=1",
        "a b c",
        "avgjg_Rnonrel 0.5000, avgjg_Rnonrel_ret 0.0000",
    ),
    ("P5", "g s: a=1 b=1 c=1 n=0", "a b n", "avgjg_Rnonrel_ret 0.8000"),
    (
        "P6",
        "g s: a=1 b=1",
        "a b",
        "num_prefs_poss 0, num_prefs_ful 0, num_prefs_ful_ret 0, simp 0.0000, pair 0.0000, avgjg 0.0000, "
        "simp_imp 0.0000, pair_imp 0.0000, avgjg_imp 0.0000, simp_ret 0.0000, pair_ret 0.0000, avgjg_ret 0.0000, "
        "avgjg_Rnonrel 1.0000, avgjg_Rnonrel_ret 1.0000",
    ),
    (
        "P6 with nothing judged retrieved",
        P1,
        "zz",
        "num_prefs_poss 13, num_prefs_ful 0, num_prefs_ful_ret 0, simp 0.0000, pair 0.0000, avgjg 0.0000, "
        "simp_imp 0.0000, pair_imp 0.0000, avgjg_imp 0.0000, simp_ret 0.0000, pair_ret 0.0000, avgjg_ret 0.0000, "
        "avgjg_Rnonrel 0.0000, avgjg_Rnonrel_ret 0.0000",
    ),
    ("P7", "g s: a=1 a=1 b=0", "a b", "num_prefs_poss 2"),
]


def lines_of(names_and_values: str) -> list[list[str]]:
    """Lines of query q, as fields, for `simp 0.5, pair 1.0`."""
    return [[f"prefs_{name}", "q", value] for name, value in (one.split() for one in names_and_values.split(","))]


@both_releases
@pytest.mark.parametrize(
    ("judged", "documents", "expected"),
    [row[1:] for row in EXAMPLES],
    ids=[row[0] for row in EXAMPLES],
)
def test_worked_examples(judged, documents, expected, release, folder):
    output = printed(folder, ["-q", "-R", "prefs", "-m", "all_prefs"], release, levels(judged), ranked(documents))
    found = [line.split() for line in output.splitlines()]
    for line in lines_of(expected):
        assert line in found


@both_releases
def test_worked_example_in_the_format_without_sub_groups(release, folder):
    with_subgroups = printed(folder, ["-q", "-R", "prefs", "-m", "all_prefs"], release, levels(P1), ranked("a d c x b"))
    judged = levels(P1, subgroups=False)
    assert judged.startswith(b"q g a 3\n")
    without = printed(folder, ["-q", "-R", "qrels_prefs", "-m", "all_prefs"], release, judged, ranked("a d c x b"))
    assert without == with_subgroups


@both_releases
def test_a_depth_cuts_the_ranking(release, folder):
    argv = ["-q", "-M", "2", "-R", "prefs", "-m", "all_prefs"]
    found = [line.split() for line in printed(folder, argv, release, levels(P1), ranked("a d c x b")).splitlines()]
    for line in lines_of("num_prefs_ful 8, num_prefs_ful_ret 0, simp_imp 0.8889, avgjg_Rnonrel_ret 0.4444"):
        assert line in found


@both_releases
def test_groups_of_assessors(release, folder):
    """Both worked examples of the judgment-group measures."""
    judged = levels("u1: a=2 b=0 c=1; u2: a=0 d=1 e=1 f=1; u3: a=0 b=-1", subgroups=False)
    asked = ["-m", "map_avgjg", "-m", "P_avgjg.2,5", "-m", "Rprec_mult_avgjg.0.5,1,2"]

    def values(*options: str) -> list[str]:
        argv = ["-q", "-n", "-R", "qrels_jg", *asked, *options]
        return [line.split()[2] for line in printed(folder, argv, release, judged, ranked("a b d z")).splitlines()]

    assert values() == ["0.2037", "0.1667", "0.1333", "0.3333", "0.2778", "0.1389"]
    assert values("-J", "-l", "2") == ["0.3333", "0.1667", "0.0667", "0.3333", "0.3333", "0.1667"]


def value_of(folder: Path, release: str, judged: str, run: bytes, measure: str = "prefs_num_prefs_poss") -> str:
    return printed(folder, ["-R", "prefs", "-m", measure], release, levels(judged), run).split()[2]


def test_levels_and_scores_are_compared_in_the_precision_of_the_release(folder):
    for higher, lower in (("1.00000002", "1.00000001"), ("16777217", "16777216"), ("1e-46", "0"), ("1e40", "1e39")):
        judged = f"g s: a={higher} b={lower}"
        assert [value_of(folder, release, judged, ranked("a b")) for release in RELEASES] == ["0", "1"]
        run = f"q Q0 a 1 {lower} t\nq Q0 b 2 {higher} t\n".encode()
        fulfilled = [value_of(folder, release, "g s: a=2 b=1", run, "prefs_num_prefs_ful") for release in RELEASES]
        assert fulfilled == ["1", "0"]


@both_releases
def test_equal_scores_rank_by_rising_docno(release, folder):
    run = strategies.run_bytes({"q": {"b": 1.0, "a": 1.0}})
    assert value_of(folder, release, "g s: a=1 b=0", run, "prefs_simp") == "1.0000"
    assert value_of(folder, release, "g s: a=0 b=1", run, "prefs_simp") == "0.0000"


@both_releases
def test_level_and_condensing_have_no_effect(release, folder):
    argv = ["-q", "-R", "prefs", "-m", "all_prefs"]
    plain = printed(folder, argv, release, levels(P2), ranked("d a x b"))
    assert printed(folder, ["-l", "3", "-J", *argv], release, levels(P2), ranked("d a x b")) == plain


@both_releases
def test_negative_levels_are_levels(release, folder):
    """-3 is no mark of "none yet", as it is in NIST's program, which finds no preference here (D19)."""
    assert value_of(folder, release, "g s: d1=-3 d2=-4", ranked("d1 d2")) == "1"
    assert value_of(folder, release, "g s: a=inf b=5 c=-inf", ranked("a b")) == "3"
    assert value_of(folder, release, "g s: a=0x1p3 b=1e0", ranked("a b")) == "1"


@both_releases
def test_one_document_on_two_levels_of_several_sub_groups(release, folder):
    """Accepted silently where a group has several sub-groups; the preference of a over itself is dropped."""
    assert value_of(folder, release, "g s: a=3 a=2; g t: a=1 b=1", ranked("a b")) == "0"
    assert value_of(folder, release, "g s: a=1 b=1; g t: a=2 b=1", ranked("a b")) == "1"


# Against the oracle


def values_in_full(folder: Path, argv: list[str], release: str, judgements: bytes, run: bytes) -> dict[str, list]:
    """Values of the queries of a file in the format prefs, before printing."""
    (folder / "judgements").write_bytes(judgements)
    (folder / "run").write_bytes(run)
    options = command.read_options([*argv, "j", "r"])
    asked = request(["all_prefs"], release).measures
    with Source(folder / "judgements") as judged, Source(folder / "run") as retrieved:
        judgements = read_qrels(judged, JUDGEMENT_FORMATS["prefs"], release=release)
        policy = TrecEvalPolicy.of(release, depth=options.depth, complete=options.complete)
        scored = score_run(judgements.table, asked, RunFile(retrieved, release), policy, fault=judgements.fault)
    results = scored.results
    return {
        results.qrels.query_id(query).decode(): [
            value for one, value in zip(asked, results.row(query), strict=True) if one.record.per_query
        ]
        for query in results.evaluated()
    }


@both_releases
@given(case=strategies.preference_cases(), options=strategies.options(), order=st.randoms(use_true_random=False))
@settings(max_examples=120)
def test_values_are_those_of_the_oracle(release, case, options, order, folder):
    argv = [*options, "-q", "-R", "prefs", "-m", "all_prefs"]
    judgements, run = strategies.prefs_bytes(case.judgements, order), strategies.run_bytes(case.run, order)
    assert printed(folder, argv, release, judgements, run) == oracle.trec_eval(argv, judgements, run, release)
    expected = oracle.evaluate(argv, judgements, run, release).per_query
    found = values_in_full(folder, options, release, judgements, run)
    assert found == {query: [value for _, value in named] for query, named in expected.items()}


@both_releases
@given(case=strategies.preference_cases(max_subgroups=1), options=strategies.options())
@settings(max_examples=60)
def test_values_without_sub_groups_are_those_of_the_oracle(release, case, options, folder):
    argv = [*options, "-q", "-R", "qrels_prefs", "-m", "all_prefs"]
    judgements, run = strategies.prefs_bytes(case.judgements, subgroups=False), strategies.run_bytes(case.run)
    assert printed(folder, argv, release, judgements, run) == oracle.trec_eval(argv, judgements, run, release)


@both_releases
@given(case=strategies.group_cases(), options=strategies.options())
@settings(max_examples=60)
def test_values_of_judgment_groups_are_those_of_the_oracle(release, case, options, folder):
    argv = [*options, "-q", "-R", "qrels_jg", "-m", "qrels_jg"]
    judgements, run = strategies.qrels_jg_bytes(case.judgements), strategies.run_bytes(case.run)
    assert printed(folder, argv, release, judgements, run) == oracle.trec_eval(argv, judgements, run, release)


# Few groups, sub-groups, documents and levels, in any combination: repeated lines, negative levels, contradictions.
ANY_LINES = st.lists(
    st.tuples(
        st.just("q"),
        st.sampled_from(["g", "h"]),
        st.sampled_from(["s", "t", "u"]),
        st.sampled_from("abcdef"),
        st.sampled_from(["2", "1", "0.5", "0", "-1"]),
    ),
    min_size=1,
    max_size=12,
)


@both_releases
@given(lines=ANY_LINES, documents=st.permutations("abcdxy"), depth=st.integers(0, 6))
@settings(max_examples=300)
def test_any_lines(release, lines, documents, depth, folder):
    """Where the oracle refuses, so do we; else the output is the same."""
    argv = ["-q", "-M", str(depth), "-R", "prefs", "-m", "all_prefs"]
    judgements, run = strategies.lines(lines, None), ranked(" ".join(documents))
    try:
        expected = oracle.trec_eval(argv, judgements, run, release)
    except ValueError:
        with pytest.raises(EvaluationError):
            printed(folder, argv, release, judgements, run)
    else:
        assert printed(folder, argv, release, judgements, run) == expected


@given(case=strategies.preference_cases(complete=True), unjudged=st.integers(0, 5), release=st.sampled_from(RELEASES))
@settings(max_examples=40)
def test_values_are_bounded_and_unjudged_documents_change_nothing(case, unjudged, release, folder):
    judgements = strategies.prefs_bytes(case.judgements)
    plain = values_in_full(folder, [], release, judgements, strategies.run_bytes(case.run))
    for values in plain.values():
        possible, fulfilled, fulfilled_ret, *shares = values
        assert 0 <= fulfilled_ret <= fulfilled <= possible
        assert all(0.0 <= share <= 1.0 for share in shares)
    for scores in case.run.values():
        scores.update({f"nobody judged {i}".replace(" ", "-"): 10.0**i for i in range(unjudged)})
    assert values_in_full(folder, [], release, judgements, strategies.run_bytes(case.run)) == plain


# Many documents


def distinct(n: int) -> list[str]:
    return [f"d{i:04}" for i in range(n)]


def poss_and_ful(output: str) -> tuple[int, int]:
    found = dict(line.split()[::2] for line in output.splitlines() if "\tall\t" in line)
    return int(found["prefs_num_prefs_poss"]), int(found["prefs_num_prefs_ful"])


def test_two_thousand_documents_in_a_class_form(folder):
    n = 2000
    judgements = "".join(f"q g {docno} {i // 2}\n" for i, docno in enumerate(distinct(n))).encode()
    argv = ["-R", "qrels_prefs", "-m", "all_prefs"]
    output = printed(folder, argv, "10.0", judgements, ranked(" ".join(distinct(n))))
    assert poss_and_ful(output) == (n * (n - 1) // 2 - n // 2, 0)


def test_two_thousand_documents_in_a_chain_of_sub_groups(folder):
    """Only neighbours are compared, each pair in a sub-group of its own; all other preferences follow from these."""
    n = 2000
    docnos = distinct(n)
    lines = [f"q g {i} {docnos[i + below]} {2 - below}\n" for i in range(n - 1) for below in (0, 1)]
    random.Random(3).shuffle(lines)
    argv = ["-R", "prefs", "-m", "all_prefs"]
    run = ranked(" ".join(reversed(docnos[n // 2 :])) + " " + " ".join(docnos[: n // 2]))
    output = printed(folder, argv, "10.0", "".join(lines).encode(), run)
    half = n // 2
    assert poss_and_ful(output) == (n * (n - 1) // 2, half * (half - 1) // 2)


def test_two_thousand_documents_that_contradict_each_other(folder):
    """The preferences go round; the message names a whole round, however long."""
    n = 2000
    docnos = distinct(n)
    lines = [f"q g {i} {docnos[i - below]} {2 - below}\n" for i in range(n) for below in (0, 1)]
    with pytest.raises(EvaluationError, match="expected preferences that agree within a group") as error:
        printed(folder, ["-R", "prefs", "-m", "prefs"], "10.0", "".join(lines).encode(), ranked("d0000"))
    assert str(error.value).count(" over ") == n


# Which queries


QUERIES = b"q1 g s a 2\nq1 g s b 1\nq2 g s a 2\nq2 g s b 1\nq2 g s c 0\nq3 g s a 1\nq3 g s b 1\n"


def test_missing_queries(folder):
    run = ranked("a b", "q1")
    argv = ["-q", "-c", "-R", "prefs", "-m", "prefs"]
    old, new = (printed(folder, argv, release, QUERIES, run) for release in RELEASES)
    assert "\tq2\t" not in old and "prefs_num_prefs_poss  \tall\t1\n" in old
    assert "prefs_num_prefs_poss  \tq2\t3\n" in new and "prefs_num_prefs_poss  \tall\t4\n" in new  # D3
    assert "prefs_num_prefs_ful   \tq2\t0\n" in new
    for output in (old, new):
        assert "num_q                 \tall\t3\n" in output
        assert "prefs_simp            \tall\t0.3333\n" in output


@both_releases
def test_one_query_alone(release, folder):
    run = ranked("a b", "q1") + ranked("a b", "q2")
    argv = ["-q", "-D", "0.q2", "-R", "prefs", "-m", "prefs_num_prefs_poss"]
    assert printed(folder, argv, release, QUERIES, run).split() == [
        *("prefs_num_prefs_poss", "q2", "3"),
        *("prefs_num_prefs_poss", "all", "3"),
    ]


# Ways to read


@pytest.fixture
def many(monkeypatch) -> tuple[bytes, bytes]:
    """Preferences and a run of 300 queries; files are worth a thread from the first bytes on."""
    monkeypatch.setattr(reading, "_SHARE_SIZE", 512)
    numbers = random.Random(5)
    prefs = {
        f"q{i}": {
            group: {
                subgroup: {f"d{numbers.randrange(30)}": float(numbers.randrange(3)) for _ in range(6)}
                for subgroup in ["s", "t"][: numbers.randrange(1, 2)]
            }
            for group in ["g", "h"][: numbers.randrange(1, 3)]
        }
        for i in range(300)
    }
    run = {query: {f"d{j}": float(numbers.randrange(20)) for j in range(30)} for query in prefs}
    return strategies.prefs_bytes(prefs), strategies.run_bytes(run)


ALL = ["-q", "-R", "prefs", "-m", "all_prefs"]


def test_any_number_of_threads(many, folder):
    judgements, run = many
    expected = oracle.trec_eval(ALL, judgements, run, "10.0")
    for threads in (1, 2, 5):
        assert printed(folder, ["--threads", str(threads), *ALL], "10.0", judgements, run) == expected


def test_lines_in_any_order(many, folder):
    expected = printed(folder, ALL, "10.0", *many)
    for seed in range(3):
        shuffled = []
        for text in many:
            lines = text.splitlines(keepends=True)
            random.Random(seed).shuffle(lines)
            shuffled.append(b"".join(lines))
        assert printed(folder, ["--threads", "3", *ALL], "10.0", *shuffled) == expected


def test_compressed_files(many, folder):
    expected = printed(folder, ALL, "10.0", *many)
    assert printed(folder, ALL, "10.0", gzip.compress(many[0]), gzip.compress(many[1])) == expected


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no /dev/fd here")
def test_pipes(many, folder):
    expected = printed(folder, ALL, "10.0", *many)
    pipes = [os.pipe() for _ in many]

    def write(fd: int, text: bytes) -> None:
        with open(fd, "wb") as pipe:
            pipe.write(text)

    writers = [threading.Thread(target=write, args=(pipe[1], text)) for pipe, text in zip(pipes, many, strict=True)]
    for writer in writers:
        writer.start()
    options = command.read_options([*ALL, *(f"/dev/fd/{pipe[0]}" for pipe in pipes)])
    assert b"".join(command.evaluate(options)).decode() == expected
    for writer, pipe in zip(writers, pipes, strict=True):
        writer.join()
        os.close(pipe[0])


# Errors


def fails(
    trec_eval: Callable, folder: Path, status: int, message: str, judgements: bytes, *argv: str, run: bytes = b""
) -> None:
    """The command ends with this status and message, in both releases, and prints nothing."""
    (folder / "p.txt").write_bytes(judgements)
    (folder / "r.txt").write_bytes(run or ranked("a b"))
    for release in RELEASES:
        finished = trec_eval("--compat", release, *argv, "p.txt", "r.txt", folder=folder)
        assert finished == (status, b"", f"trec_eval: {message}\n".encode())


PREFS = ("-q", "-R", "prefs", "-m", "prefs")
TWO_LEVELS = b"q g s a 2\nq g s b 1\n\nq g s a 3\n"
ZERO_AND_OTHER = b"q g s a 2\nq g s b 1\nq g t a 0\nq g t c 0\n"
CONTRADICTION = b"q u s d1 3\nq u s d2 2\nq u t d2 3\nq u t d1 2\n"
LONG_CONTRADICTION = b"q u s a 3\nq u s b 2\nq u s c 2\nq v s a 1\nq u t c 9\nq u t d 8\nq u x d 1\nq u x a 0.5\n"


@pytest.mark.parametrize(
    ("judgements", "message"),
    [
        (
            TWO_LEVELS,
            "p.txt:4: expected one level for a document in a sub-group, "
            "found document 'a' of query 'q' and group 'g' at level 3, and at level 2 on line 1",
        ),
        (
            ZERO_AND_OTHER,
            "p.txt:3: expected level 0 for a document in all sub-groups of a group or in none, "
            "found document 'a' of query 'q' and group 'g' at level 0, and at level 2 on line 1",
        ),
        (
            CONTRADICTION,
            "p.txt:4: expected preferences that agree within a group, found in query 'q' and group 'u': "
            "'d1' over 'd2' (lines 1 and 2), 'd2' over 'd1' (lines 3 and 4)",
        ),
        (
            LONG_CONTRADICTION,
            "p.txt:8: expected preferences that agree within a group, found in query 'q' and group 'u': "
            "'a' over 'c' (lines 1 and 3), 'c' over 'd' (lines 5 and 6), 'd' over 'a' (lines 7 and 8)",
        ),
    ],
    ids=["two levels", "zero and other", "contradiction", "long contradiction"],
)
def test_groups_that_cannot_be_evaluated(judgements, message, trec_eval, tmp_path):
    fails(trec_eval, tmp_path, 4, message, judgements, *PREFS)


def test_two_levels_without_sub_groups(trec_eval, tmp_path):
    message = (
        "p.txt:2: expected one level for a document in a sub-group, "
        "found document 'a' of query 'q' and group 'g' at level 1.5, and at level 2 on line 1"
    )
    fails(trec_eval, tmp_path, 4, message, b"q g a 2\nq g a 1.5\n", "-R", "qrels_prefs", "-m", "prefs_simp")


def test_levels_that_are_two_in_one_release_only(trec_eval, tmp_path):
    """Equal in 32 bits: not two levels there."""
    (tmp_path / "p.txt").write_bytes(b"q g s a 1.00000001\nq g s a 1.00000002\n")
    (tmp_path / "r.txt").write_bytes(ranked("a b"))
    for release, status in zip(RELEASES, (0, 4), strict=True):
        assert trec_eval("--compat", release, *PREFS, "p.txt", "r.txt", folder=tmp_path).status == status


@pytest.mark.parametrize("faulty", [TWO_LEVELS, ZERO_AND_OTHER, CONTRADICTION])
def test_only_evaluated_queries_have_to_be_sound(faulty, trec_eval, tmp_path):
    (tmp_path / "p.txt").write_bytes(faulty + b"good g s a 1\ngood g s b 0\n")
    (tmp_path / "one.txt").write_bytes(ranked("a b", "good"))
    (tmp_path / "both.txt").write_bytes(ranked("a b", "good") + ranked("a b"))

    def status(release: str, *arguments: str) -> int:
        return trec_eval("--compat", release, "-R", "prefs", *arguments, folder=tmp_path).status

    for release in RELEASES:
        assert status(release, "-m", "prefs", "p.txt", "one.txt") == 0
        assert status(release, "-m", "prefs", "p.txt", "both.txt") == 4
        assert status(release, "-m", "prefs", "-D", "0.good", "p.txt", "both.txt") == 0
        assert status(release, "-m", "num_q", "-m", "runid", "p.txt", "both.txt") == 0
    assert status("9.0.8", "-c", "-m", "prefs", "p.txt", "one.txt") == 0
    assert status("10.0", "-c", "-m", "prefs", "p.txt", "one.txt") == 4  # missing queries are evaluated


@pytest.mark.parametrize(
    ("rel_format", "line", "message"),
    [
        ("prefs", "q g a 1", "expected 5 fields (qid group sub-group docno level), found 4"),
        ("prefs", "q g s a 1 2", "expected 5 fields (qid group sub-group docno level), found 6"),
        ("qrels_prefs", "q g s a 1", "expected 4 fields (qid group docno level), found 5"),
        ("qrels_prefs", "q g a", "expected 4 fields (qid group docno level), found 3"),
        ("prefs", "q g s a nan", "expected a number as level, found 'nan'"),
        ("qrels_prefs", "q g a -NaN", "expected a number as level, found '-NaN'"),
        ("prefs", "q g s a\0b 1", "expected text, found a NUL byte"),
    ],
)
def test_lines_that_cannot_be_read(rel_format, line, message, trec_eval, tmp_path):
    good = "q g s b 2\n" if rel_format == "prefs" else "q g b 2\n"
    judgements = f"{good}\n{line}\n{good}".encode()
    fails(trec_eval, tmp_path, 2, f"p.txt:3: {message}", judgements, "-R", rel_format, "-m", "prefs")


def test_levels_that_are_no_numbers_to_their_end(trec_eval, tmp_path):
    judgements = b"q g s a 2\nq g s b 1,5\nq g s c high\n"
    fails(trec_eval, tmp_path, 2, "p.txt:2: expected a number as level, found '1,5'", judgements, "--strict", *PREFS)
    finished = trec_eval(*PREFS, "p.txt", "r.txt", folder=tmp_path)
    assert finished.status == 0
    assert b"prefs_num_prefs_poss  \tq\t3\n" in finished.stdout
    assert finished.stderr == (
        b"trec_eval: warning: p.txt:2: expected a number as level, found '1,5'; read up to the first character that is "
        b"no part of one, as trec_eval does (such levels: 2)\n"
    )


def test_measures_of_another_format(trec_eval, tmp_path):
    preferences = "the judgements in {} format are for preferences"
    for measure, view in (("map", "ranking"), ("P_avgjg", "judgment groups")):
        for rel_format, judgements in (("prefs", b"q g s a 2\n"), ("qrels_prefs", b"q g a 2\n")):
            message = f"can't calculate measure '{measure}': it is for {view}, {preferences.format(rel_format)}"
            fails(trec_eval, tmp_path, 4, message, judgements, "-R", rel_format, "-m", measure)
    for rel_format, view in (("qrels", "ranking"), ("qrels_jg", "judgment groups")):
        message = (
            f"can't calculate measure 'prefs_pair': it is for preferences, the judgements in {rel_format} format are "
            f"for {view}"
        )
        fails(trec_eval, tmp_path, 4, message, b"q g a 2\n", "-R", rel_format, "-m", "prefs_pair")


def test_documents_that_are_retrieved_twice(trec_eval, tmp_path):
    """Of equal scores a and b rank before the second c, so a cut after two of them hides it."""
    run = b"q Q0 c 1 1 t\nq Q0 b 2 1 t\nq Q0 c 3 1 t\nq Q0 a 4 1 t\n"
    message = "r.txt:3: expected each document once for a query, found document 'c' of query 'q' on line 1 too"
    fails(trec_eval, tmp_path, 4, message, b"q g s a 2\nq g s c 0\n", *PREFS, run=run)
    for depth, status in (("3", 0), ("4", 4)):
        assert trec_eval(*PREFS, "-M", depth, "p.txt", "r.txt", folder=tmp_path).status == status


def test_a_document_that_is_retrieved_twice_comes_before_faulty_judgements(trec_eval, tmp_path):
    run = b"q Q0 d1 1 2 t\nq Q0 d1 2 1 t\n"
    message = "r.txt:2: expected each document once for a query, found document 'd1' of query 'q' on line 1 too"
    fails(trec_eval, tmp_path, 4, message, CONTRADICTION, *PREFS, run=run)


def test_comments_and_blank_lines(folder):
    judgements = b"# a comment\n\n# another\n\xef\xbb\xbfq g s a 2\r\n  q\tg s b 1\n# the last"
    output = printed(folder, ["-R", "prefs", "-m", "prefs_num_prefs_poss"], "10.0", judgements, ranked("a b"))
    assert output.split()[2] == "0"  # the mark at a line's start that isn't the file's start belongs to the id
    judgements = judgements.replace(b"\xef\xbb\xbf", b"")
    output = printed(folder, ["-R", "prefs", "-m", "prefs_num_prefs_poss"], "10.0", judgements, ranked("a b"))
    assert output.split()[2] == "1"


# The classes below


def test_a_builder_is_for_its_formats_alone():
    with pytest.raises(ValueError, match="^a QrelsBuilder is not for lines of qid group sub-group docno level$"):
        QrelsScan(QrelsBuilder(), LINES["prefs"])
    for name in ("qrels", "qrels_jg", "run"):
        with pytest.raises(ValueError, match=f"^a PrefsBuilder is not for lines of {' '.join(LINES[name].fields)}$"):
            QrelsScan(PrefsBuilder(), LINES[name])


def test_what_a_table_says_of_its_queries(folder):
    (folder / "judgements").write_bytes(CONTRADICTION + b"good g s a 1\n")
    with Source(folder / "judgements") as source:
        table = read_qrels(source, JUDGEMENT_FORMATS["prefs"]).table
    assert (len(table), table.query_ids()) == (2, [b"good", b"q"])
    assert (table.fault(0), table.fault(1)) == (None, ("contradiction", b"u", b"d1"))
    for query in (-1, 2):
        with pytest.raises(IndexError, match=f"query {query} of 2"):
            table.fault(query)


def test_no_judgements_at_all(trec_eval, tmp_path):
    (tmp_path / "p.txt").write_bytes(b"# nothing but a comment\n")
    (tmp_path / "r.txt").write_bytes(ranked("a b"))
    assert trec_eval(*PREFS, "p.txt", "r.txt", folder=tmp_path).status == 7
