"""Names of tables, views and schemas."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_SCHEMA = "main"


def quote(identifier: str) -> str:
    """The identifier as it must be written in SQL.

    >>> quote('we"ird')
    '"we""ird"'
    """
    return '"' + identifier.replace('"', '""') + '"'


def backquote(identifier: str) -> str:
    """The identifier as it must be written in Spark SQL.

    >>> backquote("we`ird")
    '`we``ird`'
    """
    return "`" + identifier.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True, order=True)
class TableName:
    """A table or view, by schema and name; compared without regard to case as DuckLake does."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{quote(self.schema)}.{quote(self.name)}"

    def same(self, other: TableName) -> bool:
        """Whether both name the same object."""
        return self.schema.casefold() == other.schema.casefold() and self.name.casefold() == other.name.casefold()
