"""A plan once more, with names of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from headwater.plan.naming import Names
from headwater.plan.nodes import (
    Aggregate,
    Expand,
    Explode,
    Filter,
    Item,
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
    inputs,
    walk,
    with_inputs,
)


def copied(
    nodes: tuple[Node, ...], predicate: exp.Expr | None, names: Names
) -> tuple[tuple[Node, ...], exp.Expr | None]:
    """The plans, and a predicate over them, under fresh names.

    >>> names = Names()
    >>> scan = Scan("r", ((names.fresh("a"), "a"),))
    >>> (again,), predicate = copied((scan,), exp.maybe_parse("a > 1"), names)
    >>> again.columns, predicate.sql()
    (('a_2',), 'a_2 > 1')
    """
    all_names = dict.fromkeys(name for node in nodes for below in walk(node) for name in below.columns)
    new = {name: names.fresh(name) for name in all_names}
    return tuple(_named(node, new) for node in nodes), None if predicate is None else _renamed(predicate, new)


def _renamed(expression: exp.Expr, new: Mapping[str, str]) -> exp.Expr:
    copy = expression.copy()
    for found in [copy] if isinstance(copy, exp.Column) else list(copy.find_all(exp.Column)):
        if found.name in new:
            found.set("this", column(new[found.name]).this)
    return copy


def _items(items: tuple[Item, ...], new: Mapping[str, str]) -> tuple[Item, ...]:
    return tuple((new[name], _renamed(expression, new)) for name, expression in items)


def _all(names: tuple[str, ...], new: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(new[name] for name in names)


def _named(node: Node, new: Mapping[str, str]) -> Node:
    node = with_inputs(node, tuple(_named(below, new) for below in inputs(node)))
    match node:
        case Scan():
            return replace(node, items=tuple((new[name], source) for name, source in node.items))
        case Values() | UnionAll() | SetOperation():
            return replace(node, columns=_all(node.columns, new))
        case Project():
            return replace(node, items=_items(node.items, new))
        case Filter():
            return replace(node, predicate=_renamed(node.predicate, new))
        case Join():
            return node if node.predicate is None else replace(node, predicate=_renamed(node.predicate, new))
        case Aggregate():
            return replace(node, keys=_all(node.keys, new), items=_items(node.items, new))
        case Window():
            return replace(node, partition=_all(node.partition, new), items=_items(node.items, new))
        case Expand():
            items = tuple((new[name], new[source]) for name, source in node.items)
            return replace(
                node, items=items, sets=tuple(_all(kept, new) for kept in node.sets), set_id=new[node.set_id]
            )
        case TopN():
            order = tuple(key for each in node.order if isinstance(key := _renamed(each, new), exp.Ordered))
            return replace(node, order=order)
        case Explode():
            return replace(node, generator=_renamed(node.generator, new), names=_all(node.names, new))
