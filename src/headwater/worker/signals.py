"""Stop requests for a worker."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol


class Stop(Protocol):
    """A stop request."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float) -> object: ...


@contextmanager
def signals() -> Iterator[Stop]:
    """Treat SIGTERM and SIGINT as stop requests while the block runs."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    stop = _Signals()
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Signals:
    """The first signal stops the loop, the second ends the process."""

    def __init__(self) -> None:
        self._requested = threading.Event()
        self._listen()

    def is_set(self) -> bool:
        return self._requested.is_set()

    def wait(self, timeout: float) -> None:
        self._listen()  # Spark may have installed its own handlers
        self._requested.wait(timeout)

    def _listen(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._handle)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self._requested.is_set():
            os._exit(128 + number)
        self._requested.set()
