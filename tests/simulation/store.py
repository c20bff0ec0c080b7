"""The catalog's database as a process sees it over a network that fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event

from headwater.core.errors import StoreUnreachable
from headwater.store import sqlite
from headwater.store.database import LOCK_TIMEOUT, Database, LostRace, OutcomeUnknown, writes
from tests.simulation.world import BEGINNING, Killed, Process, World

T = TypeVar("T")
_EPOCH_DAY = 2440587.5


@dataclass
class Faults:
    """How often what goes wrong, per step; none after the world has been healed."""

    kill: float = 0.0
    crash: float = 0.0
    cut: float = 0.0
    lost_race: float = 0.0
    unknown: float = 0.0
    freeze: float = 0.0
    engine: float = 0.0
    disk: float = 0.0

    def maybe_freeze(self, world: World, times: float = 1.0) -> None:
        """Stop the process that acts for a while, as by SIGSTOP."""
        if world.chance(self.freeze * times):
            process = world.process
            process.frozen_until = world.now + world.random.uniform(1.0, 150.0)
            world.tell(f"frozen until {process.frozen_until:.0f}")
            world.wait(0.0)


class _Broken(Exception):
    """The connection broke before the transaction was committed."""


class File:
    """The catalog's file, opened once for many worlds: statements that were compiled for one serve the next."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = Database(sa.URL.create("sqlite", database=str(path)))
        self.database._engine = sqlite.engine(self.database.url, LOCK_TIMEOUT, writes, _connect)
        self.world = World(0)

        @event.listens_for(self.database._engine, "connect")
        def keep_time(connection: Any, _record: Any) -> None:
            connection.execute("PRAGMA synchronous = OFF")
            connection.create_function("julianday", 1, self._julian_day)

    def begin(self, world: World) -> None:
        """Another file has taken its place."""
        self.world = world
        self.database.close()

    def _julian_day(self, _now: str) -> float:
        return _EPOCH_DAY + (BEGINNING.timestamp() + self.world.now) / 86400.0


def _connect(path: str, timeout: float) -> sqlite3.Connection:
    """In this process, since SQL calls its clock."""
    return sqlite3.connect(path, timeout, isolation_level=None, check_same_thread=False)


class SimulatedDatabase(Database):
    """Real SQL on a real SQLite file; when a process gets to it, and what it hears of it, is up to the world.

    Transactions do not overlap, as Headwater's writers on PostgreSQL do not, and it serves any number of workers.
    """

    def __init__(self, world: World, process: Process, faults: Faults, file: File, landed: Callable[[], None]) -> None:
        vars(self).update(vars(file.database))
        self._world = world
        self._process = process
        self._faults = faults
        self._landed = landed
        self._cut_until = -1.0

    @property
    def one_worker(self) -> bool:
        return False

    def exclusive(self) -> AbstractContextManager[None]:
        return nullcontext()

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        self._get_there()
        with super().read() as connection:
            yield connection

    def write(self, work: Callable[[sa.Connection], T], *, queue: bool = True) -> T:
        self._get_there()
        world, faults = self._world, self._faults
        if world.chance(faults.lost_race):
            world.tell("lost race")
            raise LostRace
        broken = world.chance(faults.unknown)
        lost = broken and world.chance(0.5)

        def sent(connection: sa.Connection) -> T:
            result = work(connection)
            if lost:
                raise _Broken
            return result

        try:
            result = super().write(sent, queue=queue)
        except _Broken:
            world.tell("broke before commit")
            self._cut()
            raise OutcomeUnknown from None
        self._landed()
        if broken:
            world.tell("broke after commit")
            self._cut()
            raise OutcomeUnknown
        world.wait(world.random.uniform(0.0, 0.01))
        return result

    def _get_there(self) -> None:
        world, faults = self._world, self._faults
        if self._process.dead:
            raise Killed
        world.wait(world.random.uniform(0.0, 0.05))
        if world.chance(faults.kill):
            world.kill(self._process)
        self._faults.maybe_freeze(world)
        if world.chance(faults.cut):
            self._cut()
        if world.now < self._cut_until:
            raise StoreUnreachable("no connection to the catalog")

    def _cut(self) -> None:
        self._cut_until = self._world.now + self._world.random.choice((0.0, 0.5, 5.0, 30.0, 90.0))
        self._world.tell(f"cut off until {self._cut_until:.0f}")
