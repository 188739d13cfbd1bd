"""What a cross-check comes to: what agrees, which changes explain the rest, and what nothing explains."""

from __future__ import annotations

from math import isfinite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from treckon.analysis.crosschecking.changes import Change
    from treckon.analysis.crosschecking.printed import Printed

_SHOWN = 8


class Comparison:
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

    __slots__ = ("agrees", "explained", "measure", "name", "printed", "query", "reproduced", "value")

    def __init__(self, printed: Printed, measure: str, value: float | None, agrees: bool) -> None:
        self.name = printed.name
        self.measure = measure
        self.query = printed.query
        self.printed = printed.text
        self.value = value
        self.agrees = agrees
        self.reproduced: float | None = value if agrees else None
        self.explained = agrees

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
        return {
            "name": self.name, "measure": self.measure, "query": self.query, "printed": self.printed,
            "value": _finite(self.value), "agrees": self.agrees, "reproduced": _finite(self.reproduced),
            "explained": self.explained,
        }  # fmt: skip


class Own:
    """What one measure has of its own in an explanation.

    measure: what reproduces the values, as text
    added:   changes besides those for all measures
    undone:  of those for all measures, the ones that this measure lacks
    """

    __slots__ = ("added", "measure", "undone")

    def __init__(self, measure: str, added: Sequence[Change], undone: Sequence[Change]) -> None:
        self.measure = measure
        self.added = tuple(added)
        self.undone = tuple(undone)

    def to_dict(self) -> dict[str, object]:
        """All of it as texts and plain values."""
        added, undone = [one.to_dict() for one in self.added], [one.to_dict() for one in self.undone]
        return {"measure": self.measure, "added": added, "undone": undone}


class Explanation:
    """Changes that reproduce what was printed.

    changes: of all measures
    own:     by the names printed, what single measures have besides
    n_unexplained: printed values that it does not reproduce
    """

    __slots__ = ("changes", "n_unexplained", "own")

    def __init__(self, changes: Sequence[Change], own: Mapping[str, Own], n_unexplained: int) -> None:
        self.changes = tuple(changes)
        self.own = dict(own)
        self.n_unexplained = n_unexplained

    @property
    def all_changes(self) -> tuple[Change, ...]:
        """Each change, of all measures or of some, once."""
        found = dict.fromkeys(self.changes)
        for one in self.own.values():
            found.update(dict.fromkeys(one.added))
        return tuple(found)

    @property
    def conventions(self) -> dict[str, object]:
        """Keyword arguments of `treckon.evaluate` for those changes of all measures that are conventions."""
        known = ("convention", "queries")
        return {
            one.key: one.value
            for one in self.changes
            if one.kind in known and one.value not in ("nan", "blank") and one.key != "extra"
        }

    def causes_of(self, name: str) -> tuple[Change, ...]:
        """The changes that the values of a measure, by the name printed, are explained with."""
        own = self.own.get(name)
        if own is None:
            return self.changes
        lost = {*own.undone}
        keys = {one.key for one in own.added}
        return (*(one for one in self.changes if one not in lost and one.key not in keys), *own.added)

    def lines(self) -> Iterator[str]:
        """A line for each change, and for each measure with changes of its own."""
        for one in self.changes:
            yield _clause(one)
        for (added, undone), names in self._grouped().items():
            clauses = [*map(_clause, added), *(f"not {one.name}" for one in undone)]
            yield f"{', '.join(names)}: {'; '.join(clauses)}"

    def summary(self) -> list[str]:
        """The changes by name; those of several measures once, with the measures."""
        found = [one.name for one in self.changes]
        for (added, undone), names in self._grouped().items():
            clauses = [*(one.name for one in added), *(f"not {one.name}" for one in undone)]
            found.append(f"{', '.join(names)}: {', '.join(clauses)}")
        return found

    def _grouped(self) -> dict[tuple[tuple[Change, ...], tuple[Change, ...]], list[str]]:
        """The names of the measures that have the same changes of their own, by these."""
        found: dict[tuple[tuple[Change, ...], tuple[Change, ...]], list[str]] = {}
        for name, own in self.own.items():
            if own.added or own.undone:
                found.setdefault((own.added, own.undone), []).append(name)
        return found

    def __repr__(self) -> str:
        return "\n".join(self.lines()) or "no change"

    def to_dict(self) -> dict[str, object]:
        """All of it as texts and plain values."""
        return {
            "changes": [one.to_dict() for one in self.changes],
            "own": {name: one.to_dict() for name, one in self.own.items()},
            "conventions": self.conventions,
            "unexplained": self.n_unexplained,
        }


def _clause(change: Change) -> str:
    tools = f" (as {change.tools})" if change.tools else ""
    return f"{change.name}: {change.text}{tools}"


class Difference:
    """A query (None: all of them) for which explanations of the same size give a measure different values.

    values: by explanation: the first is the one shown, the others `CrossCheck.alternatives`
    """

    __slots__ = ("name", "query", "values")

    def __init__(self, name: str, query: str | None, values: Sequence[float | None]) -> None:
        self.name = name
        self.query = query
        self.values = tuple(values)

    def __repr__(self) -> str:
        shown = ", ".join("none" if one is None else f"{one:.4f}" for one in self.values)
        return f"<{self.name} {'all' if self.query is None else self.query}: {shown}>"

    def to_dict(self) -> dict[str, object]:
        """All of it as texts and numbers (None for NaN)."""
        return {"name": self.name, "query": self.query, "values": list(map(_finite, self.values))}


class CrossCheck:
    """What another tool printed, beside what treckon computes.

    values:       a `Comparison` for each printed value
    explanation:  the smallest changes that reproduce all values, or as many as any do; None where everything agrees,
                  or where no change reproduces a value that disagrees
    alternatives: other explanations of the same size
    differences:  queries that tell these apart, a few; none where they give the same numbers for every judged query
    unknown:      names printed that stand for no measure here; their values were not compared
    format:       of the scores
    conventions:  what ours was computed with
    warnings:     sentences
    """

    __slots__ = (
        "alternatives", "conventions", "differences", "explanation", "format", "unknown", "values", "warnings",
    )  # fmt: skip

    def __init__(
        self,
        values: Iterable[Comparison],
        *,
        explanation: Explanation | None = None,
        alternatives: Iterable[Explanation] = (),
        differences: Iterable[Difference] = (),
        unknown: Iterable[str] = (),
        format: str = "",
        conventions: Mapping[str, object] | None = None,
        warnings: Iterable[str] = (),
    ) -> None:
        self.values = tuple(values)
        self.explanation = explanation
        self.alternatives = tuple(alternatives)
        self.differences = tuple(differences)
        self.unknown = tuple(unknown)
        self.format = format
        self.conventions = dict(conventions or {})
        self.warnings = tuple(warnings)

    @property
    def agrees(self) -> bool:
        """Whether every printed value agrees."""
        return not self.disagreements

    @property
    def agreements(self) -> tuple[Comparison, ...]:
        """The values that agree at their printed precision."""
        return tuple(one for one in self.values if one.agrees)

    @property
    def disagreements(self) -> tuple[Comparison, ...]:
        """The values that don't."""
        return tuple(one for one in self.values if not one.agrees)

    @property
    def unexplained(self) -> tuple[Comparison, ...]:
        """The values that the explanation doesn't reproduce."""
        return tuple(one for one in self.values if not one.explained)

    def to_dict(self) -> dict[str, object]:
        """All of it as dictionaries, lists, texts and numbers."""
        return {
            "agrees": self.agrees,
            "values": [one.to_dict() for one in self.values],
            "explanation": None if self.explanation is None else self.explanation.to_dict(),
            "alternatives": [one.to_dict() for one in self.alternatives],
            "differences": [one.to_dict() for one in self.differences],
            "unexplained": [one.to_dict() for one in self.unexplained],
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
            for one in self.alternatives[:_SHOWN]:
                yield f"  {'; '.join(one.summary())}"
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
            found = [f"{which} printed precision"]
        elif self.explanation is None:
            found = [f"{n_wrong} of {n} values disagree, and nothing that was tried explains them"]
        elif left:
            found = [f"{n_wrong} of {n} values disagree; {left} {'stays' if left == 1 else 'stay'} unexplained"]
        else:
            found = [f"{n_wrong} of {n} values disagree; all are explained"]
        if self.unknown:
            found.append(f"not compared, since no measure here has the name: {', '.join(self.unknown)}")
        return found

    def telling_apart(self) -> list[str]:
        """Which values would tell the alternatives apart, in a sentence; nothing where there are none."""
        if not self.alternatives:
            return []
        if not self.differences:
            return ["they give the same values for every query"]
        return [f"what tells them apart: {'; '.join(self._shown(one) for one in self.differences[:3])}"]

    def _shown(self, one: Difference) -> str:
        shown = dict.fromkeys("none" if value is None else f"{value:.4f}" for value in one.values)
        values = " or ".join(shown)
        return f"{one.name} of {'all queries' if one.query is None else 'query ' + one.query} ({values})"


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
