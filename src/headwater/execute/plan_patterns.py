"""Recognize patterns in the tree of a plan."""

from __future__ import annotations

from typing import Any

from headwater.execute.plan_tree import Tree, expression, id_of, tree


def constant_rows(node: Tree) -> list[list[Tree]] | None:
    """The rows of a relation of constants; None for other relations."""
    match node.kind:
        case "OneRowRelation":
            return [[]]
        case "Project" if node.children[0].kind == "OneRowRelation":
            items = [expression(each) for each in node.held["projectList"]]
            constant = all(item.kind == "Alias" and item.children[0].kind == "Literal" for item in items)
            return [items] if constant else None
        case "Union" if not node.held.get("byName"):
            branches = [constant_rows(child) for child in node.children]
            rows = [row for branch in branches for row in branch or []]
            return rows if all(branches) else None
    return None


def has_correlated_value(plan: Any) -> bool:
    """Whether a plan, as the JSON of its nodes, has a scalar subquery that refers to columns of the query around it.

    The children of such a subquery are its outer references. The search covers every field, and so also the plans of other
    subqueries.
    """
    match plan:
        case {"class": str(kind), "num-children": int(references)} if kind.endswith(".ScalarSubquery") and references:
            return True
        case dict():
            return any(map(has_correlated_value, plan.values()))
        case list():
            return any(map(has_correlated_value, plan))
    return False


def asks_for_a_row(node: Tree) -> bool:
    """Whether an expression is an uncorrelated subquery of a constant and LIMIT 1, into which Spark rewrites EXISTS."""
    if node.kind != "ScalarSubquery" or node.held.get("outerAttrs") or node.children:
        return False
    plan = tree(iter(node.held["plan"]))
    if plan.kind != "GlobalLimit" or not is_one(expression(plan.held["limitExpr"])):
        return False
    while plan.kind in ("GlobalLimit", "LocalLimit"):
        (plan,) = plan.children
    items = [expression(each) for each in plan.held["projectList"]] if plan.kind == "Project" else []
    return len(items) == 1 and items[0].kind == "Alias" and is_one(items[0].children[0])


def is_one(node: Tree) -> bool:
    """Whether an expression is the number 1."""
    return node.kind == "Literal" and node.held["value"] == "1"


def counts_rows(node: Tree) -> bool:
    """Whether an expression is COUNT(*), which is COUNT(1) in plans."""
    if node.kind == "Alias":
        (node,) = node.children
    if node.kind != "AggregateExpression" or node.held["isDistinct"] or len(node.children) != 1:
        return False
    (function,) = node.children
    return function.kind == "Count" and len(function.children) == 1 and is_one(function.children[0])


def ids_in(node: Tree) -> set[int]:
    """The ids of the attributes that an expression refers to."""
    own = {id_of(node)} if node.kind == "AttributeReference" else set()
    return own.union(*map(ids_in, node.children))
