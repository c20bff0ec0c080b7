"""What the laws of operators share: the deltas of inputs, the old state, and steps that are computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from headwater.delta.algebra import added, old, plain, weighted
from headwater.plan.clock_markers import reads_clock
from headwater.plan.nodes import (
    Aggregate,
    Expand,
    Explode,
    Filter,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    UnionAll,
    inputs,
    walk,
    with_inputs,
)
from headwater.plan.restrict import KeyScan, restrict


class StepKind(StrEnum):
    """What a step holds; its value is part of the step's name in SQL."""

    AFFECTED = "affected"
    AGAIN = "again"
    HELD = "held"
    KEYS = "keys"
    LEADING = "leading"
    LEFT = "left"
    LOST = "lost"
    MERGED = "merged"
    MOVED = "moved"
    PARTIAL = "partial"
    WENT = "went"


@dataclass(frozen=True, slots=True)
class Step:
    """A relation that later ones use more than once."""

    kind: StepKind
    name: str
    node: Node

    @property
    def by_key(self) -> bool:
        """Whether it has one row for each key that a change touches."""
        return self.kind in (StepKind.KEYS, StepKind.PARTIAL)


class Law(Protocol):
    """The change of a plan from the changes of its inputs; None if there is none."""

    def __call__(self, node: Node, derivation: Derivation, /) -> Node | None: ...


@dataclass(slots=True)
class Derivation:
    """One derivation: which relations changed, whether the clock did, the law of each operator, and the steps so far."""

    changed: frozenset[str]
    laws: Mapping[type, Law]
    clock: bool = False
    steps: list[Step] = field(default_factory=list)

    def delta(self, node: Node) -> Node | None:
        """The signed change of a plan, in its columns and W."""
        return self.laws[type(node)](node, self)

    def old(self, node: Node) -> Node:
        """The plan as it was."""
        return old(node, self.changed, clock=self.clock)

    def moves(self, node: Node) -> bool:
        """Whether anything that the plan reads changed."""
        return any(
            (isinstance(below, Scan) and below.relation in self.changed) or self._ticks(below) for below in walk(node)
        )

    def certain(self, node: Node) -> bool:
        """Whether every row of the change that came is there now, and every one that went was there before.

        Where both sides of a join change, one term may bring a row that was never there and another take it away again.
        Sums do not mind; whatever looks at single rows must.
        """
        match node:
            case Scan():
                return True
            case Project() | Expand() | Explode() | UnionAll():
                return all(map(self.certain, inputs(node)))
            case Filter():
                return self.certain(node.input) and not (self._ticks(node) and self.moves(node.input))
            case Join():
                if self.moves(node.left):
                    return self.certain(node.left) and not self.moves(node.right)
                return node.kind is not JoinKind.INNER or self.certain(node.right)
            case _:
                # Computed anew, from what is there now and what was before.
                return True

    def _ticks(self, node: Node) -> bool:
        return self.clock and isinstance(node, Filter) and reads_clock(node.predicate)

    def shared(self, kind: StepKind, node: Node) -> Scan:
        """The plan as a step, computed once."""
        step = Step(kind, f"hw_{kind}_{len(self.steps) + 1}", node)
        self.steps.append(step)
        return Scan(step.name, tuple((name, name) for name in node.columns))

    def keys(self, changes: list[tuple[Node, tuple[str, ...]]], names: tuple[str, ...]) -> KeyScan:
        """The distinct keys that signed bags hold in these columns, as a step."""
        parts = [
            Project(delta, tuple((name, item[1]) for name, item in zip(names, plain(held), strict=True)))
            for delta, held in changes
        ]
        found = added(parts)
        assert found is not None
        return KeyScan(self.shared(StepKind.KEYS, Aggregate(found, names, ())))


@dataclass(frozen=True, slots=True)
class Affected:
    """R3, for whatever splits by a key: the keys that changed (None: all is one), and what they gave and give.

    K = π_k ΔX        Δop(X) = op(X_new ⋉ K) − op(X_old ⋉ K)
    """

    keys: KeyScan | None
    now: Node
    before: Node

    @property
    def delta(self) -> Node:
        total = added([weighted(self.now, 1), weighted(self.before, -1)])
        assert total is not None
        return total


def affected(node: Node, key: tuple[str, ...], derivation: Derivation) -> Affected | None:
    """What a change of its one input touches in an operator, by key columns that input and output share."""
    (below,) = inputs(node)
    change = derivation.delta(below)
    if change is None:
        return None
    if not key:
        return Affected(None, node, derivation.old(node))
    keys = derivation.keys([(change, key)], key)
    on = {name: name for name in key}
    now = with_inputs(node, (restrict(below, on, keys),))
    before = with_inputs(node, (restrict(derivation.old(below), on, keys),))
    return Affected(keys, now, before)
