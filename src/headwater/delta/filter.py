"""filter     Δσ(X) = σ(ΔX)        rows keep their weights

If the predicate p depends on the clock, its value may change also for rows that did not change:

    Δσ(X) = σ_now(ΔX) + σ_now∧¬then(X_old) − σ_then∧¬now(X_old)        now, then: p IS TRUE at the new, old clock value
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.delta.algebra import added, weighted
from headwater.delta.derivation import Derivation
from headwater.plan.clock_markers import earlier, reads_clock
from headwater.plan.nodes import Filter, Node


def delta(node: Filter, derivation: Derivation) -> Node | None:
    """The changed rows that satisfy the predicate, and unchanged rows for which its value changed."""
    change = derivation.delta(node.input)
    passing = change and replace(node, input=change)
    if not derivation.clock or not reads_clock(node.predicate):
        return passing
    before = derivation.old(node.input)
    now, then = _true(node.predicate), _true(earlier(node.predicate))
    come = Filter(before, exp.and_(now, exp.not_(then)))
    gone = Filter(before, exp.and_(then, exp.not_(now)))
    return added([passing, weighted(come, 1), weighted(gone, -1)])


def _true(predicate: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=exp.Paren(this=predicate.copy()), expressions=[exp.false()])
