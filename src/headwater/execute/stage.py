"""Rows of a DataFrame, written as new files of a table that no snapshot shows yet."""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import pyarrow as pa
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from headwater.core.errors import HeadwaterError, InvalidRequest, NotFound
from headwater.core.names import backquote
from headwater.core.schema import Column, SortKey
from headwater.execute.conform import conform
from headwater.execute.failures import engine_errors
from headwater.lake import storage
from headwater.lake.arrow import to_file
from headwater.lake.parquet import write_batches
from headwater.lake.partition import bucket_count, buckets
from headwater.lake.values import ROW_ID, ROW_ID_FIELD, PartitionField, WriteTarget, WrittenFile

# Below this size rows go into one file, above into one for each multiple at most.
BYTES_PER_TASK = 32 * 1024 * 1024


def stage(df: DataFrame, target: WriteTarget, *, sort_by: Sequence[SortKey] = ()) -> tuple[WrittenFile, ...]:
    """Write the rows in one Spark job; on failure no file remains, as far as files can be removed.

    `df` has the target's columns by name (and the row id and `extra` columns, if the target keeps any). Each file is sorted
    by `sort_by`, whose expressions are names of columns.
    """
    if df.sparkSession.conf.get("spark.sql.ansi.enabled") != "true":
        raise InvalidRequest(
            "rows are not written while spark.sql.ansi.enabled is off",
            detail="Numbers that do not fit would wrap around instead of failing.",
            hint='Set it back: spark.conf.set("spark.sql.ansi.enabled", "true").',
        )
    node = secrets.randbits(48)
    with engine_errors():
        rows = _arranged(_typed(df, target), target, sort_by)
        # Spark resolves the columns' names once more on the way to Python, and fails at dots and backticks.
        plain = rows.toDF(*(f"c{place}" for place in range(len(rows.columns))))
        try:
            done = plain.mapInArrow(_writer(target, node, rows.columns), "file binary").collect()
        except BaseException:
            _remove(target.location, node)
            raise
    return tuple(pickle.loads(row.file) for row in done)


def _typed(df: DataFrame, target: WriteTarget) -> DataFrame:
    row_id = (Column(ROW_ID, "int64", ROW_ID_FIELD),) if target.keeps_row_ids else ()
    given = {field.name.casefold(): field for field in df.schema.fields}
    chosen: list[Expression] = []
    for column in (*target.schema, *row_id, *target.extra):
        field = given.get(column.name.casefold())
        if field is None:
            raise NotFound(f'the rows to write have no column "{column.name}"')
        value = f.col(backquote(field.name))
        chosen.append(conform(value, field.dataType, column).alias(column.name))
    return df.select(*chosen)


def _arranged(rows: DataFrame, target: WriteTarget, sort_by: Sequence[SortKey]) -> DataFrame:
    order = [_ordered(key) for key in sort_by]
    if target.partitioning:
        columns = {column.field_id: column for column in target.schema}
        keys = {
            f"__hw_key_{i}": _key(part, columns[part.field_id]) for i, part in enumerate(target.partitioning.fields)
        }
        # Rebalancing keeps a partition's rows together, but splits what is too large for one task.
        rows = rows.select("*", *(key.alias(name) for name, key in keys.items())).hint("rebalance", *keys)
        return rows.sortWithinPartitions(*keys, *order).drop(*keys)
    tasks = -(-_size(rows) // BYTES_PER_TASK)
    if tasks <= 1024:
        rows = rows.coalesce(max(1, tasks))
    return rows.sortWithinPartitions(*order) if order else rows


def _size(rows: DataFrame) -> int:
    """Spark's guess of how many bytes the rows have; huge where it knows nothing."""
    return int(str(rows._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))


def _key(part: PartitionField, column: Column) -> Expression:
    value = f.col(backquote(column.name))
    if count := bucket_count(part.transform):
        return _bucket(column, count)(value)
    calendar = {"year": f.year, "month": f.month, "day": f.day, "hour": f.hour}
    return calendar[part.transform](value) if part.transform in calendar else value


def _bucket(column: Column, count: int) -> Callable[[Expression], Expression]:
    @f.arrow_udf(returnType=t.IntegerType())  # type: ignore[attr-defined, untyped-decorator]
    def bucket(values: pa.Array) -> pa.Array:
        filed = to_file(pa.RecordBatch.from_arrays([values], [column.name]), (column,))
        return buckets(column, filed.column(0), count)

    return bucket  # type: ignore[no-any-return]


def _ordered(key: SortKey) -> Expression:
    value = f.col(backquote(key.expression))
    if key.descending:
        return value.desc_nulls_first() if key.nulls_first else value.desc_nulls_last()
    return value.asc_nulls_first() if key.nulls_first else value.asc_nulls_last()


def _writer(
    target: WriteTarget, node: int, names: list[str]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # All files of a task are complete before the first is reported: a task that fails has removed its own.
        named = (pa.RecordBatch.from_arrays(batch.columns, names) for batch in batches)
        files = [pickle.dumps(file) for file in write_batches(target, named, node)]
        yield pa.RecordBatch.from_pydict({"file": pa.array(files, pa.binary())})

    return write


def _remove(location: str, node: int) -> None:
    """Remove what the tasks that had succeeded wrote before another one failed."""
    ending = f"-{node:012x}.parquet"
    with suppress(HeadwaterError):
        for file in storage.list_files(location):
            if file.path.endswith(ending):
                storage.delete(file.path)
