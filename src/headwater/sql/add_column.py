"""Add a column to the select list of a query, and keep the rest of its text."""

from __future__ import annotations

from headwater.core.names import backquote, quote
from headwater.sql.tokens import TokenKind, tokenize

_AFTER_THE_LIST = frozenset(
    {
        "FROM",
        "WHERE",
        "GROUP",
        "HAVING",
        "ORDER",
        "LIMIT",
        "WINDOW",
        "QUALIFY",
        "LATERAL",
        "SORT",
        "CLUSTER",
        "DISTRIBUTE",
    }
)
_SEVERAL = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})


def add_column(
    query: str, expression: str, name: str, dialect: str = "spark", *, double_quoted_names: bool = False
) -> str | None:
    """The query with the expression as its last column; None if it is not one SELECT.

    >>> add_column("SELECT a, (SELECT max(x) FROM u) m FROM t -- all", "b + 1", "c")
    'SELECT a, (SELECT max(x) FROM u) m, b + 1 AS `c` FROM t -- all'
    >>> add_column("SELECT 1 UNION SELECT 2", "3", "c")
    """
    known = "duckdb" if dialect == "duckdb" else "spark"
    tokens = tokenize(query, known, double_quoted_names=double_quoted_names).tokens
    depth, place, selecting = 0, None, False
    for number, token in enumerate(tokens):
        if token.kind is TokenKind.SYMBOL:
            depth += token.text in "([{"
            depth -= token.text in ")]}"
        if depth or token.kind is not TokenKind.WORD:
            continue
        word = token.text.upper()
        if word in _SEVERAL:
            return None
        selecting = selecting or word == "SELECT"
        if selecting and place is None and word in _AFTER_THE_LIST:
            place = tokens[number - 1].end
    if not selecting:
        return None
    place = tokens[-1].end if place is None else place
    quoted = quote(name) if dialect == "duckdb" else backquote(name)
    return f"{query[:place]}, {expression} AS {quoted}{query[place:]}"
