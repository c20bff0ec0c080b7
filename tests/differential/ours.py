"""The operations of a history that Headwater performs, and the role that performs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from headwater.core.names import TableName
from headwater.core.schema import Column


@dataclass(frozen=True, slots=True)
class Where:
    """Rows whose column compares so to the value; `op` is one of = <> < <= > >= in, the last with a tuple."""

    column: str
    op: str
    value: Any


@dataclass(frozen=True, slots=True)
class Append:
    """Add rows; the columns not named get their defaults."""

    table: TableName
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the rows that match."""

    table: TableName
    where: Where


@dataclass(frozen=True, slots=True)
class Update:
    """Set columns in the rows that match, which keep their row ids."""

    table: TableName
    where: Where
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Replace:
    """Put these rows in the place of all rows."""

    table: TableName
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class CreateTable:
    """Make a table; partitioning as (column, transform)."""

    table: TableName
    columns: tuple[Column, ...]
    partitioning: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DropTable:
    """Drop a table."""

    table: TableName


@dataclass(frozen=True, slots=True)
class RenameTable:
    """Give a table another name in its schema."""

    table: TableName
    name: str


@dataclass(frozen=True, slots=True)
class AddColumn:
    """Add a column; `column.default` is DuckLake's text of the value that old rows get as well."""

    table: TableName
    column: Column


@dataclass(frozen=True, slots=True)
class DropColumn:
    """Drop a column."""

    table: TableName
    column: str


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """Give a column another name."""

    table: TableName
    column: str
    name: str


@dataclass(frozen=True, slots=True)
class PromoteColumn:
    """Widen a column to another DuckLake type."""

    table: TableName
    column: str
    type: str


@dataclass(frozen=True, slots=True)
class SetDefault:
    """Set what new rows get, as DuckLake's text; None drops the default."""

    table: TableName
    column: str
    default: str | None


@dataclass(frozen=True, slots=True)
class SetNullable:
    """Allow or forbid NULL in a column."""

    table: TableName
    column: str
    nullable: bool


@dataclass(frozen=True, slots=True)
class SetPartitioning:
    """Split files written from now on by (column, transform)."""

    table: TableName
    partitioning: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """Make a schema."""

    name: str


@dataclass(frozen=True, slots=True)
class DropSchema:
    """Drop an empty schema."""

    name: str


@dataclass(frozen=True, slots=True)
class CreateView:
    """Make a view in DuckDB's dialect, or put it in the place of the one of this name."""

    view: TableName
    sql: str


@dataclass(frozen=True, slots=True)
class DropView:
    """Drop a view."""

    view: TableName


@dataclass(frozen=True, slots=True)
class Compact:
    """Merge and rewrite whatever files of a table can be; nobody may notice."""

    table: TableName


@dataclass(frozen=True, slots=True)
class Expire:
    """Expire every second snapshot but the newest."""


@dataclass(frozen=True, slots=True)
class CleanUp:
    """Delete the files that no snapshot shows any more."""


Operation = (
    Append
    | Delete
    | Update
    | Replace
    | CreateTable
    | DropTable
    | RenameTable
    | AddColumn
    | DropColumn
    | RenameColumn
    | PromoteColumn
    | SetDefault
    | SetNullable
    | SetPartitioning
    | CreateSchema
    | DropSchema
    | CreateView
    | DropView
    | Compact
    | Expire
    | CleanUp
)


class OurSide(Protocol):
    """Headwater, as a history sees it. Values are Python's: structs are dicts, lists lists, maps tuples of pairs."""

    def perform(self, operations: Sequence[Operation]) -> None:
        """Do all of them in one commit."""
