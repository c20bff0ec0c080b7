"""Periods have first and last days, and become ready after a delay."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.loads.period import Period, PeriodInvalid, PeriodType, readiness

DAYS = st.dates(date(1900, 1, 1), date(2200, 12, 31))
TYPES = st.sampled_from(PeriodType)


@pytest.mark.parametrize(
    ("text", "type", "start", "end"),
    [
        ("2024-01", "monthly", "2024-01-01", "2024-01-31"),
        ("2024-12", "monthly", "2024-12-01", "2024-12-31"),
        ("2023-02", "monthly", "2023-02-01", "2023-02-28"),
        ("2024-W01", "weekly", "2024-01-01", "2024-01-07"),
        ("2025-W01", "weekly", "2024-12-30", "2025-01-05"),
        ("2020-W53", "weekly", "2020-12-28", "2021-01-03"),
        ("2024-01-15", "daily", "2024-01-15", "2024-01-15"),
        ("2024", "yearly", "2024-01-01", "2024-12-31"),
        ("9999-12", "monthly", "9999-12-01", "9999-12-31"),
    ],
)
def test_a_period_has_its_days(text: str, type: str, start: str, end: str) -> None:
    period = Period.parse(text, type)
    assert (str(period.start), str(period.end), period.name) == (start, end, text)


@pytest.mark.parametrize(
    ("text", "type", "message"),
    [
        ("2024-00", "monthly", 'the monthly period "2024-00" does not exist'),
        ("2024-13", "monthly", 'the monthly period "2024-13" does not exist'),
        ("2024-W53", "weekly", 'the weekly period "2024-W53" does not exist'),
        ("2024-W00", "weekly", 'the weekly period "2024-W00" does not exist'),
        ("2023-02-29", "daily", 'the daily period "2023-02-29" does not exist'),
        ("0000", "yearly", 'the yearly period "0000" does not exist'),
        ("2024-01", "weekly", '"2024-01" is not a weekly period'),
        ("2024-W01", "monthly", '"2024-W01" is not a monthly period'),
        ("2024-1", "monthly", '"2024-1" is not a monthly period'),
        ("٢٠٢٤", "yearly", '"٢٠٢٤" is not a yearly period'),
        ("", "daily", '"" is not a daily period'),
    ],
)
def test_what_is_no_period_is_refused(text: str, type: str, message: str) -> None:
    with pytest.raises(PeriodInvalid) as caught:
        Period.parse(text, type)
    assert caught.value.message == message
    assert caught.value.hint.startswith(f"Write a {type} period such as 2024")


@given(DAYS, TYPES)
def test_each_day_is_in_one_period_that_its_name_gives_back(day: date, type: PeriodType) -> None:
    period = Period.of(day, type)
    assert period.has(day)
    assert Period.parse(period.name, type) == period
    assert Period.of(period.start, type) == Period.of(period.end, type) == period
    assert Period.of(period.end + timedelta(days=1), type).start == period.end + timedelta(days=1)


MONTHS = [Period.parse(f"2024-{month:02}", "monthly") for month in range(1, 5)]


@pytest.mark.parametrize(
    ("today", "delay", "lookback", "due", "older", "waiting"),
    [
        # The seed's schedule, on the first of each month, with its delay and lookback.
        ("2024-02-01", 7, 1, "", "", "01 02 03 04"),
        ("2024-02-08", 7, 1, "01", "", "02 03 04"),
        ("2024-03-01", 7, 1, "01", "", "02 03 04"),
        ("2024-04-01", 7, 1, "02", "01", "03 04"),
        ("2024-05-01", 7, 1, "03", "01 02", "04"),
        ("2024-03-01", 30, 1, "", "", "01 02 03 04"),
        ("2024-03-02", 30, 1, "01", "", "02 03 04"),
        ("2024-04-01", 30, 1, "02", "01", "03 04"),
        ("2024-04-01", 0, 2, "02 03", "01", "04"),
        ("2024-04-01", 0, None, "01 02 03", "", "04"),
        # The lookback counts periods without files too.
        ("2025-01-01", 0, 1, "", "01 02 03 04", ""),
        ("2024-04-01", 0, 10**9, "01 02 03", "", "04"),
    ],
)
def test_the_periods_that_are_due(
    today: str, delay: int, lookback: int | None, due: str, older: str, waiting: str
) -> None:
    found = readiness(MONTHS, date.fromisoformat(today), delay_days=delay, lookback=lookback)
    assert [" ".join(p.name[-2:] for p in each) for each in (found.due, found.older, found.waiting)] == [
        due,
        older,
        waiting,
    ]


@given(st.lists(DAYS), DAYS, TYPES, st.integers(0, 400), st.integers(1, 5))
def test_each_period_is_due_older_or_waiting(
    days: list[date], today: date, type: PeriodType, delay: int, lookback: int
) -> None:
    periods = {Period.of(day, type) for day in days}
    found = readiness(periods, today, delay_days=delay, lookback=lookback)
    assert [*found.older, *found.due, *found.waiting] == sorted(periods)
    assert len(found.due) <= lookback
