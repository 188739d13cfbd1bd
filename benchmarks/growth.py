"""How does the time of `trec_eval qrels run` grow with lines and with queries?

Each is doubled four times, with one thread. The exponent is the slope of a straight line fitted to the logarithms of
size and time, where the time of starting the program (measured on the tiny shape) is taken off, so that a constant
does not make the growth look flatter than it is.
"""

import math
import statistics
from dataclasses import replace
from functools import partial

from support import harness, shapes

STEPS = [1, 2, 4, 8, 16]
LINES = [replace(shapes.MARCO, name=f"lines-{250 * step}", queries=1_745, depth=250 * step) for step in STEPS]
QUERIES = [replace(shapes.REC, name=f"queries-{6_250 * step}", queries=6_250 * step) for step in STEPS]
START = "treckon, start"


def main() -> None:
    """Measure both series."""
    options = harness.parser(__doc__).parse_args()
    report = harness.Report(__doc__, options)
    ours = partial(harness.run_process, options.program, "--threads", 1)
    report.measure(4 * options.repeat, {START: partial(ours, *shapes.files(shapes.TINY, options.data))})
    for what, series in (("lines", LINES), ("queries", QUERIES)):
        files = {f"treckon, {shape.name}": shapes.files(shape, options.data) for shape in series}
        for paths in files.values():
            harness.warm(*paths)
        report.measure(options.repeat, {label: partial(ours, *paths) for label, paths in files.items()}, often=3)
        smallest, largest = list(files)[0], list(files)[-1]
        peer = harness.run_peer("pytrec_eval", *files[smallest], "official")
        harness.assert_program_equals(options.program, files[smallest], harness.summary(peer.answer))
        exponent = statistics.linear_regression(
            [math.log(shape.queries * shape.depth) for shape in series],
            [math.log(report.seconds(label) - report.seconds(START)) for label in files],
        ).slope
        report.finding(f"growth in {what}", exponent, "exponent", largest, smallest, at_most=1.05)
    report.save()


if __name__ == "__main__":
    main()
