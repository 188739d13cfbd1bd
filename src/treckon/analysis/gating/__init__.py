"""Checks a run against thresholds agreed beforehand: met or not, and which queries and documents it lacks."""

from __future__ import annotations

import os

from treckon.analysis.gating.judging import Judge
from treckon.analysis.gating.thresholds import BASELINE, Thresholds, read_thresholds
from treckon.analysis.gating.verdict import FailingQuery, GateResult, MissedDocument, RuleResult
from treckon.errors import EvaluationError
from treckon.evaluation.evaluator import Evaluator
from treckon.evaluation.run_files import evaluate_judged
from treckon.inputs.forms import as_run
from treckon.inputs.sources import Source
from treckon.inputs.text import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from treckon.evaluation.results import Evaluation

__all__ = ["FailingQuery", "GateResult", "MissedDocument", "RuleResult", "gate"]


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
    """Whether a run meets thresholds that were agreed beforehand.

    thresholds: a TOML file (docs/commands.md describes it), or a mapping of the same shape
    qrels, run: judgements and run, of any kind that `treckon.evaluate` takes
    baseline:   another run, for rules that compare with it; both are scored over the same queries
    qrels_columns, run_columns, qrels_format, run_format, threads: as with `treckon.evaluate`

    Queries that the run lacks score 0 and count, unless the file's conventions say otherwise; how many they are, of the
    baseline too, is among the warnings. To a rule, numbers that differ by less than 1e-12 are equal.

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
    written = thresholds if isinstance(thresholds, Thresholds) else read_thresholds(thresholds)
    for rule in written.rules:
        if rule.kind == BASELINE and baseline is None:
            raise EvaluationError(place=rule.place, expected="a baseline for this rule", found="none")
    evaluator = Evaluator(
        qrels,
        written.measures,
        columns=qrels_columns,
        format=qrels_format,
        threads=threads,
        **written.conventions,
    )
    opened = as_run(run, columns=run_columns, format=run_format)
    name = _name(run, opened, "run")
    try:
        evaluation = evaluate_judged(evaluator, opened, name)
        warnings = [*evaluation.warnings, *_missing(evaluation)]
        against = None
        if baseline is not None:
            against = evaluate_judged(evaluator, baseline, "baseline", columns=run_columns, format=run_format)
            own = [*against.warnings[len(evaluator.warnings) :], *_missing(against)]
            warnings += [f"baseline: {warning}" for warning in own]
        results = Judge(evaluator, evaluation, against, written.missed_at, threads).results(written.rules, opened)
    finally:
        if isinstance(opened, Source):
            opened.close()
    return GateResult(
        rules=tuple(results),
        name=written.name,
        title=written.title,
        digest=written.digest,
        run=name,
        baseline=None if baseline is None else _name(baseline, None, "baseline"),
        conventions=dict(evaluation.conventions),
        counts=dict(evaluation.counts),
        warnings=tuple(warnings),
    )


def _missing(evaluation: Evaluation) -> list[str]:
    """That queries are missing and count, if so: of a baseline, it makes a rule easier to meet."""
    n = evaluation.counts["missing"]
    if n == 0 or evaluation.conventions["missing"] != "zero":
        return []
    which = f"{n} of {evaluation.counts['in_qrels']} judged queries"
    if n == 1:
        return [f"{which} is missing from the run and counts as an empty ranking"]
    return [f"{which} are missing from the run and count as empty rankings"]


def _name(run: Any, opened: Any, otherwise: str) -> str:
    """What messages call a run."""
    if isinstance(opened, Source):
        return opened.name
    return os.fsdecode(run) if is_path(run) else otherwise
