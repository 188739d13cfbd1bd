"""``treckon convert``: runs and qrels from each format that can be read to each that can be written."""

from __future__ import annotations

import os

from treckon.cli.options import add_columns, add_quiet, check_inputs, check_output, whole_number
from treckon.cli.output import say, write_parts
from treckon.errors import ParameterError
from treckon.inputs.formats import registry
from treckon.inputs.formats.registry import EMPTY_QUERIES, GRADES, PAIR, QRELS, RUN, SCORES
from treckon.inputs.sources import COMPRESSED_SUFFIXES, compressed
from treckon.inputs.writing import pair_text, qrels_text, run_text, writable_formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping
    from contextlib import ExitStack

    from treckon.inputs.formats.registry import Format

    Data = Mapping[str, Mapping[str, float]]

EXAMPLES = """\
What is read back is what was read, to the last digit, unless a note says what a format doesn't keep.

examples:
  treckon convert run run.txt run.json
  treckon convert run run.json run.txt.gz --tag mine
  treckon convert run run.txt run.tsv --to msmarco --depth 100
  treckon convert qrels beir.tsv qrels.txt --columns query-id,corpus-id,score
  treckon convert run pasted.tsv run.txt --from paste
  treckon convert pastes qrels.txt run.txt pasted.json
"""

#: What each kind is a text of.
_HOLDS = {"run": RUN, "qrels": QRELS, "pastes": PAIR}
#: What each kind is written as where nothing else is said.
_USUAL = {"run": "trec", "qrels": "trec", "pastes": "paste"}


def add_arguments(parser: ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument(
        "kind",
        metavar="KIND",
        choices=tuple(_HOLDS),
        help="run, qrels, or pastes: qrels and a run in one file, by query",
    )
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="what is converted; for pastes the qrels and a run")
    parser.add_argument(
        "target",
        metavar="OUTPUT",
        help="a file, written whole or not at all, or '-'; compressed where its name ends in .gz, .bz2, .xz or .zst",
    )
    parser.add_argument(
        "--from",
        dest="source",
        choices=registry.names_of(RUN, QRELS),
        help="of the input; without it, what its first line looks like",
    )
    parser.add_argument(
        "--to",
        metavar="FORMAT",
        help=f"of the output: {_listed_targets()}; without it the one that its name ends in, else trec or paste",
    )
    add_columns(parser, "--columns")
    parser.add_argument("--tag", default="treckon", help="the run's name in the format trec (default: %(default)s)")
    parser.add_argument(
        "--depth", type=whole_number, metavar="N", help="how many documents of a query are written (default: all)"
    )
    add_quiet(parser)
    described = registry.descriptions(*_HOLDS.values())
    lines = [f"  {name:<9} {about}" for name, text in described.items() for about in text.split("\n")]
    parser.epilog = "\n".join(["formats:", *lines, "", EXAMPLES])


def _listed_targets() -> str:
    """The formats of each kind that can be written."""
    kinds: dict[str, list[str]] = {}
    for kind, holds in _HOLDS.items():
        kinds.setdefault(", ".join(writable_formats(holds)), []).append(kind)
    return "; ".join(f"{' and '.join(of_kinds)} as {names}" for names, of_kinds in kinds.items())


def run(arguments: Namespace) -> int:
    """Converts a file."""
    n_inputs = 2 if arguments.kind == "pastes" else 1
    if len(arguments.inputs) != n_inputs:
        names = "QRELS RUN OUTPUT" if n_inputs == 2 else "INPUT OUTPUT"
        raise ParameterError(f"{arguments.kind}: expected {names}, found {len(arguments.inputs) + 1} files")
    check_inputs(*arguments.inputs)
    # Who writes the same name twice wants a file to become itself; by any other name it is an accident.
    others = [path for path in arguments.inputs if os.path.abspath(path) != os.path.abspath(arguments.target)]
    check_output(arguments.target, others, "OUTPUT")
    with _named_inputs(arguments):
        text, notes = _converted(arguments, _target(arguments))
        write_parts(compressed(text, arguments.target), arguments.target)
    for note in notes:
        say(arguments, f"note: {note}")
    return 0


def _named_inputs(arguments: Namespace) -> ExitStack:
    """Within it, errors that say "run" or "qrels" of where they are say the file."""
    from contextlib import ExitStack

    from treckon.evaluation.run_files import named

    stack = ExitStack()
    kinds = ("qrels", "run") if arguments.kind == "pastes" else (arguments.kind,)
    for kind, path in zip(kinds, arguments.inputs, strict=True):
        if kind not in arguments.inputs:  # else a file of this name may be meant already
            stack.enter_context(named("standard input" if path == "-" else path, kind))
    return stack


def _target(arguments: Namespace) -> Format:
    """The format of the output."""
    possible = writable_formats(_HOLDS[arguments.kind])
    if arguments.to is not None:
        if arguments.to not in possible:
            raise ParameterError(
                f"--to: expected one of {', '.join(possible)} for {arguments.kind}, found {arguments.to}"
            )
        return possible[arguments.to]
    name = arguments.target
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    ending = name.rpartition(".")[2]
    return possible[ending if ending in possible else _USUAL[arguments.kind]]


def _converted(arguments: Namespace, target: Format) -> tuple[Iterator[bytes], list[str]]:
    """The output in pieces, and what is to be said about it."""
    from treckon.inputs.mappings import read_qrels, read_run

    how = {"columns": arguments.columns, "format": arguments.source}
    if arguments.kind == "pastes":
        qrels, retrieved = read_qrels(arguments.inputs[0], **how), read_run(arguments.inputs[1], **how)
        return pair_text(qrels, retrieved, target.name), _notes_on_pastes(qrels, retrieved, target)
    (path,) = arguments.inputs
    if arguments.kind == "qrels":
        qrels = read_qrels(path, **how)
        return qrels_text(qrels, target.name), _notes_on_queries(qrels, target)
    retrieved = read_run(path, **how)
    text = run_text(retrieved, target.name, tag=arguments.tag, depth=arguments.depth)
    return text, [*_notes_on_queries(retrieved, target), *_notes_on_scores(retrieved, target)]


def _notes_on_queries(data: Data, target: Format) -> list[str]:
    n_empty = sum(not documents for documents in data.values())
    if not n_empty or EMPTY_QUERIES not in target.loses:
        return []
    are = "is" if n_empty == 1 else "are"
    return [f"{target.name} has no place for queries without documents: {n_empty} {are} not kept"]


def _notes_on_scores(run: Data, target: Format) -> list[str]:
    """Where scores are more than ranks, which are read as scores -1, -2, ..."""
    if SCORES not in target.loses or all(
        sorted(documents.values(), reverse=True) == [-rank for rank in range(1, len(documents) + 1)]
        for documents in run.values()
    ):
        return []
    return ["scores are not kept, only the order of the documents; it is trec_eval's where scores are equal"]


def _notes_on_pastes(qrels: Data, run: Data, target: Format) -> list[str]:
    notes = _notes_on_scores(run, target)
    if GRADES in target.loses and any(grade != 1 for documents in qrels.values() for grade in documents.values()):
        notes.append("grades are not kept: documents of grade 1 and more are the relevant ones")
    lacking = len(qrels.keys() - run.keys())
    if lacking:
        which = "judged query is" if lacking == 1 else "judged queries are"
        notes.append(f"{lacking} {which} missing from the run; {_stand(lacking)} without ranked documents")
    lacking = len(run.keys() - qrels.keys())
    if lacking:
        which = "query of the run is" if lacking == 1 else "queries of the run are"
        notes.append(f"{lacking} {which} not judged; {_stand(lacking)} without relevant documents")
    return notes


def _stand(n: int) -> str:
    return "it stands there" if n == 1 else "they stand there"
