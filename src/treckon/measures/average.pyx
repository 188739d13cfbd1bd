"""Averages over the relevant documents or over recall: average precision and what is derived from it, bpref, infAP,
interpolated precision."""

from libc.math cimport fmax, log, round, trunc
from libc.stdint cimport int64_t

from treckon._native.ranking cimport Hit, Kernel, Params, Ranking, n_rel_at
from treckon.measures.ratio cimport ratio
from treckon.measures.ties cimport (
    Draw, TieGroup, first_draw, first_group, last_rank, next_draw, next_group,
)

from treckon.measures.aggregation import GEOMETRIC_FLOOR, GEOMETRIC_MEAN
from treckon.measures.example_queries import GRADED, GROUPS, NOTHING_RELEVANT, SHORT
from treckon.measures.parameters import (
    JUDGED_ONLY_ARGUMENT, REL_ARGUMENT, TEXT, TREC_CUTOFFS, Argument, Arguments, RealCutoffs, Reals,
)
from treckon.measures.registry import (
    BOUNDED, GROWS_WITH_CUTOFF, IGNORES_ORDER, IGNORES_UNJUDGED_ORDER, MONOTONE, PERFECT_IS_1,
    VIEW_JUDGMENT_GROUPS, Example, MeasureRecord, register,
)

cdef double FLOOR = GEOMETRIC_FLOOR

STABILITY = "Buckley and Voorhees, Evaluating Evaluation Measure Stability, SIGIR 2000"
GMAP = "Robertson, On GMAP: and Other Transformations, CIKM 2006"
SALTON = "Salton and McGill, Introduction to Modern Information Retrieval, McGraw-Hill, 1983"
RECALL_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


cdef inline double sum_of_precisions(const Ranking *ranking, int64_t cutoff) noexcept nogil:
    # S(c) = sum over relevant ranks k <= c of (relevant documents among the first k) / k
    cdef const Hit *hit
    cdef double total = 0.0
    cdef int64_t i
    for i in range(ranking.n_hits):
        hit = &ranking.hits[i]
        if hit.rank > cutoff:
            break
        if hit.grade >= ranking.level:
            total += <double> hit.n_rel / <double> hit.rank
    return total


cdef inline double mean_of_group(const TieGroup *group, int64_t n, double n_rel) noexcept nogil:
    # The mean of what a group adds to S(c), if n_rel relevant ones among n documents are spread over its ranks, of
    # which n_looked count: a rank is relevant with probability n_rel / n, another one then with (n_rel - 1) / (n - 1).
    cdef double sum = 0.0, weighted = 0.0, rank
    cdef int64_t i
    if n == 1:
        return n_rel * <double> (group.n_above + 1) / <double> group.first
    for i in range(group.n_looked):
        rank = <double> (group.first + i)
        sum += 1.0 / rank
        weighted += <double> i / rank
    return n_rel / <double> n * (
        <double> (group.n_above + 1) * sum + (n_rel - 1.0) / <double> (n - 1) * weighted
    )


cdef inline double mean_sum_of_precisions(const Ranking *ranking, int64_t cutoff) noexcept nogil:
    # E S(c)
    # McSherry and Najork, ECIR 2008
    cdef TieGroup group = first_group()
    cdef double total = 0.0
    while next_group(ranking, last_rank(ranking, cutoff), &group):
        total += mean_of_group(&group, group.n, <double> group.n_rel)
    return total


# AP@c = S(c) / R
# Buckley and Voorhees, SIGIR 2000
cdef double average_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(sum_of_precisions(ranking, params.cutoff), <double> ranking.n_rel)


cdef double mean_average_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(mean_sum_of_precisions(ranking, params.cutoff), <double> ranking.n_rel)


register(MeasureRecord(
    name="map",
    field_name="AP",
    title="Average precision",
    definition="""
        The mean, over the R relevant documents of the qrels, of the precision at the rank of each; those
        not retrieved add 0: (sum over relevant ranks k of (relevant documents at ranks 1..k) / k) / R.
        0 where R is 0. Unjudged documents count as nonrelevant. The mean over queries is known as MAP.
    """,
    source=STABILITY,
    kernel=Kernel.of(average_precision),
    expected=Kernel.of(mean_average_precision),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "map", 0.482143, "relevant at ranks 1, 4 and 7, R = 4: (1/1 + 2/4 + 3/7) / 4"),
        Example(*SHORT, "map", 0.626190, "relevant at 1, 2, 4, 5 and 6, R = 7: (1 + 1 + 3/4 + 4/5 + 5/6) / 7"),
        Example(*NOTHING_RELEVANT, "map", 0.0, "R = 0"),
    ),
))

register(MeasureRecord(
    name="map_cut",
    field_name="AP",
    title="Average precision at a cutoff",
    definition="""
        map_cut_c = average precision of the first c documents alone, still divided by R, the number of
        all relevant documents in the qrels, not by min(c, R): below R it cannot reach 1.
        0 where R is 0. Unjudged documents count as nonrelevant.
    """,
    source=STABILITY,
    kernel=Kernel.of(average_precision),
    expected=Kernel.of(mean_average_precision),
    parameter_kind=TREC_CUTOFFS,
    traits=(BOUNDED, MONOTONE, GROWS_WITH_CUTOFF),
    examples=lambda: (
        Example(*GRADED, "map_cut_5", 0.375, "relevant at ranks 1 and 4, R = 4: (1/1 + 2/4) / 4"),
        Example(*SHORT, "map_cut_2", 0.285714, "(1/1 + 2/2) / 7, not 1"),
    ),
))

register(MeasureRecord(
    name="map_avgjg",
    title="Average precision, mean over groups of assessors",
    definition="""
        Average precision for the qrels of each group of assessors, then the mean over the groups of the
        query. A group that found nothing relevant counts with 0; a document that a group did not judge
        is nonrelevant for it. -l, -M and -J act on each group by itself.
    """,
    source=STABILITY,
    kernel=Kernel.of(average_precision),
    view=VIEW_JUDGMENT_GROUPS,
    traits=(BOUNDED,),
    examples=lambda: (
        Example(*GROUPS, "map_avgjg", 0.203704, "(1/1) / 2, (1/3) / 3 and 0: (1/2 + 1/9 + 0) / 3"),
        Example(
            *GROUPS, "map_avgjg", 0.333333, "only the first group has a document of grade 2, a: (1 + 0 + 0) / 3",
            level=2, options=("-J",),
        ),
    ),
))


cdef enum Denominator:
    ALL
    MIN_K
    RETRIEVED


# S(c) / R, S(c) / min(R, c), or S(c) / (relevant documents among the first c)
cdef double average_precision_over(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int64_t denominator = ranking.n_rel
    if <int> params.reals[0] == MIN_K:
        denominator = min(denominator, params.cutoff)
    elif <int> params.reals[0] == RETRIEVED:
        denominator = n_rel_at(ranking, params.cutoff)
    return ratio(sum_of_precisions(ranking, params.cutoff), <double> denominator)


cdef double mean_average_precision_over(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double total
    if <int> params.reals[0] == RETRIEVED:
        return mean_average_precision_of_retrieved(ranking, params.cutoff)
    total = mean_sum_of_precisions(ranking, params.cutoff)
    if <int> params.reals[0] == MIN_K:
        return ratio(total, <double> min(ranking.n_rel, params.cutoff))
    return ratio(total, <double> ranking.n_rel)


cdef double mean_average_precision_of_retrieved(const Ranking *ranking, int64_t cutoff) noexcept nogil:
    # The number of relevant documents varies only in the group that the cutoff cuts: the mean over that number.
    cdef TieGroup group = first_group()
    cdef Draw draw
    cdef double above = 0.0, total = 0.0, weights = 0.0, precisions
    while next_group(ranking, last_rank(ranking, cutoff), &group) and group.n_looked == group.n:
        above += mean_of_group(&group, group.n, <double> group.n_rel)
    if group.n_looked == group.n:
        return ratio(above, <double> (group.n_above + group.n_rel))
    draw = first_draw(&group)
    while next_draw(&draw):
        precisions = above + mean_of_group(&group, group.n_looked, <double> draw.n_rel)
        total += draw.weight * ratio(precisions, <double> (group.n_above + draw.n_rel))
        weights += draw.weight
    return total / weights


register(MeasureRecord(
    name="AP",
    title="Average precision",
    definition="""
        AP@k = S / R, S the sum over the relevant ranks up to k of (relevant documents at ranks 1..i) / i,
        R the number of relevant documents in the qrels, retrieved or not; without a cutoff, over all
        retrieved documents. denominator='min_k' divides by min(R, k), so that a perfect ranking has 1;
        denominator='retrieved' by the number of relevant documents at ranks 1..k, which rewards finding
        fewer of them. 0 where the denominator is 0. Unjudged documents count as nonrelevant.
        The mean over queries is known as MAP.
    """,
    source=STABILITY,
    aliases=("MAP", "map"),
    kernel=Kernel.of(average_precision_over),
    expected=Kernel.of(mean_average_precision_over),
    parameter_kind=Arguments(
        REL_ARGUMENT,
        JUDGED_ONLY_ARGUMENT,
        Argument(
            "denominator", TEXT, "all", "what the sum is divided by", choices=("all", "min_k", "retrieved"),
            breaks=(MONOTONE,),
        ),
        at="cutoff",
    ),
    since=None,
    traits=(BOUNDED, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "AP", 0.482143, "relevant at ranks 1, 4 and 7, R = 4: (1/1 + 2/4 + 3/7) / 4"),
        Example(*GRADED, "AP(rel=2)@100", 0.642857, "a and d reach grade 2: (1/1 + 2/7) / 2"),
        Example(*GRADED, "AP(denominator='min_k')@2", 0.5, "(1/1) / min(4, 2)"),
        Example(*GRADED, "AP(denominator='retrieved')@5", 0.75, "(1/1 + 2/4) / 2"),
        Example(*GRADED, "AP(judged_only=True)", 0.566667, "without x and u: (1 + 2/3 + 3/5) / 4"),
        Example(*NOTHING_RELEVANT, "AP", 0.0, "R = 0"),
    ),
))


# ln(max(AP, 0.00001))
# Robertson, CIKM 2006
cdef double log_average_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return log(fmax(average_precision(ranking, params), FLOOR))


register(MeasureRecord(
    name="gm_map",
    title="Geometric mean of average precision",
    definition="""
        exp of the mean over queries of ln(max(AP, 0.00001)), AP as in map: queries that fare badly weigh
        more than in the arithmetic mean. A query without relevant documents counts with the floor,
        0.00001, and so does with -c a query that the run lacks. Printed in the summary only.
    """,
    source=GMAP,
    kernel=Kernel.of(log_average_precision),
    aggregate=GEOMETRIC_MEAN,
    per_query=False,
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "gm_map", 0.482143, "of one query: its average precision, (1 + 2/4 + 3/7) / 4"),
        Example(*NOTHING_RELEVANT, "gm_map", 0.00001, "the floor"),
    ),
))


# ln((1 + S) / (1 + R - S))
# Robertson, On Smoothing Average Precision, ECIR 2012
cdef double yaap(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double total = sum_of_precisions(ranking, params.cutoff)
    return log((1.0 + total) / (1.0 + <double> ranking.n_rel - total))


register(MeasureRecord(
    name="yaap",
    title="Yet another average precision (smoothed log odds)",
    definition="""
        ln((1 + S) / (1 + R - S)), natural logarithm, S the sum of the precisions at the ranks of the
        relevant documents (R * map). 0 where R is 0, negative where S is below R / 2, and
        -ln(1 + R) where nothing relevant is retrieved. With -c, a query that the run lacks has that value
        in trec_eval 10.0 and adds 0 in 9.0.8. Unjudged documents count as nonrelevant.
    """,
    source="Robertson, On Smoothing Average Precision, ECIR 2012",
    kernel=Kernel.of(yaap),
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "yaap", -0.047628, "S = 1 + 2/4 + 3/7, R = 4: ln(2.928571 / 3.071429)"),
        Example(*SHORT, "yaap", 0.397755, "S = 1 + 1 + 3/4 + 4/5 + 5/6, R = 7: ln(5.383333 / 3.616667)"),
        Example(*NOTHING_RELEVANT, "yaap", 0.0, "S = 0, R = 0: ln(1/1)"),
    ),
))


# m^2 / (n R)
cdef double set_average_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double found = <double> ranking.n_rel_ret
    return ratio(found * found, <double> ranking.n_ret * <double> ranking.n_rel)


register(MeasureRecord(
    name="set_map",
    field_name="SetAP",
    title="Average precision of the set retrieved",
    definition="""
        set_P * set_recall = m*m / (n*R) for n documents retrieved, m of them relevant, and R relevant ones
        in the qrels: average precision where every relevant document counts with the precision of the
        whole set. 0 where nothing is retrieved or relevant. Unjudged documents count as nonrelevant.
    """,
    source="Buckley and Voorhees, Retrieval System Evaluation, in: TREC, MIT Press, 2005",
    kernel=Kernel.of(set_average_precision),
    traits=(BOUNDED, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "set_map", 0.321429, "3*3 / (7*4)"),
        Example(*GRADED, "set_map", 0.285714, "2*2 / (7*2)", level=2),
        Example(*SHORT, "set_map", 0.595238, "5*5 / (6*7)"),
    ),
))


register(MeasureRecord(
    name="SetAP",
    title="Average precision of the set retrieved",
    definition="""
        SetP * SetR = m*m / (n*R) for n documents retrieved, m of them relevant, and R relevant ones in the
        qrels: average precision where every relevant document counts with the precision of the whole set.
        0 where nothing is retrieved or relevant. Unjudged documents count as nonrelevant.
    """,
    source="Buckley and Voorhees, Retrieval System Evaluation, in: TREC, MIT Press, 2005",
    kernel=Kernel.of(set_average_precision),
    parameter_kind=Arguments(REL_ARGUMENT, JUDGED_ONLY_ARGUMENT),
    since=None,
    traits=(BOUNDED, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "SetAP", 0.321429, "3*3 / (7*4)"),
        Example(*GRADED, "SetAP(rel=2)", 0.285714, "2*2 / (7*2)"),
        Example(*GRADED, "SetAP(judged_only=True)", 0.45, "without x and u: 3*3 / (5*4)"),
    ),
))


# (1/R) sum over relevant retrieved of 1 - min(b, R) / min(N, R), b judged nonrelevant documents above
# Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004
# (there divided by R; min(N, R) is trec_eval's correction of 2005)
cdef double binary_preference(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double total = 0.0, most = <double> min(ranking.n_nonrel, ranking.n_rel)
    cdef int64_t n_above = 0, i
    for i in range(ranking.n_hits):
        if ranking.hits[i].grade >= ranking.level:
            total += 1.0 - ratio(<double> min(n_above, ranking.n_rel), most)
        elif ranking.hits[i].grade >= 0:
            n_above += 1
    return ratio(total, <double> ranking.n_rel)


register(MeasureRecord(
    name="bpref",
    field_name="Bpref",
    title="Binary preference",
    definition="""
        How often relevant documents stand above judged nonrelevant ones. Each relevant document that is
        retrieved adds 1 - min(b, R) / min(N, R), where b judged nonrelevant documents stand above it (1
        where b is 0), R and N are the relevant and the judged nonrelevant documents in the qrels; the sum
        is divided by R. Relevant documents not retrieved add 0. 0 where R is 0.
        Unjudged documents have no effect, so neither has -J.
    """,
    source="Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004",
    kernel=Kernel.of(binary_preference),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, IGNORES_UNJUDGED_ORDER),
    examples=lambda: (
        Example(*GRADED, "bpref", 0.375, "N = 2, R = 4; a: 1, b: 1 - 1/2, d: 1 - 2/2; 1.5/4"),
        Example(*SHORT, "bpref", 0.285714, "N = 1, R = 7; r1 and r2: 1 each, the others: 1 - 1/1; 2/7"),
        Example(
            "r1=1 r2=1 r3=1 r4=1 r5=1 r6=1 n1=0 n2=0 n3=0 n4=0", "n1 r1 r2 r3 r4", "bpref", 0.5,
            "N = 4, R = 6: 4 * (1 - 1/4) / 6",
        ),
        Example(*GRADED, "bpref", 0.5, "N = 4 (b and f too), R = 2; a: 1, d: 1 - min(3, 2) / 2 = 0; 1/2", level=2),
    ),
))


register(MeasureRecord(
    name="Bpref",
    title="Binary preference",
    definition="""
        How often relevant documents stand above judged nonrelevant ones. Each relevant document that is
        retrieved adds 1 - min(b, R) / min(N, R), where b judged nonrelevant documents stand above it (1
        where b is 0), R and N are the relevant and the judged nonrelevant documents in the qrels; the sum
        is divided by R. Relevant documents not retrieved add 0. 0 where R is 0.
        Unjudged documents have no effect.
    """,
    source="Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004",
    aliases=("BPref", "bpref"),
    kernel=Kernel.of(binary_preference),
    parameter_kind=Arguments(REL_ARGUMENT),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE, IGNORES_UNJUDGED_ORDER),
    examples=lambda: (
        Example(*GRADED, "Bpref", 0.375, "N = 2, R = 4; a: 1, b: 1 - 1/2, d: 1 - 2/2; 1.5/4"),
        Example(*GRADED, "Bpref(rel=2)", 0.5, "N = 4 (b and f too), R = 2; a: 1, d: 1 - min(3, 2) / 2 = 0; 1/2"),
    ),
))


# ln(max(bpref, 0.00001))
cdef double log_binary_preference(const Ranking *ranking, const Params *params) noexcept nogil:
    return log(fmax(binary_preference(ranking, params), FLOOR))


register(MeasureRecord(
    name="gm_bpref",
    title="Geometric mean of binary preference",
    definition="""
        exp of the mean over queries of ln(max(bpref, 0.00001)). A query without relevant documents counts
        with the floor, 0.00001, and so does with -c a query that the run lacks.
        Unjudged documents have no effect, so neither has -J. Printed in the summary only.
    """,
    source=GMAP,
    kernel=Kernel.of(log_binary_preference),
    aggregate=GEOMETRIC_MEAN,
    per_query=False,
    traits=(MONOTONE, IGNORES_UNJUDGED_ORDER),
    examples=lambda: (
        Example(*GRADED, "gm_bpref", 0.375, "of one query: its bpref, (1 + 1/2 + 0) / 4"),
        Example(*NOTHING_RELEVANT, "gm_bpref", 0.00001, "the floor"),
    ),
))


# (1/R) sum over relevant ranks k of 1/k + (k-1)/k * (r+b+u)/(k-1) * (r+e)/(r+b+2e), 1 at rank 1, e = 0.00001;
# r relevant, b judged nonrelevant, u pooled but unjudged documents above k
# Yilmaz and Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006
cdef double inferred_average_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double total = 0.0, k, r, b = 0.0, u = 0.0, e = 0.00001
    cdef const Hit *hit
    cdef int64_t i
    for i in range(ranking.n_hits):
        hit = &ranking.hits[i]
        k = <double> hit.rank
        r = <double> (hit.n_rel - 1)
        if hit.grade >= ranking.level:
            total += 1.0 / k + (k - 1.0) / k * ratio(r + b + u, k - 1.0) * ((r + e) / (r + b + 2.0 * e))
        elif hit.grade >= 0:
            b += 1.0
        else:
            u += 1.0
    return ratio(total, <double> ranking.n_rel)


register(MeasureRecord(
    name="infAP",
    field_name="infAP",
    title="Inferred average precision",
    definition="""
        Average precision estimated where only a sample of the pool was judged (documents of the pool
        that were not judged stand in the qrels with a negative grade). Each relevant document retrieved
        at rank k adds 1/k + (k-1)/k * (r+b+u)/(k-1) * (r+e)/(r+b+2e), at rank 1 it adds 1, where r
        relevant, b judged nonrelevant and u pooled but unjudged documents stand above it and e is
        0.00001. The sum is divided by R, the relevant documents in the qrels. 0 where R is 0. Documents
        that are not in the qrels count as nonrelevant.
    """,
    source="Yilmaz and Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006",
    kernel=Kernel.of(inferred_average_precision),
    traits=(BOUNDED,),
    examples=lambda: (
        Example(
            *GRADED, "infAP", 0.5,
            "rank 1: 1; rank 4: 1/4 + 3/4 * 2/3 * 1/2 = 0.5; rank 7: 1/7 + 6/7 * 5/6 * 1/2 = 0.5; R = 4: 2/4",
        ),
        Example("a=1 u=-1", "u a", "infAP", 0.75, "above a stands u, pooled but unjudged: 1/2 + 1/2 * 1/1 * 1/2"),
        Example("a=1", "z a", "infAP", 0.5, "above a stands z, which is not in the qrels: 1/2 + 1/2 * 0 * 1/2"),
        Example(*SHORT, "infAP", 0.626189, "all are judged: but for e, (1 + 1 + 3/4 + 4/5 + 5/6) / 7 as in map"),
    ),
))


register(MeasureRecord(
    name="infAP",
    title="Inferred average precision",
    definition="""
        Average precision estimated where only a sample of the pool was judged (documents of the pool
        that were not judged stand in the qrels with a negative grade). Each relevant document retrieved
        at rank k adds 1/k + (k-1)/k * (r+b+u)/(k-1) * (r+e)/(r+b+2e), at rank 1 it adds 1, where r
        relevant, b judged nonrelevant and u pooled but unjudged documents stand above it and e is
        0.00001. The sum is divided by R, the relevant documents in the qrels. 0 where R is 0. Documents
        that are not in the qrels count as nonrelevant.
    """,
    source="Yilmaz and Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006",
    aliases=("infap",),
    kernel=Kernel.of(inferred_average_precision),
    parameter_kind=Arguments(REL_ARGUMENT),
    since=None,
    traits=(BOUNDED,),
    examples=lambda: (
        Example(
            *GRADED, "infAP", 0.5,
            "rank 1: 1; rank 4: 1/4 + 3/4 * 2/3 * 1/2 = 0.5; rank 7: 1/7 + 6/7 * 5/6 * 1/2 = 0.5; R = 4: 2/4",
        ),
        Example("a=1 u=-1", "u a", "infAP", 0.75, "above a stands u, pooled but unjudged: 1/2 + 1/2 * 1/1 * 1/2"),
    ),
))


cdef inline double best_precision(const Ranking *ranking, const Params *params, double point) noexcept nogil:
    # The best precision at the rank of the t-th relevant document or below it; precision is best at relevant ranks.
    # Both releases mean p R documents, 9.0.8 rounds them up (nearly), 10.0 to the nearest.
    cdef double best = 0.0, n_rel = point * <double> ranking.n_rel
    cdef double t = trunc(n_rel + 0.9) if params.truncates_recall_points else round(n_rel)
    cdef const Hit *hit
    cdef int64_t i = ranking.n_hits
    while i > 0:
        i -= 1
        hit = &ranking.hits[i]
        if <double> hit.n_rel < t:
            break
        if hit.grade >= ranking.level:
            best = fmax(best, <double> hit.n_rel / <double> hit.rank)
    return best


# max over ranks k >= (rank of the t-th relevant document) of (relevant documents among the first k) / k;
# t = trunc(p R + 0.9) in 9.0.8, p R rounded to the nearest in 10.0
# Salton and McGill, Introduction to Modern Information Retrieval, 1983
cdef double interpolated_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return best_precision(ranking, params, params.reals[0])


register(MeasureRecord(
    name="iprec_at_recall",
    title="Interpolated precision at a point of recall",
    definition="""
        The best precision at the rank where recall p is reached or at any rank below it. The point p
        stands for t relevant documents: p*R + 0.9 cut to a whole number in trec_eval 9.0.8, p*R rounded
        to the nearest whole number (halves away from 0) in 10.0. 0 where fewer than t were retrieved; the
        best precision anywhere where t is 0 or less. 0 where R is 0 or nothing is retrieved. Unjudged
        documents count as nonrelevant.
    """,
    source=SALTON,
    kernel=Kernel.of(interpolated_precision),
    parameter_kind=RealCutoffs(*RECALL_POINTS),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "iprec_at_recall_0.50", 0.5, "R = 4, t = 2 at rank 4: max(2/4, 3/7)"),
        Example(*GRADED, "iprec_at_recall_0.80", 0.0, "t = trunc(3.2 + 0.9) = 4, three retrieved", release="9.0.8"),
        Example(*GRADED, "iprec_at_recall_0.80", 0.428571, "t = 3, 3.2 rounded, at rank 7: 3/7", release="10.0"),
        Example(*SHORT, "iprec_at_recall_0.50", 0.833333, "R = 7, t = 4 at rank 5: max(4/5, 5/6)"),
        Example(
            "a=1 b=1 c=1 n=0", "a b n", "iprec_at_recall_0.70", 1.0, "R = 3: 0.7*3 + 0.9 is just below 3, so t = 2",
            release="9.0.8",
        ),
    ),
))


register(MeasureRecord(
    name="IPrec",
    title="Interpolated precision at a point of recall",
    definition="""
        IPrec@p = the best precision at the rank where recall p is reached or at any rank below it: where
        t relevant documents are retrieved, t = p*R rounded to the nearest whole number (halves away from
        0), R the relevant documents in the qrels. 0 where fewer than t are retrieved, and where R is 0.
        Unjudged documents count as nonrelevant.
    """,
    source=SALTON,
    aliases=("iprec",),
    kernel=Kernel.of(interpolated_precision),
    parameter_kind=Arguments(REL_ARGUMENT, JUDGED_ONLY_ARGUMENT, at="recall", at_required=True),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "IPrec@0.5", 0.5, "R = 4, t = 2 at rank 4: max(2/4, 3/7)"),
        Example(*GRADED, "IPrec@0.8", 0.428571, "t = 3, 3.2 rounded, at rank 7: 3/7"),
        Example(*GRADED, "IPrec(judged_only=True)@0.5", 0.666667, "without x and u, t = 2 at rank 3: max(2/3, 3/5)"),
    ),
))


# mean of interpolated precision over the points
# Salton and McGill, Introduction to Modern Information Retrieval, 1983
cdef double eleven_point_average(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    for i in range(params.n_reals):
        total += best_precision(ranking, params, params.reals[params.n_reals - 1 - i])
    return ratio(total, <double> params.n_reals)


register(MeasureRecord(
    name="11pt_avg",
    title="Eleven-point average of interpolated precision",
    definition="""
        The mean of iprec_at_recall over the points of recall 0.0, 0.1, ... 1.0, or over the points given,
        in any order. The releases differ as they do in iprec_at_recall.
        0 where R is 0 or nothing is retrieved. Unjudged documents count as nonrelevant.
    """,
    source=SALTON,
    kernel=Kernel.of(eleven_point_average),
    parameter_kind=Reals(*RECALL_POINTS),
    traits=(BOUNDED, PERFECT_IS_1, MONOTONE),
    examples=lambda: (
        Example(*GRADED, "11pt_avg", 0.487013, "(3 * 1 + 3 * 2/4 + 2 * 3/7 + 3 * 0) / 11", release="9.0.8"),
        Example(*GRADED, "11pt_avg", 0.577922, "(4 * 1 + 3 * 2/4 + 2 * 3/7 + 2 * 0) / 11", release="10.0"),
        Example(*SHORT, "11pt_avg", 0.651515, "(3 * 1 + 5 * 5/6 + 3 * 0) / 11", release="9.0.8"),
        Example(*SHORT, "11pt_avg", 0.666667, "(4 * 1 + 4 * 5/6 + 3 * 0) / 11", release="10.0"),
        Example(*GRADED, "11pt_avg_.5,.2", 0.75, "points in any order: (1/2 + 1) / 2"),
    ),
))
