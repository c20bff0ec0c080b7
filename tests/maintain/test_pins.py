"""What dynamic tables go on from is not expired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import headwater
from headwater.core import crash
from headwater.core.refresh_record import RefreshRecord, RefreshState, SuspendedBy
from headwater.core.table_status import Suspension
from headwater.maintain.expire import expire
from headwater.maintain.pins import Pins, find_pins, longest
from headwater.registry import definitions, frontiers, history, leases, tables
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.fakes.copied_table import check_copy, make_copied_table, refresh_copy
from tests.fix_db import Catalog

DAY = timedelta(days=1)


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


@pytest.fixture
def table_id(lake: Lake) -> int:
    """The table d, refreshed to a snapshot that others have followed."""
    found = make_copied_table(lake)
    for number in range(3):
        arrow_lake.append(lake, "t", [(number, "v")])
        refresh_copy(lake, found)
    for number in range(3):
        arrow_lake.append(lake, "t", [(number, "later")])
    return found


def _pins(lake: Lake, days: float = 0) -> Pins:
    with lake.reader() as reader:
        return find_pins(reader, lake.database.kind, datetime.now(UTC) + timedelta(days=days), DAY)


def _live(lake: Lake) -> list[int]:
    return [snapshot.id for snapshot in lake.snapshots()]


def test_a_table_holds_its_data_snapshot_and_all_after_it_and_its_version(lake: Lake, table_id: int) -> None:
    with lake.reader() as reader:
        frontier = frontiers.find(reader.connection, table_id)
        older = frontiers.versions(reader.connection, table_id)
    assert frontier is not None
    assert _pins(lake) == Pins(frozenset({frontier.lake_snapshot}), frontier.snapshot)
    assert len(older) == 3
    last = lake.snapshots()[-1].id
    done = expire(lake.database, lake.data_path, datetime.now(UTC) + 2 * DAY, DAY)
    assert done.snapshots == tuple(range(frontier.snapshot))
    assert _live(lake) == list(range(frontier.snapshot, last + 1))
    # Two versions are beyond reach; the one before the frontier's is what the oldest snapshot shows.
    with lake.reader() as reader:
        assert frontiers.versions(reader.connection, table_id) == older[1:]
    assert refresh_copy(lake, table_id).action == "FULL"
    assert len(lake.history("d")) == 4


def test_a_table_suspended_or_failing_for_long_lets_go(lake: Lake, table_id: int) -> None:
    lake.database.execute(definitions.count_failure_stmt(table_id, 2, None))
    assert _pins(lake).since is not None
    assert _pins(lake, days=2) == Pins()
    lake.database.execute(definitions.resume_stmt(table_id))
    assert _pins(lake, days=2).since is not None
    lake.database.execute(
        definitions.suspend_stmt(table_id, Suspension(SuspendedBy.PERSON, "asked", datetime.now(UTC)))
    )
    assert _pins(lake, days=0.5).since is not None
    assert _pins(lake, days=2) == Pins()


def test_a_running_refresh_holds_what_it_aims_at_until_its_lease_expires(lake: Lake, table_id: int) -> None:
    lake.database.execute(
        definitions.suspend_stmt(table_id, Suspension(SuspendedBy.PERSON, "asked", datetime.now(UTC)))
    )
    aim = lake.snapshots()[-2].id
    row = lake.history("d")[0]
    lake.database.execute(
        history.insert_stmt(replace(row, id="r", state=RefreshState.RUNNING, ended_at=None, data_snapshot=aim))
    )
    assert _pins(lake, days=2) == Pins()
    lease = leases.take(lake.database, table_id)
    assert lease is not None
    assert _pins(lake, days=2).since == aim
    leases.give_back(lake.database, lease)
    assert _pins(lake, days=2) == Pins()


def test_refreshes_say_what_they_aim_at(lake: Lake, table_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int | None] = []
    begun = history.insert_stmt

    def noted(refresh: RefreshRecord) -> object:
        seen.append(refresh.data_snapshot)
        return begun(refresh)

    monkeypatch.setattr(history, "insert_stmt", noted)
    refresh_copy(lake, table_id)
    assert seen == [lake.snapshots()[-2].id]


def test_the_commit_of_a_foreign_write_stays_until_it_is_repaired(lake: Lake, table_id: int) -> None:
    refresh_copy(lake, table_id)
    foreign = arrow_lake.append(lake, "d", [(99, "theirs")])
    for number in range(3):
        arrow_lake.append(lake, "t", [(number, "more")])
    statement = frontiers.advance_idle_stmt(
        [table_id], lake.snapshots()[-1].id, datetime.now(UTC), tables.now(lake.database.kind)
    )
    lake.database.execute(statement)
    assert foreign in _pins(lake).snapshots
    expire(lake.database, lake.data_path, datetime.now(UTC) + 2 * DAY, DAY)
    assert foreign in _live(lake)
    arrow_lake.append(lake, "t", [(5, "more")])
    assert refresh_copy(lake, table_id).action == "REINITIALIZE"


def test_the_longest_retention_counts(lake: Lake, table_id: int) -> None:
    with lake.reader() as reader:
        assert longest(reader, DAY) == DAY
        table = definitions.find(reader.connection, table_id)
    assert table is not None
    statement = replace(table.statement, properties=replace(table.statement.properties, data_retention_days=30))
    lake.database.execute(
        *definitions.new_version_stmts(replace(table, version=2, statement=statement), datetime.now(UTC))
    )
    with lake.reader() as reader:
        assert longest(reader, DAY) == timedelta(days=30)


def test_a_refresh_keeps_what_expiry_records_meanwhile(lake: Lake, table_id: int) -> None:
    lake.sql("DELETE FROM t WHERE i = 0; INSERT INTO t SELECT 0, v FROM t WHERE i = 1")
    refresh_copy(lake, table_id)
    before = _frontier(lake, table_id)
    record = frontiers.own_rows_stmt(table_id, before.lake_snapshot, lake.snapshots()[-1].id)
    crash.tell(lambda point: lake.database.execute(record) if point == "announced" else None)
    try:
        lake.sql("DELETE FROM t WHERE i = 0; INSERT INTO t SELECT 0, v FROM t WHERE i = 1")
        refresh_copy(lake, table_id)
    finally:
        crash.tell(None)
    after = _frontier(lake, table_id)
    assert (after.lake_snapshot, after.own_rows_to) == (before.lake_snapshot, lake.snapshots()[-3].id)
    assert after.snapshot > before.snapshot
    check_copy(lake, table_id)


def _frontier(lake: Lake, table_id: int) -> frontiers.Frontier:
    with lake.reader() as reader:
        found = frontiers.find(reader.connection, table_id)
    assert found is not None
    return found
