"""window     K = π_k ΔX        Δω(X) = ω(X_new ⋉ K) − ω(X_old ⋉ K)        k: the partition keys that all windows share"""

from __future__ import annotations

from headwater.delta.derivation import Affected, Derivation, affected
from headwater.plan.nodes import Node, Window


def touched(node: Window, derivation: Derivation) -> Affected | None:
    """The partitions of changed rows, recomputed."""
    return affected(node, node.partition, derivation)


def delta(node: Window, derivation: Derivation) -> Node | None:
    """The new rows of the affected partitions minus their old rows."""
    found = touched(node, derivation)
    return None if found is None else found.delta
