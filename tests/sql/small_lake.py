"""A lake of a few tables and views, for queries to be bound against."""

from __future__ import annotations

from headwater.core.names import TableName
from headwater.core.schema import Column, Schema
from headwater.sql.bind import SourceTable, SourceView
from headwater.sql.statements import ObjectName


def _table(id: int, schema: str, name: str, *columns: str) -> SourceTable:
    fields = tuple(Column(column, "int32", number) for number, column in enumerate(columns, 1))
    return SourceTable(id, TableName(schema, name), Schema(fields))


def view(name: str, query: str, dialect: str = "spark", aliases: tuple[str, ...] = ()) -> SourceView:
    return SourceView(TableName("shop", name), query, dialect, aliases)


OBJECTS: tuple[SourceTable | SourceView, ...] = (
    _table(1, "shop", "orders", "id", "customer_id", "amount", "note", "s"),
    _table(2, "shop", "customers", "id", "name", "region"),
    _table(3, "main", "t", "a", "b", "user"),
    _table(4, "main", "we`ird.\"näme' 😀", "x"),
    _table(5, "old", "orders", "id"),
    SourceTable(
        6,
        TableName("main", "typed"),
        Schema(
            (
                Column("s", "varchar", 1),
                Column("x", "float64", 2),
                Column("n", "decimal(10,2)", 3),
                Column("w", "decimal(30,10)", 4),
                Column("m", "timestamp", 5),
                Column("f", "float32", 6),
            )
        ),
    ),
    view("big", "-- first\nSELECT id, amount FROM shop.orders WHERE amount > 10; -- last"),
    view("bigger", "SELECT b.id AS id, c.name FROM shop.big AS b JOIN shop.customers c ON c.id = b.id"),
    view("today", "SELECT id, current_date() AS d FROM shop.orders"),
    view("named", "SELECT id, amount FROM shop.orders", aliases=("k", "v w")),
    view("duck", 'SELECT "id", amount / 2 AS half FROM shop.orders ORDER BY id', "duckdb"),
    view("cte", "WITH t AS (SELECT a FROM t) SELECT a FROM t"),
    view("loop", "SELECT * FROM\n shop.pool"),
    view("pool", "SELECT * FROM shop.loop"),
    view("broken", "SELECT *\nFROM shop.gone"),
    view("lucky", "SELECT rand() AS r FROM shop.orders"),
    view("ducky", "SELECT log(id) FROM shop.orders", "duckdb"),
    *(view(f"deep{n}", f"SELECT * FROM shop.deep{n + 1}") for n in range(40)),
    *(view(f"wide{n}", f"SELECT x.id FROM shop.wide{n + 1} x JOIN shop.wide{n + 1} y") for n in range(30)),
    view("wide30", "SELECT id FROM shop.orders"),
)


class SmallLake:
    """Finds the objects above, in the catalog `lake` or without."""

    def find(self, name: ObjectName) -> SourceTable | SourceView | None:
        if name.catalog not in (None, "lake"):
            return None
        wanted = TableName(name.schema or "main", name.name)
        return next((found for found in OBJECTS if found.name.same(wanted)), None)
