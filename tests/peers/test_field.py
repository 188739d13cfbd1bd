"""The measures by the field's names against other tools on random queries, where these are installed."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import treckon

LONGEST = 15


def random_query(random_: random.Random) -> tuple[dict[str, int], list[str]]:
    """Grades 0 to 3, of which one is 3, and a ranking; some of its documents are not judged."""
    ranking = [f"d{i}" for i in random_.sample(range(LONGEST), random_.randint(1, LONGEST))]
    grades = {docno: random_.choice([0, 0, 1, 2, 3]) for docno in ranking if random_.random() < 0.7}
    return {**grades, "missed": 3}, ranking


def values_of(names: Sequence[str], qrels: Any, run: Any, **options: Any) -> list[float]:
    row = treckon.evaluate(qrels, {"q": run}, names, **options).per_query["q"]
    return [row[str(treckon.parse(name))] for name in names]


def test_expected_ties_are_scikit_learn_s():
    """Documents that tie share the mean of their discounts. scikit-learn knows retrieved documents only."""
    metrics = pytest.importorskip("sklearn.metrics")
    random_ = random.Random(1)
    for _ in range(200):
        docnos = [f"d{i}" for i in range(random_.randint(2, 12))]
        grades = {docno: random_.choice([0, 1, 2, 3]) for docno in docnos}
        scores = {docno: float(random_.choice([1, 2, 3])) for docno in docnos}
        k = random_.choice([1, 2, 3, 5, 20])
        truth, predicted = [list(grades.values())], [list(scores.values())]
        expected = [metrics.ndcg_score(truth, predicted, k=k), metrics.dcg_score(truth, predicted, k=k)]
        found = values_of([f"nDCG@{k}", f"DCG@{k}"], {"q": grades}, scores, ties="expected")
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


OF = {
    "EU": "expected_utility",
    "ETU": "expected_total_utility",
    "EC": "expected_cost",
    "ETC": "expected_total_cost",
    "ED": "expected_items",
}


def test_user_models_are_those_of_cwl_eval():
    """cwl_eval leaves rank 1000 out in two cases: with U's L of 1000 and above, and with TrAP where nothing gains."""
    ruler = pytest.importorskip("cwl.ruler.cwl_ruler")
    models = {
        "CWL_P({})@3": lambda: ruler.PrecisionCWLMetric(3),
        "CWL_RBP({})": lambda: ruler.RBPCWLMetric(0.8),
        "CWL_RR({})": ruler.RRCWLMetric,
        "CWL_AP({})": ruler.APCWLMetric,
        "SDCG({})@3": lambda: ruler.NDCGCWLMetric(3),
        "SDCG({})@20": lambda: ruler.NDCGCWLMetric(20),
        "INST({})": lambda: ruler.INSTCWLMetric(1.0),
        "INST(T=2.5, {})": lambda: ruler.INSTCWLMetric(2.5),
        "INSQ({})": lambda: ruler.INSQCWLMetric(1.0),
        "INSQ(T=3, {})": lambda: ruler.INSQCWLMetric(3.0),
        "BPM({})@3": lambda: ruler.BPMCWLMetric(1.0, 3),
        "BPM(T=2, {})@10": lambda: ruler.BPMCWLMetric(2.0, 10),
        # With a cutoff that is never reached: cwl_eval moves T where it should move that.
        "BPMD(T=1.03, {})@100": lambda: ruler.BPMDCWLMetric(1.03, 100),
        "BPMD(T=2.03, h_b=0.5, {})@100": lambda: ruler.BPMDCWLMetric(2.03, 100, 0.5, 1.0),
        "TBG({})": lambda: ruler.TBGCWLMetric(224),
        "TBG(h=3, {})": lambda: ruler.TBGCWLMetric(3),
        "U(L=5, {})": lambda: ruler.UMeasureCWLMetric(5),
        "U(L=30.5, {})": lambda: ruler.UMeasureCWLMetric(30.5),
        "IFT(model='goal', {})": lambda: ruler.IFTGoalCWLMetric(2, 0.9, 1),
        "IFT(model='rate', {})": lambda: ruler.IFTRateCWLMetric(0.2, 0.9, 1),
        "IFT({})": lambda: ruler.IFTGoalRateCWLMetric(2, 0.9, 1, 0.2, 0.9, 1),
        "NERR8({})@5": lambda: ruler.NERReq8CWLMetric(5),
        "NERR9({})@5": lambda: ruler.NERReq9CWLMetric(5),
        "NERR10({})": lambda: ruler.NERReq10CWLMetric(0.9),
        "NERR11({})": lambda: ruler.NERReq11CWLMetric(1.0),
        "TrAP({})": ruler.TrAPCWLMetric,
    }
    random_ = random.Random(2)
    for _ in range(15):
        grades, ranking = random_query(random_)
        gains = [grades[docno] / 3 if docno in grades else float("nan") for docno in ranking]
        for name, make in models.items():
            for residuals in (False, True) if name != "TrAP({})" else (False,):
                metric = make()
                metric.residuals = residuals
                listed = ruler.Ranking("q", list(gains), [1.0] * len(gains))
                listed.total_qrel_rels = sum(grade >= 1 for grade in grades.values())
                metric.measure(listed)
                wanted = {"residual": "residual_expected_utility"} if residuals else OF
                if name == "TrAP({})":
                    wanted = {of: wanted[of] for of in ("EU", "ETU")}
                names = [name.format(f"of={of!r}") for of in wanted]
                expected = [getattr(metric, attribute) for attribute in wanted.values()]
                found = values_of(names, {"q": grades}, {docno: -i for i, docno in enumerate(ranking)})
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), (names, grades, ranking)


def test_diversity_is_that_of_ndeval():
    """pyndeval prints six digits."""
    pyndeval = pytest.importorskip("pyndeval")
    names = {
        "ERR-IA@5": "ERR_IA@5",
        "ERR-IA@20": "ERR_IA@20",
        "nERR-IA@1": "nERR_IA@1",
        "nERR-IA@10": "nERR_IA@10",
        "alpha-DCG@5": "alpha_DCG@5",
        "alpha-nDCG@1": "alpha_nDCG@1",
        "alpha-nDCG@5": "alpha_nDCG@5",
        "alpha-nDCG@20": "alpha_nDCG@20",
        "NRBP": "NRBP",
        "nNRBP": "nNRBP",
        "MAP-IA": "AP_IA",
        "P-IA@5": "P_IA@5",
        "P-IA@20": "P_IA@20",
        "strec@5": "StRecall@5",
    }
    random_ = random.Random(3)
    docnos = [f"d{i}" for i in range(12)]
    for _ in range(60):
        grades: Mapping[str, dict[str, int]] = {
            str(subtopic): {
                docno: random_.choice([0, 1, 1, 2]) for docno in random_.sample(docnos, random_.randint(1, 8))
            }
            for subtopic in range(1, random_.randint(2, 5))
        }
        if not any(grade > 0 for of_one in grades.values() for grade in of_one.values()):
            continue  # ndeval leaves out such a query
        scores = {docno: float(-i) for i, docno in enumerate(random_.sample(docnos, random_.randint(1, 12)))}
        judged = [(one, docno, grade) for one, of_one in grades.items() for docno, grade in of_one.items()]
        printed = pyndeval.ndeval(
            [pyndeval.SubtopicQrel("q", *one) for one in judged],
            [pyndeval.ScoredDoc("q", docno, score) for docno, score in scores.items()],
            measures=list(names),
        )["q"]
        qrels = "".join(f"q {subtopic} {docno} {grade}\n" for subtopic, docno, grade in judged).encode()
        found = values_of(list(names.values()), qrels, scores, qrels_format="qrels_jg")
        assert found == pytest.approx([printed[name] for name in names], abs=1.1e-6), (grades, scores)


def test_extrapolated_overlap_is_that_of_rbo():
    """Lists of different lengths, too."""
    rbo = pytest.importorskip("rbo")
    random_ = random.Random(4)
    docnos = [f"d{i}" for i in range(12)]
    for _ in range(200):
        ideal, ranking = (random_.sample(docnos, random_.randint(1, n)) for n in (10, 12))
        p = random_.choice([0.5, 0.8, 0.9, 0.98])
        expected = rbo.RankingSimilarity(ranking, ideal).rbo_ext(p=p)
        grades = {docno: len(ideal) - place for place, docno in enumerate(ideal)}
        run = {docno: -place for place, docno in enumerate(ranking)}
        assert values_of([f"RBO(p={p}, extrapolated=True)"], {"q": grades}, run) == pytest.approx([expected], abs=1e-12)
