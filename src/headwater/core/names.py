"""Names of tables, views and schemas."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_SCHEMA = "main"
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def folded(name: str) -> str:
    """The name as DuckDB compares it with others: without regard to the case of A to Z, and of no other letters.

    >>> folded("Überblick"), folded("ÜBERBLICK") == folded("überblick")
    ('Überblick', False)
    """
    return name.lower() if name.isascii() else name.translate(_LOWER)


def quote(identifier: str) -> str:
    """The identifier, quoted for SQL.

    >>> quote('we"ird')
    '"we""ird"'
    """
    return '"' + identifier.replace('"', '""') + '"'


def backquote(identifier: str) -> str:
    """The identifier, quoted for Spark SQL.

    >>> backquote("we`ird")
    '`we``ird`'
    """
    return "`" + identifier.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True, order=True)
class TableName:
    """A table or view, by schema and name; comparisons ignore case, as in DuckLake."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{quote(self.schema)}.{quote(self.name)}"

    @property
    def folded(self) -> TableName:
        """The name by which the object is found among others, whatever the case."""
        return TableName(folded(self.schema), folded(self.name))

    def same(self, other: TableName) -> bool:
        """Whether both name the same object."""
        return self.folded == other.folded
