"""Keeps what is found in a file: every problem is counted, and of each kind the first places are kept, by line."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from treckon._native.memory cimport reserve
from treckon._native.problems cimport N_KINDS, NUL_BYTE, ProblemKind, problem_name
from treckon._native.sort cimport merge_sort

cdef enum:
    KEPT_TEXT = 200            # bytes of an id or field

#: Bytes of an id or field that are kept of a place.
LONGEST_TEXT = <int> KEPT_TEXT


cdef bint findings_init(Findings *findings, size_t limit) noexcept nogil:
    # False: out of memory.
    cdef int kind
    memset(findings, 0, sizeof(Findings))
    findings.limit = limit
    findings.of_kind = <KindFindings *> calloc(N_KINDS, sizeof(KindFindings))
    if findings.of_kind == NULL:
        return False
    for kind in range(<int> N_KINDS):
        findings.of_kind[kind].bound = 0xFFFFFFFFFFFFFFFF
    return True


cdef void findings_free(Findings *findings) noexcept nogil:
    cdef KindFindings *of_kind
    cdef size_t i
    cdef int kind
    for kind in range(<int> N_KINDS if findings.of_kind != NULL else 0):
        of_kind = &findings.of_kind[kind]
        for i in range(of_kind.n_places):
            free(of_kind.places[i].text)
        free(of_kind.places)
    free(findings.of_kind)


cdef int place_order(const void *context, int64_t i, int64_t j) noexcept nogil:
    cdef const Place *places = <const Place *> context
    return (places[i].line > places[j].line) - (places[i].line < places[j].line)


cdef bint keep_first(KindFindings *findings, size_t limit) noexcept nogil:
    # Sorts the places by line, and drops those behind the limit. False: out of memory.
    cdef size_t n = findings.n_places, i
    cdef int64_t *order
    cdef Place *sorted
    if n == 0:
        return True
    order = <int64_t *> malloc(2 * n * sizeof(int64_t))
    sorted = <Place *> malloc(n * sizeof(Place))
    if order == NULL or sorted == NULL:
        free(order)
        free(sorted)
        return False
    for i in range(n):
        order[i] = i
    merge_sort(order, n, order + n, place_order, findings.places)
    for i in range(n):
        sorted[i] = findings.places[order[i]]
    memcpy(findings.places, sorted, n * sizeof(Place))
    free(order)
    free(sorted)
    while findings.n_places > limit:
        findings.n_places -= 1
        free(findings.places[findings.n_places].text)
    if findings.n_places == limit:
        findings.bound = findings.places[limit - 1].line if limit else 0
    return True


cdef void note(
    Findings *findings,
    ProblemKind kind,
    uint64_t line,
    const char *qid,
    size_t qid_length,
    const char *detail=NULL,
    size_t detail_length=0,
    uint64_t other=0,
    int64_t number=0,
    int64_t expected=0,
) noexcept nogil:
    # Counts a problem, and keeps its place if it is among the first.
    cdef KindFindings *of_kind = &findings.of_kind[<int> kind]
    cdef Place *place
    of_kind.count += 1
    if line >= of_kind.bound or findings.limit == 0:
        return
    if of_kind.n_places == 2 * findings.limit:
        if not keep_first(of_kind, findings.limit):
            findings.out_of_memory = True
        if line >= of_kind.bound or findings.out_of_memory:
            return
    if not reserve(<void **> &of_kind.places, &of_kind.capacity, of_kind.n_places + 1, sizeof(Place)):
        findings.out_of_memory = True
        return
    qid_length = min(qid_length, <size_t> KEPT_TEXT)
    detail_length = min(detail_length, <size_t> KEPT_TEXT)
    place = &of_kind.places[of_kind.n_places]
    place.line = line
    place.other = other
    place.number = number
    place.expected = expected
    place.qid_length = <uint32_t> qid_length
    place.detail_length = <uint32_t> detail_length
    place.text = <char *> malloc(qid_length + detail_length + 1)
    if place.text == NULL:
        findings.out_of_memory = True
        return
    if qid_length:
        memcpy(place.text, qid, qid_length)
    if detail_length:
        memcpy(place.text + qid_length, detail, detail_length)
    of_kind.n_places += 1


cdef void keep_first_places(Findings *findings) noexcept nogil:
    # Leaves only the first places of each kind. At the end.
    cdef int kind
    for kind in range(<int> N_KINDS):
        if not keep_first(&findings.of_kind[kind], findings.limit):
            findings.out_of_memory = True


cdef dict findings_by_name(const Findings *findings):
    # {kind: (count, places)} of what was found; a place is (line, query, detail, other line, number, expected).
    cdef const KindFindings *of_kind
    cdef const Place *place
    cdef size_t i
    cdef int kind
    by_name = {}
    for kind in range(<int> NUL_BYTE, <int> N_KINDS):
        of_kind = &findings.of_kind[kind]
        if not of_kind.count:
            continue
        places = []
        for i in range(of_kind.n_places):
            place = &of_kind.places[i]
            places.append((
                place.line,
                place.text[:place.qid_length],
                place.text[place.qid_length:place.qid_length + place.detail_length],
                place.other,
                place.number,
                place.expected,
            ))
        by_name[problem_name(<ProblemKind> kind)] = of_kind.count, places
    return by_name
