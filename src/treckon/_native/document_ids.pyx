"""Reads the ids of a collection's documents."""

from libc.string cimport memchr

from treckon._native.judged_tables cimport add_judged
from treckon._native.line_text cimport MAX_FIELDS, split_fields
from treckon._native.lines cimport hash_key
from treckon._native.qrels cimport QrelsBuilder
from treckon._native.scan cimport tk_hash


cdef class IdReader:
    """Collects the ids of a collection's documents: the first field of each line; blank lines have none."""

    cdef QrelsBuilder builder
    cdef bytes rest

    def __cinit__(self):
        self.builder = QrelsBuilder()
        self.builder.begin(b"")
        self.rest = b""

    def add(self, bytes docno not None):
        """Takes one id."""
        add_judged(&self.builder.builder, tk_hash(docno, len(docno), hash_key()), docno, len(docno), 0)

    def feed(self, bytes block not None):
        """Takes the next bytes of a file."""
        cdef bytes text = self.rest + block
        cdef const char *p = text
        cdef const char *end = p + len(text)
        cdef const char *newline
        cdef const char *field[MAX_FIELDS]
        cdef size_t length[MAX_FIELDS]
        cdef const char *begin = p
        with nogil:
            while True:
                newline = <const char *> memchr(p, c"\n", end - p) if p < end else NULL
                if newline == NULL:
                    break
                if split_fields(p, newline, field, length):
                    add_judged(
                        &self.builder.builder, tk_hash(field[0], length[0], hash_key()), field[0], length[0], 0
                    )
                p = newline + 1
        self.rest = text[p - begin:]

    def finish(self):
        """`Qrels` with one query, whose documents they are."""
        if self.rest:
            self.feed(b"\n")
        self.rest = b""
        return self.builder.finish("10.0")
