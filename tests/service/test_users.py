"""What users do to a lake that nobody thought of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import headwater
from headwater.core.errors import HeadwaterError, InvalidRequest, NotALake
from headwater.service.lake import Lake
from tests.duck import Duck
from tests.fix_db import Catalog


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


def test_filters_find_nan_in_files_of_ours(lake: Lake, catalog: Catalog, duck: Duck, spark: SparkSession) -> None:
    lake.sql("CREATE TABLE n (d DOUBLE, f FLOAT, s STRUCT(x DOUBLE))")
    nan = "double('nan') d, float('nan') f, named_struct('x', double('nan')) s"
    lake.append("n", spark.sql(f"SELECT {nan} UNION ALL SELECT 1d, float(1), named_struct('x', 1d)"))
    duck.attach(catalog.duck_uri, catalog.data_path)
    for condition in ("d > 5", "f > 5", "s.x > 5"):
        assert lake.table("n").where(condition).count() == 1
        assert duck.execute(f"SELECT count(*) FROM n WHERE {condition}") == [(1,)]
    before = lake.snapshots()[-1].id
    assert lake.delete("n", "d > 5") > before
    assert lake.table("n").count() == 1


def test_fields_of_structs_match_by_name(lake: Lake, spark: SparkSession) -> None:
    lake.sql("CREATE TABLE s (st STRUCT(a INT, b INT), l STRUCT(a INT, b INT)[], m MAP(VARCHAR, STRUCT(a INT, b INT)))")
    swapped = "named_struct('b', 2, 'a', 1)"
    lake.append("s", spark.sql(f"SELECT {swapped} st, array({swapped}, NULL) l, map('k', {swapped}) m"))
    ((st, items, entries),) = lake.table("s").collect()
    assert (st.asDict(), items[0].asDict(), items[1], entries["k"].asDict()) == (
        {"a": 1, "b": 2},
        {"a": 1, "b": 2},
        None,
        {"a": 1, "b": 2},
    )
    lake.update("s", {"st": "named_struct('b', 20, 'a', 10)"})
    assert lake.table("s").selectExpr("st.a", "st.b").collect() == [(10, 20)]
    with pytest.raises(InvalidRequest, match="do not match"):
        lake.update("s", {"st": "named_struct('x', 20, 'a', 10)"})


@pytest.mark.parametrize(
    "column",
    [
        "a INT DEFAULT 'abc'",
        "a INT DEFAULT 1.5",
        "a INT DEFAULT TRUE",
        "a TINYINT DEFAULT 300",
        "a UINTEGER DEFAULT -1",
        "a DATE DEFAULT '2020-13-01'",
        "a TIME DEFAULT '25:00:00'",
        "a BOOLEAN DEFAULT 'maybe'",
        "a UUID DEFAULT 'zz'",
        "a DECIMAL(3,1) DEFAULT 1234",
        "a JSON DEFAULT '{bad'",
        "a INT[] DEFAULT [1, 2]",
    ],
)
def test_defaults_that_are_no_values_are_refused(lake: Lake, catalog: Catalog, duck: Duck, column: str) -> None:
    lake.sql("CREATE TABLE good (i INT)")
    for statement in (f"CREATE TABLE bad ({column})", f"ALTER TABLE good ADD COLUMN {column}"):
        with pytest.raises(HeadwaterError) as caught:
            lake.sql(statement)
        assert caught.value.hint
    duck.attach(catalog.duck_uri, catalog.data_path)
    assert duck.execute("FROM good") == []


def test_invalid_json_is_refused(lake: Lake, spark: SparkSession) -> None:
    lake.sql("CREATE TABLE j (j JSON)")
    for text in ("", "{bad", "NaN"):
        with pytest.raises(InvalidRequest, match=r"(?i)json"):
            lake.append("j", spark.createDataFrame([(text,)], "j string"))
    assert lake.table("j").count() == 0


def test_a_lake_is_not_opened_with_the_data_of_another(lake: Lake, catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="data is not in"):
        headwater.connect(catalog.url, tmp_path / "elsewhere")


def test_added_columns_do_not_hide_those_of_the_table(lake: Lake, spark: SparkSession) -> None:
    lake.sql("CREATE TABLE rw (rowid INT, __w INT)")
    base = lake.snapshots()[-1].id
    lake.append("rw", spark.sql("SELECT 100 rowid, 200 __w"))
    with pytest.raises(InvalidRequest, match="rowid"):
        lake.changes("rw", base)
    with pytest.raises(InvalidRequest, match="ROWID"):
        lake.table("rw", rowid="ROWID")
    assert lake.changes("rw", base, rowid="r", weight="w").collect() == [(100, 200, 0, 1)]


def test_columns_of_any_name_can_be_written(lake: Lake, spark: SparkSession) -> None:
    lake.sql('CREATE TABLE x ("a.b" INT, "c`d" INT, ".." INT, "é ""q" INT)')
    lake.append("x", spark.createDataFrame([(1, 2, 3, 4)], lake.table("x").schema))
    lake.update("x", {"a.b": "5"}, where="`c``d` = 2")
    assert lake.table("x").collect() == [(5, 2, 3, 4)]
    with pytest.raises(InvalidRequest, match="__hw_file"):
        lake.sql("CREATE TABLE h (__hw_file INT)")


def test_files_follow_the_direction_of_the_sort_order(lake: Lake, spark: SparkSession) -> None:
    lake.sql("CREATE TABLE so (a INT); ALTER TABLE so SET SORTED BY (a DESC NULLS LAST)")
    lake.append("so", spark.sql("SELECT * FROM VALUES (1), (3), (NULL), (2) AS v(a)"))
    (entry,) = lake.describe("so").files
    assert pq.read_table(entry.file.path, columns=["a"])["a"].to_pylist() == [3, 2, 1, None]


def test_dates_have_an_hour_as_in_duckdb(lake: Lake, catalog: Catalog, duck: Duck, spark: SparkSession) -> None:
    lake.sql("CREATE TABLE d (a DATE); ALTER TABLE d SET PARTITIONED BY (hour(a))")
    lake.append("d", spark.sql("SELECT DATE '2020-01-02' a UNION ALL SELECT NULL"))
    duck.attach(catalog.duck_uri, catalog.data_path)
    assert duck.execute("SELECT count(a), count(*) FROM d") == [(1, 2)]


def test_numbers_never_wrap_around(lake: Lake, spark: SparkSession) -> None:
    lake.sql("CREATE TABLE w (a INT)")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        with pytest.raises(InvalidRequest, match="ansi"):
            lake.append("w", spark.sql("SELECT 99999999999L a"))
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")
    with pytest.raises(HeadwaterError):
        lake.append("w", spark.sql("SELECT 99999999999L a"))


def test_a_table_can_change_the_case_of_its_name(lake: Lake) -> None:
    lake.sql("CREATE TABLE t (a INT); ALTER TABLE t RENAME TO T")
    assert [name.name for name in lake.tables()] == ["T"]


def test_calendar_partitions_need_a_calendar(lake: Lake) -> None:
    lake.sql("CREATE TABLE t (v VARCHAR)")
    with pytest.raises(InvalidRequest, match="year"):
        lake.sql("ALTER TABLE t SET PARTITIONED BY (year(v))")


@pytest.mark.spark
def test_arguments_that_make_no_sense_are_refused(lake: Lake) -> None:
    lake.sql("CREATE TABLE t (a INT)")
    nothing: Any = None
    for call in (
        lambda: lake.append("t", nothing),
        lambda: lake.append("t", [(1,)]),  # type: ignore[arg-type]
        lambda: lake.update("t", {}),
        lambda: lake.update("t", {"a": 5}),  # type: ignore[dict-item]
        lambda: lake.update("t", {"a": "1", "A": "2"}),
        lambda: lake.table(nothing),
        lambda: lake.table("t", snapshot="1"),  # type: ignore[arg-type]
        lambda: lake.table("t", snapshot=True),
        lambda: lake.table("t", rowid=""),
        lambda: lake.sql(nothing),
        lambda: lake.changes("t", "1"),  # type: ignore[arg-type]
        lambda: headwater.connect(""),
        lambda: headwater.connect("ducklake:sqlite:x"),
    ):
        with pytest.raises(HeadwaterError) as caught:
            call()
        assert caught.value.hint


def test_a_short_file_is_not_overwritten(tmp_path: Path) -> None:
    note = tmp_path / "note.db"
    note.write_text("x")
    with pytest.raises(NotALake):
        headwater.connect(note)
    assert note.read_text() == "x"


@pytest.mark.usefixtures("spark")
def test_hive_folders_mean_what_they_mean_to_duckdb(duck_lake: Duck, catalog: Catalog, tmp_path: Path) -> None:
    duck_lake.execute("CREATE TABLE t (k INTEGER, v VARCHAR, n INTEGER)")
    pairs = [
        ("NULL", "1"),
        ("null", "2"),
        ("__HIVE_DEFAULT_PARTITION__", "3"),
        ("", "4"),
        ("a%20b", "5"),
        ("x", "NULL"),
    ]
    for k, (v, n) in enumerate([*pairs, ("%4eULL", "6")]):
        folder = tmp_path / "foreign" / f"v={v}" / f"n={n}"
        folder.mkdir(parents=True)
        duck_lake.execute(f"COPY (SELECT {k} AS k) TO '{folder}/a.parquet' (FORMAT parquet)")
    duck_lake.execute(
        f"CALL ducklake_add_data_files('lake', 't', '{tmp_path}/foreign/**/*.parquet', hive_partitioning => true)"
    )
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        found = sorted(tuple(row) for row in lake.table("t").collect())
    assert found == duck_lake.execute("SELECT * FROM t ORDER BY k")


@pytest.mark.usefixtures("spark")
def test_inlined_rows_follow_the_fields_of_their_structs(duck_lake: Duck, catalog: Catalog) -> None:
    duck_lake.execute("CREATE TABLE t (k INTEGER, s STRUCT(a INTEGER, l STRUCT(x UTINYINT)[]))")
    duck_lake.execute("INSERT INTO t VALUES (1, {'a': 2, 'l': [{'x': 3}, NULL]}), (2, NULL)")
    duck_lake.execute("ALTER TABLE t RENAME COLUMN s.a TO b")
    duck_lake.execute("ALTER TABLE t ADD COLUMN s.a VARCHAR")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        found = sorted(lake.table("t").toArrow().to_pylist(), key=lambda row: row["k"])
    assert found == [{"k": 1, "s": {"b": 2, "l": [{"x": 3}, None], "a": None}}, {"k": 2, "s": None}]
