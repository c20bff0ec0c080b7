"""Conditions begin and end once, whoever of many workers sees them first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta

import sqlalchemy as sa

import headwater
from headwater.core import events as e
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshTrigger, SuspendedBy
from headwater.core.table_status import Suspension, TableCondition, TableStatus
from headwater.observe.lake_state import LakeState
from headwater.registry import alerts, install, tables, workers
from headwater.registry.alerts import LAG, OVERDUE, SUSPENDED, Alert
from headwater.registry.workers import Worker
from headwater.service.lake import Lake
from headwater.worker.alerts import conditions, publish_alerts
from headwater.worker.observe_lake import load_lake_state
from tests.fix_db import Catalog
from tests.observe.happened import NOON


def _running(id: str, table_id: int, started_at: datetime) -> RefreshRecord:
    name = TableName("main", "t")
    return RefreshRecord(id, table_id, name, "default", RefreshState.RUNNING, RefreshTrigger.MANUAL, started_at)


LATE = TableStatus(1, TableName("main", "late"), TableCondition.ACTIVE, "", 61.0, 60.0)
FINE = TableStatus(2, TableName("main", "fine"), TableCondition.ACTIVE, "", 60.0, 60.0)
FREE = TableStatus(3, TableName("main", "free"), TableCondition.ACTIVE, "", 9e9)
GONE = Suspension(SuspendedBy.FAILURES, "5 consecutive refreshes failed", NOON)
LONG = _running("r-1", 2, NOON - timedelta(seconds=100))
LOOK = LakeState(NOON, (LATE, FINE, FREE), (LONG, _running("r-2", 3, NOON)))


def test_a_condition_is_a_late_table_a_suspended_one_or_a_long_refresh() -> None:
    assert conditions(LOOK, 99) == {Alert(1, LAG), Alert(2, OVERDUE, "r-1")}
    assert conditions(LOOK, 0) == {Alert(1, LAG)}
    suspended = replace(LOOK, tables=(replace(LATE, suspension=GONE),))
    told = Alert(1, SUSPENDED, NOON.isoformat())
    assert conditions(suspended, 0) == {told}
    assert conditions(replace(suspended, alerts=frozenset({Alert(1, LAG)})), 0) == {told, Alert(1, LAG)}


def _tell(lake: Lake, seen: LakeState) -> list[e.Event]:
    heard: list[e.Event] = []
    with lake.database.read() as connection:
        told = alerts.load(connection)
    publish_alerts(lake.site, replace(seen, alerts=told), 99, heard.append)
    return heard


def test_each_beginning_and_each_end_is_told_once(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        install.install(lake.database)
        assert _tell(lake, LOOK) == [
            e.LagBreached(NOON, LATE.name, 61.0, 60.0),
            e.RefreshOverdue(NOON, FINE.name, "r-1", 100.0, 99),
        ]
        assert _tell(lake, LOOK) == []
        later = replace(LOOK, tables=(replace(LATE, lag=1.0), replace(FINE, suspension=GONE), FREE), running=())
        assert _tell(lake, later) == [
            e.LagMet(NOON, LATE.name, 1.0, 60.0),
            e.TableSuspended(NOON, FINE.name, SuspendedBy.FAILURES, "5 consecutive refreshes failed"),
        ]
        again = replace(GONE, at=NOON + timedelta(seconds=1))
        twice = replace(later, tables=(LATE, replace(FINE, suspension=again)))
        assert [type(event) for event in _tell(lake, twice)] == [e.LagBreached, e.TableSuspended]
        assert [type(event) for event in _tell(lake, replace(LOOK, running=()))] == [e.TableResumed]
        # What is told of tables that are dropped ends without a word.
        assert _tell(lake, replace(LOOK, tables=(), running=())) == []
        assert load_lake_state(lake.site).alerts == frozenset()


def test_a_look_sees_workers_until_they_are_buried(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        assert load_lake_state(lake.site).snapshots == 1
        install.install(lake.database)
        for pid in (1, 2):
            lake.database.execute(workers.register_stmt(Worker(str(pid), "host", pid, "0", NOON), lake.database.kind))
        lake.database.execute(sa.update(tables.worker).where(tables.worker.c.pid == 2).values(heartbeat_at=0.0))
        ages = load_lake_state(lake.site).heartbeats
        assert ages.keys() == {"host:1", "host:2"}
        assert ages["host:1"] < 30 < ages["host:2"]


def test_of_many_workers_exactly_one_tells(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        install.install(lake.database)
        heard: list[e.Event] = []

        def worker(_number: int) -> None:
            with headwater.connect(catalog.url, catalog.data_path) as mine:
                publish_alerts(mine, LOOK, 0, heard.append)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(worker, range(8)))
        assert [type(event) for event in heard] == [e.LagBreached]
        heard.clear()
        ended = replace(LOOK, tables=(replace(LATE, lag=0.0),), alerts=frozenset({Alert(1, LAG)}))
        for _ in range(3):
            publish_alerts(lake.site, ended, 0, heard.append)
        assert [type(event) for event in heard] == [e.LagMet]
