"""A query's lines and its judgements to a `Ranking`, under the policies."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from treckon._native.lines cimport Segment
from treckon._native.qrels cimport Table, Unit
from treckon._native.ranking cimport Hit, Ranking

# Order of documents with the same score.
cdef enum Ties:
    DOCNO_FALLING      # trec_eval's rankings
    DOCNO_RISING       # trec_eval's preferences
    AS_LISTED

cdef enum JoinStatus:
    JOINED
    DUPLICATE          # Joiner.first_copy and second_copy are the records of one document
    JOIN_OUT_OF_MEMORY


ctypedef struct Policy:
    int64_t depth      # documents of a query that count; the rest is cut off, before anything else
    bint condensed     # unjudged documents (UNPOOLED and UNJUDGED) are taken out, after the depth cut
    int32_t level      # lowest relevant grade
    Ties ties


ctypedef struct Found:
    # A retrieved document that is in the qrels.
    int64_t rank       # from 1, before any cut
    int64_t record
    int64_t tie_rank   # first rank of those that tie with it
    int64_t tie_size
    int32_t grade


ctypedef struct Joiner:
    # Memory that one thread uses for query after query.
    uint32_t *seen              # hash table of a query's documents: 0, or 1 + the number of a record
    size_t seen_size
    Found *found
    Found *reordered
    size_t found_capacity
    Hit *hits
    size_t hit_capacity
    int64_t *order              # scratch
    size_t order_capacity
    size_t n_found
    bint falls                  # no score is higher than the one listed before it
    bint ties                   # a score equals the one listed before it
    int64_t first_copy
    int64_t second_copy
    Ranking ranking


cdef void joiner_free(Joiner *joiner) noexcept nogil
cdef JoinStatus check_duplicates(Joiner *joiner, const Segment *segment, const Policy *policy) noexcept nogil
cdef JoinStatus join(
    Joiner *joiner, const Table *table, const Unit *unit, const Segment *segment, const Policy *policy
) noexcept nogil
