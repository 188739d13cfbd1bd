"""The verb of the package: judgements, measures, a run and a policy to values, of every query and of all together."""

from __future__ import annotations

from treckon._native.results import Results
from treckon._native.scans import RunScan
from treckon.errors import EvaluationError, Place
from treckon.inputs.formats.trec import LINES_BY_RANK, RUN_LINES
from treckon.inputs.reading import duplicate_error, n_shares, raise_problem, scan, value_warnings
from treckon.measures.registry import TEXT, VIEW_RUN
from treckon.records import Record
from treckon.threads import available_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any, Protocol

    from treckon._native.qrels import Qrels
    from treckon.errors import Notice
    from treckon.evaluation.policy import AnyScan, Policy
    from treckon.inputs.sources import Source
    from treckon.inputs.zscores import ZScores
    from treckon.naming.trec_eval import RequestedMeasure

    class Run(Protocol):
        """A run in a form that the core reads, as often as it is to be evaluated."""

        def scan(self, results: Results) -> Sequence[AnyScan]: ...
        def warnings(self, scans: Sequence[Any]) -> tuple[Notice, ...]: ...
        def duplicate_error(self, qid: bytes, docno: bytes) -> EvaluationError: ...


class RunFile:
    """A run in TREC's format.

    source:  the text; it stays open
    release: the release of trec_eval by which it is read
    order:   what it is ordered by: score, rank or input
    strict:  refuse a score that is no number to its end
    threads: how many to use, 0: as many as can run
    """

    __slots__ = ("_lines", "_order", "_release", "_source", "_strict", "_threads")

    def __init__(
        self, source: Source, release: str, *, order: str = "score", strict: bool = False, threads: int = 0
    ) -> None:
        self._source = source
        self._release = release
        self._order = order
        self._strict = strict
        self._threads = threads or available_threads()
        self._lines = LINES_BY_RANK if order == "rank" else RUN_LINES

    def scan(self, results: Results) -> list[RunScan]:
        """Evaluates every query. Where the lines of a query lie apart, reads all once more and gathers them."""
        scans = [self._new_scan(results) for _ in range(n_shares(self._source, self._threads))]
        scan(self._source, scans)
        if any(share.scattered for share in scans):
            scans = [self._new_scan(results, gather=True)]
            scan(self._source, scans)
            raise_problem(self._source, self._lines, scans)
            scans[0].finish_gathering()
        raise_problem(self._source, self._lines, scans)
        return scans

    def _new_scan(self, results: Results, gather: bool = False) -> RunScan:
        return RunScan(results, self._lines, self._strict, order=self._order, gather=gather)

    def warnings(self, scans: Sequence[RunScan]) -> tuple[Notice, ...]:
        """What of the file was read only in part."""
        return value_warnings(self._source, self._lines, scans)

    def duplicate_error(self, qid: bytes, docno: bytes) -> EvaluationError:
        """The error for a document listed twice for a query."""
        return duplicate_error(self._source, self._lines, qid, docno, self._release)


class ScoredRun(Record):
    """What a run was scored with, and what came of it.

    measures: what was requested, in order
    policy:   the choices
    results:  the matrix of values
    scans:    what read the run, with what they met in it
    warnings: what is doubtful about the run
    zscored:  whether the values are z-scores
    """

    measures: Sequence[RequestedMeasure]
    policy: Policy
    results: Results
    scans: Sequence[AnyScan]
    warnings: tuple[Notice, ...]
    zscored: bool

    @property
    def tag(self) -> bytes:
        """The tag of a run file's last record; nothing where the run has none."""
        tags = (getattr(share, "tag", None) for share in reversed(self.scans))
        return next((tag for tag in tags if tag is not None), b"")

    def summary(self, left_out: Sequence[Collection[int]] = ()) -> list[float | bytes]:
        """The aggregate of each measure over the evaluated queries; over all judged ones where these are to count.

        left_out: by measure, the queries that don't count for it
        """
        results, complete = self.results, self.policy.complete
        n_evaluated = results.n_evaluated
        n_added = len(results.qrels) - n_evaluated if complete else 0
        totals = results.totals()
        values: list[float | bytes] = []
        for column, measure in enumerate(self.measures):
            record = measure.record
            skipped = left_out[column] if left_out else ()
            if record.value_type == TEXT:
                values.append(self.tag if record.view == VIEW_RUN else b"")
            elif record.recounted_from is not None and complete:
                values.append(float(results.qrels.count_at_level(record.recounted_from)))
            else:
                total = self._total_without(column, skipped) if skipped else totals[column]
                if not self.zscored:  # nobody knows the z-score of a query that was not evaluated; it adds 0
                    for _ in range(n_added):
                        total += record.aggregate.missing_term
                values.append(record.aggregate.finish(total, n_evaluated + n_added - len(skipped)))
        return values

    def _total_without(self, column: int, queries: Collection[int]) -> float:
        """The sum of a measure's values over the evaluated queries but these, added as the core does."""
        total = 0.0
        for query in self.results.evaluated():
            if query not in queries:
                total += self.results.row(query)[column]
        return total


def score_run(
    table: Qrels,
    measures: Sequence[RequestedMeasure],
    run: Run,
    policy: Policy,
    *,
    fault: Callable[[int], EvaluationError] | None = None,
    zscores: ZScores | None = None,
) -> ScoredRun:
    """Evaluates the queries of a run; raises what the policy refuses.

    table:   the judgements
    fault:   the error for a query whose judgements can't be evaluated; None: there is none
    zscores: what z-scores are to take the place of the values by

    Raises InputError for what can't be read, EvaluationError for what can't be evaluated, NoQueriesError.
    """
    results = Results(table, policy.plan(measures, table), -1 if policy.only is None else table.find(policy.only))
    scans = run.scan(results)
    warnings = (*run.warnings(scans), *policy.check_queries(results, scans))
    if policy.counts_missing:
        results.evaluate_missing()
    elif results.n_in_run == 0:
        first = next((share.first_query for share in scans if share.first_query is not None), None)
        raise policy.no_queries_error(table, first)
    _refuse_faults(results, scans, run, fault)
    _refuse_unjudged(results, scans)
    if zscores is not None:
        _to_zscores(results, measures, zscores)
    return ScoredRun(measures, policy, results, scans, warnings, zscores is not None)


def _refuse_faults(
    results: Results, scans: Sequence[AnyScan], run: Run, fault: Callable[[int], EvaluationError] | None
) -> None:
    """Raises EvaluationError for the first query with a document listed twice in the run, or faulty judgements."""
    in_run = min((share.duplicate for share in scans if share.duplicate is not None), default=None)
    in_qrels = results.first_faulty() if fault is not None and results.plan.needs_ranking else -1
    if in_run is not None and (in_qrels < 0 or in_run[0] <= in_qrels):
        query, docno = in_run
        raise run.duplicate_error(results.qrels.query_id(query), docno)
    if fault is not None and in_qrels >= 0:
        raise fault(in_qrels)


def _refuse_unjudged(results: Results, scans: Sequence[AnyScan]) -> None:
    """Raises EvaluationError for the first unjudged document, where the plan notes these."""
    first = min((share.unjudged for share in scans if share.unjudged is not None), default=None)
    if first is not None:
        query, docno, rank = first
        place = f"{Place('run', query=results.qrels.query_id(query), document=docno)} at rank {rank}"
        raise EvaluationError(place=place, expected="a judged document", found="none of its grade in the qrels")


def _to_zscores(results: Results, measures: Sequence[RequestedMeasure], zscores: ZScores) -> None:
    """Replaces every number of every query by its z-score."""
    for query in results.evaluated():
        qid = results.qrels.query_id(query)
        for column, value in enumerate(results.row(query)):
            if measures[column].record.value_type != TEXT:
                results.set(query, column, zscores.zscore(qid, measures[column].name, value))
