"""The operator of a plan that decides how it is kept: the first below the projections and filters at its top.

And what of it can be kept: values that can be stored beside rows and compared with what is computed later.
"""

from __future__ import annotations

from headwater.plan.nodes import Filter, Node, Project

_SCALAR = frozenset(
    """boolean int8 int16 int32 int64 float32 float64 varchar date time timestamp timestamptz blob""".split()  # noqa: SIM905
)


def storable(type: str) -> bool:
    """Whether values of a type, as the lake calls it, can be stored beside rows."""
    return type in _SCALAR or type.startswith("decimal")


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
