"""The progress of running refreshes, as events for subscribers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshState
from headwater.refresh.engine import Engine, Staged, Work
from headwater.refresh.refresh_log import RefreshLog


@dataclass(frozen=True, slots=True)
class Progress:
    """A table is being computed: its progress."""

    refresh_id: str
    table: TableName
    action: str
    work: Work = field(default_factory=Work)

    def __str__(self) -> str:
        return "  ".join(
            part for part in (f"{self.table.schema}.{self.table.name}", self.action, _text(self.work)) if part
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """The computation of a table has ended, successfully or not."""

    refresh_id: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What workers do now, for a caller that waits for one of them; empty when the wait is over."""

    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """What this process waits for before it can compute; None when the wait is over."""

    what: str | None = None


ProgressEvent = Progress | Ended | Elsewhere | Waiting
Watch = Callable[[ProgressEvent], None]


class Board:
    """A subscriber that keeps the current progress; events may come from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._here: dict[str, Progress] = {}
        self._elsewhere: tuple[str, ...] = ()
        self._waiting: str | None = None

    def __call__(self, event: ProgressEvent) -> None:
        with self._lock:
            match event:
                case Progress():
                    self._here[event.refresh_id] = event
                case Ended():
                    self._here.pop(event.refresh_id, None)
                case Elsewhere():
                    self._elsewhere = event.lines
                case Waiting():
                    self._waiting = event.what

    @property
    def lines(self) -> tuple[str, ...]:
        """What is waited for, and one line for each running refresh."""
        with self._lock:
            waiting = (self._waiting,) if self._waiting else ()
            return (*waiting, *map(str, self._here.values()), *self._elsewhere)


@contextmanager
def computing(
    engine: Engine, watch: Watch | None, begun: Progress, log: RefreshLog, pool: str | None = None
) -> Iterator[None]:
    """Report the engine's progress while the block runs, and record in the log its state and what the work cost."""

    def tell(work: Work) -> None:
        log.enter(RefreshState.QUEUED if work.queued else RefreshState.RUNNING)
        if watch:
            watch(replace(begun, work=work))

    first_time = log.plan_id is None or engine.is_first(log.plan_id)
    started = time.perf_counter()
    log.enter(RefreshState.RUNNING)
    if watch:
        watch(begun)
    try:
        with engine.track_jobs(begun.refresh_id, tell, pool) as work:
            yield
            done = work()
    finally:
        if watch:
            watch(Ended(begun.refresh_id))
    log.measure(
        compute_seconds=round(time.perf_counter() - started, 3),
        jobs=done.jobs,
        rows_read=done.rows_read,
        bytes_read=done.bytes_read,
        first_time=1 if first_time else None,
    )


def measure_written(log: RefreshLog, staged: Staged) -> None:
    """Record in the log which files were written."""
    log.measure(files_written=len(staged.files), bytes_written=sum(file.bytes for file in staged.files))


def _text(work: Work) -> str:
    if not work.stages:
        return ""
    stage = f"stage {min(work.stages_done + 1, work.stages)}/{work.stages}"
    rows = f", {work.rows_read:,} rows read" if work.rows_read else ""
    return f"{stage}, {work.tasks_done} of {work.tasks} tasks{rows}"
