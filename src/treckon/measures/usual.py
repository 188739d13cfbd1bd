"""Measures that the commands take where nobody names any, as texts."""

from __future__ import annotations

#: A measure for each question: of all relevant documents, of the grades at the top, of the first relevant document, of
#: what a user sees on a page, and of what a second stage could work with.
USUAL = ("AP", "nDCG@10", "RR", "P@10", "R@1000")

#: How much of what a user sees is judged.
COVERAGE = "Judged@10"
