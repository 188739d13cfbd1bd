"""Parse and evaluate with pytrec_eval, as a user's script would, and print the means like trec_eval's summary.

Usage: python peer_pytrec_eval.py QRELS RUN MEASURE...

Writes the seconds of parsing and evaluating alone, without the start, averaging and the end, to stderr.
"""

import sys
import time

import pytrec_eval


def means(per_query: dict[str, dict[str, float]]) -> dict[str, float]:
    """Averages (sums of the counts, geometric means) over queries, from what an evaluator returned."""
    names = next(iter(per_query.values()))
    return {
        name: pytrec_eval.compute_aggregated_measure(name, [values[name] for values in per_query.values()])
        for name in names
        if name not in ("runid", "relstring")
    }


def main() -> None:
    """Read both files, evaluate, average, print."""
    qrels_path, run_path, *measures = sys.argv[1:]
    start = time.perf_counter()
    with open(qrels_path) as qrels, open(run_path) as run:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), measures)
        per_query = evaluator.evaluate(pytrec_eval.parse_run(run))
    print(time.perf_counter() - start, file=sys.stderr)
    for name, value in means(per_query).items():
        print(f"{name}\tall\t{value}")


if __name__ == "__main__":
    main()
