"""DROP DYNAMIC TABLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, commit
from headwater.core.errors import NotFound
from headwater.lake import operations as op
from headwater.lake.site import Site
from headwater.refresh.find import find_dynamic
from headwater.registry import definitions
from headwater.sql import dynamic_statements as ds

if TYPE_CHECKING:
    from collections.abc import Iterable


def drop(site: Site, statement: ds.DropDynamicTable) -> str:
    """Drop the table and its definition in one commit; the next refresh of its readers fails with the reason."""
    with site.reader() as reader:
        try:
            table = find_dynamic(reader, statement.name)
        except NotFound:
            if statement.if_exists:
                return "absent"
            raise
        base = reader.latest().id
    now = site.clock.now()

    def rows(committed: Committed) -> Iterable[sa.Executable]:
        return definitions.drop_stmts(table.id, now, committed.snapshot_id)

    commit(site, Commit(base, (op.DropTableOp(table.id),), rows=rows, message=f"drop dynamic table {table.name}"))
    return "dropped"
