"""What a kernel sees of one query whose judgements are preferences: how many of them its ranking fulfils."""

from libc.stdint cimport int64_t

# Which preferences count: indices of arrays.
cdef enum:
    ALL
    IMPLIED            # those with at least one of the two documents retrieved
    RETRIEVED          # those with both documents retrieved


ctypedef struct Tally:
    # Preferences of one document to another. One is fulfilled if the preferred document was retrieved, and the other
    # one below it or not at all.
    int64_t possible
    int64_t fulfilled


ctypedef struct GroupPreferences:
    # Of one group of assessors.
    Tally[3] tally           # of ALL, IMPLIED, RETRIEVED
    Tally limited            # of ALL, with no more nonrelevant documents than relevant ones: see limit() in pairing.pyx
    Tally limited_retrieved  # the same of RETRIEVED
    int64_t n_rel            # documents of a level above 0
    int64_t n_nonrel
    int64_t n_rel_ret
    int64_t n_nonrel_ret


ctypedef struct Pairs:
    # Pairs of documents of which some group prefers one. The share of a pair is the number of preferences that are
    # fulfilled, divided by their number.
    int64_t count
    double shares            # their sum


ctypedef struct Preferences:
    int64_t n_groups                 # never 0
    const GroupPreferences *groups   # in the byte order of their names
    Pairs[3] pairs                   # of ALL, IMPLIED, RETRIEVED


# A kernel of this view is as pure and total as one of a ranking.
ctypedef double (*preference_kernel_t)(const Preferences *) noexcept nogil
