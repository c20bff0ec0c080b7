"""The operator of a plan that decides how it is kept: the first below the projections and filters at its top."""

from __future__ import annotations

from headwater.plan.nodes import Filter, Node, Project


def core_of(root: Node) -> Node:
    """The operator itself."""
    while isinstance(root, Project | Filter):
        root = root.input
    return root


def path_to(root: Node, core: Node) -> list[Node]:
    """The projections and filters above it, from the top."""
    path: list[Node] = []
    while root is not core:
        assert isinstance(root, Project | Filter)
        path.append(root)
        root = root.input
    return path
