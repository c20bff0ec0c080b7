"""Lakes that earlier releases made: they open, upgrade, refresh incrementally and verify."""

from __future__ import annotations

import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

import headwater
from headwater.core.semantics import sql_mode
from headwater.refresh.find import all_tables
from headwater.service.adopt import examine
from headwater.service.lake import Lake
from headwater.service.migrate import upgrade
from tests.fix_db import Catalog
from tests.lakes.make import MADE_IN
from tests.postgres import program_folder

INCREMENTAL = ("details", "marts.by_region", "latest", "top", "daily")
LAKES = sorted(folder for folder in Path(__file__).parent.iterdir() if (folder / "catalog.sqlite").exists())


def schema_of(lake: Lake, name: str) -> tuple[tuple[str, str], ...]:
    return tuple((column.name, column.type_text()) for column in lake.describe(name).schema)


def _opened(made: Path, catalog: Catalog) -> Lake:
    """A copy of the lake, in another place than the one where it was made."""
    assert not MADE_IN.exists()
    folder = Path(catalog.data_path).parent
    if catalog.kind == "sqlite":
        shutil.copy(made / "catalog.sqlite", folder)
        shutil.copytree(made / "data", catalog.data_path)
        return headwater.connect(folder)
    psql = [program_folder() / "psql", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname", catalog.url]
    subprocess.run([*psql, "--file", made / "postgres.sql"], check=True, stdout=subprocess.DEVNULL)
    shutil.copytree(made / "postgres-data", catalog.data_path)
    return headwater.connect(catalog.url, catalog.data_path)


def _upgrade(lake: Lake) -> None:
    """Upgrade a lake that another place has, and make it writable here."""
    upgrade(lake.site)
    report = examine(lake.site)
    assert report is not None
    if not report.writable:
        lake.adopt()


def _modes(lake: Lake) -> dict[str, object]:
    with lake.reader() as reader:
        return {str(each.name): sql_mode(each.session) for each in all_tables(reader)}


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("made", LAKES, ids=lambda made: made.name)
@pytest.mark.parametrize("catalog_kind", ["sqlite", "postgres"])
def test_a_lake_of_an_earlier_release_goes_on(made: Path, catalog: Catalog) -> None:
    with _opened(made, catalog) as lake:
        _upgrade(lake)
        modes = _modes(lake)
        before = {(row.id, row.state, row.action, row.reason) for row in lake.history()}
        # The tables are so small that any change is a large one.
        for name in INCREMENTAL:
            lake.sql(f"ALTER DYNAMIC TABLE {name} SET REFRESH_MODE = INCREMENTAL")
        types = {name: schema_of(lake, name) for name in (*INCREMENTAL, "whole")}
        snapshots = {table.name.name: table.data_snapshot for table in lake.status()}
        *incremental, full = lake.refresh(*INCREMENTAL, "whole")
        assert {each.action for each in incremental} == {"INCREMENTAL"}, [each.reason for each in incremental]
        assert full.action == "FULL"
        assert all((each.data_snapshot or 0) > (snapshots[each.name.name] or 0) for each in (*incremental, full))
        assert before < {(row.id, row.state, row.action, row.reason) for row in lake.history()}
        # Refreshes by this release keep the session, and so the meaning and the types of the stored definitions.
        assert {name: schema_of(lake, name) for name in types} == types
        assert _modes(lake) == modes
        if made.name == "2026-11-18":
            assert set(modes.values()) == {sql_mode({})}
        (at_rest,) = (each for each in lake.status() if each.name.name == "at_rest")
        assert at_rest.state == "SUSPENDED"
        assert at_rest.suspended_reason in ("suspended by a person", "suspended by a user")
        for table in lake.status():
            found = lake.verify(str(table.name))
            assert found.equal, (table.name, found)
        assert (
            lake.sql("SELECT * FROM marts.by_region ORDER BY region NULLS FIRST").rows
            == lake.sql(
                "SELECT c.region, count(*), sum(amount), CAST(avg(amount) AS DECIMAL(13, 6))"
                " FROM orders o LEFT JOIN customers c ON o.customer = c.id GROUP BY ALL ORDER BY region NULLS FIRST"
            ).rows
        )


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("made", LAKES, ids=lambda made: made.name)
@pytest.mark.parametrize("catalog_kind", ["sqlite", "postgres"])
def test_versions_of_an_earlier_release_can_be_restored(made: Path, catalog: Catalog) -> None:
    with _opened(made, catalog) as lake:
        shown = {snapshot.id: snapshot.time for snapshot in lake.snapshots()}
        _upgrade(lake)
        current, *earlier = lake.versions("details")
        assert [each.is_current for each in (current, *earlier)] == [True, *(False for _ in earlier)]
        assert earlier
        for each in (*earlier, current):
            assert each.restorable
            assert abs(each.created_at - shown[each.version]) < timedelta(seconds=1)
            lake.restore("details", version=each.version)
            then = lake.sql(f"SELECT * FROM details AT (VERSION => {each.version})").rows
            assert sorted(lake.sql("SELECT * FROM details").rows, key=repr) == sorted(then, key=repr)
            (record, *_) = lake.history("details", 1)
            assert record.reason == f"restored to version {each.version}"
        lake.sql("ALTER DYNAMIC TABLE details RESUME")
        lake.refresh("details")
        assert lake.verify("details").equal
