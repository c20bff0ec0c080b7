"""Queries in DuckDB's and Snowflake's dialects to Spark's."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from headwater.sql.cursor import short
from headwater.sql.functions import is_shared
from headwater.sql.query import ParsedQuery


def transpile(query: ParsedQuery) -> str:
    """The query in Spark's words, or a refusal of what has no counterpart that is known to be equal.

    >>> from headwater.core.errors import Position
    >>> from headwater.sql.query import parse_query
    >>> transpile(parse_query('SELECT "a" / 2 AS h FROM t ORDER BY a', "duckdb", Position(1, 1)))
    'SELECT CAST(`a` AS DOUBLE) / 2 AS h FROM t ORDER BY a NULLS LAST'
    """
    for node in query.tree.walk():
        if not is_shared(node, query.dialect):
            raise query.refused(
                f"{_title(query, node)} has no mapping to Spark that is known to be exact",
                query.position(_start(query, node)),
                hint="Write the query in Spark's dialect, without DIALECT.",
            )
    try:
        tree = query.tree.transform(_adapt)
        return tree.sql(dialect="spark", comments=False, unsupported_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise query.refused(
            "the query can't be written in Spark's dialect",
            query.position(query.start),
            detail=short(str(error)),
            hint="Write the query in Spark's dialect, without DIALECT.",
        ) from None


def _adapt(node: exp.Expr) -> exp.Expr:
    """DuckDB divides decimals as doubles, Spark as decimals; MATERIALIZED is unknown to Spark."""
    match node:
        case exp.Avg(args={"this": exp.Distinct(expressions=[value])}):
            node.this.set("expressions", [exp.cast(value, exp.DType.DOUBLE)])
        case exp.Div() | exp.Avg():
            node.set("this", exp.cast(node.this, exp.DType.DOUBLE))
        case exp.CTE():
            node.set("materialized", None)
    return node


def _start(query: ParsedQuery, node: exp.Expr) -> int:
    """The offset of a function's name, which sqlglot does not always remember, else of the node's first word."""
    first = min((part.meta["start"] for part in node.walk() if "start" in part.meta), default=len(query.text))
    if not isinstance(node, exp.Func) or "start" in node.meta:
        return first if first < len(query.text) else query.start
    names = node.sql_names()
    written = [token.start for token in query.tokens if token.start <= first and token.text.upper() in names]
    return max(written, default=first if first < len(query.text) else query.start)


def _title(query: ParsedQuery, node: exp.Expr) -> str:
    """What the user wrote, as far as it can be told."""
    if isinstance(node, exp.Anonymous):
        return f'the function "{node.name.lower()}"'
    if isinstance(node, exp.Cast):
        return f"the cast to {node.args['to'].sql(dialect=query.dialect)}"
    if isinstance(node, exp.Func) and not isinstance(node, exp.Connector):
        start, end = node.meta.get("start"), node.meta.get("end")
        written = query.text[start : end + 1] if start is not None and end is not None else node.sql_name()
        return f'the function "{written.lower()}"'
    return f'"{short(node.sql(dialect=query.dialect))}"'
