"""The state layout of a definition, determined at each full refresh and stored with the frontier."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from headwater.core.errors import DefinitionRefused
from headwater.core.names import TableName
from headwater.core.schema import Column, SortKey
from headwater.delta.algebra import plain
from headwater.delta.incremental_plan import IncrementalPlan, marked, plan_incremental
from headwater.delta.state_layout import StateLayout
from headwater.delta.top_operator import storable
from headwater.delta.verdict import Blocked, judge
from headwater.lake.values import TableAt
from headwater.plan.lower import NotPlanned, lower
from headwater.plan.nodes import Aggregate, Node, Project, Window, walk
from headwater.plan.render import render
from headwater.refresh.engine import Engine, Query
from headwater.sql.bind import BoundQuery

STATE_PREFIX = "_hw_"
# The first field id of state columns: above those that a catalog assigns, below those that DuckLake reserves.
_FIRST_FIELD = 1_500_000_000
_FIELDS_PER_VERSION = 100


def stored_plan(
    bound: BoundQuery, sources: Mapping[str, TableAt], layout: StateLayout | None
) -> IncrementalPlan | None:
    """The incremental plan of the table, if its files have the state columns for it."""
    if layout is None or layout.blocked is not None:
        return None
    try:
        root = lower(bound.sql, _columns(sources))
    except NotPlanned:
        return None
    found = marked(plan_incremental(root, layout.types), layout.mark)
    return found if _hash(found) == layout.plan else None


def prove_plan(engine: Engine, bound: BoundQuery, query: Query, version: int, mark: int) -> StateLayout:
    """The layout of a definition: its plan, compared with Spark's and checked for incremental refresh."""
    try:
        root = lower(bound.sql, _columns(query.sources))
    except NotPlanned as refused:
        return StateLayout(str(Blocked(refused.reason, refused.sql, refused.line)))
    deciding = [node.input for node in walk(root) if isinstance(node, Aggregate | Window)]
    studied = engine.prove(query, [render(node) for node in (root, *deciding)])
    if not studied.same:
        return StateLayout("Spark's optimized plan of the query differs from Headwater's")
    types = {
        name: column.type_text()
        for node, columns in zip((root, *deciding), studied.columns, strict=True)
        for name, column in zip(node.columns, columns, strict=True)
    }
    blocked = judge(root, types)
    if blocked is not None:
        return StateLayout(str(blocked))
    found = marked(plan_incremental(root, types), mark)
    state = engine.shape(query, render(found.root))[found.visible :] if found.state else ()
    odd = next((column for column in state if not storable(column.type)), None)
    if odd is not None:
        return StateLayout(f"a key of type {odd.type_text()} can't be stored as state")
    first = _FIRST_FIELD + version * _FIELDS_PER_VERSION
    numbered = tuple(
        Column(f"{STATE_PREFIX}{name.strip('_')}", column.type, first + place)
        for place, (name, column) in enumerate(zip(found.state, state, strict=True))
    )
    if len(numbered) > _FIELDS_PER_VERSION:
        return StateLayout("the query needs too many state columns")
    return StateLayout(None, _hash(found), types, mark, numbered)


def layout_for(
    engine: Engine, bound: BoundQuery, query: Query, version: int, base: int, known: StateLayout | None
) -> StateLayout:
    """The layout for a full refresh; the one of the existing files, if it still fits.

    State columns of the same name and type are reused: rows are compared with their state, so a row whose state is unchanged
    is not rewritten.
    """
    if known is not None and known.blocked is None:
        found = prove_plan(engine, bound, query, version, known.mark)
        if (found.plan, found.types) == (known.plan, known.types):
            return known
        held = {(column.name, column.type): column for column in known.state}
        state = [held.get((column.name, column.type)) for column in found.state]
        if found.blocked is None and all(state):
            return replace(found, state=tuple(column for column in state if column))
    return prove_plan(engine, bound, query, version, base)


def full_query(bound: BoundQuery, query: Query, layout: StateLayout, *, state: bool = True) -> Query:
    """The query with the state columns of its table, or without `state` with the same tie-breaking only."""
    found = stored_plan(bound, query.sources, layout)
    if found is None:
        return query
    root: Node = found.root if state else Project(found.root, plain(found.root.columns[: found.visible]))
    return replace(query, sql=render(root), row_ids=True)


def key_order(key: Sequence[str], names: Sequence[str], columns: Sequence[Column]) -> tuple[SortKey, ...]:
    """The sort order for lookups by key; `names` are the plan's for the columns."""
    named = dict(zip(names, columns, strict=True))
    return tuple(SortKey(named[name].name) for name in key if not named[name].nested)


def not_incremental(name: TableName, reason: str) -> DefinitionRefused:
    """The error for REFRESH_MODE = INCREMENTAL if incremental refresh is not possible."""
    return DefinitionRefused(
        f"dynamic table {name} can't be refreshed incrementally",
        detail=f"It would be refreshed in full: {reason}.",
        hint="Change the query, or set REFRESH_MODE = AUTO.",
    )


def _columns(sources: Mapping[str, TableAt]) -> dict[str, tuple[str, ...]]:
    return {relation: at.schema.names for relation, at in sources.items()}


def _hash(found: IncrementalPlan) -> str:
    return hashlib.sha256(render(found.root).encode()).hexdigest()
