"""A query restated with the present names of its tables and columns gives the same rows under the same names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from headwater.core.names import TableName, folded
from headwater.sql.column_owners import RenamedSource
from headwater.sql.rename_sources import rename_sources
from headwater.sql.statements import ObjectName
from tests.duck import Duck

ORDERS = RenamedSource(
    TableName("main", "sales"), True, (("id", "key"), ("customer", "customer"), ("amount", "Total $"), ("s", "t"))
)
# Two columns have exchanged their names.
CUSTOMERS = RenamedSource(TableName("store", "orders"), True, (("id", "name"), ("name", "id")))
NATIONS = RenamedSource(TableName("main", "nations"), False, (("id", "id"), ("label", "title")))
SOURCES = {"orders": ORDERS, "customers": CUSTOMERS, "nations": NATIONS}

BEFORE = """
    CREATE TABLE orders (id INTEGER, customer INTEGER, amount INTEGER, s STRUCT(id INTEGER, b INTEGER));
    CREATE SCHEMA shop;
    CREATE TABLE shop.customers (id INTEGER, name VARCHAR);
    CREATE VIEW customers AS SELECT * FROM shop.customers;
    CREATE TABLE nations (id INTEGER, label VARCHAR);
    CREATE VIEW seen AS SELECT id, amount AS paid FROM orders;
"""
AFTER = """
    CREATE TABLE sales (key INTEGER, customer INTEGER, "Total $" INTEGER, t STRUCT(id INTEGER, b INTEGER));
    CREATE SCHEMA store;
    CREATE TABLE store.orders (name INTEGER, id VARCHAR);
    CREATE TABLE orders (wrong VARCHAR);
    CREATE TABLE nations (id INTEGER, title VARCHAR);
    CREATE VIEW seen AS SELECT key AS id, "Total $" AS paid FROM sales;
"""
ROWS = (
    (
        "orders",
        "sales",
        "(1, 1, 10, {'id': 5, 'b': 1}), (2, 1, 20, NULL), (3, 2, 5, {'id': 6, 'b': 2}), (3, 2, 5, NULL)",
    ),
    ("shop.customers", "store.orders", "(1, 'ann'), (2, 'bob'), (3, NULL)"),
    ("nations", "nations", "(1, 'de'), (2, 'fr')"),
)

# The query, and what of it must be found in the restated one.
QUERIES = {
    "SELECT id, amount FROM orders -- as written": '"Total $" AS amount FROM sales -- as written',
    "SELECT o.id AS k, sum(o.amount) AS s FROM orders o GROUP BY o.id": "FROM sales o GROUP BY o.key",
    "SELECT orders.id,   customers.name\nFROM orders JOIN shop.customers ON orders.customer = customers.id": "",
    "SELECT shop.customers.name FROM shop.customers WHERE shop.customers.id > 1": "",
    "SELECT * FROM orders": "",
    "SELECT o.*, c.name FROM orders o LEFT JOIN shop.customers c ON o.customer = c.id": "",
    "SELECT count(*) AS n FROM orders WHERE amount > 5": 'SELECT count(*) AS n FROM sales WHERE "Total $" > 5',
    "SELECT id, c.name FROM orders JOIN shop.customers c USING (id)": "",
    "SELECT o.id, name FROM orders o NATURAL JOIN shop.customers": "",
    "WITH orders AS (SELECT id, name FROM shop.customers) SELECT orders.id, name FROM orders": "",
    "WITH big AS (SELECT id, amount FROM orders WHERE amount > 5) SELECT id, amount FROM big ORDER BY id LIMIT 9": "",
    "WITH sales AS (SELECT 1 AS id) SELECT o.id FROM orders o, sales": "main.sales o",
    "SELECT id FROM orders UNION ALL SELECT id FROM shop.customers ORDER BY id LIMIT 99": "",
    "SELECT upper(name) AS name FROM shop.customers WHERE name <> 'bob'": "upper(id) AS name",
    "SELECT upper(name) AS name, count(*) AS n FROM shop.customers GROUP BY 1": "",
    "SELECT DISTINCT id FROM orders ORDER BY id LIMIT 2": "key AS id FROM sales ORDER BY id LIMIT",
    "SELECT id, (SELECT max(c.name) FROM shop.customers c WHERE c.id = o.id) AS m FROM orders o": "",
    "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM shop.customers WHERE id = customer)": "",
    "SELECT id FROM orders WHERE id IN (SELECT id FROM shop.customers WHERE name <> 'x')": "",
    "SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 AS x FROM nations AS o WHERE o.label = 'de')": "o.title = 'de'",
    "SELECT id + 1 FROM orders": "",
    "SELECT s.b, o.s.id AS i FROM orders o": "o.t.id AS i",
    "SELECT sum(amount) OVER (PARTITION BY customer ORDER BY id, amount) AS r FROM orders": "",
    "SELECT x.id FROM (SELECT id, amount FROM orders) x JOIN orders y ON x.id = y.id": "",
    'SELECT "ID" AS "Id", "orders"."AMOUNT" AS "Amount" FROM "Orders"': "",
    "SELECT a.k FROM orders AS a (k, c, v, w) WHERE a.v > 5": "FROM sales AS a (k, c, v, w) WHERE a.v > 5",
    "SELECT paid, orders.id FROM seen JOIN orders ON orders.id = seen.id": "orders.key AS id",
    "SELECT n.label, c.name FROM nations n JOIN shop.customers c ON n.id = c.id WHERE label <> name": "n.title AS label",
    "SELECT CASE WHEN amount > 5 THEN 'id' ELSE name END AS amount FROM orders o, shop.customers c WHERE o.id = c.id": "'id'",
    "SELECT customer, max(amount) AS amount FROM orders GROUP BY customer HAVING max(amount) > 5 ORDER BY amount LIMIT 9": "",
    "SELECT amount FROM orders JOIN (SELECT 2 AS customer, 7 AS w) sales ON orders.customer = sales.customer": "sales AS orders",
    "SELECT label FROM nations": "SELECT title AS label FROM nations",
    "SELECT id FROM nations": "SELECT id FROM nations",
}


@pytest.fixture(scope="module")
def shops() -> Iterator[Duck]:
    """Two databases with the same rows, one before and one after the renames."""
    with Duck() as duck:
        for database, schema, place in (("old", BEFORE, 0), ("new", AFTER, 1)):
            duck.execute(f"ATTACH ':memory:' AS {database}")
            duck.execute(f"USE {database}")
            for statement in (
                *schema.strip().split(";")[:-1],
                *(f"INSERT INTO {each[place]} VALUES {each[2]}" for each in ROWS),
            ):
                duck.execute(statement)
        yield duck


def find(name: ObjectName) -> RenamedSource | None:
    return SOURCES.get(folded(name.name)) if name.schema in (None, "shop", "main") else None


@pytest.mark.parametrize("query", QUERIES)
def test_a_restated_query_gives_the_same_rows_and_columns(shops: Duck, query: str) -> None:
    restated = rename_sources(query, "duckdb", find)
    found = {}
    for database, text in (("old", query), ("new", restated)):
        shops.execute(f"USE {database}")
        names = [name for name, _ in shops.columns(text)]
        found[database] = (names, sorted(map(repr, shops.execute(text))))
    assert found["old"] == found["new"], restated
    assert found["old"][1]
    assert QUERIES[query] in restated, restated


@pytest.mark.parametrize("query", [query for query in QUERIES if '"' not in query])
def test_a_query_of_spark_is_restated_in_the_same_way(query: str) -> None:
    like = rename_sources(query, "duckdb", find)
    assert rename_sources(query, "spark", find) == like.replace('"Total $"', "`Total $`").replace('"', "`")


def test_the_alias_of_brackets_keeps_the_columns_of_what_is_inside() -> None:
    query = "SELECT e.id FROM (orders JOIN nations ON amount = nations.id) AS e"
    restated = rename_sources(query, "spark", find)
    assert restated.startswith("SELECT e.id FROM ((SELECT key AS id,"), restated


def test_a_query_whose_tables_have_their_names_stays_as_it_is() -> None:
    query = "SELECT  id ,\n name FROM shop . customers -- ;"
    same = RenamedSource(TableName("shop", "customers"), False, (("id", "id"), ("name", "name")))
    assert rename_sources(query, "spark", lambda _name: same) == query
