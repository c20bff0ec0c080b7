"""Check a plan: every column that an operator reads exists, and joined inputs share no name."""

from __future__ import annotations

from headwater.plan.nodes import (
    Aggregate,
    Expand,
    Join,
    Node,
    SetOperation,
    UnionAll,
    Window,
    expressions,
    inputs,
    names_in,
    walk,
)
from headwater.plan.not_planned import NotPlanned


def check(plan: Node) -> Node:
    """Return the plan, or raise NotPlanned.

    >>> from sqlglot import exp
    >>> from headwater.plan.nodes import Filter, Scan
    >>> check(Filter(Scan("r", (("a", "a"),)), exp.maybe_parse("b > 1")))
    Traceback (most recent call last):
    headwater.plan.not_planned.NotPlanned: the plan is inconsistent; this is a bug in Headwater
    """
    if free_names(plan) or not all(map(_is_sound, walk(plan))):
        raise NotPlanned("the plan is inconsistent; this is a bug in Headwater")
    return plan


def free_names(plan: Node) -> frozenset[str]:
    """The columns of the outer query that a plan refers to."""
    found: set[str] = set()
    for node in walk(plan):
        given = {name for below in inputs(node) for name in below.columns}
        read = _named_columns(node).union(*map(names_in, expressions(node)))
        found |= read - given
    return frozenset(found)


def _named_columns(node: Node) -> set[str]:
    match node:
        case Aggregate():
            return set(node.keys)
        case Window():
            return set(node.partition)
        case Expand():
            return {source for _, source in node.items}
        case _:
            return set()


def _is_sound(node: Node) -> bool:
    match node:
        case Join():
            if set(node.left.columns) & set(node.right.columns):
                return False
        case UnionAll() | SetOperation():
            if any(len(below.columns) != len(node.columns) for below in inputs(node)):
                return False
    return len(set(node.columns)) == len(node.columns)
