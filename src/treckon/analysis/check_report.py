"""What a check of a run or of qrels found: problems by kind, ties, judged documents; as data and as text."""

from __future__ import annotations

from dataclasses import dataclass, field

from treckon.inputs.problems import ERROR, SEVERITIES, WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


@dataclass(frozen=True, slots=True)
class ProblemPlace:
    """Where a problem was found.

    line:   its number, from 1; None for a missing query
    query:  the query's id; None where the line has none
    text:   what was expected and found
    other:  the number of another line that it is about, or None
    """

    line: int | None
    query: str | None
    text: str
    other: int | None = None

    def to_dict(self) -> dict[str, object]:
        """As a dictionary: line, query, text, other_line."""
        return {"line": self.line, "query": self.query, "text": self.text, "other_line": self.other}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Problem:
    """All of a file's problems of one kind.

    kind:     its name, such as "duplicate-document"
    severity: "error", "warning" or "note"
    count:    how many there are
    places:   the first of them, by line
    meaning:  what it is, and what comes of it
    """

    kind: str
    severity: str
    count: int
    places: tuple[ProblemPlace, ...]
    meaning: str

    def __repr__(self) -> str:
        return f"<{self.severity} {self.kind}: {self.count}>"

    def to_dict(self) -> dict[str, object]:
        """As a dictionary: kind, severity, count, meaning, places."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "count": self.count,
            "meaning": self.meaning,
            "places": [place.to_dict() for place in self.places],
        }


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class CheckReport:
    """What was found in a file.

    name:      of the file
    kind:      "run" or "qrels"
    problems:  a `Problem` for each kind that was found: errors, warnings, notes
    n_lines, n_records, n_queries: of the file; broken lines are no records
    tag:       of a run: the first record's
    ties:      of a run: numbers of groups of documents with the same score, of documents in them, of queries with such,
               and of queries where a group lies across each cutoff, by cutoff
    judged:    of a run with qrels: numbers of its judged queries, of their documents, of judged ones among these; and
               by cutoff the mean share of judged documents among the first (of those that there are)
    """

    name: str
    kind: str
    problems: tuple[Problem, ...]
    n_lines: int
    n_records: int
    n_queries: int
    tag: str | None = None
    ties: dict[str, Any] = field(default_factory=dict)
    judged: dict[str, Any] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return not any(problem.severity in (ERROR, WARNING) for problem in self.problems)

    def count(self, severity: str) -> int:
        """How many problems there are of a severity."""
        return sum(problem.count for problem in self.problems if problem.severity == severity)

    def __getitem__(self, kind: str) -> Problem:
        """The problems of a kind, by its name; KeyError where there is none."""
        for problem in self.problems:
            if problem.kind == kind:
                return problem
        raise KeyError(kind)

    def __contains__(self, kind: object) -> bool:
        return any(problem.kind == kind for problem in self.problems)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)

    def __len__(self) -> int:
        return len(self.problems)

    def to_dict(self) -> dict[str, object]:
        """As dictionaries, lists, texts and numbers."""
        return {
            "file": self.name,
            "kind": self.kind,
            "clean": self.clean,
            "lines": self.n_lines,
            "records": self.n_records,
            "queries": self.n_queries,
            "tag": self.tag,
            "counts": {severity: self.count(severity) for severity in SEVERITIES},
            "problems": [problem.to_dict() for problem in self.problems],
            "ties": _with_text_keys(self.ties),
            "judged": _with_text_keys(self.judged),
        }

    def summary(self) -> str:
        """The verdict and the sizes in one line."""
        counts = [_counted(self.count(severity), severity) for severity in SEVERITIES if self.count(severity)]
        sizes = f"{_counted(self.n_lines, 'line')} of {_counted(self.n_queries, 'query')}"
        verdict = "clean" if self.clean else "not clean"
        return f"{self.name}: {verdict}: {', '.join(counts) or 'no problems'} in {sizes}"

    def remarks(self) -> list[str]:
        """A line each on ties and judged documents, where there is something to say."""
        lines = []
        if self.ties.get("groups"):
            across = "".join(
                f"; across cutoff {cutoff}: {_counted(count, 'query')}"
                for cutoff, count in self.ties["across_cutoff"].items()
            )
            lines.append(
                f"ties: {_counted(self.ties['documents'], 'document')} in {_counted(self.ties['groups'], 'group')} of "
                f"{_counted(self.ties['queries'], 'query')}{across}"
            )
        if self.judged:
            shares = "".join(f", judged@{cutoff} {share:.4f}" for cutoff, share in self.judged["shares"].items())
            lines.append(
                f"judged: {self.judged['judged']} of {_counted(self.judged['documents'], 'document')} of "
                f"{_counted(self.judged['queries'], 'judged query')}{shares}"
            )
        return lines

    def __repr__(self) -> str:
        lines = [self.summary()]
        for problem in self.problems:
            lines.append(f"  {problem.severity} {problem.kind}: {problem.count}")
            lines += [
                f"    {self.name}{f':{place.line}' if place.line else ''}: "
                f"{f'query {place.query}: ' if place.query else ''}{place.text}"
                for place in problem.places[:3]
            ]
        return "\n".join(lines + self.remarks())


def _with_text_keys(counts: Mapping[str, Any]) -> dict[str, Any]:
    """The same with cutoffs as texts, as JSON has them."""
    return {
        name: {str(cutoff): count for cutoff, count in value.items()} if isinstance(value, dict) else value
        for name, value in counts.items()
    }


def _counted(n: int, what: str) -> str:
    if n != 1:
        what = f"{what.removesuffix('y')}ies" if what.endswith("query") else f"{what}s"
    return f"{n} {what}"
