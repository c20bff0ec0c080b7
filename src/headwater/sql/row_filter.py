"""Evaluate WHERE on rows in memory: comparisons of columns with literals, combined by AND, OR and NOT."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from headwater.core.errors import SqlSyntaxError, SqlUnsupported
from headwater.core.format import these_are
from headwater.core.names import folded

Row = Mapping[str, Any]

_COMPARISONS: dict[type[exp.Expr], Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}


def matcher(text: str, columns: Sequence[str]) -> Callable[[Row], bool]:
    """A function that returns whether the condition is true for a row; NULL is not true.

    >>> holds = matcher("state = 'FAILED' AND NOT name LIKE 'tmp%'", ("state", "name"))
    >>> holds({"state": "FAILED", "name": "a"}), holds({"state": "FAILED", "name": "tmp1"})
    (True, False)
    """
    try:
        tree = sqlglot.parse_one(text, dialect="duckdb")
    except SqlglotError as error:
        raise SqlSyntaxError(f"the condition {text!r} can't be parsed", hint="Compare columns with values.") from error
    known = {folded(column): column for column in columns}
    return lambda row: bool(_holds(tree, row, known))


def _holds(node: exp.Expr, row: Row, known: Mapping[str, str]) -> bool | None:
    match node:
        case exp.Paren():
            return _holds(node.this, row, known)
        case exp.And():
            return bool(_holds(node.left, row, known)) and bool(_holds(node.right, row, known))
        case exp.Or():
            return bool(_holds(node.left, row, known)) or bool(_holds(node.right, row, known))
        case exp.Not():
            held = _holds(node.this, row, known)
            return None if held is None else not held
        case exp.Is():
            return _value(node.this, row, known) is None
        case exp.In():
            value = _value(node.this, row, known)
            return None if value is None else value in [_value(item, row, known) for item in node.expressions]
        case exp.Like() | exp.ILike():
            value, pattern = _value(node.this, row, known), str(_value(node.expression, row, known))
            flags = re.IGNORECASE if isinstance(node, exp.ILike) else 0
            parts = (".*" if c == "%" else "." if c == "_" else re.escape(c) for c in pattern)
            return None if value is None else re.fullmatch("".join(parts), str(value), flags | re.DOTALL) is not None
        case exp.Binary() if type(node) in _COMPARISONS:
            left, right = _value(node.left, row, known), _value(node.right, row, known)
            if left is None or right is None:
                return None
            try:
                return _COMPARISONS[type(node)](*_alike(left, right))
            except (TypeError, ValueError):
                raise SqlUnsupported(
                    f"{node.sql()!r} compares values of different types",
                    hint="Write timestamps as 'YYYY-MM-DD hh:mm:ss'.",
                ) from None
        case _:
            raise _unsupported(node)


def _value(node: exp.Expr, row: Row, known: Mapping[str, str]) -> Any:
    match node:
        case exp.Column():
            if folded(node.name) not in known:
                raise SqlUnsupported(
                    f'column "{node.name}" does not exist', hint=these_are("column", list(known.values()))
                )
            return row[known[folded(node.name)]]
        case exp.Literal():
            return node.this if node.is_string else float(node.this)
        case exp.Neg():
            return -_value(node.this, row, known)
        case exp.Null():
            return None
        case exp.Cast():
            return _value(node.this, row, known)
        case _:
            raise _unsupported(node)


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    """Convert both sides to one type: timestamps to text, other values unchanged."""
    if isinstance(left, datetime) and isinstance(right, str):
        moment = datetime.fromisoformat(right)
        return left, moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if isinstance(left, timedelta):
        return left.total_seconds(), float(right)
    if isinstance(right, datetime | timedelta) and not isinstance(left, datetime | timedelta):
        return tuple(reversed(_alike(right, left)))
    return (str(left), str(right)) if type(left) is not type(right) and isinstance(right, str) else (left, right)


def _unsupported(node: exp.Expr) -> SqlUnsupported:
    return SqlUnsupported(
        f"{node.sql()!r} can't be part of this condition",
        hint="Compare columns with values: =, <>, <, >, LIKE, IN, IS NULL, joined by AND, OR, NOT.",
    )
