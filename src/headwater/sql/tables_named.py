"""The tables that a plain statement reads or writes, by its parse tree."""

from __future__ import annotations

import logging

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from headwater.sql.split import ScriptStatement
from headwater.sql.statements import ObjectName
from headwater.sql.table_references import table_references

# sqlglot warns when it takes a statement as a whole, which is nothing that users could act on.
logging.getLogger("sqlglot").addFilter(lambda record: record.funcName != "_warn_unsupported")


def tables_named(statement: ScriptStatement, dialect: str) -> tuple[ObjectName, ...] | None:
    """The names of tables and views in the statement; common table expressions, aliases and columns are none.

    None for a statement that sqlglot does not take apart, such as EXPLAIN.

    >>> from headwater.sql.split import split
    >>> statements = split("SELECT 1 AS a FROM b JOIN s.c AS d USING (x); EXPLAIN FROM e")
    >>> [tables_named(statement, "duckdb") for statement in statements]
    [(ObjectName(name='b', schema=None, catalog=None), ObjectName(name='c', schema='s', catalog=None)), None]
    """
    try:
        tree = sqlglot.parse_one(statement.text, dialect=dialect)
    except SqlglotError:
        return None
    if tree.find(exp.Command):
        return None
    return tuple(ObjectName(table.name, table.db or None, table.catalog or None) for table in table_references(tree))
