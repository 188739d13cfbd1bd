"""``treckon check``: what is wrong with a run or with qrels."""

from __future__ import annotations

from treckon.cli.options import add_formats, check_inputs, check_output, count
from treckon.cli.output import say, write_tables
from treckon.errors import ParameterError
from treckon.reports.tables import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from treckon.analysis.check_report import CheckReport
    from treckon.reports.tables import Cell

EXAMPLES = """\
examples:
  treckon check my.run                                    whatever a reader of the file could stumble over
  treckon check my.run --topics topics.xml --depth 1000   and queries that are missing, too many, too short, too long
  treckon check my.run --qrels qrels --cutoff 10          and ties across rank 10, judged documents up to it
  treckon check my.run --run-tag mine --docids ids.gz     and lines of another run, documents not in the collection
  treckon check qrels --kind qrels                        judgements
  treckon check my.run --format json                      for programs
  treckon check --explain                                 the kinds of problem and what each means

exit status: 0 clean: no errors or warnings (notes don't count); 1 not clean; 2 unreadable input or wrong usage
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "file",
        nargs="?",
        metavar="RUN",
        help="a run in TREC's format, or qrels with --kind qrels; may be '-' (standard input), a pipe, or compressed",
    )
    parser.add_argument("--kind", choices=("run", "qrels"), default="run", help="what the file is (default: run)")
    parser.add_argument("--topics", metavar="FILE", help="topics, or a list whose first field is a query's id")
    parser.add_argument("--qrels", metavar="FILE", help="judgements: which queries and documents are judged")
    parser.add_argument("--docids", metavar="FILE", help="the collection's document ids, one per line")
    parser.add_argument("--depth", type=count, metavar="K", help="documents that each query should have")
    parser.add_argument(
        "--cutoff",
        dest="cutoffs",
        type=_counts,
        action="extend",
        default=[],
        metavar="K,...",
        help="ranks to examine: ties across them, and how many documents up to them are judged; repeatable",
    )
    parser.add_argument("--run-tag", metavar="TAG", help="the tag that all lines should have")
    parser.add_argument(
        "--places",
        type=count,
        default=10,
        metavar="N",
        help="places to show of each kind (default: 10); all are counted",
    )
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="KIND", help="a kind of problem to leave out; repeatable"
    )
    parser.add_argument(
        "--threads",
        type=count,
        default=0,
        metavar="N",
        help="threads that read the file (default: as many as can run)",
    )
    parser.add_argument("--explain", action="store_true", help="list the kinds of problem and what each means")
    add_formats(parser)


def _counts(text: str) -> list[int]:
    return [count(part) for part in text.split(",")]


#: Options for runs only.
_OF_RUNS = ("qrels", "depth", "cutoffs", "run_tag")


def run(arguments: Namespace) -> int:
    """Checks the file: 0 where it is clean, 1 where it isn't."""
    if arguments.explain:
        from treckon.inputs.problems import ALL_KINDS

        rows = [(kind.name, kind.severity, kind.meaning) for kind in ALL_KINDS.values()]
        write_tables(arguments, Table(["kind", "severity", "meaning"], rows))
        return 0
    if arguments.file is None:
        raise ParameterError("expected a file to check (see treckon check --help)")
    from treckon.analysis.checking import check_qrels, check_run

    inputs = arguments.file, arguments.topics, arguments.qrels, arguments.docids
    check_inputs(*inputs)
    check_output(arguments.output, inputs)
    options = {name: getattr(arguments, name) for name in ("topics", "docids", "places", "ignore", "threads")}
    if arguments.kind == "qrels":
        for name in _OF_RUNS:
            if getattr(arguments, name) not in (None, []):
                raise ParameterError(f"--{name.removesuffix('s').replace('_', '-')}: for runs only")
        report = check_qrels(arguments.file, **options)
    else:
        report = check_run(arguments.file, **options, **{name: getattr(arguments, name) for name in _OF_RUNS})
    write_tables(
        arguments, Table(["place", "severity", "kind", "query", "problem"], _rows(report)), data=report.to_dict()
    )
    for line in [*report.remarks(), report.summary()]:
        say(arguments, line)
    return 0 if report.clean else 1


def _rows(report: CheckReport) -> Iterator[tuple[Cell, ...]]:
    """A row for each place, and one for each kind with places that aren't shown."""
    for problem in report.problems:
        for place in problem.places:
            where = f"{report.name}:{place.line}" if place.line else report.name
            yield where, problem.severity, problem.kind, place.query, place.text
        if problem.count > len(problem.places):
            more = f"{problem.count - len(problem.places)} more"
            yield report.name, problem.severity, problem.kind, None, more
