"""Compaction of one table: merge small files, and rewrite files with deleted rows.

The rows of each snapshot and the changes between any two stay the same; rows keep their ids and state columns, and downstream
tables need no refresh. A dynamic table is compacted under its lease, so that no refresh runs meanwhile. For other tables, a
concurrent delete makes the commit of the compaction fail, and the next run tries again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

import sqlalchemy as sa

from headwater.commit.commit import Commit, commit, remove_staged
from headwater.core.errors import CommitConflict, CommitRejected
from headwater.core.schema import Column, SortKey
from headwater.core.skip_reason import SkipReason
from headwater.lake import catalog as c
from headwater.lake import operations as op
from headwater.lake.data_files import partition_values
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.lake.values import FileAt, InlinedRows, Table, TableAt, WrittenFile
from headwater.maintain.choose_files import Candidate, FileGroup, Policy, choose_merges, choose_rewrites
from headwater.maintain.compactor import BY_ROW_ID, DATED, Compactor, RewriteTask
from headwater.refresh.lease_watch import leased, still_held
from headwater.refresh.target import key_order_of, target_order
from headwater.registry import definitions, frontiers, install, leases
from headwater.registry.leases import Lease

# The maximum number of groups of files in one commit.
GROUPS = 16
_LATELY = timedelta(days=1)
_UNBOUNDED = 2**62

# The numbers of a table's files with and without a delete file, and the largest fraction of deleted rows in a file.
_LOOKS = (
    sa.select(
        sa.func.count(c.delete_file.c.delete_file_id).label("worn"),
        (sa.func.count() - sa.func.count(c.delete_file.c.delete_file_id)).label("whole"),
        sa.func.max(c.delete_file.c.delete_count * 1.0 / sa.func.nullif(c.data_file.c.record_count, 0)).label(
            "deleted"
        ),
    )
    .select_from(c.data_file)
    .outerjoin(
        c.delete_file,
        sa.and_(c.delete_file.c.data_file_id == c.data_file.c.data_file_id, c.live(c.delete_file)),
    )
    .where(c.data_file.c.table_id == c.TABLE_ID, c.live(c.data_file))
)


@dataclass(frozen=True, slots=True)
class Compacted:
    """The numbers of files, bytes and rows before and after compaction.

    `skipped_reason` says why the table, or the rest of it, was not compacted.
    """

    files_before: int = 0
    files_after: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    rows: int = 0
    skipped_reason: str | None = None

    def __add__(self, other: Compacted) -> Compacted:
        return Compacted(
            self.files_before + other.files_before,
            self.files_after + other.files_after,
            self.bytes_before + other.bytes_before,
            self.bytes_after + other.bytes_after,
            self.rows + other.rows,
            other.skipped_reason,
        )


@dataclass(frozen=True, slots=True)
class _Group:
    """Files to compact into one; `merged` if none has deletes, so that the new file replaces them in every snapshot."""

    files: tuple[FileAt, ...]
    work: RewriteTask
    kind: FileGroup
    merged: bool

    def operation(self, written: WrittenFile | None) -> op.MergedFiles | op.RewrittenFiles:
        gone = tuple(each.file.id for each in self.files)
        table_id = self.work.at.table.id
        if written is None:
            return op.RewrittenFiles(table_id, gone, ())
        kind = self.kind
        file = replace(written, partition_id=kind.partition_id, partition_values=kind.partition_values)
        if not self.merged:
            return op.RewrittenFiles(table_id, gone, (file,))
        begin = min(each.file.begin for each in self.files)
        last = max(each.file.partial_max or each.file.begin for each in self.files)
        return op.MergedFiles(table_id, gone, file, begin, last)

    def summary(self, written: WrittenFile | None, *, done: bool = True) -> Compacted:
        return Compacted(
            len(self.files),
            int(written is not None or not done),
            sum(each.file.bytes for each in self.files),
            written.bytes if written else 0,
            sum(each.file.records - each.deleted for each in self.files),
        )


@dataclass(frozen=True, slots=True)
class _Look:
    """The groups to compact at a snapshot, among files with ids less than `youngest`."""

    base: int
    youngest: int
    groups: tuple[_Group, ...]


@dataclass(frozen=True, slots=True)
class TableCompactor:
    """Compacts tables of a lake with a compactor that is created on first use."""

    site: Site
    compactor: Callable[[], Compactor]

    def preview(self, table_id: int, policy: Policy) -> Compacted:
        """The first groups that compaction would process; the resulting sizes are unknown."""
        total = Compacted()
        for merged in (False, True):
            for group in self._look(table_id, policy, merged=merged).groups:
                total += group.summary(None, done=False)
        return total

    def compact(self, table_id: int, policy: Policy, stopped: Callable[[], bool] = lambda: False) -> Compacted:
        """Compact until nothing is left, a concurrent commit changes the same files, or `stopped` returns true."""
        if not self._worth_it(table_id, policy):
            return Compacted()
        with self._leased(table_id) as (free, lease):
            if not free:
                return Compacted(skipped_reason=SkipReason.BEING_REFRESHED)
            total = Compacted()
            for merged in (False, True):
                look = self._look(table_id, policy, merged=merged)
                # New files wait for the next run; otherwise compaction might not end.
                youngest = look.youngest
                while look.groups and not stopped():
                    try:
                        total += self._carry_out(look.base, look.groups[:GROUPS], lease)
                    except (CommitConflict, CommitRejected) as overtaken:
                        return total + Compacted(skipped_reason=overtaken.message)
                    look = self._look(table_id, policy, merged=merged, youngest=youngest)
            return total

    @contextmanager
    def _leased(self, table_id: int) -> Iterator[tuple[bool, Lease | None]]:
        """Whether the table can be compacted now, and its lease if it is dynamic."""
        with self.site.database.read() as connection:
            dynamic = install.is_installed(connection) and definitions.find(connection, table_id) is not None
        if not dynamic:
            yield True, None
            return
        lease = leases.take(self.site.database, table_id)
        if lease is None:
            yield False, None
            return
        with leased(self.site, lease):
            yield True, lease

    def _worth_it(self, table_id: int, policy: Policy) -> bool:
        with self.site.reader() as reader:
            return any(_look(reader, table_id, policy, merged=merged).groups for merged in (False, True))

    def _look(self, table_id: int, policy: Policy, *, merged: bool, youngest: int | None = None) -> _Look:
        with self.site.reader() as reader:
            return _look(reader, table_id, policy, merged=merged, youngest=youngest)

    def _carry_out(self, base: int, groups: Iterable[_Group], lease: Lease | None) -> Compacted:
        compactor = self.compactor()
        operations: list[op.MergedFiles | op.RewrittenFiles] = []
        total = Compacted()
        name = None
        try:
            for group in groups:
                name = group.work.at.table.name
                written = compactor.rewrite(group.work)
                operations.append(group.operation(written))
                total += group.summary(written)
        except BaseException:
            remove_staged(file.path for operation in operations for file in operation.files)
            raise
        guards = [still_held(lease, self.site.database.kind)] if lease is not None else []
        wanted = Commit(
            base, tuple(operations), guards=tuple(guards), author="headwater", message=f"compact files of {name}"
        )
        commit(self.site, wanted)
        return total


def _look(reader: LakeReader, table_id: int, policy: Policy, *, merged: bool, youngest: int | None = None) -> _Look:
    latest = reader.latest()
    last = latest.next_file_id if youngest is None else youngest
    table = reader.table_by_id(table_id, latest.id)
    groups = _groups(reader, table, latest.id, policy, last, merged=merged) if table else ()
    return _Look(latest.id, last, tuple(groups))


def _groups(
    reader: LakeReader, table: Table, base: int, policy: Policy, youngest: int, *, merged: bool
) -> Iterator[_Group]:
    if not _promising(reader, table, base, policy, merged=merged):
        return
    at = reader.table_at(table, base)
    writing = reader.write_target(table, base)
    versions = _versions(reader, table)
    places = _partitions(reader, table)
    by_id = {each.file.id: each for each in at.files}
    read_to = _read_to(reader, table)
    candidates = []
    for each in at.files:
        # Files that other clients added by name mapping are not compacted.
        if each.file.mapping_id is not None or each.file.id >= youngest:
            continue
        version = bisect_right(versions, each.file.begin) if merged else 0
        kind = FileGroup(version, *places[each.file.id])
        was_read = read_to is None or (each.file.partial_max or each.file.begin) <= read_to
        candidates.append(Candidate(each.file.id, each.file.bytes, each.file.records, each.deleted, kind, was_read))
    sized = replace(policy, target_bytes=writing.target_bytes)
    chosen = choose_merges(candidates, sized) if merged else choose_rewrites(candidates, sized)
    if not chosen:
        return
    state, order = _layout(reader, at)
    for group in chosen:
        kind = group[0].kind
        current = not merged or kind.version == len(versions)
        files = tuple(by_id[candidate.id] for candidate in group)
        shaped = at if current else reader.table_at(table, base, read_as=versions[kind.version] - 1)
        ids = {each.file.id for each in files}
        read = replace(shaped, files=tuple(e for e in shaped.files if e.file.id in ids), inlined=InlinedRows())
        target = replace(
            writing,
            location=_folder(table, files[0].file.path),
            schema=read.schema,
            extra=(*state, DATED) if merged else state,
            partitioning=None,
            keeps_row_ids=True,
            target_bytes=_UNBOUNDED,
        )
        names = {column.name for column in (*read.schema, *state)}
        known = tuple(key for key in order if key.expression in names)
        yield _Group(files, RewriteTask(read, target, known or BY_ROW_ID), kind, merged)


def _promising(reader: LakeReader, table: Table, base: int, policy: Policy, *, merged: bool) -> bool:
    """A quick check whether there can be a group, which is rare; the choice of files is exact."""
    looks = reader.connection.execute(_LOOKS, {"of_table": table.id}).one()
    if merged:
        return bool(looks.whole >= policy.min_files)
    many = looks.deleted is not None and float(looks.deleted) >= 0.99 * policy.deleted_share
    return many or looks.worn >= policy.min_files or bool(reader.inlined_deletes(table, base, base))


def _layout(reader: LakeReader, at: TableAt) -> tuple[tuple[Column, ...], tuple[SortKey, ...]]:
    """The uncatalogued columns of the table's files, and their sort order."""
    order = target_order(reader, at)
    if not install.is_installed(reader.connection):
        return (), order
    table, frontier = definitions.find(reader.connection, at.table.id), frontiers.find(reader.connection, at.table.id)
    layout = frontier.layout if frontier else None
    if table is None or frontier is None or layout is None:
        return (), order
    return layout.state, order or key_order_of(reader, table, frontier, at)


def _read_to(reader: LakeReader, table: Table) -> int | None:
    """The snapshot up to which all downstream dynamic tables have read the table; None if there are none.

    If a merged file has rows that a downstream table has read and rows that it has not, its refresh must scan the whole file
    for the latter. Also, if rows are rewritten twice between two refreshes, the counts don't show that they are not new.
    Compaction does not wait for tables that are suspended or were not refreshed for a long time.
    """
    if not install.is_installed(reader.connection):
        return None
    held = frontiers.load(reader.connection)
    lately = reader.latest().time - _LATELY
    found = [
        frontier.identity.read.get(table.id, frontier.snapshot)
        for each in definitions.load(reader.connection)
        if (frontier := held.get(each.id)) is not None
        and any(source.id == table.id for source in each.sources)
        and each.suspension is None
        and frontier.refreshed_at > lately
    ]
    return min(found, default=None)


def _versions(reader: LakeReader, table: Table) -> list[int]:
    """The snapshots that changed the table's columns or partitioning."""
    rows = c.schema_versions
    query = sa.select(rows.c.begin_snapshot).where(rows.c.table_id == table.id).order_by(rows.c.begin_snapshot)
    return list(reader.connection.execute(query).scalars())


def _partitions(reader: LakeReader, table: Table) -> dict[int, tuple[int | None, tuple[str | None, ...]]]:
    values = partition_values(reader.connection, table)
    files = c.data_file
    query = sa.select(files.c.data_file_id, files.c.partition_id).where(files.c.table_id == table.id, c.live(files))
    found = reader.connection.execute(query)
    return {row.data_file_id: (row.partition_id, values.get(row.data_file_id, ())) for row in found}


def _folder(table: Table, path: str) -> str:
    """The folder of a partition's files."""
    folder = path[: path.rfind("/") + 1]
    return folder if folder.startswith(table.location) else table.location
