"""Classify a plain statement by its effect on the lake, before DuckDB runs it.

A small grammar reads the verb and its target: sqlglot does not support all of DuckDB's MERGE, COPY and FROM, and in DuckDB a
statement has one target, right after the verb. The worker also checks the kind with DuckDB's parser.
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.core.errors import SqlUnsupported
from headwater.sql.cursor import Cursor, short
from headwater.sql.split import ScriptStatement
from headwater.sql.statements import ObjectName
from headwater.sql.tokens import Token
from headwater.sql.tokens import TokenKind as TokenKind


@dataclass(frozen=True, slots=True)
class Read:
    """The statement does not change the lake."""


@dataclass(frozen=True, slots=True)
class Write:
    """The statement changes the rows of these tables, or creates them."""

    tables: tuple[ObjectName, ...]


StatementKind = Read | Write

_READS = frozenset({"SELECT", "FROM", "VALUES", "TABLE", "DESCRIBE", "DESC", "SHOW", "SUMMARIZE", "PIVOT", "UNPIVOT"})

_ONE_TRANSACTION = "Write it as a statement of its own, in one script with the statements of the transaction."
_MAINTENANCE = "Use Headwater's maintenance instead."
_SETTINGS = "Omit it; all requests share the settings of the process."
_ONE_LAKE = "Omit it; read other data with read_csv, read_parquet, sqlite_scan or postgres_scan."
_HINTS = {
    **dict.fromkeys(("BEGIN", "START", "COMMIT", "ROLLBACK", "ABORT", "END"), _ONE_TRANSACTION),
    **dict.fromkeys(("VACUUM", "CHECKPOINT", "FORCE", "ANALYZE"), _MAINTENANCE),
    **dict.fromkeys(("SET", "RESET", "PRAGMA"), _SETTINGS),
    **dict.fromkeys(("ATTACH", "DETACH", "INSTALL", "LOAD", "UPDATE EXTENSIONS"), _ONE_LAKE),
    **dict.fromkeys(("EXPORT", "IMPORT"), "Use COPY, one table at a time."),
    "USE": "Write schema.table instead.",
    "CALL": "Use a read-only function: snapshots, table_info, table_changes, options.",
}
_HINT = "Run SELECT, INSERT, UPDATE, DELETE, MERGE, TRUNCATE, COPY or CREATE TABLE … AS."

_READING_FUNCTIONS = frozenset(
    {
        "current_snapshot",
        "last_committed_snapshot",
        "list_files",
        "options",
        "settings",
        "snapshots",
        "table_changes",
        "table_deletions",
        "table_info",
        "table_insertions",
    }
)
# DuckLake's maintenance functions are table functions, which a SELECT can call.
_WRITING_FUNCTIONS = frozenset(
    {
        "add_data_files",
        "cleanup_old_files",
        "commit",
        "delete_orphaned_files",
        "expire_snapshots",
        "flush_inlined_data",
        "merge_adjacent_files",
        "rewrite_data_files",
        "set_commit_message",
        "set_option",
    }
)
_WRITING_ELSEWHERE = frozenset({"postgres_attach", "postgres_configure_pool", "postgres_execute", "sqlite_attach"})


def classify(piece: ScriptStatement) -> StatementKind:
    """Whether the statement reads or writes, and which tables it writes; raises SqlUnsupported for other statements."""
    _refuse_functions(piece)
    return _classify(piece, Cursor(piece.script, piece.tokens))


def _classify(piece: ScriptStatement, cursor: Cursor) -> StatementKind:
    while cursor.take_symbol("("):
        pass
    start = cursor.here
    if start.kind is not TokenKind.WORD:
        raise cursor.unexpected("a statement")
    verb = cursor.advance().text.upper()
    if verb in _READS:
        return Read()
    match verb:
        case "WITH":
            _skip_ctes(cursor)
            return _classify(piece, cursor)
        case "EXPLAIN":
            return _explain(piece, cursor, start)
        case "CALL":
            return _call(piece, cursor, start)
        case "COPY":
            return _copy(piece, cursor, start)
    name = _target(verb, cursor)
    if name is None:
        raise _refusal(piece, start, cursor if verb == "CREATE" else None)
    return Write((name,))


def _target(verb: str, cursor: Cursor) -> ObjectName | None:
    """The table that a statement with this verb writes; None for other kinds of statements."""
    match verb:
        case "INSERT":
            if cursor.take_words("OR"):
                cursor.advance()
            cursor.expect_words("INTO")
        case "MERGE":
            cursor.expect_words("INTO")
        case "DELETE":
            cursor.expect_words("FROM")
        case "TRUNCATE":
            cursor.take_words("TABLE")
        case "UPDATE":
            if cursor.at_words("EXTENSIONS"):
                return None
        case "CREATE":
            cursor.take_words("OR", "REPLACE")
            if not cursor.at_words("TABLE"):
                return None
            cursor.advance()
            cursor.take_words("IF", "NOT", "EXISTS")
            name = cursor.object_name("table")
            _skip_brackets(cursor)
            return name if cursor.at_words("AS") else None
        case _:
            return None
    return cursor.object_name("table")


def _skip_ctes(cursor: Cursor) -> None:
    cursor.take_words("RECURSIVE")
    while True:
        cursor.identifier("common table expression")
        _skip_brackets(cursor)
        if cursor.take_words("USING", "KEY"):
            _skip_brackets(cursor)
        cursor.expect_words("AS")
        cursor.take_words("NOT")
        cursor.take_words("MATERIALIZED")
        if not cursor.at_symbol("("):
            raise cursor.unexpected('"("')
        _skip_brackets(cursor)
        if not cursor.take_symbol(","):
            return


def _skip_brackets(cursor: Cursor) -> None:
    """Skip a part in parentheses, if it is next."""
    if not cursor.at_symbol("("):
        return
    depth = 0
    while not cursor.done:
        depth += cursor.at_symbol("(")
        depth -= cursor.at_symbol(")")
        cursor.advance()
        if depth == 0:
            return


def _explain(piece: ScriptStatement, cursor: Cursor, start: Token) -> StatementKind:
    runs = cursor.take_words("ANALYZE")
    if cursor.take_symbol("("):
        while not cursor.done and not cursor.take_symbol(")"):
            runs |= cursor.advance().text.upper() == "ANALYZE"
    if runs and isinstance(_classify(piece, cursor), Write):
        raise SqlUnsupported(
            "EXPLAIN ANALYZE of a statement that writes is not supported",
            detail="It would run the statement.",
            hint="Omit ANALYZE.",
            position=piece.script.position(start),
        )
    return Read()


def _call(piece: ScriptStatement, cursor: Cursor, start: Token) -> StatementKind:
    name = cursor.path("function", 3)[-1].lower().removeprefix("ducklake_")
    if name not in _READING_FUNCTIONS:
        raise _refusal(piece, start)
    return Read()


def _copy(piece: ScriptStatement, cursor: Cursor, start: Token) -> StatementKind:
    if cursor.at_symbol("("):
        return Read()
    if cursor.at_words("FROM", "DATABASE"):
        raise _refusal(piece, start)
    table = cursor.object_name("table")
    _skip_brackets(cursor)
    return Write((table,)) if cursor.at_words("FROM") else Read()


def _refuse_functions(piece: ScriptStatement) -> None:
    for token, after in zip(piece.tokens, piece.tokens[1:], strict=False):
        if token.kind not in (TokenKind.WORD, TokenKind.QUOTED) or after.text != "(":
            continue
        name = token.text.lower()
        if name in _WRITING_ELSEWHERE or name.removeprefix("ducklake_") in _WRITING_FUNCTIONS:
            raise SqlUnsupported(
                f'function "{short(name)}" is not supported', hint=_MAINTENANCE, position=piece.script.position(token)
            )


def _refusal(piece: ScriptStatement, start: Token, after: Cursor | None = None) -> SqlUnsupported:
    verb = start.text.upper()
    kind = f"{verb} {after.here.text.upper()}" if after and not after.done else verb
    return SqlUnsupported(
        f'statement "{short(kind)}" is not supported',
        hint=_HINTS.get(verb, _HINT),
        position=piece.script.position(start),
    )
