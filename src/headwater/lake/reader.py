"""Reads a lake's catalog over one connection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import sqlalchemy as sa

from headwater.core.errors import CatalogVersionRefused, FeatureRefused, InvalidRequest, NotFound, SnapshotMissing
from headwater.core.names import TableName, folded
from headwater.core.schema import Column, Schema, SortKey
from headwater.core.types import is_known
from headwater.lake import catalog as c
from headwater.lake import inlined
from headwater.lake.column_history import ColumnHistory
from headwater.lake.data_files import data_files, deletes_of, mappings_of
from headwater.lake.data_path import require_data_path
from headwater.lake.paths import folder_for, resolve
from headwater.lake.values import (
    FileAt,
    InlinedRows,
    PartitionField,
    Partitioning,
    Snapshot,
    Table,
    TableAt,
    View,
    WriteTarget,
)
from headwater.store.database import writes
from headwater.store.folded_name import FoldedName

T = TypeVar("T")
# DuckLake's options for writers, with the field of WriteTarget for each.
_WRITER_OPTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "target_file_size": ("target_bytes", int),
    "parquet_compression": ("compression", str),
    "parquet_compression_level": ("compression_level", int),
    "parquet_row_group_size": ("row_group_rows", int),
}

_LATEST = sa.select(c.snapshot).order_by(c.snapshot.c.snapshot_id.desc()).limit(1)
_SNAPSHOT = sa.select(c.snapshot).where(c.snapshot.c.snapshot_id == c.AT)
_SNAPSHOTS = sa.select(c.snapshot).order_by(c.snapshot.c.snapshot_id)
_SNAPSHOT_COUNT = sa.select(sa.func.count()).select_from(c.snapshot)
_TABLES = (
    sa.select(
        c.table,
        c.schema.c.schema_name,
        c.schema.c.path.label("schema_path"),
        c.schema.c.path_is_relative.label("schema_path_is_relative"),
    )
    .join(c.schema, c.schema.c.schema_id == c.table.c.schema_id)
    .where(c.visible(c.table))
)
_TABLE_BY_ID = _TABLES.where(c.table.c.table_id == c.TABLE_ID)
_TABLES_NAMED = _TABLES.where(FoldedName(c.table.c.table_name) == sa.bindparam("folded"))
_PARTITIONING = (
    sa.select(c.partition_column)
    .join(c.partition_info, c.partition_info.c.partition_id == c.partition_column.c.partition_id)
    .where(c.partition_info.c.table_id == c.TABLE_ID, c.visible(c.partition_info))
    .order_by(c.partition_column.c.partition_key_index)
)
_SORTING = (
    sa.select(c.sort_expression)
    .join(c.sort_info, c.sort_info.c.sort_id == c.sort_expression.c.sort_id)
    .where(c.sort_info.c.table_id == c.TABLE_ID, c.visible(c.sort_info))
    .order_by(c.sort_expression.c.sort_key_index)
)
_SCOPE, _SCOPE_ID = c.ducklake_metadata.c.scope, c.ducklake_metadata.c.scope_id
_OPTIONS = sa.select(c.ducklake_metadata).where(
    sa.or_(
        _SCOPE.is_(None),
        sa.and_(_SCOPE == "schema", sa.bindparam("of_schema") == _SCOPE_ID),
        sa.and_(_SCOPE == "table", _SCOPE_ID == c.TABLE_ID),
    )
)


def check_version(connection: sa.Connection) -> None:
    """Refuse a catalog of an unsupported DuckLake version."""
    found = read_option(connection, "version")
    if found != c.VERSION:
        raise CatalogVersionRefused(
            f'the catalog is of DuckLake version "{found}"',
            detail=f"Headwater reads and writes version {c.VERSION}.",
            hint="Open it once with DuckDB and AUTOMATIC_MIGRATION, or use a release of Headwater that supports this version.",
        )
    if read_option(connection, "encrypted") == "true":
        raise FeatureRefused(
            "the lake is encrypted", hint="Create an unencrypted copy; Headwater can't read encrypted lakes."
        )


def read_option(connection: sa.Connection, key: str) -> str | None:
    """A setting of the whole lake."""
    settings = c.ducklake_metadata
    query = sa.select(settings.c.value).where(settings.c.key == key, settings.c.scope.is_(None))
    return connection.execute(query).scalar_one_or_none()


class LakeReader:
    """Tables, files and changes of a lake; `data_path` is absolute and ends in a slash.

    In a read-only transaction, the reader caches what it reads.
    """

    def __init__(self, connection: sa.Connection, data_path: str) -> None:
        self.connection = connection
        self.data_path = data_path
        self._known: dict[tuple[object, ...], Any] | None = None if writes(connection) else {}

    def once(self, key: tuple[object, ...], read: Callable[[], T]) -> T:
        """What `read` returns; in a read-only transaction, it is called once for the key."""
        if self._known is None:
            return read()
        if key not in self._known:
            self._known[key] = read()
        found: T = self._known[key]
        return found

    # Snapshots

    def latest(self) -> Snapshot:
        """The newest snapshot."""
        return self.once(("latest",), lambda: _snapshot(self.connection.execute(_LATEST).one()))

    def snapshot(self, snapshot_id: int) -> Snapshot:
        """The snapshot of this id, which must not have been expired."""
        if not isinstance(snapshot_id, int) or isinstance(snapshot_id, bool):
            raise InvalidRequest(
                f"{snapshot_id!r} is not a snapshot number", hint="Pass a snapshot number; lake.snapshots() lists them."
            )
        found = self._live(snapshot_id)
        if found is None:
            raise self.missing_snapshot(f"snapshot {snapshot_id} does not exist")
        return found

    def missing_snapshot(self, message: str) -> SnapshotMissing:
        """The error for a snapshot that does not exist, with the range of those that do."""
        low, high = self.connection.execute(
            sa.select(sa.func.min(c.snapshot.c.snapshot_id), sa.func.max(c.snapshot.c.snapshot_id))
        ).one()
        return SnapshotMissing(
            message,
            detail=f"The lake has snapshots {low} to {high}; some in between may have been expired.",
            hint="Choose a snapshot that the lake still has.",
        )

    def is_live(self, snapshot_id: int) -> bool:
        """Whether the snapshot has not been expired."""
        return self._live(snapshot_id) is not None

    def _live(self, snapshot_id: int) -> Snapshot | None:
        def read() -> Snapshot | None:
            row = self.connection.execute(_SNAPSHOT, {"at": snapshot_id}).one_or_none()
            return None if row is None else _snapshot(row)

        return self.once(("snapshot", snapshot_id), read)

    def snapshots(self) -> tuple[Snapshot, ...]:
        """All live snapshots, oldest first."""
        return tuple(_snapshot(row) for row in self.connection.execute(_SNAPSHOTS))

    def count_snapshots(self) -> int:
        """How many snapshots are live."""
        return self.connection.execute(_SNAPSHOT_COUNT).scalar_one()

    # Names

    def schemas(self, at: int) -> dict[str, int]:
        """Schema names and their ids."""
        query = sa.select(c.schema.c.schema_name, c.schema.c.schema_id).where(c.visible(c.schema, at))
        return {row.schema_name: row.schema_id for row in self.connection.execute(query)}

    def tables(self, at: int) -> tuple[Table, ...]:
        """All tables, by schema and name."""
        return self.once(
            ("tables", at), lambda: tuple(sorted(self._tables(_TABLES, at=at), key=lambda table: table.name))
        )

    def find_table(self, name: TableName, at: int) -> Table:
        """The table of this name; raises NotFound with the likely reason."""
        for table in self._tables(_TABLES_NAMED, at=at, folded=folded(name.name)):
            if table.name.same(name):
                return table
        for view in self.views(at):
            if view.name.same(name):
                raise NotFound(f"{name} is a view, not a table", hint="Name a table; only DuckDB reads views.")
        if at == self.latest().id:
            raise NotFound(f"table {name} does not exist", hint="Check the name and the schema.")
        raise NotFound(
            f"table {name} does not exist at snapshot {at}",
            hint="Check the name and the schema, or choose another snapshot.",
        )

    def table_by_id(self, table_id: int, at: int) -> Table | None:
        """The table of this id, with its name at the snapshot."""
        return self.once(
            ("table", table_id, at), lambda: next(iter(self._tables(_TABLE_BY_ID, at=at, of_table=table_id)), None)
        )

    def views(self, at: int) -> tuple[View, ...]:
        """All views, by schema and name."""
        query = (
            sa.select(c.view, c.schema.c.schema_name)
            .join(c.schema, c.schema.c.schema_id == c.view.c.schema_id)
            .where(c.visible(c.view, at))
        )
        views = (
            View(row.view_id, TableName(row.schema_name, row.view_name), row.dialect, row.sql, row.column_aliases)
            for row in self.connection.execute(query)
        )
        return tuple(sorted(views, key=lambda view: view.name))

    def find_view(self, name: TableName, at: int) -> View | None:
        """The view of this name, if there is one."""
        return next((view for view in self.views(at) if view.name.same(name)), None)

    # Properties of a table

    def columns(self, table: Table) -> ColumnHistory:
        """All versions of the table's columns."""
        return self.once(("columns", table.id), lambda: ColumnHistory.load(self.connection, table.id))

    def next_field_id(self, table: Table) -> int:
        """The field id of the next new column."""
        highest = sa.select(sa.func.max(c.column.c.column_id)).where(c.column.c.table_id == table.id)
        return int(self.connection.execute(highest).scalar_one()) + 1

    def schema(self, table: Table, at: int) -> Schema:
        """The table's columns at a snapshot."""
        return self.once(("schema", table.id, at), lambda: _readable(table, self.columns(table).schema_at(at)))

    def partitioning(self, table: Table, at: int) -> Partitioning | None:
        """The partitioning of new files of the table, if any."""
        rows = self.connection.execute(_PARTITIONING, {"of_table": table.id, "at": at}).all()
        if not rows:
            return None
        return Partitioning(rows[0].partition_id, tuple(PartitionField(row.column_id, row.transform) for row in rows))

    def sorting(self, table: Table, at: int) -> tuple[SortKey, ...]:
        """The sort order of new files of the table."""
        rows = self.connection.execute(_SORTING, {"of_table": table.id, "at": at})
        return tuple(
            SortKey(row.expression, row.sort_direction == "DESC", row.null_order == "NULLS_FIRST") for row in rows
        )

    def option(self, table: Table, key: str) -> str | None:
        """A setting of the table, else of its schema, else of the lake."""
        return self.options(table).get(key)

    def options(self, table: Table) -> dict[str, str]:
        """All settings that apply to the table: its own, else its schema's, else the lake's."""
        rows = self.connection.execute(_OPTIONS, {"of_table": table.id, "of_schema": table.schema_id}).all()
        nearest = sorted(rows, key=lambda row: (None, "schema", "table").index(row.scope))
        return {row.key: str(row.value) for row in nearest}

    def write_target(
        self, table: Table, at: int, *, keeps_row_ids: bool = False, extra: tuple[Column, ...] = ()
    ) -> WriteTarget:
        """How to write new files of the table: its schema, partitioning and options."""
        require_data_path(self.connection, self.data_path)
        options = self.options(table)
        target = WriteTarget(
            location=table.location,
            schema=self.schema(table, at),
            extra=extra,
            partitioning=self.partitioning(table, at),
            keeps_row_ids=keeps_row_ids,
        )
        given = {field: convert(options[key]) for key, (field, convert) in _WRITER_OPTIONS.items() if options.get(key)}
        return replace(target, **given)

    def new_location(self, name: TableName, uuid: str, at: int) -> str:
        """The folder of a table that is about to be created."""
        query = sa.select(c.schema).where(
            c.visible(c.schema, at), FoldedName(c.schema.c.schema_name) == folded(name.schema)
        )
        schema = self.connection.execute(query).one_or_none()
        if schema is None:
            raise NotFound(f'schema "{name.schema}" does not exist', hint=f'Run CREATE SCHEMA "{name.schema}" first.')
        return resolve(resolve(self.data_path, schema.path, schema.path_is_relative), folder_for(name.name, uuid), True)

    # Contents of a table

    def table_at(self, table: Table, at: int, *, read_as: int | None = None) -> TableAt:
        """All that is needed to read the table as of snapshot `at`, in its schema at snapshot `read_as`."""
        return self.once(("rows", table, at, read_as), lambda: self._table_at(table, at, read_as))

    def _table_at(self, table: Table, at: int, read_as: int | None) -> TableAt:
        history = self.columns(table)
        schema = _readable(table, history.schema_at(at if read_as is None else read_as))
        files = data_files(self.connection, table, history, schema, at, at)
        deletes = deletes_of(self.connection, table, files, at)
        inlined_deletes = self.inlined_deletes(table, at, at)
        rows = inlined.read_rows(self.connection, table.id, history, schema, at, at)
        return TableAt(
            table=table,
            snapshot=at,
            schema=schema,
            files=tuple(
                FileAt(file, deletes.get(file.id), tuple(position for position, _ in inlined_deletes.get(file.id, ())))
                for file in files
            ),
            inlined=InlinedRows(tuple((row.row_id, row.values) for row in rows)),
            mappings=mappings_of(self.connection, files),
            reused=history.reused(schema),
        )

    def inlined_deletes(self, table: Table, first: int, last: int) -> dict[int, list[tuple[int, int]]]:
        """Inlined deletes up to `last`, of files visible in [first, last]: file id to (position, begin snapshot)."""
        there = self.once(("inlined deletes",), lambda: inlined.deletes_tables(self.connection))
        return inlined.read_deletes(self.connection, table.id, first, last) if table.id in there else {}

    def may_hold_null(self, table: Table, column: Column) -> bool:
        """Whether the column may contain NULL. A table that never had rows contains none."""
        has_rows = sa.select(sa.func.count()).where(
            c.table_stats.c.table_id == table.id, c.table_stats.c.record_count > 0
        )
        if not self.connection.execute(has_rows).scalar_one():
            return False
        stats = c.table_column_stats
        query = sa.select(stats.c.contains_null).where(
            stats.c.table_id == table.id, stats.c.column_id == column.field_id
        )
        return self.connection.execute(query).scalar_one_or_none() is not False

    def _tables(self, query: sa.Select[Any], **values: object) -> tuple[Table, ...]:
        return tuple(
            Table(
                id=row.table_id,
                uuid=row.table_uuid,
                name=TableName(row.schema_name, row.table_name),
                schema_id=row.schema_id,
                location=resolve(
                    resolve(self.data_path, row.schema_path, row.schema_path_is_relative),
                    row.path,
                    row.path_is_relative,
                ),
            )
            for row in self.connection.execute(query, values)
        )


def _readable(table: Table, schema: Schema) -> Schema:
    """The schema; raises an error if the type of a column is not supported."""
    for column in schema.walk():
        if not is_known(column.type):
            raise FeatureRefused(
                f'column "{column.name}" of {table.name} has the unknown type "{column.type}"',
                hint="Use a release of Headwater that supports this type.",
            )
    return schema


def _snapshot(row: sa.Row[tuple[object, ...]]) -> Snapshot:
    return Snapshot(row.snapshot_id, row.snapshot_time, row.schema_version, row.next_catalog_id, row.next_file_id)
