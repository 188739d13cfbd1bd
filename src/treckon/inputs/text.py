"""Text that is passed in: the path of a file, an open file, or the text itself."""

from __future__ import annotations

import os
from collections.abc import Iterable

from treckon.errors import InputError
from treckon.inputs.sources import BLOCK_SIZE, Source
from treckon.inputs.values import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def open_text(data: object, name: str) -> Source | None:
    """The bytes of a path, an open file, bytes or text; None for data of other forms. Raises InputError."""
    if isinstance(data, Source):
        return data
    if isinstance(data, str) and not is_content(data):
        if not data:
            raise InputError(name, "expected a path, found empty text")
        return Source(data)
    if isinstance(data, os.PathLike):
        return Source(data)
    if isinstance(data, (str, bytes, bytearray, memoryview)):
        return kept([data], name)
    if callable(getattr(data, "read", None)):
        own_name = getattr(data, "name", None)
        return kept(_read_blocks(data), own_name if isinstance(own_name, str) else name)
    return None


def is_path(data: object) -> bool:
    """Whether this is the path of a file."""
    return isinstance(data, os.PathLike) or (isinstance(data, str) and not is_content(data))


def is_content(text: str) -> bool:
    """Whether a str is the text itself: more than a line, or fields, or JSON. Else it is a path."""
    return "\n" in text or "\t" in text or (text[:1] + text[-1:]) in ("{}", "[]")


def _read_blocks(stream: Any) -> Iterator[Any]:
    while block := stream.read(BLOCK_SIZE):
        yield block


def kept(blocks: Iterable[Any], name: str) -> Source:
    """A source of these bytes, by way of a temporary file, which it can read as often and in as many shares as any.

    Raises InputError where there are none, or they can't be kept.
    """
    from tempfile import NamedTemporaryFile

    try:
        with NamedTemporaryFile(prefix="treckon-") as file:
            for block in blocks:
                if isinstance(block, str):
                    block = block.encode("utf-8", "surrogateescape")
                elif not isinstance(block, (bytes, bytearray, memoryview)):
                    raise InputError(name, f"expected read() to return bytes or text, found {shown(block)}")
                file.write(block)
            file.flush()
            if file.tell() == 0:
                raise InputError(name, "cannot read it: it is empty")
            source = Source(file.name)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(name, f"cannot read it: {getattr(error, 'strerror', None) or error}") from None
    source.name = name
    return source
