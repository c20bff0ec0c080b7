"""Work that an interrupt of the main thread (Ctrl-C) cancels at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from types import FrameType
from typing import TypeVar

from headwater.core.cancellation import Cancellation

T = TypeVar("T")

# Seconds that cancelled work has to end before the caller continues without it.
GRACE = 1.5


def interruptible(cancellation: Cancellation, work: Callable[[], T]) -> T:
    """The result of the work, which an interrupt cancels.

    Python runs signal handlers in the main thread alone, and only between its own instructions, so the work runs in another
    thread: a call into Spark may take long. Work that does not end in time can no longer commit.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    ended: Future[T] = Future()
    context = copy_context()

    def run() -> None:
        try:
            ended.set_result(context.run(work))
        except BaseException as error:  # noqa: BLE001 - it is raised again in the main thread
            ended.set_exception(error)

    threading.Thread(target=run, name="headwater-work", daemon=True).start()
    with _cancelled_by_interrupt(cancellation):
        try:
            return ended.result()
        except KeyboardInterrupt:
            cancellation.request()
            wait([ended], GRACE)
            raise


@contextmanager
def _cancelled_by_interrupt(cancellation: Cancellation) -> Iterator[None]:
    """Cancel on SIGINT before its handler runs: that of PySpark cancels all jobs, which would look like failures."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield
        return
    handler = before

    def handle(number: int, frame: FrameType | None) -> None:
        cancellation.request()
        handler(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is handle:
            signal.signal(signal.SIGINT, before)
