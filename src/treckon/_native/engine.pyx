"""Evaluates the segments of a run as they come: join, then every kernel, while the query is in the cache."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport NAN, isnan
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcpy, memset

from treckon._native.blocks cimport scan_bytes, scan_end, scan_file
from treckon._native.coverage cimport Coverage, cover, coverage_free, form_diversity
from treckon._native.join cimport (
    AS_LISTED, BEST_FIRST, DOCNO_FALLING, DOCNO_RISING, DUPLICATE, JOINED, REPEATS_BY_SCORE, REPEATS_DROPPED,
    REPEATS_REFUSED, REPEATS_UNPOOLED, SEEDED_RANDOM, WORST_FIRST, Joiner, JoinStatus, View, filter_records,
    find_holes, first_unjudged, form_ranking, join, joiner_free,
)
from treckon._native.line_formats cimport GRADE, LEVEL, SCORE, LineFormat
from treckon._native.lines cimport Record, Segment, scanner_free, scanner_init
from treckon._native.memory cimport reserve
from treckon._native.pairing cimport Pairing, pair_up, pairing_free
from treckon._native.prefs cimport Prefs, PrefsBuilder
from treckon._native.problems cimport NO_PROBLEM, OUT_OF_MEMORY, problem_name
from treckon._native.qrels cimport Qrels, QrelsBuilder, Query, Unit, find_query
from treckon._native.ranking cimport (
    JK_DISCOUNT, LOG2_DISCOUNT, NO_CUTOFF, NO_DISCOUNT, GainPair, Gains, GradeCount, Hit, Kernel, Params, Ranking,
    binary_gain, exp2_gain, linear_gain,
)
from treckon._native.scan cimport TK_SLACK, tk_exchange, tk_hash, tk_prefetch

cdef enum:
    UNKNOWN = -2               # a query that was not looked up yet

_TIES = {
    "trec": DOCNO_FALLING, "docno": DOCNO_RISING, "input": AS_LISTED, "random": SEEDED_RANDOM, "optimistic": BEST_FIRST,
    "pessimistic": WORST_FIRST, "expected": DOCNO_FALLING,
}
_REPEATS = {
    "error": REPEATS_REFUSED, "first": REPEATS_UNPOOLED, "drop": REPEATS_DROPPED, "max": REPEATS_BY_SCORE,
}


cdef class Plan:
    """What to compute for each query: the values in printing order, and the policies that make the ranking.

    values: (kernel or None, setting, per_group, missing or None) of each printed name; kernel from a measure's record
    level: lowest relevant grade, at least 0, of parameters that have none of their own
    depth: documents of a query that count, or None
    condensed: whether unjudged documents are taken out of rankings
    n_docs: documents in the collection
    highest_grade: of the qrels, all queries together
    release_9: whether trec_eval 9.0.8 is followed where the releases differ: scores are compared as 32-bit numbers
    gain, discount: of parameters that have none of their own, written as in `parameters.Parameters`
    ties: trec, docno, input, random, optimistic, pessimistic or expected; for the last, kernels are those of the mean
    seed: of random ties
    repeats: error, first, drop or max
    ignores_self: documents whose id is the query's are taken out
    refuses_unjudged: the first unjudged document retrieved is noted, for an error
    reports_ties: queries with ties are noted, and the ids of unjudged queries
    keeps_rankings: rankings are kept, for measures that are Python functions
    """

    def __cinit__(
        self, values, *, level=1, depth=None, condensed=False, n_docs=0, bint release_9=False, highest_grade=0,
        gain="linear", discount="log2", str ties="trec", seed=0, str repeats="error",
        ignores_self=False, refuses_unjudged=False, reports_ties=False, keeps_rankings=False,
    ):
        cdef Py_ssize_t i
        cdef Value *value
        cdef Kernel kernel
        values = list(values)
        self.owned = []
        self.n_values = len(values)
        self.values = <Value *> calloc(self.n_values + 1, sizeof(Value))
        if self.values == NULL:
            raise MemoryError
        self.policy.depth = NO_CUTOFF if depth is None else min(depth, <int64_t> NO_CUTOFF)
        self.policy.ties = _TIES[ties]
        self.policy.marks_ties = ties == "expected"
        self.policy.repeats = _REPEATS[repeats]
        self.policy.ignores_self = ignores_self
        for i in range(4):
            self.policy.seed.word[i] = <uint64_t> ((int(seed) * 0x9E3779B97F4A7C15 + i * 0xBF58476D1CE4E5B9) % 2 ** 64)
        self.refuses_unjudged = refuses_unjudged
        self.reports_ties = reports_ties
        self.keeps_rankings = keeps_rankings
        self.release_9 = release_9
        self.needs_ranking = keeps_rankings
        views = {}
        for i, (record_kernel, setting, per_group, missing) in enumerate(values):
            value = &self.values[i]
            value.per_group = per_group
            value.missing = NAN if missing is None else missing
            value.text_column = -1
            view = (min(level if setting.level is None else setting.level, 2 ** 62), condensed or setting.condensed)
            value.view = views.setdefault(view, len(views))
            if record_kernel is not None:
                kernel = record_kernel
                value.kernel = kernel.function
                value.text_kernel = kernel.text_function
                value.preference_kernel = kernel.preference_function
                value.diversity_kernel = kernel.diversity_function
                self.needs_subtopics |= kernel.diversity_function != NULL
                self.needs_holes |= kernel.reads_holes
                self.needs_ranking = True
                if kernel.text_function != NULL:
                    value.text_column = self.n_texts
                    self.n_texts += 1
            self.set_params(&value.params, setting)
            value.params.gains = self.make_gains(setting.pairs, gain if setting.gain is None else setting.gain)
            self.set_discount(&value.params, discount if setting.discount is None else setting.discount)
            value.params.n_docs = n_docs
            value.params.highest_grade = highest_grade
            value.params.truncates_recall_points = release_9
        self.n_views = len(views)
        self.views = <View *> self.own(self.n_views * sizeof(View))
        for i, (view_level, view_condensed) in enumerate(views):
            self.views[i].level = view_level
            self.views[i].condensed = view_condensed
        cutoffs = sorted({min(setting.cutoff, 2 ** 62) for _, setting, _, _ in values if setting.cutoff is not None})
        self.n_cutoffs = len(cutoffs)
        self.cutoffs = <int64_t *> self.own(self.n_cutoffs * sizeof(int64_t))
        for i in range(self.n_cutoffs):
            self.cutoffs[i] = cutoffs[i]

    def __dealloc__(self):
        free(self.values)

    cdef void *own(self, size_t size) except NULL:
        # Zeroed memory that lives as long as the plan.
        memory = bytearray(size + 1)
        self.owned.append(memory)
        return <char *> memory

    cdef int set_params(self, Params *params, setting) except -1:
        cdef double *reals
        cdef Py_ssize_t i
        params.cutoff = NO_CUTOFF if setting.cutoff is None else min(setting.cutoff, <int64_t> NO_CUTOFF)
        params.n_reals = len(setting.reals)
        reals = <double *> self.own(params.n_reals * sizeof(double))
        for i in range(params.n_reals):
            reals[i] = setting.reals[i]
        params.reals = reals
        params.persistence = dict(setting.named).get("p", 0.0)
        return 0

    cdef int set_discount(self, Params *params, discount) except -1:
        if discount == "log2":
            params.discount = LOG2_DISCOUNT
        elif discount == "none":
            params.discount = NO_DISCOUNT
        else:
            params.discount = JK_DISCOUNT
            params.discount_base = discount[1]
        return 0

    cdef const Gains *make_gains(self, pairs, gain) except NULL:
        # Of several gains for one grade trec_eval finds the lowest in the ranking, and counts the first typed in the
        # ideal one.
        cdef Gains *gains = <Gains *> self.own(sizeof(Gains))
        cdef GainPair *array
        cdef Py_ssize_t i
        gains.of_grade = linear_gain
        if gain == "exp2":
            gains.of_grade = exp2_gain
        elif isinstance(gain, tuple):  # ("binary", grade)
            gains.of_grade = binary_gain
            gains.binary_from = gain[1]
        elif isinstance(gain, dict):
            pairs = tuple(pairs) + tuple(gain.items())
        found, ideal = {}, {}
        for grade, gain in pairs:
            found[grade] = min(gain, found.get(grade, gain))
            ideal.setdefault(grade, gain)
        gains.n_pairs = len(found)
        gains.unpooled = found.get(-1, 0.0)
        gains.unjudged = found.get(-2, 0.0)
        gains.lowest = min([0.0] + [gain for _, gain in pairs])
        gains.highest = max([0.0] + [gain for _, gain in pairs])
        by_grade = sorted(found)
        by_ideal_gain = sorted(found, key=lambda grade: (-ideal[grade], -grade))
        for grades, is_ideal in ((by_grade, False), (by_ideal_gain, True)):
            array = <GainPair *> self.own(len(grades) * sizeof(GainPair))
            for i in range(len(grades)):
                array[i].grade = grades[i]
                array[i].gain = found[grades[i]]
                array[i].ideal_gain = ideal[grades[i]]
            if is_ideal:
                gains.by_ideal_gain = array
            else:
                gains.pairs = array
        return gains


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


cdef bint evaluate_query(
    Target *target, Joiner *joiner, Pairing *pairing, Coverage *coverage, int64_t query, const Segment *segment
) noexcept nogil:
    # All values of a query; without lines (segment NULL), those of a missing one. False: out of memory.
    cdef const Query *q = &target.table.queries[query]
    cdef double *row = target.matrix + query * target.n_values
    cdef int64_t n_records = 0 if segment == NULL else segment.n_records
    cdef const Unit *unit
    cdef uint64_t group
    cdef Py_ssize_t i
    if not target.needs_ranking:
        return True
    for group in range(q.n_units):
        unit = &target.table.units[q.first_unit + group]
        if join(joiner, target.table, unit, segment, &target.policy) != JOINED:
            return False
        if target.needs_holes and segment != NULL and not find_holes(joiner, target.table, segment, &target.policy):
            return False
        if not evaluate_unit(target, joiner, pairing, query, unit, n_records, segment == NULL):
            return False
        if target.needs_subtopics and not cover(coverage, joiner, target.table, q, group, &target.policy):
            return False
    for i in range(target.n_values):
        if target.values[i].per_group:
            row[i] /= <double> q.n_units
    return not target.needs_subtopics or evaluate_subtopics(target, coverage, query, n_records, segment == NULL)


cdef bint evaluate_subtopics(
    Target *target, Coverage *coverage, int64_t query, int64_t n_records, bint is_missing
) noexcept nogil:
    # The values over all units together, each a subtopic, that cover() kept. False: out of memory.
    cdef const Query *q = &target.table.queries[query]
    cdef double *row = target.matrix + query * target.n_values
    cdef Value *value
    cdef Py_ssize_t i
    cdef int view
    for view in range(target.n_views):
        if not form_diversity(coverage, q, n_records, &target.policy, &target.views[view]):
            return False
        for i in range(target.n_values):
            value = &target.values[i]
            if value.view == view and value.diversity_kernel != NULL and not (is_missing and not isnan(value.missing)):
                row[i] = value.diversity_kernel(&coverage.diversity, value.params.cutoff, value.params.reals)
    return True


cdef bint evaluate_unit(
    Target *target,
    Joiner *joiner,
    Pairing *pairing,
    int64_t query,
    const Unit *unit,
    int64_t n_records,
    bint is_missing,
) noexcept nogil:
    # The values over one unit's judgements, of what join() found. False: out of memory.
    cdef int view
    if target.preferences != NULL:
        return evaluate_preferences(target, joiner, pairing, query, is_missing)
    for view in range(target.n_views):
        form_ranking(joiner, target.table, unit, n_records, &target.policy, &target.views[view])
        if not evaluate_view(target, joiner, query, view, is_missing):
            return False
        if target.kept_rankings != NULL and not keep_ranking(target, joiner, query, view):
            return False
    return True


cdef bint keep_ranking(Target *target, Joiner *joiner, int64_t query, int view) noexcept nogil:
    # Copies the ranking with its hits. False: out of memory.
    cdef size_t at = query * target.n_views + view
    cdef size_t n_hits = joiner.ranking.n_hits
    cdef char *copy = <char *> malloc(sizeof(Ranking) + n_hits * sizeof(Hit))
    if copy == NULL:
        return False
    memcpy(copy, &joiner.ranking, sizeof(Ranking))
    if n_hits:  # without any, there may be no memory for them yet
        memcpy(copy + sizeof(Ranking), joiner.ranking.hits, n_hits * sizeof(Hit))
    free(target.kept_rankings[at])
    target.kept_rankings[at] = copy
    return True


cdef bint evaluate_found(Share *share, int64_t query, int64_t n_records) noexcept nogil:
    # All values of a query without groups whose judged documents stand in share.joiner.found, ranked.
    cdef const Query *q = &share.target.table.queries[query]
    cdef const Unit *unit = &share.target.table.units[q.first_unit]
    if not evaluate_unit(&share.target, &share.joiner, &share.pairing, query, unit, n_records, False):
        return False
    return not share.target.needs_subtopics or (
        cover(&share.coverage, &share.joiner, share.target.table, q, 0, &share.target.policy)
        and evaluate_subtopics(&share.target, &share.coverage, query, n_records, False)
    )


cdef bint evaluate_preferences(
    Target *target, const Joiner *joiner, Pairing *pairing, int64_t query, bint is_missing
) noexcept nogil:
    # The same where the judgements are preferences.
    cdef double *row = target.matrix + query * target.n_values
    cdef Value *value
    cdef Py_ssize_t i
    if not pair_up(pairing, joiner, target.table, target.preferences, query, &target.policy):
        return False
    for i in range(target.n_values):
        value = &target.values[i]
        if is_missing and not isnan(value.missing):
            row[i] = value.missing
        elif value.preference_kernel != NULL:
            row[i] = value.preference_kernel(&pairing.preferences)
    return True


cdef bint evaluate_view(Target *target, Joiner *joiner, int64_t query, int view, bint is_missing) noexcept nogil:
    # The values of the measures that see the ranking so. False: out of memory.
    cdef double *row = target.matrix + query * target.n_values
    cdef Value *value
    cdef double number
    cdef Py_ssize_t i
    for i in range(target.n_values):
        value = &target.values[i]
        if value.view != view:
            continue
        if is_missing and not isnan(value.missing):
            row[i] = value.missing
        elif value.text_kernel != NULL:
            if not set_text(target, joiner, query, value):
                return False
        elif value.kernel != NULL:
            number = value.kernel(&joiner.ranking, &value.params)
            row[i] = row[i] + number if value.per_group else number  # 0 + -0 would be 0, and trec_eval prints -0.0000
    return True


cdef bint set_text(Target *target, Joiner *joiner, int64_t query, Value *value) noexcept nogil:
    cdef size_t at = query * target.n_texts + value.text_column
    cdef char *text = <char *> malloc(joiner.ranking.n_ret + 1)
    if text == NULL:
        return False
    target.text_lengths[at] = value.text_kernel(&joiner.ranking, &value.params, text)
    free(target.texts[at])
    target.texts[at] = text
    return True


cdef bint is_wanted(const Share *share, int64_t query) noexcept nogil:
    return query >= 0 and (share.target.only < 0 or share.target.only == query)


cdef void look_up_query(void *context, const char *qid, size_t length) noexcept nogil:
    # Told of a query whose lines are about to be read: finds it and fetches what its evaluation will touch.
    cdef Share *share = <Share *> context
    cdef const Table *table = share.target.table
    cdef const Unit *unit
    cdef uint64_t i
    share.next_query = find_query(table, qid, length)
    if share.next_query < 0:
        return
    unit = &table.units[table.queries[share.next_query].first_unit]
    tk_prefetch(&share.target.seen[share.next_query])
    tk_prefetch(&table.grades[unit.first_grade])
    for i in range(0, min(unit.n_judged, 64), 2):
        tk_prefetch(&table.judged[unit.first_judged + i])
    for i in range(0, min(unit.slot_mask, 256), 16):
        tk_prefetch(&table.slots[unit.first_slot + i])
    for i in range(0, min(unit.filter_mask >> 6, 64), 8):
        tk_prefetch(&table.filter[unit.first_filter_word + i])
    for i in range(0, min(share.target.n_values, 128), 8):
        tk_prefetch(&share.target.matrix[share.next_query * share.target.n_values + i])
    # Ids of judged documents stand behind their query's, where its judgements were read together.
    tk_prefetch(table.text + table.queries[share.next_query].qid_offset + 64)


cdef bint evaluate_segment(void *context, const Segment *segment) noexcept nogil:
    # A sink: one query of a run.
    cdef Share *share = <Share *> context
    cdef int64_t query = share.next_query
    if query == UNKNOWN:
        query = find_query(share.target.table, segment.qid, segment.qid_length)
    share.next_query = UNKNOWN
    if share.n_segments == 0 and reserve(<void **> &share.first_qid, &share.qid_capacity, segment.qid_length, 1):
        memcpy(share.first_qid, segment.qid, segment.qid_length)
        share.first_qid_length = segment.qid_length
    share.n_segments += 1
    if query < 0 and share.target.reports_ties and not note_extra(share, segment):
        return False
    if not is_wanted(share, query):
        return True
    if tk_exchange(&share.target.seen[query], 1):
        share.scattered = True
        return False
    return evaluate_records(share, query, segment)


cdef bint note_extra(Share *share, const Segment *segment) noexcept nogil:
    # Keeps the hash of an unjudged query's id, and the first such id.
    if not reserve(<void **> &share.extra, &share.extra_capacity, share.n_extra + 1, sizeof(uint64_t)) or (
        share.n_extra == 0
        and not reserve(<void **> &share.extra_qid, &share.extra_qid_capacity, segment.qid_length, 1)
    ):
        share.out_of_memory = True
        return False
    if share.n_extra == 0:
        memcpy(share.extra_qid, segment.qid, segment.qid_length)
        share.extra_qid_length = segment.qid_length
    share.extra[share.n_extra] = tk_hash(segment.qid, segment.qid_length, share.target.table.key)
    share.n_extra += 1
    return True


cdef bint evaluate_records(Share *share, int64_t query, const Segment *listed) noexcept nogil:
    # A query's records, unless a document stands twice: then the first such query is kept and nothing else matters.
    cdef JoinStatus status
    cdef Segment segment
    if not share.target.needs_ranking:
        return True
    status = filter_records(
        &share.joiner, share.target.table, &share.target.table.queries[query], listed, &share.target.policy, &segment
    )
    if status == DUPLICATE:
        return note_duplicate(share, query, &segment)
    if status != JOINED or not evaluate_query(
        &share.target, &share.joiner, &share.pairing, &share.coverage, query, &segment
    ):
        share.out_of_memory = True
        return False
    if share.target.reports_ties and not note_ties(share, query, &segment):
        return False
    return not share.target.refuses_unjudged or note_unjudged(share, query, &segment)


cdef bint note_duplicate(Share *share, int64_t query, const Segment *segment) noexcept nogil:
    # Keeps the document that is listed twice, if this query comes before the one kept so far.
    cdef const Record *record = &segment.records[share.joiner.second_copy]
    if share.duplicate_query >= 0 and share.duplicate_query < query:
        return True
    if not reserve(<void **> &share.duplicate, &share.duplicate_capacity, record.length, 1):
        share.out_of_memory = True
        return False
    memcpy(share.duplicate, segment.text + record.offset, record.length)
    share.duplicate_length = record.length
    share.duplicate_query = query
    return True


cdef int falling_order(const void *a, const void *b) noexcept nogil:
    cdef double x = (<const double *> a)[0]
    cdef double y = (<const double *> b)[0]
    return (y > x) - (y < x)


cdef bint note_ties(Share *share, int64_t query, const Segment *segment) noexcept nogil:
    # Whether documents tie, and whether they do across a cutoff.
    cdef size_t i
    if not reserve(<void **> &share.scores, &share.score_capacity, segment.n_records + 1, sizeof(double)):
        share.out_of_memory = True
        return False
    for i in range(segment.n_records):
        share.scores[i] = segment.records[i].value
    note_tied_scores(share, query, segment.n_records)
    return True


cdef void note_tied_scores(Share *share, int64_t query, int64_t n) noexcept nogil:
    # The same of the scores in share.scores, which are sorted on the way.
    cdef int64_t depth = share.target.policy.depth, i
    cdef int j
    cdef double *scores = share.scores
    cdef bint falls = True
    for i in range(1, n):
        falls &= scores[i] <= scores[i - 1]
    if not falls:
        qsort(scores, n, sizeof(double), falling_order)
    for i in range(1, min(n, depth)):
        if scores[i] == scores[i - 1]:
            share.target.ties[query] |= 1
            break
    for j in range(share.target.n_cutoffs):
        i = share.target.cutoffs[j]
        if i < n and i <= depth and scores[i] == scores[i - 1]:
            share.target.ties[query] |= 3
    if 0 < depth < n and scores[depth] == scores[depth - 1]:
        share.target.ties[query] |= 3


cdef bint note_unjudged(Share *share, int64_t query, const Segment *segment) noexcept nogil:
    # Keeps the first unjudged document within the depth, if this query comes before the one kept so far.
    cdef const Unit *unit = &share.target.table.units[share.target.table.queries[query].first_unit]
    cdef int64_t rank = 0
    cdef int64_t first = first_unjudged(&share.joiner, share.target.table, unit, segment, &share.target.policy, &rank)
    cdef const Record *record
    if first < 0 or rank > share.target.policy.depth:
        return True
    if share.unjudged_query >= 0 and share.unjudged_query < query:
        return True
    record = &segment.records[first]
    if not reserve(<void **> &share.unjudged, &share.unjudged_capacity, record.length, 1):
        share.out_of_memory = True
        return False
    memcpy(share.unjudged, segment.text + record.offset, record.length)
    share.unjudged_length = record.length
    share.unjudged_query = query
    share.unjudged_rank = rank
    return True


cdef bint gather_segment(void *context, const Segment *segment) noexcept nogil:
    # A sink: keeps a query's records, with their ids, until all of the run is read.
    cdef Share *share = <Share *> context
    cdef int64_t query = find_query(share.target.table, segment.qid, segment.qid_length)
    cdef Piece *piece
    cdef Record *record
    cdef size_t i
    if query < 0 and share.target.reports_ties and not note_extra(share, segment):
        return False
    if not is_wanted(share, query):
        return True
    if not reserve(<void **> &share.pieces, &share.piece_capacity, share.n_pieces + 1, sizeof(Piece)) or not reserve(
        <void **> &share.kept, &share.kept_capacity, share.n_kept + segment.n_records, sizeof(Record)
    ):
        share.out_of_memory = True
        return False
    piece = &share.pieces[share.n_pieces]
    share.n_pieces += 1
    piece.query = query
    piece.first = share.n_kept
    piece.n = segment.n_records
    for i in range(segment.n_records):
        record = &share.kept[share.n_kept]
        record[0] = segment.records[i]
        if not reserve(<void **> &share.ids, &share.id_capacity, share.n_ids + record.length + TK_SLACK, 1):
            share.out_of_memory = True
            return False
        memcpy(share.ids + share.n_ids, segment.text + record.offset, record.length)
        record.offset = share.n_ids
        share.n_ids += record.length
        share.n_kept += 1
    return True


cdef bint evaluate_gathered(Share *share) noexcept nogil:
    # Evaluates what gather_segment() kept, each query's pieces in the order of the file. False: out of memory.
    cdef int64_t n_queries = share.target.table.n_queries, query
    cdef size_t i
    cdef size_t *counts = <size_t *> calloc(n_queries + 1, sizeof(size_t))
    cdef size_t *starts = <size_t *> calloc(n_queries + 1, sizeof(size_t))
    cdef Record *records = <Record *> malloc((share.n_kept + 1) * sizeof(Record))
    cdef const Piece *piece
    cdef Segment segment
    cdef bint good = counts != NULL and starts != NULL and records != NULL
    if good:
        memset(&segment, 0, sizeof(Segment))
        segment.text = share.ids
        for i in range(share.n_pieces):
            counts[share.pieces[i].query] += share.pieces[i].n
        for query in range(n_queries):
            starts[query + 1] = starts[query] + counts[query]
        for i in range(share.n_pieces):
            piece = &share.pieces[i]
            memcpy(records + starts[piece.query], share.kept + piece.first, piece.n * sizeof(Record))
            starts[piece.query] += piece.n
        for query in range(n_queries):
            if counts[query] == 0 or not good:
                continue
            segment.qid = share.target.table.text + share.target.table.queries[query].qid_offset
            segment.qid_length = share.target.table.queries[query].qid_length
            segment.records = records + starts[query] - counts[query]
            segment.n_records = counts[query]
            share.target.seen[query] = 1
            good = evaluate_records(share, query, &segment)
    free(counts)
    free(starts)
    free(records)
    return good


cdef void share_free(Share *share) noexcept nogil:
    joiner_free(&share.joiner)
    pairing_free(&share.pairing)
    coverage_free(&share.coverage)
    free(share.first_qid)
    free(share.duplicate)
    free(share.unjudged)
    free(share.scores)
    free(share.extra)
    free(share.extra_qid)
    free(share.pieces)
    free(share.kept)
    free(share.ids)


cdef object share_duplicate(const Share *share):
    # (number of the query, document id) of a document that stands twice, or None.
    if share.duplicate_query < 0:
        return None
    return share.duplicate_query, share.duplicate[:share.duplicate_length]


cdef object share_unjudged(const Share *share):
    # (number of the query, document id, rank) of an unjudged document, or None.
    if share.unjudged_query < 0:
        return None
    return share.unjudged_query, share.unjudged[:share.unjudged_length], share.unjudged_rank


cdef object share_extra(const Share *share):
    # (hashes of the ids of unjudged queries, the first such id or None).
    hashes = {share.extra[i] for i in range(share.n_extra)}
    return hashes, share.extra_qid[:share.extra_qid_length] if share.n_extra else None


cdef int finish_gathered(Share *share) except -1:
    # Evaluates what gather_segment() kept.
    cdef bint good
    with nogil:
        good = evaluate_gathered(share)
    if not good:
        raise MemoryError
    return 0


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


cdef class RunScan(FileScan):
    """One thread's pass over its share of a run: reads, evaluates, and remembers what it saw.

    results: where the values go; the shares of one run have the same
    format: of the file
    strict: whether a score must be a number to the end of its field
    order: what the run is ordered by: score, rank or input
    gather: keep everything until `finish_gathering`, for runs in which the lines of a query lie apart
    """

    cdef Results results
    cdef Share share
    cdef readonly bint gathers

    def __cinit__(
        self, Results results not None, LineFormat format not None, bint strict=False, str order="score",
        bint gather=False,
    ):
        if format.format.value_kind != SCORE:
            raise ValueError("expected a format of runs")
        memset(&self.share, 0, sizeof(Share))
        self.results = results
        self.gathers = gather
        self.share.target = results.as_target()
        self.share.duplicate_query = self.share.unjudged_query = -1
        self.share.next_query = UNKNOWN
        scanner_init(
            &self.scanner, format.read_by(results.plan.release_9, strict, order),
            gather_segment if gather else evaluate_segment, &self.share,
        )
        if not gather:
            self.scanner.opened = look_up_query

    def __dealloc__(self):
        share_free(&self.share)

    cdef int check(self) except -1:
        if self.share.out_of_memory:
            raise MemoryError
        return 0

    def finish_gathering(self):
        """Evaluates all that was kept."""
        self.results.forget()
        finish_gathered(&self.share)

    @property
    def scattered(self):
        """Whether a query was met twice: the lines of a query lie apart, and all must be read again."""
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
        if self.share.n_segments == 0:
            return None
        return self.share.first_qid[:self.share.first_qid_length]

    @property
    def tag(self):
        """The last field of the last record; None where there is no record."""
        if self.scanner.n_all_records == 0:
            return None
        return self.scanner.tag[:self.scanner.tag_length]


cdef class QrelsScan(FileScan):
    """Reads a judgement file into a builder.

    builder: a `PrefsBuilder` where the values are levels, else a `QrelsBuilder`
    format: of the file
    release_9: whether it is read as trec_eval 9.0.8 does
    strict: whether a value must be a number to the end of its field
    """

    cdef QrelsBuilder builder

    def __cinit__(
        self, QrelsBuilder builder not None, LineFormat format not None, bint release_9=False, bint strict=False
    ):
        if format.format.value_kind != (LEVEL if isinstance(builder, PrefsBuilder) else GRADE):
            raise ValueError(f"a {type(builder).__name__} is not for lines of {' '.join(format.fields)}")
        self.builder = builder
        scanner_init(&self.scanner, format.read_by(release_9, strict), builder.sink(), builder.context())

    cdef int check(self) except -1:
        if self.builder.builder.out_of_memory:
            raise MemoryError
        return 0
