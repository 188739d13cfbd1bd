"""The record of every measure: complete, and its worked examples are what the command prints."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import treckon.measures  # noqa: F401  (fills the registry)
from treckon.measures import registry
from treckon.measures.parameters import Cutoffs
from treckon.measures.registry import (
    INTEGER,
    REAL,
    TEXT,
    VIEW_JUDGMENT_GROUPS,
    VIEW_PREFERENCES,
    VIEW_RANKING,
    VIEW_RUN,
    Example,
    MeasureRecord,
)

MEASURES = list(registry.all_measures())
RELEASES = ("9.0.8", "10.0")

every_measure = pytest.mark.parametrize(
    "measure", MEASURES, ids=lambda measure: measure.name if measure.since else f"field's {measure.name}"
)


@every_measure
def test_a_record_says_what_its_measure_is(measure: MeasureRecord):
    assert measure.title and "\n" not in measure.title
    assert re.search(r"\b(19|20)[0-9]{2}\b|trec_eval", measure.source), "expected a paper with its year"
    lines = measure.definition.split("\n")
    assert len(measure.definition) > 60
    assert all(line == line.strip() and 0 < len(line) <= 100 for line in lines)


@every_measure
def test_a_record_has_worked_examples(measure: MeasureRecord):
    assert len(measure.examples) >= 2
    for example in measure.examples:
        behind = example.name.removeprefix(measure.name)
        assert behind != example.name and behind[:1] in ("", *("_" if measure.since else "(@"))
        assert example.why
        assert isinstance(
            example.value, str if measure.value_type == TEXT else int if measure.value_type == INTEGER else float
        )


@every_measure
def test_kernel_and_kind_of_value_fit(measure: MeasureRecord):
    assert (measure.kernel is None) == (measure.view == VIEW_RUN)
    assert measure.value_type in (REAL, INTEGER, TEXT)
    assert measure.per_query or measure.summary
    if measure.kernel is not None:
        assert measure.kernel.is_text == (measure.value_type == TEXT)


def test_a_name_is_registered_once_in_each_namespace():
    for measure in MEASURES:
        find = registry.find if measure.since else registry.find_field
        assert find(measure.name) is measure
        assert all(registry.find_field(alias) is measure for alias in measure.aliases)
    with pytest.raises(ValueError, match="'AP' is registered already"):
        registry.register(registry.find_field("AP"))
    with pytest.raises(ValueError, match="'map' is registered already"):
        registry.register(registry.find("map"))


# Printed names

CUTOFFS = ["_5", "_10", "_15", "_20", "_30", "_100", "_200", "_500", "_1000"]
MULTIPLES = ["_0.20", "_0.40", "_0.60", "_0.80", "_1.00", "_1.20", "_1.40", "_1.60", "_1.80", "_2.00"]
SUFFIXES = {
    "iprec_at_recall": [
        "_0.00",
        "_0.10",
        "_0.20",
        "_0.30",
        "_0.40",
        "_0.50",
        "_0.60",
        "_0.70",
        "_0.80",
        "_0.90",
        "_1.00",
    ],
    "P": CUTOFFS,
    "recall": CUTOFFS,
    "relative_P": CUTOFFS,
    "map_cut": CUTOFFS,
    "ndcg_cut": CUTOFFS,
    "P_avgjg": CUTOFFS,
    "success": ["_1", "_5", "_10"],
    "unj": ["_5", "_10", "_20"],
    "Rprec_mult": MULTIPLES,
    "Rprec_mult_avgjg": MULTIPLES,
}


@every_measure
def test_default_parameters_print_the_names_of_trec_eval(measure: MeasureRecord):
    if measure.since is not None:
        assert [setting.suffix for setting in measure.parameter_kind.defaults()] == SUFFIXES.get(measure.name, [""])


# Worked examples


FORMATS = {VIEW_RUN: "qrels", VIEW_RANKING: "qrels", VIEW_JUDGMENT_GROUPS: "qrels_jg", VIEW_PREFERENCES: "prefs"}


def judgement_lines(qrels: str, rel_format: str) -> str:
    """Lines of a judgement file for "a=2 b=0 / b=1 | a=1": groups "g1" and so on, with sub-groups "s1" and so on."""
    lines = []
    for i, group in enumerate(qrels.split("|"), 1):
        for j, subgroup in enumerate(group.split("/"), 1):
            columns = f"g{i} s{j}" if rel_format == "prefs" else f"g{i}"
            lines += [f"q {columns} {judgement.replace('=', ' ')}\n" for judgement in subgroup.split()]
    return "".join(lines)


def run_lines(run: str) -> str:
    docnos = run.split()
    return "".join(f"q Q0 {docno} 0 {len(docnos) - i} example\n" for i, docno in enumerate(docnos))


def printed(measure: MeasureRecord, value: float | str) -> str:
    if measure.value_type == REAL:
        return f"{value:6.4f}"
    return f"'{value}'" if measure.value_type == TEXT and measure.per_query else str(value)


def releases(measure: MeasureRecord, example: Example) -> tuple[str, ...]:
    return (example.release,) if example.release else RELEASES[RELEASES.index(measure.since) :]


EXAMPLES = [
    pytest.param(measure, example, release, id=f"{example.name} {release}")
    for measure in MEASURES
    if measure.since is not None  # others are not the command's
    for example in measure.examples
    for release in releases(measure, example)
]


@pytest.mark.parametrize(("measure", "example", "release"), EXAMPLES)
def test_worked_example(measure: MeasureRecord, example: Example, release: str, tmp_path: Path, trec_eval: Callable):
    rel_format = FORMATS[measure.view]
    (tmp_path / "qrels").write_text(judgement_lines(example.qrels, rel_format))
    (tmp_path / "run").write_text(run_lines(example.run))
    parameters = example.name[len(measure.name) + 1 :]
    asked = f"{measure.name}.{parameters}" if parameters else measure.name
    options = ["--compat", release, "-q", "-R", rel_format, "-l", str(example.level), *example.options, "-m", asked]
    finished = trec_eval(*options, "qrels", "run", folder=tmp_path)
    assert (finished.status, finished.stderr) == (0, b"")
    query = "q" if measure.per_query else "all"
    lines = [line.split("\t") for line in finished.stdout.decode().splitlines()]
    values = [value for name, topic, value in lines if (name.rstrip(), topic) == (example.name, query)]
    assert values == [printed(measure, example.value)], example.why


@pytest.mark.parametrize("record", [record for record in MEASURES if record.field_name], ids=lambda record: record.name)
def test_the_field_s_name_of_a_measure_of_trec_eval_is_the_field_s(record: MeasureRecord):
    field = registry.find_field(record.field_name)
    assert record.since is not None and field is not None and field.name == record.field_name
    assert (field.view, field.aggregate) == (record.view, record.aggregate)
    if isinstance(record.parameter_kind, Cutoffs):
        assert field.parameter_kind.at == "cutoff"


def test_sources_are_citations():
    """A name of this package's code in a title is what a search and replace left there."""
    for measure in MEASURES:
        assert "MeasureRecord" not in measure.source + measure.title + measure.definition
