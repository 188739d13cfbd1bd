"""Part of the oracle: the preference measures of one query (spec 02, section 7)."""

import math
from typing import NamedTuple

from oracle_files import Levels

Pair = tuple[int, int]  # the numbers of two documents: the first is preferred to the second


class Group(NamedTuple):
    """A judgement group over numbered documents."""

    pairs: list[Pair]
    relevant: list[int]
    nonrelevant: list[int]
    classes: list[list[int]]  # best class first; empty in the array form (two or more sub-groups)


class Preferences:
    """One query's judgement groups and the numbers of its documents.

    The retrieved judged documents are numbered 0 … retrieved-1 in rank order, the others follow by rising docno (7.2).
    """

    def __init__(self, judgements: Levels, ranking: list[bytes]) -> None:
        judged = {docno for group in judgements.values() for lines in group.values() for docno, _ in lines}
        found = [docno for docno in ranking if docno in judged]
        numbers = {docno: i for i, docno in enumerate(found + sorted(judged - set(found)))}
        self.retrieved = len(found)
        self.groups = []
        for _, subgroups in sorted(judgements.items()):
            numbered = [[(numbers[docno], level) for docno, level in lines] for _, lines in sorted(subgroups.items())]
            self.groups.append(class_form(numbered[0]) if len(numbered) == 1 else array_form(numbered))


def class_form(lines: list[tuple[int, float]]) -> Group:
    """One sub-group (7.3): each document of a higher class is preferred to each of every lower class; repeats count."""
    if len(set(lines)) != len({document for document, _ in lines}):
        raise ValueError("a document has two levels")
    levels = sorted({level for _, level in lines}, reverse=True)
    classes = [sorted(document for document, other in lines if other == level) for level in levels]
    relevant = [document for document, level in lines if level > 0]
    nonrelevant = [document for document, level in lines if not level > 0]
    return Group(class_pairs(classes), sorted(relevant), sorted(nonrelevant), classes)


def class_pairs(classes: list[list[int]]) -> list[Pair]:
    return [(x, y) for i, higher in enumerate(classes) for lower in classes[i + 1 :] for x in higher for y in lower]


def array_form(subgroups: list[list[tuple[int, float]]]) -> Group:
    """Several sub-groups (7.3): the preferences inside each, then the transitive closure over the group."""
    pairs, level_of = set(), {}
    for lines in subgroups:
        lines = sorted(lines, key=lambda line: -line[1])  # of two levels in one sub-group the lower one is kept
        pairs |= {(x, y) for x, higher in lines for y, lower in lines if higher > lower and x != y}
        for document, level in lines:
            if (level_of.get(document, level) == 0) != (level == 0):
                raise ValueError("a document has both level 0 and another")
            level_of[document] = level
    while True:
        implied = {(x, z) for x, y in pairs for also_y, z in pairs if y == also_y} - pairs
        if not implied:
            break
        pairs |= implied
    if any((y, x) in pairs for x, y in pairs):
        raise ValueError("the preferences contradict each other")
    relevant = [document for document, level in level_of.items() if level > 0]
    nonrelevant = [document for document, level in level_of.items() if level == 0]
    return Group(sorted(pairs), sorted(relevant), sorted(nonrelevant), [])


# 7.4 counts


class Counts(NamedTuple):
    """How many preferences are possible, and how many are fulfilled."""

    both: int  # both documents retrieved
    both_fulfilled: int
    one: int  # exactly one retrieved: "implied"
    one_fulfilled: int
    none: int


def fulfilled(pair: Pair, retrieved: int) -> bool:
    """The preferred document was retrieved, and the other one lower or not at all."""
    return pair[0] < pair[1] and pair[0] < retrieved


def count(pairs: list[Pair], retrieved: int) -> Counts:
    both = [pair for pair in pairs if max(pair) < retrieved]
    one = [pair for pair in pairs if min(pair) < retrieved <= max(pair)]
    return Counts(
        len(both),
        len([pair for pair in both if fulfilled(pair, retrieved)]),
        len(one),
        len([pair for pair in one if fulfilled(pair, retrieved)]),
        len(pairs) - len(both) - len(one),
    )


def counts(q: Preferences) -> list[Counts]:
    return [count(group.pairs, q.retrieved) for group in q.groups]


def ratio(fulfilled: int, possible: int) -> float:
    return fulfilled / possible if possible else 0.0


# 7.5 measures. Fractions of one Counts, for all, implied ("imp") and retrieved ("ret") preferences:


def fraction(c: Counts) -> tuple[int, int]:
    return c.both_fulfilled + c.one_fulfilled, c.both + c.one + c.none


def fraction_imp(c: Counts) -> tuple[int, int]:
    return c.both_fulfilled + c.one_fulfilled, c.both + c.one


def fraction_ret(c: Counts) -> tuple[int, int]:
    return c.both_fulfilled, c.both


def total_fraction(q: Preferences, part) -> tuple[int, int]:
    parts = [part(c) for c in counts(q)]
    return sum(f for f, _ in parts), sum(p for _, p in parts)


def num_prefs_poss(q: Preferences) -> int:
    return total_fraction(q, fraction)[1]


def num_prefs_ful(q: Preferences) -> int:
    return total_fraction(q, fraction)[0]


def num_prefs_ful_ret(q: Preferences) -> int:
    return total_fraction(q, fraction_ret)[0]


def simp(q: Preferences) -> float:
    return ratio(*total_fraction(q, fraction))


def simp_imp(q: Preferences) -> float:
    return ratio(*total_fraction(q, fraction_imp))


def simp_ret(q: Preferences) -> float:
    return ratio(*total_fraction(q, fraction_ret))


def mean_over_groups(q: Preferences, part) -> float:
    total = 0.0
    for c in counts(q):
        total += ratio(*part(c))
    return total / len(q.groups)


def avgjg(q: Preferences) -> float:
    return mean_over_groups(q, fraction)


def avgjg_imp(q: Preferences) -> float:
    return mean_over_groups(q, fraction_imp)


def avgjg_ret(q: Preferences) -> float:
    return mean_over_groups(q, fraction_ret)


def mean_over_pairs(q: Preferences, wanted) -> float:
    # C[i][j]: how often i is preferred to j. Over the wanted pairs i < j with C[i][j] + C[j][i] > 0:
    # mean of C[i][j] / (C[i][j] + C[j][i]), 0 if both are unretrieved
    table: dict[Pair, int] = {}
    for group in q.groups:
        for pair in group.pairs:
            table[pair] = table.get(pair, 0) + 1
    total, number = 0.0, 0
    for i, j in sorted({(min(pair), max(pair)) for pair in table}):
        if wanted(i, j):
            number += 1
            if i < q.retrieved:
                kept, broken = table.get((i, j), 0), table.get((j, i), 0)
                total += kept / (kept + broken)
    return total / number if number else 0.0


def pair(q: Preferences) -> float:
    return mean_over_pairs(q, lambda i, j: True)


def pair_imp(q: Preferences) -> float:
    return mean_over_pairs(q, lambda i, j: i < q.retrieved)


def pair_ret(q: Preferences) -> float:
    return mean_over_pairs(q, lambda i, j: j < q.retrieved)


# 7.6 the R-nonrel pair, with the oddities of the reference


def avgjg_rnonrel(q: Preferences) -> float:
    return mean_of_fractions([rnonrel(group, q.retrieved) for group in q.groups])


def avgjg_rnonrel_ret(q: Preferences) -> float:
    return mean_of_fractions([rnonrel_ret(group, q.retrieved) for group in q.groups])


def mean_of_fractions(fractions: list[tuple[int, int]]) -> float:
    """The mean if the sum is positive, else 0; one 0/0 makes the sum NaN and so the value 0."""
    total = 0.0
    for f, q in fractions:
        total += f / q if q else math.nan
    return total / len(fractions) if total > 0 else 0.0


def rnonrel(group: Group, retrieved: int) -> tuple[int, int]:
    rel, nonrel = len(group.relevant), len(group.nonrelevant)
    if rel >= nonrel:
        f, q = fraction(count(group.pairs, retrieved))
        rel_ret = len([document for document in group.relevant if document < retrieved])
        return f + rel_ret * (rel - nonrel), q + rel * (rel - nonrel)
    return limited_fraction(group.pairs, group, group.classes, rel, retrieved)


def rnonrel_ret(group: Group, retrieved: int) -> tuple[int, int]:
    rel = len(group.relevant)
    rel_ret = len([document for document in group.relevant if document < retrieved])
    nonrel_ret = len([document for document in group.nonrelevant if document < retrieved])
    if rel_ret >= nonrel_ret:
        f, q = fraction_ret(count(group.pairs, retrieved))
        return f + rel_ret * (rel_ret - nonrel_ret), q + rel * (rel_ret - nonrel_ret)
    classes = [[document for document in members if document < retrieved] for members in group.classes]
    pairs = [pair for pair in group.pairs if max(pair) < retrieved]
    return limited_fraction(pairs, group, classes, rel_ret if classes else rel, retrieved)


def limited_fraction(
    pairs: list[Pair], group: Group, classes: list[list[int]], limit: int, retrieved: int
) -> tuple[int, int]:
    """Fewer relevant than nonrelevant documents: only the first `limit` nonrelevant ones take part."""
    if classes:
        # the upper classes among themselves, and all documents, also of the lowest class, against its first ones
        *upper, lowest = classes
        considered = class_pairs(upper) + [(x, y) for members in classes for x in members for y in lowest[:limit]]
    else:
        dropped = group.nonrelevant[limit:]
        considered = [(x, y) for x, y in pairs if x not in dropped and y not in dropped]
    return len([pair for pair in considered if fulfilled(pair, retrieved)]), len(considered)
