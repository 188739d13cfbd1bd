"""Cascade measures: the user goes down the ranking until a document satisfies."""

from libc.math cimport ldexp
from libc.stdint cimport int64_t

from treckon._native.ranking cimport Kernel, Params, Ranking
from treckon.measures.ratio cimport ratio

from treckon.measures.example_queries import GRADED, NOTHING_RELEVANT
from treckon.measures.parameters import INT, JUDGED_ONLY_ARGUMENT, Argument, Arguments
from treckon.measures.registry import (
    BOUNDED, GROWS_WITH_CUTOFF, IGNORES_LEVEL, MONOTONE, PERFECT_IS_1, Example, MeasureRecord, register,
)

CHAPELLE = "Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, CIKM 2009"


ctypedef struct Cascade:
    int64_t max_rel
    double looking     # chance that the user comes to the next document
    double total


cdef inline Cascade start(const Params *params) noexcept nogil:
    cdef Cascade cascade
    cascade.max_rel = <int64_t> params.reals[0] if params.reals[0] > 0.0 else params.highest_grade
    cascade.looking = 1.0
    cascade.total = 0.0
    return cascade


cdef inline void look_at(Cascade *cascade, int64_t rank, int64_t grade) noexcept nogil:
    # A document satisfies with chance (2^grade - 1) / 2^max_rel.
    cdef int64_t up_to_max = min(grade, cascade.max_rel)
    cdef double chance = ldexp(1.0, up_to_max - cascade.max_rel) - ldexp(1.0, -cascade.max_rel)
    cascade.total += cascade.looking * chance / <double> rank
    cascade.looking *= 1.0 - chance


# ERR@c = sum over k <= c of (1/k) R(k) product over i < k of (1 - R(i)), R(k) = (2^grade(k) - 1) / 2^(highest grade)
# Chapelle, Metzler, Zhang and Grinspan, CIKM 2009
cdef double expected_reciprocal_rank(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef Cascade cascade = start(params)
    cdef int64_t i
    for i in range(ranking.n_hits):
        if ranking.hits[i].rank > params.cutoff:
            break
        if ranking.hits[i].grade > 0:
            look_at(&cascade, ranking.hits[i].rank, ranking.hits[i].grade)
    return cascade.total


# The same of all judged documents by falling grade; ends where nothing is left that could count.
cdef double ideal_expected_reciprocal_rank(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef Cascade cascade = start(params)
    cdef int64_t rank = 0, last, i
    for i in range(ranking.n_grades):
        last = min(rank + ranking.grades[i].count, params.cutoff)
        while rank < last and cascade.looking > 0.0 and ranking.grades[i].grade > 0:
            rank += 1
            look_at(&cascade, rank, ranking.grades[i].grade)
    return cascade.total


# nERR@c = ERR@c / ERR@c of the ideal ranking
cdef double normalised_expected_reciprocal_rank(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(expected_reciprocal_rank(ranking, params), ideal_expected_reciprocal_rank(ranking, params))


MAX_REL = Argument("max_rel", INT, 0, "highest grade of the scale; 0: the highest in the qrels", lowest=0, highest=1000)

register(MeasureRecord(
    name="ERR",
    title="Expected reciprocal rank",
    definition="""
        ERR@k = the sum over ranks i = 1..k of (1/i) * S(i) * (1 - S(1)) * ... * (1 - S(i-1)): the mean of
        1/rank of the document that satisfies a user who goes down the ranking, where a document of grade g
        does with the chance S = (2^g - 1) / 2^max_rel. max_rel is the highest grade of the scale; if not
        given, the highest in the qrels, all queries together. gdeval always takes 4: max_rel=4. Higher
        grades count as max_rel. Documents without a judgement never satisfy. Below 1 even for a perfect
        ranking (nERR reaches it). 0 where no grade above 0 is retrieved.
    """,
    source=CHAPELLE,
    aliases=("err",),
    kernel=Kernel.of(expected_reciprocal_rank),
    parameter_kind=Arguments(MAX_REL, JUDGED_ONLY_ARGUMENT, at="cutoff"),
    since=None,
    traits=(BOUNDED, MONOTONE, GROWS_WITH_CUTOFF, IGNORES_LEVEL),
    examples=lambda: (
        Example(
            *GRADED, "ERR", 0.462891,
            "S = 3/8, 1/8 and 7/8 at ranks 1, 4 and 7: 3/8 + 5/8 * (1/8)/4 + 5/8 * 7/8 * (7/8)/7",
        ),
        Example(*GRADED, "ERR(max_rel=4)@5", 0.200195, "S = 3/16 and 1/16: 3/16 + 13/16 * (1/16)/4"),
        Example(*NOTHING_RELEVANT, "ERR@10", 0.0, "no grade above 0"),
    ),
))

register(MeasureRecord(
    name="nERR",
    title="Normalised expected reciprocal rank",
    definition="""
        nERR@k = ERR@k / (ERR@k of all judged documents of the query by falling grade). max_rel is the
        highest grade of the scale; if not given, the highest in the qrels, all queries together.
        Documents without a judgement never satisfy. 0 where no judged document has a grade above 0.
    """,
    source=CHAPELLE,
    aliases=("nerr",),
    kernel=Kernel.of(normalised_expected_reciprocal_rank),
    parameter_kind=Arguments(MAX_REL, JUDGED_ONLY_ARGUMENT, at="cutoff"),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "nERR@1", 0.428571, "(3/8) / (7/8)"),
        Example(*GRADED, "nERR", 0.512144, "0.462891 / (7/8 + 1/8 * (3/8)/2 + 5/64 * (1/8)/3 + 35/512 * (1/8)/4)"),
    ),
))
