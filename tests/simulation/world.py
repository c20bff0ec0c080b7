"""A world with time and threads of its own: everything that happens in it follows from its seed.

Actors are threads, of which one runs at a time. It runs until it waits: for the database, the engine, a moment or another
actor. Then the world draws the next one among those that can go on, and moves time on if there is none.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from headwater.core.clock import ThreadPool

# Later than any machine makes the lake that worlds begin with.
BEGINNING = datetime(2050, 1, 1, tzinfo=UTC)


class Killed(BaseException):
    """The process that this thread belongs to is no more."""


@dataclass(eq=False)
class Process:
    """What dies, stops and loses its connections as one; its clock may be wrong."""

    name: str
    skew: float = 0.0
    dead: bool = False
    frozen_until: float = 0.0
    told_to_stop: bool = False


@dataclass(eq=False)
class Actor:
    """A thread of a process, and what it waits for."""

    process: Process
    name: str
    wake_at: float = 0.0
    until: Callable[[], bool] | None = None
    ended: bool = False
    error: BaseException | None = None
    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def can_go(self, now: float) -> bool:
        if self.process.dead:
            return True
        if self.process.frozen_until > now:
            return False
        return self.wake_at <= now or (self.until is not None and self.until())


class World:
    """Time, chance, and whoever acts."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.now = 0.0
        self.told: list[str] = []
        self.violation: AssertionError | None = None
        self._dead: set[str] = set()
        self._actors: list[Actor] = []
        self._back = threading.Semaphore(0)
        self._current: Actor | None = None

    # For the actors

    @property
    def process(self) -> Process:
        """The process that acts at this moment."""
        assert self._current is not None
        return self._current.process

    @property
    def actor(self) -> Actor:
        """The one who acts at this moment."""
        assert self._current is not None
        return self._current

    def wait(self, seconds: float, until: Callable[[], bool] | None = None) -> None:
        """Let others act for so long, or until something is true."""
        me = self._current
        assert me is not None
        if me.process.dead:
            raise Killed
        me.wake_at, me.until = self.now + seconds, until
        self._back.release()
        me.turn.acquire()
        if me.process.dead:
            raise Killed

    def kill(self, process: Process) -> None:
        """End a process as by kill -9; if it is the one that acts, at once."""
        self.tell(f"kill {process.name}")
        process.dead = True
        self._dead.add(process.name)
        if self._current is not None and self._current.process is process:
            raise Killed

    def is_dead(self, name: str) -> bool:
        """Whether the process of this name was killed, as those know who run on the same machine."""
        here, there = (each.partition(".")[0] for each in (self.process.name, name))
        return here == there and name in self._dead

    def was_killed(self, name: str) -> bool:
        return name in self._dead

    def spawn(self, process: Process, name: str, call: Callable[[], object]) -> Actor:
        """A new actor."""
        actor = Actor(process, f"{process.name}/{name}", self.now)

        def run() -> None:
            actor.turn.acquire()
            try:
                if not process.dead:
                    call()
            except Killed:
                pass
            except BaseException as error:  # noqa: BLE001 -- whatever it is, the test wants to know
                actor.error = error
            actor.ended = True
            self._back.release()

        threading.Thread(target=run, name=actor.name, daemon=True).start()
        self._actors.append(actor)
        return actor

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    @contextmanager
    def inviolable(self) -> Iterator[None]:
        """Around checks: what they find ends the world, for whoever acts might take it for an error of its own and go on."""
        try:
            yield
        except AssertionError as found:
            self.violation = found
            raise Killed from found

    def tell(self, what: str) -> None:
        """Note what happens, for who looks at a failure."""
        self.told.append(f"{self.now:9.2f} {self._current.name if self._current else '':28} {what}")

    # For the one who runs it

    def run(self, done: Callable[[], bool], limit: float) -> bool:
        """Let actors act until something is true, or so much time has gone by; whether it is."""
        deadline = self.now + limit
        while not done():
            ready = [actor for actor in self._actors if actor.can_go(self.now)]
            if not ready:
                moments = [max(a.wake_at, a.process.frozen_until) for a in self._actors]
                if not moments or min(moments) > deadline:
                    return False
                self.now = max(self.now, min(moments))
                continue
            self._let_act(self.random.choice(ready))
        return True

    def end(self) -> None:
        """Kill whatever still acts."""
        while self._actors:
            actor = self._actors[0]
            actor.process.dead = True
            self._let_act(actor, heed=False)

    def _let_act(self, actor: Actor, *, heed: bool = True) -> None:
        self._current = actor
        actor.turn.release()
        self._back.acquire()
        self._current = None
        if actor.ended:
            self._actors.remove(actor)
        if not heed:
            return
        if self.violation is not None:
            raise self.violation
        if actor.error is not None:
            raise actor.error


class WorldClock:
    """The clock and the threads of one process."""

    def __init__(self, world: World, process: Process) -> None:
        self._world = world
        self._process = process

    def now(self) -> datetime:
        return BEGINNING + timedelta(seconds=self._world.now + self._process.skew)

    def monotonic(self) -> float:
        return self._world.now

    def sleep(self, seconds: float) -> None:
        self._world.wait(seconds)

    @contextmanager
    def call_every(self, seconds: float, beat: Callable[[], None]) -> Iterator[None]:
        over = False

        def run() -> None:
            while True:
                self._world.wait(seconds, lambda: over)
                if over:
                    return
                beat()

        actor = self._world.spawn(self._process, "beat", run)
        try:
            yield
        finally:
            over = True
            self._world.wait(1e9, lambda: actor.ended)

    @contextmanager
    def pool(self, size: int) -> Iterator[ThreadPool]:
        pool = _Hands(self._world, self._process)
        try:
            yield pool
        finally:
            self._world.wait(1e9, lambda: all(actor.ended for actor in pool.actors))


class _Hands:
    def __init__(self, world: World, process: Process) -> None:
        self._world = world
        self._process = process
        self._ended: deque[tuple[int, Future[Any]]] = deque()
        self.actors: list[Actor] = []

    def start(self, key: int, call: Callable[[], Any]) -> None:
        def run() -> None:
            future: Future[Any] = Future()
            try:
                future.set_result(call())
            except Exception as error:  # noqa: BLE001 -- raised where it is waited for
                future.set_exception(error)
            self._ended.append((key, future))

        self.actors.append(self._world.spawn(self._process, f"hand{key}", run))

    def finished(self, seconds: float | None = None) -> tuple[int, Future[Any]] | None:
        self._world.wait(1e9 if seconds is None else seconds, lambda: bool(self._ended))
        return self._ended.popleft() if self._ended else None


class Told:
    """How a process is told to stop."""

    def __init__(self, world: World, process: Process) -> None:
        self._world = world
        self._process = process

    def is_set(self) -> bool:
        return self._process.told_to_stop

    def wait(self, timeout: float) -> None:
        self._world.wait(timeout, lambda: self._process.told_to_stop)
