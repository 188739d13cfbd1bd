"""Write the tables of docs/ from the recorded results: `python benchmarks/summarise.py`.

Times go to docs/performance.md, what was simulated to docs/guide/compare-runs.md.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from support.harness import RESULTS

DOCS = Path(__file__).parents[1] / "docs"
HEADINGS = ("What", "Measured", "Against", "Result", "Wanted", "Script")


def main() -> None:
    """Replace what stands between the markers of the pages."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--results", type=Path, default=RESULTS, help="folder of the results (default: %(default)s)")
    options.add_argument("--docs", type=Path, default=DOCS, help="folder of the pages (default: %(default)s)")
    chosen = options.parse_args()
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(chosen.results.glob("*.json"))]
    timed = [result for result in results if result["timings"]]
    _put(chosen.docs / "performance.md", "results", [*_machines(timed), "", *_table(timed)])
    _put(chosen.docs / "guide" / "compare-runs.md", "rates", list(_rates(results)))


def _put(page: Path, name: str, lines: list[str]) -> None:
    """Write lines between the page's two markers of a name."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    _, after = rest.split(end)
    page.write_text("\n".join([before + begin, "", *lines, "", end + after]), encoding="utf-8")


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


def _rates(results: list[dict[str, Any]]) -> Iterator[str]:
    """A row for what was simulated, a column for each number of queries; what misses its bounds is in bold."""
    rates = [rate for result in results for rate in result.get("rates", ())]
    sizes = sorted({rate["queries"] for rate in rates})
    yield _row(["share of samples, by number of queries", *map(str, sizes)])
    yield _row(["---", *("---:" for _ in sizes)])
    for what in dict.fromkeys(rate["what"] for rate in rates):
        found = {rate["queries"]: rate for rate in rates if rate["what"] == what}
        yield _row([what, *(_rate(found.get(size)) for size in sizes)])


def _rate(rate: dict[str, Any] | None) -> str:
    if rate is None:
        return ""
    return f"{rate['value']:.3f}" if rate["met"] else f"**{rate['value']:.3f}**"


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
