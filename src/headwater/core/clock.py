"""Time and threads, as a role that tests can play."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import Any, Protocol


class ThreadPool(Protocol):
    """Threads that make calls side by side."""

    def start(self, key: int, call: Callable[[], Any]) -> None:
        """Have a call made as soon as a thread is free."""

    def finished(self, seconds: float | None = None) -> tuple[int, Future[Any]] | None:
        """Wait for the next call to end: its key and how it ended; None if none does for so long."""


class Clock(Protocol):
    """What time it is, waiting, and what goes on meanwhile."""

    def now(self) -> datetime:
        """The present moment in UTC; whoever sets the machine's clock moves it."""

    def monotonic(self) -> float:
        """Seconds since some moment, which nobody moves."""

    def sleep(self, seconds: float) -> None:
        """Return after that many seconds."""

    def call_every(self, seconds: float, beat: Callable[[], None]) -> AbstractContextManager[None]:
        """While it is open, make a call every so many seconds, beside what goes on."""

    def pool(self, size: int) -> AbstractContextManager[ThreadPool]:
        """So many threads, until it is closed; the calls that have begun are waited for."""


class SystemClock:
    """The machine's clock and threads."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    @contextmanager
    def call_every(self, seconds: float, beat: Callable[[], None]) -> Iterator[None]:
        over = threading.Event()

        def run() -> None:
            while not over.wait(seconds):
                beat()

        thread = threading.Thread(target=run, name="headwater-beat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    @contextmanager
    def pool(self, size: int) -> Iterator[ThreadPool]:
        with ThreadPoolExecutor(size, thread_name_prefix="headwater-refresh") as pool:
            yield _Threads(pool)


class _Threads:
    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._ended: SimpleQueue[tuple[int, Future[Any]]] = SimpleQueue()

    def start(self, key: int, call: Callable[[], Any]) -> None:
        self._pool.submit(call).add_done_callback(lambda future: self._ended.put((key, future)))

    def finished(self, seconds: float | None = None) -> tuple[int, Future[Any]] | None:
        try:
            return self._ended.get(timeout=seconds)
        except Empty:
            return None
