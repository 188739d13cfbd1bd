"""Preferences that can't be evaluated, in words: which lines of a judgement file say what."""

from __future__ import annotations

import os
from array import array
from collections import deque

from treckon._native.numbers import real_prefix
from treckon.errors import shortened
from treckon.releases import RELEASE_9

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class PreferenceLine:
    """A line of the group that can't be evaluated."""

    __slots__ = ("docno", "level", "level_text", "number", "subgroup")

    def __init__(self, number: int, subgroup: bytes, docno: bytes, level: bytes, release: str) -> None:
        self.number = number
        self.subgroup = subgroup
        self.docno = docno
        self.level_text = os.fsdecode(level)
        value: float = real_prefix(self.level_text)[0]
        self.level = array("f", [value])[0] if release == RELEASE_9 else value


Preference = tuple[PreferenceLine, PreferenceLine]  # the first is preferred to the second


def describe(kind: str, docno: bytes, where: str, lines: Sequence[PreferenceLine]) -> tuple[int, str]:
    """The number of the line that a message begins with, and what the message says.

    kind:  of `Prefs.fault`
    docno: the document at fault
    where: "query 'q' and group 'g'"
    lines: all of that group
    """
    if kind == "contradiction":
        return _describe_circle(_shortest_circle(docno, lines), where)
    own = [line for line in lines if line.docno == docno]
    if kind == "two levels":
        expected = "one level for a document in a sub-group"
        other = next(line for line in own if line.level != own[0].level)
    else:
        expected = "level 0 for a document in all sub-groups of a group or in none"
        other = next(line for line in own if (line.level == 0.0) != (own[0].level == 0.0))
    return other.number, (
        f"expected {expected}, found document '{shortened(docno)}' of {where} at level {shortened(other.level_text)}, "
        f"and at level {shortened(own[0].level_text)} on line {own[0].number}"
    )


def _describe_circle(circle: list[Preference], where: str) -> tuple[int, str]:
    circle_text = ", ".join(
        f"'{shortened(upper.docno)}' over '{shortened(lower.docno)}' "
        f"(lines {min(upper.number, lower.number)} and {max(upper.number, lower.number)})"
        for upper, lower in circle
    )
    last = max(line.number for preference in circle for line in preference)
    return last, f"expected preferences that agree within a group, found in {where}: {circle_text}"


def _shortest_circle(docno: bytes, lines: Sequence[PreferenceLine]) -> list[Preference]:
    """The fewest preferences that lead from a document to itself; there are some."""
    by_docno: dict[bytes, list[PreferenceLine]] = {}
    by_subgroup: dict[bytes, list[PreferenceLine]] = {}
    for line in lines:
        by_docno.setdefault(line.docno, []).append(line)
        by_subgroup.setdefault(line.subgroup, []).append(line)

    reached_by: dict[bytes, Preference] = {}
    waiting = deque([docno])
    while docno not in reached_by:
        for upper in by_docno[waiting.popleft()]:
            for lower in by_subgroup[upper.subgroup]:
                if lower.level < upper.level and lower.docno != upper.docno and lower.docno not in reached_by:
                    reached_by[lower.docno] = upper, lower
                    waiting.append(lower.docno)
    circle = [reached_by[docno]]
    while circle[0][0].docno != docno:
        circle.insert(0, reached_by[circle[0][0].docno])
    return circle
