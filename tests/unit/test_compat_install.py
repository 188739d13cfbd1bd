"""treckon in the place of pytrec_eval: `install` and `uninstall`, the command that runs programs, and code that calls
pytrec_eval as the libraries do, unchanged."""

import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from peers_input import JUDGED, RETRIEVED
from treckon import compat
from treckon.compat import __main__ as command
from treckon.compat import beir, mteb
from treckon.compat import pytrec_eval as ours

# As BEIR calls pytrec_eval.
BEIR_STYLE = """
import pytrec_eval


def evaluate(qrels, results, k_values):
    cutoffs = ",".join(str(k) for k in k_values)
    names = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name + "." + cutoffs for name in names.values()})
    scores = evaluator.evaluate(results)
    found = []
    for key, name in names.items():
        means = {}
        for k in k_values:
            total = 0.0
            for query_id in scores.keys():
                total += scores[query_id][name + "_" + str(k)]
            means[f"{key}@{k}"] = round(total / len(scores), 5)
        found.append(means)
    return tuple(found)
"""

# As MTEB calls it: lists of values for each query, and a level and a flag.
MTEB_STYLE = """
from collections import defaultdict

import numpy as np
import pytrec_eval


def evaluate(results, qrels, k_values):
    strings = [f"{name}." + ",".join(map(str, k_values)) for name in ("map_cut", "ndcg_cut", "recall", "P")]
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(strings), relevance_level=1)
    scores = evaluator.evaluate(results)
    lists = defaultdict(list)
    for query_id, row in scores.items():
        for k in k_values:
            lists[f"NDCG@{k}"].append(row[f"ndcg_cut_{k}"])
            lists[f"MAP@{k}"].append(row[f"map_cut_{k}"])
            lists[f"Recall@{k}"].append(row[f"recall_{k}"])
            lists[f"P@{k}"].append(row[f"P_{k}"])
    return scores, {key: round(float(np.mean(values)), 5) for key, values in lists.items()}
"""

# As ir_measures does: it looks for the version, and asks for trec_eval's names.
PROVIDER_STYLE = """
import pytrec_eval

assert hasattr(pytrec_eval, "__version__")


def evaluate(qrels, run):
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, ["P_5", "map", "Rprec", "num_q"], relevance_level=2, judged_docs_only_flag=True
    )
    return evaluator.evaluate(run)
"""


@pytest.fixture(autouse=True)
def left_as_it_was() -> Iterator[None]:
    before = {name: sys.modules.get(name) for name in ("pytrec_eval", "pytrec_eval_ext")}
    yield
    compat.uninstall("pytrec_eval")
    assert {name: sys.modules.get(name) for name in before} == before


def library(source: str) -> Any:
    """Code as of a library that is imported now."""
    module = types.ModuleType("library")
    exec(source, module.__dict__)
    return module


def test_a_beir_style_evaluation_runs_unchanged():
    compat.install("pytrec_eval")
    found = library(BEIR_STYLE).evaluate(JUDGED, RETRIEVED, [1, 3, 10])
    assert found == beir.evaluate(JUDGED, RETRIEVED, [1, 3, 10])
    assert found[0]["NDCG@3"] == 0.41901 and found[0]["NDCG@10"] == 0.41766


def test_an_mteb_style_evaluation_runs_unchanged():
    compat.install("pytrec_eval")
    scores, means = library(MTEB_STYLE).evaluate(RETRIEVED, JUDGED, [1, 3, 10])
    expected = mteb.calculate_retrieval_scores(RETRIEVED, JUDGED, [1, 3, 10])
    assert scores == {
        query: {key: value for key, value in row.items() if not key.startswith("success")}
        for query, row in expected.all_scores.items()
    }
    assert means == {**expected.ndcg, **expected.map, **expected.recall, **expected.precision}
    assert means["MAP@10"] == pytest.approx(0.2811, abs=0.00005)


def test_an_evaluation_in_a_provider_s_style_runs_unchanged():
    compat.install("pytrec_eval")
    found = library(PROVIDER_STYLE).evaluate(JUDGED, RETRIEVED)
    assert found["1"] == {
        "num_q": 1.0,
        "map": pytest.approx((1 + 2 / 2) / 3),
        "Rprec": pytest.approx(2 / 3),
        "P_5": 0.4,
    }


def test_what_is_installed_is_taken_back(monkeypatch: pytest.MonkeyPatch):
    own = types.ModuleType("pytrec_eval")
    monkeypatch.setitem(sys.modules, "pytrec_eval", own)
    monkeypatch.delitem(sys.modules, "pytrec_eval_ext", raising=False)  # of one that is installed
    compat.install("pytrec_eval")
    compat.install("pytrec_eval")  # changes nothing
    assert sys.modules["pytrec_eval"] is sys.modules["pytrec_eval_ext"] is ours
    compat.uninstall("pytrec_eval")
    assert sys.modules["pytrec_eval"] is own and "pytrec_eval_ext" not in sys.modules
    compat.uninstall("pytrec_eval")  # changes nothing
    assert sys.modules["pytrec_eval"] is own


@pytest.mark.parametrize("function", [compat.install, compat.uninstall])
def test_other_libraries_can_not_be_replaced(function: Any):
    with pytest.raises(ValueError, match="^expected a library out of pytrec_eval, found 'numpy'$"):
        function("numpy")


SCRIPT = """
import sys
import pytrec_eval
from beside import NAME
assert pytrec_eval.__name__ == "treckon.compat.pytrec_eval"
evaluator = pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, {"map"})
print(__name__, NAME, sys.argv[1:], evaluator.evaluate({"q": {"d": 1.0}}))
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "treckon.compat", *arguments], cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    for folder in (tmp_path, tmp_path / "inner"):
        (folder / "script.py").write_text(SCRIPT)
        (folder / "beside.py").write_text(f"NAME = {folder.name!r}\n")
    return tmp_path


def test_a_script_is_run(program: Path):
    finished = run(program, "run", "inner/script.py", "-v", "--x", "1")
    assert finished.stderr == ""
    assert finished.stdout == "__main__ inner ['-v', '--x', '1'] {'q': {'map': 1.0}}\n"


def test_a_module_is_run(program: Path):
    finished = run(program, "run", "-m", "script", "-m", "y")
    assert finished.stderr == ""
    assert finished.stdout == f"__main__ {program.name} ['-m', 'y'] {{'q': {{'map': 1.0}}}}\n"


def test_a_missing_script_is_an_error(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stopped:
        command.main(["run", "nowhere.py"])
    assert stopped.value.code == 2
    out, err = capsys.readouterr()
    assert out == "" and err.endswith("expected a script, found no file 'nowhere.py'\n")
