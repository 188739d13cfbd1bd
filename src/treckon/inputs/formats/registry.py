"""The formats of text: one record for each thing that a format holds, and how a text's format is told.

Help, documentation, errors and the choices of options are made of the records.
"""

from __future__ import annotations

from treckon.errors import InputError
from treckon.measures.registry import VIEW_RANKING
from treckon.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from treckon._native.line_formats import LineFormat
    from treckon.inputs.sources import Source

    Names = Sequence[Any]  # three: of the columns of query ids, document ids and values

# What a text may hold.
RUN = "run"
QRELS = "qrels"  # judgements of documents
GROUPED = "grouped judgements"  # judgements in groups, or preferences: always asked for by the format's name
PAIR = "qrels and run"  # both, by query

# How surely the first line of a text is of a format. The surest one is taken; where two are, the user must say.
NO = 0
FALLBACK = 1  # where it is of no other
POSSIBLE = 2  # it may be
FITTING = 3  # it has the fields
NAMED = 4  # it has the names of columns
MARKED = 5  # it has a mark that no other has

# What a format may have no place for.
EMPTY_QUERIES = "queries without documents"
SCORES = "scores"
GRADES = "grades"


class Beginning(Record):
    """The first line of a text that is not blank; of a long line the beginning.

    number:  of the line, from 1
    line:    without its end
    fields:  what is between white space
    cells:   what is between TABs
    columns: the names of columns that the user gave, or None
    """

    number: int
    line: bytes
    fields: list[bytes]
    cells: list[bytes]
    columns: Names | None = None


class Format(Record):
    """Everything that the package knows about a format of text, for one of the things that it holds.

    name:       by which users ask for it
    holds:      RUN, QRELS, GROUPED or PAIR
    line:       what a line, or all of it, has; as messages and help say it
    about:      a phrase on it for lists of formats
    claim:      how surely a text is of this format, by its first line; None: only where the user says so
    read:       (source, names of columns or None) to the source itself (TREC's lines, for the scanner), `Columns`, or
                Python's data, whose form is found out as if a user had passed them; raises InputError. None: it is
                read by its `lines`
    write:      the text in pieces. It takes (run, tag), (qrels) or (qrels, run), as `holds` says, of which each is
                {query: {document: number}}; raises InputError for ids that can't stand in it. None: it isn't written
    loses:      what it has no place for, of EMPTY_QUERIES, SCORES and GRADES
    has_names:  whether its columns have names, which the user may give
    lines:      the fields of its lines, where the scanner reads them
    view:       what measures look at where these are the judgements
    trec_eval:  what trec_eval calls it, or None
    definition: what ``trec_eval -h`` says of it
    """

    name: str
    holds: str
    line: str
    about: str
    claim: Callable[[Beginning], int] | None = None
    read: Callable[[Source, Names | None], Any] | None = None
    write: Callable[..., Iterator[bytes]] | None = None
    loses: tuple[str, ...] = ()
    has_names: bool = False
    lines: LineFormat | None = None
    view: str = VIEW_RANKING
    trec_eval: str | None = None
    definition: str = ""


_formats: dict[tuple[str, str], Format] = {}
_all_loaded: list[bool] = []


def register(form: Format) -> Format:
    """Adds a record, once for a name and what it holds."""
    if (form.holds, form.name) in _formats:
        raise ValueError(f"format {form.name!r} of {form.holds} is registered already")
    _formats[form.holds, form.name] = form
    return form


def _load_all() -> None:
    if not _all_loaded:
        from importlib import import_module
        from pkgutil import iter_modules

        from treckon.inputs import formats

        for module in iter_modules(formats.__path__):
            import_module(f"{formats.__name__}.{module.name}")
        _all_loaded.append(True)


def registered(*holds: str) -> list[Format]:
    """The formats that hold one of these and are registered by now, in this order."""
    return [form for form in _formats.values() if form.holds in holds]


def find(holds: str, name: str) -> Format | None:
    """The format of this name that holds this, or None."""
    if (holds, name) not in _formats:
        _load_all()
    return _formats.get((holds, name))


def formats_of(*holds: str) -> list[Format]:
    """All formats that hold one of these, by name."""
    _load_all()
    return sorted(registered(*holds), key=lambda form: form.name)


def names_of(*holds: str) -> tuple[str, ...]:
    """The names of all formats that hold one of these, each once."""
    return tuple(dict.fromkeys(form.name for form in formats_of(*holds)))


def descriptions(*holds: str) -> dict[str, str]:
    """What a list says of each format that holds one of these, by name."""
    texts = {}
    for name in names_of(*holds):
        abouts: dict[str, list[str]] = {}
        for form in formats_of(*holds):
            if form.name == name:
                abouts.setdefault(form.about, []).append(form.holds)
        parts = [about if len(abouts) == 1 else f"{' and '.join(of)}: {about}" for about, of in abouts.items()]
        texts[name] = "\n".join(parts)
    return texts


def first_line(source: Source, columns: Names | None = None) -> Beginning:
    """The first line of a text that is not blank. Raises InputError."""
    from treckon.inputs.sources import BLOCK_SIZE, BYTE_ORDER_MARK

    number, rest = 0, b""
    for block in source.blocks():
        rest += block
        if number == 0:
            number, rest = 1, rest.removeprefix(BYTE_ORDER_MARK)
        n_blank = len(rest) - len(rest.lstrip())
        begin = rest.rfind(b"\n", 0, n_blank) + 1  # the line's own blanks stay
        number += rest.count(b"\n", 0, begin)
        rest = rest[begin:]
        if b"\n" in rest or len(rest) >= BLOCK_SIZE:
            break
    line = rest.partition(b"\n")[0].rstrip(b"\r")
    return Beginning(number, line, line.split(), line.split(b"\t"), columns)


def detected(source: Source, holds: str, columns: Names | None = None) -> Format:
    """The format of a text, by its first line that is not blank. Raises InputError where it may be of two.

    columns: names that the user gave; only formats that have names are looked for then
    """
    forms = formats_of(holds)
    if holds == PAIR:  # a run alone may look like a pair
        forms += [form for form in formats_of(RUN) if form.name not in names_of(PAIR)]
    beginning = first_line(source, columns)
    claims: dict[int, list[Format]] = {NO: []}
    for form in forms:
        if form.claim is not None and (columns is None or form.has_names):
            claims.setdefault(form.claim(beginning), []).append(form)
    surest = claims[max(claims)]
    place = f"{source.name}:{beginning.number}"
    if len(surest) > 1:
        readings = " or ".join(f"{form.line} (format={form.name!r})" for form in surest)
        raise InputError(place, f"cannot tell whether this is {readings}; say which")
    if surest[0].holds != holds:
        expected, other = " or ".join(names_of(holds)), surest[0]
        raise InputError(place, f"expected {holds} (format={expected}), found {other.line} (format={other.name!r})")
    return surest[0]
