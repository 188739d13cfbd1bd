"""How many threads there may be."""

from __future__ import annotations

import os


def available_threads() -> int:
    """How many threads can run at once here."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
