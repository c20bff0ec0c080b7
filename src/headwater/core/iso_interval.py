"""Intervals in ISO 8601."""

from __future__ import annotations


def iso_interval(months: int, days: int, nanoseconds: int) -> str:
    """An interval of months, days and nanoseconds, each with its sign.

    >>> iso_interval(14, -3, 5_445_500_000_000), iso_interval(0, 0, -500_000_000), iso_interval(0, 0, 0)
    ('P1Y2M-3DT1H30M45.5S', 'PT-0.5S', 'PT0S')
    """
    years, months = _divided(months, 12)
    seconds, fraction = _divided(nanoseconds, 10**9)
    minutes, seconds = _divided(seconds, 60)
    hours, minutes = _divided(minutes, 60)
    date = "".join(f"{n}{unit}" for n, unit in ((years, "Y"), (months, "M"), (days, "D")) if n)
    time = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M")) if n)
    if seconds or fraction:
        sign = "-" if seconds < 0 or fraction < 0 else ""
        digits = f".{abs(fraction):09d}".rstrip("0") if fraction else ""
        time += f"{sign}{abs(seconds)}{digits}S"
    if not (date or time):
        return "PT0S"
    return f"P{date}{f'T{time}' if time else ''}"


def _divided(value: int, by: int) -> tuple[int, int]:
    """The quotient and the rest, both with the sign of the value."""
    quotient, rest = divmod(abs(value), by)
    return (quotient, rest) if value >= 0 else (-quotient, -rest)
