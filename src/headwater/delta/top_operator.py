"""The top operator of a plan: the first one below the projections and filters at its top. It decides on the strategy.

Also: which types state columns can have.
"""

from __future__ import annotations

from headwater.plan.nodes import Filter, Node, Project

_SCALAR = frozenset(
    """boolean int8 int16 int32 int64 float32 float64 varchar date time timestamp timestamptz blob""".split()  # noqa: SIM905
)


def storable(type: str) -> bool:
    """Whether a state column can have a DuckLake type: its stored values must compare equal to recomputed ones."""
    return type in _SCALAR or type.startswith("decimal")


def core_of(root: Node) -> Node:
    """The top operator."""
    while isinstance(root, Project | Filter):
        root = root.input
    return root


def path_to(root: Node, core: Node) -> list[Node]:
    """The projections and filters above the top operator, from the top."""
    path: list[Node] = []
    while root is not core:
        assert isinstance(root, Project | Filter)
        path.append(root)
        root = root.input
    return path
