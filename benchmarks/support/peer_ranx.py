"""Parse and evaluate with ranx, as a user's script would, and print the means like trec_eval's summary.

Usage: python peer_ranx.py QRELS RUN MEASURE...
"""

import sys

from ranx import Qrels, Run, evaluate

MEASURES = {"map": "map", "ndcg_cut_10": "ndcg@10", "recip_rank": "mrr"}


def main() -> None:
    """Read both files, evaluate, print."""
    qrels_path, run_path, *names = sys.argv[1:]
    qrels, run = Qrels.from_file(qrels_path, kind="trec"), Run.from_file(run_path, kind="trec")
    values = evaluate(qrels, run, [MEASURES[name] for name in names], make_comparable=True)
    for name in names:
        print(f"{name}\tall\t{values[MEASURES[name]]}")


if __name__ == "__main__":
    main()
