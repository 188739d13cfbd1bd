"""From the values of the queries to one number."""

from __future__ import annotations

from math import exp, inf, isfinite, log

#: Floor of trec_eval's geometric means: a query never counts less than this.
GEOMETRIC_FLOOR = 0.00001


class Aggregate:
    """How values of queries become one: the sum over queries, what a query that was never evaluated adds, the end."""

    __slots__ = ("missing_term", "name")

    def __init__(self, name: str, missing_term: float = 0.0) -> None:
        self.name = name
        self.missing_term = missing_term  # what a judged query adds that is averaged over without being evaluated

    def __repr__(self) -> str:
        return f"<aggregate {self.name}>"

    def finish(self, total: float, n_queries: int) -> float:
        """The aggregate of `n_queries` values whose sum, added in query order, is `total`."""
        raise NotImplementedError


def _finite(value: float) -> float:
    """The value, or 0 where it lies beyond all doubles: so does every value of a measure that overflows."""
    return value if isfinite(value) else 0.0


class _Mean(Aggregate):
    __slots__ = ()

    def finish(self, total: float, n_queries: int) -> float:
        return _finite(total) / n_queries if n_queries else 0.0


class _Sum(Aggregate):
    __slots__ = ()

    def finish(self, total: float, n_queries: int) -> float:
        return _finite(total)


class _GeometricMean(Aggregate):
    __slots__ = ()

    def finish(self, total: float, n_queries: int) -> float:
        mean = _finite(total) / n_queries if n_queries else -inf
        return exp(mean) if mean < 709.0 else 0.0


class _Count(Aggregate):
    __slots__ = ()

    def finish(self, total: float, n_queries: int) -> float:
        return float(n_queries)


MEAN = _Mean("mean")
SUM = _Sum("sum")
#: Values are natural logarithms, floored by their kernel.
GEOMETRIC_MEAN = _GeometricMean("geometric mean", missing_term=log(GEOMETRIC_FLOOR))
COUNT = _Count("number of queries")
