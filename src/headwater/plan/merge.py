"""Merge adjacent projections, unless an expression would be computed twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sqlglot import exp

from headwater.plan.nodes import Item, Node, Project, Scan, inputs, with_inputs
from headwater.plan.rewrite import operand, rewrite


def merge(plan: Node) -> Node:
    """The plan with fewer projections.

    >>> from headwater.plan.nodes import column
    >>> from headwater.plan.render import render
    >>> inner = Project(Scan("r", (("a", "A"),)), (("b", exp.maybe_parse("a + 1")), ("c", column("a"))))
    >>> print(render(merge(Project(inner, (("d", exp.maybe_parse("b * 2")),)))))
    SELECT (a + 1) * 2 AS d FROM (SELECT `A` AS a FROM r) AS t
    """
    plan = with_inputs(plan, tuple(merge(below) for below in inputs(plan)))
    if not isinstance(plan, Project):
        return plan
    if isinstance(plan.input, Project) and _is_cheap(plan, plan.input):
        return merge(Project(plan.input.input, _substituted(plan.items, dict(plan.input.items))))
    if all(isinstance(expression, exp.Column) for _, expression in plan.items):
        if plan.columns == plan.input.columns and all(name == each.name for name, each in plan.items):
            return plan.input
        if isinstance(plan.input, Scan):
            source = dict(plan.input.items)
            return replace(plan.input, items=tuple((name, source[each.name]) for name, each in plan.items))
    return plan


def _is_cheap(outer: Project, inner: Project) -> bool:
    """Whether the outer projection uses each computed column of the inner one at most once."""
    uses = Counter(found.name for _, expression in outer.items for found in expression.find_all(exp.Column))
    return all(isinstance(expression, exp.Column | exp.Literal) or uses[name] <= 1 for name, expression in inner.items)


def _substituted(items: tuple[Item, ...], inner: dict[str, exp.Expr]) -> tuple[Item, ...]:
    def replaced(part: exp.Expr) -> exp.Expr | None:
        return operand(inner[part.name]) if isinstance(part, exp.Column) else None

    return tuple(
        (name, inner[expression.name].copy() if isinstance(expression, exp.Column) else rewrite(expression, replaced))
        for name, expression in items
    )
