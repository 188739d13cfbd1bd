"""Scans of files for Python: what reads a file, or a share of it."""

from libc.stdint cimport int64_t

from treckon._native.blocks cimport scan_bytes, scan_end, scan_file
from treckon._native.lines cimport scanner_free
from treckon._native.problems cimport NO_PROBLEM, OUT_OF_MEMORY, problem_name


cdef class FileScan:
    """Reads a file, or a share of it. What becomes of its lines is up to the classes derived from it."""

    def __dealloc__(self):
        scanner_free(&self.scanner)

    cdef int check(self) except -1:
        return 0

    cdef void complete(self) noexcept nogil:
        pass

    def scan_file(self, int fd, int64_t begin, int64_t end):
        """Reads the share [begin, end) of a file; see blocks.pyx for where a share begins and ends."""
        with nogil:
            scan_file(&self.scanner, fd, begin, end, &self.cancelled)
            if self.scanner.ended:
                self.complete()

    def feed(self, const unsigned char[::1] text not None):
        """Takes the next bytes of a stream. False: it has seen enough."""
        if text.shape[0]:
            with nogil:
                scan_bytes(&self.scanner, <const char *> &text[0], text.shape[0])
        return not self.scanner.stopped

    def end(self):
        """The stream is at its end."""
        with nogil:
            scan_end(&self.scanner)
            if self.scanner.ended:
                self.complete()

    def cancel(self):
        """Asks a running `scan_file` to stop; may be called from another thread."""
        self.cancelled = 1

    @property
    def problem(self):
        """What stopped the scan: (its name, position of the line, number found), or None."""
        self.check()
        if self.scanner.problem.kind == OUT_OF_MEMORY:
            raise MemoryError
        if self.scanner.problem.kind == NO_PROBLEM:
            return None
        return problem_name(self.scanner.problem.kind), self.scanner.problem.position, self.scanner.problem.found

    @property
    def n_records(self):
        """How many records were read."""
        return self.scanner.n_all_records

    @property
    def partial_values(self):
        """(how many values are numbers only up to some character, position of the first one's line)."""
        return self.scanner.n_partial, self.scanner.first_partial
