"""The versions of a dynamic table, and where the lake still shows the rows of each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from headwater.core.errors import InvalidRequest, SnapshotMissing
from headwater.core.schema import Schema
from headwater.lake.column_history import ColumnHistory
from headwater.lake.reader import LakeReader
from headwater.lake.touches import load_touches
from headwater.lake.values import Snapshot
from headwater.refresh.foreign_write import last_own_snapshot
from headwater.registry import frontiers, stored_versions
from headwater.registry.definitions import DynamicTable
from headwater.registry.stored_versions import StoredVersion
from headwater.sql.dynamic_statements import RestoreDynamicTable


@dataclass(frozen=True, slots=True)
class ReadableVersion:
    """A version, and the snapshots of the lake that still show it: one to read it at, and the newest one.

    `refused` is why it can't be restored; None if it can.
    """

    stored: StoredVersion
    snapshot: int | None = None
    newest: Snapshot | None = None
    refused: str | None = None


class VersionReader:
    """The versions of one table, oldest first; the last one is the current one."""

    def __init__(self, reader: LakeReader, table: DynamicTable) -> None:
        self._reader = reader
        self._table = table
        self._base = reader.latest().id
        self.stored = stored_versions.load(reader.connection, table.id)
        self._live = reader.snapshots()
        self._columns = ColumnHistory.load(reader.connection, table.id)
        frontier = frontiers.find(reader.connection, table.id)
        # The last snapshot that shows the current version, and not rows of another client.
        self.last_own = self._base
        if frontier:
            touches = load_touches(reader, frontier.own_rows_since, self._base)
            self.last_own = last_own_snapshot(reader, table.id, frontier, touches)

    def all(self) -> tuple[ReadableVersion, ...]:
        """All versions."""
        return tuple(map(self._readable, self.stored))

    def find(self, statement: RestoreDynamicTable, now: datetime) -> ReadableVersion:
        """The version of this number, or the one that readers saw at this snapshot or time."""
        if statement.version is not None:
            return self._readable(self._by_number(statement.version))
        assert statement.timestamp is not None
        moment = datetime.fromisoformat(statement.timestamp)
        return self._readable(self._by_time(moment if moment.tzinfo else moment.replace(tzinfo=UTC), now))

    def _by_number(self, number: int) -> StoredVersion:
        if number > self._base:
            raise self._reader.missing_snapshot(f"snapshot {number} does not exist")
        seen = [each for each in self.stored if each.number <= number]
        if not seen:
            self._reader.snapshot(number)
            raise SnapshotMissing(f"{self._table.name} had no version at snapshot {number}", hint=self._hint)
        found = seen[-1]
        if number not in (found.number, found.lake_snapshot) and number > self._last(found):
            raise InvalidRequest(
                f"{self._table.name} at snapshot {number} is not known to have the rows of a version",
                detail=f"After version {found.number}, another client may have written to the table.",
                hint=self._hint,
            )
        return found

    def _by_time(self, moment: datetime, now: datetime) -> StoredVersion:
        if moment > now:
            raise SnapshotMissing(f"{moment} is in the future", hint="Choose an earlier time.")
        seen = [each for each in self.stored if each.created_at <= moment]
        if not seen:
            oldest = self.stored[0]
            raise SnapshotMissing(
                f"{self._table.name} had no version at {moment}",
                detail=f"Its oldest known version is {oldest.number}, of {oldest.created_at}.",
                hint=self._hint,
            )
        return seen[-1]

    def _readable(self, stored: StoredVersion) -> ReadableVersion:
        shown = self._between(stored.lake_snapshot, self._last(stored))
        # Before lake_snapshot the columns had other names, or were fewer.
        earlier = self._between(stored.number, stored.lake_snapshot - 1)
        if not (shown or earlier):
            return ReadableVersion(stored, refused="its snapshots have been expired")
        at = shown[0] if shown else earlier[-1]
        then, now = (_types(self._columns.schema_at(snapshot)) for snapshot in (at.id, self._base))
        refused = None if then == now else "the table had other columns"
        return ReadableVersion(stored, at.id, (shown or earlier)[-1], refused)

    def _last(self, stored: StoredVersion) -> int:
        return self.last_own if stored.visible_to is None else stored.visible_to

    def _between(self, first: int, last: int) -> Sequence[Snapshot]:
        start, end = (bisect_left(self._live, at, key=lambda each: each.id) for at in (first, last + 1))
        return self._live[start:end]

    @property
    def _hint(self) -> str:
        return f"Run SHOW DYNAMIC TABLE VERSIONS FOR {self._table.name} to list its versions."


def _types(schema: Schema) -> list[tuple[int, str]]:
    """The columns without their names and order."""
    return sorted((column.field_id, column.type_text()) for column in schema)
