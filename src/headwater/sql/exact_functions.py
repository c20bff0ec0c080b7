"""The functions and syntax of DuckDB's and Snowflake's dialects that have the same result in Spark for all arguments.

Not included, because the results differ: upper and lower (of ß, İ, a final Σ), concat and list || (NULL), log (base), dayofweek,
a[1] (origin), round to digits (binary or decimal), DECIMAL without digits, casts to text (of floats and timestamps), from text
(which texts are valid numbers or dates), of fractions to integers (rounding) and of doubles to DECIMAL, the same for TRY_CAST,
EXTRACT(SECOND), intervals (DATE + INTERVAL is a timestamp in DuckDB), // and Snowflake's / and avg (scale).

Included for some types of arguments only: || and concat_ws (text and integers; other types have different texts), avg
(doubles; Spark adds other numbers as doubles, DuckDB does not), ceil and floor (decimals; Spark's result is a BIGINT), %
(not of doubles by a divisor that may be 0), + - * (results of up to 38 digits; Spark rounds others), columns of FLOAT (cast
to DOUBLE, or alone). `transpile` adapts other divisions by zero, and trim.

Two differences remain because of Spark's types: sums beyond BIGINT fail, and decimals of more than 15 digits are converted to
doubles differently, so the last bit may differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from headwater.sql.value_types import DATE, DOUBLE, MOMENT, MOST_DIGITS, SINGLE, Kinds, combined

# Syntax with the same meaning.
_SYNTAX = (
    exp.Alias,
    exp.And,
    exp.Between,
    exp.Boolean,
    exp.CTE,
    exp.DataType,
    exp.DataTypeParam,
    exp.Distinct,
    exp.EQ,
    exp.Except,
    exp.Exists,
    exp.Filter,
    exp.From,
    exp.GT,
    exp.GTE,
    exp.Group,
    exp.Having,
    exp.Identifier,
    exp.In,
    exp.Intersect,
    exp.Is,
    exp.LT,
    exp.LTE,
    exp.Limit,
    exp.Literal,
    exp.NEQ,
    exp.Neg,
    exp.Not,
    exp.Null,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Offset,
    exp.Or,
    exp.Order,
    exp.Ordered,
    exp.Paren,
    exp.Select,
    exp.Subquery,
    exp.Table,
    exp.TableAlias,
    exp.Tuple,
    exp.Union,
    exp.Values,
    exp.Var,
    exp.Where,
    exp.Window,
    exp.WindowSpec,
    exp.With,
)
# Functions with the same result.
_FUNCTIONS = (
    exp.Abs,
    exp.Case,
    exp.Coalesce,
    exp.Count,
    exp.Day,
    exp.DenseRank,
    exp.Hour,
    exp.If,
    exp.Lag,
    exp.Lead,
    exp.Length,
    exp.Minute,
    exp.Month,
    exp.Nullif,
    exp.Rank,
    exp.Replace,
    exp.RowNumber,
    exp.Second,
    exp.Sum,
    exp.Trim,
    exp.Year,
)
_ANONYMOUS = frozenset({"now"})
CAST_TO = frozenset(
    {
        exp.DType.DATE,
        exp.DType.DECIMAL,
        exp.DType.DOUBLE,
        exp.DType.TIMESTAMP,
        exp.DType.TIMESTAMPLTZ,
        exp.DType.TIMESTAMPNTZ,
        exp.DType.TIMESTAMPTZ,
    }
)
INTEGERS = frozenset({exp.DType.INT, exp.DType.BIGINT})
# Parents of a number that don't combine it with other numbers, and whose type does not depend on it.
_ALONE = (exp.Alias, exp.Count, exp.Distinct, exp.Group, exp.Is, exp.Ordered, exp.Sum)
_DAY = r"\d{4}-\d\d-\d\d"
_MOMENT = _DAY + r"( \d\d:\d\d:\d\d(\.\d{1,6})?)?"
_NUMBER = r"-?\d+(\.\d+)?"
# The format of text that both dialects parse alike, by type.
_WRITTEN = {
    exp.DType.DATE: re.compile(_DAY),
    exp.DType.DECIMAL: re.compile(_NUMBER),
    exp.DType.DOUBLE: re.compile(_NUMBER),
    exp.DType.INT: re.compile(r"-?\d+"),
    exp.DType.BIGINT: re.compile(r"-?\d+"),
    exp.DType.TIMESTAMP: re.compile(_MOMENT),
    exp.DType.TIMESTAMPNTZ: re.compile(_MOMENT),
    exp.DType.TIMESTAMPLTZ: re.compile(_MOMENT),
    exp.DType.TIMESTAMPTZ: re.compile(_MOMENT),
}
PARTS_OF_DATES = frozenset({"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE"})
WHOLE_DAYS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY"})
JOINS = frozenset({"", "INNER", "OUTER", "CROSS", "SEMI", "ANTI"})


def has_exact_mapping(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    """Whether a node has the same result in the dialect and, transpiled, in Spark.

    >>> import sqlglot
    >>> has_exact_mapping(sqlglot.parse_one("trim(x)", dialect="duckdb"), "duckdb", Kinds({}))
    True
    >>> has_exact_mapping(sqlglot.parse_one("concat(x, y)", dialect="duckdb"), "duckdb", Kinds({}))
    False
    """
    if by_kind := BY_KIND.get(type(node)):
        return by_kind(node, dialect, kinds)
    special = _SPECIAL.get(type(node))
    return special(node, dialect) if special else isinstance(node, (*_SYNTAX, *_FUNCTIONS))


def may_be_zero(node: exp.Expr) -> bool:
    """Whether an expression is anything but a literal other than 0."""
    return not (isinstance(node, exp.Literal) and not node.is_string and float(node.name))


def _cast(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    value, to, kind = node.this, node.args["to"], kinds.of(node.this)
    if isinstance(value, exp.Literal) and value.is_string:
        return to.this in _WRITTEN and bool(_WRITTEN[to.this].fullmatch(value.name))
    if isinstance(value, exp.Null):
        return to.this in CAST_TO | INTEGERS
    if to.this in INTEGERS:
        return isinstance(value, exp.Round) or (kind is not None and kind.exact and not kind.scale)
    if to.this == exp.DType.DECIMAL:
        return bool(to.expressions) and kind is not None and kind.exact
    if to.this == exp.DType.DOUBLE:
        return kind is not None and kind.numeric
    return to.this in CAST_TO and kind in (DATE, MOMENT)


def _text(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    """Only for text and integers; Snowflake's concat_ws is NULL if one argument is."""
    if isinstance(node, exp.ConcatWs) and dialect != "duckdb":
        return False
    parts = node.expressions if isinstance(node, exp.ConcatWs) else (node.this, node.expression)
    known = [kinds.of(part) for part in parts if not isinstance(part, exp.Null)]
    return all(kind and kind.name in ("text", "whole") for kind in known)


def _arithmetic(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    kind = combined(node, kinds.of(node.this), kinds.of(node.expression))
    return kind is None or kind.digits <= MOST_DIGITS


def _remainder(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    """In DuckDB, the remainder of a division by 0 is NaN for doubles, and NULL for other numbers."""
    kind = combined(node, kinds.of(node.this), kinds.of(node.expression))
    return not may_be_zero(node.expression) or (kind is not None and kind.exact and kind.digits <= MOST_DIGITS)


def _average(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    value = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
    return dialect == "duckdb" and kinds.of(value) == DOUBLE


def _column(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    """FLOAT columns only alone: with other numbers, DuckDB computes in FLOAT, Spark in DOUBLE."""
    if kinds.of(node) != SINGLE or isinstance(node.parent, (exp.Select, *_ALONE)):
        return True
    return isinstance(node.parent, exp.Cast) and node.parent.args["to"].this == exp.DType.DOUBLE


def _of_decimals(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    kind = kinds.of(node.this)
    return node.args.get("decimals") is None and kind is not None and kind.name == "decimal"


def _division(node: exp.Expr, dialect: str) -> bool:
    return dialect == "duckdb"


def _extract(node: exp.Expr, dialect: str) -> bool:
    return node.this.name.upper() in PARTS_OF_DATES


def _truncated(node: exp.Expr, dialect: str) -> bool:
    """Only in a cast, because Spark's result is a TIMESTAMP for all types of arguments."""
    cast = node.parent
    if not isinstance(cast, exp.Cast) or node.args.get("zone"):
        return False
    return cast.args["to"].this != exp.DType.DECIMAL and node.args["unit"].name.upper() in WHOLE_DAYS | PARTS_OF_DATES


def _round(node: exp.Expr, dialect: str) -> bool:
    return node.args.get("decimals") is None


def _extreme(node: exp.Expr, dialect: str) -> bool:
    return not node.expressions


def _greatest(node: exp.Expr, dialect: str) -> bool:
    """In Snowflake, the result is NULL if one argument is."""
    return dialect == "duckdb"


def _substring(node: exp.Expr, dialect: str) -> bool:
    """Only from positions of at least 1, because the dialects count others differently."""
    first, length = node.args.get("start"), node.args.get("length")
    return _whole_number(first) > 0 and (length is None or _whole_number(length) >= 0)


def _whole_number(node: exp.Expr | None) -> int:
    """The value of an unsigned integer literal, else -1."""
    return int(node.name) if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal() else -1


def _like(node: exp.Expr, dialect: str) -> bool:
    """Only without a backslash, which is an escape only in Spark."""
    return isinstance(node.expression, exp.Literal) and "\\" not in node.expression.name


def _anonymous(node: exp.Expr, dialect: str) -> bool:
    return node.name.lower() in _ANONYMOUS and not node.expressions


def _join(node: exp.Expr, dialect: str) -> bool:
    return node.args.get("kind", "") in JOINS and node.args.get("method", "") in ("", "NATURAL")


def _star(node: exp.Expr, dialect: str) -> bool:
    return not node.args.get("replace") and not node.args.get("rename")


def _qualify(node: exp.Expr, dialect: str) -> bool:
    """Only if all columns have names: QUALIFY becomes a subquery."""
    return (
        all(isinstance(part, exp.Column | exp.Alias | exp.Star) for part in node.parent.expressions)
        if node.parent
        else False
    )


def _clock(node: exp.Expr, dialect: str) -> bool:
    return not node.this


def _distinct(node: exp.Expr, dialect: str) -> bool:
    return not node.args.get("on")


_SPECIAL: dict[type[exp.Expr], Callable[[exp.Expr, str], bool]] = {
    exp.Anonymous: _anonymous,
    exp.CurrentDate: _clock,
    exp.CurrentTimestamp: _clock,
    exp.Distinct: _distinct,
    exp.Div: _division,
    exp.Extract: _extract,
    exp.Greatest: _greatest,
    exp.Join: _join,
    exp.Least: _greatest,
    exp.Like: _like,
    exp.Localtimestamp: _clock,
    exp.Max: _extreme,
    exp.Min: _extreme,
    exp.Qualify: _qualify,
    exp.Round: _round,
    exp.Star: _star,
    exp.Substring: _substring,
    exp.TimestampTrunc: _truncated,
}

# Expressions that are included depending on the types of their arguments.
BY_KIND: dict[type[exp.Expr], Callable[[exp.Expr, str, Kinds], bool]] = {
    exp.Add: _arithmetic,
    exp.Avg: _average,
    exp.Cast: _cast,
    exp.Ceil: _of_decimals,
    exp.Column: _column,
    exp.ConcatWs: _text,
    exp.DPipe: _text,
    exp.Floor: _of_decimals,
    exp.Mod: _remainder,
    exp.Mul: _arithmetic,
    exp.Sub: _arithmetic,
    exp.TryCast: _cast,
}
# All included expressions; a test has a case for each.
SHARED = frozenset((*_SYNTAX, *_FUNCTIONS, *_SPECIAL, *BY_KIND))
