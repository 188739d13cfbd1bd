"""The measures: one record each, registered beside its kernel. Nothing else in the package lists them."""

from __future__ import annotations

from treckon.errors import ParameterError
from treckon.measures.aggregation import MEAN, Aggregate
from treckon.measures.parameters import NO_PARAMETERS, Argument, ParameterKind
from treckon.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from treckon._native.ranking import Kernel


class Example(Record):
    """A worked example: one query's qrels and ranking, and the value of one printed name.

    `qrels` is written ``"a=2 b=1 c=0 u=-1"`` (groups of assessors parted by `` | ``, sub-groups by `` / ``) and `run`
    ``"a x c b"`` (documents by falling score). `name` is the printed name with its parameters (``P_5``). `level` is the
    relevance level, `options` more options of trec_eval (``"-J"``), `release` the release that prints the value (each
    that has the measure where it is None). `why` shows the arithmetic.
    """

    qrels: str
    run: str
    name: str
    value: float | str
    why: str
    level: int = 1
    release: str | None = None
    options: tuple[str, ...] = ()


#: What a measure looks at. The engine builds a view only where a measure asks for it.
VIEW_RUN = "run"  # the run as a whole: its tag, the number of queries
VIEW_RANKING = "ranking"  # one query's ranking over qrels
VIEW_JUDGMENT_GROUPS = "judgment groups"  # a ranking for each group of assessors
VIEW_PREFERENCES = "preferences"  # pairs of documents of which one is preferred
VIEW_SUBTOPICS = "subtopics"  # one ranking, and for each judged document the subtopics (groups of the qrels) it covers

REAL, INTEGER, TEXT = "real", "integer", "text"

#: Traits that properties are tested by. They hold at any relevance level and cutoff, but for rounding: with any
#: arguments but those that say so (`Argument.breaks`) and gains from a mapping, which may fall as grades rise; for
#: trec_eval's names with the default parameters.
BOUNDED = "bounded"  # never below 0, never above 1
PERFECT_IS_1 = "perfect is 1"  # all judged documents by falling grade score 1 where a grade is >= 1 and >= the level
MONOTONE = "monotone"  # exchanging a document with a worse one directly above it never lowers the value
GROWS_WITH_CUTOFF = "grows with the cutoff"  # never falls from one cutoff to a greater one
IGNORES_LEVEL = "ignores the level"  # the relevance level changes nothing
IGNORES_ORDER = "ignores the order"  # the retrieved documents may be put in any order
IGNORES_UNJUDGED_ORDER = "ignores unjudged documents"  # unpooled documents may be put anywhere


class MeasureRecord:
    """Everything that the package knows about one measure.

    name:        as trec_eval prints it, without parameters
    title:       one line, the field's name of it
    definition:  the documentation that `-h` and docs/measures.md print (plain text, lines up to 100 characters; they
                 may be indented in the source)
    source:      where the definition comes from (a paper)
    field_name:  of a measure of trec_eval: the field's name of it, whose arguments can be varied, or None
    aliases:     other names that the syntax of the field's names accepts
    kernel:      the compiled function; None for what needs no ranking (`view` VIEW_RUN)
    expected:    the compiled function of the mean over all orders of tied documents; None where no closed form is known
    function:    a user's own, in place of a kernel: takes what `Results.ranking` gives and the measure asked for
    parameter_kind: the kind of parameters that may follow the name, with its defaults
    aggregate:   how the values of queries become one
    value_type:  REAL, INTEGER or TEXT
    view:        what the kernel looks at
    missing:     the value of a judged query that the run lacks, where such queries count; None: the kernel's own value
                 for an empty ranking
    per_query, summary: whether trec_eval prints it for each query, for all
    recounted_from: a grade, or None: when averages are over all judged queries, the summary is instead the number of
                 judged documents of at least this grade, whatever the relevance level (trec_eval's -c)
    since:       the first release of trec_eval that has it; None for measures that trec_eval lacks
    traits:      properties that hold for it, tested for each
    examples:    at least two worked examples, made when they are looked at
    """

    __slots__ = (
        "_definition", "_examples", "aggregate", "aliases", "expected", "field_name", "function", "kernel", "missing",
        "name", "parameter_kind", "per_query", "recounted_from", "since", "source", "summary", "title", "traits",
        "value_type", "view",
    )  # fmt: skip

    def __init__(
        self,
        *,
        name: str,
        title: str,
        definition: str,
        source: str,
        examples: Callable[[], tuple[Example, ...]] = tuple,
        field_name: str | None = None,
        aliases: tuple[str, ...] = (),
        kernel: Kernel | None = None,
        expected: Kernel | None = None,
        function: Callable[..., float] | None = None,
        parameter_kind: ParameterKind = NO_PARAMETERS,
        aggregate: Aggregate = MEAN,
        value_type: str = REAL,
        view: str = VIEW_RANKING,
        missing: float | None = None,
        per_query: bool = True,
        summary: bool = True,
        recounted_from: int | None = None,
        since: str | None = "9.0.8",
        traits: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.title = title
        self._definition = definition
        self.source = source
        self._examples = examples
        self.field_name = field_name
        self.aliases = aliases
        self.kernel = kernel
        self.expected = expected
        self.function = function
        self.parameter_kind = parameter_kind
        self.aggregate = aggregate
        self.value_type = value_type
        self.view = view
        self.missing = missing
        self.per_query = per_query
        self.summary = summary
        self.recounted_from = recounted_from
        self.since = since
        self.traits = traits

    # Only help, documentation and tests look at these two, and a command's start would pay for them.

    @property
    def definition(self) -> str:
        """The documentation, in lines without indentation."""
        return "\n".join(line.strip() for line in self._definition.strip().split("\n"))

    @property
    def examples(self) -> tuple[Example, ...]:
        """The worked examples."""
        return self._examples()

    @property
    def arguments(self) -> dict[str, Argument]:
        """The arguments of a measure by the field's names, by name; trec_eval's measures have none of these."""
        return {one.name: one for one in getattr(self.parameter_kind, "arguments", ())}

    @property
    def has_exact_mean_over_ties(self) -> bool:
        """Whether the mean over all orders of tied documents is computed; else it can only be estimated."""
        exact = self.kernel is None or self.expected is not None or IGNORES_ORDER in self.traits
        return exact and self.function is None

    def __repr__(self) -> str:
        return f"<measure {self.name}>"


_trec_eval: dict[str, MeasureRecord] = {}  # by trec_eval's names
_field: dict[str, MeasureRecord] = {}  # by the field's names
_aliases: dict[str, MeasureRecord] = {}
_lower_case: dict[str, MeasureRecord] = {}
_waiting: list[str] = []  # modules whose records are registered when the field's names are looked at


def register_later(modules: Iterable[str]) -> None:
    """Leaves modules that have records of the field's names alone until somebody looks at these names."""
    _waiting.extend(modules)


def _register_waiting() -> None:
    if _waiting:
        from importlib import import_module

        for module in tuple(_waiting):  # another thread may do the same: it waits for what is being imported
            import_module(module)
        _waiting.clear()


def register(measure: MeasureRecord) -> None:
    """Adds a record: to trec_eval's where it says since when trec_eval has it, else to the field's. Once a name."""
    names = _field if measure.since is None else _trec_eval
    if measure.name in names:
        raise ValueError(f"measure {measure.name!r} is registered already")
    names[measure.name] = measure
    for alias in measure.aliases:
        if alias in _field or alias in _aliases:
            raise ValueError(f"alias {alias!r} of measure {measure.name!r} is taken")
        _aliases[alias] = measure
    if names is _field:
        _lower_case.setdefault(measure.name.lower(), measure)


def redefine(measure: MeasureRecord) -> None:
    """Adds a user's own record, in place of an own one of that name. Raises ParameterError for a name that is taken."""
    _register_waiting()
    known = _field.get(measure.name) or _aliases.get(measure.name) or find(measure.name)
    if known is not None and known.function is None:
        raise ParameterError(f"expected a name that no measure has, found '{measure.name}' ({known.title})")
    _field[measure.name] = measure


def find(name: str) -> MeasureRecord | None:
    """trec_eval's measure of exactly this name, or None."""
    return _trec_eval.get(name)


def find_field(name: str) -> MeasureRecord | None:
    """The measure that has this name or alias in the field, or whose name this is in lower case, or None."""
    _register_waiting()
    return _field.get(name) or _aliases.get(name) or _lower_case.get(name)


def all_measures() -> Iterator[MeasureRecord]:
    """Every record: trec_eval's, then the field's, each in the order of registration."""
    _register_waiting()
    yield from _trec_eval.values()
    yield from _field.values()


def field_measures() -> Iterator[MeasureRecord]:
    """The records by the field's names."""
    _register_waiting()
    return iter(_field.values())
