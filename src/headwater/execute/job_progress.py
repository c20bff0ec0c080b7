"""The progress of one thread's Spark jobs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkContext

from headwater.execute.session import job_tags
from headwater.execute.translate_errors import engine_errors
from headwater.refresh.engine import Work

# Seconds between two polls, and before the first.
PAUSE = 0.4
# Timeout in seconds for the tasks of a cancelled job.
LONGEST_END = 20.0
_POOL = "spark.scheduler.pool"
_DONE = ("COMPLETE", "FAILED", "SKIPPED")
# The tags of threads that may submit more jobs.
_followed: set[str] = set()


@contextmanager
def followed(
    context: SparkContext, tag: str, tell: Callable[[Work], None] | None, pool: str | None = None
) -> Iterator[Callable[[], Work]]:
    """Tag this thread's jobs and report their progress to `tell` from another thread; yields a function that returns it."""
    with engine_errors():
        jobs = _Jobs(context, tag)
        for each in (tag, *job_tags()):
            context.addJobTag(each)
        context.setLocalProperty(_POOL, pool)  # type: ignore[arg-type]
        _followed.add(tag)
        try:
            with _told(jobs, tell) if tell else nullcontext():
                yield jobs.work
        finally:
            _followed.discard(tag)
            with suppress(Py4JError, OSError):
                for each in (tag, *job_tags()):
                    context.removeJobTag(each)
                context.setLocalProperty(_POOL, None)  # type: ignore[arg-type]


def computed_first(context: SparkContext, name: str) -> bool:
    """Whether this is the first call with this name since Spark's process started, from any process that uses it."""
    assert context._jvm is not None
    known = context._jvm.java.lang.System.getProperties()
    return known.putIfAbsent(f"headwater.computed.{name}", "") is None


def cancel(tag: str) -> None:
    """Cancel the jobs of a tag, also those that its thread has yet to submit; does nothing if Spark does not run."""
    _cancel_jobs(tag)
    if tag in _followed:
        threading.Thread(target=_cancel_until_ended, args=(tag,), name="headwater-cancel-jobs", daemon=True).start()


def _cancel_until_ended(tag: str) -> None:
    while tag in _followed:
        time.sleep(PAUSE)
        _cancel_jobs(tag)


def _cancel_jobs(tag: str) -> None:
    if (context := SparkContext._active_spark_context) is not None:
        with suppress(Py4JError, OSError):
            context.cancelJobsWithTag(tag)


def await_tasks(context: SparkContext) -> None:
    """Wait until no task of this thread's jobs runs, up to a timeout. Tasks of a cancelled job end after the job."""
    with suppress(Py4JError, OSError):
        _tasks_end(context, context.getJobTags(), LONGEST_END)


def cancel_and_wait(tag: str, seconds: float) -> bool:
    """Cancel the jobs of a tag; returns whether their tasks ended in time. Some loops of Spark notice nothing."""
    cancel(tag)
    if (context := SparkContext._active_spark_context) is not None:
        with suppress(Py4JError, OSError):
            return _tasks_end(context, [tag], seconds)
    return True


def _tasks_end(context: SparkContext, tags: Iterable[str], seconds: float) -> bool:
    tracker = context.statusTracker()
    jobs = [job for tag in tags for job in _scala(context).statusTracker().getJobIdsForTag(tag)]
    ids = {id for job in jobs if (found := tracker.getJobInfo(job)) for id in found.stageIds}
    over = time.monotonic() + seconds
    while any(stage.numActiveTasks for id in ids if (stage := tracker.getStageInfo(id))):
        if time.monotonic() >= over:
            return False
        time.sleep(0.1)
    return True


@contextmanager
def _told(jobs: _Jobs, tell: Callable[[Work], None]) -> Iterator[None]:
    over = threading.Event()

    def look() -> None:
        # If the Spark process has ended, the thread that waits for the job gets the error.
        with suppress(Py4JError, OSError):
            while not over.wait(PAUSE):
                tell(jobs.work())

    thread = threading.Thread(target=look, name="headwater-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@dataclass(frozen=True, slots=True)
class _Stage:
    status: str
    tasks: int
    tasks_active: int
    tasks_done: int
    rows_read: int
    bytes_read: int


class _Jobs:
    """The jobs of a tag, from Spark's status store: PySpark's status tracker has neither tags nor rows."""

    def __init__(self, context: SparkContext, tag: str) -> None:
        scala = _scala(context)
        self._tracker, self._store = scala.statusTracker(), scala.statusStore()
        self._tag = tag
        # Spark forgets finished stages after a while.
        self._done: dict[int, _Stage] = {}

    def work(self) -> Work:
        """The current state of the jobs; adaptive execution adds stages as it proceeds."""
        found: dict[int, _Stage] = dict(self._done)
        jobs = sorted(self._tracker.getJobIdsForTag(self._tag))
        for job in jobs:
            found |= self._stages(job)
        stages = [stage for stage in found.values() if stage.status != "SKIPPED"]
        return Work(
            stages_done=sum(stage.status in _DONE for stage in stages),
            stages=len(stages),
            tasks_done=sum(stage.tasks_done for stage in stages),
            tasks=sum(stage.tasks for stage in stages),
            rows_read=sum(stage.rows_read for stage in stages),
            bytes_read=sum(stage.bytes_read for stage in stages),
            jobs=len(jobs),
            queued=bool(stages) and not any(stage.tasks_active or stage.tasks_done for stage in stages),
        )

    def _stages(self, job: int) -> dict[int, _Stage]:
        info = self._tracker.getJobInfo(job)
        ids = sorted(info.get().stageIds()) if info.isDefined() else []
        stages = {id: stage for id in ids if (stage := self._done.get(id) or self._stage(id))}
        self._done |= {id: stage for id, stage in stages.items() if stage.status in _DONE}
        if ids and ids[-1] in stages and stages[ids[-1]].status != "PENDING":
            # The last stage begins when all others have ended; Spark skips those that are still pending.
            stages = {id: stage for id, stage in stages.items() if stage.status != "PENDING"}
        return stages

    def _stage(self, id: int) -> _Stage | None:
        try:
            found = self._store.lastStageAttempt(id)
        except Py4JError:
            return None
        tasks, done = found.numTasks(), found.numCompleteTasks()
        status, active = str(found.status().toString()), found.numActiveTasks()
        return _Stage(status, tasks, active, done, found.inputRecords(), found.inputBytes())


def _scala(context: SparkContext) -> Any:
    assert context._jsc is not None
    return context._jsc.sc()
