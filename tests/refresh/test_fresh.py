"""At every moment each dynamic table equals its fully expanded query at its data snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import headwater
from headwater.core.errors import HeadwaterError
from headwater.service.lake import Lake
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.refresh.expanded import SHAPES, Definition, check_all

BASES = ("t0", "t1")
STEPS = 14
LAGS = ("TARGET_LAG = '1 second'", "TARGET_LAG = '1 hour'", "TARGET_LAG = DOWNSTREAM", "", "REFRESH INTERVAL 1 SECOND")


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


@pytest.mark.usefixtures("small_spark")
def test_a_random_graph_stays_equal_to_its_queries(lake: Lake, catalog: Catalog, duck: Duck, seed: int) -> None:
    dice = Random(seed)
    duck.attach(catalog.duck_uri, catalog.data_path)
    for base in BASES:
        duck.execute(f"CREATE TABLE {base} (id BIGINT, k BIGINT, v BIGINT)")
    _change(duck, dice, 30)
    graph: dict[str, Definition] = {}
    for number in range(6):
        _create(lake, dice, graph, number)
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


def _create(lake: Lake, dice: Random, graph: dict[str, Definition], number: int) -> None:
    around = [*BASES, *graph]
    sources = tuple(dice.choice(around if dice.random() < 0.3 else (list(graph) or around)) for _ in range(2))
    made = Definition(f"d{number}", SHAPES[(number + dice.randrange(2)) % len(SHAPES)], sources)
    lake.sql(f"CREATE DYNAMIC TABLE {made.name} {dice.choice(LAGS)} AS {made.query}")
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
