"""How much faster is treckon on arrays with integer ids than ranx with its kernels compiled and warm?

The marco shape. treckon gets three columns: query ids, document ids and scores, one row a document. ranx gets what it
is fastest with: Qrels and Run objects that were built (and their ids hashed) beforehand, with queries that it trusts
to be the same or compares first (`make_comparable`); and, as a lower bound, plain arrays of ids and scores, which it
takes to be sorted by score and paired by position.
"""

import warnings
from functools import partial

import numpy as np
import ranx
from support import harness, shapes, treckon_calls

NAMES = {"map": "map", "ndcg@10": "ndcg_cut_10", "mrr": "recip_rank"}  # ranx's and trec_eval's
OURS, MADE = "treckon, evaluate", "treckon, make evaluator"
TRUSTED, COMPARED, SORTED = "ranx, Run object", "ranx, Run object, make_comparable", "ranx, sorted and paired arrays"


def main() -> None:
    """Measure treckon on columns and ranx on its objects and on arrays."""
    options = harness.parser(__doc__).parse_args()
    warnings.simplefilter("ignore")  # numba's, about ranx's types
    report = harness.Report(__doc__, options)
    data = shapes.build(shapes.MARCO)
    qrels_columns = treckon_calls.columns(*shapes.qrels_columns(data))
    run_columns = treckon_calls.columns(*shapes.run_columns(data))
    evaluator = treckon_calls.evaluator(qrels_columns, NAMES.values())
    qrels, run = (
        make(ids) for make, ids in zip((ranx.Qrels, ranx.Run), shapes.as_dicts(shapes.MARCO, data), strict=True)
    )
    qrels_array = np.stack([data.judged, data.grades], axis=2)
    run_array = np.stack([data.documents, data.scores], axis=2)

    tasks = {
        OURS: partial(harness.call, treckon_calls.means, evaluator, run_columns),
        TRUSTED: partial(harness.call, by_ranx, qrels, run),
        COMPARED: partial(harness.call, by_ranx, qrels, run, True),
        SORTED: partial(harness.call, by_ranx, qrels_array, run_array),
    }
    for task in tasks.values():
        task()  # compiles
    samples = report.measure(options.repeat, tasks, often=3)
    report.timing(
        MADE,
        [harness.call(treckon_calls.evaluator, qrels_columns, NAMES.values()) for _ in range(options.repeat)],
    )
    for label in tasks:
        harness.assert_equal(samples[label][0].answer, samples[TRUSTED][0].answer)
    for other, floor in ((TRUSTED, 5), (COMPARED, None), (SORTED, None)):
        report.faster("marco from arrays with integer ids", OURS, other, floor)
    report.save()


def by_ranx(qrels: object, run: object, make_comparable: bool = False) -> dict[str, float]:
    """Means by trec_eval's names."""
    means = ranx.evaluate(qrels, run, list(NAMES), make_comparable=make_comparable)
    return {NAMES[name]: float(mean) for name, mean in means.items()}


if __name__ == "__main__":
    main()
