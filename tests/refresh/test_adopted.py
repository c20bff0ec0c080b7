"""Dynamic tables of a copied lake go on from the versions that they have, or are recomputed where files are missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import headwater
from headwater.core.errors import LakeNotAdopted, NotInitialized
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.refresh.conftest import DETAILS


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
def test_dynamic_tables_of_a_copy_are_refreshed_apart_from_the_original(
    shop: Lake, catalog: Catalog, tmp_path: Path, duck: Duck, fresh: Callable[[Lake, str, str], None]
) -> None:
    copy = shutil.copytree(catalog.url, tmp_path / "copy")
    rows_before = shop.sql("FROM details ORDER BY ALL").rows
    with headwater.connect(copy) as lake:
        with pytest.raises(LakeNotAdopted):
            lake.refresh("details")
        lake.adopt()
        arrow_lake.append(lake, "orders", [(9, 2, 7), (10, None, None)])
        (done,) = lake.refresh("details")
        assert done.action != "REINITIALIZE"
        assert duck_rows(duck, copy, "details") == duck_rows(duck, copy, f"({DETAILS})")
        assert len(lake.sql("FROM details").rows) == len(rows_before) + 2
    assert shop.sql("FROM details ORDER BY ALL").rows == rows_before
    fresh(shop, "details", DETAILS)


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
def test_a_dynamic_table_without_its_files_is_recomputed(
    shop: Lake, catalog: Catalog, tmp_path: Path, duck: Duck
) -> None:
    for file in Path(catalog.data_path).rglob("details/*.parquet"):
        file.unlink()
    copy = shutil.copytree(catalog.url, tmp_path / "copy")
    with headwater.connect(copy) as lake:
        (lost,) = lake.adopt().incomplete
        assert (lost.name.name, lost.dynamic) == ("details", True)
        with pytest.raises(NotInitialized):
            lake.sql("FROM details")
        (done,) = lake.refresh("details")
        assert done.action == "REINITIALIZE"
        assert duck_rows(duck, copy, "details") == duck_rows(duck, copy, f"({DETAILS})")
        arrow_lake.append(lake, "orders", [(9, 2, 7)])
        lake.refresh("details")
        assert duck_rows(duck, copy, "details") == duck_rows(duck, copy, f"({DETAILS})")


def duck_rows(duck: Duck, folder: Path, source: str) -> list[tuple[object, ...]]:
    duck.attach(f"sqlite:{folder}/catalog.sqlite")
    found = duck.execute(f"SELECT id, name, amount FROM {source} ORDER BY ALL")
    duck.detach()
    return found
