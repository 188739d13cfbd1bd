"""Groups of tied documents, for the mean of a measure over all their orders.

McSherry and Najork, Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores,
ECIR 2008. In a group of n documents at ranks f to f + n - 1, each document is equally likely at each of them.
"""

from libc.stdint cimport int64_t

from treckon._native.ranking cimport Ranking


ctypedef struct TieGroup:
    # Documents with one score, those of the qrels among them hits[begin] to hits[end - 1].
    int64_t begin
    int64_t end
    int64_t first      # rank
    int64_t n          # documents, at ranks first to first + n - 1
    int64_t n_looked   # of these ranks, those up to the cutoff
    int64_t n_rel      # relevant documents
    int64_t n_above    # relevant documents in groups above


cdef inline TieGroup first_group() noexcept nogil:
    # What next_group() starts from.
    cdef TieGroup group
    group.begin = group.end = group.first = group.n = group.n_looked = group.n_rel = group.n_above = 0
    return group


cdef inline int64_t last_rank(const Ranking *ranking, int64_t cutoff) noexcept nogil:
    # The last rank that holds a document and counts.
    return min(cutoff, ranking.n_ret)


cdef inline bint next_group(const Ranking *ranking, int64_t last, TieGroup *group) noexcept nogil:
    # Steps to the next group with a hit, unless all of it lies below rank `last`.
    cdef int64_t i = group.end
    if i == ranking.n_hits or ranking.hits[i].tie_rank > last:
        return False
    group.n_above += group.n_rel
    group.begin = i
    group.first = ranking.hits[i].tie_rank
    group.n = ranking.hits[i].tie_size
    group.n_looked = min(group.n, last - group.first + 1)
    group.n_rel = 0
    while i < ranking.n_hits and ranking.hits[i].tie_rank == group.first:
        group.n_rel += ranking.hits[i].grade >= ranking.level
        i += 1
    group.end = i
    return True


cdef inline double mean_n_rel_at(const Ranking *ranking, int64_t cutoff) noexcept nogil:
    # Relevant documents at ranks up to the cutoff.
    cdef TieGroup group = first_group()
    cdef double total = 0.0
    while next_group(ranking, last_rank(ranking, cutoff), &group):
        total += <double> group.n_rel * (<double> group.n_looked / <double> group.n)
    return total


ctypedef struct Draw:
    # Walks over how many of a group's relevant documents can be among those looked at, from the likeliest number up,
    # then down. `weight` is a number's chance over that of the likeliest: hypergeometric, and nothing that matters
    # underflows.
    const TieGroup *group
    int64_t likeliest
    int64_t n_rel
    double weight
    bint goes_down


cdef inline double chance_of_next(const TieGroup *group, int64_t n_rel) noexcept nogil:
    # The chance of n_rel + 1 over that of n_rel; 0 behind the last possible number.
    cdef double n_nonrel_left = <double> (group.n - group.n_rel - group.n_looked + n_rel + 1)
    return <double> (group.n_rel - n_rel) * <double> (group.n_looked - n_rel) / (<double> (n_rel + 1) * n_nonrel_left)


cdef inline Draw first_draw(const TieGroup *group) noexcept nogil:
    # What next_draw() starts from.
    cdef Draw draw
    draw.group = group
    draw.likeliest = <int64_t> (
        <double> (group.n_looked + 1) * <double> (group.n_rel + 1) / <double> (group.n + 2)
    )
    draw.likeliest = max(draw.likeliest, group.n_looked + group.n_rel - group.n)
    draw.likeliest = min(draw.likeliest, group.n_looked, group.n_rel)
    draw.n_rel = draw.likeliest
    draw.weight = -1.0
    draw.goes_down = False
    return draw


cdef inline bint next_draw(Draw *draw) noexcept nogil:
    # Steps to the next number of relevant documents, unless there is none with a chance that a double holds.
    cdef const TieGroup *group = draw.group
    if draw.weight < 0.0:
        draw.weight = 1.0
        return True
    if not draw.goes_down:
        if draw.n_rel < min(group.n_rel, group.n_looked):
            draw.weight *= chance_of_next(group, draw.n_rel)
            draw.n_rel += 1
            if draw.weight > 0.0:
                return True
        draw.goes_down = True
        draw.n_rel = draw.likeliest
        draw.weight = 1.0
    if draw.n_rel == max(0, group.n_looked + group.n_rel - group.n):
        return False
    draw.n_rel -= 1
    draw.weight /= chance_of_next(group, draw.n_rel)
    return draw.weight > 0.0
