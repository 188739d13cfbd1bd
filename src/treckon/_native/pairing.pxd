"""A query's ranked documents and its preference judgements to `Preferences`."""

from libc.stdint cimport int64_t, uint64_t

from treckon._native.join cimport Joiner
from treckon._native.judged_tables cimport Table
from treckon._native.policies cimport Policy
from treckon._native.preferences cimport GroupPreferences, Preferences
from treckon._native.prefs cimport PreferenceTable


ctypedef struct Place:
    # An item of a group where it comes in the order of the documents' numbers.
    int64_t number
    uint64_t item               # within the group
    bint in_limit               # not left out of the limited tallies


ctypedef struct Pairing:
    # Memory that one thread uses for query after query.
    int64_t *numbers            # of each entry of the query's unit; -1 where it repeats a document
    size_t number_capacity
    uint64_t *items             # of the query, by number
    size_t item_capacity
    uint64_t *starts            # of each number in items
    size_t start_capacity
    Place *places               # of each group by number
    size_t place_capacity
    uint64_t *next_place        # of each group
    size_t next_capacity
    int64_t *kept               # of each higher number: preferences for the document at hand
    size_t kept_capacity
    int64_t *broken             # preferences for the document of that number
    size_t broken_capacity
    GroupPreferences *groups
    size_t group_capacity
    int64_t n_ret               # documents retrieved: they have the numbers below
    Preferences preferences


cdef void pairing_free(Pairing *pairing) noexcept nogil
cdef bint pair_up(
    Pairing *pairing,
    const Joiner *joiner,
    const Table *table,
    const PreferenceTable *preferences,
    int64_t query,
    const Policy *policy,
) noexcept nogil
