"""What the next refresh of a dynamic table would do, and why; also for one that does not exist yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshAction, RefreshMode
from headwater.core.schema import Column
from headwater.delta.display_sql import display_changes
from headwater.lake.site import Site
from headwater.lake.values import TableAt, TableChanges
from headwater.refresh.check_definition import CheckedDefinition, check_definition, resolve_definition
from headwater.refresh.compute import Compute
from headwater.refresh.find import find_by_name, find_dynamic
from headwater.refresh.keep_rows import keep_rows
from headwater.refresh.layout import stored_plan
from headwater.refresh.prepare import NothingToDo, Prepared, prepare
from headwater.refresh.redefine import needs_new_files
from headwater.refresh.source_versions import UpstreamBehind
from headwater.refresh.target import target_of
from headwater.registry import frontiers
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


def explain_table(site: Site, compute: Compute, target: ObjectName) -> Explanation:
    """The plan for the next refresh of a table."""
    with site.reader() as reader:
        table = find_dynamic(reader, target)
        prepared = prepare(reader, table, reader.latest().id, site.clock.now())
        frontier = frontiers.find(reader.connection, table.id)
    known = frontier.layout if frontier else None
    blocked = known.blocked if known else None
    mode = table.refresh_mode
    if isinstance(prepared, NothingToDo):
        sources = tuple(source.name for source in table.sources)
        return Explanation(
            table.name, mode, RefreshAction.NO_DATA, prepared.reason, None, sources, 0, 0, blocked=blocked
        )
    if isinstance(prepared, UpstreamBehind):
        action = "SKIPPED" if prepared.suspended else "FULL"
        reason = prepared.reason if prepared.suspended else f"{prepared.reason} and is refreshed first"
        return Explanation(table.name, mode, action, reason, None, (), 0, 0, blocked=blocked)
    if told := _kept_rows(site, compute, prepared):
        sources = tuple(source.name for source in prepared.bound.sources)
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
