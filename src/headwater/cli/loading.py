"""A spinner while a command's modules are imported, without modules that take time to import."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
# Seconds before it appears, and between its frames.
_AFTER, _FRAME = 0.25, 0.1
_ERASE = "\r\x1b[K"


@contextmanager
def shown_loading() -> Iterator[None]:
    """Show that the command is being loaded, if that takes long and stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_spin, args=(ended,), name="headwater-loading", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _spin(ended: threading.Event) -> None:
    if ended.wait(_AFTER):
        return
    frame = 0
    while True:
        sys.stderr.write(f"\r{_FRAMES[frame % len(_FRAMES)]} loading …")
        sys.stderr.flush()
        frame += 1
        if ended.wait(_FRAME):
            break
    sys.stderr.write(_ERASE)
    sys.stderr.flush()
