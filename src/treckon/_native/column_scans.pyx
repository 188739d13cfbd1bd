"""Evaluates runs that stand in columns or rows, without an object a row."""

from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_AsDouble, PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_CheckExact
from libc.math cimport isnan
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from treckon._native.conversion cimport PyUnicode_AsUTF8AndSize, id_bytes
from treckon._native.lines cimport Record, Segment, hash_key
from treckon._native.memory cimport reserve
from treckon._native.results cimport Results
from treckon._native.scan cimport TK_SLACK, tk_decimal, tk_hash
from treckon._native.shares cimport (
    UNKNOWN, Share, evaluate_segment, finish_gathered, gather_segment, share_duplicate, share_extra, share_free,
    share_unjudged,
)

from treckon.errors import InputError


cdef class ColumnsScan:
    """Evaluates rows of a run that stand in columns.

    results: where the values go; several scans may share the rows of one run
    gather: keep everything until `finish_gathering`, for runs in which the rows of a query lie apart
    """

    cdef readonly Results results
    cdef Share share
    cdef readonly bint gathers
    cdef Record *records
    cdef size_t record_capacity
    cdef char *text
    cdef size_t text_capacity

    def __cinit__(self, Results results not None, bint gather=False):
        memset(&self.share, 0, sizeof(Share))
        self.results = results
        self.gathers = gather
        self.share.target = results.as_target()
        self.share.duplicate_query = self.share.unjudged_query = -1
        self.share.next_query = UNKNOWN

    def __dealloc__(self):
        share_free(&self.share)
        free(self.records)
        free(self.text)

    def scan_numbers(self, const int64_t[::1] queries, const int64_t[::1] documents, const double[::1] scores,
                     int64_t begin, int64_t end):
        """Evaluates the rows [begin, end), whose ids are numbers; the rows of a query may not be divided."""
        cdef int64_t first = begin, last
        cdef bint goes_on = True
        if not 0 <= begin <= end <= min(queries.shape[0], documents.shape[0], scores.shape[0]):
            raise IndexError(f"rows {begin} to {end}")
        with nogil:
            while first < end and goes_on:
                last = first + 1
                while last < end and queries[last] == queries[first]:
                    last += 1
                goes_on = self.number_segment(queries[first], &documents[first], &scores[first], last - first)
                first = last
        if self.share.out_of_memory:
            raise MemoryError

    cdef bint number_segment(
        self, int64_t query, const int64_t *documents, const double *scores, int64_t n
    ) noexcept nogil:
        cdef Segment segment
        cdef char[20] qid
        cdef char *text
        cdef Record *record
        cdef int64_t i
        if not reserve(<void **> &self.records, &self.record_capacity, n, sizeof(Record)) or not reserve(
            <void **> &self.text, &self.text_capacity, 20 * n + TK_SLACK, 1
        ):
            self.share.out_of_memory = True
            return False
        text = self.text
        for i in range(n):
            record = &self.records[i]
            record.length = <uint32_t> tk_decimal(documents[i], text)
            record.hash = tk_hash(text, record.length, hash_key())
            record.offset = text - self.text
            record.value = scores[i]
            text += record.length
        memset(&segment, 0, sizeof(Segment))
        segment.text = self.text
        segment.qid = qid
        segment.qid_length = tk_decimal(query, qid)
        segment.records = self.records
        segment.n_records = n
        return self.take(&segment)

    cdef bint take(self, const Segment *segment) noexcept nogil:
        if self.gathers:
            return gather_segment(&self.share, segment)
        return evaluate_segment(&self.share, segment)

    def scan_objects(self, list queries, list documents, const double[::1] scores):
        """Evaluates rows whose ids are texts, whole numbers or bytes. Raises InputError with the row of any other."""
        cdef Segment segment
        cdef Record *record
        cdef bytes qid, docno
        cdef int64_t n = len(queries), first = 0, last, i
        cdef size_t length, n_text
        if len(documents) != n or scores.shape[0] != n:
            raise InputError("run", f"expected columns of one length, found {n}, {len(documents)}, {scores.shape[0]}")
        while first < n:
            last = first + 1
            while last < n and queries[last] == queries[first]:
                last += 1
            if not reserve(<void **> &self.records, &self.record_capacity, last - first, sizeof(Record)):
                raise MemoryError
            n_text = 0
            for i in range(first, last):
                docno = id_bytes(documents[i], f"run: row {i}")
                length = len(docno)
                if not reserve(<void **> &self.text, &self.text_capacity, n_text + length + TK_SLACK, 1):
                    raise MemoryError
                memcpy(self.text + n_text, <const char *> docno, length)
                record = &self.records[i - first]
                record.hash = tk_hash(docno, length, hash_key())
                record.value = scores[i]
                record.offset = n_text
                record.length = <uint32_t> length
                n_text += length
            qid = id_bytes(queries[first], f"run: row {first}")
            memset(&segment, 0, sizeof(Segment))
            segment.text = self.text
            segment.qid = qid
            segment.qid_length = len(qid)
            segment.records = self.records
            segment.n_records = last - first
            if not self.take(&segment):
                break
            first = last
        if self.share.out_of_memory:
            raise MemoryError

    def scan_rows(self, rows not None, bint as_listed=False):
        """Evaluates rows as they come.

        rows: an iterable of `treckon.inputs.Rows`' kind: of rows that are tuples of exactly the type `row_type` the
              three items stand at the positions `at`, of any other row `take(row)` gives them, and where they are no
              plain text and numbers, `checked(number, row)` does, or raises
        as_listed: whether the rows' own order is the ranking, and not their scores
        """
        cdef Py_ssize_t query_at, document_at, score_at, size
        cdef int64_t number = -1
        cdef size_t n = 0, n_text = 0
        cdef double score = 0.0
        cdef bint single = self.results.plan.release_9
        kind = rows.row_type
        query_at, document_at, score_at = rows.at
        size = 3 if kind is None or kind is tuple else len(kind._fields)
        take = rows.take
        last = None
        for row in rows:
            number += 1
            if type(row) is kind and PyTuple_GET_SIZE(row) == size:
                query = <object> PyTuple_GET_ITEM(row, query_at)
                document = <object> PyTuple_GET_ITEM(row, document_at)
                value = <object> PyTuple_GET_ITEM(row, score_at)
            else:
                try:
                    query, document, value = take(row)
                except Exception:
                    query, document, value = rows.checked(number, row)
            if not plain_score(value, &score) or not (is_plain_id(query) and is_plain_id(document)):
                query, document, value = rows.checked(number, row)
                score = value
            if n == 0 or not (query is last or same_id(query, last)):
                if n and not self.take_rows(last, n):
                    break
                last = query
                n = n_text = 0
            if as_listed:
                score = -<double> number
            elif single:
                score = <double> (<float> score)
            n_text += self.add_row(document, score, n, n_text)
            n += 1
        else:
            if n:
                self.take_rows(last, n)
        if self.share.out_of_memory:
            raise MemoryError

    cdef size_t add_row(self, object document, double score, size_t n, size_t n_text) except? 0:
        # The length of the document's id, which was put behind the others.
        cdef const char *text
        cdef Py_ssize_t length = 0
        cdef Record *record
        cdef bytes encoded
        cdef char[20] digits
        if not reserve(<void **> &self.records, &self.record_capacity, n + 1, sizeof(Record)):
            raise MemoryError
        if PyUnicode_CheckExact(document):
            try:
                text = PyUnicode_AsUTF8AndSize(document, &length)
            except UnicodeEncodeError:  # a lone surrogate
                encoded = id_bytes(document, "run")
                text, length = encoded, len(encoded)
        else:
            length = tk_decimal(<int64_t> document, digits)
            text = digits
        if not reserve(<void **> &self.text, &self.text_capacity, n_text + length + TK_SLACK, 1):
            raise MemoryError
        memcpy(self.text + n_text, text, length)
        record = &self.records[n]
        record.hash = tk_hash(self.text + n_text, length, hash_key())
        record.value = score
        record.offset = n_text
        record.length = <uint32_t> length
        return length

    cdef bint take_rows(self, object query, size_t n) except -1:
        # One query's rows. False: no further ones are wanted.
        cdef Segment segment
        cdef bytes qid = id_bytes(query, "run")
        memset(&segment, 0, sizeof(Segment))
        segment.text = self.text
        segment.qid = qid
        segment.qid_length = len(qid)
        segment.records = self.records
        segment.n_records = n
        return self.take(&segment)

    def finish_gathering(self):
        """Evaluates all that was kept."""
        self.results.forget()
        finish_gathered(&self.share)

    @property
    def scattered(self):
        """Whether a query was met twice: its rows lie apart, and all must be gathered."""
        return self.share.scattered

    @property
    def duplicate(self):
        """(number of the query, document id) of a document that is listed twice for a query, or None."""
        return share_duplicate(&self.share)

    @property
    def unjudged(self):
        """(number of the query, document id, rank) of an unjudged document where the plan refuses them, or None."""
        return share_unjudged(&self.share)

    @property
    def extra(self):
        """(hashes of the ids of unjudged queries, the first such id or None), where the plan reports."""
        return share_extra(&self.share)

    @property
    def n_own(self):
        """How many documents were taken out because their id is the query's."""
        return self.share.joiner.n_own

    @property
    def first_query(self):
        """The id of the first query, or None."""
        return None if self.share.n_segments == 0 else self.share.first_qid[:self.share.first_qid_length]


cdef inline bint is_plain_id(object key) noexcept:
    # Text, or a whole number of 64 bits.
    cdef int overflow = 0
    if PyUnicode_CheckExact(key):
        return True
    if not PyLong_CheckExact(key):
        return False
    PyLong_AsLongLongAndOverflow(key, &overflow)
    return overflow == 0


cdef inline bint same_id(object one, object other):
    return type(one) is type(other) and one == other


cdef inline bint plain_score(object value, double *score) noexcept:
    # Whether it is a number of Python's (of a whole number: one that a double holds) and not NaN.
    if PyFloat_Check(value):
        score[0] = PyFloat_AS_DOUBLE(value)
        return not isnan(score[0])
    if PyLong_CheckExact(value):
        try:
            score[0] = PyLong_AsDouble(value)
        except OverflowError:
            return False
        return True
    return False
