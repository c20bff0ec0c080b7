"""The guides on backups and copies: what they show is run as it stands, and DuckDB reads what comes of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import sqlalchemy as sa

import headwater
from tests import arrow_lake
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.postgres import Postgres, program_folder

ROOT = Path(__file__).resolve().parents[2]
BACKUP, COPIES = "docs/guides/backup.md", "docs/guides/copies.md"


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(script: str, **environment: str) -> None:
    """Run commands of a page in the current folder."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
    path = f"{Path(sys.executable).parent}:{program_folder()}:{known['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", script], env={**known, **environment, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def add_orders(place: str, ids: list[int], data_path: str | None = None) -> None:
    with headwater.connect(place, data_path) as lake:
        if not lake.tables():
            lake.sql("CREATE TABLE orders (id INTEGER)")
        arrow_lake.append(lake, "orders", [(each,) for each in ids])


def orders(duck: Duck, uri: str) -> list[int]:
    duck.attach(uri)
    found = [each for (each,) in duck.execute("FROM orders ORDER BY id")]
    duck.detach()
    return found


def test_the_guide_on_backups_restores_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, duck: Duck) -> None:
    monkeypatch.chdir(tmp_path)
    back_up, restore, *_ = blocks(BACKUP, "sh")
    add_orders("lake", [1, 2])
    run(back_up)
    add_orders("lake", [3])
    run(restore, HEADWATER_LAKE="lake")
    assert orders(duck, f"sqlite:{tmp_path}/lake/catalog.sqlite") == [1, 2]
    add_orders("lake", [4])
    assert orders(duck, f"sqlite:{tmp_path}/lake/catalog.sqlite") == [1, 2, 4]


@pytest.mark.postgres
def test_the_guide_on_backups_restores_postgresql(
    new_catalog: Callable[[str], Catalog],
    postgres: Postgres,
    monkeypatch: pytest.MonkeyPatch,
    duck: Duck,
) -> None:
    place = new_catalog("postgres")
    monkeypatch.chdir(Path(place.data_path).parent)
    _, _, back_up, restore = blocks(BACKUP, "sh")
    environment = of_server(postgres, place)
    add_orders(place.url, [1, 2], place.data_path)
    run(back_up, **environment)
    add_orders(place.url, [3])
    run(restore, **environment)
    assert orders(duck, place.duck_uri) == [1, 2]
    add_orders(place.url, [4])
    assert orders(duck, place.duck_uri) == [1, 2, 4]


def test_the_guide_on_copies_changes_the_copy_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, duck: Duck
) -> None:
    monkeypatch.chdir(tmp_path)
    add_orders("lake", [1, 2])
    run(blocks(COPIES, "sh")[0])
    (example,) = blocks(COPIES, "python")
    exec(example, {})
    found = {
        name: orders(duck, f"sqlite:{tmp_path}/{name}/catalog.sqlite") for name in ("lake", "test-lake", "scratch")
    }
    assert found == {"lake": [1, 2], "test-lake": [1], "scratch": [1, 2, 100]}


@pytest.mark.postgres
def test_the_guide_on_copies_copies_a_postgresql_catalog(
    new_catalog: Callable[[str], Catalog], postgres: Postgres, monkeypatch: pytest.MonkeyPatch, duck: Duck
) -> None:
    place = new_catalog("postgres")
    monkeypatch.chdir(Path(place.data_path).parent)
    add_orders(place.url, [1, 2], place.data_path)
    try:
        run(blocks(COPIES, "sh")[1], **of_server(postgres, place), COPY_URL=postgres.url("test_lake"))
        add_orders(postgres.url("test_lake"), [3])
        assert orders(duck, postgres.duck_uri("test_lake")) == [1, 2, 3]
        assert orders(duck, place.duck_uri) == [1, 2]
    finally:
        postgres.drop_database("test_lake")


def of_server(postgres: Postgres, place: Catalog) -> Mapping[str, str]:
    database = str(sa.make_url(place.url).database)
    return {"HEADWATER_LAKE": place.url, "SERVER_URL": postgres.url("postgres"), "DATABASE": database}
