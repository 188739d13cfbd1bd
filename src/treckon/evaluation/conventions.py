"""The choices that tools make silently and differently, each by name: what may be chosen, what is chosen by default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from treckon.checks import checked_choice, checked_whole_number, is_truth_value
from treckon.errors import ParameterError, in_short, one_of, shortened
from treckon.measures.parameters import check_discount, check_gain
from treckon.releases import RELEASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

    from treckon.measures.parameters import Discount, Gain


@dataclass(frozen=True, slots=True)
class Option:
    """What one of the conventions may be.

    meaning: a line for help and docs
    choices: the words that it may be, the default first; () where it is no word
    accepts: what it may be, as the docs say it, where there are no choices
    check:   (name, value) to the value as it is kept. Raises ParameterError
    """

    meaning: str
    check: Callable[[str, Any], Any]
    choices: tuple[str, ...] = ()
    accepts: str = ""


def _choice(*choices: str, meaning: str) -> Any:
    """A field that is one of these words, by default the first."""

    def check(name: str, value: object) -> str:
        return checked_choice(name, value, choices)

    return field(default=choices[0], metadata={"option": Option(meaning, check, choices)})


def _whole(default: int, meaning: str, lowest: int = 0) -> Any:
    """A field that is a whole number."""

    def check(name: str, value: object) -> int:
        return checked_whole_number(name, value, lowest)

    option = Option(meaning, check, accepts=f"a whole number from {lowest}")
    return field(default=default, metadata={"option": option})


def _other(default: object, check: Callable[[str, Any], Any], meaning: str, accepts: str) -> Any:
    return field(default=default, metadata={"option": Option(meaning, check, accepts=accepts)})


def _check_depth(name: str, value: object) -> int | None:
    return None if value is None else checked_whole_number(name, value, 1)


def _check_truth(name: str, value: object) -> bool:
    if not is_truth_value(value):
        raise ParameterError(f"{name}: expected True or False, found {in_short(value)}")
    return bool(value)


def _check_gain(_: str, value: object) -> Gain:
    gain = check_gain(value)
    return _FixedGains(gain) if isinstance(gain, dict) else gain


def _check_release(name: str, value: object) -> object:
    if value is not None and not (isinstance(value, str) and value in RELEASES):
        raise ParameterError(f"{name}: expected {one_of(RELEASES)} or None, found {in_short(value)}")
    return value


@dataclass(frozen=True, init=False, repr=False)
class Conventions(Mapping[str, object]):
    """The conventions of an evaluation. They are checked when they are made, and can't be changed.

    A mapping as well, from names to choices: ``conventions["ties"]``.
    """

    order: str = _choice(
        "score", "rank", "input",
        meaning='what a ranking is ordered by: "score" (falling), "rank" (a run file\'s rank field), "input" '
        "(as listed)",
    )  # fmt: skip
    ties: str = _choice(
        "trec", "docno", "input", "random", "optimistic", "pessimistic", "expected",
        meaning='order of documents with the same score: "trec" (id falling), "docno" (id rising), "input" '
        '(as listed), "random" (by `seed` and the query\'s id), "optimistic" and "pessimistic" (higher grades first, '
        'last), "expected" (the mean over all orders)',
    )  # fmt: skip
    seed: int = _whole(0, "of random orders")
    samples: int = _whole(
        100,
        "how many random orders stand for all of them where a measure has no closed form of its expected value",
        lowest=2,
    )
    unjudged: str = _choice(
        "nonrelevant", "condensed", "error",
        meaning='retrieved documents without a grade: "nonrelevant", "condensed" (taken out, ranks close up), "error"',
    )  # fmt: skip
    negative: str = _choice(
        "unjudged", "nonrelevant",
        meaning='a negative grade: "unjudged", or "nonrelevant" (an assessor saw the document)',
    )  # fmt: skip
    ignore_self: bool = _other(
        False, _check_truth, "take out documents whose id is the query's", accepts="`True`, `False`"
    )
    gain: Gain = _other(
        "linear",
        _check_gain,
        '"linear", "exp2", ("binary", grade) or {grade: gain}, of measures with gains',
        accepts="`'linear'`, `'exp2'`, `('binary', grade)`, `{grade: gain}`",
    )
    discount: Discount = _other(
        "log2",
        lambda _, value: check_discount(value),
        '"log2", "none" or ("jk", b), of measures with discounts',
        accepts="`'log2'`, `'none'`, `('jk', b)`",
    )
    missing: str = _choice(
        "skip", "zero", "error", meaning='judged queries that the run lacks: "skip", "zero", "error"'
    )
    extra: str = _choice("skip", "error", meaning='queries of the run that are not judged: "skip", "error"')
    no_relevant: str = _choice(
        "zero", "skip", "one", "error",
        meaning='queries without a relevant document: "zero" (they count, with the measure\'s value), "skip", "one", '
        '"error"',
    )  # fmt: skip
    duplicates: str = _choice(
        "error", "first", "drop", "max",
        meaning='a document that a run lists twice for a query: "error", "first", "drop", "max"',
    )  # fmt: skip
    equal_judgements: str = _choice(
        "error", "merge", meaning='a judgement listed twice with the same grade: "error", "merge"'
    )
    level: int = _whole(1, "lowest relevant grade, of measures that name none")
    depth: int | None = _other(
        None, _check_depth, "documents of a query that count, None: all", accepts="a whole number, `None`"
    )
    compat: str | None = _other(
        None,
        _check_release,
        f'the release of trec_eval whose arithmetic is followed, "{RELEASES[0]}" (32-bit scores, its recall points) or '
        f'"{RELEASES[-1]}"; None: {RELEASES[-1]}\'s',
        accepts=", ".join(f"`{release!r}`" for release in (*RELEASES, None)),
    )

    def __init__(self, **options: Any) -> None:
        """Raises ParameterError for an option that isn't there or can't have this value."""
        for name in options:
            if name not in DEFAULTS:
                expected = f"expected an option out of {', '.join(sorted(DEFAULTS))}"
                raise ParameterError(f"{expected}, found '{shortened(name)}'")
        for name, default in DEFAULTS.items():
            value = OPTIONS[name].check(name, options[name]) if name in options else default
            object.__setattr__(self, name, value)
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

    def __getitem__(self, name: str) -> object:
        if name not in OPTIONS:
            raise KeyError(name)
        value: object = getattr(self, name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(OPTIONS))

    def __len__(self) -> int:
        return len(OPTIONS)

    __eq__ = Mapping.__eq__

    def __repr__(self) -> str:
        """Those that differ from the defaults."""
        others = {name: value for name, value in self.items() if value != DEFAULTS[name]}
        return f"Conventions({', '.join(f'{name}={value!r}' for name, value in others.items())})"

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self.as_dict(),)

    def as_dict(self) -> dict[str, object]:
        """All options by name."""
        return {name: dict(value) if isinstance(value, dict) else value for name, value in self.items()}


#: What each convention means and may be, and what it is where it isn't given: by name, in the order of the docs.
OPTIONS: dict[str, Option] = {field.name: field.metadata["option"] for field in fields(Conventions)}
DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Conventions)}

if Conventions.__doc__:  # what `help` shows; Python may have been told to drop docstrings
    _meanings = "\n".join(f"{name}: {option.meaning}" for name, option in OPTIONS.items())
    Conventions.__doc__ = f"{Conventions.__doc__.rstrip()}\n\n{_meanings}"


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
