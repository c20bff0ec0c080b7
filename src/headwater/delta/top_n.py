"""top n      Δτ(X) = τ(X_new) − τ(X_old)"""

from __future__ import annotations

from headwater.delta.law import Affected, Derivation, affected
from headwater.plan.nodes import Node, TopN


def touched(node: TopN, derivation: Derivation) -> Affected | None:
    """The first rows, computed anew."""
    return affected(node, (), derivation)


def delta(node: TopN, derivation: Derivation) -> Node | None:
    """What they give now, less what they gave."""
    found = touched(node, derivation)
    return None if found is None else found.delta
