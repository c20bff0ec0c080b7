"""DROP and UNDROP DYNAMIC TABLE."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed
from headwater.core.errors import NotFound, unplaced
from headwater.lake import operations as op
from headwater.lake.names import resolve
from headwater.registry import definitions, install
from headwater.service.create import create
from headwater.service.find import find_dynamic
from headwater.sql import dynamic_statements as ds
from headwater.sql.statements import ObjectName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headwater.service.lake import Lake


def drop(lake: Lake, statement: ds.DropDynamicTable) -> str:
    """Drop the table and its definition in one commit; what reads it fails at its next refresh, and says why."""
    with lake.reader() as reader:
        try:
            table = find_dynamic(reader, statement.name)
        except NotFound:
            if statement.if_exists:
                return "absent"
            raise
        base = reader.latest().id
    now = lake.clock.now()

    def rows(committed: Committed) -> Iterable[sa.Executable]:
        return definitions.dropped(table.id, now, committed.snapshot_id)

    lake.commit(Commit(base, (op.DropTable(table.id),), rows=rows, message=f"drop dynamic table {table.name}"))
    return "dropped"


def undrop(lake: Lake, statement: ds.UndropDynamicTable) -> str:
    """Create the table again from the definition that it had when it was last dropped; its rows are computed anew."""
    with lake.reader() as reader:
        name = resolve(statement.name, reader, reader.latest().id)
        kept = definitions.find_dropped(reader.connection, name) if install.is_installed(reader.connection) else None
    if kept is None:
        raise NotFound(f"no dynamic table {name} has been dropped", hint="Create it.")
    with unplaced():
        create(lake, replace(kept, name=ObjectName(name.name, name.schema), or_replace=False, or_alter=False))
    return "undropped"
