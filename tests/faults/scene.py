"""A small lake that workers keep fresh without Spark, and what must hold in it whatever happens to them."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock

import sqlalchemy as sa

import headwater
from headwater.core import crash
from headwater.core.clock import SystemClock
from headwater.core.errors import EngineError, HeadwaterError
from headwater.core.refresh_record import RefreshRecord, RefreshTrigger
from headwater.lake import catalog as c
from headwater.maintain.orphans import find_orphans, remove_orphans
from headwater.refresh.find import all_tables
from headwater.refresh.run import Refresher
from headwater.registry import frontiers, history, leases, tables
from headwater.service.lake import Lake
from headwater.service.wiring import table_compactor
from headwater.service.worker_jobs import Plan, run_worker, worker_jobs
from headwater.worker.loop import WorkerOptions, serve
from headwater.worker.table_states import load_table_inputs
from tests import arrow_lake
from tests.fakes.log import FakeLog
from tests.simulation.lake import BASES, Quick, expected, fill, playing, rows_of

TABLES = 3
# Where leases are left behind and waited for, they last so many seconds.
SHORT = 2.0


class Hasty(SystemClock):
    """A clock that is minutes ahead, so that what is stale is due, and that waits for no longer than it is told.

    Snapshots never go back in time: whoever comes after another must be ahead of that one.
    """

    def __init__(self, minutes: float, longest: float = 0.05) -> None:
        self._ahead = timedelta(minutes=minutes)
        self._longest = longest

    def now(self) -> datetime:
        return super().now() + self._ahead

    def sleep(self, seconds: float) -> None:
        time.sleep(min(seconds, self._longest))


class Failing(Quick):
    """An engine that never works."""

    def _work(self, seconds: float) -> None:
        raise EngineError("the engine failed")


class AtPoint:
    """While it is open, something is done once, when a point is reached for the first time."""

    def __init__(self, point: str, act: Callable[[], None]) -> None:
        self._point = point
        self._act = act
        self._lock = Lock()
        self.reached = False

    def __enter__(self) -> AtPoint:
        crash.tell(self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        crash.tell(None)

    def _hear(self, point: str) -> None:
        with self._lock:
            first = point == self._point and not self.reached
            self.reached = self.reached or first
        if first:
            self._act()


class Until:
    """Ends a worker once the lake is fresh and at rest, after one pass at least; or when its time is up."""

    def __init__(self, lake: Lake, seconds: float = 90.0) -> None:
        self._lake = lake
        self._deadline = time.monotonic() + seconds
        self._asked = 0

    def is_set(self) -> bool:
        self._asked += 1
        return self._asked > 1 and (time.monotonic() > self._deadline or at_rest(self._lake))

    def wait(self, timeout: float) -> None:
        time.sleep(min(timeout, 0.05))


def make(url: str, data_path: str) -> Lake:
    """The lake, filled."""
    lake = headwater.connect(url, data_path)
    fill(lake, TABLES)
    lake.sql("CREATE TABLE other (i INT)")
    return lake


def change(lake: Lake, number: int) -> None:
    """Insert, update and delete in both base tables; NULL keys and copies among the rows."""
    for place, name in enumerate(BASES):
        arrow_lake.append(lake, name, [(number % 3, number), (number % 3, number), (None, place)])
        file, positions = next((file, at) for file, at in arrow_lake.live_positions(lake, name).items() if at)
        arrow_lake.delete(lake, name, {file: positions[:1]})


def refresh_once(lake: Lake, name: str = "sums") -> RefreshRecord:
    """Refresh one table to the newest snapshot here, as a scheduled pass would."""

    table_id = lake.describe(name).table.id
    return Refresher(lake.site, lake.compute).refresh(
        table_id, lake.snapshots()[-1].id, lake.clock.now(), RefreshTrigger.SCHEDULED, pauses=(1, 2, 4)
    )


def work(url: str, data_path: str, minutes: float, failing: bool = False) -> None:
    """Be a worker until killed."""
    with headwater.connect(url, data_path) as lake, playing(Failing() if failing else Quick()):
        lake.clock = Hasty(minutes)
        run_worker(lake.site, lake.compute, FakeLog(), WorkerOptions(poll_interval=0.1))


def finish(lake: Lake, minutes: float, longest: float = 0.05) -> FakeLog:
    """Be a worker until all is fresh; what it said."""
    log = FakeLog()
    before, lake.clock = lake.clock, Hasty(minutes, longest)
    try:
        with playing(Quick()):
            jobs = worker_jobs(lake.site, table_compactor(lake.site, lake.warehouses), Plan())
            serve(Refresher(lake.site, lake.compute), log, Until(lake), WorkerOptions(poll_interval=0.1), jobs)
    finally:
        lake.clock = before
    assert at_rest(lake), log.all
    return log


def at_rest(lake: Lake) -> bool:
    """Whether every table shows all there is, and nobody refreshes one."""
    try:
        with lake.reader() as reader:
            _, observed = load_table_inputs(reader)
            busy = history.unfinished(reader.connection) or leases.holders(reader.connection, lake.database.kind)
    except HeadwaterError:
        return False
    return not busy and all(each.state.stale_since is None for each in observed)


def expire_leases(lake: Lake) -> None:
    """As if their holders had been silent for a minute."""
    statement = sa.update(tables.lease).where(tables.lease.c.token.is_not(None)).values(expires_at=1.0)
    lake.database.write(lambda connection: connection.execute(statement))


def check(lake: Lake) -> None:
    """Each table is its query at its data snapshot, and each refresh that wrote rows has one snapshot of its own."""
    with lake.reader() as reader:
        latest = reader.latest().id
        held = frontiers.load(reader.connection)
        for table in all_tables(reader):
            bases = {name: rows_of(reader, name, held[table.id].snapshot) for name in BASES}
            assert rows_of(reader, table.name.name, latest) == expected(table.name.name, bases), table.name
        changes = c.snapshot_changes.c
        query = sa.select(changes.commit_extra_info).where(changes.commit_message.startswith("refresh "))
        made = Counter(json.loads(text)["headwater"]["token"] for text in reader.connection.execute(query).scalars())
        told = history.load(reader.connection)
    wrote = {row.id for row in told if row.state == "SUCCEED" and (row.rows_inserted or row.rows_deleted)}
    assert wrote - {row.id for row in told if row.trigger == "CREATION"} <= made.keys()
    assert set(made) <= {row.id for row in told if row.state == "SUCCEED"}
    assert set(made.values()) <= {1}


def check_at_rest(lake: Lake) -> None:
    """`check`, and nothing is left behind: no refresh that runs, no lease, no file that the sweep does not find."""
    assert at_rest(lake)
    assert [row for row in lake.history() if row.unfinished] == []
    now = datetime.now(UTC) + timedelta(minutes=1)
    remove_orphans(lake.database, lake.data_path, now, timedelta(0))
    assert find_orphans(lake.database, lake.data_path, now, timedelta(0)) == ()
    check(lake)
