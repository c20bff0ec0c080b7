"""All versions of a dynamic table, of every epoch, by number: what SHOW lists and RESTORE restores."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from headwater.delta.state_layout import StateLayout
from headwater.registry import frontiers
from headwater.registry import tables as t
from headwater.registry.frontiers import Frontier
from headwater.registry.source_identity import SourceIdentity

_ROWS = (
    sa.select(t.version).where(t.version.c.table_id == t.TABLE_ID).order_by(t.version.c.number, t.version.c.valid_from)
)


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """The contents of a dynamic table from one commit to the next one that changed them.

    `number` is the first lake snapshot with these rows, `visible_to` the last one; None for the current version.
    """

    number: int
    valid_from: int
    data_snapshot: int
    lake_snapshot: int
    created_at: datetime
    definition_version: int
    identity: SourceIdentity
    clock_at: datetime | None = None
    layout: StateLayout | None = None
    visible_to: int | None = None
    restored_from: int | None = None

    @property
    def current(self) -> bool:
        return self.visible_to is None


def load(connection: sa.Connection, table_id: int) -> tuple[StoredVersion, ...]:
    """The versions of a table, oldest first; the last one is the current one. None before the first refresh."""
    frontier = frontiers.find(connection, table_id)
    if frontier is None:
        return ()
    found = {row.number: _stored(row) for row in connection.execute(_ROWS, {"of_table": table_id})}
    found.pop(frontier.version_number, None)
    return (*found.values(), _current(frontier))


def _stored(row: sa.Row[tuple[object, ...]]) -> StoredVersion:
    values = dict(row._mapping)
    layout = values["layout"]
    return StoredVersion(
        number=values["number"],
        valid_from=values["valid_from"],
        # An empty range: another definition replaced the version at the same data snapshot.
        data_snapshot=max(values["valid_from"], values["valid_to"]),
        lake_snapshot=values["lake_snapshot"],
        created_at=values["created_at"],
        definition_version=values["definition_version"],
        identity=SourceIdentity.from_text(values["identity"]),
        clock_at=values["clock_at"],
        layout=None if layout is None else StateLayout.from_text(layout),
        visible_to=values["lake_snapshot"] if values["visible_to"] is None else values["visible_to"],
        restored_from=values["restored_from"],
    )


def _current(frontier: Frontier) -> StoredVersion:
    return StoredVersion(
        number=frontier.version_number,
        valid_from=frontier.valid_from,
        data_snapshot=frontier.snapshot,
        lake_snapshot=frontier.lake_snapshot,
        created_at=frontier.created_at or frontier.refreshed_at,
        definition_version=frontier.definition_version,
        identity=frontier.identity,
        clock_at=frontier.clock_at,
        layout=frontier.layout,
        restored_from=frontier.restored_from,
    )
