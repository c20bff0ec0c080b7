"""The rows that a range is said to change are those that it changed, however many rows its files have and had deleted."""

from __future__ import annotations

import random

import headwater
from headwater.lake.exact_counts import with_exact_counts
from headwater.lake.find_changes import find_changes, rows_listed
from headwater.service.lake import Lake
from tests.duck import Duck
from tests.fix_db import Catalog


def test_a_small_delete_after_a_large_one_counts_only_its_own_rows(catalog: Catalog, duck_lake: Duck) -> None:
    duck_lake.execute("CREATE TABLE t AS SELECT range AS x FROM range(10_000)")
    duck_lake.execute("DELETE FROM t WHERE x < 4000")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        start = lake.snapshots()[-1].id
        duck_lake.execute("DELETE FROM t WHERE x BETWEEN 5000 AND 5049")
        assert _listed(lake, start) == 50


def test_a_merged_file_counts_only_the_rows_of_the_range(catalog: Catalog, duck_lake: Duck) -> None:
    duck_lake.execute("CREATE TABLE t AS SELECT range AS x FROM range(10_000)")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        start = lake.snapshots()[-1].id
        duck_lake.execute("INSERT INTO t SELECT range FROM range(10_000, 10_030)")
        duck_lake.execute("CALL ducklake_merge_adjacent_files('lake')")
        assert _listed(lake, start) == 30
        merged = lake.snapshots()[-1].id
        duck_lake.execute("DELETE FROM t WHERE x BETWEEN 5000 AND 5049")
        assert _listed(lake, merged) == 50


def test_random_histories(catalog: Catalog, duck_lake: Duck, seed: int) -> None:
    seeds = random.Random(seed)
    duck_lake.execute("CREATE TABLE t (x INTEGER)")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        # The number of rows that were inserted and deleted until a snapshot.
        done = {lake.snapshots()[-1].id: 0}
        rows = 0
        for _ in range(25):
            match seeds.choice(["insert", "insert", "delete", "delete", "flush", "merge"]):
                case "insert":
                    new = seeds.choice([3, 200])
                    duck_lake.execute(f"INSERT INTO t SELECT range FROM range({rows}, {rows + new})")
                    changed, rows = new, rows + new
                case "delete":
                    ((before,),) = duck_lake.execute("SELECT count(*) FROM t")
                    part = seeds.choice([2, 7, 50])
                    duck_lake.execute(f"DELETE FROM t WHERE x % {part} = {seeds.randrange(part)}")
                    ((after,),) = duck_lake.execute("SELECT count(*) FROM t")
                    changed = before - after
                case "flush":
                    duck_lake.execute("CALL ducklake_flush_inlined_data('lake')")
                    changed = 0
                case _:
                    duck_lake.execute("CALL ducklake_merge_adjacent_files('lake')")
                    changed = 0
            done[lake.snapshots()[-1].id] = max(done.values()) + changed
            last = lake.snapshots()[-1].id
            start = seeds.choice(list(done))
            ((net,),) = duck_lake.execute(
                f"SELECT count(*) FROM ((FROM t AT (VERSION => {start}) EXCEPT ALL FROM t) UNION ALL"
                f" (FROM t EXCEPT ALL FROM t AT (VERSION => {start})))"
            )
            assert net <= _listed(lake, start) <= done[last] - done[start]


def _listed(lake: Lake, start: int) -> int:
    with lake.reader() as reader:
        table_id = lake.describe("t").table.id
        return rows_listed(with_exact_counts(find_changes(reader, table_id, start, reader.latest().id)))
