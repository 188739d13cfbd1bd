"""The Python API's verb: any judgements, any run, any measures, every convention visible."""

from __future__ import annotations

from collections.abc import Mapping

from treckon._native.engine import Plan, Results, RunScan
from treckon._native.objects import ColumnsScan, MappingScan, add_mapping, id_bytes, id_text
from treckon._native.qrels import Qrels, QrelsBuilder
from treckon.checks import checked_whole_number
from treckon.errors import EvaluationError, InputError, NoQueriesError, ParameterError, in_short, shortened
from treckon.evaluation.conventions import Conventions
from treckon.evaluation.results import Evaluation
from treckon.evaluation.trec_evaluation import view_of
from treckon.inputs.columns import Columns
from treckon.inputs.formats.registry import GROUPED
from treckon.inputs.formats.registry import find as find_format
from treckon.inputs.forms import as_qrels, as_run_or_rows
from treckon.inputs.reading import (
    FORMATS,
    Doubts,
    duplicate_lines,
    n_shares,
    raise_problem,
    read_qrels,
    scan,
)
from treckon.inputs.sources import Source
from treckon.inputs.tables import Rows
from treckon.inputs.values import documents_of, mapping_of
from treckon.measures.registry import (
    BOUNDED,
    TEXT,
    VIEW_JUDGMENT_GROUPS,
    VIEW_PREFERENCES,
    VIEW_RANKING,
    VIEW_RUN,
    VIEW_SUBTOPICS,
)
from treckon.naming.syntax import parse_all
from treckon.releases import RELEASE_9
from treckon.threads import available_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TypeAlias

    from treckon.naming.syntax import Measure

    AnyScan: TypeAlias = RunScan | MappingScan | ColumnsScan

#: What messages call the judgements that a view is of.
_JUDGEMENTS = {
    VIEW_RANKING: "judgements of documents",
    VIEW_JUDGMENT_GROUPS: "judgements in groups",
    VIEW_SUBTOPICS: "judgements by subtopic",
    VIEW_PREFERENCES: "preferences",
}


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
        self._warnings: list[str] = []
        if isinstance(format, str) and find_format(GROUPED, format) is not None:
            self._qrels, self._view = self._read_groups(qrels, format)
        else:
            self._qrels, self._view = self._read(qrels, columns, format), VIEW_RANKING
        if self.conventions.negative == "nonrelevant":
            self._qrels.judge_negatives()
        self._check_measures()

    def __repr__(self) -> str:
        options = self.conventions.as_dict().items()
        others = [f"{name}={value!r}" for name, value in options if name in self._given]
        listed = ", ".join([f"{len(self._qrels)} judged queries", *map(str, self.measures), *others])
        return f"<treckon Evaluator: {listed}>"

    # Judgements

    def _read(self, qrels: Any, columns: Sequence[str] | None, format: str | None) -> Qrels:
        release = self.conventions.release
        given = as_qrels(qrels, columns=columns, format=format)
        if isinstance(given, Source):
            with given:
                judgements = read_qrels(given, release=release)
                if warning := judgements.doubts.warning():
                    self._warnings.append(warning)
                table = judgements.table
                if table.first_duplicate() >= 0 and self.conventions.equal_judgements == "error":
                    raise judgements.duplicate_error(table.first_duplicate())
        else:
            builder = QrelsBuilder()
            if isinstance(given, Columns):
                _add_columns(builder, given)
            else:
                add_mapping(builder, given)
            table = builder.finish(release)
        return self._without_repeats(table)

    def _read_groups(self, qrels: Any, format: str) -> tuple[Qrels, str]:
        """Judgements in groups, and what measures of them look at."""
        format = "qrels_jg" if format == "subtopics" else format
        if format == "qrels_jg" and (mapping := mapping_of(qrels, "qrels")) is not None:
            return self._grouped(mapping), VIEW_JUDGMENT_GROUPS
        given = as_qrels(qrels, format="trec")
        if not isinstance(given, Source):
            raise InputError("qrels", f"expected a path, an open file or text in the format {format}")
        with given:
            judgements = read_qrels(given, format, release=self.conventions.release)
            if warning := judgements.doubts.warning():
                self._warnings.append(warning)
            everything = Results(judgements.table, Plan([]))
            everything.evaluate_missing()
            if (faulty := everything.first_faulty()) >= 0:
                raise judgements.fault(faulty)
        return judgements.table, view_of(judgements.table)

    def _grouped(self, qrels: Mapping[Any, Any]) -> Qrels:
        """The table of {query: {group: {document: grade}}}."""
        builder = QrelsBuilder()
        for query_id, groups in qrels.items():
            groups = documents_of(groups, query_id, "qrels")
            if not isinstance(groups, Mapping):
                expected = "expected a mapping from groups to documents with grades"
                raise InputError(f"qrels: query {in_short(query_id)}", f"{expected}, found {type(groups).__name__}")
            for group, documents in groups.items():
                add_mapping(builder, {query_id: documents_of(documents, query_id, "qrels")}, group)
        table = builder.finish(self.conventions.release, True)
        if (number := table.first_duplicate()) >= 0:
            group, docno = table.duplicate(number)
            raise EvaluationError(
                f"qrels: query {shortened(table.query_id(number))!r}, group {shortened(group or b'')!r}, document "
                f"{shortened(docno)!r}: expected one judgement, found several"
            )
        return table

    def _without_repeats(self, table: Qrels) -> Qrels:
        """The table with each document once for a query. Raises EvaluationError where that isn't allowed."""
        if table.first_duplicate() < 0:
            return table
        builder = QrelsBuilder()
        for number, qid in enumerate(table.query_ids()):
            builder.begin(qid)
            grades: dict[bytes, int] = {}
            for docno, grade in table.judgements(number):
                if docno not in grades:
                    grades[docno] = grade
                    builder.add(qid, docno, grade)
                elif self.conventions.equal_judgements == "error" or grades[docno] != grade:
                    found = "the same grade again" if grades[docno] == grade else f"grades {grades[docno]} and {grade}"
                    raise EvaluationError(
                        f"qrels: query {shortened(qid)!r}, document {shortened(docno)!r}: expected one judgement, "
                        f"found {found}"
                    )
        return builder.finish(self.conventions.release)

    # Measures

    def _check_measures(self) -> None:
        """Refuses measures of other judgements, and options that no measure asked for has any use for."""
        for measure in self.measures:
            if measure.measure.view not in (VIEW_RUN, self._view) and not (
                measure.measure.view == VIEW_SUBTOPICS and self._view == VIEW_JUDGMENT_GROUPS
            ):
                raise EvaluationError(
                    f"{measure}: expected {_JUDGEMENTS[measure.measure.view]}, found {_JUDGEMENTS[self._view]}"
                )
        if self._view == VIEW_PREFERENCES:
            self._refuse_options_of_grades()
        by_grade = self.conventions.ties in ("optimistic", "pessimistic")
        if by_grade and any(measure.measure.view == VIEW_SUBTOPICS for measure in self.measures):
            raise ParameterError(f"ties: expected an order that all subtopics share, found {self.conventions.ties!r}")
        for option in ("gain", "discount"):
            chosen = option in self._given and getattr(self.conventions, option) != getattr(Conventions(), option)
            if chosen and not any(_takes(measure, option) for measure in self.measures):
                raise ParameterError(
                    f"{option}: none of {', '.join(map(str, self.measures))} has a {option} that the evaluation chooses"
                )
        if self.conventions.no_relevant == "one":
            for measure in self.measures:
                if BOUNDED not in measure.traits:
                    raise ParameterError(f"no_relevant: expected measures from 0 to 1 with 'one', found {measure}")

    def _refuse_options_of_grades(self) -> None:
        """Refuses options that preferences have no use for."""
        conventions, usual = self.conventions, Conventions()
        if conventions.ties != usual.ties:
            raise ParameterError(
                f"ties: expected 'trec' (document ids rising) with preferences, found {conventions.ties!r}"
            )
        for name in ("equal_judgements", "level", "negative", "no_relevant", "samples", "seed", "unjudged"):
            value, expected = getattr(conventions, name), getattr(usual, name)
            if value != expected:
                raise ParameterError(
                    f"{name}: expected {expected!r} with preferences, which have no grades, found {value!r}"
                )

    def _is_sampled(self, measure: Measure) -> bool:
        """Whether the expected value over ties can only be estimated."""
        record = measure.measure
        return self.conventions.ties == "expected" and record.value_type != TEXT and not record.has_exact_mean_over_ties

    def _plan(self, measures: Sequence[Measure], **changes: Any) -> Plan:
        conventions = self.conventions
        ties = changes.get("ties", conventions.ties)
        return Plan(
            [
                (
                    one.measure.expected if ties == "expected" and one.measure.expected else one.measure.kernel,
                    one.setting, one.measure.view == VIEW_JUDGMENT_GROUPS, one.measure.missing,
                )
                for one in measures
            ],
            level=conventions.level,
            depth=conventions.depth,
            condensed=conventions.unjudged == "condensed",
            release_9=conventions.release == RELEASE_9,
            highest_grade=self._qrels.highest_grade,
            gain=conventions.gain,
            discount=conventions.discount,
            ties=ties,
            seed=changes.get("seed", conventions.seed),
            repeats=conventions.duplicates,
            ignores_self=conventions.ignore_self,
            refuses_unjudged=conventions.unjudged == "error",
            reports_ties=changes.get("reports", True),
            keeps_rankings=any(one.measure.function is not None for one in measures),
        )  # fmt: skip

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
        given = as_run_or_rows(run, columns=columns, format=format)
        try:
            scoring = _Scoring(self, given)
            return scoring.evaluation()
        finally:
            if isinstance(given, Source) and given is not run:
                given.close()

    @property
    def query_ids(self) -> list[str]:
        """The judged queries, in the order of the judgements."""
        return [id_text(query_id) for query_id in self._qrels.query_ids()]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is doubtful about the judgements, a sentence each; every evaluation repeats it."""
        return tuple(self._warnings)

    def changed(self, measures: str | Measure | Iterable[str | Measure] | None = None, **conventions: Any) -> Evaluator:
        """An evaluator with the same judgements, which are not read again, and with other measures or conventions.

        What is not given stays as it is. The conventions that judgements are read by, `compat`, `equal_judgements` and
        `negative`, can't be changed. Raises UnknownMeasureError, ParameterError.
        """
        for fixed in ("compat", "equal_judgements", "negative"):
            if fixed in conventions and conventions[fixed] != getattr(self.conventions, fixed):
                raise ParameterError(f"{fixed}: the judgements were read with {getattr(self.conventions, fixed)!r}")
        conventions = {**self._given_conventions(), **conventions}
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.conventions = Conventions(**conventions)
        other._given = frozenset(conventions)
        if measures is not None:
            other.measures = parse_all(measures, release=other.conventions.release)
        other._check_measures()
        return other

    @property
    def has_rankings(self) -> bool:
        """Whether the judgements are of documents: neither preferences nor in groups."""
        return self._view == VIEW_RANKING

    def judgements(self, query_id: str) -> dict[str, int]:
        """The judgements of a query: {document: grade}, in their order; grades below 0 are -1: not judged.

        Raises KeyError for a query without judgements, EvaluationError where `has_rankings` is False.
        """
        if not self.has_rankings:
            raise EvaluationError(f"expected {_JUDGEMENTS[VIEW_RANKING]}, found {_JUDGEMENTS[self._view]}")
        number = self._qrels.find(id_bytes(query_id, "query"))
        if number < 0:
            raise KeyError(query_id)
        return {id_text(docno): max(grade, -1) for docno, grade in self._qrels.judgements(number)}

    @property
    def qrels(self) -> Qrels:
        """The judgements as they were read."""
        return self._qrels

    def _given_conventions(self) -> dict[str, object]:
        return {name: value for name, value in self.conventions.as_dict().items() if name in self._given}


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
    return option in measure.measure.arguments and getattr(measure.setting, option) is None


def _add_columns(builder: QrelsBuilder, columns: Columns) -> None:
    """Adds the judgements that stand in columns."""
    for query_id in columns.empty_queries:
        builder.begin(id_bytes(query_id))
    for query_id, doc_id, grade in zip(
        _list(columns.query_ids), _list(columns.doc_ids), _list(columns.values), strict=True
    ):
        builder.add(id_bytes(query_id), id_bytes(doc_id), grade)


def _list(column: Any) -> list[Any]:
    return column.tolist() if hasattr(column, "tolist") else list(column)


class _Scoring:
    """One run on its way to an `Evaluation`."""

    def __init__(self, evaluator: Evaluator, run: Source | Mapping[Any, Any] | Columns | Rows) -> None:
        self._evaluator = evaluator
        self._conventions = evaluator.conventions
        self._qrels = evaluator._qrels
        self._run = run
        self._measures = evaluator.measures
        self._warnings = list(evaluator._warnings)
        self._format = "run by rank" if self._conventions.order == "rank" else "run"
        if isinstance(run, Rows) and not run.again and any(map(evaluator._is_sampled, evaluator.measures)):
            self._run = run.columns()  # they will be read many times
        if self._conventions.order == "rank" and not isinstance(run, Source) and getattr(run, "order", "") != "rank":
            raise ParameterError("order: expected 'score' or 'input', since this run has no ranks, found 'rank'")

    def evaluation(self) -> Evaluation:
        plan = self._evaluator._plan(self._measures)
        results, scans = self._scores(plan)
        self._refuse(results, scans)
        if self._conventions.missing == "zero":
            results.evaluate_missing()
        numbers = results.evaluated()
        if not numbers:
            raise self._no_queries_error(scans)
        self._call_functions(self._measures, results, numbers)
        errors = self._sample(results, numbers)
        without = self._without_relevant(numbers)
        self._apply_no_relevant(results, without)
        n_tied, n_across = results.n_tied
        ties: dict[str, Any] = {"queries": n_tied, "across_cutoff": n_across}
        if errors:
            ties["standard_errors"] = errors
        return Evaluation(
            measures=self._measures,
            query_ids=[id_text(self._qrels.query_id(number)) for number in numbers],
            values=memoryview(results.values(numbers)).cast("d"),
            means=self._means(results, numbers, without, scans),
            conventions=self._conventions.as_dict(),
            counts=self._counts(results, scans),
            ties=ties,
            warnings=self._warnings,
            texts=self._texts(results, numbers),
        )

    # Reading

    def _scores(self, plan: Plan) -> tuple[Results, Sequence[AnyScan]]:
        """Evaluates the run's queries."""
        results = Results(self._qrels, plan)
        if isinstance(self._run, Source):
            return results, self._scan_source(results, self._run)
        if isinstance(self._run, Columns):
            return results, self._scan_columns(results, self._run)
        if isinstance(self._run, Rows):
            return results, [self._scan_rows(results, self._run)]
        mapping = MappingScan(results, self._conventions.order == "input")
        mapping.scan(self._run)
        return results, [mapping]

    def _scan_source(self, results: Results, run: Source) -> list[RunScan]:
        form, order = FORMATS[self._format], self._conventions.order
        n = n_shares(run, self._evaluator._threads)
        scans = [RunScan(results, form, order=order) for _ in range(n)]
        scan(run, scans)
        if any(one.scattered for one in scans):
            gathering = RunScan(results, form, order=order, gather=True)
            scan(run, [gathering])
            raise_problem(run, self._format, [gathering])
            gathering.finish_gathering()
            scans = [gathering]
        raise_problem(run, self._format, scans)
        if warning := Doubts(run, self._format, scans).warning():
            self._warnings.append(warning)
        return scans

    def _scan_columns(self, results: Results, run: Columns) -> list[ColumnsScan]:
        scores = _scores_of(run, self._conventions)
        scans = [ColumnsScan(results)]
        _scan_rows(scans, run, scores, self._evaluator._threads)
        if any(one.scattered for one in scans):
            scans = [ColumnsScan(results, gather=True)]
            _scan_rows(scans, run, scores, 1)
            scans[0].finish_gathering()
        return scans

    def _scan_rows(self, results: Results, run: Rows) -> ColumnsScan:
        as_listed = self._conventions.order == "input"
        scan = ColumnsScan(results, gather=not run.again)
        scan.scan_rows(run, as_listed)
        if scan.scattered:
            scan = ColumnsScan(results, gather=True)
            scan.scan_rows(run, as_listed)
        if scan.gathers:
            scan.finish_gathering()
        return scan

    # What conventions refuse

    def _refuse(self, results: Results, scans: Sequence[AnyScan]) -> None:
        conventions = self._conventions
        if conventions.extra == "error":
            extra = next((one.extra[1] for one in scans if one.extra[1] is not None), None)
            if extra is not None:
                raise EvaluationError(f"run: expected judged queries alone, found query '{shortened(extra)}'")
        missing = results.missing()
        if conventions.missing == "skip" and missing:
            self._warnings.append(
                f"{len(missing)} of {len(self._qrels)} judged queries are missing from the run, for example "
                f"'{shortened(self._qrels.query_id(missing[0]))}', and don't count (missing='zero' counts them as "
                "having retrieved nothing)"
            )
        if conventions.missing == "error" and missing:
            raise EvaluationError(
                f"run: expected results for every judged query, found none for {len(missing)} of {len(self._qrels)}, "
                f"for example '{shortened(self._qrels.query_id(missing[0]))}'"
            )
        duplicate = min((one.duplicate for one in scans if one.duplicate is not None), default=None)
        if duplicate is not None:
            raise self._duplicate_error(*duplicate)
        unjudged = min((one.unjudged for one in scans if one.unjudged is not None), default=None)
        if unjudged is not None:
            number, docno, rank = unjudged
            raise EvaluationError(
                f"run: query {shortened(self._qrels.query_id(number))!r}, document {shortened(docno)!r} at rank "
                f"{rank}: expected a judged document, found none of its grade in the qrels"
            )

    def _no_queries_error(self, scans: Sequence[AnyScan]) -> NoQueriesError:
        first = next((one.first_query for one in scans if one.first_query is not None), None)
        if len(self._qrels) == 0:
            found = "there are no judgements"
        elif first is None:
            found = "the run has no query"
        else:
            judged = id_text(self._qrels.query_id(0))
            found = f"the run has {in_short(id_text(first))}, the judgements have {in_short(judged)}"
        return NoQueriesError(f"expected a query with both results and judgements, found none: {found}")

    def _duplicate_error(self, number: int, docno: bytes) -> EvaluationError:
        qid = self._qrels.query_id(number)
        if isinstance(self._run, Source):
            place, problem = duplicate_lines(self._run, self._format, qid, docno, self._conventions.release)
            return EvaluationError(f"{place}: {problem}")
        return EvaluationError(
            f"run: query {shortened(qid)!r}, document {shortened(docno)!r}: expected each document once for a "
            "query, found it twice"
        )

    # Values that the engine doesn't make

    def _call_functions(self, measures: Sequence[Measure], results: Results, numbers: Sequence[int]) -> None:
        """Values of measures that are Python functions."""
        for column, measure in enumerate(measures):
            if measure.measure.function is not None:
                for number in numbers:
                    results.set(number, column, measure.measure.function(results.ranking(number, column), measure))

    def _sample(self, results: Results, numbers: Sequence[int]) -> dict[str, float]:
        """Estimates expected values over ties that have no closed form; the standard error of each mean, by measure."""
        sampled = [(i, one) for i, one in enumerate(self._measures) if self._evaluator._is_sampled(one)]
        if not sampled or results.n_tied[0] == 0:
            return {}
        n = self._conventions.samples
        totals = {(number, i): 0.0 for number in numbers for i, _ in sampled}
        means: list[list[float]] = [[] for _ in sampled]
        measures = [one for _, one in sampled]
        for sample in range(n):
            plan = self._evaluator._plan(measures, ties="random", seed=self._conventions.seed + sample, reports=False)
            one, _ = self._scores(plan)
            self._call_functions(measures, one, [number for number in numbers if one.is_evaluated(number)])
            for number in numbers:
                if one.is_evaluated(number):
                    row = one.row(number)
                    for j, (i, _) in enumerate(sampled):
                        totals[number, i] += row[j]
            sums = one.totals()
            for j in range(len(sampled)):
                means[j].append(sums[j] / max(len(numbers), 1))
        for (number, i), total in totals.items():
            results.set(number, i, total / n)
        errors = {}
        for j, (_, measure) in enumerate(sampled):
            mean = sum(means[j]) / n
            errors[str(measure)] = (sum((value - mean) ** 2 for value in means[j]) / (n - 1) / n) ** 0.5
        return errors

    def _without_relevant(self, numbers: Sequence[int]) -> dict[int, set[int]]:
        """By relevance level, the evaluated queries that have no relevant document."""
        found: dict[int, set[int]] = {}
        if self._evaluator._view == VIEW_PREFERENCES:
            return {level: set() for level in {self._level(measure) for measure in self._measures}}
        for level in {self._level(measure) for measure in self._measures} | {self._conventions.level}:
            found[level] = {number for number in numbers if self._qrels.n_relevant(number, level) == 0}
        if self._conventions.no_relevant == "error":
            for level, queries in found.items():
                if queries:
                    expected = f"a document of grade {level} or more for every query"
                    example = shortened(self._qrels.query_id(min(queries)))
                    found_none = f"none for {len(queries)}, for example '{example}'"
                    raise EvaluationError(place="qrels", expected=expected, found=found_none)
        return found

    def _level(self, measure: Measure) -> int:
        return self._conventions.level if measure.setting.level is None else measure.setting.level

    def _apply_no_relevant(self, results: Results, without: dict[int, set[int]]) -> None:
        if self._conventions.no_relevant == "one":
            for column, measure in enumerate(self._measures):
                for number in without[self._level(measure)]:
                    results.set(number, column, 1.0)

    # Together

    def _means(
        self, results: Results, numbers: Sequence[int], without: dict[int, set[int]], scans: Sequence[AnyScan]
    ) -> list[float | bytes]:
        totals = results.totals()
        means: list[float | bytes] = []
        for column, measure in enumerate(self._measures):
            record = measure.measure
            left_out = without[self._level(measure)] if self._conventions.no_relevant == "skip" else set()
            if record.value_type == TEXT:
                means.append(_tag(scans) if record.view == VIEW_RUN else b"")
            elif not left_out:
                means.append(record.aggregate.finish(totals[column], len(numbers)))
            else:
                total = 0.0
                for number in numbers:
                    if number not in left_out:
                        total += results.row(number)[column]
                means.append(record.aggregate.finish(total, len(numbers) - len(left_out)))
        return means

    def _texts(self, results: Results, numbers: Sequence[int]) -> dict[Measure, list[bytes]]:
        columns = [
            (column, measure)
            for column, measure in enumerate(self._measures)
            if measure.measure.value_type == TEXT and measure.measure.view == VIEW_RANKING
        ]
        return {measure: [results.row(number)[column] for number in numbers] for column, measure in columns}

    def _counts(self, results: Results, scans: Sequence[AnyScan]) -> dict[str, int]:
        n_extra = len(set().union(*(one.extra[0] for one in scans)))
        n_both = results.n_in_run
        return {
            "in_qrels": len(self._qrels),
            "in_run": n_both + n_extra,
            "in_both": n_both,
            "missing": len(self._qrels) - n_both,
            "extra": n_extra,
            "without_relevant": self._n_without_relevant(),
            **({"own_documents": sum(one.n_own for one in scans)} if self._conventions.ignore_self else {}),
        }

    def _n_without_relevant(self) -> int:
        """How many judged queries have no relevant document."""
        if self._evaluator._view == VIEW_PREFERENCES:
            return 0
        level = self._conventions.level
        return sum(self._qrels.n_relevant(number, level) == 0 for number in range(len(self._qrels)))


def _tag(scans: Sequence[AnyScan]) -> bytes:
    """The tag of a run file's last record; nothing where the run has none."""
    tags = (one.tag for one in reversed(scans) if isinstance(one, RunScan))
    return next((tag for tag in tags if tag is not None), b"")


def _scores_of(run: Columns, conventions: Conventions) -> Any:
    """The scores of a run in columns as the core takes them: a buffer of doubles."""
    from array import array

    if conventions.order == "input":
        return array("d", range(0, -len(run.query_ids), -1))
    scores = run.values
    if conventions.release == RELEASE_9:
        single = array("f", scores)
        scores = array("d", single)
    if hasattr(scores, "astype"):
        return scores.astype("float64", order="C", copy=False)
    return scores if isinstance(scores, array) and scores.typecode == "d" else array("d", scores)


def _scan_rows(scans: list[ColumnsScan], run: Columns, scores: Any, threads: int) -> None:
    """Reads the rows, by several threads where ids are numbers; adds a scan for each further thread."""
    queries, documents, n = run.query_ids, run.doc_ids, len(run.query_ids)
    if not (_is_numbers(queries) and _is_numbers(documents)):
        scans[0].scan_objects(_list(queries), _list(documents), scores)
        return
    n_scans = max(1, min(threads, n >> 15))
    bounds = [0]
    for i in range(1, n_scans):
        bound = max(n * i // n_scans, bounds[-1])
        while 0 < bound < n and queries[bound] == queries[bound - 1]:
            bound += 1
        bounds.append(bound)
    bounds.append(n)
    if n_scans == 1:
        scans[0].scan_numbers(queries, documents, scores, 0, n)
        return
    from concurrent.futures import ThreadPoolExecutor

    scans.extend(ColumnsScan(scans[0].results) for _ in range(n_scans - 1))
    with ThreadPoolExecutor(n_scans) as pool:
        for future in [
            pool.submit(one.scan_numbers, queries, documents, scores, begin, end)
            for one, begin, end in zip(scans, bounds, bounds[1:], strict=False)
        ]:
            future.result()


def _is_numbers(ids: Any) -> bool:
    """Whether ids are a contiguous buffer of 64-bit integers."""
    try:
        view = memoryview(ids)
    except TypeError:
        return False
    return view.format in ("l", "q") and view.itemsize == 8 and view.c_contiguous and view.ndim == 1
