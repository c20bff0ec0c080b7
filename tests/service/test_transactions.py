"""Transactions of several statements: one snapshot, all or nothing."""
# The end of a block of `lake.transaction` raises.
# ruff: noqa: PT012

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

import headwater
from headwater.core.errors import (
    CommitConflict,
    DynamicTableReadOnly,
    HeadwaterError,
    InvalidRequest,
    NotInitialized,
    Position,
    QueryFailed,
    SqlSyntaxError,
    SqlUnsupported,
    TransactionEnded,
)
from headwater.query import process
from headwater.service.lake import Lake
from headwater.store import table_locks
from tests.duck import Duck
from tests.fakes.clock import IdleClock
from tests.fix_db import Catalog
from tests.postgres import Postgres


class Shared:
    """A lake that the tests of a database share, each with a table of its own: name, columns a and b, two rows."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.clock = IdleClock()
        self.lake = headwater.connect(catalog.url, catalog.data_path)
        self.lake.clock = self.clock
        # Another client, as in another process: the locks are not of a process, but of a connection or a file handle.
        self.other = headwater.connect(catalog.url)
        self.tables = 0

    def table(self) -> str:
        self.tables += 1
        name = f"t{self.tables}"
        self.lake.sql(f"CREATE TABLE {name} (a INTEGER, b VARCHAR); INSERT INTO {name} VALUES (1, 'x'), (2, NULL)")
        return name

    @property
    def snapshots(self) -> int:
        return len(self.lake.snapshots())


BEFORE = [(1, "x"), (2, None)]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def catalog_kind(request: pytest.FixtureRequest) -> str:
    """Each kind of catalog database in turn."""
    return str(request.param)


@pytest.fixture(scope="module")
def shared(
    catalog_kind: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shared]:
    folder = tmp_path_factory.mktemp("transactions")
    if catalog_kind == "sqlite":
        catalog = Catalog("sqlite", str(folder), f"{folder}/data/", f"sqlite:{folder}/catalog.sqlite")
    else:
        server: Postgres = request.getfixturevalue("postgres")
        name = server.new_database()
        catalog = Catalog("postgres", server.url(name), f"{folder}/data/", server.duck_uri(name))
    made = Shared(catalog)
    yield made
    made.lake.close()
    made.other.close()
    if catalog_kind == "postgres":
        server.drop_database(name)


@pytest.fixture
def lake(shared: Shared) -> Lake:
    return shared.lake


@pytest.fixture
def table(shared: Shared) -> str:
    return shared.table()


@pytest.fixture
def outside(shared: Shared, duck: Duck) -> Duck:
    """DuckDB in another process."""
    duck.attach(shared.catalog.duck_uri, shared.catalog.data_path)
    return duck


def rows(lake: Lake | Duck, table: str) -> list[tuple[Any, ...]]:
    query = f"SELECT * FROM {table} ORDER BY ALL"
    return lake.execute(query) if isinstance(lake, Duck) else list(lake.sql(query).rows)


def pid_of(lake: Lake) -> int:
    """The process of this thread's transaction."""
    current = lake._transactions.current
    assert current is not None
    running = current._transaction._duckdb._process
    assert running is not None
    return running.pid


def assert_nothing_is_locked(shared: Shared, table: str) -> None:
    """Another client of Headwater writes the table at once, and reads what was there before."""
    assert rows(shared.other, table) == BEFORE
    shared.other.sql(f"INSERT INTO {table} VALUES (3, 'free')")
    assert rows(shared.other, table) == [*BEFORE, (3, "free")]


def test_a_script_between_begin_and_commit_is_one_snapshot(
    shared: Shared, lake: Lake, table: str, outside: Duck
) -> None:
    before = shared.snapshots
    result = lake.sql(
        f"BEGIN TRANSACTION; INSERT INTO {table} VALUES (3, 'it''s; new'); UPDATE {table} SET b = 'y' WHERE a = 1;"
        f"DELETE FROM {table} WHERE a = 2; CREATE TABLE {table}_sum AS SELECT sum(a) AS a FROM {table};"
        f"SELECT a FROM {table}_sum; COMMIT WORK"
    )
    assert [int(row[0]) for row in result.rows] == [4]
    assert shared.snapshots == before + 1
    assert rows(outside, table) == rows(lake, table) == [(1, "y"), (3, "it's; new")]
    assert [int(row[0]) for row in rows(outside, f"{table}_sum")] == [4]


def test_ddl_of_plain_tables_schemas_and_views_is_part_of_it(
    shared: Shared, lake: Lake, table: str, outside: Duck
) -> None:
    before = shared.snapshots
    lake.sql(
        f"BEGIN; CREATE SCHEMA s_{table}; CREATE TABLE s_{table}.p (k BIGINT NOT NULL, v STRING DEFAULT 'd')"
        " PARTITIONED BY (k) SORTED BY (v DESC NULLS LAST);"
        f"INSERT INTO s_{table}.p (k) SELECT a FROM {table}; ALTER TABLE s_{table}.p ADD COLUMN w INTEGER;"
        f"ALTER TABLE s_{table}.p RENAME COLUMN v TO u; UPDATE s_{table}.p SET w = 7 WHERE k = 2;"
        f"ALTER TABLE s_{table}.p RENAME TO q; COMMENT ON TABLE s_{table}.q IS 'it''s'; DROP TABLE {table};"
        f"CREATE VIEW s_{table}.v AS SELECT k, w FROM s_{table}.q; END"
    )
    assert shared.snapshots == before + 1
    for reader in (lake, outside):
        assert rows(reader, f"s_{table}.q") == [(1, "d", None), (2, "d", 7)]
        assert rows(reader, f"s_{table}.v") == [(1, None), (2, 7)]
    assert table not in {name.name for name in lake.tables()}
    # What DuckDB has made, Headwater's own DDL and commits go on with.
    lake.sql(f"ALTER TABLE s_{table}.q DROP COLUMN w; INSERT INTO s_{table}.q VALUES (5, 'e')")
    assert rows(outside, f"s_{table}.q") == [(1, "d"), (2, "d"), (5, "e")]


def test_rollback_leaves_nothing(shared: Shared, lake: Lake, table: str) -> None:
    before = shared.snapshots
    result = lake.sql(f"START TRANSACTION; DELETE FROM {table}; CREATE TABLE {table}_no (a INTEGER); ROLLBACK")
    assert result.rows == (("rolled back",),)
    assert rows(lake, table) == BEFORE
    assert shared.snapshots == before


@pytest.mark.parametrize(
    ("script", "error", "line", "column"),
    [
        ("BEGIN;\nDELETE FROM {t};\n  SELECT nope FROM {t};\nCOMMIT", QueryFailed, 3, 10),
        ("BEGIN; DELETE FROM {t};\nCREATE TABLE {t} (a INTEGER);\nCOMMIT", QueryFailed, 2, 1),
        ("BEGIN; DELETE FROM {t};\n ALTER TABLE nowhere ADD COLUMN a INTEGER;\nCOMMIT", QueryFailed, 2, 2),
        ("BEGIN; DELETE FROM {t};\nINSERT INTO memory.x VALUES (1); COMMIT", InvalidRequest, 2, 1),
        ("BEGIN; DELETE FROM {t};\n DELETE FROM; COMMIT", SqlSyntaxError, 2, 13),
        ("BEGIN; DELETE FROM {t};\n REFRESH DYNAMIC TABLE d; COMMIT", SqlUnsupported, 2, 2),
        ("BEGIN; DELETE FROM {t};\n CREATE DYNAMIC TABLE d AS SELECT 1 AS a; COMMIT", SqlUnsupported, 2, 2),
        ("BEGIN; DELETE FROM {t};\n CALL ducklake_merge_adjacent_files('lake'); COMMIT", SqlUnsupported, 2, 7),
        ("DELETE FROM {t};\n BEGIN; DELETE FROM {t}", SqlSyntaxError, 2, 2),
        ("DELETE FROM {t};\nBEGIN; SELECT 1; BEGIN; COMMIT", SqlSyntaxError, 2, 18),
        ("DELETE FROM {t};\nCOMMIT", SqlSyntaxError, 2, 1),
        ("BEGIN; ROLLBACK; ABORT; DELETE FROM {t}", SqlSyntaxError, 1, 18),
        ("BEGIN ISOLATION LEVEL SERIALIZABLE; DELETE FROM {t}; COMMIT", SqlSyntaxError, 1, 7),
    ],
)
def test_an_error_in_a_script_rolls_the_whole_back_and_says_where(
    shared: Shared, lake: Lake, table: str, script: str, error: type[HeadwaterError], line: int, column: int
) -> None:
    before = shared.snapshots
    with pytest.raises(error) as raised:
        lake.sql(script.format(t=table))
    assert raised.value.position == Position(line, column)
    # DuckDB says itself what is wrong with a statement.
    assert raised.value.hint or isinstance(raised.value, QueryFailed)
    assert (rows(lake, table), shared.snapshots) == (BEFORE, before)


def test_engine_spark_is_refused_by_name(lake: Lake, table: str) -> None:
    with pytest.raises(SqlUnsupported, match='engine="spark"'):
        lake.sql(f"BEGIN; SELECT * FROM {table}; COMMIT", engine="spark")
    with pytest.raises(SqlUnsupported, match='engine="spark"'), lake.transaction():
        lake.sql(f"SELECT * FROM {table}", engine="spark")


def test_a_block_of_python_reads_its_own_changes_and_others_do_not(
    shared: Shared, lake: Lake, table: str, outside: Duck
) -> None:
    before = shared.snapshots
    with lake.transaction():
        lake.sql(f"INSERT INTO {table} VALUES (?, ?)", params=[3, "z"])
        lake.sql(f"CREATE TABLE {table}_n (n BIGINT); INSERT INTO {table}_n SELECT count(*) FROM {table}")
        assert rows(lake, table) == [*BEFORE, (3, "z")]
        assert rows(lake, f"{table}_n") == [(3,)]
        elsewhere: list[Any] = []
        thread = threading.Thread(target=lambda: elsewhere.extend(rows(lake, table)))
        thread.start()
        thread.join()
        assert elsewhere == rows(outside, table) == BEFORE
    assert shared.snapshots == before + 1
    assert rows(outside, table) == rows(lake, table) == [*BEFORE, (3, "z")]
    assert rows(outside, f"{table}_n") == [(3,)]


def test_older_versions_are_read_before_the_first_change_only(lake: Lake, table: str) -> None:
    version = lake.snapshots()[-1].id
    lake.sql(f"DELETE FROM {table}")
    with lake.transaction():
        lake.sql(f"INSERT INTO {table} SELECT a + 10, b FROM {table} AT (VERSION => {version})")
        assert rows(lake, table) == [(11, "x"), (12, None)]
    with pytest.raises(SqlUnsupported, match="after a change") as refused, lake.transaction():
        lake.sql(f"DELETE FROM {table} WHERE a = 11")
        lake.sql(f"FROM {table}\nAT (VERSION => {version})")
    assert refused.value.position == Position(2, 1)
    assert rows(lake, table) == [(11, "x"), (12, None)]


def test_an_exception_rolls_a_block_back_and_passes(shared: Shared, lake: Lake, table: str) -> None:
    with pytest.raises(ZeroDivisionError), lake.transaction():
        lake.sql(f"DELETE FROM {table}")
        raise ZeroDivisionError
    assert_nothing_is_locked(shared, table)


def test_an_error_that_is_caught_does_not_let_the_rest_be_committed(shared: Shared, lake: Lake, table: str) -> None:
    with pytest.raises(TransactionEnded, match="has ended") as ended, lake.transaction():
        lake.sql(f"DELETE FROM {table}")
        with pytest.raises(QueryFailed) as failed:
            lake.sql("SELECT nope")
        assert "rolled back" in str(failed.value.detail)
        with pytest.raises(TransactionEnded) as refused:
            lake.sql("\nSELECT 1")
        assert refused.value.position == Position(2, 1)
    assert ended.value.code == "HW-QUERY-003"
    assert_nothing_is_locked(shared, table)


def test_what_is_no_sql_of_a_transaction_is_refused_in_a_block(lake: Lake, table: str) -> None:
    for call in (
        lake.refresh,
        lake.tick,
        lake.maintain,
        lambda: lake.table(table),
        lambda: lake.changes(table, 1),
        lambda: lake.delete(table, "true"),
        lambda: lake.verify(table),
        lambda: lake.transaction().__enter__(),
    ):
        with lake.transaction(), pytest.raises(InvalidRequest, match="can't run in a transaction"):
            call()
    for text in ("COMMIT", "ROLLBACK", "BEGIN"):
        with pytest.raises(InvalidRequest, match=f"{text} can't run in a block"), lake.transaction():
            lake.sql(text)
    assert rows(lake, table) == BEFORE


def test_an_idle_transaction_is_rolled_back_and_frees_its_locks(shared: Shared, lake: Lake, table: str) -> None:
    with pytest.raises(TransactionEnded) as ended, lake.transaction():
        lake.sql(f"DELETE FROM {table}")
        shared.clock.sleep(59)
        assert rows(lake, table) == []
        shared.clock.sleep(59)
        assert rows(lake, table) == []
        shared.clock.sleep(61)
        assert_nothing_is_locked(shared, table)
    assert "60 seconds" in str(ended.value.detail)


def test_a_killed_process_ends_the_transaction_and_leaves_nothing(shared: Shared, lake: Lake, table: str) -> None:
    for when in ("statement", "commit"):
        with pytest.raises(TransactionEnded, match="has ended") as ended, lake.transaction():
            lake.sql(f"DELETE FROM {table}")
            os.kill(pid_of(lake), signal.SIGKILL)
            if when == "statement":
                lake.sql(f"INSERT INTO {table} VALUES (9, 'lost')")
        assert "ended with code -9" in str(ended.value.detail)
    assert_nothing_is_locked(shared, table)


_PARENT = """
import sys, headwater
with headwater.connect(sys.argv[1]) as lake, lake.transaction():
    lake.sql(f"DELETE FROM {sys.argv[2]}")
    print(lake._transactions.current._transaction._duckdb._process.pid, flush=True)
    sys.stdin.read()
"""


def test_a_killed_parent_leaves_nothing_and_its_child_ends(shared: Shared, table: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, shared.catalog.url, table],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    assert parent.stdin is not None
    child = int(parent.stdout.readline())
    watched = os.pidfd_open(child)
    parent.kill()
    parent.wait()
    parent.stdin.close()
    parent.stdout.close()
    assert select.select([watched], [], [], 30)[0], "the child outlived its parent"
    os.close(watched)
    assert_nothing_is_locked(shared, table)


def test_a_conflict_at_the_commit_is_a_conflict_and_leaves_nothing(
    shared: Shared, lake: Lake, table: str, outside: Duck
) -> None:
    if shared.catalog.kind == "sqlite":
        pytest.skip("on SQLite, nobody commits beside an open transaction")
    with pytest.raises(CommitConflict) as conflict, lake.transaction():
        lake.sql(f"UPDATE {table} SET b = 'mine' WHERE a = 1")
        lake.sql(f"CREATE TABLE {table}_mine AS SELECT 1 AS a")
        # It knows no locks.
        outside.execute(f"UPDATE {table} SET b = 'theirs' WHERE a = 1")
    assert "Nothing was changed." in str(conflict.value.detail)
    assert conflict.value.hint == "Run the whole transaction again."
    assert rows(lake, table) == rows(outside, table) == [(1, "theirs"), (2, None)]
    assert f"{table}_mine" not in {name.name for name in lake.tables()}


def test_no_update_is_lost_between_a_read_and_a_write(shared: Shared, lake: Lake, table: str) -> None:
    if shared.catalog.kind == "sqlite":
        pytest.skip("on SQLite, nobody commits beside an open transaction")
    with pytest.raises(CommitConflict), lake.transaction():
        ((before,),) = lake.sql(f"SELECT b FROM {table} WHERE a = 1").rows
        shared.other.sql(f"UPDATE {table} SET b = b || 'y' WHERE a = 1")
        lake.sql(f"UPDATE {table} SET b = $b WHERE a = 1", params={"b": before + "z"})
    assert rows(lake, table) == [(1, "xy"), (2, None)]


_READER = """
import sqlite3, sys
catalog = sqlite3.connect(sys.argv[1], isolation_level=None)
catalog.execute("BEGIN")
catalog.execute("SELECT * FROM ducklake_snapshot").fetchall()
print("reading", flush=True)
sys.stdin.read()
"""


def test_a_commit_that_readers_block_fails_and_does_not_lock_the_lake(
    shared: Shared, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shared.catalog.kind != "sqlite":
        pytest.skip("readers block commits on SQLite only")
    monkeypatch.setattr(process, "BUSY_TIMEOUT_MS", 200)
    reader = subprocess.Popen(
        [sys.executable, "-c", _READER, f"{shared.catalog.url}/catalog.sqlite"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert reader.stdout is not None
    assert reader.stdout.readline() == "reading\n"
    with headwater.connect(shared.catalog.url) as impatient:
        with pytest.raises(CommitConflict, match="conflicts"):
            impatient.sql(f"BEGIN; DELETE FROM {table}; COMMIT")
        with pytest.raises(QueryFailed, match="commit"):
            impatient._start_duckdb().run([f"DELETE FROM {table}"], transaction=True)
        reader.communicate()
        assert_nothing_is_locked(shared, table)


def test_a_lost_connection_ends_the_transaction(shared: Shared, lake: Lake, table: str) -> None:
    if shared.catalog.kind != "postgres":
        pytest.skip("SQLite has no connections to lose")
    with pytest.raises(TransactionEnded) as ended, lake.transaction():
        lake.sql(f"DELETE FROM {table}")
        with psycopg.connect(shared.catalog.url, autocommit=True) as server:
            # All but this one: that of DuckDB, and that of the locks.
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
    assert "connection" in str(ended.value.detail)
    assert_nothing_is_locked(shared, table)


def test_writers_of_one_table_wait_for_the_transaction(shared: Shared, lake: Lake, table: str) -> None:
    thread = threading.Thread(target=lambda: shared.other.sql(f"UPDATE {table} SET b = b || 'o'"))
    with lake.transaction():
        lake.sql(f"UPDATE {table} SET b = coalesce(b, '') || 'm'")
        thread.start()
        lake.sql(f"INSERT INTO {table} VALUES (3, 'm')")
    thread.join()
    assert rows(lake, table) == [(1, "xmo"), (2, "mo"), (3, "mo")]


def test_a_lock_out_of_order_is_given_up_instead_of_a_deadlock(
    shared: Shared, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shared.catalog.kind != "postgres":
        pytest.skip("SQLite has one lock")
    monkeypatch.setattr(table_locks, "PATIENCE", 0.05)
    first, second = sorted((shared.table(), shared.table()), key=lambda name: zlib.crc32(f'"main"."{name}"'.encode()))
    held = lake.database.locked([f'"main"."{first}"'])
    with held, pytest.raises(CommitConflict, match="another transaction"), lake.transaction():
        lake.sql(f"DELETE FROM {second}")
        lake.sql(f"DELETE FROM {first}")
    assert_nothing_is_locked(shared, first)
    assert_nothing_is_locked(shared, second)


def test_a_lake_that_is_closed_rolls_back(shared: Shared, table: str) -> None:
    lake = headwater.connect(shared.catalog.url)
    with pytest.raises(TransactionEnded, match="has ended") as ended, lake.transaction():
        lake.sql(f"DELETE FROM {table}")
        lake.close()
    assert "closed" in str(ended.value.detail)
    assert_nothing_is_locked(shared, table)


def test_dynamic_tables_are_read_but_not_changed_and_follow_exactly(
    shared: Shared, lake: Lake, table: str, outside: Duck, spark: object
) -> None:
    query = f"SELECT b, count(*) AS n, sum(a) AS s FROM {table} GROUP BY b"
    lake.sql(f"CREATE DYNAMIC TABLE d_{table} REFRESH_MODE = INCREMENTAL AS {query}")
    lake.sql(f"CREATE SCHEMA s_{table}; CREATE DYNAMIC TABLE s_{table}.d INITIALIZE = ON_SCHEDULE AS {query}")
    for statement, error in (
        (f"INSERT INTO d_{table} VALUES ('a', 1, 1)", DynamicTableReadOnly),
        (f"DROP TABLE d_{table}", DynamicTableReadOnly),
        (f"ALTER TABLE {table} RENAME TO d_{table}", DynamicTableReadOnly),
        (f"COMMENT ON TABLE d_{table} IS 'no'", DynamicTableReadOnly),
        (f"DROP SCHEMA s_{table} CASCADE", DynamicTableReadOnly),
        (f"SELECT * FROM s_{table}.d", NotInitialized),
    ):
        with pytest.raises(error) as refused:
            lake.sql(f"BEGIN; DELETE FROM {table};\n {statement}; COMMIT")
        assert refused.value.position == Position(2, 2)
    assert rows(lake, table) == BEFORE
    lake.sql(
        f"BEGIN; INSERT INTO {table} SELECT s, b FROM d_{table}; DELETE FROM {table} WHERE a = 1 AND b = 'x';"
        f"UPDATE {table} SET b = 'n' WHERE b IS NULL; INSERT INTO {table} VALUES (4, 'n'), (4, 'n'), (5, NULL); COMMIT"
    )
    with pytest.raises(ZeroDivisionError), lake.transaction():
        lake.sql(f"DELETE FROM {table}")
        raise ZeroDivisionError
    (record,) = lake.refresh(f"d_{table}")
    assert record.action == "INCREMENTAL"
    both = f"(FROM d_{table} EXCEPT ALL ({query})) UNION ALL (({query}) EXCEPT ALL FROM d_{table})"
    assert outside.execute(both) == []
    assert len(rows(outside, f"d_{table}")) == 2
    assert lake.verify(f"d_{table}").equal
