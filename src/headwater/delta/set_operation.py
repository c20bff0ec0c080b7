"""intersect, except [all]     K = ΔL ∪ ΔR        Δop = op(L_new ⋉ K, R_new ⋉ K) − op(L_old ⋉ K, R_old ⋉ K)

The key is the whole row: the result has a number of copies of a row that depends on those of both sides.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.delta.derivation import Affected, Derivation
from headwater.plan.nodes import Node, SetOperation
from headwater.plan.restrict import restrict


def touched(node: SetOperation, derivation: Derivation) -> Affected | None:
    """The rows that changed on either side, recomputed."""
    sides = (node.left, node.right)
    changes = [(change, side.columns) for side in sides if (change := derivation.delta(side)) is not None]
    if not changes:
        return None
    keys = derivation.keys(changes, node.columns)

    def kept(side: Node) -> Node:
        return restrict(side, dict(zip(side.columns, node.columns, strict=True)), keys)

    now = replace(node, left=kept(node.left), right=kept(node.right))
    before = replace(node, left=kept(derivation.old(node.left)), right=kept(derivation.old(node.right)))
    return Affected(keys, now, before)


def delta(node: SetOperation, derivation: Derivation) -> Node | None:
    """The new result for the affected rows minus their old result."""
    found = touched(node, derivation)
    return None if found is None else found.delta
