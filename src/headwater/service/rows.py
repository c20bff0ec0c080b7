"""Rows of tables through Spark: read, follow, append, overwrite, delete, update.

Spark is imported inside the functions: commands that read only metadata start without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from headwater.commit.commit import Commit
from headwater.core.errors import CommitConflict, DynamicTableReadOnly
from headwater.core.schema import SortKey
from headwater.lake.operations import StagedChange
from headwater.lake.values import TableAt, TableChanges, WriteTarget
from headwater.registry import definitions, install

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headwater.service.lake import Lake

# A change that another commit overtook is computed again on the newest snapshot, this many times.
ATTEMPTS = 5


def read(at: TableAt, rowid: str | None = None) -> DataFrame:
    """The table as a DataFrame."""
    from headwater.execute.scan import read_table
    from headwater.execute.session import spark_session

    return read_table(spark_session(), at, rowid=rowid)


def follow(changes: TableChanges, rowid: str, weight: str) -> DataFrame:
    """The changes as a DataFrame."""
    from headwater.execute.follow import read_changes
    from headwater.execute.session import spark_session

    return read_changes(spark_session(), changes, rowid=rowid, weight=weight)


def append(lake: Lake, name: str, frame: DataFrame) -> int:
    """Add rows; the snapshot that shows them."""
    from headwater.execute.dml import stage_append

    return _change(lake, name, lambda at, target, order: stage_append(frame, at, target, order))


def overwrite(lake: Lake, name: str, frame: DataFrame) -> int:
    """Replace all rows; the snapshot that shows them."""
    from headwater.execute.dml import stage_append

    return _change(lake, name, lambda at, target, order: stage_append(frame, at, target, order, replace=True))


def delete(lake: Lake, name: str, where: str) -> int:
    """Delete what a condition finds."""
    from headwater.execute.dml import stage_delete
    from headwater.execute.session import spark_session

    return _change(lake, name, lambda at, _target, _order: stage_delete(spark_session(), at, where))


def update(lake: Lake, name: str, assignments: Mapping[str, str], where: str) -> int:
    """Change what a condition finds; rows keep their ids."""
    from headwater.execute.dml import stage_update
    from headwater.execute.session import spark_session

    return _change(
        lake,
        name,
        lambda at, target, order: stage_update(spark_session(), at, assignments, where, target, order),
        keeps_row_ids=True,
    )


def _refuse_dynamic(lake: Lake, at: TableAt) -> None:
    with lake.reader() as reader:
        if install.is_installed(reader.connection) and at.table.id in definitions.ids(reader.connection):
            raise DynamicTableReadOnly(
                f"{at.table.name} is a dynamic table",
                detail="Its rows are those of its query.",
                hint="Change its sources, or its definition with CREATE OR REPLACE DYNAMIC TABLE.",
            )


def _change(
    lake: Lake,
    name: str,
    stage: Callable[[TableAt, WriteTarget, tuple[SortKey, ...]], StagedChange],
    *,
    keeps_row_ids: bool = False,
) -> int:
    """Stage on the newest snapshot and commit, again if another commit came between."""
    for attempt in range(1, ATTEMPTS + 1):
        at, target, order = lake.describe_for_writing(name, keeps_row_ids=keeps_row_ids)
        _refuse_dynamic(lake, at)
        change = stage(at, target, order)
        if change.empty:
            return at.snapshot
        try:
            return lake.commit(Commit(at.snapshot, (change,))).snapshot_id
        except CommitConflict:
            if attempt == ATTEMPTS:
                raise
    raise AssertionError("unreachable")
