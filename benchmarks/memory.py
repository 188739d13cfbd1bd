"""How much memory does `trec_eval qrels run` need at its peak, and how much does pytrec_eval need?"""

from functools import partial

from support import harness, shapes

CEILINGS = {"robust": None, "marco": 40, "rec": 120}  # MB


def main() -> None:
    """Measure all shapes, with one thread and with two."""
    options = harness.parser(__doc__, repeat=1).parse_args()
    report = harness.Report(__doc__, options)
    for name, ceiling in CEILINGS.items():
        files = shapes.files(shapes.SHAPES[name], options.data)
        peer, two, one = f"pytrec_eval, {name}", f"treckon, {name}, 2 threads", f"treckon, {name}, 1 thread"
        samples = report.measure(
            options.repeat,
            {
                two: partial(harness.run_process, options.program, "--threads", 2, *files),
                one: partial(harness.run_process, options.program, "--threads", 1, *files),
                peer: partial(harness.run_peer, "pytrec_eval", *files, "official"),
            },
            often=3,
        )
        harness.assert_program_equals(options.program, files, harness.summary(samples[peer][0].answer))
        for ours in (two, one):
            report.finding(f"{name}, peak memory", report.peak(ours), "MB", ours, peer, at_most=ceiling)
    report.save()


if __name__ == "__main__":
    main()
