"""Translate queries in DuckDB's and Snowflake's dialects to Spark's."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from headwater.core.schema import Schema
from headwater.sql.cursor import short
from headwater.sql.exact_functions import BY_KIND, has_exact_mapping, may_be_zero
from headwater.sql.query import ParsedQuery
from headwater.sql.value_types import Kinds

MOST_NESTED = 4

# The characters that DuckDB's trim removes: the Unicode category Zs.
_SPACES = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


def transpile(
    query: ParsedQuery, tables: Mapping[int, Schema], *, hint: str = "", unzoned_timestamps: bool = False
) -> str:
    """The query in Spark's dialect; raises an error with `hint` for parts without an exact translation.

    `tables` has the schemas of the tables in the query, by the ids of their nodes. `unzoned_timestamps` says whether Spark's
    TIMESTAMP has no time zone.

    >>> from headwater.core.errors import Position
    >>> from headwater.sql.query import parse_query
    >>> transpile(parse_query('SELECT "a" / 2 AS h FROM t ORDER BY a', "duckdb", Position(1, 1)), {})
    'SELECT CAST(`a` AS DOUBLE) / 2 AS h FROM t ORDER BY a NULLS LAST'
    """
    kinds = Kinds(tables)
    for node in query.tree.walk():
        if not has_exact_mapping(node, query.dialect, kinds):
            depends = type(node) in BY_KIND
            raise query.refused(
                f"{_title(query, node)} has no exact translation to Spark",
                query.position(_start(query, node)),
                detail="It has one only for some types of arguments." if depends else None,
                hint=hint,
            )
        if isinstance(node, exp.Div) and _nesting(node) > MOST_NESTED:
            raise query.refused(
                f"divisions are nested deeper than {MOST_NESTED} levels",
                query.position(_start(query, node)),
                detail="The translation repeats each division to handle a divisor of 0.",
                hint="Compute the inner divisions in a subquery.",
            )
    try:
        tree = query.tree.copy()
        # Inner nodes first, because the new form of outer nodes copies them.
        for node in reversed(list(tree.walk())):
            _adapt(node, query.dialect, unzoned_timestamps)
        return tree.sql(dialect="spark", comments=False, unsupported_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise query.refused(
            "the query can't be translated to Spark's dialect",
            query.position(query.start),
            detail=short(str(error)),
            hint=hint,
        ) from None


def _adapt(node: exp.Expr, dialect: str, unzoned_timestamps: bool) -> None:
    """Change a node to the form with the same result in Spark."""
    match node:
        case exp.Div():
            double = isinstance(node.this, exp.Div)
            node.replace(_quotient(node.this if double else exp.cast(node.this, exp.DType.DOUBLE), node.expression))
        case exp.Mod() if dialect == "duckdb" and may_be_zero(node.expression):
            node.set("expression", exp.Nullif(this=node.expression, expression=exp.Literal.number(0)))
        case exp.Trim() if dialect == "duckdb" and not node.args.get("expression"):
            node.set("expression", exp.Literal.string(_SPACES))
        case exp.DataType() if node.this == exp.DType.TIMESTAMP:
            # Snowflake's TIMESTAMP has no time zone, Spark's has one.
            node.set("this", exp.DType.TIMESTAMPNTZ)
        case exp.DataType() if node.this == exp.DType.TIMESTAMPTZ and unzoned_timestamps:
            # sqlglot writes it as TIMESTAMP.
            node.set("this", exp.DType.TIMESTAMPLTZ)
        case exp.CTE():
            # Spark does not support MATERIALIZED.
            node.set("materialized", None)


def _quotient(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """A division as in DuckDB: as doubles, with infinity or NaN for a division by 0, where Spark fails."""
    quotient = exp.Div(this=left, expression=right)
    if not may_be_zero(right):
        return quotient
    # The power is an infinity with the sign of the zero.
    infinite = exp.Mul(
        this=left.copy(),
        expression=exp.Pow(this=exp.cast(right.copy(), exp.DType.DOUBLE), expression=exp.Literal.number(-1)),
    )
    is_null = exp.EQ(this=right.copy(), expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=is_null, true=infinite)], default=quotient)


def _nesting(node: exp.Expr) -> int:
    """The number of divisions around a node whose divisor may be 0."""
    depth = 0
    outer = node.parent
    while outer is not None and not isinstance(outer, exp.Query):
        depth += isinstance(outer, exp.Div) and may_be_zero(outer.expression)
        outer = outer.parent
    return depth


def _start(query: ParsedQuery, node: exp.Expr) -> int:
    """The offset of a function's name if sqlglot has it, else of the node's first word."""
    first = min((part.meta["start"] for part in node.walk() if "start" in part.meta), default=len(query.text))
    if not isinstance(node, exp.Func) or "start" in node.meta:
        return first if first < len(query.text) else query.start
    names = node.sql_names()
    written = [token.start for token in query.tokens if token.start <= first and token.text.upper() in names]
    return max(written, default=first if first < len(query.text) else query.start)


def _title(query: ParsedQuery, node: exp.Expr) -> str:
    """The name of the node in the user's text, if known."""
    if isinstance(node, exp.Anonymous):
        return f'the function "{node.name.lower()}"'
    if isinstance(node, exp.Cast):
        return f"the cast to {node.args['to'].sql(dialect=query.dialect)}"
    if isinstance(node, exp.Func) and not isinstance(node, exp.Connector):
        start, end = node.meta.get("start"), node.meta.get("end")
        written = query.text[start : end + 1] if start is not None and end is not None else node.sql_name()
        return f'the function "{written.lower()}"'
    return f'"{short(node.sql(dialect=query.dialect))}"'
