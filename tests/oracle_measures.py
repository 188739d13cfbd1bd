"""Part of the oracle: the measures of one query over `qrels` and `qrels_jg` judgements (spec 02, sections 5 and 6).

A ranking is a dense list of what was found at each rank; each measure walks it in rank order, as the reference does,
so that every sum is taken in the same order. `sum()` is avoided: since Python 3.12 it compensates rounding errors.
"""

import math
import re

NOT_POOLED = -1  # not in the qrels of this query
UNJUDGED = -2  # in the qrels with a negative grade
FLOOR = 0.00001  # of the geometric means (5.2); also the epsilon of infAP (5.7)

Pairs = list[tuple[str, float]]  # `1=3,p=0.8` -> [("1", 3.0), ("p", 0.8)]


class Query:
    """One query's judgements and ranking.

    `values[k - 1]` is r(k) of spec 02, 1.2: the grade at rank k, NOT_POOLED or UNJUDGED.
    """

    def __init__(
        self,
        judgements: dict[bytes, int],
        ranking: list[bytes],
        release: str,
        level: int = 1,
        judged_only: bool = False,
        collection_size: int = 0,
    ) -> None:
        self.release = release
        self.level = level
        self.collection_size = collection_size
        self.values = [value_of(judgements, docno) for docno in ranking]
        if judged_only:
            self.values = [value for value in self.values if value >= 0]
        self.grades = [grade for grade in judgements.values() if grade >= 0]
        self.n_ret = len(self.values)
        self.n_rel = len([grade for grade in self.grades if grade >= level])  # R
        self.n_nonrel = len(self.grades) - self.n_rel  # N
        self.n_rel_ret = len([value for value in self.values if value >= level])  # m


def value_of(judgements: dict[bytes, int], docno: bytes) -> int:
    if docno not in judgements:
        return NOT_POOLED
    return judgements[docno] if judgements[docno] >= 0 else UNJUDGED


def divide(numerator: float, denominator: float) -> float:
    """Division, and 0 where there is nothing to divide by."""
    return numerator / denominator if denominator != 0 else 0.0


def relevant_by(q: Query, cutoff: int) -> int:
    """rc(c): relevant documents at ranks up to the cutoff."""
    return len([value for value in q.values[:cutoff] if value >= q.level])


# 5.1 counts


def num_ret(q: Query) -> int:
    return q.n_ret


def num_rel(q: Query) -> int:
    return q.n_rel


def num_rel_ret(q: Query) -> int:
    return q.n_rel_ret


def num_nonrel_judged_ret(q: Query) -> int:
    return len([value for value in q.values if 0 <= value < q.level])


# 5.2 average precision


def sum_of_precisions(q: Query, cutoff: int | None = None) -> float:
    """S(c): the precisions at the ranks of relevant documents up to the cutoff, added up."""
    total, found = 0.0, 0
    for k, value in enumerate(q.values[:cutoff], 1):
        if value >= q.level:
            found += 1
            total += found / k
    return total


def average_precision(q: Query) -> float:
    # map = S / R
    return divide(sum_of_precisions(q), q.n_rel)


def average_precision_cut(q: Query, cutoff: int) -> float:
    # map_cut = S(c) / R
    return divide(sum_of_precisions(q, cutoff), q.n_rel)


def log_average_precision(q: Query) -> float:
    # gm_map: ln(max(map, 0.00001)) per query
    return math.log(max(average_precision(q), FLOOR))


def log_floor(q: Query) -> float:
    return math.log(FLOOR)


def yaap(q: Query) -> float:
    # ln((1 + S) / (1 + R - S))
    s = sum_of_precisions(q)
    return math.log((1 + s) / (1 + q.n_rel - s))


def yaap_missing(q: Query) -> float:
    # S = 0
    return math.log(1 / (1 + q.n_rel))


# 5.3 precision and recall at a cutoff


def precision(q: Query, cutoff: int) -> float:
    # rc(c) / c
    return relevant_by(q, cutoff) / cutoff


def recall(q: Query, cutoff: int) -> float:
    # rc(c) / R
    return divide(relevant_by(q, cutoff), q.n_rel)


def relative_precision(q: Query, cutoff: int) -> float:
    # rc(c) / min(c, R)
    return divide(relevant_by(q, cutoff), min(cutoff, q.n_rel))


def success(q: Query, cutoff: int) -> float:
    return 1.0 if relevant_by(q, cutoff) > 0 else 0.0


def unjudged(q: Query, cutoff: int) -> float:
    # unj: (not pooled or unjudged at ranks up to c) / c
    return len([value for value in q.values[:cutoff] if value < 0]) / cutoff


# 5.4 R-precision


def r_precision(q: Query) -> float:
    # rc(R) / R
    return divide(relevant_by(q, q.n_rel), q.n_rel)


def r_precision_multiple(q: Query, multiple: float) -> float:
    # c = truncate(m R + 0.9); rc(c) / c
    cutoff = int(multiple * q.n_rel + 0.9)
    return relevant_by(q, cutoff) / cutoff if cutoff > 0 else 0.0


# 5.5 to 5.8


def reciprocal_rank(q: Query) -> float:
    for k, value in enumerate(q.values, 1):
        if value >= q.level:
            return 1 / k
    return 0.0


def bpref(q: Query) -> float:
    # (1/R) sum over relevant retrieved of 1 - min(b, R) / min(N, R), b = judged nonrelevant above
    total, nonrelevant = 0.0, 0
    for value in q.values:
        if value >= q.level:
            total += 1.0 if nonrelevant == 0 else 1.0 - min(nonrelevant, q.n_rel) / min(q.n_nonrel, q.n_rel)
        elif value >= 0:
            nonrelevant += 1
    return divide(total, q.n_rel)


def log_bpref(q: Query) -> float:
    # gm_bpref
    return math.log(max(bpref(q), FLOOR))


def inferred_average_precision(q: Query) -> float:
    # relevant at rank k: 1/k + ((k-1)/k) ((r+b+u)/(k-1)) ((r+e)/(r+b+2e)), at rank 1: 1
    total = 0.0
    r = b = u = 0  # above k: relevant, judged nonrelevant, pooled but unjudged
    for k, value in enumerate(q.values, 1):
        if value >= q.level:
            if k == 1:
                total += 1.0
            else:
                total += 1 / k + ((k - 1) / k) * ((r + b + u) / (k - 1)) * ((r + FLOOR) / (r + b + 2 * FLOOR))
            r += 1
        elif value >= 0:
            b += 1
        elif value == UNJUDGED:
            u += 1
    return divide(total, q.n_rel)


def relevant_needed(q: Query, point: float) -> int:
    """t(p): how many relevant documents make the recall p."""
    x = point * q.n_rel
    if q.release == "9.0.8":
        return int(x + 0.9)
    nearest = int(x)  # C's lround: halves away from zero
    if abs(x - nearest) >= 0.5:
        nearest += 1 if x > 0 else -1
    return nearest


def interpolated_precision(q: Query, point: float) -> float:
    # the best precision at any rank from that of the t-th relevant document on; 0 without such a rank (D4)
    needed, best, found = relevant_needed(q, point), 0.0, 0
    for k, value in enumerate(q.values, 1):
        if value >= q.level:
            found += 1
        if found >= needed:
            best = max(best, found / k)
    return best


def eleven_point_average(q: Query, points: list[float]) -> float:
    # mean over the points in any order (D23), added from the last to the first
    total = 0.0
    for point in reversed(points):
        total += interpolated_precision(q, point)
    return total / len(points)


# 5.9 sets


def set_precision(q: Query) -> float:
    # m / n
    return divide(q.n_rel_ret, q.n_ret)


def set_recall(q: Query) -> float:
    # m / R
    return divide(q.n_rel_ret, q.n_rel)


def set_relative_precision(q: Query) -> float:
    # m / min(n, R)
    return divide(q.n_rel_ret, min(q.n_ret, q.n_rel))


def set_average_precision(q: Query) -> float:
    # m^2 / (n R)
    return divide(q.n_rel_ret * q.n_rel_ret, q.n_ret * q.n_rel)


def set_f(q: Query, values: list[float]) -> float:
    # (x+1) P R' / (x P + R')
    x, p, r = values[0], set_precision(q), set_recall(q)
    return divide((x + 1) * p * r, x * p + r)


# 5.10, 5.11


def utility(q: Query, values: list[float]) -> float:
    # p1 m + p2 (n-m) + p3 (R-m) + p4 (Nd + m - n - R)
    p1, p2, p3, p4 = values
    m, n, r = q.n_rel_ret, q.n_ret, q.n_rel
    return p1 * m + p2 * (n - m) + p3 * (r - m) + p4 * (q.collection_size + m - n - r)


def relstring(q: Query, values: list[float]) -> str:
    length = max(int(values[0]), 0)
    return "".join({NOT_POOLED: "-", UNJUDGED: "."}.get(v, str(v) if v <= 9 else ">") for v in q.values[:length])


# 5.12 gains


class Entry:
    """A line of the gain table: how many judged documents have the level."""

    def __init__(self, level: int, gain: float, count: int) -> None:
        self.level, self.gain, self.count = level, gain, count


def gain_table(q: Query, pairs: Pairs) -> list[Entry]:
    """The given pairs, then the levels without one (gain = level), in exact rising order of gain (D5)."""
    table = []
    for key, gain in pairs:
        if re.fullmatch("[+-]?[0-9]+", key):
            table.append(Entry(int(key), gain, 0))
        elif q.release == "9.0.8":  # C's atol: the integer at the start, else 0 (section 2)
            start = re.match("[ \t]*([+-]?[0-9]+)", key)
            table.append(Entry(int(start.group(1)) if start else 0, gain, 0))
    for level in range(max(q.grades, default=-1) + 1):
        count = q.grades.count(level)
        same = [entry for entry in table if entry.level == level]
        if same:
            same[0].count = count
        else:
            table.append(Entry(level, float(level), count))
    return sorted(table, key=lambda entry: entry.gain)


def gain(table: list[Entry], value: int) -> float:
    """Gain of a retrieved document: the first entry with its level."""
    for entry in table:
        if entry.level == value:
            return entry.gain
    return 0.0


def gains(q: Query, pairs: Pairs) -> list[float]:
    table = gain_table(q, pairs)
    return [gain(table, value) for value in q.values]


def ideal_gains(q: Query, pairs: Pairs) -> list[float]:
    """I(1), I(2), …: positive gains of all judged documents, falling."""
    ideal = []
    for entry in reversed(gain_table(q, pairs)):
        if entry.gain > 0:
            ideal += [entry.gain] * entry.count
    return ideal


def discounted_sums(of: list[float]) -> list[float]:
    """DCG(0), DCG(1), …: DCG(k) = sum over i <= k of gain(i) / log2(i + 1)"""
    sums = [0.0]
    for i, one in enumerate(of, 1):
        sums.append(sums[-1] + one / math.log2(i + 1))
    return sums


# 5.13 to 5.16


def dcg(q: Query, pairs: Pairs) -> float:
    return discounted_sums(gains(q, pairs))[-1]


def ideal_dcg(q: Query, pairs: Pairs) -> float:
    return discounted_sums(ideal_gains(q, pairs))[-1]


def ndcg(q: Query, pairs: Pairs) -> float:
    return divide(dcg(q, pairs), ideal_dcg(q, pairs))


def ndcg_cut(q: Query, cutoff: int) -> float:
    # linear gains, ideal of the c best judgements
    found = discounted_sums([max(value, 0) for value in q.values[:cutoff]])[-1]
    ideal = discounted_sums(sorted(q.grades, reverse=True)[:cutoff])[-1]
    return divide(found, ideal)


def ndcg_rel(q: Query, pairs: Pairs) -> float:
    # mean over the ideal documents: DCG(k)/IDCG(min(k, L)) where one of them was found, else DCG(n)/IDCG(L)
    own_gains, ideal = gains(q, pairs), ideal_gains(q, pairs)
    found, best, length = discounted_sums(own_gains), discounted_sums(ideal), len(ideal)
    if length == 0:
        return 0.0
    total, missing = 0.0, length
    for k, one in enumerate(own_gains, 1):
        if one > 0:
            total += found[k] / best[min(k, length)]
            missing -= 1
    total += missing * found[-1] / best[-1]  # in the order that the reference rounds in
    return total / length if total > 0 else 0.0


def r_ndcg(q: Query, pairs: Pairs) -> float:
    # Rndcg: mean of nDCG after each run of equal ideal gains, and once more at n >= L + 2
    found, ideal = discounted_sums(gains(q, pairs)), ideal_gains(q, pairs)
    best, length, n = discounted_sums(ideal), len(ideal), q.n_ret
    if q.n_rel == 0:
        return 0.0
    points, total = 0, 0.0
    for k in range(1, length + 1):
        if k == length or ideal[k - 1] != ideal[k]:
            total += found[min(k, n)] / best[k]
            points += 1
    if length > 0 and n >= length + 2:
        total += found[n] / best[length]
        points += 1
    return divide(total, points)  # no point: 0 (D4)


# 5.17


def bin_g(q: Query) -> float:
    # (1/R) sum over relevant k of 1 / log2(2 + w), w = not relevant above k
    total, nonrelevant = 0.0, 0
    for value in q.values:
        if value >= q.level:
            total += 1 / math.log2(2 + nonrelevant)
        else:
            nonrelevant += 1
    return divide(total, q.n_rel)


def g(q: Query, pairs: Pairs) -> float:
    # (1 / sum of I) sum over k of gain(k) / log2(2 + C(k) - A(k)), C: cost max(I(k), 1) so far, A: gains so far
    ideal = ideal_gains(q, pairs)
    total = cost = result = 0.0
    for k, one in enumerate(gains(q, pairs), 1):
        cost += max(ideal[k - 1], 1.0) if k <= len(ideal) else 1.0
        result += one
        if one != 0:
            total += over_log2(one, 2 + cost - result)
    best = 0.0
    for one in ideal:
        best += one
    return total / best if best > 0 else 0.0


def over_log2(numerator: float, x: float) -> float:
    """numerator / log2(x), 0 where there is no logarithm or it is 0 (E4)."""
    return 0.0 if x <= 0 or x == 1 else numerator / math.log2(x)


# 5.18, 5.19


def persistence(pairs: Pairs) -> float:
    p = 0.9
    for key, value in pairs:
        if key == "p":
            p = value
    return p


def rbp(q: Query, pairs: Pairs) -> float:
    # (1-p) sum of gain(k) p^(k-1); the table's gains scaled into 0..1 if one lies outside; low, high start at 0 (D22)
    p, table = persistence(pairs), gain_table(q, pairs)
    low = min([0.0] + [entry.gain for entry in table])
    high = max([0.0] + [entry.gain for entry in table])
    if low < 0 or high > 1:
        for entry in table:
            entry.gain = (entry.gain - low) / (high - low)
    total, weight = 0.0, 1.0
    for value in q.values:
        total += gain(table, value) * weight
        weight *= p
    return (1 - p) * total


def rbp_resid(q: Query, pairs: Pairs) -> float:
    # p^n + (1-p) sum over ranks without a judgement of p^(k-1); 0 if there are none
    p = persistence(pairs)
    total, weight, holes = 0.0, 1.0, 0
    for value in q.values:
        if value < 0:
            total += weight
            holes += 1
        weight *= p
    return weight + (1 - p) * total if holes else 0.0


# 6 judgement groups: the mean over a query's groups, in the order of their ids


def over_groups(measure):
    def mean(groups: list[Query], *parameter):
        total = 0.0
        for q in groups:
            total += measure(q, *parameter)
        return total / len(groups)

    return mean


map_avgjg = over_groups(average_precision)
precision_avgjg = over_groups(precision)
r_precision_multiple_avgjg = over_groups(r_precision_multiple)
