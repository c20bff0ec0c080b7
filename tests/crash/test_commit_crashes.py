"""kill -9 at every named point around a commit: nothing lost, nothing doubled, what is left behind is found."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import headwater
from headwater.maintain.orphans import find_orphans, remove_orphans
from tests import arrow_lake
from tests.crash.commit_points import POINTS, TIMES
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.processes import run_all, run_until_crash


def change(url: str, data_path: str, number: int) -> int:
    """Add a row, and delete the first row of the first file in the same commit if it has more than one left."""
    with headwater.connect(url, data_path) as lake:
        (file, positions), *_ = arrow_lake.live_positions(lake, "t").items()
        return arrow_lake.update(lake, "t", {file: positions[:1]}, [(number, "new")], [1_000 + number])


@pytest.mark.parametrize("point", POINTS)
def test_a_writer_killed_around_its_commit_leaves_the_lake_whole(catalog: Catalog, duck: Duck, point: str) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
        arrow_lake.append(lake, "t", [(n, "old") for n in range(100)])
        expected = {(n, "old") for n in range(100)}
        for number in range(1000, 1000 + TIMES):
            # One that lands first, so that the next has to extend a delete file.
            run_all(change, [(catalog.url, catalog.data_path, number + 5000)])
            expected = (expected | {(number + 5000, "new")}) - {min(expected)}
            before = lake.snapshots()[-1].id
            assert run_until_crash(change, (catalog.url, catalog.data_path, number), point) == -9
            landed = lake.snapshots()[-1].id > before
            assert landed == (point == "landed")
            if landed:
                expected = (expected | {(number, "new")}) - {min(expected)}
            duck.attach(catalog.duck_uri, catalog.data_path)
            assert sorted(duck.execute("SELECT * FROM t")) == sorted(expected)
            duck.detach()
            now, none = datetime.now(UTC), timedelta(0)
            orphans = find_orphans(lake.database, lake.data_path, now, none)
            assert bool(orphans) != landed
            assert find_orphans(lake.database, lake.data_path, now) == ()
            assert remove_orphans(lake.database, lake.data_path, now, none) == orphans
            assert find_orphans(lake.database, lake.data_path, now, none) == ()
