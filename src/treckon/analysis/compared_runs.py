"""What a comparison of runs found: differences, means, tests; as data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from treckon.evaluation.results import SHOWN_WARNINGS, Columns
from treckon.statistics import paired_differences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from treckon.naming.syntax import Measure
    from treckon.statistics import Interval, PairedTest, Tukey
    from treckon.statistics.arguments import Array


class QueryDifference(NamedTuple):
    """A query's values, and the run's less the baseline's (0 where they differ by rounding only)."""

    query_id: str
    baseline: float
    run: float
    difference: float


class Difference(NamedTuple):
    """A run against the baseline, by one measure.

    measure, run:  which
    baseline_mean, run_mean: over all queries
    interval:      of the mean difference (its `estimate`): run less baseline, pairs kept together
    relative:      the difference over the baseline's mean, such as 0.05 for five per cent; None where that mean is 0
    wins, ties, losses: queries in which the run's value is higher, equal, lower
    effect_size:   Cohen's d of the differences; None where they don't vary
    detectable:    the true difference that a t-test over so many queries would find with the requested power; None for
                   a single query, and where SciPy is missing
    tests:         each test by name
    corrected:     its p-value, corrected over all measures and runs
    """

    measure: Measure
    run: str
    baseline_mean: float
    run_mean: float
    interval: Interval
    relative: float | None
    wins: int
    ties: int
    losses: int
    effect_size: float | None
    detectable: float | None
    tests: Mapping[str, PairedTest]
    corrected: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The same as dictionaries, texts and numbers."""
        return {
            "measure": str(self.measure),
            "run": self.run,
            "baseline_mean": self.baseline_mean,
            "run_mean": self.run_mean,
            "difference": self.interval.estimate,
            "low": self.interval.low,
            "high": self.interval.high,
            "note": self.interval.note,
            "relative": self.relative,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "effect_size": self.effect_size,
            "minimum_detectable_difference": self.detectable,
            "tests": {name: _test_dict(test, self.corrected[name]) for name, test in self.tests.items()},
        }


def _test_dict(test: PairedTest, corrected: float) -> dict[str, Any]:
    p_values = {"p_value": test.p_value, "corrected": corrected}
    return {**p_values, "statistic": test.statistic, "n": test.n, "note": test.note}


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class Comparison:
    """Runs by the same measures over the same queries, against one of them.

    measures:    those requested, in that order
    runs:        names, the baseline first
    baseline:    the name of the run that the others are compared with
    query_ids:   the queries, in the order of the values
    missing:     by run, how many judged queries it lacks; they count with the values of an empty ranking
    means:       by measure and run, the mean over the queries with its confidence interval
    differences: a `Difference` for each measure and each run but the baseline
    tukey:       by measure, the randomised Tukey HSD test of all pairs, in the order of `runs`; empty where there are
                 two runs: there it is the randomization test
    options:     what the statistics were made with: tests, resamples, seed, confidence, method, correction, alpha,
                 power, clusters (how many, or None)
    conventions: what the values were made with
    warnings:    sentences

    Made by `treckon.compare` and `treckon.compare_evaluations`.
    """

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    baseline: str
    query_ids: tuple[str, ...]
    missing: dict[str, int]
    means: dict[Measure, dict[str, Interval]]
    differences: tuple[Difference, ...]
    tukey: dict[Measure, Tukey]
    options: dict[str, Any]
    conventions: dict[str, object]
    warnings: tuple[str, ...]
    _values: dict[tuple[Measure, str], Array]

    def difference(self, measure: Measure | str, run: str) -> Difference:
        """The run against the baseline by the measure. Raises a KeyError that says which there are."""
        chosen = self._measure(measure)
        for difference in self.differences:
            if difference.measure == chosen and difference.run == run:
                return difference
        raise KeyError(f"expected one of {', '.join(self.runs[1:])}, found {run}")

    def per_query(self, measure: Measure | str | None = None, run: str | None = None) -> list[QueryDifference]:
        """A run's values and the baseline's, query by query: the greatest loss first, the greatest gain last.

        measure: None: the first one
        run:     None: the first one that isn't the baseline

        Queries with equal differences are in the order of `query_ids`. Raises a KeyError that says which there are.
        """
        chosen = self.measures[0] if measure is None else self._measure(measure)
        name = self.runs[1] if run is None else run
        if name not in self.runs[1:]:
            raise KeyError(f"expected one of {', '.join(self.runs[1:])}, found {run}")
        baseline, values = self._values[chosen, self.baseline], self._values[chosen, name]
        columns = baseline.tolist(), values.tolist(), paired_differences(baseline, values).tolist()
        rows = map(QueryDifference, self.query_ids, *columns)
        return sorted(rows, key=lambda row: row.difference)

    def _measure(self, measure: Measure | str) -> Measure:
        return self.measures[Columns(self.measures).find(measure)]

    def to_dict(self, per_query: bool = False) -> dict[str, Any]:
        """All of it as dictionaries, lists, texts and numbers, by the measures' texts and the runs' names.

        With `per_query` also the values of each query, by measure and run, sorted by their difference.
        """
        as_dict: dict[str, Any] = {
            "baseline": self.baseline,
            "runs": list(self.runs),
            "measures": [str(measure) for measure in self.measures],
            "queries": len(self.query_ids),
            "missing": dict(self.missing),
            "options": {**self.options, "tests": list(self.options["tests"])},
            "conventions": dict(self.conventions),
            "means": {
                str(measure): {
                    run: {"mean": mean.estimate, "low": mean.low, "high": mean.high, "note": mean.note}
                    for run, mean in by_run.items()
                }
                for measure, by_run in self.means.items()
            },
            "differences": [difference.to_dict() for difference in self.differences],
            "tukey": {str(measure): tukey.to_dict() for measure, tukey in self.tukey.items()},
            "warnings": list(self.warnings),
        }
        if per_query:
            as_dict["per_query"] = {
                str(measure): {run: [row._asdict() for row in self.per_query(measure, run)] for run in self.runs[1:]}
                for measure in self.measures
            }
        return as_dict

    # To be read

    def __repr__(self) -> str:
        n = len(self.query_ids)
        lines = [f"Comparison of {len(self.runs)} runs over {n} {'query' if n == 1 else 'queries'}"]
        for measure in self.measures:
            lines += ["", str(measure), *_aligned([self._heading(), *self._rows(measure)])]
        return "\n".join([*lines, "", *self._notes()])

    def _heading(self) -> list[str]:
        interval = f"{100 * self.options['confidence']:g}%"
        heading = ["run", "mean", interval, "difference", interval, "change", "+ = -", "d", "detectable"]
        groups = ["groups"] if self.tukey else []
        return [*heading, *(f"p {name}" for name in self.options["tests"]), *groups]

    def _rows(self, measure: Measure) -> Iterator[list[str]]:
        letters = self.tukey[measure].letters if self.tukey else ("",) * len(self.runs)
        for run, groups in zip(self.runs, letters, strict=True):
            mean = self.means[measure][run]
            cells = [run, f"{mean.estimate:.4f}", _interval_text(mean)]
            if run == self.baseline:
                cells += [""] * (6 + len(self.options["tests"]))
            else:
                difference = self.difference(measure, run)
                cells += [_text(difference.interval.estimate, "+.4f"), _interval_text(difference.interval, "+")]
                cells += ["" if difference.relative is None else _text(100 * difference.relative, "+.1f") + "%"]
                cells += [
                    f"{difference.wins} {difference.ties} {difference.losses}",
                    _text(difference.effect_size, "+.2f"),
                ]
                cells += [_text(difference.detectable, ".4f")]
                p_values = [difference.corrected[name] for name in self.options["tests"]]
                cells += [f"{p:.4f}" if p == 0 or p >= 0.00005 else f"{p:.1e}" for p in p_values]
            yield [*cells, groups]

    @property
    def notes(self) -> list[str]:
        """How the statistics were made, a sentence each: seed and resamples, what corrections and groups are over."""
        options, n = self.options, len(self.differences)
        clusters = "" if options["clusters"] is None else f" of {options['clusters']} clusters"
        notes = [
            f"{options['resamples']} resamples{clusters}, seed {options['seed']}; {100 * options['confidence']:g}% "
            f"intervals, {options['method']}"
        ]
        if options["tests"] and options["correction"] == "none":
            notes.append("p-values are two-sided and not corrected")
        elif options["tests"]:
            over = f"{n} {'difference' if n == 1 else 'differences'}"
            notes.append(f"p-values are two-sided, corrected over {over} by {options['correction']}")
        if any(difference.detectable is not None for difference in self.differences):
            notes.append(f"detectable: by a t-test at {options['alpha']:g} with power {options['power']:g}")
        if self.tukey:
            notes.append(f"runs with a group in common don't differ at {options['alpha']:g} (randomised Tukey HSD)")
        return notes

    def _notes(self) -> Iterator[str]:
        yield from self.notes
        yield from (f"warning: {warning}" for warning in self.warnings[:SHOWN_WARNINGS])
        if len(self.warnings) > SHOWN_WARNINGS:
            yield f"and {len(self.warnings) - SHOWN_WARNINGS} more warnings"


# Text


def _interval_text(interval: Interval, sign: str = "") -> str:
    return f"[{_text(interval.low, f'{sign}.4f')}, {_text(interval.high, f'{sign}.4f')}]"


def _text(value: float | None, form: str) -> str:
    """A number, without a sign where it rounds to 0; nothing where there is none."""
    text = "" if value is None else format(value, form)
    return text if text.strip("+-0.") else text.lstrip("+-")


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    """Columns side by side, the first to the left and the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join(["  " + row[0].ljust(widths[0]), *cells[1:]]).rstrip()
