"""Judgements of every form as the core's table, each document once for a query (and group), none in contradiction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treckon._native.conversion import add_mapping, id_bytes
from treckon._native.plans import Plan
from treckon._native.qrels import Qrels, QrelsBuilder
from treckon._native.results import Results
from treckon.errors import EvaluationError, InputError, Notice, Place, shortened
from treckon.inputs.columns import Columns
from treckon.inputs.formats.registry import GROUPED
from treckon.inputs.formats.registry import find as find_format
from treckon.inputs.forms import as_qrels
from treckon.inputs.reading import read_qrels
from treckon.inputs.sources import Source
from treckon.inputs.values import documents_of, mapping_of
from treckon.measures.registry import VIEW_JUDGMENT_GROUPS, VIEW_PREFERENCES, VIEW_RANKING, VIEW_SUBTOPICS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from treckon.evaluation.conventions import Conventions
    from treckon.inputs.formats.registry import Format

#: What messages call the judgements that a view is of.
JUDGEMENTS_OF = {
    VIEW_RANKING: "judgements of documents",
    VIEW_JUDGMENT_GROUPS: "judgements in groups",
    VIEW_SUBTOPICS: "judgements by subtopic",
    VIEW_PREFERENCES: "preferences",
}


@dataclass(frozen=True, slots=True)
class CheckedJudgements:
    """Judgements that every query of can be evaluated.

    table:    as the core has them
    view:     what measures of them look at
    warnings: what of them was read only in part
    """

    table: Qrels
    view: str
    warnings: tuple[Notice, ...] = ()


def check_judgements(
    qrels: Any, conventions: Conventions, *, columns: Sequence[str] | None, format: str | None
) -> CheckedJudgements:
    """Reads judgements of any form that `treckon.Evaluator` takes, with its arguments.

    Raises InputError for what can't be read, EvaluationError for judgements that contradict each other.
    """
    form = find_format(GROUPED, format) if isinstance(format, str) else None
    if form is not None:
        judged = _read_groups(qrels, conventions, form)
    else:
        judged = _read(qrels, conventions, columns, format)
    if conventions.negative == "nonrelevant":
        judged.table.judge_negatives()
    return judged


def _read(qrels: Any, conventions: Conventions, columns: Sequence[str] | None, format: str | None) -> CheckedJudgements:
    form = as_qrels(qrels, columns=columns, format=format)
    warnings: tuple[Notice, ...] = ()
    if isinstance(form, Source):
        with form:
            judgements = read_qrels(form, release=conventions.release)
            warnings, table = judgements.warnings, judgements.table
            if table.first_duplicate() >= 0 and conventions.equal_judgements == "error":
                raise judgements.duplicate_error(table.first_duplicate())
    else:
        builder = QrelsBuilder()
        if isinstance(form, Columns):
            _add_columns(builder, form)
        else:
            add_mapping(builder, form)
        table = builder.finish(conventions.release)
    return CheckedJudgements(_without_duplicates(table, conventions), VIEW_RANKING, warnings)


def _add_columns(builder: QrelsBuilder, columns: Columns) -> None:
    for query_id in columns.empty_queries:
        builder.begin(id_bytes(query_id))
    rows = zip(as_list(columns.query_ids), as_list(columns.doc_ids), as_list(columns.values), strict=True)
    for query_id, doc_id, grade in rows:
        builder.add(id_bytes(query_id), id_bytes(doc_id), grade)


def as_list(column: Any) -> list[Any]:
    """The items of a column as Python's own."""
    return column.tolist() if hasattr(column, "tolist") else list(column)


def _without_duplicates(table: Qrels, conventions: Conventions) -> Qrels:
    """The table with each document once for a query. Raises EvaluationError where that isn't allowed."""
    if table.first_duplicate() < 0:
        return table
    builder = QrelsBuilder()
    for query, qid in enumerate(table.query_ids()):
        builder.begin(qid)
        grades: dict[bytes, int] = {}
        for docno, grade in table.judgements(query):
            if docno not in grades:
                grades[docno] = grade
                builder.add(qid, docno, grade)
            elif conventions.equal_judgements == "error" or grades[docno] != grade:
                found = "the same grade again" if grades[docno] == grade else f"grades {grades[docno]} and {grade}"
                place = Place("qrels", query=qid, document=docno)
                raise EvaluationError(place=place, expected="one judgement", found=found)
    return builder.finish(conventions.release)


def _read_groups(qrels: Any, conventions: Conventions, form: Format) -> CheckedJudgements:
    """Judgements in groups, or preferences."""
    if form.view == VIEW_JUDGMENT_GROUPS and (mapping := mapping_of(qrels, "qrels")) is not None:
        return CheckedJudgements(_grouped(mapping, conventions.release), VIEW_JUDGMENT_GROUPS)
    source = as_qrels(qrels, format="trec")
    if not isinstance(source, Source):
        raise InputError(Place("qrels"), f"expected a path, an open file or text in the format {form.name}")
    with source:
        judgements = read_qrels(source, form, release=conventions.release)
        everything = Results(judgements.table, Plan([]))
        everything.evaluate_missing()
        if (faulty := everything.first_faulty()) >= 0:
            raise judgements.fault(faulty)
        return CheckedJudgements(judgements.table, form.view, judgements.warnings)


def _grouped(qrels: Mapping[Any, Any], release: str) -> Qrels:
    """The table of {query: {group: {document: grade}}}."""
    builder = QrelsBuilder()
    for query_id, by_group in qrels.items():
        groups = documents_of(by_group, query_id, "qrels")
        if not isinstance(groups, Mapping):
            expected = "a mapping from groups to documents with grades"
            raise InputError(Place("qrels", query=query_id), expected=expected, found=type(groups).__name__)
        for group, documents in groups.items():
            add_mapping(builder, {query_id: documents_of(documents, query_id, "qrels")}, group)
    table = builder.finish(release, True)
    if (query := table.first_duplicate()) >= 0:
        group, docno = table.duplicate(query)
        in_group = f"group {shortened(group or b'')!r}, document {shortened(docno)!r}"
        place = f"{Place('qrels', query=table.query_id(query))}, {in_group}"
        raise EvaluationError(place=place, expected="one judgement", found="several")
    return table
