"""Counts: of the run as a whole, of documents retrieved and relevant, and what is computed from them alone."""

from libc.stdint cimport int64_t

from treckon._native.ranking cimport Kernel, Params, Ranking
from treckon.measures.ratio cimport finite, ratio
from treckon.measures.ties cimport TieGroup, first_group, last_rank, next_group

from treckon.measures.aggregation import COUNT, SUM
from treckon.measures.example_queries import GRADED, NOTHING_RELEVANT, SHORT
from treckon.measures.parameters import INT, REL_ARGUMENT, Argument, Arguments, Cutoffs, Reals
from treckon.measures.registry import (
    BOUNDED, IGNORES_LEVEL, IGNORES_ORDER, INTEGER, TEXT, VIEW_RUN, Example, MeasureRecord, register,
)

TREC_EVAL = "Buckley and Voorhees, Retrieval System Evaluation, in: TREC, MIT Press, 2005"


register(MeasureRecord(
    name="runid",
    title="Tag of the run",
    definition="""
        The sixth field of the last line of the run, whichever query it belongs to.
        Printed in the summary only. No option has an effect.
    """,
    source=TREC_EVAL,
    view=VIEW_RUN,
    value_type=TEXT,
    per_query=False,
    examples=lambda: (
        Example(*GRADED, "runid", "example", "every line carries the tag 'example'"),
        Example(*NOTHING_RELEVANT, "runid", "example", "judgements do not matter"),
    ),
))


register(MeasureRecord(
    name="num_q",
    title="Number of queries",
    definition="""
        The number of queries that averages are taken over: those in both the run and the qrels;
        with -c, all that are in the qrels. A query without a relevant document counts.
        Printed in the summary only.
    """,
    source=TREC_EVAL,
    view=VIEW_RUN,
    aggregate=COUNT,
    value_type=INTEGER,
    per_query=False,
    examples=lambda: (
        Example(*GRADED, "num_q", 1, "one query is in both files"),
        Example(*NOTHING_RELEVANT, "num_q", 1, "a query without a relevant document counts as well"),
    ),
))


# n
cdef double num_ret(const Ranking *ranking, const Params *params) noexcept nogil:
    return <double> ranking.n_ret


register(MeasureRecord(
    name="num_ret",
    field_name="NumRet",
    title="Documents retrieved",
    definition="""
        The number of documents that were retrieved for the query, judged or not: at most -M of them,
        and with -J the judged ones among these. The summary is the sum over the queries.
        -l has no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(num_ret),
    aggregate=SUM,
    value_type=INTEGER,
    traits=(IGNORES_LEVEL, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "num_ret", 7, "a, x, c, b, u, e and d, two of them unjudged"),
        Example(*GRADED, "num_ret", 5, "x and u are taken out", options=("-J",)),
    ),
))


# R
cdef double num_rel(const Ranking *ranking, const Params *params) noexcept nogil:
    return <double> ranking.n_rel


register(MeasureRecord(
    name="num_rel",
    field_name="NumRel",
    title="Relevant documents",
    definition="""
        R: the number of documents in the qrels whose grade is at least the level (-l), retrieved or not.
        Documents with a negative grade were pooled but not judged and never count.
        The summary is the sum over the queries; with -c it counts the grades above 0 of all queries in
        the qrels, whatever the level is.
        -M and -J have no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(num_rel),
    aggregate=SUM,
    recounted_from=1,
    value_type=INTEGER,
    traits=(IGNORES_ORDER,),
    examples=lambda: (
        Example(*GRADED, "num_rel", 4, "a, b, d and f"),
        Example(*GRADED, "num_rel", 2, "a (2) and d (3) reach level 2", level=2),
    ),
))


# m
cdef double num_rel_ret(const Ranking *ranking, const Params *params) noexcept nogil:
    return <double> ranking.n_rel_ret


register(MeasureRecord(
    name="num_rel_ret",
    field_name="NumRelRet",
    title="Relevant documents retrieved",
    definition="""
        The number of retrieved documents whose grade is at least the level (-l).
        0 where nothing is relevant or retrieved. The summary is the sum over the queries.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(num_rel_ret),
    aggregate=SUM,
    value_type=INTEGER,
    traits=(IGNORES_ORDER,),
    examples=lambda: (
        Example(*GRADED, "num_rel_ret", 3, "a, b and d; f is not retrieved"),
        Example(*GRADED, "num_rel_ret", 2, "a (2) and d (3) reach level 2", level=2),
    ),
))


cdef double num_nonrel_judged_ret(const Ranking *ranking, const Params *params) noexcept nogil:
    return <double> (ranking.n_judged_ret - ranking.n_rel_ret)


register(MeasureRecord(
    name="num_nonrel_judged_ret",
    title="Documents retrieved that were judged nonrelevant",
    definition="""
        The number of retrieved documents with a grade from 0 to below the level (-l). Documents that are
        not in the qrels, or have a negative grade there, do not count: nobody judged them.
        0 where nothing is retrieved. The summary is the sum over the queries. -J has no effect.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(num_nonrel_judged_ret),
    aggregate=SUM,
    value_type=INTEGER,
    traits=(IGNORES_ORDER,),
    examples=lambda: (
        Example(*GRADED, "num_nonrel_judged_ret", 2, "c and e; x and u are unjudged"),
        Example(*GRADED, "num_nonrel_judged_ret", 3, "at level 2, b (1) is nonrelevant too", level=2),
    ),
))


# p1 m + p2 (n - m) + p3 (R - m) + p4 (D + m - n - R), D documents in the collection
# Lewis, The TREC-4 Filtering Track, TREC 1995
cdef double utility(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double n = ranking.n_ret, n_rel = ranking.n_rel, found = ranking.n_rel_ret
    cdef double n_docs = params.n_docs
    cdef const double *p = params.reals
    return finite(p[0] * found + p[1] * (n - found) + p[2] * (n_rel - found) + p[3] * (n_docs + found - n - n_rel))


register(MeasureRecord(
    name="utility",
    title="Linear utility of the set retrieved",
    definition="""
        Four coefficients give what a document is worth that is
        1. retrieved and relevant, 2. retrieved and not, 3. relevant and not retrieved, 4. neither:
        p1*m + p2*(n - m) + p3*(R - m) + p4*(D + m - n - R) for n documents retrieved, m of them relevant,
        R relevant ones in the qrels, and D (-N, else 0) documents in the collection.
        Unjudged documents count as nonrelevant. A query that the run lacks has the value 0.
        Exactly four coefficients have to be given, or none.
    """,
    source="Lewis, The TREC-4 Filtering Track, TREC 1995",
    kernel=Kernel.of(utility),
    parameter_kind=Reals(1.0, -1.0, 0.0, 0.0, fixed=True),
    missing=0.0,
    traits=(IGNORES_ORDER,),
    examples=lambda: (
        Example(*GRADED, "utility", -1.0, "3 relevant, 4 not: 1*3 - 1*4"),
        Example(*GRADED, "utility_2,-1,0,0", 2.0, "2*3 - 1*4"),
        Example(
            *GRADED, "utility_1,0,-1,1", 94.0, "3 found, 1 relevant one missed, 100 + 3 - 7 - 4 neither: 3 - 1 + 92",
            options=("-N", "100"),
        ),
        Example(*SHORT, "utility", 4.0, "5 relevant, 1 not: 1*5 - 1*1"),
    ),
))


# unjudged documents among the first c / c
cdef double unjudged(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int64_t n_unjudged = min(params.cutoff, ranking.n_ret), i
    for i in range(ranking.n_hits):
        if ranking.hits[i].rank > params.cutoff:
            break
        n_unjudged -= ranking.hits[i].grade >= 0
    return ratio(<double> n_unjudged, <double> params.cutoff)


register(MeasureRecord(
    name="unj",
    field_name="Unjudged",
    title="Unjudged documents at a cutoff",
    definition="""
        unj_c = (documents at ranks 1..c without a judgement) / c. A document has none that is not in the
        qrels, or has a negative grade there. Ranks beyond the end of a run shorter than c count as
        judged: the divisor stays c. 0 where nothing is retrieved, and always 0 with -J.
        -l has no effect.
    """,
    source="trec_eval 10.0, NIST, 2026",
    kernel=Kernel.of(unjudged),
    parameter_kind=Cutoffs(5, 10, 20),
    missing=0.0,
    since="10.0",
    traits=(BOUNDED, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "unj_5", 0.4, "x (rank 2) is not in the qrels, u (rank 5) was not judged: 2/5"),
        Example(*NOTHING_RELEVANT, "unj_5", 0.2, "y alone; two documents retrieved, but the divisor stays 5: 1/5"),
        Example(*SHORT, "unj_10", 0.0, "every document was judged"),
    ),
))


register(MeasureRecord(
    name="NumQ",
    title="Number of queries",
    definition="""
        The number of queries that averages are taken over. A query without a relevant document counts
        unless the evaluation leaves it out.
    """,
    source=TREC_EVAL,
    aliases=("num_q",),
    view=VIEW_RUN,
    aggregate=COUNT,
    value_type=INTEGER,
    parameter_kind=Arguments(),
    per_query=False,
    since=None,
    examples=lambda: (
        Example(*GRADED, "NumQ", 1, "one query is in both files"),
        Example(*NOTHING_RELEVANT, "NumQ", 1, "a query without a relevant document counts as well"),
    ),
))


# documents retrieved, of grade r or above where r >= 0
cdef double num_ret_from(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int64_t n = 0, i
    if params.reals[0] < 0.0:
        return <double> ranking.n_ret
    for i in range(ranking.n_hits):
        n += ranking.hits[i].grade >= params.reals[0]
    return <double> n


register(MeasureRecord(
    name="NumRet",
    title="Documents retrieved",
    definition="""
        The number of documents that were retrieved for the query, judged or not; with rel=n, of those that
        have grade n or a higher one. The summary is the sum over the queries.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(num_ret_from),
    aggregate=SUM,
    value_type=INTEGER,
    parameter_kind=Arguments(
        Argument("rel", INT, -1, "lowest grade that counts; -1: unjudged ones count too", lowest=-1),
    ),
    since=None,
    traits=(IGNORES_LEVEL, IGNORES_ORDER),
    examples=lambda: (
        Example(*GRADED, "NumRet", 7, "a, x, c, b, u, e and d, two of them unjudged"),
        Example(*GRADED, "NumRet(rel=2)", 2, "a (2) and d (3)"),
        Example(*GRADED, "NumRet(rel=0)", 5, "the judged ones: a, c, b, e and d"),
    ),
))

register(MeasureRecord(
    name="NumRel",
    title="Relevant documents",
    definition="""
        R: the number of relevant documents in the qrels, retrieved or not. Documents with a negative grade
        were pooled but not judged and never count. The summary is the sum over the queries, those that the
        run lacks included where the evaluation is over all judged queries.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(num_rel),
    aggregate=SUM,
    value_type=INTEGER,
    parameter_kind=Arguments(REL_ARGUMENT),
    since=None,
    traits=(IGNORES_ORDER,),
    examples=lambda: (
        Example(*GRADED, "NumRel", 4, "a, b, d and f"),
        Example(*GRADED, "NumRel(rel=2)", 2, "a (2) and d (3)"),
    ),
))


register(MeasureRecord(
    name="NumRelRet",
    title="Relevant documents retrieved",
    definition="""
        The number of relevant documents that were retrieved. 0 where nothing is relevant or retrieved.
        The summary is the sum over the queries.
    """,
    source=TREC_EVAL,
    kernel=Kernel.of(num_rel_ret),
    aggregate=SUM,
    value_type=INTEGER,
    parameter_kind=Arguments(REL_ARGUMENT),
    since=None,
    traits=(IGNORES_ORDER,),
    examples=lambda: (
        Example(*GRADED, "NumRelRet", 3, "a, b and d; f is not retrieved"),
        Example(*GRADED, "NumRelRet(rel=2)", 2, "a (2) and d (3)"),
    ),
))


cdef inline double mean_n_judged_at(const Ranking *ranking, int64_t cutoff) noexcept nogil:
    # Judged documents at ranks up to the cutoff.
    cdef TieGroup group = first_group()
    cdef double total = 0.0
    cdef int64_t n, i
    while next_group(ranking, last_rank(ranking, cutoff), &group):
        n = 0
        for i in range(group.begin, group.end):
            n += ranking.hits[i].grade >= 0
        total += <double> n * (<double> group.n_looked / <double> group.n)
    return total


# judged documents among the first c / documents among the first c
cdef double judged(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int64_t n_judged = 0, i
    for i in range(ranking.n_hits):
        if ranking.hits[i].rank > params.cutoff:
            break
        n_judged += ranking.hits[i].grade >= 0
    return ratio(<double> n_judged, <double> last_rank(ranking, params.cutoff))


cdef double mean_judged(const Ranking *ranking, const Params *params) noexcept nogil:
    return ratio(mean_n_judged_at(ranking, params.cutoff), <double> last_rank(ranking, params.cutoff))


register(MeasureRecord(
    name="Judged",
    title="Judged documents at a cutoff",
    definition="""
        Judged@k = (judged documents at ranks 1..k) / (documents at ranks 1..k): of a run shorter than k,
        and without a cutoff, the share of the documents retrieved. A document is judged that has a grade
        of 0 or above in the qrels. 0 where nothing is retrieved.
    """,
    source="Yang et al., Anserini: Enabling the Use of Lucene for IR Research, SIGIR 2017",
    aliases=("judged",),
    kernel=Kernel.of(judged),
    expected=Kernel.of(mean_judged),
    parameter_kind=Arguments(at="cutoff"),
    since=None,
    traits=(BOUNDED, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "Judged@2", 0.5, "a is judged, x is not: 1/2"),
        Example(*GRADED, "Judged@10", 0.714286, "seven retrieved, all but x and u are judged: 5/7"),
        Example(*SHORT, "Judged", 1.0, "every document was judged"),
    ),
))


cdef double mean_unjudged(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef double n = <double> last_rank(ranking, params.cutoff)
    return ratio(n - mean_n_judged_at(ranking, params.cutoff), <double> params.cutoff)


register(MeasureRecord(
    name="Unjudged",
    title="Unjudged documents at a cutoff",
    definition="""
        Unjudged@k = (documents at ranks 1..k without a judgement) / k. A document has none that is not in
        the qrels, or has a negative grade there. Ranks beyond the end of a run shorter than k count as
        judged: the divisor stays k. 0 where nothing is retrieved.
    """,
    source="trec_eval 10.0, NIST, 2026",
    aliases=("unj", "unjudged"),
    kernel=Kernel.of(unjudged),
    expected=Kernel.of(mean_unjudged),
    parameter_kind=Arguments(at="cutoff", at_required=True),
    missing=0.0,
    since=None,
    traits=(BOUNDED, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "Unjudged@5", 0.4, "x (rank 2) is not in the qrels, u (rank 5) was not judged: 2/5"),
        Example(*NOTHING_RELEVANT, "Unjudged@5", 0.2, "y alone; two documents retrieved, but the divisor stays 5: 1/5"),
    ),
))


# documents among the first c that no query's qrels have / c
cdef double hole(const Ranking *ranking, const Params *params) noexcept nogil:
    cdef int64_t n = 0
    while n < ranking.n_holes and ranking.holes[n] <= params.cutoff:
        n += 1
    return ratio(<double> n, <double> params.cutoff)


register(MeasureRecord(
    name="Hole",
    title="Documents outside all judgements at a cutoff",
    definition="""
        Hole@k = (documents at ranks 1..k that are in no query's qrels) / k: how much of what was retrieved
        no assessor saw for any query. A document with a negative grade is in the qrels. Ranks beyond the
        end of a run shorter than k count as seen: the divisor stays k. 0 where nothing is retrieved.
    """,
    source="Thakur et al., BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of IR Models, NeurIPS 2021",
    aliases=("hole",),
    kernel=Kernel.of_holes(hole),
    parameter_kind=Arguments(at="cutoff", at_required=True),
    missing=0.0,
    since=None,
    traits=(BOUNDED, IGNORES_LEVEL),
    examples=lambda: (
        Example(*GRADED, "Hole@2", 0.5, "x is in no qrels: 1/2"),
        Example(*GRADED, "Hole@10", 0.1, "x; u was pooled; seven retrieved, but the divisor stays 10: 1/10"),
        Example(*SHORT, "Hole@5", 0.0, "every document was judged"),
    ),
))
