"""Order joins so that they start from few rows, such as the changes.

    (A ⋈ B) ⋈ Δ   =   (Δ ⋈ B) ⋈ A        avoids the join of two large relations

Spark does not reorder or broadcast here: without column statistics, it joins in the order of the text, and estimates that a
join of few rows with many has many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
    SetKind,
    SetOperation,
    Side,
    TopN,
    UnionAll,
    Values,
    Window,
    column,
    conjuncts,
    inputs,
    names_in,
    walk,
    with_inputs,
)

Light = Callable[[Scan], bool]


def is_small(node: Node, light: Light) -> bool:
    """Whether a plan has few rows; `light` tells which scans have few."""
    match node:
        case Scan():
            return light(node)
        case Values():
            return True
        case Join(kind=JoinKind.INNER | JoinKind.SEMI):
            return is_small(node.left, light) or is_small(node.right, light)
        case Join(kind=JoinKind.LEFT | JoinKind.ANTI):
            return is_small(node.left, light)
        case SetOperation(kind=SetKind.EXCEPT):
            return is_small(node.left, light)
        case SetOperation():
            return is_small(node.left, light) or is_small(node.right, light)
        case Project() | Filter() | Aggregate() | Window() | Expand() | Explode() | TopN() | Join() | UnionAll():
            return all(is_small(below, light) for below in inputs(node))


def join_from_delta(plan: Node, light: Light) -> Node:
    """The plan with inner joins reordered to start from their small input.

    >>> a, b, d = (Scan(name, ((name, name),)) for name in ("a", "b", "d"))
    >>> on = lambda text: exp.maybe_parse(text)
    >>> plan = Join(JoinKind.INNER, Join(JoinKind.INNER, a, b, on("a = b")), d, on("b = d"))
    >>> found = join_from_delta(plan, lambda scan: scan.relation == "d")
    >>> found.input.predicate.sql(), found.input.left.predicate.sql(), found.columns
    ('a = b', 'b = d', ('a', 'b', 'd'))
    """
    if not (isinstance(plan, Join) and plan.kind is JoinKind.INNER):
        return with_inputs(plan, tuple(join_from_delta(below, light) for below in inputs(plan)))
    leaves, tests = _flat(plan)
    leaves = [join_from_delta(leaf, light) for leaf in leaves]
    first = next((leaf for leaf in leaves if is_small(leaf, light)), None)
    if first is None or first is leaves[0]:
        return with_inputs(plan, tuple(join_from_delta(below, light) for below in inputs(plan)))
    built, rest = first, [leaf for leaf in leaves if leaf is not first]
    while rest:
        leaf = next((leaf for leaf in rest if _joined(built, leaf, tests)), rest[0])
        rest.remove(leaf)
        known = {*built.columns, *leaf.columns}
        here = [test for test in tests if names_in(test) <= known]
        tests = [test for test in tests if test not in here]
        built = Join(JoinKind.INNER, built, leaf, exp.and_(*here) if here else None)
    return Project(built, tuple((name, column(name)) for name in plan.columns))


def broadcasting(plan: Node, light: Light) -> Node:
    """The plan with a broadcast hint for each join with a small side."""
    plan = with_inputs(plan, tuple(broadcasting(below, light) for below in inputs(plan)))
    if not isinstance(plan, Join) or plan.kind is JoinKind.FULL:
        return plan
    sides = [Side.RIGHT] if is_small(plan.right, light) else []
    if plan.kind is JoinKind.INNER and is_small(plan.left, light):
        sides.append(Side.LEFT)
    if not sides:
        return plan
    # Of two small inputs, the cheaper one.
    return replace(
        plan,
        broadcast_side=min(
            sides, key=lambda side: sum(1 for _ in walk(plan.left if side is Side.LEFT else plan.right))
        ),
    )


def _flat(plan: Node) -> tuple[list[Node], list[exp.Expr]]:
    """The inputs of nested inner joins, and all conditions on them."""
    if isinstance(plan, Join) and plan.kind is JoinKind.INNER:
        (left, tests), (right, more) = _flat(plan.left), _flat(plan.right)
        return [*left, *right], [*tests, *more, *conjuncts(plan.predicate)]
    if (
        isinstance(plan, Project)
        and isinstance(plan.input, Join)
        and all(isinstance(item, exp.Column) and item.name == name for name, item in plan.items)
    ):
        return _flat(plan.input)
    return [plan], []


def _joined(one: Node, other: Node, tests: list[exp.Expr]) -> bool:
    left, right = set(one.columns), set(other.columns)
    return any(
        isinstance(test, exp.EQ | exp.NullSafeEQ)
        and names_in(test) & left
        and names_in(test) & right
        and names_in(test) <= left | right
        for test in tests
    )
