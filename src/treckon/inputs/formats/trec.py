"""TREC's formats: lines of fields with white space between, read by the scanner. All that trec_eval has."""

from __future__ import annotations

from treckon._native.line_formats import LineFormat
from treckon.inputs.formats.registry import (
    EMPTY_QUERIES,
    FALLBACK,
    FITTING,
    GROUPED,
    MARKED,
    POSSIBLE,
    QRELS,
    RUN,
    Beginning,
    Format,
    register,
    registered,
)
from treckon.measures.registry import VIEW_JUDGMENT_GROUPS, VIEW_PREFERENCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from treckon.inputs.sources import Source

_RUN_FIELDS = ("qid", "Q0", "docno", "rank", "score", "tag")
RUN_LINES = LineFormat(_RUN_FIELDS, 2, 4, "score", rank=3, allows_more=True, indented_comments=True)
#: Of a run that is ordered by its ranks, which are its values then.
LINES_BY_RANK = LineFormat(_RUN_FIELDS, 2, 3, "score", rank=3, allows_more=True, indented_comments=True)
QRELS_LINES = LineFormat(("qid", "iteration", "docno", "grade"), 2, 3, "grade")
_GROUP_LINES = LineFormat(("qid", "group", "docno", "grade"), 2, 3, "grade", group=1)
_LEVEL_LINES = LineFormat(("qid", "group", "docno", "level"), 2, 3, "level", group=1)
_PREFERENCE_LINES = LineFormat(("qid", "group", "sub-group", "docno", "level"), 3, 4, "level", group=1, subgroup=2)


def _claim_of(lines: LineFormat) -> Callable[[Beginning], int]:
    n_fields = len(lines.fields)

    def claim(beginning: Beginning) -> int:
        fields, cells = beginning.fields, beginning.cells
        if beginning.line.startswith(b"#"):  # a comment
            return MARKED
        if len(fields) != n_fields:
            return FALLBACK
        if len(cells) == n_fields or len(cells) == 3 and fields[1] in (b"0", b"Q0"):
            return FITTING
        from treckon.inputs.fields import is_number

        return POSSIBLE if len(cells) == 3 and is_number(fields[lines.value]) else FALLBACK

    return claim


def _source_itself(source: Source, _: object) -> Source:
    return source


def _write_run(run: dict[str, dict[str, float]], tag: str) -> Iterator[bytes]:
    from treckon.inputs.fields import field, line_start
    from treckon.inputs.values import query_place

    tag_field = field(tag, "tag")
    for query, documents in run.items():
        qid, place = line_start(query, RUN), query_place(RUN, query)
        ranked = sorted(documents, key=documents.__getitem__, reverse=True)
        yield b"".join(
            b"%b Q0 %b %d %b %b\n"
            % (qid, field(document, place), rank, repr(documents[document]).encode("ascii"), tag_field)
            for rank, document in enumerate(ranked, 1)
        )


def write_qrels(qrels: dict[str, dict[str, Any]], between: bytes = b" ") -> Iterator[bytes]:
    """Lines of TREC's four fields with these bytes between."""
    from treckon.inputs.fields import field, line_start
    from treckon.inputs.values import query_place

    for query, documents in qrels.items():
        qid, place = line_start(query, QRELS), query_place(QRELS, query)
        yield b"".join(
            between.join((qid, b"0", field(document, place), b"%d\n" % grade)) for document, grade in documents.items()
        )


TREC_RUN = register(
    Format(
        "trec",
        RUN,
        "query, Q0, document, rank, score and tag",
        'lines "qid Q0 docno rank score tag"',
        claim=_claim_of(RUN_LINES),
        read=_source_itself,
        write=_write_run,
        loses=(EMPTY_QUERIES,),
        lines=RUN_LINES,
        trec_eval="trec_results",
        definition="""\
Run format "trec_results". A line for each retrieved document, six fields separated by white space:
    qid Q0 docno rank score tag
Documents are ranked by falling score; those of equal score by falling docno (byte order). Q0 and rank are not
used. The last tag of the file names the run. Lines of a query may stand anywhere. Scores are compared as
{precision}-bit numbers.{comments}
""",
    )
)
TREC_QRELS = register(
    Format(
        "trec",
        QRELS,
        "query, 0, document and grade",
        'lines "qid 0 docno grade"',
        claim=_claim_of(QRELS_LINES),
        read=_source_itself,
        write=write_qrels,
        loses=(EMPTY_QUERIES,),
        lines=QRELS_LINES,
        trec_eval="qrels",
        definition="""\
Judgement format "qrels". A line for each judged document, four fields separated by white space:
    qid iteration docno grade
The grade is a whole number; a negative one says that the document was in the pool but was not judged. The
iteration is not used.{comments}
""",
    )
)
register(
    Format(
        "qrels_jg",
        GROUPED,
        "query, group, document and grade",
        'lines "qid group docno grade"; groups are assessors',
        lines=_GROUP_LINES,
        view=VIEW_JUDGMENT_GROUPS,
        trec_eval="qrels_jg",
        definition="""\
Judgement format "qrels_jg". As qrels, but the second field is the group of assessors ("judgment group") that
the judgement comes from. Each group is evaluated for itself; a query's value is the mean over its groups.{comments}
""",
    )
)
register(
    Format(
        "subtopics",
        GROUPED,
        "query, subtopic, document and grade",
        'lines "qid subtopic docno grade", as ndeval reads them',
        lines=_GROUP_LINES,
        view=VIEW_JUDGMENT_GROUPS,
    )
)
register(
    Format(
        "prefs",
        GROUPED,
        "query, group, sub-group, document and level",
        'lines "qid group sub-group docno level" of preferences',
        lines=_PREFERENCE_LINES,
        view=VIEW_PREFERENCES,
        trec_eval="prefs",
        definition="""\
Judgement format "prefs". A line for each document that an assessor compared with others, five fields:
    qid group sub-group docno level
Within a sub-group, a document is preferred to all with a lower level; 0 is nonrelevant. Preferences of all
sub-groups of a group are closed transitively. Groups are assessors, who may disagree.{comments}
""",
    )
)
register(
    Format(
        "qrels_prefs",
        GROUPED,
        "query, group, document and level",
        'lines "qid group docno level" of preferences',
        lines=_LEVEL_LINES,
        view=VIEW_PREFERENCES,
        trec_eval="qrels_prefs",
        definition="""\
Judgement format "qrels_prefs". As qrels, but the second field is a group of assessors and the grade is a level
of preference (a real number): every document is preferred to all of its group with a lower level.{comments}
""",
    )
)

#: trec_eval's formats by its names.
RUN_FORMATS = {form.trec_eval: form for form in registered(RUN) if form.trec_eval}
JUDGEMENT_FORMATS = {form.trec_eval: form for form in registered(QRELS, GROUPED) if form.trec_eval}
#: The lines of these formats, by trec_eval's names of judgements, "run" and "run by rank".
LINES = {
    "run": RUN_LINES,
    "run by rank": LINES_BY_RANK,
    **{name: form.lines for name, form in JUDGEMENT_FORMATS.items() if form.lines is not None},
}
