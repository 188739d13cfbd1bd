"""How much faster is treckon in the place of pytrec_eval, called in the same way on the same dicts?

The marco shape as Python dicts, built once. Both return a dict of values for each query; they must be equal. Making
the evaluator from the qrels is timed on its own, on the marco shape and on the robust shape with its many judgements.
"""

from functools import partial
from typing import Any

import pytrec_eval
from support import harness, shapes, treckon_calls

MEASURES = {"map", "ndcg_cut_10", "recip_rank"}
OURS, PEER = "treckon.compat.pytrec_eval, evaluate", "pytrec_eval, evaluate"
OURS_ALL, PEER_ALL = "treckon.compat.pytrec_eval, evaluate all_trec", "pytrec_eval, evaluate all_trec"
OURS_MADE, PEER_MADE = "treckon.compat.pytrec_eval, make evaluator", "pytrec_eval, make evaluator"


def without_runid(values: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The values but for one: pytrec_eval returns memory there that nobody has written."""
    return {query: {key: value for key, value in row.items() if key != "runid"} for query, row in values.items()}


def compare(report: harness.Report, repeat: int, run: Any, ours: Any, peer: Any, labels: tuple[str, str]) -> None:
    """Time both evaluators in turns, and refuse values that differ in any bit."""
    samples = report.measure(
        repeat,
        {labels[0]: partial(harness.call, ours.evaluate, run), labels[1]: partial(harness.call, peer.evaluate, run)},
        often=3,
    )
    if without_runid(samples[labels[0]][0].answer) != without_runid(samples[labels[1]][0].answer):
        raise SystemExit("the values differ")


def main() -> None:
    """Measure both evaluators on the same dicts."""
    options = harness.parser(__doc__).parse_args()
    report = harness.Report(__doc__, options)
    make = treckon_calls.pytrec_eval_evaluator
    qrels, run = shapes.as_dicts(shapes.MARCO, shapes.build(shapes.MARCO))
    for name, judgements in (
        ("marco", qrels),
        ("robust", shapes.as_dicts(shapes.ROBUST, shapes.build(shapes.ROBUST))[0]),
    ):
        for label, one in ((OURS_MADE, make), (PEER_MADE, pytrec_eval.RelevanceEvaluator)):
            samples = [harness.call(one, judgements, MEASURES) for _ in range(options.repeat)]
            report.timing(f"{label}, {name}", samples)
    for measures, labels in ((MEASURES, (OURS, PEER)), ({"all_trec"}, (OURS_ALL, PEER_ALL))):
        evaluators = make(qrels, measures), pytrec_eval.RelevanceEvaluator(qrels, measures)
        compare(report, options.repeat, run, *evaluators, labels)
    report.faster("marco from dicts, by pytrec_eval's interface", OURS, PEER, at_least=10)
    report.faster("marco from dicts, by pytrec_eval's interface, all_trec", OURS_ALL, PEER_ALL)
    for name in ("marco", "robust"):
        what = f"{name}'s qrels from dicts, by pytrec_eval's interface"
        report.faster(what, f"{OURS_MADE}, {name}", f"{PEER_MADE}, {name}")
    report.save()


if __name__ == "__main__":
    main()
