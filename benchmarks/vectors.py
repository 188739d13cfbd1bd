"""What do the scanner's vector instructions save, a line of a run, against the same code without them?

Compiles vectors.c twice with the C compiler at hand. Both must find the same in the marco run. Seconds for a million
lines, on one core, of lines that lie in the second-level cache.
"""

import subprocess
import tempfile
from pathlib import Path

from support import harness, shapes

HERE = Path(__file__).resolve().parent
NATIVE = HERE.parent / "src" / "treckon" / "_native"
PARTS = ("finding the fields", "reading the score", "hashing the id")
ROUNDS = "200"


def powers_of_five() -> str:
    """The table that numbers.pyx fills: two words for each exponent from -65 to 65."""
    lines = []
    for exponent in range(-65, 66):
        power = 5 ** abs(exponent)
        n_bits = power.bit_length()
        if exponent >= 0:
            significand = power << 128 >> n_bits
        elif exponent >= -27:
            significand = (1 << n_bits + 127) // power + 1
        else:
            significand = (1 << 2 * n_bits + 128) // power + 1
            significand >>= significand.bit_length() - 128
        lines.append(f"{significand >> 64:x} {significand & 0xFFFFFFFFFFFFFFFF:x}\n")
    return "".join(lines)


def main() -> None:
    """Measure both builds in turns."""
    options = harness.parser(__doc__, repeat=9).parse_args()
    report = harness.Report(__doc__, options)
    _, run = shapes.files(shapes.MARCO, options.data)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "powers")
        table.write_text(powers_of_five())
        programs = {}
        for name, define in (("vectors", "-DTK_VECTORS"), ("no vectors", "-DTK_NO_VECTORS")):
            programs[name] = Path(folder, name.replace(" ", "_"))
            subprocess.run(
                ["cc", "-O3", "-D_GNU_SOURCE", define, f"-I{NATIVE}", HERE / "vectors.c", "-o", programs[name], "-lm"],
                check=True,
            )
        times: dict[str, list[list[float]]] = {name: [] for name in programs}
        sums = set()
        for _ in range(options.repeat):
            for name, program in programs.items():
                printed = subprocess.run(
                    [program, run, table, ROUNDS], check=True, capture_output=True, text=True
                ).stdout
                *parts, found = printed.split()
                times[name].append([float(part) for part in parts])
                sums.add(found)
    if len(sums) != 1:
        raise AssertionError(f"the two builds found different things: {sums}")
    for i, part in enumerate(PARTS):
        for name in programs:
            report.timing(f"{part}, {name}", [harness.Sample(each[i] * 1e-3) for each in times[name]])
        report.faster(f"a line of a run, {part}", f"{part}, vectors", f"{part}, no vectors")
    report.save()


if __name__ == "__main__":
    main()
