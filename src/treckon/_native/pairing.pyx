"""Counts which preferences a ranking fulfils.

The documents of a query's judgements are numbered: the retrieved ones from 0 in rank order, then the others by rising
id. A preference is fulfilled if the preferred document was retrieved and has the lower number. Document by document,
in that order, every group is asked about the pairs of this document and those with higher numbers; so nothing is ever
as large as the number of pairs, but for the closures that the judgements hold.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from treckon._native.join cimport Joiner
from treckon._native.judged_tables cimport Judged, Table, Unit, find_judged
from treckon._native.memory cimport reserve
from treckon._native.policies cimport Policy
from treckon._native.preferences cimport ALL, IMPLIED, RETRIEVED, GroupPreferences, Pairs, Preferences, Tally
from treckon._native.prefs cimport NONRELEVANT, RELEVANT, Item, PreferenceGroup, PreferenceQuery, PreferenceTable


cdef void pairing_free(Pairing *pairing) noexcept nogil:
    free(pairing.numbers)
    free(pairing.items)
    free(pairing.starts)
    free(pairing.places)
    free(pairing.next_place)
    free(pairing.kept)
    free(pairing.broken)
    free(pairing.groups)
    memset(pairing, 0, sizeof(Pairing))


cdef bint pair_up(
    Pairing *pairing,
    const Joiner *joiner,
    const Table *table,
    const PreferenceTable *preferences,
    int64_t query,
    const Policy *policy,
) noexcept nogil:
    # pairing.preferences of what join() found. False: out of memory.
    cdef const PreferenceQuery *q = &preferences.queries[query]
    cdef const Unit *unit = &table.units[table.queries[query].first_unit]
    cdef uint32_t i
    cdef uint64_t number, k
    if not make_room(pairing, preferences, q, unit):
        return False
    number_documents(pairing, joiner, table, preferences, q, unit, policy)
    order_items(pairing, preferences, q)
    for i in range(q.n_groups):
        limit(pairing, preferences, q, i)
    memset(&pairing.preferences, 0, sizeof(Preferences))
    pairing.preferences.n_groups = q.n_groups
    pairing.preferences.groups = pairing.groups
    memset(pairing.next_place, 0, q.n_groups * sizeof(uint64_t))
    for number in range(q.n_documents):
        memset(pairing.kept + number, 0, (q.n_documents - number) * sizeof(int64_t))
        memset(pairing.broken + number, 0, (q.n_documents - number) * sizeof(int64_t))
        for k in range(pairing.starts[number], pairing.starts[number + 1]):
            compare_item(pairing, preferences, q, &preferences.items[pairing.items[k]])
        add_pairs(pairing, number, q.n_documents)
    return True


cdef inline uint64_t n_items_of(const PreferenceTable *preferences, const PreferenceQuery *q) noexcept nogil:
    cdef const PreferenceGroup *last = &preferences.groups[q.first_group + q.n_groups - 1]
    return last.first_item + last.n_items - preferences.groups[q.first_group].first_item


cdef bint make_room(
    Pairing *pairing, const PreferenceTable *preferences, const PreferenceQuery *q, const Unit *unit
) noexcept nogil:
    cdef size_t n = q.n_documents, n_items = n_items_of(preferences, q)
    return (
        reserve(<void **> &pairing.numbers, &pairing.number_capacity, unit.n_judged, sizeof(int64_t))
        and reserve(<void **> &pairing.items, &pairing.item_capacity, n_items, sizeof(uint64_t))
        and reserve(<void **> &pairing.starts, &pairing.start_capacity, n + 2, sizeof(uint64_t))
        and reserve(<void **> &pairing.places, &pairing.place_capacity, n_items, sizeof(Place))
        and reserve(<void **> &pairing.next_place, &pairing.next_capacity, q.n_groups, sizeof(uint64_t))
        and reserve(<void **> &pairing.kept, &pairing.kept_capacity, n, sizeof(int64_t))
        and reserve(<void **> &pairing.broken, &pairing.broken_capacity, n, sizeof(int64_t))
        and reserve(<void **> &pairing.groups, &pairing.group_capacity, q.n_groups, sizeof(GroupPreferences))
    )


cdef void number_documents(
    Pairing *pairing,
    const Joiner *joiner,
    const Table *table,
    const PreferenceTable *preferences,
    const PreferenceQuery *q,
    const Unit *unit,
    const Policy *policy,
) noexcept nogil:
    cdef const uint32_t *by_docno = preferences.by_docno + q.first_document
    cdef const Judged *judged
    cdef int64_t number = 0, entry
    cdef size_t i
    memset(pairing.numbers, 0xFF, unit.n_judged * sizeof(int64_t))
    for i in range(joiner.n_found):
        if joiner.found[i].rank > policy.depth:
            break
        # A document that stands in several lines has several entries; the first one stands for all.
        judged = &table.judged[unit.first_judged + joiner.found[i].entry]
        entry = find_judged(table, unit, judged.hash, table.text + judged.offset, judged.length)
        if pairing.numbers[entry] < 0:
            pairing.numbers[entry] = number
            number += 1
    pairing.n_ret = number
    for i in range(q.n_documents):
        if pairing.numbers[by_docno[i]] < 0:
            pairing.numbers[by_docno[i]] = number
            number += 1


cdef void order_items(Pairing *pairing, const PreferenceTable *preferences, const PreferenceQuery *q) noexcept nogil:
    # The items of the query by number, counting how many each number has; and the same for each group.
    cdef uint64_t first = preferences.groups[q.first_group].first_item, n_items = n_items_of(preferences, q), i
    cdef uint64_t n_numbers = q.n_documents
    cdef uint64_t *ends = pairing.starts + 1
    cdef int64_t number
    cdef const Item *item
    cdef const PreferenceGroup *group
    cdef Place *place
    memset(pairing.starts, 0, (n_numbers + 2) * sizeof(uint64_t))
    for i in range(first, first + n_items):
        pairing.starts[pairing.numbers[preferences.items[i].document] + 2] += 1
    for i in range(1, n_numbers + 1):
        ends[i] += ends[i - 1]
    for i in range(first, first + n_items):
        number = pairing.numbers[preferences.items[i].document]
        pairing.items[ends[number]] = i
        ends[number] += 1
    memset(pairing.next_place, 0, q.n_groups * sizeof(uint64_t))
    for i in range(n_items):
        item = &preferences.items[pairing.items[i]]
        group = &preferences.groups[q.first_group + item.group]
        place = &pairing.places[group.first_item - first + pairing.next_place[item.group]]
        pairing.next_place[item.group] += 1
        place.number = pairing.numbers[item.document]
        place.item = pairing.items[i] - group.first_item


cdef inline Place *places_of(
    const Pairing *pairing, const PreferenceTable *preferences, const PreferenceQuery *q, const PreferenceGroup *group
) noexcept nogil:
    return pairing.places + (group.first_item - preferences.groups[q.first_group].first_item)


cdef void limit(
    Pairing *pairing, const PreferenceTable *preferences, const PreferenceQuery *q, uint32_t group_number
) noexcept nogil:
    # Counts the documents of a group, and finds out which of them take part in its limited tallies: of the nonrelevant
    # ones the first, as many as there are relevant ones; in the class form none of the lowest level.
    cdef const PreferenceGroup *group = &preferences.groups[q.first_group + group_number]
    cdef GroupPreferences *counts = &pairing.groups[group_number]
    cdef Place *places = places_of(pairing, preferences, q, group)
    cdef const Item *item
    cdef int64_t n_ret = 0, n_nonrel = 0
    cdef uint32_t i
    memset(counts, 0, sizeof(GroupPreferences))
    counts.n_rel = group.n_rel
    counts.n_nonrel = group.n_nonrel
    for i in range(group.n_items):
        item = &preferences.items[group.first_item + places[i].item]
        if places[i].number < pairing.n_ret:
            n_ret += 1
            counts.n_rel_ret += item.relevance == RELEVANT
            counts.n_nonrel_ret += item.relevance == NONRELEVANT
        if group.n_words == 0:
            places[i].in_limit = item.level != group.lowest_level
        else:
            places[i].in_limit = item.relevance != NONRELEVANT or n_nonrel < group.n_rel
        n_nonrel += item.relevance == NONRELEVANT
    if group.n_words == 0:
        add_lowest_level(places, group, counts, n_ret)


cdef void add_lowest_level(
    const Place *places, const PreferenceGroup *group, GroupPreferences *counts, int64_t n_ret
) noexcept nogil:
    # The limited tallies of the class form hold a pair of any item, even of the lowest level, even of the same, with
    # each of the first items of the lowest level, as many as are relevant. n_ret: items retrieved.
    cdef int64_t taken = 0, n_above = 0
    cdef uint32_t i
    for i in range(group.n_items):
        if i > 0 and places[i].number != places[i - 1].number:
            n_above = i
        if places[i].in_limit:
            continue
        if taken < counts.n_rel:
            counts.limited.possible += group.n_items
            counts.limited.fulfilled += min(n_above, n_ret)
        if taken < counts.n_rel_ret and i < n_ret:
            counts.limited_retrieved.possible += n_ret
            counts.limited_retrieved.fulfilled += n_above
        taken += 1


cdef inline int preference(
    const PreferenceTable *preferences, const PreferenceGroup *group, uint64_t x, uint64_t y
) noexcept nogil:
    # 1 where the group prefers its item x to y, -1 where it prefers y to x, else 0.
    cdef const uint64_t *rows = preferences.closures + group.closure
    cdef const Item *items = preferences.items + group.first_item
    if group.n_words == 0:
        return (items[x].level > items[y].level) - (items[x].level < items[y].level)
    return <int> (rows[x * group.n_words + (y >> 6)] >> (y & 63) & 1) - <int> (
        rows[y * group.n_words + (x >> 6)] >> (x & 63) & 1
    )


cdef inline void add_preference(Tally *tally, bint fulfilled) noexcept nogil:
    tally.possible += 1
    tally.fulfilled += fulfilled


cdef void compare_item(
    Pairing *pairing, const PreferenceTable *preferences, const PreferenceQuery *q, const Item *item
) noexcept nogil:
    # The preferences between an item, the next of its group, and those of the group that come after it.
    cdef const PreferenceGroup *group = &preferences.groups[q.first_group + item.group]
    cdef GroupPreferences *counts = &pairing.groups[item.group]
    cdef const Place *places = places_of(pairing, preferences, q, group)
    cdef const Place *place = &places[pairing.next_place[item.group]]
    cdef const Place *other
    cdef bint retrieved = place.number < pairing.n_ret, fulfilled
    cdef uint64_t i
    cdef int order
    pairing.next_place[item.group] += 1
    for i in range(pairing.next_place[item.group], group.n_items):
        other = &places[i]
        order = preference(preferences, group, place.item, other.item)
        if order == 0:
            continue
        pairing.kept[other.number] += order > 0
        pairing.broken[other.number] += order < 0
        fulfilled = order > 0 and retrieved
        add_preference(&counts.tally[ALL], fulfilled)
        if retrieved:
            add_preference(&counts.tally[IMPLIED], fulfilled)
        if other.number < pairing.n_ret:
            add_preference(&counts.tally[RETRIEVED], fulfilled)
        if place.in_limit and other.in_limit:
            add_preference(&counts.limited, fulfilled)
            if other.number < pairing.n_ret:
                add_preference(&counts.limited_retrieved, fulfilled)


cdef inline void add_pair(Pairs *pairs, double share) noexcept nogil:
    pairs.count += 1
    pairs.shares += share


cdef void add_pairs(Pairing *pairing, int64_t number, int64_t n_documents) noexcept nogil:
    # The pairs of the document of this number with those of higher numbers, when every group was asked.
    cdef int64_t i, asked
    cdef double share
    for i in range(number + 1, n_documents):
        asked = pairing.kept[i] + pairing.broken[i]
        if asked == 0:
            continue
        share = <double> pairing.kept[i] / <double> asked if number < pairing.n_ret else 0.0
        add_pair(&pairing.preferences.pairs[ALL], share)
        if number < pairing.n_ret:
            add_pair(&pairing.preferences.pairs[IMPLIED], share)
        if i < pairing.n_ret:
            add_pair(&pairing.preferences.pairs[RETRIEVED], share)
