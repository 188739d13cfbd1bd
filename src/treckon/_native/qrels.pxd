"""Judgements as Python has them."""

from libc.stdint cimport int64_t, uint64_t

from treckon._native.judged_tables cimport Builder, Table
from treckon._native.lines cimport sink_t


cdef class Qrels:
    cdef Table table
    cdef readonly str release
    cdef readonly bint has_groups
    cdef list query_names        # texts of ids, made when first asked for
    cdef list judged_names       # of each query

    cdef list names(self)
    cdef list unit_names(self, int64_t query)
    cdef list parts(self)
    cdef list unit_judgements(self, uint64_t u)
    cdef bytes qid(self, int64_t query)
    cdef bint is_faulty(self, int64_t query) noexcept nogil
    cdef int index_documents(self) except -1


cdef str id_text_of(bytes id)


cdef class QrelsBuilder:
    cdef Builder builder

    # The sink of a scanner over a judgement file, and the sink's context.
    cdef sink_t sink(self) noexcept
    cdef void *context(self) noexcept
