"""What a kernel sees of one query: the ranking, reduced to the documents that can move a number."""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t

from treckon._native.diversity cimport diversity_kernel_t
from treckon._native.preferences cimport preference_kernel_t

# Codes of documents without a usable grade, as trec_eval numbers them. Every judged grade is >= 0.
cdef enum:
    UNPOOLED = -1      # retrieved, not in the qrels
    UNJUDGED = -2      # in the qrels with a negative grade: seen by the pool, judged by nobody

# A cutoff that no ranking reaches.
cdef enum:
    NO_CUTOFF = 0x7FFFFFFFFFFFFFFF


ctypedef struct Hit:
    # A retrieved document that is in the qrels.
    int64_t rank       # from 1
    int64_t n_rel      # relevant documents at this rank or above
    int32_t grade      # >= 0, or UNJUDGED
    int64_t tie_rank   # first rank of the documents that tie with it; hits that tie are neighbours
    int64_t tie_size   # how many tie, itself included, unpooled ones too; 1 where none does


ctypedef struct GradeCount:
    int32_t grade      # >= 0
    int64_t count      # judged documents of this grade, retrieved or not; never 0


ctypedef struct Ranking:
    int64_t n_ret             # retrieved documents (after the depth cut, after taking out what policies take out)
    int64_t n_rel             # R: judged documents at or above the level, retrieved or not
    int64_t n_nonrel          # N: judged documents below the level, retrieved or not
    int64_t n_rel_ret         # relevant documents retrieved
    int64_t n_judged_ret      # documents with a grade >= 0 retrieved
    int64_t n_unjudged        # pool-unjudged documents of the qrels, retrieved or not
    int64_t n_hits
    const Hit *hits           # by rising rank; every rank without a hit holds an UNPOOLED document
    int64_t n_grades
    const GradeCount *grades  # by falling grade
    int64_t level             # a grade at or above it is relevant; always >= 0
    int64_t n_holes
    const int64_t *holes      # rising ranks of documents that no query's qrels have; only for kernels that read them


ctypedef struct GainPair:
    int64_t grade
    double gain               # of a retrieved document of this grade
    double ideal_gain         # of this grade in the ideal ranking


# Gain of a grade >= 0 for which no pair speaks; never falls as the grade rises. The second argument is the grade from
# which a binary gain is 1.
ctypedef double (*gain_t)(int32_t, int32_t) noexcept nogil


ctypedef struct Gains:
    # Gain of a grade: that of its pair, else `of_grade`; 0 for UNPOOLED and UNJUDGED without a pair.
    gain_t of_grade
    int32_t binary_from
    int64_t n_pairs
    const GainPair *pairs            # by rising grade, each grade once
    const GainPair *by_ideal_gain    # the same by falling ideal gain
    double lowest                    # of 0 and the gains in pairs
    double highest
    double unpooled                  # gain of an unpooled document
    double unjudged                  # gain of a pool-unjudged document


# Discount of a rank.
cdef enum Discount:
    LOG2_DISCOUNT      # 1 / log2(rank + 1)
    JK_DISCOUNT        # 1 up to rank b, then 1 / log_b(rank): Jarvelin and Kekalainen, TOIS 2002
    NO_DISCOUNT        # 1


ctypedef struct Params:
    # Arguments of a kernel; a kernel reads only those that its record declares, cutoff and gains apart.
    int64_t cutoff            # NO_CUTOFF where there is none
    int64_t n_reals
    const double *reals       # numbers in the order given
    double persistence        # rbp's p
    const Gains *gains        # never NULL: without pairs where there are none
    Discount discount
    double discount_base      # b of JK_DISCOUNT, above 1
    int64_t n_docs            # documents in the collection (trec_eval's -N)
    int32_t highest_grade     # of the qrels, all queries together; 0 where no grade is above it
    bint truncates_recall_points   # 9.0.8 turns recall point p into floor(p R + 0.9) documents, 10.0 into the nearest


# A kernel is pure and total: no allocation, no state, a finite value for every ranking.
ctypedef double (*kernel_t)(const Ranking *, const Params *) noexcept nogil

# A text kernel writes at most n_ret bytes and returns how many.
ctypedef int64_t (*text_kernel_t)(const Ranking *, const Params *, char *) noexcept nogil


cdef class Kernel:
    # Carries a kernel through Python, from its record to the engine. One of the functions is not NULL.
    cdef kernel_t function
    cdef text_kernel_t text_function
    cdef preference_kernel_t preference_function
    cdef diversity_kernel_t diversity_function
    cdef readonly bint reads_holes

    @staticmethod
    cdef Kernel of(kernel_t function)

    @staticmethod
    cdef Kernel of_holes(kernel_t function)

    @staticmethod
    cdef Kernel of_text(text_kernel_t function)

    @staticmethod
    cdef Kernel of_preferences(preference_kernel_t function)

    @staticmethod
    cdef Kernel of_diversity(diversity_kernel_t function)


cdef inline int64_t n_rel_at(const Ranking *ranking, int64_t cutoff) noexcept nogil:
    # Relevant documents at ranks up to the cutoff.
    cdef int64_t low = 0, high = ranking.n_hits, middle
    while low < high:
        middle = (low + high) >> 1
        if ranking.hits[middle].rank <= cutoff:
            low = middle + 1
        else:
            high = middle
    return ranking.hits[low - 1].n_rel if low > 0 else 0


cdef inline const GainPair *pair_of(const Gains *gains, int64_t grade) noexcept nogil:
    # The pair of this grade (or code), or NULL.
    cdef int64_t low = 0, high = gains.n_pairs, middle
    while low < high:
        middle = (low + high) >> 1
        if gains.pairs[middle].grade < grade:
            low = middle + 1
        else:
            high = middle
    return &gains.pairs[low] if low < gains.n_pairs and gains.pairs[low].grade == grade else NULL


cdef inline double gain_of(const Gains *gains, int32_t grade) noexcept nogil:
    # Gain of a retrieved document with this grade (or code).
    cdef const GainPair *pair
    if grade < 0:
        return gains.unjudged if grade == UNJUDGED else gains.unpooled
    pair = pair_of(gains, grade)
    return pair.gain if pair != NULL else gains.of_grade(grade, gains.binary_from)


cdef double linear_gain(int32_t grade, int32_t unused) noexcept nogil
cdef double exp2_gain(int32_t grade, int32_t unused) noexcept nogil
cdef double binary_gain(int32_t grade, int32_t binary_from) noexcept nogil

cdef double log2_of_rank_plus_1(int64_t rank) noexcept nogil


cdef inline double discount_divisor(const Params *params, int64_t rank) noexcept nogil:
    # What a gain at this rank is divided by.
    if params.discount == LOG2_DISCOUNT:
        return log2_of_rank_plus_1(rank)
    if params.discount == NO_DISCOUNT or rank <= params.discount_base:
        return 1.0
    return log(<double> rank) / log(params.discount_base)
