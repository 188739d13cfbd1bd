"""Diversity: a query has subtopics, and a document is worth the less, the more documents above cover the same ones.

A is the number of subtopics with a relevant document. With c(s, i) documents above rank i that cover subtopic s, the
gain at rank i is G(i) = sum over the subtopics of its document of (1 - alpha)^c(s, i). The ideal ranking is made
greedily: at each rank the document of the highest gain, of several the one with the greatest id in byte order.

Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, Novelty and Diversity in Information Retrieval
Evaluation, SIGIR 2008; Clarke, Craswell, Soboroff and Ashkan, A Comparative Analysis of Cascade Measures for Novelty
and Diversity, WSDM 2011
"""

from libc.math cimport log2, pow
from libc.stdint cimport int64_t
from libc.string cimport memset

from treckon._native.diversity cimport Covering, Diversity
from treckon._native.ranking cimport Kernel, log2_of_rank_plus_1
from treckon.measures.ratio cimport ratio
from treckon.measures.series cimport by_rank, sum_of_weights, weight_t

from treckon.measures.example_queries import SUBTOPICS
from treckon.measures.parameters import BOOL, JUDGED_ONLY_ARGUMENT, REAL, REL_ARGUMENT, Argument, Arguments
from treckon.measures.registry import BOUNDED, GROWS_WITH_CUTOFF, VIEW_SUBTOPICS, Example, MeasureRecord, register

ALPHA_NDCG = "Clarke et al., Novelty and Diversity in Information Retrieval Evaluation, SIGIR 2008"
CASCADE = (
    "Clarke, Craswell, Soboroff and Ashkan, A Comparative Analysis of Cascade Measures for Novelty and Diversity, "
    "WSDM 2011"
)
NRBP_SOURCE = (
    "Clarke, Kolla and Vechtomova, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR 2009"
)
INTENT_AWARE = "Agrawal, Gollapudi, Halverson and Ieong, Diversifying Search Results, WSDM 2009"


# What a gain at a rank is multiplied by; the second argument is beta.
ctypedef double (*discount_t)(int64_t, double) noexcept nogil


cdef double reciprocal(int64_t rank, double unused) noexcept nogil:
    return 1.0 / <double> rank


cdef double reciprocal_of_log(int64_t rank, double unused) noexcept nogil:
    return 1.0 / log2_of_rank_plus_1(rank)


cdef double by_power(int64_t rank, double beta) noexcept nogil:
    return pow(beta, <double> (rank - 1))


cdef double by_log(double rank) noexcept nogil:
    return 1.0 / log2(rank + 1.0)


cdef inline void reset(const Diversity *diversity) noexcept nogil:
    # weights[s] = (1 - alpha)^0
    cdef int64_t s
    for s in range(diversity.n_subtopics):
        diversity.weights[s] = 1.0


cdef inline double gain_of(const Diversity *diversity, const Covering *document) noexcept nogil:
    cdef double gain = 0.0
    cdef int64_t i
    for i in range(document.first, document.first + document.n):
        gain += diversity.weights[diversity.subtopics[i]]
    return gain


cdef inline void cover(const Diversity *diversity, const Covering *document, double alpha) noexcept nogil:
    # The document's subtopics have been covered once more.
    cdef int64_t i
    for i in range(document.first, document.first + document.n):
        diversity.weights[diversity.subtopics[i]] *= 1.0 - alpha


# sum over i <= c of G(i) discount(i)
cdef double discounted_gain(
    const Diversity *diversity, int64_t cutoff, double alpha, discount_t discount, double beta
) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    reset(diversity)
    for i in range(diversity.n_found):
        if diversity.found[i].rank > cutoff:
            break
        total += gain_of(diversity, &diversity.found[i]) * discount(diversity.found[i].rank, beta)
        cover(diversity, &diversity.found[i], alpha)
    return total


cdef int64_t best_document(const Diversity *diversity) noexcept nogil:
    # Of those not taken, the first of the highest gain; -1 where none gains.
    cdef double gain, highest = 0.0
    cdef int64_t best = -1, i
    for i in range(diversity.n_covering):
        if not diversity.taken[i]:
            gain = gain_of(diversity, &diversity.covering[i])
            if gain > highest:
                highest = gain
                best = i
    return best


# The same of the ideal ranking
cdef double ideal_discounted_gain(
    const Diversity *diversity, int64_t cutoff, double alpha, discount_t discount, double beta
) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t rank, best
    reset(diversity)
    memset(diversity.taken, 0, diversity.n_covering * sizeof(bint))
    for rank in range(1, min(cutoff, diversity.n_covering) + 1):
        best = best_document(diversity)
        if best < 0:
            break
        total += gain_of(diversity, &diversity.covering[best]) * discount(rank, beta)
        cover(diversity, &diversity.covering[best], alpha)
        diversity.taken[best] = True
    return total


# sum over i <= c of A (1 - alpha)^(i-1) discount(i): every document covers all subtopics
cdef double highest_discounted_gain(
    const Diversity *diversity, int64_t cutoff, double alpha, weight_t discount
) noexcept nogil:
    return <double> diversity.n_subtopics * sum_of_weights(1.0 - alpha, discount, 1, cutoff)


ALPHA = Argument("alpha", REAL, 0.5, "how much less a subtopic is worth once it was covered", lowest=0, highest=1)
BETA = Argument("beta", REAL, 0.5, "persistence: the chance of going on to the next document", lowest=0, highest=1)
AS_NDEVAL = Argument(
    "as_ndeval", BOOL, False, "at cutoff 1 the sum is not divided, as in ndeval", breaks=(BOUNDED,)
)
RELEVANT = (REL_ARGUMENT, JUDGED_ONLY_ARGUMENT)
BASIS = """
    Subtopics are the groups of the qrels; A is the number of those with a relevant document, others do
    not count. Unjudged documents cover nothing. 0 where A is 0.
"""


def diversity_measure(
    name, title, definition, source, kernel, arguments=(), *, at=None, traits=(), aliases=(), examples
):
    """Registers a measure over subtopics. `at`: None, "cutoff", or "cutoff!" where it has to be given."""
    register(MeasureRecord(
        name=name,
        title=title,
        definition=definition.rstrip() + BASIS,
        source=source,
        aliases=aliases,
        kernel=kernel,
        parameter_kind=Arguments(
            *arguments, *RELEVANT, at=None if at is None else "cutoff", at_required=at == "cutoff!",
        ),
        view=VIEW_SUBTOPICS,
        since=None,
        traits=traits,
        examples=examples,
    ))


# ERR-IA@c = sum over i <= c of G(i) / i / sum over i <= c of A (1 - alpha)^(i-1) / i
# Clarke, Craswell, Soboroff and Ashkan, WSDM 2011
cdef double err_ia(const Diversity *diversity, int64_t cutoff, const double *reals) noexcept nogil:
    cdef double total = discounted_gain(diversity, cutoff, reals[0], reciprocal, 0.0)
    if cutoff == 1 and reals[1]:
        return total
    return ratio(total, highest_discounted_gain(diversity, cutoff, reals[0], by_rank))


diversity_measure(
    "ERR_IA",
    "Intent-aware expected reciprocal rank",
    """
    ERR_IA@k = (the sum over ranks i = 1..k of G(i) / i) / (the sum of A * (1 - alpha)^(i-1) / i). The
    gain G(i) is the sum over the subtopics that the document covers of (1 - alpha)^c, c documents above
    having covered the subtopic. ndeval leaves out the division at cutoff 1: as_ndeval=True.
    """,
    CASCADE,
    Kernel.of_diversity(err_ia),
    (ALPHA, AS_NDEVAL),
    at="cutoff!",
    traits=(BOUNDED,),
    aliases=("err_ia",),
    examples=lambda: (
        Example(*SUBTOPICS, "ERR_IA@2", 0.533333, "A = 3; a covers 1, b covers 2 and 3: (1 + 2/2) / (3 + 1.5/2)"),
        Example(*SUBTOPICS, "ERR_IA@1", 0.333333, "1 / 3"),
        Example(*SUBTOPICS, "ERR_IA(as_ndeval=True)@1", 1.0, "not divided"),
    ),
)


# nERR-IA@c = sum over i <= c of G(i) / i / the same of the ideal ranking
cdef double nerr_ia(const Diversity *diversity, int64_t cutoff, const double *reals) noexcept nogil:
    cdef double total = discounted_gain(diversity, cutoff, reals[0], reciprocal, 0.0)
    return ratio(total, ideal_discounted_gain(diversity, cutoff, reals[0], reciprocal, 0.0))


IDEAL = """.
    At each rank the ideal ranking has the document of the highest gain, of several the one with the
    greatest id. The gain G(i) is the sum over the subtopics that the document covers of (1 - alpha)^c,
    c documents above having covered the subtopic.
"""

diversity_measure(
    "nERR_IA",
    "Normalised intent-aware expected reciprocal rank",
    "nERR_IA@k = (the sum over ranks i = 1..k of G(i) / i) / (the same of the ideal ranking)" + IDEAL,
    CASCADE,
    Kernel.of_diversity(nerr_ia),
    (ALPHA,),
    at="cutoff",
    traits=(),
    aliases=("nerr_ia",),
    examples=lambda: (
        Example(*SUBTOPICS, "nERR_IA@1", 0.5, "a gains 1, b would gain 2"),
        Example(*SUBTOPICS, "nERR_IA@2", 0.8, "(1 + 2/2) / (2 + 1/2)"),
    ),
)


# alpha-DCG@c = sum over i <= c of G(i) / log2(i + 1) / sum over i <= c of A (1 - alpha)^(i-1) / log2(i + 1)
# Clarke et al., SIGIR 2008
cdef double alpha_dcg(const Diversity *diversity, int64_t cutoff, const double *reals) noexcept nogil:
    cdef double total = discounted_gain(diversity, cutoff, reals[0], reciprocal_of_log, 0.0)
    if cutoff == 1 and reals[1]:
        return total
    return ratio(total, highest_discounted_gain(diversity, cutoff, reals[0], by_log))


diversity_measure(
    "alpha_DCG",
    "alpha-DCG",
    """
    alpha_DCG@k = (the sum over ranks i = 1..k of G(i) / log2(i + 1)) / (the sum of
    A * (1 - alpha)^(i-1) / log2(i + 1)). The gain G(i) is the sum over the subtopics that the document
    covers of (1 - alpha)^c, c documents above having covered the subtopic. ndeval leaves out the
    division at cutoff 1: as_ndeval=True.
    """,
    ALPHA_NDCG,
    Kernel.of_diversity(alpha_dcg),
    (ALPHA, AS_NDEVAL),
    at="cutoff!",
    traits=(BOUNDED,),
    aliases=("α_DCG", "alpha_dcg"),
    examples=lambda: (
        Example(*SUBTOPICS, "alpha_DCG@2", 0.573146, "(1 + 2/log2(3)) / (3 + 1.5/log2(3))"),
        Example(*SUBTOPICS, "alpha_DCG@1", 0.333333, "1 / 3"),
    ),
)


# alpha-nDCG@c = sum over i <= c of G(i) / log2(i + 1) / the same of the ideal ranking
cdef double alpha_ndcg(const Diversity *diversity, int64_t cutoff, const double *reals) noexcept nogil:
    cdef double total = discounted_gain(diversity, cutoff, reals[0], reciprocal_of_log, 0.0)
    return ratio(total, ideal_discounted_gain(diversity, cutoff, reals[0], reciprocal_of_log, 0.0))


diversity_measure(
    "alpha_nDCG",
    "alpha-nDCG",
    "alpha_nDCG@k = (the sum over ranks i = 1..k of G(i) / log2(i + 1)) / (the same of the ideal\n"
    "ranking)" + IDEAL,
    ALPHA_NDCG,
    Kernel.of_diversity(alpha_ndcg),
    (ALPHA,),
    at="cutoff",
    aliases=("α_nDCG", "alpha_ndcg"),
    examples=lambda: (
        Example(*SUBTOPICS, "alpha_nDCG@1", 0.5, "a gains 1, b would gain 2"),
        Example(*SUBTOPICS, "alpha_nDCG@2", 0.859719, "(1 + 2/log2(3)) / (2 + 1/log2(3))"),
        Example(*SUBTOPICS, "alpha_nDCG(alpha=1)", 0.859719, "d at rank 4 covers nothing new"),
    ),
)


# NRBP = (1 - (1 - alpha) beta) / A sum over i of beta^(i-1) G(i)
# Clarke, Kolla and Vechtomova, ICTIR 2009
cdef double nrbp(const Diversity *diversity, int64_t cutoff, const double *reals) noexcept nogil:
    cdef double alpha = reals[0], beta = reals[1]
    cdef double total = discounted_gain(diversity, cutoff, alpha, by_power, beta)
    return ratio((1.0 - (1.0 - alpha) * beta) * total, <double> diversity.n_subtopics)


diversity_measure(
    "NRBP",
    "Novelty- and rank-biased precision",
    """
    NRBP = (1 - (1 - alpha) * beta) / A * (the sum over the retrieved documents of beta^(i-1) * G(i)), i
    the rank. The gain G(i) is the sum over the subtopics that the document covers of (1 - alpha)^c, c
    documents above having covered the subtopic.
    """,
    NRBP_SOURCE,
    Kernel.of_diversity(nrbp),
    (ALPHA, BETA),
    traits=(BOUNDED,),
    aliases=("nrbp",),
    examples=lambda: (
        Example(*SUBTOPICS, "NRBP", 0.515625, "0.75 / 3 * (1 + 2 * 0.5 + 0.5 * 0.5^3)"),
        Example(*SUBTOPICS, "NRBP(beta=0)", 0.333333, "1/3 * 1"),
    ),
)


# nNRBP = sum over i of beta^(i-1) G(i) / the same of the ideal ranking
cdef double nnrbp(const Diversity *diversity, int64_t cutoff, const double *reals) noexcept nogil:
    cdef double total = discounted_gain(diversity, cutoff, reals[0], by_power, reals[1])
    return ratio(total, ideal_discounted_gain(diversity, cutoff, reals[0], by_power, reals[1]))


diversity_measure(
    "nNRBP",
    "Normalised novelty- and rank-biased precision",
    "nNRBP = (the sum over the retrieved documents of beta^(i-1) * G(i), i the rank) / (the same of the\n"
    "ideal ranking)" + IDEAL,
    NRBP_SOURCE,
    Kernel.of_diversity(nnrbp),
    (ALPHA, BETA),
    aliases=("nnrbp",),
    examples=lambda: (
        Example(
            *SUBTOPICS, "nNRBP", 0.767442,
            "ideal b, a, d, c: (1 + 2 * 0.5 + 0.5 * 0.5^3) / (2 + 1 * 0.5 + 0.5 * 0.5^2 + 0.5 * 0.5^3)",
        ),
        Example(*SUBTOPICS, "nNRBP(beta=0)", 0.5, "1 / 2"),
    ),
)


# AP-IA = mean over the subtopics of AP
# Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009
cdef double ap_ia(const Diversity *diversity, int64_t cutoff, const double *reals) noexcept nogil:
    # weights[s] counts the documents that cover s.
    cdef const Covering *document
    cdef double total = 0.0
    cdef int64_t i, j, s
    for s in range(diversity.n_subtopics):
        diversity.weights[s] = 0.0
    for i in range(diversity.n_found):
        document = &diversity.found[i]
        if document.rank > cutoff:
            break
        for j in range(document.first, document.first + document.n):
            s = diversity.subtopics[j]
            diversity.weights[s] += 1.0
            total += diversity.weights[s] / <double> document.rank / <double> diversity.n_rel[s]
    return ratio(total, <double> diversity.n_subtopics)


diversity_measure(
    "AP_IA",
    "Intent-aware average precision",
    "The mean over the A subtopics of average precision, each subtopic with its own relevant documents.",
    INTENT_AWARE,
    Kernel.of_diversity(ap_ia),
    traits=(BOUNDED,),
    aliases=("MAP_IA", "ap_ia", "map_ia"),
    examples=lambda: (
        Example(*SUBTOPICS, "AP_IA", 0.583333, "subtopics: 1/1, (1/2 + 2/4) / 2, (1/2) / 2: (1 + 1/2 + 1/4) / 3"),
        Example(*SUBTOPICS, "AP_IA(rel=2)", 1.0, "only the first has a document of grade 2, a"),
    ),
)


# P-IA@c = sum over the subtopics of relevant documents among the first c / (c A)
cdef double p_ia(const Diversity *diversity, int64_t cutoff, const double *reals) noexcept nogil:
    cdef int64_t n = 0, i
    for i in range(diversity.n_found):
        if diversity.found[i].rank > cutoff:
            break
        n += diversity.found[i].n
    return ratio(<double> n, <double> cutoff * <double> diversity.n_subtopics)


diversity_measure(
    "P_IA",
    "Intent-aware precision at a cutoff",
    "P_IA@k = the mean over the A subtopics of precision at k: (relevant documents at ranks 1..k) / k.",
    INTENT_AWARE,
    Kernel.of_diversity(p_ia),
    at="cutoff!",
    traits=(BOUNDED,),
    aliases=("p_ia",),
    examples=lambda: (
        Example(*SUBTOPICS, "P_IA@2", 0.5, "1/2, 1/2 and 1/2"),
        Example(*SUBTOPICS, "P_IA@10", 0.133333, "1/10, 2/10 and 1/10: (4/10) / 3"),
    ),
)


# subtopics covered by the first c documents / A
# Zhai, Cohen and Lafferty, SIGIR 2003
cdef double subtopic_recall(const Diversity *diversity, int64_t cutoff, const double *reals) noexcept nogil:
    cdef int64_t n = 0, i, j, s
    reset(diversity)
    for i in range(diversity.n_found):
        if diversity.found[i].rank > cutoff:
            break
        for j in range(diversity.found[i].first, diversity.found[i].first + diversity.found[i].n):
            s = diversity.subtopics[j]
            n += diversity.weights[s] > 0.0
            diversity.weights[s] = 0.0
    return ratio(<double> n, <double> diversity.n_subtopics)


diversity_measure(
    "StRecall",
    "Subtopic recall",
    """
    StRecall@k = (subtopics covered by the documents at ranks 1..k) / A; without a cutoff, by all
    retrieved documents.
    """,
    "Zhai, Cohen and Lafferty, Beyond Independent Relevance: Subtopic Retrieval, SIGIR 2003",
    Kernel.of_diversity(subtopic_recall),
    at="cutoff",
    traits=(BOUNDED, GROWS_WITH_CUTOFF),
    aliases=("strec", "st_recall"),
    examples=lambda: (
        Example(*SUBTOPICS, "StRecall@1", 0.333333, "a covers 1 of 3"),
        Example(*SUBTOPICS, "StRecall", 1.0, "a and b cover all"),
    ),
)
