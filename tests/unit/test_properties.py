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
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import oracle
import strategies
import treckon.measures  # noqa: F401  (fills the registry)
from comparing import assert_same_output
from treckon import reading, registry
from treckon.cli import trec_eval as command
from treckon.errors import NoQueriesError
from treckon.evaluator import Evaluator
from treckon.files import Source
from treckon.names import Asked, request
from treckon.params import Cutoffs, Setting
from treckon.reading import read_qrels
from treckon.registry import (
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
)
from treckon.trec_evaluation import evaluate_run

RELEASES = oracle.RELEASES
both_releases = pytest.mark.parametrize("release", RELEASES)
few = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
many = settings(few, max_examples=50)


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


def values_of_queries(files: Sequence[str], format: str, asked: Sequence[Asked], **options: Any) -> dict[str, list]:
    """query -> the value of each name asked for, as the engine leaves it."""
    release = options.get("release", "10.0")
    with Source(files[0]) as qrels, Source(files[1]) as run:
        evaluation = evaluate_run(read_qrels(qrels, format, release=release), asked, run, **options)
        results = evaluation.results
        return {os.fsdecode(results.qrels.query_id(i)): results.row(i) for i in results.evaluated()}


@every_format
@both_releases
@given(data=st.data())
@many
def test_values_are_those_of_the_oracle_to_the_last_bit(folder: Folder, release: str, format: str, data: st.DataObject):
    argv, case, write = drawn(data, release, format)
    qrels, run = write(case.judgements), strategies.run_bytes(case.run)
    options = command.read_options(["--compat", release, *argv])
    asked = request(options.measures, release).asked
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
            if one.measure.per_query
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
# A trait holds with the default parameters and with any cutoff. Each record that claims one is tried.

MEASURES = [one for one in registry.all_measures() if one.view != VIEW_RUN]

CUTOFFS = (1, 2, 3, 5, 8, 13, 1000)


def claiming(trait: str) -> Any:
    """Parametrizes a test by the measures whose records claim a trait."""
    claim = [one for one in MEASURES if trait in one.traits]
    ids = [f"{one.name} (field)" if one.since is None else one.name for one in claim]
    return pytest.mark.parametrize("measure", claim, ids=ids)


def settings_of(measure: registry.Measure) -> list[Setting]:
    """Those of the bare name, and cutoffs."""
    if isinstance(measure.parameters, Cutoffs):
        return [Setting(f"_{cutoff}", cutoff=cutoff) for cutoff in CUTOFFS]
    return list(measure.parameters.defaults())


def texts_of(measure: registry.Measure) -> list[str]:
    """The same of a measure by a field's name."""
    kind = measure.parameters
    at = getattr(kind, "at", None)
    numbers = [] if at is None else CUTOFFS if at == "cutoff" else (0.0, 0.3, 0.5, 1.0)
    bare = [] if numbers and kind.at_required else [measure.name]
    return bare + [f"{measure.name}@{number}" for number in numbers]


Values = dict[str, list[float | str]]  # query -> a value for each setting


def values_of(measure: registry.Measure, case: Any, *, level: int = 1, depth: int | None = None, **more: Any) -> Values:
    """Values of a case for each setting of a measure.

    Measures by trec_eval's names are evaluated as the command does, others as `treckon.evaluate` does.
    """
    if measure.since is None:
        unjudged = "condensed" if more.get("condensed") else "nonrelevant"
        evaluator = Evaluator(case.judgements, texts_of(measure), level=level, depth=depth, unjudged=unjudged)
        evaluation = evaluator.evaluate(case.run)
        return {query: list(values.values()) for query, values in evaluation.per_query.items()}
    format = FORMAT_OF_VIEW[measure.view]
    files = values_of.folder.write(FORMATS[format][1](case.judgements), strategies.run_bytes(case.run))
    asked = [Asked(measure, one) for one in settings_of(measure)]
    return values_of_queries(files, format, asked, level=level, depth=depth, **more)


@pytest.fixture(autouse=True, scope="module")
def _folder_of_values(folder: Folder) -> None:
    values_of.folder = folder


def cases_of(measure: registry.Measure, **more: Any) -> st.SearchStrategy:
    return FORMATS[FORMAT_OF_VIEW[measure.view]][0](max_queries=2, **more)


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


def close(one: Any, other: Any) -> bool:
    return one == other if isinstance(one, (str, bytes)) else math.isclose(one, other, rel_tol=EPSILON, abs_tol=EPSILON)


def ranked(scores: dict[str, float], docno_falls: bool = True) -> list[str]:
    """Document ids by falling score, equal ones by falling id."""
    ids = sorted(scores, key=lambda docno: docno.encode(), reverse=docno_falls)
    return sorted(ids, key=lambda docno: -scores[docno])


def scored(documents: Sequence[str]) -> dict[str, float]:
    return {docno: float(len(documents) - i) for i, docno in enumerate(documents)}


@claiming(BOUNDED)
@given(data=st.data())
@settings(few, max_examples=10)
def test_trait_bounded(measure: registry.Measure, data: st.DataObject):
    """Never below 0, never above 1, at any relevance level and depth, with and without unjudged documents."""
    case = data.draw(cases_of(measure))
    level, depth = data.draw(st.integers(0, 3)), data.draw(st.sampled_from([None, None, 0, 1, 3, 10]))
    values = values_of(measure, case, level=level, depth=depth, condensed=data.draw(st.booleans()))
    for value in (value for row in values.values() for value in row):
        assert -EPSILON <= value <= 1 + EPSILON


@claiming(PERFECT_IS_1)
@given(data=st.data())
@settings(few, max_examples=10)
def test_trait_perfect_is_1(measure: registry.Measure, data: st.DataObject):
    """All judged documents by falling grade score 1, where one is relevant and has a gain."""
    grades = data.draw(strategies.by_docno(strategies.GRADES, data.draw(st.sampled_from([2, 6, 12, 40]))))
    level = data.draw(st.integers(0, 3))
    assume(max(grades.values()) >= max(level, 1))
    judged = sorted((docno for docno, grade in grades.items() if grade >= 0), key=lambda docno: -grades[docno])
    case = strategies.Case({"q": grades}, {"q": scored(judged)})
    for value in values_of(measure, case, level=level)["q"]:
        assert math.isclose(value, 1, rel_tol=EPSILON)


@claiming(MONOTONE)
@given(data=st.data())
@settings(few, max_examples=10)
def test_trait_monotone(measure: registry.Measure, data: st.DataObject):
    """Exchanging a document with a worse one directly above it never lowers the value."""
    case = data.draw(cases_of(measure, complete=True))
    query = min(case.run)
    grades, documents = case.judgements[query], ranked(case.run[query])
    worth = [max(grades.get(docno, -1), -1) for docno in documents]
    below_worse = [i for i in range(1, len(documents)) if worth[i] > worth[i - 1]]
    assume(below_worse)
    i = data.draw(st.sampled_from(below_worse))
    exchanged = [*documents[: i - 1], documents[i], documents[i - 1], *documents[i + 1 :]]
    level = data.draw(st.integers(0, 3))
    before, after = (
        values_of(measure, strategies.Case({query: grades}, {query: scored(order)}), level=level)[query]
        for order in (documents, exchanged)
    )
    for low, high in zip(before, after, strict=True):
        assert high >= low - EPSILON


@claiming(GROWS_WITH_CUTOFF)
@given(data=st.data())
@settings(few, max_examples=10)
def test_trait_grows_with_cutoff(measure: registry.Measure, data: st.DataObject):
    """Never falls from one cutoff to a greater one."""
    case = data.draw(cases_of(measure))
    values = values_of(measure, case, level=data.draw(st.integers(0, 3)))
    for row in values.values():
        growing = row[-len(CUTOFFS) :]
        assert all(low <= high + EPSILON for low, high in zip(growing, growing[1:], strict=False))


@claiming(IGNORES_LEVEL)
@given(data=st.data())
@settings(few, max_examples=10)
def test_trait_ignores_level(measure: registry.Measure, data: st.DataObject):
    """The relevance level changes nothing."""
    case = data.draw(cases_of(measure))
    first, *others = (values_of(measure, case, level=level) for level in (0, 1, 2, 13, 2**40))
    assert all(other == first for other in others)


@claiming(IGNORES_ORDER)
@given(data=st.data(), order=st.randoms(use_true_random=False))
@settings(few, max_examples=10)
def test_trait_ignores_order(measure: registry.Measure, data: st.DataObject, order: random.Random):
    """The retrieved documents may be put in any order."""
    case = data.draw(cases_of(measure))
    shuffled = {query: scored(order.sample(list(scores), len(scores))) for query, scores in case.run.items()}
    level = data.draw(st.integers(0, 3))
    values = values_of(measure, case, level=level)
    others = values_of(measure, case._replace(run=shuffled), level=level)
    assert list(values) == list(others)
    for query in values:
        assert all(map(close, values[query], others[query]))


@claiming(IGNORES_UNJUDGED_ORDER)
@given(data=st.data(), order=st.randoms(use_true_random=False))
@settings(few, max_examples=10)
def test_trait_ignores_unjudged_order(measure: registry.Measure, data: st.DataObject, order: random.Random):
    """Unpooled documents may be put anywhere."""
    case = data.draw(cases_of(measure, complete=True))
    moved = {}
    for query, scores in case.run.items():
        named = judged(case, query)
        pooled = iter(
            [docno for docno in ranked(scores, docno_falls=measure.view != VIEW_PREFERENCES) if docno in named]
        )
        unpooled = [docno for docno in scores if docno not in named]
        places = set(order.sample(range(len(scores)), len(unpooled)))
        order.shuffle(unpooled)
        moved[query] = scored([unpooled.pop() if i in places else next(pooled) for i in range(len(scores))])
    level = data.draw(st.integers(0, 3))
    assert values_of(measure, case, level=level) == values_of(measure, case._replace(run=moved), level=level)


def test_every_trait_has_its_test():
    tried = {BOUNDED, PERFECT_IS_1, MONOTONE, GROWS_WITH_CUTOFF, IGNORES_LEVEL, IGNORES_ORDER, IGNORES_UNJUDGED_ORDER}
    claimed = {trait for one in registry.all_measures() for trait in one.traits}
    assert claimed <= tried
    assert all(one in MEASURES for one in registry.all_measures() if one.traits)
    assert all(one.view in FORMAT_OF_VIEW for one in MEASURES)
