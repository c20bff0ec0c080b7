"""Predicates that correlate a subquery with the outer query."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlglot import exp

from headwater.plan.nodes import names_in
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import operand


@dataclass(frozen=True, slots=True)
class Equality:
    """An expression of the subquery that must equal one of the outer query."""

    inner: exp.Expr
    outer: exp.Expr
    null_safe: bool

    def over(self, inner: exp.Expr) -> exp.Expr:
        """The predicate with another inner side."""
        kind = exp.NullSafeEQ if self.null_safe else exp.EQ
        return kind(this=inner.copy(), expression=operand(self.outer))


def equality(predicate: exp.Expr, inner_columns: Collection[str]) -> Equality:
    """The two sides of a correlated predicate, or NotPlanned if it is not an equality between the two queries.

    >>> equality(exp.maybe_parse("o + 1 = i"), {"i"}).over(exp.column("k")).sql()
    'k = (o + 1)'
    """
    found = predicate.unnest()
    inside = set(inner_columns)
    if isinstance(found, exp.EQ | exp.NullSafeEQ):
        for inner, outer in ((found.this, found.expression), (found.expression, found.this)):
            names = names_in(inner)
            if names and names <= inside and not names_in(outer) & inside:
                return Equality(inner, outer, isinstance(found, exp.NullSafeEQ))
    raise NotPlanned("a correlated subquery of this kind supports only equality conditions", predicate)
