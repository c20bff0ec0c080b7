"""CREATE DYNAMIC TABLE: check everything, compute the first content, and make table and definition in one commit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, commit
from headwater.core.errors import AlreadyExists, DefinitionRefused
from headwater.core.names import TableName
from headwater.core.schema import Column, Schema, SortKey, number
from headwater.core.semantics import definition_session
from headwater.core.warehouse import DEFAULT
from headwater.delta.plan import RefreshAction
from headwater.lake import operations as op
from headwater.lake.names import resolve
from headwater.lake.options import AUTO_COMPACT, table_option
from headwater.lake.uuid7 import uuid7
from headwater.lake.values import NEW_PARTITIONING, Partitioning, WriteTarget
from headwater.refresh.engine import Query, Staged
from headwater.refresh.layout import Layout, full_query, kept, key_order, not_incremental, study
from headwater.refresh.prepare import Held, Places, common_snapshot, histories_of, sources_of
from headwater.refresh.progress import Progress, computing, written
from headwater.refresh.shape import named
from headwater.refresh.sources import LakeSchemas, bind_statement, identity
from headwater.refresh.told import whole
from headwater.registry import definitions, frontiers, history, install, plans
from headwater.registry.definitions import Awaited, DynamicTable, Source
from headwater.registry.frontiers import Frontier
from headwater.registry.history import Refresh
from headwater.service.after import find_after, heirs, refuse_circle
from headwater.service.ddl import partition_fields
from headwater.service.find import all_tables, closure, find_by_name
from headwater.service.passes import Planned, run_pass
from headwater.service.wiring import drive, spark_engine
from headwater.sql.bind import BoundQuery, placed
from headwater.sql.dynamic_statements import CreateDynamicTable

if TYPE_CHECKING:
    from headwater.service.lake import Lake

CREATION = "CREATION"
# The id of a table that has none yet.
NEW = -1


@dataclass(frozen=True, slots=True)
class Checked:
    """A definition that can be created: bound, with the columns it will have."""

    name: TableName
    table: DynamicTable
    bound: BoundQuery
    query: Query
    columns: tuple[Column, ...]
    base: int
    snapshot: int
    identity: str
    replaces: int | None
    layout: Layout
    # Tables that are gone and that others come after: this one takes their place.
    missed: tuple[int, ...] = ()


def create(lake: Lake, statement: CreateDynamicTable) -> str:
    """Create the table; what happened, in a word: created, replaced, exists."""
    install.install(lake.database)
    with lake.reader() as reader:
        name = resolve(statement.name, reader, reader.latest().id)
        existing = next((t for t in reader.tables(reader.latest().id) if t.name.same(name)), None)
        dynamic = find_by_name(reader, name)
    if existing and statement.if_not_exists and dynamic:
        return "exists"
    if existing and not (dynamic and (statement.or_replace or statement.or_alter)):
        kind = "dynamic table" if dynamic else "table"
        raise AlreadyExists(
            f"a {kind} {name} exists already",
            hint="Add OR REPLACE or IF NOT EXISTS, or choose another name." if dynamic else "Choose another name.",
        )
    checked = check(lake, statement, bring_upstreams=True)
    _build(lake, checked)
    return "replaced" if checked.replaces is not None else "created"


def check(
    lake: Lake,
    statement: CreateDynamicTable,
    known: Sequence[Source] = (),
    after: tuple[Awaited, ...] | None = None,
    *,
    bring_upstreams: bool = False,
) -> Checked:
    """All that can be said against a definition, without creating anything.

    `known` are sources that its names stand for, whatever they are called now; `after` are the tables that it comes after,
    those that it names if not given.
    """
    names = {source.name: source.id for source in known}
    drive(lake, statement.properties.warehouse or DEFAULT)
    with lake.reader() as reader:
        base = reader.latest().id
        name = resolve(statement.name, reader, base)
        bound = bind_statement(statement, LakeSchemas(reader, base, names))
        tables = {table.id: table for table in all_tables(reader)}
        replaced = next((t.id for t in reader.tables(base) if t.name.same(name) and t.id in tables), None)
        awaited = find_after(reader, name, statement.properties) if after is None else after
    table = DynamicTable(0, name, 1, statement, definition_session(), lake.clock.now(), sources_of(bound, ()), awaited)
    known_as = replace(table, id=NEW if replaced is None else replaced)
    refuse_circle(
        tables.values(),
        known_as,
        query_at=statement.query_position,
        after_at=statement.properties.after_position,
    )
    direct = {source.table_id for source in bound.sources} | {each.id for each in awaited}
    above = closure(tables, direct & tables.keys())
    if bring_upstreams and above:
        run = {id: ups for id, ups in above.items() if not tables[id].suspension}
        graph = {id: {up for up in ups if up in run} for id, ups in run.items()}
        run_pass(lake, Planned(graph, base, lake.clock.now(), dict.fromkeys(graph, CREATION)))
    engine = spark_engine(lake)
    clock_at = lake.clock.now()
    with lake.reader() as reader:
        base = reader.latest().id
        bound = bind_statement(statement, LakeSchemas(reader, base, names))
        histories = histories_of(reader, bound)
        snapshot = common_snapshot(histories, base)
        if isinstance(snapshot, Held):
            upstream = tables[snapshot.upstream].name
            raise DefinitionRefused(
                f"upstream {upstream} has no content yet", hint=f"Run REFRESH DYNAMIC TABLE {upstream} first."
            )
        places = Places(reader, histories, snapshot)
        bound = bind_statement(statement, LakeSchemas(reader, base, names, places.of))
        sources = {source.relation: places.table_at(source.table_id, source.name) for source in bound.sources}
        found = identity(bound, reader, places.of, dynamic=histories)
    query = Query(bound.sql, sources, definition_session(), clock_at)
    with placed(bound, statement.properties.dialect or "spark", statement.query_position):
        columns = number(named(engine.columns(query), statement))
    _check_keys(statement, name, columns)
    layout = study(engine, bound, query, 1, base)
    if layout.blocked and statement.properties.refresh_mode == "INCREMENTAL":
        raise not_incremental(name, layout.blocked)
    table = replace(table, created_at=clock_at, sources=sources_of(bound, ()))
    missed = heirs(tables.values(), name) if replaced is None else ()
    return Checked(name, table, bound, query, columns, base, snapshot, found, replaced, layout, missed)


def _key_order(checked: Checked) -> tuple[SortKey, ...]:
    found = kept(checked.bound, checked.query.sources, checked.layout)
    columns = (*checked.columns, *checked.layout.state)
    return key_order(found.key, found.root.columns, columns) if found else ()


def _build(lake: Lake, checked: Checked) -> None:
    statement, name = checked.table.statement, checked.name
    created = op.CreateTable(
        name=name,
        columns=checked.columns,
        uuid=str(uuid7()),
        partitioned_by=partition_fields(name, Schema(checked.columns), statement.properties.partitioned_by or ()),
        sorted_by=tuple(SortKey(column) for column in statement.properties.cluster_by or ()),
    )
    started_at = lake.clock.now()
    staged = Staged()
    profile: dict[str, float] = {}
    # Spark knows the work by the id that the history has.
    refresh_id, sql = str(uuid7()), whole(checked.bound)
    at_once = statement.properties.initialize != "ON_SCHEDULE"
    if at_once:
        target, engine = _target(lake, checked, created), spark_engine(lake)
        with computing(engine, lake.watch, Progress(refresh_id, name, RefreshAction.REINITIALIZE), profile):
            query = full_query(checked.bound, checked.query, checked.layout)
            staged = engine.write(query, target, created.sorted_by or _key_order(checked))
        files = {each.file.id for scan in checked.query.sources.values() for each in scan.files}
        profile |= {"source_files": len(files), **written(staged)}
    computed = time.perf_counter()
    removed = (op.DropTable(checked.replaces),) if checked.replaces is not None else ()
    rows = (op.StagedChange(name, staged.files),) if staged.files else ()

    def ours(committed: Committed) -> Iterable[sa.Executable]:
        table_id = committed.tables[name]
        table = replace(checked.table, id=table_id)
        if checked.replaces is not None:
            yield from definitions.dropped(checked.replaces, started_at, committed.snapshot_id)
            yield from definitions.repointed(checked.replaces, table_id)
        for gone in checked.missed:
            yield definitions.awaited_again(gone, table_id)
        yield from definitions.added(table)
        # Others would compact its files without what these carry beside their rows.
        yield table_option(table_id, AUTO_COMPACT, "false")
        if at_once:
            yield frontiers.first(
                Frontier(
                    table_id,
                    checked.snapshot,
                    checked.snapshot,
                    committed.snapshot_id,
                    1,
                    checked.identity,
                    lake.clock.now(),
                    clock_at=table.created_at if checked.bound.uses_clock else None,
                    layout=checked.layout.text(),
                )
            )
            first = _first_row(lake, refresh_id, table, staged, checked.snapshot, committed.snapshot_id)
            took = profile | {"commit_seconds": round(time.perf_counter() - computed, 3)}
            yield plans.kept(sql, lake.database.kind)
            yield history.begun(replace(first, profile=took, plan_id=plans.plan_id(sql)))

    operations: tuple[op.Operation, ...] = (*removed, created, *rows)
    commit(
        lake.database,
        lake.data_path,
        Commit(checked.base, operations, rows=ours, author="headwater", message=f"create dynamic table {name}"),
        lake.clock,
    )


def _target(lake: Lake, checked: Checked, created: op.CreateTable) -> WriteTarget:
    with lake.reader() as reader:
        location = reader.new_location(checked.name, created.uuid, checked.base)
    partitioning = Partitioning(NEW_PARTITIONING, created.partitioned_by) if created.partitioned_by else None
    return WriteTarget(location, Schema(checked.columns), checked.layout.state, partitioning)


def _first_row(
    lake: Lake, refresh_id: str, table: DynamicTable, staged: Staged, snapshot: int, lake_snapshot: int
) -> Refresh:
    return Refresh(
        id=refresh_id,
        table_id=table.id,
        name=table.name,
        warehouse=table.warehouse,
        state=history.SUCCEED,
        trigger=CREATION,
        started_at=table.created_at,
        ended_at=lake.clock.now(),
        action=RefreshAction.REINITIALIZE,
        reason="first refresh",
        sources=tuple(source.name for source in table.sources),
        rows_inserted=staged.rows_inserted,
        rows_deleted=0,
        data_snapshot=snapshot,
        lake_snapshot=lake_snapshot,
    )


def _check_keys(statement: CreateDynamicTable, name: TableName, columns: tuple[Column, ...]) -> None:
    schema = Schema(columns)
    for column in statement.properties.cluster_by or ():
        if schema.find(column) is None:
            raise DefinitionRefused(
                f'CLUSTER BY names "{column}", which {name} does not have',
                hint=f"Its columns are {', '.join(schema.names)}.",
            )
