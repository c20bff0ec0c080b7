"""Columns and schemas, with DuckLake's field ids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.core.names import folded
from headwater.core.types import NESTED


@dataclass(frozen=True, slots=True)
class Column:
    """One column, or one part of a nested column.

    A struct's children are its fields; a list has one child ``element``; a map has ``key`` and ``value``. The field id is
    the catalog's column_id and the Parquet field_id; 0 means that it is not assigned yet.
    """

    name: str
    type: str
    field_id: int = 0
    children: tuple[Column, ...] = ()
    nullable: bool = True
    default: str | None = None
    default_is_expression: bool = False
    initial_default: str | None = None

    @property
    def nested(self) -> bool:
        return self.type in NESTED

    def walk(self) -> Iterator[Column]:
        """The column and its nested parts, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> Iterator[Column]:
        """The scalar parts, in file order."""
        return (column for column in self.walk() if not column.nested)

    def type_text(self) -> str:
        """The type with DuckLake's names, including nested parts.

        >>> Column("l", "list", children=(Column("element", "int32"),)).type_text()
        'list<int32>'
        """
        match self.type:
            case "struct":
                return "struct<" + ", ".join(f"{c.name}: {c.type_text()}" for c in self.children) + ">"
            case "list" | "map":
                return f"{self.type}<" + ", ".join(c.type_text() for c in self.children) + ">"
            case _:
                return self.type


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table in order."""

    columns: tuple[Column, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def walk(self) -> Iterator[Column]:
        for column in self.columns:
            yield from column.walk()

    def leaves(self) -> Iterator[Column]:
        for column in self.columns:
            yield from column.leaves()

    def find(self, name: str) -> Column | None:
        """The top-level column of this name, ignoring case as in DuckLake."""
        wanted = folded(name)
        return next((column for column in self.columns if folded(column.name) == wanted), None)


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of a sort order: a DuckDB expression, usually a column name."""

    expression: str
    descending: bool = False
    nulls_first: bool = False


def number(columns: tuple[Column, ...], first: int = 1) -> tuple[Column, ...]:
    """The columns with field ids assigned in order, parents before children, as in DuckLake's CREATE TABLE."""
    following = iter(range(first, first + sum(1 for column in columns for _ in column.walk())))

    def visit(column: Column) -> Column:
        field_id = next(following)
        return replace(column, field_id=field_id, children=tuple(visit(child) for child in column.children))

    return tuple(visit(column) for column in columns)
