"""CREATE DYNAMIC TABLE in all its forms, once the tables that it reads are up to date."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from headwater.core.errors import NotFound, without_position
from headwater.core.refresh_record import RefreshTrigger
from headwater.core.warehouse import DEFAULT
from headwater.lake.resolve_names import resolve
from headwater.lake.site import Site
from headwater.refresh.check_definition import CheckedDefinition, check_definition, resolve_definition
from headwater.refresh.compute import Compute
from headwater.refresh.create import create_table, find_existing
from headwater.refresh.current_definition import current_definition, require_sources
from headwater.refresh.find import find_by_name, find_dropped, find_dynamic
from headwater.refresh.redefine import (
    can_replace_in_place,
    definition_with_column,
    redefine,
    redefinition,
    replace_in_place,
)
from headwater.refresh.run import Refresher
from headwater.registry import install
from headwater.registry.definitions import AfterDependency, Dependency, DynamicTable
from headwater.service.creation import Creation, describe_creation
from headwater.service.wiring import bind_driver
from headwater.sql.dynamic_statements import AddDynamicColumn, CreateDynamicTable, UndropDynamicTable
from headwater.sql.statements import ObjectName
from headwater.worker.passes import PassPlan, run_pass


def create(
    site: Site, compute: Compute, statement: CreateDynamicTable, session: Mapping[str, str] | None = None
) -> Creation:
    """Create, replace or alter the table; `session` is that of a definition that had one."""
    site.database.admit()
    began = time.perf_counter()
    status, checked = _create(site, compute, statement, session)
    return describe_creation(site, statement.name, status, checked, began)


def _create(
    site: Site, compute: Compute, statement: CreateDynamicTable, session: Mapping[str, str] | None
) -> tuple[str, CheckedDefinition | None]:
    """What was done, and the definition if it is new."""
    if statement.or_alter or statement.or_replace:
        with site.reader() as reader:
            existing = find_by_name(reader, resolve(statement.name, reader, reader.latest().id))
        if existing and statement.or_alter:
            return _alter(site, compute, existing, statement)
        if existing and can_replace_in_place(site, existing, statement):
            checked = _check(site, compute, redefinition(existing, statement))
            if replace_in_place(site, compute, existing, checked):
                return "replaced", checked
    install.install(site.database)
    if find_existing(site, statement):
        return "exists", None
    checked = _check(site, compute, statement, session=session)
    return create_table(site, compute, checked), checked


def add_column(site: Site, compute: Compute, statement: AddDynamicColumn) -> str:
    """Add a column to the query, and compute it for all rows."""
    with site.reader() as reader:
        table = find_dynamic(reader, statement.name)
        current = current_definition(reader, table)
    require_sources(current, table)
    wanted = definition_with_column(replace(table, statement=current.statement), statement)
    with without_position():
        return _alter(site, compute, table, wanted, after=table.after, session=table.session)[0]


def undrop(site: Site, compute: Compute, statement: UndropDynamicTable) -> str:
    """Recreate the table from its definition when it was last dropped; its rows are recomputed.

    It reads the same tables and columns as then, also if they have other names now.
    """
    with site.reader() as reader:
        name = resolve(statement.name, reader, reader.latest().id)
        dropped = find_dropped(reader, name)
        if dropped is None:
            raise NotFound(f"no dropped dynamic table {name}", hint="Create the dynamic table.")
        current = current_definition(reader, dropped)
    require_sources(current, dropped)
    wanted = current.statement.as_definition(ObjectName(name.name, name.schema))
    with without_position():
        create(site, compute, wanted, dropped.session)
    return "undropped"


def _alter(
    site: Site,
    compute: Compute,
    table: DynamicTable,
    statement: CreateDynamicTable,
    known: Sequence[Dependency] = (),
    after: tuple[AfterDependency, ...] | None = None,
    session: Mapping[str, str] | None = None,
) -> tuple[str, CheckedDefinition]:
    wanted = redefinition(table, statement, in_place=True)
    checked = _check(site, compute, wanted, known, after, session)
    redefine(site, compute, table, checked, known)
    return "altered", checked


def _check(
    site: Site,
    compute: Compute,
    statement: CreateDynamicTable,
    known: Sequence[Dependency] = (),
    after: tuple[AfterDependency, ...] | None = None,
    session: Mapping[str, str] | None = None,
) -> CheckedDefinition:
    """Check a definition after its upstreams have been refreshed, on the driver of its warehouse."""
    bind_driver(compute.warehouses, statement.properties.warehouse or DEFAULT)
    resolved = resolve_definition(site, statement, known, after, session)
    if graph := resolved.upstreams:
        planned = PassPlan(graph, resolved.base, site.clock.now(), dict.fromkeys(graph, RefreshTrigger.CREATION))
        run_pass(Refresher(site, compute), planned)
    return check_definition(site, compute, resolved)
