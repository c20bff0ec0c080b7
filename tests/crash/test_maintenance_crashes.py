"""kill -9 at every named point of maintenance: no snapshot that stays reads otherwise, and the next run ends the work."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import headwater
from headwater.maintain.cleanup import clean_up
from headwater.maintain.expire import expire
from headwater.maintain.orphans import find_orphans, remove_orphans
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.processes import run_until_crash

NONE = timedelta(0)
LATER = timedelta(days=3)
QUERY = "SELECT rowid, * FROM t AT (VERSION => {}) ORDER BY ALL"


def compact(url: str, data_path: str) -> None:
    with headwater.connect(url, data_path) as lake:
        arrow_lake.compact(lake, "t")


def let_expire(url: str, data_path: str) -> None:
    with headwater.connect(url, data_path) as lake:
        expire(lake.database, lake.data_path, datetime.now(UTC) + LATER, timedelta(days=1))


def tidy(url: str, data_path: str) -> None:
    with headwater.connect(url, data_path) as lake:
        clean_up(lake.database, lake.data_path, datetime.now(UTC), NONE)


def _filled(lake: Lake) -> int:
    """A table with four files, one with a deleted row; the newest snapshot."""
    lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
    for number in range(4):
        arrow_lake.append(lake, "t", [(number, "a"), (number, "b")])
    first = min(entry.file.id for entry in lake.describe("t").files)
    return arrow_lake.delete(lake, "t", {first: [0]})


@pytest.mark.parametrize("point", ["staged", "snapshot-claimed", "rows-written", "landed"])
def test_compaction_is_there_whole_or_not_at_all(catalog: Catalog, duck: Duck, point: str) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        last = _filled(lake)
        duck.attach(catalog.duck_uri, catalog.data_path)
        before = {at: duck.execute(QUERY.format(at)) for at in range(2, last + 1)}
        duck.detach()
        # It rewrites first; where that landed, the second run merges.
        for _ in range(2):
            assert run_until_crash(compact, (catalog.url, catalog.data_path), point) == -9
            if point != "landed":
                now = datetime.now(UTC)
                assert len(find_orphans(lake.database, lake.data_path, now, NONE)) == 1
                assert len(remove_orphans(lake.database, lake.data_path, now, NONE)) == 1
        assert lake.snapshots()[-1].id == last + (2 if point == "landed" else 0)
        arrow_lake.compact(lake, "t")
        assert len(lake.describe("t").files) == 1
        duck.attach(catalog.duck_uri, catalog.data_path)
        assert {at: duck.execute(QUERY.format(at)) for at in range(2, last + 1)} == before
        assert duck.execute("SELECT rowid, * FROM t ORDER BY ALL") == before[last]


@pytest.mark.parametrize("point", ["snapshots-expired", "expired"])
def test_expiry_is_there_whole_or_not_at_all(catalog: Catalog, duck: Duck, point: str) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        last = _filled(lake)
        arrow_lake.compact(lake, "t")
        assert run_until_crash(let_expire, (catalog.url, catalog.data_path), point) == -9
        assert len(lake.snapshots()) == (1 if point == "expired" else last + 3)
        let_expire(catalog.url, catalog.data_path)
        assert len(lake.snapshots()) == 1
        clean_up(lake.database, lake.data_path, datetime.now(UTC) + 2 * LATER)
        assert find_orphans(lake.database, lake.data_path, datetime.now(UTC), NONE) == ()
        duck.attach(catalog.duck_uri, catalog.data_path)
        assert len(duck.execute("FROM t")) == 7


@pytest.mark.parametrize("point", ["files-deleted", "cleaned-up"])
def test_cleanup_forgets_no_file(catalog: Catalog, duck: Duck, point: str) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        _filled(lake)
        arrow_lake.compact(lake, "t")
        assert run_until_crash(tidy, (catalog.url, catalog.data_path), point) == -9
        left = clean_up(lake.database, lake.data_path, datetime.now(UTC), NONE)
        assert bool(left) == (point == "files-deleted")
        assert find_orphans(lake.database, lake.data_path, datetime.now(UTC), NONE) == ()
        duck.attach(catalog.duck_uri, catalog.data_path)
        assert len(duck.execute("FROM t")) == 7
        assert len(duck.execute("FROM t AT (VERSION => 5)")) == 8
