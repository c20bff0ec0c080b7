"""Show what a command waits for: a spinner with seconds on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from headwater.cli.command import Call
from headwater.cli.exit_codes import note
from headwater.cli.output import Format, printable
from headwater.refresh.progress import Board
from headwater.service.lake import Lake

# Seconds before a wait is shown, and between the lines where there is no terminal.
AFTER, EVERY = 0.2, 10.0


@contextmanager
def shown_progress(call: Call, lake: Lake, waiting: str) -> Iterator[None]:
    """Show the progress of refreshes in the lake, and `waiting` in between; JSON output is read by programs."""
    if call.output is Format.json and not sys.stderr.isatty():
        yield
        return
    with watched_wait(lake, waiting):
        yield


@contextmanager
def watched_wait(lake: Lake, waiting: str) -> Iterator[None]:
    """Show what this process waits for in the lake, and `waiting` in between."""
    board = Board()
    with lake.watched(board), shown_wait(lambda: board.lines or (waiting,)):
        yield


@contextmanager
def shown_wait(lines: Callable[[], tuple[str, ...]]) -> Iterator[None]:
    """Show the lines while the block runs, if it takes long."""
    began, ended = time.monotonic(), threading.Event()

    def text() -> str:
        first, *others = lines()
        return printable("\n".join((f"{first}  {time.monotonic() - began:.0f} s", *others)))

    show = _spin if sys.stderr.isatty() else _say
    thread = threading.Thread(target=show, args=(text, ended), name="headwater-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _say(text: Callable[[], str], ended: threading.Event) -> None:
    while not ended.wait(EVERY):
        note(text())


def _spin(text: Callable[[], str], ended: threading.Event) -> None:
    if ended.wait(AFTER):
        return
    # Imported here because commands that are quick don't need it.
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    spinner = Spinner("dots", style="status.spinner")

    def drawn() -> Spinner:
        spinner.update(text=Text(text()))
        return spinner

    console = Console(file=sys.stderr)
    # Only what the terminal shows too is printed above the spinner.
    with Live(
        get_renderable=drawn,
        console=console,
        transient=True,
        refresh_per_second=10,
        redirect_stdout=sys.stdout.isatty(),
    ):
        ended.wait()
