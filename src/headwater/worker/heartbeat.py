"""The worker's heartbeat row: that it runs, and its activity."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.core.errors import HeadwaterError, InvalidRequest
from headwater.core.version import VERSION
from headwater.lake.site import Site
from headwater.refresh.progress import Board
from headwater.registry import workers
from headwater.registry.processes import this_process
from headwater.registry.workers import Worker
from headwater.store.database import Database, LostRace, OutcomeUnknown

# The minimum seconds between two writes of the worker's activity.
BEAT = 1.0


@contextmanager
def registered(site: Site, board: Board, warehouses: Iterable[str]) -> Iterator[Worker]:
    """Register this worker, and renew its heartbeat from a separate thread."""
    process = this_process()
    me = Worker(str(uuid.uuid4()), process.host, process.pid, VERSION, site.clock.now(), warehouses=tuple(warehouses))
    database = site.database
    database.write(lambda connection: _register(connection, database, me))
    crash_point("worker-registered")
    try:
        with site.clock.call_every(BEAT, _Heartbeat(site, me, board).beat):
            yield me
    finally:
        with suppress(HeadwaterError, LostRace, OutcomeUnknown):  # then others see it die in a while
            database.write(lambda connection: connection.execute(workers.unregister_stmt(me.id)))


def _register(connection: sa.Connection, database: Database, me: Worker) -> None:
    kind = database.kind
    connection.execute(workers.delete_expired_stmt(kind))
    for other in workers.living(connection, kind):
        if _is_dead(other, me):
            connection.execute(workers.unregister_stmt(other.id))
        elif database.one_worker:
            raise InvalidRequest(
                f"worker {other.process} already serves this lake",
                detail="A lake on SQLite supports one worker.",
                hint="Stop that worker first, or move the lake to PostgreSQL for several workers.",
            )
    connection.execute(workers.register_stmt(me, kind))


def _is_dead(other: Worker, me: Worker) -> bool:
    """Whether a worker of this machine has died; one with this process's id has."""
    return other.process == me.process or other.process.is_dead()


class _Heartbeat:
    """Writes the heartbeat when it is due or the activity has changed."""

    def __init__(self, site: Site, me: Worker, board: Board) -> None:
        self._database = site.database
        self._clock = site.clock
        self._me = me
        self._board = board
        self._written_at = site.clock.now()

    def beat(self) -> None:
        doing = "; ".join(self._board.lines) or None
        now = self._clock.now()
        # A clock that was set back must not stop the heartbeat.
        if doing == self._me.doing and abs((now - self._written_at).total_seconds()) < workers.HEARTBEAT_TIMEOUT / 3:
            return
        with suppress(HeadwaterError, LostRace, OutcomeUnknown):
            me = replace(self._me, doing=doing)
            self._database.write(lambda connection: self._renew(connection, me), queue=False)
            self._me, self._written_at = me, now

    def _renew(self, connection: sa.Connection, me: Worker) -> None:
        kind = self._database.kind
        if connection.execute(workers.beat_stmt(me.id, me.doing, kind)).rowcount == 0:
            connection.execute(workers.register_stmt(me, kind))
