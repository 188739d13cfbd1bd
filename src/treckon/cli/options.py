"""Options that several commands have: measures, conventions, inputs, and how the output looks."""

from __future__ import annotations

import argparse
import os
import re
import stat

from treckon.errors import InputError, ParameterError
from treckon.releases import RELEASES
from treckon.reports.tables import DIGITS, FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

#: Flags that trec_eval has for a convention, or that say more than its name does on a command line.
_FLAGS = {
    "level": ("-l", "--level"),
    "depth": ("-M", "--depth"),
    "seed": ("--ties-seed",),
    "samples": ("--ties-samples",),
}


# Measures


def add_measures(parser: argparse.ArgumentParser, default: Sequence[str]) -> None:
    """Adds ``-m``: `arguments.measures` is a list of texts, `default` where none is given."""
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action=_Measures,
        default=list(default),
        metavar="MEASURE",
        help="a measure by the field's name or trec_eval's, such as nDCG@10, AP(rel=2), P.5,10 or official; repeatable "
        f"(default: {' '.join(default)})",
    )


class _Measures(argparse.Action):
    """Appends, the first time in place of the default."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, value: Any, option_string: Any = None) -> None:
        requested = [] if getattr(namespace, self.dest) is self.default else getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*requested, value])


# Conventions


def add_conventions(parser: argparse.ArgumentParser) -> None:
    """Adds an option for each convention of `treckon.Conventions`; `conventions_of` reads them."""
    from treckon.evaluation.conventions import OPTIONS

    group = parser.add_argument_group("conventions", "The defaults are trec_eval's.")
    for name, option in OPTIONS.items():
        flags = _FLAGS.get(name, ("--" + name.replace("_", "-"),))
        more: dict[str, Any] = {"dest": f"convention_{name}", "default": argparse.SUPPRESS}
        if option.choices:
            more |= {"choices": option.choices}
        elif name == "compat":
            more |= {"choices": RELEASES}
        elif name == "ignore_self":
            more |= {"action": "store_true"}
        else:
            more |= {"type": _READERS.get(name, whole_number), "metavar": _METAVARS.get(name, "N")}
        meaning = option.meaning.replace("None:", "without it:").replace("`seed`", "--ties-seed")
        group.add_argument(*flags, help=_HELP.get(name, meaning).replace("%", "%%"), **more)
    for flag, name, value in (("-c", "missing", "zero"), ("-J", "unjudged", "condensed")):
        group.add_argument(
            flag,
            dest=f"convention_{name}",
            action="store_const",
            const=value,
            default=argparse.SUPPRESS,
            help=f"--{name} {value}, as in trec_eval",
        )


def conventions_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The conventions that were given, by name: keyword arguments of `treckon.Evaluator`."""
    prefix = "convention_"
    return {name[len(prefix) :]: value for name, value in vars(arguments).items() if name.startswith(prefix)}


def whole_number(text: str) -> int:
    """A whole number as an argument of a parser."""
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", text):
        raise argparse.ArgumentTypeError(f"expected a whole number, found '{text}'")
    return int(text)


def count(text: str) -> int:
    """A whole number from 0 as an argument of a parser. Whoever uses it checks how large it may be."""
    if not re.fullmatch(r"[0-9]{1,20}", text):
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, found '{text}'")
    return int(text)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def share(text: str) -> float:
    """A number above 0 and below 1 as an argument of a parser."""
    number = _number(text)
    if number is None or not 0.0 < number < 1.0:
        raise argparse.ArgumentTypeError(f"expected a number above 0 and below 1, found '{text}'")
    return number


def _gain(text: str) -> object:
    """linear, exp2, binary, binary:2, or 0=0,1=1,2=3."""
    if text in ("linear", "exp2", "binary"):
        return text
    name, _, grade = text.partition(":")
    if name == "binary" and re.fullmatch(r"[0-9]{1,9}", grade):
        return (name, int(grade))
    pairs = [pair.partition("=") for pair in text.split(",")]
    gains = {int(grade): _number(gain) for grade, _, gain in pairs if re.fullmatch(r"[0-9]{1,9}", grade)}
    if len(gains) == len(pairs) and None not in gains.values():
        return gains
    raise argparse.ArgumentTypeError(f"expected linear, exp2, binary:GRADE or GRADE=GAIN,GRADE=GAIN, found '{text}'")


def _discount(text: str) -> object:
    """log2, none, or jk:2."""
    if text in ("log2", "none"):
        return text
    name, _, base = text.partition(":")
    if name == "jk" and (number := _number(base)) is not None:
        return (name, number)
    raise argparse.ArgumentTypeError(f"expected log2, none or jk:BASE, found '{text}'")


_READERS: dict[str, Callable[[str], object]] = {"gain": _gain, "discount": _discount}
_METAVARS = {"gain": "GAIN", "discount": "DISCOUNT"}
#: Where a command line writes it otherwise than Python.
_HELP = {
    "gain": "linear, exp2, binary:GRADE or GRADE=GAIN,GRADE=GAIN, for measures with gains",
    "discount": "log2, none or jk:BASE, for measures with discounts",
}


# Statistics


def add_statistics(group: argparse._ActionsContainer, alpha: str) -> None:
    """Adds method, confidence, alpha, resamples and seed, arguments of the functions that resample.

    alpha: what alpha is the level of
    """
    from treckon.statistics.bootstrap import METHODS

    group.add_argument(
        "--interval",
        dest="method",
        choices=METHODS,
        default=METHODS[0],
        help="kind of bootstrap interval (default: %(default)s)",
    )
    group.add_argument(
        "--confidence", type=share, default=0.95, metavar="X", help="confidence of the intervals (default: %(default)s)"
    )
    group.add_argument(
        "--alpha", type=share, default=0.05, metavar="X", help=f"significance level of {alpha} (default: %(default)s)"
    )
    group.add_argument(
        "--resamples", type=count, default=10_000, metavar="N", help="number of resamples (default: %(default)s)"
    )
    group.add_argument(
        "--seed", type=count, default=0, metavar="N", help="seed of the resampling (default: %(default)s)"
    )


def statistics_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `add_statistics` adds: keyword arguments of `treckon.compare` and `treckon.leaderboard`."""
    return {name: getattr(arguments, name) for name in ("method", "confidence", "alpha", "resamples", "seed")}


# Inputs and output


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Adds qrels_format, run_format, qrels_columns, run_columns and threads, arguments of `treckon.evaluate`."""
    from treckon.inputs.formats.registry import GROUPED, QRELS, RUN, names_of

    group = parser.add_argument_group(
        "inputs", "A file may be '-' (standard input), a pipe, or compressed with gzip, bzip2, xz or zstd."
    )
    group.add_argument(
        "--qrels-format",
        choices=(*names_of(QRELS), *names_of(GROUPED)),
        help="format of the judgements (default: told from their first line). trec_eval's formats of preferences and "
        "of groups of assessors have to be named",
    )
    group.add_argument(
        "--run-format", choices=names_of(RUN), help="format of the runs (default: told from their first line)"
    )
    add_columns(group, "--qrels-columns")
    add_columns(group, "--run-columns")
    group.add_argument(
        "--threads", type=count, default=0, metavar="N", help="threads that read a run (default: as many as can run)"
    )


def inputs_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `add_inputs` adds: keyword arguments of `treckon.evaluate`."""
    names = "qrels_columns", "run_columns", "qrels_format", "run_format", "threads"
    return {name: getattr(arguments, name) for name in names}


def check_inputs(*paths: str | None) -> None:
    """Raises InputError where more than one of the files is standard input; None stands for no file."""
    if paths.count("-") > 1:
        raise InputError("standard input", "expected one file from it, found '-' more than once")


def check_own_file(option: str, path: str, others: Iterable[str | None]) -> None:
    """Raises ParameterError where a file to write is standard output or one of the other files.

    others: paths, of files or of folders whose files are read; None stands for no file; ``-`` is standard input
    """
    if path == "-" or _is_among(path, others):
        raise ParameterError(f"{option}: expected a file of its own, found '{path}'")


def check_output(path: str | None, inputs: Iterable[str | None], option: str = "--output") -> None:
    """Raises ParameterError where the output would take the place of something that is read.

    path:   None and ``-`` are standard output
    inputs: as `check_own_file` takes other files
    option: what names it on the command line
    """
    if path is not None and path != "-" and (os.path.isfile(path) or not os.path.exists(path)):
        # What is neither, such as a terminal, may be read and written.
        check_own_file(option, path, inputs)


def _is_among(path: str, others: Iterable[str | None]) -> bool:
    if "\0" in path:
        return False
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    for other in others:
        if other is None or "\0" in other:
            continue
        own = None if other == "-" else os.path.realpath(other)
        if own == real or (own == folder and not name.startswith(".")):  # hidden files of a folder are not read
            return True
        if any(_is_same_file(path, file) for file in _files_of(other)):
            return True
    return False


def _files_of(path: str) -> list[str]:
    """What is read of an input: itself, or what lies in a folder."""
    if path == "-":
        return ["/dev/stdin"]
    if os.path.isdir(path):
        return [os.path.join(path, name) for name in os.listdir(path) if not name.startswith(".")]
    return [path]


def _is_same_file(path: str, other: str) -> bool:
    """Whether both are the same regular file, under whatever names: links, /dev/fd/N."""
    try:
        status = os.stat(path)
        return stat.S_ISREG(status.st_mode) and os.path.samestat(status, os.stat(other))
    except OSError:
        return False


def add_columns(parser: argparse._ActionsContainer, flag: str) -> None:
    """Adds an option with the names of the columns of a table: `columns` of the API."""
    parser.add_argument(
        flag,
        type=_columns,
        metavar="QUERY,DOCUMENT,NUMBER",
        help="names of a table's columns (default: the usual names, such as query_id,doc_id,score)",
    )


def _columns(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if len(names) != 3:
        raise argparse.ArgumentTypeError(f"expected three names with commas between, found '{text}'")
    return names


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Adds what `output.write_tables` and `output.say` need: `format`, `digits`, `output`, `quiet`."""
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=FORMATS, help="default: table on a terminal, tsv in a pipe or file")
    group.add_argument(
        "--digits",
        type=_digits,
        default=DIGITS,
        metavar="N",
        help=f"decimals, 0 to 17 (default: {DIGITS}); json has all",
    )
    group.add_argument(
        "-o", "--output", metavar="FILE", help="write to this file, whole or not at all, instead of standard output"
    )
    add_quiet(group)


def add_quiet(parser: argparse._ActionsContainer) -> None:
    """Adds what `output.say` needs: `quiet`."""
    parser.add_argument("--quiet", action="store_true", help="no notes, warnings or progress on standard error")


def _digits(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,2}", text) or int(text) > 17:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to 17, found '{text}'")
    return int(text)
