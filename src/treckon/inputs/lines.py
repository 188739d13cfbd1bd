"""Lines of text in Python: what is common to all that are not the scanner's."""

from __future__ import annotations

import os

from treckon.errors import InputError, Notice, Place, shortened

CR_ALONE = "expected lines that end with LF or CR LF, found CR alone"


def text_of(data: bytes) -> str:
    """The text of some bytes; what is no UTF-8 is escaped."""
    return data.decode("utf-8", "surrogateescape")


def fields_error(place: str, line: bytes, expected: str, n_fields: int, advice: str = "") -> InputError:
    """The error for a line with another number of fields than expected."""
    if b"\r" in line:
        return InputError(place, CR_ALONE)
    return InputError(place, f"expected {expected}, found {n_fields}{advice}")


def partly_read(place: Place, expected: str, field: bytes | str, name: str, n: int) -> Notice:
    """The warning about numbers that are none to their end: about the first one, and how many there are."""
    text = shortened(os.fsdecode(field))
    found = f"'{text}'; read up to the first character that is no part of one, as trec_eval does (such {name}s: {n})"
    return Notice(place=place, expected=expected, found=found, kind="not a number")
