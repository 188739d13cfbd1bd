"""``treckon compare``: runs against a baseline, over the same queries."""

from __future__ import annotations

from treckon.analysis.comparison import TESTS, compare
from treckon.cli.options import (
    add_conventions,
    add_formats,
    add_inputs,
    add_measures,
    add_statistics,
    check_inputs,
    check_output,
    conventions_of,
    inputs_of,
    share,
    statistics_of,
)
from treckon.cli.output import say, write_tables
from treckon.errors import ParameterError
from treckon.evaluation.run_files import run_names
from treckon.reports.tables import Column, Table
from treckon.statistics import CORRECTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from treckon.analysis.compared_runs import Comparison
    from treckon.reports.tables import Cell

EXAMPLES = """\
examples:
  treckon compare qrels.txt bm25.run rm3.run                    differences by AP and nDCG@10, four tests
  treckon compare -m RR@10 --per-query qrels.txt old.run new.run    which queries lost, which gained
  treckon compare --pairs qrels.txt a.run b.run c.run d.run     every pair of runs (randomised Tukey HSD)
  treckon compare --cluster topics.tsv qrels.txt a.run b.run    variants of a topic are drawn together
  treckon compare --format latex -o table.tex qrels.txt a.run b.run

All judged queries count: a run that lacks one scores as if it had retrieved nothing. The same seed gives
the same numbers on any machine. All but the randomization test need SciPy: pip install 'treckon[stats]'.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("qrels", metavar="QRELS", help="judgements")
    parser.add_argument("baseline", metavar="BASELINE", help="the run that the others are compared with")
    parser.add_argument("runs", nargs="+", metavar="RUN", help="runs")
    add_measures(parser, ("AP", "nDCG@10"))
    group = parser.add_argument_group("statistics")
    group.add_argument(
        "--test",
        dest="tests",
        action="append",
        choices=TESTS,
        help="a test of the differences, two-sided; repeatable (default: all; without SciPy randomization)",
    )
    group.add_argument(
        "--correction",
        choices=CORRECTIONS,
        default=CORRECTIONS[0],
        help="correction of each test's p-values, over all measures and runs (default: %(default)s)",
    )
    add_statistics(group, "the groups of runs and of the detectable difference")
    group.add_argument(
        "--cluster",
        dest="clusters",
        metavar="FILE",
        help="lines of a query id and a cluster: the queries of a cluster are drawn, and change signs, together",
    )
    group.add_argument(
        "--power",
        type=share,
        default=0.8,
        metavar="X",
        help="power of the detectable difference (default: %(default)s)",
    )
    group = parser.add_argument_group("more tables")
    group.add_argument(
        "--per-query",
        action="store_true",
        help="the values of each query, from the greatest loss to the greatest gain",
    )
    group.add_argument("--pairs", action="store_true", help="the differences between all pairs of three or more runs")
    add_conventions(parser)
    add_inputs(parser)
    add_formats(parser)


def run(arguments: Namespace) -> int:
    """Compares the runs."""
    inputs = arguments.qrels, arguments.baseline, *arguments.runs, arguments.clusters
    check_inputs(*inputs)
    check_output(arguments.output, inputs)
    conventions = conventions_of(arguments)
    ties_seed = conventions.pop("seed", 0)
    comparison = compare(
        arguments.qrels,
        _by_name([arguments.baseline, *arguments.runs]),
        arguments.measures,
        tests=arguments.tests,
        correction=arguments.correction,
        clusters=arguments.clusters,
        power=arguments.power,
        ties_seed=ties_seed,
        **statistics_of(arguments),
        **inputs_of(arguments),
        **conventions,
    )
    # In a document the notes belong with the table; elsewhere they would be in the reader's way.
    in_document = arguments.format in ("markdown", "latex")
    tables = list(_tables(comparison, arguments, comparison.notes if in_document else ()))
    for line in [*(() if in_document else comparison.notes), *comparison.warnings]:
        say(arguments, line)
    write_tables(arguments, tables, data=comparison.to_dict(per_query=arguments.per_query))
    return 0


def _by_name(paths: Sequence[str]) -> dict[str, str]:
    """The runs' files by name. Raises ParameterError for a run listed twice."""
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise ParameterError(f"expected each run once, found '{twice}' twice")
    return dict(zip(run_names(paths), paths, strict=True))


def _tables(comparison: Comparison, arguments: Namespace, notes: Sequence[str]) -> Iterator[Table]:
    """The tables, `notes` below the table that they are about."""
    interval = f"{100 * arguments.confidence:g}%"
    has_tests = bool(comparison.options["tests"])
    yield _means(comparison, interval)
    yield _differences(comparison, interval, () if has_tests else notes)
    if has_tests:
        yield _tests(comparison, notes)
    if arguments.pairs and comparison.tukey:
        yield _pairs(comparison)
    if arguments.per_query:
        yield _queries(comparison)


def _real(name: str) -> Column:
    return Column(name, "real")


def _signed(name: str) -> Column:
    return Column(name, "signed")


def _whole(name: str) -> Column:
    return Column(name, "integer")


def _means(comparison: Comparison, interval: str) -> Table:
    runs, n = comparison.runs, len(comparison.query_ids)
    groups = {measure: dict(zip(runs, tukey.letters, strict=True)) for measure, tukey in comparison.tukey.items()}
    columns: list[Column | str] = ["measure", "run", _real("mean"), _real("low"), _real("high"), _whole("missing")]
    rows: list[list[Cell]] = [
        [str(measure), run, mean.estimate, mean.low, mean.high, comparison.missing[run],
         *([groups[measure][run]] if groups else [])]
        for measure in comparison.measures for run, mean in comparison.means[measure].items()
    ]  # fmt: skip
    title = f"Means over {n} {'query' if n == 1 else 'queries'}, with {interval} intervals"
    return Table([*columns, *(["groups"] if groups else [])], rows, title)


def _differences(comparison: Comparison, interval: str, notes: Sequence[str]) -> Table:
    columns: list[Column | str] = [
        "measure", "run", _signed("difference"), _signed("low"), _signed("high"), Column("change %", "percent"),
        _whole("wins"), _whole("ties"), _whole("losses"), _signed("d"), _real("detectable"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [str(row.measure), row.run, row.interval.estimate, row.interval.low, row.interval.high, row.relative,
         row.wins, row.ties, row.losses, row.effect_size, row.detectable]
        for row in comparison.differences
    ]  # fmt: skip
    return Table(columns, rows, f"Differences from {comparison.baseline}, with {interval} intervals", notes)


def _tests(comparison: Comparison, notes: Sequence[str]) -> Table:
    columns: list[Column | str] = [
        "measure", "run", "test", _real("statistic"), _whole("n"), Column("p", "probability"),
        Column("corrected", "probability"), "how",
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [str(row.measure), row.run, name, test.statistic, test.n, test.p_value, row.corrected[name], test.note]
        for row in comparison.differences
        for name, test in row.tests.items()
    ]
    return Table(columns, rows, f"Tests of the differences from {comparison.baseline}", notes)


def _pairs(comparison: Comparison) -> Table:
    runs = comparison.runs
    columns: list[Column | str] = ["measure", "run", "other run", _signed("difference"), Column("p", "probability")]
    rows: list[list[Cell]] = [
        [str(measure), runs[i], runs[j], tukey.means[j] - tukey.means[i], tukey.p_values[i][j]]
        for measure, tukey in comparison.tukey.items()
        for j in range(len(runs))
        for i in range(j)
    ]
    return Table(columns, rows, "All pairs, randomised Tukey HSD")


def _queries(comparison: Comparison) -> Table:
    columns: list[Column | str] = ["measure", "run", "query", _real("baseline"), _real("value"), _signed("difference")]
    rows: list[list[Cell]] = [
        [str(measure), run, row.query_id, row.baseline, row.run, row.difference]
        for measure in comparison.measures
        for run in comparison.runs[1:]
        for row in comparison.per_query(measure, run)
    ]
    return Table(columns, rows, f"Queries by their difference from {comparison.baseline}")
