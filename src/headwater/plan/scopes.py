"""Scopes: the names of a query while it is lowered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headwater.plan.nodes import Node, column
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import rewrite

_UNNAMED = re.compile(r"_col_\d+")
# Maps the label of a column to its name in the plan, or to None if two columns have the label.
Columns = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A query as a plan: its output columns as (label, name in the plan), and its predicates on the outer query."""

    node: Node
    columns: tuple[tuple[str, str], ...]
    correlated: tuple[exp.Expr, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.columns)


@dataclass(frozen=True, slots=True)
class Scope:
    """The sources of one SELECT, its visible WITH queries, and the outer SELECT whose columns it may use."""

    sources: Mapping[str, Columns] = field(default_factory=dict)
    ctes: Mapping[str, tuple[exp.CTE, Scope]] = field(default_factory=dict)
    outer: Scope | None = None

    def inner(self) -> Scope:
        """The scope of a subquery in an expression, which may use this scope's columns."""
        return Scope(ctes=self.ctes, outer=self)

    def apart(self) -> Scope:
        """The scope of a subquery in FROM, which may use only WITH queries."""
        return Scope(ctes=self.ctes)

    def with_cte(self, cte: exp.CTE) -> Scope:
        """The scope with one more WITH query, which may use the ones before it."""
        return replace(self, ctes={**self.ctes, cte.alias: (cte, self.apart())})

    def with_sources(self, sources: Mapping[str, Columns]) -> Scope:
        """The scope with more sources."""
        return replace(self, sources={**self.sources, **sources})

    def find(self, found: exp.Column) -> str:
        """The plan's name for a column of this scope or an outer one."""
        scope: Scope | None = self
        while scope is not None:
            if found.table in scope.sources:
                name = scope.sources[found.table].get(found.name)
                if name is None:
                    raise NotPlanned("a column name is unknown or ambiguous", found)
                return name
            scope = scope.outer
        raise NotPlanned("a column's table is not in FROM", found)


def resolve(expression: exp.Expr, scope: Scope, *, outputs: bool = False) -> exp.Expr:
    """A copy with the plan's column names; with `outputs`, columns without a table are output columns and stay.

    >>> resolve(exp.maybe_parse("t.a + b"), Scope({"t": {"a": "a_2"}}), outputs=True).sql()
    'a_2 + b'
    """

    def replaced(part: exp.Expr) -> exp.Expr | None:
        if isinstance(part, exp.Column) and part.table:
            if part.args.get("db"):
                raise NotPlanned("a column is qualified with a schema", part)
            found = column(scope.find(part))
            found.meta["line"] = part.this.meta.get("line")
            return found
        if isinstance(part, exp.Column) and not outputs:
            raise NotPlanned("a column has no table", part)
        if isinstance(part, exp.Star) and not isinstance(part.parent, exp.Count):
            raise NotPlanned("a star could not be expanded into columns", part.parent or part)
        return None

    return rewrite(expression, replaced)


def labelled(columns: Sequence[tuple[str, str]]) -> Columns:
    """Columns by label."""
    found: dict[str, str | None] = {}
    for label, name in columns:
        found[label] = None if label in found else name
    return found


def is_unnamed(label: str) -> bool:
    """Whether sqlglot generated the label.

    >>> is_unnamed("_col_3")
    True
    """
    return _UNNAMED.fullmatch(label) is not None
