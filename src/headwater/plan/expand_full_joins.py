"""Rewrite a full join as a left join and the right rows without a match."""

from __future__ import annotations

from sqlglot import exp

from headwater.plan.nodes import Join, JoinKind, Node, Project, UnionAll, column, inputs, with_inputs


def expand_full_joins(plan: Node) -> Node:
    """The plan without full joins.

    >>> from headwater.plan.nodes import Scan
    >>> from headwater.plan.render import render
    >>> one, two = Scan("r", (("a", "a"),)), Scan("s", (("b", "b"),))
    >>> found = expand_full_joins(Join(JoinKind.FULL, one, two, exp.maybe_parse("a = b")))
    >>> [branch.columns for branch in found.inputs], found.inputs[1].input.kind
    ([('a', 'b'), ('a', 'b')], <JoinKind.ANTI: 'ANTI'>)
    """
    plan = with_inputs(plan, tuple(expand_full_joins(below) for below in inputs(plan)))
    if not isinstance(plan, Join) or plan.kind is not JoinKind.FULL:
        return plan
    left, right = plan.left, plan.right
    both = Join(JoinKind.LEFT, left, right, plan.predicate)
    alone = Join(JoinKind.ANTI, right, left, plan.predicate)
    nulls = tuple((name, exp.null()) for name in left.columns)
    return UnionAll((both, Project(alone, (*nulls, *((name, column(name)) for name in right.columns)))), both.columns)
