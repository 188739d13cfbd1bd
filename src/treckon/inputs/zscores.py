"""Z-scores: values as distances from a mean, in standard deviations, both of them read from a file."""

from __future__ import annotations

import os
from math import isfinite

from treckon._native.numbers import real_prefix
from treckon.errors import InputError, Notice, Place, shortened
from treckon.inputs.lines import fields_error, partly_read
from treckon.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treckon.inputs.sources import Source

#: What trec_eval makes of a value whose mean and standard deviation are unknown, or tell nothing about it.
NO_ZSCORE = -1000000.0

_FIELDS = "qid measure mean deviation"


class ZScores(Record):
    """Mean and standard deviation of values by query and printed name.

    warnings: about numbers that were read only in part
    """

    norms: dict[tuple[bytes, bytes], tuple[float, float]]
    warnings: tuple[Notice, ...] = ()

    def zscore(self, qid: bytes, name: str, value: float) -> float:
        """(value - mean) / standard deviation.

        NO_ZSCORE where the file has no line for the query and name. Where the deviation is 0, 0 for the mean itself and
        NO_ZSCORE for any other value; NO_ZSCORE too where it is so small that the quotient is infinite.
        """
        norm = self.norms.get((qid, name.encode("utf-8", "surrogateescape")))
        if norm is None:
            return NO_ZSCORE
        mean, deviation = norm
        if deviation == 0.0:
            return 0.0 if value == mean else NO_ZSCORE
        zscore = (value - mean) / deviation
        return zscore if isfinite(zscore) else NO_ZSCORE


def read_zscores(source: Source, *, strict: bool = False) -> ZScores:
    """Reads a file of lines ``qid measure mean deviation``, in any order. Raises InputError with file and line.

    A number that isn't one to its end is read up to there, as trec_eval does, and told by `ZScores.warnings`; with
    `strict` it is an error.
    """
    norms: dict[tuple[bytes, bytes], tuple[float, float]] = {}
    partial: list[tuple[Place, str, bytes]] = []  # numbers that are none to their end
    for number, line in source.lines():
        place, fields = Place(source.name, line=number, is_file=True), line.split()
        if not fields:
            continue
        if len(fields) != 4:
            raise fields_error(place, line, f"4 fields ({_FIELDS})", len(fields))
        qid, name, *numbers = fields
        values = []
        for field_name, field in zip(("mean", "deviation"), numbers, strict=True):
            value, is_whole = real_prefix(os.fsdecode(field))
            if not isfinite(value):
                raise InputError(place, f"expected a finite number as {field_name}, found '{shortened(field)}'")
            if not is_whole:
                partial.append((place, f"a number as {field_name}", field))
            values.append(value)
        if strict and partial:
            raise InputError(place, f"expected {partial[0][1]}, found '{shortened(partial[0][2])}'")
        mean, deviation = values
        if norms.setdefault((qid, name), (mean, deviation)) != (mean, deviation):
            raise InputError(place, _duplicate(source, qid, name))
    return ZScores(norms, (partly_read(*partial[0], "number", len(partial)),) if partial else ())


def _duplicate(source: Source, qid: bytes, name: bytes) -> str:
    first = next(number for number, line in source.lines() if line.split()[:2] == [qid, name])
    return (
        f"expected one mean and deviation for a query and measure, found another for measure '{shortened(name)}' of "
        f"query '{shortened(qid)}' on line {first}"
    )
