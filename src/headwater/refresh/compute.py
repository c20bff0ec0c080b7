"""The engine, warehouses and time limit of refreshes."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from headwater.core.cancellation import Cancellation
from headwater.core.warehouse import Warehouse
from headwater.refresh.engine import Engine
from headwater.refresh.progress import ProgressEvent, Watch


@dataclass(frozen=True, slots=True)
class Compute:
    """An engine, started on first use, the warehouses that tables may use, and a subscriber.

    A refresh that takes more seconds than `timeout` is cancelled, as is all work once its caller requests it.
    """

    engine: Callable[[], Engine]
    warehouses: tuple[Warehouse, ...] = (Warehouse(),)
    timeout: float | None = None
    watch: Watch | None = None
    cancellation: Cancellation = field(default_factory=Cancellation)
    is_started: Callable[[], bool] = lambda: True

    def pool(self, warehouse: str) -> str | None:
        """The pool of the engine that the tables of a warehouse share."""
        return next((each.pool for each in self.warehouses if each.name == warehouse), None)

    @contextmanager
    def cancellable(self) -> Iterator[None]:
        """Cancel the engine's jobs of the block if the caller cancels its work."""
        engine, tag = self.engine(), str(uuid.uuid4())
        with self.cancellation.calling(lambda: engine.cancel(tag)), engine.track_jobs(tag, None):
            yield

    def watched_by(self, watch: Watch) -> Compute:
        """The same with one more subscriber."""
        return replace(self, watch=watch if self.watch is None else _Both(self.watch, watch))


@dataclass(frozen=True, slots=True)
class _Both:
    """Passes each event to two subscribers."""

    first: Watch
    second: Watch

    def __call__(self, event: ProgressEvent) -> None:
        self.first(event)
        self.second(event)
