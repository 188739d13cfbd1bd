"""Results as trec_eval prints them: name, query, value."""

from __future__ import annotations

from treckon.measures.registry import INTEGER, REAL, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from treckon.naming.trec_eval import RequestedMeasure


def _template(measure: RequestedMeasure, prefix: bytes, force_real: bool) -> bytes:
    """The line of one printed name, with NUL where the query's id belongs and a conversion for the value."""
    name = (b"%-22b" % measure.name.encode("utf-8", "surrogateescape")).replace(b"%", b"%%")
    value_type = REAL if force_real and measure.record.value_type == INTEGER else measure.record.value_type
    conversion = {REAL: b"%6.4f", INTEGER: b"%d", TEXT: b"'%b'"}[value_type]
    return prefix + name + b"\t\0\t" + conversion + b"\n"


class QueryBlocks:
    """Makes each query's block of lines.

    measures:   the printed names, in order; `values` of `block` come in the same order
    zscores:    whether the values are z-scores: then all are real and their names begin with Z
    """

    def __init__(self, measures: Sequence[RequestedMeasure], zscores: bool = False) -> None:
        self._columns = [i for i, measure in enumerate(measures) if measure.record.per_query]
        lines = []
        for i in self._columns:
            is_text = measures[i].record.value_type == TEXT
            lines.append(_template(measures[i], b"Z" if zscores and not is_text else b"", zscores))
        self._template = b"".join(lines)

    def block(self, qid: bytes, values: Sequence[float | bytes]) -> bytes:
        """The lines of one query."""
        text = self._template % tuple([values[i] for i in self._columns])
        return text.replace(b"\0", qid)


def summary_lines(
    measures: Sequence[RequestedMeasure], values: Sequence[float | bytes], zscores: bool = False
) -> Iterator[bytes]:
    """The lines for all queries together."""
    for measure, value in zip(measures, values, strict=True):
        if not measure.record.summary:
            continue
        if isinstance(value, bytes):  # the run's tag, printed without quotes
            yield b"%-22b\tall\t%b\n" % (measure.name.encode(), value)
        else:
            line = _template(measure, b"Z" if zscores else b"", zscores)
            yield line.replace(b"\0", b"all") % value
