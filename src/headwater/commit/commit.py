"""The commit protocol: one snapshot, one transaction, three outcomes.

    lock → read the latest snapshot → INSERT the new one (the lock that every DuckLake client shares) → conflict check
         → guarded writes → rows of the catalog → rows of Headwater's tables → COMMIT

After a lost race, the commit is retried with jitter, without writing data files again. After a lost connection during COMMIT,
the outcome is determined: wait for the lock (which the commit in flight holds until it ends), then look for its token.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, assert_never

import sqlalchemy as sa

from headwater.commit.conflicts import conflict
from headwater.core.crash import crash_point
from headwater.core.errors import (
    CommitConflict,
    CommitRejected,
    CommitUnknown,
    HeadwaterError,
    LakeError,
    StoreError,
)
from headwater.core.names import TableName, folded
from headwater.lake import catalog as c
from headwater.lake import inlined, write_compaction, write_schema
from headwater.lake import operations as op
from headwater.lake.find_changes import texts_between
from headwater.lake.new_snapshot import NewSnapshot
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.lake.snapshot_changes import COMPACTIONS, Entry, ObjectKind, parse
from headwater.lake.values import Snapshot, Table
from headwater.store.database import Database, LostRace, OutcomeUnknown

if TYPE_CHECKING:
    from headwater.lake.write_rows import RowWriter

RETRIES = 12


@dataclass(frozen=True, slots=True)
class Guard:
    """A requirement of a commit: a write that must match exactly one row inside the transaction.

    It is a write, because with a read-only check a fenced-off writer could still commit.
    """

    statement: Callable[[int], sa.Executable]
    broken: str
    hint: str = "Try again on the newest snapshot."
    error: type[CommitRejected] = CommitRejected


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit created this snapshot; `tables` has the ids of new tables by name."""

    snapshot_id: int
    tables: dict[TableName, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Commit:
    """The operations of a commit, the snapshot that they are based on, and the requirements.

    `unchanged_tables` are ids of tables that no other commit may have changed since the base. `rows` returns statements for
    Headwater's tables, given the new snapshot and the ids of new tables.
    """

    base: int
    operations: tuple[op.Operation, ...]
    guards: tuple[Guard, ...] = ()
    unchanged_tables: frozenset[int] = frozenset()
    rows: Callable[[Committed], Iterable[sa.Executable]] = lambda _committed: ()
    author: str | None = None
    message: str | None = None
    token: str = field(default_factory=lambda: str(uuid.uuid4()))


def commit(site: Site, wanted: Commit) -> Committed:
    """Commit or raise an error; staged files are removed only if nothing was committed."""
    crash_point("staged")
    try:
        return _with_retries(site, wanted)
    except CommitUnknown:
        raise
    except HeadwaterError:
        remove_staged(
            file.path for change in wanted.operations if isinstance(change, op.WITH_FILES) for file in change.files
        )
        raise


def check(connection: sa.Connection, guard: Guard, snapshot_id: int) -> None:
    """Raise CommitRejected if a requirement does not hold."""
    if connection.execute(guard.statement(snapshot_id)).rowcount != 1:
        raise guard.error(guard.broken, hint=guard.hint)


def settle(database: Database, token: str, base: int) -> int | None:
    """The snapshot with this commit's token, or None if nothing was committed.

    It takes the writers' lock first, and so waits for a commit that is still in flight.
    """
    changes = c.snapshot_changes
    query = sa.select(changes.c.snapshot_id).where(
        changes.c.snapshot_id > base, changes.c.commit_extra_info == _extra(token)
    )
    return database.write(lambda connection: connection.execute(query).scalar_one_or_none())


def _with_retries(site: Site, wanted: Commit) -> Committed:
    for attempt in range(RETRIES):
        tried = _Attempt(site.data_path, wanted, site.clock.now())
        try:
            committed = site.database.write(tried.run)
        except LostRace:
            tried.clean()
            site.clock.sleep(0.01 * 1.5**attempt * random.uniform(0.5, 1.0))
            continue
        except OutcomeUnknown as error:
            return _settled(site.database, wanted, tried, error)
        except HeadwaterError:
            tried.clean()
            raise
        crash_point("landed")
        tried.note(site.database)
        return committed
    raise CommitConflict(
        f"gave up after {RETRIES} conflicts with other commits", hint="Try again, or commit less often."
    )


def _settled(database: Database, wanted: Commit, tried: _Attempt, cause: Exception) -> Committed:
    try:
        snapshot_id = settle(database, wanted.token, wanted.base)
    except (StoreError, LostRace, OutcomeUnknown):
        raise CommitUnknown(
            "the connection was lost during the commit, and the catalog does not answer",
            token=wanted.token,
            detail="The commit may or may not have succeeded; no file has been removed.",
            hint="Look up the commit's token when the catalog is available again.",
        ) from cause
    if snapshot_id is None:
        tried.clean()
        raise CommitRejected(
            "the connection was lost during the commit, and nothing was committed", hint="Run it again."
        ) from cause
    return Committed(snapshot_id, tried.tables)


class _Attempt:
    """One run of the transaction, with the files that it wrote."""

    def __init__(self, data_path: str, wanted: Commit, now: datetime) -> None:
        self._data_path = data_path
        self._wanted = wanted
        self._now = now
        self._rows: RowWriter | None = None
        self._new: NewSnapshot | None = None
        self.tables: dict[TableName, int] = {}

    def run(self, connection: sa.Connection) -> Committed:
        wanted = self._wanted
        reader = LakeReader(connection, self._data_path)
        latest = reader.latest()
        self._new = new = NewSnapshot(connection, self._data_path, latest, self._now)
        new.claim(files=sum(len(o.files) for o in wanted.operations if isinstance(o, op.WITH_FILES)))
        crash_point("snapshot-claimed")
        theirs = self._history(connection, latest)
        self._check_untouched(theirs)
        for guard in wanted.guards:
            check(connection, guard, new.id)
        if theirs:
            self._check_files(connection)
        if any(isinstance(operation, op.StagedChange) for operation in wanted.operations):
            self._rows = _row_writer(new)
        for operation in wanted.operations:
            self._apply(new, reader, operation)
        self._keep_inlined_tables_in_step(new, reader)
        if theirs:
            self._check_conflicts(reader, new, theirs)
        committed = Committed(new.id, self.tables)
        for statement in wanted.rows(committed):
            connection.execute(statement)
        new.finish(wanted.author, wanted.message, _extra(wanted.token))
        crash_point("rows-written")
        return committed

    def note(self, database: Database) -> None:
        """Tell the database's gate of the snapshot, once it is committed."""
        if database.gate is not None and self._new is not None:
            database.gate.note_snapshot(self._new.id, self._new.time)

    def clean(self) -> None:
        """Remove the delete files of a failed attempt."""
        if self._rows is not None:
            remove_staged(self._rows.written)

    def _history(self, connection: sa.Connection, latest: Snapshot) -> list[Entry]:
        """The changes of other commits since the base; raises an error if one of their snapshots has expired."""
        base = self._wanted.base
        if base == latest.id:
            return []
        made = texts_between(connection, base, latest.id)
        if base > latest.id or len(made) != latest.id - base:
            raise CommitConflict(
                f"the snapshot history since {base} is incomplete",
                detail="Snapshots in between have been expired, so conflicts with them can't be checked.",
                hint="Recompute the change on the newest snapshot.",
            )
        return [entry for text in made for entry in parse(text)]

    def _keep_inlined_tables_in_step(self, new: NewSnapshot, reader: LakeReader) -> None:
        for table_id in new.reshaped:
            table = reader.table_by_id(table_id, new.id)
            if table is not None and inlined.is_on(reader.option(table, "data_inlining_row_limit")):
                inlined.create_inlined_table(new.connection, table_id, reader.schema(table, new.id), new.schema_version)

    def _check_conflicts(self, reader: LakeReader, new: NewSnapshot, theirs: list[Entry]) -> None:
        """Check DuckLake's conflict matrix against the changes of this commit."""
        schema_ids = {}
        if any(entry.object_kind is ObjectKind.SCHEMA for entry in (*new.entries, *theirs)):
            schema_ids = {folded(name): id for name, id in reader.schemas(self._wanted.base).items()}
        if reason := conflict(new.entries, theirs, schema_ids):
            raise CommitConflict(
                f"a concurrent commit conflicts with this one: {reason}",
                detail=f"This commit was computed on snapshot {self._wanted.base}; the newest is {new.latest.id}.",
                hint="Recompute the change on the newest snapshot.",
            )

    def _check_untouched(self, theirs: list[Entry]) -> None:
        for entry in theirs:
            if entry.id in self._wanted.unchanged_tables and entry.kind not in COMPACTIONS:
                raise CommitConflict(
                    f"a concurrent commit conflicts with this one: {entry}",
                    hint="Recompute the change on the newest snapshot.",
                )

    def _check_files(self, connection: sa.Connection) -> None:
        """Refuse deletes from a file from which another commit has deleted since the base."""
        base, deletes = self._wanted.base, c.delete_file
        for change in self._wanted.operations:
            if not isinstance(change, op.StagedChange) or not change.deletes:
                continue
            ids = [deleted.data_file_id for deleted in change.deletes]
            younger = sa.or_(deletes.c.begin_snapshot > base, deletes.c.partial_max > base)
            query = sa.select(sa.func.count()).where(deletes.c.data_file_id.in_(ids), c.live(deletes), younger)
            if connection.execute(query).scalar_one():
                raise CommitConflict(
                    "a concurrent commit deleted rows from the same file",
                    hint="Recompute the change on the newest snapshot.",
                )

    def _apply(self, new: NewSnapshot, reader: LakeReader, operation: op.Operation) -> None:
        match operation:
            case op.StagedChange():
                assert self._rows is not None
                self._rows.apply(self._table(reader, new, operation.table), operation)
            case op.MergedFiles() | op.RewrittenFiles():
                write_compaction.apply(new, self._table(reader, new, operation.table), operation)
            case op.CreateTableOp():
                self.tables[operation.name] = write_schema.create_table(new, operation)
            case op.CreateSchemaOp():
                write_schema.create_schema(new, operation)
            case op.DropSchemaOp():
                write_schema.drop_schema(new, operation)
            case op.DropTableOp():
                write_schema.drop_table(new, operation)
            case op.RenameTableOp():
                write_schema.rename_table(new, operation)
            case op.AddColumnOp():
                write_schema.add_column(new, operation)
            case op.DropColumnOp():
                write_schema.drop_column(new, operation)
            case op.ChangeColumn():
                write_schema.change_column(new, operation)
            case op.OrderColumns():
                write_schema.order_columns(new, operation)
            case op.SetPartitioningOp():
                write_schema.set_partitioning(new, operation)
            case op.SetSortingOp():
                write_schema.set_sorting(new, operation)
            case op.SetComment():
                write_schema.set_comment(new, operation)
            case op.CreateViewOp():
                write_schema.create_view(new, operation)
            case op.DropViewOp():
                write_schema.drop_view(new, operation)
            case op.RenameViewOp():
                write_schema.rename_view(new, operation)
            case _:
                assert_never(operation)

    def _table(self, reader: LakeReader, new: NewSnapshot, which: int | TableName) -> Table:
        table_id = self.tables[which] if isinstance(which, TableName) else which
        table = reader.table_by_id(table_id, new.id)
        if table is None:
            raise CommitConflict(f"table {table_id} has been dropped", hint="Repeat the change on the newest snapshot.")
        return table


def _extra(token: str) -> str:
    return json.dumps({"headwater": {"token": token}})


def _row_writer(new: NewSnapshot) -> RowWriter:
    # Imported here because it loads Arrow (0.2 s), which commands that only read or change metadata don't need.
    from headwater.lake.write_rows import RowWriter

    return RowWriter(new)


def remove_staged(paths: Iterable[str]) -> None:
    """Try to remove files that no commit refers to."""
    # Imported here because it loads Arrow.
    from headwater.lake import storage

    for path in paths:
        # Maintenance removes the rest as orphans; the first error matters more.
        with suppress(LakeError):
            storage.delete(path)
