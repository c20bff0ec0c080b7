"""Crash points: named places before and after durable steps, at which tests kill the process. HEADWATER_CRASH_AT enables one."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

# The crash points of a worker, in order.
POINTS = (
    "worker-registered",
    "request-asked",
    "idle-advanced",
    "idle-recorded",
    "abandoned-leases-freed",
    "lease-wanted",
    "lease-taken",
    "announced",
    "state-entered",
    "staged",
    "snapshot-claimed",
    "delete-file-written",
    "rows-written",
    "landed",
    "frontier-written",
    "frontier-moved",
    "failure-recorded",
    "failure-counted",
    "lease-returned",
)
# The crash points of maintenance, in addition to those of a commit.
UPKEEP = ("snapshots-expired", "expired", "files-deleted", "cleaned-up")


def _die_if_asked(name: str) -> None:
    if os.environ.get("HEADWATER_CRASH_AT") == name:
        os.kill(os.getpid(), signal.SIGKILL)


# Called at every crash point; simulations set it.
_told: Callable[[str], None] = _die_if_asked


def crash_point(name: str) -> None:
    """Kill the process here, as by kill -9, if the environment variable names this point."""
    _told(name)


def tell(listener: Callable[[str], None] | None) -> None:
    """Set the function that is called at each crash point, or None."""
    global _told
    _told = listener or _die_if_asked
