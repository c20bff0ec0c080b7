"""aggregate  K = π_k ΔX        Δγ(X) = γ(X_new ⋉ K) − γ(X_old ⋉ K)        without keys: γ(X_new) − γ(X_old)"""

from __future__ import annotations

from headwater.delta.derivation import Affected, Derivation, affected
from headwater.plan.nodes import Aggregate, Node


def touched(node: Aggregate, derivation: Derivation) -> Affected | None:
    """The groups of changed rows, recomputed."""
    return affected(node, node.keys, derivation)


def delta(node: Aggregate, derivation: Derivation) -> Node | None:
    """The new rows of the affected groups minus their old rows."""
    found = touched(node, derivation)
    return None if found is None else found.delta
