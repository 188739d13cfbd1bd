"""Blocks of mathematics (```math, in TeX) as MathML, which browsers show without a script or a font."""

from __future__ import annotations

from typing import Any

from latex2mathml.converter import convert


def block(source: str, *_: Any, **__: Any) -> str:
    """A fence's content, as pymdownx.superfences asks for it."""
    return f'<div class="math">{convert(source, display="block")}</div>'
