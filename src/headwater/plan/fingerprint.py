"""A fingerprint of a plan that does not depend on column names, to compare plans.

Two plans with equal `rows` have the same rows, with the same number of copies; columns of theirs with equal texts have the same
values in these rows. So two plans can be recognized as equal except for some columns. Unequal texts prove nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from sqlglot import exp

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
    SetOperation,
    TopN,
    UnionAll,
    Values,
    Window,
)

# Relations and columns, independent of their names.
Relations = Mapping[str, tuple[str, Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The fingerprints of a plan's rows, and of each of its columns by name."""

    rows: str
    columns: Mapping[str, str]


def meaning(plan: Node, relations: Relations) -> Fingerprint:
    """The fingerprint of a plan.

    >>> from headwater.plan.lower import lower
    >>> known = {"r": ("orders", {"a": "first", "b": "second"})}
    >>> one, other = (
    ...     meaning(lower(sql, {"r": ("a", "b")}), known)
    ...     for sql in ("SELECT a AS x, b + 1 AS y FROM r WHERE a > 0", "SELECT b + 1 AS z FROM r WHERE a > 0")
    ... )
    >>> one.rows == other.rows, one.columns["y"] == other.columns["z"], one.columns["x"] == other.columns["z"]
    (True, True, False)
    """
    return _Teller(relations).tell(plan)


class _Teller:
    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        # Scans are numbered in order, which is the same for plans of the same structure.
        self._scans = 0

    def tell(self, node: Node) -> Fingerprint:
        match node:
            case Scan():
                return self._scan(node)
            case Values():
                rows = _digest("values", *(value.sql("spark") for row in node.rows for value in row), len(node.rows))
                return Fingerprint(rows, {name: _digest(rows, place) for place, name in enumerate(node.columns)})
            case Project():
                below = self.tell(node.input)
                return Fingerprint(below.rows, {name: _value(value, below) for name, value in node.items})
            case Filter():
                below = self.tell(node.input)
                return Fingerprint(_digest("filter", below.rows, _value(node.predicate, below)), below.columns)
            case Join():
                return self._join(node)
            case UnionAll():
                branches = [self.tell(each) for each in node.inputs]
                rows = _digest("union", *(branch.rows for branch in branches))
                sides = zip(
                    *(_listed(each, node_) for each, node_ in zip(branches, node.inputs, strict=True)), strict=True
                )
                return Fingerprint(
                    rows, {name: _digest(rows, *side) for name, side in zip(node.columns, sides, strict=True)}
                )
            case SetOperation():
                left, right = self.tell(node.left), self.tell(node.right)
                values = _listed(left, node.left)
                rows = _digest(node.kind, node.all, left.rows, right.rows, *values, "|", *_listed(right, node.right))
                return Fingerprint(
                    rows, {name: _digest(rows, value) for name, value in zip(node.columns, values, strict=True)}
                )
            case Aggregate():
                below = self.tell(node.input)
                keys = {name: below.columns[name] for name in node.keys}
                rows = _digest("group", below.rows, *sorted(keys.values()))
                items = {name: _digest(rows, _value(value, below)) for name, value in node.items}
                return Fingerprint(rows, {name: _digest(rows, "key", value) for name, value in keys.items()} | items)
            case Window():
                below = self.tell(node.input)
                # A window depends on the rows of the partition at this node.
                over = _digest("window", below.rows, *(below.columns[name] for name in node.partition))
                items = {name: _digest(over, _value(value, below)) for name, value in node.items}
                return Fingerprint(below.rows, {**below.columns, **items})
            case TopN():
                below = self.tell(node.input)
                order = (_value(each, below) for each in node.order)
                return Fingerprint(_digest("first", below.rows, node.limit, node.offset, *order), below.columns)
            case Explode():
                below = self.tell(node.input)
                rows = _digest("explode", below.rows, _value(node.generator, below), node.outer)
                made = {name: _digest(rows, place) for place, name in enumerate(node.names)}
                return Fingerprint(rows, {**below.columns, **made})
            case Expand():
                return self._expand(node)
            case _:
                assert_never(node)

    def _scan(self, node: Scan) -> Fingerprint:
        relation, columns = self._relations[node.relation]
        self._scans += 1
        rows = _digest("scan", relation, node.version, self._scans)
        return Fingerprint(rows, {name: _digest(rows, columns[source]) for name, source in node.items})

    def _join(self, node: Join) -> Fingerprint:
        left, right = self.tell(node.left), self.tell(node.right)
        both = Fingerprint("", {**left.columns, **right.columns})
        predicate = "" if node.predicate is None else _value(node.predicate, both)
        rows = _digest(node.kind, left.rows, right.rows, predicate)
        if node.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return Fingerprint(rows, left.columns)
        # An outer join may pad a value with NULL, so it differs from the input's.
        sides = ((left, node.kind is JoinKind.FULL), (right, node.kind is not JoinKind.INNER))
        return Fingerprint(
            rows,
            {
                name: _digest(rows, value) if padded else value
                for side, padded in sides
                for name, value in side.columns.items()
            },
        )

    def _expand(self, node: Expand) -> Fingerprint:
        below = self.tell(node.input)
        keys = {name: below.columns[source] for name, source in node.items}
        sets = [_digest("set", *sorted(keys[name] for name in each)) for each in node.sets]
        rows = _digest("expand", below.rows, *sorted(keys.values()), "|", *sets)
        made = {name: _digest(rows, value) for name, value in keys.items()} | {node.set_id: _digest(rows, "set")}
        return Fingerprint(rows, {**below.columns, **made})


def _listed(found: Fingerprint, node: Node) -> list[str]:
    return [found.columns[name] for name in node.columns]


def _value(expression: exp.Expr, below: Fingerprint) -> str:
    """The text of an expression over the columns of its input; a column has the text that it has in the input."""
    if isinstance(expression, exp.Column) and expression.name in below.columns:
        return below.columns[expression.name]
    told = expression.copy()
    for found in list(told.find_all(exp.Column)):
        if found.name in below.columns:
            found.replace(exp.Anonymous(this="__hw_value", expressions=[exp.Literal.string(below.columns[found.name])]))
    return _digest("value", told.sql("spark"))


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
