"""Render statements as canonical text: `parse(render(s), s.dialect)` is `s`."""

from __future__ import annotations

import re
from typing import assert_never

from headwater.core.names import quote
from headwater.core.schema import Column, SortKey
from headwater.core.types import FLOATS, INTEGERS, decimal_parts
from headwater.sql.dynamic_statements import DynamicStatement
from headwater.sql.render_dynamic import render_dynamic
from headwater.sql.render_names import quote_of, render_name, render_partition_keys
from headwater.sql.statements import (
    AddColumn,
    ChangeColumnType,
    CommentOnColumn,
    CommentOnTable,
    CreateSchema,
    CreateTable,
    CreateView,
    DropColumn,
    DropDefault,
    DropNotNull,
    DropSchema,
    DropTable,
    DropView,
    RenameColumn,
    RenameTable,
    RenameView,
    SetDefault,
    SetNotNull,
    SetPartitioning,
    SetSorting,
    Statement,
)

_TYPES = {
    "boolean": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "int128": "HUGEINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "uint128": "UHUGEINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
    "timetz": "TIME WITH TIME ZONE",
}
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


def render(statement: Statement | DynamicStatement) -> str:
    """The statement in DuckDB's dialect (CREATE VIEW in that of its query), with every name quoted.

    >>> from headwater.sql.statements import ObjectName
    >>> render(DropTable(ObjectName("orders", "shop"), if_exists=True))
    'DROP TABLE IF EXISTS "shop"."orders"'
    """
    if isinstance(statement, DynamicStatement):
        return render_dynamic(statement)
    match statement:
        case CreateSchema(name, if_not_exists):
            return f"CREATE SCHEMA {_when(if_not_exists, 'IF NOT EXISTS ')}{render_name(name)}"
        case DropSchema(name, if_exists, cascade):
            return f"DROP SCHEMA {_when(if_exists, 'IF EXISTS ')}{render_name(name)}{_when(cascade, ' CASCADE')}"
        case CreateTable():
            return _create_table(statement)
        case DropTable(name, if_exists):
            return f"DROP TABLE {_when(if_exists, 'IF EXISTS ')}{render_name(name)}"
        case CreateView():
            return _create_view(statement)
        case DropView(name, if_exists):
            return f"DROP VIEW {_when(if_exists, 'IF EXISTS ')}{render_name(name)}"
        case RenameTable(name, new_name):
            return f"ALTER TABLE {render_name(name)} RENAME TO {quote(new_name)}"
        case RenameView(name, new_name):
            return f"ALTER VIEW {render_name(name)} RENAME TO {quote(new_name)}"
        case CommentOnTable(table, comment):
            return f"COMMENT ON TABLE {render_name(table)} IS {_string(comment)}"
        case CommentOnColumn(table, column, comment):
            return f"COMMENT ON COLUMN {render_name(table)}.{quote(column)} IS {_string(comment)}"
        case _:
            return f"ALTER TABLE {render_name(statement.table)} {_action(statement)}"


def render_type(column: Column) -> str:
    """The column's type in DuckDB's syntax.

    >>> render_type(Column("l", "list", children=(Column("element", "int32"),)))
    'INTEGER[]'
    """
    match column.type:
        case "struct":
            return "STRUCT(" + ", ".join(f"{quote(c.name)} {render_type(c)}" for c in column.children) + ")"
        case "map":
            return "MAP(" + ", ".join(render_type(c) for c in column.children) + ")"
        case "list":
            return render_type(column.children[0]) + "[]"
        case scalar:
            return _TYPES.get(scalar, scalar.upper())


_Action = (
    AddColumn
    | DropColumn
    | RenameColumn
    | ChangeColumnType
    | SetDefault
    | DropDefault
    | SetNotNull
    | DropNotNull
    | SetPartitioning
    | SetSorting
)


def _action(statement: _Action) -> str:
    match statement:
        case AddColumn(_, column, if_not_exists):
            return f"ADD COLUMN {_when(if_not_exists, 'IF NOT EXISTS ')}{_column(column)}"
        case DropColumn(_, name, if_exists):
            return f"DROP COLUMN {_when(if_exists, 'IF EXISTS ')}{quote(name)}"
        case RenameColumn(_, name, new_name):
            return f"RENAME COLUMN {quote(name)} TO {quote(new_name)}"
        case ChangeColumnType(_, name, column):
            return f"ALTER COLUMN {quote(name)} SET DATA TYPE {render_type(column)}"
        case SetDefault(_, name, default, is_expression):
            text = default if is_expression and default else _string(default)
            return f"ALTER COLUMN {quote(name)} SET DEFAULT {text}"
        case DropDefault(_, name):
            return f"ALTER COLUMN {quote(name)} DROP DEFAULT"
        case SetNotNull(_, name):
            return f"ALTER COLUMN {quote(name)} SET NOT NULL"
        case DropNotNull(_, name):
            return f"ALTER COLUMN {quote(name)} DROP NOT NULL"
        case SetPartitioning(_, ()):
            return "RESET PARTITIONED BY"
        case SetPartitioning(_, partition_keys):
            return f"SET PARTITIONED BY ({render_partition_keys(partition_keys)})"
        case SetSorting(_, ()):
            return "RESET SORTED BY"
        case SetSorting(_, sort_keys):
            return f"SET SORTED BY ({_sort_keys(sort_keys)})"
        case _:
            assert_never(statement)


def _create_table(table: CreateTable) -> str:
    columns = ", ".join(_column(column) for column in table.columns)
    return (
        f"CREATE {_when(table.or_replace, 'OR REPLACE ')}TABLE {_when(table.if_not_exists, 'IF NOT EXISTS ')}"
        f"{render_name(table.name)} ({columns})"
        + _when(table.partitioned_by, f" PARTITIONED BY ({render_partition_keys(table.partitioned_by)})")
        + _when(table.sorted_by, f" SORTED BY ({_sort_keys(table.sorted_by)})")
    )


def _create_view(view: CreateView) -> str:
    quoted = quote_of(view.dialect)
    name = render_name(view.name, quoted)
    aliases = ", ".join(quoted(alias) for alias in view.aliases)
    return (
        f"CREATE {_when(view.or_replace, 'OR REPLACE ')}VIEW {_when(view.if_not_exists, 'IF NOT EXISTS ')}{name}"
        f"{_when(view.aliases, f' ({aliases})')} AS {view.query}"
    )


def _column(column: Column) -> str:
    if column.default is None:
        default = ""
    elif column.default_is_expression or _is_number(column):
        default = f" DEFAULT {column.default}"
    else:
        default = f" DEFAULT {_string(column.default)}"
    return f"{quote(column.name)} {render_type(column)}{_when(not column.nullable, ' NOT NULL')}{default}"


def _is_number(column: Column) -> bool:
    numeric = column.type in INTEGERS or column.type in FLOATS or decimal_parts(column.type) is not None
    return numeric and column.default is not None and _NUMBER.fullmatch(column.default) is not None


def _sort_keys(keys: tuple[SortKey, ...]) -> str:
    return ", ".join(
        f"{key.expression} {'DESC' if key.descending else 'ASC'} NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for key in keys
    )


def _string(text: str | None) -> str:
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def _when(condition: object, text: str) -> str:
    return text if condition else ""
