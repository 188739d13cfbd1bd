"""The names of problems, as inputs/problems.py words them."""

_NAMES = {
    READ_FAILED: "read-failed",
    NUL_BYTE: "nul-byte",
    CR_LINE_ENDS: "cr-line-ends",
    LINE_TOO_LONG: "line-too-long",
    FIELD_COUNT: "field-count",
    SCORE_NOT_NUMBER: "score-not-number",
    SCORE_NOT_FINITE: "score-not-finite",
    GRADE_NOT_INTEGER: "grade-not-integer",
    GRADE_TOO_LARGE: "grade-too-large",
    NOT_UTF8: "not-utf8",
    BYTE_ORDER_MARK: "byte-order-mark",
    BLANK_LINE: "blank-line",
    COMMENT_LINE: "comment-line",
    WHITE_SPACE: "white-space",
    CRLF_LINE_ENDS: "crlf-line-ends",
    NO_FINAL_NEWLINE: "no-final-newline",
    RANK_NOT_INTEGER: "rank-not-integer",
    SECOND_FIELD: "second-field",
    SEVERAL_TAGS: "several-tags",
    WRONG_TAG: "wrong-tag",
    NEGATIVE_GRADE: "negative-grade",
    DUPLICATE_DOCUMENT: "duplicate-document",
    RANK_CONTRADICTS_SCORE: "rank-contradicts-score",
    RANK_SEQUENCE: "rank-sequence",
    SCORES_OUT_OF_ORDER: "scores-out-of-order",
    TIED_SCORES: "tied-scores",
    TIE_ACROSS_CUTOFF: "tie-across-cutoff",
    SINGLE_PRECISION_TIES: "single-precision-ties",
    TOO_MANY_DOCUMENTS: "too-many-documents",
    TOO_FEW_DOCUMENTS: "too-few-documents",
    EQUAL_JUDGEMENTS: "equal-judgements",
    CONFLICTING_JUDGEMENTS: "conflicting-judgements",
    NO_RELEVANT_DOCUMENT: "no-relevant-document",
    UNKNOWN_DOCUMENT: "unknown-document",
    SCATTERED_QUERY: "scattered-query",
}

#: Of all kinds that a file's lines and queries may have.
PROBLEM_NAMES = tuple(_NAMES[kind] for kind in range(NUL_BYTE, N_KINDS))


cdef str problem_name(ProblemKind kind):
    return _NAMES[kind]
