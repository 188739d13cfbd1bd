"""Random input for property tests (hypothesis), and functions that write it as the lines of files.

Input is kept in dictionaries with str ids: qrels[query][docno] = grade, run[query][docno] = score,
groups[query][group][docno] = grade, prefs[query][group][subgroup][docno] = level.
What a measure is called and which parameters it takes comes from the oracle's table.
"""

import random
from typing import Any, NamedTuple

from hypothesis import strategies as st

import oracle

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Groups = dict[str, dict[str, dict[str, int]]]
Prefs = dict[str, dict[str, dict[str, dict[str, float]]]]


class Case(NamedTuple):
    judgements: Any  # Qrels, Groups or Prefs
    run: Run


# Ids whose byte order differs from other orders: case, prefixes, numbers, UTF-8 beyond ASCII
QUERIES = ["1", "10", "2", "9", "Q1", "q1", "q~", "é"]
DOCNOS = ["a", "B", "b", "d1", "d10", "d2", "D-1", "x#1", "ß", "日本", "🙂", "z" * 40, *(f"doc{i}" for i in range(50))]
GROUPS = ["g1", "g10", "g2", "G"]

# -1 and -2: in the pool, but not judged; 12: more than a digit of relstring
GRADES = st.sampled_from([0, 0, 1, 1, 1, 2, 3, 12, -1, -2])

# Equal scores, and scores that are equal only in 32 bits
SCORES = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0, 3.0]),
    st.sampled_from([-0.0, 1e-46, 1.00000001, 1.00000002, 16777216.0, 16777217.0, 1e39, 1e40, -1e39, -2.5]),
    st.floats(-1e6, 1e6),
)


def by_docno(values: st.SearchStrategy, size: int) -> st.SearchStrategy[dict[str, Any]]:
    """docno -> value, size / 3 to size documents; the judged and the retrieved ones overlap in part."""
    docnos = st.sampled_from(DOCNOS[: size + size // 4 + 1])
    return st.dictionaries(docnos, values, min_size=max(1, size // 3), max_size=size)


@st.composite
def cases(draw, judgements=lambda size: by_docno(GRADES, size), max_queries: int = 4, complete: bool = False) -> Case:
    """Judgements and a run with a query in common; others may lack on either side, unless `complete`."""
    found = Case({}, {})
    for i, query in enumerate(draw(st.lists(st.sampled_from(QUERIES), min_size=1, max_size=max_queries, unique=True))):
        size = draw(st.sampled_from([2, 6, 12, 40]))
        where = "both" if i == 0 or complete else draw(st.sampled_from(["both", "both", "judgements", "run"]))
        if where != "run":
            found.judgements[query] = draw(judgements(size))
        if where != "judgements":
            found.run[query] = draw(by_docno(SCORES, size))
    return found


def qrels_cases(**more) -> st.SearchStrategy[Case]:
    """Graded, negative and missing judgements; queries without a relevant document, or with negative grades only."""
    return cases(**more)


def group_cases(**more) -> st.SearchStrategy[Case]:
    """Judgements of several groups, for `-R qrels_jg`."""
    return cases(lambda size: st.dictionaries(st.sampled_from(GROUPS), by_docno(GRADES, size), min_size=1), **more)


def preference_cases(max_subgroups: int = 3, **more) -> st.SearchStrategy[Case]:
    """Preferences without a contradiction inside a group, for `-R prefs`; with one sub-group for `-R qrels_prefs`."""

    def groups(size: int) -> st.SearchStrategy:
        group = group_preferences(min(size, 12), max_subgroups)
        return st.dictionaries(st.sampled_from(GROUPS), group, min_size=1, max_size=3)

    return cases(groups, **more)


@st.composite
def group_preferences(draw, size: int, max_subgroups: int) -> dict[str, dict[str, float]]:
    """One group. All its sub-groups grade by one hidden order, each on its own scale; 0 stays 0, so none contradict."""
    hidden = draw(by_docno(st.integers(0, 3), size))
    found = {}
    for i in range(draw(st.integers(1, max_subgroups))):
        levels = draw(st.lists(st.sampled_from([0.5, 1.0, 1.00000001, 1.00000002, 2.0, 3.0]), min_size=3, max_size=3))
        scale = [0.0, *sorted(levels)]
        docnos = draw(st.lists(st.sampled_from(sorted(hidden)), min_size=1, unique=True))
        found[f"s{i}"] = {docno: scale[hidden[docno]] for docno in docnos}
    return found


# Requests of measures


def texts(items: st.SearchStrategy, smallest: int = 1, largest: int = 4, unique: Any = None) -> st.SearchStrategy[str]:
    """A parameter list as it is typed."""
    return st.lists(items, min_size=smallest, max_size=largest, unique_by=unique).map(",".join)


CUTOFF = st.one_of(st.integers(1, 12), st.integers(13, 1500)).map(str)
POINT = st.one_of(
    st.sampled_from(["0", ".1", "0.25", ".254", "0.30", ".5", "0.7", "1", "1.0", "1.3", "2", "-0.5"]),
    st.integers(0, 100).map(lambda percent: str(percent / 100)),
)
REAL = st.sampled_from(["0", "1", "-1", "2", ".5", "-0.25", "3.75"])
GAIN = st.sampled_from(["0", "1", "2", "3", "9", "20", "0.4", "0.5", "0.9", "1.2", "4.5", "-1", ""])
LEVEL = st.sampled_from(["0", "1", "2", "3", "12", "+1", "9"])
ODD_KEY = st.sampled_from(["-1", "-2", "x", "", " 1", "p"])  # unjudged documents; not a number
PERSISTENCE = st.sampled_from(["p=0.5", "p=.8", "p=0.95", "p=0", "p=1"])


def pairs(keys: st.SearchStrategy = LEVEL) -> st.SearchStrategy[str]:
    return texts(st.builds("{}={}".format, keys, GAIN))


PARAMETERS = {
    "cutoffs": texts(CUTOFF, unique=int),
    "points": texts(POINT, unique=float),
    "pairs": st.one_of(pairs(), pairs(), pairs(LEVEL | ODD_KEY)),
    "reals": texts(REAL),
    "utility": texts(REAL, 4, 4),
    "relstring": st.sampled_from(["0", "1", "3.9", "20", "-2"]),
    "11pt_avg": texts(POINT),
    "set_F": texts(REAL, 1, 2),
    "rbp": st.one_of(PERSISTENCE, pairs(), st.builds("{},{}".format, PERSISTENCE, pairs())),
    "rbp_resid": PERSISTENCE,
}


def requests(release: str, format: str = "qrels", max_size: int = 6) -> st.SearchStrategy[list[str]]:
    """Arguments of `-m`, with and without parameters, each measure once: ["map", "P.1,7", "ndcg.1=3,2=9"]."""
    known = [one for one in oracle.MEASURES if release in one.releases and one.format in ("", format)]

    def with_parameters(measure: oracle.Measure) -> st.SearchStrategy[str]:
        if not measure.kind:
            return st.just(measure.name)
        parameters = PARAMETERS.get(measure.name, PARAMETERS[measure.kind])
        return st.just(measure.name) | parameters.map(lambda text: f"{measure.name}.{text}")

    chosen = st.lists(st.sampled_from(known), min_size=1, max_size=max_size, unique_by=lambda measure: measure.name)
    return chosen.flatmap(lambda measures: st.tuples(*map(with_parameters, measures))).map(list)


def asked(names: list[str]) -> list[str]:
    """The options that request these measures."""
    return [part for name in names for part in ("-m", name)]


@st.composite
def options(draw) -> list[str]:
    """Options that change values: ["-l", "2", "-J", "-c"]."""
    found = []
    for option, values in (("-l", "0123"), ("-M", ["0", "1", "2", "5", "10"]), ("-N", ["7", "100000"])):
        if draw(st.booleans()):
            found += [option, draw(st.sampled_from(values))]
    return found + [option for option in ("-J", "-c") if draw(st.booleans())]


# Files. With `order`, e.g. of st.randoms(use_true_random=False), the lines come in random order.


def lines(rows: list[tuple], order: random.Random | None) -> bytes:
    if order is not None:
        order.shuffle(rows)
    return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()


def run_bytes(run: Run, order: random.Random | None = None, tag: str = "tag") -> bytes:
    rows = [(q, "Q0", docno, 0, repr(score), tag) for q, scores in run.items() for docno, score in scores.items()]
    return lines(rows, order)


def qrels_bytes(qrels: Qrels, order: random.Random | None = None) -> bytes:
    return lines([(q, 0, docno, grade) for q, grades in qrels.items() for docno, grade in grades.items()], order)


def qrels_jg_bytes(groups: Groups, order: random.Random | None = None) -> bytes:
    rows = [(q, g, docno, n) for q, gs in groups.items() for g, grades in gs.items() for docno, n in grades.items()]
    return lines(rows, order)


def prefs_bytes(prefs: Prefs, order: random.Random | None = None, subgroups: bool = True) -> bytes:
    """For `-R prefs`; without sub-groups for `-R qrels_prefs`, where each group should have only one."""
    rows = [
        (q, g, *([s] if subgroups else []), docno, repr(level))
        for q, groups in prefs.items()
        for g, parts in groups.items()
        for s, levels in parts.items()
        for docno, level in levels.items()
    ]
    return lines(rows, order)
