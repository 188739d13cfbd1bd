"""Does `treckon check` look a run of 7 million lines through in about the time that `trec_eval` scores it?

Two files: the run as it is, which is clean, and one with faults planted in every thousandth line or so. What is found
must be what was planted: kinds, numbers, and the lines of the first places.
"""

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from support import harness, shapes

SHAPE = shapes.MARCO
CHECK, CHECK_ONE = "treckon check, 2 threads", "treckon check, 1 thread"
SCORE, SCORE_ONE = "trec_eval, 2 threads", "trec_eval, 1 thread"
FAULTY = "treckon check, planted faults, 2 threads"
PLACES = 10


def planted(line: int) -> str | None:
    """The kind of fault that a line, numbered from 1, has."""
    if line % 1009 == 0:
        return "score-not-number"
    if line % 1013 == 0:
        return "field-count"
    if line % 1019 == 0:
        return "crlf-line-ends"
    return None


def broken_lines(run: Path) -> Iterator[bytes]:
    """The run's lines, some of them broken."""
    with run.open("rb") as file:
        for number, line in enumerate(file, 1):
            fault = planted(number)
            if fault == "score-not-number":
                fields = line.split()
                line = b" ".join([*fields[:4], fields[4].replace(b".", b","), fields[5]]) + b"\n"
            elif fault == "field-count":
                line = line[:-1] + b" more\n"
            elif fault == "crlf-line-ends":
                line = line[:-1] + b"\r\n"
            yield line


def broken(run: Path) -> Path:
    """The run with faults, written at the first call."""
    made = run.with_suffix(".broken")
    if not made.exists():
        part = made.with_suffix(".part")
        with part.open("wb") as file:
            file.writelines(broken_lines(run))
        os.replace(part, made)
    return made


def assert_found(printed: str, faults: bool) -> None:
    """Refuse to report the speed of a wrong answer."""
    report = json.loads(printed)
    n_lines = SHAPE.queries * SHAPE.depth
    lines: dict[str, list[int]] = {}
    for number in range(1, n_lines + 1) if faults else ():
        if kind := planted(number):
            lines.setdefault(kind, []).append(number)
    found = {problem["kind"]: problem for problem in report["problems"]}
    wrong = [
        f"{kind}: {found.get(kind, {}).get('count')} instead of {len(numbers)}"
        for kind, numbers in lines.items()
        if kind not in found
        or found[kind]["count"] != len(numbers)
        or [place["line"] for place in found[kind]["places"]] != numbers[:PLACES]
    ]
    if (
        set(found) != set(lines)
        or not report["lines"] == report["records"] == n_lines
        or report["queries"] != SHAPE.queries
    ):
        wrong.append(f"{sorted(found)} in {report['lines']} lines of {report['queries']} queries")
    if wrong:
        raise SystemExit(f"the answers differ: {'; '.join(wrong)}")


def main() -> None:
    """Measure."""
    options = harness.parser(__doc__).parse_args()
    report = harness.Report(__doc__, options)
    files = shapes.files(SHAPE, options.data)
    faulty = broken(files.run)
    harness.warm(*files, faulty)
    treckon = options.program.with_name("treckon")
    check = [treckon, "check", "--quiet", "--format", "json"]

    samples = report.measure(
        options.repeat,
        {
            CHECK: partial(harness.run_process, *check, "--threads", 2, files.run),
            CHECK_ONE: partial(harness.run_process, *check, "--threads", 1, files.run),
            SCORE: partial(harness.run_process, options.program, "--threads", 2, *files),
            SCORE_ONE: partial(harness.run_process, options.program, "--threads", 1, *files),
            FAULTY: partial(harness.run_process, *check, "--threads", 2, faulty, status=1),
        },
    )
    assert_found(samples[CHECK][0].answer, faults=False)
    assert_found(samples[CHECK_ONE][0].answer, faults=False)
    assert_found(samples[FAULTY][0].answer, faults=True)
    for what, ours, other in (
        ("checking takes, of the time of scoring", CHECK, SCORE),
        ("the same with one thread", CHECK_ONE, SCORE_ONE),
        ("the same with faults", FAULTY, SCORE),
    ):
        ratio = report.seconds(ours) / report.seconds(other)
        report.finding(what, ratio, "times", ours, other, at_most=2)
    report.finding("memory", report.peak(CHECK), "MB", CHECK, SCORE, at_most=60)
    report.save()


if __name__ == "__main__":
    main()
