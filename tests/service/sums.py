"""Dynamic tables of sums, created, changed and checked without Spark."""

from __future__ import annotations

from collections import Counter

from headwater.registry import definitions, frontiers
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.simulation.lake import rows_of

SUMS = "SELECT k, sum(x) AS s FROM {} GROUP BY k"


def make(lake: Lake, name: str, properties: str, source: str) -> None:
    lake.sql(f"CREATE DYNAMIC TABLE {name} {properties} AS {SUMS.format(source)}")


def change(lake: Lake, name: str) -> None:
    arrow_lake.append(lake, name, [(1, 10), (None, None), (5, 5)])


def right(lake: Lake, name: str, source: str) -> int:
    """Whether the table holds what its query gives at its data snapshot; which that is."""
    with lake.reader() as reader:
        latest = reader.latest().id
        table = next(t for t in definitions.load(reader.connection) if t.name.name == name)
        frontier = frontiers.find(reader.connection, table.id)
        assert frontier is not None
        held, given = rows_of(reader, name, latest), rows_of(reader, source, frontier.snapshot)
    groups: dict[object, list[int]] = {}
    for k, x in given.elements():
        groups.setdefault(k, []).extend([] if x is None else [x])
    assert held == Counter((k, sum(xs) if xs else None) for k, xs in groups.items())
    return frontier.snapshot
