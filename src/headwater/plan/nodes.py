"""The relational algebra that queries are planned in: a dozen frozen nodes.

Every column of a plan has a name of its own, so expressions (sqlglot trees) name columns without saying of which input.
Joined inputs never share a name; the branches of a union may.
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
    """What a join keeps; right and cross joins are written as these, and full ones have no law of their own."""

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
    """Which rows of the left side remain."""

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
    """Rows that the query holds itself; without columns, so many empty rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]


@dataclass(frozen=True, slots=True)
class Project:
    """Each row as new columns."""

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
    """Pairs of rows for which the predicate is true (None: all), or the left rows that have such a pair, or none.

    `sent` is a side that is known to be small, and is sent to wherever the other one lies.
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
    """The left rows that the right has too, or has not; `all` counts copies."""

    kind: SetKind
    all: bool
    left: Node
    right: Node
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One row per group; keys are columns of the input. Without keys exactly one row, without items the distinct keys."""

    input: Node
    keys: tuple[str, ...]
    items: tuple[Item, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *(name for name, _ in self.items))


@dataclass(frozen=True, slots=True)
class Expand:
    """Each row once per grouping set, with the keys outside the set as NULL and the set's number in `set_id`.

    `items` are (name, column of the input) of the keys; `sets` name those that each set keeps.
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
    """The rows with values computed over their partition; all items share the partition's columns."""

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
    """Each row once per element that the generator makes of it; `outer` keeps rows without elements."""

    input: Node
    generator: exp.Expr
    names: tuple[str, ...]
    outer: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, *self.names)


Node = Scan | Values | Project | Filter | Join | UnionAll | SetOperation | Aggregate | Expand | Window | TopN | Explode


def inputs(node: Node) -> tuple[Node, ...]:
    """The nodes that this one reads."""
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
    """The same node over other inputs."""
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
    """The node and all below it, from the top."""
    yield node
    for below in inputs(node):
        yield from walk(below)


def relations(node: Node) -> frozenset[str]:
    """The relations that a plan scans."""
    return frozenset(below.relation for below in walk(node) if isinstance(below, Scan))


def column(name: str) -> exp.Column:
    """A column by its name in the plan."""
    return exp.Column(this=exp.Identifier(this=name, quoted=False))


def names_in(expression: exp.Expr) -> frozenset[str]:
    """The columns that an expression reads.

    >>> sorted(names_in(exp.maybe_parse("a + coalesce(b, a)")))
    ['a', 'b']
    """
    return frozenset(found.name for found in expression.find_all(exp.Column))


def conjuncts(predicate: exp.Expr | None) -> list[exp.Expr]:
    """The conditions that a predicate asks for all at once; none for None."""
    while isinstance(predicate, exp.Paren):
        predicate = predicate.this
    if predicate is None:
        return []
    return list(predicate.flatten()) if isinstance(predicate, exp.And) else [predicate]


def expressions(node: Node) -> tuple[exp.Expr, ...]:
    """The expressions of this node itself."""
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
    """The plan with another operator in the place of one."""
    if root is place:
        return instead
    return with_inputs(root, tuple(replace_node(below, place, instead) for below in inputs(root)))
