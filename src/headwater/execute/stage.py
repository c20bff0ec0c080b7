"""Rows of a DataFrame, written as new files of a table that no snapshot shows yet."""

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
from headwater.core.names import backquote
from headwater.core.schema import Column, SortKey
from headwater.execute.conform import conform
from headwater.execute.job_progress import await_tasks
from headwater.execute.scan_files import FILE_ID, POSITION
from headwater.execute.translate_errors import as_task, engine_errors
from headwater.lake import storage
from headwater.lake.arrow import to_file
from headwater.lake.parquet import write_batches
from headwater.lake.partition import bucket_count, buckets
from headwater.lake.values import ROW_ID, ROW_ID_FIELD, PartitionField, WriteTarget, WrittenFile

# Rows that are fetched at most.
FEW_ROWS = 500_000
# Below this size rows go into one file, above into one for each multiple at most.
BYTES_PER_TASK = 32 * 1024 * 1024


def stage(
    df: DataFrame,
    target: WriteTarget,
    *,
    sort_by: Sequence[SortKey] = (),
    few: bool = False,
    together: bool = False,
) -> tuple[WrittenFile, ...]:
    """Write the rows in one Spark job; on failure no file remains, as far as files can be removed.

    `df` has the target's columns by name (and the row id and `extra` columns, if the target keeps any). Each file is sorted
    by `sort_by`, whose expressions are names of columns. Rows that are likely `few` are written here instead; by one task,
    whatever their size, if they are to be `together`.
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

# What becomes of a row of `stage_changes`: it is written, it names the place of a row that goes, it only says that one does,
# or that one was computed and found to be in the table.
SIGN = "__hw_sign"
INSERT, DELETE, MISSING, UNCHANGED = 1, -1, 0, 2


@dataclass(frozen=True, slots=True)
class StagedRows:
    """New files, the places of rows that go, how many are missed according to the rows that say so, and how many stay."""

    files: tuple[WrittenFile, ...]
    places: pa.Table
    missed: int
    there: int


@dataclass(frozen=True, slots=True)
class _Told:
    """What one task saw of rows that are not written."""

    places: pa.Table
    missed: int
    there: int


def stage_changes(
    df: DataFrame, target: WriteTarget, *, sort_by: Sequence[SortKey] = (), few: bool = False
) -> StagedRows:
    """Write the rows that come and collect the places of those that go, in one Spark job.

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
    """The rows, here; None if there are many."""
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
    """What comes of the rows in the hands of `how`: here if they are few, else where they are, in one Spark job."""
    node, names = secrets.randbits(48), rows.columns
    work = how(target, node, names)
    # Spark resolves the columns' names once more on the way to Python, and fails at dots and backticks.
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
    row_id = (Column(ROW_ID, "int64", ROW_ID_FIELD),) if target.keeps_row_ids else ()
    given = {field.name.casefold(): field for field in df.schema.fields}
    chosen: list[str] = []
    for column in (*target.schema, *row_id, *target.extra, *told):
        field = given.get(column.name.casefold())
        if field is None:
            raise NotFound(f'column "{column.name}" is missing in the rows to write')
        chosen.append(f"{conform(backquote(field.name), field.dataType, column)} AS {backquote(column.name)}")
    return df.selectExpr(*chosen)


def _arranged(
    rows: DataFrame, target: WriteTarget, sort_by: Sequence[SortKey], *, few: bool, together: bool = False
) -> DataFrame:
    """The rows in as many tasks as their bytes ask for, each sorted."""
    columns = {column.field_id: column for column in target.schema}
    fields = target.partitioning.fields if target.partitioning else ()
    keys = {f"__hw_key_{place}": _key(part, columns[part.field_id]) for place, part in enumerate(fields)}
    if keys:
        rows = rows.select("*", *(key.alias(name) for name, key in keys.items()))
    if few:
        # One more than may be: there might be more than few.
        rows = rows.limit(FEW_ROWS + 1)
    elif together:
        rows = rows.coalesce(1)
    elif keys:
        # Rebalancing keeps a partition's rows together, but splits what is too large for one task.
        rows = rows.hint("rebalance", *keys)
    elif (tasks := -(-_size(rows) // BYTES_PER_TASK)) <= 1024:
        rows = rows.coalesce(max(1, tasks))
    order: list[str | Expression] = [*keys, *(_ordered(key) for key in sort_by)]
    return (rows.sortWithinPartitions(*order) if order else rows).drop(*keys)


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


def _writer(target: WriteTarget, node: int, names: list[str]) -> _Work:
    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # All files of a task are complete before the first is reported: a task that fails has removed its own.
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
    """Remove what the tasks that had succeeded wrote before another one failed."""
    ending = f"-{node:012x}.parquet"
    with suppress(HeadwaterError):
        for file in storage.list_files(location):
            if file.path.endswith(ending):
                storage.delete(file.path)
