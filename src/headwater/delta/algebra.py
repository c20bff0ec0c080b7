"""Signed bags: a relation with a weight in the column W; X_new = X_old + ΔX.

A row that came weighs +1, one that went −1. Weights are carried, never multiplied into values.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from headwater.plan.clock_markers import earlier, reads_clock
from headwater.plan.nodes import Filter, Node, Project, Scan, ScanVersion, UnionAll, column, inputs, with_inputs

W = "__w"


def weighted(node: Node, weight: int) -> Project:
    """Rows that all came (+1) or all went (−1)."""
    sign = exp.Literal.number(1) if weight > 0 else exp.Neg(this=exp.Literal.number(1))
    return Project(node, (*plain(node.columns), (W, sign)))


def added(parts: Iterable[Node | None]) -> Node | None:
    """The sum of signed bags; None is the empty one."""
    some = [part for part in parts if part is not None]
    if len(some) < 2:
        return some[0] if some else None
    return UnionAll(tuple(some), some[0].columns)


def plain(names: Iterable[str]) -> tuple[tuple[str, exp.Expr], ...]:
    """Columns as they are."""
    return tuple((name, column(name)) for name in names)


def sql(text: str) -> exp.Expr:
    """An expression of Spark's, from its text."""
    return exp.maybe_parse(text, dialect="spark")


def reordered(key: exp.Ordered, name: str) -> exp.Ordered:
    """The same direction of an order, by another column."""
    moved = key.copy()
    moved.set("this", column(name))
    return moved


def old(node: Node, changed: frozenset[str], *, clock: bool = False) -> Node:
    """The plan over the rows that its relations had, and at the moment that it was, if the clock has moved since."""
    if isinstance(node, Scan):
        return Scan(node.relation, node.items, ScanVersion.OLD) if node.relation in changed else node
    node = with_inputs(node, tuple(old(below, changed, clock=clock) for below in inputs(node)))
    if clock and isinstance(node, Filter) and reads_clock(node.predicate):
        return Filter(node.input, earlier(node.predicate))
    return node
