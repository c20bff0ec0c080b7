"""Python's garbage collector while a command starts and ends.

What a command imports stays until the process ends. Collections in the meantime, and the last one at the end, scan all of it and
find nothing, for a third of the time that `headwater status` takes.
"""

from __future__ import annotations

import atexit
import gc


def pause_collection() -> None:
    """Collect nothing until the command is loaded, and at the end of the process."""
    gc.disable()
    atexit.register(gc.freeze)


def resume_collection() -> None:
    """Collect from now on, but scan nothing of what was imported; without effect unless collection is paused."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
