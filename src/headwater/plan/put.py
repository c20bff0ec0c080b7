"""The same plan with one of its operators replaced."""

from __future__ import annotations

from headwater.plan.nodes import Node, inputs, with_inputs


def replace_node(root: Node, place: Node, instead: Node) -> Node:
    """The plan with another operator in the place of one."""
    if root is place:
        return instead
    return with_inputs(root, tuple(replace_node(below, place, instead) for below in inputs(root)))
