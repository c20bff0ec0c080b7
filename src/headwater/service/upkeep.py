"""Maintenance on schedule, beside the passes of a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from headwater.core.errors import HeadwaterError, MaintenanceRunning
from headwater.observe.log import Log
from headwater.service.maintain import FAILED, STEPS, Rules, Upkept, maintain

if TYPE_CHECKING:
    from headwater.service.lake import Lake

EVERY = 3600.0
# The first run does not wait for the whole interval: a worker may live for less.
FIRST = 60.0
_BREATH = 0.1


@dataclass(frozen=True, slots=True)
class Plan:
    """How often maintenance runs, in seconds (0 is never), and by which rules. The worker itself forgets old history."""

    every: float = EVERY
    rules: Rules = field(default_factory=Rules)
    first: float = FIRST


@contextmanager
def kept_up(lake: Lake, log: Log, plan: Plan) -> Iterator[None]:
    """Maintain the lake beside what the block does; what runs at its end stops after the next commit."""
    if plan.every <= 0:
        yield
        return
    over = False
    due_at = lake.clock.now()

    def beat() -> None:
        nonlocal due_at
        if lake.clock.now() >= due_at:
            due_at = lake.clock.now() + timedelta(seconds=plan.every)
            _maintain(lake, log, plan, lambda: over)

    with lake.clock.beating(max(min(plan.first, plan.every), _BREATH), beat):
        try:
            yield
        finally:
            over = True


def _maintain(lake: Lake, log: Log, plan: Plan, stopped: Callable[[], bool]) -> None:
    steps = [step for step in STEPS if step != "history"]
    try:
        maintain(lake, only=steps, rules=plan.rules, report=lambda each: _say(log, each), stopped=stopped)
    except MaintenanceRunning:
        # Another worker of the lake is at it.
        return
    except HeadwaterError as error:
        log.error("maintenance failed", code=error.code, error=error.message, detail=error.detail, hint=error.hint)
    except Exception as error:  # the worker outlives whatever one run meets
        log.error("maintenance failed", error=f"{type(error).__name__}: {error}", exc_info=error)


def _say(log: Log, each: Upkept) -> None:
    if each.idle or each.reason == "automatic compaction is off for it":
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
    told = {name: value for name, value in facts.items() if value is not None}
    if each.state == FAILED:
        log.error("maintenance", **told)
    else:
        log.info("maintenance", **told)
