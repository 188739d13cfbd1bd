"""Runs that are files: what they are called, and their evaluation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import contextmanager, nullcontext

from treckon.errors import EvaluationError, InputError, NoQueriesError
from treckon.inputs.sources import Source
from treckon.inputs.text import is_path, kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from treckon.evaluation.evaluator import Evaluator
    from treckon.evaluation.results import Evaluation


def run_names(paths: Sequence[str]) -> list[str]:
    """A name for each path, in this order, no name twice.

    It is as many of the path's last parts as tell it from the others; of a path listed twice, the second with a number.
    """
    parts = [[part for part in path.split("/") if part] or [path] for path in paths]
    names: dict[str, None] = {}
    for own in parts:
        name = numbered = _shortest(own, [other for other in parts if other != own])
        n = 1
        while numbered in names:
            n += 1
            numbered = f"{name} ({n})"
        names[numbered] = None
    return list(names)


def _shortest(own: list[str], others: list[list[str]]) -> str:
    for n in range(1, len(own)):
        if all(other[-n:] != own[-n:] for other in others):
            return "/".join(own[-n:])
    return "/".join(own)


def run_paths(runs: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files that paths stand for: themselves, and of a folder its files by name, but for hidden ones.

    A link in a folder that leads to no file is one of them, so that its reader is told.

    Raises InputError for what isn't there, and for a folder without files.
    """
    paths = []
    for run in runs:
        path = os.fspath(run)
        if not os.path.isdir(path):
            if path != "-" and not os.path.exists(path):
                raise InputError(path, "cannot read it: No such file or directory")
            paths.append(path)
            continue
        names = sorted(name for name in os.listdir(path) if not name.startswith("."))
        inside = [os.path.join(path, name) for name in names]
        files = [file for file in inside if os.path.isfile(file) or not os.path.exists(file)]  # links to nothing, too
        if not files:
            raise InputError(path, "expected a folder with runs, found no files in it")
        paths += files
    return paths


def rereadable(source: Source) -> Source:
    """A source of the same bytes that is quick to read again: of a pipe and of a compressed file a temporary copy.

    The source itself may be closed then. Raises InputError where there is nothing in it.
    """
    return source if source.plain is not None else kept(source.blocks(), source.name)


def evaluate_file(
    evaluator: Evaluator, run: Source, *, columns: Sequence[str] | None = None, format: str | None = None
) -> Evaluation:
    """The values of a run in a file.

    run: the file; it stays open
    columns, format: as with `Evaluator.evaluate`

    Raises what `Evaluator.evaluate` does; every message says the file's name.
    """
    with named(run.name):
        return evaluator.evaluate(run, columns=columns, format=format)


def evaluate_judged(
    evaluator: Evaluator,
    run: Any,
    name: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    format: str | None = None,
) -> Evaluation:
    """As `Evaluator.evaluate`, but a run with none of the judged queries is refused also where all of them count.

    name: what messages call a run that is no path; None: nothing
    """
    if is_path(run):
        with Source(run) as source:
            return evaluate_judged(evaluator, source, source.name, columns=columns, format=format)
    with nullcontext() if name is None else named(name):
        evaluation = evaluator.evaluate(run, columns=columns, format=format)
        if evaluation.counts.in_both == 0:
            if isinstance(run, (Source, Mapping)):  # it can be read again: says which queries there are
                evaluator.changed(missing="skip").evaluate(run, columns=columns, format=format)
            raise NoQueriesError("expected a query with both results and judgements, found none")
    return evaluation


@contextmanager
def named(name: str, kind: str = "run") -> Iterator[None]:
    """Within it, errors that say "run" of where they are, or another `kind` of data, say this name."""
    try:
        yield
    except NoQueriesError as error:  # the run's fault
        if kind != "run":
            raise
        raise error.at(name) from None
    except (InputError, EvaluationError) as error:
        rest = error.place.removeprefix(kind)
        if rest == error.place or rest[:1] not in ("", ":"):
            raise
        raise error.at(name + rest) from None
