"""Compact small files in this process, because starting an engine for them takes longer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from headwater.core.schema import SortKey
from headwater.lake.parquet import write_batches
from headwater.lake.read_arrow import read_whole
from headwater.lake.values import SNAPSHOT_ID, STORED_ROW_ID, WrittenFile
from headwater.maintain.compactor import Compactor, RewriteTask

# This many rows easily fit into memory, and take seconds.
MOST_ROWS = 5_000_000
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ArrowCompactor:
    """Rewrites small files itself, and passes the rest to another compactor (created on first use)."""

    other: Callable[[], Compactor]

    def rewrite(self, work: RewriteTask) -> WrittenFile | None:
        """Write all visible rows of the files into one new file, which is not yet in the catalog; None if there are none."""
        at = work.at
        parts = None
        if at.rows <= MOST_ROWS and at.bytes <= MOST_BYTES:
            parts = read_whole(at, work.state, rowid=STORED_ROW_ID, since=SNAPSHOT_ID if work.dated else None)
        if parts is None:
            return self.other().rewrite(work)
        rows = _sorted(parts, work.order)
        written = tuple(write_batches(work.target, rows.to_batches()))
        return written[0] if written else None


def _sorted(rows: pa.Table, order: tuple[SortKey, ...]) -> pa.Table:
    keys = [
        (
            key.expression,
            "descending" if key.descending else "ascending",
            "at_start" if key.nulls_first else "at_end",
        )
        for key in order
    ]
    return rows.take(pc.sort_indices(rows, sort_keys=keys)).combine_chunks()
