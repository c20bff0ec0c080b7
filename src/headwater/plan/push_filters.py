"""Push filters into joins and toward the scans.

σ_p(A × B)  =  A ⋈_p B        a condition on one side moves to that side
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.plan.clock_markers import reads_clock
from headwater.plan.nodes import Filter, Join, JoinKind, Node, conjuncts, inputs, names_in, with_inputs


def push_filters(plan: Node) -> Node:
    """The plan with the conditions of filters moved into or below the joins under them.

    >>> from headwater.plan.nodes import Scan
    >>> join = Join(JoinKind.INNER, Scan("r", (("a", "a"),)), Scan("s", (("b", "b"),)))
    >>> found = push_filters(Filter(join, exp.maybe_parse("a = b AND a > 1")))
    >>> found.predicate.sql(), found.left.predicate.sql()
    ('a = b', 'a > 1')
    """
    if isinstance(plan, Filter) and isinstance(plan.input, Filter):
        return push_filters(Filter(plan.input.input, exp.and_(plan.input.predicate, plan.predicate)))
    if isinstance(plan, Filter) and isinstance(plan.input, Join):
        return _into(plan.input, conjuncts(plan.predicate))
    return with_inputs(plan, tuple(push_filters(below) for below in inputs(plan)))


def _into(join: Join, tests: list[exp.Expr]) -> Node:
    left: list[exp.Expr] = []
    right: list[exp.Expr] = []
    here: list[exp.Expr] = []
    above: list[exp.Expr] = []
    for test in tests:
        names = names_in(test)
        if names <= set(join.left.columns) and join.kind is not JoinKind.FULL:
            left.append(test)
        elif join.kind is not JoinKind.INNER:
            above.append(test)
        elif names <= set(join.right.columns):
            right.append(test)
        else:
            # Only filters can derive a change of the clock.
            (above if reads_clock(test) else here).append(test)
    predicate = _all([*([] if join.predicate is None else [join.predicate]), *here])
    moved = replace(
        join,
        left=push_filters(_filtered(join.left, left)),
        right=push_filters(_filtered(join.right, right)),
        predicate=predicate,
    )
    return _filtered(moved, above)


def _filtered(node: Node, tests: list[exp.Expr]) -> Node:
    predicate = _all(tests)
    return node if predicate is None else Filter(node, predicate)


def _all(tests: list[exp.Expr]) -> exp.Expr | None:
    return exp.and_(*tests) if tests else None
