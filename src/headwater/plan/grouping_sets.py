"""Parse GROUP BY into keys and grouping sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from sqlglot import exp

from headwater.plan.aggregates import has_aggregate, has_window
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import bare, has_query

MAX_SETS = 128
_Set = tuple[exp.Expr, ...]


@dataclass(frozen=True, slots=True)
class GroupingKeys:
    """The distinct key expressions, and the indexes of each grouping set's keys; without sets, a plain GROUP BY."""

    keys: tuple[exp.Expr, ...]
    sets: tuple[tuple[int, ...], ...] | None = None


def grouping_keys(group: exp.Group | None, items: Sequence[exp.Expr]) -> GroupingKeys:
    """The keys of a GROUP BY clause; numbers are positions in the select list.

    >>> from sqlglot import parse_one
    >>> group = parse_one("SELECT 1 FROM t GROUP BY a, ROLLUP (b, c)", read="spark").args["group"]
    >>> found = grouping_keys(group, [])
    >>> [key.sql() for key in found.keys], found.sets
    (['a', 'b', 'c'], ((0, 1, 2), (0, 1), (0,)))
    """
    if group is None:
        return GroupingKeys(())
    if group.args.get("all"):
        return GroupingKeys(_all(group, items))
    if group.args.get("totals"):
        raise NotPlanned("WITH TOTALS is not supported", group)
    written = group.expressions
    after = [each for key in ("rollup", "cube", "grouping_sets") for each in group.args.get(key) or []]
    if after:
        # GROUP BY a, b WITH ROLLUP, or GROUP BY a, b GROUPING SETS (…), where a and b add no sets.
        if len(after) > 1:
            raise NotPlanned("this kind of GROUP BY is not supported", group)
        clause = after[0].copy() if after[0].expressions else type(after[0])(expressions=[e.copy() for e in written])
        sets = _sets(clause, items)
        order = [each for expression in written for each in _sets(expression, items)[0]]
    elif any(isinstance(each, exp.GroupingSets | exp.Rollup | exp.Cube) for each in written):
        parts = [_sets(each, items) for each in written]
        sets = [tuple(key for part in chosen for key in part) for chosen in product(*parts)]
        order = [key for part in parts for kept in part for key in kept]
    else:
        plain = [each for expression in written for each in _sets(expression, items)[0]]
        return GroupingKeys(_distinct(plain))
    if len(sets) > MAX_SETS:
        raise NotPlanned(f"more than {MAX_SETS} grouping sets are not supported", group)
    if sets == [()]:
        # Spark treats this as a query without GROUP BY: it returns a row even for no input rows.
        return GroupingKeys(())
    keys = _distinct([*order, *(key for kept in sets for key in kept)])
    places = {bare(key): place for place, key in enumerate(keys)}
    return GroupingKeys(keys, tuple(tuple(dict.fromkeys(places[bare(key)] for key in kept)) for kept in sets))


def _all(group: exp.Group, items: Sequence[exp.Expr]) -> tuple[exp.Expr, ...]:
    """GROUP BY ALL: the items of the select list without aggregates."""
    keys = [item for item in items if not has_aggregate(item)]
    if any(has_window(item) or has_query(item) for item in items):
        raise NotPlanned("GROUP BY ALL with window functions or subqueries is not supported", group)
    if any(not key.find(exp.Column) for key in keys):
        raise NotPlanned("GROUP BY ALL with constants is not supported", group)
    return _distinct(keys)


def _distinct(keys: Sequence[exp.Expr]) -> tuple[exp.Expr, ...]:
    return tuple({bare(key): key for key in keys}.values())


def _sets(expression: exp.Expr, items: Sequence[exp.Expr]) -> list[_Set]:
    """The grouping sets of one part of GROUP BY."""
    match expression:
        case exp.GroupingSets():
            return [found for each in expression.expressions for found in _sets(each, items)]
        case exp.Rollup():
            units = [_unit(each, items) for each in expression.expressions]
            return [_flat(units[:length]) for length in range(len(units), -1, -1)]
        case exp.Cube():
            units = [_unit(each, items) for each in expression.expressions]
            if 2 ** len(units) > MAX_SETS:
                raise NotPlanned(f"more than {MAX_SETS} grouping sets are not supported", expression)
            return [_flat(chosen) for size in range(len(units), -1, -1) for chosen in combinations(units, size)]
        case _:
            return [_unit(expression, items)]


def _flat(units: Sequence[_Set]) -> _Set:
    return tuple(key for unit in units for key in unit)


def _unit(expression: exp.Expr, items: Sequence[exp.Expr]) -> _Set:
    """One key, or several in parentheses."""
    expression = expression.unnest()
    if isinstance(expression, exp.Tuple):
        within = isinstance(expression.find_ancestor(exp.GroupingSets, exp.Rollup, exp.Cube), exp.Expr)
        if expression.expressions and not within:
            raise NotPlanned("GROUP BY a row of several values is not supported", expression)
        return _flat([_unit(each, items) for each in expression.expressions])
    if isinstance(expression, exp.GroupingSets | exp.Rollup | exp.Cube | exp.Star):
        raise NotPlanned("this kind of GROUP BY is not supported", expression)
    if isinstance(expression, exp.Literal) and expression.is_int:
        place = int(expression.this) - 1
        if not 0 <= place < len(items):
            raise NotPlanned("a GROUP BY position is not in the select list", expression)
        expression = items[place]
    if has_query(expression) or has_aggregate(expression) or has_window(expression):
        raise NotPlanned("a subquery, aggregate or window function in GROUP BY is not supported", expression)
    return (expression,)
