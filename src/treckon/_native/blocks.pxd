"""Reads files and streams block by block."""

from libc.stdint cimport int64_t

from treckon._native.lines cimport Scanner


cdef void scan_file(Scanner *scanner, int fd, int64_t begin, int64_t end, const int *cancelled) noexcept nogil
cdef void scan_bytes(Scanner *scanner, const char *text, size_t n) noexcept nogil
cdef void scan_end(Scanner *scanner) noexcept nogil
