"""How much faster is `trec_eval qrels run`, as a process, than pytrec_eval on the same files?

Both read the files, evaluate the `official` measures and print the means. pytrec_eval is given twice: the whole
process, and parsing and evaluating alone, without its start, its import and the averaging.
"""

from functools import partial

from support import harness, shapes

PROCESS, ALONE = "pytrec_eval, process", "pytrec_eval, parsing and evaluating alone"
TWO, ONE = "treckon, 2 threads", "treckon, 1 thread"
# shape: the peer's timing that the floors are against, and the floors for two threads and for one
FLOORS = {"marco": (ALONE, 40, 24), "robust": (PROCESS, 8, None), "rec": (ALONE, 30, None)}


def main() -> None:
    """Measure one shape."""
    parser = harness.parser(__doc__)
    parser.add_argument("shape", choices=FLOORS)
    options = parser.parse_args()
    report = harness.Report(__doc__, options)
    files = shapes.files(shapes.SHAPES[options.shape], options.data)
    harness.warm(*files)

    samples = report.measure(
        options.repeat,
        {
            TWO: partial(harness.run_process, options.program, "--threads", 2, *files),
            ONE: partial(harness.run_process, options.program, "--threads", 1, *files),
            PROCESS: partial(harness.run_peer, "pytrec_eval", *files, "official"),
        },
        often=3,
    )
    report.timing(ALONE, [harness.Sample(float(sample.messages)) for sample in samples[PROCESS]])
    harness.assert_program_equals(
        options.program, ["--threads", 2, *files], harness.summary(samples[PROCESS][0].answer)
    )
    two, one = (harness.summary(samples[label][0].answer) for label in (TWO, ONE))
    harness.assert_equal(two, one, tolerance=0)

    floor_against, *floors = FLOORS[options.shape]
    for other in (PROCESS, ALONE):
        for ours, floor in zip((TWO, ONE), floors, strict=True):
            report.faster(f"{options.shape} from files", ours, other, floor if other == floor_against else None)
    report.save()


if __name__ == "__main__":
    main()
