"""A new definition for a dynamic table that stays the same table: CREATE OR ALTER, OR REPLACE, ADD COLUMN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater.core.errors import DefinitionRefused, InvalidRequest
from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshTrigger
from headwater.core.schema import Schema
from headwater.core.semantics import sql_mode
from headwater.lake.ddl import partition_fields
from headwater.lake.site import Site
from headwater.refresh.check_definition import CheckedDefinition
from headwater.refresh.compute import Compute
from headwater.refresh.raise_failures import raise_failures
from headwater.refresh.recover import wait_for_lease
from headwater.refresh.run import Refresher
from headwater.refresh.source_versions import sources_of
from headwater.registry import definitions, frontiers
from headwater.registry.definitions import Dependency, DynamicTable
from headwater.sql.add_column import add_column
from headwater.sql.dynamic_statements import AddDynamicColumn, CreateDynamicTable, NamedOutput
from headwater.sql.properties import PROPERTIES, Initialize
from headwater.sql.statements import ObjectName


def redefinition(table: DynamicTable, statement: CreateDynamicTable, *, in_place: bool = False) -> CreateDynamicTable:
    """The statement as a table's next definition; what can't change `in_place` is refused."""
    name = ObjectName(table.name.name, table.name.schema)
    wanted = statement.as_definition(name)
    if in_place and (what := needs_new_files(table, wanted)):
        raise InvalidRequest(f"{what} can't be altered", hint="Use CREATE OR REPLACE DYNAMIC TABLE.")
    return wanted


def redefine(
    site: Site, compute: Compute, table: DynamicTable, checked: CheckedDefinition, known: Sequence[Dependency] = ()
) -> None:
    """Replace the definition and commit its rows with it; if that fails, the old definition stays.

    `known` are sources whose names in the definition stay valid after a rename.
    """
    outcome = _refresh_redefined(site, compute, _next_version(table, checked, known))
    if not outcome.succeeded:
        raise InvalidRequest(
            f"the new definition of dynamic table {table.name} can't be applied now",
            detail=f"{outcome.reason}.",
            hint="Refresh or resume the tables that it reads, then repeat the statement.",
        )


def can_replace_in_place(site: Site, table: DynamicTable, statement: CreateDynamicTable) -> bool:
    """Whether CREATE OR REPLACE may keep the table, and with it all rows that stay the same."""
    with site.reader() as reader:
        initialized = frontiers.find(reader.connection, table.id) is not None
    return (
        initialized
        and statement.properties.initialize is not Initialize.ON_SCHEDULE
        and not needs_new_files(table, statement)
    )


def replace_in_place(site: Site, compute: Compute, table: DynamicTable, checked: CheckedDefinition) -> bool:
    """CREATE OR REPLACE that keeps the table; False if it needs a new one."""
    if not _refresh_redefined(site, compute, _next_version(table, checked)).succeeded:
        return False
    if table.suspension or table.failures:
        site.database.execute(definitions.resume_stmt(table.id))
    return True


def needs_new_files(table: DynamicTable, statement: CreateDynamicTable) -> str | None:
    """The property that the definition changes and that needs new data files."""
    old, new = table.statement.properties.given(), statement.properties.given()
    changed = (each.name for each in PROPERTIES if each.rewrites_files and old.get(each.field) != new.get(each.field))
    return next(changed, None)


def definition_with_column(table: DynamicTable, statement: AddDynamicColumn) -> CreateDynamicTable:
    """The definition of a table with one more column of its query."""
    old = table.statement
    dialect, mode = old.properties.dialect or "spark", sql_mode(table.session)
    query = add_column(
        old.query, statement.expression, statement.column, dialect, double_quoted_names=mode.double_quoted_names
    )
    if query is None:
        raise DefinitionRefused(
            f"ADD COLUMN requires a single SELECT in the query of {table.name}",
            hint="Use CREATE OR ALTER DYNAMIC TABLE with the whole query.",
        )
    columns = (*old.columns, NamedOutput(statement.column)) if old.columns else ()
    return replace(old, query=query, columns=columns)


def _next_version(table: DynamicTable, checked: CheckedDefinition, known: Sequence[Dependency] = ()) -> DynamicTable:
    statement = checked.table.statement
    partition_fields(table.name, Schema(checked.columns), statement.properties.partitioned_by or ())
    return replace(
        table,
        version=table.version + 1,
        statement=statement,
        session=checked.table.session,
        sources=sources_of(checked.bound, known),
        after=checked.table.after,
    )


def _refresh_redefined(site: Site, compute: Compute, table: DynamicTable) -> RefreshRecord:
    """Refresh a table by the next version of its definition, which is committed with its rows or not at all."""
    refresher = Refresher(site, compute)
    while True:
        with site.reader() as reader:
            snapshot = reader.latest().id
        outcome = refresher.refresh(table.id, snapshot, site.clock.now(), RefreshTrigger.MANUAL, defined=table)
        if not outcome.leased:
            break
        wait_for_lease(site, table.id)
    raise_failures([outcome])
    if outcome.state is RefreshState.CANCELLED and outcome.error is not None:
        raise outcome.error
    return outcome
