"""The snapshot that a commit creates: its id, its counters, and its change list."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from headwater.lake import catalog as c
from headwater.lake.snapshot_changes import Entry, render
from headwater.lake.values import Snapshot

# The order of the kinds of changes in the extension's change lists.
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
    """The snapshot that the current transaction creates."""

    def __init__(self, connection: sa.Connection, data_path: str, latest: Snapshot, now: datetime) -> None:
        self.connection = connection
        self.data_path = data_path
        self.latest = latest
        self.id = latest.id + 1
        # Snapshot times never decrease, even if the writers' clocks differ.
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
        """Insert the snapshot row. It is the first write of a commit, and the lock between all clients of the lake.

        The row reserves `files` file ids; `finish` updates it if the commit used more.
        """
        self._claimed = self._row() | {"next_file_id": self.next_file_id + files}
        self.connection.execute(sa.insert(c.snapshot), self._claimed)

    def take_catalog_id(self) -> int:
        """A new id for a schema, table, view, partitioning or sorting."""
        self.next_catalog_id += 1
        return self.next_catalog_id - 1

    def take_file_id(self) -> int:
        """A new id for a data file or delete file.

        DuckDB caches statistics by the next file id, so a commit that changes statistics must take at least one.
        """
        self.next_file_id += 1
        return self.next_file_id - 1

    def note(self, entry: Entry) -> None:
        """Add an entry to the change list of this commit."""
        self._entries[entry] = None

    def change_schema(self, table_id: int | None = None, *, reshaped: bool = True) -> None:
        """Record a new schema version, so that clients drop their caches; with `table_id`, also one of that table.

        `reshaped` is false if stored rows have the same columns as before, for example after a new default.
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
        """Write the counters and the change list."""
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
        """Set end_snapshot of catalog rows to this snapshot, and return the number of rows."""
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
