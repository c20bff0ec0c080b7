"""Parse ALTER DYNAMIC TABLE."""

from __future__ import annotations

from headwater.sql.cursor import Cursor, short
from headwater.sql.dynamic_statements import (
    AddDynamicColumn,
    CancelRefresh,
    DynamicStatement,
    RefreshDynamicTable,
    RenameDynamicColumn,
    RenameDynamicTable,
    ResumeDynamicTable,
    SetDynamicTable,
    SuspendDynamicTable,
    SwapDynamicTable,
    UnsetDynamicTable,
)
from headwater.sql.properties import parse_properties, parse_property_names
from headwater.sql.statements import ObjectName


def parse_alter_dynamic(cursor: Cursor) -> DynamicStatement:
    """Parse the statement after ALTER."""
    cursor.expect_words("DYNAMIC", "TABLE")
    start = cursor.here
    if_exists = cursor.take_words("IF", "EXISTS")
    table = cursor.object_name("dynamic table")
    if cursor.take_words("SUSPEND"):
        return SuspendDynamicTable(table, if_exists)
    if cursor.take_words("RESUME"):
        return ResumeDynamicTable(table, if_exists)
    if if_exists:
        hint = "Omit it; only SUSPEND and RESUME support it."
        raise cursor.unsupported("IF EXISTS is not supported for this change", hint=hint, token=start)
    statement = _parse_action(cursor, table)
    if cursor.at_symbol(","):
        message = "several changes in one ALTER DYNAMIC TABLE are not supported"
        raise cursor.unsupported(message, hint="Use one statement for each.")
    return statement


def _parse_action(cursor: Cursor, table: ObjectName) -> DynamicStatement:
    if cursor.take_words("REFRESH"):
        return RefreshDynamicTable((table,))
    if cursor.take_words("CANCEL", "REFRESH"):
        return CancelRefresh(table)
    if cursor.take_words("RENAME", "TO"):
        return RenameDynamicTable(table, cursor.identifier("dynamic table"))
    if cursor.take_words("RENAME"):
        cursor.take_words("COLUMN")
        column = cursor.identifier("column")
        cursor.expect_words("TO")
        return RenameDynamicColumn(table, column, cursor.identifier("column"))
    if cursor.take_words("SWAP", "WITH"):
        return SwapDynamicTable(table, cursor.object_name("dynamic table"))
    if cursor.take_words("SET"):
        if cursor.done:
            raise cursor.unexpected("a property")
        return SetDynamicTable(table, parse_properties(cursor))
    if cursor.take_words("UNSET"):
        return UnsetDynamicTable(table, parse_property_names(cursor))
    if cursor.take_words("ADD"):
        cursor.take_words("COLUMN")
        if cursor.at_words("AS"):
            raise cursor.unexpected("the expression")
        expression = cursor.span("expression", lambda: cursor.at_words("AS"))
        cursor.expect_words("AS")
        return AddDynamicColumn(table, expression.text, cursor.identifier("column"))
    found = short(cursor.here.text)
    raise cursor.unsupported(
        "ALTER DYNAMIC TABLE has no action" if cursor.done else f'ALTER DYNAMIC TABLE with "{found}" is not supported',
        hint="Use SUSPEND, RESUME, REFRESH, CANCEL REFRESH, RENAME, SWAP WITH, SET, UNSET or ADD COLUMN.",
    )
