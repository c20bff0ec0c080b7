"""Tables that change all the time, and dynamic tables that follow them."""

from __future__ import annotations

from random import Random

from headwater.service.lake import Lake

SETUP = """
    CREATE TABLE orders (id INTEGER, customer INTEGER, amount DECIMAL(10,2));
    CREATE TABLE customers (id INTEGER, name VARCHAR);
    INSERT INTO orders SELECT i, i % 20, i % 97 FROM range(2000) r(i);
    INSERT INTO customers SELECT i, 'c' || (i % 7) FROM range(20) r(i);
"""
QUERIES = {
    "details": "SELECT o.id, c.name, o.amount FROM orders o JOIN customers c ON o.customer = c.id",
    "totals": "SELECT name, sum(amount) AS s, count(*) AS n FROM details GROUP BY name",
    "top": "SELECT name, s FROM totals WHERE s > 1000",
    "busy": "SELECT customer, count(*) AS n, max(amount) AS m FROM orders GROUP BY customer",
}


# Tables as small as these are mostly computed in full where Headwater may choose.
FOLLOWED = ("details", "totals")


def open_shop(lake: Lake, lag: str = "2 seconds") -> None:
    """Make the tables."""
    lake.sql(SETUP)
    for name, query in QUERIES.items():
        mode = "INCREMENTAL" if name in FOLLOWED else "AUTO"
        lake.sql(f"CREATE DYNAMIC TABLE {name} TARGET_LAG = '{lag}' REFRESH_MODE = {mode} AS {query}")


def change(random: Random) -> str:
    """A statement that changes a few rows."""
    low = random.randrange(2000)
    return random.choice(
        (
            f"INSERT INTO orders SELECT i, i % 25, i % 89 FROM range({low}, {low + random.randrange(1, 40)}) r(i)",
            f"UPDATE orders SET amount = amount + 1 WHERE id % 50 = {low % 50}",
            f"DELETE FROM orders WHERE id BETWEEN {low} AND {low + 25}",
            f"UPDATE customers SET name = 'c{low % 9}' WHERE id = {low % 20}",
        )
    )


def expanded(name: str, at: str = "") -> str:
    """The query of a dynamic table over base tables alone, as DuckDB reads it; `at` says as of when."""
    query = QUERIES[name]
    for base in ("orders", "customers"):
        for word in ("FROM", "JOIN"):
            query = query.replace(f"{word} {base} ", f"{word} (SELECT * FROM {base}{at}) ")
    for other in QUERIES:
        if f"FROM {other} " in query:
            query = query.replace(f"FROM {other} ", f"FROM ({expanded(other, at)}) AS {other} ")
    return query
