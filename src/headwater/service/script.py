"""Run SQL: each statement of a script goes to the engine that runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, commit
from headwater.core.errors import DynamicTableReadOnly, InvalidRequest, NotFound, NotInitialized
from headwater.core.names import TableName
from headwater.lake import operations as op
from headwater.lake.ddl import plan_ddl
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve
from headwater.lake.site import Site
from headwater.query.process import Answer, DuckDBProcess
from headwater.query.request import execute
from headwater.refresh.compute import Compute
from headwater.refresh.find import all_tables, find_by_name
from headwater.registry import definitions, frontiers, install
from headwater.service.result import Result
from headwater.service.rows import select_on_spark
from headwater.service.statements import run_dynamic
from headwater.sql import statements as st
from headwater.sql.dynamic import is_dynamic
from headwater.sql.dynamic_statements import DynamicStatement
from headwater.sql.parse import parse_piece
from headwater.sql.split import ScriptStatement, split
from headwater.sql.statements import ObjectName
from headwater.sql.tables_named import tables_named
from headwater.sql.tokens import TokenKind

_DDL = frozenset({"CREATE", "ALTER", "DROP", "COMMENT"})


def run_script(
    site: Site,
    compute: Compute,
    duckdb: Callable[[], DuckDBProcess],
    text: str,
    engine: str | None = None,
    dialect: str | None = None,
) -> Result:
    """Run the statements in order, each in its own transaction; returns the last result."""
    if not isinstance(text, str):
        raise InvalidRequest(f"{text!r} is not SQL", hint="Pass the statement as a string.")
    if engine not in (None, "duckdb", "spark"):
        raise InvalidRequest(f'engine "{engine}" is not known', hint="Choose duckdb or spark.")
    dialect = dialect or ("spark" if engine == "spark" else "duckdb")
    pieces = split(text, dialect)
    if not pieces:
        raise InvalidRequest("no statement to run", hint="Pass at least one statement.")
    result, warnings = Result((), ()), list[str]()
    for piece in pieces:
        result = _run(site, compute, duckdb, piece, engine, dialect)
        warnings += result.warnings
    return replace(result, warnings=tuple(warnings))


def _run(
    site: Site,
    compute: Compute,
    duckdb: Callable[[], DuckDBProcess],
    piece: ScriptStatement,
    engine: str | None,
    dialect: str,
) -> Result:
    if is_dynamic(piece) or (piece.verb in _DDL and not _creates_from_query(piece)):
        statement = parse_piece(piece)
        return (
            run_dynamic(site, compute, statement) if isinstance(statement, DynamicStatement) else _ddl(site, statement)
        )
    _refuse_uninitialized(site, piece, dialect)
    if engine == "spark":
        return select_on_spark(site, compute, piece)
    return _result(execute(duckdb(), site.database, [piece], refuse=lambda name: _dynamic_table_name(site, name))[-1])


def _ddl(site: Site, statement: st.Statement) -> Result:
    _refuse_dynamic(site, statement)
    with site.reader() as reader:
        base = reader.latest().id
        operations = plan_ddl(statement, reader, base)
        dynamic = definitions.ids(reader.connection) if install.is_installed(reader.connection) else frozenset()
    gone = [operation.table_id for operation in operations if isinstance(operation, op.DropTableOp)]

    def rows(committed: Committed) -> Iterable[sa.Executable]:
        for table_id in dynamic.intersection(gone):
            yield from definitions.drop_stmts(table_id, site.clock.now(), committed.snapshot_id)

    snapshot = commit(site, Commit(base, operations, rows=rows)).snapshot_id if operations else base
    return Result(("snapshot_id",), ((snapshot,),))


def _refuse_dynamic(site: Site, statement: st.Statement) -> None:
    """Refuse DDL for dynamic tables, which have their own statements."""
    if isinstance(statement, st.CommentOnTable | st.CommentOnColumn | st.CreateSchema | st.DropSchema):
        return
    name = getattr(statement, "name", None) or getattr(statement, "table", None)
    if isinstance(name, ObjectName) and (found := _dynamic_table_name(site, name)):
        raise DynamicTableReadOnly(
            f"{found} is a dynamic table",
            hint="Use CREATE OR REPLACE, ALTER or DROP DYNAMIC TABLE.",
        )


def _dynamic_table_name(site: Site, name: ObjectName) -> str | None:
    """The qualified name of the dynamic table that a name stands for, if it does."""
    with site.reader() as reader:
        found = find_by_name(reader, resolve(name, reader, reader.latest().id))
        return str(found.name) if found else None


def _refuse_uninitialized(site: Site, piece: ScriptStatement, dialect: str) -> None:
    """Refuse to read a table before its first refresh, because it would look empty."""
    with site.reader() as reader:
        held = frontiers.load(reader.connection) if install.is_installed(reader.connection) else {}
        waiting = [table.name for table in all_tables(reader) if table.id not in held]
        found = next((name for name in waiting if _names(reader, piece, dialect, name)), None) if waiting else None
    if found is not None:
        raise NotInitialized(
            f"dynamic table {found} has not been refreshed yet",
            hint=f"Run REFRESH DYNAMIC TABLE {found}, or wait for its schedule.",
            position=piece.position,
        )


def _names(reader: LakeReader, piece: ScriptStatement, dialect: str, table: TableName) -> bool:
    """Whether the statement names the table; any word may do so where its tables can't be told apart."""
    named = tables_named(piece, dialect)
    if named is None:
        words = {token.text.casefold() for token in piece.tokens if token.kind in (TokenKind.WORD, TokenKind.QUOTED)}
        return table.name.casefold() in words
    for name in named:
        with suppress(InvalidRequest, NotFound):  # another catalog, or no schema of the lake
            if resolve(name, reader, reader.latest().id).same(table):
                return True
    return False


def _creates_from_query(piece: ScriptStatement) -> bool:
    """Whether the statement is CREATE TABLE … AS, which DuckDB runs."""
    words = [token.text.upper() for token in piece.tokens[:4]]
    if piece.verb != "CREATE" or "VIEW" in words or "SCHEMA" in words:
        return False
    depth = 0
    for token in piece.tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.text.upper() == "AS":
            return True
    return False


def _result(answer: Answer) -> Result:
    if answer.rows is not None:
        return Result.of(answer.rows)
    return Result(("affected_rows",), ((answer.affected,),))
