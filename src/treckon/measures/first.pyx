"""The first relevant document."""

from libc.stdint cimport int64_t

from treckon._native.ranking cimport Kernel, Params, Ranking

from treckon.measures.example_queries import GRADED, NOTHING_RELEVANT, SECOND
from treckon.registry import BOUNDED, MONOTONE, PERFECT_IS_1, Example, Measure, register


# 1 / rank of the first relevant document
# Voorhees, The TREC-8 Question Answering Track Report, TREC 1999
cdef double reciprocal_rank(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int64_t i
    for i in range(ranking.n_hits):
        if ranking.hits[i].rank > params.cutoff:
            break
        if ranking.hits[i].grade >= ranking.level:
            return 1.0 / <double> ranking.hits[i].rank
    return 0.0


register(Measure(
    name="recip_rank",
    title="Reciprocal rank",
    definition="""
        1 / (rank of the first relevant document), 0 where none is retrieved. The mean over queries is
        known as MRR. Unjudged documents count as nonrelevant and keep their ranks; with -J they are taken
        out and the ranks close up.
    """,
    source="Voorhees, The TREC-8 Question Answering Track Report, TREC 1999",
    kernel=Kernel.of(reciprocal_rank),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=(
        Example(*GRADED, "recip_rank", 1.0, "the first document is relevant"),
        Example(*SECOND, "recip_rank", 0.5, "a is at rank 2, below an unjudged document: 1/2"),
        Example(*SECOND, "recip_rank", 1.0, "without z, a is at rank 1", options=("-J",)),
        Example(*NOTHING_RELEVANT, "recip_rank", 0.0, "nothing is relevant"),
    ),
))
