"""A scored run with all that is to be known of it: an `Evaluation`, under the choices that only the Python API has."""

from __future__ import annotations

from treckon._native.conversion import id_text
from treckon._native.results import Results
from treckon.errors import EvaluationError, Place, shortened
from treckon.evaluation.results import Counts, Evaluation, Ties
from treckon.evaluation.scoring import score_run
from treckon.measures.registry import TEXT, VIEW_PREFERENCES, VIEW_RANKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from treckon.evaluation.conventions import Conventions
    from treckon.evaluation.conventions_policy import ConventionsPolicy
    from treckon.evaluation.judgements import CheckedJudgements
    from treckon.evaluation.run_data import RunData
    from treckon.evaluation.scoring import RunFile, ScoredRun
    from treckon.naming.syntax import Measure
    from treckon.naming.trec_eval import RequestedMeasure


def evaluated(
    judged: CheckedJudgements,
    measures: Sequence[Measure],
    conventions: Conventions,
    policy: ConventionsPolicy,
    run: RunFile | RunData,
) -> Evaluation:
    """Scores a run.

    policy: that of the conventions

    Raises as `score_run` does.
    """
    scored = score_run(judged.table, measures, run, policy)
    results, queries = scored.results, scored.results.evaluated()
    _call_functions(results, measures, queries)
    errors = _estimate(scored, conventions, run, queries)
    without = _without_relevant(judged, measures, conventions, queries)
    if conventions.no_relevant == "one":
        for column, of_column in enumerate(without):
            for query in of_column:
                results.set(query, column, 1.0)
    n_tied, n_across = results.n_tied
    return Evaluation(
        measures=measures,
        query_ids=[id_text(judged.table.query_id(query)) for query in queries],
        values=memoryview(results.values(queries)).cast("d"),
        means=scored.summary(without if conventions.no_relevant == "skip" else ()),
        conventions=conventions,
        counts=_counts(judged, scored, conventions),
        ties=Ties(n_tied, n_across, errors or None),
        warnings=(*judged.warnings, *scored.warnings),
        texts=_texts(results, measures, queries),
    )


def sampled(measures: Sequence[RequestedMeasure], conventions: Conventions) -> list[int]:
    """The columns of the measures whose expected values over ties can only be estimated."""
    if conventions.ties != "expected":
        return []
    records = enumerate(measure.record for measure in measures)
    return [column for column, record in records if record.value_type != TEXT and not record.has_exact_mean_over_ties]


def _call_functions(results: Results, measures: Sequence[RequestedMeasure], queries: Sequence[int]) -> None:
    """Values of measures that are Python functions."""
    for column, measure in enumerate(measures):
        if measure.record.function is not None:
            for query in queries:
                results.set(query, column, measure.record.function(results.ranking(query, column), measure))


def _estimate(
    scored: ScoredRun, conventions: Conventions, run: RunFile | RunData, queries: Sequence[int]
) -> dict[str, float]:
    """Estimates expected values over ties that have no closed form; the standard error of each mean, by measure."""
    columns, table, n = sampled(scored.measures, conventions), scored.results.qrels, conventions.samples
    if not columns or scored.results.n_tied[0] == 0:
        return {}
    measures = [scored.measures[column] for column in columns]
    totals = [[0.0] * len(columns) for _ in queries]
    means: list[list[float]] = [[] for _ in columns]
    for i in range(n):
        policy = scored.policy.replaced(ties="random", seed=conventions.seed + i, reports=False)
        sample = Results(table, policy.plan(measures, table))
        run.scan(sample)
        _call_functions(sample, measures, sample.evaluated())
        for query, of_query in zip(queries, totals, strict=True):
            if sample.is_evaluated(query):
                for j, value in enumerate(sample.row(query)):
                    of_query[j] += value
        for j, total in enumerate(sample.totals()):
            means[j].append(total / max(len(queries), 1))
    for query, of_query in zip(queries, totals, strict=True):
        for column, total in zip(columns, of_query, strict=True):
            scored.results.set(query, column, total / n)
    return {str(measure): _standard_error(of_samples) for measure, of_samples in zip(measures, means, strict=True)}


def _standard_error(values: Sequence[float]) -> float:
    """Of the mean of independent values."""
    n, mean = len(values), sum(values) / len(values)
    error: float = (sum((value - mean) ** 2 for value in values) / (n - 1) / n) ** 0.5
    return error


def _without_relevant(
    judged: CheckedJudgements, measures: Sequence[Measure], conventions: Conventions, queries: Sequence[int]
) -> list[Collection[int]]:
    """By measure, the evaluated queries without a document of its relevance level; raises where that is refused."""
    levels = [
        conventions.level if measure.parameters.level is None else measure.parameters.level for measure in measures
    ]
    if judged.view == VIEW_PREFERENCES or conventions.no_relevant == "zero":
        return [() for _ in levels]
    by_level = {
        level: {query for query in queries if judged.table.n_relevant(query, level) == 0}
        for level in {*levels, conventions.level}
    }
    if conventions.no_relevant == "error":
        for level, without in by_level.items():
            if without:
                example = shortened(judged.table.query_id(min(without)))
                raise EvaluationError(
                    place=Place("qrels"),
                    expected=f"a document of grade {level} or more for every query",
                    found=f"none for {len(without)}, for example '{example}'",
                )
    return [by_level[level] for level in levels]


def _counts(judged: CheckedJudgements, scored: ScoredRun, conventions: Conventions) -> Counts:
    table, n_both = judged.table, scored.results.n_in_run
    n_extra = len(set().union(*(share.extra[0] for share in scored.scans)))
    n_without = 0
    if judged.view != VIEW_PREFERENCES:
        n_without = sum(table.n_relevant(query, conventions.level) == 0 for query in range(len(table)))
    return Counts(
        in_qrels=len(table),
        in_run=n_both + n_extra,
        in_both=n_both,
        missing=len(table) - n_both,
        extra=n_extra,
        without_relevant=n_without,
        own_documents=sum(share.n_own for share in scored.scans) if conventions.ignore_self else None,
    )


def _texts(results: Results, measures: Sequence[Measure], queries: Sequence[int]) -> dict[Measure, list[bytes]]:
    """The values of measures that are texts of each query."""
    return {
        measure: [results.row(query)[column] for query in queries]
        for column, measure in enumerate(measures)
        if measure.record.value_type == TEXT and measure.record.view == VIEW_RANKING
    }
