"""What Headwater reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

import headwater
from headwater.core.names import TableName
from headwater.execute.frames import SparkFrames
from headwater.execute.translate_errors import engine_errors
from headwater.lake.values import TableAt
from tests.fix_db import Catalog


@dataclass(frozen=True, slots=True)
class Found:
    """Tables as of snapshots, and what they gained and lost in (start, end]: their columns at the end, then the weight."""

    tables: dict[tuple[TableName, int], pa.Table]
    changes: dict[tuple[TableName, int, int], pa.Table]


def read_all(
    lake: Catalog, wanted: Sequence[tuple[TableName, int]], changes: Sequence[tuple[TableName, int, int]]
) -> Found:
    """Tables by the names that they have then, one that did not change in between read once."""
    with headwater.connect(lake.url, lake.data_path) as ours:
        described = {place: ours.describe(str(place[0]), place[1]) for place in wanted}
        distinct = {_content(at): at for at in described.values()}
        frames = [SparkFrames().read(at, None) for at in distinct.values()]
        frames += [ours.changes(str(name), start, end).drop("rowid") for name, start, end in changes]
    found = collect(frames)
    tables = dict(zip(distinct, found[: len(distinct)], strict=True))
    return Found(
        {place: tables[_content(at)] for place, at in described.items()},
        dict(zip(changes, found[len(distinct) :], strict=True)),
    )


def _content(at: TableAt) -> tuple[object, ...]:
    """What a read depends on: the snapshot itself only where files say which rows came or went when."""
    dated = any(entry.file.partial_max is not None or entry.deletes is not None for entry in at.files)
    return at.table.id, at.schema, at.files, repr(at.inlined), at.snapshot if dated else None


def collect(frames: Sequence[DataFrame]) -> list[pa.Table]:
    """The rows of each frame. One job for all was no faster: Spark's planning grows faster than the union."""
    with engine_errors():
        return [frame.toArrow() for frame in frames]
