"""Columns for expressions that an operator needs as columns."""

from __future__ import annotations

from sqlglot import exp

from headwater.plan.naming import Names
from headwater.plan.nodes import Node, Project, column
from headwater.plan.rewrite import bare


class Computed:
    """Collects distinct expressions over a node, and adds them to its columns.

    >>> from headwater.plan.nodes import Scan
    >>> from headwater.plan.render import render
    >>> computed = Computed(Names())
    >>> [computed.column(exp.maybe_parse(text)).name for text in ("a", "a + 1", "(a + 1)")]
    ['a', 'c', 'c']
    >>> render(computed.over(Scan("r", (("a", "a"),))))
    'SELECT a, a + 1 AS c FROM (SELECT `a` AS a FROM r) AS t'
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._columns: dict[exp.Expr, str] = {}
        self._items: list[tuple[str, exp.Expr]] = []

    def column(self, expression: exp.Expr, hint: str = "") -> exp.Column:
        """The column with the expression's value."""
        key = bare(expression)
        if isinstance(key, exp.Column):
            return key
        if key not in self._columns:
            name = self._names.fresh(hint)
            self._columns[key] = name
            self._items.append((name, expression.unnest().copy()))
        return column(self._columns[key])

    def over(self, node: Node) -> Node:
        """The node with the collected columns."""
        if not self._items:
            return node
        return Project(node, (*((name, column(name)) for name in node.columns), *self._items))
