"""What DuckDB's and Snowflake's dialects share with Spark, value for value.

Left out because the results differ: concat and list || (NULL), log (base), dayofweek, a[1] (origin), round to digits
(binary or decimal), DECIMAL without digits, casts to text (floats, timestamps) and of fractions to integers (rounded or
cut), EXTRACT(SECOND), intervals (DATE + INTERVAL is a timestamp in DuckDB), // and Snowflake's / and avg (scale).
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

# Parts of a query that mean the same.
_SYNTAX = (
    exp.Add,
    exp.Alias,
    exp.And,
    exp.Between,
    exp.Boolean,
    exp.CTE,
    exp.Column,
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
    exp.Mod,
    exp.Mul,
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
    exp.Sub,
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
    exp.Ceil,
    exp.Coalesce,
    exp.Count,
    exp.Day,
    exp.DenseRank,
    exp.Floor,
    exp.Hour,
    exp.If,
    exp.Lag,
    exp.Lead,
    exp.Length,
    exp.Lower,
    exp.Minute,
    exp.Month,
    exp.Nullif,
    exp.Rank,
    exp.Replace,
    exp.RowNumber,
    exp.Second,
    exp.Sum,
    exp.Trim,
    exp.Upper,
    exp.Year,
)
_ANONYMOUS = frozenset({"now"})
_CAST_TO = frozenset(
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
_INTEGERS = frozenset({exp.DType.INT, exp.DType.BIGINT})
_WHOLE = (exp.Ceil, exp.Count, exp.Day, exp.Floor, exp.Hour, exp.Length, exp.Minute, exp.Month, exp.Round, exp.Year)
_PARTS_OF_DATES = frozenset({"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE"})
_WHOLE_DAYS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY"})
_JOINS = frozenset({"", "INNER", "OUTER", "CROSS", "SEMI", "ANTI"})


def is_shared(node: exp.Expr, dialect: str) -> bool:
    """Whether a node of the tree means the same in the dialect and, transpiled, in Spark.

    >>> import sqlglot
    >>> is_shared(sqlglot.parse_one("upper(x)", dialect="duckdb"), "duckdb")
    True
    >>> is_shared(sqlglot.parse_one("concat(x, y)", dialect="duckdb"), "duckdb")
    False
    """
    special = _SPECIAL.get(type(node))
    return special(node, dialect) if special else isinstance(node, (*_SYNTAX, *_FUNCTIONS))


def _cast(node: exp.Expr, dialect: str) -> bool:
    to = node.args["to"].this
    if to in _INTEGERS:
        return _whole_number(node.this) >= 0 or isinstance(node.this, _WHOLE)
    return to in _CAST_TO and (to != exp.DType.DECIMAL or bool(node.args["to"].expressions))


def _concatenated(node: exp.Expr, dialect: str) -> bool:
    """Text only: a NULL among lists is treated otherwise."""
    top = node
    while isinstance(top.parent, exp.DPipe):
        top = top.parent
    return any(isinstance(part, exp.Literal) and part.is_string for part in top.flatten())


def _division(node: exp.Expr, dialect: str) -> bool:
    return dialect == "duckdb"


def _extract(node: exp.Expr, dialect: str) -> bool:
    return node.this.name.upper() in _PARTS_OF_DATES


def _truncated(node: exp.Expr, dialect: str) -> bool:
    """Under a cast only, for Spark's result is a TIMESTAMP whatever the argument is."""
    cast = node.parent
    if not isinstance(cast, exp.Cast) or node.args.get("zone"):
        return False
    return cast.args["to"].this != exp.DType.DECIMAL and node.args["unit"].name.upper() in _WHOLE_DAYS | _PARTS_OF_DATES


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
    return node.args.get("kind", "") in _JOINS and node.args.get("method", "") in ("", "NATURAL")


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
    exp.Avg: _division,
    exp.Cast: _cast,
    exp.ConcatWs: _greatest,
    exp.CurrentDate: _clock,
    exp.CurrentTimestamp: _clock,
    exp.DPipe: _concatenated,
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
    exp.TryCast: _cast,
}
