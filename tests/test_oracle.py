"""The oracle against the reference: its recorded output, and values that it printed for small examples."""

import gzip
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import strategies

FIXTURES = Path(__file__).parent.parent / "trec_fixtures"


def recorded(departures: tuple[str | None, ...]) -> dict[tuple[str, str], list[dict]]:
    """(case, release) -> the rows that ended well and are marked with one of the departures."""
    found: dict[tuple[str, str], list[dict]] = {}
    with gzip.open(FIXTURES / "manifest.jsonl.gz", "rt", encoding="utf-8") as manifest:
        for row in map(json.loads, manifest):
            for release in oracle.RELEASES:
                if row[release]["status"] == 0 and row[release].get("departs") in departures:
                    found.setdefault((row["case"], release), []).append(row)
    return found


SAME = recorded((None,))
EMPTY_RANKINGS = recorded(("D4",))


def printed(row: dict, release: str) -> str:
    options = oracle.Options(row["argv"])
    folder = FIXTURES / row["case"]
    qrels, run = (folder / name for name in options.files)
    zscores = (folder / options.zscores).read_bytes() if options.zscores else None
    return oracle.trec_eval(row["argv"], qrels.read_bytes(), run.read_bytes(), release, zscores)


@pytest.mark.parametrize(("case", "release"), SAME)
def test_recorded_output(case, release):
    for row in SAME[case, release]:
        assert printed(row, release) == row[release]["stdout"], row["argv"]


@pytest.mark.parametrize(("case", "release"), EMPTY_RANKINGS)
def test_recorded_output_with_empty_rankings(case, release):
    """D4: the reference prints NaN for a query without documents, and then for the mean."""
    for row in EMPTY_RANKINGS[case, release]:
        ours, theirs = printed(row, release).splitlines(), row[release]["stdout"].splitlines()
        assert len(ours) == len(theirs)
        for our, their in zip(ours, theirs, strict=True):
            if not their.endswith("nan"):
                assert our == their
            elif "\tall\t" not in their:
                assert our == their.replace("  -nan", "0.0000")
            else:
                assert our.startswith(their.removesuffix("-nan").rstrip(" "))


# Small examples with the values that the reference printed


def run_of(**queries: str) -> bytes:
    """Documents in rank order."""
    return strategies.run_bytes({q: {d: 100.0 - i for i, d in enumerate(docs.split())} for q, docs in queries.items()})


def judged(**queries: str) -> bytes:
    """`a=2 b=0`; of groups `g1: a=2 b=0; g2: a=1`, of sub-groups `g1 s1: a=2 b=0; g1 s2: c=1`."""
    rows = []
    for query, text in queries.items():
        for part in text.split(";"):
            group, _, documents = part.rpartition(":")
            for document in documents.split():
                rows.append((query, *(group.split() or ["0"]), *document.split("=")))
    return strategies.lines(rows, None)


def shows(options: str, expected: str, judgements: bytes, run: bytes) -> None:
    """-q and `10.0: -m P` (both releases if none is named) print the lines `P_5 q1 0.4000; P_10 q1 0.3000`."""
    only, _, options = options.rpartition(":")
    for release in [only] if only else oracle.RELEASES:
        output = oracle.trec_eval(["-q", *options.split()], judgements, run, release)
        found = [line.split() for line in output.splitlines()]
        for line in expected.split(";"):
            assert line.split() in found, (release, options)


def all_show(examples: str, judgements: bytes, run: bytes) -> None:
    """A line of options, then indented lines of what they print."""
    options = ""
    for line in examples.strip().splitlines():
        if line.startswith(" "):
            shows(options, line, judgements, run)
        else:
            options = line


QRELS_A = judged(
    q1="a=2 b=1 c=0 d=3 e=0 f=1 u=-1 v=-1",
    q2="c=0 e=0",
    q3="r01=1 r02=1 r03=1 r04=1 r05=1 r06=2 r07=2 n1=0",
)
RUN_A = run_of(q1="a x c b u e d", q2="c y", q3="r01 r02 n1 r06 r03 r04")

EXAMPLES_A = """
-m num_ret -m num_rel -m num_rel_ret -m num_nonrel_judged_ret
    num_ret q1 7; num_rel q1 4; num_rel_ret q1 3; num_nonrel_judged_ret q1 2
-l 2 -m set -m num_nonrel_judged_ret
    num_rel all 4; num_rel_ret all 3; num_nonrel_judged_ret all 9; num_nonrel_judged_ret q1 3
    set_F q1 0.4444
-m map -m gm_map -m yaap
    map q1 0.4821; map q3 0.6262; gm_map all 0.0145; yaap q1 -0.0476; yaap q3 0.3978; yaap all 0.1167
-m map_cut.2,5
    map_cut_5 q1 0.3750; map_cut_2 q3 0.2857
-m P -m recall -m relative_P -m success
    P_10 q1 0.3000; recall_5 q1 0.5000; relative_P_5 q1 0.5000; success_5 q2 0.0000
-m P.2 -m recall.2 -m relative_P.2 -m success.2
    P_2 q3 1.0000; recall_2 q3 0.2857; relative_P_2 q3 1.0000; success_2 q3 1.0000
10.0: -m unj
    unj_5 q1 0.4000; unj_20 q1 0.1000; unj_5 q2 0.2000; unj_10 q3 0.0000
-m Rprec -m Rprec_mult
    Rprec q1 0.5000; Rprec q3 0.7143; Rprec_mult_0.60 q1 0.3333; Rprec_mult_1.20 q1 0.4000
    Rprec_mult_2.00 q1 0.3750
-m Rprec_mult.1.5,.3,0,-1
    Rprec_mult_1.50 q3 0.4545; Rprec_mult_0.30 q3 0.6667; Rprec_mult_0.00 q3 0.0000
    Rprec_mult_-1.00 q3 0.0000
-m bpref -m gm_bpref -m infAP
    bpref q1 0.3750; bpref q3 0.2857; gm_bpref all 0.0102; infAP q1 0.5000; infAP all 0.3754
-l 2 -m bpref
    bpref q1 0.5000
9.0.8: -m 11pt_avg -m iprec_at_recall
    11pt_avg q1 0.4870; 11pt_avg q3 0.6515; iprec_at_recall_0.80 q1 0.0000
10.0: -m 11pt_avg -m iprec_at_recall
    11pt_avg q1 0.5779; 11pt_avg q3 0.6667; iprec_at_recall_0.80 q1 0.4286
-m set
    set_P q1 0.4286; set_recall q1 0.7500; set_relative_P q1 0.7500; set_map q1 0.3214; set_F q1 0.5455
    set_relative_P q3 0.8333; set_F all 0.4382
-m set_F.2
    set_F_2 q1 0.6000
-m utility
    utility q1 -1.0000; utility q3 4.0000; utility all 0.3333
-N 100 -m utility.1,0,-1,1
    utility_1,0,-1,1 q1 94.0000
-m relstring.2.9
    relstring_2.9 q1 '2-'
-m relstring
    relstring q1 '2-01.03'; relstring q2 '0-'; relstring q3 '110211'
-J -M 4 -m relstring
    relstring q1 '201'
10.0: -m dcg -m ideal_dcg
    dcg q1 3.4307; ideal_dcg q1 5.1925; dcg q3 3.2353; ideal_dcg q3 5.2689; ideal_dcg all 3.4872
-m ndcg -m ndcg_rel -m Rndcg -m ndcg_cut.2,5,10
    ndcg q1 0.6607; ndcg_rel q1 0.6140; ndcg_rel q3 0.5867; Rndcg q1 0.5662; Rndcg q3 0.5570
    ndcg_cut_2 q1 0.4693; ndcg_cut_2 q3 0.5000; ndcg_cut_10 q3 0.6140
-M 4 -m ndcg -m ndcg_cut.5
    ndcg q3 0.4730; ndcg_cut_5 q3 0.5442
-m ndcg.0=-1
    ndcg_0=-1 q1 0.4958
-m ndcg.0=1
    ndcg_0=1 q1 0.7222
-m ndcg.-1=1.5
    ndcg_-1=1.5 q1 0.8430
-m ndcg.-2=2
    ndcg_-2=2 q1 0.8097
-m ndcg.1=3,2=9,4=4.5
    ndcg_1=3,2=9,4=4.5 q1 0.8252
-m ndcg.1=2,1=5
    ndcg_1=2,1=5 q1 0.6306
-m ndcg.9=20
    ndcg_9=20 q1 0.6607
9.0.8: -m ndcg.x=3
    ndcg_x=3 q1 0.7502
10.0: -m ndcg.x=3
    ndcg_x=3 q1 0.6607
9.0.8: -m ndcg.=2
    ndcg_=2 q1 0.7490
10.0: -m ndcg.=2
    ndcg_=2 q1 0.6607
-m binG -m G
    binG q1 0.4717; binG q3 0.5561; G q1 0.4013; G q3 0.3479
10.0: -m rbp -m rbp_resid
    rbp q1 0.1441; rbp q3 0.2302; rbp all 0.1248; rbp_resid q1 0.6339; rbp_resid q2 0.9000
    rbp_resid q3 0.0000
10.0: -m rbp.p=0.8 -m rbp_resid.p=0.8
    rbp_p=0.8 q1 0.2199; rbp_resid_p=0.8 q1 0.4516
10.0: -m rbp.p=0.8,1=1,2=1,3=1
    rbp_p=0.8,1=1,2=1,3=1 q1 0.3548
-m P.123456,2 -m iprec_at_recall.123456.5,.25
    iprec_at_recall_123456.5 q1 0.0000; P_123456 q1 0.0000
"""
# Departures: gains in exact order (D5), points in any order (D23), separate parameters (D6), no NaN (D4)
DEPARTURES_A = """
-m ndcg.1=0.9,2=0.5
    ndcg_1=0.9,2=0.5 q1 0.4459
-m ndcg.3=1.2,2=0.8,1=0.4 -m Rndcg.1=0,2=0,3=0
    ndcg_3=1.2,2=0.8,1=0.4 q1 0.6607; Rndcg_1=0,2=0,3=0 q1 0.0000
-m ndcg.1=0.4,2=0.8,3=1.2 -m G.-1=20,1=3
    ndcg_1=0.4,2=0.8,3=1.2 q1 0.6607; G_-1=20,1=3 q1 0.1147
-m 11pt_avg..2,.5
    11pt_avg_.2,.5 q1 0.7500
-m 11pt_avg..5,.2
    11pt_avg_.5,.2 q1 0.7500
10.0: -m ndcg.1=3,2=9,4=4.5 -m dcg
    ndcg_1=3,2=9,4=4.5 q1 0.8252; dcg q1 3.4307
"""


def test_worked_examples():
    all_show(EXAMPLES_A, QRELS_A, RUN_A)


def test_departures():
    all_show(DEPARTURES_A, QRELS_A, RUN_A)
    # D7: nothing but negative judgements; the query counts
    all_negative, run = judged(q0="a=2 b=1", q1="a=-1 b=-2"), run_of(q0="a b", q1="a b")
    shows("-m all_trec", "num_q all 2; num_rel q1 0; map all 0.5000; ndcg q1 0.0000", all_negative, run)
    shows("10.0: -m ideal_dcg", "ideal_dcg q1 0.0000; ideal_dcg q0 2.6309", all_negative, run)
    # D22: low and high gain start at 0
    shows("10.0: -m rbp.0=2,1=4", "rbp_0=2,1=4 q 0.2765", judged(q="a=1 b=1 c=1 n=0"), run_of(q="a x b n y c"))


def test_single_queries():
    one = judged(q="a=1")
    expected = "recip_rank q 0.5000; Rndcg q 0.0000; success_1 q 0.0000; success_5 q 1.0000"
    shows("-m recip_rank -m Rndcg -m success.1,5", expected, one, run_of(q="z a"))
    shows("-m Rndcg", "Rndcg q 0.3155", one, run_of(q="z a y"))
    shows("-m infAP", "infAP q 0.7500", judged(q="a=1 u=-2"), run_of(q="u a"))
    shows("-m infAP", "infAP q 0.5000", judged(q="a=1"), run_of(q="x a"))
    shows("-m relstring", "relstring q '>9.-'", judged(q="a=11 b=9 c=-1"), run_of(q="a b c d"))
    bpref = judged(q="r1=1 r2=1 r3=1 r4=1 r5=1 r6=1 n1=0 n2=0 n3=0 n4=0")
    shows("-m bpref", "bpref q 0.5000", bpref, run_of(q="n1 r1 r2 r3 r4"))
    many = judged(q=" ".join(f"r{i}=1" for i in range(45)))
    sevens = run_of(q=" ".join(f"r{i}" for i in range(31)))
    shows("9.0.8: -m iprec_at_recall.0.7", "iprec_at_recall_0.70 q 0.0000", many, sevens)
    shows("10.0: -m iprec_at_recall.0.7", "iprec_at_recall_0.70 q 1.0000", many, sevens)


def test_scores_that_tie_in_32_bits():
    one = judged(q="a=1")
    for high, low in ("1.00000002", "1.00000001"), ("16777217", "16777216"), ("1e40", "1e39"), ("1e-46", "0"):
        run = f"q Q0 b 1 {low} t\nq Q0 a 2 {high} t\n".encode()
        shows("9.0.8: -m recip_rank", "recip_rank q 0.5000", one, run)
        shows("10.0: -m recip_rank", "recip_rank q 1.0000", one, run)


def test_missing_queries():
    qrels = QRELS_A + judged(q4="a=1 b=2 c=0")
    all_show(
        """
-m num_q -m num_rel -m map
    num_q all 3; num_rel all 11; map all 0.3694
-c -m num_q -m map -m gm_map
    num_q all 4; map all 0.2771; gm_map all 0.0023
-c -l 2 -m num_rel
    num_rel all 13
9.0.8: -c -m yaap
    yaap all 0.0875
10.0: -c -m yaap -m num_rel -m num_ret
    yaap q4 -1.0986; yaap all -0.1871; num_rel q4 2; num_ret q4 0
10.0: -c -m relstring -m utility -m rbp_resid -m unj
    relstring q4 ''; utility q4 0.0000; rbp_resid q4 0.0000; unj_5 q4 0.0000
""",
        qrels,
        RUN_A,
    )
    # D3, D4: with parameters and -J the same as without
    all_show(
        """
10.0: -c -m relstring.20 -m rbp_resid.p=0.5
    relstring_20 q4 ''; rbp_resid_p=0.5 q4 0.0000
10.0: -c -m utility.2,-1,0,0 -m ndcg.-1=2
    utility_2,-1,0,0 q4 0.0000; ndcg_-1=2 q4 0.0000
10.0: -c -J -m iprec_at_recall.0,1
    iprec_at_recall_0.00 q4 0.0000; iprec_at_recall_0.00 all 0.5000
""",
        qrels,
        RUN_A,
    )
    assert "q4" not in oracle.trec_eval(["-q", "-c"], qrels, RUN_A, "9.0.8")
    # D2: no query in common
    with pytest.raises(ValueError, match="no query in common"):
        oracle.trec_eval([], qrels, run_of(q5="a"), "10.0")
    shows("10.0: -c -m map -m num_q", "map all 0.0000; num_q all 4", qrels, run_of(q5="a"))


def test_options():
    two = ["-m", "P.5", "-m", "P.10", "-m", "official", "-D", "3.q3"]
    output = oracle.trec_eval(["-q", *two], QRELS_A, RUN_A, "10.0")
    assert "P_5 " in output and "P_10 " not in output and "\tq3\t" in output and "\tq1\t" not in output
    assert "num_q                 \tall\t1\n" in output
    zscores = b"q1 map 0.2 0.1\nq1 num_ret 5 2\nq2 map 0 0\nq2 gm_map -10 1\n"
    output = oracle.trec_eval(["-q", "-Z", "z", "-m", "official"], QRELS_A, RUN_A, "10.0", zscores)
    assert output.startswith("Znum_ret               \tq1\t1.0000\n")
    assert "Zmap                   \tq1\t2.8214\n" in output
    assert "Zmap                   \tq2\t0.0000\n" in output
    assert "Zmap                   \tq3\t-1000000.0000\n" in output
    assert "runid                 \tall\ttag\nZnum_q                 \tall\t3.0000\n" in output


def test_judgement_groups():
    qrels = judged(q="u1: a=2 b=0 c=1; u2: a=0 d=1 e=1 f=1; u3: a=0 b=-1")
    examples = """
-R qrels_jg -m map_avgjg -m P_avgjg.2,5
    map_avgjg q 0.2037; P_avgjg_2 q 0.1667; P_avgjg_5 q 0.1333
-R qrels_jg -m Rprec_mult_avgjg.0.5,1,2
    Rprec_mult_avgjg_0.50 q 0.3333; Rprec_mult_avgjg_1.00 q 0.2778; Rprec_mult_avgjg_2.00 q 0.1389
-R qrels_jg -J -l 2 -m map_avgjg -m P_avgjg.2,5
    map_avgjg q 0.3333; P_avgjg_2 q 0.1667; P_avgjg_5 q 0.0667
-R qrels_jg -J -l 2 -m Rprec_mult_avgjg.0.5,1,2
    Rprec_mult_avgjg_0.50 q 0.3333; Rprec_mult_avgjg_2.00 q 0.1667
"""
    all_show(examples, qrels, run_of(q="a b d z"))


P1 = "g s: a=3 b=2 c=0 d=6 e=0 f=2"


@pytest.mark.parametrize(
    ("judgements", "ranked", "expected"),
    [
        (
            P1,
            "a d c x b",
            "num_prefs_poss 13, num_prefs_ful 9, num_prefs_ful_ret 4, avgjg 0.6923, avgjg_Rnonrel 0.7143",
        ),
        (
            P1,
            "a d c x b",
            "simp 0.6923, simp_imp 0.7500, simp_ret 0.6667, pair 0.6923, pair_imp 0.7500, pair_ret 0.6667",
        ),
        (P1, "a d c x b", "avgjg_imp 0.7500, avgjg_ret 0.6667, avgjg_Rnonrel_ret 0.7143"),
        (P1, "x", "num_prefs_poss 13, num_prefs_ful 0, pair 0.0000, avgjg_Rnonrel 0.0000, avgjg_Rnonrel_ret 0.0000"),
        # a transitive closure, two groups
        (
            P2 := "g1 s1: a=3 b=2 c=1; g1 s2: b=5 d=4; g2 s1: b=1 a=0 e=0",
            "d a x b",
            "num_prefs_poss 7, num_prefs_ful 4, num_prefs_ful_ret 1, simp 0.5714, simp_ret 0.2500, pair 0.5833",
        ),
        (
            P2,
            "d a x b",
            "pair_ret 0.1667, avgjg 0.5500, avgjg_ret 0.1667, avgjg_Rnonrel 0.3571, avgjg_Rnonrel_ret 0.3333",
        ),
        # the same preferences as one sub-group, with an unretrieved document, and as two sub-groups
        ("g s: a=1 n1=0 n2=0", "a n1 n2", "simp 1.0000, avgjg_Rnonrel 0.3333, avgjg_Rnonrel_ret 0.3333"),
        ("g s: a=1 n1=0 n2=0 n3=0", "a n1 n2", "avgjg_Rnonrel 0.2500, avgjg_Rnonrel_ret 0.3333"),
        ("g s: a=1 n1=0; g t: a=1 n2=0", "a n1 n2", "avgjg_Rnonrel 1.0000, avgjg_Rnonrel_ret 1.0000"),
        # 0/0 in a group
        ("g1 s: a=2 b=1; g2 s: c=0", "a b c", "avgjg 0.5000, avgjg_Rnonrel 0.0000"),
        ("g1 s: a=2 b=1; g2 s: q=2 r=1", "a b c", "avgjg_Rnonrel 0.5000, avgjg_Rnonrel_ret 0.0000"),
        ("g s: a=1 b=1 c=1 n=0", "a b n", "avgjg_Rnonrel_ret 0.8000"),
        ("g s: a=1 b=1", "a b", "num_prefs_poss 0, simp 0.0000, avgjg_Rnonrel 1.0000, avgjg_Rnonrel_ret 1.0000"),
        # two sub-groups, fewer relevant than nonrelevant retrieved: the cut counts all relevant (by rule, not recorded)
        ("g s: a=1 b=1 n1=0; g t: a=1 n2=0", "n1 a n2", "avgjg_Rnonrel_ret 0.5000"),
        # a line twice
        ("g s: a=1 a=1 b=0", "a b", "num_prefs_poss 2"),
    ],
)
def test_preferences(judgements, ranked, expected):
    lines = ";".join("prefs_" + part.strip().replace(" ", " q ") for part in expected.split(","))
    shows("-R prefs -m all_prefs", lines, judged(q=judgements), run_of(q=ranked))


def test_preferences_other_forms():
    expected = "prefs_num_prefs_ful q 8; prefs_num_prefs_ful_ret q 0; prefs_simp_imp q 0.8889"
    expected += "; prefs_avgjg_Rnonrel_ret q 0.4444"
    run = run_of(q="a d c x b")
    shows("-R prefs -M 2 -m all_prefs", expected, judged(q=P1), run)
    shows("-R qrels_prefs -M 2 -m all_prefs", expected, judged(q=P1.replace("g s", "g")), run)
    # levels that are equal in 32 bits
    levels = judged(q="g s: a=1.00000002 b=1.00000001")
    shows("9.0.8: -R prefs -m prefs_num_prefs_poss", "prefs_num_prefs_poss q 0", levels, run_of(q="a b"))
    shows("10.0: -R prefs -m prefs_num_prefs_poss", "prefs_num_prefs_poss q 1", levels, run_of(q="a b"))
    # equal scores: docno rises, not falls
    tied = b"q Q0 a 1 1 t\nq Q0 b 2 1 t\n"
    shows("-R prefs -m prefs_simp", "prefs_simp q 1.0000", judged(q="g s: a=1 b=0"), tied)


@pytest.mark.parametrize(
    "judgements",
    ["g s: a=3 b=2; g t: b=3 a=2", "g s: a=3 b=2; g t: a=0 c=1", "g s: a=3 a=2"],
    ids=["order", "zero", "levels"],
)
def test_contradicting_preferences(judgements):
    with pytest.raises(ValueError):
        oracle.trec_eval(["-R", "prefs", "-m", "prefs"], judged(q=judgements), run_of(q="a b"), "10.0")


# Properties


@pytest.mark.parametrize("release", oracle.RELEASES)
@given(data=st.data())
@settings(max_examples=60)
def test_values_are_finite_and_lines_can_come_in_any_order(release, data):
    case = data.draw(strategies.qrels_cases())
    argv = data.draw(strategies.options()) + strategies.asked(data.draw(strategies.requests(release)))
    qrels, run = strategies.qrels_bytes(case.judgements), strategies.run_bytes(case.run)
    result = oracle.evaluate(argv, qrels, run, release)
    for _, value in result.summary + [pair for named in result.per_query.values() for pair in named]:
        assert isinstance(value, str) or math.isfinite(value)
    order = data.draw(st.randoms(use_true_random=False))
    shuffled = strategies.qrels_bytes(case.judgements, order), strategies.run_bytes(case.run, order)
    assert oracle.evaluate(argv, *shuffled, release) == result


@pytest.mark.parametrize("release", oracle.RELEASES)
@given(case=strategies.qrels_cases(), options=strategies.options())
@settings(max_examples=30)
def test_one_judgement_group_is_the_plain_measure(release, case, options):
    run = strategies.run_bytes(case.run)
    plain = options + strategies.asked(["map", "P", "Rprec_mult"])
    expected = oracle.evaluate(plain, strategies.qrels_bytes(case.judgements), run, release)
    groups = {query: {"g": grades} for query, grades in case.judgements.items()}
    argv = [*options, "-R", "qrels_jg", *strategies.asked(["map_avgjg", "P_avgjg", "Rprec_mult_avgjg"])]
    found = oracle.evaluate(argv, strategies.qrels_jg_bytes(groups), run, release)
    assert sorted(value for _, value in found.summary) == sorted(value for _, value in expected.summary)


@pytest.mark.parametrize("release", oracle.RELEASES)
@given(case=strategies.preference_cases(max_subgroups=1), options=strategies.options())
@settings(max_examples=30)
def test_one_subgroup_written_twice_means_the_same(release, case, options):
    """The class form and the array form agree but for the R-nonrel pair."""
    argv = [*options, "-R", "prefs", "-m", "all_prefs"]
    twice = {
        query: {group: parts | {"again": parts["s0"]} for group, parts in groups.items()}
        for query, groups in case.judgements.items()
    }
    once, again = (
        oracle.evaluate(argv, strategies.prefs_bytes(prefs), strategies.run_bytes(case.run), release)
        for prefs in (case.judgements, twice)
    )
    compared = [name for name, _ in once.summary if "Rnonrel" not in name]
    assert [(n, v) for n, v in again.summary if n in compared] == [(n, v) for n, v in once.summary if n in compared]
