"""One query through the engine: what a measure by a field's name says of a ranking with ties."""

import ast
from collections.abc import Mapping, Sequence

import treckon.measures  # noqa: F401  (fills the registry)
from treckon import registry
from treckon._native.engine import Plan, QrelsScan, Results, RunScan
from treckon._native.qrels import QrelsBuilder


def parsed(text: str):
    """Measure and setting of ``Name(argument=value)@number``."""
    call, _, at = text.partition("@")
    name, _, arguments = call.partition("(")
    measure = registry.find_field(name)
    keywords = ast.parse(f"f({arguments or ')'}", mode="eval").body.keywords
    values = {one.arg: ast.literal_eval(one.value) for one in keywords}
    return measure, measure.parameters.setting(ast.literal_eval(at) if at else None, values)


def values_of(
    names: Sequence[str],
    grades: Mapping[str, int],
    groups: Sequence[Sequence[str]],
    *,
    expected: bool = False,
    highest_grade: int | None = None,
    **conventions: object,
) -> list[float]:
    """Values for a ranking given as groups of tied documents, best first; `expected`: means over all their orders."""
    highest = max(grades.values(), default=0) if highest_grade is None else highest_grade
    pairs = [parsed(name) for name in names]
    kernels = [(one.expected if expected else one.kernel, setting, False, one.missing) for one, setting in pairs]
    ties = "expected" if expected else "input"
    plan = Plan(kernels, ties=ties, highest_grade=max(highest, 0), **conventions)
    builder = QrelsBuilder()
    qrels = QrelsScan(builder, "qrels", "10.0", False)
    qrels.feed("".join(f"q 0 {docno} {grade}\n" for docno, grade in grades.items()).encode())
    qrels.end()
    results = Results(builder.finish("10.0", False), plan, -1)
    run = RunScan(results, "10.0", False)
    lines = [f"q Q0 {docno} 0 {-place} tag\n" for place, group in enumerate(groups) for docno in group]
    run.feed("".join(lines).encode())
    run.end()
    if not lines:
        results.evaluate_missing()
    return results.row(0)


def value_of(name: str, grades: Mapping[str, int], ranking: Sequence[str], **more: object) -> float:
    return values_of([name], grades, [[docno] for docno in ranking], **more)[0]
