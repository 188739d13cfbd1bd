"""Reads run and qrels files into dicts of dicts."""

from treckon._native.file_scans cimport FileScan
from treckon._native.line_formats cimport SCORE, LineFormat
from treckon._native.lines cimport Record, Segment, scanner_init
from treckon._native.qrels cimport id_text_of


cdef bint collect_mapping(void *context, const Segment *segment) noexcept with gil:
    # A sink: a query's records into the reader's dict. False: stop.
    cdef MappingReader reader = <MappingReader> context
    try:
        reader.collect(segment)
    except BaseException as error:
        reader.error = error
        return False
    return True


cdef class MappingReader(FileScan):
    """Reads a run or qrels file into {query id: {document id: score or grade}}.

    format: of runs or of judgements with grades
    """

    cdef bint has_scores
    cdef object error
    cdef readonly dict mapping
    cdef readonly object duplicate      # (query id, document id) of the first document that is listed twice, as bytes

    def __cinit__(self, LineFormat format not None, bint release_9=False, bint strict=False):
        self.mapping = {}
        self.has_scores = format.format.value_kind == SCORE
        scanner_init(&self.scanner, format.read_by(release_9, strict), collect_mapping, <void *> self)

    cdef int collect(self, const Segment *segment) except -1:
        cdef const Record *record
        cdef size_t i
        cdef dict documents = self.mapping.setdefault(id_text_of(segment.qid[:segment.qid_length]), {})
        for i in range(segment.n_records):
            record = &segment.records[i]
            docno = id_text_of((segment.text + record.offset)[:record.length])
            if docno in documents and self.duplicate is None:
                self.duplicate = (segment.qid[:segment.qid_length], (segment.text + record.offset)[:record.length])
            documents[docno] = record.value if self.has_scores else record.grade
        return 0

    cdef int check(self) except -1:
        if self.error is not None:
            raise self.error
        return 0
