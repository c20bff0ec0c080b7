"""Refreshes that must not go on: too long, not wanted any more, or in vain. The engine waits to be told to end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import EngineError, LeaseLost, RefreshCancelled, RefreshTimedOut
from headwater.core.refresh_record import RefreshRecord, RefreshTrigger
from headwater.core.schema import SortKey
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh import lease_watch
from headwater.refresh.compute import Compute
from headwater.refresh.engine import Query, Staged, Work
from headwater.refresh.run import Refresher
from headwater.registry import leases, tables, workers
from headwater.registry.workers import Worker
from headwater.service import render, wiring
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.fakes.clock import FakeClock
from tests.fakes.copied_table import check_copy, make_copied_table
from tests.fakes.copy_engine import CopyEngine
from tests.fix_db import Catalog

OLD, NEW = [(n, "old") for n in range(4)], [(7, "new"), (7, "new"), (None, None)]


class PatientEngine(CopyEngine):
    """Computes, and then waits until its tag is cancelled or it may go on."""

    def __init__(self) -> None:
        self.computed, self.may_go_on = threading.Event(), threading.Event()
        self.tag = ""
        self.cancelled: list[str] = []

    @contextmanager
    def track_jobs(
        self, tag: str, tell: Callable[[Work], None] | None, pool: str | None = None
    ) -> Iterator[Callable[[], Work]]:
        self.tag = tag
        yield Work

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        staged = super().difference(query, at, target, order)
        self.computed.set()
        while not self.may_go_on.wait(0.01):
            if self.tag in self.cancelled:
                for file in staged.files:
                    os.remove(file.path)
                raise EngineError("the job was cancelled")
        return staged

    def cancel(self, tag: str) -> None:
        self.cancelled.append(tag)


class Slow:
    """The table d that copies t, up to date but for one change; its next refresh waits in the engine."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.table_id = make_copied_table(lake)
        arrow_lake.append(lake, "t", OLD)
        assert self.refresh(CopyEngine()).succeeded
        arrow_lake.append(lake, "t", NEW)
        (file, positions), *_ = arrow_lake.live_positions(lake, "t").items()
        arrow_lake.delete(lake, "t", {file: positions[:1]})
        self.engine = PatientEngine()
        self.files = self._files()

    def refresh(self, engine: CopyEngine, limit: float | None = None) -> RefreshRecord:
        lake = self.lake
        tool = Refresher(lake.site, Compute(lambda: engine, timeout=limit))
        return tool.refresh(
            self.table_id, lake.snapshots()[-1].id, datetime.now(UTC), RefreshTrigger.MANUAL, pauses=(0.0, 0.0)
        )

    @contextmanager
    def refreshing(self) -> Iterator[Callable[[], RefreshRecord]]:
        """A refresh that is in the engine; gives what waits for its outcome."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.refresh, self.engine)
            try:
                assert self.engine.computed.wait(60)
                yield lambda: running.result(60)
            finally:
                self.engine.may_go_on.set()

    def is_as_before(self) -> None:
        """It has its old rows, no file is left over, the lease is free, and the next refresh brings it up to date."""
        check_copy(self.lake, self.table_id)
        assert self._files() == self.files
        with self.lake.reader() as reader:
            assert leases.holders(reader.connection, self.lake.database.kind) == {}
        outcome = self.refresh(CopyEngine())
        assert (outcome.state, outcome.rows_inserted, outcome.rows_deleted) == ("SUCCEED", 3, 1)
        check_copy(self.lake, self.table_id)

    def _files(self) -> set[str]:
        folder = os.path.dirname(self.lake.describe("d").files[0].file.path)
        return {each for each in os.listdir(folder) if each.endswith(".parquet")}


@pytest.fixture
def slow(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    monkeypatch.setattr(lease_watch, "BEAT", 0.02)
    monkeypatch.setattr(lease_watch, "LOOKS", 2)
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        yield Slow(lake)


def test_a_refresh_that_takes_too_long_is_ended_and_has_failed(slow: Slow) -> None:
    outcome = slow.refresh(slow.engine, limit=0.2)
    assert (outcome.state, type(outcome.error)) == ("FAILED", RefreshTimedOut)
    assert slow.engine.tag in slow.engine.cancelled
    (row, *_) = slow.lake.history("d")
    assert (row.state, row.id) == ("FAILED", outcome.id)
    assert row.error is not None
    assert "error[HW-DT-007]: the refresh ran longer than 0.2 seconds" in str(row.error)
    slow.is_as_before()


def test_a_person_ends_a_refresh_once(slow: Slow) -> None:
    assert slow.lake.cancel("d") is False
    with slow.refreshing() as outcome:
        assert slow.lake.sql("ALTER DYNAMIC TABLE d CANCEL REFRESH").rows == (("cancelled",),)
        assert (outcome().state, type(outcome().error)) == ("CANCELLED", RefreshCancelled)
    (row, *_) = slow.lake.history("d")
    assert (row.state, row.id) == ("CANCELLED", slow.engine.tag)
    told = [render.outcomes([each]).rows[0][3] for each in (outcome(), row)]
    assert ["was cancelled" in why and "\n" not in why for why in told] == [True, True], told
    assert slow.lake.sql("ALTER DYNAMIC TABLE d CANCEL REFRESH").rows == (("nothing to cancel",),)
    slow.is_as_before()


def test_what_was_computed_before_a_cancel_does_not_land_after_it(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_watch, "LOOKS", 10**9)
    with slow.refreshing() as outcome:
        assert slow.lake.cancel("d")
        slow.engine.may_go_on.set()
        assert outcome().state == "CANCELLED"
    assert slow.engine.cancelled == []
    slow.is_as_before()


def test_work_whose_lease_is_lost_is_ended_and_left_to_the_holder(slow: Slow) -> None:
    def hold(token: str | None, expires_at: float) -> None:
        taken = sa.update(tables.lease).values(token=token, holder=token, expires_at=expires_at)
        slow.lake.database.execute(taken)

    with slow.refreshing() as outcome:
        hold("another", 1e12)
        assert (outcome().state, outcome().error) == ("SKIPPED", None)
        assert "lease" in (outcome().reason or "")
    assert slow.engine.tag in slow.engine.cancelled
    hold(None, 0.0)
    slow.is_as_before()


def test_a_lost_lease_is_no_cancel(slow: Slow) -> None:
    lease = leases.take(slow.lake.database, slow.table_id)
    assert lease is not None
    watch = lease_watch.LeaseWatch(slow.lake.site, lease)
    lost = LeaseLost("gone")
    assert watch.lease_error(lost) is lost
    assert slow.lake.cancel("d")
    assert isinstance(watch.lease_error(lost), RefreshCancelled)
    leases.give_back(slow.lake.database, lease)
    again = leases.take(slow.lake.database, slow.table_id)
    assert again is not None
    assert leases.extend(slow.lake.database, again) == leases.LeaseStatus(True)


class EventfulClock(FakeClock):
    """Makes a call whenever somebody has slept."""

    def __init__(self, slept: Callable[[], None] = lambda: None) -> None:
        super().__init__(datetime(2026, 1, 1, tzinfo=UTC))
        self.slept = slept

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        self.slept()


def test_a_person_who_is_quicker_than_the_limit_has_ended_it(slow: Slow) -> None:
    lease, clock = leases.take(slow.lake.database, slow.table_id), EventfulClock()
    assert lease is not None
    watch = lease_watch.LeaseWatch(replace(slow.lake.site, clock=clock), lease, limit=6.0)
    clock.ahead = timedelta(seconds=5.9)
    watch._look()
    watch.check()
    assert slow.lake.cancel("d")
    clock.ahead = timedelta(seconds=6)
    watch._look()
    with pytest.raises(RefreshCancelled):
        watch.check()


def test_a_pause_between_attempts_ends_with_the_time_that_there_is(slow: Slow) -> None:
    lease, clock = leases.take(slow.lake.database, slow.table_id), EventfulClock()
    assert lease is not None
    watch = lease_watch.LeaseWatch(replace(slow.lake.site, clock=clock), lease, limit=6.0)
    clock.slept = watch._look
    watch.pause(2.5, EngineError("the first"))
    assert clock.ahead == timedelta(seconds=2.5)
    with pytest.raises(RefreshTimedOut) as caught:
        watch.pause(60.0, EngineError("the second"))
    assert clock.ahead < timedelta(seconds=8)
    assert caught.value.detail is not None
    assert caught.value.detail.endswith("The last error was: the second.")


def test_a_request_that_nobody_has_begun_is_answered(slow: Slow) -> None:
    lake = slow.lake
    # A worker lives, but does not get to it.
    lake.database.execute(workers.register_stmt(Worker("w", "elsewhere", 1, "0", lake.clock.now()), lake.database.kind))
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(lake.refresh, "d")
        while not lake.cancel("d"):
            assert not asking.done()
        (outcome,) = asking.result(60)
    assert (outcome.state, type(outcome.error)) == ("CANCELLED", RefreshCancelled)
    (row, *_) = lake.history("d")
    assert (row.id, row.state, row.trigger) == (outcome.id, "CANCELLED", "MANUAL")
    assert lake.cancel("d") is False
    slow.is_as_before()


def test_many_commits_during_a_refresh_make_one_more_and_not_many(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    class BusyEngine(CopyEngine):
        ran = 0

        def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
            self.ran += 1
            if self.ran == 1:
                for number in range(6):
                    arrow_lake.append(slow.lake, "t", [(100 + number, "late")])
            return super().difference(query, at, target, order)

    engine = BusyEngine()
    monkeypatch.setattr(wiring, "spark_engine", lambda _warehouses: engine)
    slow.lake.sql("ALTER DYNAMIC TABLE d SET TARGET_LAG = '1 second'")
    threading.Event().wait(1)
    ticks = [slow.lake.tick() for _ in range(2)]
    threading.Event().wait(1)
    ticks += [slow.lake.tick() for _ in range(3)]
    assert [o.rows_inserted for tick in ticks for o in tick.outcomes] == [3, 6]
    assert engine.ran == 2
    check_copy(slow.lake, slow.table_id)
