"""Random histories: DuckDB accepts them, they cover everything, and Headwater reads each snapshot as DuckDB does."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from itertools import combinations
from pathlib import Path
from queue import SimpleQueue
from random import Random

import pyarrow as pa
import pytest

from headwater.core.errors import HeadwaterError
from headwater.core.names import TableName, quote
from tests.differential import features, oracle
from tests.differential.canonical import Bag, canonical
from tests.differential.cover import ENOUGH, features_of
from tests.differential.headwater_side import headwater_side
from tests.differential.history import History, histories
from tests.differential.reader import read_all
from tests.differential.run import OBSERVED, run
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.fix_seed import COUNTED, DEFAULT

GIVEN = os.environ.get("HEADWATER_HISTORIES")
NUMBER = int(GIVEN or ENOUGH)
# The histories of the default seed that run if no number is given: they cover every feature. If they no longer do, because
# the seed, the features or the moves have changed, `python -m tests.differential.cover` finds others.
COVER = (0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 30, 31, 32, 33, 39, 40, 42)
# Histories that run at the same time: one waits for DuckDB while another waits for Spark.
AT_ONCE = 3
# So many ranges of snapshots per history have their changes compared.
PAIRS = 6


@pytest.mark.parametrize("with_ours", [False, True])
def test_the_histories_cover_every_feature(seed: int, with_ours: bool) -> None:
    counts = histories(seed, max(NUMBER, ENOUGH), with_ours=with_ours)[1]
    wanted = features.DUCK + (features.OURS if with_ours else ())
    COUNTED[f"features of histories {'with' if with_ours else 'without'} ours"] = Counter(
        {n: counts[n] for n in wanted}
    )
    assert [name for name in wanted if not counts[name]] == []
    assert set(counts) <= set(wanted)


@pytest.mark.skipif(NUMBER < ENOUGH, reason="so few histories can't cover every feature")
def test_the_histories_that_run_cover_every_feature(seed: int) -> None:
    covered = features_of([history for _, history in _numbered(seed)])
    assert [name for name in features.DUCK + features.OURS if name not in covered] == []


def test_the_same_seed_makes_the_same_histories(seed: int) -> None:
    assert histories(seed, 3, with_ours=True) == histories(seed, 3, with_ours=True)


@pytest.mark.usefixtures("small_spark", "postgres")
def test_headwater_reads_every_snapshot_and_every_change_as_duckdb_does(
    seed: int, new_duck: Callable[[], Duck], new_catalog: Callable[[str], Catalog]
) -> None:
    """Both clients change the lake in turn; every second history is on PostgreSQL."""
    idle: SimpleQueue[Duck] = SimpleQueue()

    def play(number: int, history: History) -> Counter[str]:
        lake = new_catalog("sqlite" if number % 2 else "postgres")
        duck = idle.get()
        try:
            return _play(history, lake, duck)
        finally:
            idle.put(duck)

    for _ in range(AT_ONCE):
        idle.put(new_duck())
    with ThreadPoolExecutor(AT_ONCE) as pool:
        playing = [pool.submit(play, *numbered) for numbered in _numbered(seed)]
        done, waiting = wait(playing, return_when=FIRST_EXCEPTION)
        for future in waiting:
            future.cancel()
    observed = sum((future.result() for future in playing if future in done), Counter[str]())
    COUNTED[f"seen in the catalogs of {len(playing)} histories"] = observed
    if NUMBER >= ENOUGH:
        assert [name for name in OBSERVED if not observed[name]] == []


def _numbered(seed: int) -> list[tuple[int, History]]:
    """The histories that run, with their numbers."""
    numbered = list(enumerate(histories(seed, NUMBER, with_ours=True)[0]))
    return numbered if GIVEN or seed != int(DEFAULT) else [numbered[number] for number in COVER]


def _play(history: History, lake: Catalog, duck: Duck) -> Counter[str]:
    duck.attach(lake.duck_uri, lake.data_path)
    with headwater_side(lake, duck) as ours:
        observed = run(history, duck, ours, _foreign(lake)).observed
    for table, key, keys in history.final_keys:
        found = duck.execute(f"SELECT {quote(key)} FROM {table}")
        assert sorted(row[0] for row in found) == list(keys), f"{table}\n{history.script()}"
    try:
        _compare(history, lake, duck)
    except HeadwaterError as error:
        error.add_note(history.script())
        raise
    duck.detach()
    return observed


def _foreign(lake: Catalog) -> Path:
    return Path(lake.data_path).parent / "foreign"


def _compare(history: History, lake: Catalog, duck: Duck) -> None:
    versions = oracle.snapshots(duck)
    named = {version: {table.id: table.name for table in oracle.tables(duck, version)} for version in versions}
    wanted = [(name, version) for version in versions for name in named[version].values()]
    expected = dict(zip(wanted, oracle.contents_of(duck, wanted), strict=True))
    ranges = _ranges(history, named)
    found = read_all(lake, wanted, [(named[end][number], start, end) for number, start, end in ranges])
    for place in wanted:
        _same(history, f"{place[0]} at {place[1]}", expected[place].bag, canonical(found.tables[place]))
        names = [name for name, _ in expected[place].columns]
        assert found.tables[place].column_names == names, f"seed {history.seed}: columns of {place[0]} at {place[1]}"
    for number, start, end in ranges:
        old, new = (named[start][number], start), (named[end][number], end)
        changes = oracle.expected_changes(
            expected[old].bag, oracle.fields(duck, number, start), expected[new].bag, oracle.fields(duck, number, end)
        )
        what = f"changes of {new[0]} in ({start}, {end}]"
        _same(history, what, changes, _weighted(found.changes[new[0], start, end]))


def _ranges(history: History, named: dict[int, dict[int, TableName]]) -> list[tuple[int, int, int]]:
    """Some of the ranges of snapshots in which a table lived all the time, by its id."""
    everything = [
        (number, start, end) for start, end in combinations(named, 2) for number in named[end] if number in named[start]
    ]
    return Random(history.seed).sample(everything, min(PAIRS, len(everything)))


def _weighted(table: pa.Table) -> Bag:
    change: Bag = Counter()
    for row, count in canonical(table).items():
        change[row[:-1]] += row[-1] * count
    return Counter({row: count for row, count in change.items() if count})


def _same(history: History, what: str, expected: Bag, found: Bag) -> None:
    if expected != found:
        rows = {row for bag in (expected, found) for row in bag if expected[row] != found[row]}
        lines = [f"  {row}: DuckDB {expected[row]}, Headwater {found[row]}" for row in sorted(rows, key=repr)]
        pytest.fail(f"{what} differs:\n" + "\n".join(lines[:20]) + f"\n{history.script()}", pytrace=False)
