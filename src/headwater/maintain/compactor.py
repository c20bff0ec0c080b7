"""The interface for rewriting files: `execute` implements it with Spark, tests with fakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from headwater.core.schema import Column, SortKey
from headwater.lake.values import SNAPSHOT_ID, SNAPSHOT_ID_FIELD, STORED_ROW_ID, TableAt, WriteTarget, WrittenFile

DATED = Column(SNAPSHOT_ID, "int64", SNAPSHOT_ID_FIELD)
# Without a sort order, rows keep the order of their ids.
BY_ROW_ID = (SortKey(STORED_ROW_ID),)


@dataclass(frozen=True, slots=True)
class RewriteTask:
    """Files to read, and the target for one file with their visible rows, row ids and uncatalogued columns.

    With DATED among the target's `extra` columns, the file embeds the begin snapshot of each row.
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
        """Write all visible rows of the files into one new file, which is not yet in the catalog; None if there are none."""
