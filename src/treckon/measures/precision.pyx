"""Precision and recall: how many of the documents looked at are relevant, how many of the relevant were found."""

from libc.math cimport trunc

from treckon._native.ranking cimport Kernel, Params, Ranking, n_rel_at
from treckon.measures.ratio cimport ratio

from treckon.measures.example_queries import GRADED, GROUPS, NOTHING_RELEVANT, SECOND, SHORT
from treckon.params import TREC_CUTOFFS, Cutoffs, RealCutoffs, Reals
from treckon.registry import (
    BOUNDED, GROWS_WITH_CUTOFF, IGNORES_ORDER, MONOTONE, PERFECT_IS_1, VIEW_JUDGMENT_GROUPS,
    Example, Measure, register,
)

KENT = "Kent, Berry, Luehrs and Perry, Machine literature searching VIII, American Documentation 6(2), 1955"
TREC_EVAL = "Buckley and Voorhees, Retrieval System Evaluation, in: TREC, MIT Press, 2005"
MULTIPLES = RealCutoffs(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


# P@c = relevant documents among the first c / c
# Kent, Berry, Luehrs and Perry, American Documentation 6(2), 1955
cdef double precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> n_rel_at(ranking, params.cutoff), <double> params.cutoff)


register(Measure(
    name="P",
    title="Precision at a cutoff",
    definition="""
        P_c = (relevant documents at ranks 1..c) / c. The divisor is c even where fewer documents were
        retrieved: missing ranks count as nonrelevant, and so do unjudged documents.
        0 where nothing is relevant.
    """,
    source=KENT,
    kernel=Kernel.of(precision),
    parameters=TREC_CUTOFFS,
    traits=(BOUNDED, MONOTONE),
    examples=(
        Example(*GRADED, "P_5", 0.4, "a and b are relevant among the first five: 2/5"),
        Example(*GRADED, "P_10", 0.3, "three of seven retrieved are relevant, but the divisor stays 10: 3/10"),
        Example(*SHORT, "P_2", 1.0, "r1 and r2: 2/2"),
        Example(*NOTHING_RELEVANT, "P_5", 0.0, "nothing is relevant"),
    ),
))

register(Measure(
    name="P_avgjg",
    title="Precision at a cutoff, mean over groups of assessors",
    definition="""
        P_c for the qrels of each group of assessors, then the mean over the groups of the query.
        A group that found nothing relevant counts with 0; a document that a group did not judge is
        nonrelevant for it. -l, -M and -J act on each group by itself.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(precision),
    parameters=TREC_CUTOFFS,
    view=VIEW_JUDGMENT_GROUPS,
    traits=(BOUNDED,),
    examples=(
        Example(*GROUPS, "P_avgjg_2", 0.166667, "1/2, 0/2 and 0/2: (0.5 + 0 + 0) / 3"),
        Example(*GROUPS, "P_avgjg_5", 0.133333, "1/5 (a), 1/5 (d) and 0: (0.2 + 0.2 + 0) / 3"),
        Example(
            *GROUPS, "P_avgjg_5", 0.066667, "only the first group has a document of grade 2: (0.2 + 0 + 0) / 3",
            level=2, options=("-J",),
        ),
    ),
))


# recall@c = relevant documents among the first c / R
# Kent, Berry, Luehrs and Perry, American Documentation 6(2), 1955
cdef double recall(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> n_rel_at(ranking, params.cutoff), <double> ranking.n_rel)


register(Measure(
    name="recall",
    title="Recall at a cutoff",
    definition="""
        recall_c = (relevant documents at ranks 1..c) / R, R the number of relevant documents in the
        qrels. 0 where R is 0. Unjudged documents count as nonrelevant; a run shorter than c is taken as
        it is. At a cutoff below R the value cannot reach 1 (relative_P can).
    """,
    source=KENT,
    kernel=Kernel.of(recall),
    parameters=TREC_CUTOFFS,
    traits=(BOUNDED, MONOTONE, GROWS_WITH_CUTOFF),
    examples=(
        Example(*GRADED, "recall_5", 0.5, "a and b of R = 4: 2/4"),
        Example(*SHORT, "recall_2", 0.285714, "r1 and r2 of R = 7: 2/7"),
        Example(*NOTHING_RELEVANT, "recall_5", 0.0, "R = 0"),
    ),
))

register(Measure(
    name="set_recall",
    title="Recall of the set retrieved",
    definition="""
        (relevant documents retrieved) / R, whatever their order. 0 where R is 0.
        Unjudged documents count as nonrelevant.
    """,
    source=KENT,
    kernel=Kernel.of(recall),
    traits=(BOUNDED, PERFECT_IS_1, IGNORES_ORDER),
    examples=(
        Example(*GRADED, "set_recall", 0.75, "a, b and d of R = 4: 3/4"),
        Example(*SHORT, "set_recall", 0.714286, "5 of R = 7"),
        Example(*GRADED, "set_recall", 1.0, "a and d, all that reach level 2", level=2),
    ),
))


# relevant documents among the first c / min(c, R)
cdef double relative_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> n_rel_at(ranking, params.cutoff), <double> min(params.cutoff, ranking.n_rel))


register(Measure(
    name="relative_P",
    title="Precision at a cutoff, relative to the best possible",
    definition="""
        relative_P_c = (relevant documents at ranks 1..c) / min(c, R): precision where c <= R, recall
        where c >= R, also known as capped recall. 0 where R is 0. Unjudged documents and the missing
        ranks of a short run count as nonrelevant.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(relative_precision),
    parameters=TREC_CUTOFFS,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=(
        Example(*GRADED, "relative_P_5", 0.5, "2 / min(5, 4)"),
        Example(*SHORT, "relative_P_2", 1.0, "2 / min(2, 7)"),
        Example(*SHORT, "relative_P_5", 0.8, "4 / min(5, 7)"),
    ),
))


# 1 if a relevant document is among the first c, else 0
# Craswell, Hawking, Wilkinson and Wu, Overview of the TREC 2003 Web Track, TREC 2003
cdef double success(const Ranking *ranking, const Params *params) noexcept nogil:
    return 1.0 if n_rel_at(ranking, params.cutoff) > 0 else 0.0


register(Measure(
    name="success",
    title="Success at a cutoff (hit rate)",
    definition="""
        success_c = 1 if at least one relevant document is at ranks 1..c, else 0.
        0 where nothing is relevant. Unjudged documents count as nonrelevant.
    """,
    source="Craswell, Hawking, Wilkinson and Wu, Overview of the TREC 2003 Web Track, TREC 2003",
    kernel=Kernel.of(success),
    parameters=Cutoffs(1, 5, 10),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, GROWS_WITH_CUTOFF),
    examples=(
        Example(*SECOND, "success_1", 0.0, "the first document, z, is unjudged"),
        Example(*SECOND, "success_5", 1.0, "a, at rank 2, is relevant"),
    ),
))


# relevant documents among the first R / R
cdef double r_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> n_rel_at(ranking, ranking.n_rel), <double> ranking.n_rel)


register(Measure(
    name="Rprec",
    title="R-precision",
    definition="""
        Precision at rank R, R the number of relevant documents in the qrels:
        (relevant documents at ranks 1..R) / R. The divisor is R even where fewer documents were
        retrieved. 0 where R is 0. Unjudged documents count as nonrelevant.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(r_precision),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=(
        Example(*GRADED, "Rprec", 0.5, "R = 4; a and b are relevant among the first four: 2/4"),
        Example(*SHORT, "Rprec", 0.714286, "R = 7, though only six were retrieved: 5/7"),
    ),
))


# relevant documents among the first c / c, c = trunc(m R + 0.9)
cdef double r_precision_multiple(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double cutoff = trunc(params.reals[0] * <double> ranking.n_rel + 0.9)
    if not cutoff >= 1.0:
        return 0.0
    if cutoff >= <double> ranking.n_ret:
        return ratio(<double> ranking.n_rel_ret, cutoff)
    return ratio(<double> n_rel_at(ranking, <long long> cutoff), cutoff)


register(Measure(
    name="Rprec_mult",
    title="Precision at multiples of R",
    definition="""
        For each multiple m, precision at the cutoff c = m*R + 0.9 cut to a whole number, R the number of
        relevant documents in the qrels: (relevant documents at ranks 1..c) / c. 0 where c is below 1, so
        where R is 0. Unjudged documents and the missing ranks of a short run count as nonrelevant.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(r_precision_multiple),
    parameters=MULTIPLES,
    traits=(BOUNDED, MONOTONE),
    examples=(
        Example(*GRADED, "Rprec_mult_0.20", 1.0, "R = 4; c = trunc(0.8 + 0.9) = 1, a is relevant: 1/1"),
        Example(*GRADED, "Rprec_mult_1.20", 0.4, "c = trunc(4.8 + 0.9) = 5: 2/5"),
        Example(*GRADED, "Rprec_mult_2.00", 0.375, "c = trunc(8.9) = 8, seven retrieved: 3/8"),
        Example(*SHORT, "Rprec_mult_1.50", 0.454545, "R = 7; c = trunc(10.5 + 0.9) = 11: 5/11"),
        Example(*SHORT, "Rprec_mult_0.30", 0.666667, "c = trunc(2.1 + 0.9) = 3: 2/3"),
    ),
))

register(Measure(
    name="Rprec_mult_avgjg",
    title="Precision at multiples of R, mean over groups of assessors",
    definition="""
        Rprec_mult for the qrels of each group of assessors, each with its own R, then the mean over the
        groups of the query. A group that found nothing relevant counts with 0; a document that a group
        did not judge is nonrelevant for it. -l, -M and -J act on each group by itself.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(r_precision_multiple),
    parameters=MULTIPLES,
    view=VIEW_JUDGMENT_GROUPS,
    traits=(BOUNDED,),
    examples=(
        Example(*GROUPS, "Rprec_mult_avgjg_1.00", 0.277778, "R = 2: 1/2, R = 3: 1/3, R = 0: 0; (1/2 + 1/3 + 0) / 3"),
        Example(*GROUPS, "Rprec_mult_avgjg_2.00", 0.138889, "c = 4: 1/4, c = 6: 1/6, c = 0: 0; (1/4 + 1/6 + 0) / 3"),
    ),
))


# m / n
cdef double set_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> ranking.n_rel_ret, <double> ranking.n_ret)


register(Measure(
    name="set_P",
    title="Precision of the set retrieved",
    definition="""
        (relevant documents retrieved) / (documents retrieved), whatever their order.
        0 where nothing is retrieved or relevant. Unjudged documents count as nonrelevant.
    """,
    source=KENT,
    kernel=Kernel.of(set_precision),
    traits=(BOUNDED, IGNORES_ORDER),
    examples=(
        Example(*GRADED, "set_P", 0.428571, "3 of 7"),
        Example(*GRADED, "set_P", 0.285714, "a and d reach level 2: 2 of 7", level=2),
        Example(*SHORT, "set_P", 0.833333, "5 of 6"),
    ),
))


# m / min(n, R)
cdef double set_relative_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> ranking.n_rel_ret, <double> min(ranking.n_ret, ranking.n_rel))


register(Measure(
    name="set_relative_P",
    title="Precision of the set retrieved, relative to the best possible",
    definition="""
        (relevant documents retrieved) / min(documents retrieved, R), whatever their order.
        0 where nothing is retrieved or relevant. Unjudged documents count as nonrelevant.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(set_relative_precision),
    traits=(BOUNDED, PERFECT_IS_1, IGNORES_ORDER),
    examples=(
        Example(*GRADED, "set_relative_P", 0.75, "3 / min(7, 4)"),
        Example(*SHORT, "set_relative_P", 0.833333, "5 / min(6, 7)"),
    ),
))


# (x + 1) P R' / (x P + R'), P precision, R' recall of the set, x = beta^2
# van Rijsbergen, Information Retrieval, 1979
cdef double set_f(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double found = <double> ranking.n_rel_ret, x = params.reals[0]
    cdef double precision = ratio(found, <double> ranking.n_ret), recall = ratio(found, <double> ranking.n_rel)
    return ratio((x + 1.0) * precision * recall, x * precision + recall)


register(Measure(
    name="set_F",
    title="F measure of the set retrieved",
    definition="""
        (x + 1)*P*R / (x*P + R), P = set_P, R = set_recall. The parameter x is beta squared, not beta:
        1 weighs both alike (the default), 4 gives what is commonly called F2, 0 gives P.
        Only the first number given is used. 0 where nothing relevant is retrieved, and where the divisor
        is 0. Unjudged documents count as nonrelevant.
    """,
    source="van Rijsbergen, Information Retrieval, 2nd edition, Butterworths, 1979",
    kernel=Kernel.of(set_f),
    parameters=Reals(1.0),
    traits=(BOUNDED, IGNORES_ORDER),
    examples=(
        Example(*GRADED, "set_F", 0.545455, "P = 3/7, R = 3/4: 2 * 3/7 * 3/4 / (3/7 + 3/4) = 6/11"),
        Example(*GRADED, "set_F_2", 0.6, "3 * 3/7 * 3/4 / (2 * 3/7 + 3/4)"),
        Example(*GRADED, "set_F", 0.444444, "P = 2/7, R = 2/2: 2 * 2/7 / (2/7 + 1)", level=2),
    ),
))
