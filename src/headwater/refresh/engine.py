"""The port through which a refresh computes: `execute` plays it with Spark, tests may play it with less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from headwater.core.schema import Column, SortKey
from headwater.lake.operations import DeletedPositions
from headwater.lake.values import TableAt, WriteTarget, WrittenFile


@dataclass(frozen=True, slots=True)
class Query:
    """Spark SQL, the tables behind its named scans, and the session settings that it means something in."""

    sql: str
    sources: Mapping[str, TableAt]
    session: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Staged:
    """What turns a table's rows into a query's: files that no snapshot shows yet, and places of rows that must go."""

    files: tuple[WrittenFile, ...] = ()
    deletes: tuple[DeletedPositions, ...] = ()
    inlined_deletes: tuple[int, ...] = ()

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


class Engine(Protocol):
    """What runs queries."""

    def columns(self, query: Query) -> tuple[Column, ...]:
        """The columns that the query gives."""

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """All rows of the query as new files."""

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        """The least change that turns the table's rows into the query's; rows that stay are not written."""

    def compare(self, query: Query, at: TableAt, shown: int) -> Comparison:
        """How the table differs from the query, with up to so many rows to show."""
