"""Kinds of problem that a run or qrels may have."""

cdef enum ProblemKind:
    NO_PROBLEM
    # What stops every reader.
    READ_FAILED            # `found` is errno
    OUT_OF_MEMORY
    # Of lines, as the scanner tells its sink: who evaluates stops at the first of these that makes a line useless.
    NUL_BYTE
    CR_LINE_ENDS
    LINE_TOO_LONG
    FIELD_COUNT            # `found` fields
    SCORE_NOT_NUMBER       # or level; `found`: what its start says is NaN
    SCORE_NOT_FINITE       # or level; `found`: it is NaN
    GRADE_NOT_INTEGER      # `found`: what its start says is too large
    GRADE_TOO_LARGE
    # The same, told only where the scanner is thorough.
    NOT_UTF8
    BYTE_ORDER_MARK
    BLANK_LINE
    COMMENT_LINE
    WHITE_SPACE
    CRLF_LINE_ENDS
    NO_FINAL_NEWLINE
    RANK_NOT_INTEGER
    SECOND_FIELD
    SEVERAL_TAGS
    WRONG_TAG
    NEGATIVE_GRADE         # `found`
    # Of queries.
    DUPLICATE_DOCUMENT
    RANK_CONTRADICTS_SCORE
    RANK_SEQUENCE
    SCORES_OUT_OF_ORDER
    TIED_SCORES
    TIE_ACROSS_CUTOFF
    SINGLE_PRECISION_TIES
    TOO_MANY_DOCUMENTS
    TOO_FEW_DOCUMENTS
    EQUAL_JUDGEMENTS
    CONFLICTING_JUDGEMENTS
    NO_RELEVANT_DOCUMENT
    UNKNOWN_DOCUMENT
    SCATTERED_QUERY
    N_KINDS


cdef str problem_name(ProblemKind kind)
