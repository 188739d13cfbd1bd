"""Write the table of docs/performance.md from the recorded results: `python benchmarks/summarise.py`."""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from support.harness import RESULTS

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
HEADINGS = ("What", "Measured", "Against", "Result", "Wanted", "Script")


def main() -> None:
    """Replace what stands between the page's markers."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--results", type=Path, default=RESULTS, help="folder of the results (default: %(default)s)")
    options.add_argument("--page", type=Path, default=PAGE, help="page to write to (default: %(default)s)")
    chosen = options.parse_args()
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(chosen.results.glob("*.json"))]
    text = chosen.page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    lines = [*_machines(results), "", *_table(results)]
    chosen.page.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]), encoding="utf-8")


def _machines(results: list[dict[str, Any]]) -> list[str]:
    """One line for each machine, day and set of versions that the results come from."""
    return sorted(
        {
            f"- {result['date']}: {result['cpu']}, {result['cores']} cores, {result['system']}, "
            f"Python {result['python']}, "
            + ", ".join(f"{package} {version}" for package, version in result["versions"].items())
            for result in results
        }
    )


def _table(results: list[dict[str, Any]]) -> Iterator[str]:
    yield _row(HEADINGS)
    yield _row("---" for _ in HEADINGS)
    for result in results:
        script = f"`{result['command'].removeprefix('python benchmarks/')}`"
        for finding in result["findings"]:
            sides = (_side(result["timings"], finding[side]) for side in ("ours", "other"))
            missed = "" if finding["met"] else " **(missed)**"
            value = f"{finding['value']:.4g} {finding['unit']}{missed}"
            yield _row((finding["what"], *sides, value, finding["wanted"], script))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _side(timings: dict[str, Any], label: str) -> str:
    """A label with its median time, the range in brackets, and its peak memory where that is known."""
    timing = timings[label]
    median, least, most = (f"{timing[name]:.3g}" for name in ("median", "min", "max"))
    memory = f", {timing['peak_mb']:.0f} MB" if "peak_mb" in timing else ""
    return f"{label}: {median} s ({least} to {most}){memory}"


if __name__ == "__main__":
    main()
