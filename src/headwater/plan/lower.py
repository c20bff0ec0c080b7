"""Lower Spark SQL over named relations to a plan.

>>> from headwater.plan.render import render
>>> plan = lower("SELECT k, sum(v) AS s FROM hw_source_1 WHERE v > 0 GROUP BY k", {"hw_source_1": ["K", "v", "x"]})
>>> print(render(plan))
SELECT k, SUM(v) AS s FROM (SELECT k, v FROM (SELECT `K` AS k, `v` AS v FROM hw_source_1) AS t WHERE v > 0) AS t GROUP BY k
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from headwater.plan.check import check
from headwater.plan.limits import limited, limits, output_order
from headwater.plan.lower_select import draft_select, finish_select
from headwater.plan.lowering import LoweringContext
from headwater.plan.merge import merge
from headwater.plan.naming import Names
from headwater.plan.nodes import Aggregate, Node, Project, SetKind, SetOperation, UnionAll, column
from headwater.plan.not_planned import NotPlanned
from headwater.plan.prune import prune
from headwater.plan.qualify import qualified
from headwater.plan.scopes import Lowered, Scope

__all__ = ["NotPlanned", "lower"]

# Aliases of derived tables in rendered SQL, which could be confused with struct columns of that name.
_RENDERED = frozenset({"t", "l", "r", "e"})
_SET_KINDS: Mapping[type[exp.Expr], SetKind] = {exp.Intersect: SetKind.INTERSECT, exp.Except: SetKind.EXCEPT}
_BRACKETS = frozenset({"this", "with_", "order", "limit", "offset", "alias"})
_BRANCHES = frozenset({"this", "expression", "with_", "order", "limit", "offset", "distinct"})
# Simplifications of a plan, and its check.
STEPS: tuple[Callable[[Node], Node], ...] = (prune, merge, check)


def lower(sql: str, relations: Mapping[str, Sequence[str]]) -> Node:
    """The plan of a query; raises NotPlanned with the reason if there is none."""
    try:
        tree = qualified(sql, relations)
        variables = {each.name for each in tree.find_all(exp.Lambda) for each in each.expressions}
        known = {name.lower(): (name, columns) for name, columns in relations.items()}
        context = LoweringContext(
            names=Names(_RENDERED | {name.lower() for name in variables}),
            relations=known,
            query=lambda query, scope: _query(query, scope, context),
            draft=lambda select, scope: draft_select(select, _with_queries(select, scope), context),
            finish=lambda draft: finish_select(draft, context),
        )
        plan = _exact(_query(tree, Scope(), context))
        for step in STEPS:
            plan = step(plan)
    except RecursionError:
        raise NotPlanned("the query is nested too deeply") from None
    return plan


def _query(query: exp.Expr, scope: Scope, context: LoweringContext) -> Lowered:
    match query:
        case exp.Select():
            return context.finish(context.draft(query, scope))
        case exp.SetOperation():
            _refuse_more(query, _BRANCHES)
            lowered = _set_operation(query, _with_queries(query, scope), context)
        case exp.Subquery():
            _refuse_more(query, _BRACKETS)
            lowered = context.query(query.this, _with_queries(query, scope))
        case _:
            raise NotPlanned("this kind of query is not supported", query)
    bounds = limits(query)
    if bounds is None:
        return lowered
    if lowered.correlated:
        raise NotPlanned("LIMIT in a correlated subquery is not supported", query)
    return limited(lowered, output_order(query, lowered), bounds, query)


def _with_queries(query: exp.Expr, scope: Scope) -> Scope:
    """The scope with the query's own WITH queries."""
    clause = query.args.get("with_")
    for cte in clause.expressions if clause is not None else []:
        scope = scope.with_cte(cte)
    return scope


def _set_operation(query: exp.SetOperation, scope: Scope, context: LoweringContext) -> Lowered:
    left, right = context.query(query.this, scope), context.query(query.expression, scope)
    if left.correlated or right.correlated:
        raise NotPlanned("a set operation in a correlated subquery is not supported", query)
    if len(left.columns) != len(right.columns):
        raise NotPlanned("the sides of a set operation differ in the number of columns", query)
    names = tuple(context.names.fresh(label) for label, _ in left.columns)
    columns = tuple((label, name) for (label, _), name in zip(left.columns, names, strict=True))
    kind = _SET_KINDS.get(type(query))
    distinct = bool(query.args.get("distinct"))
    if kind is not None:
        return Lowered(SetOperation(kind, not distinct, _exact(left), _exact(right), names), columns)
    if not isinstance(query, exp.Union):
        raise NotPlanned("this kind of set operation is not supported", query)
    first = _exact(left)
    branches = first.inputs if isinstance(first, UnionAll) and not isinstance(query.this, exp.Subquery) else (first,)
    union = UnionAll((*branches, _exact(right)), names)
    return Lowered(Aggregate(union, names, ()) if distinct else union, columns)


def _exact(lowered: Lowered) -> Node:
    """The plan with only the output columns."""
    if lowered.node.columns == lowered.names:
        return lowered.node
    return Project(lowered.node, tuple((name, column(name)) for name in lowered.names))


def _refuse_more(query: exp.Expr, known: frozenset[str]) -> None:
    for key, value in query.args.items():
        if value and key not in known:
            raise NotPlanned(f"{key.strip('_').replace('_', ' ').upper()} here is not supported", query)
