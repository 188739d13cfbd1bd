"""The Python API's verb: any judgements, any run, any measures, every convention visible."""

from __future__ import annotations

from treckon._native.conversion import id_bytes, id_text
from treckon.checks import checked_whole_number
from treckon.errors import EvaluationError, Notice, ParameterError
from treckon.evaluation.conventions import DEFAULTS, Conventions
from treckon.evaluation.conventions_policy import ConventionsPolicy
from treckon.evaluation.judgements import JUDGEMENTS_OF, CheckedJudgements, check_judgements
from treckon.evaluation.policy import misfit
from treckon.evaluation.reporting import evaluated, sampled
from treckon.evaluation.run_data import RunData
from treckon.evaluation.scoring import RunFile
from treckon.inputs.forms import as_run_or_rows
from treckon.inputs.sources import Source
from treckon.inputs.tables import Rows
from treckon.measures.registry import BOUNDED, VIEW_PREFERENCES, VIEW_RANKING, VIEW_SUBTOPICS
from treckon.naming.syntax import parse_all
from treckon.threads import available_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from treckon._native.qrels import Qrels
    from treckon.errors import Notice
    from treckon.evaluation.results import Evaluation
    from treckon.inputs.columns import Columns
    from treckon.naming.syntax import Measure


class Evaluator:
    """Scores runs against the same judgements by the same measures and conventions.

    Judgements are read and hashed once. An evaluator keeps nothing of a run: it can be used for any number of runs, by
    several threads at once, and be pickled (with preferences as judgements it can't be).

    qrels:    judgements, of any kind that `treckon.inputs.as_qrels` takes: a path, an open file, bytes, ``{query:
              {document: grade}}``, rows, columns, a data frame, ...
    measures: a text or measure, or several: ``"nDCG@10"``, ``["AP(rel=2)", "ndcg_cut_10", "official"]``
    columns:  names of the columns of a table: (query id, document id, grade)
    format:   of a text, where it is not to be guessed; trec_eval's formats of preferences and of groups of assessors,
              "prefs", "qrels_prefs" and "qrels_jg", must be named, and are for the measures made for them. So must
              "subtopics": text as ndeval reads it (``qid subtopic docno grade``), or ``{query: {subtopic: {document:
              grade}}}``; it is the same as "qrels_jg", whose groups are assessors
    threads:  how many may be used, 0: as many as can run

    The other options are the conventions: see `treckon.Conventions` for what each means.

    Raises InputError for judgements that can't be read, EvaluationError for those that contradict each other,
    UnknownMeasureError, ParameterError.
    """

    def __init__(
        self,
        qrels: Any,
        measures: str | Measure | Iterable[str | Measure],
        *,
        columns: Sequence[str] | None = None,
        format: str | None = None,
        threads: int = 0,
        **conventions: Any,
    ) -> None:
        self.conventions = Conventions(**conventions)
        self.measures = parse_all(measures, release=self.conventions.release)
        self._threads = checked_whole_number("threads", threads) or available_threads()
        self._given = frozenset(conventions)
        if isinstance(qrels, CheckedJudgements):
            self._judged = qrels
        else:
            self._judged = check_judgements(qrels, self.conventions, columns=columns, format=format)
        self._policy = ConventionsPolicy.of(self.conventions)
        self._check_measures()

    def __repr__(self) -> str:
        options = self.conventions.as_dict().items()
        others = [f"{name}={value!r}" for name, value in options if name in self._given]
        listed = ", ".join([f"{len(self.qrels)} judged queries", *map(str, self.measures), *others])
        return f"<treckon Evaluator: {listed}>"

    # Measures

    def _check_measures(self) -> None:
        """Refuses measures of other judgements, and options that no measure asked for has any use for."""
        view = self._judged.view
        if (measure := misfit(self.measures, view)) is not None:
            raise EvaluationError(
                f"{measure}: expected {JUDGEMENTS_OF[measure.record.view]}, found {JUDGEMENTS_OF[view]}"
            )
        if view == VIEW_PREFERENCES:
            self._refuse_options_of_grades()
        by_grade = self.conventions.ties in ("optimistic", "pessimistic")
        if by_grade and any(measure.record.view == VIEW_SUBTOPICS for measure in self.measures):
            raise ParameterError(f"ties: expected an order that all subtopics share, found {self.conventions.ties!r}")
        for option in ("gain", "discount"):
            is_chosen = getattr(self.conventions, option) != DEFAULTS[option]
            if is_chosen and not any(_takes(measure, option) for measure in self.measures):
                raise ParameterError(
                    f"{option}: none of {', '.join(map(str, self.measures))} has a {option} that the evaluation chooses"
                )
        if self.conventions.no_relevant == "one":
            for measure in self.measures:
                if BOUNDED not in measure.traits:
                    raise ParameterError(f"no_relevant: expected measures from 0 to 1 with 'one', found {measure}")

    def _refuse_options_of_grades(self) -> None:
        """Refuses options that preferences have no use for."""
        if self.conventions.ties != DEFAULTS["ties"]:
            raise ParameterError(
                f"ties: expected 'trec' (document ids rising) with preferences, found {self.conventions.ties!r}"
            )
        for name in ("equal_judgements", "level", "negative", "no_relevant", "samples", "seed", "unjudged"):
            value, expected = getattr(self.conventions, name), DEFAULTS[name]
            if value != expected:
                raise ParameterError(
                    f"{name}: expected {expected!r} with preferences, which have no grades, found {value!r}"
                )

    # Runs

    def evaluate(self, run: Any, *, columns: Sequence[str] | None = None, format: str | None = None) -> Evaluation:
        """The values of a run.

        run:     of any kind that `treckon.inputs.as_run` takes: a path, ``{query: {document: score}}``, rows, columns,
                 ``{query: [documents in order]}``, a data frame, ...
        columns: names of the columns of a table: (query id, document id, score)
        format:  of a text, where it is not to be guessed

        Raises InputError for a run that can't be read, EvaluationError for one that can't be evaluated or that a
        convention refuses, NoQueriesError where no query has both results and judgements (and ``missing="zero"`` counts
        none without). Nothing that is passed in is changed.
        """
        form = as_run_or_rows(run, columns=columns, format=format)
        try:
            return evaluated(self._judged, self.measures, self.conventions, self._policy, self._readable(form))
        finally:
            if isinstance(form, Source) and form is not run:
                form.close()

    def _readable(self, form: Source | Mapping[Any, Any] | Columns | Rows) -> RunFile | RunData:
        """A run as the core reads it, as often as these measures need it."""
        conventions = self.conventions
        if isinstance(form, Source):
            return RunFile(form, conventions.release, order=conventions.order, threads=self._threads)
        if conventions.order == "rank" and getattr(form, "order", "") != "rank":
            raise ParameterError("order: expected 'score' or 'input', since this run has no ranks, found 'rank'")
        if isinstance(form, Rows) and not form.again and sampled(self.measures, self.conventions):
            form = form.columns()
        return RunData(form, conventions.order, conventions.release, self._threads)

    @property
    def query_ids(self) -> list[str]:
        """The judged queries, in the order of the judgements."""
        return [id_text(query_id) for query_id in self.qrels.query_ids()]

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What is doubtful about the judgements, a sentence each; every evaluation repeats it."""
        return self._judged.warnings

    def changed(self, measures: str | Measure | Iterable[str | Measure] | None = None, **conventions: Any) -> Evaluator:
        """An evaluator with the same judgements, which are not read again, and with other measures or conventions.

        What is not given stays as it is. The conventions that judgements are read by, `compat`, `equal_judgements` and
        `negative`, can't be changed. Raises UnknownMeasureError, ParameterError.
        """
        for fixed in ("compat", "equal_judgements", "negative"):
            if fixed in conventions and conventions[fixed] != getattr(self.conventions, fixed):
                raise ParameterError(f"{fixed}: the judgements were read with {getattr(self.conventions, fixed)!r}")
        conventions = {**{name: getattr(self.conventions, name) for name in self._given}, **conventions}
        changed = self.measures if measures is None else measures
        return type(self)(self._judged, changed, threads=self._threads, **conventions)

    @property
    def has_rankings(self) -> bool:
        """Whether the judgements are of documents: neither preferences nor in groups."""
        return self._judged.view == VIEW_RANKING

    def judgements(self, query_id: str) -> dict[str, int]:
        """The judgements of a query: {document: grade}, in their order; grades below 0 are -1: not judged.

        Raises KeyError for a query without judgements, EvaluationError where `has_rankings` is False.
        """
        if not self.has_rankings:
            raise EvaluationError(f"expected {JUDGEMENTS_OF[VIEW_RANKING]}, found {JUDGEMENTS_OF[self._judged.view]}")
        number = self.qrels.find(id_bytes(query_id, "query"))
        if number < 0:
            raise KeyError(query_id)
        return {id_text(docno): max(grade, -1) for docno, grade in self.qrels.judgements(number)}

    @property
    def qrels(self) -> Qrels:
        """The judgements as they were read."""
        return self._judged.table


def evaluate(
    qrels: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    qrels_columns: Sequence[str] | None = None,
    run_columns: Sequence[str] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    threads: int = 0,
    **conventions: Any,
) -> Evaluation:
    """Scores a run against judgements: `Evaluator` for one run.

    qrels:    judgements, of any kind that `Evaluator` takes
    run:      a run, of any kind that `Evaluator.evaluate` takes
    measures: a text or measure, or several: ``"nDCG@10"``, ``["AP(rel=2)", "ndcg_cut_10", "official"]``
    qrels_columns, run_columns: names of the columns of a table: (query id, document id, grade or score)
    qrels_format, run_format:   of a text, where it is not to be guessed
    threads:  how many may be used, 0: as many as can run

    The other options are the conventions: see `treckon.Conventions` for what each means. Raises as `Evaluator` and
    `Evaluator.evaluate` do.

    >>> import treckon
    >>> treckon.evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d2": 0.9, "d1": 0.8}}, "nDCG@10")["nDCG@10"]
    0.6309297535714575
    """
    evaluator = Evaluator(qrels, measures, columns=qrels_columns, format=qrels_format, threads=threads, **conventions)
    return evaluator.evaluate(run, columns=run_columns, format=run_format)


def _takes(measure: Measure, option: str) -> bool:
    """Whether a measure has this argument and leaves it to the evaluation."""
    return option in measure.record.arguments and getattr(measure.parameters, option) is None
