"""Parse and evaluate with ir_measures, as a user's script would, and print the means like trec_eval's summary.

Usage: python peer_ir_measures.py QRELS RUN MEASURE...
"""

import sys

import ir_measures
from ir_measures import AP, RR, nDCG

MEASURES = {"map": AP, "ndcg_cut_10": nDCG @ 10, "recip_rank": RR}


def main() -> None:
    """Read both files, evaluate, print."""
    qrels_path, run_path, *names = sys.argv[1:]
    qrels, run = ir_measures.read_trec_qrels(qrels_path), ir_measures.read_trec_run(run_path)
    values = ir_measures.calc_aggregate([MEASURES[name] for name in names], qrels, run)
    for name in names:
        print(f"{name}\tall\t{values[MEASURES[name]]}")


if __name__ == "__main__":
    main()
