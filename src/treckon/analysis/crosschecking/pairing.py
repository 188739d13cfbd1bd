"""Queries paired by position, as by a tool that takes no notice of ids: which ranking each judged query meets."""

from __future__ import annotations

from itertools import permutations
from math import perm

from treckon.analysis.crosschecking.changes import DATA, Change
from treckon.analysis.crosschecking.matching import Interval
from treckon.errors import TreckonError
from treckon.measures.aggregation import MEAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from treckon.analysis.crosschecking.matching import Space

    #: Of each judged query, in order, the query of the run whose ranking it meets; None: it meets none.
    Pairing: TypeAlias = tuple[str | None, ...]

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


def add_pairings(space: Space) -> None:
    """Adds changes: pairing by the orders as listed, and by those that reproduce what is not reproduced without."""
    if space.has_groups:
        return
    try:
        qrels, run = space.bench.as_mappings()
    except TreckonError:  # the run can't be read as a mapping
        return
    judged, in_run = tuple(qrels), tuple(run)
    as_is = tuple(query if query in run else None for query in judged)
    present = space.n_reproduced(())
    added: set[Pairing] = set()
    for number, (pairing, order) in enumerate(likely_pairings(judged, in_run).items()):
        if pairing != as_is:
            change = _change(space, pairing, order)
            if number == 0 or (space.n_reproduced((change,)) > present).any():
                space.changes.append(change)
                added.add(pairing)
    _add_another_order(space, judged, in_run, int(present.max()), added)


def _add_another_order(
    space: Space, judged: Sequence[str], in_run: Sequence[str], present: int, added: set[Pairing]
) -> None:
    """Adds pairing by an order that reproduces most values, unless one that does so was added.

    present: how many values are reproduced without pairing
    """
    every = all_pairings(judged, in_run)
    fits = _n_reproduced_by(space, every, judged, in_run)
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
    change = _change(space, best[0], "the run's in another order", f"; of the run {pairs} ({others})")
    space.changes.append(change)


def _change(space: Space, pairing: Pairing, order: str, pairs: str = "") -> Change:
    name = f"queries are paired by their positions{order and ', '}{order}"
    text = f"the first query of the run meets the first of the qrels, and so on, whatever their ids{pairs}"
    space.bench.pairings[name] = pairing
    return Change("data", name, text, "ranx with plain dicts", kind=DATA)


def _n_reproduced_by(space: Space, pairings: Sequence[Pairing], judged: Sequence[str], in_run: Sequence[str]) -> Any:
    """How many values are reproduced by each pairing; only means that are averages are looked at."""
    import numpy

    counts = numpy.zeros(len(pairings), dtype=int)
    if not pairings:
        return counts
    try:
        values = space.bench.of_pairs([one.readings[0] for one in space.targets])
    except TreckonError:
        return counts
    place = {query: i for i, query in enumerate(judged)}
    number = {query: j for j, query in enumerate(in_run)}
    met = numpy.array([[number.get(str(other), len(in_run)) for other in one] for one in pairings])
    values = numpy.concatenate([values, numpy.zeros_like(values[:, :1])], axis=1)
    chosen = values[numpy.arange(met.shape[1]), met]
    n_met = (met < len(in_run)).sum(axis=1)
    rounding = Interval(())
    for t, target in enumerate(space.targets):
        bounds = target.bounds(rounding)
        rows = chosen[:, [place[str(one.query)] for one in target.rows], t]
        counts += ((bounds[:, 0] <= rows) & (rows <= bounds[:, 1])).sum(axis=1)
        if target.mean is not None and target.readings[0].record.aggregate is MEAN:
            low, high = rounding.of(target.mean)
            means = chosen[:, :, t].sum(axis=1) / n_met
            counts += (low <= means) & (means <= high)
    return counts
