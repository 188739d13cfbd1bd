"""Imports point one way, and a measure is known by its record: rules of docs/design.md that no linter sees in .pyx."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import treckon.measures  # noqa: F401  (fills the registry)
from treckon.measures import registry

SOURCE = Path(__file__).resolve().parents[1] / "src" / "treckon"

# Lowest first: a module may import those of its own layer and of the layers above it in this list, no others.
# A module of a package may have an entry of its own, which goes before the package's.
LAYERS = [
    {"errors", "lazy", "records", "releases", "threads"},
    {"checks", "scalars", "_native", "measures.parameters", "measures.aggregation"},
    {"measures.registry"},
    {"measures"},
    {"naming"},
    {"statistics"},
    {"inputs"},
    {"evaluation"},
    {"analysis"},
    {"reports"},
    {"compat"},
    {"cli", "__init__", "__main__"},
]
LAYER = {part: number for number, parts in enumerate(LAYERS) for part in parts}

# Where measures may be called by their names: their records, the history of trec_eval, and what other tools call them.
NAMING = {
    "measures",
    "naming",
    "compat",
    "analysis/crosschecking/tool_names.py",
    "analysis/crosschecking/tool_habits.py",
}

pytestmark = pytest.mark.skipif(not SOURCE.is_dir(), reason="an installed package is tested, its source is not here")

IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\([^)]*\)|.+)|c?import[ \t]+(.+))$", re.MULTILINE
)
LITERAL = re.compile(r"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#.*")


def source_files():
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in {".py", ".pyx", ".pxd"})


def module_name(path):
    """`cli/__init__.py` is the module `cli`, the package's own `__init__.py` is `__init__`."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def imported_names(path):
    """(module as written, names taken from it) for each import of a file, wherever in the file it stands."""
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                yield "." * node.level + (node.module or ""), [alias.name for alias in node.names]
            elif isinstance(node, ast.Import):
                yield from ((alias.name, []) for alias in node.names)
        return
    text = LITERAL.sub(lambda match: "" if match[0][0] == "#" else '""', path.read_text("utf-8"))
    for module, names, modules in IMPORT.findall(text):
        if module:
            yield module, re.findall(r"(\w+)(?:\s+as\s+\w+)?", names)
        else:
            yield from ((name.split()[0], []) for name in modules.split(","))


def own_imports(path, modules):
    """The modules of this package that a file imports."""
    for module, names in imported_names(path):
        assert not module.startswith("."), f"{path}: write {module!r} out: imports are absolute"
        if module.partition(".")[0] != "treckon":
            continue
        inner = module.partition(".")[2]
        for name in names or [""]:
            longer = f"{inner}.{name}".strip(".")
            yield longer if longer in modules else inner or "__init__"


@pytest.fixture(scope="module")
def graph():
    """Each module with the modules that it imports; a .pxd belongs to its .pyx."""
    modules = {module_name(path) for path in source_files()}
    imports = {module: set() for module in modules}
    for path in source_files():
        imports[module_name(path)] |= set(own_imports(path, modules)) - {module_name(path)}
    return imports


def layer(module):
    part = module if module in LAYER else module.partition(".")[0]
    assert part in LAYER, f"{module} is not in LAYERS, the table of this test"
    return LAYER[part]


def test_imports_point_down(graph):
    upward = []
    for module, imports in sorted(graph.items()):
        own = layer(module)
        upward += [f"{module} imports {imported}" for imported in sorted(imports) if layer(imported) > own]
    assert not upward, "\n".join(["imports against the layers:", *upward])


def test_imports_run_in_no_circle(graph):
    TopologicalSorter(graph).prepare()


def test_headers_of_our_own_are_used_in_the_core_only():
    for path in source_files():
        headers = re.findall(r"cdef extern from \"([^\"]+)\"", path.read_text("utf-8"))
        ours = [header for header in headers if (SOURCE / "_native" / header).exists()]
        assert not ours or path.parent.name == "_native", f"{path} uses {ours}"


def string_literals(path):
    """The value of each string literal of a file."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        constants = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
        return {value.decode("latin-1") if isinstance(value, bytes) else value for value in constants}
    return {literal.strip("\"'") for literal in LITERAL.findall(text) if literal[0] != "#"}


def test_measures_are_named_by_their_records_only():
    """Shorter names (P, G, map) are words of their own; a longer one in a literal is knowledge of one measure."""
    names = {measure.name for measure in registry.all_measures() if len(measure.name) >= 4}
    assert names, "the registry is empty"
    named = [
        f"{path.relative_to(SOURCE)}: {', '.join(sorted(found))}"
        for path in source_files()
        if not NAMING & {path.relative_to(SOURCE).parts[0], path.relative_to(SOURCE).as_posix()}
        and (found := names & string_literals(path))
    ]
    assert not named, "\n".join(["measures called by their names:", *named])
