"""What the generator knows of the lake that its statements will make."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from headwater.core.names import TableName
from tests.differential.domains import Type, draw


@dataclass(slots=True)
class ModelColumn:
    """A column; a pinned one must stay as it is, because partitioning or sorting names it."""

    name: str
    type: Type
    nullable: bool = True
    default: Any = None
    pinned: bool = False
    narrow: Type | None = None

    def promote(self, new: Type) -> Type:
        """Widen the column; the type that it had."""
        old, self.type = self.type, new
        self.narrow = self.narrow or old
        return old

    @property
    def scalar(self) -> bool:
        return not self.type.parts


@dataclass(slots=True)
class Batch:
    """Rows that were written together, by key: `home` is where, `deletes` whether a delete file exists for them."""

    home: str
    keys: list[int]
    deletes: bool = False
    changed: bool = False


@dataclass(slots=True)
class ModelTable:
    """A table whose rows are known by the integer in its key column; other columns hold anything."""

    name: TableName
    key: str
    columns: list[ModelColumn]
    inlines: bool = True
    batches: list[Batch] = field(default_factory=list)
    gone_names: list[str] = field(default_factory=list)
    partitioning: tuple[tuple[str, str], ...] = ()
    sorted: bool = False
    writer: str | None = None

    @property
    def keys(self) -> list[int]:
        return sorted({key for batch in self.batches for key in batch.keys})

    def of_home(self, home: str) -> list[Batch]:
        """The batches there that still have rows."""
        return [batch for batch in self.batches if batch.home == home and batch.keys]

    def remove(self, keys: list[int]) -> None:
        """Forget rows, as a DELETE does."""
        gone = set(keys)
        for batch in self.batches:
            left = [key for key in batch.keys if key not in gone]
            if len(left) < len(batch.keys):
                batch.changed = True
            batch.keys = left
        self.batches = [batch for batch in self.batches if batch.keys or batch.home == "inlined"]

    def column(self, name: str) -> ModelColumn:
        return next(column for column in self.columns if column.name == name)

    def free_name(self, rng: Random, names: tuple[str, ...]) -> str:
        """A column name that no column has or had."""
        taken = {column.name.casefold() for column in self.columns} | {name.casefold() for name in self.gone_names}
        return next(
            name
            for name in (*rng.sample(names, len(names)), *(f"c{number}" for number in range(1000)))
            if name.casefold() not in taken
        )

    def row(self, rng: Random, key: int) -> tuple[Any, ...]:
        """Values for all columns; those of structs stay simple where an update could inline them one day."""
        return tuple(key if column.name == self.key else self.value(rng, column) for column in self.columns)

    def value(self, rng: Random, column: ModelColumn) -> Any:
        """A value for one column other than the key.

        At a snapshot from before a promotion, DuckDB casts even the inlined rows that came later, so these stay narrow.
        """
        kind = column.narrow if self.inlines and column.narrow else column.type
        return draw(rng, kind, nullable=column.nullable, in_struct=self.inlines and kind.name == "struct")


@dataclass(slots=True)
class ModelLake:
    """Everything that lives, and the current inlining limit."""

    limit: int = 10
    tables: list[ModelTable] = field(default_factory=list)
    schemas: list[str] = field(default_factory=lambda: ["main"])
    views: list[TableName] = field(default_factory=list)
    next_key: int = 0
    next_file: int = 0
    steps: int = 0

    def limit_of(self, table: ModelTable) -> int:
        return self.limit if table.inlines else 0

    def new_keys(self, count: int) -> list[int]:
        """Keys that no row has."""
        first = self.next_key
        self.next_key += count
        return list(range(first, self.next_key))

    def free_table_name(self, rng: Random, names: tuple[str, ...], schema: str) -> TableName:
        """A name that no table or view has, in whatever case."""
        taken = {t.name.name.casefold() for t in self.tables} | {view.name.casefold() for view in self.views}
        for name in (*rng.sample(names, len(names)), *(f"t{number}" for number in range(1000))):
            if name.casefold() not in taken:
                return TableName(schema, name)
        raise AssertionError("names run out")
