"""join

    inner       Δ(L ⋈ R) = ΔL ⋈ R_new + L_old ⋈ ΔR
    left, semi, anti, any predicate p
                Δop(L, R) = op(ΔL, R_new) + op(A, R_new) − op(A, R_old)        A = L_old ⋉p ΔR

Only one side of each term has weights, and the result keeps them. A change of R affects a left row only if a changed right
row matches it; no match counts are stored.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.delta.algebra import W, added, plain, weighted
from headwater.delta.derivation import Derivation, StepKind
from headwater.plan.nodes import Join, JoinKind, Node, Project
from headwater.plan.restrict import KeyScan, equalities, plain_scan, restrict


def delta(node: Join, derivation: Derivation) -> Node | None:
    """The delta of a join from those of its sides. Full joins are replaced by other operators before."""
    assert node.kind is not JoinKind.FULL
    left, right = derivation.delta(node.left), derivation.delta(node.right)
    terms: list[Node | None] = []
    if left is not None:
        terms.append(_ordered(_near(replace(node, left=left), derivation), node))
    if right is not None:
        before = derivation.old(node.left)
        if node.kind is JoinKind.INNER:
            terms.append(_ordered(replace(node, left=before, right=right), node))
        else:
            affected = derivation.shared(StepKind.AFFECTED, Join(JoinKind.SEMI, before, right, node.predicate))
            was = derivation.old(node.right)
            terms.append(weighted(_near(replace(node, left=affected), derivation), 1))
            terms.append(weighted(_near(replace(node, left=affected, right=was), derivation), -1))
    return added(terms)


def _near(node: Join, derivation: Derivation) -> Join:
    """The join with its right side reduced to rows that may match the left ones; inner joins don't need that."""
    pairs = equalities(node)
    if node.kind is JoinKind.INNER or not pairs:
        return node
    found = plain_scan(node.left, {name for name, _, _ in pairs})
    if found is None:
        left = derivation.shared(StepKind.LEFT, node.left)
        node, found = replace(node, left=left), left
    on = {right: left for left, right, _ in pairs if left in found.columns}
    return replace(node, right=restrict(node.right, on, KeyScan(found)))


def _ordered(term: Join, node: Join) -> Project:
    return Project(term, plain((*node.columns, W)))
