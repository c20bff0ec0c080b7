"""Resolve and check the definition of a dynamic table before it is created."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from headwater.core.errors import DefinitionRefused
from headwater.core.format import these_are
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshMode
from headwater.core.schema import Column, Schema, number
from headwater.core.semantics import definition_session, session_of, sql_mode
from headwater.delta.state_layout import StateLayout
from headwater.lake.resolve_names import resolve
from headwater.lake.site import Site
from headwater.refresh.bind_definition import LakeSchemas, bind_statement, source_identity
from headwater.refresh.compute import Compute
from headwater.refresh.dependencies import closure, dropped_ids, find_after, refuse_circle
from headwater.refresh.dropped_columns import naming_dropped_column
from headwater.refresh.engine import Query
from headwater.refresh.find import all_tables
from headwater.refresh.layout import not_incremental, prove_plan
from headwater.refresh.source_versions import SourceVersions, UpstreamBehind, common_snapshot, histories_of, sources_of
from headwater.refresh.target_columns import named
from headwater.registry.definitions import AfterDependency, Dependency, DynamicTable
from headwater.registry.source_identity import SourceIdentity
from headwater.sql.bind import BoundQuery, placed
from headwater.sql.dynamic_statements import CreateDynamicTable

# The id of a table that is not created yet.
NEW = -1


@dataclass(frozen=True, slots=True)
class ResolvedDefinition:
    """A definition whose names are resolved at a snapshot of the lake, without cycles.

    `names` are the ids of sources by former names; `upstreams` are the dynamic tables before it that are not suspended, each
    with those directly before it. It replaces the table `replaces`, and, in AFTER of other tables, the dropped tables `missed`.
    """

    table: DynamicTable
    names: Mapping[TableName, int]
    base: int
    upstreams: Mapping[int, set[int]]
    replaces: int | None
    missed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CheckedDefinition:
    """A definition that can be created: bound, with the columns it will have."""

    name: TableName
    table: DynamicTable
    bound: BoundQuery
    query: Query
    columns: tuple[Column, ...]
    base: int
    snapshot: int
    identity: SourceIdentity
    replaces: int | None
    layout: StateLayout
    # Dropped tables that AFTER of other tables names: this one replaces them.
    missed: tuple[int, ...] = ()


def resolve_definition(
    site: Site,
    statement: CreateDynamicTable,
    known: Sequence[Dependency] = (),
    after: tuple[AfterDependency, ...] | None = None,
    session: Mapping[str, str] | None = None,
) -> ResolvedDefinition:
    """Resolve the names of a definition; refuses one that would read, or come after, itself.

    `known` are sources whose names in the definition stay valid after a rename; `after` are the tables of AFTER, by default
    those that the definition names; `session` is the stored session of a definition that keeps its meaning.
    """
    settings = definition_session() if session is None else session_of(session)
    names = {source.name: source.id for source in known}
    with site.reader() as reader:
        base = reader.latest().id
        name = resolve(statement.name, reader, base)
        bound = bind_statement(statement, LakeSchemas(reader, base, names), sql_mode(settings))
        tables = {table.id: table for table in all_tables(reader)}
        replaced = next((t.id for t in reader.tables(base) if t.name.same(name) and t.id in tables), None)
        awaited = find_after(reader, name, statement.properties) if after is None else after
    table = DynamicTable(0, name, 1, statement, settings, site.clock.now(), sources_of(bound, ()), awaited)
    known_as = replace(table, id=NEW if replaced is None else replaced)
    refuse_circle(
        tables.values(),
        known_as,
        query_at=statement.query_position,
        after_at=statement.properties.after_position,
    )
    direct = {source.table_id for source in bound.sources} | {each.id for each in awaited}
    above = closure(tables, direct & tables.keys())
    active = {id: ups for id, ups in above.items() if not tables[id].suspension}
    upstreams = {id: {up for up in ups if up in active} for id, ups in active.items()}
    missed = dropped_ids(tables.values(), name) if replaced is None else ()
    return ResolvedDefinition(table, names, base, upstreams, replaced, missed)


def check_definition(site: Site, compute: Compute, resolved: ResolvedDefinition) -> CheckedDefinition:
    """Check a definition over the newest rows of its sources; refuses it if an upstream has no content yet."""
    statement, name = resolved.table.statement, resolved.table.name
    mode = sql_mode(resolved.table.session)
    engine = compute.engine()
    clock_at = site.clock.now()
    with site.reader() as reader:
        base = reader.latest().id
        bound = bind_statement(statement, LakeSchemas(reader, base, resolved.names), mode)
        histories = histories_of(reader, bound)
        snapshot = common_snapshot(histories, base)
        if isinstance(snapshot, UpstreamBehind):
            upstream = next(table.name for table in all_tables(reader) if table.id == snapshot.upstream)
            raise DefinitionRefused(
                f"upstream {upstream} has not been refreshed yet", hint=f"Run REFRESH DYNAMIC TABLE {upstream} first."
            )
        places = SourceVersions(reader, histories, snapshot)
        bound = bind_statement(statement, LakeSchemas(reader, base, resolved.names, places.of), mode)
        sources = {source.relation: places.table_at(source.table_id, source.name) for source in bound.sources}
        found = source_identity(bound, reader, places.of, dynamic=histories)
    query = Query(bound.sql, sources, resolved.table.session, clock_at)
    with (
        _dropped_columns_named(site, bound),
        placed(bound, statement.properties.dialect or "spark", statement.query_position),
    ):
        columns = number(named(engine.columns(query), statement))
    _check_keys(statement, name, columns)
    layout = prove_plan(engine, bound, query, 1, base)
    if layout.blocked and statement.properties.refresh_mode is RefreshMode.INCREMENTAL:
        raise not_incremental(name, layout.blocked)
    table = replace(resolved.table, created_at=clock_at, sources=sources_of(bound, ()))
    return CheckedDefinition(
        name, table, bound, query, columns, base, snapshot, found, resolved.replaces, layout, resolved.missed
    )


@contextmanager
def _dropped_columns_named(site: Site, bound: BoundQuery) -> Iterator[None]:
    try:
        yield
    except DefinitionRefused as error:
        with site.reader() as reader:
            named = naming_dropped_column(reader, [source.table_id for source in bound.sources], error)
        raise named from named.__cause__


def _check_keys(statement: CreateDynamicTable, name: TableName, columns: tuple[Column, ...]) -> None:
    schema = Schema(columns)
    for column in statement.properties.cluster_by or ():
        if schema.find(column) is None:
            raise DefinitionRefused(
                f'CLUSTER BY names "{column}", which {name} does not have',
                hint=these_are("column", schema.names),
            )
