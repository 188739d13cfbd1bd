"""The C/W/L family: a user model is the chance C(i) of going on from rank i to the next.

With V(1) = 1 and V(i+1) = V(i) C(i), the user looks at rank i with weight W(i) = V(i) / sum of V and stops there with
chance L(i) = V(i) (1 - C(i)). Gains g(i) lie between 0 and 1, every document costs 1, a list has 1000 ranks: those
without a judged document gain nothing. G(i) is the sum of the first i gains.

Moffat, Bailey, Scholer and Thomas, Incorporating User Expectations and Behavior into the Measurement of Search
Effectiveness, ACM TOIS 35(3), 2017; Azzopardi, Thomas and Moffat, cwl_eval: An Evaluation Tool for Information
Retrieval, SIGIR 2019
"""

from libc.math cimport exp, exp2, fmax, fmin, pow
from libc.stdint cimport int64_t

from treckon._native.ranking cimport Kernel, Params, Ranking, log2_of_rank_plus_1
from treckon.measures.ratio cimport ratio
from treckon.measures.ties cimport TieGroup, first_group, next_group

from treckon.measures.example_queries import GRADED, SECOND
from treckon.measures.parameters import INT, REAL, REL_ARGUMENT, TEXT, Argument, Arguments
from treckon.measures.registry import BOUNDED, IGNORES_LEVEL, MONOTONE, Example, MeasureRecord, register

cdef enum:
    LENGTH = 1000      # ranks of a list

# What is expected of the user, by the number of the choice `of`.
cdef enum:
    UTILITY            # EU = sum of W g
    TOTAL_UTILITY      # ETU = sum of L G
    COST               # EC = sum of W
    TOTAL_COST         # ETC = sum of L i
    ITEMS              # ED = 1 / W(1)
    RESIDUAL           # of EU


ctypedef struct GainList:
    # The gains of a ranking, read from the top. Behind the measure's own arguments stand min_rel, max_rel and `of`.
    const Ranking *ranking
    double lowest      # grade that gains 0
    double highest     # grade that gains 1
    double unjudged    # gain of a document without a judgement, and of a rank without a document
    bint means         # each gain is the mean of those that tie with it
    TieGroup group
    double mean        # gain of each document of `group`
    int64_t next_hit


cdef inline GainList gain_list(
    const Ranking *ranking, const Params *params, double unjudged, bint means
) noexcept nogil:
    cdef GainList gains
    cdef double max_rel = params.reals[params.n_reals - 2]
    gains.ranking = ranking
    gains.lowest = params.reals[params.n_reals - 3]
    gains.highest = max_rel if max_rel > 0.0 else <double> params.highest_grade
    gains.unjudged = unjudged
    gains.means = means
    gains.group = first_group()
    gains.mean = 0.0
    gains.next_hit = 0
    return gains


cdef inline double gain_of_hit(const GainList *gains, int64_t i) noexcept nogil:
    cdef double grade = <double> gains.ranking.hits[i].grade
    if grade < 0.0:
        return gains.unjudged
    if gains.highest <= gains.lowest:
        return 1.0 if grade > gains.lowest else 0.0
    return fmin(fmax((grade - gains.lowest) / (gains.highest - gains.lowest), 0.0), 1.0)


cdef inline double gain_at(GainList *gains, int64_t rank) noexcept nogil:
    # The gain at the next rank.
    cdef const Ranking *ranking = gains.ranking
    cdef double total
    cdef int64_t i
    if gains.means:
        if rank >= gains.group.first + gains.group.n and next_group(ranking, rank, &gains.group):
            total = gains.unjudged * <double> (gains.group.n - (gains.group.end - gains.group.begin))
            for i in range(gains.group.begin, gains.group.end):
                total += gain_of_hit(gains, i)
            gains.mean = total / <double> gains.group.n
        return gains.mean if rank < gains.group.first + gains.group.n else gains.unjudged
    if gains.next_hit < ranking.n_hits and ranking.hits[gains.next_hit].rank == rank:
        gains.next_hit += 1
        return gain_of_hit(gains, gains.next_hit - 1)
    return gains.unjudged


ctypedef struct User:
    # A user on the way down the list.
    int64_t rank
    double gain        # g(rank)
    double total       # G(rank)
    double target      # what BPMD's user wants
    double patience    # what BPMD's user is ready to pay


# C(rank) of a model
ctypedef double (*goes_on_t)(User *, const Params *) noexcept nogil


cdef double walk(GainList gains, const Params *params, goes_on_t goes_on, int quantity) noexcept nogil:
    cdef User user
    cdef double looking = 1.0, chance, looks = 0.0, utility = 0.0, total_utility = 0.0, total_cost = 0.0
    cdef int64_t rank
    user.total = user.target = user.patience = 0.0
    for rank in range(1, LENGTH + 1):
        user.rank = rank
        user.gain = gain_at(&gains, rank)
        user.total += user.gain
        chance = goes_on(&user, params)
        looks += looking
        utility += looking * user.gain
        total_utility += looking * (1.0 - chance) * user.total
        total_cost += looking * (1.0 - chance) * <double> rank
        looking *= chance
        if looking == 0.0:
            break
    if quantity == UTILITY:
        return utility / looks
    if quantity == TOTAL_UTILITY:
        return total_utility
    if quantity == TOTAL_COST:
        return total_cost
    return looks if quantity == ITEMS else 1.0


cdef double expectation(
    const Ranking *ranking, const Params *params, goes_on_t goes_on, bint means
) noexcept nogil:
    # What the argument `of` asks for. Residual: EU where every unjudged document and rank gains 1, minus EU.
    cdef int quantity = <int> params.reals[params.n_reals - 1]
    if quantity != RESIDUAL:
        return walk(gain_list(ranking, params, 0.0, means), params, goes_on, quantity)
    return (
        walk(gain_list(ranking, params, 1.0, means), params, goes_on, UTILITY)
        - walk(gain_list(ranking, params, 0.0, means), params, goes_on, UTILITY)
    )


MIN_REL = Argument("min_rel", INT, 0, "highest grade that gains 0", lowest=0, highest=10**9)
MAX_REL = Argument("max_rel", INT, 0, "grade that gains 1; 0: the highest in the qrels", lowest=0, highest=10**9)
OF = Argument(
    "of", TEXT, "EU", "what is expected: rate of gain, total gain, rate of cost, total cost, documents looked at",
    choices=("EU", "ETU", "EC", "ETC", "ED", "residual"), breaks=(BOUNDED, MONOTONE),
)  # fmt: skip
CWL = "in the frame of Moffat, Bailey, Scholer and Thomas, ACM TOIS 35(3), 2017"
SCALE = """
    A grade gains (grade - min_rel) / (max_rel - min_rel), between 0 and 1; max_rel is the highest
    grade of the scale, if not given the highest in the qrels, all queries together. Documents
    without a judgement, and ranks below the end of the run, up to rank 1000, gain 0. Every document
    costs 1. The value is EU, the gain for each document looked at; of='ETU' is the gain when the
    user stops, 'EC' and 'ETC' the same of costs, 'ED' the number of documents looked at, and
    'residual' how much EU could rise if all without a judgement gained 1.
"""


def cwl_measure(name, title, model, source, kernel, arguments=(), *, at=None, expected=None, traits=(), examples):
    """Registers a measure of the family; `model` says how its user goes on, `arguments` are those of the model."""
    register(MeasureRecord(
        name=name,
        title=title,
        definition=model.rstrip() + SCALE,
        source=f"{source}; {CWL}",
        kernel=kernel,
        expected=expected,
        parameter_kind=Arguments(*arguments, MIN_REL, MAX_REL, OF, at=at, at_required=at is not None),
        since=None,
        traits=(BOUNDED, IGNORES_LEVEL, *traits),
        examples=examples,
    ))


# C(i) = 1 for i < k, else 0
cdef double goes_on_to_cutoff(User *user, const Params *params) noexcept nogil:
    return 1.0 if user.rank < params.cutoff else 0.0


cdef double precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_to_cutoff, False)


cdef double mean_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_to_cutoff, True)


cwl_measure(
    "CWL_P",
    "Graded precision (C/W/L)",
    "The user looks at the first k documents: C(i) = 1 for i < k, else 0.",
    "Kent, Berry, Luehrs and Perry, American Documentation 6(2), 1955",
    Kernel.of(precision),
    at="cutoff",
    expected=Kernel.of(mean_precision),
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "CWL_P@5", 0.2, "gains 2/3 and 1/3 at ranks 1 and 4: 1/5"),
        Example(*GRADED, "CWL_P(of='residual')@5", 0.4, "x and u at ranks 2 and 5: 2/5"),
    ),
)


# C(i) = p
cdef double goes_on_always_alike(User *user, const Params *params) noexcept nogil:
    return params.reals[0]


cdef double rbp(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_always_alike, False)


cdef double mean_rbp(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_always_alike, True)


cwl_measure(
    "CWL_RBP",
    "Graded rank-biased precision (C/W/L)",
    "The user goes on from each document with the same chance: C(i) = p.",
    "Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, ACM TOIS 27(1), 2008",
    Kernel.of(rbp),
    (Argument("p", REAL, 0.8, "persistence", lowest=0, highest=0.999),),
    expected=Kernel.of(mean_rbp),
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "CWL_RBP", 0.219895, "gains 2/3, 1/3, 1 at ranks 1, 4, 7: 0.2 * (2/3 + 0.8^3/3 + 0.8^6)"),
        Example(*GRADED, "CWL_RBP(p=0.5, of='ED')", 2.0, "1 / (1 - 0.5) documents looked at"),
    ),
)


# C(i) = 1 / (1 + rate)
cdef double goes_on_by_rate(User *user, const Params *params) noexcept nogil:
    return 1.0 / (1.0 + params.reals[0])


cdef double npv(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_rate, False)


cdef double mean_npv(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_rate, True)


cwl_measure(
    "NPV",
    "Net present value (C/W/L)",
    """
    Each further document is discounted by a rate of interest: C(i) = 1 / (1 + rate). A rate of 0.25 is
    CWL_RBP(p=0.8).
    """,
    "Azzopardi, Thomas and Moffat, cwl_eval: An Evaluation Tool for Information Retrieval, SIGIR 2019",
    Kernel.of(npv),
    (Argument("rate", REAL, 0.1, "rate of interest for each document", lowest=0.001, highest=1e9),),
    expected=Kernel.of(mean_npv),
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "NPV(rate=0.25)", 0.219895, "C = 1/1.25 = 0.8: 0.2 * (2/3 + 0.8^3/3 + 0.8^6)"),
        Example(*GRADED, "NPV(rate=1)", 0.361979, "C = 0.5: 0.5 * (2/3 + 0.5^3/3 + 0.5^6)"),
    ),
)


# V(i) = 1 / log2(i + 1) for i <= k
cdef double goes_on_by_log(User *user, const Params *params) noexcept nogil:
    if user.rank >= params.cutoff:
        return 0.0
    return log2_of_rank_plus_1(user.rank) / log2_of_rank_plus_1(user.rank + 1)


cdef double sdcg(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_log, False)


cdef double mean_sdcg(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_log, True)


cwl_measure(
    "SDCG",
    "Scaled discounted cumulated gain (C/W/L)",
    """
    W(i) is proportional to 1 / log2(i + 1) for i <= k, so EU is DCG@k divided by that of k documents
    of the highest grade, which the query need not have: not by its ideal ranking.
    """,
    "Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, ACM TOIS 20(4), 2002",
    Kernel.of(sdcg),
    at="cutoff",
    expected=Kernel.of(mean_sdcg),
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "SDCG@3", 0.312852, "(2/3) / (1 + 1/log2(3) + 1/2)"),
        Example(*GRADED, "SDCG(max_rel=4)@4", 0.237222, "(2/4 + (1/4)/log2(5)) / (1 + 1/log2(3) + 1/2 + 1/log2(5))"),
    ),
)


# C(i) = 1 up to the first gain, then 0
cdef double goes_on_to_first_gain(User *user, const Params *params) noexcept nogil:
    return 1.0 if user.total == 0.0 else 0.0


cdef double reciprocal_rank(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_to_first_gain, False)


cwl_measure(
    "CWL_RR",
    "Graded reciprocal rank (C/W/L)",
    "The user stops at the first document that gains: EU is its gain divided by its rank.",
    "Kantor and Voorhees, The TREC-5 Confusion Track, Information Retrieval 2, 2000",
    Kernel.of(reciprocal_rank),
    examples=lambda: (
        Example(*GRADED, "CWL_RR", 0.666667, "a gains 2/3 at rank 1"),
        Example(*SECOND, "CWL_RR", 0.5, "a gains 1 at rank 2, below an unjudged document"),
    ),
)


# C(i) = sum over j > i of g(j)/j / sum over j >= i of g(j)/j; so V(i) is proportional to the latter sum, the sum of V
# to that of the gains, and L(i) is g(i)/i over the sum of all g(j)/j
cdef double cwl_average_precision(GainList gains, int quantity) noexcept nogil:
    cdef double gain, total = 0.0, by_rank = 0.0, precisions = 0.0
    cdef int64_t rank
    for rank in range(1, LENGTH + 1):
        gain = gain_at(&gains, rank)
        total += gain
        by_rank += gain / <double> rank
        precisions += gain / <double> rank * total
    if quantity == UTILITY:
        return ratio(precisions, total)
    if quantity == TOTAL_UTILITY:
        return ratio(precisions, by_rank)
    # Where nothing gains the user stops at once.
    return 1.0 if quantity == COST or total == 0.0 else total / by_rank


cdef double average_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int quantity = <int> params.reals[params.n_reals - 1]
    if quantity != RESIDUAL:
        return cwl_average_precision(gain_list(ranking, params, 0.0, False), quantity)
    return (
        cwl_average_precision(gain_list(ranking, params, 1.0, False), UTILITY)
        - cwl_average_precision(gain_list(ranking, params, 0.0, False), UTILITY)
    )


cwl_measure(
    "CWL_AP",
    "Graded average precision of the gain retrieved (C/W/L)",
    """
    C(i) = (sum over j > i of g(j)/j) / (sum over j >= i of g(j)/j), which makes EU the mean of G(i)/i
    weighted by the gains retrieved. What was not retrieved does not count: with binary grades it is
    AP(denominator='retrieved').
    """,
    "Harman, Evaluation Issues in Information Retrieval, Information Processing and Management 28(4), 1992",
    Kernel.of(average_precision),
    examples=lambda: (
        Example(*GRADED, "CWL_AP", 0.406746, "(2/3 * 2/3 + 1/3 * 1/4 + 1 * 2/7) / 2"),
        Example(*SECOND, "CWL_AP", 0.5, "a gains 1 at rank 2: 1/2"),
    ),
)


# W(i) = G(i) / (i R), 1 / (i R) while nothing was gained; not made to sum to 1, so EU = sum of W g = ETU W(1)
cdef double graded_average_precision(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int quantity = <int> params.reals[params.n_reals - 1]
    cdef GainList gains = gain_list(ranking, params, 0.0, False)
    cdef double gain, total = 0.0, weight, first = 1.0, utility = 0.0, cost = 0.0
    cdef int64_t rank
    if ranking.n_rel == 0:
        return 0.0
    for rank in range(1, LENGTH + 1):
        gain = gain_at(&gains, rank)
        total += gain
        weight = (total if total > 0.0 else 1.0) / (<double> rank * <double> ranking.n_rel)
        if rank == 1:
            first = weight
        utility += weight * gain
        cost += weight
    if quantity == UTILITY or quantity == COST:
        return utility if quantity == UTILITY else cost
    return (utility if quantity == TOTAL_UTILITY else cost if quantity == TOTAL_COST else 1.0) / first


register(MeasureRecord(
    name="TrAP",
    title="Graded average precision (C/W/L)",
    definition="""
        EU = (1/R) * the sum over ranks i of g(i) * G(i) / i, G(i) the sum of the gains up to rank i, R the
        number of relevant documents in the qrels: with binary grades it is AP. As a user model its weights
        are G(i) / (i*R), 1 / (i*R) while nothing was gained; they do not sum to 1.
        A grade gains (grade - min_rel) / (max_rel - min_rel), between 0 and 1; max_rel is the highest grade
        of the scale, if not given the highest in the qrels, all queries together. Ranks up to 1000 count.
        Documents below the relevance level gain though R leaves them out, so the value can pass 1 where
        that level is above 1. of='EU' is the value, 'ETU', 'EC', 'ETC' and 'ED' are as for CWL_AP.
        0 where R is 0.
    """,
    source=f"Harman, Evaluation Issues in Information Retrieval, IPM 28(4), 1992; {CWL}",
    kernel=Kernel.of(graded_average_precision),
    parameter_kind=Arguments(
        REL_ARGUMENT,
        MIN_REL,
        MAX_REL,
        Argument("of", TEXT, "EU", OF.meaning, choices=OF.choices[:RESIDUAL], breaks=OF.breaks),
    ),
    since=None,
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "TrAP", 0.203373, "R = 4: (2/3 * 2/3 + 1/3 * 1/4 + 1 * 2/7) / 4"),
        Example(*SECOND, "TrAP", 0.5, "R = 1: 1 * 1/2"),
    ),
))


# C(i) = ((i + T + T(i) - 1) / (i + T + T(i)))^2, T(i) = T - G(i)
# Moffat, Bailey, Scholer and Thomas, ADCS 2015
cdef double goes_on_by_inst(User *user, const Params *params) noexcept nogil:
    cdef double x = <double> user.rank + params.reals[0] + (params.reals[0] - user.total)
    return (x - 1.0) / x * ((x - 1.0) / x)


cdef double inst(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_inst, False)


WANTED = Argument("T", REAL, 1.0, "gain that the user wants", lowest=0.5, highest=1e6)

cwl_measure(
    "INST",
    "INST (C/W/L)",
    """
    The user wants a total gain T and gives up the later, the more he wants and the less he has found:
    C(i) = ((i + T + T(i) - 1) / (i + T + T(i)))^2 with T(i) = T - G(i).
    """,
    "Moffat, Bailey, Scholer and Thomas, INST: An Adaptive Metric for Information Retrieval Evaluation, ADCS 2015",
    Kernel.of(inst),
    (WANTED,),
    examples=lambda: (
        Example(*SECOND, "INST", 0.207222, "V = 1, (2/3)^2, (2/3)^4, ..., all V sum to 2.1448: 0.4444 / 2.1448"),
        Example(*SECOND, "INST(T=2)", 0.164265, "V = 1, (4/5)^2, (4/5)^4, ..., all V sum to 3.8961: 0.64 / 3.8961"),
    ),
)


# C(i) = ((i + 2T - 1) / (i + 2T))^2
# Moffat, Scholer and Thomas, ADCS 2012
cdef double goes_on_by_insq(User *user, const Params *params) noexcept nogil:
    cdef double x = <double> user.rank + 2.0 * params.reals[0]
    return (x - 1.0) / x * ((x - 1.0) / x)


cdef double insq(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_insq, False)


cdef double mean_insq(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_insq, True)


cwl_measure(
    "INSQ",
    "INSQ (C/W/L)",
    """
    The user wants a total gain T and gives up the later, the more he wants, whatever he finds:
    C(i) = ((i + 2T - 1) / (i + 2T))^2.
    """,
    "Moffat, Scholer and Thomas, Models and Metrics: IR Evaluation as a User Process, ADCS 2012",
    Kernel.of(insq),
    (WANTED,),
    expected=Kernel.of(mean_insq),
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*SECOND, "INSQ", 0.172550, "V = 1, (2/3)^2, (2/4)^2, ..., all V sum to 2.5757: 0.4444 / 2.5757"),
        Example(*SECOND, "INSQ(T=2)", 0.141429, "V = 1, (4/5)^2, (4/6)^2, ..., all V sum to 4.5252: 0.64 / 4.5252"),
    ),
)


# C(i) = 1 while G(i) < T and i < k, then 0
# Zhang, Liu, Li, Zhang, Xu and Ma, SIGIR 2017
cdef double goes_on_to_target(User *user, const Params *params) noexcept nogil:
    return 1.0 if user.total < params.reals[0] and user.rank < params.cutoff else 0.0


cdef double bpm(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_to_target, False)


BEJEWELED = "Zhang, Liu, Li, Zhang, Xu and Ma, Evaluating Web Search with a Bejeweled Player Model, SIGIR 2017"
TARGET = Argument("T", REAL, 1.0, "gain that the user wants", lowest=0, highest=1e6)

cwl_measure(
    "BPM",
    "Bejeweled player model (C/W/L)",
    """
    The user goes on until he has gained T or paid k, the cutoff: C(i) = 1 while G(i) < T and i < k,
    then 0.
    """,
    BEJEWELED,
    Kernel.of(bpm),
    (TARGET,),
    at="cutoff",
    examples=lambda: (
        Example(*GRADED, "BPM@10", 0.25, "G reaches 1 at rank 4: (2/3 + 1/3) / 4"),
        Example(*GRADED, "BPM(T=2)@5", 0.2, "stopped by the cutoff: (2/3 + 1/3) / 5"),
    ),
)


# The same, with T moved by h_b (g(j) - gain_med), and what he is ready to pay by h_c (g(j) - gain_med), for each
# document j above
cdef double goes_on_to_moving_target(User *user, const Params *params) noexcept nogil:
    cdef double surprise = user.gain - params.reals[3]
    cdef bint goes_on = (
        user.total < params.reals[0] + user.target
        and <double> user.rank < <double> params.cutoff + user.patience
    )
    user.target += params.reals[1] * surprise
    user.patience += params.reals[2] * surprise
    return 1.0 if goes_on else 0.0


cdef double bpmd(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_to_moving_target, False)


cwl_measure(
    "BPMD",
    "Dynamic Bejeweled player model (C/W/L)",
    """
    As BPM, but what the user wants, and what he is ready to pay, move with what he finds: behind each
    document T by h_b * (gain - gain_med), k by h_c * (gain - gain_med).
    """,
    BEJEWELED,
    Kernel.of(bpmd),
    (
        TARGET,
        Argument("h_b", REAL, 1.0, "how far a gain moves what the user wants", lowest=-1e6, highest=1e6),
        Argument("h_c", REAL, 1.0, "how far a gain moves what he is ready to pay", lowest=-1e6, highest=1e6),
        Argument("gain_med", REAL, 0.5, "gain that he expects", lowest=0, highest=1),
    ),
    at="cutoff",
    examples=lambda: (
        Example(*SECOND, "BPMD@10", 0.5, "T = 1 at rank 1, where G = 0, 0.5 at rank 2, where G = 1: (0 + 1) / 2"),
        Example("a=1 b=1", "c a b", "BPMD(T=2)@10", 0.666667, "T = 2, 1.5, 2 at ranks 1 to 3, G = 0, 1, 2: 2/3"),
        Example("a=1", "x y z a", "BPMD(T=9, of='ED')@2", 2.0, "he is ready to pay 2 at rank 1, 1.5 at rank 2"),
    ),
)


# V(i) = 2^(-(i - 1) / h)
# Smucker and Clarke, SIGIR 2012
cdef double goes_on_by_half_life(User *user, const Params *params) noexcept nogil:
    return exp2(-1.0 / params.reals[0]) if user.rank < LENGTH else 0.0


cdef double tbg(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_half_life, False)


cdef double mean_tbg(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_half_life, True)


cwl_measure(
    "TBG",
    "Time-biased gain (C/W/L)",
    """
    The chance to be still looking halves each time the user has paid h: W(i) is proportional to
    2^(-(i - 1) / h).
    """,
    "Smucker and Clarke, Time-Based Calibration of Effectiveness Measures, SIGIR 2012",
    Kernel.of(tbg),
    (Argument("h", REAL, 224.0, "half-life", lowest=0.01, highest=1e9),),
    expected=Kernel.of(mean_tbg),
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "TBG(h=1)", 0.361979, "0.5 * (2/3 + 0.5^3/3 + 0.5^6)"),
        Example(*GRADED, "TBG(h=1, of='ED')", 2.0, "1 + 1/2 + 1/4 + ... documents looked at"),
    ),
)


# V(i) = max(0, 1 - (i - 1) / L)
# Sakai and Dou, SIGIR 2013
cdef double goes_on_by_length(User *user, const Params *params) noexcept nogil:
    cdef double left = params.reals[0] - <double> user.rank
    return left / (left + 1.0) if left > 0.0 and user.rank < LENGTH else 0.0


cdef double u_measure(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_length, False)


cdef double mean_u_measure(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_length, True)


cwl_measure(
    "U",
    "U-measure (C/W/L)",
    """
    The value of a document falls evenly, to 0 where L has been paid: W(i) is proportional to
    max(0, 1 - (i - 1) / L).
    """,
    "Sakai and Dou, Summaries, Ranked Retrieval and Sessions: A Unified Framework, SIGIR 2013",
    Kernel.of(u_measure),
    (Argument("L", REAL, 1000.0, "what the user can pay at most", lowest=1, highest=1e9),),
    expected=Kernel.of(mean_u_measure),
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "U(L=5)", 0.266667, "V = 1, 4/5, 3/5, 2/5, 1/5: (2/3 + 1/3 * 2/5) / 3"),
        Example(*GRADED, "U(L=2, of='ED')", 1.5, "V = 1, 1/2"),
    ),
)


cdef enum:
    GOAL
    RATE
    GOAL_RATE


cdef inline double odds(double b, double x) noexcept nogil:
    # b e^x; never 0 times infinity
    return b * exp(fmin(x, 700.0))


# goal: C(i) = 1 - 1 / (1 + b1 e^((T - G(i)) R1)); rate: C(i) = 1 / (1 + b2 e^((A - G(i)/i) R2)); goal_rate: the product
# Azzopardi, Thomas and Craswell, SIGIR 2018
cdef double goes_on_foraging(User *user, const Params *params) noexcept nogil:
    cdef const double *reals = params.reals
    cdef int model = <int> reals[0]
    cdef double chance = 1.0
    if model != RATE:
        chance = 1.0 - 1.0 / (1.0 + odds(reals[2], (reals[1] - user.total) * reals[3]))
    if model != GOAL:
        chance *= 1.0 / (1.0 + odds(reals[5], (reals[4] - user.total / <double> user.rank) * reals[6]))
    return chance


cdef double ift(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_foraging, False)


cwl_measure(
    "IFT",
    "Information foraging measure (C/W/L)",
    """
    The user goes on the longer, the less of his goal T he has reached (model='goal'), the better the
    rate of gain is against the A that he expects ('rate'), or both ('goal_rate').
    goal: C(i) = 1 - 1 / (1 + b1 * e^((T - G(i)) * R1));
    rate: C(i) = 1 / (1 + b2 * e^((A - G(i)/i) * R2));
    goal_rate: the product of the two.
    """,
    "Azzopardi, Thomas and Craswell, Measuring the Utility of Search Engine Result Pages, SIGIR 2018",
    Kernel.of(ift),
    (
        Argument("model", TEXT, "goal_rate", "what makes the user stop", choices=("goal", "rate", "goal_rate")),
        Argument("T", REAL, 2.0, "gain that is the user's goal", lowest=0, highest=1e6),
        Argument("b1", REAL, 0.9, "rationality of the goal", lowest=0, highest=1e6),
        Argument("R1", REAL, 1.0, "how sharply the goal works", lowest=0, highest=1e6),
        Argument("A", REAL, 0.2, "rate of gain that the user expects", lowest=0, highest=1e6),
        Argument("b2", REAL, 0.9, "rationality of the rate", lowest=0, highest=1e6),
        Argument("R2", REAL, 1.0, "how sharply the rate works", lowest=0, highest=1e6),
    ),
    examples=lambda: (
        Example(*SECOND, "IFT", 0.243149, "C(1) = 0.8693 * 0.4764, all V sum to 1.7030: 0.4141 / 1.7030"),
        Example(*SECOND, "IFT(model='goal')", 0.217541, "C(1) = 1 - 1/(1 + 0.9 e^2), V sum to 3.9959: 0.8693 / 3.9959"),
        Example(*SECOND, "IFT(model='rate')", 0.226701, "C(1) = 1/(1 + 0.9 e^0.2), V sum to 2.1013: 0.4764 / 2.1013"),
    ),
)


# W(i) proportional to (i + 1)^beta - i^beta for i <= k
# Azzopardi, SIGIR 2014
cdef double goes_on_by_effort(User *user, const Params *params) noexcept nogil:
    cdef double i = <double> user.rank, beta = params.reals[0]
    if user.rank >= params.cutoff or user.rank == LENGTH:
        return 0.0
    return (pow(i + 2.0, beta) - pow(i + 1.0, beta)) / (pow(i + 1.0, beta) - pow(i, beta))


cdef double set_measure(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_effort, False)


cdef double mean_set_measure(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_effort, True)


cwl_measure(
    "SET",
    "Search economic theory measure (C/W/L)",
    """
    Each further document adds less, as an economic model of search has it: W(i) is proportional to
    (i + 1)^beta - i^beta for i <= k.
    """,
    "Azzopardi, Modelling Interaction with Economic Models of Search, SIGIR 2014",
    Kernel.of(set_measure),
    (Argument("beta", REAL, 0.5, "how fast the use of further documents falls", lowest=0.001, highest=1),),
    at="cutoff",
    expected=Kernel.of(mean_set_measure),
    traits=(MONOTONE,),
    examples=lambda: (
        Example(*GRADED, "SET@5", 0.244798, "(2/3 * (2^0.5 - 1) + 1/3 * (5^0.5 - 2)) / (6^0.5 - 1)"),
        Example(*GRADED, "SET(beta=1)@5", 0.2, "all ranks weigh the same: (2/3 + 1/3) / 5"),
    ),
)


NERR = "Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021"


# C(i) = 1 - g(i) for i < k
cdef double goes_on_unless_satisfied(User *user, const Params *params) noexcept nogil:
    return 1.0 - user.gain if user.rank < params.cutoff else 0.0


cdef double nerr8(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_unless_satisfied, False)


cwl_measure(
    "NERR8",
    "Normalised expected reciprocal rank, equation 8 (C/W/L)",
    "A document of gain g satisfies with chance g: C(i) = 1 - g(i) for i < k, else 0.",
    NERR,
    Kernel.of(nerr8),
    at="cutoff",
    examples=lambda: (
        Example(*GRADED, "NERR8@3", 0.4, "V = 1, 1/3, 1/3: (2/3) / (5/3)"),
        Example(*GRADED, "NERR8@4", 0.388889, "V = 1, 1/3, 1/3, 1/3: (2/3 + 1/3 * 1/3) / 2"),
    ),
)


# C(i) = i / (i + 1) (1 - g(i)) for i < k
cdef double goes_on_unless_satisfied_or_tired(User *user, const Params *params) noexcept nogil:
    cdef double i = <double> user.rank
    return i / (i + 1.0) * (1.0 - user.gain) if user.rank < params.cutoff else 0.0


cdef double nerr9(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_unless_satisfied_or_tired, False)


cwl_measure(
    "NERR9",
    "Normalised expected reciprocal rank, equation 9 (C/W/L)",
    "As NERR8, discounted by rank: C(i) = i / (i + 1) * (1 - g(i)) for i < k, else 0.",
    NERR,
    Kernel.of(nerr9),
    at="cutoff",
    examples=lambda: (
        Example(*GRADED, "NERR9@2", 0.571429, "V = 1, 1/6: (2/3) / (7/6)"),
        Example(*GRADED, "NERR9(of='ED')@3", 1.277778, "V = 1, 1/6, 1/9"),
    ),
)


# C(i) = phi (1 - g(i))
cdef double goes_on_unless_satisfied_or_lost(User *user, const Params *params) noexcept nogil:
    return params.reals[0] * (1.0 - user.gain)


cdef double nerr10(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_unless_satisfied_or_lost, False)


cwl_measure(
    "NERR10",
    "Normalised expected reciprocal rank, equation 10 (C/W/L)",
    "As NERR8 without a cutoff, but with persistence: C(i) = p * (1 - g(i)).",
    NERR,
    Kernel.of(nerr10),
    (Argument("p", REAL, 0.9, "persistence", lowest=0, highest=0.999),),
    examples=lambda: (
        Example(*SECOND, "NERR10", 0.473684, "V = 1, 0.9: 0.9 / 1.9"),
        Example(*SECOND, "NERR10(p=0.5)", 0.333333, "V = 1, 0.5: 0.5 / 1.5"),
    ),
)


# C(i) = ((i + 2T - 1) / (i + 2T))^2 (1 - g(i))
cdef double goes_on_by_insq_unless_satisfied(User *user, const Params *params) noexcept nogil:
    return goes_on_by_insq(user, params) * (1.0 - user.gain)


cdef double nerr11(const Ranking *ranking, const Params *params) noexcept nogil:
    return expectation(ranking, params, goes_on_by_insq_unless_satisfied, False)


cwl_measure(
    "NERR11",
    "Normalised expected reciprocal rank, equation 11 (C/W/L)",
    """
    As NERR8 without a cutoff, but for a user who wants the gain T:
    C(i) = ((i + 2T - 1) / (i + 2T))^2 * (1 - g(i)).
    """,
    NERR,
    Kernel.of(nerr11),
    (WANTED,),
    examples=lambda: (
        Example(*SECOND, "NERR11", 0.307692, "V = 1, (2/3)^2: 4/9 / (13/9)"),
        Example(*SECOND, "NERR11(T=2)", 0.390244, "V = 1, (4/5)^2: 16/25 / (41/25)"),
    ),
)
