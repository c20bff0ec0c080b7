"""The tables that a statement reads or writes, from its parse tree."""

from __future__ import annotations

import logging

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from headwater.sql.grammar import grammar
from headwater.sql.split import ScriptStatement
from headwater.sql.statements import ObjectName
from headwater.sql.table_references import table_references

# sqlglot warns about statements that it does not parse, but users can't act on that.
logging.getLogger("sqlglot").addFilter(lambda record: record.funcName != "_warn_unsupported")


def tables_named(statement: ScriptStatement, dialect: str) -> tuple[ObjectName, ...] | None:
    """The names of tables and views in the statement, without common table expressions.

    None for a statement that sqlglot does not parse, such as EXPLAIN.

    >>> from headwater.sql.split import split
    >>> statements = split("SELECT 1 AS a FROM b JOIN s.c AS d USING (x); EXPLAIN FROM e")
    >>> [tables_named(statement, "duckdb") for statement in statements]
    [(ObjectName(name='b', schema=None, catalog=None), ObjectName(name='c', schema='s', catalog=None)), None]
    """
    try:
        tree = sqlglot.parse_one(statement.text, dialect=grammar(dialect, double_quoted_names=True))
    except SqlglotError:
        return None
    if tree.find(exp.Command):
        return None
    return tuple(ObjectName(table.name, table.db or None, table.catalog or None) for table in table_references(tree))
