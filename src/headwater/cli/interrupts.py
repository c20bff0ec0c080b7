"""Ctrl-C and SIGTERM: the first one cancels the command, the second one ends it at once."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from headwater.cli.exit_codes import SIGNALLED, note

# A spinner that had no time to stop has hidden it.
SHOW_CURSOR = "\x1b[?25h"

_received: list[int] = []


def cancel_on_signals() -> None:
    """Raise KeyboardInterrupt at the first signal. Commands that stop in another way set their own handlers."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _cancel)


def leave() -> NoReturn:
    """End the process after its command was cancelled, without waiting for threads that Spark holds up."""
    with suppress(OSError, ValueError):  # the reader has gone
        sys.stdout.flush()
        if sys.stderr.isatty():
            sys.stderr.write(SHOW_CURSOR)
        sys.stderr.flush()
    os._exit(SIGNALLED + (_received or [signal.SIGINT])[0])


def _cancel(number: int, _frame: FrameType | None) -> None:
    _received.append(number)
    if len(_received) > 1:
        leave()
    note("cancelling …")
    raise KeyboardInterrupt
