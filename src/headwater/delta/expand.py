"""expand     Δx(X) = x(ΔX)        each grouping set keeps the weights"""

from __future__ import annotations

from dataclasses import replace

from headwater.delta.algebra import W, plain
from headwater.delta.derivation import Derivation
from headwater.plan.nodes import Expand, Node, Project


def delta(node: Expand, derivation: Derivation) -> Node | None:
    """The changed rows in each grouping set."""
    change = derivation.delta(node.input)
    return change and Project(replace(node, input=change), plain((*node.columns, W)))
