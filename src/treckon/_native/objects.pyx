"""Evaluates runs that are Python objects: dicts of dicts without copying a string, columns without an object a row."""

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_AsDouble, PyFloat_Check
from cpython.long cimport (
    PyLong_AsDouble, PyLong_AsLong, PyLong_AsLongAndOverflow, PyLong_AsLongLongAndOverflow, PyLong_Check,
    PyLong_CheckExact,
)
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_CheckExact
from libc.math cimport isnan
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcpy, memset

from treckon._native.engine cimport (
    FileScan, Results, Share, evaluate_found, evaluate_records, evaluate_segment, finish_gathered, gather_segment,
    is_wanted, note_tied_scores, share_duplicate, share_extra, share_free, share_unjudged,
)
from treckon._native.join cimport DOCNO_FALLING, DOCNO_RISING, Found, more_found
from treckon._native.line_formats cimport SCORE, LineFormat
from treckon._native.lines cimport Record, Segment, hash_key, scanner_init
from treckon._native.memory cimport reserve
from treckon._native.qrels cimport Qrels, QrelsBuilder, Unit, add_judged, find_query, id_text_of
from treckon._native.scan cimport TK_SLACK, tk_compare, tk_decimal, tk_hash

from treckon.errors import InputError, in_short, in_short_with_type
from treckon.scalars import Refused, grade_of, id_of, score_of

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    const void *PyUnicode_1BYTE_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)

cdef enum:
    UNKNOWN_QUERY = -2         # engine.pyx looks it up
    MOST_LOOKED_UP = 16        # judged documents of a query that are looked up in the run; of more, the run's are


cpdef bytes id_bytes(object key, str place="id"):
    """The bytes of an id: of text its UTF-8, of a whole number its decimal text. Raises InputError."""
    if isinstance(key, str):
        try:
            return (<str> key).encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return (<str> key).encode("utf-8", "surrogatepass")
    if isinstance(key, bytes):
        return bytes(key)  # of a subclass, such as NumPy's: the bytes alone
    try:
        return id_of(key).encode("utf-8", "surrogateescape")
    except Refused as problem:
        raise problem.at(place) from None


cdef bint has_nul(object text) except -1:
    # Whether there is a NUL in text. Raises UnicodeEncodeError for text that has no UTF-8.
    cdef Py_ssize_t length = 0
    cdef const void *characters
    if PyUnicode_IS_COMPACT_ASCII(text):
        characters = PyUnicode_1BYTE_DATA(text)
        length = PyUnicode_GET_LENGTH(text)
    else:
        characters = PyUnicode_AsUTF8AndSize(text, &length)
    return memchr(characters, 0, length) != NULL


cdef double score_at(object value, str place) except? -1.0:
    # A score. Raises InputError with the place.
    try:
        return score_of(value)
    except Refused as problem:
        raise problem.at(place) from None


cdef int32_t grade_at(object value, str place) except? -1:
    # A grade. Raises InputError with the place.
    try:
        return grade_of(value)
    except Refused as problem:
        raise problem.at(place) from None


cdef int refuse_odd_id(object key, str place) except -1:
    # Raises InputError for an id that isn't text, has no UTF-8, or has a NUL.
    if not isinstance(key, str):
        raise InputError(place, f"expected text as id, found {type(key).__name__}")
    try:
        if has_nul(str(key)):
            raise InputError(place, "expected an id without NUL, found one")
    except UnicodeEncodeError:
        raise InputError(place, "expected an id that can be written as UTF-8, found a lone surrogate") from None
    return 0


def id_text(object key):
    """The text of an id as `treckon` prints it: of bytes their UTF-8, of a whole number its decimal text."""
    return id_text_of(id_bytes(key, "id"))


cdef bint add_plain(QrelsBuilder builder, bytes qid, bytes group, dict documents) except -1:
    # Adds judgements whose ids are text and whose grades are whole numbers of Python. False: some are not, or an id has
    # a NUL or no UTF-8, or a grade not 32 bits, and nothing was added.
    cdef PyObject *key = NULL
    cdef PyObject *value = NULL
    cdef Py_ssize_t position = 0, length = 0
    cdef const char *docno
    cdef long grade
    cdef int overflow = 0
    while PyDict_Next(documents, &position, &key, &value):
        if not PyUnicode_CheckExact(<object> key) or not PyLong_Check(<object> value):
            return False
        grade = PyLong_AsLongAndOverflow(<object> value, &overflow)
        if overflow or not -2147483648 <= grade <= 2147483647:
            return False
        try:
            if has_nul(<object> key):
                return False
        except UnicodeEncodeError:
            return False
    builder.begin(qid, group)
    position = 0
    while PyDict_Next(documents, &position, &key, &value):
        docno = PyUnicode_AsUTF8AndSize(<object> key, &length)
        add_judged(
            &builder.builder, tk_hash(docno, length, hash_key()), docno, length, <int32_t> PyLong_AsLong(<object> value)
        )
    if builder.builder.out_of_memory:
        raise MemoryError
    return True


def add_plain_mapping(QrelsBuilder builder not None, mapping):
    """Adds judgements {query id: {document id: grade}}, dicts whose ids are text and whose grades are Python's int.

    Returns the ids of queries that have something else in them (or an id with a NUL or without UTF-8, or a grade beyond
    32 bits): their judgements are not added.
    """
    others = []
    for qid, documents in mapping.items():
        query = qid.encode("utf-8", "replace") if isinstance(qid, str) else b"\0"
        if b"\0" in query or type(documents) is not dict or query.decode() != qid:
            others.append(qid)
        elif not add_plain(builder, query, b"", documents):
            others.append(qid)
    return others


def add_mapping(QrelsBuilder builder not None, mapping, group=""):
    """Adds judgements {query id: {document id: grade}} to a builder, those of a group where there are groups.

    Raises InputError with query and document for an id or grade of the wrong type.
    """
    for qid, documents in mapping.items():
        query = id_bytes(qid, "qrels")
        group_id = b"" if group == "" else id_bytes(group, f"qrels: query {in_short(qid)}")
        if type(documents) is dict and add_plain(builder, query, group_id, documents):
            continue
        place = f"qrels: query {in_short(qid)}"
        if not hasattr(documents, "items"):
            raise InputError(place, f"expected documents with grades, found {in_short_with_type(documents)}")
        builder.begin(query, group_id)
        for docno, grade in documents.items():
            builder.add(
                query, id_bytes(docno, place),
                grade if type(grade) is int and -2 ** 31 <= grade < 2 ** 31
                else grade_at(grade, f"{place}, document {in_short(docno)}"),
            )


cdef class MappingScan:
    """Evaluates a run {query id: {document id: score}}; each document can stand there once only.

    results: where the values go
    as_listed: whether the documents' own order is the ranking, and not their scores
    plain_ids: whether documents' ids must be text that is UTF-8 and has no NUL
    """

    cdef Results results
    cdef bint as_listed
    cdef bint plain_ids
    cdef Share share
    cdef PyObject **keys
    cdef size_t key_capacity
    cdef readonly int64_t n_queries    # in the run
    cdef object first
    cdef list extra_queries            # ids of unjudged queries, where the plan reports

    def __cinit__(self, Results results not None, bint as_listed=False, bint plain_ids=False):
        memset(&self.share, 0, sizeof(Share))
        self.results = results
        self.as_listed = as_listed
        self.plain_ids = plain_ids
        self.extra_queries = []
        self.share.target = results.as_target()
        self.share.duplicate_query = self.share.unjudged_query = -1
        self.share.next_query = UNKNOWN_QUERY

    def __dealloc__(self):
        share_free(&self.share)
        free(self.keys)

    def scan(self, mapping):
        """Evaluates all queries. Raises InputError with query and document for what has the wrong type."""
        cdef int64_t query, i
        cdef Qrels qrels = self.results.qrels
        cdef list names = qrels.names()
        cdef list some
        self.n_queries = len(mapping)
        self.first = next(iter(mapping), None)
        if self.share.target.reports_ties:
            for key in mapping:
                qid = id_bytes(key, "run")
                if find_query(&qrels.table, qid, len(qid)) < 0:
                    self.extra_queries.append(qid)
        others = {}  # by text, what stands under ids of other types
        for key in mapping:
            if type(key) is not str:
                name = id_text_of(id_bytes(key, "run"))
                if name in others or name in mapping and not (key == name and hash(key) == hash(name)):
                    place = f"run: query {in_short(name)}"
                    raise InputError(place, "expected each query once, found its id as keys of two types")
                others[name] = mapping[key]
        some = self.found_queries(mapping) if 4 * self.n_queries < qrels.table.n_queries else None
        for i in range(qrels.table.n_queries if some is None else len(some)):
            query = i if some is None else some[i]
            documents = mapping.get(names[query])
            if documents is None:
                documents = others.get(names[query])
            if documents is None or not is_wanted(&self.share, query):
                continue
            self.share.target.seen[query] = 1
            if self.share.target.needs_ranking:
                self.evaluate(query, names[query], documents)

    cdef list found_queries(self, mapping):
        # The numbers of the run's judged queries, rising. Of a few queries these are sooner found than all looked up.
        found = set()
        for key in mapping:
            qid = id_bytes(key, "run")
            found.add(find_query(&self.results.qrels.table, qid, len(qid)))
        found.discard(-1)
        return sorted(found)

    cdef int evaluate(self, int64_t query, str name, documents) except -1:
        cdef const Unit *unit = &self.share.target.table.units[self.share.target.table.queries[query].first_unit]
        if type(documents) is not dict:
            if not hasattr(documents, "items"):
                raise InputError(
                    f"run: query {in_short(name)}",
                    f"expected documents with scores, found {in_short_with_type(documents)}",
                )
            documents = dict(documents)
        few = (
            unit.n_judged <= MOST_LOOKED_UP
            and self.share.target.table.queries[query].n_units == 1
            and not self.share.target.policy.ignores_self
            and not self.share.target.refuses_unjudged
            and not self.share.target.policy.marks_ties
            and not self.share.target.needs_holes
            and not self.as_listed
            and self.share.target.policy.ties in (DOCNO_FALLING, DOCNO_RISING)
        )
        try:
            if not self.collect(documents):
                return self.evaluate_any(query, name, documents)
            return self.evaluate_few(query, documents) if few else self.evaluate_collected(query, name, len(documents))
        except (UnicodeEncodeError, OverflowError):  # an id with a lone surrogate, a score beyond all doubles
            return self.evaluate_any(query, name, documents)

    cdef bint collect(self, dict documents) except -1:
        # Scores and ids of a query, as listed, if all are plain numbers and text: no code of others runs meanwhile.
        cdef PyObject *key = NULL
        cdef PyObject *value = NULL
        cdef Py_ssize_t position = 0
        cdef size_t n = 0
        cdef double *scores
        if not reserve(
            <void **> &self.share.scores, &self.share.score_capacity, len(documents) + 1, sizeof(double)
        ) or not reserve(<void **> &self.keys, &self.key_capacity, len(documents) + 1, sizeof(PyObject *)):
            raise MemoryError
        scores = self.share.scores
        while PyDict_Next(documents, &position, &key, &value):
            if not PyUnicode_CheckExact(<object> key):
                return False
            if PyFloat_Check(<object> value):
                scores[n] = PyFloat_AS_DOUBLE(<object> value)
            elif PyLong_CheckExact(<object> value):
                scores[n] = PyLong_AsDouble(<object> value)
            else:
                return False
            if self.plain_ids and has_nul(<object> key):
                return False
            self.keys[n] = key
            n += 1
        if has_nan(scores, n):
            return False
        self.adjust(scores, n)
        return True

    cdef void adjust(self, double *scores, size_t n) noexcept nogil:
        # What the scores are compared as.
        cdef size_t i
        if self.as_listed:
            for i in range(n):
                scores[i] = -<double> i
        elif self.results.plan.release_9:
            for i in range(n):
                scores[i] = <double> (<float> scores[i])

    cdef int evaluate_few(self, int64_t query, dict documents) except -1:
        # Looks the judged documents up in the run and counts the scores above theirs.
        cdef Share *share = &self.share
        cdef size_t n = len(documents), i
        cdef Found *found
        cdef PyObject *value
        cdef double score
        cdef list judged = self.results.qrels.unit_names(query)
        cdef const Unit *unit = &share.target.table.units[share.target.table.queries[query].first_unit]
        share.joiner.n_found = 0
        for i in range(unit.n_judged):
            value = PyDict_GetItemWithError(documents, judged[i])
            if value == NULL:
                continue
            if share.joiner.n_found == share.joiner.found_capacity and not more_found(&share.joiner):
                raise MemoryError
            found = &share.joiner.found[share.joiner.n_found]
            share.joiner.n_found += 1
            found.record = found.entry = i
            found.grade = share.target.table.judged[unit.first_judged + i].grade
            found.tie_size = 1
            score = PyFloat_AsDouble(<object> value)
            if self.results.plan.release_9:
                score = <double> (<float> score)
            found.rank = found.tie_rank = 1 + self.n_above(score, judged[i], n)
        sort_found(share.joiner.found, share.joiner.n_found)
        if not evaluate_found(share, query, n):
            raise MemoryError
        if share.target.reports_ties:
            note_tied_scores(share, query, n)
        return 0

    cdef int64_t n_above(self, double score, str name, size_t n) except -1:
        # How many documents rank above this one.
        cdef const double *scores = self.share.scores
        cdef int64_t above = 0, equal = 0
        cdef size_t i
        cdef Py_ssize_t length = 0, other_length = 0
        cdef const char *docno
        cdef const char *other
        cdef int order
        for i in range(n):
            above += scores[i] > score
            equal += scores[i] == score
        if equal > 1:
            docno = PyUnicode_AsUTF8AndSize(name, &length)
            for i in range(n):
                if scores[i] == score:
                    other = PyUnicode_AsUTF8AndSize(<object> self.keys[i], &other_length)
                    order = tk_compare(other, other_length, docno, length)
                    above += order > 0 if self.share.target.policy.ties == DOCNO_FALLING else order < 0
        return above

    cdef int evaluate_collected(self, int64_t query, str name, size_t n) except -1:
        # Joins what collect() found.
        cdef Py_ssize_t length = 0
        cdef const char *docno
        cdef size_t i
        self.begin_records(n)
        for i in range(n):
            docno = PyUnicode_AsUTF8AndSize(<object> self.keys[i], &length)
            self.add_record(docno, length, self.share.scores[i])
        return self.evaluate_gathered(query, name)

    cdef int evaluate_any(self, int64_t query, str name, dict documents) except -1:
        # The same for ids and scores of any type.
        cdef bytes docno
        cdef double score
        items = list(documents.items())
        place = f"run: query {in_short(name)}"
        self.begin_records(len(items))
        for key, value in items:
            if self.plain_ids:
                refuse_odd_id(key, f"{place}, document {in_short(key)}")
            docno = id_bytes(key, place)
            score = score_at(value, f"{place}, document {in_short(key)}")
            if self.as_listed:
                score = -<double> self.share.n_kept
            elif self.results.plan.release_9:
                score = <double> (<float> score)
            self.add_record(docno, len(docno), score)
        return self.evaluate_gathered(query, name)

    cdef int begin_records(self, size_t n) except -1:
        if not reserve(<void **> &self.share.kept, &self.share.kept_capacity, n + 1, sizeof(Record)):
            raise MemoryError
        self.share.n_kept = self.share.n_ids = 0
        return 0

    cdef int add_record(self, const char *docno, size_t length, double score) except -1:
        cdef Record *record = &self.share.kept[self.share.n_kept]
        if not reserve(<void **> &self.share.ids, &self.share.id_capacity, self.share.n_ids + length + TK_SLACK, 1):
            raise MemoryError
        memcpy(self.share.ids + self.share.n_ids, docno, length)
        record.hash = tk_hash(docno, length, hash_key())
        record.value = score
        record.offset = self.share.n_ids
        record.length = <uint32_t> length
        self.share.n_ids += length
        self.share.n_kept += 1
        return 0

    cdef int evaluate_gathered(self, int64_t query, str name) except -1:
        cdef Segment segment
        cdef bytes qid = id_bytes(name, "run")
        memset(&segment, 0, sizeof(Segment))
        segment.text = self.share.ids
        segment.qid = qid
        segment.qid_length = len(qid)
        segment.records = self.share.kept
        segment.n_records = self.share.n_kept
        if not evaluate_records(&self.share, query, &segment):
            raise MemoryError
        return 0

    @property
    def duplicate(self):
        """(number of the query, document id) of a document that stands twice (as text and as number), or None."""
        return share_duplicate(&self.share)

    @property
    def unjudged(self):
        """(number of the query, document id, rank) of an unjudged document where the plan refuses them, or None."""
        return share_unjudged(&self.share)

    @property
    def extra(self):
        """(ids of unjudged queries, the first of them or None)."""
        return self.extra_queries, next(iter(self.extra_queries), None)

    @property
    def n_own(self):
        """How many documents were taken out because their id is the query's."""
        return self.share.joiner.n_own

    @property
    def first_query(self):
        """The id of the run's first query, or None."""
        return None if self.first is None else id_bytes(self.first, "run")


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
        self.share.next_query = UNKNOWN_QUERY

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
        """(number of the query, document id) of a document that stands twice for a query, or None."""
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


cdef bint has_nan(const double *scores, size_t n) noexcept nogil:
    cdef size_t i
    cdef bint found = False
    for i in range(n):
        found |= scores[i] != scores[i]
    return found


cdef void sort_found(Found *found, size_t n) noexcept nogil:
    # By rank; there are few.
    cdef size_t i, j
    cdef Found one
    for i in range(1, n):
        one = found[i]
        j = i
        while j > 0 and found[j - 1].rank > one.rank:
            found[j] = found[j - 1]
            j -= 1
        found[j] = one


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
    cdef readonly object duplicate      # (query id, document id) of the first document that stands twice, as bytes

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
