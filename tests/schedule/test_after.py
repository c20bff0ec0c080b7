"""Tables that come after others which they do not read."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from headwater.core.freshness import Downstream, Interval, OnDemand, TargetLag
from headwater.core.names import TableName
from headwater.schedule.due import (
    WaitState,
    due,
    waiting,
)
from headwater.schedule.lag import effective_lag, lags
from headwater.schedule.state import TableState
from tests.schedule.states import HOURLY, NOON, ago, ahead, entries, ids, states, table

LOAD, OTHER = TableName("main", "load"), TableName("main", "other")
STALE = {"stale_since": ago(1000)}


def follower(id: int, *followed: int, **rest: object) -> TableState:
    return table(id, TargetLag(300), after_ids=frozenset(followed), **(STALE | rest))


def test_what_is_followed_comes_first_and_only_if_it_is_stale() -> None:
    first = table(1, OnDemand(), **STALE)
    found = due([follower(2, 1), first], NOON)
    assert ids(found) == [[1], [2]]
    assert entries(found)[1].reason == 'needed by "main"."t2"'
    assert ids(due([follower(2, 1), replace(first, stale_since=None)], NOON)) == [[2]]
    assert ids(due([replace(follower(2, 1), stale_since=None), first], NOON)) == []


def test_one_that_is_asked_for_takes_along_what_it_follows_and_waits_for_no_change() -> None:
    asked = follower(2, 1, requested_at=ago(1), closed_gates=(LOAD,))
    found = due([asked, table(1, OnDemand(), **STALE)], NOON)
    assert ids(found) == [[1], [2]]
    assert {each.trigger for each in entries(found).values()} == {"MANUAL"}


def test_a_chain_of_readers_and_followers_is_one_order() -> None:
    tables = [follower(4, 3), table(3, OnDemand(), 2, **STALE), follower(2, 1), table(1, OnDemand(), **STALE)]
    assert ids(due(tables, NOON)) == [[1], [2], [3], [4]]
    circle = [follower(1, 3), table(2, OnDemand(), 1), table(3, OnDemand(), 2)]
    with pytest.raises(ValueError, match="read each other"):
        due(circle, NOON)


def test_the_time_that_the_followed_take_is_reckoned_with() -> None:
    tables = [follower(2, 1, stale_since=ago(200), expected=40), table(1, OnDemand(), **STALE, expected=60)]
    assert ids(due(tables, NOON)) == [[1], [2]]
    assert due([tables[0]], NOON).next_at == ahead(50)


def test_a_follower_waits_for_one_that_rests_and_for_one_that_is_suspended() -> None:
    resting = table(1, OnDemand(), **STALE, retry_at=ahead(30), failures=1)
    found = due([follower(2, 1), resting], NOON)
    assert states(found) == {2: WaitState.UPSTREAM}
    assert found.next_at == ahead(30)
    suspended = table(1, OnDemand(), **STALE, suspended=True)
    found = due([follower(2, 1), suspended], NOON)
    assert states(found) == {2: WaitState.UPSTREAM_SUSPENDED}
    assert found.skipped[0].reason == '"main"."t2" is refreshed after "main"."t1", which is suspended'
    assert ids(due([follower(2, 1), replace(suspended, stale_since=None)], NOON)) == [[2]]
    assert ids(due([follower(2, 1, requested_at=ago(1)), suspended], NOON)) == [[2]]


def test_a_follower_waits_for_one_that_a_suspended_table_keeps_back() -> None:
    tables = [follower(3, 2), table(2, OnDemand(), 1, **STALE), table(1, OnDemand(), **STALE, suspended=True)]
    found = due(tables, NOON)
    assert (ids(found), states(found)) == ([], {3: WaitState.UPSTREAM_SUSPENDED})
    assert waiting(tables, NOON) == {
        3: '"main"."t3" is refreshed after "main"."t2", whose upstream "main"."t1" is suspended'
    }


def test_a_follower_gives_no_target_lag_to_what_it_follows() -> None:
    first = table(1, Downstream(), **STALE)
    assert effective_lag([follower(2, 1), first]) == {1: None, 2: 300}
    assert ids(due([follower(2, 1), first], NOON)) == [[1], [2]]


@pytest.mark.parametrize("freshness", [TargetLag(300), Interval(60), HOURLY])
def test_a_scheduled_refresh_waits_for_a_change(freshness: TargetLag) -> None:
    state = table(1, freshness, **STALE, closed_gates=(LOAD, OTHER))
    found = due([state], NOON)
    assert (ids(found), states(found), found.next_at) == ([], {1: WaitState.CHANGE}, None)
    assert found.skipped[0].reason == 'waits for changes in "main"."load", "main"."other"'
    assert waiting([state], NOON) == {1: found.skipped[0].reason}
    opened = replace(state, closed_gates=(), gates_opened_at=ago(299))
    assert ids(due([opened], NOON)) == [[1]]
    assert waiting([opened], NOON) == {}


def test_a_table_at_rest_waits_for_nothing() -> None:
    assert waiting([table(1, TargetLag(300), closed_gates=(LOAD,))], NOON) == {}
    assert waiting([table(1, Interval(3600), last_started_at=NOON, closed_gates=(LOAD,))], NOON) == {}
    assert waiting([table(1, TargetLag(300), **STALE, closed_gates=(LOAD,), suspended=True)], NOON) == {}
    assert waiting([table(1, OnDemand(), **STALE, closed_gates=(LOAD,))], NOON) == {}


def test_what_reads_a_table_that_waits_waits_too() -> None:
    tables = [table(1, OnDemand(), **STALE, closed_gates=(LOAD,)), table(2, TargetLag(60), 1, **STALE)]
    found = due(tables, NOON)
    assert (ids(found), states(found)) == ([], {2: WaitState.UPSTREAM})
    assert waiting(tables, NOON) == {2: 'upstream "main"."t1" waits for changes in "main"."load"'}
    assert lags(tables, NOON) == {1: 0, 2: 0}
    by_hand = [tables[0], replace(tables[1], requested_at=ago(1))]
    assert ids(due(by_hand, NOON)) == [[1], [2]]


def test_a_retry_is_told_before_a_change() -> None:
    state = follower(1, closed_gates=(LOAD,), retry_at=ahead(20), failures=2)
    assert states(due([state], NOON)) == {1: WaitState.RETRY}


def test_lag_counts_from_the_change_that_was_waited_for() -> None:
    state = follower(1, gates_opened_at=ago(100))
    assert lags([state], NOON) == {1: 100}
    found = due([state], NOON)
    assert ids(found) == []
    assert found.next_at == ahead(190)
    late = due([state], NOON + timedelta(seconds=190))
    assert entries(late)[1].reason == "lag 4 min 50 s, target 5 min"
    # A change that came first does not hide one that it does not show yet.
    assert lags([follower(1, stale_since=ago(20), gates_opened_at=ago(100))], NOON) == {1: 20}


def test_what_has_no_target_of_its_own_counts_with_its_readers() -> None:
    raw, mid = table(1, Downstream(), **STALE), table(2, Downstream(), 1, **STALE)
    top = table(3, TargetLag(300), 2, **STALE, gates_opened_at=ago(100))
    assert lags([raw, mid, top], NOON) == {1: 100, 2: 100, 3: 100}
    assert effective_lag([raw, mid, top]) == {1: 300, 2: 300, 3: 300}
    shut = replace(top, closed_gates=(LOAD,))
    assert effective_lag([raw, mid, shut]) == {1: None, 2: None, 3: 300}
    assert lags([raw, mid, shut], NOON) == {1: 1000, 2: 1000, 3: 0}
    open_reader = table(4, TargetLag(3600), 2, **STALE)
    assert lags([raw, mid, top, open_reader], NOON) == {1: 1000, 2: 1000, 3: 100, 4: 1000}
    own = replace(mid, freshness=TargetLag(2000))
    assert effective_lag([raw, own, shut]) == {1: 2000, 2: 2000, 3: 300}
    assert lags([raw, own, top], NOON)[2] == 1000
