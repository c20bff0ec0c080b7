"""Lower one SELECT to a plan, step by step.

>>> from headwater.plan.lower import lower
>>> from headwater.plan.render import render
>>> plan = lower("SELECT DISTINCT k + 1 AS n FROM r WHERE v > 0 ORDER BY n LIMIT 2", {"r": ["k", "v"]})
>>> print(render(plan, pretty=True))
SELECT
  n
FROM (
  SELECT
    n
  FROM (
    SELECT
      k + 1 AS n
    FROM (
      SELECT
        `k` AS k,
        `v` AS v
      FROM r
    ) AS t
    WHERE
      v > 0
  ) AS t
  GROUP BY
    n
) AS t
ORDER BY
  n ASC
LIMIT 2
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from headwater.plan.draft import Draft
from headwater.plan.generators import exploded, is_generator, refuse_generators
from headwater.plan.grouping import grouped
from headwater.plan.limits import Limits, limited, limits, order_names
from headwater.plan.lower_from import from_clause
from headwater.plan.lowering import LoweringContext
from headwater.plan.nodes import Aggregate, Filter, Item, Node, Project, column, names_in
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import bare, conjunction, conjuncts, has_query, operand, rewrite
from headwater.plan.scopes import Lowered, Scope, is_unnamed, resolve
from headwater.plan.subqueries import join_subqueries, restricted
from headwater.plan.windows import spelled_out, windowed

# Supported clauses of a SELECT; an order without LIMIT is ignored.
_KNOWN = frozenset(
    {
        "with_",
        "expressions",
        "hint",
        "distinct",
        "from_",
        "joins",
        "laterals",
        "where",
        "group",
        "having",
        "qualify",
        "windows",
        "distribute",
        "sort",
        "cluster",
        "order",
        "limit",
        "offset",
    }
)


def draft_select(select: exp.Select, scope: Scope, context: LoweringContext) -> Draft:
    """The SELECT up to its select list."""
    draft = _read(select, scope, context)
    for step in STEPS:
        draft = step(draft, context)
    return draft


def _read(select: exp.Select, scope: Scope, context: LoweringContext) -> Draft:
    for key, value in select.args.items():
        if value and key not in _KNOWN:
            raise NotPlanned(f"{key.strip('_').replace('_', ' ').upper()} is not supported", select)
    if not select.expressions:
        raise NotPlanned("a SELECT has no columns", select)
    node, scope = from_clause(select, scope, context)
    named = {each.name: each for each in select.args.get("windows") or []}

    def ready(expression: exp.Expr, *, outputs: bool = False) -> exp.Expr:
        return resolve(spelled_out(expression, named), scope, outputs=outputs)

    labels, items = [], []
    for each in select.expressions:
        names, item = _output(each)
        labels.append(names)
        items.append(ready(item))
    having, qualify = select.args.get("having"), select.args.get("qualify")
    draft = Draft(
        select=select,
        node=node,
        scope=scope,
        labels=tuple(labels),
        items=tuple(items),
        having=None if having is None else ready(having.this),
        qualify=None if qualify is None else ready(qualify.this),
        order=(),
    )
    order = select.args.get("order")
    if order is None or not limits(select):
        return draft
    return replace(draft, order=tuple(_order_key(ready(key, outputs=True), draft) for key in order.expressions))


def _output(expression: exp.Expr) -> tuple[tuple[str, ...], exp.Expr]:
    """The labels of an expression of the select list, and the expression without them."""
    if isinstance(expression, exp.Aliases):
        return tuple(each.name for each in expression.expressions), expression.this
    label = expression.alias_or_name
    if isinstance(expression, exp.Subquery):
        expression = expression.copy()
        expression.set("alias", None)
    if is_generator(expression.unalias()) and is_unnamed(label):
        return (), expression.unalias()
    return (label,), expression.unalias()


def _order_key(key: exp.Expr, draft: Draft) -> exp.Ordered:
    """A sort key with output columns replaced by their expressions."""
    outputs = {names[0]: item for names, item in zip(draft.labels, draft.items, strict=True) if len(names) == 1}

    def replaced(part: exp.Expr) -> exp.Expr | None:
        if isinstance(part, exp.Column) and part.args["this"].args.get("quoted"):
            item = outputs.get(part.name)
            if item is None or is_generator(item):
                raise NotPlanned("ORDER BY … LIMIT by a column that is computed in the same SELECT", part)
            return operand(item)
        return None

    if not isinstance(key, exp.Ordered) or isinstance(key.this, exp.Var):
        raise NotPlanned("ORDER BY ALL with LIMIT is not supported", key)
    if isinstance(key.this, exp.Literal) and key.this.is_int:
        place = int(key.this.name) - 1
        if not 0 <= place < len(draft.items):
            raise NotPlanned("an ORDER BY position is not in the select list", key)
        found: exp.Expr = key.copy()
        found.this.replace(draft.items[place].copy())
    else:
        found = rewrite(key, replaced)
    assert isinstance(found, exp.Ordered)
    return found


def _where(draft: Draft, context: LoweringContext) -> Draft:
    where = draft.select.args.get("where")
    if where is None:
        return draft
    found = conjuncts(resolve(where.this, draft.scope))
    inside = frozenset(draft.node.columns)
    simple = [each for each in found if not has_query(each)]
    correlated = tuple(each for each in simple if not names_in(each) <= inside)
    node = _filtered(draft.node, conjunction(each for each in simple if names_in(each) <= inside))
    for each in found:
        if has_query(each):
            node = restricted(node, each, draft.scope, context)
    return replace(draft, node=node, correlated=correlated)


def _having(draft: Draft, context: LoweringContext) -> Draft:
    if draft.having is None:
        return draft
    return replace(draft, node=_kept(draft.node, draft.having, draft, context), having=None)


def _qualify(draft: Draft, context: LoweringContext) -> Draft:
    if draft.qualify is None:
        return draft
    return replace(draft, node=_kept(draft.node, draft.qualify, draft, context), qualify=None)


def _kept(node: Node, predicate: exp.Expr, draft: Draft, context: LoweringContext) -> Node:
    found = conjuncts(predicate)
    node = _filtered(node, conjunction(each for each in found if not has_query(each)))
    for each in found:
        if has_query(each):
            node = restricted(node, each, draft.scope, context)
    return node


def _filtered(node: Node, predicate: exp.Expr | None) -> Node:
    return node if predicate is None else Filter(node, predicate)


def _subqueries(draft: Draft, context: LoweringContext) -> Draft:
    """Join the subqueries of the select list and the order; those of QUALIFY are joined later."""
    node = draft.node
    # A sort key may repeat the subquery of an output column, which is joined once.
    seen: dict[exp.Expr, exp.Expr] = {}

    def joined(expression: exp.Expr) -> exp.Expr:
        nonlocal node
        if not has_query(expression):
            return expression
        if isinstance(expression, exp.Ordered):
            key = expression.copy()
            key.this.replace(joined(expression.this))
            return key
        name = bare(expression)
        if name not in seen:
            seen[name], node = join_subqueries(expression, node, draft.scope, context)
        return seen[name].copy()

    qualify, draft = draft.qualify, replace(draft, qualify=None)
    after = draft.each(joined)
    return replace(after, node=node, qualify=qualify)


# The order in which SQL evaluates the clauses of a SELECT.
STEPS: tuple[Callable[[Draft, LoweringContext], Draft], ...] = (
    _where,
    grouped,
    _having,
    _subqueries,
    windowed,
    _qualify,
)


def finish_select(draft: Draft, context: LoweringContext) -> Lowered:
    """The draft with its select list, DISTINCT, order and limit."""
    select, bounds = draft.select, limits(draft.select)
    if draft.correlated:
        _refuse_correlated(draft, bounds)
    node, columns, items = _select_list(draft, context)
    distinct = select.args.get("distinct")
    if isinstance(distinct, exp.Distinct) and distinct.args.get("on"):
        raise NotPlanned("DISTINCT ON is not supported", select)
    order, extra = order_names(draft.order, items, context.names)
    if extra and distinct:
        raise NotPlanned("ORDER BY uses an expression that is not in SELECT DISTINCT", select)
    carried = _carried(draft, node, items)
    node = Project(node, (*items, *extra, *carried))
    if distinct and not draft.correlated:
        node = Aggregate(node, node.columns, ())
    return limited(Lowered(node, columns, draft.correlated), order, bounds, select)


def _refuse_correlated(draft: Draft, bounds: Limits | None) -> None:
    if bounds:
        raise NotPlanned("LIMIT in a correlated subquery is not supported", draft.select)
    if draft.aggregated and not draft.select.args.get("group"):
        raise NotPlanned("an aggregate without GROUP BY in a correlated EXISTS or IN is not supported", draft.select)


def _select_list(draft: Draft, context: LoweringContext) -> tuple[Node, tuple[tuple[str, str], ...], tuple[Item, ...]]:
    node = draft.node
    columns: list[tuple[str, str]] = []
    items: list[Item] = []
    taken: set[str] = set()
    for labels, item in zip(draft.labels, draft.items, strict=True):
        if is_generator(item):
            if sum(map(is_generator, draft.items)) > 1:
                raise NotPlanned("several generator functions in one SELECT are not supported", draft.select)
            node, names = exploded(node, item, labels, False, context.names)
            columns += zip(labels, names, strict=True)
            items += [(name, column(name)) for name in names]
            continue
        refuse_generators(item)
        label = labels[0]
        inner = item.unnest()
        if isinstance(inner, exp.Column) and inner.name not in taken and _is_called(inner.name, label):
            name = inner.name
        else:
            name = context.names.fresh(label)
        taken.add(name)
        columns.append((label, name))
        items.append((name, inner.copy()))
    return node, tuple(columns), tuple(items)


def _is_called(name: str, label: str) -> bool:
    """Whether a column of the plan may keep its name as an output column."""
    return is_unnamed(label) or re.fullmatch(rf"{re.escape(label)}(_\d+)?", name) is not None


def _carried(draft: Draft, node: Node, items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The select list with the columns that the correlated predicates need."""
    given = {name for name, _ in items}
    needed = {name for predicate in draft.correlated for name in names_in(predicate)}
    return tuple((name, column(name)) for name in node.columns if name in needed and name not in given)
