"""Publish events to subscribers, whose errors do not affect the publisher."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from time import monotonic

from headwater.core.events import Event, Subscriber
from headwater.observe.log import Log

# The minimum seconds between two log lines about the same failing subscriber.
QUIET = 60.0


class Publisher:
    """Passes each event to all subscribers in order of subscription; may be called from any thread."""

    def __init__(self, log: Log, count: Callable[[str, int], None]) -> None:
        self._log = log
        self._count = count
        self._subscribers: tuple[tuple[str, Subscriber], ...] = ()
        self._lock = threading.Lock()
        self._said_at: dict[str, float] = {}
        self._unsaid: Counter[str] = Counter()

    def subscribe(self, name: str, subscriber: Subscriber) -> None:
        """Add a subscriber."""
        self._count(name, 0)
        self._subscribers = (*self._subscribers, (name, subscriber))

    def __call__(self, event: Event) -> None:
        for name, subscriber in self._subscribers:
            self.attempt(name, lambda tell=subscriber: tell(event))  # type: ignore[misc]

    def attempt(self, name: str, work: Callable[[], None]) -> None:
        """Call a subscriber; its failures are logged from time to time."""
        try:
            work()
        except Exception as error:  # noqa: BLE001  a subscriber's error must not affect the worker
            self._complain(name, error)

    def _complain(self, name: str, error: Exception) -> None:
        self._count(name, 1)
        with self._lock:
            self._unsaid[name] += 1
            if monotonic() - self._said_at.get(name, -QUIET) < QUIET:
                return
            self._said_at[name] = monotonic()
            times = self._unsaid.pop(name)
        text = f"{type(error).__name__}: {error}"
        self._log.warning("subscriber failed", subscriber=name, times=times, error=text, exc_info=error)
