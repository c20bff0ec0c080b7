"""A catalog copied from SQLite to PostgreSQL: the same lake for every client, and the old catalog at rest."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.clock import SystemClock
from headwater.core.errors import CopyFailed, HeadwaterError, InvalidRequest, RefreshRunning, StoreDenied
from headwater.lake import inlined
from headwater.lake.copy_catalog import lake_tables
from headwater.registry import install, leases, workers
from headwater.registry.workers import Worker
from headwater.service import copy_catalog as service
from headwater.service.copy_catalog import copy_catalog
from headwater.service.lake import Lake
from headwater.store.database import Database, tables_like
from tests.duck import Duck, DuckError
from tests.fix_db import Catalog
from tests.lake.every_type import SCALARS

pytestmark = pytest.mark.postgres
NewCatalog = Callable[[str], Catalog]
# Types that DuckDB inlines and that Headwater can't read, or whose values have no counterpart in Python.
ODD = (
    ("h", "HUGEINT", "170141183460469231731687303715884105727", "-1"),
    ("noon", "TIME", "24:00:00", "12:00:00.5"),
    ("zoned", "TIMETZ", "12:00:00.123+02", "00:00:00+00"),
    ("span", "INTERVAL", "1 year 2 months -3 days 04:05:06.789", "-00:00:01"),
    ("ever", "TIMESTAMP", "infinity", "-infinity"),
    ("nanos", "TIMESTAMP_NS", "2020-01-01 01:02:03.000004005", "1970-01-01 00:00:00"),
)
SCRIPT = (
    "CREATE TABLE typed (" + ", ".join(f'"{name}" {kind}' for name, _, kind, _, _ in SCALARS) + ")",
    *(
        "INSERT INTO typed VALUES ("
        + ", ".join(f"'{row[place]}'::{row[2]}".replace("'\"", "''\"") for row in SCALARS)
        + ")"
        for place in (3, 4)
    ),
    "CREATE TABLE odd ("
    + ", ".join(f'"{name}" {kind}' for name, kind, _, _ in ODD)
    + ", st STRUCT(a INT, b VARCHAR[]))",
    *(
        "INSERT INTO odd VALUES ("
        + ", ".join(f"'{row[place]}'::{row[1]}" for row in ODD)
        + ", {'a': 1, 'b': ['x''y', NULL]})"
        for place in (2, 3)
    ),
    "INSERT INTO odd (h) VALUES (NULL)",
    "CREATE SCHEMA other",
    "CREATE TABLE other.many AS SELECT i, i % 7 AS k FROM range(5000) r(i)",
    "DELETE FROM other.many WHERE i < 3",
    "ALTER TABLE other.many ADD COLUMN note VARCHAR DEFAULT 'no'",
    "INSERT INTO other.many VALUES (9999, 1, 'yes')",
    "CREATE VIEW seen AS SELECT k, count(*) AS n FROM other.many GROUP BY k",
    "COMMENT ON TABLE odd IS 'odd ones'",
)
QUERIES = (
    "SELECT rowid, * FROM typed ORDER BY rowid",
    "SELECT rowid, * FROM odd ORDER BY rowid",
    "SELECT rowid, * FROM other.many ORDER BY rowid",
    "SELECT * FROM seen ORDER BY k",
    "SELECT * FROM other.many AT (VERSION => 9) ORDER BY i",
    "SELECT snapshot_id, snapshot_time, changes FROM lake.snapshots() ORDER BY snapshot_id",
)


def _answers(duck: Duck, catalog: Catalog) -> list[list[tuple[Any, ...]]]:
    duck.attach(catalog.duck_uri, catalog.data_path)
    try:
        return [[tuple(map(repr, row)) for row in duck.execute(query)] for query in QUERIES]
    finally:
        duck.detach()


def _types(catalog: Catalog) -> dict[str, list[tuple[str, str, bool]]]:
    """The columns of all tables of a PostgreSQL catalog, with their types."""
    with headwater.connect(catalog.url, catalog.data_path) as lake, lake.database.read() as connection:
        inspector = sa.inspect(connection)
        return {
            table: [
                (column["name"], str(column["type"]), column["nullable"]) for column in inspector.get_columns(table)
            ]
            for table in sorted(tables_like(connection, "ducklake_"))
        }


def _copied(source: Catalog, target: Catalog) -> None:
    with headwater.connect(source.url) as lake:
        copy_catalog(lake.site, sa.make_url(target.url))


def test_the_copy_is_what_the_extension_makes_and_duckdb_reads_and_writes_it(
    duck: Duck, new_catalog: NewCatalog
) -> None:
    source, native, target = new_catalog("sqlite"), new_catalog("postgres"), new_catalog("postgres")
    for catalog in (source, native):
        duck.attach(catalog.duck_uri, catalog.data_path)
        for statement in SCRIPT:
            duck.execute(statement)
        duck.detach()
    before = _answers(duck, source)
    _copied(source, target)
    moved = Catalog("postgres", target.url, source.data_path, target.duck_uri)
    assert _answers(duck, moved) == before
    assert _types(moved) == _types(native)
    duck.attach(moved.duck_uri, moved.data_path)
    duck.execute("INSERT INTO odd (h) VALUES (5)")
    duck.execute("DELETE FROM other.many WHERE i < 4500")
    duck.execute("UPDATE typed SET i32 = 1")
    duck.execute("INSERT INTO other.many SELECT i, i, 'new' FROM range(3000) r(i)")
    assert duck.execute("SELECT count(*), sum(i) FROM other.many") == [(3501, 2374750 + 9999 + 4498500)]
    assert duck.execute("SELECT h FROM odd ORDER BY rowid")[-1] == (5,)
    assert {row[0] for row in duck.execute("SELECT i32 FROM typed")} == {1}


def test_nothing_changes_the_old_catalog_afterwards(new_duck: Callable[[], Duck], new_catalog: NewCatalog) -> None:
    source, target = new_catalog("sqlite"), new_catalog("postgres")
    with headwater.connect(source.url) as lake, new_duck() as attached:
        lake.sql("CREATE TABLE t (i INT)")
        attached.attach(source.duck_uri, source.data_path)
        attached.execute("INSERT INTO t VALUES (1)")
        copy_catalog(lake.site, sa.make_url(target.url))
        for change in (
            "INSERT INTO t VALUES (2)",
            "CREATE TABLE u (i INT)",
            "CALL lake.set_option('parquet_compression', 'zstd')",
        ):
            with pytest.raises(DuckError, match="was copied to postgresql"):
                attached.execute(change)
        with pytest.raises(StoreDenied) as caught:
            lake.sql("CREATE TABLE u (i INT)")
        assert "The lake is on postgresql" in (caught.value.detail or "")
        with pytest.raises(StoreDenied, match="was copied to"):
            lake.sql("INSERT INTO t VALUES (2)")
        assert lake.sql("SELECT * FROM t").rows == ((1,),)
    with pytest.raises(StoreDenied) as caught:
        headwater.connect(source.url)
    assert target.url.rpartition("@")[2] in str(caught.value)
    with headwater.connect(target.url) as lake:
        assert lake.data_path == source.data_path
        assert lake.sql("SELECT * FROM t").rows == ((1,),)


def _filled(catalog: Catalog) -> Lake:
    lake = headwater.connect(catalog.url)
    install.install(lake.database)
    lake.sql("CREATE TABLE t (i INT); INSERT INTO t VALUES (1)")
    return lake


def _unchanged(lake: Lake, target: Catalog) -> None:
    """The old catalog is writable, and the new database is empty."""
    lake.sql("INSERT INTO t VALUES (2)")
    database = Database(sa.make_url(target.url))
    with database.read() as connection:
        assert lake_tables(connection) == frozenset()
    database.close()


def test_a_dry_run_counts_and_changes_nothing(new_catalog: NewCatalog) -> None:
    source, target = new_catalog("sqlite"), new_catalog("postgres")
    with _filled(source) as lake:
        found = copy_catalog(lake.site, sa.make_url(target.url), dry_run=True)
        rows = {each.name: each.rows for each in found.tables}
        assert rows["ducklake_table"] == 1
        assert rows["ducklake_snapshot"] == 3
        _unchanged(lake, target)
        copied = copy_catalog(lake.site, sa.make_url(target.url))
        assert {each.name for each in copied.tables} == rows.keys()


def test_the_copy_is_refused_while_a_worker_lives_or_a_refresh_runs(new_catalog: NewCatalog) -> None:
    source, target = new_catalog("sqlite"), new_catalog("postgres")
    worker = Worker(str(uuid.uuid4()), "elsewhere", 1, "0", SystemClock().now())
    with _filled(source) as lake:
        lake.database.execute(workers.register_stmt(worker, "sqlite"))
        with pytest.raises(CopyFailed, match="worker elsewhere:1"):
            copy_catalog(lake.site, sa.make_url(target.url))
        lake.database.execute(workers.unregister_stmt(worker.id))
        leases.provide(lake.database, leases.MAINTENANCE)
        lease = leases.take(lake.database, leases.MAINTENANCE)
        assert lease is not None
        with pytest.raises(RefreshRunning):
            copy_catalog(lake.site, sa.make_url(target.url))
        leases.give_back(lake.database, lease)
        _unchanged(lake, target)


def test_a_database_with_a_lake_is_refused_and_stays_as_it_is(new_catalog: NewCatalog) -> None:
    source, target = new_catalog("sqlite"), new_catalog("postgres")
    with headwater.connect(target.url, target.data_path) as other:
        other.sql("CREATE TABLE mine (i INT); INSERT INTO mine VALUES (7)")
    with _filled(source) as lake:
        with pytest.raises(CopyFailed, match="is not empty"):
            copy_catalog(lake.site, sa.make_url(target.url))
        lake.sql("INSERT INTO t VALUES (2)")
    with headwater.connect(target.url) as other:
        assert other.sql("SELECT * FROM mine").rows == ((7,),)


def test_a_copy_that_differs_is_rolled_back(new_catalog: NewCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = new_catalog("sqlite"), new_catalog("postgres")
    with _filled(source) as lake:
        with monkeypatch.context() as patch:
            patch.setattr(inlined, "native", lambda _column, raw: raw)
            with pytest.raises(CopyFailed, match="ducklake_inlined_data"):
                copy_catalog(lake.site, sa.make_url(target.url))
        _unchanged(lake, target)


def test_a_copy_that_ended_between_its_two_commits_is_completed(
    new_catalog: NewCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = new_catalog("sqlite"), new_catalog("postgres")
    with _filled(source) as lake:
        with monkeypatch.context() as patch:
            patch.setattr(service, "mark_moved", _interrupt)
            with pytest.raises(KeyboardInterrupt):
                copy_catalog(lake.site, sa.make_url(target.url))
        copy_catalog(lake.site, sa.make_url(target.url))
        with pytest.raises(HeadwaterError, match="was copied to"):
            lake.sql("INSERT INTO t VALUES (2)")
    with headwater.connect(target.url) as lake:
        assert lake.sql("SELECT * FROM t").rows == ((1,),)


def _interrupt(*_arguments: object) -> None:
    raise KeyboardInterrupt


def test_only_a_sqlite_catalog_is_copied_and_only_to_postgresql(new_catalog: NewCatalog) -> None:
    source = new_catalog("sqlite")
    with _filled(source) as lake, pytest.raises(InvalidRequest):
        copy_catalog(lake.site, sa.make_url("sqlite:///elsewhere.db"))


@pytest.mark.usefixtures("small_spark")
def test_dynamic_tables_go_on_incrementally_from_their_frontier(duck: Duck, new_catalog: NewCatalog) -> None:
    source, target = new_catalog("sqlite"), new_catalog("postgres")
    with headwater.connect(source.url) as lake:
        lake.sql("CREATE TABLE t (k INT, x INT)")
        lake.sql("INSERT INTO t SELECT i % 50, i FROM range(4000) r(i)")
        lake.sql(
            "CREATE DYNAMIC TABLE sums TARGET_LAG = '1 hour' AS SELECT k, sum(x) AS s, count(*) AS n FROM t GROUP BY k"
        )
        lake.sql("INSERT INTO t VALUES (1, 10), (NULL, 5)")
        history, status = lake.history(), lake.status()
        found = copy_catalog(lake.site, sa.make_url(target.url))
        ((name, snapshot),) = found.dynamic_tables
        assert (name.name, snapshot) == ("sums", status[0].data_snapshot)
    with headwater.connect(target.url) as lake:
        assert lake.history() == history
        duck.attach(target.duck_uri, source.data_path)
        duck.execute("DELETE FROM t WHERE x = 7")
        (record,) = lake.refresh("sums")
        assert (record.state, record.action) == ("SUCCEED", "INCREMENTAL")
        assert lake.verify("sums").equal
        wanted = duck.execute("SELECT k, sum(x), count(*) FROM t GROUP BY k ORDER BY ALL")
        assert duck.execute("SELECT k, s, n FROM sums ORDER BY ALL") == wanted
        lake.sql("CREATE DYNAMIC TABLE kept TARGET_LAG = '1 hour' AS SELECT k FROM sums WHERE n > 80")
        assert lake.verify("kept").equal
