"""Queries paired by position, as by a tool that takes no notice of ids: which ranking each judged query meets."""

from __future__ import annotations

from itertools import permutations
from math import perm

from treckon.analysis.crosschecking.changes import DATA, Change
from treckon.errors import TreckonError
from treckon.lazy import LazyModule
from treckon.measures.aggregation import MEAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    import numpy as np

    from treckon.analysis.crosschecking.task import Task

    #: Of each judged query, in order, the query of the run whose ranking it meets; None: it meets none.
    Pairing: TypeAlias = tuple[str | None, ...]
else:
    np = LazyModule("numpy")

#: What may be done with the order of queries before positions count.
_ORDERS: dict[str, Callable[[Iterable[str]], list[str]]] = {
    "": list,
    " in reverse": lambda ids: list(ids)[::-1],
    " sorted as text": sorted,
    " sorted as numbers": lambda ids: sorted(ids, key=_number),
}

#: Orders of a run's queries that are all tried: those of seven.
_MOST_ORDERS = 5040


def _number(query: str) -> tuple[bool, int, str, str]:
    """What sorts whole numbers by their size, before all other ids. (Python makes no number of very many digits.)"""
    digits = query.lstrip("0") if query.isdecimal() else ""
    return not query.isdecimal(), len(digits), digits, query


def likely_pairings(judged: Sequence[str], in_run: Sequence[str]) -> dict[Pairing, str]:
    """Pairings by orders that are likely, each once, with what they are made of; first that of both as listed."""
    found: dict[Pairing, str] = {}
    for of_judged in ("", " sorted as text", " sorted as numbers"):
        for of_run, order in _ORDERS.items():
            meets = dict(zip(_ORDERS[of_judged](judged), order(in_run), strict=False))
            sides = [f"the {side}{how}" for side, how in (("qrels'", of_judged), ("run's", of_run)) if how]
            found.setdefault(tuple(map(meets.get, judged)), ", ".join(sides))
    return found


def all_pairings(judged: Sequence[str], in_run: Sequence[str]) -> list[Pairing]:
    """Every pairing by some order of the run's queries; none where these are so many that some order fits anything."""
    filled: list[str | None] = [*in_run, *[None] * (len(judged) - len(in_run))]
    if perm(len(filled), len(judged)) > _MOST_ORDERS:
        return []
    return list(dict.fromkeys(permutations(filled, len(judged))))


def add_pairings(task: Task) -> None:
    """Adds changes: pairing by the orders as listed, and by those that reproduce what is not reproduced without."""
    if task.trial.qrels.has_groups:
        return
    try:
        qrels, run = task.trial.data()
    except TreckonError:  # the run can't be read as a mapping
        return
    judged, in_run = tuple(qrels), tuple(run)
    as_is = tuple(query if query in run else None for query in judged)
    present = task.n_reproduced(())
    added: set[Pairing] = set()
    for number, (pairing, order) in enumerate(likely_pairings(judged, in_run).items()):
        if pairing != as_is:
            change = _change(task, pairing, order)
            if number == 0 or (task.n_reproduced((change,)) > present).any():
                task.changes.append(change)
                added.add(pairing)
    _add_another_order(task, judged, in_run, int(present.max()), added)


def _add_another_order(
    task: Task, judged: Sequence[str], in_run: Sequence[str], present: int, added: set[Pairing]
) -> None:
    """Adds pairing by an order that reproduces most values, unless one that does so was added.

    present: how many values are reproduced without pairing
    """
    every = all_pairings(judged, in_run)
    fits = _n_reproduced_by(task, every, judged, in_run)
    most = fits.max(initial=0)
    best = [pairing for pairing, n_fit in zip(every, fits, strict=True) if n_fit == most]
    if most <= present + 1 or not added.isdisjoint(best):  # some order may fit one number by chance
        return
    pairs = ", ".join(
        f"{'none' if other is None else other} meets {query}"
        for query, other in zip(judged, best[0], strict=True)
        if other != query
    )
    others = f"{len(best)} of {len(every)} orders fit as many values"
    task.changes.append(_change(task, best[0], "the run's in another order", f"; of the run {pairs} ({others})"))


def _change(task: Task, pairing: Pairing, order: str, pairs: str = "") -> Change:
    name = f"queries are paired by their positions{order and ', '}{order}"
    text = f"the first query of the run meets the first of the qrels, and so on, whatever their ids{pairs}"
    task.trial.pairings[name] = pairing
    return Change("data", name, text, "ranx with plain dicts", DATA)


def _n_reproduced_by(task: Task, pairings: Sequence[Pairing], judged: Sequence[str], in_run: Sequence[str]) -> Any:
    """How many values are reproduced by each pairing; of values of all queries only averages are examined."""
    counts = np.zeros(len(pairings), dtype=int)
    if not pairings:
        return counts
    try:
        values = task.trial.of_pairs([measure.readings[0] for measure in task.measures])
    except TreckonError:
        return counts
    place_of = {query: i for i, query in enumerate(judged)}
    number_of = {query: i for i, query in enumerate(in_run)}
    met = np.array([[number_of.get(str(other), len(in_run)) for other in pairing] for pairing in pairings])
    values = np.concatenate([values, np.zeros_like(values[:, :1])], axis=1)
    chosen = values[np.arange(met.shape[1]), met]
    n_met = (met < len(in_run)).sum(axis=1)
    for i, measure in enumerate(task.measures):
        n_rows = len(measure.rows)
        rows = chosen[:, [place_of[task.trial.query_ids[row]] for row in measure.rows], i]
        counts += measure.agree((), range(n_rows), rows).sum(axis=1)
        if measure.mean is not None and measure.readings[0].record.aggregate is MEAN:
            counts += measure.agree((), -1, chosen[:, :, i].sum(axis=1) / n_met)
    return counts
