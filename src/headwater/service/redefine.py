"""A new definition for a dynamic table that stays the same table: CREATE OR ALTER, ADD COLUMN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from headwater.core.errors import DefinitionRefused, HeadwaterError, InvalidRequest
from headwater.core.semantics import definition_session
from headwater.refresh.prepare import sources_of
from headwater.registry import definitions
from headwater.registry.definitions import DynamicTable, Source
from headwater.service.create import check
from headwater.service.find import find_dynamic
from headwater.service.refresh import refresh
from headwater.service.write import write
from headwater.sql.add_column import add_column
from headwater.sql.dynamic_statements import AddDynamicColumn, CreateDynamicTable, NamedOutput
from headwater.sql.statements import ObjectName

if TYPE_CHECKING:
    from headwater.service.lake import Lake


def redefine(lake: Lake, table: DynamicTable, statement: CreateDynamicTable, known: Sequence[Source] = ()) -> str:
    """Check the definition, take it in the place of the old one, and refresh; if that fails, the old one stays.

    `known` are sources that its names stand for, whatever they are called now.
    """
    name = ObjectName(table.name.name, table.name.schema)
    wanted = replace(statement, name=name, or_replace=False, or_alter=False, if_not_exists=False)
    old, new = table.statement.properties, wanted.properties
    for what, before, after in (
        ("PARTITIONED BY", old.partitioned_by, new.partitioned_by),
        ("CLUSTER BY", old.cluster_by, new.cluster_by),
    ):
        if (before or ()) != (after or ()):
            raise InvalidRequest(f"{what} can't be altered", hint="Use CREATE OR REPLACE DYNAMIC TABLE.")
    checked = check(lake, wanted, known)
    changed = replace(
        table,
        version=table.version + 1,
        statement=wanted,
        session=definition_session(),
        sources=sources_of(checked.bound, known),
    )
    write(lake, *definitions.defined(changed, lake.clock.now()))
    try:
        refresh(lake, [name])
    except HeadwaterError:
        write(lake, *definitions.taken_back(changed, table))
        raise
    return "altered"


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
    return redefine(lake, table, replace(old, query=query, columns=columns), table.sources)
