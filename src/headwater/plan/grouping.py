"""Lower GROUP BY and aggregates of a SELECT to Aggregate nodes, with Expand for grouping sets.

Keys refer to the expanded columns, aggregates to the original ones.

>>> from headwater.plan.lower import lower
>>> from headwater.plan.nodes import walk
>>> plan = lower("SELECT k, sum(k + 1) AS s FROM r GROUP BY ROLLUP (k)", {"r": ["k"]})
>>> aggregate = next(node for node in walk(plan) if isinstance(node, Aggregate))
>>> aggregate.keys, [(name, call.sql()) for name, call in aggregate.items]
(('k_2', 'grouping_set'), [('s', 'SUM(c)')])
>>> aggregate.input.items, aggregate.input.sets
((('k_2', 'k'),), (('k_2',), ()))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.plan.aggregates import core, each_aggregate, has_aggregate
from headwater.plan.computed_columns import Computed
from headwater.plan.correlation import equality
from headwater.plan.draft import Draft
from headwater.plan.grouping_sets import grouping_keys
from headwater.plan.lowering import LoweringContext
from headwater.plan.nodes import Aggregate, Expand, Node, column
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import bare, has_query, parts
from headwater.plan.scopes import resolve
from headwater.plan.subqueries import join_subqueries

# Parts of an aggregate call that contain its arguments.
_AROUND = (exp.Distinct, exp.Order, exp.Ordered, exp.IgnoreNulls, exp.RespectNulls, exp.Filter, exp.WithinGroup)
_CONSTANTS = (exp.Literal, exp.Boolean, exp.Null)


@dataclass(frozen=True, slots=True)
class _Sets:
    """The keys of each grouping set, by its number."""

    keys: tuple[exp.Expr, ...]
    sets: tuple[tuple[int, ...], ...]
    set_id: str

    def place(self, key: exp.Expr) -> int:
        wanted = bare(key)
        for place, each in enumerate(self.keys):
            if bare(each) == wanted:
                return place
        raise NotPlanned("grouping() of an expression that is not in GROUP BY", key)

    def value(self, call: exp.Expr) -> exp.Expr:
        """The value of grouping(key) or grouping_id(keys), computed from the number of the set."""
        if isinstance(call, exp.Grouping):
            if len(call.expressions) > 1:
                raise NotPlanned("grouping() of several columns is not supported", call)
            places, type_ = [self.place(call.expressions[0] if call.expressions else call.this)], "TINYINT"
        else:
            places, type_ = [self.place(key) for key in call.expressions or self.keys], "BIGINT"
        case = exp.Case(this=column(self.set_id))
        for number, kept in enumerate(self.sets):
            bits = sum((place not in kept) << shift for shift, place in enumerate(reversed(places)))
            case.append("ifs", exp.If(this=exp.Literal.number(number), true=exp.Literal.number(bits)))
        return exp.cast(case, type_)


def grouped(draft: Draft, context: LoweringContext) -> Draft:
    """The draft over one row per group, if its SELECT has GROUP BY or aggregates."""
    group = draft.select.args.get("group")
    if group is None and draft.having is None and not any(has_aggregate(each) for each in draft.expressions()):
        _refuse_grouping_calls(draft)
        return draft
    found = grouping_keys(None if group is None else _resolved(group, draft), draft.items)
    if found.sets is not None and any(isinstance(key, _CONSTANTS) for key in found.keys):
        raise NotPlanned("grouping sets of constants are not supported", draft.select)
    computed = Computed(context.names)
    hints = draft.hints()
    columns = [computed.column(key, hints.get(bare(key), "")).name for key in found.keys]
    node = draft.node
    # Maps aggregate calls to the columns with their values.
    calls: dict[exp.Expr, str] = {}
    aggregates: dict[str, exp.Expr] = {}

    def aggregate(call: exp.Expr) -> exp.Expr:
        nonlocal node
        key = bare(call)
        if key not in calls:
            if has_query(call):
                call, node = join_subqueries(call, node, draft.scope, context)
            name = context.names.fresh(hints.get(key) or _function_name(core(call)))
            calls[key] = name
            aggregates[name] = _with_columns(call, computed)
        return column(calls[key])

    sets = None if found.sets is None else _Sets(found.keys, found.sets, context.names.fresh("grouping_set"))
    keys = columns if sets is None else [context.names.fresh(name) for name in columns]
    by_key = {bare(key): name for key, name in zip(found.keys, keys, strict=True) if not isinstance(key, _CONSTANTS)}

    kinds: tuple[type[exp.Expr], ...] = (exp.Paren, *{type(key) for key in by_key})

    def key_column(part: exp.Expr) -> exp.Expr | None:
        if isinstance(part, exp.Grouping | exp.GroupingId):
            if sets is None:
                raise NotPlanned("grouping() needs GROUPING SETS, ROLLUP or CUBE", part)
            return sets.value(part)
        if isinstance(part, kinds) and (name := by_key.get(bare(part))) is not None:
            return column(name)
        return None

    after = draft.each(lambda expression: each_aggregate(expression, aggregate, key_column))
    correlated, more_keys = _correlated(draft, computed, sets is not None)
    node = computed.over(node)
    if sets is not None:
        node = _expanded(node, columns, keys, sets)
        keys = [*keys, sets.set_id]
    before = frozenset(node.columns)
    all_keys = tuple(dict.fromkeys([*keys, *more_keys]))
    if not all_keys and not aggregates:
        aggregates[context.names.fresh("count")] = exp.Count(this=exp.Star(), big_int=True)
    node = Aggregate(node, all_keys, tuple(aggregates.items()))
    _refuse_ungrouped(after, before - frozenset(node.columns))
    return replace(after, node=node, correlated=correlated, aggregated=True, aggregates=aggregates)


def _function_name(call: exp.Expr) -> str:
    return call.sql_name() if isinstance(call, exp.AggFunc) else call.name


def _resolved(group: exp.Group, draft: Draft) -> exp.Group:
    resolved = resolve(group, draft.scope)
    assert isinstance(resolved, exp.Group)
    return resolved


def _correlated(draft: Draft, computed: Computed, has_sets: bool) -> tuple[tuple[exp.Expr, ...], list[str]]:
    """Add the inner sides of correlated equalities as keys: one group for each value of the outer query."""
    if draft.correlated and has_sets:
        raise NotPlanned("grouping sets in a correlated subquery are not supported", draft.select)
    predicates, keys = [], []
    for predicate in draft.correlated:
        found = equality(predicate, draft.node.columns)
        key = computed.column(found.inner)
        keys.append(key.name)
        predicates.append(found.over(key))
    return tuple(predicates), keys


def _with_columns(call: exp.Expr, computed: Computed) -> exp.Expr:
    """The call with columns as arguments; FILTER keeps its condition."""
    copy = call.copy()
    _argue(copy, computed)
    return copy


def _argue(node: exp.Expr, computed: Computed) -> None:
    for child in list(node.iter_expressions()):
        if isinstance(child, _AROUND) or child is core(node):
            _argue(child, computed)
        elif not isinstance(child, exp.Column | exp.Where) and child.find(exp.Column):
            child.replace(computed.column(child))


def _expanded(node: Node, columns: Sequence[str], keys: Sequence[str], sets: _Sets) -> Node:
    kept = tuple(tuple(keys[place] for place in each) for each in sets.sets)
    return Expand(node, tuple(zip(keys, columns, strict=True)), kept, sets.set_id)


def _refuse_ungrouped(draft: Draft, lost: frozenset[str]) -> None:
    for expression in draft.expressions():
        for part in parts(expression):
            if isinstance(part, exp.Column) and part.name in lost:
                function = part.find_ancestor(exp.Anonymous)
                if function is not None:
                    raise NotPlanned("an unknown function may be an aggregate", function)
                raise NotPlanned("a column is neither in GROUP BY nor in an aggregate", part)


def _refuse_grouping_calls(draft: Draft) -> None:
    for expression in draft.expressions():
        for part in parts(expression):
            if isinstance(part, exp.Grouping | exp.GroupingId):
                raise NotPlanned("grouping() needs GROUPING SETS, ROLLUP or CUBE", part)
