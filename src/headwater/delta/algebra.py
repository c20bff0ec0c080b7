"""Weighted relations (Z-sets): relations with an integer weight in the column W; X_new = X_old + ΔX.

An inserted row has the weight +1, a deleted row −1. Operators pass weights on; they never multiply values by them.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from headwater.plan.clock_markers import earlier, reads_clock
from headwater.plan.nodes import Filter, Node, Project, Scan, ScanVersion, UnionAll, column, inputs, with_inputs

W = "__w"


def weighted(node: Node, weight: int) -> Project:
    """The rows with the same weight: +1 for inserted, −1 for deleted rows."""
    sign = exp.Literal.number(1) if weight > 0 else exp.Neg(this=exp.Literal.number(1))
    return Project(node, (*plain(node.columns), (W, sign)))


def added(parts: Iterable[Node | None]) -> Node | None:
    """The sum of weighted relations; None is the empty one."""
    some = [part for part in parts if part is not None]
    if len(some) < 2:
        return some[0] if some else None
    return UnionAll(tuple(some), some[0].columns)


def plain(names: Iterable[str]) -> tuple[tuple[str, exp.Expr], ...]:
    """The items of a projection that selects columns unchanged."""
    return tuple((name, column(name)) for name in names)


def sql(text: str) -> exp.Expr:
    """Parse an expression of Spark SQL."""
    return exp.maybe_parse(text, dialect="spark")


def reordered(key: exp.Ordered, name: str) -> exp.Ordered:
    """The sort key with another column."""
    moved = key.copy()
    moved.set("this", column(name))
    return moved


def old(node: Node, changed: frozenset[str], *, clock: bool = False) -> Node:
    """The plan over the old rows of its changed relations and, if `clock`, at the old clock value."""
    if isinstance(node, Scan):
        return Scan(node.relation, node.items, ScanVersion.OLD) if node.relation in changed else node
    node = with_inputs(node, tuple(old(below, changed, clock=clock) for below in inputs(node)))
    if clock and isinstance(node, Filter) and reads_clock(node.predicate):
        return Filter(node.input, earlier(node.predicate))
    return node
