"""Whether a range touched a table, told without opening a file."""

from __future__ import annotations

import headwater
from tests.duck import Duck
from tests.fix_db import Catalog


def test_rows_and_columns_touch_compaction_and_others_do_not(catalog: Catalog, duck_lake: Duck) -> None:
    duck_lake.execute("CREATE TABLE t (x INTEGER); CREATE TABLE other (x INTEGER)")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        start = lake.snapshots()[-1].id
        duck_lake.execute("INSERT INTO other VALUES (1)")
        assert not lake.touched("t", start).touched
        duck_lake.execute("INSERT INTO t SELECT range FROM range(100)")
        found = lake.touched("t", start)
        assert (found.touched, found.rows_at_most) == (True, 100)
        middle = lake.snapshots()[-1].id
        duck_lake.execute("CALL ducklake_flush_inlined_data('lake')")
        duck_lake.execute("CALL ducklake_merge_adjacent_files('lake')")
        assert not lake.touched("t", middle).touched
        duck_lake.execute("ALTER TABLE t ADD COLUMN y INTEGER")
        assert lake.touched("t", middle).touched


def test_expired_snapshots_hide_nothing(catalog: Catalog, duck_lake: Duck) -> None:
    duck_lake.execute("CREATE TABLE t (x INTEGER); CREATE TABLE other (x INTEGER)")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        start = lake.snapshots()[-1].id
        duck_lake.execute("INSERT INTO t VALUES (1), (2)")
        duck_lake.execute("INSERT INTO other VALUES (1)")
        duck_lake.execute(f"CALL ducklake_expire_snapshots('lake', versions => [{start + 1}])")
        assert (lake.touched("t", start).touched, lake.touched("t", start).rows_at_most) == (True, 2)
        last = lake.snapshots()[-1].id
        duck_lake.execute("INSERT INTO other VALUES (2)")
        duck_lake.execute("INSERT INTO other VALUES (3)")
        duck_lake.execute(f"CALL ducklake_expire_snapshots('lake', versions => [{last + 1}])")
        assert not lake.touched("t", last).touched
