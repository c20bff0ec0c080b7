"""A lake knows itself: what a copy, a move, a restore or a mount does to it, and what may then be done with it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import DataPathMissing, InvalidRequest, LakeNotAdopted, StoreFailed
from headwater.lake import catalog as c
from headwater.lake.lake_verdict import LakeVerdict
from headwater.lake.marker import MARKER_FILE
from headwater.maintain.steps import Rules
from headwater.registry import install, leases, workers
from headwater.registry import tables as t
from headwater.service.adopt import examine
from headwater.service.doctor import check_adopted
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.postgres import Postgres

FIRST = [(1, "a"), (2, "b")]
SECOND = [(3, "c")]
NOW = Rules(retention_days=0, grace=timedelta(0), orphan_age=timedelta(0))
needs_mounts = pytest.mark.skipif(
    sys.platform != "linux"
    or os.geteuid() != 0
    or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0,
    reason="bind mounts need root on Linux",
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A lake of the test's own, in the folder `home`."""
    with headwater.connect(tmp_path / "home") as lake:
        fill(lake)
    return tmp_path / "home"


def fill(lake: Lake) -> None:
    lake.sql("CREATE TABLE t (k INTEGER, v VARCHAR)")
    arrow_lake.append(lake, "t", FIRST)


def rows(lake: Lake) -> list[tuple[int, str]]:
    """The rows of t, from the files that the catalog lists."""
    positions = arrow_lake.live_positions(lake, "t")
    found = []
    for entry in lake.describe("t").files:
        held = pq.read_table(entry.file.path, columns=["k", "v"]).to_pylist()
        found += [(held[at]["k"], held[at]["v"]) for at in positions[entry.file.id]]
    return sorted(found)


def verdict(place: Path | str, data_path: str | None = None) -> LakeVerdict:
    with headwater.connect(place, data_path) as lake:
        report = examine(lake.site)
        assert report is not None
        return report.verdict


def stays_writable(place: Path | str, expected: LakeVerdict, data_path: str | None = None) -> None:
    """The lake has this verdict, can be read and written, and is then the same in its place."""
    with headwater.connect(place, data_path) as lake:
        report = examine(lake.site)
        assert report is not None
        assert report.verdict is expected
        before = rows(lake)
        assert check_adopted(lake.site).ok
        arrow_lake.append(lake, "t", SECOND)
        assert rows(lake) == sorted(before + SECOND)
        lake.maintain(rules=NOW)
        assert rows(lake) == sorted(before + SECOND)
    with headwater.connect(place, data_path) as lake:
        assert rows(lake) == sorted(before + SECOND)


def refuses_writes(place: Path | str, expected: LakeVerdict, data_path: str | None = None) -> LakeNotAdopted:
    """The lake has this verdict, can be read, and nothing can be changed; returns the error."""
    with headwater.connect(place, data_path) as lake:
        before, files = rows(lake), files_of(Path(lake.data_path))
        at = lake.describe("t")
        staged = arrow_lake.stage(lake, at, [])
        assert staged == ()
        found = [_refusal(act, lake) for act in WRITES]
        assert {error.verdict for error in found} == {expected}
        check = check_adopted(lake.site)
        assert not check.ok
        assert str(expected) in check.found
        assert "headwater adopt" in (check.hint or "")
        assert rows(lake) == before
        assert files_of(Path(lake.data_path)) == files
    return found[0]


WRITES: tuple[Callable[[Lake], object], ...] = (
    lambda lake: lake.sql("CREATE TABLE other (i INTEGER)"),
    lambda lake: lake.sql("INSERT INTO t VALUES (9, 'x')"),
    lambda lake: lake.sql("CREATE DYNAMIC TABLE d AS SELECT k FROM t"),
    lambda lake: lake.sql("DROP TABLE t"),
    lambda lake: lake.maintain(rules=NOW),
    lambda lake: (install.install(lake.database), leases.provide(lake.database, 1)),
    lambda lake: lake.database.execute(workers.unregister_stmt("w")),
)


def _refusal(act: Callable[[Lake], object], lake: Lake) -> LakeNotAdopted:
    with pytest.raises(LakeNotAdopted) as caught:
        act(lake)
    assert caught.value.code == "HW-ADOPT-001"
    return caught.value


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def is_a_lake_of_its_own(duck: Duck, copy: Catalog, original: Catalog) -> None:
    """Both can be changed and maintained to the last file, and neither loses a row; by DuckDB, which knows no markers."""
    with headwater.connect(copy.url, copy.data_path) as lake:
        lake.sql("DROP TABLE t")
        lake.sql("CREATE TABLE mine (i INTEGER)")
        lake.maintain(rules=NOW)
    with headwater.connect(original.url, original.data_path) as lake:
        arrow_lake.append(lake, "t", SECOND)
        expected = rows(lake)
        lake.maintain(rules=NOW)
    duck.attach(original.duck_uri)
    assert duck.execute("FROM t ORDER BY k") == expected
    duck.attach(copy.duck_uri)
    duck.execute("INSERT INTO mine FROM range(100)")
    assert duck.execute("SELECT count(*), sum(i) FROM mine") == [(100, 4950)]
    assert list(Path(copy.data_path).rglob("mine/*"))
    assert not list(Path(original.data_path).rglob("mine/*"))


def place_of(folder: Path) -> Catalog:
    return Catalog("sqlite", str(folder), f"{folder}/data/", f"sqlite:{folder}/catalog.sqlite")


# SQLite, by the table of the design


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


def put_back(older: Path, catalog: Path, in_place: bool) -> None:
    """Replace the catalog by its backup, as cp or as mv does."""
    if in_place:
        catalog.write_bytes(older.read_bytes())
    else:
        older.rename(catalog)


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
        assert _refusal(WRITES[0], lake).verdict is LakeVerdict.COPIED_BEFORE_MARKED
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


def in_mounts(mount: str, place: Path) -> list[str]:
    """The verdicts on the lake before and after a write, by a process that has these mounts."""
    program = ["unshare", "-m", "sh", "-ec", f"{mount}; exec {sys.executable} -c '{_IN_MOUNTS}' {place}"]
    return subprocess.run(program, check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


# PostgreSQL


@pytest.fixture
def shared(new_catalog: Callable[[str], Catalog]) -> Catalog:
    """A lake on PostgreSQL."""
    place = new_catalog("postgres")
    with headwater.connect(place.url, place.data_path) as lake:
        fill(lake)
    return place


@pytest.fixture
def dump(postgres: Postgres, tmp_path: Path, shared: Catalog) -> Iterator[Callable[[], Catalog]]:
    """Copies the lake's database to a new one; what is in the data folder stays where it is."""
    made: list[str] = []

    def copy() -> Catalog:
        name, like = postgres.new_database(), sa.make_url(shared.url).database
        made.append(name)
        postgres.drop_database(name)
        postgres.execute(f"CREATE DATABASE {name} TEMPLATE {like}")
        return Catalog("postgres", postgres.url(name), f"{tmp_path}/{name}/data/", postgres.duck_uri(name))

    yield copy
    for name in made:
        postgres.drop_database(name)


@pytest.mark.postgres
def test_an_untouched_lake_on_postgresql_is_the_same(shared: Catalog) -> None:
    stays_writable(shared.url, LakeVerdict.SAME)


@pytest.mark.postgres
def test_a_restored_dump_beside_the_original_deletes_none_of_its_files(
    shared: Catalog, dump: Callable[[], Catalog], duck: Duck, tmp_path: Path
) -> None:
    copy = dump()
    files = files_of(Path(shared.data_path))
    refuses_writes(copy.url, LakeVerdict.SECOND_CATALOG)
    assert files_of(Path(shared.data_path)) == files
    with headwater.connect(copy.url) as lake:
        assert lake.adopt(copy_data=copy.data_path).copied == 1
        assert rows(lake) == FIRST
    stays_writable(copy.url, LakeVerdict.SAME)
    is_a_lake_of_its_own(duck, copy, shared)


@pytest.mark.postgres
def test_a_dump_with_a_copied_folder_is_a_copy(shared: Catalog, dump: Callable[[], Catalog], duck: Duck) -> None:
    copy = dump()
    shutil.copytree(shared.data_path, copy.data_path)
    refuses_writes(copy.url, LakeVerdict.COPY, copy.data_path)
    with headwater.connect(copy.url, copy.data_path) as lake:
        lake.adopt()
    stays_writable(copy.url, LakeVerdict.SAME)
    is_a_lake_of_its_own(duck, copy, shared)


@pytest.mark.postgres
def test_a_folder_at_another_path_belongs_to_its_postgresql_catalog(shared: Catalog, tmp_path: Path) -> None:
    elsewhere = shutil.move(shared.data_path.rstrip("/"), tmp_path / "elsewhere")
    stays_writable(shared.url, LakeVerdict.MOUNTED_ELSEWHERE, f"{elsewhere}/")
    assert verdict(shared.url, f"{elsewhere}/") is LakeVerdict.MOUNTED_ELSEWHERE
    with headwater.connect(shared.url, f"{elsewhere}/") as lake:
        lake.adopt()
    stays_writable(shared.url, LakeVerdict.SAME)


@pytest.mark.postgres
def test_of_two_databases_of_one_origin_only_the_first_writer_goes_on(shared: Catalog) -> None:
    """A point-in-time clone has the same identifiers; here, the database goes back instead."""
    with headwater.connect(shared.url) as lake:
        last = lake.snapshots()[-1].id
        arrow_lake.append(lake, "t", SECOND)
        arrow_lake.append(lake, "t", [(4, "d")])
    go_back(shared, last)
    refuses_writes(shared.url, LakeVerdict.DIFFERENT_TIMES)
    with headwater.connect(shared.url) as lake:
        lake.adopt(restored=True)
        assert rows(lake) == FIRST
    stays_writable(shared.url, LakeVerdict.SAME)


def go_back(place: Catalog, snapshot: int) -> None:
    """Undo, as a restore to a point in time does, what was committed after the snapshot."""
    engine = sa.create_engine(sa.make_url(place.url).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        for table, column in (
            ("ducklake_snapshot", "snapshot_id"),
            ("ducklake_snapshot_changes", "snapshot_id"),
            ("ducklake_data_file", "begin_snapshot"),
        ):
            connection.execute(sa.text(f"DELETE FROM {table} WHERE {column} > {snapshot}"))
    engine.dispose()


@pytest.mark.postgres
def test_without_its_marker_a_lake_on_postgresql_can_only_be_read(shared: Catalog) -> None:
    (Path(shared.data_path) / MARKER_FILE).unlink()
    refuses_writes(shared.url, LakeVerdict.NO_MARKER)
    with headwater.connect(shared.url) as lake:
        lake.adopt()
    stays_writable(shared.url, LakeVerdict.SAME)


@pytest.mark.postgres
def test_a_lake_on_postgresql_from_before_markers_gets_one(shared: Catalog, dump: Callable[[], Catalog]) -> None:
    forget_marker(Path(shared.data_path).parent, shared)
    copy = dump()
    stays_writable(shared.url, LakeVerdict.UNMARKED)
    assert verdict(shared.url) is LakeVerdict.SAME
    refuses_writes(copy.url, LakeVerdict.COPIED_BEFORE_MARKED)


@pytest.mark.postgres
def test_data_of_another_lake_is_not_read_on_postgresql(shared: Catalog, tmp_path: Path) -> None:
    with headwater.connect(tmp_path / "other") as other:
        fill(other)
    shutil.rmtree(shared.data_path)
    shutil.copytree(tmp_path / "other" / "data", shared.data_path)
    with pytest.raises(LakeNotAdopted) as caught:
        headwater.connect(shared.url)
    assert caught.value.verdict is LakeVerdict.OTHER_LAKE


# What adoption does besides


def test_a_copy_has_none_of_the_originals_leases_workers_requests_and_refreshes(home: Path, tmp_path: Path) -> None:
    with headwater.connect(home) as lake:
        install.install(lake.database)
        leases.provide(lake.database, 1)
        lease = leases.take(lake.database, 1)
        assert lease is not None
        worker = workers.Worker("w", "host", 1, "0", datetime.now(UTC))
        lake.database.execute(workers.register_stmt(worker, "sqlite"), *open_request_and_refresh())
        copy = shutil.copytree(home, tmp_path / "copy")
    with headwater.connect(copy) as lake:
        lake.adopt()
        with lake.reader() as reader:
            assert workers.living(reader.connection, "sqlite") == ()
            assert leases.holders(reader.connection, "sqlite") == {}
            states = reader.connection.execute(sa.select(t.refresh.c.state, t.refresh.c.ended_at)).all()
            assert [(state, ended is not None) for state, ended in states] == [("FAILED", True)]
            assert reader.connection.execute(sa.select(t.request.c.done_at)).scalar_one() is not None
    with headwater.connect(home) as lake:
        assert leases.status(lake.database, lease).held


def test_files_of_others_are_not_deleted(home: Path, tmp_path: Path) -> None:
    """A file that was added from elsewhere may be another lake's; a copy of the lake does not even schedule it."""
    foreign = tmp_path / "foreign.parquet"
    foreign.write_bytes(b"somebody's")
    scheduled = c.files_scheduled_for_deletion
    row = {"data_file_id": 99, "path": str(foreign), "path_is_relative": False, "schedule_start": datetime.now(UTC)}
    with headwater.connect(home) as lake:
        lake.database.execute(sa.insert(scheduled).values(row))
    copy = shutil.copytree(home, tmp_path / "copy")
    for place in (copy, home):
        with headwater.connect(place) as lake:
            lake.adopt()
            with lake.reader() as reader:
                ids = reader.connection.execute(sa.select(scheduled.c.data_file_id)).scalars().all()
                assert list(ids) == ([99] if place == home else [])
            lake.maintain(only=["cleanup"], rules=NOW)
            assert foreign.exists()
            with lake.reader() as reader:
                assert reader.connection.execute(sa.select(scheduled.c.data_file_id)).all() == []


def test_nobody_is_refused_while_others_bind_and_write(catalog: Catalog) -> None:
    """Catalog and marker change one after the other, and each process reads them one after the other."""
    headwater.connect(catalog.url, catalog.data_path).close()
    stop = threading.Event()

    def write() -> int:
        written = 0
        with headwater.connect(catalog.url) as lake:
            while not stop.is_set():
                lake.database.transact(
                    lambda c: c.execute(workers.beat_stmt("w", None, lake.database.kind)), queue=False
                )
                lake.database.admit()
                written += 1
        return written

    with headwater.connect(catalog.url) as lake, ThreadPoolExecutor(3) as pool:
        install.install(lake.database)
        writers = [pool.submit(write) for _ in range(3)]
        for number in range(15):
            lake.maintain(only=["cleanup"], rules=NOW)
            lake.sql(f"CREATE TABLE t{number} (i INTEGER)")
        stop.set()
        assert all(writer.result() > 0 for writer in writers)
        assert verdict(catalog.url) is LakeVerdict.SAME


def test_to_adopt_a_lake_that_is_in_use_disturbs_nobody(home: Path) -> None:
    with headwater.connect(home) as lake:
        install.install(lake.database)
        leases.provide(lake.database, 1)
        lease = leases.take(lake.database, 1)
        assert lease is not None
        known, catalog = lake_id(home), files_of(home)
        assert lake.adopt().lake_id == known
        assert files_of(home) == catalog
        assert leases.status(lake.database, lease).held


def open_request_and_refresh() -> tuple[sa.Executable, ...]:
    now = datetime.now(UTC)
    refresh = {"id": "r", "table_id": 1, "schema_name": "main", "table_name": "d", "warehouse": "DEFAULT"}
    refresh |= {"state": "RUNNING", "trigger": "MANUAL", "started_at": now, "sources": "[]", "runs": 1}
    request = {"id": "q", "table_id": 1, "requested_at": now, "requested_by": "somebody"}
    return sa.insert(t.refresh).values(**refresh), sa.insert(t.request).values(**request)


def test_missing_files_are_copied_from_the_original_or_named(home: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(home, tmp_path / "copy")
    (lost,) = copy.rglob("*.parquet")
    lost.unlink()
    with headwater.connect(copy) as lake:
        adoption = lake.adopt()
        assert (adoption.copied, adoption.incomplete) == (1, ())
        assert rows(lake) == FIRST
    (lost,) = home.rglob("*.parquet")
    lost.unlink()
    (home / "data" / MARKER_FILE).unlink()
    with headwater.connect(home) as lake:
        (table,) = lake.adopt().incomplete
        assert (str(table.name), table.files, table.dynamic) == ('"main"."t"', 1, False)


def test_a_failed_first_write_leaves_the_lake_writable(home: Path, tmp_path: Path) -> None:
    """The marker is written before the catalog commits; whatever fails in between, the next write goes on."""
    moved = home.rename(tmp_path / "moved")

    def fail(_connection: sa.Connection) -> None:
        raise InvalidRequest("stop")

    with headwater.connect(moved) as lake:
        with pytest.raises(InvalidRequest):
            lake.database.write(fail)
        assert json.loads((moved / "data" / MARKER_FILE).read_text())["previous_generation"] is not None
    stays_writable(moved, LakeVerdict.MOVED)
    assert json.loads((moved / "data" / MARKER_FILE).read_text())["previous_generation"] is None


def test_a_failed_adoption_can_be_repeated(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = shutil.copytree(home, tmp_path / "copy")

    def fail(*_arguments: object) -> None:
        raise InvalidRequest("stop")

    with headwater.connect(copy) as lake, monkeypatch.context() as patch:
        patch.setattr("headwater.service.adopt.settle", fail)
        with pytest.raises(InvalidRequest):
            lake.adopt()
    refuses_writes(copy, LakeVerdict.COPY)
    with headwater.connect(copy) as lake:
        lake.adopt()
    stays_writable(copy, LakeVerdict.SAME)
    stays_writable(home, LakeVerdict.SAME)


def test_a_catalog_that_is_replaced_under_an_open_lake_is_not_written_to(home: Path, tmp_path: Path) -> None:
    older = shutil.copy(home / "catalog.sqlite", tmp_path)
    with headwater.connect(home) as lake:
        put_back(Path(older), home / "catalog.sqlite", in_place=False)
        with pytest.raises(StoreFailed, match="was replaced"):
            lake.sql("CREATE TABLE other (i INTEGER)")
    assert verdict(home) is LakeVerdict.RESTORED_IN_PLACE


def lake_id(folder: Path) -> str:
    return str(json.loads((folder / "data" / MARKER_FILE).read_text())["lake_id"])


def data_path_of(folder: Path) -> str:
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as catalog:
        ((found,),) = catalog.execute("SELECT value FROM ducklake_metadata WHERE key = 'data_path'").fetchall()
    return str(found)


def forget_marker(folder: Path, place: Catalog | None = None) -> None:
    """Make the lake one from before markers."""
    (folder / "data" / MARKER_FILE).unlink()
    url = f"sqlite:///{folder}/catalog.sqlite"
    if place is not None:
        url = sa.make_url(place.url).set(drivername="postgresql+psycopg")  # type: ignore[assignment]
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM ducklake_metadata WHERE key LIKE 'headwater_%'"))
    engine.dispose()
