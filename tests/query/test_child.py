"""DuckDB in its own process: values, counts, failures, deaths, secrets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import HeadwaterError, Position, QueryFailed, QueryWorkerDied
from headwater.query.process import Answer, DuckDBProcess, StatementFailed
from headwater.service.lake import Lake
from tests.fix_db import Catalog
from tests.postgres import Postgres

FOREVER = "SELECT count(*) FROM range(1000000000000) t(i) WHERE i % 7 = 3"


def rows(duckdb: DuckDBProcess, sql: str) -> list[tuple[object, ...]]:
    (answer,) = duckdb.run([sql], transaction=False)
    assert answer.rows is not None
    return [tuple(row.values()) for row in answer.rows.to_pylist()]


def in_background(work: Callable[[], object]) -> tuple[threading.Thread, list[HeadwaterError]]:
    """A thread that is surely running, and what it raised."""
    raised: list[HeadwaterError] = []

    def run() -> None:
        try:
            work()
        except HeadwaterError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.3)
    return thread, raised


def pid(duckdb: DuckDBProcess) -> int:
    duckdb.run(["SELECT 1"], transaction=False)
    assert duckdb._process is not None
    return duckdb._process.pid


def test_importing_the_handle_loads_neither_duckdb_nor_pyarrow_nor_sqlalchemy() -> None:
    code = "import sys, headwater.query.process; print({'duckdb', 'pyarrow', 'sqlalchemy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_every_kind_of_statement_answers_what_duckdb_says(duckdb: DuckDBProcess, lake: Lake, tmp_path: Path) -> None:
    lake.sql("CREATE TABLE t (d DECIMAL(10, 2), at TIMESTAMPTZ, l VARCHAR[], s STRUCT(a INTEGER, b VARCHAR), n BIGINT)")
    answers = duckdb.run(
        [
            "INSERT INTO t VALUES (1.50, '2024-01-02 03:04:05+00', ['a', NULL], {'a': 1, 'b': 'x'}, 9), (NULL, NULL,"
            " NULL, NULL, NULL)",
            "SELECT * FROM t ORDER BY n NULLS LAST",
            "UPDATE t SET n = 1",
            "CREATE TABLE u AS SELECT i FROM range(5) r(i)",
            "DELETE FROM u WHERE i > 2",
        ],
        transaction=True,
    )
    assert [answer.affected for answer in answers] == [2, None, 2, 5, 2]
    found = answers[1].rows
    assert found is not None
    assert answers[1].columns == ("d", "at", "l", "s", "n")
    assert [str(kind) for kind in found.schema.types] == [
        "decimal128(10, 2)",
        "timestamp[us, tz=UTC]",
        "list<l: string>",
        "struct<a: int32, b: string>",
        "int64",
    ]
    assert found.to_pylist() == [
        {
            "d": Decimal("1.50"),
            "at": datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC),
            "l": ["a", None],
            "s": {"a": 1, "b": "x"},
            "n": 9,
        },
        dict.fromkeys(("d", "at", "l", "s", "n")),
    ]
    # What Headwater commits in between is seen, and the reverse.
    assert "u" in {table.name for table in lake.tables()}
    lake.sql("CREATE TABLE later (a INTEGER)")
    assert rows(duckdb, "FROM later") == []
    file = tmp_path / "in.csv"
    file.write_text("a\n1\n2\n")
    (copied, inserted) = duckdb.run(
        [f"COPY later FROM '{file}' (HEADER)", f"INSERT INTO later SELECT a + 10 FROM read_csv('{file}')"],
        transaction=True,
    )
    assert (copied.affected, inserted.affected) == (2, 2)
    assert rows(duckdb, "SELECT sum(a) FROM later") == [(26,)]
    assert rows(duckdb, "PIVOT later ON a USING count(*)") == [(1, 1, 1, 1)]
    assert duckdb.run(["TRUNCATE later"], transaction=True) == [Answer((), None, 4)]


def test_a_limit_ends_a_stream_early_and_an_empty_result_keeps_its_columns(duckdb: DuckDBProcess) -> None:
    (many, few) = duckdb.run(
        ["SELECT i AS a, i AS a FROM range(100000000000) t(i)", "SELECT 1 AS a WHERE false"],
        transaction=True,
        limit=70_000,
    )
    assert many.rows is not None
    assert (many.columns, many.rows.num_rows) == (("a", "a"), 70_000)
    assert few.rows is not None
    assert (few.rows.num_rows, few.rows.schema) == (0, pa.schema([("a", pa.int32())]))


def test_a_failure_has_a_position_and_takes_the_whole_request_back(duckdb: DuckDBProcess, lake: Lake) -> None:
    lake.sql("CREATE TABLE t (a INTEGER)")
    with pytest.raises(QueryFailed, match="nope") as failed:
        duckdb.run(["INSERT INTO t VALUES (1)", "SELECT '日本',\n  nope\nFROM t"], transaction=True)
    assert failed.value.position == Position(2, 3)
    assert failed.value.detail == 'Candidate bindings: "a"'
    with pytest.raises(QueryFailed, match="x"):
        duckdb.run(["INSERT INTO t VALUES (1)", "SELECT CAST(a || 'x' AS INTEGER) FROM t"], transaction=True)
    assert rows(duckdb, "SELECT count(*) FROM t") == [(0,)]
    with pytest.raises(StatementFailed, match="no snapshot found") as missing:
        duckdb.run(["SELECT * FROM t AT (VERSION => 200)"], transaction=False)
    assert missing.value.missing_snapshot == "snapshot 200 does not exist"


def test_duckdbs_parser_has_the_last_word_on_what_only_reads(duckdb: DuckDBProcess, lake: Lake) -> None:
    lake.sql("CREATE TABLE t (a INTEGER)")
    for sql in ("INSERT INTO t VALUES (1)", "SELECT 1; SELECT 2", "COMMIT", "SET threads = 1"):
        with pytest.raises(QueryFailed, match="DuckDB parses"):
            duckdb.run([sql], transaction=False)


def test_a_killed_process_fails_its_request_and_is_replaced(duckdb: DuckDBProcess, lake: Lake) -> None:
    lake.sql("CREATE TABLE t (a INTEGER)")
    process = pid(duckdb)
    thread, raised = in_background(lambda: duckdb.run(["INSERT INTO t VALUES (1)", FOREVER], transaction=True))
    os.kill(process, signal.SIGKILL)
    thread.join()
    (error,) = raised
    assert isinstance(error, QueryWorkerDied)
    assert error.detail == "Nothing was changed."
    assert rows(duckdb, "SELECT count(*) FROM t") == [(0,)]
    os.kill(pid(duckdb), signal.SIGKILL)
    time.sleep(0.05)
    assert rows(duckdb, "SELECT count(*) FROM t") == [(0,)]


@pytest.mark.postgres
@pytest.mark.parametrize("catalog_kind", ["postgres"])
def test_a_process_whose_database_is_invalidated_is_replaced(duckdb: DuckDBProcess, lake: Lake) -> None:
    # The extension can't read inlined rows of a column whose name PostgreSQL has truncated.
    name = "c" * 200
    lake.sql(f'CREATE TABLE t ("{name}" INTEGER)')
    inlined = (
        f'CREATE TABLE inlined (row_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, "{name}" INTEGER)',
        "INSERT INTO inlined VALUES (0, 1, NULL, 5)",
        "INSERT INTO ducklake_inlined_data_tables SELECT table_id, 'inlined', 1 FROM ducklake_table",
    )
    lake.database.write(lambda connection: [connection.execute(sa.text(sql)) for sql in inlined])
    process = pid(duckdb)
    with pytest.raises(StatementFailed) as failed:
        duckdb.run(["SELECT * FROM t"], transaction=False)
    assert failed.value.message == "DuckDB failed with an internal error"
    assert failed.value.detail == "It says: Attempted to access index 0 within vector of size 0."
    assert rows(duckdb, "SELECT 7") == [(7,)]
    assert pid(duckdb) != process
    duckdb.begin()
    with pytest.raises(StatementFailed):
        duckdb.run_inside(["SELECT * FROM t"])
    assert rows(duckdb, "SELECT 8") == [(8,)]


def test_a_request_can_be_cancelled_and_the_process_goes_on(duckdb: DuckDBProcess, lake: Lake) -> None:
    lake.sql("CREATE TABLE t (a INTEGER)")
    duckdb.interrupt()  # nothing runs
    process = pid(duckdb)
    thread, raised = in_background(lambda: duckdb.run(["INSERT INTO t VALUES (1)", FOREVER], transaction=True))
    duckdb.interrupt()
    thread.join()
    (error,) = raised
    assert isinstance(error, QueryFailed)
    assert "cancelled" in error.message
    assert rows(duckdb, "SELECT count(*) FROM t") == [(0,)]
    assert pid(duckdb) == process


def test_a_handle_that_is_closed_ends_its_process_even_in_the_middle_of_a_request(duckdb: DuckDBProcess) -> None:
    process = pid(duckdb)
    thread, raised = in_background(lambda: duckdb.run([FOREVER], transaction=False))
    duckdb.close()
    thread.join()
    assert len(raised) == 1
    assert not Path(f"/proc/{process}").exists()


def test_the_password_is_nowhere_to_be_seen(duckdb: DuckDBProcess, catalog: Catalog) -> None:
    password = sa.make_url(catalog.url).password if catalog.kind == "postgres" else None
    if password is None:
        pytest.skip("SQLite has no password")
    process = Path(f"/proc/{pid(duckdb)}")
    shown = [
        str(rows(duckdb, f"FROM {function}()"))
        for function in ("duckdb_databases", "duckdb_secrets", "duckdb_settings", "duckdb_logs")
    ]
    shown += [(process / name).read_text() for name in ("cmdline", "environ")]
    assert all(password not in text for text in shown)
    assert "redacted" in shown[1]


def test_a_role_that_may_not_choose_the_language_is_served_too(
    postgres: Postgres, new_catalog: Callable[[str], Catalog]
) -> None:
    catalog = new_catalog("postgres")
    url = sa.make_url(catalog.url)
    assert url.database is not None
    headwater.connect(catalog.url, catalog.data_path).close()
    for sql in (
        f"CREATE ROLE {url.database}_reader LOGIN PASSWORD 'it''s \\'",
        f"GRANT pg_read_all_data TO {url.database}_reader",
    ):
        postgres.execute(sql, url.database)
    with DuckDBProcess(url.set(username=f"{url.database}_reader", password="it's \\"), catalog.data_path) as duckdb:
        assert rows(duckdb, "SELECT 1") == [(1,)]
    postgres.execute(f"DROP ROLE {url.database}_reader", url.database)


def test_a_lake_that_cannot_be_opened_says_so_without_the_password(catalog: Catalog, tmp_path: Path) -> None:
    url = sa.URL.create("sqlite", database=str(tmp_path / "none" / "c.sqlite"))
    if catalog.kind == "postgres":
        url = sa.make_url(catalog.url).set(password="not'the one")
    with (
        DuckDBProcess(url, catalog.data_path) as duckdb,
        pytest.raises(QueryFailed, match="can't open the lake") as failed,
    ):
        duckdb.run(["SELECT 1"], transaction=False)
    assert failed.value.detail
    assert "the one" not in failed.value.detail
