"""A SELECT that is being lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headwater.plan.nodes import Node
from headwater.plan.rewrite import bare
from headwater.plan.scopes import Scope, is_unnamed


@dataclass(frozen=True, slots=True)
class Draft:
    """The plan so far, and the expressions over it that are not yet lowered.

    `labels` are the labels of the select list's columns; an expression can have several. `correlated` are the predicates that
    refer to the outer query. `aggregates` maps the column of an aggregate to its call.
    """

    select: exp.Select
    node: Node
    scope: Scope
    labels: tuple[tuple[str, ...], ...]
    items: tuple[exp.Expr, ...]
    having: exp.Expr | None
    qualify: exp.Expr | None
    order: tuple[exp.Ordered, ...]
    correlated: tuple[exp.Expr, ...] = ()
    aggregated: bool = False
    aggregates: Mapping[str, exp.Expr] = field(default_factory=dict)

    def expressions(self) -> Iterator[exp.Expr]:
        """The expressions that are not yet lowered."""
        yield from self.items
        yield from (each for each in (self.having, self.qualify) if each is not None)
        yield from self.order

    def hints(self) -> Mapping[exp.Expr, str]:
        """The labels of expressions in the select list, as hints for column names."""
        pairs = zip(self.labels, self.items, strict=True)
        return {bare(item): labels[0] for labels, item in pairs if labels and not is_unnamed(labels[0])}

    def each(self, change: Callable[[exp.Expr], exp.Expr]) -> Draft:
        """The draft with a function applied to every expression."""
        return replace(
            self,
            items=tuple(change(item) for item in self.items),
            having=None if self.having is None else change(self.having),
            qualify=None if self.qualify is None else change(self.qualify),
            order=tuple(key for each in self.order if isinstance(key := change(each), exp.Ordered)),
        )
