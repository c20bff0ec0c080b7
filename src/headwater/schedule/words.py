"""Times and durations as text."""

from __future__ import annotations

from datetime import UTC, datetime

from headwater.core.names import TableName


def span(seconds: float) -> str:
    """A duration for people, in its two largest units.

    >>> [span(seconds) for seconds in (0.04, 8, 59.96, 290, 300, 7500, 90061)]
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


def moment(at: datetime) -> str:
    """A time, to the second."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def in_a_row(failures: int) -> str:
    """A number of consecutive failures as text."""
    return "once" if failures <= 1 else f"{failures} times in a row"


def listed(names: list[TableName]) -> str:
    """The first three names, and the number of others."""
    shown = ", ".join(str(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
