"""union all  Δ(A ⊎ B) = ΔA ⊎ ΔB        rows keep their weights"""

from __future__ import annotations

from headwater.delta.algebra import W, added, plain
from headwater.delta.derivation import Derivation
from headwater.plan.nodes import Node, Project, UnionAll


def delta(node: UnionAll, derivation: Derivation) -> Node | None:
    """The deltas of all branches, with the union's column names."""
    return added(_named(change, node.columns) for change in map(derivation.delta, node.inputs) if change)


def _named(change: Node, names: tuple[str, ...]) -> Node:
    pairs = zip((*names, W), plain(change.columns), strict=True)
    return Project(change, tuple((name, expression) for name, (_, expression) in pairs))
