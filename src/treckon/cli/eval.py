"""``treckon eval``: the values of runs, with notes and warnings."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

from treckon.cli.options import (
    add_conventions,
    add_formats,
    add_inputs,
    add_measures,
    check_inputs,
    check_output,
    conventions_of,
)
from treckon.cli.output import chosen_format, measure_column, say, write_tables
from treckon.cli.progress import Progress
from treckon.evaluation.alternatives import alternatives
from treckon.evaluation.evaluator import Evaluator
from treckon.evaluation.run_files import evaluate_file, rereadable, run_names
from treckon.inputs.sources import Source
from treckon.measures.usual import USUAL
from treckon.reports.tables import Column, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from typing import Any

    from treckon.evaluation.alternatives import Alternatives
    from treckon.evaluation.results import Evaluation
    from treckon.reports.tables import Cell

EXAMPLES = """\
examples:
  treckon eval qrels.txt run.txt
  treckon eval qrels.txt runs/*.txt -m AP -m nDCG@10 -m "nDCG(gain='exp2')@20"
  treckon eval qrels.txt run.txt -m official -c          as trec_eval -c
  treckon eval qrels.txt run.txt --per-query --format csv -o values.csv
  treckon eval qrels.txt run.txt --ties optimistic --unjudged condensed --level 2
  treckon eval qrels.tsv run.dev.tsv -m RR@10            MS MARCO's files, JSON and others are read too
  zcat run.gz | treckon eval qrels.txt - --format json
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("qrels", metavar="QRELS", help="the judgements")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="a run; several are scored against the same judgements")
    add_measures(parser, USUAL)
    parser.add_argument("-q", "--per-query", action="store_true", help="the values of each query too, before the means")
    parser.add_argument("-n", "--no-summary", action="store_true", help="no means")
    add_conventions(parser)
    add_inputs(parser)
    add_formats(parser)


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run and its results; `alternatives` is None with ``--quiet``."""

    name: str
    path: str
    evaluation: Evaluation
    alternatives: Alternatives | None


def run(arguments: Namespace) -> int:
    """Scores the runs."""
    scored = _scored(arguments)
    for note in _notes(scored):
        say(arguments, note)
    data = {"qrels": arguments.qrels, "runs": [_as_dict(run, arguments) for run in scored]}
    write_tables(arguments, _table(arguments, scored), data)
    return 0


def _as_dict(run: RunReport, arguments: Namespace) -> dict[str, Any]:
    as_dict = {"run": run.name, "path": run.path, **run.evaluation.to_dict(per_query=arguments.per_query)}
    if arguments.no_summary:
        del as_dict["means"]
    return as_dict


def _scored(arguments: Namespace) -> list[RunReport]:
    check_inputs(arguments.qrels, *arguments.runs)
    check_output(arguments.output, [arguments.qrels, *arguments.runs])
    evaluator = Evaluator(
        arguments.qrels,
        arguments.measures,
        columns=arguments.qrels_columns,
        format=arguments.qrels_format,
        threads=arguments.threads,
        **conventions_of(arguments),
    )
    scored = []
    how = {"columns": arguments.run_columns, "format": arguments.run_format}
    with Progress(arguments, "scoring", len(arguments.runs)) as progress:
        for name, path in zip(run_names(arguments.runs), arguments.runs, strict=True):
            with Source(path) as source, nullcontext(source) if arguments.quiet else rereadable(source) as run:
                evaluation = evaluate_file(evaluator, run, **how)
                others = None if arguments.quiet else alternatives(evaluator, run, evaluation, **how)
            scored.append(RunReport(name, path, evaluation, others))
            progress.advance()
    return scored


# The table


def _table(arguments: Namespace, scored: list[RunReport]) -> Table:
    """A row per run or per query of a run, a column per measure. A single run's means are a row each."""
    measures = scored[0].evaluation.measures
    if len(scored) == 1 and not arguments.per_query and chosen_format(arguments) not in ("tsv", "csv"):
        (run,) = scored
        means = [[str(m), measure_column(m).text(value, arguments.digits)] for m, value in run.evaluation.means.items()]
        return Table(["measure", Column(run.name, "real")], [] if arguments.no_summary else means)
    columns = ["run", "query"] if arguments.per_query else ["run", Column("queries", "integer")]
    rows: list[list[Cell]] = []
    for run in scored:
        evaluation = run.evaluation
        if arguments.per_query:
            for query_id, values in evaluation.per_query.items():
                rows.append([run.name, query_id, *(values[m] if m in values else None for m in measures)])
        if not arguments.no_summary:
            label = "all" if arguments.per_query else len(evaluation.query_ids)
            rows.append([run.name, label, *(evaluation[m] if m in evaluation else None for m in measures)])
    return Table([*columns, *map(measure_column, measures)], rows)


# Notes and warnings


def _notes(scored: list[RunReport]) -> Iterator[str]:
    """Notes and warnings; what holds for several runs is said once."""
    by_note: dict[tuple[str, str], list[str]] = {}
    for run in scored:
        warnings = (("warning", warning.in_options()) for warning in run.evaluation.warnings)
        for note in (("note", _queries(run.evaluation)), *warnings):
            by_note.setdefault(note, []).append(run.name)
    for (kind, text), names in by_note.items():
        yield f"{kind}: {text}" if len(names) == len(scored) else f"{kind}: {_first(names)}: {text}"
    if len(scored) == 1:
        yield from _choices(scored[0])
    else:
        yield from _choices_of_several(scored)


def _queries(evaluation: Evaluation) -> str:
    """How many queries count, and where they are."""
    counts, n = evaluation.counts, len(evaluation.query_ids)
    kinds = {
        "extra": "of the run not judged",
        "without_relevant": "judged without relevant documents",
        "own_documents": "with their own id as a document, which was taken out",
    }
    others = [f"{counts[name]} {text}" for name, text in kinds.items() if counts.get(name)]
    return (
        f"{n} {'query counts' if n == 1 else 'queries count'}; {counts['in_qrels']} judged, {counts['in_run']} "
        f"in the run, {counts['in_both']} in both" + "".join(f", {text}" for text in others)
    )


def _choices(run: RunReport) -> Iterator[str]:
    """What ties and unjudged documents there are, and what other choices would make of them."""
    evaluation, others = run.evaluation, run.alternatives
    ties = evaluation.ties
    if ties.queries:
        n, across = ties.queries, ties.across_cutoff
        text = f"note: documents with equal scores in {_n_queries(n)}"
        text += f" ({across} across a cutoff)" if across else ""
        if others is not None and others.ties is not None:
            moved = [f"{m} {low:.4f} to {high:.4f}" for m, (low, high) in others.ties.items() if _differ(low, high)]
            text += f"; from --ties pessimistic to optimistic: {_first(moved) or 'the same means to 4 digits'}"
        yield text
    for measure, error in (ties.standard_errors or {}).items():
        yield f"note: {measure} is estimated from random orders of ties, standard error {error:.4f}"
    if others is not None and others.judged is not None and others.judged < 1.0:
        text = f"note: {100.0 * others.judged:.1f}% of the documents at ranks 1 to 10 are judged"
        if others.condensed:
            moved = [f"{m} {mean:.4f}" for m, mean in others.condensed.items() if _differ(mean, evaluation[m])]
            text += f"; without the unjudged ones (--unjudged condensed): {_first(moved) or 'the same to 4 digits'}"
        yield text


def _choices_of_several(scored: list[RunReport]) -> Iterator[str]:
    """The same for several runs: where the effect is greatest."""
    tied = [run for run in scored if run.evaluation.ties.queries]
    if tied:
        text = f"note: documents with equal scores in {len(tied)} of {len(scored)} runs"
        ranges = [
            (high - low, measure, run.name, low, high)
            for run in tied
            if run.alternatives is not None and run.alternatives.ties is not None
            for measure, (low, high) in run.alternatives.ties.items()
        ]
        if ranges:
            _, measure, name, low, high = max(ranges, key=lambda moved: moved[0])
            text += f"; from --ties pessimistic to optimistic at most {measure} of {name}: {low:.4f} to {high:.4f}"
        yield text
    judged = [
        (run.alternatives.judged, run.name)
        for run in scored
        if run.alternatives is not None and run.alternatives.judged is not None
    ]
    if judged and min(judged)[0] < 1.0:
        (low, first), (high, last) = min(judged), max(judged)
        yield (
            f"note: of the documents at ranks 1 to 10 {100.0 * low:.1f}% ({first}) to {100.0 * high:.1f}% ({last}) "
            "are judged (--unjudged condensed leaves out the others)"
        )


def _differ(value: float, other: object) -> bool:
    """Whether two values look different where they are shown."""
    return f"{value:.4f}" != f"{other:.4f}"


def _n_queries(n: int) -> str:
    return f"{n} {'query' if n == 1 else 'queries'}"


def _first(texts: list[str]) -> str:
    """The first few of many texts."""
    return ", ".join(texts[:5]) + (f" and {len(texts) - 5} more" if len(texts) > 5 else "")
