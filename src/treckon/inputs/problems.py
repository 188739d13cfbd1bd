"""The kinds of problem that a run or qrels may have: their names, severities, words and meanings, in one table."""

from __future__ import annotations

from treckon.inputs.lines import CR_ALONE
from treckon.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treckon._native.line_formats import LineFormat

ERROR, WARNING, NOTE = SEVERITIES = ("error", "warning", "note")


class ProblemKind(Record):
    """A kind of problem.

    name:     by which users call it
    severity: "error" (it can't be evaluated, or not as it is meant), "warning" (tools differ in what they make of it,
              or it is probably a mistake) or "note" (worth knowing)
    wording:  what to say of one place, with {detail}, {other}, {number}, {expected} and {tag} of it, and {fields},
              {value} (the name of its field) and {longest} (MiB of a line) of the format
    meaning:  what it is, and what comes of it
    """

    name: str
    severity: str
    wording: str
    meaning: str


#: By name, in the order in which they are reported.
ALL_KINDS = {
    kind.name: kind
    for kind in (
        ProblemKind(
            "nul-byte", ERROR, "expected text, found a NUL byte",
            "A line with a NUL byte: no text, or text of another encoding, such as UTF-16. It is passed over here; "
            "trec_eval crashes.",
        ),
        ProblemKind(
            "cr-line-ends", ERROR, CR_ALONE,
            "Lines that end with CR alone: trec_eval takes all of them for one.",
        ),
        ProblemKind(
            "line-too-long", ERROR, "expected a line of at most {longest} MiB, found a longer one",
            "A line of more than 64 MiB. It is passed over here.",
        ),
        ProblemKind(
            "field-count", ERROR, "expected {expected} fields ({fields}), found {number}",
            "A line with too few fields, or too many. trec_eval stops at it, except that it passes over what follows "
            "the sixth field of a run.",
        ),
        ProblemKind(
            "not-utf8", WARNING, "expected UTF-8, found other bytes",
            "A line that is no UTF-8. trec_eval compares bytes; other tools stop, or change the ids.",
        ),
        ProblemKind(
            "byte-order-mark", WARNING, "expected no byte-order mark, found one",
            "A byte-order mark begins the file. trec_eval takes it for a part of the first query's id.",
        ),
        ProblemKind(
            "blank-line", WARNING, "expected a record, found a blank line",
            "A blank line. trec_eval passes over it in a run and stops at it in qrels.",
        ),
        ProblemKind(
            "comment-line", WARNING, "expected a record, found a comment",
            "A line that begins with '#'. trec_eval passes over it from 10.0 on and takes it for a record before.",
        ),
        ProblemKind(
            "white-space", NOTE, "expected fields separated by spaces or TABs, found other white space",
            "VT, FF or CR within a line. To trec_eval they separate fields; to other tools perhaps not.",
        ),
        ProblemKind("crlf-line-ends", NOTE, "expected LF, found CR LF", "Lines that end with CR LF."),
        ProblemKind(
            "no-final-newline", NOTE, "expected LF at the end of the file, found none",
            "The last line doesn't end: the file may have been cut off.",
        ),
        ProblemKind(
            "no-records", ERROR, "expected records, found none",
            "A file of blank lines, comments and broken lines.",
        ),
        ProblemKind(
            "score-not-number", ERROR, "expected a number as {value}, found '{detail}'",
            "A score that is no number to its end. trec_eval reads it up to the first character that is no part of "
            "one, without a word: 'abc' is 0, and so is '0,9'.",
        ),
        ProblemKind(
            "score-not-finite", ERROR, "expected a finite number as score, found '{detail}'",
            "A score that is NaN or infinite, or too large. NaN has no place in an order.",
        ),
        ProblemKind(
            "rank-not-integer", ERROR, "expected a whole number as rank, found '{detail}'",
            "A rank that is no whole number; where the fields are shifted, the first to notice.",
        ),
        ProblemKind(
            "second-field", NOTE, "expected Q0 as second field, found another",
            "The second field, which nobody reads, is neither Q0 nor 0.",
        ),
        ProblemKind(
            "several-tags", WARNING, "expected '{tag}' as tag, as on the first line, found '{detail}'",
            "Lines with another tag than the first: several runs in one file, or a tag with spaces.",
        ),
        ProblemKind(
            "wrong-tag", ERROR, "expected '{tag}' as tag, found '{detail}'",
            "A line without the requested tag.",
        ),
        ProblemKind(
            "duplicate-document", ERROR,
            "expected each document once for a query, found '{detail}' on line {other} too",
            "A document that a query lists again. trec_eval stops.",
        ),
        ProblemKind(
            "rank-contradicts-score", WARNING,
            "expected a score no higher than at rank {expected} (line {other}), found a higher one at rank {number}",
            "A score that is higher than at the rank before. trec_eval orders by score; tools that order by rank see "
            "another ranking.",
        ),
        ProblemKind(
            "rank-sequence", WARNING, "expected rank {expected} next, found {number}",
            "A query's ranks are not 1, 2, 3, ... nor 0, 1, 2, ...; once a query.",
        ),
        ProblemKind(
            "scores-out-of-order", NOTE, "expected a score no higher than on line {other}, found a higher one",
            "A query's lines are not in the order of the scores. Tools that keep the lines' order see another ranking; "
            "once a query.",
        ),
        ProblemKind(
            "tied-scores", NOTE, "expected scores that differ, found the score of line {other} again",
            "A query has documents with the same score. trec_eval orders them by falling document id, other tools in "
            "other ways; once a query.",
        ),
        ProblemKind(
            "tie-across-cutoff", WARNING,
            "expected a lower score behind rank {number}, found the score of line {other} again",
            "Documents with the same score lie on both sides of a cutoff: which of them are cut off depends on the "
            "tool; once a query and cutoff.",
        ),
        ProblemKind(
            "single-precision-ties", NOTE, "expected a score that differs in 32 bits, found that of line {other} again",
            "A query has different scores that are the same as numbers of 32 bits: they tie in trec_eval 9.0.8, and "
            "only there; once a query.",
        ),
        ProblemKind(
            "too-many-documents", ERROR, "expected at most {expected} documents, found {number}",
            "A query with more documents than requested.",
        ),
        ProblemKind(
            "too-few-documents", WARNING, "expected {expected} documents, found {number}",
            "A query with fewer documents than requested.",
        ),
        ProblemKind(
            "grade-not-integer", ERROR, "expected a whole number as grade, found '{detail}'",
            "A grade that is no whole number to its end. trec_eval reads it up to the first other character, without "
            "a word: '0.9' is 0.",
        ),
        ProblemKind(
            "grade-too-large", ERROR, "expected a grade of at most 32 bits, found '{detail}'",
            "A grade of more than 32 bits.",
        ),
        ProblemKind(
            "negative-grade", NOTE, "expected a grade from 0, found {number}",
            "A negative grade: to trec_eval the document is in the pool but not judged.",
        ),
        ProblemKind(
            "equal-judgements", ERROR,
            "expected one judgement, found '{detail}' with the same grade on line {other} too",
            "A judgement listed again with the same grade. trec_eval stops.",
        ),
        ProblemKind(
            "conflicting-judgements", ERROR,
            "expected one judgement, found '{detail}' with grade {number}, and with {expected} on line {other}",
            "A document with different grades for one query. trec_eval stops.",
        ),
        ProblemKind(
            "no-relevant-document", WARNING, "expected a grade above 0, found none",
            "A query without a relevant document. Its values are 0, and count in the means.",
        ),
        ProblemKind(
            "unknown-document", ERROR, "expected a document of the collection, found '{detail}'",
            "A document that the collection lacks.",
        ),
        ProblemKind(
            "scattered-query", WARNING, "expected the lines of a query together, found some from line {other} on",
            "The lines of a query lie apart. trec_eval gathers them; other tools keep the last part only.",
        ),
        ProblemKind(
            "missing-query", WARNING, "expected the query, found no line of it",
            "A query of the topics, or of the qrels where no topics are given, that the file lacks.",
        ),
        ProblemKind(
            "extra-query", WARNING, "expected a query of the topics, found another",
            "A query that the topics lack.",
        ),
        ProblemKind(
            "unjudged-query", NOTE, "expected a judged query, found one that the qrels lack",
            "A query that the qrels lack: it isn't evaluated.",
        ),
    )
}  # fmt: skip


def wording(
    kind: str,
    form: LineFormat,
    *,
    detail: str = "",
    other: int = 0,
    number: int = 0,
    expected: int = 0,
    tag: str | None = None,
) -> str:
    """What was expected and found at one place."""
    return ALL_KINDS[kind].wording.format(
        detail=detail,
        other=other,
        number=number,
        expected=expected,
        tag=tag,
        fields=" ".join(form.fields),
        value=form.fields[form.value],
        longest=form.longest_line >> 20,
    )
