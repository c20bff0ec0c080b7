"""The state of a derivation: deltas of inputs, old versions of plans, and steps that are computed once."""

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
    """The contents of a step; the value is part of the step's name in SQL."""

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
    """A relation that is computed once and used by later relations."""

    kind: StepKind
    name: str
    node: Node

    @property
    def by_key(self) -> bool:
        """Whether the step has one row for each affected key."""
        return self.kind in (StepKind.KEYS, StepKind.PARTIAL)


class Law(Protocol):
    """Derives the delta of a plan from the deltas of its inputs; None if it is empty."""

    def __call__(self, node: Node, derivation: Derivation, /) -> Node | None: ...


@dataclass(slots=True)
class Derivation:
    """One derivation: the changed relations, whether the clock changed, the law of each operator, and the steps so far."""

    changed: frozenset[str]
    laws: Mapping[type, Law]
    clock: bool = False
    steps: list[Step] = field(default_factory=list)

    def delta(self, node: Node) -> Node | None:
        """The delta of a plan, in its columns and W; None if it is empty."""
        return self.laws[type(node)](node, self)

    def old(self, node: Node) -> Node:
        """The plan over the old state."""
        return old(node, self.changed, clock=self.clock)

    def moves(self, node: Node) -> bool:
        """Whether a relation of the plan changed, or its clock."""
        return any(
            (isinstance(below, Scan) and below.relation in self.changed) or self._ticks(below) for below in walk(node)
        )

    def certain(self, node: Node) -> bool:
        """Whether each inserted row of the delta is in the new state, and each deleted row in the old state.

        If both sides of a join change, one term may insert a row that is in neither state, and another delete it again.
        Sums are not affected; operators that inspect single rows are.
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
                # These recompute rows from the new and the old state.
                return True

    def _ticks(self, node: Node) -> bool:
        return self.clock and isinstance(node, Filter) and reads_clock(node.predicate)

    def shared(self, kind: StepKind, node: Node) -> Scan:
        """A scan of a step that computes the plan once."""
        step = Step(kind, f"hw_{kind}_{len(self.steps) + 1}", node)
        self.steps.append(step)
        return Scan(step.name, tuple((name, name) for name in node.columns))

    def keys(self, changes: list[tuple[Node, tuple[str, ...]]], names: tuple[str, ...]) -> KeyScan:
        """A step with the distinct keys of the changes, each in its own columns."""
        parts = [
            Project(delta, tuple((name, item[1]) for name, item in zip(names, plain(held), strict=True)))
            for delta, held in changes
        ]
        found = added(parts)
        assert found is not None
        return KeyScan(self.shared(StepKind.KEYS, Aggregate(found, names, ())))


@dataclass(frozen=True, slots=True)
class Affected:
    """The affected keys of an operator with a key (None: the whole input), and their old and new rows.

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
    """The part of an operator that a change of its input affects, by key columns that input and output share."""
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
