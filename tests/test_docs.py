"""The documentation: printed pages say all that there is, links lead somewhere, examples print what they show.

An example in a page is run where it is marked:

- a ``python`` block with ``>>>`` is a doctest. The blocks of a page share their names and a folder, from top to bottom.
  One below a line ``<!-- needs: pandas -->`` is left out where this library is not installed;
- a ``sh`` block below a line ``<!-- run -->`` is run by sh, in a folder of its own that has trec_fixtures in it. A
  ``text`` block right below it shows all that it prints, on standard output and standard error; without one it prints
  nothing. Below ``<!-- run: real -->`` the folder has the real runs that tests/golden/test_real.py tells of, and it is
  left out where these are absent.
"""

import doctest
import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

import treckon
from treckon.cli.main import COMMANDS
from treckon.inputs.formats import registry as formats
from treckon.measures import registry

ROOT = Path(__file__).resolve().parents[1]

# Pages that are printed, as they are now; a copy that somebody printed before may lie where they will.
PRINTED = {
    ROOT / "docs" / name: text
    for name, text in runpy.run_path(str(ROOT / "docs" / "build.py"))["printed_pages"]().items()
}
MEASURES, API = ROOT / "docs" / "measures.md", ROOT / "docs" / "api.md"
FOLDERS = (ROOT, ROOT / "docs", ROOT / "docs" / "guide", ROOT / "trec_fixtures", ROOT / "benchmarks")
PAGES = sorted({*PRINTED, *(path for folder in FOLDERS for path in folder.glob("*.md"))})

REAL = Path(os.environ.get("TRECKON_REAL") or ROOT.parent / "shared" / "real")

SHELL = re.compile(r"^<!-- run(: real)? -->\n```sh\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^(?:<!-- needs: (\w+) -->\n)?```(?:python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def text_of(path: Path) -> str:
    """The text of a page."""
    return PRINTED.get(path) or path.read_text("utf-8")


class Example(NamedTuple):
    """A block of a page for the shell."""

    path: Path
    line: int
    code: str
    output: str
    real: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def shell_examples() -> list[Example]:
    found = []
    for path in PAGES:
        text = text_of(path)
        for match in SHELL.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Example(path, line, match[2], match[3] or "", bool(match[1])))
    return found


def doctests(path: Path) -> list[tuple[str | None, str, int]]:
    """The doctests of a page: what library each needs, its code, the line before its first."""
    text = text_of(path)
    return [
        (match[1], match[2], text.count("\n", 0, match.start(2)))
        for match in PYTHON.finditer(text)
        if ">>>" in match[2]
    ]


# Pages that are printed


def test_the_page_of_measures_has_every_record():
    page = text_of(MEASURES)
    for measure in registry.all_measures():
        if measure.function is None:  # other tests define more
            assert measure.title in page
            assert f"### {measure.name}\n" in page


def test_the_page_of_the_api_has_all_of_it():
    page = text_of(API)
    for name in {*treckon.__all__} - {"Conventions", "errors"}:
        assert f"### {name}\n" in page
    for option, value in treckon.Conventions().as_dict().items():
        assert f"| `{option}` | `{value!r}` | " in page
    assert "|  |" not in page  # an option whose values the page doesn't know
    for name, error in vars(treckon.errors).items():
        if isinstance(error, type) and issubclass(error, treckon.errors.TreckonError):
            assert f"| `{name}` | " in page


def test_the_pages_are_printed_where_they_are_looked_for(tmp_path: Path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    subprocess.run([sys.executable, tmp_path / "docs" / "build.py"], check=True)
    for path in PRINTED:
        assert (tmp_path / "docs" / path.name).read_text("utf-8") == text_of(path)


@pytest.mark.skipif(not (ROOT / "src").is_dir(), reason="an installed package is tested, not all of the files are here")
def test_every_page_is_on_the_site():
    tabs = runpy.run_path(str(ROOT / "docs" / "build_site.py"))["PAGES"]
    on_site = {ROOT / source for pages in tabs.values() for source, _ in pages.values()}
    # docs/README.md says where the printed pages are in a checkout; on the site they are simply there.
    assert on_site == {*PAGES} - {ROOT / "docs" / "README.md"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_section(command: str):
    section = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", text_of(ROOT / "docs" / "commands.md"), re.M | re.S)
    assert section, f"docs/commands.md has no section '{command}'"
    assert "<!-- run -->" in section[1], f"docs/commands.md shows no example of '{command}'"


def test_every_form_of_text_has_a_section_with_an_example():
    page = text_of(ROOT / "docs" / "inputs.md")
    for name in formats.names_of(formats.RUN, formats.QRELS, formats.GROUPED, formats.PAIR):
        section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
        assert section, f"docs/inputs.md has no section '{name}'"
        assert ">>> treckon.evaluate(" in section[1], f"docs/inputs.md shows no example of '{name}'"
        assert f"[{name}](#{name})" in page, f"the table of docs/inputs.md lacks '{name}'"


# Links


def anchors(path: Path) -> set[str]:
    """What a link into a page can name: explicit ids, and headings as GitHub makes ids of them."""
    text = FENCED.sub("", text_of(path))
    found = set(re.findall(r'<a id="([^"]+)"></a>', text))
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 1
        while slug in found:
            slug, number = f"{slug.removesuffix(f'-{number - 1}')}-{number}", number + 1
        found.add(slug)
    return found


def links(path: Path) -> list[str]:
    """The relative links of a page."""
    text = re.sub(r"`[^`\n]*`", "", FENCED.sub("", text_of(path)))
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]


@pytest.mark.skipif(not (ROOT / "src").is_dir(), reason="an installed package is tested, not all of the files are here")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_lead_somewhere(path: Path):
    for link in links(path):
        file, _, anchor = unquote(link).partition("#")
        target = Path(os.path.normpath(path.parent / file)) if file else path
        assert target in PRINTED or target.exists(), f"{path.name}: {link}"
        assert not anchor or anchor in anchors(target), f"{path.name}: {link}"


def test_no_anchor_stands_twice():
    for path in PAGES:
        ids = re.findall(r'<a id="([^"]+)"></a>', text_of(path))
        assert len(set(ids)) == len(ids), path.name


# Examples


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of trec_fixtures, in case an example writes there."""
    return Path(shutil.copytree(ROOT / "trec_fixtures", tmp_path_factory.mktemp("docs") / "trec_fixtures"))


@pytest.fixture
def folder(tmp_path: Path, fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run an example in; the commands beside this interpreter are found."""
    (tmp_path / "trec_fixtures").symlink_to(fixtures)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]))
    monkeypatch.delenv("TRECKON_COMPAT", raising=False)
    return tmp_path


@pytest.mark.parametrize("example", shell_examples(), ids=str)
@pytest.mark.skipif(os.name != "posix", reason="there is no sh here")
def test_shell_example(example: Example, folder: Path):
    if example.real:
        if not REAL.is_dir():
            pytest.skip("the real runs are not here (TRECKON_REAL)")
        for path in REAL.iterdir():
            (folder / path.name).symlink_to(path)
    finished = subprocess.run(
        ["sh", "-c", example.code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    assert finished.stdout.decode() == example.output


@pytest.mark.parametrize(
    "path", [path for path in PAGES if doctests(path)], ids=lambda path: str(path.relative_to(ROOT))
)
def test_python_examples(path: Path, folder: Path):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    names: dict[str, Any] = {}
    report: list[str] = []
    for library, code, line in doctests(path):
        if library and importlib.util.find_spec(library) is None:
            continue
        test = doctest.DocTestParser().get_doctest(code, names, path.name, str(path), line)
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
    assert not runner.failures, "".join(report)


def test_examples_are_found():
    """A marker that is written differently would leave its example out of the tests in silence."""
    for path in PAGES:
        text = text_of(path)
        assert len(re.findall(r"<!-- *run\b", text)) == len(SHELL.findall(text)), path.name
        assert len(re.findall(r"<!-- *needs\b", text)) == sum(library is not None for library, _, _ in doctests(path))
        if path.parent.name == "guide":
            assert text.count("```python\n") == len(doctests(path)), f"{path.name}: an example without >>>"
