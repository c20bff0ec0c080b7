"""The catalog rows of compaction. The rows and row ids of each snapshot stay the same.

The bounds of the table also stay: they include the rows of older snapshots, which the extension does not consider.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from headwater.core.errors import CommitConflict
from headwater.lake import catalog as c
from headwater.lake import inlined
from headwater.lake.file_rows import NewFile, add_files, schedule
from headwater.lake.new_snapshot import NewSnapshot
from headwater.lake.operations import MergedFiles, RewrittenFiles
from headwater.lake.paths import resolve
from headwater.lake.snapshot_changes import Entry
from headwater.lake.values import Table
from headwater.store.database import has_table

_Rows = Sequence[sa.Row[tuple[object, ...]]]


def apply(new: NewSnapshot, table: Table, change: MergedFiles | RewrittenFiles) -> None:
    """Write all rows of one compaction of one table."""
    old = _live(new, table, change.gone)
    match change:
        case MergedFiles():
            _merge(new, table, change, old)
        case RewrittenFiles():
            _rewrite(new, table, change)
    _resize(new, table, change, old)
    # A concurrent small delete, which the extension inlines, would refer to a file that is compacted meanwhile and be lost
    # silently: for such deletes the extension checks only for flushes. With this entry, it refuses the delete.
    new.note(Entry("inline_flush", table.id))


def _merge(new: NewSnapshot, table: Table, change: MergedFiles, old: _Rows) -> None:
    """Replace the old files by the new one in all snapshots."""
    deletes, held = c.delete_file, _held(new, table)
    if _count(new, deletes, deletes.c.data_file_id.in_(change.gone)) or (
        held is not None and _count(new, held, held.c.file_id.in_(change.gone))
    ):
        raise _overtaken(table)
    file = change.file
    added = NewFile(file, change.begin, partition_id=file.partition_id, partial_max=change.last)
    add_files(new, table, [added])
    for rows in (c.data_file, c.file_column_stats, c.file_variant_stats, c.file_partition_value):
        new.connection.execute(sa.delete(rows).where(rows.c.data_file_id.in_(change.gone)))
    schedule(new, {row.data_file_id: resolve(table.location, row.path, row.path_is_relative) for row in old})
    new.note(Entry("merge_adjacent", table.id))


def _rewrite(new: NewSnapshot, table: Table, change: RewrittenFiles) -> None:
    """Begin the new files and end the old ones with this snapshot.

    The inlined deletes of the old files stay in the catalog. The extension may flush them into a delete file, merged with the
    one that exists. That one stays too; without it, there would be two.
    """
    new.end(c.data_file, c.data_file.c.data_file_id.in_(change.gone))
    held = _held(new, table)
    stay = sa.false() if held is None else c.delete_file.c.data_file_id.in_(sa.select(held.c.file_id))
    new.end(c.delete_file, sa.and_(c.delete_file.c.data_file_id.in_(change.gone), sa.not_(stay)))
    add_files(new, table, [NewFile(file, new.id, partition_id=file.partition_id) for file in change.files])
    new.note(Entry("rewrite_delete", table.id))


def _resize(new: NewSnapshot, table: Table, change: MergedFiles | RewrittenFiles, old: _Rows) -> None:
    stats = c.table_stats
    records = sum(file.records for file in change.files) - sum(row.record_count for row in old)
    size = sum(file.bytes for file in change.files) - sum(row.file_size_bytes for row in old)
    new.connection.execute(
        sa.update(stats)
        .where(stats.c.table_id == table.id)
        .values(record_count=stats.c.record_count + records, file_size_bytes=stats.c.file_size_bytes + size)
    )


def _live(new: NewSnapshot, table: Table, ids: tuple[int, ...]) -> _Rows:
    files = c.data_file
    query = sa.select(files).where(files.c.table_id == table.id, files.c.data_file_id.in_(ids), c.live(files))
    rows = new.connection.execute(query).all()
    if len(rows) != len(ids):
        raise _overtaken(table)
    return rows


def _held(new: NewSnapshot, table: Table) -> sa.TableClause | None:
    """The catalog table of inlined deletes from the table's files, if there is one."""
    held = inlined.deletes_table(table.id)
    return held if has_table(new.connection, held.name) else None


def _count(new: NewSnapshot, rows: sa.FromClause, where: sa.ColumnElement[bool]) -> int:
    return int(new.connection.execute(sa.select(sa.func.count()).select_from(rows).where(where)).scalar_one())


def _overtaken(table: Table) -> CommitConflict:
    return CommitConflict(
        f"files of table {table.name} changed before they were compacted",
        detail="Another client deleted rows from them, compacted them or dropped them.",
        hint="Repeat the compaction.",
    )
