"""Lower FROM to nodes: relations, subqueries, VALUES, joins, LATERAL VIEW.

>>> from headwater.plan.lower import lower
>>> lower("SELECT a.k, b.v FROM r AS a RIGHT JOIN r AS b ON a.k = b.v", {"r": ["k", "v"]}).input.left
Scan(relation='r', items=(('v_2', 'v'),), version=<ScanVersion.NEW: 'new'>)
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.plan.generators import exploded
from headwater.plan.lowering import MAX_SCANS, LoweringContext
from headwater.plan.nodes import Join, JoinKind, Node, Scan, Values
from headwater.plan.not_planned import NotPlanned
from headwater.plan.rewrite import has_query
from headwater.plan.scopes import Columns, Scope, labelled, resolve

_TABLE = frozenset({"this", "alias", "joins", "hints"})
_SUBQUERY = frozenset({"this", "alias", "joins", "with_", "order", "limit", "offset"})
_BRACKETS = frozenset({"this", "joins"})
_JOIN = frozenset({"this", "on", "side", "kind", "hint"})
_KINDS = frozenset({"", "INNER", "CROSS", "OUTER", "SEMI", "ANTI"})

Source = tuple[Node, dict[str, Columns]]


def from_clause(select: exp.Select, scope: Scope, context: LoweringContext) -> tuple[Node, Scope]:
    """The rows that a SELECT reads, and the scope in which its expressions are resolved."""
    clause = select.args.get("from_")
    if clause is None:
        node: Node = Values((), ((),))
        sources: dict[str, Columns] = {}
    else:
        node, sources = _source(clause.this, scope, context)
        node, sources = _joined(node, sources, select.args.get("joins") or [], scope, context)
    scope = scope.with_sources(sources)
    for lateral in select.args.get("laterals") or []:
        alias = lateral.args.get("alias")
        labels = [] if alias is None else [part.name for part in alias.args.get("columns") or []]
        node, names = exploded(
            node, resolve(lateral.this, scope), labels, bool(lateral.args.get("outer")), context.names
        )
        scope = scope.with_sources({lateral.alias: labelled(list(zip(labels, names, strict=True)))})
    return node, scope


def _joined(
    node: Node, sources: dict[str, Columns], joins: Sequence[exp.Join], scope: Scope, context: LoweringContext
) -> Source:
    crossed = False
    for join in joins:
        if crossed and join.side in ("RIGHT", "FULL"):
            # sqlglot reads a comma as CROSS JOIN, but a comma binds less than JOIN.
            raise NotPlanned("RIGHT or FULL JOIN after a comma or CROSS JOIN is not supported", join)
        crossed = crossed or join.kind == "CROSS"
        right, more = _source(join.this, scope, context)
        if repeated := sources.keys() & more.keys():
            raise NotPlanned(f'two tables in FROM have the name "{min(repeated)}"', join)
        both = {**sources, **more}
        node = _join(join, node, right, scope.with_sources(both), context)
        if join.kind not in ("SEMI", "ANTI"):
            sources = both
    return node, sources


def _source(source: exp.Expr, scope: Scope, context: LoweringContext) -> Source:
    match source:
        case exp.Table():
            _refuse_more(source, _TABLE)
            node, columns = _table(source, scope, context)
        case exp.Values():
            node, columns = _values(source, scope, context)
        case exp.Subquery(this=exp.Table() | exp.Subquery() as inside) if not source.alias:
            # Parentheses around joins.
            _refuse_more(source, _BRACKETS)
            node, sources = _source(inside, scope, context)
            return _joined(node, sources, source.args.get("joins") or [], scope, context)
        case exp.Subquery():
            _refuse_more(source, _SUBQUERY)
            lowered = context.query(_plain(source), scope.apart())
            if lowered.correlated:
                raise NotPlanned("a correlated subquery in FROM is not supported", source)
            node, columns = lowered.node, lowered.columns
        case _:
            raise NotPlanned("this kind of source in FROM is not supported", source)
    alias = source.args.get("alias")
    labels = [part.name for part in alias.args.get("columns") or []] if alias is not None else []
    if labels:
        if len(labels) != len(columns):
            raise NotPlanned("an alias has a different number of columns than its table", source)
        columns = tuple((label, name) for label, (_, name) in zip(labels, columns, strict=True))
    named = {source.alias_or_name: labelled(columns)}
    return _joined(node, named, source.args.get("joins") or [], scope, context)


def _plain(source: exp.Subquery) -> exp.Expr:
    """The subquery without its parentheses, unless they have an order, a limit or WITH."""
    carries = any(source.args.get(key) for key in ("order", "limit", "offset", "with_"))
    return source if carries else source.this


def _table(table: exp.Table, scope: Scope, context: LoweringContext) -> tuple[Node, tuple[tuple[str, str], ...]]:
    if not isinstance(table.this, exp.Identifier) or table.args.get("db"):
        raise NotPlanned("this kind of source in FROM is not supported", table)
    if table.name in scope.ctes:
        cte, within = scope.ctes[table.name]
        lowered = context.query(cte.this, within)
        return lowered.node, lowered.columns
    found = context.relations.get(table.name)
    if found is None:
        raise NotPlanned("a table in FROM is unknown", table)
    relation, labels = found
    if len({label.lower() for label in labels}) != len(labels):
        raise NotPlanned("a table has columns that differ only in case", table)
    context.scans += 1
    if context.scans > MAX_SCANS:
        raise NotPlanned("the query is too large once its WITH queries are expanded", table)
    items = tuple((context.names.fresh(label), label) for label in labels)
    return Scan(relation, items), tuple((label.lower(), name) for name, label in items)


def _values(values: exp.Values, scope: Scope, context: LoweringContext) -> tuple[Node, tuple[tuple[str, str], ...]]:
    rows = [tuple(row.expressions) if isinstance(row, exp.Tuple) else (row,) for row in values.expressions]
    alias = values.args.get("alias")
    labels = [] if alias is None else [part.name for part in alias.args.get("columns") or []]
    if any(len(row) != len(labels) for row in rows):
        raise NotPlanned("the rows of VALUES differ in length", values)
    if any(has_query(value) for row in rows for value in row):
        raise NotPlanned("a subquery within VALUES is not supported", values)
    names = tuple(context.names.fresh(label) for label in labels)
    resolved = tuple(tuple(resolve(value.unalias(), scope.apart()) for value in row) for row in rows)
    return Values(names, resolved), tuple(zip(labels, names, strict=True))


def _join(join: exp.Join, left: Node, right: Node, scope: Scope, context: LoweringContext) -> Node:
    if join.method:
        raise NotPlanned("NATURAL JOIN without common columns is not supported", join)
    _refuse_more(join, _JOIN)
    side, kind = join.side, join.kind
    if kind not in _KINDS or side not in ("", "LEFT", "RIGHT", "FULL"):
        raise NotPlanned("this kind of join is not supported", join)
    written = join.args.get("on")
    if written is not None and has_query(written):
        raise NotPlanned("a subquery in ON is not supported", written)
    predicate = None if written is None else resolve(written, scope)
    if kind in ("SEMI", "ANTI"):
        if side not in ("", "LEFT"):
            raise NotPlanned("this kind of join is not supported", join)
        return Join(JoinKind(kind), left, right, predicate)
    match side:
        case "LEFT":
            return Join(JoinKind.LEFT, left, right, predicate)
        case "RIGHT":
            return Join(JoinKind.LEFT, right, left, predicate)
        case "FULL":
            return Join(JoinKind.FULL, left, right, predicate)
        case _:
            return Join(JoinKind.INNER, left, right, predicate)


def _refuse_more(node: exp.Expr, known: frozenset[str]) -> None:
    for key, value in node.args.items():
        if value and key not in known:
            raise NotPlanned(f"{key.strip('_').replace('_', ' ').upper()} here is not supported", node)
