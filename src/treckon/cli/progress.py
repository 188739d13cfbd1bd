"""A progress bar on standard error, where a person is watching and the work takes a while."""

from __future__ import annotations

import sys
from threading import Timer

from treckon.cli.output import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from rich.progress import Progress as RichProgress

#: Seconds before there is anything to see.
PATIENCE = 1.0


class Progress:
    """Shows how many parts of the work are done, once it has taken a while; nothing with ``--quiet``.

    what:  the work, such as "scoring"
    total: how many parts it has
    """

    def __init__(self, arguments: Namespace, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._shown: RichProgress | None = None
        self._timer: Timer | None = None
        if not arguments.quiet and is_terminal(sys.stderr):
            self._timer = Timer(PATIENCE, self._show)
            self._timer.daemon = True

    def __enter__(self) -> Progress:
        if self._timer is not None:
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._shown is not None:
            self._shown.stop()

    def advance(self) -> None:
        """One more part is done."""
        self._done += 1
        if self._shown is not None:
            self._shown.update(self._shown.task_ids[0], completed=self._done)

    def _show(self) -> None:
        """Called by the timer's thread, while another thread works."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        shown = RichProgress(*columns, console=Console(file=sys.stderr), transient=True)
        # How much of a single part is done isn't known: the bar only shows that it goes on.
        shown.add_task(self._what, total=self._total if self._total > 1 else None, completed=self._done)
        shown.start()
        self._shown = shown
