"""A new definition for a dynamic table that stays the same table: CREATE OR ALTER, OR REPLACE, ADD COLUMN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from headwater.core.errors import DefinitionRefused, InvalidRequest, unplaced
from headwater.core.schema import Schema
from headwater.core.semantics import definition_session
from headwater.refresh.prepare import sources_of
from headwater.registry import definitions, frontiers
from headwater.registry.definitions import Awaited, DynamicTable, Source
from headwater.service.create import check
from headwater.service.ddl import partition_fields
from headwater.service.find import find_dynamic
from headwater.service.refresh import refresh_redefined
from headwater.service.write import write
from headwater.sql.add_column import add_column
from headwater.sql.dynamic_statements import AddDynamicColumn, CreateDynamicTable, NamedOutput
from headwater.sql.statements import ObjectName

if TYPE_CHECKING:
    from headwater.service.lake import Lake


def redefine(
    lake: Lake,
    table: DynamicTable,
    statement: CreateDynamicTable,
    known: Sequence[Source] = (),
    after: tuple[Awaited, ...] | None = None,
) -> str:
    """Check the definition, and let it take the place of the old one together with the rows that it gives.

    If that fails, the old one stays. `known` and `after` are tables that its names stand for, whatever they are called now.
    """
    wanted = _named(table, statement)
    if what := needs_new_files(table, wanted):
        raise InvalidRequest(f"{what} can't be altered", hint="Use CREATE OR REPLACE DYNAMIC TABLE.")
    outcome = refresh_redefined(lake, _checked(lake, table, wanted, known, after))
    if not outcome.succeeded:
        raise InvalidRequest(
            f"{table.name} can't take its new definition now",
            detail=f"{outcome.reason}.",
            hint="Refresh or resume what it reads, then repeat it.",
        )
    return "altered"


def replace_in_place(lake: Lake, table: DynamicTable, statement: CreateDynamicTable) -> str | None:
    """CREATE OR REPLACE that keeps the table, and with it all rows that stay the same; None if it takes a new table."""
    wanted = _named(table, statement)
    with lake.reader() as reader:
        initialized = frontiers.find(reader.connection, table.id) is not None
    if not initialized or wanted.properties.initialize == "ON_SCHEDULE" or needs_new_files(table, wanted):
        return None
    if not refresh_redefined(lake, _checked(lake, table, wanted)).succeeded:
        return None
    if table.suspension or table.failures:
        write(lake, definitions.resumed(table.id))
    return "replaced"


def _named(table: DynamicTable, statement: CreateDynamicTable) -> CreateDynamicTable:
    name = ObjectName(table.name.name, table.name.schema)
    return replace(statement, name=name, or_replace=False, or_alter=False, if_not_exists=False)


def needs_new_files(table: DynamicTable, statement: CreateDynamicTable) -> str | None:
    """What the definition says otherwise about how files are written."""
    old, new = table.statement.properties, statement.properties
    if (old.cluster_by or ()) != (new.cluster_by or ()):
        return "CLUSTER BY"
    return "PARTITIONED BY" if (old.partitioned_by or ()) != (new.partitioned_by or ()) else None


def _checked(
    lake: Lake,
    table: DynamicTable,
    statement: CreateDynamicTable,
    known: Sequence[Source] = (),
    after: tuple[Awaited, ...] | None = None,
) -> DynamicTable:
    """The table with its next definition, which nothing can be said against."""
    checked = check(lake, statement, known, after, bring_upstreams=True)
    partition_fields(table.name, Schema(checked.columns), statement.properties.partitioned_by or ())
    return replace(
        table,
        version=table.version + 1,
        statement=statement,
        session=definition_session(),
        sources=sources_of(checked.bound, known),
        after=checked.table.after,
    )


def add_dynamic_column(lake: Lake, statement: AddDynamicColumn) -> str:
    """Let the query give one more column, computed for all rows at once."""
    with lake.reader() as reader:
        table = find_dynamic(reader, statement.name)
    old = table.statement
    query = add_column(old.query, statement.expression, statement.column, old.properties.dialect or "spark")
    if query is None:
        raise DefinitionRefused(
            f"the query of {table.name} is no single SELECT that a column could be added to",
            hint="Use CREATE OR ALTER DYNAMIC TABLE with the whole query.",
        )
    columns = (*old.columns, NamedOutput(statement.column)) if old.columns else ()
    with unplaced():
        return redefine(lake, table, replace(old, query=query, columns=columns), table.sources, table.after)
