"""treckon: scores ranked retrieval runs against relevance judgements.

`evaluate` scores one run; an `Evaluator` many runs against the same judgements. Measures are asked for by text
("nDCG@10", "AP(rel=2)", "ndcg_cut_10") or made with `parse`; `define` makes one of a Python function.
"""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Conventions",
    "CrossCheck",
    "Evaluation",
    "Evaluator",
    "Leaderboard",
    "Measure",
    "RankingView",
    "check_qrels",
    "check_run",
    "compare",
    "compare_evaluations",
    "crosscheck",
    "define",
    "errors",
    "evaluate",
    "gate",
    "leaderboard",
    "parse",
    "parse_all",
    "read_qrels",
    "read_run",
    "write_qrels",
    "write_run",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treckon import errors
    from treckon.checking import check_qrels, check_run
    from treckon.comparison import Comparison, compare, compare_evaluations
    from treckon.conventions import Conventions
    from treckon.crosschecking import CrossCheck, crosscheck
    from treckon.evaluator import Evaluator, evaluate
    from treckon.gating import gate
    from treckon.inputs import write_qrels, write_run
    from treckon.leaderboards import Leaderboard, leaderboard
    from treckon.mappings import read_qrels, read_run
    from treckon.own_measures import RankingView, define
    from treckon.results import Evaluation
    from treckon.syntax import Measure, parse, parse_all

# Public names are imported when they are first used, so that `import treckon` costs nothing.
_HOMES = {
    "Comparison": "treckon.comparison",
    "Conventions": "treckon.conventions",
    "CrossCheck": "treckon.crosschecking",
    "Evaluation": "treckon.results",
    "Evaluator": "treckon.evaluator",
    "Leaderboard": "treckon.leaderboards",
    "Measure": "treckon.syntax",
    "RankingView": "treckon.own_measures",
    "check_qrels": "treckon.checking",
    "check_run": "treckon.checking",
    "compare": "treckon.comparison",
    "compare_evaluations": "treckon.comparison",
    "crosscheck": "treckon.crosschecking",
    "define": "treckon.own_measures",
    "errors": "treckon",
    "evaluate": "treckon.evaluator",
    "gate": "treckon.gating",
    "leaderboard": "treckon.leaderboards",
    "parse": "treckon.syntax",
    "parse_all": "treckon.syntax",
    "read_qrels": "treckon.mappings",
    "read_run": "treckon.mappings",
    "write_qrels": "treckon.inputs",
    "write_run": "treckon.inputs",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'treckon' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    found = import_module("treckon.errors") if name == "errors" else getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
