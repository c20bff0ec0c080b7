"""DDL as DuckDB runs it inside a transaction."""

from __future__ import annotations

from dataclasses import replace

from headwater.core.errors import Position, SqlUnsupported
from headwater.sql import statements as st
from headwater.sql.render import render


def duckdb_ddl(statement: st.Statement, position: Position) -> tuple[str, ...]:
    """The statements of DuckDB that do the same: its CREATE TABLE has no partitioning and no sort order.

    >>> from headwater.sql.parse import parse
    >>> duckdb_ddl(parse("CREATE TABLE t (a INT) PARTITIONED BY (a)")[0], Position(1, 1))
    ('CREATE TABLE "t" ("a" INTEGER)', 'ALTER TABLE "t" SET PARTITIONED BY ("a")')
    """
    if isinstance(statement, st.CreateView) and statement.dialect != "duckdb":
        raise SqlUnsupported(
            "a view in Spark's dialect can't be created in a transaction",
            hint="Create it before BEGIN or after COMMIT.",
            position=position,
        )
    if not isinstance(statement, st.CreateTable) or not (statement.partitioned_by or statement.sorted_by):
        return (render(statement),)
    if statement.if_not_exists:
        raise SqlUnsupported(
            "CREATE TABLE IF NOT EXISTS with PARTITIONED BY or SORTED BY can't run in a transaction",
            detail="DuckDB needs two statements for it, and the second would change an existing table.",
            hint="Omit IF NOT EXISTS, or run it before BEGIN.",
            position=position,
        )
    texts = [render(replace(statement, partitioned_by=(), sorted_by=()))]
    if statement.partitioned_by:
        texts.append(render(st.SetPartitioning(statement.name, statement.partitioned_by)))
    if statement.sorted_by:
        texts.append(render(st.SetSorting(statement.name, statement.sorted_by)))
    return tuple(texts)


def tables_changed(statement: st.Statement) -> tuple[st.ObjectName, ...]:
    """The tables and views that the statement creates, alters or drops; none for a schema.

    >>> from headwater.sql.parse import parse
    >>> [name.name for name in tables_changed(parse("ALTER TABLE s.a RENAME TO b")[0])]
    ['a', 'b']
    """
    match statement:
        case st.CreateSchema() | st.DropSchema():
            return ()
        case st.RenameTable(name, new_name) | st.RenameView(name, new_name):
            return (name, replace(name, name=new_name))
        case st.CreateTable(name=name) | st.DropTable(name=name) | st.CreateView(name=name) | st.DropView(name=name):
            return (name,)
        case _:
            return (statement.table,)
