"""Agreement with the ideal ranking: overlap of the two from the top, and pairs in the right order."""

from libc.math cimport log1p, pow
from libc.stdint cimport int64_t

from treckon._native.ranking cimport Kernel, Params, Ranking, n_rel_at
from treckon.measures.ratio cimport ratio
from treckon.measures.series cimport by_rank, sum_of_powers, sum_of_weights
from treckon.measures.ties cimport Draw, TieGroup, first_draw, first_group, last_rank, next_draw, next_group

from treckon.measures.example_queries import GRADED, NOTHING_RELEVANT, SECOND
from treckon.measures.parameters import BOOL, INT, REAL, REL_ARGUMENT, Argument, Arguments
from treckon.measures.registry import BOUNDED, IGNORES_LEVEL, PERFECT_IS_1, Example, MeasureRecord, register

cdef inline int64_t n_positive(const Ranking *ranking) noexcept nogil:
    # Length of the ideal ranking: documents with a grade above 0.
    cdef int64_t n = 0, i
    for i in range(ranking.n_grades):
        if ranking.grades[i].grade > 0:
            n += ranking.grades[i].count
    return n


ctypedef struct Weights:
    # Sums of p^(d-1) / d over d < next_depth.
    double p
    int64_t next_depth
    double power
    double sum


cdef inline Weights first_weights(double p) noexcept nogil:
    cdef Weights weights
    weights.p = p
    weights.next_depth = 1
    weights.power = 1.0
    weights.sum = 0.0
    return weights


cdef inline double weights_above(Weights *weights, int64_t depth) noexcept nogil:
    # sum over d < depth of p^(d-1) / d; from call to call, depths must not fall.
    while weights.next_depth < depth and weights.power > 0.0:
        weights.sum += weights.power / <double> weights.next_depth
        weights.power *= weights.p
        weights.next_depth += 1
    return weights.sum


cdef double overlap(
    const Ranking *ranking, double p, int64_t depth, double all_weights, int64_t *n_in_both
) noexcept nogil:
    # Sum over d <= depth of p^(d-1) / d times the number of documents that are among the first d of the run and among
    # the first d of the ideal ranking: by falling grade, then as in the run, documents that were not retrieved behind
    # the others of their grade. A document is in both from the lower of its two ranks on, and adds the weights from
    # there on: all_weights without those above.
    cdef Weights weights
    cdef double total = 0.0
    cdef int64_t i, j, n_better = 0, ideal_rank, lower
    n_in_both[0] = 0
    for i in range(ranking.n_grades):
        if ranking.grades[i].grade <= 0:
            break
        weights = first_weights(p)
        ideal_rank = n_better
        n_better += ranking.grades[i].count
        for j in range(ranking.n_hits):
            if ranking.hits[j].grade == ranking.grades[i].grade:
                ideal_rank += 1
                lower = max(ideal_rank, ranking.hits[j].rank)
                if lower > depth:
                    break
                n_in_both[0] += 1
                total += all_weights - weights_above(&weights, lower)
    return total


# Compat = RBO(run, ideal) / RBO(ideal, ideal)
# RBO(S, I) = sum over d <= D of p^(d-1) |S(d) and I(d)| / d / sum over d <= D of p^(d-1)
# Clarke, Vtyurina and Smucker, TOIS 39(3), 2021
cdef double compatibility(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double p = params.reals[0], found
    cdef int64_t depth = <int64_t> params.reals[1], n_ideal = n_positive(ranking), n_in_both = 0
    if depth == 0:
        depth = max(n_ideal, ranking.n_ret)
    found = overlap(ranking, p, depth, sum_of_weights(p, by_rank, 1, depth), &n_in_both)
    if not params.reals[2]:
        return ratio(found, sum_of_powers(p, depth))
    # RBO(ideal, ideal) without its divisor: sum over d <= D of p^(d-1) min(d, L) / d, L the length of the ideal ranking
    return ratio(
        found,
        sum_of_powers(p, min(depth, n_ideal)) + <double> n_ideal * sum_of_weights(p, by_rank, n_ideal + 1, depth),
    )


register(MeasureRecord(
    name="Compat",
    title="Compatibility with the ideal ranking",
    definition="""
        The rank-biased overlap of the run and the ideal ranking, divided by that of the ideal ranking with
        itself (normalize=False: not divided). RBO is the sum over depths d = 1..depth of p^(d-1) * (share
        of the first d documents that the two have in common), divided by the sum of p^(d-1). The ideal
        ranking has all documents with a grade above 0 by falling grade, then as in the run, documents not
        retrieved last: of all ideal rankings the one nearest to the run. Scores matter by their order
        alone. depth=0 stands for the longer of the two rankings. 0 where no grade is above 0.
    """,
    source="Clarke, Vtyurina and Smucker, Assessing Top-k Preferences, ACM TOIS 39(3), 2021",
    aliases=("compat",),
    kernel=Kernel.of(compatibility),
    parameter_kind=Arguments(
        Argument("p", REAL, 0.95, "persistence", lowest=0, highest=0.9999),
        Argument("depth", INT, 1000, "ranks that are compared; 0: to the end of the longer", lowest=0, highest=10**6),
        Argument(
            "normalize", BOOL, True, "divide by the overlap of the ideal ranking with itself", breaks=(PERFECT_IS_1,),
        ),
    ),
    since=None,
    traits=(BOUNDED, PERFECT_IS_1, IGNORES_LEVEL),
    examples=lambda: (
        Example(*SECOND, "Compat(p=0.5, depth=2)", 0.2, "shares 0/1 and 1/2, ideal 1/1 and 1/2: (0.5/2) / (1 + 0.5/2)"),
        Example(*SECOND, "Compat(p=0.5, depth=2, normalize=False)", 0.166667, "(0.5/2) / (1 + 0.5)"),
        Example(
            "a=2 b=1", "b a", "Compat(p=0.5, depth=0)", 0.333333, "shares 0/1 and 2/2, ideal 1 and 1: 0.5 / (1 + 0.5)",
        ),
        Example(*NOTHING_RELEVANT, "Compat", 0.0, "the ideal ranking is empty"),
    ),
))


# RBO = (1 - p) sum over d of p^(d-1) X(d) / d, X(d) documents in both among the first d; lists that end do not grow.
# Extrapolated, l and s the longer and the shorter length, X(d) / d stays what it was at the end of each list:
# (1 - p) (sum over d <= l of p^(d-1) X(d) / d + sum over s < d <= l of p^(d-1) X(s) (d - s) / (s d))
# + p^l ((X(l) - X(s)) / l + X(s) / s)
# Webber, Moffat and Zobel, ACM TOIS 28(4), 2010, equations 11 and 32
cdef double rank_biased_overlap(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double p = params.reals[0], total, beyond = 0.0, power
    cdef int64_t n_ideal = n_positive(ranking), n_longer = 0, n_shorter = 0, d
    cdef int64_t longer = max(n_ideal, ranking.n_ret), shorter = min(n_ideal, ranking.n_ret)
    cdef Weights weights = first_weights(p)
    if shorter == 0:
        return 0.0
    if not params.reals[1]:
        return (1.0 - p) * overlap(ranking, p, longer, -log1p(-p) / p, &n_longer)
    overlap(ranking, p, shorter, 0.0, &n_shorter)
    total = overlap(ranking, p, longer, weights_above(&weights, longer + 1), &n_longer)
    power = pow(p, <double> shorter)
    for d in range(shorter + 1, longer + 1):
        beyond += power * <double> (d - shorter) / <double> d
        power *= p
    beyond *= <double> n_shorter / <double> shorter
    return (1.0 - p) * (total + beyond) + power * (
        <double> (n_longer - n_shorter) / <double> longer + <double> n_shorter / <double> shorter
    )


register(MeasureRecord(
    name="RBO",
    title="Rank-biased overlap with the ideal ranking",
    definition="""
        (1 - p) * the sum over depths d of p^(d-1) * (share of the first d documents that the run and the
        ideal ranking have in common). The ideal ranking is that of Compat. Behind its end a list has the
        documents that it has, so the share falls. With extrapolated=True the share behind the end of each
        list stays what it was there. 0 where no grade is above 0 or nothing is retrieved.
    """,
    source="Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, ACM TOIS 28(4), 2010",
    aliases=("rbo",),
    kernel=Kernel.of(rank_biased_overlap),
    parameter_kind=Arguments(
        Argument("p", REAL, 0.9, "persistence", lowest=0.001, highest=0.9999),
        Argument("extrapolated", BOOL, False, "shares stay what they are at the end of a list"),
    ),
    since=None,
    traits=(BOUNDED, IGNORES_LEVEL),
    examples=lambda: (
        Example("a=1", "a", "RBO(p=0.5)", 0.693147, "shares 1, 1/2, 1/3, ...: 0.5 * (1 + 0.5/2 + 0.25/3 + ...) = ln 2"),
        Example("a=1", "a", "RBO(p=0.5, extrapolated=True)", 1.0, "the share is 1 at every depth"),
        Example(
            "a=2 b=1", "b a", "RBO(p=0.5, extrapolated=True)", 0.5, "shares 0, 1, 1, ...: 0.5 * (0 + 0.5 + 0.25 + ...)",
        ),
    ),
))


# pairs of a relevant document and a nonrelevant one below it / pairs of a relevant and a nonrelevant one, to c
cdef double pair_accuracy(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int64_t n_rel = n_rel_at(ranking, params.cutoff)
    cdef double n_nonrel = <double> (last_rank(ranking, params.cutoff) - n_rel), right = 0.0
    cdef int64_t i
    for i in range(ranking.n_hits):
        if ranking.hits[i].rank > params.cutoff:
            break
        if ranking.hits[i].grade >= ranking.level:
            right += n_nonrel - <double> (ranking.hits[i].rank - ranking.hits[i].n_rel)
    return ratio(right, <double> n_rel * n_nonrel)


# E of the same: a pair that ties is in the right order half the time; how many relevant documents are among the first c
# varies in the group that c cuts
cdef double mean_pair_accuracy(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef TieGroup group = first_group()
    cdef Draw draw
    cdef int64_t last = last_rank(ranking, params.cutoff), n_rel, n_nonrel
    cdef double above = 0.0, right, total = 0.0, weights = 0.0
    while next_group(ranking, last, &group) and group.n_looked == group.n:
        above += <double> group.n_rel * (
            <double> (group.first - 1 - group.n_above) + <double> (group.n - group.n_rel) / 2.0
        )
    if group.n_looked == group.n:
        n_rel = group.n_above + group.n_rel
        n_nonrel = last - n_rel
        return ratio(<double> n_rel * <double> n_nonrel - above, <double> n_rel * <double> n_nonrel)
    draw = first_draw(&group)
    while next_draw(&draw):
        n_rel = group.n_above + draw.n_rel
        n_nonrel = last - n_rel
        right = <double> group.n_above * <double> n_nonrel - above
        right += <double> draw.n_rel * <double> (group.n_looked - draw.n_rel) / 2.0
        total += draw.weight * ratio(right, <double> n_rel * <double> n_nonrel)
        weights += draw.weight
    return total / weights


register(MeasureRecord(
    name="Accuracy",
    title="Accuracy of pairs",
    definition="""
        Of the pairs of a relevant and a nonrelevant document at ranks 1..k, the share that has the relevant
        one above; without a cutoff, of all retrieved documents. Unjudged documents count as nonrelevant.
        0 where there is no such pair: nothing relevant, or nothing else, is retrieved. Where ties are
        averaged a tied pair counts half, so without a cutoff it is the area under the ROC curve.
    """,
    source="MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, ECIR 2022",
    aliases=("accuracy",),
    kernel=Kernel.of(pair_accuracy),
    expected=Kernel.of(mean_pair_accuracy),
    parameter_kind=Arguments(REL_ARGUMENT, at="cutoff"),
    since=None,
    traits=(BOUNDED,),
    examples=lambda: (
        Example(*GRADED, "Accuracy", 0.5, "a is above x, c, u and e, b above u and e: (4 + 2 + 0) / (3 * 4)"),
        Example(*GRADED, "Accuracy@4", 0.5, "a is above x and c, b above none: 2 / (2 * 2)"),
        Example(*SECOND, "Accuracy", 0.0, "a is below z"),
    ),
))
