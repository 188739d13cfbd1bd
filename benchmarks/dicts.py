"""How much faster is treckon than pytrec_eval on dicts of dicts, in one process?

The marco shape as Python dicts, built once. Making the evaluator from the qrels is timed on its own.
"""

from functools import partial

import pytrec_eval
from support import harness, shapes, treckon_calls
from support.peer_pytrec_eval import means

MEASURES = {"map", "ndcg_cut_10", "recip_rank"}
OURS, PEER = "treckon, evaluate", "pytrec_eval, evaluate"
OURS_MADE, PEER_MADE = "treckon, make evaluator", "pytrec_eval, make evaluator"


def main() -> None:
    """Measure both evaluators on the same dicts."""
    options = harness.parser(__doc__).parse_args()
    report = harness.Report(__doc__, options)
    qrels, run = shapes.as_dicts(shapes.MARCO, shapes.build(shapes.MARCO))
    ours = treckon_calls.evaluator(qrels, MEASURES)
    peer = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)

    for label, make in ((OURS_MADE, treckon_calls.evaluator), (PEER_MADE, pytrec_eval.RelevanceEvaluator)):
        report.timing(label, [harness.call(make, qrels, MEASURES) for _ in range(options.repeat)])
    samples = report.measure(
        options.repeat,
        {
            OURS: partial(harness.call, treckon_calls.means, ours, run),
            PEER: partial(harness.call, peer.evaluate, run),
        },
        often=3,
    )
    harness.assert_equal(samples[OURS][0].answer, means(samples[PEER][0].answer))
    report.faster("marco from dicts", OURS, PEER, at_least=10)
    report.faster("marco's qrels from dicts", OURS_MADE, PEER_MADE)
    report.save()


if __name__ == "__main__":
    main()
