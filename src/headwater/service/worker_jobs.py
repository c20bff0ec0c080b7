"""A worker with its jobs besides refreshes: maintenance, and deletion of old history."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.core.errors import MaintenanceRunning
from headwater.core.settings import DEFAULTS
from headwater.core.skip_reason import SkipReason
from headwater.lake.clock_check import HINT, clock_problem
from headwater.lake.site import Site
from headwater.maintain.compact import TableCompactor
from headwater.maintain.forget_history import forget_history
from headwater.maintain.step_result import FAILED, StepResult
from headwater.maintain.steps import STEPS, Rules, maintain
from headwater.observe.log import Log
from headwater.refresh.compute import Compute
from headwater.refresh.run import Refresher
from headwater.service.serve_commands import serving_commands
from headwater.service.wiring import bind_driver, table_compactor
from headwater.worker import loop
from headwater.worker.jobs import Job, Stopping
from headwater.worker.loop import WorkerOptions

# Seconds between two deletions of old history.
FORGET_EVERY = 3600.0
# Seconds between two comparisons of the clock.
CHECK_CLOCK_EVERY = 300.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How often a worker maintains the lake, in seconds (0 is never), and by which rules.

    The first run does not wait for the whole interval, because a worker may stop earlier.
    """

    every: float = DEFAULTS.maintenance_interval
    rules: Rules = field(default_factory=Rules)
    first: float = 60.0


def run_worker(
    site: Site, compute: Compute, log: Log, options: WorkerOptions | None = None, plan: Plan | None = None
) -> None:
    """Run refreshes and maintenance until a signal arrives."""
    options = options or WorkerOptions()
    warehouse = bind_driver(compute.warehouses, options.served[0] if options.served else None)
    jobs = worker_jobs(site, table_compactor(site, compute.warehouses), plan or Plan())
    with serving_commands(site, warehouse):
        loop.run_worker(Refresher(site, compute), log, options, jobs)


def worker_jobs(site: Site, compactor: TableCompactor, plan: Plan) -> tuple[Job, ...]:
    """The jobs of a worker besides its refreshes."""

    def forget(log: Log, _stopping: Stopping) -> None:
        if rows := forget_history(site, plan.rules.history_days):
            log.info("history forgotten", rows=rows, older_than_days=plan.rules.history_days)

    def maintain_lake(log: Log, stopping: Stopping) -> None:
        _maintain(compactor, log, plan.rules, stopping)

    def check_clock(log: Log, _stopping: Stopping) -> None:
        if problem := clock_problem(site):
            log.warning("wrong clock", reason=problem, hint=HINT)

    return (
        Job("clock", CHECK_CLOCK_EVERY, check_clock),
        Job("history", FORGET_EVERY, forget),
        Job("maintenance", plan.every, maintain_lake, plan.first, beside=True),
    )


def _maintain(compactor: TableCompactor, log: Log, rules: Rules, stopping: Stopping) -> None:
    steps = [step for step in STEPS if step != "history"]
    try:
        maintain(compactor, only=steps, rules=rules, report=lambda each: _log(log, each), stopped=stopping)
    except MaintenanceRunning:
        # Another worker runs maintenance.
        return


def _log(log: Log, each: StepResult) -> None:
    if each.idle or each.reason is SkipReason.AUTO_COMPACT_OFF:
        return
    facts = {
        "step": each.step,
        "state": each.state,
        "table": str(each.table) if each.table else None,
        "snapshots": each.snapshots,
        "files": each.files,
        "files_after": each.files_after,
        "bytes": each.bytes,
        "seconds": round(each.seconds, 3),
        "reason": each.reason,
    }
    known = {name: value for name, value in facts.items() if value is not None}
    if each.state == FAILED:
        log.error("maintenance", **known)
    else:
        log.info("maintenance", **known)
