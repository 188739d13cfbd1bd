"""Holds a run against thresholds that were written beforehand: met or not, and which queries and documents it lacks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from treckon._native.objects import id_bytes
from treckon.analysis.gating.thresholds import BASELINE, FLOOR, HITS, MAXIMUM, MINIMUM, Rule, Thresholds
from treckon.errors import EvaluationError
from treckon.evaluation.evaluator import Evaluator
from treckon.evaluation.run_files import evaluate_judged
from treckon.inputs.forms import as_run
from treckon.inputs.sources import Source
from treckon.inputs.text import is_path
from treckon.measures.aggregation import MEAN
from treckon.measures.parameters import Arguments
from treckon.measures.registry import Measure as Record
from treckon.naming.syntax import field_measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from treckon.evaluation.results import Evaluation

__all__ = ["FailingQuery", "GateResult", "MissedDocument", "RuleResult", "gate"]

#: Numbers that differ by less are equal: the sum of 0.1 and 0.2 is no reason to stop a release at 0.3.
_SLACK = 1e-12


class MissedDocument:
    """A relevant document that isn't where it should be.

    document: its id
    grade:    its grade
    rank:     where it was retrieved, from 1; None: it wasn't
    """

    __slots__ = ("document", "grade", "rank")

    def __init__(self, document: str, grade: int, rank: int | None) -> None:
        self.document = document
        self.grade = grade
        self.rank = rank

    def __repr__(self) -> str:
        return f"MissedDocument({self.document!r}, grade={self.grade}, rank={self.rank})"

    def __str__(self) -> str:
        where = "not retrieved" if self.rank is None else f"rank {self.rank}"
        return f"{self.document} (grade {self.grade}, {where})"

    def to_dict(self) -> dict[str, object]:
        """As a dictionary."""
        return {"document": self.document, "grade": self.grade, "rank": self.rank}


class FailingQuery:
    """A query that a rule which isn't met fails for.

    query:    its id
    value:    the run's
    baseline: the baseline's, where the rule is about it; else None
    missed:   relevant documents that the run has not at a rank up to the measure's cutoff, by falling grade
    """

    __slots__ = ("baseline", "missed", "query", "value")

    def __init__(
        self, query: str, value: float, baseline: float | None = None, missed: tuple[MissedDocument, ...] = ()
    ) -> None:
        self.query = query
        self.value = value
        self.baseline = baseline
        self.missed = missed

    def __repr__(self) -> str:
        return f"FailingQuery({self.query!r}, value={self.value!r}, missed={len(self.missed)})"

    def to_dict(self) -> dict[str, object]:
        """As dictionaries."""
        return {
            "query": self.query,
            "value": self.value,
            "baseline": self.baseline,
            "missed": [one.to_dict() for one in self.missed],
        }


class RuleResult:
    """What became of a rule.

    measure:  its text
    rule:     "minimum", "maximum", "baseline", "floor" or "hits"
    place:    file and line of the rule
    met:      the verdict
    found:    what is compared: the mean (minimum, maximum), the mean difference or the low end of its interval
              (baseline), the number of queries (floor), the share of queries (hits)
    limit:    what it is compared with
    text:     expectation and finding in one sentence
    failing:  where it isn't met, the queries that fail it, the worst first
    """

    __slots__ = ("failing", "found", "limit", "measure", "met", "place", "rule", "text")

    def __init__(
        self, rule: Rule, met: bool, found: float, limit: float, text: str, failing: Iterable[FailingQuery] = ()
    ) -> None:
        self.measure = str(rule.measure)
        self.rule = rule.kind
        self.place = rule.place
        self.met = met
        self.found = found
        self.limit = limit
        self.text = text
        self.failing = () if met else tuple(failing)

    def __repr__(self) -> str:
        return f"<{self.measure} {self.rule}: {'met' if self.met else 'NOT MET'}: {self.text}>"

    def to_dict(self) -> dict[str, object]:
        """As dictionaries."""
        return {
            "measure": self.measure,
            "rule": self.rule,
            "place": self.place,
            "met": self.met,
            "found": self.found,
            "limit": self.limit,
            "text": self.text,
            "failing": [one.to_dict() for one in self.failing],
        }


class GateResult:
    """The verdict.

    met:         whether every rule is
    rules:       a `RuleResult` each, in the order of the file
    name, title, digest: of the file with the thresholds; the digest is the SHA-256 of its bytes
    run, baseline: names; baseline None where there is none
    conventions: the choices that the values were made with, by option
    counts:      numbers of queries, as in `treckon.Evaluation`
    warnings:    sentences
    """

    __slots__ = ("baseline", "conventions", "counts", "digest", "met", "name", "rules", "run", "title", "warnings")

    def __init__(
        self,
        thresholds: Thresholds,
        rules: Iterable[RuleResult],
        run: str,
        baseline: str | None,
        evaluation: Evaluation,
        warnings: Iterable[str],
    ) -> None:
        self.rules = tuple(rules)
        self.met = all(rule.met for rule in self.rules)
        self.name = thresholds.name
        self.title = thresholds.title
        self.digest = thresholds.digest
        self.run = run
        self.baseline = baseline
        self.conventions = dict(evaluation.conventions)
        self.counts = dict(evaluation.counts)
        self.warnings = tuple(warnings)

    def __bool__(self) -> bool:
        return self.met

    def summary(self) -> str:
        """The verdict in one line."""
        n_met = sum(rule.met for rule in self.rules)
        return f"{self.run}: {'met' if self.met else 'NOT MET'}: {n_met} of {len(self.rules)} rules of {self.name} met"

    def __repr__(self) -> str:
        lines = [self.summary()]
        for rule in self.rules:
            lines.append(f"  {'met    ' if rule.met else 'NOT MET'} {rule.measure}: {rule.text}")
            lines += [f"          {_query_line(query)}" for query in rule.failing[:3]]
            if len(rule.failing) > 3:
                lines.append(f"          and {len(rule.failing) - 3} more queries")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """As dictionaries, lists, texts and numbers."""
        return {
            "met": self.met,
            "gate": {"file": self.name, "title": self.title, "sha256": self.digest},
            "run": self.run,
            "baseline": self.baseline,
            "rules": [rule.to_dict() for rule in self.rules],
            "conventions": dict(self.conventions),
            "counts": dict(self.counts),
            "warnings": list(self.warnings),
        }


def _query_line(query: FailingQuery) -> str:
    """A failing query in one line."""
    against = "" if query.baseline is None else f" (baseline {query.baseline:.4f})"
    missed = ", ".join(map(str, query.missed[:3]))
    more = f", {len(query.missed) - 3} more" if len(query.missed) > 3 else ""
    return f"query {query.query}: {query.value:.4f}{against}{f'; missed {missed}{more}' if missed else ''}"


def gate(
    thresholds: Any,
    qrels: Any,
    run: Any,
    *,
    baseline: Any = None,
    qrels_columns: Sequence[str] | None = None,
    run_columns: Sequence[str] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    threads: int = 0,
) -> GateResult:
    """Whether a run meets thresholds that were written beforehand.

    thresholds: a TOML file (docs/commands.md describes it), or a mapping of the same shape
    qrels, run: judgements and run, of any kind that `treckon.evaluate` takes
    baseline:   another run, for rules that compare with it; both are scored over the same queries
    qrels_columns, run_columns, qrels_format, run_format, threads: as with `treckon.evaluate`

    Queries that the run lacks score 0 and count, unless the file's conventions say otherwise; how many they are, of the
    baseline too, is among the warnings. Numbers that differ by less than 1e-12 are equal to a rule.

    Raises InputError for a file that can't be read or has unknown keys, UnknownMeasureError, ParameterError,
    EvaluationError for a rule about a baseline where none is given, and for data that can't be evaluated,
    NoQueriesError for a run or a baseline without a judged query.

    >>> import treckon
    >>> rules = {"measures": {"nDCG@10": {"minimum": 0.7, "floor": {"value": 0.1, "queries": 0}}}}
    >>> treckon.gate(rules, {"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": {"d1": 1.0}})
    run: NOT MET: 0 of 2 rules of gate met
      NOT MET nDCG@10: expected at least 0.7, found 0.5
              query q2: 0.0000; missed d2 (grade 1, not retrieved)
      NOT MET nDCG@10: expected at most 0 queries below 0.1, found 1
              query q2: 0.0000; missed d2 (grade 1, not retrieved)
    """
    written = thresholds if isinstance(thresholds, Thresholds) else Thresholds(thresholds)
    for rule in written.rules:
        if rule.kind == BASELINE and baseline is None:
            raise EvaluationError(f"{rule.place}: expected a baseline for this rule, found none")
    evaluator = Evaluator(
        qrels,
        written.measures,
        columns=qrels_columns,
        format=qrels_format,
        threads=threads,
        **written.conventions,
    )
    given = as_run(run, columns=run_columns, format=run_format)
    name = _name(run, given, "run")
    try:
        evaluation = evaluate_judged(evaluator, given, name)
        warnings = [*evaluation.warnings, *_missing(evaluation)]
        against = None
        if baseline is not None:
            against = evaluate_judged(evaluator, baseline, "baseline", columns=run_columns, format=run_format)
            own = [*against.warnings[len(evaluator.warnings) :], *_missing(against)]
            warnings += [f"baseline: {warning}" for warning in own]
        judge = _Judge(evaluator, evaluation, against, written, threads)
        results = [judge.result(rule) for rule in written.rules]
        judge.add_missed(results, given)
    finally:
        if isinstance(given, Source):
            given.close()
    names = name, None if baseline is None else _name(baseline, None, "baseline")
    return GateResult(written, results, *names, evaluation, warnings)


def _missing(evaluation: Evaluation) -> list[str]:
    """That queries are missing and count, if so: of a baseline, it makes a rule easier to meet."""
    n = evaluation.counts["missing"]
    if n == 0 or evaluation.conventions["missing"] != "zero":
        return []
    which = f"{n} of {evaluation.counts['in_qrels']} judged queries"
    if n == 1:
        return [f"{which} is missing from the run and counts as an empty ranking"]
    return [f"{which} are missing from the run and count as empty rankings"]


def _name(given: Any, opened: Any, otherwise: str) -> str:
    """What messages call a run."""
    if isinstance(opened, Source):
        return opened.name
    return os.fsdecode(given) if is_path(given) else otherwise


class _Judge:
    """Holds rules against the values of a run and of its baseline."""

    def __init__(
        self,
        evaluator: Evaluator,
        evaluation: Evaluation,
        baseline: Evaluation | None,
        thresholds: Thresholds,
        threads: int,
    ) -> None:
        self._evaluator = evaluator
        self._evaluation = evaluation
        self._baseline = baseline
        self._thresholds = thresholds
        self._threads = threads

    def result(self, rule: Rule) -> RuleResult:
        judges = {
            MINIMUM: self._bound, MAXIMUM: self._bound, BASELINE: self._against_baseline, FLOOR: self._floor,
            HITS: self._hits,
        }  # fmt: skip
        return judges[rule.kind](rule)

    # Kinds of rule

    def _bound(self, rule: Rule) -> RuleResult:
        found = _number(self._evaluation.means[rule.measure])
        least = rule.kind == MINIMUM
        met = found >= rule.limit - _SLACK if least else found <= rule.limit + _SLACK
        failing: list[FailingQuery] = []
        if not met and rule.measure.measure.per_query and rule.measure.measure.aggregate is MEAN:
            failing = [
                FailingQuery(query, value)
                for query, value in self._values(rule, self._evaluation).items()
                if (value < rule.limit - _SLACK if least else value > rule.limit + _SLACK)
            ]
            failing.sort(key=lambda one: one.value, reverse=not least)
        text = f"expected at {'least' if least else 'most'} {_limit(rule.limit)}, found {_shown(found, rule.limit)}"
        return RuleResult(rule, met, found, rule.limit, text, failing)

    def _against_baseline(self, rule: Rule) -> RuleResult:
        assert self._baseline is not None
        pairs = self._pairs(rule)
        own, other = self._means(rule, pairs)
        failing = [FailingQuery(query, value, base) for query, (value, base) in pairs.items() if value < base - _SLACK]
        failing.sort(key=lambda one: one.value - (one.baseline or 0.0))
        limit = 0.0 - rule.limit  # not -0.0
        if rule.options is None:
            found = own - other
            met = found >= limit - _SLACK
            text = (
                f"expected at most {_limit(rule.limit)} below the baseline's {_shown(other)}, found {_shown(own)} "
                f"({_shown(found, limit, '+')})"
            )
            return RuleResult(rule, met, found, limit, text, failing)
        if not pairs:
            raise EvaluationError(f"{rule.place}: expected queries that both runs have, found none")
        from treckon.statistics import bootstrap_interval, paired_differences

        values, bases = zip(*pairs.values(), strict=True)
        interval = bootstrap_interval(paired_differences(bases, values), threads=self._threads, **rule.options)
        met = interval.low >= limit - _SLACK
        note = f"; {interval.note}: an interval without width" if interval.note else ""
        text = (
            f"expected the {100 * interval.confidence:g} % interval of the difference from the baseline to begin at "
            f"{_limit(limit)} or above, found {_shown(interval.low, limit)} to {interval.high:.6g} "
            f"(mean {interval.estimate:+.6g}{note})"
        )
        return RuleResult(rule, met, interval.low, limit, text, failing)

    def _floor(self, rule: Rule) -> RuleResult:
        failing = self._below(rule)
        n, limit = len(failing), int(rule.limit)
        text = f"expected at most {limit} {'query' if limit == 1 else 'queries'} below {_limit(rule.value)}, found {n}"
        return RuleResult(rule, n <= limit, float(n), rule.limit, text, failing)

    def _hits(self, rule: Rule) -> RuleResult:
        failing = self._below(rule)
        n = len(self._values(rule, self._evaluation))
        share = (n - len(failing)) / n if n else 0.0
        text = (
            f"expected at least {_limit(100 * rule.limit)} % of the queries at {_limit(rule.value)} or above, found "
            f"{_shown(100 * share, 100 * rule.limit, digits=4)} % ({n - len(failing)} of {n})"
        )
        return RuleResult(rule, share >= rule.limit - _SLACK, share, rule.limit, text, failing)

    # Values

    def _below(self, rule: Rule) -> list[FailingQuery]:
        values = self._values(rule, self._evaluation)
        below = [FailingQuery(query, value) for query, value in values.items() if value < rule.value - _SLACK]
        return sorted(below, key=lambda one: one.value)

    def _values(self, rule: Rule, evaluation: Evaluation) -> dict[str, float]:
        """The values of the queries that count in the mean."""
        column = evaluation.measures.index(rule.measure)
        values = dict(zip(evaluation.query_ids, evaluation.values[:, column].tolist(), strict=True))
        if self._evaluator.conventions.no_relevant != "skip":
            return values
        level = self._level(rule)
        return {
            query: value
            for query, value in values.items()
            if any(grade >= level for grade in self._evaluator.judgements(query).values())
        }

    def _level(self, rule: Rule) -> int:
        level = rule.measure.setting.level
        return self._evaluator.conventions.level if level is None else level

    def _pairs(self, rule: Rule) -> dict[str, tuple[float, float]]:
        """The values of both runs, of the queries that both have."""
        if not rule.measure.measure.per_query:
            return {}
        assert self._baseline is not None
        bases = self._values(rule, self._baseline)
        values = self._values(rule, self._evaluation)
        return {query: (value, bases[query]) for query, value in values.items() if query in bases}

    def _means(self, rule: Rule, pairs: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
        """Both runs' values over the same queries."""
        assert self._baseline is not None
        if self._evaluation.query_ids == self._baseline.query_ids or not pairs:
            return _number(self._evaluation.means[rule.measure]), _number(self._baseline.means[rule.measure])
        aggregate = rule.measure.measure.aggregate
        own, other = (sum(pair[i] for pair in pairs.values()) for i in (0, 1))
        return aggregate.finish(own, len(pairs)), aggregate.finish(other, len(pairs))

    # Documents

    def add_missed(self, results: Iterable[RuleResult], run: Any) -> None:
        """Fills in the missed documents of all failing queries, in one more pass over the run."""
        failing = [
            (rule, query)
            for rule, result in zip(self._thresholds.rules, results, strict=True)
            for query in result.failing
        ]
        if not failing or not self._evaluator.has_rankings:
            return
        judgements = {query.query: self._evaluator.judgements(query.query) for _, query in failing}
        ranks = self._ranks(judgements, run)
        for rule, query in failing:
            cutoff, level = rule.measure.setting.cutoff or self._thresholds.missed_at, self._level(rule)
            found = ranks.get(query.query, {})
            missed = [
                MissedDocument(document, grade, found.get(document))
                for document, grade in judgements[query.query].items()
                if grade >= level and grade >= 0 and found.get(document, cutoff + 1) > cutoff
            ]
            query.missed = tuple(sorted(missed, key=lambda one: (-one.grade, one.document)))

    def _ranks(self, judgements: Mapping[str, dict[str, int]], run: Any) -> dict[str, dict[str, int]]:
        """The ranks of judged documents under the conventions.

        Rankings know grades and no ids. So the run is evaluated against judgements in which each document has a grade
        of its own, higher where its grade is: the order of ties that goes by grades stays, and so does that by ids.
        """
        conventions = self._evaluator.conventions
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
            codes, field_measure(_ranks_record(keep)), threads=self._threads, missing="zero", **options
        ).evaluate(run)
        found = {}
        for query, (ranks, grades) in zip(evaluation.query_ids, kept, strict=True):
            names = {code: document for document, code in codes[query].items()}
            found[query] = {names[code]: rank for rank, code in zip(ranks, grades, strict=True) if code > 0}
        return found


def _ranks_record(keep: Any) -> Record:
    """A record that is registered nowhere: its function keeps the rankings."""
    return Record(
        name="ranks",
        title="Ranks of judged documents",
        definition="Keeps them.",
        source="treckon",
        examples=(),
        function=keep,
        parameters=Arguments(),
        since=None,
    )


def _number(value: object) -> float:
    return float(value)  # type: ignore[arg-type]  # measures with texts were refused


def _limit(value: float) -> str:
    """What a rule says: with the digits that it was written with."""
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
