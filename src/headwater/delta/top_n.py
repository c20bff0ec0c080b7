"""top n      Δτ(X) = τ(X_new) − τ(X_old)

At the top of a query; V are the stored rows of the table:

    no row of V was deleted     τ(X_new) = τ(V + inserted rows)
    else                        τ(X_new), recomputed; also if inserted rows are uncertain

Tie-breakers make the order total: rows with the same columns of the order are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.delta.algebra import W, plain, reordered, sql
from headwater.delta.derivation import Affected, Derivation, StepKind, affected
from headwater.delta.target_changes import Changes, Replace, target
from headwater.plan.nodes import Filter, Join, JoinKind, Node, Project, TopN, UnionAll, replace_node
from headwater.plan.restrict import KeyScan, restrict


@dataclass(frozen=True, slots=True)
class TopNRule:
    """The first rows of an order; `stored` are the columns of the result with those of the order."""

    core: TopN
    stored: tuple[str, ...]


def touched(node: TopN, derivation: Derivation) -> Affected | None:
    """The first rows, recomputed."""
    return affected(node, (), derivation)


def delta(node: TopN, derivation: Derivation) -> Node | None:
    """The new first rows minus the old first rows."""
    found = touched(node, derivation)
    return None if found is None else found.delta


def ordered_by(node: TopN) -> tuple[str, ...] | None:
    """The columns of the order; None without LIMIT, with OFFSET, or if a sort key is not a column."""
    names = [key.this.name for key in node.order if isinstance(key.this, exp.Column)]
    return tuple(dict.fromkeys(names)) if len(names) == len(node.order) and node.limit and not node.offset else None


def changes(rule: TopNRule, root: Node, derivation: Derivation) -> Changes | None:
    """The first of the stored and the inserted rows; recomputed only if a stored row was deleted."""
    core = rule.core
    change = derivation.delta(core.input)
    if change is None:
        return None
    moved = derivation.shared(StepKind.MOVED, change)
    names = ordered_by(core)
    assert names is not None
    went = derivation.shared(StepKind.WENT, Project(Filter(moved, sql(f"{W} < 0")), plain(names)))
    on = dict(zip(rule.stored, names, strict=True))
    lost = derivation.shared(
        StepKind.LOST, Project(restrict(target(root.columns), on, KeyScan(went)), plain(rule.stored))
    )
    came = replace_node(root, core, Project(Filter(moved, sql(f"{W} > 0")), plain(core.columns)))
    stored = dict(zip(names, rule.stored, strict=True))
    order = tuple(reordered(key, stored[key.this.name]) for key in core.order)
    held = Project(target(root.columns), plain(root.columns))
    first = TopN(UnionAll((held, came), root.columns), order, core.limit)
    again = replace_node(root, core, replace(core, input=Join(JoinKind.SEMI, core.input, _renamed(lost))))
    new = UnionAll((Join(JoinKind.ANTI, first, _renamed(lost)), again), root.columns)
    return Replace(tuple(derivation.steps), new, target(root.columns), lost.relation)


def _renamed(node: Node) -> Project:
    """The rows in a column whose name no plan has, for an EXISTS."""
    return Project(node, (("__any", exp.Literal.number(1)),))
