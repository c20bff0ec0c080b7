"""Time and threads, as a protocol that tests can implement."""

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
    """Threads that run calls in parallel."""

    def start(self, key: int, call: Callable[[], Any]) -> None:
        """Start a call as soon as a thread is free."""

    def finished(self, seconds: float | None = None) -> tuple[int, Future[Any]] | None:
        """Wait for the next call to end: its key and result; None after the timeout."""


class Clock(Protocol):
    """The current time, sleeping, and background calls."""

    def now(self) -> datetime:
        """The current time in UTC, which can be set back."""

    def monotonic(self) -> float:
        """Seconds since a fixed time; never set back."""

    def sleep(self, seconds: float) -> None:
        """Return after that many seconds."""

    def call_every(self, seconds: float, beat: Callable[[], None]) -> AbstractContextManager[None]:
        """Call a function every so many seconds in another thread while the block runs."""

    def pool(self, size: int) -> AbstractContextManager[ThreadPool]:
        """A pool of that many threads; its end waits for running calls."""


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
