"""Checks of arguments: whole numbers, numbers, choices.

Whole numbers are the integers of any library, but not truth values.
"""

from __future__ import annotations

import operator
from math import isfinite

from treckon.errors import ParameterError, in_short, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def is_truth_value(value: object) -> bool:
    """Whether it is True or False, Python's or NumPy's, which before 2.3 passes for a whole number."""
    return type(value).__name__ in ("bool", "bool_")


def whole_number(value: object) -> int | None:
    """The number that `value` is, or None where it isn't a whole number."""
    if is_truth_value(value):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def finite_number(value: object) -> float | None:
    """The number that `value` is, or None where it isn't finite, or is a text or a truth value."""
    if isinstance(value, (str, bytes)) or is_truth_value(value):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def checked_whole_number(name: str, value: object, lowest: int = 0, highest: int | None = None) -> int:
    """The number. Raises ParameterError that begins with `name` where it is none, or out of bounds."""
    number = whole_number(value)
    if number is None or number < lowest or (highest is not None and number > highest):
        bounds = f"from {lowest}" if highest is None else f"from {lowest} to {highest}"
        raise ParameterError(place=name, expected=f"a whole number {bounds}", found=in_short(value))
    return number


def checked_share(name: str, value: object) -> float:
    """The number, above 0 and below 1. Raises ParameterError that begins with `name`."""
    number = finite_number(value)
    if number is None or not 0.0 < number < 1.0:
        raise ParameterError(place=name, expected="a number above 0 and below 1", found=in_short(value))
    return number


def checked_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """The value, one of the choices. Raises ParameterError that begins with `name`."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(place=name, expected=one_of(choices), found=in_short(value))
    return value
