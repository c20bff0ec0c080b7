"""The port for rewriting files: `execute` implements it with Spark, tests with fakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from headwater.core.schema import Column, SortKey
from headwater.lake.values import ROW_ID, SNAPSHOT_ID, SNAPSHOT_ID_FIELD, TableAt, WriteTarget, WrittenFile

DATED = Column(SNAPSHOT_ID, "int64", SNAPSHOT_ID_FIELD)
# Rows without another order keep the one in which they came.
BY_ROW_ID = (SortKey(ROW_ID),)


@dataclass(frozen=True, slots=True)
class RewriteTask:
    """Files to read, and how their visible rows are written into one, with their ids and uncatalogued columns.

    With DATED among the target's `extra` columns, each row says which snapshot it came with.
    """

    at: TableAt
    target: WriteTarget
    order: tuple[SortKey, ...] = BY_ROW_ID

    @property
    def dated(self) -> bool:
        return DATED in self.target.extra

    @property
    def state(self) -> tuple[Column, ...]:
        return tuple(column for column in self.target.extra if column != DATED)


class Compactor(Protocol):
    """Rewrites files."""

    def rewrite(self, work: RewriteTask) -> WrittenFile | None:
        """Write all visible rows of the files to one new file, which no snapshot shows yet; None if there are none."""
