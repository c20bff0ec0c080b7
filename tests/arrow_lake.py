"""Changes to a lake's rows made with PyArrow alone, for tests that must not wait for Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from headwater.commit.commit import Commit
from headwater.core.schema import Column
from headwater.lake.arrow import arrow_type
from headwater.lake.operations import DeletedPositions, StagedChange
from headwater.lake.parquet import write_batches
from headwater.lake.values import STORED_ROW_ID, TableAt, WriteTarget, WrittenFile
from headwater.maintain.arrow_compactor import ArrowCompactor
from headwater.maintain.choose_files import Policy
from headwater.maintain.compact import Compacted, TableCompactor
from headwater.service.lake import Lake

# Compacts whatever there is.
EAGER = Policy(min_files=2, deleted_share=0.01)


def append(lake: Lake, name: str, rows: Sequence[Sequence[Any]]) -> int:
    """Add rows in one file and commit."""
    at = lake.describe(name)
    return _commit(lake, at, StagedChange(at.table.id, stage(lake, at, rows)))


def replace(lake: Lake, name: str, rows: Sequence[Sequence[Any]]) -> int:
    """Replace all rows and commit."""
    at = lake.describe(name)
    return _commit(lake, at, StagedChange(at.table.id, stage(lake, at, rows), replace=True))


def delete(lake: Lake, name: str, positions: dict[int, Sequence[int]], base: int | None = None) -> int:
    """Delete positions of data files, by file id, as computed on a base snapshot."""
    at = lake.describe(name, base)
    return _commit(lake, at, StagedChange(at.table.id, deletes=_deletes(positions)))


def update(
    lake: Lake, name: str, positions: dict[int, Sequence[int]], rows: Sequence[Sequence[Any]], row_ids: Sequence[int]
) -> int:
    """Put rows with kept ids in the place of positions."""
    at = lake.describe(name)
    files = stage(lake, at, rows, row_ids)
    return _commit(lake, at, StagedChange(at.table.id, files, _deletes(positions)))


def stage(
    lake: Lake, at: TableAt, rows: Sequence[Sequence[Any]], row_ids: Sequence[int] | None = None
) -> tuple[WrittenFile, ...]:
    """Files that no snapshot shows yet."""
    with lake.reader() as reader:
        partitioning = reader.partitioning(at.table, at.snapshot)
    target = WriteTarget(at.table.location, at.schema, partitioning=partitioning, keeps_row_ids=row_ids is not None)
    return tuple(write_batches(target, [batch(at.schema.columns, rows, row_ids)])) if rows else ()


def live_positions(lake: Lake, name: str) -> dict[int, list[int]]:
    """Every visible position by data file, for tables without partial files."""
    at = lake.describe(name)
    found = {}
    for entry in at.files:
        gone = set(entry.inlined_deletes)
        if entry.deletes:
            gone |= set(pq.read_table(entry.deletes.path, columns=["pos"])["pos"].to_pylist())
        found[entry.file.id] = [p for p in range(entry.file.records) if p not in gone]
    return found


def without_spark() -> ArrowCompactor:
    """What compacts small files, and must not need more."""

    def no_spark() -> ArrowCompactor:
        raise AssertionError("these files are small and plain")

    return ArrowCompactor(no_spark)


def compact(lake: Lake, name: str, policy: Policy = EAGER) -> Compacted:
    """Compact a table without Spark."""
    tool = TableCompactor(lake.site, without_spark)
    return tool.compact(lake.describe(name).table.id, policy)


def batch(
    columns: Sequence[Column], rows: Sequence[Sequence[Any]], row_ids: Sequence[int] | None = None
) -> pa.RecordBatch:
    """Rows as Arrow."""
    names = [column.name for column in columns]
    arrays = [pa.array([row[i] for row in rows], arrow_type(column)) for i, column in enumerate(columns)]
    if row_ids is not None:
        names.append(STORED_ROW_ID)
        arrays.append(pa.array(row_ids, pa.int64()))
    return pa.record_batch(arrays, names)


def _deletes(positions: dict[int, Sequence[int]]) -> tuple[DeletedPositions, ...]:
    return tuple(DeletedPositions(file, np.array(sorted(at), np.int64)) for file, at in positions.items())


def _commit(lake: Lake, at: TableAt, change: StagedChange) -> int:
    return lake.commit(Commit(at.snapshot, (change,))).snapshot_id
