"""Printed values beside those of ours: which queries count, what would have been printed, and how many values agree."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan, nan

from treckon.analysis.crosschecking.changes import countings, evaluation_changes, limits, printings, sort_changes
from treckon.analysis.crosschecking.variants import Variant, variants
from treckon.errors import TreckonError
from treckon.lazy import LazyModule
from treckon.measures.aggregation import COUNT, GEOMETRIC_MEAN, MEAN, SUM
from treckon.measures.registry import BOUNDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import numpy as np

    from treckon.analysis.crosschecking.changes import Change, Changes, Counting
    from treckon.analysis.crosschecking.printed import Printed, PrintedValues
    from treckon.analysis.crosschecking.trial import Doubles, Mask, Outcome, Trial
    from treckon.naming.syntax import Measure
else:
    np = LazyModule("numpy")

#: What stands for a value that is not printed at all; no measure has it.
NO_VALUE = -inf
#: The values of queries by `Counting.missing` and by `Counting.no_relevant`, where these are not the query's own.
_OF_MISSING = {"nan": nan, "blank": 0.0, "skip": NO_VALUE}
_OF_EMPTY = {"one": 1.0, "nan": nan, "skip": nan}


class PrintedMeasure:
    """What was printed under one name.

    readings: the measures that the name may stand for
    values:   those of judged queries, then those of other queries, then that of all queries, if there is one
    rows:     where the judged queries among these stand in arrays of all judged queries
    """

    def __init__(
        self, name: str, readings: Sequence[Measure], values: Sequence[Printed], place_of: Mapping[str, int]
    ) -> None:
        self.name = name
        self.readings = tuple(readings)
        judged = [printed for printed in values if printed.query is not None and printed.query in place_of]
        self.extra = [printed for printed in values if printed.query is not None and printed.query not in place_of]
        means = [printed for printed in values if printed.query is None]
        self.mean = means[0] if means else None
        self.values = [*judged, *self.extra, *means]
        self.rows = np.array([place_of[str(printed.query)] for printed in judged], dtype=int)
        self.numbers = np.array([printed.value for printed in self.values])
        self._limits: dict[Changes, tuple[Doubles, Doubles]] = {}

    def agree(self, printing: Changes, which: Any, values: Doubles) -> Mask:
        """Which of values (... x printed values chosen by their places) would have been printed like that."""
        if printing not in self._limits:
            fields = ("unit", "own_unit", "slack")
            others = [np.array([getattr(printed, field) for printed in self.values]) for field in fields]
            self._limits[printing] = limits(printing, self.numbers, *others)
        low, high = self._limits[printing]
        numbers = self.numbers[which]
        same = (low[which] <= values) & (values <= high[which]) | (values == numbers)
        agree: Mask = same | (np.isnan(numbers) & np.isnan(values))
        return agree


@dataclass(frozen=True, slots=True, eq=False)
class Divisors:
    """Which queries a total is over, and what it is divided by, under each counting.

    added:      countings x queries, 1 where the query's value is added
    ones:       how many queries count 1 instead
    with_extra: whether queries that are not judged are added
    counted:    the divisor
    has_nan:    whether a query that counts is NaN
    """

    added: Doubles
    ones: Doubles
    with_extra: Mask
    counted: Doubles
    has_nan: Mask


def divisors(countings: Sequence[Counting], missing: Mask, empty: Mask, n_extra: int) -> Divisors:
    """missing, empty: which queries the run lacks, and which have no relevant document."""
    added, ones, counted, has_nan = [], [], [], []
    for counting in countings:
        counts = ~missing if counting.missing == "skip" else np.ones_like(missing)
        if counting.no_relevant == "skip":
            counts = counts & ~empty
        own = counts & ~missing if counting.missing in ("nan", "blank") else counts
        ones.append((own & empty).sum() if counting.no_relevant == "one" else 0)
        added.append(own & ~empty if counting.no_relevant in ("one", "nan") else own)
        counted.append(counts.sum() + (n_extra if counting.extra == "counted" else 0))
        unknown = counting.missing == "nan" and missing.any()
        has_nan.append(unknown or counting.no_relevant == "nan" and (counts & empty).any())
    return Divisors(
        np.array(added, dtype=float),
        np.array(ones, dtype=float),
        np.array([counting.extra != "skip" for counting in countings]),
        np.array(counted, dtype=float),
        np.array(has_nan, dtype=bool),
    )


def of_queries(values: Doubles, countings: Sequence[Counting], missing: Mask, empty: Mask) -> Doubles:
    """What queries have under each counting: countings x variants x queries, out of variants x queries."""
    counted: Doubles = np.repeat(values[None], len(countings), axis=0)
    for part, counting in zip(counted, countings, strict=True):
        if counting.no_relevant in _OF_EMPTY:
            part[:, empty] = _OF_EMPTY[counting.no_relevant]
        if counting.missing in _OF_MISSING:
            part[:, missing] = _OF_MISSING[counting.missing]
    return counted


class Task:
    """All that is searched.

    measures:  what was printed, by name
    changes:   of the evaluation as a whole
    countings, printings: ways to count queries and to print values; the present ones first
    """

    def __init__(
        self,
        trial: Trial,
        measures: Sequence[PrintedMeasure],
        scores: PrintedValues,
        conventions: Mapping[str, Any],
    ) -> None:
        self.trial = trial
        self.measures = measures
        self._level = int(conventions.get("level", 1))
        self._conventions = conventions
        self._divisors: dict[tuple[int, bytes], Divisors] = {}
        readings = [reading for measure in measures for reading in measure.readings]
        cutoffs = [reading.parameters.cutoff for reading in readings if reading.parameters.cutoff]
        self.changes = evaluation_changes(conventions, trial.deepest, cutoffs, bool(trial.assumed))
        self.countings = self._countings(scores)
        in_percent = any(
            BOUNDED in measure.readings[0].record.traits
            and any(printed.value > 1.0 + printed.unit for printed in measure.values)
            for measure in measures
        )
        self.printings = printings(in_percent, scores.stripped and not scores.full)

    def _countings(self, scores: PrintedValues) -> list[Counting]:
        """Every way to count queries that makes a difference where there are such queries.

        A query that is NaN and counts can't be told from one that counts 0 unless NaN was printed that can be its own.
        """
        trial, conventions = self.trial, self._conventions
        judged = frozenset(trial.query_ids)
        no_values = {printed.query for printed in scores.values if isnan(printed.value)}
        of_all = no_values == {None}
        missing, no_relevant = [str(conventions.get("missing", "skip"))], [str(conventions.get("no_relevant", "zero"))]
        if len(trial.in_run) < len(judged):
            lacking = judged - trial.in_run
            of_qrels = {measure.name for measure in self.measures if trial.is_of_qrels(measure.readings[0])}
            blank = any(
                not printed.value and printed.query in lacking and printed.name in of_qrels for printed in scores.values
            )
            is_nan = of_all or not lacking.isdisjoint(no_values)
            missing += [*["nan"] * is_nan, "zero", *["blank"] * blank, "skip"]
        if trial.without_relevant(self._level).any() or trial.qrels.highest_grade > 1:
            is_nan = of_all or not trial.in_run.isdisjoint(no_values)
            no_relevant += [*["nan"] * is_nan, "zero", "skip", "one"]
        readings = [reading for measure in self.measures for reading in measure.readings]
        is_added = any(reading.record.aggregate is MEAN for reading in trial.counted_alone(readings))
        extra = ["skip", *["counted"] * (trial.n_extra > 0), *["added"] * is_added]
        return countings(missing, extra, no_relevant)

    def variants_of(self, measure: PrintedMeasure, most: int) -> list[Variant]:
        """A measure's variants with so many changes or fewer, the unchanged one first."""
        highest = self.trial.qrels.highest_grade
        has_mean = measure.mean is not None
        return variants(measure.readings, self._conventions, highest, most, has_mean=has_mean)

    def level_of(self, variant: Variant) -> int:
        """The relevance level of a variant."""
        own: int | None = variant.measure.parameters.level
        return self._level if own is None else own

    def add_sorts(self) -> None:
        """Adds those changes of how ties are sorted that reproduce most, alone or with a pairing, if any do."""
        if self.trial.qrels.has_groups:
            return
        try:
            sorts = sort_changes(self.trial.longest_with_ties())
        except TreckonError:  # the run can't be read as a mapping
            return
        best: dict[Change, None] = {}
        for before in ((), *((change,) for change in self.changes if change.value in self.trial.pairings)):
            present = self.n_reproduced(before)
            gains = {change: int((self.n_reproduced((*before, change)) - present).max()) for change in sorts}
            most = max(gains.values(), default=0)
            best.update((change, None) for change, gain in gains.items() if most > 0 and gain == most)
        self.changes += best

    # What is reproduced

    def n_reproduced(self, changes: Changes) -> Any:
        """How many values unchanged measures reproduce under changes, by counting."""
        unchanged = [Variant(measure.readings[0]) for measure in self.measures]
        outcome = self.trial.evaluate([variant.measure for variant in unchanged], changes)
        n = np.zeros(len(self.countings), dtype=int)
        if outcome is None:
            return n
        for measure, variant in zip(self.measures, unchanged, strict=True):
            missed = self.misses(measure, [variant], outcome)[0][:, 0]
            n += np.maximum(len(measure.values) - missed, -1).astype(int)
        return n

    def misses(self, measure: PrintedMeasure, variants: Sequence[Variant], outcome: Outcome) -> list[Doubles]:
        """How many printed values are not reproduced, by printing: countings x variants; inf: can't be evaluated."""
        shape = len(self.countings), len(variants)
        n_missed = [np.full(shape, inf) for _ in self.printings]
        by_level: dict[int, list[int]] = {}
        columns: dict[int, Doubles] = {}
        for v, variant in enumerate(variants):
            if (values := self.trial.values_of(variant, outcome)) is not None:
                columns[v] = values
                by_level.setdefault(self.level_of(variant), []).append(v)
        rows = measure.rows
        for level, chosen in by_level.items():
            values = np.stack([columns[v] for v in chosen])
            missing, empty = outcome.missing[rows], self.trial.without_relevant(level)[rows]
            varies = missing | empty
            same, varying = np.flatnonzero(~varies), np.flatnonzero(varies)
            counted = of_queries(values[:, rows[varying]], self.countings, missing[varying], empty[varying])
            beyond = self._beyond_queries(measure, [variants[v] for v in chosen], values, outcome, level)
            counted = np.concatenate([counted, beyond], axis=2)
            varying = np.concatenate([varying, np.arange(len(rows), len(measure.values))])
            for missed, printing in zip(n_missed, self.printings, strict=True):
                agree = measure.agree(printing, same, values[:, rows[same]]).sum(axis=1)
                missed[:, chosen] = len(measure.values) - agree
                missed[:, chosen] -= measure.agree(printing, varying, counted).sum(axis=2)
        return n_missed

    def _beyond_queries(
        self, measure: PrintedMeasure, variants: Sequence[Variant], values: Doubles, outcome: Outcome, level: int
    ) -> Doubles:
        """Values of queries that are not judged and of all queries together: countings x variants x those printed."""
        divisors = self.divisors_at(level, outcome)
        columns = np.zeros((len(self.countings), len(variants), len(measure.extra) + (measure.mean is not None)))
        for i, printed in enumerate(measure.extra):
            of_variants = [outcome.extra_of(variant).get(str(printed.query), 0.0) for variant in variants]
            alone = np.full(len(variants), nan) if isnan(printed.value) else np.array(of_variants)
            columns[:, :, i] = np.where(divisors.with_extra[:, None], alone, NO_VALUE)
        if measure.mean is not None:
            columns[:, :, -1] = self.means(variants, values, outcome, divisors)
            if isnan(measure.mean.value):
                columns[divisors.has_nan, :, -1] = nan
        return columns

    def divisors_at(self, level: int, outcome: Outcome) -> Divisors:
        """Which queries count at a level; kept."""
        key = level, outcome.missing.tobytes()
        if key not in self._divisors:
            empty = self.trial.without_relevant(level)
            self._divisors[key] = divisors(self.countings, outcome.missing, empty, self.trial.n_extra)
        return self._divisors[key]

    def means(self, variants: Sequence[Variant], values: Doubles, outcome: Outcome, divisors: Divisors) -> Doubles:
        """The values over all queries: countings x variants, out of variants x queries."""
        extra = np.array([sum(outcome.extra_of(variant).values()) for variant in variants])
        unknown = np.isnan(values).T
        totals: Doubles = divisors.added @ np.where(unknown, 0.0, values.T)
        totals += divisors.ones[:, None] + divisors.with_extra[:, None] * extra
        totals[divisors.added @ unknown > 0.0] = nan
        counted = np.maximum(divisors.counted, 1.0)[:, None]
        means: Doubles = totals / counted
        for v, variant in enumerate(variants):
            own = variant.measure.record.aggregate
            if variant.aggregate in ("median", "mean of hits"):
                means[:, v] = self._of_known(variant, values[v], outcome, divisors)
            elif own is COUNT:
                means[:, v] = divisors.counted
            elif variant.aggregate == "sum" or own is SUM and variant.aggregate is None:
                means[:, v] = totals[:, v]
            elif own is GEOMETRIC_MEAN:
                means[:, v] = np.exp(np.minimum(means[:, v], 700.0))
        return means

    def _of_known(self, variant: Variant, values: Doubles, outcome: Outcome, divisors: Divisors) -> list[float]:
        """The median of the queries that count, or the mean of those that are not 0, by counting."""
        results: dict[tuple[bytes, float, bool], float] = {}
        by_counting = []
        for added, n_ones, with_extra in zip(divisors.added, divisors.ones, divisors.with_extra, strict=True):
            key = added.tobytes(), float(n_ones), bool(with_extra)
            if key not in results:
                parts = [values[added > 0.0], np.ones(int(n_ones))]
                if with_extra:
                    parts.append(list(outcome.extra_of(variant).values()) or np.zeros(self.trial.n_extra))
                known = np.concatenate(parts)
                known = known[known != 0.0] if variant.aggregate == "mean of hits" else known
                if variant.aggregate == "median" and len(known):
                    known = np.sort(known)[[(len(known) - 1) // 2, len(known) // 2]]
                results[key] = float(known.sum() / max(len(known), 1))
            by_counting.append(results[key])
        return by_counting

    # What would have been printed

    def predicted(self, measure: PrintedMeasure, variant: Variant, counting: int, outcome: Outcome | None) -> Doubles:
        """What would have been printed for each of a measure's values; NO_VALUE: nothing."""
        values = None if outcome is None else self.trial.values_of(variant, outcome)
        if values is None or outcome is None:
            return np.full(len(measure.values), NO_VALUE)
        rows = self.by_query(variant, counting, outcome)[measure.rows]
        # NaN is how a tool may print a query that it leaves out.
        left_out = self._left_out(variant, counting, outcome)[measure.rows]
        rows[left_out & np.isnan(measure.numbers[: len(rows)])] = nan
        beyond = self._beyond_queries(measure, [variant], values[None], outcome, self.level_of(variant))
        return np.concatenate([rows, beyond[counting, 0]])

    def by_query(self, variant: Variant, counting: int, outcome: Outcome | None) -> Doubles:
        """The value of every judged query; NO_VALUE where it has none."""
        values = None if outcome is None else self.trial.values_of(variant, outcome)
        if values is None or outcome is None:
            return np.full(len(self.trial.query_ids), NO_VALUE)
        empty = self.trial.without_relevant(self.level_of(variant))
        counted = of_queries(values[None], [self.countings[counting]], outcome.missing, empty)[0, 0]
        return np.where(self._left_out(variant, counting, outcome), NO_VALUE, counted)

    def _left_out(self, variant: Variant, counting: int, outcome: Outcome) -> Mask:
        """Which queries are left out since they have no relevant document."""
        how = self.countings[counting]
        empty = self.trial.without_relevant(self.level_of(variant)) & (how.no_relevant == "skip")
        return empty if how.missing == "zero" else empty & ~outcome.missing
