"""What must be true after every step of a world, and when it has come to rest. Looked at past the network, from outside."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa

from headwater.lake.reader import LakeReader
from headwater.maintain.orphans import find_orphans
from headwater.registry import definitions, frontiers
from headwater.registry import tables as t
from headwater.registry.frontiers import Frontier
from headwater.store.database import Database
from headwater.worker.table_states import load_table_inputs
from tests.simulation.lake import BASES, Bag, expected, rows_of
from tests.simulation.world import BEGINNING, World


class Invariants:
    """Sees every commit that lands, whoever hears of it."""

    def __init__(self, world: World, database: Database, data_path: str, names: list[str]) -> None:
        self._world = world
        self._data_path = data_path
        self._database = database
        self.seen: Counter[str] = Counter()
        self._looked_at = 0.0
        self._newest: object = None
        self._live: set[int] = set()
        self._bases: dict[tuple[str, int], Bag] = {}
        # What is looked at after every commit is read without detours.
        self._file = sqlite3.connect(str(database.url.database), check_same_thread=False, isolation_level=None)

        with self._database.read() as connection:
            names_by_id = {table.id: table.name.name for table in definitions.load(connection)}
            self._names = {id: name for id, name in names_by_id.items() if name in names}
            self._frontiers = frontiers.load(connection)
        self._leases = self._read_leases()

    def check(self) -> None:
        """Called when a transaction has landed."""
        with self._world.inviolable():
            held = self._read_leases()
            self._taken_from_nobody(held)
            self._pinned()
            newest = self._file.execute("SELECT * FROM headwater_frontier").fetchall()
            if newest != self._newest:
                self._newest = newest
                self._moved()
            self._leases = held

    def _moved(self) -> None:
        with self._database.read() as connection:
            after = frontiers.load(connection)
            moved = [id for id in after if _place(after[id]) != _place(self._frontiers.get(id))]
            for id in moved:
                self._allowed(id, self._frontiers.get(id), after[id])
                self._exact(connection, self._names[id], after[id])
            if moved:
                self._once(connection)
            self._frontiers = after

    def deleting(self, path: str) -> None:
        """A file that a snapshot shows must stay."""
        self.seen["files removed"] += 1
        with self._world.inviolable(), self._database.read() as connection:
            name = path.rsplit("/", 1)[-1]
            for files in ("ducklake_data_file", "ducklake_delete_file"):
                query = sa.text(f"SELECT count(*) FROM {files} WHERE path LIKE :name")
                assert not connection.execute(query, {"name": f"%{name}"}).scalar(), f"{path} is removed, and needed"

    def quiet(self) -> bool:
        """Whether every table shows the newest data, and nothing is going on; looked at now and then."""
        if self._world.now < self._looked_at + 10.0:
            return False
        self._looked_at = self._world.now
        busy = (
            "SELECT (SELECT count(*) FROM headwater_refresh WHERE ended_at IS NULL)"
            " + (SELECT count(*) FROM headwater_request WHERE done_at IS NULL)"
        )
        if self._active() or self._file.execute(busy).fetchone() != (0,):
            return False
        with self._database.read() as connection:
            snapshot, observed = load_table_inputs(LakeReader(connection, self._data_path))
        return bool(snapshot and all(each.state.stale_since is None and each.frontier for each in observed))

    def described(self) -> list[str]:
        """How things stand, for who looks at a failure."""
        with self._database.read() as connection:
            snapshot, observed = load_table_inputs(LakeReader(connection, self._data_path))
            rows = connection.execute(sa.select(t.refresh).order_by(t.refresh.c.started_at.desc()).limit(25)).all()
            asked = connection.execute(sa.select(t.request)).all()
        lines = [f"newest snapshot {snapshot}, leases {self._leases}"]
        lines += [f"{each.state} {each.frontier and each.frontier.snapshot}" for each in observed]
        lines += [
            f"{r.started_at} {r.table_name} {r.state} {r.action} {r.reason} {r.error} {r.data_snapshot}" for r in rows
        ]
        return lines + [str(request) for request in asked]

    def at_rest(self) -> None:
        """Nothing lost, nothing doubled, nothing left behind but files that the sweep finds."""
        with self._database.read() as connection:
            reader = LakeReader(connection, self._data_path)
            for id, frontier in frontiers.load(connection).items():
                self._exact(connection, self._names[id], frontier)
            self._once(connection)
            for table in definitions.load(connection):
                assert not table.suspension or table.failures >= 5 or table.suspension.by == "FAILURES"
            for snapshot in reader.snapshots()[-5:]:
                for table in reader.tables(snapshot.id):
                    for entry in reader.table_at(table, snapshot.id).files:
                        assert Path(entry.file.path).exists()
        orphans = find_orphans(self._database, self._data_path, BEGINNING)
        self.seen["orphans"] += len(orphans)

    def _pinned(self) -> None:
        """What a dynamic table goes on from is not expired: its data snapshot, its own version, and those that it read."""
        live = {id for (id,) in self._file.execute("SELECT snapshot_id FROM ducklake_snapshot")}
        removed, self._live = self._live - live, live
        if removed:
            self.seen["expiries"] += 1
            with self._database.read() as connection:
                self._none_needed(connection, removed)

    def _none_needed(self, connection: sa.Connection, removed: set[int]) -> None:
        # Those of tables that fail, and of what reads them, lapse after the retention, which is short here.
        tables = {table.id: table for table in definitions.load(connection)}
        lapsed = {id for id, table in tables.items() if table.failures or table.suspension}
        for id, table in sorted(tables.items()):
            if any(source.id in lapsed for source in table.sources):
                lapsed.add(id)
        for id, frontier in frontiers.load(connection).items():
            if id in lapsed:
                continue
            wanted = {frontier.snapshot, frontier.lake_snapshot, *frontier.identity.read.values()}
            # What went while a table had lapsed stays away after it is well again.
            assert not wanted & removed, f"{self._names[id]} has lost snapshots {wanted & removed}"

    def _taken_from_nobody(self, after: dict[int, tuple[str | None, str | None, float]]) -> None:
        """A lease that is valid goes to another only after its holder gave it back."""
        for id, (token, holder, until) in self._leases.items():
            if token is not None and until > self._now() and id in after:
                assert after[id][0] in (token, None), f"the lease of {holder} is taken by {after[id][1]}"
                mine = holder == self._world.process.name or self._world.was_killed(str(holder))
                assert after[id][0] or mine, f"the lease of {holder} is given back by another"

    def _allowed(self, id: int, old: Frontier | None, new: Frontier) -> None:
        """Only the holder of a lease that is valid moves a frontier, or anybody where nobody holds it; never back."""
        lease = self._leases.get(id)
        me = self._world.process.name
        active = lease is not None and lease[0] is not None and lease[2] > self._now()
        assert not active or lease[1] == me, f"{self._names[id]} is moved by {me}, the lease is {lease}"
        if old is not None:
            assert new.snapshot >= old.snapshot, f"{self._names[id]} goes back"
            wrote = new.lake_snapshot != old.lake_snapshot
            assert active or not wrote, f"{self._names[id]} is written by {me} without a lease: {lease}"
            self.seen["commits" if wrote else "moves without a write"] += 1

    def _exact(self, connection: sa.Connection, name: str, frontier: Frontier) -> None:
        """The table is its query at its data snapshot, as readers see it now."""
        reader = LakeReader(connection, self._data_path)
        bases = {base: self._base(reader, base, frontier.snapshot) for base in BASES}
        shown = rows_of(reader, name, reader.latest().id)
        wanted = expected(name, bases)
        assert shown == wanted, f"{name} at {frontier.snapshot}: too many {shown - wanted}, missing {wanted - shown}"

    def _base(self, reader: LakeReader, name: str, snapshot: int) -> Bag:
        if (name, snapshot) not in self._bases:
            self._bases[name, snapshot] = rows_of(reader, name, snapshot)
        return self._bases[name, snapshot]

    def _once(self, connection: sa.Connection) -> None:
        """One snapshot for each refresh that wrote, and one such refresh for each snapshot."""
        made = connection.execute(sa.text("SELECT snapshot_id, commit_extra_info FROM ducklake_snapshot_changes"))
        tokens = Counter(json.loads(text)["headwater"]["token"] for _, text in made if text)
        assert max(tokens.values(), default=0) <= 1, "a commit landed twice"
        rows = connection.execute(
            sa.select(t.refresh.c.lake_snapshot, t.refresh.c.id).where(
                t.refresh.c.state == "SUCCEED", t.refresh.c.rows_inserted + t.refresh.c.rows_deleted > 0
            )
        ).all()
        snapshots = Counter(row.lake_snapshot for row in rows)
        assert max(snapshots.values(), default=0) <= 1, "two refreshes claim one snapshot"

    def _read_leases(self) -> dict[int, tuple[str | None, str | None, float]]:
        rows = self._file.execute("SELECT table_id, token, holder, expires_at FROM headwater_lease")
        return {id: (token, holder, until) for id, token, holder, until in rows}

    def _active(self) -> bool:
        return any(token is not None and until > self._now() for token, _, until in self._leases.values())

    def _now(self) -> float:
        return BEGINNING.timestamp() + self._world.now


def _place(frontier: Frontier | None) -> Frontier | None:
    """The frontier without what expiry records in it."""
    return frontier and replace(frontier, own_rows_to=None)
