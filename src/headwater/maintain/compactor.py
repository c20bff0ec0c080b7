"""The port through which files are written anew: `execute` plays it with Spark, tests play it with less."""

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
    """What writes files anew."""

    def rewrite(self, work: RewriteTask) -> WrittenFile | None:
        """All visible rows of the files in one new file that no snapshot shows yet; None if there are none."""
