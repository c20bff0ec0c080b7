"""Lower ORDER BY with LIMIT and OFFSET to TopN. An order without a limit has no effect in a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.plan.naming import Names
from headwater.plan.nodes import Item, TopN, column
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import bare
from headwater.plan.scopes import Lowered, labelled


@dataclass(frozen=True, slots=True)
class Limits:
    """The number of rows to skip, and the number of rows to keep after them."""

    limit: int | None
    offset: int


def limits(query: exp.Expr) -> Limits | None:
    """The limits of a query, if any.

    >>> from sqlglot import parse_one
    >>> limits(parse_one("SELECT a FROM t ORDER BY a LIMIT 3 OFFSET 1"))
    Limits(limit=3, offset=1)
    >>> limits(parse_one("SELECT a FROM t LIMIT ALL", read="spark"))
    """
    limit, offset = query.args.get("limit"), query.args.get("offset")
    if limit is not None and not isinstance(limit, exp.Limit):
        raise NotPlanned("FETCH is not supported", limit)
    if isinstance(limit, exp.Limit) and (limit.args.get("offset") or limit.args.get("limit_options")):
        raise NotPlanned("this kind of LIMIT is not supported", limit)
    count = None if limit is None or limit.expression.name.upper() == "ALL" else _number(limit)
    skipped = 0 if offset is None else _number(offset)
    return None if count is None and not skipped else Limits(count, skipped)


def _number(clause: exp.Expr) -> int:
    value = clause.expression
    if not isinstance(value, exp.Literal) or not value.is_int:
        raise NotPlanned("LIMIT and OFFSET are supported only with number literals", clause)
    return int(value.name)


def order_names(
    order: Sequence[exp.Ordered], items: Sequence[Item], names: Names
) -> tuple[tuple[exp.Ordered, ...], tuple[Item, ...]]:
    """The order over columns of the select list, and items for keys that it lacks."""
    known = {bare(expression): name for name, expression in reversed(items)}
    extra: list[Item] = []
    keys = []
    for key in order:
        wanted = bare(key.this)
        if wanted not in known:
            hint = wanted.name if isinstance(wanted, exp.Column) else "order_key"
            known[wanted] = names.fresh(hint)
            extra.append((known[wanted], key.this.unnest().copy()))
        keys.append(ordered(key, known[wanted]))
    return tuple(keys), tuple(extra)


def output_order(query: exp.Expr, lowered: Lowered) -> tuple[exp.Ordered, ...]:
    """The order of a set operation or a query in parentheses, whose keys are output columns."""
    order = query.args.get("order")
    outputs = labelled(lowered.columns)
    keys = []
    for key in order.expressions if order is not None else []:
        wanted = key.this.unnest() if isinstance(key, exp.Ordered) else key
        if isinstance(wanted, exp.Literal) and wanted.is_int and 0 < int(wanted.name) <= len(lowered.columns):
            name: str | None = lowered.names[int(wanted.name) - 1]
        else:
            name = outputs.get(wanted.name) if isinstance(wanted, exp.Column) and not wanted.table else None
        if name is None:
            raise NotPlanned("ORDER BY … LIMIT after a set operation supports only output columns", key)
        keys.append(ordered(key, name))
    return tuple(keys)


def ordered(key: exp.Ordered, name: str) -> exp.Ordered:
    """The sort key on a column; NULLs are first by default, or last if descending, as in Spark."""
    if key.args.get("with_fill"):
        raise NotPlanned("this kind of ORDER BY is not supported", key)
    descending = bool(key.args.get("desc"))
    nulls_first = key.args.get("nulls_first")
    first = not descending if nulls_first is None else bool(nulls_first)
    return exp.Ordered(this=column(name), desc=descending, nulls_first=first)


def limited(lowered: Lowered, order: Sequence[exp.Ordered], bounds: Limits | None, query: exp.Expr) -> Lowered:
    """The first rows in that order, if the query has a limit."""
    if bounds is None:
        return lowered
    if not order:
        raise NotPlanned("LIMIT without ORDER BY has no stable result", query.args.get("limit") or query)
    return replace(lowered, node=TopN(lowered.node, tuple(order), bounds.limit, bounds.offset))
