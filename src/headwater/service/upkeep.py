"""Maintenance on schedule, beside the passes of a worker."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from headwater.core.errors import HeadwaterError, MaintenanceRunning
from headwater.service.maintain import FAILED, STEPS, Rules, Upkept, maintain

if TYPE_CHECKING:
    from headwater.service.lake import Lake
    from headwater.service.worker import Log

EVERY = 3600.0
# The first run does not wait for the whole interval: a worker may live for less.
FIRST = 60.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How often maintenance runs, in seconds (0 is never), and by which rules. The worker itself forgets old history."""

    every: float = EVERY
    rules: Rules = field(default_factory=Rules)
    first: float = FIRST


@contextmanager
def kept_up(lake: Lake, log: Log, plan: Plan) -> Iterator[None]:
    """Maintain the lake from a thread of its own while the block runs; what runs at its end stops after the next commit."""
    if plan.every <= 0:
        yield
        return
    over = threading.Event()
    thread = threading.Thread(
        target=_again_and_again, args=(lake, log, plan, over), name="headwater-upkeep", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _again_and_again(lake: Lake, log: Log, plan: Plan, over: threading.Event) -> None:
    pause = min(plan.first, plan.every)
    while not over.wait(pause):
        pause = plan.every
        try:
            steps = [step for step in STEPS if step != "history"]
            maintain(lake, only=steps, rules=plan.rules, report=lambda each: _say(log, each), stopped=over.is_set)
        except MaintenanceRunning:
            # Another worker of the lake is at it.
            continue
        except HeadwaterError as error:
            log.error("maintenance failed", code=error.code, error=error.message, detail=error.detail, hint=error.hint)
        except Exception as error:  # the thread outlives whatever one run meets
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
