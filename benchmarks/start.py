"""How much longer than an interpreter that does nothing does `trec_eval` take for a run of 50 lines?

The interpreter is the one beside the program; `python -c pass` starts it with the same environment.
"""

from functools import partial
from pathlib import Path

from support import harness, shapes

OURS, NOTHING = "treckon, tiny", "python -c pass"


def main() -> None:
    """Measure the start."""
    options = harness.parser(__doc__, repeat=40).parse_args()
    report = harness.Report(__doc__, options)
    files = shapes.files(shapes.TINY, options.data)
    python: Path = options.program.with_name("python")
    report.measure(
        options.repeat,
        {
            OURS: partial(harness.run_process, options.program, *files),
            NOTHING: partial(harness.run_process, python, "-c", "pass"),
        },
    )
    peer = harness.run_peer("pytrec_eval", *files, "official")
    harness.assert_program_equals(options.program, files, harness.summary(peer.answer))
    extra = 1_000 * (report.seconds(OURS) - report.seconds(NOTHING))
    report.finding("tiny from files, over the bare interpreter", extra, "ms more", OURS, NOTHING, at_most=30)
    report.save()


if __name__ == "__main__":
    main()
