"""The first hour with an own project: outside writers, a transaction, versions, a copy; DuckDB compares at each step."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import headwater
from headwater.core.errors import LakeNotAdopted, QueryFailed
from headwater.service.lake import Lake
from tests.duck import Duck

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SOURCES = """
CREATE TABLE customers (id INTEGER, name VARCHAR, "Region" VARCHAR);
CREATE TABLE orders (id INTEGER, customer_id INTEGER, amount DECIMAL(10, 2), ordered_at TIMESTAMP);
CREATE TABLE payments (order_id INTEGER, amount DECIMAL(10, 2));
INSERT INTO customers VALUES (1, 'ada', 'north'), (2, 'bob', NULL), (3, 'eve', 'Süd');
INSERT INTO orders VALUES (1, 1, 10, '2026-01-01 08:00'), (2, 1, 20, '2026-01-01 23:30'), (3, 2, 5, '2026-01-02 00:10'),
  (4, NULL, 7, NULL);
INSERT INTO payments VALUES (1, 10), (2, 5), (2, 5);
INSERT INTO orders SELECT 100 + i, 10 + i % 40, i, TIMESTAMP '2026-02-01' + i * INTERVAL 5 HOUR FROM range(200) t(i);
INSERT INTO payments SELECT 100 + i, i / 2 FROM range(200) t(i);
INSERT INTO customers SELECT 10 + i, 'customer ' || i, 'east' FROM range(40) t(i)
"""
# Each after the tables that it reads. Spark and DuckDB understand the queries alike.
QUERIES = {
    "order_details": 'SELECT o.id, o.amount, o.ordered_at, c.name, c."Region" AS region FROM orders o'
    " LEFT JOIN customers c ON c.id = o.customer_id",
    "sales_by_day": "SELECT date_trunc('day', ordered_at) AS day, count(*) AS n, sum(amount) AS amount FROM order_details"
    " GROUP BY 1",
    "paid": "SELECT order_id, sum(amount) AS paid, count(*) AS parts FROM payments GROUP BY order_id",
    "unpaid": "SELECT d.id, d.name, d.amount - coalesce(p.paid, 0) AS missing FROM order_details d"
    " LEFT JOIN paid p ON p.order_id = d.id WHERE d.amount > coalesce(p.paid, 0)",
    "last_orders": "SELECT name, id, amount FROM (SELECT name, id, amount,"
    " row_number() OVER (PARTITION BY name ORDER BY id DESC) AS place FROM order_details) AS ranked WHERE place = 1",
}


@pytest.fixture
def lake(tmp_path: Path, spark: SparkSession) -> Iterator[Lake]:
    with headwater.connect(tmp_path / "shop") as lake:
        lake.sql(SOURCES)
        for name, query in QUERIES.items():
            lake.sql(f"CREATE DYNAMIC TABLE {name} TARGET_LAG = '1 minute' AS {query}")
        yield lake


def assert_fresh(duck: Duck, folder: Path) -> None:
    """Every dynamic table equals its query, as DuckDB computes it over the base tables."""
    duck.attach(f"sqlite:{folder / 'catalog.sqlite'}", folder / "data")
    views = ", ".join(f"{name} AS ({query})" for name, query in QUERIES.items())
    for name in QUERIES:
        for one, other in ((f"lake.main.{name}", name), (name, f"lake.main.{name}")):
            assert duck.execute(f"WITH {views} (FROM {one} EXCEPT ALL FROM {other})") == [], (name, one)
    duck.detach()


def test_an_own_project_with_all_that_happens_in_the_first_hour(lake: Lake, tmp_path: Path, duck: Duck) -> None:
    shop, copy = tmp_path / "shop", tmp_path / "copy"
    assert_fresh(duck, shop)
    first = lake.versions("sales_by_day")[0].version
    before = lake.sql("FROM sales_by_day ORDER BY ALL").rows

    # Another program changes the tables, and deletes what it has just inserted.
    duck.attach(f"sqlite:{shop / 'catalog.sqlite'}", shop / "data")
    duck.execute(
        "INSERT INTO orders VALUES (5, 3, 12.5, '2026-01-02 12:00'), (6, 3, 1, '2026-01-03'), (6, 3, 1, '2026-01-03')"
    )
    duck.execute("""UPDATE customers SET "Region" = 'west' WHERE id = 1""")
    duck.execute("DELETE FROM orders WHERE id IN (3, 6)")
    duck.detach()
    lake.refresh()
    assert_fresh(duck, shop)
    last = [each for name in QUERIES for each in lake.history(name, limit=1)]
    assert [(each.name.name, each.reason) for each in last if each.action not in ("INCREMENTAL", "NO_DATA")] == []

    # A transaction lands as a whole or not at all.
    snapshot = lake.snapshots()[-1].id
    with pytest.raises(QueryFailed):
        lake.sql("BEGIN; DELETE FROM payments; SELECT nothing FROM payments; COMMIT")
    assert lake.snapshots()[-1].id == snapshot
    with lake.transaction():
        lake.sql("INSERT INTO payments VALUES (?, ?)", params=[5, 12.5])
        lake.sql("UPDATE orders SET amount = amount + 1 WHERE id = $id", params={"id": 2})
    assert lake.snapshots()[-1].id == snapshot + 1
    lake.refresh()
    assert_fresh(duck, shop)

    # Versions are restored in both directions, and the table follows again.
    newest = lake.versions("sales_by_day")[0].version
    rows = lake.sql("FROM sales_by_day ORDER BY ALL").rows
    lake.restore("sales_by_day", version=first)
    assert lake.sql("FROM sales_by_day ORDER BY ALL").rows == before
    lake.restore("sales_by_day", version=newest)
    assert lake.sql("FROM sales_by_day ORDER BY ALL").rows == rows
    lake.sql("ALTER DYNAMIC TABLE sales_by_day RESUME")
    lake.sql("INSERT INTO orders VALUES (7, 2, 3, '2026-01-01')")
    lake.refresh()
    assert_fresh(duck, shop)

    # A copy does nothing to the original, and goes its own way once it is adopted.
    shutil.copytree(shop, copy)
    with headwater.connect(copy) as other:
        with pytest.raises(LakeNotAdopted):
            other.sql("DELETE FROM orders")
        other.adopt()
        other.sql("DELETE FROM orders WHERE id < 5; DROP TABLE IF EXISTS none")
        other.refresh()
        other.maintain()
    lake.sql("INSERT INTO payments VALUES (1, 1)")
    lake.refresh()
    lake.maintain()
    for folder in (shop, copy):
        assert_fresh(duck, folder)
    assert [lake.verify(name).equal for name in QUERIES] == [True] * len(QUERIES)
