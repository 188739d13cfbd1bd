"""The verb of the package: judgements, a run and measures to values, of every query and of all together."""

from __future__ import annotations

from treckon._native.engine import Plan, Results, RunScan
from treckon._native.prefs import Prefs
from treckon.errors import EvaluationError, NoQueriesError, shortened
from treckon.inputs.reading import FORMATS, Doubts, duplicate_lines, n_shares, raise_problem, scan
from treckon.measures.registry import TEXT, VIEW_JUDGMENT_GROUPS, VIEW_PREFERENCES, VIEW_RANKING, VIEW_RUN
from treckon.releases import RELEASE_9
from treckon.threads import available_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from treckon._native.qrels import Qrels
    from treckon.inputs.reading import Judgements
    from treckon.inputs.sources import Source
    from treckon.inputs.zscores import ZScores
    from treckon.naming.trec_eval import Asked


class Evaluation:
    """Values of a run: per query, and together.

    asked:    the printed names, in order
    results:  the matrix of values
    tag:      the run's tag, None where the run has no record
    complete: whether averages are over all judged queries
    doubts:   scores of the run that are no numbers to their end
    zscored:  whether the values are z-scores
    """

    def __init__(
        self, asked: Sequence[Asked], results: Results, tag: bytes | None, doubts: Doubts, *, complete: bool
    ) -> None:
        self.asked = asked
        self.results = results
        self.tag = tag
        self.doubts = doubts
        self.complete = complete
        self.zscored = False

    def to_zscores(self, zscores: ZScores) -> None:
        """Replaces every number of every query by its z-score. What follows from them, the summary, changes with it."""
        self.zscored = True
        for query in self.results.evaluated():
            qid = self.results.qrels.query_id(query)
            for i, value in enumerate(self.results.row(query)):
                if self.asked[i].measure.value_type != TEXT:
                    self.results.set(query, i, zscores.zscore(qid, self.asked[i].name, value))

    def summary(self) -> list[float | bytes]:
        """The aggregate of each printed name over the evaluated queries; over all judged ones with `complete`."""
        n_evaluated = self.results.n_evaluated
        n_queries = len(self.results.qrels) if self.complete else n_evaluated
        totals = self.results.totals()
        values: list[float | bytes] = []
        for i, one in enumerate(self.asked):
            measure = one.measure
            if measure.value_type == TEXT:
                values.append((self.tag or b"") if measure.view == VIEW_RUN else b"")
            elif measure.recounted_from is not None and self.complete:
                values.append(float(self.results.qrels.count_at_level(measure.recounted_from)))
            else:
                total = totals[i]
                if not self.zscored:  # nobody knows the z-score of a query that was not evaluated; it adds 0
                    for _ in range(n_queries - n_evaluated):
                        total += measure.aggregate.missing_term
                values.append(measure.aggregate.finish(total, n_queries))
        return values


def evaluate_run(
    judgements: Judgements,
    asked: Sequence[Asked],
    run: Source,
    *,
    release: str = "10.0",
    level: int = 1,
    depth: int | None = None,
    condensed: bool = False,
    n_docs: int = 0,
    complete: bool = False,
    only: bytes | None = None,
    strict: bool = False,
    threads: int = 0,
) -> Evaluation:
    """Evaluates a run as trec_eval does.

    judgements: from `read_qrels`
    asked:      what to compute
    run:        a run in TREC's format
    release:    the release of trec_eval to follow
    level:      lowest relevant grade
    depth:      documents of a query that count, None: all
    condensed:  whether unjudged documents are taken out of the rankings
    n_docs:     documents in the collection
    complete:   average over all judged queries, whether the run has them or not
    only:       evaluate this query alone
    strict:     refuse a score that is no number to its end
    threads:    how many to use, 0: as many as can run

    Raises InputError for what can't be read, EvaluationError for what can't be evaluated, NoQueriesError.
    """
    table = judgements.table
    view = view_of(table)
    for one in asked:
        if one.measure.view not in (VIEW_RUN, view):
            raise EvaluationError(
                f"can't calculate measure '{one.measure.name}': it is for {one.measure.view}, "
                f"the judgements in {judgements.file_format} format are for {view}"
            )
    plan = Plan(
        [(one.measure.kernel, one.setting, view == VIEW_JUDGMENT_GROUPS, one.measure.missing) for one in asked],
        level=level,
        depth=depth,
        condensed=condensed,
        n_docs=n_docs,
        release_9=release == RELEASE_9,
    )
    if only is not None and table.find(only) < 0:
        raise NoQueriesError(f"no queries with both results and relevance info: '{shortened(only)}' is not judged")
    results = Results(table, plan, -1 if only is None else table.find(only))
    scans = _scan_run(results, run, strict, threads or available_threads())
    all_count = complete and release != RELEASE_9
    if results.n_in_run == 0 and not all_count:
        raise _no_queries_error(judgements, scans, only)
    if all_count:
        results.evaluate_missing()
    if plan.needs_ranking:
        _refuse_faults(judgements, results, scans, run)
    tag = next((one.tag for one in reversed(scans) if one.tag is not None), None)
    return Evaluation(asked, results, tag, Doubts(run, "run", scans), complete=complete)


def view_of(table: Qrels) -> str:
    """What measures can look at where these are the judgements."""
    if isinstance(table, Prefs):
        return VIEW_PREFERENCES
    return VIEW_JUDGMENT_GROUPS if table.has_groups else VIEW_RANKING


def _scan_run(results: Results, run: Source, strict: bool, threads: int) -> list[RunScan]:
    """Evaluates every query of the run. Where the lines of a query lie apart, reads it once more and gathers them."""
    scans = [RunScan(results, FORMATS["run"], strict) for _ in range(n_shares(run, threads))]
    scan(run, scans)
    if any(one.scattered for one in scans):
        gathering = RunScan(results, FORMATS["run"], strict, gather=True)
        scans = [gathering]
        scan(run, scans)
        raise_problem(run, "run", scans)
        gathering.finish_gathering()
    raise_problem(run, "run", scans)
    return scans


def _no_queries_error(judgements: Judgements, scans: Sequence[RunScan], only: bytes | None) -> NoQueriesError:
    first = next((one.first_query for one in scans if one.first_query is not None), None)
    if first is None:
        found = "the run has no records"
    elif len(judgements.table) == 0:
        found = "the qrels have no records"
    else:
        judged = judgements.table.query_id(0) if only is None else only
        found = f"the run has query '{shortened(first)}', the qrels have query '{shortened(judged)}'"
    return NoQueriesError(f"no queries with both results and relevance info: {found}")


def _refuse_faults(judgements: Judgements, results: Results, scans: Sequence[RunScan], run: Source) -> None:
    """Raises EvaluationError for the first evaluated query with a document twice in the run, or faulty judgements."""
    in_run = min((one.duplicate for one in scans if one.duplicate is not None), default=None)
    in_qrels = results.first_faulty()
    if in_run is not None and (in_qrels < 0 or in_run[0] <= in_qrels):
        query, docno = in_run
        place, problem = duplicate_lines(run, "run", judgements.table.query_id(query), docno, judgements.release)
        raise EvaluationError(f"{place}: {problem}")
    if in_qrels >= 0:
        raise judgements.fault(in_qrels)
