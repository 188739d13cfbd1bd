"""``treckon gate``: whether a run meets thresholds that were agreed beforehand."""

from __future__ import annotations

from treckon.cli.options import add_formats, add_inputs, check_inputs, check_output, check_own_file, count, inputs_of
from treckon.cli.output import say, write, write_tables
from treckon.reports.junit import junit_xml
from treckon.reports.tables import Column, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from treckon.analysis.gating import GateResult, MissedDocument
    from treckon.reports.tables import Cell

EXAMPLES = """\
examples:
  treckon gate gate.toml qrels new.run
  treckon gate gate.toml qrels new.run --baseline old.run
  treckon gate gate.toml qrels new.run --junit gate.xml --format json -o gate.json

gate.toml:
  [conventions]                 # as everywhere; queries that the run lacks count as 0 unless missing says otherwise
  level = 1
  [measures."nDCG@10"]
  minimum = 0.45                # of the mean; maximum likewise
  baseline = { tolerance = 0.01, by = "interval", confidence = 0.95 }    # or by = "mean"
  floor = { value = 0.1, queries = 3 }      # at most this many queries below the value
  hits = { value = 0.5, share = 0.9 }       # at least this share of the queries at the value or above

exit status: 0 the gate is met; 1 it is not; 2 input that can't be read or evaluated, or wrong usage
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("gate", metavar="GATE.toml", help="the thresholds")
    parser.add_argument("qrels", metavar="QRELS", help="judgements")
    parser.add_argument("run", metavar="RUN", help="the run to judge")
    parser.add_argument("--baseline", metavar="RUN", help="another run, for rules that compare with it")
    parser.add_argument("--junit", metavar="FILE", help="the verdict as JUnit XML, written whole or not at all")
    parser.add_argument(
        "--queries", type=count, default=10, metavar="N", help="failing queries to show for each rule (default: 10)"
    )
    parser.add_argument(
        "--documents", type=count, default=5, metavar="N", help="missed documents to show for each query (default: 5)"
    )
    add_inputs(parser)
    add_formats(parser)


def run(arguments: Namespace) -> int:
    """Judges the run: 0 where the gate is met, 1 where it isn't."""
    from treckon.analysis.gating import gate

    inputs = arguments.gate, arguments.qrels, arguments.run, arguments.baseline
    check_inputs(*inputs)
    if arguments.junit is not None:
        check_own_file("--junit", arguments.junit, [*inputs, arguments.output])
    check_output(arguments.output, inputs)
    result = gate(
        arguments.gate,
        arguments.qrels,
        arguments.run,
        baseline=arguments.baseline,
        **inputs_of(arguments),
    )
    rules = [(rule.measure, rule.rule, "met" if rule.met else "NOT MET", rule.text) for rule in result.rules]
    tables = [Table(["measure", "rule", "verdict", "expectation"], rules, title=result.title)]
    if not result.met:
        numbers = Column("value", "real"), Column("baseline", "real")
        columns = ("measure", "rule", "query", *numbers, "missed documents")
        rows = list(_failing(result, arguments.queries, arguments.documents))
        tables.append(Table(columns, rows, title="failing queries"))
    if arguments.junit is not None:
        write(junit_xml(result), arguments.junit)
    write_tables(arguments, tables, data=result.to_dict())
    for warning in result.warnings:
        say(arguments, f"warning: {warning}")
    for note in _hidden(result, arguments.queries):
        say(arguments, note)
    say(arguments, result.summary())
    return 0 if result.met else 1


def _failing(result: GateResult, n_queries: int, n_documents: int) -> Iterator[tuple[Cell, ...]]:
    for rule in result.rules:
        for query in rule.failing[:n_queries]:
            missed = _missed(query.missed, n_documents)
            yield rule.measure, rule.rule, query.query, query.value, query.baseline, missed


def _missed(documents: tuple[MissedDocument, ...], n: int) -> str:
    shown = [str(document) for document in documents[:n]]
    if len(documents) > n:
        shown.append(f"{len(documents) - n} more")
    return ", ".join(shown)


def _hidden(result: GateResult, n_queries: int) -> list[str]:
    """What the table doesn't show."""
    return [
        f"{rule.measure} {rule.rule}: {len(rule.failing) - n_queries} more of {len(rule.failing)} failing queries"
        for rule in result.rules
        if len(rule.failing) > n_queries
    ]
