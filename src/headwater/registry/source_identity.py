"""What the result of a definition depends on, as stored with its frontier."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.core.names import TableName


class SourceColumn(NamedTuple):
    """A column that a definition reads; `name` is the one by which the definition knows it."""

    field_id: int
    type: str
    initial_default: str | None
    name: str


@dataclass(frozen=True, slots=True)
class SourceIdentity:
    """The columns that a query reads, by table id, and the texts of its views, by name.

    `read` has the lake snapshots at which it read other dynamic tables, by table id.
    """

    tables: Mapping[int, tuple[SourceColumn, ...]] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    read: Mapping[int, int] = field(default_factory=dict)

    @property
    def names(self) -> dict[int, dict[int, str]]:
        """The names by which the definition knows the columns that it reads, by table and field id."""
        return {id: {column.field_id: column.name for column in columns} for id, columns in self.tables.items()}

    def same_sources(self, other: SourceIdentity) -> bool:
        """Whether both have the same columns under the same names, and the same views."""
        return (self.tables, self.views) == (other.tables, other.views)

    def change(self, new: SourceIdentity, names: Mapping[int, TableName]) -> str | None:
        """The reason for a refresh if the new identity differs in more than the names of columns.

        >>> old = SourceIdentity({1: (SourceColumn(5, "BIGINT", None, "k"),)})
        >>> old.change(SourceIdentity({1: (SourceColumn(5, "BIGINT", None, "key"),)}), {})
        >>> old.change(SourceIdentity({1: (SourceColumn(6, "BIGINT", None, "k"),)}), {1: TableName("main", "t")})
        'columns of "main"."t" that the query reads changed'
        """
        if self.tables.keys() != new.tables.keys():
            added = [names[id] for id in new.tables.keys() - self.tables.keys() if id in names]
            return f"{', '.join(map(str, added)) or 'a source'} replaced another table"
        for id, columns in new.tables.items():
            if [column[:3] for column in columns] != [column[:3] for column in self.tables[id]]:
                return f"columns of {names.get(id, id)} that the query reads changed"
        return "a view that the query reads changed" if self.views != new.views else None

    def text(self) -> str:
        """The stored text."""
        tables = {str(id): [list(column) for column in columns] for id, columns in self.tables.items()}
        read = {str(id): snapshot for id, snapshot in self.read.items()}
        return json.dumps({"tables": tables, "views": dict(self.views), "read": read}, sort_keys=True)

    @classmethod
    def from_text(cls, text: str) -> SourceIdentity:
        """The value of a stored text."""
        stored = json.loads(text or "{}")
        return cls(
            {
                int(id): tuple(SourceColumn(*column) for column in columns)
                for id, columns in stored.get("tables", {}).items()
            },
            stored.get("views", {}),
            {int(id): snapshot for id, snapshot in stored.get("read", {}).items()},
        )
