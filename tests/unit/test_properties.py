"""What holds for every measure: equality with the oracle, what must not matter, and the traits of its record.

Random cases, options and parameters come from tests/strategies.py. The command's output is compared byte for byte, and
the values behind it before they are rounded.
"""

import contextlib
import math
import os
import random
import re
import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import oracle
import strategies
import treckon.measures  # noqa: F401  (fills the registry)
from comparing import assert_same_output
from treckon.cli import trec_eval as command
from treckon.errors import NoQueriesError
from treckon.evaluation.evaluator import Evaluator
from treckon.evaluation.policy import TrecEvalPolicy
from treckon.evaluation.scoring import RunFile, score_run
from treckon.inputs import reading
from treckon.inputs.formats.trec import JUDGEMENT_FORMATS
from treckon.inputs.reading import read_qrels
from treckon.inputs.sources import Source
from treckon.measures import registry
from treckon.measures.parameters import Cutoffs, Parameters
from treckon.measures.registry import (
    BOUNDED,
    GROWS_WITH_CUTOFF,
    IGNORES_LEVEL,
    IGNORES_ORDER,
    IGNORES_UNJUDGED_ORDER,
    MONOTONE,
    PERFECT_IS_1,
    VIEW_JUDGMENT_GROUPS,
    VIEW_PREFERENCES,
    VIEW_RANKING,
    VIEW_RUN,
    VIEW_SUBTOPICS,
)
from treckon.naming.syntax import parse_all
from treckon.naming.trec_eval import RequestedMeasure, request

RELEASES = oracle.RELEASES
both_releases = pytest.mark.parametrize("release", RELEASES)
few = settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
many = settings(few, max_examples=30)


def qrels_prefs_cases(**more: Any) -> st.SearchStrategy:
    return strategies.preference_cases(max_subgroups=1, **more)


def qrels_prefs_bytes(prefs: strategies.Prefs, order: random.Random | None = None) -> bytes:
    return strategies.prefs_bytes(prefs, order, subgroups=False)


#: Formats of judgements, with random cases and how their lines are written.
FORMATS = {
    "qrels": (strategies.qrels_cases, strategies.qrels_bytes),
    "qrels_jg": (strategies.group_cases, strategies.qrels_jg_bytes),
    "prefs": (strategies.preference_cases, strategies.prefs_bytes),
    "qrels_prefs": (qrels_prefs_cases, qrels_prefs_bytes),
}
every_format = pytest.mark.parametrize("format", FORMATS)

#: The format for measures that look at judgements so.
FORMAT_OF_VIEW = {VIEW_RANKING: "qrels", VIEW_JUDGMENT_GROUPS: "qrels_jg", VIEW_PREFERENCES: "prefs"}

EPSILON = 1e-12  # of traits, which hold but for rounding


class Folder:
    """Two files whose contents change from example to example."""

    def __init__(self, path: Path) -> None:
        self.qrels = path / "qrels"
        self.run = path / "run"

    def write(self, qrels: bytes, run: bytes) -> list[str]:
        self.qrels.write_bytes(qrels)
        self.run.write_bytes(run)
        return [str(self.qrels), str(self.run)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("properties"))


def printed(argv: Sequence[str], files: Sequence[str], release: str) -> bytes:
    """What the command prints; b"" where no query can be evaluated."""
    try:
        return b"".join(command.evaluate(command.read_options(["--quiet", "--compat", release, *argv, *files])))
    except NoQueriesError:
        return b""


def printed_by_oracle(argv: Sequence[str], qrels: bytes, run: bytes, release: str) -> bytes:
    try:
        return oracle.trec_eval(list(argv), qrels, run, release).encode()
    except ValueError as error:
        assert str(error) == "no query in common"
        return b""


def drawn(data: st.DataObject, release: str, format: str) -> tuple[list[str], Any, Any]:
    """Random options with measures, a case, and how its judgements are written."""
    cases, write = FORMATS[format]
    argv = [*data.draw(strategies.options()), "-R", format]
    family = "prefs" if format == "qrels_prefs" else format
    argv += strategies.asked(data.draw(strategies.requests(release, family)))
    return argv, data.draw(cases()), write


@contextlib.contextmanager
def small_shares(size: int) -> Iterator[None]:
    """Threads share files of a few bytes, which otherwise one reads alone."""
    before, reading._SHARE_SIZE = reading._SHARE_SIZE, size
    try:
        yield
    finally:
        reading._SHARE_SIZE = before


# ---- The oracle


@every_format
@both_releases
@given(data=st.data())
@many
def test_the_output_is_that_of_the_oracle(folder: Folder, release: str, format: str, data: st.DataObject):
    argv, case, write = drawn(data, release, format)
    argv += data.draw(st.sampled_from([["-q"], ["-q", "-n"], [], ["-q", "-D", ".q1"]]))
    qrels, run = write(case.judgements), strategies.run_bytes(case.run)
    files = folder.write(qrels, run)
    assert_same_output(printed_by_oracle(argv, qrels, run, release), printed(argv, files, release))


@both_releases
@given(case=strategies.qrels_cases(), options=strategies.options())
@few
def test_every_measure_at_once_is_that_of_the_oracle(folder: Folder, release: str, case: Any, options: list[str]):
    latest = ["dcg", "ideal_dcg", "rbp.p=0.5"] if release == "10.0" else []
    argv = ["-q", *options, *strategies.asked(["all_trec", "yaap", "P.1,2,3,4,6,7,8,9", *latest])]
    qrels, run = strategies.qrels_bytes(case.judgements), strategies.run_bytes(case.run)
    assert_same_output(printed_by_oracle(argv, qrels, run, release), printed(argv, folder.write(qrels, run), release))


def values_of_queries(
    files: Sequence[str], format: str, asked: Sequence[RequestedMeasure], **options: Any
) -> dict[str, list]:
    """query -> the value of each name asked for, as the engine leaves it."""
    release = options.get("release", "10.0")
    with Source(files[0]) as qrels, Source(files[1]) as run:
        judgements = read_qrels(qrels, JUDGEMENT_FORMATS[format], release=release)
        policy = TrecEvalPolicy.of(**{"release": release} | options)
        policy.check_measures(asked, judgements)
        results = score_run(judgements.table, asked, RunFile(run, release), policy, fault=judgements.fault).results
        return {os.fsdecode(results.qrels.query_id(i)): results.row(i) for i in results.evaluated()}


@every_format
@both_releases
@given(data=st.data())
@many
def test_values_are_those_of_the_oracle_to_the_last_bit(folder: Folder, release: str, format: str, data: st.DataObject):
    argv, case, write = drawn(data, release, format)
    qrels, run = write(case.judgements), strategies.run_bytes(case.run)
    options = command.read_options(["--compat", release, *argv])
    asked = request(options.measures, release).measures
    expected = oracle.evaluate(argv, qrels, run, release).per_query
    found = values_of_queries(
        folder.write(qrels, run),
        format,
        asked,
        release=release,
        level=options.level,
        depth=options.depth,
        condensed=options.condensed,
        n_docs=options.n_docs,
        complete=options.complete,
    )
    assert list(found) == list(expected)
    for query, named in expected.items():
        values = [
            (one.name, value.decode() if isinstance(value, bytes) else value)
            for one, value in zip(asked, found[query], strict=True)
            if one.record.per_query
        ]
        assert values == [(name, value) for name, value in named], query
        assert [bits(value) for _, value in values] == [bits(value) for _, value in named], "a zero's sign"


def bits(value: Any) -> Any:
    """What tells -0.0, which prints as -0.0000, from 0.0."""
    return value if isinstance(value, str) else struct.pack("<d", value)


@both_releases
@given(data=st.data())
@few
def test_long_rankings_are_those_of_the_oracle(folder: Folder, release: str, data: st.DataObject):
    """A query of hundreds of documents with few distinct scores, whose lines come in any order."""
    rng = data.draw(st.randoms(use_true_random=False))
    n = rng.randrange(100, 400)
    documents = [f"doc-{i}" for i in range(n)]
    qrels = {q: {d: rng.choice([0, 0, 1, 2, -1]) for d in rng.sample(documents, n // 4)} for q in ("q1", "q2")}
    run = {q: {d: float(rng.randrange(n // 3)) for d in rng.sample(documents, n // 2)} for q in ("q1", "q2")}
    written = strategies.qrels_bytes(qrels, rng), strategies.run_bytes(run, rng)
    argv = ["-q", *data.draw(strategies.options()), "-m", "all_trec", "-m", "relstring.500"]
    files = folder.write(*written)
    assert_same_output(printed_by_oracle(argv, *written, release), printed(argv, files, release))


# ---- What must not matter


@every_format
@both_releases
@given(data=st.data(), order=st.randoms(use_true_random=False))
@few
def test_lines_may_come_in_any_order(
    folder: Folder, release: str, format: str, data: st.DataObject, order: random.Random
):
    argv, case, write = drawn(data, release, format)
    expected = printed(["-q", *argv], folder.write(write(case.judgements), strategies.run_bytes(case.run)), release)
    files = folder.write(write(case.judgements, order), strategies.run_bytes(case.run, order))
    assert printed(["-q", *argv], files, release) == expected


@every_format
@both_releases
@given(data=st.data())
@few
def test_a_rising_map_of_the_scores_changes_nothing(folder: Folder, release: str, format: str, data: st.DataObject):
    argv, case, write = drawn(data, release, format)
    stored = {oracle.files.stored(score, release) for scores in case.run.values() for score in scores.values()}
    # As many other numbers that differ in 32 bits too.
    others = data.draw(st.sets(st.integers(-(2**24), 2**24), min_size=len(stored), max_size=len(stored)))
    scale = data.draw(st.sampled_from([1.0, 2.0**-30, 2.0**60]))
    other = dict(zip(sorted(stored), [number * scale for number in sorted(others)], strict=True))
    mapped = {
        query: {docno: other[oracle.files.stored(score, release)] for docno, score in scores.items()}
        for query, scores in case.run.items()
    }
    qrels = write(case.judgements)
    expected = printed(["-q", *argv], folder.write(qrels, strategies.run_bytes(case.run)), release)
    assert printed(["-q", *argv], folder.write(qrels, strategies.run_bytes(mapped)), release) == expected


@every_format
@both_releases
@given(data=st.data(), shares=st.sampled_from([2, 3, 5, 8]), size=st.integers(1, 60))
@few
def test_the_number_of_threads_changes_nothing(
    folder: Folder, release: str, format: str, data: st.DataObject, shares: int, size: int
):
    """Several threads, with shares of a line or less; with lines in any order too."""
    argv, case, write = drawn(data, release, format)
    order = data.draw(st.none() | st.randoms(use_true_random=False))
    files = folder.write(write(case.judgements), strategies.run_bytes(case.run, order))
    expected = printed(["-q", "--threads", "1", *argv], files, release)
    with small_shares(size):
        assert printed(["-q", "--threads", str(shares), *argv], files, release) == expected


@given(data=st.data())
@few
def test_what_else_is_asked_for_changes_nothing(folder: Folder, data: st.DataObject):
    """No measure sees another one's parameters or the state that it left."""
    argv, case, write = drawn(data, "10.0", "qrels")
    files = folder.write(write(case.judgements), strategies.run_bytes(case.run))
    measures = [word for option, word in zip(argv, argv[1:], strict=False) if option == "-m"]
    options = argv[: argv.index("-m")]
    alone = [printed(["-q", *options, "-m", one], files, "10.0").splitlines(True) for one in measures]
    together = printed(["-q", *options, *strategies.asked(measures)], files, "10.0").splitlines(True)
    assert sorted(line for lines in alone for line in lines) == sorted(together)


# ---- Numbers


WILD = st.sampled_from("1e308 -1e308 1e-320 -1e-320 0 -0 1e17 -1e17 3 0.1 -2 9007199254740993 1e154 -1e154".split())
WILD_CUTOFF = st.sampled_from(["1", "2", "3", "1000", "9223372036854775807", "4611686018427387904"])
WILD_KEY = st.sampled_from(["-1", "-2", "0", "1", "2", "12", "2147483647", "9223372036854775807", "-3"])


def wild_parameters(measure: oracle.Measure) -> st.SearchStrategy[str]:
    lists = st.lists(WILD, min_size=1, max_size=4)
    if measure.name == "utility":
        lists = st.lists(WILD, min_size=4, max_size=4)
    keys = WILD_KEY | st.just("p") if measure.name.startswith("rbp") else WILD_KEY
    return {
        "cutoffs": st.lists(WILD_CUTOFF, min_size=1, max_size=3, unique_by=int),
        "points": st.lists(WILD, min_size=1, max_size=3, unique_by=float),
        "reals": lists,
        "pairs": st.lists(st.builds("{}={}".format, keys, WILD), min_size=1, max_size=4),
    }[measure.kind].map(",".join)


@both_releases
@given(data=st.data())
@many
def test_nothing_but_numbers_is_ever_printed(folder: Folder, release: str, data: st.DataObject):
    """No NaN and no infinity, whatever the parameters and options are, and no end of time or memory."""
    case = data.draw(strategies.qrels_cases())
    for grades in case.judgements.values():
        grades[data.draw(st.sampled_from(strategies.DOCNOS[:3]))] = data.draw(st.sampled_from([2**31 - 1, 10**9, 7]))
    known = [one for one in oracle.MEASURES if one.kind and one.format == "qrels" and release in one.releases]
    chosen = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=5, unique_by=lambda one: one.name))
    argv = data.draw(strategies.options())
    argv += ["-N", data.draw(st.sampled_from(["0", "9223372036854775807", "-9223372036854775808"]))]
    for measure in chosen:
        argv += ["-m", f"{measure.name}.{data.draw(wild_parameters(measure))}"]
    files = folder.write(strategies.qrels_bytes(case.judgements), strategies.run_bytes(case.run))
    for line in printed(["-q", *argv], files, release).splitlines():
        name, _, value = line.split(b"\t")
        assert re.fullmatch(rb" *-?[0-9]+\.[0-9]{4}|'[-.>0-9]*'", value), line


# ---- Traits
#
# A trait holds with the default parameters and with any cutoff. Each record that claims one is tried, all of a kind at
# once: those by the field's names, and trec_eval's by the format of judgements that they are for.

MEASURES = [one for one in registry.all_measures() if one.view not in (VIEW_RUN, VIEW_SUBTOPICS)]
TRAITS = (BOUNDED, PERFECT_IS_1, MONOTONE, GROWS_WITH_CUTOFF, IGNORES_LEVEL, IGNORES_ORDER, IGNORES_UNJUDGED_ORDER)
KINDS = ("field", *FORMAT_OF_VIEW.values())
CUTOFFS = (1, 2, 3, 5, 8, 13, 1000)


def kind_of(measure: registry.MeasureRecord) -> str:
    return "field" if measure.since is None else FORMAT_OF_VIEW[measure.view]


class Claim(NamedTuple):
    """A measure that claims a trait, with the names of its values; those of the cutoffs come last, by rising cutoff."""

    measure: registry.MeasureRecord
    names: list[str]
    asked: list[Any]


def claim_of(measure: registry.MeasureRecord) -> Claim:
    if measure.since is None:
        at = getattr(measure.parameter_kind, "at", None)
        numbers = () if at is None else CUTOFFS if at == "cutoff" else (0.0, 0.3, 0.5, 1.0)
        bare = [] if numbers and measure.parameter_kind.at_required else [measure.name]
        names = bare + [f"{measure.name}@{number}" for number in numbers]
        return Claim(measure, names, list(parse_all(names)))
    settings = measure.parameter_kind.defaults()
    if isinstance(measure.parameter_kind, Cutoffs):
        settings = tuple(Parameters(f"_{cutoff}", cutoff=cutoff) for cutoff in CUTOFFS)
    asked = [RequestedMeasure(measure, one) for one in settings]
    return Claim(measure, [one.name for one in asked], asked)


CLAIMS = {
    (trait, kind): [claim_of(one) for one in MEASURES if kind_of(one) == kind and trait in one.traits]
    for trait in TRAITS
    for kind in KINDS
}


def claimed(trait: str) -> Any:
    """Parametrizes a test by the kinds of measures that claim a trait."""
    return pytest.mark.parametrize("kind", [kind for kind in KINDS if CLAIMS[trait, kind]])


Values = dict[str, dict[str, float | str]]  # query -> printed name -> value


def values_of(
    claims: Sequence[Claim],
    folder: Folder,
    case: Any,
    *,
    level: int = 1,
    depth: int | None = None,
    condensed: bool = False,
) -> Values:
    """The values that measures of one kind have for a case.

    Those by trec_eval's names are evaluated as the command does, others as `treckon.evaluate` does.
    """
    names = [name for claim in claims for name in claim.names]
    asked = [one for claim in claims for one in claim.asked]
    kind = kind_of(claims[0].measure)
    if kind == "field":
        unjudged = "condensed" if condensed else "nonrelevant"
        evaluator = Evaluator(case.judgements, asked, level=level, depth=depth, unjudged=unjudged)
        found = {query: list(row.values()) for query, row in evaluator.evaluate(case.run).per_query.items()}
    else:
        files = folder.write(FORMATS[kind][1](case.judgements), strategies.run_bytes(case.run))
        found = values_of_queries(files, kind, asked, level=level, depth=depth, condensed=condensed)
    return {query: dict(zip(names, row, strict=True)) for query, row in found.items()}


def cases_of(kind: str, **more: Any) -> st.SearchStrategy:
    return FORMATS["qrels" if kind == "field" else kind][0](max_queries=2, **more)


def judged(case: Any, query: str) -> set[str]:
    """The documents that the judgements of a query name."""
    found, rest = set(), [case.judgements[query]]
    while rest:
        for key, value in rest.pop().items():
            if isinstance(value, dict):
                rest.append(value)
            else:
                found.add(key)
    return found


def ranked(scores: dict[str, float], kind: str) -> list[str]:
    """Document ids by falling score; of equal ones the greater id comes first, for preferences the lesser one."""
    ids = sorted(scores, key=lambda docno: docno.encode(), reverse=kind != "prefs")
    return sorted(ids, key=lambda docno: -scores[docno])


def scored(documents: Sequence[str]) -> dict[str, float]:
    return {docno: float(len(documents) - i) for i, docno in enumerate(documents)}


def close(one: Any, other: Any) -> bool:
    return one == other if isinstance(one, str | bytes) else math.isclose(one, other, rel_tol=EPSILON, abs_tol=EPSILON)


LEVELS = st.integers(0, 3)


@claimed(BOUNDED)
@given(data=st.data())
@few
def test_trait_bounded(folder: Folder, kind: str, data: st.DataObject):
    """Never below 0, never above 1, at any relevance level and depth, with and without unjudged documents."""
    depth = data.draw(st.sampled_from([None, None, 1, 3, 10] if kind == "field" else [None, None, 0, 1, 3, 10]))
    options = {"level": data.draw(LEVELS), "depth": depth, "condensed": data.draw(st.booleans())}
    for row in values_of(CLAIMS[BOUNDED, kind], folder, data.draw(cases_of(kind)), **options).values():
        for name, value in row.items():
            assert -EPSILON <= value <= 1 + EPSILON, name


@claimed(PERFECT_IS_1)
@given(data=st.data())
@few
def test_trait_perfect_is_1(folder: Folder, kind: str, data: st.DataObject):
    """All judged documents by falling grade score 1, where one is relevant and has a gain."""
    grades = data.draw(strategies.by_docno(strategies.GRADES, data.draw(st.sampled_from([2, 6, 12, 40]))))
    level = data.draw(LEVELS)
    assume(max(grades.values()) >= max(level, 1))
    best = sorted((docno for docno, grade in grades.items() if grade >= 0), key=lambda docno: -grades[docno])
    case = strategies.Case({"q": grades}, {"q": scored(best)})
    for name, value in values_of(CLAIMS[PERFECT_IS_1, kind], folder, case, level=level)["q"].items():
        assert math.isclose(value, 1, rel_tol=EPSILON), name


@claimed(MONOTONE)
@given(data=st.data())
@few
def test_trait_monotone(folder: Folder, kind: str, data: st.DataObject):
    """Exchanging a document with a worse one directly above it never lowers the value."""
    case = data.draw(cases_of(kind, complete=True))
    query = min(case.run)
    grades, documents = case.judgements[query], ranked(case.run[query], kind)
    worth = [max(grades.get(docno, -1), -1) for docno in documents]
    below_worse = [i for i in range(1, len(documents)) if worth[i] > worth[i - 1]]
    assume(below_worse)
    i = data.draw(st.sampled_from(below_worse))
    exchanged = [*documents[: i - 1], documents[i], documents[i - 1], *documents[i + 1 :]]
    level = data.draw(LEVELS)
    before, after = (
        values_of(CLAIMS[MONOTONE, kind], folder, strategies.Case({query: grades}, {query: scored(order)}), level=level)
        for order in (documents, exchanged)
    )
    for name, value in before[query].items():
        assert after[query][name] >= value - EPSILON, name


@claimed(GROWS_WITH_CUTOFF)
@given(data=st.data())
@few
def test_trait_grows_with_cutoff(folder: Folder, kind: str, data: st.DataObject):
    """Never falls from one cutoff to a greater one."""
    claims = CLAIMS[GROWS_WITH_CUTOFF, kind]
    for row in values_of(claims, folder, data.draw(cases_of(kind)), level=data.draw(LEVELS)).values():
        for claim in claims:
            growing = [row[name] for name in claim.names[-len(CUTOFFS) :]]
            assert all(low <= high + EPSILON for low, high in pairwise(growing)), claim.measure


@claimed(IGNORES_LEVEL)
@given(data=st.data())
@few
def test_trait_ignores_level(folder: Folder, kind: str, data: st.DataObject):
    """The relevance level changes nothing."""
    case = data.draw(cases_of(kind))
    claims = CLAIMS[IGNORES_LEVEL, kind]
    expected = values_of(claims, folder, case, level=1)
    for level in (0, 2, 13, 2**40):
        found = values_of(claims, folder, case, level=level)
        assert list(found) == list(expected)
        for query, row in expected.items():
            assert not [name for name, value in row.items() if found[query][name] != value]


@claimed(IGNORES_ORDER)
@given(data=st.data(), order=st.randoms(use_true_random=False))
@few
def test_trait_ignores_order(folder: Folder, kind: str, data: st.DataObject, order: random.Random):
    """The retrieved documents may be put in any order."""
    case = data.draw(cases_of(kind))
    shuffled = {query: scored(order.sample(list(scores), len(scores))) for query, scores in case.run.items()}
    assert_close(IGNORES_ORDER, kind, folder, case, shuffled, data.draw(LEVELS))


@claimed(IGNORES_UNJUDGED_ORDER)
@given(data=st.data(), order=st.randoms(use_true_random=False))
@few
def test_trait_ignores_unjudged_order(folder: Folder, kind: str, data: st.DataObject, order: random.Random):
    """Unpooled documents may be put anywhere."""
    case = data.draw(cases_of(kind, complete=True))
    moved = {}
    for query, scores in case.run.items():
        named = judged(case, query)
        pooled = iter([docno for docno in ranked(scores, kind) if docno in named])
        unpooled = [docno for docno in scores if docno not in named]
        places = set(order.sample(range(len(scores)), len(unpooled)))
        order.shuffle(unpooled)
        moved[query] = scored([unpooled.pop() if i in places else next(pooled) for i in range(len(scores))])
    assert_close(IGNORES_UNJUDGED_ORDER, kind, folder, case, moved, data.draw(LEVELS))


def assert_close(trait: str, kind: str, folder: Folder, case: Any, run: strategies.Run, level: int) -> None:
    """Another run of a case has the same values, but for rounding."""
    claims = CLAIMS[trait, kind]
    values = values_of(claims, folder, case, level=level)
    others = values_of(claims, folder, case._replace(run=run), level=level)
    assert list(values) == list(others)
    for query, row in values.items():
        for name, value in row.items():
            assert close(value, others[query][name]), name


def test_every_claim_has_its_test():
    claims = [(one.name, trait) for one in MEASURES for trait in one.traits]
    tested = [(claim.measure.name, trait) for (trait, _), found in CLAIMS.items() for claim in found]
    assert sorted(claims) == sorted(tested)
