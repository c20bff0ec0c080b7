"""Periods of loaded tables: days, ISO weeks, months and years, and which of them are ready to be compacted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import assert_never


class PeriodType(StrEnum):
    """The length of the periods that a table's files are compacted into."""

    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    YEARLY = "yearly"


_FORMS = {
    PeriodType.DAILY: (re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII), "2024-01-15"),
    PeriodType.WEEKLY: (re.compile(r"(\d{4})-W(\d\d)", re.ASCII), "2024-W01"),
    PeriodType.MONTHLY: (re.compile(r"(\d{4})-(\d\d)", re.ASCII), "2024-01"),
    PeriodType.YEARLY: (re.compile(r"(\d{4})", re.ASCII), "2024"),
}


class PeriodInvalid(ValueError):
    """Why a text names no period; callers turn it into an error with a code."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """The days from `start` to `end`, both included."""

    start: date
    end: date
    type: PeriodType

    @classmethod
    def parse(cls, text: str, type: PeriodType | str) -> Period:
        """The period of this name, or PeriodInvalid.

        >>> str(Period.parse("2024-W01", "weekly").end), Period.parse("2024-02", "monthly").end.day
        ('2024-01-07', 29)
        """
        type = PeriodType(type)
        form, example = _FORMS[type]
        hint = f"Write a {type} period such as {example}."
        if (found := form.fullmatch(text)) is None:
            raise PeriodInvalid(f'"{text[:40]}" is not a {type} period', hint)
        try:
            return cls.of(_first_day(type, tuple(map(int, found.groups()))), type)
        except (ValueError, OverflowError):
            raise PeriodInvalid(f'the {type} period "{text}" does not exist', hint) from None

    @classmethod
    def of(cls, day: date, type: PeriodType | str) -> Period:
        """The period that has this day.

        >>> Period.of(date(2024, 12, 30), "weekly").name
        '2025-W01'
        """
        match PeriodType(type):
            case PeriodType.DAILY:
                return cls(day, day, PeriodType.DAILY)
            case PeriodType.WEEKLY:
                monday = day - timedelta(days=day.weekday())
                return cls(monday, monday + timedelta(days=6), PeriodType.WEEKLY)
            case PeriodType.MONTHLY:
                last = date(day.year, 12, 31) if day.month == 12 else day.replace(month=day.month + 1, day=1) - _DAY
                return cls(day.replace(day=1), last, PeriodType.MONTHLY)
            case PeriodType.YEARLY:
                return cls(date(day.year, 1, 1), date(day.year, 12, 31), PeriodType.YEARLY)
            case other:
                assert_never(other)

    @property
    def name(self) -> str:
        """The text that `parse` takes."""
        match self.type:
            case PeriodType.DAILY:
                return self.start.isoformat()
            case PeriodType.WEEKLY:
                year, week, _ = self.start.isocalendar()
                return f"{year:04}-W{week:02}"
            case PeriodType.MONTHLY:
                return self.start.isoformat()[:7]
            case PeriodType.YEARLY:
                return f"{self.start.year:04}"
            case other:
                assert_never(other)

    def has(self, day: date) -> bool:
        """Whether the day is in the period."""
        return self.start <= day <= self.end

    def ready_on(self, delay_days: int) -> date:
        """The first day on which scheduled compaction takes the period: `delay_days` whole days after its end.

        >>> str(Period.parse("2024-01", "monthly").ready_on(7))
        '2024-02-08'
        """
        return self.end + timedelta(days=delay_days + 1)


_DAY = timedelta(days=1)


def _first_day(type: PeriodType, numbers: tuple[int, ...]) -> date:
    match type, numbers:
        case PeriodType.WEEKLY, (year, week):
            return date.fromisocalendar(year, week, 1)
        case _:
            year, month, day = (*numbers, 1, 1)[:3]
            return date(year, month, day)


@dataclass(frozen=True, slots=True)
class Readiness:
    """Which periods a scheduled compaction takes, which are older than its lookback, and which are not ready."""

    due: tuple[Period, ...]
    older: tuple[Period, ...]
    waiting: tuple[Period, ...]


def readiness(periods: Iterable[Period], today: date, *, delay_days: int = 0, lookback: int | None = None) -> Readiness:
    """Sort periods that have something to compact; the lookback counts back from the latest period that is ready.

    >>> months = [Period.parse(name, "monthly") for name in ("2024-01", "2024-02", "2024-03")]
    >>> found = readiness(months, date(2024, 4, 1), delay_days=7, lookback=1)
    >>> [[period.name for period in each] for each in (found.due, found.older, found.waiting)]
    [['2024-02'], ['2024-01'], ['2024-03']]
    """
    ordered = sorted(set(periods))
    ready = [period for period in ordered if period.ready_on(delay_days) <= today]
    waiting = tuple(period for period in ordered if period.ready_on(delay_days) > today)
    if not ready or lookback is None:
        return Readiness(tuple(ready), (), waiting)
    oldest = _oldest(ready[0].type, today, delay_days, lookback)
    due = tuple(period for period in ready if period.start >= oldest)
    return Readiness(due, tuple(period for period in ready if period.start < oldest), waiting)


def _oldest(type: PeriodType, today: date, delay_days: int, lookback: int) -> date:
    """The first day of the `lookback` latest periods that are ready, whether or not they have files."""
    try:
        # The last day that a ready period can end on; the period that has the day after it is not ready.
        day = today - timedelta(days=delay_days)
        for _ in range(lookback):
            day = Period.of(day, type).start - _DAY
        return Period.of(day, type).start
    except OverflowError:
        return date.min
