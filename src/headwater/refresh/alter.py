"""ALTER DYNAMIC TABLE."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, commit
from headwater.core.errors import InvalidRequest, NotFound, SqlUnsupported
from headwater.core.format import these_are
from headwater.core.names import TableName, folded
from headwater.core.refresh_record import RefreshMode, SuspendedBy
from headwater.core.table_status import Suspension
from headwater.core.warehouse import Warehouse, find_warehouse
from headwater.lake import operations as op
from headwater.lake.site import Site
from headwater.lake.touches import load_touches
from headwater.refresh.dependencies import find_after, refuse_circle, upstreams
from headwater.refresh.find import all_tables, find_dynamic
from headwater.refresh.foreign_write import foreign_write
from headwater.refresh.layout import not_incremental
from headwater.registry import definitions, frontiers, tables
from headwater.registry.definitions import AfterDependency, DynamicTable
from headwater.schedule.graph import downstream_of
from headwater.sql import dynamic_statements as ds
from headwater.sql.properties import BY_NAME, PROPERTIES


def suspend_or_resume(site: Site, statement: ds.SuspendDynamicTable | ds.ResumeDynamicTable) -> str:
    """Suspend a table and its downstream tables; resume it and the tables that its suspension suspended."""
    with site.reader() as reader:
        try:
            table = find_dynamic(reader, statement.name)
        except NotFound:
            if statement.if_exists:
                return "absent"
            raise
        every = {found.id: found for found in all_tables(reader)}
    below = [every[id] for id in sorted(downstream_of(upstreams(every.values()), {table.id}))]
    if isinstance(statement, ds.SuspendDynamicTable):
        now = site.clock.now()
        reason = f"upstream {table.name} is suspended"
        site.database.execute(
            definitions.suspend_stmt(table.id, Suspension(SuspendedBy.PERSON, "suspended by a user", now)),
            *(definitions.suspend_stmt(each.id, Suspension(SuspendedBy.CASCADE, reason, now)) for each in below),
        )
        return "suspended"
    cascaded = [each.id for each in below if each.suspension and each.suspension.by is SuspendedBy.CASCADE]
    site.database.execute(*(definitions.resume_stmt(id) for id in (table.id, *cascaded)))
    return "resumed"


def rename(site: Site, statement: ds.RenameDynamicTable) -> str:
    """Rename the table; its readers continue, because dependencies are stored by id."""
    with site.reader() as reader:
        table, base = find_dynamic(reader, statement.name), reader.latest().id
    name = TableName(table.name.schema, statement.new_name)
    renamed = (op.RenameTableOp(table.id, name),)
    commit(site, Commit(base, renamed, rows=lambda _committed: (definitions.rename_stmt(table.id, name),)))
    return "renamed"


def swap(site: Site, statement: ds.SwapDynamicTable) -> str:
    """Exchange the names of two tables in one commit."""
    with site.reader() as reader:
        one, other = find_dynamic(reader, statement.name), find_dynamic(reader, statement.other)
        base = reader.latest().id
    if one.id == other.id:
        raise InvalidRequest("a table can't be swapped with itself", hint="Name two different tables.")
    between = TableName(one.name.schema, f"__hw_swap_{one.id}")
    operations = (
        op.RenameTableOp(one.id, between),
        op.RenameTableOp(other.id, one.name),
        op.RenameTableOp(one.id, other.name),
    )
    rows = (definitions.rename_stmt(one.id, other.name), definitions.rename_stmt(other.id, one.name))
    commit(site, Commit(base, operations, rows=lambda _committed: rows))
    return "swapped"


def set_properties(
    site: Site, warehouses: Iterable[Warehouse], statement: ds.SetDynamicTable | ds.UnsetDynamicTable
) -> str:
    """Change properties that do not change the rows; `warehouses` are the configured ones."""
    with site.reader() as reader:
        table = find_dynamic(reader, statement.name)
    given = table.statement.properties
    changed: dict[str, Any]
    if isinstance(statement, ds.SetDynamicTable):
        changed = statement.properties.given()
    else:
        changed = {BY_NAME[name].field: None for name in statement.properties}
    for each in PROPERTIES:
        if each.field in changed and not each.settable:
            raise SqlUnsupported(
                f"{each.name} of an existing dynamic table can't be changed",
                hint="Use CREATE OR REPLACE DYNAMIC TABLE.",
            )
    if (warehouse := changed.get("warehouse")) is not None:
        find_warehouse(warehouses, warehouse)
    if changed.get("refresh_mode") is RefreshMode.INCREMENTAL:
        with site.reader() as reader:
            frontier = frontiers.find(reader.connection, table.id)
        if (layout := frontier.layout if frontier else None) and layout.blocked:
            raise not_incremental(table.name, layout.blocked)
    if "after" in changed:
        table = replace(table, after=_after(site, table, statement))
    _redefine(site, table, replace(table.statement, properties=replace(given, **changed)))
    return "altered"


def _after(
    site: Site, table: DynamicTable, statement: ds.SetDynamicTable | ds.UnsetDynamicTable
) -> tuple[AfterDependency, ...]:
    """The tables of the new AFTER."""
    if isinstance(statement, ds.UnsetDynamicTable):
        return ()
    with site.reader() as reader:
        found = find_after(reader, table.name, statement.properties)
        every = all_tables(reader)
    refuse_circle(every, replace(table, after=found), after_at=statement.properties.after_position)
    return found


def rename_column(site: Site, statement: ds.RenameDynamicColumn) -> str:
    """Rename a column in the table and in the definition, which then lists all of its columns."""
    with site.reader() as reader:
        table = find_dynamic(reader, statement.name)
        at = reader.latest().id
        schema = reader.schema(reader.find_table(table.name, at), at)
    column = schema.find(statement.column)
    if column is None:
        raise NotFound(
            f'dynamic table {table.name} has no column "{statement.column}"',
            hint=these_are("column", schema.names),
        )
    if schema.find(statement.new_name) not in (None, column):
        raise InvalidRequest(
            f'dynamic table {table.name} already has a column "{statement.new_name}"', hint="Choose another name."
        )
    comments = {folded(output.name): output.comment for output in table.statement.columns}
    named = tuple(
        ds.NamedOutput(statement.new_name if each == column else each.name, comments.get(folded(each.name)))
        for each in schema
    )
    renamed = op.ChangeColumn(table.id, replace(column, name=statement.new_name))
    _redefine(site, table, replace(table.statement, columns=named), (renamed,))
    return "altered"


def _redefine(
    site: Site, table: DynamicTable, statement: ds.CreateDynamicTable, operations: tuple[op.Operation, ...] = ()
) -> None:
    """A new version of a definition whose rows stay the same; the frontier moves to it."""
    new = replace(table, version=table.version + 1, statement=statement)
    now = site.clock.now()
    keep = (
        sa.update(tables.frontier)
        .where(tables.frontier.c.table_id == table.id, tables.frontier.c.definition_version == table.version)
        .values(definition_version=new.version)
    )
    statements = (*definitions.new_version_stmts(new, now), keep)
    if not operations:
        site.database.execute(*statements)
        return
    with site.reader() as reader:
        base = reader.latest().id
        frontier = frontiers.find(reader.connection, table.id)
        if frontier and foreign_write(reader, table.id, frontier, load_touches(reader, frontier.lake_snapshot, base)):
            raise InvalidRequest(
                f"another client has written to dynamic table {table.name}",
                hint=f"Run REFRESH DYNAMIC TABLE {table.name} first.",
            )

    def rows(committed: Committed) -> Iterable[sa.Executable]:
        yield from statements
        # The change is our own write to the table, not a foreign one.
        yield (
            sa.update(tables.frontier)
            .where(tables.frontier.c.table_id == table.id)
            .values(lake_snapshot=committed.snapshot_id)
        )

    commit(site, Commit(base, operations, unchanged_tables=frozenset({table.id}), rows=rows))
