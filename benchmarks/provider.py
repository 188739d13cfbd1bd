"""How much faster is ir_measures with treckon as its provider than with its own?

Three measures of the marco shape, by ir_measures.calc_aggregate, in one process: from files (read_trec_qrels and
read_trec_run), from lists of named tuples and from dicts of dicts.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import ir_measures
from ir_measures import AP, RR, Qrel, ScoredDoc, nDCG
from support import harness, shapes, treckon_calls

MEASURES = [AP, nDCG @ 10, RR]


def main() -> None:
    """Measure both providers on the three forms."""
    options = harness.parser(__doc__, repeat=3).parse_args()
    report = harness.Report(__doc__, options)
    files = shapes.files(shapes.MARCO, options.data)
    harness.warm(*files)
    dicts = shapes.as_dicts(shapes.MARCO, shapes.build(shapes.MARCO))
    rows = (
        [Qrel(query, document, grade) for query, judged in dicts[0].items() for document, grade in judged.items()],
        [ScoredDoc(query, document, score) for query, found in dicts[1].items() for document, score in found.items()],
    )

    def readers() -> tuple[Any, Any]:
        return ir_measures.read_trec_qrels(str(files.qrels)), ir_measures.read_trec_run(str(files.run))

    forms: dict[str, Callable[[], tuple[Any, Any]]] = {
        "files": readers,
        "named tuples": lambda: rows,
        "dicts": lambda: dicts,
    }
    for name, form in forms.items():
        ours, other = f"treckon's provider, {name}", f"ir_measures' own, {name}"
        samples = report.measure(
            options.repeat,
            {
                ours: partial(harness.call, treckon_calls.ir_measures_means, MEASURES, form),
                other: partial(harness.call, means, form),
            },
            often=3,
        )
        harness.assert_equal(samples[ours][0].answer, samples[other][0].answer)
        report.faster(f"marco, ir_measures from {name}", ours, other, at_least=5)
    report.save()


def means(form: Callable[[], tuple[Any, Any]]) -> dict[str, float]:
    """Means by ir_measures' own providers."""
    return {repr(measure): value for measure, value in ir_measures.calc_aggregate(MEASURES, *form()).items()}


if __name__ == "__main__":
    main()
