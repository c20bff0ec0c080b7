"""Break ties of orders by row ids.

row_number, lag, LIMIT and similar constructs choose among rows that are equal in their ORDER BY. Any choice is correct, but full
and incremental refreshes must make the same one. Ranks and RANGE frames treat such rows as peers; a tie-breaker would change
their results.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.delta.algebra import plain
from headwater.delta.identity import Identifier
from headwater.plan.nodes import Node, Project, TopN, Window, column, inputs, with_inputs

_PICKING = (exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)


def add_tie_breakers(node: Node, identifier: Identifier) -> Node:
    """The plan with a total order wherever the order affects the result."""
    node = with_inputs(node, tuple(add_tie_breakers(below, identifier) for below in inputs(node)))
    if not isinstance(node, Window | TopN):
        return node
    found = identifier.of(node.input)
    below = found.node if found is not None else node.input
    ids = found.ids if found is not None else below.columns
    settled: Node
    if isinstance(node, TopN):
        settled = replace(node, input=below, order=_total(node.order, ids))
    else:
        items = tuple((name, _settled(item, ids)) for name, item in node.items)
        settled = replace(node, input=below, items=items)
    return settled if settled.columns == node.columns else Project(settled, plain(node.columns))


def _settled(window: exp.Expr, ids: tuple[str, ...]) -> exp.Expr:
    if not _picks(window):
        return window
    window = window.copy()
    order = window.args.get("order")
    keys = tuple(order.expressions) if order is not None else ()
    window.set("order", exp.Order(expressions=list(_total(keys, ids))))
    return window


def _picks(window: exp.Expr) -> bool:
    spec = window.args.get("spec")
    if spec is not None and (spec.args.get("kind") or "").upper() == "ROWS":
        return True
    function = window.this
    while isinstance(function, exp.IgnoreNulls | exp.RespectNulls):
        function = function.this
    return isinstance(function, _PICKING)


def _total(order: tuple[exp.Ordered, ...], ids: tuple[str, ...]) -> tuple[exp.Ordered, ...]:
    held = {key.this.name for key in order if isinstance(key.this, exp.Column)}
    more = (exp.Ordered(this=column(name), desc=False, nulls_first=True) for name in ids if name not in held)
    return (*order, *more)
