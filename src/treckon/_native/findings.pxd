"""Problems of a file by kind: how many, and where the first few are."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from treckon._native.problems cimport ProblemKind


ctypedef struct Place:
    uint64_t line
    uint64_t other             # another line that has to do with it, or 0
    int64_t number             # what was found
    int64_t expected
    char *text                 # the query's id, then the field or document id
    uint32_t qid_length
    uint32_t detail_length


ctypedef struct KindFindings:
    uint64_t count
    uint64_t bound             # lines from here on are no longer among the first
    Place *places
    size_t n_places
    size_t capacity


ctypedef struct Findings:
    KindFindings *of_kind      # N_KINDS of them
    size_t limit               # places kept of a kind
    bint out_of_memory


cdef bint findings_init(Findings *findings, size_t limit) noexcept nogil
cdef void findings_free(Findings *findings) noexcept nogil
cdef void note(
    Findings *findings,
    ProblemKind kind,
    uint64_t line,
    const char *qid,
    size_t qid_length,
    const char *detail=*,
    size_t detail_length=*,
    uint64_t other=*,
    int64_t number=*,
    int64_t expected=*,
) noexcept nogil
cdef void keep_first_places(Findings *findings) noexcept nogil
cdef dict findings_by_name(const Findings *findings)
