"""Parse the statements about dynamic tables, by their verbs."""

from __future__ import annotations

from collections.abc import Callable

from headwater.sql.cursor import Cursor
from headwater.sql.dynamic_alter import parse_alter_dynamic
from headwater.sql.dynamic_create import parse_create_dynamic
from headwater.sql.dynamic_freshness import parse_moment
from headwater.sql.dynamic_statements import (
    DescribeDynamicTable,
    DropDynamicTable,
    DynamicStatement,
    ExplainDynamicTable,
    RefreshDynamicTable,
    RestoreDynamicTable,
    ShowCreateDynamicTable,
    ShowDynamicTables,
    ShowJobProfile,
    ShowRefreshHistory,
    ShowTableVersions,
    UndropDynamicTable,
    VerifyDynamicTable,
)
from headwater.sql.split import ScriptStatement
from headwater.sql.statements import ObjectName
from headwater.sql.tokens import TokenKind

_OR = ((), ("OR", "REPLACE"), ("OR", "ALTER"))
# The words that can precede DYNAMIC TABLE.
_BEFORE_DYNAMIC = frozenset(
    {
        *((verb,) for verb in "ALTER DROP UNDROP REFRESH DESC DESCRIBE SHOW EXPLAIN VERIFY RESTORE".split()),  # noqa: SIM905
        *(("CREATE", *words) for words in _OR),
        *(("EXPLAIN", "CREATE", *words) for words in _OR),
        ("EXPLAIN", "REFRESH"),
        ("SHOW", "CREATE"),
    }
)


def is_dynamic(piece: ScriptStatement) -> bool:
    """Whether a statement is about dynamic tables, by its first words.

    >>> from headwater.sql.split import split
    >>> [is_dynamic(piece) for piece in split("SHOW DYNAMIC TABLES; CREATE TABLE dynamic (a INT); DESC dynamic.t")]
    [True, False, False]
    """
    words = [token.text.upper() if token.kind is TokenKind.WORD else "" for token in piece.tokens[:6]]
    if "DYNAMIC" not in words:
        return False
    at = words.index("DYNAMIC")
    return tuple(words[:at]) in _BEFORE_DYNAMIC and any(words[at + 1 : at + 2])


def parse_dynamic(cursor: Cursor, verb: str) -> DynamicStatement:
    """Parse a statement about dynamic tables after its verb."""
    return _VERBS[verb](cursor)


def _parse_drop(cursor: Cursor) -> DropDynamicTable:
    cursor.expect_words("DYNAMIC", "TABLE")
    if_exists = cursor.take_words("IF", "EXISTS")
    name = cursor.object_name("dynamic table")
    if cursor.at_words("CASCADE"):
        raise cursor.unsupported("CASCADE is not supported for a dynamic table", hint="Omit it.")
    if cursor.at_symbol(","):
        raise cursor.unsupported("DROP of several objects is not supported", hint="Use one statement for each.")
    cursor.take_words("RESTRICT")
    return DropDynamicTable(name, if_exists)


def _parse_refresh(cursor: Cursor) -> RefreshDynamicTable:
    names = [_named(cursor)]
    while cursor.take_symbol(","):
        names.append(cursor.object_name("dynamic table"))
    return RefreshDynamicTable(tuple(names))


def _parse_show(
    cursor: Cursor,
) -> ShowCreateDynamicTable | ShowDynamicTables | ShowRefreshHistory | ShowJobProfile | ShowTableVersions:
    if cursor.take_words("CREATE"):
        return ShowCreateDynamicTable(_named(cursor))
    cursor.expect_words("DYNAMIC")
    if cursor.take_words("TABLE"):
        if cursor.take_words("VERSIONS"):
            return ShowTableVersions(cursor.object_name("dynamic table") if cursor.take_words("FOR") else None)
        return _parse_profile(cursor) if cursor.take_words("JOB") else _parse_history(cursor)
    cursor.expect_words("TABLES")
    like = cursor.string("pattern") if cursor.take_words("LIKE") else None
    schema = None
    if cursor.take_words("IN"):
        cursor.take_words("SCHEMA")
        schema = cursor.schema_name()
    return ShowDynamicTables(like, schema)


def _parse_history(cursor: Cursor) -> ShowRefreshHistory:
    cursor.expect_words("REFRESH", "HISTORY")
    table = cursor.object_name("dynamic table") if cursor.take_words("FOR") else None
    where = None
    if cursor.take_words("WHERE"):
        if cursor.at_words("LIMIT"):
            raise cursor.unexpected("the condition")
        where = cursor.span("condition", lambda: cursor.at_words("LIMIT")).text
    limit = cursor.integer("limit") if cursor.take_words("LIMIT") else None
    return ShowRefreshHistory(table, where, limit)


def _parse_profile(cursor: Cursor) -> ShowJobProfile:
    cursor.expect_words("PROFILE")
    if cursor.take_words("FOR"):
        return ShowJobProfile(table=cursor.object_name("dynamic table"))
    return ShowJobProfile(cursor.string("job id"))


def _parse_explain(cursor: Cursor) -> ExplainDynamicTable:
    if cursor.take_words("CREATE"):
        return ExplainDynamicTable(parse_create_dynamic(cursor))
    refresh = cursor.take_words("REFRESH")
    return ExplainDynamicTable(_named(cursor), refresh)


def _parse_restore(cursor: Cursor) -> RestoreDynamicTable:
    name = _named(cursor)
    cursor.expect_words("TO")
    bracket = cursor.take_symbol("(")
    version, timestamp = None, None
    if cursor.take_words("VERSION"):
        _arrow(cursor, bracket)
        version = cursor.integer("version")
    elif cursor.take_words("TIMESTAMP"):
        _arrow(cursor, bracket)
        timestamp, _ = parse_moment(cursor, "timestamp")
    else:
        raise cursor.unexpected("VERSION or TIMESTAMP")
    if bracket:
        cursor.expect_symbol(")")
    return RestoreDynamicTable(name, version, timestamp)


def _arrow(cursor: Cursor, bracket: bool) -> None:
    if bracket:
        cursor.expect_symbol("=>")


def _named(cursor: Cursor) -> ObjectName:
    cursor.expect_words("DYNAMIC", "TABLE")
    return cursor.object_name("dynamic table")


_VERBS: dict[str, Callable[[Cursor], DynamicStatement]] = {
    "CREATE": parse_create_dynamic,
    "ALTER": parse_alter_dynamic,
    "DROP": _parse_drop,
    "UNDROP": lambda cursor: UndropDynamicTable(_named(cursor)),
    "REFRESH": _parse_refresh,
    "DESC": lambda cursor: DescribeDynamicTable(_named(cursor)),
    "DESCRIBE": lambda cursor: DescribeDynamicTable(_named(cursor)),
    "SHOW": _parse_show,
    "EXPLAIN": _parse_explain,
    "VERIFY": lambda cursor: VerifyDynamicTable(_named(cursor)),
    "RESTORE": _parse_restore,
}
