"""Adopting a copied lake, also while it is in use or when it fails."""

from __future__ import annotations

import json
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import InvalidRequest, StoreFailed
from headwater.lake import catalog as c
from headwater.lake.lake_verdict import LakeVerdict
from headwater.lake.marker import MARKER_FILE
from headwater.registry import install, leases, workers
from headwater.registry import tables as t
from tests.catalog.identity import (
    FIRST,
    NOW,
    files_of,
    lake_id,
    open_request_and_refresh,
    put_back,
    refuses_writes,
    rows,
    stays_writable,
    verdict,
)
from tests.fix_db import Catalog


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


def test_a_copy_by_hard_links_can_be_adopted_beside_its_original(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(home / "data", copy / "data", copy_function=os.link)
    shutil.copy(home / "catalog.sqlite", copy)
    before = verdict(home)
    refuses_writes(copy, LakeVerdict.COPY)
    with headwater.connect(copy) as lake:
        lake.adopt()
        lake.sql("DELETE FROM t WHERE k = 1")
        lake.maintain(rules=NOW)
        assert rows(lake) == FIRST[1:]
    assert verdict(home) is before
    stays_writable(home, before)
    assert lake_id(copy) != lake_id(home)


@pytest.mark.parametrize("where", ["home/data/copy", "home/data/main/copy", "."])
def test_a_copy_does_not_move_into_the_data_of_another_lake(home: Path, tmp_path: Path, where: str) -> None:
    catalog = tmp_path / "catalog.sqlite"
    shutil.copy(home / "catalog.sqlite", catalog)
    before = files_of(home)
    with headwater.connect(catalog, home / "data") as lake, pytest.raises(InvalidRequest, match="is inside"):
        lake.adopt(copy_data=str(tmp_path / where))
    assert files_of(home) == before
