"""Named places at which a test kills the process, off unless HEADWATER_CRASH_AT names one."""

from __future__ import annotations

import os
import signal


def crash_point(name: str) -> None:
    """Die here at once, as by kill -9, if the environment asks for it."""
    if os.environ.get("HEADWATER_CRASH_AT") == name:
        os.kill(os.getpid(), signal.SIGKILL)
