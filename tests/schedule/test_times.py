"""Clock forms, clocks that jump, and pauses after failures."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag
from headwater.schedule.backoff import LONGEST_PAUSE, SUSPEND_AFTER, pause
from headwater.schedule.due import due
from headwater.schedule.times import next_time
from tests.schedule.states import HOURLY, LONG_AGO, NOON, ago, ahead, clock_forms, entries, ids, table


def test_a_leap_day_comes_every_four_years() -> None:
    leap = table(1, Cron("0 6 29 2 *"), last_started_at=datetime(2024, 2, 29, 6, tzinfo=UTC))
    at = datetime(2028, 2, 29, 6, tzinfo=UTC)
    assert next_time(leap, NOON) == at
    assert ids(due([leap], at - timedelta(seconds=1))) == []
    assert ids(due([leap], at)) == [[1]]
    assert ids(due([replace(leap, last_started_at=at)], at + timedelta(days=365))) == []


def test_cron_is_in_utc_whatever_the_zone_of_the_stored_times() -> None:
    elsewhere = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert next_time(table(1, Cron("0 14 * * *"), last_started_at=elsewhere), NOON) == NOON.replace(hour=14)


@pytest.mark.parametrize("form", [HOURLY, Interval(3600, LONG_AGO), Cron("*/5 * * * *"), Interval(1, LONG_AGO)])
@pytest.mark.parametrize("days", [0.001, 0.3, 1, 40, 4000])
def test_a_clock_that_was_set_back_delays_no_scheduled_time_by_more_than_two(form: Freshness, days: float) -> None:
    served = table(1, form, last_started_at=NOON + timedelta(days=days))
    alone = table(1, form, last_started_at=NOON)
    upcoming = next_time(alone, NOON)
    assert upcoming is not None
    following = next_time(replace(alone, last_started_at=upcoming), NOON)
    found = next_time(served, NOON)
    assert found is not None
    assert following is not None
    assert found - NOON <= 2 * (following - upcoming) + timedelta(seconds=1)


def test_a_small_step_back_repeats_no_scheduled_time() -> None:
    on_time = table(1, HOURLY, last_started_at=ahead(0.1))
    for seconds in (0, 1, 59, 3000):
        assert next_time(on_time, ago(seconds)) == ahead(3600)


def test_changes_from_the_future_do_not_wait_for_it() -> None:
    changed = table(1, TargetLag(60), stale_since=ahead(86_400))
    assert ids(due([changed], NOON)) == [[1]]
    slightly = due([replace(changed, stale_since=ahead(30))], NOON)
    assert slightly.levels == ()
    assert slightly.next_at is not None
    assert slightly.next_at <= ahead(90)


def test_a_retry_in_the_far_future_is_not_waited_for() -> None:
    failed = table(1, TargetLag(60), stale_since=ago(100), failures=2, retry_at=ahead(86_400))
    assert ids(due([failed], NOON)) == [[1]]


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC"])
def test_daylight_saving_misses_and_repeats_nothing(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for day in (
            datetime(2026, 3, 8, tzinfo=UTC),
            datetime(2026, 3, 29, tzinfo=UTC),
            datetime(2026, 11, 1, tzinfo=UTC),
        ):
            state, seen = table(1, Cron("30 * * * *"), last_started_at=day), []
            for _ in range(24):
                upcoming = next_time(state, state.last_started_at or day)
                assert upcoming is not None
                seen.append(upcoming)
                state = replace(state, last_started_at=upcoming)
            assert seen == [day + timedelta(minutes=30 + 60 * hour) for hour in range(24)]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_only_clock_forms_have_a_next_time() -> None:
    assert [next_time(table(1, form), NOON) for form in (TargetLag(60), Downstream(), OnDemand())] == [None] * 3


def test_pauses_between_failed_runs_grow_up_to_five_minutes() -> None:
    pauses = [pause(n) for n in range(SUSPEND_AFTER + 2)]
    assert pauses == sorted(pauses)
    assert pause(10**9) == LONGEST_PAUSE == timedelta(minutes=5)


@settings(deadline=None)
@given(clock_forms, st.lists(st.floats(0.1, 5000), min_size=1, max_size=30))
def test_no_scheduled_time_is_served_twice_and_none_is_forgotten(form: Freshness, gaps: list[float]) -> None:
    state, now = table(1, form, created_at=NOON), NOON
    for gap in gaps:
        now += timedelta(seconds=gap)
        scheduled = next_time(state, now)
        assert scheduled is not None
        assert scheduled > (state.last_started_at or NOON)
        found = due([state], now)
        assert bool(found.levels) == (scheduled <= now)
        if found.levels:
            state = replace(state, last_started_at=now)
            assert due([state], now).levels == (), "due twice for one scheduled time"


@settings(deadline=None)
@given(clock_forms, st.floats(5001, 10**6))
def test_after_downtime_there_is_exactly_one_run(form: Freshness, down: float) -> None:
    state = table(1, form, last_started_at=NOON)
    now = NOON + timedelta(seconds=down)
    assert len(entries(due([state], now))) == (1 if next_time(state, now) <= now else 0)  # type: ignore[operator]
    assert due([replace(state, last_started_at=now)], now).levels == ()
