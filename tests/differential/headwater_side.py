"""Performs our operations through Headwater, staged with PyArrow; DuckDB only says where the rows lie."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

import headwater
from headwater.commit.commit import Commit
from headwater.core.names import quote
from headwater.core.schema import Column
from headwater.execute.spark_compactor import SparkCompactor
from headwater.lake.arrow import arrow_type
from headwater.lake.operations import DeletedPositions, Operation, StagedChange
from headwater.lake.parquet import write_batches
from headwater.lake.value_text import parse
from headwater.lake.values import STORED_ROW_ID, TableAt, WrittenFile
from headwater.maintain.arrow_compactor import ArrowCompactor
from headwater.maintain.cleanup import clean_up
from headwater.maintain.compact import TableCompactor
from headwater.maintain.expire import remove_snapshots
from headwater.service.lake import Lake
from tests.arrow_lake import EAGER
from tests.differential import oracle, ours
from tests.differential.duck_side import condition, statements
from tests.duck import Duck
from tests.fix_db import Catalog


class HeadwaterSide:
    """Headwater on a lake that DuckDB has made."""

    def __init__(self, lake: Lake, duck: Duck) -> None:
        self._lake = lake
        self._duck = duck

    def perform(self, operations: Sequence[ours.Operation]) -> None:
        """Changes of rows in one commit; DDL one by one, as SQL."""
        base = self._lake.snapshots()[-1].id
        changes: list[Operation] = []
        for operation in operations:
            match operation:
                case ours.Append(table, columns, rows):
                    at = self._lake.describe(str(table))
                    changes.append(StagedChange(at.table.id, self._stage(at, columns, rows)))
                case ours.Replace(table, columns, rows):
                    at = self._lake.describe(str(table))
                    changes.append(StagedChange(at.table.id, self._stage(at, columns, rows), replace=True))
                case ours.Delete(table, where):
                    changes += self._delete(self._lake.describe(str(table)), where)
                case ours.Update(table, where, values):
                    changes += self._update(self._lake.describe(str(table)), where, dict(values))
                case ours.Compact(table):
                    self._compact(self._lake.describe(str(table)))
                case ours.Expire():
                    old = [snapshot.id for snapshot in self._lake.snapshots()][:-1][::2]
                    self._lake.database.write(partial(_expire, data_path=self._lake.data_path, ids=old))
                case ours.CleanUp():
                    clean_up(self._lake.database, self._lake.data_path, datetime.now(UTC), timedelta(0))
                case _:
                    for text in statements(operation):
                        self._lake.sql(text)
        if changes:
            self._lake.commit(Commit(base, tuple(changes)))

    def _compact(self, at: TableAt) -> None:
        """Compact here or on Spark, by the types; every snapshot must read as before, with its row ids."""
        before = self._contents(at.table.id)
        tool = TableCompactor(self._lake.site, lambda: ArrowCompactor(SparkCompactor))
        assert tool.compact(at.table.id, EAGER).skipped_reason is None
        after = self._contents(at.table.id)
        assert {version: after[version] for version in before} == before

    def _contents(self, table_id: int) -> dict[int, Any]:
        self._duck.reattach()
        wanted = [
            (table.name, version)
            for version in oracle.snapshots(self._duck)
            for table in oracle.tables(self._duck, version)
            if table.id == table_id
        ]
        found = oracle.contents_of(self._duck, wanted, row_ids=True)
        return {version: content for (_name, version), content in zip(wanted, found, strict=True)}

    def _stage(self, at: TableAt, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> tuple[WrittenFile, ...]:
        if not rows:
            return ()
        arrays = []
        for column in at.schema:
            if column.name in columns:
                place = columns.index(column.name)
                values = [row[place] for row in rows]
            else:
                values = [None if column.default is None else parse(column, column.default)] * len(rows)
            arrays.append(pa.array([_arrow_value(column, value) for value in values], arrow_type(column)))
        return self._write(at, pa.record_batch(arrays, at.schema.names))

    def _write(self, at: TableAt, batch: pa.RecordBatch) -> tuple[WrittenFile, ...]:
        with self._lake.reader() as reader:
            target = reader.write_target(at.table, at.snapshot, keeps_row_ids=STORED_ROW_ID in batch.schema.names)
        return tuple(write_batches(target, [batch]))

    def _delete(self, at: TableAt, where: ours.Where) -> Iterator[StagedChange]:
        found = self._duck.execute(
            f"SELECT filename, file_row_number, rowid FROM {at.table.name} WHERE {condition(where)}"
        )
        if found:
            yield StagedChange(at.table.id, (), *_places(at, found))

    def _update(self, at: TableAt, where: ours.Where, values: dict[str, Any]) -> Iterator[StagedChange]:
        names = ", ".join(quote(column.name) for column in at.schema)
        columns = f"{names}, rowid AS {STORED_ROW_ID}, filename, file_row_number"
        query = f"SELECT {columns} FROM {at.table.name} WHERE {condition(where)}"
        rows = self._duck.arrow(query)
        if not rows.num_rows:
            return
        arrays = [
            pa.array([_arrow_value(column, values[column.name])] * rows.num_rows, arrow_type(column))
            if column.name in values
            else _cast(rows[column.name], column)
            for column in at.schema
        ]
        arrays.append(rows[STORED_ROW_ID].combine_chunks().cast(pa.int64()))
        files = self._write(at, pa.record_batch(arrays, [*at.schema.names, STORED_ROW_ID]))
        places = zip(*(rows[name].to_pylist() for name in ("filename", "file_row_number", STORED_ROW_ID)), strict=True)
        yield StagedChange(at.table.id, files, *_places(at, list(places)))


def _expire(connection: sa.Connection, data_path: str, ids: Sequence[int]) -> None:
    remove_snapshots(connection, data_path, ids, datetime.now(UTC))


@contextmanager
def headwater_side(catalog: Catalog, duck: Duck) -> Iterator[HeadwaterSide]:
    """Headwater, connected while the block runs."""
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        yield HeadwaterSide(lake, duck)


def _places(at: TableAt, found: Sequence[tuple[str, int, int]]) -> tuple[tuple[DeletedPositions, ...], tuple[int, ...]]:
    ids = {entry.file.path: entry.file.id for entry in at.files}
    by_file: defaultdict[int, list[int]] = defaultdict(list)
    inlined = []
    for path, position, row_id in found:
        if path.startswith("ducklake_inlined_data"):
            inlined.append(row_id)
        else:
            by_file[ids[path]].append(position)
    deletes = tuple(DeletedPositions(file, np.array(sorted(places), np.int64)) for file, places in by_file.items())
    return deletes, tuple(inlined)


def _arrow_value(column: Column, value: Any) -> Any:
    """A plain value as Arrow takes it."""
    if value is None:
        return None
    match column.type:
        case "struct":
            return {child.name: _arrow_value(child, value[child.name]) for child in column.children}
        case "list":
            return [_arrow_value(column.children[0], item) for item in value]
        case "map":
            pairs = value.items() if isinstance(value, dict) else value
            key, item = column.children
            return [(_arrow_value(key, k), _arrow_value(item, v)) for k, v in pairs]
        case "uuid":
            return str(value)
        case "time" if isinstance(value, int):
            return value * 1000  # defaults come in microseconds, Spark's times of day are nanoseconds
        case _:
            return value


def _cast(values: pa.ChunkedArray, column: Column) -> pa.Array:
    wanted = arrow_type(column)
    joined = pa.chunked_array(values.chunks, values.type).combine_chunks()
    if isinstance(joined, pa.ChunkedArray):
        joined = pa.concat_arrays(joined.chunks) if joined.num_chunks else pa.array([], values.type)
    if joined.type == wanted:
        return joined
    try:
        return joined.cast(wanted)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return pa.array([_arrow_value(column, value) for value in joined.to_pylist()], wanted)
