"""Tables of texts and numbers in each format of the commands: for a terminal, TSV, CSV, JSON, Markdown, LaTeX.

A cell is None where there is no value; infinite numbers and NaN are shown as none. Every format but JSON rounds.
"""

from __future__ import annotations

from treckon.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    Cell: TypeAlias = str | int | float | None

#: Decimals where neither the column nor the caller says otherwise: trec_eval's.
DIGITS = 4

#: What a table can be rendered as.
FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex")


class Column(Record):
    """A column of a table.

    name:   its head, and its key in JSON
    kind:   how values are written, one of KINDS:
            "text"
            "integer"      a whole number; what isn't whole is rounded as "real"
            "real"         rounded to `digits`
            "signed"       the same with its sign, also where it is positive: a difference
            "percent"      a share (0.25) as 25.0: two digits less, without the sign of per cent
            "probability"  rounded, and with an exponent (1.2e-07) where all its digits would be zeros
    digits: decimals; None: as many as the caller of `render` says
    """

    name: str
    kind: str = "text"
    digits: int | None = None

    def __init__(self, name: str, kind: str = "text", digits: int | None = None) -> None:
        super().__init__(name, kind, digits)
        if kind not in KINDS:
            raise ValueError(f"column {name!r}: expected a kind out of {', '.join(KINDS)}, found {kind!r}")

    def text(self, value: Cell, digits: int = DIGITS) -> str | None:
        """A value as it is shown; None where there is none."""
        if value is None or (isinstance(value, float) and value - value != 0.0):
            return None
        if isinstance(value, str):  # also in columns of numbers: a measure may be text-valued
            return value
        return KINDS[self.kind](value, digits if self.digits is None else self.digits)


def _percent(value: float, digits: int) -> str:
    return f"{100.0 * value:.{max(digits - 2, 0)}f}"


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}"
    return text if text.strip("+-0.") else text[1:]  # what rounds to zero has no sign


def _probability(value: float, digits: int) -> str:
    return f"{value:.1e}" if 0.0 < value < 0.5 * 10.0**-digits else f"{value:.{digits}f}"


#: How the values of each kind of column are written.
KINDS: dict[str, Callable[[float, int], str]] = {
    "text": lambda value, digits: str(value),
    "integer": lambda value, digits: f"{value:.{digits}f}" if value % 1 else str(int(value)),
    "real": lambda value, digits: f"{value:.{digits}f}",
    "signed": _signed,
    "percent": _percent,
    "probability": _probability,
}


class Table:
    """A table.

    columns: a Column each; a text stands for a column of texts
    rows:    a sequence of values each, as many as there are columns
    title:   the line above it
    notes:   lines below it

    TSV and CSV have neither title nor notes.
    """

    __slots__ = ("columns", "notes", "rows", "title")

    def __init__(
        self,
        columns: Iterable[Column | str],
        rows: Iterable[Sequence[Cell]],
        title: str = "",
        notes: Iterable[str] = (),
    ) -> None:
        self.columns = tuple(column if isinstance(column, Column) else Column(column) for column in columns)
        self.rows = [tuple(row) for row in rows]
        self.title = title
        self.notes = tuple(notes)
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(f"row {number}: expected {len(self.columns)} values, found {len(row)}")

    def head(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def texts(self, digits: int = DIGITS, absent: str = "") -> list[list[str]]:
        """The rows as texts, `absent` where there is no value."""
        return [
            [
                absent if (text := column.text(value, digits)) is None else text
                for column, value in zip(self.columns, row, strict=True)
            ]
            for row in self.rows
        ]

    def to_dict(self) -> dict[str, object]:
        """The table as dictionaries, lists, texts and numbers, nothing rounded.

        Keys: title and notes, where there are any; rows, dictionaries by the names of the columns.
        """
        as_dict: dict[str, object] = {"title": self.title} if self.title else {}
        as_dict["rows"] = [dict(zip(self.head(), row, strict=True)) for row in self.rows]
        if self.notes:
            as_dict["notes"] = list(self.notes)
        return as_dict


def render(
    tables: Table | Sequence[Table],
    format: str,
    width: int | None = None,
    terminal: bool = False,
    *,
    digits: int = DIGITS,
    data: object = None,
) -> str:
    """Tables as text of a format, ending in a newline.

    tables:   one or several; in TSV and CSV an empty line separates them
    format:   one of FORMATS
    width:    of the terminal, for "table"; None: as wide as the tables are
    terminal: whether "table" may have colours and other effects of a terminal
    digits:   decimals, where a column doesn't say its own; JSON has all
    data:     what "json" has in place of the tables: dictionaries, lists, texts and numbers

    Raises ValueError for another format.
    """
    tables = [tables] if isinstance(tables, Table) else list(tables)
    if format == "json":
        return _json(tables, data)
    if format == "table":
        return _for_terminal(tables, width, terminal, digits)
    if format not in _WRITERS:
        raise ValueError(f"format: expected one of {', '.join(FORMATS)}, found {format!r}")
    return "\n".join(_WRITERS[format](table, digits) for table in tables)


def _json(tables: list[Table], data: object) -> str:
    from treckon.evaluation.results import json_text

    if data is None:
        data = tables[0].to_dict() if len(tables) == 1 else [table.to_dict() for table in tables]
    return json_text(data)


# For machines


_TSV = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def _tsv(table: Table, digits: int) -> str:
    r"""A line a row, a TAB between the cells. In texts these are written \t, \n, \r and \\, so a line stays a line."""
    rows = [table.head(), *table.texts(digits)]
    return "".join("\t".join(cell.translate(_TSV) for cell in row) + "\n" for row in rows)


def _csv(table: Table, digits: int) -> str:
    """As RFC 4180 has it, but for LF as the end of a line."""
    rows = [table.head(), *table.texts(digits)]
    return "".join(",".join(_csv_cell(cell, len(row) == 1) for cell in row) + "\n" for row in rows)


def _csv_cell(text: str, alone: bool) -> str:
    quoted = any(c in text for c in ',"\r\n') or (alone and not text)  # a line with nothing in it is no row
    return '"' + text.replace('"', '""') + '"' if quoted else text


# For documents


def _markdown(table: Table, digits: int) -> str:
    from treckon.reports.markdown import markdown, markdown_table

    align = ["---" if column.kind == "text" else "---:" for column in table.columns]
    rows = ([markdown(_on_one_line(cell)) for cell in row] for row in table.texts(digits, absent="–"))
    text = markdown_table([markdown(name) for name in table.head()], rows, align)
    title = f"**{markdown(_on_one_line(table.title))}**\n\n" if table.title else ""
    notes = "\n\n".join(markdown(_on_one_line(note)) for note in table.notes)
    return title + text + (f"\n{notes}\n" if notes else "")


_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
        ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}",
        "'": r"\textquotesingle{}", "[": "{[}", "]": "{]}", **{c: "\\" + c for c in "{}$&#_%"},
    }
)  # fmt: skip


def _latex(table: Table, digits: int) -> str:
    """A tabular with the rules of the package booktabs. Brackets are put in braces: `\\\\[` has a meaning."""

    def escaped(text: str) -> str:
        return _on_one_line(text).translate(_LATEX).replace("--", "-{}-")

    def cell(column: Column, text: str) -> str:
        is_negative = column.kind != "text" and text.startswith("-")
        return "$-$" + escaped(text[1:]) if is_negative else escaped(text)

    align = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    rows = [" & ".join(map(cell, table.columns, row)) + " \\\\" for row in table.texts(digits, absent="–")]
    head = " & ".join(map(escaped, table.head())) + " \\\\"
    packages = "\\usepackage{booktabs,textcomp}"
    if any("\\textquotedbl" in row for row in [head, *rows]):  # which LaTeX's first font encoding lacks
        packages += " \\usepackage[T1]{fontenc}"
    above = [f"% needs {packages}"] + ([f"% {_on_one_line(table.title)}"] if table.title else [])
    lines = [*above, f"\\begin{{tabular}}{{{align}}}", "\\toprule", head, "\\midrule", *rows, "\\bottomrule"]
    notes = [f"% {_on_one_line(note)}" for note in table.notes]
    return "\n".join([*lines, "\\end{tabular}", *notes]) + "\n"


def _on_one_line(text: str) -> str:
    """Text without what begins another line or does something to a terminal, and without what isn't UTF-8."""
    if text.isprintable():
        return text

    def shown(c: str) -> str:
        if "\udc80" <= c <= "\udcff":  # a byte that isn't UTF-8, as files' bytes become text
            return f"\\x{ord(c) - 0xDC00:02x}"
        return c if c.isprintable() else repr(c)[1:-1]

    return "".join(map(shown, text))


# For people


def _for_terminal(tables: list[Table], width: int | None, terminal: bool, digits: int) -> str:
    from io import StringIO

    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    text = StringIO()
    console = Console(
        file=text,
        width=_NO_WIDTH,
        height=_NO_HEIGHT,
        force_terminal=terminal,
        color_system="auto" if terminal else None,
        highlight=False,
        legacy_windows=False,
    )
    for number, table in enumerate(tables):
        if number:
            console.print()
        if table.title:
            console.print(Text(_on_one_line(table.title), "bold"))
        shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
        rows = [[Text(_on_one_line(cell)) for cell in row] for row in table.texts(digits, absent="–")]
        narrowest = 0
        for column, *cells in zip(table.columns, *rows, strict=True):
            head, is_text = Text(_on_one_line(column.name)), column.kind == "text"
            widest = max(cell.cell_len for cell in [head, *cells])
            # Texts may be folded; a number that isn't whole would be another one.
            least = min(widest, _LEAST_WIDTH) if is_text else widest
            narrowest += least + _PADDING
            shown.add_column(head, justify="left" if is_text else "right", overflow="fold", min_width=least)
        for row in rows:
            shown.add_row(*row)
        console.print(shown, width=None if width is None else max(width, narrowest))
        for note in table.notes:
            console.print(Text(_on_one_line(note), "dim"))
    return "".join(line.rstrip(" ") + "\n" for line in text.getvalue().removesuffix("\n").split("\n"))


#: To how many characters a text may be folded, and what lies between two columns.
_LEAST_WIDTH, _PADDING = 10, 3

#: Wider than any table: nothing is cut or folded where nobody says how wide the terminal is.
_NO_WIDTH = 100_000

#: Without a height rich takes a terminal whose TERM is dumb for 80 characters wide, whatever it is told.
_NO_HEIGHT = 25

_WRITERS: dict[str, Callable[[Table, int], str]] = {"tsv": _tsv, "csv": _csv, "markdown": _markdown, "latex": _latex}
