"""Copy expressions with parts replaced; subqueries are left as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sqlglot import exp

Replace = Callable[[exp.Expr], exp.Expr | None]
_BRACKETS = frozenset({"this", "alias"})
# Expressions that need no parentheses as operands.
_SIMPLE = (
    exp.Column,
    exp.Literal,
    exp.Null,
    exp.Boolean,
    exp.Paren,
    exp.Cast,
    exp.Anonymous,
    exp.AggFunc,
    exp.Coalesce,
)


def rewrite(expression: exp.Expr, replace: Replace) -> exp.Expr:
    """A copy with parts replaced from the top; `replace` returns the new part, or None to keep it.

    >>> rewrite(exp.maybe_parse("a + (b + a)"), lambda part: exp.column("c") if part.name == "a" else None).sql()
    'c + (b + c)'
    """
    return _rewritten(expression.copy(), replace)


def _rewritten(node: exp.Expr, replace: Replace) -> exp.Expr:
    found = replace(node)
    if found is not None:
        return found
    if not isinstance(node, exp.Query):
        for child in list(node.iter_expressions()):
            new = _rewritten(child, replace)
            if new is not child:
                child.replace(new)
    return node


def parts(expression: exp.Expr) -> Iterator[exp.Expr]:
    """The expression and all its parts; a subquery is one part."""
    return expression.walk(prune=lambda node: isinstance(node, exp.Query))


def has_query(expression: exp.Expr) -> bool:
    """Whether the expression contains a subquery."""
    return any(isinstance(part, exp.Query) for part in parts(expression))


def unwrapped(query: exp.Expr) -> exp.Expr:
    """The query without parentheses, unless they have an order or a limit."""
    while isinstance(query, exp.Subquery) and not any(
        value for key, value in query.args.items() if key not in _BRACKETS
    ):
        query = query.this
    return query


def bare(expression: exp.Expr) -> exp.Expr:
    """A copy without parentheses, for comparison.

    >>> bare(exp.maybe_parse("((a) + 1)")) == exp.maybe_parse("a + 1")
    True
    """
    return rewrite(expression, lambda part: bare(part.this) if isinstance(part, exp.Paren) else None)


def operand(expression: exp.Expr) -> exp.Expr:
    """A copy that can be an operand of any operator, in parentheses if needed."""
    return expression.copy() if isinstance(expression, _SIMPLE) else exp.Paren(this=expression.copy())


def conjuncts(expression: exp.Expr) -> list[exp.Expr]:
    """The operands of the expression's top-level ANDs.

    >>> [part.sql() for part in conjuncts(exp.maybe_parse("a AND (b AND c OR d)"))]
    ['a', '(b AND c OR d)']
    """
    inner = expression.unnest()
    if isinstance(inner, exp.And):
        return [*conjuncts(inner.this), *conjuncts(inner.expression)]
    return [expression]


def conjunction(predicates: Iterable[exp.Expr]) -> exp.Expr | None:
    """The AND of the predicates; None if there are none."""
    found = list(predicates)
    if len(found) == 1:
        return found[0].copy()
    result: exp.Expr | None = None
    for predicate in found:
        side = exp.Paren(this=predicate.copy()) if isinstance(predicate, exp.Or) else predicate.copy()
        result = side if result is None else exp.And(this=result, expression=side)
    return result
