"""An engine without Spark that fails at tables of some names."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.core.errors import EngineError
from headwater.core.schema import SortKey
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.engine import Change, Query, Staged
from tests.simulation.lake import Quick


class FailingEngine(Quick):
    """Fails at the tables that `failing` names."""

    failing: frozenset[str] = frozenset()

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        self._fail(at)
        return super().difference(query, at, target, order)

    def change(self, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        self._fail(at)
        return super().change(change, at, target, order)

    def _fail(self, at: TableAt) -> None:
        if at.table.name.name in self.failing:
            raise EngineError("no", hint="None.")
