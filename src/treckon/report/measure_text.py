"""Measures' records as text: for the command's help, and as the page docs/measures.md."""

from __future__ import annotations

import sys
from textwrap import dedent, fill, indent

from treckon.registry import VIEW_RANKING, VIEW_RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from treckon.registry import Example, Measure


def _facts(measure: Measure) -> list[tuple[str, str]]:
    """What the record says besides the definition, as (label, text)."""
    facts = []
    if measure.parameters.usage:
        defaults = ", ".join(measure.name + setting.suffix for setting in measure.parameters.defaults())
        facts.append(("Parameters", f"{measure.parameters.usage}; without: {defaults}"))
    facts.append(("Over queries", measure.aggregate.name if measure.view != VIEW_RUN else "of the run as a whole"))
    if measure.view not in (VIEW_RANKING, VIEW_RUN):
        facts.append(("Judgements", measure.view))
    if not measure.per_query:
        facts.append(("Printed", "for all queries together only"))
    elif not measure.summary:
        facts.append(("Printed", "for each query only"))
    if measure.since == "10.0":
        facts.append(("In trec_eval", "since 10.0"))
    facts.append(("Source", measure.source))
    return facts


def measure_text(measure: Measure) -> str:
    """A record for a terminal."""
    lines = [f"{measure.name}: {measure.title}\n"]
    lines.append(indent(dedent(measure.definition).strip(), "    ") + "\n")
    for label, text in _facts(measure):
        lines.append(fill(f"{label}: {text}", 108, initial_indent="    ", subsequent_indent="        ") + "\n")
    return "".join(lines)


def _example_row(example: Example) -> str:
    options = [] if example.level == 1 else [f"-l {example.level}"]
    options += example.options
    value = example.value if isinstance(example.value, str) else f"{example.value:.4f}".rstrip("0").rstrip(".")
    release = f" ({example.release})" if example.release else ""
    asked = f"`{example.name}`" + (f" `{' '.join(options)}`" if options else "")
    cells = (asked, f"`{example.qrels}`", f"`{example.run}`", f"{value}{release}", example.why)
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |\n"


def measure_markdown(measure: Measure) -> str:
    """A record as a section of docs/measures.md."""
    text = f"## {measure.name}\n\n**{measure.title}**\n\n{dedent(measure.definition).strip()}\n\n"
    text += "".join(f"- {label}: {fact}\n" for label, fact in _facts(measure))
    text += "\n| asked for | qrels | ranking | value | why |\n| --- | --- | --- | --- | --- |\n"
    return text + "".join(map(_example_row, measure.examples)) + "\n"


def measures_page(measures: Iterable[Measure]) -> str:
    """All of docs/measures.md."""
    head = """\
# Measures

Printed from the measures' records: `python -m treckon.report.measure_text > docs/measures.md`. A test holds this page
to them.

Each measure is a function of one query's ranking: the documents by falling score. *R* is the number of relevant
documents in the qrels, those whose grade is at or above the relevance level (`-l`, 1). A retrieved document is judged,
in the pool but unjudged (negative grade), or unpooled (not in the qrels). In the examples `u=-1` is a judgement with a
negative grade, and documents are listed in the order of their scores.

"""
    return head + "".join(map(measure_markdown, measures))


def main() -> None:
    """Prints the page."""
    from treckon.names import all_in_order  # noqa: PLC0415

    sys.stdout.write(measures_page(all_in_order()))


if __name__ == "__main__":
    main()
