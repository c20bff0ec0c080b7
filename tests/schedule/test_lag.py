"""Lags: what they are, and that they are kept while time passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.core.freshness import Cron, Downstream, Interval, OnDemand, TargetLag
from headwater.schedule.due import Pass, due
from headwater.schedule.lag import effective_lag, lags
from headwater.schedule.state import TableState
from tests.schedule.states import NOON, ago, ahead, table


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
