"""What Headwater reads, many snapshots in one Spark job."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

import headwater
from headwater.core.names import TableName
from headwater.execute.failures import engine_errors
from headwater.lake.values import TableAt
from headwater.service.rows import read
from tests.fix_db import Catalog

_WHICH = "which"


def read_all(lake: Catalog, wanted: Sequence[tuple[TableName, int]]) -> dict[tuple[TableName, int], pa.Table]:
    """Tables as of snapshots, by the names that they have there; one that did not change in between is read once."""
    with headwater.connect(lake.url, lake.data_path) as ours:
        described = {place: ours.describe(str(place[0]), place[1]) for place in wanted}
    distinct = {_content(at): at for at in described.values()}
    frames = dict(zip(distinct, collect([read(at) for at in distinct.values()]), strict=True))
    return {place: frames[_content(at)] for place, at in described.items()}


def read_changes(
    lake: Catalog, wanted: Sequence[tuple[TableName, int, int]]
) -> dict[tuple[TableName, int, int], pa.Table]:
    """What tables gained and lost in (start, end], by the names at the end: their columns there, then the weight."""
    with headwater.connect(lake.url, lake.data_path) as ours:
        frames = [ours.changes(str(name), start, end).drop("rowid") for name, start, end in wanted]
    return dict(zip(wanted, collect(frames), strict=True))


def _content(at: TableAt) -> tuple[object, ...]:
    """What a read depends on: the snapshot itself only where files say which rows came or went when."""
    dated = any(entry.file.partial_max is not None or entry.deletes is not None for entry in at.files)
    return at.table.id, at.schema, at.files, repr(at.inlined), at.snapshot if dated else None


def collect(frames: Sequence[DataFrame]) -> list[pa.Table]:
    """The rows of many DataFrames of different schemas by one job: a union in which each fills its own columns."""
    if not frames:
        return []
    places = [
        [f"c{i}_{_type_tag(field.dataType.simpleString())}" for i, field in enumerate(frame.schema)] for frame in frames
    ]
    tagged = [
        frame.toDF(*names).select(f.lit(number).alias(_WHICH), *names)
        for number, (frame, names) in enumerate(zip(frames, places, strict=True))
    ]
    with engine_errors():
        rows = reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), tagged).toArrow()
    found = []
    for number, (frame, names) in enumerate(zip(frames, places, strict=True)):
        mine = rows.filter(pc.equal(rows[_WHICH], number)).select(names)
        found.append(pa.table(mine.columns, frame.columns))
    return found


def _type_tag(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"
