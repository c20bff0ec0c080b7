"""Lower explode and similar generators to Explode nodes.

>>> from headwater.plan.lower import lower
>>> from headwater.plan.render import render
>>> print(render(lower("SELECT explode_outer(a) AS x FROM r", {"r": ["a"]})))
SELECT x FROM (SELECT a, x FROM (SELECT `a` AS a FROM r) AS t LATERAL VIEW OUTER EXPLODE(a) e AS x) AS t
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.plan.naming import Names
from headwater.plan.nodes import Explode, Node
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import has_query, parts

# In sqlglot, Posexplode is a subclass of Explode.
_KINDS = (exp.Posexplode, exp.Explode, exp.Inline)


def is_generator(expression: exp.Expr) -> bool:
    """Whether the expression is a generator."""
    if isinstance(expression, exp.Anonymous):
        return expression.name.lower() == "inline_outer"
    return isinstance(expression, _KINDS)


def refuse_generators(expression: exp.Expr) -> None:
    """Refuse generators outside of SELECT and LATERAL VIEW."""
    for part in parts(expression):
        if is_generator(part):
            raise NotPlanned("a generator function must stand alone in SELECT or in LATERAL VIEW", part)


def exploded(
    node: Node, generator: exp.Expr, labels: Sequence[str], outer: bool, names: Names
) -> tuple[Node, tuple[str, ...]]:
    """The rows that the generator returns for each row of the node, and the names of its columns."""
    if not is_generator(generator):
        raise NotPlanned("this table function is not supported", generator)
    argument = generator.expressions[0] if isinstance(generator, exp.Anonymous) else generator.this
    if has_query(argument):
        raise NotPlanned("a subquery within explode is not supported", generator)
    refuse_generators(argument)
    needed = 2 if isinstance(generator, exp.Posexplode) else 1
    if len(labels) < needed:
        raise NotPlanned("a generator function needs AS with column names", generator)
    outer = outer or isinstance(generator, exp.ExplodeOuter | exp.PosexplodeOuter | exp.Anonymous)
    kind = next((kind for kind in _KINDS if isinstance(generator, kind)), exp.Inline)
    columns = tuple(names.fresh(label) for label in labels)
    return Explode(node, kind(this=argument.copy()), columns, outer), columns
