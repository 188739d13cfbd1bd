"""Measures that follow a user down the ranking: how likely each rank is looked at is a model of the user."""

from libc.math cimport fabs, fmax, fmin, pow
from libc.stdint cimport int64_t

from treckon._native.ranking cimport (
    NO_CUTOFF, UNPOOLED, Gains, Kernel, Params, Ranking, gain_of, pair_of,
)
from treckon.measures.ratio cimport finite
from treckon.measures.ties cimport TieGroup, first_group, last_rank, next_group
from treckon.measures.walks cimport Retrieved, next_retrieved, walk_retrieved

from treckon.measures.example_queries import GRADED, NOTHING_RELEVANT, SHORT
from treckon.measures.parameters import INT, JUDGED_ONLY_ARGUMENT, REAL, REL_ARGUMENT, Argument, Arguments, Pairs
from treckon.measures.registry import (
    BOUNDED, GROWS_WITH_CUTOFF, IGNORES_LEVEL, MONOTONE, Example, MeasureRecord, register,
)

MOFFAT = "Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, ACM TOIS 27(1), 2008"


cdef inline double times_power(double value, double factor, int64_t n) noexcept nogil:
    # value * factor * factor * ..., rounded each time; ends where the product keeps its size (0, 1 to any power, ...).
    cdef double product
    while n > 0:
        product = value * factor
        if fabs(product) == fabs(value):
            return value if factor >= 0.0 or n % 2 == 0 else -value
        value = product
        n -= 1
    return value


cdef inline double highest_gain(const Ranking *ranking, const Gains *gains) noexcept nogil:
    # Highest of 0, the gains given, and the grades up to the query's best one for which none is given.
    cdef int64_t grade = ranking.grades[0].grade if ranking.n_grades > 0 else 0
    while grade > 0 and pair_of(gains, grade) != NULL:
        grade -= 1
    return fmax(gains.highest, <double> grade)


# RBP = (1 - p) sum over k of gain(k) p^(k-1); where a gain is outside 0..1, all are (gain - low) / (high - low)
# Moffat and Zobel, ACM TOIS 27(1), 2008
cdef double rank_biased_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef const Gains *gains = params.gains
    cdef double low = gains.lowest, high = highest_gain(ranking, gains), gain, total = 0.0, weight = 1.0
    cdef Retrieved walk = walk_retrieved(ranking, pair_of(gains, UNPOOLED) != NULL)
    cdef int64_t rank = 1
    while next_retrieved(&walk, NO_CUTOFF):
        weight = times_power(weight, params.persistence, walk.rank - rank)
        rank = walk.rank
        gain = gain_of(gains, walk.grade)
        # A document without a judgement and without a gain of its own is not scaled: it stays 0.
        if (low < 0.0 or high > 1.0) and (walk.grade >= 0 or pair_of(gains, walk.grade) != NULL):
            gain = (gain - low) / (high - low)
        total += gain * weight
    return finite((1.0 - params.persistence) * total)


register(MeasureRecord(
    name="rbp",
    title="Rank-biased precision",
    definition="""
        (1 - p) * sum over the retrieved documents of gain * p^(rank - 1), p the persistence of the user:
        0.9, or given as p=0.8 (the last one counts). The gain of a document is its grade, or what the
        parameters give for the grade (1=0.2,2=0.5). Where one of the gains of the query's grades (from 0
        to the highest grade in the qrels), or of those given, is above 1 or below 0, all are scaled:
        (gain - low) / (high - low), low and high the lowest and the highest of them and 0. So grades 0 to
        3 gain 0, 1/3, 2/3 and 1 for a query whose best document has grade 3. Documents without a
        judgement have no gain unless the parameters give one to -1 (not in the qrels) or -2 (a negative
        grade there). 0 where nothing with a gain is retrieved. -l has no effect.
    """,
    source=MOFFAT,
    kernel=Kernel.of(rank_biased_precision),
    parameter_kind=Pairs(p=0.9),
    since="10.0",
    traits=(BOUNDED, MONOTONE, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "rbp", 0.144111, "gains 2/3, 1/3 and 1 at ranks 1, 4 and 7: 0.1 * (2/3 + 0.9^3/3 + 0.9^6)"),
        Example(*GRADED, "rbp_p=0.8", 0.219895, "0.2 * (2/3 + 0.8^3/3 + 0.8^6)"),
        Example(*GRADED, "rbp_p=0.8,1=1,2=1,3=1", 0.354829, "no gain is outside 0..1: 0.2 * (1 + 0.8^3 + 0.8^6)"),
        Example(*SHORT, "rbp", 0.230230, "best grade 2: 0.1 * (0.5 + 0.5*0.9 + 0.9^3 + 0.5*0.9^4 + 0.5*0.9^5)"),
        Example(
            "a=1 b=1 c=1 d=0", "a x b d y c", "rbp_0=2,1=4", 0.276499,
            "low = 0, high = 4: gains 1, 1, 0.5 (d) and 1: 0.1 * (1 + 0.9^2 + 0.5*0.9^3 + 0.9^5)",
        ),
    ),
))


# p^n + (1 - p) sum over ranks k without a judgement of p^(k-1), if there is one
# Moffat and Zobel, ACM TOIS 27(1), 2008
cdef double rank_biased_precision_residual(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double p = params.persistence, total = 0.0, weight = 1.0
    cdef Retrieved walk = walk_retrieved(ranking, True)
    if ranking.n_judged_ret == ranking.n_ret:
        return 0.0
    while next_retrieved(&walk, NO_CUTOFF):
        if walk.grade < 0:
            total += weight
        if weight * p == weight:  # and stays so: too small to count, or p is 1 and nothing but the tail counts
            break
        weight *= p
    return finite(weight + (1.0 - p) * total)


register(MeasureRecord(
    name="rbp_resid",
    title="Residual of rank-biased precision",
    definition="""
        How much rbp could rise if the documents without a judgement, and all those below the end of the
        run, were fully relevant: p^n + (1 - p) * sum over the ranks k of documents without a judgement of
        p^(k - 1), n documents retrieved, p as in rbp. A document has no judgement that is not in the
        qrels, or has a negative grade there. 0 where every document retrieved was judged (the residual
        would be p^n; trec_eval leaves it out), so with -J, and where nothing is retrieved or the run
        lacks the query. Gains that are given, and -l, have no effect.
    """,
    source=MOFFAT,
    kernel=Kernel.of(rank_biased_precision_residual),
    parameter_kind=Pairs(p=0.9),
    missing=0.0,
    since="10.0",
    traits=(BOUNDED, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "rbp_resid", 0.633907, "x and u at ranks 2 and 5, n = 7: 0.9^7 + 0.1 * (0.9 + 0.9^4)"),
        Example(*GRADED, "rbp_resid_p=0.8", 0.451635, "0.8^7 + 0.2 * (0.8 + 0.8^4)"),
        Example(*NOTHING_RELEVANT, "rbp_resid", 0.9, "y at rank 2, n = 2: 0.9^2 + 0.1 * 0.9"),
        Example(*SHORT, "rbp_resid", 0.0, "every document was judged"),
    ),
))


cdef inline double gain_up_to_1(const Ranking *ranking, double max_rel, int64_t grade) noexcept nogil:
    # 1 for a relevant document; where a highest grade is given, the grade as a share of it.
    if max_rel == 0.0:
        return 1.0 if grade >= ranking.level else 0.0
    return fmin(<double> max(grade, 0) / max_rel, 1.0)


# RBP@c = (1 - p) sum over k <= c of gain(k) p^(k-1), gains from 0 to 1
# Moffat and Zobel, ACM TOIS 27(1), 2008
cdef double rbp_at(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double p = params.reals[0], total = 0.0, gain
    cdef int64_t i
    for i in range(ranking.n_hits):
        if ranking.hits[i].rank > params.cutoff:
            break
        gain = gain_up_to_1(ranking, params.reals[1], ranking.hits[i].grade)
        total += gain * pow(p, <double> (ranking.hits[i].rank - 1))
    return (1.0 - p) * total


cdef inline double mean_weight(const TieGroup *group, double p) noexcept nogil:
    # The mean of (1 - p) p^(k-1) over the ranks k of a group, 0 where they do not count.
    cdef double first = pow(p, <double> (group.first - 1))
    return first * (1.0 - pow(p, <double> group.n_looked)) / <double> group.n


cdef double mean_rbp_at(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef TieGroup group = first_group()
    cdef double gains, total = 0.0
    cdef int64_t i
    while next_group(ranking, last_rank(ranking, params.cutoff), &group):
        gains = 0.0
        for i in range(group.begin, group.end):
            gains += gain_up_to_1(ranking, params.reals[1], ranking.hits[i].grade)
        total += gains * mean_weight(&group, params.reals[0])
    return total


PERSISTENCE = Argument("p", REAL, 0.8, "persistence: the chance of going on to the next document", lowest=0, highest=1)

register(MeasureRecord(
    name="RBP",
    title="Rank-biased precision",
    definition="""
        RBP@k = (1 - p) * the sum over ranks 1..k of gain * p^(rank - 1), p the persistence of the user;
        without a cutoff, over all retrieved documents. A relevant document gains 1. With max_rel=n the
        gain is the grade divided by n, 1 for higher grades, and rel has no effect: state the highest grade
        of the scale, so that queries can be compared. Documents without a judgement gain 0; how much they
        could add says RBPResidual.
    """,
    source=MOFFAT,
    aliases=("rbp",),
    kernel=Kernel.of(rbp_at),
    expected=Kernel.of(mean_rbp_at),
    parameter_kind=Arguments(
        PERSISTENCE,
        Argument("max_rel", INT, 0, "highest grade of graded gains; 0: gains are binary", lowest=0, highest=10**9),
        REL_ARGUMENT,
        JUDGED_ONLY_ARGUMENT,
        at="cutoff",
    ),
    since=None,
    traits=(BOUNDED, MONOTONE, GROWS_WITH_CUTOFF),
    examples=lambda: (
        Example(*GRADED, "RBP", 0.354829, "relevant at ranks 1, 4 and 7: 0.2 * (1 + 0.8^3 + 0.8^6)"),
        Example(*GRADED, "RBP(p=0.5)@5", 0.5625, "0.5 * (1 + 0.5^3)"),
        Example(*GRADED, "RBP(max_rel=3)", 0.219895, "0.2 * (2/3 + 0.8^3/3 + 0.8^6)"),
        Example(*GRADED, "RBP(rel=2)", 0.252429, "a and d: 0.2 * (1 + 0.8^6)"),
    ),
))


# 1 - (1 - p) sum over judged ranks k <= c of p^(k-1): the weight of all other ranks
# Moffat and Zobel, ACM TOIS 27(1), 2008
cdef double rbp_residual(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double p = params.reals[0], total = 0.0
    cdef int64_t i
    for i in range(ranking.n_hits):
        if ranking.hits[i].rank > params.cutoff:
            break
        if ranking.hits[i].grade >= 0:
            total += pow(p, <double> (ranking.hits[i].rank - 1))
    return fmax(1.0 - (1.0 - p) * total, 0.0)


cdef double mean_rbp_residual(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef TieGroup group = first_group()
    cdef double total = 0.0
    cdef int64_t i, n
    while next_group(ranking, last_rank(ranking, params.cutoff), &group):
        n = 0
        for i in range(group.begin, group.end):
            n += ranking.hits[i].grade >= 0
        total += <double> n * mean_weight(&group, params.reals[0])
    return fmax(1.0 - total, 0.0)


register(MeasureRecord(
    name="RBPResidual",
    title="Residual of rank-biased precision",
    definition="""
        How much RBP could rise if every document without a judgement, and every document below the end of
        the run (or below the cutoff), were fully relevant: (1 - p) * the sum of p^(rank - 1) over those
        ranks, which is 1 - (1 - p) * the sum over the judged ones. Always above 0 for a run that ends, also
        where every document retrieved was judged (trec_eval's rbp_resid is 0 then). 1 where nothing is
        retrieved. A document is judged that has a grade of 0 or above in the qrels.
    """,
    source=MOFFAT,
    aliases=("rbp_residual",),
    kernel=Kernel.of(rbp_residual),
    expected=Kernel.of(mean_rbp_residual),
    parameter_kind=Arguments(PERSISTENCE, at="cutoff"),
    since=None,
    traits=(BOUNDED, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "RBPResidual", 0.451635, "x and u at ranks 2 and 5, n = 7: 0.8^7 + 0.2 * (0.8 + 0.8^4)"),
        Example(*GRADED, "RBPResidual(p=0.5)@3", 0.375, "x at rank 2, cut at 3: 0.5^3 + 0.5 * 0.5"),
        Example(*SHORT, "RBPResidual", 0.262144, "six retrieved, all judged: 0.8^6"),
    ),
))
