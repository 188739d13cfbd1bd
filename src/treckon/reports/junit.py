"""A gate's verdict as JUnit's XML, which continuous-integration services show: a test case for each rule."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from treckon.analysis.gating import GateResult, RuleResult

#: Characters that XML 1.0 can't have, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: Queries, and missed documents of each, that a failure's text lists.
SHOWN_QUERIES, SHOWN_DOCUMENTS = 20, 5


def junit_xml(result: GateResult) -> str:
    """The document. Characters that XML can't have are replaced by U+FFFD."""
    from xml.etree import ElementTree

    failures = sum(not rule.met for rule in result.rules)
    counts = {"tests": str(len(result.rules)), "failures": str(failures), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "treckon gate", **counts})
    name = _plain(f"{result.title or result.name}: {result.run}")
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **counts, "skipped": "0", "time": "0"})
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in _properties(result).items():
        ElementTree.SubElement(properties, "property", {"name": key, "value": _plain(value)})
    for rule in result.rules:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _plain(rule.measure), "name": rule.rule, "time": "0"}
        )
        if not rule.met:
            failure = ElementTree.SubElement(case, "failure", {"type": rule.rule, "message": _plain(rule.text)})
            failure.text = _plain(_failing(rule))
        else:
            ElementTree.SubElement(case, "system-out").text = _plain(rule.text)
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _properties(result: GateResult) -> dict[str, str]:
    """What the verdict was made of."""
    properties = {"gate": result.name, "gate.sha256": result.digest, "run": result.run}
    if result.baseline is not None:
        properties["baseline"] = result.baseline
    properties.update({f"convention.{name}": str(value) for name, value in result.conventions.items()})
    properties.update({f"queries.{name}": str(count) for name, count in result.counts.items()})
    return properties


def _failing(rule: RuleResult) -> str:
    lines = [f"{rule.place}: {rule.text}"]
    for query in rule.failing[:SHOWN_QUERIES]:
        against = "" if query.baseline is None else f" (baseline {query.baseline:.6g})"
        lines.append(f"query {query.query}: {query.value:.6g}{against}")
        lines += [f"  missed {document}" for document in query.missed[:SHOWN_DOCUMENTS]]
        if len(query.missed) > SHOWN_DOCUMENTS:
            lines.append(f"  and {len(query.missed) - SHOWN_DOCUMENTS} more documents")
    if len(rule.failing) > SHOWN_QUERIES:
        lines.append(f"and {len(rule.failing) - SHOWN_QUERIES} more queries")
    return "\n".join(lines)


def _plain(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
