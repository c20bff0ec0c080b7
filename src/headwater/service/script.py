"""Run one statement of a script on the engine that runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, commit
from headwater.core.errors import DynamicTableReadOnly, InvalidRequest, NotFound, NotInitialized
from headwater.core.freshness import Downstream, OnDemand
from headwater.core.names import TableName, folded
from headwater.lake import operations as op
from headwater.lake.ddl import plan_ddl
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve
from headwater.lake.site import Site
from headwater.query.parameter_values import encoded
from headwater.query.process import Answer, DuckDBProcess
from headwater.query.request import execute
from headwater.refresh.compute import Compute
from headwater.refresh.find import all_tables, find_by_name
from headwater.registry import definitions, frontiers, install
from headwater.registry.definitions import DynamicTable
from headwater.service.result import Result
from headwater.service.rows import select_on_spark
from headwater.service.statements import run_dynamic
from headwater.sql import statements as st
from headwater.sql.dynamic import is_dynamic
from headwater.sql.dynamic_statements import DynamicStatement
from headwater.sql.parse import parse_piece
from headwater.sql.split import ScriptStatement
from headwater.sql.statements import ObjectName
from headwater.sql.tables_named import tables_named
from headwater.sql.tokens import TokenKind

_DDL = frozenset({"CREATE", "ALTER", "DROP", "COMMENT"})


def run_statement(
    site: Site,
    compute: Compute,
    duckdb: Callable[[], DuckDBProcess],
    piece: ScriptStatement,
    engine: str | None,
    parameters: Mapping[str, Any],
) -> Result:
    """Run a statement in a transaction of its own."""
    if is_dynamic(piece) or is_definition(piece):
        statement = parse_piece(piece)
        return (
            run_dynamic(site, compute, statement) if isinstance(statement, DynamicStatement) else _ddl(site, statement)
        )
    refuse_uninitialized(site, piece)
    if engine == "spark":
        return select_on_spark(site, compute, piece, parameters)
    values = encoded(parameters)
    refuse = partial(dynamic_table_name, site)
    return result_of(execute(duckdb(), site.database, [piece], refuse=refuse, parameters=[values])[-1])


def is_definition(piece: ScriptStatement) -> bool:
    """Whether the statement is DDL other than CREATE TABLE … AS."""
    return piece.verb in _DDL and not _creates_from_query(piece)


def _ddl(site: Site, statement: st.Statement) -> Result:
    refuse_dynamic(site, statement)
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


def refuse_dynamic(site: Site, statement: st.Statement) -> None:
    """Refuse DDL for dynamic tables, which have their own statements."""
    if isinstance(statement, st.CommentOnTable | st.CommentOnColumn | st.CreateSchema | st.DropSchema):
        return
    name = getattr(statement, "name", None) or getattr(statement, "table", None)
    if isinstance(name, ObjectName) and (found := dynamic_table_name(site, name)):
        raise DynamicTableReadOnly(
            f"{found} is a dynamic table",
            hint="Use CREATE OR REPLACE, ALTER or DROP DYNAMIC TABLE.",
        )


def dynamic_table_name(site: Site, name: ObjectName) -> str | None:
    """The qualified name of the dynamic table that a name stands for, if it does."""
    with site.reader() as reader:
        found = find_by_name(reader, resolve(name, reader, reader.latest().id))
        return str(found.name) if found else None


def refuse_uninitialized(site: Site, piece: ScriptStatement) -> None:
    """Refuse to read a table before its first refresh, because it would look empty."""
    with site.reader() as reader:
        held = frontiers.load(reader.connection) if install.is_installed(reader.connection) else {}
        waiting = [table for table in all_tables(reader) if table.id not in held]
        found = next((table for table in waiting if _names(reader, piece, table.name)), None) if waiting else None
    if found is not None:
        raise NotInitialized(
            f"dynamic table {found.name} has not been refreshed yet",
            hint=f"Run REFRESH DYNAMIC TABLE {found.name}{_awaited(found)}.",
            position=piece.position,
        )


def _awaited(table: DynamicTable) -> str:
    """What else leads to the table's first refresh, if anything does."""
    if table.suspension is not None:
        return ""
    match table.freshness:
        case OnDemand():
            return ""
        case Downstream():
            return ", or wait until a table that reads it is due"
        case _:
            return ", or wait for its schedule"


def _names(reader: LakeReader, piece: ScriptStatement, table: TableName) -> bool:
    """Whether the statement names the table; any word may do so where its tables can't be told apart."""
    named = tables_named(piece, piece.script.dialect)
    if named is None:
        words = {folded(token.text) for token in piece.tokens if token.kind in (TokenKind.WORD, TokenKind.QUOTED)}
        return folded(table.name) in words
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


def result_of(answer: Answer) -> Result:
    """What DuckDB answered, as the result of a statement."""
    if answer.rows is not None:
        return Result.of(answer.rows)
    return Result(("affected_rows",), ((answer.affected,),))
