"""Lines of text in Python: what is common to all that are not the scanner's."""

from __future__ import annotations

from treckon.errors import InputError


def text_of(data: bytes) -> str:
    """The text of some bytes; what is no UTF-8 is escaped."""
    return data.decode("utf-8", "surrogateescape")


def fields_error(place: str, line: bytes, expected: str, n_fields: int, advice: str = "") -> InputError:
    """The error for a line with another number of fields than expected."""
    if b"\r" in line:
        return InputError(place, "expected lines that end with LF or CR LF, found CR alone")
    return InputError(place, f"expected {expected}, found {n_fields}{advice}")
