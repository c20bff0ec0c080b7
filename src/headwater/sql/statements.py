"""The statements that Headwater supports, as values."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.core.schema import Column, SortKey


@dataclass(frozen=True, slots=True)
class SchemaName:
    """A schema name as written, optionally with a catalog."""

    name: str
    catalog: str | None = None


@dataclass(frozen=True, slots=True)
class ObjectName:
    """The name of a table or view as written. Whether `schema` is a schema or the catalog is resolved later."""

    name: str
    schema: str | None = None
    catalog: str | None = None


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """A column and a transform of its values: identity, year, month, day, hour or bucket(n)."""

    column: str
    transform: str = "identity"


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """CREATE SCHEMA."""

    name: SchemaName
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropSchema:
    """DROP SCHEMA; `cascade` also drops the objects in it."""

    name: SchemaName
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE; its columns have no field ids yet."""

    name: ObjectName
    columns: tuple[Column, ...]
    if_not_exists: bool = False
    or_replace: bool = False
    partitioned_by: tuple[PartitionKey, ...] = ()
    sorted_by: tuple[SortKey, ...] = ()


@dataclass(frozen=True, slots=True)
class DropTable:
    """DROP TABLE."""

    name: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameTable:
    """ALTER TABLE … RENAME TO; the table stays in its schema."""

    name: ObjectName
    new_name: str


@dataclass(frozen=True, slots=True)
class AddColumn:
    """ALTER TABLE … ADD COLUMN."""

    table: ObjectName
    column: Column
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropColumn:
    """ALTER TABLE … DROP COLUMN."""

    table: ObjectName
    column: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """ALTER TABLE … RENAME COLUMN."""

    table: ObjectName
    column: str
    new_name: str


@dataclass(frozen=True, slots=True)
class ChangeColumnType:
    """ALTER TABLE … ALTER COLUMN … SET DATA TYPE; `type` includes nested types."""

    table: ObjectName
    column: str
    type: Column


@dataclass(frozen=True, slots=True)
class SetDefault:
    """ALTER TABLE … ALTER COLUMN … SET DEFAULT, with the text of `Column.default`."""

    table: ObjectName
    column: str
    default: str | None
    default_is_expression: bool = False


@dataclass(frozen=True, slots=True)
class DropDefault:
    """ALTER TABLE … ALTER COLUMN … DROP DEFAULT."""

    table: ObjectName
    column: str


@dataclass(frozen=True, slots=True)
class SetNotNull:
    """ALTER TABLE … ALTER COLUMN … SET NOT NULL."""

    table: ObjectName
    column: str


@dataclass(frozen=True, slots=True)
class DropNotNull:
    """ALTER TABLE … ALTER COLUMN … DROP NOT NULL."""

    table: ObjectName
    column: str


@dataclass(frozen=True, slots=True)
class SetPartitioning:
    """ALTER TABLE … SET PARTITIONED BY, or RESET PARTITIONED BY if there are no keys."""

    table: ObjectName
    keys: tuple[PartitionKey, ...] = ()


@dataclass(frozen=True, slots=True)
class SetSorting:
    """ALTER TABLE … SET SORTED BY, or RESET SORTED BY if there are no keys."""

    table: ObjectName
    keys: tuple[SortKey, ...] = ()


@dataclass(frozen=True, slots=True)
class CommentOnTable:
    """COMMENT ON TABLE; None removes it."""

    table: ObjectName
    comment: str | None


@dataclass(frozen=True, slots=True)
class CommentOnColumn:
    """COMMENT ON COLUMN; None removes it."""

    table: ObjectName
    column: str
    comment: str | None


@dataclass(frozen=True, slots=True)
class CreateView:
    """CREATE VIEW; `query` is the text as written, in `dialect`."""

    name: ObjectName
    query: str
    aliases: tuple[str, ...] = ()
    or_replace: bool = False
    if_not_exists: bool = False
    dialect: str = "duckdb"


@dataclass(frozen=True, slots=True)
class DropView:
    """DROP VIEW."""

    name: ObjectName
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameView:
    """ALTER VIEW … RENAME TO; the view stays in its schema."""

    name: ObjectName
    new_name: str


Statement = (
    CreateSchema
    | DropSchema
    | CreateTable
    | DropTable
    | RenameTable
    | AddColumn
    | DropColumn
    | RenameColumn
    | ChangeColumnType
    | SetDefault
    | DropDefault
    | SetNotNull
    | DropNotNull
    | SetPartitioning
    | SetSorting
    | CommentOnTable
    | CommentOnColumn
    | CreateView
    | DropView
    | RenameView
)
