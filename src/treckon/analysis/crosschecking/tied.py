"""Orders of documents with equal scores that come from how a tool sorts, and are no convention of ours."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Orders of ties by how a tool sorts, as `changes` names them.
BACKWARDS, QUICKSORT, QUICKSORT_TWICE, QUICKSORT_BACKWARDS = (
    "ties in reverse of the order listed", "ties as a quicksort leaves them", "ties as two quicksorts leave them",
    "ties as a quicksort leaves them, reversed",
)  # fmt: skip

#: Rankings of so many documents or fewer are sorted by insertion, which leaves equal scores as they stand.
MOST_INSERTED = 15


def backwards(scores: dict[str, float]) -> dict[str, float]:
    """Scores with the documents listed from the last to the first."""
    return dict(reversed(scores.items()))


def by_quicksort(scores: dict[str, float]) -> dict[str, float]:
    """Scores with the documents listed as a quicksort of falling scores leaves them."""
    return _listed(scores, lambda values: quicksorted([-one for one in values]))


def by_quicksort_backwards(scores: dict[str, float]) -> dict[str, float]:
    """Scores with the documents listed as a quicksort of rising scores leaves them, from the last to the first."""
    return _listed(scores, lambda values: quicksorted(values)[::-1])


def by_quicksort_twice(scores: dict[str, float]) -> dict[str, float]:
    """As `by_quicksort`, done twice: the second sort moves documents with equal scores again."""
    return by_quicksort(by_quicksort(scores))


def _listed(scores: dict[str, float], order: Callable[[Sequence[float]], list[int]]) -> dict[str, float]:
    values = list(scores.values())
    if len({*values}) == len(values):
        return scores
    ids = list(scores)
    return {ids[i]: values[i] for i in order(values)}


#: What lists a ranking so that ties as listed are those of a tool's sort.
SORTED = {
    BACKWARDS: backwards,
    QUICKSORT: by_quicksort,
    QUICKSORT_TWICE: by_quicksort_twice,
    QUICKSORT_BACKWARDS: by_quicksort_backwards,
}


def quicksorted(values: Sequence[float]) -> list[int]:
    """The places of values in rising order, equal ones where the sort that numba compiles leaves them.

    A quicksort with the median of three as the pivot, and insertion for short parts. It is not stable: which of equal
    values comes first depends on all of them.
    """
    order = list(range(len(values)))
    parts = [(0, len(values) - 1)]
    while parts:
        low, high = parts.pop()
        while high - low >= MOST_INSERTED:
            pivot = _partition(values, order, low, high)
            if high - pivot > pivot - low:  # the larger part waits
                parts.append((pivot + 1, high))
                high = pivot - 1
            else:
                parts.append((low, pivot - 1))
                low = pivot + 1
        for i in range(low + 1, high + 1):
            this = order[i]
            value = values[this]
            while i > low and value < values[order[i - 1]]:
                order[i] = order[i - 1]
                i -= 1
            order[i] = this
    return order


def _partition(values: Sequence[float], order: list[int], low: int, high: int) -> int:
    """Puts what is less than a pivot before it and what is more behind it; where the pivot stands then."""
    middle = (low + high) >> 1
    for one, other in ((low, middle), (middle, high), (low, middle)):
        if values[order[other]] < values[order[one]]:
            order[one], order[other] = order[other], order[one]
    pivot = values[order[middle]]
    order[high], order[middle] = order[middle], order[high]
    i, j = low, high - 1
    while True:
        while i < high and values[order[i]] < pivot:
            i += 1
        while j >= low and pivot < values[order[j]]:
            j -= 1
        if i >= j:
            break
        order[i], order[j] = order[j], order[i]
        i += 1
        j -= 1
    order[i], order[high] = order[high], order[i]
    return i
