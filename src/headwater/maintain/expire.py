"""Expiry: remove old snapshots, and the catalog rows visible only at them. Their files are scheduled for deletion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.lake import catalog as c
from headwater.lake import inlined
from headwater.lake.locations import table_locations
from headwater.lake.paths import relative_to, resolve
from headwater.lake.reader import LakeReader
from headwater.maintain.pins import expired_versions, find_pins, record_own_rows
from headwater.registry import install
from headwater.store.database import Database

# Open commits of other clients may be this old; they check for conflicts with the snapshots since they began (DuckLake #1472).
YOUNGEST = timedelta(hours=1)
# The catalog tables with rows of a data file, and of a table.
_OF_FILES = (c.data_file, c.file_column_stats, c.file_variant_stats, c.file_partition_value)
_OF_TABLES = (
    c.table,
    c.column,
    c.column_tag,
    c.table_stats,
    c.table_column_stats,
    c.schema_versions,
    c.partition_info,
    c.partition_column,
    c.sort_info,
    c.sort_expression,
    c.inlined_data_tables,
)
# The versioned catalog tables, each with the tables that depend on it and their key column. Columns and partitionings are not
# included, because the meaning of old files depends on the table's columns and partitioning when they were written.
_VERSIONED: tuple[tuple[sa.Table, str | None, tuple[sa.Table, ...]], ...] = (
    (c.schema, None, ()),
    (c.view, None, ()),
    (c.tag, None, ()),
    (c.macro, "macro_id", (c.macro_impl, c.macro_parameters)),
)
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Expired:
    """The expired snapshots, and the number of files scheduled for deletion."""

    snapshots: tuple[int, ...] = ()
    files: int = 0


def find_expired(reader: LakeReader, kind: str, now: datetime, retention: timedelta) -> tuple[int, ...]:
    """The snapshots older than the retention that are not pinned, except the latest one."""
    pins = find_pins(reader, kind, now, retention)
    before = now - max(retention, YOUNGEST)
    *older, _newest = reader.snapshots()
    return tuple(snapshot.id for snapshot in older if snapshot.time < before and not pins.hold(snapshot.id))


def expire(database: Database, data_path: str, now: datetime, retention: timedelta) -> Expired:
    """Expire old snapshots, in the transaction that reads the pins."""

    def work(connection: sa.Connection) -> Expired:
        reader = LakeReader(connection, data_path)
        ids = find_expired(reader, database.kind, now, retention)
        if not ids:
            return Expired()
        installed = install.is_installed(connection)
        if installed:
            record_own_rows(reader, ids[-1])
        files = remove_snapshots(connection, data_path, ids, now)
        if installed:
            expired_versions(connection, reader.snapshots()[0].id)
        crash_point("snapshots-expired")
        return Expired(ids, files)

    done = database.transact(work)
    crash_point("expired")
    return done


def remove_snapshots(connection: sa.Connection, data_path: str, ids: Iterable[int], now: datetime) -> int:
    """Remove snapshots, and catalog rows visible at no other one; returns the number of files scheduled for deletion."""
    wanted = list(ids)
    for table in (c.snapshot, c.snapshot_changes):
        _delete(connection, table, "snapshot_id", wanted)
    gone = _gone_tables(connection)
    locations = table_locations(connection, data_path)
    files = _unseen_files(connection, c.data_file, "data_file_id", gone, locations)
    for table in _OF_FILES:
        _delete(connection, table, "data_file_id", files)
    deletes = _unseen_files(connection, c.delete_file, "delete_file_id", gone, locations)
    _delete(connection, c.delete_file, "delete_file_id", deletes)
    _schedule(connection, data_path, files | deletes, now)
    _drop_inlined(connection, gone)
    _forget_deletes(connection)
    for table in _OF_TABLES:
        _delete(connection, table, "table_id", gone)
    for table, key, belongings in _VERSIONED:
        if key is not None:
            ids_of = list(connection.execute(sa.select(table.c[key]).where(_unseen(table))).scalars())
            for each in belongings:
                _delete(connection, each, key, ids_of)
        connection.execute(sa.delete(table).where(_unseen(table)))
    return len(files) + len(deletes)


def _unseen(rows: sa.Table) -> sa.ColumnElement[bool]:
    """The condition that a row is visible at no snapshot, nor at a future one."""
    shown = c.snapshot.c.snapshot_id
    during = sa.exists().where(shown >= rows.c.begin_snapshot, shown < rows.c.end_snapshot)
    return sa.and_(rows.c.end_snapshot.is_not(None), ~during)


def _gone_tables(connection: sa.Connection) -> list[int]:
    """The ids of tables that are visible at no snapshot."""
    known = sa.select(c.table.c.table_id).distinct()
    unseen, seen = (
        set(connection.execute(known.where(condition)).scalars())
        for condition in (_unseen(c.table), sa.not_(_unseen(c.table)))
    )
    return sorted(unseen - seen)


def _unseen_files(
    connection: sa.Connection, files: sa.Table, key: str, gone: list[int], locations: dict[int, str]
) -> dict[int, str]:
    """The paths of files that are visible at no snapshot, by id, including the delete files of such data files."""
    over = _unseen(files)
    if files is c.delete_file:
        over = sa.or_(over, files.c.data_file_id.not_in(sa.select(c.data_file.c.data_file_id)))
    rows = list(connection.execute(sa.select(files).where(over)))
    for some in _parts(gone):
        rows += connection.execute(sa.select(files).where(files.c.table_id.in_(some))).all()
    return {row._mapping[key]: resolve(locations[row.table_id], row.path, row.path_is_relative) for row in rows}


def _schedule(connection: sa.Connection, data_path: str, paths: dict[int, str], now: datetime) -> None:
    rows = []
    for file_id, path in paths.items():
        place, relative = relative_to(data_path, path)
        rows.append({"data_file_id": file_id, "path": place, "path_is_relative": relative, "schedule_start": now})
    if rows:
        connection.execute(sa.insert(c.files_scheduled_for_deletion), rows)


def _drop_inlined(connection: sa.Connection, gone: list[int]) -> None:
    """Drop the catalog tables for inlined rows and deletes of removed tables."""
    existing = set(sa.inspect(connection).get_table_names())
    for table_id in gone:
        names = {held.name for held in inlined.inlined_tables(connection, table_id)}
        for name in names | {inlined.deletes_table(table_id).name}:
            if name in existing:
                sa.Table(name, sa.MetaData()).drop(connection)


def _forget_deletes(connection: sa.Connection) -> None:
    """Delete the inlined deletes of removed files."""
    for table_id in inlined.deletes_tables(connection):
        held = inlined.deletes_table(table_id)
        connection.execute(sa.delete(held).where(~sa.exists().where(c.data_file.c.data_file_id == held.c.file_id)))


def _delete(connection: sa.Connection, rows: sa.Table, key: str, ids: Iterable[int]) -> None:
    for some in _parts(list(ids)):
        connection.execute(sa.delete(rows).where(rows.c[key].in_(some)))


def _parts(ids: list[int]) -> Iterable[list[int]]:
    return (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE))
