"""A history while it is being written: steps, offers of steps, and the choice among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from headwater.core.names import TableName, quote
from tests.differential import features
from tests.differential.domains import PLAIN_NESTED, RICH_NESTED, SCALARS, Type, literal, scalar
from tests.differential.duck_side import definition
from tests.differential.model import Batch, ModelColumn, ModelLake, ModelTable
from tests.differential.ours import Operation

COLUMN_NAMES = ("a", "b", "v", "Value", "we ird", 'q"uote', "select", "größe", "x.y")
PLAIN_NAMES = ("orders", "items", "people", "events", "Sales")
WEIRD_NAMES = ("we ird", 'q"uote', "SELECT", "größe 漢", "it's", "a.b", "%41", "trailing ")


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a history: DuckDB's statements, or operations of ours in one commit.

    After `fresh` steps DuckDB attaches the lake anew, because it would go on with cached statistics of the wrong type.
    A step may be refused with an error that holds the text it `tolerates`: a known bug of DuckDB's.
    ``@ext@`` in a statement is a folder outside the lake's data, ``@versions@`` some snapshots chosen when it runs.
    """

    features: tuple[str, ...]
    statements: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    fresh: bool = False
    tolerates: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """A step that could come next: what it would count for, and how to make it (which also changes the model)."""

    features: tuple[str, ...]
    make: Callable[[], Step]


@dataclass(slots=True)
class Draft:
    """The model so far, the dice, and how often each feature has been met in all histories."""

    rng: Random
    counts: Counter[str]
    with_ours: bool
    lake: ModelLake = field(default_factory=ModelLake)

    def choose(self, offers: list[Offer]) -> Offer:
        """One of the offers; the rarer its rarest feature, the likelier."""
        weights = [(1.0 + min(self.counts[name] for name in offer.features)) ** -5 for offer in offers]
        return self.rng.choices(offers, weights)[0]

    def count(self, step: Step) -> None:
        """Remember what the step covers."""
        self.counts.update(step.features)

    def some(self, items: list[Any], most: int) -> list[Any]:
        """A few of the items, at least one."""
        return sorted(self.rng.sample(items, self.rng.randint(1, min(most, len(items)))))

    def pick_type(self, *, ours: bool, inlines: bool) -> Type:
        """A column type; rare ones and those that can still be promoted in a rare way come first."""
        prefix = "our " if ours else ""
        if self.rng.random() < 0.3:
            return self.rng.choice(PLAIN_NESTED if inlines else PLAIN_NESTED + RICH_NESTED)

        def rarity(name: str) -> float:
            wider = (f"{prefix}promote {old} to {new}" for old, new in features.PROMOTIONS if old == name)
            return (1.0 + min(self.counts[key] for key in (f"{prefix}type {name}", *wider))) ** -2

        return scalar(self.rng.choices(SCALARS, [rarity(name) for name in SCALARS])[0])

    def new_table(self, name: TableName, *, ours: bool) -> ModelTable:
        """A table of a key and some columns, in the model only."""
        table = ModelTable(name, "k", [ModelColumn("k", scalar("int32"))], inlines=self.rng.random() < 0.7)
        for _ in range(self.rng.randint(2, 5)):
            kind = self.pick_type(ours=ours, inlines=table.inlines)
            table.columns.append(ModelColumn(table.free_name(self.rng, COLUMN_NAMES), kind))
        return table

    def create_sql(self, table: ModelTable, verb: str = "CREATE TABLE") -> tuple[str, ...]:
        """Statements that make the table; rich ones never inline."""
        columns = ", ".join(definition(column.type.column(column.name)) for column in table.columns)
        return (f"{verb} {table.name} ({columns})", *self.no_inlining(table))

    def no_inlining(self, table: ModelTable) -> tuple[str, ...]:
        """What keeps a new table's rows out of the catalog, where that is wanted."""
        if table.inlines:
            return ()
        where = f"schema => {text_literal(table.name.schema)}, table_name => {text_literal(table.name.name)}"
        return (f"CALL lake.set_option('data_inlining_row_limit', 0, {where})",)

    def rows(self, table: ModelTable, count: int) -> tuple[list[int], tuple[tuple[Any, ...], ...]]:
        """New rows, now and then one twice."""
        keys = self.lake.new_keys(count)
        rows = [table.row(self.rng, key) for key in keys]
        if self.rng.random() < 0.2:
            keys.append(keys[0])
            rows.append(rows[0])
        return keys, tuple(rows)

    def insert(self, table: ModelTable, home: str) -> str:
        """INSERT of new rows that will live in the catalog or in a file."""
        limit = self.lake.limit_of(table)
        few = self.rng.randint(1, max(1, min(3, limit - 1)))
        many = self.rng.randint(limit + 1, limit + 4)
        keys, rows = self.rows(table, few if home == "inlined" else many)
        table.batches.append(Batch(home, keys))
        return f"INSERT INTO {table.name} ({names(table)}) VALUES {values(table, rows)}"

    def type_features(self, table: ModelTable, prefix: str = "") -> tuple[str, ...]:
        """What writing a row of this table counts for."""
        found: dict[str, None] = {}
        for column in table.columns:
            found[f"{prefix}type {column.type.name}"] = None
            if any(part.parts for _, part in column.type.parts):
                found[f"{prefix}type nested in nested"] = None
        return tuple(found)

    def wrote(self, table: ModelTable, writer: str) -> tuple[str, ...]:
        """What it counts for that this side writes the table now."""
        before, table.writer = table.writer, writer
        if before in (None, writer):
            return ()
        return ("our write after theirs",) if writer == "ours" else ("their write after ours",)


def text_literal(value: str) -> str:
    """A name as a SQL string."""
    return "'" + value.replace("'", "''") + "'"


def names(table: ModelTable) -> str:
    """The columns in a list."""
    return ", ".join(quote(column.name) for column in table.columns)


def values(table: ModelTable, rows: tuple[tuple[Any, ...], ...]) -> str:
    """The rows as VALUES takes them."""
    kinds = [column.type for column in table.columns]
    return ", ".join("(" + ", ".join(map(literal, row, kinds)) + ")" for row in rows)


def key_in(table: ModelTable, keys: list[int]) -> str:
    """The condition that meets these rows."""
    return f"{quote(table.key)} IN ({', '.join(map(str, sorted(set(keys))))})"


def transaction(*statements: str) -> tuple[str, ...]:
    """The statements in one commit."""
    return ("BEGIN", *statements, "COMMIT")


Offers = Iterator[Offer]
