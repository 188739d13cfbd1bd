"""What a run's means would be, were its ties broken otherwise or its unjudged documents left out."""

from __future__ import annotations

from treckon.errors import EvaluationError, NoQueriesError, ParameterError
from treckon.measures.registry import TEXT, VIEW_RUN
from treckon.measures.usual import COVERAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treckon.evaluation.evaluator import Evaluator
    from treckon.evaluation.results import Evaluation
    from treckon.inputs.sources import Source
    from treckon.naming.syntax import Measure

#: Means of one run that differ by no more are the same but for the order of additions.
_ROUNDING = 1e-12


class Alternatives:
    """What other choices would make of a run's means.

    ties:     of each measure that they move, its means with ties="pessimistic" and with ties="optimistic"; None where
              no documents tie, and where an order of this kind was asked for
    judged:   the share of judged documents among the first ten that were retrieved, the mean over queries; None where
              that has no meaning
    condensed: of each measure that it moves, its mean with unjudged="condensed"
    """

    __slots__ = ("condensed", "judged", "ties")

    def __init__(
        self,
        ties: Mapping[Measure, tuple[float, float]] | None,
        judged: float | None,
        condensed: Mapping[Measure, float],
    ) -> None:
        self.ties = None if ties is None else dict(ties)
        self.judged = judged
        self.condensed = dict(condensed)

    def __repr__(self) -> str:
        return f"Alternatives(ties={self.ties!r}, judged={self.judged!r}, condensed={self.condensed!r})"


def alternatives(
    evaluator: Evaluator,
    run: Source,
    evaluation: Evaluation,
    *,
    columns: Sequence[str] | None = None,
    format: str | None = None,
) -> Alternatives:
    """The alternatives to an evaluation. The run is read up to three times more.

    evaluator:  whose choices are the ones to compare with
    run:        what `evaluator.evaluate` was given; a `Source`, which can be read again
    evaluation: what came of it
    columns, format: of the run, as with `evaluator.evaluate`
    """
    numbers = [
        one for one in evaluation.means if one.record.value_type != TEXT and one.record.view != VIEW_RUN
    ]  # fmt: skip

    def means(measures: list[Measure] | str, **conventions: str) -> dict[Measure, float] | None:
        """The means with other choices, None where they can't be made for these measures or judgements."""
        try:
            other = evaluator.changed(measures, **conventions).evaluate(run, columns=columns, format=format)
        except (EvaluationError, NoQueriesError, ParameterError):
            return None
        return dict(other.means)  # type: ignore[arg-type]  # no measure among them is a text

    def moves(one: Measure, mean: float) -> bool:
        return abs(mean - float(evaluation[one])) > _ROUNDING * max(1.0, abs(mean))

    ties: dict[Measure, tuple[float, float]] | None = None
    if numbers and evaluation.ties.queries and evaluator.conventions.ties in ("trec", "docno", "input", "random"):
        low, high = (means(numbers, ties=order) for order in ("pessimistic", "optimistic"))
        if low is not None and high is not None:
            ties = {one: (low[one], high[one]) for one in numbers if moves(one, low[one]) or moves(one, high[one])}
    judged, condensed = None, {}
    if numbers and evaluator.conventions.unjudged == "nonrelevant":
        found = means(COVERAGE, missing="skip")
        judged = None if found is None else next(iter(found.values()))
        if judged is not None and judged < 1.0 - _ROUNDING:
            others = means(numbers, unjudged="condensed") or {}
            condensed = {one: mean for one, mean in others.items() if moves(one, mean)}
    return Alternatives(ties, judged, condensed)
