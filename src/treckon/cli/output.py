"""What the commands print: to standard output or a file, whole or not at all; notes and warnings on standard error."""

from __future__ import annotations

import sys

from treckon.errors import TreckonError
from treckon.inputs.sinks import write_all, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence
    from typing import TextIO

    from treckon.naming.syntax import Measure
    from treckon.reports.tables import Column, Table


class OutputError(TreckonError):
    """Output that can't be written."""


def write(text: str, path: str | None = None) -> None:
    """Writes a command's output, all of it at once.

    text: bytes of files that are no UTF-8 are surrogates in it, and become these bytes again
    path: of a file, which is written whole or not at all; None or ``-``: standard output

    Where nobody reads standard output any more, it fails in silence. Raises OutputError.
    """
    write_parts([text.encode("utf-8", "surrogateescape")], path)


def write_parts(parts: Iterable[bytes], path: str | None = None) -> None:
    """Writes bytes as `write` writes text: nothing goes out before the last part is there."""
    if path == "":
        raise OutputError("output: expected a path, found empty text")
    try:
        if path is not None and path != "-":
            if "\0" in path:  # the interpreter's own words for it differ from release to release
                raise OSError(None, "a path has no NUL")
            write_whole(parts, path)
        else:
            to_standard_output(list(parts))
    except BrokenPipeError:  # the reader has seen enough
        pass
    except OSError as error:
        place = "standard output" if path is None or path == "-" else path
        raise OutputError(f"{place}: cannot write it: {error.strerror}") from None


def to_standard_output(parts: Iterable[bytes]) -> None:
    """Writes each part as it arrives. Raises OSError; BrokenPipeError where nobody reads any more."""
    if sys.stdout is None:
        raise OSError(None, "it is closed")
    _to_stream(sys.stdout, parts)


def _to_stream(stream: TextIO, parts: Iterable[bytes]) -> None:
    """Writes to standard output or standard error.

    Not by its own methods: unbuffered (PYTHONUNBUFFERED) they leave out what isn't taken at once, and buffered they
    keep what can't be written, to fail again at the end of the process.
    """
    try:
        fd = stream.fileno()
    except (AttributeError, OSError, ValueError):  # it isn't the process's: a program collects what we write
        data = b"".join(parts)
        if hasattr(stream, "buffer"):
            stream.buffer.write(data)
            stream.buffer.flush()
        else:
            stream.write(data.decode("utf-8", "surrogateescape"))
        return
    stream.flush()
    write_all(fd, parts)


def write_tables(arguments: Namespace, tables: Table | Sequence[Table], data: object = None) -> None:
    """Writes tables as the options of `options.add_formats` say.

    data: what JSON has in place of the tables: dictionaries, lists, texts and numbers

    Raises OutputError.
    """
    from treckon.reports.tables import render

    width, terminal = None, _to_terminal(arguments)
    if terminal:
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    format = chosen_format(arguments)
    write(render(tables, format, width, terminal, digits=arguments.digits, data=data), arguments.output)


def measure_column(measure: Measure) -> Column:
    """A column of values of a measure: whole numbers, texts or others."""
    from treckon.measures.registry import INTEGER, TEXT
    from treckon.reports.tables import Column

    kind = {INTEGER: "integer", TEXT: "text"}.get(measure.record.value_type, "real")
    return Column(str(measure), kind)


def chosen_format(arguments: Namespace) -> str:
    """The format of the output: one of `tables.FORMATS`."""
    chosen: str | None = arguments.format
    return chosen or ("table" if _to_terminal(arguments) else "tsv")


def _to_terminal(arguments: Namespace) -> bool:
    return arguments.output in (None, "-") and is_terminal(sys.stdout)


def is_terminal(stream: object) -> bool:
    """Whether a person reads this stream: a terminal."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def say(arguments: Namespace, message: str) -> None:
    """A note or warning on standard error, in the command's name; nothing with ``--quiet``."""
    if not arguments.quiet:
        tell(f"treckon {arguments.command}: {message}\n")


#: Characters that control a terminal: ids in files may have them, and messages quote ids.
_CONTROLS = {c: repr(chr(c))[1:-1] for c in (*range(32), *range(127, 160)) if chr(c) not in "\t\n"}


def tell(text: str) -> None:
    """Writes to standard error, where there is one that takes it."""
    try:
        if sys.stderr is not None:
            encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
            _to_stream(sys.stderr, [text.translate(_CONTROLS).encode(encoding, "backslashreplace")])
    except OSError:
        pass
