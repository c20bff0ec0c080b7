"""The next time of an interval or cron schedule."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import assert_never

from croniter import CroniterError, croniter

from headwater.core.freshness import Cron, Downstream, Interval, OnDemand, TargetLag
from headwater.schedule.state import TableState


def next_time(table: TableState, now: datetime) -> datetime | None:
    """The first scheduled time without an attempt; in the past if it was missed.

    The first refresh of a table waits only for START WITH. A cancelled refresh counts for all times until its end.

    >>> from headwater.core.names import TableName
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> hourly = TableState(1, TableName("main", "t"), Cron("0 * * * *"), noon, last_started_at=noon)
    >>> str(next_time(hourly, noon + timedelta(hours=8)))
    '2026-01-01 13:00:00+00:00'
    """
    served = table.cancelled_at or table.last_started_at or table.created_at
    at_once = not table.initialized and table.cancelled_at is None
    match table.freshness:
        case Interval(seconds, start_at):
            first = start_at or table.created_at
            if at_once:
                return max(now, first)
            step = timedelta(seconds=seconds)
            if set_back(served, now, step):
                return now
            if served < first:
                return first
            return first + ((served - first) // step + 1) * step
        case Cron(expression):
            if at_once:
                return now
            upcoming = _cron_after(expression, now)
            following = upcoming and _cron_after(expression, upcoming)
            if upcoming and following and set_back(served, now, following - upcoming):
                return now
            return _cron_after(expression, served)
        case TargetLag() | Downstream() | OnDemand():
            return None
        case other:
            assert_never(other)


def set_back(noted: datetime, now: datetime, period: timedelta) -> bool:
    """Whether a recorded time is so far in the future that the clock must have been set back.

    A step back by less than a period neither repeats a scheduled time nor delays the next; after a longer one the table is
    refreshed at once, and the schedule continues from then.
    """
    return noted - now > period


def _cron_after(expression: str, served: datetime) -> datetime | None:
    # Cron has no seconds, so all times of a minute have the same successor, which is computed once.
    has_seconds = len(expression.split()) > 5
    moment = served.astimezone(UTC).replace(microsecond=0)
    return _next_match(expression, moment if has_seconds else moment.replace(second=0))


@lru_cache(maxsize=1 << 15)
def _next_match(expression: str, moment: datetime) -> datetime | None:
    try:
        found: datetime = croniter(expression, moment).get_next(datetime)
    except CroniterError:
        # CREATE refuses such an expression; a stored one must not stop the other tables.
        return None
    return found
