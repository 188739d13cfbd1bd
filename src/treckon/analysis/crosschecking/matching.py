"""Printed values beside those of ours: which queries count, what would have been printed, and what agrees."""

from __future__ import annotations

from math import isnan

from treckon.analysis.crosschecking.changes import (
    APPENDED,
    evaluation_changes,
    printings,
    rules,
    sort_changes,
    variants,
)
from treckon.errors import TreckonError
from treckon.evaluation.evaluator import Evaluator
from treckon.measures.aggregation import COUNT, GEOMETRIC_MEAN, MEAN, SUM
from treckon.measures.registry import BOUNDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    import numpy
    from numpy.typing import NDArray

    from treckon.analysis.crosschecking.bench import Bench
    from treckon.analysis.crosschecking.changes import Change, Rule, Variant
    from treckon.analysis.crosschecking.printed import Printed, Scores
    from treckon.naming.syntax import Measure

    Doubles: TypeAlias = NDArray[numpy.float64]
    Mask: TypeAlias = NDArray[numpy.bool_]
    Changes: TypeAlias = tuple[Change, ...]


class Target:
    """What was printed under one name, put for arrays.

    readings: the measures that the name may stand for
    rows:     of the queries printed that are judged: the printed value, and `queries`, their ids
    extra:    values of queries that are not judged
    mean:     the value of all queries, None where there is none
    """

    def __init__(
        self, name: str, readings: Sequence[Measure], values: Sequence[Printed], judged: frozenset[str]
    ) -> None:
        import numpy

        self.name = name
        self.readings = tuple(readings)
        self.rows = [one for one in values if one.query is not None and one.query in judged]
        self.extra = [one for one in values if one.query is not None and one.query not in judged]
        means = [one for one in values if one.query is None]
        self.mean = means[0] if means else None
        self.n = len(values)
        self.printed = numpy.array([one.value for one in self.rows], dtype=float)
        self._bounds: dict[Interval, Doubles] = {}
        self._places: dict[tuple[str, ...], Any] = {}

    @property
    def values(self) -> list[Printed]:
        """Rows, then those of queries that are not judged, then the mean."""
        return [*self.rows, *self.extra, *([self.mean] if self.mean else [])]

    def bounds(self, how: Interval) -> Doubles:
        """Lowest and highest value of each row."""
        import numpy

        if how not in self._bounds:
            self._bounds[how] = numpy.array([how.of(one) for one in self.rows], dtype=float).reshape(-1, 2)
        return self._bounds[how]

    def places(self, evaluated: Evaluated) -> Any:
        """Where the rows' queries stand among those evaluated."""
        import numpy

        if evaluated.query_ids not in self._places:
            at = [evaluated.at[str(one.query)] for one in self.rows]
            self._places[evaluated.query_ids] = numpy.array(at, dtype=int)
        return self._places[evaluated.query_ids]


class Interval:
    """What a printed value may have been before it was printed, by the way of printing."""

    def __init__(self, how: Changes) -> None:
        keys = {one.key for one in how}
        self._scale = 0.01 if "percent" in keys else 1.0
        self._cut = "cut" in keys
        self._own_places = "places" in keys
        self._twice = "twice" in keys

    def of(self, one: Printed) -> tuple[float, float]:
        """Lowest and highest value; both NaN for NaN."""
        unit = max(one.unit, one.own_unit) if self._own_places else one.unit
        if self._cut:
            below, above = (0.0, unit) if one.value >= 0.0 else (unit, 0.0)
        else:
            below = above = unit * 0.55 if self._twice else unit / 2.0
        low, high = one.value - below - one.slack, one.value + above + one.slack
        return low * self._scale, high * self._scale

    def holds(self, one: Printed, value: float) -> bool:
        """Whether a value would have been printed as this."""
        if isnan(one.value) or isnan(value):
            return isnan(one.value) and isnan(value)
        low, high = self.of(one)
        return low <= value <= high or one.value == value


class Frame:
    """The queries of an evaluation at one level: which of them count under each rule, and as what.

    missing, empty: masks of the queries that the run lacks, and that have no relevant document
    weights:        rules x queries: whether the query's value is added to the total
    ones:           how many queries count 1 instead, by rule
    with_extra:     whether queries that are not judged are added, by rule
    n:              the divisor, by rule
    has_nan:        whether a query that counts is NaN, by rule
    """

    def __init__(self, rules: Sequence[Rule], missing: Mask, empty: Mask, n_extra: int) -> None:
        import numpy

        self.missing = missing
        self.empty = empty
        shape = len(rules), len(missing)
        self.weights = numpy.zeros(shape)
        self.ones, self.n = numpy.zeros(len(rules)), numpy.zeros(len(rules))
        self.with_extra = numpy.array([rule.extra != "skip" for rule in rules])
        self.has_nan = numpy.zeros(len(rules), dtype=bool)
        for i, rule in enumerate(rules):
            counted = ~missing if rule.missing == "skip" else numpy.ones_like(missing)
            if rule.no_relevant == "skip":
                counted = counted & ~empty
            added = counted & ~missing if rule.missing in ("nan", "blank") else counted
            if rule.no_relevant in ("one", "nan"):
                self.ones[i] = (added & empty).sum() if rule.no_relevant == "one" else 0
                added = added & ~empty
            self.weights[i] = added
            self.n[i] = counted.sum() + (n_extra if rule.extra == "counted" else 0)
            self.has_nan[i] = rule.missing == "nan" and missing.any()
            if rule.no_relevant == "nan":
                self.has_nan[i] |= (counted & empty).any()
        keys = [
            (weights.tobytes(), float(n), rule.extra)
            for weights, n, rule in zip(self.weights, self.ones, rules, strict=True)
        ]
        self.different = {key: i for i, key in reversed(list(enumerate(keys)))}  # rules with other values
        self.like = [self.different[key] for key in keys]  # the first rule with the same values, by rule


def _is_counted(measure: Measure, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> bool:
    """Whether a measure is other than 0 for the query q."""
    try:
        found = Evaluator(qrels, measure, missing="zero").evaluate(run)
    except TreckonError:
        return False
    return bool(found.values[found.query_ids.index("q"), 0])


def level_of(measure: Measure, base: int) -> int:
    return base if measure.parameters.level is None else measure.parameters.level


class Space:
    """All that is searched, and the values of what was evaluated."""

    def __init__(
        self,
        bench: Bench,
        targets: Sequence[Target],
        scores: Scores,
        conventions: Mapping[str, Any],
        evaluator: Evaluator,
    ) -> None:
        self.bench = bench
        self.targets = targets
        self.level = int(conventions.get("level", 1))
        self._base = conventions
        self._evaluator = evaluator
        table = evaluator.qrels
        self.highest_grade = table.highest_grade
        self.has_groups = table.has_groups
        self._numbers = {query: number for number, query in enumerate(evaluator.query_ids)}
        self._is_counted_alone: dict[Measure, bool] = {}
        target_readings = [one for target in targets for one in target.readings]
        cutoffs = [one.parameters.cutoff for one in target_readings if one.parameters.cutoff]
        self.changes = evaluation_changes(conventions, bench.deepest, cutoffs, bench.repeats)
        empty = any(table.n_relevant(number, self.level) == 0 for number in range(len(table)))
        nan = {one.query for one in scores.values if isnan(one.value)}
        of_qrels = {target.name for target in targets if self._is_of_qrels(target.readings[0])}
        self.rules = rules(
            str(conventions.get("missing", "skip")),
            str(conventions.get("no_relevant", "zero")),
            has_missing=len(bench.in_run) < len(table),
            has_extra=bench.n_extra > 0,
            adds_extra=any(one.record.aggregate is MEAN for one in self._counted_alone(target_readings)),
            has_empty=empty or self.highest_grade > 1,
            missing_blank=any(
                not one.value and one.query in self._numbers and one.query not in bench.in_run and one.name in of_qrels
                for one in scores.values
            ),
            missing_nan=nan == {None} or any(one in self._numbers and one not in bench.in_run for one in nan if one),
            empty_nan=nan == {None} or any(one in bench.in_run for one in nan),
        )
        self.printings = printings(self._in_percent(targets), scores.stripped and not scores.full)
        self._kept: dict[Changes, Evaluated] = {}
        self._whole: dict[object, Doubles | None] = {}
        self._empty: dict[tuple[tuple[str, ...], int], Mask] = {}
        self._n_negative: dict[tuple[str, ...], Doubles] = {}
        self._listed: dict[tuple[str, ...], list[int]] = {}
        self.variants: list[list[Variant]] = [
            variants(one.readings, conventions, self.highest_grade, 0, has_mean=False) for one in targets
        ]

    def _in_percent(self, targets: Sequence[Target]) -> bool:
        """Whether values of a measure that has none above 1 are above it."""
        return any(
            BOUNDED in target.readings[0].record.traits and any(one.value > 1.0 + one.unit for one in target.values)
            for target in targets
        )

    def evaluated(self, changes: Changes) -> Evaluated:
        """As `evaluate`, of changes that are known to go together; kept."""
        if changes not in self._kept:
            evaluated = self.evaluate(changes)
            assert evaluated is not None
            self._kept[changes] = evaluated
        return self._kept[changes]

    def add_sorts(self) -> None:
        """Adds those changes of how ties are sorted that reproduce most, alone or with a pairing, if any do."""
        if self.has_groups:
            return
        try:
            sorts = sort_changes(self.bench.longest_with_ties())
        except TreckonError:  # the run can't be read as a mapping
            return
        found: dict[Change, None] = {}
        pairings = [(one,) for one in self.changes if one.key == "data" and one.value in self.bench.pairings]
        for before in ((), *pairings):
            present = self.n_reproduced(before)
            most = {one: self.n_reproduced((*before, one)) for one in sorts}
            best = max((int((counts - present).max()) for counts in most.values()), default=0)
            found.update((one, None) for one in sorts if best and int((most[one] - present).max()) == best)
        self.changes += found

    def n_reproduced(self, changes: Changes) -> Any:
        """How many values unchanged measures reproduce under changes, by rule."""
        import numpy

        evaluated = self.evaluate(changes)
        counts = numpy.zeros(len(self.rules), dtype=int)
        if evaluated is None:
            return counts
        for target, some in zip(self.targets, self.variants, strict=True):
            counts += evaluated.counts(target, some, evaluated.block(some), Interval(())).max(axis=1)
        return counts

    def extend(self, most: int, which: Iterable[int]) -> None:
        """Gives some measures their variants with so many changes."""
        for i in which:
            target = self.targets[i]
            self.variants[i] = variants(
                target.readings, self._base, self.highest_grade, most, has_mean=target.mean is not None
            )

    def evaluate(self, changes: Changes) -> Evaluated | None:
        """All variants under these changes; None where they don't go together."""
        columns: dict[Measure, int] = {}
        for some in self.variants:
            for one in some:
                for measure in (one.measure, *one.beside):
                    columns.setdefault(measure, len(columns))
        expected = any(one.value in ("expected", APPENDED) for one in changes)
        wanted = [one for one in columns if not expected or one.record.has_exact_mean_over_ties]
        if not wanted:
            return None
        try:
            query_ids, values, in_run = self.bench.evaluate(wanted, changes)
            extra = self._of_extra(wanted, changes)
        except TreckonError:
            return None
        return Evaluated(self, changes, wanted, query_ids, values, in_run, extra)

    def _of_extra(self, measures: Iterable[Measure], changes: Changes) -> dict[Measure, dict[str, float]]:
        """The values of the run's queries that are not judged, by measure; those of other measures are 0."""
        wanted = self._counted_alone(measures)
        if not wanted:
            return {}
        query_ids, values = self.bench.of_extra(wanted, changes)
        return {
            measure: dict(zip(query_ids, column, strict=True))
            for measure, column in zip(wanted, values.T.tolist(), strict=True)
        }

    def _counted_alone(self, measures: Iterable[Measure]) -> list[Measure]:
        """Of these measures those that may be other than 0 for a query without judgements, if the run has such."""
        if not self.bench.n_extra or self.has_groups:
            return []
        measures = list(measures)
        for one in measures:
            if one not in self._is_counted_alone:
                self._is_counted_alone[one] = _is_counted(one, {"q": {}, "judged": {"a": 1}}, {"q": {"b": 1.0}})
        return [one for one in measures if self._is_counted_alone[one]]

    def _is_of_qrels(self, measure: Measure) -> bool:
        """Whether it may be other than 0 for a query that the run lacks."""
        return not self.has_groups and _is_counted(measure, {"q": {"a": 1}, "other": {"a": 1}}, {"other": {"a": 1.0}})

    def empty(self, query_ids: tuple[str, ...], level: int) -> Mask:
        """Which queries have no relevant document; kept."""
        import numpy

        key = query_ids, level
        if key not in self._empty:
            n_relevant, numbers = self._evaluator.qrels.n_relevant, self._numbers
            self._empty[key] = numpy.array([n_relevant(numbers[one], level) == 0 for one in query_ids], dtype=bool)
        return self._empty[key]

    def whole(self, variant: Variant, query_ids: tuple[str, ...], changes: Changes) -> Doubles | None:
        """The values of a variant that is computed of all queries together; kept."""
        import numpy

        key = (str(variant.measure), variant.whole, changes)
        if key not in self._whole:
            assert variant.whole is not None
            self._whole[key] = None
            try:
                data = self.bench.changed_data(changes)
            except TreckonError:  # the run can't be read as a mapping
                data = None
            if data is not None:
                found = variant.whole(variant.measure, *data)
                self._whole[key] = numpy.array([found.get(one, 0.0) for one in query_ids])
        return self._whole[key]

    def listed(self, query_ids: tuple[str, ...]) -> list[int]:
        """The places of queries, in the order in which the qrels list them; kept."""
        if query_ids not in self._listed:
            place = {number: i for i, number in enumerate(self._evaluator.qrels.listed())}
            numbers = [place[self._numbers[one]] for one in query_ids]
            self._listed[query_ids] = sorted(range(len(numbers)), key=numbers.__getitem__)
        return self._listed[query_ids]

    def n_negative(self, query_ids: tuple[str, ...]) -> Doubles:
        """How many judgements of each query are negative; kept."""
        import numpy

        if query_ids not in self._n_negative:
            judgements = self._evaluator.qrels.judgements
            self._n_negative[query_ids] = numpy.array(
                [sum(grade < 0 for _, grade in judgements(self._numbers[one])) for one in query_ids], dtype=float
            )
        return self._n_negative[query_ids]


class Evaluated:
    """The values of all variants under one set of evaluation changes."""

    def __init__(
        self,
        space: Space,
        changes: Changes,
        columns: Sequence[Measure],
        query_ids: tuple[str, ...],
        values: Doubles,
        in_run: frozenset[str],
        extra: Mapping[Measure, Mapping[str, float]],
    ) -> None:
        """extra: values of queries that are not judged, where these may be other than 0"""
        import numpy

        self.space = space
        self.changes = changes
        self.query_ids = query_ids
        self.at = {query: i for i, query in enumerate(query_ids)}
        self._column = {one: i for i, one in enumerate(columns)}
        self._values = values
        self._missing = numpy.array([query not in in_run for query in query_ids], dtype=bool)
        self._extra = extra
        self._frames: dict[int, Frame] = {}
        #: What decides on totals besides the values of judged queries.
        self.others = self._missing.tobytes() + repr(list(extra.values())).encode()

    def fingerprint(self) -> bytes:
        """The same for the same values."""
        import hashlib

        return hashlib.blake2b(self._values.tobytes() + self.others, digest_size=16).digest()

    def extra_of(self, variant: Variant) -> Mapping[str, float]:
        """The values of queries that are not judged; those that aren't in it are 0."""
        if variant.combine is not None or variant.whole is not None:
            return {}
        return self._extra.get(variant.measure, {})

    def frame(self, level: int) -> Frame:
        """The queries at a level; the same object where levels leave the same queries without relevant documents."""
        if level not in self._frames:
            empty = self.space.empty(self.query_ids, level)
            same = (one for one in self._frames.values() if (one.empty == empty).all())
            frame = next(same, None)
            self._frames[level] = frame or Frame(self.space.rules, self._missing, empty, self.space.bench.n_extra)
        return self._frames[level]

    def values_of(self, variant: Variant) -> Doubles | None:
        """The values of all judged queries; None where the variant can't be evaluated so."""
        import numpy

        if variant.whole is not None:
            return self.space.whole(variant, self.query_ids, self.changes)
        column = self._column.get(variant.measure)
        if column is None or any(one not in self._column for one in variant.beside):
            return None
        values: Doubles = self._values[:, column]
        if variant.combine is not None:
            beside = [self._values[:, self._column[one]] for one in variant.beside]
            columns = [values, *beside, self.space.n_negative(self.query_ids)]
            listed = [*range(len(values))] if variant.by_id else self.space.listed(self.query_ids)
            values, *beside, n_negative = [one[listed] for one in columns]
            combined = variant.combine(values, beside, n_negative)
            values = numpy.empty_like(combined)
            values[listed] = combined
        return values

    def means(self, variants: Sequence[Variant], values: Doubles, frame: Frame) -> Doubles:
        """The values over all queries: rules x variants, out of queries x variants."""
        import numpy

        extra = numpy.array([sum(self.extra_of(one).values()) for one in variants])
        unknown = numpy.isnan(values)
        totals: Doubles = frame.weights @ numpy.where(unknown, 0.0, values)
        totals += frame.ones[:, None] + frame.with_extra[:, None] * extra
        totals[frame.weights @ unknown > 0.0] = numpy.nan
        divisors = numpy.maximum(frame.n, 1.0)[:, None]
        found = totals / divisors
        for v, variant in enumerate(variants):
            own = variant.measure.record.aggregate
            if variant.aggregate in ("median", "mean of hits"):
                found[:, v] = self._of_known(variant, values[:, v], frame)
            elif own is COUNT:
                found[:, v] = frame.n
            elif variant.aggregate == "sum" or own is SUM and variant.aggregate is None:
                found[:, v] = totals[:, v]
            elif own is GEOMETRIC_MEAN:
                found[:, v] = numpy.exp(numpy.minimum(totals[:, v] / divisors[:, 0], 700.0))
        return found

    def _of_known(self, variant: Variant, values: Doubles, frame: Frame) -> list[float]:
        """The median of the queries that count, or the mean of those that are not 0, by rule."""
        import numpy

        found: dict[int, float] = {}
        for i in frame.different.values():
            some = [values[frame.weights[i] > 0.0], numpy.ones(int(frame.ones[i]))]
            if frame.with_extra[i]:
                some += [list(self.extra_of(variant).values()) or numpy.zeros(self.space.bench.n_extra)]
            known = numpy.concatenate(some)
            known = known[known != 0.0] if variant.aggregate == "mean of hits" else known
            if variant.aggregate == "median" and len(known):
                known = numpy.sort(known)[[(len(known) - 1) // 2, len(known) // 2]]
            found[i] = float(known.sum() / max(len(known), 1))
        return [found[i] for i in frame.like]

    def block(self, variants: Sequence[Variant]) -> tuple[list[int], Doubles]:
        """Which variants can be evaluated, and their values: queries x variants."""
        import numpy

        columns = [(v, values) for v, one in enumerate(variants) if (values := self.values_of(one)) is not None]
        if not columns:
            return [], numpy.zeros((len(self.query_ids), 0))
        return [v for v, _ in columns], numpy.stack([values for _, values in columns], axis=1)

    def counts(
        self, target: Target, variants: Sequence[Variant], block: tuple[list[int], Doubles], how: Interval
    ) -> Any:
        """How many printed values each variant reproduces: rules x variants; -1 where it can't be evaluated."""
        import numpy

        which, values = block
        found = numpy.full((len(self.space.rules), len(variants)), -1, dtype=int)
        by_frame: dict[Frame, list[int]] = {}
        for i, v in enumerate(which):
            by_frame.setdefault(self.frame(level_of(variants[v].measure, self.space.level)), []).append(i)
        for frame, some in by_frame.items():
            chosen = [which[i] for i in some]
            part = numpy.ascontiguousarray(values[:, some])
            counts = self._of_rows(target, part, frame, how)
            if target.extra:
                same = [self._n_extra_same(target, variants[v], how) for v in chosen]
                counts = counts + frame.with_extra[:, None] * numpy.array(same)
            if target.mean is not None and isnan(target.mean.value):
                means = self.means([variants[v] for v in chosen], part, frame)
                counts = counts + (frame.has_nan[:, None] | numpy.isnan(means))
            elif target.mean is not None:
                low, high = how.of(target.mean)
                means = self.means([variants[v] for v in chosen], part, frame)
                counts = counts + (((low <= means) & (means <= high)) | (means == target.mean.value))
            found[:, chosen] = counts
        return found

    def _of_rows(self, target: Target, values: Doubles, frame: Frame, how: Interval) -> Any:
        """Of the queries' values how many are reproduced: rules x columns of values."""
        import numpy

        at, bounds, printed = target.places(self), target.bounds(how), target.printed
        now = values[at]
        same = ((bounds[:, :1] <= now) & (now <= bounds[:, 1:])) | (printed[:, None] == now)
        same |= numpy.isnan(printed)[:, None] & numpy.isnan(now)
        missing, empty = frame.missing[at], frame.empty[at]
        counts = numpy.zeros((len(self.space.rules), values.shape[1]), dtype=int)
        counts += same[~missing & ~empty].sum(axis=0)
        if not (missing.any() or empty.any()):
            return counts
        nan = numpy.isnan(printed)
        zero, one = [(bounds[:, 0] <= value) & (value <= bounds[:, 1]) for value in (0.0, 1.0)]

        def by_no_relevant(rows: Mask) -> dict[str, Any]:
            return {
                "zero": same[rows].sum(axis=0),
                "one": one[rows].sum(),
                **dict.fromkeys(("nan", "skip"), nan[rows].sum()),
            }

        retrieved, absent = by_no_relevant(empty & ~missing), by_no_relevant(empty & missing)
        relevant = same[missing & ~empty].sum(axis=0)
        for i, rule in enumerate(self.space.rules):
            counts[i] += retrieved[rule.no_relevant]
            if rule.missing == "blank":
                counts[i] += zero[missing].sum()
            elif rule.missing == "zero":
                counts[i] += relevant + absent[rule.no_relevant]
            elif rule.missing == "nan":
                counts[i] += nan[missing].sum()
        return counts

    def _n_extra_same(self, target: Target, variant: Variant, how: Interval) -> int:
        """How many values of queries that are not judged are reproduced where these count."""
        values = self.extra_of(variant)
        return sum(isnan(one.value) or how.holds(one, values.get(str(one.query), 0.0)) for one in target.extra)

    def predicted(self, target: Target, variant: Variant, rule: int) -> list[float | None]:
        """What would have been printed for each of the target's values; None: nothing."""
        values = self.values_of(variant)
        if values is None:
            return [None] * target.n
        frame = self.frame(level_of(variant.measure, self.space.level))
        left_out = self.space.rules[rule].no_relevant == "skip"
        rows = self._by_rule(values, frame, self.space.rules[rule])
        found = [
            float("nan") if left_out and isnan(one.value) and frame.empty[i] and rows[i] is None else rows[i]
            for i, one in zip(target.places(self), target.rows, strict=True)
        ]
        extra = self.extra_of(variant)
        found += [extra.get(str(one.query), 0.0) if frame.with_extra[rule] else None for one in target.extra]
        if target.mean is not None:
            nan = bool(frame.has_nan[rule]) and isnan(target.mean.value)
            found.append(float("nan") if nan else float(self.means([variant], values[:, None], frame)[rule, 0]))
        return found

    def by_query(self, variant: Variant, rule: int) -> list[float | None]:
        """The value of every judged query; None where it has none."""
        values = self.values_of(variant)
        frame = self.frame(level_of(variant.measure, self.space.level))
        return [None] * len(self.query_ids) if values is None else self._by_rule(values, frame, self.space.rules[rule])

    def _by_rule(self, values: Doubles, frame: Frame, rule: Rule) -> list[float | None]:
        rows: list[float | None] = values.tolist()
        for i in range(len(rows)):
            if frame.empty[i] and rule.no_relevant != "zero":
                rows[i] = {"one": 1.0, "nan": float("nan")}.get(rule.no_relevant)
            if frame.missing[i] and rule.missing != "zero":
                rows[i] = {"nan": float("nan"), "blank": 0.0}.get(rule.missing)
        return rows
