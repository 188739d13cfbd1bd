"""What may stand for an id, a score or a grade in Python, and the words for what may not."""

from __future__ import annotations

import math
import numbers

from treckon.checks import whole_number
from treckon.errors import InputError, in_short_with_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Types of which every value is one real number; those of other libraries are added when they are first met.
_real_types: set[type] = {float, int, bool}


class Refused(Exception):
    """A value that can't be read, before it is known where it stands."""

    def at(self, place: str) -> InputError:
        """The same with its place."""
        return InputError(place, str(self))


def id_of(value: object) -> str:
    """A query's or document's id: any text, bytes (UTF-8, what is none is escaped) or whole number. Raises Refused."""
    if isinstance(value, str):
        return str.__str__(value)  # of a subclass, such as NumPy's: the text alone
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "surrogateescape")
    if (number := whole_number(value)) is not None:
        try:
            return str(number)
        except ValueError:  # too many digits
            pass
    raise Refused(f"expected text or a whole number as id, found {in_short_with_type(value)}")


def score_of(value: object) -> float:
    """A score: any real number but NaN. Raises Refused."""
    if is_real(value):
        try:
            score = float(value)  # type: ignore[arg-type]
        except OverflowError:
            raise Refused(f"expected a score that fits a double, found {in_short_with_type(value)}") from None
        except Exception:  # a library's missing value or signalling NaN, or whatever somebody's __float__ raises
            score = math.nan
        if not math.isnan(score):
            return score
    raise Refused(f"expected a number as score, found {in_short_with_type(value)}")


def grade_of(value: Any) -> int:
    """A grade: a whole number of 32 bits, of whatever type. Raises Refused."""
    problem = "expected a whole number as grade, found"
    if not is_real(value):
        raise Refused(f"{problem} {in_short_with_type(value)}")
    try:
        grade = int(value)
        whole = bool(grade == value)
    except Exception:  # NaN and infinities, or whatever somebody's __int__ or __eq__ raises
        raise Refused(f"{problem} {in_short_with_type(value)}") from None
    if not whole:
        advice = "for other gains keep whole grades and give a gain mapping, such as gain={1: 0.5}"
        raise Refused(f"{problem} {in_short_with_type(value)}; {advice}")
    if not -(1 << 31) <= grade < 1 << 31:
        raise Refused(f"expected a grade of at most 32 bits, found {in_short_with_type(value)}")
    return grade


def is_real(value: object) -> bool:
    """Whether this is one real number: Python's, a library's scalar or array of no dimension. Text is none."""
    if type(value) in _real_types:
        return True
    registered = isinstance(value, numbers.Real)
    if isinstance(value, numbers.Complex) and not registered:
        return False
    kind = getattr(getattr(value, "dtype", None), "kind", "f")  # NumPy's times are numbers, too, if one asks them
    if getattr(value, "ndim", 0) != 0 or kind not in ("f", "i", "u", "b"):
        return False
    if not (hasattr(type(value), "__float__") or hasattr(type(value), "__index__")):
        return False
    if registered:
        _real_types.add(type(value))
    return True
