"""What the command line says about places that can't be used."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import headwater
from tests.fakes.clock import wrong_clock
from tests.fix_disk import Disk
from tests.surface.conftest import Cli


@pytest.mark.parametrize("command", [("init", "lake"), ("status", "--lake", "lake")])
def test_a_data_path_on_an_object_store_is_refused(cli: Cli, folder: Path, command: tuple[str, ...]) -> None:
    if command[0] == "status":
        headwater.connect(folder / "lake").close()
    before = sorted(folder.rglob("*"))
    ran = cli(*command, "--data-path", "s3://bucket/lake")
    assert ran.code == 1
    assert "error[HW-USE-001]" in ran.err
    assert "s3://bucket/lake" in ran.err
    assert sorted(folder.rglob("*")) == before


def test_init_names_the_folder_in_which_it_can_not_write_its_settings(
    cli: Cli, folder: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(disk.folder)
    with disk.read_only():
        # A folder is looked up by its path again, through the new mount.
        monkeypatch.chdir(disk.folder)
        ran = cli("init", str(folder / "lake"))
    assert ran.code == 1
    assert f'error[HW-LAKE-011]: cannot write "{disk.folder}/headwater.toml"' in ran.err
    assert "read-only" in ran.err


def test_a_worker_and_doctor_name_the_data_path_that_is_gone(cli: Cli, folder: Path) -> None:
    data = folder / "lake" / "data"
    with headwater.connect(folder / "lake") as lake:
        lake.sql("CREATE TABLE t AS SELECT i FROM range(3000) r(i)")
    data.rename(folder / "away")
    for command in (("worker", "--once"), ("doctor", "-o", "csv"), ("maintain",), ("sql", "SELECT 1")):
        ran = cli(command[0], "--lake", "lake", *command[1:])
        assert ran.code == 1, command
        assert f"{data}/" in ran.err + ran.out
        assert "Mount the file system or restore the folder" in ran.err + ran.out
        assert not data.exists()
    (folder / "away").rename(data)
    assert cli("sql", "--lake", "lake", "SELECT count(*) AS n FROM t", "-o", "csv").out == "n\n3000\n"


def test_a_wrong_clock_is_a_failed_check_and_a_warning(cli: Cli, folder: Path) -> None:
    with headwater.connect(folder / "lake") as lake:
        lake.clock = wrong_clock(timedelta(hours=2))
        lake.sql("CREATE TABLE t (i INT)")
    (check,) = [row for row in cli("doctor", "--lake", "lake", "-o", "json").rows if row["check"] == "clock"]
    assert check["result"] == "failed"
    assert "behind the newest snapshot" in check["found"]
    assert "NTP" in check["hint"]
    for command in ("status", "maintain"):
        ran = cli(command, "--lake", "lake")
        assert ran.code == 0
        assert "warning: the clock is" in ran.err
