from collections.abc import Iterable
from typing import Any

from treckon._native.ranking import Kernel
from treckon.measures.parameters import Parameters

class Plan:
    n_values: int
    n_texts: int
    needs_ranking: bool
    needs_subtopics: bool
    needs_holes: bool
    reports_ties: bool
    refuses_unjudged: bool
    keeps_rankings: bool
    release_9: bool

    def __new__(
        cls,
        values: Iterable[tuple[Kernel | None, Parameters, bool, float | None]],
        *,
        level: int = 1,
        depth: int | None = None,
        condensed: bool = False,
        n_docs: int = 0,
        release_9: bool = False,
        highest_grade: int = 0,
        gain: Any = "linear",
        discount: Any = "log2",
        ties: str = "trec",
        seed: int = 0,
        repeats: str = "error",
        ignores_self: bool = False,
        refuses_unjudged: bool = False,
        reports_ties: bool = False,
        keeps_rankings: bool = False,
    ) -> Plan: ...
