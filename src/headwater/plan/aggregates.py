"""Which parts of an expression are aggregates of the query around it."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.plan.rewrite import parts, rewrite

# Aggregate functions of Spark for which sqlglot has no class.
_NAMES = frozenset(
    {
        "bitmap_and_agg",
        "count_min_sketch",
        "histogram_numeric",
        "hll_sketch_agg",
        "hll_union_agg",
        "kll_merge_agg_bigint",
        "kll_merge_agg_double",
        "kll_merge_agg_float",
        "kll_sketch_agg_bigint",
        "kll_sketch_agg_double",
        "kll_sketch_agg_float",
        "measure",
        "percentile",
        "product",
        "schema_of_json_agg",
        "schema_of_variant_agg",
        "theta_intersection_agg",
        "theta_sketch_agg",
        "theta_union_agg",
        "try_avg",
        "try_sum",
        "tuple_intersection_agg_double",
        "tuple_intersection_agg_integer",
        "tuple_sketch_agg_double",
        "tuple_sketch_agg_integer",
        "tuple_union_agg_double",
        "tuple_union_agg_integer",
        "vector_avg",
        "vector_sum",
    }
)
# sqlglot classifies these as aggregates, but they describe the grouping.
_NONE = (exp.Grouping, exp.GroupingId)
_AROUND = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
_COUNTS = (exp.Count, exp.CountIf, exp.ApproxDistinct, exp.RegrCount)
_NULLS = (
    exp.AnyValue,
    exp.ArgMax,
    exp.ArgMin,
    exp.Avg,
    exp.BitwiseAndAgg,
    exp.BitwiseOrAgg,
    exp.BitwiseXorAgg,
    exp.Corr,
    exp.CovarPop,
    exp.CovarSamp,
    exp.First,
    exp.Kurtosis,
    exp.Last,
    exp.LogicalAnd,
    exp.LogicalOr,
    exp.Max,
    exp.Median,
    exp.Min,
    exp.Mode,
    exp.PercentileCont,
    exp.PercentileDisc,
    exp.Skewness,
    exp.Stddev,
    exp.StddevPop,
    exp.StddevSamp,
    exp.Sum,
    exp.Variance,
    exp.VariancePop,
)
_NULL_NAMES = frozenset({"product", "try_avg", "try_sum"})


def core(expression: exp.Expr) -> exp.Expr:
    """The aggregate function without FILTER, WITHIN GROUP or IGNORE NULLS."""
    while isinstance(expression, _AROUND):
        expression = expression.this
    return expression


def is_aggregate(expression: exp.Expr) -> bool:
    """Whether the expression is an aggregate call, including FILTER and similar clauses.

    >>> [is_aggregate(exp.maybe_parse(text)) for text in ("sum(a) filter (where b)", "try_sum(a)", "abs(a)", "1 + sum(a)")]
    [True, True, False, False]
    """
    inner = core(expression)
    if isinstance(inner, exp.Anonymous):
        return inner.name.lower() in _NAMES
    return isinstance(inner, exp.AggFunc) and not isinstance(inner, _NONE)


def has_aggregate(expression: exp.Expr) -> bool:
    """Whether the expression contains an aggregate that is not a window function.

    >>> [has_aggregate(exp.maybe_parse(text)) for text in ("sum(a) over ()", "1 + sum(sum(a)) over ()")]
    [False, True]
    """
    found = False

    def seen(_: exp.Expr) -> exp.Expr:
        nonlocal found
        found = True
        return exp.null()

    each_aggregate(expression, seen)
    return found


def each_aggregate(
    expression: exp.Expr,
    replace: Callable[[exp.Expr], exp.Expr],
    other: Callable[[exp.Expr], exp.Expr | None] = lambda _: None,
) -> exp.Expr:
    """A copy with aggregates replaced, except in window functions; `other` is called for all other parts."""
    windowed: set[int] = set()

    def replaced(part: exp.Expr) -> exp.Expr | None:
        if isinstance(part, exp.Window):
            inner = part.this
            while isinstance(inner, _AROUND):
                windowed.add(id(inner))
                inner = inner.this
            windowed.add(id(inner))
        if id(part) not in windowed and is_aggregate(part):
            return replace(part)
        return other(part) if id(part) not in windowed else None

    return rewrite(expression, replaced)


def on_no_rows(aggregate: exp.Expr) -> exp.Expr | None:
    """The result of an aggregate over no rows: NULL or zero, or None if unknown.

    >>> [value and value.sql() for value in map(on_no_rows, map(exp.maybe_parse, ("sum(a)", "count(*)", "array_agg(a)")))]
    ['NULL', '0', None]
    """
    inner = core(aggregate)
    if isinstance(inner, _COUNTS):
        return exp.Literal.number(0)
    if isinstance(inner, _NULLS) or (isinstance(inner, exp.Anonymous) and inner.name.lower() in _NULL_NAMES):
        return exp.null()
    return None


def has_window(expression: exp.Expr) -> bool:
    """Whether the expression contains a window function."""
    return any(isinstance(part, exp.Window) for part in parts(expression))
