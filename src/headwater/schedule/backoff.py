"""Pauses after failed refreshes."""

from __future__ import annotations

from datetime import timedelta

# Seconds before each retry within one scheduled run; after the last the run is FAILED.
BACKOFF = (1, 2, 4)
# Consecutive failed scheduled runs before the table is suspended.
SUSPEND_AFTER = 5
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(minutes=5)


def pause(failed_runs: int) -> timedelta:
    """The time for which a table is not scheduled after that many consecutive failures.

    >>> [int(pause(failed_runs).total_seconds()) for failed_runs in (0, 1, 2, 3, 4, 5, 1000)]
    [0, 30, 60, 120, 240, 300, 300]
    """
    if failed_runs < 1:
        return timedelta()
    doublings = min(failed_runs - 1, 10)  # more would overflow a timedelta in the end
    return min(FIRST_PAUSE * (1 << doublings), LONGEST_PAUSE)
