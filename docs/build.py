"""Prints the pages that are made of the package itself: docs/measures.md and docs/api.md.

python docs/build.py
"""

from __future__ import annotations

import runpy
from pathlib import Path

from treckon.naming.trec_eval import all_in_order
from treckon.reports.measure_text import measures_page

DOCS = Path(__file__).resolve().parent


def printed_pages() -> dict[str, str]:
    """The text of each printed page, by the name of its file."""
    shipped = [measure for measure in all_in_order() if measure.function is None]
    api_page = runpy.run_path(str(DOCS / "api_page.py"))["api_page"]
    return {"measures.md": measures_page(shipped), "api.md": api_page()}


if __name__ == "__main__":
    for name, text in printed_pages().items():
        (DOCS / name).write_text(text, "utf-8")
