"""The origin of a column: a source column or a constant."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from headwater.plan.nodes import Explode, Filter, Join, JoinKind, Node, Project, Scan, TopN, Window


@dataclass(frozen=True, slots=True)
class OfSource:
    """An unchanged column of a relation."""

    relation: str
    column: str


@dataclass(frozen=True, slots=True)
class ConstantColumn:
    """The same value in all rows, as the catalog's text; None is NULL."""

    text: str | None


def origin(plan: Node, name: str) -> OfSource | ConstantColumn | None:
    """The column's origin; None if it is computed, or if an outer join may pad it with NULL.

    >>> from headwater.plan.lower import lower
    >>> plan = lower("SELECT a, 7 AS seven, a + 1 AS b FROM r", {"r": ("a",)})
    >>> [origin(plan, name) for name in plan.columns]
    [OfSource(relation='r', column='a'), ConstantColumn(text='7'), None]
    """
    match plan:
        case Scan():
            return OfSource(plan.relation, dict(plan.items)[name])
        case Project():
            value = dict(plan.items)[name]
            return origin(plan.input, value.name) if isinstance(value, exp.Column) else _constant(value)
        case Filter() | TopN():
            return origin(plan.input, name)
        case Window() | Explode():
            return origin(plan.input, name) if name in plan.input.columns else None
        case Join(kind=JoinKind.INNER | JoinKind.LEFT | JoinKind.SEMI | JoinKind.ANTI):
            if name in plan.left.columns:
                return origin(plan.left, name)
            return origin(plan.right, name) if plan.kind is JoinKind.INNER else None
        case _:
            return None


def _constant(value: exp.Expr) -> ConstantColumn | None:
    match value:
        case exp.Null():
            return ConstantColumn(None)
        case exp.Cast(this=exp.Null()):
            return ConstantColumn(None)
        case exp.Boolean():
            return ConstantColumn(str(value.this).lower())
        case exp.Literal():
            return ConstantColumn(str(value.this))
        case exp.Neg(this=exp.Literal(is_string=False)):
            return ConstantColumn(f"-{value.this.this}")
        case _:
            return None
