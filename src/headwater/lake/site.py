"""Where a lake is: what every verb of the product needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from headwater.core.clock import Clock, SystemClock
from headwater.lake.reader import LakeReader
from headwater.store.database import Database


@dataclass(frozen=True, slots=True)
class Site:
    """A lake's catalog database, its data folder, and the clock that tells the time there."""

    database: Database
    data_path: str
    clock: Clock = field(default_factory=SystemClock)

    @contextmanager
    def reader(self) -> Iterator[LakeReader]:
        """The catalog as of one moment."""
        with self.database.read() as connection:
            yield LakeReader(connection, self.data_path)
