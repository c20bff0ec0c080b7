"""The catalog rows of data: add files, delete positions, replace all rows of a table, update statistics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from headwater.core.crash import crash_point
from headwater.core.errors import CommitConflict, CommitRejected
from headwater.core.schema import Schema
from headwater.lake import catalog as c
from headwater.lake import inlined
from headwater.lake.column_history import ColumnHistory
from headwater.lake.file_rows import NewFile, add_files, schedule
from headwater.lake.new_snapshot import NewSnapshot
from headwater.lake.operations import DeletedPositions, StagedChange
from headwater.lake.parquet import read_delete_file, write_delete_file
from headwater.lake.paths import resolve
from headwater.lake.snapshot_changes import Entry
from headwater.lake.stats import TableBounds, bounds_of, widen
from headwater.lake.uuid7 import uuid7
from headwater.lake.values import NEW_PARTITIONING, Table, WrittenFile
from headwater.store.database import has_table


class RowWriter:
    """Applies the staged changes of a commit, and records the delete files that it writes."""

    def __init__(self, new: NewSnapshot) -> None:
        self._new = new
        self._connection = new.connection
        self.written: list[str] = []

    def apply(self, table: Table, change: StagedChange) -> None:
        """Write all rows of one table's change."""
        if change.replace:
            self._end_all(table)
        if change.files:
            self._append(table, change.files)
        for deletes in change.deletes:
            self._delete(table, deletes)
        if change.inlined_deletes:
            self._delete_inlined(table, change.inlined_deletes)

    # Inserts

    def _append(self, table: Table, files: tuple[WrittenFile, ...]) -> None:
        schema = ColumnHistory.load(self._connection, table.id).schema_at(self._new.id)
        _check_nulls(table, schema, files)
        next_row_id = self._add_to_table_stats(table, files)
        partition_id = self._new_partitioning(table) if files[0].partition_id == NEW_PARTITIONING else None
        added = []
        for file in files:
            split = partition_id if partition_id is not None else file.partition_id
            added.append(NewFile(file, self._new.id, next_row_id, split))
            next_row_id += file.records
        add_files(self._new, table, added)
        self._widen_column_stats(table, schema, files)
        self._new.note(Entry("inserted_into_table", table.id))

    def _new_partitioning(self, table: Table) -> int:
        query = sa.select(c.partition_info.c.partition_id).where(
            c.partition_info.c.table_id == table.id, c.live(c.partition_info)
        )
        return int(self._connection.execute(query).scalar_one())

    def _add_to_table_stats(self, table: Table, files: tuple[WrittenFile, ...]) -> int:
        """Update the table's counters, and return the first row id for the files."""
        stats = c.table_stats
        records, size = sum(file.records for file in files), sum(file.bytes for file in files)
        advanced = self._connection.execute(
            sa.update(stats)
            .where(stats.c.table_id == table.id)
            .values(
                record_count=stats.c.record_count + records,
                next_row_id=stats.c.next_row_id + records,
                file_size_bytes=stats.c.file_size_bytes + size,
            )
            .returning(stats.c.next_row_id)
        ).scalar_one_or_none()
        if advanced is not None:
            return int(advanced) - records
        first = {"table_id": table.id, "record_count": records, "next_row_id": records, "file_size_bytes": size}
        self._connection.execute(sa.insert(stats), first)
        return 0

    def _widen_column_stats(self, table: Table, schema: Schema, files: tuple[WrittenFile, ...]) -> None:
        kept = c.table_column_stats
        known = {
            row.column_id: TableBounds(row.contains_null, row.contains_nan, row.min_value, row.max_value)
            for row in self._connection.execute(sa.select(kept).where(kept.c.table_id == table.id))
        }
        types = {leaf.field_id: leaf.type for leaf in schema.leaves()}
        after = dict(known)
        for file in files:
            for stats in file.stats:
                old = after.get(stats.field_id)
                if old is None:
                    after[stats.field_id] = bounds_of(stats)
                elif old.min is None and old.max is None and stats.values and self._all_null(table, stats.field_id):
                    after[stats.field_id] = replace(bounds_of(stats), contains_null=True)
                else:
                    after[stats.field_id] = widen(types[stats.field_id], old, stats)
        fresh = [_bounds_row(table, field_id, after[field_id]) for field_id in after if field_id not in known]
        if fresh:
            self._connection.execute(sa.insert(kept), fresh)
        changed = [
            _bounds_row(table, field_id, after[field_id], "b_")
            for field_id in known
            if after[field_id] != known[field_id]
        ]
        if changed:
            self._connection.execute(
                sa.update(kept)
                .where(kept.c.table_id == sa.bindparam("b_table_id"), kept.c.column_id == sa.bindparam("b_column_id"))
                .values(
                    {
                        name: sa.bindparam(f"b_{name}")
                        for name in ("contains_null", "contains_nan", "min_value", "max_value")
                    }
                ),
                changed,
            )

    def _all_null(self, table: Table, field_id: int) -> bool:
        """Whether the column is NULL in all rows before this commit. Then missing bounds are not unknown, but empty."""
        stats = c.file_column_stats
        values = sa.select(sa.func.coalesce(sa.func.sum(stats.c.value_count), 0)).where(
            stats.c.table_id == table.id,
            stats.c.column_id == field_id,
            stats.c.data_file_id < self._new.latest.next_file_id,
        )
        if self._connection.execute(values).scalar_one():
            return False
        return not inlined.inlined_tables(self._connection, table.id)

    # Deletes

    def _end_all(self, table: Table) -> None:
        ended = self._new.end(c.data_file, c.data_file.c.table_id == table.id)
        if ended:
            self._new.note(Entry("deleted_from_table", table.id))
        held = sum(self._end_inlined(name, sa.true()) for name in self._inlined_names(table))
        if held:
            self._new.note(Entry("inlined_delete", table.id))

    def _delete(self, table: Table, change: DeletedPositions) -> None:
        data, deletes = c.data_file, c.delete_file
        file = self._connection.execute(
            sa.select(data).where(data.c.data_file_id == change.data_file_id, c.live(data))
        ).one_or_none()
        if file is None:
            raise CommitConflict(
                f"a file of table {table.name} that contains rows to delete has been removed",
                detail="Another client compacted or replaced it, or dropped the table.",
                hint="Recompute the change on the newest snapshot.",
            )
        old = self._connection.execute(
            sa.select(deletes).where(deletes.c.data_file_id == change.data_file_id, c.live(deletes))
        ).one_or_none()
        old_path = resolve(table.location, old.path, old.path_is_relative) if old else None
        positions, since = read_delete_file(old_path) if old_path else (np.empty(0, np.int64), None)
        if old is not None and since is None:
            since = np.full(len(positions), old.begin_snapshot, np.int64)
        held = self._inlined_deletes(table, change.data_file_id)
        gone = np.concatenate([positions, held])
        if np.isin(change.positions, gone).any():
            raise CommitConflict(
                f"another commit has deleted the same rows of table {table.name}",
                hint="Recompute the change on the newest snapshot.",
            )
        if len(gone) + len(change.positions) == file.record_count:
            self._new.end(data, data.c.data_file_id == change.data_file_id)
        elif old is None:
            self._first_delete_file(table, file, change.positions)
        else:
            assert since is not None
            self._extend_delete_file(table, file, old, positions, since, change.positions)
        self._new.note(Entry("deleted_from_table", table.id))

    def _first_delete_file(self, table: Table, file: sa.Row[tuple[object, ...]], positions: NDArray[np.int64]) -> None:
        row = self._write_deletes(table, file, np.sort(positions), None)
        self._connection.execute(sa.insert(c.delete_file).values(row | {"begin_snapshot": self._new.id}))

    def _extend_delete_file(
        self,
        table: Table,
        file: sa.Row[tuple[object, ...]],
        old: sa.Row[tuple[object, ...]],
        positions: NDArray[np.int64],
        since: NDArray[np.int64],
        more: NDArray[np.int64],
    ) -> None:
        """Replace the current delete file by one that embeds the snapshot of each deleted position.

        It has the begin_snapshot of the old one, so that older snapshots and change feeds stay correct.
        """
        everything = np.concatenate([positions, more])
        snapshots = np.concatenate([since, np.full(len(more), self._new.id, np.int64)])
        order = np.argsort(everything)
        row = self._write_deletes(table, file, everything[order], snapshots[order])
        deletes = c.delete_file
        self._connection.execute(sa.delete(deletes).where(deletes.c.delete_file_id == old.delete_file_id))
        self._connection.execute(
            sa.insert(deletes).values(row | {"begin_snapshot": old.begin_snapshot, "partial_max": self._new.id})
        )
        schedule(self._new, {old.delete_file_id: resolve(table.location, old.path, old.path_is_relative)})

    def _write_deletes(
        self,
        table: Table,
        file: sa.Row[tuple[object, ...]],
        positions: NDArray[np.int64],
        snapshots: NDArray[np.int64] | None,
    ) -> dict[str, object]:
        name = f"ducklake-{uuid7()}-delete.parquet"
        path = f"{table.location}{name}"
        data_path = resolve(table.location, file.path, file.path_is_relative)
        self.written.append(path)
        size, footer = write_delete_file(path, data_path, positions, snapshots)
        crash_point("delete-file-written")
        return {
            "delete_file_id": self._new.take_file_id(),
            "table_id": table.id,
            "data_file_id": file.data_file_id,
            "path": name,
            "path_is_relative": True,
            "format": "parquet",
            "delete_count": len(positions),
            "file_size_bytes": size,
            "footer_size": footer,
        }

    def _inlined_deletes(self, table: Table, data_file_id: int) -> NDArray[np.int64]:
        clause = inlined.deletes_table(table.id)
        if not has_table(self._connection, clause.name):
            return np.empty(0, np.int64)
        query = sa.select(clause.c.row_id).where(clause.c.file_id == data_file_id)
        return np.array(self._connection.execute(query).scalars().all(), dtype=np.int64)

    def _delete_inlined(self, table: Table, row_ids: tuple[int, ...]) -> None:
        wanted = sa.column("row_id").in_(row_ids)
        ended = sum(self._end_inlined(name, wanted) for name in self._inlined_names(table))
        if ended != len(set(row_ids)):
            raise CommitConflict(
                f"another commit has deleted or flushed the same rows of table {table.name}",
                hint="Recompute the change on the newest snapshot.",
            )
        self._new.note(Entry("inlined_delete", table.id))

    def _inlined_names(self, table: Table) -> Iterable[str]:
        return (held.name for held in inlined.inlined_tables(self._connection, table.id))

    def _end_inlined(self, name: str, where: sa.ColumnElement[bool]) -> int:
        clause = sa.table(name, sa.column("row_id"), sa.column("end_snapshot"))
        statement = sa.update(clause).where(where, clause.c.end_snapshot.is_(None)).values(end_snapshot=self._new.id)
        return self._connection.execute(statement).rowcount


def _check_nulls(table: Table, schema: Schema, files: tuple[WrittenFile, ...]) -> None:
    required = {column.field_id: column.name for column in schema if not column.nullable}
    for file in files:
        for stats in file.stats:
            if stats.nulls and stats.field_id in required:
                raise CommitRejected(
                    f'column "{required[stats.field_id]}" of table {table.name} is NOT NULL',
                    detail=f"{stats.nulls} of the new rows are NULL.",
                    hint="Give every row a value, or use DROP NOT NULL.",
                )


def _bounds_row(table: Table, field_id: int, bounds: TableBounds, prefix: str = "") -> dict[str, object]:
    row = {
        "table_id": table.id,
        "column_id": field_id,
        "contains_null": bounds.contains_null,
        "contains_nan": bounds.contains_nan,
        "min_value": bounds.min,
        "max_value": bounds.max,
    }
    return {prefix + name: value for name, value in row.items()}
