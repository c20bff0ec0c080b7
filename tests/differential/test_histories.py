"""Random histories: DuckDB accepts them, they cover everything, and Headwater reads each snapshot as DuckDB does."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from headwater.core.errors import HeadwaterError
from headwater.core.names import TableName, quote
from tests.differential import features, oracle
from tests.differential.canonical import Bag, canonical
from tests.differential.headwater_side import headwater_side
from tests.differential.history import History, histories
from tests.differential.reader import read_all, read_changes
from tests.differential.run import OBSERVED, run
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.fix_seed import COUNTED

NUMBER = int(os.environ.get("HEADWATER_HISTORIES") or 50)
# Fewer can't meet every feature.
ENOUGH = 50
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


def test_the_same_seed_makes_the_same_histories(seed: int) -> None:
    assert histories(seed, 3, with_ours=True) == histories(seed, 3, with_ours=True)


@pytest.mark.usefixtures("small_spark")
def test_headwater_reads_every_snapshot_and_every_change_as_duckdb_does(
    seed: int, duck: Duck, new_catalog: Callable[[str], Catalog]
) -> None:
    """Both clients change the lake in turn; every second history is on PostgreSQL."""
    observed: Counter[str] = Counter()
    for number, history in enumerate(histories(seed, NUMBER, with_ours=True)[0]):
        lake = new_catalog("sqlite" if number % 2 else "postgres")
        duck.attach(lake.duck_uri, lake.data_path)
        with headwater_side(lake, duck) as ours:
            observed += run(history, duck, ours, _foreign(lake)).observed
        for table, key, keys in history.final_keys:
            found = duck.execute(f"SELECT {quote(key)} FROM {table}")
            assert sorted(row[0] for row in found) == list(keys), f"{table}\n{history.script()}"
        try:
            _compare(history, lake, duck)
        except HeadwaterError as error:
            error.add_note(history.script())
            raise
    COUNTED[f"seen in the catalogs of {NUMBER} histories"] = observed
    if NUMBER >= ENOUGH:
        assert [name for name in OBSERVED if not observed[name]] == []


def _foreign(lake: Catalog) -> Path:
    return Path(lake.data_path).parent / "foreign"


def _compare(history: History, lake: Catalog, duck: Duck) -> None:
    versions = oracle.snapshots(duck)
    named = {version: {table.id: table.name for table in oracle.tables(duck, version)} for version in versions}
    wanted = [(name, version) for version in versions for name in named[version].values()]
    expected = dict(zip(wanted, oracle.contents_of(duck, wanted), strict=True))
    found = read_all(lake, wanted)
    for place in wanted:
        _same(history, f"{place[0]} at {place[1]}", expected[place].bag, canonical(found[place]))
        names = [name for name, _ in expected[place].columns]
        assert found[place].column_names == names, f"seed {history.seed}: columns of {place[0]} at {place[1]}"
    _compare_changes(history, lake, duck, named, {place: contents.bag for place, contents in expected.items()})


def _compare_changes(
    history: History,
    lake: Catalog,
    duck: Duck,
    named: dict[int, dict[int, TableName]],
    bags: dict[tuple[TableName, int], Bag],
) -> None:
    versions = list(named)
    everything = [
        (number, start, end)
        for start, end in combinations(versions, 2)
        for number in named[end]
        if number in named[start]
    ]
    wanted = Random(history.seed).sample(everything, min(PAIRS, len(everything)))
    shapes = {
        (number, version): oracle.fields(duck, number, version)
        for number, start, end in wanted
        for version in (start, end)
    }
    found = read_changes(lake, [(named[end][number], start, end) for number, start, end in wanted])
    for number, start, end in wanted:
        old_name, new_name = named[start][number], named[end][number]
        expected = oracle.expected_changes(
            bags[old_name, start], shapes[number, start], bags[new_name, end], shapes[number, end]
        )
        _same(history, f"changes of {new_name} in ({start}, {end}]", expected, _weighted(found[new_name, start, end]))


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
