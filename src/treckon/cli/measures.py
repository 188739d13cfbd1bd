"""``treckon measures``: lists the measures, or says what each is."""

from __future__ import annotations

import re

from treckon.cli.options import add_formats
from treckon.cli.output import write, write_tables
from treckon.measures.registry import find, find_field
from treckon.naming.syntax import parse_all
from treckon.naming.trec_eval import all_in_order
from treckon.reports.measure_text import measure_record, measure_text
from treckon.reports.tables import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable

    from treckon.measures.registry import MeasureRecord

EXAMPLES = """\
examples:
  treckon measures                        every measure by the field's names and by trec_eval's
  treckon measures nDCG                   definition, arguments and source
  treckon measures mrr P ndcg_cut         aliases; a name that is both the field's and trec_eval's shows both
  treckon measures official               the measures that a nickname of trec_eval stands for
  treckon measures --format json AP       a record for programs
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="a measure's name, alias or nickname, with or without parameters; "
        "without --format its documentation is printed",
    )
    add_formats(parser)


def run(arguments: Namespace) -> int:
    """Lists all measures, or documents those named."""
    if not arguments.names:
        _write_list(arguments, all_in_order())
        return 0
    records = dict.fromkeys(record for name in arguments.names for record in records_of(name))
    if arguments.format is None:
        write("\n".join(map(measure_text, records)), arguments.output)
    else:
        _write_list(arguments, records)
    return 0


def records_of(name: str) -> list[MeasureRecord]:
    """The records that a name stands for, the field's first. Raises UnknownMeasureError, which names the nearest."""
    bare = re.split(r"[(@]", name)[0].strip()
    records = [record for record in (find_field(bare), find(bare)) if record is not None]
    return records or [measure.record for measure in parse_all(name)]


def _write_list(arguments: Namespace, records: Iterable[MeasureRecord]) -> None:
    listed = list(map(measure_record, records))
    # The field's names go first: all of the API and of these commands take them.
    listed.sort(key=lambda record: record["names"] != "field")
    rows = [[record["written"], record["title"], ", ".join(record["aliases"]), record["names"]] for record in listed]
    write_tables(arguments, Table(["measure", "what it is", "also called", "names of"], rows), data=listed)
