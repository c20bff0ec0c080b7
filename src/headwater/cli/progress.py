"""Show the progress of a command on the terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status
from rich.text import Text

from headwater.cli.command import Call
from headwater.cli.output import Format, printable
from headwater.refresh.progress import Board, ProgressEvent
from headwater.service.lake import Lake


@contextmanager
def shown_progress(call: Call, lake: Lake, waiting: str | None = None) -> Iterator[None]:
    """Show the progress of refreshes, and `waiting` in between; nothing without a terminal or with JSON output."""
    if call.output is Format.json or not sys.stderr.isatty():
        yield
        return
    status = Console(file=sys.stderr).status("")
    try:
        with lake.watched(_Shown(status, waiting)):
            yield
    finally:
        status.stop()


class _Shown:
    """A subscriber that shows one line for each table that is being refreshed."""

    def __init__(self, status: Status, waiting: str | None) -> None:
        self._status, self._board = status, Board()
        self._waiting = (waiting,) if waiting else ()
        self._lock = threading.Lock()
        self._draw()

    def __call__(self, event: ProgressEvent) -> None:
        self._board(event)
        with self._lock:
            self._draw()

    def _draw(self) -> None:
        lines = self._board.lines or self._waiting
        if lines:
            self._status.update(Text(printable("\n".join(lines))))
            self._status.start()
        else:
            self._status.stop()
