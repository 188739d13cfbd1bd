"""The interface of pytrec_eval: the same calls, keys, values and types, by treckon's engine.

``from treckon.compat import pytrec_eval`` in place of ``import pytrec_eval``; or, for code that can't be changed,
`treckon.compat.install("pytrec_eval")`. What pytrec_eval computes is what trec_eval 9.0.8 computes, with 32-bit
scores; ``compat="10.0"`` chooses the other release and 64-bit scores.

Input that ends the interpreter there, or gives wrong values without a word, raises a TypeError or ValueError here that
names query and document. NumPy's numbers are taken for scores and grades.
"""

from __future__ import annotations

import operator
import re
from collections import defaultdict

from treckon._native.conversion import add_mapping, add_plain_mapping
from treckon._native.mapping_scans import MappingScan
from treckon._native.qrels import QrelsBuilder
from treckon._native.results import Results
from treckon.checks import checked_choice, is_truth_value
from treckon.errors import InputError, ParameterError
from treckon.evaluation.policy import Policy
from treckon.measures import registry
from treckon.measures.parameters import NO_PARAMETERS, Cutoffs, Pairs, Reals
from treckon.measures.registry import INTEGER, VIEW_RANKING, VIEW_RUN
from treckon.naming.releases import NICKNAMES, PRINT_ORDER
from treckon.naming.trec_eval import RequestedMeasure, parse_parameters
from treckon.releases import RELEASE_9, RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, NoReturn, TypeVar

    from treckon._native.qrels import Qrels
    from treckon.measures.parameters import Parameters
    from treckon.measures.registry import MeasureRecord

    Number = TypeVar("Number", int, float)

__all__ = ["parse_run", "parse_qrel", "supported_measures", "supported_nicknames", "RelevanceEvaluator"]

#: The release of pytrec-eval-terrier whose interface this is; some libraries look for it.
__version__ = "0.5.11"

_RELEASE = RELEASE_9


def _is_old(name: str) -> bool:
    """Whether the measure is in the release of trec_eval that pytrec_eval has inside."""
    measure = registry.find(name)
    return measure is not None and measure.since == _RELEASE


supported_measures: set[str] = {name for name in NICKNAMES["all_trec"] if _is_old(name)}
supported_nicknames: dict[str, set[str]] = {
    nickname: {name for name in names if _is_old(name)} for nickname, names in NICKNAMES.items()
}


# Files


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """The run in lines of text (an open file, a list, ...): ``{query id: {document id: score}}``.

    Ranks and tags are dropped. Raises ValueError for a line without exactly six fields or with a score that is no
    number, AssertionError for a document listed twice for a query.
    """
    run: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for number, line in enumerate(f_run, 1):
        fields = line.split()
        if len(fields) != 6:
            raise ValueError(f"run: line {number}: expected 6 fields, found {len(fields)}")
        query_id, _, document_id, _, score, _ = fields
        _add(run[query_id], document_id, score, float, f"run: line {number}")
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """The judgements in lines of text (an open file, a list, ...): ``{query id: {document id: grade}}``.

    Raises ValueError for a line without exactly four fields or with a grade that is no whole number, AssertionError
    for a document listed twice for a query.
    """
    qrels: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, line in enumerate(f_qrel, 1):
        fields = line.split()
        if len(fields) != 4:
            raise ValueError(f"qrels: line {number}: expected 4 fields, found {len(fields)}")
        query_id, _, document_id, grade = fields
        _add(qrels[query_id], document_id, grade, int, f"qrels: line {number}")
    return qrels


def _add(documents: dict[str, Number], document_id: str, text: str, kind: Callable[[str], Number], place: str) -> None:
    if document_id in documents:
        raise AssertionError(f"{place}: expected each document once for a query, found {document_id!r} twice")
    try:
        documents[document_id] = kind(text)
    except ValueError:
        expected = "a whole number as grade" if kind is int else "a number as score"
        raise ValueError(f"{place}: expected {expected}, found {text!r}") from None


# Measures

# A name, and behind a dot or an underscore unsigned numbers; what comes after these has no effect.
_WITH_PARAMETERS = re.compile(r"(.+?)[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)")


def _expand_nicknames(measures: Iterable[str]) -> set[str]:
    """The measures with those that a nickname stands for in its place."""
    expanded: set[str] = set()
    for measure in measures:
        expanded.update(supported_nicknames.get(measure, (measure,)))
    return expanded


def _combine_measures(measures: Iterable[str]) -> set[str]:
    """One text for each measure: ``P.10,5`` for ``P_5``, ``P.10`` and ``P``.

    Each parameter is there once, sorted as text. A name without parameters gives way to the same with some.
    Raises ValueError for an unknown name.
    """
    return _texts(_parameters(measures, supported_measures | supported_nicknames.keys()))


def _parameters(measures: Iterable[str], known: set[str]) -> dict[str, set[str]]:
    """The parameters asked for by measure; none for a bare name."""
    parameters: defaultdict[str, set[str]] = defaultdict(set)
    for text in measures:
        if not isinstance(text, str):
            raise TypeError(f"expected a measure's name as string, found {text!r} ({type(text).__name__})")
        match = _WITH_PARAMETERS.match(text)
        name, own = (match[1], match[2].split(",")) if match and text not in known else (text, [])
        if name not in known or (own and name in supported_nicknames):
            raise ValueError(f"unsupported measure {text}")
        parameters[name].update(own)
    return parameters


def _texts(parameters: Mapping[str, set[str]]) -> set[str]:
    return {f"{name}.{','.join(sorted(own))}" if own else name for name, own in parameters.items()}


def _chosen(measure: MeasureRecord, texts: set[str], release: str) -> tuple[Parameters, ...]:
    """What these texts stand for, by printed name. Raises ValueError for what pytrec_eval can't compute."""
    kind, name = measure.parameter_kind, measure.name
    if not texts or kind is NO_PARAMETERS:
        return kind.defaults()
    text = ",".join(sorted(texts))
    if isinstance(kind, Pairs):
        raise ParameterError(f"{name}.{text}: expected no parameters, found '{text}' (gains can't be given here)")
    if isinstance(kind, Cutoffs):
        text = ",".join(cutoff.partition(".")[0] for cutoff in text.split(","))
    elif isinstance(kind, Reals) and kind.fixed and len(texts) != len(kind.numbers):
        n = len(kind.numbers)
        raise ParameterError(f"{name}.{text}: expected {n} different unsigned numbers, found {len(texts)}")
    return parse_parameters(measure, text, release)[0]


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """The value over all queries of the values of each.

    measure: a key of `RelevanceEvaluator.evaluate`'s results
    values:  one a query

    The sum for names that begin with num_, the geometric mean for gm_ (whose values are logarithms), else the mean.
    No values give NaN, and 0.0 for num_.
    """
    import numpy  # pytrec_eval adds as NumPy does: in pairs

    if measure.startswith("num_"):
        return float(numpy.sum(values))
    if len(values) == 0:
        return float("nan")
    mean = numpy.sum(values) / len(values)
    return float(numpy.exp(mean) if measure.startswith("gm_") else mean)


# Evaluation


class RelevanceEvaluator:
    """Scores runs against the same judgements.

    query_relevance:   ``{query id: {document id: grade}}``; a query without judgements doesn't count
    measures:          names, each with parameters behind a dot or an underscore (``ndcg_cut.5,10``, ``P_5``) or a
                       nickname (``official``, ``set``, ``all_trec``)
    relevance_level:   lowest grade that is relevant, at least 1
    judged_docs_only_flag: whether documents without a judgement are taken out of rankings
    compat:            release of trec_eval whose arithmetic is followed: "9.0.8", as pytrec_eval, with scores compared
                       as 32-bit numbers; or "10.0", whose further measures may then be asked for by name

    Judgements are read and hashed once; an evaluator keeps nothing of the runs, so that threads may share it.

    Raises TypeError where pytrec_eval does; ValueError for an unknown measure, for parameters that it can't compute,
    for an id with a NUL or a lone surrogate, for a grade beyond 32 bits, and for a negative relevance level.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        *,
        compat: str = _RELEASE,
    ) -> None:
        checked_choice("compat", compat, RELEASES)
        judged = {query_id: grades for query_id, grades in query_relevance.items() if _has_documents(grades)}
        level = _level(relevance_level)
        parameters = _parameters(self._expand_nicknames(measures), _known(compat))
        builder = QrelsBuilder()
        for query_id in add_plain_mapping(builder, judged):
            add_mapping(builder, {query_id: _checked_judgements(query_id, judged[query_id])})
        policy = Policy(release=compat, level=level, condensed=bool(judged_docs_only_flag))
        self._prepare(builder.finish(compat), parameters, policy)

    def _prepare(self, qrels: Qrels, parameters: Mapping[str, set[str]], policy: Policy) -> None:
        self._qrels = qrels
        self._measures = _texts(parameters)
        self._policy = policy
        self._numbers = {qid.decode(): number for number, qid in enumerate(qrels.query_ids())}
        requested = [
            RequestedMeasure(record, chosen)
            for name in PRINT_ORDER
            if name in parameters and (record := registry.find(name)) is not None
            for chosen in _chosen(record, parameters[name], policy.release)
        ]
        self._keys = tuple(  # lists of numbers never are in the key
            column.record.name if isinstance(column.record.parameter_kind, Reals) else column.name
            for column in requested
        )
        self._ones = [  # the number of queries, of one query
            column
            for column, measure in enumerate(requested)
            if measure.record.view == VIEW_RUN and measure.record.value_type == INTEGER
        ]
        self._plan = policy.plan(requested, qrels)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The values of a run: ``{query id: {key: value}}``, of the queries that are judged and in the run.

        scores: ``{query id: {document id: score}}``, dicts; whatever is empty, or None, gives ``{}``

        Raises TypeError where pytrec_eval does; ValueError for a score that is NaN or beyond all doubles, for an id
        with a NUL or a lone surrogate, and where the first judged query has negative grades alone.
        """
        if not scores:
            return {}
        if not isinstance(scores, dict):
            raise TypeError(f"Argument object scores should be of type dictionary. Found {type(scores).__name__}")
        numbers = {}
        for query_id, documents in scores.items():
            if not isinstance(query_id, str):
                _refuse(f"run: query {query_id!r}", f"expected text as id, found {type(query_id).__name__}")
            if not isinstance(documents, dict):
                _refuse(f"run: query {query_id!r}", f"expected a dict of documents, found {type(documents).__name__}")
            number = self._numbers.get(query_id)
            if number is not None:
                numbers[str(query_id)] = number
            else:
                _check_documents(query_id, documents)
        self._refuse_unjudged_first(numbers)
        results = Results(self._qrels, self._plan)
        try:
            MappingScan(results, plain_ids=True).scan(scores)
        except InputError:
            for query_id in numbers:
                _check_documents(query_id, scores[query_id])
            raise
        for column in self._ones:
            for number in numbers.values():
                results.set(number, column, 1.0)
        return results.by_name(numbers, self._keys)

    def _refuse_unjudged_first(self, numbers: Mapping[str, int]) -> None:
        """Raises ValueError where the first query has negative grades alone, which pytrec_eval doesn't survive."""
        for query_id, number in numbers.items():
            if self._qrels.n_relevant(number, 0) == 0:
                document_id = self._qrels.judgements(number)[0][0].decode()
                raise InputError(
                    f"qrels: query {query_id!r}, document {document_id!r}",
                    "expected a grade of 0 or more for a document of the run's first query, found negative ones alone",
                )
            return

    def _expand_nicknames(self, measures: Iterable[str]) -> set[str]:
        return _expand_nicknames(measures)

    def _combine_measures(self, measures: Iterable[str]) -> set[str]:
        return _combine_measures(measures)

    def __getstate__(self) -> tuple[Any, ...]:
        return (self._qrels, self._measures, self._policy)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        qrels, texts, policy = state
        self._prepare(qrels, _parameters(texts, _known(policy.release)), policy)


def _known(release: str) -> set[str]:
    """The names that may be asked for."""
    if release == _RELEASE:
        return supported_measures
    return {
        measure.name
        for measure in registry.all_measures()
        if measure.since and measure.view in (VIEW_RUN, VIEW_RANKING)
    }


def _has_documents(grades: object) -> bool:
    """Whether these are any judgements, be they of a wrong type."""
    return not hasattr(grades, "__len__") or len(grades) > 0


def _level(relevance_level: object) -> int:
    try:
        level = operator.index(relevance_level)  # type: ignore[arg-type]
    except TypeError:
        level = None
    if level is None or level >= 2**31:
        raise TypeError(
            "Expected object_relevance_per_qid dictionary and measures set. relevance_level: expected a whole number "
            f"of 32 bits, found {relevance_level!r}"
        )
    if level == 0:
        raise TypeError("Argument relevance_level should be positive. Found 0")
    if level < 0:
        raise ParameterError(f"relevance_level: expected a whole number from 1, found {level}")
    return level


def _checked_judgements(query_id: object, documents: object) -> Mapping[str, int]:
    """One query's judgements, if pytrec_eval could read them. Raises TypeError and ValueError."""
    place = f"qrels: query {query_id!r}"
    if not isinstance(query_id, str):
        raise TypeError(f"Expected string as key. {place}: expected text as id, found {type(query_id).__name__}")
    if not isinstance(documents, dict):
        raise TypeError(f"Expected dictionary as value. {place}: found {type(documents).__name__}")
    _check_id(query_id, place)
    for document_id, grade in documents.items():
        of_document = f"{place}, document {document_id!r}"
        if not isinstance(document_id, str):
            raise TypeError(
                f"Expected mapping of document id to query relevance or matching score. {of_document}: expected text "
                f"as id, found {type(document_id).__name__}"
            )
        if not hasattr(type(grade), "__index__") and not is_truth_value(grade):  # NumPy's, since 2.3
            found = f"{grade!r} ({type(grade).__name__})"
            raise TypeError(f"Expected relevance to be integer. {of_document}: found {found}")
        _check_id(document_id, of_document)
    return documents


def _check_id(item_id: str, place: str) -> None:
    if "\0" in item_id:
        raise InputError(place, "expected an id without NUL, found one")
    try:
        item_id.encode()
    except UnicodeEncodeError:
        raise InputError(place, "expected an id that can be written as UTF-8, found a lone surrogate") from None


def _check_documents(query_id: str, documents: dict[Any, Any]) -> None:
    """Raises TypeError where a document's id is no text or its score no number, ValueError for an id of the query."""
    _check_id(query_id, f"run: query {query_id!r}")
    if set(map(type, documents)) <= {str} and set(map(type, documents.values())) <= {float, int}:
        return
    for document_id, score in documents.items():
        place = f"run: query {query_id!r}, document {document_id!r}"
        if not isinstance(document_id, str):
            _refuse(place, f"expected text as id, found {type(document_id).__name__}")
        if isinstance(score, (str, bytes, complex)) or not hasattr(type(score), "__float__"):
            _refuse(place, f"expected a number as score, found {score!r} ({type(score).__name__})")


def _refuse(place: str, problem: str) -> NoReturn:
    raise TypeError(f"Unable to extract query/object scores. {place}: {problem}")
