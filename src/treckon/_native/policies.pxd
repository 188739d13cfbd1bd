"""How a query's documents become a ranking."""

from libc.stdint cimport int64_t

from treckon._native.scan cimport tk_key_t

# Order of documents with the same score.
cdef enum Ties:
    DOCNO_FALLING      # trec_eval's rankings; also where the mean over all orders is asked for
    DOCNO_RISING       # trec_eval's preferences
    AS_LISTED
    SEEDED_RANDOM      # by a keyed hash of the id: the same whatever else is evaluated, and by how many threads
    BEST_FIRST         # by falling grade, unjudged documents last
    WORST_FIRST

# What becomes of a document that is listed again for a query.
cdef enum Repeats:
    REPEATS_REFUSED
    REPEATS_UNPOOLED   # it keeps its place but counts as an unpooled document; its best rank counts
    REPEATS_DROPPED    # it is taken out
    REPEATS_BY_SCORE   # the one with the highest score stays, the others are taken out


ctypedef struct Policy:
    # How a query's documents become a ranking: the same for all measures of an evaluation.
    int64_t depth               # documents of a query that count; the rest is cut off
    Ties ties
    tk_key_t seed               # of SEEDED_RANDOM
    Repeats repeats
    bint ignores_self           # a document whose id is the query's is taken out
    bint marks_ties             # fill the tie groups of hits, also where lines are out of order


ctypedef struct View:
    # How one measure sees the ranking.
    int64_t level               # lowest relevant grade
    bint condensed              # unjudged documents (UNPOOLED and UNJUDGED) are taken out, after the depth cut
