"""The database, the data folder and the clock of a lake, which most functions need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from headwater.core.clock import Clock, SystemClock
from headwater.lake.reader import LakeReader
from headwater.store.database import Database


@dataclass(frozen=True, slots=True)
class Site:
    """A lake's catalog database, its data folder, and its clock."""

    database: Database
    data_path: str
    clock: Clock = field(default_factory=SystemClock)

    @contextmanager
    def reader(self) -> Iterator[LakeReader]:
        """A reader of the catalog in one transaction."""
        with self.database.read() as connection:
            yield LakeReader(connection, self.data_path)
