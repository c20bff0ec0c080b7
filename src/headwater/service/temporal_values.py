"""Dates and times of an Arrow array as Python's; those that Python has no value for as the text that DuckDB prints."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from headwater.core.clock_text import clock_text

FIRST_DAY, LAST_DAY = (date.min - date(1970, 1, 1)).days, (date.max - date(1970, 1, 1)).days
DAY_SECONDS = 86_400
# The Gregorian calendar repeats after 400 years.
CYCLE_DAYS, CYCLE_YEARS = 146_097, 400
DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def temporal_values(array: Any) -> list[Any]:
    """The values of an array of dates, times, timestamps or intervals."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_date32(kind):
        return _checked(array, array.view(pa.int32()), FIRST_DAY, LAST_DAY, _date)
    if pa.types.is_timestamp(kind):
        digits, zone = DIGITS[kind.unit], "+00" if kind.tz else ""
        day = DAY_SECONDS * 10**digits
        # Nanoseconds don't reach Python's first and last day, but the ends of their range mean infinity.
        low, high = (FIRST_DAY * day, (LAST_DAY + 1) * day - 1) if digits < 9 else (2 - 2**63, 2**63 - 2)
        return _checked(array, array.view(pa.int64()), low, high, lambda value: _timestamp(value, digits, zone))
    if pa.types.is_time64(kind):
        digits = DIGITS[kind.unit]
        return _checked(
            array,
            array.view(pa.int64()),
            0,
            DAY_SECONDS * 10**digits - 1,
            lambda value: clock_text(value, digits),
            multiple_of=1000 if digits > 6 else 1,
        )
    return array.to_pylist()  # type: ignore[no-any-return]


def _checked(array: Any, numbers: Any, low: int, high: int, text: Any, multiple_of: int = 1) -> list[Any]:
    """Python's values of the numbers in the range, and the text of the others."""
    import pyarrow.compute as pc

    ends = pc.min_max(numbers).as_py()
    if multiple_of == 1 and (ends["min"] is None or (low <= ends["min"] and ends["max"] <= high)):
        return array.to_pylist()  # type: ignore[no-any-return]
    return [
        None
        if number is None
        else array[row].as_py()
        if low <= number <= high and number % multiple_of == 0
        else text(number)
        for row, number in enumerate(numbers.to_pylist())
    ]


def _date(days: int) -> str:
    """The text of a date by its number of days from 1970 on.

    >>> _date(-735_599), _date(2**31 - 1), _date(0)
    ('0044-12-31 (BC)', 'infinity', '1970-01-01')
    """
    if abs(days) == 2**31 - 1:
        return "infinity" if days > 0 else "-infinity"
    return _day(days)


def _day(days: int) -> str:
    cycles, rest = divmod(days, CYCLE_DAYS)
    found = date(1970, 1, 1) + timedelta(rest)
    year = found.year + cycles * CYCLE_YEARS
    return f"{year if year > 0 else 1 - year:04}-{found:%m-%d}{'' if year > 0 else ' (BC)'}"


def _timestamp(value: int, digits: int, zone: str) -> str:
    if abs(value) == 2**63 - 1:
        return "infinity" if value > 0 else "-infinity"
    days, rest = divmod(value, DAY_SECONDS * 10**digits)
    return f"{_day(days)} {clock_text(rest, digits)}{zone}"
