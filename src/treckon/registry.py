"""The measures: one record each, registered beside its kernel. Nothing else in the package lists them."""

from __future__ import annotations

from treckon.aggregate import MEAN, Aggregate
from treckon.params import NO_PARAMETERS, ParameterKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from treckon._native.ranking import Kernel


class Example:
    """A worked example: one query's qrels and ranking, and the value of one printed name.

    `qrels` is written ``"a=2 b=1 c=0 u=-1"`` (groups of assessors parted by `` | ``) and `run` ``"a x c b"`` (documents
    by falling score). `name` is the printed name with its parameters (``P_5``). `level` is the relevance level,
    `options` more options of trec_eval (``"-J"``), `release` the release that prints the value (each that has the
    measure where it is None). `why` shows the arithmetic.
    """

    __slots__ = ("level", "name", "options", "qrels", "release", "run", "value", "why")

    def __init__(
        self,
        qrels: str,
        run: str,
        name: str,
        value: float | str,
        why: str,
        *,
        level: int = 1,
        release: str | None = None,
        options: tuple[str, ...] = (),
    ) -> None:
        self.qrels = qrels
        self.run = run
        self.name = name
        self.value = value
        self.why = why
        self.level = level
        self.release = release
        self.options = options


#: What a measure looks at. The engine builds a view only where a measure asks for it.
VIEW_RUN = "run"  # the run as a whole: its tag, the number of queries
VIEW_RANKING = "ranking"  # one query's ranking over qrels
VIEW_JUDGMENT_GROUPS = "judgment groups"  # a ranking for each group of assessors
VIEW_PREFERENCES = "preferences"  # pairs of documents of which one is preferred

REAL, INTEGER, TEXT = "real", "integer", "text"

#: Traits that properties are tested by. They hold with the default parameters (any cutoff), but for rounding.
BOUNDED = "bounded"  # never below 0, never above 1
PERFECT_IS_1 = "perfect is 1"  # all judged documents by falling grade score 1 where a grade is >= 1 and >= the level
MONOTONE = "monotone"  # exchanging a document with a worse one directly above it never lowers the value
GROWS_WITH_CUTOFF = "grows with the cutoff"  # never falls from one cutoff to a greater one
IGNORES_LEVEL = "ignores the level"  # the relevance level changes nothing
IGNORES_ORDER = "ignores the order"  # the retrieved documents may be put in any order
IGNORES_UNJUDGED_ORDER = "ignores unjudged documents"  # unpooled documents may be put anywhere


class Measure:
    """Everything that the package knows about one measure.

    name:        as trec_eval prints it, without parameters
    title:       one line, the field's name of it
    definition:  the documentation that `-h` and docs/measures.md print (plain text, lines up to 100 characters; they
                 may be indented in the source)
    source:      where the definition comes from (a paper)
    kernel:      the compiled function; None for what needs no ranking (`view` VIEW_RUN)
    parameters:  the kind of parameters that may follow the name, with its defaults
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
    examples:    at least two worked examples
    """

    __slots__ = (
        "aggregate", "definition", "examples", "kernel", "missing", "name", "parameters", "per_query",
        "recounted_from", "since", "source", "summary", "title", "traits", "value_type", "view",
    )  # fmt: skip

    def __init__(
        self,
        *,
        name: str,
        title: str,
        definition: str,
        source: str,
        examples: tuple[Example, ...],
        kernel: Kernel | None = None,
        parameters: ParameterKind = NO_PARAMETERS,
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
        self.definition = "\n".join(line.strip() for line in definition.strip().split("\n"))
        self.source = source
        self.examples = examples
        self.kernel = kernel
        self.parameters = parameters
        self.aggregate = aggregate
        self.value_type = value_type
        self.view = view
        self.missing = missing
        self.per_query = per_query
        self.summary = summary
        self.recounted_from = recounted_from
        self.since = since
        self.traits = traits

    def __repr__(self) -> str:
        return f"<measure {self.name}>"


_measures: dict[str, Measure] = {}


def register(measure: Measure) -> None:
    """Adds a record. A name can be registered once."""
    if measure.name in _measures:
        raise ValueError(f"measure {measure.name!r} is registered already")
    _measures[measure.name] = measure


def find(name: str) -> Measure | None:
    """The record of this exact name, or None."""
    return _measures.get(name)


def all_measures() -> Iterator[Measure]:
    """Every record, in the order of registration."""
    return iter(_measures.values())
