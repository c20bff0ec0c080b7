"""What a change of definition or source costs: columns alone cost nothing, else only rows that come and go are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from headwater.core.errors import DefinitionRefused, InvalidRequest, RefreshFailed
from headwater.service.lake import Lake

Check = Callable[[Lake, str, str], None]
pytestmark = pytest.mark.usefixtures("spark")

JOINED = "FROM orders o LEFT JOIN customers c ON o.customer = c.id"
# However long it takes on a busy machine.
FOLLOW = "CARDINALITY_THRESHOLD = 1"
# Queries that give the rows of the one before, in other columns.
COLUMNS_ONLY = {
    f"SELECT o.id, o.amount {JOINED}": "dropped name",
    f"SELECT amount, id FROM (SELECT o.id, o.amount {JOINED})": "columns reordered",
    f"SELECT o.id AS amount, o.amount AS id, 'it' AS word, -1 AS one {JOINED}": "added word, one, renamed",
    f"SELECT o.amount AS id, 'NULL' AS nil, '' AS no, NULL :: INT AS none, true AS yes {JOINED}": "added nil, no, none, yes",
}


@pytest.fixture
def several(shop: Lake) -> Lake:
    """Enough orders that a change of one is worth following."""
    shop.sql("INSERT INTO orders SELECT 10 + i, i % 3, i FROM range(20) t(i)")
    shop.refresh("details")
    return shop


def row_ids(lake: Lake, name: str) -> set[int]:
    return {row.rid for row in lake.table(name, rowid="rid").collect()}


def changes(lake: Lake) -> Iterator[None]:
    """Changes of a few rows, others each time."""
    for number in range(100, 200):
        lake.sql(f"INSERT INTO orders (id, customer, amount) VALUES ({number}, 2, 1), ({number}, NULL, NULL)")
        lake.sql(f"UPDATE orders SET amount = amount + 1 WHERE id = 2; DELETE FROM orders WHERE id = {number - 1}")
        yield


def test_a_definition_that_is_another_in_its_columns_keeps_its_rows(several: Lake, fresh: Check) -> None:
    more = changes(several)
    for place, (query, told) in enumerate(COLUMNS_ONLY.items()):
        ids, snapshot = row_ids(several, "details"), several.snapshots()[-1].id
        verb = "REPLACE" if place % 2 else "ALTER"
        statement = f"CREATE OR {verb} DYNAMIC TABLE details TARGET_LAG = '{place + 1} hours' {FOLLOW} AS {query}"
        if place == 0:
            assert several.explain(statement).reason == f"the definition changed: {told}"
        several.sql(statement)
        newest = several.history("details")[0]
        assert (newest.action, newest.rows_inserted, newest.rows_deleted) == ("NO_DATA", 0, 0)
        assert (newest.reason or "").startswith(f"the definition changed: {told}")
        assert several.snapshots()[-1].id == snapshot + 1
        assert row_ids(several, "details") == ids
        _agree(several, fresh, "details", query)
        next(more)
        assert [o.action for o in several.refresh("details")] == ["INCREMENTAL"]
        _agree(several, fresh, "details", query)


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
def test_a_query_over_all_columns_follows_those_of_its_source(several: Lake, fresh: Check) -> None:
    queries = {
        "stars": "SELECT * FROM orders",
        "joined": "SELECT o.*, c.name FROM orders o JOIN customers c ON o.customer = c.id",
        "above": "SELECT * FROM stars",
        "sums": "SELECT customer, sum(amount) AS s, count(*) AS n FROM orders GROUP BY customer",
    }
    for name, query in queries.items():
        several.sql(f"CREATE DYNAMIC TABLE {name} {FOLLOW} AS {query}")
    more = changes(several)
    for alter, told in {
        "ALTER TABLE orders ADD COLUMN note VARCHAR DEFAULT 'n'; ALTER TABLE orders ADD COLUMN size INTEGER": "added note",
        "ALTER TABLE orders DROP COLUMN note": "dropped note",
    }.items():
        several.sql(alter)
        next(more)
        ids = row_ids(several, "above")
        assert told in several.explain("stars").reason
        outcomes = several.refresh(*queries)
        assert {outcome.action for outcome in outcomes} == {"INCREMENTAL"}
        assert [told in (outcome.reason or "") for outcome in outcomes] == [True, True, True, False]
        assert len(row_ids(several, "above") & ids) >= len(ids) - 3
        for name, query in queries.items():
            _agree(several, fresh, name, query)
    # Every row changes, and no change feed says so.
    several.sql("ALTER TABLE orders DROP COLUMN size; ALTER TABLE orders ADD COLUMN size INTEGER DEFAULT 7")
    assert several.refresh("stars")[0].action == "NO_DATA"
    _agree(several, fresh, "stars", queries["stars"])


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
def test_other_definitions_write_only_rows_that_come_and_go(several: Lake, fresh: Check) -> None:
    more = changes(several)
    several.sql("UPDATE customers SET name = NULL WHERE id = 2")
    several.sql("CREATE OR REPLACE DYNAMIC TABLE details AS SELECT id, amount, customer FROM orders WHERE id < 20")
    several.sql("ALTER TABLE orders ADD COLUMN size INTEGER DEFAULT 3; INSERT INTO orders VALUES (1, 1, 1, 9)")
    several.sql("CREATE DYNAMIC TABLE total AS SELECT sum(amount) AS s FROM details")
    for query, written in {
        "SELECT id, amount, customer FROM orders WHERE id < 18": (0, 2),
        # The source had the column already, and one row with another value.
        "SELECT id, customer, size, amount FROM orders WHERE id < 19": (2, 1),
        "SELECT id, customer, nullif(customer, 2) AS c2, amount AS price, size FROM orders WHERE id < 19": (14, 14),
    }.items():
        several.sql(f"CREATE OR REPLACE DYNAMIC TABLE details {FOLLOW} AS {query}")
        newest = several.history("details")[0]
        found = (newest.action, newest.reason, newest.rows_inserted, newest.rows_deleted)
        assert found == ("REINITIALIZE", "the definition changed", *written), query
        _agree(several, fresh, "details", query)
        next(more)
        assert [o.action for o in several.refresh("details")] == ["INCREMENTAL"]
        _agree(several, fresh, "details", query)
    # A table that reads a column which is gone says so.
    with pytest.raises(RefreshFailed, match="total"):
        several.refresh("total")


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
def test_what_looks_like_columns_only_and_is_not_is_computed(several: Lake, fresh: Check) -> None:
    named = "SELECT id, name FROM customers"
    several.sql(f"CREATE DYNAMIC TABLE named AS {named}")
    # The definition keeps to its column, so it does not see the new one of that name.
    several.sql("ALTER TABLE customers RENAME COLUMN name TO label; ALTER TABLE customers ADD COLUMN name VARCHAR")
    several.sql("UPDATE customers SET name = 'x' WHERE id = 1; INSERT INTO customers VALUES (3, 'cy', 'z')")
    several.refresh("named")
    for query in (
        "SELECT id, label AS name, name AS other FROM customers",
        # Rows without a partner have no default.
        "SELECT o.id, c.label AS name FROM orders o LEFT JOIN customers c ON o.customer = c.id",
    ):
        several.sql(f"CREATE OR REPLACE DYNAMIC TABLE named AS {query}")
        assert several.history("named")[0].action == "REINITIALIZE"
        _agree(several, fresh, "named", query)
    several.sql("ALTER TABLE customers ADD COLUMN vip BOOLEAN DEFAULT true")
    query = query.replace(" FROM", ", c.vip FROM")
    several.sql(f"CREATE OR REPLACE DYNAMIC TABLE named AS {query}")
    assert several.history("named")[0].action == "REINITIALIZE"
    _agree(several, fresh, "named", query)
    # The same words stand for other columns.
    query = "SELECT id - customer AS d FROM orders"
    several.sql(f"CREATE DYNAMIC TABLE minus AS {query}; ALTER TABLE orders RENAME COLUMN id TO x")
    several.sql("ALTER TABLE orders RENAME COLUMN customer TO id; ALTER TABLE orders RENAME COLUMN x TO customer")
    several.sql(f"CREATE OR REPLACE DYNAMIC TABLE minus AS {query}")
    assert several.history("minus")[0].action == "REINITIALIZE"
    _agree(several, fresh, "minus", query)
    # What can't be followed is not computed again for the sake of its properties.
    query = "SELECT customer, collect_list(amount) AS all FROM orders GROUP BY customer"
    several.sql(f"CREATE DYNAMIC TABLE lists AS {query}; CREATE OR REPLACE DYNAMIC TABLE lists PRIORITY = 1 AS {query}")
    assert [each.action for each in several.history("lists")] == ["NO_DATA", "REINITIALIZE"]


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
def test_partitions_and_suspensions_through_a_change(several: Lake, fresh: Check) -> None:
    for columns in ("id, customer", "customer, id, 1 AS one", "CAST(customer AS BIGINT) AS customer, id"):
        query = f"SELECT {columns} FROM orders"
        several.sql(f"CREATE OR REPLACE DYNAMIC TABLE parts PARTITIONED BY (customer) AS {query}")
        several.sql("INSERT INTO orders VALUES (50, 7, 7); ALTER DYNAMIC TABLE parts SUSPEND")
        several.refresh("parts")
        _agree(several, fresh, "parts", query)
    several.sql(f"CREATE OR ALTER DYNAMIC TABLE parts PARTITIONED BY (customer) COMMENT = 'x' AS {query}")
    assert {each.name.name: each.state for each in several.status()}["parts"] == "SUSPENDED"
    several.sql(f"CREATE OR REPLACE DYNAMIC TABLE parts PARTITIONED BY (customer) AS {query}")
    assert {each.name.name: each.state for each in several.status()}["parts"] == "ACTIVE"
    for statement, error in {
        "CREATE OR REPLACE DYNAMIC TABLE parts PARTITIONED BY (customer) AS SELECT id FROM orders": InvalidRequest,
        "CREATE OR ALTER DYNAMIC TABLE parts AS SELECT id, customer FROM orders": InvalidRequest,
        "CREATE OR REPLACE DYNAMIC TABLE parts PARTITIONED BY (customer) AS SELECT nowhere FROM orders": DefinitionRefused,
    }.items():
        with pytest.raises(error):
            several.sql(statement)
    _agree(several, fresh, "parts", query)


def _agree(lake: Lake, fresh: Check, name: str, query: str) -> None:
    """The table is what DuckDB makes of its query, in the same order of columns, and what Spark does."""
    fresh(lake, name, query)
    shown, wanted = (lake.sql(f"DESCRIBE {sql}").rows for sql in (f"SELECT * FROM {name}", query))
    assert [row[0] for row in shown] == [row[0] for row in wanted]
    assert lake.verify(name).equal
