"""Parse Spark's plans and expressions from JSON into trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


class Unknown(Exception):
    """The comparison does not support a part of a plan."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A node: the name of its class, its fields, and its children."""

    kind: str
    held: Mapping[str, Any]
    children: tuple[Tree, ...]


def tree(nodes: Iterator[Mapping[str, Any]]) -> Tree:
    """The tree of a list of nodes in pre-order."""
    held = next(nodes)
    children = tuple(tree(nodes) for _ in range(held["num-children"]))
    return Tree(held["class"].rpartition(".")[2], held, children)


def expression(nodes: list[Mapping[str, Any]]) -> Tree:
    """The tree of an expression in a field of a node."""
    return tree(iter(nodes))


def flat(node: Tree, kind: str) -> Iterator[Tree]:
    """The operands of nested nodes of one kind, such as And."""
    if node.kind != kind:
        yield node
        return
    for child in node.children:
        yield from flat(child, kind)


def id_of(attribute: Tree) -> int:
    """The expression id of an attribute."""
    return int(attribute.held["exprId"]["id"])


def class_of(value: Mapping[str, Any]) -> str:
    """The class name of the object in a field."""
    return str(value.get("object") or value.get("product-class")).rpartition(".")[2].rstrip("$")


def outputs(node: Tree) -> list[int]:
    """The ids of a relation's columns."""
    match node.kind:
        case "Project":
            return [id_of(expression(each)) for each in node.held["projectList"]]
        case "Aggregate":
            return [id_of(expression(each)) for each in node.held["aggregateExpressions"]]
        case "LogicalRDD" | "LocalRelation" | "Expand":
            return [id_of(expression(each)) for each in node.held["output"]]
        case "Join":
            kind = node.held["joinType"]
            if class_of(kind) == "ExistenceJoin":
                return [*outputs(node.children[0]), id_of(expression(kind["exists"]))]
            sides = node.children[:1] if class_of(kind) in ("LeftSemi", "LeftAnti") else node.children
            return [id for side in sides for id in outputs(side)]
        case "Window":
            return outputs(node.children[0]) + [id_of(expression(each)) for each in node.held["windowExpressions"]]
        case "OneRowRelation":
            return []
        case "Filter" | "Sort" | "GlobalLimit" | "LocalLimit" | "Offset" | "Union":
            return outputs(node.children[0])
        case _:
            raise Unknown(node.kind)
