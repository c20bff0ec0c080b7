"""filter     Δσ(X) = σ(ΔX)        weights carried"""

from __future__ import annotations

from dataclasses import replace

from headwater.delta.law import Derivation
from headwater.plan.nodes import Filter, Node


def delta(node: Filter, derivation: Derivation) -> Node | None:
    """Changed rows that the predicate lets through."""
    change = derivation.delta(node.input)
    return change and replace(node, input=change)
