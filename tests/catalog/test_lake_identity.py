"""A lake knows itself: what a copy, a move, a restore or a mount does to it, and what may then be done with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

import headwater
from headwater.core.errors import DataPathMissing, InvalidRequest, LakeNotAdopted
from headwater.lake.lake_verdict import LakeVerdict
from headwater.lake.marker import MARKER_FILE
from headwater.maintain.steps import Rules
from tests import arrow_lake
from tests.catalog.identity import (
    FIRST,
    NOW,
    SECOND,
    WRITES,
    data_path_of,
    files_of,
    fill,
    forget_marker,
    is_a_lake_of_its_own,
    lake_id,
    place_of,
    put_back,
    refusal,
    refuses_writes,
    rows,
    stays_writable,
    verdict,
)
from tests.duck import Duck
from tests.fix_db import Catalog

needs_mounts = pytest.mark.skipif(
    sys.platform != "linux"
    or os.geteuid() != 0
    or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0,
    reason="bind mounts need root on Linux",
)
_IN_MOUNTS = """
import sys, headwater
from headwater.service.adopt import examine
from tests import arrow_lake
for _ in range(2):
    with headwater.connect(sys.argv[1]) as lake:
        print(examine(lake.site).verdict)
        if not _:
            arrow_lake.append(lake, "t", [(3, "c")])
"""


def test_an_untouched_lake_is_the_same(home: Path) -> None:
    stays_writable(home, LakeVerdict.SAME)
    assert verdict(home) is LakeVerdict.SAME


def test_a_lake_opened_by_a_symbolic_link_is_the_same(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    stays_writable(tmp_path / "link", LakeVerdict.SAME)
    assert verdict(home) is LakeVerdict.SAME


def test_a_moved_lake_goes_on_and_clients_find_it(home: Path, tmp_path: Path, duck: Duck) -> None:
    moved = home.rename(tmp_path / "moved")
    stays_writable(moved, LakeVerdict.MOVED)
    assert verdict(moved) is LakeVerdict.SAME
    duck.attach(place_of(moved).duck_uri)
    duck.execute("INSERT INTO t VALUES (9, 'duck')")
    assert duck.execute("SELECT k FROM t ORDER BY k") == [(1,), (2,), (3,), (9,)]
    assert not home.exists()


def test_a_renamed_catalog_goes_on(home: Path) -> None:
    renamed = (home / "catalog.sqlite").rename(home / "shop.sqlite")
    stays_writable(renamed, LakeVerdict.MOVED)
    assert verdict(renamed) is LakeVerdict.SAME


def test_a_copy_changes_nothing_until_it_is_adopted(home: Path, tmp_path: Path, duck: Duck) -> None:
    copy = shutil.copytree(home, tmp_path / "copy")
    with headwater.connect(home) as lake:
        arrow_lake.append(lake, "t", SECOND)
    error = refuses_writes(copy, LakeVerdict.COPY)
    assert str(home) in (error.detail or "")
    assert str(copy) in (error.detail or "")
    with headwater.connect(copy) as lake:
        assert rows(lake) == FIRST
        adoption = lake.adopt()
        assert (adoption.verdict, adoption.data_path) == (LakeVerdict.COPY, f"{copy}/data/")
    assert verdict(copy) is LakeVerdict.SAME
    assert lake_id(home) != lake_id(copy) == adoption.lake_id
    stays_writable(copy, LakeVerdict.SAME)
    is_a_lake_of_its_own(duck, place_of(copy), place_of(home))


def test_a_copy_whose_original_is_gone_may_be_either(home: Path, tmp_path: Path) -> None:
    known = lake_id(home)
    copy = shutil.copytree(home, tmp_path / "copy")
    shutil.rmtree(home)
    refuses_writes(copy, LakeVerdict.COPY_OR_MOVED)
    with headwater.connect(copy) as lake:
        assert lake.adopt(restored=True).lake_id == known
    stays_writable(copy, LakeVerdict.SAME)


def test_a_lake_that_is_restored_at_its_path_goes_on(home: Path, tmp_path: Path) -> None:
    backup = shutil.copytree(home, tmp_path / "backup")
    with headwater.connect(home) as lake:
        arrow_lake.append(lake, "t", SECOND)
    shutil.rmtree(home)
    shutil.copytree(backup, home)
    stays_writable(home, LakeVerdict.RESTORED_IN_PLACE)
    assert verdict(home) is LakeVerdict.SAME


def test_a_backup_unpacked_over_newer_files_keeps_them_for_a_while(home: Path, tmp_path: Path) -> None:
    subprocess.run(["tar", "-cf", tmp_path / "backup.tar", "-C", tmp_path, "home"], check=True)
    with headwater.connect(home) as lake:
        arrow_lake.append(lake, "t", SECOND)
    newer = set(home.rglob("*.parquet"))
    subprocess.run(["tar", "-xf", tmp_path / "backup.tar", "-C", tmp_path], check=True)
    assert verdict(home) is LakeVerdict.RESTORED_IN_PLACE
    with headwater.connect(home) as lake:
        assert rows(lake) == FIRST
        kept, _ = lake.maintain(only=["orphans"], rules=Rules(retention_days=7, orphan_age=timedelta(0)))
        assert (kept.state, kept.files) == ("left", 1)
        assert newer <= set(home.rglob("*.parquet"))
        lake.maintain(only=["orphans"], rules=NOW)
        assert not newer <= set(home.rglob("*.parquet"))
        assert rows(lake) == FIRST
    assert verdict(home) is LakeVerdict.SAME


@pytest.mark.parametrize("in_place", [False, True])
def test_an_older_catalog_does_not_write_to_newer_files(home: Path, tmp_path: Path, in_place: bool) -> None:
    older = shutil.copy(home / "catalog.sqlite", tmp_path)
    with headwater.connect(home) as lake:
        arrow_lake.append(lake, "t", SECOND)
    put_back(Path(older), home / "catalog.sqlite", in_place)
    refuses_writes(home, LakeVerdict.DIFFERENT_TIMES)
    with headwater.connect(home) as lake:
        with pytest.raises(LakeNotAdopted):
            lake.adopt()
        lake.adopt(restored=True)
        assert rows(lake) == FIRST
    stays_writable(home, LakeVerdict.SAME)


def test_an_older_catalog_is_recognized_after_commits_of_others(home: Path, tmp_path: Path, duck: Duck) -> None:
    older = shutil.copy(home / "catalog.sqlite", tmp_path)
    with headwater.connect(home) as lake:
        arrow_lake.append(lake, "t", SECOND)
    put_back(Path(older), home / "catalog.sqlite", in_place=True)
    duck.attach(place_of(home).duck_uri)
    for key in range(10, 13):
        duck.execute(f"INSERT INTO t VALUES ({key}, 'duck')")
    duck.detach()
    assert verdict(home) is LakeVerdict.DIFFERENT_TIMES
    with headwater.connect(home) as lake, pytest.raises(LakeNotAdopted):
        lake.sql("CREATE TABLE other (i INTEGER)")


def test_an_older_catalog_is_recognized_by_maintenance_alone(home: Path, tmp_path: Path) -> None:
    older = shutil.copy(home / "catalog.sqlite", tmp_path)
    with headwater.connect(home) as lake:
        lake.maintain(rules=NOW)
    put_back(Path(older), home / "catalog.sqlite", in_place=False)
    refuses_writes(home, LakeVerdict.DIFFERENT_TIMES)


@pytest.mark.parametrize("where", ["home/copy.sqlite", "elsewhere/catalog.sqlite"])
def test_a_copied_catalog_is_a_second_one(home: Path, tmp_path: Path, where: str, duck: Duck) -> None:
    copy = tmp_path / where
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(home / "catalog.sqlite", copy)
    files = files_of(home / "data")
    error = refuses_writes(copy, LakeVerdict.SECOND_CATALOG)
    assert str(home / "catalog.sqlite") in (error.detail or "")
    assert files_of(home / "data") == files
    with headwater.connect(copy) as lake:
        for refused in ({}, {"restored": True}):
            with pytest.raises(LakeNotAdopted):
                lake.adopt(**refused)
        adoption = lake.adopt(copy_data=str(tmp_path / "own"))
        assert (adoption.data_path, adoption.copied) == (f"{tmp_path}/own/", 1)
        assert rows(lake) == FIRST
    mine = Catalog("sqlite", str(copy), f"{tmp_path}/own/", f"sqlite:{copy}")
    stays_writable(copy, LakeVerdict.SAME)
    is_a_lake_of_its_own(duck, mine, place_of(home))


def test_a_second_catalog_can_take_over(home: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    copy = Path(shutil.copy(home / "catalog.sqlite", tmp_path / "new"))
    with headwater.connect(copy) as lake:
        assert lake.adopt(take_over=True).lake_id == lake_id(home)
    stays_writable(copy, LakeVerdict.SAME)
    refuses_writes(home, LakeVerdict.SECOND_CATALOG)


def test_without_its_marker_a_lake_can_only_be_read(home: Path) -> None:
    (home / "data" / MARKER_FILE).unlink()
    refuses_writes(home, LakeVerdict.NO_MARKER)
    with headwater.connect(home) as lake:
        lake.adopt()
    stays_writable(home, LakeVerdict.SAME)


def test_a_vanished_data_folder_is_not_made_anew(home: Path) -> None:
    with headwater.connect(home) as lake:
        shutil.rmtree(home / "data")
        with pytest.raises(DataPathMissing):
            WRITES[1](lake)
    assert not (home / "data").exists()


def test_data_of_another_lake_is_not_even_read(home: Path, tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "other") as other:
        fill(other)
    shutil.rmtree(home / "data")
    shutil.copytree(tmp_path / "other" / "data", home / "data")
    with pytest.raises(LakeNotAdopted) as caught:
        headwater.connect(home)
    assert caught.value.verdict is LakeVerdict.OTHER_LAKE


def test_a_new_lake_does_not_take_the_data_folder_of_another(home: Path, tmp_path: Path) -> None:
    files = files_of(home)
    with pytest.raises(LakeNotAdopted):
        headwater.connect(tmp_path / "new", home / "data")
    assert files_of(home) == files


def test_a_lake_from_before_markers_gets_one_at_its_first_write(home: Path) -> None:
    forget_marker(home)
    with headwater.connect(home) as lake:
        assert rows(lake) == FIRST
    assert not (home / "data" / MARKER_FILE).exists()
    stays_writable(home, LakeVerdict.UNMARKED)
    assert verdict(home) is LakeVerdict.SAME


def test_a_copy_from_before_markers_changes_nothing(home: Path, tmp_path: Path, duck: Duck) -> None:
    forget_marker(home)
    copy = shutil.copytree(home, tmp_path / "copy")
    stays_writable(home, LakeVerdict.UNMARKED)
    refuses_writes(copy, LakeVerdict.COPIED_BEFORE_MARKED)
    with headwater.connect(copy) as lake:
        lake.adopt()
        assert (rows(lake), lake.data_path) == (FIRST, f"{copy}/data/")
    is_a_lake_of_its_own(duck, place_of(copy), place_of(home))


def test_a_copied_catalog_from_before_markers_changes_nothing(home: Path, tmp_path: Path) -> None:
    forget_marker(home)
    (tmp_path / "new").mkdir()
    copy = Path(shutil.copy(home / "catalog.sqlite", tmp_path / "new"))
    stays_writable(home, LakeVerdict.UNMARKED)
    with headwater.connect(copy) as lake:
        assert refusal(WRITES[0], lake).verdict is LakeVerdict.COPIED_BEFORE_MARKED
        with pytest.raises(LakeNotAdopted):
            lake.adopt()


@needs_mounts
def test_a_mounted_lake_keeps_its_path(home: Path, tmp_path: Path) -> None:
    before = data_path_of(home)
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    visible = f"mount --bind {home} {mounted}"
    hidden = f"{visible} && mount -t tmpfs none {home}"
    assert in_mounts(visible, mounted) == ["same", "same"]
    assert in_mounts(hidden, mounted) == ["mounted elsewhere", "mounted elsewhere"]
    assert data_path_of(home) == before
    assert verdict(home) is LakeVerdict.SAME
    with headwater.connect(home) as lake:
        assert rows(lake) == sorted(FIRST + SECOND + SECOND)


def in_mounts(mount: str, place: Path) -> list[str]:
    """The verdicts on the lake before and after a write, by a process that has these mounts."""
    program = ["unshare", "-m", "sh", "-ec", f"{mount}; exec {sys.executable} -c '{_IN_MOUNTS}' {place}"]
    return subprocess.run(program, check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


@pytest.mark.parametrize("where", ["home/data/inner/data", "home/data/main/t/data", ""])
def test_no_new_lake_is_inside_the_data_of_another_or_around_it(home: Path, tmp_path: Path, where: str) -> None:
    with pytest.raises(InvalidRequest, match="is inside") as caught:
        headwater.connect(tmp_path / "new.sqlite", tmp_path / where)
    assert caught.value.hint is not None
    assert not (tmp_path / "new.sqlite").exists()
    with headwater.connect(home) as lake:
        assert rows(lake) == FIRST


def test_a_refused_data_folder_leaves_no_catalog(home: Path, tmp_path: Path) -> None:
    with pytest.raises(LakeNotAdopted):
        headwater.connect(tmp_path / "new", home / "data")
    assert not (tmp_path / "new").exists() or list((tmp_path / "new").iterdir()) == []


def test_maintenance_leaves_alone_a_lake_that_was_put_inside(home: Path, tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "other") as lake:
        fill(lake)
    inner = shutil.move(tmp_path / "other", home / "data" / "main" / "other")
    for file in home.rglob("*.parquet"):
        os.utime(file, (0, 0))
    stray = home / "data" / "main" / "ducklake-00000000-0000-7000-8000-000000000000.parquet"
    stray.touch()
    os.utime(stray, (0, 0))
    with headwater.connect(home) as lake:
        lake.maintain(rules=NOW)
        assert rows(lake) == FIRST
    assert not stray.exists()
    with headwater.connect(inner) as lake:
        assert rows(lake) == FIRST
        arrow_lake.append(lake, "t", SECOND)
        assert rows(lake) == FIRST + SECOND
