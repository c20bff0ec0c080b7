"""Requests as users make them: locked, refused, retried."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from headwater.core.errors import DynamicTableReadOnly, HeadwaterError, InvalidRequest, Position, QueryFailed
from headwater.query.process import Answer, DuckDBProcess
from headwater.query.request import execute
from headwater.service.lake import Lake
from headwater.sql.split import split
from headwater.sql.statements import ObjectName
from headwater.store.database import Database


def run(duckdb: DuckDBProcess, database: Database, sql: str, dynamic: str = "") -> list[Answer]:
    def refuse(name: ObjectName) -> str | None:
        return f'"main"."{name.name}"' if name.name == dynamic else None

    return execute(duckdb, database, split(sql), refuse=refuse)


def values(answer: Answer) -> list[object]:
    assert answer.rows is not None
    return [next(iter(row.values())) for row in answer.rows.to_pylist()]


def test_a_script_is_one_transaction_and_its_errors_point_into_it(
    duckdb: DuckDBProcess, database: Database, lake: Lake
) -> None:
    lake.sql("CREATE TABLE t (a INTEGER)")
    assert values(run(duckdb, database, "INSERT INTO lake.t VALUES (1), (2); SELECT a FROM t ORDER BY a")[1]) == [1, 2]
    with pytest.raises(QueryFailed) as failed:
        run(duckdb, database, "DELETE FROM t;\n  SELECT nope FROM t")
    assert failed.value.position == Position(2, 10)
    assert values(run(duckdb, database, "SELECT count(*) FROM t")[0]) == [2]
    assert {"inlined_insert", "tables_created"} <= {
        kind for changes in values(run(duckdb, database, "SELECT changes FROM snapshots()")[0]) for kind, _ in changes
    }


def test_dynamic_tables_are_not_written_but_read(duckdb: DuckDBProcess, database: Database, lake: Lake) -> None:
    lake.sql("CREATE TABLE t (a INTEGER); CREATE TABLE d (a INTEGER)")
    with pytest.raises(DynamicTableReadOnly, match=r'dynamic table "main"\."d"') as refused:
        run(duckdb, database, "INSERT INTO t VALUES (1);\nUPDATE d SET a = 1", dynamic="d")
    assert refused.value.position == Position(2, 1)
    assert refused.value.hint == "Change its sources, or its definition with ALTER DYNAMIC TABLE."
    (_, read) = run(duckdb, database, "INSERT INTO t SELECT * FROM d; SELECT count(*) FROM t", dynamic="d")
    assert values(read) == [0]


def test_nothing_is_written_beside_the_lake(duckdb: DuckDBProcess, database: Database) -> None:
    for table in ("memory.x", "memory.main.x", "__ducklake_metadata_lake.ducklake_snapshot"):
        with pytest.raises(InvalidRequest, match="can't be written"):
            run(duckdb, database, f"CREATE TABLE {table} AS SELECT 1")


def test_two_processes_that_write_one_table_lose_nothing(
    new_duckdb: Callable[[], DuckDBProcess], database: Database, lake: Lake
) -> None:
    lake.sql("CREATE TABLE t (writer INTEGER, n INTEGER); CREATE TABLE total (n INTEGER)")
    first, second = new_duckdb(), new_duckdb()
    run(first, database, "INSERT INTO total VALUES (0)")
    failures: list[HeadwaterError] = []

    def write(writer: int, duckdb: DuckDBProcess) -> None:
        try:
            for n in range(20):
                run(duckdb, database, f"INSERT INTO T VALUES ({writer}, {n}); UPDATE total SET n = n + 1")
        except HeadwaterError as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=pair) for pair in enumerate((first, second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert values(run(first, database, "SELECT count(DISTINCT (writer, n)) FROM t")[0]) == [40]
    assert values(run(second, database, "SELECT n FROM total")[0]) == [40]


def test_a_conflict_with_somebody_elses_writer_is_tried_again(
    duckdb: DuckDBProcess,
    database: Database,
    lake: Lake,
    new_duckdb: Callable[[], DuckDBProcess],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lake.sql("CREATE TABLE t (a INTEGER)")
    run(duckdb, database, "INSERT INTO t VALUES (1)")
    stranger = new_duckdb()
    stranger.run(["SELECT 1"], transaction=False)
    real, runs = duckdb.run, []

    def race(statements: list[str], *, transaction: bool, **options: Any) -> list[Answer]:
        runs.append(statements)
        if len(runs) > 1:
            return real(statements, transaction=transaction, **options)
        # The transaction goes on long enough for the stranger, who knows no locks, to commit first.
        timer = threading.Timer(0.15, stranger.run, [["UPDATE t SET a = a * 10"]], {"transaction": True})
        timer.start()
        try:
            slow = "SELECT count(*) FROM range(30000000) x(i) WHERE hash(i) % 7 = 3"
            return real([*statements, slow, slow], transaction=transaction, **options)
        finally:
            timer.join()

    monkeypatch.setattr(duckdb, "run", race)
    run(duckdb, database, "UPDATE t SET a = a + 1")
    assert len(runs) == 2
    assert values(run(duckdb, database, "FROM t")[0]) == [11]
