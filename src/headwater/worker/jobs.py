"""Periodic jobs that a worker runs besides its refreshes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from headwater.core.clock import Clock
from headwater.core.errors import HeadwaterError
from headwater.observe.log import Log, error_facts

# Seconds between two checks of a job that runs beside the refreshes.
SHORTEST_PAUSE = 0.1

Stopping = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Job:
    """A periodic job: it runs `every` so many seconds (0 is never), for the first time after `first`.

    A long job runs `beside` the refreshes, in its own thread, and ends soon after a stop request.
    """

    kind: str
    every: float
    run: Callable[[Log, Stopping], None]
    first: float = 0.0
    beside: bool = False


class ShortJobs:
    """The jobs that the worker's loop runs itself, between two looks."""

    def __init__(self, jobs: Iterable[Job], now: datetime) -> None:
        self._due_at = {job: now + timedelta(seconds=job.first) for job in jobs if job.every > 0 and not job.beside}

    def run_due(self, log: Log, now: datetime, stopping: Stopping) -> None:
        """Run the jobs that are due."""
        for job, due_at in self._due_at.items():
            if now >= due_at:
                self._due_at[job] = now + timedelta(seconds=job.every)
                job.run(log, stopping)


@contextmanager
def running_beside(jobs: Iterable[Job], clock: Clock, log: Log) -> Iterator[None]:
    """Run the long jobs while the block runs; stop them at its end."""
    over = False
    with ExitStack() as threads:
        for job in jobs:
            if job.beside and job.every > 0:
                pause = max(min(job.first, job.every), SHORTEST_PAUSE)
                threads.enter_context(clock.call_every(pause, _Repeated(job, clock, log, lambda: over).run_if_due))
        try:
            yield
        finally:
            over = True


class _Repeated:
    """A job and when it is due; an error is logged, and the next run happens as scheduled."""

    def __init__(self, job: Job, clock: Clock, log: Log, stopping: Stopping) -> None:
        self._job = job
        self._clock = clock
        self._log = log
        self._stopping = stopping
        self._due_at = clock.now()

    def run_if_due(self) -> None:
        if self._clock.now() < self._due_at:
            return
        self._due_at = self._clock.now() + timedelta(seconds=self._job.every)
        log, failed = self._log, f"{self._job.kind} failed"
        try:
            self._job.run(log, self._stopping)
        except HeadwaterError as error:
            log.error(failed, **error_facts(error))
        except Exception as error:  # a failed job must not stop the worker
            log.error(failed, error=f"{type(error).__name__}: {error}", exc_info=error)
