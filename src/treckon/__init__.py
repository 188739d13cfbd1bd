"""treckon: scores ranked retrieval runs against relevance judgements.

`evaluate` scores one run; an `Evaluator` many runs against the same judgements. Measures are asked for by text
("nDCG@10", "AP(rel=2)", "ndcg_cut_10") or made with `parse`; `define` makes one of a Python function.
"""

from __future__ import annotations

from treckon import errors
from treckon.lazy import public_names

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
    from treckon.analysis.checking import check_qrels, check_run
    from treckon.analysis.compared_runs import Comparison
    from treckon.analysis.comparison import compare, compare_evaluations
    from treckon.analysis.crosschecking import CrossCheck, crosscheck
    from treckon.analysis.gating import gate
    from treckon.analysis.leaderboards import Leaderboard, leaderboard
    from treckon.evaluation.conventions import Conventions
    from treckon.evaluation.evaluator import Evaluator, evaluate
    from treckon.evaluation.own_measures import RankingView, define
    from treckon.evaluation.results import Evaluation
    from treckon.inputs import write_qrels, write_run
    from treckon.inputs.mappings import read_qrels, read_run
    from treckon.naming.syntax import Measure, parse, parse_all

# Public names are imported when they are first used, so that `import treckon` costs nothing.
_HOMES = {
    "Comparison": "treckon.analysis.compared_runs",
    "Conventions": "treckon.evaluation.conventions",
    "CrossCheck": "treckon.analysis.crosschecking",
    "Evaluation": "treckon.evaluation.results",
    "Evaluator": "treckon.evaluation.evaluator",
    "Leaderboard": "treckon.analysis.leaderboards",
    "Measure": "treckon.naming.syntax",
    "RankingView": "treckon.evaluation.own_measures",
    "check_qrels": "treckon.analysis.checking",
    "check_run": "treckon.analysis.checking",
    "compare": "treckon.analysis.comparison",
    "compare_evaluations": "treckon.analysis.comparison",
    "crosscheck": "treckon.analysis.crosschecking",
    "define": "treckon.evaluation.own_measures",
    "evaluate": "treckon.evaluation.evaluator",
    "gate": "treckon.analysis.gating",
    "leaderboard": "treckon.analysis.leaderboards",
    "parse": "treckon.naming.syntax",
    "parse_all": "treckon.naming.syntax",
    "read_qrels": "treckon.inputs.mappings",
    "read_run": "treckon.inputs.mappings",
    "write_qrels": "treckon.inputs",
    "write_run": "treckon.inputs",
}


__getattr__, __dir__ = public_names("treckon", _HOMES)
