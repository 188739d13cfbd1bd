"""A matrix of values, filled query by query without the interpreter, by any number of threads."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from treckon._native.coverage cimport Coverage, coverage_free
from treckon._native.join cimport Joiner, joiner_free
from treckon._native.pairing cimport Pairing, pairing_free
from treckon._native.plans cimport Plan, Value
from treckon._native.policies cimport DOCNO_FALLING, DOCNO_RISING
from treckon._native.prefs cimport Prefs
from treckon._native.qrels cimport Qrels
from treckon._native.query_evaluation cimport Target, evaluate_query
from treckon._native.ranking cimport GradeCount, Hit, Ranking


cdef class Results:
    """The values of every query of some qrels under a plan, empty until a run is evaluated into it.

    only: the number of the one query that is evaluated, or -1: all are
    """

    def __cinit__(self, Qrels qrels not None, Plan plan not None, int64_t only=-1):
        cdef size_t n = qrels.table.n_queries
        self.qrels = qrels
        self.plan = plan
        self.only = only
        self.matrix = <double *> calloc(n * plan.n_values + 1, sizeof(double))
        self.seen = <unsigned char *> calloc(n + 1, 1)
        self.ties = <unsigned char *> calloc(n + 1, 1)
        self.n_texts = n * plan.n_texts
        self.n_kept_rankings = n * plan.n_views if plan.keeps_rankings else 0
        self.kept_rankings = <char **> calloc(self.n_kept_rankings + 1, sizeof(char *))
        self.texts = <char **> calloc(n * plan.n_texts + 1, sizeof(char *))
        self.text_lengths = <int64_t *> calloc(n * plan.n_texts + 1, sizeof(int64_t))
        if self.matrix == NULL or self.seen == NULL or self.ties == NULL:
            raise MemoryError
        if self.kept_rankings == NULL or self.texts == NULL or self.text_lengths == NULL:
            raise MemoryError
        if plan.needs_holes:
            qrels.index_documents()

    def __dealloc__(self):
        # The collector may have taken plan and qrels away already: only what C holds can be looked at.
        cdef size_t i
        if self.texts != NULL:
            for i in range(self.n_texts):
                free(self.texts[i])
        if self.kept_rankings != NULL:
            for i in range(self.n_kept_rankings):
                free(self.kept_rankings[i])
        free(self.kept_rankings)
        free(self.texts)
        free(self.text_lengths)
        free(self.matrix)
        free(self.ties)
        free(self.seen)

    @property
    def n_in_run(self):
        """How many of the queries the run has."""
        cdef int64_t i, n = 0
        for i in range(self.qrels.table.n_queries):
            n += self.seen[i] == 1
        return n

    @property
    def n_evaluated(self):
        """How many of the queries have values."""
        cdef int64_t i, n = 0
        for i in range(self.qrels.table.n_queries):
            n += self.seen[i] != 0
        return n

    @property
    def n_tied(self):
        """In how many queries documents tie, and in how many of these across a cutoff, where the plan reports it."""
        cdef int64_t i, n = 0, n_across = 0
        for i in range(self.qrels.table.n_queries):
            n += self.ties[i] != 0
            n_across += self.ties[i] == 3
        return n, n_across

    def is_evaluated(self, int64_t query):
        """Whether a query has values."""
        return 0 <= query < self.qrels.table.n_queries and self.seen[query] != 0

    def missing(self):
        """The numbers of the queries that the run lacks."""
        return [i for i in range(self.qrels.table.n_queries) if self.seen[i] != 1]

    def first_faulty(self):
        """The number of the first query with values whose judgements can't be evaluated, or -1."""
        cdef int64_t i
        for i in range(self.qrels.table.n_queries):
            if self.seen[i] and self.qrels.is_faulty(i):
                return i
        return -1

    def evaluated(self):
        """The numbers of the queries that have values."""
        return [i for i in range(self.qrels.table.n_queries) if self.seen[i]]

    def evaluate_missing(self):
        """Gives the queries that the run lacks their values: the record's, or the kernel's for an empty ranking."""
        cdef int64_t i
        cdef Joiner joiner
        cdef Pairing pairing
        cdef Coverage coverage
        cdef Target target = self.as_target()
        cdef bint good = True
        memset(&joiner, 0, sizeof(Joiner))
        memset(&pairing, 0, sizeof(Pairing))
        memset(&coverage, 0, sizeof(Coverage))
        for i in range(self.qrels.table.n_queries):
            if self.seen[i] == 0 and (self.only < 0 or self.only == i):
                good = good and evaluate_query(&target, &joiner, &pairing, &coverage, i, NULL)
                self.seen[i] = 2
        joiner_free(&joiner)
        pairing_free(&pairing)
        coverage_free(&coverage)
        if not good:
            raise MemoryError

    def row(self, int64_t query):
        """The values of a query: floats, and bytes for text values."""
        cdef Py_ssize_t i
        cdef Value *value
        if not 0 <= query < self.qrels.table.n_queries:
            raise IndexError(f"query {query} of {self.qrels.table.n_queries}")
        row = []
        for i in range(self.plan.n_values):
            value = &self.plan.values[i]
            if value.text_column < 0:
                row.append(self.matrix[query * self.plan.n_values + i])
            else:
                row.append(PyBytes_FromStringAndSize(
                    self.texts[query * self.plan.n_texts + value.text_column],
                    self.text_lengths[query * self.plan.n_texts + value.text_column],
                ))
        return row

    def ranking(self, int64_t query, Py_ssize_t value):
        """The ranking of a query as the measure of a value saw it, where the plan keeps rankings; None: not evaluated.

        (documents retrieved, relevant documents of the qrels, nonrelevant ones, relevance level, ranks, grades,
        {grade: judged documents}); ranks (from 1) and grades are of the retrieved documents that are in the qrels.
        """
        cdef const Ranking *kept
        cdef const Hit *hits
        cdef const GradeCount *grades
        if not self.plan.keeps_rankings:
            raise ValueError("this plan keeps no rankings")
        if not (0 <= query < self.qrels.table.n_queries and 0 <= value < self.plan.n_values):
            raise IndexError(f"value {value} of query {query}")
        kept = <const Ranking *> self.kept_rankings[query * self.plan.n_views + self.plan.values[value].view]
        if kept == NULL:
            return None
        hits = <const Hit *> (<const char *> kept + sizeof(Ranking))
        grades = kept.grades
        return (
            kept.n_ret, kept.n_rel, kept.n_nonrel, kept.level, [hits[i].rank for i in range(kept.n_hits)],
            [hits[i].grade for i in range(kept.n_hits)],
            {grades[i].grade: grades[i].count for i in range(kept.n_grades)},
        )

    def values(self, list queries):
        """The values of these queries, one query's behind the other's, as the bytes of doubles."""
        cdef size_t size = self.plan.n_values * sizeof(double), at = 0
        cdef bytearray block = bytearray(len(queries) * size)
        cdef char *target = block
        cdef int64_t query
        for query in queries:
            if not 0 <= query < self.qrels.table.n_queries:
                raise IndexError(f"query {query} of {self.qrels.table.n_queries}")
            memcpy(target + at, self.matrix + query * self.plan.n_values, size)
            at += size
        return block

    def by_name(self, dict queries not None, tuple names not None):
        """{query id: {name: value}}: `queries` has the number of each query by its id, `names` is as the values are.

        A text value is 0.0. Of two values with one name the last counts.
        """
        cdef Py_ssize_t i, n = self.plan.n_values
        cdef int64_t query
        cdef dict found = {}, row
        if len(names) != n:
            raise ValueError(f"expected {n} names, found {len(names)}")
        for query_id, query in queries.items():
            if not 0 <= query < self.qrels.table.n_queries:
                raise IndexError(f"query {query} of {self.qrels.table.n_queries}")
            row = {}
            for i in range(n):
                row[names[i]] = self.matrix[query * n + i]
            found[query_id] = row
        return found

    def forget(self):
        """Makes all values empty again."""
        memset(self.seen, 0, self.qrels.table.n_queries)
        memset(self.ties, 0, self.qrels.table.n_queries)
        memset(self.matrix, 0, self.qrels.table.n_queries * self.plan.n_values * sizeof(double))

    def set(self, int64_t query, Py_ssize_t value, double number):
        """Replaces one value."""
        if not (0 <= query < self.qrels.table.n_queries and 0 <= value < self.plan.n_values):
            raise IndexError(f"value {value} of query {query}")
        self.matrix[query * self.plan.n_values + value] = number

    def totals(self):
        """The sum of each value over the queries that have values, added in the order of their ids."""
        cdef int64_t query
        cdef Py_ssize_t i, n = self.plan.n_values
        cdef const double *row
        cdef double *totals = <double *> calloc(n + 1, sizeof(double))
        if totals == NULL:
            raise MemoryError
        for query in range(self.qrels.table.n_queries):
            if self.seen[query]:
                row = self.matrix + query * n
                for i in range(n):
                    totals[i] += row[i]
        sums = [total for total in totals[:n]]
        free(totals)
        return sums

    cdef Target as_target(self):
        cdef Target target
        target.table = &self.qrels.table
        target.values = self.plan.values
        target.n_values = self.plan.n_values
        target.n_texts = self.plan.n_texts
        target.needs_ranking = self.plan.needs_ranking
        target.needs_subtopics = self.plan.needs_subtopics
        target.needs_holes = self.plan.needs_holes
        target.policy = self.plan.policy
        target.preferences = NULL
        if isinstance(self.qrels, Prefs):
            target.preferences = &(<Prefs> self.qrels).preferences
            if target.policy.ties == DOCNO_FALLING:  # trec_eval's order is another one here
                target.policy.ties = DOCNO_RISING
        target.views = self.plan.views
        target.n_views = self.plan.n_views
        target.reports_ties = self.plan.reports_ties
        target.cutoffs = self.plan.cutoffs
        target.n_cutoffs = self.plan.n_cutoffs
        target.refuses_unjudged = self.plan.refuses_unjudged
        target.ties = self.ties
        target.kept_rankings = self.kept_rankings if self.plan.keeps_rankings else NULL
        target.only = self.only
        target.matrix = self.matrix
        target.seen = self.seen
        target.texts = self.texts
        target.text_lengths = self.text_lengths
        return target
