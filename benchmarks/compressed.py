"""Does `trec_eval` on a compressed run take longer than decompressing it?

The marco shape; `gzip -dc` and its like write to the null device. gzip has a bound, the others are for information.
"""

import subprocess
from functools import partial
from pathlib import Path

from support import harness, shapes

# suffix: program and the level that the run was compressed with
COMPRESSORS = {".gz": ("gzip", "-6"), ".bz2": ("bzip2", "-9"), ".xz": ("xz", "-2"), ".zst": ("zstd", "-3")}
CEILINGS = {".gz": 1.2}


def compressed(run: Path, suffix: str) -> Path:
    """The compressed run beside the run, made at the first call."""
    path = run.with_name(run.name + suffix)
    if not path.exists():
        part = path.with_suffix(".part")
        with run.open("rb") as source, part.open("wb") as target:
            subprocess.run([*COMPRESSORS[suffix], "-c"], stdin=source, stdout=target, check=True)
        part.rename(path)
    return path


def main() -> None:
    """Measure every kind of compression."""
    options = harness.parser(__doc__, repeat=3).parse_args()
    report = harness.Report(__doc__, options)
    files = shapes.files(shapes.MARCO, options.data)
    plain = harness.run_process(options.program, *files).answer
    for suffix, (program, _) in COMPRESSORS.items():
        path = compressed(files.run, suffix)
        harness.warm(path)
        ours, other = f"treckon, {path.name}", f"{program} -dc"
        samples = report.measure(
            options.repeat,
            {
                ours: partial(harness.run_process, options.program, files.qrels, path),
                other: partial(harness.run_process, program, "-dc", path, keep_output=False),
            },
        )
        if samples[ours][0].answer != plain:
            raise SystemExit(f"{path}: the answer differs from that for {files.run}")
        ratio = report.seconds(ours) / report.seconds(other)
        ceiling = CEILINGS.get(suffix)
        report.finding(f"marco, {suffix[1:]} run", ratio, "times the time", ours, other, at_most=ceiling)
    report.save()


if __name__ == "__main__":
    main()
