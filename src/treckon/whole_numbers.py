"""What passes for a whole number: integers of every library, and no truth value."""

from __future__ import annotations

import operator

from treckon.errors import ParameterError, in_short


def is_truth_value(value: object) -> bool:
    """Whether it is True or False, Python's or NumPy's, which before 2.3 passes for a whole number."""
    return type(value).__name__ in ("bool", "bool_")


def whole_number(value: object) -> int | None:
    """The number that `value` is, None where it is no whole number."""
    if is_truth_value(value):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def checked_whole_number(name: str, value: object, lowest: int = 0, highest: int | None = None) -> int:
    """The number. Raises ParameterError that begins with `name` where it is none, or out of bounds."""
    number = whole_number(value)
    if number is None or number < lowest or (highest is not None and number > highest):
        bounds = f"from {lowest}" if highest is None else f"from {lowest} to {highest}"
        raise ParameterError(f"{name}: expected a whole number {bounds}, found {in_short(value)}")
    return number
