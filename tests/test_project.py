"""What several files say about the project: Pythons, the version, addresses."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
TEXT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT: dict[str, Any] = TEXT["project"]


def built_versions(suffix: str) -> list[str]:
    """The Pythons that wheels are built for, as "3.10": those whose identifiers end in `suffix`."""
    identifiers = TEXT["tool"]["cibuildwheel"]["build"].split()
    return [f"3.{match[1]}" for text in identifiers if (match := re.fullmatch(rf"cp3(\d+){suffix}-\*", text))]


def test_the_same_pythons_everywhere():
    classified = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    first, last = int(classified[0][2:]), int(classified[-1][2:])
    assert classified == [f"3.{minor}" for minor in range(first, last + 1)]
    assert PROJECT["requires-python"] == f">={classified[0]}"
    built = built_versions("")
    assert built[: len(classified)] == classified  # the newest are built and tried before they are promised
    assert TEXT["tool"]["ruff"]["target-version"] == f"py3{first}"
    free_threaded = built_versions("t")
    assert free_threaded and set(free_threaded) <= set(built)
    assert len(TEXT["tool"]["cibuildwheel"]["build"].split()) == len(built) + len(free_threaded)


@pytest.mark.parametrize(
    "file, pattern",
    [
        ("CITATION.cff", r"^version: (.+)$"),
        ("conda/recipe.yaml", r'^  version: "(.+)"$'),
        ("CHANGELOG.md", r"^## \[(.+)\]"),
    ],
)
def test_the_same_version_everywhere(file: str, pattern: str):
    match = re.search(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE)
    assert match and match[1] == PROJECT["version"]


def test_conda_wants_what_the_package_wants():
    recipe = (ROOT / "conda" / "recipe.yaml").read_text("utf-8")
    wanted = [*PROJECT["dependencies"], *TEXT["build-system"]["requires"]]
    for requirement in wanted:
        name, limits = re.fullmatch(r"([A-Za-z]+)(.*)", requirement).groups()
        assert f"- {name.lower()} {limits}\n" in recipe


def test_the_addresses_of_the_project_stand_in_one_place():
    """Until they are real ones, they are found by one look."""
    folders = [ROOT / name for name in (".github", "benchmarks", "conda", "docs", "src", "trec_fixtures")]
    paths = [*ROOT.iterdir(), *(path for folder in folders for path in folder.rglob("*"))]
    texts = [path for path in paths if path.suffix in (".cff", ".md", ".py", ".toml", ".yaml", ".yml")]
    assert [path.name for path in texts if "https://example.org" in path.read_text("utf-8")] == ["pyproject.toml"]
