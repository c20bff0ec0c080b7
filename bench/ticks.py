"""What the scheduler costs when there is nothing to do: a pass over 1,000 dynamic tables, and one refresh without data.

    make bench NAME=ticks

The tables are made in the catalog without Spark: chains of five over fifty sources. PostgreSQL is the wheel's, SQLite a file.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace

import sqlalchemy as sa

import headwater
from bench.machine import machine
from headwater.commit.commit import Commit, Committed
from headwater.core.names import TableName
from headwater.core.schema import Column, number
from headwater.core.semantics import definition_session
from headwater.lake import operations as op
from headwater.lake.uuid7 import uuid7
from headwater.registry import definitions, frontiers, install
from headwater.registry.definitions import Dependency, DynamicTable
from headwater.registry.frontiers import Frontier
from headwater.registry.source_identity import SourceColumn, SourceIdentity
from headwater.service.lake import Lake
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.parse import parse
from tests.postgres import run_postgres

TABLES, CHAIN, ROUNDS = 1_000, 5, 10
COLUMNS = number((Column("id", "int64"), Column("v", "int64")))


def main() -> None:
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        with headwater.connect(f"{folder}/lake") as lake:
            _measure("SQLite", lake)
        with run_postgres() as server:
            url = server.url(server.new_database())
            with headwater.connect(url, f"{folder}/data") as lake:
                _measure("PostgreSQL", lake)


def _measure(kind: str, lake: Lake) -> None:
    fill(lake)
    lake.tick()
    lake.sql("CREATE TABLE other (x INTEGER)")
    _report(f"{kind}: a pass over {TABLES} tables, all to be advanced", [_timed(lambda: _touch_and_tick(lake))])
    _report(f"{kind}: a pass over {TABLES} tables, nothing new", [_timed(lake.tick) for _ in range(ROUNDS)])
    _report(f"{kind}: one refresh without data", [_timed(lambda: lake.refresh("d0")) for _ in range(ROUNDS)])
    print(f"{kind}: of that, the refresh itself {min(o.seconds for o in lake.refresh('d0')) * 1000:.1f} ms", flush=True)


def _touch_and_tick(lake: Lake) -> None:
    lake.sql("COMMENT ON TABLE other IS 'x'")
    lake.tick()


def fill(lake: Lake) -> None:
    """Sources and dynamic tables as if each had been refreshed once."""
    install.install(lake.database)
    bases = [TableName("main", f"s{i}") for i in range(TABLES // (CHAIN * 4))]
    made = _create(lake, bases)
    names = [TableName("main", f"d{i}") for i in range(TABLES)]
    ids = {}

    def rows(committed: Committed) -> list[sa.Executable]:
        ids.update(committed.tables)
        statements: list[sa.Executable] = []
        for i, name in enumerate(names):
            upstream = names[i - 1] if i % CHAIN else bases[i // CHAIN % len(bases)]
            source = ids.get(upstream) or made[upstream]
            (statement,) = parse(
                f"CREATE DYNAMIC TABLE {name.name} TARGET_LAG = '1 hour' AS SELECT id, v FROM {upstream.name}"
            )
            assert isinstance(statement, CreateDynamicTable)
            table = DynamicTable(
                ids[name], name, 1, statement, definition_session(), lake.clock.now(), (Dependency(source, upstream),)
            )
            at = committed.snapshot_id
            columns = (SourceColumn(1, "int64", None, "id"), SourceColumn(2, "int64", None, "v"))
            identity = SourceIdentity({source: columns}, {}, {source: at} if i % CHAIN else {})
            frontier = Frontier(table.id, at, at, at, 1, identity, lake.clock.now())
            statements += [*definitions.insert_stmts(table), frontiers.insert_stmt(frontier)]
        return statements

    _create(lake, names, rows)


def _create(
    lake: Lake, names: list[TableName], rows: Callable[[Committed], list[sa.Executable]] = lambda _committed: []
) -> dict[TableName, int]:
    operations = tuple(op.CreateTableOp(name, COLUMNS, str(uuid7())) for name in names)
    return dict(lake.commit(replace(Commit(lake.snapshots()[-1].id, operations), rows=rows)).tables)


def _timed(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def _report(what: str, seconds: list[float]) -> None:
    print(f"{what:>62}: {statistics.median(seconds) * 1000:8.1f} ms", flush=True)


if __name__ == "__main__":
    main()
