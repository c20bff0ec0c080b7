"""The port through which a refresh computes: `execute` implements it with Spark, tests with fakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from headwater.core.schema import Column, SortKey
from headwater.delta.target_changes import Changes
from headwater.lake.operations import DeletedPositions
from headwater.lake.values import TableAt, TableChanges, WriteTarget, WrittenFile


@dataclass(frozen=True, slots=True)
class Query:
    """Spark SQL, the tables of its named scans, its session settings, and the value of its clock."""

    sql: str
    sources: Mapping[str, TableAt]
    session: Mapping[str, str]
    clock_at: datetime
    # Whether scans offer the ids of rows, in the column internal_columns.ROW_ID.
    row_ids: bool = False
    # The values of parameters by name; those of ? are named 1, 2, …. They are never shown.
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Change:
    """A table's changes, over named scans of tables before and after the changes, and of the changes.

    `names` are the plan's names of the table's columns, `mark` is in each of its rows. The changes may join `reach` source rows.
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
    """Whether a plan is equal to a query, and the columns of each requested plan."""

    same: bool
    columns: tuple[tuple[Column, ...], ...]


@dataclass(frozen=True, slots=True)
class Staged:
    """Changes that turn a table's rows into a query's: files that no snapshot shows yet, and positions of rows to delete."""

    files: tuple[WrittenFile, ...] = ()
    deletes: tuple[DeletedPositions, ...] = ()
    inlined_deletes: tuple[int, ...] = ()
    # Whether an incremental refresh had to recompute the whole table.
    recomputed: bool = False
    # Rows that were computed but not written, because the table already had them.
    unchanged: int = 0
    # Affected keys, summed over the operators that split by a key; None if they were not counted.
    affected_keys: int | None = None

    @property
    def rows_inserted(self) -> int:
        return sum(file.records for file in self.files)

    @property
    def rows_deleted(self) -> int:
        return sum(len(deleted.positions) for deleted in self.deletes) + len(self.inlined_deletes)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a table differs from its query: missing and unexpected rows, with a sample of each."""

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
    """The progress of an engine, in stages, tasks and rows; later stages become known as it proceeds.

    Work is `queued` if it was submitted and no task of it has begun.
    """

    stages_done: int = 0
    stages: int = 0
    tasks_done: int = 0
    tasks: int = 0
    rows_read: int = 0
    bytes_read: int = 0
    jobs: int = 0
    queued: bool = False


class Engine(Protocol):
    """Runs queries."""

    def columns(self, query: Query) -> tuple[Column, ...]:
        """The columns of the query."""

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """Write all rows of the query to new files."""

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """Stage the difference between the table's rows and the query's; equal rows are not written."""

    def change(self, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """Stage the changes of the table."""

    def prove(self, query: Query, plans: Sequence[str]) -> PlanProof:
        """Compare the first of these SQL plans with the query, and return the columns of all."""

    def shape(self, query: Query, plan: str) -> tuple[Column, ...]:
        """The columns of a SQL plan over the query's sources, which may use their row ids."""

    def compare(self, query: Query, at: TableAt, shown: int) -> Comparison:
        """Compare the table with the query, with a sample of at most that many rows."""

    def track_jobs(
        self, tag: str, tell: Callable[[Work], None] | None, pool: str | None = None
    ) -> AbstractContextManager[Callable[[], Work]]:
        """Report the progress of the work that this thread starts under the tag, while the block runs.

        Yields a function that returns the progress; `tell` is None without a subscriber. The work
        of a pool gets a fair share of the engine, beside that of other pools.
        """

    def is_first(self, plan_id: str) -> bool:
        """Whether the engine computes the plan for the first time since it started; true once for each plan."""

    def cancel(self, tag: str) -> None:
        """Cancel the work of a tag; its thread gets an error. Called from another thread, possibly repeatedly."""
