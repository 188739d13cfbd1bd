"""Every value of one query: join, then each kernel, while the query is in the cache."""

from libc.math cimport isnan
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from treckon._native.coverage cimport Coverage, cover, form_diversity
from treckon._native.join cimport JOINED, Joiner, find_holes, form_ranking, join
from treckon._native.judged_tables cimport Query, Unit
from treckon._native.lines cimport Segment
from treckon._native.pairing cimport Pairing, pair_up
from treckon._native.plans cimport Value
from treckon._native.ranking cimport Hit, Ranking


cdef bint evaluate_query(
    Target *target, Joiner *joiner, Pairing *pairing, Coverage *coverage, int64_t query, const Segment *segment
) noexcept nogil:
    # All values of a query; without lines (segment NULL), those of a missing one. False: out of memory.
    cdef const Query *q = &target.table.queries[query]
    cdef double *row = target.matrix + query * target.n_values
    cdef int64_t n_records = 0 if segment == NULL else segment.n_records
    cdef const Unit *unit
    cdef uint64_t group
    cdef Py_ssize_t i
    if not target.needs_ranking:
        return True
    for group in range(q.n_units):
        unit = &target.table.units[q.first_unit + group]
        if join(joiner, target.table, unit, segment, &target.policy) != JOINED:
            return False
        if target.needs_holes and segment != NULL and not find_holes(joiner, target.table, segment, &target.policy):
            return False
        if not evaluate_unit(target, joiner, pairing, query, unit, n_records, segment == NULL):
            return False
        if target.needs_subtopics and not cover(coverage, joiner, target.table, q, group, &target.policy):
            return False
    for i in range(target.n_values):
        if target.values[i].per_group:
            row[i] /= <double> q.n_units
    return not target.needs_subtopics or evaluate_subtopics(target, coverage, query, n_records, segment == NULL)


cdef bint evaluate_subtopics(
    Target *target, Coverage *coverage, int64_t query, int64_t n_records, bint is_missing
) noexcept nogil:
    # The values over all units together, each a subtopic, that cover() kept. False: out of memory.
    cdef const Query *q = &target.table.queries[query]
    cdef double *row = target.matrix + query * target.n_values
    cdef Value *value
    cdef Py_ssize_t i
    cdef int view
    for view in range(target.n_views):
        if not form_diversity(coverage, q, n_records, &target.policy, &target.views[view]):
            return False
        for i in range(target.n_values):
            value = &target.values[i]
            if value.view == view and value.diversity_kernel != NULL and not (is_missing and not isnan(value.missing)):
                row[i] = value.diversity_kernel(&coverage.diversity, value.params.cutoff, value.params.reals)
    return True


cdef bint evaluate_unit(
    Target *target,
    Joiner *joiner,
    Pairing *pairing,
    int64_t query,
    const Unit *unit,
    int64_t n_records,
    bint is_missing,
) noexcept nogil:
    # The values over one unit's judgements, of what join() found. False: out of memory.
    cdef int view
    if target.preferences != NULL:
        return evaluate_preferences(target, joiner, pairing, query, is_missing)
    for view in range(target.n_views):
        form_ranking(joiner, target.table, unit, n_records, &target.policy, &target.views[view])
        if not evaluate_view(target, joiner, query, view, is_missing):
            return False
        if target.kept_rankings != NULL and not keep_ranking(target, joiner, query, view):
            return False
    return True


cdef bint keep_ranking(Target *target, Joiner *joiner, int64_t query, int view) noexcept nogil:
    # Copies the ranking with its hits. False: out of memory.
    cdef size_t at = query * target.n_views + view
    cdef size_t n_hits = joiner.ranking.n_hits
    cdef char *copy = <char *> malloc(sizeof(Ranking) + n_hits * sizeof(Hit))
    if copy == NULL:
        return False
    memcpy(copy, &joiner.ranking, sizeof(Ranking))
    if n_hits:  # without any, there may be no memory for them yet
        memcpy(copy + sizeof(Ranking), joiner.ranking.hits, n_hits * sizeof(Hit))
    free(target.kept_rankings[at])
    target.kept_rankings[at] = copy
    return True


cdef bint evaluate_preferences(
    Target *target, const Joiner *joiner, Pairing *pairing, int64_t query, bint is_missing
) noexcept nogil:
    # The same where the judgements are preferences.
    cdef double *row = target.matrix + query * target.n_values
    cdef Value *value
    cdef Py_ssize_t i
    if not pair_up(pairing, joiner, target.table, target.preferences, query, &target.policy):
        return False
    for i in range(target.n_values):
        value = &target.values[i]
        if is_missing and not isnan(value.missing):
            row[i] = value.missing
        elif value.preference_kernel != NULL:
            row[i] = value.preference_kernel(&pairing.preferences)
    return True


cdef bint evaluate_view(Target *target, Joiner *joiner, int64_t query, int view, bint is_missing) noexcept nogil:
    # The values of the measures that see the ranking so. False: out of memory.
    cdef double *row = target.matrix + query * target.n_values
    cdef Value *value
    cdef double number
    cdef Py_ssize_t i
    for i in range(target.n_values):
        value = &target.values[i]
        if value.view != view:
            continue
        if is_missing and not isnan(value.missing):
            row[i] = value.missing
        elif value.text_kernel != NULL:
            if not set_text(target, joiner, query, value):
                return False
        elif value.kernel != NULL:
            number = value.kernel(&joiner.ranking, &value.params)
            row[i] = row[i] + number if value.per_group else number  # 0 + -0 would be 0, and trec_eval prints -0.0000
    return True


cdef bint set_text(Target *target, Joiner *joiner, int64_t query, Value *value) noexcept nogil:
    cdef size_t at = query * target.n_texts + value.text_column
    cdef char *text = <char *> malloc(joiner.ranking.n_ret + 1)
    if text == NULL:
        return False
    target.text_lengths[at] = value.text_kernel(&joiner.ranking, &value.params, text)
    free(target.texts[at])
    target.texts[at] = text
    return True
