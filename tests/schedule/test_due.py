"""What is due, why, and in what order."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshTrigger
from headwater.schedule.due import (
    Pass,
    WaitState,
    due,
)
from headwater.schedule.lag import effective_lag
from headwater.schedule.state import TableState
from headwater.schedule.times import next_time
from tests.schedule.states import HOURLY, LONG_AGO, NOON, ago, ahead, entries, ids, states, table


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
        (table(1, OnDemand(), requested_at=ago(1.5)), "requested by a user 1.5 s ago"),
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
    assert {each.trigger for each in entries(found).values()} == {RefreshTrigger.SCHEDULED}


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
    assert states(found) == {2: WaitState.UPSTREAM_SUSPENDED, 3: WaitState.UPSTREAM_SUSPENDED}
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
    assert states(found) == {2: WaitState.UPSTREAM, 3: WaitState.UPSTREAM, 4: WaitState.RETRY}
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
    assert {id: each.trigger for id, each in entries(found).items()} == {
        1: RefreshTrigger.MANUAL,
        2: RefreshTrigger.MANUAL,
        3: RefreshTrigger.SCHEDULED,
    }
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


def test_a_thousand_tables_in_one_pass() -> None:
    forms: list[Freshness] = [TargetLag(300), Interval(60), HOURLY, OnDemand(), Downstream()]
    tables = [
        table(i, forms[i % 5], *range(max(0, i - 3), i), stale_since=ago(i), expected=0.01)
        for i in reversed(range(1000))
    ]
    found = due(tables, NOON)
    assert ids(found) == [[i] for i in range(998)]


def test_what_a_person_cancelled_rests_for_one_target_lag() -> None:
    stale = {"stale_since": ago(900), "last_started_at": ago(40)}
    cancelled = table(1, TargetLag(300), cancelled_at=ago(10), **stale)
    found = due([cancelled], NOON)
    assert (ids(found), states(found), found.next_at) == ([], {1: WaitState.AFTER_CANCEL}, ahead(290))
    assert "cancelled by a user" in found.skipped[0].reason
    assert ids(due([cancelled], ahead(290))) == [[1]]
    assert ids(due([replace(cancelled, requested_at=NOON)], NOON)) == [[1]]
    assert ids(due([replace(cancelled, initialized=False)], NOON)) == []


def test_what_reads_a_cancelled_table_waits_for_it() -> None:
    upstream = table(1, OnDemand(), stale_since=ago(900), cancelled_at=ago(10))
    reader = table(2, TargetLag(60), 1, stale_since=ago(900))
    found = due([upstream, reader], NOON)
    assert (ids(found), states(found), found.next_at) == ([], {2: WaitState.UPSTREAM}, ahead(50))
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
