"""What scans of files share."""

from treckon._native.lines cimport Scanner


cdef class FileScan:
    cdef Scanner scanner
    cdef int cancelled

    # Raises what went wrong besides the lines.
    cdef int check(self) except -1
    # What is left to do when all is read.
    cdef void complete(self) noexcept nogil
