"""The operations of a commit, as values. A commit can have any number of them, on any number of tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.core.names import TableName
from headwater.core.schema import Column, SortKey
from headwater.lake.values import PartitionField, WrittenFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class CreateSchemaOp:
    name: str


@dataclass(frozen=True, slots=True)
class DropSchemaOp:
    """Drop a schema. It must be empty, or other operations of the same commit must empty it."""

    schema_id: int


@dataclass(frozen=True, slots=True)
class CreateTableOp:
    """A new table; its columns have field ids. Rows may follow in the same commit, as a StagedChange for the name."""

    name: TableName
    columns: tuple[Column, ...]
    uuid: str
    partitioned_by: tuple[PartitionField, ...] = ()
    sorted_by: tuple[SortKey, ...] = ()


@dataclass(frozen=True, slots=True)
class DropTableOp:
    table_id: int


@dataclass(frozen=True, slots=True)
class RenameTableOp:
    table_id: int
    name: TableName


@dataclass(frozen=True, slots=True)
class AddColumnOp:
    """A new last column. In existing rows it has its default, or its initial default if it has none."""

    table_id: int
    column: Column


@dataclass(frozen=True, slots=True)
class DropColumnOp:
    table_id: int
    field_id: int


@dataclass(frozen=True, slots=True)
class ChangeColumn:
    """A new version of a top-level column with the same field id: another name, type, default or nullability."""

    table_id: int
    column: Column


@dataclass(frozen=True, slots=True)
class OrderColumns:
    """The order of a table's top-level columns, all of them by field id."""

    table_id: int
    field_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SetPartitioningOp:
    table_id: int
    fields: tuple[PartitionField, ...]


@dataclass(frozen=True, slots=True)
class SetSortingOp:
    table_id: int
    keys: tuple[SortKey, ...]


@dataclass(frozen=True, slots=True)
class SetComment:
    """A comment on a table or view, or on one column of a table; None removes it."""

    object_id: int
    text: str | None
    field_id: int | None = None
    is_view: bool = False


@dataclass(frozen=True, slots=True)
class CreateViewOp:
    name: TableName
    sql: str
    dialect: str = "duckdb"
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DropViewOp:
    view_id: int


@dataclass(frozen=True, slots=True)
class RenameViewOp:
    view_id: int
    name: TableName


@dataclass(frozen=True, slots=True, eq=False)
class DeletedPositions:
    """Rows to delete from one data file, by ascending position."""

    data_file_id: int
    positions: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StagedChange:
    """Rows to insert into and delete from one table: new files, positions, ids of inlined rows.

    `table` is an id, or the name of a table created in the same commit. `replace` deletes all existing rows.
    """

    table: int | TableName
    files: tuple[WrittenFile, ...] = ()
    deletes: tuple[DeletedPositions, ...] = ()
    inlined_deletes: tuple[int, ...] = ()
    replace: bool = False

    @property
    def empty(self) -> bool:
        return not (self.files or self.deletes or self.inlined_deletes or self.replace)


@dataclass(frozen=True, slots=True)
class MergedFiles:
    """Data files merged into one that embeds row ids and the begin snapshot of each row, so that no snapshot changes.

    The begin snapshots of its rows are in [begin, last]. A commit that compacts has no other operations.
    """

    table: int
    gone: tuple[int, ...]
    file: WrittenFile
    begin: int
    last: int

    @property
    def files(self) -> tuple[WrittenFile, ...]:
        return (self.file,)


@dataclass(frozen=True, slots=True)
class RewrittenFiles:
    """The visible rows of data files, in new files that embed row ids. Older snapshots read the old files."""

    table: int
    gone: tuple[int, ...]
    files: tuple[WrittenFile, ...]


Operation = (
    CreateSchemaOp
    | DropSchemaOp
    | CreateTableOp
    | DropTableOp
    | RenameTableOp
    | AddColumnOp
    | DropColumnOp
    | ChangeColumn
    | OrderColumns
    | SetPartitioningOp
    | SetSortingOp
    | SetComment
    | CreateViewOp
    | DropViewOp
    | RenameViewOp
    | StagedChange
    | MergedFiles
    | RewrittenFiles
)
# Operations with files that are not yet in the catalog.
WITH_FILES = (StagedChange, MergedFiles, RewrittenFiles)
