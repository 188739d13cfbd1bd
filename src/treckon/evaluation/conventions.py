"""The choices that tools make silently and differently, each by name: what may be chosen, what is chosen by default."""

from __future__ import annotations

from treckon.errors import ParameterError, in_short, shortened
from treckon.measures.parameters import check_discount, check_gain
from treckon.naming.releases import RELEASES
from treckon.whole_numbers import checked_whole_number, is_truth_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from treckon.measures.parameters import Discount, Gain

#: Options that are one of a few words; the first is the default, trec_eval's choice.
CHOICES: dict[str, tuple[str, ...]] = {
    "order": ("score", "rank", "input"),
    "ties": ("trec", "docno", "input", "random", "optimistic", "pessimistic", "expected"),
    "unjudged": ("nonrelevant", "condensed", "error"),
    "negative": ("unjudged", "nonrelevant"),
    "missing": ("skip", "zero", "error"),
    "extra": ("skip", "error"),
    "no_relevant": ("zero", "skip", "one", "error"),
    "duplicates": ("error", "first", "drop", "max"),
    "equal_judgements": ("error", "merge"),
}


class Conventions:
    """The conventions of an evaluation. They are checked when they are made, and can't be changed.

    order:       what a ranking is ordered by: "score" (falling), "rank" (a run file's rank field), "input" (as listed)
    ties:        order of documents with the same score: "trec" (id falling), "docno" (id rising), "input" (as listed),
                 "random" (by `seed` and the query's id), "optimistic" and "pessimistic" (higher grades first, last),
                 "expected" (the mean over all orders)
    seed:        of random orders
    samples:     how many random orders stand for all of them where a measure has no closed form of its expected value
    unjudged:    retrieved documents without a grade: "nonrelevant", "condensed" (taken out, ranks close up), "error"
    negative:    a negative grade: "unjudged", or "nonrelevant" (an assessor saw the document)
    ignore_self: take out documents whose id is the query's
    gain:        "linear", "exp2", ("binary", grade) or {grade: gain}, of measures with gains
    discount:    "log2", "none" or ("jk", b), of measures with discounts
    missing:     judged queries that the run lacks: "skip", "zero", "error"
    extra:       queries of the run that are not judged: "skip", "error"
    no_relevant: queries without a relevant document: "zero" (they count, with the measure's value), "skip", "one",
                 "error"
    duplicates:  a document that a run lists twice for a query: "error", "first", "drop", "max"
    equal_judgements: a judgement that stands twice with the same grade: "error", "merge"
    level:       lowest relevant grade, of measures that name none
    depth:       documents of a query that count, None: all
    compat:      the release of trec_eval whose arithmetic is followed, "9.0.8" (32-bit scores, its recall points) or
                 "10.0"; None: 10.0's
    """

    __slots__ = (
        "compat", "depth", "discount", "duplicates", "equal_judgements", "extra", "gain", "ignore_self", "level",
        "missing", "negative", "no_relevant", "order", "samples", "seed", "ties", "unjudged",
    )  # fmt: skip

    order: str
    ties: str
    unjudged: str
    negative: str
    missing: str
    extra: str
    no_relevant: str
    duplicates: str
    equal_judgements: str
    seed: int
    samples: int
    level: int
    depth: int | None
    ignore_self: bool
    gain: Gain
    discount: Discount
    compat: str | None

    def __init__(self, **given: Any) -> None:
        """Raises ParameterError for an option that isn't there or can't have this value."""
        unknown = [name for name in given if name not in self.__slots__]
        if unknown:
            found = shortened(unknown[0])
            raise ParameterError(f"expected an option out of {', '.join(self.__slots__)}, found '{found}'")
        put = object.__setattr__
        for name, choices in CHOICES.items():
            value = given.get(name, choices[0])
            if not isinstance(value, str) or value not in choices:
                raise ParameterError(f"{name}: expected {_listed(choices)}, found {in_short(value)}")
            put(self, name, value)
        put(self, "seed", checked_whole_number("seed", given.get("seed", 0)))
        put(self, "samples", checked_whole_number("samples", given.get("samples", 100), 2))
        put(self, "level", checked_whole_number("level", given.get("level", 1)))
        depth = given.get("depth")
        put(self, "depth", None if depth is None else checked_whole_number("depth", depth, 1))
        ignores = given.get("ignore_self", False)
        if not is_truth_value(ignores):
            raise ParameterError(f"ignore_self: expected True or False, found {in_short(ignores)}")
        put(self, "ignore_self", bool(ignores))
        gain = check_gain(given.get("gain", "linear"))
        put(self, "gain", _FixedGains(gain) if isinstance(gain, dict) else gain)
        put(self, "discount", check_discount(given.get("discount", "log2")))
        compat = given.get("compat")
        if compat is not None and not (isinstance(compat, str) and compat in RELEASES):
            raise ParameterError(f"compat: expected {_listed(RELEASES)} or None, found {in_short(compat)}")
        put(self, "compat", compat)
        self._check_together()

    def _check_together(self) -> None:
        """Refuses what has no meaning together."""
        if self.ties == "expected" and self.depth is not None:
            raise ParameterError(
                "depth: expected none with ties='expected', since a cut through ties has no expected ranking; "
                "a measure's own cutoff does"
            )
        if self.ties == "expected" and self.duplicates == "first":
            raise ParameterError("duplicates: expected 'error', 'drop' or 'max' with ties='expected', found 'first'")
        if self.negative == "nonrelevant" and self.level == 0:
            raise ParameterError("negative: expected 'unjudged' with level=0, where every grade is relevant")
        if self.order == "input" and self.ties != "trec":
            raise ParameterError("ties: expected none with order='input', where no two documents tie")

    @property
    def release(self) -> str:
        """The release of trec_eval whose arithmetic is followed."""
        return self.compat or RELEASES[-1]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name}: conventions can't be changed, Conventions(...) makes others")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{name}: conventions can't be changed")

    def __eq__(self, other: object) -> bool:
        return self.as_dict() == other.as_dict() if isinstance(other, Conventions) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__slots__))

    def __repr__(self) -> str:
        """Those that differ from the defaults."""
        usual = Conventions().as_dict()
        given = {name: value for name, value in self.as_dict().items() if value != usual[name]}
        return f"Conventions({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self.as_dict(),)

    def as_dict(self) -> dict[str, object]:
        """All options by name."""
        values = {name: getattr(self, name) for name in sorted(self.__slots__)}
        return {name: dict(value) if isinstance(value, dict) else value for name, value in values.items()}


class _FixedGains(dict[int, float]):
    """Gains by grade that stay what they are."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("gains of conventions can't be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[object, ...]:
        return _FixedGains, (dict(self),)


def _made(options: dict[str, object]) -> Conventions:
    """What a pickle makes."""
    return Conventions(**options)


def _listed(choices: tuple[str, ...]) -> str:
    return ", ".join(map(repr, choices[:-1])) + " or " + repr(choices[-1])
