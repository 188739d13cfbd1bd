"""Whether two measures rank runs alike."""

from __future__ import annotations

from math import sqrt

from treckon.errors import EvaluationError
from treckon.statistics.arguments import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float | None:
    """Kendall's tau-b of two series, such as the means of the same runs by two measures.

    tau-b = (pairs in the same order - pairs in opposite order) / sqrt(pairs untied in `first` x those in `second`):
    1 where both rank alike, -1 where one is the reverse of the other (Kendall, The treatment of ties in ranking
    problems, Biometrika 33, 1945). None where all values of a series are equal, or it has only one: it ranks nothing.

    Raises EvaluationError for values that aren't finite numbers, or not equally many.

    >>> from treckon.statistics import kendall_tau
    >>> kendall_tau([0.3, 0.2, 0.1], [0.6, 0.4, 0.5])
    0.3333333333333333
    """
    import numpy

    x, y = numbers(first, "first"), numbers(second, "second")
    if len(x) != len(y):
        raise EvaluationError(f"second: expected {len(x)} values as in the first, found {len(y)}")
    concordance = untied_x = untied_y = 0
    for i in range(len(x) - 1):  # a row of pairs at a time
        signs_x = (x[i + 1 :] > x[i]).astype(int) - (x[i + 1 :] < x[i])
        signs_y = (y[i + 1 :] > y[i]).astype(int) - (y[i + 1 :] < y[i])
        concordance += int((signs_x * signs_y).sum())
        untied_x += int(numpy.count_nonzero(signs_x))
        untied_y += int(numpy.count_nonzero(signs_y))
    if untied_x == 0 or untied_y == 0:
        return None
    return concordance / sqrt(untied_x * untied_y)
