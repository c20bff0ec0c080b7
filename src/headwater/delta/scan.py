"""scan       ΔX are the changed rows of the relation        weights of the source, +1 and −1"""

from __future__ import annotations

from dataclasses import replace

from headwater.delta.algebra import W
from headwater.delta.derivation import Derivation
from headwater.plan.nodes import Node, Scan, ScanVersion


def delta(node: Scan, derivation: Derivation) -> Node | None:
    """The inserted and deleted rows of the relation."""
    if node.relation not in derivation.changed:
        return None
    return replace(node, items=(*node.items, (W, W)), version=ScanVersion.DELTA)
