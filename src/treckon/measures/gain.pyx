"""Measures of gain: what a document is worth depends on its grade, and is discounted by its rank or its cost."""

from libc.math cimport fmax, fmin, log2, trunc
from libc.stdint cimport int64_t

from treckon._native.ranking cimport (
    NO_CUTOFF, Gains, Kernel, Params, Ranking, discount_divisor, gain_of, log2_of_rank_plus_1,
)
from treckon.measures.ratio cimport finite, ratio
from treckon.measures.ties cimport TieGroup, first_group, last_rank, next_group
from treckon.measures.walks cimport (
    Ideal, Retrieved, dcg_at, ideal_dcg_at, next_ideal, next_retrieved, walk_ideal, walk_retrieved,
)

from treckon.measures.example_queries import GRADED, NOTHING_RELEVANT, SECOND, SHORT
from treckon.measures.parameters import (
    DISCOUNT_ARGUMENT, GAIN_ARGUMENT, GAIN_FROM_ARGUMENT, JUDGED_ONLY_ARGUMENT, REL_ARGUMENT, TREC_CUTOFFS, Arguments,
    Pairs,
)
from treckon.measures.registry import (
    BOUNDED, GROWS_WITH_CUTOFF, IGNORES_LEVEL, IGNORES_ORDER, MONOTONE, PERFECT_IS_1, Example, MeasureRecord, register,
)

JARVELIN = "Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, ACM TOIS 20(4), 2002"
BURGES = "the discount of Burges et al., Learning to Rank Using Gradient Descent, ICML 2005"
TREC_EVAL = "Buckley, trec_eval 9"


cdef inline Retrieved walk_gains(const Ranking *ranking, const Gains *gains) noexcept nogil:
    return walk_retrieved(ranking, gains.unpooled != 0.0)


# DCG@c = sum over k <= c of gain(k) / log2(k + 1)
# Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with the discount of Burges et al., ICML 2005
cdef double dcg(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef Retrieved walk = walk_gains(ranking, params.gains)
    return finite(dcg_at(&walk, params, params.cutoff))


# E DCG@c: in each group of ties, every gain is multiplied by the mean discount of the group's ranks, 0 below c
# McSherry and Najork, ECIR 2008
cdef double mean_dcg_at(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef TieGroup group = first_group()
    cdef double gains, discounts, total = 0.0
    cdef int64_t last = last_rank(ranking, params.cutoff), i
    # Every document first gains what an unpooled one does; then the others gain the difference.
    if params.gains.unpooled != 0.0:
        for i in range(last):
            total += params.gains.unpooled / discount_divisor(params, i + 1)
    while next_group(ranking, last, &group):
        gains = discounts = 0.0
        for i in range(group.begin, group.end):
            gains += gain_of(params.gains, ranking.hits[i].grade) - params.gains.unpooled
        for i in range(group.n_looked):
            discounts += 1.0 / discount_divisor(params, group.first + i)
        total += gains * discounts / <double> group.n
    return total


cdef double mean_dcg(const Ranking *ranking, const Params *params) noexcept nogil:
    return finite(mean_dcg_at(ranking, params))


register(MeasureRecord(
    name="dcg",
    field_name="DCG",
    title="Discounted cumulated gain",
    definition="""
        The sum over the retrieved documents of gain / log2(rank + 1), not normalised.
        The gain of a document is its grade, or what the parameters give for the grade (1=3,2=9; of two
        gains for a grade the lower one). Documents without a judgement have no gain unless the parameters
        give one to -1 (not in the qrels) or -2 (a negative grade there). Negative gains subtract.
        0 where nothing with a gain is retrieved. -l has no effect.
    """,
    source=f"{JARVELIN}; {BURGES}",
    kernel=Kernel.of(dcg),
    expected=Kernel.of(mean_dcg),
    parameter_kind=Pairs(),
    since="10.0",
    traits=(MONOTONE, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "dcg", 3.430677, "gains 2, 1 and 3 at ranks 1, 4 and 7: 2/log2(2) + 1/log2(5) + 3/log2(8)"),
        Example(*GRADED, "dcg_1=3,2=9,3=0", 10.292030, "9/log2(2) + 3/log2(5) + 0"),
        Example(*NOTHING_RELEVANT, "dcg", 0.0, "no grade above 0"),
    ),
))


GAINS = Arguments(GAIN_FROM_ARGUMENT, GAIN_ARGUMENT, DISCOUNT_ARGUMENT, JUDGED_ONLY_ARGUMENT, at="cutoff")

register(MeasureRecord(
    name="DCG",
    title="Discounted cumulated gain",
    definition="""
        DCG@k = the sum over ranks 1..k of gain / discount, not normalised; without a cutoff, over all
        retrieved documents. gain='linear' is the grade, 'exp2' 2^grade - 1, 'binary' 1 for grades above 0,
        {1: 3, 2: 9} a gain for each grade (those not given are worth themselves). discount='log2' is
        log2(rank + 1), ('jk', b) is 1 up to rank b, then log_b(rank), 'none' is 1.
        With rel=n, grades below n gain 0. Documents without a judgement gain 0.
    """,
    source=f"{JARVELIN}; {BURGES}",
    aliases=("dcg",),
    kernel=Kernel.of(dcg),
    expected=Kernel.of(mean_dcg),
    parameter_kind=GAINS,
    since=None,
    traits=(MONOTONE, GROWS_WITH_CUTOFF, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "DCG", 3.430677, "gains 2, 1 and 3 at ranks 1, 4 and 7: 2/log2(2) + 1/log2(5) + 3/log2(8)"),
        Example(*GRADED, "DCG(gain='exp2')@4", 3.430677, "3/log2(2) + 1/log2(5)"),
        Example(*GRADED, "DCG(discount=('jk', 2))", 3.568622, "2 + 1/log2(4) + 3/log2(7)"),
        Example(*GRADED, "DCG(gain={1: 3, 2: 9}, discount='none')@5", 12.0, "9 + 3"),
    ),
))


# IDCG@c = sum over k <= c of I(k) / log2(k + 1), I the gains of all judged documents, falling
# Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with the discount of Burges et al., ICML 2005
cdef double ideal_dcg(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef Ideal walk = walk_ideal(ranking, params.gains)
    return finite(ideal_dcg_at(&walk, params, params.cutoff))


register(MeasureRecord(
    name="ideal_dcg",
    field_name="IDCG",
    title="Discounted cumulated gain of the ideal ranking",
    definition="""
        What dcg is for the best ranking of the query: all judged documents with a gain above 0, retrieved
        or not, by falling gain. Of two gains that the parameters give for a grade, the one given first
        counts here. 0 where no judged document has a gain above 0. The run has no effect, so a query that
        it lacks has the same value. -l, -M and -J have no effect.
    """,
    source=f"{JARVELIN}; {BURGES}",
    kernel=Kernel.of(ideal_dcg),
    parameter_kind=Pairs(),
    since="10.0",
    traits=(IGNORES_LEVEL, IGNORES_ORDER),
    examples=lambda: (
        Example(
            *GRADED, "ideal_dcg", 5.192536, "d, a, b and f: 3/log2(2) + 2/log2(3) + 1/log2(4) + 1/log2(5)",
        ),
        Example(*SHORT, "ideal_dcg", 5.268929, "2/log2(2) + 2/log2(3) + 1/log2(4) + ... + 1/log2(8)"),
        Example(*NOTHING_RELEVANT, "ideal_dcg", 0.0, "no grade above 0"),
    ),
))


register(MeasureRecord(
    name="IDCG",
    title="Discounted cumulated gain of the ideal ranking",
    definition="""
        IDCG@k = what DCG@k is for the best ranking of the query: all judged documents with a gain above 0,
        retrieved or not, by falling gain. Arguments as for DCG; the run has no effect.
        0 where no judged document has a gain above 0.
    """,
    source=f"{JARVELIN}; {BURGES}",
    aliases=("idcg",),
    kernel=Kernel.of(ideal_dcg),
    parameter_kind=Arguments(GAIN_FROM_ARGUMENT, GAIN_ARGUMENT, DISCOUNT_ARGUMENT, at="cutoff"),
    since=None,
    traits=(GROWS_WITH_CUTOFF, IGNORES_LEVEL, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "IDCG@2", 4.261860, "d and a: 3/log2(2) + 2/log2(3)"),
        Example(*GRADED, "IDCG(gain='exp2', rel=2)", 8.892789, "d and a alone: 7/log2(2) + 3/log2(3)"),
    ),
))


# nDCG@c = DCG@c / IDCG@c
# Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with the discount of Burges et al., ICML 2005
cdef double ndcg(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef Retrieved walk = walk_gains(ranking, params.gains)
    cdef Ideal best = walk_ideal(ranking, params.gains)
    return ratio(dcg_at(&walk, params, params.cutoff), ideal_dcg_at(&best, params, params.cutoff))


cdef double mean_ndcg(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef Ideal best = walk_ideal(ranking, params.gains)
    return ratio(mean_dcg_at(ranking, params), ideal_dcg_at(&best, params, params.cutoff))


register(MeasureRecord(
    name="ndcg",
    field_name="nDCG",
    title="Normalised discounted cumulated gain (nDCG)",
    definition="""
        dcg / ideal_dcg: the sum over the retrieved documents of gain / log2(rank + 1), divided by the same
        sum for all judged documents with a gain above 0 by falling gain, however many were retrieved.
        The gain of a document is its grade (not 2^grade - 1), or what the parameters give for the grade
        (1=3,2=9). Documents without a judgement have no gain unless the parameters give one to -1 (not in
        the qrels) or -2 (a negative grade there). Of two gains for a grade, the lower one counts for the
        run and the one given first for the ideal ranking. 0 where no judged document has a gain above 0.
        -l has no effect.
    """,
    source=f"{JARVELIN}; {BURGES}",
    kernel=Kernel.of(ndcg),
    expected=Kernel.of(mean_ndcg),
    parameter_kind=Pairs(),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "ndcg", 0.660694, "(2 + 1/log2(5) + 3/3) / (3 + 2/log2(3) + 1/2 + 1/log2(5)) = 3.4307/5.1925"),
        Example(*SHORT, "ndcg", 0.473015, "ranks 1 to 4 over the whole ideal: 2.4923/5.2689", options=("-M", "4")),
        Example(*GRADED, "ndcg_0=-1", 0.495802, "c and e subtract: (3.4307 - 1/log2(4) - 1/log2(7)) / 5.1925"),
        Example(*GRADED, "ndcg_0=1", 0.722233, "c and e gain 1 and enter the ideal ranking"),
        Example(
            *GRADED, "ndcg_-1=1.5", 0.842954, "x gains 1.5, not in the ideal: (3.4307 + 1.5/log2(3)) / 5.1925",
        ),
        Example(*GRADED, "ndcg_1=3,2=9,4=4.5", 0.825150, "no document has grade 4: 11.2920/13.6848"),
        Example(*GRADED, "ndcg_1=0.9,2=0.5", 0.445909, "gains are put in exact order: ideal 3, 0.9, 0.9, 0.5"),
    ),
))

register(MeasureRecord(
    name="ndcg_cut",
    field_name="nDCG",
    title="Normalised discounted cumulated gain (nDCG) at a cutoff",
    definition="""
        The sum over ranks 1..c of gain / log2(rank + 1), divided by the same sum for the c best judged
        documents. The gain is the grade; documents without a judgement have none. Ranks beyond the end of
        a run shorter than c gain nothing, while the ideal ranking goes on to c.
        0 where no grade is above 0. -l has no effect.
    """,
    source=f"{JARVELIN}; {BURGES}",
    kernel=Kernel.of(ndcg),
    expected=Kernel.of(mean_ndcg),
    parameter_kind=TREC_CUTOFFS,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "ndcg_cut_2", 0.469279, "2 / (3 + 2/log2(3))"),
        Example(*GRADED, "ndcg_cut_5", 0.468110, "(2 + 1/log2(5)) / (3 + 2/log2(3) + 1/2 + 1/log2(5))"),
        Example(*SHORT, "ndcg_cut_2", 0.5, "(1 + 1/log2(3)) / (2 + 2/log2(3))"),
        Example(*SHORT, "ndcg_cut_10", 0.614042, "six retrieved, seven in the ideal ranking: 3.2353/5.2689"),
    ),
))


register(MeasureRecord(
    name="nDCG",
    title="Normalised discounted cumulated gain",
    definition="""
        nDCG@k = DCG@k / IDCG@k: the sum over ranks 1..k of gain / discount, divided by the same sum for the
        best k judged documents of the query, however many were retrieved; without a cutoff, over all.
        gain='linear' is the grade, 'exp2' 2^grade - 1, 'binary' 1 for grades above 0, {1: 3, 2: 9} a gain
        for each grade (those not given are worth themselves). discount='log2' is log2(rank + 1),
        ('jk', b) is 1 up to rank b, then log_b(rank), 'none' is 1. With rel=n, grades below n gain 0 and
        leave the ideal. Documents without a judgement gain 0. 0 where no judged document has a gain.
    """,
    source=f"{JARVELIN}; {BURGES}",
    aliases=("NDCG", "ndcg"),
    kernel=Kernel.of(ndcg),
    expected=Kernel.of(mean_ndcg),
    parameter_kind=GAINS,
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "nDCG@5", 0.468110, "(2 + 1/log2(5)) / (3 + 2/log2(3) + 1/2 + 1/log2(5))"),
        Example(*GRADED, "nDCG(gain='exp2')@3", 0.319394, "3 / (7 + 3/log2(3) + 1/2)"),
        Example(*GRADED, "nDCG(gain='binary')", 0.688634, "(1 + 1/log2(5) + 1/3) / (1 + 1/log2(3) + 1/2 + 1/log2(5))"),
        Example(*GRADED, "nDCG(rel=2)@7", 0.703918, "(2 + 3/3) / (3 + 2/log2(3)): b and f gain nothing"),
        Example(*GRADED, "nDCG(judged_only=True)@5", 0.704965, "without x and u: (2 + 1/2 + 3/log2(6)) / 5.1925"),
    ),
))


# (1/L) (sum over ranks k with a gain > 0 of DCG(k) / IDCG(min(k, L)) + (L - their number) DCG(n) / IDCG(L)),
# L documents in the ideal ranking
cdef double ndcg_over_relevant(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef Retrieved walk = walk_gains(ranking, params.gains)
    cdef Ideal best = walk_ideal(ranking, params.gains)
    cdef double gain, total = 0.0, n_gained = 0.0
    while next_retrieved(&walk, NO_CUTOFF):
        gain = gain_of(params.gains, walk.grade)
        walk.dcg += gain / discount_divisor(params, walk.rank)
        if gain > 0.0:
            total += ratio(walk.dcg, ideal_dcg_at(&best, params, walk.rank))
            n_gained += 1.0
    ideal_dcg_at(&best, params, NO_CUTOFF)
    total += ratio((<double> best.rank - n_gained) * walk.dcg, best.dcg)  # trec_eval rounds in this order
    return ratio(total, <double> best.rank) if total > 0.0 else 0.0


register(MeasureRecord(
    name="ndcg_rel",
    title="nDCG averaged over the ranks of relevant documents",
    definition="""
        The mean over the L documents of the ideal ranking (all judged ones with a gain above 0) of nDCG:
        for each retrieved document with a gain above 0, at its rank k, the ideal ranking cut at k or L;
        for each of the others, at the end of the run: DCG(n) / IDCG(L). 0 where L is 0 or the sum is not
        above 0. Gains, their parameters and unjudged documents as in ndcg. -l has no effect.
    """,
    source=f"{TREC_EVAL}, after {JARVELIN}",
    kernel=Kernel.of(ndcg_over_relevant),
    parameter_kind=Pairs(),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, IGNORES_LEVEL),
    examples=lambda: (
        Example(
            *GRADED, "ndcg_rel", 0.614041,
            "ranks 1, 4 and 7: 2/3, 2.4307/5.1925, 3.4307/5.1925; f was missed: 3.4307/5.1925; 2.4562/4",
        ),
        Example(*SHORT, "ndcg_rel", 0.586681, "(0.5 + 0.5 + 0.594457 + 0.628716 + 0.655512 + 2 * 0.614042) / 7"),
    ),
))


# mean of nDCG(k) at the ends k of each run of equal gains in the ideal ranking, and of DCG(n) / IDCG(L) if n >= L + 2,
# L documents in the ideal ranking
cdef double ndcg_over_grades(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef Retrieved walk = walk_gains(ranking, params.gains)
    cdef Ideal best = walk_ideal(ranking, params.gains)
    cdef double total = 0.0, n_points = 0.0, gain = 0.0
    if ranking.n_rel == 0:
        return 0.0
    while next_ideal(&best):
        if best.rank > 1 and best.gain != gain:
            total += ratio(dcg_at(&walk, params, best.rank - 1), best.dcg)
            n_points += 1.0
        gain = best.gain
        best.dcg += gain / discount_divisor(params, best.rank)
    total += ratio(dcg_at(&walk, params, best.rank), best.dcg)
    if ranking.n_ret < best.rank + 2:
        return ratio(total, n_points + 1.0)
    return ratio(total + ratio(dcg_at(&walk, params, NO_CUTOFF), best.dcg), n_points + 2.0)


register(MeasureRecord(
    name="Rndcg",
    title="nDCG averaged over the ends of the ideal ranking's grades",
    definition="""
        The mean of DCG(k) / IDCG(k) over those ranks k after which the gains of the ideal ranking (all
        judged documents with a gain above 0, by falling gain) change, its end L included; where at least
        L + 2 documents were retrieved, DCG(n) / IDCG(L) at the end of the run is one more point. 0 where
        nothing reaches the level (-l; it has no other effect) or no judged document has a gain above 0.
        Gains, their parameters and unjudged documents as in ndcg.
    """,
    source=f"{TREC_EVAL}, after {JARVELIN}",
    kernel=Kernel.of(ndcg_over_grades),
    parameter_kind=Pairs(),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(
            *GRADED, "Rndcg", 0.566187,
            "ideal 3, 2, 1, 1: k = 1: 2/3, k = 2: 2/4.2619, k = 4: 2.4307/5.1925; n = 7: 3.4307/5.1925; mean of four",
        ),
        Example(
            *SHORT, "Rndcg", 0.557021, "ideal 2, 2, 1, ...: k = 2: 1.6309/3.2619, k = 7: 3.2353/5.2689; mean of two",
        ),
        Example(*SECOND, "Rndcg", 0.0, "k = 1 is the only point: n = 2 is less than L + 2"),
        Example("a=1", "z a y", "Rndcg", 0.315465, "k = 1: 0, n = 3: 1/log2(3); mean of two"),
    ),
))


# (1/R) sum over relevant ranks of 1 / log2(2 + w), w documents above that are not relevant
cdef double binary_g(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    for i in range(ranking.n_hits):
        if ranking.hits[i].grade >= ranking.level:
            total += 1.0 / log2_of_rank_plus_1(ranking.hits[i].rank - ranking.hits[i].n_rel + 1)
    return ratio(total, <double> ranking.n_rel)


register(MeasureRecord(
    name="binG",
    title="Binary G",
    definition="""
        The mean over the R relevant documents of the qrels of 1 / log2(2 + w), where w documents that are
        not relevant, unjudged ones included, stand above it; those not retrieved add 0.
        0 where R is 0.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(binary_g),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "binG", 0.471713, "w = 0, 2 and 4, R = 4: (1 + 1/log2(4) + 1/log2(6)) / 4"),
        Example(*SHORT, "binG", 0.556113, "w = 0, 0, 1, 1 and 1, R = 7: (1 + 1 + 3/log2(3)) / 7"),
    ),
))


cdef inline double plus_ones(double total, int64_t n) noexcept nogil:
    # total + 1 + 1 + ..., rounded as if added one by one. Whole numbers are added at once: nothing is rounded up to
    # 2^53, and 2^53 + 1 is rounded to 2^53.
    if total == trunc(total) and total < 9007199254740992.0:
        return fmin(total + <double> n, 9007199254740992.0)
    while n > 0 and total + 1.0 != total:
        total += 1.0
        n -= 1
    return total


# (1 / sum of I) sum over ranks k with a gain of gain(k) / log2(2 + C(k) - A(k)),
# C(k) = sum over i <= k of max(I(i), 1), A(k) = sum over i <= k of gain(i), I the gains of the ideal ranking, then 0
cdef double g(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef Retrieved walk = walk_gains(ranking, params.gains)
    cdef Ideal best = walk_ideal(ranking, params.gains)
    cdef double gain, x, total = 0.0, cost = 0.0, result = 0.0
    cdef int64_t rank = 0
    while next_retrieved(&walk, NO_CUTOFF):
        while best.rank < walk.rank and next_ideal(&best):
            cost += fmax(best.gain, 1.0)
        cost = plus_ones(cost, walk.rank - max(rank, best.rank))
        rank = walk.rank
        gain = gain_of(params.gains, walk.grade)
        result += gain
        x = 2.0 + cost - result
        # Gains of unjudged documents can exceed all costs: no logarithm, or a division by 0. Such a term counts as 0.
        if x > 0.0 and x != 1.0:
            total += gain / log2(x)
    while next_ideal(&best):
        pass
    return ratio(total, best.sum)


register(MeasureRecord(
    name="G",
    title="G",
    definition="""
        The sum over the retrieved documents with a gain of gain / log2(2 + C - A), divided by the sum of
        all gains I(1), I(2), ... of the ideal ranking (all judged documents with a gain above 0, by
        falling gain). A is the sum of the gains, C that of the costs of the ranks up to and with this one;
        rank i costs I(i), but at least 1. A term whose logarithm does not exist or is 0 counts as 0. 0
        where no judged document has a gain above 0. Gains, their parameters and unjudged documents as in
        ndcg. -l has no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(g),
    parameter_kind=Pairs(),
    traits=(BOUNDED, PERFECT_IS_1, IGNORES_LEVEL),
    examples=lambda: (
        Example(
            *GRADED, "G", 0.401324,
            "costs 3, 2, 1, 1, ...; a: 2/log2(2+3-2), b: 1/log2(2+7-3), d: 3/log2(2+10-6); 2.80927/7",
        ),
        Example(*SHORT, "G", 0.347881, "(1/log2(3) + 1/log2(4) + 2/log2(4) + 1/log2(4) + 1/log2(4)) / 9"),
    ),
))


cdef inline double sum_of_reciprocals(int64_t n) noexcept nogil:
    # 1 + 1/2 + ... + 1/n
    cdef double total = 0.0
    cdef int64_t i
    for i in range(1, n + 1):
        total += 1.0 / <double> i
    return total


# NCRR@c = sum over relevant ranks k <= c of 1/k / sum over i <= min(R, c) of 1/i
cdef double cumulative_reciprocal_rank(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    for i in range(ranking.n_hits):
        if ranking.hits[i].rank > params.cutoff:
            break
        if ranking.hits[i].grade >= ranking.level:
            total += 1.0 / <double> ranking.hits[i].rank
    return ratio(total, sum_of_reciprocals(min(ranking.n_rel, params.cutoff)))


cdef double mean_cumulative_reciprocal_rank(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef TieGroup group = first_group()
    cdef double reciprocals, total = 0.0
    cdef int64_t i
    while next_group(ranking, last_rank(ranking, params.cutoff), &group):
        reciprocals = 0.0
        for i in range(group.n_looked):
            reciprocals += 1.0 / <double> (group.first + i)
        total += <double> group.n_rel * reciprocals / <double> group.n
    return ratio(total, sum_of_reciprocals(min(ranking.n_rel, params.cutoff)))


register(MeasureRecord(
    name="NCRR",
    title="Normalised cumulative reciprocal rank",
    definition="""
        NCRR@k = (the sum of 1/i over the relevant ranks i up to k) / (1 + 1/2 + ... + 1/min(R, k)), R the
        number of relevant documents in the qrels; without a cutoff, over all retrieved documents. Unlike
        RR it counts every relevant document. 0 where R is 0. Unjudged documents count as nonrelevant.
    """,
    source="Salah, Truong and Lauw, Cornac: A Comparative Framework for Multimodal Recommender Systems, JMLR 21, 2020",
    aliases=("ncrr",),
    kernel=Kernel.of(cumulative_reciprocal_rank),
    expected=Kernel.of(mean_cumulative_reciprocal_rank),
    parameter_kind=Arguments(REL_ARGUMENT, JUDGED_ONLY_ARGUMENT, at="cutoff"),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "NCRR@5", 0.6, "relevant at ranks 1 and 4, R = 4: (1 + 1/4) / (1 + 1/2 + 1/3 + 1/4)"),
        Example(*GRADED, "NCRR(rel=2)", 0.761905, "relevant at ranks 1 and 7, R = 2: (1 + 1/7) / (1 + 1/2)"),
    ),
))
