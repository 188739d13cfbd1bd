"""Evaluates runs that are dicts of dicts, without copying a string."""

from cpython.dict cimport PyDict_GetItemWithError, PyDict_Next
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_AsDouble, PyFloat_Check
from cpython.long cimport PyLong_AsDouble, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from treckon._native.conversion cimport PyUnicode_AsUTF8AndSize, has_nul, id_bytes, refuse_odd_id, score_at
from treckon._native.join cimport Found, more_found
from treckon._native.judged_tables cimport Unit, find_query
from treckon._native.lines cimport Record, Segment, hash_key
from treckon._native.memory cimport reserve
from treckon._native.policies cimport DOCNO_FALLING, DOCNO_RISING
from treckon._native.qrels cimport Qrels, id_text_of
from treckon._native.results cimport Results
from treckon._native.scan cimport TK_SLACK, tk_compare, tk_hash
from treckon._native.shares cimport (
    UNKNOWN, Share, evaluate_found, evaluate_records, is_wanted, note_tied_scores, share_duplicate, share_free,
    share_unjudged,
)

from treckon.errors import InputError, in_short, in_short_with_type


cdef enum:
    MOST_LOOKED_UP = 16        # judged documents of a query that are looked up in the run; of more, the run's are


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
        self.share.next_query = UNKNOWN

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
        """(number of the query, document id) of a document that is listed twice (as text and as number), or None."""
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
