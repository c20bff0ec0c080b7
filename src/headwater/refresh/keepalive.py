"""A lease kept alive while its refresh runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from headwater.core.errors import StoreError
from headwater.registry import leases
from headwater.registry.leases import Lease
from headwater.store.database import Database


@contextmanager
def kept_alive(database: Database, lease: Lease) -> Iterator[None]:
    """Extend the lease from a thread of its own; what goes wrong there shows when the commit finds the lease expired."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(leases.SECONDS / 3):
            with suppress(StoreError):
                leases.extend(database, [lease])

    thread = threading.Thread(target=beat, name="headwater-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
