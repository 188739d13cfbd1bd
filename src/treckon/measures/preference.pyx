"""Measures of preferences: how many of the pairs of documents that assessors put in order the ranking puts in that
order."""

from libc.stdint cimport int64_t

from treckon._native.preferences cimport (
    ALL, IMPLIED, RETRIEVED, GroupPreferences, Preferences, Tally,
)
from treckon._native.ranking cimport Kernel
from treckon.measures.ratio cimport ratio

from treckon.measures.aggregation import SUM
from treckon.measures.example_queries import LEVELS, SUBGROUPS
from treckon.measures.registry import (
    BOUNDED, IGNORES_LEVEL, IGNORES_UNJUDGED_ORDER, INTEGER, VIEW_PREFERENCES, Example, MeasureRecord, register,
)

TREC_EVAL = "Buckley, trec_eval 9"
PPREF = "Carterette and Bennett, Evaluation Measures for Preference Judgments, SIGIR 2008"
BPREF = "Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004"

COUNTS = (IGNORES_LEVEL, IGNORES_UNJUDGED_ORDER)
SHARES = (BOUNDED, IGNORES_LEVEL, IGNORES_UNJUDGED_ORDER)

ONE_LEVEL = ("a=1 b=1", "a b")
PERFECT = ("a=1 n1=0 n2=0", "a n1 n2")
PERFECT_SUBGROUPS = ("a=1 n1=0 / a=1 n2=0", "a n1 n2")


cdef inline Tally total(const Preferences *preferences, int scope) noexcept nogil:
    # Of all groups together.
    cdef Tally sum
    cdef int64_t i
    sum.possible = sum.fulfilled = 0
    for i in range(preferences.n_groups):
        sum.possible += preferences.groups[i].tally[scope].possible
        sum.fulfilled += preferences.groups[i].tally[scope].fulfilled
    return sum


# preferences
cdef double num_possible(const Preferences *preferences) noexcept nogil:
    return <double> total(preferences, ALL).possible


register(MeasureRecord(
    name="prefs_num_prefs_poss",
    title="Preferences possible",
    definition="""
        The number of preferences that a ranking could fulfil: ordered pairs of documents, the first on a
        higher level than the second in a sub-group of one of the groups of assessors, and those that follow
        from these by transitivity inside a group with several sub-groups. Each group counts for itself.
        In a group without sub-groups, a line that is there twice counts twice.
        The summary is the sum over the queries. -l, -J and -M have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(num_possible),
    view=VIEW_PREFERENCES,
    aggregate=SUM,
    value_type=INTEGER,
    traits=COUNTS,
    examples=lambda: (
        Example(*LEVELS, "prefs_num_prefs_poss", 13, "d over 5, a over 4, b and f over c and e: 5 + 4 + 2 + 2"),
        Example(
            *SUBGROUPS, "prefs_num_prefs_poss", 7,
            "a-b, a-c, b-c, b-d and so a-d in the first group; b-a, b-e in the second: 5 + 2",
        ),
        Example("a=1 a=1 b=0", "a b", "prefs_num_prefs_poss", 2, "a stands there twice"),
    ),
))


# preferences fulfilled
cdef double num_fulfilled(const Preferences *preferences) noexcept nogil:
    return <double> total(preferences, ALL).fulfilled


register(MeasureRecord(
    name="prefs_num_prefs_ful",
    title="Preferences fulfilled",
    definition="""
        The number of preferences (see prefs_num_prefs_poss) that the ranking fulfils: the preferred
        document is retrieved, and the other one below it or not at all.
        Documents of equal score rank by rising id here. The summary is the sum over the queries.
        -M cuts the ranking; -l and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(num_fulfilled),
    view=VIEW_PREFERENCES,
    aggregate=SUM,
    value_type=INTEGER,
    traits=COUNTS,
    examples=lambda: (
        Example(
            *LEVELS, "prefs_num_prefs_ful", 9,
            "of retrieved documents d-b, d-c, a-b, a-c; over those not retrieved d-f, d-e, a-f, a-e, b-e: 4 + 5",
        ),
        Example(*LEVELS, "prefs_num_prefs_ful", 8, "a and d alone, each over b, c, e and f", options=("-M", "2")),
        Example(*SUBGROUPS, "prefs_num_prefs_ful", 4, "a-b, a-c, b-c in the first group, b-e in the second"),
    ),
))


# preferences fulfilled with both documents retrieved
cdef double num_fulfilled_retrieved(const Preferences *preferences) noexcept nogil:
    return <double> total(preferences, RETRIEVED).fulfilled


register(MeasureRecord(
    name="prefs_num_prefs_ful_ret",
    title="Preferences fulfilled between retrieved documents",
    definition="""
        The number of preferences (see prefs_num_prefs_poss) of which both documents are retrieved, the
        preferred one above the other. The summary is the sum over the queries.
        -M cuts the ranking; -l and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(num_fulfilled_retrieved),
    view=VIEW_PREFERENCES,
    aggregate=SUM,
    value_type=INTEGER,
    traits=COUNTS,
    examples=lambda: (
        Example(*LEVELS, "prefs_num_prefs_ful_ret", 4, "d-b, d-c, a-b and a-c; not d-a and b-c"),
        Example(*LEVELS, "prefs_num_prefs_ful_ret", 0, "a is above d, nothing else is retrieved", options=("-M", "2")),
        Example(*SUBGROUPS, "prefs_num_prefs_ful_ret", 1, "a-b in the first group"),
    ),
))


cdef inline double simple(const Preferences *preferences, int scope) noexcept nogil:
    # preferences fulfilled / preferences, of all groups together
    cdef Tally sum = total(preferences, scope)
    return ratio(<double> sum.fulfilled, <double> sum.possible)


# preferences fulfilled / preferences
# Carterette and Bennett, SIGIR 2008, over all pairs
cdef double share(const Preferences *preferences) noexcept nogil:
    return simple(preferences, ALL)


register(MeasureRecord(
    name="prefs_simp",
    title="Share of the preferences that are fulfilled",
    definition="""
        prefs_num_prefs_ful / prefs_num_prefs_poss, all groups of the query together. Preferences between
        documents that are not retrieved count as not fulfilled. 0 where there are no preferences.
        -M cuts the ranking; -l and -J have no effect.
    """,
    source=f"{TREC_EVAL}, after {PPREF}",
    kernel=Kernel.of_preferences(share),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_simp", 0.692308, "9 of 13 preferences"),
        Example(*SUBGROUPS, "prefs_simp", 0.571429, "3 of 5 in the first group, 1 of 2 in the second: 4/7"),
        Example(*ONE_LEVEL, "prefs_simp", 0.0, "there are no preferences"),
    ),
))


# preferences fulfilled / preferences with a retrieved document
# Carterette and Bennett, SIGIR 2008, without a cutoff
cdef double share_implied(const Preferences *preferences) noexcept nogil:
    return simple(preferences, IMPLIED)


register(MeasureRecord(
    name="prefs_simp_imp",
    title="Share of the preferences with a retrieved document that are fulfilled",
    definition="""
        As prefs_simp, but preferences between two documents that are not retrieved are left out.
        0 where no preference is left. -M cuts the ranking; -l and -J have no effect.
    """,
    source=f"{TREC_EVAL}, after {PPREF}",
    kernel=Kernel.of_preferences(share_implied),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_simp_imp", 0.75, "9 of 12: f-e is left out, neither is retrieved"),
        Example(
            *LEVELS, "prefs_simp_imp", 0.888889, "all preferences of a and d but d-a: 8 of 9", options=("-M", "2")
        ),
    ),
))


# preferences fulfilled with both documents retrieved / preferences with both documents retrieved
cdef double share_retrieved(const Preferences *preferences) noexcept nogil:
    return simple(preferences, RETRIEVED)


register(MeasureRecord(
    name="prefs_simp_ret",
    title="Share of the preferences between retrieved documents that are fulfilled",
    definition="""
        As prefs_simp, but only preferences between two documents that are both retrieved count.
        0 where there are none. -M cuts the ranking; -l and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(share_retrieved),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_simp_ret", 0.666667, "4 of 6: d-a and b-c are not fulfilled"),
        Example(*SUBGROUPS, "prefs_simp_ret", 0.25, "of a-b, a-d, b-d and the second group's b-a only the first: 1/4"),
    ),
))


# mean over pairs of documents of (preferences fulfilled / preferences)
cdef double pair_mean(const Preferences *preferences) noexcept nogil:
    return ratio(preferences.pairs[ALL].shares, <double> preferences.pairs[ALL].count)


register(MeasureRecord(
    name="prefs_pair",
    title="Share of fulfilled preferences, mean over pairs of documents",
    definition="""
        For each pair of documents of which a group prefers one: (groups whose preference is fulfilled) /
        (groups that have a preference); then the mean over these pairs. So a pair counts once, however
        many groups judged it. A pair of documents that are not retrieved counts with 0.
        0 where there are no preferences. -M cuts the ranking; -l and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(pair_mean),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_pair", 0.692308, "one group, so each pair has one preference: 9 of 13"),
        Example(
            *SUBGROUPS, "prefs_pair", 0.583333,
            "a and b 1/2 (the groups disagree), a and d 0, b and d 0, a and c, b and c, b and e 1 each: 3.5/6",
        ),
    ),
))


# the same over pairs with a retrieved document
cdef double pair_mean_implied(const Preferences *preferences) noexcept nogil:
    return ratio(preferences.pairs[IMPLIED].shares, <double> preferences.pairs[IMPLIED].count)


register(MeasureRecord(
    name="prefs_pair_imp",
    title="Share of fulfilled preferences, mean over pairs with a retrieved document",
    definition="""
        As prefs_pair, but pairs of documents of which neither is retrieved are left out.
        0 where no pair is left. -M cuts the ranking; -l and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(pair_mean_implied),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_pair_imp", 0.75, "9 of 12: e and f are left out"),
        Example(*SUBGROUPS, "prefs_pair_imp", 0.583333, "as prefs_pair: each pair has a retrieved document"),
    ),
))


# the same over pairs with both documents retrieved
cdef double pair_mean_retrieved(const Preferences *preferences) noexcept nogil:
    return ratio(preferences.pairs[RETRIEVED].shares, <double> preferences.pairs[RETRIEVED].count)


register(MeasureRecord(
    name="prefs_pair_ret",
    title="Share of fulfilled preferences, mean over pairs of retrieved documents",
    definition="""
        As prefs_pair, but only pairs of documents that are both retrieved count.
        0 where there are none. -M cuts the ranking; -l and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(pair_mean_retrieved),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_pair_ret", 0.666667, "4 of 6"),
        Example(*SUBGROUPS, "prefs_pair_ret", 0.166667, "a and b 1/2, a and d 0, b and d 0: 0.5/3"),
    ),
))


cdef inline double group_mean(const Preferences *preferences, int scope) noexcept nogil:
    # mean over groups of (preferences fulfilled / preferences)
    cdef double sum = 0.0
    cdef const Tally *tally
    cdef int64_t i
    for i in range(preferences.n_groups):
        tally = &preferences.groups[i].tally[scope]
        sum += ratio(<double> tally.fulfilled, <double> tally.possible)
    return ratio(sum, <double> preferences.n_groups)


# mean over groups of (preferences fulfilled / preferences)
cdef double group_share(const Preferences *preferences) noexcept nogil:
    return group_mean(preferences, ALL)


register(MeasureRecord(
    name="prefs_avgjg",
    title="Share of fulfilled preferences, mean over groups of assessors",
    definition="""
        prefs_simp for each group of assessors by itself, then the mean over the groups of the query.
        A group without preferences counts with 0. -M cuts the ranking; -l and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(group_share),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_avgjg", 0.692308, "one group: 9/13"),
        Example(*SUBGROUPS, "prefs_avgjg", 0.55, "(3/5 + 1/2) / 2"),
        Example("a=2 b=1 | c=0", "a b c", "prefs_avgjg", 0.5, "the second group has no preference: (1 + 0) / 2"),
    ),
))


# mean over groups of (preferences fulfilled / preferences with a retrieved document)
cdef double group_share_implied(const Preferences *preferences) noexcept nogil:
    return group_mean(preferences, IMPLIED)


register(MeasureRecord(
    name="prefs_avgjg_imp",
    title="Share of fulfilled preferences with a retrieved document, mean over groups",
    definition="""
        prefs_simp_imp for each group of assessors by itself, then the mean over the groups of the query.
        A group without such a preference counts with 0. -M cuts the ranking; -l and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(group_share_implied),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_avgjg_imp", 0.75, "one group: 9/12"),
        Example(*SUBGROUPS, "prefs_avgjg_imp", 0.55, "(3/5 + 1/2) / 2: each preference has a retrieved document"),
    ),
))


# mean over groups of (preferences fulfilled with both documents retrieved / preferences with both documents retrieved)
cdef double group_share_retrieved(const Preferences *preferences) noexcept nogil:
    return group_mean(preferences, RETRIEVED)


register(MeasureRecord(
    name="prefs_avgjg_ret",
    title="Share of fulfilled preferences between retrieved documents, mean over groups",
    definition="""
        prefs_simp_ret for each group of assessors by itself, then the mean over the groups of the query.
        A group without such a preference counts with 0. -M cuts the ranking; -l and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of_preferences(group_share_retrieved),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_avgjg_ret", 0.666667, "one group: 4/6"),
        Example(*SUBGROUPS, "prefs_avgjg_ret", 0.166667, "(1/3 + 0/1) / 2"),
    ),
))


cdef inline Tally limited(const GroupPreferences *group, bint retrieved) noexcept nogil:
    # With A relevant and B nonrelevant documents in the group, retrieved or all: where A >= B, A - B further
    # nonrelevant documents below each relevant one; where A < B, only A nonrelevant documents.
    cdef int64_t surplus = group.n_rel_ret - group.n_nonrel_ret if retrieved else group.n_rel - group.n_nonrel
    cdef Tally tally
    if surplus < 0:
        return group.limited_retrieved if retrieved else group.limited
    tally = group.tally[RETRIEVED if retrieved else ALL]
    tally.fulfilled += surplus * group.n_rel_ret
    tally.possible += surplus * group.n_rel
    return tally


cdef inline double limited_mean(const Preferences *preferences, bint retrieved) noexcept nogil:
    # trec_eval divides 0 by 0 where a group has nothing to count, and makes 0 of the sum.
    cdef double sum = 0.0
    cdef Tally tally
    cdef int64_t i
    for i in range(preferences.n_groups):
        tally = limited(&preferences.groups[i], retrieved)
        if tally.possible == 0:
            return 0.0
        sum += <double> tally.fulfilled / <double> tally.possible
    return ratio(sum, <double> preferences.n_groups)


# mean over groups of (preferences fulfilled / preferences), with as many nonrelevant documents as relevant ones
# after bpref: Buckley and Voorhees, SIGIR 2004
cdef double limited_share(const Preferences *preferences) noexcept nogil:
    return limited_mean(preferences, False)


register(MeasureRecord(
    name="prefs_avgjg_Rnonrel",
    title="Share of fulfilled preferences, with R nonrelevant documents",
    definition="""
        prefs_avgjg with as many nonrelevant documents (level 0 or below) in each group of assessors as
        relevant ones (level above 0), R, as in bpref. With f preferences of p fulfilled and r of the R
        relevant documents retrieved, the group counts with
        (f + r * (R - N)) / (p + R * (R - N)) where N, the number of nonrelevant documents, is at most R.
        Where N is above R and the group has several sub-groups, only the first R documents of level 0
        take part: retrieved ones in rank order, then the others by id.
        Where N is above R and it has none, what counts is the preferences above the lowest level, and each
        pair of any document with one of the first R of the lowest level, as if it were preferred: pairs of
        two documents of the lowest level and a document with itself too. So a perfect ranking does not
        reach 1 there. The value is 0 where a group has nothing to count.
        -M cuts the ranking; -l and -J have no effect.
    """,
    source=f"{TREC_EVAL}, after {BPREF}",
    kernel=Kernel.of_preferences(limited_share),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_avgjg_Rnonrel", 0.714286, "R = 4, N = 2, r = 3: (9 + 3*2) / (13 + 4*2)"),
        Example(
            *SUBGROUPS, "prefs_avgjg_Rnonrel", 0.357143,
            "first group R = 4, N = 0: (3 + 3*4) / (5 + 4*4); second R = 1, N = 2: b, a and e over a, 0/3",
        ),
        Example(*PERFECT, "prefs_avgjg_Rnonrel", 0.333333, "R = 1: a, n1 and n2 over n1, only a is: 1/3"),
        Example(*PERFECT_SUBGROUPS, "prefs_avgjg_Rnonrel", 1.0, "R = 1: a over n1 alone"),
    ),
))


# the same over retrieved documents
cdef double limited_share_retrieved(const Preferences *preferences) noexcept nogil:
    return limited_mean(preferences, True)


register(MeasureRecord(
    name="prefs_avgjg_Rnonrel_ret",
    title="Share of fulfilled preferences between retrieved documents, with R nonrelevant documents",
    definition="""
        As prefs_avgjg_Rnonrel, of retrieved documents only: with r relevant and n nonrelevant documents
        of the group retrieved, and f of its p preferences between retrieved documents fulfilled, it is
        (f + r * (r - n)) / (p + R * (r - n)) where n is at most r. R still is the number of all relevant
        documents of the group, so a run that misses some does not reach 1.
        Where n is above r, a group with several sub-groups counts the first R documents of level 0, one
        without the first r of the lowest level. The value is 0 where a group has nothing to count.
        -M cuts the ranking; -l and -J have no effect.
    """,
    source=f"{TREC_EVAL}, after {BPREF}",
    kernel=Kernel.of_preferences(limited_share_retrieved),
    view=VIEW_PREFERENCES,
    traits=SHARES,
    examples=lambda: (
        Example(*LEVELS, "prefs_avgjg_Rnonrel_ret", 0.714286, "r = 3, n = 1: (4 + 3*2) / (6 + 4*2)"),
        Example(*SUBGROUPS, "prefs_avgjg_Rnonrel_ret", 0.333333, "((1 + 3*3) / (3 + 4*3) + 0/1) / 2"),
        Example(
            "a=1 b=1 c=1 n=0", "a b n", "prefs_avgjg_Rnonrel_ret", 0.8, "r = 2, n = 1, R = 3: (2 + 2*1) / (2 + 3*1)"
        ),
    ),
))
