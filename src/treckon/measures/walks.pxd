"""The two walks of measures with gains: down the retrieved documents, and down the ideal ranking."""

from libc.stdint cimport int32_t, int64_t

from treckon._native.ranking cimport (
    UNPOOLED, GainPair, Gains, Params, Ranking, discount_divisor, gain_of, pair_of,
)


ctypedef struct Retrieved:
    # Goes from one retrieved document that is in the qrels to the next, or from one rank to the next.
    const Ranking *ranking
    bint every_rank
    int64_t n_hits      # hits passed
    int64_t rank
    int32_t grade       # of the document at `rank`, or its code
    double dcg          # of the ranks passed by dcg_at


cdef inline Retrieved walk_retrieved(const Ranking *ranking, bint every_rank) noexcept nogil:
    # Unpooled documents are passed over unless `every_rank`: they rarely have a gain.
    cdef Retrieved walk
    walk.ranking = ranking
    walk.every_rank = every_rank
    walk.n_hits = walk.rank = 0
    walk.grade = UNPOOLED
    walk.dcg = 0.0
    return walk


cdef inline bint next_retrieved(Retrieved *walk, int64_t last) noexcept nogil:
    # Steps to the next document, unless it lies below rank `last` or there is none.
    cdef const Ranking *ranking = walk.ranking
    cdef int64_t next_hit = ranking.hits[walk.n_hits].rank if walk.n_hits < ranking.n_hits else ranking.n_ret + 1
    cdef int64_t rank = walk.rank + 1 if walk.every_rank else next_hit
    if rank > last or rank > ranking.n_ret:
        return False
    walk.rank = rank
    walk.grade = UNPOOLED
    if rank == next_hit:
        walk.grade = ranking.hits[walk.n_hits].grade
        walk.n_hits += 1
    return True


cdef inline double dcg_at(Retrieved *walk, const Params *params, int64_t rank) noexcept nogil:
    # DCG(k) = sum over i <= k of gain(i) / discount(i); from call to call, ranks must not fall.
    while next_retrieved(walk, rank):
        walk.dcg += gain_of(params.gains, walk.grade) / discount_divisor(params, walk.rank)
    return walk.dcg


ctypedef struct Ideal:
    # Goes down the ideal ranking: all judged documents with a gain above 0, by falling gain. Two lists are merged:
    # the grades without a pair, which are their own gains, and the pairs.
    const Ranking *ranking
    const Gains *gains
    int64_t n_grades    # grades passed
    int64_t n_pairs     # pairs passed
    int64_t n_left      # documents of the same gain that are still to come
    int64_t rank
    double gain         # of the document at `rank`
    double sum          # of the gains up to `rank`
    double dcg          # of the ranks passed by ideal_dcg_at


cdef inline Ideal walk_ideal(const Ranking *ranking, const Gains *gains) noexcept nogil:
    cdef Ideal walk
    walk.ranking = ranking
    walk.gains = gains
    walk.n_grades = walk.n_pairs = walk.n_left = walk.rank = 0
    walk.gain = walk.sum = walk.dcg = 0.0
    return walk


cdef inline int64_t count_of(const Ranking *ranking, int64_t grade) noexcept nogil:
    # Judged documents of a grade.
    cdef int64_t low = 0, high = ranking.n_grades, middle
    while low < high:
        middle = (low + high) >> 1
        if ranking.grades[middle].grade > grade:
            low = middle + 1
        else:
            high = middle
    return ranking.grades[low].count if low < ranking.n_grades and ranking.grades[low].grade == grade else 0


cdef inline bint next_gain(Ideal *walk) noexcept nogil:
    # Sets gain and n_left for the best grade that is left, unless no gain above 0 is left.
    cdef const Ranking *ranking = walk.ranking
    cdef const Gains *gains = walk.gains
    cdef double of_grade, of_pair
    while walk.n_grades < ranking.n_grades and pair_of(gains, ranking.grades[walk.n_grades].grade) != NULL:
        walk.n_grades += 1
    while walk.n_pairs < gains.n_pairs and count_of(ranking, gains.by_ideal_gain[walk.n_pairs].grade) == 0:
        walk.n_pairs += 1
    of_grade = 0.0
    if walk.n_grades < ranking.n_grades:
        of_grade = gains.of_grade(ranking.grades[walk.n_grades].grade, gains.binary_from)
    of_pair = gains.by_ideal_gain[walk.n_pairs].ideal_gain if walk.n_pairs < gains.n_pairs else 0.0
    if of_grade <= 0.0 and of_pair <= 0.0:
        return False
    if of_grade > of_pair:
        walk.gain = of_grade
        walk.n_left = ranking.grades[walk.n_grades].count
        walk.n_grades += 1
    else:
        walk.gain = of_pair
        walk.n_left = count_of(ranking, gains.by_ideal_gain[walk.n_pairs].grade)
        walk.n_pairs += 1
    return True


cdef inline bint next_ideal(Ideal *walk) noexcept nogil:
    # Steps to the next document, unless there is none.
    if walk.n_left == 0 and not next_gain(walk):
        return False
    walk.n_left -= 1
    walk.rank += 1
    walk.sum += walk.gain
    return True


cdef inline double ideal_dcg_at(Ideal *walk, const Params *params, int64_t rank) noexcept nogil:
    # IDCG(k) = sum over i <= k of I(i) / discount(i), of the whole ideal ranking where it is shorter; from call to
    # call, ranks must not fall.
    while walk.rank < rank and next_ideal(walk):
        walk.dcg += walk.gain / discount_divisor(params, walk.rank)
    return walk.dcg
