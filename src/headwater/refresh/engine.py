"""The port through which a refresh computes: `execute` plays it with Spark, tests may play it with less."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from headwater.core.schema import Column, SortKey
from headwater.delta.target_changes import Changes
from headwater.lake.operations import DeletedPositions
from headwater.lake.values import TableAt, TableChanges, WriteTarget, WrittenFile


@dataclass(frozen=True, slots=True)
class Query:
    """Spark SQL, the tables behind its named scans, and the session settings and the moment that it means something at."""

    sql: str
    sources: Mapping[str, TableAt]
    session: Mapping[str, str]
    clock_at: datetime
    # Whether scans offer the ids of rows, in the column delta.identity.ROW_ID.
    row_ids: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """How a table's rows change, over named scans: tables as they are and were, and what changed in them.

    The plan knows the columns of the table by `names`, and its rows bear `mark`. They may meet `reach` rows of a source.
    """

    changes: Changes
    names: tuple[str, ...]
    mark: int
    sources: Mapping[str, TableAt | TableChanges]
    session: Mapping[str, str]
    clock_at: datetime
    clock_before: datetime | None
    reach: int


@dataclass(frozen=True, slots=True)
class PlanProof:
    """Whether a plan means what a query means, and the columns of each plan that was asked about."""

    same: bool
    columns: tuple[tuple[Column, ...], ...]


@dataclass(frozen=True, slots=True)
class Staged:
    """What turns a table's rows into a query's: files that no snapshot shows yet, and places of rows that must go."""

    files: tuple[WrittenFile, ...] = ()
    deletes: tuple[DeletedPositions, ...] = ()
    inlined_deletes: tuple[int, ...] = ()
    # Whether an incremental refresh had to compute all of the table anew.
    recomputed: bool = False
    # Rows that were computed and found to be as the table has them, so nothing was written.
    unchanged: int = 0
    # Keys that the changes touched, summed over the operators that split by a key; None where nobody counted them.
    affected_keys: int | None = None

    @property
    def rows_inserted(self) -> int:
        return sum(file.records for file in self.files)

    @property
    def rows_deleted(self) -> int:
        return sum(len(deleted.positions) for deleted in self.deletes) + len(self.inlined_deletes)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a table differs from its query: rows that it lacks, rows that it has too many, with some of them to show."""

    columns: tuple[str, ...]
    missing: int
    unexpected: int
    missing_rows: tuple[tuple[Any, ...], ...] = ()
    unexpected_rows: tuple[tuple[Any, ...], ...] = ()

    @property
    def equal(self) -> bool:
        return not (self.missing or self.unexpected)


@dataclass(frozen=True, slots=True)
class Work:
    """How much of what it knows that it has to do an engine has done; large work becomes known step by step."""

    stages_done: int = 0
    stages: int = 0
    tasks_done: int = 0
    tasks: int = 0
    rows_read: int = 0
    bytes_read: int = 0
    jobs: int = 0


class Engine(Protocol):
    """What runs queries."""

    def columns(self, query: Query) -> tuple[Column, ...]:
        """The columns that the query gives."""

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """All rows of the query as new files."""

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """The least change that turns the table's rows into the query's; rows that stay are not written."""

    def change(self, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """What the changes do to the table."""

    def prove(self, query: Query, plans: Sequence[str]) -> PlanProof:
        """What there is to know of plans in SQL, the first of which is to mean the same as the query."""

    def shape(self, query: Query, plan: str) -> tuple[Column, ...]:
        """The columns of a plan in SQL over the query's sources, which may ask for the ids of their rows."""

    def compare(self, query: Query, at: TableAt, shown: int) -> Comparison:
        """How the table differs from the query, with up to so many rows to show."""

    def track_jobs(
        self, tag: str, tell: Callable[[Work], None] | None, pool: str | None = None
    ) -> AbstractContextManager[Callable[[], Work]]:
        """While it is open, tell how far the work is that this thread asks for, known to the engine by the tag.

        It gives a function that says how much that is; `tell` may be None if nobody listens. The work
        of a pool gets a fair share of the engine, beside that of other pools.
        """

    def cancel(self, tag: str) -> None:
        """End the work of a tag: whoever waits for it gets an error. Called from another thread, and maybe again."""
