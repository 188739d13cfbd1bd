"""The search for the smallest change that reproduces what another tool printed.

A *setup* is a set of changes of the evaluation as a whole (or of the data), a rule of which queries count, and a way to
print; a *variant* is a measure with changes of its own. For each set of evaluation changes all variants of all measures
are evaluated in one call, and compared under every rule by arithmetic on the matrix of values. A setup is the same for
all measures; where one measure fits no variant under it, it may have a setup of its own, and the difference counts.
"""

from __future__ import annotations

from math import inf

from treckon.analysis.crosschecking.changes import CONVENTION, DATA, MEASURE, QUERIES, evaluations
from treckon.analysis.crosschecking.matching import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeAlias

    from treckon.analysis.crosschecking.changes import Change, Variant
    from treckon.analysis.crosschecking.matching import Space

    Changes: TypeAlias = tuple[Change, ...]

#: Setups that are looked at closely, the most promising first.
_SETUPS = 100
#: What a measure's own changes may weigh before other setups are tried for it.
_LIGHT = 1.5
#: Explanations of the same size that are kept.
ALTERNATIVES = 12


class Entry:
    """How many printed values each variant of each target reproduces under one set of evaluation changes.

    counts: for each way to print, for each target, rules x variants; -1: can't be evaluated
    fingerprint: of the values, the same for the same
    """

    __slots__ = ("changes", "counts", "fingerprint")

    def __init__(self, changes: Changes, counts: list[list[Any]], fingerprint: bytes) -> None:
        self.changes = changes
        self.counts = counts
        self.fingerprint = fingerprint


class Choice:
    """A measure's part in an explanation: under which evaluation changes and rule which variant is its own."""

    __slots__ = ("changes", "rule", "variant")

    def __init__(self, changes: Changes, rule: int, variant: Variant) -> None:
        self.changes = changes
        self.rule = rule
        self.variant = variant


class Solution:
    """A setup for all measures, and what each measure has of its own.

    changes: of the evaluation; rule, how: numbers of the rule and the way to print
    choices: by target
    added, undone: by target, the changes that it has besides the setup's, and those of the setup that it lacks
    weight:  of all changes together, each counted once, however many measures it is made for
    n_own:   how often a measure has a change of the setup that others lack, or lacks one that others have
    n_unexplained: values that are not reproduced
    """

    __slots__ = ("added", "changes", "choices", "how", "n_own", "n_unexplained", "rule", "undone", "weight")

    def __init__(self, changes: Changes, rule: int, how: int) -> None:
        self.changes = changes
        self.rule = rule
        self.how = how
        self.choices: list[Choice] = []
        self.added: list[Changes] = []
        self.undone: list[Changes] = []
        self.weight = 0.0
        self.n_own = 0
        self.n_unexplained = 0

    @property
    def score(self) -> float:
        """What is least for the best: a value that stays unexplained weighs as much as a change."""
        return round(self.weight + self.n_unexplained, 6)


class Search:
    """Finds the smallest solutions."""

    def __init__(self, space: Space, most: int) -> None:
        self.space = space
        self.most = most
        self.intervals = [Interval(one) for one in space.printings]
        self._order = {one: i for i, one in enumerate(space.changes)}
        self._seen: dict[tuple[int, int, bytes], Any] = {}
        self._is_open = False

    def solve(self) -> list[Solution]:
        """The smallest solutions, the one of the most usual changes first."""
        unsolved = set(range(len(self.space.targets)))
        solutions: list[Solution] = []
        for stage in range(1, self.most + 1):
            self.space.extend(1, range(len(self.space.targets)))
            if stage > 1:
                self.space.extend(2, unsolved)
            self._seen.clear()
            entries = self._entries(stage)
            solutions = self._solutions(entries)
            best = solutions[0]
            unsolved = self._hopeless(entries)
            self._is_open = bool(unsolved)
            # A larger set of changes weighs more: pairs always, larger sets with what single measures need besides.
            if not unsolved and best.weight < stage + 1 + (self._floor(entries) if stage > 1 else 0.0):
                break
        return solutions

    # What each set of evaluation changes reproduces

    def _entries(self, stage: int) -> list[Entry]:
        base = self._entry(())
        assert base is not None
        found = [base]
        effective: set[Change] = set()
        for changes in evaluations(self.space.changes, stage):
            if not changes or not self._is_promising(changes, effective):
                continue
            entry = self._entry(changes)
            if entry is None or len(changes) == 1 and entry.fingerprint == base.fingerprint:
                continue
            found.append(entry)
            effective.update(changes if len(changes) == 1 else ())
        return found

    def _is_promising(self, changes: Changes, effective: set[Change]) -> bool:
        """Whether a set may do what no smaller one does: its members have an effect, or make ties for another."""
        if len(changes) == 1:
            return True
        # The width of scores makes ties, which another order of ties or other judgements may be needed to see.
        makes_ties = any(one.key in ("order", "data") and one in effective or one.key == "compat" for one in changes)
        shows_ties = any(one.key in ("ties", "data") for one in changes)
        return all(
            one in effective or one.key == "ties" and makes_ties or one.key == "compat" and shows_ties
            for one in changes
        )

    def _entry(self, changes: Changes) -> Entry | None:
        evaluated = self.space.evaluate(changes)
        if evaluated is None:
            return None
        # Other ways to print are tried with the smallest sets, with others only where rounding leaves something open.
        intervals = self.intervals if len(changes) < 2 or self._is_open else self.intervals[:1]
        counts: list[list[Any]] = [[] for _ in intervals]
        for j, (target, some_variants) in enumerate(zip(self.space.targets, self.space.variants, strict=True)):
            block = evaluated.block(some_variants)
            values = block[1].tobytes() + evaluated.others
            for how, (some, interval) in enumerate(zip(counts, intervals, strict=True)):
                key = (j, how, values)
                if key not in self._seen:
                    self._seen[key] = evaluated.counts(target, some_variants, block, interval)
                some.append(self._seen[key])
        return Entry(changes, counts, evaluated.fingerprint())

    def _hopeless(self, entries: list[Entry]) -> set[int]:
        """The targets that nothing explains in full."""
        return {
            j
            for j, target in enumerate(self.space.targets)
            if not any((some[j] == target.n).any() for one in entries for some in one.counts)
        }

    def _floor(self, entries: list[Entry]) -> float:
        """What single measures and the queries that count need whatever the evaluation's changes are, so far."""
        import numpy

        sizes = numpy.array([float(len(one.changes)) for one in self.space.rules])
        needed: dict[Change, float] = {}
        most = 0.0
        for j, target in enumerate(self.space.targets):
            weights = self._weights(j)
            full = sum(one.counts[0][j] == target.n for one in entries)
            if not numpy.any(full):
                continue
            most = max(most, float(sizes[numpy.any(full, axis=1)].min()))
            some = numpy.flatnonzero(numpy.any(full, axis=0))
            least = self.space.variants[j][int(some[weights[some].argmin()])]
            needed.update((one, one.weight) for one in least.changes)
        return most + sum(needed.values())

    # Solutions

    def _solutions(self, entries: list[Entry]) -> list[Solution]:
        hopeless = self._hopeless(entries)
        weights = [self._weights(j) for j in range(len(self.space.targets))]
        setups = self._setups(entries, hopeless, weights)
        exceptions: dict[tuple[int, int], _Full] = {}
        found: dict[tuple[Changes, int, int], Solution] = {}
        least = inf
        for lowest, entry, how, rule in setups[:_SETUPS]:
            if lowest > least:
                continue
            one = self._solution(entry, how, rule, entries, hopeless, weights, exceptions)
            found[entry.changes, how, rule] = one
            if hopeless or not one.n_unexplained:
                least = min(least, one.score)
        for one in self._best(list(found.values()), hopeless):
            for entry, how, rule in self._shared(one, entries):
                if (entry.changes, how, rule) not in found:
                    shared = self._solution(entry, how, rule, entries, hopeless, weights, exceptions)
                    found[entry.changes, how, rule] = shared
        best = self._best(list(found.values()), hopeless)
        best.sort(key=self._rank)
        best = [one for one in best if one.n_unexplained == best[0].n_unexplained]
        return _distinct(best, self.space)[:ALTERNATIVES]

    def _best(self, found: list[Solution], hopeless: set[int]) -> list[Solution]:
        """The smallest solutions. What explains everything goes before what is smaller and doesn't."""
        whole = [one for one in found if hopeless or not one.n_unexplained] or found
        least = min(one.score for one in whole)
        return [one for one in whole if one.score == least]

    def _shared(self, solution: Solution, entries: list[Entry]) -> Iterator[tuple[Entry, int, int]]:
        """The setup that has those changes for all measures that a solution has for single ones, if there is one."""
        added = {change for some in solution.added for change in some}
        evaluation = {one for one in added if one.kind in (CONVENTION, DATA)} | {*solution.changes}
        queries = {one for one in added if one.kind == QUERIES} | {*self.space.rules[solution.rule].changes}
        for entry in entries:
            for rule, one in enumerate(self.space.rules):
                if {*entry.changes} == evaluation and {*one.changes} == queries and solution.how < len(entry.counts):
                    yield entry, solution.how, rule

    def _weights(self, j: int) -> Any:
        import numpy

        return numpy.array([one.weight for one in self.space.variants[j]])

    def _setups(
        self, entries: list[Entry], hopeless: set[int], weights: list[Any]
    ) -> list[tuple[float, Entry, int, int]]:
        """Setups with what they cost at least, the most promising first."""
        import numpy

        found = []
        sizes = numpy.array([float(len(one.changes)) for one in self.space.rules])
        for number, entry in enumerate(entries):
            for how, printing in enumerate(self.space.printings[: len(entry.counts)]):
                cost = sizes + sum(one.weight for one in (*entry.changes, *printing))
                most, n_own = numpy.zeros(len(sizes)), numpy.zeros(len(sizes))
                for j, target in enumerate(self.space.targets):
                    counts = entry.counts[how][j]
                    if j in hopeless:
                        known = numpy.where(counts >= 0, target.n - counts + weights[j], target.n + 1.0)
                        cost = cost + known.min(axis=1)
                        continue
                    own = numpy.where(counts == target.n, weights[j], numpy.inf).min(axis=1)
                    n_own += numpy.isinf(own)
                    most = numpy.maximum(most, numpy.where(numpy.isinf(own), 0.0, own))
                for rule, lowest in enumerate(cost + most):
                    found.append((float(lowest + 0.5 * n_own[rule]), float(lowest), number, how, rule))
        found.sort()
        return [(lowest, entries[number], how, rule) for _, lowest, number, how, rule in found]

    def _solution(
        self,
        entry: Entry,
        how: int,
        rule: int,
        entries: list[Entry],
        hopeless: set[int],
        weights: list[Any],
        exceptions: dict[tuple[int, int], _Full],
    ) -> Solution:
        import numpy

        targets = self.space.targets
        solution = Solution(entry.changes, rule, how)
        setup = dict.fromkeys((*entry.changes, *self.space.rules[rule].changes))
        solution.weight = sum(one.weight for one in (*setup, *self.space.printings[how]))
        options: list[list[_Option]] = []
        for j, target in enumerate(targets):
            counts = entry.counts[how][j][rule]
            variants = self.space.variants[j]
            if j in hopeless:
                score = numpy.where(counts >= 0, target.n - counts + weights[j], numpy.inf)
                best = int(score.argmin())
                solution.n_unexplained += target.n - max(int(counts[best]), 0)
                options.append([_Option(Choice(entry.changes, rule, variants[best]), variants[best].changes)])
                continue
            full = numpy.flatnonzero(counts == target.n)
            some = [_Option(Choice(entry.changes, rule, variants[v]), variants[v].changes, ()) for v in full]
            if not some or min(one.weight for one in some) > _LIGHT:
                if (j, how) not in exceptions:
                    exceptions[j, how] = self._full_anywhere(entries, j, how, weights[j])
                some += self._excepted(setup, exceptions[j, how])
            if not some:  # another way to print explains it, this one doesn't
                best = int(numpy.where(counts >= 0, target.n - counts + weights[j], numpy.inf).argmin())
                solution.n_unexplained += target.n - max(int(counts[best]), 0)
                some = [_Option(Choice(entry.changes, rule, variants[best]), variants[best].changes)]
            options.append(some)
        self._choose(solution, options)
        return solution

    def _full_anywhere(self, entries: list[Entry], j: int, how: int, weights: Any) -> _Full:
        """Every setup that explains a target in full, with the variants of the smallest changes that do."""
        import numpy

        found: list[tuple[Changes, Entry, int, Variant]] = []
        for entry in entries:
            if how >= len(entry.counts) or not (full := entry.counts[how][j] == self.space.targets[j].n).any():
                continue
            costs = numpy.where(full, weights, numpy.inf)
            least = costs.min(axis=1, keepdims=True)
            for rule, v in zip(*numpy.nonzero(full & (costs <= least)), strict=True):
                variant = self.space.variants[j][v]
                changes = (*entry.changes, *self.space.rules[rule].changes, *variant.changes)
                found.append((changes, entry, int(rule), variant))
        return _Full(found)

    def _excepted(self, setup: dict[Change, None], known: _Full) -> list[_Option]:
        """Setups of a measure's own, as differences from the common one; the smallest of them."""
        found = []
        for changes, entry, rule, variant in known.nearest(setup):
            added = tuple(one for one in changes if one not in setup)
            keys = {one.key for one in added}
            undone = tuple(one for one in setup if one not in changes and one.key not in keys)
            found.append(_Option(Choice(entry.changes, rule, variant), added, undone))
        least = min((one.weight for one in found), default=0.0)
        return [one for one in found if one.weight <= least + 1.0]

    def _usual(self, change: Change) -> int:
        """The place of a change in the order of what is met most often."""
        return self._order.get(change, len(self._order) if change.kind == MEASURE else 2 * len(self._order))

    def _choose(self, solution: Solution, options: list[list[_Option]]) -> None:
        """Takes an option for each target so that few different changes are needed altogether."""
        used: set[Change] = set()
        chosen: dict[int, _Option] = {}
        for j in sorted(range(len(options)), key=lambda j: len(options[j])):
            best = min(options[j], key=lambda one: (one.new(used), one.n_own, [self._usual(x) for x in one.added]))
            used.update(best.added)
            chosen[j] = best
        solution.weight += sum(one.weight for one in used)
        for j in range(len(options)):
            solution.n_own += chosen[j].n_own
            solution.choices.append(chosen[j].choice)
            solution.added.append(chosen[j].added)
            solution.undone.append(chosen[j].undone)

    def _rank(self, solution: Solution) -> tuple[object, ...]:
        """Of equal solutions first those with less for single measures, then those of more usual changes."""
        changes = (*solution.changes, *(one for some in solution.added for one in some))
        return (
            solution.n_unexplained,
            solution.n_own,
            sum(map(self._usual, dict.fromkeys(changes))),
            solution.how,
            solution.rule,
        )


class _Option:
    """One way for a measure to fit a setup."""

    __slots__ = ("added", "choice", "n_own", "undone", "weight")

    def __init__(self, choice: Choice, added: Changes, undone: Changes = ()) -> None:
        self.choice = choice
        self.added = added
        self.undone = undone
        self.weight = sum(one.weight for one in added)
        self.n_own = len(undone) + sum(one.kind in (CONVENTION, QUERIES, DATA) for one in added)

    def new(self, used: set[Change]) -> float:
        """What it costs besides the changes that others need anyway."""
        return sum(one.weight for one in self.added if one not in used)


class _Full:
    """Setups and variants that explain a target in full, to be looked up by how near they are to a common setup."""

    #: How many of the nearest are looked at closely; what a change of the setup weighs that is not made.
    _NEAREST, _UNDONE = 16, 0.01

    def __init__(self, known: list[tuple[Changes, Entry, int, Variant]]) -> None:
        import numpy

        self._known = known
        self._at: dict[Change, int] = {}
        for changes, *_ in known:
            for one in changes:
                self._at.setdefault(one, len(self._at))
        self._weights = numpy.array([one.weight for one in self._at])
        self._has = numpy.zeros((len(known), len(self._at)))
        for i, (changes, *_) in enumerate(known):
            self._has[i, [self._at[one] for one in changes]] = 1.0
        self._sizes = self._has @ self._weights if known else numpy.zeros(0)

    def nearest(self, setup: Iterable[Change]) -> list[tuple[Changes, Entry, int, Variant]]:
        """Those that differ least from a setup."""
        import numpy

        saved = numpy.zeros(len(self._at))
        for one in setup:
            if one in self._at:
                saved[self._at[one]] = one.weight + self._UNDONE
        distances = self._sizes - self._has @ saved
        return [self._known[i] for i in numpy.argsort(distances, kind="stable")[: self._NEAREST]]


def _distinct(solutions: list[Solution], space: Space) -> list[Solution]:
    """Each set of changes once: the solution that has most of them for all measures alike comes first."""
    seen: dict[object, Solution] = {}
    for one in solutions:
        by_all = (*one.changes, *space.rules[one.rule].changes, *space.printings[one.how])
        seen.setdefault(frozenset((*by_all, *(change for some in one.added for change in some))), one)
    return list(seen.values())
