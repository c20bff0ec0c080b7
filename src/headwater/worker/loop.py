"""The worker: a process that refreshes a lake's dynamic tables until it is stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headwater.core.settings import DEFAULTS
from headwater.lake.site import Site
from headwater.observe.log import Bound, Log
from headwater.refresh.progress import Board
from headwater.refresh.run import Refresher
from headwater.registry import install
from headwater.worker.heartbeat import registered
from headwater.worker.jobs import Job, ShortJobs, running_beside
from headwater.worker.look import Look, look
from headwater.worker.passes import PARALLEL, Passes
from headwater.worker.reporting import Reporter, ReportingOptions, reporting
from headwater.worker.signals import Stop, signals
from headwater.worker.tick import tick

# The minimum pause before a pass, so that an error can't make the loop spin.
BREATH = 0.1
LONGEST_BACKOFF = 60.0
_SILENT = ReportingOptions()


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """A worker's options: poll interval and reporting; `once` is one pass.

    It serves the warehouses `served`, by name; None serves the tables of all, on the first.
    """

    poll_interval: float = DEFAULTS.poll_interval
    outlets: ReportingOptions = _SILENT
    once: bool = False
    served: tuple[str, ...] | None = None


_USUAL = WorkerOptions()


def run_worker(refresher: Refresher, log: Log, options: WorkerOptions = _USUAL, jobs: Sequence[Job] = ()) -> None:
    """Refresh what is due until a signal arrives; running refreshes are finished."""
    install.install(refresher.site.database)
    with signals() as stop:
        serve(refresher, log, stop, options, jobs)


def serve(
    refresher: Refresher, log: Log, stop: Stop, options: WorkerOptions = _USUAL, jobs: Sequence[Job] = ()
) -> None:
    """`run_worker`, with any kind of stop request."""
    board = Board()
    site, refresher = refresher.site, refresher.watched_by(board)
    warehouses = options.served or (refresher.compute.warehouses[0].name,)
    with (
        registered(site, board, warehouses) as me,
        reporting(site, log, me, options.outlets, options.poll_interval) as report,
        running_beside(jobs, site.clock, Bound(log, worker=me.id)),
    ):
        if options.once:
            _once(refresher, report, stop, options)
        else:
            _loop(refresher, Bound(log, worker=me.id), report, stop, options, jobs)


def _once(refresher: Refresher, report: Reporter, stop: Stop, options: WorkerOptions) -> None:
    clock = refresher.site.clock
    began = clock.monotonic()
    try:
        found = tick(refresher, options.served, report.refreshed, stop.is_set)
    except Exception as error:
        report.failed(error)
        raise
    report.passed(len(found.outcomes), len(found.plan.skipped), clock.monotonic() - began)


def _loop(
    refresher: Refresher, log: Log, report: Reporter, stop: Stop, options: WorkerOptions, jobs: Sequence[Job]
) -> None:
    """Look, start what is due, and look again while it runs: a slow refresh does not delay other tables."""
    site, clock = refresher.site, refresher.site.clock
    errors, early = 0, False
    look_at, short_jobs = clock.monotonic(), ShortJobs(jobs, clock.now())
    with clock.pool(PARALLEL) as pool:
        passes = Passes(refresher, pool, report.refreshed, stop.is_set)
        while not stop.is_set():
            if clock.monotonic() >= look_at:
                try:
                    found = _look_and_begin(site, report, passes, options.served)
                    errors, early = 0, found.early
                    look_at = clock.monotonic() + _pause(found.due.next_at, clock.now(), options.poll_interval)
                    short_jobs.run_due(log, clock.now(), stop.is_set)
                except Exception as error:  # noqa: BLE001 -- an error must not stop the worker
                    errors += 1
                    report.failed(error)
                    look_at = clock.monotonic() + min(2.0 ** min(errors - 1, 10), LONGEST_BACKOFF)
            rest = max(0.0, look_at - clock.monotonic())
            ended = _step(passes, report, rest)
            if ended is None:
                stop.wait(rest)
            elif ended and early:
                look_at = min(look_at, clock.monotonic() + BREATH)
        # Wait for running refreshes; start nothing more.
        while _step(passes, report, options.poll_interval) is not None:
            report.watch()


def _look_and_begin(site: Site, report: Reporter, passes: Passes, served: tuple[str, ...] | None) -> Look:
    began = site.clock.monotonic()
    found = look(site, passes.pending, served)

    def over() -> None:
        report.passed(len(found.planned.graph), len(found.due.skipped), site.clock.monotonic() - began)

    passes.begin(found.planned, over)
    for each in found.joining:
        passes.begin(each)
    report.looked(found.seen)
    return found


def _step(passes: Passes, report: Reporter, seconds: float) -> bool | None:
    """`Passes.step`, so that an error of one refresh does not affect others."""
    try:
        return passes.step(seconds)
    except Exception as error:  # noqa: BLE001 -- an error must not stop the worker
        report.failed(error)
        return False


def _pause(next_at: datetime | None, now: datetime, poll_interval: float) -> float:
    """Seconds until the next look."""
    if next_at is None:
        return poll_interval
    return min(poll_interval, max(BREATH, (next_at - now).total_seconds()))
