"""A lock file: one holder at a time among all processes and threads of a machine."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from headwater.core.errors import StoreBusy, StoreDenied
from headwater.core.file_faults import fault_of
from headwater.store.catalog_files import catalog_fault


@contextmanager
def lock_file(path: str, timeout: float) -> Iterator[None]:
    """Hold the lock while the block runs; the kernel releases it when the process ends."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        fault = fault_of(error.errno, error.strerror)
        denied = StoreDenied(f'cannot open lock file "{path}"', detail=fault.fact, hint=fault.remedy)
        raise catalog_fault(path.removesuffix(".lock")) or denied from error
    try:
        _acquire(descriptor, path, timeout)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: str, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    pause = 0.001
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise StoreBusy(
                    f'lock file "{path}" was held by another process for {timeout:.0f} s',
                    hint="Find the process that holds the lock, or move the lake to PostgreSQL with copy-catalog.",
                ) from None
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
