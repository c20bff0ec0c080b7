"""Durations, times and lists as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import assert_never

from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag


def format_duration(seconds: float) -> str:
    """A duration in its two largest units.

    >>> [format_duration(seconds) for seconds in (0.04, 8, 59.96, 290, 300, 7500, 90061)]
    ['0 s', '8 s', '1 min', '4 min 50 s', '5 min', '2 h 5 min', '1 d 1 h']
    """
    seconds = max(0.0, round(seconds, 1))
    if seconds < 60:
        return f"{seconds:g} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [f"{n} {unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")) if n]
    return " ".join(parts[:2])


def format_hms(seconds: float) -> str:
    """A duration as hours, minutes and seconds.

    >>> format_hms(65.4)
    '0:01:05'
    """
    return str(timedelta(seconds=round(seconds)))


def format_interval(seconds: int) -> str:
    """A duration as people write it in SQL.

    >>> [format_interval(seconds) for seconds in (90, 60, 7200)]
    ['90 s', '1 minute', '2 hours']
    """
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds % length == 0:
            return f"{seconds // length} {unit}" + ("s" if seconds > length else "")
    return f"{seconds} s"


def format_freshness(freshness: Freshness) -> str:
    """The freshness property of a table."""
    match freshness:
        case TargetLag():
            return f"target lag {format_interval(freshness.seconds)}"
        case Downstream():
            return "downstream"
        case Interval():
            return f"every {format_interval(freshness.seconds)}"
        case Cron():
            return f"cron {freshness.expression}"
        case OnDemand():
            return "on demand"
        case _:
            assert_never(freshness)


def format_time(at: datetime) -> str:
    """A time, to the second."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def format_iso_time(at: datetime) -> str:
    """A time in ISO 8601, in UTC and to the millisecond."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


def format_consecutive(failures: int) -> str:
    """A number of consecutive failures."""
    return "once" if failures <= 1 else f"{failures} times in a row"


def format_names(names: Sequence[object]) -> str:
    """The first three names, and the number of others.

    >>> format_names(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    shown = ", ".join(map(str, names[:3]))
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def these_are(kind: str, names: Sequence[str]) -> str:
    """The names of all that there are, as a sentence for a hint.

    >>> these_are("warehouse", ["default"]), these_are("column", ["id", "name"])
    ('The only warehouse is default.', 'The columns are id, name.')
    """
    return f"The only {kind} is {names[0]}." if len(names) == 1 else f"The {kind}s are {', '.join(names)}."
