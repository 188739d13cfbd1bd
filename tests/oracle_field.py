"""The measures by the field's names again in naive, slow, plain Python: one small function each.

`value("nDCG(gain='exp2')@3", query)` is the value of one query, `mean_value(name, ...)` the mean over all orders of its
tied documents, every one of them evaluated. Nothing of treckon is imported.
"""

import ast
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Grades = Mapping[str, int]


class Query(NamedTuple):
    grades: Grades  # negative: pooled, not judged
    ranking: Sequence[str]
    highest_grade: int  # of the qrels


ORACLES: dict[str, Callable[..., float]] = {}


def oracle(function: Callable[..., float]) -> Callable[..., float]:
    ORACLES[function.__name__.rstrip("_")] = function
    return function


def parsed(text: str) -> tuple[str, Any, dict[str, Any]]:
    """Name, number behind ``@`` and arguments."""
    call, _, at = text.partition("@")
    name, _, arguments = call.partition("(")
    keywords = ast.parse(f"f({arguments or ')'}", mode="eval").body.keywords  # type: ignore[attr-defined]
    return name, ast.literal_eval(at) if at else None, {one.arg: ast.literal_eval(one.value) for one in keywords}


def value(text: str, query: "Query | SubtopicQuery") -> float:
    name, at, arguments = parsed(text)
    if arguments.pop("judged_only", False):
        query = query._replace(ranking=[docno for docno in query.ranking if is_judged(query, docno)])
    return ORACLES[name](query, *([] if at is None else [at]), **arguments)


def orders(groups: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Every ranking in which tied documents can come."""
    for chosen in itertools.product(*map(itertools.permutations, groups)):
        yield [docno for group in chosen for docno in group]


def mean_value(text: str, grades: Grades, groups: Sequence[Sequence[str]], highest_grade: int) -> float:
    values = [value(text, Query(grades, ranking, highest_grade)) for ranking in orders(groups)]
    return math.fsum(values) / len(values)


# What measures share


def divided(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def relevant(query: Query, rel: int = 1) -> set[str]:
    return {docno for docno, grade in query.grades.items() if grade >= rel}


def looked_at(query: Query, k: int | None) -> Sequence[str]:
    return query.ranking if k is None else query.ranking[:k]


def found(query: Query, k: int | None, rel: int = 1) -> int:
    return len([docno for docno in looked_at(query, k) if docno in relevant(query, rel)])


def is_judged(query: "Query | SubtopicQuery", docno: str) -> bool:
    by_subtopic = query.grades.values() if isinstance(query, SubtopicQuery) else [query.grades]
    return any(grades.get(docno, -1) >= 0 for grades in by_subtopic)


# Counts


@oracle
def NumRet(query, rel=-1):
    return len([d for d in query.ranking if rel < 0 or query.grades.get(d, -1) >= rel])


@oracle
def NumRel(query, rel=1):
    return len(relevant(query, rel))


@oracle
def NumRelRet(query, rel=1):
    return found(query, None, rel)


@oracle
def Hits(query, k=None, rel=1):
    return found(query, k, rel)


@oracle
def Judged(query, k=None):
    top = looked_at(query, k)
    return divided(len([d for d in top if is_judged(query, d)]), len(top))


@oracle
def Unjudged(query, k):
    return len([d for d in query.ranking[:k] if not is_judged(query, d)]) / k


@oracle
def Hole(query, k):
    """Where the qrels have one query, or none of the others has a document of the run."""
    return len([d for d in query.ranking[:k] if d not in query.grades]) / k


# Precision and recall


@oracle
def P(query, k, rel=1, adaptive=False):
    return divided(found(query, k, rel), len(query.ranking[:k]) if adaptive else k)


@oracle
def R(query, k, rel=1):
    return divided(found(query, k, rel), len(relevant(query, rel)))


@oracle
def R_cap(query, k, rel=1):
    return divided(found(query, k, rel), min(k, len(relevant(query, rel))))


@oracle
def Success(query, k, rel=1):
    return 1.0 if found(query, k, rel) else 0.0


@oracle
def FallOut(query, k, rel=1):
    nonrelevant = [d for d in query.ranking if d not in relevant(query, rel)]
    return divided(len([d for d in query.ranking[:k] if d in nonrelevant]), len(nonrelevant))


@oracle
def Rprec(query, rel=1):
    r = len(relevant(query, rel))
    return divided(found(query, r, rel), r)


@oracle
def F(query, k=None, rel=1, beta=1.0):
    precision = divided(found(query, k, rel), k if k is not None else len(query.ranking))
    recall = divided(found(query, k, rel), len(relevant(query, rel)))
    return divided((1 + beta**2) * precision * recall, beta**2 * precision + recall)


@oracle
def SetP(query, rel=1, relative=False):
    n = len(query.ranking)
    return divided(found(query, None, rel), min(n, len(relevant(query, rel))) if relative else n)


@oracle
def SetR(query, rel=1):
    return divided(found(query, None, rel), len(relevant(query, rel)))


@oracle
def SetF(query, rel=1, beta=1.0):
    return F(query, None, rel, beta)


@oracle
def SetAP(query, rel=1):
    return SetP(query, rel) * SetR(query, rel)


# Averages


@oracle
def AP(query, k=None, rel=1, denominator="all"):
    total = 0.0
    for rank, docno in enumerate(looked_at(query, k), 1):
        if docno in relevant(query, rel):
            total += found(query, rank, rel) / rank
    r = len(relevant(query, rel))
    by = {"all": r, "min_k": r if k is None else min(r, k), "retrieved": found(query, k, rel)}
    return divided(total, by[denominator])


@oracle
def IPrec(query, point, rel=1):
    r = len(relevant(query, rel))
    wanted = math.floor(point * r + 0.5)
    best = 0.0
    for rank in range(1, len(query.ranking) + 1):
        if found(query, rank, rel) >= wanted and query.ranking[rank - 1] in relevant(query, rel):
            best = max(best, found(query, rank, rel) / rank)
    return best


@oracle
def Bpref(query, rel=1):
    r = len(relevant(query, rel))
    n = len([grade for grade in query.grades.values() if 0 <= grade < rel])
    total = 0.0
    for rank, docno in enumerate(query.ranking):
        if docno in relevant(query, rel):
            above = len([d for d in query.ranking[:rank] if 0 <= query.grades.get(d, -1) < rel])
            total += 1 - min(above, r) / min(n, r) if above else 1
    return divided(total, r)


@oracle
def infAP(query, rel=1):
    e, total = 0.00001, 0.0
    for k, docno in enumerate(query.ranking, 1):
        if docno in relevant(query, rel):
            above = [d for d in query.ranking[: k - 1] if d in query.grades]
            r = len([d for d in above if query.grades[d] >= rel])
            b = len([d for d in above if 0 <= query.grades[d] < rel])
            share = len(above) / (k - 1) if k > 1 else 0
            total += 1 / k + (k - 1) / k * share * (r + e) / (r + b + 2 * e)
    return divided(total, len(relevant(query, rel)))


@oracle
def RR(query, k=None, rel=1):
    for rank, docno in enumerate(looked_at(query, k), 1):
        if docno in relevant(query, rel):
            return 1 / rank
    return 0.0


# Gains


def gain_of(grade, gain, rel):
    if grade < 0 or grade < rel:
        return 0.0
    if isinstance(gain, dict):
        return gain.get(grade, grade)
    if isinstance(gain, tuple):
        return float(grade >= gain[1])
    return {"linear": grade, "exp2": 2**grade - 1, "binary": float(grade >= 1)}[gain]


def discounted(gains, discount):
    total = 0.0
    for rank, gain in enumerate(gains, 1):
        if discount == "log2":
            total += gain / math.log2(rank + 1)
        elif discount == "none":
            total += gain
        else:
            base = discount[1]
            total += gain if rank <= base else gain / math.log(rank, base)
    return total


@oracle
def DCG(query, k=None, rel=0, gain="linear", discount="log2"):
    return discounted([gain_of(query.grades.get(d, -1), gain, rel) for d in looked_at(query, k)], discount)


@oracle
def IDCG(query, k=None, rel=0, gain="linear", discount="log2"):
    gains = sorted((gain_of(grade, gain, rel) for grade in query.grades.values()), reverse=True)
    return discounted(gains[:k], discount)


@oracle
def nDCG(query, k=None, rel=0, gain="linear", discount="log2"):
    return divided(DCG(query, k, rel, gain, discount), IDCG(query, k, rel, gain, discount))


@oracle
def NCRR(query, k=None, rel=1):
    ranks = [rank for rank, d in enumerate(looked_at(query, k), 1) if d in relevant(query, rel)]
    best = range(1, len(list(relevant(query, rel))[:k]) + 1)
    return divided(sum(1 / rank for rank in ranks), sum(1 / rank for rank in best))


# Cascade


def expected_reciprocal_rank(grades, highest):
    total, looking = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        satisfied = (2 ** min(grade, highest) - 1) / 2**highest if grade > 0 else 0.0
        total += looking * satisfied / rank
        looking *= 1 - satisfied
    return total


@oracle
def ERR(query, k=None, max_rel=0):
    grades = [query.grades.get(docno, -1) for docno in looked_at(query, k)]
    return expected_reciprocal_rank(grades, max_rel or query.highest_grade)


@oracle
def nERR(query, k=None, max_rel=0):
    best = sorted(query.grades.values(), reverse=True)[:k]
    return divided(ERR(query, k, max_rel), expected_reciprocal_rank(best, max_rel or query.highest_grade))


# User models


@oracle
def RBP(query, k=None, p=0.8, max_rel=0, rel=1):
    total = 0.0
    for rank, docno in enumerate(looked_at(query, k), 1):
        grade = query.grades.get(docno, -1)
        total += (float(grade >= rel) if max_rel == 0 else min(max(grade, 0) / max_rel, 1)) * p ** (rank - 1)
    return (1 - p) * total


@oracle
def RBPResidual(query, k=None, p=0.8):
    top = looked_at(query, k)
    unjudged = sum(p**rank for rank, docno in enumerate(top) if not is_judged(query, docno))
    return p ** len(top) + (1 - p) * unjudged


# Agreement with the ideal ranking


def ideal(query):
    """The ideal ranking that is nearest to the run."""
    place = {docno: rank for rank, docno in enumerate(query.ranking)}
    positive = [docno for docno, grade in query.grades.items() if grade > 0]
    return sorted(positive, key=lambda docno: (-query.grades[docno], place.get(docno, len(place))))


def rbo_to(depth, p, one, other):
    shares = [len(set(one[:d]) & set(other[:d])) / d for d in range(1, depth + 1)]
    return sum(p**i * share for i, share in enumerate(shares)) / sum(p**i for i in range(depth))


@oracle
def Compat(query, p=0.95, depth=1000, normalize=True):
    best = ideal(query)
    depth = depth or max(len(best), len(query.ranking))
    if not best:
        return 0.0
    return rbo_to(depth, p, query.ranking, best) / (rbo_to(depth, p, best, best) if normalize else 1.0)


@oracle
def RBO(query, p=0.9, extrapolated=False):
    best = ideal(query)
    short, long = sorted((best, list(query.ranking)), key=len)
    s, n = len(short), len(long)
    if not s:
        return 0.0
    if not extrapolated:
        depth = 20 + math.ceil(math.log(1e-15) / math.log(p)) + n
        return (1 - p) * sum(p ** (d - 1) * len(set(short[:d]) & set(long[:d])) / d for d in range(1, depth))
    x = [len(set(short[:d]) & set(long[:d])) for d in range(n + 1)]
    first = sum(x[d] / d * p**d for d in range(1, n + 1))
    second = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * (first + second) + ((x[n] - x[s]) / n + x[s] / s) * p**n


@oracle
def Accuracy(query, k=None, rel=1):
    marks = [docno in relevant(query, rel) for docno in looked_at(query, k)]
    pairs = [(a, b) for a, b in itertools.combinations(marks, 2) if a != b]
    return divided(len([a for a, b in pairs if a]), len(pairs))


# Diversity: the grades are those of each subtopic


class SubtopicQuery(NamedTuple):
    grades: Mapping[str, Grades]  # by subtopic
    ranking: Sequence[str]


def covered(query, docno, rel):
    return [subtopic for subtopic, grades in query.grades.items() if grades.get(docno, -1) >= rel]


def subtopics(query, rel):
    return [subtopic for subtopic, grades in query.grades.items() if relevant(Query(grades, (), 0), rel)]


def novelty_gains(query, ranking, alpha, rel):
    gains, seen = [], dict.fromkeys(query.grades, 0)
    for docno in ranking:
        gains.append(sum((1 - alpha) ** seen[subtopic] for subtopic in covered(query, docno, rel)))
        for subtopic in covered(query, docno, rel):
            seen[subtopic] += 1
    return gains


def diverse_ideal(query, alpha, rel):
    """Greedy: the document of the highest gain, of several the one with the greatest id."""
    left = {docno for grades in query.grades.values() for docno in grades if covered(query, docno, rel)}
    ranking: list[str] = []
    while left:
        best = max(left, key=lambda docno: (novelty_gains(query, [*ranking, docno], alpha, rel)[-1], docno.encode()))
        ranking.append(best)
        left.remove(best)
    return ranking


def by_discount(gains, discount):
    return sum(gain * discount(rank) for rank, gain in enumerate(gains, 1))


def reciprocal(rank):
    return 1 / rank


def logarithmic(rank):
    return 1 / math.log2(rank + 1)


def over_highest(query, k, alpha, rel, discount, as_ndeval):
    total = by_discount(novelty_gains(query, query.ranking[:k], alpha, rel), discount)
    highest = [len(subtopics(query, rel)) * (1 - alpha) ** i for i in range(k)]
    return total if k == 1 and as_ndeval else divided(total, by_discount(highest, discount))


def over_ideal(query, k, alpha, rel, discount):
    best = diverse_ideal(query, alpha, rel)
    totals = [by_discount(novelty_gains(query, one[:k], alpha, rel), discount) for one in (query.ranking, best)]
    return divided(*totals)


@oracle
def ERR_IA(query, k, alpha=0.5, as_ndeval=False, rel=1):
    return over_highest(query, k, alpha, rel, reciprocal, as_ndeval)


@oracle
def nERR_IA(query, k=None, alpha=0.5, rel=1):
    return over_ideal(query, k, alpha, rel, reciprocal)


@oracle
def alpha_DCG(query, k, alpha=0.5, as_ndeval=False, rel=1):
    return over_highest(query, k, alpha, rel, logarithmic, as_ndeval)


@oracle
def alpha_nDCG(query, k=None, alpha=0.5, rel=1):
    return over_ideal(query, k, alpha, rel, logarithmic)


@oracle
def NRBP(query, alpha=0.5, beta=0.5, rel=1):
    total = by_discount(novelty_gains(query, query.ranking, alpha, rel), lambda rank: beta ** (rank - 1))
    return divided((1 - (1 - alpha) * beta) * total, len(subtopics(query, rel)))


@oracle
def nNRBP(query, alpha=0.5, beta=0.5, rel=1):
    return over_ideal(query, None, alpha, rel, lambda rank: beta ** (rank - 1))


@oracle
def AP_IA(query, rel=1):
    found = [AP(Query(query.grades[one], query.ranking, 0), rel=rel) for one in subtopics(query, rel)]
    return divided(sum(found), len(found))


@oracle
def P_IA(query, k, rel=1):
    found = [P(Query(query.grades[one], query.ranking, 0), k, rel) for one in subtopics(query, rel)]
    return divided(sum(found), len(found))


@oracle
def StRecall(query, k=None, rel=1):
    top = looked_at(query, k)
    found = {subtopic for docno in top for subtopic in covered(query, docno, rel)}
    return divided(len(found), len(subtopics(query, rel)))


# C/W/L: a model gives C(i) from the rank, the gains up to it and their number

N = 1000


def cwl_gains(query, min_rel, max_rel, unjudged):
    highest = max_rel or query.highest_grade
    gains = []
    for docno in query.ranking[:N]:
        grade = query.grades.get(docno, -1)
        if grade < 0:
            gains.append(unjudged)
        elif highest <= min_rel:
            gains.append(float(grade > min_rel))
        else:
            gains.append(min(max((grade - min_rel) / (highest - min_rel), 0.0), 1.0))
    return gains + [unjudged] * (N - len(gains))


def cwl(query, continuation, min_rel, max_rel, of):
    if of == "residual":
        best, worst = (cwl_quantities(cwl_gains(query, min_rel, max_rel, g), continuation)["EU"] for g in (1.0, 0.0))
        return best - worst
    return cwl_quantities(cwl_gains(query, min_rel, max_rel, 0.0), continuation)[of]


def cwl_quantities(g, continuation):
    chances = continuation(g)
    v = [1.0]
    for chance in chances[:-1]:
        v.append(v[-1] * chance)
    w = [one / sum(v) for one in v]
    stops = [one * (1 - chance) for one, chance in zip(v, chances, strict=True)]
    totals = list(itertools.accumulate(g))
    return {
        "EU": sum(weight * gain for weight, gain in zip(w, g, strict=True)),
        "ETU": sum(stop * total for stop, total in zip(stops, totals, strict=True)),
        "EC": sum(w),
        "ETC": sum(stop * rank for rank, stop in enumerate(stops, 1)),
        "ED": 1 / w[0],
    }


def by_rank(chance):
    """The continuation of a model that looks at (rank, gain, sum of gains) only."""
    return lambda g: [chance(i, g[i - 1], total) for i, total in enumerate(itertools.accumulate(g), 1)]


def by_weight(weight):
    """The continuation of a model that gives weights; nothing follows rank N."""
    weights = [weight(i) for i in range(1, N + 1)] + [0.0]
    return lambda g: [divided(weights[i], weights[i - 1]) for i in range(1, N + 1)]


@oracle
def CWL_P(query, k, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_rank(lambda i, g, total: float(i < k)), min_rel, max_rel, of)


@oracle
def CWL_RBP(query, p=0.8, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_rank(lambda i, g, total: p), min_rel, max_rel, of)


@oracle
def NPV(query, rate=0.1, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_rank(lambda i, g, total: 1 / (1 + rate)), min_rel, max_rel, of)


@oracle
def SDCG(query, k, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_weight(lambda i: 1 / math.log2(i + 1) if i <= k else 0.0), min_rel, max_rel, of)


@oracle
def CWL_RR(query, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_rank(lambda i, g, total: float(total == 0)), min_rel, max_rel, of)


@oracle
def CWL_AP(query, min_rel=0, max_rel=0, of="EU"):
    def continuation(g):
        rest = [gain / i for i, gain in enumerate(g, 1)]
        rest = list(itertools.accumulate(reversed(rest)))[::-1] + [0.0]
        return [divided(rest[i], rest[i - 1]) for i in range(1, N + 1)]

    return cwl(query, continuation, min_rel, max_rel, of)


@oracle
def TrAP(query, rel=1, min_rel=0, max_rel=0, of="EU"):
    g = cwl_gains(query, min_rel, max_rel, 0.0)
    r = len(relevant(query, rel))
    if r == 0:
        return 0.0
    totals = list(itertools.accumulate(g))
    w = [(total or 1.0) / i / r for i, total in enumerate(totals, 1)]
    stops = [(w[i] - w[i + 1]) / w[0] for i in range(N - 1)] + [w[-1] / w[0]]
    return {
        "EU": sum(weight * gain for weight, gain in zip(w, g, strict=True)),
        "ETU": sum(stop * total for stop, total in zip(stops, totals, strict=True)),
        "EC": sum(w),
        "ETC": sum(stop * i for i, stop in enumerate(stops, 1)),
        "ED": 1 / w[0],
    }[of]


@oracle
def INST(query, T=1.0, min_rel=0, max_rel=0, of="EU"):
    def chance(i, g, total):
        return ((i + T + (T - total) - 1) / (i + T + (T - total))) ** 2

    return cwl(query, by_rank(chance), min_rel, max_rel, of)


@oracle
def INSQ(query, T=1.0, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_rank(lambda i, g, total: ((i + 2 * T - 1) / (i + 2 * T)) ** 2), min_rel, max_rel, of)


@oracle
def BPM(query, k, T=1.0, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_rank(lambda i, g, total: float(total < T and i < k)), min_rel, max_rel, of)


@oracle
def BPMD(query, k, T=1.0, h_b=1.0, h_c=1.0, gain_med=0.5, min_rel=0, max_rel=0, of="EU"):
    def continuation(g):
        chances, total, surprise = [], 0.0, 0.0
        for i, gain in enumerate(g, 1):
            total += gain
            chances.append(float(total < T + h_b * surprise and i < k + h_c * surprise))
            surprise += gain - gain_med
        return chances

    return cwl(query, continuation, min_rel, max_rel, of)


@oracle
def TBG(query, h=224.0, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_weight(lambda i: 2 ** (-(i - 1) / h)), min_rel, max_rel, of)


@oracle
def U(query, L=1000.0, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_weight(lambda i: max(0.0, 1 - (i - 1) / L)), min_rel, max_rel, of)


@oracle
def IFT(query, model="goal_rate", T=2.0, b1=0.9, R1=1.0, A=0.2, b2=0.9, R2=1.0, min_rel=0, max_rel=0, of="EU"):
    def goal(i, g, total):
        return 1 - 1 / (1 + b1 * math.exp((T - total) * R1))

    def rate(i, g, total):
        return 1 / (1 + b2 * math.exp((A - total / i) * R2))

    def both(i, g, total):
        return goal(i, g, total) * rate(i, g, total)

    return cwl(query, by_rank({"goal": goal, "rate": rate, "goal_rate": both}[model]), min_rel, max_rel, of)


@oracle
def SET(query, k, beta=0.5, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_weight(lambda i: (i + 1) ** beta - i**beta if i <= k else 0.0), min_rel, max_rel, of)


@oracle
def NERR8(query, k, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_rank(lambda i, g, total: 1 - g if i < k else 0.0), min_rel, max_rel, of)


@oracle
def NERR9(query, k, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_rank(lambda i, g, total: i / (i + 1) * (1 - g) if i < k else 0.0), min_rel, max_rel, of)


@oracle
def NERR10(query, p=0.9, min_rel=0, max_rel=0, of="EU"):
    return cwl(query, by_rank(lambda i, g, total: p * (1 - g)), min_rel, max_rel, of)


@oracle
def NERR11(query, T=1.0, min_rel=0, max_rel=0, of="EU"):
    def chance(i, g, total):
        return ((i + 2 * T - 1) / (i + 2 * T)) ** 2 * (1 - g)

    return cwl(query, by_rank(chance), min_rel, max_rel, of)
