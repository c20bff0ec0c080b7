"""Parse CREATE DYNAMIC TABLE."""

from __future__ import annotations

from headwater.core.names import folded
from headwater.sql.cursor import Cursor, short
from headwater.sql.dynamic_statements import CreateDynamicTable, NamedOutput
from headwater.sql.properties import parse_properties

_QUERY_WORDS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "("})


def parse_create_dynamic(cursor: Cursor) -> CreateDynamicTable:
    """Parse the statement after CREATE, but not its query."""
    or_replace = cursor.take_words("OR", "REPLACE")
    or_alter = cursor.take_words("OR", "ALTER")
    cursor.expect_words("DYNAMIC", "TABLE")
    if_not_exists = _if_not_exists(cursor, "OR REPLACE" if or_replace else "OR ALTER" if or_alter else None)
    name = cursor.object_name("dynamic table")
    columns = _parse_outputs(cursor) if cursor.at_symbol("(") else ()
    properties = parse_properties(cursor)
    if not cursor.take_words("AS"):
        raise cursor.unexpected("AS and the query")
    first = cursor.here
    query = cursor.rest("query")
    if first.text.upper() not in _QUERY_WORDS:
        message = f'a dynamic table can\'t be created from "{short(first.text)}"'
        raise cursor.unsupported(message, hint="Write AS SELECT ….", token=first)
    return CreateDynamicTable(
        name, query.text, columns, properties, or_replace, or_alter, if_not_exists, query.position
    )


def _if_not_exists(cursor: Cursor, other: str | None) -> bool:
    start = cursor.here
    found = cursor.take_words("IF", "NOT", "EXISTS")
    if found and other:
        raise cursor.syntax(f"{other} and IF NOT EXISTS can't be combined", hint="Keep one of them.", token=start)
    return found


def _parse_outputs(cursor: Cursor) -> tuple[NamedOutput, ...]:
    seen: set[str] = set()

    def one() -> NamedOutput:
        start = cursor.here
        name = cursor.identifier("column")
        if folded(name) in seen:
            raise cursor.syntax(
                f'column "{short(name)}" is specified more than once', hint="Rename one of them.", token=start
            )
        seen.add(folded(name))
        comment = cursor.string("comment") if cursor.take_words("COMMENT") else None
        if not cursor.at_symbol(",", ")"):
            raise cursor.unexpected('COMMENT, "," or ")"')
        return NamedOutput(name, comment)

    return cursor.listed(one)
