"""At every moment each dynamic table equals its fully expanded query at its data snapshot.

Graph number n of a seed is always the same: HEADWATER_SEED=… pytest tests/refresh/test_fresh.py -k '[n]' repeats it.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from random import Random
from typing import TypeVar

import pyarrow as pa
import pytest

import headwater
from headwater.core.errors import HeadwaterError
from headwater.core.refresh_record import RefreshState
from headwater.service.lake import Lake
from tests.duck import Duck, DuckError
from tests.fix_db import Catalog
from tests.fix_seed import COUNTED
from tests.refresh.expanded import SHAPES, Definition, check_all

Result = TypeVar("Result")
GRAPHS = int(os.environ.get("HEADWATER_GRAPHS") or 2)
# Graphs whose sources are written to all the time, and for how long each.
STRESSED = max(2, GRAPHS // 6)
STRESS_SECONDS = 30.0 if os.environ.get("HEADWATER_LONG") else 5.0

BASES = ("t0", "t1")
STEPS = 14
LAGS = ("TARGET_LAG = '1 second'", "TARGET_LAG = '1 hour'", "TARGET_LAG = DOWNSTREAM", "", "REFRESH INTERVAL 1 SECOND")
SECONDLY, HOURLY = LAGS[:2]
FILTERED, SUMMED, JOINED, BOTH = SHAPES[:4]
# What another client meets who writes or reads while we do, and tries again.
BUSY = ("locked", "conflict", "Conflict", "could not serialize", "Failed to commit", "transaction")


@pytest.fixture
def counted() -> Counter[str]:
    """What the graphs of a run went through, told at its end."""
    return COUNTED.setdefault(f"{GRAPHS} graphs and {STRESSED} under stress", Counter())


@pytest.mark.postgres
@pytest.mark.usefixtures("small_spark")
@pytest.mark.parametrize("number", range(GRAPHS))
def test_a_random_graph_stays_equal_to_its_queries(
    new_catalog: Callable[[str], Catalog], duck: Duck, seed: int, number: int, counted: Counter[str]
) -> None:
    """Every second graph is on PostgreSQL, and half of them begin with a diamond."""
    dice = Random(f"{seed} {number}")
    with _lake(new_catalog, duck, dice, number) as (lake, _catalog):
        graph: dict[str, Definition] = {}
        for made in _diamond(dice) if dice.random() < 0.5 else ():
            _create(lake, dice, graph, *made)
        while len(graph) < 6:
            _create(lake, dice, graph, _any(dice, graph))
            _change(duck, dice, 3)
        check_all(lake, duck, graph)
        done = []
        for _ in range(STEPS):
            step = dice.choice((_refresh_some, _refresh_some, _tick, _tick, _foreign_write, _upkeep, _suspend))
            done.append(step.__name__)
            _change(duck, dice, dice.randint(0, 4))
            step(lake, duck, dice, graph)
            check_all(lake, duck, graph, newest=step is not _foreign_write)
            if step is _foreign_write:
                lake.refresh()
        lake.refresh()
        check_all(lake, duck, graph)
        for name in graph:
            assert lake.verify(name).equal, f"{name} after {done}"
    counted.update(step.strip("_") for step in done)
    counted["moments"] += len(done) + 2


@pytest.mark.postgres
@pytest.mark.usefixtures("small_spark")
@pytest.mark.parametrize("number", range(STRESSED))
def test_diamonds_stay_right_while_writers_never_stop(
    new_catalog: Callable[[str], Catalog],
    duck: Duck,
    new_duck: Callable[[], Duck],
    seed: int,
    number: int,
    counted: Counter[str],
) -> None:
    """One thread writes, one ticks, and this one refreshes by hand and looks."""
    dice = Random(f"{seed} stress {number}")
    with _lake(new_catalog, duck, dice, number) as (lake, catalog):
        graph: dict[str, Definition] = {}
        for made in _diamond(dice):
            _create(lake, dice, graph, *made)
        _create(lake, dice, graph, _any(dice, graph))
        eyes = _again(lambda: _Patient(catalog.duck_uri, catalog.data_path))
        over = threading.Event()
        writer = _Thread(_write, over, new_duck(), catalog, Random(dice.random()))
        ticker = _Thread(_keep_ticking, over, catalog)
        try:
            end = time.monotonic() + STRESS_SECONDS
            while time.monotonic() < end and not (writer.error or ticker.error):
                check_all(lake, eyes, graph, newest=False)
                counted["moments under stress"] += 1
                if dice.random() < 0.1:
                    _refresh_some(lake, duck, dice, graph)
        finally:
            over.set()
            eyes.close()
            counted["writes under stress"] += writer.end()
            counted["refreshes under stress"] += ticker.end()
        lake.refresh()
        check_all(lake, duck, graph)
        for name in graph:
            assert lake.verify(name).equal, name
        assert [row for row in lake.history() if row.state == RefreshState.FAILED] == []


@contextmanager
def _lake(
    new_catalog: Callable[[str], Catalog], duck: Duck, dice: Random, number: int
) -> Iterator[tuple[Lake, Catalog]]:
    """A lake with two tables in it, to which DuckDB is attached."""
    catalog = new_catalog("postgres" if number % 2 else "sqlite")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        duck.attach(catalog.duck_uri, catalog.data_path)
        for base in BASES:
            duck.execute(f"CREATE TABLE {base} (id BIGINT, k BIGINT, v BIGINT)")
        _change(duck, dice, 30)
        yield lake, catalog
        duck.detach()


def _diamond(dice: Random) -> list[tuple[Definition, str]]:
    """Two arms of different lags over one table, and what joins them, of a third."""
    lags = dice.sample(LAGS, 2)
    return [
        (Definition("top", dice.choice((FILTERED, BOTH)), ("t0", "t1")), dice.choice(LAGS)),
        (Definition("left_arm", dice.choice((FILTERED, SUMMED)), ("top", "t1")), lags[0]),
        (Definition("right_arm", dice.choice((SUMMED, BOTH)), ("top", "t1")), lags[1]),
        (Definition("bottom", dice.choice((JOINED, BOTH)), ("left_arm", "right_arm")), dice.choice((SECONDLY, HOURLY))),
    ]


def _any(dice: Random, graph: Mapping[str, Definition]) -> Definition:
    around, number = [*BASES, *graph], len(graph)
    sources = tuple(dice.choice(around if dice.random() < 0.3 else (list(graph) or around)) for _ in range(2))
    return Definition(f"d{number}", SHAPES[(number + dice.randrange(2)) % len(SHAPES)], sources)


def _create(lake: Lake, dice: Random, graph: dict[str, Definition], made: Definition, lag: str | None = None) -> None:
    lake.sql(f"CREATE DYNAMIC TABLE {made.name} {dice.choice(LAGS) if lag is None else lag} AS {made.query}")
    graph[made.name] = made


def _change(duck: Duck, dice: Random, count: int) -> None:
    """Inserts, updates and deletes of the same rows; NULL and equal rows are always among them."""
    for _ in range(count):
        base, key = dice.choice(BASES), dice.randrange(8)
        value = dice.choice(("NULL", *map(str, range(10))))
        duck.execute(
            dice.choice(
                (
                    f"INSERT INTO {base} VALUES ({dice.randrange(20)}, {key}, {value}), ({dice.randrange(20)}, NULL, {value})",
                    f"INSERT INTO {base} SELECT * FROM {base} LIMIT 2",
                    f"UPDATE {base} SET v = {value} WHERE k = {key}",
                    f"DELETE FROM {base} WHERE k = {key} AND id < 10",
                )
            )
        )


class _Thread:
    """Work that goes on until it is over, counted; what it ran into is kept for the test to raise."""

    def __init__(self, work: Callable[..., Iterator[None]], over: threading.Event, *arguments: object) -> None:
        self.error: BaseException | None = None
        self._done = 0
        self._over = over
        self._thread = threading.Thread(target=self._run, args=(work(*arguments),), daemon=True)
        self._thread.start()

    def _run(self, work: Iterator[None]) -> None:
        try:
            while not self._over.is_set() and next(work, self) is not self:
                self._done += 1
        except Exception as error:  # noqa: BLE001 - the test raises it
            self.error = error

    def end(self) -> int:
        self._over.set()
        self._thread.join()
        if self.error:
            raise self.error
        return self._done


def _write(duck: Duck, catalog: Catalog, dice: Random) -> Iterator[None]:
    duck.attach(catalog.duck_uri, catalog.data_path)
    while True:
        _again(lambda: _change(duck, dice, 1))
        # The other client's tables would grow faster than anybody reads them.
        if dice.random() < 0.1:
            _again(lambda: _shrink(duck, dice.choice(BASES)))
        # SQLite lets nobody read who finds a writer each time.
        time.sleep(0.05)
        yield


def _shrink(duck: Duck, base: str) -> None:
    duck.execute(f"DELETE FROM {base} WHERE (SELECT count(*) FROM {base}) > 60 AND id % 2 = 0")


def _keep_ticking(catalog: Catalog) -> Iterator[None]:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        while True:
            tick = lake.tick()
            failed = [outcome for outcome in tick.outcomes if outcome.error]
            assert not failed, failed
            yield from (None for _ in tick.outcomes)
            time.sleep(0.05)
            yield


class _Patient(Duck):
    """A DuckDB that asks again when others are in the way."""

    def arrow(self, sql: str) -> pa.Table:
        return _again(lambda: super(_Patient, self).arrow(sql))


def _again(work: Callable[[], Result]) -> Result:
    """Do it until no other client is in the way."""
    for _ in range(200):
        try:
            return work()
        except DuckError as error:
            if not any(word in error.message for word in BUSY):
                raise
            time.sleep(0.02)
    raise AssertionError("others were always in the way")


def _refresh_some(lake: Lake, duck: Duck, dice: Random, graph: dict[str, Definition]) -> None:
    lake.refresh(*dice.sample(sorted(graph), dice.randint(1, 3)))


def _tick(lake: Lake, duck: Duck, dice: Random, graph: dict[str, Definition]) -> None:
    lake.tick()


def _foreign_write(lake: Lake, duck: Duck, dice: Random, graph: dict[str, Definition]) -> None:
    name = dice.choice(sorted(graph))
    duck.execute(dice.choice((f"INSERT INTO {name} VALUES (1, 2, 3)", f"DELETE FROM {name} WHERE id % 2 = 0")))


def _upkeep(lake: Lake, duck: Duck, dice: Random, graph: dict[str, Definition]) -> None:
    duck.execute(
        dice.choice(("CALL ducklake_flush_inlined_data('lake')", "CALL ducklake_merge_adjacent_files('lake')"))
    )
    lake.refresh()


def _suspend(lake: Lake, duck: Duck, dice: Random, graph: dict[str, Definition]) -> None:
    name = dice.choice(sorted(graph))
    lake.sql(f"ALTER DYNAMIC TABLE {name} SUSPEND")
    try:
        lake.tick()
        lake.refresh(dice.choice(sorted(graph)))
    except HeadwaterError as error:
        pytest.fail(str(error))
    finally:
        lake.sql(f"ALTER DYNAMIC TABLE {name} RESUME")
