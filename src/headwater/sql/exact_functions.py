"""What DuckDB's and Snowflake's dialects share with Spark, value for value: wherever they give one, Spark gives the same.

Left out because the results differ: upper and lower (of ß, İ, a final Σ), concat and list || (NULL), log (base), dayofweek, a[1]
(origin), round to digits (binary or decimal), DECIMAL without digits, casts to text (floats, timestamps), of text (what is
read as a number or a date), of fractions to integers (rounded or cut) and of doubles to DECIMAL, TRY_CAST likewise,
EXTRACT(SECOND), intervals (DATE + INTERVAL is a timestamp in DuckDB), // and Snowflake's / and avg (scale).

Taken for some kinds of arguments only: || and concat_ws (text and whole numbers, for fractions and moments are written
otherwise), avg (doubles, for Spark adds other numbers up as doubles and DuckDB does not), ceil and floor (decimals, for Spark's
result is a BIGINT), % (not of doubles by what may be 0), + - * (where no more than 38 digits are needed: Spark rounds the
rest), columns of FLOAT (cast to DOUBLE, or by themselves). `transpile` adapts what else divides by zero, and what is trimmed.

Two limits are Spark's types: sums beyond BIGINT fail, and decimals of more than 15 digits become doubles by other steps, so the
last bit may differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from headwater.sql.value_types import DATE, DOUBLE, MOMENT, MOST_DIGITS, SINGLE, Kinds, combined

# Parts of a query that mean the same.
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
# Functions that mean the same.
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
# Where a number stands by itself, and what comes of it has not its type.
_ALONE = (exp.Alias, exp.Count, exp.Distinct, exp.Group, exp.Is, exp.Ordered, exp.Sum)
_DAY = r"\d{4}-\d\d-\d\d"
_MOMENT = _DAY + r"( \d\d:\d\d:\d\d(\.\d{1,6})?)?"
_NUMBER = r"-?\d+(\.\d+)?"
# How text must be written for both to read it alike.
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
    """Whether a node of the tree means the same in the dialect and, transpiled, in Spark.

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
    """Whether an expression is not just a number other than 0."""
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
    """Of text and whole numbers; Snowflake's concat_ws is NULL if one argument is."""
    if isinstance(node, exp.ConcatWs) and dialect != "duckdb":
        return False
    parts = node.expressions if isinstance(node, exp.ConcatWs) else (node.this, node.expression)
    known = [kinds.of(part) for part in parts if not isinstance(part, exp.Null)]
    return all(kind and kind.name in ("text", "whole") for kind in known)


def _arithmetic(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    kind = combined(node, kinds.of(node.this), kinds.of(node.expression))
    return kind is None or kind.digits <= MOST_DIGITS


def _remainder(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    """Of doubles by 0 it is NaN in DuckDB, of other numbers NULL."""
    kind = combined(node, kinds.of(node.this), kinds.of(node.expression))
    return not may_be_zero(node.expression) or (kind is not None and kind.exact and kind.digits <= MOST_DIGITS)


def _average(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    value = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
    return dialect == "duckdb" and kinds.of(value) == DOUBLE


def _column(node: exp.Expr, dialect: str, kinds: Kinds) -> bool:
    """Singles only where nothing is combined with them: DuckDB makes singles of other numbers, Spark doubles of both."""
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
    """Under a cast only, for Spark's result is a TIMESTAMP whatever the argument is."""
    cast = node.parent
    if not isinstance(cast, exp.Cast) or node.args.get("zone"):
        return False
    return cast.args["to"].this != exp.DType.DECIMAL and node.args["unit"].name.upper() in WHOLE_DAYS | PARTS_OF_DATES


def _round(node: exp.Expr, dialect: str) -> bool:
    return node.args.get("decimals") is None


def _extreme(node: exp.Expr, dialect: str) -> bool:
    return not node.expressions


def _greatest(node: exp.Expr, dialect: str) -> bool:
    """Snowflake's are NULL if one argument is."""
    return dialect == "duckdb"


def _substring(node: exp.Expr, dialect: str) -> bool:
    """From 1 on: before it the dialects count differently."""
    first, length = node.args.get("start"), node.args.get("length")
    return _whole_number(first) > 0 and (length is None or _whole_number(length) >= 0)


def _whole_number(node: exp.Expr | None) -> int:
    """The value of a literal without sign and fraction, else -1."""
    return int(node.name) if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal() else -1


def _like(node: exp.Expr, dialect: str) -> bool:
    """Without a backslash, which only Spark takes for an escape."""
    return isinstance(node.expression, exp.Literal) and "\\" not in node.expression.name


def _anonymous(node: exp.Expr, dialect: str) -> bool:
    return node.name.lower() in _ANONYMOUS and not node.expressions


def _join(node: exp.Expr, dialect: str) -> bool:
    return node.args.get("kind", "") in JOINS and node.args.get("method", "") in ("", "NATURAL")


def _star(node: exp.Expr, dialect: str) -> bool:
    return not node.args.get("replace") and not node.args.get("rename")


def _qualify(node: exp.Expr, dialect: str) -> bool:
    """It becomes a subquery, whose columns need names."""
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

# What depends on the kinds of the arguments.
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
# All that is taken, for tests to have a case for each.
SHARED = frozenset((*_SYNTAX, *_FUNCTIONS, *_SPECIAL, *BY_KIND))
