"""A query's lines and its judgements to a `Ranking`, under the policies."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from treckon._native.judged_tables cimport Query, Table, Unit
from treckon._native.lines cimport Record, Segment
from treckon._native.policies cimport Policy, View
from treckon._native.ranking cimport Hit, Ranking

cdef enum JoinStatus:
    JOINED
    DUPLICATE          # Joiner.first_copy and second_copy are the records of one document
    JOIN_OUT_OF_MEMORY


ctypedef struct Found:
    # A retrieved document that is in the qrels.
    int64_t rank       # from 1, before any cut
    int64_t record
    int64_t entry      # of the unit
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
    Record *kept                # a query's records after some were taken out
    size_t kept_capacity
    int32_t *grades             # of the records, where the order of ties asks for them
    size_t grade_capacity
    int64_t *holes              # ranks of documents that no query's qrels have, where they are asked for
    size_t hole_capacity
    int64_t n_holes
    int64_t n_own               # documents taken out so far because their id is the query's
    size_t n_found
    bint falls                  # no score is higher than the one listed before it
    bint ties                   # a score equals the one listed before it
    int64_t first_copy
    int64_t second_copy
    Ranking ranking


cdef void joiner_free(Joiner *joiner) noexcept nogil
cdef bint more_found(Joiner *joiner) noexcept nogil
# Takes out what the policy takes out before anything else; `filtered` is the segment that is left.
cdef JoinStatus filter_records(
    Joiner *joiner,
    const Table *table,
    const Query *query,
    const Segment *segment,
    const Policy *policy,
    Segment *filtered,
) noexcept nogil

# The judged documents of a query's lines, ranked (joiner.found). Without lines (segment NULL) there are none.
cdef JoinStatus join(
    Joiner *joiner, const Table *table, const Unit *unit, const Segment *segment, const Policy *policy
) noexcept nogil

# joiner.ranking, as a measure sees what join() found.
cdef void form_ranking(
    Joiner *joiner,
    const Table *table,
    const Unit *unit,
    int64_t n_records,
    const Policy *policy,
    const View *view,
) noexcept nogil

# Fills joiner.holes, after join(). The documents of `table` are indexed. False: out of memory.
cdef bint find_holes(
    Joiner *joiner, const Table *table, const Segment *segment, const Policy *policy
) noexcept nogil

# The best-ranked document without a judgement, and its rank; -1 where all are judged. After join().
cdef int64_t first_unjudged(
    Joiner *joiner, const Table *table, const Unit *unit, const Segment *segment, const Policy *policy, int64_t *rank
) noexcept nogil
