"""The worker: a process that keeps a lake's dynamic tables fresh until it is told to stop."""

from __future__ import annotations

import os
import signal
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Protocol

import sqlalchemy as sa

from headwater.core.errors import HeadwaterError, InvalidRequest
from headwater.core.version import VERSION
from headwater.refresh.outcome import RefreshOutcome
from headwater.refresh.progress import Board
from headwater.registry import history, install, workers
from headwater.registry.workers import Worker
from headwater.service.doctor import Check, check_catalog, check_data_path, check_java, check_registry
from headwater.service.retention import HISTORY_DAYS, forget_history
from headwater.service.tick import tick
from headwater.store.database import Database, LostRace, OutcomeUnknown

if TYPE_CHECKING:
    from headwater.service.lake import Lake

POLL_SECONDS = 5.0
SHORTEST_POLL, LONGEST_POLL = 0.1, 3600.0
# A pass that comes due at once waits at least so long, so that an error can't make the loop spin.
BREATH = 0.1
LONGEST_BACKOFF = 60.0
# Old history is looked for once in so many seconds.
FORGET_EVERY = 3600.0
# What the worker does is written down at most once in so many seconds.
BEAT = 1.0


class Log(Protocol):
    """Where the worker says what happens: an event and its facts."""

    def info(self, event: str, **facts: object) -> object: ...

    def warning(self, event: str, **facts: object) -> object: ...

    def error(self, event: str, **facts: object) -> object: ...


def check_worker(place: str, data_path: str | None, poll_interval: float) -> tuple[Lake | None, tuple[Check, ...]]:
    """All that keeps a worker from starting, at once; without any, the lake, opened."""
    catalog, lake = check_catalog(place, data_path)
    checks = [catalog, check_java(), _check_poll(poll_interval)]
    if lake is not None:
        checks += [check_data_path(lake), check_registry(lake)]
    wrong = tuple(check for check in checks if not check.ok)
    if wrong and lake is not None:
        lake.close()
    return (None if wrong else lake), wrong


def run_worker(
    lake: Lake,
    log: Log,
    *,
    poll_interval: float = POLL_SECONDS,
    history_days: float = HISTORY_DAYS,
    once: bool = False,
) -> None:
    """Refresh what is due, again and again, until a signal comes; the pass that runs then is finished."""
    install.install(lake.database)
    stop = threading.Event()
    board = Board()
    with _registered(lake, board) as me, lake.watched(board), _signals(stop):
        log.info("worker started", worker=me.id, lake=lake.database.shown.strip('"'), poll_interval=poll_interval)
        errors = 0
        forget_at = monotonic()
        while not stop.is_set():
            try:
                found = tick(lake, lambda outcome: _say(log, outcome))
                if monotonic() >= forget_at:
                    forget_at = monotonic() + FORGET_EVERY
                    if rows := forget_history(lake, history_days):
                        log.info("history forgotten", rows=rows, older_than_days=history_days)
            except Exception as error:  # a worker outlives whatever one pass runs into
                errors += 1
                _complain(log, error)
                if once:
                    raise
                stop.wait(min(2.0 ** (errors - 1), LONGEST_BACKOFF))
                continue
            errors = 0
            if once:
                break
            _hold_signals(stop)
            stop.wait(_pause(found.next_at, lake.clock.now(), poll_interval))
        log.info("worker stopped", worker=me.id)


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
    database = lake.database
    database.write(lambda connection: _come(connection, database.kind, me))
    over = threading.Event()
    thread = threading.Thread(target=_beat, args=(database, me, board, over), name="headwater-heartbeat", daemon=True)
    thread.start()
    try:
        yield me
    finally:
        over.set()
        thread.join()
        with suppress(HeadwaterError, LostRace, OutcomeUnknown):  # then others see it die in a while
            database.write(lambda connection: connection.execute(workers.left(me.id)))


def _come(connection: sa.Connection, kind: str, me: Worker) -> None:
    connection.execute(workers.buried(kind))
    for other in workers.living(connection, kind):
        if _is_gone(other, me):
            connection.execute(workers.left(other.id))
        elif kind == "sqlite":
            raise InvalidRequest(
                f"worker {other.host}:{other.pid} serves this lake already",
                detail="A lake on SQLite has one worker.",
                hint="Stop that one first, or move the lake to PostgreSQL for several.",
            )
    connection.execute(workers.came(me, kind))


def _is_gone(other: Worker, me: Worker) -> bool:
    """Whether a worker of this machine died without a word; of other machines only silence tells."""
    if other.host != me.host:
        return False
    if other.pid == me.pid:
        return True
    try:
        os.kill(other.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _beat(database: Database, me: Worker, board: Board, over: threading.Event) -> None:
    """Say something when it is time to, or when there is something new to say."""
    said, quiet_since = me.doing, monotonic()
    while not over.wait(BEAT):
        doing = "; ".join(board.lines) or None
        if doing == said and monotonic() - quiet_since < workers.SECONDS / 3:
            continue
        with suppress(HeadwaterError, LostRace, OutcomeUnknown):
            database.write(partial(_live_on, kind=database.kind, me=replace(me, doing=doing)))
            said, quiet_since = doing, monotonic()


def _live_on(connection: sa.Connection, kind: str, me: Worker) -> None:
    if connection.execute(workers.alive(me.id, me.doing, kind)).rowcount == 0:
        connection.execute(workers.came(me, kind))


# Being told to stop


@contextmanager
def _signals(stop: threading.Event) -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    _hold_signals(stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _hold_signals(stop: threading.Event) -> None:
    """The first signal asks the loop to end, the second ends the process; Spark may have put its own in place."""

    def told(number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, told)


# Being heard


def _say(log: Log, outcome: RefreshOutcome) -> None:
    facts = {
        "table": str(outcome.name),
        "state": outcome.state,
        "action": outcome.action and str(outcome.action),
        "rows_inserted": outcome.rows_inserted,
        "rows_deleted": outcome.rows_deleted,
        "data_snapshot": outcome.data_snapshot,
        "seconds": round(outcome.seconds, 3),
        "reason": outcome.reason,
    }
    if outcome.error is not None:
        facts |= {"code": outcome.error.code, "error": outcome.error.message, "detail": outcome.error.detail}
    told = {key: value for key, value in facts.items() if value is not None}
    if outcome.state == history.FAILED:
        log.error("refresh", **told)
    elif outcome.state != history.SUCCEED:
        log.warning("refresh", **told)
    else:
        log.info("refresh", **told)


def _complain(log: Log, error: Exception) -> None:
    if isinstance(error, HeadwaterError):
        log.error("pass failed", code=error.code, error=error.message, detail=error.detail, hint=error.hint)
    else:
        log.error("pass failed", error=f"{type(error).__name__}: {error}", exc_info=error)
