"""How fast are many runs scored against one set of judgements?

Twenty runs of the robust shape. treckon reads the qrels once (`treckon.Evaluator`) and then one run after another;
pytrec_eval parses the qrels once and then parses and evaluates each run; `trec_eval` is started for each run.
"""

from functools import partial
from pathlib import Path

import pytrec_eval
from support import harness, shapes, treckon_calls
from support.peer_pytrec_eval import means

RUNS = 20
MEASURES = ("map", "P", "ndcg", "recip_rank")
OURS, PROCESSES, PEER = "treckon.Evaluator", "treckon, a process a run", "pytrec_eval"

Means = list[dict[str, float]]


def by_treckon(qrels: Path, runs: list[Path]) -> Means:
    """Means of each run."""
    evaluator = treckon_calls.evaluator(qrels, MEASURES)
    return [treckon_calls.means(evaluator, run) for run in runs]


def by_pytrec_eval(qrels: Path, runs: list[Path]) -> Means:
    """Means of each run."""
    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), MEASURES)
    found = []
    for run in runs:
        with run.open() as file:
            found.append(means(evaluator.evaluate(pytrec_eval.parse_run(file))))
    return found


def by_processes(program: Path, qrels: Path, runs: list[Path]) -> harness.Sample:
    """The sum of the times, and the means of each run in 4 decimals."""
    measures = [option for name in MEASURES for option in ("-m", name)]
    samples = [harness.run_process(program, *measures, qrels, run) for run in runs]
    return harness.Sample(
        sum(sample.seconds for sample in samples), [harness.summary(sample.answer) for sample in samples]
    )


def main() -> None:
    """Measure the three ways."""
    options = harness.parser(__doc__, repeat=3).parse_args()
    report = harness.Report(__doc__, options)
    qrels, runs = shapes.runs(shapes.ROBUST, options.data, RUNS)
    harness.warm(qrels, *runs)
    samples = report.measure(
        options.repeat,
        {
            OURS: partial(harness.call, by_treckon, qrels, runs),
            PROCESSES: partial(by_processes, options.program, qrels, runs),
            PEER: partial(harness.call, by_pytrec_eval, qrels, runs),
        },
    )
    for label, tolerance in ((OURS, 1e-9), (PROCESSES, harness.PRINTED)):
        for found, expected in zip(samples[label][0].answer, samples[PEER][0].answer, strict=True):
            harness.assert_equal(found, expected, tolerance)
    for other in (PEER, PROCESSES):
        report.faster(f"{RUNS} runs of robust's size against one qrels", OURS, other)
    report.save()


if __name__ == "__main__":
    main()
