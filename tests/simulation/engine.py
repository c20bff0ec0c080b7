"""The engine of simulated refreshes: DuckDB in memory runs the plans that Spark would run, on whole numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from sqlglot import parse_one

from headwater.core.errors import EngineError, LakeError, StateBroken
from headwater.core.internal_columns import FILE_ID, POSITION, ROW_ID
from headwater.core.schema import Column, SortKey
from headwater.delta.algebra import W
from headwater.delta.incremental_plan import LAYOUT
from headwater.delta.target_changes import TARGET, Append, Apply, Replace, Swap
from headwater.lake import storage
from headwater.lake.operations import DeletedPositions
from headwater.lake.parquet import write_batches
from headwater.lake.read_arrow import read_changes_arrow, visible_deletes
from headwater.lake.values import SNAPSHOT_ID, STORED_ROW_ID, TableAt, WriteTarget, WrittenFile
from headwater.refresh.engine import Change, Comparison, PlanProof, Query, Staged, Work
from tests import arrow_lake
from tests.laws.bench import Bench
from tests.simulation.store import Faults
from tests.simulation.world import Actor, World

Row = tuple[Any, ...]


class SimulatedEngine:
    """Plays the port of refreshes; how long things take, and whether they work, is up to the world."""

    def __init__(self, world: World, faults: Faults, bench: Bench) -> None:
        self._world = world
        self._faults = faults
        self._bench = bench
        # What each actor's work is known by, and which of it is to end.
        self._tags: dict[Actor, str] = {}
        self._cancelled: set[str] = set()

    def columns(self, query: Query) -> tuple[Column, ...]:
        self._work(0.1)
        return _numbers(query.sql)

    def prove(self, query: Query, plans: Sequence[str]) -> PlanProof:
        self._work(0.1)
        return PlanProof(True, tuple(map(_numbers, plans)))

    def shape(self, query: Query, plan: str) -> tuple[Column, ...]:
        return _numbers(plan)

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        self._work(20.0)
        return Staged(self._written(target, self._result(query)))

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        self._work(20.0)
        columns = (*at.schema.names, *(column.name for column in target.extra))
        return self._differing(self._result(query), located(at, columns), target)

    def change(self, change: Change, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        self._work(5.0)
        columns = (*target.schema.names, *(column.name for column in target.extra))
        held = located(at, columns)
        if LAYOUT in change.names and {row[change.names.index(LAYOUT)] for row, _, _ in held} - {change.mark}:
            raise StateBroken("rows without the state that changes are followed by")
        for relation, source in change.sources.items():
            if isinstance(source, TableAt):
                self._load(relation, source)
            else:
                found = read_changes_arrow(source, rowid=ROW_ID, weight=W)
                assert found is not None
                rows = list(zip(*(found[name].to_pylist() for name in found.column_names), strict=True))
                self._bench.load(relation, found.column_names, rows)
        places = [(*row, file, position) for row, file, position in held]
        self._bench.load(TARGET, (*change.names, FILE_ID, POSITION), places)
        changes = change.changes
        match changes:
            case Append():
                return Staged(self._written(target, self._bench.rows(changes.rows, changes.steps)))
            case Swap() | Replace():
                come = self._bench.rows(changes.new, changes.steps)
                gone = [(row[:-2], row[-2], row[-1]) for row in self._bench.rows(changes.gone, changes.steps)]
                if isinstance(changes, Replace):
                    return self._differing(come, gone, target)
                return Staged(self._written(target, come), _deletes((file, at) for _, file, at in gone))
            case Apply():
                return self._applied(change, changes, held, target)

    def compare(self, query: Query, at: TableAt, shown: int) -> Comparison:
        raise NotImplementedError

    def is_first(self, plan_id: str) -> bool:
        return False

    def track_jobs(
        self, tag: str, tell: Callable[[Work], None] | None, pool: str | None = None
    ) -> AbstractContextManager[Callable[[], Work]]:
        return self._tagged(tag)

    def cancel(self, tag: str) -> None:
        self._cancelled.add(tag)

    @contextmanager
    def _tagged(self, tag: str) -> Iterator[Callable[[], Work]]:
        actor = self._world.actor
        self._tags[actor] = tag
        try:
            yield Work
        finally:
            del self._tags[actor]

    def _applied(self, change: Change, changes: Apply, held: list[tuple[Row, int, int]], target: WriteTarget) -> Staged:
        net = self._bench.net(changes.delta, changes.steps)
        keys = [change.names.index(name) for name in changes.match]
        gone = []
        left = list(held)
        for row, weight in net.items():
            for _ in range(-weight):
                name = [row[key] for key in keys]
                found = next((each for each in left if [each[0][key] for key in keys] == name), None)
                if found is None:
                    raise StateBroken("rows that must leave the table are not in it")
                left.remove(found)
                gone.append((found[1], found[2]))
        come = [row for row, weight in net.items() for _ in range(weight)]
        return Staged(self._written(target, come), _deletes(gone))

    def _differing(self, wanted: list[Row], held: list[tuple[Row, int, int]], target: WriteTarget) -> Staged:
        missing = Counter(wanted)
        gone = []
        for row, file, position in held:
            if missing[row] > 0:
                missing[row] -= 1
            else:
                gone.append((file, position))
        return Staged(self._written(target, list(missing.elements())), _deletes(gone))

    def _result(self, query: Query) -> list[Row]:
        for relation, at in query.sources.items():
            self._load(relation, at)
        return self._bench.ask(_for_duckdb(query.sql))

    def _load(self, relation: str, at: TableAt) -> None:
        rows = [(*row, row_id) for row, row_id in identified(at)]
        self._bench.load(relation, (*at.schema.names, ROW_ID), rows)

    def _written(self, target: WriteTarget, rows: list[Row]) -> tuple[WrittenFile, ...]:
        if not rows:
            return ()
        if self._world.chance(self._faults.disk):
            self._world.tell("disk full")
            raise LakeError("no space left on device")
        columns = (*target.schema.columns, *target.extra)
        files = tuple(write_batches(target, [arrow_lake.batch(columns, sorted(rows, key=repr))]))
        self._work(0.1)
        return files

    def _work(self, seconds: float) -> None:
        """Take some time, sometimes much more, and maybe fail."""
        world = self._world
        seconds = world.random.uniform(0.0, seconds) * (20 if world.chance(0.03) else 1)
        tag = self._tags.get(world.actor)
        world.wait(seconds, lambda: tag in self._cancelled)
        self._faults.maybe_freeze(world, 30.0)
        if tag in self._cancelled:
            world.tell("engine cancelled")
            raise EngineError("the work was cancelled")
        if world.chance(self._faults.kill):
            world.kill(world.process)
        if world.chance(self._faults.engine):
            world.tell("engine failed")
            raise EngineError("the engine failed")


@cache
def _for_duckdb(sql: str) -> str:
    return parse_one(sql, dialect="spark").sql("duckdb")


@cache
def _numbers(sql: str) -> tuple[Column, ...]:
    """The columns of a query, all of whole numbers."""
    return tuple(Column(name, "int64") for name in parse_one(sql, dialect="spark").named_selects)


@cache
def _file(path: str) -> Mapping[str, list[Any]]:
    with storage.file_errors(path):
        return pq.read_table(path).to_pydict()


def forget_files() -> None:
    """Forget what was read: those files are gone."""
    _file.cache_clear()


def located(at: TableAt, columns: Sequence[str]) -> list[tuple[Row, int, int]]:
    """The rows of a table, with the file and position of each; inlined rows are not used here."""
    found = []
    for entry in at.files:
        gone = set(visible_deletes(entry, at.snapshot).tolist())
        held = _file(entry.file.path)
        none = [None] * entry.file.records
        if entry.file.partial_max is not None and entry.file.partial_max > at.snapshot:
            gone |= {place for place, since in enumerate(held[SNAPSHOT_ID]) if since > at.snapshot}
        for place, row in enumerate(zip(*(held.get(name, none) for name in columns), strict=True)):
            if place not in gone:
                found.append((row, entry.file.id, place))
    return found


def identified(at: TableAt) -> list[tuple[Row, int]]:
    """The rows of a table with their ids."""
    starts = {entry.file.id: entry.file.row_id_start for entry in at.files}
    found = []
    for (*row, row_id), file, place in located(at, (*at.schema.names, STORED_ROW_ID)):
        start = starts[file]
        found.append((tuple(row), row_id if row_id is not None else (start or 0) + place))
    return found


def _deletes(gone: Any) -> tuple[DeletedPositions, ...]:
    by_file: dict[int, list[int]] = {}
    for file, position in gone:
        by_file.setdefault(file, []).append(position)
    return tuple(DeletedPositions(file, np.array(sorted(at), np.int64)) for file, at in by_file.items())
