"""A small input on which evaluators disagree, and what each of them printed for it.

Queries: 1 graded, with grade 0, grade -1 and two unjudged documents; 2 five documents with the same score, one of them
unjudged; 3 judged but not in the run; 4 no relevant document; 5 twelve relevant, three retrieved; 6 in the run only,
with the documents judged for query 3; 7 scores that are equal as 32-bit numbers.
"""

QRELS = (
    """\
1 0 a 3
1 0 b 2
1 0 c 1
1 0 d 0
1 0 e -1
1 0 f 2
1 0 g 1
2 0 d1 1
2 0 d2 0
2 0 d3 2
2 0 d4 0
3 0 m1 1
3 0 m2 1
4 0 n1 0
4 0 n2 0
"""
    + "".join(f"5 0 r{i} 1\n" for i in range(1, 13))
    + """\
7 0 da 1
7 0 db 0
"""
)

RUN = """\
1 Q0 b 1 9.7 t
1 Q0 x 2 9.6 t
1 Q0 e 3 9.5 t
1 Q0 a 4 9.4 t
1 Q0 d 5 9.3 t
1 Q0 c 6 9.2 t
1 Q0 y 7 9.1 t
2 Q0 d1 1 5.0 t
2 Q0 d2 2 5.0 t
2 Q0 d3 3 5.0 t
2 Q0 d4 4 5.0 t
2 Q0 d5 5 5.0 t
4 Q0 n1 1 0.9 t
4 Q0 n2 2 0.8 t
5 Q0 r1 1 3.0 t
5 Q0 u1 2 2.0 t
5 Q0 r2 3 1.0 t
6 Q0 m1 1 1.0 t
6 Q0 m2 2 0.5 t
7 Q0 da 1 0.700000010 t
7 Q0 db 2 0.700000005 t
"""


def _by_query(text, column, number):
    """{query: {document: number}} of these lines."""
    found = {}
    for line in text.splitlines():
        fields = line.split()
        found.setdefault(fields[0], {})[fields[2]] = number(fields[column])
    return found


#: The same as dicts.
JUDGED, RETRIEVED = _by_query(QRELS, 3, int), _by_query(RUN, 4, float)


def _per_query(text):
    """{query: {measure: value as printed}} of lines ``measure query=value ...``; "all" is the mean."""
    found = {}
    for line in text.strip().splitlines():
        measure, *cells = line.split()
        for cell in cells:
            query, _, value = cell.partition("=")
            found.setdefault(query, {})[measure] = value
    return found


#: What each tool printed, by the tables of the comparison.
PRINTED = {
    "trec_eval 10.0 -c -q": _per_query("""
        map         1=.4000 2=.3667 3=.0000 4=.0000 5=.1389 7=1.0000 all=.3176
        ndcg_cut_3  1=.3801 2=.3801 5=.7039 7=1.0000 all=.4107
        ndcg_cut_10 all=.4096
        recip_rank  2=.3333 7=1.0000 all=.5556
        P_3         2=.3333 all=.2778
        recall_3    2=.5000
        Rprec       2=.0000 7=1.0000
        bpref       1=.4000 2=.2500 5=.1667 7=1.0000 all=.3028
        11pt_avg    5=.2424
        gm_map      all=.0113
        set_F       all=.3341
        num_q       all=6
        num_rel     all=22
    """),
    "trec_eval 9.0.8 -c -q": _per_query("""
        map         1=.4000 2=.3667 4=.0000 5=.1389 7=.5000 all=.2343
        ndcg_cut_3  1=.3801 2=.3801 5=.7039 7=.6309 all=.3492
        ndcg_cut_10 all=.3481
        recip_rank  2=.3333 7=.5000 all=.4722
        P_3         2=.3333 all=.2778
        recall_3    2=.5000
        Rprec       2=.0000 7=.0000
        bpref       1=.4000 2=.2500 5=.1667 7=.0000 all=.1361
        11pt_avg    5=.1515
        gm_map      all=.0100
        set_F       all=.3341
        num_q       all=6
        num_rel     all=22
    """),
    "trec_eval 9.0.8": _per_query("""
        map         all=.2811
        ndcg_cut_3  all=.4190
        ndcg_cut_10 all=.4177
        recip_rank  all=.5667
        P_3         all=.3333
        bpref       all=.1633
        gm_map      all=.0400
        set_F       all=.4010
        num_q       all=5
        num_rel     all=20
    """),
    "pytrec_eval": _per_query("""
        map         1=.4000 2=.3667 4=.0000 5=.1389 7=.5000 all=.2811
        ndcg_cut_3  1=.3801 2=.3801 5=.7039 7=.6309 all=.4190
        ndcg_cut_10 all=.4177
        recip_rank  2=.3333 7=.5000 all=.5667
        P_3         2=.3333 all=.3333
        recall_3    2=.5000
        Rprec       2=.0000 7=.0000
        bpref       1=.4000 2=.2500 5=.1667 7=.0000 all=.1633
        11pt_avg    5=.1515
        gm_map      all=.0400
        set_F       all=.4010
        num_q       all=5
        num_rel     all=20
    """),
    "ir_measures": _per_query("""
        AP          1=.4000 2=.3667 3=.0000 4=.0000 5=.1389 7=.5000 all=.2343
        nDCG@3      1=.3801 2=.3801 5=.7039 7=.6309 all=.3492
        nDCG@10     all=.3481
        RR          2=.3333 7=.5000 all=.4722
        RR@10       2=1.0000 7=1.0000 all=.6667
        P@3         2=.3333 all=.2778
        R@3         2=.5000
        Rprec       2=.0000 7=.0000
        Bpref       1=.4000 2=.2500 5=.1667 7=.0000 all=.1361
        NumQ        all=5
        NumRel      all=20
        SetF        all=.3341
        nDCG(dcg='exp-log2')@3  all=.4009
        RBP(rel=1)  1=.3679 2=.3280 5=.3280
    """),
    "ranx": _per_query("""
        map         1=.4000 2=.8333 3=.0000 4=.0000 5=.1389 7=1.0000 all=.3954
        ndcg@3      1=.3801 2=.7602 5=.7039 7=1.0000 all=.4740
        ndcg@10     all=.4484
        ndcg_burges@3  all=.4469
        mrr         2=1.0000 7=1.0000 all=.6667
        precision@3 2=.6667 all=.3333
        recall@3    2=1.0000
        r-precision 2=.5000 7=1.0000
        bpref       1=.3000 2=.7500 5=.0000 7=.0000 all=.1750
        rbp.80      1=.7727 2=.4560 5=.3280
        f1@3        2=.8000
        f1          all=.3341
    """),
    "ranx, plain dicts": _per_query("""
        map         1=.4000 2=.3667 3=.0000 4=.0000 5=.1389 7=1.0000 all=.3176
        mrr         2=.3333 7=1.0000 all=.5556
        r-precision 2=.0000 7=1.0000
        bpref       1=.3000 2=.2500 5=.0000 7=.0000 all=.0917
        f1          all=.3341
    """),
    "ranx, plain dicts, the run's in another order": _per_query("""
        map         all=.1667
        mrr         all=.1667
        bpref       all=nan
        f1          all=.1667
    """),
    "trectools": _per_query("""
        map         1=.4000 2=.3667 4=nan 5=.1389 7=1.0000 all=.3176
        NDCG@3      1=.3801 2=.7602 5=.7039 7=1.0000 all=.4740
        nDCG(gain='exp2')@3   all=.4469
        recip_rank  2=.3333 7=1.0000 all=.5556
        P_3         2=.3333 all=.2778
        recall_3    2=.5000
        bpref       1=.4000 2=.2500 5=.0000 7=1.0000 all=.2750
        RBP(p=0.8)  1=.3679 2=.2689 5=.3640
        gm_map      all=nan
    """),
    "BEIR": _per_query("""
        MAP@10      all=.2811
        NDCG@3      all=.41901
        NDCG@10     all=.41766
        MRR         all=.66667
        P@3         all=.33333
        Hole@3      all=.11111
    """),
    "MTEB": _per_query("""
        MRR         all=.66667
        Hole@3      all=.2
    """),
    "MTEB, query 6 in the results": _per_query("""
        Hole@3      all=.1667
    """),
    "toolkit": _per_query("""
        map@3       all=.2509
        ndcg@3      all=.41068
        mrr         all=.5556
    """),
    "cwl_eval through ir_measures": _per_query("""
        AP          1=.6667 2=.8333 5=.8333 7=1.0000
        RR          2=1.0000 7=1.0000
        P@3         2=.6667
        RBP(rel=1)  1=.3679
    """),
    "msmarco through ir_measures": _per_query("""
        RR          2=1.0000 7=1.0000
    """),
    "trectools through ir_measures": _per_query("""
        AP          1=.4000 2=.8333 3=nan 4=nan 5=.1389 7=1.0000 all=nan
        RR          2=1.0000 7=1.0000
        P@3         2=.6667
        nDCG@3      2=.7602
        nDCG(dcg='exp-log2')@3  2=.6885
        Bpref       1=.7000 2=.7500 5=.0000
        RBP         1=.7727
    """),
    "gdeval through ir_measures": _per_query("""
        nDCG(dcg='exp-log2')@3  2=.4131
    """),
    "scikit-learn": _per_query("""
        ndcg@10     1=.7522 5=.8611
        ndcg@3      2=.4860
    """),
    "scikit-learn, ignore_ties": _per_query("""
        ndcg@3      2=.3801
    """),
    "ranklab": _per_query("""
        mrr         2=.2667 5=.6667
    """),
}  # fmt: skip


def as_text(tool):
    """What a tool printed as trec_eval's lines."""
    return "".join(
        f"{measure}\t{query}\t{'0' * value.startswith('.')}{value}\n"
        for query, values in PRINTED[tool].items()
        for measure, value in values.items()
    )
