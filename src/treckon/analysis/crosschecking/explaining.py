"""Explanations put together: what is the same for all measures, and what single ones have of their own.

A measure that no variant explains under the common setup may have a setup of its own, and the difference counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from treckon.analysis.crosschecking.changes import CONVENTION, DATA, MEASURE, QUERIES, weight_of
from treckon.lazy import LazyModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    import numpy as np

    from treckon.analysis.crosschecking.changes import Change, Changes
    from treckon.analysis.crosschecking.task import Task
    from treckon.analysis.crosschecking.trial import Doubles
    from treckon.analysis.crosschecking.variants import Variant
else:
    np = LazyModule("numpy")

#: Setups that are examined closely, the most promising first.
_SETUPS = 100
#: What a measure's own changes may weigh before other setups are tried for it.
_LIGHT = 1.5
#: Setups of a measure's own that are examined closely, and what a change of the common one weighs that they lack.
_NEAREST, _UNDONE = 16, 0.01
#: Explanations of the same size that are kept.
_ALTERNATIVES = 12


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How many printed values are not reproduced under a set of changes of the evaluation.

    misses:  by printing and measure, countings x variants; inf: not evaluated
    differs: whether any value is another than without changes
    """

    changes: Changes
    misses: list[list[Doubles]]
    differs: bool

    def least(self, number: int) -> float:
        """The fewest values of a measure that are not reproduced, under any counting and printing."""
        return min(float(by_measure[number].min()) for by_measure in self.misses)


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What is the same for all measures.

    counting, printing: their numbers
    changes: all of it, but for the printing
    """

    fit: Fit
    counting: int
    printing: int
    changes: Changes


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A measure's part in an explanation.

    evaluation, counting: the evaluation's changes and the number of the counting that its values are made with
    added, undone: changes that it has besides the common setup's, and those of the setup that it lacks
    n_missed:      values that are not reproduced
    """

    evaluation: Changes
    counting: int
    variant: Variant
    added: Changes
    undone: Changes = ()
    n_missed: int = 0

    @property
    def n_own(self) -> int:
        """How many changes of a setup it has alone, or lacks alone."""
        return len(self.undone) + sum(change.kind in (CONVENTION, QUERIES, DATA) for change in self.added)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A setup for all measures, and each one's part.

    changes: of all measures
    weight:  of all changes together, each counted once, however many measures it is made for
    """

    setup: Setup
    changes: Changes
    parts: list[Part]
    weight: float

    @property
    def n_unexplained(self) -> int:
        """Values that are not reproduced."""
        return sum(part.n_missed for part in self.parts)

    @property
    def all_changes(self) -> frozenset[Change]:
        """Those of all measures and of single ones."""
        return frozenset((*self.changes, *(change for part in self.parts for change in part.added)))

    @property
    def score(self) -> float:
        """What is least for the best: a value that stays unexplained weighs as much as a change."""
        return round(self.weight + self.n_unexplained, 6)


class Explaining:
    """The smallest solutions that the fits of sets of changes make."""

    def __init__(self, task: Task, variants: Sequence[Sequence[Variant]], fits: Sequence[Fit]) -> None:
        """fits: that without changes first"""
        self._task = task
        self._variants = variants
        self._fits = fits
        self._weights = [np.array([variant.weight for variant in of_measure]) for of_measure in variants]
        self._order = {change: i for i, change in enumerate(task.changes)}
        self._elsewhere: dict[tuple[int, int], _FullFits] = {}
        #: The measures, by number, that nothing explains in full.
        self.unsolved = {i for i in range(len(variants)) if all(fit.least(i) for fit in fits)}

    def explaining_changes(self) -> set[Change]:
        """Changes of variants that explain a measure in full, of those the smallest of each measure."""
        useful: set[Change] = set()
        for i, variants in enumerate(self._variants):
            full = [
                variants[v]
                for fit in self._fits
                for misses in fit.misses
                for v in (misses[i] == 0).any(axis=0).nonzero()[0]
            ]
            useful.update(change for variant in full for change in variant.changes)
        return useful

    def floor(self) -> float:
        """What single measures and the queries that count need whatever the evaluation's changes are, so far."""
        sizes = np.array([float(len(counting.changes)) for counting in self._task.countings])
        needed: set[Change] = set()
        most = 0.0
        for i, weights in enumerate(self._weights):
            full = np.any([fit.misses[0][i] == 0 for fit in self._fits], axis=0)
            if full.any():
                most = max(most, float(sizes[full.any(axis=1)].min()))
                which = np.flatnonzero(full.any(axis=0))
                needed.update(self._variants[i][which[weights[which].argmin()]].changes)
        return most + weight_of(needed)

    def solutions(self) -> list[Solution]:
        """The smallest solutions, the one of the most usual changes first."""
        made: dict[tuple[Changes, int, int], Solution] = {}

        def add(setup: Setup) -> Solution:
            key = setup.fit.changes, setup.counting, setup.printing
            if key not in made:
                made[key] = self._solution(setup)
            return made[key]

        least = inf
        for lowest, setup in self._setups()[:_SETUPS]:
            if lowest <= least:
                solution = add(setup)
                if self.unsolved or not solution.n_unexplained:
                    least = min(least, solution.score)
        for solution in self._best(made.values()):
            for setup in self._shared(solution):
                add(setup)
        best = sorted(self._best(made.values()), key=self._rank)
        distinct: dict[frozenset[Change], Solution] = {}
        for solution in best:
            if solution.n_unexplained == best[0].n_unexplained:
                distinct.setdefault(solution.all_changes, solution)
        return list(distinct.values())[:_ALTERNATIVES]

    def _best(self, solutions: Iterable[Solution]) -> list[Solution]:
        """The smallest solutions. What explains everything goes before what is smaller and doesn't."""
        every = list(solutions)
        whole = [solution for solution in every if self.unsolved or not solution.n_unexplained] or every
        least = min(solution.score for solution in whole)
        return [solution for solution in whole if solution.score == least]

    def _rank(self, solution: Solution) -> tuple[object, ...]:
        """Of equal solutions first those with less for single measures, then those of more usual changes."""
        changes = (*solution.setup.fit.changes, *(change for part in solution.parts for change in part.added))
        return (
            solution.n_unexplained,
            sum(part.n_own for part in solution.parts),
            sum(map(self._usual, dict.fromkeys(changes))),
            solution.setup.printing,
            solution.setup.counting,
        )

    def _usual(self, change: Change) -> int:
        """The place of a change in the order of what is met most often."""
        return self._order.get(change, len(self._order) * (1 if change.kind == MEASURE else 2))

    # Setups

    def _setups(self) -> list[tuple[float, Setup]]:
        """Setups with what they cost at least, the most promising first."""
        task, ranked = self._task, []
        sizes = np.array([float(len(counting.changes)) for counting in task.countings])
        for number, fit in enumerate(self._fits):
            for printing, by_measure in enumerate(fit.misses):
                cost = sizes + weight_of((*fit.changes, *task.printings[printing]))
                most, n_own = np.zeros(len(sizes)), np.zeros(len(sizes))
                for i, misses in enumerate(by_measure):
                    if i in self.unsolved:
                        of_others = len(task.measures[i].values) + 1.0
                        cost += np.minimum((misses + self._weights[i]).min(axis=1), of_others)
                    else:
                        own = np.where(misses == 0, self._weights[i], inf).min(axis=1)
                        n_own += np.isinf(own)
                        most = np.maximum(most, np.where(np.isinf(own), 0.0, own))
                lowest = cost + most
                ranked += [(float(lowest[c] + 0.5 * n_own[c]), float(lowest[c]), number, printing, c)
                           for c in range(len(sizes))]  # fmt: skip
        ranked.sort()
        return [
            (lowest, self._setup(self._fits[number], counting, printing))
            for _, lowest, number, printing, counting in ranked[:_SETUPS]
        ]

    def _setup(self, fit: Fit, counting: int, printing: int) -> Setup:
        return Setup(fit, counting, printing, (*fit.changes, *self._task.countings[counting].changes))

    def _shared(self, solution: Solution) -> Iterator[Setup]:
        """The setup that has those changes for all measures that a solution has for single ones, if there is one."""
        own = {change for part in solution.parts for change in part.added}
        wanted = {*solution.setup.changes, *(change for change in own if change.kind in (CONVENTION, DATA, QUERIES))}
        for fit in self._fits:
            for counting, how in enumerate(self._task.countings):
                if {*fit.changes, *how.changes} == wanted:
                    yield self._setup(fit, counting, solution.setup.printing)

    # Parts

    def _solution(self, setup: Setup) -> Solution:
        """Takes a part for each measure so that few different changes are needed altogether."""
        options = [self._options(setup, i) for i in range(len(self._variants))]
        used: set[Change] = set()
        parts: dict[int, Part] = {}
        for i in sorted(range(len(options)), key=lambda i: len(options[i])):
            parts[i] = min(
                options[i],
                key=lambda part: (
                    weight_of(change for change in part.added if change not in used),
                    part.n_own,
                    [self._usual(change) for change in part.added],
                ),
            )
            used.update(parts[i].added)
        changes = (*setup.changes, *self._task.printings[setup.printing])
        weight = weight_of(changes) + weight_of(used)
        return Solution(setup, changes, [parts[i] for i in range(len(options))], weight)

    def _options(self, setup: Setup, number: int) -> list[Part]:
        """The ways for a measure to fit a setup: every variant that explains it, or a setup of its own."""
        variants, weights = self._variants[number], self._weights[number]
        misses = setup.fit.misses[setup.printing][number][setup.counting]

        def part(v: int, n_missed: int = 0) -> Part:
            return Part(setup.fit.changes, setup.counting, variants[v], variants[v].changes, (), n_missed)

        options = [part(int(v)) for v in np.flatnonzero(misses == 0)]
        if number not in self.unsolved and (not options or weights[misses == 0].min() > _LIGHT):
            key = number, setup.printing
            if key not in self._elsewhere:
                self._elsewhere[key] = _FullFits(self, number, setup.printing)
            options += self._elsewhere[key].nearest(setup)
        if not options:
            best = int((misses + weights).argmin())
            n_values = len(self._task.measures[number].values)
            options = [part(best, int(min(misses[best], n_values)))]
        return options

    def full_parts(self, number: int, printing: int) -> list[Part]:
        """The variants of the smallest changes that explain a measure in full, under every set and counting."""
        parts = []
        for fit in self._fits:
            full = fit.misses[printing][number] == 0
            if not full.any():
                continue
            costs = np.where(full, self._weights[number], inf)
            for counting, v in zip(*np.nonzero(full & (costs <= costs.min(axis=1, keepdims=True))), strict=True):
                variant = self._variants[number][v]
                changes = (*fit.changes, *self._task.countings[counting].changes, *variant.changes)
                parts.append(Part(fit.changes, int(counting), variant, changes))
        return parts


class _FullFits:
    """What explains a measure in full, to be looked up by how near it is to a common setup."""

    def __init__(self, explaining: Explaining, number: int, printing: int) -> None:
        self._parts = explaining.full_parts(number, printing)
        every = dict.fromkeys(change for part in self._parts for change in part.added)
        self._at = {change: i for i, change in enumerate(every)}
        self._has = np.zeros((len(self._parts), len(self._at)))
        for row, part in zip(self._has, self._parts, strict=True):
            row[[self._at[change] for change in part.added]] = 1.0
        self._sizes: Any = self._has @ np.array([change.weight for change in self._at])

    def nearest(self, setup: Setup) -> list[Part]:
        """The smallest differences from a setup."""
        saved = np.zeros(len(self._at))
        for change in setup.changes:
            if change in self._at:
                saved[self._at[change]] = change.weight + _UNDONE
        distances = self._sizes - self._has @ saved
        parts = []
        for row in np.argsort(distances, kind="stable")[:_NEAREST]:
            whole = self._parts[row]
            added = tuple(change for change in whole.added if change not in setup.changes)
            keys = {change.key for change in added}
            undone = tuple(change for change in setup.changes if change not in whole.added and change.key not in keys)
            parts.append(Part(whole.evaluation, whole.counting, whole.variant, added, undone))
        least = min((weight_of(part.added) for part in parts), default=0.0)
        return [part for part in parts if weight_of(part.added) <= least + 1.0]
