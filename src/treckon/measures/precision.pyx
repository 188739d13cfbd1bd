"""Precision and recall: how many of the documents looked at are relevant, how many of the relevant were found."""

from libc.math cimport trunc
from libc.stdint cimport int64_t

from treckon._native.ranking cimport NO_CUTOFF, Kernel, Params, Ranking, n_rel_at
from treckon.measures.ratio cimport ratio
from treckon.measures.ties cimport TieGroup, first_group, last_rank, mean_n_rel_at, next_group

from treckon.measures.example_queries import GRADED, GROUPS, NOTHING_RELEVANT, SECOND, SHORT
from treckon.measures.parameters import (
    BOOL, JUDGED_ONLY_ARGUMENT, REAL, REL_ARGUMENT, TREC_CUTOFFS, Argument, Arguments, Cutoffs, RealCutoffs, Reals,
)
from treckon.measures.registry import (
    BOUNDED, GROWS_WITH_CUTOFF, IGNORES_ORDER, MONOTONE, PERFECT_IS_1, VIEW_JUDGMENT_GROUPS,
    Example, MeasureRecord, register,
)

KENT = "Kent, Berry, Luehrs and Perry, Machine literature searching VIII, American Documentation 6(2), 1955"
RELEVANT = (REL_ARGUMENT, JUDGED_ONLY_ARGUMENT)
TREC_EVAL = "Buckley and Voorhees, Retrieval System Evaluation, in: TREC, MIT Press, 2005"
MULTIPLES = RealCutoffs(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


# P@c = relevant documents among the first c / c
# Kent, Berry, Luehrs and Perry, American Documentation 6(2), 1955
cdef double precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> n_rel_at(ranking, params.cutoff), <double> params.cutoff)


cdef double mean_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(mean_n_rel_at(ranking, params.cutoff), <double> params.cutoff)


register(MeasureRecord(
    name="P",
    field_name="P",
    title="Precision at a cutoff",
    definition="""
        P_c = (relevant documents at ranks 1..c) / c. The divisor is c even where fewer documents were
        retrieved: missing ranks count as nonrelevant, and so do unjudged documents.
        0 where nothing is relevant.
    """,
    source=KENT,
    kernel=Kernel.of(precision),
    expected=Kernel.of(mean_precision),
    parameter_kind=TREC_CUTOFFS,
    traits=(BOUNDED, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "P_5", 0.4, "a and b are relevant among the first five: 2/5"),
        Example(*GRADED, "P_10", 0.3, "three of seven retrieved are relevant, but the divisor stays 10: 3/10"),
        Example(*SHORT, "P_2", 1.0, "r1 and r2: 2/2"),
        Example(*NOTHING_RELEVANT, "P_5", 0.0, "nothing is relevant"),
    ),
))

register(MeasureRecord(
    name="P_avgjg",
    title="Precision at a cutoff, mean over groups of assessors",
    definition="""
        P_c for the qrels of each group of assessors, then the mean over the groups of the query.
        A group that found nothing relevant counts with 0; a document that a group did not judge is
        nonrelevant for it. -l, -M and -J act on each group by itself.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(precision),
    parameter_kind=TREC_CUTOFFS,
    view=VIEW_JUDGMENT_GROUPS,
    traits=(BOUNDED,),
    examples=lambda: (
        Example(*GROUPS, "P_avgjg_2", 0.166667, "1/2, 0/2 and 0/2: (0.5 + 0 + 0) / 3"),
        Example(*GROUPS, "P_avgjg_5", 0.133333, "1/5 (a), 1/5 (d) and 0: (0.2 + 0.2 + 0) / 3"),
        Example(
            *GROUPS, "P_avgjg_5", 0.066667, "only the first group has a document of grade 2: (0.2 + 0 + 0) / 3",
            level=2, options=("-J",),
        ),
    ),
))


cdef inline int64_t size_looked_at(const Ranking *ranking, const Params *params) noexcept nogil:
    # c; with the option `adaptive` (the first of the measure's own) the number of documents there, if that is less
    return last_rank(ranking, params.cutoff) if params.reals[0] else params.cutoff


# m(c): relevant documents among the first c
cdef double n_hits(const Ranking *ranking, const Params *params) noexcept nogil:
    return <double> n_rel_at(ranking, params.cutoff)


cdef double mean_n_hits(const Ranking *ranking, const Params *params) noexcept nogil:
    return mean_n_rel_at(ranking, params.cutoff)


cdef double adaptive_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> n_rel_at(ranking, params.cutoff), <double> size_looked_at(ranking, params))


cdef double mean_adaptive_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(mean_n_rel_at(ranking, params.cutoff), <double> size_looked_at(ranking, params))


register(MeasureRecord(
    name="P",
    title="Precision at a cutoff",
    definition="""
        P@k = (relevant documents at ranks 1..k) / k. The divisor is k even where fewer documents were
        retrieved: missing ranks count as nonrelevant, and so do unjudged documents. With adaptive=True it
        is the number of documents at ranks 1..k. 0 where nothing is relevant.
    """,
    source=KENT,
    aliases=("Precision", "precision"),
    kernel=Kernel.of(adaptive_precision),
    expected=Kernel.of(mean_adaptive_precision),
    parameter_kind=Arguments(
        *RELEVANT,
        Argument("adaptive", BOOL, False, "the divisor is the number retrieved where that is below the cutoff"),
        at="cutoff",
        at_required=True,
    ),
    since=None,
    traits=(BOUNDED, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "P@5", 0.4, "a and b are relevant among the first five: 2/5"),
        Example(*GRADED, "P@10", 0.3, "three of seven retrieved are relevant, but the divisor stays 10: 3/10"),
        Example(*GRADED, "P(adaptive=True)@10", 0.428571, "3/7"),
        Example(*GRADED, "P(rel=2, judged_only=True)@2", 0.5, "a is the one of grade 2 among a and c: 1/2"),
    ),
))

register(MeasureRecord(
    name="Hits",
    title="Relevant documents found",
    definition="""
        Hits@k = the number of relevant documents at ranks 1..k; without a cutoff, of all retrieved
        documents. The mean over queries is their mean number.
    """,
    source=KENT,
    aliases=("hits",),
    kernel=Kernel.of(n_hits),
    expected=Kernel.of(mean_n_hits),
    parameter_kind=Arguments(*RELEVANT, at="cutoff"),
    since=None,
    traits=(MONOTONE, GROWS_WITH_CUTOFF),
    examples=lambda: (
        Example(*GRADED, "Hits@5", 2.0, "a and b"),
        Example(*GRADED, "Hits(rel=2)", 2.0, "a and d"),
        Example(*NOTHING_RELEVANT, "Hits", 0.0, "nothing is relevant"),
    ),
))


# nonrelevant documents among the first c / nonrelevant documents retrieved
cdef double fall_out(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double nonrel = <double> (last_rank(ranking, params.cutoff) - n_rel_at(ranking, params.cutoff))
    return ratio(nonrel, <double> (ranking.n_ret - ranking.n_rel_ret))


register(MeasureRecord(
    name="FallOut",
    title="Fall-out at a cutoff",
    definition="""
        FallOut@k = (nonrelevant documents at ranks 1..k) / (nonrelevant documents retrieved): the lower
        the better. The documents retrieved stand for the collection, as where a run ranks every candidate.
        Unjudged documents count as nonrelevant. 0 where every document retrieved is relevant.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(fall_out),
    parameter_kind=Arguments(*RELEVANT, at="cutoff", at_required=True),
    since=None,
    traits=(BOUNDED, GROWS_WITH_CUTOFF),
    examples=lambda: (
        Example(*GRADED, "FallOut@3", 0.5, "x and c of x, c, u and e: 2/4"),
        Example(*SHORT, "FallOut@2", 0.0, "both are relevant"),
    ),
))


# recall@c = relevant documents among the first c / R
# Kent, Berry, Luehrs and Perry, American Documentation 6(2), 1955
cdef double recall(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> n_rel_at(ranking, params.cutoff), <double> ranking.n_rel)


cdef double mean_recall(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(mean_n_rel_at(ranking, params.cutoff), <double> ranking.n_rel)


register(MeasureRecord(
    name="recall",
    field_name="R",
    title="Recall at a cutoff",
    definition="""
        recall_c = (relevant documents at ranks 1..c) / R, R the number of relevant documents in the
        qrels. 0 where R is 0. Unjudged documents count as nonrelevant; a run shorter than c is taken as
        it is. At a cutoff below R the value cannot reach 1 (relative_P can).
    """,
    source=KENT,
    kernel=Kernel.of(recall),
    expected=Kernel.of(mean_recall),
    parameter_kind=TREC_CUTOFFS,
    traits=(BOUNDED, MONOTONE, GROWS_WITH_CUTOFF),
    examples=lambda: (
        Example(*GRADED, "recall_5", 0.5, "a and b of R = 4: 2/4"),
        Example(*SHORT, "recall_2", 0.285714, "r1 and r2 of R = 7: 2/7"),
        Example(*NOTHING_RELEVANT, "recall_5", 0.0, "R = 0"),
    ),
))

register(MeasureRecord(
    name="set_recall",
    field_name="SetR",
    title="Recall of the set retrieved",
    definition="""
        (relevant documents retrieved) / R, whatever their order. 0 where R is 0.
        Unjudged documents count as nonrelevant.
    """,
    source=KENT,
    kernel=Kernel.of(recall),
    traits=(BOUNDED, PERFECT_IS_1, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "set_recall", 0.75, "a, b and d of R = 4: 3/4"),
        Example(*SHORT, "set_recall", 0.714286, "5 of R = 7"),
        Example(*GRADED, "set_recall", 1.0, "a and d, all that reach level 2", level=2),
    ),
))


register(MeasureRecord(
    name="R",
    title="Recall at a cutoff",
    definition="""
        R@k = (relevant documents at ranks 1..k) / R, R the number of relevant documents in the qrels.
        0 where R is 0. Unjudged documents count as nonrelevant; a run shorter than k is taken as it is.
        At a cutoff below R the value cannot reach 1 (R_cap can).
    """,
    source=KENT,
    aliases=("Recall", "recall"),
    kernel=Kernel.of(recall),
    expected=Kernel.of(mean_recall),
    parameter_kind=Arguments(*RELEVANT, at="cutoff", at_required=True),
    since=None,
    traits=(BOUNDED, MONOTONE, GROWS_WITH_CUTOFF),
    examples=lambda: (
        Example(*GRADED, "R@5", 0.5, "a and b of R = 4: 2/4"),
        Example(*GRADED, "R(rel=2)@5", 0.5, "a of a and d: 1/2"),
        Example(*NOTHING_RELEVANT, "R@5", 0.0, "R = 0"),
    ),
))

register(MeasureRecord(
    name="SetR",
    title="Recall of the set retrieved",
    definition="""
        (relevant documents retrieved) / R, whatever their order, R the number of relevant documents in the
        qrels. 0 where R is 0. Unjudged documents count as nonrelevant.
    """,
    source=KENT,
    kernel=Kernel.of(recall),
    parameter_kind=Arguments(REL_ARGUMENT),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "SetR", 0.75, "a, b and d of R = 4: 3/4"),
        Example(*GRADED, "SetR(rel=2)", 1.0, "a and d, all that reach grade 2"),
    ),
))


# relevant documents among the first c / min(c, R)
cdef double relative_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> n_rel_at(ranking, params.cutoff), <double> min(params.cutoff, ranking.n_rel))


cdef double mean_relative_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(mean_n_rel_at(ranking, params.cutoff), <double> min(params.cutoff, ranking.n_rel))


register(MeasureRecord(
    name="relative_P",
    field_name="R_cap",
    title="Precision at a cutoff, relative to the best possible",
    definition="""
        relative_P_c = (relevant documents at ranks 1..c) / min(c, R): precision where c <= R, recall
        where c >= R, also known as capped recall. 0 where R is 0. Unjudged documents and the missing
        ranks of a short run count as nonrelevant.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(relative_precision),
    expected=Kernel.of(mean_relative_precision),
    parameter_kind=TREC_CUTOFFS,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "relative_P_5", 0.5, "2 / min(5, 4)"),
        Example(*SHORT, "relative_P_2", 1.0, "2 / min(2, 7)"),
        Example(*SHORT, "relative_P_5", 0.8, "4 / min(5, 7)"),
    ),
))


register(MeasureRecord(
    name="R_cap",
    title="Capped recall at a cutoff",
    definition="""
        R_cap@k = (relevant documents at ranks 1..k) / min(k, R), R the number of relevant documents in the
        qrels: recall that can reach 1 at any cutoff. 0 where R is 0. Unjudged documents and the missing
        ranks of a short run count as nonrelevant.
    """,
    source="Thakur et al., BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of IR Models, NeurIPS 2021",
    aliases=("r_cap", "recall_cap"),
    kernel=Kernel.of(relative_precision),
    expected=Kernel.of(mean_relative_precision),
    parameter_kind=Arguments(*RELEVANT, at="cutoff", at_required=True),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "R_cap@5", 0.5, "2 / min(5, 4)"),
        Example(*SHORT, "R_cap@2", 1.0, "2 / min(2, 7)"),
    ),
))


# 1 if a relevant document is among the first c, else 0
# Craswell, Hawking, Wilkinson and Wu, Overview of the TREC 2003 Web Track, TREC 2003
cdef double success(const Ranking *ranking, const Params *params) noexcept nogil:
    return 1.0 if n_rel_at(ranking, params.cutoff) > 0 else 0.0


# 1 - chance that none is: of a group that the cutoff cuts, m relevant among n documents, the first s hold none of them
# with probability product over i < m of (n - s - i) / (n - i)
# McSherry and Najork, ECIR 2008
cdef double mean_success(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef TieGroup group = first_group()
    cdef double none = 1.0
    cdef int64_t i
    while next_group(ranking, last_rank(ranking, params.cutoff), &group):
        for i in range(group.n_rel):
            none *= <double> max(0, group.n - group.n_looked - i) / <double> (group.n - i)
    return 1.0 - none


register(MeasureRecord(
    name="success",
    field_name="Success",
    title="Success at a cutoff (hit rate)",
    definition="""
        success_c = 1 if at least one relevant document is at ranks 1..c, else 0.
        0 where nothing is relevant. Unjudged documents count as nonrelevant.
    """,
    source="Craswell, Hawking, Wilkinson and Wu, Overview of the TREC 2003 Web Track, TREC 2003",
    kernel=Kernel.of(success),
    expected=Kernel.of(mean_success),
    parameter_kind=Cutoffs(1, 5, 10),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, GROWS_WITH_CUTOFF),
    examples=lambda: (
        Example(*SECOND, "success_1", 0.0, "the first document, z, is unjudged"),
        Example(*SECOND, "success_5", 1.0, "a, at rank 2, is relevant"),
    ),
))


register(MeasureRecord(
    name="Success",
    title="Success at a cutoff (hit rate)",
    definition="""
        Success@k = 1 if at least one relevant document is at ranks 1..k, else 0.
        0 where nothing is relevant. Unjudged documents count as nonrelevant.
        The mean over queries is known as hit rate, or top-k accuracy.
    """,
    source="Craswell, Hawking, Wilkinson and Wu, Overview of the TREC 2003 Web Track, TREC 2003",
    aliases=("HitRate", "hit_rate", "success"),
    kernel=Kernel.of(success),
    expected=Kernel.of(mean_success),
    parameter_kind=Arguments(*RELEVANT, at="cutoff", at_required=True),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, GROWS_WITH_CUTOFF),
    examples=lambda: (
        Example(*SECOND, "Success@1", 0.0, "the first document, z, is unjudged"),
        Example(*SECOND, "Success@5", 1.0, "a, at rank 2, is relevant"),
        Example(*SECOND, "Success(judged_only=True)@1", 1.0, "without z, a is at rank 1"),
    ),
))


# relevant documents among the first R / R
cdef double r_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> n_rel_at(ranking, ranking.n_rel), <double> ranking.n_rel)


cdef double mean_r_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(mean_n_rel_at(ranking, ranking.n_rel), <double> ranking.n_rel)


register(MeasureRecord(
    name="Rprec",
    field_name="Rprec",
    title="R-precision",
    definition="""
        Precision at rank R, R the number of relevant documents in the qrels:
        (relevant documents at ranks 1..R) / R. The divisor is R even where fewer documents were
        retrieved. 0 where R is 0. Unjudged documents count as nonrelevant.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(r_precision),
    expected=Kernel.of(mean_r_precision),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "Rprec", 0.5, "R = 4; a and b are relevant among the first four: 2/4"),
        Example(*SHORT, "Rprec", 0.714286, "R = 7, though only six were retrieved: 5/7"),
    ),
))


register(MeasureRecord(
    name="Rprec",
    title="R-precision",
    definition="""
        Precision at rank R, R the number of relevant documents in the qrels:
        (relevant documents at ranks 1..R) / R. The divisor is R even where fewer documents were
        retrieved. 0 where R is 0. Unjudged documents count as nonrelevant.
    """,
    source=TREC_EVAL,
    aliases=("RPrec", "rprec", "r_precision"),
    kernel=Kernel.of(r_precision),
    expected=Kernel.of(mean_r_precision),
    parameter_kind=Arguments(*RELEVANT),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "Rprec", 0.5, "R = 4; a and b are relevant among the first four: 2/4"),
        Example(*GRADED, "Rprec(rel=2)", 0.5, "R = 2; a is the one of grade 2 among the first two: 1/2"),
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


register(MeasureRecord(
    name="Rprec_mult",
    title="Precision at multiples of R",
    definition="""
        For each multiple m, precision at the cutoff c = m*R + 0.9 cut to a whole number, R the number of
        relevant documents in the qrels: (relevant documents at ranks 1..c) / c. 0 where c is below 1, so
        where R is 0. Unjudged documents and the missing ranks of a short run count as nonrelevant.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(r_precision_multiple),
    parameter_kind=MULTIPLES,
    traits=(BOUNDED, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "Rprec_mult_0.20", 1.0, "R = 4; c = trunc(0.8 + 0.9) = 1, a is relevant: 1/1"),
        Example(*GRADED, "Rprec_mult_1.20", 0.4, "c = trunc(4.8 + 0.9) = 5: 2/5"),
        Example(*GRADED, "Rprec_mult_2.00", 0.375, "c = trunc(8.9) = 8, seven retrieved: 3/8"),
        Example(*SHORT, "Rprec_mult_1.50", 0.454545, "R = 7; c = trunc(10.5 + 0.9) = 11: 5/11"),
        Example(*SHORT, "Rprec_mult_0.30", 0.666667, "c = trunc(2.1 + 0.9) = 3: 2/3"),
    ),
))

register(MeasureRecord(
    name="Rprec_mult_avgjg",
    title="Precision at multiples of R, mean over groups of assessors",
    definition="""
        Rprec_mult for the qrels of each group of assessors, each with its own R, then the mean over the
        groups of the query. A group that found nothing relevant counts with 0; a document that a group
        did not judge is nonrelevant for it. -l, -M and -J act on each group by itself.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(r_precision_multiple),
    parameter_kind=MULTIPLES,
    view=VIEW_JUDGMENT_GROUPS,
    traits=(BOUNDED,),
    examples=lambda: (
        Example(*GROUPS, "Rprec_mult_avgjg_1.00", 0.277778, "R = 2: 1/2, R = 3: 1/3, R = 0: 0; (1/2 + 1/3 + 0) / 3"),
        Example(*GROUPS, "Rprec_mult_avgjg_2.00", 0.138889, "c = 4: 1/4, c = 6: 1/6, c = 0: 0; (1/4 + 1/6 + 0) / 3"),
    ),
))


# m / n
cdef double set_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> ranking.n_rel_ret, <double> ranking.n_ret)


register(MeasureRecord(
    name="set_P",
    field_name="SetP",
    title="Precision of the set retrieved",
    definition="""
        (relevant documents retrieved) / (documents retrieved), whatever their order.
        0 where nothing is retrieved or relevant. Unjudged documents count as nonrelevant.
    """,
    source=KENT,
    kernel=Kernel.of(set_precision),
    traits=(BOUNDED, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "set_P", 0.428571, "3 of 7"),
        Example(*GRADED, "set_P", 0.285714, "a and d reach level 2: 2 of 7", level=2),
        Example(*SHORT, "set_P", 0.833333, "5 of 6"),
    ),
))


# m / n, or m / min(n, R)
cdef double set_precision_over(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int64_t n = min(ranking.n_ret, ranking.n_rel) if params.reals[0] else ranking.n_ret
    return ratio(<double> n_rel_at(ranking, ranking.n_ret), <double> n)


register(MeasureRecord(
    name="SetP",
    title="Precision of the set retrieved",
    definition="""
        (relevant documents retrieved) / (documents retrieved), whatever their order; with relative=True,
        over the smaller of the documents retrieved and R, so that it can reach 1.
        0 where nothing is retrieved or relevant. Unjudged documents count as nonrelevant.
    """,
    source=KENT,
    kernel=Kernel.of(set_precision_over),
    parameter_kind=Arguments(*RELEVANT, Argument("relative", BOOL, False, "the divisor is R where that is smaller")),
    since=None,
    traits=(BOUNDED, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "SetP", 0.428571, "3 of 7"),
        Example(*GRADED, "SetP(relative=True)", 0.75, "3 / min(7, 4)"),
        Example(*GRADED, "SetP(rel=2)", 0.285714, "a and d reach grade 2: 2 of 7"),
    ),
))


# m / min(n, R)
cdef double set_relative_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(<double> ranking.n_rel_ret, <double> min(ranking.n_ret, ranking.n_rel))


register(MeasureRecord(
    name="set_relative_P",
    title="Precision of the set retrieved, relative to the best possible",
    definition="""
        (relevant documents retrieved) / min(documents retrieved, R), whatever their order.
        0 where nothing is retrieved or relevant. Unjudged documents count as nonrelevant.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(set_relative_precision),
    traits=(BOUNDED, PERFECT_IS_1, IGNORES_ORDER),
    examples=lambda: (
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


register(MeasureRecord(
    name="set_F",
    field_name="SetF",
    title="F measure of the set retrieved",
    definition="""
        (x + 1)*P*R / (x*P + R), P = set_P, R = set_recall. The parameter x is beta squared, not beta:
        1 weighs both alike (the default), 4 gives what is commonly called F2, 0 gives P.
        Only the first number given is used. 0 where nothing relevant is retrieved, and where the divisor
        is 0. Unjudged documents count as nonrelevant.
    """,
    source="van Rijsbergen, Information Retrieval, 2nd edition, Butterworths, 1979",
    kernel=Kernel.of(set_f),
    parameter_kind=Reals(1.0),
    traits=(BOUNDED, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "set_F", 0.545455, "P = 3/7, R = 3/4: 2 * 3/7 * 3/4 / (3/7 + 3/4) = 6/11"),
        Example(*GRADED, "set_F_2", 0.6, "3 * 3/7 * 3/4 / (2 * 3/7 + 3/4)"),
        Example(*GRADED, "set_F", 0.444444, "P = 2/7, R = 2/2: 2 * 2/7 / (2/7 + 1)", level=2),
    ),
))


# (1 + b^2) P R' / (b^2 P + R') = (1 + b^2) m / (b^2 R + c), P precision, R' recall, m relevant among the first c
# van Rijsbergen, Information Retrieval, 1979
cdef inline double f_of(const Ranking *ranking, const Params *params, double found) noexcept nogil:
    cdef double b = params.reals[0]
    cdef double n = <double> (ranking.n_ret if params.cutoff == NO_CUTOFF else params.cutoff)
    return ratio((1.0 + b * b) * found, b * b * <double> ranking.n_rel + n)


cdef double f(const Ranking *ranking, const Params *params) noexcept nogil:
    return f_of(ranking, params, <double> n_rel_at(ranking, params.cutoff))


cdef double mean_f(const Ranking *ranking, const Params *params) noexcept nogil:
    return f_of(ranking, params, mean_n_rel_at(ranking, params.cutoff))


BETA = Argument("beta", REAL, 1.0, "how many times as much recall weighs as precision", lowest=0, highest=1e6)

register(MeasureRecord(
    name="F",
    title="F measure at a cutoff",
    definition="""
        F@k = (1 + beta^2)*P*R / (beta^2*P + R), P and R precision and recall at k; without a cutoff, of the
        set retrieved. beta is squared, as in the textbook: beta=2 is what is called F2 (trec_eval's set_F
        takes the square itself). The divisor of P is k even where fewer documents were retrieved. 0 where
        nothing relevant is found. Unjudged documents count as nonrelevant.
    """,
    source="van Rijsbergen, Information Retrieval, 2nd edition, Butterworths, 1979",
    aliases=("F1", "f1"),
    kernel=Kernel.of(f),
    expected=Kernel.of(mean_f),
    parameter_kind=Arguments(*RELEVANT, BETA, at="cutoff"),
    since=None,
    traits=(BOUNDED, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "F@5", 0.444444, "P = 2/5, R = 2/4: 2 * 2/5 * 2/4 / (2/5 + 2/4)"),
        Example(*GRADED, "F(beta=2)@5", 0.476190, "5 * 2/5 * 2/4 / (4 * 2/5 + 2/4)"),
    ),
))

register(MeasureRecord(
    name="SetF",
    title="F measure of the set retrieved",
    definition="""
        (1 + beta^2)*P*R / (beta^2*P + R), P = SetP, R = SetR. beta is squared, as in the textbook: beta=2
        is what is called F2 (trec_eval's set_F takes the square itself: its set_F.4). 0 where nothing
        relevant is retrieved. Unjudged documents count as nonrelevant.
    """,
    source="van Rijsbergen, Information Retrieval, 2nd edition, Butterworths, 1979",
    kernel=Kernel.of(f),
    parameter_kind=Arguments(*RELEVANT, BETA),
    since=None,
    traits=(BOUNDED, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "SetF", 0.545455, "P = 3/7, R = 3/4: 2 * 3/7 * 3/4 / (3/7 + 3/4) = 6/11"),
        Example(*GRADED, "SetF(beta=2)", 0.652174, "5 * 3/7 * 3/4 / (4 * 3/7 + 3/4)"),
    ),
))
