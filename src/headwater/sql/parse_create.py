"""Parse CREATE SCHEMA, CREATE TABLE and CREATE VIEW."""

from __future__ import annotations

from headwater.core.schema import SortKey
from headwater.sql import expressions
from headwater.sql.column_definitions import parse_columns, parse_partition_keys, parse_sort_keys
from headwater.sql.cursor import Cursor
from headwater.sql.statements import CreateSchema, CreateTable, CreateView, PartitionKey


def parse_create(cursor: Cursor) -> CreateSchema | CreateTable | CreateView | None:
    """Parse the statement after CREATE; None if it creates another kind of object."""
    start = cursor.here
    or_replace = cursor.take_words("OR", "REPLACE")
    if cursor.take_words("SCHEMA") or (cursor.dialect == "spark" and cursor.take_words("DATABASE")):
        if or_replace:
            raise cursor.unsupported("a schema can't be replaced", hint="Drop it first.", token=start)
        if_not_exists = _if_not_exists(cursor)
        return CreateSchema(cursor.schema_name(), if_not_exists)
    if cursor.take_words("TABLE"):
        return _parse_table(cursor, or_replace)
    if cursor.take_words("VIEW"):
        return _parse_view(cursor, or_replace)
    return None


def _parse_table(cursor: Cursor, or_replace: bool) -> CreateTable:
    if_not_exists = _if_not_exists(cursor, or_replace)
    name = cursor.object_name("table")
    _refuse_query(cursor)
    columns = parse_columns(cursor)
    partitioned_by: tuple[PartitionKey, ...] = ()
    sorted_by: tuple[SortKey, ...] = ()
    if cursor.take_words("PARTITIONED", "BY"):
        partitioned_by = parse_partition_keys(cursor)
    if cursor.take_words("SORTED", "BY"):
        sorted_by = parse_sort_keys(cursor)
    _refuse_query(cursor)
    for word, hint in _TABLE_CLAUSES.items():
        if cursor.at_words(word):
            raise cursor.unsupported(f"{word} in CREATE TABLE is not supported", hint=hint)
    return CreateTable(name, columns, if_not_exists, or_replace, partitioned_by, sorted_by)


_TABLE_CLAUSES = {
    "USING": "Omit it; every table of a lake is stored as Parquet.",
    "LOCATION": "Omit it; a table is stored under the lake's data path.",
    "COMMENT": "Use COMMENT ON TABLE.",
    "TBLPROPERTIES": "Omit it.",
    "OPTIONS": "Omit it.",
    "WITH": "Omit it.",
    "CLUSTERED": "Use PARTITIONED BY (bucket(n, column)).",
}


def _parse_view(cursor: Cursor, or_replace: bool) -> CreateView:
    if_not_exists = _if_not_exists(cursor, or_replace)
    name = cursor.object_name("view")
    aliases = cursor.listed(lambda: cursor.identifier("column")) if cursor.at_symbol("(") else ()
    cursor.expect_words("AS")
    query = expressions.query(cursor.rest("query"))
    return CreateView(name, query, aliases, or_replace, if_not_exists, cursor.dialect)


def _if_not_exists(cursor: Cursor, or_replace: bool = False) -> bool:
    start = cursor.here
    found = cursor.take_words("IF", "NOT", "EXISTS")
    if found and or_replace:
        raise cursor.syntax("OR REPLACE and IF NOT EXISTS can't be combined", hint="Keep one of them.", token=start)
    return found


def _refuse_query(cursor: Cursor) -> None:
    if cursor.at_words("AS"):
        raise cursor.unsupported(
            "CREATE TABLE AS is not supported", hint="Create the table, then run INSERT INTO … SELECT."
        )
