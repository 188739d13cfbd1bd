"""A user's own measure: a Python function of the ranking, evaluated, averaged and printed like any other."""

from __future__ import annotations

from treckon.errors import EvaluationError, ParameterError, TreckonError, in_short, shortened
from treckon.measures import registry
from treckon.measures.aggregation import COUNT, GEOMETRIC_MEAN, MEAN, SUM
from treckon.measures.parameters import JUDGED_ONLY_ARGUMENT, REL_ARGUMENT, Arguments
from treckon.naming.releases import NICKNAMES
from treckon.naming.syntax import Measure, parse
from treckon.naming.trec_eval import request
from treckon.releases import RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

_AGGREGATES = {"mean": MEAN, "sum": SUM, "geometric mean": GEOMETRIC_MEAN, "count": COUNT}


class RankingView:
    """One query's ranking, as a function given to `define` sees it.

    ranks:         int64 array, from 1, rising: the ranks of the retrieved documents that are in the qrels
    grades:        int32 array of the same length: their grades; -1 where nobody judged the document, which is what
                   every negative grade says
    n_retrieved:   documents retrieved, those that are not in the qrels included
    n_relevant:    documents of the qrels whose grade is at least `level`, retrieved or not
    n_nonrelevant: documents of the qrels with a lower grade
    level:         lowest relevant grade
    grade_counts:  {grade: documents of the qrels}, by falling grade: the ideal ranking
    cutoff:        of ``name@10`` the 10: `ranks`, `grades` and `n_retrieved` end there; None: there is none
    """

    __slots__ = (
        "cutoff", "grade_counts", "grades", "level", "n_nonrelevant", "n_relevant", "n_retrieved", "ranks",
    )  # fmt: skip

    def __init__(
        self,
        kept: tuple[int, int, int, int, list[int], list[int], dict[int, int]],
        cutoff: int | None,
    ) -> None:
        import numpy

        self.n_retrieved, self.n_relevant, self.n_nonrelevant, self.level, ranks, grades, self.grade_counts = kept
        self.cutoff = cutoff
        self.ranks: np.ndarray[tuple[int], np.dtype[np.int64]] = numpy.array(ranks, dtype=numpy.int64)
        self.grades: np.ndarray[tuple[int], np.dtype[np.int32]] = numpy.array(grades, dtype=numpy.int32).clip(-1)
        if cutoff is not None:
            within = self.ranks <= cutoff
            self.ranks, self.grades = self.ranks[within], self.grades[within]
            self.n_retrieved = min(self.n_retrieved, cutoff)

    @property
    def relevant(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which of `ranks` hold a relevant document."""
        return self.grades >= self.level


def _is_trec_evals(name: str) -> bool:
    """Whether trec_eval has such a name, bare or with parameters."""
    try:
        return bool(request([name], RELEASES[-1]).measures)
    except TreckonError:
        return False


def define(name: str, function: Callable[[RankingView], float], *, title: str = "", aggregate: str = "mean") -> Measure:
    """Makes a function of a ranking a measure, which can then be asked for by name: ``"name"``, ``"name@10"``.

    name:      letters, digits and underscores, a letter first; not the name of a measure that there is
    function:  takes a `RankingView` and returns a finite number; called once for each query, and for the queries that
               the run lacks where these count (nothing is retrieved then)
    title:     one line for tables; the function's docstring begins with it where it isn't given
    aggregate: "mean", "sum", "geometric mean" (the function returns logarithms) or "count"

    The measure also takes ``rel`` (lowest relevant grade) and ``judged_only``. A name that was defined before is
    defined anew. Raises ParameterError for a name or aggregate that can't be.

    >>> import treckon
    >>> first = treckon.define("FirstTen", lambda ranking: float((ranking.ranks[ranking.relevant] <= 10).sum()))
    >>> treckon.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"b": 2.0, "x": 1.0}}, first)["FirstTen"]
    1.0
    """
    if not (isinstance(name, str) and name.isidentifier() and name.isascii() and name[0].isalpha()):
        raise ParameterError(f"expected letters, digits and underscores as a measure's name, found {in_short(name)}")
    if name in NICKNAMES or _is_trec_evals(name):
        raise ParameterError(f"expected a name that no measure has, found '{shortened(name)}', which is trec_eval's")
    if aggregate not in _AGGREGATES:
        expected = ", ".join(map(repr, _AGGREGATES))
        raise ParameterError(f"aggregate: expected one of {expected}, found {in_short(aggregate)}")
    if not callable(function):
        raise ParameterError(f"{name}: expected a function of a ranking, found {in_short(function)}")

    def value(kept: tuple[int, int, int, int, list[int], list[int], dict[int, int]], measure: Measure) -> float:
        found = function(RankingView(kept, measure.parameters.cutoff))
        try:
            number = float(found)
        except (TypeError, ValueError, OverflowError):
            raise EvaluationError(f"{measure}: expected a number from its function, found {in_short(found)}") from None
        if number - number != 0.0:
            raise EvaluationError(f"{measure}: expected a finite number from its function, found {number}")
        return number

    documentation = (function.__doc__ or "").strip().partition("\n")[0]
    registry.redefine(
        registry.MeasureRecord(
            name=name,
            title=title or documentation or "A measure of the user's own",
            definition=title or documentation or "Defined by a Python function.",
            source="the user",
            function=value,
            parameter_kind=Arguments(REL_ARGUMENT, JUDGED_ONLY_ARGUMENT, at="cutoff"),
            aggregate=_AGGREGATES[aggregate],
            since=None,
        )
    )
    return parse(name)
