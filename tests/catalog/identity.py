"""What a lake of the identity tests holds, and checks of what may be done with it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import LakeNotAdopted
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

FIRST = [(1, "a"), (2, "b")]
SECOND = [(3, "c")]
NOW = Rules(retention_days=0, grace=timedelta(0), orphan_age=timedelta(0))
WRITES: tuple[Callable[[Lake], object], ...] = (
    lambda lake: lake.sql("CREATE TABLE other (i INTEGER)"),
    lambda lake: lake.sql("INSERT INTO t VALUES (9, 'x')"),
    lambda lake: lake.sql("CREATE DYNAMIC TABLE d AS SELECT k FROM t"),
    lambda lake: lake.sql("DROP TABLE t"),
    lambda lake: lake.maintain(rules=NOW),
    lambda lake: (install.install(lake.database), leases.provide(lake.database, 1)),
    lambda lake: lake.database.execute(workers.unregister_stmt("w")),
)


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
        found = [refusal(act, lake) for act in WRITES]
        assert {error.verdict for error in found} == {expected}
        check = check_adopted(lake.site)
        assert not check.ok
        assert str(expected) in check.found
        assert "headwater adopt" in (check.hint or "")
        assert rows(lake) == before
        assert files_of(Path(lake.data_path)) == files
    return found[0]


def refusal(act: Callable[[Lake], object], lake: Lake) -> LakeNotAdopted:
    with pytest.raises(LakeNotAdopted) as caught:
        act(lake)
    assert caught.value.code == "HW-ADOPT-001"
    return caught.value


def put_back(older: Path, catalog: Path, in_place: bool) -> None:
    """Replace the catalog by its backup, as cp or as mv does."""
    if in_place:
        catalog.write_bytes(older.read_bytes())
    else:
        older.rename(catalog)


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


def open_request_and_refresh() -> tuple[sa.Executable, ...]:
    now = datetime.now(UTC)
    refresh = {"id": "r", "table_id": 1, "schema_name": "main", "table_name": "d", "warehouse": "DEFAULT"}
    refresh |= {"state": "RUNNING", "trigger": "MANUAL", "started_at": now, "sources": "[]", "runs": 1}
    request = {"id": "q", "table_id": 1, "requested_at": now, "requested_by": "somebody"}
    return sa.insert(t.refresh).values(**refresh), sa.insert(t.request).values(**request)
