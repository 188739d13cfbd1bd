"""Builds the site from the Markdown of the repository into build/site; a link that leads nowhere is an error.

python docs/build_site.py

The sources are laid out in build/site-pages, where a page of its own stands for each measure and links lead to where
things are on the site. What the site lacks (code, tests) is linked on the code host. Needs `pip install --group docs`.
"""

from __future__ import annotations

import logging
import os
import re
import runpy
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
LAID_OUT = ROOT / "build" / "site-pages"

#: The navigation: tab -> title -> (file of the repository, page of the site).
PAGES: dict[str, dict[str, tuple[str, str]]] = {
    "Home": {"Overview": ("README.md", "index.md")},
    "Guide": {
        "The guide": ("docs/guide/README.md", "guide/index.md"),
        "Score a run": ("docs/guide/score-a-run.md", "guide/score-a-run.md"),
        "Conventions": ("docs/guide/conventions.md", "guide/conventions.md"),
        "Compare runs": ("docs/guide/compare-runs.md", "guide/compare-runs.md"),
        "Many runs": ("docs/guide/many-runs.md", "guide/many-runs.md"),
        "Why two tools disagree": ("docs/guide/why-tools-disagree.md", "guide/why-tools-disagree.md"),
        "Other judgements": ("docs/guide/other-judgements.md", "guide/other-judgements.md"),
        "Your own measure": ("docs/guide/own-measure.md", "guide/own-measure.md"),
        "Speed and memory": ("docs/guide/speed.md", "guide/speed.md"),
        "Switch from another evaluator": ("docs/switching.md", "switching.md"),
    },
    "Measures": {"All measures": ("docs/measures.md", "measures/index.md")},
    "Reference": {
        "Commands": ("docs/commands.md", "commands.md"),
        "Forms of input": ("docs/inputs.md", "inputs.md"),
        "Python API": ("docs/api.md", "api.md"),
        "Differences from trec_eval": ("docs/differences.md", "differences.md"),
        "Recorded cases": ("trec_fixtures/README.md", "recorded-cases.md"),
    },
    "Project": {
        "Changelog": ("CHANGELOG.md", "changelog.md"),
        "Performance": ("docs/performance.md", "performance.md"),
        "Benchmarks": ("benchmarks/README.md", "benchmarks.md"),
        "Design": ("docs/design.md", "design.md"),
        "Contributing": ("CONTRIBUTING.md", "contributing.md"),
        "Releasing": ("docs/releasing.md", "releasing.md"),
        "Security": ("SECURITY.md", "security.md"),
        "Code of conduct": ("CODE_OF_CONDUCT.md", "code-of-conduct.md"),
    },
}
MEASURES = "docs/measures.md"


FENCED = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
#: A code span, which is passed over, or a link.
LINK = re.compile(r"`[^`\n]*`|\[(?P<text>[^\[\]]*)\]\((?P<target>[^)\s]+)\)")
PRINTED_LINK = re.compile(r"\[(measures|api)\.md\]\((?P<path>[^)\s]*)README\.md#printed-pages\)")
#: The name of a page in this repository, as the text of a link.
FILE_NAME = re.compile(r"[\w/-]+\.md|docs/guide")
TABLE_ROW = re.compile(r"^\|.*$", re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
MEASURE = re.compile(
    r'^<a id="(?P<anchor>[^"]+)"></a>\n### (?P<name>[^\n]+)\n(?P<text>.*?)(?=^<a id="|^## |\Z)',
    re.MULTILINE | re.DOTALL,
)
QUERY = re.compile(r'^\| <a id="(query-\w+)"></a>.*\n', re.MULTILINE)


@dataclass
class Page:
    """A page of the site: its title, its text as it is in the repository's file `source`, its place on the site."""

    title: str
    source: str
    place: str
    text: str


def measure_pages(printed: str) -> dict[str, Page]:
    """The sections of docs/measures.md by their anchors, as pages; each has the queries that its examples share."""
    rows = {match[1]: match[0] for match in QUERY.finditer(printed)}
    pages = {}
    for match in MEASURE.finditer(printed):
        text = f"# {match['name']}\n{match['text']}"
        if used := [row for anchor, row in rows.items() if f"(#{anchor})" in text]:
            text += "\n## Queries of the examples\n\n| query | qrels | ranking |\n| --- | --- | --- |\n" + "".join(used)
        pages[match["anchor"]] = Page(match["name"], MEASURES, f"measures/{match['anchor']}.md", text)
    if not pages or len({anchor.casefold() for anchor in pages}) < len(pages):
        raise SystemExit(f"{MEASURES}: expected sections whose anchors differ in more than case")
    return pages


class Site:
    """The pages, and where things of the repository are on the site."""

    def __init__(self) -> None:
        printed = {f"docs/{name}": text for name, text in printed_pages().items()}
        self.measures = measure_pages(printed[MEASURES])
        printed[MEASURES] = MEASURE.sub("", printed[MEASURES])
        self.tabs = {
            tab: [
                Page(title, source, place, printed.get(source) or (ROOT / source).read_text("utf-8"))
                for title, (source, place) in places.items()
            ]
            for tab, places in PAGES.items()
        }
        self.tabs["Measures"] += self.measures.values()
        self.places = dict(place for places in PAGES.values() for place in places.values())
        self.titles = {page.place: page.title for pages in self.tabs.values() for page in pages}
        self.code_host = project_urls()["Source"]

    def place(self, target: str, page: Page) -> str:
        """What a link of the repository leads to: a page of the site with an anchor, or an address."""
        file, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page.source), file)) if file else page.source
        if path == MEASURES and anchor in self.measures:
            return self.measures[anchor].place
        if path == page.source and f'<a id="{anchor}"' in page.text:
            return f"{page.place}#{anchor}"
        if path in self.places:
            return f"{self.places[path]}#{anchor}".removesuffix("#")
        if not (ROOT / path).exists():
            return target  # MkDocs says so
        return f"{self.code_host}/{'tree' if (ROOT / path).is_dir() else 'blob'}/main/{path}"

    def link(self, text: str, target: str, page: Page) -> str:
        """A link of the repository as one of the site; in place of a file's name it says the page's title."""
        if not re.match(r"\w+:", target):
            target = self.place(target, page)
        if re.match(r"\w+:", target):
            return f"[{text}]({target})"
        place, mark, anchor = target.partition("#")
        if FILE_NAME.fullmatch(text):
            text = self.titles.get(place, text)
        relative = os.path.relpath(place, os.path.dirname(page.place) or ".")
        return f"[{text}]({relative}{mark}{anchor})"

    def markdown(self, page: Page) -> str:
        """A page's text with links of the site, and as Python-Markdown reads it."""

        def rewritten(match: re.Match[str]) -> str:
            return self.link(match["text"], match["target"], page) if match["target"] else match[0]

        def row(match: re.Match[str]) -> str:  # no bar is escaped in code here
            return CODE.sub(lambda code: code[0].replace("\\|", "|"), match[0])

        parts = FENCED.split(page.text)
        for number, part in enumerate(parts):
            if number % 2:  # a fenced block
                parts[number] = re.sub(r"^```python\n(?=>>>)", "```pycon\n", part)
            else:
                part = PRINTED_LINK.sub(r"[\1.md](\2\1.md)", part)
                parts[number] = TABLE_ROW.sub(row, LINK.sub(rewritten, part))
        return ("---\nhide: [navigation]\n---\n" if page.place == "index.md" else "") + "".join(parts)

    def lay_out(self) -> None:
        """Writes the pages, and what the theme takes from beside them."""
        shutil.rmtree(LAID_OUT, ignore_errors=True)
        for page in (page for pages in self.tabs.values() for page in pages):
            path = LAID_OUT / page.place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.markdown(page), "utf-8")
        shutil.copy(DOCS / "site.css", LAID_OUT)

    def navigation(self) -> list[dict[str, str | list[dict[str, str]]]]:
        """The navigation as MkDocs takes it; a tab of one page is that page."""
        return [
            {tab: pages[0].place if len(pages) == 1 else [{page.title: page.place} for page in pages]}
            for tab, pages in self.tabs.items()
        ]


def printed_pages() -> dict[str, str]:
    """The pages that docs/build.py prints."""
    pages: dict[str, str] = runpy.run_path(str(DOCS / "build.py"))["printed_pages"]()
    return pages


def project_urls() -> dict[str, str]:
    """The project's addresses, from pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        urls: dict[str, str] = tomllib.load(file)["project"]["urls"]
    return urls


def main() -> None:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    logging.basicConfig(format="%(levelname)s: %(message)s")
    site = Site()
    site.lay_out()
    build(load_config(str(ROOT / "mkdocs.yml"), nav=site.navigation(), site_url=project_urls()["Documentation"]))


if __name__ == "__main__":
    main()
