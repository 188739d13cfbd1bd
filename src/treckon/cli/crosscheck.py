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

    from treckon.analysis.crosschecking import Change, ComparedValue, CrossCheck
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
        check = crosscheck(
            arguments.qrels,
            arguments.run,
            arguments.scores,
            scores_format=arguments.scores_format,
            names=_names(arguments.names),
            most=arguments.most,
            **inputs_of(arguments),
            **conventions_of(arguments),
        )
    for line in (*check.warnings, *check.verdict()):
        say(arguments, line)
    write_tables(arguments, list(_tables(check, arguments.all_values)), data=check.to_dict())
    return 0 if check.agrees else 1


def _names(texts: Iterable[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for text, (name, equals, measure) in zip(texts, pairs, strict=True):
        if not (name and equals and measure):
            raise ParameterError(f"--name: expected NAME=MEASURE, found '{text}'")
    return {name: measure for name, _, measure in pairs}


def _tables(check: CrossCheck, all_values: bool) -> Iterator[Table]:
    from treckon.reports.tables import Column, Table

    def whole(name: str) -> Column:
        return Column(name, "integer")

    own = {} if check.explanation is None else check.explanation.own
    by_name: dict[str, list[ComparedValue]] = {}
    for value in check.values:
        by_name.setdefault(value.name, []).append(value)
    yield Table(
        ["name", "stands for", whole("values"), whole("agree"), whole("explained"), "reproduced by"],
        [
            [
                name,
                values[0].measure,
                len(values),
                sum(value.agrees for value in values),
                sum(value.explained for value in values),
                own[name].measure if name in own else values[0].measure,
            ]
            for name, values in by_name.items()
        ],
        title="Values printed",
    )  # fmt: skip
    if check.explanation is not None:
        rows = [_row(change, "all") for change in check.explanation.changes]
        for name, its in own.items():
            rows += [_row(change, name) for change in its.added]
            rows += [[f"not {change.name}", name, "", ""] for change in its.undone]
        yield Table(["change", "of", "what", "as"], rows, title="The smallest change that explains them")
    if check.alternatives:
        rows = [["; ".join(explanation.summary())] for explanation in check.alternatives]
        yield Table(["other changes as small"], rows, title="Or", notes=check.telling_apart())
    values = check.values if all_values else check.unexplained
    if values:
        yield Table(
            ["name", "query", "printed", Column("here", "real"), Column("reproduced", "real"), "verdict"],
            [
                [
                    value.name,
                    "all" if value.query is None else value.query,
                    value.printed,
                    value.value,
                    value.reproduced,
                    value.verdict,
                ]
                for value in values
            ],
            title="Each value" if all_values else "Values that nothing explains",
        )


def _row(change: Change, of: str) -> list[str]:
    return [change.name, of, change.text, change.tools]
