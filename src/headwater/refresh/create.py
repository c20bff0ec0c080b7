"""Create a dynamic table: run its first refresh, and commit table and definition together."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, commit
from headwater.core.errors import AlreadyExists, HeadwaterError
from headwater.core.refresh_record import RefreshAction, RefreshState, RefreshTrigger
from headwater.core.schema import Schema, SortKey
from headwater.delta.display_sql import display_query
from headwater.lake import operations as op
from headwater.lake.data_path import require_data_path
from headwater.lake.ddl import partition_fields
from headwater.lake.options import AUTO_COMPACT, table_option
from headwater.lake.resolve_names import resolve
from headwater.lake.site import Site
from headwater.lake.uuid7 import uuid7
from headwater.lake.values import NEW_PARTITIONING, Partitioning, WriteTarget
from headwater.refresh.check_definition import CheckedDefinition
from headwater.refresh.compute import Compute
from headwater.refresh.engine import Query, Staged
from headwater.refresh.find import find_by_name
from headwater.refresh.layout import full_query, key_order, stored_plan
from headwater.refresh.progress import Progress, computing, measure_written
from headwater.refresh.refresh_log import RefreshLog
from headwater.registry import definitions, frontiers, history, refresh_sql
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier
from headwater.sql.bind import place
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.properties import Initialize


def find_existing(site: Site, statement: CreateDynamicTable) -> DynamicTable | None:
    """The existing dynamic table if IF NOT EXISTS is given; refuses a name that is in use."""
    with site.reader() as reader:
        require_data_path(reader.connection, site.data_path)
        name = resolve(statement.name, reader, reader.latest().id)
        existing = next((t for t in reader.tables(reader.latest().id) if t.name.same(name)), None)
        dynamic = find_by_name(reader, name)
    if existing and statement.if_not_exists and dynamic:
        return dynamic
    if existing and not (dynamic and (statement.or_replace or statement.or_alter)):
        kind = "dynamic table" if dynamic else "table"
        raise AlreadyExists(
            f"{kind} {name} already exists",
            hint="Add OR REPLACE or IF NOT EXISTS, or choose another name." if dynamic else "Choose another name.",
        )
    return None


def create_table(site: Site, compute: Compute, checked: CheckedDefinition) -> str:
    """Create table and definition in one commit, with rows unless INITIALIZE = ON_SCHEDULE; created or replaced."""
    created = _operation(checked)
    started_at = site.clock.now()
    log = RefreshLog(site, RefreshTrigger.CREATION, started_at=checked.table.created_at)
    at_once = checked.table.statement.properties.initialize is not Initialize.ON_SCHEDULE
    staged = _compute_rows(site, compute, checked, created, log) if at_once else Staged()
    computed = time.perf_counter()

    def rows(committed: Committed) -> Iterable[sa.Executable]:
        table = replace(checked.table, id=committed.tables[checked.name])
        yield from _definition_stmts(checked, table, started_at, committed.snapshot_id)
        if at_once:
            log.measure(commit_seconds=round(time.perf_counter() - computed, 3))
            yield from _first_version_stmts(site, checked, table, log, staged, committed.snapshot_id)

    operations: tuple[op.Operation, ...] = (
        *([op.DropTableOp(checked.replaces)] if checked.replaces is not None else ()),
        created,
        *([op.StagedChange(checked.name, staged.files)] if staged.files else ()),
    )
    message = f"create dynamic table {checked.name}"
    compute.cancellation.check()
    commit(site, Commit(checked.base, operations, rows=rows, author="headwater", message=message))
    return "created" if checked.replaces is None else "replaced"


def _operation(checked: CheckedDefinition) -> op.CreateTableOp:
    properties = checked.table.statement.properties
    return op.CreateTableOp(
        name=checked.name,
        columns=checked.columns,
        uuid=str(uuid7()),
        partitioned_by=partition_fields(checked.name, Schema(checked.columns), properties.partitioned_by or ()),
        sorted_by=tuple(SortKey(column) for column in properties.cluster_by or ()),
    )


def _compute_rows(
    site: Site, compute: Compute, checked: CheckedDefinition, created: op.CreateTableOp, log: RefreshLog
) -> Staged:
    """Run the query and write its rows."""
    target, engine = _target(site, checked, created), compute.engine()
    progress = Progress(log.id, checked.name, RefreshAction.REINITIALIZE)
    with compute.cancellation.calling(lambda: engine.cancel(log.id)), computing(engine, compute.watch, progress, log):
        query = full_query(checked.bound, checked.query, checked.layout)
        with _placed(checked, query):
            staged = engine.write(query, target, created.sorted_by or _key_order(checked))
    log.measure(source_files=len({each.file.id for scan in checked.query.sources.values() for each in scan.files}))
    measure_written(log, staged)
    return staged


@contextmanager
def _placed(checked: CheckedDefinition, run: Query) -> Iterator[None]:
    """Add the position in the user's text to errors of the query, which may have run in another form."""
    statement, bound = checked.table.statement, checked.bound
    try:
        yield
    except HeadwaterError as error:
        dialect = statement.properties.dialect or "spark"
        place(error, bound, dialect, statement.query_position, exact=run.sql == checked.query.sql)
        raise


def _definition_stmts(
    checked: CheckedDefinition, table: DynamicTable, started_at: datetime, lake_snapshot: int
) -> Iterable[sa.Executable]:
    """The statements that store the definition, in place of the one that it replaces."""
    if checked.replaces is not None:
        yield from definitions.drop_stmts(checked.replaces, started_at, lake_snapshot)
        yield from definitions.repoint_stmts(checked.replaces, table.id)
    for dropped in checked.missed:
        yield definitions.repoint_after_stmt(dropped, table.id)
    yield from definitions.insert_stmts(table)
    # Other clients would compact its files without their state columns.
    yield table_option(table.id, AUTO_COMPACT, "false")


def _first_version_stmts(
    site: Site, checked: CheckedDefinition, table: DynamicTable, log: RefreshLog, staged: Staged, lake_snapshot: int
) -> Iterable[sa.Executable]:
    """The statements for the frontier and the history of the first rows."""
    frontier = Frontier(
        table_id=table.id,
        snapshot=checked.snapshot,
        valid_from=checked.snapshot,
        lake_snapshot=lake_snapshot,
        definition_version=1,
        identity=checked.identity,
        refreshed_at=site.clock.now(),
        clock_at=table.created_at if checked.bound.uses_clock else None,
        layout=checked.layout,
    )
    record = log.record(
        table,
        RefreshState.SUCCEED,
        action=RefreshAction.REINITIALIZE,
        reason="first refresh",
        rows_inserted=staged.rows_inserted,
        data_snapshot=checked.snapshot,
        lake_snapshot=lake_snapshot,
    )
    sql = display_query(checked.bound)
    yield frontiers.insert_stmt(frontier)
    yield refresh_sql.store_sql_stmt(sql, site.database.kind)
    yield history.insert_stmt(replace(record, plan_id=refresh_sql.plan_id(sql)))


def _target(site: Site, checked: CheckedDefinition, created: op.CreateTableOp) -> WriteTarget:
    with site.reader() as reader:
        location = reader.new_location(checked.name, created.uuid, checked.base)
    partitioning = Partitioning(NEW_PARTITIONING, created.partitioned_by) if created.partitioned_by else None
    return WriteTarget(location, Schema(checked.columns), checked.layout.state, partitioning)


def _key_order(checked: CheckedDefinition) -> tuple[SortKey, ...]:
    found = stored_plan(checked.bound, checked.query.sources, checked.layout)
    columns = (*checked.columns, *checked.layout.state)
    return key_order(found.key, found.root.columns, columns) if found else ()
