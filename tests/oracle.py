"""trec_eval again in naive, slow, plain Python: the reference of the tests.

`trec_eval(argv, qrels, run, release)` gives what our command prints, `evaluate(...)` the same values in full precision.
Both follow the reference's releases 9.0.8 and 10.0 with our departures (D1, D2, ... in `docs/differences.md`).
Nothing of treckon is imported; test_oracle.py holds the oracle to the reference's recorded output.

Here: options, the table of measures, parameters, the choice of queries, summaries, printing (spec 01). Beside it:
oracle_files.py (input), oracle_measures.py and oracle_prefs.py (one small function a measure; spec 02).
Where trec_eval ends with an error, the oracle raises ValueError. Comments name the section of our specification.
"""

import getopt
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import oracle_files as files
import oracle_measures as m
import oracle_prefs as prefs

RELEASES = ("9.0.8", "10.0")

Value = int | float | str
Named = list[tuple[str, Value]]  # printed name -> value, in the order of printing; names can repeat


class Result(NamedTuple):
    per_query: dict[str, Named]  # queries in the order of printing
    summary: Named


# Measures (01, section 7)


def nothing(query: Any) -> float:
    return 0


class Measure(NamedTuple):
    name: str
    value: Callable[..., Value] = nothing  # of a query, and of one parameter if `kind` is set
    kind: str = ""  # of the parameters: "cutoffs", "points" (a line for each), "reals", "pairs" (one line)
    default: Any = None
    summary: str = "mean"  # "sum", "geometric mean", "count", "run id", "" (not in the summary)
    per_query: bool = True
    missing: Callable[[Any], Value] = nothing  # 10.0 with -c: value of a query that is not in the run (D3)
    format: str = "qrels"  # "" for any
    releases: tuple[str, ...] = RELEASES


CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
LATEST = ("10.0",)


def preference(name: str, value: Callable[..., Value], summary: str = "mean", missing: Any = nothing) -> Measure:
    return Measure("prefs_" + name, value, summary=summary, missing=missing, format="prefs")


MEASURES = [  # in the order of printing
    Measure("runid", summary="run id", per_query=False, format=""),
    Measure("num_q", summary="count", per_query=False, format=""),
    Measure("num_ret", m.num_ret, summary="sum"),
    Measure("num_rel", m.num_rel, summary="sum", missing=m.num_rel),
    Measure("num_rel_ret", m.num_rel_ret, summary="sum"),
    Measure("map", m.average_precision),
    Measure("gm_map", m.log_average_precision, summary="geometric mean", per_query=False, missing=m.log_floor),
    Measure("Rprec", m.r_precision),
    Measure("bpref", m.bpref),
    Measure("recip_rank", m.reciprocal_rank),
    Measure("iprec_at_recall", m.interpolated_precision, "points", ELEVEN_POINTS),
    Measure("P", m.precision, "cutoffs", CUTOFFS),
    Measure("relstring", m.relstring, "reals", (10.0,), summary="", missing=lambda query: ""),
    Measure("recall", m.recall, "cutoffs", CUTOFFS),
    Measure("infAP", m.inferred_average_precision),
    Measure("gm_bpref", m.log_bpref, summary="geometric mean", per_query=False, missing=m.log_floor),
    Measure("Rprec_mult", m.r_precision_multiple, "points", MULTIPLES),
    Measure("utility", m.utility, "reals", (1.0, -1.0, 0.0, 0.0)),
    Measure("11pt_avg", m.eleven_point_average, "reals", ELEVEN_POINTS),
    Measure("binG", m.bin_g),
    Measure("G", m.g, "pairs", ()),
    Measure("dcg", m.dcg, "pairs", (), releases=LATEST),
    Measure("ideal_dcg", m.ideal_dcg, "pairs", (), releases=LATEST, missing=m.ideal_dcg),
    Measure("ndcg", m.ndcg, "pairs", ()),
    Measure("ndcg_rel", m.ndcg_rel, "pairs", ()),
    Measure("Rndcg", m.r_ndcg, "pairs", ()),
    Measure("ndcg_cut", m.ndcg_cut, "cutoffs", CUTOFFS),
    Measure("map_cut", m.average_precision_cut, "cutoffs", CUTOFFS),
    Measure("relative_P", m.relative_precision, "cutoffs", CUTOFFS),
    Measure("success", m.success, "cutoffs", (1, 5, 10)),
    Measure("set_P", m.set_precision),
    Measure("set_relative_P", m.set_relative_precision),
    Measure("set_recall", m.set_recall),
    Measure("set_map", m.set_average_precision),
    Measure("set_F", m.set_f, "reals", (1.0,)),
    Measure("num_nonrel_judged_ret", m.num_nonrel_judged_ret, summary="sum"),
    preference("num_prefs_poss", prefs.num_prefs_poss, "sum", missing=prefs.num_prefs_poss),
    preference("num_prefs_ful", prefs.num_prefs_ful, "sum"),
    preference("num_prefs_ful_ret", prefs.num_prefs_ful_ret, "sum"),
    preference("simp", prefs.simp),
    preference("pair", prefs.pair),
    preference("avgjg", prefs.avgjg),
    preference("avgjg_Rnonrel", prefs.avgjg_rnonrel),
    preference("simp_ret", prefs.simp_ret),
    preference("pair_ret", prefs.pair_ret),
    preference("avgjg_ret", prefs.avgjg_ret),
    preference("avgjg_Rnonrel_ret", prefs.avgjg_rnonrel_ret),
    preference("simp_imp", prefs.simp_imp),
    preference("pair_imp", prefs.pair_imp),
    preference("avgjg_imp", prefs.avgjg_imp),
    Measure("map_avgjg", m.map_avgjg, format="qrels_jg"),
    Measure("P_avgjg", m.precision_avgjg, "cutoffs", CUTOFFS, format="qrels_jg"),
    Measure("Rprec_mult_avgjg", m.r_precision_multiple_avgjg, "points", MULTIPLES, format="qrels_jg"),
    Measure("yaap", m.yaap, missing=m.yaap_missing),
    Measure("rbp", m.rbp, "pairs", (), releases=LATEST),
    Measure("rbp_resid", m.rbp_resid, "pairs", (), releases=LATEST),
    Measure("unj", m.unjudged, "cutoffs", (5, 10, 20), releases=LATEST),
]

OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
PREFS = "prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg"
NICKNAMES = {  # 01, 1.2
    "official": OFFICIAL,
    "set": "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F",
    "all_trec": OFFICIAL
    + " relstring recall infAP gm_bpref utility 11pt_avg ndcg relative_P Rprec_mult success map_cut ndcg_cut ndcg_rel"
    + " Rndcg binG G set_P set_recall set_relative_P set_map set_F num_nonrel_judged_ret rbp rbp_resid unj",
    "all_prefs": "runid num_q " + " ".join(measure.name for measure in MEASURES if measure.format == "prefs"),
    "prefs": "runid num_q " + PREFS,
    "qrels_jg": "runid num_q map_avgjg P_avgjg Rprec_mult_avgjg",
}


# Options (01, section 1)

LONG = {  # "=" marks an argument
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",
    "Zscore=": "-Z",
}
SHORT = {"--" + name.rstrip("="): short for name, short in LONG.items()}


class Options:
    def __init__(self, argv: list[str]) -> None:
        pairs, self.files = getopt.gnu_getopt(argv, "qm:cl:nD:JN:M:R:T:oZ:", list(LONG))
        pairs = [(SHORT.get(option, option), argument) for option, argument in pairs]
        last = dict(pairs)  # the last one wins
        self.per_query = "-q" in last
        self.summary = "-n" not in last
        self.complete = "-c" in last
        self.judged_only = "-J" in last
        self.zscores = last.get("-Z")
        self.level = int(last.get("-l", 1))
        self.collection_size = int(last.get("-N", 0))
        self.depth = int(last.get("-M", 2147483647))
        self.format = last.get("-R", "qrels")
        only = [argument.partition(".") for option, argument in pairs if option == "-D" and "." in argument]
        self.only_query = only[-1][2].encode() if only else None
        self.requests = [argument for option, argument in pairs if option == "-m"] or ["official"]


class Line(NamedTuple):
    """A requested line of output."""

    name: str
    measure: Measure
    parameter: Any

    def value(self, query: Any) -> Value:
        parameters = (self.parameter,) if self.measure.kind else ()
        return self.typed(self.measure.value(query, *parameters))

    def missing(self, query: Any) -> Value:
        if self.measure.missing is self.measure.value:  # of the empty ranking
            return self.value(query)
        return self.typed(self.measure.missing(query))

    def typed(self, value: Value) -> Value:
        """Counts are integers, other numbers are real and finite (D4)."""
        if isinstance(value, str) or self.measure.summary == "sum":
            return value
        return float(value) if math.isfinite(value) else 0.0


def requested(options: Options, release: str) -> list[Line]:
    """The lines asked for, in the order of printing. Of several parameters for a measure the first count (01, 1.1)."""
    known = {measure.name: measure for measure in MEASURES if release in measure.releases}
    parameters: dict[str, str] = {}
    for request in options.requests:
        name, _, text = request.partition(".")
        if name not in known and name not in NICKNAMES or request.endswith("."):
            raise ValueError(f"illegal measure {name!r}")
        if name in known:
            parameters[name] = parameters.get(name) or text
        else:
            for member in NICKNAMES[name].split():
                parameters.setdefault(member, "")
    return [line for name in known if name in parameters for line in lines_of(known[name], parameters[name])]


def lines_of(measure: Measure, text: str) -> list[Line]:
    """A measure with its parameters, as they are read and printed (01, section 8)."""
    name, pieces = measure.name, text.split(",")
    if measure.kind == "cutoffs":
        cutoffs = distinct([files.integer(piece.encode()) for piece in pieces] if text else measure.default)
        if cutoffs[0] <= 0:
            raise ValueError("negative cutoff")
        return [Line(f"{name}_{cutoff}", measure, cutoff) for cutoff in cutoffs]
    if measure.kind == "points":
        points = distinct([files.real(piece.encode()) for piece in pieces] if text else measure.default)
        return [Line(name + f"_{point:.2f}"[:9], measure, point) for point in points]
    if measure.kind and text:
        name += "_" + text
    if measure.kind == "reals":
        reals = [files.real(piece.encode()) for piece in pieces] if text else measure.default
        if measure.name == "utility" and len(reals) != 4:
            raise ValueError("utility takes four parameters")
        return [Line(name, measure, reals)]
    if measure.kind == "pairs":
        return [Line(name, measure, pairs(text))]
    return [Line(name, measure, None)]


def distinct(numbers: Any) -> Any:
    found = sorted(numbers)
    if len(set(found)) < len(found):
        raise ValueError("duplicate cutoffs")
    return found


def pairs(text: str) -> m.Pairs:
    if text and not re.fullmatch("=(,=)*", re.sub("[^=,]", "", text)):
        raise ValueError("malformed pair")
    split = [item.partition("=") for item in text.split(",")] if text else []
    return [(key, files.real(number.encode())) for key, _, number in split]


# Evaluation (01, sections 4 and 5)


def ranking(listed: list[tuple[bytes, float]], depth: int, docno_falls: bool = True) -> list[bytes]:
    """Document ids by falling score, equal scores by falling docno (rising for preferences), cut to the depth."""
    by_docno = sorted(listed, reverse=docno_falls)
    return [docno for docno, _ in sorted(by_docno, key=lambda one: -one[1])][:depth]


def judged_query(judgements: Any, listed: list[tuple[bytes, float]], options: Options, release: str) -> Any:
    """What a measure of the judgements' format reads: a Query, a list of them (one a group), or Preferences."""
    if options.format in ("prefs", "qrels_prefs"):
        return prefs.Preferences(judgements, ranking(listed, options.depth, docno_falls=False))

    def query(grades: dict[bytes, int]) -> m.Query:
        documents = ranking(listed, options.depth)
        return m.Query(grades, documents, release, options.level, options.judged_only, options.collection_size)

    if options.format == "qrels_jg":
        return [query(grades) for _, grades in sorted(judgements.items())]
    return query(judgements)


def read_judgements(data: bytes, options: Options, release: str) -> dict[bytes, Any]:
    if options.format == "qrels":
        return files.read_qrels(data, release)
    if options.format == "qrels_jg":
        return files.read_qrels_jg(data, release)
    return files.read_prefs(data, release, subgroups=options.format == "prefs")


def evaluate(argv: list[str], qrels: bytes, run: bytes, release: str, zscores: bytes | None = None) -> Result:
    """The values that the output is made of, in full precision."""
    options = Options(argv)
    lines = requested(options, release)
    family = "prefs" if options.format in ("prefs", "qrels_prefs") else options.format
    for line in lines:
        if line.measure.format not in ("", family):
            raise ValueError(f"{line.name} does not fit the format {options.format}")
    judgements = read_judgements(qrels, options, release)
    rankings, run_id = files.read_run(run, release)
    norms = files.read_zscores(zscores) if zscores is not None else None

    # Both files' queries (D1), or with -c in 10.0 every judged query. The judged ones divide with -c (4.1).
    queries = [query for query in sorted(judgements) if query in rankings or (options.complete and release == "10.0")]
    if options.only_query is not None:
        queries = [query for query in queries if query == options.only_query]
    if not queries:
        raise ValueError("no query in common")
    divisor = len(judgements) if options.complete else len(queries)

    per_query: dict[str, Named] = {}
    collected: list[list[Value]] = [[] for _ in lines]
    for query in queries:
        judged = judged_query(judgements[query], rankings.get(query, []), options, release)
        printed = per_query[text(query)] = []
        for line, values in zip(lines, collected, strict=True):
            value = line.value(judged) if query in rankings else line.missing(judged)
            if norms is not None and not isinstance(value, str):
                value = zscore(value, norms.get((query, line.name)))
            values.append(value)
            if line.measure.per_query:
                printed.append((line.name, value))

    summary: Named = []
    for line, values in zip(lines, collected, strict=True):
        if line.measure.summary == "run id":
            summary.append((line.name, text(run_id)))
        elif line.name == "num_rel" and options.complete:  # a recount that ignores -l (D26)
            relevant = [g for grades in judgements.values() for g in grades.values() if g > 0]
            summary.append((line.name, len(relevant)))
        elif line.measure.summary:
            summary.append((line.name, summarised(line.measure.summary, values, divisor, norms is not None)))
    return Result(per_query, summary)


def zscore(value: float, norm: tuple[float, float] | None) -> float:
    """(value - mean) / deviation; -1000000 where the table has no entry (D15) or no deviation (01, section 9)."""
    if norm is None:
        return -1000000.0
    mean, deviation = norm
    if deviation == 0:
        return 0.0 if value == mean else -1000000.0
    return (value - mean) / deviation


def summarised(how: str, values: list[Any], divisor: int, zscores: bool) -> Value:
    """Values are added in the order of the queries and divided once (02, section 9)."""
    if how == "count":
        return divisor
    total = 0
    for value in values:
        total += value
    if how == "sum":
        return total
    if how == "geometric mean":
        if not zscores:
            for _ in range(divisor - len(values)):  # 9.0.8 with -c: queries that are not in the run
                total += math.log(m.FLOOR)
        return math.exp(total / divisor)
    return total / divisor


# Printing (01, section 6)


def text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")


def printed_line(name: str, query: str, value: Value, zscores: bool) -> str:
    mark, shown = "", f"{value}"
    if isinstance(value, str) and name != "runid":
        shown = f"'{value}'"
    elif not isinstance(value, str) and zscores:
        mark, shown = "Z", f"{value:6.4f}"
    elif isinstance(value, float):
        shown = f"{value:6.4f}"
    return f"{mark}{name:<22}\t{query}\t{shown}\n"


def trec_eval(argv: list[str], qrels: bytes, run: bytes, release: str, zscores: bytes | None = None) -> str:
    """The complete output. `argv` is as on the command line; its file names are passed over."""
    result = evaluate(argv, qrels, run, release, zscores)
    options = Options(argv)
    blocks = list(result.per_query.items()) if options.per_query else []
    if options.summary:
        blocks.append(("all", result.summary))
    return "".join(
        printed_line(name, query, value, zscores is not None) for query, values in blocks for name, value in values
    )
