"""Lower window functions of a SELECT to Window nodes, one for each list of partition columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from headwater.plan.aggregates import has_window
from headwater.plan.computed_columns import Computed
from headwater.plan.draft import Draft
from headwater.plan.limits import ordered
from headwater.plan.lowering import LoweringContext
from headwater.plan.nodes import Item, Window, column
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import bare, parts, rewrite

_SPECIFICATION = ("partition_by", "order", "spec")


def spelled_out(expression: exp.Expr, named: Mapping[str, exp.Window]) -> exp.Expr:
    """A copy with named windows expanded.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b)", read="spark")
    >>> spelled_out(tree.selects[0], {"w": tree.args["windows"][0]}).sql()
    'SUM(a) OVER (PARTITION BY b)'
    """

    def replaced(part: exp.Expr) -> exp.Expr | None:
        if not isinstance(part, exp.Window) or not part.args.get("alias"):
            return None
        found = named.get(part.alias)
        if found is None or found.args.get("alias") or any(part.args.get(key) for key in _SPECIFICATION):
            raise NotPlanned("a window that extends another window is not supported", part)
        copy = part.copy()
        copy.set("alias", None)
        for key in _SPECIFICATION:
            value = found.args.get(key)
            copy.set(key, [each.copy() for each in value] if isinstance(value, list) else value and value.copy())
        return copy

    return rewrite(expression, replaced)


def windowed(draft: Draft, context: LoweringContext) -> Draft:
    """The draft with columns for its window functions."""
    if not any(has_window(each) for each in draft.expressions()):
        return draft
    if draft.correlated:
        raise NotPlanned("a window function in a correlated subquery is not supported", draft.select)
    hints = draft.hints()
    computed = Computed(context.names)
    # Maps window function calls to the columns with their values.
    calls: dict[exp.Expr, str] = {}
    # Maps a set of partition columns to their order in the query, and to the items.
    nodes: dict[frozenset[str], tuple[tuple[str, ...], list[Item]]] = {}

    def replaced(part: exp.Expr) -> exp.Expr | None:
        if not isinstance(part, exp.Window):
            return None
        key = bare(part)
        if key not in calls:
            calls[key] = context.names.fresh(hints.get(key) or "window")
            call, partition = _over_columns(part, computed)
            nodes.setdefault(frozenset(partition), (partition, []))[1].append((calls[key], call))
        return column(calls[key])

    after = draft.each(lambda expression: rewrite(expression, replaced))
    node = computed.over(draft.node)
    for partition, items in nodes.values():
        node = Window(node, partition, tuple(items))
    return replace(after, node=node)


def _over_columns(window: exp.Window, computed: Computed) -> tuple[exp.Window, tuple[str, ...]]:
    if any(isinstance(part, exp.Window) for child in window.iter_expressions() for part in parts(child)):
        raise NotPlanned("a window function within another is not supported", window)
    copy = window.copy()
    columns = [computed.column(each) for each in copy.args.get("partition_by") or []]
    copy.set("partition_by", columns or None)
    order = copy.args.get("order")
    for key in order.expressions if order is not None else []:
        key.replace(ordered(key, computed.column(key.this).name))
    return copy, tuple(dict.fromkeys(each.name for each in columns))
