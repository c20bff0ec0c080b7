"""A clock that tests move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from headwater.core.clock import SystemClock


class FakeClock(SystemClock):
    """The system clock, or one that stands still at `start`; tests move it by `ahead`, and `sleep` moves it at once."""

    def __init__(self, start: datetime | None = None) -> None:
        self._start = start
        self.ahead = timedelta()

    def now(self) -> datetime:
        return (self._start or super().now()) + self.ahead

    def sleep(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


class IdleClock(FakeClock):
    """A clock whose `sleep` also runs the calls of `call_every`, in the thread that sleeps."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[Callable[[], None]] = []

    def monotonic(self) -> float:
        return self.ahead.total_seconds()

    @contextmanager
    def call_every(self, seconds: float, beat: Callable[[], None]) -> Iterator[None]:
        self._calls.append(beat)
        try:
            yield
        finally:
            self._calls.remove(beat)

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        for call in tuple(self._calls):
            call()


def wrong_clock(by: timedelta) -> FakeClock:
    """The system clock, wrong by so much."""
    clock = FakeClock()
    clock.ahead = by
    return clock
