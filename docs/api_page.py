"""The page docs/api.md: the public names with their signatures and docstrings. docs/build.py prints it."""

from __future__ import annotations

import inspect
import re
from textwrap import indent
from typing import Any

import treckon
from treckon import statistics
from treckon.errors import TreckonError
from treckon.evaluation.conventions import DEFAULTS, OPTIONS, Conventions
from treckon.inputs import as_qrels, as_run

HEAD = """\
# The Python API

Printed from signatures and docstrings by `python docs/build.py`. The [guide](guide/README.md) shows all of it at work;
[measures.md](measures.md) defines the measures.

"""

#: What the page begins with, by topic. Public names that no topic has stand in the last one.
TOPICS = {
    "Score runs": ("evaluate", "Evaluator", "Evaluation"),
    "Measures": ("parse", "parse_all", "Measure", "define", "RankingView"),
    "Files": ("read_run", "read_qrels", "write_run", "write_qrels"),
    "Compare and check": (),
}
#: Classes whose objects users make themselves.
MADE_BY_CALLING = ("Evaluator",)
#: Whose docstrings say what data may be.
FORMS = (("What a run may be", as_run), ("What qrels may be", as_qrels))
#: These have sections of their own.
APART = ("Conventions", "errors")

ENTRY = re.compile(r"^([a-z]\w*(?:, [a-z]\w*)*):(?:\s+(.*))?$")


def shown(default: object) -> str:
    """A default value in the project's style."""
    return f'"{default}"' if isinstance(default, str) else repr(default)


def signature(name: str, function: Any) -> str:
    """As it is called: names and defaults, without types."""
    text, star = [], False
    for one in inspect.signature(function).parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not star:
            text.append("*")
            star = True
        if one.kind is one.VAR_KEYWORD:
            text.append(f"**{one.name}")
        else:
            text.append(one.name if one.default is one.empty else f"{one.name}={shown(one.default)}")
    return f"{name}({', '.join(text)})"


def cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def entries(lines: list[str]) -> list[tuple[str, list[str]]] | None:
    """Lines ``name: meaning``, continued where they are indented, as pairs; None where they are something else."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        match = ENTRY.match(line)
        if match:
            found.append((match[1], [match[2] or ""]))
        elif found and line.startswith("    "):
            found[-1][1].append(line)
        else:
            return None
    return found


def marked(text: str) -> str:
    """Docstring text as Markdown."""
    text = re.sub(r"``([^`]+)``", r"`\1`", text)
    for heading, function in FORMS:
        name = f"`treckon.inputs.{function.__name__}`"
        text = text.replace(name, f"[{name}](#{heading.lower().replace(' ', '-')})")
    return text


def paragraphs(text: str) -> str:
    """A docstring as Markdown."""
    page = ""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = paragraph.split("\n")
        if lines[0].startswith(">>>"):
            page += f"```python\n{paragraph}\n```\n\n"
        elif (rows := entries(lines)) is not None:
            for name, meaning in rows:
                head, rest = meaning[0], meaning[1:]
                if head == "one of" or head.endswith(":") and head.count("``") % 2 == 0:  # laid out by lines
                    listed = inspect.cleandoc("\n".join(["", *rest]))
                    page += f"- `{name}`: {head}\n\n" + indent(f"```text\n{listed}\n```\n", "    ")
                else:
                    page += f"- `{name}`: {marked(cell(' '.join(meaning)))}\n"
            page += "\n"
        elif any(line.startswith("    ") for line in lines):
            page += f"```text\n{paragraph}\n```\n\n"
        else:
            page += marked(paragraph) + "\n\n"
    return page


def members(owner: type) -> list[tuple[str, Any]]:
    """What a class has that users call or read, in the order of its source."""
    return [
        (name, member)
        for name, member in vars(owner).items()
        if (inspect.isfunction(member) or isinstance(member, (property, classmethod)))
        and (not name.startswith("_") or name in ("__call__", "__matmul__"))
    ]


def section(name: str, thing: Any, module: str = "treckon") -> str:
    """A public function or class."""
    page = f'<a id="{module}.{name}"></a>\n### {name}\n\n'
    if not inspect.isclass(thing) or name in MADE_BY_CALLING:
        page += f"```text\n{signature(f'{module}.{name}', thing)}\n```\n\n"
    page += paragraphs(inspect.getdoc(thing) or "")
    for member_name, member in members(thing) if inspect.isclass(thing) else []:
        heading = member_name if isinstance(member, property) else signature(member_name, member)
        page += f"#### `{name}.{heading}`\n\n{paragraphs(inspect.getdoc(member) or '')}"
    return page


def conventions() -> str:
    page = "## Conventions\n\nOptions of `evaluate` and `Evaluator`, by name. A result has them as `conventions`.\n\n"
    page += "| option | default | may be | meaning |\n| --- | --- | --- | --- |\n"
    for name, option in OPTIONS.items():
        accepted = ", ".join(f"`{choice!r}`" for choice in option.choices) or option.accepts
        page += f"| `{name}` | `{DEFAULTS[name]!r}` | {accepted} | {cell(option.meaning)} |\n"
    page += "\n```python\ntreckon.Conventions(**options)\n```\n\n"
    page += "The same options as an object, checked, with each at its value or default.\n\n"
    for name, member in members(Conventions):
        heading = name if isinstance(member, property) else signature(name, member)
        page += f"#### `Conventions.{heading}`\n\n{paragraphs(inspect.getdoc(member) or '')}"
    return page


def statistics_page() -> str:
    """The functions of `treckon.statistics`."""
    page = f"## Statistics\n\n{paragraphs(inspect.getdoc(statistics) or '')}"
    things = [(name, getattr(statistics, name)) for name in statistics.__all__]
    return page + "".join(section(name, one, "treckon.statistics") for name, one in things if callable(one))


def forms() -> str:
    page = ""
    for heading, function in FORMS:
        page += f"## {heading}\n\n" + paragraphs((inspect.getdoc(function) or "").partition("\n\n")[2])
    return page


def errors() -> str:
    page = f"## Errors\n\n{inspect.getdoc(treckon.errors)}\n\n| `treckon.errors.` | is a | |\n| --- | --- | --- |\n"
    for name, one in vars(treckon.errors).items():
        if inspect.isclass(one) and issubclass(one, TreckonError):
            page += f"| `{name}` | `{one.__bases__[0].__name__}` | {cell(marked(inspect.getdoc(one) or ''))} |\n"
    return page


def topics() -> dict[str, tuple[str, ...]]:
    """The public names by topic."""
    placed = {*APART, *(name for names in TOPICS.values() for name in names)}
    *first, last = TOPICS
    return {**{topic: TOPICS[topic] for topic in first}, last: tuple(n for n in treckon.__all__ if n not in placed)}


def api_page() -> str:
    """All of docs/api.md."""
    by_topic = {topic: names for topic, names in topics().items() if names}
    page = HEAD + "| | |\n| --- | --- |\n"
    for names in by_topic.values():
        for name in names:
            first = re.split(r"(?<=\.)\s|\n\n", marked(inspect.getdoc(getattr(treckon, name)) or ""))[0]
            page += f"| [{name}](#treckon.{name}) | {cell(first)} |\n"
    page += f"| [statistics](#statistics) | {cell((inspect.getdoc(statistics) or '').partition('.')[0])}. |\n"
    page += "| [conventions](#conventions) | The options of an evaluation. |\n"
    page += "| [a run](#what-a-run-may-be), [qrels](#what-qrels-may-be) | Forms of data, the same everywhere. |\n"
    page += "| [errors](#errors) | What is raised. |\n\n"
    for topic, names in by_topic.items():
        page += f"## {topic}\n\n" + "".join(section(name, getattr(treckon, name)) for name in names)
    return page + statistics_page() + conventions() + forms() + errors()
