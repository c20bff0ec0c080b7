"""A definition keeps to its tables and columns under whatever names they have now, in all that shows or repeats it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from headwater.core.errors import InvalidRequest, NotFound
from headwater.service.lake import Lake

Check = Callable[[Lake, str, str], None]
pytestmark = pytest.mark.usefixtures("spark")

RENAMED = """
    ALTER TABLE orders RENAME TO swapped; ALTER TABLE customers RENAME TO orders; ALTER TABLE swapped RENAME TO customers;
    ALTER TABLE orders RENAME COLUMN name TO label;
    ALTER TABLE customers RENAME COLUMN amount TO "Net amount";
    INSERT INTO customers VALUES (7, 2, 7)
"""
# The query of `details` with today's names, as DuckDB runs it.
TODAY = (
    'SELECT o.id, c.label AS name, o."Net amount" AS amount FROM customers o LEFT JOIN orders c ON o.customer = c.id'
)


def shown(lake: Lake, name: str) -> str:
    return str(lake.sql(f"SHOW CREATE DYNAMIC TABLE {name}").rows[0][0])


def test_a_definition_is_shown_and_created_again_with_todays_names(shop: Lake, fresh: Check) -> None:
    shop.sql("CREATE DYNAMIC TABLE every AS SELECT *, orders.id AS again FROM orders")
    shop.sql(RENAMED)
    shop.refresh()
    fresh(shop, "details", TODAY)
    every = 'SELECT id, customer, "Net amount" AS amount, id AS again FROM customers'
    fresh(shop, "every", every)
    assert [(each.name.name, [str(s) for s in each.sources]) for each in shop.status()] == [
        ("details", ['"main"."customers"', '"main"."orders"']),
        ("every", ['"main"."customers"']),
    ]
    described = {row[0]: row[1] for row in shop.sql("DESC DYNAMIC TABLE details").rows}
    assert described["# sources"] == "main.customers, main.orders"
    assert described["# query"] == (
        "SELECT o.id, c.label AS name, o.`Net amount` AS amount FROM customers o LEFT JOIN orders c ON o.customer = c.id"
    )
    for name, query in (("details", TODAY), ("every", every)):
        text = shown(shop, name)
        shop.sql(f"DROP DYNAMIC TABLE {name}")
        shop.sql(text)
        fresh(shop, name, query)
        assert shown(shop, name) == text
        assert shop.verify(name).equal


def test_undrop_reads_the_tables_that_were_read_and_not_those_with_their_names(shop: Lake, fresh: Check) -> None:
    shop.sql("DROP DYNAMIC TABLE details")
    shop.sql(RENAMED)
    shop.sql("UNDROP DYNAMIC TABLE details")
    fresh(shop, "details", TODAY)
    assert shop.table("details").columns == ["id", "name", "amount"]
    shop.sql("INSERT INTO customers VALUES (8, 1, 8)")
    assert [outcome.action for outcome in shop.refresh("details")] == ["INCREMENTAL"]
    fresh(shop, "details", TODAY)
    shop.sql("ALTER DYNAMIC TABLE details ADD COLUMN o.`Net amount` * 2 AS twice")
    fresh(shop, "details", TODAY.replace(" FROM", ', o."Net amount" * 2 AS twice FROM', 1))


def test_a_table_is_refreshed_for_the_first_time_after_its_sources_were_renamed(shop: Lake, fresh: Check) -> None:
    query = "SELECT customer, sum(amount) AS s FROM orders GROUP BY customer"
    shop.sql(f"CREATE DYNAMIC TABLE late TARGET_LAG = '1 hour' INITIALIZE = ON_SCHEDULE AS {query}")
    shop.sql("ALTER TABLE orders RENAME TO sales; ALTER TABLE sales RENAME COLUMN amount TO total")
    shop.sql("ALTER TABLE sales ADD COLUMN amount INTEGER DEFAULT 1000")
    today = "SELECT customer, sum(total) AS s FROM sales GROUP BY customer"
    assert today in shown(shop, "late")
    assert [outcome.action for outcome in shop.refresh("late")] == ["REINITIALIZE"]
    fresh(shop, "late", today)


def test_a_dropped_source_is_named_with_the_time(shop: Lake) -> None:
    shop.sql("ALTER TABLE customers RENAME TO clients; DROP TABLE clients")
    at = f"{shop.snapshots()[-1].time:%Y-%m-%d %H:%M:%S} UTC"
    assert shown(shop, "details").startswith(f'-- Source "main"."clients" was dropped at {at}.\nCREATE DYNAMIC TABLE')
    described = {row[0]: row[1] for row in shop.sql("DESC DYNAMIC TABLE details").rows}
    assert described["# sources"] == f"main.orders, main.clients (dropped at {at})"
    assert [str(name) for name in shop.status()[0].dropped_sources] == ['"main"."clients"']
    shop.sql("DROP DYNAMIC TABLE details")
    with pytest.raises(NotFound, match=rf'Source "main"."clients" was dropped at {at}') as caught:
        shop.sql("UNDROP DYNAMIC TABLE details")
    assert caught.value.position is None
    # Another table takes the name of the definition: it is not the one that was read.
    shop.sql("CREATE TABLE customers (id INTEGER, name VARCHAR)")
    with pytest.raises(InvalidRequest, match="is another table with its former name"):
        shop.sql("UNDROP DYNAMIC TABLE details")


def test_a_dropped_column_is_not_mistaken_for_one_that_has_its_name(shop: Lake) -> None:
    shop.sql("DROP DYNAMIC TABLE details; ALTER TABLE orders DROP COLUMN amount")
    shop.sql("ALTER TABLE orders RENAME COLUMN customer TO amount")
    with pytest.raises(InvalidRequest, match=r'Column "amount" of "main"\."orders" was dropped, and another column'):
        shop.sql("UNDROP DYNAMIC TABLE details")


def test_undrop_refuses_a_view_that_reads_another_table_now(shop: Lake, fresh: Check) -> None:
    shop.sql("CREATE VIEW seen AS SELECT id, amount FROM orders")
    shop.sql("CREATE DYNAMIC TABLE sums AS SELECT sum(amount) AS s FROM seen; DROP DYNAMIC TABLE sums")
    shop.sql("ALTER TABLE orders RENAME TO sales; CREATE TABLE orders (id INTEGER, amount INTEGER)")
    with pytest.raises(InvalidRequest, match="a view reads a table under its former name"):
        shop.sql("UNDROP DYNAMIC TABLE sums")
    shop.sql("DROP TABLE orders; ALTER TABLE sales RENAME TO orders; UNDROP DYNAMIC TABLE sums")
    fresh(shop, "sums", "SELECT sum(amount) AS s FROM orders")
