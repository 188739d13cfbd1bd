"""How long do the other evaluators take for the same three measures on the same files?

map, nDCG@10 and the reciprocal rank of the marco shape, as a process from the start to the printed means. ranx
compiles its kernels in every process: the tiny shape shows how much of its time that is.
"""

from functools import partial

from support import harness, shapes

MEASURES = ["map", "ndcg_cut_10", "recip_rank"]
OURS = "treckon, 2 threads"
PEERS = ("pytrec_eval", "ir_measures", "ranx")


def main() -> None:
    """Measure every evaluator."""
    options = harness.parser(__doc__, repeat=1).parse_args()
    report = harness.Report(__doc__, options)
    marco, tiny = (shapes.files(shape, options.data) for shape in (shapes.MARCO, shapes.TINY))
    harness.warm(*marco)

    arguments = ["--threads", 2, "-m", "map", "-m", "ndcg_cut.10", "-m", "recip_rank", *marco]
    tasks = {OURS: partial(harness.run_process, options.program, *arguments)}
    tasks |= {name: partial(harness.run_peer, name, *marco, *MEASURES) for name in PEERS}
    tasks |= {"ranx, tiny": partial(harness.run_peer, "ranx", *tiny, *MEASURES)}
    samples = report.measure(options.repeat, tasks, often=5)
    for name in PEERS:
        harness.assert_equal(
            harness.summary(samples[OURS][0].answer), harness.summary(samples[name][0].answer), harness.PRINTED
        )
        report.faster("marco from files, three measures", OURS, name)
    report.save()


if __name__ == "__main__":
    main()
