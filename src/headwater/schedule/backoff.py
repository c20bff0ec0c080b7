"""How long to wait after a failed refresh."""

from __future__ import annotations

from datetime import datetime, timedelta

# Seconds before each retry within one scheduled run; after the last the run is FAILED.
BACKOFF = (1, 2, 4)
# Consecutive failed scheduled runs before the table is suspended.
SUSPEND_AFTER = 5
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(minutes=5)


def retry_at(failed_at: datetime, failures: int) -> datetime | None:
    """When to try again after that many failed attempts of one run; None when the run has FAILED.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> [str(at.time()) if (at := retry_at(noon, failures)) else None for failures in (1, 2, 3, 4)]
    ['12:00:01', '12:00:02', '12:00:04', None]
    """
    if not 1 <= failures <= len(BACKOFF):
        return None
    return failed_at + timedelta(seconds=BACKOFF[failures - 1])


def pause(failed_runs: int) -> timedelta:
    """How long a table is not scheduled after that many consecutive failures.

    >>> [int(pause(failed_runs).total_seconds()) for failed_runs in (0, 1, 2, 3, 4, 5, 1000)]
    [0, 30, 60, 120, 240, 300, 300]
    """
    if failed_runs < 1:
        return timedelta()
    doublings = min(failed_runs - 1, 10)  # more would overflow a timedelta in the end
    return min(FIRST_PAUSE * (1 << doublings), LONGEST_PAUSE)
