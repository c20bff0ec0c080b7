"""Snapshots that must not be expired, because dynamic tables need them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from headwater.lake.reader import LakeReader
from headwater.lake.touches import load_touches
from headwater.refresh.foreign_write import last_own_snapshot
from headwater.registry import definitions, frontiers, history, install, leases
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier, TableVersion


@dataclass(frozen=True, slots=True)
class Pins:
    """Pinned snapshots, and a snapshot after which all are pinned, because the next refresh reads their change lists."""

    snapshots: frozenset[int] = frozenset()
    since: int | None = None

    def hold(self, snapshot: int) -> bool:
        return snapshot in self.snapshots or (self.since is not None and snapshot >= self.since)


def find_pins(reader: LakeReader, kind: str, now: datetime, retention: timedelta) -> Pins:
    """Pin the data snapshot of each dynamic table and all later ones, the source versions of its rows, and its own version.

    Running refreshes have pins too. Tables that have been suspended or failing for longer than the retention, and tables that
    depend on them, have none; their next refresh is full.
    """
    if not install.is_installed(reader.connection):
        return Pins()
    connection = reader.connection
    present = {table.id for table in reader.tables(reader.latest().id)}
    tables = {table.id: table for table in definitions.load(connection) if table.id in present}
    held = {id: frontier for id, frontier in frontiers.load(connection).items() if id in tables}
    lapsed = _lapsed(tables, held, now - retention)
    holders = leases.holders(connection, kind)
    running = {
        each.table_id: each.data_snapshot
        for each in history.unfinished(connection)
        if each.data_snapshot is not None and each.table_id in holders and each.table_id in tables
    }
    wanted = {id: [held[id].snapshot] for id in held if id not in lapsed}
    for id, at in running.items():
        wanted.setdefault(id, []).append(at)
    single = {held[id].lake_snapshot for id in wanted if id in held}
    for id, snapshots in wanted.items():
        if id in held:
            single.update(held[id].identity.read.values())
        for source in tables[id].sources:
            if source.id in held:
                versions = frontiers.versions(connection, source.id)
                single.update(version.lake_snapshot for version in _covering(versions, snapshots))
    single.update(_foreign(reader, {id: held[id] for id in wanted if id in held}))
    return Pins(frozenset(single), min((at for snapshots in wanted.values() for at in snapshots), default=None))


def _lapsed(tables: dict[int, DynamicTable], held: dict[int, Frontier], before: datetime) -> set[int]:
    """The tables that have no pins any more, including the tables downstream of them."""
    found = {
        table.id
        for table in tables.values()
        if (table.suspension and table.suspension.at < before)
        or (table.failures and table.id in held and held[table.id].refreshed_at < before)
    }
    while True:
        more = {
            table.id
            for table in tables.values()
            if table.id not in found
            and any(source.id in found for source in table.sources)
            and table.id in held
            and held[table.id].refreshed_at < before
        }
        if not more:
            return found
        found |= more


def _covering(versions: tuple[TableVersion, ...], snapshots: list[int]) -> Iterator[TableVersion]:
    for snapshot in snapshots:
        if version := frontiers.covering(versions, snapshot):
            yield version


def _foreign(reader: LakeReader, held: dict[int, Frontier]) -> Iterator[int]:
    """The commits of other clients to dynamic tables, which the next refresh must detect."""
    if not held:
        return
    oldest = min(frontier.lake_snapshot for frontier in held.values())
    touches = load_touches(reader, oldest, reader.latest().id)
    for table_id, frontier in held.items():
        yield from (at for at in touches.by_table.get(table_id, ()) if at > frontier.lake_snapshot)


def record_own_rows(reader: LakeReader, last: int) -> None:
    """Record which versions no other client wrote to, before the commits up to `last` that show it are removed."""
    base = reader.latest().id
    shown = [each for each in frontiers.load(reader.connection).values() if each.own_rows_since < last]
    if not shown:
        return
    touches = load_touches(reader, min(each.own_rows_since for each in shown), base)
    for each in shown:
        if reader.table_by_id(each.table_id, base):
            own = last_own_snapshot(reader, each.table_id, each, touches)
            reader.connection.execute(frontiers.own_rows_stmt(each.table_id, each.lake_snapshot, own))


def longest(reader: LakeReader, usual: timedelta) -> timedelta:
    """The lake's retention: the default, or the longest one of a dynamic table."""
    if not install.is_installed(reader.connection):
        return usual
    asked = (table.statement.properties.data_retention_days for table in definitions.load(reader.connection))
    return max([usual, *(timedelta(days=days) for days in asked if days is not None)])


def expired_versions(connection: sa.Connection, oldest: int) -> int:
    """Delete versions of dynamic tables that are visible at no remaining snapshot; returns their number."""
    return connection.execute(frontiers.delete_unreachable_stmt(oldest)).rowcount
