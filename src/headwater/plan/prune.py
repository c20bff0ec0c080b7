"""Remove columns that no operator above reads."""

from __future__ import annotations

from dataclasses import replace

from headwater.plan.nodes import (
    Aggregate,
    Expand,
    Explode,
    Filter,
    Join,
    Node,
    Project,
    Scan,
    SetOperation,
    TopN,
    UnionAll,
    Values,
    Window,
    column,
    expressions,
    names_in,
)


def prune(plan: Node) -> Node:
    """The plan with the same columns, and with scans of only the columns that it reads.

    >>> from sqlglot import exp
    >>> scan = Scan("r", (("a", "a"), ("b", "b"), ("c", "c")))
    >>> prune(Project(Filter(scan, exp.maybe_parse("b > 1")), (("a", column("a")),))).input.input.columns
    ('a', 'b')
    """
    return _pruned(plan, frozenset(plan.columns))


def _read(node: Node) -> frozenset[str]:
    return frozenset(name for expression in expressions(node) for name in names_in(expression))


def _pruned(node: Node, wanted: frozenset[str]) -> Node:
    """The node with at least the wanted columns, and at least one column."""
    match node:
        case Scan():
            return replace(node, items=tuple(item for item in node.items if item[0] in wanted) or node.items[:1])
        case Values():
            return node
        case Project():
            kept = replace(node, items=tuple(item for item in node.items if item[0] in wanted) or node.items[:1])
            return replace(kept, input=_pruned(node.input, _read(kept)))
        case Filter() | TopN():
            return replace(node, input=_pruned(node.input, wanted | _read(node)))
        case Join():
            both = wanted | _read(node)
            left = _pruned(node.left, both & frozenset(node.left.columns))
            return replace(node, left=left, right=_pruned(node.right, both & frozenset(node.right.columns)))
        case UnionAll():
            places = [place for place, name in enumerate(node.columns) if name in wanted] or [0]
            branches = tuple(_exactly(below, tuple(below.columns[place] for place in places)) for below in node.inputs)
            return UnionAll(branches, tuple(node.columns[place] for place in places))
        case SetOperation():
            return replace(
                node, left=_exactly(node.left, node.left.columns), right=_exactly(node.right, node.right.columns)
            )
        case Aggregate():
            items = tuple(item for item in node.items if item[0] in wanted) or (() if node.keys else node.items[:1])
            kept_items = replace(node, items=items)
            return replace(kept_items, input=_pruned(node.input, _read(kept_items) | frozenset(node.keys)))
        case Window():
            kept_calls = tuple(item for item in node.items if item[0] in wanted)
            if not kept_calls:
                return _pruned(node.input, wanted)
            below = wanted | _read(replace(node, items=kept_calls)) | frozenset(node.partition)
            return replace(node, items=kept_calls, input=_pruned(node.input, below & frozenset(node.input.columns)))
        case Expand():
            needed = wanted | frozenset(source for _, source in node.items)
            return replace(node, input=_pruned(node.input, needed & frozenset(node.input.columns)))
        case Explode():
            needed = (wanted & frozenset(node.input.columns)) | _read(node)
            return replace(node, input=_pruned(node.input, needed))


def _exactly(node: Node, names: tuple[str, ...]) -> Node:
    """The node with exactly these columns, in this order."""
    pruned = _pruned(node, frozenset(names))
    return pruned if pruned.columns == names else Project(pruned, tuple((name, column(name)) for name in names))
