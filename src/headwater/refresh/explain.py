"""What the next refresh of a dynamic table would do, and why; also for one that does not exist yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshAction, RefreshMode, Strategy
from headwater.core.schema import Column
from headwater.delta.display_sql import display_changes
from headwater.lake.site import Site
from headwater.lake.values import TableAt, TableChanges
from headwater.refresh.check_definition import CheckedDefinition, check_definition, resolve_definition
from headwater.refresh.compute import Compute
from headwater.refresh.current_sources import current_sources
from headwater.refresh.dependencies import closure
from headwater.refresh.find import all_tables, find_by_name, find_dynamic
from headwater.refresh.incremental import ExpectedRefresh
from headwater.refresh.keep_rows import keep_rows
from headwater.refresh.layout import stored_plan
from headwater.refresh.prepare import NothingToDo, Prepared, prepare
from headwater.refresh.redefine import needs_new_files
from headwater.refresh.source_versions import UpstreamBehind
from headwater.refresh.target import target_of
from headwater.registry import frontiers
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier
from headwater.schedule.graph import upstream_first, with_upstreams
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.statements import ObjectName


@dataclass(frozen=True, slots=True)
class Explanation:
    """The plan of a refresh: action and reason, the SQL that Spark runs, and the files that it reads."""

    name: TableName
    refresh_mode: RefreshMode
    action: str
    reason: str
    sql: str | None
    sources: tuple[TableName, ...]
    files: int
    bytes: int
    columns: tuple[tuple[str, str], ...] = ()
    # The incremental strategy, also of a table that does not exist yet.
    strategy: str | None = None
    # Why it can't be refreshed incrementally; None if it can, or if that is not known yet.
    blocked: str | None = None
    state: tuple[tuple[str, str], ...] = ()
    source_bytes: int = 0
    # The refreshes that come first in the same pass, in their order.
    upstreams: tuple[Explanation, ...] = ()


def explain_table(site: Site, compute: Compute, target: ObjectName) -> Explanation:
    """The plan for the next refresh of a table, after the refreshes of its upstreams that come first in that pass."""
    with site.reader() as reader:
        wanted = find_dynamic(reader, target)
        tables = {table.id: table for table in all_tables(reader)}
        snapshot = reader.latest().id
    clock_at = site.clock.now()
    above = closure(tables, {wanted.id})
    active = {id: ups for id, ups in above.items() if id == wanted.id or not tables[id].suspension}
    graph = {id: {up for up in ups if up in active} for id, ups in active.items()}
    done: dict[int, Explanation] = {}
    for id in upstream_first(graph):
        if id in with_upstreams(graph, {wanted.id}):
            expected = {up: _expected(done[up]) for up in graph[id]}
            done[id] = _explain(site, compute, tables[id], snapshot, clock_at, expected)
    found = done.pop(wanted.id)
    return replace(found, upstreams=tuple(done.values()))


def _expected(upstream: Explanation) -> ExpectedRefresh:
    changes = upstream.action not in (RefreshAction.NO_DATA, "SKIPPED")
    inserts = upstream.action == RefreshAction.INCREMENTAL and upstream.strategy == Strategy.APPEND_ONLY
    return ExpectedRefresh(changes, inserts)


def _explain(
    site: Site,
    compute: Compute,
    table: DynamicTable,
    snapshot: int,
    clock_at: datetime,
    expected: Mapping[int, ExpectedRefresh],
) -> Explanation:
    """The plan for one refresh of a pass."""
    with site.reader() as reader:
        prepared = prepare(reader, table, snapshot, clock_at, expected)
        frontier = frontiers.find(reader.connection, table.id)
        sources = tuple(source.name for source in current_sources(reader, (table,))[table.id])
    known = frontier.layout if frontier else None
    blocked = known.blocked if known else None
    mode = table.refresh_mode
    if isinstance(prepared, NothingToDo):
        return Explanation(
            table.name, mode, RefreshAction.NO_DATA, prepared.reason, None, sources, 0, 0, blocked=blocked
        )
    if isinstance(prepared, UpstreamBehind):
        return _explain_behind(table, prepared, frontier, sources, expected)
    if told := _kept_rows(site, compute, prepared):
        return Explanation(table.name, mode, RefreshAction.NO_DATA, told, None, sources, 0, 0)
    layout, plan = prepared.layout, prepared.plan
    names = {source.relation: str(source.name) for source in prepared.bound.sources}
    incremental = prepared.incremental if plan.action is RefreshAction.INCREMENTAL else None
    files = _files((incremental.sources if incremental else prepared.sources).values())
    return Explanation(
        table.name,
        mode,
        plan.action,
        plan.reason,
        display_changes(plan.changes, names) if plan.changes else plan.sql,
        tuple(source.name for source in prepared.bound.sources),
        len(files),
        sum(files.values()),
        source_bytes=sum(_files(prepared.sources.values()).values()) if incremental else 0,
        strategy=plan.strategy,
        blocked=layout.blocked if layout else None,
        state=_columns(layout.state) if layout else (),
    )


def _explain_behind(
    table: DynamicTable,
    behind: UpstreamBehind,
    frontier: Frontier | None,
    sources: tuple[TableName, ...],
    expected: Mapping[int, ExpectedRefresh],
) -> Explanation:
    """The plan of a table whose upstream has no content yet, or stays behind."""
    blocked = frontier.layout.blocked if frontier and frontier.layout else None
    if behind.upstream not in expected:
        return Explanation(
            table.name, table.refresh_mode, "SKIPPED", behind.reason, None, sources, 0, 0, blocked=blocked
        )
    action = RefreshAction.FULL if frontier else RefreshAction.REINITIALIZE
    reason = f"{behind.reason} and is refreshed first"
    return Explanation(table.name, table.refresh_mode, action, reason, None, sources, 0, 0, blocked=blocked)


def explain_definition(site: Site, compute: Compute, statement: CreateDynamicTable) -> Explanation:
    """The plan for the first refresh by a definition that is checked but not created."""
    checked = check_definition(site, compute, resolve_definition(site, statement))
    files = _files(checked.query.sources.values())
    plan = stored_plan(checked.bound, checked.query.sources, checked.layout)
    followed = plan is not None and statement.properties.refresh_mode is not RefreshMode.FULL
    changed = _changed(site, checked) if statement.or_replace or statement.or_alter else None
    told = _kept_rows(site, compute, changed) if changed else None
    return Explanation(
        checked.name,
        statement.properties.refresh_mode or RefreshMode.AUTO,
        RefreshAction.NO_DATA if told else RefreshAction.REINITIALIZE,
        told or (changed.plan.reason if changed else "first refresh"),
        checked.bound.at(checked.query.clock_at),
        tuple(source.name for source in checked.bound.sources),
        len(files),
        sum(files.values()),
        _columns(checked.columns),
        strategy=plan.strategy if plan and followed else None,
        blocked=checked.layout.blocked,
        state=_columns(checked.layout.state),
    )


def _changed(site: Site, checked: CheckedDefinition) -> Prepared | None:
    """The refresh of an existing table by a new definition; None if CREATE would make a new table."""
    with site.reader() as reader:
        table = find_by_name(reader, checked.name)
        if table is None or needs_new_files(table, checked.table.statement):
            return None
        new = replace(checked.table, id=table.id, name=table.name, version=table.version + 1)
        prepared = prepare(reader, new, reader.latest().id, site.clock.now())
    return prepared if isinstance(prepared, Prepared) else None


def _kept_rows(site: Site, compute: Compute, prepared: Prepared) -> str | None:
    """How the stored rows are kept when a definition or source changes."""
    with site.reader() as reader:
        target = target_of(reader, prepared.table, prepared.base)
    found = keep_rows(compute.engine, prepared, target)
    return found.reason if found else None


def _columns(columns: Iterable[Column]) -> tuple[tuple[str, str], ...]:
    return tuple((column.name, column.type_text()) for column in columns)


def _files(sources: Iterable[TableAt | TableChanges]) -> dict[int, int]:
    """The data files that scans would open, and their sizes."""
    found = {}
    for source in sources:
        for each in source.files:
            found[each.file.id] = each.file.bytes
    return found
