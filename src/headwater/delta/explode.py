"""explode    Δε(X) = ε(ΔX)        each element keeps the weight of its row"""

from __future__ import annotations

from dataclasses import replace

from headwater.delta.algebra import W, plain
from headwater.delta.derivation import Derivation
from headwater.plan.nodes import Explode, Node, Project


def delta(node: Explode, derivation: Derivation) -> Node | None:
    """The elements of changed rows."""
    change = derivation.delta(node.input)
    return change and Project(replace(node, input=change), plain((*node.columns, W)))
