"""project    Δπ(X) = π(ΔX)        weights carried"""

from __future__ import annotations

from dataclasses import replace

from headwater.delta.algebra import W, plain
from headwater.delta.derivation import Derivation
from headwater.plan.nodes import Node, Project


def delta(node: Project, derivation: Derivation) -> Node | None:
    """Changed rows as the new columns."""
    change = derivation.delta(node.input)
    return change and replace(node, input=change, items=(*node.items, *plain((W,))))
