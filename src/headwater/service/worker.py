"""The worker: a process that keeps a lake's dynamic tables fresh until it is told to stop."""

from __future__ import annotations

import os
import signal
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import FrameType
from typing import TYPE_CHECKING, Protocol

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.core.errors import HeadwaterError, InvalidRequest
from headwater.core.version import VERSION
from headwater.observe.log import Bound, Log
from headwater.refresh.progress import Board
from headwater.registry import install, workers
from headwater.registry.leases import is_dead
from headwater.registry.workers import Worker
from headwater.service.doctor import Check, check_catalog, check_data_path, check_java, check_registry
from headwater.service.passes import PARALLEL, Passes
from headwater.service.reporting import Outlets, Reporter, check_metrics, reporting
from headwater.service.retention import HISTORY_DAYS, forget_history
from headwater.service.tick import Look, look, tick
from headwater.service.upkeep import Plan, kept_up
from headwater.service.wiring import drive
from headwater.store.database import Database, LostRace, OutcomeUnknown

if TYPE_CHECKING:
    from headwater.service.lake import Lake

POLL_SECONDS = 5.0
SHORTEST_POLL, LONGEST_POLL = 0.1, 3600.0
# A pass that comes due at once waits at least so long, so that an error can't make the loop spin.
BREATH = 0.1
LONGEST_BACKOFF = 60.0
# Old history is looked for that often.
FORGET_EVERY = timedelta(hours=1)
# What the worker does is written down at most once in so many seconds.
BEAT = 1.0
_SILENT = Outlets()


class Stop(Protocol):
    """Who says that it is time to end."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float) -> object: ...


def check_worker(
    place: str, data_path: str | None, poll_interval: float, outlets: Outlets = _SILENT
) -> tuple[Lake | None, tuple[Check, ...]]:
    """All that keeps a worker from starting, at once; without any, the lake, opened."""
    catalog, lake = check_catalog(place, data_path)
    checks = [catalog, check_java(), _check_poll(poll_interval), check_metrics(outlets)]
    if lake is not None:
        checks += [check_data_path(lake), check_registry(lake)]
    wrong = tuple(check for check in checks if not check.ok)
    if wrong and lake is not None:
        lake.close()
    return (None if wrong else lake), wrong


@dataclass(frozen=True, slots=True)
class Duty:
    """How a worker works: how often it looks, how long history is kept, its maintenance, whom it tells; `once` is one pass."""

    poll_interval: float = POLL_SECONDS
    history_days: float = HISTORY_DAYS
    upkeep: Plan = field(default_factory=Plan)
    outlets: Outlets = _SILENT
    once: bool = False


_USUAL = Duty()


def run_worker(lake: Lake, log: Log, duty: Duty = _USUAL) -> None:
    """Refresh what is due, again and again, until a signal comes; the refreshes that run then are finished."""
    install.install(lake.database)
    if lake.served:
        drive(lake, lake.served[0].name)
    with _signals() as stop:
        serve(lake, log, stop, duty)


def serve(lake: Lake, log: Log, stop: Stop, duty: Duty = _USUAL) -> None:
    """`run_worker` until it is told to stop in whatever way."""
    board = Board()
    with (
        _registered(lake, board) as me,
        lake.watched(board),
        reporting(lake, log, me, duty.outlets, duty.poll_interval) as report,
        kept_up(lake, Bound(log, worker=me.id), duty.upkeep),
    ):
        if duty.once:
            _once(lake, report, stop)
        else:
            _again_and_again(lake, Bound(log, worker=me.id), report, stop, duty)


def _once(lake: Lake, report: Reporter, stop: Stop) -> None:
    began = lake.clock.monotonic()
    try:
        found = tick(lake, report.refreshed, stop.is_set)
    except Exception as error:
        report.failed(error)
        raise
    report.passed(len(found.outcomes), len(found.plan.skipped), lake.clock.monotonic() - began)


def _again_and_again(lake: Lake, log: Log, report: Reporter, stop: Stop, duty: Duty) -> None:
    """Look, begin what is due, look again while that runs: a slow refresh keeps no other table waiting."""
    clock = lake.clock
    errors, early = 0, False
    look_at, forget_at = clock.monotonic(), clock.now()
    with clock.crew(PARALLEL) as crew:
        passes = Passes(lake, crew, report.refreshed, stop.is_set)
        while not stop.is_set():
            if clock.monotonic() >= look_at:
                try:
                    found = _look_and_begin(lake, report, passes)
                    errors, early = 0, found.early
                    look_at = clock.monotonic() + _pause(found.due.next_at, clock.now(), duty.poll_interval)
                    if clock.now() >= forget_at:
                        forget_at = clock.now() + FORGET_EVERY
                        if rows := forget_history(lake, duty.history_days):
                            log.info("history forgotten", rows=rows, older_than_days=duty.history_days)
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


def _look_and_begin(lake: Lake, report: Reporter, passes: Passes) -> Look:
    began = lake.clock.monotonic()
    found = look(lake, passes.undone)

    def over() -> None:
        report.passed(len(found.planned.graph), len(found.due.skipped), lake.clock.monotonic() - began)

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


def _check_poll(seconds: float) -> Check:
    ok = SHORTEST_POLL <= seconds <= LONGEST_POLL
    hint = f"Choose {SHORTEST_POLL:g} to {LONGEST_POLL:g} seconds."
    return Check("poll interval", ok, f"{seconds:g} seconds" + ("" if ok else " can't be the poll interval"), hint)


def _pause(next_at: datetime | None, now: datetime, poll_interval: float) -> float:
    """Seconds until it is worth looking again."""
    if next_at is None:
        return poll_interval
    return min(poll_interval, max(BREATH, (next_at - now).total_seconds()))


# Being known


@contextmanager
def _registered(lake: Lake, board: Board) -> Iterator[Worker]:
    """A row that says that this worker lives and what it does, renewed from a thread of its own."""
    me = Worker(str(uuid.uuid4()), socket.gethostname(), os.getpid(), VERSION, lake.clock.now())
    me = replace(me, warehouses=", ".join(each.name for each in lake.served or lake.warehouses[:1]))
    database = lake.database
    database.write(lambda connection: _come(connection, database, me))
    crash_point("worker-registered")
    try:
        with lake.clock.beating(BEAT, _Heart(lake, me, board).beat):
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

    def __init__(self, lake: Lake, me: Worker, board: Board) -> None:
        self._database = lake.database
        self._clock = lake.clock
        self._me = me
        self._board = board
        self._said_at = lake.clock.now()

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
