"""project    Δπ(X) = π(ΔX)        rows keep their weights"""

from __future__ import annotations

from dataclasses import replace

from headwater.delta.algebra import W, plain
from headwater.delta.derivation import Derivation
from headwater.plan.nodes import Node, Project


def delta(node: Project, derivation: Derivation) -> Node | None:
    """The projection of the changed rows."""
    change = derivation.delta(node.input)
    return change and replace(node, input=change, items=(*node.items, *plain((W,))))
