"""Every call of treckon's Python interface that the benchmarks make."""

from collections.abc import Iterable
from typing import Any

import treckon
from treckon.compat import pytrec_eval


def evaluator(qrels: Any, measures: Iterable[str]) -> treckon.Evaluator:
    """Judgements, read once and ready for many runs; qrels is a path, a dict of dict or columns."""
    return treckon.Evaluator(qrels, list(measures))


def means(evaluator: treckon.Evaluator, run: Any) -> dict[str, float]:
    """Means of a run by the measures' printed names; run is a path, a dict of dict or columns."""
    return {str(measure): value for measure, value in evaluator.evaluate(run).means.items()}


def pytrec_eval_evaluator(qrels: Any, measures: Iterable[str]) -> pytrec_eval.RelevanceEvaluator:
    """The same by the interface of pytrec_eval; qrels is a dict of dict."""
    return pytrec_eval.RelevanceEvaluator(qrels, measures)


def columns(query_ids: Any, document_ids: Any, values: Any) -> Any:
    """Arrays with a row for each document, in the form that treckon takes as qrels or as run."""
    return (query_ids, document_ids, values)


def ir_measures_means(measures: Any, form: Any) -> dict[str, float]:
    """Means by ir_measures, with treckon as its first provider; form makes qrels and a run."""
    import ir_measures

    from treckon.compat.ir_measures import register, unregister

    register(first=True)
    try:
        return {repr(measure): value for measure, value in ir_measures.calc_aggregate(measures, *form()).items()}
    finally:
        unregister()
