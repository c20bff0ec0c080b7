"""window     K = π_k ΔX        Δω(X) = ω(X_new ⋉ K) − ω(X_old ⋉ K)        k: what all windows partition by"""

from __future__ import annotations

from headwater.delta.derivation import Affected, Derivation, affected
from headwater.plan.nodes import Node, Window


def touched(node: Window, derivation: Derivation) -> Affected | None:
    """The partitions that changed rows belong to, computed anew."""
    return affected(node, node.partition, derivation)


def delta(node: Window, derivation: Derivation) -> Node | None:
    """What they give now, less what they gave."""
    found = touched(node, derivation)
    return None if found is None else found.delta
