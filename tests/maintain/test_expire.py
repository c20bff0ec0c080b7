"""Expiry and cleanup: the catalog is left as the extension leaves it, and what dynamic tables go on from stays."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import headwater
from headwater.maintain.cleanup import clean_up, find_old_files
from headwater.maintain.expire import expire, find_expired, remove_snapshots
from headwater.maintain.orphans import find_orphans
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.catalog.dump import dump
from tests.duck import Duck
from tests.fix_db import Catalog

NONE = timedelta(0)
LATER = timedelta(days=2)

# Every kind of row that lives for a while, and tables that are dropped with rows in files, in the catalog, and deleted.
LIFE = """
    CREATE SCHEMA s; CREATE TABLE s.t(i INT, v VARCHAR, st STRUCT(a INT));
    INSERT INTO s.t VALUES (1, 'a', {'a': 1}), (2, 'b', NULL);
    CALL lake.set_option('data_inlining_row_limit', 0);
    CREATE TABLE p(k INT, v VARCHAR); ALTER TABLE p SET PARTITIONED BY (k); ALTER TABLE p SET SORTED BY (v);
    INSERT INTO p VALUES (1, 'a'), (2, 'b'); INSERT INTO s.t VALUES (3, 'a', {'a': 1}), (4, 'b', NULL), (5, 'c', NULL);
    DELETE FROM s.t WHERE i = 3; DELETE FROM s.t WHERE i = 4; DELETE FROM s.t WHERE i = 1;
    COMMENT ON TABLE p IS 'x'; COMMENT ON COLUMN p.v IS 'x'; COMMENT ON TABLE p IS 'y';
    CREATE VIEW vv AS SELECT 1; DROP VIEW vv; CREATE MACRO mm(a) AS a + 1; DROP MACRO mm;
    ALTER TABLE p ADD COLUMN z INT DEFAULT 7; ALTER TABLE p RENAME COLUMN z TO y; ALTER TABLE p DROP COLUMN y;
    ALTER TABLE p RENAME TO q; ALTER TABLE q SET PARTITIONED BY (v); ALTER TABLE q RESET SORTED BY;
    INSERT INTO q VALUES (3, 'c'), (4, 'd'); DELETE FROM q WHERE k = 1;
    CREATE TABLE keep(i INT, w VARCHAR); INSERT INTO keep VALUES (1, 'a'), (2, 'b'), (3, 'c'); DELETE FROM keep WHERE i = 2;
    UPDATE keep SET w = 'z' WHERE i = 3; INSERT INTO keep VALUES (4, 'd'); ALTER TABLE keep RENAME COLUMN w TO x;
    ALTER TABLE keep ALTER i TYPE BIGINT; DELETE FROM keep WHERE i = 1; DROP TABLE s.t; DROP TABLE q; DROP SCHEMA s;
    CREATE TABLE late(i INT); INSERT INTO late VALUES (1), (2); DELETE FROM late WHERE i = 1; DELETE FROM late WHERE i = 2
"""


@pytest.mark.parametrize("kept", ["newest", "every third", "first"])
def test_the_catalog_is_left_as_the_extension_leaves_it(
    new_catalog: Callable[[str], Catalog], duck: Duck, kept: str
) -> None:
    theirs, mine = new_catalog("sqlite"), new_catalog("sqlite")
    duck.attach(theirs.duck_uri, theirs.data_path)
    for statement in LIFE.split(";"):
        duck.execute(statement)
    last = duck.execute("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")[0][0]
    duck.detach()
    shutil.copytree(theirs.url, mine.url, dirs_exist_ok=True)
    stays = {"newest": set[int](), "every third": set(range(0, last, 3)), "first": set(range(6))}[kept]
    ids = [at for at in range(last) if at not in stays]
    duck.attach(theirs.duck_uri, theirs.data_path)
    duck.execute(f"CALL ducklake_expire_snapshots('lake', versions => {ids})")
    rows = {name: duck.execute(f"FROM {name} ORDER BY ALL") for name in ("keep", "late")}
    duck.detach()
    with headwater.connect(theirs.url) as seen, headwater.connect(mine.url) as ours:
        ours.adopt()
        ours.database.write(lambda connection: remove_snapshots(connection, ours.data_path, ids, datetime.now(UTC)))
        expected, found = dump(seen), dump(ours)
        for table in expected:
            assert found[table] == expected[table], table
        clean_up(ours.database, ours.data_path, datetime.now(UTC), NONE)
        assert dump(ours)["ducklake_files_scheduled_for_deletion"] == []
        assert find_orphans(ours.database, ours.data_path, datetime.now(UTC), NONE) == ()
    duck.attach(mine.duck_uri, mine.data_path, options={"OVERRIDE_DATA_PATH": True})
    assert {name: duck.execute(f"FROM {name} ORDER BY ALL") for name in rows} == rows
    duck.execute("INSERT INTO keep VALUES (9, 'i'); DELETE FROM keep WHERE i = 3")
    duck.execute("CALL ducklake_merge_adjacent_files('lake')")
    assert len(duck.execute("FROM keep")) == len(rows["keep"])


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


def test_snapshots_go_first_and_their_files_a_day_later(lake: Lake, duck: Duck, catalog: Catalog) -> None:
    lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
    for number in range(4):
        arrow_lake.append(lake, "t", [(number, "a"), (number, "b")])
    files = [entry.file for entry in lake.describe("t").files]
    arrow_lake.delete(lake, "t", {files[0].id: [0], files[1].id: [0, 1]})
    arrow_lake.delete(lake, "t", {files[0].id: [1]})
    last = lake.snapshots()[-1].id
    now = datetime.now(UTC) + LATER
    with lake.reader() as reader:
        assert find_expired(reader, lake.database.kind, now, timedelta(days=3)) == ()
        due = find_expired(reader, lake.database.kind, now, timedelta(days=1))
        assert due == tuple(range(last))
        # However short the retention: what open transactions have to check stays for an hour.
        assert find_expired(reader, lake.database.kind, datetime.now(UTC), NONE) == ()
    done = expire(lake.database, lake.data_path, now, timedelta(days=1))
    assert done.snapshots == due
    assert [snapshot.id for snapshot in lake.snapshots()] == [last]
    # Two data files without rows, and the delete files of the first.
    assert done.files == 3
    assert find_old_files(lake.database, lake.data_path, now) == {}
    cleaned = clean_up(lake.database, lake.data_path, now + timedelta(days=1))
    # The first delete file of the first was replaced before.
    assert {Path(path).exists() for path in cleaned} == {False}
    assert {file.path for file in files[:2]} < set(cleaned)
    assert find_orphans(lake.database, lake.data_path, now, NONE) == ()
    duck.attach(catalog.duck_uri, catalog.data_path)
    assert duck.execute("FROM t ORDER BY ALL") == [(2, "a"), (2, "b"), (3, "a"), (3, "b")]
    assert expire(lake.database, lake.data_path, now, timedelta(days=1)).snapshots == ()
