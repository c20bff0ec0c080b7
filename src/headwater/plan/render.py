"""Render plans as SQL: for Spark, which runs them, and for DuckDB, which tests them.

>>> from headwater.plan.nodes import Filter, Scan
>>> plan = Filter(Scan("orders", (("id", "Id"), ("amount", "amount"))), exp.maybe_parse("amount > 3"))
>>> print(render(plan))
SELECT id, amount FROM (SELECT `Id` AS id, `amount` AS amount FROM orders) AS t WHERE amount > 3
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from sqlglot import exp

from headwater.plan.nodes import (
    Aggregate,
    Expand,
    Explode,
    Filter,
    Item,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    ScanVersion,
    SetKind,
    SetOperation,
    Side,
    TopN,
    UnionAll,
    Values,
    Window,
    column,
)

_SET = {SetKind.INTERSECT: exp.Intersect, SetKind.EXCEPT: exp.Except}
_NO_COLUMN = "no_column"


def render(node: Node, dialect: str = "spark", *, pretty: bool = False) -> str:
    """The plan as one SELECT."""
    # Clock markers are replaced in the text, so function names keep their case.
    return query(node).sql(dialect=dialect, pretty=pretty, normalize_functions=False)


def relation_name(scan: Scan) -> str:
    """The name of a scan in SQL.

    >>> relation_name(Scan("hw_source_1", (), ScanVersion.OLD))
    'hw_source_1_old'
    """
    return scan.relation if scan.version is ScanVersion.NEW else f"{scan.relation}_{scan.version}"


def query(node: Node) -> exp.Query:
    """The plan as a sqlglot tree."""
    match node:
        case Scan():
            table = exp.to_table(relation_name(node))
            chosen = [_aliased(exp.column(exp.to_identifier(source, quoted=True)), name) for name, source in node.items]
            return _select(chosen, table)
        case Values():
            return _values(node)
        case Project(input=Filter(input=below, predicate=predicate), items=items):
            return _select(_items(items), _derived(below)).where(predicate.copy(), copy=False)
        case Project():
            return _select(_items(node.items), _derived(node.input))
        case Filter():
            return _select(_plain(node.columns), _derived(node.input)).where(node.predicate.copy(), copy=False)
        case Join():
            return _join(node)
        case UnionAll():
            return _union([_renamed(below, node.columns) for below in node.inputs])
        case SetOperation():
            kind = _SET[node.kind]
            left, right = _renamed(node.left, node.columns), _renamed(node.right, node.columns)
            return kind(this=_branch(left), expression=_branch(right), distinct=not node.all)
        case Aggregate():
            select = _select([*_plain(node.keys), *_items(node.items)], _derived(node.input))
            return select.group_by(*_plain(node.keys), copy=False) if node.keys else select
        case Expand():
            return _expand(node)
        case Window():
            return _select([*_plain(node.input.columns), *_items(node.items)], _derived(node.input))
        case TopN():
            select = _select(_plain(node.columns), _derived(node.input))
            select = select.order_by(*(key.copy() for key in node.order), copy=False) if node.order else select
            select = select.limit(node.limit, copy=False) if node.limit is not None else select
            return select.offset(node.offset, copy=False) if node.offset else select
        case Explode():
            return _explode(node)
        case _:
            assert_never(node)


def _select(chosen: Sequence[exp.Expr], source: exp.Expr) -> exp.Select:
    return exp.select(*(chosen or [exp.alias_(exp.Literal.number(1), _NO_COLUMN)]), copy=False).from_(
        source, copy=False
    )


def _derived(node: Node, alias: str = "t") -> exp.Expr:
    return exp.Subquery(this=query(node), alias=exp.TableAlias(this=exp.to_identifier(alias)))


def _plain(names: Sequence[str]) -> list[exp.Expr]:
    return [column(name) for name in names]


def _items(items: Sequence[Item]) -> list[exp.Expr]:
    return [_aliased(expression.copy(), name) for name, expression in items]


def _aliased(expression: exp.Expr, name: str) -> exp.Expr:
    if isinstance(expression, exp.Column) and not expression.this.args.get("quoted") and expression.name == name:
        return expression
    return exp.Alias(this=expression, alias=exp.to_identifier(name))


def _join(node: Join) -> exp.Query:
    join = exp.Join(this=_derived(node.right, "r"))
    match node.kind:
        case JoinKind.INNER if node.predicate is None:
            join.set("kind", "CROSS")
        case JoinKind.LEFT | JoinKind.FULL:
            join.set("side", node.kind.value)
        case JoinKind.SEMI | JoinKind.ANTI:
            join.set("side", "LEFT")
            join.set("kind", node.kind.value)
    if node.predicate is not None:
        join.set("on", node.predicate.copy())
    elif node.kind is not JoinKind.INNER:
        join.set("on", exp.true())
    select = _select(_plain(node.columns), _derived(node.left, "l"))
    select.append("joins", join)
    if node.broadcast_side is not None:
        side = exp.to_identifier("l" if node.broadcast_side is Side.LEFT else "r")
        select.set("hint", exp.Hint(expressions=[exp.Anonymous(this="BROADCAST", expressions=[side])]))
    return select


def _renamed(node: Node, names: Sequence[str]) -> exp.Query:
    """The node's query with its columns renamed, by position."""
    if node.columns == tuple(names):
        return query(node)
    if isinstance(node, Project):
        return query(Project(node.input, tuple((name, item[1]) for name, item in zip(names, node.items, strict=True))))
    pairs = zip(names, node.columns, strict=True)
    return query(Project(node, tuple((name, column(old)) for name, old in pairs)))


def _union(branches: Sequence[exp.Query]) -> exp.Query:
    result = _branch(branches[0])
    for branch in branches[1:]:
        result = exp.Union(this=result, expression=_branch(branch), distinct=False)
    return result


def _branch(branch: exp.Query) -> exp.Query:
    """The query as an operand of a set operator: in parentheses, unless it is a plain SELECT."""
    plain = isinstance(branch, exp.Select) and not any(branch.args.get(key) for key in ("order", "limit", "offset"))
    return branch if plain else branch.subquery()


def _values(node: Values) -> exp.Query:
    rows = [
        exp.select(
            *(_items(tuple(zip(node.columns, row, strict=True))) or [exp.alias_(exp.Literal.number(1), _NO_COLUMN)])
        )
        for row in node.rows
    ]
    return _union(rows)


def _expand(node: Expand) -> exp.Query:
    """A cross join of the rows with the numbers of the sets; keys outside the set are NULL."""
    numbers = _union(
        [exp.select(exp.alias_(exp.Literal.number(place), node.set_id)) for place in range(len(node.sets))]
    )
    keys = []
    for name, source in node.items:
        within = [exp.Literal.number(place) for place, kept in enumerate(node.sets) if name in kept]
        if len(within) == len(node.sets):
            keys.append(_aliased(column(source), name))
        elif within:
            test = exp.In(this=column(node.set_id), expressions=within)
            keys.append(_aliased(exp.Case(ifs=[exp.If(this=test, true=column(source))]), name))
        else:
            never = exp.Case(ifs=[exp.If(this=exp.false(), true=column(source))])
            keys.append(_aliased(never, name))
    select = _select([*_plain(node.input.columns), *keys, column(node.set_id)], _derived(node.input, "l"))
    sets = exp.Subquery(this=numbers, alias=exp.TableAlias(this=exp.to_identifier("r")))
    select.append("joins", exp.Join(this=sets, kind="CROSS"))
    return select


def _explode(node: Explode) -> exp.Query:
    select = _select(_plain(node.columns), _derived(node.input))
    alias = exp.TableAlias(this=exp.to_identifier("e"), columns=[exp.to_identifier(name) for name in node.names])
    lateral = exp.Lateral(this=node.generator.copy(), view=True, outer=node.outer, alias=alias)
    select.append("laterals", lateral)
    return select
