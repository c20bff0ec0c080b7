"""The lake that simulations begin with, and what its tables must hold."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from headwater.core.schema import SortKey
from headwater.delta import display_sql
from headwater.lake.reader import LakeReader
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh import bind_definition, incremental, layout
from headwater.refresh.engine import Change, Query, Staged, Work
from headwater.registry import install
from headwater.service import connect, wiring
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.fakes.clock import FakeClock
from tests.simulation import plans
from tests.simulation.engine import Row, SimulatedEngine, forget_files, located
from tests.simulation.plans import PlannedBench
from tests.simulation.store import Faults
from tests.simulation.world import BEGINNING, World

Bag = Counter[Row]
BASES = ("t", "u")
# The more of them a world has, the longer the chain.
DYNAMIC = {
    "sums": "SELECT k, sum(x) AS s, count(*) AS n FROM t GROUP BY k",
    "pairs": "SELECT t.k, t.x, u.x AS y FROM t JOIN u ON t.k = u.k",
    "joined": "SELECT sums.k, sums.s, pairs.y FROM sums JOIN pairs ON sums.k = pairs.k",
    "tops": "SELECT k, max(s) AS m FROM joined GROUP BY k",
}


# One that comes after another which it does not read.
AFTER = {"pairs": "AFTER = 'sums' "}


def make_lake(folder: Path, count: int) -> None:
    """A lake with the first so many dynamic tables, each at most half a minute behind."""
    with connect.connect(folder) as lake:
        lake.clock = FakeClock(BEGINNING - timedelta(seconds=1))
        fill(lake, count)


def fill(lake: Lake, count: int) -> None:
    """Two base tables with a few rows, and the first so many dynamic tables over them."""
    install.install(lake.database)
    for name in BASES:
        lake.sql(f"CREATE TABLE {name} (k BIGINT, x BIGINT)")
        arrow_lake.append(lake, name, [(n % 3, n) for n in range(4)])
    with playing(Quick()):
        for name, query in list(DYNAMIC.items())[:count]:
            given = f"TARGET_LAG = '30 seconds' CARDINALITY_THRESHOLD = 1 {AFTER.get(name, '')}"
            lake.sql(f"CREATE DYNAMIC TABLE {name} {given}AS {query}")


@contextmanager
def playing(engine: SimulatedEngine) -> Iterator[None]:
    """Refreshes and creations are computed by this engine while it is open, and planned once for all worlds."""
    places: list[tuple[Any, str, object]] = [
        (wiring, "spark_engine", lambda _warehouses: engine),
        (incremental, "stored_plan", plans.kept),
        (layout, "stored_plan", plans.kept),
        (layout, "lower", plans.lower),
        (layout, "render", plans.render),
        (incremental, "changes", plans.changes),
        (bind_definition, "bind", plans.bind),
        (display_sql, "display_changes", plans.explained),
    ]
    before = [getattr(place, name) for place, name, _ in places]
    for place, name, stand_in in places:
        setattr(place, name, stand_in)
    try:
        yield
    finally:
        for (place, name, _), real in zip(places, before, strict=True):
            setattr(place, name, real)


class Quick(SimulatedEngine):
    """Without a world around it everything is done at once, for one thread after the other: they share the bench."""

    def __init__(self) -> None:
        super().__init__(World(0), Faults(), PlannedBench())
        self._lock = Lock()

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        with self._lock:
            return super().write(query, target, order)

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        with self._lock:
            return super().difference(query, at, target, order)

    def change(self, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        with self._lock:
            return super().change(change, at, target, order)

    def track_jobs(
        self, tag: str, tell: Callable[[Work], None] | None, pool: str | None = None
    ) -> AbstractContextManager[Callable[[], Work]]:
        return nullcontext(Work)

    def _work(self, seconds: float) -> None:
        pass


def copied(template: Path, folder: Path) -> None:
    """The lake in another place."""
    shutil.copytree(template, folder, dirs_exist_ok=True)
    forget_files()


def rows_of(reader: LakeReader, name: str, snapshot: int) -> Bag:
    """What readers see of a table at a snapshot."""
    table = next(t for t in reader.tables(snapshot) if t.name.name == name)
    at = reader.table_at(table, snapshot)
    return Counter(row for row, _, _ in located(at, at.schema.names))


def expected(name: str, bases: Mapping[str, Bag]) -> Bag:
    """What a dynamic table's query gives, worked out by hand."""
    return _QUERIES[name](bases)


def _sums(bases: Mapping[str, Bag]) -> Bag:
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for k, x in bases["t"].elements():
        groups[k].append(x)
    return Counter((k, _sum(xs), len(xs)) for k, xs in groups.items())


def _pairs(bases: Mapping[str, Bag]) -> Bag:
    other = list(bases["u"].elements())
    return Counter((k, x, y) for k, x in bases["t"].elements() for j, y in other if k is not None and k == j)


def _joined(bases: Mapping[str, Bag]) -> Bag:
    pairs = list(_pairs(bases).elements())
    return Counter((k, s, y) for k, s, _ in _sums(bases).elements() for j, _, y in pairs if k is not None and k == j)


def _tops(bases: Mapping[str, Bag]) -> Bag:
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for k, s, _ in _joined(bases).elements():
        groups[k].append(s)
    return Counter((k, max((s for s in sums if s is not None), default=None)) for k, sums in groups.items())


def _sum(numbers: list[int]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


_QUERIES: dict[str, Callable[[Mapping[str, Bag]], Bag]] = {
    "sums": _sums,
    "pairs": _pairs,
    "joined": _joined,
    "tops": _tops,
}


def opened(database: object, data_path: str, clock: object) -> Lake:
    """The lake as a process of the world has it."""
    return Lake(database, data_path, clock)  # type: ignore[arg-type]
