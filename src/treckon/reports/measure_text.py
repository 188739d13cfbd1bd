"""Measures' records as text: for the command's help, and as the page docs/measures.md."""

from __future__ import annotations

from textwrap import fill, indent

from treckon.measures.parameters import Arguments
from treckon.measures.registry import BOUNDED, INTEGER, PERFECT_IS_1, TEXT, VIEW_RANKING, VIEW_RUN
from treckon.reports.markdown import markdown, markdown_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from treckon.measures.parameters import Argument
    from treckon.measures.registry import Example, MeasureRecord

#: Examples whose query stands in the page's table of queries are those that share it with this many others.
_SHARED_BY = 3


def _is_field(measure: MeasureRecord) -> bool:
    """Whether it is a measure by the field's name, and not one of trec_eval."""
    return measure.since is None


def _values(measure: MeasureRecord) -> str:
    """What its values are, where that isn't just any number."""
    if measure.value_type == TEXT:
        return "a text"
    if measure.value_type == INTEGER:
        return "whole numbers"
    if BOUNDED not in measure.traits:
        return ""
    return "from 0 to 1" + (", 1 for the ideal ranking" if PERFECT_IS_1 in measure.traits else "")


def _facts(measure: MeasureRecord) -> list[tuple[str, str]]:
    """What the record says besides the definition and the arguments, as (label, text)."""
    facts = []
    if measure.aliases:
        facts.append(("Also called", ", ".join(measure.aliases)))
    if measure.parameter_kind.usage and not _is_field(measure):
        defaults = ", ".join(measure.name + parameters.suffix for parameters in measure.parameter_kind.defaults())
        facts.append(("Parameters", f"{measure.parameter_kind.usage}; without: {defaults}"))
    if values := _values(measure):
        facts.append(("Values", values))
    if measure.view == VIEW_RUN:
        facts.append(("Over queries", "of the run as a whole"))
    elif measure.value_type != TEXT:
        facts.append(("Over queries", measure.aggregate.name))
    if measure.view not in (VIEW_RANKING, VIEW_RUN):
        facts.append(("Judgements", measure.view))
    if not _is_field(measure):
        if not measure.per_query:
            facts.append(("Printed", "for all queries together only"))
        elif not measure.summary:
            facts.append(("Printed", "for each query only"))
        if measure.since == "10.0":
            facts.append(("In trec_eval", "since 10.0"))
    facts.append(("Source", measure.source))
    return facts


def _accepted(argument: Argument) -> str:
    """What an argument may be."""
    if argument.choices:
        return " or ".join(map(repr, argument.choices))
    text = argument.type
    if argument.lowest is not None:
        text += f" from {argument.lowest:g}"
    if argument.highest is not None:
        text += f" to {argument.highest:g}"
    return text


#: Where an argument, or the number behind @, has no default.
_REQUIRED = "has to be given"


def _arguments(measure: MeasureRecord) -> list[tuple[str, str, str, str]]:
    """The arguments by name, and the number behind @: (name, default, meaning, what it may be)."""
    kind = measure.parameter_kind
    if not isinstance(kind, Arguments):
        return []
    rows = [
        (one.name, _REQUIRED if one.default is None else repr(one.default), one.meaning, _accepted(one))
        for one in kind.arguments
    ]
    if kind.at is not None:
        default = _REQUIRED if kind.at_required else "all ranks"
        if kind.at == "cutoff":
            rows.append(("@cutoff", default, "ranks looked at", "a whole number from 1"))
        else:
            rows.append((f"@{kind.at}", default, f"point of {kind.at}", "a number from 0 to 1"))
    return rows


# For a terminal


def measure_text(measure: MeasureRecord) -> str:
    """A record for a terminal."""

    def folded(text: str) -> str:
        return fill(text, 108, initial_indent="    ", subsequent_indent="        ") + "\n"

    lines = [f"{measure.name}: {measure.title}\n", indent(measure.definition, "    ") + "\n"]
    if _is_field(measure):
        lines.append(folded(f"Written: {measure.name}{measure.parameter_kind.usage}"))
    for name, default, meaning, accepted in _arguments(measure):
        given = default if default == _REQUIRED else f"default {default}"
        lines.append(folded(f"{name}: {meaning} ({accepted}; {given})"))
    lines += [folded(f"{label}: {text}") for label, text in _facts(measure)]
    return "".join(lines)


# For programs


def measure_record(measure: MeasureRecord) -> dict[str, Any]:
    """A record as dictionaries, lists, texts and numbers.

    Keys: name; names ("field" or "trec_eval"); written (the name with its arguments); title; definition; aliases;
    arguments (name, default, meaning, accepted); facts (by label); source; traits.
    """
    is_field = _is_field(measure)
    return {
        "name": measure.name,
        "names": "field" if is_field else "trec_eval",
        "written": measure.name + (measure.parameter_kind.usage if is_field else ""),
        "title": measure.title,
        "definition": measure.definition,
        "aliases": list(measure.aliases),
        "arguments": [
            dict(zip(("name", "default", "meaning", "accepted"), row, strict=True)) for row in _arguments(measure)
        ],
        "facts": {label: text for label, text in _facts(measure) if label not in ("Also called", "Source")},
        "source": measure.source,
        "traits": list(measure.traits),
    }


# As a page


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _anchor(measure: MeasureRecord) -> str:
    return f"{'field' if _is_field(measure) else 'trec_eval'}-{measure.name}"


def _link(measure: MeasureRecord) -> str:
    return f"[{measure.name}](#{_anchor(measure)})"


class _Queries:
    """The queries that several examples share, which the page shows once, under letters."""

    def __init__(self, measures: Iterable[MeasureRecord]) -> None:
        counts: dict[tuple[str, str], int] = {}
        for measure in measures:
            for example in measure.examples:
                query = example.qrels, example.run
                counts[query] = counts.get(query, 0) + 1
        shared = [query for query, count in counts.items() if count >= _SHARED_BY]
        self._letters = {query: chr(ord("A") + number) for number, query in enumerate(shared)}

    def table(self) -> str:
        rows = [
            (f'<a id="query-{letter}"></a>{letter}', _code(qrels), _code(run))
            for (qrels, run), letter in self._letters.items()
        ]
        return markdown_table(("query", "qrels", "ranking"), rows)

    def reference(self, example: Example) -> str:
        letter = self._letters.get((example.qrels, example.run))
        return f"[{letter}](#query-{letter})" if letter else f"{_code(example.qrels)}, ranking {_code(example.run)}"


def _example(example: Example, queries: _Queries) -> tuple[str, ...]:
    options = ([] if example.level == 1 else [f"-l {example.level}"]) + list(example.options)
    if isinstance(example.value, str):
        value = _code(example.value)
    else:
        value = f"{example.value:.4f}".rstrip("0").rstrip(".")
    requested = _code(example.name) + (f" with {_code(' '.join(options))}" if options else "")
    release = f" in {example.release}" if example.release else ""
    return requested + release, queries.reference(example), value, markdown(example.why)


def _section(measure: MeasureRecord, queries: _Queries) -> str:
    """A record as a section of the page."""
    text = f'<a id="{_anchor(measure)}"></a>\n### {measure.name}\n\n**{markdown(measure.title)}.** '
    if _is_field(measure):
        text += _code(measure.name + measure.parameter_kind.usage)
    text = text.rstrip() + f"\n\n{markdown(measure.definition)}\n\n"
    if rows := _arguments(measure):
        cells = [
            (_code(name), markdown(default), markdown(meaning), accepted) for name, default, meaning, accepted in rows
        ]
        text += markdown_table(("argument", "default", "meaning", "accepted"), cells) + "\n"
    text += "".join(f"- {label}: {markdown(fact)}\n" for label, fact in _facts(measure))
    examples = [_example(example, queries) for example in measure.examples]
    return text + "\n" + markdown_table(("asked for", "query", "value", "why"), examples) + "\n"


def _contents(measures: Sequence[MeasureRecord]) -> str:
    if not any(measure.aliases for measure in measures):
        return markdown_table(("measure", "what it is"), [(_link(one), markdown(one.title)) for one in measures])
    return markdown_table(
        ("measure", "what it is", "also called"),
        [(_link(one), markdown(one.title), ", ".join(map(_code, one.aliases))) for one in measures],
    )


_HEAD = """\
# Measures

Printed from the measures' records by `python docs/build.py`.

A name may also be written in lower case (`ap@100`), unless that is a name of trec_eval's (`set`).

A measure is a function of one query's *ranking*, its documents by falling score, and becomes one number for all queries
by a mean or a sum. *R* is the number of relevant documents in the qrels: those whose grade is at or above the relevance
level, 1 unless it is chosen (`-l` of the command, `rel` as an argument). A retrieved document is one of three:

- judged: it has a grade from 0 in the qrels;
- in the pool, but not judged: it has a negative grade there;
- not in the qrels at all. "Unjudged" and "without a judgement" mean both of the last two.

There are two sets of names. What differs between releases of trec_eval, and between them and treckon, stands in
[differences.md](differences.md).

1. [trec_eval's measures](#trec_evals-measures), for the command `trec_eval` and for Python: `ndcg_cut_10`, `P.5,10`
2. [Measures by the field's names](#measures-by-the-fields-names), for Python: `nDCG(gain='exp2')@10`

## The queries of the examples

Grades are written `document=grade`, and the ranking lists documents by falling score. Groups of assessors are separated
by `|`, sub-groups by `/`.

"""

_TREC_EVAL = """\
## trec_eval's measures

In the order in which trec_eval prints them. Parameters follow the name behind a dot (`-m P.5,10`); the printed name has
an underscore there (`P_5`), and is accepted too.

"""

_FIELD = """\
## Measures by the field's names

Written `Name(argument=value, ...)@cutoff`; brackets show what may be left out. Where a relevance level (`rel`), a
`gain` or a `discount` is not given, the evaluation's `level`, `gain` or `discount` counts; the defaults of these are
what stands here. Other names are read as the name that they stand for.

"""


def measures_page(measures: Iterable[MeasureRecord]) -> str:
    """All of docs/measures.md."""
    measures = list(measures)
    queries = _Queries(measures)
    text = _HEAD + queries.table() + "\n"
    for head, is_field in ((_TREC_EVAL, False), (_FIELD, True)):
        own = [measure for measure in measures if _is_field(measure) == is_field]
        text += head + _contents(own) + "\n" + "".join(_section(measure, queries) for measure in own)
    return text
