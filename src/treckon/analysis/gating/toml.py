"""TOML, and the line numbers of its keys, which parsers don't give."""

from __future__ import annotations

import re
import sys
from importlib import import_module

from treckon.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _library() -> Any:
    if sys.version_info >= (3, 11):
        return import_module("tomllib")
    try:
        return import_module("tomli")
    except ImportError as error:
        raise ImportError(
            f"a gate's TOML needs tomli before Python 3.11: pip install 'treckon[gate]' ({error})", name="tomli"
        ) from error


def parse_toml(text: bytes, name: str) -> dict[str, Any]:
    """The data of a TOML document. Raises InputError, with the line where it is known."""
    library = _library()
    try:
        data: dict[str, Any] = library.loads(text.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}", "expected UTF-8, found other bytes") from None
    except (library.TOMLDecodeError, RecursionError) as error:
        position = re.search(r"\(at line (\d+), column \d+\)", str(error))
        place = f"{name}:{position[1]}" if position else name
        raise InputError(place, f"expected TOML: {str(error).partition(' (at ')[0] or 'too deep'}") from None
    return data


def key_lines(text: bytes) -> dict[tuple[str, ...], int]:
    """The number of the line that each key, and each table, begins on; keys of inline tables have none.

    For messages only: what looks like a key within a text of several lines is taken for a key.
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"), 1):
        line = line.strip()
        if line.startswith("["):
            table = _path(line.partition("#")[0]) or _path(line) or ()
            path: tuple[str, ...] | None = table
        else:
            ends = [match.start() for match in re.finditer("=", line)]
            keys = next((keys for end in ends if (keys := _path(line[:end] + "= 0"))), None)
            path = None if keys is None else (*table, *keys)
        for n in range(1, len(path or ()) + 1):
            lines.setdefault((path or ())[:n], number)
    return lines


def _path(line: str) -> tuple[str, ...] | None:
    """The keys of a line with one key, from the outermost; None where it has none."""
    library = _library()
    try:
        data = library.loads(line)
    except (library.TOMLDecodeError, RecursionError):
        return None
    path: list[str] = []
    while True:
        if isinstance(data, list):
            data = data[0]
        elif isinstance(data, dict) and len(data) == 1:
            key, data = next(iter(data.items()))
            path.append(key)
        else:
            return tuple(path) or None
