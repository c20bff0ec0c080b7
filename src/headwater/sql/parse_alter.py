"""Parse ALTER TABLE and ALTER VIEW."""

from __future__ import annotations

from headwater.sql.column_definitions import parse_column, parse_default, parse_partition_keys, parse_sort_keys
from headwater.sql.cursor import Cursor
from headwater.sql.statements import (
    AddColumn,
    ChangeColumnType,
    DropColumn,
    DropDefault,
    DropNotNull,
    ObjectName,
    RenameColumn,
    RenameTable,
    RenameView,
    SetDefault,
    SetNotNull,
    SetPartitioning,
    SetSorting,
    Statement,
)
from headwater.sql.type_names import parse_type


def parse_alter(cursor: Cursor) -> Statement | None:
    """Parse the statement after ALTER; None if it alters another kind of object."""
    if cursor.take_words("VIEW"):
        _refuse_if_exists(cursor)
        view = cursor.object_name("view")
        cursor.expect_words("RENAME", "TO")
        return RenameView(view, cursor.identifier("view"))
    if cursor.take_words("TABLE"):
        _refuse_if_exists(cursor)
        statement = _parse_action(cursor, cursor.object_name("table"))
        if cursor.at_symbol(","):
            raise cursor.unsupported(
                "several changes in one ALTER TABLE are not supported", hint="Use one statement for each."
            )
        return statement
    return None


def _parse_action(cursor: Cursor, table: ObjectName) -> Statement:
    if cursor.take_words("RENAME", "TO"):
        return RenameTable(table, cursor.identifier("table"))
    if cursor.take_words("RENAME"):
        cursor.take_words("COLUMN")
        column = _column(cursor)
        cursor.expect_words("TO")
        return RenameColumn(table, column, cursor.identifier("column"))
    if cursor.take_words("ADD"):
        return _parse_add(cursor, table)
    if cursor.take_words("DROP"):
        return _parse_drop(cursor, table)
    if cursor.take_words("ALTER"):
        cursor.take_words("COLUMN")
        return _parse_alter_column(cursor, table, _column(cursor))
    if cursor.take_words("SET", "PARTITIONED", "BY"):
        return SetPartitioning(table, parse_partition_keys(cursor))
    if cursor.take_words("RESET", "PARTITIONED", "BY"):
        return SetPartitioning(table)
    if cursor.take_words("SET", "SORTED", "BY"):
        return SetSorting(table, parse_sort_keys(cursor))
    if cursor.take_words("RESET", "SORTED", "BY"):
        return SetSorting(table)
    raise cursor.unsupported(
        f'ALTER TABLE with "{cursor.here.text}" is not supported' if not cursor.done else "ALTER TABLE has no action",
        hint="Use RENAME, ADD COLUMN, DROP COLUMN, ALTER COLUMN, SET or RESET PARTITIONED BY, SET or RESET SORTED BY.",
    )


def _parse_add(cursor: Cursor, table: ObjectName) -> AddColumn:
    if cursor.at_words("COLUMNS"):
        raise cursor.unsupported("ADD COLUMNS is not supported", hint="Write one ADD COLUMN for each.")
    cursor.take_words("COLUMN")
    if_not_exists = cursor.take_words("IF", "NOT", "EXISTS")
    start = cursor.here
    _refuse_field(cursor)
    column = parse_column(cursor)
    if not column.nullable:
        raise cursor.unsupported(
            f'column "{column.name}" can\'t be added as NOT NULL',
            detail="Existing rows have no value for it.",
            hint="Add it, fill it, then use ALTER COLUMN … SET NOT NULL.",
            token=start,
        )
    return AddColumn(table, column, if_not_exists)


def _parse_drop(cursor: Cursor, table: ObjectName) -> DropColumn:
    cursor.take_words("COLUMN")
    if_exists = cursor.take_words("IF", "EXISTS")
    column = _column(cursor)
    if cursor.at_words("CASCADE"):
        raise cursor.unsupported("CASCADE is not supported for columns", hint="Omit it.")
    cursor.take_words("RESTRICT")
    return DropColumn(table, column, if_exists)


def _parse_alter_column(cursor: Cursor, table: ObjectName, column: str) -> Statement:
    if cursor.take_words("SET", "NOT", "NULL"):
        return SetNotNull(table, column)
    if cursor.take_words("DROP", "NOT", "NULL"):
        return DropNotNull(table, column)
    if cursor.take_words("SET", "DEFAULT"):
        return SetDefault(table, column, *parse_default(cursor))
    if cursor.take_words("DROP", "DEFAULT"):
        return DropDefault(table, column)
    if cursor.take_words("SET", "DATA", "TYPE") or cursor.take_words("SET", "TYPE") or cursor.take_words("TYPE"):
        changed = ChangeColumnType(table, column, parse_type(cursor, column))
        if cursor.at_words("USING"):
            raise cursor.unsupported("USING is not supported", hint="Add a column, fill it, drop the old one.")
        return changed
    raise cursor.unexpected("SET DATA TYPE, SET DEFAULT, DROP DEFAULT, SET NOT NULL or DROP NOT NULL")


def _column(cursor: Cursor) -> str:
    _refuse_field(cursor)
    return cursor.identifier("column")


def _refuse_field(cursor: Cursor) -> None:
    if cursor.ahead(1).text == ".":
        raise cursor.unsupported("fields of a struct can't be altered", hint="Alter the whole column.")


def _refuse_if_exists(cursor: Cursor) -> None:
    if cursor.at_words("IF", "EXISTS"):
        raise cursor.unsupported("IF EXISTS is not supported after ALTER", hint="Omit it.")
