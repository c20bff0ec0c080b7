"""A caller's request to cancel the work that it waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from headwater.core.errors import RefreshCancelled


class Cancellation:
    """Whether the caller has cancelled its work, and what to call then."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requested = False
        self._callbacks: list[Callable[[], None]] = []

    @property
    def requested(self) -> bool:
        """Whether the work is to end."""
        return self._requested

    def request(self) -> None:
        """Cancel the work; the callbacks run in a thread of their own, so that a signal handler may call this."""
        self._requested = True
        threading.Thread(target=self._call, name="headwater-cancel", daemon=True).start()

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """While the block runs, a request calls `callback`, once, from another thread.

        Raises if the work is cancelled already.
        """
        with self._lock:
            self.check()
            self._callbacks.append(callback)
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

    def check(self) -> None:
        """Raise if the work is cancelled."""
        if self._requested:
            raise cancelled_by_caller()

    def _call(self) -> None:
        with self._lock:
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()


def cancelled_by_caller() -> RefreshCancelled:
    """The error of work that its caller interrupted."""
    return RefreshCancelled(
        "the caller interrupted the work",
        detail="Nothing of it was committed.",
        hint="Run it again if needed.",
    )
