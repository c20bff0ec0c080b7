"""No room left: for the lake's files, for its catalog, for what Spark computes with. It is told, and goes on with room."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import headwater
from headwater.core.errors import DiskFull, RefreshFailed, StoreFull
from headwater.maintain.orphans import find_orphans
from tests.faults import scene
from tests.fix_disk import Disk
from tests.processes import Partner
from tests.simulation.lake import Quick, playing


@pytest.mark.parametrize("point", ["announced", "snapshot-claimed"])
def test_without_room_for_its_files_a_table_stays_as_it_is(disk: Disk, tmp_path: Path, point: str) -> None:
    with scene.make(str(tmp_path / "lake"), f"{disk.folder}/data/") as lake, playing(Quick()):
        scene.change(lake, 1)
        lake.clock = scene.Hasty(1.0)
        with scene.AtPoint(point, disk.fill) as at:
            outcome = scene.refresh_once(lake)
        assert at.reached
        assert outcome.state == "FAILED"
        assert isinstance(outcome.error, DiskFull)
        assert str(disk.folder) in outcome.error.message
        scene.check(lake)
        soon = datetime.now(UTC) + timedelta(minutes=1)
        assert find_orphans(lake.database, lake.data_path, soon, timedelta(0)) == ()
        disk.free()
        scene.finish(lake, 2.0)
        scene.check_at_rest(lake)


@pytest.mark.parametrize("point", [None, "announced", "rows-written"])
def test_without_room_for_its_catalog_a_lake_stays_as_it_is(disk: Disk, tmp_path: Path, point: str | None) -> None:
    with scene.make(str(disk.folder / "lake"), f"{tmp_path}/data/") as lake, playing(Quick()):
        scene.change(lake, 1)
        before = lake.snapshots()[-1].id
        lake.clock = scene.Hasty(1.0)
        if point is None:
            disk.fill()
            with pytest.raises(StoreFull):
                scene.refresh_once(lake)
        else:
            with scene.AtPoint(point, disk.fill):
                outcome = scene.refresh_once(lake)
            assert (outcome.state, type(outcome.error)) == ("FAILED", StoreFull)
        assert lake.snapshots()[-1].id == before
        scene.check(lake)
        disk.free()
        scene.expire_leases(lake)
        scene.finish(lake, 2.0)
        scene.check_at_rest(lake)


def refresh_with_spark(talk: Connection, place: str, scratch: str) -> None:
    """Refresh a table by a Spark that keeps its temporary files in a folder, each time that it is told to."""
    from headwater.execute.session import spark_session

    options = {"spark.local.dir": scratch, "spark.master": "local[1]", "spark.sql.shuffle.partitions": "1"}
    spark = spark_session({**options, "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"})
    with headwater.connect(place) as lake:
        lake.sql("CREATE TABLE t (k BIGINT, x BIGINT)")
        lake.sql("CREATE DYNAMIC TABLE d REFRESH_MODE = FULL AS SELECT k, sum(x) AS s FROM t GROUP BY k")
        lake.append("t", spark.range(1000).selectExpr("id % 100 AS k", "id AS x"))
        talk.send("ready")
        while talk.recv():
            try:
                lake.refresh("d")
                talk.send((lake.verify("d").equal, lake.describe("d").rows))
            except RefreshFailed as error:
                talk.send((str(error), lake.describe("d").rows))
    spark.stop()
    talk.send("stopped")


@pytest.mark.spark
def test_without_room_for_what_spark_computes_with_a_refresh_fails(disk: Disk, tmp_path: Path) -> None:
    with Partner(refresh_with_spark, (str(tmp_path / "lake"), str(disk.folder))) as computing:
        assert computing.hear() == "ready"
        disk.fill()
        computing.say(True)
        text, rows = computing.hear()
        assert "no space left for Spark's temporary files" in text
        assert "spark.local.dir" in text
        assert rows == 0
        disk.free()
        computing.say(True)
        assert computing.hear() == (True, 100)
        computing.say(False)
        assert computing.hear() == "stopped"
