"""Tables in each format: what is escaped, what is rounded, what stands where there is no value."""

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treckon.reports.tables import FORMATS, Column, Table, render

COLUMNS = [Column("run"), Column("n", "integer"), Column("AP", "real"), Column("change", "signed", 3)]
TABLE = Table(
    COLUMNS, [("a|b", 7, 0.123456, 0.5), ("c", 11, 1.0, -0.25), ("d", None, None, float("nan"))], "Runs", ["!"]
)


# ---- Values


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("text", "x", "x"),
        ("text", 3, "3"),
        ("integer", 3, "3"),
        ("integer", 3.0, "3"),
        ("integer", 10**400, str(10**400)),
        ("real", 0.12345, "0.1235"),
        ("real", 1, "1.0000"),
        ("real", 1e20, "100000000000000000000.0000"),
        ("real", "a text-valued measure", "a text-valued measure"),
        ("signed", 0.5, "+0.5000"),
        ("signed", -0.5, "-0.5000"),
        ("signed", 0.00001, "0.0000"),
        ("signed", -0.00001, "0.0000"),
        ("percent", 0.25, "25.00"),
        ("probability", 0.05, "0.0500"),
        ("probability", 0.0, "0.0000"),
        ("probability", 0.00005, "0.0001"),
        ("probability", 0.000049, "4.9e-05"),
        ("real", None, None),
        ("real", float("nan"), None),
        ("real", float("inf"), None),
    ],
)
def test_values_are_written_by_their_kind(kind, value, text):
    assert Column("x", kind).text(value) == text


def test_a_columns_own_digits_go_before_the_callers():
    assert Column("x", "real", 2).text(0.126, 5) == "0.13"
    assert Column("x", "real").text(0.126, 5) == "0.12600"
    assert Column("x", "percent").text(0.126, 1) == "13"


def test_what_is_no_table_is_refused():
    with pytest.raises(ValueError, match=r"column 'x': expected a kind out of text, integer, .*, found 'colour'"):
        Column("x", "colour")
    with pytest.raises(ValueError, match=r"row 1: expected 2 values, found 1"):
        Table(["a", "b"], [("1", "2"), ("3",)])
    with pytest.raises(ValueError, match=r"format: expected one of table, tsv, .*, found 'html'"):
        render(TABLE, "html")


# ---- Formats


def test_tsv():
    assert render(TABLE, "tsv") == "run\tn\tAP\tchange\na|b\t7\t0.1235\t+0.500\nc\t11\t1.0000\t-0.250\nd\t\t\t\n"


def test_csv():
    table = Table(["a", "b"], [('say "x"', "1,2"), ("two\nlines", "")])
    assert render(table, "csv") == 'a,b\n"say ""x""","1,2"\n"two\nlines",\n'


def test_json_keeps_every_digit_and_has_no_nan():
    assert json.loads(render(TABLE, "json")) == {
        "title": "Runs",
        "rows": [
            {"run": "a|b", "n": 7, "AP": 0.123456, "change": 0.5},
            {"run": "c", "n": 11, "AP": 1.0, "change": -0.25},
            {"run": "d", "n": None, "AP": None, "change": None},
        ],
        "notes": ["!"],
    }
    assert json.loads(render([TABLE, Table(["x"], [])], "json"))[1] == {"rows": []}
    assert json.loads(render(TABLE, "json", data={"value": float("inf"), "of": (1, "ü")})) == {
        "value": None,
        "of": [1, "ü"],
    }


def test_markdown():
    table = Table(
        ["id", Column("a_b", "real")], [("a|b *x* <y> [z](u) `c`\nd", 0.5), ("&lt; \\", None)], "T_1_", ["*n*"]
    )
    assert render(table, "markdown") == (
        "**T_1\\_**\n\n"
        "| id | a_b |\n"
        "| --- | ---: |\n"
        "| a\\|b \\*x\\* \\<y> \\[z\\](u) \\`c\\`\\\\nd | 0.5000 |\n"
        "| \\&lt; \\\\ | – |\n"
        "\n\\*n\\*\n"
    )


def test_latex_says_what_a_quotation_mark_needs():
    for table in (Table(['"'], [["x"]]), Table(["x"], [['"']])):
        first = render(table, "latex").split("\n")[0]
        assert first == "% needs \\usepackage{booktabs,textcomp} \\usepackage[T1]{fontenc}"
    assert render(Table(["x"], [["y"]]), "latex").startswith("% needs \\usepackage{booktabs,textcomp}\n")


def test_a_dumb_terminal_is_as_wide_as_it_is(monkeypatch):
    table = Table([Column("real", "real")] * 12, [[123456.7891] * 12])
    monkeypatch.setenv("TERM", "dumb")
    shown = render(table, "table", width=40, terminal=True).split("\n")
    assert shown[2] == "   ".join(["123456.7891"] * 12)
    assert render(Table(["id"], [["x" * 95]]), "table", width=100, terminal=True).split("\n")[2] == "x" * 95


def test_latex():
    table = Table(
        ["id", Column("100%", "real")], [("a_b & {c}$#~^\\ [x] -- <y>|'\"`", -0.5), ("-d", None)], "T", ["n\nm"]
    )
    assert render(table, "latex").split("\n") == [
        "% needs \\usepackage{booktabs,textcomp} \\usepackage[T1]{fontenc}",
        "% T",
        "\\begin{tabular}{lr}",
        "\\toprule",
        "id & 100\\% \\\\",
        "\\midrule",
        "a\\_b \\& \\{c\\}\\$\\#\\textasciitilde{}\\textasciicircum{}\\textbackslash{} {[}x{]} -{}- \\textless{}y"
        "\\textgreater{}\\textbar{}\\textquotesingle{}\\textquotedbl{}\\textasciigrave{} & $-$0.5000 \\\\",
        "-d & – \\\\",
        "\\bottomrule",
        "\\end{tabular}",
        "% n\\nm",
        "",
    ]


def test_a_table_is_aligned():
    assert render(TABLE, "table").split("\n") == [
        "Runs",
        "run    n       AP   change",
        "──────────────────────────",
        "a|b    7   0.1235   +0.500",
        "c     11   1.0000   -0.250",
        "d      –        –        –",
        "!",
        "",
    ]


def test_a_table_on_a_terminal_has_effects_and_the_same_text(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    text = render(TABLE, "table", 80, terminal=True)
    assert "\x1b[" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert [line.split() for line in plain.split("\n")] == [line.split() for line in render(TABLE, "table").split("\n")]


def test_a_narrow_terminal_folds_texts_and_keeps_numbers_whole():
    table = Table(["run", Column("AP", "real"), Column("P@10", "real")], [("a-rather-long-name-of-a-run", 0.25, 0.75)])
    assert render(table, "table", 40).split("\n") == [
        "run                          AP     P@10",
        "────────────────────────────────────────",
        "a-rather-long-name-of-   0.2500   0.7500",
        "a-run",
        "",
    ]
    text = render(table, "table", 5)  # too narrow for anything: no digit is dropped
    assert "0.2500   0.7500\n" in text


@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_texts_from_strangers_do_nothing_to_a_terminal(format):
    table = Table(
        ["[bold]a"], [("\x1b[31mred\x07",), ("[red]x[/red]",), ("b\udcffc",), ("a\u2028b",)], "\x1b]0;t\x07", ["\x9b1m"]
    )
    text = render(table, format)
    assert not {"\x1b", "\x07", "\x9b", "\u2028", "\udcff"} & set(text)
    if format == "table":
        for shown in (
            "[bold]a",
            "\\x1b[31mred\\x07",
            "[red]x[/red]",
            "b\\xffc",
            "a\\u2028b",
            "\\x1b]0;t\\x07",
            "\\x9b1m",
        ):
            assert shown in text


def test_several_tables_are_separated():
    small = Table(["x"], [("1",)])
    assert render([small, small], "tsv") == "x\n1\n\nx\n1\n"
    assert render([small, small], "markdown").count("| x |") == 2
    assert render([small, small], "table").count("x\n") == 2


# ---- For any text

CELLS = st.lists(st.tuples(st.text(), st.text()), max_size=4)


@given(CELLS)
def test_csv_gives_back_any_text(rows):
    rows = [tuple(cell.replace("\0", "?") for cell in row) for row in rows]  # csv.reader of Python 3.10 refuses NUL
    for columns in (2, 1):
        head, cells = ["a", "b"][:columns], [row[:columns] for row in rows]
        read = list(csv.reader(io.StringIO(render(Table(head, cells), "csv"), newline="")))
        assert [tuple(row) for row in read] == [tuple(head), *cells]


@given(CELLS)
def test_tsv_gives_back_any_text(rows):
    unescape = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\"}
    lines = render(Table(["a", "b"], rows), "tsv").split("\n")[1:-1]
    read = [
        tuple(re.sub(r"\\.", lambda found: unescape[found[0]], cell) for cell in line.split("\t")) for line in lines
    ]
    assert read == rows


@given(CELLS, st.sampled_from(FORMATS))
def test_any_text_fits_every_format(rows, format):
    text = render(Table(["a", "b"], rows), format)
    assert text.endswith("\n")
    if format == "table":
        assert len(text.split("\n")) == len(rows) + 3
    if format == "markdown":
        assert len(text.split("\n")) == len(rows) + 3
    if format == "latex":
        assert len(text.split("\n")) == len(rows) + 8
