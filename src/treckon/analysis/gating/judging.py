"""Judges the values of a run, and of its baseline, by thresholds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from treckon._native.conversion import id_bytes
from treckon.analysis.gating.thresholds import BASELINE, FLOOR, HITS, MAXIMUM, MINIMUM
from treckon.analysis.gating.verdict import FailingQuery, MissedDocument, RuleResult
from treckon.errors import EvaluationError
from treckon.evaluation.evaluator import Evaluator
from treckon.measures.aggregation import MEAN
from treckon.measures.parameters import Arguments
from treckon.measures.registry import MeasureRecord
from treckon.naming.syntax import field_measure
from treckon.statistics import bootstrap_interval, paired_differences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from treckon.analysis.gating.thresholds import ByInterval, Threshold
    from treckon.evaluation.results import Evaluation

#: Numbers that differ by less are equal: the sum of 0.1 and 0.2 is no reason to stop a release at 0.3.
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Judge:
    """A run, and the baseline, whose values are judged by thresholds.

    missed_at: ranks up to which a relevant document is not missed, for measures without a cutoff
    threads:   how many may be used
    """

    evaluator: Evaluator
    evaluation: Evaluation
    baseline: Evaluation | None
    missed_at: int
    threads: int

    def results(self, thresholds: Sequence[Threshold], run: Any) -> list[RuleResult]:
        """What becomes of each threshold. The run is read once more where queries fail: for the documents missed."""
        results = [self._result(threshold) for threshold in thresholds]
        failing = {query.query for result in results for query in result.failing}
        if not failing or not self.evaluator.has_rankings:
            return results
        judgements = {query: self.evaluator.judgements(query) for query in failing}
        ranks = self._ranks(judgements, run)

        def with_missed(threshold: Threshold, query: FailingQuery) -> FailingQuery:
            missed = self._missed(threshold, judgements[query.query], ranks.get(query.query, {}))
            return replace(query, missed=missed)

        return [
            replace(result, failing=tuple(with_missed(threshold, query) for query in result.failing))
            for threshold, result in zip(thresholds, results, strict=True)
        ]

    def _result(self, threshold: Threshold) -> RuleResult:
        judges = {
            MINIMUM: self._bound, MAXIMUM: self._bound, BASELINE: self._against_baseline, FLOOR: self._floor,
            HITS: self._hits,
        }  # fmt: skip
        return judges[threshold.kind](threshold)

    # Kinds of rule

    def _bound(self, threshold: Threshold) -> RuleResult:
        mean = _number(self.evaluation.means[threshold.measure])
        least = threshold.kind == MINIMUM
        met = mean >= threshold.limit - _SLACK if least else mean <= threshold.limit + _SLACK
        failing: list[FailingQuery] = []
        if not met and threshold.measure.record.per_query and threshold.measure.record.aggregate is MEAN:
            failing = [
                FailingQuery(query, value)
                for query, value in self._values(threshold, self.evaluation).items()
                if (value < threshold.limit - _SLACK if least else value > threshold.limit + _SLACK)
            ]
            failing.sort(key=lambda query: query.value, reverse=not least)
        expected = f"at {'least' if least else 'most'} {_limit(threshold.limit)}"
        text = f"expected {expected}, found {_shown(mean, threshold.limit)}"
        return _result(threshold, met, mean, threshold.limit, text, failing)

    def _against_baseline(self, threshold: Threshold) -> RuleResult:
        assert self.baseline is not None
        pairs = self._pairs(threshold)
        own, other = self._means(threshold, pairs)
        failing = [FailingQuery(query, value, base) for query, (value, base) in pairs.items() if value < base - _SLACK]
        failing.sort(key=lambda query: query.value - (query.baseline or 0.0))
        limit = 0.0 - threshold.limit  # not -0.0
        if threshold.interval is not None:
            return self._interval_result(threshold, threshold.interval, pairs, failing)
        difference = own - other
        text = (
            f"expected at most {_limit(threshold.limit)} below the baseline's {_shown(other)}, found {_shown(own)} "
            f"({_shown(difference, limit, '+')})"
        )
        return _result(threshold, difference >= limit - _SLACK, difference, limit, text, failing)

    def _interval_result(
        self,
        threshold: Threshold,
        options: ByInterval,
        pairs: Mapping[str, tuple[float, float]],
        failing: list[FailingQuery],
    ) -> RuleResult:
        if not pairs:
            raise EvaluationError(place=threshold.place, expected="queries that both runs have", found="none")
        limit = 0.0 - threshold.limit
        values, bases = zip(*pairs.values(), strict=True)
        interval = bootstrap_interval(paired_differences(bases, values), threads=self.threads, **asdict(options))
        note = f"; {interval.note}: an interval without width" if interval.note else ""
        text = (
            f"expected the {100 * interval.confidence:g} % interval of the difference from the baseline to begin at "
            f"{_limit(limit)} or above, found {_shown(interval.low, limit)} to {interval.high:.6g} "
            f"(mean {interval.estimate:+.6g}{note})"
        )
        return _result(threshold, interval.low >= limit - _SLACK, interval.low, limit, text, failing)

    def _floor(self, threshold: Threshold) -> RuleResult:
        failing = self._below(threshold)
        n, limit = len(failing), int(threshold.limit)
        queries = "query" if limit == 1 else "queries"
        text = f"expected at most {limit} {queries} below {_limit(threshold.value)}, found {n}"
        return _result(threshold, n <= limit, float(n), threshold.limit, text, failing)

    def _hits(self, threshold: Threshold) -> RuleResult:
        failing = self._below(threshold)
        n = len(self._values(threshold, self.evaluation))
        share = (n - len(failing)) / n if n else 0.0
        least, reached = 100 * threshold.limit, 100 * share
        text = (
            f"expected at least {_limit(least)} % of the queries at {_limit(threshold.value)} or above, found "
            f"{_shown(reached, least, digits=4)} % ({n - len(failing)} of {n})"
        )
        return _result(threshold, share >= threshold.limit - _SLACK, share, threshold.limit, text, failing)

    # Values

    def _below(self, threshold: Threshold) -> list[FailingQuery]:
        values = self._values(threshold, self.evaluation)
        below = [FailingQuery(query, value) for query, value in values.items() if value < threshold.value - _SLACK]
        return sorted(below, key=lambda query: query.value)

    def _values(self, threshold: Threshold, evaluation: Evaluation) -> dict[str, float]:
        """The values of the queries that count in the mean."""
        column = evaluation.measures.index(threshold.measure)
        values = dict(zip(evaluation.query_ids, evaluation.values[:, column].tolist(), strict=True))
        if self.evaluator.conventions.no_relevant != "skip":
            return values
        level = self._level(threshold)
        return {
            query: value
            for query, value in values.items()
            if any(grade >= level for grade in self.evaluator.judgements(query).values())
        }

    def _level(self, threshold: Threshold) -> int:
        level = threshold.measure.parameters.level
        return self.evaluator.conventions.level if level is None else level

    def _pairs(self, threshold: Threshold) -> dict[str, tuple[float, float]]:
        """The values of both runs, of the queries that both have."""
        if not threshold.measure.record.per_query:
            return {}
        assert self.baseline is not None
        bases = self._values(threshold, self.baseline)
        values = self._values(threshold, self.evaluation)
        return {query: (value, bases[query]) for query, value in values.items() if query in bases}

    def _means(self, threshold: Threshold, pairs: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
        """Both runs' values over the same queries."""
        assert self.baseline is not None
        if self.evaluation.query_ids == self.baseline.query_ids or not pairs:
            return _number(self.evaluation.means[threshold.measure]), _number(self.baseline.means[threshold.measure])
        aggregate = threshold.measure.record.aggregate
        own, other = (sum(pair[i] for pair in pairs.values()) for i in (0, 1))
        return aggregate.finish(own, len(pairs)), aggregate.finish(other, len(pairs))

    # Documents

    def _missed(
        self, threshold: Threshold, judgements: Mapping[str, int], ranks: Mapping[str, int]
    ) -> tuple[MissedDocument, ...]:
        """The relevant documents of a query that aren't at a rank up to the cutoff."""
        cutoff, level = threshold.measure.parameters.cutoff or self.missed_at, self._level(threshold)
        missed = [
            MissedDocument(document, grade, ranks.get(document))
            for document, grade in judgements.items()
            if grade >= level and grade >= 0 and ranks.get(document, cutoff + 1) > cutoff
        ]
        return tuple(sorted(missed, key=lambda document: (-document.grade, document.document)))

    def _ranks(self, judgements: Mapping[str, dict[str, int]], run: Any) -> dict[str, dict[str, int]]:
        """The ranks of judged documents under the conventions.

        Rankings know grades and no ids. So the run is evaluated against judgements in which each document has a grade
        of its own, higher where its grade is: the order of ties that goes by grades stays, and so does that by ids.
        """
        conventions = self.evaluator.conventions
        falls = conventions.ties == "pessimistic"
        codes: dict[str, dict[str, int]] = {}
        for query, documents in judgements.items():
            ordered = sorted(documents, key=lambda document: id_bytes(document, "document"), reverse=falls)
            ordered.sort(key=documents.__getitem__)
            codes[query] = {
                document: code if documents[document] >= 0 else -1 for code, document in enumerate(ordered, 1)
            }
        kept: list[tuple[list[int], list[int]]] = []

        def keep(ranking: Any, _: object) -> float:
            kept.append(([], []) if ranking is None else (ranking[4], ranking[5]))
            return 0.0

        same = ("order", "seed", "unjudged", "negative", "ignore_self", "duplicates", "depth", "compat")
        options = {name: getattr(conventions, name) for name in same}
        options["ties"] = "trec" if conventions.ties == "expected" else conventions.ties
        evaluation = Evaluator(
            codes, field_measure(_ranks_record(keep)), threads=self.threads, missing="zero", **options
        ).evaluate(run)
        ranks_by_query = {}
        for query, (ranks, grades) in zip(evaluation.query_ids, kept, strict=True):
            names = {code: document for document, code in codes[query].items()}
            ranks_by_query[query] = {names[code]: rank for rank, code in zip(ranks, grades, strict=True) if code > 0}
        return ranks_by_query


def _result(
    threshold: Threshold, met: bool, found: float, limit: float, text: str, failing: Sequence[FailingQuery]
) -> RuleResult:
    queries = () if met else tuple(failing)
    return RuleResult(str(threshold.measure), threshold.kind, threshold.place, met, found, limit, text, queries)


def _ranks_record(keep: Any) -> MeasureRecord:
    """A record that is registered nowhere: its function keeps the rankings."""
    return MeasureRecord(
        name="ranks",
        title="Ranks of judged documents",
        definition="Keeps them.",
        source="treckon",
        function=keep,
        parameter_kind=Arguments(),
        since=None,
    )


def _number(value: object) -> float:
    return float(value)  # type: ignore[arg-type]  # measures with texts were refused


def _limit(value: float) -> str:
    """A rule's number, with the digits that it was written with."""
    return f"{value:.12g}"


def _shown(value: float, limit: float | None = None, sign: str = "", digits: int = 6) -> str:
    """A value with few digits, but with as many as show on which side of a limit it lies."""
    text = f"{value:{sign}.{digits}g}"
    while limit is not None and digits < 17 and _side(float(text), limit) != _side(value, limit):
        digits += 1
        text = f"{value:{sign}.{digits}g}"
    return text


def _side(value: float, limit: float) -> int:
    return (value > limit + _SLACK) - (value < limit - _SLACK)
