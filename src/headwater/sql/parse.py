"""Parse text into statements."""

from __future__ import annotations

from collections.abc import Callable

from headwater.sql.cursor import Cursor, short
from headwater.sql.dynamic import is_dynamic, parse_dynamic
from headwater.sql.dynamic_statements import DynamicStatement
from headwater.sql.parse_alter import parse_alter
from headwater.sql.parse_create import parse_create
from headwater.sql.split import ScriptStatement, split
from headwater.sql.statements import (
    CommentOnColumn,
    CommentOnTable,
    DropSchema,
    DropTable,
    DropView,
    ObjectName,
    Statement,
)
from headwater.sql.tokens import TokenKind


def parse(text: str, dialect: str = "duckdb") -> tuple[Statement | DynamicStatement, ...]:
    """The statements of a script, in order.

    >>> parse("DROP TABLE IF EXISTS shop.orders; COMMENT ON TABLE t IS NULL")
    (DropTable(name=ObjectName(name='orders', schema='shop', catalog=None), if_exists=True), \
CommentOnTable(table=ObjectName(name='t', schema=None, catalog=None), comment=None))
    """
    return tuple(parse_piece(piece) for piece in split(text, dialect))


def parse_piece(piece: ScriptStatement) -> Statement | DynamicStatement:
    """Parse one statement of a script; error positions count from the start of the script."""
    cursor = Cursor(piece.script, piece.tokens)
    if cursor.here.kind is not TokenKind.WORD:
        raise cursor.unexpected("a statement")
    start, verb = cursor.advance(), piece.verb
    statement: Statement | DynamicStatement | None = None
    if is_dynamic(piece):
        statement = parse_dynamic(cursor, verb)
    elif verb in _VERBS:
        statement = _VERBS[verb](cursor)
    if statement is None:
        kind = cursor.words_so_far if verb in _VERBS else verb
        raise cursor.unsupported(
            f'statement "{short(kind)}" is not supported',
            hint="Create, alter, drop or comment on tables, schemas, views and dynamic tables.",
            token=start,
        )
    cursor.expect_end()
    return statement


def _parse_drop(cursor: Cursor) -> Statement | None:
    if cursor.take_words("SCHEMA") or (cursor.dialect == "spark" and cursor.take_words("DATABASE")):
        if_exists = cursor.take_words("IF", "EXISTS")
        schema = cursor.schema_name()
        cascade = not cursor.take_words("RESTRICT") and cursor.take_words("CASCADE")
        return DropSchema(schema, if_exists, cascade)
    if cursor.take_words("TABLE"):
        if_exists = cursor.take_words("IF", "EXISTS")
        return DropTable(_dropped(cursor, "table"), if_exists)
    if cursor.take_words("VIEW"):
        if_exists = cursor.take_words("IF", "EXISTS")
        return DropView(_dropped(cursor, "view"), if_exists)
    return None


def _dropped(cursor: Cursor, what: str) -> ObjectName:
    name = cursor.object_name(what)
    if cursor.at_words("CASCADE"):
        raise cursor.unsupported(f"CASCADE is not supported for a {what}", hint="Omit it.")
    if cursor.at_symbol(","):
        raise cursor.unsupported("DROP of several objects is not supported", hint="Use one statement for each.")
    cursor.take_words("RESTRICT")
    return name


def _parse_comment(cursor: Cursor) -> Statement | None:
    cursor.expect_words("ON")
    if cursor.take_words("TABLE"):
        return CommentOnTable(cursor.object_name("table"), _comment(cursor))
    if cursor.take_words("COLUMN"):
        start = cursor.here
        *before, column = cursor.path("column", 4)
        if not before:
            raise cursor.syntax(f'column "{column}" has no table', hint="Write table.column.", token=start)
        return CommentOnColumn(ObjectName(*reversed(before)), column, _comment(cursor))
    return None


def _comment(cursor: Cursor) -> str | None:
    cursor.expect_words("IS")
    return None if cursor.take_words("NULL") else cursor.string("comment")


_VERBS: dict[str, Callable[[Cursor], Statement | None]] = {
    "CREATE": parse_create,
    "ALTER": parse_alter,
    "DROP": _parse_drop,
    "COMMENT": _parse_comment,
}
