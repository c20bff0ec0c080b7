"""Files written by Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from headwater.core.errors import EngineError, FeatureRefused, InvalidRequest, NotFound
from headwater.core.schema import Column, Schema, SortKey, number
from headwater.execute.read_table import read_table
from headwater.execute.scan_files import local_frame
from headwater.execute.spark_types import lake_columns, spark_schema
from headwater.execute.stage import stage
from headwater.lake import storage
from headwater.lake.arrow import to_table
from headwater.lake.parquet import write_batches
from headwater.lake.values import STORED_ROW_ID, DataFile, PartitionField, Partitioning, WriteTarget, WrittenFile
from tests.lake.every_type import ROWS, SCHEMA
from tests.spark.tables import Maker, of


def target(folder: Path, schema: Schema, **more: Any) -> WriteTarget:
    return WriteTarget(f"{folder}/", schema, **more)


def read(path: str) -> list[dict[str, Any]]:
    return pq.read_table(path, partitioning=None).to_pylist()


def data_file(file: WrittenFile, number: int) -> DataFile:
    return DataFile(number, file.path, file.records, file.bytes, 1, None, 1000 * number)


def test_every_type_is_written_as_pyarrow_alone_writes_it(spark: SparkSession, tmp_path: Path) -> None:
    df = local_frame(spark, SCHEMA.columns, ROWS)
    (staged,) = stage(df, target(tmp_path / "spark", SCHEMA))
    (written,) = write_batches(target(tmp_path / "arrow", SCHEMA), to_table(SCHEMA.columns, ROWS).to_batches())
    assert str(read(staged.path)) == str(read(written.path))
    assert staged.stats == written.stats
    assert (staged.bytes, staged.footer_bytes, staged.records) == (written.bytes, written.footer_bytes, 3)
    again = read_table(spark, Maker(tmp_path, SCHEMA).at(1, data_file(staged, 1))).toArrow()
    assert str(again.to_pylist()) == str(to_table(SCHEMA.columns, ROWS).to_pylist())


def test_columns_are_matched_by_name_and_cast(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.range(3).select(f.lit("x").alias("S"), f.col("id").alias("i"), f.lit(1).alias("unused"))
    (file,) = stage(df.coalesce(1), target(tmp_path, of(i="uint8", s="varchar")))
    assert read(file.path) == [{"i": i, "s": "x"} for i in range(3)]
    with pytest.raises(NotFound, match='column "nope" is missing'):
        stage(df, target(tmp_path, of(nope="int32")))


def test_row_ids_and_extra_columns_are_written(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.range(2).select(
        f.col("id").cast("int").alias("i"), (f.col("id") + 70).alias(STORED_ROW_ID), f.lit(5).alias("_hw_n")
    )
    extra = (Column("_hw_n", "int64", 1_000_000_001),)
    (file,) = stage(df.coalesce(1), target(tmp_path, of(i="int32"), keeps_row_ids=True, extra=extra))
    again = read_table(spark, Maker(tmp_path, of(i="int32")).at(1, data_file(file, 1)), rowid="id", extra=extra)
    assert sorted(tuple(row) for row in again.collect()) == [(0, 5, 70), (1, 5, 71)]


def test_no_rows_stage_no_file(spark: SparkSession, tmp_path: Path) -> None:
    assert stage(spark.range(0).select(f.col("id").alias("i")), target(tmp_path, of(i="int64"))) == ()
    assert list(storage.list_files(str(tmp_path))) == []


def test_little_data_makes_one_file_however_many_tasks_computed_it(spark: SparkSession, tmp_path: Path) -> None:
    schema = of(i="int64")
    parts = [local_frame(spark, schema.columns, [(n,)]) for n in range(12)]
    df: DataFrame = parts[0]
    for part in parts[1:]:
        df = df.union(part)
    assert df.rdd.getNumPartitions() >= 12
    (file,) = stage(df, target(tmp_path, schema))
    assert sorted(row["i"] for row in read(file.path)) == list(range(12))


def test_each_partition_has_one_file_when_small(spark: SparkSession, tmp_path: Path) -> None:
    schema = of(k="varchar", ts="timestamp", n="int64")
    fields = (PartitionField(1, "identity"), PartitionField(2, "year"), PartitionField(3, "bucket(3)"))
    rows = [(k, year * 31_557_600_000_000, n) for k in ("a b/ä", None) for year in (10, 12) for n in range(20)]
    df = local_frame(spark, schema.columns, rows).repartition(7)
    files = stage(df, target(tmp_path, schema, partitioning=Partitioning(4, fields)), sort_by=[SortKey("n")])
    assert len(files) == len({file.partition_values for file in files})
    assert {file.partition_values[:2] for file in files} == {(k, y) for k in ("a b/ä", None) for y in ("1980", "1982")}
    assert {file.partition_id for file in files} == {4}
    assert sum(file.records for file in files) == len(rows)
    for file in files:
        held = read(file.path)
        assert {row["k"] for row in held} == {file.partition_values[0]}
        assert {str(row["ts"].year) for row in held} == {file.partition_values[1]}
        assert [row["n"] for row in held] == sorted(row["n"] for row in held)
    buckets = [(file.partition_values[2], {row["n"] for row in read(file.path)}) for file in files]
    assert all((one == other) == bool(a & b) for one, a in buckets for other, b in buckets)


def test_files_are_sorted_by_the_keys_given(spark: SparkSession, tmp_path: Path) -> None:
    schema = of(i="int64")
    df = spark.range(5000).select((f.col("id") * 7919 % 5003).alias("i"))
    for file in stage(df, target(tmp_path, schema), sort_by=[SortKey("i")]):
        held = [row["i"] for row in read(file.path)]
        assert held == sorted(held)


def test_a_failed_job_leaves_no_file(spark: SparkSession, tmp_path: Path) -> None:
    schema = of(i="int64")
    rows = spark.range(0, 400_000, 1, 4).select(
        f.expr("if(id = 399999, 1 / (id - 399999), id)").cast("bigint").alias("i")
    )
    keep = stage(spark.range(3).select(f.col("id").alias("i")), target(tmp_path, schema))
    with pytest.raises(EngineError) as caught:
        stage(rows, target(tmp_path, schema))
    assert "DIVIDE_BY_ZERO" in caught.value.message
    assert {file.path for file in storage.list_files(str(tmp_path))} == {file.path for file in keep}


def test_errors_of_the_writer_arrive_as_they_were_raised(spark: SparkSession, tmp_path: Path) -> None:
    schema = Schema((Column("i", "uint8", 1, nullable=False),))
    for value, message in ((256, 'does not fit column "i"'), (None, "NOT NULL")):
        with pytest.raises(InvalidRequest, match=message) as caught:
            stage(spark.range(1).select(f.lit(value).cast("smallint").alias("i")), target(tmp_path, schema))
        assert "Traceback" not in str(caught.value)
    assert list(storage.list_files(str(tmp_path))) == []


def test_spark_types_become_columns_and_back() -> None:
    columns = lake_columns(spark_schema(SCHEMA))
    again = lake_columns(spark_schema(number(columns)))
    assert columns == again
    kept = {c.name: c.type for c in SCHEMA if c.type not in ("uint8", "uint16", "uint32", "uint64", "json", "uuid")}
    kept |= {"ts_s": "timestamp", "ts_ms": "timestamp"}
    assert {c.name: c.type for c in columns if c.name in kept} == kept


@pytest.mark.parametrize("text", ["void", "interval day to second", "variant", "string collate UNICODE_CI"])
def test_a_spark_type_that_the_lake_can_not_hold_is_refused_by_name(spark: SparkSession, text: str) -> None:
    odd = spark.range(1).select(f.lit(None).cast(text).alias("odd"))
    with pytest.raises(FeatureRefused, match='column "odd"'):
        lake_columns(odd.schema)
