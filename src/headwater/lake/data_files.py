"""The files of a table in the catalog."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

import sqlalchemy as sa

from headwater.core.errors import FeatureRefused, SnapshotMissing
from headwater.core.schema import Column, Schema
from headwater.lake import catalog as c
from headwater.lake.column_history import ColumnHistory
from headwater.lake.paths import resolve
from headwater.lake.values import DataFile, DeleteFile, NamedColumn, NameMapping, Table

_FILES = sa.select(c.data_file).where(
    c.data_file.c.table_id == c.TABLE_ID,
    sa.or_(c.visible(c.data_file), c.visible(c.data_file, sa.bindparam("or_at", type_=sa.BigInteger()))),
)
_DELETE_FILES = sa.select(c.delete_file).where(c.delete_file.c.table_id == c.TABLE_ID, c.visible(c.delete_file))


def partition_values(connection: sa.Connection, table: Table) -> dict[int, tuple[str | None, ...]]:
    """The partition values of each data file, in key order."""
    values = c.file_partition_value
    query = sa.select(values).where(values.c.table_id == table.id).order_by(values.c.partition_key_index)
    found: defaultdict[int, list[str | None]] = defaultdict(list)
    for row in connection.execute(query):
        found[row.data_file_id].append(row.partition_value)
    return {file_id: tuple(keys) for file_id, keys in found.items()}


def data_files(
    connection: sa.Connection, table: Table, history: ColumnHistory, schema: Schema, start: int, end: int
) -> tuple[DataFile, ...]:
    """The data files visible at `start` or `end`, with what is needed to read each of them in `schema`.

    A rewritten file (without row_id_start) begins at its rewrite, but has the columns and types of the file that it replaces.
    Which columns it has follows from the statistics; for types that Spark can't widen, its footer is read.
    """
    rows = connection.execute(_FILES, {"of_table": table.id, "at": start, "or_at": end}).all()
    holding = _files_holding(connection, table, history.late_defaults(schema))
    unsigned = history.widened(schema, "uint64")
    files = []
    for row in rows:
        if row.encryption_key:
            raise FeatureRefused(
                f"table {table.name} has encrypted files", hint="Create an unencrypted copy of the table."
            )
        if row.file_format != "parquet":
            raise FeatureRefused(
                f'table {table.name} has files of format "{row.file_format}"', hint="Rewrite the table as Parquet."
            )
        path = resolve(table.location, row.path, row.path_is_relative)
        absent, older_types = history.gaps(row.begin_snapshot, schema)
        absent |= {field_id for field_id, ids in holding.items() if row.data_file_id not in ids}
        if row.row_id_start is None and unsigned:
            # Imported here because it loads Arrow, which few tables need for their metadata.
            from headwater.lake.parquet import unsigned_types

            types = unsigned_types(path)
            older_types = tuple((id, types[id]) for id in unsigned if types.get(id, "uint64") != "uint64")
        files.append(
            DataFile(
                id=row.data_file_id,
                path=path,
                records=row.record_count,
                bytes=row.file_size_bytes,
                begin=row.begin_snapshot,
                end=row.end_snapshot,
                row_id_start=row.row_id_start,
                partial_max=row.partial_max,
                mapping_id=row.mapping_id,
                absent=absent,
                older_types=older_types,
            )
        )
    mappings = {mapping.id: mapping for mapping in mappings_of(connection, files)}
    return tuple(_as_mapped(file, mappings, schema) for file in sorted(files, key=lambda file: file.id))


def _files_holding(connection: sa.Connection, table: Table, columns: tuple[Column, ...]) -> dict[int, set[int]]:
    """For each column, the ids of the files that contain it."""
    stats = c.file_column_stats
    owner = {leaf.field_id: column.field_id for column in columns for leaf in column.leaves()}
    found: dict[int, set[int]] = {column.field_id: set() for column in columns}
    if owner:
        query = sa.select(stats.c.data_file_id, stats.c.column_id).where(
            stats.c.table_id == table.id, stats.c.column_id.in_(owner)
        )
        for row in connection.execute(query):
            found[owner[row.column_id]].add(row.data_file_id)
    return found


def _delete_files(connection: sa.Connection, table: Table, at: int) -> tuple[DeleteFile, ...]:
    """The delete files of the table that are visible at a snapshot."""
    deletes = []
    for row in connection.execute(_DELETE_FILES, {"of_table": table.id, "at": at}):
        if row.format != "parquet":
            raise FeatureRefused(
                f'table {table.name} has delete files of format "{row.format}"',
                detail="Headwater reads Parquet delete files; Puffin deletion vectors are experimental in DuckLake.",
                hint="Rewrite the table's data files with DuckDB, with deletion vectors turned off.",
            )
        deletes.append(
            DeleteFile(
                id=row.delete_file_id,
                data_file_id=row.data_file_id,
                path=resolve(table.location, row.path, row.path_is_relative),
                count=row.delete_count,
                begin=row.begin_snapshot,
                end=row.end_snapshot,
                partial_max=row.partial_max,
            )
        )
    return tuple(deletes)


def deletes_of(connection: sa.Connection, table: Table, files: Iterable[DataFile], at: int) -> dict[int, DeleteFile]:
    """The delete files that are visible at a snapshot, by data file id."""
    found: dict[int, DeleteFile] = {}
    shown = {file.id for file in files if file.visible(at)}
    for each in _delete_files(connection, table, at):
        if each.data_file_id in shown and found.setdefault(each.data_file_id, each) is not each:
            raise SnapshotMissing(
                f"snapshot {at} of table {table.name} can't be read: a file has two delete files",
                detail="DuckDB leaves this state when it flushes deletes from a file that it has rewritten.",
                hint="Read a newer snapshot.",
            )
    return found


def mappings_of(connection: sa.Connection, files: Iterable[DataFile]) -> tuple[NameMapping, ...]:
    """The name mappings that these files need."""
    ids = sorted({file.mapping_id for file in files if file.mapping_id is not None})
    return tuple(_mapping(connection, mapping_id) for mapping_id in ids)


def _mapping(connection: sa.Connection, mapping_id: int) -> NameMapping:
    rows = connection.execute(sa.select(c.name_mapping).where(c.name_mapping.c.mapping_id == mapping_id)).all()
    below: defaultdict[int | None, list[sa.Row[tuple[object, ...]]]] = defaultdict(list)
    for row in rows:
        below[row.parent_column].append(row)

    def build(parent: int | None) -> tuple[NamedColumn, ...]:
        return tuple(
            NamedColumn(row.target_field_id, row.source_name, bool(row.is_partition), build(row.column_id))
            for row in below[parent]
        )

    return NameMapping(mapping_id, build(None))


def _as_mapped(file: DataFile, mappings: dict[int, NameMapping], schema: Schema) -> DataFile:
    """The file with `absent` taken from its name mapping, which may have fewer columns than the table had."""
    if file.mapping_id is None:
        return file
    mapped = {column.field_id for column in mappings[file.mapping_id].columns}
    return replace(file, absent=frozenset(column.field_id for column in schema) - mapped)
