"""Z-scores: values as distances from a mean, in standard deviations, both of them read from a file."""

from __future__ import annotations

import os
from math import isfinite

from treckon._native.numbers import real_prefix
from treckon.errors import InputError, shortened
from treckon.inputs.lines import fields_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treckon.inputs.sources import Source

#: What trec_eval makes of a value whose mean and standard deviation are unknown, or tell nothing about it.
NO_ZSCORE = -1000000.0

_FIELDS = "qid measure mean deviation"


class ZScores:
    """Mean and standard deviation of values by query and printed name.

    doubt: one sentence about numbers that were read only in part, or None
    """

    __slots__ = ("_norms", "doubt")

    def __init__(self, norms: dict[tuple[bytes, bytes], tuple[float, float]], doubt: str | None = None) -> None:
        self._norms = norms
        self.doubt = doubt

    def zscore(self, qid: bytes, name: str, value: float) -> float:
        """(value - mean) / standard deviation.

        NO_ZSCORE where the file has no line for the query and name. Where the deviation is 0, 0 for the mean itself and
        NO_ZSCORE for any other value; NO_ZSCORE too where it is so small that the quotient is infinite.
        """
        norm = self._norms.get((qid, name.encode("utf-8", "surrogateescape")))
        if norm is None:
            return NO_ZSCORE
        mean, deviation = norm
        if deviation == 0.0:
            return 0.0 if value == mean else NO_ZSCORE
        zscore = (value - mean) / deviation
        return zscore if isfinite(zscore) else NO_ZSCORE


def read_zscores(source: Source, *, strict: bool = False) -> ZScores:
    """Reads a file of lines ``qid measure mean deviation``, in any order. Raises InputError with file and line.

    A number that isn't one to its end is read up to there, as trec_eval does, and told by `ZScores.doubt`; with
    `strict` it is an error.
    """
    norms: dict[tuple[bytes, bytes], tuple[float, float]] = {}
    doubts: list[str] = []
    for number, line in source.lines():
        place, fields = f"{source.name}:{number}", line.split()
        if not fields:
            continue
        if len(fields) != 4:
            raise fields_error(place, line, f"4 fields ({_FIELDS})", len(fields))
        qid, name, mean, deviation = fields
        norm = _number(place, "mean", mean, doubts), _number(place, "deviation", deviation, doubts)
        if strict and doubts:
            raise InputError(place, doubts[0].removeprefix(f"{place}: "))
        if norms.setdefault((qid, name), norm) != norm:
            raise InputError(place, _duplicate(source, qid, name))
    doubt = None
    if doubts:
        doubt = (
            f"{doubts[0]}; read up to the first character that is no part of one, as trec_eval does "
            f"(such numbers: {len(doubts)})"
        )
    return ZScores(norms, doubt)


def _number(place: str, field: str, text: bytes, doubts: list[str]) -> float:
    found = os.fsdecode(text)
    value: float
    value, whole = real_prefix(found)
    if not isfinite(value):
        raise InputError(place, f"expected a finite number as {field}, found '{shortened(found)}'")
    if not whole:
        doubts.append(f"{place}: expected a number as {field}, found '{shortened(found)}'")
    return value


def _duplicate(source: Source, qid: bytes, name: bytes) -> str:
    first = next(number for number, line in source.lines() if line.split()[:2] == [qid, name])
    return (
        f"expected one mean and deviation for a query and measure, found another for measure '{shortened(name)}' of "
        f"query '{shortened(qid)}' on line {first}"
    )
