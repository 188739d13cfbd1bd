"""The search for the smallest changes that reproduce what another tool printed.

A *setup* is a set of changes of the evaluation as a whole (or of the data), a way to count queries, and a way to print;
a *variant* is a measure with changes of its own. Sets are tried in the order of their sizes. For each, the variants of
all measures are evaluated in one call, and compared under every way to count and to print by arithmetic on the matrix
of values. Then `explaining` puts together what is the same for all measures, and what single ones have of their own.

Of many queries a sample comes first: only what does no worse there than what is known is evaluated in full.
"""

from __future__ import annotations

from math import inf

from treckon.analysis.crosschecking.changes import sets_of
from treckon.analysis.crosschecking.explaining import Explaining, Fit
from treckon.lazy import LazyModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

    from treckon.analysis.crosschecking.changes import Change, Changes
    from treckon.analysis.crosschecking.explaining import Solution
    from treckon.analysis.crosschecking.task import Task
    from treckon.analysis.crosschecking.trial import Mask, Outcome
    from treckon.analysis.crosschecking.variants import Variant
    from treckon.naming.syntax import Measure
else:
    np = LazyModule("numpy")

#: Queries of the sample; where there are less than twice as many, there is none.
SAMPLE = 24


class Search:
    """Finds the smallest solutions."""

    def __init__(self, task: Task, most: int, agreeing: Sequence[Mask]) -> None:
        """agreeing: by measure, which values agree without any change"""
        self.task = task
        self.most = most
        self._variants = [
            task.variants_of(measure, 0 if agree.all() else 1)
            for measure, agree in zip(task.measures, agreeing, strict=True)
        ]
        self._sample = self._sampled(agreeing)
        #: By measure, how many values of the sample may be missed by what is evaluated in full, and the fewest missed.
        self._unsolved = set(range(len(task.measures)))
        self._allowed: dict[int, float] = {}
        self._fewest: dict[int, float] = {}
        #: Single changes that have an effect, and make no measure worse that they are needed for.
        self._useful: set[Change] = set()

    def solve(self) -> list[Solution]:
        """The smallest solutions, the one of the most usual changes first."""
        fits = self._singles()
        explaining = Explaining(self.task, self._variants, fits)
        solutions = explaining.solutions()
        for stage in range(2, self.most + 1):
            # A larger set of changes weighs more: pairs always, larger sets with what single measures need besides.
            floor = explaining.floor() if stage > 2 else 0.0
            if not explaining.unsolved and solutions[0].weight < stage + floor:
                break
            if stage == 2:
                self._extend(explaining, fits)
            self._unsolved = explaining.unsolved or self._unsolved
            fits = self._sets(stage, fits if stage > 2 else [])
            explaining = Explaining(self.task, self._variants, fits)
            solutions = explaining.solutions()
        return solutions

    def _extend(self, explaining: Explaining, fits: Sequence[Fit]) -> None:
        """Gives measures that nothing explains two changes of their own, the others those that explain any."""
        single = explaining.explaining_changes()
        for i, measure in enumerate(self.task.measures):
            if i in explaining.unsolved:
                self._variants[i] = self.task.variants_of(measure, 2)
            else:
                some = self.task.variants_of(measure, 1)
                self._variants[i] = [variant for variant in some if single.issuperset(variant.changes)]
        self._allowed = dict(self._fewest)
        base, *others = fits
        for fit in others if self._sample else ():
            if not any(
                fit.least(i) < base.least(i) or i in explaining.unsolved and fit.least(i) <= base.least(i)
                for i in range(len(self.task.measures))
            ):
                self._useful.discard(fit.changes[0])

    # What each set of evaluation changes reproduces

    def _singles(self) -> list[Fit]:
        """Without changes, and with each one that has an effect."""
        fits = [fit for changes in sets_of(self.task.changes, 1) if (fit := self._fit(changes)) is not None]
        fits = [fit for fit in fits if fit.differs or not fit.changes]
        self._useful = {change for fit in fits for change in fit.changes}
        return fits

    def _sets(self, most: int, smaller: Sequence[Fit]) -> list[Fit]:
        """Those of all sets of so many useful changes or fewer, without evaluating the smaller ones again."""
        n_before = max((len(fit.changes) for fit in smaller), default=-1)
        sets = [chosen for chosen in sets_of(self.task.changes, most) if n_before < len(chosen)]
        fits = [self._fit(chosen) for chosen in sets if self._is_promising(chosen)]
        return [*smaller, *(fit for fit in fits if fit is not None)]

    def _is_promising(self, changes: Changes) -> bool:
        """Whether a set may do what no smaller one does: its members have an effect, or make ties for another."""
        # The width of scores makes ties, which another order of ties or other judgements may be needed to see.
        makes_ties = len(changes) > 1 and any(
            change.key in ("order", "data") and change in self._useful or change.key == "compat" for change in changes
        )
        shows_ties = len(changes) > 1 and any(change.key in ("ties", "data") for change in changes)
        return all(
            change in self._useful or change.key == "ties" and makes_ties or change.key == "compat" and shows_ties
            for change in changes
        )

    def _fit(self, changes: Changes) -> Fit | None:
        """How far a set of changes goes; None where they don't go together, or do worse on the sample."""
        task = self.task
        chosen = self._variants
        sample = task.trial.evaluate(self._measures(chosen), changes, self._sample) if self._sample else None
        if sample is not None:
            chosen = self._passing(sample)
            if not any(chosen[i] for i in self._unsolved):
                return None
        outcome = task.trial.evaluate(self._measures(chosen), changes)
        if outcome is None:
            return None
        if not changes:
            self._base = sample, outcome
        by_measure = [
            task.misses(measure, variants, outcome)
            for measure, variants in zip(task.measures, self._variants, strict=True)
        ]
        before, after = self._base, (sample, outcome)
        differs = any(a and b and not a.is_like(b) for a, b in zip(after, before, strict=True))
        return Fit(changes, [list(misses) for misses in zip(*by_measure, strict=True)], differs)

    def _measures(self, variants: Iterable[Iterable[Variant]]) -> list[Measure]:
        """Each measure that is evaluated for variants, once."""
        return list(dict.fromkeys(measure for some in variants for variant in some for measure in variant.measures))

    # The sample

    def _sampled(self, agreeing: Sequence[Mask]) -> list[str]:
        """Queries of the run: those with most disagreeing values, and others."""
        trial = self.task.trial
        if trial.qrels.has_groups:
            return []
        numbers = [i for i, query in enumerate(trial.query_ids) if query in trial.in_run]
        if len(numbers) < 2 * SAMPLE:
            return []
        n_wrong = np.zeros(len(trial.query_ids))
        for measure, agree in zip(self.task.measures, agreeing, strict=True):
            np.add.at(n_wrong, measure.rows, ~agree[: len(measure.rows)])
        worst = sorted((i for i in numbers if n_wrong[i]), key=lambda i: -n_wrong[i])[: SAMPLE // 2]
        others = [i for i in numbers if i not in worst]
        n_others = SAMPLE - len(worst)
        spread = [others[i * len(others) // n_others] for i in range(n_others)]
        return [trial.query_ids[i] for i in sorted((*worst, *spread))]

    def _passing(self, sample: Outcome) -> list[list[Variant]]:
        """By measure, the variants that miss no more values of the sample than are allowed."""
        passing = []
        for i, variants in enumerate(self._variants):
            missed = self._missed_in(sample, i)
            fewest = min(n for n, variant in zip(missed, variants, strict=True) if variant.habit is None)
            self._fewest[i] = min(fewest, self._fewest.get(i, fewest))
            if not sample.changes:
                self._allowed[i] = self._fewest[i]
            chosen = [variant for variant, n in zip(variants, missed, strict=True) if n <= self._allowed[i]]
            passing.append(chosen if sample.changes else variants)
        return passing

    def _missed_in(self, sample: Outcome, number: int) -> list[float]:
        """How many values of the sample each variant of a measure misses; 0 of those that all queries make."""
        task, measure, variants = self.task, self.task.measures[number], self._variants[number]
        place_of = {query: i for i, query in enumerate(self._sample)}
        queries = [task.trial.query_ids[row] for row in measure.rows]
        which = [i for i, query in enumerate(queries) if query in place_of]
        at = [place_of[queries[i]] for i in which]
        missed = np.array([0.0 if variant.habit else inf for variant in variants])
        alone = [v for v, variant in enumerate(variants) if variant.habit is None and variant.measure in sample.columns]
        if alone:
            values = np.stack([sample.columns[variants[v].measure] for v in alone])[:, at]
            agree = np.any([measure.agree(printing, which, values) for printing in task.printings], axis=0)
            # What these queries have depends on which queries count.
            empty = [task.trial.without_relevant(task.level_of(variants[v]))[measure.rows[which]] for v in alone]
            missed[alone] = (~agree & ~sample.missing[at] & ~np.array(empty)).sum(axis=1)
        return list(map(float, missed))
