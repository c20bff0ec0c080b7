"""A lake with a little shop in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import headwater
from headwater.service.lake import Lake
from tests.duck import Duck
from tests.fix_db import Catalog
from tests.refresh.followed import Bench

SHOP = """
    CREATE TABLE orders (id INTEGER, customer INTEGER, amount DECIMAL(10,2));
    CREATE TABLE customers (id INTEGER, name VARCHAR);
    INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5), (3, 2, 5), (4, NULL, NULL);
    INSERT INTO customers VALUES (1, 'ann'), (2, 'bob');
"""
DETAILS = "SELECT o.id, c.name, o.amount FROM orders o LEFT JOIN customers c ON o.customer = c.id"


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        yield opened


@pytest.fixture
def shop(lake: Lake) -> Lake:
    """Orders and customers, and the dynamic table details over both."""
    lake.sql(SHOP)
    lake.sql(f"CREATE DYNAMIC TABLE details AS {DETAILS}")
    return lake


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
