"""``treckon leaderboard``: submissions ranked, and their scores for competition platforms."""

from __future__ import annotations

import argparse
import os

from treckon.analysis.leaderboards import leaderboard
from treckon.cli.options import (
    add_conventions,
    add_formats,
    add_inputs,
    add_measures,
    add_statistics,
    check_inputs,
    check_output,
    check_own_file,
    conventions_of,
    inputs_of,
    statistics_of,
)
from treckon.cli.output import chosen_format, measure_column, say, write, write_tables
from treckon.cli.progress import Progress
from treckon.errors import ParameterError
from treckon.evaluation.results import json_text
from treckon.evaluation.run_files import run_names, run_paths
from treckon.measures.usual import USUAL
from treckon.reports.tables import Column, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treckon.analysis.leaderboards import Leaderboard
    from treckon.reports.tables import Cell

EXAMPLES = """\
examples:
  treckon leaderboard qrels.txt runs/                          every file of a folder, by AP
  treckon leaderboard qrels.txt a.txt b.txt c.txt --by nDCG@10
  treckon leaderboard qrels.txt runs/ -m RR@10 -m R@100 --format markdown -o leaderboard.md
  treckon leaderboard qrels.txt submission.txt --scores-json scores.json --extra error

All judged queries count: a run that lacks one scores as if it had retrieved nothing. A broken submission is
listed with its problem and is not ranked. With --scores-json the scores of one submission are a JSON object
{measure: number}, those of several {run: {measure: number}}: always finite numbers, written whole. Where a
submission is broken no such file is left, not even an older one, and the exit status is 1.
"""

#: The exit status of a negative verdict.
_BROKEN = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("qrels", metavar="QRELS", help="the judgements")
    parser.add_argument("runs", metavar="RUNS", nargs="+", help="runs, or folders of runs")
    add_measures(parser, USUAL)
    parser.add_argument("--by", metavar="MEASURE", help="the measure to rank by (default: the first of -m)")
    parser.add_argument(
        "--scores-json", metavar="FILE", help="writes the scores to this file, unless a submission is broken"
    )
    add_statistics(parser.add_argument_group("statistics"), "the groups of runs")
    add_conventions(parser)
    add_inputs(parser)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> int:
    """Ranks the runs."""
    check_inputs(arguments.qrels, *arguments.runs)
    if arguments.scores_json is not None:
        _remove_scores(arguments)
    check_output(arguments.output, [arguments.qrels, *arguments.runs])
    board = _board(arguments)
    for warning in board.warnings:
        say(arguments, f"warning: {warning}")
    for broken in board.broken:
        say(arguments, f"warning: {broken.run} is not ranked: {broken.problem}")
    status = 0 if arguments.scores_json is None else _write_scores(board, arguments.scores_json)
    try:
        write_tables(arguments, _tables(board, arguments), board.to_dict())
    except BaseException:
        if arguments.scores_json is not None and status == 0:
            os.unlink(arguments.scores_json)
        raise
    return status


def _remove_scores(arguments: argparse.Namespace) -> None:
    """Removes older scores: whatever fails from here on, nobody takes them for this submission's."""
    path = arguments.scores_json
    check_own_file("--scores-json", path, [arguments.qrels, arguments.output, *arguments.runs])
    if not os.path.exists(path):
        return
    is_scores = False
    if os.path.isfile(path):
        with open(path, "rb") as file:
            is_scores = file.read(1) in (b"{", b"")
    if not is_scores:
        raise ParameterError(f"--scores-json: expected no file or one with scores, found '{path}' with something else")
    os.unlink(path)


def _board(arguments: argparse.Namespace) -> Leaderboard:
    conventions = conventions_of(arguments)
    ties_seed = conventions.pop("seed", 0)
    paths = run_paths(arguments.runs)
    with Progress(arguments, "scoring", len(paths)) as progress:
        return leaderboard(
            arguments.qrels,
            dict(zip(run_names(paths), paths, strict=True)),
            arguments.measures,
            by=arguments.by,
            ties_seed=ties_seed,
            advance=progress.advance,
            **statistics_of(arguments),
            **inputs_of(arguments),
            **conventions,
        )


def _write_scores(board: Leaderboard, path: str) -> int:
    """Writes the file of scores, unless a submission is broken; the exit status."""
    if board.broken:
        return _BROKEN
    scores = board.scores()
    write(json_text(next(iter(scores.values())) if len(scores) == 1 else scores), path)
    return 0


# Tables


def _tables(board: Leaderboard, arguments: argparse.Namespace) -> list[Table]:
    for_people = chosen_format(arguments) not in ("tsv", "csv")
    tables = [_ranking(board, for_people, arguments.digits)]
    if len(board.measures) > 1 and len(board.entries) > 1:
        columns: list[Column | str] = ["Kendall's tau", *(Column(str(measure), "real") for measure in board.measures)]
        rows = [[str(measure), *board.kendall[measure].values()] for measure in board.measures]
        tables.append(Table(columns, rows))
    if board.broken:
        tables.append(Table(["broken", "problem"], [[broken.run, broken.problem] for broken in board.broken]))
    return tables


def _ranking(board: Leaderboard, for_people: bool, digits: int) -> Table:
    """The ranked runs. For people, the rank by another measure follows its mean."""
    others = [measure for measure in board.measures if measure != board.by]
    interval = f"{100 * board.options['confidence']:g}%"
    has_intervals = any(entry.interval is not None for entry in board.entries)
    columns: list[Column | str] = [Column("rank", "integer"), "run", measure_column(board.by)]
    if has_intervals:
        columns += [Column(f"{interval} low", "real"), Column(f"{interval} high", "real"), "groups"]
    for measure in others:
        columns.append(measure_column(measure))
        columns += [] if for_people else [Column(f"rank by {measure}", "integer")]
    columns.append(Column("missing", "integer"))
    rows = []
    for entry in board.entries:
        row: list[Cell] = [entry.ranks[board.by], entry.run, entry.means[board.by]]
        if has_intervals:
            row += ["", "", ""] if entry.interval is None else [entry.interval.low, entry.interval.high, entry.groups]
        for measure in others:
            mean, rank = entry.means[measure], entry.ranks[measure]
            row += [f"{measure_column(measure).text(mean, digits)} ({rank})"] if for_people else [mean, rank]
        rows.append([*row, entry.missing])
    title = board.title
    notes = [*board.notes, *(["in parentheses: the rank by that measure"] if for_people and others else [])]
    return Table(columns, rows, title, notes)
