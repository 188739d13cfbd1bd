"""``treckon crosscheck``: why another tool prints other numbers."""

from __future__ import annotations

from treckon.cli.options import (
    add_conventions,
    add_formats,
    add_inputs,
    check_inputs,
    check_output,
    conventions_of,
    count,
    inputs_of,
)
from treckon.cli.output import say, write_tables
from treckon.errors import ParameterError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator

    from treckon.analysis.crosschecking import Change, Comparison, CrossCheck
    from treckon.reports.tables import Table

EXAMPLES = """\
examples:
  treckon crosscheck qrels.txt my.run printed.txt           what trec_eval, gdeval, ndeval, ir_measures or ranx printed
  treckon crosscheck qrels.txt my.run scores.json           {measure: value} or {query: {measure: value}}
  treckon crosscheck -c qrels.txt my.run printed.txt        begins with missing queries counted
  treckon crosscheck --name "score=nDCG@10" qrels.txt my.run table.csv
  treckon crosscheck --all-values qrels.txt my.run printed.txt   each printed value beside ours

Exit status: 0 every value agrees at its printed precision; 1 some don't, explained or not; 2 error.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Adds the command's arguments."""
    from treckon.analysis.crosschecking import SCORES_FORMATS

    parser.add_argument("qrels", metavar="QRELS", help="judgements")
    parser.add_argument("run", metavar="RUN", help="the run that was scored")
    parser.add_argument("scores", metavar="SCORES", help="what the other tool printed, for all queries or for each")
    parser.add_argument(
        "--scores-format", choices=SCORES_FORMATS, help="of the scores; without it, what their first lines look like"
    )
    parser.add_argument(
        "--name",
        dest="names",
        action="append",
        default=[],
        metavar="NAME=MEASURE",
        help="the measure that a name stands for; repeatable",
    )
    parser.add_argument(
        "--most",
        type=count,
        default=3,
        metavar="N",
        help="how many changes of the evaluation are tried together, 0 to 4; 0 compares only (default: %(default)s)",
    )
    parser.add_argument("--all-values", action="store_true", help="list all printed values, not only those unexplained")
    add_conventions(parser)
    add_inputs(parser)
    add_formats(parser)


def run(arguments: Namespace) -> int:
    """Compares, and explains what differs."""
    from treckon.analysis.crosschecking import crosscheck
    from treckon.cli.progress import Progress

    inputs = arguments.qrels, arguments.run, arguments.scores
    check_inputs(*inputs)
    check_output(arguments.output, inputs)
    with Progress(arguments, "searching", 1):
        found = crosscheck(
            arguments.qrels,
            arguments.run,
            arguments.scores,
            scores_format=arguments.scores_format,
            names=_names(arguments.names),
            most=arguments.most,
            **inputs_of(arguments),
            **conventions_of(arguments),
        )
    for line in (*found.warnings, *found.verdict()):
        say(arguments, line)
    write_tables(arguments, list(_tables(found, arguments.all_values)), data=found.to_dict())
    return 0 if found.agrees else 1


def _names(given: Iterable[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    for one, (name, equals, measure) in zip(given, pairs, strict=True):
        if not (name and equals and measure):
            raise ParameterError(f"--name: expected NAME=MEASURE, found '{one}'")
    return {name: measure for name, _, measure in pairs}


def _tables(found: CrossCheck, all_values: bool) -> Iterator[Table]:
    from treckon.reports.tables import Column, Table

    def whole(name: str) -> Column:
        return Column(name, "integer")

    own = {} if found.explanation is None else found.explanation.own
    by_name: dict[str, list[Comparison]] = {}
    for one in found.values:
        by_name.setdefault(one.name, []).append(one)
    yield Table(
        ["name", "stands for", whole("values"), whole("agree"), whole("explained"), "reproduced by"],
        [
            [
                name, some[0].measure, len(some), sum(one.agrees for one in some), sum(one.explained for one in some),
                own[name].measure if name in own else some[0].measure,
            ]
            for name, some in by_name.items()
        ],
        title="Values printed",
    )  # fmt: skip
    if found.explanation is not None:
        rows = [_row(one, "all") for one in found.explanation.changes]
        for name, its in own.items():
            rows += [_row(change, name) for change in its.added]
            rows += [[f"not {change.name}", name, "", ""] for change in its.undone]
        yield Table(["change", "of", "what", "as"], rows, title="The smallest change that explains them")
    if found.alternatives:
        rows = [["; ".join(one.summary())] for one in found.alternatives]
        yield Table(["other changes as small"], rows, title="Or", notes=found.telling_apart())
    values = found.values if all_values else found.unexplained
    if values:
        yield Table(
            ["name", "query", "printed", Column("here", "real"), Column("reproduced", "real"), "verdict"],
            [
                [
                    one.name,
                    "all" if one.query is None else one.query,
                    one.printed,
                    one.value,
                    one.reproduced,
                    one.verdict,
                ]
                for one in values
            ],
            title="Each value" if all_values else "Values that nothing explains",
        )


def _row(change: Change, of: str) -> list[str]:
    return [change.name, of, change.text, change.tools]
