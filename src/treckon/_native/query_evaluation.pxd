"""What evaluating one query needs, and what it is called."""

from libc.stdint cimport int64_t

from treckon._native.coverage cimport Coverage
from treckon._native.join cimport Joiner
from treckon._native.judged_tables cimport Table, Unit
from treckon._native.lines cimport Segment
from treckon._native.pairing cimport Pairing
from treckon._native.plans cimport Value
from treckon._native.policies cimport Policy, View
from treckon._native.prefs cimport PreferenceTable


ctypedef struct Target:
    # What the threads of one evaluation share: all read, but for the rows and flags of the queries each evaluates.
    const Table *table
    const PreferenceTable *preferences   # NULL where the judgements are grades
    Value *values
    Py_ssize_t n_values
    Py_ssize_t n_texts
    bint needs_ranking
    bint needs_subtopics
    bint needs_holes
    Policy policy
    const View *views
    int n_views
    bint reports_ties
    const int64_t *cutoffs
    int n_cutoffs
    bint refuses_unjudged
    char **kept_rankings         # query x view, each a Ranking with its hits behind it; NULL where none are kept
    int64_t only
    double *matrix
    unsigned char *seen
    unsigned char *ties          # 1: documents of the query tie; 3: also across a cutoff
    char **texts
    int64_t *text_lengths


# All values of a query; without lines (segment NULL), those of a missing one. False: out of memory.
cdef bint evaluate_query(
    Target *target, Joiner *joiner, Pairing *pairing, Coverage *coverage, int64_t query, const Segment *segment
) noexcept nogil

# The values over one unit's judgements, of what join() found. False: out of memory.
cdef bint evaluate_unit(
    Target *target,
    Joiner *joiner,
    Pairing *pairing,
    int64_t query,
    const Unit *unit,
    int64_t n_records,
    bint is_missing,
) noexcept nogil

# The values over all units together, each a subtopic, that cover() kept. False: out of memory.
cdef bint evaluate_subtopics(
    Target *target, Coverage *coverage, int64_t query, int64_t n_records, bint is_missing
) noexcept nogil
