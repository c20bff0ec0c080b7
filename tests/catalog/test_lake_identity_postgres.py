"""A lake on PostgreSQL knows itself: dumps, copied folders, and databases of one origin."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

import headwater
from headwater.core.errors import LakeNotAdopted
from headwater.lake.lake_verdict import LakeVerdict
from headwater.lake.marker import MARKER_FILE
from tests import arrow_lake
from tests.catalog.identity import (
    FIRST,
    SECOND,
    files_of,
    fill,
    forget_marker,
    go_back,
    is_a_lake_of_its_own,
    refuses_writes,
    rows,
    stays_writable,
    verdict,
)
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.postgres import Postgres


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
