"""Find the rows that were inserted into and deleted from a table between two snapshots, by comparing positions.

For each file visible at `start` or `end`, these are the rows that are visible at exactly one of the two. Files with the same
visible rows at both are never opened. The number of snapshots in between does not matter. Compaction has no changes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import sqlalchemy as sa

from headwater.core.errors import RangeGone, SnapshotMissing, TableReplaced
from headwater.lake import catalog as c
from headwater.lake import inlined
from headwater.lake.data_files import data_files, deletes_of, mappings_of
from headwater.lake.reader import LakeReader
from headwater.lake.snapshot_changes import COMPACTIONS, Entry, ObjectKind, parse
from headwater.lake.values import DataFile, DeleteFile, FileAt, FileDiff, InlinedRows, Table, TableChanges

# The maximum number of changed rows that are looked up one by one.
FEW_CHANGES = 200_000


@dataclass(frozen=True, slots=True)
class Touched:
    """Whether a range of commits changed a table, and the maximum number of changed rows, from the catalog alone."""

    touched: bool
    rows_at_most: int


def find_changes(reader: LakeReader, table_id: int, start: int, end: int) -> TableChanges:
    """The places of the changes in (start, end], to be read in the schema at `end`."""
    table = _same_table(reader, table_id, start, end)
    history = reader.columns(table)
    schema = reader.schema(table, end)
    files = data_files(reader.connection, table, history, schema, start, end)
    before, after = (deletes_of(reader.connection, table, files, at) for at in (start, end))
    held = reader.inlined_deletes(table, start, end)
    births = _Births(reader.connection)

    diffs = []
    for file in files:
        deletes = held.get(file.id, [])
        old = _at(file, start, before.get(file.id), deletes)
        new = _at(file, end, after.get(file.id), deletes)
        if old is None or new is None or _differs(file, old, new, start, births):
            diffs.append(FileDiff(old, new))

    rows = inlined.read_rows(reader.connection, table.id, history, schema, start, end)
    return TableChanges(
        table=table,
        start=start,
        end=end,
        schema=schema,
        files=tuple(diffs),
        inlined_added=InlinedRows(tuple((r.row_id, r.values) for r in rows if r.visible(end) and not r.visible(start))),
        inlined_removed=InlinedRows(
            tuple((r.row_id, r.values) for r in rows if r.visible(start) and not r.visible(end))
        ),
        mappings=mappings_of(reader.connection, files),
        reused=history.reused(schema),
        rewritten_rows=_rewritten_rows(reader.connection, table, diffs, start, end),
    )


def touched(reader: LakeReader, table_id: int, start: int, end: int) -> Touched:
    """Whether any commit in (start, end] changed the table's rows or columns; compaction does not count."""
    _same_table(reader, table_id, start, end)
    texts = texts_between(reader.connection, start, end)
    told = any(_touches(entry, table_id) for text in texts for entry in parse(text))
    # The change lists of expired snapshots are deleted; then only the files show changes.
    if not told and len(texts) == end - start:
        return Touched(False, 0)
    changes = find_changes(reader, table_id, start, end)
    rows = rows_at_most(changes)
    return Touched(told or rows > 0 or _reshaped(reader, table_id, start, end), rows)


def rows_at_most(changes: TableChanges) -> int:
    """The maximum number of inserted and deleted rows, by the catalog's counts."""
    return rows_listed(changes) - changes.rewritten_rows


def rows_listed(changes: TableChanges) -> int:
    """The maximum number of rows to read to find the changes, including rows that were only rewritten."""
    inlined = len(changes.inlined_added.rows) + len(changes.inlined_removed.rows)
    return inlined + sum(_rows_at_most(diff, changes.start) for diff in changes.files)


def _reshaped(reader: LakeReader, table_id: int, start: int, end: int) -> bool:
    before, after = (reader.table_by_id(table_id, at) for at in (start, end))
    return bool(before and after and reader.schema(before, start) != reader.schema(after, end))


def texts_between(connection: sa.Connection, start: int, end: int) -> list[str | None]:
    """The catalog's change list of each commit in (start, end]."""
    changes = c.snapshot_changes
    query = (
        sa.select(changes.c.changes_made)
        .join(c.snapshot, c.snapshot.c.snapshot_id == changes.c.snapshot_id)
        .where(changes.c.snapshot_id > start, changes.c.snapshot_id <= end)
        .order_by(changes.c.snapshot_id)
    )
    return list(connection.execute(query).scalars())


def _touches(entry: Entry, table_id: int) -> bool:
    return entry.id == table_id and entry.kind not in COMPACTIONS and entry.object_kind is ObjectKind.TABLE


def _same_table(reader: LakeReader, table_id: int, start: int, end: int) -> Table:
    reader.snapshot(end)
    if isinstance(start, int) and start > end:
        raise RangeGone(f"the range ({start}, {end}] ends before it starts", hint="Pass the older snapshot first.")
    try:
        reader.snapshot(start)
    except SnapshotMissing as error:
        raise RangeGone(
            f"the changes since snapshot {start} have been expired",
            detail=error.detail,
            hint="Read the table in full instead.",
        ) from error
    table = reader.table_by_id(table_id, end)
    if table is None or reader.table_by_id(table_id, start) is None:
        missing = end if table is None else start
        raise TableReplaced(
            f"table {table_id} does not exist at snapshot {missing}",
            detail="It was dropped, replaced or created inside the range, so there are no changes from one to the other.",
            hint="Read the table in full instead.",
        )
    return table


def _at(file: DataFile, at: int, deletes: DeleteFile | None, held: list[tuple[int, int]]) -> FileAt | None:
    if not file.visible(at):
        return None
    return FileAt(file, deletes, tuple(position for position, since in held if since <= at))


def _differs(file: DataFile, old: FileAt, new: FileAt, start: int, births: _Births) -> bool:
    if file.partial_max is not None and file.partial_max > start:
        return True
    if len(old.inlined_deletes) != len(new.inlined_deletes):
        return True
    if (old.deletes and old.deletes.id) != (new.deletes and new.deletes.id):
        return True
    return new.deletes is not None and _deletes_after(new.deletes, start, births)


def _deletes_after(deletes: DeleteFile, start: int, births: _Births) -> bool:
    """Whether a delete file may contain deletes later than `start`.

    A flush embeds snapshot ids without setting partial_max; then the snapshot that created the file is the only bound.
    """
    if deletes.partial_max is not None:
        return deletes.partial_max > start
    return births.of(deletes.id) > start


def _rewritten_rows(connection: sa.Connection, table: Table, diffs: list[FileDiff], start: int, end: int) -> int:
    """A lower bound of the rows that the counts of old and new files include although they were only rewritten.

    A rewritten file contains rows of files that ended at its begin snapshot. Rows that were not visible at the start may come
    from files that began and ended in between, or from files with rows of several snapshots. The files that began and ended
    in between are unknown once their snapshots have expired.
    """
    came: defaultdict[int, int] = defaultdict(int)
    for diff in diffs:
        file = diff.file
        if diff.before is None and diff.after and file.row_id_start is None and file.partial_max is None:
            came[file.begin] += file.records - diff.after.deleted
    if not came or len(texts_between(connection, start, end)) < end - start:
        return 0
    rows, births = c.data_file, _Births(connection)
    began_later = sa.or_(rows.c.begin_snapshot > start, rows.c.partial_max > start)
    query = (
        sa.select(rows.c.end_snapshot, sa.func.sum(rows.c.record_count))
        .where(rows.c.table_id == table.id, rows.c.end_snapshot > start, rows.c.end_snapshot <= end, began_later)
        .group_by(rows.c.end_snapshot)
    )
    later = {row[0]: int(row[1]) for row in connection.execute(query)}
    deleted = 0
    for diff in diffs:
        if diff.before and diff.after is None and diff.file.end in came:
            deleted += len(diff.before.inlined_deletes)
            if diff.before.deletes and not _deletes_after(diff.before.deletes, start, births):
                deleted += diff.before.deletes.count
    return deleted + 2 * sum(max(0, count - later.get(at, 0)) for at, count in came.items())


def _rows_at_most(diff: FileDiff, start: int) -> int:
    if diff.changed_rows is not None:
        return diff.changed_rows
    merged = diff.file.partial_max is not None and diff.file.partial_max > start
    if diff.before is None or diff.after is None or merged:
        return diff.file.records
    old = diff.before.deletes.count if diff.before.deletes else 0
    new = diff.after.deletes.count if diff.after.deletes else 0
    extended = bool(diff.before.deletes and diff.after.deletes and diff.before.deletes.id == diff.after.deletes.id)
    held = abs(len(diff.after.inlined_deletes) - len(diff.before.inlined_deletes))
    # A flush moves deletes from the catalog into a file, so neither count alone is a bound.
    return min(diff.file.records, (new if extended else max(old, new)) + held)


class _Births:
    """The snapshot that created a file: the first unexpired one whose next_file_id is greater than the file's id."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def of(self, file_id: int) -> int:
        query = sa.select(sa.func.min(c.snapshot.c.snapshot_id)).where(c.snapshot.c.next_file_id > file_id)
        born = self._connection.execute(query).scalar_one()
        return int(born) if born is not None else 0
