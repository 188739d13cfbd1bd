"""The arguments of this package's functions, checked and as arrays."""

from __future__ import annotations

from math import frexp, fsum, isfinite

from treckon.checks import checked_whole_number
from treckon.errors import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any, TypeAlias

    import numpy
    from numpy.typing import ArrayLike

    Array: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

MOST_RESAMPLES = 10_000_000


def numbers(values: ArrayLike, name: str) -> Array:
    """The values as a row of doubles. Raises EvaluationError unless they are finite numbers, at least one."""
    return _finite(values, name, 1)


def rows(values: ArrayLike | Iterable[ArrayLike], name: str) -> Array:
    """The values as a matrix of doubles, a row for each run, a column for each query. Raises EvaluationError."""
    return _finite(values, name, 2)


def _finite(values: Any, name: str, n_dimensions: int) -> Array:
    import numpy

    shape = "a number for each query" if n_dimensions == 1 else "a row of as many numbers for each run"
    try:
        array = numpy.array(values if hasattr(values, "__array__") else list(values), dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise EvaluationError(f"{name}: expected {shape}, found something else") from None
    if array.ndim != n_dimensions:
        raise EvaluationError(f"{name}: expected {shape}, found {array.ndim} dimensions")
    if array.size == 0:
        raise EvaluationError(f"{name}: expected {shape}, found none")
    if not numpy.isfinite(array).all():
        at = tuple(int(i) for i in numpy.argwhere(~numpy.isfinite(array))[0])
        place = f"query {at[-1]}" if n_dimensions == 1 else f"run {at[0]}, query {at[1]}"
        raise EvaluationError(f"{name}: {place} (from 0): expected a finite number, found {array[at]}")
    return array


def magnitude(values: Array) -> int:
    """The exponent of the power of two that the values are to be divided by, so that no sum or square overflows.

    Doing so and undoing it changes no digit.
    """
    return int(frexp(float(abs(values).max()))[1])


def mean(values: Array) -> float:
    """The mean, correctly rounded (but for the division) whatever the order of the values."""
    import numpy

    least, exponent = float(values.min()), magnitude(values)
    if least == float(values.max()):
        return least
    return float(numpy.ldexp(fsum(numpy.ldexp(values, -exponent)) / len(values), exponent))


def deviation(values: Array) -> float:
    """The standard deviation of at least two values, over n - 1. Exactly 0 where all are equal."""
    import numpy

    if values.min() == values.max():
        return 0.0
    exponent = magnitude(values)
    scaled = numpy.ldexp(values, -exponent)
    squares = fsum((scaled - mean(scaled)) ** 2)
    result = float(numpy.ldexp((squares / (len(values) - 1)) ** 0.5, exponent))
    return result if isfinite(result) else float(numpy.finfo(float).max)


def units(matrix: Array, clusters: Sequence[Hashable] | None) -> tuple[Array, Array]:
    """What is resampled: for each query, or each cluster of them, the sum of each run's values, and how many it has.

    Gives sums (units x runs) and sizes (units). Raises EvaluationError where there isn't a cluster for each query.
    """
    import numpy

    n_queries = matrix.shape[1]
    if clusters is None:
        return numpy.ascontiguousarray(matrix.T), numpy.ones(n_queries)
    labels = list(clusters)
    if len(labels) != n_queries:
        raise EvaluationError(f"clusters: expected one for each of {n_queries} queries, found {len(labels)}")
    clusters_by_label: dict[Hashable, int] = {}
    numbers = numpy.array([clusters_by_label.setdefault(label, len(clusters_by_label)) for label in labels])
    sums = numpy.zeros((len(clusters_by_label), matrix.shape[0]))
    numpy.add.at(sums, numbers, matrix.T)
    return sums, numpy.bincount(numbers).astype(float)


def resampling(resamples: object, seed: object) -> tuple[int, int]:
    """Number of resamples and seed, checked."""
    return (
        checked_whole_number("resamples", resamples, 1, MOST_RESAMPLES),
        checked_whole_number("seed", seed, 0, 2**64 - 1),
    )


def scipy_stats(what: str) -> Any:
    """SciPy's distributions and tests. Raises an ImportError that says how to install them."""
    try:
        import scipy.stats
    except ImportError as error:
        raise ImportError(f"{what} needs SciPy: pip install 'treckon[stats]' ({error})", name="scipy") from error
    return scipy.stats


def has_scipy() -> bool:
    """Whether SciPy is installed."""
    from importlib.util import find_spec

    try:
        return find_spec("scipy") is not None
    except ValueError:  # a test has put None in its place
        return False
