"""Plain text, and tables of it, as Markdown."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def markdown(text: str) -> str:
    """Plain text such that Markdown shows it as it is."""
    text = re.sub(r"(?<=\S)\*|\*(?=\S)|(?<!\w)_|_(?!\w)|[<\[\]`~\\]|&(?=#?\w+;)", r"\\\g<0>", text)
    text = re.sub(r"^([-+](?= )|#+(?= )|>)", r"\\\1", text, flags=re.MULTILINE)
    return re.sub(r"^(\d+)(?=[.)] )", r"\1\\", text, flags=re.MULTILINE)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], align: Sequence[str] = ()) -> str:
    """A table whose cells are Markdown already. `align` is the row below the head, of ``---`` or ``---:``."""
    below = align or ["---"] * len(head)
    return _row(head) + "|" + "".join(f" {rule} |" for rule in below) + "\n" + "".join(map(_row, rows))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |\n"
