"""Restrict a plan to rows with given keys, as close to the scans as possible.

Spark does not push a semi-join to both sides of a join; this rule does:

    (L ⋈ R) ⋉ K(l)  =  (L ⋉ K) ⋈ (R ⋉ π K)        if the join has the condition l = r

The first restriction alone is exact; the second one only saves reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.plan.nodes import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    UnionAll,
    Window,
    column,
    conjuncts,
)


@dataclass(frozen=True, slots=True)
class KeyScan:
    """A scan of keys."""

    held: Scan

    @property
    def columns(self) -> tuple[str, ...]:
        return self.held.columns

    def scan(self, wanted: tuple[str, ...]) -> Scan:
        """A scan of these columns, with names that no other plan has."""
        sources = dict(self.held.items)
        return replace(self.held, items=tuple((_renamed(name), sources[name]) for name in wanted))


def restrict(node: Node, on: Mapping[str, str], keys: KeyScan) -> Node:
    """The rows whose columns equal those of a key, where NULL equals NULL; `on` maps columns to key columns."""
    match node:
        case Filter():
            return replace(node, input=restrict(node.input, on, keys))
        case Project():
            below = {item.name: on[name] for name, item in node.items if name in on and isinstance(item, exp.Column)}
            if len(below) == len(on):
                return replace(node, input=restrict(node.input, below, keys))
            # A part of the key is pushed down; the semi-join on the whole key stays here.
            return _semi(replace(node, input=restrict(node.input, below, keys)) if below else node, on, keys)
        case Aggregate() if set(on) <= set(node.keys):
            return replace(node, input=restrict(node.input, on, keys))
        case Window() if set(on) <= set(node.partition):
            return replace(node, input=restrict(node.input, on, keys))
        case UnionAll():
            places = {node.columns.index(name): key for name, key in on.items()}
            return replace(
                node,
                inputs=tuple(
                    restrict(branch, {branch.columns[place]: key for place, key in places.items()}, keys)
                    for branch in node.inputs
                ),
            )
        case Join():
            return _join(node, on, keys)
        case _:
            return _semi(node, on, keys)


def _join(node: Join, on: Mapping[str, str], keys: KeyScan) -> Node:
    left = {name: key for name, key in on.items() if name in node.left.columns}
    right = {name: key for name, key in on.items() if name in node.right.columns}
    if right and node.kind is JoinKind.LEFT:
        # Padded rows have NULL on the right side, so keys of that side can't be pushed down.
        return _semi(node if not left else _join(node, left, keys), on, keys)
    for one, other, _ in equalities(node):
        if one in left:
            right.setdefault(other, left[one])
        elif other in right and node.kind is JoinKind.INNER:
            left.setdefault(one, right[other])
    narrowed = replace(
        node,
        left=restrict(node.left, left, keys) if left else node.left,
        right=restrict(node.right, right, keys) if right else node.right,
    )
    exact = set(on) <= set(left) or set(on) <= set(right)
    return narrowed if exact else _semi(narrowed, on, keys)


def plain_scan(node: Node, names: set[str]) -> Scan | None:
    """The scan with these columns, unchanged and with the same names, if any."""
    match node:
        case Scan():
            return node
        case Filter():
            return plain_scan(node.input, names)
        case Project():
            below = {name: item.name for name, item in node.items if name in names and isinstance(item, exp.Column)}
            found = plain_scan(node.input, set(below.values())) if len(below) == len(names) else None
            sources = dict(found.items) if found else {}
            return found and replace(found, items=tuple((name, sources[old]) for name, old in below.items()))
        case _:
            return None


def equalities(node: Join) -> list[tuple[str, str, bool]]:
    """Pairs of a left and a right column that the join's predicate equates, and whether NULL equals NULL."""
    found = []
    for part in conjuncts(node.predicate):
        if isinstance(part, exp.EQ | exp.NullSafeEQ):
            sides = part.this, part.expression
            if all(isinstance(side, exp.Column) for side in sides):
                one, other = sides[0].name, sides[1].name
                if other in node.left.columns:
                    one, other = other, one
                if one in node.left.columns and other in node.right.columns:
                    found.append((one, other, isinstance(part, exp.NullSafeEQ)))
    return found


def _semi(node: Node, on: Mapping[str, str], keys: KeyScan) -> Join:
    tests = [exp.NullSafeEQ(this=column(name), expression=column(_renamed(key))) for name, key in on.items()]
    scan = keys.scan(tuple(dict.fromkeys(on.values())))
    return Join(JoinKind.SEMI, node, scan, exp.and_(*tests, copy=False))


def _renamed(name: str) -> str:
    return f"__k_{name}"
