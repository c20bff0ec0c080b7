"""The relational algebra of plans: a dozen frozen nodes.

Column names are unique in a plan, so expressions (sqlglot trees) need no qualifier for the input. Joined inputs never share a
name; the branches of a union may.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlglot import exp

Item = tuple[str, exp.Expr]


class ScanVersion(StrEnum):
    """Which rows of a relation a scan reads."""

    NEW = "new"
    OLD = "old"
    DELTA = "delta"


class JoinKind(StrEnum):
    """The kind of a join. Right and cross joins are lowered to these kinds; full joins are replaced before a derivation."""

    INNER = "INNER"
    LEFT = "LEFT"
    FULL = "FULL"
    SEMI = "SEMI"
    ANTI = "ANTI"


class Side(StrEnum):
    """One of the inputs of a join."""

    LEFT = "left"
    RIGHT = "right"


class SetKind(StrEnum):
    """The kind of a set operation."""

    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"


@dataclass(frozen=True, slots=True)
class Scan:
    """The rows of a named relation; `items` are (name in the plan, column of the relation)."""

    relation: str
    items: tuple[tuple[str, str], ...]
    version: ScanVersion = ScanVersion.NEW

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.items)


@dataclass(frozen=True, slots=True)
class Values:
    """The constant rows of the query; they may have no columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]


@dataclass(frozen=True, slots=True)
class Project:
    """A projection of each row to new columns."""

    input: Node
    items: tuple[Item, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.items)


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the predicate is true."""

    input: Node
    predicate: exp.Expr

    @property
    def columns(self) -> tuple[str, ...]:
        return self.input.columns


@dataclass(frozen=True, slots=True)
class Join:
    """A join on a predicate (None: all pairs); semi and anti joins return left rows with and without a match.

    `sent` is a small side, which Spark broadcasts.
    """

    kind: JoinKind
    left: Node
    right: Node
    predicate: exp.Expr | None = None
    broadcast_side: Side | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return self.left.columns
        return (*self.left.columns, *self.right.columns)


@dataclass(frozen=True, slots=True)
class UnionAll:
    """The rows of all inputs, column by column."""

    inputs: tuple[Node, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetOperation:
    """INTERSECT or EXCEPT; `all` counts copies."""

    kind: SetKind
    all: bool
    left: Node
    right: Node
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One row per group; keys are columns of the input. Without keys it has exactly one row, without items the distinct keys."""

    input: Node
    keys: tuple[str, ...]
    items: tuple[Item, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *(name for name, _ in self.items))


@dataclass(frozen=True, slots=True)
class Expand:
    """One copy of each row for each grouping set, with NULL for keys outside the set and the set's number in `set_id`.

    `items` are (name, column of the input) of the keys; `sets` has the names of each set's keys.
    """

    input: Node
    items: tuple[tuple[str, str], ...]
    sets: tuple[tuple[str, ...], ...]
    set_id: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, *(name for name, _ in self.items), self.set_id)


@dataclass(frozen=True, slots=True)
class Window:
    """The rows with window functions; all items have the same partition columns."""

    input: Node
    partition: tuple[str, ...]
    items: tuple[Item, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, *(name for name, _ in self.items))


@dataclass(frozen=True, slots=True)
class TopN:
    """The first rows in an order over columns."""

    input: Node
    order: tuple[exp.Ordered, ...]
    limit: int | None
    offset: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return self.input.columns


@dataclass(frozen=True, slots=True)
class Explode:
    """One copy of each row for each element that the generator returns; `outer` keeps rows without elements."""

    input: Node
    generator: exp.Expr
    names: tuple[str, ...]
    outer: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, *self.names)


Node = Scan | Values | Project | Filter | Join | UnionAll | SetOperation | Aggregate | Expand | Window | TopN | Explode


def inputs(node: Node) -> tuple[Node, ...]:
    """The inputs of a node."""
    match node:
        case Scan() | Values():
            return ()
        case Join() | SetOperation():
            return (node.left, node.right)
        case UnionAll():
            return node.inputs
        case _:
            return (node.input,)


def with_inputs(node: Node, new: tuple[Node, ...]) -> Node:
    """The node with other inputs."""
    match node:
        case Scan() | Values():
            return node
        case Join() | SetOperation():
            return replace(node, left=new[0], right=new[1])
        case UnionAll():
            return replace(node, inputs=new)
        case _:
            return replace(node, input=new[0])


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes below it, from the top."""
    yield node
    for below in inputs(node):
        yield from walk(below)


def relations(node: Node) -> frozenset[str]:
    """The relations that a plan scans."""
    return frozenset(below.relation for below in walk(node) if isinstance(below, Scan))


def column(name: str) -> exp.Column:
    """The expression for a column of the plan."""
    return exp.Column(this=exp.Identifier(this=name, quoted=False))


def names_in(expression: exp.Expr) -> frozenset[str]:
    """The names of the columns in an expression.

    >>> sorted(names_in(exp.maybe_parse("a + coalesce(b, a)")))
    ['a', 'b']
    """
    return frozenset(found.name for found in expression.find_all(exp.Column))


def conjuncts(predicate: exp.Expr | None) -> list[exp.Expr]:
    """The operands of the predicate's top-level ANDs; none for None."""
    while isinstance(predicate, exp.Paren):
        predicate = predicate.this
    if predicate is None:
        return []
    return list(predicate.flatten()) if isinstance(predicate, exp.And) else [predicate]


def expressions(node: Node) -> tuple[exp.Expr, ...]:
    """The expressions of the node."""
    match node:
        case Project() | Aggregate() | Window():
            return tuple(expression for _, expression in node.items)
        case Filter():
            return (node.predicate,)
        case Join():
            return () if node.predicate is None else (node.predicate,)
        case TopN():
            return node.order
        case Explode():
            return (node.generator,)
        case Values():
            return tuple(value for row in node.rows for value in row)
        case _:
            return ()


def replace_node(root: Node, place: Node, instead: Node) -> Node:
    """The plan with one of its nodes replaced."""
    if root is place:
        return instead
    return with_inputs(root, tuple(replace_node(below, place, instead) for below in inputs(root)))
