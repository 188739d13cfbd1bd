"""Measures whose value is a text."""

from libc.stdint cimport int64_t
from libc.string cimport memset

from treckon._native.ranking cimport UNJUDGED, Kernel, Params, Ranking

from treckon.measures.example_queries import GRADED, NOTHING_RELEVANT
from treckon.measures.parameters import Reals
from treckon.measures.registry import IGNORES_LEVEL, TEXT, Example, MeasureRecord, register


# a character for each of the first trunc(length) documents
cdef int64_t relevance_string(const Ranking *ranking, const Params *params, char *text) noexcept nogil:
    cdef double asked = params.reals[0]
    cdef int64_t length = ranking.n_ret, i
    cdef int grade
    if not asked >= 1.0:
        return 0
    if asked < <double> length:
        length = <int64_t> asked
    memset(text, c"-", length)
    for i in range(ranking.n_hits):
        if ranking.hits[i].rank > length:
            break
        grade = ranking.hits[i].grade
        text[ranking.hits[i].rank - 1] = c"." if grade == UNJUDGED else c">" if grade > 9 else <char> (c"0" + grade)
    return length


register(MeasureRecord(
    name="relstring",
    title="Grades of the first documents as a text",
    definition="""
        A character for each of the first 10 documents, or of as many as the parameter says: its grade
        where that is from 0 to 9, '>' for a higher one, '.' for a document with a negative grade in the
        qrels, '-' for one that is not in the qrels. Printed in single quotes and for each query only.
        Empty where nothing is retrieved. -l has no effect.
    """,
    source="Buckley, trec_eval 9",
    kernel=Kernel.of_text(relevance_string),
    parameter_kind=Reals(10.0),
    value_type=TEXT,
    summary=False,
    traits=(IGNORES_LEVEL,),
    examples=lambda: (
        Example(*GRADED, "relstring", "2-01.03", "a, x (not in the qrels), c, b, u (not judged), e, d"),
        Example(*GRADED, "relstring_2.9", "2-", "the length is cut to a whole number"),
        Example("a=11 b=9 u=-1", "a b u z", "relstring", ">9.-", "11 has two digits"),
        Example(*NOTHING_RELEVANT, "relstring", "0-", "c, and y, which is not in the qrels"),
    ),
))
