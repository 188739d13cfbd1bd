"""All pairs of many runs at once: randomised Tukey HSD, and which runs form groups that can't be told apart."""

from __future__ import annotations

from math import ldexp
from typing import NamedTuple

from treckon.checks import checked_share
from treckon.errors import EvaluationError
from treckon.statistics.arguments import magnitude, mean, numbers, resampling, rows, units
from treckon.statistics.paired import EQUAL_WITHIN
from treckon.statistics.shares import n_threads, ranges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Any

    from numpy.typing import ArrayLike


class Tukey(NamedTuple):
    """The result of the randomised Tukey HSD test.

    means:     of each run
    p_values:  runs x runs, of each pair, corrected for all pairs; 1 on the diagonal
    critical:  a difference above this one is significant at `alpha`; None where there are too few resamples for that
    alpha:     the level
    resamples, seed: what was drawn
    groups:    runs (by number) that can't be told apart, best mean first: none of them differs significantly from
               another of its group, and no group is part of another
    letters:   for each run, the letters of its groups, "a" for the best one: runs that share a letter can't be told
               apart
    """

    means: tuple[float, ...]
    p_values: tuple[tuple[float, ...], ...]
    critical: float | None
    alpha: float
    resamples: int
    seed: int
    groups: tuple[tuple[int, ...], ...]
    letters: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary of lists and numbers."""
        return {
            **self._asdict(),
            "means": list(self.means),
            "p_values": [list(row) for row in self.p_values],
            "groups": [list(group) for group in self.groups],
            "letters": list(self.letters),
        }


def tukey_hsd(
    values: ArrayLike | Iterable[ArrayLike],
    *,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    threads: int = 0,
) -> Tukey:
    """The randomised Tukey HSD test of all pairs of runs.

    values: runs x queries, at least two runs

    Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, TOIS 30,
    2012. If all runs are alike, a query's values could belong to any of them: each resample permutes the values within
    each query, and keeps the range from the least to the greatest mean. The p-value of a pair is (k + 1) / (resamples +
    1) for the k resamples whose range is as large as the pair's difference: the chance that any pair of alike runs
    differs so much. So it needs no further correction, and is never 0.

    clusters: the cluster of each query: then the values of a cluster's queries are permuted in the same way
    threads:  how many may be used, 0: as many as can run; the result does not depend on it

    Raises EvaluationError for values that aren't finite numbers and for fewer than two runs, ParameterError for
    options.
    """
    import numpy

    matrix = rows(values, "values")
    if len(matrix) < 2:
        raise EvaluationError("values: expected at least two runs, found one")
    alpha = checked_share("alpha", alpha)
    resamples, seed = resampling(resamples, seed)
    means = tuple(mean(row) for row in matrix)
    exponent = magnitude(matrix)
    scaled = numpy.ldexp(matrix, -exponent)
    sums, sizes = units(scaled, clusters)
    sampled = ranges(sums, resamples, seed, n_threads(threads))
    n = float(sizes.sum())
    totals = numpy.array([mean(row) for row in scaled]) * n
    differences = abs(totals[:, None] - totals[None, :])
    tolerance = EQUAL_WITHIN * float(abs(sums).sum(axis=0).max())
    reached = resamples - numpy.searchsorted(sampled, differences - tolerance, side="left")
    p_values = (reached + 1) / (resamples + 1)
    p_values[differences <= tolerance] = 1.0
    table = tuple(tuple(float(p) for p in row) for row in p_values)
    allowed = int(alpha * (resamples + 1) * (1 + 1e-12)) - 1  # this many ranges may reach a significant difference
    critical = None if allowed < 0 else ldexp(float(sampled[-1 - min(allowed, resamples - 1)]) / n, exponent)
    groups = not_different(means, table, alpha)
    return Tukey(means, table, critical, alpha, resamples, seed, groups, letters_of(groups, len(means)))


def not_different(
    means: ArrayLike, p_values: Sequence[Sequence[float]], alpha: float = 0.05
) -> tuple[tuple[int, ...], ...]:
    """Groups of runs that can't be told apart, from the p-values of all pairs.

    A group is as many runs as follow each other by falling mean without the first and the last (or any other two) of
    them being significantly different (p <= alpha). Every run is in at least one group.
    """
    values = numbers(means, "means")
    falling = sorted(range(len(values)), key=lambda i: -values[i])
    groups: list[tuple[int, ...]] = []
    end = 0
    for begin in range(len(falling)):
        last = end
        end = max(end, begin + 1)
        while end < len(falling) and all(p_values[falling[i]][falling[end]] > alpha for i in range(begin, end)):
            end += 1
        if end > last:
            groups.append(tuple(falling[begin:end]))
    return tuple(groups)


def letters_of(groups: Sequence[Sequence[int]], n: int) -> tuple[str, ...]:
    """For each of n runs the letters of the groups it is in: "a" for the first group, "ab" for a run that is in two.

    Beyond 26 groups the letters go on as "aa", "ab", ..., and a run's are parted by commas.
    """
    names = [_letter(number) for number in range(len(groups))]
    separator = "" if len(groups) <= 26 else ","
    return tuple(
        separator.join(name for name, group in zip(names, groups, strict=True) if i in group) for i in range(n)
    )


def _letter(number: int) -> str:
    """a ... z, aa, ab, ..."""
    text = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        text = chr(ord("a") + place) + text
    return text
