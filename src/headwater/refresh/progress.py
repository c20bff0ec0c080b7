"""How refreshes get on: events for whoever listens while they run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from headwater.core.names import TableName
from headwater.refresh.engine import Engine, Staged, Work


@dataclass(frozen=True, slots=True)
class Progress:
    """A table is being computed, and how far that is."""

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
    """A table is not being computed any more, whatever came of it."""

    refresh_id: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What workers do at this moment, told to a caller who waits for one of them; nothing when the wait is over."""

    lines: tuple[str, ...] = ()


ProgressEvent = Progress | Ended | Elsewhere
Watch = Callable[[ProgressEvent], None]


class Board:
    """A subscriber that remembers what goes on at this moment; events may come from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._here: dict[str, Progress] = {}
        self._elsewhere: tuple[str, ...] = ()

    def __call__(self, event: ProgressEvent) -> None:
        with self._lock:
            match event:
                case Progress():
                    self._here[event.refresh_id] = event
                case Ended():
                    self._here.pop(event.refresh_id, None)
                case Elsewhere():
                    self._elsewhere = event.lines

    @property
    def lines(self) -> tuple[str, ...]:
        """One line for each thing that goes on."""
        with self._lock:
            return (*map(str, self._here.values()), *self._elsewhere)


@contextmanager
def computing(
    engine: Engine, watch: Watch | None, begun: Progress, profile: dict[str, float], pool: str | None = None
) -> Iterator[None]:
    """Around what this thread asks of the engine: tells how far it is, and notes in `profile` what it took."""

    def tell(work: Work) -> None:
        if watch:
            watch(replace(begun, work=work))

    started = time.perf_counter()
    if watch:
        watch(begun)
    try:
        with engine.track_jobs(begun.refresh_id, tell if watch else None, pool) as work:
            yield
            done = work()
    finally:
        if watch:
            watch(Ended(begun.refresh_id))
    profile["compute_seconds"] = round(time.perf_counter() - started, 3)
    profile |= {"jobs": done.jobs, "rows_read": done.rows_read, "bytes_read": done.bytes_read}


def written(staged: Staged) -> dict[str, float]:
    """The files that were written, for a profile."""
    return {"files_written": len(staged.files), "bytes_written": sum(file.bytes for file in staged.files)}


def _text(work: Work) -> str:
    if not work.stages:
        return ""
    stage = f"stage {min(work.stages_done + 1, work.stages)}/{work.stages}"
    rows = f", {work.rows_read:,} rows read" if work.rows_read else ""
    return f"{stage}, {work.tasks_done} of {work.tasks} tasks{rows}"
