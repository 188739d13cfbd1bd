"""What a cross-check comes to: what agrees, which changes explain the rest, and what nothing explains."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from treckon.analysis.crosschecking.changes import Change, Changes

_SHOWN = 8


@dataclass(frozen=True, slots=True, repr=False)
class ComparedValue:
    """One printed value beside ours.

    name:       the measure's name there
    measure:    the measure of ours that it stands for, as text
    query:      None: of all queries
    printed:    the text that was printed
    value:      ours, None where we have none (a query that doesn't count)
    agrees:     whether ours would have been printed like that
    reproduced: what the explanation makes of it; None where there is none
    explained:  whether that would have been printed like that
    """

    name: str
    measure: str
    query: str | None
    printed: str
    value: float | None
    agrees: bool
    reproduced: float | None
    explained: bool

    @property
    def verdict(self) -> str:
        """ "agrees", "explained" or "unexplained"."""
        return "agrees" if self.agrees else "explained" if self.explained else "unexplained"

    def __repr__(self) -> str:
        sign = "=" if self.agrees else "≠"
        ours = "none" if self.value is None else f"{self.value:.6g}"
        return f"<{self.name} {'all' if self.query is None else self.query}: {self.printed} {sign} {ours}>"

    def to_dict(self) -> dict[str, object]:
        """All of it as texts and numbers (None for NaN)."""
        return {**asdict(self), "value": _finite(self.value), "reproduced": _finite(self.reproduced)}


@dataclass(frozen=True, slots=True)
class OwnChanges:
    """What one measure has of its own in an explanation.

    measure: what reproduces the values, as text
    added:   changes besides those for all measures
    undone:  of those for all measures, the ones that this measure lacks
    """

    measure: str
    added: Changes
    undone: Changes

    def to_dict(self) -> dict[str, object]:
        """All of it as texts and plain values."""
        added, undone = [change.to_dict() for change in self.added], [change.to_dict() for change in self.undone]
        return {"measure": self.measure, "added": added, "undone": undone}


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Changes that reproduce what was printed.

    changes: of all measures
    own:     by the names printed, what single measures have besides
    n_unexplained: printed values that it does not reproduce
    """

    changes: Changes
    own: Mapping[str, OwnChanges]
    n_unexplained: int

    @property
    def all_changes(self) -> tuple[Change, ...]:
        """Each change, of all measures or of some, once."""
        changes = dict.fromkeys(self.changes)
        for own in self.own.values():
            changes.update(dict.fromkeys(own.added))
        return tuple(changes)

    @property
    def conventions(self) -> dict[str, object]:
        """Keyword arguments of `treckon.evaluate` for those changes of all measures that are conventions."""
        known = ("convention", "queries")
        return {
            change.key: change.value
            for change in self.changes
            if change.kind in known and change.value not in ("nan", "blank") and change.key != "extra"
        }

    def causes_of(self, name: str) -> tuple[Change, ...]:
        """The changes that the values of a measure, by the name printed, are explained with."""
        own = self.own.get(name)
        if own is None:
            return self.changes
        lost = {*own.undone}
        keys = {change.key for change in own.added}
        return (*(change for change in self.changes if change not in lost and change.key not in keys), *own.added)

    def lines(self) -> Iterator[str]:
        """A line for each change, and for each measure with changes of its own."""
        for change in self.changes:
            yield _clause(change)
        for (added, undone), names in self._grouped().items():
            clauses = [*map(_clause, added), *(f"not {change.name}" for change in undone)]
            yield f"{', '.join(names)}: {'; '.join(clauses)}"

    def summary(self) -> list[str]:
        """The changes by name; those of several measures once, with the measures."""
        clauses = [change.name for change in self.changes]
        for (added, undone), names in self._grouped().items():
            of_names = [*(change.name for change in added), *(f"not {change.name}" for change in undone)]
            clauses.append(f"{', '.join(names)}: {', '.join(of_names)}")
        return clauses

    def _grouped(self) -> dict[tuple[tuple[Change, ...], tuple[Change, ...]], list[str]]:
        """The names of the measures that have the same changes of their own, by these."""
        grouped: dict[tuple[tuple[Change, ...], tuple[Change, ...]], list[str]] = {}
        for name, own in self.own.items():
            if own.added or own.undone:
                grouped.setdefault((own.added, own.undone), []).append(name)
        return grouped

    def __repr__(self) -> str:
        return "\n".join(self.lines()) or "no change"

    def to_dict(self) -> dict[str, object]:
        """All of it as texts and plain values."""
        return {
            "changes": [change.to_dict() for change in self.changes],
            "own": {name: own.to_dict() for name, own in self.own.items()},
            "conventions": self.conventions,
            "unexplained": self.n_unexplained,
        }


def _clause(change: Change) -> str:
    tools = f" (as {change.tools})" if change.tools else ""
    return f"{change.name}: {change.text}{tools}"


@dataclass(frozen=True, slots=True, repr=False)
class Distinction:
    """A query (None: all of them) for which explanations of the same size give a measure different values.

    values: by explanation: the first is the one shown, the others `CrossCheck.alternatives`
    """

    name: str
    query: str | None
    values: tuple[float | None, ...]

    def __repr__(self) -> str:
        shown = ", ".join("none" if value is None else f"{value:.4f}" for value in self.values)
        return f"<{self.name} {'all' if self.query is None else self.query}: {shown}>"

    def to_dict(self) -> dict[str, object]:
        """All of it as texts and numbers (None for NaN)."""
        return {"name": self.name, "query": self.query, "values": list(map(_finite, self.values))}


@dataclass(frozen=True, slots=True, repr=False)
class CrossCheck:
    """What another tool printed, beside what treckon computes.

    values:       a `ComparedValue` for each printed value
    explanation:  the smallest changes that reproduce all values, or as many as any do; None where everything agrees,
                  or where no change reproduces a value that disagrees
    alternatives: other explanations of the same size
    differences:  queries that tell these apart, a few; none where they give the same numbers for every judged query
    unknown:      names printed that stand for no measure here; their values were not compared
    format:       of the scores
    conventions:  what ours was computed with
    warnings:     sentences
    """

    values: tuple[ComparedValue, ...]
    explanation: Explanation | None
    alternatives: tuple[Explanation, ...]
    differences: tuple[Distinction, ...]
    unknown: tuple[str, ...]
    format: str
    conventions: Mapping[str, object]
    warnings: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether every printed value agrees."""
        return not self.disagreements

    @property
    def agreements(self) -> tuple[ComparedValue, ...]:
        """The values that agree at their printed precision."""
        return tuple(value for value in self.values if value.agrees)

    @property
    def disagreements(self) -> tuple[ComparedValue, ...]:
        """The values that don't."""
        return tuple(value for value in self.values if not value.agrees)

    @property
    def unexplained(self) -> tuple[ComparedValue, ...]:
        """The values that the explanation doesn't reproduce."""
        return tuple(value for value in self.values if not value.explained)

    def to_dict(self) -> dict[str, object]:
        """All of it as dictionaries, lists, texts and numbers."""
        return {
            "agrees": self.agrees,
            "values": [value.to_dict() for value in self.values],
            "explanation": None if self.explanation is None else self.explanation.to_dict(),
            "alternatives": [explanation.to_dict() for explanation in self.alternatives],
            "differences": [distinction.to_dict() for distinction in self.differences],
            "unexplained": [value.to_dict() for value in self.unexplained],
            "unknown": list(self.unknown),
            "format": self.format,
            "conventions": dict(self.conventions),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """All of it in sentences."""
        headline, *rest = self.verdict()
        yield headline
        if self.explanation is not None:
            left = len(self.unexplained)
            yield f"the smallest change that explains {'all' if not left else f'all but {left}'} values:"
            yield from (f"  {line}" for line in self.explanation.lines())
        if self.alternatives:
            n_other = len(self.alternatives)
            yield f"{n_other} other {'explanation is' if n_other == 1 else 'explanations are'} as small:"
            for explanation in self.alternatives[:_SHOWN]:
                yield f"  {'; '.join(explanation.summary())}"
            yield from self.telling_apart()
        if not self.agrees and self.unexplained:
            yield "not explained:"
            for value in self.unexplained[:_SHOWN]:
                ours = "none" if value.value is None else f"{value.value:.6g}"
                query = "all queries" if value.query is None else f"query {value.query}"
                yield f"  {value.name}, {query}: printed {value.printed}, here {ours}"
            if len(self.unexplained) > _SHOWN:
                yield f"  and {len(self.unexplained) - _SHOWN} more"
        yield from rest

    def verdict(self) -> list[str]:
        """How many values agree, and what was not compared, in a sentence each."""
        n, n_wrong, left = len(self.values), len(self.disagreements), len(self.unexplained)
        if not n_wrong:
            which = "the value agrees at its" if n == 1 else f"all {n} values agree at their"
            sentences = [f"{which} printed precision"]
        elif self.explanation is None:
            sentences = [f"{n_wrong} of {n} values disagree, and nothing that was tried explains them"]
        elif left:
            sentences = [f"{n_wrong} of {n} values disagree; {left} {'stays' if left == 1 else 'stay'} unexplained"]
        else:
            sentences = [f"{n_wrong} of {n} values disagree; all are explained"]
        if self.unknown:
            sentences.append(f"not compared, since no measure here has the name: {', '.join(self.unknown)}")
        return sentences

    def telling_apart(self) -> list[str]:
        """Which values would tell the alternatives apart, in a sentence; nothing where there are none."""
        if not self.alternatives:
            return []
        if not self.differences:
            return ["they give the same values for every query"]
        return [f"what tells them apart: {'; '.join(map(_told, self.differences[:3]))}"]


def _told(distinction: Distinction) -> str:
    shown = dict.fromkeys("none" if value is None else f"{value:.4f}" for value in distinction.values)
    values = " or ".join(shown)
    query = "all queries" if distinction.query is None else f"query {distinction.query}"
    return f"{distinction.name} of {query} ({values})"


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
