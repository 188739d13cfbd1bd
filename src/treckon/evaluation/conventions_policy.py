"""The policy that conventions make: what an evaluation by the Python API refuses, and what it only reports."""

from __future__ import annotations

from treckon._native.conversion import id_text
from treckon.errors import Advice, EvaluationError, NoQueriesError, Notice, Place, in_short, shortened
from treckon.evaluation.policy import Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from treckon._native.qrels import Qrels
    from treckon._native.results import Results
    from treckon.evaluation.conventions import Conventions
    from treckon.evaluation.policy import AnyScan


#: The kind of the warning that judged queries are missing from the run.
MISSING_QUERIES = "missing queries"


class ConventionsPolicy(Policy):
    """What conventions refuse, and what they only report."""

    extra: str = "skip"
    missing: str = "skip"

    @classmethod
    def of(cls, conventions: Conventions) -> ConventionsPolicy:
        """The policy that these conventions make."""
        return cls(
            release=conventions.release,
            level=conventions.level,
            depth=conventions.depth,
            condensed=conventions.unjudged == "condensed",
            refuses_unjudged=conventions.unjudged == "error",
            gain=conventions.gain,
            discount=conventions.discount,
            ties=conventions.ties,
            seed=conventions.seed,
            duplicates=conventions.duplicates,
            ignore_self=conventions.ignore_self,
            counts_missing=conventions.missing == "zero",
            reports=True,
            extra=conventions.extra,
            missing=conventions.missing,
        )

    def check_queries(self, results: Results, scans: Sequence[AnyScan]) -> tuple[Notice, ...]:
        """As `Policy` says."""
        table = results.qrels
        extra = next((share.extra[1] for share in scans if share.extra[1] is not None), None)
        if extra is not None and self.extra == "error":
            found = f"query '{shortened(extra)}'"
            raise EvaluationError(place=Place("run"), expected="judged queries alone", found=found)
        if len(table) == 0:
            raise _no_queries_error("there are no judgements")
        missing = results.missing() if self.missing != "zero" else []
        if not missing:
            return ()
        example = f"for example '{shortened(table.query_id(missing[0]))}'"
        if self.missing == "error":
            raise EvaluationError(
                place=Place("run"),
                expected="results for every judged query",
                found=f"none for {len(missing)} of {len(table)}, {example}",
            )
        problem = f"{len(missing)} of {len(table)} judged queries are missing from the run, {example}, and don't count"
        advice = Advice("missing", "zero", "counts them as having retrieved nothing")
        return (Notice(problem, kind=MISSING_QUERIES, advice=advice),)

    def no_queries_error(self, table: Qrels, first: bytes | None) -> NoQueriesError:
        """As `Policy` says."""
        if first is None:
            return _no_queries_error("the run has no query")
        judged = id_text(table.query_id(0))
        return _no_queries_error(f"the run has {in_short(id_text(first))}, the judgements have {in_short(judged)}")


def _no_queries_error(found: str) -> NoQueriesError:
    return NoQueriesError(expected="a query with both results and judgements", found=f"none: {found}")
