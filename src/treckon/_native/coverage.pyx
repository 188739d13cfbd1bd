"""Puts together what the joins of a query's subtopics found: a document may be judged for several of them."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from treckon._native.diversity cimport Covering, Diversity
from treckon._native.join cimport Joiner
from treckon._native.judged_tables cimport Judged, Query, Table, Unit
from treckon._native.memory cimport reserve
from treckon._native.policies cimport Policy, View
from treckon._native.scan cimport tk_compare
from treckon._native.sort cimport merge_sort


cdef void coverage_free(Coverage *coverage) noexcept nogil:
    free(coverage.marks)
    free(coverage.order)
    free(coverage.numbers)
    free(coverage.n_rel)
    free(coverage.subtopics)
    free(coverage.found)
    free(coverage.covering)
    free(coverage.weights)
    free(coverage.taken)
    memset(coverage, 0, sizeof(Coverage))


cdef bint cover(
    Coverage *coverage,
    const Joiner *joiner,
    const Table *table,
    const Query *query,
    uint64_t unit,
    const Policy *policy,
) noexcept nogil:
    # Keeps what join() found for a unit of the query. False: out of memory.
    cdef const Unit *judgements = &table.units[query.first_unit + unit]
    cdef const Judged *judged = table.judged + judgements.first_judged
    cdef Mark *mark
    cdef uint32_t i
    cdef size_t j
    if unit == 0:
        coverage.n_marks = 0
    if not reserve(
        <void **> &coverage.marks, &coverage.mark_capacity, coverage.n_marks + judgements.n_judged, sizeof(Mark)
    ):
        return False
    mark = coverage.marks + coverage.n_marks
    coverage.n_marks += judgements.n_judged
    for i in range(judgements.n_judged):
        mark[i].docno = table.text + judged[i].offset
        mark[i].length = judged[i].length
        mark[i].unit = unit
        mark[i].rank = 0
        mark[i].grade = judged[i].grade
    for j in range(joiner.n_found):
        if joiner.found[j].rank <= policy.depth:
            mark[joiner.found[j].entry].rank = joiner.found[j].rank
            mark[joiner.found[j].entry].grade = joiner.found[j].grade
    return True


cdef int id_order(const Mark *x, const Mark *y) noexcept nogil:
    return tk_compare(y.docno, y.length, x.docno, x.length)


cdef int mark_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    # By falling document id, then by subtopic.
    cdef const Mark *marks = <const Mark *> context
    cdef int order = id_order(&marks[i], &marks[j])
    return order if order else (marks[i].unit > marks[j].unit) - (marks[i].unit < marks[j].unit)


cdef int rank_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    cdef const Covering *documents = <const Covering *> context
    return (documents[i].rank > documents[j].rank) - (documents[i].rank < documents[j].rank)


cdef bint make_room(Coverage *coverage, const Query *query) noexcept nogil:
    cdef size_t n = coverage.n_marks
    return (
        reserve(<void **> &coverage.order, &coverage.order_capacity, 2 * n, sizeof(int64_t))
        and reserve(<void **> &coverage.numbers, &coverage.number_capacity, query.n_units, sizeof(int64_t))
        and reserve(<void **> &coverage.n_rel, &coverage.n_rel_capacity, query.n_units, sizeof(int64_t))
        and reserve(<void **> &coverage.subtopics, &coverage.subtopic_capacity, n, sizeof(int64_t))
        and reserve(<void **> &coverage.found, &coverage.found_capacity, n, sizeof(Covering))
        and reserve(<void **> &coverage.covering, &coverage.covering_capacity, n, sizeof(Covering))
        and reserve(<void **> &coverage.weights, &coverage.weight_capacity, query.n_units, sizeof(double))
        and reserve(<void **> &coverage.taken, &coverage.taken_capacity, n, sizeof(bint))
    )


cdef int64_t number_subtopics(Coverage *coverage, const Query *query, int64_t level) noexcept nogil:
    # Numbers those that have a relevant document, and counts their documents. Returns how many.
    cdef int64_t n = 0, unit, number
    cdef size_t i
    memset(coverage.numbers, 0xFF, query.n_units * sizeof(int64_t))
    for i in range(coverage.n_marks):
        if coverage.marks[i].grade >= level:
            unit = coverage.marks[i].unit
            if coverage.numbers[unit] < 0:
                coverage.numbers[unit] = n
                coverage.n_rel[n] = 0
                n += 1
            number = coverage.numbers[unit]
            coverage.n_rel[number] += 1
    return n


cdef int64_t gather_documents(Coverage *coverage, int64_t level) noexcept nogil:
    # Puts the documents that are judged, with their subtopics, into `covering`, by falling id. Returns how many.
    cdef int64_t n = 0, n_subtopics = 0
    cdef const Mark *mark
    cdef const Mark *previous = NULL
    cdef Covering *document = NULL
    cdef size_t i
    for i in range(coverage.n_marks):
        mark = &coverage.marks[coverage.order[i]]
        if mark.grade < 0:
            continue
        if previous == NULL or id_order(previous, mark) != 0:
            document = &coverage.covering[n]
            document.rank = mark.rank
            document.first = n_subtopics
            document.n = 0
            n += 1
        if mark.grade >= level:
            coverage.subtopics[n_subtopics] = coverage.numbers[mark.unit]
            n_subtopics += 1
            document.n += 1
        previous = mark
    return n


cdef bint form_diversity(
    Coverage *coverage, const Query *query, int64_t n_records, const Policy *policy, const View *view
) noexcept nogil:
    # coverage.diversity of all units, as a measure sees it. False: out of memory.
    cdef Diversity *diversity = &coverage.diversity
    cdef Covering *document
    cdef int64_t n_documents, n_ranked = 0, i
    if not make_room(coverage, query):
        return False
    for i in range(<int64_t> coverage.n_marks):
        coverage.order[i] = i
    merge_sort(coverage.order, coverage.n_marks, coverage.order + coverage.n_marks, mark_order, coverage.marks)
    diversity.n_subtopics = number_subtopics(coverage, query, view.level)
    n_documents = gather_documents(coverage, view.level)
    for i in range(n_documents):
        if coverage.covering[i].rank > 0:
            coverage.order[n_ranked] = i
            n_ranked += 1
    merge_sort(coverage.order, n_ranked, coverage.order + n_ranked, rank_order, coverage.covering)
    diversity.n_ret = n_ranked if view.condensed else min(n_records, policy.depth)
    diversity.n_found = 0
    for i in range(n_ranked):
        document = &coverage.covering[coverage.order[i]]
        if view.condensed:
            document.rank = i + 1
        if document.n > 0:
            coverage.found[diversity.n_found] = document[0]
            diversity.n_found += 1
    diversity.n_covering = 0
    for i in range(n_documents):
        if coverage.covering[i].n > 0:
            coverage.covering[diversity.n_covering] = coverage.covering[i]
            diversity.n_covering += 1
    diversity.n_rel = coverage.n_rel
    diversity.subtopics = coverage.subtopics
    diversity.found = coverage.found
    diversity.covering = coverage.covering
    diversity.weights = coverage.weights
    diversity.taken = coverage.taken
    return True
