"""What is due, why, and in what order."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag
from headwater.core.names import TableName
from headwater.schedule.backoff import BACKOFF, LONGEST_PAUSE, SUSPEND_AFTER, pause, retry_at
from headwater.schedule.due import (
    LH_SCHEDULED,
    MANUAL,
    UPSTREAM_SUSPENDED,
    WAITING_AFTER_CANCEL,
    WAITING_FOR_RETRY,
    WAITING_FOR_UPSTREAM,
    Due,
    Pass,
    due,
)
from headwater.schedule.lag import effective_lag, lags
from headwater.schedule.state import TableState
from headwater.schedule.times import next_time

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
LONG_AGO = NOON - timedelta(days=30)
HOURLY = Cron("0 * * * *")


def ago(seconds: float) -> datetime:
    return NOON - timedelta(seconds=seconds)


def ahead(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def table(id: int, freshness: Freshness, *upstream: int, **rest: object) -> TableState:
    base = TableState(id, TableName("main", f"t{id}"), freshness, LONG_AGO, frozenset(upstream))
    return replace(base, **rest)  # type: ignore[arg-type]


def ids(found: Pass) -> list[list[int]]:
    return [[each.id for each in level] for level in found.levels]


def entries(found: Pass) -> dict[int, Due]:
    return {each.id: each for level in found.levels for each in level}


def states(found: Pass) -> dict[int, str]:
    return {each.id: each.state for each in found.skipped}


@pytest.mark.parametrize(
    ("state", "is_due", "next_at"),
    [
        # By lag: target 300, safety margin 10 s.
        (table(1, TargetLag(300)), False, None),
        (table(1, TargetLag(300), stale_since=ago(289)), False, ahead(1)),
        (table(1, TargetLag(300), stale_since=ago(290)), True, None),
        (table(1, TargetLag(300), stale_since=ago(281), expected=8), False, ahead(1)),
        (table(1, TargetLag(300), stale_since=ago(282), expected=8), True, None),
        (table(1, TargetLag(60), stale_since=ago(53)), False, ahead(1)),
        (table(1, TargetLag(60), stale_since=ago(54)), True, None),
        (table(1, TargetLag(60), stale_since=NOON, expected=90), True, None),
        (table(1, TargetLag(60), expected=90), False, None),
        (table(1, TargetLag(300), stale_since=ago(9999), suspended=True), False, None),
        # By interval.
        (table(1, Interval(60), last_started_at=NOON), False, ahead(60)),
        (table(1, Interval(60), last_started_at=ago(1)), True, None),
        (table(1, Interval(60)), True, None),
        (table(1, Interval(60), created_at=ago(59)), False, ahead(1)),
        (table(1, Interval(60), created_at=ago(60)), True, None),
        (table(1, Interval(60, ahead(5))), False, ahead(5)),
        (table(1, Interval(60, NOON)), True, None),
        (table(1, Interval(60, NOON), last_started_at=NOON), False, ahead(60)),
        (table(1, Interval(60, ago(30)), last_started_at=ago(29)), False, ahead(30)),
        (table(1, Interval(60), last_started_at=ago(600), suspended=True), False, None),
        # By cron.
        (table(1, HOURLY, last_started_at=ago(1)), True, None),
        (table(1, HOURLY, last_started_at=NOON), False, ahead(3600)),
        (table(1, HOURLY, created_at=NOON), False, ahead(3600)),
        (table(1, Cron("*/10 * * * *"), last_started_at=ago(0.5)), True, None),
        (table(1, Cron("* * * * * */10"), last_started_at=ago(-0.5)), False, ahead(10)),
        (table(1, Cron("0 0 30 2 *")), False, None),
        (table(1, Cron("no cron")), False, None),
        # Never by themselves.
        (table(1, Downstream(), stale_since=ago(9999)), False, None),
        (table(1, OnDemand(), stale_since=ago(9999)), False, None),
        # Not initialized.
        (table(1, TargetLag(300), initialized=False, created_at=NOON), True, None),
        (table(1, Interval(300), initialized=False, created_at=NOON), True, None),
        (table(1, Interval(300, ahead(7)), initialized=False), False, ahead(7)),
        (table(1, HOURLY, initialized=False, created_at=NOON), True, None),
        (table(1, OnDemand(), initialized=False), False, None),
        (table(1, Downstream(), initialized=False), False, None),
        (table(1, TargetLag(300), initialized=False, suspended=True), False, None),
        # By hand.
        (table(1, OnDemand(), requested_at=NOON), True, None),
        (table(1, OnDemand(), requested_at=NOON, initialized=False), True, None),
        (table(1, Downstream(), requested_at=NOON, suspended=True), True, None),
        (table(1, TargetLag(300), requested_at=NOON), True, None),
        (table(1, TargetLag(300), requested_at=NOON, retry_at=ahead(9), stale_since=ago(300)), True, None),
    ],
)
def test_a_single_table(state: TableState, is_due: bool, next_at: datetime | None) -> None:
    found = due([state], NOON)
    assert ids(found) == ([[1]] if is_due else [])
    assert found.next_at == next_at
    assert found.skipped == ()


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (
            table(1, TargetLag(300), stale_since=ago(290), expected=8),
            "lag 4 min 50 s, target 5 min, refresh expected to take 8 s",
        ),
        (table(1, TargetLag(3600), stale_since=ago(7500)), "lag 2 h 5 min, target 1 h"),
        (
            table(1, Interval(300), last_started_at=ago(900)),
            "scheduled for 2026-03-04 11:50:00 UTC, every 5 min",
        ),
        (table(1, HOURLY, last_started_at=ago(60)), "scheduled for 2026-03-04 12:00:00 UTC by '0 * * * *'"),
        (table(1, TargetLag(300), initialized=False), "never refreshed"),
        (table(1, OnDemand(), requested_at=ago(1.5)), "requested by hand 1.5 s ago"),
    ],
)
def test_reasons_are_sentences_for_people(state: TableState, reason: str) -> None:
    assert entries(due([state], NOON))[1].reason == reason


def test_nothing_is_due_without_tables() -> None:
    assert due([], NOON) == Pass((), (), None)


def test_a_due_table_brings_its_stale_upstreams_whatever_their_own_schedule() -> None:
    stale = {"stale_since": ago(300)}
    tables = [
        table(5, TargetLag(300), 3, 4, **stale),
        table(4, OnDemand(), 2, **stale),
        table(3, TargetLag(86400), 1, **stale),
        table(2, Cron("0 0 1 1 *"), last_started_at=ago(1), **stale),
        table(1, Downstream(), **stale),
    ]
    found = due(tables, NOON)
    assert ids(found) == [[1, 2], [3, 4], [5]]
    assert entries(found)[1].wanted_by == (3,)
    assert entries(found)[4].reason == 'needed by "main"."t5"'
    assert entries(found)[5].wanted_by == ()
    assert {each.trigger for each in entries(found).values()} == {LH_SCHEDULED}


def test_an_upstream_that_is_up_to_date_stays_out_of_the_pass() -> None:
    assert ids(due([table(1, OnDemand()), table(2, Interval(60), 1)], NOON)) == [[2]]


def test_an_upstream_that_is_no_dynamic_table_of_ours_is_ignored() -> None:
    assert ids(due([table(2, Interval(60), 99)], NOON)) == [[2]]
    assert effective_lag([table(2, TargetLag(60), 99)]) == {2: 60.0}


def test_an_uninitialized_upstream_on_demand_is_filled_for_a_due_downstream() -> None:
    assert ids(due([table(1, OnDemand(), initialized=False), table(2, Interval(60), 1)], NOON)) == [[1], [2]]


def test_the_time_of_stale_upstreams_counts() -> None:
    def tables(since: float, **upstream: object) -> list[TableState]:
        return [
            table(1, OnDemand(), stale_since=ago(since), expected=20, **upstream),
            table(2, OnDemand(), expected=100),
            table(3, TargetLag(300), 1, 2, stale_since=ago(since), expected=5),
        ]

    assert due(tables(264), NOON) == Pass((), (), ahead(1))
    found = due(tables(265), NOON)
    assert ids(found) == [[1], [3]]
    assert entries(found)[3].reason.endswith("refresh with its upstreams expected to take 25 s")
    assert due(tables(265, suspended=True), NOON).next_at == ahead(20)


def test_a_suspended_stale_upstream_is_left_out_and_named() -> None:
    tables = [
        table(1, TargetLag(60), stale_since=ago(600), suspended=True),
        table(2, OnDemand(), 1, stale_since=ago(600)),
        table(3, TargetLag(60), 2, stale_since=ago(600)),
    ]
    found = due(tables, NOON)
    assert ids(found) == [[2], [3]]
    assert all('suspended upstream "main"."t1"' in each.reason for each in entries(found).values())


def test_what_a_suspended_upstream_keeps_stale_is_tried_once_per_target() -> None:
    upstream = table(1, OnDemand(), stale_since=ago(600), suspended=True)
    downstream = table(2, TargetLag(60), 1, stale_since=ago(600))
    assert ids(due([upstream, replace(downstream, last_started_at=ago(60))], NOON)) == [[2]]
    assert due([upstream, replace(downstream, last_started_at=ago(59))], NOON) == Pass((), (), ahead(1))


def test_a_suspended_upstream_without_any_content_stops_the_schedule_but_not_a_person() -> None:
    upstream = table(1, OnDemand(), suspended=True, initialized=False)
    downstream = [table(2, Interval(60), 1, stale_since=ago(9)), table(3, Interval(60), 2)]
    found = due([upstream, *downstream], NOON)
    assert ids(found) == []
    assert states(found) == {2: UPSTREAM_SUSPENDED, 3: UPSTREAM_SUSPENDED}
    assert ids(due([upstream, replace(downstream[0], requested_at=NOON)], NOON)) == [[2]]
    assert ids(due([replace(upstream, requested_at=NOON), *downstream], NOON)) == [[1], [2], [3]]


def test_a_failed_table_and_what_needs_it_wait_for_its_retry() -> None:
    tables = [
        table(1, OnDemand(), stale_since=ago(600), failures=2, retry_at=ahead(30)),
        table(2, TargetLag(60), 1, stale_since=ago(600)),
        table(3, TargetLag(60), 2, stale_since=ago(600)),
        table(4, TargetLag(60), stale_since=ago(600), failures=1, retry_at=ahead(40)),
    ]
    found = due(tables, NOON)
    assert ids(found) == []
    assert states(found) == {2: WAITING_FOR_UPSTREAM, 3: WAITING_FOR_UPSTREAM, 4: WAITING_FOR_RETRY}
    reasons = {each.id: each.reason for each in found.skipped}
    assert reasons[2] == 'upstream "main"."t1" failed 2 times in a row, next attempt at 2026-03-04 12:00:30 UTC'
    assert reasons[3] == reasons[2]
    assert reasons[4] == "failed once, next attempt at 2026-03-04 12:00:40 UTC"
    assert found.next_at == ahead(30)
    assert ids(due(tables, ahead(40))) == [[1, 4], [2], [3]]


def test_a_failed_upstream_that_is_up_to_date_holds_nobody_back() -> None:
    tables = [table(1, TargetLag(60), retry_at=ahead(30), failures=1), table(2, Interval(60), 1)]
    assert ids(due(tables, NOON)) == [[2]]


def test_a_person_who_refreshes_downstream_retries_the_failed_upstream() -> None:
    tables = [
        table(1, OnDemand(), stale_since=ago(600), failures=2, retry_at=ahead(30)),
        table(2, OnDemand(), 1, stale_since=ago(600), requested_at=NOON),
        table(3, TargetLag(60), 1, stale_since=ago(600)),
    ]
    found = due(tables, NOON)
    assert ids(found) == [[1], [2, 3]]
    assert {id: each.trigger for id, each in entries(found).items()} == {1: MANUAL, 2: MANUAL, 3: LH_SCHEDULED}
    assert entries(found)[1].wanted_by == (2, 3)


def test_within_a_level_come_manual_ones_then_priority_then_urgency_then_name() -> None:
    tables = [
        table(1, TargetLag(60), stale_since=ago(100)),
        table(2, TargetLag(60), stale_since=ago(200)),
        table(3, TargetLag(60), stale_since=ago(100), name=TableName("main", "a")),
        table(4, TargetLag(60), stale_since=ago(60), priority=5),
        table(5, OnDemand(), requested_at=NOON, priority=-1),
        table(6, OnDemand(), stale_since=NOON),
        table(7, OnDemand(), 6, requested_at=ago(9), priority=-1),
    ]
    assert ids(due(tables, NOON)) == [[6, 5, 4, 2, 3, 1], [7]]


def test_an_upstream_runs_as_early_as_the_first_that_needs_it() -> None:
    tables = [
        table(1, TargetLag(60), stale_since=ago(200)),
        table(2, TargetLag(60), stale_since=ago(100)),
        table(3, TargetLag(60), 2, stale_since=ago(100), priority=5),
    ]
    assert ids(due(tables, NOON)) == [[2, 1], [3]]


def test_tables_that_are_linked_by_an_idle_one_are_not_independent() -> None:
    tables = [
        table(1, OnDemand(), requested_at=NOON),
        table(2, OnDemand(), 1),
        table(3, OnDemand(), 2, requested_at=NOON),
    ]
    assert ids(due(tables, NOON)) == [[1], [3]]


def test_tables_that_read_each_other_are_named() -> None:
    tables = [table(1, OnDemand()), table(2, OnDemand(), 1, 3), table(3, OnDemand(), 2), table(4, OnDemand(), 3)]
    message = '^dynamic tables read each other: "main"."t2" reads "main"."t3" reads "main"."t2"$'
    with pytest.raises(ValueError, match=message):
        due(tables, NOON)
    with pytest.raises(ValueError, match=message):
        effective_lag(tables)
    with pytest.raises(ValueError, match=r'"t1" reads "main"\."t1"'):
        due([table(1, OnDemand(), 1)], NOON)


def test_lag_is_the_age_of_the_first_change_that_is_not_shown() -> None:
    assert lags([table(1, OnDemand())], NOON) == {1: 0}
    assert lags([table(1, OnDemand(), stale_since=ago(5))], NOON) == {1: 5}
    assert lags([table(1, OnDemand(), stale_since=ahead(5))], NOON) == {1: 0}
    assert lags([table(1, OnDemand(), initialized=False, created_at=ago(7))], NOON) == {1: 7}


def test_the_effective_lag_is_the_smallest_of_the_active_downstreams() -> None:
    tables = [
        table(1, Downstream()),
        table(2, TargetLag(600), 1),
        table(3, TargetLag(60), 2),
        table(4, TargetLag(5), 1, suspended=True),
        table(5, TargetLag(1), 4),
        table(6, OnDemand()),
        table(7, Interval(9), 6),
        table(8, TargetLag(30), 6),
        table(9, Downstream(), 6),
    ]
    assert effective_lag(tables) == {1: 60, 2: 60, 3: 60, 4: 1, 5: 1, 6: 30, 7: None, 8: 30, 9: None}


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


def test_attempts_of_one_run_back_off_and_end() -> None:
    assert [retry_at(NOON, n) for n in range(1, 5)] == [*(ahead(seconds) for seconds in BACKOFF), None]


def test_pauses_between_failed_runs_grow_up_to_five_minutes() -> None:
    pauses = [pause(n) for n in range(SUSPEND_AFTER + 2)]
    assert pauses == sorted(pauses)
    assert pause(10**9) == LONGEST_PAUSE == timedelta(minutes=5)


def test_a_thousand_tables_in_one_pass() -> None:
    forms: list[Freshness] = [TargetLag(300), Interval(60), HOURLY, OnDemand(), Downstream()]
    tables = [
        table(i, forms[i % 5], *range(max(0, i - 3), i), stale_since=ago(i), expected=0.01)
        for i in reversed(range(1000))
    ]
    found = due(tables, NOON)
    assert ids(found) == [[i] for i in range(998)]


clock_forms = st.one_of(
    st.builds(Interval, st.integers(1, 4000), st.none() | st.integers(-5000, 5000).map(ahead)),
    st.sampled_from(["* * * * *", "*/7 * * * *", "0 * * * *", "30 11,12 * * *", "* * * * * */20"]).map(Cron),
)
forms = st.one_of(clock_forms, st.builds(TargetLag, st.integers(1, 900)), st.just(OnDemand()), st.just(Downstream()))
moments = st.integers(-4000, 0).map(ahead)


@st.composite
def graphs(draw: st.DrawFn) -> list[TableState]:
    size = draw(st.integers(1, 9))
    tables = [
        table(
            id,
            draw(forms),
            *draw(st.sets(st.integers(0, id - 1), max_size=3) if id else st.just(set())),
            suspended=draw(st.booleans()) and draw(st.booleans()),
            initialized=draw(st.integers(0, 4)) > 0,
            stale_since=draw(st.none() | moments),
            expected=draw(st.floats(0, 60)),
            last_started_at=draw(st.none() | moments),
            failures=draw(st.integers(0, 3)),
            retry_at=draw(st.none() | st.integers(-10, 60).map(ahead)),
            requested_at=draw(st.none() | st.none() | moments),
            priority=draw(st.integers(-1, 1)),
            follows=frozenset(draw(st.sets(st.integers(0, id - 1), max_size=2) if id else st.just(set()))),
            waits_for=draw(st.sampled_from([(), (), (TableName("main", "load"),)])),
            opened_at=draw(st.none() | moments),
        )
        for id in range(size)
    ]
    return draw(st.permutations(tables))


def above(tables: dict[int, TableState], id: int) -> set[int]:
    found: set[int] = set()
    for upstream in tables[id].before:
        found |= {upstream} | above(tables, upstream)
    return found


@settings(deadline=None)
@given(graphs())
def test_every_pass_is_in_order_and_complete(states_given: list[TableState]) -> None:
    tables = {each.id: each for each in states_given}
    found = due(states_given, NOON)
    level_of = {each.id: number for number, level in enumerate(found.levels) for each in level}
    assert len(level_of) == sum(len(level) for level in found.levels), "no table twice"
    assert all(found.levels), "no empty level"
    assert not level_of.keys() & states(found).keys()
    for id, level in level_of.items():
        assert all(level_of[up] < level for up in above(tables, id) & level_of.keys())
        for up in (tables[up] for up in tables[id].before):
            stale = up.stale_since is not None or not up.initialized
            assert not stale or up.suspended or up.id in level_of
        assert not tables[id].suspended or tables[id].requested_at is not None
    for id, each in entries(found).items():
        held = tables[id].retry_at is not None and tables[id].retry_at > NOON
        assert not (held or tables[id].waits_for) or each.trigger == MANUAL
        assert set(each.wanted_by) <= level_of.keys()
    assert {id for id, each in tables.items() if each.requested_at is not None} <= level_of.keys()
    assert found.next_at is None or found.next_at > NOON


@settings(deadline=None)
@given(graphs())
def test_the_order_of_the_input_does_not_matter(states_given: list[TableState]) -> None:
    ordered = due(sorted(states_given, key=lambda each: each.id), NOON)
    found = due(states_given, NOON)
    assert found.levels == ordered.levels
    assert states(found) == states(ordered)
    assert found.next_at == ordered.next_at


@settings(deadline=None)
@given(graphs())
def test_until_the_next_time_nothing_more_becomes_due(states_given: list[TableState]) -> None:
    found = due(states_given, NOON)
    until = found.next_at or ahead(86400)
    shortly_before = NOON + (until - NOON) * 0.999
    assert {id for level in ids(due(states_given, shortly_before)) for id in level} == entries(found).keys()


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


def test_what_a_person_cancelled_rests_for_one_target_lag() -> None:
    stale = {"stale_since": ago(900), "last_started_at": ago(40)}
    cancelled = table(1, TargetLag(300), cancelled_at=ago(10), **stale)
    found = due([cancelled], NOON)
    assert (ids(found), states(found), found.next_at) == ([], {1: WAITING_AFTER_CANCEL}, ahead(290))
    assert "cancelled by a person" in found.skipped[0].reason
    assert ids(due([cancelled], ahead(290))) == [[1]]
    assert ids(due([replace(cancelled, requested_at=NOON)], NOON)) == [[1]]
    assert ids(due([replace(cancelled, initialized=False)], NOON)) == []


def test_what_reads_a_cancelled_table_waits_for_it() -> None:
    upstream = table(1, OnDemand(), stale_since=ago(900), cancelled_at=ago(10))
    reader = table(2, TargetLag(60), 1, stale_since=ago(900))
    found = due([upstream, reader], NOON)
    assert (ids(found), states(found), found.next_at) == ([], {2: WAITING_FOR_UPSTREAM}, ahead(50))
    assert ids(due([upstream, reader], ahead(50))) == [[1], [2]]


def test_a_cancel_serves_the_times_of_a_clock_until_then() -> None:
    hourly = table(1, HOURLY, last_started_at=ago(7200), cancelled_at=ago(10))
    assert next_time(hourly, NOON) == NOON
    every = table(2, Interval(600), last_started_at=ago(1800), cancelled_at=ahead(1), created_at=LONG_AGO)
    assert next_time(every, ahead(2)) == ahead(600)
    assert ids(due([every], ahead(2))) == []
    assert ids(due([replace(every, initialized=False)], ahead(2))) == []
    assert ids(due([every], ahead(600))) == [[2]]
    # One who reads it more often does not make it wait for longer than its own clock does.
    reader = table(3, TargetLag(3600), 2, stale_since=ago(9000))
    assert ids(due([replace(every, stale_since=ago(9000)), reader], ahead(600)))[0] == [2]


@dataclass
class Simulator:
    """One worker that plays a graph: refreshes take their given time, each level as long as its slowest table."""

    tables: dict[int, TableState]
    reads: dict[int, frozenset[int]]
    writes: list[tuple[datetime, int]]
    frontier: dict[int, datetime] = field(default_factory=dict)
    needless: int = 0

    def bases(self, id: int) -> frozenset[int]:
        return self.reads[id].union(*(self.bases(up) for up in self.tables[id].upstream))

    def stale_since(self, id: int, now: datetime) -> datetime | None:
        bases, shown = self.bases(id), self.frontier.get(id, NOON)
        return min((at for at, base in self.writes if base in bases and shown < at <= now), default=None)

    def observe(self, now: datetime) -> list[TableState]:
        return [replace(each, stale_since=self.stale_since(each.id, now)) for each in self.tables.values()]

    def check(self, now: datetime) -> None:
        for each in self.observe(now):
            if isinstance(each.freshness, TargetLag):
                assert lags([each], now)[each.id] <= each.freshness.seconds, each

    def run(self, found: Pass, now: datetime) -> datetime:
        snapshot = now
        for level in found.levels:
            for each in level:
                upstreams = self.tables[each.id].upstream
                assert all(self.stale_since(up, snapshot) is None for up in upstreams), "an upstream lags behind"
                self.tables[each.id] = replace(self.tables[each.id], last_started_at=now)
            now += timedelta(seconds=max(self.tables[each.id].expected for each in level))
            self.check(now)
            for each in level:
                self.needless += self.stale_since(each.id, snapshot) is None
                self.frontier[each.id] = snapshot
        return now

    def moments(self, now: datetime, next_at: datetime | None, end: datetime) -> Iterator[datetime]:
        yield from (at for at, _ in self.writes if at > now)
        yield next_at or end
        yield end

    def play(self, end: datetime) -> None:
        now = NOON
        while now < end:
            found = due(self.observe(now), now)
            if found.levels:
                now = self.run(found, now)
            else:
                now = min(self.moments(now, found.next_at, end))
                self.check(now)


@st.composite
def simulations(draw: st.DrawFn) -> Simulator:
    size = draw(st.integers(1, 7))
    lags = st.builds(TargetLag, st.integers(120, 900))
    tables = {
        id: table(
            id,
            draw(st.one_of(lags, lags, clock_minutes, st.just(OnDemand()), st.just(Downstream()))),
            *draw(st.sets(st.integers(0, id - 1), max_size=3) if id else st.just(set())),
            expected=draw(st.floats(0.01, 0.7)),
            created_at=NOON,
        )
        for id in range(size)
    }
    reads = {id: draw(st.frozensets(st.integers(0, 2), min_size=1)) for id in tables}
    writes = draw(st.lists(st.tuples(st.floats(0, 3600).map(ahead), st.integers(0, 2)), max_size=25))
    return Simulator(tables, reads, writes)


clock_minutes = st.one_of(st.builds(Interval, st.integers(60, 900)), st.just(Cron("*/5 * * * *")))


@settings(deadline=None, max_examples=60)
@given(simulations())
def test_in_an_hour_of_random_writes_no_lag_exceeds_its_target(simulator: Simulator) -> None:
    simulator.play(ahead(3600))


@settings(deadline=None, max_examples=30)
@given(simulations())
def test_by_lag_nothing_is_refreshed_that_has_not_changed(simulator: Simulator) -> None:
    simulator.tables = {
        id: replace(each, freshness=TargetLag(300) if id % 2 else Downstream()) for id, each in simulator.tables.items()
    }
    simulator.play(ahead(3600))
    assert simulator.needless == 0
