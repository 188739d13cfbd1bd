"""ir_measures with treckon as its provider, and its measures as ours and back.

``register(first=True)`` makes every call of ir_measures evaluate with treckon, whatever form its qrels and runs have:

    import ir_measures
    import treckon.compat.ir_measures
    treckon.compat.ir_measures.register(first=True)
    ir_measures.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)

Needs the package ir_measures, which is the extra "ir-measures" of treckon.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import GEN_CREATED, getgeneratorlocals, getgeneratorstate, isgenerator
from math import inf, isclose, sqrt
from os import PathLike
from typing import Any, NamedTuple

try:
    import ir_measures
    from ir_measures import CwlMetric, Metric, providers
    from ir_measures.measures import registry as _their_measures
except ImportError as _missing:
    raise ImportError(
        "treckon.compat.ir_measures needs the package ir_measures: pip install 'treckon[ir-measures]'"
    ) from _missing

import treckon.measures  # noqa: F401  (fills the registry)
from treckon.errors import EvaluationError, NoQueriesError, ParameterError, TreckonError, UnknownMeasureError
from treckon.evaluation.conventions import Conventions
from treckon.evaluation.conventions_policy import MISSING_QUERIES
from treckon.evaluation.evaluator import Evaluator
from treckon.inputs.values import mapping_of
from treckon.measures import registry
from treckon.naming.ir_measures import DCG
from treckon.naming.syntax import Measure, field_measure, parse
from treckon.releases import RELEASE_9

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from treckon.evaluation.results import Evaluation

__all__ = ["Provider", "from_ir_measures", "register", "to_ir_measures", "unregister"]

NAME = "treckon"

#: Those of ir_measures: trec_eval 9.0.8's, by way of pytrec_eval; and a judgement may be listed twice.
CONVENTIONS = {"compat": RELEASE_9, "equal_judgements": "merge"}


# Measures


def from_ir_measures(measure: Any) -> Measure:
    """Our measure for one of ir_measures', the one with the value that is right by its definition there.

    ``SetF(beta=2)`` becomes ``SetF(beta=1.41...)``, since there beta stands for its own square; ``ERR@20`` becomes
    ``ERR(max_rel=4)@20``, since there 4 is always the highest grade.

    Raises UnknownMeasureError for a measure of its user's own, ParameterError for parameters that neither can have.
    """
    if not isinstance(measure, ir_measures.measures.BaseMeasure):
        raise UnknownMeasureError(f"expected a measure of ir_measures, found {measure!r}")
    name, parameters = measure.NAME, dict(measure.params)
    record = registry.find_field(name)
    if record is None or type(measure) is not type(_their_measures.get(name)):
        raise UnknownMeasureError(f"{measure}: treckon has no such measure")
    for parameter, info in measure.SUPPORTED_PARAMS.items():
        if info.required and parameter not in parameters:
            raise ParameterError(f"{measure}: expected {parameter}, found none")
    if any(parameter not in measure.SUPPORTED_PARAMS for parameter in parameters):
        raise ParameterError(f"{measure}: ir_measures' {name} takes {', '.join(measure.SUPPORTED_PARAMS) or 'nothing'}")
    at = parameters.pop(measure.AT_PARAM, None)
    if name == "SetF":
        square = parameters.get("beta", 1.0)
        parameters["beta"] = sqrt(square) if isinstance(square, (int, float)) and square >= 0 else square
    elif name == "ERR":
        parameters["max_rel"] = 4
    elif name == "RBP" and "rel" not in parameters:
        raise ParameterError(f"{measure}: expected rel; without it its gains are grades that nothing divides")
    return field_measure(record, at, parameters)


def to_ir_measures(measure: str | Measure) -> Any:
    """ir_measures' measure for one of ours, or for a text of one.

    Raises ParameterError where ir_measures has no such argument or value, UnknownMeasureError where it has no such
    measure.
    """
    measure = parse(measure)
    if measure.record.since is not None:
        return _of_trec_eval(measure)
    name = measure.record.name
    arguments: dict[str, Any] = measure.arguments
    if name == "NumRelRet":
        name = "NumRet"
        arguments.setdefault("rel", 1)
    theirs = _their_measures.get(name)
    if theirs is None:
        raise UnknownMeasureError(f"{measure}: ir_measures has no such measure")
    arguments = _their_arguments(measure, name, arguments)
    if measure.at is not None:
        arguments[theirs.AT_PARAM] = measure.at
    unknown = next((one for one in arguments if one not in theirs.SUPPORTED_PARAMS), None)
    if unknown is not None:
        raise ParameterError(f"{measure}: ir_measures' {name} has no {unknown}")
    # Its measures are equal where their arguments stand in the same order.
    ordered = {
        one: float(arguments[one]) if info.dtype is float else arguments[one]
        for one, info in theirs.SUPPORTED_PARAMS.items()
        if one in arguments
    }
    return theirs(**ordered) if ordered else theirs


def _their_arguments(measure: Measure, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as ir_measures has them."""
    if name == "SetF" and "beta" in arguments:
        square = arguments["beta"] ** 2
        arguments["beta"] = round(square, 12) if isclose(square, round(square, 12), rel_tol=1e-14) else square
    elif name == "ERR":
        if arguments.pop("max_rel", 0) != 4:
            raise ParameterError(f"{measure}: ir_measures takes 4 for the highest grade always: ERR(max_rel=4)")
    elif name == "RBP":
        arguments.setdefault("rel", 1)
    elif name == "nDCG":
        gain, discount = arguments.pop("gain", "linear"), arguments.pop("discount", "log2")
        dcg = next((dcg for dcg, meant in DCG.items() if meant == (gain, discount)), None)
        if isinstance(gain, dict) and discount == "log2":
            arguments["gains"] = gain
        elif dcg is None:
            raise ParameterError(f"{measure}: ir_measures' {name} has no such gain or discount")
        elif dcg != "log2":
            arguments["dcg"] = dcg
    elif name == "Compat" and arguments.get("depth") == 0:
        del arguments["depth"]
    elif arguments.get("as_ndeval"):
        del arguments["as_ndeval"]
    return arguments


def _of_trec_eval(measure: Measure) -> Any:
    try:
        found = ir_measures.parse_trec_measure(str(measure))
    except ValueError:
        found = []
    if len(found) != 1:
        raise UnknownMeasureError(f"{measure}: ir_measures has no such measure")
    return found[0]


# The provider


class Provider(providers.Provider):
    """Evaluates with treckon whatever measures both have.

    conventions: as of `treckon.Evaluator`, in place of ir_measures' (those of trec_eval 9.0.8)

    Raises ParameterError for a convention that can't be.
    """

    NAME = NAME
    SUPPORTED_MEASURES = [
        measure(**{parameter: providers.base.Any() for parameter in measure.SUPPORTED_PARAMS})
        if measure.SUPPORTED_PARAMS
        else measure
        for measure in {repr(measure): measure for measure in _their_measures.values()}.values()
        if registry.find_field(measure.NAME) is not None and not measure.params
    ]

    def __init__(self, **conventions: Any) -> None:
        super().__init__()
        self._conventions = {**CONVENTIONS, **conventions}
        Conventions(**self._conventions)

    def supports(self, measure: Any) -> bool:
        """Whether both have this measure with these parameters."""
        try:
            from_ir_measures(measure)
        except TreckonError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(list(measures), qrels, self._conventions)


class _Evaluator(providers.Evaluator):
    """Evaluates runs against the same qrels: one of ours for measures of rankings, one for those of subtopics."""

    def __init__(self, measures: list[Any], qrels: Any, conventions: dict[str, Any]) -> None:
        ours = {measure: from_ir_measures(measure) for measure in measures}
        of_subtopics = {theirs for theirs, one in ours.items() if one.record.view == registry.VIEW_SUBTOPICS}
        of_rankings = set(ours) - of_subtopics
        qrels = _unread(qrels, ir_measures.read_trec_qrels)
        if of_subtopics and of_rankings:
            qrels = _readable_twice(qrels)
        self._parts: list[_Part] = []
        if of_rankings or not of_subtopics:
            part = {theirs: one for theirs, one in ours.items() if theirs in of_rankings}
            self._parts.append(_Part(qrels, part, conventions))
        if of_subtopics:
            part = {theirs: one for theirs, one in ours.items() if theirs in of_subtopics}
            self._parts.append(_Part(_by_subtopic(qrels), part, {"format": "subtopics", **conventions}))
        super().__init__(measures, set(self._parts[0].query_ids))

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """The values of each query and measure; then 0 for the judged queries that the run lacks."""
        run = _unread(run, ir_measures.read_trec_run)
        if len(self._parts) > 1:
            run = _readable_twice(run)
        missing = []
        for part in self._parts:
            evaluation = part.evaluation(run)
            evaluated: set[str] = set()
            if evaluation is not None:
                yield from part.metrics(evaluation)
                evaluated.update(evaluation.query_ids)
            absent = [query_id for query_id in part.query_ids if query_id not in evaluated]
            missing += [Metric(query_id, one, one.DEFAULT) for query_id in absent for one in part.of_missing]
        yield from missing


class _Part:
    """Measures that one of our evaluators has."""

    def __init__(self, qrels: Any, measures: dict[Any, Measure], options: dict[str, Any]) -> None:
        streams = [_stream(theirs, one) for theirs, one in measures.items()]
        self._evaluator = Evaluator(qrels, [one for stream in streams for one in stream.needed], **options)
        self.query_ids = self._evaluator.query_ids
        self.of_missing = [stream.measure for stream in streams if stream.of_missing]
        at = {one: column for column, one in enumerate(self._evaluator.measures)}
        self._plan = [(stream.measure, stream.make, [at[one] for one in stream.needed]) for stream in streams]

    def evaluation(self, run: Any) -> Evaluation | None:
        """Evaluates a run; None where it has no judged query, which ir_measures takes for queries that it lacks.

        Raises EvaluationError for scores or grades that are no numbers, as ir_measures does.
        """
        try:
            evaluation = self._evaluator.evaluate(run)
        except NoQueriesError:
            return None
        for warning in evaluation.warnings:
            if warning.kind != MISSING_QUERIES:
                raise EvaluationError(warning)
        return evaluation

    def metrics(self, evaluation: Evaluation) -> Iterator[Any]:
        """The values of each query that was evaluated, query by query."""
        for query_id, row in zip(evaluation.query_ids, evaluation.values.tolist(), strict=True):
            for measure, make, columns in self._plan:
                metric = make(query_id, measure, *[row[column] for column in columns])
                if metric is not None:
                    yield metric


class _Stream(NamedTuple):
    """Where a measure's values come from.

    make:       (query id, measure, values of `needed`) to ir_measures' object, or None where there is no value
    of_missing: whether judged queries that the run lacks have the value 0, or none
    """

    measure: Any
    needed: list[Measure]
    make: Callable[..., Any] = Metric
    of_missing: bool = True


def _stream(theirs: Any, measure: Measure) -> _Stream:
    record = measure.record
    if "of" in record.arguments:
        return _Stream(theirs, [measure, *(measure(of=of) for of in ("ETU", "EC", "ETC", "ED"))], CwlMetric)
    if record.name == "RBP" and measure.at is None:
        items = parse("CWL_RBP")(p=measure.arguments.get("p", 0.8), of="ED")
        return _Stream(theirs, [measure, items], _of_persistent_user)
    if record.name == "Accuracy":
        hits, cutoff = parse("Hits")(rel=measure.arguments.get("rel", 1)), measure.at or inf
        needed = [measure, hits if measure.at is None else hits @ measure.at, parse("NumRet")]
        return _Stream(theirs, needed, partial(_where_pairs_are, cutoff), of_missing=False)
    return _Stream(theirs, [measure], Metric if record.per_query else _each_once)


def _of_persistent_user(query_id: str, measure: Any, value: float, items: float) -> Any:
    """Who pays 1 for every document."""
    return CwlMetric(query_id, measure, value, value * items, 1.0, items, items)


def _where_pairs_are(
    cutoff: float, query_id: str, measure: Any, value: float, n_relevant: float, n_retrieved: float
) -> Any:
    """Nothing for a query without a pair of a relevant and another document."""
    return Metric(query_id, measure, value) if 0 < n_relevant < min(cutoff, n_retrieved) else None


def _each_once(query_id: str, measure: Any, value: float) -> Any:
    """Each query counts once."""
    return Metric(query_id, measure, 1.0)


# What is passed in


def _unread(rows: Any, reader: Any) -> Any:
    """The file that a generator of ir_measures' `reader` is going to read, if it has not begun; else what was given.

    The core reads a file many times faster than that generator, and the generator is then at its end.
    """
    if isgenerator(rows) and rows.gi_code is getattr(reader, "__code__", None):
        if getgeneratorstate(rows) == GEN_CREATED and "file" in (given := getgeneratorlocals(rows)):
            rows.close()
            return given["file"]
    return rows


def _readable_twice(given: Any) -> Any:
    if hasattr(given, "read"):
        return given.read()
    return given if hasattr(given, "__len__") or isinstance(given, PathLike) else list(given)


def _by_subtopic(qrels: Any) -> Any:
    """Judgements by query, subtopic (ir_measures' iteration, 0 where there is none) and document; a file as it is."""
    if isinstance(qrels, (str, PathLike)) or hasattr(qrels, "read"):
        return qrels
    if (judged := mapping_of(qrels, "qrels")) is not None:
        return {query: {"0": documents} for query, documents in judged.items()}
    rows: Iterable[tuple[Any, Any, Any, Any]]
    if hasattr(qrels, "columns"):
        subtopics = qrels["iteration"] if "iteration" in qrels.columns else ["0"] * len(qrels)
        rows = zip(qrels["query_id"], subtopics, qrels["doc_id"], qrels["relevance"], strict=True)
    else:
        rows = ((one.query_id, getattr(one, "iteration", "0"), one.doc_id, one.relevance) for one in qrels)
    found: dict[Any, dict[Any, dict[Any, Any]]] = {}
    for query, subtopic, document, grade in rows:
        documents = found.setdefault(query, {}).setdefault(subtopic, {})
        if documents.setdefault(document, grade) != grade:
            raise EvaluationError(
                f"qrels: query {query!r}, subtopic {subtopic!r}, document {document!r}: expected one judgement, found "
                f"grades {documents[document]} and {grade}"
            )
    return found


# Registering


def register(*, first: bool = False, **conventions: Any) -> Provider:
    """Makes treckon a provider of ir_measures, by the name "treckon" and in the order in which providers are asked.

    first:       asked before all others; else last, for what no other provider can do
    conventions: as of `treckon.Evaluator`, in place of ir_measures' (those of trec_eval 9.0.8): ``ties="docno"``

    One that was registered before is replaced. Raises ParameterError for a convention that can't be.
    """
    provider = Provider(**conventions)
    unregister()
    providers.register(provider)
    asked = ir_measures.DefaultPipeline.providers
    asked.insert(0 if first else len(asked), provider)
    return provider


def unregister() -> None:
    """Takes the provider out again, if it is there."""
    providers.registry.pop(NAME, None)
    asked = ir_measures.DefaultPipeline.providers
    asked[:] = [provider for provider in asked if not isinstance(provider, Provider)]
