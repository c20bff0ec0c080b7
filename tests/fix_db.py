"""Catalog databases: a folder with SQLite, or a fresh database on a PostgreSQL server of the run's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from tests.postgres import Postgres, run_postgres


@dataclass(frozen=True, slots=True)
class Catalog:
    """Where one lake is: `url` and `data_path` for Headwater, `duck_uri` and `data_path` for DuckDB."""

    kind: str
    url: str
    data_path: str
    duck_uri: str


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What Spark computes it computes on either database: such tests take one of them each, both in the long suite."""
    if os.environ.get("HEADWATER_DATABASES") == "both":
        return
    left_out = [item for item in items if isinstance(item, pytest.Function) and _has_its_turn_elsewhere(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def _has_its_turn_elsewhere(item: pytest.Function) -> bool:
    kinds: tuple[str, str] = ("sqlite", "postgres")
    given = getattr(item, "callspec", None)
    if given is None or "spark" not in item.fixturenames or given.params.get("catalog_kind") not in kinds:
        return False
    alone = item.get_closest_marker("parametrize")
    if alone is not None and "catalog_kind" in alone.args[0]:
        return False
    tests = [name for name in vars(item.module) if name.startswith("test_")]
    return bool(given.params["catalog_kind"] != kinds[tests.index(item.originalname) % 2])


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server for the run."""
    with run_postgres() as server:
        yield server


@pytest.fixture
def postgres_database(postgres: Postgres) -> Iterator[str]:
    """A fresh database, dropped after the test."""
    name = postgres.new_database()
    yield name
    postgres.drop_database(name)


@pytest.fixture(params=["sqlite", "postgres"])
def catalog_kind(request: pytest.FixtureRequest) -> str:
    """Each kind of catalog database in turn."""
    return str(request.param)


@pytest.fixture
def new_catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], Catalog]]:
    """Makes places for lakes, of the kind asked for; nothing is in them yet."""
    made: list[str] = []
    numbers = count()

    def make(kind: str) -> Catalog:
        folder = tmp_path / f"lake{next(numbers)}"
        folder.mkdir()
        data = f"{folder}/data/"
        if kind == "sqlite":
            return Catalog("sqlite", str(folder), data, f"sqlite:{folder}/catalog.sqlite")
        assert request.node.get_closest_marker("postgres"), "a test that asks for a database is marked postgres"
        server: Postgres = request.getfixturevalue("postgres")
        name = server.new_database()
        made.append(name)
        return Catalog("postgres", server.url(name), data, server.duck_uri(name))

    yield make
    for name in made:
        request.getfixturevalue("postgres").drop_database(name)


@pytest.fixture
def catalog(catalog_kind: str, new_catalog: Callable[[str], Catalog]) -> Catalog:
    """The place of one new lake, on SQLite or PostgreSQL."""
    return new_catalog(catalog_kind)
