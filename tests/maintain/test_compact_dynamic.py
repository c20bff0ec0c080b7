"""Compaction on Spark: of tables of every type, and of dynamic tables, which go on following their sources."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import headwater
from headwater.execute.spark_compactor import SparkCompactor
from headwater.maintain.compact import Compacted, TableCompactor
from headwater.maintain.steps import Rules
from headwater.registry import leases
from headwater.service.lake import Lake
from tests.arrow_lake import EAGER
from tests.duck import Duck
from tests.fix_db import Catalog

TYPES = (
    "b BOOLEAN, i8 TINYINT, u8 UTINYINT, u64 UBIGINT, f FLOAT, d DOUBLE, c DECIMAL(10,2), v VARCHAR, bl BLOB, u UUID, da DATE, "
    "t TIME, ts TIMESTAMP, tz TIMESTAMPTZ, j JSON, l INT[], s STRUCT(a INT, b VARCHAR), m MAP(VARCHAR, INT)"
)
VALUES = (
    "true, -1, 255, 18446744073709551615, 'nan', '-inf', 12.34, 'é', '\\xAA'::BLOB, "
    "'12345678-1234-1234-1234-1234567890ab', '2020-02-29', '12:34:56.789', '2020-01-01 00:00:00.000001', "
    "'2020-01-01 00:00:00+02', '{\"a\": 1}', [1, NULL], {'a': 1, 'b': NULL}, MAP {'k': 1}"
)


@pytest.fixture
def lake(catalog: Catalog, small_spark: SparkSession) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


def _compact(lake: Lake, name: str) -> Compacted:
    tool = TableCompactor(lake.site, SparkCompactor)
    return tool.compact(lake.describe(name).table.id, EAGER)


def test_tables_of_every_type(lake: Lake, duck: Duck, catalog: Catalog) -> None:
    duck.attach(catalog.duck_uri, catalog.data_path)
    duck.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    duck.execute(f"CREATE TABLE t(k INT, {TYPES})")
    duck.execute("ALTER TABLE t SET PARTITIONED BY (k)")
    for number in range(3):
        duck.execute(f"INSERT INTO t SELECT {number % 2}, {VALUES}")
        duck.execute(f"INSERT INTO t(k) VALUES ({number % 2})")
    duck.execute("UPDATE t SET i8 = 7 WHERE k = 0 AND v IS NULL")
    query = "SELECT rowid, * FROM t AT (VERSION => {}) ORDER BY rowid"
    last = lake.snapshots()[-1].id
    before = {at: repr(duck.execute(query.format(at))) for at in range(3, last + 1)}
    done = _compact(lake, "t")
    assert (done.skipped_reason, done.files_after) == (None, 2)
    assert len(lake.describe("t").files) == 2
    duck.reattach()
    assert {at: repr(duck.execute(query.format(at))) for at in range(3, last + 1)} == before


def test_a_dynamic_table_goes_on_following_and_wakes_nobody(lake: Lake) -> None:
    query = "SELECT k, avg(v) AS mean, max(v) AS top FROM t GROUP BY k"
    lake.sql("CREATE TABLE t(k INT, v INT); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (NULL, NULL)")
    lake.sql(f"CREATE DYNAMIC TABLE d REFRESH_MODE = INCREMENTAL AS {query}")
    lake.sql("CREATE DYNAMIC TABLE above REFRESH_MODE = INCREMENTAL AS SELECT k, mean FROM d WHERE mean > 1")
    for number in range(2):
        lake.sql(f"INSERT INTO t VALUES ({number % 2}, {number}), ({10 + number}, NULL)")
        if number == 1:
            lake.sql("DELETE FROM t WHERE k = 3")
        lake.refresh("above")
    state = {
        name for entry in lake.describe("d").files for name in _columns(entry.file.path) if name.startswith("_hw_")
    }
    assert "_hw_layout" in state
    done = _compact(lake, "d")
    assert done.skipped_reason is None
    assert done.files_before > 0
    for entry in lake.describe("d").files:
        assert state <= set(_columns(entry.file.path))
        assert pq.read_table(entry.file.path).column("_hw_layout").null_count == 0
    assert [outcome.action for outcome in lake.refresh("d", "above")] == ["NO_DATA", "NO_DATA"]
    assert lake.tick().outcomes == ()
    assert lake.verify("d").equal
    lake.sql("INSERT INTO t VALUES (1, 100), (77, 7); DELETE FROM t WHERE k = 10")
    outcomes = lake.refresh("d", "above")
    assert [outcome.action for outcome in outcomes] == ["INCREMENTAL", "INCREMENTAL"]
    # Once more, without Spark.
    (again,) = lake.maintain("d", rules=Rules(policy=EAGER))
    assert again.state == "done"
    assert again.files
    lake.sql("INSERT INTO t VALUES (1, 1000), (2, 1)")
    assert lake.refresh("d")[0].action == "INCREMENTAL"
    lake.refresh("above")
    assert lake.verify("d").equal
    assert lake.verify("above").equal


def test_a_table_that_is_being_refreshed_is_left_alone(lake: Lake) -> None:
    lake.sql("CREATE TABLE t(k INT); CREATE DYNAMIC TABLE d AS SELECT k FROM t")
    for number in range(2):
        lake.sql(f"INSERT INTO t VALUES ({number}), (NULL)")
        lake.refresh("d")
    lease = leases.take(lake.database, lake.describe("d").table.id)
    assert lease is not None
    assert _compact(lake, "d").skipped_reason == "the table is being refreshed"
    leases.give_back(lake.database, lease)
    done = _compact(lake, "d")
    assert (done.files_before, done.files_after, done.skipped_reason) == (2, 1, None)
    assert lake.verify("d").equal


def _columns(path: str) -> list[str]:
    return list(pq.read_schema(path).names)
