"""The worker: a process that keeps a lake's dynamic tables fresh until it is told to stop."""

from __future__ import annotations

import os
import signal
import socket
import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from types import FrameType
from typing import Protocol

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.core.errors import HeadwaterError, InvalidRequest
from headwater.core.version import VERSION
from headwater.lake.site import Site
from headwater.observe.log import Bound, Log
from headwater.refresh.progress import Board
from headwater.refresh.run import Refresher
from headwater.registry import install, workers
from headwater.registry.leases import is_dead
from headwater.registry.workers import Worker
from headwater.store.database import Database, LostRace, OutcomeUnknown
from headwater.worker.jobs import Job, ShortJobs, running_beside
from headwater.worker.passes import PARALLEL, Passes
from headwater.worker.reporting import Outlets, Reporter, reporting
from headwater.worker.tick import Look, look, tick

POLL_SECONDS = 5.0
# A pass that comes due at once waits at least so long, so that an error can't make the loop spin.
BREATH = 0.1
LONGEST_BACKOFF = 60.0
# What the worker does is written down at most once in so many seconds.
BEAT = 1.0
_SILENT = Outlets()


class Stop(Protocol):
    """Who says that it is time to end."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float) -> object: ...


@dataclass(frozen=True, slots=True)
class Duty:
    """How a worker works: how often it looks, whom it tells; `once` is one pass.

    It serves the warehouses `served`, by name; None is the first that it knows, and tables of all of them.
    """

    poll_interval: float = POLL_SECONDS
    outlets: Outlets = _SILENT
    once: bool = False
    served: tuple[str, ...] | None = None


_USUAL = Duty()


def run_worker(refresher: Refresher, log: Log, duty: Duty = _USUAL, jobs: Sequence[Job] = ()) -> None:
    """Refresh what is due, again and again, until a signal comes; the refreshes that run then are finished."""
    install.install(refresher.site.database)
    with _signals() as stop:
        serve(refresher, log, stop, duty, jobs)


def serve(refresher: Refresher, log: Log, stop: Stop, duty: Duty = _USUAL, jobs: Sequence[Job] = ()) -> None:
    """`run_worker` until it is told to stop in whatever way."""
    board = Board()
    site, refresher = refresher.site, refresher.watched_by(board)
    warehouses = duty.served or (refresher.compute.warehouses[0].name,)
    with (
        _registered(site, board, warehouses) as me,
        reporting(site, log, me, duty.outlets, duty.poll_interval) as report,
        running_beside(jobs, site.clock, Bound(log, worker=me.id)),
    ):
        if duty.once:
            _once(refresher, report, stop, duty)
        else:
            _again_and_again(refresher, Bound(log, worker=me.id), report, stop, duty, jobs)


def _once(refresher: Refresher, report: Reporter, stop: Stop, duty: Duty) -> None:
    clock = refresher.site.clock
    began = clock.monotonic()
    try:
        found = tick(refresher, duty.served, report.refreshed, stop.is_set)
    except Exception as error:
        report.failed(error)
        raise
    report.passed(len(found.outcomes), len(found.plan.skipped), clock.monotonic() - began)


def _again_and_again(
    refresher: Refresher, log: Log, report: Reporter, stop: Stop, duty: Duty, jobs: Sequence[Job]
) -> None:
    """Look, begin what is due, look again while that runs: a slow refresh keeps no other table waiting."""
    site, clock = refresher.site, refresher.site.clock
    errors, early = 0, False
    look_at, short_jobs = clock.monotonic(), ShortJobs(jobs, clock.now())
    with clock.crew(PARALLEL) as crew:
        passes = Passes(refresher, crew, report.refreshed, stop.is_set)
        while not stop.is_set():
            if clock.monotonic() >= look_at:
                try:
                    found = _look_and_begin(site, report, passes, duty.served)
                    errors, early = 0, found.early
                    look_at = clock.monotonic() + _pause(found.due.next_at, clock.now(), duty.poll_interval)
                    short_jobs.run_due(log, clock.now(), stop.is_set)
                except Exception as error:  # noqa: BLE001 -- a worker outlives whatever it runs into
                    errors += 1
                    report.failed(error)
                    look_at = clock.monotonic() + min(2.0 ** min(errors - 1, 10), LONGEST_BACKOFF)
            rest = max(0.0, look_at - clock.monotonic())
            ended = _step(passes, report, rest)
            if ended is None:
                stop.wait(rest)
            elif ended and early:
                look_at = min(look_at, clock.monotonic() + BREATH)
        # See what runs to its end; nothing more is begun.
        while _step(passes, report, duty.poll_interval) is not None:
            report.watch()


def _look_and_begin(site: Site, report: Reporter, passes: Passes, served: tuple[str, ...] | None) -> Look:
    began = site.clock.monotonic()
    found = look(site, passes.undone, served)

    def over() -> None:
        report.passed(len(found.planned.graph), len(found.due.skipped), site.clock.monotonic() - began)

    passes.begin(found.planned, over)
    for each in found.joining:
        passes.begin(each)
    report.looked(found.seen)
    return found


def _step(passes: Passes, report: Reporter, seconds: float) -> bool | None:
    """`Passes.step`, where a refresh that raises an error hurts no other."""
    try:
        return passes.step(seconds)
    except Exception as error:  # noqa: BLE001 -- a worker outlives whatever it runs into
        report.failed(error)
        return False


def _pause(next_at: datetime | None, now: datetime, poll_interval: float) -> float:
    """Seconds until it is worth looking again."""
    if next_at is None:
        return poll_interval
    return min(poll_interval, max(BREATH, (next_at - now).total_seconds()))


# Being known


@contextmanager
def _registered(site: Site, board: Board, warehouses: Iterable[str]) -> Iterator[Worker]:
    """A row that says that this worker lives and what it does, renewed from a thread of its own."""
    me = Worker(str(uuid.uuid4()), socket.gethostname(), os.getpid(), VERSION, site.clock.now())
    me = replace(me, warehouses=", ".join(warehouses))
    database = site.database
    database.write(lambda connection: _come(connection, database, me))
    crash_point("worker-registered")
    try:
        with site.clock.beating(BEAT, _Heart(site, me, board).beat):
            yield me
    finally:
        with suppress(HeadwaterError, LostRace, OutcomeUnknown):  # then others see it die in a while
            database.write(lambda connection: connection.execute(workers.left(me.id)))


def _come(connection: sa.Connection, database: Database, me: Worker) -> None:
    kind = database.kind
    connection.execute(workers.buried(kind))
    for other in workers.living(connection, kind):
        if _is_gone(other, me):
            connection.execute(workers.left(other.id))
        elif database.one_worker:
            raise InvalidRequest(
                f"worker {other.host}:{other.pid} serves this lake already",
                detail="A lake on SQLite has one worker.",
                hint="Stop that one first, or move the lake to PostgreSQL for several.",
            )
    connection.execute(workers.came(me, kind))


def _is_gone(other: Worker, me: Worker) -> bool:
    """Whether a worker of this machine died without a word; one that had my number did."""
    return (other.host, other.pid) == (me.host, me.pid) or is_dead(f"{other.host}:{other.pid}")


class _Heart:
    """Says that a worker lives when it is time to, or when there is something new to say."""

    def __init__(self, site: Site, me: Worker, board: Board) -> None:
        self._database = site.database
        self._clock = site.clock
        self._me = me
        self._board = board
        self._said_at = site.clock.now()

    def beat(self) -> None:
        doing = "; ".join(self._board.lines) or None
        now = self._clock.now()
        # A clock that was set back must not keep it quiet.
        if doing == self._me.doing and abs((now - self._said_at).total_seconds()) < workers.SECONDS / 3:
            return
        with suppress(HeadwaterError, LostRace, OutcomeUnknown):
            me = replace(self._me, doing=doing)
            self._database.write(lambda connection: self._live_on(connection, me), queue=False)
            self._me, self._said_at = me, now

    def _live_on(self, connection: sa.Connection, me: Worker) -> None:
        kind = self._database.kind
        if connection.execute(workers.alive(me.id, me.doing, kind)).rowcount == 0:
            connection.execute(workers.came(me, kind))


# Being told to stop


@contextmanager
def _signals() -> Iterator[Stop]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    stop = _Signals()
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Signals:
    """The first signal asks the loop to end, the second ends the process."""

    def __init__(self) -> None:
        self._told = threading.Event()
        self._listen()

    def is_set(self) -> bool:
        return self._told.is_set()

    def wait(self, timeout: float) -> None:
        self._listen()  # Spark may have put its own handlers in place
        self._told.wait(timeout)

    def _listen(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._hear)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if self._told.is_set():
            os._exit(128 + number)
        self._told.set()
