"""The first relevant document."""

from libc.stdint cimport int64_t

from treckon._native.ranking cimport Kernel, Params, Ranking
from treckon.measures.ties cimport TieGroup, first_group, last_rank, next_group

from treckon.measures.example_queries import GRADED, NOTHING_RELEVANT, SECOND
from treckon.measures.parameters import JUDGED_ONLY_ARGUMENT, REL_ARGUMENT, Arguments
from treckon.measures.registry import (
    BOUNDED, GROWS_WITH_CUTOFF, MONOTONE, PERFECT_IS_1, Example, MeasureRecord, register,
)


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


# E 1 / rank: in the first group of ties with relevant documents, m of n, the first of them is at the group's i-th rank
# with probability m / (n - i + 1) * product over j < i of (1 - m / (n - j + 1))
# McSherry and Najork, ECIR 2008
cdef double mean_reciprocal_rank(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef TieGroup group = first_group()
    cdef double total = 0.0, none_yet = 1.0, chance
    cdef int64_t i
    while group.n_rel == 0 and next_group(ranking, last_rank(ranking, params.cutoff), &group):
        pass
    if group.n_rel == 0:
        return 0.0
    for i in range(min(group.n_looked, group.n - group.n_rel + 1)):
        chance = <double> group.n_rel / <double> (group.n - i)
        total += none_yet * chance / <double> (group.first + i)
        none_yet *= 1.0 - chance
    return total


register(MeasureRecord(
    name="recip_rank",
    field_name="RR",
    title="Reciprocal rank",
    definition="""
        1 / (rank of the first relevant document), 0 where none is retrieved. The mean over queries is
        known as MRR. Unjudged documents count as nonrelevant and keep their ranks; with -J they are taken
        out and the ranks close up.
    """,
    source="Voorhees, The TREC-8 Question Answering Track Report, TREC 1999",
    kernel=Kernel.of(reciprocal_rank),
    expected=Kernel.of(mean_reciprocal_rank),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "recip_rank", 1.0, "the first document is relevant"),
        Example(*SECOND, "recip_rank", 0.5, "a is at rank 2, below an unjudged document: 1/2"),
        Example(*SECOND, "recip_rank", 1.0, "without z, a is at rank 1", options=("-J",)),
        Example(*NOTHING_RELEVANT, "recip_rank", 0.0, "nothing is relevant"),
    ),
))

register(MeasureRecord(
    name="RR",
    title="Reciprocal rank",
    definition="""
        RR@k = 1 / (rank of the first relevant document), 0 where none is at ranks 1..k; without a cutoff,
        where none is retrieved. Unjudged documents count as nonrelevant and keep their ranks.
        The mean over queries is known as MRR.
    """,
    source="Voorhees, The TREC-8 Question Answering Track Report, TREC 1999",
    aliases=("MRR", "mrr", "rr"),
    kernel=Kernel.of(reciprocal_rank),
    expected=Kernel.of(mean_reciprocal_rank),
    parameter_kind=Arguments(REL_ARGUMENT, JUDGED_ONLY_ARGUMENT, at="cutoff"),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, GROWS_WITH_CUTOFF),
    examples=lambda: (
        Example(*SECOND, "RR", 0.5, "a is at rank 2, below an unjudged document: 1/2"),
        Example(*SECOND, "RR@1", 0.0, "no relevant document at rank 1"),
        Example(*SECOND, "RR(judged_only=True)@1", 1.0, "without z, a is at rank 1"),
        Example("a=1 b=2", "x a b", "RR(rel=2)", 0.333333, "b is the first document of grade 2: 1/3"),
    ),
))
