"""A worker that looks while it refreshes: what is slow keeps nothing else waiting. The engine copies, and waits if told to."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

import headwater
from headwater.core.errors import StoreUnreachable
from headwater.core.freshness import Cron, Interval, TargetLag
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshRecord, RefreshTrigger
from headwater.core.schema import SortKey
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.engine import Query, Staged
from headwater.refresh.run import Refresher
from headwater.registry import definitions, leases, requests
from headwater.registry.frontiers import Frontier
from headwater.registry.source_identity import SourceIdentity
from headwater.schedule.due import Due, Pass
from headwater.schedule.state import TableState
from headwater.service import wiring
from headwater.service.lake import Lake
from headwater.worker import passes
from headwater.worker.look import _beginning, _may_join, look
from headwater.worker.loop import WorkerOptions, serve
from headwater.worker.passes import Passes, PassPlan
from headwater.worker.table_states import TableInput
from tests import arrow_lake
from tests.fakes.copy_engine import CopyEngine, stored_rows
from tests.fakes.log import FakeLog
from tests.fix_db import Catalog

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SOURCES = {"slow": "t", "after_slow": "slow", "quick": "u"}


class GatedEngine(CopyEngine):
    """Lets nothing that reads t get on while the gate is shut."""

    def __init__(self) -> None:
        self.gate, self.waits = threading.Event(), threading.Event()
        self.gate.set()

    def write(self, query: Query, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        self._pass(query)
        return super().write(query, target, order)

    def difference(self, query: Query, at: TableAt, target: WriteTarget, order: Sequence[SortKey]) -> Staged:
        self._pass(query)
        return super().difference(query, at, target, order)

    def _pass(self, query: Query) -> None:
        if any(source.table.name.name == "t" for source in query.sources.values()) and not self.gate.is_set():
            self.waits.set()
            assert self.gate.wait(60)


class Scene:
    """A slow table, one that reads it, and a quick one; all have changes that they do not show."""

    def __init__(self, lake: Lake, engine: GatedEngine) -> None:
        self.lake = lake
        self.engine = engine
        self.numbers = count()
        lake.sql("CREATE TABLE t (i INT, v VARCHAR); CREATE TABLE u (i INT, v VARCHAR)")
        for name, source in SOURCES.items():
            lake.sql(f"CREATE DYNAMIC TABLE {name} TARGET_LAG = '1 second' AS SELECT i, v FROM {source}")
        self.ids = {name: lake.describe(name).table.id for name in SOURCES}
        self.change()
        self.until(self.settled)
        self.change()

    def change(self, *names: str) -> None:
        for name in names or ("t", "u"):
            arrow_lake.append(self.lake, name, [(next(self.numbers), "a"), (1, "a"), (None, "b")])

    def rows(self, name: str) -> Counter[Any]:
        return Counter(row for _, _, row in stored_rows(self.lake.describe(name)))

    def settled(self) -> bool:
        """Refresh what is due; whether every table has the rows of its source after that."""
        self.lake.tick()
        return all(self.rows(name) == self.rows(of) for name, of in SOURCES.items())

    def until(self, true: Callable[[], object]) -> None:
        for _ in range(600):
            if true():
                return
            threading.Event().wait(0.1)
        raise AssertionError("it does not come to that")

    @contextmanager
    def served(self) -> Iterator[None]:
        """A worker serves the lake, and is told to stop at the end."""
        stop = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(serve, Refresher(self.lake.site, self.lake.compute), FakeLog(), stop, WORKER)
            try:
                yield
            finally:
                self.engine.gate.set()
                stop.set()
                working.result(60)

    def check(self) -> None:
        """Every table has the rows of its source."""
        assert {name: self.rows(name) for name in SOURCES} == {name: self.rows(of) for name, of in SOURCES.items()}


# On both databases only where they may make a difference.
WORKER = WorkerOptions(poll_interval=0.1)
ONE = pytest.mark.parametrize("catalog_kind", ["sqlite"])


@pytest.fixture
def scene(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    engine = GatedEngine()
    monkeypatch.setattr(wiring, "spark_engine", lambda _warehouses: engine)
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        yield Scene(lake, engine)


def test_a_slow_refresh_keeps_no_other_table_waiting(scene: Scene) -> None:
    scene.engine.gate.clear()
    with scene.served():
        assert scene.engine.waits.wait(60)
        scene.until(lambda: scene.rows("quick") == scene.rows("u"))
        for _ in range(2):
            scene.change("u")
            scene.until(lambda: scene.rows("quick") == scene.rows("u"))
        assert scene.rows("slow") == scene.rows("after_slow") < scene.rows("t")
        scene.engine.gate.set()
        scene.until(lambda: scene.rows("after_slow") == scene.rows("t"))
    scene.check()


@ONE
def test_what_is_asked_for_while_it_runs_is_served_after(scene: Scene) -> None:
    scene.engine.gate.clear()
    with scene.served(), ThreadPoolExecutor(1) as pool:
        assert scene.engine.waits.wait(60)
        scene.change("t")
        asked = pool.submit(scene.lake.refresh, "slow")
        scene.until(lambda: _asked(scene.lake))
        scene.engine.gate.set()
        (outcome,) = asked.result(60)
        assert (outcome.state, outcome.rows_inserted) == ("SUCCEED", 3)
        scene.until(lambda: scene.rows("after_slow") == scene.rows("t"))
    scene.check()


@ONE
def test_a_worker_that_is_told_to_stop_finishes_what_runs_and_begins_nothing(scene: Scene) -> None:
    scene.engine.gate.clear()
    with scene.served():
        assert scene.engine.waits.wait(60)
    assert scene.rows("slow") == scene.rows("t")
    assert scene.rows("after_slow") < scene.rows("slow")


@ONE
def test_what_comes_after_a_table_that_runs_joins_its_pass(scene: Scene) -> None:
    slow, after_slow, quick = scene.ids.values()
    scene.until(lambda: look(scene.lake.site).planned.graph.keys() == set(scene.ids.values()))
    begun = look(scene.lake.site).planned
    scene.change("t")

    def planned(*pending: int) -> tuple[list[dict[int, set[int]]], bool]:
        found = look(scene.lake.site, dict.fromkeys(pending, begun))
        assert found.planned.snapshot > begun.snapshot
        assert {each.snapshot for each in found.joining} <= {begun.snapshot}
        return [dict(each.graph) for each in (found.planned, *found.joining)], found.early

    assert planned() == ([{slow: set(), after_slow: {slow}, quick: set()}], False)
    assert planned(slow) == ([{quick: set()}, {after_slow: {slow}}], False)
    assert planned(slow, after_slow) == ([{quick: set()}], False)
    assert planned(quick) == ([{slow: set(), after_slow: {slow}}], False)
    for name in ("quick", "after_slow"):
        scene.lake.database.execute(requests.request_stmt(scene.ids[name], scene.lake.clock.now(), "me")[1])
    assert planned(slow) == ([{quick: set()}], True), "whoever asked wants what is newer"
    assert planned(quick) == ([{slow: set(), after_slow: {slow}}], True)


@ONE
def test_what_joins_a_pass_goes_to_its_snapshot(scene: Scene) -> None:
    scene.until(lambda: len(look(scene.lake.site).planned.graph) == 3)
    scene.engine.gate.clear()
    slow, after_slow, _ = scene.ids.values()
    with scene.lake.clock.pool(4) as pool:
        running = Passes(Refresher(scene.lake.site, scene.lake.compute), pool)
        first = look(scene.lake.site).planned
        outcomes = running.begin(replace(first, graph={slow: set()}))
        assert running.step(0.1) is False
        assert scene.engine.waits.wait(60)
        scene.change("t")
        (joining,) = look(scene.lake.site, running.pending).joining
        assert joining.graph == {after_slow: {slow}}
        running.begin(joining)
        scene.engine.gate.set()
        while running.step():
            pass
    assert [(o.name.name, o.data_snapshot) for o in outcomes.values()] == [
        ("slow", first.snapshot),
        ("after_slow", first.snapshot),
    ]
    assert scene.rows("after_slow") == scene.rows("slow") < scene.rows("t")
    scene.until(scene.settled)


def test_what_waits_for_running_tables_keeps_back_only_what_would_starve_it() -> None:
    reads: dict[int, set[int]] = {1: set(), 2: {9, 1}, 3: {1}, 4: {2}, 5: set(), 6: {5}, 7: set(), 8: {9, 7}, 9: set()}
    wanted_by = {1: (2, 3), 5: (6,), 7: (8,)}
    due = tuple(
        Due(id, TableName("main", str(id)), "", RefreshTrigger.SCHEDULED, wanted_by.get(id, ())) for id in reads
    )

    def beginning(waiting_since: datetime) -> set[int]:
        found = Pass((due,), (), None, dict.fromkeys(reads, (True, 0, waiting_since)))
        assert _beginning(reads, {}, found) == reads
        return set(_beginning(reads, {9: PassPlan({9: set()}, 1, NOON, {})}, found))

    # 2, 4 and 8 come after what runs; 3 and 6 are due by themselves and bring 1 and 5; 7 is needed by 8 alone.
    assert beginning(NOON + timedelta(seconds=1)) == {1, 3, 5, 6}
    # They have waited since before it began, so what they need, and what reads that, waits with them.
    assert beginning(NOON - timedelta(seconds=1)) == {5, 6}


@pytest.mark.parametrize(
    ("may", "state", "frontier"),
    [
        (True, {}, {}),
        (False, {"freshness": Cron("0 * * * *")}, {}),
        (False, {"freshness": Interval(60)}, {}),
        (False, {"gates_opened_at": NOON}, {}),
        (False, {}, {"snapshot": 10}),
        (False, {"upstream": frozenset({2, 3})}, {}),
        (True, {"upstream": frozenset({2, 4})}, {}),
        (False, {}, {"clock_at": NOON + timedelta(seconds=1)}),
        (True, {}, {"clock_at": NOON}),
    ],
)
def test_only_what_is_served_by_an_older_snapshot_joins(
    may: bool, state: dict[str, Any], frontier: dict[str, Any]
) -> None:
    def seen(id: int, state: dict[str, Any], frontier: dict[str, Any]) -> TableInput:
        named = {"freshness": TargetLag(60), "created_at": NOON, "upstream": frozenset({2})} | state
        held = {"snapshot": 9, "valid_from": 5, "lake_snapshot": 9, "definition_version": 1} | frontier
        return TableInput(
            None,  # type: ignore[arg-type]
            Frontier(table_id=id, refreshed_at=NOON, identity=SourceIdentity(), **held),
            TableState(id, TableName("main", str(id)), **named),
        )

    begun = PassPlan({2: set()}, 10, NOON, {2: RefreshTrigger.SCHEDULED})
    others = (seen(3, {}, {"valid_from": 11, "snapshot": 12}), seen(4, {}, {"valid_from": 8, "snapshot": 12}))
    observed = (seen(1, state, frontier), seen(2, {}, {}), *others)
    assert _may_join({1: {2}}, observed, {1: RefreshTrigger.SCHEDULED}, begun) is may
    assert not _may_join({1: {2}}, observed, {1: RefreshTrigger.MANUAL}, begun)


@ONE
def test_a_refresh_that_breaks_off_is_counted_and_one_that_can_not_start_is_left(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, after_slow, quick = scene.ids.values()
    scene.until(lambda: len(look(scene.lake.site).planned.graph) == 3)

    def refresh(*_given: Any, **_named: Any) -> RefreshRecord:
        raise ZeroDivisionError

    with monkeypatch.context() as patched, scene.lake.clock.pool(2) as pool:
        patched.setattr(Refresher, "refresh", refresh)
        start = pool.start

        def sometimes(key: int, call: Callable[[], Any]) -> None:
            if key == quick:
                raise RuntimeError("can't start new thread")
            start(key, call)

        patched.setattr(pool, "start", sometimes)
        running = Passes(Refresher(scene.lake.site, scene.lake.compute), pool)
        outcomes = running.begin(look(scene.lake.site).planned)
        errors = set()
        while running.pending:
            try:
                running.step()
            except (ZeroDivisionError, RuntimeError) as error:
                errors.add(type(error))
        assert running.step() is None
    assert (outcomes, errors) == ({}, {ZeroDivisionError, RuntimeError})
    with scene.lake.reader() as reader:
        assert {table.id: table.failures for table in definitions.load(reader.connection)} == {
            slow: 1,
            after_slow: 0,
            quick: 0,
        }
    scene.lake.refresh()
    scene.check()


@ONE
def test_an_error_outside_of_a_refresh_ends_the_way_to_one_table(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Any = Refresher.refresh

    def refresh(self: Refresher, table_id: int, *given: Any, **named: Any) -> RefreshRecord:
        if table_id == scene.ids["slow"]:
            raise StoreUnreachable("no connection")
        outcome: RefreshRecord = real(self, table_id, *given, **named)
        return outcome

    scene.until(lambda: len(look(scene.lake.site).planned.graph) == 3)
    with monkeypatch.context() as patched, scene.lake.clock.pool(2) as pool:
        patched.setattr(Refresher, "refresh", refresh)
        running = Passes(Refresher(scene.lake.site, scene.lake.compute), pool)
        over: list[bool] = []
        outcomes = running.begin(look(scene.lake.site).planned, lambda: over.append(True))
        errors = 0
        while running.pending:
            try:
                running.step()
            except StoreUnreachable:
                errors += 1
    assert ([outcome.name.name for outcome in outcomes.values()], errors, over) == (["quick"], 1, [True])
    scene.lake.tick()
    scene.check()


@ONE
def test_a_pass_goes_on_where_one_table_breaks_off(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Any = Refresher.refresh

    def refresh(self: Refresher, table_id: int, *given: Any, **named: Any) -> RefreshRecord:
        if table_id == scene.ids["slow"]:
            raise ZeroDivisionError
        outcome: RefreshRecord = real(self, table_id, *given, **named)
        return outcome

    scene.until(lambda: len(look(scene.lake.site).planned.graph) == 3)
    with monkeypatch.context() as patched:
        patched.setattr(Refresher, "refresh", refresh)
        # One hand, so that the others come after it.
        patched.setattr(passes, "PARALLEL", 1)
        with pytest.raises(ZeroDivisionError):
            scene.lake.tick()
    assert scene.rows("quick") == scene.rows("u")
    scene.lake.refresh()
    scene.check()


@ONE
def test_what_others_refresh_keeps_no_hand(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where somebody asked for it; and that it is left does not have the worker look again at once."""
    monkeypatch.setattr(passes, "PARALLEL", 1)
    lease = leases.take(scene.lake.database, scene.ids["quick"])
    assert lease is not None
    scene.lake.database.execute(requests.request_stmt(scene.ids["quick"], scene.lake.clock.now(), "me")[1])
    with scene.lake.clock.pool(1) as pool:
        tried = Passes(Refresher(scene.lake.site, scene.lake.compute), pool)
        tried.begin(replace(look(scene.lake.site).planned, graph={scene.ids["quick"]: set()}))
        assert (tried.step(60), tried.pending) == (False, {})
    with scene.served():
        scene.until(lambda: scene.rows("after_slow") == scene.rows("t"))
        assert scene.rows("quick") < scene.rows("u")
        leases.give_back(scene.lake.database, lease)
        scene.until(lambda: scene.rows("quick") == scene.rows("u"))
        scene.until(lambda: not _asked(scene.lake))
    scene.check()


def _asked(lake: Lake) -> bool:
    with lake.reader() as reader:
        return bool(requests.open_requests(reader.connection))
