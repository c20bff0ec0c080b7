"""A clock that tests move."""

from __future__ import annotations

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
