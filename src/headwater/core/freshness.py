"""The required freshness of a dynamic table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class TargetLag:
    """TARGET_LAG = '<n> seconds|minutes|hours|days': the maximum lag."""

    seconds: int


@dataclass(frozen=True, slots=True)
class Downstream:
    """TARGET_LAG = DOWNSTREAM: refreshed only when a downstream table needs it."""


@dataclass(frozen=True, slots=True)
class Interval:
    """REFRESH [START WITH ts] INTERVAL n unit: at fixed times, counted from `start_at` or from the creation."""

    seconds: int
    start_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Cron:
    """SCHEDULE = '<cron>', in UTC."""

    expression: str


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Refreshed on request, or as the upstream of a due table."""


Freshness = TargetLag | Downstream | Interval | Cron | OnDemand
