"""What an evaluation makes rankings of, what it refuses and what it only reports; trec_eval's choices."""

from __future__ import annotations

from treckon._native.plans import Plan
from treckon._native.prefs import Prefs
from treckon.errors import EvaluationError, NoQueriesError, Notice, shortened
from treckon.measures.registry import (
    VIEW_JUDGMENT_GROUPS,
    VIEW_PREFERENCES,
    VIEW_RANKING,
    VIEW_RUN,
    VIEW_SUBTOPICS,
)
from treckon.records import Record
from treckon.releases import RELEASE_9, RELEASE_10

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from treckon._native.column_scans import ColumnsScan
    from treckon._native.mapping_scans import MappingScan
    from treckon._native.qrels import Qrels
    from treckon._native.results import Results
    from treckon._native.scans import RunScan
    from treckon.errors import Notice
    from treckon.inputs.reading import Judgements
    from treckon.measures.parameters import Discount, Gain
    from treckon.naming.trec_eval import RequestedMeasure

    AnyScan: TypeAlias = RunScan | MappingScan | ColumnsScan


def view_of(table: Qrels) -> str:
    """What measures can look at where these are the judgements."""
    if isinstance(table, Prefs):
        return VIEW_PREFERENCES
    return VIEW_JUDGMENT_GROUPS if table.has_groups else VIEW_RANKING


def misfit(measures: Sequence[RequestedMeasure], view: str) -> Any:
    """The first measure that can't be computed from judgements of this view, or None."""
    fitting = {VIEW_RUN, view, VIEW_SUBTOPICS if view == VIEW_JUDGMENT_GROUPS else view}
    return next((measure for measure in measures if measure.record.view not in fitting), None)


class Policy(Record):
    """The choices of an evaluation, trec_eval's where nothing else is said.

    What `treckon.Conventions` has by the same name means the same. Besides:

    condensed:      whether unjudged documents are taken out of the rankings
    refuses_unjudged: whether they are an error
    n_docs:         documents in the collection
    only:           the one query to evaluate, None: all
    counts_missing: whether judged queries that the run lacks have values too
    complete:       whether means are over all judged queries, be they evaluated or not
    reports:        whether ties and unjudged queries are counted
    """

    release: str = RELEASE_10
    level: int = 1
    depth: int | None = None
    condensed: bool = False
    refuses_unjudged: bool = False
    n_docs: int = 0
    gain: Gain = "linear"
    discount: Discount = "log2"
    ties: str = "trec"
    seed: int = 0
    duplicates: str = "error"
    ignore_self: bool = False
    only: bytes | None = None
    counts_missing: bool = False
    complete: bool = False
    reports: bool = False

    def plan(self, measures: Sequence[RequestedMeasure], table: Qrels) -> Plan:
        """What the core is to compute."""
        expects = self.ties == "expected"
        values = []
        for measure in measures:
            record = measure.record
            kernel = record.expected if expects and record.expected else record.kernel
            values.append((kernel, measure.parameters, record.view == VIEW_JUDGMENT_GROUPS, record.missing))
        return Plan(
            values,
            level=self.level,
            depth=self.depth,
            condensed=self.condensed,
            n_docs=self.n_docs,
            release_9=self.release == RELEASE_9,
            highest_grade=table.highest_grade,
            gain=self.gain,
            discount=self.discount,
            ties=self.ties,
            seed=self.seed,
            repeats=self.duplicates,
            ignores_self=self.ignore_self,
            refuses_unjudged=self.refuses_unjudged,
            reports_ties=self.reports,
            keeps_rankings=any(measure.record.function is not None for measure in measures),
        )

    def check_queries(self, results: Results, scans: Sequence[AnyScan]) -> tuple[Notice, ...]:
        """What is to be reported about queries that only the qrels or the run have; raises for what is refused."""
        return ()

    def no_queries_error(self, table: Qrels, first: bytes | None) -> NoQueriesError:
        """The error where no judged query is in the run, whose first query is this."""
        raise NotImplementedError


class TrecEvalPolicy(Policy):
    """What trec_eval refuses, in its words."""

    @classmethod
    def of(cls, release: str, *, complete: bool = False, **choices: Any) -> TrecEvalPolicy:
        """The policy of a release, `complete` with -c: from 10.0 on queries that the run lacks have values, too."""
        return cls(release=release, complete=complete, counts_missing=complete and release != RELEASE_9, **choices)

    def check_measures(self, measures: Sequence[RequestedMeasure], judgements: Judgements) -> None:
        """Raises EvaluationError for a measure of other judgements, NoQueriesError where `only` isn't judged."""
        view = view_of(judgements.table)
        if (measure := misfit(measures, view)) is not None:
            raise EvaluationError(
                f"can't calculate measure '{measure.record.name}': it is for {measure.record.view}, "
                f"the judgements in {judgements.form.trec_eval} format are for {view}"
            )
        if self.only is not None and judgements.table.find(self.only) < 0:
            raise NoQueriesError(
                f"no queries with both results and relevance info: '{shortened(self.only)}' is not judged"
            )

    def no_queries_error(self, table: Qrels, first: bytes | None) -> NoQueriesError:
        """As `Policy` says."""
        if first is None:
            found = "the run has no records"
        elif len(table) == 0:
            found = "the qrels have no records"
        else:
            judged = table.query_id(0) if self.only is None else self.only
            found = f"the run has query '{shortened(first)}', the qrels have query '{shortened(judged)}'"
        return NoQueriesError(f"no queries with both results and relevance info: {found}")
