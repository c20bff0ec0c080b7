"""An engine without Spark whose queries all copy a table of two columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from headwater.core.schema import Column, SortKey
from headwater.lake.operations import DeletedPositions
from headwater.lake.parquet import read_delete_file, write_batches
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.engine import Change, Comparison, PlanProof, Query, Staged, Work
from tests import arrow_lake

COLUMNS = (Column("i", "int32"), Column("v", "varchar"))


class CopyEngine:
    """An engine for queries that copy their only source, without Spark."""

    def columns(self, query: Query) -> tuple[Column, ...]:
        return COLUMNS

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        return Staged(_files(target, [row for _, _, row in stored_rows(*query.sources.values())]))

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        wanted = Counter(row for _, _, row in stored_rows(*query.sources.values()))
        gone: dict[int, list[int]] = {}
        for file_id, position, row in stored_rows(at):
            if wanted[row]:
                wanted[row] -= 1
            else:
                gone.setdefault(file_id, []).append(position)
        deletes = tuple(DeletedPositions(id, np.asarray(found, np.int64)) for id, found in gone.items())
        return Staged(_files(target, list(wanted.elements())), deletes)

    def prove(self, query: Query, plans: Sequence[str]) -> PlanProof:
        """It can prove nothing, so its tables are computed in full."""
        return PlanProof(False, ())

    def shape(self, query: Query, plan: str) -> tuple[Column, ...]:
        raise NotImplementedError

    def change(self, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        raise NotImplementedError

    def compare(self, query: Query, at: TableAt, shown: int) -> Comparison:
        raise NotImplementedError

    def is_first(self, plan_id: str) -> bool:
        return False

    def track_jobs(
        self, tag: str, tell: Callable[[Work], None] | None, pool: str | None = None
    ) -> AbstractContextManager[Callable[[], Work]]:
        return nullcontext(Work)

    def cancel(self, tag: str) -> None:
        pass


def _files(target: WriteTarget, rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(write_batches(target, [arrow_lake.batch(target.schema.columns, rows, None)])) if rows else ()


def stored_rows(at: TableAt) -> list[tuple[int, int, tuple[Any, ...]]]:
    """The rows of a table that are not deleted: file, position and values of each."""
    found = []
    for entry in at.files:
        gone = _gone(entry.deletes.path, at.snapshot) if entry.deletes else set()
        held = pq.read_table(entry.file.path).select(["i", "v"]).to_pylist()
        found += [(entry.file.id, p, (r["i"], r["v"])) for p, r in enumerate(held) if p not in gone]
    return found


def _gone(path: str, snapshot: int) -> set[int]:
    positions, since = read_delete_file(path)
    return set((positions if since is None else positions[since <= snapshot]).tolist())
