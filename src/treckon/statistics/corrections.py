"""p-values corrected for the number of tests."""

from __future__ import annotations

from treckon.checks import checked_choice
from treckon.errors import EvaluationError
from treckon.statistics.arguments import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: The methods of `adjust`.
CORRECTIONS = ("holm", "bonferroni", "benjamini-hochberg", "none")


def adjust(p_values: Iterable[float], method: str = "holm") -> list[float]:
    """Adjusted p-values, in the order given: each may be compared with the level as if it were the only one.

    method: one of
            bonferroni          times their number: the chance of any false finding stays below the level
            holm                the same guarantee with more power
            benjamini-hochberg  the expected share of false ones among the findings stays below the level, of tests that
                                are independent or positively dependent
            none                as they are

    Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979; Benjamini
    & Hochberg, Controlling the false discovery rate, JRSS B 57, 1995.

    Raises EvaluationError for a p-value that isn't between 0 and 1, ParameterError for the method.

    >>> from treckon.statistics import adjust
    >>> adjust([0.01, 0.04, 0.03], "holm")
    [0.03, 0.06, 0.06]
    """
    checked_choice("correction", method, CORRECTIONS)
    p_values = list(p_values)
    if not p_values:
        return []
    raw = [float(p) for p in numbers(p_values, "p-values")]
    for p in raw:
        if not 0.0 <= p <= 1.0:
            raise EvaluationError(f"p-values: expected numbers from 0 to 1, found {p!r}")
    n = len(raw)
    if method == "none":
        return raw
    if method == "bonferroni":
        return [min(1.0, p * n) for p in raw]
    rising = sorted(range(n), key=raw.__getitem__)
    adjusted = [1.0] * n
    if method == "holm":
        reached = 0.0
        for rank, i in enumerate(rising):
            reached = max(reached, min(1.0, (n - rank) * raw[i]))
            adjusted[i] = reached
    else:
        reached = 1.0
        for rank in range(n, 0, -1):
            i = rising[rank - 1]
            reached = min(reached, raw[i] * n / rank)
            adjusted[i] = reached
    return adjusted
