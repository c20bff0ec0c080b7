"""Tables, files, changes and statistics of a lake, as values that other packages use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from headwater.core.names import TableName
from headwater.core.schema import Column, Schema
from headwater.lake.value_text import parse

# Columns that DuckLake stores in files but does not list in the catalog, with their Parquet field ids.
STORED_ROW_ID, STORED_ROW_ID_FIELD = "_ducklake_internal_row_id", 2147483540
SNAPSHOT_ID, SNAPSHOT_ID_FIELD = "_ducklake_internal_snapshot_id", 2147483539
DELETE_PATH, DELETE_PATH_FIELD = "file_path", 2147483646
DELETE_POSITION, DELETE_POSITION_FIELD = "pos", 2147483645
# The id of a partitioning that the same commit creates.
NEW_PARTITIONING = -1


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One row of ducklake_snapshot."""

    id: int
    time: datetime
    schema_version: int
    next_catalog_id: int
    next_file_id: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table's identity at a snapshot. The id survives renames; the location is absolute and ends in a slash."""

    id: int
    uuid: str
    name: TableName
    schema_id: int
    location: str


@dataclass(frozen=True, slots=True)
class View:
    """A view of the catalog."""

    id: int
    name: TableName
    dialect: str
    sql: str
    aliases: str


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """The place of a column in a name-mapped file: its name in the file, or in the path as a hive partition."""

    field_id: int
    source_name: str
    is_partition: bool = False
    children: tuple[NamedColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class NameMapping:
    """The columns of a file without field ids, by name."""

    id: int
    columns: tuple[NamedColumn, ...]


@dataclass(frozen=True, slots=True)
class DataFile:
    """One Parquet file of a table.

    The row ids are row_id_start + position, unless the file embeds them. With `partial_max`, the file embeds the begin snapshot
    of each row. `absent` has the field ids of top-level columns of the reading schema that the file lacks, `older_types` the
    leaf columns that it stores in an older, narrower type (field id to type).
    """

    id: int
    path: str
    records: int
    bytes: int
    begin: int
    end: int | None
    row_id_start: int | None
    partial_max: int | None = None
    mapping_id: int | None = None
    absent: frozenset[int] = frozenset()
    older_types: tuple[tuple[int, str], ...] = ()

    def visible(self, at: int) -> bool:
        """Whether the file is visible at a snapshot."""
        return self.begin <= at and (self.end is None or at < self.end)


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """The positions deleted from one data file; if it embeds snapshot ids, each from its own snapshot on."""

    id: int
    data_file_id: int
    path: str
    count: int
    begin: int
    end: int | None
    partial_max: int | None = None


@dataclass(frozen=True, slots=True)
class FileAt:
    """A data file at a snapshot with its deletes: a delete file, and positions inlined in the catalog."""

    file: DataFile
    deletes: DeleteFile | None = None
    inlined_deletes: tuple[int, ...] = ()

    @property
    def deleted(self) -> int:
        """How many rows of the file are deleted."""
        return (self.deletes.count if self.deletes else 0) + len(self.inlined_deletes)


@dataclass(frozen=True, slots=True)
class InlinedRows:
    """Inlined rows: (row id, values in the order of the reading schema)."""

    rows: tuple[tuple[int, tuple[Any, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class TableAt:
    """All that is needed to read a table as of one snapshot, in `schema` (usually the schema at that snapshot).

    `reused` are the columns whose name another column of the table has had; None if that is unknown.
    """

    table: Table
    snapshot: int
    schema: Schema
    files: tuple[FileAt, ...]
    inlined: InlinedRows
    mappings: tuple[NameMapping, ...] = ()
    reused: frozenset[int] | None = None

    @property
    def bytes(self) -> int:
        return sum(at.file.bytes for at in self.files)

    @property
    def rows(self) -> int:
        """How many rows the catalog counts."""
        deleted = sum(at.deleted for at in self.files)
        return sum(at.file.records for at in self.files) - deleted + len(self.inlined.rows)


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A data file whose visible rows differ between two snapshots; None where the file itself is not visible.

    `changed_rows` of them differ, if they were counted; otherwise the catalog has bounds.
    """

    before: FileAt | None
    after: FileAt | None
    changed_rows: int | None = None

    @property
    def file(self) -> DataFile:
        at = self.after or self.before
        assert at is not None
        return at.file


@dataclass(frozen=True, slots=True)
class TableChanges:
    """The places of the rows that were inserted or deleted in (start, end], to be read in the schema at `end`.

    `rewritten_rows` of the rows that the files' counts include were only rewritten.
    """

    table: Table
    start: int
    end: int
    schema: Schema
    files: tuple[FileDiff, ...]
    inlined_added: InlinedRows = InlinedRows()
    inlined_removed: InlinedRows = InlinedRows()
    mappings: tuple[NameMapping, ...] = ()
    reused: frozenset[int] | None = None
    rewritten_rows: int = 0

    @property
    def empty(self) -> bool:
        return not (self.files or self.inlined_added.rows or self.inlined_removed.rows)


def with_schema(held: TableAt | TableChanges, schema: Schema) -> TableAt | TableChanges:
    """The same rows with the columns of `schema`, matched by field id; names may differ."""
    if schema == held.schema:
        return held
    places = {column.field_id: place for place, column in enumerate(held.schema)}
    kept = [places[column.field_id] for column in schema]
    renamed = any(held.schema.columns[place].name != column.name for place, column in zip(kept, schema, strict=True))
    reused = None if renamed else held.reused

    def cut(inlined: InlinedRows) -> InlinedRows:
        return InlinedRows(tuple((id, tuple(values[place] for place in kept)) for id, values in inlined.rows))

    if isinstance(held, TableAt):
        return replace(held, schema=schema, inlined=cut(held.inlined), reused=reused)
    added, removed = cut(held.inlined_added), cut(held.inlined_removed)
    return replace(held, schema=schema, inlined_added=added, inlined_removed=removed, reused=reused)


def with_columns(at: TableAt, schema: Schema) -> TableAt:
    """The table after a change of its columns; existing rows have the initial default of new columns."""
    known = {column.field_id for column in at.schema}
    kept, new = (tuple(column for column in schema if (column.field_id in known) is old) for old in (True, False))
    seen = with_schema(at, Schema(kept))
    assert isinstance(seen, TableAt)
    if not new and kept == schema.columns:
        return seen
    late = frozenset(column.field_id for column in new)
    first = {c.field_id: None if c.initial_default is None else parse(c, c.initial_default) for c in new}
    places = {column.field_id: place for place, column in enumerate(kept)}

    def filled(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(first[c.field_id] if c.field_id in first else values[places[c.field_id]] for c in schema)

    return replace(
        seen,
        schema=schema,
        files=tuple(replace(each, file=replace(each.file, absent=each.file.absent | late)) for each in seen.files),
        inlined=InlinedRows(tuple((id, filled(values)) for id, values in seen.inlined.rows)),
        reused=None,
    )


@dataclass(frozen=True, slots=True)
class PartitionField:
    """One key of a table's partitioning: a top-level column and identity, year, month, day, hour or bucket(n)."""

    field_id: int
    transform: str


@dataclass(frozen=True, slots=True)
class Partitioning:
    """The keys by which a table's files are partitioned."""

    id: int
    fields: tuple[PartitionField, ...]


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """The statistics of one leaf column of one file. Bounds are DuckLake's text; None where unknown."""

    field_id: int
    bytes: int
    values: int
    nulls: int
    min: str | None
    max: str | None
    has_nan: bool | None = None


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A data file that is written but not yet in the catalog. The path is absolute."""

    path: str
    records: int
    bytes: int
    footer_bytes: int
    stats: tuple[ColumnStats, ...]
    partition_id: int | None = None
    partition_values: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """What a writer needs to know of a table to write files for it; picklable, so that Spark can send it to executors.

    `extra` are uncatalogued columns with their field ids.
    """

    location: str
    schema: Schema
    extra: tuple[Column, ...] = ()
    partitioning: Partitioning | None = None
    keeps_row_ids: bool = False
    target_bytes: int = 512 * 1024 * 1024
    compression: str = "snappy"
    compression_level: int | None = None
    row_group_rows: int = 122_880
