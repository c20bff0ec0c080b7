"""Our operations as DuckDB SQL: DDL that both sides share, and the conditions that find rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from headwater.core.names import quote
from headwater.core.schema import Column
from tests.differential import ours
from tests.differential.domains import Type, expression
from tests.differential.ours import Operation


def statements(operation: Operation) -> list[str]:
    """The operation as DuckDB SQL."""
    match operation:
        case ours.Append(table, columns, rows):
            return [f"INSERT INTO {table} ({_names(columns)}) VALUES {_values(rows)}"]
        case ours.Delete(table, where):
            return [f"DELETE FROM {table} WHERE {condition(where)}"]
        case ours.Update(table, where, values):
            changes = ", ".join(f"{quote(column)} = {expression(value)}" for column, value in values.items())
            return [f"UPDATE {table} SET {changes} WHERE {condition(where)}"]
        case ours.Replace(table, columns, rows):
            fill = [f"INSERT INTO {table} ({_names(columns)}) VALUES {_values(rows)}"] if rows else []
            return [f"DELETE FROM {table}", *fill]
        case ours.CreateTable(table, definitions, partitioning):
            made = f"CREATE TABLE {table} ({', '.join(map(definition, definitions))})"
            return [made, *([partition_by(str(table), partitioning)] if partitioning else [])]
        case ours.DropTable(table):
            return [f"DROP TABLE {table}"]
        case ours.RenameTable(table, name):
            return [f"ALTER TABLE {table} RENAME TO {quote(name)}"]
        case ours.AddColumn(table, column):
            return [f"ALTER TABLE {table} ADD COLUMN {definition(column)}"]
        case ours.DropColumn(table, column_name):
            return [f"ALTER TABLE {table} DROP COLUMN {quote(column_name)}"]
        case ours.RenameColumn(table, column_name, name):
            return [f"ALTER TABLE {table} RENAME COLUMN {quote(column_name)} TO {quote(name)}"]
        case ours.PromoteColumn(table, column_name, type_name):
            return [f"ALTER TABLE {table} ALTER COLUMN {quote(column_name)} TYPE {Type(type_name).sql}"]
        case ours.SetDefault(table, column_name, default):
            action = "DROP DEFAULT" if default is None else f"SET DEFAULT {expression(default)}"
            return [f"ALTER TABLE {table} ALTER COLUMN {quote(column_name)} {action}"]
        case ours.SetNullable(table, column_name, nullable):
            action = "DROP" if nullable else "SET"
            return [f"ALTER TABLE {table} ALTER COLUMN {quote(column_name)} {action} NOT NULL"]
        case ours.SetPartitioning(table, partitioning):
            return [partition_by(str(table), partitioning)]
        case ours.CreateSchema(name):
            return [f"CREATE SCHEMA {quote(name)}"]
        case ours.DropSchema(name):
            return [f"DROP SCHEMA {quote(name)}"]
        case ours.CreateView(view, sql):
            return [f"CREATE OR REPLACE VIEW {view} AS {sql}"]
        case ours.DropView(view):
            return [f"DROP VIEW {view}"]
        case ours.Compact() | ours.Expire() | ours.CleanUp():
            raise NotImplementedError
        case _:
            assert_never(operation)


def condition(where: ours.Where) -> str:
    """The predicate as SQL."""
    if where.op == "in":
        return f"{quote(where.column)} IN ({', '.join(map(expression, where.value))})"
    return f"{quote(where.column)} {where.op} {expression(where.value)}"


def definition(column: Column) -> str:
    """The column as CREATE TABLE and ADD COLUMN take it."""
    parts = [quote(column.name), _type(column).sql]
    if not column.nullable:
        parts.append("NOT NULL")
    if column.default is not None:
        parts.append(f"DEFAULT {expression(column.default)}")
    return " ".join(parts)


def partition_by(table: str, partitioning: tuple[tuple[str, str], ...]) -> str:
    """ALTER TABLE that sets these keys."""
    return f"ALTER TABLE {table} SET PARTITIONED BY ({', '.join(_key(*key) for key in partitioning)})"


def _key(column: str, transform: str) -> str:
    match transform.partition("("):
        case "identity", _, _:
            return quote(column)
        case "bucket", _, count:
            return f"bucket({count.rstrip(')')}, {quote(column)})"
        case name, _, _:
            return f"{name}({quote(column)})"
    raise ValueError(transform)


def _type(column: Column) -> Type:
    return Type(column.type, tuple((child.name, _type(child)) for child in column.children))


def _names(columns: Sequence[str]) -> str:
    return ", ".join(map(quote, columns))


def _values(rows: Sequence[Sequence[object]]) -> str:
    return ", ".join("(" + ", ".join(map(expression, row)) + ")" for row in rows)
