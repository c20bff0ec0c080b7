"""Faults of the environment: each act says what failed, where, and what to do, changes nothing, and works again afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from pyspark.sql import SparkSession

import headwater
from headwater.core.errors import DataPathMissing, DiskFull, FileFailed, InvalidRequest
from headwater.lake import catalog as c
from headwater.lake.marker import MARKER_FILE
from headwater.service.lake import Lake
from tests.faults import acts, scene
from tests.fix_disk import Disk
from tests.simulation.lake import Quick, playing

SMALL = "small insert"


def _refused(found: dict[str, str | None], names: tuple[str, ...], code: str, place: str, remedy: str) -> None:
    """Each of the acts failed with this code, at this place, with this remedy."""
    for name in names:
        text = found[name]
        assert text is not None, name
        assert text.startswith(f"error[{code}]: "), (name, text)
        assert place in text, (name, text)
        assert remedy in text.partition("\nhint: ")[2], (name, text)


def _succeeded(found: dict[str, str | None], names: tuple[str, ...]) -> None:
    assert {name: found[name] for name in names} == dict.fromkeys(names)


def _contents(lake: Lake) -> dict[str, list[tuple[object, ...]]]:
    return {str(name): sorted(lake.sql(f"SELECT * FROM {name}").rows, key=repr) for name in lake.tables()}


def _files(folder: Path) -> set[str]:
    return {str(file) for file in folder.rglob("*") if file.is_file() and file.name != MARKER_FILE}


def _as_before(lake: Lake, before: dict[str, list[tuple[object, ...]]]) -> None:
    """All contents but rows of small inserts are those of before, and all acts work again."""
    lake.sql("DELETE FROM other")
    assert _contents(lake) == before
    scene.expire_leases(lake)
    with playing(Quick()):
        assert set(acts.play_with(lake).values()) == {None}
    lake.sql("DROP DYNAMIC TABLE copied")
    scene.finish(lake, 2.0)
    scene.check(lake)


def test_on_a_read_only_file_system_a_lake_can_be_read(disk: Disk) -> None:
    place = str(disk.folder / "lake")
    with scene.make(place, None) as lake:
        before = _contents(lake)
    files = _files(disk.folder)
    with disk.read_only():
        found = acts.play(place)
        assert _files(disk.folder) == files
    _succeeded(found, acts.READS)
    _refused(found, (SMALL, "refresh"), "HW-STORE-002", f"{place}/catalog.sqlite", "Mount")
    _refused(found, ("insert", "create table as"), "HW-STORE-002", place, "Mount")
    _refused(found, ("create dynamic table",), "HW-LAKE-011", f"{place}/data/main/", "Mount")
    with headwater.connect(place) as lake:
        _as_before(lake, before)


def test_a_read_only_data_path_is_named_with_its_remedy(disk: Disk, tmp_path: Path) -> None:
    data = f"{disk.folder}/data/"
    with scene.make(str(tmp_path / "lake"), data) as lake:
        before, files = _contents(lake), _files(disk.folder)
        with disk.read_only(), playing(Quick()):
            found = acts.play_with(lake)
            assert _files(disk.folder) == files
        _succeeded(found, ("query", "status"))
        written = tuple(name for name in acts.WRITES if name not in (SMALL, "refresh"))
        _refused(found, written, "HW-LAKE-011", data, "Mount it for writing")
        _as_before(lake, before)


def test_a_full_data_path_is_named_with_its_remedy(disk: Disk, tmp_path: Path) -> None:
    data = f"{disk.folder}/data/"
    with scene.make(str(tmp_path / "lake"), data) as lake:
        before = _contents(lake)
        with disk.full(), playing(Quick()):
            found = acts.play_with(lake)
        _succeeded(found, ("query", "status"))
        written = tuple(name for name in acts.WRITES if name not in (SMALL, "refresh"))
        _refused(found, written, "HW-LAKE-010", data, "Free some space")
        _as_before(lake, before)


def test_a_full_disk_under_the_catalog_is_named_where_duckdb_tells_of_a_failed_rollback(disk: Disk) -> None:
    place = str(disk.folder / "lake")
    with scene.make(place, None) as lake:
        before = _contents(lake)
        with disk.full(), playing(Quick()):
            found = acts.play_with(lake)
        _refused(found, (SMALL, "refresh"), "HW-STORE-005", f"{place}/catalog.sqlite", "Free some space")
        _as_before(lake, before)


def test_a_data_path_that_vanished_is_not_made_anew(disk: Disk, tmp_path: Path) -> None:
    data, away = disk.folder / "data", disk.folder / "away"
    with scene.make(str(tmp_path / "lake"), f"{data}/") as lake:
        before, files = _contents(lake), _files(data)
        scene.change(lake, 1)
        data.rename(away)
        with playing(Quick()):
            found = acts.play_with(lake)
        assert not data.exists()
        _refused(acts.play(str(tmp_path / "lake")), ("connect",), DataPathMissing.code, f"{data}/", "Mount")
        refused = (*acts.WRITES, "query", "maintain")
        _refused(found, refused, DataPathMissing.code, f"{data}/", "Mount the file system or restore the folder")
        away.rename(data)
        assert files <= _files(data)
        changed = _contents(lake)
        assert changed['"main"."sums"'] == before['"main"."sums"']
        _as_before(lake, changed)


def test_a_lake_without_files_makes_its_data_path_at_the_first_write(tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "lake") as lake:
        shutil.rmtree(tmp_path / "lake" / "data")
        lake.sql("CREATE TABLE t AS SELECT i FROM range(3000) r(i)")
        assert lake.sql("SELECT count(*), sum(i) FROM t").rows == ((3000, 4498500),)


# Root may write everywhere unless its programs give up this right.
_WITHOUT_RIGHTS = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()


def _acts_without_rights(place: str) -> dict[str, str | None]:
    command = [*_WITHOUT_RIGHTS, sys.executable, "-m", "tests.faults.acts", place]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    found: dict[str, str | None] = json.loads(done.stdout)
    return found


def test_missing_rights_are_named_with_the_path(tmp_path: Path) -> None:
    place = tmp_path / "lake"
    with scene.make(str(place), None) as lake:
        before = _contents(lake)
    folders = [place / "data", *(each for each in (place / "data").rglob("*") if each.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    found = _acts_without_rights(str(place))
    _succeeded(found, acts.READS)
    refused = ("insert", "create table as", "create dynamic table")
    _refused(found, refused, "HW-LAKE-008", f"{place}/data/", "Grant this user access")
    for folder in folders:
        folder.chmod(0o755)
    place.chmod(0o555)
    found = _acts_without_rights(str(place))
    _succeeded(found, acts.READS)
    _refused(found, (SMALL, "refresh"), "HW-STORE-002", f"{place}/catalog.sqlite", "Grant this user access")
    place.chmod(0o755)
    with headwater.connect(place) as lake:
        _as_before(lake, before)


@pytest.mark.parametrize("scheme", ["s3", "gs", "az", "abfss", "http", "https", "r2"])
def test_a_data_path_on_an_object_store_is_refused_before_anything_is_made(tmp_path: Path, scheme: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        headwater.connect(tmp_path / "lake", f"{scheme}://bucket/data")
    assert f"{scheme}://bucket/data" in caught.value.message
    assert "folder" in (caught.value.hint or "")
    assert not (tmp_path / "lake").exists()


def test_a_lake_of_another_client_on_an_object_store_is_refused_at_connect(tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "lake") as lake:
        options = c.ducklake_metadata
        lake.database.execute(sa.update(options).where(options.c.key == "data_path").values(value="s3://bucket/data/"))
    before = _files(tmp_path)
    with pytest.raises(InvalidRequest, match="s3://bucket/data/"):
        headwater.connect(tmp_path / "lake")
    assert _files(tmp_path) == before


@pytest.mark.usefixtures("spark")
def test_tasks_of_spark_report_the_fault_of_a_file(disk: Disk, tmp_path: Path, spark: SparkSession) -> None:
    with headwater.connect(tmp_path / "lake", disk.folder / "data") as lake:
        lake.sql("CREATE TABLE t (i BIGINT)")
        lake.append("t", spark.range(10).selectExpr("id AS i"))
        many = spark.range(0, 1_800_003, 1, 3).selectExpr("xxhash64(id) AS i")
        with disk.read_only(), pytest.raises(FileFailed) as caught:
            lake.append("t", many)
        assert str(caught.value.path).startswith(f"{disk.folder}/data/main/t/")
        with pytest.raises(DiskFull) as caught_full:
            lake.append("t", many)
        assert str(caught_full.value.path).startswith(f"{disk.folder}/data/main/t/")
        assert len(_files(disk.folder)) == 1
        assert sorted(lake.sql("SELECT i FROM t").rows) == [(n,) for n in range(10)]
