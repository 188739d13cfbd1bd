"""Measuring: processes and calls, taken in turns, with answers checked and results kept as JSON."""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

SUPPORT = Path(__file__).parent
RESULTS = SUPPORT.parent / "results"
MEGABYTE = 1_000_000
PACKAGES = ("treckon", "pytrec-eval-terrier", "ir-measures", "ranx", "numpy", "scipy", "numba")
CHANGED_IN_10 = ("iprec_at_recall", "11pt_avg")  # rounding of the recall points differs between 9.0.8 and 10.0
PRINTED = 0.00005 + 1e-9  # how far a value printed in 4 decimals may be from the value itself


class Sample(NamedTuple):
    """One measurement of one task."""

    seconds: float
    answer: Any = None
    peak: float | None = None  # resident memory in MB, for processes
    messages: str = ""  # what a process wrote to stderr


def parser(description: str, repeat: int = 5) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repeat", type=int, default=repeat, help="number of rounds (default: %(default)s)")
    options.add_argument(
        "--program",
        type=Path,
        default=Path(sys.executable).with_name("trec_eval"),
        help="treckon's trec_eval (default: the one beside this interpreter)",
    )
    options.add_argument(
        "--data",
        type=Path,
        default=Path(tempfile.gettempdir()) / "treckon-bench",
        help="folder where generated files are kept (default: %(default)s)",
    )
    options.add_argument("--results", type=Path, default=RESULTS, help="folder of the results (default: %(default)s)")
    return options


def run_process(*command: object, keep_output: bool = True, status: int = 0) -> Sample:
    """Run a command to its end, where its status should be this; its answer is what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        done = subprocess.run(
            [sys.executable, "-I", "-S", SUPPORT / "launch.py", record, *map(str, command)],
            stdout=subprocess.PIPE if keep_output else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode != status:
            raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
        seconds, peak = map(float, record.read_text().split())
    unit = 1 if sys.platform == "darwin" else 1024
    return Sample(seconds, done.stdout, peak * unit / MEGABYTE, done.stderr)


def run_peer(name: str, *arguments: object) -> Sample:
    """Run one of the peer_*.py scripts; its answer is what it printed."""
    return run_process(sys.executable, "-W", "ignore", SUPPORT / f"peer_{name}.py", *arguments)


def call(function: Callable[..., Any], *arguments: object) -> Sample:
    """Call a function; its answer is what it returned."""
    start = time.perf_counter()
    answer = function(*arguments)
    return Sample(time.perf_counter() - start, answer)


def warm(*paths: Path) -> None:
    """Bring files into the page cache, so that nobody waits for the disk."""
    for path in paths:
        with path.open("rb") as file:
            while file.read(MEGABYTE):
                pass


def summary(printed: str) -> dict[str, float]:
    """Names and values of trec_eval's summary lines; the run's tag and the string of relevance are no numbers."""
    rows = (line.split() for line in printed.splitlines())
    return {row[0]: float(row[-1]) for row in rows if row[0] not in ("runid", "relstring")}


def assert_equal(found: Mapping[str, float], expected: Mapping[str, float], tolerance: float = 1e-9) -> None:
    """Refuse to report the speed of a wrong answer."""
    wrong = [
        f"{name}: {found.get(name)} instead of {value}"
        for name, value in expected.items()
        if name not in found or abs(found[name] - value) > tolerance
    ]
    if wrong or not expected:
        raise SystemExit("the answers differ: " + ("; ".join(wrong) or "nothing to compare with"))


def assert_program_equals(program: Path, arguments: Iterable[object], peer: Mapping[str, float]) -> None:
    """Compare what the program prints, in 4 decimals, with the values of a peer that follows release 9.0.8.

    All values in that release's mode; in the default mode, the one that is measured, those on which the releases agree.
    """
    old = run_process(program, "--compat", "9.0.8", *arguments).answer
    assert_equal(summary(old), peer, PRINTED)
    alike = {name: value for name, value in peer.items() if not name.startswith(CHANGED_IN_10)}
    assert_equal(summary(run_process(program, *arguments).answer), alike, PRINTED)


class Report:
    """The timings and findings of one benchmark, taken in turns and written as one JSON file."""

    def __init__(self, description: str, options: argparse.Namespace) -> None:
        script = Path(sys.argv[0])
        shape = [options.shape] if "shape" in options else []
        self._path: Path = options.results / f"{'-'.join([script.stem, *shape])}.json"
        self._content: dict[str, Any] = {
            "question": description.partition("\n")[0],
            "command": " ".join(["python", f"benchmarks/{script.name}", *shape]),
            "date": datetime.date.today().isoformat(),
            "cpu": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "python": platform.python_version(),
            "versions": dict(_versions()),
            "load": os.getloadavg()[0],
            "timings": {},
            "findings": [],
        }

    def measure(
        self, rounds: int, tasks: Mapping[str, Callable[[], Sample]], often: int = 1
    ) -> dict[str, list[Sample]]:
        """Time tasks in turns, so that a busy moment of the machine meets all of them; return each one's samples.

        Tasks whose label begins with `treckon` run `often` times a round. A task must answer the same every time.
        """
        samples: dict[str, list[Sample]] = {label: [] for label in tasks}
        for _ in range(rounds):
            for label, task in tasks.items():
                for _ in range(often if label.startswith("treckon") else 1):
                    samples[label].append(task())
        for label, taken in samples.items():
            if any(sample.answer != taken[0].answer for sample in taken):
                raise SystemExit(f"{label}: the answer changes from run to run")
            self.timing(label, taken)
        return samples

    def timing(self, label: str, samples: Iterable[Sample]) -> None:
        """Keep the samples of one task."""
        taken = list(samples)
        seconds = [sample.seconds for sample in taken]
        peaks = [sample.peak for sample in taken if sample.peak is not None]
        self._content["timings"][label] = {
            "median": round(statistics.median(seconds), 6),
            "min": round(min(seconds), 6),
            "max": round(max(seconds), 6),
            "runs": len(seconds),
            **({"peak_mb": round(max(peaks), 1)} if peaks else {}),
        }

    def seconds(self, label: str) -> float:
        """The median time of a task."""
        return float(self._content["timings"][label]["median"])

    def peak(self, label: str) -> float:
        """The largest resident memory of a task, in MB."""
        return float(self._content["timings"][label]["peak_mb"])

    def finding(
        self,
        what: str,
        value: float,
        unit: str,
        ours: str,
        other: str,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
    ) -> None:
        """Keep one answer: a value in a unit, the labels of the timings it comes from, and the bound it should keep."""
        bounds = (("at least", at_least), ("at most", at_most))
        wanted = " and ".join(f"{word} {bound:g}" for word, bound in bounds if bound is not None)
        met = (at_least is None or value >= at_least) and (at_most is None or value <= at_most)
        self._content["findings"].append(
            {
                "what": what,
                "value": round(value, 3),
                "unit": unit,
                "ours": ours,
                "other": other,
                "wanted": wanted,
                "met": met,
            }
        )

    def faster(self, what: str, ours: str, other: str, at_least: float | None = None) -> None:
        """Keep how many times faster our task is than the other."""
        self.finding(what, self.seconds(other) / self.seconds(ours), "times faster", ours, other, at_least=at_least)

    def rate(
        self, what: str, queries: int, samples: int, value: float, at_least: float | None, at_most: float | None
    ) -> None:
        """Keep how often something happened in simulated samples of so many queries, and the bounds it should keep."""
        bounds = (("at least", at_least), ("at most", at_most))
        met = (at_least is None or value >= at_least) and (at_most is None or value <= at_most)
        self._content.setdefault("rates", []).append(
            {
                "what": what,
                "queries": queries,
                "samples": samples,
                "value": round(value, 4),
                "wanted": " and ".join(f"{word} {bound:.4g}" for word, bound in bounds if bound is not None),
                "met": met,
            }
        )

    def save(self) -> None:
        """Print the report and write it to the folder of results."""
        for label, timing in self._content["timings"].items():
            peak = f"  {timing['peak_mb']:7.1f} MB" if "peak_mb" in timing else ""
            print(f"{label:40} {timing['median']:9.4f} s  ({timing['min']:.4f} to {timing['max']:.4f}){peak}")
        for finding in self._content["findings"]:
            sides = f"[{finding['ours']} | {finding['other']}]"
            judged = f" ({finding['wanted']}: {'met' if finding['met'] else 'MISSED'})" if finding["wanted"] else ""
            print(f"{finding['what']}: {finding['value']} {finding['unit']}{judged}  {sides}")
        for rate in self._content.get("rates", []):
            judged = "met" if rate["met"] else "MISSED"
            print(f"{rate['what']}, {rate['queries']} queries: {rate['value']:.3f} ({rate['wanted']}: {judged})")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(self._content, indent=1) + "\n", encoding="utf-8")


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _versions() -> Iterable[tuple[str, str]]:
    for package in PACKAGES:
        try:
            yield package, importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
