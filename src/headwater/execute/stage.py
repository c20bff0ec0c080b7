"""Write the rows of a DataFrame into new files of a table, which are not yet in the catalog."""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from headwater.core.errors import HeadwaterError, InvalidRequest, NotFound
from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.core.names import backquote, folded
from headwater.core.schema import Column, SortKey
from headwater.execute.conform import conform
from headwater.execute.job_progress import await_tasks
from headwater.execute.translate_errors import as_task, engine_errors
from headwater.lake import storage
from headwater.lake.arrow import to_file
from headwater.lake.parquet import write_batches
from headwater.lake.partition import bucket_count, buckets
from headwater.lake.values import STORED_ROW_ID, STORED_ROW_ID_FIELD, PartitionField, WriteTarget, WrittenFile

# The maximum number of rows to fetch into the driver.
FEW_ROWS = 500_000
# Spark writes at most one file for each multiple of this size, and partition.
BYTES_PER_TASK = 32 * 1024 * 1024


def stage(
    df: DataFrame,
    target: WriteTarget,
    *,
    sort_by: Sequence[SortKey] = (),
    few: bool = False,
    together: bool = False,
) -> tuple[WrittenFile, ...]:
    """Write the rows in one Spark job; on failure, try to remove all new files.

    `df` has the target's columns by name, and the row id and `extra` columns if the target has any. Each file is sorted by
    `sort_by`, whose expressions are column names. With `few`, the driver writes the rows, unless they turn out to be many.
    With `together`, one task writes all rows.
    """
    if df.sparkSession.conf.get("spark.sql.ansi.enabled") != "true":
        raise InvalidRequest(
            "writing rows requires spark.sql.ansi.enabled",
            detail="Without it, numbers that overflow wrap around instead of failing.",
            hint='Run spark.conf.set("spark.sql.ansi.enabled", "true").',
        )
    with engine_errors():
        return tuple(_written(_typed(df, target), target, _writer, sort_by, few=few, together=together))


_Work = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
_Maker = Callable[[WriteTarget, int, list[str]], _Work]

# The kind of a row of `stage_changes`: a row to insert, the place of a row to delete, a row to delete whose place is in
# another row, or a computed row that the table already has.
SIGN = "__hw_sign"
INSERT, DELETE, MISSING, UNCHANGED = 1, -1, 0, 2


@dataclass(frozen=True, slots=True)
class StagedRows:
    """New files, the places of deleted rows, and the numbers of rows that are MISSING and UNCHANGED."""

    files: tuple[WrittenFile, ...]
    places: pa.Table
    missed: int
    there: int


@dataclass(frozen=True, slots=True)
class _Told:
    """The rows of one task that are not inserts."""

    places: pa.Table
    missed: int
    there: int


def stage_changes(
    df: DataFrame, target: WriteTarget, *, sort_by: Sequence[SortKey] = (), few: bool = False
) -> StagedRows:
    """Write inserted rows and collect the places of deleted rows, in one Spark job.

    `df` has the target's columns, then FILE_ID, POSITION and SIGN.
    """
    with engine_errors():
        about = (Column(FILE_ID, "int64"), Column(POSITION, "int64"), Column(SIGN, "int32"))
        found = _written(_typed(df, target, about), target, _changer, sort_by, few=few)
    told = [each for each in found if isinstance(each, _Told)]
    return StagedRows(
        files=tuple(each for each in found if isinstance(each, WrittenFile)),
        places=pa.concat_tables([each.places for each in told] or [_no_places()]),
        missed=sum(each.missed for each in told),
        there=sum(each.there for each in told),
    )


def fetched(rows: DataFrame) -> pa.Table | None:
    """The rows in the driver's memory; None if there are many."""
    return _few(rows.limit(FEW_ROWS + 1).toArrow())


def _few(rows: pa.Table) -> pa.Table | None:
    return rows if rows.num_rows <= FEW_ROWS else None


def _written(
    rows: DataFrame,
    target: WriteTarget,
    how: _Maker,
    sort_by: Sequence[SortKey],
    *,
    few: bool,
    together: bool = False,
) -> list[Any]:
    """The results of the function that `how` returns over the rows: in the driver if they are few, else in one Spark job."""
    node, names = secrets.randbits(48), rows.columns
    work = how(target, node, names)
    # Spark resolves the column names again when it sends rows to Python, and fails at dots and backticks.
    plain = [f"c{place}" for place in range(len(names))]
    try:
        if few and (here := _few(_arranged(rows, target, sort_by, few=True).toDF(*plain).toArrow())) is not None:
            done = [file for batch in work(iter(here.to_batches())) for file in batch.column(0).to_pylist()]
        else:
            spread = _arranged(rows, target, sort_by, few=False, together=together).toDF(*plain)
            done = [row.file for row in spread.mapInArrow(as_task(work), "file binary").collect()]
    except BaseException:
        await_tasks(rows.sparkSession.sparkContext)
        _remove(target.location, node)
        raise
    return [pickle.loads(file) for file in done]


def _typed(df: DataFrame, target: WriteTarget, told: Sequence[Column] = ()) -> DataFrame:
    row_id = (Column(STORED_ROW_ID, "int64", STORED_ROW_ID_FIELD),) if target.keeps_row_ids else ()
    given = {folded(field.name): field for field in df.schema.fields}
    chosen: list[str] = []
    for column in (*target.schema, *row_id, *target.extra, *told):
        field = given.get(folded(column.name))
        if field is None:
            raise NotFound(f'column "{column.name}" is missing in the rows to write')
        chosen.append(f"{conform(backquote(field.name), field.dataType, column)} AS {backquote(column.name)}")
    return df.selectExpr(*chosen)


def _arranged(
    rows: DataFrame, target: WriteTarget, sort_by: Sequence[SortKey], *, few: bool, together: bool = False
) -> DataFrame:
    """The rows in as many tasks as their size requires, sorted within each."""
    columns = {column.field_id: column for column in target.schema}
    fields = target.partitioning.fields if target.partitioning else ()
    keys = {f"__hw_key_{place}": _key(part, columns[part.field_id]) for place, part in enumerate(fields)}
    if keys:
        rows = rows.select("*", *(key.alias(name) for name, key in keys.items()))
    if few:
        # One row more than the maximum shows that there are too many.
        rows = rows.limit(FEW_ROWS + 1)
    elif together:
        rows = rows.coalesce(1)
    elif keys:
        # Rebalancing collects a partition's rows in one task, but splits large partitions.
        rows = rows.hint("rebalance", *keys)
    elif (tasks := -(-_size(rows) // BYTES_PER_TASK)) <= 1024:
        rows = rows.coalesce(max(1, tasks))
    order: list[str | Expression] = [*keys, *(_ordered(key) for key in sort_by)]
    return (rows.sortWithinPartitions(*order) if order else rows).drop(*keys)


def _size(rows: DataFrame) -> int:
    """Spark's estimate of the rows' size in bytes; huge if it is unknown."""
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


def _writer(target: WriteTarget, node: int, names: list[str]) -> _Work:
    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # A task returns its files when all are complete, because a task that fails removes its own.
        named = (pa.RecordBatch.from_arrays(batch.columns, names) for batch in batches)
        files = [pickle.dumps(file) for file in write_batches(target, named, node)]
        yield pa.RecordBatch.from_pydict({"file": pa.array(files, pa.binary())})

    return write


def _changer(target: WriteTarget, node: int, names: list[str]) -> _Work:
    def change(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        places: list[pa.Table] = [_no_places()]
        counts = {MISSING: 0, UNCHANGED: 0}

        def coming() -> Iterator[pa.RecordBatch]:
            for batch in batches:
                sign = batch.column(len(names) - 1)
                rows = pa.RecordBatch.from_arrays(batch.columns[:-3], names[:-3])
                yield rows.filter(pc.equal(sign, INSERT))
                held = pa.table(batch.columns[-3:-1], names=[FILE_ID, POSITION])
                places.append(held.filter(pc.equal(sign, DELETE)))
                for each in counts:
                    counts[each] += pc.sum(pc.equal(sign, each)).as_py() or 0

        files: list[object] = list(write_batches(target, coming(), node))
        told = _Told(pa.concat_tables(places), counts[MISSING], counts[UNCHANGED])
        done = [pickle.dumps(each) for each in (*files, told)]
        yield pa.RecordBatch.from_pydict({"file": pa.array(done, pa.binary())})

    return change


def _no_places() -> pa.Table:
    return pa.table({FILE_ID: pa.array([], pa.int64()), POSITION: pa.array([], pa.int64())})


def _remove(location: str, node: int) -> None:
    """Remove the files of tasks that succeeded before another one failed."""
    ending = f"-{node:012x}.parquet"
    with suppress(HeadwaterError):
        for file in storage.list_files(location):
            if file.path.endswith(ending):
                storage.delete(file.path)
