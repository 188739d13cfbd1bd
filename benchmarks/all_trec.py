"""How much longer do all measures (`-m all_trec`) take than the `official` ones?

The marco shape, with one thread and with two; pytrec_eval does the same for comparison.
"""

from functools import partial

from support import harness, shapes

MEASURES = ("official", "all_trec")


def main() -> None:
    """Measure both sets of measures."""
    options = harness.parser(__doc__).parse_args()
    report = harness.Report(__doc__, options)
    files = shapes.files(shapes.MARCO, options.data)
    harness.warm(*files)
    ours = partial(harness.run_process, options.program)
    tasks = {
        f"treckon, {measures}, {threads}": partial(ours, "--threads", threads[0], "-m", measures, *files)
        for measures in MEASURES
        for threads in ("1 thread", "2 threads")
    }
    report.measure(3 * options.repeat, tasks)
    peer = {
        f"pytrec_eval, {measures}": partial(harness.run_peer, "pytrec_eval", *files, measures) for measures in MEASURES
    }
    samples = report.measure(1, peer)
    expected = harness.summary(samples["pytrec_eval, all_trec"][0].answer)
    harness.assert_program_equals(options.program, ["-m", "all_trec", *files], expected)
    for side, ceiling in (("treckon, {}, 1 thread", 1.5), ("treckon, {}, 2 threads", 1.5), ("pytrec_eval, {}", None)):
        everything, official = side.format("all_trec"), side.format("official")
        ratio = report.seconds(everything) / report.seconds(official)
        report.finding("marco, all_trec", ratio, "times the time", everything, official, at_most=ceiling)
    report.save()


if __name__ == "__main__":
    main()
