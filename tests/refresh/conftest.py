"""A lake with a little shop in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

import headwater
from headwater.service.lake import Lake
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.postgres import Postgres
from tests.refresh.followed import Bench

SHOP = """
    CREATE TABLE orders (id INTEGER, customer INTEGER, amount DECIMAL(10,2));
    CREATE TABLE customers (id INTEGER, name VARCHAR);
    INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5), (3, 2, 5), (4, NULL, NULL);
    INSERT INTO customers VALUES (1, 'ann'), (2, 'bob');
"""
DETAILS = "SELECT o.id, c.name, o.amount FROM orders o LEFT JOIN customers c ON o.customer = c.id"


@pytest.fixture(scope="session")
def new_shop(tmp_path_factory: pytest.TempPathFactory, spark: object) -> Callable[[Catalog, Postgres | None], None]:
    """Makes a shop in the place of a new lake, on the server if it is not on SQLite: a copy of the first of its kind."""
    templates: dict[str, Catalog] = {}

    def make(catalog: Catalog, server: Postgres | None) -> None:
        if catalog.kind not in templates:
            templates[catalog.kind] = _template(tmp_path_factory.mktemp("shop"), server)
        template = templates[catalog.kind]
        shutil.copytree(template.data_path, catalog.data_path)
        if server is None:
            shutil.copy(f"{template.url}/catalog.sqlite", catalog.url)
        else:
            name, like = (sa.make_url(each.url).database for each in (catalog, template))
            server.drop_database(str(name))
            server.execute(f"CREATE DATABASE {name} TEMPLATE {like}")
        with headwater.connect(catalog.url, catalog.data_path) as lake:
            lake.adopt()

    return make


def _template(folder: Path, server: Postgres | None) -> Catalog:
    """Orders and customers, and the dynamic table details over both."""
    kind, url = ("sqlite", str(folder)) if server is None else ("postgres", server.url(server.new_database()))
    template = Catalog(kind, url, f"{folder}/data/", "")
    with headwater.connect(template.url, template.data_path) as lake:
        lake.sql(SHOP)
        lake.sql(f"CREATE DYNAMIC TABLE details AS {DETAILS}")
    return template


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


@pytest.fixture
def shop(
    catalog: Catalog, new_shop: Callable[[Catalog, Postgres | None], None], request: pytest.FixtureRequest
) -> Iterator[Lake]:
    """Orders and customers, and the dynamic table details over both."""
    new_shop(catalog, request.getfixturevalue("postgres") if catalog.kind == "postgres" else None)
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


@pytest.fixture
def fresh(catalog: Catalog, duck: Duck) -> Callable[[Lake, str, str], None]:
    """Checks that a table holds just what its query gives now, by DuckDB."""

    def check(lake: Lake, name: str, query: str) -> None:
        duck.attach(catalog.duck_uri, catalog.data_path)
        columns = ", ".join(f'"{column}"' for column, _ in duck.columns(f"SELECT * FROM {name}"))
        both = (f"SELECT {columns} FROM {name}", f"SELECT * FROM ({query})")
        for one, other in (both, both[::-1]):
            assert duck.execute(f"{one} EXCEPT ALL {other}") == []
        duck.detach()

    return check


@pytest.fixture
def bench(new_catalog: Callable[[str], Catalog], duck: Duck) -> Iterator[Bench]:
    """An empty lake, and DuckDB beside it."""
    catalog = new_catalog("sqlite")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        bench = Bench(lake, duck, catalog)
        yield bench
        bench.verified()
