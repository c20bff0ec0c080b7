"""The snapshot that a commit creates: its id, its counters, and its change list."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from headwater.lake import catalog as c
from headwater.lake.snapshot_changes import Entry, render
from headwater.lake.values import Snapshot

# The order in which the extension lists what a commit did.
_ORDER = (
    "dropped_schema",
    "dropped_table",
    "dropped_view",
    "created_schema",
    "created_table",
    "created_view",
    "inserted_into_table",
    "deleted_from_table",
    "altered_table",
    "altered_view",
    "inlined_insert",
    "inlined_delete",
    "merge_adjacent",
    "rewrite_delete",
    "inline_flush",
)


class NewSnapshot:
    """One snapshot under construction inside one transaction."""

    def __init__(self, connection: sa.Connection, data_path: str, latest: Snapshot, now: datetime) -> None:
        self.connection = connection
        self.data_path = data_path
        self.latest = latest
        self.id = latest.id + 1
        # Snapshot times never decrease, whatever the writers' clocks are.
        self.time = max(now, latest.time)
        self.next_catalog_id = latest.next_catalog_id
        self.next_file_id = latest.next_file_id
        self.schema_version = latest.schema_version
        self._entries: dict[Entry, None] = {}
        self._versioned: set[int] = set()
        self.reshaped: set[int] = set()
        self._claimed: dict[str, object] = {}

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(sorted(self._entries, key=lambda entry: _ORDER.index(entry.kind)))

    def claim(self, files: int) -> None:
        """Insert the snapshot row: the first write of a commit, and the lock that all clients of the lake share.

        With as many file ids taken as there are files to add; `finish` corrects the row where that was not all.
        """
        self._claimed = self._row() | {"next_file_id": self.next_file_id + files}
        self.connection.execute(sa.insert(c.snapshot), self._claimed)

    def take_catalog_id(self) -> int:
        """A fresh id for a schema, table, view, partitioning or sorting."""
        self.next_catalog_id += 1
        return self.next_catalog_id - 1

    def take_file_id(self) -> int:
        """A fresh id for a data file or delete file.

        DuckDB keys its cache of statistics by the next free one, so a commit that changes statistics must take at least one.
        """
        self.next_file_id += 1
        return self.next_file_id - 1

    def note(self, entry: Entry) -> None:
        """Add an entry to the change list of this commit."""
        self._entries[entry] = None

    def change_schema(self, table_id: int | None = None, *, reshaped: bool = True) -> None:
        """Record that names or columns changed, so that clients drop their caches; for one table, a new version of it.

        It is reshaped unless what it stores stays the same, as with a new default.
        """
        self.schema_version = self.latest.schema_version + 1
        if table_id is None:
            return
        if reshaped:
            self.reshaped.add(table_id)
        if table_id not in self._versioned:
            self._versioned.add(table_id)
            self.connection.execute(
                sa.insert(c.schema_versions),
                {"begin_snapshot": self.id, "schema_version": self.schema_version, "table_id": table_id},
            )

    def finish(self, author: str | None, message: str | None, extra: str | None) -> None:
        """Write the counters as they are now, and the list of changes."""
        row = self._row()
        if row != self._claimed:
            self.connection.execute(sa.update(c.snapshot).where(c.snapshot.c.snapshot_id == self.id).values(row))
        self.connection.execute(
            sa.insert(c.snapshot_changes),
            {
                "snapshot_id": self.id,
                "changes_made": render(self.entries),
                "author": author,
                "commit_message": message,
                "commit_extra_info": extra,
            },
        )

    def end(self, versioned: sa.Table, *where: sa.ColumnElement[bool]) -> int:
        """End the life of catalog rows with this snapshot; how many there were."""
        statement = sa.update(versioned).where(c.live(versioned), *where).values(end_snapshot=self.id)
        return self.connection.execute(statement).rowcount

    def _row(self) -> dict[str, object]:
        return {
            "snapshot_id": self.id,
            "snapshot_time": self.time,
            "schema_version": self.schema_version,
            "next_catalog_id": self.next_catalog_id,
            "next_file_id": self.next_file_id,
        }
