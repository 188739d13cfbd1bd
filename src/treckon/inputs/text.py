"""Text in other formats than TREC's, and how the format of a text is told by its first line."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterable

from treckon.errors import InputError, in_short, shortened
from treckon.inputs.columns import Columns
from treckon.inputs.sources import BLOCK_SIZE, Source
from treckon.inputs.tables import chosen_columns, named_columns
from treckon.inputs.values import QRELS, RUN, Kind, Refused, first_repeated, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from treckon.inputs.tables import Names

_PASTE = "query, ranked and relevant ids (format='paste')"

FORMATS = ("trec", "msmarco", "tsv", "paste", "json")

_JSON_START = re.compile(rb'\{\s*(?:["}]|$)|\[\s*(?:[]{["]|$)')
_WHOLE_NUMBER = re.compile(rb"[+-]?[0-9]+")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
#: May begin a text, and is no part of it.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def open_text(given: object, name: str) -> Source | None:
    """The bytes of a path, an open file, bytes or text; None for data of other forms. Raises InputError."""
    if isinstance(given, Source):
        return given
    if isinstance(given, str) and not is_content(given):
        if not given:
            raise InputError(name, "expected a path, found empty text")
        return Source(given)
    if isinstance(given, os.PathLike):
        return Source(given)
    if isinstance(given, (str, bytes, bytearray, memoryview)):
        return kept([given], name)
    if callable(getattr(given, "read", None)):
        own_name = getattr(given, "name", None)
        return kept(_read_blocks(given), own_name if isinstance(own_name, str) else name)
    return None


def is_path(given: object) -> bool:
    """Whether this is the path of a file."""
    return isinstance(given, os.PathLike) or (isinstance(given, str) and not is_content(given))


def is_content(text: str) -> bool:
    """Whether a str is the text itself: more than a line, or fields, or JSON. Else it is a path."""
    return "\n" in text or "\t" in text or (text[:1] + text[-1:]) in ("{}", "[]")


def _read_blocks(stream: Any) -> Iterator[Any]:
    while block := stream.read(BLOCK_SIZE):
        yield block


def kept(blocks: Iterable[Any], name: str) -> Source:
    """A source of these bytes, by way of a temporary file, which it can read as often and in as many shares as any.

    Raises InputError where there are none, or they can't be kept.
    """
    from tempfile import NamedTemporaryFile

    try:
        with NamedTemporaryFile(prefix="treckon-") as file:
            for block in blocks:
                if isinstance(block, str):
                    block = block.encode("utf-8", "surrogateescape")
                elif not isinstance(block, (bytes, bytearray, memoryview)):
                    raise InputError(name, f"expected read() to return bytes or text, found {shown(block)}")
                file.write(block)
            file.flush()
            if file.tell() == 0:
                raise InputError(name, "cannot read it: it is empty")
            source = Source(file.name)
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(name, f"cannot read it: {getattr(error, 'strerror', None) or error}") from None
    source.name = name
    return source


def detected_format(source: Source, kind: Kind) -> str:
    """One of FORMATS, by the first line that is not blank: trec unless the line can't be that. Raises InputError."""
    number, line = _first_line(source)
    if _is_json(line):
        return "json"
    fields, cells = line.split(), line.split(b"\t")
    if line.startswith(b"#") or len(fields) == len(cells) == _n_trec_fields(kind):
        return "trec"
    if named_columns([_text(cell.strip()) for cell in cells].__contains__, kind):
        return "tsv"
    if kind is RUN and len(fields) == 3 and fields[2].isdigit():
        return "msmarco"
    if kind is QRELS and len(fields) == len(cells) == 2:
        return "msmarco"
    if len(cells) != 3:
        return "trec"
    doubt = _doubt_of_paste(fields, cells, kind)
    if doubt:
        raise InputError(f"{source.name}:{number}", f"cannot tell whether this is {doubt}; say which")
    return "trec" if len(fields) == _n_trec_fields(kind) and fields[1] in (b"0", b"Q0") else "paste"


def paste_format(source: Source) -> str:
    """What a text with both a run and qrels is, by its first line that is not blank: json or paste.

    Raises InputError where the line may as well be MS MARCO's run.
    """
    number, line = _first_line(source)
    if _is_json(line):
        return "json"
    fields, cells = line.split(), line.split(b"\t")
    if len(fields) == len(cells) == 3 and fields[2].isdigit():
        raise InputError(
            f"{source.name}:{number}",
            f"cannot tell whether this is {_PASTE} or query, document and rank (MS MARCO's run); say which",
        )
    return "paste"


def _is_json(first_line: bytes) -> bool:
    """Whether the first line that is not blank begins like JSON that holds data."""
    return bool(_JSON_START.match(first_line.lstrip()))


def _n_trec_fields(kind: Kind) -> int:
    return 6 if kind is RUN else 4


def _doubt_of_paste(fields: list[bytes], cells: list[bytes], kind: Kind) -> str:
    """What else than a paste three cells may be; "" where there is no doubt."""
    if len(fields) == 3 and _NUMBER.fullmatch(fields[2]):
        return f"{_PASTE} or query, document and {kind.value} (format='tsv')"
    if kind is QRELS and len(fields) == 2 and not cells[2].strip():
        return f"{_PASTE} or query and relevant document (format='msmarco')"
    value = fields[4 if kind is RUN else 3] if len(fields) == _n_trec_fields(kind) else b""
    if _NUMBER.fullmatch(value) and fields[1] not in (b"0", b"Q0"):
        return f"{_PASTE} or TREC's format with blanks and TABs mixed (format='trec')"
    return ""


def _first_line(source: Source) -> tuple[int, bytes]:
    """Number and text of the first line that is not blank; of a long one the beginning."""
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
    return number, rest.partition(b"\n")[0].rstrip(b"\r")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _records(source: Source, separator: bytes | None) -> Iterator[tuple[Callable[[], str], list[bytes]]]:
    """The fields of each line that is not blank, and what tells its place. Without a separator, white space is it."""
    number = 0

    def place() -> str:
        return f"{source.name}:{number}"

    for number, line in source.lines():  # noqa: B007  (place() reads it)
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        fields = line.rstrip(b"\r").split(separator)
        if fields and (separator is None or line.strip()):
            yield place, fields


def _fields_error(place: str, expected: str, n_found: int) -> InputError:
    return InputError(place, f"expected {expected}, found {n_found}; format= tells if this is of another format")


class _Rows:
    """The columns of a file, as they grow."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.queries: list[str] = []
        self.documents: list[str] = []
        self.values: Any = array(kind.typecode)
        self._last = b""
        self._last_text = ""

    def add(self, query: bytes, document: bytes, value: float) -> None:
        if query != self._last:  # lines of one query share its text
            self._last, self._last_text = query, _text(query)
        self.queries.append(self._last_text)
        self.documents.append(document.decode("utf-8", "surrogateescape"))
        self.values.append(value)

    def columns(self, name: str, order: str = "score") -> Columns:
        return Columns(self.queries, self.documents, self.values, order=order, name=name)


def read_msmarco_run(source: Source) -> Columns:
    """MS MARCO's run: lines ``qid docid rank``. The lower the rank, the better: values are negative ranks."""
    rows = _Rows(RUN)
    add = rows.add
    for place, fields in _records(source, None):
        if len(fields) != 3:
            raise _fields_error(place(), "3 fields (qid docid rank)", len(fields))
        query, document, text = fields
        rank = int(text) if text.isdigit() and len(text) < 16 else 0
        if rank == 0:
            raise InputError(place(), f"expected a rank (a whole number from 1), found '{shortened(text)}'")
        add(query, document, -rank)
    return rows.columns(source.name, "rank")


def read_msmarco_qrels(source: Source) -> Columns:
    """MS MARCO's qrels: lines ``qid docid``, all relevant with grade 1, or TREC's four fields."""
    rows = _Rows(QRELS)
    n_fields = 0
    for place, fields in _records(source, None):
        if len(fields) != (n_fields or len(fields)) or len(fields) not in (2, 4):
            expected = f"{n_fields} fields as before" if n_fields else "2 fields (qid docid) or 4 (qid 0 docid grade)"
            raise _fields_error(place(), expected, len(fields))
        n_fields = len(fields)
        if n_fields == 2:
            rows.add(fields[0], fields[1], 1)
        else:
            rows.add(fields[0], fields[2], _number(fields[3], QRELS, place))
    return rows.columns(source.name)


def read_tsv(source: Source, names: Names | None, kind: Kind) -> Columns:
    """A table with a TAB between its cells: of a line with names, or of query, document and value without one."""
    rows = _Rows(kind)
    positions: list[int] = []
    n_cells = 0
    for place, cells in _records(source, b"\t"):
        if not positions:
            n_cells = len(cells)
            header = [_text(cell.strip()) for cell in cells]
            if names or named_columns(header.__contains__, kind):
                positions = [header.index(one) for one in chosen_columns(header, names, kind, place())]
                continue
            positions = [0, 1, 2]
            n_cells = 3
        if len(cells) != n_cells:
            raise _fields_error(place(), f"{n_cells} fields with a TAB between", len(cells))
        query, document, value = (cells[i] for i in positions)
        rows.add(query, document, _number(value.strip(), kind, place))
    return rows.columns(source.name)


def _number(text: bytes, kind: Kind, place: Callable[[], str]) -> float:
    if not _NUMBER.fullmatch(text):
        what = "a number as score" if kind is RUN else "a whole number as grade"
        raise InputError(place(), f"expected {what}, found '{shortened(text)}'")
    try:
        return kind.value_of(int(text) if _WHOLE_NUMBER.fullmatch(text) and len(text) < 1000 else float(text))
    except Refused as problem:
        raise problem.at(place()) from None


def read_json(source: Source, **hooks: Any) -> Any:
    """What a JSON text says; the hooks are `json.loads`'s, for numbers.

    Raises InputError, also where an object has a key twice: one of them would be lost.
    """
    import json

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keyed = dict(pairs)
        if len(keyed) < len(pairs):
            twice = first_repeated(key for key, _ in pairs)
            raise InputError(source.name, f"expected each key of a JSON object once, found {in_short(twice)} twice")
        return keyed

    text = _text(b"".join(source.blocks())).removeprefix("\ufeff")
    try:
        return json.loads(text, object_pairs_hook=once, **hooks)
    except json.JSONDecodeError as error:
        place = f"{source.name}:{error.lineno}"
        raise InputError(place, f"expected JSON, found at column {error.colno}: {error.msg}") from None
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # numbers of too many digits, too many brackets
        raise InputError(source.name, f"cannot read this JSON: {error}") from None
