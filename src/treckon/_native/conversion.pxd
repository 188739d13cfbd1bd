"""Python objects to ids, scores and grades."""

from libc.stdint cimport int32_t


cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    const void *PyUnicode_1BYTE_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)


cpdef bytes id_bytes(object key, str place=*)
cdef bint has_nul(object text) except -1
cdef double score_at(object value, str place) except? -1.0
cdef int32_t grade_at(object value, str place) except? -1
cdef int refuse_odd_id(object key, str place) except -1
