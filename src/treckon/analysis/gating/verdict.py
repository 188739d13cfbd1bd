"""What a gate says about a run: each rule met or not, and which queries and documents it lacks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MissedDocument:
    """A relevant document that isn't where it should be.

    document: its id
    grade:    its grade
    rank:     where it was retrieved, from 1; None: it wasn't
    """

    document: str
    grade: int
    rank: int | None

    def __repr__(self) -> str:
        return f"MissedDocument({self.document!r}, grade={self.grade}, rank={self.rank})"

    def __str__(self) -> str:
        where = "not retrieved" if self.rank is None else f"rank {self.rank}"
        return f"{self.document} (grade {self.grade}, {where})"

    def to_dict(self) -> dict[str, object]:
        """As a dictionary."""
        return {"document": self.document, "grade": self.grade, "rank": self.rank}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class FailingQuery:
    """A query for which an unmet rule fails.

    query:    its id
    value:    the run's
    baseline: the baseline's, where the rule is about it; else None
    missed:   relevant documents that the run lacks at ranks up to the measure's cutoff, by falling grade
    """

    query: str
    value: float
    baseline: float | None = None
    missed: tuple[MissedDocument, ...] = ()

    def __repr__(self) -> str:
        return f"FailingQuery({self.query!r}, value={self.value!r}, missed={len(self.missed)})"

    def to_dict(self) -> dict[str, object]:
        """As dictionaries."""
        return {
            "query": self.query,
            "value": self.value,
            "baseline": self.baseline,
            "missed": [document.to_dict() for document in self.missed],
        }


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RuleResult:
    """What became of a rule.

    measure:  its text
    rule:     "minimum", "maximum", "baseline", "floor" or "hits"
    place:    file and line of the rule
    met:      the verdict
    found:    what is compared: the mean (minimum, maximum), the mean difference or the low end of its interval
              (baseline), the number of queries (floor), the share of queries (hits)
    limit:    what it is compared with
    text:     expectation and finding in one sentence
    failing:  where it isn't met, the queries that fail it, the worst first
    """

    measure: str
    rule: str
    place: str
    met: bool
    found: float
    limit: float
    text: str
    failing: tuple[FailingQuery, ...]

    def __repr__(self) -> str:
        return f"<{self.measure} {self.rule}: {'met' if self.met else 'NOT MET'}: {self.text}>"

    def to_dict(self) -> dict[str, object]:
        """As dictionaries."""
        return {
            "measure": self.measure,
            "rule": self.rule,
            "place": self.place,
            "met": self.met,
            "found": self.found,
            "limit": self.limit,
            "text": self.text,
            "failing": [query.to_dict() for query in self.failing],
        }


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class GateResult:
    """The verdict.

    rules:       a `RuleResult` each, in the order of the file
    name, title, digest: of the file with the thresholds; the digest is the SHA-256 of its bytes
    run, baseline: names; baseline None where there is none
    conventions: the choices that the values were made with, by option
    counts:      numbers of queries, as in `treckon.Evaluation`
    warnings:    sentences
    """

    rules: tuple[RuleResult, ...]
    name: str
    title: str
    digest: str
    run: str
    baseline: str | None
    conventions: dict[str, object]
    counts: dict[str, int]
    warnings: tuple[str, ...]

    @property
    def met(self) -> bool:
        """Whether every rule is."""
        return all(rule.met for rule in self.rules)

    def __bool__(self) -> bool:
        return self.met

    def summary(self) -> str:
        """The verdict in one line."""
        n_met = sum(rule.met for rule in self.rules)
        return f"{self.run}: {'met' if self.met else 'NOT MET'}: {n_met} of {len(self.rules)} rules of {self.name} met"

    def __repr__(self) -> str:
        lines = [self.summary()]
        for rule in self.rules:
            lines.append(f"  {'met    ' if rule.met else 'NOT MET'} {rule.measure}: {rule.text}")
            lines += [f"          {_query_line(query)}" for query in rule.failing[:3]]
            if len(rule.failing) > 3:
                lines.append(f"          and {len(rule.failing) - 3} more queries")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """As dictionaries, lists, texts and numbers."""
        return {
            "met": self.met,
            "gate": {"file": self.name, "title": self.title, "sha256": self.digest},
            "run": self.run,
            "baseline": self.baseline,
            "rules": [rule.to_dict() for rule in self.rules],
            "conventions": dict(self.conventions),
            "counts": dict(self.counts),
            "warnings": list(self.warnings),
        }


def _query_line(query: FailingQuery) -> str:
    """A failing query in one line."""
    against = "" if query.baseline is None else f" (baseline {query.baseline:.4f})"
    missed = ", ".join(map(str, query.missed[:3]))
    more = f", {len(query.missed) - 3} more" if len(query.missed) > 3 else ""
    return f"query {query.query}: {query.value:.4f}{against}{f'; missed {missed}{more}' if missed else ''}"
