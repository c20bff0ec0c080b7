"""kill -9 at every named point of a refresh: data, frontier and history land together or not at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.refresh_record import RefreshTrigger
from headwater.refresh.compute import Compute
from headwater.refresh.recover import recover
from headwater.refresh.run import Refresher
from headwater.registry import definitions, leases, tables
from headwater.service.lake import Lake
from headwater.sql.dynamic_statements import NamedOutput
from headwater.worker.passes import count_failure
from tests import arrow_lake
from tests.crash.commit_points import POINTS, TIMES
from tests.fakes.copied_table import check_copy, frontier_of, make_copied_table, refresh_copy
from tests.fakes.copy_engine import CopyEngine
from tests.fix_db import Catalog
from tests.processes import run_until_crash


def refresh(url: str, data_path: str, table_id: int) -> str:
    """Refresh the table to the newest snapshot; its state."""
    with headwater.connect(url, data_path) as lake:
        return refresh_copy(lake, table_id).state


def rename(url: str, data_path: str, table_id: int, name: str) -> str:
    """Give the first column another name by a new definition; the refresh's state."""
    with headwater.connect(url, data_path) as lake:
        with lake.reader() as reader:
            table = definitions.find(reader.connection, table_id)
        assert table is not None
        statement = replace(table.statement, columns=(NamedOutput(name), NamedOutput("v")))
        new = replace(table, version=table.version + 1, statement=statement)
        tool = Refresher(lake.site, Compute(CopyEngine))
        return tool.refresh(
            table_id, lake.snapshots()[-1].id, datetime.now(UTC), RefreshTrigger.MANUAL, defined=new
        ).state


@pytest.mark.parametrize("point", ["staged", "snapshot-claimed", "rows-written", "landed"])
def test_a_definition_lands_with_its_columns_or_not_at_all(catalog: Catalog, point: str) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = make_copied_table(lake)
        arrow_lake.append(lake, "t", [(n, "old") for n in range(5)])
        assert refresh_copy(lake, table_id).state == "SUCCEED"
        files = [each.file.id for each in lake.describe("d").files]
        for name in ("a", "b"):
            before = (frontier_of(lake, table_id).definition_version, lake.describe("d").schema.names[0])
            assert run_until_crash(rename, (catalog.url, catalog.data_path, table_id, name), point) == -9
            after = (before[0] + 1, name) if point == "landed" else before
            found = lake.describe("d")
            assert (frontier_of(lake, table_id).definition_version, found.schema.names[0]) == after
            with lake.reader() as reader:
                table = definitions.find(reader.connection, table_id)
            assert table is not None
            assert (table.version, [c.name for c in table.statement.columns][:1] or ["i"]) == (after[0], [after[1]])
            assert [each.file.id for each in found.files] == files
            _let_leases_expire(lake)
            assert refresh_copy(lake, table_id).action == "NO_DATA"


@pytest.mark.parametrize("point", POINTS)
def test_a_worker_killed_in_its_refresh_loses_and_doubles_nothing(catalog: Catalog, point: str) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = make_copied_table(lake)
        arrow_lake.append(lake, "t", [(n, "old") for n in range(20 + TIMES)])
        assert refresh_copy(lake, table_id).state == "SUCCEED"
        for number in range(TIMES):
            arrow_lake.append(lake, "t", [(1000 + number, "new")])
            (file, positions), *_ = arrow_lake.live_positions(lake, "t").items()
            arrow_lake.delete(lake, "t", {file: positions[:1]})
            before, done = frontier_of(lake, table_id), _succeeded(lake, table_id)
            assert run_until_crash(refresh, (catalog.url, catalog.data_path, table_id), point) == -9
            landed = point == "landed"
            assert (frontier_of(lake, table_id).snapshot > before.snapshot) == landed
            assert _succeeded(lake, table_id) == done + landed
            check_copy(lake, table_id)
            # Its lease outlives it; after a minute of silence another may go on.
            assert refresh_copy(lake, table_id).state == "SKIPPED"
            _let_leases_expire(lake)
            assert refresh_copy(lake, table_id).state == "SUCCEED"
            assert frontier_of(lake, table_id).snapshot == lake.snapshots()[-1].id - (not landed)
            assert [row for row in lake.history("d") if row.unfinished] == []
            check_copy(lake, table_id)


def _succeeded(lake: Lake, table_id: int) -> int:
    return sum(row.succeeded and row.action != "NO_DATA" for row in lake.history("d"))


def _let_leases_expire(lake: Lake) -> None:
    statement = sa.update(tables.lease).where(tables.lease.c.token.is_not(None)).values(expires_at=1.0)
    lake.database.write(lambda connection: connection.execute(statement))


def test_whoever_runs_on_the_same_machine_need_not_wait_for_a_dead_holder(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = make_copied_table(lake)
        arrow_lake.append(lake, "t", [(1, "a")])
        assert run_until_crash(refresh, (catalog.url, catalog.data_path, table_id), "staged") == -9
        assert refresh_copy(lake, table_id).leased
        assert recover(lake.database, datetime.now(UTC)) == (table_id,)
        assert recover(lake.database, datetime.now(UTC)) == ()
        assert [row.state for row in lake.history("d")] == ["FAILED"]
        assert refresh_copy(lake, table_id).state == "SUCCEED"
        check_copy(lake, table_id)


def test_failures_that_two_workers_saw_count_as_two(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = make_copied_table(lake)
        for number in range(1, 6):
            count_failure(lake.site, table_id, "no")
            with lake.reader() as reader:
                table = definitions.find(reader.connection, table_id)
            assert table is not None
            assert (table.failures, table.suspension is not None) == (number, number == 5)


def test_a_holder_that_lives_is_not_buried(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = make_copied_table(lake)
        lease = leases.take(lake.database, table_id)
        assert lease is not None
        assert recover(lake.database, datetime.now(UTC)) == ()
        assert not leases.is_dead("elsewhere:1")
