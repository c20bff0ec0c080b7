"""Lower subqueries in expressions to joins.

EXISTS, IN            SEMI join on the subquery's correlated predicates
NOT EXISTS, NOT IN    ANTI join; NOT IN also matches if the comparison is NULL
scalar                LEFT join with the aggregate, grouped by the inner sides of the equalities; a flag marks existing groups
EXISTS under OR       LEFT join with the distinct inner sides and a flag

>>> from headwater.plan.lower import lower
>>> from headwater.plan.render import render
>>> print(render(lower("SELECT k FROM r WHERE k NOT IN (SELECT v FROM s)", {"r": ["k"], "s": ["v"]})))
SELECT k FROM (SELECT `k` AS k FROM r) AS l LEFT ANTI JOIN (SELECT `v` AS v FROM s) AS r ON k = v OR (k = v) IS NULL
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.plan.aggregates import has_aggregate, on_no_rows
from headwater.plan.check import free_names
from headwater.plan.computed_columns import Computed
from headwater.plan.correlation import equality
from headwater.plan.draft import Draft
from headwater.plan.generators import refuse_generators
from headwater.plan.lowering import LoweringContext
from headwater.plan.nodes import Aggregate, Filter, Join, JoinKind, Node, Project, column, names_in
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import conjunction, conjuncts, has_query, operand, rewrite, unwrapped
from headwater.plan.scopes import Lowered, Scope


def restricted(node: Node, predicate: exp.Expr, scope: Scope, context: LoweringContext) -> Node:
    """The rows of the node for which a predicate with subqueries is true."""
    for conjunct in conjuncts(_pushed(predicate)):
        node = _restricted(node, conjunct, scope, context)
    return node


def _restricted(node: Node, conjunct: exp.Expr, scope: Scope, context: LoweringContext) -> Node:
    found = conjunct.unnest()
    negated = isinstance(found, exp.Not)
    inner = found.this.unnest() if negated else found
    kind = JoinKind.ANTI if negated else JoinKind.SEMI
    if _is_exists(inner):
        rows = _existing(inner, scope, context)
        return Join(kind, node, rows.node, conjunction(rows.correlated))
    if isinstance(inner, exp.In) and inner.args.get("query"):
        values, node = _values(inner, node, scope, context)
        rows = _rows(inner.args["query"], scope, context)
        pairs = _pairs(inner, values, rows)
        matches = [_not_false(pair) for pair in pairs] if negated else pairs
        return Join(kind, node, rows.node, conjunction([*matches, *rows.correlated]))
    if not has_query(conjunct):
        return Filter(node, conjunct)
    expression, node = join_subqueries(conjunct, node, scope, context, truth=True)
    return Filter(node, expression)


def join_subqueries(
    expression: exp.Expr, node: Node, scope: Scope, context: LoweringContext, *, truth: bool = False
) -> tuple[exp.Expr, Node]:
    """The expression with its subqueries replaced by columns, and the node joined with them.

    With `truth`, the expression is a condition, where NULL is equivalent to false.
    """
    copy = expression.copy()

    def visit(part: exp.Expr, truth: bool) -> exp.Expr:
        nonlocal node
        match part:
            case exp.Exists() if _is_exists(part):
                rows = _existing(part, scope, context)
                value, node = _flag(node, rows, [], context)
                return value
            case exp.In() if part.args.get("query"):
                if not truth:
                    raise NotPlanned("IN (SELECT …) is supported only where NULL counts as false", part)
                values, node = _values(part, node, scope, context)
                rows = _rows(part.args["query"], scope, context)
                value, node = _flag(node, rows, _pairs(part, values, rows), context)
                return value
            case exp.Any() | exp.All() if isinstance(part.this, exp.Query):
                raise NotPlanned("ANY and ALL of a subquery are not supported", part)
            case exp.Subquery():
                value, node = _scalar(part, node, scope, context)
                return value
            case exp.Query():
                raise NotPlanned("a subquery in this place is not supported", part)
        for child in list(part.iter_expressions()):
            new = visit(child, _is_condition(part, child, truth))
            if new is not child:
                child.replace(new)
        return part

    return visit(copy, truth), node


def _is_condition(part: exp.Expr, child: exp.Expr, truth: bool) -> bool:
    """Whether NULL is equivalent to false for the child."""
    match part:
        case exp.And() | exp.Or() | exp.Paren():
            return truth
        case exp.Case():
            return part.this is None and isinstance(child, exp.If)
        case exp.If():
            # Within CASE x WHEN … the condition is a value.
            return child is part.this and (not isinstance(part.parent, exp.Case) or truth)
        case exp.Where():
            return True
        case _:
            return False


def _pushed(predicate: exp.Expr) -> exp.Expr:
    """The condition with NOT pushed into AND and OR.

    >>> _pushed(exp.maybe_parse("NOT (a OR NOT b)")).sql()
    '(NOT a) AND b'
    """
    found = predicate.unnest()
    if isinstance(found, exp.And | exp.Or):
        return type(found)(this=operand(_pushed(found.this)), expression=operand(_pushed(found.expression)))
    if isinstance(found, exp.Not):
        inner = found.this.unnest()
        if isinstance(inner, exp.Not):
            return _pushed(inner.this)
        if isinstance(inner, exp.And | exp.Or):
            kind = exp.Or if isinstance(inner, exp.And) else exp.And
            left, right = (_pushed(exp.Not(this=operand(side))) for side in (inner.this, inner.expression))
            return kind(this=operand(left), expression=operand(right))
    return predicate.copy()


def _rows(query: exp.Expr, scope: Scope, context: LoweringContext) -> Lowered:
    """Lower a subquery of which only the existence of rows matters, not their order or duplicates."""
    lowered = context.query(unwrapped(query), scope.inner())
    _refuse_free(lowered.node, query)
    return lowered


def _refuse_free(node: Node, query: exp.Expr) -> None:
    if free_names(node):
        raise NotPlanned("a correlated subquery can't be written as a join here", query)


def _is_exists(expression: exp.Expr) -> bool:
    """Whether the expression is EXISTS with a subquery, not the array function."""
    return isinstance(expression, exp.Exists) and isinstance(expression.this, exp.Query)


def _existing(exists: exp.Expr, scope: Scope, context: LoweringContext) -> Lowered:
    query = unwrapped(exists.this)
    if isinstance(query, exp.Select):
        limit = query.args.get("limit")
        if isinstance(limit, exp.Limit) and limit.expression.is_int and int(limit.expression.name) > 0:
            # One row is enough for EXISTS.
            query = query.copy()
            query.set("limit", None)
    return _rows(query, scope, context)


def _values(found: exp.In, node: Node, scope: Scope, context: LoweringContext) -> tuple[list[exp.Expr], Node]:
    left, node = join_subqueries(found.this, node, scope, context)
    left = left.unnest()
    return (list(left.expressions) if isinstance(left, exp.Tuple) else [left]), node


def _pairs(found: exp.In, values: Sequence[exp.Expr], rows: Lowered) -> list[exp.Expr]:
    if len(values) != len(rows.columns):
        raise NotPlanned("the two sides of IN differ in the number of columns", found)
    return [
        exp.EQ(this=operand(value), expression=column(name)) for value, name in zip(values, rows.names, strict=True)
    ]


def _not_false(comparison: exp.Expr) -> exp.Expr:
    unknown = exp.Is(this=exp.Paren(this=comparison.copy()), expression=exp.null())
    return exp.Or(this=comparison.copy(), expression=unknown)


def _flag(node: Node, rows: Lowered, pairs: Sequence[exp.Expr], context: LoweringContext) -> tuple[exp.Expr, Node]:
    """A column for whether the subquery has a row for the outer row, and the node joined with it."""
    predicates = [*pairs, *rows.correlated]
    if not predicates:
        count = context.names.fresh("count")
        counted = Aggregate(rows.node, (), ((count, exp.Count(this=exp.Star(), big_int=True)),))
        found: exp.Expr = exp.GT(this=column(count), expression=exp.Literal.number(0))
        return exp.Paren(this=found), Join(JoinKind.LEFT, node, counted)
    computed = Computed(context.names)
    keys, matches = [], []
    for predicate in predicates:
        equal = equality(predicate, rows.node.columns)
        # A separate key column, because other joins may use the subquery's column.
        key = computed.column(equal.inner)
        keys.append(key.name)
        matches.append(equal.over(key))
    distinct = Aggregate(computed.over(rows.node), tuple(dict.fromkeys(keys)), ())
    flag = context.names.fresh("found")
    flagged = Project(distinct, (*((key, column(key)) for key in distinct.keys), (flag, exp.true())))
    found = exp.Not(this=exp.Is(this=column(flag), expression=exp.null()))
    return exp.Paren(this=found), Join(JoinKind.LEFT, node, flagged, conjunction(matches))


def _scalar(query: exp.Query, node: Node, scope: Scope, context: LoweringContext) -> tuple[exp.Expr, Node]:
    """The value of a subquery with at most one row, and the node joined with it."""
    select = unwrapped(query)
    if not isinstance(select, exp.Select):
        raise NotPlanned("a scalar subquery may return several rows", query)
    _refuse_many(select)
    draft = context.draft(select, scope.inner())
    if len(draft.items) != 1 or len(draft.labels[0]) != 1:
        raise NotPlanned("a scalar subquery must have one column", query)
    if not draft.correlated:
        lowered = context.finish(draft)
        _refuse_free(lowered.node, query)
        return column(lowered.names[0]), Join(JoinKind.LEFT, node, lowered.node)
    _refuse_free(draft.node, query)
    value, rows = _looked_up(draft, context)
    return value, Join(JoinKind.LEFT, node, rows, conjunction(draft.correlated))


def _looked_up(draft: Draft, context: LoweringContext) -> tuple[exp.Expr, Node]:
    """The value of the matching group, or of an aggregate over no rows if there is none, and the groups."""
    select = draft.select
    if not draft.aggregated or select.args.get("group"):
        raise NotPlanned("a scalar subquery may return several rows", select)
    if any(select.args.get(key) for key in ("having", "qualify", "limit", "offset")):
        raise NotPlanned("HAVING, QUALIFY or LIMIT in a correlated subquery is not supported", select)
    if any(has_query(each) for each in select.expressions):
        raise NotPlanned("a subquery in a correlated subquery is not supported", select)
    whenever_empty = {}
    for name, aggregate in draft.aggregates.items():
        nothing = on_no_rows(aggregate)
        if nothing is None:
            raise NotPlanned("the result of this aggregate over no rows is not known", aggregate)
        whenever_empty[name] = nothing

    item, node = draft.items[0].unnest(), draft.node
    if isinstance(item, exp.Column) and isinstance(whenever_empty.get(item.name), exp.Null):
        return item, node
    if not names_in(item) <= whenever_empty.keys():
        raise NotPlanned("a scalar subquery is computed from more than its aggregates", select)

    def emptied(part: exp.Expr) -> exp.Expr | None:
        return whenever_empty[part.name].copy() if isinstance(part, exp.Column) else None

    nothing, value = rewrite(item, emptied), context.names.fresh("value")
    groups = (*((key, column(key)) for key in node.columns if key not in draft.aggregates), (value, item))
    if _is_null(nothing):
        return column(value), Project(node, groups)
    flag = context.names.fresh("found")
    missing = exp.Is(this=column(flag), expression=exp.null())
    return exp.If(this=missing, true=nothing, false=column(value)), Project(node, (*groups, (flag, exp.true())))


def _is_null(expression: exp.Expr) -> bool:
    """Whether an expression over NULLs is certainly NULL.

    >>> [_is_null(exp.maybe_parse(text)) for text in ("-(1 + NULL)", "coalesce(NULL, 1)", "NULL IS NULL")]
    [True, False, False]
    """
    match expression:
        case exp.Null():
            return True
        case (
            exp.Add()
            | exp.Sub()
            | exp.Mul()
            | exp.Div()
            | exp.Neg()
            | exp.Paren()
            | exp.Cast()
            | exp.Round()
            | exp.Abs()
        ):
            return any(_is_null(child) for child in expression.iter_expressions())
        case _:
            return False


def _refuse_many(select: exp.Select) -> None:
    """Refuse a SELECT that may have more than one row."""
    for each in select.expressions:
        refuse_generators(each)
    limit = select.args.get("limit")
    if isinstance(limit, exp.Limit) and limit.expression.is_int and int(limit.expression.name) <= 1:
        return
    aggregated = select.args.get("having") is not None or any(has_aggregate(each) for each in select.expressions)
    alone = not select.args.get("from_") and not select.args.get("laterals")
    if select.args.get("group") or not (aggregated or alone):
        raise NotPlanned("a scalar subquery may return several rows", select)
