"""What is computed for each query: values in printing order, and the policies that make rankings."""

from libc.math cimport NAN
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

from treckon._native.policies cimport (
    AS_LISTED, BEST_FIRST, DOCNO_FALLING, DOCNO_RISING, REPEATS_BY_SCORE, REPEATS_DROPPED, REPEATS_REFUSED,
    REPEATS_UNPOOLED, SEEDED_RANDOM, WORST_FIRST, View,
)
from treckon._native.ranking cimport (
    JK_DISCOUNT, LOG2_DISCOUNT, NO_CUTOFF, NO_DISCOUNT, GainPair, Gains, Kernel, Params, binary_gain, exp2_gain,
    linear_gain,
)


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
