"""Protocols for Spark DataFrames, so that the service imports no Spark types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from headwater.core.schema import SortKey
from headwater.lake.operations import StagedChange
from headwater.lake.values import TableAt, TableChanges, WriteTarget
from headwater.refresh.engine import Query

if TYPE_CHECKING:
    import pyarrow as pa


class Frame(Protocol):
    """A DataFrame of Spark."""

    @property
    def columns(self) -> list[str]: ...

    def collect(self) -> list[Any]: ...

    def __getattr__(self, name: str, /) -> Any: ...


class Frames(Protocol):
    """Reads tables as DataFrames, and stages changes of their rows."""

    def read(self, at: TableAt, rowid: str | None) -> Frame: ...

    def read_changes(self, changes: TableChanges, rowid: str, weight: str) -> Frame: ...

    def select(self, query: Query) -> pa.Table: ...

    def stage_append(
        self, frame: Any, at: TableAt, target: WriteTarget, order: Sequence[SortKey], *, replace: bool
    ) -> StagedChange: ...

    def stage_delete(self, at: TableAt, where: str) -> StagedChange: ...

    def stage_update(
        self, at: TableAt, assignments: Mapping[str, str], where: str, target: WriteTarget, order: Sequence[SortKey]
    ) -> StagedChange: ...
