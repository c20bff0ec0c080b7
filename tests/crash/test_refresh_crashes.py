"""kill -9 at every named point of a refresh: data, frontier and history land together or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import headwater
from headwater.commit.commit import Commit, Committed
from headwater.core.names import TableName
from headwater.core.schema import Column, SortKey, number
from headwater.core.semantics import definition_session
from headwater.lake import operations as op
from headwater.lake.operations import DeletedPositions
from headwater.lake.parquet import read_delete_file, write_batches
from headwater.lake.uuid7 import uuid7
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.engine import Change, Comparison, Query, Staged, Studied, Work
from headwater.refresh.outcome import RefreshOutcome
from headwater.refresh.recover import recover
from headwater.refresh.run import Refresher
from headwater.registry import definitions, frontiers, history, install, leases, tables
from headwater.registry.definitions import DynamicTable, Source
from headwater.service.failures import count_failure
from headwater.service.lake import Lake
from headwater.sql.dynamic_statements import CreateDynamicTable, NamedOutput
from headwater.sql.parse import parse
from tests import arrow_lake
from tests.crash.test_commit_crashes import POINTS, TIMES
from tests.fix_db import Catalog
from tests.processes import run_until_crash

COLUMNS = (Column("i", "int32"), Column("v", "varchar"))


class CopyEngine:
    """An engine for queries that copy their only source, without Spark."""

    def columns(self, query: Query) -> tuple[Column, ...]:
        return COLUMNS

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        return Staged(_files(target, [row for _, _, row in _rows(*query.sources.values())]))

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        wanted = Counter(row for _, _, row in _rows(*query.sources.values()))
        gone: dict[int, list[int]] = {}
        for file_id, position, row in _rows(at):
            if wanted[row]:
                wanted[row] -= 1
            else:
                gone.setdefault(file_id, []).append(position)
        deletes = tuple(DeletedPositions(id, np.asarray(found, np.int64)) for id, found in gone.items())
        return Staged(_files(target, list(wanted.elements())), deletes)

    def study(self, query: Query, plans: Sequence[str]) -> Studied:
        """It can prove nothing, so its tables are computed in full."""
        return Studied(False, ())

    def shape(self, query: Query, plan: str) -> tuple[Column, ...]:
        raise NotImplementedError

    def change(self, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        raise NotImplementedError

    def compare(self, query: Query, at: TableAt, shown: int) -> Comparison:
        raise NotImplementedError

    def followed(
        self, tag: str, tell: Callable[[Work], None] | None, pool: str | None = None
    ) -> AbstractContextManager[Callable[[], Work]]:
        return nullcontext(Work)

    def cancel(self, tag: str) -> None:
        pass


def _files(target: WriteTarget, rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(write_batches(target, [arrow_lake.batch(target.schema.columns, rows, None)])) if rows else ()


def _rows(at: TableAt) -> list[tuple[int, int, tuple[Any, ...]]]:
    found = []
    for entry in at.files:
        gone = _gone(entry.deletes.path, at.snapshot) if entry.deletes else set()
        held = pq.read_table(entry.file.path).select(["i", "v"]).to_pylist()
        found += [(entry.file.id, p, (r["i"], r["v"])) for p, r in enumerate(held) if p not in gone]
    return found


def _gone(path: str, snapshot: int) -> set[int]:
    positions, since = read_delete_file(path)
    return set((positions if since is None else positions[since <= snapshot]).tolist())


def refresh(url: str, data_path: str, table_id: int) -> str:
    """Refresh the table to the newest snapshot; its state."""
    with headwater.connect(url, data_path) as lake:
        return _refresh(lake, table_id).state


def rename(url: str, data_path: str, table_id: int, name: str) -> str:
    """Give the first column another name by a new definition; the refresh's state."""
    with headwater.connect(url, data_path) as lake:
        with lake.reader() as reader:
            table = definitions.find(reader.connection, table_id)
        assert table is not None
        statement = replace(table.statement, columns=(NamedOutput(name), NamedOutput("v")))
        new = replace(table, version=table.version + 1, statement=statement)
        tool = Refresher(lake.database, lake.data_path, CopyEngine)
        return tool.refresh(table_id, lake.snapshots()[-1].id, datetime.now(UTC), "MANUAL", defined=new).state


@pytest.mark.parametrize("point", ["staged", "snapshot-claimed", "rows-written", "landed"])
def test_a_definition_lands_with_its_columns_or_not_at_all(catalog: Catalog, point: str) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = _made(lake)
        arrow_lake.append(lake, "t", [(n, "old") for n in range(5)])
        assert _refresh(lake, table_id).state == "SUCCEED"
        files = [each.file.id for each in lake.describe("d").files]
        for name in ("a", "b"):
            before = (_frontier(lake, table_id).definition_version, lake.describe("d").schema.names[0])
            assert run_until_crash(rename, (catalog.url, catalog.data_path, table_id, name), point) == -9
            after = (before[0] + 1, name) if point == "landed" else before
            found = lake.describe("d")
            assert (_frontier(lake, table_id).definition_version, found.schema.names[0]) == after
            with lake.reader() as reader:
                table = definitions.find(reader.connection, table_id)
            assert table is not None
            assert (table.version, [c.name for c in table.statement.columns][:1] or ["i"]) == (after[0], [after[1]])
            assert [each.file.id for each in found.files] == files
            _let_leases_expire(lake)
            assert _refresh(lake, table_id).action == "NO_DATA"


def _refresh(lake: Lake, table_id: int) -> RefreshOutcome:
    tool = Refresher(lake.database, lake.data_path, CopyEngine)
    return tool.refresh(table_id, lake.snapshots()[-1].id, datetime.now(UTC), "MANUAL")


@pytest.mark.parametrize("point", POINTS)
def test_a_worker_killed_in_its_refresh_loses_and_doubles_nothing(catalog: Catalog, point: str) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = _made(lake)
        arrow_lake.append(lake, "t", [(n, "old") for n in range(20 + TIMES)])
        assert _refresh(lake, table_id).state == "SUCCEED"
        for number in range(TIMES):
            arrow_lake.append(lake, "t", [(1000 + number, "new")])
            (file, positions), *_ = arrow_lake.live_positions(lake, "t").items()
            arrow_lake.delete(lake, "t", {file: positions[:1]})
            before, done = _frontier(lake, table_id), _succeeded(lake, table_id)
            assert run_until_crash(refresh, (catalog.url, catalog.data_path, table_id), point) == -9
            landed = point == "landed"
            assert (_frontier(lake, table_id).snapshot > before.snapshot) == landed
            assert _succeeded(lake, table_id) == done + landed
            _check(lake, table_id)
            # Its lease outlives it; after a minute of silence another may go on.
            assert _refresh(lake, table_id).state == "SKIPPED"
            _let_leases_expire(lake)
            assert _refresh(lake, table_id).state == "SUCCEED"
            assert _frontier(lake, table_id).snapshot == lake.snapshots()[-1].id - (not landed)
            assert [row for row in lake.history("d") if row.state == "RUNNING"] == []
            _check(lake, table_id)


def _made(lake: Lake) -> int:
    """The table t, and d that copies it and waits for its first refresh."""
    install.install(lake.database)
    lake.sql("CREATE TABLE t (i INT, v VARCHAR)")
    (statement,) = parse("CREATE DYNAMIC TABLE d AS SELECT i, v FROM t")
    assert isinstance(statement, CreateDynamicTable)
    name = TableName("main", "d")
    source = Source(lake.describe("t").table.id, TableName("main", "t"))

    def rows(committed: Committed) -> tuple[sa.Executable, ...]:
        table = DynamicTable(
            committed.tables[name], name, 1, statement, definition_session(), datetime.now(UTC), (source,)
        )
        return definitions.added(table)

    created = op.CreateTable(name, number(COLUMNS), str(uuid7()))
    return lake.commit(Commit(lake.snapshots()[-1].id, (created,), rows=rows)).tables[name]


def _check(lake: Lake, table_id: int) -> None:
    """The table as readers see it is its source at the data snapshot."""
    expected = Counter(row for _, _, row in _rows(lake.describe("t", _frontier(lake, table_id).snapshot)))
    assert Counter(row for _, _, row in _rows(lake.describe("d"))) == expected


def _frontier(lake: Lake, table_id: int) -> frontiers.Frontier:
    with lake.reader() as reader:
        found = frontiers.find(reader.connection, table_id)
        assert found is not None
        return found


def _succeeded(lake: Lake, table_id: int) -> int:
    return sum(row.state == history.SUCCEED and row.action != "NO_DATA" for row in lake.history("d"))


def _let_leases_expire(lake: Lake) -> None:
    statement = sa.update(tables.lease).where(tables.lease.c.token.is_not(None)).values(expires_at=1.0)
    lake.database.write(lambda connection: connection.execute(statement))


def test_whoever_runs_on_the_same_machine_need_not_wait_for_a_dead_holder(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = _made(lake)
        arrow_lake.append(lake, "t", [(1, "a")])
        assert run_until_crash(refresh, (catalog.url, catalog.data_path, table_id), "staged") == -9
        assert _refresh(lake, table_id).leased
        assert recover(lake.database, datetime.now(UTC)) == (table_id,)
        assert recover(lake.database, datetime.now(UTC)) == ()
        assert [row.state for row in lake.history("d")] == ["FAILED"]
        assert _refresh(lake, table_id).state == "SUCCEED"
        _check(lake, table_id)


def test_failures_that_two_workers_saw_count_as_two(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = _made(lake)
        for number in range(1, 6):
            count_failure(lake, table_id, "no")
            with lake.reader() as reader:
                table = definitions.find(reader.connection, table_id)
            assert table is not None
            assert (table.failures, table.suspension is not None) == (number, number == 5)


def test_a_holder_that_lives_is_not_buried(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = _made(lake)
        lease = leases.take(lake.database, table_id)
        assert lease is not None
        assert recover(lake.database, datetime.now(UTC)) == ()
        assert not leases.is_dead("elsewhere:1")
